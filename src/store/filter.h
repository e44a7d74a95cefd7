/* filter.h - the filter language: which trials, in words
 *
 *   filter  := either
 *   either  := both  { ("or" | "||") both }
 *   both    := single { ("and" | "&&") single }
 *   single  := ("not" | "!") single | "(" either ")" | "tag:" WORD | test
 *   test    := operand                           present and true
 *            | operand OP operand                OP: = == != < <= > >= ~
 *            | operand ["not"] "in" "(" operand { "," operand } ")"
 *   operand := NAME | NUMBER | STRING
 *
 * A NAME is a word of letters, digits and _ . - / (not a number), or any
 * text in backquotes. A STRING is in double or single quotes, with \ before
 * a quote or a backslash. To the right of an operator a bare word is a
 * string too, unless the left side is a NUMBER or a STRING: so
 * `model != vgg` and `0.1 > lr` both say what they seem to say. The words
 * true, false, null and nan stand for these values there.
 *
 * A name is looked up among the columns of a trial (trial, state, value,
 * seconds, attempts, failures, started, ended, reason, note, run_id), then
 * the parameters (opt.lr is lr within opt), then the metrics (loss is its
 * last value, also loss.last loss.min loss.max loss.count loss.step), then
 * what the task said of itself. In backquotes it is never a column. A name that
 * a trial does not have is unknown, and every comparison with it is false.
 *
 * Numbers compare as numbers, also with strings that hold one; strings
 * bytewise; `~` is true when the left text holds the right one, capitals
 * being the same as small letters. nan equals nan and nothing else. In
 * `state = bad` and `state = finished` all such states are meant. */
#ifndef THRONG_STORE_FILTER_H
#define THRONG_STORE_FILTER_H

#include "base/vec.h"
#include "store/columns.h"
#include "store/store.h"

#define FILTER_TEXT_MAX 65536
#define FILTER_DEPTH_MAX 100

struct filter;

/* Compiles a text; errors name the column and what was expected there. */
struct filter *filter_new(const char *text, struct err *err);
void filter_free(struct filter *f);

/* The columns (columns.h) that a row must bring for the filter to be
 * answered; the point among them when it looks for parameters or metrics. */
unsigned filter_columns(const struct filter *f);
/* The tags that are asked for; ids (sorted, not owned) must be given for
 * each before the first test. */
size_t filter_tag_count(const struct filter *f);
struct str filter_tag(const struct filter *f, size_t i);
void filter_tag_trials(struct filter *f, size_t i, const int64_t *ids,
                       size_t count);

/* Gives the summary of a trial whose row did not bring it, and what its task
 * said of itself. */
typedef struct str filter_summary_fn(void *context, int64_t trial,
                                     struct str *about);

/* True when the trial is meant. When t->summary.p is NULL and a name is not
 * in the point, the summary is asked for. */
bool filter_test(struct filter *f, const struct trial *t,
                 filter_summary_fn *summary, void *context);
/* True when every parameter or metric name stands in this point. */
bool filter_names_in(struct filter *f, struct str point);

/* One value of a trial, by the same rules, for sorting. */
enum filter_kind {
    FILTER_UNKNOWN,
    FILTER_NULL,
    FILTER_BOOL,
    FILTER_NUMBER,
    FILTER_STRING,
};
struct filter_value {
    enum filter_kind kind;
    double number;   /* of BOOL and NUMBER */
    struct str text; /* of STRING; valid until the next lookup */
};
/* A name compiled for lookups: a filter that is one operand. */
struct filter *filter_name_new(const char *name, struct err *err);
struct filter_value filter_lookup(struct filter *f, const struct trial *t,
                                  filter_summary_fn *summary, void *context);

#endif
