/* settings.c - members of a cross-validation, as the settings that they are of
 *
 * A setting is trained once for each fold, so that each of its members has held
 * out rows of its own. Of a row the setting says what those of its members say
 * that were not trained on it: of folds that is one, of several their mean. Now
 * settings speak of the same rows, and can be chosen from, weighed and stacked
 * as members are. What a setting is given its members share alike: of a new row
 * it says their mean. */
#include <stdlib.h>

#include "ensemble/ensemble.h"

static bool may_speak(const struct opinions *o, size_t row, size_t member)
{
    return !o->out_of_fold || opinions_truth(o, row)[o->truths + member] > 0;
}

static bool speaks(const struct opinions *o, const struct settings *s,
                   size_t row, size_t setting)
{
    for (size_t m = 0; m < o->members; m++)
        if (s->of[m] == setting && may_speak(o, row, m))
            return true;
    return false;
}

size_t settings_rows(const struct settings *s, const struct opinions *o,
                     size_t setting)
{
    size_t rows = 0;
    for (size_t r = 0; r < o->rows; r++)
        rows += speaks(o, s, r, setting);
    return rows;
}

/* Some member of every setting may speak of it. */
static bool all_speak(const struct opinions *o, const struct settings *s,
                      size_t row, bool *heard)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        heard[i] = false;
    for (size_t m = 0; m < o->members; m++)
        if (may_speak(o, row, m) && !heard[s->of[m]]) {
            heard[s->of[m]] = true;
            count++;
        }
    return count == s->count;
}

/* What is said of one row. */
struct hearing {
    const struct opinions *said;
    const struct settings *settings;
    size_t row;
    size_t *speakers; /* of one setting */
    double *weights, *passes, *scratch;
};

static size_t find_speakers(const struct hearing *h, size_t setting)
{
    size_t count = 0;
    for (size_t m = 0; m < h->said->members; m++)
        if (h->settings->of[m] == setting && may_speak(h->said, h->row, m))
            h->speakers[count++] = m;
    for (size_t i = 0; i < count; i++)
        h->weights[i] = 1 / (double)count;
    return count;
}

static void hear(const struct hearing *h, size_t setting, double *to)
{
    const struct opinions *o = h->said;
    const double *first = opinions_said(o, h->row);
    struct combine_rule rule = {.how = COMBINE_MEAN,
                                .members = find_speakers(h, setting),
                                .samples = 1,
                                .weights = h->weights};
    for (size_t i = 0, at = 0; i < o->head_count; i++) {
        const struct combine_head *head = &o->heads[i];
        for (size_t m = 0; m < rule.members; m++)
            for (size_t k = 0; k < head->width; k++)
                h->passes[m * head->width + k] =
                    first[h->speakers[m] * o->wide + at + k];
        if (rule.members == 1)
            memcpy(to + at, h->passes, head->width * sizeof(*to));
        else
            combine_outputs(&rule, head, h->passes, h->scratch, to + at);
        at += head->width;
    }
}

static void fill(const struct opinions *o, const struct settings *s,
                 const bool *shared, double *to)
{
    size_t n = o->members;
    double *room = xcalloc(n * (o->wide + 2) + 1, sizeof(*room));
    struct hearing h = {.said = o,
                        .settings = s,
                        .speakers = xcalloc(n, sizeof(*h.speakers)),
                        .weights = room,
                        .scratch = room + n,
                        .passes = room + 2 * n};
    for (h.row = 0; h.row < o->rows; h.row++) {
        if (!shared[h.row])
            continue;
        memcpy(to, opinions_truth(o, h.row), o->truths * sizeof(*to));
        to += o->truths;
        for (size_t i = 0; i < s->count; i++, to += o->wide)
            hear(&h, i, to);
    }
    free(h.speakers);
    free(room);
}

int settings_opinions(const struct settings *s, const struct opinions *o,
                      struct opinions *to, double **numbers, struct err *err)
{
    size_t each = o->truths + s->count * o->wide, rows = 0;
    bool *heard = xcalloc(s->count, sizeof(*heard));
    bool *shared = calloc(o->rows + 1, sizeof(*shared));
    for (size_t r = 0; shared && r < o->rows; r++)
        rows += shared[r] = all_speak(o, s, r, heard);
    double *all = shared ? calloc(rows * each + 1, sizeof(*all)) : NULL;
    if (all)
        fill(o, s, shared, all);
    free(heard);
    free(shared);
    if (!all)
        return err_set(err, ERR_LIMIT,
                       "no memory for what %zu settings say of %zu rows",
                       s->count, o->rows);
    *to = *o;
    to->rows = rows;
    to->members = s->count;
    to->out_of_fold = false;
    to->numbers = *numbers = all;
    return 0;
}

static size_t members_of(const struct settings *s, size_t members,
                         size_t setting)
{
    size_t count = 0;
    for (size_t m = 0; m < members; m++)
        count += s->of[m] == setting;
    return count;
}

void settings_share(const struct settings *s, size_t members,
                    const double *weights, double *to)
{
    for (size_t m = 0; m < members; m++)
        to[m] = weights[s->of[m]] / (double)members_of(s, members, s->of[m]);
}

/* ---- to members and back ---------------------------------------------------
 */

typedef void pass_on_fn(const struct settings *s, size_t members,
                        const double *from, double *to);

/* A stack of so many becomes one of others. */
static struct value *change_stack(const struct settings *s, size_t members,
                                  const struct value *stack, pass_on_fn *fn,
                                  size_t count, struct arena *a)
{
    struct value *all = value_copy(a, stack);
    double *own = arena_array(a, s->count + members + 1, sizeof(*own));
    double *other = arena_array(a, s->count + members + 1, sizeof(*other));
    for (size_t i = 0; i < all->count; i++) {
        struct value *outputs = value_get(all->items[i], STR("weights"));
        for (size_t k = 0; outputs && k < outputs->count; k++) {
            const struct value *from = outputs->items[k];
            struct value *to = value_list(a);
            for (size_t j = 0; j < from->count && j < s->count + members; j++)
                own[j] = value_number(from->items[j]);
            fn(s, members, own, other);
            for (size_t m = 0; m < count; m++)
                value_list_add(a, to, value_double(a, other[m]));
            outputs->items[k] = to;
        }
    }
    return all;
}

struct value *settings_share_stack(const struct settings *s, size_t members,
                                   const struct value *stack, struct arena *a)
{
    return change_stack(s, members, stack, settings_share, members, a);
}

void settings_gather(const struct settings *s, size_t members,
                     const double *weights, double *to)
{
    for (size_t i = 0; i < s->count; i++)
        to[i] = 0;
    for (size_t m = 0; m < members; m++)
        to[s->of[m]] += weights[m];
}

struct value *settings_gather_stack(const struct settings *s, size_t members,
                                    const struct value *stack, struct arena *a)
{
    return change_stack(s, members, stack, settings_gather, s->count, a);
}

struct settings settings_named(const uint64_t *names, size_t members,
                               struct arena *a)
{
    size_t *of = arena_array(a, members + 1, sizeof(*of)), count = 0;
    for (size_t m = 0; m < members; m++) {
        size_t first = 0;
        while (first < m && (!names[m] || names[first] != names[m]))
            first++;
        of[m] = first < m ? of[first] : count++;
    }
    return (struct settings){of, count};
}

struct settings settings_samples(const struct settings *s, size_t members,
                                 size_t samples, struct arena *a)
{
    size_t *of = arena_array(a, members * samples + 1, sizeof(*of));
    for (size_t p = 0; p < members * samples; p++)
        of[p] = s->of[p / samples] * samples + p % samples;
    return (struct settings){of, s->count * samples};
}
