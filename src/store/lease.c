/* lease.c - who may write
 *
 * The lease is a row in the file: the holder's host, process, boot and pid
 * namespace, and an epoch that grows with every new holder. It changes hands
 * inside a write transaction, and each commit looks at the epoch inside its
 * own, so two programs can never both believe that their changes went in.
 * Whether a holder lives is judged in holder.c.
 *
 * What a holder leaves when it does not let go by itself stands in the row
 * until a conductor has settled it: left says whether its death is proven,
 * left_space, left_forks and left_ticks which processes it can have had, as of
 * the last touch of the last holder that had nothing to settle. */
#include "store/lease.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "store/holder.h"

#define LEASE_OLD_SECONDS 60
#define LEASE_SOON_MS 2000

/* For people and for readers, who must answer at once: where nothing proves
 * it, a holder that wrote less than a minute ago by our clock seems to live.
 * Nobody takes a lease for that. */
bool lease_seems_live(const struct store *s, const struct lease *l)
{
    enum holder h = holder_look(s, l);
    if (h == HOLDER_UNSEEN)
        return fabs(clock_wall() - l->touched) < LEASE_OLD_SECONDS;
    return h == HOLDER_LIVES;
}

/* ---- the row ---------------------------------------------------------- */

static int row_read(struct store *s, struct lease *l, struct err *err)
{
    static const char sql[] =
        "SELECT epoch, host, pid, pid_start, boot_id, touched, pid_space,"
        " lock, touches, left, left_space, left_forks, left_ticks FROM lease";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    int row = db_row(s, st, "read the lease of", err);
    if (row < 0)
        return -1;
    if (row == 0)
        return err_set(err, ERR_CORRUPT, "%s has no lease row", s->path);
    *l = (struct lease){
        .epoch = (uint64_t)sqlite3_column_int64(st, 0),
        .process = {.pid = (pid_t)sqlite3_column_int64(st, 2),
                    .start = (uint64_t)sqlite3_column_int64(st, 3)},
        .touched = sqlite3_column_double(st, 5),
        .pid_space = (uint64_t)sqlite3_column_int64(st, 6),
        .lock = (uint64_t)sqlite3_column_int64(st, 7),
        .touches = (uint64_t)sqlite3_column_int64(st, 8),
        .left = (enum predecessor)sqlite3_column_int(st, 9),
        .left_space = (uint64_t)sqlite3_column_int64(st, 10),
        .left_forks = (uint64_t)sqlite3_column_int64(st, 11),
        .left_ticks = (uint64_t)sqlite3_column_int64(st, 12),
    };
    snprintf(l->host, sizeof l->host, "%.*s", STRF(db_column_str(st, 1)));
    snprintf(l->boot_id, sizeof l->boot_id, "%.*s", STRF(db_column_str(st, 4)));
    sqlite3_reset(st);
    return 0;
}

static int row_write(struct store *s, const struct lease *l, struct err *err)
{
    static const char sql[] =
        "UPDATE lease SET epoch = ?, host = ?, pid = ?, pid_start = ?,"
        " boot_id = ?, touched = ?, pid_space = ?, lock = ?, touches = ?,"
        " left = ?, left_space = ?, left_forks = ?, left_ticks = ?";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, (int64_t)l->epoch);
    db_bind_str(st, 2, str_of(l->host));
    sqlite3_bind_int64(st, 3, l->process.pid);
    sqlite3_bind_int64(st, 4, (int64_t)l->process.start);
    db_bind_str(st, 5, str_of(l->boot_id));
    sqlite3_bind_double(st, 6, l->touched);
    sqlite3_bind_int64(st, 7, (int64_t)l->pid_space);
    sqlite3_bind_int64(st, 8, (int64_t)l->lock);
    sqlite3_bind_int64(st, 9, (int64_t)l->touches);
    sqlite3_bind_int(st, 10, (int)l->left);
    sqlite3_bind_int64(st, 11, (int64_t)l->left_space);
    sqlite3_bind_int64(st, 12, (int64_t)l->left_forks);
    sqlite3_bind_int64(st, 13, (int64_t)l->left_ticks);
    return db_run(s, st, "write the lease of", err);
}

static bool is_newer(const struct lease *a, const struct lease *b)
{
    return a->epoch > b->epoch ||
           (a->epoch == b->epoch && a->touches > b->touches);
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
    bool newer = s->network && is_newer(&mirror, &row);
    *lease = have_mirror && (!have_row || newer) ? mirror : row;
    lease->live = lease_seems_live(s, lease);
    lease->unseen = holder_look(s, lease) == HOLDER_UNSEEN;
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
    if (l.process.pid == 0)
        return err_set(err, ERR_BUSY,
                       "%s was taken over by another throng, which has ended "
                       "by now; nothing more is written here",
                       s->folder);
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
    return err_set(err, ERR_BUSY, "%s is in use by process %lld on %s",
                   s->folder, (long long)l->process.pid, l->host);
}

static void lease_name_us(struct lease *l)
{
    machine_name(l->host, sizeof l->host);
    snprintf(l->boot_id, sizeof l->boot_id, "%s", process_boot_id());
    l->process = process_self();
    l->pid_space = process_space();
}

static void lease_renew(struct lease *l)
{
    l->touched = clock_wall();
    l->touches++;
    if (l->left != PREDECESSOR_NONE)
        return;
    l->left_space = l->pid_space;
    l->left_forks = process_forks();
    l->left_ticks = process_ticks();
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
static enum predecessor left_by(const struct lease *l, enum holder holder)
{
    enum predecessor left = holder == HOLDER_NONE   ? PREDECESSOR_NONE
                            : holder == HOLDER_GONE ? PREDECESSOR_GONE
                                                    : PREDECESSOR_PRESUMED;
    return left > l->left ? left : l->left;
}

static int take_in_transaction(struct store *s, bool take_over, struct err *err)
{
    struct lease l;
    if (row_read(s, &l, err))
        return -1;
    enum holder holder = holder_look(s, &l);
    bool may = take_over || holder == HOLDER_NONE || holder == HOLDER_GONE ||
               (holder == HOLDER_UNSEEN && holder_is_silent(s, &l));
    if (!may)
        return lease_held_by(s, &l, err);
    s->mine = l;
    s->mine.epoch++;
    s->mine.left = left_by(&l, holder);
    s->mine.lock = holder_lock(s);
    lease_name_us(&s->mine);
    lease_renew(&s->mine);
    if (row_write(s, &s->mine, err))
        return -1;
    return db_exec(s, "COMMIT", "write the lease of", err);
}

/* Of a store on a network file system its holder lets nobody read the row. */
static int read_for_watch(struct store *s, struct lease *l, struct err *err)
{
    struct err why = {0};
    if (row_read(s, l, &why) == 0)
        return 0;
    if (why.kind == ERR_BUSY && lease_mirror_read(s->folder, l, NULL) == 0)
        return lease_held_by(s, l, err);
    return err_set(err, why.kind, "%s", why.text);
}

/* The state of the holder's process as /proc has it; 0: it is not seen from
 * here. */
static char holder_state(const struct lease *l)
{
    char host[sizeof l->host];
    machine_name(host, sizeof host);
    bool here = strcmp(host, l->host) == 0 && l->pid_space == process_space();
    return here ? process_state(l->process) : 0;
}

/* In the midst of a transaction a holder keeps the file itself locked: no
 * take-over goes past that, but a person can. */
static int locked_by(struct store *s, const struct lease *l, bool take_over,
                     struct err *err)
{
    long long pid = (long long)l->process.pid;
    char state = holder_state(l);
    s->stuck = take_over || state == 'T' || state == 't';
    if (state == 'T' || state == 't')
        return err_set(err, ERR_BUSY,
                       "%s cannot be taken over now: process %lld, which holds "
                       "it, was stopped while it was writing and keeps the "
                       "file locked; `kill -CONT %lld` lets it go on, `kill "
                       "-KILL %lld` ends it and loses nothing that was "
                       "committed",
                       s->folder, pid, pid, pid);
    if (!take_over || pid == 0)
        return lease_held_by(s, l, err);
    return err_set(err, ERR_BUSY,
                   "%s cannot be taken over now: process %lld on %s is writing "
                   "and keeps the file locked; end that process (`kill %lld` "
                   "there), then run this again",
                   s->folder, pid, l->host, pid);
}

static int begin_to_take(struct store *s, bool take_over, struct err *err)
{
    struct err why = {0};
    struct lease l;
    if (!db_exec(s, s->network ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE", "lock",
                 &why))
        return 0;
    if (why.kind == ERR_BUSY && (row_read(s, &l, NULL) == 0 ||
                                 lease_mirror_read(s->folder, &l, NULL) == 0))
        return locked_by(s, &l, take_over, err);
    return err_set(err, why.kind, "%s", why.text);
}

int store_lease_take(struct store *s, bool take_over, struct err *err)
{
    require(s->write);
    if (s->epoch != 0)
        return 0;
    if (!take_over && holder_wait(s, read_for_watch, err))
        return -1;
    lock_exclusively(s, true);
    if (begin_to_take(s, take_over, err)) {
        lock_exclusively(s, false);
        return -1;
    }
    if (take_in_transaction(s, take_over, err)) {
        db_exec(s, "ROLLBACK", "roll back", NULL);
        holder_unlock(s);
        lock_exclusively(s, false);
        return -1;
    }
    s->epoch = s->mine.epoch;
    s->taken_over = false;
    lease_mirror_write(s, &s->mine);
    /* What an earlier holder wrote counts from here on. */
    return change_counts_load(s, err);
}

int store_lease_take_soon(struct store *s, struct err *err)
{
    int64_t until = clock_mono_ns() + LEASE_SOON_MS * 1000000ll;
    struct err why = {0};
    while (store_lease_take(s, false, &why)) {
        if (why.kind != ERR_BUSY || clock_mono_ns() >= until)
            return err_set(err, why.kind, "%s", why.text);
        s->clock->pause_ms(20);
    }
    return 0;
}

/* Writes the row in the open transaction or in one of its own. */
static int lease_put(struct store *s, const struct lease *l, struct err *err)
{
    if (s->in_sql) {
        int rc = lease_check(s, err) ? -1 : row_write(s, l, err);
        change_look_again(s);
        return rc;
    }
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

/* Renews the lease with what the caller has changed in it. */
static int lease_touch_as(struct store *s, struct lease *l, struct err *err)
{
    lease_renew(l);
    if (lease_put(s, l, err))
        return -1;
    s->mine = *l;
    /* At its path there may be another study by now. */
    if (store_stands(s, NULL) == 0)
        lease_mirror_write(s, l);
    return 0;
}

int store_lease_touch(struct store *s, struct err *err)
{
    struct lease l = s->mine;
    if (s->epoch == 0)
        return err_set(err, ERR_BUSY, "the lease of %s is not held", s->folder);
    if (store_stands(s, err))
        return -1;
    /* One that was taken over may have kept its lock until now. */
    l.lock = holder_lock(s);
    if (lease_touch_as(s, &l, err))
        return -1;
    /* Also the end of a busy time gets onto the disk, if nobody commits. */
    return change_sync(s, err);
}

uint64_t store_lease_epoch(const struct store *s)
{
    return s->epoch;
}

bool store_lease_stuck(const struct store *s)
{
    return s->stuck;
}

enum predecessor store_lease_predecessor(const struct store *s)
{
    return s->mine.left;
}

int store_lease_settle(struct store *s, struct err *err)
{
    struct lease l = s->mine;
    l.left = PREDECESSOR_NONE;
    return s->mine.left == l.left ? 0 : lease_touch_as(s, &l, err);
}

void store_lease_release(struct store *s)
{
    if (s->epoch == 0)
        return;
    store_rollback(s);
    struct lease l = s->mine;
    l.process = (struct process_id){0};
    l.lock = 0;
    lease_touch_as(s, &l, NULL);
    s->epoch = 0;
    holder_unlock(s);
    lock_exclusively(s, false);
}
