/* search_bench.c - how good and how dear a method is
 *
 *     search_bench quality METHOD SEEDS [OPTIONS]
 *     search_bench cost METHOD N...
 *
 * `quality` runs the problems that bench/search compares on, each with seeds
 * 0 … SEEDS-1 for 200 trials one after the other, and prints a line "problem
 * budget seed regret" for 50, 100 and 200 trials (OPTIONS: the method's, as
 * JSON). `cost` fills a search of 8 parameters with N random results and
 * prints "N microseconds" of one ask and tell, the median of 200. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "search/search.h"
#include "terms/state.h"

#define PI 3.14159265358979323846
#define FLOAT(name, low, high)                                                 \
    "{\"name\":\"" name "\",\"distribution\":\"uniform\",\"min\":" low         \
    ",\"max\":" high "}"

static double number(const struct value *point, const char *name)
{
    return value_number(value_get(point, str_of(name)));
}

static bool word_is(const struct value *point, const char *name,
                    const char *word)
{
    return str_is(value_text(value_get(point, str_of(name))), word);
}

/* The numbers x0, x1, … of a point. */
static size_t numbers(const struct value *point, double *x)
{
    for (size_t i = 0; i < point->count; i++) {
        char name[24];
        snprintf(name, sizeof(name), "x%zu", i);
        x[i] = number(point, name);
    }
    return point->count;
}

static double branin(const struct value *point)
{
    double x[2] = {0};
    numbers(point, x);
    double b = 5.1 / (4 * PI * PI), c = 5 / PI, t = 1 / (8 * PI);
    double v = x[1] - b * x[0] * x[0] + c * x[0] - 6;
    return v * v + 10 * (1 - t) * cos(x[0]) + 10;
}

static double rosenbrock(const struct value *point)
{
    double x[16] = {0}, sum = 0;
    size_t n = numbers(point, x);
    for (size_t i = 0; i + 1 < n; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        sum += 100 * a * a + b * b;
    }
    return sum;
}

static double rastrigin(const struct value *point)
{
    static const double shift[] = {1.37, -2.21, 0.83, -1.69, 2.93};
    double x[16] = {0}, sum = 0;
    size_t n = numbers(point, x);
    for (size_t i = 0; i < n; i++) {
        double v = x[i] - shift[i];
        sum += 10 + v * v - 10 * cos(2 * PI * v);
    }
    return sum;
}

/* A stand-in for tuning a network. */
static double mixed(const struct value *p)
{
    static const struct {
        const char *name;
        double rate, base;
    } opts[] = {{"sgd", -1.2, 0.06},
                {"adam", -3.1, 0.02},
                {"lion", -3.9, 0},
                {"adagrad", -1.9, 0.15}};
    static const struct {
        const char *name;
        double base, depth;
    } acts[] = {{"relu", 0.03, 6}, {"gelu", 0, 8}, {"tanh", 0.08, 3}};
    size_t o = 0, a = 0;
    while (!word_is(p, "opt", opts[o].name))
        o++;
    while (!word_is(p, "act", acts[a].name))
        a++;
    double width = log2(number(p, "width"));
    double dl = number(p, "depth") - acts[a].depth;
    double dw = width - (8.3 - 0.15 * dl);
    double du = log10(number(p, "lr")) - (opts[o].rate - 0.25 * (width - 7));
    double y = opts[o].base + acts[a].base + 0.006 * dl * dl + 0.015 * dw * dw;
    y += 0.15 * fmin(du * du, 4) + 0.01 * (1 - cos(3 * PI * du));
    if (du > 1)
        y += 0.5 * (du - 1);
    if (o == 1 || o == 2)
        y += 0.02 * pow(log10(number(p, "wd")) + 4 - 0.5 * du, 2);
    else
        y += 0.05;
    if (a == 1)
        y += 0.04 * pow(log10(number(p, "temp")) + 0.7, 2);
    else if (a == 0)
        y += 0.01 * pow(log10(number(p, "temp")) - 0.5, 2);
    return y;
}

#define ROSENBROCK(name) FLOAT(name, "-5", "10")
#define RASTRIGIN(name) FLOAT(name, "-5.12", "5.12")
#define LOG(name, low, high, more)                                             \
    "{\"name\":\"" name "\",\"distribution\":\"log_uniform_values\","          \
    "\"min\":" low ",\"max\":" high more "}"
#define WHEN(name, values)                                                     \
    ",\"when\":[{\"name\":\"" name "\",\"values\":[" values "]}]"
#define MIXED(wd, temp)                                                        \
    "{\"name\":\"act\",\"distribution\":\"categorical\","                      \
    "\"values\":[\"relu\",\"gelu\",\"tanh\"]},"                                \
    "{\"name\":\"depth\",\"distribution\":\"int_uniform\",\"min\":1,"          \
    "\"max\":12}," LOG(                                                        \
        "lr", "1e-6", "1",                                                     \
        "") ","                                                                \
            "{\"name\":\"opt\",\"distribution\":\"categorical\","              \
            "\"values\":[\"sgd\",\"adam\",\"lion\",\"adagrad\"]}," LOG(        \
                "temp", "1e-3", "1e1",                                         \
                temp) "," LOG("wd", "1e-8", "1e-1",                            \
                              wd) ","                                          \
                                  "{\"name\":\"width\",\"distribution\":\"q_"  \
                                  "log_uniform_values\","                      \
                                  "\"min\":8,\"max\":1024,\"q\":1}"

static const struct problem {
    const char *name, *parameters;
    double (*f)(const struct value *point);
    double least;
} problems[] = {
    {"branin", FLOAT("x0", "-5", "10") "," FLOAT("x1", "0", "15"), branin,
     0.39788735772973816},
    {"rosenbrock10",
     ROSENBROCK("x0") "," ROSENBROCK("x1") "," ROSENBROCK("x2") "," ROSENBROCK("x3") "," ROSENBROCK("x4") "," ROSENBROCK(
         "x5") "," ROSENBROCK("x"
                              "6") "," ROSENBROCK("x7") "," ROSENBROCK("x8") "," ROSENBROCK("x9"),
     rosenbrock, 0},
    {"rastrigin5",
     RASTRIGIN("x0") "," RASTRIGIN("x1") "," RASTRIGIN("x2") "," RASTRIGIN(
         "x3") "," RASTRIGIN("x4"),
     rastrigin, 0},
    {"mixed7", MIXED("", ""), mixed, 9.408523e-09},
    {"mixed7c",
     MIXED(WHEN("opt", "\"adam\",\"lion\""), WHEN("act", "\"relu\",\"gelu\"")),
     mixed, 9.408523e-09},
};
enum { PROBLEMS = sizeof(problems) / sizeof(*problems), TRIALS = 200 };

static int complain(const struct err *err)
{
    fprintf(stderr, "search_bench: %s\n", err->text);
    return 1;
}

static int space_of(struct space *space, const char *parameters,
                    struct arena *a, struct err *err)
{
    char *text =
        arena_printf(a, "{\"version\":1,\"parameters\":[%s]}", parameters);
    struct value *v = json_parse(a, str_of(text), "space", true, err);
    return v ? space_from_value(space, v, a, err) : -1;
}

static int step(struct search *s, int64_t k, double (*f)(const struct value *),
                struct arena *a, double *value, struct err *err)
{
    struct suggestion got;
    if (search_ask(s, k, a, &got, err) != SEARCH_HERE)
        return -1;
    *value = f(got.point);
    struct result r = {.trial = k,
                       .point = got.point,
                       .state = STATE_DONE,
                       .value = *value,
                       .step = -1};
    search_tell(s, &r);
    return 0;
}

static int run_one(const struct problem *p, const char *method, uint64_t seed,
                   const struct value *options, struct err *err)
{
    struct arena *a = arena_new(), *scratch = arena_new();
    struct space space;
    struct search *s = NULL;
    double best = INFINITY, value;
    int rc = space_of(&space, p->parameters, a, err);
    struct search_setup setup = {.space = &space,
                                 .seed = seed,
                                 .minimize = true,
                                 .run_cap = TRIALS,
                                 .options = options};
    if (rc == 0 && !(s = search_open(method, &setup, err)))
        rc = -1;
    for (int64_t k = 1; rc == 0 && k <= TRIALS; k++) {
        arena_reset(scratch);
        rc = step(s, k, p->f, scratch, &value, err);
        best = fmin(best, rc ? best : value);
        if (rc == 0 && (k == 50 || k == 100 || k == TRIALS))
            printf("%s %d %d %.10g\n", p->name, (int)k, (int)seed,
                   best - p->least);
    }
    search_free(s);
    arena_free(a);
    arena_free(scratch);
    return rc;
}

static int quality(const char *method, int seeds, const char *options_text)
{
    struct err err = {0};
    struct arena *a = arena_new();
    const struct value *options = NULL;
    int rc = 0;
    if (options_text &&
        !(options = json_parse(a, str_of(options_text), "options", true, &err)))
        rc = -1;
    for (size_t i = 0; rc == 0 && i < PROBLEMS; i++)
        for (int seed = 0; rc == 0 && seed < seeds; seed++)
            rc = run_one(&problems[i], method, (uint64_t)seed, options, &err);
    arena_free(a);
    return rc ? complain(&err) : 0;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double eight(const struct value *point)
{
    double x[8] = {0}, sum = 0;
    numbers(point, x);
    for (size_t i = 0; i < 8; i++)
        sum += (x[i] - 0.3) * (x[i] - 0.3);
    return sum;
}

static void fill(struct search *s, const struct space *space, int64_t n,
                 struct arena *scratch)
{
    for (int64_t k = 1; k <= n; k++) {
        struct rng r;
        arena_reset(scratch);
        rng_init(&r, 1, (uint64_t)k, "fill");
        struct value *point = space_sample(space, &r, scratch);
        struct result told = {.trial = k,
                              .point = point,
                              .state = STATE_DONE,
                              .value = eight(point),
                              .step = -1};
        search_tell(s, &told);
    }
}

static int cost(const char *method, int64_t n)
{
    enum { ROUNDS = 200 };
    struct arena *a = arena_new(), *scratch = arena_new();
    struct err err = {0};
    struct space space;
    double took[ROUNDS], value;
    int rc = space_of(
        &space,
        FLOAT("x0", "0", "1") "," FLOAT("x1", "0", "1") "," FLOAT("x2", "0", "1") "," FLOAT(
            "x3", "0",
            "1") "," FLOAT("x4", "0",
                           "1") "," FLOAT("x5", "0",
                                          "1") "," FLOAT("x6", "0",
                                                         "1") "," FLOAT("x7",
                                                                        "0",
                                                                        "1"),
        a, &err);
    struct search_setup setup = {
        .space = &space, .minimize = true, .run_cap = n + ROUNDS};
    struct search *s = rc ? NULL : search_open(method, &setup, &err);
    if (s)
        fill(s, &space, n, scratch);
    rc = s ? 0 : -1;
    for (int i = 0; rc == 0 && i < ROUNDS; i++) {
        arena_reset(scratch);
        double before = seconds();
        rc = step(s, n + 1 + i, eight, scratch, &value, &err);
        took[i] = seconds() - before;
    }
    if (rc == 0) {
        qsort(took, ROUNDS, sizeof(*took), by_size);
        printf("%lld %.3f\n", (long long)n, took[ROUNDS / 2] * 1e6);
    }
    search_free(s);
    arena_free(a);
    arena_free(scratch);
    return rc ? complain(&err) : 0;
}

int main(int argc, char **argv)
{
    int rc = 0;
    if (argc >= 4 && strcmp(argv[1], "quality") == 0)
        return quality(argv[2], (int)strtol(argv[3], NULL, 10),
                       argc > 4 ? argv[4] : NULL);
    if (argc < 4 || strcmp(argv[1], "cost") != 0) {
        fprintf(stderr, "usage: search_bench quality METHOD SEEDS [OPTIONS]\n"
                        "       search_bench cost METHOD N...\n");
        return 2;
    }
    for (int i = 3; rc == 0 && i < argc; i++)
        rc = cost(argv[2], strtoll(argv[i], NULL, 10));
    return rc;
}
