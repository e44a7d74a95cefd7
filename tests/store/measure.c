/* measure.c - what the store costs
 *
 *     measure FOLDER TRIALS
 *
 * Fills a store (when FOLDER has none) with finished trials of three
 * parameters and two metrics, 16 a commit, as a conductor does: added,
 * placed, started, ended. Then asks it the questions that people ask, each
 * in a store opened for it, and appends points to a trial in bulk. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "base/rng.h"
#include "store/store.h"

#define PER_COMMIT 16

static void check(int rc, const struct err *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "measure: %s\n", err->text);
    exit(1);
}

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void points(struct store *s, int64_t id, const char *name, int64_t first,
                   size_t count, double value, struct err *err)
{
    static int64_t steps[100000];
    static double values[100000];
    for (size_t i = 0; i < count; i++) {
        steps[i] = first + (int64_t)i;
        values[i] = value + 1.0 / (1.0 + (double)i) + 1e-9 * (double)i;
    }
    struct metric_column c = {.source = METRIC_FROM_METRICS,
                              .count = count,
                              .steps = (const unsigned char *)steps,
                              .values = (const unsigned char *)values};
    check(store_metrics_add(s, id, 1, str_of(name), &c, err), err);
}

static struct trial make_trial(struct rng *r, int64_t id, struct buf *b,
                               double *value)
{
    double lr = pow(10, -5 + 4 * rng_uniform(r));
    uint64_t width = 16u << rng_below(r, 6);
    *value = fabs(log10(lr) + 3) + 0.3 * rng_uniform(r);
    buf_reset(b);
    buf_addf(b, "{\"lr\":%.17g,\"seed\":%llu,\"width\":%llu}", lr,
             (unsigned long long)rng_below(r, 5), (unsigned long long)width);
    return (struct trial){.id = id,
                          .point = buf_str(b),
                          .value = NAN,
                          .parent = -1,
                          .group = id - 1,
                          .created = 1.7e9 + (double)id};
}

static void live(struct store *s, struct rng *r, int64_t id, struct err *err)
{
    struct buf point, summary;
    buf_init(&point);
    buf_init(&summary);
    double value;
    struct trial t = make_trial(r, id, &point, &value);
    check(store_trial_add(s, &t, err), err);
    struct attempt a = {.trial = id,
                        .number = 1,
                        .host = "machine",
                        .boot_id = "0b7c8a1e-6f63-4a44-9c2f-1ad4f4d1b1a0",
                        .placed = t.created};
    t.state = STATE_RUNNING;
    t.attempts = 1;
    check(store_attempt_put(s, &a, err), err);
    check(store_trial_update(s, &t, err), err);
    a.pid = 1000 + (uint64_t)id;
    a.pid_start = 123456 + (uint64_t)id;
    a.started = t.started = t.created + 0.5;
    check(store_attempt_put(s, &a, err), err);
    points(s, id, "loss", 0, 2, value, err);
    points(s, id, "acc", 0, 2, 1 - value, err);
    a.outcome = OUTCOME_DONE;
    a.ended = t.ended = t.started + 20;
    a.seconds = t.seconds = 20;
    a.cpu_seconds = 19;
    a.max_rss_bytes = 200 << 20;
    a.metric_points = 4;
    check(store_attempt_put(s, &a, err), err);
    t.state = rng_below(r, 50) ? STATE_DONE : STATE_FAILED;
    t.value = t.state == STATE_DONE ? value : NAN;
    if (t.state == STATE_FAILED)
        t.reason = STR("exit code 1");
    buf_addf(&summary,
             "{\"acc\":{\"last\":%.9g,\"min\":%.9g,\"max\":%.9g,\"step\":1,"
             "\"count\":2,\"source\":3},\"loss\":{\"last\":%.9g,\"min\":%.9g,"
             "\"max\":%.9g,\"step\":1,\"count\":2,\"source\":3}}",
             1 - value, 1 - value, 2 - value, value, value, value + 1);
    t.summary = buf_str(&summary);
    check(store_trial_update(s, &t, err), err);
    buf_done(&point);
    buf_done(&summary);
}

static void fill(const char *folder, int64_t trials)
{
    struct err err = {0};
    struct rng r;
    rng_init(&r, 1, 1, "measure");
    check(store_create(folder, &err), &err);
    struct store *s = store_open(folder, true, &err);
    check(s ? store_lease_take(s, false, &err) : -1, &err);
    double before = cpu_seconds();
    int64_t wall = clock_mono_ns();
    for (int64_t id = 1; id <= trials; id++) {
        live(s, &r, id, &err);
        if (id % PER_COMMIT == 0)
            check(store_commit(s, &err), &err);
    }
    check(store_commit(s, &err), &err);
    printf("a trial with its attempt    %8.2f us CPU, %8.2f us\n",
           1e6 * (cpu_seconds() - before) / (double)trials,
           1e-3 * (double)(clock_mono_ns() - wall) / (double)trials);
    store_close(s);
}

/* The least that a trial needs: added, its attempt, its end. */
static void fill_briefly(const char *folder, int64_t trials)
{
    struct err err = {0};
    check(store_create(folder, &err), &err);
    struct store *s = store_open(folder, true, &err);
    check(s ? store_lease_take(s, false, &err) : -1, &err);
    double before = cpu_seconds();
    for (int64_t id = 1; id <= trials; id++) {
        struct trial t = {.id = id,
                          .point = STR("{\"lr\":0.01,\"seed\":1,\"w\":64}"),
                          .parent = -1,
                          .group = id - 1};
        struct attempt a = {.trial = id, .number = 1, .host = "machine"};
        check(store_trial_add(s, &t, &err), &err);
        check(store_attempt_put(s, &a, &err), &err);
        t.state = STATE_DONE;
        t.value = (double)(id * 7919 % 100003);
        t.summary = STR("{\"loss\":{\"last\":0.5,\"min\":0.5,\"max\":1.5}}");
        check(store_trial_update(s, &t, &err), &err);
        if (id % PER_COMMIT == 0)
            check(store_commit(s, &err), &err);
    }
    check(store_commit(s, &err), &err);
    printf("a trial at its briefest     %8.2f us CPU\n",
           1e6 * (cpu_seconds() - before) / (double)trials);
    store_close(s);
    check(dir_remove(folder, &err), &err);
}

static void ask(const char *folder, const char *what, const struct query *q)
{
    struct err err = {0};
    double cpu = cpu_seconds();
    int64_t wall = clock_mono_ns();
    struct store *s = store_open(folder, false, &err);
    check(s ? 0 : -1, &err);
    struct rows *r = store_rows(s, q, &err);
    check(r ? 0 : -1, &err);
    struct trial t;
    int row;
    size_t count = 0;
    while ((row = rows_next(r, &t, &err)) == 1)
        count++;
    check(row, &err);
    rows_close(r);
    store_close(s);
    printf("%-27s %8.2f ms, %8.2f ms CPU  (%zu rows)\n", what,
           1e-6 * (double)(clock_mono_ns() - wall), 1e3 * (cpu_seconds() - cpu),
           count);
}

static void ask_counts(const char *folder)
{
    struct err err = {0};
    double cpu = cpu_seconds();
    int64_t wall = clock_mono_ns();
    struct store *s = store_open(folder, false, &err);
    check(s ? 0 : -1, &err);
    struct counts c;
    check(store_counts(s, &c, &err), &err);
    store_close(s);
    printf("%-27s %8.2f ms, %8.2f ms CPU  (%lld trials)\n", "counts",
           1e-6 * (double)(clock_mono_ns() - wall), 1e3 * (cpu_seconds() - cpu),
           (long long)c.total);
}

static void ask_group(const char *folder, const char *over)
{
    struct err err = {0};
    double cpu = cpu_seconds();
    int64_t wall = clock_mono_ns();
    struct store *s = store_open(folder, false, &err);
    check(s ? 0 : -1, &err);
    struct arena *a = arena_new();
    struct group_row *list;
    size_t count;
    check(store_group(s, over, NULL, true, 20, a, &list, &count, &err), &err);
    arena_free(a);
    store_close(s);
    printf("group over %-16s %8.2f ms, %8.2f ms CPU\n", over,
           1e-6 * (double)(clock_mono_ns() - wall),
           1e3 * (cpu_seconds() - cpu));
}

static void ask_all(const char *folder)
{
    ask_counts(folder);
    ask(folder, "one trial",
        &(struct query){.selector = "7", .with_texts = true});
    ask(folder, "best 20 by value",
        &(struct query){.by = "value", .limit = 20});
    ask(folder, "worst 20 by value",
        &(struct query){.by = "value", .limit = 20, .descending = true});
    ask(folder, "best:20",
        &(struct query){.selector = "best:20", .with_texts = true});
    ask(folder, "where lr>1e-3, by value",
        &(struct query){.where = "lr>1e-3", .by = "value", .limit = 20});
    ask(folder, "where lr>1e-3", &(struct query){.where = "lr>1e-3"});
    ask(folder, "where loss<0.2, by value",
        &(struct query){.where = "loss<0.2", .by = "value", .limit = 20});
    ask(folder, "by acc", &(struct query){.by = "acc", .limit = 20});
    ask(folder, "by lr", &(struct query){.by = "lr", .limit = 20});
    ask(folder, "failed", &(struct query){.selector = "failed"});
    ask(folder, "running", &(struct query){.selector = "running"});
    ask(folder, "all with texts", &(struct query){.with_texts = true});
    ask_group(folder, "seed");
    ask_group(folder, "width");
}

/* Points of one trial as they come, so many a batch and a commit. */
static void bulk(const char *folder, size_t batch, size_t total)
{
    struct err err = {0};
    struct store *s = store_open(folder, true, &err);
    check(s ? store_lease_take(s, false, &err) : -1, &err);
    struct trial t = {.id = store_last_trial(s) + 1, .point = STR("{}")};
    check(store_trial_add(s, &t, &err), &err);
    double before = cpu_seconds();
    for (size_t at = 0; at < total; at += batch) {
        points(s, t.id, "bulk", (int64_t)at, batch, (double)at, &err);
        check(store_commit(s, &err), &err);
    }
    printf("a point, %6zu a commit     %8.3f us CPU\n", batch,
           1e6 * (cpu_seconds() - before) / (double)total);
    check(store_trial_update(s, &t, &err), &err);
    store_rollback(s);
    store_close(s);
}

int main(int argc, char **argv)
{
    struct rusage u;
    if (argc != 3) {
        fputs("usage: measure FOLDER TRIALS\n", stderr);
        return 2;
    }
    char brief[4096];
    snprintf(brief, sizeof brief, "%s-brief", argv[1]);
    fill_briefly(brief, 50000);
    if (!file_exists(argv[1]))
        fill(argv[1], strtoll(argv[2], NULL, 10));
    getrusage(RUSAGE_SELF, &u);
    printf("memory while filling        %8.1f MB\n",
           (double)u.ru_maxrss / 1024);
    ask_all(argv[1]);
    bulk(argv[1], 100000, 2000000);
    bulk(argv[1], 1000, 1000000);
    bulk(argv[1], 100, 100000);
    getrusage(RUSAGE_SELF, &u);
    printf("memory at the end           %8.1f MB\n",
           (double)u.ru_maxrss / 1024);
    return 0;
}
