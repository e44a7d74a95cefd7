/* streaks.c - nodes on which nothing goes well */
#include "engine/streaks.h"

#include "base/err.h"

#define FAILED_MAX 3

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

bool streaks_note(struct streaks *s, const char *node, bool well)
{
    struct streak *at = find_or_add(s, node);
    if (well) {
        at->failed = 0;
        at->well++;
        s->well++;
        return false;
    }
    at->failed++;
    if (at->out || at->failed < FAILED_MAX || s->well == at->well)
        return false;
    at->out = true;
    return true;
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
