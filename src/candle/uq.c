/* uq.c - CANDLE's keywords of which samples train: uq_train_fr, …
 *
 * Three of a kind say it: fractions (fr), lists of blocks (vec) or counts of
 * blocks (bks), of which the first that is complete counts. */
#include "candle/making.h"

static const char *const candle_parts[] = {"train", "valid", "test"};
enum { CANDLE_PARTS = 3 };
static const struct {
    const char *ending, *becomes;
} ways[] = {{"fr", "fractions"}, {"vec", "blocks"}, {"bks", "counts"}};
enum { WAYS = sizeof(ways) / sizeof(*ways) };

static const struct value *said(const struct making *m, size_t way, size_t part)
{
    return making_get(m, arena_printf(m->arena, "uq_%s_%s", candle_parts[part],
                                      ways[way].ending));
}

static size_t said_of(const struct making *m, size_t way,
                      const struct value **first)
{
    size_t count = 0;
    for (size_t i = 0; i < CANDLE_PARTS; i++) {
        const struct value *v = said(m, way, i);
        count += v != NULL;
        *first = *first ? *first : v;
    }
    return count;
}

/* A fraction may be a list of one number. */
static const struct value *plain(const struct value *v, size_t way)
{
    bool one = v->kind == VALUE_LIST && v->count == 1;
    return way == 0 && one ? v->items[0] : v;
}

static struct value *of_way(const struct making *m, size_t way)
{
    struct value *parts = value_object(m->arena), *list = value_list(m->arena);
    const struct value *at = said(m, way, 0);
    for (size_t i = 0; i < CANDLE_PARTS; i++)
        value_list_add(m->arena, list,
                       making_at(m, plain(said(m, way, i), way), at));
    value_set(m->arena, parts, str_of(ways[way].becomes), list);
    return making_at(m, parts, at);
}

struct value *making_parts(struct making *m)
{
    const struct value *first = NULL;
    for (size_t way = 0; way < WAYS; way++)
        if (said_of(m, way, &first) == CANDLE_PARTS)
            return of_way(m, way);
    if (first)
        making_fault(m, first,
                     "say all three of fr (fractions), vec (lists of blocks) "
                     "or bks (counts of blocks)",
                     "none of the triplets uq_train_*, uq_valid_*, uq_test_* "
                     "is complete");
    return NULL;
}
