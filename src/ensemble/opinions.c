/* opinions.c - what members say of rows whose truth is known */
#include "base/json.h"
#include "ensemble/ensemble.h"

#include <math.h>

static bool is_choice(const struct combine_head *h)
{
    return h->classes && !h->each;
}

size_t opinions_truths(const struct combine_head *h)
{
    return is_choice(h) ? 1 : combine_told(h);
}

/* ---- the file -------------------------------------------------------------
 */

static void set_bool(struct arena *a, struct value *v, const char *key, bool on)
{
    if (on)
        value_set(a, v, str_of(key), value_bool(a, true));
}

static void set_loss(struct arena *a, struct value *v,
                     const struct combine_loss *l)
{
    struct value *list = value_list(a);
    if (!l->name.len)
        return;
    value_set(a, v, STR("loss"), value_string(a, l->name));
    value_set(a, v, STR("a"), value_double(a, l->a));
    value_set(a, v, STR("weight"), value_double(a, l->weight));
    for (size_t i = 0; l->class_weights && i < l->class_count; i++)
        value_list_add(a, list, value_double(a, l->class_weights[i]));
    if (list->count)
        value_set(a, v, STR("class_weights"), list);
}

/* Outputs are called something where there are several. */
static void set_names(struct arena *a, struct value *v,
                      const struct combine_head *h)
{
    struct value *list = value_list(a);
    size_t several = is_choice(h) || combine_told(h) < 2 ? 0 : combine_told(h);
    if (h->names.prefix && *h->names.prefix)
        value_set(a, v, STR("prefix"),
                  value_string(a, str_of(h->names.prefix)));
    for (size_t k = 0; h->names.outputs && k < several; k++)
        value_list_add(a, list, value_string(a, str_of(h->names.outputs[k])));
    if (list->count)
        value_set(a, v, STR("outputs"), list);
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
        if (o->heads[i].bound)
            value_set(a, one, STR("bound"), value_int(a, o->heads[i].bound));
        set_loss(a, one, &o->heads[i].loss);
        set_names(a, one, &o->heads[i]);
        value_list_add(a, heads, one);
    }
    value_set(a, v, STR("heads"), heads);
    set_bool(a, v, "out_of_fold", o->out_of_fold);
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

static struct combine_loss read_loss(const struct value *v, struct arena *a)
{
    const struct value *list = value_get(v, STR("class_weights"));
    const struct value *name = value_get(v, STR("loss"));
    struct combine_loss l = {
        .class_count = list && list->kind == VALUE_LIST ? list->count : 0};
    double *weights = arena_array(a, l.class_count + 1, sizeof(*weights));
    if (!name)
        return (struct combine_loss){0};
    l.name = value_text(name);
    l.a = value_number(value_get(v, STR("a")));
    l.weight = value_number(value_get(v, STR("weight")));
    for (size_t i = 0; i < l.class_count; i++)
        weights[i] = value_number(list->items[i]);
    l.class_weights = l.class_count ? weights : NULL;
    return l;
}

/* Both may be missing. */
static struct combine_head_names read_names(const struct value *v,
                                            size_t outputs, struct arena *a)
{
    const struct value *list = value_get(v, STR("outputs"));
    const char **names = arena_array(a, outputs + 1, sizeof(*names));
    for (size_t k = 0; k < outputs; k++)
        names[k] = arena_cstr(a, value_text(value_at(list, k)));
    return (struct combine_head_names){
        .prefix = arena_cstr(a, value_text(value_get(v, STR("prefix")))),
        .outputs = list && list->kind == VALUE_LIST && list->count == outputs
                       ? names
                       : NULL};
}

static bool read_heads(struct opinions *o, const struct value *list,
                       struct arena *a)
{
    size_t count = list && list->kind == VALUE_LIST ? list->count : 0;
    struct combine_head *heads = arena_array(a, count + 1, sizeof(*heads));
    for (size_t i = 0; i < count; i++) {
        const struct value *v = list->items[i];
        size_t bound = whole(v, "bound");
        if (bound > END_INSIDE)
            return false;
        heads[i] = (struct combine_head){.width = whole(v, "width"),
                                         .classes = is_set(v, "classes"),
                                         .each = is_set(v, "each"),
                                         .spreads = is_set(v, "spreads"),
                                         .bound = (enum interval_end)bound,
                                         .loss = read_loss(v, a)};
        if (!heads[i].width || (heads[i].spreads && heads[i].width % 2))
            return false;
        heads[i].names = read_names(v, combine_told(&heads[i]), a);
        o->wide += heads[i].width;
        o->truths += opinions_truths(&heads[i]);
    }
    o->heads = heads;
    o->head_count = count;
    return count > 0;
}

static size_t stride_of(const struct opinions *o)
{
    return o->truths + o->members * (o->wide + o->out_of_fold);
}

const double *opinions_truth(const struct opinions *o, size_t row)
{
    return o->numbers + row * stride_of(o);
}

const double *opinions_said(const struct opinions *o, size_t row)
{
    return opinions_truth(o, row) + o->truths +
           (o->out_of_fold ? o->members : 0);
}

const double *opinions_weights(const struct opinions *o, size_t row,
                               const double *weights, size_t samples,
                               double *scratch)
{
    const double *may = opinions_truth(o, row) + o->truths;
    size_t models = o->members / samples;
    double sum = 0;
    if (!o->out_of_fold)
        return weights;
    for (size_t m = 0; m < models; m++)
        sum += may[m * samples] > 0 ? weights[m] : 0;
    for (size_t m = 0; m < models; m++)
        scratch[m] = may[m * samples] > 0 ? weights[m] / sum : 0;
    return sum > 0 ? scratch : NULL;
}

size_t opinions_shared(const struct opinions *o)
{
    size_t rows = 0;
    for (size_t r = 0; r < o->rows; r++) {
        const double *may = opinions_truth(o, r) + o->truths;
        size_t count = 0;
        for (size_t m = 0; o->out_of_fold && m < o->members; m++)
            count += may[m] > 0;
        rows += !o->out_of_fold || count == o->members;
    }
    return rows;
}

/* A class must be one that has an output. */
static bool truths_ok(const struct opinions *o)
{
    for (size_t r = 0; r < o->rows; r++) {
        const double *truth = opinions_truth(o, r);
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

/* What a model says of a row must be numbers to choose or calibrate by. */
static bool passes_ok(const struct opinions *o)
{
    for (size_t r = 0; r < o->rows; r++) {
        const double *said = opinions_said(o, r);
        for (size_t i = 0; i < o->members * o->wide; i++)
            if (!isfinite(said[i]))
                return false;
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
    found.out_of_fold = is_set(v, "out_of_fold");
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
    if (!passes_ok(&found))
        return err_set(err, ERR_INPUT,
                       "what a model predicts of some rows is no finite "
                       "number: its weights have diverged, or are broken");
    *o = found;
    return 0;
}
