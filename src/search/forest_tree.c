/* forest_tree.c - one extremely randomised regression tree */
#include "search/forest_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 64 };

/* A way to cut the rows of a node in two. */
struct cut {
    double score; /* what it takes off the squares; 0: none found */
    int axis;
    float at;
    uint64_t left_choices;
};

/* Rows of a node that waits to be cut. */
struct part {
    uint32_t node;
    size_t from, count;
    size_t depth; /* cuts above it */
};

struct fitting {
    struct forest_tree *tree;
    const struct forest_data *data;
    uint32_t *rows;
    size_t leaf, width;
    int *axes; /* in the order in which they are tried */
    struct part *parts;
    size_t part_count, part_cap;
    struct rng *rng;
};

void forest_code(const struct axes *axes, const double *u, float *x)
{
    for (size_t i = 0; i < axes->count; i++) {
        const struct axis *axis = &axes->axis[i];
        double at = u[axis->param];
        if (isnan(at))
            x[i] = -1;
        else
            x[i] = axis->choices ? (float)axis_choice(axis, at) : (float)at;
    }
}

static float value_of(const struct fitting *f, uint32_t row, int axis)
{
    return f->data->x[row * f->width + (size_t)axis];
}

static double gain(double left, double nl, double all, double n)
{
    double right = all - left, nr = n - nl;
    return left * left / nl + right * right / nr - all * all / n;
}

static double sum_of(const struct fitting *f, const struct part *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        sum += f->data->y[f->rows[p->from + i]];
    return sum;
}

static void find_range(const struct fitting *f, const struct part *p, int axis,
                       float *low, float *high)
{
    const uint32_t *rows = f->rows + p->from;
    *low = *high = value_of(f, rows[0], axis);
    for (size_t i = 1; i < p->count; i++) {
        float x = value_of(f, rows[i], axis);
        *low = x < *low ? x : *low;
        *high = x > *high ? x : *high;
    }
}

/* Somewhere. */
static void try_number(struct fitting *f, const struct part *p, int axis,
                       double all, struct cut *best)
{
    const uint32_t *rows = f->rows + p->from;
    float low, high;
    find_range(f, p, axis, &low, &high);
    float at = low + (float)rng_uniform(f->rng) * (high - low);
    if (!(at < high))
        return;
    double left = 0;
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++) {
        bool in = value_of(f, rows[i], axis) <= at;
        left += in ? f->data->y[rows[i]] : 0;
        count += in;
    }
    if (count < f->leaf || p->count - count < f->leaf)
        return;
    double score = gain(left, (double)count, all, (double)p->count);
    if (score > best->score)
        *best = (struct cut){score, axis, at, 0};
}

/* Rows between two places where a number may be cut. */
struct bin {
    double sum;
    size_t count;
};

/* The best of up to MOST_CUTS places, evenly apart from where a random one
 * lies. */
static void try_many(struct fitting *f, const struct part *p, int axis,
                     double all, struct cut *best)
{
    const uint32_t *rows = f->rows + p->from;
    struct bin bins[MOST_CUTS + 1] = {0};
    float low, high, cuts[MOST_CUTS];
    size_t places = p->count < MOST_CUTS ? p->count : MOST_CUTS;
    find_range(f, p, axis, &low, &high);
    float step = (high - low) / (float)places;
    float first = low + (float)rng_uniform(f->rng) * step;
    if (!(first + step > first))
        return;
    for (size_t i = 0; i < places; i++)
        cuts[i] = first + (float)i * step;
    for (size_t i = 0; i < p->count; i++) {
        float x = value_of(f, rows[i], axis);
        size_t at = x > first ? (size_t)((x - first) / step) : 0;
        at = at < places ? at : places;
        while (at > 0 && x <= cuts[at - 1])
            at--;
        while (at < places && x > cuts[at])
            at++;
        bins[at].sum += f->data->y[rows[i]];
        bins[at].count++;
    }
    struct bin left = {0};
    for (size_t i = 0; i < places; i++) {
        left.sum += bins[i].sum;
        left.count += bins[i].count;
        if (left.count < f->leaf || p->count - left.count < f->leaf)
            continue;
        double score =
            gain(left.sum, (double)left.count, all, (double)p->count);
        if (score > best->score)
            *best = (struct cut){score, axis, cuts[i], 0};
    }
}

struct choice {
    double sum;
    size_t count, bit;
};

static int by_mean(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    double left = x->sum / (double)x->count, right = y->sum / (double)y->count;
    if (left != right)
        return left < right ? -1 : 1;
    return x->bit < y->bit ? -1 : 1;
}

static void try_choices(struct fitting *f, const struct part *p, int axis,
                        double all, struct cut *best)
{
    struct choice choices[FOREST_CHOICES + 1] = {0};
    size_t there = 0, count = 0;
    for (size_t i = 0; i < p->count; i++) {
        uint32_t row = f->rows[p->from + i];
        struct choice *c = &choices[(size_t)(value_of(f, row, axis) + 1)];
        c->sum += f->data->y[row];
        c->count++;
    }
    for (size_t i = 0; i <= FOREST_CHOICES; i++)
        if (choices[i].count) {
            choices[there] = choices[i];
            choices[there++].bit = i;
        }
    qsort(choices, there, sizeof(*choices), by_mean);
    uint64_t bits = 0;
    double left = 0;
    for (size_t i = 0; i + 1 < there; i++) {
        bits |= (uint64_t)1 << choices[i].bit;
        left += choices[i].sum;
        count += choices[i].count;
        if (count < f->leaf || p->count - count < f->leaf)
            continue;
        double score = gain(left, (double)count, all, (double)p->count);
        if (score > best->score)
            *best = (struct cut){score, axis, 0, bits};
    }
}

/* Tries axes in a random order: five sixths of them, and on until one gives a
 * cut. */
static struct cut find_cut(struct fitting *f, const struct part *p, double all)
{
    struct cut best = {0};
    size_t wanted = (5 * f->width + 5) / 6;
    for (size_t i = 0; i < f->width; i++) {
        size_t j = i + rng_below(f->rng, f->width - i);
        int axis = f->axes[j];
        f->axes[j] = f->axes[i];
        f->axes[i] = axis;
        size_t choices = f->data->axes->axis[axis].choices;
        if (i >= wanted && best.score > 0)
            break;
        if (choices && choices <= FOREST_CHOICES)
            try_choices(f, p, axis, all, &best);
        else if (f->data->best_cut)
            try_many(f, p, axis, all, &best);
        else
            try_number(f, p, axis, all, &best);
    }
    return best;
}

static uint32_t add_nodes(struct forest_tree *t, size_t count)
{
    if (t->count + count > t->cap) {
        t->cap = 2 * t->cap + count + 16;
        t->nodes = xrealloc(t->nodes, t->cap * sizeof(*t->nodes));
    }
    memset(t->nodes + t->count, 0, count * sizeof(*t->nodes));
    t->count += count;
    return (uint32_t)(t->count - count);
}

static void add_part(struct fitting *f, struct part p)
{
    if (f->part_count == f->part_cap) {
        f->part_cap = 2 * f->part_cap + 32;
        f->parts = xrealloc(f->parts, f->part_cap * sizeof(*f->parts));
    }
    f->parts[f->part_count++] = p;
}

/* Fills the node's mean; the sum comes back. */
static double describe(struct fitting *f, const struct part *p)
{
    struct forest_node *n = &f->tree->nodes[p->node];
    double all = sum_of(f, p), mean = all / (double)p->count, squares = 0;
    for (size_t i = 0; i < p->count; i++) {
        double d = f->data->y[f->rows[p->from + i]] - mean;
        squares += d * d;
    }
    n->axis = -1;
    n->count = (uint32_t)p->count;
    n->mean = mean;
    n->variance = squares / (double)p->count;
    return all;
}

/* Rows that go left come first, each side in the order it had. */
static size_t divide(struct fitting *f, const struct part *p,
                     const struct forest_node *n, uint32_t *right)
{
    uint32_t *rows = f->rows + p->from;
    size_t left = 0, others = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (forest_goes_left(n, value_of(f, rows[i], n->axis)))
            rows[left++] = rows[i];
        else
            right[others++] = rows[i];
    }
    memcpy(rows + left, right, others * sizeof(*rows));
    return left;
}

void forest_tree_fit(struct forest_tree *t, const struct forest_data *data,
                     uint32_t *rows, size_t count, size_t leaf, struct rng *rng)
{
    struct fitting f = {.tree = t,
                        .data = data,
                        .rows = rows,
                        .leaf = leaf,
                        .width = data->axes->count,
                        .rng = rng};
    uint32_t *right = xcalloc(count + 1, sizeof(*right));
    f.axes = xcalloc(f.width + 1, sizeof(*f.axes));
    for (size_t i = 0; i < f.width; i++)
        f.axes[i] = (int)i;
    t->count = 0;
    add_part(&f, (struct part){add_nodes(t, 1), 0, count, 0});
    while (f.part_count) {
        struct part p = f.parts[--f.part_count];
        double all = describe(&f, &p);
        if (p.count < 2 * leaf || !(t->nodes[p.node].variance > 0) ||
            (data->depth && p.depth == data->depth))
            continue;
        struct cut cut = find_cut(&f, &p, all);
        if (!(cut.score > 0))
            continue;
        uint32_t at = add_nodes(t, 2);
        struct forest_node *n = &t->nodes[p.node];
        n->axis = cut.axis;
        n->cut = cut.at;
        n->left_choices = cut.left_choices;
        n->left = at;
        size_t left = divide(&f, &p, n, right);
        add_part(&f, (struct part){at + 1, p.from + left, p.count - left,
                                   p.depth + 1});
        add_part(&f, (struct part){at, p.from, left, p.depth + 1});
    }
    free(right);
    free(f.axes);
    free(f.parts);
}

void forest_tree_done(struct forest_tree *t)
{
    free(t->nodes);
    *t = (struct forest_tree){0};
}

const struct forest_node *forest_tree_leaf(const struct forest_tree *t,
                                           const float *x)
{
    const struct forest_node *n = t->nodes;
    while (n->axis >= 0)
        n = &t->nodes[n->left + !forest_goes_left(n, x[n->axis])];
    return n;
}
