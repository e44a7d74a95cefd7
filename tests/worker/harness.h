/* harness.h - a real throng-worker at the other end of a socket pair */
#ifndef THRONG_TESTS_WORKER_HARNESS_H
#define THRONG_TESTS_WORKER_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "../given.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "sys/sys.h"
#include "terms/metric.h"
#include "terms/record.h"
#include "terms/room.h"
#include "terms/task.h"

#define MARK "THRONG_STORE=/nowhere/at/all"

struct got {
    enum record_type type;
    uint64_t task;
    uint32_t attempt;
    struct str payload;
};
/* One worker and the conductor's end of its socket. */
struct bench {
    struct arena *arena;
    char folder[64]; /* temporary; removed at the end */
    char *last_words;
    const char *answers_in; /* of a bundle, in `folder`; NULL: there itself */
    int fd;
    pid_t pid;
    int exit_status;
    struct buf in;
    VEC(struct got) records; /* all that came */
    bool eof;
};

/* Group setup and teardown of a test: *state is a struct bench. */
int bench_setup(void **state);
int bench_teardown(void **state);

/* Starts the worker with this room; tests that do not care call
 * bench_start(b, NULL): 2 cpus, 1 GiB, 2 tasks at once. */
void bench_start(struct bench *b, const char *room);
/* Closes the socket, as a conductor that dies does. */
void bench_hang_up(struct bench *b);
/* Waits for the worker's exit. */
int bench_wait(struct bench *b);

/* A task that runs the script with /bin/sh, in its own folder. */
struct task bench_shell(struct bench *b, uint64_t id, const char *script);
/* A task with this argument vector, ended by NULL. */
struct task bench_command(struct bench *b, uint64_t id,
                          const char *const *argv);
/* A training of so many epochs, far too many to end by itself in a test when
 * they are a million. */
struct task bench_training(struct bench *b, uint64_t id, int epochs);
/* Path in the folder of a task. */
char *bench_path(struct bench *b, uint64_t id, const char *name);
/* The text of a file; fails the test when it is not there. */
char *bench_file(struct bench *b, const char *path);
/* Waits until the file is there and not empty, and returns its text. */
char *bench_await_file(struct bench *b, const char *path);

void bench_send(struct bench *b, enum record_type type, const struct task *t,
                struct str payload);
void bench_submit(struct bench *b, const struct task *t);
void bench_ack(struct bench *b, uint64_t count);

/* Waits for the first record of this type about the task (any task when id
 * is UINT64_MAX). Fails after a minute. */
struct got *bench_await(struct bench *b, enum record_type type, uint64_t id);
struct record_ended bench_ended(struct bench *b, uint64_t id);
/* Submits and waits for the end. */
struct record_ended bench_run(struct bench *b, const struct task *t);
/* How many records of a type there are about a task. */
size_t bench_count(struct bench *b, enum record_type type, uint64_t id);
/* Waits until there are more than `count`. */
void bench_await_more(struct bench *b, enum record_type type, uint64_t id,
                      size_t count);

/* The values of a metric of a task, in order, as "step:value step:value". */
/* METRICS and POINTS hold a batch. */
bool bench_is_metrics(const struct got *g);
struct str bench_batch(const struct got *g);
char *bench_metric(struct bench *b, uint64_t id, const char *name);
/* Reads the last words, into records. */
void bench_read_last_words(struct bench *b);
void bench_read_records(struct bench *b, struct str text);
/* True when the process is gone within these seconds. */
bool bench_gone(pid_t pid, double seconds);

#define with_bench(f)                                                          \
    cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)

#define assert_contains(text, part)                                            \
    assert_contains_at((text), (part), __FILE__, __LINE__)
void assert_contains_at(const char *text, const char *part, const char *file,
                        int line);
/* A C string of a str that lives as long as the bench. */
char *bench_cstr(struct bench *b, struct str s);

#endif
