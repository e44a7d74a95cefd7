/* trials.h - results of a study as columns, for the kinds that draw them */
#ifndef THRONG_FIGURE_TRIALS_H
#define THRONG_FIGURE_TRIALS_H

#include "figure/figure.h"
#include "study/study.h"
#include "terms/space.h"

/* What trials have of one parameter. */
struct trial_param {
    const char *name;
    double *numbers;            /* NaN: it has none; of choices 0, 1, 2 … */
    const char *const *choices; /* NULL: they are numbers */
    size_t choice_count;
    bool log;                /* its space is logarithmic */
    bool whole;              /* no number has a fraction */
    VEC(const char *) found; /* choices while they are read */
    bool declared;           /* the space says what it is */
};

struct trials {
    size_t count;
    double *ids;
    uint8_t *states;
    double *values; /* of the metric: each is finite */
    bool *broken;   /* a bound of the study; NULL: it has none */
    struct trial_param *params;
    size_t param_count;
    const char *metric;
    bool minimize;
    bool is_objective; /* the metric is the one that ranks */
    int64_t total;     /* trials of the study, or of the filter */
    int64_t valueless; /* of those that ended well */
    int64_t bad, open; /* failed …; not ended yet */
};

/* Reads every trial that ended well and has a value, with the parameters of
 * these names (in the plot's arena). No such metric, no such parameter: err. */
int trials_read(struct trials *t, const struct figure_asked *asked,
                const char *const *names, size_t count, struct plot *p,
                struct err *err);
/* Title, what was left out, and the columns that every table of trials has. */
void trials_title(const struct trials *t, const struct figure_asked *asked,
                  struct plot *p, const char *what);
void trials_table(const struct trials *t, struct plot *p);
/* Parts of it: which were asked for, as " where lr<1", and a note of how many
 * are not drawn, where there are any. */
const char *trials_chosen(const struct figure_asked *asked, struct arena *a);
void trials_say_left(struct plot *p, int64_t bad, int64_t valueless,
                     int64_t open);
/* What a trial has of a metric that is not the objective; `seconds` nobody need
 * have reported. */
double trials_number(const struct trial *row, const char *name);
/* Whether it breaks a bound of the study; the arena is for its work. */
bool trials_break(const struct goal *goal, const struct trial *row,
                  struct arena *work);
/* A parameter's column in the table. */
void trials_param_column(const struct trials *t, const struct trial_param *k,
                         struct plot *p);
/* The axis of the metric, or of a parameter. */
struct plot_axis trials_metric_axis(const struct trials *t,
                                    const struct figure_asked *asked);
struct plot_axis trials_param_axis(const struct trial_param *k);
/* Whether a straight axis would show only the largest of these. */
bool trials_want_log(const double *list, size_t count);

/* Names of parameters: those that are asked for (joined by commas), or the most
 * important ones, or in the file's order; at most so many, *left more are left
 * out. In the arena. */
int trials_pick(const struct figure_asked *asked, size_t most,
                const char ***names, size_t *count, size_t *left,
                struct arena *a, struct err *err);
/* The same of x and y; those that are not said by importance, and first those
 * that suit: numbers, or (groups) those of few values. */
int trials_pick_two(const struct figure_asked *asked, bool groups,
                    const char *names[2], struct arena *a, struct err *err);
/* The space that was stored; of a list of points it is empty. */
int trials_space(struct store *store, struct space *space, struct arena *a,
                 struct err *err);

#endif
