/* stage_command.c - a stage that is one command: a study of one trial
 *
 * It runs in the campaign's folder, so that it finds there what it reads and
 * leaves there what it writes. */
#include "plan/stage.h"

static void make(struct campaign_file *r, struct plan_stage *s)
{
    struct arena *a = r->in.arena;
    const struct value *command = value_get(s->said, STR("command"));
    static const char *const alone[] = {"method", "points", "run_cap", NULL};
    struct value *study = value_object(a), *points = value_list(a);

    study->line = s->said->line;
    study->column = s->said->column;
    stage_add_keys(r, s, study);
    value_set(a, study, STR("command"), value_copy(a, command));
    for (size_t i = 0; alone[i]; i++)
        if (value_get(s->said, str_of(alone[i])))
            problem_at(&r->in, PROBLEM_ERROR,
                       value_get(s->said, str_of(alone[i])),
                       "make a study of it, in a file of its own",
                       "a stage that is one command has no %s", alone[i]);
    value_list_add(a, points, value_object(a));
    value_set(a, study, STR("points"), points);
    value_set(a, study, STR("name"), value_string(a, s->name));
    s->study = study;
}

STAGE(command) = {
    .keys = (const char *const[]){NULL}, .is_study = true, .make = make};
