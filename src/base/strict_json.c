/* strict_json.c - JSON that every reader takes */
#include "base/strict_json.h"

#include <math.h>
#include "base/json.h"
#include "base/num.h"

void strict_number(struct buf *b, double v)
{
    bool quoted = !isfinite(v);
    if (quoted)
        buf_addc(b, '"');
    json_number(b, v);
    if (quoted)
        buf_addc(b, '"');
}

void strict_seconds(struct buf *b, double v)
{
    strict_number(b, num_round(v, 6));
}

void strict_number_or_null(struct buf *b, double v)
{
    if (isnan(v))
        buf_adds(b, "null");
    else
        strict_number(b, v);
}

/* The bare word that s begins with, or an empty one. */
static struct str bare_word(struct str s)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_starts(s, str_of(words[i])))
            return str_of(words[i]);
    return str_n("", 0);
}

void strict_text(struct buf *b, struct str json)
{
    bool inside = false; /* of a string */
    for (size_t i = 0; i < json.len; i++) {
        char c = json.p[i];
        struct str word = {0};
        if (!inside && (c == 'N' || c == 'I' || c == '-'))
            word = bare_word(str_n(json.p + i, json.len - i));
        if (word.len) {
            buf_addf(b, "\"%.*s\"", STRF(word));
            i += word.len - 1;
            continue;
        }
        buf_addc(b, c);
        if (inside && c == '\\' && i + 1 < json.len)
            buf_addc(b, json.p[++i]);
        else if (c == '"')
            inside = !inside;
    }
}

void strict_value(struct buf *b, const struct value *v)
{
    struct buf text;
    buf_init(&text);
    json_print(&text, v);
    strict_text(b, buf_str(&text));
    buf_done(&text);
}

void strict_string_or_null(struct buf *b, struct str s)
{
    if (s.len)
        json_string(b, s);
    else
        buf_adds(b, "null");
}
