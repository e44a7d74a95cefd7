/* shown.c - text that is not ours, as a person may see it */
#include "base/shown.h"

static unsigned char byte_at(struct str s, size_t i)
{
    return i < s.len ? (unsigned char)s.p[i] : 0;
}

/* U+0080 to U+009F: what a terminal of eight bits takes for escapes. */
static bool is_c1(struct str s)
{
    return byte_at(s, 0) == 0xc2 && byte_at(s, 1) >= 0x80 &&
           byte_at(s, 1) < 0xa0;
}

/* What turns the direction of the letters behind it around, so that a text
 * looks like another one; its number, or 0. */
static unsigned bidi_control(struct str s)
{
    unsigned c;

    if (byte_at(s, 0) == 0xd8 && byte_at(s, 1) == 0x9c)
        return 0x61c;
    if (byte_at(s, 0) != 0xe2 || (byte_at(s, 1) & 0xfe) != 0x80)
        return 0;
    c = 0x2000u + ((byte_at(s, 1) & 0x3fu) << 6) + (byte_at(s, 2) & 0x3fu);
    return c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
                   (c >= 0x2066 && c <= 0x2069)
               ? c
               : 0;
}

size_t shown_plain(struct str s)
{
    size_t i = 0;

    while (i < s.len) {
        unsigned char c = (unsigned char)s.p[i];
        struct str rest = str_n(s.p + i, s.len - i);

        if ((c >= 32 && c < 127) || c == '\n' || c == '\t')
            i++;
        else if (c < 128 || is_c1(rest) || bidi_control(rest) ||
                 str_utf8_next(rest) == 0)
            break;
        else
            i += str_utf8_next(rest);
    }
    return i;
}

/* Adds the first character, which is not harmless; gives its length. */
static size_t add_letters(struct buf *b, struct str s)
{
    unsigned char c = (unsigned char)s.p[0];

    if (c < 32) {
        buf_addf(b, "^%c", c ^ 64);
    } else if (c == 127) {
        buf_adds(b, "\\u007f");
    } else if (is_c1(s)) {
        buf_addf(b, "\\u%04x", byte_at(s, 1));
        return 2;
    } else if (bidi_control(s)) {
        buf_addf(b, "\\u%04x", bidi_control(s));
        return str_utf8_next(s);
    } else {
        buf_addf(b, "\\x%02x", c);
    }
    return 1;
}

/* ESC [ 1 ; 31 m: only says how the next letters look. */
static size_t colour_len(struct str s)
{
    size_t i = 2;

    if (byte_at(s, 0) != 27 || byte_at(s, 1) != '[')
        return 0;
    while (i < s.len && memchr("0123456789;:", s.p[i], 12))
        i++;
    return byte_at(s, i) == 'm' ? i + 1 : 0;
}

/* `start`: where the text begins in b. */
static size_t add_return(struct buf *b, size_t start, struct str s)
{
    size_t line = b->len;

    if (byte_at(s, 0) != '\r')
        return 0;
    if (byte_at(s, 1) == '\n')
        return 1;
    while (line > start && b->p[line - 1] != '\n')
        line--;
    if (s.len == 1 || b->len == start) {
        buf_addc(b, '\n');
    } else if (line < b->len) {
        b->len = line;
        b->p[line] = 0;
    }
    return 1;
}

static size_t add_colour(struct buf *b, struct str s)
{
    size_t len = colour_len(s);

    buf_add(b, s.p, len);
    return len;
}

static void add(struct buf *b, struct str text, bool output)
{
    size_t start = b->len;

    while (text.len > 0) {
        size_t len = shown_plain(text);

        buf_add(b, text.p, len);
        text = str_n(text.p + len, text.len - len);
        if (text.len == 0)
            return;
        len = output ? add_return(b, start, text) : 0;
        if (len == 0 && output)
            len = add_colour(b, text);
        if (len == 0)
            len = add_letters(b, text);
        text = str_n(text.p + len, text.len - len);
    }
}

void shown_add(struct buf *b, struct str text)
{
    add(b, text, false);
}

void shown_add_output(struct buf *b, struct str text)
{
    add(b, text, true);
}

bool shown_begins(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t shown_width(struct str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += shown_begins(s.p[i]);
    return n;
}

struct str shown_last(struct str line)
{
    while (line.len && line.p[line.len - 1] == '\r')
        line.len--;
    for (size_t i = line.len; i > 0; i--)
        if (line.p[i - 1] == '\r')
            return str_n(line.p + i, line.len - i);
    return line;
}
