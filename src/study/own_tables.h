/* own_tables.h - the tables that an inference writes, which are none of its
 * rows
 *
 * A glob such as *.csv finds the table of an earlier run as well. What the
 * study has written stands in a list in its folder, so that a table that it
 * once wrote under another name is known, too. */
#ifndef THRONG_STUDY_OWN_TABLES_H
#define THRONG_STUDY_OWN_TABLES_H

#include "study/study.h"

/* The merged table, or the folder of those that are kept by rules: absolute. */
const char *own_table_path(const struct plan_predict *p, const char *home,
                           const char *folder, struct arena *a);
/* Everything that the study in the folder has written or will write, files and
 * folders, ended by NULL; the first is the table of own_table_path. */
const char *const *own_tables(const struct plan_predict *p, const char *home,
                              const char *folder, struct arena *a);
/* Whether the file is one of those, or lies in one. */
bool own_tables_have(const char *const *own, const char *path);
/* The names of what globs of the plan would find of it, as a person is told;
 * empty: nothing. */
struct str own_tables_found(const struct plan_predict *p, const char *home,
                            struct arena *a);
/* Whether a glob of the plan finds the file. */
bool own_tables_match(const struct plan_predict *p, const char *home,
                      const char *path, struct arena *a);
/* Whether the study in the folder has written it, as far as it remembers. */
bool own_tables_know(const char *folder, const char *path);
/* Remembers that a table was written. */
int own_tables_add(const char *folder, const char *path, struct err *err);

#endif
