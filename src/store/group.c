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
    struct str over; /* names, joined by commas */
    bool over_seed;  /* repeats count as differing in their seed */
    bool minimize;
    bool removed_any; /* some trial had a parameter that was named */
    VEC(struct cell) cells;
    struct idmap *by_hash;
    struct buf key;
};

/* ---- a point without some parameters ---------------------------------- */

static bool is_over(struct str over, struct str prefix, struct str key)
{
    struct str name;
    while (str_split(&over, ',', &name)) {
        name = str_trim(name);
        if (name.len != prefix.len + key.len)
            continue;
        if (memcmp(name.p, prefix.p, prefix.len) == 0 &&
            memcmp(name.p + prefix.len, key.p, key.len) == 0)
            return true;
    }
    return false;
}

/* True when some name to remove lies below prefix.key. */
static bool goes_into(struct str over, struct str prefix, struct str key)
{
    struct str name;
    while (str_split(&over, ',', &name)) {
        name = str_trim(name);
        if (name.len > prefix.len + key.len + 1 &&
            memcmp(name.p, prefix.p, prefix.len) == 0 &&
            memcmp(name.p + prefix.len, key.p, key.len) == 0 &&
            name.p[prefix.len + key.len] == '.')
            return true;
    }
    return false;
}

/* Copies the members of the object whose opening was just read. */
static int copy_without(struct json_scan *scan, struct str over,
                        struct str prefix, struct buf *out, bool *removed)
{
    bool first = true;
    buf_addc(out, '{');
    enum json_token token;
    while ((token = json_scan_next(scan)) == JSON_KEY) {
        struct str key = scan->text;
        token = json_scan_next(scan);
        const char *from = scan->at;
        bool drop = is_over(over, prefix, key);
        *removed |= drop;
        if (!drop) {
            buf_adds(out, first ? "\"" : ",\"");
            buf_addstr(out, key);
            buf_adds(out, "\":");
            first = false;
        }
        if (!drop && token == JSON_OBJECT_OPEN &&
            goes_into(over, prefix, key)) {
            struct buf path;
            buf_init(&path);
            buf_addstr(&path, prefix);
            buf_addstr(&path, key);
            buf_addc(&path, '.');
            int rc = copy_without(scan, over, buf_str(&path), out, removed);
            buf_done(&path);
            if (rc)
                return -1;
            continue;
        }
        if (json_scan_skip(scan, token))
            return -1;
        if (!drop)
            buf_add(out, from, (size_t)(scan->p - from));
    }
    buf_addc(out, '}');
    return token == JSON_OBJECT_CLOSE ? 0 : -1;
}

static bool point_without(struct str point, struct str over, struct buf *out)
{
    struct json_scan scan;
    bool removed = false;
    json_scan_init(&scan, point);
    buf_reset(out);
    if (json_scan_next(&scan) != JSON_OBJECT_OPEN ||
        copy_without(&scan, over, STR(""), out, &removed)) {
        buf_reset(out);
        buf_addstr(out, point);
    }
    return removed;
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
    bool removed = point_without(t->point, g->over, &g->key);
    uint64_t hash, check;
    g->removed_any |= removed;
    if (g->over_seed && !removed) {
        struct str number = str_n((const char *)&t->group, sizeof t->group);
        hash = hash64(number, 1);
        check = (uint64_t)t->group;
    } else {
        hash = hash64(buf_str(&g->key), 2);
        check = hash64(buf_str(&g->key), 3);
    }
    cell_add(g, cell_find(g, hash, check, t->id), t);
}

/* ---- order and hand over ---------------------------------------------- */

static int cmp_up(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (isnan(x->mean) || isnan(y->mean))
        return isnan(x->mean) - isnan(y->mean);
    if (x->mean != y->mean)
        return x->mean < y->mean ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int cmp_down(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->mean == y->mean || isnan(x->mean) || isnan(y->mean))
        return cmp_up(a, b);
    return -cmp_up(a, b);
}

static int hand_over(struct grouper *g, struct store *s, int64_t limit,
                     struct arena *a, struct group_row **list, size_t *count,
                     struct err *err)
{
    size_t n = g->cells.len;
    if (n > 0)
        qsort(g->cells.p, n, sizeof *g->cells.p,
              g->minimize ? cmp_up : cmp_down);
    if (limit > 0 && (size_t)limit < n)
        n = (size_t)limit;
    struct group_row *rows = arena_array(a, n, sizeof *rows);
    struct arena *scratch = arena_new();
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct cell *c = &g->cells.p[i];
        double spread = c->count > 1 ? c->squares / (double)(c->count - 1) : 0;
        struct trial t;
        arena_reset(scratch);
        rc = store_trial(s, c->first, scratch, &t, err);
        if (rc)
            break;
        point_without(t.point, g->over, &g->key);
        rows[i] = (struct group_row){.point = arena_str(a, buf_str(&g->key)),
                                     .count = c->count,
                                     .mean = c->mean,
                                     .std = sqrt(spread),
                                     .min = c->min,
                                     .max = c->max,
                                     .best = c->best};
    }
    arena_free(scratch);
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
    struct grouper g = {.over = str_of(over ? over : ""),
                        .minimize = minimize,
                        .by_hash = idmap_new()};
    g.over_seed = str_is(g.over, "seed");
    buf_init(&g.key);
    int rc = gather(&g, s, where, err);
    if (rc == 0 && !g.removed_any && !g.over_seed && g.over.len > 0 &&
        g.cells.len > 0)
        rc = err_set(err, ERR_INPUT,
                     "no trial has a parameter '%s' to look over", over);
    if (rc == 0)
        rc = hand_over(&g, s, limit, a, list, count, err);
    buf_done(&g.key);
    vec_done(&g.cells);
    idmap_free(g.by_hash);
    return rc;
}
