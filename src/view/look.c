/* look.c - a look at a study while it runs
 *
 * The store is opened for each look: a study that begins later, is removed
 * and made anew, or lies where only snapshots can be read needs no other
 * care. A list that needs a whole scan (a filter, another order) is kept, and
 * made anew only after a pause of many times what it took. */
#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/json.h"
#include "base/num.h"
#include "view/gathered.h"

#define REST_FACTOR 20 /* a scan takes at most one part in so many */
#define LOG_BYTES 65536
#define LIST_LEAST 128 /* rows that are asked for at once */

/* The numbers of a list that took a scan to make. */
struct kept_list {
    char *key; /* what was asked; NULL: nothing is kept */
    VEC(int64_t) ids;
    int64_t made_ns, cost_ns; /* the cost is processor time */
    struct counts counts;     /* as they were then */
};

struct watcher {
    char *folder;
    struct gathered gathered;
    struct kept_list kept[LIST_COUNT];
};

/* One look in the making. */
struct looking {
    struct watcher *w;
    struct store *store;
    const struct want *want;
    struct look *look;
    struct err *err;
};

struct watcher *watcher_new(const char *folder)
{
    struct watcher *w = xcalloc(1, sizeof(*w));
    w->folder = xstrdup(folder);
    return w;
}

void watcher_free(struct watcher *w)
{
    if (!w)
        return;
    for (int i = 0; i < LIST_COUNT; i++) {
        free(w->kept[i].key);
        vec_done(&w->kept[i].ids);
    }
    gathered_done(&w->gathered);
    free(w->folder);
    free(w);
}

void look_free(struct look *l)
{
    if (l)
        arena_free(l->arena); /* l itself lives in it */
}

/* ---- how far it is ---------------------------------------------------- */

/* As the conductor has it; with none running nothing ends. */
static int find_rate(struct looking *g)
{
    struct look *l = g->look;
    struct study_pace pace;
    if (study_pace_read(g->store, l->arena, &pace, g->err))
        return -1;
    l->left_s = -1;
    if (!l->lease.live)
        return 0;
    l->rate = pace.rate;
    l->left_s = study_pace_left(&pace, l->total - l->finished);
    return 0;
}

static int read_standing(struct looking *g)
{
    struct look *l = g->look;
    struct standing s;
    if (standing_read(&s, g->store, l->arena, g->err))
        return -1;
    l->counts = s.counts;
    l->total = s.total;
    l->finished = s.finished;
    l->failed = s.bad;
    l->lease = s.lease;
    l->jobs_out = s.jobs_out;
    l->goal = s.goal;
    l->goal.name = arena_str(l->arena, s.goal.name);
    l->best = s.best.id;
    l->best_value = s.best.value;
    l->means = s.means;
    l->mean_count = s.mean_count;
    return find_rate(g);
}

/* ---- rows ------------------------------------------------------------- */

/* Of a running trial only the attempt that runs counts: an earlier one may
 * have come further, or have begun days ago. */
static int read_running(struct looking *g, struct look_row *r)
{
    struct attempt *list;
    struct series s = {0};
    size_t count;
    struct look *l = g->look;
    r->value = NAN;
    if (store_attempts(g->store, r->t.id, l->arena, &list, &count, g->err))
        return -1;
    if (!count)
        return 0;
    r->since = list[count - 1].started;
    if (!l->goal.name.len)
        return 0;
    if (store_attempt_series(g->store, r->t.id, list[count - 1].number,
                             l->goal.name.p, l->arena, &s, g->err))
        return -1;
    if (s.count) {
        r->value = s.values[s.count - 1];
        r->step = s.steps[s.count - 1];
    }
    return 0;
}

static bool by_objective(const struct looking *g)
{
    const char *by = g->want->by;
    return g->look->goal.name.len && (!by || !strcmp(by, "value"));
}

/* The newest and the longest come first; what they have is shown anyway. */
static bool is_column(const char *by)
{
    return !by || !strcmp(by, "trial") || !strcmp(by, "seconds") ||
           !strcmp(by, "started");
}

/* The line of the output that says what happened, and the reason. */
static int explain_failure(struct looking *g, struct trial *t)
{
    struct arena *a = g->look->arena;
    struct attempt *list;
    size_t count;
    if (store_attempts(g->store, t->id, a, &list, &count, g->err))
        return -1;
    if (!count)
        return 0;
    const struct attempt *last = &list[count - 1];
    struct trial_failure f = {.trial = t->id,
                              .state = t->state,
                              .reason = t->reason,
                              .attempt = last->number,
                              .outcome = last->outcome,
                              .exit_code = last->exit_code,
                              .signum = last->signum,
                              .tail = last->tail};
    struct str line = failure_line(&f);
    if (line.len && t->reason.len && !str_eq(line, t->reason))
        t->reason =
            str_of(arena_printf(a, "%.*s (%.*s)", STRF(line), STRF(t->reason)));
    return 0;
}

/* What breaks a bound has no value, and yet one to show. */
static void read_objectives(const struct look *l, struct look_row *r)
{
    const struct goal *all = &l->goal.all;
    const struct value *summary =
        json_parse(l->arena, r->t.summary, "summary", false, NULL);
    double *values =
        arena_array(l->arena, all->objective_count + 1, sizeof(*values));
    goal_values(all, summary, values);
    r->objectives = values;
    r->value = values[0];
    r->broken = goal_broken(all, summary, NULL) > 0;
}

static int read_row(struct looking *g, enum look_list list, int64_t id,
                    struct look_row *r)
{
    struct look *l = g->look;
    if (store_trial(g->store, id, l->arena, &r->t, g->err))
        return -1;
    r->point = json_parse(l->arena, r->t.point, "point", true, NULL);
    r->value = r->t.value;
    r->expected = trial_expected(l->means, l->mean_count, id);
    r->step = -1;
    r->since = 0;
    r->objectives = NULL;
    r->broken = false;
    if (list == LIST_BEST && by_objective(g) && goal_has_fronts(&l->goal.all))
        read_objectives(l, r);
    if (list == LIST_BEST && !by_objective(g) && !is_column(g->want->by))
        r->value = trial_shown(&r->t, r->point, g->want->by);
    if (list == LIST_RUNNING)
        return read_running(g, r);
    return list == LIST_FAILED ? explain_failure(g, &r->t) : 0;
}

/* Trials that went away or changed meanwhile are left out. */
static int read_rows(struct looking *g, enum look_list list, const int64_t *ids,
                     size_t count)
{
    struct look *l = g->look;
    struct look_row *rows = arena_array(l->arena, count, sizeof(*rows));
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        struct err err = {0};
        struct err *own = g->err;
        g->err = &err;
        int rc = read_row(g, list, ids[i], &rows[n]);
        g->err = own;
        if (rc && err.kind != ERR_MISSING)
            return err_set(own, err.kind, "%s", err.text);
        if (!rc && (list != LIST_FAILED || state_bad(rows[n].t.state)))
            n++;
    }
    l->lists[list].rows = rows;
    l->lists[list].count = n;
    return 0;
}

/* ---- lists ------------------------------------------------------------ */

static int read_ids(struct looking *g, const struct query *q,
                    struct kept_list *list)
{
    struct rows *rows = store_rows(g->store, q, g->err);
    struct trial t;
    int got = rows ? 1 : -1;
    list->ids.len = 0;
    while (got > 0 && (got = rows_next(rows, &t, g->err)) > 0)
        vec_push(&list->ids, t.id);
    rows_close(rows);
    return got;
}

/* Made anew when something else is asked, or when the study has changed and
 * enough time has passed. */
static int read_kept(struct looking *g, const struct query *q,
                     struct kept_list *list)
{
    const struct look *l = g->look;
    char *key =
        arena_printf(l->arena, "%s\n%s\n%s\n%d\n%lld",
                     q->selector ? q->selector : "", q->where ? q->where : "",
                     q->by ? q->by : "", q->descending, (long long)q->limit);
    int64_t now = clock_mono_ns();
    clock_t cpu = clock();
    bool same = list->key && !strcmp(list->key, key);
    bool unchanged = !memcmp(&list->counts, &l->counts, sizeof(list->counts));
    if (same &&
        (unchanged || now - list->made_ns < REST_FACTOR * list->cost_ns))
        return 0;
    if (read_ids(g, q, list))
        return -1;
    free(list->key);
    list->key = xstrdup(key);
    list->made_ns = clock_mono_ns();
    list->cost_ns = (int64_t)(clock() - cpu) * 1000000000 / CLOCKS_PER_SEC;
    list->counts = l->counts;
    return 0;
}

/* The part of a list of ids that is shown. */
static int show_ids(struct looking *g, enum look_list list, const int64_t *ids,
                    size_t count)
{
    size_t from = g->want->from[list], rows = g->want->rows[list];
    if (from >= count)
        return read_rows(g, list, ids, 0);
    count -= from;
    return read_rows(g, list, ids + from, count < rows ? count : rows);
}

static const char *filter_and(struct looking *g, const char *state)
{
    const char *f = g->want->filter;
    return f ? arena_printf(g->look->arena, "(%s) and state = %s", f, state)
             : NULL;
}

/* How many trials of a list are asked for: more than are shown, so that
 * scrolling seldom needs another scan. */
static int64_t limit_of(const struct want *want, enum look_list list)
{
    size_t least = want->from[list] + want->rows[list], n = LIST_LEAST;
    while (n < least)
        n *= 2;
    return (int64_t)n;
}

static struct query best_query(struct looking *g)
{
    const struct want *want = g->want;
    struct query q = {.limit = limit_of(want, LIST_BEST)};
    bool minimize = g->look->goal.minimize;
    if (!by_objective(g)) {
        q.by = want->by;
        q.where = want->filter;
        q.descending = (is_column(want->by) ||
                        !goal_minimizes(&g->look->goal.all,
                                        str_of(want->by))) != want->reverse;
    } else if (want->filter || want->by) {
        q.by = "value";
        q.descending = minimize == want->reverse;
        q.where = want->filter ? filter_and(g, "finished") : "state = finished";
    } else {
        q.selector =
            arena_printf(g->look->arena, "%s:%lld",
                         want->reverse ? "worst" : "best", (long long)q.limit);
    }
    return q;
}

static int read_best_list(struct looking *g)
{
    struct kept_list *kept = &g->w->kept[LIST_BEST];
    struct query q = best_query(g);
    if (read_kept(g, &q, kept))
        return -1;
    return show_ids(g, LIST_BEST, kept->ids.p, kept->ids.len);
}

static int read_running_list(struct looking *g)
{
    const struct want *want = g->want;
    struct kept_list list = {0};
    struct query q = {.selector = "running",
                      .where = want->filter,
                      .limit = limit_of(want, LIST_RUNNING)};
    int rc = read_ids(g, &q, &list);
    if (!rc)
        rc = show_ids(g, LIST_RUNNING, list.ids.p, list.ids.len);
    vec_done(&list.ids);
    return rc;
}

static int read_failed_list(struct looking *g)
{
    const struct want *want = g->want;
    const struct gathered *h = &g->w->gathered;
    struct kept_list *kept = &g->w->kept[LIST_FAILED];
    if (want->filter) {
        struct query q = {.where = filter_and(g, "bad"),
                          .descending = true,
                          .limit = limit_of(want, LIST_FAILED)};
        if (read_kept(g, &q, kept))
            return -1;
    } else {
        kept->ids.len = 0;
        free(kept->key);
        kept->key = NULL;
        for (size_t i = h->bad.len; i-- > 0;)
            vec_push(&kept->ids, h->bad.p[i]);
    }
    return show_ids(g, LIST_FAILED, kept->ids.p, kept->ids.len);
}

static int read_lists(struct looking *g)
{
    static int (*const readers[LIST_COUNT])(struct looking *) = {
        [LIST_BEST] = read_best_list,
        [LIST_RUNNING] = read_running_list,
        [LIST_FAILED] = read_failed_list,
    };
    for (int i = 0; i < LIST_COUNT; i++)
        if (g->want->rows[i] && readers[i](g))
            return -1;
    return 0;
}

/* ---- curves ----------------------------------------------------------- */

static void copy_records(struct looking *g)
{
    const struct gathered *h = &g->w->gathered;
    struct look *l = g->look;
    size_t n = h->records.len;
    l->gathered = gathered_part(h);
    if (!n)
        return;
    l->records = arena_array(l->arena, n + 1, sizeof(*l->records));
    memcpy(l->records, h->records.p, n * sizeof(*l->records));
    l->records[n] =
        (struct record_trial){l->counts.total, h->records.p[n - 1].value};
    l->record_count = n + (l->records[n].id > l->records[n - 1].id);
}

bool want_compares(const struct want *want, int64_t trial)
{
    for (size_t i = 0; i < want->compared_count; i++)
        if (want->compared[i] == trial)
            return true;
    return false;
}

/* The one asked for, else the objective, else the first that there is. */
static const char *metric_drawn(const struct looking *g)
{
    const struct look *l = g->look;
    if (g->want->metric)
        return g->want->metric;
    return l->goal.name.len ? l->goal.name.p : l->metrics[0];
}

static int read_curve(struct looking *g, int64_t trial)
{
    struct look *l = g->look;
    struct look_curve *k = &l->curves[l->curve_count++];
    k->trial = trial;
    return store_series(g->store, trial, l->metric, l->arena, &k->series,
                        g->err);
}

/* The chosen trial, and those it is compared with. */
static int read_curves(struct looking *g)
{
    struct look *l = g->look;
    const struct want *want = g->want;
    size_t from = want->from[want->list];
    l->metric = metric_drawn(g);
    if (!l->metric)
        return 0;
    l->drawn = l->best;
    if (want->chosen >= from &&
        want->chosen - from < l->lists[want->list].count)
        l->drawn = l->lists[want->list].rows[want->chosen - from].t.id;
    if (l->drawn && read_curve(g, l->drawn))
        return -1;
    for (size_t i = 0; i < want->compared_count; i++)
        if (want->compared[i] != l->drawn && read_curve(g, want->compared[i]))
            return -1;
    return 0;
}

/* ---- one trial -------------------------------------------------------- */

static int read_metrics(struct looking *g, struct look_trial *w)
{
    struct arena *a = g->look->arena;
    const char **names = store_metric_names(g->store, w->t.id, a, g->err);
    size_t n = 0;
    if (!names)
        return -1;
    while (names[n])
        n++;
    w->metrics = arena_array(a, n, sizeof(*w->metrics));
    for (size_t i = 0; i < n; i++) {
        w->metrics[i].name = names[i];
        if (store_series(g->store, w->t.id, names[i], a, &w->metrics[i].series,
                         g->err))
            return -1;
    }
    w->metric_count = n;
    return 0;
}

/* A small log of a large study may be packed. */
static struct str read_packed_log(struct looking *g, int64_t trial)
{
    struct packs *packs = packs_open(g->w->folder);
    struct str log = STR(""), part;
    struct buf b;
    buf_init(&b);
    if (!packs_read(packs, trial, "log", &b, NULL)) {
        size_t from = b.len > LOG_BYTES ? b.len - LOG_BYTES : 0;
        log = arena_str(g->look->arena, str_n(b.p + from, b.len - from));
        if (from)
            str_split(&log, '\n', &part);
    }
    buf_done(&b);
    packs_close(packs);
    return log.p ? log : STR("");
}

/* The last bytes of the trial's log, from the beginning of a line. */
static struct str read_log(struct looking *g, int64_t trial)
{
    struct arena *a = g->look->arena;
    char *path = path_join(a, store_trial_folder(g->store, trial, a), "log");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return read_packed_log(g, trial);
    char *text = arena_alloc(a, LOG_BYTES + 1);
    off_t size = lseek(fd, 0, SEEK_END);
    off_t at = size > LOG_BYTES ? size - LOG_BYTES : 0;
    ssize_t n = pread(fd, text, LOG_BYTES, at);
    close(fd);
    struct str log = str_n(text, n > 0 ? (size_t)n : 0), part;
    if (at > 0)
        str_split(&log, '\n', &part);
    return log.p ? log : STR("");
}

static int read_trial(struct looking *g)
{
    struct arena *a = g->look->arena;
    struct look_trial *w = arena_new_of(a, struct look_trial);
    struct err err = {0};
    if (!g->want->trial)
        return 0;
    if (store_trial(g->store, g->want->trial, a, &w->t, &err))
        return err.kind == ERR_MISSING
                   ? 0
                   : err_set(g->err, err.kind, "%s", err.text);
    w->point = json_parse(a, w->t.point, "point", true, NULL);
    w->log = read_log(g, w->t.id);
    g->look->trial = w;
    if (store_attempts(g->store, w->t.id, a, &w->attempts, &w->attempt_count,
                       g->err))
        return -1;
    return read_metrics(g, w);
}

/* ---- looking ---------------------------------------------------------- */

static int look_at(struct looking *g)
{
    struct look *l = g->look;
    l->begun = true;
    if (read_standing(g))
        return -1;
    g->w->gathered.minimize = l->goal.minimize;
    if (g->want->scan_s >= 0 &&
        gathered_update(&g->w->gathered, g->store, &l->counts, g->want->scan_s,
                        g->err))
        return -1;
    if (l->best)
        gathered_record(&g->w->gathered, l->best, l->best_value);
    copy_records(g);
    l->metrics = store_metric_names(g->store, 0, l->arena, g->err);
    if (!l->metrics ||
        point_columns_written(g->store, l->arena, &l->written,
                              &l->written_count, g->err) ||
        read_lists(g) || read_curves(g))
        return -1;
    return read_trial(g);
}

struct look *watcher_look(struct watcher *w, const struct want *want,
                          struct err *err)
{
    struct arena *a = arena_new();
    struct look *l = arena_new_of(a, struct look);
    struct err why = {0};
    *l = (struct look){.arena = a, .now = clock_wall(), .total = -1};
    struct store *store = store_open(w->folder, false, &why);
    if (!store) {
        if (why.kind == ERR_MISSING) {
            /* A study of the same name that is made later is another one. */
            w->gathered.begun = false;
            return l;
        }
        look_free(l);
        err_set(err, why.kind, "%s", why.text);
        return NULL;
    }
    l->as_of = store_as_of(store);
    struct looking g = {w, store, want, l, err};
    if (look_at(&g)) {
        look_free(l);
        l = NULL;
    }
    store_close(store);
    return l;
}

int watcher_check_filter(struct watcher *w, const char *filter, struct arena *a,
                         struct err *err)
{
    if (store_filter_check(filter, err))
        return -1;
    struct store *store = store_open(w->folder, false, NULL);
    int rc = store ? names_check_filter(store, filter, a, err) : 0;
    store_close(store);
    return rc;
}
