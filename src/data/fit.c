/* fit.c - what is fitted on training rows: scaling, means, tokens
 *
 * Nothing here looks at rows that are held out. Where the table itself has to
 * change (tokens of texts, gaps filled by means, a draw of columns, a label
 * that is the scaled input) the view gets a table of its own. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "data/set.h"

enum scaling { SCALE_NONE, SCALE_MINMAX, SCALE_MAXABS, SCALE_STD };
static const char *const scalings[] = {"none", "minmax", "maxabs", "std", NULL};

static int scaling_of(const struct value *spec, enum scaling *out,
                      struct err *err)
{
    const struct value *v = value_get(spec, STR("scale"));
    struct str name = value_text(v);
    *out = SCALE_NONE;
    if (!v || v->kind == VALUE_NULL)
        return 0;
    int found = str_index(name, scalings);
    if (found >= 0) {
        *out = (enum scaling)found;
        return 0;
    }
    return err_set_at(err, "data.scale",
                      ": there is no %.*s; use none, minmax, maxabs or "
                      "std",
                      STRF(name));
}

/* ---- sums over training rows ------------------------------------------ */

struct moments { /* by column; rows are read in the order they lie in */
    double *low, *high, *sum, *squares, *count;
};

static void moments_init(struct moments *m, size_t columns, struct arena *a)
{
    double **all[] = {&m->low, &m->high, &m->sum, &m->squares, &m->count};
    for (size_t i = 0; i < 5; i++)
        *all[i] = arena_array(a, columns, sizeof(double));
    for (size_t c = 0; c < columns; c++) {
        m->low[c] = INFINITY;
        m->high[c] = -INFINITY;
    }
}

static const float *row_of(const struct data_field *f, uint32_t row)
{
    return f->numbers + (size_t)row * (size_t)f->columns;
}

static void moments_take(struct moments *m, const struct data_field *f,
                         const struct data_part *p, bool squares)
{
    size_t columns = (size_t)f->columns;
    for (size_t i = 0; i < p->count; i++) {
        const float *x = row_of(f, p->rows[i]);
        for (size_t c = 0; c < columns; c++) {
            double v = (double)x[c];
            if (isnan(v))
                continue;
            m->low[c] = v < m->low[c] ? v : m->low[c];
            m->high[c] = v > m->high[c] ? v : m->high[c];
            m->sum[c] += v;
            m->count[c]++;
        }
    }
    for (size_t i = 0; squares && i < p->count; i++) {
        const float *x = row_of(f, p->rows[i]);
        for (size_t c = 0; c < columns; c++) {
            double d = (double)x[c] - m->sum[c] / m->count[c];
            m->squares[c] += isnan(d) ? 0 : d * d;
        }
    }
}

/* ---- scaling ---------------------------------------------------------- */

/* A column that never changes is left at 0; so is one whose spread is so small
 * that no float can divide by it. */
static void fit_column(enum scaling how, const struct moments *m, size_t c,
                       float *shift, float *scale)
{
    double spread = 0, rows = m->count[c] > 0 ? m->count[c] : 1;
    *shift = 0;
    if (how == SCALE_MINMAX) {
        *shift = (float)m->low[c];
        spread = m->high[c] - m->low[c];
    } else if (how == SCALE_MAXABS) {
        spread = fmax(fabs(m->low[c]), fabs(m->high[c]));
    } else {
        *shift = (float)(m->sum[c] / rows);
        spread = sqrt(m->squares[c] / rows);
    }
    *scale = spread >= 1 / (double)FLT_MAX ? (float)(1 / spread) : 1;
}

/* A pixel that is white in every training picture but one must not become a
 * number of its own kind: all columns get the moments of the whole. */
static void moments_join(struct moments *m, size_t columns)
{
    double low = INFINITY, high = -INFINITY, sum = 0, count = 0, squares = 0;
    for (size_t c = 0; c < columns; c++) {
        low = fmin(low, m->low[c]);
        high = fmax(high, m->high[c]);
        sum += m->sum[c];
        count += m->count[c];
    }
    for (size_t c = 0; c < columns && count > 0; c++) {
        double apart =
            m->count[c] > 0 ? m->sum[c] / m->count[c] - sum / count : 0;
        squares += m->squares[c] + m->count[c] * apart * apart;
    }
    for (size_t c = 0; c < columns; c++) {
        m->low[c] = low;
        m->high[c] = high;
        m->sum[c] = sum;
        m->count[c] = count;
        m->squares[c] = squares;
    }
}

/* Numbers that are finite, but so far apart that their distance is not. */
static int check_scaled(const struct moments *m, size_t c, float shift,
                        float scale, struct str input, struct err *err)
{
    float low = (float)m->low[c], high = (float)m->high[c];
    if (m->count[c] == 0 ||
        (isfinite((low - shift) * scale) && isfinite((high - shift) * scale)))
        return 0;
    return err_set_at(err, "data.scale",
                      ": number %zu of %.*s reaches from %g to %g: too "
                      "far apart for numbers of 32 bits; make it smaller first",
                      c + 1, STRF(input), (double)low, (double)high);
}

static int make_scaling(struct data_view *v, enum scaling how, struct arena *a,
                        struct err *err)
{
    int rc = 0;
    size_t inputs = v->table->input_count;
    const float **shifts = arena_array(a, inputs + 1, sizeof(*shifts));
    const float **scales = arena_array(a, inputs + 1, sizeof(*scales));
    for (size_t i = 0; i < inputs; i++) {
        const struct data_field *f = &v->table->inputs[i];
        size_t columns = (size_t)f->columns;
        if (!f->numbers)
            continue;
        struct arena *scratch = arena_new();
        struct moments m;
        float *shift = arena_array(a, columns, sizeof(float));
        float *scale = arena_array(a, columns, sizeof(float));
        moments_init(&m, columns, scratch);
        moments_take(&m, f, &v->train, how == SCALE_STD);
        if (f->rank > 1)
            moments_join(&m, columns);
        for (size_t c = 0; c < columns && !rc; c++) {
            fit_column(how, &m, c, &shift[c], &scale[c]);
            rc = check_scaled(&m, c, shift[c], scale[c], f->name, err);
        }
        shifts[i] = shift;
        scales[i] = scale;
        arena_free(scratch);
    }
    v->shift = shifts;
    v->scale = scales;
    return rc;
}

/* ---- a table of the view's own ---------------------------------------- */

const float *data_means(const struct data_view *v, const struct data_field *f,
                        struct arena *a)
{
    size_t columns = (size_t)f->columns;
    struct arena *scratch = arena_new();
    struct moments m;
    float *means = arena_array(a, columns + 1, sizeof(*means));
    moments_init(&m, columns, scratch);
    moments_take(&m, f, &v->train, false);
    for (size_t c = 0; c < columns; c++)
        means[c] = m.count[c] > 0 ? (float)(m.sum[c] / m.count[c]) : 0;
    arena_free(scratch);
    return means;
}

static void fill_gaps(const float *means, size_t rows, struct arena *a,
                      struct data_field *f)
{
    size_t columns = (size_t)f->columns;
    float *to = arena_array(a, rows * columns, sizeof(*to));
    for (size_t i = 0; i < rows * columns; i++)
        to[i] = isnan(f->numbers[i]) ? means[i % columns] : f->numbers[i];
    f->numbers = to;
    f->missing = false;
}

static void keep_columns(const size_t *kept, size_t count, size_t rows,
                         struct arena *a, struct data_field *f)
{
    size_t columns = (size_t)f->columns;
    float *to = arena_array(a, rows * count, sizeof(*to));
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < count; k++)
            to[i * count + k] = f->numbers[i * columns + kept[k]];
    f->numbers = to;
    f->columns = f->dim[0] = (int64_t)count;
}

/* `columns: 0.5` draws some of the columns, which keep their order. */
static int draw_columns(const struct value *spec, uint64_t seed, size_t number,
                        size_t rows, struct arena *a, struct data_field *f,
                        const size_t **drawn, struct err *err)
{
    size_t columns = (size_t)f->columns, count;
    struct rng r;
    if (data_amount(spec, "data.columns", columns, &count, err))
        return -1;
    if (!count || count == columns)
        return 0;
    if (f->rank != 1)
        return err_set_at(err, "data.columns",
                          ": rows of %.*s have more than one axis",
                          STRF(f->name));
    size_t *kept = arena_array(a, count, sizeof(*kept));
    rng_init(&r, seed, number, "columns");
    for (size_t c = 0, k = 0; c < columns && k < count; c++)
        if (rng_below(&r, columns - c) < count - k)
            kept[k++] = c;
    keep_columns(kept, count, rows, a, f);
    *drawn = kept;
    return 0;
}

static bool needs_own_table(const struct data_set *s, const struct value *spec)
{
    for (size_t i = 0; i < s->table.input_count; i++)
        if (s->table.inputs[i].missing)
            return true;
    return s->text || value_get(spec, STR("columns"));
}

static int make_table(struct data_view *v, const struct data_set *s,
                      const struct value *spec, uint64_t seed, struct arena *a,
                      struct err *err)
{
    struct data_table *t = arena_new_of(a, struct data_table);
    struct data_text_style style;
    struct data_field *inputs =
        arena_array(a, s->table.input_count + 1, sizeof(*inputs));
    const size_t **drawn =
        arena_array(a, s->table.input_count + 1, sizeof(*drawn));
    if (data_spec_text(spec, &style, err) < 0)
        return -1;
    *t = s->table;
    t->inputs = inputs;
    for (size_t i = 0; i < t->input_count; i++) {
        inputs[i] = s->table.inputs[i];
        if (!inputs[i].numbers) {
            if (data_make_tokens(&s->text[i], &style, &v->train, t->rows, a,
                                 &inputs[i], err))
                return -1;
            continue;
        }
        if (inputs[i].missing)
            fill_gaps(data_means(v, &inputs[i], a), t->rows, a, &inputs[i]);
        if (draw_columns(spec, seed, i, t->rows, a, &inputs[i], &drawn[i], err))
            return -1;
    }
    v->table = t;
    v->drawn = drawn;
    return 0;
}

/* An autoencoder's label is its input, and so scaled as that. */
static void scale_label(struct data_view *v, struct arena *a)
{
    struct data_table *t = arena_new_of(a, struct data_table);
    struct data_field *f = arena_array(a, 2, sizeof(*f));
    *t = *v->table;
    *f = t->inputs[0];
    f->name = STR("label");
    size_t columns = (size_t)f->columns;
    if (v->shift && v->shift[0]) {
        float *to = arena_array(a, t->rows * columns, sizeof(*to));
        for (size_t i = 0; i < t->rows * columns; i++)
            to[i] = (f->numbers[i] - v->shift[0][i % columns]) *
                    v->scale[0][i % columns];
        f->numbers = to;
    }
    t->labels = f;
    v->table = t;
}

int data_fit(struct data_view *v, const struct data_set *s,
             const struct value *spec, const struct data_choice *choice,
             struct arena *a, struct err *err)
{
    enum scaling how;
    v->table = &s->table;
    v->row_weights = s->weights;
    v->scaling_said = value_get(spec, STR("scale")) != NULL;
    if (scaling_of(spec, &how, err) ||
        (needs_own_table(s, spec) &&
         make_table(v, s, spec, data_draw_seed(spec, choice), a, err)))
        return -1;
    if (how != SCALE_NONE && make_scaling(v, how, a, err))
        return -1;
    if (s->label_is_input)
        scale_label(v, a);
    return 0;
}

/* ---- rows of another day ---------------------------------------------- */

static void know_input(const struct value *known, const struct text *text,
                       const struct data_text_style *style, size_t rows,
                       struct arena *a, struct data_field *f)
{
    const struct value *drawn = value_get(known, STR("drawn"));
    const struct value *means = value_get(known, STR("means"));
    static const struct value zero = {.kind = VALUE_INT};
    if (!f->numbers) {
        data_known_tokens(text, style, known, rows, a, f);
        return;
    }
    if (f->missing)
        fill_gaps(
            data_fitted_floats(means ? means : &zero, (size_t)f->columns, a),
            rows, a, f);
    if (!drawn)
        return;
    size_t *kept = arena_array(a, drawn->count, sizeof(*kept));
    for (size_t k = 0; k < drawn->count; k++)
        kept[k] = (size_t)drawn->items[k]->i;
    keep_columns(kept, drawn->count, rows, a, f);
}

static void know_all(struct data_view *v, const struct data_set *s,
                     const struct value *fitted,
                     const struct data_text_style *style)
{
    struct arena *a = s->arena;
    size_t count = s->table.input_count;
    const struct value *known = value_get(fitted, STR("inputs"));
    struct data_table *t = arena_new_of(a, struct data_table);
    struct data_field *inputs = arena_array(a, count + 1, sizeof(*inputs));
    const float **shift = arena_array(a, count + 1, sizeof(*shift));
    const float **scale = arena_array(a, count + 1, sizeof(*scale));
    *t = s->table;
    t->inputs = inputs;
    for (size_t i = 0; i < count; i++) {
        const struct value *one = known->items[i];
        inputs[i] = s->table.inputs[i];
        know_input(one, s->text ? &s->text[i] : NULL, style, t->rows, a,
                   &inputs[i]);
        size_t columns = (size_t)inputs[i].columns;
        shift[i] = data_fitted_floats(value_get(one, STR("shift")), columns, a);
        scale[i] = data_fitted_floats(value_get(one, STR("scale")), columns, a);
    }
    v->table = t;
    v->shift = shift;
    v->scale = scale;
}

int data_fit_known(struct data_view *v, const struct data_set *s,
                   const struct value *spec, const struct value *fitted,
                   struct err *err)
{
    struct data_text_style style;
    uint32_t *rows = arena_array(s->arena, s->table.rows + 1, sizeof(*rows));
    if (data_spec_text(spec, &style, err) < 0)
        return -1;
    for (size_t i = 0; i < s->table.rows; i++)
        rows[i] = (uint32_t)i;
    *v = (struct data_view){
        .set = s, .test = {rows, s->table.rows}, .row_weights = s->weights};
    know_all(v, s, fitted, &style);
    if (s->label_is_input)
        scale_label(v, s->arena);
    return 0;
}
