/* bulk.h - an inference over very many rows, whose shards are trials
 *
 * When the study is made its models are copied beside it, the rows are cut
 * (shards.h), and the task that asks the models is written down: what a shard
 * says does not hang on when it runs. */
#ifndef THRONG_STUDY_BULK_H
#define THRONG_STUDY_BULK_H

#include "study/study.h"

#define BULK_TASK "inference.json"
#define BULK_MODELS "models"
#define BULK_TABLES "product" /* of a product, beside it as models are */

/* What one row costs all models, and how rows are read for them. */
struct bulk_cost {
    double row_s;             /* of one core */
    double row_bytes;         /* of memory */
    uint64_t models;          /* 0: a program */
    const struct value *spec; /* of the first one's data; NULL: none */
    struct str fitted;
    const struct value *fault; /* of the plan: where an error is; NULL: nobody
                                  knows */
    uint64_t product_rows;     /* of a product of tables */
    const char *notice;        /* what a person should know; NULL: nothing */
};
int bulk_cost(const struct plan_predict *p, const char *home,
              struct bulk_cost *to, struct arena *a, struct err *err);

/* Of one model, by what its layers compute and how many columns a row has. */
double bulk_row_seconds(double flops, double columns, int64_t samples);
/* The same of a row of a product, of which nothing is read: what tables have
 * come to is added up (nn_model_flops_split). */
double bulk_product_seconds(double flops, double added, int64_t samples);
/* A file that the plan names; NULL: none. */
const char *bulk_file(const struct value *said, const char *home,
                      struct arena *a);
/* The paths of the tables of a product, in the arena. */
const char **bulk_tables(const struct plan_predict *p, const char *home,
                         struct arena *a);

/* The file of weights or ensemble that a plan means, in the arena: trials of a
 * study become an ensemble in `scratch`, and weights of another program become
 * ours there. */
struct bulk_found {
    const char *path;
    const char *called; /* as a person knows them; NULL: by their path */
    const char *notice; /* what a person should know; NULL: nothing */
    bool of_study;
};
int bulk_models(const struct plan_predict *p, const char *home,
                const char *scratch, struct bulk_found *to, struct arena *a,
                struct err *err);

/* The folder of a study that goes by this name beside the study file; NULL:
 * there is none. */
const char *bulk_study_named(const char *name, const char *home,
                             struct arena *a);
bool bulk_is_ensemble(const char *path);
/* Of the ensemble that was found its members that pass `where` of the plan, as
 * an ensemble in `scratch`. */
int bulk_passing(const struct plan_predict *p, const char *home,
                 const char *scratch, struct bulk_found *to, struct arena *a,
                 struct err *err);

/* Whether the weights are of another program. */
bool bulk_is_foreign(const struct plan_predict *p, const char *home,
                     struct arena *a);
int bulk_foreign_take(const struct plan_predict *p, const char *home,
                      const char *scratch, struct bulk_found *to,
                      struct arena *a, struct err *err);
/* Of what they are made of: their files. */
int bulk_foreign_hash(const struct plan_predict *p, const char *home,
                      char hex[65], struct arena *a, struct err *err);

/* What its models are before they are copied, in the arena. */
struct value *bulk_known_take(const struct plan_predict *p, const char *home,
                              const char *folder, struct arena *a,
                              struct err *err);
/* Writes it down, when the copies are there; an error where a file has changed
 * meanwhile: nobody knows what the copy is of. */
int bulk_known_write(const struct plan_predict *p, const char *home,
                     const char *folder, const struct value *before,
                     struct err *err);
/* Are they still so? An error where a copy is not what it was, or where the
 * file that they were made of has changed; of trials of a study that are others
 * now *notice says so, in the arena. What is gone has not changed. */
int bulk_known_check(const struct plan_predict *p, const char *home,
                     const char *folder, const char **notice, struct arena *a,
                     struct err *err);

/* An open inference: the list of its shards, and the task of all of them. */
struct bulk;
/* What a person should know of it, or NULL. Lives as long as b. */
const char *bulk_notice(const struct bulk *b);
/* Makes what is not there yet. An error where models have changed. */
struct bulk *bulk_open(const struct plan *p, const char *home,
                       const char *folder, struct err *err);
void bulk_close(struct bulk *b); /* NULL is accepted */
/* The product of tables that its rows are, to name them by. Yours to close. */
struct data_product *bulk_product(const struct bulk *b, struct err *err);
/* How many a shard has, one by the other. */
uint64_t bulk_shard_rows(const struct bulk *b);
/* What the task of a shard has that others have not. */
int bulk_fill(const struct bulk *b, const struct value *point, struct task *t,
              struct err *err);

#endif
