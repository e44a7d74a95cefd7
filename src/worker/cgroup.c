/* cgroup.c - the kernel's own memory limit, where we may set it
 *
 * Our own cgroup is `0::<path>` of /proc/self/cgroup below the mount point of
 * type cgroup2. In it lie, side by side, one leaf that holds the worker (and
 * tasks without a memory need) and one cgroup for each task with such a need:
 *
 *     <own>/throng-worker-<pid>   <own>/throng-<pid>-<serial> ...
 *
 * Every step may be refused, also because somebody else is in <own>: then it
 * is undone, and own stays NULL. The cgroups of a scheduler's job are the
 * scheduler's, and other jobs may be in the same one: a job makes none. */
#include "worker/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "worker/worker.h"

/* ---- small files ----------------------------------------------------- */

static bool put(const char *folder, const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n == (ssize_t)strlen(text);
}

/* The rest of the first line that starts with `start`; empty: none. */
static struct str line_after(struct str text, const char *start)
{
    struct str line, prefix = str_of(start);
    while (str_split(&text, '\n', &line))
        if (str_starts(line, prefix))
            return str_n(line.p + prefix.len, line.len - prefix.len);
    return STR("");
}

/* ---- where we are ---------------------------------------------------- */

static const char *mount_point(struct arena *a)
{
    struct buf text;
    struct str rest, line, part;
    const char *found = NULL;
    buf_init(&text);
    file_read("/proc/self/mountinfo", 1u << 20, &text, NULL);
    rest = buf_str(&text);
    while (!found && str_split(&rest, '\n', &line)) {
        if (!memmem(line.p, line.len, " - cgroup2 ", 11))
            continue;
        for (int i = 0; i < 5; i++)
            str_split(&line, ' ', &part);
        found = arena_cstr(a, part);
    }
    buf_done(&text);
    return found;
}

static const char *own_folder(struct arena *a)
{
    const char *mount = mount_point(a), *found = NULL;
    struct buf text;
    buf_init(&text);
    file_read("/proc/self/cgroup", 65536, &text, NULL);
    struct str path = line_after(buf_str(&text), "0::");
    if (mount && path.len > 0)
        found = arena_printf(a, "%s%.*s", mount, STRF(path));
    buf_done(&text);
    return found;
}

/* ---- opening and closing --------------------------------------------- */

static bool put_pid(const char *folder, pid_t pid)
{
    char text[32];
    snprintf(text, sizeof text, "%d", (int)pid);
    return put(folder, "cgroup.procs", text);
}

/* True when the file of controllers in the folder names that of memory. */
static bool has_memory(struct arena *a, const char *folder, const char *name)
{
    struct buf text;
    struct str rest, word;
    bool found = false;
    buf_init(&text);
    file_read(path_join(a, folder, name), 65536, &text, NULL);
    rest = str_trim(buf_str(&text));
    while (!found && rest.len > 0 && str_split(&rest, ' ', &word))
        found = str_is(word, "memory");
    buf_done(&text);
    return found;
}

/* True when the process is in the cgroup, and nobody else. */
static bool is_alone(struct arena *a, const char *folder, pid_t pid)
{
    struct buf text;
    struct str rest, line;
    uint64_t one = 0;
    bool alone = false;
    buf_init(&text);
    file_read(path_join(a, folder, "cgroup.procs"), 65536, &text, NULL);
    rest = str_trim(buf_str(&text));
    alone = str_split(&rest, '\n', &line) && num_uint(line, &one) &&
            one == (uint64_t)pid && rest.len == 0;
    buf_done(&text);
    return alone;
}

/* The controller goes first: a cgroup that gives one to its children takes
 * no processes. */
static void undo(struct cgroups *c, const char *own)
{
    if (c->enabled)
        put(own, "cgroup.subtree_control", "-memory");
    c->enabled = false;
    if (c->conductor > 0)
        put_pid(own, c->conductor);
    put_pid(own, c->self);
    rmdir(c->leaf);
}

/* Returns what is in the way; NULL: nothing. */
static const char *try_open(struct cgroups *c, const char *own, pid_t conductor)
{
    if (!own)
        return "there is no cgroup v2";
    if (!has_memory(c->arena, own, "cgroup.controllers"))
        return "its memory controller is not there";
    c->leaf = arena_printf(c->arena, "%s/throng-worker-%d", own, (int)c->self);
    if (mkdir(c->leaf, 0755) != 0 && errno != EEXIST)
        return "no cgroup can be made";
    if (!put_pid(c->leaf, c->self)) {
        rmdir(c->leaf);
        return "no process can be moved";
    }
    if (conductor > 0 && is_alone(c->arena, own, conductor) &&
        put_pid(c->leaf, conductor))
        c->conductor = conductor;
    if (has_memory(c->arena, own, "cgroup.subtree_control"))
        return NULL;
    c->enabled = put(own, "cgroup.subtree_control", "+memory");
    if (c->enabled)
        return NULL;
    undo(c, own);
    return "its memory controller cannot be handed on";
}

bool cgroups_open(struct cgroups *c, const char *own, pid_t conductor,
                  const struct log *log)
{
    *c =
        (struct cgroups){.arena = arena_new(), .self = getpid(), .tried = true};
    own = own ? arena_cstr(c->arena, str_of(own)) : own_folder(c->arena);
    const char *obstacle = try_open(c, own, conductor);
    if (obstacle) {
        log_to(log, LOG_DEBUG, "memory limits: by watching, as %s", obstacle);
        return false;
    }
    log_to(log, LOG_DEBUG, "memory limits: by cgroups in %s", own);
    c->own = own;
    return true;
}

/* The cgroups of attempts whose processes took their time are still there. */
static void remove_tasks(struct cgroups *c)
{
    const char **names = dir_list(c->own, c->arena, NULL);
    const char *ours = arena_printf(c->arena, "throng-%d-", (int)c->self);
    for (; names && *names; names++) {
        if (!str_starts(str_of(*names), str_of(ours)))
            continue;
        const char *path = path_join(c->arena, c->own, *names);
        put(path, "cgroup.kill", "1");
        rmdir(path);
    }
}

void cgroups_done(struct cgroups *c)
{
    if (c->own) {
        remove_tasks(c);
        undo(c, c->own);
    }
    arena_free(c->arena);
}

/* ---- one attempt ----------------------------------------------------- */

void cgroup_begin(struct attempt *a)
{
    struct cgroups *c = &a->worker->cgroups;
    char bytes[32];
    if (a->task.needs.memory_bytes == 0 || a->worker->bundle.on)
        return;
    if (!c->tried)
        cgroups_open(c, NULL, getppid(), a->worker->log);
    if (!c->own)
        return;
    const char *path =
        arena_printf(a->arena, "%s/throng-%d-%llu", c->own, (int)c->self,
                     (unsigned long long)a->serial);
    snprintf(bytes, sizeof bytes, "%llu",
             (unsigned long long)a->task.needs.memory_bytes);
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        return;
    if (!put(path, "memory.max", bytes)) {
        rmdir(path);
        return;
    }
    put(path, "memory.oom.group", "1");
    put(path, "memory.swap.max", "0");
    a->cgroup.path = path;
}

void cgroup_enter(struct attempt *a)
{
    if (a->cgroup.path)
        put_pid(a->cgroup.path, a->process.pid);
}

bool cgroup_end(struct attempt *a)
{
    struct buf text;
    uint64_t kills = 0;
    char path[4096];
    if (!a->cgroup.path)
        return false;
    put(a->cgroup.path, "cgroup.kill", "1");
    snprintf(path, sizeof path, "%s/memory.events", a->cgroup.path);
    buf_init(&text);
    if (file_read(path, 65536, &text, NULL) == 0)
        num_uint(line_after(buf_str(&text), "oom_kill "), &kills);
    buf_done(&text);
    rmdir(a->cgroup.path);
    a->cgroup.path = NULL;
    return kills > 0;
}
