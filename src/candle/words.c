/* words.c - CANDLE's options of a command line
 *
 * As argparse reads them: --name value, --name=value, unique beginnings of
 * names, short forms (-e 3, -e3), lists as several words. Names may also
 * stand behind one dash (-conf file), as CANDLE's tutorials write them. */
#include "candle/keyword.h"

#include "base/num.h"

const struct str command_line = {"command line", 12};

struct words {
    const struct keywords *keywords;
    const struct map *known;
    struct arena *arena;
    struct problems *problems;
    const char *const *list;
    size_t count, at;
    struct candle_options *out;
};

__attribute__((format(printf, 3, 4))) static void
mistake(struct words *w, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_vadd(w->problems,
                  (struct problem){.level = PROBLEM_ERROR,
                                   .file = command_line,
                                   .hint = str_of(hint)},
                  fmt, ap);
    va_end(ap);
}

/* A word that begins with a dash and is no number. */
static bool is_option(const char *word)
{
    double d;

    return word[0] == '-' && word[1] && !num_double(str_of(word), &d);
}

/* ---- names ------------------------------------------------------------ */

static const struct keyword *by_letter(const struct words *w, struct str s)
{
    for (size_t i = 0; i < w->keywords->list.len; i++)
        if (str_eq(w->keywords->list.p[i]->letter, s))
            return w->keywords->list.p[i];
    return NULL;
}

/* The keyword whose name begins so: *found of them, their names in b. */
static const struct keyword *by_beginning(const struct words *w, struct str s,
                                          size_t *found, struct buf *b)
{
    const struct keyword *last = NULL;

    *found = 0;
    for (size_t i = 0; i < w->keywords->list.len; i++) {
        const struct keyword *k = w->keywords->list.p[i];
        if (!str_starts(k->name, s))
            continue;
        buf_addf(b, "%s--%.*s", *found ? ", " : "", STRF(k->name));
        last = k;
        ++*found;
    }
    return *found == 1 ? last : NULL;
}

/* A name that no keyword has but the model's files do. */
static bool is_known(const struct words *w, struct str name)
{
    return map_has(w->known, name) || keyword_required(w->keywords, name);
}

/* Sets o->keyword and o->name from a name or its beginning; false when it
 * could be several. */
static bool find_name(struct words *w, struct str name, struct candle_option *o)
{
    struct buf b;
    size_t found = 0;

    o->name = name;
    o->keyword = keyword_find(w->keywords, name);
    if (o->keyword || is_known(w, name))
        return true;
    o->keyword = keyword_find(w->keywords, keyword_name(w->arena, name));
    if (o->keyword) {
        o->name = o->keyword->name;
        return true;
    }
    buf_init(&b);
    if (name.len > 0)
        o->keyword = by_beginning(w, name, &found, &b);
    if (o->keyword)
        o->name = o->keyword->name;
    else if (found > 1)
        mistake(w, "write more of the name", "%s could be any of %s", o->word,
                b.p);
    buf_done(&b);
    return found <= 1;
}

/* The longest short form that s begins with, for -e3 and -lr0.1. */
static const struct keyword *glued(struct words *w, struct str s,
                                   struct str *value)
{
    for (size_t len = s.len - (s.len > 0); len > 0; len--) {
        const struct keyword *k = by_letter(w, str_n(s.p, len));
        if (k) {
            *value = str_n(s.p + len, s.len - len);
            return k;
        }
    }
    return NULL;
}

/* A name behind one dash: a short form, a name or its beginning, or a short
 * form with its value. */
static bool find_short(struct words *w, struct str name, bool has_value,
                       struct candle_option *o, struct str *value)
{
    struct buf b;
    size_t found = 0;

    o->keyword = by_letter(w, name);
    if (!o->keyword && !is_known(w, name) &&
        !keyword_find(w->keywords, keyword_name(w->arena, name))) {
        buf_init(&b);
        const struct keyword *k = by_beginning(w, name, &found, &b);
        buf_done(&b);
        if (!k && found == 0 && !has_value)
            o->keyword = glued(w, name, value);
    }
    if (!o->keyword)
        return find_name(w, name, o);
    o->name = o->keyword->name;
    return true;
}

/* ---- values ----------------------------------------------------------- */

static bool takes_many(const struct candle_option *o)
{
    return !o->keyword || o->keyword->arity != ARITY_ONE;
}

/* What nobody has defined is a literal where it looks like one. */
static struct value *guess(struct words *w, const char *word)
{
    struct literal_fault fault;
    struct value *v =
        literal_read(w->arena, str_of(word), LITERAL_PLAIN, &fault);

    return v ? v : value_string(w->arena, str_of(word));
}

static struct value *one_value(struct words *w, const struct candle_option *o,
                               const char *word)
{
    return o->keyword ? value_string(w->arena, str_of(word)) : guess(w, word);
}

/* The words behind an option that are its value; NULL for none. */
static struct value *next_values(struct words *w, const struct candle_option *o)
{
    struct value *list = value_list(w->arena);

    while (w->at < w->count && !is_option(w->list[w->at])) {
        value_list_add(w->arena, list, one_value(w, o, w->list[w->at++]));
        if (!takes_many(o))
            break;
    }
    if (list->count == 0)
        return NULL;
    return list->count == 1 ? list->items[0] : list;
}

/* ---- words ------------------------------------------------------------ */

static void read_option(struct words *w)
{
    struct candle_option o = {.word = w->list[w->at++]};
    struct str name = str_of(o.word), value = {0};
    bool dashes = o.word[1] == '-';
    long cut;

    name = str_n(name.p + 1 + dashes, name.len - 1 - dashes);
    cut = str_find(name, '=');
    if (cut >= 0) {
        value = str_n(name.p + cut + 1, name.len - (size_t)cut - 1);
        name.len = (size_t)cut;
    }
    if (name.len == 0) {
        mistake(w, NULL, "%s names no parameter", o.word);
        return;
    }
    if (!(dashes ? find_name(w, name, &o)
                 : find_short(w, name, cut >= 0, &o, &value))) {
        next_values(w, &o);
        return;
    }
    o.name = arena_str(w->arena, o.name);
    o.value = value.p ? one_value(w, &o, arena_cstr(w->arena, value))
                      : next_values(w, &o);
    if (!o.value)
        mistake(w, "a truth value too: -v true", "%s lacks its value", o.word);
    else
        vec_push(&w->out->list, o);
}

static bool words_are_text(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        if (!str_utf8(str_of(w->list[i]))) {
            mistake(w, NULL, "word %zu is not UTF-8 text", i + 1);
            return false;
        }
    return true;
}

void candle_options_read(struct candle_options *o, const struct keywords *k,
                         const struct map *known, const char *const *words,
                         size_t count, struct problems *problems)
{
    struct words w = {.keywords = k,
                      .known = known,
                      .arena = k->arena,
                      .problems = problems,
                      .list = words,
                      .count = count,
                      .out = o};

    *o = (struct candle_options){0};
    if (!words_are_text(&w))
        return;
    while (w.at < w.count) {
        if (is_option(w.list[w.at])) {
            read_option(&w);
            continue;
        }
        mistake(&w, "parameters are written --name value",
                "the word %s belongs to no parameter",
                shown(w.arena, str_of(w.list[w.at])));
        w.at++;
    }
}
