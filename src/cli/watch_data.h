/* watch_data.h - what `watch` reads of a study
 *
 * A watcher is kept while a person watches; each look reads the store as it
 * is now, no more of it than is shown. Only what needs every trial (which
 * failed, and the best so far) is gathered bit by bit over many looks. */
#ifndef THRONG_CLI_WATCH_DATA_H
#define THRONG_CLI_WATCH_DATA_H

#include "cli/braille.h"
#include "cli/cli.h"

enum watch_list { LIST_BEST, LIST_RUNNING, LIST_FAILED, LIST_COUNT };

#define COMPARED_MAX 6 /* trials in one chart, beside the chosen one */

/* What is to be read. */
struct want {
    size_t from[LIST_COUNT], rows[LIST_COUNT]; /* of each list; 0: not read */
    enum watch_list list;                      /* the one with the cursor */
    size_t chosen;                             /* in it; its metric is drawn */
    const char *metric;             /* that one; NULL: the objective */
    int64_t compared[COMPARED_MAX]; /* trials whose metric is drawn, too */
    size_t compared_count;
    const char *filter; /* NULL: none */
    const char *by;     /* of the best; NULL: as `rank` has them; "value": the
                           objective */
    bool reverse;
    int64_t trial; /* everything about this one; 0: none */
    double scan_s; /* time to spend on gathering; below 0: none is needed */
};

struct watch_row {
    struct trial t;
    const struct value *point;
    double value;    /* the objective, the sort key's, or the newest one */
    double expected; /* under noise, of the objective; NaN: unknown */
    int64_t step;    /* of a running trial's value; -1: none */
    double since;    /* when the attempt that runs began; 0: not yet */
};

struct watch_metric {
    const char *name;
    struct series series;
};

/* One trial, whole. */
struct watch_trial {
    struct trial t;
    const struct value *point;
    struct attempt *attempts;
    size_t attempt_count;
    struct watch_metric *metrics;
    size_t metric_count;
    struct str log; /* its last lines */
};

struct look {
    struct arena *arena; /* of everything here */
    bool begun;          /* there is a store */
    double now;          /* unix time */
    double as_of;        /* it is a copy of then; 0: current */
    struct lease lease;
    struct counts counts;
    int64_t total, finished, failed; /* total -1: no end */
    double rate, left_s;             /* 0, -1: unknown */
    struct study_goal goal;
    int64_t best; /* trial of the best value; 0: none */
    double best_value;
    struct trial_mean *means; /* under noise: what is expected of the best */
    size_t mean_count;
    struct {
        struct watch_row *rows;
        size_t count;
    } lists[LIST_COUNT];
    double gathered; /* part of the trials that was gone through */
    struct curve_point *records;
    size_t record_count;
    const char *metric; /* that is drawn; NULL: there is none */
    int64_t drawn;      /* the chosen trial, whose curve comes first; 0: none */
    struct watch_curve {
        int64_t trial;
        struct series series;
    } curves[COMPARED_MAX + 1];
    size_t curve_count;
    struct str *written; /* parameters in the file's order */
    size_t written_count;
    const char **metrics;            /* names of the study's, NULL-terminated */
    const struct watch_trial *trial; /* NULL: not asked for, or not there */
};

/* True when the trial is one of those that are compared. */
bool want_compares(const struct want *want, int64_t trial);

struct watcher;
struct watcher *watcher_new(const char *folder);
void watcher_free(struct watcher *w);
/* Reads; a study without a store has not begun, which is no error. Yours to
 * free. */
struct look *watcher_look(struct watcher *w, const struct want *want,
                          struct err *err);
void look_free(struct look *l);

#endif
