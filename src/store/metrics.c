/* metrics.c - metric points on their way into rows
 *
 * The points of one (trial, attempt, name, source) collect in a series. Each
 * commit must hold all points given before it, so the new ones become a row
 * of their own, a part. To keep parts few and the writing cheap they grow
 * like the digits of a counter: a part that is less than twice as large as
 * what is written behind it is taken into the new row. So each part is at
 * least twice as large as the next one, and each time that a point is written
 * again its part has grown by half or more, however often a commit comes. A
 * full series, and every series of a trial that has ended, is joined into one
 * row.
 *
 * What must stay true: part i covers points part_at[i] up to the next part
 * (the last one up to saved) and is the row with chunk first_chunk + i;
 * points from saved on are in no row, and then the series is in `dirty`. */
#include "store/metrics.h"

#include <math.h>
#include "store/change.h"

#define SERIES_PARTS_MAX 16 /* more than log2(PACK_POINTS_MAX) */
/* Memory for points that are in rows already; past it they are let go. */
#define METRICS_BYTES_MAX (16u << 20)
#define POINT_BYTES 24

struct series_open {
    struct series_key key;
    int64_t first_chunk;
    int64_t *steps, *times; /* times: unix time in ms; 0: unknown */
    double *values;
    size_t count, cap, saved;
    size_t part_at[SERIES_PARTS_MAX];
    unsigned parts;
    bool dirty;
    struct series_open *next; /* of the same trial */
};

struct metrics {
    struct map *names;    /* text -> number of its row in `names` */
    struct map *series;   /* struct series_key -> struct series_open */
    struct idmap *trials; /* trial -> its first series */
    VEC(struct series_open *) dirty;
    size_t bytes;
    bool let_go; /* series of open trials were freed to save memory */
    struct packer *packer;
};

static struct str key_str(const struct series_key *key)
{
    return str_n((const char *)key, sizeof *key);
}

struct metrics *metrics_new(void)
{
    struct metrics *m = xcalloc(1, sizeof *m);
    m->names = map_new();
    m->series = map_new();
    m->trials = idmap_new();
    m->packer = packer_new();
    return m;
}

static void series_free(struct metrics *m, struct series_open *o)
{
    map_del(m->series, key_str(&o->key));
    m->bytes -= o->cap * POINT_BYTES;
    free(o->steps);
    free(o->times);
    free(o->values);
    free(o);
}

static void free_all_series(struct metrics *m)
{
    uint64_t trial;
    void *first;
    for (size_t at = 0; idmap_next(m->trials, &at, &trial, &first);) {
        struct series_open *next;
        for (struct series_open *o = first; o; o = next) {
            next = o->next;
            series_free(m, o);
        }
    }
    idmap_free(m->trials);
    m->trials = idmap_new();
    m->dirty.len = 0;
}

void metrics_free(struct metrics *m)
{
    if (!m)
        return;
    free_all_series(m);
    map_free(m->names);
    map_free(m->series);
    idmap_free(m->trials);
    vec_done(&m->dirty);
    packer_free(m->packer);
    free(m);
}

void metrics_forget(struct store *s)
{
    if (!s->metrics)
        return;
    free_all_series(s->metrics);
    map_free(s->metrics->names);
    s->metrics->names = map_new();
}

/* ---- names ------------------------------------------------------------ */

int metrics_name_find(struct store *s, struct str name, int64_t *id,
                      struct err *err)
{
    static const char sql[] = "SELECT id FROM names WHERE name = ?";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_text64(st, 1, name.p, name.len, SQLITE_STATIC, SQLITE_UTF8);
    int row = db_row(s, st, "read a metric's name from", err);
    if (row < 0)
        return -1;
    *id = row ? sqlite3_column_int64(st, 0) : 0;
    sqlite3_reset(st);
    return 0;
}

static int name_add(struct store *s, struct str name, int64_t *id,
                    struct err *err)
{
    static const char sql[] = "INSERT INTO names (name) VALUES (?)";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_text64(st, 1, name.p, name.len, SQLITE_STATIC, SQLITE_UTF8);
    if (db_run(s, st, "write a metric's name into", err))
        return -1;
    *id = sqlite3_last_insert_rowid(s->db);
    return 0;
}

static int name_number(struct store *s, struct str name, uint32_t *number,
                       struct err *err)
{
    int64_t id = (int64_t)(intptr_t)map_get(s->metrics->names, name);
    if (id == 0) {
        if (metrics_name_find(s, name, &id, err))
            return -1;
        if (id == 0 && name_add(s, name, &id, err))
            return -1;
        map_set(s->metrics->names, name, (void *)(intptr_t)id);
    }
    *number = (uint32_t)id;
    return 0;
}

/* ---- rows ------------------------------------------------------------- */

static void bind_key(sqlite3_stmt *st, const struct series_key *key)
{
    sqlite3_bind_int64(st, 1, key->trial);
    sqlite3_bind_int64(st, 2, key->name);
    sqlite3_bind_int64(st, 3, key->attempt);
    sqlite3_bind_int64(st, 4, key->source);
}

static int part_write(struct store *s, const struct series_open *o,
                      unsigned part, size_t from, struct err *err)
{
    static const char sql[] = "INSERT OR REPLACE INTO metrics (trial, name,"
                              " attempt, source, chunk, points)"
                              " VALUES (?, ?, ?, ?, ?, ?)";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    struct str packed =
        packer_pack(s->metrics->packer, o->steps + from, o->times + from,
                    o->values + from, o->count - from);
    bind_key(st, &o->key);
    sqlite3_bind_int64(st, 5, o->first_chunk + part);
    sqlite3_bind_blob64(st, 6, packed.p, packed.len, SQLITE_STATIC);
    return db_run(s, st, "write metrics into", err);
}

static int parts_delete(struct store *s, const struct series_open *o,
                        unsigned from, unsigned end, struct err *err)
{
    static const char sql[] =
        "DELETE FROM metrics WHERE trial = ? AND name = ? AND attempt = ?"
        " AND source = ? AND chunk = ?";
    for (unsigned part = from; part < end; part++) {
        sqlite3_stmt *st = db_stmt(s, sql, err);
        if (!st)
            return -1;
        bind_key(st, &o->key);
        sqlite3_bind_int64(st, 5, o->first_chunk + part);
        if (db_run(s, st, "write metrics into", err))
            return -1;
    }
    return 0;
}

/* How many parts stay as they are when the points from *from on are written;
 * *from moves to the front of the parts that are written with them. */
static unsigned parts_kept(const struct series_open *o, bool all, size_t *from)
{
    unsigned keep = o->parts;
    while (keep > 0) {
        size_t at = o->part_at[keep - 1];
        if (!all && keep < SERIES_PARTS_MAX &&
            *from - at >= 2 * (o->count - *from))
            break;
        *from = at;
        keep--;
    }
    return keep;
}

/* Puts the points that are in no row into one, with the parts before them
 * that are not large enough to stay (or all). */
static int series_flush(struct store *s, struct series_open *o, bool all,
                        struct err *err)
{
    if (o->count == o->saved && (!all || o->parts <= 1))
        return 0;
    size_t from = o->saved;
    unsigned keep = parts_kept(o, all, &from);
    if (part_write(s, o, keep, from, err) ||
        parts_delete(s, o, keep + 1, o->parts, err))
        return -1;
    o->part_at[keep] = from;
    o->parts = keep + 1;
    o->saved = o->count;
    return 0;
}

/* ---- adding ----------------------------------------------------------- */

static int next_chunk(struct store *s, const struct series_key *key,
                      int64_t *chunk, struct err *err)
{
    static const char sql[] =
        "SELECT chunk FROM metrics WHERE trial = ? AND name = ?"
        " AND attempt = ? AND source = ? ORDER BY chunk DESC LIMIT 1";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    bind_key(st, key);
    int row = db_row(s, st, "read metrics of", err);
    if (row < 0)
        return -1;
    *chunk = row ? sqlite3_column_int64(st, 0) + 1 : 0;
    sqlite3_reset(st);
    return 0;
}

static struct series_open *
series_find(struct store *s, const struct series_key *key, struct err *err)
{
    struct metrics *m = s->metrics;
    struct series_open *o = map_get(m->series, key_str(key));
    if (o)
        return o;
    /* The first points of a trial that is new have no row before them. */
    int64_t chunk = 0;
    if ((m->let_go || !trial_is_fresh(s, key->trial)) &&
        next_chunk(s, key, &chunk, err))
        return NULL;
    o = xcalloc(1, sizeof *o);
    o->key = *key;
    o->first_chunk = chunk;
    o->next = idmap_get(m->trials, (uint64_t)key->trial);
    idmap_set(m->trials, (uint64_t)key->trial, o);
    map_set(m->series, key_str(key), o);
    return o;
}

static void series_reserve(struct metrics *m, struct series_open *o,
                           size_t count)
{
    if (count <= o->cap)
        return;
    size_t cap = o->cap ? o->cap : 8;
    while (cap < count)
        cap *= 2;
    o->steps = xrealloc(o->steps, cap * sizeof *o->steps);
    o->times = xrealloc(o->times, cap * sizeof *o->times);
    o->values = xrealloc(o->values, cap * sizeof *o->values);
    m->bytes += (cap - o->cap) * POINT_BYTES;
    o->cap = cap;
}

/* A full series becomes one row and begins anew behind it. */
static int series_full(struct store *s, struct series_open *o, struct err *err)
{
    if (series_flush(s, o, true, err))
        return -1;
    o->first_chunk++;
    o->count = o->saved = 0;
    o->parts = 0;
    return 0;
}

static int series_add(struct store *s, struct series_open *o,
                      const struct arrived *a, struct err *err)
{
    const char *steps = a->steps, *values = a->values;
    size_t count = a->count;
    while (count > 0) {
        size_t n = PACK_POINTS_MAX - o->count;
        if (n > count)
            n = count;
        series_reserve(s->metrics, o, o->count + n);
        for (size_t i = 0; i < n; i++)
            o->times[o->count + i] = a->time_ms;
        memcpy(o->steps + o->count, steps, 8 * n);
        memcpy(o->values + o->count, values, 8 * n);
        o->count += n;
        steps += 8 * n;
        values += 8 * n;
        count -= n;
        if (o->count == PACK_POINTS_MAX && series_full(s, o, err))
            return -1;
    }
    if (o->count > o->saved && !o->dirty) {
        o->dirty = true;
        vec_push(&s->metrics->dirty, o);
    }
    return 0;
}

static int apply_added(struct store *s, const void *what, struct err *err)
{
    const struct arrived *a = what;
    struct series_key key = a->key;
    if (name_number(s, a->name, &key.name, err))
        return -1;
    struct series_open *o = series_find(s, &key, err);
    return o ? series_add(s, o, a, err) : -1;
}

const struct arrived *metrics_arrived(const struct redo *c)
{
    return c->apply == apply_added ? c->what : NULL;
}

int store_metrics_add(struct store *s, int64_t trial, uint32_t attempt,
                      struct str name, const struct metric_column *c,
                      struct err *err)
{
    struct arrived a = {.key = {.trial = trial,
                                .attempt = attempt,
                                .source = (uint8_t)c->source},
                        .time_ms = (int64_t)(c->wall * 1000),
                        .count = c->count},
                   *made;
    if (c->count == 0)
        return 0;
    if (!(made = change_start(s, &a, sizeof a, err)))
        return -1;
    struct str steps = str_n((const char *)c->steps, 8 * c->count);
    struct str values = str_n((const char *)c->values, 8 * c->count);
    made->name = arena_str(s->redo_room, name);
    made->steps = arena_str(s->redo_room, steps).p;
    made->values = arena_str(s->redo_room, values).p;
    return change_end(s, apply_added, made, err);
}

/* ---- letting go ------------------------------------------------------- */

int metrics_flush(struct store *s, struct err *err)
{
    struct metrics *m = s->metrics;
    for (size_t i = 0; i < m->dirty.len; i++)
        if (series_flush(s, m->dirty.p[i], false, err))
            return -1;
    for (size_t i = 0; i < m->dirty.len; i++)
        m->dirty.p[i]->dirty = false;
    m->dirty.len = 0;
    if (m->bytes > METRICS_BYTES_MAX) {
        free_all_series(m);
        m->let_go = true;
    }
    return 0;
}

static void dirty_remove(struct metrics *m, const struct series_open *o)
{
    for (size_t i = 0; i < m->dirty.len; i++) {
        if (m->dirty.p[i] == o) {
            m->dirty.p[i] = vec_last(&m->dirty);
            m->dirty.len--;
            return;
        }
    }
}

/* Frees the series of a trial. */
static void trial_let_go(struct metrics *m, int64_t trial)
{
    struct series_open *next;
    struct series_open *o = idmap_del(m->trials, (uint64_t)trial);
    for (; o; o = next) {
        next = o->next;
        if (o->dirty)
            dirty_remove(m, o);
        series_free(m, o);
    }
}

int metrics_end(struct store *s, int64_t trial, struct err *err)
{
    struct metrics *m = s->metrics;
    struct series_open *o = idmap_get(m->trials, (uint64_t)trial);
    for (; o; o = o->next)
        if (series_flush(s, o, true, err))
            return -1;
    trial_let_go(m, trial);
    return 0;
}

/* ---- forgetting -------------------------------------------------------- */

struct dropped {
    int64_t trial;
    enum metric_source source;
    struct str name;
};

static int apply_drop(struct store *s, const void *what, struct err *err)
{
    static const char sql[] = "DELETE FROM metrics WHERE trial = ?"
                              " AND source = ? AND name ="
                              " (SELECT id FROM names WHERE names.name = ?)";
    const struct dropped *d = what;
    if (metrics_end(s, d->trial, err))
        return -1;
    s->metrics->let_go = true;
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, d->trial);
    sqlite3_bind_int(st, 2, (int)d->source);
    db_bind_str(st, 3, d->name);
    return db_run(s, st, "remove metrics from", err);
}

int store_metrics_drop(struct store *s, int64_t trial, struct str name,
                       enum metric_source source, struct err *err)
{
    struct dropped d = {trial, source, name},
                   *c = change_start(s, &d, sizeof d, err);
    if (!c)
        return -1;
    c->name = arena_str(s->redo_room, name);
    return change_end(s, apply_drop, c, err);
}
