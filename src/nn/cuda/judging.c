/* judging.c - the device cuda: members on rows as they are
 *
 * Losses and metrics are summed where predictions are; the sums alone come
 * back. Predictions themselves do where somebody asks for them, or a metric
 * needs their order (AUC): then rows go piece by piece through memory that was
 * there before, however many there are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/cuda/runner.h"
#include "nn/judge.h"

#define PIECE_BYTES ((size_t)64 << 20) /* of all predictions of a piece */
enum { PIECE_BATCHES = 64 };

/* ---- memory -------------------------------------------------------------- */

static bool are_sums(const struct nn_model *m)
{
    for (size_t i = 0; i < m->metrics.len; i++)
        if (m->metrics.p[i].kind == NN_METRIC_AUC)
            return false;
    return m->metrics.len > 0;
}

/* Rows of a piece: whole batches, one at least. */
static size_t piece_rows(const struct nn_model *like, size_t wide)
{
    size_t batch = (size_t)like->batch_size;
    size_t one = batch * (size_t)nn_model_outputs(like) * sizeof(float);
    size_t fit = PIECE_BYTES / (wide * one + 1);
    return batch * (fit < 1 ? 1 : fit < PIECE_BATCHES ? fit : PIECE_BATCHES);
}

uint64_t judging_bytes(const struct nn_model *like, size_t wide)
{
    return wide * nn_judge_numbers(like) * sizeof(double) +
           wide * piece_rows(like, wide) *
               ((uint64_t)nn_model_outputs(like) * sizeof(float) +
                sizeof(uint32_t));
}

static int put_metrics(struct cuda *c, struct err *err)
{
    struct judging_room *j = &c->judging;
    size_t count = c->run.like->metrics.len;
    size_t all = c->wide * j->numbers * sizeof(double);
    struct gpu_metric *metrics = xcalloc(count + 1, sizeof(*metrics));
    lower_metrics(&c->lowered, metrics);
    j->there = gpu_alloc(c->gpu, all, err);
    j->here = j->there ? gpu_alloc_here(c->gpu, all, err) : NULL;
    j->metrics =
        j->here ? gpu_alloc(c->gpu, count * sizeof(*metrics), err) : NULL;
    if (j->metrics)
        gpu_put(c->gpu, j->metrics, metrics, count * sizeof(*metrics));
    free(metrics);
    return j->metrics ? 0 : -1;
}

int judging_open(struct cuda *c, struct err *err)
{
    const struct nn_model *like = c->run.like;
    struct judging_room *j = &c->judging;
    size_t outputs = (size_t)nn_model_outputs(like);
    j->rows = piece_rows(like, c->wide);
    j->numbers = nn_judge_numbers(like);
    j->outputs =
        gpu_alloc(c->gpu, c->wide * j->rows * outputs * sizeof(float), err);
    j->part = j->outputs
                  ? gpu_alloc(c->gpu, c->wide * j->rows * sizeof(uint32_t), err)
                  : NULL;
    if (!j->part || (are_sums(like) && put_metrics(c, err)))
        return -1;
    c->lowered.metric_count = j->metrics ? (int)like->metrics.len : 0;
    return 0;
}

void judging_close(struct cuda *c)
{
    struct judging_room *j = &c->judging;
    gpu_release(c->gpu, j->metrics);
    gpu_release(c->gpu, j->there);
    gpu_release_here(c->gpu, j->here);
    gpu_release(c->gpu, j->outputs);
    gpu_release(c->gpu, j->part);
}

/* ---- a piece ------------------------------------------------------------- */

/* Rows from `from` on of each that is judged, `rows` at most. */
struct piece {
    struct nn_judging *judged;
    size_t count, from, rows;
    bool shown; /* predictions come to the host */
    bool held;  /* the rows lie on the device already */
};

static size_t outputs_of(const struct cuda *c)
{
    return (size_t)nn_model_outputs(c->run.like);
}

static size_t rows_of(const struct piece *p, size_t i)
{
    size_t left =
        p->judged[i].count > p->from ? p->judged[i].count - p->from : 0;
    return left < p->rows ? left : p->rows;
}

/* Where the rows of the part lie that a member is bound to; NULL: elsewhere. */
static const uint32_t *held_rows(const struct cuda *c,
                                 const struct nn_judging *j)
{
    const struct data_view *v = c->run.places[j->member].view;
    const struct bound *b = &c->bound[j->member];
    return j->part->rows == v->validation.rows &&
                   j->part->count == v->validation.count
               ? b->validation
               : NULL;
}

static void begin_piece(struct cuda *c, const struct piece *p, size_t i)
{
    const struct nn_judging *j = &p->judged[i];
    struct judging_room *room = &c->judging;
    struct gpu_slot *s = &c->here[i];
    size_t first = j->from + p->from, rows = rows_of(p, i);
    uint32_t *part = room->part + i * room->rows;
    *s = cuda_slot(c, i, j->member);
    s->in_order = 1;
    if (j->drawn)
        s->seed = j->seed;
    s->first = (uint32_t)(first / s->batch_size);
    s->row_count = (uint32_t)(first + rows);
    s->sum = j->loss_sum;
    s->metrics = room->metrics;
    s->tallies = room->metrics ? room->there + i * room->numbers : NULL;
    s->rows = p->held ? held_rows(c, j) : part - first;
    if (!p->held)
        gpu_put(c->gpu, part, j->part->rows + first, rows * sizeof(uint32_t));
    if (p->shown)
        s->outputs = room->outputs + i * room->rows * outputs_of(c) -
                     first * outputs_of(c);
}

/* Shows the predictions to the judge, a batch after the other, as they would
 * come from a cpu. */
static void show(struct cuda *c, struct nn_judging *j, size_t first,
                 size_t count, const float *outputs)
{
    const struct nn_place *m = &c->run.places[j->member];
    size_t all = outputs_of(c), batch = (size_t)c->run.like->batch_size;
    double *numbers = xcalloc(batch * all + 1, sizeof(*numbers));
    for (size_t from = 0; from < count; from += batch) {
        size_t rows = count - from < batch ? count - from : batch, at = 0;
        for (size_t i = 0; i < c->graph->heads.len; i++) {
            const struct nn_head *h = &c->graph->heads.p[i];
            const struct data_field *f =
                h->label < 0 ? NULL : &m->view->table->labels[h->label];
            size_t width =
                (size_t)nn_shape_count(&c->graph->tensors.p[h->output].shape);
            for (size_t k = 0; k < rows * width; k++)
                numbers[k] =
                    (double)outputs[(from + k / width) * all + at + k % width];
            nn_judge_batch(j->judge, i, numbers, width,
                           f && (f->numbers || f->categories) ? f : NULL,
                           j->part->rows + first + from, rows);
            at += width;
        }
    }
    free(numbers);
}

/* Predictions of all, to whoever asks for them. */
static void show_piece(struct cuda *c, const struct piece *p)
{
    size_t outputs = outputs_of(c), line = c->judging.rows * outputs;
    float *all = xcalloc(p->count * line + 1, sizeof(*all));
    gpu_take(c->gpu, all, c->judging.outputs, p->count * line * sizeof(*all));
    for (size_t i = 0; i < p->count; i++) {
        struct nn_judging *j = &p->judged[i];
        size_t rows = rows_of(p, i);
        if (j->judge && !c->judging.metrics && c->run.like->metrics.len)
            show(c, j, j->from + p->from, rows, all + i * line);
        if (j->outputs)
            memcpy(j->outputs + p->from * outputs, all + i * line,
                   rows * outputs * sizeof(*all));
    }
    free(all);
}

/* True: broken off. */
static bool judge_piece(struct cuda *c, const struct piece *p, bool labelled)
{
    const struct lowered *l = &c->lowered;
    size_t batch = (size_t)c->run.like->batch_size, most = 0;
    for (size_t i = 0; i < p->count; i++) {
        begin_piece(c, p, i);
        most = rows_of(p, i) > most ? rows_of(p, i) : most;
    }
    int64_t batches = (int64_t)((most + batch - 1) / batch);
    cuda_put_slots(c, p->count);
    bool broken =
        l->small_judge.len
            ? cuda_give(c, &l->small_judge, p->count,
                        /* A piece may begin between two multiples. */
                        batches / SMALL_BATCHES + 2)
            : cuda_give(c, labelled ? &l->judge : &l->blind, p->count, batches);
    cuda_take_results(c, p->count);
    for (size_t i = 0; i < p->count; i++)
        p->judged[i].loss_sum = labelled ? c->results[i].sum : NAN;
    if (p->shown && !broken)
        show_piece(c, p);
    return broken;
}

/* ---- all rows ------------------------------------------------------------ */

static void put_tallies(struct cuda *c, const struct piece *p)
{
    struct judging_room *room = &c->judging;
    for (size_t i = 0; i < p->count; i++) {
        double *numbers = room->here + i * room->numbers;
        if (p->judged[i].judge)
            nn_judge_give(p->judged[i].judge, numbers);
        else
            memset(numbers, 0, room->numbers * sizeof(*numbers));
    }
    gpu_put(c->gpu, room->there, room->here,
            p->count * room->numbers * sizeof(double));
}

static void take_tallies(struct cuda *c, const struct piece *p)
{
    struct judging_room *room = &c->judging;
    gpu_take(c->gpu, room->here, room->there,
             p->count * room->numbers * sizeof(double));
    for (size_t i = 0; i < p->count; i++)
        if (p->judged[i].judge)
            nn_judge_take(p->judged[i].judge, room->here + i * room->numbers);
}

static void judge_some(struct cuda *c, struct nn_judging *judged, size_t count)
{
    struct piece p = {.judged = judged,
                      .count = count,
                      .shown = c->run.like->metrics.len && !c->judging.metrics,
                      .held = true};
    size_t most = 0;
    bool broken = false;
    for (size_t i = 0; i < count; i++) {
        most = judged[i].count > most ? judged[i].count : most;
        p.shown |= judged[i].outputs != NULL;
        p.held &= held_rows(c, &judged[i]) != NULL;
    }
    p.rows = p.shown || !p.held ? c->judging.rows : most;
    if (c->judging.metrics)
        put_tallies(c, &p);
    for (; p.from < most && !broken; p.from += p.rows)
        broken = judge_piece(c, &p, c->bound[judged[0].member].labelled);
    if (c->judging.metrics)
        take_tallies(c, &p);
    for (size_t i = 0; i < count; i++)
        judged[i].broken_off |= broken;
}

/* Those without rows have nothing to wait for. Members that have labels are
 * not judged together with those that have none. */
void judging_run(struct nn_run *r, struct nn_judging *judged, size_t count)
{
    struct cuda *c = (struct cuda *)r;
    for (size_t i = 0, n; i < count; i += n) {
        bool labelled = c->bound[judged[i].member].labelled;
        bool rows = judged[i].count > 0;
        for (n = 1; i + n < count && n < c->wide &&
                    c->bound[judged[i + n].member].labelled == labelled &&
                    (judged[i + n].count > 0) == rows;)
            n++;
        if (rows)
            judge_some(c, judged + i, n);
        else
            for (size_t k = 0; !labelled && k < n; k++)
                judged[i + k].loss_sum = NAN;
    }
}
