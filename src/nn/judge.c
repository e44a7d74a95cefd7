/* judge.c - metrics over many batches of predictions
 *
 * Classes come from the largest of several numbers, or from one number above
 * one half. F1 counts pairs of classes; AUC keeps the
 * scores, since it needs their order; the others are sums. */
#include "nn/judge.h"

#include <math.h>
#include <stdlib.h>

struct scored {
    double score;
    bool positive;
};

struct tally {
    double rows;
    double hits;              /* ACCURACY, TOP_K */
    double absolute, squares; /* of errors */
    double sum, sum_squares;  /* of truths, for R2 */
    double numbers;           /* compared */
    uint64_t *pairs;          /* [truth][prediction] */
    size_t classes;
    VEC(struct scored)
    scores; /* AUC: of every class but the first, or of the
               one number */
};

struct nn_judge {
    const struct nn_model *model;
    struct tally *tallies; /* by metric */
    double *values;
};

struct nn_judge *nn_judge_new(const struct nn_model *m)
{
    struct nn_judge *j = xcalloc(1, sizeof(*j));
    j->model = m;
    j->tallies = xcalloc(m->metrics.len + 1, sizeof(*j->tallies));
    j->values = xcalloc(m->metrics.len + 1, sizeof(*j->values));
    return j;
}

void nn_judge_begin(struct nn_judge *j)
{
    for (size_t i = 0; i < j->model->metrics.len; i++) {
        struct tally *t = &j->tallies[i];
        free(t->pairs);
        t->scores.len = 0;
        struct tally fresh = {0};
        fresh.scores.p = t->scores.p;
        fresh.scores.cap = t->scores.cap;
        *t = fresh;
    }
}

void nn_judge_free(struct nn_judge *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < j->model->metrics.len; i++) {
        free(j->tallies[i].pairs);
        vec_done(&j->tallies[i].scores);
    }
    free(j->tallies);
    free(j->values);
    free(j);
}

static size_t largest(const double *x, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

static size_t predicted(const double *out, size_t width)
{
    return width == 1 ? out[0] > 0.5 : largest(out, width);
}

/* A label of several numbers is a distribution: its class is the largest. */
static size_t truth_of(const struct data_field *f, uint32_t row)
{
    size_t columns = (size_t)f->columns;
    if (f->categories)
        return (size_t)f->categories[(size_t)row * columns];
    if (columns == 1)
        return f->numbers[row] > 0.5f;
    const float *x = f->numbers + (size_t)row * columns;
    size_t best = 0;
    for (size_t i = 1; i < columns; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

static bool within(const double *out, size_t width, size_t truth, int k)
{
    int above = 0;
    for (size_t i = 0; i < width && truth < width; i++)
        above += out[i] > out[truth];
    return truth < width && above < k;
}

static void add_pair(struct tally *t, size_t width, size_t truth, size_t got)
{
    size_t classes = width == 1 ? 2 : width;
    if (!t->pairs) {
        t->classes = classes;
        t->pairs = xcalloc(classes * classes, sizeof(*t->pairs));
    }
    if (truth < classes && got < classes)
        t->pairs[truth * classes + got]++;
}

/* One against the rest, for every class, as one list. */
static void add_scores(struct tally *t, const double *out, size_t width,
                       size_t truth)
{
    for (size_t i = width > 2 ? 0 : width - 1; i < width; i++) {
        struct scored s = {out[i], width == 1 ? truth > 0 : truth == i};
        vec_push(&t->scores, s);
    }
}

static double number_of(const struct data_field *f, uint32_t row, size_t i)
{
    size_t at = (size_t)row * (size_t)f->columns + i;
    return f->numbers ? (double)f->numbers[at] : (double)f->categories[at];
}

static void add_errors(struct tally *t, const double *out, size_t width,
                       const struct data_field *f, uint32_t row)
{
    size_t count = (size_t)f->columns < width ? (size_t)f->columns : width;
    for (size_t i = 0; i < count; i++) {
        double truth = number_of(f, row, i), d = out[i] - truth;
        t->absolute += fabs(d);
        t->squares += d * d;
        t->sum += truth;
        t->sum_squares += truth * truth;
        t->numbers++;
    }
}

static void add_row(const struct nn_metric *m, struct tally *t,
                    const double *out, size_t width, const struct data_field *f,
                    uint32_t row)
{
    t->rows++;
    switch (m->kind) {
    case NN_METRIC_ACCURACY:
        t->hits += predicted(out, width) == truth_of(f, row);
        break;
    case NN_METRIC_TOP_K:
        t->hits += within(out, width, truth_of(f, row), m->k);
        break;
    case NN_METRIC_AUC:
        add_scores(t, out, width, truth_of(f, row));
        break;
    case NN_METRIC_F1_MICRO:
    case NN_METRIC_F1_MACRO:
        add_pair(t, width, truth_of(f, row), predicted(out, width));
        break;
    default:
        add_errors(t, out, width, f, row);
    }
}

void nn_judge_batch(struct nn_judge *j, size_t head, const double *outputs,
                    size_t width, const struct data_field *label,
                    const uint32_t *rows, size_t count)
{
    for (size_t i = 0; label && i < j->model->metrics.len; i++) {
        const struct nn_metric *m = &j->model->metrics.p[i];
        if ((size_t)m->head != head)
            continue;
        for (size_t r = 0; r < count; r++)
            add_row(m, &j->tallies[i], outputs + r * width, width, label,
                    rows[r]);
    }
}

static double f1_of(const struct tally *t, size_t class, double *weight)
{
    double both = (double)t->pairs[class * t->classes + class];
    double truth = 0, got = 0;
    for (size_t i = 0; i < t->classes; i++) {
        truth += (double)t->pairs[class * t->classes + i];
        got += (double)t->pairs[i * t->classes + class];
    }
    *weight = truth + got;
    return truth + got > 0 ? 2 * both / (truth + got) : 0;
}

/* Macro: the mean over classes that are there or predicted. Micro: all pairs
 * together, which is the accuracy when every row has one class. */
static double f1(const struct tally *t, bool macro)
{
    double sum = 0, classes = 0, hits = 0, all = 0;
    for (size_t c = 0; c < t->classes; c++) {
        double weight, one = f1_of(t, c, &weight);
        sum += one;
        classes += weight > 0;
        hits += 2 * (double)t->pairs[c * t->classes + c];
        all += weight;
    }
    return macro ? sum / classes : hits / all;
}

static int by_score(const void *a, const void *b)
{
    double x = ((const struct scored *)a)->score;
    double y = ((const struct scored *)b)->score;
    return (x > y) - (x < y);
}

/* By ranks; equal scores share theirs. */
static double auc(struct tally *t)
{
    double positives = 0, ranks = 0;
    size_t count = t->scores.len;
    if (!count)
        return NAN;
    qsort(t->scores.p, count, sizeof(*t->scores.p), by_score);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i;
             end < count && t->scores.p[end].score == t->scores.p[i].score;)
            end++;
        double rank = ((double)i + (double)end + 1) / 2;
        for (size_t k = i; k < end; k++)
            if (t->scores.p[k].positive) {
                positives++;
                ranks += rank;
            }
    }
    double negatives = (double)count - positives;
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives);
}

static double r2(const struct tally *t)
{
    double spread = t->sum_squares - t->sum * t->sum / t->numbers;
    return 1 - t->squares / spread;
}

static double value_of(const struct nn_metric *m, struct tally *t)
{
    if (t->rows == 0)
        return NAN;
    switch (m->kind) {
    case NN_METRIC_ACCURACY:
    case NN_METRIC_TOP_K:
        return t->hits / t->rows;
    case NN_METRIC_F1_MICRO:
        return f1(t, false);
    case NN_METRIC_F1_MACRO:
        return f1(t, true);
    case NN_METRIC_AUC:
        return auc(t);
    case NN_METRIC_R2:
        return r2(t);
    case NN_METRIC_MAE:
        return t->absolute / t->numbers;
    case NN_METRIC_MSE:
        return t->squares / t->numbers;
    default:
        return NAN;
    }
}

const double *nn_judge_end(struct nn_judge *j)
{
    for (size_t i = 0; i < j->model->metrics.len; i++)
        j->values[i] = value_of(&j->model->metrics.p[i], &j->tallies[i]);
    return j->values;
}
