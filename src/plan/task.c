/* task.c - `task:`, of which kind a study's tasks are
 *
 * A word, or an object whose `kind` is that word and whose other keys are the
 * kind's own: the kind reads them, where it runs. */
#include "plan/reading.h"

static const struct task_kind *choose(const struct reading *in,
                                      const struct value *v)
{
    const char *names[KIND_COUNT + 1];
    size_t count = 0;
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (task_kinds[i].runs != RUNS_UNASKED)
            names[count++] = task_kinds[i].name;
    names[count] = NULL;
    return read_choice(in, v, "task", names) < 0 ? NULL : task_kind_find(v->s);
}

bool plan_runs_models(const struct plan *p)
{
    return p->kind->runs == RUNS_MODEL || p->kind->runs == RUNS_ROWS;
}

void read_task(struct study_file *r, const struct value *v)
{
    struct plan *p = r->plan;
    const struct value *kind = v;
    if (v->kind == VALUE_OBJECT) {
        kind = value_get(v, STR("kind"));
        if (!kind) {
            problem_at(&r->in, PROBLEM_ERROR, v, "as in task: {kind: command}",
                       "task has no kind");
            return;
        }
        if (v->count > 1)
            p->kind_options = v;
    }
    p->kind = choose(&r->in, kind);
}

/* A program computes where it does. */
static void check_device(struct study_file *r)
{
    static const char *const keys[] = {"device", "kernels"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const struct value *v = value_get(r->root, str_of(keys[i]));
        if (v && !plan_runs_models(r->plan))
            problem_at(&r->in, PROBLEM_WARNING, v,
                       "resources says whether a program has a GPU",
                       "%s is not used: a program computes where it likes",
                       keys[i]);
    }
}

void check_task(struct study_file *r)
{
    struct plan *p = r->plan;
    const struct value *said = value_get(r->root, STR("task"));
    bool model = value_get(r->root, STR("model")) != NULL;
    if (p->predict)
        p->kind =
            task_kind_that(p->predict->of_command ? RUNS_COMMAND : RUNS_ROWS);
    else if (!p->kind) /* unsaid, or a mistake that was told */
        p->kind = task_kind_that(model ? RUNS_MODEL : RUNS_COMMAND);
    else if (model && p->kind->runs != RUNS_MODEL)
        problem_at(&r->in, PROBLEM_ERROR, said, NULL,
                   "tasks of the kind %s run no model", p->kind->name);
    else if (!model && p->kind->runs == RUNS_MODEL)
        problem_at(&r->in, PROBLEM_ERROR, said, "as in model: net.yaml",
                   "tasks of the kind %s run a model", p->kind->name);
    else if (p->kind->runs == RUNS_ROWS)
        check_infer(r, said);
    check_device(r);
}
