/* trial.h - rows of trials, for the files of this folder */
#ifndef THRONG_STORE_TRIAL_H
#define THRONG_STORE_TRIAL_H

#include "store/columns.h"
#include "store/db.h"

/* Appends "SELECT … FROM …" for a set of columns: the others are NULL, and
 * without texts nothing is joined. t is trials. */
void trial_select(struct buf *sql, unsigned columns);
/* Fills those parts of *t that are in the set, the others with nothing; tags
 * are left empty. Texts are valid until the next step. */
void trial_read(sqlite3_stmt *st, unsigned columns, struct trial *t);
/* Fills tags, tag_count. */
int trial_tags(struct store *s, int64_t id, struct arena *a, struct trial *t,
               struct err *err);

#endif
