/* lease.c - who may write
 *
 * The lease is a row in the file: the holder's host, process, boot and an
 * epoch that grows with every new holder. It changes hands inside a write
 * transaction, and each commit looks at the epoch inside its own, so two
 * programs can never both believe that their changes went in.
 *
 * lease.json beside the file says the same for readers that cannot open it
 * (a holder on a network file system keeps it locked). It is a mirror: only
 * the row decides. */
#include "store/lease.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "base/json.h"

#define LEASE_OLD_SECONDS 60

static void host_read(char *host, size_t size)
{
    if (gethostname(host, size))
        snprintf(host, size, "unknown");
    host[size - 1] = 0;
}

/* On a local file system a holder with another boot id ended with that
 * boot. On a shared one it may be another machine of the same name. */
bool lease_lives(const struct store *s, const struct lease *l)
{
    char host[sizeof l->host];
    if (l->process.pid == 0)
        return false;
    host_read(host, sizeof host);
    bool same_host = strcmp(host, l->host) == 0;
    bool same_boot = strcmp(process_boot_id(), l->boot_id) == 0;
    if (same_host && same_boot)
        return process_alive(l->process);
    if (same_host && !s->network)
        return false;
    return fabs(clock_wall() - l->touched) < LEASE_OLD_SECONDS;
}

/* ---- the mirror ------------------------------------------------------- */

int lease_mirror_read(const char *folder, struct lease *lease, struct err *err)
{
    struct lease l = {0};
    struct arena *a = arena_new();
    struct buf b;
    buf_init(&b);
    char *path = path_join(a, folder, "lease.json");
    struct value *v = NULL;
    if (file_read(path, 65536, &b, err) == 0)
        v = json_parse(a, buf_str(&b), path, false, err);
    if (v) {
        struct str host = value_text(value_get(v, STR("host")));
        struct str boot = value_text(value_get(v, STR("boot_id")));
        snprintf(l.host, sizeof l.host, "%.*s", STRF(host));
        snprintf(l.boot_id, sizeof l.boot_id, "%.*s", STRF(boot));
        const struct value *epoch = value_get(v, STR("epoch"));
        const struct value *pid = value_get(v, STR("pid"));
        const struct value *start = value_get(v, STR("pid_start"));
        if (epoch && epoch->kind == VALUE_INT)
            l.epoch = (uint64_t)epoch->i;
        if (pid && pid->kind == VALUE_INT)
            l.process.pid = (pid_t)pid->i;
        if (start && start->kind == VALUE_INT)
            l.process.start = (uint64_t)start->i;
        const struct value *touched = value_get(v, STR("touched"));
        l.touched = value_is_number(touched) ? value_number(touched) : 0;
        *lease = l;
    }
    buf_done(&b);
    arena_free(a);
    return v ? 0 : -1;
}

/* A mirror that cannot be written is no reason to stop: it only serves
 * readers elsewhere, and they judge it by its age. */
static void mirror_write(const struct store *s, const struct lease *l)
{
    struct arena *a = arena_new();
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "{\"epoch\":%llu,\"host\":", (unsigned long long)l->epoch);
    json_string(&b, str_of(l->host));
    buf_addf(&b, ",\"pid\":%lld,\"pid_start\":%llu,\"boot_id\":",
             (long long)l->process.pid, (unsigned long long)l->process.start);
    json_string(&b, str_of(l->boot_id));
    buf_adds(&b, ",\"touched\":");
    json_number(&b, l->touched);
    buf_adds(&b, "}\n");
    file_write(path_join(a, s->folder, "lease.json"), buf_str(&b), false, NULL);
    buf_done(&b);
    arena_free(a);
}

/* ---- the row ---------------------------------------------------------- */

static int row_read(struct store *s, struct lease *l, struct err *err)
{
    static const char sql[] =
        "SELECT epoch, host, pid, pid_start, boot_id, touched, left"
        " FROM lease";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    int row = db_row(s, st, "read the lease of", err);
    if (row < 0)
        return -1;
    if (row == 0)
        return err_set(err, ERR_CORRUPT, "%s has no lease row", s->path);
    *l = (struct lease){0};
    l->epoch = (uint64_t)sqlite3_column_int64(st, 0);
    snprintf(l->host, sizeof l->host, "%.*s", STRF(db_column_str(st, 1)));
    l->process.pid = (pid_t)sqlite3_column_int64(st, 2);
    l->process.start = (uint64_t)sqlite3_column_int64(st, 3);
    snprintf(l->boot_id, sizeof l->boot_id, "%.*s", STRF(db_column_str(st, 4)));
    l->touched = sqlite3_column_double(st, 5);
    l->left = (enum predecessor)sqlite3_column_int(st, 6);
    sqlite3_reset(st);
    return 0;
}

static int row_write(struct store *s, const struct lease *l, struct err *err)
{
    static const char sql[] = "UPDATE lease SET epoch = ?, host = ?, pid = ?,"
                              " pid_start = ?, boot_id = ?, touched = ?,"
                              " left = ?";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, (int64_t)l->epoch);
    db_bind_str(st, 2, str_of(l->host));
    sqlite3_bind_int64(st, 3, l->process.pid);
    sqlite3_bind_int64(st, 4, (int64_t)l->process.start);
    db_bind_str(st, 5, str_of(l->boot_id));
    sqlite3_bind_double(st, 6, l->touched);
    sqlite3_bind_int(st, 7, (int)l->left);
    return db_run(s, st, "write the lease of", err);
}

int store_lease_read(struct store *s, struct lease *lease, struct err *err)
{
    struct lease row = {0}, mirror = {0};
    bool have_row = false;
    bool have_mirror = lease_mirror_read(s->folder, &mirror, NULL) == 0;
    /* A snapshot's row is as old as the snapshot. */
    if (s->as_of == 0 || !have_mirror) {
        if (row_read(s, &row, err) && !have_mirror)
            return -1;
        have_row = true;
    }
    bool newer = mirror.epoch > row.epoch ||
                 (mirror.epoch == row.epoch && mirror.touched > row.touched);
    *lease = have_mirror && (!have_row || (s->network && newer)) ? mirror : row;
    lease->live = lease_lives(s, lease);
    return 0;
}

int lease_check(struct store *s, struct err *err)
{
    static const char sql[] = "SELECT epoch FROM lease";
    int64_t epoch;
    if (db_number(s, sql, 0, &epoch, err))
        return -1;
    if ((uint64_t)epoch == s->epoch)
        return 0;
    s->taken_over = true;
    s->epoch = 0;
    struct lease l = {0};
    row_read(s, &l, NULL);
    return err_set(err, ERR_BUSY,
                   "%s was taken over by process %lld on %s; nothing more "
                   "is written here",
                   s->folder, (long long)l.process.pid, l.host);
}

int lease_held_by(const struct store *s, const struct lease *l, struct err *err)
{
    if (l->process.pid == 0)
        return err_set(err, ERR_BUSY, "%s is in use by another program",
                       s->folder);
    return err_set(err, ERR_BUSY,
                   "%s is in use by process %lld on %s: `throng watch` shows "
                   "it, `throng stop` ends it; use --take-over if that "
                   "process is gone",
                   s->folder, (long long)l->process.pid, l->host);
}

static void lease_fill(struct lease *l, uint64_t epoch, enum predecessor left)
{
    *l = (struct lease){.epoch = epoch, .touched = clock_wall(), .left = left};
    host_read(l->host, sizeof l->host);
    l->process = process_self();
    snprintf(l->boot_id, sizeof l->boot_id, "%s", process_boot_id());
}

/* In exclusive mode SQLite keeps its lock after each transaction; it lets go
 * with the first read in normal mode. */
static void lock_exclusively(struct store *s, bool on)
{
    if (!s->network)
        return;
    db_exec(s,
            on ? "PRAGMA locking_mode = EXCLUSIVE"
               : "PRAGMA locking_mode = NORMAL",
            "lock", NULL);
    struct lease l;
    if (!on)
        row_read(s, &l, NULL);
}

/* What was left unsettled before is so still. */
static enum predecessor left_by(const struct lease *l, bool lives)
{
    char host[sizeof l->host];
    enum predecessor left = PREDECESSOR_PRESUMED;
    host_read(host, sizeof host);
    if (l->process.pid == 0)
        left = PREDECESSOR_NONE;
    else if (!lives && strcmp(host, l->host) == 0)
        left = PREDECESSOR_GONE;
    return left > l->left ? left : l->left;
}

static int take_in_transaction(struct store *s, bool take_over,
                               struct lease *mine, struct err *err)
{
    struct lease l;
    if (row_read(s, &l, err))
        return -1;
    bool lives = lease_lives(s, &l);
    if (!take_over && lives)
        return lease_held_by(s, &l, err);
    lease_fill(mine, l.epoch + 1, left_by(&l, lives));
    if (row_write(s, mine, err))
        return -1;
    return db_exec(s, "COMMIT", "write the lease of", err);
}

static int begin_to_take(struct store *s, struct err *err)
{
    struct err why = {0};
    struct lease mirror;
    if (!db_exec(s, s->network ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE", "lock",
                 &why))
        return 0;
    if (why.kind == ERR_BUSY &&
        lease_mirror_read(s->folder, &mirror, NULL) == 0)
        return lease_held_by(s, &mirror, err);
    return err_set(err, why.kind, "%s", why.text);
}

int store_lease_take(struct store *s, bool take_over, struct err *err)
{
    require(s->write);
    struct lease mine = {0};
    if (s->epoch != 0)
        return 0;
    lock_exclusively(s, true);
    if (begin_to_take(s, err)) {
        lock_exclusively(s, false);
        return -1;
    }
    if (take_in_transaction(s, take_over, &mine, err)) {
        db_exec(s, "ROLLBACK", "roll back", NULL);
        lock_exclusively(s, false);
        return -1;
    }
    s->epoch = mine.epoch;
    s->left = mine.left;
    s->taken_over = false;
    mirror_write(s, &mine);
    /* What an earlier holder wrote counts from here on. */
    return change_counts_load(s, err);
}

/* Writes the row in the open transaction or in one of its own. */
static int lease_put(struct store *s, const struct lease *l, struct err *err)
{
    if (s->in_sql)
        return lease_check(s, err) ? -1 : row_write(s, l, err);
    if (db_exec(s, "BEGIN IMMEDIATE", "lock", err)) {
        if (err && err->kind == ERR_BUSY)
            err->kind = ERR_SYSTEM;
        return -1;
    }
    if (lease_check(s, err) || row_write(s, l, err) ||
        db_exec(s, "COMMIT", "write the lease of", err)) {
        db_exec(s, "ROLLBACK", "roll back", NULL);
        return -1;
    }
    return 0;
}

int store_lease_touch(struct store *s, struct err *err)
{
    struct lease l;
    if (s->epoch == 0)
        return err_set(err, ERR_BUSY, "the lease of %s is not held", s->folder);
    lease_fill(&l, s->epoch, s->left);
    if (lease_put(s, &l, err))
        return -1;
    mirror_write(s, &l);
    /* Also the end of a busy time gets onto the disk, if nobody commits. */
    return change_sync(s, err);
}

enum predecessor store_lease_predecessor(const struct store *s)
{
    return s->left;
}

int store_lease_settle(struct store *s, struct err *err)
{
    enum predecessor left = s->left;
    s->left = PREDECESSOR_NONE;
    if (left == PREDECESSOR_NONE || store_lease_touch(s, err) == 0)
        return 0;
    s->left = left;
    return -1;
}

void store_lease_release(struct store *s)
{
    if (s->epoch == 0)
        return;
    store_rollback(s);
    struct lease l;
    lease_fill(&l, s->epoch, s->left);
    l.process = (struct process_id){0};
    if (lease_put(s, &l, NULL) == 0)
        mirror_write(s, &l);
    s->epoch = 0;
    lock_exclusively(s, false);
}
