/* change.h - what verbs that change trials have in common */
#ifndef THRONG_CLI_CHANGE_H
#define THRONG_CLI_CHANGE_H

#include "cli/cli.h"

/* What to say of ACT_ASKED. */
#define ACT_NO_ANSWER                                                          \
    "the running study has not answered yet; the request waits for it"
/* Asks the study for a change, as study_act; c->err. */
enum acted act(struct call *c, const struct place_of_study *where,
               const char *verb, const char *selector, const struct value *args,
               struct request_answer *answer);
/* Opens the study and checks that the selector, which must be given, names a
 * trial; *count says how many. NULL: c->err. */
struct store *open_for_trials(struct call *c, struct place_of_study *where,
                              int64_t *count);

#endif
