/* early.c - the levels of early_terminate */
#include "terms/early.h"

const char *early_name(const struct early *e)
{
    static const char *const rules[] = {[STOPRULE_NONE] = "none",
                                        [STOPRULE_PATIENCE] = "patience",
                                        [STOPRULE_THRESHOLD] = "threshold",
                                        [STOPRULE_TIME] = "time"};
    switch (e->kind) {
    case EARLY_HYPERBAND:
        return "hyperband";
    case EARLY_ASHA:
        return "asha";
    case EARLY_MEDIAN:
        return "median";
    default:
        return rules[e->rule.kind];
    }
}

/* min_iter * eta^i; 0 when that is past all numbers. */
static int64_t up_from(int64_t at, int64_t eta, size_t i)
{
    while (i-- > 0)
        if (__builtin_mul_overflow(at, eta, &at))
            return 0;
    return at;
}

/* int(max_iter / eta^i) for i = s … 1, as far as that is at least 1. */
static int64_t down_from(const struct early *e, size_t i)
{
    int64_t count = 0, at = e->max_iter;
    while (count < e->s && at / e->eta > 0) {
        at /= e->eta;
        count++;
    }
    if (i >= (size_t)count)
        return 0;
    return e->max_iter / up_from(1, e->eta, (size_t)count - i);
}

int64_t early_level(const struct early *e, size_t i)
{
    if (e->kind == EARLY_HYPERBAND)
        return e->max_iter > 0 ? down_from(e, i)
                               : up_from(e->min_iter, e->eta, i);
    if (e->kind != EARLY_ASHA)
        return 0;
    int64_t at = up_from(e->min_iter, e->eta, i);
    if (at > 0 && at < e->max_iter)
        return at;
    /* The first one that is not below max_iter stands for it. */
    int64_t before = i > 0 ? up_from(e->min_iter, e->eta, i - 1) : 0;
    bool last = i == 0 || (before > 0 && before < e->max_iter);
    return last ? e->max_iter : 0;
}
