/* space.c - files that hold a search space instead of a list of points
 *
 * CANDLE's workflows keep their spaces in files of several kinds, which are
 * told apart by how they begin (and by the endings .R and .py). What a file
 * holds becomes parameters as a study file has them. The smallest kind, the
 * settings.json of the grid and random workflows, is read here. */
#include "candle/space.h"

#include <math.h>
#include "base/json.h"
#include "candle/keyword.h"

enum space_format {
    SPACE_NONE, /* it is a list of points */
    SPACE_GA,
    SPACE_SETTINGS, /* of CANDLE's grid and random workflows */
    SPACE_R,
    SPACE_TUPLES,
    SPACE_CONSTANTS, /* a parameter file: one value each */
};

#define LOOK_BYTES 65536 /* of a file, to see what it is */

/* ---- building --------------------------------------------------------- */

static struct value *placed(struct value *v, const struct value *at)
{
    v->line = at->line;
    v->column = at->column;
    return v;
}

void space_add(struct space_reading *s, const struct value *name,
               struct value *param)
{
    struct reading *r = &s->reading;

    if (!param)
        return;
    if (map_set(s->names, name->s, s)) {
        problem_at(r, PROBLEM_ERROR, name, "leave one of them out",
                   "the parameter '%s' stands in this space twice",
                   shown(r->arena, name->s));
        return;
    }
    value_add_at(r->arena, s->parameters, name->s, param, name->line,
                 name->column);
}

struct value *space_param(struct space_reading *s, const struct value *at)
{
    return placed(value_object(s->reading.arena), at);
}

void space_put(struct space_reading *s, struct value *param, const char *key,
               struct value *item, const struct value *at)
{
    value_add_at(s->reading.arena, param, str_of(key), item, at->line,
                 at->column);
}

struct value *space_choice(struct space_reading *s, struct value *values,
                           const struct value *at)
{
    struct value *param = space_param(s, at);

    if (values->count == 1)
        space_put(s, param, "value", values->items[0], values);
    else
        space_put(s, param, "values", values, values);
    return param;
}

struct value *space_reals(struct space_reading *s, const char *distribution,
                          struct value *min, struct value *max,
                          const struct value *at)
{
    struct value *param = space_param(s, at);
    struct value *word = value_string(s->reading.arena, str_of(distribution));

    space_put(s, param, "distribution", placed(word, at), at);
    space_put(s, param, "min", min, min);
    space_put(s, param, "max", max, max);
    return param;
}

struct value *space_integers(struct space_reading *s, struct value *min,
                             struct value *max, const struct value *at)
{
    struct value *param;

    if (!value_eq(min, max))
        return space_reals(s, "int_uniform", min, max, at);
    param = space_param(s, at);
    space_put(s, param, "value", min, min);
    return param;
}

struct value *space_json(struct space_reading *s)
{
    struct reading *r = &s->reading;
    struct err err = {0};
    struct value *v = json_parse(r->arena, s->text, "", false, &err);

    if (!v)
        problem_json(r->problems, r->file, 0, 0, err.text);
    return v;
}

/* ---- settings.json ---------------------------------------------------- */

/* `samples` makes it the random workflow's: its lists are bounds. The grid
 * workflow passes it over. */
static bool read_samples(struct space_reading *s, const struct value *root)
{
    struct reading *r = &s->reading;
    const struct value *samples = value_get(root, STR("samples"));
    const struct value *num = value_get(samples, STR("num"));

    if (!samples)
        return false;
    if (s->grid) {
        problem_at(r, PROBLEM_NOTICE, samples, NULL,
                   "method grid takes every value of the lists; samples are "
                   "of the random workflow");
        return false;
    }
    if (num && num->kind == VALUE_LIST && num->count == 1)
        num = num->items[0];
    if (!num)
        problem_at(r, PROBLEM_ERROR, samples,
                   "as in \"samples\": {\"num\": [5]}",
                   "samples does not say its num");
    else
        read_int(r, num, "samples.num", 1, (int64_t)1 << 53, &s->samples);
    return true;
}

static bool is_range(const struct value *list)
{
    return list->count == 2 && value_is_number(list->items[0]) &&
           value_is_number(list->items[1]);
}

static void read_setting(struct space_reading *s, const struct value *name,
                         struct value *list, bool random)
{
    struct reading *r = &s->reading;

    if (list->kind != VALUE_LIST || list->count == 0) {
        problem_at(r, PROBLEM_ERROR, list,
                   random ? "as in [1, 10]" : "as in [1, 2, 4]",
                   "the setting '%s' must be a list with something in it, not "
                   "%s",
                   shown(r->arena, name->s),
                   list->kind == VALUE_LIST ? "an empty one"
                                            : value_words(r, list));
        return;
    }
    if (!random || list->count == 1) {
        space_add(s, name, space_choice(s, list, name));
        return;
    }
    if (!is_range(list)) {
        problem_at(r, PROBLEM_ERROR, list,
                   "with samples the lists are bounds, as in [1, 10]; say "
                   "method: grid for lists of values",
                   "the setting '%s' must be the lowest and the highest "
                   "number",
                   shown(r->arena, name->s));
        return;
    }
    bool whole =
        list->items[0]->kind == VALUE_INT && list->items[1]->kind == VALUE_INT;
    space_add(s, name,
              whole ? space_integers(s, list->items[0], list->items[1], name)
                    : space_reals(s, "uniform", list->items[0], list->items[1],
                                  name));
}

void space_read_settings(struct space_reading *s)
{
    static const char *const keys[] = {"parameters", "samples", NULL};
    struct reading *r = &s->reading;
    struct value *root = space_json(s), *list;
    bool random;

    if (!root || !read_object(r, root, "the settings"))
        return;
    read_known_keys(r, root, "the settings", keys);
    random = read_samples(s, root);
    list = value_get(root, STR("parameters"));
    if (!list) {
        problem_at(r, PROBLEM_ERROR, root,
                   "as in \"parameters\": {\"epochs\": [4, 6]}",
                   "the settings have no parameters");
        return;
    }
    if (!read_object(r, list, "parameters"))
        return;
    for (size_t i = 0; i < list->count; i++) {
        struct value name = {.kind = VALUE_STRING,
                             .line = list->key_lines[i],
                             .column = list->key_columns[i],
                             .s = list->keys[i]};

        read_setting(s, &name, list->items[i], random);
    }
}

/* ---- a parameter file ------------------------------------------------- */

static void read_constants(struct space_reading *s)
{
    struct reading *r = &s->reading;
    struct value *object = candle_file(s->text, arena_cstr(r->arena, r->file),
                                       r->arena, r->problems);

    for (size_t i = 0; object && i < object->count; i++) {
        struct value *v = object->items[i];
        struct value name = {.kind = VALUE_STRING,
                             .line = object->key_lines[i],
                             .column = object->key_columns[i],
                             .s = object->keys[i]};
        struct value *param = space_param(s, &name);

        space_put(s, param, "value", v, v);
        space_add(s, &name, param);
    }
}

/* ---- telling files apart ---------------------------------------------- */

/* The first object of the text is one of a GA space: it has a name and a
 * type, and whatever else such an object has. */
static bool begins_ga(struct str text)
{
    static const char *const others[] = {
        "lower", "upper", "values", "value", "element_type", "sigma", NULL};
    struct json_scan scan;
    enum json_token token;
    bool name = false, type = false, other = false;

    json_scan_init(&scan, text);
    if (json_scan_next(&scan) != JSON_LIST_OPEN ||
        json_scan_next(&scan) != JSON_OBJECT_OPEN)
        return false;
    while (json_scan_next(&scan) == JSON_KEY) {
        struct str key = scan.text;

        token = json_scan_next(&scan);
        name |= str_is(key, "name") && token == JSON_STRING;
        if (str_is(key, "type") && token == JSON_STRING) {
            type = true;
            other |= str_is(scan.text, "logical");
        }
        other |= str_among(key, others);
        if (token == JSON_BAD || json_scan_skip(&scan, token))
            break;
    }
    return name && type && other;
}

/* One object with `parameters` and perhaps `samples`, and nothing behind it.
 * Broken text that begins so is meant so. */
static bool is_settings(struct str text, struct arena *a)
{
    struct json_scan scan;
    struct value *v;

    json_scan_init(&scan, text);
    if (json_scan_next(&scan) != JSON_OBJECT_OPEN ||
        json_scan_next(&scan) != JSON_KEY ||
        (!str_is(scan.text, "parameters") && !str_is(scan.text, "samples")) ||
        json_scan_next(&scan) != JSON_OBJECT_OPEN)
        return false;
    v = json_parse_next(a, &text, "", NULL);
    if (!v)
        return true;
    for (size_t i = 0; i < v->count; i++)
        if (!str_is(v->keys[i], "parameters") && !str_is(v->keys[i], "samples"))
            return false;
    return text.len == 0;
}

/* A dictionary as Python writes it: quoted with ', or with a tuple first. */
static bool begins_dictionary(struct str text)
{
    struct str rest = str_skip_comments(str_n(text.p + 1, text.len - 1)), key;

    if (rest.len == 0 || *rest.p == '\'')
        return rest.len > 0;
    if (*rest.p != '"' || !str_split(&rest, ':', &key) || !rest.p)
        return false;
    rest = str_skip_comments(rest);
    return rest.len > 0 && *rest.p == '(';
}

/* "name = [" or "name = {", as a script has it. */
static bool begins_assignment(struct str text)
{
    size_t n = 0;

    while (n < text.len &&
           ((text.p[n] | 0x20) >= 'a' ? (text.p[n] | 0x20) <= 'z'
                                      : text.p[n] == '_'))
        n++;
    text = str_trim(str_n(text.p + n, text.len - n));
    if (n == 0 || text.len == 0 || *text.p != '=')
        return false;
    text = str_trim(str_n(text.p + 1, text.len - 1));
    return text.len > 0 && strchr("[({", *text.p);
}

static bool has_text(struct str s, const char *what)
{
    return memmem(s.p, s.len, what, strlen(what)) != NULL;
}

/* "[Global_Params]" alone in its line, or with a comment. */
static bool begins_section(struct str text)
{
    struct str line, name;

    str_split(&text, '\n', &line);
    line = str_n(line.p + 1, line.len - 1);
    if (!str_split(&line, ']', &name) || !line.p || name.len == 0)
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (strchr("\"'{}()[],:", name.p[i]))
            return false;
    line = str_trim(line);
    return (name.p[0] | 0x20) >= 'a' && (name.p[0] | 0x20) <= 'z' &&
           (line.len == 0 || *line.p == '#' || *line.p == ';');
}

static enum space_format format_of_list(struct str begin)
{
    struct str inner = str_skip_comments(str_n(begin.p + 1, begin.len - 1));

    if (inner.len > 0 && (*inner.p == '(' || *inner.p == '['))
        return SPACE_TUPLES;
    if (begins_section(begin))
        return SPACE_CONSTANTS;
    return begins_ga(begin) ? SPACE_GA : SPACE_NONE;
}

/* What kind of space a file holds, by its beginning and its name's ending. */
static enum space_format format_of(struct str text, const char *file,
                                   struct arena *a)
{
    struct str name = str_of(file);
    struct str begin;

    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_n(text.p + 3, text.len - 3);
    if (str_ends(name, STR(".R")) || str_ends(name, STR(".r")))
        return SPACE_R;
    if (str_ends(name, STR(".py")))
        return SPACE_TUPLES;
    begin = str_skip_comments(
        str_n(text.p, text.len < LOOK_BYTES ? text.len : LOOK_BYTES));
    if (begin.len == 0 || str_ends(name, STR(".csv")) ||
        str_ends(name, STR(".tsv")))
        return SPACE_NONE;
    if (*begin.p == '[')
        return format_of_list(begin);
    if (*begin.p == '{' && is_settings(str_trim(text), a))
        return SPACE_SETTINGS;
    if (*begin.p == '{')
        return begins_dictionary(begin) ? SPACE_TUPLES : SPACE_NONE;
    if (has_text(begin, "makeParamSet"))
        return SPACE_R;
    return *begin.p == '(' || begins_assignment(begin) ? SPACE_TUPLES
                                                       : SPACE_NONE;
}

/* ---- the whole -------------------------------------------------------- */

static const struct {
    const char *words, *method;
    void (*read)(struct space_reading *s);
} formats[] = {
    [SPACE_GA] = {"a GA or PBT space", "auto", space_read_ga},
    [SPACE_SETTINGS] = {"settings of a sweep", "grid", space_read_settings},
    [SPACE_R] = {"an mlrMBO space", "auto", space_read_r},
    [SPACE_TUPLES] = {"tuples of HyperSpace or skopt", "auto",
                      space_read_tuples},
    [SPACE_CONSTANTS] = {"a parameter file", "grid", read_constants},
};

static bool is_text(struct space_reading *s)
{
    size_t bad = str_bad_byte(s->text);
    uint32_t line = 1, column = 1;

    if (bad == s->text.len)
        return true;
    for (size_t i = 0; i < bad; i++) {
        line += s->text.p[i] == '\n';
        column = s->text.p[i] == '\n' ? 1 : column + 1;
    }
    problems_add(s->reading.problems, PROBLEM_ERROR, s->reading.file, line,
                 column, STR("save the file as UTF-8 text"),
                 "the byte 0x%02x is not text", (unsigned char)s->text.p[bad]);
    return false;
}

const struct space_file *space_file_read(struct str text, const char *file,
                                         bool grid, struct arena *a,
                                         struct problems *problems)
{
    enum space_format format = format_of(text, file, a);
    struct space_file *out = arena_new_of(a, struct space_file);
    size_t errors = problems->errors;
    struct space_reading s = {
        .reading = {.arena = a, .problems = problems, .file = str_of(file)},
        .text = text,
        .grid = grid};

    if (format == SPACE_NONE)
        return NULL;
    s.parameters = value_object(a);
    s.names = map_new();
    s.sigma = value_object(a);
    if (str_starts(text, STR("\xef\xbb\xbf")))
        s.text = str_n(text.p + 3, text.len - 3);
    if (is_text(&s))
        formats[format].read(&s);
    if (problems->errors == errors && s.parameters->count == 0)
        problem_whole(&s.reading, PROBLEM_ERROR, NULL,
                      "there are no parameters in %s", file);
    map_free(s.names);
    *out = (struct space_file){.file = str_of(file),
                               .words = formats[format].words,
                               .method = s.samples ? "random"
                                                   : formats[format].method,
                               .linear = format == SPACE_TUPLES,
                               .parameters = s.parameters,
                               .sigma = s.sigma->count ? s.sigma : NULL,
                               .samples = s.samples};
    return out;
}
