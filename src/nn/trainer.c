/* trainer.c - a cohort: many models of one shape, trained together
 *
 * Members come and go, their places are used again; a device trains them
 * (device.h), what decides how long and what is kept of them is here.
 *
 * What a member becomes is a function of its model, its seed and its view
 * alone: nothing here depends on who else is in the cohort. */
#include "nn/trainer.h"

#include <math.h>
#include <stdlib.h>

#include "nn/init.h"
#include "nn/judge.h"

struct nn_trainer *nn_trainer_open(const char *device,
                                   const struct nn_model *like, size_t capacity,
                                   struct err *err)
{
    return nn_trainer_open_beside(NULL, device, like, capacity, err);
}

struct nn_trainer *nn_trainer_open_beside(const struct nn_trainer *other,
                                          const char *device,
                                          const struct nn_model *like,
                                          size_t capacity, struct err *err)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    if (!d) {
        const char *why = nn_device_absent(device);
        err_set(err, ERR_INPUT, "this machine has no device %s%s%s", device,
                why ? ": " : "", why ? why : "");
        return NULL;
    }
    struct nn_trainer *t = xcalloc(1, sizeof(*t));
    t->runner = d->runner;
    t->graph = &like->graph;
    t->key = nn_model_key(like);
    t->capacity = capacity;
    t->slots = nn_optimizer_slots(&like->optimizer);
    t->members = xcalloc(capacity, sizeof(*t->members));
    t->judges = xcalloc(capacity, sizeof(*t->judges));
    const bool beside = other && other->run->device == d;
    t->run = d->runner->open(d, like, t->members, capacity,
                             beside ? other->run : NULL, err);
    if (!t->run) {
        nn_trainer_free(t);
        return NULL;
    }
    return t;
}

void nn_trainer_free(struct nn_trainer *t)
{
    if (!t)
        return;
    t->runner->close(t->run);
    for (size_t i = 0; i < t->capacity; i++)
        nn_judge_free(t->judges[i]);
    free(t->judges);
    free(t->members);
    free(t);
}

void nn_trainer_watch(struct nn_trainer *t, bool (*broken_off)(void *context),
                      void *context)
{
    t->run->broken_off = broken_off;
    t->run->context = context;
}

/* An embedding of an input that brings word vectors starts from those; words
 * without one keep the numbers of the initializer. */
static void start_embeddings(const struct nn_graph *g,
                             const struct data_view *v, double *weights)
{
    for (size_t k = 0; k < g->ops.len; k++) {
        const struct nn_op *op = &g->ops.p[k];
        for (size_t i = 0; op->kind == NN_OP_EMBEDDING && i < g->inputs.len;
             i++) {
            const struct data_field *f =
                &v->table->inputs[g->inputs.p[i].field];
            const struct nn_param *p = &g->params.p[op->param[0]];
            if (op->in[0] != g->inputs.p[i].tensor || !f->vectors ||
                f->vector_columns != p->shape.dim[1])
                continue;
            int64_t tokens =
                f->classes < p->shape.dim[0] ? f->classes : p->shape.dim[0];
            for (int64_t n = 0; n < tokens * f->vector_columns; n++)
                if (!isnan(f->vectors[n]))
                    weights[p->offset + n] = (double)f->vectors[n];
        }
    }
}

/* The optimizer's state before the first step. */
static void begin_state(struct nn_trainer *t, int at, double *numbers)
{
    const struct nn_model *m = t->members[at].model;
    double first = m->optimizer.kind == NN_ADAGRAD
                       ? m->soft.p[m->optimizer.initial.index]
                       : 0;
    for (int64_t i = 0; i < t->graph->trained && first != 0; i++)
        numbers[i] = first;
    for (size_t k = 0; k < t->slots; k++)
        t->runner->put(t->run, at, NN_STATE + (enum nn_numbers)k,
                       first != 0 ? numbers : NULL);
}

static int begin_member(struct nn_trainer *t, int at, struct err *err)
{
    struct nn_place *m = &t->members[at];
    double *first = malloc((size_t)t->graph->weights * sizeof(double) + 1);
    if (!first)
        return err_set(err, ERR_LIMIT, "no memory for the first weights");
    m->standing =
        (struct nn_standing){.loss = NAN, .mu_product = 1, .best = NAN};
    nn_schedule_begin(&m->standing.schedule);
    nn_init_weights(t->graph, m->seed, first);
    start_embeddings(t->graph, m->view, first);
    t->runner->put(t->run, at, NN_WEIGHTS, first);
    begin_state(t, at, first);
    free(first);
    return 0;
}

void nn_trainer_leave(struct nn_trainer *t, int member)
{
    if (t->runner->leave)
        t->runner->leave(t->run, member);
    t->members[member].model = NULL;
}

int nn_trainer_join(struct nn_trainer *t, const struct nn_member *m,
                    struct err *err)
{
    size_t at = 0;
    if (nn_model_key(m->model) != t->key)
        return err_set(err, ERR_INPUT, "the model is of another shape");
    if (nn_tokens_check(m->model, m->view, err))
        return -1;
    while (at < t->capacity && t->members[at].model)
        at++;
    if (at == t->capacity)
        return err_set(err, ERR_BUSY, "the cohort is full");
    t->members[at] = (struct nn_place){.model = m->model,
                                       .view = m->view,
                                       .seed = m->seed,
                                       .epochs = m->model->epochs};
    if ((t->runner->join && t->runner->join(t->run, (int)at, err)) ||
        begin_member(t, (int)at, err)) {
        nn_trainer_leave(t, (int)at);
        return -1;
    }
    return (int)at;
}

void nn_trainer_epochs(struct nn_trainer *t, int member, int64_t epochs)
{
    t->members[member].epochs = epochs;
}

/* Nothing of it is left in what was there before. */
static void apply_mask(struct nn_trainer *t, int member, enum nn_numbers which,
                       const double *mask, double *numbers)
{
    t->runner->take(t->run, member, which, numbers);
    for (int64_t i = 0; i < t->graph->trained; i++)
        if (mask[i] == 0)
            numbers[i] = 0;
    t->runner->put(t->run, member, which, numbers);
}

int nn_trainer_mask(struct nn_trainer *t, int member, const char *path,
                    struct err *err)
{
    struct nn_place *m = &t->members[member];
    size_t weights = (size_t)t->graph->weights;
    double *mask = malloc((2 * weights + 1) * sizeof(*mask));
    if (!mask)
        return err_set(err, ERR_LIMIT, "no memory for the masks of a model");
    if (nn_masks_read(m->model, path, mask, err) == 0 &&
        t->runner->reserve(t->run, NN_MASK, err) == 0) {
        t->runner->put(t->run, member, NN_MASK, mask);
        m->masked = true;
        apply_mask(t, member, NN_WEIGHTS, mask, mask + weights);
        if (m->has_best)
            apply_mask(t, member, NN_BEST, mask, mask + weights);
    }
    free(mask);
    return m->masked ? 0 : -1;
}

static bool is_over(const struct nn_trainer *t, int member)
{
    const struct nn_place *m = &t->members[member];
    return m->standing.epoch >= m->epochs || nn_stopping_over(m);
}

/* How far those have come that had epochs left. */
static void end_training(struct nn_trainer *t)
{
    if (t->runner->end)
        t->runner->end(t->run, t->work, t->work_count);
    for (size_t i = 0, at = 0; i < t->turn_count; i++) {
        struct nn_turn *turn = &t->turns[i];
        turn->report = (struct nn_report){.finished = is_over(t, turn->member)};
        if (turn->report.finished)
            continue;
        turn->rc = t->work[at].broken_off ? 1 : 0;
        turn->report.loss = t->work[at++].loss;
    }
}

struct nn_judge *nn_trainer_judge_of(struct nn_trainer *t, int member)
{
    if (!t->judges[member])
        t->judges[member] = nn_judge_new(t->run->like);
    return t->judges[member];
}

static void judge_turns(struct nn_trainer *t, struct nn_turn *turns,
                        size_t count, struct nn_judging *judged)
{
    size_t some = 0;
    for (size_t i = 0; i < count; i++) {
        int member = turns[i].member;
        const struct data_part *part = &t->members[member].view->validation;
        if (turns[i].rc)
            continue;
        turns[i].rc = nn_judge_begin(nn_trainer_judge_of(t, member),
                                     part->count, &turns[i].err);
        if (!turns[i].rc)
            judged[some++] = (struct nn_judging){.member = member,
                                                 .part = part,
                                                 .count = part->count,
                                                 .judge = t->judges[member]};
    }
    t->runner->judge(t->run, judged, some);
    for (size_t i = 0, at = 0; i < count; i++) {
        if (turns[i].rc)
            continue;
        turns[i].rc = judged[at].broken_off ? 1 : 0;
        nn_judging_report(&judged[at++], &turns[i].report);
    }
}

/* A relu makes 0 of what is not a number, so that the loss may hide it. */
static struct str not_finite(const struct nn_trainer *t, int member)
{
    int param = t->runner->not_finite(t->run, member);
    return param < 0 ? STR("") : t->graph->params.p[param].name;
}

/* An epoch has ended when it is judged, too: one that is broken off between
 * is judged when it goes on. */
static int end_turn(struct nn_trainer *t, struct nn_turn *turn)
{
    struct nn_report *r = &turn->report;
    struct nn_place *m = &t->members[turn->member];
    struct nn_standing *s = &m->standing;
    bool judged = m->view->validation.count > 0, over = r->finished;
    if (!over) {
        s->epoch++;
        s->loss = r->loss;
        s->batches = 0;
        s->sum = 0;
    }
    r->epoch = s->epoch;
    r->loss = s->loss;
    if (over)
        return 0;
    nn_schedule_epoch(m->model, m->model->soft.p, &s->schedule,
                      judged ? r->validation_loss : r->loss);
    r->not_finite = not_finite(t, turn->member);
    r->diverged = r->not_finite.len || !isfinite(r->loss) ||
                  (judged && !isfinite(r->validation_loss));
    r->finished = r->diverged || s->epoch >= m->epochs;
    return r->diverged ? 0 : nn_stopping_epoch(t, turn->member, r, &turn->err);
}

/* An error's text is long, and there are thousands of turns: its first letter
 * is enough. */
static void begin_turn(struct nn_turn *turn)
{
    turn->rc = 0;
    turn->report = (struct nn_report){0};
    turn->err.kind = ERR_NONE;
    turn->err.text[0] = turn->err.at[0] = '\0';
}

void nn_trainer_turns_begin(struct nn_trainer *t, struct nn_turn *turns,
                            size_t count)
{
    require(!t->turns);
    t->turns = turns;
    t->turn_count = count;
    t->work = xcalloc(count + 1, sizeof(*t->work));
    t->work_count = 0;
    for (size_t i = 0; i < count; i++) {
        begin_turn(&turns[i]);
        if (!is_over(t, turns[i].member))
            t->work[t->work_count++] =
                (struct nn_work){.member = turns[i].member, .broken_off = true};
    }
    if (t->runner->begin)
        t->runner->begin(t->run, t->work, t->work_count);
}

bool nn_trainer_turns_go(struct nn_trainer *t)
{
    return t->runner->go(t->run, t->work, t->work_count);
}

bool nn_trainer_turns_busy(const struct nn_trainer *t)
{
    return t->runner->is_busy && t->runner->is_busy(t->run);
}

void nn_trainer_turns_end(struct nn_trainer *t)
{
    struct nn_turn *turns = t->turns;
    size_t count = t->turn_count;
    struct nn_judging *judged = xcalloc(count + 1, sizeof(*judged));
    end_training(t);
    judge_turns(t, turns, count, judged);
    for (size_t i = 0; i < count; i++)
        if (!turns[i].rc)
            turns[i].rc = end_turn(t, &turns[i]);
    free(judged);
    free(t->work);
    t->work = NULL;
    t->turns = NULL;
}

void nn_trainer_turns(struct nn_trainer *t, struct nn_turn *turns, size_t count)
{
    nn_trainer_turns_begin(t, turns, count);
    while (nn_trainer_turns_go(t))
        ;
    nn_trainer_turns_end(t);
}

bool nn_trainer_together(const struct nn_trainer *t)
{
    return t->runner->together;
}

int nn_trainer_epoch(struct nn_trainer *t, int member, struct nn_report *r,
                     struct err *err)
{
    struct nn_turn turn = {.member = member};
    nn_trainer_turns(t, &turn, 1);
    *r = turn.report;
    if (turn.rc < 0 && err)
        *err = turn.err;
    return turn.rc;
}

void nn_trainer_take_weights(const struct nn_trainer *t, int member, double *to)
{
    t->runner->take(t->run, member, NN_WEIGHTS, to);
}

void nn_trainer_put_weights(struct nn_trainer *t, int member,
                            const double *from)
{
    t->runner->put(t->run, member, NN_WEIGHTS, from);
}
