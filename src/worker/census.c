/* census.c - which process belongs to which attempt */
#include "worker/census.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/num.h"
#include "worker/crew.h"
#include "worker/worker.h"

#define ENVIRON_MAX (4u << 20)
/* However quiet it is, new sessions are looked for, and who waits for disks. */
#define NEXT_NS 2000000000
#define NEXT_SHARE 200 /* of the time, at most one part */

void census_init(struct census *c)
{
    *c = (struct census){.ended_tasks = idmap_new()};
}

void census_done(struct census *c)
{
    process_table_done(&c->table);
    vec_done(&c->owners);
    vec_done(&c->known);
    vec_done(&c->ended);
    vec_done(&c->away);
    idmap_free(c->ended_tasks);
}

/* ---- whose is it? ---------------------------------------------------- */

static int by_pid(const void *a, const void *b)
{
    const struct process_info *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static int known_by_pid(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct process_info *find_row(const struct census *c, pid_t pid)
{
    struct process_info key = {.pid = pid};
    if (c->table.rows.len == 0)
        return NULL;
    return bsearch(&key, c->table.rows.p, c->table.rows.len, sizeof key,
                   by_pid);
}

static uint64_t owner_seen_before(const struct census *c,
                                  const struct process_info *row)
{
    struct known key = {.pid = row->pid};
    if (c->known.len == 0)
        return OWNER_UNKNOWN;
    const struct known *k =
        bsearch(&key, c->known.p, c->known.len, sizeof key, known_by_pid);
    return k && k->start == row->start ? k->owner : OWNER_UNKNOWN;
}

/* A task's session and first process group have the pid of its main
 * process, also after that has ended. */
static uint64_t owner_by_session(const struct worker *w,
                                 const struct process_info *row)
{
    const struct attempt *a = idmap_get(w->by_pid, (uint64_t)row->session);
    if (!a)
        a = idmap_get(w->by_pid, (uint64_t)row->group);
    if (a)
        return a->serial;
    for (size_t i = w->census.ended.len; i > 0; i--) {
        const struct ended *e = &w->census.ended.p[i - 1];
        if (e->pid == row->session || e->pid == row->group)
            return e->serial;
    }
    return OWNER_UNKNOWN;
}

static uint64_t owner_by_name(const struct worker *w, uint64_t task,
                              uint64_t attempt)
{
    for (size_t i = 0; i < w->running.len; i++) {
        const struct attempt *a = w->running.p[i];
        if (a->task.id == task && a->task.attempt == attempt)
            return a->serial;
    }
    for (size_t i = 0; i < w->census.ended.len; i++) {
        const struct ended *e = &w->census.ended.p[i];
        if (e->task == task && e->attempt == attempt)
            return e->serial;
    }
    return OWNER_GONE;
}

static uint64_t owner_by_environ(struct worker *w, pid_t pid)
{
    char path[64];
    struct str rest, part, number;
    uint64_t task = 0, attempt = 0;
    bool marked = !w->environment.mark, has_task = false;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    buf_reset(&w->payload);
    if (file_read(path, ENVIRON_MAX, &w->payload, NULL) != 0)
        return OWNER_UNKNOWN;
    rest = buf_str(&w->payload);
    while (str_split(&rest, 0, &part)) {
        if (w->environment.mark && str_is(part, w->environment.mark))
            marked = true;
        number = str_n(part.p + 13, part.len < 13 ? 0 : part.len - 13);
        if (str_starts(part, STR("THRONG_TRIAL=")))
            has_task = num_uint(number, &task);
        number = str_n(part.p + 15, part.len < 15 ? 0 : part.len - 15);
        if (str_starts(part, STR("THRONG_ATTEMPT=")))
            num_uint(number, &attempt);
    }
    if (!marked || !has_task)
        return OWNER_UNKNOWN;
    return owner_by_name(w, task, attempt);
}

static uint64_t owner_of_child(struct worker *w, const struct process_info *row)
{
    const struct attempt *a = idmap_get(w->by_pid, (uint64_t)row->pid);
    if (a)
        return a->serial;
    if (crew_has(w, row->pid) || row->pid == w->gpu_watch.process.pid)
        return OWNER_CREW;
    uint64_t owner = owner_seen_before(&w->census, row);
    if (owner == OWNER_UNKNOWN)
        owner = owner_by_session(w, row);
    if (owner == OWNER_UNKNOWN && row->state != 'Z')
        owner = owner_by_environ(w, row->pid);
    return owner;
}

#define OWNER_OPEN UINT64_MAX

/* Processes are at most a few levels deep; the mark against loops also ends
 * the recursion on a table that changed while it was read. */
static uint64_t resolve(struct worker *w, const struct process_info *row)
{
    struct census *c = &w->census;
    uint64_t *owner = &c->owners.p[row - c->table.rows.p];
    if (*owner != OWNER_OPEN)
        return *owner;
    *owner = OWNER_NONE;
    if (row->parent == w->self) {
        *owner = owner_of_child(w, row);
        return *owner;
    }
    const struct process_info *parent = find_row(c, row->parent);
    if (parent && parent->pid != w->self)
        *owner = resolve(w, parent);
    if (*owner == OWNER_UNKNOWN)
        *owner = owner_seen_before(c, row);
    return *owner;
}

/* ---- taking it ------------------------------------------------------- */

static void sort_rows(struct process_table *t)
{
    for (size_t i = 1; i < t->rows.len; i++) {
        if (t->rows.p[i - 1].pid > t->rows.p[i].pid) {
            qsort(t->rows.p, t->rows.len, sizeof *t->rows.p, by_pid);
            return;
        }
    }
}

static void remember(struct census *c)
{
    c->known.len = 0;
    c->unknown = 0;
    for (size_t i = 0; i < c->table.rows.len; i++) {
        const struct process_info *row = &c->table.rows.p[i];
        struct known k = {row->pid, row->start, c->owners.p[i]};
        if (k.owner >= OWNER_GONE && k.owner != OWNER_CREW)
            vec_push(&c->known, k);
        if (k.owner == OWNER_UNKNOWN && row->state != 'Z')
            c->unknown++;
    }
}

/* The sessions of tasks have lines of their own, written by their leaders. */
static bool is_away(const struct worker *w, const struct process_info *row,
                    uint64_t owner)
{
    if (owner == OWNER_NONE || owner == OWNER_CREW || row->state == 'Z' ||
        row->session <= 1 || row->session == getsid(0) ||
        idmap_get(w->by_pid, (uint64_t)row->session))
        return false;
    for (size_t i = 0; i < w->census.ended.len; i++)
        if (w->census.ended.p[i].pid == row->session)
            return false;
    return true;
}

/* Where the leader is gone, the others prove the session (sessions.c). */
static void note_away(struct worker *w, const struct process_info *row)
{
    struct census *c = &w->census;
    for (size_t i = 0; i < c->away.len; i++)
        if (c->away.p[i].session == row->session) {
            c->away.p[i].there = true;
            return;
        }
    struct away one = {row->session, leaders_take(&w->leaders), true};
    const struct process_info *leader = find_row(c, row->session);
    struct leader_line line = {.pid = (uint64_t)row->session,
                               .start = leader ? leader->start : row->start};
    leader_write(w->leaders.fd, one.leader_place, line);
    vec_push(&c->away, one);
}

static void note_all_away(struct worker *w)
{
    struct census *c = &w->census;
    size_t kept = 0;
    for (size_t i = 0; i < c->away.len; i++)
        c->away.p[i].there = false;
    for (size_t i = 0; i < c->table.rows.len; i++)
        if (is_away(w, &c->table.rows.p[i], c->owners.p[i]))
            note_away(w, &c->table.rows.p[i]);
    for (size_t i = 0; i < c->away.len; i++)
        if (c->away.p[i].there)
            c->away.p[kept++] = c->away.p[i];
        else
            leaders_give_back(&w->leaders, c->away.p[i].leader_place);
    c->away.len = kept;
}

int64_t census_next_ns(const struct worker *w)
{
    int64_t wait = NEXT_SHARE * w->census.cost_ns;
    if (idmap_count(w->by_pid) == 0 || (w->leaders.fd < 0 && !w->bundle.on))
        return 0;
    return w->census.taken_ns + (wait > NEXT_NS ? wait : NEXT_NS);
}

void census_take(struct worker *w)
{
    struct census *c = &w->census;
    struct err err = {0};
    int64_t began = clock_mono_ns();
    if (process_table_read(&c->table, &err) != 0) {
        log_to(w->log, LOG_WARN, "census: %s", err.text);
        return;
    }
    sort_rows(&c->table);
    c->owners.len = 0;
    for (size_t i = 0; i < c->table.rows.len; i++)
        vec_push(&c->owners, OWNER_OPEN);
    for (size_t i = 0; i < c->table.rows.len; i++)
        resolve(w, &c->table.rows.p[i]);
    remember(c);
    note_all_away(w);
    c->taken_ns = clock_mono_ns();
    c->cost_ns = c->taken_ns - began;
    looks_processes(w);
}

/* ---- ended attempts -------------------------------------------------- */

void census_add_ended(struct census *c, const struct attempt *a)
{
    struct ended e = {.task = a->task.id,
                      .attempt = a->task.attempt,
                      .serial = a->serial,
                      .pid = a->process.pid,
                      .leader_place = a->leader_place,
                      .dirty = true};
    vec_push(&c->ended, e);
    idmap_set(c->ended_tasks, e.task, c);
}

bool census_may_live(const struct census *c, uint64_t task)
{
    return idmap_get(c->ended_tasks, task) != NULL;
}

bool census_may_have(const struct census *c, uint64_t serial)
{
    for (size_t i = 0; i < c->ended.len; i++)
        if (c->ended.p[i].serial == serial)
            return true;
    return false;
}

static bool runs(const struct worker *w, uint64_t serial)
{
    for (size_t i = 0; i < w->running.len; i++)
        if (w->running.p[i]->serial == serial)
            return w->running.p[i]->phase == ATTEMPT_RUNNING;
    return false;
}

/* A process of unknown origin may belong to any attempt that was there when
 * it began, so it lives as long as one of them runs. */
static bool may_be_of_running(const struct worker *w,
                              const struct process_info *row)
{
    for (size_t i = 0; i < w->running.len; i++)
        if (w->running.p[i]->phase == ATTEMPT_RUNNING &&
            w->running.p[i]->process.start <= row->start)
            return true;
    return false;
}

static bool is_left_over(const struct worker *w, size_t i)
{
    const struct process_info *row = &w->census.table.rows.p[i];
    uint64_t owner = w->census.owners.p[i];
    if (owner == OWNER_NONE || owner == OWNER_CREW || row->state == 'Z')
        return false;
    if (owner == OWNER_UNKNOWN)
        return !may_be_of_running(w, row);
    return !runs(w, owner);
}

static void mark_dirty(struct census *c, uint64_t serial)
{
    for (size_t i = 0; i < c->ended.len; i++)
        if (c->ended.p[i].serial == serial)
            c->ended.p[i].dirty = true;
}

static void forget_clean(struct census *c, struct leaders *leaders)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->ended.len; i++) {
        if (c->ended.p[i].dirty) {
            c->ended.p[kept++] = c->ended.p[i];
            continue;
        }
        idmap_del(c->ended_tasks, c->ended.p[i].task);
        leaders_give_back(leaders, c->ended.p[i].leader_place);
    }
    c->ended.len = kept;
    for (size_t i = 0; i < kept; i++)
        idmap_set(c->ended_tasks, c->ended.p[i].task, c);
}

bool census_sweep(struct worker *w)
{
    struct census *c = &w->census;
    bool clean = true;
    for (size_t i = 0; i < c->ended.len; i++)
        c->ended.p[i].dirty = false;
    for (size_t i = 0; i < c->table.rows.len; i++) {
        if (!is_left_over(w, i))
            continue;
        clean = false;
        mark_dirty(c, c->owners.p[i]);
        kill(c->table.rows.p[i].pid, SIGKILL);
    }
    forget_clean(c, &w->leaders);
    return clean;
}

void census_signal(struct worker *w, const struct attempt *a, int signum)
{
    struct census *c = &w->census;
    for (size_t i = 0; i < c->table.rows.len; i++)
        if (c->owners.p[i] == a->serial)
            kill(c->table.rows.p[i].pid, signum);
}

double census_cpu_s(const struct worker *w, const struct attempt *a)
{
    const struct census *c = &w->census;
    double sum = 0;
    for (size_t i = 0; i < c->table.rows.len; i++)
        if (c->owners.p[i] == a->serial)
            sum += c->table.rows.p[i].cpu_s;
    return sum;
}

/* A zombie still has its group and session. That its pid has been used for
 * another process since the last census is too rare to matter here. */
struct attempt *census_owner(const struct worker *w, pid_t pid)
{
    struct known key = {.pid = pid}, *k = NULL;
    if (w->census.known.len > 0)
        k = bsearch(&key, w->census.known.p, w->census.known.len, sizeof key,
                    known_by_pid);
    struct process_info row = {.group = getpgid(pid), .session = getsid(pid)};
    uint64_t owner = k ? k->owner : owner_by_session(w, &row);
    for (size_t i = 0; i < w->running.len; i++)
        if (w->running.p[i]->serial == owner)
            return w->running.p[i];
    return NULL;
}

size_t census_kill_all(struct worker *w)
{
    struct census *c = &w->census;
    size_t count = 0;
    for (size_t i = 0; i < c->table.rows.len; i++) {
        if (c->owners.p[i] == OWNER_NONE || c->table.rows.p[i].state == 'Z')
            continue;
        kill(c->table.rows.p[i].pid, SIGKILL);
        count++;
    }
    return count;
}
