/* gpus.c - a GPU for each trial where nobody has said, and none where none is
 * used
 *
 * A program gets one GPU to itself on a machine that has some. Many use none:
 * while the first trials run the GPUs are looked at, and where one has ended
 * well, or run for a minute, and nothing has come onto any GPU since before it
 * began (no process, and no memory was taken: in a container NVML may show no
 * process, or by a number that means nothing here), trials go by cpus from
 * then on. Anything new, whosever it is, proves nothing, and all stays as it
 * is. A verdict after a minute is taken back when the GPU is used after all. */
#include "study/gpus.h"

#include <stdlib.h>
#include "study/conductor.h"

#define LOOK_S 0.05
#define LOOK_LATER_S 1.0
#define LONG_RUN_S 60.0

/* ---- what one look says ---------------------------------------------------
 */

static bool is_among(const struct gpu_use *u, uint32_t pid)
{
    for (size_t i = 0; i < u->pid_count; i++)
        if (u->pids[i] == pid)
            return true;
    return false;
}

bool gpu_is_as_before(struct gpu_use *before, const struct gpu_use *now)
{
    if (!before->known || !now->known)
        return false;
    for (size_t i = 0; i < now->pid_count; i++)
        if (!is_among(before, now->pids[i]))
            return false;
    if (now->used_bytes < before->used_bytes) /* somebody else has left */
        before->used_bytes = now->used_bytes;
    return now->used_bytes < before->used_bytes + GPU_CONTEXT_BYTES;
}

/* ---- a study's ------------------------------------------------------------
 */

enum verdict_on_gpus {
    GPUS_OPEN, /* nothing is known yet */
    GPUS_IDLE, /* a trial that still runs has not used one in a minute */
    GPUS_SETTLED,
};

struct study_gpus {
    struct gpu_use *before; /* of each GPU */
    struct loop_source *timer;
    enum verdict_on_gpus verdict;
    int64_t ended_before; /* trials that had ended well */
};

static int64_t ended_well(const struct study *s)
{
    return s->run.counts.by_state[STATE_DONE];
}

static bool sets_devices(const struct plan *p)
{
    for (size_t i = 0; i < p->env_count; i++)
        if (str_is(p->env[i].name, "CUDA_VISIBLE_DEVICES"))
            return true;
    return false;
}

bool study_shares_gpus(const struct plan *p, size_t gpus)
{
    return gpus > 0 && p->kind->runs == RUNS_COMMAND && !p->gpus_said &&
           !sets_devices(p);
}

/* With `parallel: 8` on 2 GPUs the person wants 8 at once. */
void study_share_gpus(const struct plan *p, size_t gpus, struct needs *n)
{
    size_t each = 1;
    if (!study_shares_gpus(p, gpus))
        return;
    if (p->parallel > gpus)
        each = (p->parallel + gpus - 1) / gpus;
    n->gpus = 1.0 / (double)each;
}

/* What was placed by the old needs and has not begun comes back. */
static void place_anew(struct study *s)
{
    struct run *r = &s->run;
    struct err err = {0};
    uint64_t id;
    void *at;
    if (study_fixed_needs(s, &r->limits.needs, &r->limits.needs_fixed, &err)) {
        run_break(r, &err);
        return;
    }
    for (size_t i = 0; idmap_next(r->lives, &i, &id, &at);)
        if (live_is_out(at))
            engine_take_back(s->engine, id);
}

static void remember(struct study *s, const char *verdict)
{
    struct err err = {0};
    run_dirty(&s->run);
    if (store_fact_set(s->store, "gpus", str_of(verdict), &err))
        run_break(&s->run, &err);
}

static void go_by_cpus(struct study *s, const char *why)
{
    s->gpus = 0;
    remember(s, "unused");
    log_to(s->setup.log, LOG_NOTICE,
           "%s with no process on a GPU, so trials go by cpus from now on "
           "(`resources: {gpus: 1}` gives each one)",
           why);
    place_anew(s);
}

static void go_by_gpus(struct study *s)
{
    s->gpus = engine_gpus(s->engine);
    remember(s, "");
    log_to(s->setup.log, LOG_WARN,
           "a GPU is in use after all, so trials that start from now on get "
           "one again; those that began meanwhile have none");
    place_anew(s);
}

/* ---- looking ---------------------------------------------------------------
 */

static bool all_as_before(struct study *s)
{
    struct study_gpus *g = s->gpu_look;
    for (size_t i = 0; i < engine_gpus(s->engine); i++) {
        struct gpu_use now;
        engine_gpu_look(s->engine, i, &now);
        if (!gpu_is_as_before(&g->before[i], &now))
            return false;
    }
    return true;
}

static bool any_runs_long(const struct study *s)
{
    int64_t now = clock_mono_ns();
    uint64_t id;
    void *at;
    for (size_t i = 0; idmap_next(s->run.lives, &i, &id, &at);) {
        const struct live *l = at;
        if (live_is_out(l) && l->t.state == STATE_RUNNING &&
            (double)(now - l->started_ns) * 1e-9 >= LONG_RUN_S)
            return true;
    }
    return false;
}

static void look(struct study *s)
{
    struct study_gpus *g = s->gpu_look;
    bool idle = all_as_before(s);
    bool ended = ended_well(s) > g->ended_before;
    if (!idle && g->verdict == GPUS_IDLE)
        go_by_gpus(s);
    if (!idle) {
        g->verdict = GPUS_SETTLED;
    } else if (ended) {
        if (g->verdict == GPUS_OPEN)
            go_by_cpus(s, "a trial ended well");
        g->verdict = GPUS_SETTLED;
    } else if (g->verdict == GPUS_OPEN && any_runs_long(s)) {
        g->verdict = GPUS_IDLE;
        go_by_cpus(s, "a trial has run for a minute");
    }
}

static void on_look(void *context)
{
    struct study *s = context;
    struct study_gpus *g = s->gpu_look;
    look(s);
    if (g->verdict != GPUS_SETTLED)
        loop_timer_in(g->timer,
                      g->verdict == GPUS_OPEN ? LOOK_S : LOOK_LATER_S);
}

static void begin(struct study *s)
{
    size_t count = engine_gpus(s->engine);
    struct study_gpus *g = xcalloc(1, sizeof(*g));
    g->before = xcalloc(count, sizeof(*g->before));
    for (size_t i = 0; i < count; i++)
        engine_gpu_look(s->engine, i, &g->before[i]);
    g->ended_before = ended_well(s);
    s->gpu_look = g;
    g->timer = loop_timer(s->setup.loop, on_look, s);
    loop_timer_in(g->timer, LOOK_S);
}

int study_gpus_open(struct study *s, struct err *err)
{
    struct needs n = {0};
    struct str text;
    s->gpus = engine_gpus(s->engine);
    if (s->setup.machine->gpus_silent)
        log_to(s->setup.log, LOG_WARN,
               "the NVIDIA driver of this machine does not answer, so its GPUs "
               "are left alone (`throng doctor` asks again)");
    if (!study_shares_gpus(s->plan, s->gpus))
        return 0;
    if (store_fact(s->store, "gpus", s->arena, &text, err))
        return -1;
    if (str_is(text, "unused")) {
        s->gpus = 0;
        return 0;
    }
    study_share_gpus(s->plan, s->gpus, &n);
    log_to(s->setup.log, LOG_NOTICE,
           n.gpus < 1 ? "%.0f trials share each of the %zu GPU%s here "
                        "(`resources: {gpus: 0}` uses none)"
                      : "each trial gets %.0f of the %zu GPU%s here "
                        "(`resources: {gpus: 0}` uses none)",
           n.gpus < 1 ? 1 / n.gpus : n.gpus, s->gpus, s->gpus == 1 ? "" : "s");
    begin(s);
    return 0;
}

void study_gpus_close(struct study *s)
{
    struct study_gpus *g = s->gpu_look;
    if (!g)
        return;
    loop_remove(g->timer);
    free(g->before);
    free(g);
}

int study_gpus_count(struct store *store, size_t machine, size_t *gpus,
                     struct err *err)
{
    struct arena *a = arena_new();
    struct str text;
    int rc = store_fact(store, "gpus", a, &text, err);
    if (!rc)
        *gpus = str_is(text, "unused") ? 0 : machine;
    arena_free(a);
    return rc;
}
