/* train.c - built-in training: tasks of the kind train
 *
 * Models of equal shape form a cohort; each member has one epoch at a time, in
 * turn, or all of them at the same time where the device does it so, and
 * several cohorts then side by side: all of them report while they go and any
 * of them can be stopped.
 *
 * Whose report the conductor may answer with a stop (task.awaits) has no turn
 * until the answer has come: what it is to be is what it was there. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "sys/sys.h"
#include "worker/crew.h"
#include "worker/member.h"

#define REPORT_NS 50000000ll /* between reports of one member */
#define CHECKPOINT_S 30.0    /* of training between two checkpoints */
#define BUSY_NS 100000       /* between looks at devices that are all busy */

static double thread_cpu_s(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void add_point(struct member *m, const struct nn_report *r,
                      struct str name, double value)
{
    metric_batch_add(m->batch, name, METRIC_FROM_METRICS, r->epoch, value);
    if (!str_eq(name, m->task.metric_name))
        return;
    m->last = value;
    m->rated = r->epoch;
    if (isnan(m->best) ||
        (m->task.maximize ? value > m->best : value < m->best))
        m->best = value;
}

/* Metrics are of validation rows, as Keras names them: val_accuracy. */
static void add_points(struct member *m, const struct nn_report *r)
{
    if (r->diverged || !isnan(r->loss)) /* untrained there is none */
        add_point(m, r, STR("loss"), r->loss);
    if (!m->view.validation.count)
        return;
    add_point(m, r, STR("val_loss"), r->validation_loss);
    for (size_t i = 0; i < nn_model_metric_count(m->model); i++) {
        struct buf name;
        if (isnan(r->metrics[i]))
            continue;
        buf_init(&name);
        buf_addf(&name, "val_%.*s", STRF(nn_model_metric_name(m->model, i)));
        add_point(m, r, buf_str(&name), r->metrics[i]);
        buf_done(&name);
    }
}

/* A study keeps the weights of its best N trials. One that is not among the
 * best N that this trainer has seen can never be one of them, whatever is
 * still to come: writing its file would be for nothing. Trials that were
 * stopped are counted apart, so that they push out none that was not. What
 * has no value cannot be ranked, and stays. */
static bool is_kept(struct train *t, const struct member *m,
                    enum outcome outcome)
{
    int64_t most = m->task.keep_best;
    struct best *b = outcome == OUTCOME_DONE ? &t->done : &t->stopped;
    double value = m->task.pick_best ? m->best : m->last;
    size_t at = b->values.len;
    if (most <= 0)
        return most == 0;
    if (isnan(value))
        return true;
    if (m->task.maximize)
        value = -value;
    vec_push(&b->values, value);
    for (; at > 0 && value < b->values.p[at - 1]; at--)
        b->values.p[at] = b->values.p[at - 1];
    b->values.p[at] = value;
    if (b->values.len > (size_t)most)
        b->values.len--;
    return at < (size_t)most;
}

/* What is kept of one that was trained to its end, or asked to stop. */
static void keep_result(struct train *t, struct member *m, enum outcome outcome)
{
    if (m->task.budget > 0 && outcome == OUTCOME_DONE)
        member_leave_state(t, m); /* it may be given more */
    nn_trainer_take_best(m->cohort->trainer, m->place);
    judging_test(t, m);
    judging_targets(t, m);
    judging_confusion(t, m);
    if (is_kept(t, m, outcome))
        member_leave_weights(t, m);
}

static void finish(struct train *t, size_t at, enum outcome outcome)
{
    member_say_metrics(t, t->members.p[at]);
    keep_result(t, t->members.p[at], outcome);
    member_leave(t, at, outcome, STR(""));
}

/* What the model leaves out of what its file asks for. */
static void say_model(struct train *t, struct member *m)
{
    const char *text;
    for (size_t i = 0; (text = nn_model_notice(m->model, i)) != NULL; i++)
        member_say_once(t, m, text);
    judging_say_unjudged(t, m, &m->view.validation, "validation");
}

static int begin_training(struct train *t, struct member *m, struct err *err)
{
    if (m->task.budget > 0)
        nn_trainer_epochs(m->cohort->trainer, m->place, m->task.budget);
    if (member_restore(t, m, err))
        return -1;
    say_model(t, m);
    return 0;
}

static void leave_diverged(struct train *t, size_t at,
                           const struct nn_report *r)
{
    struct buf why;
    buf_init(&why);
    buf_addf(&why, "epoch %lld: ", (long long)r->epoch);
    if (r->not_finite.len)
        buf_addf(&why, "%.*s has weights that are not finite numbers",
                 STRF(r->not_finite));
    else
        buf_addf(&why, "the %sloss is not a finite number",
                 isfinite(r->loss) ? "validation " : "");
    member_leave(t, at, OUTCOME_DIVERGED, buf_str(&why));
    buf_done(&why);
}

/* After an epoch, or when it hears whether to go on. */
static void end_turn(struct train *t, size_t at)
{
    struct member *m = t->members.p[at];
    if (m->killed)
        member_leave_killed(t, at);
    else if (m->waits && !m->asked)
        member_say_metrics(t, m);
    else if (m->trained && !m->waits)
        finish(t, at, OUTCOME_DONE);
    else if (m->asked)
        finish(t, at, OUTCOME_STOPPED);
    else if (clock_mono_ns() - m->reported_ns > REPORT_NS)
        member_say_metrics(t, m);
    if (t->members.p[at] && m->cpu_s - m->kept_cpu_s > CHECKPOINT_S)
        member_keep(t, m);
}

/* What comes of an epoch of one member. One that was broken off because of
 * another goes on in its next turn. */
static void end_epoch(struct train *t, size_t at, const struct nn_turn *turn)
{
    struct member *m = t->members.p[at];
    const struct nn_report *r = &turn->report;
    if (turn->rc < 0)
        member_leave(t, at, OUTCOME_FAILED, str_of(turn->err.text));
    else if (turn->rc > 0 && (m->killed || t->closed))
        member_leave_killed(t, at);
    if (turn->rc)
        return;
    add_points(m, r);
    if (nn_model_snapshot(m->model, r->epoch) && !r->diverged)
        member_keep_weights(t, m, r->epoch);
    if (r->diverged) {
        leave_diverged(t, at, r);
        return;
    }
    m->epoch = r->epoch;
    m->trained = r->finished;
    m->waits = m->task.awaits > 0 && m->rated == r->epoch &&
               r->epoch >= m->task.awaits;
    end_turn(t, at);
}

/* One epoch of one member. */
static void train_one(struct train *t, size_t at)
{
    struct member *m = t->members.p[at];
    struct nn_turn turn = {.member = m->place};
    double before = thread_cpu_s();
    train_spend(t, SPENT_SYNCHRONISING);
    nn_trainer_turns(m->cohort->trainer, &turn, 1);
    train_spend(t, SPENT_COMPUTING);
    m->cpu_s += thread_cpu_s() - before;
    end_epoch(t, at, &turn);
}

/* Whether it is to be trained in this round, in its cohort. */
static bool goes_along(const struct train *t, const struct member *m,
                       const struct cohort *c)
{
    return m && m->cohort == c && m->begun && m->kind->trains &&
           member_has_turn(t, m) && m->round != t->round && !m->waits &&
           !m->trained && !m->killed;
}

/* ---- cohorts that are trained together ---------------------------------- */

/* An epoch of a cohort, while it goes on. */
struct course {
    struct cohort *cohort; /* NULL: it is over */
    struct nn_turn *turns;
    size_t *who, count;
    double cpu_s;
    bool more; /* steps to be given */
};

static void go_on(struct course *c)
{
    double before = thread_cpu_s();
    c->more = nn_trainer_turns_go(c->cohort->trainer);
    c->cpu_s += thread_cpu_s() - before;
}

/* The first steps of all in it who have not had theirs in this round, the first
 * of whom is member number `at`. */
static struct course begin_course(struct train *t, size_t at)
{
    struct cohort *cohort = t->members.p[at]->cohort;
    double before = thread_cpu_s();
    struct course c = {.cohort = cohort};
    c.turns = xmalloc((cohort->members + 1) * sizeof(*c.turns));
    c.who = xcalloc(cohort->members + 1, sizeof(*c.who));
    for (size_t i = at; i < t->members.len; i++)
        if (goes_along(t, t->members.p[i], cohort)) {
            t->members.p[i]->round = t->round;
            t->members.p[i]->training = true;
            c.turns[c.count].member = t->members.p[i]->place;
            c.who[c.count++] = i;
        }
    nn_trainer_turns_begin(cohort->trainer, c.turns, c.count);
    c.cpu_s = thread_cpu_s() - before;
    go_on(&c);
    return c;
}

/* Whoever is killed meanwhile leaves here, by itself. */
static void end_course(struct train *t, struct course *c)
{
    double before = thread_cpu_s();
    nn_trainer_turns_end(c->cohort->trainer);
    train_spend(t, SPENT_COMPUTING);
    c->cpu_s += thread_cpu_s() - before;
    for (size_t i = 0; i < c->count; i++) {
        t->members.p[c->who[i]]->cpu_s += c->cpu_s / (double)c->count;
        end_epoch(t, c->who[i], &c->turns[i]);
        struct member *m = t->members.p[c->who[i]];
        if (m)
            m->training = false;
        if (m && m->killed)
            member_leave_killed(t, c->who[i]);
    }
    train_spend(t, SPENT_SYNCHRONISING);
    free(c->turns);
    free(c->who);
    c->cohort->killed = false;
    c->cohort = NULL;
}

/* Nobody may be given more. */
static void wait_a_little(struct train *t)
{
    struct timespec pause = {.tv_nsec = BUSY_NS};
    train_broken_off(t);
    nanosleep(&pause, NULL);
}

/* Steps of each in turn, unless the device has enough of its: they are done at
 * the same time as those of others. Who is to be killed is not kept waiting;
 * the others of its cohort go on in the next round. */
static void go_on_together(struct train *t, struct course *list, size_t count)
{
    bool more, given;
    do {
        more = given = false;
        for (size_t i = 0; i < count; i++) {
            struct course *c = &list[i];
            if (c->cohort && c->cohort->killed)
                end_course(t, c);
            if (!c->cohort || !c->more)
                continue;
            more = true;
            if (count > 1 && nn_trainer_turns_busy(c->cohort->trainer))
                continue;
            go_on(c);
            given = true;
        }
        if (more && !given)
            wait_a_little(t);
    } while (more && !t->closed);
}

/* One epoch of it and of all others who are trained with others and have not
 * had theirs, cohorts side by side. */
static void train_together(struct train *t, size_t at)
{
    VEC(struct course) list = {0};
    t->now = NULL; /* it is one of many, and may leave before others */
    t->together = true;
    train_spend(t, SPENT_SYNCHRONISING);
    for (size_t i = at; i < t->members.len; i++) {
        const struct member *m = t->members.p[i];
        if (m && m->cohort && nn_trainer_together(m->cohort->trainer) &&
            goes_along(t, m, m->cohort))
            vec_push(&list, begin_course(t, i));
    }
    go_on_together(t, list.p, list.len);
    for (size_t i = 0; i < list.len; i++)
        if (list.p[i].cohort)
            end_course(t, &list.p[i]);
    t->together = false;
    vec_done(&list);
}

static void turn(struct train *t, size_t at)
{
    const struct member *m = t->members.p[at];
    if (m->waits || m->trained)
        end_turn(t, at);
    else if (!nn_trainer_together(m->cohort->trainer))
        train_one(t, at);
    else if (m->round != t->round)
        train_together(t, at);
}

KIND(train) = {.name = "train",
               .start = crew_start,
               .push = crew_push,
               .answer_ns = CREW_ANSWER_NS,
               .has_ended = crew_has_ended,
               .look = crew_look,
               .go = crew_go,
               .forget = crew_forget,
               .begin = begin_training,
               .turn = turn,
               .trains = true};
