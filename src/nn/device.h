/* device.h - what trains a cohort
 *
 * Inside nn only. A device is given the members of a cohort and their data,
 * and trains them for an epoch or judges them on rows. Weights, optimizer
 * state, masks and whatever else it needs live on it; above it they are only
 * put there and taken from there, as doubles, a member's at a time. Nothing
 * here says how it computes: stepwise.c does it batch by batch with the kernels
 * of a CPU (kernels.h).
 *
 * What a member becomes is the same alone and in any company. */
#ifndef THRONG_NN_DEVICE_H
#define THRONG_NN_DEVICE_H

#include "base/err.h"
#include "data/data.h"
#include "nn/chance.h"
#include "nn/model.h"
#include "nn/schedule.h"
#include "terms/device.h"

/* Where the training of a member stands; with its numbers and its seed, all
 * that decides how it goes on. */
struct nn_standing {
    int64_t epoch; /* finished */
    int64_t step;
    int64_t batches;   /* of the epoch that was begun; 0: none was */
    double sum;        /* of the loss over their rows */
    double loss;       /* of the last epoch; NaN: none yet */
    double mu_product; /* NADAM */
    struct nn_schedule_state schedule;
    double best;   /* value of what early stopping watches; NaN: none yet */
    int64_t since; /* epochs without a better one */
};

/* The place of a member in its cohort. */
struct nn_place {
    const struct nn_model *model; /* NULL: free */
    const struct data_view *view;
    uint64_t seed;
    int64_t epochs; /* to train in all */
    struct nn_standing standing;
    bool has_best; /* its NN_BEST is there */
    bool masked;   /* its NN_MASK is */
};

/* What a step of the optimizer needs, resolved for one member. */
struct nn_rates {
    double lr, momentum, rho, beta1, beta2, epsilon, weight_decay;
    int64_t step;                   /* from 1 */
    double mu, mu_next, mu_product; /* NADAM's schedule */
    bool nesterov, centered;
};
/* Those of a member's next step, of `per_epoch` in an epoch; its standing goes
 * on by that step. Nothing of training enters, so that a device may ask for a
 * whole epoch ahead. */
struct nn_rates nn_rates_next(struct nn_place *m, int64_t per_epoch);
/* The rates of the next steps of the epoch are all the same, and asking for one
 * moves nothing but the step. */
bool nn_rates_steady(const struct nn_place *m);
/* A soft number that a model need not say. */
double nn_soft_or(const double *soft, struct nn_soft s, double otherwise);

/* Numbers of a member: all weights, or as many as are trained. */
enum nn_numbers {
    NN_WEIGHTS,
    NN_BEST, /* the weights of the best epoch */
    NN_MASK, /* by trained number: 1, or 0 where it stays zero */
    NN_STATE /* NN_STATE + k: slot k of the optimizer */
};

/* An epoch of one member, and what came of it. */
struct nn_work {
    int member;
    double loss;     /* mean over rows; NaN: there are none */
    bool broken_off; /* in the middle; nothing else here counts then */
};

struct nn_judge;

/* A member on rows as it is: all of a part, or a piece after the other, to the
 * same bits. */
struct nn_judging {
    int member;
    const struct data_part *part;
    size_t from, count;     /* of its rows now: whole batches, or to its end */
    double loss_sum;        /* goes on by them; NaN: a label has no rows */
    struct nn_judge *judge; /* is shown the predictions; NULL: nobody is, of a
                               device that does not `ask` */
    bool drawn;             /* what is drawn is by this seed, of the same */
    uint64_t seed;
    float *outputs;  /* those of the piece go here, too; NULL: nobody asks */
    bool broken_off; /* in the middle; nothing else here counts then */
};

struct nn_question;
struct nn_device;

/* A cohort on a device. What a runner has of its own follows behind it. */
struct nn_run {
    const struct nn_device *device;
    const struct nn_model *like;
    struct nn_place *places; /* of the trainer */
    size_t capacity;
    size_t real_bytes; /* of the numbers that it computes with */
    /* Asked after every batch, or as often as the device can; NULL: nobody
     * asks. */
    bool (*broken_off)(void *context);
    void *context;
};

struct nn_runner {
    /* Members of one call are trained at the same time: the more, the better.
     */
    bool together;
    /* Why such a model cannot be trained here, in words; NULL: it can. NULL
     * instead of the function: all can. */
    const char *(*refuses)(const struct nn_device *d,
                           const struct nn_model *like);
    /* Memory of a cohort with so many members, before it is taken. */
    uint64_t (*bytes)(const struct nn_device *d, const struct nn_model *like,
                      size_t capacity);
    uint64_t (*free_bytes)(void); /* now; 0: nobody knows */
    /* In all, whoever has them; 0: nobody knows. NULL instead of the function:
     * nobody does. */
    uint64_t (*all_bytes)(void);

    /* NULL and err when there is no memory. `beside`: another cohort on this
     * device, whose data need not lie there twice; or NULL. */
    struct nn_run *(*open)(const struct nn_device *d,
                           const struct nn_model *like, struct nn_place *places,
                           size_t capacity, const struct nn_run *beside,
                           struct err *err);
    void (*close)(struct nn_run *r); /* NULL is accepted */
    /* The place is filled: its rows can be bound; or about to be free. NULL
     * instead of the functions: nothing to do. */
    int (*join)(struct nn_run *r, int member, struct err *err);
    void (*leave)(struct nn_run *r, int member);

    /* One epoch of each, or the rest of one that was broken off; standings go
     * on by its steps, batches and sum. `begin`, `go` until it returns false,
     * `end`, all with the same work, which changes by `end` at the latest: an
     * `end` before that breaks it off. A device may do what `go` gave it while
     * others are given theirs. NULL instead of begin and end: `go` does all of
     * it. */
    void (*begin)(struct nn_run *r, struct nn_work *work, size_t count);
    bool (*go)(struct nn_run *r, struct nn_work *work, size_t count);
    void (*end)(struct nn_run *r, struct nn_work *work, size_t count);
    /* `go` would wait, for what was given before. NULL: it never does. */
    bool (*is_busy)(const struct nn_run *r);
    void (*judge)(struct nn_run *r, struct nn_judging *judged, size_t count);
    /* Predictions alone, whose bits are a row's own: they depend neither on the
     * rows beside it nor on how many are asked for at once; 1: broken off. And
     * the rows that are computed at once, a power of two. NULL instead of the
     * functions: `judge` has to do, batch by batch. */
    int (*ask)(struct nn_run *r, const struct nn_question *q, struct err *err);
    size_t (*ask_rows)(const struct nn_model *like);

    /* Makes room for such numbers of all members, once; weights and state have
     * it from the start. */
    int (*reserve)(struct nn_run *r, enum nn_numbers which, struct err *err);
    void (*put)(struct nn_run *r, int member, enum nn_numbers which,
                const double *from); /* NULL: zeros */
    void (*take)(const struct nn_run *r, int member, enum nn_numbers which,
                 double *to);
    void (*copy)(struct nn_run *r, int member, enum nn_numbers to,
                 enum nn_numbers from);
    /* The first parameter that holds a number that is not finite; -1: none. */
    int (*not_finite)(const struct nn_run *r, int member);
};

struct nn_kernels;

/* Defined by DEVICE(name, …), which does not compile without the row of that
 * name in terms/device.h; a row without it does not link. */
struct nn_device {
    const struct device *facts;
    const struct nn_runner *runner;
    /* Why it is not on this machine, in words; NULL: it is. NULL instead of the
     * function: it always is, or kernels says so. */
    const char *(*absent)(void);
    /* What is here of it, as nn_device_describe has it; NULL: nothing to say.
     */
    void (*describe)(struct buf *b);
    /* Of a device whose runner is stepwise; NULL: this CPU cannot run them. */
    const struct nn_kernels *(*kernels)(void);
};
#define DEVICE(name, ...)                                                      \
    const struct nn_device nn_device_##name = {                                \
        .facts = &devices[DEVICE_##name], __VA_ARGS__}
#define DEVICE_EXTERN(name, ...) extern const struct nn_device nn_device_##name;
DEVICES(DEVICE_EXTERN)
DEVICES_APART(DEVICE_EXTERN)

/* NULL: there is none of that name, or not on this machine. */
const struct nn_device *nn_device_find(struct str name);
/* The device, or the default where it refuses the model: then why is said. */
const struct nn_device *nn_device_choose(const struct nn_device *wanted,
                                         const struct nn_model *like,
                                         struct buf *why);

extern const struct nn_runner nn_stepwise; /* stepwise.c */

#endif
