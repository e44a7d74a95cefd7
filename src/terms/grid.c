/* grid.c - the points of a grid, by number
 *
 * Without conditions the number of a point is written in mixed radix, a digit
 * per parameter, the last parameter the lowest digit.
 *
 * With conditions the grid is the set of distinct points. A parameter that a
 * condition names is a *switch*; what depends on one another, directly or
 * not, is a *group*. Groups do not touch each other, so their counts multiply.
 * Inside of a group the points are counted by trying the values of its
 * switches, and of these only the ones that conditions name (the others all
 * act alike): work grows with the switches of one group, never with the
 * points. A point is found by walking the parameters in dependency order and
 * taking, at each, the value whose completions hold the number.
 *
 * The order that covers the space numbers the points of each group by
 * themselves; see spread_numbers. */
#include "terms/space.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/rng.h"

#define COUNT_MOST ((uint64_t)1 << 62)
enum { FEW = 8 }; /* values that need no other order, see spread */

static uint64_t q_uniform_count(const struct param *p, const char **why)
{
    /* The slack keeps 0.1 + 3 * 0.1 from counting as below 0.4. */
    double count = ceil((p->max - p->min) / p->q - 1e-9);
    if (!(count >= 1))
        *why = "no value of q_uniform lies below its max";
    else if (count > 0x1p62)
        *why = "q_uniform has too many values for a grid";
    else
        return (uint64_t)count;
    return 0;
}

uint64_t param_grid_count(const struct param *p, const char **why)
{
    const char *unused;
    why = why ? why : &unused;
    switch (p->dist) {
    case DIST_CONSTANT:
        return 1;
    case DIST_CATEGORICAL:
        if (!p->probabilities)
            return p->values->count;
        *why = "probabilities have no meaning in a grid";
        return 0;
    case DIST_INT_UNIFORM:
        return (uint64_t)(p->max - p->min) + 1;
    case DIST_Q_UNIFORM:
        return q_uniform_count(p, why);
    default:
        *why = "a continuous distribution has no grid; give values, "
               "int_uniform or q_uniform";
        return 0;
    }
}

/* Its value number i, as a person would write it: 0.1, 0.2, 0.3. */
static double q_uniform_at(const struct param *p, double i)
{
    int from = num_decimals(p->min), by = num_decimals(p->q);
    double x = p->min + i * p->q;
    return from < 0 || by < 0 ? x : num_round(x, from > by ? from : by);
}

struct value *param_grid_at(const struct param *p, uint64_t i, struct arena *a)
{
    switch (p->dist) {
    case DIST_CONSTANT:
        return value_copy(a, p->constant);
    case DIST_CATEGORICAL:
        require(i < p->values->count);
        return value_copy(a, p->values->items[i]);
    case DIST_INT_UNIFORM:
        return value_int(a, (int64_t)p->min + (int64_t)i);
    default:
        require(p->dist == DIST_Q_UNIFORM);
        if (p->q_integer && p->min == floor(p->min))
            return value_int(a, (int64_t)(p->min + (double)i * p->q));
        return value_double(a, q_uniform_at(p, (double)i));
    }
}

/* Which of the grid's values v is, or -1. */
static int64_t grid_index(const struct param *p, uint64_t count,
                          const struct value *v)
{
    if (p->dist == DIST_CONSTANT)
        return value_eq(p->constant, v) ? 0 : -1;
    if (p->dist == DIST_CATEGORICAL) {
        for (size_t i = 0; i < p->values->count; i++)
            if (value_eq(p->values->items[i], v))
                return (int64_t)i;
        return -1;
    }
    if (!value_is_number(v))
        return -1;
    double step = p->dist == DIST_INT_UNIFORM ? 1 : p->q;
    double at = (value_number(v) - p->min) / step, i = rint(at);
    if (!(i >= 0 && i < (double)count))
        return -1;
    /* A condition holds for values that are equal, not for near ones. */
    double there =
        p->dist == DIST_INT_UNIFORM ? p->min + i : q_uniform_at(p, i);
    return there == value_number(v) ? (int64_t)i : -1;
}

enum { INACTIVE = -1, OTHER = -2 };

struct node {
    uint64_t count;   /* values in the grid */
    size_t group;     /* the smallest index of a member */
    int64_t *special; /* values that conditions name, ascending */
    size_t special_count;
    int64_t at; /* value while counting: an index, INACTIVE or OTHER */
};

/* The special values of one condition. */
struct named {
    size_t on;
    int64_t *values;
    size_t count;
};

struct grid {
    const struct space *space;
    struct arena *arena;       /* of what is below */
    struct node *nodes;        /* by parameter */
    struct named **conditions; /* by parameter, then by condition */
    size_t *order;
};

static int compare_int64(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void add_special(struct grid *g, size_t on, int64_t value)
{
    struct node *n = &g->nodes[on];
    for (size_t i = 0; i < n->special_count; i++)
        if (n->special[i] == value)
            return;
    int64_t *grown =
        arena_array(g->arena, n->special_count + 1, sizeof(*grown));
    if (n->special_count)
        memcpy(grown, n->special, n->special_count * sizeof(*grown));
    grown[n->special_count++] = value;
    qsort(grown, n->special_count, sizeof(*grown), compare_int64);
    n->special = grown;
}

static void read_condition(struct grid *g, const struct condition *c,
                           struct named *named)
{
    size_t on = (size_t)space_find(g->space, c->name);
    size_t count = c->values->count;
    *named = (struct named){.on = on};
    named->values = arena_array(g->arena, count, sizeof(*named->values));
    for (size_t i = 0; i < count; i++) {
        int64_t at = grid_index(&g->space->params[on], g->nodes[on].count,
                                c->values->items[i]);
        if (at < 0)
            continue;
        named->values[named->count++] = at;
        add_special(g, on, at);
    }
}

static void join_groups(struct grid *g, size_t a, size_t b)
{
    size_t from = g->nodes[a].group, to = g->nodes[b].group;
    if (from < to) {
        size_t swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; i < g->space->count; i++)
        if (g->nodes[i].group == from)
            g->nodes[i].group = to;
}

static int read_counts(struct grid *g, struct err *err)
{
    for (size_t i = 0; i < g->space->count; i++) {
        const struct param *p = &g->space->params[i];
        const char *why = "it has no values";
        g->nodes[i] = (struct node){
            .count = param_grid_count(p, &why), .group = i, .at = INACTIVE};
        if (!g->nodes[i].count)
            return err_set(err, ERR_INPUT, "%.*s cannot be in a grid: %s",
                           STRF(p->name), why);
    }
    return 0;
}

static void read_conditions(struct grid *g)
{
    for (size_t i = 0; i < g->space->count; i++) {
        const struct param *p = &g->space->params[i];
        g->conditions[i] = arena_array(g->arena, p->condition_count,
                                       sizeof(*g->conditions[i]));
        for (size_t c = 0; c < p->condition_count; c++) {
            read_condition(g, &p->conditions[c], &g->conditions[i][c]);
            join_groups(g, i, g->conditions[i][c].on);
        }
    }
}

static int grid_open(struct grid *g, const struct space *s, struct err *err)
{
    *g = (struct grid){.space = s, .arena = arena_new()};
    g->nodes = arena_array(g->arena, s->count, sizeof(*g->nodes));
    g->conditions = arena_array(g->arena, s->count, sizeof(*g->conditions));
    g->order = arena_array(g->arena, s->count, sizeof(*g->order));
    if (space_order(s, g->order, err) || read_counts(g, err)) {
        arena_free(g->arena);
        return -1;
    }
    read_conditions(g);
    return 0;
}

static bool grid_active(const struct grid *g, size_t i)
{
    for (size_t c = 0; c < g->space->params[i].condition_count; c++) {
        const struct named *named = &g->conditions[i][c];
        bool holds = false;
        for (size_t v = 0; v < named->count; v++)
            holds |= named->values[v] == g->nodes[named->on].at;
        if (!holds)
            return false;
    }
    return true;
}

/* a * b and a + b that stay at COUNT_MOST + 1 once they pass COUNT_MOST. */
static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t c;
    return __builtin_mul_overflow(a, b, &c) || c > COUNT_MOST ? COUNT_MOST + 1
                                                              : c;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a + b > COUNT_MOST ? COUNT_MOST + 1 : a + b;
}

/* Ways to complete a group from position k of the order on, given the
 * values of the switches before. */
static uint64_t completions(struct grid *g, size_t group, size_t k)
{
    uint64_t ways = 1;
    for (; k < g->space->count; k++) {
        size_t i = g->order[k];
        struct node *n = &g->nodes[i];
        if (n->group != group)
            continue;
        if (!grid_active(g, i)) {
            n->at = INACTIVE;
            continue;
        }
        if (!n->special_count) {
            ways = times(ways, n->count);
            continue;
        }
        n->at = OTHER;
        uint64_t others = n->count - n->special_count;
        uint64_t sum = others ? times(others, completions(g, group, k + 1)) : 0;
        for (size_t v = 0; v < n->special_count; v++) {
            n->at = n->special[v];
            sum = plus(sum, completions(g, group, k + 1));
        }
        return times(ways, sum);
    }
    return ways;
}

static uint64_t grid_total(struct grid *g)
{
    uint64_t total = 1;
    for (size_t i = 0; i < g->space->count; i++)
        if (g->nodes[i].group == i)
            total = times(total, completions(g, i, 0));
    return total;
}

uint64_t space_grid_count(const struct space *s, struct err *err)
{
    struct grid g;
    if (grid_open(&g, s, err))
        return 0;
    uint64_t total = grid_total(&g);
    arena_free(g.arena);
    if (total > COUNT_MOST) {
        err_set(err, ERR_LIMIT, "the grid has more than 2^62 points");
        return 0;
    }
    return total;
}

/* Sets the value of the parameter at position k of the order, an active one,
 * to that which holds point *left, and makes *left the point's number among
 * the completions in its group and elsewhere. `outside` is the number of
 * completions of all other groups. */
static int64_t choose(struct grid *g, size_t k, uint64_t outside,
                      uint64_t *left)
{
    struct node *n = &g->nodes[g->order[k]];
    n->at = OTHER;
    uint64_t each = times(outside, completions(g, n->group, k + 1));
    uint64_t next = 0; /* the first value not yet passed */
    for (size_t v = 0; v < n->special_count; v++) {
        uint64_t special = (uint64_t)n->special[v];
        uint64_t gap = times(special - next, each);
        if (*left < gap)
            break;
        *left -= gap;
        next = special + 1;
        n->at = n->special[v];
        uint64_t ways = times(outside, completions(g, n->group, k + 1));
        if (*left < ways)
            return n->at;
        *left -= ways;
    }
    uint64_t index = next + *left / each;
    *left %= each;
    n->at = n->special_count ? OTHER : (int64_t)index;
    return (int64_t)index;
}

static struct value *conditional_point(struct grid *g, uint64_t k,
                                       struct arena *a)
{
    size_t count = g->space->count;
    struct value **values = arena_array(a, count, sizeof(*values));
    uint64_t *ways = arena_array(g->arena, count, sizeof(*ways));
    uint64_t total = 1; /* the product of ways of all groups */
    for (size_t i = 0; i < count; i++)
        if (g->nodes[i].group == i)
            total = times(total, ways[i] = completions(g, i, 0));
    require(k < total);
    for (size_t at = 0; at < count; at++) {
        size_t i = g->order[at];
        size_t group = g->nodes[i].group;
        if (!grid_active(g, i)) {
            g->nodes[i].at = INACTIVE;
            continue;
        }
        uint64_t outside = total / ways[group];
        int64_t index = choose(g, at, outside, &k);
        values[i] = param_grid_at(&g->space->params[i], (uint64_t)index, a);
        ways[group] = completions(g, group, at + 1);
        total = outside * ways[group];
    }
    return space_point(g->space, values, a);
}

static struct value *plain_point(const struct space *s, uint64_t k,
                                 struct arena *a)
{
    struct value **values = arena_array(a, s->count, sizeof(*values));
    for (size_t i = s->count; i-- > 0;) {
        uint64_t count = param_grid_count(&s->params[i], NULL);
        require(count > 0);
        values[i] = param_grid_at(&s->params[i], k % count, a);
        k /= count;
    }
    require(k == 0);
    return space_point(s, values, a);
}

struct value *space_grid_point(const struct space *s, uint64_t k,
                               struct arena *a)
{
    bool conditional = false;
    for (size_t i = 0; i < s->count; i++)
        conditional |= s->params[i].condition_count > 0;
    if (!conditional)
        return plain_point(s, k, a);
    struct grid g;
    require(grid_open(&g, s, NULL) == 0);
    struct value *point = conditional_point(&g, k, a);
    arena_free(g.arena);
    return point;
}

/* ---- an order that covers the space ----------------------------------- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Number c of an order of 0 … n-1 whose beginning lies all over them: they
 * are cut into about sqrt(n) stretches, which take turns, far ones after each
 * other; inside of a stretch the order is any. A few are soon all there, so
 * that they come as they are written. */
static uint64_t spread(uint64_t c, uint64_t n)
{
    uint64_t stretches = (uint64_t)sqrt((double)n);
    uint64_t length = n / stretches, longer = n % stretches;
    uint64_t turn = c / stretches, at = c % stretches;
    if (n <= FEW)
        return c;
    uint64_t step = (uint64_t)((double)stretches * 0.618033988749895);
    while (common_divisor(step, stretches) != 1)
        step++;
    if (turn < length) /* in the last turn only the longer ones are left */
        at = at * step % stretches;
    uint64_t first = at * length + (at < longer ? at : longer);
    return first + rng_permute(at, turn, length + (at < longer));
}

static size_t widest_of(const uint64_t *ways, size_t count)
{
    size_t widest = 0;
    for (size_t i = 1; i < count; i++)
        if (ways[i] > ways[widest])
            widest = i;
    return widest;
}

/* Which point of each group point k has; `ways` is used up. The widest group
 * goes through its points again and again. Of every other one, as many points
 * as it has follow each other in some order, then all of them in another
 * order; each time that the widest begins anew they are shifted, the next
 * widest by one, so that in the end all combinations were there: that of
 * number k is found from the widest on, group by group, as digits are. */
static void spread_numbers(uint64_t *ways, size_t count, uint64_t k,
                           uint64_t *numbers)
{
    size_t i = widest_of(ways, count);
    uint64_t n = ways[i], column = k % n, before = 0;
    numbers[i] = spread(column, n);
    k /= n;
    ways[i] = 0;
    while (ways[i = widest_of(ways, count)] > 1) {
        struct rng order, shift;
        n = ways[i];
        rng_init(&order, i, column / n, "grid order");
        rng_init(&shift, i, before, "grid shift");
        numbers[i] = rng_permute(rng_u64(&order), column % n, n) + k % n;
        numbers[i] += before ? rng_below(&shift, n) : 0;
        numbers[i] %= n;
        before = before * n + k % n;
        k /= n;
        ways[i] = 0;
    }
    require(k == 0);
}

struct value *space_grid_spread(const struct space *s, uint64_t k,
                                struct arena *a)
{
    struct grid g;
    if (!s->count)
        return space_grid_point(s, k, a);
    require(grid_open(&g, s, NULL) == 0);
    struct value **values = arena_array(a, s->count, sizeof(*values));
    uint64_t *ways = arena_array(g.arena, s->count, sizeof(*ways));
    uint64_t *numbers = arena_array(g.arena, s->count, sizeof(*numbers));
    for (size_t i = 0; i < s->count; i++)
        ways[i] = g.nodes[i].group == i ? completions(&g, i, 0) : 0;
    spread_numbers(ways, s->count, k, numbers);
    for (size_t at = 0; at < s->count; at++) {
        size_t i = g.order[at];
        struct node *n = &g.nodes[i];
        if (!grid_active(&g, i)) {
            n->at = INACTIVE;
            continue;
        }
        int64_t index = choose(&g, at, 1, &numbers[n->group]);
        values[i] = param_grid_at(&s->params[i], (uint64_t)index, a);
    }
    struct value *point = space_point(s, values, a);
    arena_free(g.arena);
    return point;
}
