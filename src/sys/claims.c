/* claims.c - what the running studies of a machine have of it
 *
 * Nobody keeps a list: whoever runs tasks holds a lock on a file of its own in
 * this user's runtime folder, and one on a file of each GPU in use in a folder
 * that all users of the machine share. A lock falls free with its holder,
 * however that ends. The name of a study's file says on which cpus it runs
 * (two jobs of a scheduler, each with cpus of its own, take nothing from each
 * other) and when it began, which gives all of them the same order. */
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/json.h"

#define TEXT_BYTES_MAX 65536

struct claims {
    struct arena *arena;
    const char *folder; /* of this user */
    const char *locks;  /* of the machine's GPUs */
    const char *prefix; /* of all names of studies on the same cpus */
    const char *name, *path;
    int lock;
    struct buf said; /* what is in the file now */
};

/* ---- names ------------------------------------------------------------- */

/* Which cpus, as text of a fixed length. */
static void cpus_key(char key[17])
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    snprintf(
        key, 17, "%016llx",
        (unsigned long long)hash64(str_n((const char *)&set, sizeof set), 0));
}

/* A folder that every user may write, and in which nobody can take away what
 * is another's; a set of one's own where it was said. */
static const char *locks_folder(const char *own)
{
    const char *said = getenv("THRONG_RUNTIME_DIR");
    if (said && said[0] == '/')
        return own;
    /* Where only root may write there, root takes the other one as well. */
    struct stat st;
    bool common = stat("/run/lock", &st) == 0 && (st.st_mode & S_IWOTH) &&
                  (st.st_mode & S_ISVTX) && access("/run/lock", W_OK) == 0;
    return common ? "/run/lock" : "/tmp";
}

struct claims *claims_open(struct err *err)
{
    struct arena *a = arena_new();
    const char *folder = runtime_folder(a, err);
    char key[17];
    if (!folder) {
        arena_free(a);
        return NULL;
    }
    cpus_key(key);
    struct claims *c = xcalloc(1, sizeof *c);
    c->arena = a;
    c->folder = folder;
    c->locks = locks_folder(folder);
    c->prefix = arena_printf(a, "study-%s-", key);
    c->name = arena_printf(a, "%s%020lld-%d", c->prefix,
                           (long long)(clock_wall() * 1e6), (int)getpid());
    c->path = path_join(a, folder, c->name);
    buf_init(&c->said);
    c->lock = lock_take(c->path, 0600);
    if (c->lock >= 0)
        return c;
    err_errno(err, "lock %s", c->path);
    claims_close(c);
    return NULL;
}

void claims_close(struct claims *c)
{
    if (!c)
        return;
    lock_drop(c->lock, c->path);
    buf_done(&c->said);
    arena_free(c->arena);
    free(c);
}

/* ---- cpus -------------------------------------------------------------- */

/* True when somebody holds it; one that nobody does is removed. */
static bool is_held(const char *path)
{
    int lock = lock_take(path, 0600);
    bool held = lock < 0 && errno == EWOULDBLOCK;
    lock_drop(lock, path);
    return held;
}

void claims_count(const struct claims *c, unsigned *count, unsigned *before)
{
    struct arena *a = arena_new();
    const char **names = dir_list(c->folder, a, NULL);
    *count = 1;
    *before = 0;
    for (; names && *names; names++) {
        if (!str_starts(str_of(*names), str_of(c->prefix)) ||
            strcmp(*names, c->name) == 0 ||
            !is_held(path_join(a, c->folder, *names)))
            continue;
        ++*count;
        *before += strcmp(*names, c->name) < 0;
    }
    arena_free(a);
}

/* ---- GPUs -------------------------------------------------------------- */

int claims_gpu(const struct claims *c, struct str id, bool shared)
{
    struct arena *a = arena_new();
    struct buf name;
    buf_init(&name);
    buf_adds(&name, "throng-gpu-");
    for (size_t i = 0; i < id.len; i++)
        buf_addc(&name, id.p[i] == '/' ? '_' : id.p[i]);
    int lock = lock_common(path_join(a, c->locks, name.p), shared);
    int error = errno;
    buf_done(&name);
    arena_free(a);
    errno = error;
    return lock;
}

/* ---- who has what ------------------------------------------------------ */

void claims_say(struct claims *c, const struct claim *own)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "{\"study\":");
    json_string(&b, str_of(own->study));
    buf_addf(&b, ",\"cpus\":%u,\"of\":%u,\"parallel\":%u,\"gpus\":", own->cpus,
             own->of, own->parallel);
    json_string(&b, str_of(own->gpus));
    buf_adds(&b, ",\"gpu_ids\":");
    json_string(&b, str_of(own->gpu_ids));
    buf_addf(&b, ",\"waits\":%s}", own->waits ? "true" : "false");
    /* In place, since the lock is on this very file, and in one step: blanks
     * cover what was longer before. */
    while (b.len < c->said.len)
        buf_addc(&b, ' ');
    bool news = !str_eq(buf_str(&b), buf_str(&c->said));
    if (news && pwrite(c->lock, b.p, b.len, 0) == (ssize_t)b.len) {
        buf_reset(&c->said);
        buf_addstr(&c->said, buf_str(&b));
    }
    buf_done(&b);
}

static uint32_t number_in(const struct value *v, const char *key)
{
    const struct value *n = value_get(v, str_of(key));
    return n && n->kind == VALUE_INT && n->i > 0 ? (uint32_t)n->i : 0;
}

static bool read_claim(const char *path, struct arena *a, struct claim *claim)
{
    struct buf b;
    buf_init(&b);
    struct value *v = NULL;
    if (file_read(path, TEXT_BYTES_MAX, &b, NULL) == 0)
        v = json_parse(a, arena_str(a, buf_str(&b)), path, false, NULL);
    buf_done(&b);
    if (!v)
        return false;
    const struct value *waits = value_get(v, STR("waits"));
    *claim = (struct claim){
        .waits = waits && waits->kind == VALUE_BOOL && waits->boolean,
        .study = arena_cstr(a, value_text(value_get(v, STR("study")))),
        .gpus = arena_cstr(a, value_text(value_get(v, STR("gpus")))),
        .gpu_ids = arena_cstr(a, value_text(value_get(v, STR("gpu_ids")))),
        .cpus = number_in(v, "cpus"),
        .of = number_in(v, "of"),
        .parallel = number_in(v, "parallel")};
    return true;
}

struct claim *claims_list(struct arena *a, size_t *count)
{
    const char *folder = runtime_folder(a, NULL);
    const char **names = folder ? dir_list(folder, a, NULL) : NULL;
    VEC(struct claim) found = {0};
    for (; names && *names; names++) {
        struct claim one;
        const char *path = path_join(a, folder, *names);
        if (str_starts(str_of(*names), STR("study-")) && is_held(path) &&
            read_claim(path, a, &one))
            vec_push(&found, one);
    }
    struct claim *list = arena_array(a, found.len + 1, sizeof *list);
    for (size_t i = 0; i < found.len; i++)
        list[i] = found.p[i];
    *count = found.len;
    vec_done(&found);
    return list;
}
