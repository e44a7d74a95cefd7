/* drawing.c - a graph in text, one line a node */
#include "nn/drawing.h"

#include <stdlib.h>

#include "base/err.h"

/* What a lane is to the node of this line. */
enum lane { LANE_FREE, LANE_PASSING, LANE_TAKEN, LANE_ENDING };

void drawing_init(struct drawing *d, size_t nodes)
{
    *d = (struct drawing){.uses = xcalloc(nodes + 1, sizeof(int))};
}

void drawing_done(struct drawing *d)
{
    vec_done(&d->lanes);
    free(d->uses);
}

void drawing_use(struct drawing *d, int node)
{
    d->uses[node]++;
}

static bool takes(const int *from, int count, int node)
{
    for (int i = 0; i < count; i++)
        if (from[i] == node)
            return true;
    return false;
}

static enum lane lane_is(const struct drawing *d, size_t lane, const int *from,
                         int count)
{
    int node = d->lanes.p[lane];
    if (node < 0)
        return LANE_FREE;
    if (!takes(from, count, node))
        return LANE_PASSING;
    return d->uses[node] > 0 ? LANE_TAKEN : LANE_ENDING;
}

/* The leftmost lane that ends here, else a free one. */
static size_t choose_lane(struct drawing *d, const int *from, int count)
{
    size_t first_free = d->lanes.len;
    for (size_t i = 0; i < d->lanes.len; i++) {
        enum lane is = lane_is(d, i, from, count);
        if (is == LANE_ENDING)
            return i;
        if (is == LANE_FREE && i < first_free)
            first_free = i;
    }
    if (first_free == d->lanes.len)
        vec_push(&d->lanes, -1);
    return first_free;
}

/* The lanes that the line goes across. */
struct span {
    size_t low, high, at;
};

static const char *lane_text(enum lane is, size_t lane, const struct span *s)
{
    bool across = lane > s->low && lane < s->high;
    switch (is) {
    case LANE_PASSING:
        return "│";
    case LANE_TAKEN:
        return across ? "┼" : lane < s->at ? "├" : "┤";
    case LANE_ENDING:
        return across ? "┴" : lane < s->at ? "╰" : "╯";
    default:
        return across ? "─" : " ";
    }
}

static struct span span_of(const struct drawing *d, const int *from, int count,
                           size_t at)
{
    struct span s = {at, at, at};
    for (size_t i = 0; i < d->lanes.len; i++) {
        if (!takes(from, count, d->lanes.p[i]) || d->lanes.p[i] < 0)
            continue;
        s.low = i < s.low ? i : s.low;
        s.high = i > s.high ? i : s.high;
    }
    return s;
}

void drawing_node(struct drawing *d, struct buf *b, int node, const int *from,
                  int from_count, const char *mark)
{
    for (int i = 0; i < from_count; i++)
        d->uses[from[i]]--;
    size_t at = choose_lane(d, from, from_count);
    struct span s = span_of(d, from, from_count, at);
    for (size_t i = 0; i < d->lanes.len; i++) {
        enum lane is = lane_is(d, i, from, from_count);
        buf_adds(b, i == at ? mark : lane_text(is, i, &s));
        buf_adds(b, i >= s.low && i < s.high ? "─" : " ");
        if (is == LANE_ENDING)
            d->lanes.p[i] = -1;
    }
    d->lanes.p[at] = d->uses[node] > 0 ? node : -1;
    while (d->lanes.len && d->lanes.p[d->lanes.len - 1] < 0)
        d->lanes.len--;
}
