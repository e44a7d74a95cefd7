/* study.h - the conductor: where strategy, engine and store meet
 *
 * A study is opened from a plan, run on an event loop until it is complete
 * or told to end, and closed. Kill the program at any instant and open it
 * again: no trial is lost, none is counted twice. */
#ifndef THRONG_STUDY_STUDY_H
#define THRONG_STUDY_STUDY_H

#include <stdint.h>
#include "base/csv.h"
#include "base/err.h"
#include "base/log.h"
#include "plan/plan.h"
#include "store/store.h"
#include "study/campaigns.h"
#include "sys/sys.h"
#include "terms/job.h"
#include "terms/record.h"
#include "terms/task.h"

struct study;

struct study_setup {
    const struct plan *plan;
    const char *folder; /* absolute: <where the file is>/.throng/<name> */
    const char *home;   /* absolute: the study file's own folder */
    const char *worker; /* path of throng-worker */
    const char *python; /* where `import throng` is found; NULL: nowhere */
    const char *words;  /* file for what it says; NULL: as this process */
    const char *place;  /* NULL: as the plan says, else local */
    struct loop *loop;
    const struct machine *machine;
    const struct log *log;
    const mode_t *mask; /* umask of the person's programs; NULL: ours */
    bool take_over;
    bool keep_going;  /* do not end early when the first trials all fail */
    int64_t count;    /* new trials in this run at most; 0: no limit */
    uint32_t at_once; /* of the plan's `parallel`, until another number is
                         heard; 0: all */
    double subset;    /* THRONG_SUBSET; 0: none */
    struct str fixed; /* parameters made constants, as a JSON object, to be
                         remembered; empty: none */
};

enum study_end {
    STUDY_RUNNING,
    STUDY_COMPLETE,    /* nothing is left to do */
    STUDY_TARGET,      /* the objective's target was reached */
    STUDY_COUNT,       /* `count` new trials were made */
    STUDY_DRAINED,     /* asked to end; running trials finished */
    STUDY_INTERRUPTED, /* asked to end at once */
    STUDY_TIME,        /* the study's time limit */
    STUDY_FAILURES,    /* more than max_failures */
    STUDY_ALL_FAILED,  /* the first trials all failed */
    STUDY_NO_METRIC,   /* the first trials ended without the metric */
    STUDY_UNFIT,       /* too many in a row that can never run here */
    STUDY_BROKEN,      /* the place or the store cannot go on */
    STUDY_STRATEGY,    /* the strategy cannot go on; running trials finished */
};

/* Makes or opens the store, takes the lease, takes over what an earlier run
 * left, and starts the place. ERR_INPUT with a diff when the study file no
 * longer asks the same question as the stored study; ERR_BUSY when somebody
 * else runs it. */
struct study *study_open(const struct study_setup *setup, struct err *err);
/* Tasks could not find a folder whose name is not UTF-8 text: ERR_INPUT. */
int study_check_path(const char *path, struct err *err);
/* How many trials it may have at once from now on, as a stage of a campaign; 0
 * changes nothing. */
void study_share(struct study *s, uint32_t share);
/* Runs until the end. -1 when something broke (err says what); results until
 * then are in the store. */
int study_run(struct study *s, enum study_end *end, struct err *err);
/* No new trials; running ones finish (how they were asked to end). */
void study_drain(struct study *s);
/* Running trials are ended; they go on in the next run. */
void study_interrupt(struct study *s);
/* Running trials go on at a place that outlives its conductor, and the next run
 * collects them; elsewhere as study_interrupt. */
void study_part(struct study *s);
/* They are ended within seconds, whatever their time of grace. */
void study_hurry(struct study *s);
/* The same at once. */
void study_abandon(struct study *s);
void study_close(struct study *s);
/* True when what runs at its place goes on without a conductor. */
bool study_outlives(const struct study *s);
/* How many trials are out, running or waiting at its place. */
uint32_t study_out(const struct study *s);
/* The text that the next run would submit first, where trials are jobs of a
 * scheduler, and how many trials would be handed out then. Writes nothing. Of
 * the setup: plan, folder, home, worker, loop, machine, log, mask. */
struct study_submit {
    struct buf text; /* the caller's to init and free */
    int64_t trials;
    bool first_only; /* needs differ between trials: those of the first */
    bool unnamed;    /* the study has not run yet: eight zeros stand in names
                        for what the first run chooses */
};
int study_submit(const struct study_setup *setup, struct study_submit *out,
                 struct err *err);
/* ---- a conductor that is a job (`conductor: job`) ------------------------
 *
 * One that runs has another one behind it in the queue, that begins when it has
 * ended, however it did. Which they are stands in a file of the study. */

/* True when the plan wants it. */
bool conductor_is_job(const struct plan *p);
/* The numbers of the one that runs or is to begin, and of the one behind it; 0:
 * there is none. */
struct conductor_jobs {
    uint64_t now, next;
};
void conductor_jobs_read(const char *folder, struct conductor_jobs *j);

/* ---- its jobs at a scheduler ------------------------------------------- */

/* One, as the place that follows it heard last. Texts are in the
 * arena. */
struct study_job {
    const char *folder;   /* with its files */
    struct job_head head; /* of the array that it is of */
    struct job_line line;
};
/* Those that are in a file, oldest first; none where the study never ran on a
 * cluster. */
struct study_job *study_jobs(const char *folder, struct arena *a,
                             size_t *count);
/* How many have not ended, as far as was heard. */
uint64_t study_jobs_out(const char *folder, struct arena *a);
/* Holds a study, and all of a campaign's, so that nobody can run or begin to
 * run it until it is let go: to be removed. ERR_BUSY with the way out where
 * somebody does. A damaged one cannot be run, and is not held. */
struct study_hold {
    VEC(struct store *) stores; /* the first is its own */
};
int study_hold(struct study_hold *h, const char *folder, const char *name,
               struct arena *a, struct err *err);
void study_let_go(struct study_hold *h);
/* The lease alone, to remove trials. */
int study_take(struct store *store, const char *name, struct err *err);
/* ERR_BUSY with the way out when there are any: jobs go on without a conductor,
 * and with the folder gone, or another study in its place, nobody would know
 * them. */
int study_none_out(const char *folder, const char *name, struct arena *a,
                   struct err *err);
/* Submits the first; ERR_BUSY where there is one. command: of a shell. Of the
 * setup: plan, folder, home, worker, loop, log. */
int conductor_job_submit(const struct study_setup *setup, const char *command,
                         uint64_t *job, struct err *err);
/* For the one that runs now: submits the one behind it. */
int conductor_job_follow(struct study *s, const char *command, struct err *err);
/* … and takes it back: the study is over, or shall be. */
void conductor_job_end(struct study *s);
/* What the scheduler says of the conductor that waits; *lives: it does. */
int conductor_job_tell(const struct study_setup *setup, struct buf *words,
                       bool *lives, struct err *err);
/* Cancels all of them; how many there were. */
int conductor_job_cancel(const struct study_setup *setup, struct err *err);

/* True when tasks of the place of this name go on without a conductor. */
bool study_place_outlives(const char *place);
/* … and when what they report there is heard while they run. */
bool study_place_is_live(const char *place);
/* The place where the study ran last; in the arena. */
const char *study_place(struct store *store, struct arena *a);
/* … and the profile that was named there; empty: none. */
struct str study_profile(struct store *store, struct arena *a);
/* In how many of the last ends of throng that nobody had asked for the trial
 * with these attempts was running, without having got on in between. */
size_t study_cut_off(const struct attempt *list, size_t count);
/* Beside how many, itself included, the trial with these attempts may run,
 * since it was lost together with others and may be the cause; 0: beside any
 * number. jobs_apart: its place runs it in a job that others do not share. */
uint32_t study_kept_apart(const struct attempt *list, size_t count,
                          bool jobs_apart);

/* Seconds that a trial waits after so many failures: delay_s, twice that after
 * each further one, five minutes at most. */
double study_back_off(double delay_s, uint32_t failures);

/* How fast trials end: the same for who runs a study and who watches it. */
struct study_pace {
    double median_s;   /* how long a trial takes */
    double slots;      /* how many run at once */
    double rate;       /* trials a second; 0: unknown */
    double patience_s; /* where none has ended for longer, it is unknown */
};
/* As the conductor wrote it last. */
int study_pace_read(struct store *store, struct arena *a, struct study_pace *p,
                    struct err *err);
/* How long so many trials take; -1: unknown. */
double study_pace_left(const struct study_pace *p, int64_t remaining);

struct study_progress {
    struct counts counts;
    int64_t total;    /* trials in all; -1: no end */
    double rate;      /* trials ended per second, lately */
    double left_s;    /* time left; -1: unknown */
    double elapsed_s; /* of this run */
    int64_t best;     /* trial of the best value; 0: none yet */
    double best_value;
    struct trial_mean likely; /* under noise, the one of which the best is
                                 expected; trial 0: none */
    int64_t ended_here;       /* trials that ended in this run */
    int64_t valueless; /* that ended well and do not rank, by a metric that is
                          NaN or was not reported; only when it is over */
    bool draining;
};
void study_progress(const struct study *s, struct study_progress *p);
/* Where trials of this run ended well, but none of the study has ever reported
 * its metric: that, and what to do, as a sentence; empty: it came. */
void study_unreported_print(const struct study *s, struct buf *b);
/* The last lines of a failed attempt of this run, for people; may be "". */
const char *study_failure_tail(const struct study *s);

/* Applies a request to a store whose lease the caller holds, with no
 * conductor running. *changed counts trials. The requests, and their args:
 *
 *   stop, kill      -
 *   retry           -; bad trials wait again, others are left alone
 *   rerun           {"times":N}; each trial's point as N new trials
 *   add             {"points":[…],"outside":false,"times":N}; N trials of
 *                   each point; no selector
 *   tag             {"tag":"x","remove":false}
 *   note            {"text":"…"}, empty: none */
int study_apply(struct store *store, const char *verb, const char *selector,
                const struct value *args, int64_t *changed, struct err *err);

/* Removes the trials that a selector names, with their folders, from a study
 * that nobody runs; the caller holds the lease. Their numbers and their
 * suggestions are not used again. */
int study_remove(struct store *store, const char *selector, int64_t *removed,
                 struct err *err);
/* Applies and answers the requests that nobody has heard, in the same
 * situation. One that is refused is no failure. */
int study_apply_waiting(struct store *store, struct err *err);

/* Asks the strategy of a plan again for everything that a stored study asked,
 * telling it in between what it was told then, and compares the answers. */
struct study_replay {
    int64_t asked;       /* new trials, and paused ones that went on */
    int64_t same;        /* … as it was stored */
    int64_t first_other; /* the first trial that was not; 0: all were */
};
int study_replay(const struct plan *plan, struct store *store,
                 struct study_replay *out, struct err *err);

/* ---- points that people write ---------------------------------------- */

/* "one of 1, 2", "uniform 0 to 1": what a parameter takes. */
void study_param_print(struct buf *b, const struct param *p);
/* A value as the parameter would have it; NULL and err (with what it takes)
 * when it is of another kind or, unless outside, not among its values. */
struct value *study_param_value(const struct param *p, const struct value *v,
                                bool outside, struct arena *a, struct err *err);
/* The point that `given` (names, flat or nested, with values) means; what is
 * not given comes from `like` (or NULL) and from constants. */
struct value *study_point(const struct space *s, const struct value *given,
                          const struct value *like, bool outside,
                          struct arena *a, struct err *err);
/* The same where the study has no space but listed points: `model` is one of
 * them. */
struct value *study_point_as(const struct value *model,
                             const struct value *given,
                             const struct value *like, struct arena *a,
                             struct err *err);

/* What a point of a stored study looks like; lives in the arena. */
struct study_points;
struct study_points *study_points_open(struct store *store, struct arena *a,
                                       struct err *err);
/* As study_point, or study_point_as where the points were listed. */
struct value *study_points_check(const struct study_points *p,
                                 const struct value *given,
                                 const struct value *like, bool outside,
                                 struct arena *a, struct err *err);
/* Why a text can be no tag, as in "the tag … is empty"; NULL: it can. A tag is
 * what `tag:x` in a selector can name. */
const char *study_tag_fault(struct str tag);
#define STUDY_NOTE_MAX 10000    /* bytes of a note */
#define STUDY_TIMES_MAX 1000000 /* trials of one point at once */

/* What the keep rule removed at the end of this run, as a sentence, with how
 * it could be kept; empty: nothing was. */
void study_kept_print(const struct study *s, struct buf *b);
/* What became of an inference: where its table is, and what it lacks. */
void study_merged_print(const struct study *s, struct buf *b);
/* Rows are missing there: their shards did not end well, or, of shards that are
 * done, nothing is predicted of them, as they cannot be read or models say what
 * is no number. */
bool study_table_lacks(const struct study *s);

/* The trial of an open study that a model of its results expects the best of
 * (store_means); false when the method looks at no results, or repeats of
 * a point prove no noise. */
bool study_likely(const struct study *s, struct trial_mean *best);

/* ---- results from elsewhere ------------------------------------------- */

/* What the plan's warm_start names, another study or a CSV file (seen from
 * `home`), as far as it lies in the space: a LIST that can be kept as JSON.
 * What is left out, and why, is said to the log. */
struct value *study_warm_read(const struct plan *p, const char *home,
                              const struct log *log, struct arena *a,
                              struct err *err);
/* Tells a strategy of it, before it is asked. */
struct search;
void study_warm_tell(const struct value *known, struct search *search);

/* The results of a stored study, for what they say about its parameters
 * (search/search.h); *space is filled and lives in the arena. metric: one
 * that is not the study's own; empty: its own. */
struct importance;
struct importance *study_importance(struct store *store, struct str metric,
                                    bool minimize, struct space *space,
                                    struct arena *a, struct err *err);

/* Which version of the search (search/search.h) the study was made with. */
int study_search_version(struct store *store, int64_t *version,
                         struct err *err);
/* The number of the next trial, and of the suggestion that it will be. */
int study_next(struct store *store, int64_t *trial, int64_t *suggestion,
               struct err *err);
/* The argument vector of a point as it runs. With `workdir: trial` a program
 * named by a relative path (the first word, or `program:`) that is in `home`,
 * the study file's folder, has its whole path. */
int study_command(const struct plan *p, const char *home,
                  const struct value *point, struct arena *a,
                  const struct arg **argv, size_t *argc, struct err *err);
/* Makes the cpus that a trial needs what they are on a machine of so many,
 * where the person has not said them. */
void study_share_cpus(const struct plan *p, double cpus, struct needs *n);
/* How a study file differs from the stored study of its name. */
struct study_changes {
    struct buf lines; /* "command: was …, now …" each; empty: nothing does */
    bool task, metric; /* what is run, or ranked by, is among it */
    bool pattern;      /* and what finds that in output */
    bool mends;        /* `run` takes it in; else it refuses … */
    bool anew;         /* … but for this: the file's study begins anew */
};
/* c->lines is the caller's to init and free. */
int study_changes(const struct plan *p, struct store *store,
                  struct study_changes *c, struct err *err);
/* -1, with what `run` says, unless these changes mend. */
int study_changes_refuse(const struct plan *p, const struct study_changes *c,
                         struct err *err);
/* Where no trial of the stored study has ended well, and the file asks another
 * question, gives that one another name, in the arena, so that study_open makes
 * a new one; *name is NULL where nothing was to do. */
int study_set_aside(const struct study_setup *setup, struct arena *a,
                    const char **name, struct err *err);
/* -1, with what study_open would say, where it would refuse this plan in this
 * folder on this machine (nothing else of the setup is looked at). c is filled
 * as by study_changes where a study is stored there. */
int study_foresee(const struct study_setup *setup, struct study_changes *c,
                  struct arena *a, struct err *err);
/* True when a trial of a program is given a GPU, of so many, although nobody
 * has said so. */
bool study_shares_gpus(const struct plan *p, size_t gpus);
/* Makes the gpus that a trial needs what they are then. */
void study_share_gpus(const struct plan *p, size_t gpus, struct needs *n);
/* Makes a trial whose model is on a GPU of a job need its part of one. */
void study_share_device(const struct plan *p, int64_t total, struct arena *a,
                        struct needs *n);
/* The same on this machine, where a GPU is named, or `auto` may take one. */
void study_share_gpu_here(const struct plan *p, const struct room *r,
                          int64_t total, struct needs *n);
/* What models are on; nothing where that is the cpu anyway. */
void study_device_words(struct buf *b, const struct plan *p, size_t gpus,
                        int64_t total, struct arena *a);
/* How many of a machine's GPUs count for a stored study: all, or none where
 * its program was seen to use none. */
int study_gpus_count(struct store *store, size_t machine, size_t *gpus,
                     struct err *err);
/* THRONG_SEED of the trial that comes from a suggestion; from 1. */
uint64_t study_suggestion_seed(const struct plan *plan, int64_t suggestion);
/* THRONG_SEED of a stored trial. */
int study_trial_seed(struct store *store, const struct plan *plan,
                     int64_t trial, uint64_t *seed, struct err *err);

/* The objective's goal and name of a stored study, for those who rank. */
struct study_goal {
    struct str name; /* empty: no objective */
    bool minimize;
    struct goal all; /* every objective, and bounds */
};
int study_goal_read(struct store *store, struct arena *a,
                    struct study_goal *goal, struct err *err);

/* ---- what an epoch of built-in training computes ------------------------ */

struct flop_counter;
/* The plan has a model; home: where the study file is. */
struct flop_counter *flops_open(const struct plan *p, const char *home);
void flops_close(struct flop_counter *f);
/* Floating-point operations; NaN: the model or its data cannot be read. */
double flops_of_epoch(struct flop_counter *f, const struct value *point);
struct nn_model;
struct data_view;
/* The model of a trial, and its rows, which live until the next call; NULL: one
 * of them cannot be read. Yours to free. */
struct nn_model *flops_model(struct flop_counter *f, const struct value *point,
                             struct data_view *view);
/* Of its cohort; false: the model or its data cannot be read. */
bool study_cohort_key(const struct plan *p, const char *home,
                      const struct value *point, uint64_t *key);
/* To predict one row, which has so many columns. */
double flops_of_row(struct flop_counter *f, const struct value *point,
                    double *columns);
/* The same of a row of a product of tables, see nn_model_flops_split. */
double flops_of_product_row(struct flop_counter *f, const struct value *point,
                            size_t tables, double *added);

/* ---- what a trial cost, as a metric ------------------------------------- */

/* True for seconds, cpu_seconds and memory: every trial has them when it has
 * ended, without a report. */
bool cost_is_one(struct str name);

/* ---- where throng-worker is -------------------------------------------- */

/* $THRONG_WORKER, beside throng, in ../libexec/throng, or on PATH; in the
 * arena. NULL: err says where it was looked for. */
char *worker_path(struct arena *a, struct err *err);
/* What throng-worker-cuda says of the first GPU of the machine that it can use,
 * as nn_device_describe has it, in b; it is given so many seconds. -1: it has
 * said nothing. */
int device_described(const char *cuda_worker, const struct machine *m,
                     double seconds, struct buf *b);
/* Where `import throng` is found: in the sources beside which throng was
 * built, or where it was installed. NULL: neither is there. */
char *python_folder(struct arena *a);

/* ---- reading a study file ---------------------------------------------- */

/* Reads the files that a study in this folder names; refuses what is not done
 * yet. */
struct plan_reader study_reader(struct arena *a, const char *home);

/* ---- the plan of a study that was run before --------------------------- */

/* From the study file where it still asks the same question, else from the
 * text that was stored, whose secrets are gone. Says nothing. */
struct plan *study_stored_plan(struct store *store, const char *home,
                               const char *name, struct arena *a,
                               struct err *err);

/* ---- the strategy of a plan, for those who only look ------------------- */

struct point_source;
/* Lives no longer than the plan and *points, which is filled. For external,
 * whose program is not started: random points of the same space. version: see
 * SEARCH_VERSION; 0 of a new study. */
struct search *plan_search(const struct plan *p, int64_t version,
                           struct point_source *points, struct arena *a,
                           struct err *err);
/* The same; external is an error. */
struct search *plan_search_strictly(const struct plan *p,
                                    struct point_source *points,
                                    struct arena *a, struct err *err);

/* ---- an optimizer that answers requests, one at a time ----------------- */

struct suggester;

/* Answers for a plan, which must live as long; NULL when its method cannot
 * take its space. */
struct suggester *suggester_new(const struct plan *p, struct err *err);
/* Tells it of results from elsewhere (study_warm_read). */
void suggester_warm(struct suggester *s, const struct value *known);
void suggester_free(struct suggester *s);
/* Appends the answer to one line, with a line feed. A blank line gets none.
 * Never fails: what is wrong with a line is the answer. */
void suggester_answer(struct suggester *s, struct str line, struct buf *out);

/* ---- what tasks of a study took ---------------------------------------- */

struct measure {
    int64_t tasks;         /* that were measured; 0: none */
    double seconds;        /* mean of one */
    double seconds_max;    /* of the longest */
    double cpus;           /* used on average while they ran */
    uint64_t rss_bytes;    /* of the largest */
    uint64_t output_bytes; /* kept, of the largest */
    uint64_t disk_bytes;   /* of its whole folder, checkpoint and all */
    uint64_t gpu_bytes;    /* of one GPU, at most; 0: nobody looked, … */
    bool gpu_unknown;      /* … or could tell */
    double subset;         /* fraction of the data that they used; 0: all */
};

/* Looks at the memory of the GPUs from the loop, while trials are tried. The
 * machine lives longer. Closing it tells *m (NULL: nobody). */
struct gpu_peak;
struct gpu_peak *gpu_peak_open(struct loop *loop, const struct machine *m);
void gpu_peak_close(struct gpu_peak *p, struct measure *m);

/* What finished trials of a store took. */
int measure_store(struct store *store, struct measure *m, struct err *err);

/* The folder that stands for `home` where tasks run: that of frozen code, where
 * the study has any. */
const char *study_code_home(struct store *store, const char *home,
                            struct arena *a);

/* ---- whether what a study starts is there ------------------------------ */

/* All that can be known before anything runs: of a study that is to run, or of
 * one that is only looked at, with notices and with what is not there. Both fit
 * plan_reader.check. */
void check_to_run(struct plan *p, struct problems *problems);
void check_to_look(struct plan *p, struct problems *problems);
/* Reads what a parameter file of CANDLE names. Lives in the arena. */
struct file_reader candle_files(struct arena *a, const char *model_file);
/* A problem for each file of data that a model made from `params` needs but
 * that is not in the folder: CANDLE's are fetched by its own programs. */
void candle_files_missing(const struct value *model, const struct value *params,
                          struct str file, const char *folder,
                          struct problems *problems);
/* Appends how programs of another project are started, and what they lack
 * here; nothing of a study of one's own. */
void study_protocol_print(struct buf *b, const struct plan *p);

/* ---- names with values, as people write them in a line ----------------- */

/* "lr=0.1,opt=sgd" into an object of flat names; values as study files have
 * them, lists and objects in JSON; a text that begins with { is JSON as a
 * whole. */
struct value *parse_assignments(const char *text, struct arena *a,
                                struct err *err);
/* Makes each parameter of `fixed` (an object of flat names) a constant of
 * the plan's space, typed as the parameter is. */
int fix_parameters(struct plan *p, const struct value *fixed, struct arena *a,
                   struct err *err);

/* ---- one task for one worker, here and now ----------------------------- */

struct engine;
struct one_task {
    const char *scratch; /* a folder for it, there already */
    /* Called with every payload of metrics. */
    void (*metrics)(void *context, struct str payload);
    /* What the worker has to say. */
    void (*notice)(void *context, struct str text);
    void *context;

    /* How it ended. */
    enum outcome outcome;
    struct str reason, faults; /* of record_ended; live in the arena */

    /* Its own. */
    struct arena *arena;
    struct err *err;
    struct loop *loop;
    struct engine *engine;
    unsigned asked; /* times that somebody wanted it to end */
};

/* Where the GPU did not say in time how fast it is, which is remembered for a
 * while, it is asked again: 1: it says it now; -1: it does not; 0: nobody
 * remembers anything of the kind. */
int device_ask_again(const struct machine *m, double wait_s, struct err *err);
struct device_choice;
/* The device that is through with it sooner, be it trained or asked, where
 * nobody has named one; the cpu where no GPU can be used. False: there is none,
 * or nobody knows: it is the cpu. */
bool one_device(const struct task *task, const char *scratch, struct arena *a,
                struct device_choice *choice);
/* Runs the task, whose id is 1, to its end. -1: it could not be run at all. */
int one_task_run(struct one_task *t, const struct task *task, struct arena *a,
                 struct err *err);

/* Reads a model file and replaces ${NAME} by the NAME=VALUE of `words`
 * (NULL-terminated). shown: it is looked at, and needs no data where the words
 * say the shape of a row. */
struct value *model_file_read(const char *file, const char *const *words,
                              bool shown, struct arena *a,
                              struct problems *problems, struct err *err);

/* The task that trains the model of a file; texts live in the arena. */
struct task training_task(const struct value *model, const char *file,
                          const char *scratch, uint64_t seed, struct arena *a);
/* Takes its weights, and those of its snapshots beside them, out of the scratch
 * folder. */
int training_keep(const struct value *model, const char *scratch,
                  const char *to, struct arena *a, struct err *err);

/* Weights that another program trained, and what is not in them. */
struct foreign_weights {
    const char *model;   /* a model file, or Keras's JSON; absolute */
    const char *weights; /* absolute; NULL: the model is an archive of Keras 3,
                            which has both */
    const char *data;    /* rows that are asked for; NULL: the model's own */
    bool labels;         /* those have a file of their own */
    bool product;        /* they are all combinations of those of tables */
    const char *label, *loss; /* the label's column, what is judged; or NULL */
    bool draws;               /* dropout is to stay when it predicts */
};
/* Whether they are some: weights may be NULL. */
bool foreign_weights_are(const char *model, const char *weights);
/* Writes a weights file of ours that says the same. What a person should know
 * of it is put into *notice (NULL: nothing), which lives in the arena. */
int foreign_weights_take(const struct foreign_weights *from, const char *to,
                         const char **notice, struct arena *a, struct err *err);
/* Says `name` wherever err says `file`, a file of ours. */
void err_call(struct err *err, const char *file, const char *name);

enum weights_form { WEIGHTS_TORCH, WEIGHTS_ONNX };
/* Writes weights for another program. What a person should know of it is put
 * into *notice (NULL: nothing), which lives in the arena. */
int weights_export(const char *weights, enum weights_form form, const char *to,
                   const char **notice, struct arena *a, struct err *err);

/* What is asked of data: one file of weights, or the members of an ensemble. */
struct model_file {
    const char *name; /* as a person knows it */
    const char *file; /* where a worker can read it */
    double weight;    /* all of them add up to 1 */
    uint64_t setting; /* see ensemble.h */
};
struct models {
    const char *path; /* absolute */
    struct model_file *list;
    size_t count;
    const char *combine;       /* see ensemble.h */
    const struct value *stack; /* the same; NULL: none */
    bool is_ensemble;
};
/* What lies in a pack or an ensemble is written into scratch. An error where a
 * member is missing, or has other bytes; a file of weights is not looked at. */
int models_open(struct models *m, const char *path, const char *scratch,
                struct arena *a, struct err *err);
/* An error where one predicts something else, or they vote for numbers. */
int models_agree(const struct models *m, struct arena *a, struct err *err);
/* As output_spares, of models, each of their files, and their data. */
int output_spares_models(const char *output, const struct models *m,
                         struct arena *a, struct err *err);

/* What `calibrate` has found, as a file for `predict`. */
struct calibration {
    const struct value *outputs; /* see ensemble.h's opinions_calibrate */
    double alpha;
    size_t rows;
    int64_t samples; /* of each model; 0: one, as it is */
};
int calibration_write(const struct calibration *c, const struct models *m,
                      const char *path, struct arena *a, struct err *err);
/* Its outputs; an error where it was found for other models, or by other
 * samples. */
const struct value *calibration_read(const char *path, const struct models *m,
                                     int64_t samples, struct arena *a,
                                     struct err *err);

/* The weights of a trial, and where a file that names them finds them. */
struct trial_weights {
    int64_t trial;
    const char *path;
    struct buf bytes; /* yours to be done with */
};
/* Those of every trial that a selector names, in its order, in the arena. One
 * that has none is an error, or left out where it ended badly, of `all`. */
int trial_weights_read(struct store *store, const char *selector,
                       struct trial_weights **list, size_t *count,
                       struct arena *a, struct err *err);

/* An ensemble that is made of trials of a study. */
struct ensemble_making {
    const char *study;         /* its name */
    const char *selector;      /* of trials */
    const char *combine;       /* see ensemble.h; NULL: mean */
    const struct value *stack; /* the same, of all members; NULL: none */
    const char *chosen;        /* how, for people */
    struct str rows;           /* by which, see ensemble.h; empty: none */
    const char *output;        /* where it is written; NULL: among ours */
    bool inside;               /* the file carries its members */
    struct trial_weights *members;
    size_t count;
    double *weights;                 /* of members; 0: it is left out */
    const struct settings *settings; /* that they are folds of */
    bool of_settings;                /* by which they were weighed */
};
/* What members were chosen or weighed by. */
struct ensemble_rows {
    size_t rows;
    size_t left_out; /* others, that not every setting has held out */
    size_t settings; /* that were looked at instead of members; 0: members */
};
struct settings; /* of ensemble.h */
/* Which trials are folds of one setting. In the arena. */
int settings_find(struct store *store, const struct trial_weights *members,
                  size_t count, struct settings *to, struct arena *a,
                  struct err *err);
/* Reads the weights of the trials; all weigh the same. */
int ensemble_gather(struct ensemble_making *m, struct store *store,
                    struct arena *a, struct err *err);
/* An error where members do not predict the same, or cannot be read. */
int ensemble_agree(const struct ensemble_making *m, struct arena *a,
                   struct err *err);
/* Weighs them by greedy selection of at most `most`, on what they say of rows
 * (inference.passes), with this loss. Where each may speak of other rows their
 * settings are chosen from; an error where those have no row in common. */
int ensemble_choose(struct ensemble_making *m, const char *passes, size_t most,
                    double *loss, struct ensemble_rows *rows, struct arena *a,
                    struct err *err);
/* Weighs them by a weighted mean, or by stacking, on the same. */
int ensemble_fit(struct ensemble_making *m, const char *passes, bool stacking,
                 struct ensemble_rows *rows, struct arena *a, struct err *err);
/* Writes the file; members outside are named from its folder where they lie
 * below it. */
int ensemble_write(const struct ensemble_making *m, const char *path,
                   struct arena *a, struct err *err);
void ensemble_making_done(struct ensemble_making *m);

struct nn_model;
struct data_view;
/* The model of a weights file, whose data need not be there. In *view (may be
 * NULL) is what was fitted (table NULL: nothing is known), *more: see
 * data_fitted_view. Yours to free. */
struct nn_model *weights_model(const char *weights, struct data_view *view,
                               bool *more, struct arena *a, struct err *err);
/* The name of the last hidden layer of weights: what the layer that the first
 * output comes from reads. NULL and err where there is none. */
const char *last_hidden_layer(const char *weights, struct arena *a,
                              struct err *err);
/* Makes a layer the only thing that a model file predicts. */
int look_at_layer(struct value *model, const char *weights, const char *layer,
                  struct arena *a, struct err *err);
/* An error where they are several: what units have learnt is each one's own. */
int layer_is_of_one(const struct models *m, struct err *err);
/* weights_model of such a one. */
struct nn_model *layer_model(const char *weights, const char *layer,
                             struct data_view *view, struct arena *a,
                             struct err *err);

/* What an inference of a campaign will be, as far as it is known. */
struct bulk_outlook {
    uint64_t rows;
    const char *rows_told;   /* why they cannot be counted yet; or NULL */
    const char *misfits;     /* files that are not of the models' columns, and
                                why; or NULL */
    uint64_t models;         /* 0: nobody knows */
    const char *models_told; /* who of them; then they are no more than that;
                                NULL: so many */
    const char *maker; /* the stage that has the models; NULL: they are there */
    int64_t samples;
    bool of_command; /* a program is the model */
    double core_s;   /* of one core, expected; 0: nobody knows */
};
/* False: the stage is none. */
bool bulk_foresee(const struct plan_campaign *c, const struct plan_stage *s,
                  const char *home, struct bulk_outlook *to, struct arena *a);
/* Whether what the stage keeps goes by columns that its models will predict, as
 * the first trial of their study is; 0 also where that cannot be known. *fault
 * is where the error stands. */
int bulk_foresee_keep(const struct plan_campaign *c, const struct plan_stage *s,
                      const char *home, const struct value **fault,
                      struct arena *a, struct err *err);

/* Models on data. */
struct inference {
    const char *models; /* absolute; weights may lie in a pack */
    const char *called; /* as a person knows those weights; NULL: by that */
    const char *layer; /* whose numbers are the predictions; NULL: the heads' */
    const double *permanent_dropout; /* its rate; NULL: as the model says */
    const char *data, *labels;  /* rows of another day; NULL: the model's own */
    const char *const *product; /* tables, ended by NULL: all combinations of
                                   their rows; NULL: none */
    const char *keep; /* of such, as ensemble.h has it: what is kept */
    const char *rows; /* of the model's own: training, validation or test; NULL:
                         as the task says */
    bool predict;     /* a line for each row, too */
    int64_t samples;  /* of each model, with its dropout; 0: one, as it
                         is */
    bool passes;      /* output/passes: what each says (ensemble.h), of
                         rows that none was trained on */
    const char *calibration; /* a file that `calibrate` wrote; NULL: none */
    const char *novelty;     /* a file that `novelty` wrote; NULL: none */
    bool out_of_fold;        /* of these: that one was not trained on */
    const char *device;      /* that answers; NULL: the default */
    const char *scratch;     /* a folder, there already */
    const char *combine;     /* see ensemble.h; NULL: as the models say */
    bool keeps_models;       /* copies of them lie in scratch, for later */
};
/* Has all dropout of a model stay when it predicts. An error, by the name of
 * its weights, where there is none. */
int permanent_dropout(struct value *model, double rate, const char *name,
                      struct arena *a, struct err *err);
/* Its task; texts live in the arena. */
int inference_task(const struct inference *wanted, struct arena *a,
                   struct task *task, struct err *err);

/* ---- the rows of a layer ------------------------------------------------- */

/* A row of which nothing is predicted. */
struct layer_gap {
    uint64_t row;  /* its number in its file */
    size_t before; /* which of the others comes behind it */
};
/* Those that an inference with `layer` has written, each number finite. */
struct layer_table {
    size_t rows, columns;
    double *numbers; /* row by row */
    uint64_t *row;   /* numbers in their file */
    VEC(struct layer_gap) gaps;
};
/* Without `gaps` a row without numbers is an error. */
int layer_table_read(struct layer_table *t, const char *folder, bool gaps,
                     struct arena *a, struct err *err);
void layer_table_done(struct layer_table *t);

int weights_hash(const char *file, char hex[65], struct err *err);
struct novelties; /* see ensemble.h */
/* What `novelty` has found; an error where that was of other models. In the
 * arena. */
int novelties_read(struct novelties *n, const char *path,
                   const struct models *m, struct arena *a, struct err *err);
/* An error where rows of members cannot be the same by their numbers. */
int novelties_share_rows(const struct models *m, struct arena *a,
                         struct err *err);

/* Scores of rows, added up over the members of an ensemble. */
struct novelty_row {
    uint64_t row; /* its number in its file */
    double score;
};
struct novelty_scores { /* of rows that all members have */
    struct novelty_row *list;
    size_t count, members; /* rows; who has been added */
};
int novelty_scores_add(struct novelty_scores *s, const struct novelties *n,
                       size_t member, const struct layer_table *t,
                       struct err *err);
void novelty_scores_done(struct novelty_scores *s);

/* ---- an inference over very many rows ------------------------------------ */

/* The list of its shards in the study's folder, mapped. */
struct shards;
struct shards *shards_open(const char *folder, struct err *err);
void shards_close(struct shards *s);
uint64_t shards_count(const struct shards *s);
uint64_t shards_rows(const struct shards *s);
uint64_t shards_models(const struct shards *s); /* 0: a program is the model */
/* Shard `number`, from 1; texts live as long as s. */
int shards_at(const struct shards *s, int64_t number, struct task_shard *to,
              struct err *err);

/* The metric that shards report: seconds that one model needs to predict one
 * row once, without start-up, reading rows and writing tables. */
#define INFERENCE_SECONDS "t_image"
/* The same: rows of which nothing is predicted; where there are any. */
#define INFERENCE_BAD "bad_rows"

/* What an inference asks for. */
struct bulk_told {
    uint64_t shards, rows, models;
    bool of_command; /* a program is the model: models is 0 */
    int64_t samples; /* 0: once, without dropout */
    double dropout_least, dropout_most; /* that is drawn with; NaN: none */
    const struct value *options;        /* see infer_told */
};
/* By what lies in a study's folder. 1: the study is no inference. */
int bulk_told(const char *folder, struct bulk_told *to, struct arena *a,
              struct err *err);

/* The same of a study whose trials name their models; they report how many rows
 * each predicted. Options are those of its task, or NULL. */
#define INFERENCE_ROWS "rows"
int infer_told(struct store *store, const char *folder, struct bulk_told *to,
               struct arena *a, struct err *err);
/* How often the trial of a point asks for a row; 0 as above. */
int64_t infer_samples(const struct value *options, const struct value *point,
                      struct arena *a);

/* ---- a study to begin with --------------------------------------------- */

enum { TEMPLATE_BESIDE = 5, TEMPLATE_FILES = TEMPLATE_BESIDE + 1 };
struct template_file {
    const char *name, *text;
    const char *(*make)(struct arena *a); /* its text, where that is NULL */
};
struct study_template {
    const char *name;
    const char *summary;
    const char *study;                            /* text of the study file */
    struct template_file beside[TEMPLATE_BESIDE]; /* what it needs */
};
extern const struct study_template *const study_templates[]; /* to a NULL */
/* NULL, and an error that names those that there are. */
const struct study_template *study_template_find(const char *name,
                                                 struct err *err);
/* Writes the study file and what it needs beside it, never onto a file that is
 * there. files[TEMPLATE_FILES] gets what was written, the study file first;
 * names live in the arena. */
int study_template_write(const struct study_template *t, const char *path,
                         struct arena *a, struct template_file *files,
                         size_t *count, struct err *err);

/* ---- the files of a person's configuration ----------------------------- */

/* Where the file of that name lies; NULL when there is no such place. */
const char *config_file(struct arena *a, const char *name, struct err *err);
/* Appends its text, nothing where there is none; refused when others could have
 * written it. */
int config_read(const char *path, struct buf *b, struct err *err);

/* ---- the folders of others that a person has allowed ------------------- */

/* Real paths, in the arena, ended by NULL; none where there is no list. */
const char **trusted_read(struct arena *a, struct err *err);
int trusted_write(struct arena *a, const char *const *list, struct err *err);
/* As store_access, with that list; who is to act then has the umask of
 * the study's folder. */
int study_access(struct arena *a, const char *folder, enum store_use use,
                 struct err *err);

/* ---- changing a study, whether or not it runs -------------------------- */

enum acted { ACT_FAILED = -1, ACT_DONE, ACT_HEARD, ACT_ASKED };

/* What is asked for. */
struct act {
    const char *verb, *selector;
    const struct value *args; /* NULL: none */
};

/* Does what study_apply lists. A running study is asked, and its answer is
 * waited for: ACT_HEARD, or ACT_ASKED when none came within 20 s (the request
 * then waits and still counts once). With nobody running it, it is done here:
 * ACT_DONE. ACT_FAILED: err; a request that was refused changes nothing. */
enum acted study_act(const char *folder, const struct act *what,
                     struct request_answer *answer, struct arena *a,
                     struct err *err);

#endif
