/* run.h - running trials: attempts, retries, results
 *
 * Knows the engine and the store, and no strategy: what to run next, how to
 * build its task and who hears of results come in through `run_source`, so
 * that other faces of throng can use it. What must stay true:
 *
 * - A trial's row and its attempt's row are committed before the task is
 *   submitted.
 * - A result and the state that it leads to are one transaction.
 * - The worker is told that records are committed only after they are. */
#ifndef THRONG_STUDY_RUN_H
#define THRONG_STUDY_RUN_H

#include <stdint.h>
#include "base/err.h"
#include "base/log.h"
#include "base/map.h"
#include "engine/engine.h"
#include "store/store.h"
#include "study/pace.h"
#include "study/phase.h"
#include "study/study.h"
#include "study/summary.h"
#include "terms/stoprule.h"
#include "terms/suggestion.h"
#include "terms/task.h"

#define RUN_LOSSES_MAX 3 /* so many in a row count as a failure */
#define NOTICES_MAX 20   /* of tasks, that are shown in one run */

/* What is held against a trial that was lost (blame.c). */
struct suspicion {
    unsigned losses;      /* in a row, for which nobody else is to blame … */
    unsigned crowded;     /* … and those in company */
    uint32_t apart;       /* no more than so many at once beside it, itself
                             included; 0: any number */
    bool was_lost;        /* … */
    uint64_t lost_digest; /* … with this checkpoint */
};

/* A trial that is not final yet, in memory. */
struct live {
    struct trial t;     /* strings are ours, freed with it */
    int64_t suggestion; /* which one of the source's; 0: a person's */
    enum live_phase phase;
    struct attempt a;     /* the attempt that is out, or was last */
    bool again;           /* … which a scheduler began by itself */
    int64_t started_ns;   /* when it was heard to run (monotonic) */
    bool adopted;         /* an earlier run made it */
    bool lives_on;        /* … and the attempt that it had out is at its place
                             and held by the engine again */
    bool start_unwritten; /* it runs, its rows do not say so yet */
    bool read_unwritten;  /* nor how far the attempt's words were read */
    uint32_t earlier;     /* the attempt before that may have run; 0: none */
    uint32_t failed;      /* the newest attempt that failed; 0: none */
    uint32_t overcome;    /* … before the one that began anew last */
    uint32_t stood_in;    /* folder (struct attempt) in which an attempt was
                             heard to run last */
    bool summary_unwritten; /* nor what it has reported since */
    const char *stop_why;   /* it was asked to finish early; NULL: it was not */
    int64_t decided_at;     /* the step of the report that a stop was decided
                               at: later ones do not count; INT64_MAX: none */
    int64_t awaits;         /* the step whose report it waits for an answer to,
                               as it was told last; 0: none */
    enum wish wish;         /* a person's, which every end honours */
    bool unread;            /* its last attempt is gone without a word, and may
                               have left reports in its files */
    struct suspicion suspicion; /* that it takes its worker down (blame.c) */
    bool has_digest;            /* an attempt has ended checkpointed … */
    uint64_t digest;            /* … with this checkpoint */
    int64_t ready_ns;           /* not to be placed before (monotonic) */
    uint64_t turn;              /* which attempt of this run is out, from 1 */
    char *about; /* values that its task said while the store waits for the
                    disk, with those before; else NULL */
    struct summary summary;
    struct stoprule_state rule;
    int64_t rule_step; /* the last one that the rule has heard of */
    double used_s;     /* by the attempts that this one goes on from, … */
    uint32_t used_of;  /* … which is this one; 0: nobody has looked */
};

/* A trial with its task, on its way out. */
struct placing {
    struct live *live;
    struct task task;
};

enum run_next { RUN_NEXT_ERROR = -1, RUN_NEXT_END, RUN_NEXT, RUN_NEXT_WAIT };

struct run_source {
    void *context;
    /* Suggestion k, from 1: the point of a new trial; or a paused trial that
     * goes on (out->replaces). k 0: only the latter. */
    enum run_next (*next)(void *context, int64_t k, struct arena *a,
                          struct suggestion *out, struct err *err);
    /* Which suggestion a stored trial is; 0: none. */
    int64_t (*suggestion_of)(void *context, int64_t trial);
    /* Which repeat group and member the trial of suggestion k is. */
    void (*place_in_group)(void *context, int64_t k, struct trial *t);
    /* Its task; the strings may live in the arena. */
    int (*build)(void *context, const struct live *l, struct arena *a,
                 struct task *t, struct err *err);
    /* True when the attempt that an earlier run had out lives on at its place:
     * the engine holds it again. */
    bool (*lives_on)(void *context, struct live *l);
    /* False when the attempt that an earlier run had out did not run when that
     * and its worker were killed. */
    bool (*may_have_run)(void *context, const struct live *l);
    /* The task is about to go out: says where its predecessor stood. */
    int (*go_on)(void *context, const struct live *l, struct arena *a,
                 struct task *t, struct err *err);
    /* The task goes out now, and all that was said until now is committed:
     * says where what the trial left lies. */
    int (*send)(void *context, const struct live *l, struct arena *a,
                struct task *t, struct err *err);
    /* A running trial reported the objective. What stops it is put into
     * l->stop_why, a text that lives as long as the run. */
    enum decision (*report)(void *context, struct live *l, int64_t step,
                            double value);
    /* An attempt that began anew has reported, and what was reported before
     * counts no more, from its first step on: what is stored now is all that
     * the trial has said. */
    int (*anew)(void *context, struct live *l, struct err *err);
    /* The step of the first report to come that may stop the trial, where it
     * reports every step; 0: there is none. */
    int64_t (*decides_at)(void *context, const struct live *l);
    /* True when a trial whose attempt ended well is to wait, paused. */
    bool (*pauses)(void *context, const struct live *l);
    /* A trial is final or paused; its row is written but not committed yet. */
    void (*ended)(void *context, const struct live *l);
    /* A final trial with all of its points is committed: its metrics file is
     * of no more use. */
    void (*settled)(void *context, int64_t trial);
    /* Appends a text that a task wrote, without the secrets in it. */
    void (*redact)(void *context, struct buf *b, struct str text);
};

struct run_limits {
    struct str metric;       /* the objective; empty: none */
    const struct goal *goal; /* all objectives, and bounds */
    bool minimize, pick_best;
    bool metric_file; /* the metric is in a file that the task writes */
    bool has_target;
    double target;
    uint32_t retries;
    double retry_delay_s;
    double time_limit_s;  /* 0: none */
    double time_used_s;   /* by earlier runs */
    int64_t max_failures; /* -1: none */
    int64_t count;        /* new trials in this run; 0: no limit */
    bool keep_going;
    bool foresees;    /* may ask ahead of results */
    bool needs_fixed; /* all trials need the same … */
    struct needs needs;
};

struct run {
    struct store *store;
    struct engine *engine;
    struct loop *loop;
    const struct log *log;
    const char *host; /* this machine's name */
    struct run_source source;
    struct run_limits limits;

    struct idmap *lives;
    VEC(struct live *) waiting;  /* a heap by (ready_ns, id) */
    VEC(struct live *) suspects; /* those that run apart (blame.c) */
    uint32_t out;                /* trials whose attempt is */
    /* Written, not committed, not submitted; in place_arena. */
    VEC(struct placing) placing;
    struct arena *place_arena;
    VEC(int64_t) started;    /* or heard of since the last commit */
    VEC(int64_t) left;       /* ended with a metrics file, not yet for good */
    VEC(int64_t) reported;   /* since summaries were written … */
    int64_t summaries_ns;    /* … which is due again at this time */
    int64_t next_id;         /* of the next trial */
    int64_t next_suggestion; /* trials that people added have none */
    bool asked_all;
    bool only_paused; /* `count` is used up and no paused trial goes on */
    int64_t made_here, ended_here;
    int64_t failed_first;  /* trials that failed … */
    bool any_good;         /* … while none has ended well or reported: */
    int64_t unreported;    /* trials that ended well without the metric … */
    bool any_value;        /* … while none has reported it */
    char *unreported_hint; /* what the person may do about it; or NULL */
    enum study_end doubt;  /* of RUN_DOUBTS: what the end would be */

    struct counts counts; /* kept current for progress */
    int64_t best;         /* the first of rank … */
    double best_value;
    bool best_tied; /* … which others of this value may be: the store knows */
    struct pace pace;
    size_t pace_written; /* ends that who watches knows of */
    int64_t started_ns;
    char *failure_tail;
    uint32_t most;         /* at once, where more were refused; 0: any number */
    int64_t grow_ns;       /* when it may be one more (shortage.c) */
    int64_t again_ns;      /* before this nothing is tried */
    uint64_t turns;        /* attempts handed out … */
    uint64_t refused_turn; /* … until the last refusal that was news */
    unsigned refused;      /* such refusals in a row with nothing running */
    bool said_short;
    unsigned unfit;             /* trials in a row that can never run */
    uint64_t told[NOTICES_MAX]; /* hashes of the notices that were shown */
    unsigned notices;           /* how many */

    bool dirty; /* changes wait for a commit */
    int64_t dirty_ns, filled_ns;
    int64_t committed_ns;  /* 0: all is on the disk */
    unsigned commit_tries; /* failed ones in a row … */
    int64_t retry_ns;      /* … and when the next one is due */
    bool fill_due;         /* a fill was put off to share a commit */
    enum run_phase phase;
    enum study_end end; /* why it ends, once that is known */
    struct err fault;
    struct arena *arena; /* for one record */
    struct buf text;
    struct loop_source *after, *timer;
};

/* store, engine, loop, log, source, limits, next_id and next_suggestion are
 * filled by the caller. */
int run_open(struct run *r, struct err *err);
/* All is settled and the engine is started. */
void run_begin(struct run *r);
void run_close(struct run *r);
struct engine_hooks run_hooks(struct run *r);
/* Takes in a trial of the store that is not final. If it has an attempt out,
 * records that a worker left behind may still end that attempt, until … */
int run_adopt(struct run *r, const struct trial *t, struct err *err);
/* Those that live on at their place are handed to the engine again. */
void run_offer(struct run *r);
/* … here attempts that nobody has heard of, and that do not live on, end. Their
 * conductor and their worker died together: they are lost, like those whose
 * worker dies alone; or interrupted, where the machine went down with both, or
 * where they were to end anyway (`wanted`), or where nobody knows whether they
 * have (`presumed`): then the trial goes on in another folder. One that had not
 * begun and of which its place, which keeps what it was handed, knows nothing
 * was never handed to it. */
void run_settle(struct run *r, bool wanted, bool presumed);
/* Takes in a waiting trial that was just written, while the run goes on: one
 * that a person added, or one that is to be tried again (`again`: it is
 * counted in its old state). */
int run_take_in(struct run *r, const struct trial *t, bool again,
                enum state was, struct err *err);
/* No more suggestions; of the waiting trials, only those go on that have run
 * before or that a person added. */
void run_only_wishes(struct run *r);
/* A paused trial of the store ends as stopped. */
int run_close_paused(struct run *r, const struct trial *t, const char *reason,
                     struct err *err);
/* Places what there is room for, commits, ends when nothing is left. Called
 * after every round of the loop; the owner calls it once to begin. */
void run_round(struct run *r);
/* The run is over and committed: waits until that is on the disk, and removes
 * what was kept until then. */
void run_all_on_disk(struct run *r);
/* True when more trials ended badly than max_failures allows. */
bool run_too_many_failures(const struct run *r);
/* The first trials have all failed, or ended without the metric: those that
 * run show whether it is any use to go on. */
void run_doubt(struct run *r, enum study_end why);
/* So many trials are the first ones: as many as run at once, within limits. */
int64_t run_first_round(const struct run *r);
/* True when the worker of the last of these attempts that began may have had no
 * time to say all: the trial's files may hold reports that nobody has read. */
bool run_left_unread(const struct attempt *list, size_t count);
/* True when the trial is to be stopped, and what its last attempt left is read
 * first. */
static inline bool run_reads_first(const struct live *l)
{
    return l->wish == WISH_STOP && l->unread && l->phase != LIVE_READ &&
           l->decided_at == INT64_MAX;
}
/* True while trials run, or may start, and nobody wants an end. */
static inline bool run_goes_on(const struct run *r)
{
    return r->phase == RUN_STARTS || r->phase == RUN_DOUBTS;
}
/* The run ends without a round: there is no use in it. */
void run_over(struct run *r, enum study_end end);
/* What an end is wanted for while the run settles waits for run_begin. */
void run_drain(struct run *r, enum study_end why);
void run_interrupt(struct run *r, enum study_end why);
/* What runs goes on at a place that outlives us, for the next run to collect;
 * elsewhere as run_interrupt. */
void run_part(struct run *r, enum study_end why);
/* Something broke for good; err is copied. */
void run_break(struct run *r, const struct err *err);
struct live *run_live(struct run *r, int64_t trial);
/* True when an attempt of the trial is out. */
static inline bool live_is_out(const struct live *l)
{
    return l->phase == LIVE_OUT || l->phase == LIVE_READS;
}
/* Trials that wait and that a person has stopped or killed end here: the run
 * in which that was asked did not live to see it. */
int run_grant_wishes(struct run *r, struct err *err);

/* Makes all changes permanent, then sends out what waited for that. Where the
 * store cannot be written now (-1) they stay, and may be tried again. */
int run_commit(struct run *r, struct err *err);

/* ---- attempt.c: what a record means for a trial ---------------------- */

void attempt_record(struct run *r, const struct record *record);
/* Takes in what a task says of itself (about.c), a line without secrets. */
int attempt_about(struct run *r, struct live *l, struct str line,
                  struct err *err);
/* company: how many that had started were lost together; 0: it had not. */
void attempt_lost(struct run *r, uint64_t task, uint32_t number, enum loss loss,
                  uint32_t company, const char *reason);
/* A scheduler has begun the task once more: the number of the attempt that it
 * is from now on; 0: it is nobody's. */
uint32_t attempt_again(struct run *r, uint64_t task, uint32_t number,
                       const struct again *how);
/* The folder (struct attempt) of the attempt that is out, or of the next. */
uint32_t attempt_folder(const struct live *l);
/* Asks the attempt that is out to finish early; `why` lives as long as the
 * run. */
void attempt_stop(struct run *r, struct live *l, const char *why);
/* A person wants the trial to stop or to end. One that waits does so at once;
 * else the wish is kept with the trial until its attempt has ended. */
int attempt_wish(struct run *r, struct live *l, enum wish wish,
                 struct err *err);
/* Ends a trial that is neither out nor waiting as it was wished. */
int attempt_grant(struct run *r, struct live *l, struct err *err);
/* What breaks a constraint keeps its metrics, but has no value. Returns why it
 * ended, and that. */
const char *attempt_mind_bounds(struct run *r, struct live *l, const char *why);
/* A waiting trial that was to be stopped ends as stopped, with its value. */
int attempt_stop_waiting(struct run *r, struct live *l, const char *why,
                         struct err *err);
/* The attempt that is out has gone without a word of its own. */
void attempt_gone(struct run *r, struct live *l, enum outcome outcome,
                  const char *reason);

/* ---- unreported.c: trials that end well without the metric ------------- */

void unreported_note(struct run *r, const struct live *l);

/* ---- costs.c: what a trial cost, as a metric ---------------------------- */

/* Adds seconds, cpu_seconds and memory to the metrics of a trial whose attempt
 * has ended, where the study looks for them. */
int costs_take(struct run *r, struct live *l, struct err *err);

/* ---- blame.c: which trial it was that took its worker down ----------- */

/* This attempt was lost. */
void blame_loss(struct run *r, struct live *l, const struct attempt *a);
/* The trial has ended an attempt by itself. */
void blame_clear(struct run *r, struct live *l);
/* Where the losses begin that still count: behind the last attempt that ended
 * by itself. */
size_t blame_first(const struct attempt *list, size_t count);
/* True when the trial may go out beside those that are. */
bool blame_allows(const struct run *r, const struct live *l);

/* ---- shortage.c: fewer at once, where the machine refuses more ------- */

/* An attempt could not begin for this reason. -1: nor can any other. */
int shortage_refused(struct run *r, const struct live *l, const char *reason,
                     struct err *err);
/* True when another trial may go out. */
bool shortage_allows(struct run *r);

/* ---- waiting.c: trials that wait to go out ---------------------------- */

void run_wait(struct run *r, struct live *l);
void run_unwait(struct run *r, struct live *l);
/* The next one, taken out, if it is ready by now; else NULL. */
struct live *run_pop_ready(struct run *r, int64_t now_ns);
/* After some were taken out of the list by hand. */
void run_order_waiting(struct run *r);

/* ---- shared by run.c and attempt.c ----------------------------------- */

void run_dirty(struct run *r);
/* Writes a new attempt of the trial, which goes out, or is out already. */
int run_write_attempt(struct run *r, struct live *l, uint32_t folder,
                      struct err *err);
/* Writes a trial's row, with what it has reported so far. */
int run_write_row(struct run *r, struct live *l, struct err *err);
/* Writes the final state and forgets the trial. */
int run_finish(struct run *r, struct live *l, enum state state,
               const char *reason, struct err *err);
/* Writes that the trial is paused, and forgets it. */
int run_pause(struct run *r, struct live *l, const char *reason,
              struct err *err);
/* A final trial has this value: the best so far? The target? */
void run_note_value(struct run *r, struct live *l);
void live_free(struct live *l);

#endif
