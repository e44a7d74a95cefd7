/* sessions.c - are these processes still those that were written down?
 *
 * Proven is a session whose leader has the start time that was written down;
 * or, without a leader, one with a process that was there while the leader
 * was known to live, or any when no number can have come round since. A
 * leader with another start time proves that the number is somebody else's. */
#include "engine/sessions.h"

#include <unistd.h>

/* That a leader has ended may be heard of so much later. */
#define LATE_SECONDS 10

void sessions_init(struct sessions *s, const struct engine_left *left)
{
    *s = (struct sessions){.numbers_stand = left->numbers_stand,
                           .known_ticks = left->known_ticks};
    for (size_t i = 0; i < left->leader_count; i++)
        sessions_add(s, left->leaders[i]);
}

void sessions_add(struct sessions *s, struct process_id leader)
{
    struct session one = {.leader = leader};
    vec_push(&s->list, one);
}

void sessions_done(struct sessions *s)
{
    vec_done(&s->list);
}

static bool is_certain(const struct sessions *s, const struct process_info *row)
{
    uint64_t late = LATE_SECONDS * (uint64_t)sysconf(_SC_CLK_TCK);
    return s->numbers_stand || row->start + late <= s->known_ticks;
}

static void judge(const struct sessions *s, struct session *one,
                  const struct process_table *t)
{
    bool any = false;
    for (size_t i = 0; i < t->rows.len; i++) {
        const struct process_info *row = &t->rows.p[i];
        bool is_leader = row->pid == one->leader.pid;
        if (is_leader && row->start != one->leader.start)
            one->over = true;
        if (row->session != one->leader.pid)
            continue;
        any = true;
        if (is_leader ||
            (row->start >= one->leader.start && is_certain(s, row)))
            one->ours = true;
    }
    if (one->ours && !any)
        one->over = true;
}

void sessions_judge(struct sessions *s, const struct process_table *t)
{
    for (size_t i = 0; i < s->list.len; i++)
        if (!s->list.p[i].over)
            judge(s, &s->list.p[i], t);
}

bool sessions_has(const struct sessions *s, const struct process_info *row)
{
    for (size_t i = 0; i < s->list.len; i++) {
        const struct session *one = &s->list.p[i];
        if (one->ours && !one->over && row->session == one->leader.pid)
            return true;
    }
    return false;
}
