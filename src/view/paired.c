/* paired.c - trials side by side, for tests that compare them
 *
 * One pass over the trials. Each that belongs to an arm goes into the cell of
 * its arm and its block; a cell is a mean, so that however many bootstraps
 * there are of a fold, the fold is one number. A parameter that varies within
 * an arm, and is not looked over, is one that is averaged: which these are is
 * told, since a mean over something else than bootstraps may be a mistake. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "view/view.h"

#define VALUES_SHOWN 12

/* What was seen of one parameter in one arm. */
struct habit {
    struct value *first; /* in the arm's first trial; NULL: it had none */
    bool varies;
};
struct pairing {
    struct paired *out;
    struct store *store;
    const struct paired_asked *asked;
    struct arena *arena, *row; /* of all; of one trial */
    struct map *blocks;        /* key: number + 1 */
    struct point_columns columns;
    VEC(struct habit) habits; /* arm by arm, as many as there are columns */
    bool by_member;           /* `seed` is the number of the repeat */
    struct err *err;
};

/* ---- what is asked for ------------------------------------------------- */

static bool is_over(const struct paired *p, struct str name)
{
    for (size_t i = 0; i < p->over.len; i++)
        if (str_eq(p->over.p[i], name))
            return true;
    return false;
}

static int read_arm(struct pairing *k, size_t at)
{
    struct paired_arm *arm = &k->out->arms[at];
    arm->name = k->asked->names ? k->asked->names[at] : k->asked->arms[at];
    arm->wanted = parse_assignments(k->asked->arms[at], k->arena, k->err);
    if (!arm->wanted)
        return -1;
    for (size_t i = 0; i < arm->wanted->count; i++)
        if (is_over(k->out, arm->wanted->keys[i]))
            return err_set(k->err, ERR_USAGE,
                           "`%.*s` is looked over: it cannot say what to "
                           "compare, too",
                           STRF(arm->wanted->keys[i]));
    for (size_t i = 0; i < at; i++)
        if (value_eq(k->out->arms[i].wanted, arm->wanted))
            return err_set(k->err, ERR_USAGE, "`%s` is named twice", arm->name);
    return 0;
}

static int read_asked(struct pairing *k)
{
    struct paired *p = k->out;
    struct str names = str_of(k->asked->over ? k->asked->over : ""), name;
    if (k->asked->arm_count < 2)
        return err_set(k->err, ERR_USAGE,
                       "name two or more to compare, such as template=3 "
                       "template=7");
    if (!names.len)
        return err_set(k->err, ERR_USAGE,
                       "say in what trials are paired, such as --over fold");
    while (str_split(&names, ',', &name))
        vec_push(&p->over, str_trim(name));
    p->arm_count = k->asked->arm_count;
    p->arms = arena_array(k->arena, p->arm_count, sizeof(*p->arms));
    for (size_t i = 0; i < p->arm_count; i++) {
        p->arms[i] = (struct paired_arm){0};
        if (read_arm(k, i))
            return -1;
    }
    return 0;
}

/* ---- which parameter names data sets ------------------------------------ */

bool text_names(const struct value *v, struct str name)
{
    struct str text = value_text(v);
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "${%.*s}", STRF(name));
    bool found = text.len && memmem(text.p, text.len, b.p, b.len);
    buf_done(&b);
    return found;
}

/* The same of any text below v. */
static bool any_text_names(const struct value *v, struct str name)
{
    bool many = v && (v->kind == VALUE_OBJECT || v->kind == VALUE_LIST);
    for (size_t i = 0; many && i < v->count; i++)
        if (any_text_names(v->items[i], name))
            return true;
    return text_names(v, name);
}

bool names_dataset(const struct plan *plan, struct str name)
{
    static const char *const keys[] = {"file", "train", "inputs", NULL};
    const struct value *data = plan && plan->model_root
                                   ? value_get(plan->model_root, STR("data"))
                                   : NULL;
    for (size_t i = 0; data && keys[i]; i++)
        if (any_text_names(value_get(data, str_of(keys[i])), name))
            return true;
    return str_is(name, "dataset") || str_is(name, "data_set");
}

/* The one that is named, or that the study says: among what is looked over,
 * or, which is an error, among what would be averaged. */
static struct str dataset_of(const struct pairing *k, const struct plan *plan,
                             const struct str *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (k->asked->dataset ? str_is(names[i], k->asked->dataset)
                              : names_dataset(plan, names[i]))
            return names[i];
    return STR("");
}

/* ---- one trial ---------------------------------------------------------- */

static bool belongs(const struct paired_arm *arm, const struct value *point)
{
    for (size_t i = 0; i < arm->wanted->count; i++) {
        const struct value *v = point_flat_get(point, arm->wanted->keys[i]);
        if (!v || !value_eq(v, arm->wanted->items[i]))
            return false;
    }
    return true;
}

static const char *text_of(struct pairing *k, const struct value *v)
{
    struct buf b;
    buf_init(&b);
    point_cell(&b, v);
    const char *text = arena_cstr(k->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* "fold=2 rep=1", without the data set. Returns false when the trial lacks a
 * parameter that is looked over. */
static bool block_name(struct pairing *k, const struct trial *t,
                       const struct value *point, struct buf *name,
                       const struct value **dataset)
{
    const struct paired *p = k->out;
    for (size_t i = 0; i < p->over.len; i++) {
        struct str over = p->over.p[i];
        const struct value *v = point_flat_get(point, over);
        if (!v && !(k->by_member && str_is(over, "seed")))
            return false;
        if (v && str_eq(over, p->dataset)) {
            *dataset = v;
            continue;
        }
        buf_addf(name, "%s%.*s=", name->len ? " " : "", STRF(over));
        if (v)
            point_cell(name, v);
        else
            buf_addf(name, "%u", t->member + 1);
    }
    return true;
}

static struct paired_block *block_of(struct pairing *k, const struct trial *t,
                                     const struct value *point)
{
    struct paired *p = k->out;
    const struct value *dataset = NULL;
    struct buf key;
    struct paired_block *found = NULL;
    buf_init(&key);
    if (block_name(k, t, point, &key, &dataset)) {
        size_t len = key.len;
        buf_addc(&key, '\n');
        if (dataset)
            point_cell(&key, dataset);
        size_t at = (size_t)(uintptr_t)map_get(k->blocks, buf_str(&key));
        if (!at) {
            struct paired_block b = {
                .dataset = dataset ? text_of(k, dataset) : NULL,
                .name = arena_cstr(k->arena, str_n(key.p, len)),
                .cells = arena_array(k->arena, p->arm_count, sizeof(*b.cells))};
            memset(b.cells, 0, p->arm_count * sizeof(*b.cells));
            vec_push(&p->blocks, b);
            at = p->blocks.len;
            map_set(k->blocks, buf_str(&key), (void *)(uintptr_t)at);
        }
        found = &p->blocks.p[at - 1];
    }
    buf_done(&key);
    return found;
}

/* Columns are laid out from those of the first trials; one that comes later
 * is rare, and is looked at from then on. */
static void watch_habits(struct pairing *k, size_t arm,
                         const struct value *point)
{
    size_t n = k->columns.names.len;
    point_columns_add(&k->columns, point);
    for (size_t i = n; i < k->columns.names.len; i++)
        for (size_t j = 0; j < k->out->arm_count; j++) {
            struct habit h = {0};
            vec_push(&k->habits, h);
        }
    bool first = k->out->arms[arm].trials == 1;
    for (size_t i = 0; i < k->columns.names.len; i++) {
        struct habit *h = &k->habits.p[i * k->out->arm_count + arm];
        if (h->varies)
            continue;
        const struct value *v = point_flat_get(point, k->columns.names.p[i]);
        if (first)
            h->first = v ? value_copy(k->arena, v) : NULL;
        else
            h->varies = !v != !h->first || (v && !value_eq(v, h->first));
    }
}

static int add_trial(struct pairing *k, const struct trial *t,
                     const struct value *point)
{
    struct paired *p = k->out;
    size_t arm = p->arm_count;
    for (size_t i = 0; i < p->arm_count; i++) {
        if (!belongs(&p->arms[i], point))
            continue;
        if (arm < p->arm_count)
            return err_set(k->err, ERR_INPUT,
                           "trial %lld is both `%s` and `%s`: what is compared "
                           "must have no trial in common",
                           (long long)t->id, p->arms[arm].name,
                           p->arms[i].name);
        arm = i;
    }
    if (arm == p->arm_count)
        return 0;
    p->arms[arm].trials++;
    watch_habits(k, arm, point);
    double v = trial_shown(t, point, k->asked->by);
    if (!isfinite(v)) {
        p->arms[arm].valueless++;
        return 0;
    }
    struct paired_block *b = block_of(k, t, point);
    if (b) {
        struct paired_cell *c = &b->cells[arm];
        c->mean += (v - c->mean) / (double)++c->count;
    }
    return 0;
}

static int read_trials(struct pairing *k)
{
    struct query q = {.where = k->asked->where,
                      .with_texts = k->asked->by != NULL,
                      .results = !k->by_member && !k->asked->by};
    struct rows *rows = store_rows(k->store, &q, k->err);
    struct trial t;
    int got;
    if (!rows)
        return -1;
    while ((got = rows_next(rows, &t, k->err)) > 0) {
        arena_reset(k->row);
        if (t.state != STATE_DONE && isnan(t.value))
            continue;
        struct value *point =
            json_parse(k->row, t.point, "point", false, k->err);
        if (!point || add_trial(k, &t, point)) {
            got = -1;
            break;
        }
    }
    rows_close(rows);
    return got;
}

/* ---- what was found ----------------------------------------------------- */

/* The values that trials have of a parameter, for who named another. */
static const char *values_seen(struct pairing *k, struct str name)
{
    VEC(struct value *) seen = {0};
    struct query q = {.results = true};
    struct rows *rows = store_rows(k->store, &q, NULL);
    struct trial t;
    struct buf b;
    buf_init(&b);
    while (rows && seen.len < VALUES_SHOWN && rows_next(rows, &t, NULL) > 0) {
        struct value *point = json_parse(k->row, t.point, "", false, NULL);
        const struct value *v = point ? point_flat_get(point, name) : NULL;
        bool known = !v;
        for (size_t i = 0; v && i < seen.len; i++)
            known |= value_eq(v, seen.p[i]);
        if (!known) {
            vec_push(&seen, value_copy(k->arena, v));
            buf_adds(&b, b.len ? ", " : "");
            point_cell(&b, v);
        }
        arena_reset(k->row);
    }
    if (rows)
        rows_close(rows);
    if (seen.len == VALUES_SHOWN)
        buf_adds(&b, " …");
    vec_done(&seen);
    const char *text = arena_cstr(k->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static int check_arms(struct pairing *k)
{
    for (size_t i = 0; i < k->out->arm_count; i++) {
        const struct paired_arm *arm = &k->out->arms[i];
        if (!arm->trials && arm->wanted->count == 1)
            return err_set(k->err, ERR_INPUT,
                           "no trial that has ended is `%s`; of `%.*s` there "
                           "is %s",
                           arm->name, STRF(arm->wanted->keys[0]),
                           values_seen(k, arm->wanted->keys[0]));
        if (!arm->trials)
            return err_set(k->err, ERR_INPUT, "no trial that has ended is `%s`",
                           arm->name);
        if (arm->trials == arm->valueless)
            return err_set(k->err, ERR_INPUT,
                           "none of the %lld trials of `%s` has a value that "
                           "is a number",
                           (long long)arm->trials, arm->name);
    }
    return 0;
}

static int note_averaged(struct pairing *k, const struct plan *plan)
{
    struct paired *p = k->out;
    for (size_t i = 0; i < k->columns.names.len; i++) {
        struct str name = k->columns.names.p[i];
        bool varies = false;
        for (size_t j = 0; j < p->arm_count; j++)
            varies |= k->habits.p[i * p->arm_count + j].varies;
        if (!varies || is_over(p, name))
            continue;
        if (dataset_of(k, plan, &name, 1).len)
            return err_set(k->err, ERR_INPUT,
                           "the trials are of several data sets: look over "
                           "`%.*s`, too, or choose one by a filter",
                           STRF(name));
        vec_push(&p->averaged, name.p);
    }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct paired_block *x = a, *y = b;
    int order = x->dataset ? strverscmp(x->dataset, y->dataset) : 0;
    return order ? order : strverscmp(x->name, y->name);
}

static int pair_up(struct pairing *k, const struct plan *plan)
{
    struct paired *p = k->out;
    if (read_asked(k) ||
        names_check_over(k->store, k->asked->over, k->arena, k->err))
        return -1;
    p->dataset = dataset_of(k, plan, p->over.p, p->over.len);
    if (k->asked->dataset && !p->dataset.len)
        return err_set(k->err, ERR_USAGE,
                       "`%s` is not among what is looked over (%s)",
                       k->asked->dataset, k->asked->over);
    k->by_member = is_over(p, STR("seed"));
    if (names_check_filter(k->store, k->asked->where, k->arena, k->err))
        return -1;
    for (size_t i = 0; i < p->arm_count; i++)
        for (size_t j = 0; j < p->arms[i].wanted->count; j++)
            if (name_check(k->store,
                           arena_cstr(k->arena, p->arms[i].wanted->keys[j]),
                           k->arena, k->err))
                return -1;
    if (read_trials(k) || check_arms(k) || note_averaged(k, plan))
        return -1;
    if (p->blocks.len)
        qsort(p->blocks.p, p->blocks.len, sizeof(*p->blocks.p), by_name);
    return 0;
}

int paired_read(struct paired *p, struct store *store, const struct plan *plan,
                const struct paired_asked *asked, struct arena *a,
                struct err *err)
{
    struct pairing k = {.out = p,
                        .store = store,
                        .asked = asked,
                        .arena = a,
                        .row = arena_new(),
                        .blocks = map_new(),
                        .err = err};
    *p = (struct paired){0};
    point_columns_init(&k.columns, a);
    int rc = pair_up(&k, plan);
    point_columns_done(&k.columns);
    vec_done(&k.habits);
    map_free(k.blocks);
    arena_free(k.row);
    return rc;
}

void paired_done(struct paired *p)
{
    vec_done(&p->blocks);
    vec_done(&p->over);
    vec_done(&p->averaged);
}
