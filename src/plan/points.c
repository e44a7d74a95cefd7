/* points.c - explicit lists of points: JSON lines, CSV, inline
 *
 * A list is checked once from end to end without keeping anything of it but
 * the names of its members and the offset of every 256th point; a point is
 * built when it is asked for. So a million points cost a few kilobytes. The
 * place behind the last point given is remembered: walking through the list
 * in order looks at every byte once.
 *
 * CANDLE's unrolled parameter files are such lists, whose objects may also be
 * spread over several lines; those are read into memory. In them `id` is the
 * run's own id: it becomes the parameter run_id, as CANDLE's models take it,
 * and where it is missing the point's number is one. */
#include "plan/reading.h"

#include "base/csv.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/num.h"

#define BLOCK 256       /* points between two offsets */
#define LISTED_MAX 20   /* mistakes of one list that are shown */
#define NAMES_MAX 10000 /* different members in one list */

enum points_kind { POINTS_JSON, POINTS_CSV, POINTS_LIST };

struct place {
    uint64_t offset, line;
};

struct plan_points {
    enum points_kind kind;
    struct str text; /* of JSON and CSV; without a byte order mark */
    struct str file;
    char sep;
    const struct value *list;
    uint64_t count;
    VEC(struct place) blocks; /* of point 0, 256, 512 … */
    struct map *names;        /* of members */
    struct str *columns;      /* CSV: by position */
    size_t column_count;
    bool unrolled;             /* `id` is the run's own id */
    const struct space *space; /* or NULL */
    uint64_t next;             /* the point that stands at next_place */
    struct place next_place;
};

/* The checking of one list. */
struct check {
    struct plan_points *points;
    struct problems *problems;
    struct arena *arena;
    const struct points_watch *watch; /* or NULL */
    size_t mistakes, warnings;
    struct buf scratch;
    /* Names of the line before, in order: most lines have the same. */
    VEC(struct str) before;
    size_t at;
};

/* ---- mistakes --------------------------------------------------------- */

__attribute__((format(printf, 5, 6))) static void
mistake(struct check *c, enum problem_level level, uint64_t line,
        uint64_t column, const char *fmt, ...)
{
    size_t *n = level == PROBLEM_ERROR ? &c->mistakes : &c->warnings;
    va_list ap;

    if (++*n > LISTED_MAX)
        return;
    va_start(ap, fmt);
    problems_vadd(c->problems,
                  (struct problem){.level = level,
                                   .file = c->points->file,
                                   .line = (uint32_t)line,
                                   .column = (uint32_t)column,
                                   .hint = STR("")},
                  fmt, ap);
    va_end(ap);
}

static void end_mistakes(struct check *c)
{
    if (c->mistakes > LISTED_MAX)
        problems_add(c->problems, PROBLEM_ERROR, c->points->file, 0, 0, STR(""),
                     "and %zu more mistakes in this list",
                     c->mistakes - LISTED_MAX);
    if (c->warnings > LISTED_MAX)
        problems_add(c->problems, PROBLEM_WARNING, c->points->file, 0, 0,
                     STR(""), "and %zu more warnings for this list",
                     c->warnings - LISTED_MAX);
    vec_done(&c->before);
    buf_done(&c->scratch);
}

/* ---- names ------------------------------------------------------------ */

bool points_has_name(const struct plan_points *p, struct str name)
{
    return map_has(p->names, name);
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

struct str *points_names(const struct plan_points *p, struct arena *a,
                         size_t *count)
{
    struct str *names = arena_array(a, map_count(p->names), sizeof(*names));
    struct str key;
    void *value;
    size_t n = 0;

    for (size_t at = 0; map_next(p->names, &at, &key, &value);)
        names[n++] = key;
    if (n > 1)
        qsort(names, n, sizeof(*names), by_text);
    *count = n;
    return names;
}

static void add_name(struct check *c, struct str name, uint64_t line,
                     uint64_t column)
{
    struct plan_points *p = c->points;

    if (p->unrolled && str_is(name, "id"))
        name = STR("run_id");
    if (map_has(p->names, name))
        return;
    if (!param_name_valid(name))
        mistake(c, PROBLEM_ERROR, line, column,
                "'%s' cannot be the name of a parameter%s",
                shown(c->arena, name),
                p->kind == POINTS_CSV
                    ? ": the first line of a table names its columns"
                    : "");
    else if (map_count(p->names) == NAMES_MAX)
        mistake(c, PROBLEM_ERROR, line, column,
                "more than %d different parameters", NAMES_MAX);
    else
        map_set(p->names, arena_str(c->arena, name), p);
}

/* A key of the line: as long as the keys are those of the line before, in
 * order, there is nothing to do. */
static void see_key(struct check *c, struct str key, uint64_t line,
                    uint64_t column)
{
    if (c->at < c->before.len && str_eq(c->before.p[c->at], key)) {
        c->at++;
        return;
    }
    c->before.len = c->at; /* what follows is no longer known */
    for (size_t i = 0; i < c->at && i < 1000; i++)
        if (str_eq(c->before.p[i], key))
            mistake(c, PROBLEM_ERROR, line, column,
                    "the key '%s' stands in this line twice",
                    shown(c->arena, key));
    add_name(c, key, line, column);
    vec_push(&c->before, key);
    c->at++;
}

/* ---- watching -------------------------------------------------------- */

/* Shows a member to the watcher until it has seen enough. */
static void watch(struct check *c, size_t position, struct str name,
                  const struct value *v)
{
    if (c->watch &&
        !c->watch->see(c->watch->context, c->points->count, position, name, v))
        c->watch = NULL;
}

/* A scalar token as a value; false for lists, objects and broken text. */
static bool token_read(const struct json_scan *s, enum json_token token,
                       struct buf *scratch, struct value *v)
{
    *v = (struct value){0};
    switch (token) {
    case JSON_INT:
        v->kind = VALUE_INT;
        v->i = s->i;
        return true;
    case JSON_DOUBLE:
        v->kind = VALUE_DOUBLE;
        v->d = s->d;
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        v->kind = VALUE_BOOL;
        v->boolean = token == JSON_TRUE;
        return true;
    case JSON_NULL:
        return true;
    case JSON_STRING:
        buf_reset(scratch);
        v->kind = VALUE_STRING;
        v->s = s->text;
        if (s->escaped && json_unescape(scratch, s->text))
            return false;
        if (s->escaped)
            v->s = buf_str(scratch);
        return true;
    default:
        return false;
    }
}

/* ---- lines of JSON ---------------------------------------------------- */

static bool next_line(const struct plan_points *p, struct place *at,
                      struct str *line)
{
    while (at->offset < p->text.len) {
        const char *start = p->text.p + at->offset;
        size_t left = p->text.len - at->offset;
        const char *end = memchr(start, '\n', left);
        size_t len = end ? (size_t)(end - start) : left;

        at->offset += len + (end != NULL);
        at->line++;
        *line = str_trim(str_n(start, len));
        if (line->len > 0)
            return true;
    }
    return false;
}

static void json_mistake(struct check *c, struct str line, uint64_t number,
                         const struct json_scan *s)
{
    uint64_t column = (uint64_t)(s->p - line.p) + 1;

    mistake(c, PROBLEM_ERROR, number, column, "expected %s in '%s'",
            s->why ? s->why : "JSON", shown(c->arena, line));
}

static void check_json_line(struct check *c, struct str line, uint64_t number)
{
    struct json_scan s;
    enum json_token token;

    c->at = 0;
    json_scan_init(&s, line);
    if (json_scan_next(&s) != JSON_OBJECT_OPEN) {
        mistake(c, PROBLEM_ERROR, number, 1,
                "a line must be a JSON object, not '%s'",
                shown(c->arena, line));
        return;
    }
    while ((token = json_scan_next(&s)) == JSON_KEY) {
        struct str name = s.text;
        struct value v;

        see_key(c, name, number, (uint64_t)(name.p - line.p));
        token = json_scan_next(&s);
        if (token == JSON_BAD || json_scan_skip(&s, token))
            break;
        if (c->watch && token_read(&s, token, &c->scratch, &v))
            watch(c, c->at - 1, name, &v);
    }
    if (token != JSON_OBJECT_CLOSE)
        json_mistake(c, line, number, &s);
    else if (json_scan_next(&s) != JSON_END)
        json_mistake(c, line, number, &s);
}

static void check_json(struct check *c)
{
    struct plan_points *p = c->points;
    struct place at = {0}, start = {0};
    struct str line;

    while (next_line(p, &at, &line)) {
        if (p->count % BLOCK == 0)
            vec_push(&p->blocks, start);
        check_json_line(c, line, at.line);
        p->count++;
        start = at;
    }
}

/* ---- CSV -------------------------------------------------------------- */

static void csv_at(struct csv *csv, const struct plan_points *p,
                   struct place at)
{
    csv_init(csv, str_n(p->text.p + at.offset, p->text.len - at.offset),
             p->sep);
    csv->next_line = at.line + 1;
}

static struct place csv_place(const struct csv *csv,
                              const struct plan_points *p)
{
    return (struct place){csv->rest.p ? (uint64_t)(csv->rest.p - p->text.p)
                                      : p->text.len,
                          csv->next_line - 1};
}

#define BOM "\xEF\xBB\xBF"

/* Where a field begins in its line. One with doubled quotes is a copy, of
 * which only its number is known. */
static uint64_t field_column(const struct plan_points *p, const struct csv *csv,
                             size_t i)
{
    const char *at = csv->fields.p[i].p;
    uint64_t column = 1;

    if (at < p->text.p || at > p->text.p + p->text.len)
        return i + 1;
    while (at > p->text.p && at[-1] != '\n')
        column += (*--at & 0xC0) != 0x80;
    return column - (at == p->text.p && str_starts(p->text, STR(BOM)));
}

static void read_header(struct check *c, const struct csv *csv)
{
    struct plan_points *p = c->points;
    size_t n = csv->fields.len;

    p->columns = arena_array(c->arena, n, sizeof(*p->columns));
    p->column_count = n;
    for (size_t i = 0; i < n; i++) {
        struct str name = arena_str(c->arena, str_trim(csv->fields.p[i]));
        uint64_t column = field_column(p, csv, i);

        p->columns[i] = name;
        if (map_has(p->names, name))
            mistake(c, PROBLEM_ERROR, csv->line, column,
                    "the column '%s' is there twice", shown(c->arena, name));
        add_name(c, name, csv->line, column);
    }
}

static bool leading_zero(struct str s)
{
    if (s.len > 0 && (s.p[0] == '-' || s.p[0] == '+'))
        s = str_n(s.p + 1, s.len - 1);
    return s.len > 1 && s.p[0] == '0' && s.p[1] >= '0' && s.p[1] <= '9';
}

/* A cell: a number, a boolean, else text (not copied); false: empty. A number
 * with leading zeros is an id that somebody wants to keep. */
static bool cell_read(struct str cell, struct value *v)
{
    struct str s = str_trim(cell);

    *v = (struct value){.kind = VALUE_STRING, .s = cell};
    if (s.len == 0)
        return false;
    if (leading_zero(s))
        return true;
    if (num_int(s, &v->i)) {
        v->kind = VALUE_INT;
    } else if (num_double(s, &v->d)) {
        v->kind = VALUE_DOUBLE;
    } else if (str_is(s, "true") || str_is(s, "True")) {
        v->kind = VALUE_BOOL;
        v->boolean = true;
    } else if (str_is(s, "false") || str_is(s, "False")) {
        v->kind = VALUE_BOOL;
        v->boolean = false;
    } else {
        v->s = cell; /* a failed number may have written over it */
    }
    return true;
}

static void watch_row(struct check *c, const struct csv *csv)
{
    struct value v;

    for (size_t i = 0; c->watch && i < csv->fields.len; i++)
        if (i < c->points->column_count && cell_read(csv->fields.p[i], &v))
            watch(c, i, c->points->columns[i], &v);
}

static bool check_csv_bytes(struct check *c)
{
    struct str text = c->points->text;
    size_t at = str_bad_byte(text);
    uint64_t line = 1;

    if (at == text.len)
        return true;
    for (size_t i = 0; i < at; i++)
        line += text.p[i] == '\n';
    mistake(c, PROBLEM_ERROR, line, 1, "the byte 0x%02x is not UTF-8 text",
            (unsigned char)text.p[at]);
    return false;
}

static void check_csv(struct check *c)
{
    struct plan_points *p = c->points;
    struct err err = {0};
    struct csv csv;
    int rc;

    if (!check_csv_bytes(c))
        return;
    csv_at(&csv, p, (struct place){0});
    rc = csv_next(&csv, &err);
    if (rc > 0)
        read_header(c, &csv);
    while (rc > 0) {
        struct place start = csv_place(&csv, p);

        rc = csv_next(&csv, &err);
        if (rc <= 0)
            break;
        if (p->count % BLOCK == 0)
            vec_push(&p->blocks, start);
        watch_row(c, &csv);
        p->count++;
        if (csv.fields.len != p->column_count)
            mistake(c, PROBLEM_ERROR, csv.line, 1,
                    "%zu fields, but the header has %zu", csv.fields.len,
                    p->column_count);
    }
    if (rc < 0)
        mistake(c, PROBLEM_ERROR, 0, 0, "%s", err.text); /* has its line */
    csv_done(&csv);
}

/* The separator that the header shows: a comma unless there is none. */
static char find_sep(struct str text)
{
    struct str header;

    if (!str_split(&text, '\n', &header) || str_find(header, ',') >= 0)
        return ',';
    return str_find(header, '\t') >= 0  ? '\t'
           : str_find(header, ';') >= 0 ? ';'
                                        : ',';
}

/* ---- inline ----------------------------------------------------------- */

static void check_list(struct check *c)
{
    struct plan_points *p = c->points;

    for (size_t i = 0; i < p->list->count; i++) {
        const struct value *v = p->list->items[i];

        if (v->kind != VALUE_OBJECT) {
            mistake(c, PROBLEM_ERROR, v->line, v->column,
                    "points: a point must be an object, as in {lr: 0.1}, not "
                    "%s",
                    value_kind_name(v->kind));
            continue;
        }
        for (size_t k = 0; k < v->count; k++) {
            add_name(c, v->keys[k], v->key_lines ? v->key_lines[k] : v->line,
                     v->key_columns ? v->key_columns[k] : v->column);
            watch(c, k, v->keys[k], v->items[k]);
        }
        p->count++;
    }
}

/* ---- opening ---------------------------------------------------------- */

static struct plan_points *points_new(enum points_kind kind, const char *file,
                                      struct arena *a)
{
    struct plan_points *p = xcalloc(1, sizeof(*p));

    p->kind = kind;
    p->file = arena_str(a, str_of(file));
    p->names = map_new();
    return p;
}

void plan_points_close(struct plan_points *p)
{
    if (!p)
        return;
    vec_done(&p->blocks);
    map_free(p->names);
    free(p);
}

static struct plan_points *points_checked(struct plan_points *p,
                                          struct arena *a,
                                          struct problems *problems,
                                          const struct points_watch *w)
{
    struct check c = {
        .points = p, .problems = problems, .arena = a, .watch = w};

    buf_init(&c.scratch);
    if (p->unrolled)
        add_name(&c, STR("id"), 0, 0);
    if (p->kind == POINTS_JSON)
        check_json(&c);
    else if (p->kind == POINTS_CSV)
        check_csv(&c);
    else
        check_list(&c);
    if (p->count == 0 && c.mistakes == 0)
        mistake(&c, PROBLEM_ERROR, 0, 0, "the list of points is empty");
    end_mistakes(&c);
    if (c.mistakes == 0)
        return p;
    plan_points_close(p);
    return NULL;
}

struct plan_points *points_open_value(const struct value *list,
                                      const char *file, struct arena *a,
                                      struct problems *problems,
                                      const struct points_watch *w)
{
    struct plan_points *p;

    if (!list || list->kind != VALUE_LIST) {
        problems_add(problems, PROBLEM_ERROR, str_of(file),
                     list ? list->line : 0, list ? list->column : 0,
                     STR("as in [{lr: 0.1}, {lr: 0.2}]"),
                     "points must be a list of points or the name of a file");
        return NULL;
    }
    p = points_new(POINTS_LIST, file, a);
    p->list = list;
    return points_checked(p, a, problems, w);
}

/* ---- objects spread over lines ----------------------------------------- */

#define SPREAD_LOOK (1u << 20)

/* True when the line is the beginning of an object that does not end in it. */
static bool is_open(struct str line)
{
    struct json_scan s;
    enum json_token token;

    if (*line.p != '{')
        return false;
    json_scan_init(&s, line);
    do
        token = json_scan_next(&s);
    while (token != JSON_BAD && token != JSON_END);
    return token == JSON_BAD && s.p == line.p + line.len;
}

/* True when an object goes on in the line behind its first one. Only the
 * beginning is looked at: what people write by hand is not longer. */
static bool spread(struct str text)
{
    size_t len = text.len < SPREAD_LOOK ? text.len : SPREAD_LOOK;
    struct plan_points p = {.text = str_n(text.p, len)};
    struct place at = {0};
    struct str before, line;

    if (!next_line(&p, &at, &before))
        return false;
    for (; next_line(&p, &at, &line); before = line)
        if ((*line.p == '"' || *line.p == '}') && is_open(before))
            return true;
    return false;
}

/* Where a part of the text begins in the whole. */
struct base {
    const char *p;
    uint32_t line, column; /* from 0 */
};

static void base_move(struct base *b, const char *to)
{
    for (; b->p < to; b->p++) {
        b->line += *b->p == '\n';
        b->column = *b->p == '\n' ? 0 : b->column + 1;
    }
}

static void shift(const struct base *b, uint32_t *line, uint32_t *column)
{
    if (*line == 1)
        *column += b->column;
    *line += b->line;
}

static void shift_marks(const struct base *b, struct value *v)
{
    shift(b, &v->line, &v->column);
    for (size_t i = 0; v->kind == VALUE_OBJECT && i < v->count; i++)
        if (v->key_lines && v->key_columns)
            shift(b, &v->key_lines[i], &v->key_columns[i]);
}

static struct plan_points *points_spread(struct plan_points *p, struct str text,
                                         struct arena *a,
                                         struct problems *problems,
                                         const struct points_watch *w)
{
    struct value *list = value_list(a), *v;
    struct base base = {.p = text.p};
    struct str rest = str_trim(text);
    struct err err = {0};

    while (rest.len > 0) {
        base_move(&base, rest.p);
        v = json_parse_next(a, &rest, "", &err);
        if (!v) {
            problem_json(problems, p->file, base.line, base.column, err.text);
            plan_points_close(p);
            return NULL;
        }
        shift_marks(&base, v);
        value_list_add(a, list, v);
    }
    p->kind = POINTS_LIST;
    p->list = list;
    return points_checked(p, a, problems, w);
}

/* One JSON list of all points, as some programs write it. */
static struct plan_points *points_json_list(struct str text, const char *file,
                                            struct arena *a,
                                            struct problems *problems,
                                            const struct points_watch *w)
{
    struct err err = {0};
    struct value *list = json_parse(a, text, "", false, &err);

    if (list)
        return points_open_value(list, file, a, problems, w);
    problem_json(problems, arena_str(a, str_of(file)), 0, 0, err.text);
    return NULL;
}

static bool named_csv(const char *file)
{
    struct str s = str_of(file);

    return str_ends(s, STR(".csv")) || str_ends(s, STR(".tsv"));
}

static bool named_json(const char *file)
{
    struct str s = str_of(file);

    return str_ends(s, STR(".jsonl")) || str_ends(s, STR(".json")) ||
           str_ends(s, STR(".ndjson"));
}

/* The text with blanks in place of comments, which begin with # outside of
 * strings and end with the line, as in CANDLE's unrolled files. */
static struct str blank_comments(struct arena *a, struct str text)
{
    bool quoted = false, comment = false;
    char *copy;

    if (!text.len || !memchr(text.p, '#', text.len))
        return text;
    copy = arena_cstr(a, text);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];

        if (c == '\n')
            quoted = comment = false; /* no string goes over lines */
        else if (comment || (c == '#' && !quoted))
            comment = true;
        else if (c == '\\' && quoted && i + 1 < text.len)
            i += text.p[i + 1] != '\n';
        else if (c == '"')
            quoted = !quoted;
        if (comment)
            copy[i] = ' ';
    }
    return str_n(copy, text.len);
}

struct plan_points *points_open_text(struct str text, const char *file,
                                     bool unrolled, struct arena *a,
                                     struct problems *problems,
                                     const struct points_watch *w)
{
    struct plan_points *p;
    struct str begin;
    bool objects;

    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_n(text.p + 3, text.len - 3);
    begin = str_skip_comments(text);
    objects = begin.len > 0 && begin.p[0] == '{' && !named_csv(file);
    if (objects || named_json(file))
        text = blank_comments(a, text);
    if (begin.len > 0 && begin.p[0] == '[' && !named_csv(file))
        return points_json_list(text, file, a, problems, w);
    p = points_new(objects || named_json(file) ? POINTS_JSON : POINTS_CSV, file,
                   a);
    p->text = text;
    p->unrolled =
        (unrolled && !named_csv(file)) || str_ends(str_of(file), STR(".txt"));
    if (objects && spread(text)) {
        p->unrolled = true;
        return points_spread(p, text, a, problems, w);
    }
    if (p->kind == POINTS_CSV)
        p->sep = find_sep(text);
    return points_checked(p, a, problems, w);
}

struct plan_points *plan_points_text(struct str text, const char *file,
                                     struct arena *a, struct problems *problems)
{
    return points_open_text(text, file, false, a, problems, NULL);
}

uint64_t plan_points_count(const struct plan_points *p)
{
    return p->count;
}

/* ---- one point -------------------------------------------------------- */

/* Puts a value where the space has it: a column "opt.lr" goes into the
 * object "opt" when the space is nested there. */
static void put(struct arena *a, const struct plan_points *p,
                struct value *point, struct str name, struct value *v)
{
    long leaf = p->space ? space_find(p->space, name) : -1;
    const struct param *param = leaf >= 0 ? &p->space->params[leaf] : NULL;

    for (size_t i = 0; param && i + 1 < param->path_len; i++) {
        struct value *inner = value_get(point, param->path[i]);

        if (inner && inner->kind != VALUE_OBJECT)
            return;
        if (!inner) {
            inner = value_object(a);
            value_set(a, point, param->path[i], inner);
        }
        point = inner;
    }
    value_set(a, point, param ? param->path[param->path_len - 1] : name, v);
}

static void fill_constants(struct arena *a, const struct plan_points *p,
                           struct value *point)
{
    for (size_t i = 0; p->space && i < p->space->count; i++) {
        const struct param *param = &p->space->params[i];

        if (param->dist == DIST_CONSTANT && param->condition_count == 0 &&
            !point_get(point, param))
            put(a, p, point, param->name, value_copy(a, param->constant));
    }
}

/* A member that is named like a nested leaf goes where the space has it. */
static struct value *nest_members(struct arena *a, const struct plan_points *p,
                                  struct value *point)
{
    struct value *nested;
    bool flat = false;

    for (size_t i = 0; p->space && i < point->count; i++) {
        long leaf = space_find(p->space, point->keys[i]);

        flat = flat || (leaf >= 0 && p->space->params[leaf].path_len > 1);
    }
    if (!flat)
        return point;
    nested = value_object(a);
    for (size_t i = 0; i < point->count; i++)
        put(a, p, nested, point->keys[i], point->items[i]);
    return nested;
}

/* Where point i stands, or the block before it and how many to skip. */
static struct place find_place(const struct plan_points *p, uint64_t i,
                               uint64_t *skip)
{
    if (i == p->next && i > 0) {
        *skip = 0;
        return p->next_place;
    }
    *skip = i % BLOCK;
    return p->blocks.p[i / BLOCK];
}

static struct value *json_point(struct plan_points *p, uint64_t i,
                                struct arena *a, struct err *err)
{
    uint64_t skip;
    struct place at = find_place(p, i, &skip);
    struct str line = STR("");
    struct value *v;

    for (uint64_t k = 0; k <= skip; k++)
        require(next_line(p, &at, &line));
    p->next = i + 1;
    p->next_place = at;
    v = json_parse(a, line,
                   arena_printf(a, "%.*s line %llu", STRF(p->file),
                                (unsigned long long)at.line),
                   true, err);
    return v;
}

static struct value *csv_point(struct plan_points *p, uint64_t i,
                               struct arena *a, struct err *err)
{
    struct value *point = NULL;
    uint64_t skip;
    struct csv csv;
    int rc = 1;

    csv_at(&csv, p, find_place(p, i, &skip));
    if (i == 0)
        skip = 0;
    for (uint64_t k = 0; k <= skip && rc > 0; k++)
        rc = csv_next(&csv, err);
    if (rc > 0) {
        point = value_object(a);
        for (size_t k = 0; k < csv.fields.len && k < p->column_count; k++) {
            struct value v;

            if (cell_read(csv.fields.p[k], &v))
                put(a, p, point, p->columns[k], value_copy(a, &v));
        }
        p->next = i + 1;
        p->next_place = csv_place(&csv, p);
    }
    csv_done(&csv);
    return point;
}

/* The point with its `id` as run_id, which is also text of its own. */
static struct value *with_run_id(struct arena *a, const struct value *point,
                                 uint64_t i, struct str *run_id)
{
    struct value *v = value_object(a), *id = NULL;
    struct buf b;

    for (size_t k = 0; k < point->count; k++)
        if (str_is(point->keys[k], "id"))
            id = point->items[k];
        else
            value_set(a, v, point->keys[k], point->items[k]);
    if (!id)
        id = value_get(v, STR("run_id"));
    buf_init(&b);
    if (id)
        value_python_str(&b, id);
    else
        num_print_int(&b, (int64_t)i + 1);
    *run_id = arena_str(a, buf_str(&b));
    buf_done(&b);
    value_set(a, v, STR("run_id"), value_string(a, *run_id));
    return v;
}

int plan_points_get(void *points, uint64_t i, struct arena *a,
                    struct value **point, struct str *run_id, struct err *err)
{
    struct plan_points *p = points;
    struct value *v;

    if (i >= p->count)
        return err_set(err, ERR_MISSING, "the list has %llu points, no %llu",
                       (unsigned long long)p->count, (unsigned long long)i);
    if (p->kind == POINTS_JSON)
        v = json_point(p, i, a, err);
    else if (p->kind == POINTS_CSV)
        v = csv_point(p, i, a, err);
    else
        v = value_copy(a, p->list->items[i]);
    if (!v)
        return -1;
    *run_id = STR("");
    if (p->unrolled)
        v = with_run_id(a, v, i, run_id);
    if (p->kind != POINTS_CSV)
        v = nest_members(a, p, v);
    fill_constants(a, p, v);
    *point = v;
    return 0;
}

/* ---- hash ------------------------------------------------------------- */

static struct str text_of_first(const struct plan_points *p, uint64_t count)
{
    uint64_t full = count / BLOCK;
    struct place at;
    struct str line;
    struct csv csv;

    if (count >= p->count)
        return str_trim(p->text);
    at = p->blocks.p[full];
    if (p->kind == POINTS_JSON) {
        for (uint64_t k = 0; k < count % BLOCK; k++)
            next_line(p, &at, &line);
    } else {
        csv_at(&csv, p, at);
        for (uint64_t k = 0; k < count % BLOCK; k++)
            csv_next(&csv, NULL);
        at = csv_place(&csv, p);
        csv_done(&csv);
    }
    return str_trim(str_n(p->text.p, at.offset));
}

uint64_t points_hash(const struct plan_points *p, uint64_t count)
{
    struct buf b;
    uint64_t hash = 0;

    if (p->kind != POINTS_LIST)
        return hash64(text_of_first(p, count), 0);
    buf_init(&b);
    for (uint64_t i = 0; i < count && i < p->count; i++) {
        buf_reset(&b);
        json_print_sorted(&b, p->list->items[i]);
        hash = hash64(buf_str(&b), hash);
    }
    buf_done(&b);
    return hash;
}

/* ---- points of a study ------------------------------------------------ */

void points_bind(struct plan_points *p, const struct space *s)
{
    p->space = s;
}
