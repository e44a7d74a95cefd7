/* split.c - which rows are for training, validation and test
 *
 * Rows are put in one order and cut: training first, then validation, then
 * test. Without anything else the order is a shuffle; stratified, every
 * stretch of it has all classes in proportion; with groups, rows of a group
 * stay together and cuts fall between groups.
 *
 * The split depends on `split_seed` (default 0), not on the trial's own seed:
 * all trials of a study are judged on the same rows unless it says otherwise.
 * What is drawn for one model (bootstrap, rows, columns, parts: parts.c)
 * depends on the trial's seed, or on `draw_seed`. */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "data/set.h"

struct splitting {
    const struct data_set *set;
    const struct value *spec;
    struct arena *arena;
    uint32_t *order;
    size_t count;
    bool ordered; /* shuffle: false */
    uint64_t seed, draw_seed;
};

/* A part that is said as files takes nothing from the others. */
static int fraction_of(const struct value *spec, const char *at, double *out,
                       struct err *err)
{
    const struct value *v = data_said(spec, at);
    bool files = v && (v->kind == VALUE_STRING || v->kind == VALUE_OBJECT);
    *out = v && !files ? value_number(v) : 0;
    if (!(*out >= 0 && *out < 1))
        return err_set_at(err, at,
                          " must be a fraction from 0 to below 1, or a file");
    return 0;
}

int data_amount(const struct value *spec, const char *at, size_t all,
                size_t *amount, struct err *err)
{
    const struct value *v = data_said(spec, at);
    double x = v ? value_number(v) : 0;
    *amount = 0;
    if (!v)
        return 0;
    if (v->kind == VALUE_INT && v->i > 1 && (uint64_t)v->i <= all)
        *amount = (size_t)v->i;
    else if (x > 0 && x <= 1)
        *amount = (size_t)fmax(1, floor(x * (double)all + 0.5));
    else
        return err_set_at(err, at,
                          " must be a fraction up to 1, or a whole number from "
                          "2 to %zu",
                          all);
    return 0;
}

void data_shuffle(uint32_t *rows, size_t count, uint64_t seed,
                  const char *purpose)
{
    struct rng r;
    rng_init(&r, seed, 0, purpose);
    for (size_t i = count; i-- > 1;) {
        size_t j = (size_t)rng_below(&r, i + 1);
        uint32_t row = rows[i];
        rows[i] = rows[j];
        rows[j] = row;
    }
}

/* ---- the order -------------------------------------------------------- */

struct placed {
    double at;
    uint32_t row;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_placed(struct splitting *s, struct placed *p)
{
    qsort(p, s->count, sizeof(*p), by_place);
    for (size_t i = 0; i < s->count; i++)
        s->order[i] = p[i].row;
    free(p);
}

/* The i-th of n rows of a class goes to (i + 1/2) / n of the way. */
static int stratify(struct splitting *s, struct err *err)
{
    const struct data_field *f = s->set->table.labels;
    if (!s->set->table.label_count || !f->categories || f->columns != 1)
        return err_set_at(err, "data.stratify",
                          ": the first label has no classes");
    size_t *total = xcalloc((size_t)f->classes + 1, sizeof(*total));
    size_t *seen = xcalloc((size_t)f->classes + 1, sizeof(*seen));
    struct placed *p = xcalloc(s->count + 1, sizeof(*p));
    for (size_t i = 0; i < s->count; i++)
        total[f->categories[s->order[i]]]++;
    for (size_t i = 0; i < s->count; i++) {
        int32_t c = f->categories[s->order[i]];
        p[i].row = s->order[i];
        p[i].at = ((double)seen[c]++ + 0.5) / (double)total[c];
    }
    sort_placed(s, p);
    free(total);
    free(seen);
    return 0;
}

/* Groups in the order in which the rows bring them. */
static void gather_groups(struct splitting *s)
{
    const int32_t *group = s->set->groups;
    double *place = xcalloc(s->set->group_count + 1, sizeof(*place));
    struct placed *p = xcalloc(s->count + 1, sizeof(*p));
    double next = 1;
    for (size_t i = 0; i < s->count; i++) {
        int32_t g = group[s->order[i]];
        if (place[g] == 0)
            place[g] = next++;
        p[i] = (struct placed){place[g], s->order[i]};
    }
    sort_placed(s, p);
    free(place);
}

static int put_in_order(struct splitting *s, bool cuts, struct err *err)
{
    bool stratified = false;
    if (data_read_bool(s->spec, "data.stratify", &stratified, err))
        return -1;
    if (stratified && s->set->groups)
        return err_set_at(err, "data",
                          ": stratify and group cannot be kept both");
    for (size_t i = 0; i < s->count; i++)
        s->order[i] = (uint32_t)i;
    if (!s->ordered && cuts)
        data_shuffle(s->order, s->count, s->seed, "split");
    if (s->set->groups && cuts)
        gather_groups(s);
    return stratified ? stratify(s, err) : 0;
}

/* ---- cuts ------------------------------------------------------------- */

/* Where to cut so that about `wanted` rows are before: between groups. */
static size_t cut_at(const struct splitting *s, size_t wanted)
{
    const int32_t *g = s->set->groups;
    size_t low = wanted, high = wanted;
    if (!g || wanted == 0 || wanted >= s->count)
        return wanted < s->count ? wanted : s->count;
    while (low > 0 && g[s->order[low]] == g[s->order[low - 1]])
        low--;
    while (high < s->count && g[s->order[high]] == g[s->order[high - 1]])
        high++;
    return wanted - low <= high - wanted ? low : high;
}

static size_t share(double fraction, size_t rows)
{
    return (size_t)(fraction * (double)rows + 0.5);
}

static int read_fold(const struct value *fold, int64_t *k, int64_t *of,
                     struct err *err)
{
    static const char *const keys[] = {"k", "of", NULL};
    const struct value *a = value_get(fold, STR("k"));
    const struct value *b = value_get(fold, STR("of"));
    for (size_t i = 0; fold->kind == VALUE_OBJECT && i < fold->count; i++)
        if (data_unknown_key("data.fold", fold->keys[i], keys, err))
            return -1;
    if (!a || !b || a->kind != VALUE_INT || b->kind != VALUE_INT || b->i < 2 ||
        a->i < 1 || a->i > b->i)
        return err_set_at(err, "data.fold",
                          " must be {k: K, of: N}: whole numbers, N "
                          "from 2, K from 1 to N");
    *k = a->i;
    *of = b->i;
    return 0;
}

/* Fold k of n is for validation, all others are for training. */
static int cut_fold(struct splitting *s, const struct value *fold, size_t rest,
                    struct data_view *v, struct err *err)
{
    int64_t k = 1, of = 2;
    if (read_fold(fold, &k, &of, err))
        return -1;
    if (value_get(s->spec, STR("validation")))
        return err_set_at(err, "data",
                          ": fold says which rows are for validation: leave "
                          "`validation` out");
    size_t from =
        cut_at(s, (size_t)((double)rest * (double)(k - 1) / (double)of + 0.5));
    size_t to =
        k == of
            ? rest
            : cut_at(s, (size_t)((double)rest * (double)k / (double)of + 0.5));
    if (from >= to || to - from >= rest)
        return err_set_at(err, "data.fold",
                          ": fold %lld of %lld has no rows: there are "
                          "%zu %s",
                          (long long)k, (long long)of,
                          s->set->groups ? s->set->group_count : rest,
                          s->set->groups ? "groups" : "rows");
    uint32_t *train = arena_array(s->arena, rest + 1, sizeof(*train));
    memcpy(train, s->order, from * sizeof(*train));
    memcpy(train + from, s->order + to, (rest - to) * sizeof(*train));
    v->train = (struct data_part){train, rest - (to - from)};
    v->validation = (struct data_part){s->order + from, to - from};
    return 0;
}

/* A part that is asked for and gets no row would be no part, unsaid. */
static int check_fraction(const struct splitting *s, const char *at,
                          double fraction, const struct data_part *part,
                          struct err *err)
{
    if (fraction == 0 || part->count)
        return 0;
    return err_set_at(err, at, ": %g of %zu %s is none; say more", fraction,
                      s->set->groups ? s->set->group_count : s->count,
                      s->set->groups ? "groups" : "rows");
}

static int cut(struct splitting *s, struct data_view *v, struct err *err)
{
    double validation, test;
    const struct value *fold = value_get(s->spec, STR("fold"));
    if (fraction_of(s->spec, "data.validation", &validation, err) ||
        fraction_of(s->spec, "data.test", &test, err))
        return -1;
    if (validation + test >= 1)
        return err_set_at(err, "data",
                          ": validation and test leave no rows to train on");
    if (put_in_order(s, fold || validation > 0 || test > 0, err))
        return -1;
    size_t tested = share(test, s->count), held = share(validation, s->count);
    size_t rest = cut_at(s, s->count - tested);
    v->test = (struct data_part){s->order + rest, s->count - rest};
    if (fold)
        return cut_fold(s, fold, rest, v, err);
    size_t train =
        cut_at(s, s->count > held + tested ? s->count - held - tested : 0);
    if (train > rest)
        train = rest;
    v->train = (struct data_part){s->order, train};
    v->validation = (struct data_part){s->order + train, rest - train};
    return check_fraction(s, "data.validation", validation, &v->validation,
                          err) ||
                   check_fraction(s, "data.test", test, &v->test, err)
               ? -1
               : 0;
}

/* Parts that are files come behind the training rows in the table. */
static void add_files(const struct data_set *s, struct arena *a,
                      struct data_view *v)
{
    struct data_part *parts[] = {&v->train, &v->validation, &v->test};
    size_t from = s->part_rows[PART_TRAIN];
    for (int i = PART_VALIDATION; i < PARTS; from += s->part_rows[i++]) {
        size_t count = s->part_rows[i];
        uint32_t *rows = arena_array(a, count + 1, sizeof(*rows));
        if (!count)
            continue;
        for (size_t k = 0; k < count; k++)
            rows[k] = (uint32_t)(from + k);
        *parts[i] = (struct data_part){rows, count};
    }
}

/* ---- draws ------------------------------------------------------------ */

static int by_row(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Some of the training rows. A smaller share is a part of a larger one. */
static void thin(struct splitting *s, struct data_part *p, size_t count,
                 uint64_t seed, const char *purpose)
{
    uint32_t *rows = arena_array(s->arena, p->count + 1, sizeof(*rows));
    memcpy(rows, p->rows, p->count * sizeof(*rows));
    data_shuffle(rows, p->count, seed, purpose);
    if (s->ordered)
        qsort(rows, count, sizeof(*rows), by_row);
    *p = (struct data_part){rows, count};
}

/* Rows of a part by group: `row` has numbers of rows of the part, those of
 * group i from begin[i] on. */
struct by_group {
    size_t *row, *begin, count;
};

static struct by_group part_by_group(struct splitting *s,
                                     const struct data_part *p)
{
    const int32_t *group = s->set->groups;
    size_t groups = group ? s->set->group_count : p->count, filled = 0;
    size_t *at = xcalloc(groups + 1, sizeof(*at));
    struct by_group b = {arena_array(s->arena, p->count + 1, sizeof(size_t)),
                         arena_array(s->arena, groups + 1, sizeof(size_t)), 0};
    for (size_t i = 0; i < p->count; i++)
        at[group ? (size_t)group[p->rows[i]] : i]++;
    for (size_t g = 0; g < groups; g++) {
        size_t rows = at[g];
        at[g] = filled;
        if (rows)
            b.begin[b.count++] = filled;
        filled += rows;
    }
    b.begin[b.count] = filled;
    for (size_t i = 0; i < p->count; i++)
        b.row[at[group ? (size_t)group[p->rows[i]] : i]++] = i;
    free(at);
    return b;
}

/* Rows drawn with replacement, those of a group together; those never drawn are
 * for validation, unless there are others for it. Of groups there are at least
 * `count` rows. */
static void bootstrap(struct splitting *s, struct data_view *v, size_t count)
{
    struct data_part from = v->train;
    struct by_group b = part_by_group(s, &from);
    uint32_t *rows =
        arena_array(s->arena, count + from.count + 1, sizeof(*rows));
    uint32_t *left = arena_array(s->arena, from.count + 1, sizeof(*left));
    bool *drawn = xcalloc(from.count + 1, sizeof(*drawn));
    size_t taken = 0, unused = 0;
    struct rng r;
    rng_init(&r, s->draw_seed, 0, "bootstrap");
    while (taken < count) {
        size_t g = (size_t)rng_below(&r, b.count);
        for (size_t k = b.begin[g]; k < b.begin[g + 1]; k++) {
            drawn[b.row[k]] = true;
            rows[taken++] = from.rows[b.row[k]];
        }
    }
    for (size_t i = 0; i < from.count; i++)
        if (!drawn[i])
            left[unused++] = from.rows[i];
    free(drawn);
    v->train = (struct data_part){rows, taken};
    if (!v->validation.count)
        v->validation = (struct data_part){left, unused};
}

static int bootstrap_of(struct splitting *s, struct data_view *v,
                        struct err *err)
{
    const struct value *b = value_get(s->spec, STR("bootstrap"));
    double times = b && b->kind == VALUE_BOOL ? b->boolean : value_number(b);
    if (!b || times == 0)
        return 0;
    if (!(times > 0 && times <= 100))
        return err_set_at(err, "data.bootstrap",
                          " must be true, or how many rows to draw "
                          "as a multiple of those there are");
    size_t count = share(times, v->train.count);
    bootstrap(s, v, count ? count : 1);
    return 0;
}

uint64_t data_draw_seed(const struct value *spec,
                        const struct data_choice *choice)
{
    const struct value *v = value_get(spec, STR("draw_seed"));
    return v && v->kind == VALUE_INT ? (uint64_t)v->i : choice->seed;
}

bool data_draws(const struct value *spec)
{
    return value_get(spec, STR("bootstrap")) || value_get(spec, STR("rows")) ||
           value_get(spec, STR("columns")) || data_parts_draw(spec);
}

static int draw(struct splitting *s, struct data_view *v, double subset,
                struct err *err)
{
    size_t rows;
    if (subset > 0 && subset < 1)
        thin(s, &v->train,
             (size_t)fmax(1, (double)share(subset, v->train.count)), s->seed,
             "subset");
    if (data_amount(s->spec, "data.rows", v->train.count, &rows, err))
        return -1;
    if (rows)
        thin(s, &v->train, rows, s->draw_seed, "rows");
    return bootstrap_of(s, v, err);
}

int data_split(struct data_view *v, const struct data_set *set,
               const struct value *spec, const struct data_choice *choice,
               struct arena *a, struct err *err)
{
    struct splitting s = {.set = set,
                          .spec = spec,
                          .arena = a,
                          .count = set->part_rows[PART_TRAIN]};
    int64_t seed = 0, draw_seed = (int64_t)choice->seed;
    bool shuffled = true;
    if (data_read_int(spec, "data.split_seed", INT64_MIN, INT64_MAX, &seed,
                      err) ||
        data_read_int(spec, "data.draw_seed", INT64_MIN, INT64_MAX, &draw_seed,
                      err) ||
        data_read_bool(spec, "data.shuffle", &shuffled, err))
        return -1;
    s.seed = (uint64_t)seed;
    s.draw_seed = (uint64_t)draw_seed;
    s.ordered = v->in_order = !shuffled;
    s.order = arena_array(a, s.count + 1, sizeof(*s.order));
    if (value_get(spec, STR("parts"))
            ? data_parts(v, set, spec, s.ordered ? NULL : &s.draw_seed, a, err)
            : cut(&s, v, err))
        return -1;
    if (!value_get(spec, STR("parts")))
        add_files(set, a, v);
    if (!v->train.count)
        return err_set_at(err, "data", ": no rows are left to train on");
    return draw(&s, v, choice->subset, err);
}
