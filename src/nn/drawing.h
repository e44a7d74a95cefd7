/* drawing.h - a graph in text, one line a node
 *
 * Inside nn only. Every value that is still wanted below runs down a lane. A
 * node stands in the lane of an input that nobody else wants, or in a free
 * one; lines from its other inputs come from the side:
 *
 *     ●      stem
 *     ├─●    deep
 *     ●─╯    sum */
#ifndef THRONG_NN_DRAWING_H
#define THRONG_NN_DRAWING_H

#include "base/buf.h"
#include "base/vec.h"

struct drawing {
    VEC(int) lanes; /* the node whose value runs down it; -1: free */
    int *uses;      /* by node: how many nodes below still take it */
};

void drawing_init(struct drawing *d, size_t nodes);
void drawing_done(struct drawing *d);
/* Says beforehand that some node will take the value of `node`. */
void drawing_use(struct drawing *d, int node);
/* The line of the next node, which takes `from`; mark is one character. */
void drawing_node(struct drawing *d, struct buf *b, int node, const int *from,
                  int from_count, const char *mark);

#endif
