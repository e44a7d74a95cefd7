/* phase.c - which phase of a run, or of a trial, may follow which */
#include "study/phase.h"

#include "study/run.h"

#define TO(phase) (1u << RUN_##phase)
#define LIVE_TO(phase) (1u << LIVE_##phase)

/* What is decided while a run settles takes effect when its place has started.
 * Who wants an end may want a quicker one later, until all is idle. */
static const struct {
    const char *name;
    unsigned leads_to; /* and to RUN_BROKEN, from every one */
} phases[RUN_PHASES] = {
    [RUN_SETTLES] = {"settles", TO(STARTS) | TO(DRAINS)},
    [RUN_STARTS] = {"starts", TO(DOUBTS) | TO(DRAINS) | TO(PARTS) |
                                  TO(INTERRUPTS) | TO(OVER)},
    [RUN_DOUBTS] = {"doubts",
                    TO(STARTS) | TO(DRAINS) | TO(PARTS) | TO(INTERRUPTS)},
    [RUN_DRAINS] = {"drains", TO(PARTS) | TO(INTERRUPTS) | TO(IDLE)},
    [RUN_PARTS] = {"parts", TO(INTERRUPTS) | TO(IDLE)},
    [RUN_INTERRUPTS] = {"interrupts", TO(IDLE)},
    [RUN_IDLE] = {"idle", TO(OVER)},
    [RUN_OVER] = {"over", 0},
    [RUN_BROKEN] = {"broken", 0},
};

bool run_phase_leads(enum run_phase from, enum run_phase to)
{
    if (to == RUN_BROKEN)
        return from != RUN_BROKEN;
    return phases[from].leads_to >> to & 1;
}

const char *run_phase_name(enum run_phase phase)
{
    return phases[phase].name;
}

void run_enter(struct run *r, enum run_phase phase)
{
    require(run_phase_leads(r->phase, phase));
    log_to(r->log, LOG_DEBUG, "run: %s, then %s", run_phase_name(r->phase),
           run_phase_name(phase));
    r->phase = phase;
}

/* ---- trials ----------------------------------------------------------- */

static const struct {
    const char *name;
    unsigned leads_to;
} live_phases[LIVE_PHASES] = {
    [LIVE_AT_HAND] = {"at hand",
                      LIVE_TO(WAITS) | LIVE_TO(OUT) | LIVE_TO(READS)},
    [LIVE_WAITS] = {"waits", LIVE_TO(AT_HAND)},
    [LIVE_OUT] = {"out", LIVE_TO(AT_HAND)},
    [LIVE_READS] = {"reads", LIVE_TO(AT_HAND) | LIVE_TO(READ)},
    [LIVE_READ] = {"read", 0},
};

bool live_phase_leads(enum live_phase from, enum live_phase to)
{
    return live_phases[from].leads_to >> to & 1;
}

const char *live_phase_name(enum live_phase phase)
{
    return live_phases[phase].name;
}

void live_enter(struct run *r, struct live *l, enum live_phase phase)
{
    require(live_phase_leads(l->phase, phase));
    log_to(r->log, LOG_DEBUG, "trial %lld: %s, then %s", (long long)l->t.id,
           live_phase_name(l->phase), live_phase_name(phase));
    r->out -= live_is_out(l);
    l->phase = phase;
    r->out += live_is_out(l);
}
