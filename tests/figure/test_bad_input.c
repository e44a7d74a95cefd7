/* test_bad_input.c - studies that are hardly any, as every kind of figure
 *
 * Each is drawn on every canvas, or says why not. */
#include "made_study.h"
#include "plot/plot.h"

#define POINT "{\"act\":\"relu\",\"layers\":1,\"lr\":0.1}"

/* ---- studies -------------------------------------------------------------
 */

static void facts(struct made *m, const char *metric)
{
    if (*metric)
        made_fact(m, "metric", metric);
    made_fact(m, "goal", "minimize");
    made_fact(m, "space", study_space);
}

static void no_trials(struct made *m)
{
    facts(m, "loss");
}

static void no_metric(struct made *m)
{
    facts(m, "");
    for (int64_t id = 1; id <= 20; id++)
        made_result(m, id, POINT, STATE_DONE, NAN, 0);
}

static void one_trial(struct made *m)
{
    facts(m, "loss");
    made_result(m, 1, POINT, STATE_DONE, 3, 10);
    made_report(m, 1, 1, 3);
}

static void all_equal(struct made *m)
{
    facts(m, "loss");
    for (int64_t id = 1; id <= 20; id++) {
        made_result(m, id, POINT, STATE_DONE, 3, 10);
        made_report(m, id, 1, 3);
    }
}

static void all_zero(struct made *m)
{
    facts(m, "loss");
    for (int64_t id = 1; id <= 20; id++)
        made_result(m, id, "{\"act\":\"relu\",\"layers\":0,\"lr\":0.0}",
                    STATE_DONE, 0, 0);
}

static void nan_everywhere(struct made *m)
{
    const int64_t steps[] = {1, 2};
    const double none[] = {NAN, NAN};
    facts(m, "loss");
    for (int64_t id = 1; id <= 20; id++) {
        made_result(m, id, POINT, STATE_DONE, NAN, 0);
        assert_ok(m, made_points(m, id, 1, "loss", METRIC_FROM_METRICS, steps,
                                 none, 2));
        made_report(m, id, 1, NAN);
    }
}

static void all_failed(struct made *m)
{
    facts(m, "loss");
    for (int64_t id = 1; id <= 20; id++)
        made_result(m, id, POINT, STATE_FAILED, NAN, 0);
}

/* From the smallest to the largest, and below zero. */
static void far_apart(struct made *m)
{
    static const double values[] = {1.7e308, -1.7e308, 5e-324, 0, -5e-324, 1};
    facts(m, "loss");
    for (int64_t id = 1; id <= 24; id++) {
        double v = values[id % 6];
        made_result(m, id,
                    arena_printf(m->a,
                                 "{\"act\":\"tanh\",\"layers\":%lld,"
                                 "\"lr\":%.17g}",
                                 (long long)(id % 2 ? id << 40 : -id), v),
                    STATE_DONE, v, -v);
        made_report(m, id, id % 3 + 1, v);
    }
}

/* Control characters, marks of XML and CSV, another direction, no UTF-8, and
 * 5,000 letters. */
static const char *odd_name(struct made *m, int k)
{
    static const char *const odd[] = {
        "p<%d>&\"'\n\t名", "\x1b[31m%d", "\u202e%d", "a,b\r\n%d",
        "%d\xff\xfe",      "]]>--%d",    " %d ",     "{lr}${x}%d"};
    struct buf b;
    buf_init(&b);
    if (k == 100)
        for (int i = 0; i < 5000; i++)
            buf_addc(&b, 'w');
    else
        for (const char *c = odd[k % 8]; *c; c++)
            if (c[0] == '%' && c[1] == 'd')
                buf_addf(&b, "%d", k), c++;
            else
                buf_addc(&b, *c);
    const char *name = arena_cstr(m->a, buf_str(&b));
    buf_done(&b);
    return name;
}

/* 200 parameters, numbers and texts, of any name. */
static void odd_names(struct made *m)
{
    made_fact(m, "metric", "lo<ss> & \"more\"\x1b[0m");
    made_fact(m, "goal", "maximize");
    for (int64_t id = 1; id <= 30; id++) {
        struct value *point = value_object(m->a);
        struct buf b;
        for (int k = 0; k < 200; k++)
            value_set(m->a, point, str_of(odd_name(m, k)),
                      k % 2 ? value_double(m->a, (double)(id * k % 7))
                            : value_string(
                                  m->a, str_of(odd_name(m, (int)(id % 20)))));
        buf_init(&b);
        json_print(&b, point);
        made_result(m, id, b.p, STATE_DONE, (double)(id % 5), 1);
        buf_done(&b);
    }
}

/* ---- every canvas --------------------------------------------------------
 */

static void draw_in_characters(const struct plot *p, struct buf *b)
{
    static const double sizes[][2] = {{20, 8}, {80, 24}, {200, 50}};
    struct err err = {0};
    for (size_t i = 0; i < 12; i++) {
        struct plot_look look = {.width = sizes[i % 3][0],
                                 .height = sizes[i % 3][1],
                                 .unicode = i / 3 % 2,
                                 .colour = i / 6};
        buf_reset(b);
        if (plot_draw(p, plot_backend_of("terminal", &err), &look, b, &err))
            fail_msg("%s", err.text);
        for (size_t k = 0; k < b->len; k++) {
            unsigned char c = (unsigned char)b->p[k];
            if ((c < ' ' && c != '\n' && !(c == 27 && look.colour)) ||
                (c > 126 && !look.unicode))
                fail_msg("character %d is drawn", c);
        }
    }
}

static void draw_in_files(const struct plot *p, struct buf *b)
{
    static const char *const names[] = {"a.svg", "a.png", "a.pdf"};
    static const double sizes[][2] = {{20, 8}, {320, 200}, {900, 600}};
    struct err err = {0};
    for (size_t i = 0; i < 9; i++) {
        struct plot_look look = {
            .width = sizes[i % 3][0], .height = sizes[i % 3][1], .dark = i % 2};
        buf_reset(b);
        if (plot_draw(p, plot_backend_of(names[i / 3], &err), &look, b, &err) &&
            (i < 3 || !strstr(err.text, "libcairo2")))
            fail_msg("%s: %s", names[i / 3], err.text);
        for (size_t k = 0; i < 3 && k < b->len; k++)
            if ((unsigned char)b->p[k] < ' ' && b->p[k] != '\n')
                fail_msg("character %d is in %s", b->p[k], names[i / 3]);
    }
}

/* ---- studies by kinds ----------------------------------------------------
 */

static const struct bad {
    void (*make)(struct made *m);
    const char *drawn; /* the kinds that are; the others say why not */
} all[] = {
    {no_trials, ""},
    {no_metric, "load gantt"},
    {one_trial,
     "history curves slice contour parallel pareto heat rungs load gantt "
     "matrix"},
    {all_equal,
     "history curves slice contour parallel pareto heat rungs load gantt "
     "matrix importance"},
    {all_zero,
     "history curves slice contour parallel pareto heat load gantt matrix "
     "importance"},
    {nan_everywhere, "load gantt"},
    {all_failed, "load gantt"},
    {far_apart, "history curves slice contour parallel pareto heat rungs load "
                "gantt matrix importance"},
    {odd_names, "history slice contour parallel pareto heat load gantt "
                "matrix importance"},
};

static bool is_listed(const char *list, const char *name)
{
    struct str rest = str_of(list), one;
    while (rest.len && str_split(&rest, ' ', &one))
        if (str_is(one, name))
            return true;
    return false;
}

static void try_kind(struct made *m, const struct bad *bad, size_t number,
                     const struct figure_kind *kind, struct buf *b)
{
    bool pareto = !strcmp(kind->name, "pareto");
    struct figure_asked asked = {.store = m->s,
                                 .study = "<s>\n&\x1b[1m",
                                 .home = m->folder,
                                 .x = pareto ? "size" : NULL,
                                 .y = pareto ? "loss" : NULL};
    struct plot p;
    struct err err = {0};
    plot_init(&p, m->a);
    bool made = figure_make(kind, &asked, &p, &err) == 0;
    if (made != is_listed(bad->drawn, kind->name))
        fail_msg("study %zu: %s %s", number, kind->name,
                 made ? "is drawn" : err.text);
    if (made) {
        plot_csv(b, &p);
        draw_in_characters(&p, b);
        draw_in_files(&p, b);
    } else if (!*err.text || strstr(err.text, "(null)")) {
        fail_msg("study %zu: %s says `%s`", number, kind->name, err.text);
    }
    plot_done(&p);
}

static void each_is_drawn_or_says_why(void **state)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        assert_int_equal(made_setup(state), 0);
        struct made *m = *state;
        all[i].make(m);
        made_commit(m);
        store_lease_release(m->s);
        for (size_t k = 0; figure_kinds[k]; k++)
            try_kind(m, &all[i], i, figure_kinds[k], &b);
        made_teardown(state);
    }
    buf_done(&b);
}

/* ---- files ---------------------------------------------------------------
 */

static const struct {
    const char *kind, *text;
    bool drawn;
} files[] = {
    {"uncertainty", "", false},
    {"uncertainty", "truth,mean,sd\n", false},
    {"uncertainty", "truth,mean\n1,2\n", false},
    {"uncertainty", "truth,mean,sd\nnan,nan,nan\n", false},
    {"uncertainty", "truth,mean,sd\n1,1,0\n", true},
    {"uncertainty", "truth,mean,sd\n1,1,1\n1,1,1\n1,1,1\n", true},
    {"uncertainty", "truth,mean,sd\n1,1e300,1e-300\n-1e300,1,1\n", true},
    {"confusion", "", false},
    {"confusion", "label,predicted\n", false},
    {"confusion", "label,predicted\na,a\n", true},
    {"confusion", "label,predicted\n\"<a>&\x1b\n\",\"名\xff\"\n", true},
    {"confusion", "{}", false},
    {"confusion", "{\"heads\":[{\"name\":\"y\",\"classes\":[\"a\"]}]}", false},
};

static void try_file(struct made *m, size_t i, struct buf *b)
{
    const char *path = path_join(m->a, m->folder, "numbers.csv");
    struct figure_asked asked = {.study = "s", .file = path};
    struct plot p;
    struct err err = {0};
    assert_ok(m, file_write(path, str_of(files[i].text), false, &m->err));
    plot_init(&p, m->a);
    const struct figure_kind *kind = figure_kind_of(files[i].kind, &err);
    bool made = figure_make(kind, &asked, &p, &err) == 0;
    if (made != files[i].drawn || (!made && !*err.text))
        fail_msg("file %zu: %s", i, made ? "is drawn" : err.text);
    if (made) {
        draw_in_characters(&p, b);
        draw_in_files(&p, b);
    }
    plot_done(&p);
}

static void files_are_drawn_or_say_why(void **state)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        try_file(*state, i, &b);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_drawn_or_says_why),
        cmocka_unit_test_setup_teardown(files_are_drawn_or_say_why, made_setup,
                                        made_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
