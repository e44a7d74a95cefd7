/* outliers.c - numbers that lie too far from the others of their column
 *
 *   outliers: {sd: 5}            5 standard deviations from the mean
 *   outliers: {iqr: 3}           3 times the middle half below or above it
 *   outliers: {sd: 5, clip: true}
 *
 * How far is fitted on training rows. Training rows that have such a number
 * are left out, and rows that are held out stay: a model is judged on what
 * comes. Clipped, numbers of all rows, those of another day as well, become
 * the nearest that is allowed. Columns of categories and columns whose spread
 * is 0 have no bounds. */
#include <math.h>

#include "data/set.h"

/* As good as no bound, and the same number again when its text is read. */
#define FAR 3e38f

struct rule {
    double times;
    bool iqr, clip;
};

static int rule_of(const struct value *spec, struct rule *rule, struct err *err)
{
    static const char *const keys[] = {"sd", "iqr", "clip", NULL};
    const struct value *v = value_get(spec, STR("outliers"));
    const struct value *sd = value_get(v, STR("sd"));
    const struct value *iqr = value_get(v, STR("iqr"));
    *rule = (struct rule){.iqr = iqr != NULL};
    if (!v || v->kind == VALUE_NULL)
        return 0;
    for (size_t i = 0; v->kind == VALUE_OBJECT && i < v->count; i++)
        if (data_unknown_key("data.outliers", v->keys[i], keys, err))
            return -1;
    rule->times = value_number(sd ? sd : iqr);
    if (v->kind != VALUE_OBJECT || !sd == !iqr || !(rule->times > 0) ||
        isinf(rule->times))
        return err_set_at(err, "data.outliers",
                          " must be {sd: N} or {iqr: N}, N above 0: how many "
                          "standard deviations, or widths of the middle half, "
                          "a number may be away");
    return data_read_bool(v, "data.outliers.clip", &rule->clip, err) ? -1 : 1;
}

/* ---- bounds ---------------------------------------------------------------
 */

/* By column, true for numbers: categories are 0 and 1. */
static bool *number_columns(const struct data_set *s, size_t input,
                            size_t columns, struct arena *a)
{
    const struct value *categories =
        value_get(value_at(value_get(s->layout, STR("inputs")), input),
                  STR("categories"));
    bool *number = arena_array(a, columns + 1, sizeof(*number));
    size_t at = 0;
    for (size_t k = 0; categories && k < categories->count; k++) {
        const struct value *own = categories->items[k];
        bool words = own->kind == VALUE_LIST;
        if (!words && at < columns)
            number[at] = true;
        at += words ? own->count : 1;
    }
    for (size_t c = 0; !categories && c < columns; c++)
        number[c] = true;
    return number;
}

static void sd_bounds(const struct data_view *v, const struct data_field *f,
                      double *middle, double *spread, struct arena *a)
{
    struct moments m;
    data_moments(&m, f, v->table->rows, &v->train, true, a);
    for (size_t c = 0; c < (size_t)f->columns; c++) {
        double count = m.count[c] > 0 ? m.count[c] : 1;
        middle[2 * c] = middle[2 * c + 1] = m.sum[c] / count;
        spread[c] = m.low[c] < m.high[c] ? sqrt(m.squares[c] / count) : 0;
    }
}

static void iqr_bounds(const struct data_view *v, const struct data_field *f,
                       double *middle, double *spread, struct arena *a)
{
    float *sorted = arena_array(a, v->train.count + 1, sizeof(*sorted));
    for (size_t c = 0; c < (size_t)f->columns; c++) {
        size_t count = data_sorted(f, c, &v->train, sorted);
        if (!count)
            continue;
        middle[2 * c] = data_quantile(sorted, count, 0.25);
        middle[2 * c + 1] = data_quantile(sorted, count, 0.75);
        spread[c] = middle[2 * c + 1] - middle[2 * c];
    }
}

static float narrow(double x)
{
    return (float)fmax(-(double)FAR, fmin((double)FAR, x));
}

static void fit_bounds(const struct data_view *v, size_t input,
                       const struct rule *rule, struct arena *a,
                       struct data_fitting *to)
{
    const struct data_field *f = &v->table->inputs[input];
    size_t columns = (size_t)f->columns;
    struct arena *scratch = arena_new();
    double *middle = arena_array(scratch, 2 * columns + 1, sizeof(*middle));
    double *spread = arena_array(scratch, columns + 1, sizeof(*spread));
    bool *number = number_columns(v->set, input, columns, scratch);
    float *low = arena_array(a, columns + 1, sizeof(*low));
    float *high = arena_array(a, columns + 1, sizeof(*high));
    (rule->iqr ? iqr_bounds : sd_bounds)(v, f, middle, spread, scratch);
    for (size_t c = 0; c < columns; c++) {
        bool bound = number[c] && spread[c] > 0;
        double reach = rule->times * spread[c];
        low[c] = bound ? narrow(middle[2 * c] - reach) : -FAR;
        high[c] = bound ? narrow(middle[2 * c + 1] + reach) : FAR;
    }
    to->low = low;
    to->high = high;
    arena_free(scratch);
}

/* ---- rows -----------------------------------------------------------------
 */

struct found {
    size_t rows, numbers;
    size_t input, column, row; /* of the first */
};

static bool is_out(const struct data_fitting *b, size_t c, float x)
{
    return x < b->low[c] || x > b->high[c];
}

/* How many numbers of a row are out. */
static size_t look_at(const struct data_view *v, size_t row,
                      struct found *found)
{
    size_t out = 0;
    for (size_t i = 0; i < v->table->input_count; i++) {
        const struct data_field *f = &v->table->inputs[i];
        struct data_piece whole;
        size_t count;
        const struct data_piece *p =
            data_pieces(f, v->table->rows, &whole, &count);
        for (size_t k = 0; v->fitting[i].low && k < count; k++) {
            const float *x = data_piece_row(&p[k], row);
            for (size_t c = 0; c < p[k].columns; c++) {
                if (!is_out(&v->fitting[i], p[k].at + c, x[c]))
                    continue;
                if (!found->numbers++) {
                    found->input = i;
                    found->column = p[k].at + c;
                    found->row = row;
                }
                out++;
            }
        }
    }
    found->rows += out > 0;
    return out;
}

static void tell(struct data_view *v, const struct rule *rule,
                 const struct found *found, size_t rows, struct arena *a)
{
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "data: %zu of %zu training rows have outliers, beyond %g %s",
             found->rows, rows, rule->times,
             rule->iqr ? "times the middle half" : "standard deviations");
    if (found->rows) {
        const struct data_field *f = &v->table->inputs[found->input];
        buf_adds(&b, " (first: ");
        data_place(&b, v, found->input, found->row, found->column);
        buf_addf(&b, " is %g)",
                 (double)data_number(f, found->row, found->column));
    }
    if (found->rows)
        buf_adds(&b, rule->clip ? ": clipped" : ": left out");
    if (found->rows && rule->clip)
        buf_addf(&b, ", %zu number%s", found->numbers,
                 found->numbers == 1 ? "" : "s");
    v->notice = arena_cstr(a, buf_str(&b));
    buf_done(&b);
}

/* Bounds count where they are to clip; else they have done their work. */
static void forget_bounds(struct data_fitting *fitting, size_t inputs)
{
    for (size_t i = 0; i < inputs; i++)
        fitting[i].low = fitting[i].high = NULL;
}

int data_outliers(struct data_view *v, const struct value *spec,
                  struct data_fitting *fitting, struct arena *a,
                  struct err *err)
{
    struct rule rule;
    struct found found = {0};
    size_t kept = 0, inputs = v->table->input_count;
    int said = rule_of(spec, &rule, err);
    if (said <= 0)
        return said;
    for (size_t i = 0; i < inputs; i++)
        if (data_has_numbers(&v->table->inputs[i]))
            fit_bounds(v, i, &rule, a, &fitting[i]);
    uint32_t *rows = arena_array(a, v->train.count + 1, sizeof(*rows));
    for (size_t i = 0; i < v->train.count; i++)
        if (!look_at(v, v->train.rows[i], &found))
            rows[kept++] = v->train.rows[i];
    tell(v, &rule, &found, v->train.count, a);
    if (!rule.clip) {
        forget_bounds(fitting, inputs);
        v->train = (struct data_part){rows, kept};
    }
    if (!v->train.count)
        return err_set_at(err, "data.outliers",
                          ": every training row has one: none is left");
    return 0;
}
