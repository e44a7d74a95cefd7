/* stage_words.c - the words of a stage that may name files
 *
 * A word may have names of parameters in it, as data/${dataset}.csv: each value
 * that the study says of them makes a file that it may name. */
#include "plan/stage.h"

#include "base/chars.h"
#include "base/num.h"

#define WORD_MOST 4000
#define FILLED_MOST 1000 /* names that one word may become */

void plan_texts(const struct value *v, text_fn *see, void *context)
{
    if (!v)
        return;
    if (v->kind == VALUE_STRING)
        see(context, v->s);
    else if (v->kind == VALUE_LIST || v->kind == VALUE_OBJECT)
        for (size_t i = 0; i < v->count; i++)
            plan_texts(v->items[i], see, context);
}

/* A path as it is compared with others. */
static struct str plain_path(struct str s)
{
    while (str_starts(s, STR("./")))
        s = str_n(s.p + 2, s.len - 2);
    return s;
}

/* Who looks, and from where. */
struct looking {
    const struct word_place *place;
    struct str folder; /* of the file that the text stands in */
    text_fn *see;
    void *context;
    size_t left; /* of the names that a word may become */
};

static struct str folder_of(struct str path)
{
    path = plain_path(path);
    while (path.len && path.p[path.len - 1] != '/')
        path.len--;
    return path.len ? str_n(path.p, path.len - 1) : path;
}

/* The word as it is named from the study's folder. */
static void see_path(const struct looking *l, struct str word)
{
    struct str folder = l->folder;
    struct buf b;
    word = plain_path(word);
    while (folder.len && str_starts(word, STR("../"))) {
        word = plain_path(str_n(word.p + 3, word.len - 3));
        folder = folder_of(folder);
    }
    if (!folder.len || (word.len && word.p[0] == '/')) {
        l->see(l->context, word);
        return;
    }
    buf_init(&b);
    buf_addf(&b, "%.*s/%.*s", STRF(folder), STRF(word));
    l->see(l->context, buf_str(&b));
    buf_done(&b);
}

/* A file, or an array in one: set.npz:x. */
static void see_file(const struct looking *l, struct str word)
{
    size_t colon = word.len;
    see_path(l, word);
    while (colon > 0 && word.p[colon - 1] != ':')
        colon--;
    if (colon > 1)
        see_path(l, str_n(word.p, colon - 1));
}

/* ---- names of parameters ---------------------------------------------- */

/* A word that is being filled in: what stands before a name, and behind it. */
struct gap {
    struct looking *l;
    struct str before, behind;
    bool any; /* a value was found */
};

static void fill(struct looking *l, struct str word, size_t from);

static bool is_alone(const struct gap *g)
{
    return !g->before.len && !g->behind.len;
}

static void put_value(struct gap *g, const struct value *v)
{
    struct buf b;
    size_t end;

    g->any = true;
    if (g->l->left == 0)
        return;
    buf_init(&b);
    buf_addstr(&b, g->before);
    if (v->kind == VALUE_STRING)
        buf_addstr(&b, v->s);
    else if (v->kind == VALUE_INT)
        buf_addf(&b, "%lld", (long long)v->i);
    else if (v->kind == VALUE_DOUBLE)
        num_print(&b, v->d);
    end = b.len;
    buf_addstr(&b, g->behind);
    /* A number alone is no file's name. */
    if (v->kind == VALUE_STRING || (end > g->before.len && !is_alone(g)))
        fill(g->l, buf_str(&b), end);
    buf_done(&b);
}

static void put_range(struct gap *g, const struct value *min,
                      const struct value *max)
{
    if (!min || !max || min->kind != VALUE_INT || max->kind != VALUE_INT)
        return;
    for (int64_t i = min->i; i <= max->i && g->l->left && !is_alone(g); i++) {
        const struct value v = {.kind = VALUE_INT, .i = i};
        put_value(g, &v);
    }
}

/* What the study says that a parameter may be. */
static void put_values(struct gap *g, const struct value *study,
                       struct str name)
{
    const struct value *p =
        value_get(value_get(study, STR("parameters")), name);
    const struct value *points = value_get(study, STR("points"));
    const struct value *one = value_get(p, STR("value"));
    const struct value *list = value_get(p, STR("values"));

    if (one)
        put_value(g, one);
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->count; i++)
        put_value(g, list->items[i]);
    put_range(g, value_get(p, STR("min")), value_get(p, STR("max")));
    if (!points || points->kind != VALUE_LIST)
        return;
    for (size_t i = 0; i < points->count && g->l->left; i++) {
        const struct value *v = value_get(points->items[i], name);
        if (v)
            put_value(g, v);
    }
}

/* The next {name} from `from` on, or ${name}; its end, or 0. */
static size_t next_name(struct str word, size_t from, size_t *start,
                        struct str *name)
{
    for (size_t i = from; i < word.len; i++) {
        size_t end = i + 1;

        if (word.p[i] != '{')
            continue;
        while (end < word.len &&
               (is_word(word.p[end]) || strchr(".-", word.p[end])))
            end++;
        if (end == word.len || word.p[end] != '}' || end == i + 1)
            continue;
        *start = i > from && word.p[i - 1] == '$' ? i - 1 : i;
        *name = str_n(word.p + i + 1, end - i - 1);
        return end + 1;
    }
    return 0;
}

static void fill(struct looking *l, struct str word, size_t from)
{
    struct str name;
    size_t start = 0;
    size_t end =
        word.len > WORD_MOST ? 0 : next_name(word, from, &start, &name);
    struct gap g = {.l = l, .before = str_n(word.p, start)};
    const struct value *unsaid;

    if (end == 0) {
        l->left -= l->left > 0;
        see_file(l, word);
        return;
    }
    g.behind = str_n(word.p + end, word.len - end);
    put_values(&g, l->place->study, name);
    unsaid = g.any ? NULL : value_get(l->place->defaults, name);
    if (unsaid)
        put_value(&g, unsaid);
    if (!g.any)
        fill(l, word, end); /* some shell's own */
}

static void see_words(struct looking *l, struct str word)
{
    l->left = FILLED_MOST;
    fill(l, word, 0);
}

void plan_file_words(struct str text, const struct word_place *place,
                     text_fn *see, void *context)
{
    struct looking l = {place, folder_of(place->beside), see, context,
                        FILLED_MOST};
    size_t from = 0;
    bool parts = false, written = false; /* what is behind a > is not read */

    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && !is_blank(text.p[i]) &&
            !strchr("\"'=;|&<>(),", text.p[i]))
            continue;
        parts = parts || i < text.len;
        if (i > from && !written)
            see_words(&l, str_n(text.p + from, i - from));
        if (i > from)
            written = false;
        if (i < text.len && text.p[i] == '>')
            written = true;
        from = i + 1;
    }
    if (parts)
        see_words(&l, text); /* a name may have blanks */
}
