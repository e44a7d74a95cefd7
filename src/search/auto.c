/* auto.c - the method for those who name none
 *
 * Which method it is follows from the space, the number of trials, how many
 * are out at once and the number of objectives, all of which are known at the
 * start; `why` says what was picked and for which reason. A long search
 * changes to a second method, whose cost does not grow, when so many results
 * are known that each one more teaches little. Both are told everything, so
 * that the second one starts with all that the first one found. */
#include "search/strategy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/axes.h"
#include "search/options.h"
#include "terms/state.h"

enum {
    MODEL_AXES = 64, /* more parameters than a Gaussian process likes */
    /* More trials at once than it can believe in. With 64 it still is better
     * than methods that lose less by it, and while nothing has come back it
     * gives Sobol's points, so fewer need no method of their own. */
    MODEL_PENDING = 256,
    MODEL_RESULTS = 1000, /* from here on a cheaper method */
    SMALL_GRID = 256,     /* points that are tried in turn without a budget */
};

/* What the choice depends on. */
struct situation {
    size_t numbers, choices; /* parameters of each kind */
    bool conditional;
    uint64_t grid;  /* points in all; 0: not countable */
    int64_t points; /* that may be asked for; 0: no end */
    int64_t parallel;
    size_t objectives;
    bool aimless;
};

struct part {
    const struct strategy *strategy;
    void *state;
};

struct automatic {
    struct part first, then; /* then: no strategy when there is no change */
    size_t told, limit;
    char why[240];
};

static void look(struct situation *s, const struct search_setup *setup)
{
    struct axes axes;
    struct err ignored = {0};
    *s = (struct situation){.parallel = setup->parallel,
                            .objectives = setup->objective_count,
                            .aimless = setup->aimless};
    axes_init(&axes, setup->space);
    for (size_t i = 0; i < axes.count; i++)
        *(axes.axis[i].choices ? &s->choices : &s->numbers) += 1;
    for (size_t i = 0; i < setup->space->count; i++)
        s->conditional =
            s->conditional || setup->space->params[i].condition_count;
    axes_done(&axes);
    s->grid = space_grid_count(setup->space, &ignored);
    s->points = setup->run_cap;
    if (setup->repeat > 1)
        s->points =
            (s->points + (int64_t)setup->repeat - 1) / (int64_t)setup->repeat;
}

static bool fits_in(const struct situation *s)
{
    uint64_t room = s->points > 0 ? (uint64_t)s->points : SMALL_GRID;
    return s->grid > 0 && s->grid <= room;
}

/* "8 numbers and 2 choices, some under conditions" */
static void describe(const struct situation *s, char *to, size_t size)
{
    size_t n = s->numbers, c = s->choices;
    const char *more = s->conditional ? ", some under conditions" : "";
    if (n && c)
        snprintf(to, size, "%zu number%s and %zu choice%s%s", n,
                 n == 1 ? "" : "s", c, c == 1 ? "" : "s", more);
    else
        snprintf(to, size, "%zu %s%s%s", n ? n : c, n ? "number" : "choice",
                 n + c == 1 ? "" : "s", more);
}

/* Says why it is gp, and names what follows it. */
static const char *say_gp(const struct situation *s, const char *what,
                          char *why, size_t size)
{
    if (s->points > 0 && s->points <= MODEL_RESULTS) {
        snprintf(why, size,
                 "gp, which learns most from each of %lld trials (%s)",
                 (long long)s->points, what);
        return NULL;
    }
    snprintf(why, size,
             "gp, which learns most from each trial (%s), and after %d results "
             "tpe, which stays cheap",
             what, MODEL_RESULTS);
    return "tpe";
}

/* Names the method, and the one that follows it (NULL: none). */
static const char *pick(const struct situation *s, const char **then, char *why,
                        size_t size)
{
    char what[120];
    describe(s, what, sizeof(what));
    *then = NULL;
    if (s->objectives > 1 && strategy_find("nsga2")) {
        snprintf(why, size, "nsga2, as there are %zu objectives",
                 s->objectives);
        return "nsga2";
    }
    if (fits_in(s)) {
        snprintf(why, size, "grid, as the space has only %llu points",
                 (unsigned long long)s->grid);
        return "grid";
    }
    if (s->aimless) {
        snprintf(why, size, "sobol, as there is no metric to learn from");
        return "sobol";
    }
    if (s->numbers + s->choices > MODEL_AXES) {
        bool plain = !s->choices && !s->conditional;
        snprintf(why, size, "%s, as there are %s", plain ? "cmaes" : "tpe",
                 what);
        return plain ? "cmaes" : "tpe";
    }
    if (s->parallel > MODEL_PENDING) {
        snprintf(why, size, "tpe, as %lld trials are out at once",
                 (long long)s->parallel);
        return "tpe";
    }
    *then = say_gp(s, what, why, size);
    return "gp";
}

static int open_part(struct part *p, const char *name,
                     const struct search_setup *setup, struct err *err)
{
    const struct strategy *strategy = strategy_find(name);
    if (!strategy)
        return err_set(err, ERR_INPUT, "method %s is not built in yet", name);
    p->state = strategy->open(setup, err);
    if (!p->state)
        return -1;
    p->strategy = strategy;
    return 0;
}

static void close_part(struct part *p)
{
    if (p->strategy)
        p->strategy->free(p->state);
}

static void auto_free(void *state)
{
    struct automatic *s = state;
    close_part(&s->first);
    close_part(&s->then);
    free(s);
}

static void *auto_open(const struct search_setup *setup, struct err *err)
{
    struct situation situation;
    const char *then;
    if (options_read(setup->options, "auto", NULL, 0, err))
        return NULL;
    struct search_setup inner = *setup;
    inner.options = NULL;
    struct automatic *s = xcalloc(1, sizeof(*s));
    s->limit = MODEL_RESULTS;
    look(&situation, setup);
    const char *first = pick(&situation, &then, s->why, sizeof(s->why));
    if (open_part(&s->first, first, &inner, err) ||
        (then && open_part(&s->then, then, &inner, err))) {
        auto_free(s);
        return NULL;
    }
    return s;
}

static int64_t auto_total(const void *state)
{
    const struct automatic *s = state;
    return strategy_total(s->first.strategy, s->first.state);
}

static void tell_part(struct part *p, const struct result *r)
{
    if (p->strategy && p->strategy->tell)
        p->strategy->tell(p->state, r);
}

static enum search_answer auto_ask(void *state, int64_t k, struct arena *a,
                                   struct suggestion *out, struct err *err)
{
    struct automatic *s = state;
    if (s->then.strategy && s->told >= s->limit)
        return s->then.strategy->ask(s->then.state, k, a, out, err);
    enum search_answer answer =
        s->first.strategy->ask(s->first.state, k, a, out, err);
    /* The second one knows what is out, and gives the same again. */
    if (answer == SEARCH_HERE) {
        struct result pending = {.trial = k,
                                 .point = out->point,
                                 .state = STATE_RUNNING,
                                 .value = NAN};
        tell_part(&s->then, &pending);
    }
    return answer;
}

static void auto_tell(void *state, const struct result *r)
{
    struct automatic *s = state;
    s->told += state_final((enum state)r->state);
    tell_part(&s->first, r);
    tell_part(&s->then, r);
}

static enum decision auto_report(void *state, int64_t k, int64_t step,
                                 double value)
{
    struct automatic *s = state;
    const struct strategy *first = s->first.strategy;
    return first->report ? first->report(s->first.state, k, step, value)
                         : DECISION_CONTINUE;
}

static const char *auto_why(const void *state)
{
    const struct automatic *s = state;
    return s->why;
}

static const struct strategy *auto_first(const void *state)
{
    const struct automatic *s = state;
    return s->first.strategy;
}

STRATEGY(auto) = {
    .method = {.name = "auto",
               .text = "the default: picks one of the others by space, budget, "
                       "parallelism and objectives, and says which and why",
               .learns = LEARNS_IF_AIM,
               .objectives = true},
    .open = auto_open,
    .free = auto_free,
    .total = auto_total,
    .ask = auto_ask,
    .tell = auto_tell,
    .first = auto_first,
    .report = auto_report,
    .why = auto_why};
