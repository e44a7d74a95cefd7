/* job.c - a real throng-worker that runs a bundle, as a scheduler's job */
#include "job.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include "terms/bundle.h"

#define PATIENCE_NS (60 * 1000000000ll)

char *job_file(struct bench *b, const char *name)
{
    return path_join(b->arena, b->folder, name);
}

char *job_said(struct bench *b, uint32_t start)
{
    const char *stem =
        b->answers_in ? path_join(b->arena, b->answers_in, "7") : "7";
    return bundle_said(job_file(b, stem), start, b->arena);
}

void job_write(struct bench *b, const struct task *tasks, size_t count)
{
    struct buf out, text;
    struct err err = {0};
    buf_init(&out);
    buf_init(&text);
    for (size_t i = 0; i < count; i++) {
        buf_reset(&text);
        task_print(&text, &tasks[i]);
        struct record r = {.type = RECORD_TASK,
                           .task = tasks[i].id,
                           .attempt = tasks[i].attempt,
                           .payload = buf_str(&text)};
        record_print(&out, &r);
    }
    if (file_write(job_file(b, "7.tasks"), buf_str(&out), false, &err) != 0)
        fail_msg("%s", err.text);
    buf_done(&text);
    buf_done(&out);
}

struct str job_append(struct bench *b, const char *path, const struct record *r,
                      size_t cut)
{
    struct buf out;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    buf_init(&out);
    record_print(&out, r);
    struct str whole = arena_str(b->arena, buf_str(&out));
    buf_done(&out);
    assert_int_equal(fd_write_all(fd, whole.p, whole.len - cut, NULL), 0);
    close(fd);
    return whole;
}

void job_ask(struct bench *b, enum record_type type, uint64_t task,
             struct str payload)
{
    struct record r = {
        .type = type, .task = task, .attempt = 1, .payload = payload};
    job_append(b, job_file(b, "7.asked"), &r, 0);
}

void job_start(struct bench *b, uint32_t start, const char *const *options,
               const char *const *env)
{
    const char *argv[32] = {given("THRONG_WORKER"),
                            "--bundle",
                            job_file(b, "7.tasks"),
                            "--start",
                            arena_printf(b->arena, "%u", start),
                            "--mark",
                            MARK};
    size_t argc = 7;
    struct process_id id;
    struct err err = {0};
    for (; options && *options; options++)
        argv[argc++] = *options;
    int log = open(job_file(b, "7.log"),
                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct spawn s = {.argv = argv,
                      .env = env,
                      .cwd = b->folder,
                      .in = -1,
                      .out = log,
                      .err = log,
                      .keep_fd = -1};
    if (process_spawn(&s, &id, &err) != 0)
        fail_msg("%s", err.text);
    close(log);
    b->pid = id.pid;
}

int job_wait(struct bench *b)
{
    int status = bench_wait(b);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int job_run(struct bench *b, uint32_t start)
{
    const char *options[] = {"--room", JOB_ROOM, NULL};
    job_start(b, start, options, NULL);
    return job_wait(b);
}

void job_hear(struct bench *b, uint32_t start)
{
    struct buf text;
    struct record r;
    size_t used;
    buf_init(&text);
    b->records.len = 0;
    if (file_exists(job_said(b, start)))
        file_read(job_said(b, start), 0, &text, NULL);
    struct str rest = buf_str(&text);
    while (bundle_next(rest, &r, &used, NULL) > 0) {
        bench_read_records(b, str_n(rest.p, used));
        rest = str_n(rest.p + used, rest.len - used);
    }
    buf_done(&text);
}

void job_await(struct bench *b, uint32_t start, enum record_type type,
               uint64_t task)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    int64_t end = clock_mono_ns() + PATIENCE_NS;
    for (;;) {
        job_hear(b, start);
        if (bench_count(b, type, task) > 0)
            return;
        if (clock_mono_ns() > end)
            fail_msg("no record of type %d about task %llu came", type,
                     (unsigned long long)task);
        nanosleep(&pause, NULL);
    }
}

enum outcome job_outcome(struct bench *b, uint64_t task)
{
    if (bench_count(b, RECORD_ENDED, task) == 0)
        return OUTCOME_NONE;
    return bench_ended(b, task).outcome;
}
