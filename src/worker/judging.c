/* judging.c - a member on rows that it was not trained on */
#include <math.h>
#include <stdlib.h>

#include "ensemble/ensemble.h"
#include "sys/sys.h"
#include "worker/member.h"

#define PIECE_BYTES 65536 /* of predictions, unless a batch has more */

/* Those that are asked for, or the first that were held out. */
static const struct data_part *part_of(const struct member *m)
{
    const struct data_view *v = &m->view;
    struct str rows = m->task.rows;
    if (rows.len && !m->task.new_rows)
        return str_is(rows, "training")     ? &v->train
               : str_is(rows, "validation") ? &v->validation
                                            : &v->test;
    return v->test.count         ? &v->test
           : v->validation.count ? &v->validation
                                 : &v->train;
}

struct predicted judging_rows(const struct member *m)
{
    const struct data_view *v = &m->view;
    const struct data_part *part = part_of(m);
    const char *name = part == &v->test         ? "test"
                       : part == &v->validation ? "validation"
                                                : "training";
    return (struct predicted){
        .model = m->model, .table = v->table, .part = part, .rows = name};
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
    const struct member *member;
    struct predictions *file; /* what is made of the predictions */
    struct nn_pieces *pieces; /* of one member */
    struct committee *committee;
    struct nn_verdict *verdict; /* of a committee */
    float *floats;              /* of one piece of one member */
    double *outputs, *more;     /* of one piece */
    size_t rows, wide;          /* of one piece; numbers of a row */
    int64_t asked_ns;           /* that answers took */
    struct bad *bad;            /* the member's */
};

/* Who answers, and who judges that. */
static int begin_asking(struct judging *j, struct member *m, struct err *err)
{
    const struct data_part *part = j->file->what.part;
    if (j->committee) {
        j->verdict = nn_verdict_new(m->model, &m->view, part, err);
        j->rows = committee_piece(j->committee);
        return j->verdict ? 0 : -1;
    }
    j->pieces = nn_pieces_new(m->cohort->trainer, m->place, part, err);
    if (!j->pieces)
        return -1;
    j->rows =
        nn_pieces_rows(j->pieces, PIECE_BYTES / sizeof(float) / (j->wide + 1));
    return 0;
}

struct judging *judging_new(struct member *m, struct committee *committee,
                            struct predictions *file, struct err *err)
{
    struct judging *j = xcalloc(1, sizeof(*j));
    size_t more = predicted_more_count(&file->what);
    j->member = m;
    j->file = file;
    j->bad = m->bad;
    j->committee = committee;
    j->wide = (size_t)nn_model_outputs(m->model);
    if (begin_asking(j, m, err) == 0) {
        j->floats = malloc(j->rows * j->wide * sizeof(*j->floats) + 1);
        j->outputs = malloc(j->rows * j->wide * sizeof(*j->outputs) + 1);
        j->more = malloc(j->rows * more * sizeof(*j->more) + 1);
        if (j->floats && j->outputs && j->more)
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
    nn_verdict_free(j->verdict);
    free(j->floats);
    free(j->outputs);
    free(j->more);
    free(j);
}

static int ask_committee(struct judging *j, size_t *count, struct err *err)
{
    size_t from = j->file->done, left = j->file->what.part->count - from;
    *count = left < j->rows ? left : j->rows;
    int rc =
        committee_ask(j->committee, from, *count, j->outputs, j->more, err);
    if (!rc)
        nn_verdict_add(j->verdict, j->outputs, *count);
    return rc;
}

static int ask_member(struct judging *j, size_t *count)
{
    const struct predicted *what = &j->file->what;
    int rc = nn_pieces_next(j->pieces, j->rows, j->floats, count);
    for (size_t i = 0; !rc && i < *count * j->wide; i++)
        j->outputs[i] = (double)j->floats[i];
    size_t some = predicted_more_count(what);
    for (size_t r = 0; !rc && some && r < *count; r++)
        predicted_spreads_fill(what, j->outputs + r * j->wide,
                               j->more + r * some);
    return rc;
}

static void look_for_bad(struct judging *j, size_t count)
{
    const struct predicted *what = &j->file->what;
    bad_look(j->bad,
             &(struct bad_piece){.rows = what->part->rows + j->file->done,
                                 .count = count,
                                 .wide = j->wide,
                                 .some = predicted_more_count(what),
                                 .outputs = j->outputs,
                                 .more = j->more});
}

size_t judging_piece(const struct judging *j)
{
    return j->rows;
}

/* Behind all that the models have said of the rows. */
static int look_at_rows(struct judging *j, size_t count, struct err *err)
{
    size_t some = predicted_more_count(&j->file->what);
    return unlike_ask(j->member->unlike, j->file->done, count,
                      j->more + some - NOVELTY_SCORES, some, err);
}

int judging_next(struct judging *j, struct err *err)
{
    size_t count = 0;
    int64_t began_ns = clock_mono_ns();
    int rc =
        j->committee ? ask_committee(j, &count, err) : ask_member(j, &count);
    j->asked_ns += clock_mono_ns() - began_ns;
    if (!rc && j->member->unlike)
        rc = look_at_rows(j, count, err);
    if (rc > 0)
        return err_set(err, ERR_SYSTEM, "ended while it predicted");
    if (!rc)
        look_for_bad(j, count);
    if (rc || predictions_add(j->file, j->outputs, j->more, count, err))
        return -1;
    return j->file->done < j->file->what.part->count;
}

double judging_seconds(const struct judging *j)
{
    return (double)j->asked_ns * 1e-9;
}

int judging_end(struct judging *j, struct nn_report *r, struct err *err)
{
    if (j->committee)
        nn_verdict_end(j->verdict, r);
    else
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
        judging_new(m, NULL,
                    predictions_confusion(
                        member_file(t, m, "output/confusion.json"), &what),
                    &err);
    while (j && (rc = judging_next(j, &err)) > 0)
        ;
    if (rc || judging_end(j, &r, &err))
        member_say(t, m, RECORD_NOTICE, str_of(err.text));
    judging_free(j);
}
