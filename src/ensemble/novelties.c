/* novelties.c - how far a row lies from those that an ensemble was trained on
 *
 * Each member has its own layer, with a mean and a covariance of its own
 * training rows (novelty.c). Distances in layers of k numbers are about sqrt(k)
 * for training rows, so each is divided by that: 1 is usual, however wide a
 * layer is. The score of a row is the mean of these, with the members' weights,
 * as its prediction is: one member that knows a row does not make it known,
 * nor does one whose layer has gone astray make all rows strange.
 *
 * As a file: a line of JSON about all of them, then the line of each member. */
#include <math.h>

#include "base/json.h"
#include "ensemble/ensemble.h"

double novelties_part(const struct novelties *n, size_t member, double distance)
{
    if (n->alone)
        return distance;
    return n->weights[member] * distance /
           sqrt((double)n->list[member].columns);
}

const char *const novelty_names[NOVELTY_SCORES] = {"distance", "unlike"};

void novelties_judge(const struct novelties *n, double score,
                     double to[NOVELTY_SCORES])
{
    to[0] = isfinite(score) ? score : NAN;
    to[1] = score <= n->threshold ? 0 : 1;
}

int novelties_limit(struct novelties *n, double *scores, size_t count,
                    struct err *err)
{
    struct novelty all = {.alpha = n->alpha};
    if (novelty_limit(&all, scores, count, err))
        return -1;
    n->threshold = all.threshold;
    n->held_out = count;
    return 0;
}

bool novelties_is(struct str text)
{
    return str_starts(text, STR("{\"format\":\"" NOVELTIES_FORMAT "\""));
}

void novelties_print(struct buf *b, const struct novelties *n)
{
    struct arena *a = arena_new();
    struct value *v = value_object(a), *weights = value_list(a);
    for (size_t i = 0; i < n->count; i++)
        value_list_add(a, weights, value_double(a, n->weights[i]));
    value_set(a, v, STR("format"), value_string(a, STR(NOVELTIES_FORMAT)));
    value_set(a, v, STR("weights"), weights);
    value_set(a, v, STR("held_out"), value_int(a, (int64_t)n->held_out));
    value_set(a, v, STR("alpha"), value_double(a, n->alpha));
    value_set(a, v, STR("threshold"), value_double(a, n->threshold));
    json_print(b, v);
    buf_addc(b, '\n');
    for (size_t i = 0; i < n->count; i++)
        novelty_print(b, &n->list[i]);
    arena_free(a);
}

static int parse_members(struct novelties *n, struct str rest, const char *path,
                         struct arena *a, struct err *err)
{
    struct str line;
    for (size_t i = 0; i < n->count; i++)
        if (!rest.len || !str_split(&rest, '\n', &line))
            return err_set(err, ERR_CORRUPT, "%s is damaged", path);
        else if (novelty_parse(&n->list[i], line, path, a, err))
            return -1;
    return 0;
}

int novelties_parse(struct novelties *n, struct str text, const char *path,
                    struct arena *a, struct err *err)
{
    struct str rest = text, line;
    str_split(&rest, '\n', &line);
    const struct value *v = json_parse(a, line, path, false, err);
    const struct value *weights = value_get(v, STR("weights"));
    const struct value *limit = value_get(v, STR("threshold"));
    const struct value *held_out = value_get(v, STR("held_out"));
    if (!v)
        return -1;
    bool listed = weights && weights->kind == VALUE_LIST && weights->count;
    *n = (struct novelties){.count = listed ? weights->count : 0};
    n->alpha = value_number(value_get(v, STR("alpha")));
    n->threshold = limit ? value_number(limit) : NAN;
    n->held_out =
        held_out && held_out->kind == VALUE_INT ? (size_t)held_out->i : 0;
    if (!listed || !(n->threshold >= 0) || isinf(n->threshold))
        return err_set(err, ERR_CORRUPT, "%s is damaged", path);
    n->weights = arena_array(a, n->count, sizeof(*n->weights));
    n->list = arena_array(a, n->count, sizeof(*n->list));
    for (size_t i = 0; i < n->count; i++)
        n->weights[i] = value_number(weights->items[i]);
    return parse_members(n, rest.p ? rest : STR(""), path, a, err);
}

int novelties_parse_any(struct novelties *n, struct str text, const char *path,
                        struct arena *a, struct err *err)
{
    if (novelties_is(text))
        return novelties_parse(n, text, path, a, err);
    struct novelty *one = arena_new_of(a, struct novelty);
    double *weight = arena_new_of(a, double);
    if (novelty_parse(one, text, path, a, err))
        return -1;
    *weight = 1;
    *n = (struct novelties){.list = one,
                            .weights = weight,
                            .count = 1,
                            .alpha = one->alpha,
                            .threshold = one->threshold,
                            .held_out = one->held_out,
                            .alone = true};
    return 0;
}
