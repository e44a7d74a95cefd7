/* stage_predict.c - a stage that is an inference: a study whose trials are
 * shards of rows
 *
 * Its models may be those of an earlier stage: the trials of a study, or what a
 * stage `ensemble` writes. */
#include "plan/stage.h"

/* Where `models` stand, in the copy of what the stage says. */
struct asking {
    struct campaign_file *r;
    struct plan_stage *stage;
    struct value *predict;
    const struct value *models;
};

static void set_models(struct asking *k, struct str models)
{
    struct arena *a = k->r->in.arena;
    value_set_at(a, k->predict, STR("models"), value_string(a, models),
                 k->models->line, k->models->column);
}

/* The ensemble is a file: who reads it comes after who writes it. */
static void take_ensemble(struct asking *k, const struct plan_stage *of)
{
    const struct value *v = value_get(k->predict, STR("select"));
    if (v)
        problem_at(&k->r->in, PROBLEM_ERROR, v,
                   "name the stage whose trials are meant",
                   "stage '%.*s' makes one model, of which select chooses "
                   "nothing",
                   STRF(of->name));
    struct str file = value_text(value_get(of->said, STR("output")));
    if (file.len)
        set_models(k, file);
}

static void take_trials(struct asking *k, size_t stage)
{
    struct arena *a = k->r->in.arena;
    size_t *reads = arena_new_of(a, size_t);
    const struct value *select = value_get(k->predict, STR("select"));
    struct str unused;
    if (select)
        stage_select(k->r, select, &unused);
    *reads = stage;
    k->stage->reads = reads;
    k->stage->read_count = 1;
    set_models(k,
               str_of(arena_printf(a, "%.*s/%.*s", STRF(k->r->campaign->name),
                                   STRF(k->r->stages.p[stage].name))));
}

/* What is no stage is a file, or another study. */
static void take_models(struct asking *k)
{
    long found = stage_find(k->r, value_text(k->models), NULL);
    if (found < 0)
        return;
    const struct plan_stage *of = &k->r->stages.p[found];
    if (of->kind == &stage_kind_ensemble)
        take_ensemble(k, of);
    else if (of->kind == &stage_kind_study)
        take_trials(k, (size_t)found);
    else
        problem_at(&k->r->in, PROBLEM_ERROR, k->models,
                   "a stage with study or ensemble, or a file",
                   "stage '%.*s' has no models", STRF(of->name));
}

/* Others may read the table. */
static void add_output(struct asking *k)
{
    struct plan_stage *s = k->stage;
    struct str file = value_text(value_get(k->predict, STR("output")));
    if (!file.len || file.p[0] == '/')
        return;
    struct str *all =
        arena_array(k->r->in.arena, s->output_count + 1, sizeof(*all));
    for (size_t i = 0; i < s->output_count; i++)
        all[i] = s->outputs[i];
    all[s->output_count++] = file;
    s->outputs = all;
}

static void make(struct campaign_file *r, struct plan_stage *s)
{
    struct arena *a = r->in.arena;
    const struct value *said = value_get(s->said, STR("predict"));
    struct value *study = value_object(a);

    if (!read_object(&r->in, said, "predict"))
        return;
    struct asking k = {.r = r,
                       .stage = s,
                       .predict = value_copy(a, said),
                       .models = value_get(said, STR("models"))};
    study->line = s->said->line;
    study->column = s->said->column;
    stage_add_keys(r, s, study);
    if (k.models)
        take_models(&k);
    add_output(&k);
    value_set_at(a, study, STR("predict"), k.predict, said->line, said->column);
    value_set(a, study, STR("name"), value_string(a, s->name));
    s->study = study;
}

STAGE(predict) = {
    .keys = (const char *const[]){NULL}, .is_study = true, .make = make};
