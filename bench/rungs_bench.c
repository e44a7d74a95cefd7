/* rungs_bench.c - what early stopping saves, and how fast a study goes on
 *
 *     rungs_bench asha METHOD SEEDS TRIALS [PROBLEM]
 *     rungs_bench resume METHOD TRIALS
 *
 * `asha` trains on the multi-fidelity problem of the baselines, curves of 81
 * epochs that cross, or on a relative of it. For each seed, TRIALS trials of
 * 81 epochs each, and then as many as a fifth of those epochs allow with
 * early_terminate asha; prints "seed regret epochs regret epochs", full
 * training first, where the regret is that of the trial with the lowest loss
 * seen at epoch 81, without noise.
 * `resume` runs a study of TRIALS trials on the fake place, opens it again
 * eleven times and prints the median in milliseconds, then the same without
 * what is the same for an empty study. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "search/search.h"
#include "study/study.h"
#include "terms/state.h"

#define PI 3.14159265358979323846
enum { EPOCHS = 81, MOST_WIDTH = 8 };

/* ---- the problems ------------------------------------------------------ */

static uint64_t split_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double gauss(uint64_t seed, uint64_t trial, uint64_t step)
{
    uint64_t k = split_mix(split_mix(split_mix(seed) ^ trial) ^ step);
    double u1 = ((double)(k >> 11) + 0.5) / 9007199254740992.0;
    double u2 = ((double)(split_mix(k) >> 11) + 0.5) / 9007199254740992.0;
    return sqrt(-2 * log(u1)) * cos(2 * PI * u2);
}

static double bowl(const double *x)
{
    return 0.10 + 1.2 * pow(x[1] - 0.31, 2) + 0.8 * pow(x[2] - 0.72, 2) +
           0.5 * pow(x[3] - 0.44, 2) +
           0.02 * (1 - cos(10 * PI * (x[2] - 0.72)));
}

/* Who learns fast (a large x0) ends higher. */
static double crossing(const double *x, double epoch)
{
    return bowl(x) + 0.15 * x[0] * x[0] +
           (1 + x[1]) * pow(epoch, -(0.25 + 0.9 * x[0]));
}

/* Who is ahead stays ahead. */
static double parallel(const double *x, double epoch)
{
    return bowl(x) + 0.6 * pow(x[0] - 0.6, 2) + pow(epoch, -0.6);
}

/* Half of what x0 gives at the start is lost, and more, by the end. */
static double overfit(const double *x, double epoch)
{
    double part = epoch / EPOCHS;
    return bowl(x) + 0.6 * pow(x[0] - 0.9, 2) * (1 - part) +
           0.6 * pow(x[0] - 0.3, 2) * part + pow(epoch, -0.5 - 0.3 * x[1]);
}

/* The first epochs say little but about x0 and x4. */
static double wide(const double *x, double epoch)
{
    double rest = 0;
    for (int i = 4; i < MOST_WIDTH; i++)
        rest += 0.3 * pow(x[i] - 0.1 * i, 2);
    return bowl(x) + 0.15 * x[0] * x[0] + rest +
           (1 + x[4]) * pow(epoch, -(0.25 + 0.9 * x[0]));
}

struct curves {
    const char *name;
    double (*loss)(const double *x, double epoch);
    int width;
    double noise; /* of the first epoch; falls with the root of epochs */
    double least; /* at the end; NaN: to be looked for */
};

static const struct curves all_curves[] = {
    {"crossing", crossing, 4, 0.01, 0.19427051886219865},
    {"noisy", crossing, 4, 0.1, 0.19427051886219865},
    {"parallel", parallel, 4, 0.01, NAN},
    {"overfit", overfit, 4, 0.01, NAN},
    {"wide", wide, 8, 0.01, NAN}};

static const struct curves *curves_of(const char *name, struct err *err)
{
    for (size_t i = 0; i < sizeof(all_curves) / sizeof(*all_curves); i++)
        if (strcmp(all_curves[i].name, name) == 0)
            return &all_curves[i];
    err_set(err, ERR_INPUT, "there is no problem %s", name);
    return NULL;
}

/* The lowest loss at the end: one parameter at a time, in steps that become
 * smaller. All problems have one valley that counts, and every start finds
 * it that begins in the right dent of x2. */
static double least_from(const struct curves *p, double *x)
{
    double best = p->loss(x, EPOCHS);
    for (double step = 0.2; step > 1e-9;) {
        bool better = false;
        for (int i = 0; i < 2 * p->width; i++) {
            double old = x[i / 2];
            x[i / 2] = fmin(fmax(old + (i % 2 ? step : -step), 0), 1);
            double loss = p->loss(x, EPOCHS);
            if (loss < best)
                better = true, best = loss;
            else
                x[i / 2] = old;
        }
        step *= better ? 1 : 0.5;
    }
    return best;
}

static double least_of(const struct curves *p)
{
    double best = p->least;
    for (int start = 0; isnan(p->least) && start < 20; start++) {
        double x[MOST_WIDTH];
        for (int i = 0; i < p->width; i++)
            x[i] = (start + 0.5) / 20;
        best = fmin(least_from(p, x), best);
    }
    return best;
}

/* ---- training ---------------------------------------------------------- */

struct trained {
    double x[MOST_WIDTH];
    struct value *point;
    int64_t epochs;
};

struct training {
    const struct curves *problem;
    struct search *search;
    uint64_t seed;
    struct arena *arena;
    VEC(struct trained) trials; /* of suggestion 1, 2, … */
    int64_t epochs, most;
    double best, answer; /* the lowest loss seen at the end; without noise */
};

static void set_point(struct trained *t, struct value *point, int width)
{
    t->point = point;
    for (int i = 0; i < width; i++) {
        char name[4];
        snprintf(name, sizeof(name), "x%d", i);
        t->x[i] = value_number(value_get(point, str_of(name)));
    }
}

/* Trains trial k to its budget, or until it is told to stop. */
static void train(struct training *g, int64_t k, int64_t budget)
{
    struct trained *t = &g->trials.p[k - 1];
    enum decision d = DECISION_CONTINUE;
    double loss = NAN;
    int64_t until = budget > 0 ? budget : EPOCHS;
    while (t->epochs < until && d == DECISION_CONTINUE) {
        t->epochs++;
        g->epochs++;
        loss = g->problem->loss(t->x, (double)t->epochs) +
               g->problem->noise / sqrt((double)t->epochs) *
                   gauss(g->seed, (uint64_t)k, (uint64_t)t->epochs);
        d = search_report(g->search, k, t->epochs, loss);
    }
    if (t->epochs == EPOCHS && !(loss >= g->best)) {
        g->best = loss;
        g->answer = g->problem->loss(t->x, EPOCHS);
    }
    struct result r = {.trial = k,
                       .point = t->point,
                       .state = search_pauses(g->search, k) ? STATE_PAUSED
                                : d == DECISION_STOP        ? STATE_STOPPED
                                                            : STATE_DONE,
                       .value = loss};
    search_tell(g->search, &r);
}

static int train_all(struct training *g, struct err *err)
{
    while (g->epochs < g->most) {
        struct suggestion s;
        struct trained fresh = {0};
        if (search_promote(g->search, &s) == SEARCH_HERE) {
            train(g, s.replaces, s.budget);
            continue;
        }
        int64_t k = (int64_t)g->trials.len + 1;
        if (search_ask(g->search, k, g->arena, &s, err) != SEARCH_HERE)
            return -1;
        set_point(&fresh, s.point, g->problem->width);
        vec_push(&g->trials, fresh);
        train(g, k, s.budget);
    }
    return 0;
}

/* The text of a space of numbers from 0 to 1; it lives in the arena. */
static char *space_text(struct arena *a, int width)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "{\"version\":1,\"parameters\":[");
    for (int i = 0; i < width; i++)
        buf_addf(&b,
                 "%s{\"name\":\"x%d\",\"distribution\":\"uniform\","
                 "\"min\":0.0,\"max\":1.0}",
                 i ? "," : "", i);
    buf_adds(&b, "]}");
    char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* One search; its best trial's loss and the epochs that it took. */
static int one_run(const char *method, const struct curves *problem,
                   uint64_t seed, const struct early *early, int64_t epochs,
                   struct training *g, struct err *err)
{
    struct arena *a = arena_new();
    struct space space;
    struct search_setup setup = {
        .space = &space, .seed = seed, .minimize = true, .early = early};
    char *text = space_text(a, problem->width);
    struct value *v = json_parse(a, str_of(text), "space", false, err);
    *g = (struct training){.problem = problem,
                           .seed = seed,
                           .arena = a,
                           .most = epochs,
                           .best = NAN,
                           .answer = NAN};
    if (v && space_from_value(&space, v, a, err) == 0)
        g->search = search_open(method, &setup, err);
    int rc = g->search ? train_all(g, err) : -1;
    search_free(g->search);
    vec_done(&g->trials);
    arena_free(a);
    return rc;
}

static int asha(const char *method, uint64_t seeds, int64_t trials,
                const char *name, struct err *err)
{
    static const struct early early = {.kind = EARLY_ASHA,
                                       .min_iter = 1,
                                       .max_iter = EPOCHS,
                                       .eta = 3,
                                       .brackets = 1,
                                       .promote = true};
    const struct curves *problem = curves_of(name, err);
    double least = problem ? least_of(problem) : NAN;
    for (uint64_t seed = 0; problem && seed < seeds; seed++) {
        struct training full, some;
        if (one_run(method, problem, seed, NULL, trials * EPOCHS, &full, err) ||
            one_run(method, problem, seed, &early, trials * EPOCHS / 5 - EPOCHS,
                    &some, err))
            return -1;
        printf("%llu %.9g %lld %.9g %lld\n", (unsigned long long)seed,
               full.answer - least, (long long)full.epochs, some.answer - least,
               (long long)some.epochs);
    }
    return problem ? 0 : -1;
}

/* ---- going on ---------------------------------------------------------- */

static int no_files(void *context, const char *path, struct str *text,
                    struct err *err)
{
    (void)context;
    (void)text;
    return err_set(err, ERR_MISSING, "%s is not there", path);
}

/* Opens the study, and runs it when `end` is there; milliseconds. */
static double open_study(const struct plan *plan, const char *home,
                         enum study_end *end, struct err *err)
{
    static const struct machine machine = {
        .host = "here", .cpus = 64, .memory_bytes = 8ull << 30};
    struct arena *a = arena_new();
    struct study_setup setup = {.plan = plan,
                                .home = home,
                                .folder = path_join(a, home, ".throng/s"),
                                .place = "fake",
                                .worker = "none",
                                .loop = loop_new(err),
                                .machine = &machine};
    int64_t from = clock_mono_ns();
    struct study *s = study_open(&setup, err);
    double took = s ? (double)(clock_mono_ns() - from) / 1e6 : -1;
    if (s && end && study_run(s, end, err))
        took = -1;
    study_close(s);
    loop_free(setup.loop);
    arena_free(a);
    return took;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median_open(const struct plan *plan, const char *home,
                          struct err *err)
{
    double ms[11];
    for (int i = 0; i < 11; i++)
        if ((ms[i] = open_study(plan, home, NULL, err)) < 0)
            return -1;
    qsort(ms, 11, sizeof(*ms), by_number);
    return ms[5];
}

/* The text of a study of n trials; it lives in the arena. */
static char *study_text(struct arena *a, const char *method, int64_t n)
{
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "method: %s\nseed: 1\nrun_cap: %lld\nmetric: {name: loss}\n",
             method, (long long)n);
    buf_adds(&b, "command: [x, 'metric=loss:{x0}']\nparameters:\n");
    for (int i = 0; i < 8; i++)
        buf_addf(&b, "  x%d: {min: 0.0, max: 1.0}\n", i);
    char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static double measure(const char *method, int64_t n, struct err *err)
{
    char home[] = "/tmp/throng-bench-XXXXXX";
    struct plan_reader reader = {.files = {.read = no_files},
                                 .methods = search_methods};
    struct arena *a = arena_new();
    struct problems problems;
    enum study_end end;
    double ms = -1;
    problems_init(&problems, a);
    struct plan *plan = plan_read(str_of(study_text(a, method, n)), "s.yaml",
                                  &reader, a, &problems);
    if (!plan || !mkdtemp(home))
        err_set(err, ERR_INPUT, "no study of method %s", method);
    else if (open_study(plan, home, &end, err) >= 0)
        ms = median_open(plan, home, err);
    if (plan)
        dir_remove(home, NULL);
    plan_close(plan);
    arena_free(a);
    return ms;
}

static int resume(const char *method, int64_t trials, struct err *err)
{
    double full = measure(method, trials, err);
    double empty = full < 0 ? -1 : measure(method, 1, err);
    if (empty < 0)
        return -1;
    printf("%.2f %.2f\n", full, full - empty);
    return 0;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    int rc = 0;
    if ((argc == 5 || argc == 6) && strcmp(argv[1], "asha") == 0)
        rc = asha(argv[2], strtoull(argv[3], NULL, 10),
                  strtoll(argv[4], NULL, 10), argc == 6 ? argv[5] : "crossing",
                  &err);
    else if (argc == 4 && strcmp(argv[1], "resume") == 0)
        rc = resume(argv[2], strtoll(argv[3], NULL, 10), &err);
    else
        rc = err_set(&err, ERR_INPUT,
                     "usage: rungs_bench asha METHOD SEEDS TRIALS [PROBLEM] | "
                     "resume METHOD TRIALS");
    if (rc)
        fprintf(stderr, "rungs_bench: %s\n", err.text);
    return rc ? 2 : 0;
}
