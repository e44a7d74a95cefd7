/* frame.c - all trials of a study, as columns
 *
 * Each look reads the trials that are new, those that had not ended, and a
 * slice of the others in turn: what slips through (a tag, a trial that was made
 * to run again) is seen when its slice comes round, or sooner, when the counts
 * of the store show that something did, and then all are read. A trial fewer
 * means that rows were removed, and everything is read anew.
 *
 * What must stay true: ids ascend; every column has `cap` places; counts are
 * those of states. */
#include "view/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/num.h"
#include "sys/sys.h"

#define SLICE 4096      /* trials read between looks at the clock */
#define ROUND 512       /* of those that have ended, read again in turn */
#define ROUND_GAP_S 1   /* between slices */
#define WAITING_MAX 512 /* of those that wait, the first */
#define REST_FACTOR 20  /* reading all takes one part in so many of the time */

/* What every trial has, in this order. */
enum { VALUE, SECONDS, STARTED, ENDED, ATTEMPTS, TAGS, TRIAL_COLUMNS };
static const char *const trial_names[TRIAL_COLUMNS] = {
    [VALUE] = "value", [SECONDS] = "seconds",   [STARTED] = "started",
    [ENDED] = "ended", [ATTEMPTS] = "attempts", [TAGS] = "tags"};

/* ---- columns ----------------------------------------------------------- */

static void column_free(struct frame_column *c)
{
    for (size_t i = 0; i < c->texts.len; i++)
        free(c->texts.p[i]);
    vec_done(&c->texts);
    map_free(c->places);
    free(c->numbers);
    free(c->codes);
    free(c->name);
    free(c);
}

static double *no_numbers(size_t cap)
{
    double *list = xmalloc((cap ? cap : 1) * sizeof(*list));
    for (size_t i = 0; i < cap; i++)
        list[i] = NAN;
    return list;
}

static struct frame_column *column_add(struct frame *f, enum frame_source from,
                                       struct str name)
{
    struct frame_column *c = xcalloc(1, sizeof(*c));
    struct buf text;
    buf_init(&text);
    buf_addstr(&text, name);
    c->name = buf_take(&text);
    c->source = from;
    c->numbers = no_numbers(f->cap);
    vec_push(&f->columns, c);
    return c;
}

/* Most rows have the same names in the same order: the one behind the last
 * that was found is looked at first. */
static struct frame_column *column_of(struct frame *f, enum frame_source from,
                                      struct str name, size_t *at)
{
    for (size_t i = 0, n = f->columns.len; i < n; i++) {
        size_t k = (*at + i) % n;
        struct frame_column *c = f->columns.p[k];
        if (c->source == from && str_is(name, c->name)) {
            *at = k + 1;
            return c;
        }
    }
    *at = f->columns.len + 1;
    return column_add(f, from, name);
}

static uint32_t text_code(struct frame_column *c, struct str text)
{
    size_t place = (size_t)(uintptr_t)map_get(c->places, text);
    if (place)
        return (uint32_t)place;
    struct buf copy;
    buf_init(&copy);
    buf_addstr(&copy, text);
    vec_push(&c->texts, buf_take(&copy));
    map_set(c->places, text, (void *)(uintptr_t)c->texts.len);
    return (uint32_t)c->texts.len;
}

/* A whole number that was kept as a double is written as one again. */
static void print_number(struct buf *b, double v)
{
    if (v == rint(v) && fabs(v) < 1e15)
        num_print_int(b, (int64_t)v);
    else
        num_print(b, v);
}

static void set_text(struct frame *f, struct frame_column *c, size_t row,
                     struct str text);

/* From numbers to texts, when the first text comes. */
static void make_texts(struct frame *f, struct frame_column *c)
{
    double *numbers = c->numbers;
    struct buf b;
    buf_init(&b);
    c->numbers = NULL;
    c->codes = xcalloc(f->cap ? f->cap : 1, sizeof(*c->codes));
    c->places = map_new();
    for (size_t i = 0; i < f->rows; i++) {
        if (isnan(numbers[i]))
            continue;
        buf_reset(&b);
        print_number(&b, numbers[i]);
        set_text(f, c, i, buf_str(&b));
    }
    buf_done(&b);
    free(numbers);
}

static void set_text(struct frame *f, struct frame_column *c, size_t row,
                     struct str text)
{
    if (c->numbers)
        make_texts(f, c);
    c->codes[row] = text_code(c, text);
}

static void set_number(struct frame *f, struct frame_column *c, size_t row,
                       double number)
{
    struct buf b;
    if (c->numbers) {
        c->numbers[row] = number;
        return;
    }
    c->codes[row] = 0;
    if (isnan(number))
        return;
    buf_init(&b);
    print_number(&b, number);
    set_text(f, c, row, buf_str(&b));
    buf_done(&b);
}

static void set_value(struct frame *f, struct frame_column *c, size_t row,
                      const struct value *v)
{
    struct buf b;
    if (v->kind == VALUE_NULL || value_is_number(v)) {
        set_number(f, c, row, value_number(v));
        return;
    }
    buf_init(&b);
    point_cell(&b, v);
    set_text(f, c, row, buf_str(&b));
    buf_done(&b);
}

/* ---- rows ---------------------------------------------------------------- */

static void grow(struct frame *f, size_t rows)
{
    if (rows <= f->cap)
        return;
    size_t cap = f->cap ? f->cap * 2 : 1024, old = f->cap;
    f->ids = xrealloc(f->ids, cap * sizeof(*f->ids));
    f->states = xrealloc(f->states, cap * sizeof(*f->states));
    f->changed = xrealloc(f->changed, cap * sizeof(*f->changed));
    for (size_t i = 0; i < f->columns.len; i++) {
        struct frame_column *c = f->columns.p[i];
        if (c->numbers)
            c->numbers = xrealloc(c->numbers, cap * sizeof(*c->numbers));
        else
            c->codes = xrealloc(c->codes, cap * sizeof(*c->codes));
        for (size_t k = old; k < cap; k++) {
            if (c->numbers)
                c->numbers[k] = NAN;
            else
                c->codes[k] = 0;
        }
    }
    f->cap = cap;
}

/* The first row whose trial is not before this one. */
static size_t row_from(const struct frame *f, int64_t trial)
{
    size_t low = 0, high = f->rows;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->ids[middle] < trial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t frame_row(const struct frame *f, int64_t trial)
{
    size_t at = row_from(f, trial);
    return at < f->rows && f->ids[at] == trial ? at : SIZE_MAX;
}

static void set_object(struct frame *f, size_t row, struct str prefix,
                       const struct value *object, size_t *at)
{
    for (size_t i = 0; i < object->count; i++) {
        struct str name = object->keys[i];
        const struct value *v = object->items[i];
        if (prefix.len)
            name = str_of(
                arena_printf(f->work, "%.*s.%.*s", STRF(prefix), STRF(name)));
        if (v->kind == VALUE_OBJECT && v->count)
            set_object(f, row, name, v, at);
        else
            set_value(f, column_of(f, FRAME_PARAMETER, name, at), row, v);
    }
}

static void set_metrics(struct frame *f, size_t row, const struct value *all,
                        size_t *at)
{
    for (size_t i = 0; all && i < all->count; i++)
        set_number(f, column_of(f, FRAME_METRIC, all->keys[i], at), row,
                   value_number(value_get(all->items[i], STR("last"))));
}

static void set_tags(struct frame *f, size_t row, const struct trial *t)
{
    struct frame_column *c = f->columns.p[TAGS];
    struct buf b;
    if (!t->tag_count) {
        set_number(f, c, row, NAN);
        return;
    }
    buf_init(&b);
    for (size_t i = 0; i < t->tag_count; i++)
        buf_addf(&b, "%s%.*s", i ? ", " : "", STRF(t->tags[i]));
    set_text(f, c, row, buf_str(&b));
    buf_done(&b);
}

/* What an earlier life of the trial said. */
static void clear_row(struct frame *f, size_t row)
{
    for (size_t i = TRIAL_COLUMNS; i < f->columns.len; i++) {
        struct frame_column *c = f->columns.p[i];
        if (c->numbers)
            c->numbers[row] = NAN;
        else
            c->codes[row] = 0;
    }
}

static double or_none(double v)
{
    return v > 0 ? v : NAN;
}

static void set_row(struct frame *f, size_t row, const struct trial *t)
{
    const double numbers[TRIAL_COLUMNS] = {
        [VALUE] = t->value,
        [SECONDS] = or_none(t->seconds),
        [STARTED] = or_none(t->started),
        [ENDED] = or_none(t->ended),
        [ATTEMPTS] = t->attempts,
    };
    size_t at = TRIAL_COLUMNS;
    for (int i = 0; i < TAGS; i++)
        f->columns.p[i]->numbers[row] = numbers[i];
    set_tags(f, row, t);
    arena_reset(f->work);
    struct value *point = json_parse(f->work, t->point, "", false, NULL);
    if (point && point->kind == VALUE_OBJECT)
        set_object(f, row, (struct str){0}, point, &at);
    if (t->summary.len)
        set_metrics(f, row, json_parse(f->work, t->summary, "", false, NULL),
                    &at);
    f->states[row] = (uint8_t)t->state;
    f->changed[row] = f->revision;
}

/* True when a trial that has a row already is as it was, by what changes with
 * every event of its life. */
static bool is_same(const struct frame *f, size_t row, const struct trial *t)
{
    double value = f->columns.p[VALUE]->numbers[row];
    return f->states[row] == (uint8_t)t->state && state_final(t->state) &&
           (value == t->value || (isnan(value) && isnan(t->value))) &&
           f->columns.p[ATTEMPTS]->numbers[row] == t->attempts &&
           !t->tag_count &&
           !(f->columns.p[TAGS]->codes && f->columns.p[TAGS]->codes[row]);
}

static void take_trial(struct frame *f, const struct trial *t)
{
    size_t row = row_from(f, t->id);
    if (row < f->rows && f->ids[row] == t->id) {
        if (is_same(f, row, t))
            return;
        f->counts.by_state[f->states[row]]--;
        clear_row(f, row);
    } else if (row == f->rows) {
        grow(f, f->rows + 1);
        f->ids[f->rows++] = t->id;
        f->counts.total++;
    } else {
        return; /* one between others: it was removed when they were read */
    }
    set_row(f, row, t);
    f->counts.by_state[t->state]++;
    f->touched++;
}

/* How many trials of the selector there are; -1. */
static int64_t take(struct frame *f, struct store *s, const char *selector,
                    struct err *err)
{
    struct query q = {.selector = selector, .with_texts = true};
    struct rows *rows = store_rows(s, &q, err);
    struct trial t;
    int64_t count = 0;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0) {
        take_trial(f, &t);
        count++;
    }
    rows_close(rows);
    return got < 0 ? -1 : count;
}

static int64_t take_range(struct frame *f, struct store *s, int64_t first,
                          int64_t last, struct err *err)
{
    char selector[64];
    snprintf(selector, sizeof(selector), "%lld-%lld", (long long)first,
             (long long)last);
    return take(f, s, selector, err);
}

/* ---- what may have changed --------------------------------------------- */

/* Adds the row's trial to a selector; neighbours become a range. */
static void select_row(struct buf *selector, const struct frame *f, size_t row,
                       size_t *run)
{
    bool follows = *run && row && f->ids[row - 1] + 1 == f->ids[row];
    if (follows && *run > 1) {
        while (selector->p[selector->len - 1] != '-')
            selector->len--;
        num_print_int(selector, f->ids[row]);
    } else if (follows) {
        buf_addf(selector, "-%lld", (long long)f->ids[row]);
    } else {
        buf_addf(selector, "%s%lld", selector->len ? "," : "",
                 (long long)f->ids[row]);
    }
    *run = follows ? *run + 1 : 1;
}

/* Those that run or pause, and the first of those that wait; all: every one of
 * these. */
static int take_open(struct frame *f, struct store *s, bool all,
                     struct err *err)
{
    struct buf selector;
    size_t run = 0, waiting = 0;
    int64_t count = 0;
    buf_init(&selector);
    for (size_t i = 0; i < f->rows && count >= 0; i++) {
        bool waits = f->states[i] == STATE_WAITING;
        if (state_final((enum state)f->states[i]) ||
            (waits && !all && waiting++ >= WAITING_MAX)) {
            run = 0;
            continue;
        }
        select_row(&selector, f, i, &run);
        if (selector.len > 32768) {
            count = take(f, s, selector.p, err);
            buf_reset(&selector);
            run = 0;
        }
    }
    if (selector.len && count >= 0)
        count = take(f, s, selector.p, err);
    buf_done(&selector);
    return count < 0 ? -1 : 0;
}

static bool differs(const struct frame *f, const struct counts *c)
{
    return memcmp(f->counts.by_state, c->by_state, sizeof(c->by_state)) != 0;
}

/* Where the counts show that something slipped through: one of many that wait,
 * else one that had ended and was made to run again. */
static int take_missed(struct frame *f, struct store *s,
                       const struct counts *before, struct err *err)
{
    int64_t now = clock_mono_ns();
    if (!differs(f, before) ||
        now - f->looked_ns < REST_FACTOR * f->look_cost_ns)
        return 0;
    int rc = take_open(f, s, true, err);
    if (!rc && differs(f, before) && f->rows)
        rc = take_range(f, s, f->ids[0], f->ids[f->rows - 1], err) < 0 ? -1 : 0;
    f->looked_ns = clock_mono_ns();
    f->look_cost_ns = f->looked_ns - now;
    return rc;
}

static void forget(struct frame *f)
{
    f->rows = 0;
    f->counts = (struct counts){0};
    f->whole = false;
    f->round = 0;
    f->made++;
    f->touched++;
}

/* The next slice of all rows; fewer trials than rows: some were removed. */
static int take_round(struct frame *f, struct store *s, struct err *err)
{
    int64_t now = clock_mono_ns();
    if (now - f->round_ns < ROUND_GAP_S * 1000000000LL)
        return 0;
    f->round_ns = now;
    size_t first = f->round ? row_from(f, f->round) : 0;
    if (first >= f->rows)
        first = 0;
    size_t last = first + ROUND < f->rows ? first + ROUND : f->rows;
    if (first == last)
        return 0;
    int64_t count = take_range(f, s, f->ids[first], f->ids[last - 1], err);
    if (count < 0)
        return -1;
    f->round = f->ids[last - 1] + 1;
    if ((size_t)count < last - first)
        forget(f);
    return 0;
}

static int take_new(struct frame *f, struct store *s, double seconds,
                    struct err *err)
{
    int64_t end = clock_mono_ns() + (int64_t)(seconds * 1e9);
    int64_t last = store_last_trial(s);
    int64_t at = f->rows ? f->ids[f->rows - 1] : 0;
    while (at < last) {
        int64_t to = last - at > SLICE ? at + SLICE : last;
        if (take_range(f, s, at + 1, to, err) < 0)
            return -1;
        at = to;
        if (clock_mono_ns() > end)
            break;
    }
    f->whole = at >= last;
    return 0;
}

static int update(struct frame *f, struct store *store, double seconds,
                  struct err *err)
{
    struct counts counts;
    bool was_whole = f->whole;
    if (store_counts(store, &counts, err))
        return -1;
    if (counts.total < (int64_t)f->rows)
        forget(f);
    if (was_whole && take_open(f, store, false, err))
        return -1;
    if (take_new(f, store, seconds, err))
        return -1;
    if (!was_whole || !f->whole)
        return 0;
    return take_missed(f, store, &counts, err) || take_round(f, store, err) ? -1
                                                                            : 0;
}

int frame_update(struct frame *f, struct store *store, double seconds,
                 struct err *err)
{
    f->touched = 0;
    f->revision++;
    int rc = update(f, store, seconds, err);
    if (!f->touched)
        f->revision--;
    return rc;
}

struct frame *frame_new(void)
{
    struct frame *f = xcalloc(1, sizeof(*f));
    f->work = arena_new();
    f->made = 1;
    for (int i = 0; i < TRIAL_COLUMNS; i++)
        column_add(f, FRAME_TRIAL, str_of(trial_names[i]));
    return f;
}

void frame_free(struct frame *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->columns.len; i++)
        column_free(f->columns.p[i]);
    vec_done(&f->columns);
    free(f->ids);
    free(f->states);
    free(f->changed);
    arena_free(f->work);
    free(f);
}

/* ---- asking ------------------------------------------------------------ */

const struct frame_column *frame_column(const struct frame *f, struct str name)
{
    const struct frame_column *found = NULL;
    for (size_t i = 0; i < f->columns.len; i++) {
        const struct frame_column *c = f->columns.p[i];
        if (str_is(name, c->name) && (!found || c->source < found->source))
            found = c;
    }
    return found;
}

struct sorted {
    double number;    /* NaN: none */
    const char *text; /* NULL: none */
    uint32_t row;
};

static int by_key(const struct sorted *x, const struct sorted *y)
{
    if (x->text && y->text)
        return strcmp(x->text, y->text);
    return x->number < y->number ? -1 : x->number > y->number;
}

static int with_direction(const struct sorted *x, const struct sorted *y,
                          int sign)
{
    bool none_x = isnan(x->number) && !x->text;
    bool none_y = isnan(y->number) && !y->text;
    int order = none_x || none_y ? none_x - none_y : sign * by_key(x, y);
    return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

static int up(const void *x, const void *y)
{
    return with_direction(x, y, 1);
}

static int down(const void *x, const void *y)
{
    return with_direction(x, y, -1);
}

static struct sorted sort_key(const struct frame *f,
                              const struct frame_column *c, bool by_state,
                              uint32_t row)
{
    struct sorted k = {.number = NAN, .row = row};
    if (by_state)
        k.text = state_name((enum state)f->states[row]);
    else if (!c)
        k.number = (double)f->ids[row];
    else if (c->numbers)
        k.number = c->numbers[row];
    else if (c->codes[row])
        k.text = c->texts.p[c->codes[row] - 1];
    return k;
}

void frame_sort(const struct frame *f, struct str by, bool descending,
                uint32_t *rows, size_t count)
{
    const struct frame_column *c = frame_column(f, by);
    bool by_state = !c && str_is(by, "state");
    struct sorted *list = xmalloc((count ? count : 1) * sizeof(*list));
    for (size_t i = 0; i < count; i++)
        list[i] = sort_key(f, c, by_state, rows[i]);
    if (count)
        qsort(list, count, sizeof(*list), descending ? down : up);
    for (size_t i = 0; i < count; i++)
        rows[i] = list[i].row;
    free(list);
}
