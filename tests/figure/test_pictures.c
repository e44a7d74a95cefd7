/* test_pictures.c - the pictures of docs/reference/figures.md
 *
 *     test_pictures              compares them with what is drawn now
 *     test_pictures --update     writes them
 *
 * One made study, the same on every machine, is drawn as each kind. */
#include "made_study.h"
#include "base/rng.h"
#include "plot/plot.h"

#define TRIALS 90
#define FOLDER "docs/pictures/figures"

static double bowl(double lr_power, int layers, int act, double momentum)
{
    double x = lr_power + 2, y = layers - 3, z = momentum - 0.6;
    return 0.1 + 0.5 * x * x + 0.05 * y * y + z * z + (act == 1 ? 0.3 : 0);
}

static void add_reports(struct made *m, int64_t id, double loss, int steps)
{
    static const double above[] = {2, 1.4, 1, 0.7, 0.5, 0.35, 0.2, 0.1, 0};
    int64_t at[9];
    double values[9];
    for (int i = 0; i < steps; i++) {
        at[i] = i + 1;
        values[i] = loss + above[i];
        if (i == 0 || i == 2 || i == 8)
            made_report(m, id, i + 1, values[i]);
    }
    assert_ok(m, made_points(m, id, 1, "loss", METRIC_FROM_METRICS, at, values,
                             (size_t)steps));
}

/* The worse, the earlier it is stopped. */
static void add_trial(struct made *m, struct rng *r, int64_t id)
{
    static const char *const acts[] = {"relu", "tanh", "gelu"};
    double power = -4 + (double)rng_below(r, 4000) / 1000;
    double momentum = (double)rng_below(r, 990) / 1000;
    int act = (int)rng_below(r, 3), layers = 1 + (int)rng_below(r, 6);
    double loss = bowl(power, layers, act, momentum);
    int steps = loss < 0.5 ? 9 : loss < 1 ? 3 : 1;
    double begin = 1000 + 4 * (double)((id - 1) / 4) + (double)(id % 4);
    struct attempt a = {.trial = id,
                        .number = 1,
                        .outcome = id % 17 == 0 ? OUTCOME_FAILED
                                   : steps < 9  ? OUTCOME_STOPPED
                                                : OUTCOME_DONE,
                        .started = begin,
                        .ended = begin + 1 + (double)steps / 3,
                        .first_step = INT64_MAX};
    bool failed = a.outcome == OUTCOME_FAILED;
    snprintf(a.host, sizeof(a.host), "node%d", (int)(id % 2) + 1);
    made_trial(m, id,
               arena_printf(m->a,
                            "{\"act\":\"%s\",\"layers\":%d,\"lr\":%.6g,"
                            "\"momentum\":%.6g}",
                            acts[act], layers, pow(10, power), momentum),
               failed      ? STATE_FAILED
               : steps < 9 ? STATE_STOPPED
                           : STATE_DONE,
               failed ? NAN : loss);
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
    if (failed)
        return;
    made_summary(m, id,
                 arena_printf(m->a,
                              "{\"loss\":{\"last\":%.9g,\"min\":%.9g},"
                              "\"size\":{\"last\":%d,\"min\":%d}}",
                              loss, loss, layers * 100 + act,
                              layers * 100 + act),
                 "");
    add_reports(m, id, loss, steps);
}

static void add_files(struct made *m)
{
    struct buf b;
    struct rng r;
    buf_init(&b);
    buf_adds(&b, "truth,mean,sd\n");
    rng_init(&r, 1, 1, "predictions");
    for (int i = 0; i < 3000; i++) {
        double sd = 0.2 + (double)rng_below(&r, 1000) / 1000, z = -6;
        for (int k = 0; k < 12; k++)
            z += (double)rng_below(&r, 1000) / 1000;
        buf_addf(&b, "%.6g,0,%.6g\n", z * sd * 1.3, sd);
    }
    assert_ok(m, file_write(path_join(m->a, m->folder, "predictions.csv"),
                            buf_str(&b), false, &m->err));
    buf_reset(&b);
    buf_adds(&b, "{\"heads\":[{\"name\":\"y\",\"classes\":[\"ship\",\"plane\","
                 "\"bird\",\"frog\"],\"counts\":[[91,6,2,1],[8,84,7,1],"
                 "[1,9,80,10],[0,2,5,93]]}]}");
    assert_ok(m, file_write(path_join(m->a, m->folder, "confusion.json"),
                            buf_str(&b), false, &m->err));
    buf_done(&b);
}

static void make_all(struct made *m)
{
    struct rng r;
    made_fact(m, "name", "bowl");
    made_fact(m, "metric", "loss");
    made_fact(m, "goal", "minimize");
    made_fact(m, "space",
              "{\"version\":1,\"parameters\":["
              "{\"name\":\"act\",\"distribution\":\"categorical\","
              "\"values\":[\"relu\",\"tanh\",\"gelu\"]},"
              "{\"name\":\"layers\",\"distribution\":\"int_uniform\",\"min\":1,"
              "\"max\":6},"
              "{\"name\":\"lr\",\"distribution\":\"log_uniform_values\","
              "\"min\":0.0001,\"max\":1.0},"
              "{\"name\":\"momentum\",\"distribution\":\"uniform\",\"min\":0.0,"
              "\"max\":0.99}]}");
    rng_init(&r, 1, 0, "pictures");
    for (int64_t id = 1; id <= TRIALS; id++)
        add_trial(m, &r, id);
    add_files(m);
    made_commit(m);
    store_lease_release(m->s);
}

static void draw(struct made *m, const struct figure_kind *kind, struct buf *b)
{
    struct figure_asked asked = {
        .store = m->s, .study = "bowl", .home = m->folder};
    const struct plot_look look = {.width = 480, .height = 300};
    struct plot p;
    if (!strcmp(kind->name, "uncertainty"))
        asked.file = path_join(m->a, m->folder, "predictions.csv");
    if (!strcmp(kind->name, "confusion"))
        asked.file = path_join(m->a, m->folder, "confusion.json");
    if (!strcmp(kind->name, "pareto")) {
        asked.x = "size";
        asked.y = "loss";
    }
    plot_init(&p, m->a);
    if (figure_make(kind, &asked, &p, &m->err) ||
        (asked.file && !(p.title = kind->name)) ||
        plot_draw(&p, plot_backend_of("a.svg", &m->err), &look, b, &m->err))
        fail_msg("%s: %s", kind->name, m->err.text);
    plot_done(&p);
}

static bool update;

static void the_pictures_are_what_is_drawn(void **state)
{
    struct made *m = *state;
    struct buf now, then;
    make_all(m);
    buf_init(&now);
    buf_init(&then);
    for (size_t i = 0; figure_kinds[i]; i++) {
        const char *path = arena_printf(m->a, "%s/" FOLDER "/%s.svg", PROJECT,
                                        figure_kinds[i]->name);
        buf_reset(&now);
        buf_reset(&then);
        draw(m, figure_kinds[i], &now);
        if (update)
            assert_ok(m, file_write(path, buf_str(&now), false, &m->err));
        assert_ok(m, file_read(path, 0, &then, &m->err));
        if (!str_eq(buf_str(&now), buf_str(&then)))
            fail_msg("%s is not what is drawn now; look at it, then run "
                     "test_figure_pictures --update",
                     path);
    }
    buf_done(&now);
    buf_done(&then);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_pictures_are_what_is_drawn,
                                        made_setup, made_teardown),
    };
    update = argc > 1 && !strcmp(argv[1], "--update");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
