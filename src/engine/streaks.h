/* streaks.h - nodes on which nothing goes well
 *
 * A node where jobs fail at once, one after the other, while tasks end well
 * elsewhere, is left out. Private to this folder. */
#ifndef THRONG_ENGINE_STREAKS_H
#define THRONG_ENGINE_STREAKS_H

#include "base/buf.h"
#include "base/vec.h"

struct streak {
    char *node;
    uint32_t failed; /* jobs in a row */
    uint64_t well;   /* jobs that went well */
    bool out;
};
struct streaks {
    VEC(struct streak) list;
    uint64_t well;
};

void streaks_done(struct streaks *s);
/* A job on the node went well, or failed at once. True: the node is left out
 * from now on. */
bool streaks_note(struct streaks *s, const char *node, bool well);
/* "a,b": those that are left out. */
void streaks_print(const struct streaks *s, struct buf *b);

#endif
