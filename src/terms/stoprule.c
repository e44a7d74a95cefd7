/* stoprule.c - rules that end a trial by looking at that trial alone
 *
 * What is not finite is never better than anything and always worse than a
 * threshold. */
#include "terms/stoprule.h"

#include <math.h>

void stoprule_begin(struct stoprule_state *s)
{
    *s = (struct stoprule_state){.best = NAN};
}

/* True when a is better than b by more than delta; anything beats NaN. */
static bool better(double a, double b, double delta, bool minimize)
{
    if (!isfinite(a))
        return false;
    if (isnan(b))
        return true;
    return minimize ? a < b - delta : a > b + delta;
}

static bool has_to_stop(const struct stoprule *rule,
                        const struct stoprule_state *s, bool minimize,
                        double value, double seconds)
{
    int64_t patience = rule->patience > 0 ? rule->patience : 1;
    switch (rule->kind) {
    case STOPRULE_NONE:
        return false;
    case STOPRULE_PATIENCE:
        return s->since_best >= patience;
    case STOPRULE_THRESHOLD:
        return !isfinite(value) ||
               (minimize ? value > rule->threshold : value < rule->threshold);
    case STOPRULE_TIME:
        return seconds >= rule->seconds;
    }
    return false;
}

enum decision stoprule_report(const struct stoprule *rule,
                              struct stoprule_state *s, bool minimize,
                              double value, double seconds)
{
    s->reports++;
    if (better(value, s->best, rule->min_delta, minimize)) {
        s->best = value;
        s->since_best = 0;
    } else {
        s->since_best++;
    }
    if (s->reports < rule->from)
        return DECISION_CONTINUE;
    return has_to_stop(rule, s, minimize, value, seconds) ? DECISION_STOP
                                                          : DECISION_CONTINUE;
}

int64_t stoprule_more(const struct stoprule *rule,
                      const struct stoprule_state *s)
{
    int64_t more = 1;
    if (rule->kind == STOPRULE_NONE || rule->kind == STOPRULE_TIME)
        return 0;
    if (rule->kind == STOPRULE_PATIENCE && rule->patience > s->since_best)
        more = rule->patience - s->since_best;
    return more > rule->from - s->reports ? more : rule->from - s->reports;
}
