/* summary.c - last, least and greatest of each metric of one trial */
#include "study/summary.h"

#include <math.h>
#include <stdlib.h>
#include "base/json.h"

void summary_clear(struct summary *s)
{
    for (size_t i = 0; i < s->list.len; i++)
        free(s->list.p[i].name);
    s->list.len = 0;
}

void summary_done(struct summary *s)
{
    summary_clear(s);
    vec_done(&s->list);
}

struct summary_entry *summary_find(const struct summary *s, struct str name)
{
    for (size_t i = 0; i < s->list.len; i++)
        if (str_is(name, s->list.p[i].name))
            return &s->list.p[i];
    return NULL;
}

static void begin(struct summary_entry *e, enum metric_source source)
{
    e->source = source;
    e->count = 0;
    e->step = -1;
    e->tangled = false;
    e->last = e->min = e->max = NAN;
}

struct summary_entry *summary_entry(struct summary *s, struct str name,
                                    enum metric_source source)
{
    struct summary_entry *e = summary_find(s, name);
    if (!e) {
        struct summary_entry fresh = {0};
        fresh.name = xmalloc(name.len + 1);
        memcpy(fresh.name, name.p, name.len);
        fresh.name[name.len] = 0;
        begin(&fresh, source);
        vec_push(&s->list, fresh);
        return &vec_last(&s->list);
    }
    if (source < e->source)
        return NULL;
    if (source > e->source)
        begin(e, source);
    return e;
}

int64_t summary_last_step(const struct summary *s)
{
    int64_t last = 0;
    for (size_t i = 0; i < s->list.len; i++)
        last = s->list.p[i].step > last ? s->list.p[i].step : last;
    return last;
}

bool summary_tangled(const struct summary *s)
{
    for (size_t i = 0; i < s->list.len; i++)
        if (s->list.p[i].tangled)
            return true;
    return false;
}

void summary_point(struct summary_entry *e, int64_t step, double value)
{
    e->tangled |= e->count && step <= e->step;
    e->count++;
    e->step = step;
    e->last = value;
    if (!isfinite(value)) /* no best value of anything */
        return;
    if (!(e->min <= value))
        e->min = value;
    if (!(e->max >= value))
        e->max = value;
}

static int by_name(const void *a, const void *b)
{
    const struct summary_entry *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void summary_print(struct buf *b, struct summary *s)
{
    if (s->list.len > 1)
        qsort(s->list.p, s->list.len, sizeof(s->list.p[0]), by_name);
    buf_addc(b, '{');
    for (size_t i = 0; i < s->list.len; i++) {
        const struct summary_entry *e = &s->list.p[i];
        if (i)
            buf_addc(b, ',');
        json_string(b, str_of(e->name));
        buf_adds(b, ":{\"last\":");
        json_number(b, e->last);
        buf_adds(b, ",\"min\":");
        json_number(b, e->min);
        buf_adds(b, ",\"max\":");
        json_number(b, e->max);
        buf_addf(b, ",\"step\":%lld,\"count\":%llu}", (long long)e->step,
                 (unsigned long long)e->count);
    }
    buf_addc(b, '}');
}

int summary_rebuild(struct summary *s, struct store *store, int64_t trial,
                    struct err *err)
{
    struct arena *a = arena_new();
    int rc = -1;
    const char **names = store_metric_names(store, trial, a, err);
    if (!names)
        goto out;
    summary_clear(s);
    for (; *names; names++) {
        struct series series;
        if (store_series(store, trial, *names, a, &series, err))
            goto out;
        if (!series.count) /* all of it was taken back */
            continue;
        struct summary_entry *e =
            summary_entry(s, str_of(*names), series.source);
        for (size_t i = 0; i < series.count; i++)
            summary_point(e, series.steps[i], series.values[i]);
    }
    rc = 0;
out:
    arena_free(a);
    return rc;
}
