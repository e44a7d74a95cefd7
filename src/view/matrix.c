/* matrix.c - means by two things: which source was trained on, and which
 * target judged on
 *
 * A side is a parameter; `source` is the one that says which data a model is
 * trained on, `target` the data sets that it is judged on beside
 * (data: {targets: …}), whose metrics are called b/loss. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

struct side {
    struct str name; /* of a parameter; "target": of metrics */
    bool targets;
    struct map *known; /* text: number + 1 */
    VEC(const char *) values;
};
struct matrix_cell {
    double mean, squares;
    int64_t count;
};
struct matrix {
    struct store *store;
    const struct matrix_asked *asked;
    struct side sides[2];
    struct str ending; /* "/loss" of metrics of targets */
    struct study_goal goal;
    VEC(struct matrix_cell) cells;
    struct idmap *places; /* row and column: number of the cell + 1 */
    struct arena *arena, *row;
};

/* ---- which they are --------------------------------------------------------
 */

static int find_source(struct side *s, const struct plan *plan, struct err *err)
{
    for (size_t i = 0; plan && i < plan->space.count; i++)
        if (names_dataset(plan, plan->space.params[i].name)) {
            s->name = plan->space.params[i].name;
            return 0;
        }
    return err_set(err, ERR_INPUT,
                   "no parameter says which data a model is trained on; name "
                   "the parameter instead of `source`");
}

static int read_side(struct matrix *k, struct side *s, struct str name,
                     const struct plan *plan, struct err *err)
{
    s->name = name;
    s->targets = str_is(name, "target");
    bool known = plan && space_find(&plan->space, name) >= 0;
    if (s->targets && !known)
        return 0;
    s->targets = false;
    if (str_is(name, "source") && !known)
        return find_source(s, plan, err);
    return names_check_over(k->store, arena_cstr(k->arena, name), k->arena,
                            err);
}

static int read_asked(struct matrix *k, const struct plan *plan,
                      struct err *err)
{
    struct str names = str_of(k->asked->sides), first, second;
    if (names_check_filter(k->store, k->asked->where, k->arena, err))
        return -1;
    if (!str_split(&names, ',', &first) || !str_split(&names, ',', &second) ||
        names.len)
        return err_set(err, ERR_USAGE,
                       "--matrix takes two names, such as source,target");
    if (read_side(k, &k->sides[0], str_trim(first), plan, err) ||
        read_side(k, &k->sides[1], str_trim(second), plan, err))
        return -1;
    if (k->sides[0].targets)
        return err_set(err, ERR_USAGE,
                       "targets are columns: write `%.*s,target`",
                       STRF(k->sides[1].name));
    struct str metric = k->goal.name;
    if (str_starts(metric, STR("val_")))
        metric = str_n(metric.p + 4, metric.len - 4);
    k->ending = str_of(arena_printf(k->arena, "/%.*s", STRF(metric)));
    return 0;
}

/* ---- cells ------------------------------------------------------------------
 */

static size_t place_of(struct matrix *k, struct side *s, struct str text)
{
    size_t at = (size_t)(uintptr_t)map_get(s->known, text);
    if (at)
        return at - 1;
    vec_push(&s->values, arena_cstr(k->arena, text));
    map_set(s->known, text, (void *)(uintptr_t)s->values.len);
    return s->values.len - 1;
}

static struct matrix_cell *cell_at(struct matrix *k, size_t row, size_t column)
{
    uint64_t key = (uint64_t)row << 32 | column;
    size_t at = (size_t)(uintptr_t)idmap_get(k->places, key);
    if (!at) {
        struct matrix_cell none = {0};
        vec_push(&k->cells, none);
        at = k->cells.len;
        idmap_set(k->places, key, (void *)(uintptr_t)at);
    }
    return &k->cells.p[at - 1];
}

static void add_value(struct matrix *k, struct str row, struct str column,
                      double v)
{
    if (!isfinite(v))
        return;
    size_t r = place_of(k, &k->sides[0], row);
    size_t c = place_of(k, &k->sides[1], column);
    struct matrix_cell *cell = cell_at(k, r, c);
    double off = v - cell->mean;
    cell->mean += off / (double)++cell->count;
    cell->squares += off * (v - cell->mean);
}

static void add_targets(struct matrix *k, const struct trial *t, struct str row)
{
    const struct value *summary =
        json_parse(k->row, t->summary, "summary", false, NULL);
    for (size_t i = 0;
         summary && summary->kind == VALUE_OBJECT && i < summary->count; i++) {
        struct str name = summary->keys[i];
        if (name.len > k->ending.len &&
            str_eq(str_n(name.p + name.len - k->ending.len, k->ending.len),
                   k->ending))
            add_value(k, row, str_n(name.p, name.len - k->ending.len),
                      value_number(value_get(summary->items[i], STR("last"))));
    }
}

static void add_trial(struct matrix *k, const struct trial *t,
                      const struct value *point)
{
    const struct value *row = point_flat_get(point, k->sides[0].name);
    const struct value *column = point_flat_get(point, k->sides[1].name);
    struct buf a, b;
    buf_init(&a);
    buf_init(&b);
    if (row)
        point_cell(&a, row);
    if (column)
        point_cell(&b, column);
    if (row && k->sides[1].targets)
        add_targets(k, t, buf_str(&a));
    else if (row && column)
        add_value(k, buf_str(&a), buf_str(&b), t->value);
    buf_done(&a);
    buf_done(&b);
}

static int read_trials(struct matrix *k, struct err *err)
{
    struct query q = {.where = k->asked->where,
                      .with_texts = k->sides[1].targets,
                      .results = true};
    struct rows *rows = store_rows(k->store, &q, err);
    struct trial t;
    int got;
    if (!rows)
        return -1;
    while ((got = rows_next(rows, &t, err)) > 0) {
        arena_reset(k->row);
        if (isnan(t.value) && t.state != STATE_DONE)
            continue;
        struct value *point = json_parse(k->row, t.point, "point", false, err);
        if (!point) {
            got = -1;
            break;
        }
        add_trial(k, &t, point);
    }
    rows_close(rows);
    if (!got && !k->cells.len)
        return err_set(
            err, ERR_INPUT, "no trial has a value of `%s`%s", k->asked->sides,
            k->sides[1].targets ? "; targets are said in the model file, as in "
                                  "data: {targets: [b.csv]}"
                                : "");
    return got;
}

/* ---- what is shown
 * ------------------------------------------------------------ */

static int by_text(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **sorted(struct matrix *k, const struct side *s)
{
    const char **list = arena_array(k->arena, s->values.len + 1, sizeof(*list));
    memcpy(list, s->values.p, s->values.len * sizeof(*list));
    qsort(list, s->values.len, sizeof(*list), by_text);
    return list;
}

static void add_json(struct buf *b, struct matrix *k, const char **rows,
                     const char **columns)
{
    bool first = true;
    buf_adds(b, "{\"schema\":\"throng.rank-matrix/1\",\"metric\":");
    json_string(b, k->goal.name);
    buf_adds(b, ",\"rows\":");
    json_string(b, k->sides[0].name);
    buf_adds(b, ",\"columns\":");
    json_string(b, k->sides[1].name);
    buf_adds(b, ",\"cells\":[");
    for (size_t r = 0; r < k->sides[0].values.len; r++)
        for (size_t c = 0; c < k->sides[1].values.len; c++) {
            const struct matrix_cell *cell =
                cell_at(k, place_of(k, &k->sides[0], str_of(rows[r])),
                        place_of(k, &k->sides[1], str_of(columns[c])));
            if (!cell->count)
                continue;
            buf_adds(b, first ? "{\"row\":" : ",{\"row\":");
            first = false;
            json_string(b, str_of(rows[r]));
            buf_adds(b, ",\"column\":");
            json_string(b, str_of(columns[c]));
            buf_addf(b, ",\"count\":%lld,\"mean\":", (long long)cell->count);
            strict_number_or_null(b, cell->mean);
            buf_adds(b, ",\"std\":");
            strict_number_or_null(
                b, cell->count > 1
                       ? sqrt(cell->squares / (double)(cell->count - 1))
                       : 0);
            buf_addc(b, '}');
        }
    buf_adds(b, "]}\n");
}

static void add_table(struct tabled *l, struct matrix *k, const char **rows,
                      const char **columns)
{
    tabled_title(l,
                 arena_printf(l->arena, "%.*s \\ %.*s", STRF(k->sides[0].name),
                              STRF(k->sides[1].name)));
    for (size_t c = 0; c < k->sides[1].values.len; c++)
        tabled_title(l, columns[c]);
    for (size_t r = 0; r < k->sides[0].values.len; r++) {
        tabled_text(l, "%s", rows[r]);
        for (size_t c = 0; c < k->sides[1].values.len; c++) {
            const struct matrix_cell *cell =
                cell_at(k, place_of(k, &k->sides[0], str_of(rows[r])),
                        place_of(k, &k->sides[1], str_of(columns[c])));
            tabled_number(l, cell->count ? cell->mean : NAN);
        }
    }
}

int matrix_make(struct tabled *l, struct buf *json, struct store *store,
                const struct plan *plan, const struct matrix_asked *asked,
                struct err *err)
{
    struct matrix k = {.store = store,
                       .asked = asked,
                       .arena = l->arena,
                       .places = idmap_new(),
                       .row = arena_new()};
    for (int i = 0; i < 2; i++)
        k.sides[i].known = map_new();
    int rc = study_goal_read(store, l->arena, &k.goal, err);
    if (!rc && !k.goal.name.len)
        rc = err_set(err, ERR_INPUT,
                     "this study names no metric whose mean could be taken; "
                     "add `metric:` to its file");
    if (!rc)
        rc = read_asked(&k, plan, err) || read_trials(&k, err) ? -1 : 0;
    if (!rc) {
        const char **rows = sorted(&k, &k.sides[0]);
        const char **columns = sorted(&k, &k.sides[1]);
        add_table(l, &k, rows, columns);
        add_json(json, &k, rows, columns);
    }
    for (int i = 0; i < 2; i++) {
        map_free(k.sides[i].known);
        vec_done(&k.sides[i].values);
    }
    vec_done(&k.cells);
    idmap_free(k.places);
    arena_free(k.row);
    return rc;
}
