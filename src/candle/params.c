/* params.c - the parameters of a CANDLE model, from all that give them
 *
 * One order: library default < model file < --config_file < command line <
 * study. Each level replaces single values of those before it. A value is
 * checked and converted by its keyword wherever it comes from. One of a file
 * that does not fit is warned of and kept, since models define standard
 * keywords anew in their own programs, which nobody has read here.
 *
 * A parameter that was written under an old name (drop) has its value under
 * the present one (dropout) and under the old one too, so that old and new
 * models both find it. */
#include "candle/keyword.h"

#include <math.h>
#include "base/json.h"

#define CONFIG_FILES_MAX 8 /* files that name one another */
#define LOOKED_FOR                                                             \
    "a relative path is looked for here, beside the model file and in "        \
    "CANDLE_DATA_DIR"

enum level { LIBRARY, MODEL, CONFIG, COMMAND_LINE, STUDY };

/* One parameter as it stands. */
struct setting {
    struct str name;    /* the keyword's, or as written */
    struct str written; /* as written where the value comes from */
    struct value *raw;  /* as written */
    struct value *value;
    enum level level; /* where the value comes from */
    struct str file;  /* and from which file */
};

struct source {
    struct str file;
    enum level level;
};

struct old_name {
    struct str name;
    struct setting *setting;
};

struct params {
    struct arena *arena;
    struct problems *problems;
    const struct file_reader *files;
    struct keywords keywords;
    bool bare; /* these two: see candle_request */
    const char *const *strict;
    VEC(struct setting *) list;
    struct map *by_name;
    VEC(struct old_name) old;
    struct buf unknown; /* names nobody knows and none is near */
    size_t unknown_count;
    struct str unknown_file;
    uint32_t unknown_line, unknown_column;
};

static bool is_known(const struct params *p, struct str name)
{
    return keyword_find(&p->keywords, name) || map_has(p->by_name, name) ||
           keyword_required(&p->keywords, name);
}

/* ---- unknown names ---------------------------------------------------- */

static bool is_dropped(const struct params *p, struct str name)
{
    const struct value *list = p->keywords.dropped;

    for (size_t i = 0; list && i < list->count; i++)
        if (str_eq(list->items[i]->s, name))
            return true;
    return false;
}

/* A name that is near to a known one is warned of by itself; the others are
 * most likely the model's own and share one line. */
static void warn_unknown(struct params *p, const struct source *from,
                         struct str name, uint32_t line, uint32_t column)
{
    const char *near;

    if (p->bare)
        return;
    if (is_dropped(p, name)) {
        problems_add(p->problems, PROBLEM_NOTICE, from->file, line, column,
                     STR(""), "%s has no effect any more",
                     shown(p->arena, name));
        return;
    }
    near = str_nearest(name, (const char *const *)p->keywords.spellings.p);
    if (near) {
        problems_add(p->problems, PROBLEM_WARNING, from->file, line, column,
                     str_of(arena_printf(p->arena, "did you mean %s?", near)),
                     "%s is not a keyword of CANDLE's; its value is kept",
                     shown(p->arena, name));
        return;
    }
    if (p->unknown_count++ == 0) {
        p->unknown_file = from->file;
        p->unknown_line = line;
        p->unknown_column = column;
    }
    buf_addf(&p->unknown, "%s%s", p->unknown.len ? ", " : "",
             shown(p->arena, name));
}

static void say_unknown(struct params *p)
{
    if (p->unknown_count > 0)
        problems_add(p->problems, PROBLEM_WARNING, p->unknown_file,
                     p->unknown_line, p->unknown_column,
                     STR("a model's own keywords are defined in a file of "
                         "definitions"),
                     "no keyword%s of CANDLE's, kept: %s",
                     p->unknown_count > 1 ? "s" : "", p->unknown.p);
}

/* ---- settling one value ----------------------------------------------- */

static struct setting *setting_of(struct params *p, struct str name)
{
    struct setting *s = map_get(p->by_name, name);

    if (s)
        return s;
    s = arena_new_of(p->arena, struct setting);
    s->name = name;
    map_set(p->by_name, name, s);
    vec_push(&p->list, s);
    return s;
}

static void remember_old_name(struct params *p, struct str name,
                              struct setting *s)
{
    for (size_t i = 0; i < p->old.len; i++)
        if (str_eq(p->old.p[i].name, name))
            return;
    vec_push(&p->old, ((struct old_name){name, s}));
}

/* Two names of one parameter in one file: the present name counts. */
static bool loses(struct params *p, const struct source *from,
                  const struct setting *s, struct str name,
                  const struct value *v, const struct value *typed)
{
    if (!s->value || from->level == COMMAND_LINE || s->level != from->level ||
        !str_eq(s->file, from->file) || str_eq(s->written, name))
        return false;
    bool lost = str_eq(s->written, s->name);
    if (!value_eq(s->value, typed))
        problems_add(p->problems, PROBLEM_WARNING, from->file, v->line,
                     v->column, STR(""),
                     "%s and %s are the same parameter; %s counts",
                     shown(p->arena, s->written), shown(p->arena, name),
                     shown(p->arena, lost ? s->written : name));
    return lost;
}

/* What the keyword makes of a value; NULL when it is refused. */
static struct value *typed_value(struct params *p, const struct source *from,
                                 const struct keyword *k, struct value *v)
{
    bool file = from->level == MODEL || from->level == CONFIG;
    struct err err = {0};
    struct value *typed;

    if (!k || from->level == LIBRARY ||
        (file && keyword_takes_as_written(k, v)))
        return v;
    typed = keyword_convert(k, v, p->arena, &err);
    if (typed)
        return typed;
    bool kept = file && !str_among(k->name, p->strict);
    problems_add(p->problems, kept ? PROBLEM_WARNING : PROBLEM_ERROR,
                 from->file, v->line, v->column, STR(""), "%s%s", err.text,
                 kept ? "; kept as it is" : "");
    return kept ? v : NULL;
}

static void settle(struct params *p, const struct source *from,
                   struct str written, struct value *v)
{
    const struct keyword *k = keyword_find(&p->keywords, written);
    struct setting *s = setting_of(p, k ? k->name : written);
    struct value *typed = typed_value(p, from, k, v);

    if (!typed)
        return;
    if (!str_eq(s->name, written))
        remember_old_name(p, written, s);
    if (loses(p, from, s, written, v, typed))
        return;
    if (!typed->line) {
        typed->line = v->line;
        typed->column = v->column;
    }
    s->written = written;
    /* Text of the command line means what the keyword makes of it. */
    s->raw = from->level == COMMAND_LINE ? typed : v;
    s->value = typed;
    s->level = from->level;
    s->file = from->file;
}

static void settle_all(struct params *p, const struct source *from,
                       const struct value *object)
{
    for (size_t i = 0; i < object->count; i++) {
        struct str name = object->keys[i];
        bool known = is_known(p, name);
        if (!known)
            warn_unknown(p, from, name,
                         object->key_lines ? object->key_lines[i] : 0,
                         object->key_columns ? object->key_columns[i] : 0);
        settle(p, from, name, object->items[i]);
    }
}

/* ---- the levels ------------------------------------------------------- */

static void settle_library(struct params *p)
{
    struct source from = {STR("keywords"), LIBRARY};

    for (size_t i = 0; i < p->keywords.list.len; i++)
        if (p->keywords.list.p[i]->fallback)
            settle(p, &from, p->keywords.list.p[i]->name,
                   p->keywords.list.p[i]->fallback);
}

static bool read_whole(struct params *p, const char *path, struct str *text,
                       struct str file, const struct value *at, struct str hint)
{
    struct err err = {0};

    if (!p->files->read(p->files->context, path, text, &err))
        return true;
    problems_add(p->problems, PROBLEM_ERROR, file, at ? at->line : 0,
                 at ? at->column : 0, hint, "%s", err.text);
    return false;
}

/* The file a level names as config_file, or NULL. */
static const struct value *config_of(const struct value *object)
{
    const struct value *v = value_get(object, STR("config_file"));

    return v && v->kind == VALUE_STRING && v->s.len > 0 ? v : NULL;
}

/* Reads the file, and the one it names, and so on, each over the other. */
static void settle_configs(struct params *p, const struct value *name,
                           struct str named_in)
{
    struct str seen[CONFIG_FILES_MAX];
    size_t count = 0;
    struct str text;

    for (; name; count++) {
        for (size_t i = 0; i < count; i++)
            if (str_eq(seen[i], name->s)) {
                problems_add(p->problems, PROBLEM_ERROR, named_in, name->line,
                             name->column, STR("take config_file out here"),
                             "config_file leads back to %s",
                             shown(p->arena, name->s));
                return;
            }
        if (count == CONFIG_FILES_MAX) {
            problems_add(p->problems, PROBLEM_ERROR, named_in, name->line,
                         name->column, STR(""),
                         "more than %d files name one another as config_file",
                         CONFIG_FILES_MAX);
            return;
        }
        char *path = arena_cstr(p->arena, name->s);
        seen[count] = name->s;
        if (!read_whole(p, path, &text, named_in, name,
                        path[0] == '/' ? STR("") : STR(LOOKED_FOR)))
            return;
        struct value *object =
            candle_file_part(text, path, p->arena, p->problems);
        struct source from = {str_of(path), CONFIG};
        settle_all(p, &from, object);
        named_in = from.file;
        name = config_of(object);
    }
}

/* Words are taken apart when the files are read: their keys are names that a
 * word may give whole. */
static void settle_options(struct params *p, const struct candle_request *q)
{
    struct source from = {command_line, COMMAND_LINE};
    struct candle_options options;

    candle_options_read(&options, &p->keywords, p->by_name, q->words,
                        q->word_count, p->problems);
    for (size_t i = 0; i < options.list.len; i++) {
        const struct candle_option *o = &options.list.p[i];
        if (!is_known(p, o->name))
            warn_unknown(p, &from, o->name, 0, 0);
        settle(p, &from, o->name, o->value);
    }
    vec_done(&options.list);
}

/* The config_file that the words name, or NULL. */
static const struct value *config_in_words(struct params *p,
                                           const struct candle_request *q)
{
    struct candle_options options;
    struct problems unsaid; /* settle_options says them */
    const struct value *name = NULL;

    problems_init(&unsaid, p->arena);
    candle_options_read(&options, &p->keywords, p->by_name, q->words,
                        q->word_count, &unsaid);
    for (size_t i = 0; i < options.list.len; i++)
        if (str_is(options.list.p[i].name, "config_file") &&
            value_text(options.list.p[i].value).len > 0)
            name = options.list.p[i].value;
    vec_done(&options.list);
    return name;
}

/* Which file is the config_file, and where it is said. The highest level
 * that names one decides. */
static void find_config(struct params *p, const struct candle_request *q,
                        const struct value *model)
{
    const struct value *name = config_of(q->study);
    struct str where = str_of(q->study_name);

    if (!name) {
        name = config_in_words(p, q);
        where = command_line;
    }
    if (!name) {
        name = config_of(model);
        where = str_of(q->model_file);
    }
    settle_configs(p, name, where);
}

static void settle_levels(struct params *p, const struct candle_request *q)
{
    struct source model = {str_of(q->model_file), MODEL};
    struct source study = {str_of(q->study_name), STUDY};
    struct value *object = NULL;
    struct str text;

    if (!p->bare)
        settle_library(p);
    if (read_whole(p, q->model_file, &text, model.file, NULL, STR("")))
        object = candle_file_part(text, q->model_file, p->arena, p->problems);
    if (object)
        settle_all(p, &model, object);
    find_config(p, q, object);
    settle_options(p, q);
    if (q->study)
        settle_all(p, &study, q->study);
}

/* ---- the whole -------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static const struct setting *find_setting(const struct params *p,
                                          struct str name)
{
    const struct keyword *k = keyword_find(&p->keywords, name);
    const struct setting *s = map_get(p->by_name, k ? k->name : name);

    return s && s->value ? s : NULL;
}

static void check_required(struct params *p, struct str file)
{
    struct buf missing;
    size_t n = 0;

    if (p->keywords.required.len > 1)
        qsort(p->keywords.required.p, p->keywords.required.len,
              sizeof(struct str), by_text);
    buf_init(&missing);
    for (size_t i = 0; i < p->keywords.required.len; i++) {
        struct str name = p->keywords.required.p[i];
        if (!find_setting(p, name) && !is_dropped(p, name))
            buf_addf(&missing, "%s%s", n++ ? ", " : "", shown(p->arena, name));
    }
    if (n > 0)
        problems_add(p->problems, PROBLEM_ERROR, file, 0, 0,
                     STR("set them in this file, or on the command line"),
                     "%zu required parameter%s missing: %s", n,
                     n > 1 ? "s are" : " is", missing.p);
    buf_done(&missing);
}

static bool is_true(const struct params *p, struct str name)
{
    const struct setting *s = find_setting(p, name);

    return s && s->value->kind == VALUE_BOOL && s->value->boolean;
}

static void check_conflicts(struct params *p, struct str file)
{
    const struct value *pairs = p->keywords.conflicts;

    for (size_t i = 0; pairs && i < pairs->count; i++) {
        struct str a = pairs->items[i]->items[0]->s;
        struct str b = pairs->items[i]->items[1]->s;
        if (is_true(p, a) && is_true(p, b))
            problems_add(p->problems, PROBLEM_ERROR, file, 0, 0,
                         STR("set one of them to False"),
                         "%.*s and %.*s cannot both be True", STRF(a), STRF(b));
    }
}

static struct value *result(const struct params *p)
{
    struct value *object = value_object(p->arena);

    for (size_t i = 0; i < p->list.len; i++)
        if (p->list.p[i]->value)
            value_add_at(p->arena, object, p->list.p[i]->name,
                         p->list.p[i]->value, 0, 0);
    for (size_t i = 0; i < p->old.len; i++) {
        const struct setting *s = p->old.p[i].setting;
        bool as_written = str_eq(s->written, p->old.p[i].name);
        if (s->value)
            value_add_at(p->arena, object, p->old.p[i].name,
                         as_written ? s->raw : s->value, 0, 0);
    }
    return object;
}

static void define(struct params *p, const struct candle_request *q)
{
    const char *file = q->definitions;
    struct value *root = NULL;
    struct str text;

    if (file && read_whole(p, file, &text, str_of(file), NULL, STR("")))
        root = q->yaml(text, file, p->arena, p->problems);
    if (root)
        keywords_define(&p->keywords, root, file, p->problems);
}

struct value *candle_params(const struct candle_request *q,
                            const struct file_reader *files, struct arena *a,
                            struct problems *problems)
{
    struct params p = {.arena = a,
                       .problems = problems,
                       .files = files,
                       .bare = q->bare,
                       .strict = q->strict};
    size_t errors = problems->errors;
    struct value *object = NULL;

    keywords_init(&p.keywords, a);
    p.by_name = map_new();
    buf_init(&p.unknown);
    define(&p, q);
    settle_levels(&p, q);
    say_unknown(&p);
    check_required(&p, str_of(q->model_file));
    check_conflicts(&p, str_of(q->model_file));
    if (problems->errors == errors)
        object = result(&p);
    buf_done(&p.unknown);
    vec_done(&p.list);
    vec_done(&p.old);
    map_free(p.by_name);
    keywords_done(&p.keywords);
    return object;
}

/* ---- written again ---------------------------------------------------- */

static void add_doubled(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        buf_addc(b, s.p[i]);
        if (s.p[i] == '%')
            buf_addc(b, '%');
    }
}

static void add_scalar(struct buf *b, const struct value *v)
{
    struct buf text;

    buf_init(&text);
    value_python_repr(&text, v);
    if (v->kind == VALUE_DOUBLE && isinf(v->d))
        buf_adds(b, v->d < 0 ? "-1e400" : "1e400");
    else if (v->kind == VALUE_DOUBLE && isnan(v->d))
        buf_adds(b, "'nan'");
    else
        add_doubled(b, buf_str(&text));
    buf_done(&text);
}

/* A literal that is read back as the same value, here and by CANDLE: the
 * infinities have no name there, and % is doubled. No literal is NaN; a text
 * is, where a number belongs. */
static void add_literal(struct arena *a, struct buf *b, const struct value *v)
{
    bool object = v->kind == VALUE_OBJECT;

    if (!object && v->kind != VALUE_LIST) {
        add_scalar(b, v);
        return;
    }
    buf_addc(b, object ? '{' : '[');
    for (size_t i = 0; i < v->count; i++) {
        buf_adds(b, i ? ", " : "");
        if (object) {
            add_scalar(b, value_string(a, v->keys[i]));
            buf_adds(b, ": ");
        }
        add_literal(a, b, v->items[i]);
    }
    buf_addc(b, object ? '}' : ']');
}

void candle_print(struct buf *b, const struct value *object)
{
    size_t *order = value_sorted(object);
    struct arena *a = arena_new();

    buf_adds(b, "[Global_Params]\n");
    for (size_t i = 0; i < object->count; i++) {
        buf_addf(b, "%.*s = ", STRF(object->keys[order[i]]));
        add_literal(a, b, object->items[order[i]]);
        buf_addc(b, '\n');
    }
    free(order);
    arena_free(a);
}
