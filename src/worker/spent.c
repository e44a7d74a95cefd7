/* spent.c - what the time of a trainer goes into, and a member's part of it */
#include <stdio.h>
#include "sys/sys.h"
#include "worker/member.h"

void train_spend(struct train *t, enum spent into)
{
    int64_t now = clock_mono_ns();
    t->spent[into] += (double)(now - t->spent_ns) * 1e-9;
    t->spent_ns = now;
}

struct use member_use(struct train *t, const struct member *m)
{
    struct use u = {0};
    if (!m->device)
        return u;
    snprintf(u.device, sizeof u.device, "%s", m->device->name);
    train_spend(t, SPENT_SYNCHRONISING);
    for (int i = 0; i < SPENT_COUNT; i++)
        u.spent[i] = t->spent[i] - m->spent[i];
    u.joules = m->device->gpu ? meter_joules(t->meter) - m->joules : 0;
    u.gpu_bytes = m->device->gpu ? meter_bytes(t->meter) : 0;
    return u;
}

void member_say_moved(struct train *t, struct member *m)
{
    if (!m->device || !m->task.before.len ||
        str_is(m->task.before, m->device->name))
        return;
    member_say_once(
        t, m,
        arena_printf(m->arena,
                     "what was begun on the device %.*s goes on on the "
                     "device %s: from there on sums are rounded otherwise",
                     STRF(m->task.before), m->device->name));
}
