/* act.h - changing a study, whether or not it runs */
#ifndef THRONG_CLI_ACT_H
#define THRONG_CLI_ACT_H

#include "cli/cli.h"

enum acted { ACT_FAILED = -1, ACT_DONE, ACT_HEARD, ACT_ASKED };

/* Does what study_apply lists. A running study is asked, and an answer is
 * waited for a few seconds: ACT_HEARD, or ACT_ASKED when none came. With
 * nobody running it, it is done here: ACT_DONE, and *changed is the number
 * of trials. ACT_FAILED: c->err. */
enum acted act(struct call *c, const struct place_of_study *where,
               const char *verb, const char *selector, const struct value *args,
               int64_t *changed);
/* Opens the study and checks that the selector, which must be given, names a
 * trial; *count says how many. NULL: c->err. */
struct store *open_for_trials(struct call *c, struct place_of_study *where,
                              int64_t *count);

#endif
