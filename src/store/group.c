/* group.c - trials that differ only in what is looked over
 *
 * One pass over the trials. A group is known by 128 bits of hash of its
 * point without the parameters looked over (or by its repeat number), so a
 * million groups fit in memory; the point's text is made again, from the
 * first trial of the group, only for the groups that are handed back. */
#include <math.h>
#include "base/hash.h"
#include "base/json.h"
#include "store/scan.h"

struct cell {
    uint64_t check; /* second half of the hash */
    size_t next;    /* cell with the same first half, + 1 */
    int64_t first;  /* trial */
    int64_t best;
    int64_t count;
    double mean, squares, min, max;
};

struct grouper {
    VEC(struct str) over; /* names */
    bool over_seed;       /* repeats count as differing in their seed */
    bool minimize;
    bool removed_any; /* some trial had a parameter that was named */
    VEC(struct cell) cells;
    struct idmap *by_hash;
    struct buf key;
};

/* ---- a point without some parameters ---------------------------------- */

/* True when the name begins with prefix and key. */
static bool begins(struct str name, struct str prefix, struct str key)
{
    return name.len >= prefix.len + key.len &&
           memcmp(name.p, prefix.p, prefix.len) == 0 &&
           memcmp(name.p + prefix.len, key.p, key.len) == 0;
}

static bool is_over(const struct grouper *g, struct str prefix, struct str key)
{
    for (size_t i = 0; i < g->over.len; i++)
        if (g->over.p[i].len == prefix.len + key.len &&
            begins(g->over.p[i], prefix, key))
            return true;
    return false;
}

/* True when some name to remove lies below prefix.key. */
static bool goes_into(const struct grouper *g, struct str prefix,
                      struct str key)
{
    size_t len = prefix.len + key.len;
    for (size_t i = 0; i < g->over.len; i++)
        if (g->over.p[i].len > len + 1 && begins(g->over.p[i], prefix, key) &&
            g->over.p[i].p[len] == '.')
            return true;
    return false;
}

/* Whether a point may have one of the names: whether the first word of one
 * stands anywhere in its text, which is quickly seen. */
static bool may_be_over(const struct grouper *g, struct str point)
{
    for (size_t i = 0; i < g->over.len; i++) {
        struct str name = g->over.p[i];
        const char *dot = memchr(name.p, '.', name.len);
        size_t len = dot ? (size_t)(dot - name.p) : name.len;
        if (point.len && memmem(point.p, point.len, name.p, len))
            return true;
    }
    return false;
}

/* Appends an object's text without the members looked over. */
static int add_without(struct grouper *g, struct str text, struct str prefix,
                       bool *removed)
{
    struct json_scan scan;
    bool first = true;
    enum json_token token;
    json_scan_init(&scan, text);
    if (json_scan_next(&scan) != JSON_OBJECT_OPEN)
        return -1;
    buf_addc(&g->key, '{');
    while ((token = json_scan_next(&scan)) == JSON_KEY) {
        struct str key = scan.text, raw;
        if (json_scan_pass(&scan, &raw))
            return -1;
        if (is_over(g, prefix, key)) {
            *removed = true;
            continue;
        }
        buf_add(&g->key, first ? "\"" : ",\"", first ? 1 : 2);
        buf_addstr(&g->key, key);
        buf_add(&g->key, "\":", 2);
        first = false;
        if (raw.p[0] != '{' || !goes_into(g, prefix, key)) {
            buf_addstr(&g->key, raw);
            continue;
        }
        struct buf path;
        buf_init(&path);
        buf_addf(&path, "%.*s%.*s.", STRF(prefix), STRF(key));
        int rc = add_without(g, raw, buf_str(&path), removed);
        buf_done(&path);
        if (rc)
            return -1;
    }
    buf_addc(&g->key, '}');
    return token == JSON_OBJECT_CLOSE ? 0 : -1;
}

/* The point as a group has it, valid until the next call; *removed when it
 * had a parameter that is looked over. */
static struct str point_without(struct grouper *g, struct str point,
                                bool *removed)
{
    *removed = false;
    if (!may_be_over(g, point))
        return point;
    buf_reset(&g->key);
    return add_without(g, point, STR(""), removed) ? point : buf_str(&g->key);
}

/* ---- cells ------------------------------------------------------------ */

static struct cell *cell_find(struct grouper *g, uint64_t hash, uint64_t check,
                              int64_t trial)
{
    size_t first = (size_t)(uintptr_t)idmap_get(g->by_hash, hash);
    for (size_t at = first; at; at = g->cells.p[at - 1].next)
        if (g->cells.p[at - 1].check == check)
            return &g->cells.p[at - 1];
    struct cell c = {.check = check, .next = first, .first = trial};
    vec_push(&g->cells, c);
    idmap_set(g->by_hash, hash, (void *)(uintptr_t)g->cells.len);
    return &vec_last(&g->cells);
}

static bool is_better(const struct grouper *g, double a, double b)
{
    return g->minimize ? a < b : a > b;
}

static void cell_add(const struct grouper *g, struct cell *c,
                     const struct trial *t)
{
    double v = t->value;
    double off = v - c->mean;
    bool best = c->count == 0 || is_better(g, v, g->minimize ? c->min : c->max);
    if (best)
        c->best = t->id;
    if (c->count == 0 || v < c->min)
        c->min = v;
    if (c->count == 0 || v > c->max)
        c->max = v;
    c->count++;
    c->mean += off / (double)c->count;
    c->squares += off * (v - c->mean);
    /* With an infinity among them the recurrence would give NaN. */
    if (isinf(c->min) || isinf(c->max))
        c->mean = c->min + c->max;
}

static void group_add(struct grouper *g, const struct trial *t)
{
    bool removed;
    struct str point = point_without(g, t->point, &removed);
    uint64_t hash, check;
    g->removed_any |= removed;
    if (g->over_seed && !removed) {
        struct str number = str_n((const char *)&t->group, sizeof t->group);
        hash = hash64(number, 1);
        check = (uint64_t)t->group;
    } else {
        hash = hash64(point, 2);
        check = hash64(point, 3);
    }
    cell_add(g, cell_find(g, hash, check, t->id), t);
}

/* ---- order and hand over ---------------------------------------------- */

static int cmp_up(const void *a, const void *b)
{
    const struct cell *x = *(const struct cell *const *)a;
    const struct cell *y = *(const struct cell *const *)b;
    if (isnan(x->mean) || isnan(y->mean))
        return isnan(x->mean) - isnan(y->mean);
    if (x->mean != y->mean)
        return x->mean < y->mean ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int cmp_down(const void *a, const void *b)
{
    const struct cell *x = *(const struct cell *const *)a;
    const struct cell *y = *(const struct cell *const *)b;
    if (x->mean == y->mean || isnan(x->mean) || isnan(y->mean))
        return cmp_up(a, b);
    return -cmp_up(a, b);
}

/* The best `limit` cells (0: all) in order; yours to free. With a limit, what
 * cannot be among the first is left out as soon as enough are known. */
static const struct cell **best_cells(const struct grouper *g, size_t limit,
                                      size_t *count)
{
    int (*cmp)(const void *, const void *) = g->minimize ? cmp_up : cmp_down;
    if (limit >= g->cells.len)
        limit = 0;
    size_t most = limit ? 2 * limit + 1024 : g->cells.len, n = 0;
    bool cut = false;
    const struct cell **best = xcalloc(most + 1, sizeof *best);
    for (size_t i = 0; i < g->cells.len; i++) {
        const struct cell *c = &g->cells.p[i];
        if (cut && cmp(&c, &best[limit - 1]) > 0)
            continue;
        best[n++] = c;
        if (limit && n == most) {
            qsort(best, n, sizeof *best, cmp);
            n = limit;
            cut = true;
        }
    }
    if (n > 0)
        qsort(best, n, sizeof *best, cmp);
    *count = limit && n > limit ? limit : n;
    return best;
}

static int hand_over(struct grouper *g, struct store *s, int64_t limit,
                     struct arena *a, struct group_row **list, size_t *count,
                     struct err *err)
{
    size_t n;
    const struct cell **best = best_cells(g, limit > 0 ? (size_t)limit : 0, &n);
    struct group_row *rows = arena_array(a, n, sizeof *rows);
    struct arena *scratch = arena_new();
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct cell *c = best[i];
        bool removed;
        double spread = c->count > 1 ? c->squares / (double)(c->count - 1) : 0;
        struct trial t;
        arena_reset(scratch);
        rc = store_trial(s, c->first, scratch, &t, err);
        if (rc)
            break;
        struct str point = point_without(g, t.point, &removed);
        rows[i] = (struct group_row){.point = arena_str(a, point),
                                     .count = c->count,
                                     .mean = c->mean,
                                     .std = sqrt(spread),
                                     .min = c->min,
                                     .max = c->max,
                                     .best = c->best};
    }
    arena_free(scratch);
    free(best);
    if (rc == 0) {
        *list = rows;
        *count = n;
    }
    return rc;
}

static int gather(struct grouper *g, struct store *s, const char *where,
                  struct err *err)
{
    struct scan scan;
    struct scan_options o = {.where = where,
                             .columns = COLUMN_BIT(TRIAL_VALUE) |
                                        COLUMN_BIT(TRIAL_GROUP) |
                                        COLUMN_BIT(TRIAL_POINT)};
    struct trial t;
    if (scan_open(&scan, s, &o, err))
        return -1;
    int row;
    while ((row = scan_next(&scan, &t, err)) == 1)
        if (!isnan(t.value))
            group_add(g, &t);
    scan_close(&scan);
    return row;
}

int store_group(struct store *s, const char *over, const char *where,
                bool minimize, int64_t limit, struct arena *a,
                struct group_row **list, size_t *count, struct err *err)
{
    struct grouper g = {.minimize = minimize, .by_hash = idmap_new()};
    struct str names = str_of(over ? over : ""), name;
    while (names.len && str_split(&names, ',', &name))
        vec_push(&g.over, str_trim(name));
    g.over_seed = over && !strcmp(over, "seed");
    buf_init(&g.key);
    int rc = gather(&g, s, where, err);
    if (rc == 0 && !g.removed_any && !g.over_seed && g.over.len > 0 &&
        g.cells.len > 0)
        rc = err_set(err, ERR_INPUT,
                     "no trial has a parameter '%s' to look over", over);
    if (rc == 0)
        rc = hand_over(&g, s, limit, a, list, count, err);
    buf_done(&g.key);
    vec_done(&g.over);
    vec_done(&g.cells);
    idmap_free(g.by_hash);
    return rc;
}
