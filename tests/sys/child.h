/* child.h - child processes in tests */
#ifndef THRONG_TESTS_SYS_CHILD_H
#define THRONG_TESTS_SYS_CHILD_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include "scratch.h"

#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A wish for the given program with nothing unusual about it. */
static inline struct spawn child_plain(const char *const *argv)
{
    return (struct spawn){
        .argv = argv, .in = -1, .out = -1, .err = -1, .keep_fd = -1};
}

static inline struct process_id child_start(const struct spawn *s)
{
    struct err err = {0};
    struct process_id id = {0};
    if (process_spawn(s, &id, &err) < 0)
        fail_msg("%s", err.text);
    return id;
}

static inline int child_wait(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Starts s with its standard output in a pipe and returns all of it, in the
 * arena; *status is the status of its end. */
static inline char *child_output(struct scratch *scratch, struct spawn s,
                                 int *status)
{
    int ends[2];
    struct buf b;
    char block[4096];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    s.out = ends[1];
    struct process_id id = child_start(&s);
    close(ends[1]);
    buf_init(&b);
    for (ssize_t n; (n = read(ends[0], block, sizeof(block))) > 0;)
        buf_add(&b, block, (size_t)n);
    close(ends[0]);
    int ended = child_wait(id.pid);
    if (status)
        *status = ended;
    char *text = arena_cstr(scratch->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* A cat that has started for sure and runs until its input is closed. */
struct child_cat {
    struct process_id id;
    int to, from;
};

static inline struct child_cat child_cat_start(struct spawn s)
{
    int in[2], out[2];
    char c = 0;
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    s.in = in[0];
    s.out = out[1];
    struct child_cat cat = {.id = child_start(&s), .to = in[1], .from = out[0]};
    close(in[0]);
    close(out[1]);
    assert_int_equal(write(cat.to, "x", 1), 1);
    assert_int_equal(read(cat.from, &c, 1), 1);
    assert_int_equal(c, 'x');
    return cat;
}

static inline void child_cat_end(struct child_cat *cat)
{
    close(cat->to);
    close(cat->from);
    assert_int_equal(child_wait(cat->id.pid), 0);
}

/* True as soon as the process is gone; false when it is still there after a
 * time that no sane machine needs. */
static inline bool child_gone(struct process_id id)
{
    for (int i = 0; i < 20000; i++) {
        if (!process_alive(id))
            return true;
        usleep(1000);
    }
    return false;
}

#endif
