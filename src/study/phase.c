/* phase.c - which phase of a run may follow which */
#include "study/phase.h"

#include "study/run.h"

#define TO(phase) (1u << RUN_##phase)

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
    log_to(r->log, LOG_DEBUG, "run: %s, then %s", phases[r->phase].name,
           phases[phase].name);
    r->phase = phase;
}
