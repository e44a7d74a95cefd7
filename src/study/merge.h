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

#endif
