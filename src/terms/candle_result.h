/* candle_result.h - what a CANDLE model says of its result
 *
 * In its output, as `IMPROVE_RESULT [label[:]] number` (or CANDLE_RESULT), or
 * in a file that holds the same without the word. Instead of a number there
 * may be a marker. */
#ifndef THRONG_TERMS_CANDLE_RESULT_H
#define THRONG_TERMS_CANDLE_RESULT_H

#include "base/str.h"

enum candle_says {
    CANDLE_NOTHING,
    CANDLE_NUMBER,    /* also nan and the infinities */
    CANDLE_EXCEPTION, /* EXCEPTION, RUN_EXCEPTION */
    CANDLE_SKIP,      /* SKIP, EPOCHS_COMPLETED_ALREADY */
};
struct candle_result {
    enum candle_says says;
    double value;
    struct str label; /* of a number; may be empty; points into the text */
};

/* A line of output; NOTHING when it has no such word, or nothing behind it. */
struct candle_result candle_result_line(struct str line);
/* The text of a file. */
struct candle_result candle_result_text(struct str text);

#endif
