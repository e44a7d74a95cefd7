/* streaks.h - nodes on which nothing goes well
 *
 * A node where jobs fail at once, one after the other, while tasks end well
 * elsewhere, is left out. Where tasks fail by themselves such streaks come by
 * chance on any node, so it takes the longer a streak the more of them fail
 * elsewhere, and most nodes stay in any case. Private to this folder. */
#ifndef THRONG_ENGINE_STREAKS_H
#define THRONG_ENGINE_STREAKS_H

#include "base/buf.h"
#include "base/vec.h"

struct streak {
    char *node;
    uint32_t failed;    /* jobs in a row */
    uint64_t well, bad; /* jobs in all */
    bool out;
};
struct streaks {
    VEC(struct streak) list;
    size_t out; /* of them */
};

void streaks_done(struct streaks *s);
/* A job on the node went well, or failed at once. */
void streaks_note(struct streaks *s, const char *node, bool well);
/* A node of so many that is left out from now on, or NULL. It lives as long as
 * s. */
const struct streak *streaks_take(struct streaks *s, size_t nodes);
/* "a,b": those that are left out. */
void streaks_print(const struct streaks *s, struct buf *b);

#endif
