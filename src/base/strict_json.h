/* strict_json.h - JSON that every reader takes
 *
 * JSON has no NaN and no infinities, and most readers refuse the bare words
 * that Python writes for them. What throng hands to other programs says them
 * as the strings "NaN", "Infinity" and "-Infinity". */
#ifndef THRONG_BASE_STRICT_JSON_H
#define THRONG_BASE_STRICT_JSON_H

#include "base/buf.h"
#include "base/value.h"

void strict_number(struct buf *b, double v);
/* A time, in whole microseconds: clocks know no more, and people read it. */
void strict_seconds(struct buf *b, double v);
/* As strict_number, but NaN means that there is no value: null. */
void strict_number_or_null(struct buf *b, double v);
/* Text that is JSON but for bare NaN and infinities outside of strings. */
void strict_text(struct buf *b, struct str json);
void strict_value(struct buf *b, const struct value *v);
/* An empty text means that there is none: null. */
void strict_string_or_null(struct buf *b, struct str s);

#endif
