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

#include "../given.h"

#include "sys/sys.h"
#include "terms/device.h"
#include "terms/record.h"
#include "terms/task.h"

static char folder[] = "/tmp/throng-train-XXXXXX";

static const char *model_of(char (*text)[512], int units, const char *rows)
{
    snprintf(*text, sizeof *text,
             "{\"layers\": [{\"dense\": %d}, {\"dense\": 2}], \"loss\": "
             "\"sparse_categorical_crossentropy\", \"epochs\": 1, "
             "\"batch_size\": 1, \"data\": {\"file\": \"%s\"}}",
             units, rows);
    return *text;
}

static void add_record(struct buf *b, enum record_type type, uint64_t id,
                       struct str payload)
{
    struct record r = {
        .type = type, .attempt = 1, .task = id, .payload = payload};
    record_print(b, &r);
}

static void add_task(struct buf *b, struct task *t)
{
    struct buf payload;
    t->attempt = 1;
    t->workdir = t->folder = str_of(folder);
    buf_init(&payload);
    task_print(&payload, t);
    add_record(b, RECORD_TASK, t->id, buf_str(&payload));
    buf_done(&payload);
}

/* All of it at once. */
static void send_all(int fd, struct buf *bytes)
{
    assert_int_equal(fd_write_all(fd, bytes->p, bytes->len, NULL), 0);
    buf_done(bytes);
}

static void send_task(int fd, uint64_t id, int units, const char *device)
{
    char model[512];
    struct buf bytes;
    struct task t = {.id = id,
                     .kind = STR("train"),
                     .model = str_of(model_of(&model, units, "t.csv")),
                     .device = str_of(device)};
    buf_init(&bytes);
    add_task(&bytes, &t);
    send_all(fd, &bytes);
}

/* Reads until `wanted` tasks have ended; false when nothing more comes. What
 * the last one ended with is put into `last`, and who the first was is told,
 * where that is asked for. */
static bool ends_first(int fd, size_t wanted, struct buf *last, uint64_t *first)
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
            if (first && r.type == RECORD_ENDED && !ended)
                *first = r.task;
            ended += r.type == RECORD_ENDED;
            if (last && r.type == RECORD_ENDED)
                buf_addstr(last, r.payload);
            buf_drop(&in, used);
        }
    }
    buf_done(&in);
    return ended == wanted;
}

static bool ends(int fd, size_t wanted, struct buf *last)
{
    return ends_first(fd, wanted, last, NULL);
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
    const char *argv[] = {given("THRONG_WORKER"), "--trainer", number, NULL};
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

static void write_rows(const char *name, int count)
{
    char path[64];
    struct buf rows;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    buf_init(&rows);
    for (int i = 0; i < count; i++)
        buf_addf(&rows, "%d,%d\n", i % 7, i % 2);
    assert_int_equal(file_write(path, buf_str(&rows), false, NULL), 0);
    buf_done(&rows);
}

static int make_rows(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    write_rows("t.csv", 2000);
    write_rows("long.csv", 200000);
    write_rows("short.csv", 10);
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
    assert_true(str_is(
        e.reason,
        "there is no device gpu (did you mean cuda?); use " DEVICE_NAMES));
    trainer_end(&t);
    buf_done(&last);
}

/* ---- inference ---------------------------------------------------------- */

enum { UNITS = 30000 }; /* 200,000 rows take a while */

static const char *weights_path(char (*path)[96])
{
    snprintf(*path, sizeof *path, "%s/output/weights.safetensors", folder);
    return *path;
}

static void add_prediction(struct buf *b, uint64_t id, const char *rows)
{
    char model[512], path[96];
    struct task t = {.id = id,
                     .kind = STR("infer"),
                     .model = str_of(model_of(&model, UNITS, rows)),
                     .weights = str_of(weights_path(&path)),
                     .predictions = true,
                     .new_rows = true};
    add_task(b, &t);
}

/* A trainer, and the weights of a model that it has trained. */
static void start_with_weights(struct trainer *t)
{
    char path[96];
    trainer_start(t);
    send_task(t->fd, 1, UNITS, "");
    assert_true(ends(t->fd, 1, NULL));
    assert_true(file_exists(weights_path(&path)));
}

/* The largest file of predictions, whole or not; -1: there is none. */
static int64_t predicted_bytes(void)
{
    struct arena *a = arena_new();
    const char *output = path_join(a, folder, "output");
    const char **names = dir_list(output, a, NULL);
    int64_t most = -1;
    for (size_t i = 0; names && names[i]; i++) {
        int64_t bytes = (int64_t)file_bytes(path_join(a, output, names[i]));
        bool other = strcmp(names[i], "weights.safetensors") == 0;
        most = !other && bytes > most ? bytes : most;
    }
    arena_free(a);
    return most;
}

static void in_the_middle(enum record_type type, enum outcome wanted)
{
    struct trainer t;
    struct buf bytes, last;
    struct record_ended e;
    buf_init(&last);
    start_with_weights(&t);
    buf_init(&bytes);
    add_prediction(&bytes, 2, "long.csv");
    send_all(t.fd, &bytes);
    while (predicted_bytes() < 1000) /* more than the names of columns */
        usleep(1000);
    buf_init(&bytes);
    add_record(&bytes, type, 2, STR(""));
    send_all(t.fd, &bytes);
    assert_true(ends(t.fd, 1, &last));
    assert_int_equal(record_ended_parse(buf_str(&last), &e, NULL), 0);
    assert_int_equal(e.outcome, wanted);
    assert_int_equal(predicted_bytes(), -1);
    trainer_end(&t);
    buf_done(&last);
}

static void a_kill_ends_a_prediction_in_the_middle(void **state)
{
    (void)state;
    in_the_middle(RECORD_KILL, OUTCOME_KILLED);
}

static void a_stop_ends_a_prediction_in_the_middle(void **state)
{
    (void)state;
    in_the_middle(RECORD_STOP, OUTCOME_STOPPED);
}

static void a_long_prediction_lets_a_short_one_by(void **state)
{
    struct trainer t;
    struct buf bytes;
    uint64_t first = 0;
    (void)state;
    start_with_weights(&t);
    buf_init(&bytes);
    add_prediction(&bytes, 2, "long.csv");
    add_prediction(&bytes, 3, "short.csv");
    send_all(t.fd, &bytes);
    assert_true(ends_first(t.fd, 1, NULL, &first));
    assert_int_equal(first, 3);
    trainer_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_that_comes_in_the_last_epoch_is_trained),
        cmocka_unit_test(a_device_that_is_not_there_is_not_replaced_in_silence),
        cmocka_unit_test(a_kill_ends_a_prediction_in_the_middle),
        cmocka_unit_test(a_stop_ends_a_prediction_in_the_middle),
        cmocka_unit_test(a_long_prediction_lets_a_short_one_by),
    };
    return cmocka_run_group_tests(tests, make_rows, remove_rows);
}
