/* campaign.h - campaigns on the command line */
#ifndef THRONG_CLI_CAMPAIGN_H
#define THRONG_CLI_CAMPAIGN_H

#include "cli/cli.h"
#include "study/study.h"

/* True when the file is a campaign's. */
bool is_campaign_file(const char *file);
/* Runs a campaign, or says what would run; the exit code. */
int campaign_verb(struct call *c, const char *file);
/* Reads and checks a campaign file, printing its problems; NULL: c->err. */
struct plan_campaign *load_campaign(struct call *c, const char *file,
                                    const struct plan_reader *reader);
/* What a study's plan is checked with before it runs. */
struct plan_reader run_reader(struct call *c, const char *home);
/* How it stands; the exit code. */
int campaign_status(struct call *c, struct store *store,
                    const struct place_of_study *where);
/* The same as text. */
void campaign_print(struct buf *b, const struct campaign_standing *s);
/* `throng check`: what it understood; the exit code. */
int campaign_check(struct call *c, const char *file);

/* The study of a stage as its campaign's conductor made it ready, and where it
 * lives; NULL: c->err. */
struct plan *load_stage(struct call *c, const char *file, const char *stage,
                        struct study_setup *setup);

#endif
