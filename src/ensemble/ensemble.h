/* ensemble.h - several predictions of one row become one, and how sure it is
 *
 * A member of an ensemble is a file of weights. Each says something of a row,
 * once or, where it draws at inference, several times: a pass. Here stands what
 * is made of the passes of a row, and the file that lists members. Nothing here
 * reads a file, or knows what a network is. */
#ifndef THRONG_ENSEMBLE_ENSEMBLE_H
#define THRONG_ENSEMBLE_ENSEMBLE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/value.h"

/* ---- one prediction of several ------------------------------------------ */

#define COMBINES(row)                                                          \
    row(MEAN, "mean", "the mean, by the members' weights")                     \
        row(MEDIAN, "median", "the median")                                    \
            row(VOTE, "vote", "the share of votes for each class")
#define COMBINE_ENUM(name, ...) COMBINE_##name,
enum combine { COMBINES(COMBINE_ENUM) COMBINE_COUNT };
extern const char *const combine_names[COMBINE_COUNT + 1]; /* NULL behind */

/* One head: `width` numbers of a row. */
struct combine_head {
    size_t width;
    bool classes; /* probabilities of classes; one number: of the second of two
                   */
    bool each;    /* every number is a yes or no of its own */
    bool spreads; /* the second half are log variances of the first */
};

struct combine_rule {
    enum combine how;
    size_t members, samples; /* a member's passes come one after another */
    const double *weights;   /* by member; they add up to 1 */
    const double *quantiles; /* that are told, from 0 to 1 */
    size_t quantile_count;
};

size_t combine_passes(const struct combine_rule *r);
/* What is predicted of a row: passes × width numbers become width. Log
 * variances become the one of all that varies: what the members say varies,
 * and themselves. scratch has room for the passes. */
void combine_outputs(const struct combine_rule *r, const struct combine_head *h,
                     const double *passes, double *scratch, double *to);

/* How sure that is, as columns: of classes the entropy of the mean probability
 * and what of it the members disagree in (mutual information); of a number its
 * standard deviation, the part of it that members differ by (epistemic), the
 * part that they say themselves (aleatoric; NaN: no member says), and
 * quantiles of the passes. */
size_t combine_columns(const struct combine_rule *r,
                       const struct combine_head *h);
/* Column i is of which output (-1: of all of them together), and its name. */
const char *combine_column(const struct combine_rule *r,
                           const struct combine_head *h, size_t i, long *output,
                           struct arena *a);
void combine_sureness(const struct combine_rule *r,
                      const struct combine_head *h, const double *passes,
                      double *scratch, double *to);

/* ---- what members say of rows whose truth is known ----------------------- */

/* As a file: a line of JSON with blanks at its end, a multiple of 8 bytes long,
 * then for each row its truth and what each member says, as doubles. */
struct opinions {
    size_t rows, members;
    const struct combine_head *heads;
    size_t head_count;
    size_t wide;   /* numbers that a member says of a row */
    size_t truths; /* numbers of a row that are true: the class of a choice, or
                      as many as are predicted */
    const double *numbers; /* rows × (truths + members × wide) */
};
/* Numbers of a truth of one head. */
size_t opinions_truths(const struct combine_head *h);
/* The line; rows, members and heads count. */
void opinions_print(struct buf *b, const struct opinions *o);
/* Numbers lie in the bytes, which begin at a multiple of 8. An error where a
 * truth is not known. */
int opinions_parse(struct opinions *o, struct str bytes, const char *path,
                   struct arena *a, struct err *err);
/* The mean loss of what they say together by these weights, which add up to 1:
 * of a choice the negative logarithm of its probability, of a yes or no the
 * same, of a number the squared error, or where its spread is told what a
 * normal distribution says; the sum over heads. */
double opinions_loss(const struct opinions *o, const double *weights);
/* Greedy forward selection: from the best member on, the one that makes the
 * loss the least is added, again and again and some of them several times, up
 * to `most` of them; the best of these ensembles is the one. Weights add up to
 * 1; returns the loss. */
double opinions_choose(const struct opinions *o, size_t most, double *weights);

/* ---- is it as sure as it should be? -------------------------------------- */

/* Split-conformal: the score that a new row's is at most with a probability of
 * 1 - alpha, whatever the scores are distributed like: the ⌈(n+1)(1-α)⌉-th of
 * them. Infinite where there are too few. Sorts the scores. */
double conformal_score(double *scores, size_t count, double alpha);

/* Of a number, on rows whose truth is known. NaN: no spread is known. */
struct calibrated_number {
    double mae, rmse;
    double interval;    /* conformal: the truth is this near to what is
                           predicted */
    double interval_sd; /* the same as a multiple of the row's own sd */
    double coverage;    /* truths within what a normal distribution of the sd
                           has with 1 - alpha */
    double sharpness;   /* the mean sd */
    double nll, crps;   /* of that distribution */
    double rank_correlation; /* of sd and absolute error */
};
/* Of a choice of classes. */
struct calibrated_choice {
    double accuracy, nll, ece;
    double temperature;            /* by which logits are best divided */
    double nll_scaled, ece_scaled; /* when they are */
    double threshold; /* conformal: classes of at least this probability make
                         the set; 0: all do */
    double set_size;  /* the mean of it */
};
/* sd may be NULL. */
void calibrate_number(const double *predicted, const double *sd,
                      const double *truth, size_t count, double alpha,
                      struct calibrated_number *to);
/* p: rows × classes; truth: by row. */
void calibrate_choice(const double *p, const size_t *truth, size_t classes,
                      size_t count, double alpha, struct calibrated_choice *to);
/* Both of what members say together by a rule, which has as many passes as
 * they: a list of {"head": 0, "output": 0, "metrics": {"mae": …}}, one for each
 * number, and one for each choice; what is not known is not there. A yes or no
 * is a choice of two. Lives in the arena. */
struct value *opinions_calibrate(const struct opinions *o,
                                 const struct combine_rule *r, double alpha,
                                 struct arena *a);

/* ---- the file ----------------------------------------------------------- */

#define ENSEMBLE_FORMAT "throng.ensemble/1"

struct ensemble_member {
    struct str weights; /* its file, from the folder of the ensemble's; empty:
                           it is inside */
    struct str sha256;  /* of its bytes, in hexadecimal */
    uint64_t at, bytes; /* inside: where it lies behind the first line */
    double weight;
    struct str study; /* that it comes from; empty: none */
    int64_t trial;
};
struct ensemble {
    enum combine how;
    const struct ensemble_member *members;
    size_t count;
    struct str chosen; /* how they were, for people */
};

/* True when a file begins like one. */
bool ensemble_is(struct str bytes);
/* Reads the first line; what members lie inside must be there. The texts live
 * in the arena; weights add up to 1. */
int ensemble_parse(struct ensemble *e, struct str bytes, const char *path,
                   struct arena *a, struct err *err);
/* The first line; the bytes of members that lie inside follow. */
void ensemble_print(struct buf *b, const struct ensemble *e);
/* The bytes of a member that lies inside. */
struct str ensemble_inside(const struct ensemble_member *m, struct str bytes);

#endif
