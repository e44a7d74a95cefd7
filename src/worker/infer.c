/* infer.c - tasks that are weights of another day on rows: loss and metrics,
 * which classes are mistaken for which, or what is predicted */
#include <math.h>
#include <stdlib.h>

#include "worker/crew.h"
#include "worker/member.h"
#include "worker/predictions.h"

static int begin(struct train *t, struct member *m, struct err *err)
{
    (void)t;
    return member_load(m, arena_cstr(m->arena, m->task.weights), false, err);
}

static int infer(struct train *t, struct member *m, struct err *err)
{
    const char *name;
    const struct data_part *part = judging_rows(&m->view, &name);
    struct nn_report r = {0};
    float *outputs = judging_predict(m, part, &r, err);
    if (!outputs)
        return -1;
    const char *which = m->task.new_rows ? "new" : name;
    member_say(t, m, RECORD_NOTICE,
               str_of(arena_printf(m->arena, "%zu %s row%s", part->count, which,
                                   part->count == 1 ? "" : "s")));
    int rc = 0;
    if (m->task.predictions)
        rc = predictions_write(member_file(t, m, "output/predictions.csv"),
                               m->model, m->view.table, part, outputs, err);
    else if (isnan(r.validation_loss) && m->task.new_rows)
        rc = err_set(err, ERR_INPUT,
                     "the rows have no labels to be judged by; `throng "
                     "predict` needs none");
    else
        rc = predictions_confusion(member_file(t, m, "output/confusion.json"),
                                   m->model, m->view.table, part, name, outputs,
                                   err);
    if (rc == 0 && !m->task.predictions)
        judging_say_unjudged(t, m, part, which);
    if (rc == 0)
        judging_say(t, m, "", &r);
    free(outputs);
    return rc;
}

static void turn(struct train *t, size_t at)
{
    struct err err = {0};
    int rc = infer(t, t->members.p[at], &err);
    member_leave(t, at, rc == 0 ? OUTCOME_DONE : member_outcome(&err),
                 str_of(err.text));
}

const struct kind kind_infer = {.name = "infer",
                                .start = crew_start,
                                .push = crew_push,
                                .answer_ns = CREW_ANSWER_NS,
                                .has_ended = crew_has_ended,
                                .look = crew_look,
                                .forget = crew_forget,
                                .begin = begin,
                                .turn = turn};
