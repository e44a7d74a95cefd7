/* test_sweeps.c - sweep files of many shapes with their exact arguments
 *
 * Beside each sweeps/NAME.yaml stands NAME.expected: the method, and either
 * the number of points and the argument vectors of the first five, or
 * points (in JSON), each followed by its argument vector. */
#include "plan_test.h"

#include <dirent.h>

static char *load(const char *name, size_t *len)
{
    char path[4096];
    FILE *f;
    char *text = xmalloc(1 << 16);

    snprintf(path, sizeof(path), "%s/%s", SWEEPS_DIR, name);
    f = fopen(path, "rb");
    if (!f) {
        free(text);
        return NULL;
    }
    *len = fread(text, 1, (1 << 16) - 1, f);
    text[*len] = 0;
    fclose(f);
    return text;
}

static int read_beside(void *context, const char *path, struct str *text,
                       struct err *err)
{
    size_t len;
    char *p = load(path, &len);

    if (!p)
        return err_set(err, ERR_MISSING, "cannot read %s", path);
    *text = arena_str(context, str_n(p, len));
    free(p);
    return 0;
}

static uint64_t count_points(const struct plan *p)
{
    struct err err = {0};

    return p->points ? plan_points_count(p->points)
                     : space_grid_count(&p->space, &err);
}

static struct value *point_of(const struct plan *p, uint64_t i, struct arena *a)
{
    struct value *point = NULL;
    struct err err = {0};
    struct str run_id;

    if (!p->points)
        return space_grid_point(&p->space, i, a);
    if (plan_points_get(p->points, i, a, &point, &run_id, &err))
        fail_msg("%s", err.text);
    return point;
}

static void print_argv(struct buf *b, const struct plan *p,
                       const struct value *point, struct arena *a)
{
    const struct arg *argv = NULL;
    size_t argc = 0;
    struct err err = {0};

    if (plan_command(p, point, a, &argv, &argc, &err))
        fail_msg("%s", err.text);
    test_print_argv(b, argv, argc);
    buf_addc(b, '\n');
}

/* What the plan gives, in the form of an expected file. Points to use are
 * taken from the expected text. */
static void print_plan(struct buf *b, const struct plan *p, struct str expected,
                       struct arena *a)
{
    struct str line;
    bool given = false;

    buf_addf(b, "method %.*s\n", STRF(p->method));
    while (str_split(&expected, '\n', &line)) {
        if (!str_starts(line, STR("point ")))
            continue;
        given = true;
        buf_addf(b, "%.*s\n", STRF(line));
        print_argv(b, p,
                   test_json(a, arena_cstr(a, str_n(line.p + 6, line.len - 6))),
                   a);
    }
    if (given)
        return;
    buf_addf(b, "count %llu\n", (unsigned long long)count_points(p));
    for (uint64_t i = 0; i < 5 && i < count_points(p); i++)
        print_argv(b, p, point_of(p, i, a), a);
}

static void check_sweep(const char *yaml)
{
    struct arena *a = arena_new();
    struct plan_reader reader = {.files = {a, read_beside},
                                 .methods = search_methods};
    struct problems problems;
    struct plan *p;
    struct buf b;
    size_t len, expected_len;
    char *text = load(yaml, &len);
    char *name = arena_printf(a, "%.*s.expected", (int)strlen(yaml) - 5, yaml);
    char *expected = load(name, &expected_len);

    assert_non_null(text);
    if (!expected)
        fail_msg("%s is missing", name);
    problems_init(&problems, a);
    p = plan_read(str_n(text, len), yaml, &reader, a, &problems);
    buf_init(&b);
    problems_print(&b, &problems);
    if (!p)
        fail_msg("%s", b.p);
    buf_reset(&b);
    print_plan(&b, p, str_n(expected, expected_len), a);
    if (strcmp(b.p, expected) != 0)
        fail_msg("%s: expected\n%s\nbut it is\n%s", yaml, expected, b.p);
    buf_done(&b);
    plan_close(p);
    arena_free(a);
    free(text);
    free(expected);
}

static void forty_sweep_files_give_their_arguments(void **state)
{
    DIR *dir = opendir(SWEEPS_DIR);
    struct dirent *entry;
    int count = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        if (!str_ends(str_of(entry->d_name), STR(".yaml")))
            continue;
        check_sweep(entry->d_name);
        count++;
    }
    closedir(dir);
    assert_true(count >= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forty_sweep_files_give_their_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
