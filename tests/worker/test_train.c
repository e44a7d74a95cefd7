/* test_train.c - a trainer process, over its socket */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "sys/sys.h"
#include "terms/record.h"
#include "terms/task.h"

static char folder[] = "/tmp/throng-train-XXXXXX";

static void send_task(int fd, uint64_t id, int units, const char *device)
{
    char model[512];
    struct buf payload, bytes;
    snprintf(model, sizeof model,
             "{\"layers\": [{\"dense\": %d}, {\"dense\": 2}], \"loss\": "
             "\"sparse_categorical_crossentropy\", \"epochs\": 1, "
             "\"batch_size\": 1, \"data\": {\"file\": \"t.csv\"}}",
             units);
    struct task t = {.id = id,
                     .attempt = 1,
                     .kind = STR("train"),
                     .workdir = str_of(folder),
                     .folder = str_of(folder),
                     .model = str_of(model),
                     .device = str_of(device)};
    buf_init(&payload);
    buf_init(&bytes);
    task_print(&payload, &t);
    struct record r = {.type = RECORD_TASK,
                       .attempt = 1,
                       .task = id,
                       .payload = buf_str(&payload)};
    record_print(&bytes, &r);
    assert_int_equal(fd_write_all(fd, bytes.p, bytes.len, NULL), 0);
    buf_done(&payload);
    buf_done(&bytes);
}

/* Reads until `wanted` tasks have ended; false when nothing more comes. What
 * the last one ended with is put into `last`, where that is given. */
static bool ends(int fd, size_t wanted, struct buf *last)
{
    struct buf in;
    struct record r;
    char part[4096];
    size_t ended = 0, used;
    ssize_t got;
    buf_init(&in);
    while (ended < wanted && (got = read(fd, part, sizeof part)) > 0) {
        buf_add(&in, part, (size_t)got);
        while (record_parse(buf_str(&in), &r, &used, NULL) > 0) {
            ended += r.type == RECORD_ENDED;
            if (last && r.type == RECORD_ENDED)
                buf_addstr(last, r.payload);
            buf_drop(&in, used);
        }
    }
    buf_done(&in);
    return ended == wanted;
}

struct trainer {
    int fd;
    struct process_id id;
};

static void trainer_start(struct trainer *t)
{
    int pair[2];
    char number[16];
    struct timeval patience = {.tv_sec = 60};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair),
                     0);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    snprintf(number, sizeof number, "%d", pair[1]);
    const char *argv[] = {getenv("THRONG_WORKER"), "--trainer", number, NULL};
    struct spawn s = {
        .argv = argv, .in = -1, .out = -1, .err = 2, .keep_fd = pair[1]};
    assert_int_equal(process_spawn(&s, &t->id, NULL), 0);
    close(pair[1]);
    t->fd = pair[0];
}

static void trainer_end(struct trainer *t)
{
    close(t->fd);
    waitpid(t->id.pid, NULL, 0);
}

static int make_rows(void **state)
{
    char path[64];
    struct buf rows;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.csv", folder);
    buf_init(&rows);
    for (int i = 0; i < 2000; i++)
        buf_addf(&rows, "%d,%d\n", i % 7, i % 2);
    assert_int_equal(file_write(path, buf_str(&rows), false, NULL), 0);
    buf_done(&rows);
    return 0;
}

static int remove_rows(void **state)
{
    (void)state;
    dir_remove(folder, NULL);
    return 0;
}

/* Whether the second task really comes in the middle of the first one's only
 * epoch depends on the machine; what is expected does not. */
static void a_task_that_comes_in_the_last_epoch_is_trained(void **state)
{
    struct trainer t;
    (void)state;
    trainer_start(&t);
    send_task(t.fd, 1, 30000, "");
    usleep(100000);
    send_task(t.fd, 2, 3, "cpu");
    assert_true(ends(t.fd, 2, NULL));
    trainer_end(&t);
}

static void a_device_that_is_not_there_is_not_replaced_in_silence(void **state)
{
    struct trainer t;
    struct buf last;
    struct record_ended e;
    (void)state;
    buf_init(&last);
    trainer_start(&t);
    send_task(t.fd, 1, 3, "gpu");
    assert_true(ends(t.fd, 1, &last));
    assert_int_equal(record_ended_parse(buf_str(&last), &e, NULL), 0);
    assert_int_equal(e.outcome, OUTCOME_INVALID);
    assert_true(str_is(e.reason, "there is no device gpu; use cpu, portable or "
                                 "reference"));
    trainer_end(&t);
    buf_done(&last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_that_comes_in_the_last_epoch_is_trained),
        cmocka_unit_test(a_device_that_is_not_there_is_not_replaced_in_silence),
    };
    return cmocka_run_group_tests(tests, make_rows, remove_rows);
}
