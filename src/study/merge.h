/* merge.h - what the shards of an inference have kept by rules, as tables
 *
 * Inside study only; merge.c goes through the shards. */
#ifndef THRONG_STUDY_MERGE_H
#define THRONG_STUDY_MERGE_H

#include "study/conductor.h"

/* Of rules as ensemble.h has them; of a product of tables rows have its names.
 * All but the rules live as long. */
struct merge_kept;
struct merge_kept_rows {
    const struct shards *shards;
    struct packs *packs;
    const struct data_product *product; /* NULL: rows are those of files */
    bool npy;                           /* tables are arrays, not CSV */
};
struct merge_kept *merge_kept_open(const struct value *rules,
                                   const struct merge_kept_rows *rows,
                                   const char *folder, struct err *err);
void merge_kept_close(struct merge_kept *k); /* NULL is accepted */
/* Adds what a trial has kept of its shard. 1: what it left is gone. */
int merge_kept_add(struct merge_kept *k, int64_t trial, struct err *err);
/* Writes the tables; `said` names them, and what stands in none of them. */
int merge_kept_end(struct merge_kept *k, struct buf *said, struct err *err);

/* merge_bad.c: rows of which nothing is predicted, in the order of rows. */
struct merge_bad;
/* `beside`: the table, or the folder of tables. Yours to free. */
struct merge_bad *merge_bad_new(struct packs *packs, const char *beside);
void merge_bad_free(struct merge_bad *b); /* NULL is accepted */
/* What a trial that is done has said of its shard: so many are bad. */
int merge_bad_add(struct merge_bad *b, int64_t trial,
                  const struct task_shard *shard, uint64_t count,
                  struct err *err);
/* Writes the list, or removes an older one where there are none; fills in
 * what there is to say, with texts in the arena. */
int merge_bad_end(struct merge_bad *b, struct merged *to, struct arena *a,
                  struct err *err);
/* How many rows of a trial are bad, by its summary. */
uint64_t merge_bad_count(const struct trial *t, struct arena *a);

/* merge_columns.c: those of a table, and what a shard has of them. */
struct merge_columns;
struct merge_columns *merge_columns_new(void);    /* yours to free */
void merge_columns_free(struct merge_columns *c); /* NULL is accepted */
/* Adds those of a shard's text, which its first line names. */
int merge_columns_add(struct merge_columns *c, struct str text,
                      struct err *err);
/* The first line of the table; empty: none were added. */
struct str merge_columns_header(const struct merge_columns *c);
/* Makes of a shard's text its rows as the table has them: valid until the next
 * call, and as long as the text. */
int merge_columns_fit(struct merge_columns *c, struct str *text,
                      struct err *err);

/* merge_made.c: the tables of a merge. */
struct merge_made {
    const char *what; /* they were made of, one line */
    const char *path; /* of the table, or of their folder */
    bool folder, npy;
};
/* Remembers them in the folder of the study. */
int merge_made_write(const struct merge_made *m, const char *study,
                     const struct merged *of, struct err *err);
/* Whether those that are there are what was made of it; then what a program
 * wrote for its rows is filled in. */
bool merge_made_is(const struct merge_made *m, const char *study,
                   struct merged *to);

/* merge_left.c: before a merge that writes this table, or this folder of
 * tables, removes what one of the same study that was killed has left. */
int merge_left_begin(const char *study, const char *table, struct err *err);
void merge_left_end(const char *study);

#endif
