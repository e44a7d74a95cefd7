/* campaign.h - what the files of a campaign's conductor share (inside of study)
 *
 * A campaign is a graph of studies. It holds no trials: its store has a fact
 * for each stage, the *record*, which says what the stage read and how it
 * ended; the studies themselves lie in folders of their own below it. What must
 * stay true:
 *
 * - A record is written before its stage begins and when it has ended.
 * - What a stage read is in its record, files by hash, results by value: that
 *   is all that decides whether it is done.
 * - Each stage is run by a process of its own, with the lease of its study. It
 *   ends when we do: it watches a pipe of which only we have the other end. */
#ifndef THRONG_STUDY_CAMPAIGN_H
#define THRONG_STUDY_CAMPAIGN_H

#include "study/study.h"

struct stage {
    const struct plan_stage *plan;
    enum stage_state state;
    const char *folder;   /* of its study */
    struct value *record; /* as it is stored; NULL: there is none */
    const char *why;      /* why it runs, or ended as it did */
    struct process_id process;
    int control;      /* our end of its pipe; -1: it does not run */
    int log;          /* what it says; -1: it does not run */
    off_t log_start;  /* where the words of this run begin there */
    uint32_t share;   /* of `parallel` */
    uint32_t out;     /* trials that may run now, where that is more */
    bool said_holder; /* that somebody else runs it */
};

struct campaign {
    struct campaign_setup setup;
    const struct plan_campaign *plan;
    struct arena *arena;
    struct store *store;
    struct stage *stages;
    size_t count;
    bool ending; /* no more stages begin */
    unsigned interrupts;
    bool foresees;     /* nothing is changed */
    struct err broken; /* its store is gone, or damaged; kind 0: it is not */
    struct loop_source *child, *beat, *ear, *last;
};

/* True when all that it needs is done and it has not begun. */
bool stage_is_ready(const struct campaign *c, const struct stage *s);

/* ---- campaign_share.c -------------------------------------------------- */

/* What a stage that is ready gets of `parallel`; 0: it has to wait, if the
 * campaign says `parallel`. */
uint32_t share_to_begin(const struct campaign *c, const struct stage *s);
/* Makes the parts of the stages that run anew, and tells them. */
void share_out(struct campaign *c);

/* ---- campaign_record.c ------------------------------------------------- */

int record_read(struct store *store, struct str stage, struct arena *a,
                struct value **record, struct err *err);
/* Writes and commits it. */
int record_write(struct campaign *c, struct stage *s, struct err *err);
/* The same with a new state and why. */
int record_end(struct campaign *c, struct stage *s, enum stage_state state,
               const char *why, struct err *err);
struct str record_text(const struct value *record, const char *key);
enum stage_state record_state(const struct value *record);
/* How its last run ended, whatever was in the way of it since. */
enum stage_state record_ran(const struct value *record);
/* How a record differs from the one to be, a line each; nothing: it does
 * not. */
void record_diff(struct buf *b, const struct value *was,
                 const struct value *now);
/* By content: the same study over the same files. */
void record_key(struct value *record, struct arena *a);
/* Whether they differ in files alone. */
bool record_asks_same(const struct value *was, const struct value *now);

/* ---- campaign_reads.c -------------------------------------------------- */

/* {"raw.csv": {"hash": …, "bytes": …, "changed": …}} of every file that the
 * study of a stage names, the files that those name (a model's data), and
 * `inputs`. before: the stage's record, or NULL; hashes of files that look as
 * they did then are believed. */
struct value *stage_files(const struct campaign *c, const struct plan_stage *s,
                          const struct value *study, const struct value *before,
                          struct arena *a);
/* Files that the study names and that were not there when it began: it has made
 * them itself, and does not depend on them. {"count.txt": true} */
struct value *stage_own_files(const struct campaign *c,
                              const struct plan_stage *s,
                              const struct value *record, struct arena *a);
/* The same of its outputs; one that is not there has no member. */
struct value *stage_outputs(const struct campaign *c,
                            const struct plan_stage *s,
                            const struct value *before, struct arena *a);
/* The first that is not there, or NULL. */
const char *stage_missing_output(const struct campaign *c,
                                 const struct plan_stage *s, struct arena *a);

/* ---- campaign_values.c ------------------------------------------------- */

/* Reads results of stages that are done, and writes down what it gave. */
struct stage_results {
    struct campaign *campaign;
    struct arena *arena;
    struct value *given; /* {"search.best.lr": 0.01} */
};
struct value *stage_best(void *context, size_t stage, struct str name,
                         struct err *err);
/* A hash of all results of a stage. */
struct value *stage_digest(const struct campaign *c, size_t stage,
                           struct arena *a, struct err *err);
/* The rows of a stage's templates: one of each, in every combination. */
struct value *stage_rows(struct stage_results *r, const struct plan_stage *s,
                         struct err *err);
/* Rows that stay keep their places, new ones stand behind them. *retired: the
 * numbers of those that have gone. */
struct value *stage_merge_rows(const struct value *record,
                               const struct value *rows, struct arena *a,
                               struct value **retired);

/* ---- campaign_assess.c ------------------------------------------------- */

/* What is to be done with a stage whose needs are done. */
struct verdict {
    bool skip;            /* `when` does not hold */
    bool run;             /* it is not done, or something changed … */
    bool anew;            /* … so that what is stored does not count */
    bool again;           /* what failed is tried again */
    struct value *record; /* as it shall be */
    struct buf why;       /* the caller's to init and free */
};
int stage_assess(struct campaign *c, struct stage *s, struct verdict *v,
                 struct err *err);
/* How many trials have not ended. */
int64_t stage_left(const struct counts *n);

/* ---- campaign_folder.c ------------------------------------------------- */

/* Makes the stage's folder ready: sets aside what does not count, removes
 * trials of templates that have gone, lets failed trials wait again, shares
 * what another campaign has. */
int stage_prepare(struct campaign *c, struct stage *s, const struct verdict *v,
                  struct err *err);
/* Its study is that of another campaign, by a link. */
bool stage_is_shared(const struct stage *s);
/* Who runs the stage's study now, in words; false: nobody. */
bool stage_is_held(struct campaign *c, struct stage *s, struct buf *who);
/* Forgets a shared study that its owner has begun anew, or lost. */
void stage_check_link(struct campaign *c, struct stage *s);

#endif
