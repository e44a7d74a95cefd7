/* compared.h - a part of view.h: trials compared with each other
 *
 * Means by two things, how much work is done in a day, and tests of
 * statistics. Others include view.h. */
#ifndef THRONG_VIEW_COMPARED_H
#define THRONG_VIEW_COMPARED_H

#include "base/vec.h"
#include "study/study.h"

struct place_of_study;
struct tabled;

/* ---- means by two things --------------------------------------------------
 */

struct matrix_asked {
    const char *sides; /* "source,target", or two parameters */
    const char *where; /* filter; NULL: none */
};
/* As a table, and as the schema throng.rank-matrix/1. */
int matrix_make(struct tabled *l, struct buf *json, struct store *store,
                const struct plan *plan, const struct matrix_asked *asked,
                struct err *err);

/* ---- how much work is done in a day -------------------------------------- */

/* What `places` do in a day of units that take so many seconds. */
double merit_units(double unit_s, double places);
double merit_harmonic(const double *units, size_t count);

/* Trainings in the same place (ranks=2), one epoch of which takes so long. */
struct merit_epoch {
    const char *where; /* "": the study does not say */
    int64_t count;     /* trainings */
    double mean, squares;
};
struct merit {
    const char *name;
    int64_t models; /* that ended well */
    int64_t places; /* most attempts at once */
    double wall_s;  /* in which at least one ran */
    double busy_s;  /* of all attempts */
    double unit_s;  /* of a model, with all its attempts */
    double models_a_day, units_a_day;
    double utilisation; /* of the places, while anything ran */
    double flops;       /* of built-in training, per second; NaN: unknown */
    VEC(struct merit_epoch) epochs;
};
int merit_read(struct merit *m, struct store *store,
               const struct place_of_study *where, struct arena *a,
               struct err *err);
void merit_done(struct merit *m);

/* Of a study, or of the stages of a campaign that make models. */
struct merits {
    const char *name;
    VEC(struct merit) list;
    double harmonic;     /* mean of the units a day */
    const char *against; /* another study or campaign; NULL */
    double against_harmonic, ratio;
};
int merits_read(struct merits *k, struct store *store,
                const struct place_of_study *where, struct arena *a,
                struct err *err);
int merits_against(struct merits *k, const char *other, struct arena *a,
                   struct err *err);
void merits_done(struct merits *k);
void merits_table(const struct merits *k, struct tabled *l);
void merits_epochs(const struct merits *k, struct tabled *l);
void merits_words(struct buf *b, const struct merits *k);
/* The schema throng.merit/1. */
void merits_json(struct buf *b, const struct merits *k, double as_of);

/* ---- sets of trials compared by tests of statistics --------------------- */

/* Trials side by side: an arm is a set of them (template=3), a block what the
 * arms have in common (a fold, of a data set). A cell is the mean of an arm's
 * trials in a block, so that bootstraps count once. */
struct paired_cell {
    double mean;
    int64_t count;
};
struct paired_block {
    const char *dataset;       /* NULL: data sets are not looked over */
    const char *name;          /* "fold=2"; "" where only data sets are */
    struct paired_cell *cells; /* one for each arm */
};
struct paired_arm {
    const char *name;     /* "template=3" */
    struct value *wanted; /* flat names with their values */
    int64_t trials, valueless;
};
struct paired_asked {
    const char *const *arms;  /* "template=3", "lr=0.1,opt=sgd" */
    const char *const *names; /* what they are called; NULL: as written */
    size_t arm_count;
    const char *over;    /* names joined by commas */
    const char *where;   /* filter; NULL: none */
    const char *by;      /* metric; NULL: the objective */
    const char *dataset; /* parameter whose values are data sets; NULL: as the
                            study says */
};
struct paired {
    struct paired_arm *arms;
    size_t arm_count;
    VEC(struct paired_block) blocks; /* sorted: data sets, then names */
    VEC(struct str) over;
    struct str dataset;         /* of `over`; empty: none */
    VEC(const char *) averaged; /* parameters that vary within a cell */
};
int paired_read(struct paired *p, struct store *store, const struct plan *plan,
                const struct paired_asked *asked, struct arena *a,
                struct err *err);
void paired_done(struct paired *p);
/* Whether a parameter says which data a model is trained on: by the model
 * file, or by its name. */
bool names_dataset(const struct plan *plan, struct str name);
/* True when a text of a study or a model holds ${name}. */
bool text_names(const struct value *v, struct str name);

struct compare_asked {
    struct paired_asked paired;
    double ratio; /* rows that judge for each that trains; NaN: as the study
                     says */
    bool against_first; /* every arm with the first, not each with each */
};
enum compare_kind { COMPARE_T, COMPARE_WILCOXON };
struct compare_test {
    enum compare_kind kind;
    size_t a, b;            /* arms */
    const char *dataset;    /* that its blocks are of; NULL: all */
    size_t n;               /* pairs */
    double mean_a, mean_b;  /* over the pairs */
    double mean, sd;        /* of the differences, a - b */
    double low, high;       /* interval of the mean */
    double statistic;       /* t, or the smaller sum of ranks */
    double df, p, adjusted; /* NaN: none */
    const char *why;        /* there is no p; NULL */
};
struct compare {
    struct paired paired;
    struct study_goal goal;
    const char *metric;
    double ratio;
    const char *ratio_from; /* words */
    bool against_first;
    struct arena *arena;
    VEC(struct compare_test) tests;
    VEC(const char *) notes;
};
/* Of a study of method ablate: every change with the baseline, over all that
 * the baseline leaves free, unless `over` says otherwise. */
int compare_ablation(struct compare_asked *asked, const struct plan *plan,
                     struct arena *a, struct err *err);
/* "0.25" or "1/4"; NaN for NULL. */
int compare_ratio(const char *text, double *ratio, struct err *err);
/* What was not found, or does not go, is an error in words. */
int compare_read(struct compare *k, struct store *store,
                 const struct plan *plan, const struct compare_asked *asked,
                 struct arena *a, struct err *err);
void compare_done(struct compare *k);
void compare_table(const struct compare *k, struct tabled *l);
/* What was compared, and what the tests take for granted: for people. */
void compare_words(struct buf *b, const struct compare *k);
/* The schema throng.compare/1. */
void compare_json(struct buf *b, const struct compare *k, double as_of);

#endif
