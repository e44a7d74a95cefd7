/* memory.c - a task that uses more memory than its grant is ended
 *
 * Resident sets count shared pages once for each process, so a task that
 * seems to be above its grant is measured again by proportional sets. */
#include "worker/memory.h"

#include <stdio.h>
#include "base/num.h"
#include "worker/worker.h"

#define WATCH_NS 100000000
#define WATCH_NEAR_NS 25000000 /* when somebody is above half of its grant */
#define COMMAND_MAX 200

bool memory_is_watched(const struct worker *w)
{
    for (size_t i = 0; i < w->running.len; i++)
        if (w->running.p[i]->phase == ATTEMPT_RUNNING &&
            w->running.p[i]->task.needs.memory_bytes > 0)
            return true;
    return false;
}

struct memory_use {
    uint64_t bytes;   /* of all processes */
    uint64_t largest; /* of the largest */
    pid_t pid;        /* which that is */
};

static struct memory_use measure(const struct worker *w,
                                 const struct attempt *a, bool proportional)
{
    struct memory_use use = {0};
    const struct census *c = &w->census;
    for (size_t i = 0; i < c->table.rows.len; i++) {
        const struct process_info *row = &c->table.rows.p[i];
        if (c->owners.p[i] != a->serial)
            continue;
        uint64_t bytes = proportional ? process_pss_bytes(row->pid) : 0;
        if (bytes == 0)
            bytes = row->rss_bytes;
        use.bytes += bytes;
        if (bytes >= use.largest) {
            use.largest = bytes;
            use.pid = row->pid;
        }
    }
    return use;
}

/* "python train.py …": the words before the first option. Options are left
 * out because a secret may be one, and the reason is stored. */
static void print_command(struct buf *b, pid_t pid)
{
    char path[64];
    struct buf text, line;
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    buf_init(&text);
    buf_init(&line);
    file_read(path, 1u << 20, &text, NULL);
    struct str rest = buf_str(&text), word;
    while (rest.len > 0 && str_split(&rest, 0, &word)) {
        bool option = str_starts(word, STR("-")) || str_find(word, '=') >= 0;
        if (option || line.len + word.len > COMMAND_MAX) {
            buf_adds(&line, line.len > 0 ? " …" : "…");
            break;
        }
        if (line.len > 0)
            buf_addc(&line, ' ');
        buf_addstr(&line, word);
    }
    for (size_t i = 0; i < line.len; i++)
        if ((unsigned char)line.p[i] < ' ')
            line.p[i] = ' ';
    buf_addf(b, " `%s`", line.p);
    buf_done(&line);
    buf_done(&text);
}

static void end_for_memory(struct attempt *a, struct memory_use use)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "used ");
    num_print_bytes(&b, use.bytes);
    buf_adds(&b, " of memory, its grant is ");
    num_print_bytes(&b, a->task.needs.memory_bytes);
    buf_addf(&b, " (process %d", (int)use.pid);
    print_command(&b, use.pid);
    buf_adds(&b, " held ");
    num_print_bytes(&b, use.largest);
    buf_adds(&b, ")");
    attempt_end(a, OUTCOME_MEMORY, arena_cstr(a->arena, buf_str(&b)),
                PUSH_KILLED);
    buf_done(&b);
}

static bool watch_one(struct worker *w, struct attempt *a)
{
    uint64_t grant = a->task.needs.memory_bytes;
    if (a->phase != ATTEMPT_RUNNING || grant == 0 || a->push == PUSH_KILLED)
        return false;
    struct memory_use use = measure(w, a, false);
    if (use.bytes > grant)
        use = measure(w, a, true);
    if (use.bytes > a->max_rss_bytes)
        a->max_rss_bytes = use.bytes;
    /* The exit of a task that ended meanwhile decides. */
    if (use.bytes > grant && !attempt_has_ended(a))
        end_for_memory(a, use);
    return use.bytes > grant / 2;
}

int64_t memory_watch(struct worker *w)
{
    bool near = false;
    for (size_t i = 0; i < w->running.len; i++)
        near |= watch_one(w, w->running.p[i]);
    return near ? WATCH_NEAR_NS : WATCH_NS;
}
