/* scan.h - reading many trials, for the files of this folder
 *
 * A scan reads trials by number, in order, and passes on those that a
 * selection and a filter mean. It fetches no more columns than asked for. */
#ifndef THRONG_STORE_SCAN_H
#define THRONG_STORE_SCAN_H

#include "store/filter.h"
#include "store/selector.h"

struct scan {
    struct store *store;
    sqlite3_stmt *st;
    sqlite3_stmt *summary_st; /* summaries asked for one by one */
    sqlite3_stmt *hold;       /* keeps one view of the file */
    struct filter *where;     /* or NULL */
    struct filter *by;        /* a name that is looked up too, or NULL */
    VEC(int64_t *) tagged;    /* ids that the filter's tags point to */
    bool have_selection;
    struct selection selection;
    size_t range; /* the next one to read */
    bool in_range;
    bool descending;
    bool cut;         /* there were more than may be read along the ranking */
    int64_t ranked;   /* that may still be read along it */
    unsigned columns; /* that each row brings */
};

struct scan_options {
    const char *selector, *where, *by;
    bool descending;
    unsigned columns; /* that the caller reads; the number always comes */
    int64_t ranked;   /* not by number but along the ranking, at most so many
                         trials (that have a value); no selector then */
};

int scan_open(struct scan *c, struct store *s, const struct scan_options *o,
              struct err *err);
void scan_close(struct scan *c);
/* 1 and *t (valid until the next call), 0 at the end, -1. Tags are not
 * filled. */
int scan_next(struct scan *c, struct trial *t, struct err *err);
/* The value of `by` in the trial just read. */
struct filter_value scan_by(struct scan *c, const struct trial *t);

#endif
