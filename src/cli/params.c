/* params.c - the parameters that a CANDLE model would run with */
#include "base/json.h"
#include "candle/candle.h"
#include "study/study.h"
#include "cli/cli.h"
#include "plan/plan.h"

/* The values of a trial, which stand above all others. */
static int read_study(struct call *c, struct candle_request *q)
{
    const char *path = call_option(c, "parameters");
    struct file_reader files = candle_files(c->arena, q->model_file);
    struct str text;
    if (!path)
        return 0;
    if (files.read(files.context, path, &text, &c->err))
        return -1;
    q->study = json_parse(c->arena, text, path, true, &c->err);
    q->study_name = path;
    if (!q->study)
        return -1;
    if (q->study->kind != VALUE_OBJECT)
        return err_set(&c->err, ERR_INPUT,
                       "%s holds %s, not an object of parameters", path,
                       value_kind_name(q->study->kind));
    return 0;
}

/* ---- the verb --------------------------------------------------------- */

static int print(struct call *c, const struct value *params)
{
    struct buf b;
    buf_init(&b);
    if (call_flag(c, "json")) {
        json_print_sorted(&b, params);
        buf_addc(&b, '\n');
        put(buf_str(&b));
    } else {
        candle_print(&b, params);
        put_data(c, buf_str(&b));
    }
    buf_done(&b);
    return EXIT_OK;
}

/* Mistakes on the command line alone are of another kind than in files. */
static enum err_kind kind_of(const struct problems *problems)
{
    for (size_t i = 0; i < problems->list.len; i++) {
        const struct problem *p = &problems->list.p[i];
        if (p->level == PROBLEM_ERROR && !str_is(p->file, "command line"))
            return ERR_INPUT;
    }
    return ERR_USAGE;
}

static int fail(struct call *c, const struct problems *problems)
{
    err_set(&c->err, kind_of(problems), "there %s %zu mistake%s",
            problems->errors == 1 ? "is" : "are", problems->errors,
            problems->errors == 1 ? "" : "s");
    return call_fail(c);
}

static int resolve(struct call *c, const struct candle_request *q)
{
    struct file_reader files = candle_files(c->arena, q->model_file);
    struct problems problems;
    problems_init(&problems, c->arena);
    struct value *params = candle_params(q, &files, c->arena, &problems);
    say_problems(&problems);
    int code = params ? print(c, params) : fail(c, &problems);
    return code;
}

static int run(struct call *c)
{
    if (!c->arg_count || *c->args[0] == '-')
        return call_usage(c, "name a parameter file first");
    struct candle_request q = {.model_file = c->args[0],
                               .definitions = call_option(c, "definitions"),
                               .yaml = plan_yaml,
                               .words = c->args + 1,
                               .word_count = c->arg_count - 1};
    if (read_study(c, &q))
        return call_fail(c);
    return resolve(c, &q);
}

VERB(params) = {
    .name = "params",
    .args = "FILE [--config_file F] [--KEY VALUE]…",
    .summary = "Show the parameters that a CANDLE model would get",
    .text = "FILE is a model's parameter file (default_model.txt). A value "
            "given more than\nonce counts from the last of: CANDLE's "
            "default, FILE, --config_file, the command\nline, --parameters. "
            "Nothing in a file is evaluated. Unknown keywords are warned\n"
            "of and kept; a value of a wrong type, or not among the choices, "
            "is a mistake.\nWithout --json the result is a parameter file "
            "itself.\n",
    .options =
        (const struct option_spec[]){
            {"definitions", 0, "FILE",
             "keywords of the model's own and what is required"},
            {"parameters", 0, "FILE", "a trial's parameters, as JSON"},
            {"json", 0, NULL, "one object, keys sorted"},
            {0}},
    .run = run,
    .free_words = true,
};
