/* machine_limits.c - what /proc and cgroups grant
 *
 * /proc/self/cgroup names our cgroup: "0::/path" in version 2, a line such as
 * "4:cpu,cpuacct:/path" per hierarchy in version 1, and both on machines that
 * mix them. A limit may sit on the cgroup or on any of its parents, so all of
 * them are read. Inside a container the path is often that of the host and is
 * not there; then only the top, which is the container's own, is found. */
#include "sys/machine_limits.h"

#include "base/buf.h"
#include "base/num.h"
#include "sys/sys.h"

/* Reads the limit in the cgroup at `folder`; UINT64_MAX: none. */
typedef uint64_t limit_fn(const char *folder);

struct limit_kind {
    const char *controller; /* of version 1 */
    limit_fn *v1, *v2;
};

/* Reads folder/name, trimmed, into b; false when it is not there. */
static bool read_text(const char *folder, const char *name, struct buf *b,
                      struct str *text)
{
    struct buf path;
    buf_init(&path);
    buf_addf(&path, "%s/%s", folder, name);
    buf_reset(b);
    bool ok = file_read(path.p, 1 << 20, b, NULL) == 0;
    buf_done(&path);
    *text = str_trim(buf_str(b));
    return ok;
}

static bool read_number(const char *folder, const char *name, int64_t *n)
{
    struct buf b;
    struct str text;
    buf_init(&b);
    bool ok = read_text(folder, name, &b, &text) && num_int(text, n);
    buf_done(&b);
    return ok;
}

/* ---- the limits of one cgroup ---------------------------------------- */

/* A quota of 1.5 CPUs lets two tasks run at once, if slowly; hence up. */
static uint64_t cpus_of(int64_t quota, int64_t period)
{
    if (quota <= 0 || period <= 0)
        return UINT64_MAX;
    return (uint64_t)(quota / period) + (quota % period != 0);
}

static uint64_t cpus_v1(const char *folder)
{
    int64_t quota, period;
    if (!read_number(folder, "cpu.cfs_quota_us", &quota) ||
        !read_number(folder, "cpu.cfs_period_us", &period))
        return UINT64_MAX;
    return cpus_of(quota, period);
}

/* "max 100000" or "150000 100000". */
static uint64_t cpus_v2(const char *folder)
{
    struct buf b;
    struct str text, quota_text;
    int64_t quota, period;
    uint64_t cpus = UINT64_MAX;
    buf_init(&b);
    if (read_text(folder, "cpu.max", &b, &text) &&
        str_split(&text, ' ', &quota_text) && num_int(quota_text, &quota) &&
        num_int(text, &period))
        cpus = cpus_of(quota, period);
    buf_done(&b);
    return cpus;
}

/* Version 1 writes "no limit" as the largest number of whole pages, and
 * "max" in version 2 is no number. */
static uint64_t bytes_in(const char *folder, const char *name)
{
    int64_t bytes;
    if (!read_number(folder, name, &bytes) || bytes < 0 ||
        bytes >= (int64_t)1 << 60)
        return UINT64_MAX;
    return (uint64_t)bytes;
}

static uint64_t memory_v1(const char *folder)
{
    return bytes_in(folder, "memory.limit_in_bytes");
}

static uint64_t memory_v2(const char *folder)
{
    return bytes_in(folder, "memory.max");
}

static const struct limit_kind kind_cpu = {"cpu", cpus_v1, cpus_v2};
static const struct limit_kind kind_memory = {"memory", memory_v1, memory_v2};

/* ---- the path to our cgroup ------------------------------------------ */

/* The least limit at mount + path, mount + parent of path, …, mount. */
static uint64_t least_along(const char *mount, struct str path, limit_fn *read)
{
    uint64_t least = UINT64_MAX;
    struct buf folder;
    size_t top = strlen(mount);
    buf_init(&folder);
    buf_adds(&folder, mount);
    /* Above its own name space a cgroup is shown as /../…: not ours to see. */
    if (!str_starts(path, STR("/..")))
        buf_addstr(&folder, path);
    for (;;) {
        uint64_t one = read(folder.p);
        if (one < least)
            least = one;
        if (folder.len <= top)
            break;
        while (folder.len > top && folder.p[folder.len - 1] != '/')
            folder.len--;
        if (folder.len > top)
            folder.len--;
        folder.p[folder.len] = 0;
    }
    buf_done(&folder);
    return least;
}

static bool has_name(struct str list, const char *name)
{
    struct str one;
    while (str_split(&list, ',', &one))
        if (str_is(one, name))
            return true;
    return false;
}

/* The limit through one line of /proc/self/cgroup. */
static uint64_t least_of_line(const char *root, struct str line,
                              const struct limit_kind *kind)
{
    struct str number, names;
    struct buf mount;
    uint64_t least = UINT64_MAX, other;
    if (!str_split(&line, ':', &number) || !str_split(&line, ':', &names))
        return least;
    buf_init(&mount);
    buf_addf(&mount, "%s/sys/fs/cgroup", root);
    size_t top = mount.len;
    if (names.len == 0) {
        least = least_along(mount.p, line, kind->v2);
        buf_adds(&mount, "/unified");
        other = least_along(mount.p, line, kind->v2);
        least = other < least ? other : least;
    } else if (has_name(names, kind->controller)) {
        /* Mounted under the whole list, or linked under the one name. */
        buf_addf(&mount, "/%.*s", STRF(names));
        least = least_along(mount.p, line, kind->v1);
        mount.len = top;
        buf_addf(&mount, "/%s", kind->controller);
        other = least_along(mount.p, line, kind->v1);
        least = other < least ? other : least;
    }
    buf_done(&mount);
    return least;
}

static uint64_t least_limit(const char *root, const struct limit_kind *kind)
{
    uint64_t least = UINT64_MAX;
    struct buf folder, b;
    struct str rest, line;
    buf_init(&folder);
    buf_init(&b);
    buf_addf(&folder, "%s/proc/self", root);
    if (read_text(folder.p, "cgroup", &b, &rest)) {
        while (str_split(&rest, '\n', &line)) {
            uint64_t one = least_of_line(root, line, kind);
            if (one < least)
                least = one;
        }
    }
    buf_done(&b);
    buf_done(&folder);
    return least;
}

/* ---- what the rest of sys asks --------------------------------------- */

/* A line such as "MemTotal:       16303428 kB", in bytes; 0: is not there. */
static uint64_t memory_line(const char *root, const char *wanted)
{
    struct buf folder, b;
    struct str rest, line, name;
    uint64_t kilobytes = 0;
    buf_init(&folder);
    buf_init(&b);
    buf_addf(&folder, "%s/proc", root);
    if (read_text(folder.p, "meminfo", &b, &rest)) {
        while (str_split(&rest, '\n', &line)) {
            if (!str_split(&line, ':', &name) || !str_is(name, wanted))
                continue;
            line = str_trim(line);
            if (str_ends(line, STR(" kB")))
                line.len -= 3;
            if (!num_uint(str_trim(line), &kilobytes))
                kilobytes = 0;
            break;
        }
    }
    buf_done(&b);
    buf_done(&folder);
    return kilobytes * 1024;
}

unsigned limit_cpus(const char *root, unsigned cpus)
{
    uint64_t quota = least_limit(root, &kind_cpu);
    if (quota < cpus)
        cpus = (unsigned)quota;
    return cpus ? cpus : 1;
}

uint64_t limit_memory(const char *root)
{
    uint64_t total = memory_line(root, "MemTotal");
    uint64_t limit = least_limit(root, &kind_memory);
    if (limit == UINT64_MAX)
        return total;
    return total && total < limit ? total : limit;
}

uint64_t limit_memory_free(const char *root)
{
    uint64_t most = limit_memory(root);
    uint64_t available = memory_line(root, "MemAvailable");
    return available && available < most ? available : most;
}
