/* parts.c - rows for training, validation and test by `parts`
 *
 * All rows are dealt out anew, whichever file they came from, as CANDLE's
 * studies of uncertainty do it: by fractions or counts of blocks out of one
 * shuffle, or by lists of blocks as they lie. Rows of a test file stay what
 * they are where no test part is asked for.
 *
 * The shuffle is of the trial, as a bootstrap is: each trains on rows of its
 * own. */
#include <math.h>

#include "data/set.h"

static const char *const part_names[PARTS] = {"training", "validation", "test"};
static const char *const ways[] = {"fractions", "counts", "blocks", NULL};

struct dealing {
    const struct value *list; /* of the way that is said: PARTS of them */
    bool wanted[PARTS];
    uint32_t *rows; /* in their order */
    size_t count;
    struct arena *arena;
    struct data_view *view;
    struct err *err;
};

bool data_parts_draw(const struct value *spec)
{
    const struct value *said = value_get(spec, STR("parts"));
    return said && !value_get(said, STR("blocks"));
}

/* What would be passed over in silence. */
static int check_alone(const struct value *spec, struct err *err)
{
    static const char *const others[] = {"data.fold", "data.stratify",
                                         "data.group"};
    static const char *const fractions[] = {"data.validation", "data.test"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (data_said(spec, others[i]))
            return err_set_at(err, others[i],
                              " cannot be kept: `parts` says which rows are "
                              "for what");
    for (size_t i = 0; i < sizeof(fractions) / sizeof(*fractions); i++) {
        const struct value *v = data_said(spec, fractions[i]);
        if (v && value_is_number(v))
            return err_set_at(err, fractions[i],
                              " and `parts` both say which rows are for what; "
                              "leave one out");
    }
    return 0;
}

static int read_way(struct dealing *d, const struct value *said, size_t *way)
{
    static const char form[] =
        " must be one of {fractions: [0.8, 0.2, 0]}, {counts: [3, 1, 0]} and "
        "{blocks: [[0, 2], [1], []]}: training, validation, test";
    for (size_t i = 0; said->kind == VALUE_OBJECT && i < said->count; i++)
        if (data_unknown_key("data.parts", said->keys[i], ways, d->err))
            return -1;
    if (said->kind != VALUE_OBJECT || said->count != 1 ||
        said->items[0]->kind != VALUE_LIST || said->items[0]->count != PARTS)
        return err_set_at(d->err, "data.parts", "%s", form);
    d->list = said->items[0];
    while (!str_is(said->keys[0], ways[*way]))
        ++*way;
    return 0;
}

/* Rows of a shuffle, cut in two places; the third part is the rest. */
static void cut_at(struct dealing *d, size_t first, size_t second)
{
    struct data_part *to[PARTS] = {&d->view->train, &d->view->validation,
                                   &d->view->test};
    size_t ends[PARTS] = {first, first + second, d->count}, from = 0;
    for (int i = 0; i < PARTS; i++) {
        size_t end = ends[i] < d->count ? ends[i] : d->count;
        if (d->wanted[i])
            *to[i] = (struct data_part){d->rows + from, end - from};
        from = end;
    }
}

/* ---- fractions ----------------------------------------------------------- */

static int read_fractions(struct dealing *d)
{
    double sum = 0;
    for (size_t i = 0; i < PARTS; i++) {
        double f = value_number(d->list->items[i]);
        if (!value_is_number(d->list->items[i]) || !(f >= 0 && f <= 1))
            return err_set_at(d->err, "data.parts",
                              ": each fraction must be a number from 0 to 1");
        d->wanted[i] = f > 0;
        sum += f;
    }
    if (fabs(sum - 1) > 1e-7)
        return err_set_at(d->err, "data.parts",
                          ": the fractions add up to %g, not to 1", sum);
    return 0;
}

/* A half is rounded to the even number, as NumPy does it. */
static int deal_fractions(struct dealing *d)
{
    double all = (double)d->count;
    double train = rint(all * value_number(d->list->items[PART_TRAIN]));
    double held = rint(all * value_number(d->list->items[PART_VALIDATION]));
    cut_at(d, (size_t)train, (size_t)held);
    return 0;
}

/* ---- blocks -------------------------------------------------------------- */

/* Rows of a block when so many are made, rounded; the last one has the rest. */
static int block_size(const struct dealing *d, size_t blocks, size_t *size)
{
    *size = blocks ? (d->count + blocks / 2) / blocks : 0;
    if (blocks && *size && (blocks - 1) * *size < d->count)
        return 0;
    return err_set_at(d->err, "data.parts",
                      ": %zu rows cannot be cut into %zu blocks", d->count,
                      blocks);
}

static int read_counts(struct dealing *d)
{
    for (size_t i = 0; i < PARTS; i++) {
        const struct value *v = d->list->items[i];
        if (v->kind != VALUE_INT || v->i < 0 || v->i > INT32_MAX)
            return err_set_at(d->err, "data.parts",
                              ": each count of blocks must be a whole number "
                              "from 0");
        d->wanted[i] = v->i > 0;
    }
    return 0;
}

static int deal_counts(struct dealing *d)
{
    size_t counts[PARTS], blocks = 0, size;
    for (size_t i = 0; i < PARTS; i++)
        blocks += counts[i] = (size_t)d->list->items[i]->i;
    if (block_size(d, blocks, &size))
        return -1;
    cut_at(d, counts[PART_TRAIN] * size, counts[PART_VALIDATION] * size);
    return 0;
}

/* Each block once: one for training and validation would judge by what was
 * learnt. */
static int read_blocks(struct dealing *d)
{
    size_t blocks = 0;
    for (size_t i = 0; i < PARTS; i++) {
        const struct value *v = d->list->items[i];
        if (v->kind != VALUE_LIST)
            return err_set_at(d->err, "data.parts",
                              ": blocks are three lists of their numbers, "
                              "from 0");
        d->wanted[i] = v->count > 0;
        blocks += v->count;
    }
    bool *seen = arena_array(d->arena, blocks + 1, sizeof(*seen));
    for (size_t i = 0; i < PARTS; i++)
        for (size_t k = 0; k < d->list->items[i]->count; k++) {
            const struct value *v = d->list->items[i]->items[k];
            if (v->kind != VALUE_INT || v->i < 0 || (size_t)v->i >= blocks ||
                seen[v->i])
                return err_set_at(d->err, "data.parts",
                                  ": there are %zu blocks: each of 0 to %zu "
                                  "must be named once",
                                  blocks, blocks - 1);
            seen[v->i] = true;
        }
    return 0;
}

static int deal_blocks(struct dealing *d)
{
    struct data_part *to[PARTS] = {&d->view->train, &d->view->validation,
                                   &d->view->test};
    uint32_t *rows = arena_array(d->arena, d->count + 1, sizeof(*rows));
    size_t blocks = 0, size, at = 0;
    for (size_t i = 0; i < PARTS; i++)
        blocks += d->list->items[i]->count;
    if (block_size(d, blocks, &size))
        return -1;
    for (size_t i = 0; i < PARTS; i++) {
        size_t from = at;
        for (size_t k = 0; k < d->list->items[i]->count; k++) {
            size_t block = (size_t)d->list->items[i]->items[k]->i;
            size_t row = block * size;
            size_t end = block + 1 == blocks ? d->count : row + size;
            while (row < end)
                rows[at++] = d->rows[row++];
        }
        if (d->wanted[i])
            *to[i] = (struct data_part){rows + from, at - from};
    }
    return 0;
}

/* ---- all ------------------------------------------------------------------
 */

static const struct {
    int (*read)(struct dealing *);
    int (*deal)(struct dealing *);
    bool shuffles;
} by_way[] = {{read_fractions, deal_fractions, true},
              {read_counts, deal_counts, true},
              {read_blocks, deal_blocks, false}};

static int check_none_empty(const struct dealing *d)
{
    const struct data_part *all[PARTS] = {&d->view->train, &d->view->validation,
                                          &d->view->test};
    for (size_t i = 0; i < PARTS; i++)
        if (d->wanted[i] && !all[i]->count)
            return err_set_at(d->err, "data.parts",
                              ": of %zu rows none are for %s; say more",
                              d->count, part_names[i]);
    return 0;
}

/* Rows of the table that are dealt out; those of a test file lie last. */
static void take_rows(struct dealing *d, const struct data_set *set)
{
    size_t held = set->part_rows[PART_TEST];
    size_t rest = set->part_rows[PART_TRAIN] + set->part_rows[PART_VALIDATION];
    d->rows = arena_array(d->arena, rest + held + 1, sizeof(*d->rows));
    for (size_t i = 0; i < rest + held; i++)
        d->rows[i] = (uint32_t)i;
    d->count = d->wanted[PART_TEST] ? rest + held : rest;
    if (!d->wanted[PART_TEST])
        d->view->test = (struct data_part){d->rows + rest, held};
}

int data_parts(struct data_view *v, const struct data_set *set,
               const struct value *spec, const uint64_t *shuffled_by,
               struct arena *a, struct err *err)
{
    struct dealing d = {.arena = a, .view = v, .err = err};
    size_t way = 0;
    if (check_alone(spec, err) ||
        read_way(&d, value_get(spec, STR("parts")), &way) ||
        by_way[way].read(&d))
        return -1;
    take_rows(&d, set);
    if (by_way[way].shuffles && shuffled_by)
        data_shuffle(d.rows, d.count, *shuffled_by, "parts");
    return by_way[way].deal(&d) || check_none_empty(&d) ? -1 : 0;
}
