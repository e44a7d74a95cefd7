/* permanent.c - dropout that a model has when it predicts, too
 *
 * An entry of `layers` may be written in several ways (layers.c); whichever it
 * is, rate and `permanent` are put where they belong. */
#include <math.h>

#include "nn/nn.h"

static struct value *dropout_of(struct value *entry, struct arena *a)
{
    struct value *body = value_get(entry, STR("dropout"));
    if (body && body->kind == VALUE_OBJECT)
        return body;
    if (body)
        value_set(a, entry, STR("dropout"), value_null(a));
    return body || str_is(value_text(value_get(entry, STR("type"))), "dropout")
               ? entry
               : NULL;
}

bool nn_permanent_dropout(struct value *model, double rate, struct arena *a)
{
    struct value *layers = value_get(model, STR("layers"));
    bool any = false;
    for (size_t i = 0;
         layers && layers->kind == VALUE_LIST && i < layers->count; i++) {
        struct value *at = dropout_of(layers->items[i], a);
        if (!at)
            continue;
        value_set(a, at, STR("rate"), value_double(a, rate));
        value_set(a, at, STR("permanent"), value_bool(a, true));
        any = true;
    }
    return any;
}

/* False: the entry is no dropout. */
static bool rate_of(const struct value *entry, double *rate, bool *permanent)
{
    const struct value *body = value_get(entry, STR("dropout"));
    const struct value *at = body && body->kind == VALUE_OBJECT ? body : entry;
    const struct value *said = value_get(at, STR("rate"));
    const struct value *stays = value_get(at, STR("permanent"));
    if (!body && !str_is(value_text(value_get(entry, STR("type"))), "dropout"))
        return false;
    *rate = value_number(said ? said : body);
    *permanent = stays && stays->kind == VALUE_BOOL && stays->boolean;
    return !isnan(*rate);
}

void nn_dropout_rates(const struct value *model, bool all, double *least,
                      double *most)
{
    const struct value *layers = value_get(model, STR("layers"));
    for (size_t i = 0;
         layers && layers->kind == VALUE_LIST && i < layers->count; i++) {
        double rate;
        bool permanent;
        if (!rate_of(layers->items[i], &rate, &permanent) ||
            (!all && !permanent))
            continue;
        *least = fmin(*least, rate); /* NaN is none */
        *most = fmax(*most, rate);
    }
}
