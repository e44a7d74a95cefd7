/* titles.c - names that are too long for their columns
 *
 * Most names that begin alike differ at their ends (model.encoder.dropout and
 * model.encoder.width), so they are cut in front. Those that end alike then
 * look the same, and keep so much of their beginning, or of their middle, that
 * they do not. A way of cutting is a number:
 *
 *     0                   …dropout     in front
 *     1 … width - 2       de…pout      behind so many letters
 *     from there on       …er.b.d…     all but what is from a letter on */
#include "base/shown.h"
#include "layout/layout.h"

static size_t letters(const char *s)
{
    return shown_width(str_of(s));
}

/* From letter `from` on, at most n of them. */
static void add_letters(struct buf *b, const char *s, size_t from, size_t n)
{
    size_t at = 0;
    for (; *s; s++) {
        at += shown_begins(*s);
        if (at > from && at <= from + n)
            buf_addc(b, *s);
    }
}

static size_t ways(const char *s, size_t width)
{
    size_t len = letters(s);
    return len <= width || width < 3 ? 1 : len;
}

static const char *cut(struct arena *a, const char *s, size_t width, size_t way)
{
    size_t len = letters(s), heads = width < 3 ? 0 : width - 2;
    struct buf b;
    if (len <= width || !width)
        return s;
    buf_init(&b);
    size_t head = way <= heads ? way : 0;
    size_t from = way > heads ? way - heads : 0;
    add_letters(&b, s, 0, head);
    buf_adds(&b, "…");
    if (!from)
        add_letters(&b, s, len - (width - 1 - head), width);
    else {
        add_letters(&b, s, from, width - 2);
        buf_adds(&b, "…");
    }
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

struct titles {
    struct arena *arena;
    const char *const *names;
    const size_t *widths;
    size_t count;
};

static bool looks_like(const struct titles *t, size_t i, size_t k, size_t way)
{
    return !strcmp(cut(t->arena, t->names[i], t->widths[i], way),
                   cut(t->arena, t->names[k], t->widths[k], way));
}

/* Of those that look like name i when they are cut in front, none does when
 * they are cut this way. */
static bool is_told_apart(const struct titles *t, size_t i, size_t way)
{
    for (size_t k = 0; k < t->count; k++)
        if (strcmp(t->names[i], t->names[k]) && looks_like(t, i, k, 0) &&
            looks_like(t, i, k, way))
            return false;
    return true;
}

const char **titles_fit(struct arena *a, const char *const *names,
                        const size_t *widths, size_t n)
{
    const char **fitted = arena_array(a, n + 1, sizeof(*fitted));
    struct arena *scratch = arena_new();
    struct titles t = {scratch, names, widths, n};
    for (size_t i = 0; i < n; i++) {
        size_t way = 0, all = ways(names[i], widths[i]);
        while (way < all && !is_told_apart(&t, i, way))
            way++;
        fitted[i] = cut(a, names[i], widths[i], way < all ? way : 0);
    }
    arena_free(scratch);
    return fitted;
}
