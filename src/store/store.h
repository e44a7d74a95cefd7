/* store.h - what throng remembers of one study
 *
 * One SQLite file, <folder>/study.db, beside it the trials' folders. There
 * is one writer at a time, the holder of the lease; others read. Changes are
 * collected between store_begin and store_commit; a commit of a holder whose
 * lease was taken over is refused (ERR_BUSY) and nothing of it is written. */
#ifndef THRONG_STORE_STORE_H
#define THRONG_STORE_STORE_H

#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/value.h"
#include "base/vec.h"
#include "sys/sys.h"
#include "terms/metric.h"
#include "terms/rank.h"
#include "terms/record.h"
#include "terms/state.h"

#define STORE_SCHEMA 11

struct store;

/* Makes the folder and an empty store; ERR_BUSY when there is one already. */
int store_create(const char *folder, struct err *err);
/* The same with what `fill` writes into it: others see the store with all of
 * that, or none. Nothing is left of one that could not be filled. */
typedef int store_fill_fn(void *context, struct store *s, struct err *err);
int store_create_with(const char *folder, store_fill_fn *fill, void *context,
                      struct err *err);
/* Opens for reading, or for writing (take the lease before the first change).
 * An older schema is migrated by a writer. ERR_MISSING: no store there;
 * ERR_CORRUPT: damaged, or newer than this program (never overwritten). On a
 * network file system with a live holder a reader gets the holder's newest
 * snapshot (asked for, waited for a few seconds). */
struct store *store_open(const char *folder, bool write, struct err *err);
void store_close(struct store *s); /* releases the lease if held */
const char *store_folder(const struct store *s);
/* When the holder made the snapshot that a reader was given, as unix time; 0
 * when the store itself is open. */
double store_as_of(const struct store *s);
/* SQLite's own check of the whole file; 0 when it is sound. */
int store_integrity(struct store *s, struct err *err);
/* Which of the pages that were read until now have a checksum: none in a store
 * that an older throng made; another program leaves them out. */
enum store_sums { STORE_SUMS_NONE, STORE_SUMS_SOME, STORE_SUMS_ALL };
enum store_sums store_sums(const struct store *s);
/* Says that a text in it makes no sense, `how`, and what to do; -1. */
int store_damaged(const struct store *s, const char *how, struct err *err);
/* What a conductor looks at before it begins: every page must make sense. A
 * large file whose last holder let go by itself is taken to be sound. */
int store_quick_check(struct store *s, struct err *err);
/* How many commits a damaged log has lost, that a crashed conductor made; of a
 * folder whose store nobody has open. */
size_t store_log_lost(const char *folder);
/* 0 as long as the file that a writer has open, and the study's folder, lie
 * where they were opened and no page was found damaged. ERR_MISSING: removed,
 * or moved, and the text says where to; ERR_CORRUPT. */
int store_stands(const struct store *s, struct err *err);
/* True when no name is left of it: closing it will lose it. */
bool store_is_removed(const struct store *s);
/* What was moved, the study's folder or the file alone, and where it is *now,
 * in the arena (NULL: nobody can tell). NULL when nothing was. */
const char *store_moved(const struct store *s, struct arena *a,
                        const char **now);
/* Writes all that the store knows into a new file. */
int store_save(struct store *s, const char *path, struct err *err);
/* Removes what killed holders left half made in the study's folder. */
void store_tidy(struct store *s);

/* ---- who may what ------------------------------------------------------ */

/* What somebody is about to do in a study's folder. Who only reads believes
 * nothing of what is there and executes nothing, and is never refused. */
enum store_use {
    STORE_ACT, /* write into it: request files, or the store itself */
    STORE_RUN, /* start programs that read what is in it */
};
/* Refuses a study's folder (…/.throng/<name>, which need not be there yet)
 * when another user could have put something into it: it, the one around it,
 * or something in it belongs to somebody else, or everyone may write there.
 * To act, a folder shared with a group of ours will do, whoever owns it.
 * Folders at or below one of `trusted` (real paths, ended by NULL) are not
 * looked at. */
int store_access(const char *folder, enum store_use use,
                 const char *const *trusted, struct err *err);

/* Makes the study's folder where there is none and opens it to nobody else, or
 * to the group of the folder that the study file is in; one of somebody else
 * is left as it is. *was_open: an earlier throng, or somebody, had it open to
 * others, and it is closed now. */
int store_share(const char *folder, bool group, bool *was_open,
                struct err *err);
/* Removes the folder around studies where no study is left in it. */
void store_tidy_around(const char *around);
/* Gives a file that SQLite made, which looks at no group, the mode that others
 * in the folder have. */
void store_set_mode(const char *path, const char *folder);
/* -1 with the words for who may not look into a study's folder. */
int store_closed(const char *folder, struct err *err);
/* The umask for what is written into a study's folder. */
mode_t store_mask(const char *folder);

/* ---- lease ------------------------------------------------------------ */

/* What earlier holders have left that no conductor has settled yet. The
 * numbers are stored: never renumber. */
enum predecessor {
    PREDECESSOR_NONE = 0,     /* nothing: the last one let go by itself */
    PREDECESSOR_GONE = 1,     /* it died, which is proven: no process of it will
                                 write again, but for tasks it left here */
    PREDECESSOR_PRESUMED = 2, /* it was on another host, or could not be seen
                                 from here, or was alive (--take-over): it and
                                 its tasks may still run and write */
};

struct lease {
    char host[256];
    struct process_id process;
    char boot_id[64];
    uint64_t pid_space; /* its pid namespace, where its pid means something */
    uint64_t lock;      /* number of the file that it keeps locked; 0: none */
    uint64_t epoch;
    uint64_t touches;      /* changes with every touch; 0: by an older throng */
    double touched;        /* unix time by the holder's clock, for people */
    enum predecessor left; /* by earlier holders, and not settled yet */
    /* Of the last holder that had nothing to settle, at its last touch: its
     * pid namespace, and this boot's forks and time (sys.h). */
    uint64_t left_space, left_forks, left_ticks;
    bool live;   /* as it seems now; see unseen */
    bool unseen; /* nothing here proves whether it lives (another host, a
                    container without a lock): live goes by `touched`, and
                    store_lease_take watches it for up to a minute */
};
/* Reads who holds it; epoch 0: nobody ever, process.pid 0: free. */
int store_lease_read(struct store *s, struct lease *lease, struct err *err);
/* ERR_BUSY, naming the holder, when a live one has it and !take_over. One that
 * is proven dead is replaced at once. One that cannot be seen is watched: when
 * it touches its lease, it lives; when it has not for 60 s of this process's
 * own clock, it is presumed dead. */
int store_lease_take(struct store *s, bool take_over, struct err *err);
/* As without take_over, but a holder is waited for a moment: a verb lets go of
 * it as soon as it has done its work. */
int store_lease_take_soon(struct store *s, struct err *err);
/* Also looks whether the store stands: errors as of store_stands. */
int store_lease_touch(struct store *s, struct err *err);
uint64_t store_lease_epoch(const struct store *s); /* 0: it is not held */
/* After a lease that was not to be had: no take-over would get it either, since
 * the holder keeps the file locked. */
bool store_lease_stuck(const struct store *s);
/* What was there when the lease was taken, until store_lease_settle; it is
 * kept in the store, so that neither a verb that only takes the lease for a
 * moment nor a death in between makes it forgotten. */
enum predecessor store_lease_predecessor(const struct store *s);
/* Processes that may have outlived earlier holders on this machine: those
 * that attempts which have not ended in the store were started as. */
struct left_processes {
    struct process_id *leaders; /* of the sessions of their tasks, … */
    int64_t *trials;            /* … and whose they are */
    size_t count;
    bool numbers_stand;   /* none of their numbers can have been given to
                             another process since they were known to live */
    uint64_t known_ticks; /* until when they are known to have lived */
};
int store_left_processes(struct store *s, struct arena *a,
                         struct left_processes *left, struct err *err);
/* All that earlier holders left is settled: their open attempts have ended in
 * the store, and none of their processes counts any more. */
int store_lease_settle(struct store *s, struct err *err);
/* Lets go; changes that were not committed are dropped. */
void store_lease_release(struct store *s);

/* ---- changes ---------------------------------------------------------- */

int store_begin(struct store *s, struct err *err); /* idempotent */
/* Makes everything since store_begin permanent. Survives the death of the
 * process at once, that of the machine after at most a second, provided that
 * it is called once a second (also without changes: it then only puts the
 * last ones on the disk).
 *
 * ERR_BUSY: another has taken the lease over; all changes are dropped and no
 * more are taken. Any other failure (ERR_FULL, ERR_SYSTEM: the disk) drops
 * nothing: the changes wait in memory, more may be added, reading shows the
 * state of the last good commit (but series and their names those that wait,
 * too), and the next store_commit tries them all again. A change itself never
 * fails for such a reason, only its commit. */
int store_commit(struct store *s, struct err *err);
/* True while changes wait for a disk that failed. */
bool store_waits(const struct store *s);
/* True when not even the death of the machine takes back what was committed;
 * `now`: after waiting for the disk, however short a time ago it was. */
bool store_on_disk(struct store *s, bool now);
/* Drops the changes since store_begin, also those that wait for a disk. */
void store_rollback(struct store *s);

/* Facts of the study by key: "name", "file", "text", "identity", "plan",
 * "goal", "metric", "created", "commit", "diff", "interpreter", "command" …
 * NULL removes. */
int store_fact_set(struct store *s, const char *key, struct str text,
                   struct err *err);
/* The text in the arena, or p == NULL when there is none. */
int store_fact(struct store *s, const char *key, struct arena *a,
               struct str *text, struct err *err);

/* Each fact whose key begins so, in the order of keys; texts are valid during
 * the call. */
typedef void store_fact_fn(void *context, struct str key, struct str text);
int store_facts(struct store *s, const char *prefix, store_fact_fn *fn,
                void *context, struct err *err);
/* What the keys of facts begin with that say on which device models of a cohort
 * key are trained (terms/device_cost.h); the key follows in hexadecimal. */
#define STORE_DEVICE_FACT "device/"
/* Of all models, whatever their key: in jobs, and where no GPU can be used. */
#define STORE_DEVICE_OF_ALL STORE_DEVICE_FACT "0000000000000000"

struct trial {
    int64_t id; /* from 1 */
    enum state state;
    struct str point;  /* JSON, keys sorted */
    struct str run_id; /* the user's; empty: none */
    double value;      /* objective; NaN: none */
    int64_t parent;    /* -1: none */
    int64_t budget;    /* 0: none */
    int64_t group;     /* of repeat; equals id - 1 without repeat */
    uint32_t member;
    uint32_t attempts;              /* made so far */
    uint32_t failures;              /* attempts that used up a retry */
    double created, started, ended; /* unix time; 0: not yet */
    double seconds;                 /* run time of all its attempts */
    struct str reason;              /* why it ended as it did; empty: well */
    struct str summary; /* JSON: {"loss":{"last":…,"min":…,"max":…,
                           "step":…,"count":…,"source":…},…} */
    struct str note;
    struct str about; /* JSON: what its task said of itself, {"epochs":3,…} */
    const struct str *tags;
    size_t tag_count;
};

struct attempt {
    int64_t trial;
    uint32_t number;
    enum outcome outcome;
    char host[64];
    uint64_t pid, pid_start;
    char boot_id[64];
    double placed, started, ended; /* unix time; 0: not yet */
    double seconds, cpu_seconds;
    uint64_t max_rss_bytes, output_bytes, checkpoint_digest, metric_points;
    int32_t exit_code, signum;
    uint32_t company; /* attempts that were lost together, with their worker or
                         their trainer, this one included;
                         0: it was not lost, or nobody knows */
    /* How far the store has got with what the worker says of it: the last
     * record, and how many bytes of its metrics file and its log are in the
     * points that are stored. */
    uint32_t sequence;
    uint64_t metrics_at, log_at;
    /* The newest attempt up to this one that began anew; 0: none after the
     * first, or nobody knows. From the least step on that was reported since
     * (INT64_MAX: none was), points of attempts before it do not count. */
    uint32_t anew;
    int64_t first_step;
    uint32_t folder; /* whose own folder it runs in (store_own); 0: the
                        trial's */
    bool presumed;   /* it is only presumed to have ended, and may still write
                        into that folder */
    struct use use;
    struct str reason, tail;
};

/* Adds a trial in state waiting (id, point, run_id, parent…, group, member,
 * created are taken). */
int store_trial_add(struct store *s, const struct trial *t, struct err *err);
/* Writes state, value, attempts, failures, started, ended, seconds, reason,
 * summary, budget of an existing trial. Counters follow. */
int store_trial_update(struct store *s, const struct trial *t, struct err *err);
/* Removes a trial with all that belongs to it. Its number may be given again
 * after the store was closed, unless the caller remembers it. */
int store_trial_remove(struct store *s, int64_t id, struct err *err);
int store_trial_note(struct store *s, int64_t id, struct str note,
                     struct err *err);
/* Replaces what its task said of itself, a JSON object. */
int store_trial_about(struct store *s, int64_t id, struct str about,
                      struct err *err);
int store_trial_tag(struct store *s, int64_t id, struct str tag, bool on,
                    struct err *err);
/* Inserts or replaces (trial, number). */
int store_attempt_put(struct store *s, const struct attempt *a,
                      struct err *err);
/* Remembers what a person wants of a trial until it has ended; WISH_NONE
 * forgets it. */
int store_wish_set(struct store *s, int64_t trial, enum wish wish,
                   struct err *err);
/* Appends one column of a metric batch as it came (terms/metric.h); name is
 * the text of its name, whether or not the column brings it. Points may stay
 * in memory until the commit; many are packed together. */
int store_metrics_add(struct store *s, int64_t trial, uint32_t attempt,
                      struct str name, const struct metric_column *c,
                      struct err *err);
/* Forgets the points that a metric of a trial, which does not run, has from
 * one source. */
int store_metrics_drop(struct store *s, int64_t trial, struct str name,
                       enum metric_source source, struct err *err);
int store_artifact_add(struct store *s, int64_t trial, struct str path,
                       uint64_t bytes, struct str sha256, struct err *err);
/* Forgets what a trial left, when its files are gone. */
int store_artifacts_drop(struct store *s, int64_t trial, struct err *err);
struct artifact {
    struct str path; /* relative to the trial's folder */
    uint64_t bytes;
    struct str sha256;
};
int store_artifacts(struct store *s, int64_t trial, struct arena *a,
                    struct artifact **list, size_t *count, struct err *err);
/* A line in the study's diary: started, stopped, took over, requests. */
int store_event_add(struct store *s, double wall, const char *what,
                    struct str text, struct err *err);
struct event {
    double wall;
    struct str what, text;
};
/* The last lines of the diary, oldest first; last 0: all. */
int store_events(struct store *s, int64_t last, struct arena *a,
                 struct event **list, size_t *count, struct err *err);

/* One line of what the strategy was asked and told. */
enum heard_kind {                  /* the numbers are stored: never renumber */
                  HEARD_ASKED = 1, /* it suggested this trial */
                  HEARD_TOLD =
                      2, /* how the trial ended, or that it waits at a rung */
                  HEARD_REPORT = 3,   /* a report that early stopping counts */
                  HEARD_PROMOTED = 4, /* the waiting trial goes on */
                  HEARD_BROKEN = 5,   /* how far a constraint of a trial that
                                         waits is broken; told comes next */
                  HEARD_DECIDED = 6,  /* the report at which it was to stop,
                                         where not all that count are here */
};
struct heard {
    enum heard_kind kind;
    int64_t trial;
    int64_t step;     /* told: the last one, or -1; report and decided: which,
                         from 1; promoted: its new budget; broken: which, from
                         0 */
    enum state state; /* told, report and decided */
    double value;     /* but of asked and promoted; NaN: none */
};
int store_heard_add(struct store *s, const struct heard *h, struct err *err);
/* All of it, in order. */
int store_heard(struct store *s, struct arena *a, struct heard **list,
                size_t *count, struct err *err);

/* ---- reading ---------------------------------------------------------- */

struct counts {
    int64_t total;
    int64_t by_state[STATE_COUNT];
};
int store_counts(struct store *s, struct counts *c, struct err *err);
/* How many ended well (done, stopped) and have no value. */
int store_valueless(struct store *s, int64_t *count, struct err *err);
/* ERR_MISSING when there is no such trial. */
int store_trial(struct store *s, int64_t id, struct arena *a, struct trial *t,
                struct err *err);
int store_attempts(struct store *s, int64_t id, struct arena *a,
                   struct attempt **list, size_t *count, struct err *err);
/* When each attempt ran, and where, in the order of trials. The host is valid
 * during the call. */
struct span {
    int64_t trial;
    uint32_t number;
    enum outcome outcome;
    struct str host;       /* empty: not known */
    double placed;         /* when its place was given it; 0: not known */
    double started, ended; /* unix time; 0: not yet */
    double seconds;        /* it ran, as its worker measured it; of the time */
    double cpu_seconds;    /* its processes took this; 0 while it runs */
    uint64_t max_rss_bytes;
    struct use use;
};
/* What the attempts of the newest trials had of devices, added up, that of the
 * last one with such a name; and what they ran and took of cpus. */
struct use_sum {
    struct use use;
    int64_t attempts;
    double seconds, cpu_seconds;
};
int store_use(struct store *s, int64_t trials, struct use_sum *sum,
              struct err *err);
typedef void store_span_fn(void *context, const struct span *s);
int store_spans(struct store *s, store_span_fn *fn, void *context,
                struct err *err);
/* WISH_NONE for most. */
int store_wish(struct store *s, int64_t trial, enum wish *wish,
               struct err *err);
int64_t store_last_trial(struct store *s); /* 0: none */

/* Which trials, in which order. All parts are optional ({0}: all by id). */
struct query {
    const char *selector; /* "7" "1-10,15" "failed" "best:20" "tag:x" "last"
                             "all"; several joined by ',' */
    const char *where;    /* the filter language; see filter.h's grammar */
    const char *by;       /* "" or NULL: by id; "value": the objective; a
                             metric (loss, loss.min), a parameter, or a
                             trial column (seconds, started …). Trials
                             without it are left out; numbers come before
                             texts, equal ones by id */
    bool descending;
    int64_t limit;   /* 0: no limit */
    bool with_texts; /* also summary, reason, note, tags */
    bool results; /* nothing but id, state, value and point, and with_texts the
                     summary: reads many trials faster */
};
struct rows; /* an open query; close it before its store */
/* Each trial once, by id unless the query says otherwise; "best:N" alone
 * comes in rank order. best and worst look at final trials that have a
 * value, by the fact "goal" ("maximize", else minimize). Several objectives, or
 * bounds (the fact "goals"), rank as store_fronts_order has it. */
struct rows *store_rows(struct store *s, const struct query *q,
                        struct err *err);
/* 1 and *t (valid until the next call), 0 at the end, -1. */
int rows_next(struct rows *r, struct trial *t, struct err *err);
void rows_close(struct rows *r);
/* Checks a filter or a selector alone, for good messages before any work. */
int store_filter_check(const char *where, struct err *err);
/* The names of parameters and metrics that a filter looks for, as written.
 * NULL-terminated, in the arena; NULL when the filter is wrong. */
const char **store_filter_names(const char *where, struct arena *a,
                                struct err *err);
int store_selector_check(const char *selector, struct err *err);

/* Trials with a value, grouped by all parameters but `over` (names joined by
 * ','; "seed" where no parameter is called so: by repeat group). Sorted by
 * mean, best first. ERR_INPUT when no trial has such a parameter. */
struct group_row {
    struct str point;           /* JSON without the parameters looked over */
    int64_t count;              /* trials with a value */
    double mean, std, min, max; /* std of the sample; 0 for one trial */
    int64_t best;               /* trial */
};
int store_group(struct store *s, const char *over, const char *where,
                bool minimize, int64_t limit, struct arena *a,
                struct group_row **list, size_t *count, struct err *err);

/* How bad trials ended, by number, each with its newest attempt. */
struct trial_failure {
    int64_t trial;
    enum state state;
    struct str reason; /* of the trial */
    struct str point;  /* JSON */
    uint32_t attempt;  /* 0: it never had one */
    enum outcome outcome;
    int32_t exit_code, signum;
    struct str tail; /* last lines of its output */
};
/* The texts are valid during the call. */
typedef void store_failure_fn(void *context, const struct trial_failure *f);
int store_failures(struct store *s, store_failure_fn *fn, void *context,
                   struct err *err);

/* The points of one metric of a trial that count, by step. Of several sources
 * of an attempt the best one counts. Of attempts that report the same step the
 * newest wins, and an earlier one has nothing behind the last step of a newer
 * one: what was said last stands last. What attempts reported before one that
 * began anew does not count from the first step on that it reports. */
struct series {
    int64_t *steps;
    int64_t *times_ms; /* when each reached the study, unix time; 0: unknown */
    double *values;
    size_t count;
    enum metric_source source; /* that counts of the newest attempt with any */
};
int store_series(struct store *s, int64_t trial, const char *name,
                 struct arena *a, struct series *out, struct err *err);
/* All of one attempt alone, whether or not they count. */
int store_attempt_series(struct store *s, int64_t trial, uint32_t attempt,
                         const char *name, struct arena *a, struct series *out,
                         struct err *err);
/* All tags that some trial has, in order. NULL-terminated. */
const char **store_tags(struct store *s, struct arena *a, struct err *err);
/* Names of all metrics of a trial (trial 0: of the study), in the order in
 * which the study first saw them. NULL-terminated. */
const char **store_metric_names(struct store *s, int64_t trial, struct arena *a,
                                struct err *err);

/* The final trial of the best value, or 0; of equal ones the first of rank. */
int64_t store_best(struct store *s, bool minimize);

/* Where equal points had different values: what a model of the results expects
 * of the trials of the best values, the best expectation first. Set to none
 * (count 0) where they had not. */
struct trial_mean {
    int64_t trial;
    double mean; /* of the objective */
};
int store_means_set(struct store *s, const struct trial_mean *list,
                    size_t count, struct err *err);
int store_means(struct store *s, struct arena *a, struct trial_mean **list,
                size_t *count, struct err *err);

/* How the trials that ended well stand to each other where there are several
 * objectives, or bounds. */
struct store_fronts {
    VEC(struct contender) list; /* by number */
    VEC(double) values;         /* `width` of each of them */
    size_t width;               /* objectives */
    size_t pareto, infeasible;  /* trials */
    double volume; /* of the Pareto set, against the worst value that any
                      trial had of each objective; NaN: one objective only,
                      or too many points */
};
/* A goal with objectives; `where`: a filter, or NULL. */
int store_fronts_read(struct store_fronts *f, struct store *store,
                      const struct goal *g, const char *where, struct err *err);
void store_fronts_done(struct store_fronts *f);
/* Places in the list, best first; yours to free. */
size_t *store_fronts_order(const struct store_fronts *f, const struct goal *g);
/* What the study wants, of its fact "goals"; no objective where it names
 * none. */
int store_goal(struct store *s, struct arena *a, struct goal *g,
               struct err *err);

/* ---- requests --------------------------------------------------------- */

/* A request to the holder of the lease: a verb ("stop", "kill", "retry",
 * "tag" …), a selector, arguments. Written as a file renamed into
 * <folder>/requests/. */
struct request {
    struct str file; /* its name there */
    struct str verb, selector;
    const struct value *args; /* or NULL */
    char *points; /* the path of a file with a point on each line, where they
                     are too many for args; NULL: there is none */
    bool asks;    /* somebody waits for an answer */
};
int store_request_put(const char *folder, const char *verb,
                      const char *selector, const struct value *args,
                      struct err *err);
/* The same, and waits for an answer: its name, in the arena; NULL: err. A list
 * "points" among the arguments may be as long as it likes. */
char *store_request_ask(const char *folder, const char *verb,
                        const char *selector, const struct value *args,
                        struct arena *a, struct err *err);
/* False when it was taken away, so that an answer is there. */
bool store_request_waits(const char *folder, const char *file);
/* All that wait, oldest first; unreadable ones are moved aside, named in the
 * event diary, and answered. */
int store_requests(struct store *s, struct arena *a, struct request **list,
                   size_t *count, struct err *err);
/* Takes it away; after it was answered. */
void store_request_done(struct store *s, const struct request *r);

/* How a request went. */
struct request_answer {
    int64_t changed; /* trials */
    int64_t wished; /* trials that the next run will end; with nobody running */
    int64_t first;  /* the lowest number of a new trial; 0: none is new */
    bool running;   /* a conductor runs the study */
    struct err fault; /* why nothing was changed; ERR_NONE: it was applied */
};
/* As JSON on one line, which is what store_answer_put takes. */
void store_answer_print(struct buf *b, const struct request_answer *answer);
int store_answer_put(const struct store *s, const char *file, struct str text,
                     struct err *err);
/* 1: *answer, which is taken away; 0: there is none yet; -1: err. */
int store_answer_take(const char *folder, const char *file,
                      struct request_answer *answer, struct err *err);
/* Removes answers that nobody came for. */
void store_answers_sweep(const struct store *s);
/* Writes a consistent copy of the store to path, in one step (for readers on
 * network file systems: <folder>/snapshot.db). Commits first. */
int store_snapshot(struct store *s, const char *path, struct err *err);

/* ---- folders ---------------------------------------------------------- */

/* Whose own folder: of the attempt that was handed out under this number, and
 * which beginning of it, where a scheduler began it more than once; 0: the
 * first. */
#define STORE_START_SHIFT 20
#define STORE_OWN_MAX (1u << STORE_START_SHIFT)
static inline uint32_t store_own(uint32_t attempt, uint32_t start)
{
    return start << STORE_START_SHIFT | attempt;
}
static inline uint32_t store_own_attempt(uint32_t own)
{
    return own % STORE_OWN_MAX;
}
static inline uint32_t store_own_start(uint32_t own)
{
    return own >> STORE_START_SHIFT;
}
/* <folder>/trials/<thousand>/<id>, <id>.<own> or <id>.<own>r<start>, in the
 * arena. */
char *store_attempt_folder(const char *folder, int64_t trial, uint32_t own,
                           struct arena *a);
/* Where the newest attempt of a trial has its files: whoever reads what a
 * trial wrote asks here. */
char *store_trial_folder(struct store *s, int64_t trial, struct arena *a);
/* Which trial a folder among those of a thousand belongs to, by its name, and
 * whether it is the trial's first. False: it is none. */
bool store_folder_trial(const char *name, int64_t *trial, bool *first);

/* ---- packed files ----------------------------------------------------- */

/* Small files of final trials (logs, weights) are packed where there are many
 * of them, those of a thousand trials into one: whoever wants a file of a trial
 * asks here, whichever form it has. */
#define PACK_TRIALS 1000
struct packs; /* remembers the last pack that was asked for */
struct packs *packs_open(const char *folder);
/* The same for whoever wants what the newest attempt of a trial has left, which
 * may have a folder of its own (store_trial_folder), of which nothing is
 * packed. The store lives as long. */
struct packs *packs_of(struct store *s);
void packs_close(struct packs *p);
/* <folder>/trials/<thousand>.pack, in the arena. */
char *packs_path(const char *folder, int64_t trial, struct arena *a);
/* Appends the file `name` of a trial's folder to b. ERR_MISSING: it has none.
 */
int packs_read(struct packs *p, int64_t trial, const char *name, struct buf *b,
               struct err *err);
struct packed {
    const char *name; /* in the trial's folder */
    uint64_t bytes;   /* of the file */
};
/* The packed files of a trial; none is no error. */
int packs_list(struct packs *p, int64_t trial, struct arena *a,
               struct packed **list, size_t *count, struct err *err);
/* Writes the packed files of a trial into a folder, where they are not there
 * yet; durable: they are on the disk before this returns. */
int packs_restore(struct packs *p, int64_t trial, const char *to, bool durable,
                  struct err *err);

/* For the holder of the lease. Packs files of trials of one thousand: when they
 * are on the disk in their new form, the old one goes, and folders that it
 * leaves empty. */
struct to_pack {
    int64_t trial;
    const char *name; /* of a regular file in the trial's folder */
};
int packs_add(const char *folder, const struct to_pack *list, size_t count,
              struct err *err);
/* Puts a small file of a trial into its pack, as one of the changes: there it
 * is when they are committed. Nothing of that name may be in its folder. */
int store_file_put(struct store *s, int64_t trial, const char *name,
                   struct str text, struct err *err);
/* Where such a file lies: `len` bytes with this hash (hash64, seed 0), of which
 * the last `bytes` are the file. The path is in the arena; NULL: there is no
 * such file, or it is zipped. */
struct stored_file {
    const char *path;
    uint64_t at, len, hash, bytes;
};
int store_file_find(struct store *s, int64_t trial, const char *name,
                    struct arena *a, struct stored_file *found,
                    struct err *err);
/* Removes packed files for which the function says true. */
typedef bool packs_drop_fn(void *context, int64_t trial, struct str name,
                           uint64_t bytes);
int packs_drop(struct packs *p, int64_t thousand, packs_drop_fn *drop,
               void *context, struct err *err);

#endif
