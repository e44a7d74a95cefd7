/* search.h - strategies: which points to try
 *
 * Ask, tell, report. Suggestion k is a pure function of the seed, k, and the
 * results that the strategy was told: nothing else. Trials are numbered from
 * 1, suggestions too; which trial a suggestion becomes is the caller's. */
#ifndef THRONG_SEARCH_SEARCH_H
#define THRONG_SEARCH_SEARCH_H

#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "terms/early.h"
#include "terms/method.h"
#include "terms/space.h"
#include "terms/suggestion.h"

/* A list of points that somebody else keeps (a file, perhaps of millions). */
struct point_source {
    void *context;
    uint64_t count;
    /* Point i (from 0) and its run id (empty: none) into the arena. */
    int (*get)(void *context, uint64_t i, struct arena *a, struct value **point,
               struct str *run_id, struct err *err);
};

enum search_answer {
    SEARCH_ERROR = -1,
    SEARCH_END = 0,  /* no suggestion k, ever */
    SEARCH_HERE = 1, /* *out is filled */
    SEARCH_WAIT = 2, /* tell me more first */
};

/* Whoever decides the points of method external. Each function as that of a
 * strategy: points are counted from 1, and each is told once. */
struct search_outside {
    void *context;
    enum search_answer (*ask)(void *context, int64_t k, struct arena *a,
                              struct suggestion *out, struct err *err);
    void (*tell)(void *context, const struct result *r);
    enum decision (*report)(void *context, int64_t k, int64_t step,
                            double value);
    /* A paused point that goes on, as search_promote; NULL: none ever. next:
     * 0, or, when no new point will be asked for, what its number would be. */
    enum search_answer (*promote)(void *context, int64_t next,
                                  struct suggestion *out);
};

/* Which results a suggestion may depend on. */
enum search_order {
    SEARCH_FREE,  /* those that have come */
    SEARCH_LAG,   /* those of the trials before the last `lag` */
    SEARCH_BATCH, /* those of earlier batches of `lag` trials */
};

/* What methods do where a study says nothing changes now and then; a study
 * goes on with what it was made with.
 * 1: grid in the order that is written; hyperspace halves linearly
 * 2: grid covers the space early; hyperspace halves on a parameter's scale
 * 3: with early stopping the sampler hears of constraints, and what breaks
 *    them comes last at every rung; warm results and
 *    trials of a person have numbers of their own; forest does not look for
 *    long where nearly every point was there
 * 4: the quadratic of tpe and cmaes is asked whether or not trials are out,
 *    where it foretells results; gp draws when it goes astray, or for the
 *    lowest place, instead of counting
 * 5: the quadratic learns how strong noise is, and for every method it must
 *    foretell results better than their mean does */
enum { SEARCH_VERSION = 5 };

struct search_setup {
    const struct space *space;
    const struct point_source *points;    /* of method points; else NULL */
    const struct search_outside *outside; /* of method external; else NULL */
    uint64_t seed;
    int64_t version; /* see SEARCH_VERSION; 0: that one */
    bool minimize;
    bool aimless;                /* no metric: no result will have a value */
    int64_t run_cap;             /* trials in all; 0: no limit */
    uint32_t repeat;             /* trials of each point; 0 and 1: one */
    const struct value *options; /* the study's `<method>:` object, or NULL */
    /* Several objectives: a goal each, as result.values has them; 0: one,
     * result.value, whose goal is `minimize`. */
    size_t objective_count;
    const bool *minimize_each;
    size_t constraint_count; /* of result.constraints */
    int64_t parallel;        /* trials out at once, expected; 0: unknown */
    enum search_order order;
    int64_t lag;               /* of the order, see there */
    const struct early *early; /* or NULL */
    bool pick_best;            /* a trial's value is its best, not its last */
};

struct search;

/* Opens a strategy by name; what the setup points to must live as long as
 * the search. Refuses a space it cannot take, with the reason
 * and the parameter's name. */
struct search *search_open(const char *method, const struct search_setup *s,
                           struct err *err);
void search_free(struct search *s);
/* Every method, ended by NULL. */
extern const struct method *const search_methods[];

/* Trials that this search will make in all, run_cap and repeat counted; -1
 * when there is no end. */
int64_t search_total(const struct search *s);
/* True when suggestions do not depend on results, so that the caller may ask
 * ahead as far as it likes. */
bool search_foresees(const struct search *s);

/* Trial k of the study (from 1). Asking the same k twice gives the same. */
enum search_answer search_ask(struct search *s, int64_t k, struct arena *a,
                              struct suggestion *out, struct err *err);
/* A trial ended (or paused). Out of order is normal; a trial told twice
 * counts once. With an order other than free it is heard when it may be. With
 * repeat the strategy learns of a point when its last trial is final: the mean
 * of the values that there are (with none: NaN, and the worst of the states).
 */
void search_tell(struct search *s, const struct result *r);
/* A running trial reported the objective's value. Trials below 0 are judged
 * too (see result.trial). */
enum decision search_report(struct search *s, int64_t trial, int64_t step,
                            double value);
/* The step of the first report to come that can be answered with anything but
 * continue, where the trial reports every step; 0: there is none. What method
 * external decides comes later, whenever it likes. */
int64_t search_decides_at(const struct search *s, int64_t trial);
/* What method auto picked and for which reason, as one phrase ("gp, which
 * …"); NULL of other methods. Lives as long as s. */
const char *search_why(const struct search *s);
/* What the method's model believes of a told trial's point, in units of the
 * objective: under noise the trial of the best such mean is a better answer
 * than that of the best value, which may only have been lucky. -1 when there
 * is no model yet, or it knows nothing of the trial. */
int search_mean(struct search *s, int64_t trial, double *mean);
/* Trials in the first batch and in each later one, where the method makes
 * points in generations; false: it does not. */
bool search_batches(const struct search *s, int64_t *first, int64_t *size);
/* More about the last report. */
struct verdict {
    enum decision decision;
    bool counted;  /* others are compared with it: store it, with `level`, for
                      search_reported */
    int64_t level; /* logged values of the trial so far */
    double value, threshold; /* NaN: there is no threshold */
    int64_t among;           /* trials that were compared, itself too */
};
const struct verdict *search_verdict(const struct search *s);

/* Where a trial that has not ended stands at the highest level that it has
 * reached. */
void search_standing(const struct search *s, int64_t trial, struct verdict *v);

/* ---- early stopping with promotion ------------------------------------ */

/* True when the trial has used its budget and may go on later: the caller
 * tells it as paused when its attempt ends. */
bool search_pauses(const struct search *s, int64_t trial);
/* A paused trial that goes on: out->replaces and out->budget. SEARCH_END:
 * none does now; SEARCH_WAIT: tell me more first. Ask for it before a new
 * trial. */
enum search_answer search_promote(struct search *s, struct suggestion *out);
/* False when search_promote will find none unless new trials are asked for. */
bool search_may_promote(const struct search *s);

/* ---- going on where an earlier run was --------------------------------- */

/* The calls of an earlier run are repeated in their order, with these in
 * place of ask, promote and report, whose answers are known. A search goes on
 * as if it had been asked itself. `point` may be NULL (nobody knows it any
 * more). */
void search_placed(struct search *s, int64_t k, const struct value *point);
void search_promoted(struct search *s, int64_t trial);
void search_reported(struct search *s, int64_t trial, int64_t level,
                     double value);
/* By what the report was judged that was repeated just now. */
void search_judged(struct search *s, int64_t trial, struct verdict *v);
/* An attempt begins the trial anew, and what it has reported counts no more:
 * what still does is recalled. */
void search_anew(struct search *s, int64_t trial);
/* What a trial that has not ended had reported: how many values, the last
 * step, the best value (NaN: none). */
void search_recall(struct search *s, int64_t trial, int64_t count, int64_t step,
                   double best);

/* With repeat: which group (from 0) and which member a trial is. */
void search_repeat_of(const struct search *s, int64_t k, int64_t *group,
                      uint32_t *member);

/* ---- what results say about parameters -------------------------------- */

struct importance; /* results of one space */

struct importance *importance_new(const struct space *space, bool minimize,
                                  struct err *err);
void importance_free(struct importance *i);
/* A value that is not finite is left out. The order of adding does not
 * count for anything but the last bits. */
void importance_add(struct importance *i, const struct value *point,
                    double value);
size_t importance_count(const struct importance *i);

enum { IMPORTANCE_LEAST = 10 }; /* results that say something */

/* PED-ANOVA: how much the best tenth differs from all, parameter by
 * parameter; the numbers add up to 1 (or are all 0). shares has a number for
 * each parameter of the space. -1 with fewer than IMPORTANCE_LEAST results. */
int importance_ped(const struct importance *i, double *shares, struct err *err);
/* Functional ANOVA on boosted trees: the part of the variance of the objective
 * that each parameter explains alone. What is missing to 1 are effects of
 * several parameters together. */
int importance_fanova(const struct importance *i, uint64_t seed, double *shares,
                      struct err *err);

enum region { REGION_NEITHER, REGION_GOOD, REGION_BAD };

/* A choice, or a part of the range of a number. */
struct importance_cell {
    struct value *from, *to; /* of a choice: the same */
    double mean;             /* the objective's predicted mean there */
    double spread;           /* how far the trees disagree about it */
    double crowd;            /* how much denser the best tenth is than all */
    enum region region;      /* good: much denser; bad: much sparser */
};

/* Partial dependence of the objective on one parameter (by its number in the
 * space), and where it is good and bad. The cells live in the arena, from low
 * to high; a constant has none. */
int importance_curve(const struct importance *i, size_t param, uint64_t seed,
                     struct arena *a, struct importance_cell **cells,
                     size_t *count, struct err *err);

#endif
