/* act.h - changing a study, whether or not it runs */
#ifndef THRONG_CLI_ACT_H
#define THRONG_CLI_ACT_H

#include "cli/cli.h"

enum acted { ACT_FAILED = -1, ACT_DONE, ACT_HEARD, ACT_ASKED };

/* Does what study_apply lists. A running study is asked, and its answer is
 * waited for: ACT_HEARD, or ACT_ASKED when none came within 20 s (the request
 * then waits and still counts once). With nobody running it, it is done here:
 * ACT_DONE. ACT_FAILED: c->err; a request that was refused changes nothing. */
enum acted act(struct call *c, const struct place_of_study *where,
               const char *verb, const char *selector, const struct value *args,
               struct request_answer *answer);
/* What to say of ACT_ASKED. */
#define ACT_NO_ANSWER                                                          \
    "the running study has not answered yet; the request waits for it"
/* Opens the study and checks that the selector, which must be given, names a
 * trial; *count says how many. NULL: c->err. */
struct store *open_for_trials(struct call *c, struct place_of_study *where,
                              int64_t *count);

#endif
