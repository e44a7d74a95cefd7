/* infer.c - tasks that are weights of another day on rows: loss and metrics,
 * which classes are mistaken for which, or what is predicted
 *
 * A turn is a piece of the rows, so that others have theirs. What is written is
 * there when all of it is: who is ended before leaves nothing. */
#include <math.h>
#include <unistd.h>

#include "worker/crew.h"
#include "worker/member.h"
#include "worker/rows.h"

static struct predicted rows_of(const struct member *m)
{
    struct predicted what =
        m->committee ? committee_rows(m->committee) : judging_rows(m);
    what.first_row = m->task.shard.first;
    what.file = m->task.shard.name;
    what.unread = bad_unread(m->bad);
    return what;
}

/* Rows that are asked for and that the model does not have. */
static int check_rows(const struct member *m, struct err *err)
{
    struct predicted what = judging_rows(m);
    if (!m->task.rows.len || m->task.new_rows || what.part->count)
        return 0;
    return err_set(err, ERR_INPUT, "%.*s has no %s rows", STRF(m->task.weights),
                   what.rows);
}

/* Of one model that is asked once. */
static const struct predicted_more *own_columns(const struct member *m,
                                                const struct predicted *what)
{
    size_t heads = nn_model_head_count(what->model);
    const struct predicted_more *own = predicted_spreads(what, m->arena);
    struct predicted_more behind = unlike_columns(m);
    if (!behind.count)
        return own;
    struct predicted_more *all = arena_array(m->arena, heads + 1, sizeof(*all));
    for (size_t i = 0; own && i < heads; i++)
        all[i] = own[i];
    all[heads] = behind;
    return all;
}

/* What is said of rows by another model than those that are asked. */
static int look_beside(struct train *t, struct member *m, size_t piece,
                       struct err *err)
{
    if (!unlike_wanted(m))
        return 0;
    m->unlike = unlike_open(t, m, piece, err);
    return m->unlike ? 0 : -1;
}

static int begin_keeping(struct train *t, struct member *m, struct err *err)
{
    m->keeping = keeping_open(t, m, err);
    return m->keeping ? look_beside(t, m, keeping_piece(m->keeping), err) : -1;
}

static int begin(struct train *t, struct member *m, struct err *err)
{
    if (member_load(m, arena_cstr(m->arena, m->task.weights), false, err) ||
        check_rows(m, err))
        return -1;
    if (committee_wanted(m) ? !(m->committee = committee_open(t, m, err))
                            : held_out_judge(t, &m, 1, err))
        return -1;
    if (bad_wanted(m) && !(m->bad = bad_open(m, err)))
        return -1;
    if (keeping_wanted(m))
        return begin_keeping(t, m, err);
    struct predicted what = rows_of(m);
    bool out_of_fold = false;
    if (!m->committee && m->task.predictions)
        what.more = own_columns(m, &what);
    struct predictions *file =
        m->committee && committee_keeps_passes(m->committee, &out_of_fold)
            ? predictions_passes(member_file(t, m, "output/passes"), &what,
                                 out_of_fold, err)
        : m->task.predictions
            ? predictions_table(member_file(t, m, "output/predictions.csv"),
                                &what, err)
            : predictions_confusion(member_file(t, m, "output/confusion.json"),
                                    &what);
    m->judging = file ? judging_new(m, m->committee, file, err) : NULL;
    return m->judging ? look_beside(t, m, judging_piece(m->judging), err) : -1;
}

static void end(struct train *t, struct member *m)
{
    judging_free(m->judging);
    keeping_close(m->keeping);
    unlike_close(t, m->unlike);
    committee_close(t, m->committee);
    const char *rows =
        m->task.shard.file.len ? rows_name(&m->task, m->arena) : NULL;
    if (rows)
        unlink(path_join(m->arena, arena_cstr(m->arena, m->task.folder), rows));
}

/* A file that is read as it is may have changed until its last row was. */
static int check_shard(const struct member *m, struct err *err)
{
    return m->task.shard.file.len ? rows_check(&m->task, m->arena, err) : 0;
}

static int finish_keeping(struct train *t, struct member *m, struct err *err)
{
    uint64_t rows;
    if (check_shard(m, err))
        return -1;
    double seconds = keeping_seconds(m->keeping, &rows);
    asked_say(t, m, rows, seconds);
    return keeping_end(t, m->keeping, err) || bad_end(t, m->bad, err) ? -1 : 0;
}

static int keep_next(struct member *m, struct err *err)
{
    return keeping_next(m->keeping, err);
}

static bool is_told(const struct data_field *label,
                    const struct data_part *part)
{
    size_t wide = (size_t)label->columns;
    for (size_t r = 0; r < part->count; r++)
        for (size_t k = 0; k < wide; k++) {
            size_t at = part->rows[r] * wide + k;
            if (label->categories ? label->categories[at] >= 0
                : label->numbers  ? !isnan(label->numbers[at])
                                  : false)
                return true;
        }
    return false;
}

/* A loss is no number where nothing is known to judge by, or where nothing was
 * predicted. */
static int check_loss(const struct member *m, const struct predicted *what,
                      double loss, struct err *err)
{
    bool told = false;
    if (m->task.predictions || !isnan(loss))
        return 0;
    for (size_t i = 0; i < nn_model_head_count(m->model); i++) {
        struct nn_head_facts h = nn_model_head(m->model, i);
        const struct data_field *label = nn_head_label(&h, what->table);
        told = told || (label && is_told(label, what->part));
    }
    if (told)
        return err_set(err, ERR_INPUT,
                       "the loss is not a number, since what is predicted is "
                       "none: weights have diverged, or are broken");
    if (m->task.new_rows)
        return err_set(err, ERR_INPUT,
                       "the rows have no labels to be judged by; `throng "
                       "predict` needs none");
    return 0;
}

/* Who asks for predictions or passes reads no metrics. */
static bool says_metrics(const struct member *m)
{
    bool out_of_fold;
    return !m->task.predictions &&
           !(m->committee &&
             committee_keeps_passes(m->committee, &out_of_fold));
}

/* After the last piece. */
static int finish(struct train *t, struct member *m, struct err *err)
{
    struct predicted what = rows_of(m);
    const char *rows = m->task.new_rows ? "new" : what.rows;
    struct nn_report r;
    if (check_shard(m, err) || judging_end(m->judging, &r, err))
        return -1;
    double seconds = judging_seconds(m->judging);
    if (!m->task.shard.file.len)
        member_say(
            t, m, RECORD_NOTICE,
            str_of(arena_printf(m->arena, "%zu %s row%s%s", what.part->count,
                                rows, what.part->count == 1 ? "" : "s",
                                m->task.predictions
                                    ? asked_words(m, what.part->count, seconds)
                                    : "")));
    if (check_loss(m, &what, r.validation_loss, err))
        return -1;
    if (says_metrics(m))
        judging_say_unjudged(t, m, what.part, rows);
    if (m->task.predictions)
        asked_say(t, m, what.part->count, seconds);
    if (!bad_count(m->bad)) /* or the loss would be that of any numbers */
        judging_say(t, m, "", &r);
    return bad_end(t, m->bad, err);
}

static int judge_next(struct member *m, struct err *err)
{
    return judging_next(m->judging, err);
}

static void turn(struct train *t, size_t at)
{
    if (t->members.p[at]->keeping)
        member_turn(t, at, keep_next, finish_keeping);
    else
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
