/* campaign_values.c - what stages have of earlier ones: results by value
 *
 * ${search.best.lr} is a value of the first of rank; a template is a whole
 * point. Both are copied into the stage that reads them, so that its record
 * says what they were. Weights are copied into the campaign's folder, under a
 * name that has their hash: the same name is the same weights. */
#include <math.h>
#include <stdio.h>
#include "base/hash.h"
#include "base/json.h"
#include "base/num.h"
#include "study/campaign.h"

#define ROWS_MOST 100000

/* ---- one trial --------------------------------------------------------- */

/* "opt.lr" is looked for as a whole, then along its dots. */
static struct value *member(const struct value *v, struct str name)
{
    struct value *found = value_get(v, name);
    long dot = found ? -1 : str_find(name, '.');
    if (dot < 0)
        return found;
    return member(value_get(v, str_n(name.p, (size_t)dot)),
                  str_n(name.p + dot + 1, name.len - (size_t)dot - 1));
}

static int read_weights(const char *folder, int64_t trial, struct buf *b,
                        struct err *err)
{
    struct store *store = store_open(folder, false, err);
    if (!store)
        return -1;
    struct packs *packs = packs_of(store); /* the newest attempt's */
    int rc = packs_read(packs, trial, TASK_WEIGHTS, b, err);
    packs_close(packs);
    store_close(store);
    return rc;
}

static struct value *weights_of(const struct stage_results *r, size_t stage,
                                int64_t trial, struct err *err)
{
    const struct campaign *c = r->campaign;
    const struct stage *from = &c->stages[stage];
    char *folder = path_join(r->arena, c->setup.folder, "handed");
    struct err why = {0};
    char hex[65];
    struct buf b;
    buf_init(&b);
    if (read_weights(from->folder, trial, &b, &why)) {
        buf_done(&b);
        err_set(err, why.kind,
                "trial %lld of %.*s has no weights (%s): built-in training "
                "makes them, and `keep` in its study says whose stay",
                (long long)trial, STRF(from->plan->name), why.text);
        return NULL;
    }
    sha256_hex(buf_str(&b), hex);
    char *name = arena_printf(r->arena, "%.*s-%lld-%.16s.safetensors",
                              STRF(from->plan->name), (long long)trial, hex);
    char *path = path_join(r->arena, folder, name);
    int rc = file_exists(path) ? 0 : dir_make(folder, err);
    if (!rc && !file_exists(path))
        rc = file_write(path, buf_str(&b), true, err);
    buf_done(&b);
    return rc ? NULL : value_string(r->arena, str_of(path));
}

/* A value of a trial by its name; NULL: err. */
static struct value *value_of(const struct stage_results *r, size_t stage,
                              const struct trial *t, struct str metric,
                              struct str name, struct err *err)
{
    struct arena *a = r->arena;
    if (str_is(name, "trial"))
        return value_int(a, t->id);
    if (str_is(name, "weights"))
        return weights_of(r, stage, t->id, err);
    struct value *v =
        member(json_parse(a, t->point, "point", true, NULL), name);
    if (v)
        return v;
    if (str_eq(name, metric) && !isnan(t->value))
        return value_double(a, t->value);
    const struct value *all =
        t->summary.len ? json_parse(a, t->summary, "summary", true, NULL)
                       : NULL;
    v = value_get(value_get(all, name), STR("last"));
    if (!v)
        err_set(err, ERR_INPUT,
                "the best trial of %.*s, %lld, has no parameter and no metric "
                "'%.*s'",
                STRF(r->campaign->stages[stage].plan->name), (long long)t->id,
                STRF(name));
    return v;
}

/* ---- ${STAGE.best.NAME} ------------------------------------------------ */

/* The first of rank. */
static int best_of(struct store *store, struct arena *a, struct trial *t,
                   struct err *err)
{
    struct query q = {.selector = "best:1"};
    struct rows *rows = store_rows(store, &q, err);
    struct trial found;
    int got = rows ? rows_next(rows, &found, err) : -1;
    int64_t id = got > 0 ? found.id : 0;
    rows_close(rows);
    if (got < 0)
        return -1;
    *t = (struct trial){0};
    return id ? store_trial(store, id, a, t, err) : 0;
}

struct value *stage_best(void *context, size_t stage, struct str name,
                         struct err *err)
{
    struct stage_results *r = context;
    const struct stage *from = &r->campaign->stages[stage];
    struct study_goal goal;
    struct trial t;
    struct value *v = NULL;
    struct store *store = store_open(from->folder, false, err);
    if (!store)
        return NULL;
    if (!study_goal_read(store, r->arena, &goal, err) &&
        !best_of(store, r->arena, &t, err)) {
        if (t.id)
            v = value_of(r, stage, &t, goal.name, name, err);
        else
            err_set(err, ERR_INPUT,
                    "no trial of %.*s has a value, so it has "
                    "no best one",
                    STRF(from->plan->name));
    }
    store_close(store);
    if (v)
        value_set(r->arena, r->given,
                  str_of(arena_printf(r->arena, "%.*s.best.%.*s",
                                      STRF(from->plan->name), STRF(name))),
                  v);
    return v;
}

struct value *stage_digest(const struct campaign *c, size_t stage,
                           struct arena *a, struct err *err)
{
    struct query q = {.results = true};
    struct store *store = store_open(c->stages[stage].folder, false, err);
    struct rows *rows = store ? store_rows(store, &q, err) : NULL;
    uint64_t sum = 0;
    struct trial t;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0) {
        char text[64];
        snprintf(text, sizeof(text), "%lld %d %.17g", (long long)t.id,
                 (int)t.state, t.value);
        sum = hash64(t.point, hash64(str_of(text), sum));
    }
    rows_close(rows);
    store_close(store);
    if (got < 0)
        return NULL;
    return value_string(
        a, str_of(arena_printf(a, "%016llx", (unsigned long long)sum)));
}

/* ---- templates --------------------------------------------------------- */

/* Adds what one trial is as a template to a row; a name twice is an error. */
static int add_members(struct value *row, const struct value *point,
                       struct str name, struct arena *a, struct err *err)
{
    for (size_t i = 0; i < point->count; i++) {
        if (value_get(row, point->keys[i]) || str_eq(point->keys[i], name))
            return err_set(err, ERR_INPUT,
                           "'%.*s' is a parameter of two templates",
                           STRF(point->keys[i]));
        value_set(a, row, point->keys[i], point->items[i]);
    }
    return 0;
}

static struct value *template_row(const struct stage_results *r,
                                  const struct stage_template *t,
                                  const struct value *before,
                                  const struct trial *trial, struct err *err)
{
    struct arena *a = r->arena;
    struct value *row = value_copy(a, before);
    struct value *point =
        json_parse(a, arena_str(a, trial->point), "point", true, err);
    if (!point || add_members(row, point, t->name, a, err))
        return NULL;
    value_set(a, row, t->name, value_int(a, trial->id));
    if (!t->weights)
        return row;
    struct value *weights = weights_of(r, t->from, trial->id, err);
    if (!weights)
        return NULL;
    value_set(a, row, str_of(arena_printf(a, "%.*s.weights", STRF(t->name))),
              weights);
    return row;
}

/* Every row so far with every trial that the template selects. */
static struct value *cross(const struct stage_results *r,
                           const struct stage_template *t,
                           const struct value *rows, struct store *store,
                           struct err *err)
{
    struct value *out = value_list(r->arena);
    const char *select = arena_cstr(r->arena, t->select);
    for (size_t i = 0; i < rows->count; i++) {
        struct query q = {.selector = select, .results = true};
        struct rows *found = store_rows(store, &q, err);
        struct trial trial;
        int got = found ? 1 : -1;
        while (got > 0 && (got = rows_next(found, &trial, err)) > 0) {
            struct value *row = template_row(r, t, rows->items[i], &trial, err);
            if (!row || out->count >= ROWS_MOST)
                got = row ? err_set(err, ERR_LIMIT,
                                    "templates in more than 100000 "
                                    "combinations")
                          : -1;
            else
                value_list_add(r->arena, out, row);
        }
        rows_close(found);
        if (got < 0)
            return NULL;
    }
    if (!out->count)
        err_set(err, ERR_INPUT, "'%s' selects no trial of %.*s", select,
                STRF(r->campaign->stages[t->from].plan->name));
    return out->count ? out : NULL;
}

struct value *stage_rows(struct stage_results *r, const struct plan_stage *s,
                         struct err *err)
{
    struct value *rows = value_list(r->arena);
    value_list_add(r->arena, rows, value_object(r->arena));
    for (size_t i = 0; rows && i < s->template_count; i++) {
        const struct stage_template *t = &s->templates[i];
        struct store *store =
            store_open(r->campaign->stages[t->from].folder, false, err);
        rows = store ? cross(r, t, rows, store, err) : NULL;
        store_close(store);
    }
    return rows;
}

static bool holds(const struct value *rows, const struct value *row)
{
    for (size_t i = 0; i < rows->count; i++)
        if (value_eq(rows->items[i], row))
            return true;
    return false;
}

static bool is_listed(const struct value *numbers, size_t n)
{
    for (size_t i = 0; numbers && i < numbers->count; i++)
        if (numbers->items[i]->i == (int64_t)n)
            return true;
    return false;
}

/* True when all that were selected still are, and no more. */
static bool same_selection(const struct value *old, const struct value *gone,
                           const struct value *rows)
{
    size_t live = 0;
    for (size_t i = 0; i < old->count; i++) {
        if (is_listed(gone, i))
            continue;
        live++;
        if (!holds(rows, old->items[i]))
            return false;
    }
    return live == rows->count;
}

struct value *stage_merge_rows(const struct value *record,
                               const struct value *rows, struct arena *a,
                               struct value **retired)
{
    const struct value *old = value_get(record, STR("rows"));
    const struct value *gone = value_get(record, STR("retired"));
    struct value *out = value_list(a), *live = value_list(a);
    *retired = value_list(a);
    /* Of a stage that is not through, nobody knows which trials there are. */
    if (!old || (record_state(record) != STAGE_DONE &&
                 !same_selection(old, gone, rows)))
        return value_copy(a, rows);
    for (size_t i = 0; i < old->count; i++) {
        value_list_add(a, out, value_copy(a, old->items[i]));
        if (is_listed(gone, i) || !holds(rows, old->items[i]))
            value_list_add(a, *retired, value_int(a, (int64_t)i));
        else
            value_list_add(a, live, old->items[i]);
    }
    for (size_t i = 0; i < rows->count; i++)
        if (!holds(live, rows->items[i]))
            value_list_add(a, out, value_copy(a, rows->items[i]));
    return out;
}
