/* plan_test.h - a plan from a text, with its files in memory */
#ifndef THRONG_TESTS_PLAN_TEST_H
#define THRONG_TESTS_PLAN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "candle/candle.h"
#include "plan/plan.h"
#include "search/search.h"

struct test_file {
    const char *path, *text;
};

/* A study that was read, with what was said about it. */
struct reading_test {
    struct arena *arena;
    struct problems problems;
    struct plan *plan;
    struct buf said; /* problems_print */
};

static inline int test_read_file(void *context, const char *path,
                                 struct str *text, struct err *err)
{
    for (const struct test_file *f = context; f && f->path; f++) {
        if (strcmp(f->path, path) == 0) {
            *text = str_of(f->text);
            return 0;
        }
    }
    return err_set(err, ERR_MISSING, "cannot read %s: no such file", path);
}

static inline void test_read_str(struct reading_test *t, struct str text,
                                 const char *file,
                                 const struct test_file *files)
{
    struct plan_reader reader = {.dialect = &candle_dialect,
                                 .methods = search_methods};

    memcpy(&reader.files.context, &files, sizeof(files));
    reader.files.read = test_read_file;
    t->arena = arena_new();
    problems_init(&t->problems, t->arena);
    t->plan = plan_read(text, file, &reader, t->arena, &t->problems);
    buf_init(&t->said);
    problems_print(&t->said, &t->problems);
    assert_true((t->plan == NULL) == (t->problems.errors > 0));
}

static inline void test_read(struct reading_test *t, const char *text)
{
    test_read_str(t, str_of(text), "study.yaml", NULL);
}

static inline void test_done(struct reading_test *t)
{
    plan_close(t->plan);
    buf_done(&t->said);
    arena_free(t->arena);
}

/* The study must be read without an error. */
static inline void test_read_well(struct reading_test *t, const char *text)
{
    test_read(t, text);
    if (!t->plan)
        fail_msg("refused:\n%s\nof:\n%s", t->said.p, text);
}

/* The study must be refused (or warned of), and this must be said. */
static inline void test_says(const char *text, const char *expected)
{
    struct reading_test t;

    test_read(&t, text);
    if (!strstr(t.said.p, expected))
        fail_msg("expected:\n%s\nsaid:\n%s\nof:\n%s", expected, t.said.p, text);
    test_done(&t);
}

static inline struct value *test_json(struct arena *a, const char *text)
{
    struct err err = {0};
    struct value *v = json_parse(a, str_of(text), "test", true, &err);

    if (!v)
        fail_msg("%s", err.text);
    return v;
}

/* An argument vector as JSON: what is not plain text is an object. */
static inline void test_print_argv(struct buf *b, const struct arg *argv,
                                   size_t argc)
{
    buf_addc(b, '[');
    for (size_t i = 0; i < argc; i++) {
        if (i > 0)
            buf_addc(b, ',');
        if (argv[i].kind == ARG_PARAMS_FILE) {
            buf_adds(b, "{\"params_file\":true}");
            continue;
        }
        if (argv[i].kind == ARG_INTERPRETER)
            buf_adds(b, "{\"interpreter\":");
        if (argv[i].kind == ARG_EXPAND)
            buf_adds(b, "{\"expand\":");
        json_string(b, argv[i].text);
        if (argv[i].kind != ARG_TEXT)
            buf_addc(b, '}');
    }
    buf_addc(b, ']');
}

/* The argument vector of a point given in JSON. */
static inline void test_argv_is(struct reading_test *t, const char *point,
                                const char *expected)
{
    const struct arg *argv = NULL;
    size_t argc = 0;
    struct err err = {0};
    struct buf b;

    buf_init(&b);
    if (plan_command(t->plan, test_json(t->arena, point), t->arena, &argv,
                     &argc, &err))
        fail_msg("%s", err.text);
    test_print_argv(&b, argv, argc);
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

#endif
