/* conductor.h - the inside of a study, for the files of this folder */
#ifndef THRONG_STUDY_CONDUCTOR_H
#define THRONG_STUDY_CONDUCTOR_H

#include "search/search.h"
#include "study/added.h"
#include "study/bulk.h"
#include "study/external.h"
#include "study/hooks.h"
#include "study/run.h"
#include "study/study.h"

struct kept {
    int64_t ranked; /* trials with a value, when it was asked */
    int64_t trials; /* of which something was removed … */
    uint64_t bytes; /* … so much in all */
};

/* The table that was made of an inference. */
struct merged {
    const char *path;   /* NULL: none was; of rules a folder */
    const char *tables; /* of rules: their names, for people; NULL: one table */
    uint64_t rows, missing_rows, missing_shards;
    uint64_t lines;           /* that a program has written for its rows */
    const char *missing_path; /* of those */
    uint64_t bad_rows;        /* of which nothing is predicted … */
    const char *bad_path;     /* … the first of which this lists */
    const char *bad_first; /* what is wrong with one; NULL: it is not known */
};

/* A trial that an earlier run wanted to stop, and for what reason. */
struct doomed {
    int64_t trial;
    const char *why;
};

struct study {
    struct study_setup setup;
    const struct plan *plan;
    struct store *store;
    struct search *search;
    int64_t parallel; /* trials at once that it was made for; 0: as now */
    int64_t version;  /* of the search that it was made with; 0: as now */
    struct external *external; /* of method external; else NULL */
    struct err strategy_fault; /* why it cannot go on */
    struct point_source points;
    struct bulk *bulk;  /* of an inference; else NULL */
    struct added added; /* trials that are no suggestions */
    int64_t removed;    /* trials that a person has removed */
    VEC(struct doomed) doomed;
    struct engine *engine;
    struct run run;
    struct arena *arena;            /* lives as long as the study */
    struct loop_source *beat, *ear; /* lease and requests */
    bool created;                   /* this run made the store */
    const char *code_home;       /* the folder of `home` that tasks run from */
    struct engine_travel travel; /* what goes to machines that see none of it */
    struct map *heard;        /* files of requests that this run has applied */
    struct buf applied;       /* the fact "applied" … */
    bool applied_gone;        /* … and those that it names are gone */
    double time_used_s;       /* by earlier runs */
    struct trial_mean likely; /* under noise, expected best; trial 0: none */
    int64_t means_heard;      /* trials ended when it was found, … */
    int64_t means_next_ns;    /* … and not before this again */
    int64_t pack_next;        /* thousand that may be packed next, … */
    int64_t pack_next_ns;     /* … and not before this */
    struct kept kept;         /* what the keep rule did */
    struct merged merged;     /* of an inference */
    size_t
        gpus; /* of the machine; 0: also where trials were seen to use none */
    struct study_gpus *gpu_look;   /* NULL: they are not looked at */
    struct study_devices *devices; /* NULL: auto is what it is everywhere */
    struct hooks hooks;
    int64_t told_best; /* trial that on_best has heard of */
    int64_t new_best;  /* the best when it was looked at last … */
    int64_t new_ns;    /* … and since when it is that one */
};

/* merge.c: what the shards of an inference said becomes one table. Where they
 * lie: */
#define SHARD_PREDICTIONS "output/predictions.csv"
int study_merge(struct study *s, struct err *err);

/* travel.c: fills `travel`, once it is known what tasks run from. Frozen code
 * is looked at in the folder `frozen`; NULL: where it will lie. */
void study_travel(struct study *s, const char *frozen);

/* Trials in all, less what was removed; -1: no end. Never fewer than there
 * are: a smaller run_cap takes none away. */
int64_t study_total(const struct study *s, const struct counts *c);

/* ---- plan_search.c: the strategy of a plan ----------------------------- */
/* What the method is told of the study file, but for versions, early stopping
 * and the order; *points is filled. */
struct search_setup plan_search_setup(const struct plan *p,
                                      struct point_source *points,
                                      struct arena *a);
/* Which results a suggestion may know, and how many trials are out then. */
void plan_search_order(struct search_setup *setup, const struct plan *p);

/* ---- search.c: the strategy as a source of trials --------------------- */
int study_search_open(struct study *s, struct err *err);
/* Starts the strategy's own program, if it has one; before it is told. */
int study_search_start(struct study *s, struct err *err);
/* Stops trials whose time is up (early_terminate time), whether or not they
 * report anything. */
void study_search_look(struct study *s);
/* The store is open: the search goes on with what its study was made with. */
int study_search_settle(struct study *s, struct err *err);
/* Reads what the study was made with: s->parallel and s->version. */
int study_search_recall(struct study *s, struct err *err);
struct run_source study_source(struct study *s);
/* Adds several objectives and constraints, which the trial's summary holds,
 * to its result. */
void study_search_values(const struct study *s, struct str summary,
                         struct arena *a, struct result *r);
/* True when reports or results matter to the search. */
bool study_search_listens(const struct study *s);
/* What the search calls a trial: its suggestion, or a foreign number. */
int64_t study_search_id(const struct study *s, int64_t trial);
/* Where a trial stands at the level that it has reached, as a reason. */
const char *study_search_standing(struct study *s, int64_t trial);
/* By what the report of trial k of the search was judged that was repeated just
 * now, as a reason. */
const char *study_search_judged(struct study *s, int64_t k,
                                const struct heard *h);
/* A rule that looks at one trial alone had decided at its last report: then it
 * is to stop. */
void study_search_rule_again(struct study *s, struct live *l,
                             const struct series *series);
/* No more trials will come: those that wait at a rung are stopped there. */
int study_search_close(struct study *s, struct err *err);

/* ---- heard.c ---------------------------------------------------------- */
/* Repeats for the strategy what earlier runs asked and told it. */
int study_search_resume(struct study *s, struct err *err);
/* Tells it what a trial has reported that counts: of one that goes on, how far
 * it is; with median all reports, which are no rows of their own. */
int study_search_recount(struct study *s, int64_t trial, struct err *err);

/* ---- means.c ---------------------------------------------------------- */
/* Takes up what an earlier run wrote. */
int study_means_open(struct study *s, struct err *err);
/* Writes what a model of all results so far believes of the best trials. */
int study_means_write(struct study *s, struct err *err);
/* The same while trials run, when there are new results and the last time is
 * long enough ago. */
void study_means_look(struct study *s);

/* ---- mended.c --------------------------------------------------------- */
/* -1 where a study that has no store yet would find files of another one. */
int study_refuse_leftovers(struct arena *a, const char *folder,
                           struct err *err);
/* Takes in changes of the study file: trials are ranked, or tried, anew. */
int study_mend(struct study *s, const struct study_changes *c, struct err *err);
/* Reads what an ended trial printed with another pattern (NULL: with none). */
struct pattern;
int study_read_again(struct study *s, struct packs *packs,
                     const struct pattern *pattern, int64_t trial,
                     struct err *err);

/* ---- gpus.c ----------------------------------------------------------- */
/* Before the engine: trials that nobody has said anything of get a GPU, and
 * whether they use it is looked at. */
int study_gpus_open(struct study *s, struct err *err);
void study_gpus_close(struct study *s);

/* ---- devices.c --------------------------------------------------------- */
/* Before the engine is started, when the store is open and trials are known:
 * which device `auto` is. */
void study_devices_open(struct study *s);
void study_devices_close(struct study *s);
/* The same without a store, of jobs alone. */
void study_devices_foresee(struct study *s);
/* The program that has models on GPUs of jobs; NULL: none does. */
const char *study_worker_beside(const struct study *s);
/* The device of a trial with this model; lives as long as both. */
struct str study_device(const struct study *s, const struct live *l,
                        const struct value *model);
/* That of a task which asks models; the same. */
struct str study_asked_device(const struct study *s, const struct task *t);
/* What a member of a cohort needs there. */
void study_device_share(const struct study *s, struct needs *n);
/* Takes from a task what it needs no more, now that its device is known. */
void study_device_needs(const struct study *s, struct task *t);

/* ---- task.c ----------------------------------------------------------- */
/* What a trial of this point needs. */
int study_needs(const struct study *s, const struct value *point,
                struct needs *n, struct err *err);
int study_task(const struct study *s, const struct live *l, struct arena *a,
               struct task *t, struct err *err);
/* Tells the task where the trial's earlier attempts stand, or the trial that
 * it goes on from. It is for the worker to see whether there is a checkpoint.
 */
int study_task_go_on(const struct study *s, const struct live *l,
                     struct arena *a, struct task *t, struct err *err);
/* The same of what lies in packs, which the last commit may have brought. */
int study_task_send(const struct study *s, const struct live *l,
                    struct arena *a, struct task *t, struct err *err);
/* A final trial is committed: removes its metrics file. */
void study_task_settled(const struct study *s, int64_t trial);
/* How many tasks of one cpu run at once where the study runs. */
uint32_t study_cpus(const struct study *s);
/* Needs of any trial when they do not depend on parameters. */
int study_fixed_needs(const struct study *s, struct needs *n, bool *fixed,
                      struct err *err);

/* ---- facts.c: what is written when the store is made ------------------ */
int study_facts_write(struct study *s, struct err *err);
/* The commit and what was changed since, as they are now. */
int study_facts_git(struct study *s, struct err *err);
int study_facts_check(struct study *s, struct err *err);

/* ---- code.c ------------------------------------------------------------ */
/* The trials that are out are known. */
int study_code_open(struct study *s, struct err *err);
/* What it would come to, and study_travel for that, without a store of one's
 * own: `store` is the study's, or NULL where there is none yet. */
int study_code_foresee(struct study *s, struct store *store, struct err *err);

/* ---- forgotten.c ------------------------------------------------------- */
/* After an end that was none of throng's own: sets folders aside that trials
 * left of which the store knows nothing. */
int study_forgotten(struct study *s, struct err *err);

/* ---- where.c ----------------------------------------------------------- */
/* The trials that were out are known: ERR_BUSY when some are at another place
 * that outlives its conductor. Else the study is at this one from now on. */
int study_where(struct study *s, struct err *err);
/* The place of this run. */
const char *study_place_name(const struct study *s);
/* As the study's plan and setup have it. */
struct engine_setup study_engine_setup(struct study *s);

/* ---- resume.c --------------------------------------------------------- */
/* 0 as long as the store is where it was and makes sense; else saves what can
 * be saved, and says what became of it and what to do. rescue.c */
int study_stands(struct study *s, struct err *err);
int study_resume(struct study *s, struct err *err);
/* As run_source has it. */
bool study_lives_on(void *context, struct live *l);

/* ---- request.c -------------------------------------------------------- */
/* A run begins: what was asked of an earlier conductor that died before it
 * heard (stop, kill) does not concern this one. */
void study_requests_begin(struct study *s);
/* Does what is asked; also before anything starts, so that a trial which
 * shall end does not run once more. */
void study_requests(struct study *s);
/* The run is over: what came too late to stop anything goes, what was asked
 * of trials is still done. */
void study_requests_end(struct study *s);
/* That is committed: who waits for an answer gets it. */
void study_requests_answer(struct study *s);

/* ---- event.c: on_best and on_finish ------------------------------------ */
void study_events_open(struct study *s);
void study_events_look(struct study *s);
/* The run is over and committed; `end` says how. */
void study_events_end(struct study *s, const char *end);

/* ---- packing.c -------------------------------------------------------- */
/* Packs small files of a thousand trials that have ended, when it is time. */
void study_pack_look(struct study *s);
/* True when it has so many trials that small files of theirs are packed. */
bool study_is_large(const struct study *s);
/* The same of all trials that have ended, when the run is over. */
void study_pack(struct study *s);
/* Puts the packed files of a trial, which goes on, back into its folder. */
int study_unpack(struct packs *packs, const char *folder, int64_t trial,
                 struct err *err);

/* ---- keep.c ----------------------------------------------------------- */
/* Removes what the keep rule does not keep, and records what it does. */
int study_keep(struct study *s, struct err *err);

#endif
