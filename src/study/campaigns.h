/* campaigns.h - campaigns as those see them who run or show one
 *
 * A campaign is a graph of studies and verbs, its stages. Its store has no
 * trials, but what each stage read and how it ended. A part of study.h. */
#ifndef THRONG_STUDY_CAMPAIGNS_H
#define THRONG_STUDY_CAMPAIGNS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/log.h"
#include "plan/plan.h"
#include "store/store.h"
#include "sys/sys.h"

/* How a stage stands. */
enum stage_state {
    STAGE_WAITS, /* for what it needs, or for its turn */
    STAGE_RUNS,
    STAGE_DONE,
    STAGE_FAILED,
    STAGE_SKIPPED, /* its `when` did not hold, or it needs one that was */
    STAGE_BLOCKED, /* what it needs has failed */
    STAGE_ENDED,   /* it was asked to end, and goes on with the next run */
};
#define STAGE_STATES (STAGE_ENDED + 1)
const char *stage_state_name(enum stage_state state);

struct campaign;
struct campaign_setup {
    const struct plan_campaign *plan;
    const char *folder; /* absolute: <where the file is>/.throng/<name> */
    const char *home;   /* absolute: the campaign file's own folder */
    const struct plan_reader *reader; /* of the stages' studies */
    /* Words that run a stage: behind them comes its name. Ended by NULL. */
    const char *const *words;
    struct loop *loop;
    const struct log *log;
    const mode_t *mask; /* umask of the person's programs; NULL: ours */
    bool take_over;
    /* Hears that a stage begins or has ended. */
    void (*heard)(void *context, const struct plan_stage *s,
                  enum stage_state state, const char *why);
    void *context;
};
enum campaign_end {
    CAMPAIGN_COMPLETE,
    CAMPAIGN_FAILED, /* some stage has; all that does not need it is done */
    CAMPAIGN_ENDED,  /* asked to end */
};
/* Makes or opens the campaign's store, and takes its lease. */
struct campaign *campaign_open(const struct campaign_setup *setup,
                               struct err *err);
/* Runs what is not done, until nothing is left to do. */
int campaign_run(struct campaign *c, enum campaign_end *end, struct err *err);
/* No new stage begins; those that run are asked as their studies are, the more
 * urgently the more often. */
void campaign_interrupt(struct campaign *c);
/* They end at once, and go on with the next run. */
void campaign_terminate(struct campaign *c);
void campaign_close(struct campaign *c);
/* How many of its stages began in this run. */
size_t campaign_began(const struct campaign *c);
/* What a run would do, a line for each stage; nothing is run or written. Of the
 * setup: plan, folder, home, reader, log. */
int campaign_foresee(const struct campaign_setup *setup, struct buf *b,
                     struct err *err);
/* A stage of it was begun and did not end well: its files may be half there. */
bool campaign_cut_off(const char *folder, struct str stage);
/* True when a store is a campaign's. */
bool store_is_campaign(struct store *store);
/* What a campaign's store says of its stages. */
struct stage_told {
    struct str name, kind;
    struct str *needs;
    size_t need_count;
    enum stage_state state;
    struct str why;
    double started, ended; /* unix time; 0: not yet */
};
int campaign_told(struct store *store, struct arena *a,
                  struct stage_told **list, size_t *count, struct err *err);
/* What a campaign's conductor writes to that of a stage, a byte each, beside
 * the stage's part of `parallel` as digits and an end of line. Unlike by a
 * signal, jobs at a scheduler are meant, too. */
enum { STAGE_ASKED_STOP = 's', STAGE_ASKED_KILL = 'k' };
/* The names of the studies that lie in a campaign's folder, those that do not
 * count any more too, and NULL; of a study there are none. What is shared is
 * another campaign's. */
const char **campaign_studies(struct store *store, struct arena *a);
/* Trials at once: of the campaign, and a stage's part when it begins; 0: it
 * says nothing of them. */
struct stage_room {
    uint32_t parallel, share;
};
/* The study of a stage that the conductor has made ready, as JSON. */
int campaign_stage_study(struct store *store, const char *stage,
                         struct arena *a, struct str *text,
                         struct stage_room *room, struct err *err);
/* True when the folder is that of a stage: the campaign's is around it. */
bool is_stage_folder(struct arena *a, const char *folder);

#endif
