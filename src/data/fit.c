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

enum scaling {
    SCALE_NONE,
    SCALE_MINMAX,
    SCALE_MAXABS,
    SCALE_STD,
    SCALE_ROBUST,
    SCALE_QUANTILE
};
static const char *const scalings[] = {"none",   "minmax",   "maxabs", "std",
                                       "robust", "quantile", NULL};

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
                      ": there is no %.*s; use none, minmax, maxabs, std, "
                      "robust or quantile",
                      STRF(name));
}

/* ---- scaling ---------------------------------------------------------- */

/* A column that never changes is left at 0; so is one whose spread is so small
 * that no float can divide by it. */
static float divisor(double spread)
{
    return spread >= 1 / (double)FLT_MAX ? (float)(1 / spread) : 1;
}

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
    *scale = divisor(spread);
}

/* The middle half becomes as wide as 1, its middle row 0: a few numbers that
 * are far away change neither. */
static void fit_middles(const struct data_view *v, const struct data_field *f,
                        float *shift, float *scale, struct arena *scratch)
{
    float *sorted = arena_array(scratch, v->train.count + 1, sizeof(*sorted));
    for (size_t c = 0; c < (size_t)f->columns; c++) {
        size_t count = data_sorted(f, c, &v->train, sorted);
        scale[c] = 1;
        if (!count)
            continue;
        shift[c] = (float)data_quantile(sorted, count, 0.5);
        scale[c] = divisor(data_quantile(sorted, count, 0.75) -
                           data_quantile(sorted, count, 0.25));
    }
}

/* Rows of pictures have no columns that mean something by themselves. */
static int check_axes(const struct data_field *f, struct err *err)
{
    if (f->rank == 1)
        return 0;
    return err_set_at(err, "data.scale",
                      ": robust and quantile are for columns; rows of %.*s "
                      "have more than one axis: say std",
                      STRF(f->name));
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

static int scale_input(const struct data_view *v, const struct data_field *f,
                       enum scaling how, float *shift, float *scale,
                       struct err *err)
{
    size_t columns = (size_t)f->columns;
    struct arena *scratch = arena_new();
    struct moments m;
    int rc = how == SCALE_ROBUST ? check_axes(f, err) : 0;
    data_moments(&m, f, v->table->rows, &v->train, how == SCALE_STD, scratch);
    if (f->rank > 1)
        moments_join(&m, columns);
    if (how == SCALE_ROBUST && !rc)
        fit_middles(v, f, shift, scale, scratch);
    for (size_t c = 0; c < columns && !rc; c++) {
        if (how != SCALE_ROBUST)
            fit_column(how, &m, c, &shift[c], &scale[c]);
        rc = check_scaled(&m, c, shift[c], scale[c], f->name, err);
    }
    arena_free(scratch);
    return rc;
}

static int make_scaling(struct data_view *v, enum scaling how, struct arena *a,
                        struct err *err)
{
    int rc = 0;
    size_t inputs = v->table->input_count;
    const float **shifts = arena_array(a, inputs + 1, sizeof(*shifts));
    const float **scales = arena_array(a, inputs + 1, sizeof(*scales));
    for (size_t i = 0; i < inputs && !rc; i++) {
        const struct data_field *f = &v->table->inputs[i];
        size_t columns = (size_t)f->columns;
        if (!data_has_numbers(f))
            continue;
        float *shift = arena_array(a, columns, sizeof(float));
        float *scale = arena_array(a, columns, sizeof(float));
        rc = scale_input(v, f, how, shift, scale, err);
        shifts[i] = shift;
        scales[i] = scale;
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
    data_moments(&m, f, v->table->rows, &v->train, false, scratch);
    for (size_t c = 0; c < columns; c++)
        means[c] = m.count[c] > 0 ? (float)(m.sum[c] / m.count[c]) : 0;
    arena_free(scratch);
    return means;
}

/* An input whose numbers become other ones: copied once, then changed in
 * place. Tables that were joined stay as small as they are. */
struct own {
    struct data_field *f;
    struct data_piece *pieces;
    struct data_piece whole;
    size_t count;
    bool copied;
    struct arena *arena;
};

static void own_init(struct own *o, struct data_field *f, size_t rows,
                     struct arena *a)
{
    *o = (struct own){.f = f, .arena = a};
    const struct data_piece *from = data_pieces(f, rows, &o->whole, &o->count);
    o->pieces = arena_array(a, o->count + 1, sizeof(*o->pieces));
    memcpy(o->pieces, from, o->count * sizeof(*from));
}

static void own_put(struct own *o)
{
    if (o->f->pieces) {
        o->f->pieces = o->pieces;
        o->f->piece_count = o->count;
    } else {
        o->f->numbers = o->pieces[0].numbers;
    }
}

/* What a number of a column becomes. */
typedef float change_fn(const float *fitted, const float *more, size_t column,
                        float x);

static float filled(const float *means, const float *none, size_t c, float x)
{
    (void)none;
    return isnan(x) ? means[c] : x;
}

static float clipped(const float *low, const float *high, size_t c, float x)
{
    return x < low[c] ? low[c] : x > high[c] ? high[c] : x;
}

static float as_part(const float *points, const float *none, size_t c, float x)
{
    (void)none;
    return data_quantile_of(points + c * DATA_LANDMARKS, x);
}

static void own_change(struct own *o, change_fn *fn, const float *fitted,
                       const float *more)
{
    for (size_t k = 0; k < o->count; k++) {
        struct data_piece *p = &o->pieces[k];
        size_t count = p->rows * p->columns;
        float *to = o->copied ? (float *)(uintptr_t)p->numbers
                              : arena_array(o->arena, count + 1, sizeof(*to));
        for (size_t i = 0; i < count; i++)
            to[i] = fn(fitted, more, p->at + i % p->columns, p->numbers[i]);
        p->numbers = to;
    }
    o->copied = true;
    own_put(o);
}

/* Keeps the columns of a piece that are among those kept, from number `first`
 * of these on; returns how many they are. */
static size_t keep_of_piece(struct data_piece *p, const size_t *kept,
                            size_t first, size_t count, struct arena *a)
{
    size_t own = 0;
    while (first + own < count && kept[first + own] < p->at + p->columns)
        own++;
    float *to = arena_array(a, p->rows * own + 1, sizeof(*to));
    for (size_t i = 0; i < p->rows; i++)
        for (size_t k = 0; k < own; k++)
            to[i * own + k] =
                p->numbers[i * p->columns + kept[first + k] - p->at];
    p->numbers = to;
    p->columns = own;
    p->at = first;
    return own;
}

static void keep_columns(struct own *o, const size_t *kept, size_t count)
{
    size_t first = 0, made = 0;
    for (size_t k = 0; k < o->count; k++) {
        struct data_piece p = o->pieces[k];
        first += keep_of_piece(&p, kept, first, count, o->arena);
        if (p.columns)
            o->pieces[made++] = p;
    }
    o->count = made;
    o->copied = true;
    o->f->columns = o->f->dim[0] = (int64_t)count;
    own_put(o);
}

/* `columns: 0.5` draws some of the columns, which keep their order. */
static int draw_columns(const struct value *spec, uint64_t seed, size_t number,
                        struct own *o, const size_t **drawn, struct err *err)
{
    const struct data_field *f = o->f;
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
    size_t *kept = arena_array(o->arena, count, sizeof(*kept));
    rng_init(&r, seed, number, "columns");
    for (size_t c = 0, k = 0; c < columns && k < count; c++)
        if (rng_below(&r, columns - c) < count - k)
            kept[k++] = c;
    keep_columns(o, kept, count);
    *drawn = kept;
    return 0;
}

static bool needs_own_table(const struct data_view *v, const struct value *spec,
                            enum scaling how)
{
    const struct data_set *s = v->set;
    for (size_t i = 0; i < s->table.input_count; i++)
        if (s->table.inputs[i].missing || v->fitting[i].low)
            return true;
    return s->text || value_get(spec, STR("columns")) || how == SCALE_QUANTILE;
}

struct tabling { /* what a view's own table is made from */
    struct data_view *v;
    const struct value *spec;
    uint64_t seed;
    enum scaling how;
    enum missing missing;
    struct data_fitting *fitting;
};

/* In the order in which rows of another day go through the same. */
static int change_numbers(const struct tabling *t, size_t i,
                          struct data_field *f, const size_t **drawn,
                          struct arena *a, struct err *err)
{
    struct data_fitting *fit = &t->fitting[i];
    struct own own;
    own_init(&own, f, t->v->table->rows, a);
    if (fit->low)
        own_change(&own, clipped, fit->low, fit->high);
    if (t->missing == MISSING_MEAN)
        fit->means = data_means(t->v, f, a);
    if (f->missing)
        own_change(&own, filled, fit->means, NULL);
    f->missing = false;
    if (draw_columns(t->spec, t->seed, i, &own, drawn, err))
        return -1;
    if (t->how != SCALE_QUANTILE)
        return 0;
    if (check_axes(f, err))
        return -1;
    fit->landmarks = data_landmarks(t->v, f, a);
    own_change(&own, as_part, fit->landmarks, NULL);
    return 0;
}

static int make_table(const struct tabling *of, struct arena *a,
                      struct err *err)
{
    struct data_view *v = of->v;
    const struct data_set *s = v->set;
    struct data_table *t = arena_new_of(a, struct data_table);
    struct data_text_style style;
    struct data_field *inputs =
        arena_array(a, s->table.input_count + 1, sizeof(*inputs));
    const size_t **drawn =
        arena_array(a, s->table.input_count + 1, sizeof(*drawn));
    if (data_spec_text(of->spec, &style, err) < 0)
        return -1;
    *t = s->table;
    t->inputs = inputs;
    for (size_t i = 0; i < t->input_count; i++) {
        inputs[i] = s->table.inputs[i];
        int rc = data_has_numbers(&inputs[i])
                     ? change_numbers(of, i, &inputs[i], &drawn[i], a, err)
                     : data_make_tokens(&s->text[i], &style, &v->train, t->rows,
                                        a, &inputs[i], err);
        if (rc)
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
    struct data_fitting *fitting =
        arena_array(a, s->table.input_count + 1, sizeof(*fitting));
    struct tabling own = {.v = v,
                          .spec = spec,
                          .seed = data_draw_seed(spec, choice),
                          .fitting = fitting};
    v->table = &s->table;
    v->row_weights = s->weights;
    v->scaling_said = value_get(spec, STR("scale")) != NULL;
    v->fitting = fitting;
    if (scaling_of(spec, &own.how, err) ||
        data_spec_missing(spec, &own.missing, err) ||
        data_outliers(v, spec, fitting, a, err))
        return -1;
    if (needs_own_table(v, spec, own.how) && make_table(&own, a, err))
        return -1;
    if (own.how != SCALE_NONE && own.how != SCALE_QUANTILE &&
        make_scaling(v, own.how, a, err))
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
    size_t columns = (size_t)f->columns;
    struct own own;
    if (!data_has_numbers(f)) {
        data_known_tokens(text, style, known, rows, a, f);
        return;
    }
    own_init(&own, f, rows, a);
    const float *low =
        data_fitted_floats(value_get(known, STR("low")), columns, a);
    if (low)
        own_change(
            &own, clipped, low,
            data_fitted_floats(value_get(known, STR("high")), columns, a));
    if (f->missing)
        own_change(&own, filled,
                   data_fitted_floats(means ? means : &zero, columns, a), NULL);
    f->missing = false;
    if (drawn) {
        size_t *kept = arena_array(a, drawn->count, sizeof(*kept));
        for (size_t k = 0; k < drawn->count; k++)
            kept[k] = (size_t)drawn->items[k]->i;
        keep_columns(&own, kept, drawn->count);
    }
    const float *points =
        data_fitted_floats(value_get(known, STR("quantiles")),
                           (size_t)f->columns * DATA_LANDMARKS, a);
    if (points)
        own_change(&own, as_part, points, NULL);
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
