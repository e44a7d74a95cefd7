/* sweep.c - ends the processes that a dead worker has left behind
 *
 * A round looks at the whole process table, because orphans can be anywhere
 * in it. Killing a process may hand its children to us, and they may stand in
 * a part of the table that was read before: so a round that finds anything,
 * even a corpse, proves nothing, and only two empty rounds in a row count.
 *
 * Zombies are reaped one by one, by pid: other children of this process are
 * somebody else's to wait for. */
#include "engine/sweep.h"
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET_ROUNDS 2
#define ROUND_MS 5

void sweep_init(struct sweep *s, const struct mark *mark)
{
    *s = (struct sweep){.mark = *mark};
}

void sweep_done(struct sweep *s)
{
    vec_done(&s->kin);
    sessions_done(&s->sessions);
}

void sweep_note_kin(struct sweep *s)
{
    struct process_table table = {0};
    if (process_table_read(&table, NULL))
        return;
    pid_t self = getpid();
    if (s->worker.pid && !process_alive(s->worker)) {
        process_table_done(&table);
        return;
    }
    s->kin.len = 0;
    for (size_t i = 0; i < table.rows.len; i++) {
        const struct process_info *row = &table.rows.p[i];
        struct process_id id = {row->pid, row->start};
        if (row->parent == self && row->pid != s->worker.pid)
            vec_push(&s->kin, id);
    }
    process_table_done(&table);
}

static bool is_kin(const struct sweep *s, const struct process_info *row)
{
    for (size_t i = 0; i < s->kin.len; i++)
        if (s->kin.p[i].pid == row->pid && s->kin.p[i].start == row->start)
            return true;
    return false;
}

/* Tasks run in sessions of their own, so whatever shares ours is no orphan
 * of the worker, even if it was started too late to be noted. */
static bool is_orphan(const struct sweep *s, const struct process_info *row)
{
    return s->worker.pid != 0 && row->parent == getpid() &&
           row->pid != s->worker.pid && row->session != getsid(0) &&
           row->start >= s->worker.start;
}

static const struct process_info *find(const struct process_table *t, pid_t pid)
{
    for (size_t i = 0; i < t->rows.len; i++)
        if (t->rows.p[i].pid == pid)
            return &t->rows.p[i];
    return NULL;
}

/* This process and those above it are never ended, whatever they carry: the
 * study may be run from inside of another one's task. */
static bool is_above_us(const struct process_table *t, pid_t pid)
{
    pid_t at = getpid();
    for (unsigned depth = 0; at > 0 && depth < 1000; depth++) {
        if (at == pid)
            return true;
        const struct process_info *row = find(t, at);
        at = row ? row->parent : 0;
    }
    return false;
}

static bool is_over(const struct process_info *row)
{
    return row->state == 'Z' || row->state == 'X';
}

static enum mark_role role_of(const struct process_table *t,
                              const struct mark *mark,
                              const struct process_info *row)
{
    if (is_over(row))
        return MARK_NONE;
    enum mark_role role = mark_role_of(row->pid, mark);
    return role != MARK_NONE && !is_above_us(t, row->pid) ? role : MARK_NONE;
}

static bool is_left(const struct sweep *s, const struct process_table *t,
                    const struct process_info *row)
{
    if (role_of(t, &s->mark, row) != MARK_NONE)
        return true;
    return !is_over(row) && sessions_has(&s->sessions, row) &&
           !is_above_us(t, row->pid);
}

bool sweep_round(struct sweep *s)
{
    struct process_table table = {0};
    bool found = false;
    if (process_table_read(&table, NULL))
        return false;
    sessions_judge(&s->sessions, &table);
    for (size_t i = 0; i < table.rows.len; i++) {
        const struct process_info *row = &table.rows.p[i];
        if (row->pid == s->worker.pid || is_kin(s, row))
            continue;
        bool orphan = is_orphan(s, row);
        if (!orphan && !is_left(s, &table, row))
            continue;
        found = true;
        s->seen = row->pid;
        if (row->state == 'Z')
            waitpid(row->pid, NULL, WNOHANG);
        else
            s->denied = kill(row->pid, SIGKILL) && errno == EPERM;
    }
    process_table_done(&table);
    s->quiet = found ? 0 : s->quiet + 1;
    return s->quiet >= QUIET_ROUNDS;
}

int sweep_all(struct sweep *s, double seconds, struct err *err)
{
    int64_t end = clock_mono_ns() + (int64_t)(seconds * 1e9);
    while (!sweep_round(s)) {
        if (clock_mono_ns() > end)
            return err_set(err, ERR_BUSY, "process %d, of this study, %s",
                           (int)s->seen,
                           s->denied ? "belongs to another user: end it, then "
                                       "run again"
                                     : "does not end, not even by SIGKILL");
        if (!s->quiet)
            clock_pause_ms(ROUND_MS); /* what was killed needs time to end */
    }
    return 0;
}

size_t sweep_marked(const struct mark *mark, size_t *workers)
{
    struct process_table table = {0};
    size_t count = 0;
    *workers = 0;
    if (process_table_read(&table, NULL))
        return 0;
    for (size_t i = 0; i < table.rows.len; i++) {
        enum mark_role role = role_of(&table, mark, &table.rows.p[i]);
        count += role != MARK_NONE;
        *workers += role == MARK_WORKER;
    }
    process_table_done(&table);
    return count;
}
