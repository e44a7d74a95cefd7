/* failure_text.h - failures in words: which line says what went wrong, which
 * failures are the same, what helps */
#ifndef THRONG_CLI_FAILURE_TEXT_H
#define THRONG_CLI_FAILURE_TEXT_H

#include "store/store.h"

/* The line that says what went wrong: of the output when the task ended by
 * itself, else the reason. Points into f. */
struct str failure_line(const struct trial_failure *f);
/* The line with what differs between trials taken out: numbers become N,
 * addresses 0xN, folders of paths go, and a word that is the value of a
 * parameter in the trial's point (JSON) becomes the parameter's name. */
void failure_normal(struct buf *b, struct str line, struct str point);
/* What a person may do about it, or NULL. */
const char *failure_hint(const struct trial_failure *f);

#endif
