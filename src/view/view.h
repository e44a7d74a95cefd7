/* view.h - what both the verbs and a page show of a study
 *
 * Everything here reads a store and gives plain data, or JSON and lines for
 * people in a buf; nothing is printed. What it gives has foreign parts: who
 * shows it to a person makes them harmless. */
#ifndef THRONG_VIEW_VIEW_H
#define THRONG_VIEW_VIEW_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/value.h"
#include "base/vec.h"
#include "search/search.h"
#include "store/store.h"
#include "study/study.h"
#include "terms/job.h"

/* ---- points side by side: the flat names of their parameters ----------- */

struct point_columns {
    struct arena *arena;
    VEC(struct str) names; /* "opt.lr", in order of first appearance */
    struct map *known;
};
void point_columns_init(struct point_columns *p, struct arena *a);
void point_columns_done(struct point_columns *p);
void point_columns_add(struct point_columns *p, const struct value *point);
/* Adds one flat name. */
void point_columns_name(struct point_columns *p, struct str name);
/* The same from its JSON text, whose values are not read. */
void point_columns_text(struct point_columns *p, struct str point);
/* By name, with numbers in names as numbers: x_2 before x_10. */
void point_columns_sort(struct point_columns *p);
/* The same behind those that stand in `first`, which come in its order. */
void point_columns_order(struct point_columns *p, const struct str *first,
                         size_t count);
/* The names of a study's parameters in the order of its file, in the arena;
 * none where the store does not say. */
int point_columns_written(struct store *store, struct arena *a,
                          struct str **names, size_t *count, struct err *err);
/* The value under a flat name, or NULL. */
const struct value *point_flat_get(const struct value *point, struct str name);
/* For tables and CSV: strings bare, numbers exact, lists and objects JSON. */
void point_cell(struct buf *b, const struct value *v);
/* One line per parameter, indented, names padded to the longest; those of
 * `first` in its order. With brief, floats have six digits. */
void point_lines(struct buf *b, const struct value *point,
                 const struct str *first, size_t count, bool brief);

/* ---- a table as plain data, for who lays it out ------------------------ */

/* Rows of cells; a cell is a number, a text or a value of a point. */
struct tabled_cell {
    double number;       /* unless there is another; NaN: blank */
    bool whole;          /* it is a count */
    const char *text;    /* or NULL */
    struct value *value; /* or NULL */
};
struct tabled {
    struct arena *arena; /* of texts */
    VEC(const char *) titles;
    VEC(struct tabled_cell) cells; /* row by row */
};
void tabled_init(struct tabled *l, struct arena *a);
void tabled_done(struct tabled *l);
void tabled_title(struct tabled *l, const char *title);
void tabled_number(struct tabled *l, double v);
void tabled_count(struct tabled *l, int64_t n);
void tabled_text(struct tabled *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void tabled_value(struct tabled *l, struct value *v); /* NULL: blank */

/* ---- one trial as JSON, the same for `export` and `show` --------------- */

/* commit: of the study's code; empty: unknown.
 * {"id":…,"state":…,"value":…,"params":{…},"metrics":{"loss":{"last":…,
 * "best":…}},"attempts":…,"seconds":…,…} without a line feed. The summary's
 * values are parsed in the arena. */
void trial_json(struct buf *b, const struct trial *t, const struct goal *goal,
                struct str commit, struct arena *a);
/* "last" and "best" of one metric of a parsed summary; NaN when absent. */
void summary_values(const struct value *summary, struct str name,
                    const struct goal *goal, double *last, double *best);

/* ---- what attempts had of devices: use.c, device_choices.c
 * -------------------------------- */

/* ", device cuda, 1.2 MiB of a GPU, 34 J of a GPU, by time", as far as it is
 * known and no matter of course. */
void use_words(struct buf *b, const struct use *u);
/* ,"device":…,"input_seconds":…, … */
void use_json(struct buf *b, const struct use *u);
/* One sentence of the last trials: how busy their GPU is, and what it waits
 * for; nothing where nobody knows. */
int use_lately(struct buf *b, struct store *store, struct err *err);

/* "auto chose cuda, up to 2048 at a time: …"; nothing where it chose none. */
int device_choices_words(struct buf *b, struct store *store, struct err *err);
/* The same of the models of one cohort key, of a trial that was on that device
 * (empty: on none yet); false: nothing was chosen for it, or another one. */
bool device_choice_words_of(struct buf *b, struct store *store, uint64_t key,
                            struct str device);

/* ---- failures in words: which line says what went wrong, which failures are
 * the same, what helps ---- */

/* The line that says what went wrong: of the output when the task ended by
 * itself, else the reason. Points into f. */
struct str failure_line(const struct trial_failure *f);
/* The line with what differs between trials taken out: numbers become N,
 * addresses 0xN, folders of paths go, and a word that is the value of a
 * parameter in the trial's point (JSON) becomes the parameter's name. */
void failure_normal(struct buf *b, struct str line, struct str point);
/* What a person may do about it, or NULL. */
const char *failure_hint(const struct trial_failure *f);

/* ---- which code a study was begun with --------------------------------- */

struct provenance {
    struct str commit; /* of git; empty: unknown */
    struct str diff;   /* what was changed and not committed; empty: nothing */
    struct str frozen; /* the fact about frozen code, JSON; empty: none */
};
/* The texts are in the arena. */
int provenance_read(struct store *store, struct arena *a, struct provenance *p,
                    struct err *err);
/* "8d1f… and 3 changed files (`throng status NAME --diff`)"; nothing where it
 * is unknown. */
void provenance_commit(struct buf *b, const struct provenance *p,
                       const char *study);
/* What tasks run from, where that was frozen. */
void provenance_frozen(struct buf *b, const struct provenance *p);
/* Both as lines, `commit   …` and `code     …`. */
void provenance_print(struct buf *b, const struct provenance *p,
                      const char *study);
/* ,"commit":…,"diff":… behind another field; null where it is unknown. */
void provenance_json(struct buf *b, const struct provenance *p);

/* ---- the names that trials of a study can be asked for ----------------- */

/* 0 when the name is a parameter or a metric of the study, or when the study
 * has no trial yet; else -1 with err, which names the nearest one. */
int name_check(struct store *store, const char *name, struct arena *a,
               struct err *err);
/* The same; none of what trials have beside parameters and metrics is meant. */
int value_name_check(struct store *store, const char *name, struct arena *a,
                     struct err *err);
/* The same of a metric alone; `seconds` every trial has. */
int metric_check(struct store *store, const char *name, struct arena *a,
                 struct err *err);
/* The same for every name in a filter; NULL has none. */
int names_check_filter(struct store *store, const char *where, struct arena *a,
                       struct err *err);

/* The same for the parameters that `rank --over` names, joined by commas. */
int names_check_over(struct store *store, const char *over, struct arena *a,
                     struct err *err);

/* Sets err: no trial of the study is what the selector names; with what
 * there is. Returns -1. */
int no_such_trials(struct store *store, const char *selector, struct arena *a,
                   struct err *err);

/* ---- what a person can ask to see of each trial, by name --------------- */

struct trial_columns {
    VEC(const char *) names; /* as they were asked for */
};
/* Reads "lr,val_acc,tag,host"; a name that no trial has is an error.
 * The names live in the arena. */
int trial_columns_parse(struct trial_columns *k, struct store *store,
                        const char *text, struct arena *a, struct err *err);
void trial_columns_done(struct trial_columns *k);

/* What a trial has under a name, in the arena: a number, a text, a list of
 * texts (tags); NULL: nothing. The trial was read with its texts. */
const struct value *trial_column(struct store *store, const struct trial *t,
                                 const struct value *point, const char *name,
                                 struct arena *a);
/* The number of a metric in a summary's text: its last one, or loss.min,
 * loss.count … of a metric loss; NaN: none. */
double summary_number(struct str summary, struct str name);

/* For people; brief: floats have six digits, times are the clock's. */
void trial_column_print(struct buf *b, const char *name, const struct value *v,
                        bool brief);
/* {"lr":0.1,"tag":["a"],…}; what a trial has of each, NULL for null. */
void trial_columns_json(struct buf *b, const struct trial_columns *k,
                        const struct value *const *values);

/* ---- how old is what a reader is shown? -------------------------------- */

/* On a network file system who reads a running study gets a copy that its
 * conductor made some seconds ago (store_as_of): "as of 8s ago"; nothing for
 * what is current (as_of 0, or of this second). */
void age_print(struct buf *b, double as_of);
/* ,"as_of":TIME behind another field; nothing when it is 0. */
void age_json(struct buf *b, double as_of);

/* ---- the jobs of a study that runs on a cluster ------------------------- */

/* The newest that a trial is in, or NULL. */
const struct study_job *study_job_of(const struct study_job *list, size_t count,
                                     int64_t trial);
/* "Slurm job 7_0 of class short on n1: PENDING (Resources), it waits …". */
void study_job_print(struct buf *b, const struct study_job *j, struct arena *a);
const char *study_job_state(const struct study_job *j, struct arena *a);
/* Paths of what is there; NULL: it is not. */
const char *study_job_file(const struct study_job *j, const char *ending,
                           struct arena *a);
const char *study_job_script(const struct study_job *j, struct arena *a);
void study_job_json(struct buf *b, const struct study_job *j, struct arena *a);

/* Those that have not ended and of which the same is said. */
struct study_job_group {
    const struct study_job *like;
    uint64_t jobs, trials;
};
struct study_job_group *study_job_groups(const struct study_job *list,
                                         size_t count, struct arena *a,
                                         size_t *groups);
/* ,"jobs":[{"count":…,"state":…,"reason":…,"words":…},…] */
void study_job_groups_json(struct buf *b, const struct study_job_group *list,
                           size_t count);

/* ---- a look at a study while it runs ----------------------------------- */

/* A watcher is kept while a person watches; each look reads the store as it
 * is now, no more of it than is shown. Only what needs every trial (which
 * failed, and the best so far) is gathered bit by bit over many looks. */

enum look_list { LIST_BEST, LIST_RUNNING, LIST_FAILED, LIST_COUNT };

#define COMPARED_MAX 6 /* trials in one chart, beside the chosen one */

/* What is to be read. */
struct want {
    size_t from[LIST_COUNT], rows[LIST_COUNT]; /* of each list; 0: not read */
    enum look_list list;                       /* the one with the cursor */
    size_t chosen;                             /* in it; its metric is drawn */
    const char *metric;             /* that one; NULL: the objective */
    int64_t compared[COMPARED_MAX]; /* trials whose metric is drawn, too */
    size_t compared_count;
    const char *filter; /* NULL: none */
    const char *by;     /* of the best; NULL: as `rank` has them; "value": the
                           objective */
    bool reverse;
    int64_t trial; /* everything about this one; 0: none */
    double scan_s; /* time to spend on gathering; below 0: none is needed */
};

struct look_row {
    struct trial t;
    const struct value *point;
    double value; /* the objective, the sort key's, or the newest one */
    const double *objectives; /* of the best, where there are several, or
                                 bounds; NULL */
    bool broken;              /* it keeps not all of these */
    double expected;          /* under noise, of the objective; NaN: unknown */
    int64_t step;             /* of a running trial's value; -1: none */
    double since;             /* when the attempt that runs began; 0: not yet */
};

struct look_metric {
    const char *name;
    struct series series;
};

/* One trial, whole. */
struct look_trial {
    struct trial t;
    const struct value *point;
    struct attempt *attempts;
    size_t attempt_count;
    struct look_metric *metrics;
    size_t metric_count;
    struct str log; /* its last lines */
};

/* A trial that was better than all before it. */
struct record_trial {
    int64_t id;
    double value;
};

struct look {
    struct arena *arena; /* of everything here */
    bool begun;          /* there is a store */
    double now;          /* unix time */
    double as_of;        /* it is a copy of then; 0: current */
    struct lease lease;
    uint64_t jobs_out; /* that nobody follows */
    struct counts counts;
    int64_t total, finished, failed; /* total -1: no end */
    double rate, left_s;             /* 0, -1: unknown */
    struct study_goal goal;
    int64_t best; /* trial of the best value; 0: none */
    double best_value;
    struct trial_mean *means; /* under noise: what is expected of the best */
    size_t mean_count;
    struct {
        struct look_row *rows;
        size_t count;
    } lists[LIST_COUNT];
    double gathered; /* part of the trials that was gone through */
    /* Each better than all before it; the last holds until the newest trial. */
    struct record_trial *records;
    size_t record_count;
    const char *metric; /* that is drawn; NULL: there is none */
    int64_t drawn;      /* the chosen trial, whose curve comes first; 0: none */
    struct look_curve {
        int64_t trial;
        struct series series;
    } curves[COMPARED_MAX + 1];
    size_t curve_count;
    struct str *written; /* parameters in the file's order */
    size_t written_count;
    const char **metrics;           /* names of the study's, NULL-terminated */
    const struct look_trial *trial; /* NULL: not asked for, or not there */
};

/* True when the trial is one of those that are compared. */
bool want_compares(const struct want *want, int64_t trial);

struct watcher;
struct watcher *watcher_new(const char *folder);
void watcher_free(struct watcher *w);
/* Reads; a study without a store has not begun, which is no error. Yours to
 * free. */
struct look *watcher_look(struct watcher *w, const struct want *want,
                          struct err *err);
void look_free(struct look *l);
/* Whether a filter can be asked for: its form, and its names, as far as the
 * study has begun. The arena is for work. */
int watcher_check_filter(struct watcher *w, const char *filter, struct arena *a,
                         struct err *err);

/* ---- finding studies --------------------------------------------------- */

/* Where a study lives, from what the person wrote: a study file, a name, a
 * folder; NULL: the study used last in ./.throng. */
struct place_of_study {
    char *folder; /* …/.throng/<name> */
    char *home;   /* where the study file is */
    char *name;
};
int locate_study(struct arena *a, const char *what,
                 struct place_of_study *where, struct err *err);
/* One that we may not look into may be one: its store says that it is closed
 * to us. */
bool is_study_folder(struct arena *a, const char *folder);
bool is_closed(const char *folder); /* it is there, and we may not look */
/* When the store in this folder was written last, unix time in nanoseconds;
 * -1: there is none. */
int64_t study_changed_ns(struct arena *a, const char *folder);
/* True when `what` names a study (so that `show 7` and `show mine 7` can be
 * told apart). */
bool names_study(const char *what);
/* Names in a folder that end as those of study files do, NULL-terminated;
 * NULL: it cannot be read. */
const char **study_files(struct arena *a, const char *folder, size_t *count);

/* ---- the command that goes on with a study ----------------------------- */

/* "throng run mine.yaml", with --new and --fix where the study was begun with
 * them, so that it can be pasted in the folder where the caller is. Lives in
 * the arena. */
const char *resume_command(struct arena *a, const struct place_of_study *where);
/* Appends `before` and a word, quoted as a shell needs it. */
void command_add_word(struct buf *b, const char *before, struct str word);

/* ---- how long a study will take, and where it belongs ------------------ */

enum advised { ADVISE_MACHINE, ADVISE_QUEUE, ADVISE_COUPLED, ADVISE_LARGER };

struct outlook {
    const struct plan *plan;
    const struct machine *machine;
    struct needs needs;     /* of the first trial */
    size_t gpus;            /* of the machine that count for the study */
    int64_t total;          /* trials; -1: no end */
    struct measure measure; /* tasks 0: not measured */
    double full_s;          /* of a task with all the data, before it was
                               tried with a part; 0: unknown */
    double given_s;         /* of a task, as the person says; 0: not said */
    uint64_t input_bytes;   /* of the files named in `inputs` */
    bool adaptive;          /* later points depend on results */
    int64_t slots_asked;    /* trials at once elsewhere, as the person says; 0:
                               not said */

    /* What follows from it, by outlook_think. */
    const char *source; /* of the task's time: "given", "tried", "measured" */
    double task_s;      /* 0: unknown */
    uint32_t slots;     /* trials at once here; 0: not even one */
    struct err unfit;   /* why not even one */
    double here_s;      /* the whole study on this machine; 0: unknown */
    double work_s;      /* of all tasks, one after the other; 0: unknown */
    double there_s;     /* on slots_asked; 0: unknown */
    enum advised advised;
};

/* Bytes of the files that `inputs` names. */
uint64_t outlook_inputs(const struct plan *p, const char *home,
                        struct arena *a);
/* rows × models × samples of a stage, in one line without its end. */
struct bulk_outlook;
void bulk_outlook_print(struct buf *b, const struct bulk_outlook *o);
void outlook_think(struct outlook *o);
void outlook_print(struct buf *b, const struct outlook *o);
/* What was measured, with room to spare, as `resources:` of a study file. */
void outlook_resources(struct buf *b, const struct outlook *o);
/* ,"task_seconds":…,…,"advice":{…} */
void outlook_json(struct buf *b, const struct outlook *o);

/* ---- what a study would do, before it does it -------------------------- */

struct preview {
    const struct plan *plan;
    struct search *search; /* that knows what the study will begin with */
    const struct machine *machine;
    const struct outlook *outlook; /* that has been thought about */
    const struct problems *problems;
    const char *const *warm; /* what is said of results from elsewhere */
    size_t warm_count;
    bool tried; /* some trials were run to measure them */
    struct arena *arena;
};
/* For people: the first commands, too, which the search is asked for. */
int preview_print(struct buf *b, const struct preview *k, struct err *err);
/* The schema throng.check/1. */
void preview_json(struct buf *b, const struct preview *k);
/* What a trial runs, for people: its command, or of a kind that has none the
 * kind with what `task:` says to it. */
void preview_task(struct buf *b, const struct plan *p, const struct arg *argv,
                  size_t argc);

/* ---- a trial of built-in training as a `throng train` ------------------ */

/* The words that train the model of a point as the study would: the same
 * numbers, bit for bit. `budget`: epochs that it was given; 0: all. The model
 * file is named as the study file does. `device`: empty or auto, unsaid. */
void model_command(const struct plan *p, const struct value *point,
                   struct str device, uint64_t seed, int64_t budget,
                   struct arena *a, const struct arg **argv, size_t *argc);

/* ---- a trial as a line that can be pasted into a shell ----------------- */

/* Appends the line: a scratch folder with the parameters, the protocol's
 * variables, the command. Nothing of the real trial's files is touched when
 * it is run. */
int command_line_print(struct buf *b, struct store *store,
                       const struct plan *plan, const char *home,
                       const struct trial *t, struct arena *a, struct err *err);

/* ---- why trials wait, run or failed ------------------------------------ */

/* Appends it for the trials that a selector names: sentences, or JSON of the
 * schema throng.explain/1. */
int explain_print(struct buf *b, struct store *store,
                  const struct place_of_study *where, const char *selector,
                  bool json, struct arena *a, struct err *err);

/* ---- failures, grouped by what they say -------------------------------- */

struct error_group {
    struct str line; /* of the first one, as it was */
    enum state state;
    const char *hint; /* what may help; NULL: nothing is known */
    int64_t count;
    VEC(int64_t) ids; /* the first ones */
};
struct errors {
    VEC(struct error_group *) groups; /* the most frequent first */
    int64_t total;
};
int errors_read(struct errors *e, struct store *store, struct arena *a,
                struct err *err);
void errors_done(struct errors *e);
/* The schema throng.errors/1, with at most so many groups. */
void errors_json(struct buf *b, const struct errors *e, size_t most,
                 const char *study, double as_of);

/* ---- how a study stands ------------------------------------------------ */

struct standing {
    struct counts counts;
    int64_t total; /* -1: no end */
    int64_t finished, bad;
    struct lease lease;
    uint64_t jobs_out; /* of a cluster, which go on without a conductor; 0
                          while there is one */
    bool late;         /* jobs tell of their trials when they end */
    struct study_goal goal;
    struct trial best;        /* of the best value; id 0: none */
    struct trial_mean *means; /* where there is noise: what a model expects of
                                 the best, the best expectation first */
    size_t mean_count;

    /* By standing_read_results. */
    int64_t valueless;   /* ended well, and the metric is NaN or did not come */
    struct trial likely; /* of the first of the means; id 0: none */
    struct store_fronts fronts; /* of several objectives, or bounds */
    struct provenance code;
    struct str *written; /* parameters in the file's order */
    size_t written_count;
    struct str device; /* what `auto` chose, in words; empty: nothing */
    struct str gpu;    /* how busy it was lately, the same */
};
/* What a look at the whole study needs no scan for. */
int standing_read(struct standing *s, struct store *store, struct arena *a,
                  struct err *err);
/* The rest, behind it. */
int standing_read_results(struct standing *s, struct store *store,
                          struct arena *a, struct err *err);
void standing_done(struct standing *s);
/* What is expected of a trial; NaN: nothing is known. */
double trial_expected(const struct trial_mean *means, size_t count,
                      int64_t trial);
/* The studies of this user that run here, this one first; none where this one
 * runs elsewhere. */
struct claim *standing_claims(struct arena *a, const char *folder,
                              size_t *count);
/* For people. now: what is said of a conductor that waits for its turn, a line,
 * or ""; brief: numbers have six digits. */
void standing_print(struct buf *b, const struct standing *s,
                    const struct place_of_study *where, const char *now,
                    bool brief, struct arena *a);
/* The schema throng.status/1. */
void standing_json(struct buf *b, const struct standing *s,
                   const struct place_of_study *where, struct arena *a,
                   double as_of);

/* ---- what is here, and what is missing ---------------------------------- */

enum health_mark { HEALTH_OK, HEALTH_ABSENT, HEALTH_BAD };
struct health_finding {
    const char *name;
    enum health_mark mark; /* absent: not here, and needed by some only */
    const char *text;
};
struct health {
    VEC(struct health_finding) list;
    struct arena *arena; /* of their texts */
};
/* What this machine and this folder have. */
void health_look(struct health *h);
/* The store, all of it; true: it is sound. */
bool health_look_at_store(struct health *h, struct store *store,
                          const char *folder);
/* Asks the study's method again for everything that it was asked. */
void health_look_at_replay(struct health *h, struct store *store,
                           const struct place_of_study *where);
void health_found(struct health *h, const char *name, bool ok,
                  const char *text);
bool health_is_good(const struct health *h); /* nothing is bad */
void health_print(struct buf *b, const struct health *h);
/* The schema throng.doctor/1. */
void health_json(struct buf *b, const struct health *h);

/* ---- how a campaign stands ---------------------------------------------- */

struct campaign_stage {
    struct stage_told told;
    bool conducted;      /* the campaign's conductor lives */
    bool has_study;      /* it has begun … */
    struct standing now; /* … and its study stands so */
    double left_s;       /* -1: unknown */
};
struct campaign_standing {
    const struct place_of_study *where;
    struct lease lease;
    struct campaign_stage *stages; /* each after what it needs */
    size_t count;
};
int campaign_read(struct campaign_standing *c, struct store *store,
                  const struct place_of_study *where, struct arena *a,
                  struct err *err);
/* "running", "broken off", "finished", "stopped" or "failed" */
const char *campaign_state(const struct campaign_standing *c);
/* "120/300"; nothing where it has not begun. */
void campaign_stage_progress(struct buf *b, const struct campaign_stage *s);
/* The schema throng.campaign/1. */
void campaign_json(struct buf *b, const struct campaign_standing *c);

/* ---- the studies that are in a folder ---------------------------------- */

/* A study that was found. */
struct study_found {
    const char *folder; /* as people name it: beside its .throng */
    const char *name;   /* of a campaign's stage: CAMPAIGN/STAGE */
    bool is_stage;
};
struct studies {
    VEC(struct study_found) list;
};
/* Hears of a folder below that is closed to us. */
typedef void studies_closed_fn(const struct err *why);
/* In the folder or, with descend, also in those below, some levels deep. It is
 * an error where the folder itself is closed to us. */
int studies_find(struct studies *s, const char *folder, bool descend,
                 studies_closed_fn *closed, struct arena *a, struct err *err);
void studies_done(struct studies *s);

struct study_entry {
    double as_of; /* it is a copy of then; 0: current */
    const char *folder, *name;
    const char *fault;    /* why it could not be read; NULL: it could */
    bool is_stage;        /* of a campaign, which stands before it */
    const char *campaign; /* it is one, and how it stands; NULL: it is none */
    size_t stages, stages_done;
    struct standing now;
    double changed; /* unix time */
};
struct study_entry *studies_read(const struct studies *all, size_t i,
                                 struct arena *a);
/* "running", "jobs out", "broken off", "finished", "stopped" or "unreadable";
 * of a campaign also "failed" */
const char *study_entry_state(const struct study_entry *e);
/* ,"best":… with its metric and value, or null. */
void standing_best_json(struct buf *b, const struct standing *now);
/* One member of the list that the schema throng.ls/1 has. */
void study_entry_json(struct buf *b, const struct study_entry *e);

/* ---- in what trials differ --------------------------------------------- */

#define COMPARISON_MAX 16 /* trials */

struct comparison_line {
    const char *section; /* "params", "metrics" or "trial" */
    struct str name;
    const char *cells[COMPARISON_MAX]; /* as JSON; "": it has none */
};
struct comparison {
    int64_t trials[COMPARISON_MAX];
    size_t count;
    VEC(struct comparison_line) lines; /* section by section */
};
/* Of all trials that the selectors name, two at least. all: also what is the
 * same. */
int comparison_read(struct comparison *c, struct store *store,
                    const char *const *selectors, size_t count, bool all,
                    struct arena *a, struct err *err);
void comparison_done(struct comparison *c);
/* The schema throng.diff/1. */
void comparison_json(struct buf *b, const struct comparison *c,
                     const char *study, double as_of);

/* ---- which parameters matter, and where they are good ------------------- */

struct inquiry_curve {
    struct importance_cell *cells;
    size_t count;
};
struct inquiry {
    const char *method; /* ped-anova or fanova */
    struct str metric;
    bool minimize;

    /* By inquiry_read. */
    struct space space;
    struct importance *importance;
    double *shares;
    struct inquiry_curve *curves;
    size_t *order; /* parameters, the most important first */
};
/* Method, metric and goal are filled; other: the metric is not the one that
 * ranks. */
int inquiry_read(struct inquiry *q, struct store *store, bool other,
                 struct arena *a, struct err *err);
/* The same without curves, which take longest: shares and order alone. */
int inquiry_shares(struct inquiry *q, struct store *store, bool other,
                   struct arena *a, struct err *err);
void inquiry_done(struct inquiry *q);
/* "good", "bad" or "". */
const char *region_name(enum region r);
/* For people: shares as bars, what each part of a range is expected to give,
 * and which regions are good or bad. */
void inquiry_print(struct buf *b, const struct inquiry *q, const char *study);
/* The schema throng.importance/1. */
void inquiry_json(struct buf *b, const struct inquiry *q, const char *study,
                  double as_of);

/* ---- the best trials --------------------------------------------------- */

/* Takes text while it is made; it is valid during the call. */
typedef void view_put_fn(void *context, struct str text);

/* What is asked for. */
struct ranking {
    int64_t limit;       /* rows; 0: all */
    const char *by;      /* metric, parameter or column; NULL: the objective */
    const char *where;   /* filter; NULL: none */
    const char *columns; /* names to show instead of the parameters; NULL */
    const char *over;    /* parameters to average over; NULL: none */
    bool reverse;        /* worst first */
    bool whole_front;    /* the Pareto set is not cut by the limit */
};
struct ranked {
    size_t rank; /* from 1 */
    struct trial t;
    struct value *point;
    const struct value **chosen; /* one for each column that was asked for */
    double shown;                /* what it is ranked by */
    double expected; /* what the method's model believes; NaN: nothing */
};
struct ranks {
    struct store *store;
    const struct ranking *asked;
    struct study_goal goal;
    struct trial_mean *means; /* what is expected, where there is noise */
    size_t mean_count;
    const char *title;           /* of the ranked column */
    struct trial_columns chosen; /* none: no columns were asked for */
    struct str *written;         /* parameters in the file's order */
    size_t written_count;
    struct arena *arena; /* for one row */
    size_t count;        /* rows so far */
};
/* Reads the goal. Behind it, in this order: are the names known that are
 * ranked by and filtered by, and the rest. */
int ranks_open(struct ranks *s, struct store *store,
               const struct ranking *asked, struct arena *a, struct err *err);
int ranks_check(struct ranks *s, struct arena *a, struct err *err);
int ranks_read(struct ranks *s, struct arena *a, struct err *err);
void ranks_done(struct ranks *s);
/* Rows by rank, as they are read: texts and points are valid during the
 * call. */
typedef void ranked_fn(void *context, const struct ranked *r);
struct query ranks_query(const struct ranks *s);
int ranks_each(struct ranks *s, const struct query *q, ranked_fn *fn,
               void *context, struct err *err);
/* The schema throng.rank/1, of one objective. */
int ranks_json(struct ranks *s, double as_of, view_put_fn *put, void *context,
               struct err *err);
/* ---- trials that differ only in what is looked over -------------------- */

#define GROUP_CONFIDENCE 0.95 /* of the interval of a mean */
/* What store_group gave as a table, parameters in the order of `written`. */
int groups_table(struct tabled *l, const struct group_row *list, size_t count,
                 const struct str *written, size_t written_count,
                 struct err *err);
/* The schema throng.rank-over/1, of the same. */
void groups_json(struct buf *b, const char *over, const struct group_row *list,
                 size_t count, double as_of);

/* A name that is a number of every trial: seconds, attempts … */
bool ranking_is_column(const char *name);
/* What a trial shows under `by` (see struct ranking); NaN: nothing. */
double trial_shown(const struct trial *t, const struct value *point,
                   const char *by);

/* Of several objectives, or bounds. */
struct ranked_fronts {
    struct ranks *ranks;
    const struct goal *goal;
    struct store_fronts fronts;
    size_t *order;
    size_t rows; /* that are shown */
};
/* Behind ranks_read. */
int fronts_open(struct ranked_fronts *k, struct ranks *ranks, struct err *err);
void fronts_done(struct ranked_fronts *k);
/* Where row i stands in fronts.list, and its values of all objectives. */
size_t fronts_at(const struct ranked_fronts *k, size_t i);
const double *fronts_values(const struct ranked_fronts *k, size_t at);
/* The schema throng.rank/1. */
int fronts_json(struct buf *b, const struct ranked_fronts *k, double as_of,
                struct arena *a, struct err *err);

/* ---- all trials, as columns --------------------------------------------- */

/* What is drawn: every trial of a study, kept in memory as columns of numbers
 * and of texts, and brought up to date by reading what changed. Row i is the
 * same trial as long as `made` is the same; rows are in the order of their
 * numbers. */

enum frame_source { FRAME_TRIAL, FRAME_PARAMETER, FRAME_METRIC };
struct frame_column {
    char *name;
    enum frame_source source;
    double *numbers; /* NaN: none; NULL: it has texts */
    uint32_t *codes; /* 0: none, else one more than the place in texts; NULL:
                        it has numbers */
    VEC(char *) texts;
    struct map *places; /* of texts */
};
struct frame {
    uint32_t made, revision; /* revision: grows with every change */
    size_t rows, cap;
    int64_t *ids;
    uint8_t *states;
    uint32_t *changed; /* the revision of each row */
    VEC(struct frame_column *)
    columns;              /* of trials first; metrics have their
                             last value */
    struct counts counts; /* of the rows by state */
    bool whole;           /* no trial is missing yet */

    /* For frame.c. */
    struct arena *work;
    int64_t round, round_ns, looked_ns, look_cost_ns;
    size_t touched; /* rows, by the last look */
};
struct frame *frame_new(void);
void frame_free(struct frame *f);
/* Reads what is new and what may have changed, for about so long; the first
 * looks at a large study leave the frame not whole. */
int frame_update(struct frame *f, struct store *store, double seconds,
                 struct err *err);
/* The row of a trial; SIZE_MAX: it has none. */
size_t frame_row(const struct frame *f, int64_t trial);
/* A column by name, of trials, parameters, metrics in this order; NULL. */
const struct frame_column *frame_column(const struct frame *f, struct str name);
/* Sorts rows by a column: those without a value last, then numbers before
 * texts, equal ones as they stood. Of a name that is no column: by trial. */
void frame_sort(const struct frame *f, struct str by, bool descending,
                uint32_t *rows, size_t count);

/* ---- curves for a picture ----------------------------------------------- */

#define CURVES_MAX 200        /* curves that can be told apart, at most */
#define BANDS_TRIALS_MAX 2000 /* that bands are made of; of more, every nth */
#define PICTURE_POINTS_MAX 4000

/* The points of a metric of some trials, each curve in about so many: of
 * neighbours the least and the greatest stay. The schema throng.curves/1. */
int curves_json(struct buf *b, struct store *store, const char *selector,
                const char *metric, size_t points, struct arena *a,
                struct err *err);
/* Quantiles of a metric at some steps, over the trials of a filter (NULL: all),
 * in groups of equal values of a parameter (NULL: one). The schema
 * throng.bands/1. */
int bands_json(struct buf *b, struct store *store, const char *where,
               const char *metric, const char *by, size_t points,
               struct arena *a, struct err *err);

/* ---- how busy it was ---------------------------------------------------- */

#define LOAD_HOSTS_MAX 32
#define LOAD_SPANS_MAX 2000 /* that are listed one by one */

struct load_span {
    int64_t trial;
    uint32_t number; /* of the attempt */
    uint32_t host;   /* see load_spans.hosts */
    uint32_t lane;   /* see load_spans_set_lanes */
    enum outcome outcome;
    double placed;   /* when it was handed out; 0: not known */
    double from, to; /* unix time */
    double cpus, bytes;
    double spent[SPENT_COUNT], busy; /* of a GPU, as parts; NaN: not known */
};
struct load_spans {
    struct arena *arena;
    VEC(struct load_span) spans; /* by trial, until they have lanes */
    VEC(const char *) hosts;
    double from, to;
    uint32_t lanes;
};
/* Every attempt that began. One that has not ended runs until now where
 * somebody runs the study, else until the last that is known. */
int load_spans_read(struct load_spans *l, struct store *store, struct arena *a,
                    struct err *err);
/* Sorts them by start and gives each a lane, in which it is alone while it
 * runs; takes as long as attempts times lanes. */
void load_spans_set_lanes(struct load_spans *l);
void load_spans_done(struct load_spans *l);

/* Attempts at once over time, in so many parts, and each attempt where there
 * are few. The schema throng.load/1. */
int load_json(struct buf *b, struct store *store, size_t points,
              struct arena *a, struct err *err);

/* ---- inferences over many rows ------------------------------------------ */

struct inference_line {
    const char *name; /* of the study */
    uint64_t shards, done, failed, rows, models;
    uint64_t bad_rows;          /* of those, without a prediction */
    int64_t samples;            /* 0: once, without dropout; -1: trials that
                                   name their models differ in it */
    double passes, predictions; /* of a row, and of all rows that are done */
    double seconds;             /* in which any attempt ran */
    double slot_seconds;        /* of all attempts */
    int64_t slots;              /* the most attempts at once */
    double dropout_least, dropout_most; /* NaN: none */
    double timed, asked_seconds; /* predictions whose time is known, and it */
};
/* 1: the study is no inference. name stays the caller's. */
int inference_read(struct inference_line *l, const char *name,
                   const char *folder, struct arena *a, struct err *err);
struct inference_line inferences_total(const struct inference_line *list,
                                       size_t count);
/* With a line for all of them behind. */
void inferences_table(struct tabled *t, const struct inference_line *list,
                      size_t count);
/* The schema throng.inferences/1. */
void inferences_json(struct buf *b, const struct inference_line *list,
                     size_t count);

/* ---- predictions beside truths ------------------------------------------ */

struct judged_asked {
    const char *k_rank; /* "1,5,10": of so many largest, which share is among as
                           many largest answers; or NULL */
    const char *by;     /* the column of the table that rows are grouped by; or
                           NULL */
    const char *folder; /* of the task that has written its predictions */
    struct str model;   /* JSON: its `data` says which table */
    struct str workdir; /* that the table is looked for in */
};
/* {"k_rank": [{"k": 10, "share": 0.7}], "by": COLUMN, "groups": [{"name": …,
 * "rows": …, and what is judged}]}; what nobody asks is not there. Lives in the
 * arena; NULL and err. */
struct value *judged_rows(const struct judged_asked *q, struct arena *a,
                          struct err *err);

/* ---- the rows of a layer ------------------------------------------------- */

enum { LAYER_COLUMNS = 1024, LAYER_SILHOUETTES = 20000 };
struct layer_asked {
    size_t components;  /* directions in which rows differ most; 0: none */
    size_t clusters;    /* groups by k-means; 0: none */
    const char *folder; /* of the task that has written the rows */
};
/* Writes them in place of the rows. {"explained": [0.6, …], "squares": …,
 * "silhouette": 0.4}; what nobody asks is not there, nor silhouettes of more
 * than LAYER_SILHOUETTES rows. Lives in the arena; NULL and err. */
struct value *layer_look(const struct layer_asked *q, struct arena *a,
                         struct err *err);

/* ---- trials for other programs ----------------------------------------- */

/* The trials of a query, which asks for their texts, as CSV with a header or
 * as JSON lines, while they are read. */
int export_trials(struct store *store, const struct query *q, bool csv,
                  view_put_fn *put, void *context, struct err *err);
/* The same for every point of every metric, by trial, metric and step: no more
 * than one metric of one trial is in memory. */
int export_history(struct store *store, const struct query *q, bool csv,
                   view_put_fn *put, void *context, struct err *err);
/* The same of every attempt, whether or not its points count. */
int export_attempts(struct store *store, const struct query *q, bool csv,
                    view_put_fn *put, void *context, struct err *err);
/* Copies what they wrote into folders of this one, each named by its trial;
 * *copied counts them. */
int export_files(struct store *store, const struct query *q, const char *folder,
                 int64_t *copied, struct err *err);

/* ---- a trial and what belongs to it ------------------------------------ */

struct extent {
    struct trial trial;
    struct attempt *attempts;
    size_t attempt_count;
    struct artifact *artifacts;
    size_t artifact_count;
    struct packed *packed; /* files of it that lie in a pack */
    size_t packed_count;
    const char *folder;
};
int extent_read(struct extent *x, struct store *store, struct packs *packs,
                int64_t trial, struct arena *a, struct err *err);
/* What of the study stands with each of its trials. */
struct extent_study {
    const char *name;
    struct study_goal goal;
    struct provenance code;
    struct str *written; /* parameters in the file's order */
    size_t written_count;
    const struct study_job *jobs;
    size_t job_count;
};
int extent_study_read(struct extent_study *s, struct store *store,
                      const char *name, struct arena *a, struct err *err);
/* For people; brief: floats have six digits. The arena is for work. */
void extent_print(struct buf *b, const struct extent *x,
                  const struct extent_study *s, bool brief, struct arena *a);
/* One member of the list that the schema throng.show/1 has. commit: of the
 * study's code; empty: unknown. */
void extent_json(struct buf *b, const struct extent *x, const struct goal *goal,
                 struct str commit, struct arena *a);

#include "view/compared.h"

#endif
