/* test_data.c - the numbers behind each kind of figure
 *
 * Each kind has a golden table here; a kind without one fails. What is drawn of
 * it is looked at on every canvas. */
#include "made_study.h"
#include "plot/plot.h"

static void draw_everywhere(const struct plot *p)
{
    static const double sizes[][2] = {{24, 10}, {80, 24}, {200, 50}};
    struct err err = {0};
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < 3; i++) {
        struct plot_look look = {.width = sizes[i][0], .height = sizes[i][1]};
        if (plot_draw(p, plot_backend_of("terminal", &err), &look, &b, &err))
            fail_msg("%s", err.text);
    }
    if (plot_draw(p, plot_backend_of("a.svg", &err), &(struct plot_look){0}, &b,
                  &err))
        fail_msg("%s", err.text);
    buf_done(&b);
}

static int make_plot(struct made *m, const char *kind,
                     struct figure_asked asked, struct plot *p, struct err *err)
{
    store_lease_release(
        m->s); /* nobody runs it: time ends with what is known */
    asked.store = m->s;
    asked.study = "s";
    asked.home = m->folder;
    plot_init(p, m->a);
    const struct figure_kind *k = figure_kind_of(kind, err);
    return k ? figure_make(k, &asked, p, err) : -1;
}

/* The table of a figure, or what is wrong. */
static const char *data_of(struct made *m, const char *kind,
                           struct figure_asked asked)
{
    struct plot p;
    struct buf b;
    struct err err = {0};
    buf_init(&b);
    if (make_plot(m, kind, asked, &p, &err)) {
        buf_adds(&b, err.text);
    } else {
        plot_csv(&b, &p);
        assert_non_null(p.title);
        assert_non_null(p.subtitle);
        draw_everywhere(&p);
    }
    const char *text = arena_cstr(m->a, buf_str(&b));
    buf_done(&b);
    plot_done(&p);
    return text;
}

#define ASKED(...) ((struct figure_asked){__VA_ARGS__})

static void put_file(struct made *m, const char *name, const char *text)
{
    const char *folder = store_trial_folder(m->s, 4, m->a);
    const char *path = path_join(m->a, folder, name);
    assert_ok(m, dir_make(path_folder(m->a, path), &m->err));
    assert_ok(m, file_write(path, str_of(text), false, &m->err));
}

/* What each kind has of the made study. */
static const struct {
    const char *kind;
    struct figure_asked asked;
    const char *data;
} golden[] = {
    {"history",
     {0},
     "trial,state,loss,best\n1,done,3,3\n2,stopped,4,3\n4,done,1.5,1.5\n"
     "5,done,2,1.5\n"},
    {"curves",
     {0},
     "trial,step,loss\n1,1,4\n1,2,3\n2,1,5\n2,2,4\n4,1,2.5\n4,2,1.5\n5,1,3\n"
     "5,2,2\n"},
    {"curves",
     {.group = "act"},
     "act,step,trials,q05,q25,q50,q75,q95\n"
     "relu,1,2,3.05,3.25,3.5,3.75,3.95\nrelu,2,2,2.05,2.25,2.5,2.75,2."
     "9499999999999997\n"
     "tanh,1,2,2.625,3.125,3.75,4.375,4.875\n"
     "tanh,2,2,1.6249999999999998,2.125,2.75,3.375,3.875\n"},
    {"slice",
     {.params = "lr,act"},
     "trial,state,loss,lr,act\n1,done,3,0.1,relu\n2,stopped,4,0.01,tanh\n"
     "4,done,1.5,0.5,tanh\n5,done,2,0.002,relu\n"},
    {"contour",
     {0},
     "trial,state,loss,layers,lr\n1,done,3,1,0.1\n2,stopped,4,2,0.01\n"
     "4,done,1.5,1,0.5\n5,done,2,1,0.002\n"},
    {"parallel",
     {.params = "lr,act", .metric = "size"},
     "trial,state,size,lr,act\n1,done,10,0.1,relu\n2,stopped,8,0.01,tanh\n"
     "4,done,20,0.5,tanh\n5,done,9,0.002,relu\n"},
    {"pareto",
     {.x = "loss", .y = "size"},
     "trial,loss,size,front\n1,3,10,0\n2,4,8,1\n4,1.5,20,1\n5,2,9,1\n"},
    {"heat",
     {.x = "layers", .y = "act"},
     "layers,act,trials,mean,min,max\n1,relu,2,2.5,2,3\n2,relu,0,,,\n"
     "1,tanh,1,1.5,1.5,1.5\n2,tanh,1,4,4,4\n"},
    {"matrix",
     {.x = "act", .y = "layers", .stat = "min"},
     "act,layers,trials,mean,min,max\nrelu,1,2,2.5,2,3\ntanh,1,1,1.5,1.5,1.5\n"
     "relu,2,0,,,\ntanh,2,1,4,4,4\n"},
    {"rungs",
     {0},
     "rung,trial,loss,fate\n1,4,2.25,went on\n1,1,4,went on\n"
     "1,2,5,stopped here\n3,4,1.5,reached its end\n"
     "3,1,3,reached its end\n"},
    {"gantt",
     {0},
     "trial,attempt,host,lane,from,to,outcome\n1,1,n1,1,0,8,done\n"
     "2,1,n1,2,0,8,stopped\n3,1,n1,1,10,18,failed\n4,1,n1,2,10,18,done\n"
     "5,1,n1,1,20,28,done\n6,1,n1,2,20,28,done\n"},
    {"confusion",
     {0},
     "is,predicted,rows\ncat,cat,7\ncat,dog,1\ndog,cat,2\ndog,dog,5\n"},
};

static void each_kind_has_its_numbers(void **state)
{
    struct made *m = *state;
    made_study(m);
    put_file(m, "output/confusion.json",
             "{\"heads\":[{\"name\":\"y\",\"classes\":[\"cat\",\"dog\"],"
             "\"counts\":[[7,1],[2,5]]}]}");
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++)
        assert_string_equal(golden[i].data,
                            data_of(m, golden[i].kind, golden[i].asked));
}

/* What a method makes its points in. */
static void history_has_the_batches_of_a_method(void **state)
{
    static const struct {
        const char *method, *data;
    } cases[] = {
        {"method: ga\nga: {population: 2, strategy: simple}\n",
         "trial,state,loss,best,batch,batch_min,batch_mean\n"
         "1,done,3,3,1,3,3.5\n2,stopped,4,3,1,3,3.5\n"
         "4,done,1.5,1.5,2,1.5,1.5\n5,done,2,1.5,3,2,2\n"},
        {"method: tpe\norder: batch\nbatch: 4\n",
         "trial,state,loss,best,batch,batch_min,batch_mean\n"
         "1,done,3,3,1,1.5,2.8333333333333335\n"
         "2,stopped,4,3,1,1.5,2.8333333333333335\n"
         "4,done,1.5,1.5,1,1.5,2.8333333333333335\n5,done,2,1.5,2,2,2\n"},
        {"method: random\n", "trial,state,loss,best\n1,done,3,3\n"
                             "2,stopped,4,3\n4,done,1.5,1.5\n5,done,2,1.5\n"},
    };
    struct made *m = *state;
    made_study(m);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        made_fact(m, "text",
                  arena_printf(m->a,
                               "name: s\ncommand: echo {lr}\nrun_cap: 6\n%s"
                               "metric: {name: loss}\n"
                               "parameters: {lr: {min: 0.001, max: 1.0}}\n",
                               cases[i].method));
        made_commit(m);
        assert_string_equal(cases[i].data,
                            data_of(m, "history", ASKED(.store = NULL)));
        assert_ok(m, store_lease_take(m->s, false, &m->err));
    }
}

static void load_is_what_the_page_shows(void **state)
{
    struct made *m = *state;
    made_study(m);
    const char *text = data_of(m, "load", ASKED(.store = NULL));
    double mean = 0;
    struct str rest = str_of(text), line, cell;
    assert_true(str_split(&rest, '\n', &line));
    assert_true(str_is(line, "seconds,mean,most,host_mean"));
    size_t rows = 0;
    for (; rest.len && str_split(&rest, '\n', &line); rows++) {
        str_split(&line, ',', &cell);
        str_split(&line, ',', &cell);
        mean += strtod(arena_cstr(m->a, cell), NULL);
    }
    assert_int_equal(rows, 24);                    /* 28 s in 24 parts */
    assert_true(fabs(mean * 28 / 24 - 48) < 0.01); /* six times 8 s */
}

/* Each part from its beginning to its end, the last one, too. */
static void load_is_drawn_from_the_first_start_to_the_last_end(void **state)
{
    struct made *m = *state;
    struct plot p;
    made_study(m);
    assert_ok(m, make_plot(m, "load", ASKED(.store = NULL), &p, &m->err));
    const struct plot_panel *panel = p.panels.p[0];
    const struct plot_mark *mean = &panel->marks.p[0], *most = mean + 1;
    assert_int_equal(panel->marks.len, 2);
    assert_int_equal(mean->count, most->count);
    for (size_t i = 0; i < most->count; i++) {
        assert_true(mean->x[i] == most->x[i]);
        assert_true(mean->y2[i] <= most->y[i]);
    }
    assert_true(most->x[0] == 0);
    assert_true(most->x[most->count - 2] < most->x[most->count - 1]);
    assert_true(fabs(most->x[most->count - 1] - 28) < 1e-9);
    plot_done(&p);
}

/* Below the attempts; parts that nobody knows of are empty. */
static void load_has_what_the_time_on_gpus_went_into(void **state)
{
    struct made *m = *state;
    struct plot p;
    struct attempt a = {.trial = 1,
                        .number = 1,
                        .outcome = OUTCOME_DONE,
                        .started = 100,
                        .ended = 110,
                        .seconds = 10,
                        .use = {.device = "cuda", .spent = {1, 6, 2, 1}},
                        .first_step = INT64_MAX};
    made_trial(m, 1, "{}", STATE_DONE, 1);
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
    made_commit(m);
    store_lease_release(m->s);
    assert_ok(m, make_plot(m, "load", ASKED(.store = NULL), &p, &m->err));
    assert_int_equal(p.panels.len, 2);
    const struct plot_panel *gpu = p.panels.p[1];
    assert_int_equal(gpu->marks.len, 4);
    assert_string_equal(gpu->marks.p[0].name, "computing");
    assert_true(gpu->marks.p[0].y2[0] == 0.6);
    assert_true(fabs(gpu->marks.p[3].y2[0] - 1) < 1e-9);
    plot_done(&p);
}

static bool notes_empty_cells(struct made *m, struct figure_asked asked)
{
    struct plot p;
    bool said = false;
    assert_ok(m, make_plot(m, "matrix", asked, &p, &m->err));
    for (size_t i = 0; i < p.notes.len; i++)
        said |= strstr(p.notes.p[i], "empty cells") != NULL;
    plot_done(&p);
    return said;
}

static void empty_cells_are_explained_where_there_are_some(void **state)
{
    struct made *m = *state;
    made_study(m);
    assert_true(notes_empty_cells(m, ASKED(.x = "act", .y = "layers")));
    assert_false(notes_empty_cells(
        m, ASKED(.x = "act", .y = "layers", .where = "layers = 1")));
}

static void importance_has_a_row_for_each_parameter(void **state)
{
    struct made *m = *state;
    made_study(m);
    assert_string_equal("4 results have a value; 10 are needed to say which "
                        "parameters matter",
                        data_of(m, "importance", ASKED(.store = NULL)));
    assert_ok(m, store_lease_take(m->s, false, &m->err));
    for (int64_t i = 7; i < 60; i++)
        made_result(m, i,
                    arena_printf(m->a,
                                 "{\"act\":\"%s\",\"layers\":%d,\"lr\":0.1}",
                                 i % 2 ? "relu" : "tanh", (int)(i % 3) + 1),
                    STATE_DONE, (double)(i % 3), 1);
    made_commit(m);
    const char *text = data_of(m, "importance", ASKED(.store = NULL));
    assert_true(str_starts(str_of(text), STR("parameter,share\nlayers,")));
}

/* Of a normal distribution with the sd that is said. */
static const char *predictions(struct made *m, size_t rows, double said)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "row,truth,mean,sd\n");
    for (size_t i = 0; i < rows; i++) {
        double z = 0; /* the sum of twelve evens is nearly normal */
        for (size_t k = 1; k <= 12; k++) {
            double whole;
            z += modf((double)(i + 1) * sqrt((double)(k * k + k + 1)), &whole);
        }
        double sd = 1 + (double)(i % 10);
        buf_addf(&b, "%zu,%.9g,0,%.9g\n", i, (z - 6) * sd, sd * said);
    }
    const char *text = arena_cstr(m->a, buf_str(&b));
    buf_done(&b);
    return text;
}

static double part_sum(struct made *m, const char *text, const char *part,
                       int column)
{
    struct str rest = str_of(text), line, cell;
    double sum = 0;
    while (rest.len && str_split(&rest, '\n', &line)) {
        if (!str_starts(line, str_of(part)))
            continue;
        for (int i = 0; i <= column; i++)
            str_split(&line, ',', &cell);
        sum += strtod(arena_cstr(m->a, cell), NULL);
    }
    return sum;
}

static void uncertainty_says_whether_sd_is_right(void **state)
{
    struct made *m = *state;
    made_study(m);
    put_file(m, "output/predictions.csv", predictions(m, 20000, 1));
    const char *right = data_of(m, "uncertainty", ASKED(.store = NULL));
    put_file(m, "output/predictions.csv", predictions(m, 20000, 0.5));
    const char *small = data_of(m, "uncertainty", ASKED(.store = NULL));
    assert_true(part_sum(m, right, "reliability", 3) == 20000);
    assert_true(fabs(part_sum(m, right, "coverage", 2) - 9.5) < 0.1);
    assert_true(fabs(part_sum(m, right, "reliability", 1) /
                         part_sum(m, right, "reliability", 2) -
                     1) < 0.02);
    assert_true(part_sum(m, small, "coverage", 2) < 7);
    assert_true(fabs(part_sum(m, small, "reliability", 2) /
                         part_sum(m, small, "reliability", 1) -
                     2) < 0.04);
}

static void what_cannot_be_drawn_is_said(void **state)
{
    struct made *m = *state;
    made_study(m);
    const struct {
        const char *kind;
        struct figure_asked asked;
        const char *words;
    } cases[] = {
        {"histroy", {0}, "did you mean history?"},
        {"history", {.metric = "los"}, "did you mean `loss`?"},
        {"curves", {.metric = "los"}, "did you mean `loss`?"},
        {"curves", {.metric = "los", .group = "act"}, "did you mean `loss`?"},
        {"pareto", {.x = "los", .y = "size"}, "did you mean `loss`?"},
        {"importance", {.metric = "second"}, "did you mean `seconds`?"},
        {"history", {.group = "lr"}, "takes no --group"},
        {"history", {.metric = "lr"}, "metric `lr`, a parameter; there is"},
        {"history", {.where = "loss > 100"}, "no trial is left to draw"},
        {"history", {.scale = "cubic"}, "--scale takes log or linear"},
        {"slice", {.params = "lr,nothing"}, "nothing"},
        {"heat", {.stat = "median"}, "--stat takes"},
        {"heat", {.x = "nope"}, "nope"},
        {"contour", {.x = "lr", .y = "lr"}, "both name `lr`"},
        {"pareto", {.x = "loss", .y = "loss"}, "both name `loss`"},
        {"pareto", {0}, "no two objectives"},
        {"curves", {.metric = "size"}, "no trial has reported `size`"},
        {"curves", {.trials = "1", .group = "act"}, "choose one"},
        {"confusion", {0}, "trial 4 has no output/confusion.json"},
        {"confusion", {.file = "/nonexistent/x.csv"}, "/nonexistent/x.csv"},
        {"uncertainty", {0}, "trial 4 has no output/predictions.csv"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *said = data_of(m, cases[i].kind, cases[i].asked);
        if (!strstr(said, cases[i].words))
            fail_msg("%s: `%s` has no `%s`", cases[i].kind, said,
                     cases[i].words);
    }
}

/* Below the figure, and what stands under its title. */
static const char *words_of(struct made *m, const char *kind,
                            struct figure_asked asked)
{
    struct plot p;
    struct buf b;
    asked.store = m->s;
    asked.study = "s";
    plot_init(&p, m->a);
    buf_init(&b);
    assert_ok(m,
              figure_make(figure_kind_of(kind, &m->err), &asked, &p, &m->err));
    buf_adds(&b, p.subtitle);
    for (size_t i = 0; i < p.notes.len; i++)
        buf_addf(&b, "; %s", p.notes.p[i]);
    const char *text = arena_cstr(m->a, buf_str(&b));
    buf_done(&b);
    plot_done(&p);
    return text;
}

static void what_is_left_out_is_said(void **state)
{
    struct made *m = *state;
    made_study(m);
    made_report(m, 3, 1, 7); /* then it failed */
    made_commit(m);
    assert_string_equal("loss (minimize), 4 trials; not drawn: 1 failed, 1 "
                        "without a finite value",
                        words_of(m, "history", ASKED(.store = NULL)));
    assert_string_equal(
        "2 trials where loss<3 or state=failed; not drawn: 1 failed",
        words_of(m, "pareto",
                 ASKED(.x = "size", .y = "loss",
                       .where = "loss<3 or state=failed")));
    assert_string_equal(
        "loss, 2 trials where loss<3; bands: 5 to 95 % and 25 to 75 % of the "
        "trials at each step",
        words_of(m, "curves", ASKED(.where = "loss<3")));
    assert_true(strstr(data_of(m, "rungs", ASKED(.store = NULL)),
                       "\n1,3,7,failed\n") != NULL);
}

/* Of every trial the time is known. */
static void seconds_are_a_metric_of_any_study(void **state)
{
    struct made *m = *state;
    made_study(m);
    for (int64_t id = 1; id <= 6; id++) {
        struct trial t;
        assert_ok(m, store_trial(m->s, id, m->a, &t, &m->err));
        t.seconds = (double)id / 2;
        assert_ok(m, store_trial_update(m->s, &t, &m->err));
    }
    made_commit(m);
    assert_string_equal("trial,state,seconds,best\n1,done,0.5,0.5\n"
                        "2,stopped,1,0.5\n4,done,2,0.5\n5,done,2.5,0.5\n"
                        "6,done,3,0.5\n",
                        data_of(m, "history", ASKED(.metric = "seconds")));
    assert_string_equal(
        "trial,seconds,loss,front\n1,0.5,3,1\n2,1,4,0\n"
        "4,2,1.5,1\n5,2.5,2,0\n",
        data_of(m, "pareto", ASKED(.x = "seconds", .y = "loss")));
}

static void one_trial_alone_is_drawn(void **state)
{
    static const char *const kinds[] = {"history", "curves",   "slice",
                                        "contour", "parallel", "heat",
                                        "matrix",  "load",     "gantt"};
    struct made *m = *state;
    made_fact(m, "metric", "loss");
    made_fact(m, "goal", "minimize");
    made_fact(m, "space", study_space);
    made_result(m, 1, "{\"act\":\"relu\",\"layers\":1,\"lr\":0.1}", STATE_DONE,
                3, 10);
    made_commit(m);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const char *said = data_of(m, kinds[i], ASKED(.store = NULL));
        if (!strchr(said, '\n'))
            fail_msg("%s: %s", kinds[i], said);
    }
}

/* Between equal values there is nothing else: no noise that lines join. */
static void equal_values_have_no_contour_lines(void **state)
{
    struct made *m = *state;
    struct plot p;
    made_fact(m, "metric", "loss");
    made_fact(m, "goal", "minimize");
    made_fact(m, "space", study_space);
    for (int64_t id = 1; id <= 7; id++)
        made_result(m, id,
                    arena_printf(m->a,
                                 "{\"act\":\"relu\",\"layers\":%d,"
                                 "\"lr\":%g}",
                                 (int)id % 3 + 1, 0.1 / (double)id),
                    STATE_DONE, 1.74031, 10);
    made_commit(m);
    assert_ok(m, make_plot(m, "contour", ASKED(.x = "lr", .y = "layers"), &p,
                           &m->err));
    const struct plot_mark *cells = &p.panels.p[0]->marks.p[0];
    const struct plot_mark *lines = cells + 1;
    for (size_t i = 0; i < cells->count; i++)
        assert_true(isnan(cells->shades[i]) || cells->shades[i] == 1.74031);
    assert_int_equal(lines->kind, PLOT_LINES);
    assert_int_equal(lines->count, 0);
    plot_done(&p);
}

/* 200 parameters of any name, values all equal. */
static void many_odd_parameters_are_drawn(void **state)
{
    static const char *const kinds[] = {"history", "slice", "parallel",
                                        "contour", "heat",  "matrix"};
    struct made *m = *state;
    made_fact(m, "metric", "lo<ss> & \"more\"");
    made_fact(m, "goal", "maximize");
    for (int64_t id = 1; id <= 30; id++) {
        struct value *point = value_object(m->a);
        struct buf b;
        for (int k = 0; k < 200; k++)
            value_set(m->a, point,
                      str_of(arena_printf(m->a, "p<%d>&\"'\n\t名", k)),
                      k % 2 ? value_double(m->a, (double)(id * k % 7))
                            : value_string(m->a, STR("<a href=\"x\">")));
        buf_init(&b);
        json_print(&b, point);
        made_trial(m, id, b.p, STATE_DONE, 5);
        buf_done(&b);
    }
    made_commit(m);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const char *said = data_of(m, kinds[i], ASKED(.store = NULL));
        if (!strchr(said, '\n') || !strstr(said, "5"))
            fail_msg("%s: %s", kinds[i], said);
    }
}

static void no_value_at_all_is_said(void **state)
{
    struct made *m = *state;
    made_fact(m, "metric", "loss");
    made_fact(m, "goal", "minimize");
    made_fact(m, "space", study_space);
    for (int64_t id = 1; id <= 3; id++)
        made_result(m, id, "{\"act\":\"relu\",\"layers\":1,\"lr\":0.1}",
                    STATE_DONE, NAN, 0);
    made_commit(m);
    assert_string_equal("no trial has a value of `loss` to draw: of 3, 0 have "
                        "not ended, 0 failed, 3 ended without a finite value",
                        data_of(m, "history", ASKED(.store = NULL)));
    assert_string_equal("no trial has a value, so that none is the best; "
                        "--trials N names one, --from FILE a file",
                        data_of(m, "confusion", ASKED(.store = NULL)));
}

static void curves_of_no_number_are_none(void **state)
{
    struct made *m = *state;
    const int64_t steps[] = {1, 2};
    const double none[] = {NAN, INFINITY}, some[] = {NAN, 3};
    made_fact(m, "metric", "loss");
    made_fact(m, "goal", "minimize");
    made_fact(m, "space", study_space);
    for (int64_t id = 1; id <= 2; id++) {
        made_result(m, id, "{\"act\":\"relu\",\"layers\":1,\"lr\":0.1}",
                    STATE_DONE, NAN, 0);
        assert_ok(m, made_points(m, id, 1, "loss", METRIC_FROM_METRICS, steps,
                                 id == 1 ? none : some, 2));
    }
    made_commit(m);
    assert_string_equal("no trial has reported a finite `loss`",
                        data_of(m, "curves", ASKED(.trials = "1")));
    assert_string_equal("trial,step,loss\n1,1,\n1,2,inf\n2,1,\n2,2,3\n",
                        data_of(m, "curves", ASKED(.store = NULL)));
}

static void every_kind_has_a_test(void **state)
{
    static const char *const apart[] = {"load", "importance", "uncertainty",
                                        NULL};
    (void)state;
    for (size_t i = 0; figure_kinds[i]; i++) {
        bool found = str_among(str_of(figure_kinds[i]->name), apart);
        for (size_t k = 0; k < sizeof(golden) / sizeof(golden[0]); k++)
            found = found || !strcmp(golden[k].kind, figure_kinds[i]->name);
        if (!found)
            fail_msg("%s has no golden table", figure_kinds[i]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)
        TEST(each_kind_has_its_numbers),
        TEST(history_has_the_batches_of_a_method),
        TEST(load_is_what_the_page_shows),
        TEST(load_has_what_the_time_on_gpus_went_into),
        TEST(load_is_drawn_from_the_first_start_to_the_last_end),
        TEST(empty_cells_are_explained_where_there_are_some),
        TEST(importance_has_a_row_for_each_parameter),
        TEST(uncertainty_says_whether_sd_is_right),
        TEST(what_cannot_be_drawn_is_said),
        TEST(what_is_left_out_is_said),
        TEST(seconds_are_a_metric_of_any_study),
        TEST(one_trial_alone_is_drawn),
        TEST(equal_values_have_no_contour_lines),
        TEST(many_odd_parameters_are_drawn),
        TEST(no_value_at_all_is_said),
        TEST(curves_of_no_number_are_none),
        cmocka_unit_test(every_kind_has_a_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
