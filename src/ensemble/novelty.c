/* novelty.c - how far a row lies from those that a model was trained on
 *
 * What a hidden layer makes of training rows has a mean and a covariance; the
 * distance of a row is Mahalanobis's. A covariance of few rows, or of units
 * that are always 0, has no inverse: it is shrunk towards a multiple of one as
 * Ledoit and Wolf (2004) do, who need no number to be chosen for it.
 *
 * As a file: one line of JSON, of the covariance the lower triangle. */
#include <math.h>

#include "base/json.h"
#include "base/linear.h"
#include "ensemble/ensemble.h"

static size_t triangle(size_t columns)
{
    return columns * (columns + 1) / 2;
}

/* ---- fitting --------------------------------------------------------------
 */

struct fitting {
    struct novelty *novelty;
    const double *rows;
    double *centred; /* one row */
    double fourth;   /* sum over rows of the fourth power of their length */
};

static void add_mean(struct fitting *f)
{
    struct novelty *n = f->novelty;
    for (size_t i = 0; i < n->rows; i++)
        for (size_t k = 0; k < n->columns; k++)
            n->mean[k] += f->rows[i * n->columns + k];
    for (size_t k = 0; k < n->columns; k++)
        n->mean[k] /= (double)n->rows;
}

static void add_covariance(struct fitting *f)
{
    struct novelty *n = f->novelty;
    for (size_t i = 0; i < n->rows; i++) {
        double *x = f->centred, *to = n->covariance;
        for (size_t k = 0; k < n->columns; k++)
            x[k] = f->rows[i * n->columns + k] - n->mean[k];
        double length = dot(x, x, n->columns);
        f->fourth += length * length;
        for (size_t k = 0; k < n->columns; k++)
            for (size_t j = 0; j <= k; j++)
                *to++ += x[k] * x[j];
    }
    for (size_t k = 0; k < triangle(n->columns); k++)
        n->covariance[k] /= (double)n->rows;
}

/* The share of the multiple of one, between 0 and 1, and that multiple. */
static double shrinkage_of(const struct fitting *f, double *multiple)
{
    const struct novelty *n = f->novelty;
    const double *c = n->covariance;
    double columns = (double)n->columns, rows = (double)n->rows;
    double trace = 0, squares = 0;
    for (size_t k = 0; k < n->columns; k++)
        for (size_t j = 0; j <= k; j++, c++) {
            trace += j == k ? *c : 0;
            squares += (j == k ? 1 : 2) * *c * *c;
        }
    *multiple = trace / columns;
    double noise = (f->fourth / rows - squares) / (columns * rows);
    double spread =
        (squares - 2 * *multiple * trace + columns * *multiple * *multiple) /
        columns;
    noise = fmin(noise, spread);
    return noise > 0 ? noise / spread : 0;
}

static void shrink(struct novelty *n, double multiple)
{
    double *c = n->covariance;
    for (size_t k = 0; k < n->columns; k++)
        for (size_t j = 0; j <= k; j++, c++)
            *c = (1 - n->shrinkage) * *c +
                 (j == k ? n->shrinkage * multiple : 0);
}

static int factorize(struct novelty *n, struct arena *a, struct err *err)
{
    const double *c = n->covariance;
    n->factor = arena_array(a, n->columns * n->columns, sizeof(*n->factor));
    for (size_t k = 0; k < n->columns; k++)
        for (size_t j = 0; j <= k; j++)
            n->factor[k * n->columns + j] = *c++;
    if (cholesky_extend(n->factor, n->columns, 0, n->columns) == 0)
        return 0;
    return err_set(err, ERR_INPUT,
                   "the rows of the layer have no covariance that could be "
                   "inverted");
}

int novelty_fit(struct novelty *n, const double *rows, size_t count,
                size_t columns, struct arena *a, struct err *err)
{
    double multiple;
    if (columns < 1 || columns > NOVELTY_COLUMNS)
        return err_set(err, ERR_LIMIT,
                       "the layer has %zu numbers a row; 1 to %d can be "
                       "judged: name another layer",
                       columns, NOVELTY_COLUMNS);
    n->rows = count;
    n->columns = columns;
    n->mean = arena_array(a, columns, sizeof(*n->mean));
    n->covariance = arena_array(a, triangle(columns), sizeof(*n->covariance));
    struct fitting f = {.novelty = n,
                        .rows = rows,
                        .centred = arena_array(a, columns, sizeof(double))};
    add_mean(&f);
    add_covariance(&f);
    n->shrinkage = shrinkage_of(&f, &multiple);
    if (!(multiple > 0) || isinf(multiple))
        return err_set(err, ERR_INPUT,
                       "the layer says the same of all training rows, or no "
                       "numbers: nothing could be unlike them");
    shrink(n, multiple);
    return factorize(n, a, err);
}

double novelty_distance(const struct novelty *n, const double *row,
                        double *scratch)
{
    for (size_t k = 0; k < n->columns; k++)
        scratch[k] = row[k] - n->mean[k];
    solve_lower_one(n->factor, n->columns, n->columns, scratch);
    return sqrt(dot(scratch, scratch, n->columns));
}

int novelty_limit(struct novelty *n, double *distances, size_t count,
                  struct err *err)
{
    n->threshold = conformal_score(distances, count, n->alpha);
    n->held_out = count;
    if (isfinite(n->threshold))
        return 0;
    return err_set(err, ERR_INPUT,
                   "%zu rows are too few for a threshold that %g of them are "
                   "beyond; say a larger alpha, or hold out more rows",
                   count, n->alpha);
}

/* ---- the file -------------------------------------------------------------
 */

static struct value *numbers_value(struct arena *a, const double *list,
                                   size_t count)
{
    struct value *v = value_list(a);
    for (size_t i = 0; i < count; i++)
        value_list_add(a, v, value_double(a, list[i]));
    return v;
}

void novelty_print(struct buf *b, const struct novelty *n)
{
    struct arena *a = arena_new();
    struct value *v = value_object(a);
    value_set(a, v, STR("format"), value_string(a, STR(NOVELTY_FORMAT)));
    value_set(a, v, STR("layer"), value_string(a, n->layer));
    value_set(a, v, STR("sha256"), value_string(a, n->sha256));
    value_set(a, v, STR("rows"), value_int(a, (int64_t)n->rows));
    value_set(a, v, STR("held_out"), value_int(a, (int64_t)n->held_out));
    value_set(a, v, STR("shrinkage"), value_double(a, n->shrinkage));
    value_set(a, v, STR("alpha"), value_double(a, n->alpha));
    value_set(a, v, STR("threshold"), value_double(a, n->threshold));
    value_set(a, v, STR("mean"), numbers_value(a, n->mean, n->columns));
    value_set(a, v, STR("covariance"),
              numbers_value(a, n->covariance, triangle(n->columns)));
    json_print(b, v);
    buf_addc(b, '\n');
    arena_free(a);
}

static double *numbers_of(const struct value *v, size_t count, struct arena *a)
{
    double *list = arena_array(a, count + 1, sizeof(*list));
    if (!v || v->kind != VALUE_LIST || v->count != count)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        list[i] = value_number(v->items[i]);
        if (!value_is_number(v->items[i]) || !isfinite(list[i]))
            return NULL;
    }
    return list;
}

static int64_t whole(const struct value *v)
{
    return v && v->kind == VALUE_INT && v->i > 0 ? v->i : 0;
}

int novelty_parse(struct novelty *n, struct str text, const char *path,
                  struct arena *a, struct err *err)
{
    if (novelties_is(text))
        return err_set(err, ERR_INPUT, "%s was fitted for an ensemble", path);
    const struct value *v = json_parse(a, text, path, false, err);
    const struct value *mean = value_get(v, STR("mean"));
    const struct value *limit = value_get(v, STR("threshold"));
    if (!v)
        return -1;
    if (!str_is(value_text(value_get(v, STR("format"))), NOVELTY_FORMAT))
        return err_set(err, ERR_INPUT, "%s is none that `novelty` has written",
                       path);
    n->layer = value_text(value_get(v, STR("layer")));
    n->sha256 = value_text(value_get(v, STR("sha256")));
    n->rows = (size_t)whole(value_get(v, STR("rows")));
    n->held_out = (size_t)whole(value_get(v, STR("held_out")));
    n->shrinkage = value_number(value_get(v, STR("shrinkage")));
    n->alpha = value_number(value_get(v, STR("alpha")));
    n->threshold = limit ? value_number(limit) : NAN;
    n->columns = mean && mean->kind == VALUE_LIST ? mean->count : 0;
    n->mean =
        n->columns <= NOVELTY_COLUMNS ? numbers_of(mean, n->columns, a) : NULL;
    n->covariance = n->mean ? numbers_of(value_get(v, STR("covariance")),
                                         triangle(n->columns), a)
                            : NULL;
    if (!n->columns || !n->covariance || !n->layer.len ||
        !(n->threshold >= 0) || isinf(n->threshold))
        return err_set(err, ERR_CORRUPT, "%s is damaged", path);
    if (factorize(n, a, err))
        return err_wrap(err, "%s", path);
    return 0;
}
