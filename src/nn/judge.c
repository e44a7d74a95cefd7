/* judge.c - metrics over many batches of predictions
 *
 * Classes come from the largest of several numbers, or from one number above
 * one half; several outputs of binary cross-entropy and of dice are a yes or
 * no each. AUC keeps the scores of all rows, with what is true of them, since
 * it needs their order; the others are sums.
 *
 * A prediction that is not a number is above none, below none and equal to
 * none, itself included: counted like the others it would be a hit for top_k,
 * a class for accuracy and no rank at all for AUC. So a metric over rows that
 * hold one is not a number either. Nor is one of classes where a single number
 * is predicted of labels that are neither 0 nor 1. */
#include "nn/judge.h"

#include <math.h>
#include <stdlib.h>

struct scored {
    double score;
    bool positive;
};

struct tally {
    struct nn_sums sums;
    struct nn_counted *classes; /* F1, IOU, DICE */
    size_t class_count;
    bool yes_or_no; /* the last class is yes, or each is one */
    bool each;
    struct scored *scores; /* AUC: of each row `row_scores`, which go to `lists`
                              in turn: one for each class, one of yes and no */
    size_t score_count, room, row_scores, lists;
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

/* Room for AUC's scores of all rows and, where there are several lists, to
 * sort one of them. */
static int make_room(struct tally *t, const struct nn_metric *m, size_t rows,
                     struct err *err)
{
    size_t wanted = (t->row_scores + (t->lists > 1)) * rows;
    if (wanted <= t->room)
        return 0;
    struct scored *scores = realloc(t->scores, wanted * sizeof(*scores));
    if (!scores)
        return err_set(err, ERR_LIMIT,
                       "no memory for the scores of %zu rows, which %.*s needs",
                       rows, STRF(m->name));
    t->scores = scores;
    t->room = wanted;
    return 0;
}

static size_t width_of(const struct nn_graph *g, const struct nn_head *h)
{
    return (size_t)nn_shape_count(&g->tensors.p[h->output].shape);
}

static int begin_scores(struct tally *t, const struct nn_graph *g,
                        const struct nn_metric *m, size_t rows, struct err *err)
{
    const struct nn_head *h = &g->heads.p[m->head];
    size_t width = width_of(g, h);
    bool each = nn_each_is_yes_or_no(h, width);
    t->row_scores = each || width > 2 ? width : 1;
    t->lists = each ? 1 : t->row_scores;
    return make_room(t, m, rows, err);
}

size_t nn_metric_classes(const struct nn_model *model,
                         const struct nn_metric *m)
{
    size_t width = width_of(&model->graph, &model->graph.heads.p[m->head]);
    bool counts = m->kind == NN_METRIC_F1_MICRO ||
                  m->kind == NN_METRIC_F1_MACRO || m->kind == NN_METRIC_IOU ||
                  m->kind == NN_METRIC_DICE;
    return !counts ? 0 : width == 1 ? 2 : width;
}

static void begin_classes(struct tally *t, const struct nn_model *model,
                          const struct nn_metric *m)
{
    const struct nn_head *h = &model->graph.heads.p[m->head];
    size_t width = width_of(&model->graph, h);
    t->class_count = nn_metric_classes(model, m);
    t->each = nn_each_is_yes_or_no(h, width);
    t->yes_or_no = t->each || width == 1;
    t->classes = xcalloc(t->class_count + 1, sizeof(*t->classes));
}

int nn_judge_begin(struct nn_judge *j, size_t rows, struct err *err)
{
    for (size_t i = 0; i < j->model->metrics.len; i++) {
        const struct nn_metric *m = &j->model->metrics.p[i];
        struct tally *t = &j->tallies[i];
        free(t->classes);
        *t = (struct tally){.scores = t->scores, .room = t->room};
        begin_classes(t, j->model, m);
        if (m->kind == NN_METRIC_AUC &&
            begin_scores(t, &j->model->graph, m, rows, err))
            return -1;
    }
    return 0;
}

void nn_judge_free(struct nn_judge *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < j->model->metrics.len; i++) {
        free(j->tallies[i].classes);
        free(j->tallies[i].scores);
    }
    free(j->tallies);
    free(j->values);
    free(j);
}

/* One row of predictions, and what is true of it. */
struct row {
    const double *out;
    size_t width;
    const struct data_field *label;
    uint32_t number;
    const struct nn_head *head;
    bool each;    /* every output is a yes or no of its own */
    bool spreads; /* the second half of the outputs is no prediction */
};

static size_t largest(const double *x, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

static double number_of(const struct row *r, size_t i)
{
    const struct data_field *f = r->label;
    size_t at = (size_t)r->number * (size_t)f->columns + i;
    return f->numbers ? (double)f->numbers[at] : (double)f->categories[at];
}

static bool yes(const struct row *r, size_t i)
{
    return i < (size_t)r->label->columns && number_of(r, i) > 0.5;
}

static size_t predicted(const struct row *r)
{
    return r->width == 1 ? r->out[0] > 0.5 : largest(r->out, r->width);
}

/* A label of several numbers is a distribution: its class is the largest. */
static size_t truth_of(const struct row *r)
{
    const struct data_field *f = r->label;
    size_t columns = (size_t)f->columns, best = 0;
    if (f->categories)
        return (size_t)f->categories[(size_t)r->number * columns];
    if (columns == 1)
        return number_of(r, 0) > 0.5;
    for (size_t i = 1; i < columns; i++)
        if (number_of(r, i) > number_of(r, best))
            best = i;
    return best;
}

static bool within(const struct row *r, size_t truth, int k)
{
    int above = 0;
    for (size_t i = 0; i < r->width && truth < r->width; i++)
        above += r->out[i] > r->out[truth];
    return truth < r->width && above < k;
}

/* Counts of one more class, of the truth and of the prediction. */
static void add_class(struct tally *t, size_t class, bool truth, bool got)
{
    t->classes[class].truth += truth;
    t->classes[class].got += got;
    t->classes[class].both += truth && got;
}

static void add_classes(struct tally *t, const struct row *r)
{
    size_t count = t->class_count;
    for (size_t i = 0; r->each && i < count; i++)
        add_class(t, i, yes(r, i), r->out[i] > 0.5);
    if (r->each)
        return;
    size_t truth = truth_of(r), got = predicted(r);
    if (truth >= count)
        return;
    add_class(t, truth, true, truth == got);
    if (truth != got)
        add_class(t, got, false, true);
}

/* One against the rest, for every class. */
static void add_scores(struct tally *t, const struct row *r)
{
    size_t truth = r->each ? 0 : truth_of(r);
    require(t->score_count + t->row_scores <= t->room);
    for (size_t i = r->width - t->row_scores; i < r->width; i++) {
        bool positive = r->each         ? yes(r, i)
                        : r->width == 1 ? truth > 0
                                        : truth == i;
        t->scores[t->score_count++] = (struct scored){r->out[i], positive};
    }
}

/* Of several answers of yes and no each counts by itself. */
static double hits(const struct row *r)
{
    double right = 0;
    if (!r->each)
        return predicted(r) == truth_of(r);
    for (size_t i = 0; i < r->width; i++)
        right += (r->out[i] > 0.5) == yes(r, i);
    return right / (double)r->width;
}

/* A class among several outputs is no number to compare with. */
static void add_errors(struct tally *t, const struct row *r)
{
    size_t columns = (size_t)r->label->columns;
    size_t numbers = r->spreads ? r->width / 2 : r->width;
    size_t count = columns == numbers ? columns : 0;
    for (size_t i = 0; i < count; i++) {
        double truth = number_of(r, i), d = r->out[i] - truth;
        t->sums.absolute += fabs(d);
        t->sums.squares += d * d;
        t->sums.sum += truth;
        t->sums.sum_squares += truth * truth;
        t->sums.numbers++;
    }
}

static bool has_nan(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

static void add_row(const struct nn_metric *m, struct tally *t,
                    const struct row *r)
{
    t->sums.rows++;
    if (has_nan(r->out, r->width) ||
        (!nn_metric_is_of_numbers(m->kind) &&
         nn_has_no_class(r->head, r->width, r->label, r->number)))
        t->sums.unranked = 1;
    if (t->sums.unranked > 0)
        return;
    switch (m->kind) {
    case NN_METRIC_ACCURACY:
        t->sums.hits += hits(r);
        break;
    case NN_METRIC_TOP_K:
        t->sums.hits += within(r, truth_of(r), m->k);
        break;
    case NN_METRIC_AUC:
        add_scores(t, r);
        break;
    case NN_METRIC_F1_MICRO:
    case NN_METRIC_F1_MACRO:
    case NN_METRIC_IOU:
    case NN_METRIC_DICE:
        add_classes(t, r);
        break;
    default:
        add_errors(t, r);
    }
}

void nn_judge_batch(struct nn_judge *j, size_t head, const double *outputs,
                    size_t width, const struct data_field *label,
                    const uint32_t *rows, size_t count)
{
    const struct nn_head *h = &j->model->graph.heads.p[head];
    struct row r = {.width = width,
                    .label = label,
                    .head = h,
                    .each = nn_each_is_yes_or_no(h, width),
                    .spreads = h->loss == NN_LOSS_HETEROSCEDASTIC};
    for (size_t i = 0; label && i < j->model->metrics.len; i++) {
        const struct nn_metric *m = &j->model->metrics.p[i];
        if ((size_t)m->head != head)
            continue;
        for (size_t k = 0; k < count; k++) {
            r.out = outputs + k * width;
            r.number = rows[k];
            add_row(m, &j->tallies[i], &r);
        }
    }
}

/* Macro: the mean over classes that are there or predicted. Micro: all of
 * them together, which is the accuracy when every row has one class. */
static double f1(const struct tally *t, bool macro)
{
    double sum = 0, classes = 0, both = 0, all = 0;
    for (size_t i = 0; i < t->class_count; i++) {
        const struct nn_counted *c = &t->classes[i];
        double either = c->truth + c->got;
        sum += either > 0 ? 2 * c->both / either : 0;
        classes += either > 0;
        both += 2 * c->both;
        all += either;
    }
    return macro ? sum / classes : both / all;
}

/* What truth and prediction share, of all that either has: of yes over all
 * numbers of all rows; of classes the mean over those that are there or
 * predicted. Dice counts what is shared twice, on both sides. */
static double overlap(const struct tally *t, bool dice)
{
    double sum = 0, classes = 0, shared = 0, all = 0;
    size_t first = t->yes_or_no && !t->each ? 1 : 0;
    for (size_t i = first; i < t->class_count; i++) {
        const struct nn_counted *c = &t->classes[i];
        double both = dice ? 2 * c->both : c->both;
        double any = c->truth + c->got - (dice ? 0 : c->both);
        sum += any > 0 ? both / any : 0;
        classes += any > 0;
        shared += both;
        all += any;
    }
    return t->yes_or_no ? shared / all : sum / classes;
}

static int by_score(const void *a, const void *b)
{
    double x = ((const struct scored *)a)->score;
    double y = ((const struct scored *)b)->score;
    return (x > y) - (x < y);
}

/* Of one list, by ranks; equal scores share theirs. NaN: all are positive, or
 * none. */
static double auc_of(struct scored *s, size_t count)
{
    double positives = 0, ranks = 0;
    qsort(s, count, sizeof(*s), by_score);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && s[end].score == s[i].score;)
            end++;
        double rank = ((double)i + (double)end + 1) / 2;
        for (size_t k = i; k < end; k++)
            if (s[k].positive) {
                positives++;
                ranks += rank;
            }
    }
    double negatives = (double)count - positives;
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives);
}

/* Each class against the rest, and the mean over those classes that some rows
 * are of: scikit-learn's multi_class="ovr", average="macro". */
static double auc(struct tally *t)
{
    double sum = 0, classes = 0;
    size_t rows = t->score_count / t->lists;
    struct scored *one = t->scores + t->score_count;
    if (t->lists == 1)
        return auc_of(t->scores, rows);
    for (size_t list = 0; list < t->lists; list++) {
        for (size_t i = 0; i < rows; i++)
            one[i] = t->scores[i * t->lists + list];
        double area = auc_of(one, rows);
        sum += isnan(area) ? 0 : area;
        classes += !isnan(area);
    }
    return sum / classes;
}

static double r2(const struct tally *t)
{
    const struct nn_sums *s = &t->sums;
    double spread = s->sum_squares - s->sum * s->sum / s->numbers;
    return spread > 0 ? 1 - s->squares / spread : NAN;
}

static double value_of(const struct nn_metric *m, struct tally *t)
{
    if (!(t->sums.rows > 0) || t->sums.unranked > 0)
        return NAN;
    switch (m->kind) {
    case NN_METRIC_ACCURACY:
    case NN_METRIC_TOP_K:
        return t->sums.hits / t->sums.rows;
    case NN_METRIC_F1_MICRO:
        return f1(t, false);
    case NN_METRIC_F1_MACRO:
        return f1(t, true);
    case NN_METRIC_AUC:
        return auc(t);
    case NN_METRIC_IOU:
        return overlap(t, false);
    case NN_METRIC_DICE:
        return overlap(t, true);
    case NN_METRIC_R2:
        return r2(t);
    case NN_METRIC_MAE:
        return t->sums.absolute / t->sums.numbers;
    case NN_METRIC_MSE:
        return t->sums.squares / t->sums.numbers;
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

/* ---- judged elsewhere ---------------------------------------------------- */

size_t nn_judge_numbers(const struct nn_model *m)
{
    size_t all = 0;
    for (size_t i = 0; i < m->metrics.len; i++)
        all += NN_SUMS + 3 * nn_metric_classes(m, &m->metrics.p[i]);
    return all;
}

/* What each metric has, to somewhere or from there. */
static void move(struct nn_judge *j, double *numbers, bool back)
{
    for (size_t i = 0; i < j->model->metrics.len; i++) {
        struct tally *t = &j->tallies[i];
        struct nn_sums *sums = (struct nn_sums *)numbers;
        struct nn_counted *classes = (struct nn_counted *)(numbers + NN_SUMS);
        if (back)
            t->sums = *sums;
        else
            *sums = t->sums;
        for (size_t k = 0; k < t->class_count; k++)
            if (back)
                t->classes[k] = classes[k];
            else
                classes[k] = t->classes[k];
        numbers += NN_SUMS + 3 * t->class_count;
    }
}

void nn_judge_give(struct nn_judge *j, double *to)
{
    move(j, to, false);
}

void nn_judge_take(struct nn_judge *j, const double *from)
{
    move(j, (double *)(uintptr_t)from, true);
}
