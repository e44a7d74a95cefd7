/* streaks.c - nodes on which nothing goes well */
#include "engine/streaks.h"

#include <math.h>
#include "base/err.h"

#define FAILED_MIN 3
/* So probable may it be that any such streak comes by chance. */
#define CHANCE 0.05
/* One of so many nodes may be left out, or a single one. */
#define ONE_OF 4

void streaks_done(struct streaks *s)
{
    for (size_t i = 0; i < s->list.len; i++)
        free(s->list.p[i].node);
    vec_done(&s->list);
}

static struct streak *find_or_add(struct streaks *s, const char *node)
{
    for (size_t i = 0; i < s->list.len; i++)
        if (strcmp(s->list.p[i].node, node) == 0)
            return &s->list.p[i];
    struct streak fresh = {.node = xstrdup(node)};
    vec_push(&s->list, fresh);
    return &vec_last(&s->list);
}

void streaks_note(struct streaks *s, const char *node, bool well)
{
    struct streak *at = find_or_add(s, node);
    at->well += well;
    at->bad += !well;
    at->failed = well ? 0 : at->failed + 1;
}

/* How probable the streak were if the node was like the others, each job of
 * the study being a chance for one to end. */
static bool is_chance(const struct streaks *s, const struct streak *at)
{
    double well = 0, bad = 0, all = 0;
    for (size_t i = 0; i < s->list.len; i++) {
        const struct streak *k = &s->list.p[i];
        all += (double)(k->well + k->bad);
        if (k == at || k->out)
            continue;
        well += (double)k->well;
        bad += (double)k->bad;
    }
    double part = (bad + 1) / (well + bad + 2);
    return well < 1 || all * pow(part, at->failed) >= CHANCE;
}

const struct streak *streaks_take(struct streaks *s, size_t nodes)
{
    size_t most = nodes < 2 ? 0 : nodes < 2 * ONE_OF ? 1 : nodes / ONE_OF;
    for (size_t i = 0; i < s->list.len && s->out < most; i++) {
        struct streak *at = &s->list.p[i];
        if (at->out || at->failed < FAILED_MIN || is_chance(s, at))
            continue;
        at->out = true;
        s->out++;
        return at;
    }
    return NULL;
}

void streaks_print(const struct streaks *s, struct buf *b)
{
    bool first = true;
    for (size_t i = 0; i < s->list.len; i++) {
        if (!s->list.p[i].out)
            continue;
        buf_addf(b, "%s%s", first ? "" : ",", s->list.p[i].node);
        first = false;
    }
}
