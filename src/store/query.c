/* query.c - rows: trials, selected, filtered and ordered
 *
 * Three ways, by what the query asks:
 * - by number: one scan, each trial handed on as it is read;
 * - by the objective, all trials: along the index, no more of it read than
 *   is taken (with a filter and a limit: as long as that promises to be less
 *   than the third way);
 * - else: a first scan collects (key, number), they are sorted (only the
 *   best `limit` are kept), and the trials are read one by one. */
#include <math.h>
#include "store/scan.h"
#include "store/trial.h"

/* How far a filter follows the ranking before all trials are looked at: to
 * the first, then for each that is found so much further; in all less far
 * than a scan would take for the tenth of a second that a person waits. */
#define RANKED_FIRST 500
#define RANKED_EACH 50
#define RANKED_SHARED 1500
#define RANKED_LIMIT 1000

enum rows_way { BY_SCAN, BY_INDEX, BY_LIST };

struct sort_key {
    int64_t id;
    double number;
    struct str text; /* p == NULL: it is a number */
};

struct rows {
    struct store *store;
    enum rows_way way;
    struct scan scan;
    sqlite3_stmt *st;   /* BY_INDEX: the rows; BY_LIST: one trial */
    sqlite3_stmt *hold; /* BY_LIST: keeps one view of the file */
    unsigned columns;   /* that st selects */
    VEC(int64_t) ids;
    size_t at;
    int64_t limit, given;
    bool tags;
    struct arena *arena; /* of the row's tags */
};

/* ---- sorting ---------------------------------------------------------- */

/* Numbers come before texts; equal keys by number of the trial. */
static int cmp_keys(const struct sort_key *x, const struct sort_key *y,
                    int sign)
{
    if (!x->text.p != !y->text.p)
        return x->text.p ? 1 : -1;
    int order = x->text.p               ? str_cmp(x->text, y->text)
                : x->number < y->number ? -1
                                        : x->number > y->number;
    if (order != 0)
        return order * sign;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int cmp_up(const void *a, const void *b)
{
    return cmp_keys(a, b, 1);
}

static int cmp_down(const void *a, const void *b)
{
    return cmp_keys(a, b, -1);
}

struct sorter {
    VEC(struct sort_key) keys;
    struct arena *texts;
    bool descending;
    bool cut;     /* the first `limit` keys are the best so far, in order */
    size_t limit; /* 0: none */
};

static void sorter_sort(struct sorter *k)
{
    if (k->keys.len > 0)
        qsort(k->keys.p, k->keys.len, sizeof *k->keys.p,
              k->descending ? cmp_down : cmp_up);
    if (k->limit > 0 && k->keys.len >= k->limit) {
        k->keys.len = k->limit;
        k->cut = true;
    }
}

/* With a limit, what cannot be among the first is soon not kept at all. */
static void sorter_add(struct sorter *k, int64_t id,
                       const struct filter_value *v)
{
    struct sort_key key = {.id = id, .number = v->number};
    if (v->kind == FILTER_UNKNOWN || v->kind == FILTER_NULL)
        return;
    if (v->kind == FILTER_NUMBER && isnan(v->number))
        return;
    if (v->kind == FILTER_STRING)
        key.text = v->text;
    if (k->cut &&
        cmp_keys(&key, &k->keys.p[k->limit - 1], k->descending ? -1 : 1) > 0)
        return;
    if (v->kind == FILTER_STRING)
        key.text = arena_str(k->texts, v->text);
    vec_push(&k->keys, key);
    /* A limit may be as large as a number can be. */
    if (k->limit > 0 && k->keys.len / 2 >= k->limit + 512)
        sorter_sort(k);
}

/* True when the best that a filter means were all found near the beginning of
 * the ranking, as those of most filters are. */
static int collect_ranked(struct rows *r, const struct query *q, bool *found,
                          struct err *err)
{
    struct scan_options o = {
        .where = q->where, .descending = q->descending, .ranked = RANKED_FIRST};
    int64_t further = RANKED_EACH + RANKED_SHARED / q->limit;
    struct trial t;
    int row = scan_open(&r->scan, r->store, &o, err);
    if (row)
        return -1;
    while ((int64_t)r->ids.len < q->limit &&
           (row = scan_next(&r->scan, &t, err)) == 1) {
        vec_push(&r->ids, t.id);
        r->scan.ranked += further;
    }
    *found = !r->scan.cut;
    scan_close(&r->scan);
    if (!*found)
        r->ids.len = 0;
    return row < 0 ? -1 : 0;
}

static int collect(struct rows *r, const struct query *q, struct err *err)
{
    struct scan_options o = {
        .selector = q->selector, .where = q->where, .by = q->by};
    struct sorter k = {.texts = arena_new(),
                       .descending = q->descending,
                       .limit = q->limit > 0 ? (size_t)q->limit : 0};
    struct trial t;
    int row = scan_open(&r->scan, r->store, &o, err);
    while (row == 0 && (row = scan_next(&r->scan, &t, err)) == 1) {
        struct filter_value v = scan_by(&r->scan, &t);
        sorter_add(&k, t.id, &v);
        row = 0;
    }
    if (row == 0)
        sorter_sort(&k);
    for (size_t i = 0; row == 0 && i < k.keys.len; i++)
        vec_push(&r->ids, k.keys.p[i].id);
    scan_close(&r->scan);
    vec_done(&k.keys);
    arena_free(k.texts);
    return row;
}

/* ---- opening ---------------------------------------------------------- */

static unsigned columns_of(const struct query *q)
{
    if (!q->results)
        return q->with_texts ? COLUMNS_ALL : COLUMNS_PLAIN;
    unsigned texts = COLUMN_BIT(TRIAL_SUMMARY) | COLUMN_BIT(TRIAL_ABOUT);
    return COLUMNS_RESULTS | (q->with_texts ? texts : 0);
}

static int open_scan(struct rows *r, const struct query *q, struct err *err)
{
    struct scan_options o = {.selector = q->selector,
                             .where = q->where,
                             .descending = q->descending,
                             .columns = columns_of(q)};
    r->way = BY_SCAN;
    return scan_open(&r->scan, r->store, &o, err);
}

/* Prepares "SELECT the query's columns FROM … <tail>". */
static int prepare(struct rows *r, const struct query *q, const char *tail,
                   struct err *err)
{
    struct buf sql;
    buf_init(&sql);
    r->columns = columns_of(q);
    trial_select(&sql, r->columns);
    buf_adds(&sql, tail);
    int rc = sqlite3_prepare_v2(r->store->db, sql.p, -1, &r->st, NULL);
    buf_done(&sql);
    return rc == SQLITE_OK ? 0 : db_err(r->store, "read", err);
}

static int open_index(struct rows *r, const struct query *q, struct err *err)
{
    r->way = BY_INDEX;
    return prepare(r, q,
                   q->descending
                       ? " WHERE t.value IS NOT NULL"
                         " ORDER BY t.value DESC, t.id"
                       : " WHERE t.value IS NOT NULL ORDER BY t.value, t.id",
                   err);
}

static int open_list(struct rows *r, const struct query *q, struct err *err)
{
    r->way = BY_LIST;
    if (prepare(r, q, " WHERE t.id = ?", err))
        return -1;
    /* As long as a statement is open SQLite keeps the same view of the file
     * and takes no new lock for each trial. */
    if (sqlite3_prepare_v2(r->store->db, "SELECT 1 FROM lease", -1, &r->hold,
                           NULL) != SQLITE_OK ||
        sqlite3_step(r->hold) != SQLITE_ROW)
        return db_err(r->store, "read", err);
    return 0;
}

/* best:N alone: the order is the ranking's, the filter is applied to it. */
static int open_ranked(struct rows *r, const struct query *q,
                       struct selection *sel, struct err *err)
{
    if (!q->where || !*q->where) {
        for (size_t i = 0; i < sel->ranked.len; i++)
            vec_push(&r->ids, sel->ranked.p[i]);
        return open_list(r, q, err);
    }
    struct idmap *meant = idmap_new();
    struct scan_options o = {.selector = q->selector, .where = q->where};
    struct trial t;
    int row = scan_open(&r->scan, r->store, &o, err);
    while (row == 0 && (row = scan_next(&r->scan, &t, err)) == 1) {
        idmap_set(meant, (uint64_t)t.id, r);
        row = 0;
    }
    scan_close(&r->scan);
    for (size_t i = 0; row == 0 && i < sel->ranked.len; i++)
        if (idmap_get(meant, (uint64_t)sel->ranked.p[i]))
            vec_push(&r->ids, sel->ranked.p[i]);
    idmap_free(meant);
    return row ? -1 : open_list(r, q, err);
}

static bool given(const char *text)
{
    return text && *text;
}

static int open_by_id(struct rows *r, const struct query *q, struct err *err)
{
    if (!given(q->selector))
        return open_scan(r, q, err);
    struct selection sel;
    if (selection_init(&sel, r->store, q->selector, err))
        return -1;
    int rc =
        sel.is_ranked ? open_ranked(r, q, &sel, err) : open_scan(r, q, err);
    selection_done(&sel);
    return rc;
}

static int open_rows(struct rows *r, const struct query *q, struct err *err)
{
    if (!given(q->by) || strcmp(q->by, "trial") == 0)
        return open_by_id(r, q, err);
    if (strcmp(q->by, "value") == 0 && !given(q->where) && !given(q->selector))
        return open_index(r, q, err);
    bool found = false;
    if (strcmp(q->by, "value") == 0 && !given(q->selector) && q->limit > 0 &&
        q->limit <= RANKED_LIMIT && collect_ranked(r, q, &found, err))
        return -1;
    if (!found && collect(r, q, err))
        return -1;
    return open_list(r, q, err);
}

/* Most studies have no tags, and then no trial is asked for its own. */
static int any_tags(struct rows *r, struct err *err)
{
    int64_t some;
    if (db_number(r->store, "SELECT 1 FROM tags LIMIT 1", 0, &some, err))
        return -1;
    r->tags = some != 0;
    return 0;
}

struct rows *store_rows(struct store *s, const struct query *q, struct err *err)
{
    struct rows *r = xcalloc(1, sizeof *r);
    r->store = s;
    r->limit = q->limit;
    r->arena = arena_new();
    bool tags = q->with_texts && !q->results;
    if ((tags && any_tags(r, err)) || open_rows(r, q, err)) {
        rows_close(r);
        return NULL;
    }
    return r;
}

void rows_close(struct rows *r)
{
    if (!r)
        return;
    scan_close(&r->scan);
    sqlite3_finalize(r->st);
    sqlite3_finalize(r->hold);
    vec_done(&r->ids);
    arena_free(r->arena);
    free(r);
}

/* ---- reading ---------------------------------------------------------- */

static int next_of_index(struct rows *r, struct trial *t, struct err *err)
{
    int rc = sqlite3_step(r->st);
    if (rc == SQLITE_DONE)
        return 0;
    if (rc != SQLITE_ROW)
        return db_err(r->store, "read the trials of", err);
    trial_read(r->st, r->columns, t);
    return 1;
}

static int next_of_list(struct rows *r, struct trial *t, struct err *err)
{
    while (r->at < r->ids.len) {
        sqlite3_reset(r->st);
        sqlite3_bind_int64(r->st, 1, r->ids.p[r->at++]);
        int row = next_of_index(r, t, err);
        if (row != 0)
            return row;
    }
    return 0;
}

int rows_next(struct rows *r, struct trial *t, struct err *err)
{
    if (r->limit > 0 && r->given >= r->limit)
        return 0;
    int row = r->way == BY_SCAN    ? scan_next(&r->scan, t, err)
              : r->way == BY_INDEX ? next_of_index(r, t, err)
                                   : next_of_list(r, t, err);
    if (row != 1)
        return row;
    r->given++;
    if (!r->tags)
        return 1;
    arena_reset(r->arena);
    return trial_tags(r->store, t->id, r->arena, t, err) ? -1 : 1;
}
