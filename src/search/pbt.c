/* pbt.c - population based training (Jaderberg et al., arXiv 1711.09846)
 *
 * A member of the population is a line of trials: each goes on from the
 * checkpoint of the one before for some steps more. When one has ended, its
 * member is compared with the newest results of all: a bad one goes on from
 * the checkpoint of a good one instead, with that one's point changed.
 *
 * Nobody waits. Whoever asks goes on with the member that has waited longest
 * (the lowest trial), and starts another member when none is ready: so there
 * are at least as many as trials run at once.
 *
 * Which member a trial belongs to, and whose checkpoint it has, is decided
 * when it is first heard of, by the results up to then: asking does so, and
 * so does hearing, on a resume, of a trial that has not ended. */
#include "search/strategy.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "search/genes.h"
#include "search/options.h"
#include "search/roll.h"
#include "terms/state.h"

enum way { TRUNCATION, TOURNAMENT };
static const char *const ways[] = {"truncation", "tournament", NULL};

static const double top = 1 - 0x1p-53;

struct member {
    size_t tip; /* row of its newest trial */
    bool out;   /* which has not ended */
    long good;  /* row of its newest trial with a value; -1: none */
};

/* What was decided about a trial. */
struct start {
    size_t member;
    long parent; /* row; -1: none */
    bool copied; /* the parent is another member's */
    int64_t age; /* trials in its line, it included */
    long before; /* row of its member's newest value until then; -1: none */
};

/* A member in a comparison, and the row that stands for it. */
struct rival {
    size_t member, row;
};

struct pbt {
    struct roll roll;
    struct genes genes;
    bool minimize;
    size_t way;
    double population, steps, fraction, resample, perturb;
    struct member *members;
    size_t member_count, member_cap;
    struct start *starts; /* by row */
    struct str *points;   /* by row, as they were asked for: JSON */
    size_t cap;
    struct arena *kept;
    struct rival *ranked;
};

/* ---- who goes on, and from where --------------------------------------- */

/* The member that has waited longest, or a new one. */
static size_t next_member(struct pbt *p)
{
    const int64_t *trials = p->roll.history.trials;
    size_t best = p->member_count;
    for (size_t i = 0; i < p->member_count; i++)
        if (!p->members[i].out &&
            (best == p->member_count ||
             trials[p->members[i].tip] < trials[p->members[best].tip]))
            best = i;
    return (double)p->member_count < p->population ? p->member_count : best;
}

/* A member's newest value at an age, so that none seems better for having
 * been trained longer; -1: it has none. */
static long row_at_age(const struct pbt *p, size_t member, int64_t age)
{
    long row = p->members[member].good;
    while (row >= 0 && p->starts[row].age > age && p->starts[row].before >= 0)
        row = p->starts[row].before;
    return row;
}

/* Members that have a value, the best at an age first. */
static size_t rank_members(struct pbt *p, int64_t age)
{
    size_t count = 0;
    for (size_t i = 0; i < p->member_count; i++) {
        long row = row_at_age(p, i, age);
        size_t at = count;
        if (row < 0)
            continue;
        for (; at > 0; at--) {
            if (!roll_better(&p->roll, (size_t)row, p->ranked[at - 1].row))
                break;
            p->ranked[at] = p->ranked[at - 1];
        }
        p->ranked[at] = (struct rival){i, (size_t)row};
        count++;
    }
    return count;
}

/* The member to copy; the same one when it goes on by itself. */
static size_t donor_of(struct pbt *p, size_t member, struct rng *rng)
{
    size_t tip = p->members[member].tip;
    size_t count = rank_members(p, p->starts[tip].age);
    bool bad = p->roll.history.marks[tip] != MARK_VALUE;
    uint64_t lot = rng_u64(rng);
    if (!count)
        return member;
    size_t few = (size_t)ceil(p->fraction * (double)count);
    if (p->way == TRUNCATION || bad) {
        for (size_t i = 0; i + few < count && !bad; i++)
            if (p->ranked[i].member == member)
                return member;
        return p->ranked[lot % few].member;
    }
    const struct rival *rival = &p->ranked[lot % count];
    return roll_better(&p->roll, rival->row, tip) ? rival->member : member;
}

static void reserve(struct pbt *p)
{
    if (p->cap >= p->roll.history.cap)
        return;
    p->cap = p->roll.history.cap;
    p->starts = xrealloc(p->starts, p->cap * sizeof(*p->starts));
    p->points = xrealloc(p->points, p->cap * sizeof(*p->points));
}

static struct start decide(struct pbt *p, struct rng *rng)
{
    struct start s = {next_member(p), -1, false, 1, -1};
    if (s.member == p->member_count)
        return s;
    s.before = p->members[s.member].good;
    size_t donor = donor_of(p, s.member, rng);
    const struct member *from = &p->members[donor];
    s.copied = donor != s.member;
    /* One that failed goes back to what it had. */
    s.parent = from->good;
    if (s.parent >= 0)
        s.age = p->starts[s.parent].age + 1;
    return s;
}

/* A tenth of the memory of a tree of values. */
static struct str text_of(struct pbt *p, const struct value *point)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, point);
    struct str text = arena_str(p->kept, buf_str(&b));
    buf_done(&b);
    return text;
}

static struct value *point_at(const struct pbt *p, size_t row, struct arena *a)
{
    struct value *point = json_parse(a, p->points[row], "point", true, NULL);
    require(point);
    return point;
}

/* A trial has begun: its row is the newest of its member. */
static void begin(struct pbt *p, size_t row, const struct start *s,
                  const struct value *point)
{
    reserve(p);
    p->starts[row] = *s;
    p->points[row] = text_of(p, point);
    if (s->member == p->member_count) {
        if (p->member_count == p->member_cap) {
            p->member_cap = p->member_cap * 2 + 16;
            p->members =
                xrealloc(p->members, p->member_cap * sizeof(*p->members));
            p->ranked = xrealloc(p->ranked, p->member_cap * sizeof(*p->ranked));
        }
        p->members[p->member_count++] = (struct member){.good = -1};
    }
    p->members[s->member].tip = row;
    p->members[s->member].out = true;
}

/* ---- new points ------------------------------------------------------- */

/* The u of the value nearest to x. */
static double position_near(struct pbt *p, const struct param *param, double x)
{
    double low = 0, high = top;
    arena_reset(p->roll.scratch);
    struct arena *a = p->roll.scratch;
    if (x <= value_number(param_at(param, low, a)))
        return low;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if (value_number(param_at(param, middle, a)) < x)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* A fifth up or down; whole numbers by one at least, and what is 0 by a tenth
 * of the range. */
static double perturb(struct pbt *p, const struct param *param, bool up,
                      double u)
{
    arena_reset(p->roll.scratch);
    double x = value_number(param_at(param, u, p->roll.scratch));
    double to = x * (up ? 1 + p->perturb : 1 - p->perturb);
    bool whole = param->dist == DIST_INT_UNIFORM || param->q_integer;
    double least = whole ? fmax(param->q, 1) : 0;
    if (isnan(x) || (x == 0 && !whole))
        return fmin(fmax(u + (up ? 0.1 : -0.1), 0), top);
    if (fabs(to - x) < least)
        to = up ? x + least : x - least;
    if (whole)
        to = round(to);
    return position_near(p, param, to);
}

/* Changes the point in roll.u as training does it. A category changes only
 * when it is drawn anew. */
static void explore(struct pbt *p, struct rng *rng)
{
    for (size_t i = 0; i < p->genes.axes.count; i++) {
        const struct axis *axis = &p->genes.axes.axis[i];
        const struct param *param = &p->roll.unit.space->params[axis->param];
        double *u = &p->roll.u[axis->param], any = rng_uniform(rng);
        bool fresh = rng_uniform(rng) < p->resample;
        bool up = rng_uniform(rng) < 0.5;
        if (fresh)
            *u = any;
        else if (!axis->choices)
            *u = perturb(p, param, up, *u);
    }
}

/* False for a point that somebody told with parameters missing. */
static bool is_whole(struct pbt *p, const struct value *point)
{
    const struct space *space = p->roll.unit.space;
    arena_reset(p->roll.scratch);
    struct value **values =
        arena_array(p->roll.scratch, space->count + 1, sizeof(*values));
    for (size_t i = 0; i < space->count; i++)
        values[i] = point_get(point, &space->params[i]);
    for (size_t i = 0; i < space->count; i++)
        if (!values[i] == space_active(space, i, values))
            return false;
    return true;
}

static struct value *point_for(struct pbt *p, const struct start *s, int64_t k,
                               struct rng *rng, struct arena *a)
{
    if (s->parent < 0) {
        roll_sobol(&p->roll, k, rng);
        return unit_point(&p->roll.unit, p->roll.u, a);
    }
    struct value *same = point_at(p, (size_t)s->parent, a);
    if (!s->copied && is_whole(p, same))
        return same;
    history_get(&p->roll.history, (size_t)s->parent, p->roll.u);
    roll_fill(&p->roll, rng, p->roll.u);
    if (s->copied)
        explore(p, rng);
    return unit_point(&p->roll.unit, p->roll.u, a);
}

/* ---- asking and telling ----------------------------------------------- */

static enum search_answer pbt_ask(void *state, int64_t k, struct arena *a,
                                  struct suggestion *out, struct err *err)
{
    struct pbt *p = state;
    long row = history_find(&p->roll.history, k);
    (void)err;
    if (row < 0) {
        struct rng rng;
        rng_init(&rng, p->roll.seed, (uint64_t)k, "pbt");
        struct start s = decide(p, &rng);
        struct value *point = point_for(p, &s, k, &rng, a);
        unit_code(&p->roll.unit, point, p->roll.u);
        row = (long)roll_ask(&p->roll, k);
        begin(p, (size_t)row, &s, point);
    }
    const struct start *s = &p->starts[row];
    out->point = point_at(p, (size_t)row, a);
    if (s->parent >= 0)
        out->parent = p->roll.history.trials[s->parent];
    out->budget = (int64_t)p->steps * s->age;
    return SEARCH_HERE;
}

/* What others tried has no checkpoint to go on from. */
static void pbt_tell(void *state, const struct result *r)
{
    struct pbt *p = state;
    struct history *h = &p->roll.history;
    if (r->trial < 1 || (!r->point && history_find(h, r->trial) < 0))
        return;
    if (history_find(h, r->trial) < 0) {
        struct result pending = *r;
        struct rng rng;
        rng_init(&rng, p->roll.seed, (uint64_t)r->trial, "pbt");
        struct start s = decide(p, &rng);
        pending.state = STATE_WAITING;
        roll_tell(&p->roll, &pending, p->minimize);
        begin(p, h->count - 1, &s, r->point);
    }
    long row = roll_tell(&p->roll, r, p->minimize);
    if (row < 0)
        return;
    struct member *m = &p->members[p->starts[row].member];
    if (h->marks[row] == MARK_VALUE)
        m->good = row;
    if (m->tip == (size_t)row)
        m->out = false;
}

/* ---- life ------------------------------------------------------------- */

static int read_options(struct pbt *p, const struct value *said,
                        struct err *err)
{
    const struct option numbers[] = {
        {"population", true, 2, 1e6, &p->population},
        {"steps", true, 0, 1e15, &p->steps},
        {"fraction", false, 0.01, 0.5, &p->fraction},
        {"resample", false, 0, 1, &p->resample},
        {"perturb", false, 0, 1, &p->perturb}};
    const struct word_option words[] = {{"exploit", ways, &p->way}};
    const struct options known = {
        numbers, sizeof(numbers) / sizeof(*numbers), words, 1, NULL, 0};
    return options_read_all(said, "pbt", &known, err);
}

static void *pbt_open(const struct search_setup *setup, struct err *err)
{
    struct pbt given = {.minimize = setup->minimize,
                        .population = 20,
                        .steps = 1,
                        .fraction = 0.2,
                        .resample = 0.25,
                        .perturb = 0.2};
    if (read_options(&given, setup->options, err) ||
        roll_init(&given.roll, setup->space, setup->seed, err))
        return NULL;
    if (genes_init(&given.genes, setup->space, NULL, "pbt", err)) {
        roll_done(&given.roll);
        return NULL;
    }
    struct pbt *p = xmalloc(sizeof(*p));
    *p = given;
    p->kept = arena_new();
    return p;
}

static void pbt_free(void *state)
{
    struct pbt *p = state;
    genes_done(&p->genes);
    roll_done(&p->roll);
    arena_free(p->kept);
    free(p->members);
    free(p->starts);
    free(p->points);
    free(p->ranked);
    free(p);
}

STRATEGY(pbt) = {
    .method = {.name = "pbt",
               .text = "population based training: bad members go on from the "
                       "checkpoint of good ones",
               .learns = LEARNS,
               .descends = true,
               .options = METHOD_OPTIONS(
                   {"population", "members (20)"},
                   {"steps", "of each trial (1; 0: no budget)"},
                   {"exploit", "truncation or tournament (truncation)"},
                   {"fraction", "that is bad, and that is good (0.2)"},
                   {"perturb", "part by which a number changes (0.2)"},
                   {"resample", "probability of drawing anew (0.25)"})},
    .open = pbt_open,
    .free = pbt_free,
    .ask = pbt_ask,
    .tell = pbt_tell,
    .budgets = true};
