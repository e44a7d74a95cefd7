/* opinions.c - what members say of rows whose truth is known */
#include "base/json.h"
#include "ensemble/ensemble.h"

#include <float.h>
#include <math.h>

/* Outputs that are predictions. */
static size_t told(const struct combine_head *h)
{
    return h->spreads ? h->width / 2 : h->width;
}

static bool is_choice(const struct combine_head *h)
{
    return h->classes && !h->each;
}

size_t opinions_truths(const struct combine_head *h)
{
    return is_choice(h) ? 1 : told(h);
}

/* ---- the file -------------------------------------------------------------
 */

static void set_bool(struct arena *a, struct value *v, const char *key, bool on)
{
    if (on)
        value_set(a, v, str_of(key), value_bool(a, true));
}

void opinions_print(struct buf *b, const struct opinions *o)
{
    struct arena *a = arena_new();
    struct value *v = value_object(a), *heads = value_list(a);
    size_t from = b->len;
    value_set(a, v, STR("rows"), value_int(a, (int64_t)o->rows));
    value_set(a, v, STR("members"), value_int(a, (int64_t)o->members));
    for (size_t i = 0; i < o->head_count; i++) {
        struct value *one = value_object(a);
        value_set(a, one, STR("width"),
                  value_int(a, (int64_t)o->heads[i].width));
        set_bool(a, one, "classes", o->heads[i].classes);
        set_bool(a, one, "each", o->heads[i].each);
        set_bool(a, one, "spreads", o->heads[i].spreads);
        value_list_add(a, heads, one);
    }
    value_set(a, v, STR("heads"), heads);
    json_print(b, v);
    while ((b->len - from) % 8 != 7)
        buf_addc(b, ' ');
    buf_addc(b, '\n');
    arena_free(a);
}

static size_t whole(const struct value *v, const char *key)
{
    const struct value *x = value_get(v, str_of(key));
    return x && x->kind == VALUE_INT && x->i > 0 && x->i < INT32_MAX
               ? (size_t)x->i
               : 0;
}

static bool is_set(const struct value *v, const char *key)
{
    const struct value *x = value_get(v, str_of(key));
    return x && x->kind == VALUE_BOOL && x->boolean;
}

static bool read_heads(struct opinions *o, const struct value *list,
                       struct arena *a)
{
    size_t count = list && list->kind == VALUE_LIST ? list->count : 0;
    struct combine_head *heads = arena_array(a, count + 1, sizeof(*heads));
    for (size_t i = 0; i < count; i++) {
        const struct value *v = list->items[i];
        heads[i] =
            (struct combine_head){whole(v, "width"), is_set(v, "classes"),
                                  is_set(v, "each"), is_set(v, "spreads")};
        if (!heads[i].width || (heads[i].spreads && heads[i].width % 2))
            return false;
        o->wide += heads[i].width;
        o->truths += opinions_truths(&heads[i]);
    }
    o->heads = heads;
    o->head_count = count;
    return count > 0;
}

static size_t stride_of(const struct opinions *o)
{
    return o->truths + o->members * o->wide;
}

/* A class must be one that has an output. */
static bool truths_ok(const struct opinions *o)
{
    for (size_t r = 0; r < o->rows; r++) {
        const double *truth = o->numbers + r * stride_of(o);
        for (size_t i = 0; i < o->head_count; i++) {
            const struct combine_head *h = &o->heads[i];
            size_t classes = h->width == 1 ? 2 : h->width;
            for (size_t k = 0; k < opinions_truths(h); k++, truth++)
                if (!isfinite(*truth) ||
                    (is_choice(h) &&
                     !(*truth >= 0 && *truth < (double)classes)))
                    return false;
        }
    }
    return true;
}

int opinions_parse(struct opinions *o, struct str bytes, const char *path,
                   struct arena *a, struct err *err)
{
    struct opinions found = {0};
    long end = str_find(bytes, '\n');
    const struct value *v =
        end < 0 ? NULL
                : json_parse(a, str_trim(str_n(bytes.p, (size_t)end)), path,
                             true, NULL);
    found.rows = whole(v, "rows");
    found.members = whole(v, "members");
    bool ok = v && (end + 1) % 8 == 0 && found.rows && found.members &&
              read_heads(&found, value_get(v, STR("heads")), a);
    size_t each = ok ? stride_of(&found) * sizeof(double) : 1;
    size_t has = ok ? bytes.len - (size_t)end - 1 : 0;
    if (!ok || has / each != found.rows || has % each)
        return err_set(err, ERR_CORRUPT,
                       "%s is not what members say of rows, or it is cut off",
                       path);
    found.numbers = (const double *)(const void *)(bytes.p + end + 1);
    if (!truths_ok(&found))
        return err_set(err, ERR_INPUT,
                       "the truth of some rows is not known; a choice needs "
                       "rows with labels");
    *o = found;
    return 0;
}

/* ---- how wrong they are ----------------------------------------------------
 */

/* One output of one row, as all members say it. */
struct said {
    const double *first; /* of the first member */
    size_t members, wide;
    const double *weights;
};

static double mean_of(const struct said *s, size_t k)
{
    double sum = 0;
    for (size_t m = 0; m < s->members; m++)
        if (s->weights[m] > 0)
            sum += s->weights[m] * s->first[m * s->wide + k];
    return sum;
}

static double surprise(double p)
{
    return -log(fmax(p, (double)FLT_MIN));
}

static double choice_loss(const struct said *s, const struct combine_head *h,
                          const double *truth)
{
    double all = 0, p = 0;
    if (h->width == 1) {
        p = mean_of(s, 0);
        return surprise(*truth > 0.5 ? p : 1 - p);
    }
    for (size_t k = 0; k < h->width; k++) {
        double one = mean_of(s, k);
        all += one;
        p = k == (size_t)*truth ? one : p;
    }
    return surprise(p / all);
}

/* What members differ by and what they say, together. */
static double variance_of(const struct said *s, const struct combine_head *h,
                          size_t k, double mean)
{
    double sum = 0;
    for (size_t m = 0; m < s->members; m++) {
        const double *own = s->first + m * s->wide;
        double d = own[k] - mean;
        if (s->weights[m] > 0)
            sum += s->weights[m] * (d * d + exp(own[h->width / 2 + k]));
    }
    return sum;
}

static double number_loss(const struct said *s, const struct combine_head *h,
                          const double *truth)
{
    double sum = 0;
    for (size_t k = 0; k < told(h); k++) {
        double mean = mean_of(s, k), d = mean - truth[k];
        double v = h->spreads ? variance_of(s, h, k, mean) : 1;
        if (h->each)
            sum += truth[k] > 0.5 ? surprise(mean) : surprise(1 - mean);
        else
            sum += h->spreads ? 0.5 * (d * d / v + log(v)) : d * d;
    }
    return sum / (double)told(h);
}

static double row_loss(const struct opinions *o, const double *row,
                       const double *weights)
{
    const double *truth = row;
    struct said s = {row + o->truths, o->members, o->wide, weights};
    double sum = 0;
    for (size_t i = 0; i < o->head_count; i++) {
        const struct combine_head *h = &o->heads[i];
        sum += is_choice(h) ? choice_loss(&s, h, truth)
                            : number_loss(&s, h, truth);
        truth += opinions_truths(h);
        s.first += h->width;
    }
    return sum;
}

double opinions_loss(const struct opinions *o, const double *weights)
{
    double sum = 0;
    for (size_t r = 0; r < o->rows; r++)
        sum += row_loss(o, o->numbers + r * stride_of(o), weights);
    return sum / (double)o->rows;
}
