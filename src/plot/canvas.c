/* canvas.c - the list of back ends, and how wide text is
 *
 * A figure is laid out without asking a font: widths are those of Helvetica, by
 * kind of letter, a little generous, so that text fits in its neighbours too.
 */
#include "plot/canvas.h"

#include <strings.h>
#include <wchar.h>

#define NAME_ROOM 9 /* letters: less has no room for a beginning and an end */

#define BACKEND_POINTER(name) &plot_backend_##name,
static const struct plot_backend *const backends[] = {
    PLOT_BACKENDS(BACKEND_POINTER) NULL};

/* Names the endings; the terminal, which is no file, is the last row. */
static void refuse_ending(const char *file, struct err *err)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i + 1 < BACKEND_COUNT; i++)
        buf_addf(&b, "%s.%s",
                 i == 0                   ? ""
                 : i + 2 == BACKEND_COUNT ? " or "
                                          : ", ",
                 backends[i]->ending);
    err_set(err, ERR_USAGE, "%s: a figure's file ends with %s", file, b.p);
    buf_done(&b);
}

const struct plot_backend *plot_backend_of(const char *file, struct err *err)
{
    const char *dot = strrchr(file, '.');
    const char *ending = dot ? dot + 1 : file;
    for (size_t i = 0; backends[i]; i++)
        if (!strcasecmp(ending, backends[i]->ending) &&
            (dot || !strcmp(file, "terminal")))
            return backends[i];
    refuse_ending(file, err);
    return NULL;
}

size_t canvas_shape(unsigned category, double x, double y, double radius,
                    double *xy)
{
    static const struct {
        size_t corners;
        double at[8];
    } shapes[] = {
        {0, {0}},
        {4, {-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9}},
        {3, {0, -1.2, 1.1, 0.8, -1.1, 0.8}},
        {4, {0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0}},
        {3, {0, 1.2, 1.1, -0.8, -1.1, -0.8}},
        {4, {-1.3, -0.5, 1.3, -0.5, 1.3, 0.5, -1.3, 0.5}},
        {4, {-0.5, -1.3, 0.5, -1.3, 0.5, 1.3, -0.5, 1.3}},
    };
    size_t which = category % (sizeof(shapes) / sizeof(shapes[0]));
    for (size_t i = 0; i < shapes[which].corners; i++) {
        xy[2 * i] = x + radius * shapes[which].at[2 * i];
        xy[2 * i + 1] = y + radius * shapes[which].at[2 * i + 1];
    }
    return shapes[which].corners;
}

size_t canvas_dashes(unsigned dashes, const double **lengths)
{
    static const struct {
        size_t count;
        double lengths[4];
    } all[] = {{0, {0}},      {2, {5, 3}},
               {2, {1.5, 2}}, {4, {8, 2.5, 1.5, 2.5}},
               {2, {11, 4}},  {4, {5, 2, 5, 7}}};
    size_t which = dashes % (sizeof(all) / sizeof(all[0]));
    *lengths = all[which].lengths;
    return all[which].count;
}

bool canvas_has_colours(const struct canvas *c)
{
    return !c->cells || c->look.colour;
}

/* Pieces reach a hair into the next ones: else readers that smooth edges let
 * the paper shine through between them. */
#define OVERLAP 0.3

bool level_next(struct level_walk *w, struct box *piece)
{
    size_t all = w->across * w->down;
    double cell_w = w->where.w / (double)w->across;
    double cell_h = w->where.h / (double)w->down;
    while (w->at < all && w->levels[w->at] != w->level)
        w->at++;
    if (w->at == all)
        return false;
    size_t from = w->at++;
    while (w->at % w->across && w->levels[w->at] == w->level)
        w->at++;
    *piece = (struct box){w->where.x + cell_w * (double)(from % w->across),
                          w->where.y + cell_h * (double)(from / w->across),
                          cell_w * (double)(w->at - from) + OVERLAP,
                          cell_h + OVERLAP};
    return true;
}

static uint32_t next_letter(struct str *s)
{
    size_t len = str_utf8_next(*s);
    const unsigned char *p = (const unsigned char *)s->p;
    uint32_t letter = len < 2 ? p[0] : p[0] & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++)
        letter = letter << 6 | (p[i] & 0x3f);
    s->p += len ? len : 1;
    s->len -= len ? len : 1;
    return letter;
}

/* East Asian letters are twice as wide. */
static bool is_wide(uint32_t c)
{
    return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
           (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0xff00 && c <= 0xff60) || (c >= 0x1f300 && c <= 0x1faff);
}

/* In widths of a digit. */
static double letter_width(const struct canvas *c, uint32_t letter)
{
    if (is_wide(letter))
        return 2;
    if (c->cells)
        return 1;
    if (letter < 128 && strchr("iljtfI.,:;|!'`()[]/ ", (int)letter))
        return 0.55;
    if (letter < 128 && strchr("mwMW@%", (int)letter))
        return 1.6;
    return letter >= 'A' && letter <= 'Z' ? 1.25 : 1;
}

double canvas_width_of(const struct canvas *c, const char *text, bool bold)
{
    struct str rest = str_of(text);
    double width = 0;
    while (rest.len)
        width += letter_width(c, next_letter(&rest));
    return width * c->letter * (bold && !c->cells ? 1.2 : 1);
}

/* The end of a name, which is often all that tells it from others; of a
 * sentence, and where there is little room, none. */
static struct str tail_of(const struct canvas *c, struct str text, double width)
{
    struct str rest = text;
    double left = canvas_width_of(c, text.p, false);
    if (width < c->letter * NAME_ROOM || memchr(text.p, ' ', text.len))
        return STR("");
    while (rest.len && left > width / 3)
        left -= letter_width(c, next_letter(&rest)) * c->letter;
    return rest;
}

const char *canvas_fit(const struct canvas *c, const char *text, double width,
                       struct arena *a)
{
    struct str rest = str_of(text);
    if (canvas_width_of(c, text, false) <= width)
        return text;
    struct str tail = tail_of(c, rest, width);
    double used = c->letter;
    if (tail.len)
        used += canvas_width_of(c, tail.p, false);
    while (rest.len) {
        struct str before = rest;
        used += letter_width(c, next_letter(&rest)) * c->letter;
        if (used > width) {
            struct str head = {text, (size_t)(before.p - text)};
            return arena_printf(a, "%.*s…%.*s", STRF(head), STRF(tail));
        }
    }
    return text;
}
