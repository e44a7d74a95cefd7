/* snapshot.c - copies of the store for readers on network file systems
 *
 * The holder of the lease keeps the file locked there. A reader renames a
 * request "snapshot" into the requests folder and waits for snapshot.db to
 * change; the holder answers with store_snapshot, at most once in
 * SNAPSHOT_FRESH_SECONDS. The copy is put in place by a rename, so an open
 * one never changes and needs no lock. */
#include "store/snapshot.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/lease.h"
#include "store/seal.h"

#define SNAPSHOT_FRESH_SECONDS 10
#define SNAPSHOT_WAIT_MS 5000
#define SNAPSHOT_LOOK_MS 20

bool snapshot_needed(struct store *s)
{
    struct lease l;
    return lease_mirror_read(s->folder, &l, NULL) == 0 &&
           lease_seems_live(s, &l);
}

/* Bytes that mean something else in a URI are written as %XX. */
static void add_uri_path(struct buf *b, const char *path)
{
    for (const char *p = path; *p; p++) {
        if (*p == '%' || *p == '?' || *p == '#')
            buf_addf(b, "%%%02X", (unsigned)*p);
        else
            buf_addc(b, *p);
    }
}

int snapshot_open_unchanging(struct store *s, const char *path, struct err *err)
{
    struct arena *a = arena_new();
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "file:");
    add_uri_path(&b, path_absolute(a, path));
    buf_adds(&b, "?immutable=1");
    db_finalize_all(s);
    sqlite3_close(s->db);
    s->db = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int rc = sqlite3_open_v2(b.p, &s->db, flags, seal_vfs());
    if (rc != SQLITE_OK)
        rc = db_err(s, "open", err);
    buf_done(&b);
    arena_free(a);
    return rc ? -1 : 0;
}

static double modified(const struct stat *st)
{
    return (double)st->st_mtim.tv_sec + (double)st->st_mtim.tv_nsec * 1e-9;
}

static bool differs(const struct stat *a, const struct stat *b)
{
    return a->st_ino != b->st_ino || a->st_mtim.tv_sec != b->st_mtim.tv_sec ||
           a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

/* Waits for another file than `before` (which may be all zero). */
static bool wait_for_new(const char *path, struct stat *st)
{
    struct stat before = *st;
    for (int ms = 0; ms < SNAPSHOT_WAIT_MS; ms += SNAPSHOT_LOOK_MS) {
        clock_pause_ms(SNAPSHOT_LOOK_MS);
        if (stat(path, st) == 0 && differs(st, &before))
            return true;
    }
    *st = before;
    return false;
}

static int open_newest(struct store *s, const char *path, struct err *err)
{
    struct stat st = {0};
    bool there = stat(path, &st) == 0;
    bool fresh =
        there && fabs(clock_wall() - modified(&st)) < SNAPSHOT_FRESH_SECONDS;
    if (!fresh) {
        if (store_request_put(s->folder, "snapshot", "", NULL, err))
            return -1;
        /* An old copy is better than none; store_as_of tells its age. */
        if (!wait_for_new(path, &st) && !there)
            return err_set(err, ERR_BUSY,
                           "%s is on a network file system and in use; the "
                           "program that holds it gave no snapshot within "
                           "%d s",
                           s->folder, SNAPSHOT_WAIT_MS / 1000);
    }
    if (snapshot_open_unchanging(s, path, err))
        return -1;
    s->as_of = modified(&st);
    return 0;
}

int snapshot_open(struct store *s, struct err *err)
{
    struct arena *a = arena_new();
    char *path = path_join(a, s->folder, "snapshot.db");
    int rc = open_newest(s, path, err);
    arena_free(a);
    return rc;
}

/* ---- the holder's side ------------------------------------------------ */

static int copy_into(struct store *s, sqlite3 *to, const char *path,
                     struct err *err)
{
    sqlite3_backup *copy = sqlite3_backup_init(to, "main", s->db, "main");
    if (!copy)
        return db_err_of(to, path, "copy into", err);
    seal_allow_empty(s->db, true);
    sqlite3_backup_step(copy, -1);
    seal_allow_empty(s->db, false);
    if (sqlite3_backup_finish(copy) != SQLITE_OK)
        return db_err_of(to, path, "copy into", err);
    /* A copy in WAL mode could not be opened where there is no memory to
     * share. */
    if (sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL))
        return db_err_of(to, path, "copy into", err);
    return 0;
}

static int copy_to(struct store *s, const char *path, struct err *err)
{
    sqlite3 *to = NULL;
    int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int rc = sqlite3_open_v2(path, &to, flags, seal_vfs());
    if (rc == SQLITE_OK && seal_is_on(s->db))
        rc = seal_new(to);
    if (rc != SQLITE_OK)
        rc = db_err_of(to, path, "create", err);
    else
        rc = copy_into(s, to, path, err);
    sqlite3_close(to);
    return rc;
}

/* What cannot be committed any more is left out. */
int store_save(struct store *s, const char *path, struct err *err)
{
    store_commit(s, NULL);
    return copy_to(s, path, err);
}

int store_snapshot(struct store *s, const char *path, struct err *err)
{
    /* A copy of half a transaction would not be consistent. */
    if (s->begun && store_commit(s, err))
        return -1;
    struct arena *a = arena_new();
    char *made = arena_printf(a, "%s.new-%lld", path, (long long)getpid());
    unlink(made);
    int rc = copy_to(s, made, err);
    store_set_mode(made, s->folder);
    if (rc == 0 && rename(made, path))
        rc = err_errno(err, "rename %s to %s", made, path);
    if (rc)
        unlink(made);
    arena_free(a);
    return rc;
}
