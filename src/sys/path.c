/* path.c - paths as text, and the file systems behind them */
#include "sys/sys.h"

#include <errno.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

char *path_join(struct arena *a, const char *folder, const char *name)
{
    size_t len = strlen(folder);
    if (name[0] == '/' || len == 0)
        return arena_cstr(a, str_of(name));
    return arena_printf(a, "%s%s%s", folder, folder[len - 1] == '/' ? "" : "/",
                        name);
}

/* The path without trailing slashes; "/" stays. */
static struct str without_slashes(const char *path)
{
    struct str s = str_of(path);
    while (s.len > 1 && s.p[s.len - 1] == '/')
        s.len--;
    return s;
}

static long last_slash(struct str s)
{
    for (size_t i = s.len; i-- > 0;)
        if (s.p[i] == '/')
            return (long)i;
    return -1;
}

static void drop_last(struct buf *b)
{
    long slash = last_slash(buf_str(b));
    b->len = slash < 0 ? 0 : (size_t)slash;
    b->p[b->len] = 0;
}

/* Appends "/part" for each part. A ".." right behind the current folder goes
 * up, since getcwd gives no links; behind a name it stays, since that name
 * may be a link, and then the text cannot tell where ".." leads. */
static void add_parts(struct buf *b, struct str rest, bool physical)
{
    struct str part;
    while (str_split(&rest, '/', &part)) {
        if (part.len == 0 || str_is(part, "."))
            continue;
        if (physical && str_is(part, "..")) {
            drop_last(b);
            continue;
        }
        physical = false;
        buf_addc(b, '/');
        buf_addstr(b, part);
    }
}

char *path_absolute(struct arena *a, const char *path)
{
    struct buf b;
    buf_init(&b);
    if (path[0] != '/') {
        char *here = getcwd(NULL, 0);
        /* A current folder that was removed has no name any more. */
        buf_adds(&b, here && strcmp(here, "/") != 0 ? here : "");
        free(here);
    }
    add_parts(&b, str_of(path), true);
    char *absolute = arena_cstr(a, b.len ? buf_str(&b) : STR("/"));
    buf_done(&b);
    return absolute;
}

char *path_folder(struct arena *a, const char *path)
{
    struct str s = without_slashes(path);
    long slash = last_slash(s);
    if (slash < 0)
        return arena_cstr(a, STR("."));
    s.len = (size_t)slash;
    while (s.len > 0 && s.p[s.len - 1] == '/')
        s.len--;
    return arena_cstr(a, s.len ? s : STR("/"));
}

struct str path_name(const char *path)
{
    struct str s = without_slashes(path);
    long slash = last_slash(s);
    if (slash < 0 || s.len == 1)
        return s;
    return str_n(s.p + slash + 1, s.len - (size_t)slash - 1);
}

struct str path_stem(const char *path)
{
    struct str s = path_name(path);
    for (size_t i = s.len; i-- > 1;)
        if (s.p[i] == '.')
            return str_n(s.p, i);
    return s;
}

/* ---- file systems ---------------------------------------------------- */

static const unsigned long network_types[] = {
    0x6969,     /* NFS */
    0x0BD00BD0, /* Lustre */
    0x47504653, /* GPFS */
    0x19830326, /* BeeGFS */
    0x65735546, /* FUSE */
    0x5346414F, /* OpenAFS */
    0x6B414653, /* AFS of the kernel */
    0x517B,     /* SMB */
    0xFE534D42, /* SMB2 */
    0xFF534D42, /* CIFS */
    0x00C36400, /* Ceph */
    0x01021997, /* 9P */
    0xAAD7AAEA, /* PanFS */
    0x20030528, /* OrangeFS */
    0x73757245, /* Coda */
    0x564C,     /* NCP */
    0x7461636F, /* OCFS2 */
    0x01161970, /* GFS2 */
};

/* Calls ask on path, or on the nearest folder above it that is there: what
 * does not exist yet will lie on that file system. */
static int ask_nearest(const char *path, int (*ask)(const char *, void *),
                       void *answer)
{
    struct arena *a = arena_new();
    const char *at = path[0] ? path : ".";
    int rc;
    while ((rc = ask(at, answer)) < 0 && errno == ENOENT) {
        const char *up = path_folder(a, at);
        if (strcmp(up, at) == 0)
            break;
        at = up;
    }
    arena_free(a);
    return rc;
}

static int ask_type(const char *path, void *answer)
{
    return statfs(path, answer);
}

static int ask_space(const char *path, void *answer)
{
    return statvfs(path, answer);
}

bool path_is_network(const char *path)
{
    struct statfs fs;
    if (ask_nearest(path, ask_type, &fs) < 0)
        return false;
    /* f_type is a signed word on some machines. */
    unsigned long type = (unsigned long)fs.f_type & 0xFFFFFFFFul;
    for (size_t i = 0; i < sizeof(network_types) / sizeof(*network_types); i++)
        if (network_types[i] == type)
            return true;
    return false;
}

uint64_t path_free_bytes(const char *path)
{
    struct statvfs fs;
    if (ask_nearest(path, ask_space, &fs) < 0)
        return 0;
    return (uint64_t)fs.f_bavail * fs.f_frsize;
}
