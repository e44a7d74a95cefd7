/* paint.c - colours and line breaks for people at a terminal */
#include "layout/paint.h"

#include "base/shown.h"
#include "layout/layout.h"
#include "terms/state.h"

#define OUTPUT_INDENT 4 /* what a task printed stands so far in */
#define RED "\033[31m"
#define GREEN "\033[32m"
#define CYAN "\033[36m"

const char *paint_of_state(struct str word)
{
    enum state state;
    if (!state_parse(word, &state))
        return NULL;
    if (state_bad(state))
        return RED;
    return state == STATE_DONE ? GREEN : state == STATE_RUNNING ? CYAN : NULL;
}

/* ---- line breaks ------------------------------------------------------ */

static size_t blanks_at(struct str s, size_t from)
{
    size_t n = from;
    while (n < s.len && s.p[n] == ' ')
        n++;
    return n - from;
}

/* Where the text of a line begins: behind its indent, a dash, or a word in
 * front that has several blanks after it. */
static size_t text_at(struct str line)
{
    size_t indent = blanks_at(line, 0), end = indent;
    while (end < line.len && line.p[end] != ' ')
        end++;
    size_t gap = blanks_at(line, end);
    bool dash = end - indent == 1 && line.p[indent] == '-';
    return (gap > 1 || dash) && end + gap < line.len ? end + gap : indent;
}

/* The bytes that fit, up to a blank; all where no blank is. What stands between
 * backticks is to be pasted, and stays whole. */
static size_t fitting(struct str s, size_t columns)
{
    size_t fits = 0, n = 0;
    bool quoted = false;
    for (size_t i = 0; i < s.len; i++) {
        quoted ^= s.p[i] == '`';
        if (s.p[i] == ' ' && !quoted && n <= columns)
            fits = i;
        n += shown_begins(s.p[i]);
        if (n > columns && fits)
            return fits;
    }
    return s.len;
}

/* What a task printed, and a path, which may have blanks in it. */
static bool stays_whole(struct str line, size_t at)
{
    return blanks_at(line, 0) >= OUTPUT_INDENT ||
           (at < line.len && line.p[at] == '/');
}

static void wrap_line(struct buf *b, struct str line, size_t columns)
{
    size_t at = text_at(line);
    if (shown_width(line) <= columns || stays_whole(line, at) ||
        at + 20 > columns) {
        buf_addstr(b, line);
        return;
    }
    buf_addstr(b, str_n(line.p, at));
    for (struct str rest = str_n(line.p + at, line.len - at); rest.len;) {
        size_t n = fitting(rest, columns - at);
        buf_addstr(b, str_n(rest.p, n));
        n += blanks_at(rest, n);
        rest = str_n(rest.p + n, rest.len - n);
        if (rest.len)
            buf_addf(b, "\n%*s", (int)at, "");
    }
}

void paint_wrap(struct buf *b, struct str text, unsigned columns)
{
    struct str line;
    while (text.len && str_split(&text, '\n', &line)) {
        wrap_line(b, line, columns);
        if (text.p)
            buf_addc(b, '\n');
    }
}

/* ---- colours ---------------------------------------------------------- */

static bool is_output(struct str line)
{
    size_t n = blanks_at(line, 0);
    return n > 0 && n < line.len && line.p[n] == '|';
}

/* A word in front at the very beginning is a title; a state among the first
 * words has its colour. */
static void paint_words(struct buf *b, struct str line)
{
    bool titled = line.len && line.p[0] != ' ';
    struct str before = STR("");
    for (int words = 0; line.len; words++) {
        size_t gap = blanks_at(line, 0), end = gap;
        while (end < line.len && line.p[end] != ' ')
            end++;
        struct str word = str_n(line.p + gap, end - gap), bare = word;
        if (bare.len && bare.p[bare.len - 1] == ':')
            bare.len--;
        const char *colour =
            words < 3 && !str_is(before, "not") ? paint_of_state(bare) : NULL;
        if (!colour && words == 0 && titled)
            colour = PAINT_BOLD;
        buf_addf(b, "%*s%s%.*s%s", (int)gap, "", colour ? colour : "",
                 STRF(word), colour ? PAINT_END : "");
        line = str_n(line.p + end, line.len - end);
        before = word;
    }
}

/* Titles of lists whose lines are values and names of files. */
static bool begins_data(struct str line)
{
    static const char *const titles[] = {"params", "metrics", "outputs", "best",
                                         "commands"};
    struct str title;
    str_split(&line, ' ', &title);
    if (str_is(title, "params") && line.len)
        return false;
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        if (str_is(title, titles[i]))
            return true;
    return false;
}

void paint_report(struct buf *b, struct str text, unsigned columns, bool colour)
{
    struct buf whole;
    struct str line;
    bool data = false;
    buf_init(&whole);
    while (text.len && str_split(&text, '\n', &line)) {
        buf_reset(&whole);
        if (line.len && line.p[0] != ' ')
            data = begins_data(line);
        if (!is_output(line) && !data)
            wrap_line(&whole, line, columns);
        else
            buf_addstr(&whole, line);
        if (colour && !is_output(line))
            paint_words(b, buf_str(&whole));
        else
            buf_addstr(b, buf_str(&whole));
        if (text.p)
            buf_addc(b, '\n');
    }
    buf_done(&whole);
}
