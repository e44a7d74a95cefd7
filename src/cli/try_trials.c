/* try_trials.c - a few trials of a study, to see how long and how large */
#include "cli/try_trials.h"

#include <stdlib.h>
#include "study/study.h"

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

/* The same, with an eye on the GPUs where trials have one. */
static int try_looking(struct trying *k, const struct needs *n,
                       struct measure *m)
{
    struct gpu_peak *peak =
        n->gpus > 0 ? gpu_peak_open(k->setup.loop, k->setup.machine) : NULL;
    int code = run_study(k, m);
    gpu_peak_close(peak, m);
    return code;
}

static int fill(struct trying *k, const char *file, const char *scratch)
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

/* The memory of a GPU that several share is not one trial's: then they are
 * tried one after the other. */
static void try_alone(struct plan *own, const struct needs *n)
{
    if (n->gpus > 0 && n->gpus < 1)
        own->parallel = 1;
}

int try_trials(struct call *c, const struct plan *plan, const char *file,
               const struct tries *tries, struct measure *m)
{
    int64_t count = tries->count;
    struct plan own = *plan;
    struct log log = log_stderr();
    struct trying k = {.call = c,
                       .setup = {.plan = &own,
                                 .place = PLACE_HERE,
                                 .log = &log,
                                 .count = count,
                                 .subset = tries->subset,
                                 .keep_going = true}};
    own.retries = 0;
    own.keep = KEEP_ALL;
    try_alone(&own, tries->needs);
    own.on_finish = own.on_best = str_n(NULL, 0);
    const char *scratch = scratch_make("try", &c->err);
    if (!scratch)
        return call_fail(c);
    say("throng check: trying %lld trial%s\n", (long long)count,
        count == 1 ? "" : "s");
    int code;
    if (fill(&k, file, scratch)) {
        code = call_fail(c);
    } else {
        loop_signals_to_end(k.setup.loop, on_interrupt, &k);
        code = try_looking(&k, tries->needs, m);
    }
    study_close(k.study);
    loop_free(k.setup.loop);
    scratch_remove(scratch);
    m->subset = tries->subset;
    return code;
}
