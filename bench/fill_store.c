/* fill_store.c - a store with very many finished trials
 *
 *     fill_store FOLDER TRIALS [PARAMETERS POINTS | judged]
 *
 * Makes the store FOLDER through the store's own interface: TRIALS trials of
 * a study that minimizes `loss`, four parameters each, five repeats a point,
 * most of them done, each with one attempt and a few metric points, as a
 * conductor would have written them.
 *
 * With PARAMETERS (at least 4) and POINTS there are so many of each, no two
 * trials share a point, and the loss depends on lr, dropout, layers and x5, so
 * that pictures of it show something.
 *
 * With `judged` trials have a second metric, `size`, and a stopping rule has
 * heard of each at one to three rungs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/rng.h"
#include "store/store.h"

#define TRIALS_PER_COMMIT 10000
#define REPEATS 5
#define POINTS 3
#define POINTS_MOST 1000
#define OWN_PARAMETERS 4
#define EPOCH 1700000000.0 /* when the first trial began, in unix time */

struct filler {
    struct store *store;
    struct rng rng;
    struct buf point, summary, space;
    int64_t parameters, points;
    bool judged;
    double expected; /* the loss of the point, where it depends on that */
};

static const char space_text[] =
    "{\"version\":1,\"parameters\":["
    "{\"name\":\"dropout\",\"distribution\":\"q_uniform\",\"min\":0.0,"
    "\"max\":0.9,\"q\":0.1},"
    "{\"name\":\"layers\",\"distribution\":\"int_uniform\",\"min\":1,"
    "\"max\":8},"
    "{\"name\":\"lr\",\"distribution\":\"log_uniform\",\"min\":-10.0,"
    "\"max\":0.0},"
    "{\"name\":\"opt\",\"distribution\":\"categorical\","
    "\"values\":[\"adam\",\"lion\",\"sgd\"]}";

static bool is_wide(const struct filler *f)
{
    return f->parameters > OWN_PARAMETERS;
}

static void print_space(struct filler *f)
{
    buf_adds(&f->space, space_text);
    for (int64_t i = OWN_PARAMETERS + 1; i <= f->parameters; i++)
        buf_addf(&f->space,
                 ",{\"name\":\"x%lld\",\"distribution\":\"uniform\","
                 "\"min\":0.0,\"max\":1.0}",
                 (long long)i);
    buf_adds(&f->space, "]}");
}

static int write_facts(struct filler *f, int64_t trials, struct err *err)
{
    struct store *s = f->store;
    char total[32];
    snprintf(total, sizeof(total), "%lld", (long long)trials);
    const char *const facts[][2] = {
        {"name", "million"},     {"metric", "loss"},
        {"goal", "minimize"},    {"method", "random"},
        {"total", total},        {"created", "1700000000"},
        {"command", "train.py"}, {"space", f->space.p},
    };
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        if (store_fact_set(s, facts[i][0], str_of(facts[i][1]), err))
            return -1;
    return 0;
}

static void print_point(struct filler *f)
{
    static const char *const optimizers[] = {"adam", "lion", "sgd"};
    double dropout = (double)rng_below(&f->rng, 10) / 10;
    unsigned long long layers = 1 + rng_below(&f->rng, 8);
    double rate = -10 * rng_uniform(&f->rng), x = 0;
    buf_reset(&f->point);
    buf_adds(&f->point, "{\"dropout\":");
    json_number(&f->point, dropout);
    buf_addf(&f->point, ",\"layers\":%llu,\"lr\":", layers);
    json_number(&f->point, exp(rate));
    buf_addf(&f->point, ",\"opt\":\"%s\"", optimizers[rng_below(&f->rng, 3)]);
    for (int64_t i = OWN_PARAMETERS + 1; i <= f->parameters; i++) {
        double one = rng_uniform(&f->rng);
        buf_addf(&f->point, ",\"x%lld\":", (long long)i);
        json_number(&f->point, one);
        x = i == OWN_PARAMETERS + 1 ? one : x;
    }
    buf_addc(&f->point, '}');
    f->expected = 0.05 + pow((rate + 5) / 6, 2) + 0.3 * pow(dropout - 0.3, 2) +
                  0.03 * fabs((double)layers - 5) + 0.2 * x * x;
}

static int add_metrics(struct filler *f, int64_t trial, double value,
                       struct err *err)
{
    int64_t steps[POINTS_MOST];
    double values[POINTS_MOST];
    for (int64_t i = 0; i < f->points; i++) {
        steps[i] = i + 1;
        values[i] = is_wide(f) ? value + exp(-(double)i / 4) -
                                     exp(-(double)(f->points - 1) / 4)
                               : value + (double)(f->points - 1 - i) * 0.1;
    }
    struct metric_column c = {
        .source = METRIC_FROM_METRICS,
        .count = (size_t)f->points,
        .steps = (const unsigned char *)steps,
        .values = (const unsigned char *)values,
    };
    return store_metrics_add(f->store, trial, 1, STR("loss"), &c, err);
}

static void print_summary(struct filler *f, double value)
{
    buf_reset(&f->summary);
    buf_adds(&f->summary, "{\"loss\":{\"last\":");
    json_number(&f->summary, value);
    buf_adds(&f->summary, ",\"min\":");
    json_number(&f->summary, value);
    buf_adds(&f->summary, ",\"max\":");
    json_number(&f->summary, value + 0.2);
    buf_addf(&f->summary, ",\"step\":%lld,\"count\":%lld}",
             (long long)f->points, (long long)f->points);
    if (f->judged) {
        buf_adds(&f->summary, ",\"size\":{\"last\":");
        json_number(&f->summary, 1 / value + rng_uniform(&f->rng));
        buf_adds(&f->summary, ",\"step\":1,\"count\":1}");
    }
    buf_addc(&f->summary, '}');
}

/* The better, the longer it went on. */
static int add_reports(struct filler *f, int64_t trial, double value,
                       struct err *err)
{
    static const int64_t rungs[] = {1, 3, 9};
    static const double most[] = {2, 0.5, 0.2};
    for (size_t i = 0; f->judged && i < 3 && value < most[i]; i++) {
        struct heard h = {.kind = HEARD_REPORT,
                          .trial = trial,
                          .step = rungs[i],
                          .state = STATE_RUNNING,
                          .value = value + 1 / (double)rungs[i]};
        if (store_heard_add(f->store, &h, err))
            return -1;
    }
    return 0;
}

static int add_attempt(struct filler *f, const struct trial *t, struct err *err)
{
    struct attempt a = {
        .trial = t->id,
        .number = 1,
        .outcome = t->state == STATE_DONE ? OUTCOME_DONE : OUTCOME_FAILED,
        .host = "bench",
        .pid = (uint64_t)(1000 + t->id % 30000),
        .placed = t->created,
        .started = t->started,
        .ended = t->ended,
        .seconds = t->seconds,
        .cpu_seconds = t->seconds,
        .max_rss_bytes = 100 << 20,
        .metric_points = (uint64_t)f->points,
        .exit_code = t->state == STATE_DONE ? 0 : 1,
        .reason = t->reason,
    };
    return store_attempt_put(f->store, &a, err);
}

static int add_trial(struct filler *f, int64_t id, struct err *err)
{
    int64_t group = (id - 1) / REPEATS;
    if (is_wide(f) || (id - 1) % REPEATS == 0)
        print_point(f);
    double chance = rng_uniform(&f->rng);
    double value =
        is_wide(f) ? f->expected * (0.9 + 0.2 * chance) : 0.1 + chance;
    bool failed = rng_below(&f->rng, 50) == 0;
    struct trial t = {
        .id = id,
        .state = STATE_WAITING,
        .point = buf_str(&f->point),
        .value = NAN,
        .parent = -1,
        .group = group,
        .member = (uint32_t)((id - 1) % REPEATS),
        .created = EPOCH + (double)id,
    };
    if (store_trial_add(f->store, &t, err) || add_metrics(f, id, value, err))
        return -1;
    print_summary(f, value);
    t.state = failed ? STATE_FAILED : STATE_DONE;
    t.value = failed ? NAN : value;
    t.attempts = 1;
    t.failures = failed;
    t.started = t.created + 0.01;
    t.seconds = 5 * rng_uniform(&f->rng);
    t.ended = t.started + t.seconds;
    t.reason = failed ? STR("exit code 1") : str_n("", 0);
    t.summary = buf_str(&f->summary);
    if (add_attempt(f, &t, err) || add_reports(f, id, value, err))
        return -1;
    return store_trial_update(f->store, &t, err);
}

static int fill(struct filler *f, int64_t trials, struct err *err)
{
    if (store_lease_take(f->store, false, err) || store_begin(f->store, err) ||
        write_facts(f, trials, err))
        return -1;
    for (int64_t id = 1; id <= trials; id++) {
        if (store_begin(f->store, err) || add_trial(f, id, err))
            return -1;
        if (id % TRIALS_PER_COMMIT == 0 && store_commit(f->store, err))
            return -1;
    }
    return store_commit(f->store, err);
}

static bool read_words(struct filler *f, int argc, char **argv)
{
    f->judged = argc == 4 && strcmp(argv[3], "judged") == 0;
    f->parameters = argc > 4 ? strtoll(argv[3], NULL, 10) : OWN_PARAMETERS;
    f->points = argc > 4 ? strtoll(argv[4], NULL, 10) : POINTS;
    return (argc == 3 || argc == 5 || f->judged) &&
           f->parameters >= OWN_PARAMETERS && f->points > 0 &&
           f->points <= POINTS_MOST;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    struct filler f = {0};
    if (!read_words(&f, argc, argv)) {
        fputs("usage: fill_store FOLDER TRIALS [PARAMETERS POINTS | judged]\n",
              stderr);
        return 2;
    }
    rng_init(&f.rng, 1, 0, "fill_store");
    buf_init(&f.point);
    buf_init(&f.summary);
    buf_init(&f.space);
    print_space(&f);
    int rc = store_create(argv[1], &err);
    if (!rc)
        f.store = store_open(argv[1], true, &err);
    rc = f.store ? fill(&f, strtoll(argv[2], NULL, 10), &err) : -1;
    store_close(f.store);
    buf_done(&f.point);
    buf_done(&f.summary);
    buf_done(&f.space);
    if (rc)
        fprintf(stderr, "fill_store: %s\n", err.text);
    return rc ? 1 : 0;
}
