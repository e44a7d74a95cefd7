/* infer.c - tasks that are weights of another day on rows: loss and metrics,
 * which classes are mistaken for which, or what is predicted
 *
 * A turn is a piece of the rows, so that others have theirs. What is written is
 * there when all of it is: who is ended before leaves nothing. */
#include <math.h>

#include "worker/crew.h"
#include "worker/member.h"

static struct predicted rows_of(const struct member *m)
{
    return m->committee ? committee_rows(m->committee) : judging_rows(m);
}

static int begin(struct train *t, struct member *m, struct err *err)
{
    if (member_load(m, arena_cstr(m->arena, m->task.weights), false, err))
        return -1;
    if (committee_wanted(m) && !(m->committee = committee_open(t, m, err)))
        return -1;
    struct predicted what = rows_of(m);
    struct predictions *file =
        m->committee && committee_keeps_passes(m->committee)
            ? predictions_passes(member_file(t, m, "output/passes"), &what, err)
        : m->task.predictions
            ? predictions_table(member_file(t, m, "output/predictions.csv"),
                                &what, err)
            : predictions_confusion(member_file(t, m, "output/confusion.json"),
                                    &what);
    m->judging = file ? judging_new(m, m->committee, file, err) : NULL;
    return m->judging ? 0 : -1;
}

static void end(struct train *t, struct member *m)
{
    judging_free(m->judging);
    committee_close(t, m->committee);
}

/* After the last piece. */
static int finish(struct train *t, struct member *m, struct err *err)
{
    struct predicted what = rows_of(m);
    const char *rows = m->task.new_rows ? "new" : what.rows;
    struct nn_report r;
    if (judging_end(m->judging, &r, err))
        return -1;
    member_say(t, m, RECORD_NOTICE,
               str_of(arena_printf(m->arena, "%zu %s row%s", what.part->count,
                                   rows, what.part->count == 1 ? "" : "s")));
    if (!m->task.predictions && m->task.new_rows && isnan(r.validation_loss))
        return err_set(err, ERR_INPUT,
                       "the rows have no labels to be judged by; `throng "
                       "predict` needs none");
    if (!m->task.predictions)
        judging_say_unjudged(t, m, what.part, rows);
    judging_say(t, m, "", &r);
    return 0;
}

static int judge_next(struct member *m, struct err *err)
{
    return judging_next(m->judging, err);
}

static void turn(struct train *t, size_t at)
{
    member_turn(t, at, judge_next, finish);
}

KIND(infer) = {.name = "infer",
               .start = crew_start,
               .push = crew_push,
               .answer_ns = CREW_ANSWER_NS,
               .has_ended = crew_has_ended,
               .look = crew_look,
               .forget = crew_forget,
               .begin = begin,
               .adapt = committee_adapt,
               .turn = turn,
               .end = end};
