/* state.c - names of states and outcomes */
#include "terms/state.h"

static const char *const state_names[STATE_COUNT] = {
    [STATE_WAITING] = "waiting", [STATE_RUNNING] = "running",
    [STATE_PAUSED] = "paused",   [STATE_DONE] = "done",
    [STATE_FAILED] = "failed",   [STATE_INVALID] = "invalid",
    [STATE_STOPPED] = "stopped", [STATE_TIMED_OUT] = "timed_out",
    [STATE_KILLED] = "killed",   [STATE_DIVERGED] = "diverged",
};

static const char *const outcome_names[OUTCOME_COUNT] = {
    [OUTCOME_NONE] = "none",           [OUTCOME_DONE] = "done",
    [OUTCOME_FAILED] = "failed",       [OUTCOME_INVALID] = "invalid",
    [OUTCOME_STOPPED] = "stopped",     [OUTCOME_TIMED_OUT] = "timed_out",
    [OUTCOME_KILLED] = "killed",       [OUTCOME_DIVERGED] = "diverged",
    [OUTCOME_LOST] = "lost",           [OUTCOME_CHECKPOINTED] = "checkpointed",
    [OUTCOME_MEMORY] = "memory",       [OUTCOME_SPAWN] = "spawn",
    [OUTCOME_UNSTARTED] = "unstarted", [OUTCOME_INTERRUPTED] = "interrupted",
};

static int find(const char *const *names, int count, struct str s)
{
    for (int i = 0; i < count; i++)
        if (str_is(s, names[i]))
            return i;
    return -1;
}

const char *state_name(enum state s)
{
    return (unsigned)s < STATE_COUNT ? state_names[s] : "unknown";
}

bool state_parse(struct str s, enum state *state)
{
    int i = find(state_names, STATE_COUNT, s);
    if (i >= 0)
        *state = (enum state)i;
    return i >= 0;
}

bool state_final(enum state s)
{
    return s != STATE_WAITING && s != STATE_RUNNING && s != STATE_PAUSED;
}

bool state_bad(enum state s)
{
    return state_final(s) && s != STATE_DONE && s != STATE_STOPPED;
}

const char *outcome_name(enum outcome o)
{
    return (unsigned)o < OUTCOME_COUNT ? outcome_names[o] : "unknown";
}

bool outcome_parse(struct str s, enum outcome *outcome)
{
    int i = find(outcome_names, OUTCOME_COUNT, s);
    if (i >= 0)
        *outcome = (enum outcome)i;
    return i >= 0;
}

bool outcome_is_bad(enum outcome o)
{
    switch (o) {
    case OUTCOME_FAILED:
    case OUTCOME_INVALID:
    case OUTCOME_TIMED_OUT:
    case OUTCOME_KILLED:
    case OUTCOME_DIVERGED:
    case OUTCOME_MEMORY:
    case OUTCOME_SPAWN:
        return true;
    default:
        return false;
    }
}
