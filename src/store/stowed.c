/* stowed.c - small files of trials that come with a commit
 *
 * What a trial leaves at a rung is small and comes often: a file for each
 * would cost more than what led to it. It goes to the end of the pack of its
 * thousand trials, whose rules are those of packs.c, by the commit that says
 * how the trial stands.
 *
 * What must stay true:
 * - A file is in its pack before the rows that count on it are committed, and
 *   on the disk before they are (but where SQLite itself brings its log there,
 *   to fold it in). A commit that fails adds it again with the next try; the
 *   last entry counts.
 * - Where a file lies is remembered, and looked up in the pack when it is not;
 *   somebody may have replaced the pack, so what is remembered is compared with
 *   what is there. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/change.h"
#include "store/entry.h"

struct put {
    int64_t trial;
    struct str name, text;
};

/* Where an entry is: its head at `at`, `len` bytes behind that. */
struct place {
    uint64_t at, len, hash, bytes;
};

struct stowed {
    VEC(const struct put *) waiting; /* for the commit */
    struct idmap *places;            /* by entry_key */
    struct arena *room;              /* of the places */
    VEC(int64_t) read;               /* thousands whose packs were looked at */
    VEC(int64_t) unsynced;           /* thousands that were added to */
};

struct stowed *stowed_new(void)
{
    struct stowed *w = xcalloc(1, sizeof(*w));
    w->places = idmap_new();
    w->room = arena_new();
    return w;
}

void stowed_free(struct stowed *w)
{
    if (!w)
        return;
    vec_done(&w->waiting);
    vec_done(&w->read);
    vec_done(&w->unsynced);
    idmap_free(w->places);
    arena_free(w->room);
    free(w);
}

void stowed_forget(struct store *s)
{
    if (s->stowed)
        s->stowed->waiting.len = 0;
}

static bool has(const int64_t *list, size_t count, int64_t one)
{
    for (size_t i = count; i-- > 0;)
        if (list[i] == one)
            return true;
    return false;
}

/* ---- putting ----------------------------------------------------------- */

static int apply_put(struct store *s, const void *what, struct err *err)
{
    (void)err;
    vec_push(&s->stowed->waiting, (const struct put *)what);
    return 0;
}

int store_file_put(struct store *s, int64_t trial, const char *name,
                   struct str text, struct err *err)
{
    struct put one = {.trial = trial};
    struct put *p = change_start(s, &one, sizeof one, err);
    if (!p)
        return -1;
    p->name = arena_str(s->redo_room, str_of(name));
    p->text = arena_str(s->redo_room, text);
    return change_end(s, apply_put, p, err);
}

static void remember(struct stowed *w, int64_t trial, struct str name,
                     const struct place *where)
{
    uint64_t key = entry_key(trial, name);
    struct place *p = idmap_get(w->places, key);
    if (!p) {
        p = arena_new_of(w->room, struct place);
        idmap_set(w->places, key, p);
    }
    *p = *where;
}

static int open_pack(const struct store *s, const char *path, struct arena *a,
                     struct err *err)
{
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    int fd = open(path, flags, 0666);
    if (fd < 0 && errno == ENOENT) {
        if (dir_make_below(s->folder, path_folder(a, path), err))
            return -1;
        fd = open(path, flags, 0666);
    }
    if (fd < 0)
        err_errno(err, "open %s", path);
    return fd;
}

/* Adds all or nothing; *at is where. */
static int append(const struct store *s, const char *path, struct str text,
                  uint64_t *at, struct arena *a, struct err *err)
{
    struct stat before;
    int fd = open_pack(s, path, a, err);
    if (fd < 0)
        return -1;
    int rc = fstat(fd, &before) ? err_errno(err, "look at %s", path) : 0;
    if (!rc && fd_write_all(fd, text.p, text.len, err)) {
        rc = err_wrap(err, "write %s", path);
        if (ftruncate(fd, before.st_size))
            rc = -1; /* a torn end is passed over */
    }
    close(fd);
    if (!rc)
        *at = (uint64_t)before.st_size;
    return rc;
}

static void print_puts(const struct stowed *w, int64_t thousand, struct buf *b,
                       struct place *places)
{
    for (size_t i = 0; i < w->waiting.len; i++) {
        const struct put *p = w->waiting.p[i];
        if (p->trial / PACK_TRIALS != thousand)
            continue;
        places[i] = (struct place){.at = b->len, .bytes = p->text.len};
        entry_print(b, p->trial, p->name, p->text, false);
        struct str head =
            str_n(b->p + places[i].at, b->len - (size_t)places[i].at);
        entry_head(head, &places[i].len, &places[i].hash);
    }
}

static int flush_thousand(struct store *s, int64_t thousand, struct arena *a,
                          struct err *err)
{
    struct stowed *w = s->stowed;
    struct place *places = arena_array(a, w->waiting.len, sizeof(*places));
    const char *path = packs_path(s->folder, thousand * PACK_TRIALS, a);
    struct buf b;
    uint64_t at = 0;
    buf_init(&b);
    print_puts(w, thousand, &b, places);
    int rc = append(s, path, buf_str(&b), &at, a, err);
    buf_done(&b);
    if (rc)
        return -1;
    for (size_t i = 0; i < w->waiting.len; i++) {
        const struct put *p = w->waiting.p[i];
        places[i].at += at;
        if (p->trial / PACK_TRIALS == thousand)
            remember(w, p->trial, p->name, &places[i]);
    }
    if (!has(w->unsynced.p, w->unsynced.len, thousand))
        vec_push(&w->unsynced, thousand);
    return 0;
}

int stowed_flush(struct store *s, struct err *err)
{
    struct stowed *w = s->stowed;
    if (!w->waiting.len)
        return 0;
    struct arena *a = arena_new();
    VEC(int64_t) done = {0};
    int rc = 0;
    for (size_t i = 0; i < w->waiting.len && !rc; i++) {
        int64_t thousand = w->waiting.p[i]->trial / PACK_TRIALS;
        if (has(done.p, done.len, thousand))
            continue;
        vec_push(&done, thousand);
        rc = flush_thousand(s, thousand, a, err);
    }
    vec_done(&done);
    arena_free(a);
    return rc;
}

static int sync_pack(const char *path, struct arena *a, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) /* nobody wants it any more */
        return errno == ENOENT ? 0 : err_errno(err, "open %s", path);
    int rc = fdatasync(fd) ? err_errno(err, "write %s to the disk", path) : 0;
    close(fd);
    return rc ? rc : dir_sync(path_folder(a, path), err);
}

int stowed_sync(struct store *s, struct err *err)
{
    struct stowed *w = s->stowed;
    if (!w || !w->unsynced.len)
        return 0;
    struct arena *a = arena_new();
    int rc = 0;
    for (size_t i = 0; i < w->unsynced.len && !rc; i++)
        rc = sync_pack(packs_path(s->folder, w->unsynced.p[i] * PACK_TRIALS, a),
                       a, err);
    if (!rc)
        w->unsynced.len = 0;
    arena_free(a);
    return rc;
}

/* ---- finding ----------------------------------------------------------- */

static bool is_there(const char *path, const struct place *p)
{
    char head[ENTRY_HEAD_BYTES];
    uint64_t len, hash;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = pread(fd, head, sizeof(head), (off_t)p->at);
    close(fd);
    return got == sizeof(head) &&
           entry_head(str_n(head, sizeof(head)), &len, &hash) &&
           len == p->len && hash == p->hash;
}

static void forget_places(struct stowed *w)
{
    idmap_free(w->places);
    w->places = idmap_new();
    arena_reset(w->room);
    w->read.len = 0;
}

/* Remembers where all of a pack's files lie. */
static int read_pack(struct stowed *w, const char *path, struct err *err)
{
    struct str text;
    struct err gone = {0};
    struct entry e;
    if (file_map(path, &text, &gone))
        return gone.kind == ERR_MISSING
                   ? 0
                   : err_set(err, gone.kind, "%s", gone.text);
    for (size_t at = 0; entry_next(text, &at, &e);) {
        struct place p = {.at = (uint64_t)(e.whole.p - text.p),
                          .len = e.whole.len - ENTRY_HEAD_BYTES,
                          .hash = e.hash,
                          .bytes = e.zipped ? 0 : e.bytes};
        remember(w, e.trial, e.name, &p);
    }
    file_unmap(text);
    return 0;
}

int store_file_find(struct store *s, int64_t trial, const char *name,
                    struct arena *a, struct stored_file *found, struct err *err)
{
    struct stowed *w = s->stowed;
    int64_t thousand = trial / PACK_TRIALS;
    uint64_t key = entry_key(trial, str_of(name));
    const char *path = packs_path(s->folder, trial, a);
    const struct place *p = idmap_get(w->places, key);
    *found = (struct stored_file){0};
    if (p && !is_there(path, p)) {
        forget_places(w);
        p = NULL;
    }
    if (!p && !has(w->read.p, w->read.len, thousand)) {
        if (read_pack(w, path, err))
            return -1;
        vec_push(&w->read, thousand);
        p = idmap_get(w->places, key);
    }
    if (p && p->bytes)
        *found = (struct stored_file){.path = path,
                                      .at = p->at + ENTRY_HEAD_BYTES,
                                      .len = p->len,
                                      .hash = p->hash,
                                      .bytes = p->bytes};
    return 0;
}
