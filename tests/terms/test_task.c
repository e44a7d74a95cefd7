/* test_task.c - a task survives its text form, and others are refused */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "terms/task.h"

static const struct arg argv[] = {
    {ARG_TEXT, {"/usr/bin/env", 12}},
    {ARG_INTERPRETER, {"", 0}},
    {ARG_EXPAND, {"${envvar:HOME}/train.py", 23}},
    {ARG_TEXT, {"--name=a \"b\"\n\303\251", 15}},
    {ARG_PARAMS_FILE, {"", 0}},
};
static const struct assignment env[] = {{{"A", 1}, {"1", 1}},
                                        {{"B", 1}, {"", 0}}};
static const struct task_file files[] = {{{"in.txt", 6}, {"lr 0.1\n", 7}}};
static const struct str outputs[] = {{"*.csv", 5}, {"plots/**", 8}};

static struct task full_task(void)
{
    struct task t = {.id = 123456,
                     .attempt = 2,
                     .kind = STR("command"),
                     .options = STR("{\"kind\":\"command\",\"n\":1}"),
                     .argv = argv,
                     .argc = 5,
                     .setup = STR("module load cuda\nset -e"),
                     .workdir = STR("/home/u/study"),
                     .env = env,
                     .env_count = 2,
                     .params = STR("{\"lr\":0.1,\"opt\":\"adam\"}"),
                     .study = STR("study"),
                     .seed = UINT64_MAX - 1,
                     .budget = -3,
                     .subset = 0.1,
                     .folder = STR("/home/u/.throng/study/0/7"),
                     .copy_of = STR("/home/u/.throng/study/0/6"),
                     .resume_from = STR("/x"),
                     .files = files,
                     .file_count = 1,
                     .outputs = outputs,
                     .output_count = 2,
                     .say_bytes = 1 << 16,
                     .state = {STR("/x/0.pack"), 1, 2, UINT64_MAX, 3},
                     .shard = {.file = STR("/x/rows.csv"),
                               .size = 1 << 30,
                               .changed_ns = 1790000000123456789,
                               .fault = STR("it has changed")},
                     .metric_name = STR("loss"),
                     .metric_pattern = STR("loss: ([0-9.]+)"),
                     .metric_file = STR("loss.txt"),
                     .wandb = STR("real"),
                     .protocol = STR("candle"),
                     .grace_s = 2.5,
                     .output_max_bytes = 1 << 20};
    needs_init(&t.needs);
    t.needs.gpus = 0.5;
    return t;
}

static void assert_same(const struct task *a, const struct task *b)
{
    assert_true(a->id == b->id && a->attempt == b->attempt);
    assert_true(a->seed == b->seed && a->budget == b->budget);
    assert_true(a->subset == b->subset && a->grace_s == b->grace_s);
    assert_true(a->output_max_bytes == b->output_max_bytes);
    assert_true(needs_eq(&a->needs, &b->needs));
    assert_true(a->say_bytes == b->say_bytes);
    assert_true(a->state.at == b->state.at && a->state.len == b->state.len);
    assert_true(a->state.hash == b->state.hash);
    assert_true(a->state.bytes == b->state.bytes);
    assert_true(a->shard.size == b->shard.size);
    assert_true(a->shard.changed_ns == b->shard.changed_ns);
    assert_true(str_eq(a->shard.file, b->shard.file));
    assert_true(str_eq(a->shard.fault, b->shard.fault));
    const struct str *const x[] = {
        &a->kind,        &a->setup,          &a->workdir,     &a->params,
        &a->study,       &a->folder,         &a->resume_from, &a->copy_of,
        &a->metric_name, &a->metric_pattern, &a->metric_file, &a->wandb,
        &a->protocol,    &a->state.file,     &a->options};
    const struct str *const y[] = {
        &b->kind,        &b->setup,          &b->workdir,     &b->params,
        &b->study,       &b->folder,         &b->resume_from, &b->copy_of,
        &b->metric_name, &b->metric_pattern, &b->metric_file, &b->wandb,
        &b->protocol,    &b->state.file,     &b->options};
    for (size_t i = 0; i < sizeof(x) / sizeof(*x); i++)
        assert_true(str_eq(*x[i], *y[i]));
    assert_int_equal(a->argc, b->argc);
    for (size_t i = 0; i < a->argc; i++) {
        assert_int_equal(a->argv[i].kind, b->argv[i].kind);
        assert_true(str_eq(a->argv[i].text, b->argv[i].text));
    }
    assert_int_equal(a->env_count, b->env_count);
    for (size_t i = 0; i < a->env_count; i++) {
        assert_true(str_eq(a->env[i].name, b->env[i].name));
        assert_true(str_eq(a->env[i].value, b->env[i].value));
    }
    assert_int_equal(a->file_count, b->file_count);
    for (size_t i = 0; i < a->file_count; i++) {
        assert_true(str_eq(a->files[i].path, b->files[i].path));
        assert_true(str_eq(a->files[i].text, b->files[i].text));
    }
    assert_int_equal(a->output_count, b->output_count);
    for (size_t i = 0; i < a->output_count; i++)
        assert_true(str_eq(a->outputs[i], b->outputs[i]));
}

static void assert_survives(const struct task *t)
{
    struct arena *a = arena_new();
    struct task back;
    struct err err = {0};
    struct buf b;
    buf_init(&b);
    task_print(&b, t);
    assert_true(str_find(buf_str(&b), '\n') < 0);
    if (task_parse(&back, buf_str(&b), a, &err))
        fail_msg("%s: %s", b.p, err.text);
    memset(b.p, 'x', b.len);
    assert_same(t, &back);
    buf_done(&b);
    arena_free(a);
}

static void a_full_task_survives(void **state)
{
    (void)state;
    struct task t = full_task();
    assert_survives(&t);
}

static void a_bare_task_survives(void **state)
{
    (void)state;
    struct task t = {.attempt = 1, .kind = STR("command")};
    needs_init(&t.needs);
    assert_survives(&t);
}

static void tasks_with_any_members_left_out_survive(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 5, 1, "task");
    for (int i = 0; i < 500; i++) {
        struct task t = full_task();
        struct str *const texts[] = {
            &t.setup,          &t.workdir,     &t.params,  &t.study,
            &t.folder,         &t.resume_from, &t.copy_of, &t.metric_name,
            &t.metric_pattern, &t.metric_file, &t.wandb,   &t.protocol};
        for (size_t k = 0; k < 10; k++)
            if (rng_below(&r, 2))
                *texts[k] = STR("");
        t.argc = rng_below(&r, 6);
        t.env_count = rng_below(&r, 3);
        t.file_count = rng_below(&r, 2);
        t.output_count = rng_below(&r, 3);
        t.id = rng_u64(&r) >> rng_below(&r, 64);
        t.seed = rng_u64(&r) >> rng_below(&r, 64);
        t.budget = (int64_t)(rng_u64(&r) >> rng_below(&r, 64));
        t.subset = rng_below(&r, 2) ? rng_uniform(&r) : 0;
        assert_survives(&t);
    }
}

static void seconds_that_make_no_sense_were_not_used(void **state)
{
    (void)state;
    assert_true(task_used_parse(STR("1.5\n")) == 1.5);
    assert_true(task_used_parse(STR("")) == 0);
    assert_true(task_used_parse(STR("-3\n")) == 0);
    assert_true(task_used_parse(STR("nan\n")) == 0);
    assert_true(task_used_parse(STR("1e300\n")) == 0);
}

static void assert_refused(const char *text, const char *part)
{
    struct arena *a = arena_new();
    struct task t = {.id = 77};
    struct err err = {0};
    assert_int_equal(task_parse(&t, str_of(text), a, &err), -1);
    if (!strstr(err.text, part))
        fail_msg("%s: '%s' lacks '%s'", text, err.text, part);
    assert_true(t.id == 77);
    arena_free(a);
}

static void what_is_no_task_is_refused_with_the_reason(void **state)
{
    (void)state;
    assert_refused("", "");
    assert_refused("[]", "not a JSON object");
    assert_refused("{}", "no version");
    assert_refused("{\"version\":2}", "version 2");
    assert_refused("{\"version\":1}", "lacks its kind");
    assert_refused("{\"version\":1,\"kind\":\"command\"}", "its attempt");
    assert_refused("{\"version\":1,\"wings\":2}", "wings");
    assert_refused("{\"version\":1,\"id\":-1}", "'id' is not a whole number");
    assert_refused("{\"version\":1,\"attempt\":5000000000}", "'attempt'");
    assert_refused("{\"version\":1,\"kind\":3}", "'kind' is not a text");
    assert_refused("{\"version\":1,\"budget\":0.5}", "'budget'");
    assert_refused("{\"version\":1,\"subset\":\"x\"}", "'subset'");
    assert_refused("{\"version\":1,\"argv\":{}}", "'argv' is not a list");
    assert_refused("{\"version\":1,\"argv\":[3]}", "arguments");
    assert_refused("{\"version\":1,\"argv\":[{\"wing\":\"\"}]}", "arguments");
    assert_refused("{\"version\":1,\"env\":[[\"a\"]]}", "names and values");
    assert_refused("{\"version\":1,\"files\":[[\"a\",1]]}", "paths");
    assert_refused("{\"version\":1,\"outputs\":[1]}", "texts");
    assert_refused("{\"version\":1,\"needs\":{\"cpus\":-1}}", "negative");
}

static void a_text_that_is_not_utf8_is_found(void **state)
{
    (void)state;
    struct err err = {0};
    struct task t = full_task();
    assert_int_equal(task_text_check(&t, &err), 0);
    t.weights = STR("/home/u/w\xff");
    assert_int_equal(task_text_check(&t, &err), -1);
    assert_non_null(strstr(err.text, "weights: \"/home/u/w\xef\xbf\xbd\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_that_is_not_utf8_is_found),
        cmocka_unit_test(a_full_task_survives),
        cmocka_unit_test(a_bare_task_survives),
        cmocka_unit_test(tasks_with_any_members_left_out_survive),
        cmocka_unit_test(seconds_that_make_no_sense_were_not_used),
        cmocka_unit_test(what_is_no_task_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
