/* store.c - create, open and close
 *
 * A new store is made complete under another name and then linked into its
 * place, so that study.db is either absent or whole.
 *
 * Local file system: a write-ahead log, so that readers never wait. Network
 * file system: shared memory does not work there, so the holder of the lease
 * keeps the file locked with a rollback journal, and readers are given
 * snapshots (snapshot.c). */
#include "store/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/holder.h"
#include "store/schema.h"
#include "store/seal.h"
#include "store/snapshot.h"
#include "store/stands.h"

/* The log is folded into the file at 8 MiB, and cut back to 16 MiB should a
 * long reader have kept it from that. */
static const char writer_settings[] =
    "PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY;"
    "PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 16777216;"
    "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;";
/* The file is not mapped: where a disk fails, or somebody copies another file
 * over this one, a read ends with an error and a look at memory with a
 * signal. */
static const char reader_settings[] =
    "PRAGMA query_only = ON; PRAGMA cache_size = -8192; PRAGMA mmap_size = 0;"
    "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF;"
    "PRAGMA cell_size_check = ON;";

/* So little is looked at whenever a study begins. */
#define SMALL_BYTES (16 << 20)

static char *study_path(struct arena *a, const char *folder)
{
    return path_join(a, folder, "study.db");
}

static bool on_network(const char *folder)
{
    const char *assume = getenv("THRONG_ASSUME_NETWORK");
    return (assume && strcmp(assume, "1") == 0) || path_is_network(folder);
}

/* ---- create ----------------------------------------------------------- */

static struct store *store_new(const char *folder, const char *path)
{
    struct store *s = xcalloc(1, sizeof *s);
    s->folder = xstrdup(folder);
    s->path = xstrdup(path);
    s->redo_room = arena_new();
    s->open_trials = idmap_new();
    s->lock_fd = s->file.fd = s->place.fd = -1;
    s->clock = &holder_clock;
    return s;
}

static void store_free(struct store *s)
{
    db_finalize_all(s);
    metrics_free(s->metrics);
    stowed_free(s->stowed);
    sqlite3_close(s->db);
    holder_unlock(s);
    stands_close(s);
    vec_done(&s->redo);
    arena_free(s->redo_room);
    idmap_free(s->open_trials);
    free(s->path);
    free(s->folder);
    free(s);
}

static int fill_new(struct store *s, struct err *err)
{
    char sql[64];
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(s->path, &s->db, flags, seal_vfs()) != SQLITE_OK ||
        seal_new(s->db) != SQLITE_OK)
        return db_err(s, "create", err);
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d", DB_APPLICATION);
    if (db_exec(s, sql, "create", err))
        return -1;
    return schema_migrate(s, schema_steps, STORE_SCHEMA, err);
}

/* Not all file systems have links, nor a rename that replaces nothing. */
static bool is_unknown_here(int number)
{
    return number == EPERM || number == ENOTSUP || number == EOPNOTSUPP ||
           number == EMLINK || number == ENOSYS || number == EINVAL;
}

/* What is there is never replaced: by a link, else by a rename that refuses
 * to, else by one after a look. */
static int put_in_place(const char *made, const char *path, struct err *err)
{
    if (link(made, path) == 0) {
        unlink(made);
        return 0;
    }
    if (is_unknown_here(errno) &&
        renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return 0;
    int number = errno;
    if (number == EEXIST || file_exists(path))
        return err_set(err, ERR_BUSY, "there is a store already: %s", path);
    if (is_unknown_here(number) && rename(made, path) == 0)
        return 0;
    if (!is_unknown_here(number))
        errno = number;
    return err_errno(err, "put %s in its place", path);
}

/* What the caller writes goes in under an epoch of its own, which nobody else
 * can know of. */
static int fill_further(struct store *s, store_fill_fn *fill, void *context,
                        struct err *err)
{
    if (!fill)
        return 0;
    s->epoch = 1;
    s->write = true;
    s->metrics = metrics_new();
    s->stowed = stowed_new();
    int rc = db_exec(s, "UPDATE lease SET epoch = 1", "create", err);
    if (!rc)
        rc = fill(context, s, err);
    if (!rc)
        rc = store_commit(s, err);
    s->epoch = 0;
    return rc;
}

static int create_at(const char *folder, const char *path, const char *made,
                     store_fill_fn *fill, void *context, struct err *err)
{
    if (file_exists(path))
        return err_set(err, ERR_BUSY, "there is a store already: %s", path);
    unlink(made);
    struct store *s = store_new(folder, made);
    int rc = fill_new(s, err);
    if (rc == 0)
        rc = fill_further(s, fill, context, err);
    store_free(s);
    store_set_mode(made, folder);
    if (rc == 0)
        rc = put_in_place(made, path, err);
    if (rc)
        unlink(made);
    return rc;
}

int store_create(const char *folder, struct err *err)
{
    return store_create_with(folder, NULL, NULL, err);
}

int store_create_with(const char *folder, store_fill_fn *fill, void *context,
                      struct err *err)
{
    if (dir_make(folder, err))
        return -1;
    struct arena *a = arena_new();
    char *path = study_path(a, folder);
    char *made = arena_printf(a, "%s.new-%lld", path, (long long)getpid());
    char *requests = path_join(a, folder, "requests");
    int rc = dir_make(requests, err);
    if (rc == 0)
        rc = create_at(folder, path, made, fill, context, err);
    arena_free(a);
    return rc;
}

/* ---- open ------------------------------------------------------------- */

/* What can be said without SQLite. The file itself is not opened here: a
 * close would drop the locks of another store of this process. */
static int look_at(const char *folder, const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st)) {
        if (errno == ENOENT || errno == ENOTDIR)
            return err_set(err, ERR_MISSING, "there is no study in %s", folder);
        return errno == EACCES ? store_closed(folder, err)
                               : err_errno(err, "open %s", path);
    }
    if (access(path, R_OK) != 0 && errno == EACCES)
        return store_closed(folder, err);
    if (S_ISDIR(st.st_mode))
        return err_set(err, ERR_CORRUPT,
                       "%s is a folder where a file is expected", path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_CORRUPT, "%s is no regular file", path);
    if (st.st_size == 0)
        return err_set(err, ERR_CORRUPT,
                       "%s is empty; throng leaves it as it is", path);
    return 0;
}

static int open_with(struct store *s, const char *name, int flags,
                     struct err *err)
{
    db_finalize_all(s);
    sqlite3_close(s->db);
    s->db = NULL;
    flags |= SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(name, &s->db, flags, seal_vfs()) != SQLITE_OK)
        return db_err(s, "open", err);
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_timeout(s->db, DB_BUSY_MS);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return 0;
}

static int check_version(struct store *s, int *version, struct err *err)
{
    if (schema_version(s, version, err))
        return -1;
    if (*version > STORE_SCHEMA)
        return err_set(err, ERR_CORRUPT,
                       "%s was written by a newer throng (format %d, this "
                       "one knows %d); throng leaves it as it is",
                       s->path, *version, STORE_SCHEMA);
    return 0;
}

static int set_journal(struct store *s, struct err *err)
{
    static const char local[] = "PRAGMA journal_mode = WAL";
    static const char network[] = "PRAGMA journal_mode = DELETE";
    sqlite3_stmt *st = db_stmt(s, s->network ? network : local, err);
    if (!st || db_run(s, st, "open", err))
        return -1;
    return db_exec(s,
                   s->network ? "PRAGMA synchronous = FULL"
                              : "PRAGMA synchronous = NORMAL",
                   "open", err);
}

static int read_mirror(struct store *s, struct lease *l, struct err *err)
{
    (void)err;
    *l = (struct lease){0};
    lease_mirror_read(s->folder, l, NULL);
    return 0;
}

/* An older throng may be writing right now, in the older form. */
static int migrate(struct store *s, struct err *err)
{
    struct lease l;
    struct err why = {0};
    read_mirror(s, &l, NULL);
    if (holder_look(s, &l) == HOLDER_LIVES || holder_wait(s, read_mirror, &why))
        return err_set(err, ERR_BUSY,
                       "%s is of an older form and in use by process %lld "
                       "on %s",
                       s->path, (long long)l.process.pid, l.host);
    return schema_migrate(s, schema_steps, STORE_SCHEMA, err);
}

/* The holder of a lease on a network file system has the file locked. */
static int name_holder(struct store *s, struct err *err)
{
    struct lease l;
    if (err && err->kind == ERR_BUSY && s->network &&
        lease_mirror_read(s->folder, &l, NULL) == 0)
        lease_held_by(s, &l, err);
    return -1;
}

/* Held before it is opened: one that is set aside in between is then seen to
 * have moved. The other way round a new one at its path would pass for it. */
static int open_writer(struct store *s, struct err *err)
{
    int version;
    stands_open(s);
    if (open_with(s, s->path, SQLITE_OPEN_READWRITE, err))
        return -1;
    if (s->network)
        sqlite3_busy_timeout(s->db, DB_NETWORK_BUSY_MS);
    if (check_version(s, &version, err))
        return name_holder(s, err);
    if (sqlite3_db_readonly(s->db, "main") == 1)
        return err_set(err, ERR_SYSTEM, "%s cannot be written: no permission",
                       s->path);
    if (db_exec(s, writer_settings, "open", err) || set_journal(s, err))
        return -1;
    if (version < STORE_SCHEMA && migrate(s, err))
        return -1;
    s->metrics = metrics_new();
    s->stowed = stowed_new();
    return change_counts_load(s, err);
}

/* A reader of an older file brings it up to date as a writer would. */
static int migrate_for_reader(struct store *s, struct err *err)
{
    if (open_with(s, s->path, SQLITE_OPEN_READWRITE, err) || migrate(s, err))
        return err_wrap(err, "%s is of an older form", s->path);
    return 0;
}

/* Opens the file itself for reading. Without the right to write beside it
 * SQLite can neither roll back a crashed transaction nor share the log; a
 * file that needs neither is then read as one that does not change. */
static int open_reader_at(struct store *s, int *version, struct err *err)
{
    struct err why = {0};
    if (open_with(s, s->path, SQLITE_OPEN_READONLY, &why) == 0 &&
        check_version(s, version, &why) == 0)
        return 0;
    if (why.kind != ERR_SYSTEM)
        return err_set(err, why.kind, "%s", why.text);
    if (access(s->folder, W_OK) == 0) {
        if (open_with(s, s->path, SQLITE_OPEN_READWRITE, err))
            return -1;
        return check_version(s, version, err);
    }
    struct arena *a = arena_new();
    char *log = arena_printf(a, "%s-wal", s->path);
    struct stat st;
    bool needs_log = stat(log, &st) == 0 && st.st_size > 0;
    arena_free(a);
    if (needs_log)
        return err_set(err, why.kind, "%s", why.text);
    if (snapshot_open_unchanging(s, s->path, err))
        return -1;
    return check_version(s, version, err);
}

/* One that is removed while it is opened is not there, in whichever step that
 * was met: SQLite may find no file, or none to give its log the mode of. */
static int gone_meanwhile(struct store *s, const struct err *why,
                          struct err *err)
{
    struct err gone = {0};
    if (why->kind == ERR_SYSTEM && look_at(s->folder, s->path, &gone) &&
        gone.kind == ERR_MISSING)
        why = &gone;
    return err_set(err, why->kind, "%s", why->text);
}

static int open_reader(struct store *s, struct err *err)
{
    int version;
    if (s->network && snapshot_needed(s)) {
        if (snapshot_open(s, err) || check_version(s, &version, err))
            return -1;
        return db_exec(s, reader_settings, "open", err);
    }
    if (open_reader_at(s, &version, err))
        return -1;
    if (version < STORE_SCHEMA && migrate_for_reader(s, err))
        return -1;
    return db_exec(s, reader_settings, "open", err);
}

struct store *store_open(const char *folder, bool write, struct err *err)
{
    struct arena *a = arena_new();
    char *path = study_path(a, folder);
    struct store *s = NULL;
    if (look_at(folder, path, err))
        goto out;
    s = store_new(folder, path);
    s->write = write;
    s->network = on_network(folder);
    struct err why = {0};
    if (write ? open_writer(s, err)
              : open_reader(s, &why) && gone_meanwhile(s, &why, err)) {
        store_free(s);
        s = NULL;
    }
out:
    arena_free(a);
    return s;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    if (s->write) {
        store_rollback(s);
        store_lease_release(s);
    }
    store_free(s);
}

const char *store_folder(const struct store *s)
{
    return s->folder;
}

double store_as_of(const struct store *s)
{
    return s->as_of;
}

static int check_with(struct store *s, const char *sql, struct err *err)
{
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    int row = db_row(s, st, "check", err);
    if (row < 0)
        return -1;
    struct str said = row ? db_column_str(st, 0) : STR("no answer");
    int rc = 0;
    if (!str_is(said, "ok") && seal_broken(s->db)) {
        rc = db_damaged_page(s->db, s->path, err);
    } else if (!str_is(said, "ok")) {
        struct buf how;
        buf_init(&how);
        buf_addstr(&how, str_trim(said));
        rc = db_damaged(s->path, how.p, err);
        buf_done(&how);
    }
    sqlite3_reset(st);
    return rc;
}

int store_integrity(struct store *s, struct err *err)
{
    static const char sql[] = "PRAGMA integrity_check(1)";
    return check_with(s, sql, err);
}

enum store_sums store_sums(const struct store *s)
{
    if (!seal_is_on(s->db))
        return STORE_SUMS_NONE;
    return seal_is_missed(s->db) ? STORE_SUMS_SOME : STORE_SUMS_ALL;
}

/* A tenth of a second of CPU for each 50 MB. */
int store_quick_check(struct store *s, struct err *err)
{
    static const char sql[] = "PRAGMA quick_check(1)";
    struct stat st;
    bool small = stat(s->path, &st) == 0 && st.st_size <= SMALL_BYTES;
    if (s->mine.left == PREDECESSOR_NONE && !small)
        return 0;
    if (check_with(s, sql, err))
        return -1;
    seal_rest(s->db);
    return 0;
}
