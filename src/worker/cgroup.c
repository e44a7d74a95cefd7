/* cgroup.c - the kernel's own memory limit, where we may set it
 *
 * Our own cgroup is `0::<path>` of /proc/self/cgroup below the mount point of
 * type cgroup2. A folder in it for this worker holds one folder for each
 * task. Every step may be refused: then path stays NULL. */
#include "worker/cgroup.h"

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
    int fd = open(path, O_WRONLY | O_CLOEXEC);
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

/* Tries once to make our own folder with a memory controller for the
 * folders in it. */
static void try_open(struct cgroups *c)
{
    c->tried = true;
    c->arena = arena_new();
    const char *own = own_folder(c->arena);
    if (!own)
        return;
    const char *path =
        arena_printf(c->arena, "%s/throng-%d", own, (int)getpid());
    if (mkdir(path, 0755) != 0)
        return;
    put(own, "cgroup.subtree_control", "+memory");
    if (put(path, "cgroup.subtree_control", "+memory"))
        c->path = path;
    else
        rmdir(path);
}

/* The cgroups of attempts whose processes took their time are still there. */
void cgroups_done(struct cgroups *c)
{
    const char **names = NULL;
    if (c->path) {
        put(c->path, "cgroup.kill", "1");
        names = dir_list(c->path, c->arena, NULL);
    }
    for (; names && *names; names++)
        rmdir(path_join(c->arena, c->path, *names));
    if (c->path)
        rmdir(c->path);
    arena_free(c->arena);
}

/* ---- one attempt ----------------------------------------------------- */

void cgroup_begin(struct attempt *a)
{
    struct cgroups *c = &a->worker->cgroups;
    char bytes[32];
    if (a->task.needs.memory_bytes == 0)
        return;
    if (!c->tried)
        try_open(c);
    if (!c->path)
        return;
    const char *path = arena_printf(a->arena, "%s/%llu", c->path,
                                    (unsigned long long)a->serial);
    snprintf(bytes, sizeof bytes, "%llu",
             (unsigned long long)a->task.needs.memory_bytes);
    if (mkdir(path, 0755) != 0)
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
    char pid[32];
    if (!a->cgroup.path)
        return;
    snprintf(pid, sizeof pid, "%d", (int)a->process.pid);
    put(a->cgroup.path, "cgroup.procs", pid);
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
