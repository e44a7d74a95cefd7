/* keyword.c - the keywords of CANDLE and those that models define
 *
 * The standard ones are the table python/throng/keywords.json, which is
 * compiled in; a model's definitions have the same form. A keyword says what
 * its values are; the same rules hold for values from files, from the command
 * line (where they are text) and from a study. */
#include "candle/keyword.h"

#include <math.h>
#include "base/chars.h"
#include "base/json.h"
#include "base/num.h"

extern const unsigned char candle_keywords_json[];
extern const size_t candle_keywords_json_len;

/* ---- finding ---------------------------------------------------------- */

struct keyword *keyword_find(const struct keywords *k, struct str name)
{
    return map_get(k->names, name);
}

struct str keyword_name(struct arena *a, struct str written)
{
    char *name;

    if (!memchr(written.p, '-', written.len))
        return written;
    name = arena_cstr(a, written);
    for (size_t i = 0; i < written.len; i++)
        if (name[i] == '-')
            name[i] = '_';
    return str_n(name, written.len);
}

bool keyword_required(const struct keywords *k, struct str name)
{
    for (size_t i = 0; i < k->required.len; i++)
        if (str_eq(k->required.p[i], name))
            return true;
    return false;
}

static void add_name(struct keywords *k, struct str name, struct keyword *w)
{
    if (!map_set(k->names, name, w)) {
        k->spellings.len -= k->spellings.len > 0; /* the NULL at its end */
        vec_push(&k->spellings, arena_cstr(k->arena, name));
        vec_push(&k->spellings, NULL);
    }
}

/* A keyword that is defined anew keeps its short form and old names. */
static void add_keyword(struct keywords *k, struct keyword *w)
{
    struct keyword *old = keyword_find(k, w->name);
    bool replaces = old && str_eq(old->name, w->name);

    if (replaces && !w->letter.len)
        w->letter = old->letter;
    if (replaces && !w->aliases)
        w->aliases = old->aliases;
    for (size_t i = 0; i < k->list.len; i++) {
        struct keyword *other = k->list.p[i];
        if (other == old && replaces)
            k->list.p[i] = w;
        else if (w->letter.len && str_eq(other->letter, w->letter))
            other->letter = (struct str){0};
    }
    if (!replaces)
        vec_push(&k->list, w);
    add_name(k, w->name, w);
    for (size_t i = 0; w->aliases && i < w->aliases->count; i++)
        add_name(k, w->aliases->items[i]->s, w);
}

/* ---- definitions ------------------------------------------------------ */

struct defining {
    struct reading reading;
    struct keywords *keywords;
    bool standard;
};

static void define_type(struct defining *d, const struct value *v,
                        struct keyword *w)
{
    static const char *const names[] = {
        "str",       "int", "float", "bool", "str2bool", "candle.str2bool",
        "parse_str", NULL};
    static const enum keyword_type types[] = {TYPE_STR,  TYPE_INT,  TYPE_FLOAT,
                                              TYPE_BOOL, TYPE_BOOL, TYPE_BOOL,
                                              TYPE_STR};
    int i = v ? read_choice(&d->reading, v, "type", names) : -1;

    if (i >= 0)
        w->type = types[i];
}

static void define_arity(struct defining *d, const struct value *v,
                         struct keyword *w)
{
    struct str text = value_text(v);

    if (!v || str_is(text, "?"))
        return;
    if (str_is(text, "+"))
        w->arity = ARITY_SOME;
    else if (str_is(text, "*"))
        w->arity = ARITY_ANY;
    else if (v->kind == VALUE_INT && v->i > 0) {
        w->arity = ARITY_COUNT;
        w->count = v->i;
    } else
        problem_at(&d->reading, PROBLEM_ERROR, v, "one of: +, *, ?, a number",
                   "nargs cannot be %s", value_words(&d->reading, v));
}

static void define_action(struct defining *d, const struct value *v,
                          struct keyword *w)
{
    struct str text = value_text(v);

    if (!v || str_is(text, "store"))
        return;
    if (str_is(text, "list-of-lists")) {
        w->lists = true;
        if (w->type == TYPE_ANY)
            w->type = TYPE_INT;
    } else if (str_starts(text, STR("store_")))
        problem_at(&d->reading, PROBLEM_ERROR, v,
                   "leave action out and write type: str2bool",
                   "the action %s cannot be set from a file",
                   shown(d->reading.arena, text));
    else
        problem_at(&d->reading, PROBLEM_ERROR, v,
                   "one of: store, list-of-lists", "action cannot be %s",
                   value_words(&d->reading, v));
}

static const struct value *define_list(struct defining *d,
                                       const struct value *v, const char *what,
                                       bool texts)
{
    if (!v)
        return NULL;
    bool good = v->kind == VALUE_LIST;
    for (size_t i = 0; good && texts && i < v->count; i++)
        good = v->items[i]->kind == VALUE_STRING && v->items[i]->s.len > 0;
    if (good)
        return v;
    problem_at(&d->reading, PROBLEM_ERROR, v, NULL, "%s must be a list%s", what,
               texts ? " of names" : "");
    return NULL;
}

static void define_default(struct defining *d, struct value *v,
                           struct keyword *w)
{
    struct err err = {0};

    if (!v)
        return;
    w->fallback = keyword_convert(w, v, d->reading.arena, &err);
    if (!w->fallback)
        problem_at(&d->reading, PROBLEM_ERROR, v, NULL, "the default of %s",
                   err.text);
}

static void define_one(struct defining *d, const struct value *v)
{
    static const char *const keys[] = {"name",    "abv",     "type",  "default",
                                       "help",    "choices", "nargs", "action",
                                       "aliases", "group",   "whole", NULL};
    struct keyword *w = arena_new_of(d->reading.arena, struct keyword);
    const struct value *name, *abv;

    if (!read_object(&d->reading, v, "a definition"))
        return;
    read_known_keys(&d->reading, v, "a definition", keys);
    name = value_get(v, STR("name"));
    abv = value_get(v, STR("abv"));
    if (!name) {
        problem_at(&d->reading, PROBLEM_ERROR, v, NULL,
                   "a definition lacks its name");
        return;
    }
    if (!read_text(&d->reading, name, "name", &w->name) ||
        (abv && !read_text(&d->reading, abv, "abv", &w->letter)))
        return;
    w->name = keyword_name(d->reading.arena, w->name);
    w->standard = d->standard;
    w->whole = value_get(v, STR("whole")) != NULL;
    define_type(d, value_get(v, STR("type")), w);
    define_arity(d, value_get(v, STR("nargs")), w);
    define_action(d, value_get(v, STR("action")), w);
    w->choices = define_list(d, value_get(v, STR("choices")), "choices", false);
    w->aliases = define_list(d, value_get(v, STR("aliases")), "aliases", true);
    define_default(d, value_get(v, STR("default")), w);
    add_keyword(d->keywords, w);
}

static void define_all(struct defining *d, const struct value *list)
{
    list = define_list(d, list, "definitions", false);
    for (size_t i = 0; list && i < list->count; i++)
        define_one(d, list->items[i]);
}

static void define_required(struct defining *d, const struct value *list)
{
    struct keywords *k = d->keywords;

    list = define_list(d, list, "required", true);
    for (size_t i = 0; list && i < list->count; i++)
        vec_push(&k->required, keyword_name(k->arena, list->items[i]->s));
}

/* A list of definitions, or an object that holds it and what is required. */
static void define_file(struct defining *d, const struct value *root)
{
    static const char *const keys[] = {"definitions", "additional_definitions",
                                       "required", NULL};

    if (root->kind == VALUE_LIST) {
        define_all(d, root);
        return;
    }
    if (!read_object(&d->reading, root, "a file of definitions"))
        return;
    read_known_keys(&d->reading, root, "a file of definitions", keys);
    define_all(d, value_get(root, STR("definitions")));
    define_all(d, value_get(root, STR("additional_definitions")));
    define_required(d, value_get(root, STR("required")));
}

void keywords_define(struct keywords *k, const struct value *root,
                     const char *file, struct problems *problems)
{
    struct defining d = {.reading = {.arena = k->arena,
                                     .problems = problems,
                                     .file = str_of(file)},
                         .keywords = k};

    define_file(&d, root);
}

void keywords_init(struct keywords *k, struct arena *a)
{
    struct problems problems;
    struct str text =
        str_n((const char *)candle_keywords_json, candle_keywords_json_len);
    struct value *root = json_parse(a, text, "keywords.json", false, NULL);
    struct defining d = {
        .reading = {.arena = a, .problems = &problems, .file = STR("")},
        .keywords = k,
        .standard = true};

    *k = (struct keywords){.arena = a, .names = map_new()};
    problems_init(&problems, a);
    define_all(&d, value_get(root, STR("keywords")));
    k->dropped = value_get(root, STR("dropped"));
    k->conflicts = value_get(root, STR("conflicts"));
    require(problems.errors == 0 && k->list.len > 0);
}

void keywords_done(struct keywords *k)
{
    map_free(k->names);
    vec_done(&k->list);
    vec_done(&k->spellings);
    vec_done(&k->required);
}

/* ---- values ----------------------------------------------------------- */

static const char *const type_words[] = {"anything", "text", "a whole number",
                                         "a number", "True or False"};

static struct value *refuse(const struct keyword *k, const struct value *v,
                            const char *what, struct err *err)
{
    struct buf b;

    buf_init_max(&b, 200);
    value_python_repr(&b, v);
    err_set(err, ERR_INPUT, "%.*s is %s, not %s", STRF(k->name), what,
            b.full ? value_kind_name(v->kind) : b.p);
    buf_done(&b);
    return NULL;
}

/* The words that CANDLE's str2bool takes. */
static int word_bool(struct str s)
{
    static const char *const words[] = {"yes", "true",  "t", "y", "1",
                                        "no",  "false", "f", "n", "0"};
    char small[8];

    if (s.len >= sizeof(small))
        return -1;
    for (size_t i = 0; i < s.len; i++)
        small[i] = lower(s.p[i]);
    for (size_t i = 0; i < 10; i++)
        if (str_eq(str_n(small, s.len), str_of(words[i])))
            return i < 5;
    return -1;
}

static struct value *text_to_type(const struct keyword *k, struct value *v,
                                  struct arena *a)
{
    struct str s = str_trim(v->s);
    int64_t i;
    double d;

    if (str_is(s, "None"))
        return value_null(a);
    if (k->type == TYPE_BOOL) {
        int truth = word_bool(s);
        return truth < 0 ? NULL : value_bool(a, truth > 0);
    }
    if ((k->type == TYPE_INT || k->whole) && num_int(s, &i))
        return value_int(a, i);
    if (k->type == TYPE_FLOAT && num_double(s, &d))
        return value_double(a, d);
    return NULL;
}

/* NULL when the value is not of the keyword's type. */
static struct value *to_type(const struct keyword *k, struct value *v,
                             struct arena *a)
{
    if (k->type == TYPE_ANY || v->kind == VALUE_NULL)
        return v;
    if (k->type == TYPE_STR)
        return v->kind == VALUE_STRING ? v : NULL;
    if (v->kind == VALUE_STRING)
        return text_to_type(k, v, a);
    if (k->type == TYPE_BOOL) {
        bool bit = v->kind == VALUE_INT && (v->i == 0 || v->i == 1);
        return v->kind == VALUE_BOOL ? v : bit ? value_bool(a, v->i) : NULL;
    }
    if (v->kind == VALUE_INT)
        return v;
    if (v->kind != VALUE_DOUBLE)
        return NULL;
    if (k->type == TYPE_FLOAT)
        return v;
    /* Searches hand whole numbers over as 10.0. */
    if (v->d == floor(v->d) && fabs(v->d) < 9e15)
        return value_int(a, (int64_t)v->d);
    return NULL;
}

static bool is_choice(const struct keyword *k, const struct value *v)
{
    if (!k->choices || v->kind == VALUE_NULL)
        return true;
    for (size_t i = 0; i < k->choices->count; i++)
        if (value_eq(k->choices->items[i], v))
            return true;
    return false;
}

static struct value *refuse_choice(const struct keyword *k,
                                   const struct value *v, struct arena *a,
                                   struct err *err)
{
    struct buf b;

    buf_init(&b);
    for (size_t i = 0; i < k->choices->count; i++) {
        buf_adds(&b, i ? ", " : "one of ");
        value_python_str(&b, k->choices->items[i]);
    }
    /* All of them: they are the way out. */
    refuse(k, v, arena_cstr(a, buf_str(&b)), err);
    buf_done(&b);
    return NULL;
}

static struct value *convert_item(const struct keyword *k, struct value *v,
                                  struct arena *a, struct err *err)
{
    struct value *typed = to_type(k, v, a);

    if (!typed)
        return refuse(k, v, type_words[k->type], err);
    if (!is_choice(k, typed))
        return refuse_choice(k, v, a, err);
    return typed;
}

static struct value *convert_items(const struct keyword *k,
                                   const struct value *list, struct arena *a,
                                   struct err *err)
{
    struct value *out = value_list(a);

    for (size_t i = 0; i < list->count; i++) {
        /* conv may be a list of triples. */
        bool inner = k->standard && list->items[i]->kind == VALUE_LIST;
        struct value *item = inner ? convert_items(k, list->items[i], a, err)
                                   : convert_item(k, list->items[i], a, err);
        if (!item)
            return NULL;
        value_list_add(a, out, item);
    }
    out->line = list->line;
    out->column = list->column;
    return out;
}

/* "10 20", "10, 20" and "[10, 20]" as a list of texts. */
static struct value *split(struct arena *a, struct str s)
{
    struct value *list = value_list(a);
    struct str comma, blank;

    s = str_trim(s);
    if (s.len >= 2 && *s.p == '[' && s.p[s.len - 1] == ']')
        s = str_trim(str_n(s.p + 1, s.len - 2));
    while (s.len > 0 && str_split(&s, ',', &comma)) {
        comma = str_trim(comma);
        if (comma.len == 0)
            value_list_add(a, list, value_string(a, comma));
        while (comma.len > 0 && str_split(&comma, ' ', &blank))
            if (blank.len > 0)
                value_list_add(a, list, value_string(a, blank));
    }
    return list;
}

static struct value *convert_list(const struct keyword *k, struct value *v,
                                  struct arena *a, struct err *err)
{
    struct value *list = v;

    if (v->kind == VALUE_NULL)
        return v;
    if (v->kind == VALUE_STRING &&
        (k->type != TYPE_STR || str_starts(v->s, STR("["))))
        list = split(a, v->s);
    else if (v->kind != VALUE_LIST) {
        list = value_list(a);
        value_list_add(a, list, v);
    }
    if (k->arity == ARITY_SOME && list->count == 0 && k->standard)
        return refuse(k, v, "a list with at least one item", err);
    if (k->arity == ARITY_COUNT && list->count != (size_t)k->count)
        return refuse(
            k, v, arena_printf(a, "a list of %lld", (long long)k->count), err);
    return convert_items(k, list, a, err);
}

/* 'a, b:c' is [[a, b], [c]]; brackets may stand around each part. */
static struct value *convert_lists(const struct keyword *k, struct value *v,
                                   struct arena *a, struct err *err)
{
    struct value *out = value_list(a), *inner;
    struct str rest = value_text(v), part;

    if (v->kind == VALUE_NULL)
        return v;
    if (v->kind != VALUE_STRING && v->kind != VALUE_LIST)
        return refuse(k, v, "lists as in '1, 2:3'", err);
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->count; i++) {
        if (v->items[i]->kind != VALUE_LIST)
            return refuse(k, v, "a list of lists", err);
        if (!(inner = convert_items(k, v->items[i], a, err)))
            return NULL;
        value_list_add(a, out, inner);
    }
    while (rest.len > 0 && str_split(&rest, ':', &part)) {
        if (!(inner = convert_items(k, split(a, part), a, err)))
            return NULL;
        value_list_add(a, out, inner);
    }
    return out;
}

bool keyword_takes_as_written(const struct keyword *k, const struct value *v)
{
    return v->kind == VALUE_STRING && k->arity != ARITY_ONE && !k->choices &&
           (k->type == TYPE_STR || k->type == TYPE_ANY);
}

struct value *keyword_convert(const struct keyword *k, struct value *v,
                              struct arena *a, struct err *err)
{
    struct value *out;

    if (k->lists)
        out = convert_lists(k, v, a, err);
    else if (k->arity != ARITY_ONE)
        out = convert_list(k, v, a, err);
    else if (k->standard && v->kind == VALUE_LIST)
        /* Models define standard keywords anew with nargs: activation and
         * pool are lists in many files. */
        out = convert_items(k, v, a, err);
    else
        out = convert_item(k, v, a, err);
    return out;
}
