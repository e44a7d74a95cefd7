/* add.c - points of a person's own, as new trials of a study */
#include "base/json.h"
#include "cli/change.h"
#include "cli/fix.h"
#include "view/view.h"

struct adder {
    struct call *call;
    struct store *store;
    struct place_of_study where;
    struct study_points *looks; /* of the study's points */
    struct value *like;         /* what is not given comes from here; or NULL */
    bool outside;
    struct value *points; /* a list: checked */
};

/* ---- what the study takes --------------------------------------------- */

static struct value *point_of(struct adder *k, int64_t id)
{
    struct call *c = k->call;
    struct trial t;
    if (store_trial(k->store, id, c->arena, &t, &c->err))
        return NULL;
    return json_parse(c->arena, t.point, "point", true, &c->err);
}

static int read_like(struct adder *k)
{
    struct call *c = k->call;
    const char *text = call_option(c, "like");
    struct query q = {.selector = text, .limit = 1};
    struct trial t;
    if (!text)
        return 0;
    if (store_selector_check(text, &c->err))
        return -1;
    struct rows *rows = store_rows(k->store, &q, &c->err);
    int got = rows ? rows_next(rows, &t, &c->err) : -1;
    int64_t id = got > 0 ? t.id : 0;
    rows_close(rows);
    if (got == 0)
        return no_such_trials(k->store, text, c->arena, &c->err);
    if (got < 0)
        return -1;
    k->like = point_of(k, id);
    return k->like ? 0 : -1;
}

/* ---- points ----------------------------------------------------------- */

static int take_point(struct adder *k, const struct value *given)
{
    struct call *c = k->call;
    struct value *point = study_points_check(k->looks, given, k->like,
                                             k->outside, c->arena, &c->err);
    if (!point)
        return -1;
    value_list_add(c->arena, k->points, point);
    return 0;
}

static int take_argument(struct adder *k, const char *text)
{
    struct call *c = k->call;
    struct value *given = parse_assignments(text, c->arena, &c->err);
    if (!given)
        return -1;
    if (given->kind != VALUE_OBJECT)
        return err_set(&c->err, ERR_USAGE, "`%s` is no point", text);
    return take_point(k, given);
}

static int take_lines(struct adder *k, struct plan_points *list,
                      const char *file)
{
    struct call *c = k->call;
    uint64_t count = plan_points_count(list);
    for (uint64_t i = 0; i < count; i++) {
        struct value *point;
        struct str run_id;
        if (plan_points_get(list, i, c->arena, &point, &run_id, &c->err))
            return -1;
        if (take_point(k, point))
            return err_wrap(&c->err, "%s, point %llu", file,
                            (unsigned long long)i + 1);
    }
    return 0;
}

static int take_file(struct adder *k, const char *file)
{
    struct call *c = k->call;
    struct str text;
    struct problems problems;
    if (file_map(file, &text, &c->err))
        return -1;
    problems_init(&problems, c->arena);
    struct plan_points *list =
        plan_points_text(text, file, c->arena, &problems);
    int rc = 0;
    if (problems.errors) {
        say_problems(&problems);
        rc = err_set(&c->err, ERR_INPUT, "%s has %zu mistake%s", file,
                     problems.errors, problems.errors == 1 ? "" : "s");
    } else {
        rc = take_lines(k, list, file);
    }
    plan_points_close(list);
    return rc;
}

/* Of several points one is wrong; perhaps they were meant to be one. */
static int say_which(struct adder *k, size_t i)
{
    struct call *c = k->call;
    bool parts = true;
    for (size_t n = 0; n < c->arg_count; n++)
        parts &= !strchr(c->args[n], ',') && *c->args[n] != '{';
    err_wrap(&c->err, "`%s`%s", c->args[i],
             parts ? " (the parameters of one point are one word, joined by "
                     "commas)"
                   : "");
    return -1;
}

static int take_points(struct adder *k)
{
    struct call *c = k->call;
    const char *file = call_option(c, "file");
    k->looks = study_points_open(k->store, c->arena, &c->err);
    if (!k->looks || read_like(k))
        return -1;
    for (size_t i = 0; i < c->arg_count; i++)
        if (take_argument(k, c->args[i]))
            return c->arg_count > 1 ? say_which(k, i) : -1;
    return file ? take_file(k, file) : 0;
}

/* ---- the verb --------------------------------------------------------- */

static bool is_point(const char *text)
{
    return strchr(text, '=') || *text == '{';
}

static void say_added(struct adder *k, enum acted acted,
                      const struct request_answer *answer, int64_t made)
{
    say("throng add: %lld new trial%s of %s wait%s", (long long)made,
        made == 1 ? "" : "s", k->where.name, made == 1 ? "s" : "");
    if (answer->first && made == 1)
        say(": number %lld", (long long)answer->first);
    else if (answer->first)
        say(": numbers %lld to %lld", (long long)answer->first,
            (long long)(answer->first + made - 1));
    if (acted == ACT_DONE)
        say("; `%s` goes on", resume_command(k->call->arena, &k->where));
    say("\n");
}

static int submit(struct adder *k, int64_t times)
{
    struct call *c = k->call;
    struct value *args = value_object(c->arena);
    struct request_answer answer;
    /* What another trial has may lie outside. */
    bool outside = k->outside || k->like;
    value_set(c->arena, args, STR("points"), k->points);
    value_set(c->arena, args, STR("outside"), value_bool(c->arena, outside));
    value_set(c->arena, args, STR("times"), value_int(c->arena, times));
    enum acted acted = act(c, &k->where, "add", "", args, &answer);
    if (acted == ACT_FAILED)
        return call_fail(c);
    if (acted == ACT_ASKED)
        say("throng add: %s: %s\n", k->where.name, ACT_NO_ANSWER);
    else
        say_added(k, acted, &answer, answer.changed);
    return EXIT_OK;
}

static int run(struct call *c)
{
    struct adder k = {.call = c,
                      .outside = call_flag(c, "outside"),
                      .points = value_list(c->arena)};
    const char *what = NULL;
    int64_t times;
    if (c->arg_count && (!is_point(c->args[0]) || names_study(c->args[0]))) {
        what = c->args[0];
        c->args++;
        c->arg_count--;
    }
    if (!c->arg_count && !call_option(c, "file") && !call_option(c, "like"))
        return call_usage(c, "name a point, such as 'lr=3e-4,bs=64'");
    if (call_int(c, "times", 1, &times))
        return call_fail(c);
    if (!times || times > STUDY_TIMES_MAX)
        return call_usage(c, "--times takes a number from 1 to %d",
                          STUDY_TIMES_MAX);
    if (locate_study(c->arena, what, &k.where, &c->err) ||
        !(k.store = store_open(k.where.folder, false, &c->err)))
        return call_fail(c);
    int rc = take_points(&k);
    if (!rc && !k.points->count && k.like)
        rc = take_point(&k, value_object(c->arena));
    store_close(k.store);
    if (rc && !what)
        err_wrap(&c->err, "study %s", k.where.name);
    return rc ? call_fail(c) : submit(&k, times);
}

VERB(add) = {
    .name = "add",
    .args = "[STUDY] POINT…",
    .summary = "Add points of your own to a study",
    .text = "A POINT is 'lr=3e-4,bs=64' or a JSON object. It is checked "
            "against the study's\nparameters; constants need not be given. "
            "The new trials take the next numbers;\nwhat the study's own "
            "method makes stays the same.\n\n    throng add 'lr=3e-4,bs=64' "
            "'lr=1e-4,bs=64'\n    throng add --like best:1 lr=2e-4\n    "
            "throng add mine --file more.csv\n",
    .options =
        (const struct option_spec[]){
            {"like", 0, "TRIAL", "what is not given comes from this trial"},
            {"file", 0, "FILE", "points from a CSV or JSON lines file"},
            {"outside", 0, NULL, "allow values that the study does not draw"},
            {"times", 0, "N", "trials of each point (1)"},
            {0}},
    .run = run,
};
