/* search_bench.c - how good and how dear a method is
 *
 *     search_bench methods
 *     search_bench problems
 *     search_bench space PROBLEM
 *     search_bench evaluate PROBLEM
 *     search_bench quality METHOD PROBLEM SEED LAST PENDING [OPTIONS]
 *     search_bench cost METHOD N...
 *     search_bench memory METHOD N
 *     search_bench resume METHOD N
 *     search_bench batch METHOD N COUNT
 *
 * `methods` lists those that search on any space. `problems` lists them, those
 * that others' medians are known of first with a 1 behind. `space` prints a
 * problem's parameters and `evaluate` reads points (a line of JSON each) and
 * prints the regret of each, so that another program can be measured on them,
 * too.
 *
 * `quality` runs a problem with the seeds SEED … LAST and prints a line
 * "results seed regret repeated" after 50, 100, 137, 193 and 200 results: the
 * best regret, and how many points were suggested that another trial had.
 * PENDING trials are out at all times; which of them ends next is drawn by lot.
 * FIRST:PENDING asks for so many at once, and for others only from when less
 * than PENDING of them are out. PROBLEM~NOISE adds normal noise to what is
 * told: so many times the standard deviation of the values of random points.
 * The regret is that of the value without it.
 *
 * `cost` fills a search of 8 parameters with N random results and prints "N
 * median mean" in microseconds of one ask and tell, over 200 (of gp and
 * forest 50) in a row. `memory` prints the bytes that a told trial takes.
 * `resume` runs N trials, tells them to a new search as a resumed study does,
 * and prints "N milliseconds" of that with the first suggestion.
 * `batch` prints "N milliseconds" of COUNT points asked for at once. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/map.h"
#include "search/search.h"
#include "search_problems.h"
#include "terms/state.h"

enum { TRIALS = 200, MOST_PENDING = 1024, ROUNDS = 200, FEW_ROUNDS = 50 };

static int complain(const struct err *err)
{
    fprintf(stderr, "search_bench: %s\n", err->text);
    return 1;
}

static int space_of(struct space *space, const struct problem *p,
                    struct arena *a, struct err *err)
{
    struct value *v = problem_space_text(p, a, err);
    return v ? space_from_value(space, v, a, err) : -1;
}

/* ---- quality ---------------------------------------------------------- */

/* One run: the search, and what is out. */
struct run {
    const struct problem *problem;
    double noise; /* its standard deviation */
    struct search *search;
    struct arena *points;
    uint64_t seed;
    int64_t asked;
    size_t pending;
    int64_t trials[MOST_PENDING];
    struct value *out[MOST_PENDING];
    struct idmap *seen;
    size_t repeated;
};

static int ask(struct run *r, struct err *err)
{
    struct suggestion got;
    struct buf text;
    enum search_answer answer =
        search_ask(r->search, r->asked + 1, r->points, &got, err);
    if (answer == SEARCH_WAIT && r->pending)
        return 1;
    if (answer != SEARCH_HERE)
        return err->text[0] ? -1 : err_set(err, ERR_INPUT, "no more points");
    buf_init(&text);
    json_print(&text, got.point);
    uint64_t key = hash64(buf_str(&text), 0);
    r->repeated += idmap_get(r->seen, key) != NULL;
    idmap_set(r->seen, key, r);
    buf_done(&text);
    r->trials[r->pending] = ++r->asked;
    r->out[r->pending++] = got.point;
    return 0;
}

/* Ends one of the trials that are out; returns its value. */
static double finish(struct run *r)
{
    struct rng lot;
    rng_init(&lot, r->seed, (uint64_t)r->asked, "lot");
    size_t at = rng_below(&lot, r->pending);
    double value = r->problem->f(r->out[at]);
    struct result told = {.trial = r->trials[at],
                          .point = r->out[at],
                          .state = STATE_DONE,
                          .value = value + r->noise * rng_normal(&lot)};
    search_tell(r->search, &told);
    r->pending--;
    r->trials[at] = r->trials[r->pending];
    r->out[at] = r->out[r->pending];
    return value;
}

/* After so many results: the budgets, and what a run has in hand that chooses
 * its last point with 8 or 64 trials out. */
static bool is_told_of(int told)
{
    return told == 50 || told == 100 || told == TRIALS - 63 ||
           told == TRIALS - 7 || told == TRIALS;
}

/* How many trials are out: at the start, and at all times then. */
struct crowd {
    size_t first, then;
};

static int run_through(struct run *r, struct crowd crowd, struct err *err)
{
    double best = INFINITY;
    for (int told = 1; told <= TRIALS; told++) {
        int rc = 0;
        while (rc == 0 && r->pending < (told == 1 ? crowd.first : crowd.then))
            rc = ask(r, err);
        if (rc < 0)
            return -1;
        best = fmin(best, finish(r));
        if (is_told_of(told))
            printf("%d %d %.10g %zu\n", told, (int)r->seed,
                   best - r->problem->least, r->repeated);
    }
    return 0;
}

/* The standard deviation of the values of random points. */
static double deviation(const struct problem *p, const struct space *space)
{
    enum { POINTS = 1000 };
    struct arena *a = arena_new();
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < POINTS; i++) {
        struct rng rng;
        rng_init(&rng, 0, i, "deviation");
        double value = p->f(space_sample(space, &rng, a));
        sum += value / POINTS;
        squares += value * value / POINTS;
    }
    arena_free(a);
    return sqrt(squares - sum * sum);
}

/* What is run: a problem, perhaps with noise. */
struct asked {
    const struct problem *problem;
    double noise; /* in units of its deviation */
};

static int run_one(struct asked asked, const char *method, uint64_t seed,
                   struct crowd crowd, const struct value *options,
                   struct err *err)
{
    struct arena *a = arena_new();
    struct space space;
    const struct problem *p = asked.problem;
    struct run run = {.problem = p, .seed = seed, .points = arena_new()};
    int rc = space_of(&space, p, a, err);
    if (rc == 0 && asked.noise > 0)
        run.noise = asked.noise * deviation(p, &space);
    struct search_setup setup = {.space = &space,
                                 .seed = seed,
                                 .minimize = true,
                                 .run_cap = TRIALS + (int64_t)crowd.first - 1,
                                 .parallel = (int64_t)crowd.first,
                                 .options = options};
    if (rc == 0 && !(run.search = search_open(method, &setup, err)))
        rc = -1;
    run.seen = idmap_new();
    if (rc == 0)
        rc = run_through(&run, crowd, err);
    idmap_free(run.seen);
    search_free(run.search);
    arena_free(run.points);
    arena_free(a);
    return rc;
}

static int crowd_parse(struct crowd *crowd, const char *text, struct err *err)
{
    char *end;
    long first = strtol(text, &end, 10);
    long then = *end == ':' ? strtol(end + 1, &end, 10) : first;
    if (*end || then < 1 || first < then || first > MOST_PENDING)
        return err_set(err, ERR_INPUT, "1 to %d may be pending, not %s",
                       MOST_PENDING, text);
    *crowd = (struct crowd){(size_t)first, (size_t)then};
    return 0;
}

static int quality(char **argv, int count, struct err *err)
{
    struct arena *a = arena_new();
    const struct value *options = NULL;
    char *tilde = strchr(argv[1], '~');
    struct asked asked = {.noise = tilde ? strtod(tilde + 1, NULL) : 0};
    if (tilde)
        *tilde = 0;
    asked.problem = problem_find(argv[1]);
    long first = strtol(argv[2], NULL, 10), last = strtol(argv[3], NULL, 10);
    struct crowd crowd = {0};
    int rc = 0;
    if (!asked.problem)
        rc = err_set(err, ERR_INPUT, "there is no problem %s", argv[1]);
    else if (crowd_parse(&crowd, argv[4], err))
        rc = -1;
    else if (count > 5 &&
             !(options = json_parse(a, str_of(argv[5]), "options", true, err)))
        rc = -1;
    for (long seed = first; rc == 0 && seed <= last; seed++)
        rc = run_one(asked, argv[0], (uint64_t)seed, crowd, options, err);
    arena_free(a);
    return rc;
}

/* ---- cost ------------------------------------------------------------- */

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

static struct result result_of(const struct problem *p, int64_t k,
                               const struct value *point)
{
    return (struct result){
        .trial = k, .point = point, .state = STATE_DONE, .value = p->f(point)};
}

static void tell(struct search *s, const struct problem *p, int64_t k,
                 const struct value *point)
{
    struct result r = result_of(p, k, point);
    search_tell(s, &r);
}

static void fill(struct search *s, const struct space *space,
                 const struct problem *p, int64_t n, struct arena *scratch)
{
    for (int64_t k = 1; k <= n; k++) {
        struct rng r;
        arena_reset(scratch);
        rng_init(&r, 1, (uint64_t)k, "fill");
        tell(s, p, k, space_sample(space, &r, scratch));
    }
}

static int step(struct search *s, const struct problem *p, int64_t k,
                struct arena *scratch, struct err *err)
{
    struct suggestion got;
    arena_reset(scratch);
    if (search_ask(s, k, scratch, &got, err) != SEARCH_HERE)
        return -1;
    tell(s, p, k, got.point);
    return 0;
}

static int time_steps(struct search *s, const struct problem *p, int64_t n,
                      int rounds, struct err *err)
{
    double took[ROUNDS], sum = 0;
    struct arena *scratch = arena_new();
    int rc = 0;
    for (int i = 0; rc == 0 && i < rounds; i++) {
        double before = seconds();
        rc = step(s, p, n + 1 + i, scratch, err);
        took[i] = seconds() - before;
        sum += took[i];
    }
    arena_free(scratch);
    if (rc)
        return -1;
    qsort(took, (size_t)rounds, sizeof(*took), by_size);
    printf("%lld %.3f %.3f\n", (long long)n, took[rounds / 2] * 1e6,
           sum / rounds * 1e6);
    return 0;
}

static bool is_slow(const char *method)
{
    return strcmp(method, "gp") == 0 || strcmp(method, "bayes") == 0 ||
           strcmp(method, "forest") == 0 || strcmp(method, "auto") == 0;
}

/* A search on 8 parameters with n results; NULL when it cannot be opened. */
static struct search *filled(const char *method, struct space *space, int64_t n,
                             struct arena *a, struct err *err)
{
    const struct problem *p = problem_find("eight");
    if (space_of(space, p, a, err))
        return NULL;
    struct search_setup setup = {
        .space = space, .minimize = true, .run_cap = n + 1000};
    struct search *s = search_open(method, &setup, err);
    struct arena *scratch = arena_new();
    if (s)
        fill(s, space, p, n, scratch);
    arena_free(scratch);
    return s;
}

static int cost(const char *method, int64_t n, struct err *err)
{
    struct arena *a = arena_new();
    struct space space;
    struct search *s = filled(method, &space, n, a, err);
    int rc = s ? time_steps(s, problem_find("eight"), n,
                            is_slow(method) ? FEW_ROUNDS : ROUNDS, err)
               : -1;
    search_free(s);
    arena_free(a);
    return rc;
}

static int batch(const char *method, int64_t n, int64_t count, struct err *err)
{
    struct arena *a = arena_new();
    struct space space;
    struct suggestion got;
    struct search *s = filled(method, &space, n, a, err);
    double before = seconds();
    int rc = s ? 0 : -1;
    for (int64_t k = n + 1; rc == 0 && k <= n + count; k++)
        rc = search_ask(s, k, a, &got, err) == SEARCH_HERE ? 0 : -1;
    if (rc == 0)
        printf("%lld %.1f\n", (long long)n, (seconds() - before) * 1e3);
    search_free(s);
    arena_free(a);
    return rc;
}

/* Runs n trials of a method; what they were is kept. */
static int run_trials(const char *method, const struct search_setup *setup,
                      struct result *results, int64_t n, struct arena *a,
                      struct err *err)
{
    const struct problem *p = problem_find("eight");
    struct search *s = search_open(method, setup, err);
    struct suggestion got;
    int rc = s ? 0 : -1;
    for (int64_t k = 1; rc == 0 && k <= n; k++) {
        if (search_ask(s, k, a, &got, err) != SEARCH_HERE) {
            rc = -1;
            break;
        }
        results[k] = result_of(p, k, got.point);
        search_tell(s, &results[k]);
    }
    search_free(s);
    return rc;
}

static int resume(const char *method, int64_t n, struct err *err)
{
    const struct problem *p = problem_find("eight");
    struct arena *a = arena_new();
    struct space space;
    struct suggestion got;
    struct search *s = NULL;
    struct result *results = xcalloc((size_t)n + 1, sizeof(*results));
    struct search_setup setup = {
        .space = &space, .minimize = true, .run_cap = n + 1000};
    int rc = space_of(&space, p, a, err);
    if (rc == 0)
        rc = run_trials(method, &setup, results, n, a, err);
    double before = seconds();
    if (rc == 0 && !(s = search_open(method, &setup, err)))
        rc = -1;
    for (int64_t k = 1; rc == 0 && k <= n; k++)
        search_tell(s, &results[k]);
    if (rc == 0)
        rc = search_ask(s, n + 1, a, &got, err) == SEARCH_HERE ? 0 : -1;
    if (rc == 0)
        printf("%lld %.2f\n", (long long)n, (seconds() - before) * 1e3);
    search_free(s);
    free(results);
    arena_free(a);
    return rc;
}

static size_t bytes_used(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static int memory(const char *method, int64_t n, struct err *err)
{
    struct arena *a = arena_new();
    struct space space;
    size_t before = bytes_used();
    struct search *s = filled(method, &space, n, a, err);
    if (s)
        printf("%.1f\n", (double)(bytes_used() - before) / (double)n);
    search_free(s);
    arena_free(a);
    return s ? 0 : -1;
}

/* ---- the problems for others ------------------------------------------ */

static int print_space(const char *name, struct err *err)
{
    const struct problem *p = problem_find(name);
    struct arena *a = arena_new();
    struct buf b;
    if (!p)
        return err_set(err, ERR_INPUT, "there is no problem %s", name);
    buf_init(&b);
    struct value *v = problem_space_text(p, a, err);
    if (v) {
        json_print(&b, v);
        puts(b.p);
    }
    buf_done(&b);
    arena_free(a);
    return v ? 0 : -1;
}

static int evaluate(const char *name, struct err *err)
{
    const struct problem *p = problem_find(name);
    struct arena *a = arena_new();
    char *line = NULL;
    size_t cap = 0;
    int rc = 0;
    if (!p)
        rc = err_set(err, ERR_INPUT, "there is no problem %s", name);
    while (rc == 0 && getline(&line, &cap, stdin) > 0) {
        arena_reset(a);
        struct value *point = json_parse(a, str_of(line), "point", true, err);
        if (point)
            printf("%.17g\n", p->f(point) - p->least);
        fflush(stdout);
        rc = point ? 0 : -1;
    }
    free(line);
    arena_free(a);
    return rc;
}

static int list_problems(void)
{
    for (size_t i = 0; i < problem_count; i++)
        printf("%s %d\n", problems[i].name, problems[i].compared);
    return 0;
}

static int list_methods(void)
{
    for (size_t i = 0; search_methods[i]; i++) {
        const char *name = search_methods[i]->name;
        if (strcmp(name, "points") != 0 && strcmp(name, "external") != 0 &&
            strcmp(name, "grid") != 0)
            puts(name);
    }
    return 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: search_bench methods\n"
                    "       search_bench problems\n"
                    "       search_bench space|evaluate PROBLEM\n"
                    "       search_bench quality METHOD PROBLEM SEED LAST "
                    "[FIRST:]PENDING [OPTIONS]\n"
                    "       search_bench cost METHOD N...\n"
                    "       search_bench memory METHOD N\n"
                    "       search_bench resume METHOD N\n"
                    "       search_bench batch METHOD N COUNT\n");
    return 2;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    int rc = 0;
    const char *verb = argc > 1 ? argv[1] : "";
    if (strcmp(verb, "problems") == 0)
        rc = list_problems();
    else if (strcmp(verb, "methods") == 0)
        rc = list_methods();
    else if (strcmp(verb, "space") == 0 && argc == 3)
        rc = print_space(argv[2], &err);
    else if (strcmp(verb, "evaluate") == 0 && argc == 3)
        rc = evaluate(argv[2], &err);
    else if (strcmp(verb, "quality") == 0 && (argc == 7 || argc == 8))
        rc = quality(argv + 2, argc - 2, &err);
    else if (strcmp(verb, "memory") == 0 && argc == 4)
        rc = memory(argv[2], strtoll(argv[3], NULL, 10), &err);
    else if (strcmp(verb, "resume") == 0 && argc == 4)
        rc = resume(argv[2], strtoll(argv[3], NULL, 10), &err);
    else if (strcmp(verb, "batch") == 0 && argc == 5)
        rc = batch(argv[2], strtoll(argv[3], NULL, 10),
                   strtoll(argv[4], NULL, 10), &err);
    else if (strcmp(verb, "cost") == 0 && argc > 3)
        for (int i = 3; rc == 0 && i < argc; i++)
            rc = cost(argv[2], strtoll(argv[i], NULL, 10), &err);
    else
        return usage();
    return rc ? complain(&err) : 0;
}
