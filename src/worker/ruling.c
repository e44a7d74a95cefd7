/* ruling.c - the rule that stops a trial by its own reports */
#include "worker/ruling.h"

#include "terms/metric.h"
#include "worker/kind.h"
#include "worker/used.h"
#include "worker/worker.h"

bool ruling_is_on(const struct attempt *a)
{
    return a->task.rule.kind != STOPRULE_NONE;
}

static double running_s(const struct attempt *a)
{
    return a->used_s + (double)(clock_mono_ns() - a->started_ns) * 1e-9;
}

/* A step that it knows of is not judged again. */
static void report(struct attempt *a, int64_t step, double value,
                   double seconds)
{
    struct ruling *r = &a->ruling;
    if (step <= r->step || r->stops)
        return;
    r->step = step;
    r->stops = stoprule_report(&a->task.rule, &r->state, !a->task.maximize,
                               value, seconds) == DECISION_STOP;
}

static void set_out(struct attempt *a)
{
    a->ruling = (struct ruling){.step = INT64_MIN, .begun = true};
    stoprule_begin(&a->ruling.state);
}

/* What earlier starts have reported. */
static void recall(struct attempt *a)
{
    size_t count;
    const struct earlier_point *p =
        earlier_points(&a->worker->bundle.earlier, a->task.id, &count);
    set_out(a);
    for (size_t i = 0; i < count; i++)
        if (str_eq(p[i].name, a->task.metric_name))
            report(a, p[i].step, p[i].value, 0);
}

void ruling_begin(struct attempt *a)
{
    struct ruling *r = &a->ruling;
    if (!ruling_is_on(a))
        return;
    if (!r->begun)
        recall(a);
    if (a->task.rule.kind == STOPRULE_TIME)
        r->due_ns = used_up_ns(a, a->task.rule.seconds);
    if (r->stops)
        attempt_stop(a);
}

/* Who waits for a decision hears that it goes on, and when to wait again. */
static void let_go_on(struct attempt *a)
{
    struct buf b;
    int64_t more = stoprule_more(&a->task.rule, &a->ruling.state);
    if (!a->task.awaits || a->ruling.step < a->task.awaits || !a->kind->go)
        return;
    a->task.awaits = more ? a->ruling.step + more : 0;
    buf_init(&b);
    buf_add_u64(&b, (uint64_t)a->task.awaits);
    a->kind->go(a, buf_str(&b));
    buf_done(&b);
}

static void hear_batch(struct attempt *a, struct str batch)
{
    struct metric_reader r;
    struct metric_column c;
    metric_reader_init(&r, batch);
    while (metric_reader_next(&r, &c) > 0) {
        if (!str_eq(c.name, a->task.metric_name))
            continue;
        for (size_t i = 0; i < c.count; i++)
            report(a, metric_step(&c, i), metric_value(&c, i), running_s(a));
    }
    if (a->ruling.stops)
        attempt_stop(a);
    else
        let_go_on(a);
}

/* It begins with nothing: what was said before is void. One that goes on names
 * the attempt that did so. */
static bool begins_anew(enum record_type type, struct str payload)
{
    struct bytes in = bytes_of(payload);
    return type == RECORD_ANEW && bytes_u32(&in) == 0;
}

void ruling_hear(struct attempt *a, enum record_type type, struct str payload)
{
    struct record_points points;
    if (!ruling_is_on(a))
        return;
    if (begins_anew(type, payload))
        set_out(a);
    else if (!a->ruling.begun)
        recall(a);
    if (type == RECORD_METRICS)
        hear_batch(a, payload);
    if (type == RECORD_POINTS &&
        record_points_parse(payload, &points, NULL) == 0)
        hear_batch(a, points.batch);
}

void ruling_look(struct attempt *a, int64_t now_ns)
{
    if (a->ruling.due_ns == 0 || now_ns < a->ruling.due_ns)
        return;
    a->ruling.due_ns = 0;
    a->reason = "its time was over, by early_terminate";
    attempt_stop(a);
}
