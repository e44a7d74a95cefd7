/* ranking.h - the table of the best trials, for `rank` and after `run` */
#ifndef THRONG_CLI_RANKING_H
#define THRONG_CLI_RANKING_H

#include "cli/cli.h"
#include "view/view.h"

struct ranking {
    int64_t limit;       /* rows; 0: all */
    const char *by;      /* metric, parameter or column; NULL: the objective */
    const char *where;   /* filter; NULL: none */
    const char *columns; /* names to show instead of the parameters; NULL */
    const char *over;    /* parameter to average over; NULL: none */
    bool reverse;        /* worst first */
    bool json;
};
/* Prints to standard output; -1 with c->err. */
int ranking_print(struct call *c, struct store *store, const struct ranking *r);
/* The same where there are several objectives, or bounds, and no `by`; *rows
 * counts what was printed. */
int ranking_fronts(struct call *c, struct store *store, const struct ranking *r,
                   const struct goal *goal, const struct trial_columns *chosen,
                   size_t *rows);

#endif
