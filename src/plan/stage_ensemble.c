/* stage_ensemble.c - a stage that makes one model of trials: the verb
 * `ensemble` */
#include "plan/stage.h"

/* The words that run it, and what it is read from. */
struct making {
    struct campaign_file *r;
    const struct value *said;
    VEC(const char *) words;
};

/* NULL: the stage does not say it, or says something else. */
static const char *text_of(struct making *m, const char *key)
{
    const struct value *v = value_get(m->said, str_of(key));
    struct str text;
    return v && read_text(&m->r->in, v, key, &text)
               ? arena_cstr(m->r->in.arena, text)
               : NULL;
}

static void add_text(struct making *m, const char *key, const char *option)
{
    const char *text = text_of(m, key);
    if (!text)
        return;
    vec_push(&m->words, option);
    vec_push(&m->words, text);
}

static void add_flag(struct making *m, const char *key, const char *option)
{
    const struct value *v = value_get(m->said, str_of(key));
    bool on = false;
    if (v && read_bool(&m->r->in, v, key, &on) && on)
        vec_push(&m->words, option);
}

static void add_trials(struct making *m, struct str stage)
{
    struct arena *a = m->r->in.arena;
    const struct value *v = value_get(m->said, STR("select"));
    struct str select = STR("best:10");
    if (v)
        stage_select(m->r, v, &select);
    vec_push(&m->words, arena_printf(a, "%.*s/%.*s", STRF(m->r->campaign->name),
                                     STRF(stage)));
    vec_push(&m->words, arena_cstr(a, select));
}

/* As the verb has them, which would say no when all members are trained. */
static const char *const combines[] = {"mean", "weighted", "median",
                                       "vote", "stacking", NULL};

static void complain(struct making *m, const char *key, const char *hint,
                     const char *text)
{
    problem_at(&m->r->in, PROBLEM_ERROR, value_get(m->said, str_of(key)), hint,
               "%s", text);
}

/* What chooses or weighs goes by rows, and only that does. */
static void check_combine(struct making *m)
{
    const struct value *how = value_get(m->said, STR("combine"));
    const struct value *folds = value_get(m->said, STR("out_of_fold"));
    bool greedy = value_get(m->said, STR("greedy"));
    int which = how ? read_choice(&m->r->in, how, "combine", combines) : 0;
    struct str name = which > 0 ? str_of(combines[which]) : STR("mean");
    bool weighs = str_is(name, "weighted") || str_is(name, "stacking");
    if (greedy && weighs)
        complain(m, "combine", "take one of them",
                 arena_printf(m->r->in.arena,
                              "greedy weighs its members, and so does %.*s",
                              STRF(name)));
    if (greedy && str_is(name, "median"))
        complain(m, "combine", "mean or vote",
                 "greedy weighs its members, and a median does not");
    if (greedy || weighs || which < 0)
        return;
    if (value_get(m->said, STR("data")))
        complain(m, "data", "with greedy, weighted or stacking",
                 "nothing is chosen or weighed by these rows");
    if (folds && folds->kind == VALUE_BOOL && folds->boolean)
        complain(m, "out_of_fold", "with greedy, weighted or stacking",
                 "nothing is chosen or weighed out of fold");
}

static void add_choice(struct making *m)
{
    const struct value *v = value_get(m->said, STR("greedy"));
    int64_t most;
    check_combine(m);
    if (v && read_int(&m->r->in, v, "greedy", 1, 10000, &most)) {
        vec_push(&m->words, "--greedy");
        vec_push(&m->words,
                 arena_printf(m->r->in.arena, "%lld", (long long)most));
    }
    add_text(m, "combine", "--combine");
    add_text(m, "data", "--data");
    add_text(m, "labels", "--labels");
    add_flag(m, "out_of_fold", "--out-of-fold");
    add_flag(m, "bundle", "--bundle");
}

static void make(struct campaign_file *r, struct plan_stage *s)
{
    struct arena *a = r->in.arena;
    struct making m = {.r = r, .said = s->said};
    const struct value *of = value_get(s->said, STR("ensemble"));
    struct str stage, *outputs = arena_new_of(a, struct str);
    size_t *reads = arena_new_of(a, size_t);
    const char *output = text_of(&m, "output");

    if (!value_get(s->said, STR("output")))
        problem_at(&r->in, PROBLEM_ERROR, of,
                   "as in output: committee.ensemble",
                   "an ensemble needs output");
    if (!output || !read_text(&r->in, of, "ensemble", &stage))
        return;
    long found = stage_find(r, stage, of);
    if (found >= 0)
        reads[s->read_count++] = (size_t)found;
    vec_push(&m.words, "ensemble");
    add_trials(&m, stage);
    add_choice(&m);
    vec_push(&m.words, "--output");
    vec_push(&m.words, output);
    *outputs = str_of(output);
    s->outputs = outputs;
    s->output_count = 1;
    s->reads = reads;
    s->verb = vec_to_arena(a, &m.words);
}

STAGE(ensemble) = {.keys = (const char *const[]){"output", "select", "greedy",
                                                 "combine", "data", "labels",
                                                 "out_of_fold", "bundle", NULL},
                   .make = make};
