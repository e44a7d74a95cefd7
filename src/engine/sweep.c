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
#include <time.h>
#include <unistd.h>

#define QUIET_ROUNDS 2
#define ROUND_MS 5

void sweep_init(struct sweep *s, const char *mark)
{
    *s = (struct sweep){.mark = mark};
}

void sweep_done(struct sweep *s)
{
    vec_done(&s->kin);
}

void sweep_pause_ms(unsigned ms)
{
    struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
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

static bool is_marked(const struct process_table *t, const char *mark,
                      const struct process_info *row)
{
    return row->state != 'Z' && row->state != 'X' &&
           process_has_env(row->pid, mark) && !is_above_us(t, row->pid);
}

bool sweep_round(struct sweep *s)
{
    struct process_table table = {0};
    bool found = false;
    if (process_table_read(&table, NULL))
        return false;
    for (size_t i = 0; i < table.rows.len; i++) {
        const struct process_info *row = &table.rows.p[i];
        if (row->pid == s->worker.pid || is_kin(s, row))
            continue;
        bool orphan = is_orphan(s, row);
        if (!orphan && !is_marked(&table, s->mark, row))
            continue;
        found = true;
        s->seen = row->pid;
        if (row->state == 'Z')
            waitpid(row->pid, NULL, WNOHANG);
        else
            kill(row->pid, SIGKILL);
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
            return err_set(err, ERR_BUSY,
                           "process %d of this study does not end, not even "
                           "by SIGKILL",
                           (int)s->seen);
        if (!s->quiet)
            sweep_pause_ms(ROUND_MS); /* what was killed needs time to end */
    }
    return 0;
}

size_t sweep_marked(const char *mark, sweep_found_fn *found, void *context)
{
    struct process_table table = {0};
    size_t count = 0;
    if (process_table_read(&table, NULL))
        return 0;
    for (size_t i = 0; i < table.rows.len; i++) {
        if (!is_marked(&table, mark, &table.rows.p[i]))
            continue;
        count++;
        if (found)
            found(context, &table.rows.p[i]);
    }
    process_table_done(&table);
    return count;
}
