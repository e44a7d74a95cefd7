/* view.c - which rows train, and how inputs are scaled
 *
 * The split depends on `split_seed` (default 0), not on the model's own seed:
 * all trials of a study are judged on the same rows unless it says
 * otherwise. */
#include <math.h>

#include "base/rng.h"
#include "data/matrix.h"

enum scaling { SCALE_NONE, SCALE_MINMAX, SCALE_MAXABS, SCALE_STD };
static const char *const scalings[] = {"none", "minmax", "maxabs", "std", NULL};

static int scaling_of(const struct value *spec, enum scaling *out,
                      struct err *err)
{
    struct str name = value_text(value_get(spec, STR("scale")));
    *out = SCALE_NONE;
    for (int i = 0; scalings[i]; i++)
        if (str_is(name, scalings[i])) {
            *out = (enum scaling)i;
            return 0;
        }
    return name.len ? err_set(err, ERR_INPUT,
                              "data.scale: there is no %.*s; use none, "
                              "minmax, maxabs or std",
                              STRF(name))
                    : 0;
}

static int fraction_of(const struct value *spec, const char *key, double *out,
                       struct err *err)
{
    const struct value *v = value_get(spec, str_of(key));
    *out = v ? value_number(v) : 0;
    if (!(*out >= 0 && *out < 1))
        return err_set(err, ERR_INPUT,
                       "data.%s must be a fraction from 0 to below 1", key);
    return 0;
}

struct moments {
    double low, high, sum, squares;
};

static struct moments moments_of(const struct data_field *f,
                                 const struct data_part *p, size_t column)
{
    struct moments m = {INFINITY, -INFINITY, 0, 0};
    for (size_t i = 0; i < p->count; i++) {
        double x =
            (double)
                f->numbers[(size_t)p->rows[i] * (size_t)f->columns + column];
        m.low = fmin(m.low, x);
        m.high = fmax(m.high, x);
        m.sum += x;
    }
    double mean = m.sum / (double)p->count;
    for (size_t i = 0; i < p->count; i++) {
        double x =
            (double)
                f->numbers[(size_t)p->rows[i] * (size_t)f->columns + column];
        m.squares += (x - mean) * (x - mean);
    }
    return m;
}

/* A column that never changes is left at 0. */
static void fit(enum scaling how, const struct moments *m, size_t rows,
                float *shift, float *scale)
{
    double spread = 0;
    *shift = 0;
    if (how == SCALE_MINMAX) {
        *shift = (float)m->low;
        spread = m->high - m->low;
    } else if (how == SCALE_MAXABS) {
        spread = fmax(fabs(m->low), fabs(m->high));
    } else {
        *shift = (float)(m->sum / (double)rows);
        spread = sqrt(m->squares / (double)rows);
    }
    *scale = spread > 0 ? (float)(1 / spread) : 1;
}

static void make_scaling(struct data_view *v, enum scaling how, struct arena *a)
{
    size_t inputs = v->table->input_count;
    const float **shifts = arena_array(a, inputs + 1, sizeof(*shifts));
    const float **scales = arena_array(a, inputs + 1, sizeof(*scales));
    for (size_t i = 0; i < inputs; i++) {
        const struct data_field *f = &v->table->inputs[i];
        if (!f->numbers)
            continue;
        float *shift = arena_array(a, (size_t)f->columns, sizeof(float));
        float *scale = arena_array(a, (size_t)f->columns, sizeof(float));
        for (size_t c = 0; c < (size_t)f->columns; c++) {
            struct moments m = moments_of(f, &v->train, c);
            fit(how, &m, v->train.count, &shift[c], &scale[c]);
        }
        shifts[i] = shift;
        scales[i] = scale;
    }
    v->shift = shifts;
    v->scale = scales;
}

static void split(struct data_view *v, double validation, double test,
                  uint64_t seed, struct arena *a)
{
    size_t rows = v->table->rows;
    uint32_t *order = arena_array(a, rows + 1, sizeof(*order));
    struct rng r;
    rng_init(&r, seed, 0, "split");
    for (size_t i = 0; i < rows; i++)
        order[i] = (uint32_t)i;
    for (size_t i = rows; (validation > 0 || test > 0) && i-- > 1;) {
        size_t j = (size_t)rng_below(&r, i + 1);
        uint32_t row = order[i];
        order[i] = order[j];
        order[j] = row;
    }
    size_t held = (size_t)(validation * (double)rows + 0.5);
    size_t tested = (size_t)(test * (double)rows + 0.5);
    size_t train = rows - held - tested;
    v->train = (struct data_part){order, train};
    v->validation = (struct data_part){order + train, held};
    v->test = (struct data_part){order + train + held, tested};
}

int data_view_make(struct data_view *v, const struct data_set *s,
                   const struct value *spec, uint64_t seed, struct arena *a,
                   struct err *err)
{
    double validation, test;
    enum scaling how;
    const struct value *split_seed = value_get(spec, STR("split_seed"));
    (void)seed;
    if (fraction_of(spec, "validation", &validation, err) ||
        fraction_of(spec, "test", &test, err) || scaling_of(spec, &how, err))
        return -1;
    if (validation + test >= 1)
        return err_set(err, ERR_INPUT,
                       "data: validation and test leave no rows to train on");
    *v = (struct data_view){.table = data_set_table(s)};
    split(v, validation, test,
          split_seed && split_seed->kind == VALUE_INT ? (uint64_t)split_seed->i
                                                      : 0,
          a);
    if (how != SCALE_NONE)
        make_scaling(v, how, a);
    return 0;
}
