/* judging.c - a member on rows that it was not trained on */
#include <math.h>
#include <stdlib.h>

#include "worker/predictions.h"
#include "worker/member.h"

const struct data_part *judging_rows(const struct data_view *v,
                                     const char **name)
{
    const struct data_part *part = v->test.count         ? &v->test
                                   : v->validation.count ? &v->validation
                                                         : &v->train;
    *name = part == &v->test         ? "test"
            : part == &v->validation ? "validation"
                                     : "training";
    return part;
}

static void add_judged(struct member *m, const char *prefix, struct str name,
                       double value)
{
    struct buf whole;
    if (isnan(value))
        return;
    buf_init(&whole);
    buf_addf(&whole, "%s%.*s", prefix, STRF(name));
    metric_batch_add(m->batch, buf_str(&whole), METRIC_FROM_METRICS, 0, value);
    buf_done(&whole);
}

void judging_say_unjudged(struct train *t, struct member *m,
                          const struct data_part *part, const char *rows)
{
    for (size_t i = 0; i < nn_model_metric_count(m->model); i++) {
        const char *why =
            nn_unjudged(m->model, i, &m->view, part, rows, m->arena);
        if (why)
            member_say_once(t, m, why);
    }
}

void judging_say(struct train *t, struct member *m, const char *prefix,
                 const struct nn_report *r)
{
    add_judged(m, prefix, STR("loss"), r->validation_loss);
    for (size_t i = 0; i < nn_model_metric_count(m->model); i++)
        add_judged(m, prefix, nn_model_metric_name(m->model, i), r->metrics[i]);
    member_say_metrics(t, m);
}

float *judging_predict(struct member *m, const struct data_part *part,
                       struct nn_report *r, struct err *err)
{
    size_t wide = (size_t)nn_model_outputs(m->model);
    float *outputs = calloc(part->count * wide + 1, sizeof(*outputs));
    if (!outputs) {
        err_set(err, ERR_LIMIT, "no memory for %zu predictions", part->count);
        return NULL;
    }
    if (nn_trainer_judge(m->cohort->trainer, m->place, part, r, outputs)) {
        err_set(err, ERR_SYSTEM, "ended while it predicted");
        free(outputs);
        return NULL;
    }
    return outputs;
}

void judging_test(struct train *t, struct member *m)
{
    struct nn_report r = {0};
    if (!m->task.judge_test || !m->view.test.count)
        return;
    judging_say_unjudged(t, m, &m->view.test, "test");
    if (nn_trainer_judge(m->cohort->trainer, m->place, &m->view.test, &r,
                         NULL) == 0)
        judging_say(t, m, "test_", &r);
}

void judging_confusion(struct train *t, struct member *m)
{
    const char *name;
    const struct data_part *part = judging_rows(&m->view, &name);
    struct nn_report r = {0};
    struct err err = {0};
    if (!nn_model_confusion(m->model))
        return;
    float *outputs = judging_predict(m, part, &r, &err);
    if (!outputs || predictions_confusion(
                        member_file(t, m, "output/confusion.json"), m->model,
                        m->view.table, part, name, outputs, &err))
        member_say(t, m, RECORD_NOTICE, str_of(err.text));
    free(outputs);
}
