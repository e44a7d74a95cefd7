/* rig.c - an engine with a loop around it, and a memory of what it said */
#include "rig.h"
#include "../given.h"
#include "engine/mark.h"
#include <stdio.h>
#include <unistd.h>

static void remember(struct rig *r, const struct seen *s)
{
    vec_push(&r->seen, *s);
    if (r->on_seen)
        r->on_seen(r, s);
}

static void note_points(struct rig *r, const struct record *rec)
{
    struct metric_reader reader;
    struct metric_column c;
    struct record_points p = {.batch = rec->payload};
    if (rec->type == RECORD_POINTS)
        assert_int_equal(record_points_parse(rec->payload, &p, NULL), 0);
    metric_reader_init(&reader, p.batch);
    while (metric_reader_next(&reader, &c) > 0) {
        r->points += c.count;
        if (c.count)
            r->last_value = metric_value(&c, c.count - 1);
    }
}

static void on_record(void *context, const struct record *rec)
{
    struct rig *r = context;
    struct seen s = {
        .type = rec->type, .task = rec->task, .attempt = rec->attempt};
    struct record_started started;
    struct str text = {0};
    if (rec->type == RECORD_ENDED) {
        assert_int_equal(record_ended_parse(rec->payload, &s.ended, NULL), 0);
        text = s.ended.reason;
        s.ended.reason = s.ended.tail = (struct str){0};
        r->ended++;
    } else if (rec->type == RECORD_STARTED) {
        assert_int_equal(record_started_parse(rec->payload, &started, NULL), 0);
        s.pid = started.pid;
    } else if (rec->type == RECORD_NOTICE) {
        text = rec->payload;
    } else if (rec->type == RECORD_METRICS || rec->type == RECORD_POINTS) {
        note_points(r, rec);
    }
    snprintf(s.text, sizeof s.text, "%.*s", STRF(text));
    remember(r, &s);
}

static void on_lost(void *context, uint64_t task, uint32_t attempt,
                    enum loss loss, uint32_t company, const char *reason)
{
    struct rig *r = context;
    struct seen s = {.type = RIG_LOST,
                     .task = task,
                     .attempt = attempt,
                     .started = company > 0,
                     .loss = loss,
                     .company = company};
    snprintf(s.text, sizeof s.text, "%s", reason);
    r->lost++;
    remember(r, &s);
}

static uint32_t on_again(void *context, uint64_t task, uint32_t attempt,
                         const struct again *how)
{
    struct rig *r = context;
    struct seen s = {.type = RIG_AGAIN,
                     .task = task,
                     .attempt = attempt,
                     .loss = how->loss,
                     .as = how->as,
                     .start = how->start};
    snprintf(s.text, sizeof s.text, "%s", how->reason);
    remember(r, &s);
    return r->numbers(r, &s);
}

static void on_fault(void *context, const struct err *err)
{
    struct rig *r = context;
    r->faults++;
    r->fault = *err;
}

static void on_idle(void *context)
{
    struct rig *r = context;
    r->idles++;
}

static void on_after(void *context)
{
    struct rig *r = context;
    if (r->until && r->until(r))
        loop_stop(r->loop);
}

static void on_guard(void *context)
{
    (void)context;
    fail_msg("the engine did not get there within 200 s");
}

static void on_look(void *context)
{
    struct rig *r = context;
    loop_timer_in(r->look, 0.01);
}

void rig_look(struct rig *r, bool on)
{
    if (on)
        loop_timer_in(r->look, 0.01);
    else
        loop_timer_off(r->look);
}

void rig_init(struct rig *r)
{
    struct err err = {0};
    *r = (struct rig){.arena = arena_new()};
    snprintf(r->folder, sizeof r->folder, "/tmp/throng-engine-XXXXXX");
    assert_non_null(mkdtemp(r->folder));
    snprintf(r->mark, sizeof r->mark, "THRONG_STORE=%d.task:%s", RIG_EPOCH,
             r->folder);
    r->machine = (struct machine){.cpus = 4, .memory_bytes = (uint64_t)8 << 30};
    r->loop = loop_new(&err);
    assert_non_null(r->loop);
    r->after = loop_after(r->loop, on_after, r);
    r->guard = loop_timer(r->loop, on_guard, r);
    r->look = loop_timer(r->loop, on_look, r);
}

void rig_done(struct rig *r)
{
    rig_close(r);
    loop_free(r->loop);
    vec_done(&r->seen);
    dir_remove(r->folder, NULL);
    arena_free(r->arena);
}

/* Place fake alone starts no program. */
static const char *worker_for(const struct rig *r, const char *place)
{
    bool pretends = strncmp(place, "fake", 4) == 0;
    return r->worker || pretends ? r->worker : given("ENGINE_STAND_IN");
}

void rig_open_only(struct rig *r, const char *place)
{
    struct err err = {0};
    struct engine_hooks hooks = {.context = r,
                                 .record = on_record,
                                 .lost = on_lost,
                                 .again = r->numbers ? on_again : NULL,
                                 .fault = on_fault,
                                 .idle = on_idle};
    struct engine_setup setup = {.place = place,
                                 .loop = r->loop,
                                 .machine = &r->machine,
                                 .parallel = r->parallel,
                                 .silence_s = r->silence_s,
                                 .worker = worker_for(r, place),
                                 .folder = r->folder,
                                 .name = "rig",
                                 .site = r->site,
                                 .travel = r->travel,
                                 .log = r->log};
    r->engine = engine_open(&setup, &hooks, &err);
    if (!r->engine)
        fail_msg("engine_open: %s", err.text);
}

void rig_open(struct rig *r, const char *place)
{
    rig_open_only(r, place);
    rig_start(r);
}

void rig_start(struct rig *r)
{
    struct err err = {0};
    if (engine_start(r->engine, RIG_EPOCH, &err))
        fail_msg("engine_start: %s", err.text);
}

int rig_recover(struct rig *r, const struct engine_left *left,
                engine_record_fn *apply, int (*commit)(void *context),
                void *context, struct err *err)
{
    rig_open_only(r, "local");
    int rc = engine_recover(r->engine, left, apply, commit, context, err);
    rig_close(r);
    return rc;
}

void rig_close(struct rig *r)
{
    engine_close(r->engine);
    r->engine = NULL;
}

void rig_task(struct rig *r, struct task *t, uint64_t id, uint32_t attempt,
              const char *command)
{
    struct str rest = arena_str(r->arena, str_of(command)), word;
    struct arg *argv = arena_array(r->arena, 64, sizeof *argv);
    size_t argc = 0;
    while (str_split(&rest, ' ', &word))
        argv[argc++] = (struct arg){ARG_TEXT, word};
    assert_true(argc <= 64);
    *t = (struct task){.id = id,
                       .attempt = attempt,
                       .kind = STR("command"),
                       .argv = argv,
                       .argc = argc,
                       .params = STR("{}"),
                       .study = STR("test"),
                       .grace_s = 1,
                       .output_max_bytes = 1 << 20};
    needs_init(&t->needs);
    t->folder = str_of(arena_printf(r->arena, "%s/trial-%llu", r->folder,
                                    (unsigned long long)id));
}

void rig_submit(struct rig *r, uint64_t id, uint32_t attempt,
                const char *command)
{
    struct task t;
    struct err err = {0};
    rig_task(r, &t, id, attempt, command);
    if (engine_submit(r->engine, &t, &err))
        fail_msg("engine_submit: %s", err.text);
}

void rig_run(struct rig *r, bool (*until)(struct rig *r))
{
    struct err err = {0};
    r->until = until;
    loop_timer_in(r->guard, 200);
    if (loop_run(r->loop, &err))
        fail_msg("loop_run: %s", err.text);
    loop_timer_off(r->guard);
    r->until = NULL;
}

bool rig_idle(struct rig *r)
{
    return r->idles > 0;
}

const struct seen *rig_find(const struct rig *r, unsigned type, uint64_t task)
{
    for (size_t i = 0; i < r->seen.len; i++)
        if (r->seen.p[i].type == type && r->seen.p[i].task == task)
            return &r->seen.p[i];
    return NULL;
}

size_t rig_count(const struct rig *r, unsigned type)
{
    size_t count = 0;
    for (size_t i = 0; i < r->seen.len; i++)
        count += r->seen.p[i].type == type;
    return count;
}

static size_t find_processes(const struct rig *r, pid_t *last)
{
    struct process_table t = {0};
    struct mark mark = {r->folder, RIG_EPOCH};
    size_t count = 0;
    assert_int_equal(process_table_read(&t, NULL), 0);
    for (size_t i = 0; i < t.rows.len; i++) {
        pid_t pid = t.rows.p[i].pid;
        if (t.rows.p[i].state == 'Z' || pid == getpid() ||
            !mark_role_of(pid, &mark))
            continue;
        *last = pid;
        count++;
    }
    process_table_done(&t);
    return count;
}

bool rig_has_env(pid_t pid, const char *assignment)
{
    char name[64];
    struct buf value;
    size_t len = strcspn(assignment, "=");
    assert_true(len < sizeof name);
    memcpy(name, assignment, len);
    name[len] = 0;
    buf_init(&value);
    bool has = process_env(pid, name, &value) &&
               strcmp(value.p, assignment + len + 1) == 0;
    buf_done(&value);
    return has;
}

size_t rig_processes(const struct rig *r)
{
    pid_t pid;
    return find_processes(r, &pid);
}

pid_t rig_process(const struct rig *r)
{
    pid_t pid = 0;
    find_processes(r, &pid);
    return pid;
}
