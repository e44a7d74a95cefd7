/* try_trials.c - a few trials of a study, to see how long and how large */
#include "cli/try_trials.h"

#include <math.h>
#include <stdlib.h>
#include "cli/worker_path.h"

#define LOOKED_AT 1000 /* trials of a store, at most */

/* ---- measuring -------------------------------------------------------- */

static uint64_t output_bytes(struct store *store, int64_t trial,
                             struct arena *a)
{
    const char *folder = store_folder(store);
    struct packs *packs = packs_open(folder);
    struct packed *list;
    size_t count = 0;
    uint64_t bytes =
        dir_bytes(path_join(a, store_trial_folder(store, trial, a), "output"));
    packs_list(packs, trial, a, &list, &count, NULL);
    for (size_t i = 0; i < count; i++)
        bytes += strcmp(list[i].name, "log") ? list[i].bytes : 0;
    packs_close(packs);
    return bytes;
}

static int add_trial(struct store *store, const struct trial *t,
                     struct arena *a, struct measure *m, double *cpu,
                     struct err *err)
{
    struct attempt *list;
    size_t count;
    if (store_attempts(store, t->id, a, &list, &count, err))
        return -1;
    if (!count || t->seconds <= 0)
        return 0;
    const struct attempt *last = &list[count - 1];
    uint64_t bytes = output_bytes(store, t->id, a);
    m->tasks++;
    m->seconds += t->seconds;
    m->seconds_max = fmax(m->seconds_max, t->seconds);
    *cpu += last->cpu_seconds;
    if (last->max_rss_bytes > m->rss_bytes)
        m->rss_bytes = last->max_rss_bytes;
    if (bytes > m->output_bytes)
        m->output_bytes = bytes;
    return 0;
}

int measure_store(struct store *store, struct measure *m, struct err *err)
{
    struct query q = {.selector = "done", .limit = LOOKED_AT};
    struct rows *rows = store_rows(store, &q, err);
    struct arena *a = arena_new();
    struct trial t;
    double cpu = 0;
    int got = -1;
    *m = (struct measure){0};
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        arena_reset(a);
        if (add_trial(store, &t, a, m, &cpu, err)) {
            got = -1;
            break;
        }
    }
    rows_close(rows);
    arena_free(a);
    if (m->tasks) {
        m->cpus = cpu / m->seconds;
        m->seconds /= (double)m->tasks;
    }
    return got;
}

/* ---- trying ----------------------------------------------------------- */

struct trying {
    struct call *call;
    struct study_setup setup;
    struct study *study;
    bool interrupted;
};

static void on_interrupt(void *context, int signum)
{
    struct trying *k = context;
    (void)signum;
    k->interrupted = true;
    if (k->study)
        study_hurry(k->study);
}

static void say_tail(const char *tail)
{
    struct str rest = str_trim(str_of(tail)), line;
    while (rest.len && str_split(&rest, '\n', &line))
        say("    %.*s\n", STRF(line));
}

/* None of them ended well: that is the answer. */
static int say_failure(struct trying *k)
{
    say("throng check: the trials that were tried did not end well; the "
        "last lines of one:\n");
    say_tail(study_failure_tail(k->study));
    return EXIT_FAILED_TRIALS;
}

/* True when none of them has reported the study's metric, which the log has
 * said. */
static bool lacks_metric(const struct trying *k)
{
    struct buf b;
    buf_init(&b);
    study_unreported_print(k->study, &b);
    bool missing = b.len > 0;
    buf_done(&b);
    return missing;
}

static int run_study(struct trying *k, struct measure *m)
{
    struct call *c = k->call;
    enum study_end end;
    k->study = study_open(&k->setup, &c->err);
    if (!k->study || study_run(k->study, &end, &c->err))
        return call_fail(c);
    if (k->interrupted)
        return EXIT_INTERRUPTED;
    struct store *store = store_open(k->setup.folder, false, &c->err);
    int rc = store ? measure_store(store, m, &c->err) : -1;
    store_close(store);
    if (rc)
        return call_fail(c);
    if (!m->tasks)
        return say_failure(k);
    return lacks_metric(k) ? EXIT_FAILED_TRIALS : EXIT_OK;
}

static int fill(struct trying *k, const char *file, char *scratch)
{
    struct call *c = k->call;
    struct machine *machine = arena_new_of(c->arena, struct machine);
    k->setup.home = path_folder(c->arena, path_absolute(c->arena, file));
    k->setup.folder = path_join(c->arena, scratch, "study");
    k->setup.machine = machine;
    k->setup.worker = worker_path(c->arena, &c->err);
    if (!k->setup.worker ||
        machine_read(machine, getenv("THRONG_GPUS"), c->arena, &c->err))
        return -1;
    k->setup.loop = loop_new(&c->err);
    return k->setup.loop ? 0 : -1;
}

int try_trials(struct call *c, const struct plan *plan, const char *file,
               int64_t count, double subset, struct measure *m)
{
    const char *tmp = getenv("TMPDIR");
    char *scratch = arena_printf(c->arena, "%s/throng-try-XXXXXX",
                                 tmp && *tmp == '/' ? tmp : "/tmp");
    struct plan own = *plan;
    struct log log = log_stderr();
    struct trying k = {.call = c,
                       .setup = {.plan = &own,
                                 .log = &log,
                                 .count = count,
                                 .subset = subset,
                                 .keep_going = true}};
    own.retries = 0;
    own.keep = KEEP_ALL;
    own.on_finish = own.on_best = str_n(NULL, 0);
    if (!mkdtemp(scratch)) {
        err_errno(&c->err, "make %s", scratch);
        return call_fail(c);
    }
    say("throng check: trying %lld trial%s\n", (long long)count,
        count == 1 ? "" : "s");
    int code;
    if (fill(&k, file, scratch)) {
        code = call_fail(c);
    } else {
        loop_signal(k.setup.loop, SIGINT, on_interrupt, &k);
        loop_signal(k.setup.loop, SIGTERM, on_interrupt, &k);
        code = run_study(&k, m);
    }
    study_close(k.study);
    loop_free(k.setup.loop);
    dir_remove(scratch, NULL);
    m->subset = subset;
    return code;
}
