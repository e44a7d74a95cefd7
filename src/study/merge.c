/* merge.c - what the shards of an inference said, as one table, or as those of
 * the rules by which they kept some of it (merge_kept.c)
 *
 * In the order of the rows, whoever was ready first: the table is the same
 * whatever happened on the way. It is there when all of it is. Shards that did
 * not end well are left out, and named in a table beside it. One that did, and
 * whose file is gone, has failed from then on: so it can be tried again. What
 * the table was made of is written down behind it: a run that ends between the
 * last shard and that line leaves it to the next one. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/vec.h"
#include "data/data.h"
#include "study/bulk.h"
#include "study/merge.h"
#include "study/own_tables.h"
#include "study/table_out.h"

struct merging {
    struct study *study;
    struct shards *shards;
    struct arena *arena;
    int64_t *trial_of; /* by shard, from 1: one that is done; 0: none */
    uint64_t *bad_of;  /* the same: its rows of which nothing is predicted */
    struct merge_bad *bad;
    struct packs *packs;
    struct table_out *out;
    struct merge_kept *kept;      /* NULL: all rows are, in out */
    struct data_product *product; /* of tables; NULL: rows are those of files */
    struct merge_columns *columns;
    struct buf missing;
    VEC(int64_t) gone; /* trials that were done, and have left nothing */
    bool has_header;
    struct merged *to;
};

static int find_done(struct merging *m, struct err *err)
{
    bool models = !m->study->plan->predict->of_command;
    struct query q = {
        .selector = "done", .results = true, .with_texts = models};
    struct rows *rows = store_rows(m->study->store, &q, err);
    uint64_t count = shards_count(m->shards);
    struct arena *a = arena_new();
    struct trial t;
    int got = rows ? 0 : -1;
    m->trial_of = arena_array(m->arena, count + 1, sizeof(*m->trial_of));
    m->bad_of = arena_array(m->arena, count + 1, sizeof(*m->bad_of));
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        arena_reset(a);
        const struct value *point = json_parse(a, t.point, "point", true, NULL);
        const struct value *shard = value_get(point, STR("shard"));
        int64_t at = shard && shard->kind == VALUE_INT ? shard->i : 0;
        if (at < 1 || (uint64_t)at > count || m->trial_of[at])
            continue;
        m->trial_of[at] = t.id;
        m->bad_of[at] = models ? merge_bad_count(&t, a) : 0;
    }
    rows_close(rows);
    arena_free(a);
    return got;
}

/* 1: what it left is gone. */
static int read_shard(struct merging *m, int64_t shard, struct buf *to,
                      struct err *err)
{
    struct err why = {0};
    if (!packs_read(m->packs, m->trial_of[shard], SHARD_PREDICTIONS, to, &why))
        return 0;
    return why.kind == ERR_MISSING ? 1 : err_set(err, why.kind, "%s", why.text);
}

/* Models say the same of all rows of a file, programs of all rows: the first
 * shard of each that has something says which columns there are. */
static int find_columns(struct merging *m, struct err *err)
{
    struct task_shard rows;
    struct str seen = {0};
    bool models = !m->study->plan->predict->of_command;
    uint64_t count = m->has_header ? shards_count(m->shards) : 0;
    struct buf b;
    int rc = 0;
    buf_init(&b);
    for (int64_t i = 1; rc >= 0 && (uint64_t)i <= count; i++) {
        rc = shards_at(m->shards, i, &rows, err);
        bool known = seen.p && (!models || str_eq(seen, rows.file));
        if (rc || known || !m->trial_of[i])
            continue;
        buf_reset(&b);
        rc = read_shard(m, i, &b, err);
        if (!rc)
            rc = merge_columns_add(m->columns, buf_str(&b), err);
        if (!rc && merge_columns_header(m->columns).len)
            seen = rows.file;
    }
    buf_done(&b);
    return rc < 0 ? -1
                  : table_add(m->out, merge_columns_header(m->columns), err);
}

static int fit_columns(struct merging *m, int64_t shard, struct str *text,
                       struct err *err)
{
    return merge_columns_fit(m->columns, text, err)
               ? err_wrap(err, "shard %lld", (long long)shard)
               : 0;
}

/* What a program says may be more or less than a line for each row. */
static uint64_t count_lines(struct str text)
{
    uint64_t lines = 0;
    const char *at = text.p, *end = text.p + text.len;
    for (; at < end; lines++) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    return lines;
}

/* 1: what it left is gone. */
static int add_shard(struct merging *m, int64_t shard, struct err *err)
{
    if (m->kept)
        return merge_kept_add(m->kept, m->trial_of[shard], err);
    struct buf b;
    buf_init(&b);
    int rc = read_shard(m, shard, &b, err);
    struct str text = buf_str(&b);
    if (!rc && m->has_header)
        rc = fit_columns(m, shard, &text, err);
    if (!rc)
        m->to->lines += count_lines(text);
    if (!rc)
        rc = table_add(m->out, text, err);
    if (!rc && text.len && text.p[text.len - 1] != '\n')
        rc = table_add(m->out, STR("\n"), err);
    buf_done(&b);
    return rc;
}

static void miss_shard(struct merging *m, int64_t shard,
                       const struct task_shard *rows)
{
    struct arena *a = arena_new();
    const char *file = arena_cstr(a, rows->file);
    buf_addf(&m->missing, "%lld,", (long long)shard);
    csv_field(&m->missing,
              m->product       ? STR("product")
              : rows->name.len ? rows->name
                               : path_name(file),
              ',');
    buf_addf(&m->missing, ",%llu,%llu\n", (unsigned long long)rows->first + 1,
             (unsigned long long)(rows->first + rows->count));
    m->to->missing_shards++;
    m->to->missing_rows += rows->count;
    arena_free(a);
}

static int add_all(struct merging *m, struct err *err)
{
    struct task_shard rows;
    uint64_t count = shards_count(m->shards);
    for (int64_t i = 1; (uint64_t)i <= count; i++) {
        if (shards_at(m->shards, i, &rows, err))
            return -1;
        int rc = m->trial_of[i] ? add_shard(m, i, err) : 1;
        if (rc < 0)
            return -1;
        if (rc && m->trial_of[i])
            vec_push(&m->gone, m->trial_of[i]);
        if (rc)
            miss_shard(m, i, &rows);
        else
            m->to->rows += rows.count;
        if (!rc &&
            merge_bad_add(m->bad, m->trial_of[i], &rows, m->bad_of[i], err))
            return -1;
    }
    return 0;
}

static const char *missing_beside(const char *path, struct arena *a)
{
    return arena_printf(a, "%s.missing.csv", path);
}

static int write_missing(struct merging *m, struct err *err)
{
    if (merge_bad_end(m->bad, m->to, m->study->arena, err))
        return -1;
    const char *path = missing_beside(m->to->path, m->study->arena);
    unlink(path);
    if (!m->to->missing_shards)
        return 0;
    m->to->missing_path = path;
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "shard,file,first_row,last_row\n");
    buf_addstr(&b, buf_str(&m->missing));
    int rc = file_write(path, buf_str(&b), false, err);
    buf_done(&b);
    return rc;
}

/* With a program rows have names of columns where its shards have them. */
static int look_for_header(struct merging *m, struct err *err)
{
    struct task_shard first;
    if (shards_at(m->shards, 1, &first, err))
        return -1;
    m->has_header = !m->study->plan->predict->of_command || first.header;
    return 0;
}

static int merge_kept(struct merging *m, struct err *err)
{
    struct buf said;
    if (m->study->plan->predict->product_count &&
        !(m->product = bulk_product(m->study->bulk, err)))
        return -1;
    struct merge_kept_rows rows = {m->shards, m->packs, m->product,
                                   m->study->plan->predict->npy};
    m->kept =
        merge_kept_open(m->study->plan->predict->keep, &rows, m->to->path, err);
    if (!m->kept)
        return -1;
    buf_init(&said);
    int rc = add_all(m, err);
    if (!rc)
        rc = merge_kept_end(m->kept, &said, err);
    m->to->tables = arena_cstr(m->study->arena, buf_str(&said));
    buf_done(&said);
    merge_kept_close(m->kept);
    return rc || write_missing(m, err) ? -1 : 0;
}

static int merge(struct merging *m, struct err *err)
{
    if (look_for_header(m, err) || find_done(m, err))
        return -1;
    if (m->study->plan->predict->keep)
        return merge_kept(m, err);
    m->out = table_begin(m->to->path, m->study->plan->predict->npy, err);
    if (!m->out)
        return -1;
    if (find_columns(m, err) == 0 && add_all(m, err) == 0)
        return table_end(m->out, err) || write_missing(m, err) ? -1 : 0;
    table_drop(m->out);
    return -1;
}

/* ---- is it made? --------------------------------------------------------- */

/* Other shards, or another place, are another text; in a folder of rules there
 * may be tables of another format. */
static struct merge_made made_of(const struct study *s, const char *path,
                                 struct arena *a)
{
    const struct plan_predict *p = s->plan->predict;
    return (struct merge_made){
        .what =
            arena_printf(a, "%lld shards are in %s",
                         (long long)s->run.counts.by_state[STATE_DONE], path),
        .path = path,
        .folder = p->keep != NULL,
        .npy = p->npy};
}

static bool is_made(struct study *s)
{
    struct arena *a = arena_new();
    struct merge_made made = made_of(s, s->merged.path, a);
    bool is =
        !s->run.ended_here && merge_made_is(&made, s->setup.folder, &s->merged);
    arena_free(a);
    return is;
}

/* Of a table that is there. */
static int look_at_made(struct study *s, struct err *err)
{
    struct query q = {.selector = "done", .results = true, .with_texts = true};
    struct trial t;
    const char *missing = missing_beside(s->merged.path, s->arena);
    s->merged.path = NULL;
    s->merged.missing_path = file_exists(missing) ? missing : NULL;
    if (s->plan->predict->of_command)
        return 0;
    struct arena *a = arena_new();
    struct rows *rows = store_rows(s->store, &q, err);
    int got = rows ? 0 : -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        arena_reset(a);
        s->merged.bad_rows += merge_bad_count(&t, a);
    }
    rows_close(rows);
    arena_free(a);
    return got;
}

static int fail_trial(struct study *s, int64_t id, struct arena *a,
                      struct err *err)
{
    struct trial t;
    if (store_trial(s->store, id, a, &t, err))
        return -1;
    t.state = STATE_FAILED;
    t.reason = STR("what it had predicted is gone from the study's folder");
    if (store_trial_update(s->store, &t, err))
        return -1;
    s->run.counts.by_state[STATE_DONE]--;
    s->run.counts.by_state[STATE_FAILED]++;
    return 0;
}

static int fail_gone(struct merging *m, struct err *err)
{
    struct study *s = m->study;
    if (!m->gone.len)
        return 0;
    if (store_begin(s->store, err))
        return -1;
    for (size_t i = 0; i < m->gone.len; i++)
        if (fail_trial(s, m->gone.p[i], m->arena, err))
            return -1;
    return store_commit(s->store, err);
}

/* Tables lie where the person has said: they are not closed to others, as what
 * is in the study's folder is. */
static int merge_for_person(struct merging *m, struct err *err)
{
    const mode_t *mask = m->study->setup.mask;
    const char *folder = m->study->setup.folder;
    if (merge_left_begin(folder, m->to->path, err))
        return -1;
    mode_t ours = mask ? umask(*mask) : 0;
    int rc = merge(m, err);
    if (mask)
        umask(ours);
    merge_left_end(folder);
    if (rc || fail_gone(m, err))
        return -1;
    struct merge_made made = made_of(m->study, m->to->path, m->arena);
    return merge_made_write(&made, folder, m->to, err);
}

int study_merge(struct study *s, struct err *err)
{
    struct merging m = {.study = s, .to = &s->merged};
    if (!s->plan->predict)
        return 0;
    s->merged =
        (struct merged){.path = own_table_path(s->plan->predict, s->setup.home,
                                               s->setup.folder, s->arena)};
    if (is_made(s))
        return look_at_made(s, err);
    m.arena = arena_new();
    m.shards = shards_open(s->setup.folder, err);
    m.packs = packs_of(s->store);
    m.bad = merge_bad_new(m.packs, s->merged.path);
    m.columns = merge_columns_new();
    buf_init(&m.missing);
    int rc =
        m.shards && own_tables_add(s->setup.folder, s->merged.path, err) == 0
            ? merge_for_person(&m, err)
            : -1;
    merge_columns_free(m.columns);
    buf_done(&m.missing);
    vec_done(&m.gone);
    merge_bad_free(m.bad);
    data_product_close(m.product);
    packs_close(m.packs);
    shards_close(m.shards);
    arena_free(m.arena);
    return rc ? err_wrap(err, "%s was not made", s->merged.path) : 0;
}

static void add_missing(struct buf *b, const struct merged *m, struct str name)
{
    bool row = m->missing_rows == 1, shard = m->missing_shards == 1;
    const char *them = shard ? "it" : "them";
    buf_addf(b,
             "; %llu row%s of %llu shard%s %s missing there: %s lists %s, and "
             "`throng retry %.*s bad` tries %s again",
             (unsigned long long)m->missing_rows, row ? "" : "s",
             (unsigned long long)m->missing_shards, shard ? "" : "s",
             row ? "is" : "are", m->missing_path, them, STRF(name), them);
}

static void add_bad(struct buf *b, const struct merged *m)
{
    bool one = m->bad_rows == 1;
    buf_addf(b, "%s%llu row%s no prediction", b->len ? "; " : "",
             (unsigned long long)m->bad_rows, one ? " has" : "s have");
    if (m->bad_path)
        buf_addf(b, ": %s lists %s%s%s", m->bad_path, one ? "it" : "them",
                 m->bad_rows > DATA_BAD_TOLD ? " as far as the first 1000" : "",
                 m->bad_first ? ", first " : "");
    buf_adds(b, m->bad_path && m->bad_first ? m->bad_first : "");
}

/* A program has written no line for each row; one that writes several of a row
 * may mean to. */
static bool lacks_lines(const struct study *s)
{
    return s->plan->predict && s->plan->predict->of_command &&
           s->merged.lines < s->merged.rows;
}

bool study_table_lacks(const struct study *s)
{
    return s->merged.bad_rows || s->merged.missing_path || lacks_lines(s);
}

/* Of a table that was there. */
static void print_lacks(const struct study *s, struct buf *b)
{
    const struct merged *m = &s->merged;
    if (m->missing_path)
        buf_addf(b,
                 "the table is not whole: %s lists the shards that are "
                 "missing there, and `throng retry %.*s bad` tries them again",
                 m->missing_path, STRF(s->plan->name));
    if (m->bad_rows)
        add_bad(b, m);
    if (lacks_lines(s))
        buf_addf(b, "%sthe table has %llu line%s of %llu rows",
                 b->len ? "; " : "", (unsigned long long)m->lines,
                 m->lines == 1 ? "" : "s", (unsigned long long)m->rows);
}

void study_merged_print(const struct study *s, struct buf *b)
{
    const struct merged *m = &s->merged;
    if (!m->path) {
        print_lacks(s, b);
        return;
    }
    if (s->plan->predict->of_command && m->lines != m->rows)
        buf_addf(b, "%llu line%s of ", (unsigned long long)m->lines,
                 m->lines == 1 ? "" : "s");
    buf_addf(b, "%llu row%s", (unsigned long long)m->rows,
             m->rows == 1 ? "" : "s");
    if (m->tables)
        buf_addf(b, ": %s", m->tables);
    else
        buf_addf(b, " in %s", m->path);
    if (m->missing_shards)
        add_missing(b, m, s->plan->name);
    if (m->bad_rows)
        add_bad(b, m);
}
