/* slurm_bench.h - Slurm's commands as small scripts, for the tests of its place
 */
#ifndef THRONG_TESTS_ENGINE_SLURM_BENCH_H
#define THRONG_TESTS_ENGINE_SLURM_BENCH_H

#include "rig.h"
#include "base/json.h"
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

static int open_bench(void **state)
{
    struct bench *b = xcalloc(1, sizeof *b);
    b->arena = arena_new();
    rig_init(&b->rig);
    b->rig.context = b;
    struct value *site = value_object(b->arena);
    value_set(b->arena, site, STR("look"), value_double(b->arena, 0.1));
    b->rig.site = site;
    b->bin = path_join(b->arena, b->rig.folder, "bin");
    assert_int_equal(dir_make(b->bin, NULL), 0);
    b->path_was = xstrdup(getenv("PATH"));
    setenv("PATH", arena_printf(b->arena, "%s:%s", b->bin, b->path_was), 1);
    command(b, "scontrol",
            "[ $1 = update ] && echo \"$@\" >>updated\n"
            "echo 'MaxArraySize = 1001'; echo 'KillWait = 3 sec'; "
            "echo 'AccountingStorageType = "
            "accounting_storage/slurmdbd'");
    command(b, "sinfo",
            "echo 'n0|4|4000|gpu:2|idle|main*'; "
            "echo 'n1|4|4000|gpu:2|idle|main*'");
    command(b, "sbatch",
            "echo x >>submits\n[ -e refuse ] && { cat refuse >&2; exit 1; }\n"
            "n=$(($(cat job 2>/dev/null || echo 6) + 1)); echo $n >job\n"
            "echo $n");
    command(b, "squeue",
            "case \"$*\" in *--name=*) cat found 2>/dev/null; exit 0;; esac\n"
            "echo x >>looks\n[ -e slow ] && sleep 0.4\n[ -e fail ] && { cat "
            "fail >&2; exit 1; }\n"
            "cat queue 2>/dev/null; exit 0");
    command(b, "scancel", "echo \"$@\" >>cancelled");
    command(b, "sacct", "cat account 2>/dev/null; exit 0");
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *b = *state;
    rig_done(&b->rig);
    setenv("PATH", b->path_was, 1);
    free(b->path_was);
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

/* What start k of bundle i of a submission says. */
static void say(struct bench *b, const char *bundle, uint32_t k,
                const struct record *r)
{
    struct buf frame;
    char *stem = arena_printf(b->arena, "%s/jobs/%s", b->rig.folder, bundle);
    int fd = open(bundle_said(stem, k, b->arena),
                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    buf_init(&frame);
    record_print(&frame, r);
    assert_int_equal(fd_write_all(fd, frame.p, frame.len, NULL), 0);
    buf_done(&frame);
    close(fd);
}

static void say_starting(struct bench *b, const char *bundle, uint32_t k,
                         uint64_t task)
{
    struct record r = {
        .type = RECORD_STARTING, .task = task, .attempt = 1, .sequence = 1};
    say(b, bundle, k, &r);
}

static void say_ended(struct bench *b, const char *bundle, uint32_t k,
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
    say(b, bundle, k, &r);
    buf_done(&payload);
}

static bool is_submitted(struct bench *b)
{
    return file_exists(arena_printf(b->arena, "%s/jobs/1/job", b->rig.folder));
}

static void submit(struct bench *b, uint64_t tasks)
{
    rig_open(&b->rig, "slurm");
    for (uint64_t i = 1; i <= tasks; i++)
        rig_submit(&b->rig, i, 1, "true");
    run(b, is_submitted);
}

static bool one_started(struct bench *b)
{
    return rig_count(&b->rig, RECORD_STARTING) == 1;
}

static bool one_over(struct bench *b)
{
    return b->rig.ended + b->rig.lost == 1;
}

static bool two_over(struct bench *b)
{
    return b->rig.ended + b->rig.lost == 2;
}

/* Two more good answers than there were. */
static size_t looks_before;
static size_t looks(struct bench *b)
{
    return strlen(get(b, "looks")) / 2;
}

static bool looked_thrice_more(struct bench *b)
{
    return looks(b) >= looks_before + 3;
}

static void look_thrice(struct bench *b)
{
    looks_before = looks(b);
    run(b, looked_thrice_more);
}

#endif
