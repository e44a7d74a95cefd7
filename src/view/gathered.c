/* gathered.c - which trials failed, and the best so far
 *
 * What must stay true: every final trial above `low` that was bad when it was
 * read is in `bad`; every other one above `low` that may still change is in
 * `open`, unless there are too many of those. What slips through (a trial
 * made to run again by `retry`, an open one too many) shows in the counts of
 * the store, and then everything is gathered anew. */
#include "view/gathered.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include "sys/sys.h"

#define SLICE 4096       /* trials read between looks at the clock */
#define BEST_FIRST 2000  /* of the ranking, read before anything else */
#define BAD_MAX 10000    /* failures that are remembered, the newest */
#define OPEN_MAX 2000    /* open trials that are looked at again */
#define RESTART_GAP_S 10 /* between beginnings */

void gathered_done(struct gathered *h)
{
    vec_done(&h->records);
    vec_done(&h->bad);
    vec_done(&h->open);
}

double gathered_part(const struct gathered *h)
{
    return h->top ? 1 - (double)h->low / (double)h->top : 1;
}

/* ---- the best so far -------------------------------------------------- */

static bool better(const struct gathered *h, double a, double b)
{
    return h->minimize ? a < b : a > b;
}

static size_t record_after(const struct gathered *h, int64_t id)
{
    size_t low = 0, high = h->records.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (h->records.p[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void gathered_record(struct gathered *h, int64_t id, double value)
{
    size_t at = record_after(h, id), end = at;
    if (isnan(value) ||
        (at > 0 && !better(h, value, h->records.p[at - 1].value)))
        return;
    while (end < h->records.len && !better(h, h->records.p[end].value, value))
        end++;
    vec_push(&h->records, ((struct record_trial){0}));
    struct record_trial *p = h->records.p;
    memmove(p + at + 1, p + end, (h->records.len - 1 - end) * sizeof(*p));
    h->records.len -= end - at;
    p[at] = (struct record_trial){id, value};
}

/* Along the ranking: with no order in time among the values, the best 2,000
 * of a million hold all but the first few hundred steps of the curve. */
static int read_best(struct gathered *h, struct store *s, struct err *err)
{
    struct query q = {
        .by = "value", .descending = !h->minimize, .limit = BEST_FIRST};
    struct rows *rows = store_rows(s, &q, err);
    struct trial t;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0)
        if (state_final(t.state))
            gathered_record(h, t.id, t.value);
    rows_close(rows);
    return got;
}

/* ---- reading trials --------------------------------------------------- */

static size_t id_at(const int64_t *ids, size_t count, int64_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void bad_set(struct gathered *h, int64_t id, bool on)
{
    size_t at = id_at(h->bad.p, h->bad.len, id);
    bool there = at < h->bad.len && h->bad.p[at] == id;
    if (there == on || (on && at == 0 && h->bad.len >= BAD_MAX))
        return;
    if (on) {
        vec_push(&h->bad, id);
        memmove(h->bad.p + at + 1, h->bad.p + at,
                (h->bad.len - 1 - at) * sizeof(*h->bad.p));
        h->bad.p[at] = id;
    } else {
        h->bad.len--;
        memmove(h->bad.p + at, h->bad.p + at + 1,
                (h->bad.len - at) * sizeof(*h->bad.p));
    }
}

static void open_add(struct gathered *h, int64_t id)
{
    size_t at = id_at(h->open.p, h->open.len, id);
    if (h->open.len >= OPEN_MAX || (at < h->open.len && h->open.p[at] == id))
        return;
    vec_push(&h->open, id);
    memmove(h->open.p + at + 1, h->open.p + at,
            (h->open.len - 1 - at) * sizeof(*h->open.p));
    h->open.p[at] = id;
}

static int take(struct gathered *h, struct store *s, const char *selector,
                bool descending, struct err *err)
{
    struct query q = {.selector = selector, .descending = descending};
    struct rows *rows = store_rows(s, &q, err);
    struct trial t;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0) {
        bool final = state_final(t.state);
        bad_set(h, t.id, final && state_bad(t.state));
        if (final)
            gathered_record(h, t.id, t.value);
        else
            open_add(h, t.id);
    }
    rows_close(rows);
    return got;
}

static int take_range(struct gathered *h, struct store *s, int64_t first,
                      int64_t last, struct err *err)
{
    char selector[64];
    if (last < first)
        return 0;
    snprintf(selector, sizeof(selector), "%lld-%lld", (long long)first,
             (long long)last);
    return take(h, s, selector, true, err);
}

static int take_open(struct gathered *h, struct store *s, struct err *err)
{
    struct buf selector;
    if (!h->open.len)
        return 0;
    buf_init(&selector);
    for (size_t i = 0; i < h->open.len; i++)
        buf_addf(&selector, "%s%lld", i ? "," : "", (long long)h->open.p[i]);
    h->open.len = 0;
    int rc = take(h, s, selector.p, false, err);
    buf_done(&selector);
    return rc;
}

/* ---- going on --------------------------------------------------------- */

static int64_t count_bad(const struct counts *c)
{
    int64_t n = 0;
    for (int i = 0; i < STATE_COUNT; i++)
        if (state_bad((enum state)i))
            n += c->by_state[i];
    return n;
}

static void begin(struct gathered *h, struct store *s)
{
    h->top = h->low = store_last_trial(s);
    h->records.len = h->bad.len = h->open.len = 0;
    h->begun = true;
    h->restarted = clock_wall();
}

/* There was a failure that is none any more, or a trial fewer: `known`
 * failures had been read before the counts were. */
static bool stale(const struct gathered *h, struct store *s, int64_t known,
                  const struct counts *c)
{
    return h->begun && fabs(clock_wall() - h->restarted) > RESTART_GAP_S &&
           (known > count_bad(c) || h->top > store_last_trial(s));
}

/* A failure slipped through: it was counted before the trials were read. */
static bool incomplete(const struct gathered *h, const struct counts *c)
{
    return h->low == 0 && h->bad.len < BAD_MAX &&
           (int64_t)h->bad.len < count_bad(c) &&
           fabs(clock_wall() - h->restarted) > RESTART_GAP_S;
}

int gathered_update(struct gathered *h, struct store *s, const struct counts *c,
                    double budget_s, struct err *err)
{
    clock_t end = clock() + (clock_t)(budget_s * CLOCKS_PER_SEC);
    bool fresh = !h->begun || stale(h, s, (int64_t)h->bad.len, c);
    if (fresh)
        begin(h, s);
    if (fresh && read_best(h, s, err))
        return -1;
    int64_t last = store_last_trial(s);
    if (take_open(h, s, err) || take_range(h, s, h->top + 1, last, err))
        return -1;
    h->top = last > h->top ? last : h->top;
    while (h->low > 0 && (fresh || clock() < end)) {
        int64_t first = h->low > SLICE ? h->low - SLICE + 1 : 1;
        if (take_range(h, s, first, h->low, err))
            return -1;
        h->low = first - 1;
        fresh = false;
    }
    if (incomplete(h, c))
        h->begun = false;
    return 0;
}
