/* scan.c - reading many trials
 *
 * The text of the statement depends on what is needed: a column that nobody
 * asks for is NULL in it, and without texts there is no join, so a scan over
 * a million trials touches as little as it can. */
#include "store/scan.h"

#include "store/trial.h"

static int prepare(struct store *s, const char *sql, sqlite3_stmt **st,
                   struct err *err)
{
    if (sqlite3_prepare_v2(s->db, sql, -1, st, NULL) != SQLITE_OK)
        return db_err(s, "read", err);
    return 0;
}

/* True when some name that is looked up may have to be found in summaries:
 * it is not among the parameters of the first and the last trial. */
static bool wants_summaries(struct scan *c)
{
    struct store *s = c->store;
    bool wants = false;
    struct arena *a = arena_new();
    const int64_t ids[] = {1, store_last_trial(s)};
    struct filter *const filters[] = {c->where, c->by};
    for (int i = 0; i < 2; i++) {
        struct trial t;
        if (store_trial(s, ids[i], a, &t, NULL))
            continue;
        for (int k = 0; k < 2; k++)
            wants |= filters[k] && !filter_names_in(filters[k], t.point);
    }
    arena_free(a);
    return wants;
}

static int prepare_scan(struct scan *c, const struct scan_options *o,
                        struct err *err)
{
    c->columns = o->columns | COLUMN_BIT(TRIAL_ID);
    if (c->where)
        c->columns |= filter_columns(c->where);
    if (c->by)
        c->columns |= filter_columns(c->by);
    if (wants_summaries(c))
        c->columns |= COLUMN_BIT(TRIAL_SUMMARY) | COLUMN_BIT(TRIAL_ABOUT);
    struct buf sql;
    buf_init(&sql);
    trial_select(&sql, c->columns);
    if (o->ranked)
        buf_addf(&sql,
                 " WHERE t.value IS NOT NULL AND ? <= ?"
                 " ORDER BY t.value%s, t.id",
                 o->descending ? " DESC" : "");
    else
        buf_addf(&sql, " WHERE t.id BETWEEN ? AND ? ORDER BY t.id%s",
                 o->descending ? " DESC" : "");
    int rc = prepare(c->store, sql.p, &c->st, err);
    buf_done(&sql);
    if (rc)
        return -1;
    return prepare(c->store, "SELECT summary, about FROM texts WHERE id = ?",
                   &c->summary_st, err);
}

/* As long as a statement is open SQLite keeps the same view of the file and
 * takes no new lock for each range. */
static int hold_view(struct scan *c, struct err *err)
{
    if (prepare(c->store, "SELECT 1 FROM lease", &c->hold, err))
        return -1;
    if (sqlite3_step(c->hold) != SQLITE_ROW)
        return db_err(c->store, "read", err);
    return 0;
}

static int load_tags(struct scan *c, struct err *err)
{
    for (size_t i = 0; c->where && i < filter_tag_count(c->where); i++) {
        int64_t *ids;
        size_t count;
        if (selection_tagged(c->store, filter_tag(c->where, i), &ids, &count,
                             err))
            return -1;
        vec_push(&c->tagged, ids);
        filter_tag_trials(c->where, i, ids, count);
    }
    return 0;
}

int scan_open(struct scan *c, struct store *s, const struct scan_options *o,
              struct err *err)
{
    *c = (struct scan){
        .store = s, .descending = o->descending, .ranked = o->ranked};
    if (o->where && *o->where) {
        c->where = filter_new(o->where, err);
        if (!c->where)
            goto fail;
    }
    if (o->by && *o->by) {
        c->by = filter_name_new(o->by, err);
        if (!c->by)
            goto fail;
    }
    const char *selector = o->selector && *o->selector ? o->selector : "all";
    if (selection_init(&c->selection, s, selector, err))
        goto fail;
    c->have_selection = true;
    if (load_tags(c, err) || prepare_scan(c, o, err) || hold_view(c, err))
        goto fail;
    return 0;
fail:
    scan_close(c);
    return -1;
}

void scan_close(struct scan *c)
{
    sqlite3_finalize(c->st);
    sqlite3_finalize(c->summary_st);
    sqlite3_finalize(c->hold);
    filter_free(c->where);
    filter_free(c->by);
    for (size_t i = 0; i < c->tagged.len; i++)
        free(c->tagged.p[i]);
    vec_done(&c->tagged);
    if (c->have_selection)
        selection_done(&c->selection);
    *c = (struct scan){0};
}

static struct str ask_summary(void *context, int64_t trial, struct str *about)
{
    struct scan *c = context;
    *about = STR("");
    sqlite3_reset(c->summary_st);
    sqlite3_bind_int64(c->summary_st, 1, trial);
    if (sqlite3_step(c->summary_st) != SQLITE_ROW)
        return STR("");
    *about = db_column_str(c->summary_st, 1);
    return db_column_str(c->summary_st, 0);
}

struct filter_value scan_by(struct scan *c, const struct trial *t)
{
    return filter_lookup(c->by, t, ask_summary, c);
}

static bool next_range(struct scan *c)
{
    size_t count = c->selection.ranges.len;
    if (c->range >= count)
        return false;
    size_t at = c->descending ? count - 1 - c->range : c->range;
    const struct id_range *r = &c->selection.ranges.p[at];
    sqlite3_reset(c->st);
    sqlite3_bind_int64(c->st, 1, r->first);
    sqlite3_bind_int64(c->st, 2, r->last);
    c->range++;
    c->in_range = true;
    return true;
}

int scan_next(struct scan *c, struct trial *t, struct err *err)
{
    for (;;) {
        if (!c->in_range && !next_range(c))
            return 0;
        int rc = sqlite3_step(c->st);
        if (rc == SQLITE_DONE) {
            c->in_range = false;
            continue;
        }
        if (rc != SQLITE_ROW)
            return db_err(c->store, "read the trials of", err);
        if (c->ranked && --c->ranked == 0) {
            c->cut = true;
            return 0;
        }
        trial_read(c->st, c->columns, t);
        if (!c->where || filter_test(c->where, t, ask_summary, c))
            return 1;
    }
}
