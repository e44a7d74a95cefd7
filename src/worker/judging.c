/* judging.c - a member on rows that it was not trained on */
#include <math.h>
#include <stdlib.h>

#include "worker/member.h"

#define PIECE_BYTES 65536 /* of predictions, unless a batch has more */

struct predicted judging_rows(const struct member *m)
{
    const struct data_view *v = &m->view;
    const struct data_part *part = v->test.count         ? &v->test
                                   : v->validation.count ? &v->validation
                                                         : &v->train;
    const char *name = part == &v->test         ? "test"
                       : part == &v->validation ? "validation"
                                                : "training";
    return (struct predicted){m->model, v->table, part, name};
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

void judging_test(struct train *t, struct member *m)
{
    struct nn_report r = {0};
    struct err err = {0};
    if (!m->task.judge_test || !m->view.test.count)
        return;
    judging_say_unjudged(t, m, &m->view.test, "test");
    int rc =
        nn_trainer_judge(m->cohort->trainer, m->place, &m->view.test, &r, &err);
    if (rc == 0)
        judging_say(t, m, "test_", &r);
    else if (rc < 0)
        member_say(t, m, RECORD_NOTICE, str_of(err.text));
}

/* ---- in pieces ---------------------------------------------------------- */

struct judging {
    struct predictions *file; /* what is made of the predictions */
    struct nn_pieces *pieces;
    float *outputs; /* of one piece */
    size_t rows;    /* of one piece */
};

struct judging *judging_new(struct member *m, struct predictions *file,
                            struct err *err)
{
    const struct data_part *part = file->what.part;
    size_t wide = (size_t)nn_model_outputs(m->model);
    struct judging *j = xcalloc(1, sizeof(*j));
    j->file = file;
    j->pieces = nn_pieces_new(m->cohort->trainer, m->place, part, err);
    if (j->pieces) {
        j->rows =
            nn_pieces_rows(j->pieces, PIECE_BYTES / sizeof(float) / (wide + 1));
        j->outputs = malloc(j->rows * wide * sizeof(*j->outputs) + 1);
        if (j->outputs)
            return j;
        err_set(err, ERR_LIMIT, "no memory for the predictions of %zu rows",
                j->rows);
    }
    judging_free(j);
    return NULL;
}

void judging_free(struct judging *j)
{
    if (!j)
        return;
    predictions_free(j->file);
    nn_pieces_free(j->pieces);
    free(j->outputs);
    free(j);
}

int judging_next(struct judging *j, struct err *err)
{
    size_t count;
    if (nn_pieces_next(j->pieces, j->rows, j->outputs, &count))
        return err_set(err, ERR_SYSTEM, "ended while it predicted");
    if (predictions_add(j->file, j->outputs, count, err))
        return -1;
    return j->file->done < j->file->what.part->count;
}

int judging_end(struct judging *j, struct nn_report *r, struct err *err)
{
    nn_pieces_report(j->pieces, r);
    return predictions_end(j->file, err);
}

void judging_confusion(struct train *t, struct member *m)
{
    struct nn_report r;
    struct err err = {0};
    int rc = -1;
    if (!nn_model_confusion(m->model))
        return;
    struct predicted what = judging_rows(m);
    struct judging *j =
        judging_new(m,
                    predictions_confusion(
                        member_file(t, m, "output/confusion.json"), &what),
                    &err);
    while (j && (rc = judging_next(j, &err)) > 0)
        ;
    if (rc || judging_end(j, &r, &err))
        member_say(t, m, RECORD_NOTICE, str_of(err.text));
    judging_free(j);
}
