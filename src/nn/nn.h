/* nn.h - networks: their shapes, and training many of them
 *
 * Two halves. The model (this file's first part) is read, checked, counted
 * and shown without any arithmetic on tensors; it is linked into throng too.
 * The trainer (second part) is for the worker.
 *
 * A model is read from a value, the parsed model file with every ${name}
 * replaced. Faults are named by their path in it ("layers[3].filters"), so
 * that whoever parsed the file can say the line. */
#ifndef THRONG_NN_NN_H
#define THRONG_NN_NN_H

#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/value.h"
#include "terms/interval_end.h"
#include "terms/problem.h"

/* ---- the model ---- */

/* What is known of the data before it is read: the size of each input's rows
 * and of each label. A model file need not repeat them. */
struct nn_data_field {
    struct str name;
    int rank;
    int64_t dim[4];
    int64_t classes; /* category numbers 0..classes-1; 0: plain numbers */
    bool words;      /* they are no numbers in the data */
};
struct nn_data_facts {
    const struct nn_data_field *inputs, *labels;
    size_t input_count, label_count;
    bool no_validation; /* rows: nothing called val_… is reported */
};

struct data_table;
/* The facts of a table; they live in the arena. */
struct nn_data_facts nn_data_facts_of(const struct data_table *t,
                                      struct arena *a);

struct nn_model;

/* Reads a model; `data` may be NULL (then the file must say the shapes).
 * NULL when there is any fault; all of them are in faults. Yours to free. */
struct nn_model *nn_model_read(const struct value *v,
                               const struct nn_data_facts *data,
                               struct problems *faults);
void nn_model_free(struct nn_model *m);

/* Models with equal keys can be trained as one cohort. */
uint64_t nn_model_key(const struct nn_model *m);
int64_t nn_model_parameters(const struct nn_model *m); /* trained and not */
int64_t nn_model_trained(const struct nn_model *m);
double nn_model_flops(const struct nn_model *m); /* one row, forward */
/* The same of a row that is one of each of some tables, side by side: a first
 * layer that is dense adds up so many numbers in place of its own; 0: the first
 * layer is another. */
double nn_model_flops_split(const struct nn_model *m, size_t tables,
                            double *added);
/* Operations of a step that follow each other, however many rows there are:
 * each time step of a recurrent layer is one. */
int64_t nn_model_depth(const struct nn_model *m);
/* Why the device cuda cannot train it, whatever the GPU, in words that stay;
 * NULL: nothing of the model is in its way. */
const char *nn_model_gpu_refuses(const struct nn_model *m);
int64_t nn_model_epochs(const struct nn_model *m);
/* Memory of training one model with its batch, beside the data. */
uint64_t nn_model_memory_bytes(const struct nn_model *m);
/* Numbers that each member adds to a cohort: weights, those of the best epoch,
 * the optimizer's state. See device_capacity. */
uint64_t nn_model_member_numbers(const struct nn_model *m);
/* The `seed` of a model file that is not read yet: 1, or 0 when it says none,
 * or -1 and err when it is no whole number. */
int nn_seed_of(const struct value *v, int64_t *seed, struct err *err);
/* The model file's `data:`, or NULL. Lives as long as the value. */
const struct value *nn_model_data(const struct nn_model *m);
/* Layers, output shapes, parameter counts, and the graph drawn. */
void nn_model_show(struct buf *b, const struct nn_model *m);
struct value *nn_model_to_value(struct arena *a, const struct nn_model *m);

/* One head: its numbers are `width` of a row's predictions, heads in order. */
struct nn_head_facts {
    struct str name;
    size_t width;
    int label;        /* number of the label field; -1: none */
    bool classes;     /* its loss takes the label as classes, not as numbers */
    bool each;        /* every number is a yes or no of its own */
    bool spreads;     /* the second half of the numbers are log variances */
    const char *loss; /* its name in a model file */
    double a;         /* of it: huber's delta, the quantile */
    double weight;    /* of the head among all */
    const double *class_weights; /* or NULL */
    size_t class_count;          /* of them */
};
size_t nn_model_head_count(const struct nn_model *m);
struct nn_head_facts nn_model_head(const struct nn_model *m, size_t i);

struct data_field;
struct data_table;
/* The label that a head predicts; NULL: it has none. t may be NULL. */
const struct data_field *nn_head_label(const struct nn_head_facts *h,
                                       const struct data_table *t);
/* One output for each class, or one that says how likely the second is. Of a
 * loss on numbers two values of a label are two numbers. */
bool nn_head_is_class(const struct nn_head_facts *h,
                      const struct data_field *label);
/* It predicts its own inputs, as an autoencoder does: of every row is known how
 * far off that is. */
bool nn_head_repeats(const struct nn_head_facts *h, const struct data_table *t);
/* The class that number k of a head is the probability of, or the label's
 * column that it predicts. */
void nn_output_name(struct buf *b, const struct nn_head_facts *h,
                    const struct data_field *label, size_t k);
/* The same of all numbers of a head; of one number there are two, since that
 * may be the probability of the second of two classes. */
const char *const *nn_output_names(const struct nn_model *m, size_t head,
                                   const struct data_table *t, struct arena *a);
/* What the column of number k is called: `predicted`, `p_` and a name of
 * several, `log_variance` of what says how much the truth varies. */
void nn_column_name(struct buf *b, const struct nn_head_facts *h,
                    const struct data_field *label, size_t k);
/* The same of all numbers of a head, with what stands before it; of several
 * heads the number of one that is named by its quantile is called by that name
 * alone: q0.05. An ensemble's quantile of one head's passes, which alone is
 * called so, stands behind the head's name where there are several. */
const char *const *nn_column_names(const struct nn_model *m, size_t head,
                                   const struct data_table *t, struct arena *a);
/* The column of what a head predicts, where that is one. */
const char *nn_predicted_name(const struct nn_model *m, size_t head,
                              struct arena *a);
/* All heads are such quantiles, several of them, of one label. */
bool nn_heads_are_quantiles(const struct nn_model *m);
/* Which end of an interval a head says, where all heads with the loss quantile
 * are of one label and say different ones. */
enum interval_end nn_head_bound(const struct nn_model *m, size_t head);
/* What stands before the names of its columns: "", unless there are several
 * heads. */
const char *nn_head_prefix(const struct nn_model *m, size_t head,
                           struct arena *a);
/* What b predicts that a does not, as a person is told; NULL: both predict the
 * same. Tables are those of their rows, or NULL. */
const char *nn_models_differ(const struct nn_model *a,
                             const struct data_table *of_a,
                             const struct nn_model *b,
                             const struct data_table *of_b);

/* The file of masks, which lies beside the model file; empty: none. */
struct str nn_model_masks(const struct nn_model *m);
/* Reads it: for each trained number of the model 1, or 0 where it is to stay
 * zero. _check only says what is wrong with the file. */
int nn_masks_read(const struct nn_model *m, const char *path, double *mask,
                  struct err *err);
int nn_masks_check(const struct nn_model *m, const char *path, struct err *err);

struct data_view;
/* An error when the data has tokens that an embedding does not, which names
 * one and its place. */
int nn_tokens_check(const struct nn_model *m, const struct data_view *v,
                    struct err *err);

/* What to say of inputs that are too large for a network, as long as the spec
 * says nothing of scaling: the largest and its place; NULL: there are none.
 * Looks at all training rows. The text lives in the arena. */
const char *nn_unscaled(const struct nn_model *m, const struct data_view *v,
                        struct arena *a);
/* True when some head takes the classes of this label, not its numbers. */
bool nn_model_takes_classes(const struct nn_model *m, size_t label);
/* What a person should know of it: notice i, or NULL when there are no more. */
const char *nn_model_notice(const struct nn_model *m, size_t i);
/* Why a metric of the model has no value on rows of the view, whatever is
 * predicted; NULL: it has one. `rows` is what they are called. The text lives
 * in the arena. */
struct data_part;
const char *nn_unjudged(const struct nn_model *m, size_t metric,
                        const struct data_view *v, const struct data_part *part,
                        const char *rows, struct arena *a);
/* True when the pairs of classes and predictions are asked for. */
bool nn_model_confusion(const struct nn_model *m);

/* Its dropout is there also when it predicts. False: it has none, and draws
 * nothing. */
bool nn_model_draw_always(struct nn_model *m);
/* Rows of a batch, and where the model file does not say. */
#define NN_BATCH_DEFAULT 32
int64_t nn_model_batch(const struct nn_model *m);

/* What a file of weights says beside its numbers, as JSON. */
struct nn_about {
    struct str model; /* the model file */
    struct str data;  /* what was fitted on training rows; may be empty */
    struct str rows;  /* which they were; may be empty */
};
/* Looks at all of a file's bytes, and how many epochs its training has
 * finished; `path` stands in errors. ERR_INPUT or ERR_CORRUPT: it is not as it
 * was written. */
int nn_weights_check(struct str bytes, const char *path, int64_t *epoch,
                     struct err *err);
/* An error when it is no such file. The texts live in the arena. */
int nn_weights_about(const char *path, struct arena *a, struct nn_about *about,
                     struct err *err);

/* ---- weights of other programs (nn/foreign; for throng only) ---- */

/* Whether a JSON text is a model of Keras's to_json(). */
bool nn_keras_is(const struct value *json);
/* Its layers that draw while Keras trains, and are nothing here, in words:
 * those that drop, those that add noise. NULL: there are none. */
struct nn_keras_noise {
    const char *dropped, *added;
};
/* It as a model file, in the arena, with the loss that goes with its last
 * function; `path` stands in errors. NULL and err, which names the layer that
 * there is none of. */
struct value *nn_keras_model(const struct value *json, const char *path,
                             struct nn_keras_noise *noise, struct arena *a,
                             struct err *err);
/* Appends a weights file of the model with the numbers of an HDF5 file of Keras
 * or of a state_dict of PyTorch. */
int nn_import(const struct nn_model *m, const char *path,
              const struct nn_about *about, struct buf *file, struct err *err);

/* Appends what PyTorch or ONNX takes: a state_dict whose modules are called as
 * the layers are; a graph with the scaling of the view (NULL: none) in it.
 * `path` is the weights file of the model. */
struct data_view;
int nn_export_torch(const struct nn_model *m, const char *path,
                    struct buf *file, struct err *err);
int nn_export_onnx(const struct nn_model *m, const char *path,
                   const struct data_view *view, struct buf *file,
                   struct err *err);

/* Fields of the inputs and labels that a model takes, without rows: for one
 * that says all shapes itself. */
struct data_table;
struct data_table nn_model_fields(const struct nn_model *m, struct arena *a);
/* Makes all dropout of a model file permanent, with this rate; false: it has
 * none. */
bool nn_permanent_dropout(struct value *model, double rate, struct arena *a);
/* The least and the most of the rates of its dropout, or of what of it is
 * permanent, added to those that are there (NaN: none is). */
void nn_dropout_rates(const struct value *model, bool all, double *least,
                      double *most);

/* ---- the trainer ---- */

/* One model of a cohort. All have equal keys. */
struct nn_member {
    const struct nn_model *model; /* lives as long as it is a member */
    const struct data_view *view; /* the same */
    uint64_t seed;
};

/* What one epoch of one member came to. */
struct nn_report {
    int64_t epoch;          /* from 1 */
    double loss;            /* mean over the epoch's batches */
    double validation_loss; /* NaN when there are no validation rows */
    const double *metrics;  /* by the model's list, on validation rows; valid
                               until the next call */
    bool diverged;          /* the loss or a weight is not finite any more */
    struct str not_finite;  /* the first tensor that such a weight is in, as
                               in a weights file; empty: none */
    bool finished;          /* no more epochs, or stopped early */
};

struct nn_trainer;

/* What training reports: loss and, where there are validation rows, val_loss
 * and val_ with each metric. NULL-terminated; the texts live in the arena. */
const char **nn_model_reported(const struct nn_model *m, bool validation,
                               struct arena *a);

/* Names of the model's metrics, as in nn_report.metrics. */
size_t nn_model_metric_count(const struct nn_model *m);
struct str nn_model_metric_name(const struct nn_model *m, size_t i);

/* Opens a cohort for models of the shape of `like`, with room for `capacity`
 * members, on a device (see terms/device.h). `like` must live as
 * long as the trainer. Memory that cannot be had is an ordinary error. */
struct nn_trainer *nn_trainer_open(const char *device,
                                   const struct nn_model *like, size_t capacity,
                                   struct err *err);
/* The same beside another, or NULL: where both are on one device, data that
 * members of both use lies there once. */
struct nn_trainer *nn_trainer_open_beside(const struct nn_trainer *other,
                                          const char *device,
                                          const struct nn_model *like,
                                          size_t capacity, struct err *err);
void nn_trainer_free(struct nn_trainer *t);
/* The memory that such a cohort takes, before it is taken. */
uint64_t nn_trainer_bytes(const char *device, const struct nn_model *like,
                          size_t capacity);
/* The name of the device that such models are trained on: the one that is
 * asked for, or, where that refuses them, the cpu; then `why` says so. NULL:
 * there is none of that name. */
const char *nn_device_for(const char *device, const struct nn_model *like,
                          struct buf *why);
/* Bytes of memory that are free on a device now; 0: nobody knows. */
uint64_t nn_trainer_room(const char *device);
/* Those that it has in all, whoever uses them; 0: nobody knows. */
uint64_t nn_trainer_room_in_all(const char *device);
/* A member begins, with the first weights of its seed. Returns its number,
 * -1 and err when the cohort is full or its key is another. */
int nn_trainer_join(struct nn_trainer *t, const struct nn_member *m,
                    struct err *err);
/* It is to be trained up to this epoch, whatever its model says. */
void nn_trainer_epochs(struct nn_trainer *t, int member, int64_t epochs);
void nn_trainer_leave(struct nn_trainer *t, int member);
/* Called after every batch; true breaks off the epoch or the judging (see
 * there). NULL: nobody asks. */
void nn_trainer_watch(struct nn_trainer *t, bool (*broken_off)(void *context),
                      void *context);
/* Trains one member for one epoch, or for what is left of one, and judges it;
 * one that has all its epochs already, or has stopped early, from a checkpoint,
 * is only judged again. 1: broken off in the middle, with nothing in *r: the
 * next call goes on there, also after nn_trainer_save and nn_trainer_load. */
int nn_trainer_epoch(struct nn_trainer *t, int member, struct nn_report *r,
                     struct err *err);
/* The same of several members, at the same time where the device can. `member`
 * is the caller's; rc and err are what nn_trainer_epoch would say of it.
 * Metrics of a report are valid until its member is judged again. */
struct nn_turn {
    int member;
    int rc;
    struct nn_report report;
    struct err err;
};
void nn_trainer_turns(struct nn_trainer *t, struct nn_turn *turns,
                      size_t count);
/* The same in pieces, so that trainers whose device works while nobody waits
 * for it can have theirs at the same time: begin; go as long as it returns
 * true; end, which judges them, too, or breaks off what is not given yet. The
 * turns stay where they are, and nobody else uses their members, until the
 * end. */
void nn_trainer_turns_begin(struct nn_trainer *t, struct nn_turn *turns,
                            size_t count);
bool nn_trainer_turns_go(struct nn_trainer *t);
/* To go would be to wait: the device has enough to do. */
bool nn_trainer_turns_busy(const struct nn_trainer *t);
void nn_trainer_turns_end(struct nn_trainer *t);
/* Whether its device can. */
bool nn_trainer_together(const struct nn_trainer *t);
/* The same of a device, before there is a trainer. */
bool nn_device_together(const char *device);
/* Why there is no device of that name on this machine, in words; NULL: there is
 * one, or none of that name at all. */
const char *nn_device_absent(const char *device);
/* What is here of a device, a line each: "ok WHAT", or "-- WHY" of what is not.
 * The first is the device itself, the second what compiles kernels for it. */
void nn_device_describe(const char *device, struct buf *b);
/* Makes STEM.cubin, kernels for a GPU, of the text STEM.cu. */
int nn_cuda_compile(const char *stem, struct err *err);
/* Judges a member on some rows as it is: loss and metrics of the report, which
 * are NaN where a label has no rows. 1: broken off in the middle, and r says
 * nothing. */
int nn_trainer_judge(struct nn_trainer *t, int member,
                     const struct data_part *part, struct nn_report *r,
                     struct err *err);
/* The same a piece at a time, with each row's predictions, all heads' one after
 * another; the trainer may train others between two. It comes to the same bits,
 * however large the pieces are. NULL and err when there is no memory for what a
 * metric must keep of all rows (AUC: the scores). Yours to free, while the
 * model is there. */
struct nn_pieces;
struct nn_pieces *nn_pieces_new(struct nn_trainer *t, int member,
                                const struct data_part *part, struct err *err);
void nn_pieces_free(struct nn_pieces *p);
/* The rows of a piece, where about so many are wanted: whole batches. */
size_t nn_pieces_rows(const struct nn_pieces *p, size_t rows);
/* The next piece, of about so many rows; what it predicts is put into outputs
 * (NULL: nobody asks). It had `count` rows; 0: none were left. 1: broken off
 * in the middle: there is no next one. */
int nn_pieces_next(struct nn_pieces *p, size_t rows, float *outputs,
                   size_t *count);
/* When none is left. r->metrics live as long as p. */
void nn_pieces_report(struct nn_pieces *p, struct nn_report *r);
/* What members predict for the same rows, each of them `samples` times. Samples
 * differ where the model draws at inference (permanent dropout); the same
 * sample of the same row is the same, whatever is asked for beside it. What
 * they have in common is computed once: inputs of members that have the same,
 * and of the samples all that is before the first draw. */
struct nn_question {
    const int *members;
    const struct data_part *const *parts; /* by member: its rows of the same */
    size_t count;
    size_t from, rows; /* of each part */
    uint64_t first;    /* the number of row 0 of the table among all rows, by
                          which is drawn */
    size_t samples;
    float *outputs; /* by member, by sample: `room` rows of all heads */
    size_t room;
};
/* 1: broken off in the middle. On a GPU rows begin with a whole batch, and what
 * is drawn hangs on the batch. */
int nn_trainer_ask(struct nn_trainer *t, const struct nn_question *q,
                   struct err *err);
/* Whether rows may change between two questions, as those of a window do that
 * moves: no copy of them is on the device. */
bool nn_trainer_asks_anew(const struct nn_trainer *t);
/* Rows that are best asked for at once, or a multiple of it. */
size_t nn_trainer_ask_rows(const struct nn_trainer *t);

/* Loss and metrics of predictions that no single member made, all heads' one
 * after another, rows in the order of the part. Yours to free, while model and
 * view are there. */
struct nn_verdict;
struct nn_verdict *nn_verdict_new(const struct nn_model *m,
                                  const struct data_view *v,
                                  const struct data_part *part,
                                  struct err *err);
void nn_verdict_free(struct nn_verdict *v);
void nn_verdict_add(struct nn_verdict *v, const double *outputs, size_t count);
/* After the last row. r->metrics live as long as v; the loss is NaN where a
 * label is not known. */
void nn_verdict_end(struct nn_verdict *v, struct nn_report *r);
/* Numbers that a model predicts for one row, over all heads. */
int64_t nn_model_outputs(const struct nn_model *m);
/* Makes the weights of the best epoch the member's, where early stopping has
 * kept them. */
void nn_trainer_take_best(struct nn_trainer *t, int member);
/* The weights file to begin from; empty: none. */
struct str nn_model_initial_weights(const struct nn_model *m);
/* True when the weights after this epoch are to be kept. */
bool nn_model_snapshot(const struct nn_model *m, int64_t epoch);
/* From now on the numbers that the file of masks has a 0 for are zero, and
 * have no gradient. */
int nn_trainer_mask(struct nn_trainer *t, int member, const char *path,
                    struct err *err);
/* Writes a member's weights as safetensors, with `about` (may be NULL);
 * `everything`: a checkpoint, from which training goes on bit for bit. */
int nn_trainer_save(const struct nn_trainer *t, int member, const char *path,
                    const struct nn_about *about, bool everything,
                    struct err *err);
int nn_trainer_load(struct nn_trainer *t, int member, const char *path,
                    bool everything, struct err *err);
/* Appends the bytes of such a file. */
int nn_trainer_print(const struct nn_trainer *t, int member,
                     const struct nn_about *about, bool everything,
                     struct buf *file, struct err *err);
/* As nn_trainer_load, with everything, from bytes; `path` stands in errors. */
int nn_trainer_parse(struct nn_trainer *t, int member, struct str bytes,
                     const char *path, struct err *err);
/* All numbers of a member in the graph's order; for tests and files. */
void nn_trainer_take_weights(const struct nn_trainer *t, int member,
                             double *to);
void nn_trainer_put_weights(struct nn_trainer *t, int member,
                            const double *from);

#endif
