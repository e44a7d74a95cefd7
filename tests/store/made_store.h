/* made_store.h - a store in a folder of its own, for the tests here */
#ifndef THRONG_TESTS_STORE_MADE_STORE_H
#define THRONG_TESTS_STORE_MADE_STORE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "store/store.h"

struct made {
    char folder[128];
    struct store *s;
    struct arena *a;
    struct err err;
};

#define assert_ok(m, call)                                                     \
    do {                                                                       \
        if ((call) != 0)                                                       \
            fail_msg("%s: %s", #call, (m)->err.text);                          \
    } while (0)

static inline void made_folder(struct made *m)
{
    *m = (struct made){.a = arena_new()};
    snprintf(m->folder, sizeof m->folder, "/tmp/throng-store-XXXXXX");
    assert_non_null(mkdtemp(m->folder));
}

static inline void made_open(struct made *m)
{
    m->s = store_open(m->folder, true, &m->err);
    if (!m->s)
        fail_msg("store_open: %s", m->err.text);
    assert_ok(m, store_lease_take(m->s, false, &m->err));
}

static inline int made_setup(void **state)
{
    struct made *m = malloc(sizeof *m);
    made_folder(m);
    assert_ok(m, store_create(m->folder, &m->err));
    made_open(m);
    *state = m;
    return 0;
}

static inline int made_teardown(void **state)
{
    struct made *m = *state;
    store_close(m->s);
    dir_remove(m->folder, NULL);
    arena_free(m->a);
    free(m);
    return 0;
}

static inline void made_again(struct made *m)
{
    store_close(m->s);
    made_open(m);
}

static inline void made_commit(struct made *m)
{
    assert_ok(m, store_commit(m->s, &m->err));
}

/* Adds a trial and brings it to a state with an objective. */
static inline void made_trial(struct made *m, int64_t id, const char *point,
                              enum state state, double value)
{
    struct trial t = {.id = id,
                      .point = str_of(point),
                      .parent = -1,
                      .group = id - 1,
                      .created = 1000 + (double)id};
    assert_ok(m, store_trial_add(m->s, &t, &m->err));
    t.state = state;
    t.value = value;
    t.attempts = 1;
    if (state != STATE_WAITING)
        assert_ok(m, store_trial_update(m->s, &t, &m->err));
}

static inline void made_summary(struct made *m, int64_t id, const char *summary,
                                const char *reason)
{
    struct trial t;
    assert_ok(m, store_trial(m->s, id, m->a, &t, &m->err));
    t.summary = str_of(summary);
    t.reason = str_of(reason);
    assert_ok(m, store_trial_update(m->s, &t, &m->err));
}

/* The numbers of the trials that a query gives, as "3 1 2". */
static inline const char *made_rows(struct made *m, struct store *s,
                                    const struct query *q)
{
    struct buf b;
    buf_init(&b);
    struct rows *r = store_rows(s, q, &m->err);
    if (!r)
        fail_msg("store_rows: %s", m->err.text);
    struct trial t;
    int row;
    while ((row = rows_next(r, &t, &m->err)) == 1)
        buf_addf(&b, b.len ? " %lld" : "%lld", (long long)t.id);
    assert_int_equal(row, 0);
    rows_close(r);
    const char *text = arena_cstr(m->a, buf_str(&b));
    buf_done(&b);
    return text;
}

static inline int made_points(struct made *m, int64_t trial, uint32_t attempt,
                              const char *name, enum metric_source source,
                              const int64_t *steps, const double *values,
                              size_t count)
{
    struct metric_column c = {.source = source,
                              .count = count,
                              .steps = (const unsigned char *)steps,
                              .values = (const unsigned char *)values};
    return store_metrics_add(m->s, trial, attempt, str_of(name), &c, &m->err);
}

#endif
