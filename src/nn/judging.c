/* judging.c - a member on rows, all at once or piece by piece
 *
 * Pieces are whole batches, and sums go on from one to the next: what comes out
 * does not depend on them. Beside the rows' own numbers, and what a metric must
 * keep (judge.h), nothing grows with how many rows there are. */
#include <math.h>
#include <stdlib.h>

#include "nn/judge.h"
#include "nn/trainer.h"

struct nn_pieces {
    struct nn_trainer *trainer;
    struct nn_judging judging;
};

static int judge(struct nn_trainer *t, struct nn_judging *j)
{
    t->runner->judge(t->run, j, 1);
    return j->broken_off ? 1 : 0;
}

void nn_judging_report(struct nn_judging *j, struct nn_report *r)
{
    size_t rows = j->part->count;
    r->validation_loss = rows ? j->loss_sum / (double)rows : NAN;
    r->metrics = nn_judge_end(j->judge);
}

int nn_trainer_judge(struct nn_trainer *t, int member,
                     const struct data_part *part, struct nn_report *r,
                     struct err *err)
{
    struct nn_judging j = {.member = member,
                           .part = part,
                           .count = part->count,
                           .judge = nn_trainer_judge_of(t, member)};
    if (nn_judge_begin(j.judge, part->count, err))
        return -1;
    if (judge(t, &j))
        return 1;
    nn_judging_report(&j, r);
    return 0;
}

struct nn_pieces *nn_pieces_new(struct nn_trainer *t, int member,
                                const struct data_part *part, struct err *err)
{
    struct nn_pieces *p = xcalloc(1, sizeof(*p));
    p->trainer = t;
    p->judging =
        (struct nn_judging){.member = member,
                            .part = part,
                            .judge = nn_judge_new(t->members[member].model)};
    if (nn_judge_begin(p->judging.judge, part->count, err) == 0)
        return p;
    nn_pieces_free(p);
    return NULL;
}

void nn_pieces_free(struct nn_pieces *p)
{
    if (!p)
        return;
    nn_judge_free(p->judging.judge);
    free(p);
}

size_t nn_pieces_rows(const struct nn_pieces *p, size_t rows)
{
    size_t batch = (size_t)p->trainer->run->like->batch_size;
    return rows < batch ? batch : rows / batch * batch;
}

int nn_pieces_next(struct nn_pieces *p, size_t rows, float *outputs,
                   size_t *count)
{
    struct nn_judging *j = &p->judging;
    size_t left = j->part->count - j->from;
    size_t most = nn_pieces_rows(p, rows);
    j->count = left < most ? left : most;
    j->outputs = outputs;
    if (judge(p->trainer, j))
        return 1;
    j->from += j->count;
    *count = j->count;
    return 0;
}

void nn_pieces_report(struct nn_pieces *p, struct nn_report *r)
{
    require(p->judging.from == p->judging.part->count);
    nn_judging_report(&p->judging, r);
}

/* All members and samples at once. */
static int ask_by_judging(struct nn_trainer *t, const struct nn_question *q)
{
    size_t wide = (size_t)nn_model_outputs(t->run->like);
    size_t count = q->count * q->samples;
    struct nn_judging *all = xcalloc(count + 1, sizeof(*all));
    bool broken = false;
    for (size_t k = 0; k < count; k++) {
        size_t at = k / q->samples, sample = k % q->samples;
        uint64_t seed = t->members[q->members[at]].seed;
        all[k] = (struct nn_judging){.member = q->members[at],
                                     .part = q->parts[at],
                                     .from = q->from,
                                     .count = q->rows,
                                     .outputs = q->outputs + k * q->room * wide,
                                     .drawn = true,
                                     .seed = nn_sample_seed(seed, sample)};
    }
    t->runner->judge(t->run, all, count);
    for (size_t k = 0; k < count; k++)
        broken |= all[k].broken_off;
    free(all);
    return broken ? 1 : 0;
}

int nn_trainer_ask(struct nn_trainer *t, const struct nn_question *q,
                   struct err *err)
{
    return t->runner->ask ? t->runner->ask(t->run, q, err)
                          : ask_by_judging(t, q);
}

bool nn_trainer_asks_anew(const struct nn_trainer *t)
{
    return t->runner->ask;
}

size_t nn_trainer_ask_rows(const struct nn_trainer *t)
{
    const struct nn_model *like = t->run->like;
    return t->runner->ask_rows ? t->runner->ask_rows(like)
                               : (size_t)like->batch_size;
}
