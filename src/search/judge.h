/* judge.h - early stopping that compares trials: hyperband, median, asha
 *
 * Inside search only. Trials are looked at when they have made so many
 * reports (logged values of the objective); what each of them had reached
 * there stands in one table per level. A report of a step that the trial has
 * passed already (a newer attempt makes it again) does not count once more.
 *
 * Every trial has a job number, its place in the order of asking. A trial is
 * compared with those whose job lies below a limit that the caller gives, so
 * that a judgement need not depend on who was faster. */
#ifndef THRONG_SEARCH_JUDGE_H
#define THRONG_SEARCH_JUDGE_H

#include "search/search.h"

#define JUDGE_ALL INT64_MAX /* the limit that leaves nobody out */

struct judge;

/* `early` must live as long. With `best` a trial's value at a level is the
 * best until then, else the one reported there; hyperband and median always
 * take the best. */
struct judge *judge_new(const struct early *early, bool minimize, bool best,
                        uint64_t seed);
void judge_free(struct judge *j);

/* A trial begins, or goes on, as this job. */
void judge_enter(struct judge *j, int64_t trial, int64_t job);
/* The same, unless the trial has begun already. */
void judge_begin(struct judge *j, int64_t trial, int64_t job);
int64_t judge_job(const struct judge *j, int64_t trial);
/* Its steps for now; 0: as many as it likes. */
int64_t judge_budget(const struct judge *j, int64_t trial);
/* An attempt begins the trial anew: what it reported until now counts no more.
 * Levels that it has reached stay reached, and what was decided there stays
 * decided; with median, where every report is one, it has reached none. */
void judge_anew(struct judge *j, int64_t trial);
/* What is known of a trial that has not ended: how many values it logged, the
 * last step, the best value. Said by an earlier run, or of what still counts
 * when it begins anew. */
void judge_recall(struct judge *j, int64_t trial, int64_t count, int64_t step,
                  double best);

void judge_report(struct judge *j, int64_t trial, int64_t step, double value,
                  int64_t limit, struct verdict *v);
/* The same of an earlier run, whose verdict is known: only the tables. */
void judge_recount(struct judge *j, int64_t trial, int64_t level, double value);
/* What was found at the last level that was recounted, when nothing has been
 * told since. */
void judge_again(struct judge *j, int64_t trial, int64_t limit,
                 struct verdict *v);
/* As search_decides_at. */
int64_t judge_decides_at(const struct judge *j, int64_t trial);

/* The level that a trial has reached, as its index from 1, and its value
 * there; 0: none. Level i from 1 of one trial; NaN: not reached. */
size_t judge_reached(const struct judge *j, int64_t trial);
double judge_value(const struct judge *j, int64_t trial, size_t level);
size_t judge_levels(const struct judge *j); /* how many; 0: no end */

/* Where the trial stands among all at the highest level that it reached. */
void judge_standing(const struct judge *j, int64_t trial, struct verdict *v);

/* True when the trial is at the end of its budget and may go on later. */
bool judge_pauses(const struct judge *j, int64_t trial);
/* How far it breaks constraints, in all; 0: not at all. Whoever does comes
 * behind all that do not. */
void judge_broken(struct judge *j, int64_t trial, double broken);
/* It waits at its rung from now on. */
void judge_wait(struct judge *j, int64_t trial);
/* It has ended: nothing more is remembered but its rows in the tables. */
void judge_end(struct judge *j, int64_t trial);
/* The trial that goes on next, or 0, and its new budget. */
int64_t judge_next(const struct judge *j, int64_t limit, int64_t *budget);
void judge_promote(struct judge *j, int64_t trial, int64_t job);

#endif
