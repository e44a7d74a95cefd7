/* packs.c - small files of trials, those of a thousand trials in one
 *
 * A pack, <folder>/trials/<thousand>.pack, is entries (entry.h) one behind the
 * other. What must stay true:
 * - An entry is on the disk before the file that it holds is removed.
 * - Entries are only ever added at the end, or the pack is replaced as a whole.
 *   The last entry of a trial and name counts, so that packing twice does no
 *   harm; a file in the trial's folder counts more than any entry.
 * - What cannot be read as an entry, the torn end of a write or a damaged
 *   place, is skipped up to the next mark: it costs no other entry. */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/map.h"
#include "store/entry.h"

#define WRITE_BYTES (1u << 20)

char *packs_path(const char *folder, int64_t trial, struct arena *a)
{
    return arena_printf(a, "%s/trials/%lld.pack", folder,
                        (long long)(trial / PACK_TRIALS));
}

/* ---- reading ---------------------------------------------------------- */

struct packs {
    char *folder;
    struct store *store; /* knows the newest attempts; NULL: nobody is asked */
    int64_t thousand;    /* whose pack is mapped; -1: none */
    struct str text;
    VEC(struct entry) entries;
    struct idmap *last; /* by entry_key: the entry that counts */
};

struct packs *packs_open(const char *folder)
{
    struct packs *p = xcalloc(1, sizeof(*p));
    p->folder = xstrdup(folder);
    p->thousand = -1;
    p->last = idmap_new();
    return p;
}

struct packs *packs_of(struct store *s)
{
    struct packs *p = packs_open(store_folder(s));
    p->store = s;
    return p;
}

static void unmap(struct packs *p)
{
    if (p->thousand >= 0)
        file_unmap(p->text);
    p->thousand = -1;
    p->entries.len = 0;
}

void packs_close(struct packs *p)
{
    if (!p)
        return;
    unmap(p);
    idmap_free(p->last);
    vec_done(&p->entries);
    free(p->folder);
    free(p);
}

/* ERR_MISSING when that thousand has no pack. */
static int map_pack(struct packs *p, int64_t trial, struct err *err)
{
    if (p->thousand == trial / PACK_TRIALS)
        return 0;
    unmap(p);
    struct arena *a = arena_new();
    int rc = file_map(packs_path(p->folder, trial, a), &p->text, err);
    arena_free(a);
    if (rc)
        return -1;
    p->thousand = trial / PACK_TRIALS;
    struct entry e;
    for (size_t at = 0; entry_next(p->text, &at, &e);)
        vec_push(&p->entries, e);
    idmap_free(p->last);
    p->last = idmap_new();
    for (size_t i = 0; i < p->entries.len; i++) {
        const struct entry *one = &p->entries.p[i];
        idmap_set(p->last, entry_key(one->trial, one->name), &p->entries.p[i]);
    }
    return 0;
}

static const struct entry *find_entry(const struct packs *p, int64_t trial,
                                      struct str name)
{
    const struct entry *e = idmap_get(p->last, entry_key(trial, name));
    return e && e->trial == trial && str_eq(e->name, name) ? e : NULL;
}

static int read_packed(struct packs *p, int64_t trial, const char *name,
                       struct buf *b, struct err *err)
{
    struct err gone = {0};
    if (map_pack(p, trial, &gone) && gone.kind != ERR_MISSING)
        return err_set(err, gone.kind, "%s", gone.text);
    const struct entry *e =
        gone.kind ? NULL : find_entry(p, trial, str_of(name));
    if (!e)
        return err_set(err, ERR_MISSING, "trial %lld has no file %s",
                       (long long)trial, name);
    return entry_text(e, b, err)
               ? err_wrap(err, "%s of trial %lld", name, (long long)trial)
               : 0;
}

int packs_read(struct packs *p, int64_t trial, const char *name, struct buf *b,
               struct err *err)
{
    struct arena *a = arena_new();
    struct err gone = {0};
    char *first = store_attempt_folder(p->folder, trial, 0, a);
    char *newest = p->store ? store_trial_folder(p->store, trial, a) : first;
    int rc = file_read(path_join(a, newest, name), 0, b, &gone);
    if (rc && gone.kind == ERR_MISSING && strcmp(first, newest) != 0)
        err_set(err, ERR_MISSING, "trial %lld has no file %s", (long long)trial,
                name);
    else if (rc && gone.kind == ERR_MISSING)
        rc = read_packed(p, trial, name, b, err);
    else if (rc)
        err_set(err, gone.kind, "%s", gone.text);
    arena_free(a);
    return rc;
}

int packs_list(struct packs *p, int64_t trial, struct arena *a,
               struct packed **list, size_t *count, struct err *err)
{
    struct err gone = {0};
    *list = NULL;
    *count = 0;
    if (map_pack(p, trial, &gone))
        return gone.kind == ERR_MISSING
                   ? 0
                   : err_set(err, gone.kind, "%s", gone.text);
    VEC(struct packed) found = {0};
    for (size_t i = 0; i < p->entries.len; i++) {
        const struct entry *e = &p->entries.p[i];
        if (e->trial == trial && find_entry(p, trial, e->name) == e) {
            struct packed one = {arena_cstr(a, e->name), e->bytes};
            vec_push(&found, one);
        }
    }
    *count = found.len;
    *list = vec_to_arena(a, &found);
    vec_done(&found);
    return 0;
}

/* ---- packing ---------------------------------------------------------- */

static char *file_of(const char *folder, const struct to_pack *f,
                     struct arena *a)
{
    return path_join(a, store_attempt_folder(folder, f->trial, 0, a), f->name);
}

static int write_entries(int fd, const char *folder, const struct to_pack *list,
                         size_t count, struct arena *a, struct err *err)
{
    struct buf text, entries;
    int rc = 0;
    buf_init(&text);
    buf_init(&entries);
    for (size_t i = 0; i < count && !rc; i++) {
        buf_reset(&text);
        rc = file_read(file_of(folder, &list[i], a), 0, &text, err);
        if (!rc)
            entry_print(&entries, list[i].trial, str_of(list[i].name),
                        buf_str(&text), true);
        if (!rc && (entries.len > WRITE_BYTES || i + 1 == count)) {
            rc = fd_write_all(fd, entries.p, entries.len, err);
            buf_reset(&entries);
        }
    }
    buf_done(&text);
    buf_done(&entries);
    return rc;
}

/* All entries on the disk, or none of them. */
static int append(const char *folder, const struct to_pack *list, size_t count,
                  struct arena *a, struct err *err)
{
    struct stat before = {0};
    char *path = packs_path(folder, list[0].trial, a);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || fstat(fd, &before))
        return err_errno(err, "open %s", path);
    int rc = write_entries(fd, folder, list, count, a, err);
    if (!rc && fdatasync(fd))
        rc = err_errno(err, "write %s", path);
    if (rc && ftruncate(fd, before.st_size) && !before.st_size)
        unlink(path);
    if (close(fd) && !rc)
        rc = err_errno(err, "write %s", path);
    return rc ? rc : dir_sync(path_folder(a, path), err);
}

/* What is empty now goes too: folders of outputs, then the trial's own. */
static void remove_packed(const char *folder, const struct to_pack *list,
                          size_t count, struct arena *a)
{
    for (size_t i = 0; i < count; i++) {
        char *path = file_of(folder, &list[i], a);
        unlink(path);
        rmdir(path_folder(a, path));
        rmdir(store_attempt_folder(folder, list[i].trial, 0, a));
    }
    if (count)
        rmdir(
            path_folder(a, store_attempt_folder(folder, list[0].trial, 0, a)));
}

int packs_add(const char *folder, const struct to_pack *list, size_t count,
              struct err *err)
{
    struct arena *a = arena_new();
    int rc = count ? append(folder, list, count, a, err) : 0;
    if (!rc)
        remove_packed(folder, list, count, a);
    arena_free(a);
    return rc;
}

/* ---- unpacking -------------------------------------------------------- */

static int restore_one(struct packs *p, int64_t trial, const char *name,
                       const char *path, bool durable, struct err *err)
{
    struct arena *a = arena_new();
    struct buf b;
    buf_init(&b);
    int rc = read_packed(p, trial, name, &b, err);
    if (!rc)
        rc = dir_make_below(p->folder, path_folder(a, path), err);
    if (!rc)
        rc = file_write(path, buf_str(&b), durable, err);
    buf_done(&b);
    arena_free(a);
    return rc;
}

int packs_restore(struct packs *p, int64_t trial, const char *to, bool durable,
                  struct err *err)
{
    struct arena *a = arena_new();
    struct packed *list;
    size_t count;
    int rc = packs_list(p, trial, a, &list, &count, err);
    for (size_t i = 0; i < count && !rc; i++) {
        char *path = path_join(a, to, list[i].name);
        if (!file_exists(path))
            rc = restore_one(p, trial, list[i].name, path, durable, err);
    }
    arena_free(a);
    return rc;
}

/* ---- removing --------------------------------------------------------- */

static bool is_wanted(const struct packs *p, const struct entry *e,
                      packs_drop_fn *drop, void *context)
{
    return find_entry(p, e->trial, e->name) == e &&
           !drop(context, e->trial, e->name, e->bytes);
}

/* Replaces the pack by one that holds what is wanted of it. */
static int rewrite(struct packs *p, const char *path, const bool *wanted,
                   struct arena *a, struct err *err)
{
    const char *copy =
        arena_printf(a, "%s/.throng-%ld-%lld.tmp", path_folder(a, path),
                     (long)getpid(), (long long)p->thousand);
    int fd = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int rc = fd < 0 ? err_errno(err, "open %s", copy) : 0;
    for (size_t i = 0; i < p->entries.len && !rc; i++) {
        struct str whole = p->entries.p[i].whole;
        if (wanted[i])
            rc = fd_write_all(fd, whole.p, whole.len, err);
    }
    if (!rc && fdatasync(fd))
        rc = err_errno(err, "write %s", copy);
    if (fd >= 0 && close(fd) && !rc)
        rc = err_errno(err, "write %s", copy);
    if (!rc && rename(copy, path))
        rc = err_errno(err, "rename %s", copy);
    if (rc)
        unlink(copy);
    return rc;
}

int packs_drop(struct packs *p, int64_t thousand, packs_drop_fn *drop,
               void *context, struct err *err)
{
    struct arena *a = arena_new();
    struct err gone = {0};
    int64_t first = thousand * PACK_TRIALS;
    int rc = 0;
    if (map_pack(p, first, &gone)) {
        rc = gone.kind == ERR_MISSING
                 ? 0
                 : err_set(err, gone.kind, "%s", gone.text);
        goto out;
    }
    bool *wanted = arena_array(a, p->entries.len + 1, sizeof(*wanted));
    size_t left = 0;
    for (size_t i = 0; i < p->entries.len; i++)
        left += wanted[i] = is_wanted(p, &p->entries.p[i], drop, context);
    char *path = packs_path(p->folder, first, a);
    if (!left && unlink(path))
        rc = err_errno(err, "remove %s", path);
    else if (left && left < p->entries.len)
        rc = rewrite(p, path, wanted, a, err);
    unmap(p);
out:
    arena_free(a);
    return rc;
}
