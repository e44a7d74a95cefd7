/* hyperspace.c - overlapping sub-spaces, each with a search of its own
 *
 * Young et al.'s HyperSpace: each of D parameters is halved, with an overlap,
 * which makes 2^D sub-spaces. Bit i of a sub-space's number says that it has
 * the low half of split parameter i. Trials go round them in turn, so that
 * there may be more sub-spaces than workers, and none is left out; where a
 * search has an end (a grid), the others go on. Results from elsewhere that
 * come before the first trial say which sub-spaces begin.
 *
 * Each sub-space hears of all trials that lie inside of it, or, with `shared:
 * false`, of its own only. A point may lie in a hundred of them, and each
 * keeps what it hears: a sub-space that knows many results hears of others'
 * only when they are among the best there, and of hardly more than it has
 * itself. */
#include "search/strategy.h"

#include <math.h>
#include <stdlib.h>

#include "search/hyperspace_first.h"
#include "search/hyperspace_split.h"
#include "search/options.h"
#include "search/unit.h"
#include "terms/state.h"

/* How many results a sub-space knows before it chooses. */
enum { KNOWN_TOGETHER = 8192, KNOWN_LEAST = 32, KNOWN_MOST = 512 };
enum scale { LINEAR, OWN };

static const char *const scales[] = {"linear", "own", NULL};

struct box {
    size_t number;
    double promise; /* low: good */
    struct space space;
    struct search_setup setup;
    void *state;        /* of the method that searches it */
    int64_t total;      /* INT64_MAX: no end */
    double *best;       /* losses of each objective, the lowest first */
    size_t known;       /* of them */
    size_t own, others; /* results that it was told */
};

struct hyperspace {
    struct search_setup setup;
    const struct strategy *inner; /* the method of the sub-spaces */
    struct arena *arena;
    size_t split[MOST_SPLIT]; /* parameters */
    double phi[MOST_SPLIT];
    struct param halves[MOST_SPLIT][2]; /* [1]: the low one */
    size_t split_count;
    struct box *all;    /* by number */
    struct box **boxes; /* in the order of their turns */
    size_t count, known_most;
    bool begun; /* the order is settled */
    struct firsts firsts;
    bool endless; /* no search has an end */
    size_t shared, scale;
};

struct said {
    const struct value *method, *phi_value, *dimensions, *options;
};

/* ---- numbers ---------------------------------------------------------- */

/* Trials in the first `rounds` rounds. */
static int64_t trials_in(const struct hyperspace *h, int64_t rounds)
{
    int64_t sum = 0;
    for (size_t b = 0; b < h->count; b++) {
        int64_t here =
            rounds < h->boxes[b]->total ? rounds : h->boxes[b]->total;
        if (__builtin_add_overflow(sum, here, &sum))
            return INT64_MAX;
    }
    return sum;
}

/* Trial k is the search's j-th of which sub-space? False behind the end. */
static bool locate(const struct hyperspace *h, int64_t k, size_t *box,
                   int64_t *j)
{
    int64_t low = 0, high = k;
    if (h->endless) {
        *box = (size_t)((k - 1) % (int64_t)h->count);
        *j = (k - 1) / (int64_t)h->count + 1;
        return true;
    }
    if (trials_in(h, high) < k)
        return false;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (trials_in(h, middle) < k)
            low = middle;
        else
            high = middle;
    }
    int64_t left = k - trials_in(h, low);
    for (*box = 0; left; ++*box)
        left -= h->boxes[*box]->total >= high;
    --*box;
    *j = high;
    return true;
}

static int64_t number_of(const struct hyperspace *h, size_t box, int64_t j)
{
    if (j < 1)
        return j;
    if (h->endless)
        return (j - 1) * (int64_t)h->count + (int64_t)box + 1;
    int64_t k = trials_in(h, j - 1) + 1;
    for (size_t b = 0; b < box; b++)
        k += h->boxes[b]->total >= j;
    return k;
}

/* ---- the sub-spaces --------------------------------------------------- */

static void box_space(struct hyperspace *h, struct box *box)
{
    const struct space *whole = h->setup.space;
    struct param *params =
        arena_array(h->arena, whole->count + 1, sizeof(*params));
    memcpy(params, whole->params, whole->count * sizeof(*params));
    for (size_t i = 0; i < h->split_count; i++)
        params[h->split[i]] = h->halves[i][box->number >> i & 1];
    box->space = (struct space){params, whole->count};
}

static size_t objectives(const struct hyperspace *h)
{
    return h->setup.objective_count ? h->setup.objective_count : 1;
}

static int box_open(struct hyperspace *h, struct box *box,
                    const struct said *said, struct err *err)
{
    struct rng rng;
    box_space(h, box);
    box->best = xcalloc(h->known_most * objectives(h), sizeof(*box->best));
    rng_init(&rng, h->setup.seed, box->number, "hyperspace");
    box->setup =
        (struct search_setup){.space = &box->space,
                              .seed = rng_u64(&rng),
                              .version = h->setup.version,
                              .minimize = h->setup.minimize,
                              .options = said->options,
                              .objective_count = h->setup.objective_count,
                              .minimize_each = h->setup.minimize_each,
                              .constraint_count = h->setup.constraint_count,
                              .parallel = h->setup.parallel,
                              .order = h->setup.order,
                              .lag = h->setup.lag};
    box->state = h->inner->open(&box->setup, err);
    if (!box->state) {
        err_wrap(err, "hyperspace");
        return -1;
    }
    box->total = strategy_total(h->inner, box->state);
    h->endless &= box->total < 0;
    box->total = box->total < 0 ? INT64_MAX : box->total;
    return 0;
}

/* Bit i: in which half of split parameter i it lies. One that is not active
 * lies in both. */
struct halves {
    uint32_t low, high;
};

static struct halves halves_of(const struct hyperspace *h,
                               const struct value *point)
{
    struct halves in = {0, 0};
    for (size_t i = 0; i < h->split_count; i++) {
        const struct value *v =
            point_get(point, &h->setup.space->params[h->split[i]]);
        in.high |= (uint32_t)(!v || param_position(&h->halves[i][0], v) >= 0)
                   << i;
        in.low |= (uint32_t)(!v || param_position(&h->halves[i][1], v) >= 0)
                  << i;
    }
    return in;
}

/* ---- what they know --------------------------------------------------- */

static double loss_of(const struct hyperspace *h, const struct result *r,
                      size_t objective)
{
    struct result one = *r;
    bool minimize = h->setup.minimize;
    double loss;
    if (h->setup.objective_count && r->values && objective < r->value_count) {
        one.value = r->values[objective];
        minimize = h->setup.minimize_each[objective];
    }
    mark_of(&one, minimize, &loss);
    return isnan(loss) || broken_by(r) > 0 ? INFINITY : loss;
}

/* True when the result is among the best that the sub-space knows of some
 * objective, as all are before it knows many. */
static bool box_learns(const struct hyperspace *h, struct box *box,
                       const struct result *r)
{
    bool among = false;
    for (size_t o = 0; o < objectives(h); o++) {
        double loss = loss_of(h, r, o), *best = box->best + o * h->known_most;
        size_t at = box->known;
        if (at == h->known_most && !(loss < best[at - 1]))
            continue;
        at -= at == h->known_most;
        for (; at > 0 && best[at - 1] > loss; at--)
            best[at] = best[at - 1];
        best[at] = loss;
        among = true;
    }
    box->known += box->known < h->known_most;
    return among;
}

static int by_promise(const void *a, const void *b)
{
    const struct box *x = *(struct box *const *)a, *y = *(struct box *const *)b;
    if (x->promise != y->promise)
        return x->promise < y->promise ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Before the first trial: whose turn is first. */
static void begin(struct hyperspace *h)
{
    double ranks[MOST_SPLIT][2];
    if (h->begun)
        return;
    h->begun = true;
    firsts_ranks(&h->firsts, ranks, h->split_count);
    firsts_done(&h->firsts);
    for (size_t b = 0; b < h->count; b++)
        for (size_t i = 0; i < h->split_count; i++)
            h->boxes[b]->promise += ranks[i][h->boxes[b]->number >> i & 1];
    qsort(h->boxes, h->count, sizeof(struct box *), by_promise);
}

/* ---- options ---------------------------------------------------------- */

static int refuse_many(size_t count, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "hyperspace: %zu parameters can be split, which would "
                   "make 2^%zu sub-spaces; name at most %d of them, as in "
                   "hyperspace: {dimensions: [lr, depth]}",
                   count, count, MOST_SPLIT);
}

static int take_all(struct hyperspace *h, struct err *err)
{
    const struct space *space = h->setup.space;
    size_t count = 0;
    for (size_t i = 0; i < space->count; i++) {
        if (!split_possible(&space->params[i]))
            continue;
        if (count < MOST_SPLIT)
            h->split[count] = i;
        count++;
    }
    h->split_count = count;
    return count > MOST_SPLIT ? refuse_many(count, err) : 0;
}

static int take_named(struct hyperspace *h, const struct value *names,
                      struct err *err)
{
    const struct space *space = h->setup.space;
    if (names->kind != VALUE_LIST)
        return err_set(err, ERR_INPUT,
                       "hyperspace: dimensions must be a list of parameters");
    if (names->count > MOST_SPLIT)
        return refuse_many(names->count, err);
    for (size_t i = 0; i < names->count; i++) {
        struct str name = value_text(names->items[i]);
        long param = space_find(space, name);
        if (param < 0)
            return err_set(err, ERR_INPUT,
                           "hyperspace: dimensions names '%.*s', which is no "
                           "parameter",
                           STRF(name));
        if (!split_possible(&space->params[param]))
            return err_set(err, ERR_INPUT,
                           "hyperspace: parameter '%.*s' cannot be split: it "
                           "has no bounds, or one value",
                           STRF(name));
        for (size_t j = 0; j < h->split_count; j++)
            if (h->split[j] == (size_t)param)
                return err_set(err, ERR_INPUT,
                               "hyperspace: dimensions names '%.*s' twice",
                               STRF(name));
        h->split[h->split_count++] = (size_t)param;
    }
    return 0;
}

static bool is_phi(const struct value *v)
{
    double phi = value_is_number(v) ? value_number(v) : NAN;
    return phi >= 0 && phi <= 1;
}

/* One number for all, or {parameter: number}. */
static int read_phi(struct hyperspace *h, const struct value *v,
                    struct err *err)
{
    const struct space *space = h->setup.space;
    for (size_t i = 0; i < h->split_count; i++) {
        struct str name = space->params[h->split[i]].name;
        const struct value *own = v;
        if (v && v->kind == VALUE_OBJECT)
            own = value_get(v, name);
        h->phi[i] = own ? value_number(own) : 0.25;
        if (own && !is_phi(own))
            return err_set(err, ERR_INPUT,
                           "hyperspace: phi of '%.*s' must be a number from 0 "
                           "to 1",
                           STRF(name));
    }
    for (size_t k = 0; v && v->kind == VALUE_OBJECT && k < v->count; k++)
        if (space_find(space, v->keys[k]) < 0)
            return err_set(err, ERR_INPUT,
                           "hyperspace: phi names '%.*s', which is no "
                           "parameter",
                           STRF(v->keys[k]));
    return 0;
}

/* Points of external and points come from elsewhere, and trials of pbt go on
 * from each other. */
static int read_method(struct hyperspace *h, const struct value *said,
                       struct err *err)
{
    static const struct strategy *const not_inside[] = {
        &strategy_hyperspace, &strategy_external, &strategy_points,
        &strategy_pbt};
    if (!said)
        return 0;
    if (said->kind != VALUE_STRING)
        return err_set(err, ERR_INPUT,
                       "hyperspace: method must be the name of a method");
    h->inner = strategy_find(arena_cstr(h->arena, said->s));
    if (!h->inner)
        return err_set(err, ERR_INPUT, "hyperspace: there is no method %.*s",
                       STRF(said->s));
    for (size_t i = 0; i < sizeof(not_inside) / sizeof(*not_inside); i++)
        if (h->inner == not_inside[i])
            return err_set(err, ERR_INPUT,
                           "hyperspace: method %s cannot search a sub-space",
                           h->inner->method.name);
    return 0;
}

static int read_options(struct hyperspace *h, struct said *said,
                        struct err *err)
{
    const struct word_option words[] = {{"shared", no_or_yes, &h->shared},
                                        {"scale", scales, &h->scale}};
    const struct tree_option trees[] = {{"method", &said->method},
                                        {"phi", &said->phi_value},
                                        {"dimensions", &said->dimensions},
                                        {"options", &said->options}};
    const struct options known = {NULL, 0, words, 2, trees, 4};
    if (options_read_all(h->setup.options, "hyperspace", &known, err) ||
        read_method(h, said->method, err))
        return -1;
    if (said->dimensions ? take_named(h, said->dimensions, err)
                         : take_all(h, err))
        return -1;
    return read_phi(h, said->phi_value, err);
}

/* ---- the strategy ----------------------------------------------------- */

static void hyperspace_free(void *state)
{
    struct hyperspace *h = state;
    for (size_t b = 0; b < h->count && h->boxes; b++) {
        if (h->boxes[b]->state)
            h->inner->free(h->boxes[b]->state);
        free(h->boxes[b]->best);
    }
    free(h->boxes);
    firsts_done(&h->firsts);
    arena_free(h->arena);
    free(h);
}

static size_t known_most(const struct hyperspace *h)
{
    size_t each = KNOWN_TOGETHER / h->count;
    each = each < KNOWN_LEAST ? KNOWN_LEAST : each;
    return each > KNOWN_MOST ? KNOWN_MOST : each;
}

static void make_boxes(struct hyperspace *h)
{
    const struct space *whole = h->setup.space;
    h->count = (size_t)1 << h->split_count;
    h->known_most = known_most(h);
    h->boxes = xcalloc(h->count, sizeof(struct box *));
    h->all = arena_array(h->arena, h->count, sizeof(*h->all));
    for (size_t b = 0; b < h->count; b++) {
        h->boxes[b] = &h->all[b];
        h->all[b].number = b;
    }
    for (size_t i = 0; i < h->split_count; i++)
        for (int low = 0; low < 2; low++)
            h->halves[i][low] =
                split_half(&whole->params[h->split[i]], h->phi[i], low,
                           h->scale == OWN, h->arena);
}

static void *hyperspace_open(const struct search_setup *setup, struct err *err)
{
    struct hyperspace *h = xcalloc(1, sizeof(*h));
    struct said said = {0};
    h->setup = *setup;
    h->inner = strategy_find(strategy_hyperspace.method.inner);
    h->scale = setup->version == 1 ? LINEAR : OWN;
    h->arena = arena_new();
    h->endless = true;
    h->shared = 1;
    int rc = read_options(h, &said, err);
    if (rc == 0)
        make_boxes(h);
    for (size_t b = 0; rc == 0 && b < h->count; b++)
        rc = box_open(h, h->boxes[b], &said, err);
    if (rc == 0)
        return h;
    hyperspace_free(h);
    return NULL;
}

static int64_t hyperspace_total(const void *state)
{
    const struct hyperspace *h = state;
    int64_t total = h->endless ? INT64_MAX : trials_in(h, INT64_MAX);
    return total == INT64_MAX ? -1 : total;
}

static enum search_answer hyperspace_ask(void *state, int64_t k,
                                         struct arena *a,
                                         struct suggestion *out,
                                         struct err *err)
{
    struct hyperspace *h = state;
    size_t box;
    int64_t j;
    begin(h);
    if (!locate(h, k, &box, &j))
        return SEARCH_END;
    enum search_answer answer =
        h->inner->ask(h->boxes[box]->state, j, a, out, err);
    if (answer != SEARCH_HERE)
        return answer;
    out->parent = number_of(h, box, out->parent);
    out->replaces = number_of(h, box, out->replaces);
    return SEARCH_HERE;
}

static bool box_wants(const struct hyperspace *h, struct box *box,
                      const struct result *r)
{
    return box->others < box->own + h->known_most && box_learns(h, box, r);
}

/* Others hear of it as of a point that somebody else tried. Their numbers
 * have the bits of halves that the point lies in alone; the rest may be any. */
static void tell_others(struct hyperspace *h, const struct result *r,
                        struct halves in, const struct box *except)
{
    struct result foreign = *r;
    uint32_t both = in.low & in.high, rest = both;
    if ((in.low | in.high) != h->count - 1)
        return;
    /* Foreign numbers are all different: shared trials have the even ones. */
    foreign.trial = r->trial < 0 ? 2 * r->trial + 1 : -2 * r->trial;
    do {
        struct box *box = &h->all[(in.low & ~both) | rest];
        if (box != except && box_wants(h, box, r)) {
            box->others++;
            h->inner->tell(box->state, &foreign);
        }
        rest = (rest - 1) & both;
    } while (rest != both);
}

static void hyperspace_tell(void *state, const struct result *r)
{
    struct hyperspace *h = state;
    struct result own = *r;
    size_t box = h->count;
    bool ended = state_final((enum state)r->state);
    if (!h->inner->tell)
        return;
    if (r->trial > 0) {
        begin(h);
        if (!locate(h, r->trial, &box, &own.trial))
            return;
        h->inner->tell(h->boxes[box]->state, &own);
        if (ended) {
            box_learns(h, h->boxes[box], r);
            h->boxes[box]->own++;
        }
    }
    if (!r->point || !ended || (r->trial > 0 && !h->shared))
        return;
    struct halves in = halves_of(h, r->point);
    tell_others(h, r, in, box < h->count ? h->boxes[box] : NULL);
    if (!h->begun)
        firsts_add(&h->firsts, loss_of(h, r, 0), in.low, in.high);
}

static enum decision hyperspace_report(void *state, int64_t k, int64_t step,
                                       double value)
{
    struct hyperspace *h = state;
    size_t box;
    int64_t j;
    if (!h->inner->report || !locate(h, k, &box, &j))
        return DECISION_CONTINUE;
    return h->inner->report(h->boxes[box]->state, j, step, value);
}

STRATEGY(hyperspace) = {
    .method =
        {.name = "hyperspace",
         .text =
             "2^D overlapping sub-spaces, each searched by a method of its own",
         .learns = LEARNS,
         .inner = "tpe",
         .linear = "scale",
         .options = METHOD_OPTIONS(
             {"method", "that searches each of them (tpe)"},
             {"options", "of that method"},
             {"phi", "overlap, or {parameter: overlap} (0.25)"},
             {"dimensions", "parameters to halve (all that can be)"},
             {"shared", "each hears of all results inside of it (true)"},
             {"scale", "own, or linear as HyperSpace halves (own)"})},
    .open = hyperspace_open,
    .free = hyperspace_free,
    .total = hyperspace_total,
    .ask = hyperspace_ask,
    .tell = hyperspace_tell,
    .report = hyperspace_report};
