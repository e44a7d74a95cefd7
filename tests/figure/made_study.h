/* made_study.h - a small study in a store, for the figures */
#ifndef THRONG_TESTS_FIGURE_MADE_STUDY_H
#define THRONG_TESTS_FIGURE_MADE_STUDY_H

#include "../store/made_store.h"
#include "base/json.h"
#include "figure/figure.h"

static const char study_space[] =
    "{\"version\":1,\"parameters\":["
    "{\"name\":\"act\",\"distribution\":\"categorical\","
    "\"values\":[\"relu\",\"tanh\"]},"
    "{\"name\":\"layers\",\"distribution\":\"int_uniform\",\"min\":1,\"max\":3}"
    ","
    "{\"name\":\"lr\",\"distribution\":\"log_uniform_values\",\"min\":0.001,"
    "\"max\":1.0}]}";

static inline void made_fact(struct made *m, const char *key, const char *text)
{
    assert_ok(m, store_fact_set(m->s, key, str_of(text), &m->err));
}

static inline void made_result(struct made *m, int64_t id, const char *point,
                               enum state state, double loss, double size)
{
    struct attempt a = {.trial = id,
                        .number = 1,
                        .outcome = state == STATE_STOPPED  ? OUTCOME_STOPPED
                                   : state == STATE_FAILED ? OUTCOME_FAILED
                                                           : OUTCOME_DONE,
                        .started = 100 + 10 * (double)((id - 1) / 2),
                        .ended = 108 + 10 * (double)((id - 1) / 2),
                        .first_step = INT64_MAX};
    const int64_t steps[] = {1, 2};
    const double values[] = {loss + 1, loss};
    snprintf(a.host, sizeof(a.host), "n1");
    made_trial(m, id, point, state, loss);
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
    if (isnan(loss))
        return;
    made_summary(m, id,
                 arena_printf(m->a,
                              "{\"loss\":{\"last\":%g,\"min\":%g,\"max\":%g},"
                              "\"size\":{\"last\":%g,\"min\":%g,\"max\":%g}}",
                              loss, loss, loss, size, size, size),
                 "");
    assert_ok(m, made_points(m, id, 1, "loss", METRIC_FROM_METRICS, steps,
                             values, 2));
}

/* What the stopping rule heard. */
static inline void made_report(struct made *m, int64_t trial, int64_t level,
                               double value)
{
    struct heard h = {.kind = HEARD_REPORT,
                      .trial = trial,
                      .step = level,
                      .state = STATE_RUNNING,
                      .value = value};
    assert_ok(m, store_heard_add(m->s, &h, &m->err));
}

/* Six trials: one failed, one stopped, one broke off without a value. */
static inline void made_study(struct made *m)
{
    made_fact(m, "name", "s");
    made_fact(m, "metric", "loss");
    made_fact(m, "goal", "minimize");
    made_fact(m, "space", study_space);
    made_result(m, 1, "{\"act\":\"relu\",\"layers\":1,\"lr\":0.1}", STATE_DONE,
                3, 10);
    made_result(m, 2, "{\"act\":\"tanh\",\"layers\":2,\"lr\":0.01}",
                STATE_STOPPED, 4, 8);
    made_result(m, 3, "{\"act\":\"relu\",\"layers\":3,\"lr\":0.05}",
                STATE_FAILED, NAN, 0);
    made_result(m, 4, "{\"act\":\"tanh\",\"layers\":1,\"lr\":0.5}", STATE_DONE,
                1.5, 20);
    made_result(m, 5, "{\"act\":\"relu\",\"layers\":1,\"lr\":0.002}",
                STATE_DONE, 2, 9);
    made_result(m, 6, "{\"act\":\"tanh\",\"layers\":2,\"lr\":1.0}", STATE_DONE,
                NAN, 0);
    made_report(m, 1, 1, 4);
    made_report(m, 1, 3, 3);
    made_report(m, 2, 1, 5);
    made_report(m, 4, 1, 2.5);
    made_report(m, 4, 1, 2.25); /* it began anew */
    made_report(m, 4, 3, 1.5);
    made_commit(m);
}

#endif
