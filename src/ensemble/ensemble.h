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
#include "terms/interval_end.h"

/* ---- one prediction of several ------------------------------------------ */

#define COMBINES(row)                                                          \
    row(MEAN, "mean", "the mean, by the members' weights")                     \
        row(MEDIAN, "median", "the median")                                    \
            row(VOTE, "vote", "the share of votes for each class")             \
                row(STACKING, "stacking", "a small linear model by output")
#define COMBINE_ENUM(name, ...) COMBINE_##name,
enum combine { COMBINES(COMBINE_ENUM) COMBINE_COUNT };
extern const char *const combine_names[COMBINE_COUNT + 1]; /* NULL behind */
/* An error where it does not go with what is predicted: classes, or none. */
int combine_check(enum combine how, bool classes, struct err *err);

/* What the numbers of a head are called. */
struct combine_head_names {
    const char *prefix; /* before how sure it is; "": there is one head */
    /* By output; of one that is a choice of two by class. */
    const char *const *outputs;
    const char *const *columns; /* what those of its numbers are called; live
                                   as long as who asks for them */
};

/* How wrong a head is, as a model file has it. */
struct combine_loss {
    struct str name; /* "mae"; empty: what its numbers are says it */
    double a;        /* of it: huber's delta, the quantile */
    double weight;   /* of the head among all, where there is a name */
    const double *class_weights; /* or NULL */
    size_t class_count;
};

/* One head: `width` numbers of a row. */
struct combine_head {
    size_t width;
    bool classes; /* probabilities of classes; one number: of the second of two
                   */
    bool each;    /* every number is a yes or no of its own */
    bool spreads; /* the second half are log variances of the first */
    bool repeats; /* its truth is what it is given: it has an error */
    enum interval_end bound; /* that its one number is of an interval; of
                         several heads two are ends, or none */
    /* Of stacking: what is added to each output that is told, then the weights
     * of the members for each; NULL: the mean is taken. */
    const double *stack;
    struct combine_head_names names; /* only of who asks for columns; of
                                        opinions prefix and outputs */
    struct combine_loss loss;        /* only of opinions */
};

struct combine_rule {
    enum combine how;
    size_t members, samples; /* a member's passes come one after another */
    const double *weights;   /* by member; they add up to 1 */
    const double *quantiles; /* that are told, from 0 to 1 */
    size_t quantile_count;
};

size_t combine_passes(const struct combine_rule *r);
/* Outputs of a head that are predictions, and no spreads. */
size_t combine_told(const struct combine_head *h);
/* What is predicted of a row: passes × width numbers become width. Log
 * variances become the one of all that varies: what the members say varies,
 * and themselves. scratch has room for the passes. */
void combine_outputs(const struct combine_rule *r, const struct combine_head *h,
                     const double *passes, double *scratch, double *to);

/* How sure that is, as columns: of classes the entropy of the mean probability
 * and what of it the members disagree in (mutual information); of a number its
 * standard deviation, the part of it that members differ by (epistemic), the
 * part that they say themselves (aleatoric; NaN: no member says), and quantiles
 * of the passes. What takes several passes is NaN of one: nobody knows it. */
size_t combine_columns(const struct combine_rule *r,
                       const struct combine_head *h);
/* Column i is of which output (-1: of all of them together), and its name. */
const char *combine_column(const struct combine_rule *r,
                           const struct combine_head *h, size_t i, long *output,
                           struct arena *a);
/* The names of all of them, without the head's prefix, and behind them of those
 * that a calibration adds; of one pass of a number there are none. */
const char **combine_names_of(const struct combine_rule *r,
                              const struct combine_head *h, bool calibrated,
                              size_t *count, struct arena *a);
void combine_sureness(const struct combine_rule *r,
                      const struct combine_head *h, const double *passes,
                      double *scratch, double *to);

/* Of the probabilities of a choice; of one number: of yes and no. */
double combine_entropy(const double *p, size_t width);

/* ---- what members say of rows whose truth is known ----------------------- */

/* As a file: a line of JSON with blanks at its end, a multiple of 8 bytes long,
 * then for each row its truth, out of fold for each member 1 where it may speak
 * of it and else 0, and what each member says, as doubles. */
struct opinions {
    size_t rows, members;
    const struct combine_head *heads;
    size_t head_count;
    size_t wide;   /* numbers that a member says of a row */
    size_t truths; /* numbers of a row that are true: the class of a choice, or
                      as many as are predicted */
    bool out_of_fold;      /* not all of them may speak of all rows */
    const double *numbers; /* rows × (truths + members × wide), or out of fold
                              rows × (truths + members + members × wide) */
};
/* The numbers of a row: its truth, and what the first member says. */
const double *opinions_truth(const struct opinions *o, size_t row);
const double *opinions_said(const struct opinions *o, size_t row);
/* The weights of those who may speak of the row, which add up to 1 again: out
 * of fold in scratch, one for each model of so many samples. NULL: nobody may.
 */
const double *opinions_weights(const struct opinions *o, size_t row,
                               const double *weights, size_t samples,
                               double *scratch);
/* Rows that all of them may speak of. */
size_t opinions_shared(const struct opinions *o);
/* Numbers of a truth of one head. */
size_t opinions_truths(const struct combine_head *h);
/* The line; rows, members, heads and out_of_fold count. */
void opinions_print(struct buf *b, const struct opinions *o);
/* Numbers lie in the bytes, which begin at a multiple of 8. An error where a
 * truth is not known, or what a member says is no finite number. */
int opinions_parse(struct opinions *o, struct str bytes, const char *path,
                   struct arena *a, struct err *err);
/* The mean loss of what they say together by these weights, which add up to 1,
 * on rows that one may speak of: the models' own, summed over heads by their
 * weights. Where a head names none it is of a choice the negative logarithm of
 * its probability, of a yes or no the same, of a number the squared error, or
 * where its spread is told what a normal distribution says. */
double opinions_loss(const struct opinions *o, const double *weights);
/* Greedy forward selection: from the best member on, the one that makes the
 * loss the least is added, again and again and some of them several times, up
 * to `most` of them; the best of these ensembles is the one. Weights add up to
 * 1. All members may speak of all rows. */
int opinions_choose(const struct opinions *o, size_t most, double *weights,
                    double *loss, struct err *err);

/* The same rows and members, who say their votes: 1 for the class that each
 * takes, 0 for others. Its numbers are yours to free. */
int opinions_vote(const struct opinions *o, struct opinions *to,
                  double **numbers, struct err *err);

/* The loss of a head that is neither a squared error nor a likelihood: least
 * squares would make of its quantile, or its median, something else. NULL: none
 * is. */
const struct combine_loss *opinions_unsquared(const struct opinions *o);
/* Weights of a mean that make the squared error the least, summed over all
 * outputs; of a class it is that of its probability. They add up to 1. */
int opinions_weigh(const struct opinions *o, double *weights, struct err *err);
/* Stacking: weights for each output, which are its own; see stack.c for the
 * form. weights: the part that each member has in all of them; they add up to
 * 1. Lives in the arena. */
struct value *opinions_stack(const struct opinions *o, double *weights,
                             struct arena *a, struct err *err);
/* The numbers of one head of it, as combine_head has them; NULL: it is not of
 * so many outputs or members. */
const double *combine_stack_read(const struct value *stack, size_t head,
                                 size_t outputs, size_t members,
                                 struct arena *a);
/* Gives its heads the stack, if there is one. */
int opinions_take_stack(struct opinions *o, const struct value *stack,
                        size_t members, struct arena *a, struct err *err);
/* The same without those members whose weight is 0. */
struct value *combine_stack_without(const struct value *stack,
                                    const double *weights, struct arena *a);

/* Members that differ in nothing but the rows that they have held out, such as
 * the folds of a cross-validation, are one setting (settings.c). */
struct settings {
    const size_t *of; /* by member: which, from 0 */
    size_t count;
};
/* Rows that a member of the setting may speak of. */
size_t settings_rows(const struct settings *s, const struct opinions *o,
                     size_t setting);
/* What settings say, each as one member, of rows that all of them may speak of:
 * there may be none. Its numbers are yours to free; heads are those of o. */
int settings_opinions(const struct settings *s, const struct opinions *o,
                      struct opinions *to, double **numbers, struct err *err);
/* Weights of settings, and a stack of them, become those of their members. */
void settings_share(const struct settings *s, size_t members,
                    const double *weights, double *to);
struct value *settings_share_stack(const struct settings *s, size_t members,
                                   const struct value *stack, struct arena *a);
/* The other way round: what members have of it is their setting's. */
void settings_gather(const struct settings *s, size_t members,
                     const double *weights, double *to);
struct value *settings_gather_stack(const struct settings *s, size_t members,
                                    const struct value *stack, struct arena *a);
/* Settings by their names, one for each member; 0: it is one of its own. In the
 * arena. */
struct settings settings_named(const uint64_t *names, size_t members,
                               struct arena *a);
/* Of members whose samples come one after another: a sample of a setting is one
 * by itself. */
struct settings settings_samples(const struct settings *s, size_t members,
                                 size_t samples, struct arena *a);

/* Least squares by numbers from 0 on: x of `count`, from the products of
 * columns with each other (count × count) and with what is wanted. */
void least_squares(const double *products, const double *wanted, size_t count,
                   double *x);

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
    double covered[9]; /* truths within what that has with 0.1, 0.2 … 0.9 */
};
/* Of an interval that a model says itself, from the lowest to the highest of
 * its quantiles. */
struct calibrated_bounds {
    double between;  /* truths within it */
    double widening; /* conformal: the truth is within it when both ends are
                        moved outwards by this, which may be less than 0 */
};
void calibrate_bounds(const double *low, const double *high,
                      const double *truth, size_t count, double alpha,
                      struct calibrated_bounds *to);
/* Of a choice of classes. */
#define CALIBRATED_BINS 15
#define CALIBRATED_HOTTEST 1000.0 /* temperature that is looked for */
struct calibrated_choice {
    double accuracy, nll, ece;
    double temperature;            /* by which logits are best divided */
    double nll_scaled, ece_scaled; /* when they are */
    double threshold; /* conformal: classes of at least this probability make
                         the set; 0: all do */
    double set_size;  /* the mean of it */
    struct calibrated_bin {
        double rows, sure, right; /* how many, and the sums over them */
    } bins[CALIBRATED_BINS];      /* by how sure it is: reliability */
};
/* sd may be NULL. */
void calibrate_number(const double *predicted, const double *sd,
                      const double *truth, size_t count, double alpha,
                      struct calibrated_number *to);
/* p: rows × classes; truth: by row. */
void calibrate_choice(const double *p, const size_t *truth, size_t classes,
                      size_t count, double alpha, struct calibrated_choice *to);
/* Probabilities of a row at an inverse temperature; `to` may be p. */
void calibrate_scale(const double *p, size_t classes, double inverse,
                     double *to);
/* Both of what members say together by a rule, which has as many passes as
 * they: a list of {"head": 0, "output": 0, "name": "y", "metrics": {"mae": …},
 * "reliability":
 * [{"sure": 0.9, "right": 0.8, "rows": 12}, …]}, one for each number, and one
 * for each choice; what is not known is not there, nor is the
 * name of an only output. A yes or no is a choice of two. Lives in the arena.
 */
struct value *opinions_calibrate(const struct opinions *o,
                                 const struct combine_rule *r, double alpha,
                                 struct arena *a);

/* ---- what is kept of predictions ---------------------------------------- */

/* Rules, from a file or a command line:
 *
 *   all                             every row
 *   top:mean:50000,bottom:sd:100    rows by a column
 *   {top: {by: mean, n: 50000}, also: {by: sd, n: 50000, where: "mean > 0"},
 *    bottom: …, where: "mean > 0.8 and sd < 0.1", all: true,
 *    histogram: {of: [sd, error], bins: [50, 50], from: [0, 0], to: [1, 2]}}
 *
 * Each but `where` and `all` may be a list of several; `also` is one more top.
 * What is not a number is among no first rows, and in no cell of a histogram:
 * it is counted. Rows of `where` and `all` are listed: they are not kept here,
 * but written by whoever has them. In the arena. */
struct keep_rules;
struct keep_rules *keep_rules_read(const struct value *said, struct arena *a,
                                   struct err *err);
/* The columns that predictions have, which live as long as the rules. An error
 * names one that there is none of. */
int keep_rules_bind(struct keep_rules *r, const char *const *columns,
                    size_t count, struct err *err);
/* What was said that could not be bound; NULL: nothing, or only a text. */
const struct value *keep_rules_fault(const struct keep_rules *r);
/* The columns that rules go by: what heads predict, then how sure that is, what
 * stands in files that `calibrate` and `novelty` wrote, and the error of heads
 * that repeat their inputs, unless rows are a product. */
struct keep_more {
    bool calibrated, scored, product;
};
const char **keep_columns(const struct combine_rule *r,
                          const struct combine_head *heads, size_t head_count,
                          struct keep_more more, size_t *count,
                          struct arena *a);
/* Some rows are listed. */
bool keep_rules_list(const struct keep_rules *r);

/* What is kept, which does not depend on the order of rows, nor on how they
 * were cut into shards. Memory is that of the rules, not of the rows. Rules
 * are bound, and live as long. NULL and err: no memory. Yours to free. */
struct keep;
struct keep *keep_new(const struct keep_rules *rules, struct err *err);
void keep_free(struct keep *k); /* NULL is accepted */
/* A row, by its number from 0, and its columns. True: it is listed. */
bool keep_add(struct keep *k, uint64_t row, const double *values);
/* All rows from..to (less its end) have been added. An error where some of them
 * were there before. */
int keep_cover(struct keep *k, uint64_t from, uint64_t to, struct err *err);
/* The first of so many rows that was not; their number: none is missing. */
uint64_t keep_missing(const struct keep *k, uint64_t rows);

/* As bytes: the same ones for the same rows. */
void keep_print(struct buf *b, struct keep *k);
/* Adds what was kept of other rows by the same rules; `path` stands in errors.
 * Where there is one nothing has changed. */
int keep_merge(struct keep *k, struct str bytes, const char *path,
               struct err *err);

/* What a rule has come to, as a table: CSV. */
size_t keep_rule_count(const struct keep_rules *r);
/* Its name, for a file; NULL: its rows are listed, and it has no table. */
const char *keep_rule_table(const struct keep_rules *r, size_t rule,
                            struct arena *a);
/* What stands before the columns of a row, by its number from 0: its names, or,
 * with `names`, theirs. NULL instead of it: "row", from 1. */
typedef void keep_name_fn(void *context, uint64_t row, bool names,
                          struct buf *b);
/* Rows by rank, the best first, in pieces: appends those from `*at` on, and
 * moves it; false: there are no more. The first piece begins with the names of
 * the columns. Of a histogram: its cells, those below and above as well. */
bool keep_table(struct keep *k, size_t rule, size_t *at, keep_name_fn *name,
                void *context, struct buf *b);
/* Rows of a rule that had no number to go by. */
uint64_t keep_not_numbers(const struct keep *k, size_t rule);

/* ---- rows unlike those of training --------------------------------------- */

#define NOVELTY_FORMAT "throng.novelty/1"
enum { NOVELTY_COLUMNS = 4096 }; /* of a layer, at most */

/* What training rows look like in a layer. */
struct novelty {
    struct str layer, sha256; /* of which weights */
    size_t rows, columns;     /* that it was fitted on */
    double *mean;
    double *covariance; /* its lower triangle, row by row, shrunk */
    double *factor;     /* Cholesky's of it: columns × columns */
    double shrinkage;
    double alpha, threshold; /* rows like those of training are beyond it with
                                alpha at most */
    size_t held_out;         /* rows that the threshold is of */
};
/* Of rows × columns numbers. */
int novelty_fit(struct novelty *n, const double *rows, size_t count,
                size_t columns, struct arena *a, struct err *err);
/* Of one row; scratch has room for its columns. */
double novelty_distance(const struct novelty *n, const double *row,
                        double *scratch);
/* The threshold by alpha, of rows that were held out; sorts their distances. An
 * error where they are too few. */
int novelty_limit(struct novelty *n, double *distances, size_t count,
                  struct err *err);
void novelty_print(struct buf *b, const struct novelty *n);
/* Lives in the arena. */
int novelty_parse(struct novelty *n, struct str text, const char *path,
                  struct arena *a, struct err *err);

#define NOVELTIES_FORMAT "throng.novelties/1"

/* The same of an ensemble, member by member. Its score of a row is the mean of
 * what each makes of it, by their weights (novelties.c). */
struct novelties {
    struct novelty *list;
    double *weights; /* they add up to 1 */
    size_t count;
    double alpha, threshold; /* of the score, as above */
    size_t held_out;
    bool alone; /* of one model: the score is its distance */
};
/* What the distance that a member finds adds to the score. */
double novelties_part(const struct novelties *n, size_t member,
                      double distance);
/* As novelty_limit, of scores. */
int novelties_limit(struct novelties *n, double *scores, size_t count,
                    struct err *err);
bool novelties_is(struct str text);
void novelties_print(struct buf *b, const struct novelties *n);
/* Lives in the arena. */
int novelties_parse(struct novelties *n, struct str text, const char *path,
                    struct arena *a, struct err *err);
/* The same, or the file of one model. */
int novelties_parse_any(struct novelties *n, struct str text, const char *path,
                        struct arena *a, struct err *err);
/* Their columns of a row, in the order of novelty_names: the score, NaN where
 * it is not finite, and 1 where the row is unlike those of training; what
 * cannot be measured is like nothing. */
enum { NOVELTY_SCORES = 2 };
extern const char *const novelty_names[NOVELTY_SCORES];
void novelties_judge(const struct novelties *n, double score,
                     double to[NOVELTY_SCORES]);

/* What was found of one output; infinite: nothing. */
struct calibrated_output {
    double interval, interval_sd;  /* of a number */
    double widening;               /* of an end of an interval */
    double temperature, threshold; /* of a choice */
};
/* Those of one head, of the list that opinions_calibrate makes: one for each
 * number, or one of a choice. NULL: they are not of this head. */
const struct calibrated_output *calibrated_read(const struct value *list,
                                                size_t head,
                                                const struct combine_head *h,
                                                struct arena *a);
/* Columns of numbers that they add to a row: low and high of each number; low
 * of the lowest of several quantiles and high of the highest; of a
 * choice for each class 1 where it is in the set, else 0. */
size_t calibrated_columns(const struct combine_head *h);
const char *calibrated_column(const struct combine_head *h, size_t i,
                              size_t *output);
/* Of one row: the columns, and probabilities become those of the temperature.
 * sd: of the first number, the next ones `apart` from each other. */
void calibrated_apply(const struct combine_head *h,
                      const struct calibrated_output *c, const double *sd,
                      size_t apart, double *outputs, double *to);
/* How sure probabilities of the temperature are, in place of what
 * combine_sureness has said of the row; numbers have no temperature. Outputs
 * are as calibrated_apply leaves them; the passes become those of the
 * temperature. */
void calibrated_sureness(const struct combine_rule *r,
                         const struct combine_head *h,
                         const struct calibrated_output *c,
                         const double *outputs, double *passes, double *scratch,
                         double *to);

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
    uint64_t setting; /* that it is a fold of, by which a stack was fitted; from
                         1; 0: none */
};
struct ensemble {
    enum combine how;
    const struct ensemble_member *members;
    size_t count;
    struct str chosen;         /* how they were, for people */
    struct str rows;           /* that they were chosen or weighed by, as
                                  data_trained_print has them; empty: none */
    const struct value *stack; /* of stacking; NULL: none */
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
