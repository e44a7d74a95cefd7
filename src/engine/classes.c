/* classes.c - the lengths of jobs that a site offers */
#include "engine/classes.h"

#include <math.h>

/* Of a job's time, for work whose length was measured: others may take longer
 * than those before them. */
#define TIME_USED 0.75
/* For the start of a job and the worker's last words. */
#define MARGIN_SECONDS 60.0

static uint32_t number_of(const struct value *v, const char *name)
{
    const struct value *n = value_get(v, str_of(name));
    return n && n->kind == VALUE_INT ? (uint32_t)n->i : 0;
}

static double fraction_of(const struct value *v, const char *name)
{
    const struct value *n = value_get(v, str_of(name));
    return value_is_number(n) ? value_number(n) : 0;
}

void classes_read(struct classes *c, const struct value *site, struct arena *a)
{
    const struct value *list = value_get(site, STR("classes"));
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->count;
         i++) {
        const struct value *v = list->items[i];
        const struct value *limit = value_get(v, STR("limit"));
        struct job_class one = {
            .name = arena_cstr(a, value_text(value_get(v, STR("name")))),
            .time_s = value_number(value_get(v, STR("time"))),
            .jobs = number_of(limit, "jobs"),
            .gpus = number_of(limit, "gpus"),
            .gpu_share = fraction_of(limit, "gpu_share"),
            .options = v};
        vec_push(&c->list, one);
    }
}

void classes_share(struct classes *c, uint32_t gpus)
{
    for (size_t i = 0; gpus && i < c->list.len; i++) {
        struct job_class *at = &c->list.p[i];
        uint32_t most = (uint32_t)fmax(1, floor(at->gpu_share * gpus));
        if (at->gpu_share > 0 && (!at->gpus || most < at->gpus))
            at->gpus = most;
    }
}

void classes_done(struct classes *c)
{
    vec_done(&c->list);
}

const struct job_class *classes_find(const struct classes *c, const char *name)
{
    for (size_t i = 0; i < c->list.len; i++)
        if (strcmp(c->list.p[i].name, name) == 0)
            return &c->list.p[i];
    return NULL;
}

bool classes_fit(const struct job_class *class, const struct class_work *w)
{
    if (w->saves)
        return true;
    if (w->seconds < 0)
        return false;
    if (w->limit)
        return w->seconds + w->lead_s + MARGIN_SECONDS <= class->time_s;
    return w->seconds <= (class->time_s - w->lead_s) * TIME_USED;
}

const struct job_class *classes_choose(const struct classes *c,
                                       const struct class_work *w)
{
    const struct job_class *longest = NULL;
    for (size_t i = 0; i < c->list.len; i++) {
        const struct job_class *at = &c->list.p[i];
        if (!w->saves && at->time_s <= w->had_s)
            continue;
        if (classes_fit(at, w))
            return at;
        longest = at;
    }
    return longest;
}

bool classes_limits(const struct job_class *class)
{
    return class->jobs || class->gpus;
}

uint32_t classes_left(const struct job_class *class,
                      const struct class_load *out, double gpus)
{
    double jobs = class->jobs ? (double)class->jobs - out->jobs : UINT32_MAX;
    if (class->gpus && gpus > 0) {
        double free = floor((class->gpus - out->gpus) / ceil(gpus));
        jobs = fmin(jobs, out->gpus > 0 ? free : fmax(1, free));
    }
    return jobs > 0 ? (uint32_t)fmin(jobs, UINT32_MAX) : 0;
}

static bool is_among(struct str list, struct str name)
{
    struct str item;
    while (list.len && str_split(&list, ',', &item))
        if (str_eq(item, name))
            return true;
    return false;
}

/* What the class says of it, or else the site: nothing means any. */
static bool is_as_said(const struct job_class *class, const struct value *site,
                       const char *key, struct str own)
{
    const struct value *said = value_get(class->options, str_of(key));
    struct str want = value_text(said ? said : value_get(site, str_of(key)));
    struct str one;
    if (!want.len)
        return true;
    while (want.len && str_split(&want, ',', &one))
        if (is_among(own, one))
            return true;
    return false;
}

const struct job_class *classes_of_job(const struct classes *c,
                                       const struct value *site,
                                       const struct queued_job *q)
{
    for (size_t i = 0; i < c->list.len; i++) {
        const struct job_class *at = &c->list.p[i];
        if (q->time_s <= at->time_s &&
            is_as_said(at, site, "partition", q->partition) &&
            is_as_said(at, site, "qos", q->qos))
            return at;
    }
    return NULL;
}

uint32_t classes_jobs(const struct job_class *class, double gpus)
{
    uint32_t jobs = class->jobs ? class->jobs : UINT32_MAX;
    if (class->gpus && gpus > 0)
        jobs = (uint32_t)fmin(jobs, fmax(1, floor(class->gpus / ceil(gpus))));
    return jobs;
}
