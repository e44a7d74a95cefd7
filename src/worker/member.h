/* member.h - a trainer process and the tasks that it works on
 *
 * Private to the files of the trainer process: trainer.c, opening.c, cohorts.c,
 * saved.c, judging.c and the kinds that run in it, of which train.c is one. */
#ifndef THRONG_WORKER_MEMBER_H
#define THRONG_WORKER_MEMBER_H

#include "base/vec.h"
#include "data/data.h"
#include "nn/nn.h"
#include "terms/device.h"
#include "terms/metric.h"
#include "terms/record.h"
#include "terms/task.h"
#include "worker/kind.h"
#include "worker/meter.h"
#include "worker/predictions.h"
#include "worker/sources.h"

struct cohort {
    uint64_t key;
    struct arena *arena;
    struct nn_model *like;
    struct nn_trainer *trainer;
    const struct device *device;
    size_t members, capacity;
    bool killed; /* one of those that are trained now */
};

struct member {
    struct arena *arena;
    struct task task;
    uint64_t draws_by; /* the task's seed, or of it what a shard makes */
    const struct kind *kind;
    struct nn_model *model;
    const struct device *device;
    struct source *source;
    struct data_view view;
    struct cohort *cohort;
    int place;
    struct metric_batch *batch;
    const char *about; /* the model, for its weights file */
    struct str before; /* rows that the weights it begins from were trained on
                        */
    struct buf faults; /* of its model file: record_fault_print */
    int64_t reported_ns;
    double cpu_s, kept_cpu_s; /* in all, and at the last checkpoint */
    double last, best;        /* of the study's metric; NaN: none yet */
    int64_t epoch;            /* the last one */
    int64_t rated;            /* the last one that reported that metric */
    uint64_t round; /* the last one in which it had its turn with others */
    bool training;  /* it has that turn now */
    bool begun, asked, killed;
    bool goes_on;        /* it was killed, and may be begun again */
    bool trained;        /* no epoch is left */
    bool waits;          /* for a decision */
    bool crowded;        /* it did not fit beside the others … */
    uint64_t crowded_at; /* … when so many had left */
    int64_t again_ns;    /* it tries again then; 0: when the next has left */
    bool in_files;       /* what it leaves goes into files */
    int64_t begun_ns;
    int64_t so_far_ns;         /* when to say again what it has used so far */
    double spent[SPENT_COUNT]; /* of its trainer, when it began */
    double joules;             /* the same, see meter.h */
    struct judging *judging;   /* of the kind infer; NULL: none */
    bool draws;                /* of the same: dropout stays when it predicts */
    bool seated;               /* of the same: it is one of a committee */
    struct committee *committee;   /* the same, where several models answer */
    struct data_product *product;  /* its rows; NULL: they are a set's */
    struct keeping *keeping;       /* of the kind infer: of such; NULL: none */
    struct unlike *unlike;         /* of the same; NULL: none */
    struct importance *importance; /* of the kind importance; NULL: none */
    struct bad *bad; /* rows of which nothing is predicted; NULL: nobody asks */
};

/* The best values so far, the smallest first. */
struct best {
    VEC(double) values;
};

struct train {
    int fd;
    const char *folder; /* the study's; NULL: none */
    struct best done, stopped;
    bool closed;
    struct buf in, out, payload;
    VEC(struct member *) members;
    VEC(struct cohort *) cohorts;
    VEC(uint64_t) told; /* notices of models that have been said */
    struct sources sources;
    struct member *now; /* whose turn it is; NULL: nobody's */
    uint64_t round;     /* of turns */
    uint64_t left;      /* members that have */
    bool together;      /* members have theirs at the same time now */
    int64_t looked_ns;
    double spent[SPENT_COUNT]; /* seconds, since it began … */
    int64_t spent_ns;          /* … up to here */
    double idle_told;          /* of it, while nobody was there */
    struct meter *meter; /* of its GPU; NULL: it has none, or nobody can tell */
    bool metered;        /* it was asked for */
};

/* Says something of a member; it is written later. */
void member_say(struct train *t, const struct member *m, enum record_type type,
                struct str payload);
/* The same of a text that other members may have, too: once for each text. */
void member_say_once(struct train *t, const struct member *m, const char *text);
/* The same among those of one task: the models of a committee. */
void member_say_once_of_task(struct train *t, const struct member *m,
                             const char *text);
/* Says the points of its batch. */
void member_say_metrics(struct train *t, struct member *m);
/* A member of a task, or of none yet, that has nothing but itself. */
struct member *member_new(const struct task *task);
/* Leaves all of that, as far as it came, and frees it. */
void member_close(struct train *t, struct member *m);
/* Says that member number `at` has ended, and frees it. */
void member_leave(struct train *t, size_t at, enum outcome outcome,
                  struct str reason);
/* The same for what went wrong. */
void member_fail(struct train *t, size_t at, const struct err *err);
/* The same from outside. What nobody has ended for good goes on from here. */
void member_leave_killed(struct train *t, size_t at);
/* A turn of what is done piece by piece: `next` does one, and returns 1 while
 * there are more, 0 when all are done, or -1; `finish` writes what came of
 * them. */
void member_turn(struct train *t, size_t at,
                 int (*next)(struct member *m, struct err *err),
                 int (*finish)(struct train *t, struct member *m,
                               struct err *err));

/* ---- opening.c: its rows, its model, its device -------------------------- */

/* Reads its model and its rows and takes its place in a cohort. */
int member_open(struct train *t, struct member *m, struct err *err);
/* The model for rows that are there; faults go into the member's. Yours to
 * free. */
struct nn_model *member_read_model(const struct value *v, struct member *m,
                                   struct err *err);

/* ---- cohorts.c ------------------------------------------------------------
 */

/* One that has a place for the member, an old or a new one; it lives as long as
 * somebody is in it. */
struct cohort *cohort_of(struct train *t, struct member *m, struct err *err);
void cohort_leave(struct member *m);
/* It found no place there, for lack of memory, say: it may wait for some. */
void cohort_give_up(struct train *t, struct member *m);
void cohort_free(struct cohort *c);
/* What a trial may use of memory, where somebody said that. */
int member_check_granted(const struct member *m, struct err *err);

/* ---- trainer.c ------------------------------------------------------------
 */

/* False while it waits for an answer, or for room. */
bool member_has_turn(const struct train *t, const struct member *m);
/* Between two batches: is the one whose turn it is still wanted? `context` is
 * the trainer. */
bool train_broken_off(void *context);

/* ---- spent.c ------------------------------------------------------------- */

/* What the time since the last call of it went into. */
void train_spend(struct train *t, enum spent into);
/* Of the trainer, while it was a member. */
struct use member_use(struct train *t, const struct member *m);
/* Says of members what they have had until now, from time to time. */
void members_say_use(struct train *t);

/* Says that it goes on on another device than it was begun on, if it does. */
void member_say_moved(struct train *t, struct member *m);

/* ---- crowded.c ----------------------------------------------------------- */

/* It could not be opened since it does not fit beside those that are here, or
 * beside what other processes have of the device. */
bool member_is_crowded(const struct train *t, const struct member *m,
                       const struct err *err);
/* It is opened again when one of them has left; for other processes, of whom
 * nobody hears, after a while. */
void member_wait_for_room(struct train *t, struct member *m);
/* False until then. */
bool member_has_room(const struct train *t, const struct member *m);

/* ---- saved.c: what a member leaves, and what it goes on from ------------ */

/* The path of a file in the task's folder that is about to be written, in a
 * folder that is there, unless the study's own is gone. */
const char *member_file(const struct train *t, const struct member *m,
                        const char *name);
int member_load(struct member *m, const char *path, bool everything,
                struct err *err);
/* Goes on where an earlier attempt, or the trial that this one comes from,
 * left off; else begins from the weights that the model file names, and keeps
 * those that it begins with, if they are asked for. */
int member_restore(struct train *t, struct member *m, struct err *err);
/* Writes its state down, from which it goes on should it be broken off. */
void member_keep(struct train *t, struct member *m);
/* The same at the end of its budget: it may be given more. */
void member_leave_state(struct train *t, struct member *m);
/* The weights that it ends with. */
void member_leave_weights(struct train *t, struct member *m);
/* Those after this epoch (0: before the first), beside them. */
void member_keep_weights(struct train *t, struct member *m, int64_t epoch);

/* ---- committee.c: several models, of which one answers for all ----------
 */

/* Several samples of a model: its dropout stays. An error where it has none. */
int committee_adapt(struct member *m, struct nn_model *model, struct err *err);
/* True when the task names several, or wants to know how sure it is. */
bool committee_wanted(const struct member *m);
/* Opens the models that the task names beside the member's own; err names the
 * file of the one that does not fit. */
struct committee *committee_open(struct train *t, struct member *m,
                                 struct err *err);
/* A model that is asked beside the member for the same rows, as the options
 * name it: {"model": …, "weights": …, "workdir": …}; `draws`: its dropout
 * stays. */
struct member *member_open_seat(struct train *t, const struct member *first,
                                const struct value *v, bool draws,
                                struct err *err);
/* NULL is accepted. */
void committee_close(struct train *t, struct committee *c);
/* The columns of the rows are what each of them says, for others to make
 * something of; out of fold behind who may say something. */
bool committee_keeps_passes(const struct committee *c, bool *out_of_fold);
/* The rows that all of them are asked for, with columns of how sure it is. */
struct predicted committee_rows(const struct committee *c);
/* Its models, the first of which it is of, and the numbers of the same rows as
 * each has them. */
size_t committee_seats(const struct committee *c);
struct member *committee_seat(const struct committee *c, size_t i,
                              const struct data_part **part);
/* What its numbers are called, as rules of what is kept have them. */
const char **committee_columns(const struct committee *c, size_t *count);
/* How often a row is asked for: members × samples. */
size_t committee_passes(const struct committee *c);
/* The most rows that they are asked for at once: whole batches. */
size_t committee_piece(const struct committee *c);
/* What they say of rows from..from + count: what is predicted, and how sure
 * that is. 1: broken off. */
int committee_ask(struct committee *c, size_t from, size_t count,
                  double *outputs, double *more, struct err *err);

/* ---- unlike.c: how far rows are from those of training ------------------- */

struct unlike;
bool unlike_wanted(const struct member *m);
/* Columns that a row has of it, behind all others; none: it is not wanted. */
struct predicted_more unlike_columns(const struct member *m);
/* Where it is wanted, when the committee is there, for pieces of so many rows.
 */
struct unlike *unlike_open(struct train *t, struct member *m, size_t piece,
                           struct err *err);
void unlike_close(struct train *t, struct unlike *u); /* NULL is accepted */
/* The columns of rows from..from + count, those of the next row `apart` from
 * each other. 1: broken off. */
int unlike_ask(struct unlike *u, size_t from, size_t count, double *to,
               size_t apart, struct err *err);

/* ---- held_out.c: rows that members may be chosen, calibrated, judged by ---
 */

struct held_out {
    struct data_part part;
    size_t rows;      /* of the table that they are numbers of */
    size_t left_out;  /* rows that a member was trained on */
    size_t chosen_by; /* rows that the ensemble was chosen by: left out, too */
    const bool *may; /* seats × rows: who was not trained on which; NULL: nobody
                        was on any of the part */
};
/* Of the part that each seat has held out, or of rows of another day, those
 * that no seat was trained on, or out of fold those that one at least was not.
 * In the arena. */
int held_out_find(struct member *const *seats, const struct data_part *parts,
                  size_t count, bool out_of_fold, struct held_out *to,
                  struct arena *a, struct err *err);

/* Leaves out those that the ensemble in this file was chosen or weighed by, as
 * it says itself; an error where none stays. */
int held_out_unchosen(struct member *m, const char *path, struct held_out *h,
                      struct arena *a, struct err *err);

/* Before they are judged (judging_rows): of their own rows those stay that a
 * seat was not trained on, and an error is where none does: others are there
 * where its data has changed since. Rows of another day all stay. How many were
 * trained on is said. */
int held_out_judge(struct train *t, struct member *const *seats, size_t count,
                   struct err *err);

/* Of rows that are a product of tables: those from `first` on become the first
 * `count`. */
void committee_move(struct committee *c, uint64_t first, size_t count);

/* ---- keeping.c: rows of a product of tables or of a shard, and what is kept
 * of them by rules ---- */

#define PRODUCT_WINDOW 16384 /* rows that are looked at at once, at most */
bool keeping_wanted(const struct member *m);
/* After the committee is there. Yours to close. */
struct keeping *keeping_open(struct train *t, struct member *m,
                             struct err *err);
void keeping_close(struct keeping *k); /* NULL is accepted */
/* The next piece. 1: there are more; 0: that was the last; -1 and err. */
int keeping_next(struct keeping *k, struct err *err);
/* Rows of a piece, at most. */
size_t keeping_piece(const struct keeping *k);
/* After the last: what is kept lies in the task's folder. */
int keeping_end(struct train *t, struct keeping *k, struct err *err);
/* That the models took to answer so far, and for how many rows in all. */
double keeping_seconds(const struct keeping *k, uint64_t *rows);

/* ---- bad.c: rows of which nothing is predicted ----------------------------
 */

/* Rows are predicted: of another day, those that cannot be read do not end it.
 */
bool bad_wanted(const struct member *m);
/* After the models are there; in the member's arena. An error where it is no
 * shard and no row can be read. */
struct bad *bad_open(struct member *m, struct err *err);
/* By row of the table; NULL: all can be read. Both take NULL. */
const bool *bad_unread(const struct bad *b);
size_t bad_count(const struct bad *b);
/* What was predicted of rows of the table: `wide` outputs and `some` other
 * numbers of each. Those of bad ones become NaN. NULL is accepted. */
struct bad_piece {
    const uint32_t *rows;
    size_t count, wide, some;
    double *outputs, *more;
};
void bad_look(struct bad *b, const struct bad_piece *p);
/* After the last: says how many there are and what the first are, of a shard in
 * a file, too. NULL is accepted. */
int bad_end(struct train *t, struct bad *b, struct err *err);

/* ---- asked.c: how long models took to predict ---------------------------- */

/* Reports t_image: seconds for one row of one model, once; and of what is no
 * shard, whose rows are known, how many there were. */
void asked_say(struct train *t, struct member *m, uint64_t rows,
               double seconds);
/* " in 0.2 s, t_image 0.0001 s", for people; lives as long as the member. */
const char *asked_words(const struct member *m, uint64_t rows, double seconds);

/* ---- judging.c: a member on rows that it was not trained on ------------ */

/* The rows that a model is judged on: those that it has not seen, where there
 * are any. */
struct predicted judging_rows(const struct member *m);
/* A member on such rows, a piece at a time: what it predicts becomes the file,
 * which is the judging's from now on, also where this fails. With a committee
 * what is predicted is what that says. */
struct judging *judging_new(struct member *m, struct committee *committee,
                            struct predictions *file, struct err *err);
/* Rows of a piece, at most. */
size_t judging_piece(const struct judging *j);
/* The next piece. 1: there are more; 0: that was the last; -1 and err. */
int judging_next(struct judging *j, struct err *err);
/* After the last: the file is there. r->metrics live as long as j. */
int judging_end(struct judging *j, struct nn_report *r, struct err *err);
/* That the models took to answer so far. */
double judging_seconds(const struct judging *j);
/* While the member is there; NULL is accepted. */
void judging_free(struct judging *j);
/* Says loss and metrics, as metrics whose names begin with the prefix. */
void judging_say(struct train *t, struct member *m, const char *prefix,
                 const struct nn_report *r);
/* Says why metrics of these rows have no value. */
void judging_say_unjudged(struct train *t, struct member *m,
                          const struct data_part *part, const char *rows);
/* The weights that are kept, on rows that nothing was chosen by. */
void judging_test(struct train *t, struct member *m);
/* `metrics: [confusion]`: of the weights that are kept. */
void judging_confusion(struct train *t, struct member *m);
/* `data: {targets: […]}`: of the same, on other data sets (targets.c). */
void judging_targets(struct train *t, struct member *m);
/* What was fitted on the training rows, so that nobody needs them again. */
void member_print_fitted(struct buf *b, const struct member *m);

#endif
