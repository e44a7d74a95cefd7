/* metric.h - metric points: one line of a metrics file, one batch on a pipe
 *
 * A line is {"step":3,"val_loss":0.21} or, on standard output,
 * `::throng step=3 val_loss=0.21`. Nested objects flatten with '/', true and
 * false are 1 and 0, null is NaN (as a step: no step). Strings count when they
 * are numbers; other strings and lists are passed over. A name may come twice
 * in a line: both points are kept, so that the later one wins. */
#ifndef THRONG_TERMS_METRIC_H
#define THRONG_TERMS_METRIC_H

#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"

#define METRIC_NAME_MAX 200     /* bytes of one name */
#define METRIC_LINE_MAX 1048576 /* bytes of one line */
#define METRIC_NAMES_MAX 10000  /* names of one attempt */
#define METRIC_NO_STEP INT64_MIN

/* Where a value came from; the higher one wins for the same name. */
enum metric_source {
    METRIC_FROM_FILE_NUMBER = 0, /* metric.file */
    METRIC_FROM_PATTERN = 1,     /* metric.pattern */
    METRIC_FROM_OUTPUT = 2,      /* ::throng lines */
    METRIC_FROM_METRICS = 3,     /* the metrics file */
};

struct metric_pair {
    struct str name; /* points into the line or into scratch */
    double value;
};
struct metric_line {
    int64_t step; /* METRIC_NO_STEP when the line has none */
    struct metric_pair *pairs;
    size_t count, cap;
    struct buf scratch; /* unescaped and flattened names */
};
void metric_line_init(struct metric_line *m);
void metric_line_done(struct metric_line *m);
/* Reads one line without its line feed; valid until the next call. -1 and
 * err (with the column) for a line that is no JSON object. */
int metric_line_json(struct metric_line *m, struct str line, struct err *err);
/* Reads `step=3 val_loss=0.21 "odd name"=1`, as behind `::throng`. -1 and
 * err (with the column) also for a word that is no number. */
int metric_line_words(struct metric_line *m, struct str line, struct err *err);
/* True when the line starts with "::throng " and sets *rest behind it. */
bool metric_line_marked(struct str line, struct str *rest);
/* Appends the JSON line of words `loss=.12 step=3`, with a line feed. */
void metric_line_print(struct buf *b, const struct metric_line *m);

/* A batch is the payload of a RECORD_METRICS: points of one attempt in
 * columns, one name a column. Each batch stands for itself, so that one can
 * be read without those before it.
 *
 *   varint column count, then per column:
 *     u8 source, bytes name
 *     varint point count n, n x i64 step, n x f64 value  (little-endian)
 */
struct metric_batch; /* builder, one per attempt, remembers its names */
struct metric_batch *metric_batch_new(void);
void metric_batch_free(struct metric_batch *b);
/* Keeps a place for a name that counts, however many others come first. */
void metric_batch_reserve(struct metric_batch *b, struct str name);
/* Adds one point; -1 when METRIC_NAMES_MAX is passed (the point is dropped). */
int metric_batch_add(struct metric_batch *b, struct str name,
                     enum metric_source source, int64_t step, double value);
/* Adds all pairs of a line. A line without a step gets, for each name, the
 * step behind the highest one that this name already has from the same source,
 * from 0 on (so that the same value from two sources falls on the same step,
 * and what was said last stands last). Returns points dropped. */
size_t metric_batch_add_line(struct metric_batch *b,
                             const struct metric_line *m,
                             enum metric_source source);
/* The next point of this name without a step, from any source, gets this one:
 * an earlier attempt has those before it. */
void metric_batch_go_on(struct metric_batch *b, struct str name, int64_t step);
/* A step behind all that any name has. */
int64_t metric_batch_next(const struct metric_batch *b);
size_t metric_batch_points(const struct metric_batch *b); /* waiting */
/* Appends the payload of what waits, and forgets it (names stay known). */
void metric_batch_print(struct metric_batch *b, struct buf *out);

struct metric_column {
    enum metric_source source;
    struct str name;
    size_t count;
    const unsigned char *steps; /* count x int64_t, maybe unaligned */
    const unsigned char *values;
    double wall; /* when they came, unix time; 0: unknown */
};
/* Reads a payload column by column: 1, 0 at the end, -1 when damaged. */
struct metric_reader {
    struct bytes bytes;
    uint64_t left;
    bool begun;
};
void metric_reader_init(struct metric_reader *r, struct str payload);
int metric_reader_next(struct metric_reader *r, struct metric_column *c);
static inline int64_t metric_step(const struct metric_column *c, size_t i)
{
    int64_t v;
    memcpy(&v, c->steps + 8 * i, 8);
    return v;
}
static inline double metric_value(const struct metric_column *c, size_t i)
{
    double v;
    memcpy(&v, c->values + 8 * i, 8);
    return v;
}

#endif
