/* command_bench.h - a scheduler's commands as small scripts, for the tests of
 * the places that speak to one
 *
 * The scripts lie first on PATH, in a folder where the test puts what they
 * answer and finds what they were asked. */
#ifndef THRONG_TESTS_ENGINE_COMMAND_BENCH_H
#define THRONG_TESTS_ENGINE_COMMAND_BENCH_H

#include "rig.h"
#include "terms/bundle.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct bench {
    struct rig rig;
    struct arena *arena;
    char *bin; /* where the commands and what they answer lie */
    char *path_was;
    bool (*until)(struct bench *b);
    struct value *site;
    struct log log;
    struct buf said; /* what was logged */
};

static char *in_bin(struct bench *b, const char *name)
{
    return path_join(b->arena, b->bin, name);
}

static void put(struct bench *b, const char *name, const char *text)
{
    assert_int_equal(file_write(in_bin(b, name), str_of(text), false, NULL), 0);
}

static const char *get(struct bench *b, const char *name)
{
    struct buf text;
    buf_init(&text);
    file_read(in_bin(b, name), 0, &text, NULL);
    char *s = arena_cstr(b->arena, buf_str(&text));
    buf_done(&text);
    return s;
}

static void command(struct bench *b, const char *name, const char *text)
{
    put(b, name,
        arena_printf(b->arena, "#!/bin/sh\ncd '%s'\n%s\n", b->bin, text));
    assert_int_equal(chmod(in_bin(b, name), 0755), 0);
}

static void on_log(void *context, enum log_level level, const char *text)
{
    struct bench *b = context;
    if (level >= LOG_NOTICE)
        buf_addf(&b->said, "%s\n", text);
}

/* The scheduler is asked again after so many seconds. */
static struct bench *bench_new(double look_s)
{
    struct bench *b = xcalloc(1, sizeof *b);
    b->arena = arena_new();
    buf_init(&b->said);
    rig_init(&b->rig);
    b->rig.context = b;
    b->site = value_object(b->arena);
    value_set(b->arena, b->site, STR("look"), value_double(b->arena, look_s));
    b->rig.site = b->site;
    b->log = (struct log){.write = on_log, .context = b, .least = LOG_NOTICE};
    b->rig.log = &b->log;
    b->bin = path_join(b->arena, b->rig.folder, "bin");
    assert_int_equal(dir_make(b->bin, NULL), 0);
    b->path_was = xstrdup(getenv("PATH"));
    setenv("PATH", arena_printf(b->arena, "%s:%s", b->bin, b->path_was), 1);
    return b;
}

static int close_bench(void **state)
{
    struct bench *b = *state;
    rig_done(&b->rig);
    setenv("PATH", b->path_was, 1);
    free(b->path_was);
    buf_done(&b->said);
    arena_free(b->arena);
    free(b);
    return 0;
}

static bool reached(struct rig *r)
{
    struct bench *b = r->context;
    return b->until(b);
}

static void run(struct bench *b, bool (*until)(struct bench *b))
{
    b->until = until;
    rig_look(&b->rig, true);
    rig_run(&b->rig, reached);
    rig_look(&b->rig, false);
}

/* What start k of the bundle whose files begin with this stem says. */
static void say_at(struct bench *b, const char *stem, uint32_t k,
                   const struct record *r)
{
    struct buf frame;
    int fd = open(bundle_said(stem, k, b->arena),
                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    buf_init(&frame);
    record_print(&frame, r);
    assert_int_equal(fd_write_all(fd, frame.p, frame.len, NULL), 0);
    buf_done(&frame);
    close(fd);
}

static void say_starting_at(struct bench *b, const char *stem, uint32_t k,
                            uint64_t task)
{
    struct record r = {
        .type = RECORD_STARTING, .task = task, .attempt = 1, .sequence = 1};
    say_at(b, stem, k, &r);
}

static void say_ended_at(struct bench *b, const char *stem, uint32_t k,
                         uint64_t task)
{
    struct record_ended e = {.outcome = OUTCOME_DONE, .seconds = 1};
    struct buf payload;
    buf_init(&payload);
    record_ended_print(&payload, &e);
    struct record r = {.type = RECORD_ENDED,
                       .task = task,
                       .attempt = 1,
                       .sequence = 2,
                       .payload = buf_str(&payload)};
    say_at(b, stem, k, &r);
    buf_done(&payload);
}

static bool is_submitted(struct bench *b)
{
    return file_exists(arena_printf(b->arena, "%s/jobs/1/job", b->rig.folder));
}

static void submit_to(struct bench *b, const char *place, uint64_t tasks)
{
    rig_open(&b->rig, place);
    for (uint64_t i = 1; i <= tasks; i++)
        rig_submit(&b->rig, i, 1, "true");
    run(b, is_submitted);
}

static bool one_over(struct bench *b)
{
    return b->rig.ended + b->rig.lost == 1;
}

static inline bool two_over(struct bench *b)
{
    return b->rig.ended + b->rig.lost == 2;
}

#endif
