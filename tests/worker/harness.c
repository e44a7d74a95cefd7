/* harness.c - a real throng-worker at the other end of a socket pair */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define PATIENCE_S 60.0

static double now(void)
{
    return (double)clock_mono_ns() * 1e-9;
}

static void nap(void)
{
    struct timespec t = {.tv_nsec = 2000000};
    nanosleep(&t, NULL);
}

int bench_setup(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->arena = arena_new();
    b->fd = -1;
    buf_init(&b->in);
    snprintf(b->folder, sizeof b->folder, "/tmp/throng-worker-test-XXXXXX");
    if (!mkdtemp(b->folder))
        return -1;
    b->last_words = path_join(b->arena, b->folder, "words/last");
    mkdir(path_join(b->arena, b->folder, "words"), 0777);
    *state = b;
    return 0;
}

int bench_teardown(void **state)
{
    struct bench *b = *state;
    if (b->fd >= 0)
        close(b->fd);
    if (b->pid > 0) {
        double end = now() + PATIENCE_S;
        pid_t ended;
        while ((ended = waitpid(b->pid, NULL, WNOHANG)) == 0 && now() < end)
            nap();
        /* Once it has been waited for its pid may be another process's. */
        if (ended == 0)
            kill(b->pid, SIGKILL);
    }
    dir_remove(b->folder, NULL);
    vec_done(&b->records);
    buf_done(&b->in);
    arena_free(b->arena);
    free(b);
    return 0;
}

void bench_start(struct bench *b, const char *room)
{
    int pair[2];
    char fd[16];
    struct process_id id;
    struct err err = {0};
    const char *program = given("THRONG_WORKER");
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair),
                     0);
    snprintf(fd, sizeof fd, "%d", pair[1]);
    const char *argv[] = {program,
                          "--fd",
                          fd,
                          "--room",
                          room ? room : "cpus=2;memory=1073741824;parallel=2",
                          "--mark",
                          MARK,
                          "--last-words",
                          b->last_words,
                          NULL};
    struct spawn s = {
        .argv = argv, .in = -1, .out = 1, .err = 2, .keep_fd = pair[1]};
    if (process_spawn(&s, &id, &err) != 0)
        fail_msg("%s", err.text);
    close(pair[1]);
    b->fd = pair[0];
    b->pid = id.pid;
    bench_await(b, RECORD_HELLO, UINT64_MAX);
}

void bench_hang_up(struct bench *b)
{
    close(b->fd);
    b->fd = -1;
}

int bench_wait(struct bench *b)
{
    double end = now() + PATIENCE_S;
    while (waitpid(b->pid, &b->exit_status, WNOHANG) == 0) {
        if (now() > end)
            fail_msg("the worker does not end");
        nap();
    }
    b->pid = 0;
    return b->exit_status;
}

/* ---- tasks ----------------------------------------------------------- */

static struct task blank(struct bench *b, uint64_t id)
{
    struct task t = {.id = id,
                     .attempt = 1,
                     .kind = STR("command"),
                     .params = STR("{}"),
                     .study = STR("test"),
                     .seed = 7,
                     .grace_s = 0.3,
                     .output_max_bytes = 1 << 20};
    needs_init(&t.needs);
    t.folder = str_of(arena_printf(b->arena, "%s/trials/%llu", b->folder,
                                   (unsigned long long)id));
    return t;
}

struct task bench_command(struct bench *b, uint64_t id, const char *const *argv)
{
    struct task t = blank(b, id);
    while (argv[t.argc])
        t.argc++;
    struct arg *args = arena_array(b->arena, t.argc, sizeof *args);
    for (size_t i = 0; i < t.argc; i++)
        args[i] = (struct arg){ARG_TEXT, str_of(argv[i])};
    t.argv = args;
    return t;
}

struct task bench_shell(struct bench *b, uint64_t id, const char *script)
{
    const char *argv[] = {"/bin/sh", "-c", arena_cstr(b->arena, str_of(script)),
                          NULL};
    return bench_command(b, id, argv);
}

struct task bench_training(struct bench *b, uint64_t id, int epochs)
{
    char *path = arena_printf(b->arena, "%s/t.csv", b->folder);
    struct buf rows;
    buf_init(&rows);
    for (int i = 0; i < 40; i++)
        buf_addf(&rows, "%d,%d\n", i % 7, i % 2);
    assert_int_equal(file_write(path, buf_str(&rows), false, NULL), 0);
    buf_done(&rows);
    struct task t = {
        .id = id,
        .attempt = 1,
        .kind = STR("train"),
        .workdir = str_of(b->folder),
        .folder = str_of(arena_printf(b->arena, "%s/trials/%llu", b->folder,
                                      (unsigned long long)id)),
        .model = str_of(arena_printf(
            b->arena,
            "{\"layers\": [{\"dense\": 3}, {\"dense\": 2}], \"loss\": "
            "\"sparse_categorical_crossentropy\", \"epochs\": %d, "
            "\"data\": {\"file\": \"t.csv\"}}",
            epochs))};
    needs_init(&t.needs);
    t.needs.cpus = 0.125;
    return t;
}

char *bench_path(struct bench *b, uint64_t id, const char *name)
{
    return arena_printf(b->arena, "%s/trials/%llu/%s", b->folder,
                        (unsigned long long)id, name);
}

char *bench_file(struct bench *b, const char *path)
{
    struct buf text;
    struct err err = {0};
    buf_init(&text);
    if (file_read(path, 0, &text, &err) != 0)
        fail_msg("%s", err.text);
    char *copy = arena_cstr(b->arena, buf_str(&text));
    buf_done(&text);
    return copy;
}

char *bench_await_file(struct bench *b, const char *path)
{
    double end = now() + PATIENCE_S;
    struct stat st;
    while (stat(path, &st) != 0 || st.st_size == 0) {
        if (now() > end)
            fail_msg("%s does not appear", path);
        nap();
    }
    return bench_file(b, path);
}

/* ---- records --------------------------------------------------------- */

void bench_send(struct bench *b, enum record_type type, const struct task *t,
                struct str payload)
{
    struct buf out;
    struct err err = {0};
    struct record r = {.type = type,
                       .task = t ? t->id : 0,
                       .attempt = t ? t->attempt : 0,
                       .payload = payload};
    buf_init(&out);
    record_print(&out, &r);
    if (fd_write_all(b->fd, out.p, out.len, &err) != 0)
        fail_msg("%s", err.text);
    buf_done(&out);
}

void bench_submit(struct bench *b, const struct task *t)
{
    struct buf text;
    buf_init(&text);
    task_print(&text, t);
    bench_send(b, RECORD_TASK, t, buf_str(&text));
    buf_done(&text);
}

void bench_ack(struct bench *b, uint64_t count)
{
    struct buf payload;
    buf_init(&payload);
    buf_add_u64(&payload, count);
    bench_send(b, RECORD_ACK, NULL, buf_str(&payload));
    buf_done(&payload);
}

static size_t take_record(struct bench *b, struct str text)
{
    struct record r;
    struct err err = {0};
    size_t used = 0;
    int got = record_parse(text, &r, &used, &err);
    if (got < 0)
        fail_msg("%s", err.text);
    if (got == 0)
        return 0;
    struct got g = {r.type, r.task, r.attempt, arena_str(b->arena, r.payload)};
    vec_push(&b->records, g);
    return used;
}

void bench_read_records(struct bench *b, struct str text)
{
    while (text.len > 0) {
        size_t used = take_record(b, text);
        assert_true(used > 0);
        text = str_n(text.p + used, text.len - used);
    }
}

static void pump(struct bench *b, double seconds)
{
    struct pollfd p = {.fd = b->fd, .events = POLLIN};
    char chunk[65536];
    size_t used;
    if (b->eof || poll(&p, 1, (int)(seconds * 1000)) <= 0)
        return;
    ssize_t n = read(b->fd, chunk, sizeof chunk);
    if (n <= 0) {
        b->eof = true;
        return;
    }
    buf_add(&b->in, chunk, (size_t)n);
    while ((used = take_record(b, buf_str(&b->in))) > 0)
        buf_drop(&b->in, used);
}

struct got *bench_await(struct bench *b, enum record_type type, uint64_t id)
{
    double end = now() + PATIENCE_S;
    size_t at = 0;
    while (now() < end) {
        for (; at < b->records.len; at++) {
            struct got *g = &b->records.p[at];
            if (g->type == type && (id == UINT64_MAX || g->task == id))
                return g;
        }
        if (b->eof)
            break;
        pump(b, 1);
    }
    fail_msg("no record of type %d about task %llu came", type,
             (unsigned long long)id);
    return NULL;
}

struct record_ended bench_ended(struct bench *b, uint64_t id)
{
    struct record_ended e;
    struct err err = {0};
    struct got *g = bench_await(b, RECORD_ENDED, id);
    if (record_ended_parse(g->payload, &e, &err) != 0)
        fail_msg("%s", err.text);
    e.reason = str_of(bench_cstr(b, e.reason));
    e.tail = str_of(bench_cstr(b, e.tail));
    return e;
}

struct record_ended bench_run(struct bench *b, const struct task *t)
{
    bench_submit(b, t);
    return bench_ended(b, t->id);
}

size_t bench_count(struct bench *b, enum record_type type, uint64_t id)
{
    size_t count = 0;
    for (size_t i = 0; i < b->records.len; i++)
        count += b->records.p[i].type == type && b->records.p[i].task == id;
    return count;
}

void bench_await_more(struct bench *b, enum record_type type, uint64_t id,
                      size_t count)
{
    double end = now() + PATIENCE_S;
    while (bench_count(b, type, id) <= count && !b->eof) {
        if (now() > end)
            fail_msg("no more records of type %d about task %llu came", type,
                     (unsigned long long)id);
        pump(b, 1);
    }
}

/* ---- metrics --------------------------------------------------------- */

static void add_points(struct buf *out, const struct metric_column *c)
{
    for (size_t i = 0; i < c->count; i++)
        buf_addf(out, "%s%lld:%g", out->len ? " " : "",
                 (long long)metric_step(c, i), metric_value(c, i));
}

bool bench_is_metrics(const struct got *g)
{
    return g->type == RECORD_METRICS || g->type == RECORD_POINTS;
}

struct str bench_batch(const struct got *g)
{
    struct record_points p;
    if (g->type == RECORD_METRICS)
        return g->payload;
    assert_int_equal(record_points_parse(g->payload, &p, NULL), 0);
    return p.batch;
}

char *bench_metric(struct bench *b, uint64_t id, const char *name)
{
    struct buf out;
    buf_init(&out);
    for (size_t i = 0; i < b->records.len; i++) {
        struct got *g = &b->records.p[i];
        struct metric_reader r;
        struct metric_column c;
        if (!bench_is_metrics(g) || g->task != id)
            continue;
        metric_reader_init(&r, bench_batch(g));
        while (metric_reader_next(&r, &c) == 1) {
            if (str_is(c.name, name))
                add_points(&out, &c);
        }
    }
    char *text = bench_cstr(b, buf_str(&out));
    buf_done(&out);
    return text;
}

void bench_read_last_words(struct bench *b)
{
    struct buf text;
    struct err err = {0};
    buf_init(&text);
    if (file_read(b->last_words, 0, &text, &err) != 0)
        fail_msg("%s", err.text);
    b->records.len = 0;
    bench_read_records(b, buf_str(&text));
    buf_done(&text);
}

/* ---- small things ---------------------------------------------------- */

static bool lives(pid_t pid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    const char *state = n > 0 ? strrchr(text, ')') : NULL;
    return state && state[2] != 'Z' && state[2] != 'X';
}

bool bench_gone(pid_t pid, double seconds)
{
    double end = now() + seconds;
    while (lives(pid)) {
        if (now() > end)
            return false;
        nap();
    }
    return true;
}

char *bench_cstr(struct bench *b, struct str s)
{
    return arena_cstr(b->arena, s);
}

void assert_contains_at(const char *text, const char *part, const char *file,
                        int line)
{
    if (strstr(text, part))
        return;
    print_error("`%s` is not in: %s\n", part, text);
    _fail(file, line);
}
