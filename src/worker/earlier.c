/* earlier.c - what earlier starts of a job have said of a bundle's tasks
 *
 * An earlier start may still live, on a node that the scheduler has lost sight
 * of. So nothing that it has is written to, and its folders are only copied.
 * Which of its folders is the newest is seen by which are there: one gets its
 * name when all of it is (inherit.c). In a sandbox (sandbox.h) all of them are
 * dead: a folder changes its name there, as copies would pile up in what is
 * sent. */
#include "worker/earlier.h"

#include <stdio.h>
#include "base/vec.h"
#include "sys/sys.h"
#include "terms/bundle.h"
#include "terms/metric.h"

struct known {
    bool ended;
    bool read; /* it was said how far its files were read */
    bool anew; /* one began anew: what was known before it is void */
    uint64_t metrics_at, log_at;
    VEC(struct task_step) steps;
    VEC(struct earlier_point) points; /* in a sandbox alone */
};

void earlier_init(struct earlier *e)
{
    *e = (struct earlier){.arena = arena_new(), .tasks = idmap_new()};
}

void earlier_done(struct earlier *e)
{
    uint64_t id;
    void *known;
    if (!e->arena)
        return;
    for (size_t at = 0; idmap_next(e->tasks, &at, &id, &known);) {
        vec_done(&((struct known *)known)->steps);
        vec_done(&((struct known *)known)->points);
    }
    idmap_free(e->tasks);
    arena_free(e->arena);
}

static struct known *known_of(struct earlier *e, uint64_t task)
{
    struct known *k = idmap_get(e->tasks, task);
    if (!k) {
        k = arena_new_of(e->arena, struct known);
        *k = (struct known){0};
        idmap_set(e->tasks, task, k);
    }
    return k;
}

static void note_step(struct earlier *e, struct known *k, struct str name,
                      int64_t next)
{
    for (size_t i = 0; i < k->steps.len; i++) {
        if (!str_eq(k->steps.p[i].name, name))
            continue;
        if (k->steps.p[i].next < next)
            k->steps.p[i].next = next;
        return;
    }
    struct task_step step = {arena_str(e->arena, name), next};
    vec_push(&k->steps, step);
}

/* Where nobody else hears them, a rule has to know of them. */
static void note_points(struct earlier *e, struct known *k,
                        const struct metric_column *c)
{
    struct str name = arena_str(e->arena, c->name);
    for (size_t i = 0; e->moves && i < c->count; i++) {
        struct earlier_point p = {name, metric_step(c, i), metric_value(c, i)};
        vec_push(&k->points, p);
    }
}

static void take_batch(struct earlier *e, struct known *k, struct str batch)
{
    struct metric_reader reader;
    struct metric_column c;
    metric_reader_init(&reader, batch);
    while (metric_reader_next(&reader, &c) > 0) {
        note_points(e, k, &c);
        for (size_t i = 0; i < c.count; i++)
            if (metric_step(&c, i) < INT64_MAX)
                note_step(e, k, c.name, metric_step(&c, i) + 1);
    }
}

static void take(struct earlier *e, const struct record *r)
{
    struct record_points points;
    struct known *k = known_of(e, r->task);
    if (r->type == RECORD_ENDED)
        k->ended = true;
    if (r->type == RECORD_ANEW) {
        k->anew = true;
        k->metrics_at = 0;
        k->steps.len = k->points.len = 0;
    }
    if (r->type == RECORD_METRICS)
        take_batch(e, k, r->payload);
    if (r->type == RECORD_POINTS &&
        record_points_parse(r->payload, &points, NULL) == 0) {
        k->read = true;
        k->metrics_at = points.metrics_at;
        k->log_at = points.log_at;
        take_batch(e, k, points.batch);
    }
}

void earlier_take(struct earlier *e, struct str said, const char *path,
                  const struct log *log)
{
    struct err err = {0};
    struct record r;
    size_t used;
    int got = 0;
    while (said.len > 0 && (got = bundle_next(said, &r, &used, &err)) > 0) {
        if (record_is_of_task(&r))
            take(e, &r);
        said = str_n(said.p + used, said.len - used);
    }
    if (got < 0)
        log_to(log, LOG_WARN,
               "%s: %s; the %zu bytes from there on are not believed", path,
               err.text, said.len);
}

static void read_one(struct earlier *e, const char *path, const struct log *log)
{
    struct buf text;
    struct err err = {0};
    buf_init(&text);
    if (file_exists(path) && file_read(path, 0, &text, &err) != 0)
        log_to(log, LOG_WARN, "what an earlier start has said is unknown: %s",
               err.text);
    earlier_take(e, buf_str(&text), path, log);
    buf_done(&text);
}

void earlier_read(struct earlier *e, const char *stem, uint32_t starts,
                  const struct log *log)
{
    e->starts = starts;
    for (uint32_t k = 0; k < starts; k++)
        read_one(e, bundle_said(stem, k, e->arena), log);
}

bool earlier_ended(const struct earlier *e, uint64_t task)
{
    const struct known *k = idmap_get(e->tasks, task);
    return k && k->ended;
}

const struct earlier_point *earlier_points(const struct earlier *e,
                                           uint64_t task, size_t *count)
{
    const struct known *k = idmap_get(e->tasks, task);
    *count = k ? k->points.len : 0;
    return k ? k->points.p : NULL;
}

/* The folder of the newest start that has one, else the one that the bundle
 * gives the task, else what that was to begin as. */
static struct str newest_folder(const struct earlier *e, const struct task *t,
                                struct arena *a)
{
    struct record name = {.task = t->id, .attempt = t->attempt};
    for (uint32_t k = e->starts; k > 1; k--) {
        const char *folder = bundle_folder(t->folder, &name, k - 1, a);
        if (file_is_dir(folder))
            return str_of(folder);
    }
    bool given = t->copy_of.len == 0 || file_is_dir(arena_cstr(a, t->folder));
    return given ? t->folder : t->copy_of;
}

/* What the conductor knew when it wrote the bundle, and what was said since. */
static void go_on_behind(struct task *t, const struct known *k, struct arena *a)
{
    struct task_step *steps =
        arena_array(a, t->step_count + k->steps.len + 1, sizeof *steps);
    if (k->anew) {
        t->anew = t->attempt;
        t->step_count = 0;
        t->metrics_at = 0;
    }
    size_t count = t->step_count;
    if (count > 0)
        memcpy(steps, t->steps, count * sizeof *steps);
    for (size_t i = 0; i < k->steps.len; i++) {
        size_t at = 0;
        while (at < t->step_count &&
               !str_eq(steps[at].name, k->steps.p[i].name))
            at++;
        if (at == t->step_count)
            steps[count++] = k->steps.p[i];
        else if (steps[at].next < k->steps.p[i].next)
            steps[at].next = k->steps.p[i].next;
    }
    t->steps = steps;
    t->step_count = count;
    for (size_t i = 0; t->unheard && i < k->steps.len; i++)
        if (t->unheard < k->steps.p[i].next)
            t->unheard = k->steps.p[i].next;
    if (k->read) {
        t->metrics_at = k->metrics_at;
        t->log_at = k->log_at;
    }
}

/* True when it has another name now. */
static bool move(struct str from, struct str to, struct arena *a)
{
    return rename(arena_cstr(a, from), arena_cstr(a, to)) == 0;
}

void earlier_go_on(const struct earlier *e, struct task *t, struct arena *a)
{
    struct record name = {.task = t->id, .attempt = t->attempt};
    const struct known *k = idmap_get(e->tasks, t->id);
    if (e->starts == 0)
        return;
    struct str from = newest_folder(e, t, a);
    bool theirs = !str_eq(from, t->copy_of);
    t->folder = str_of(bundle_folder(t->folder, &name, e->starts, a));
    /* What was moved is the copy already, and is found where it belongs. */
    bool moved = e->moves && theirs && move(from, t->folder, a);
    t->copy_of = moved ? t->folder : from;
    if (k)
        go_on_behind(t, k, a);
}
