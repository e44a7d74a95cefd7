/* plot.c - a figure while it is filled, and its table */
#include "plot/plot.h"

#include <math.h>
#include "base/csv.h"
#include "base/num.h"

void plot_init(struct plot *p, struct arena *a)
{
    *p = (struct plot){.arena = a};
}

void plot_done(struct plot *p)
{
    for (size_t i = 0; i < p->panels.len; i++)
        vec_done(&p->panels.p[i]->marks);
    vec_done(&p->panels);
    vec_done(&p->notes);
    vec_done(&p->colour_notes);
    vec_done(&p->categories);
    vec_done(&p->columns);
}

struct plot_panel *plot_panel_add(struct plot *p, const char *title)
{
    struct plot_panel *panel = arena_new_of(p->arena, struct plot_panel);
    panel->title = title;
    vec_push(&p->panels, panel);
    return panel;
}

void plot_mark_add(struct plot_panel *panel, const struct plot_mark *m)
{
    vec_push(&panel->marks, *m);
}

void plot_note(struct plot *p, const char *fmt, ...)
{
    struct buf b;
    va_list ap;
    buf_init(&b);
    va_start(ap, fmt);
    buf_vaddf(&b, fmt, ap);
    va_end(ap);
    vec_push(&p->notes, arena_cstr(p->arena, buf_str(&b)));
    buf_done(&b);
}

void plot_note_of_colours(struct plot *p, const char *text)
{
    vec_push(&p->colour_notes, text);
}

void plot_numbers(struct plot *p, const char *name, const double *list)
{
    struct plot_column c = {.name = name, .numbers = list};
    vec_push(&p->columns, c);
}

void plot_texts(struct plot *p, const char *name, const char *const *list)
{
    struct plot_column c = {.name = name, .texts = list};
    vec_push(&p->columns, c);
}

double *plot_room(struct plot *p, size_t count)
{
    return arena_array(p->arena, count + 1, sizeof(double));
}

/* A whole number is written as one. */
static void add_exact(struct buf *b, double v)
{
    if (isnan(v))
        return;
    if (v == rint(v) && fabs(v) < 1e15)
        num_print_int(b, (int64_t)v);
    else
        num_print(b, v);
}

void plot_csv(struct buf *b, const struct plot *p)
{
    for (size_t k = 0; k < p->columns.len; k++) {
        buf_adds(b, k ? "," : "");
        csv_field(b, str_of(p->columns.p[k].name), ',');
    }
    buf_addc(b, '\n');
    for (size_t i = 0; i < p->rows; i++) {
        for (size_t k = 0; k < p->columns.len; k++) {
            const struct plot_column *c = &p->columns.p[k];
            buf_adds(b, k ? "," : "");
            if (c->numbers)
                add_exact(b, c->numbers[i]);
            else if (c->texts[i])
                csv_field(b, str_of(c->texts[i]), ',');
        }
        buf_addc(b, '\n');
    }
}

const char *plot_count(struct arena *a, uint64_t n)
{
    char *text = arena_printf(a, "%llu", (unsigned long long)n);
    size_t len = strlen(text);
    char *out = arena_alloc(a, len + len / 3 + 1), *to = out;
    for (size_t i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            *to++ = ',';
        *to++ = text[i];
    }
    *to = 0;
    return out;
}

void plot_number(struct buf *b, double v, int digits)
{
    if (isnan(v))
        buf_adds(b, "-");
    else if (v == rint(v) && fabs(v) < 1e6)
        num_print_int(b, (int64_t)v);
    else
        num_print_short(b, v, digits);
}

/* A letter that every reader takes, or 0: line feeds and tabs are blanks there,
 * other control characters, those that turn the direction of a line, and what
 * is no text a mark. */
static size_t plain_letter(struct str rest)
{
    size_t len = str_utf8_next(rest);
    const unsigned char *c = (const unsigned char *)rest.p;
    bool control = len == 1 && (c[0] < 0x20 || c[0] == 0x7f);
    bool high_control = len == 2 && c[0] == 0xc2 && c[1] < 0xa0;
    bool noncharacter =
        len == 3 && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe;
    bool turns = len == 3 && c[0] == 0xe2 &&
                 ((c[1] == 0x80 && (c[2] == 0x8e || c[2] == 0x8f ||
                                    (c[2] >= 0xaa && c[2] <= 0xae))) ||
                  (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
    return control || high_control || noncharacter || turns ? 0 : len;
}

void plot_plain(struct buf *b, const char *text)
{
    struct str rest = str_of(text);
    while (rest.len) {
        size_t len = plain_letter(rest), all = str_utf8_next(rest);
        if (len)
            buf_add(b, rest.p, len);
        else
            buf_adds(b, strchr("\t\n\r", rest.p[0]) ? " " : "\xef\xbf\xbd");
        rest.p += all ? all : 1;
        rest.len -= all ? all : 1;
    }
}

void plot_xml(struct buf *b, const char *text)
{
    struct buf plain;
    buf_init(&plain);
    plot_plain(&plain, text);
    for (const char *at = plain.p; *at; at++)
        switch (*at) {
        case '<':
            buf_adds(b, "&lt;");
            break;
        case '>':
            buf_adds(b, "&gt;");
            break;
        case '&':
            buf_adds(b, "&amp;");
            break;
        case '"':
            buf_adds(b, "&quot;");
            break;
        default:
            buf_addc(b, *at);
        }
    buf_done(&plain);
}
