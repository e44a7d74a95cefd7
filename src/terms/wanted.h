/* wanted.h - a value of a known kind, or in words what it must be
 *
 * For every reader of a person's values; each has a place of its own to name
 * in front (a line, a key, an option). False: `why` goes on from there: "must
 * be at least 1, not 0". */
#ifndef THRONG_TERMS_WANTED_H
#define THRONG_TERMS_WANTED_H

#include "base/buf.h"
#include "base/err.h"
#include "base/value.h"

/* A whole number; a double that is one counts too: 1e3 is how people write a
 * thousand, and searches hand floats on. */
bool want_int(const struct value *v, int64_t min, int64_t max, int64_t *out,
              struct err *why);
/* A finite one. */
bool want_number(const struct value *v, double min, double max, double *out,
                 struct err *why);
bool want_bool(const struct value *v, bool *out, struct err *why);
/* Not an empty one. */
bool want_text(const struct value *v, struct str *out, struct err *why);

/* A text as a message shows it: not too long, no control characters. */
void shown_print(struct buf *b, struct str s);
/* A value in words, short: 'abc', 12, a list. */
void value_words_print(struct buf *b, const struct value *v);

#endif
