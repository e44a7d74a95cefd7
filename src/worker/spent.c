/* spent.c - what the time of a trainer goes into, and a member's part of it */
#include <stdio.h>
#include "sys/sys.h"
#include "worker/member.h"
#include "worker/so_far.h"

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
    meter_look(t->meter, t->members.len); /* its last epoch counts, too */
    snprintf(u.device, sizeof u.device, "%s", m->device->name);
    train_spend(t, SPENT_SYNCHRONISING);
    for (int i = 0; i < SPENT_COUNT; i++)
        u.spent[i] = t->spent[i] - m->spent[i];
    u.joules = m->device->gpu ? meter_joules(t->meter) - m->joules : 0;
    u.gpu_bytes = m->device->gpu ? meter_bytes(t->meter) : 0;
    return u;
}

static void say_use(struct train *t, struct member *m, int64_t now_ns)
{
    struct record_use u = {.seconds = (double)(now_ns - m->begun_ns) * 1e-9,
                           .cpu_seconds = m->cpu_s,
                           .use = member_use(t, m)};
    buf_reset(&t->payload);
    record_use_print(&t->payload, &u);
    member_say(t, m, RECORD_USE, buf_str(&t->payload));
}

void members_say_use(struct train *t)
{
    int64_t now = clock_mono_ns();
    for (size_t i = 0; i < t->members.len; i++) {
        struct member *m = t->members.p[i];
        if (m && m->device && m->begun_ns &&
            so_far_is_due(m->begun_ns, now, &m->so_far_ns))
            say_use(t, m, now);
    }
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
