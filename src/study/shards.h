/* shards.h - the rows of an inference, cut into the shards that are its trials
 *
 * The list of them is a file in the study's folder, `shards`: a line of JSON
 * that says which files they are of, and then a record of equal length for
 * each, so that nobody has to hold them. Those of a product of tables have
 * equally many rows each, and no record. It is made when the study is, and
 * stays. */
#ifndef THRONG_STUDY_SHARDS_H
#define THRONG_STUDY_SHARDS_H

#include "data/data.h"
#include "study/study.h"

#define SHARDS_FILE "shards"

/* Cuts the files of plan->predict, seen from `home`, and fills in the plan's
 * numbers. to: the folder that the list is written into; NULL: none. */
int shards_make(struct plan_predict *p, const struct value *said,
                const char *home, const char *to, struct err *err);
/* Fills in the rows of the plan's files, for models that are not there yet;
 * spec and fitted say how they are read, if that is known (data.h). */
int shards_count_rows(struct plan_predict *p, const struct value *spec,
                      struct str fitted, const char *home, struct err *err);
/* The files that a glob of the plan finds, ended by NULL; NULL: none. */
const char **shards_glob(const char *home, const char *pattern,
                         struct arena *a);
/* Fills in the plan's numbers from the list in a folder. 1; 0: there is none
 * of that plan, or a file has changed since; a file that is gone has not. */
int shards_recall(struct plan_predict *p, const struct value *said,
                  const char *home, const char *folder);
/* Whether nothing but files is other than in the list in a folder: which they
 * are is added, as a person is told. */
bool shards_changed(const struct plan_predict *p, const struct value *said,
                    const char *home, const char *folder, struct buf *to);
/* The file of a row, by its number among those of all files from 0, as
 * shards_at names it; returns its number in the file. */
uint64_t shards_row(const struct shards *s, uint64_t row, struct str *name);

#endif
