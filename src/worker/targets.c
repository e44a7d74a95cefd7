/* targets.c - a trained model on data sets that it was not trained on
 *
 * `data: {targets: [b.csv, …]}`: rows of other files become what the model
 * knows by what was fitted on its own training rows, as for `evaluate`. They
 * are judged by a trainer of one member with the same weights, so that the
 * cohort of the training need not know of other rows. A target that cannot be
 * judged is said, and takes nothing from the training. */
#include <stdlib.h>

#include "terms/target.h"
#include "worker/member.h"

static void put(struct arena *a, struct value *spec, const char *key,
                const struct value *v)
{
    if (v)
        value_set(a, spec, str_of(key), value_copy(a, v));
}

/* How rows are read; which they are, and how they are split, does not count. */
static struct value *spec_of(struct arena *a, const struct value *own,
                             const struct value *files)
{
    static const char *const kept[] = {"header",  "separator", "skip",
                                       "missing", "text",      "join"};
    static const char *const of_files[] = {"file", "inputs", "labels"};
    struct value *spec = value_object(a);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        put(a, spec, kept[i], value_get(own, str_of(kept[i])));
    if (files->kind == VALUE_STRING)
        put(a, spec, data_spec_is_pair(own) ? "inputs" : "file", files);
    for (size_t i = 0; i < sizeof(of_files) / sizeof(of_files[0]); i++)
        put(a, spec, of_files[i], value_get(files, str_of(of_files[i])));
    return spec;
}

static int judge(struct member *m, const struct data_view *view,
                 struct nn_report *r, struct nn_trainer **trainer,
                 struct err *err)
{
    struct nn_member one = {m->model, view, m->draws_by};
    *trainer = nn_trainer_open(m->device->name, m->model, 1, err);
    int place = *trainer ? nn_trainer_join(*trainer, &one, err) : -1;
    if (place < 0)
        return -1;
    /* Weights are laid out with gaps; a member has room for them and more. */
    double *weights =
        calloc((size_t)nn_model_member_numbers(m->model) + 1, sizeof(*weights));
    if (!weights)
        return err_set(err, ERR_LIMIT, "no memory for its weights");
    nn_trainer_take_weights(m->cohort->trainer, m->place, weights);
    nn_trainer_put_weights(*trainer, place, weights);
    free(weights);
    return nn_trainer_judge(*trainer, place, &view->test, r, err);
}

static void judge_target(struct train *t, struct member *m, struct str fitted,
                         const struct target *target)
{
    struct data_view view;
    struct nn_report r = {0};
    struct nn_trainer *trainer = NULL;
    struct err err = {0};
    const char *name = arena_cstr(m->arena, target->name);
    struct data_set *set = data_open_fitted(
        spec_of(m->arena, nn_model_data(m->model), target->files),
        arena_cstr(m->arena, m->task.workdir), fitted, name, &view, &err);
    int rc = set ? judge(m, &view, &r, &trainer, &err) : -1;
    if (rc == 0)
        judging_say(t, m, arena_printf(m->arena, "%s/", name), &r);
    else if (rc < 0)
        member_say(
            t, m, RECORD_NOTICE,
            str_of(arena_printf(m->arena, "target %s: %s", name, err.text)));
    nn_trainer_free(trainer);
    data_close(set);
}

void judging_targets(struct train *t, struct member *m)
{
    const struct value *targets =
        value_get(nn_model_data(m->model), STR("targets"));
    struct target target;
    struct buf fitted;
    if (!target_at(targets, 0, &target))
        return;
    buf_init(&fitted);
    member_print_fitted(&fitted, m);
    for (size_t i = 0; target_at(targets, i, &target); i++)
        judge_target(t, m, buf_str(&fitted), &target);
    buf_done(&fitted);
}
