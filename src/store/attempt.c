/* attempt.c - the tries at running a trial
 *
 * Host and boot id are the same for thousands of attempts; they stand once
 * in `machines`, and the number of the last one used is remembered. */
#include <stdio.h>
#include "store/change.h"
#include "store/use_columns.h"

static int machine_insert(struct store *s, struct str host, struct str boot,
                          struct err *err)
{
    static const char put[] =
        "INSERT OR IGNORE INTO machines (host, boot_id) VALUES (?, ?)";
    static const char get[] =
        "SELECT id FROM machines WHERE host = ? AND boot_id = ?";
    const char *const texts[] = {put, get};
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *st = db_stmt(s, texts[i], err);
        if (!st)
            return -1;
        sqlite3_bind_text64(st, 1, host.p, host.len, SQLITE_STATIC,
                            SQLITE_UTF8);
        sqlite3_bind_text64(st, 2, boot.p, boot.len, SQLITE_STATIC,
                            SQLITE_UTF8);
        int row = db_row(s, st, "write a machine into", err);
        if (row < 0)
            return -1;
        if (row == 1)
            s->machine = sqlite3_column_int64(st, 0);
        sqlite3_reset(st);
    }
    snprintf(s->machine_host, sizeof s->machine_host, "%.*s", STRF(host));
    snprintf(s->machine_boot, sizeof s->machine_boot, "%.*s", STRF(boot));
    return 0;
}

static int machine_find(struct store *s, struct str host, struct str boot,
                        struct err *err)
{
    if (s->machine > 0 && str_is(host, s->machine_host) &&
        str_is(boot, s->machine_boot))
        return 0;
    return machine_insert(s, host, boot, err);
}

/* Most attempts have no such number: then the row is shorter. */
static void bind_rare(sqlite3_stmt *st, int at, uint64_t number)
{
    if (number)
        sqlite3_bind_int64(st, at, (int64_t)number);
    else
        sqlite3_bind_null(st, at);
}

static void bind_amount(sqlite3_stmt *st, int at, double amount)
{
    if (amount > 0)
        sqlite3_bind_double(st, at, amount);
    else
        sqlite3_bind_null(st, at);
}

static void bind_use(sqlite3_stmt *st, int at, const struct use *u)
{
    const double behind[] = {u->joules, u->gpu_busy_s, u->gpu_seen_s,
                             u->blocked_s};
    struct str device = str_n(u->device, strnlen(u->device, sizeof u->device));
    if (device.len)
        db_bind_str(st, at, device);
    else
        sqlite3_bind_null(st, at);
    for (int i = 0; i < SPENT_COUNT; i++)
        bind_amount(st, at + 1 + i, u->spent[i]);
    bind_rare(st, at + 1 + SPENT_COUNT, u->gpu_bytes);
    for (int i = 0; i < 4; i++)
        bind_amount(st, at + 2 + SPENT_COUNT + i, behind[i]);
}

void use_columns_read(sqlite3_stmt *st, int at, struct use *u)
{
    struct str device = db_column_str(st, at);
    snprintf(u->device, sizeof u->device, "%.*s", STRF(device));
    for (int i = 0; i < SPENT_COUNT; i++)
        u->spent[i] = sqlite3_column_double(st, at + 1 + i);
    at += 1 + SPENT_COUNT;
    u->gpu_bytes = (uint64_t)sqlite3_column_int64(st, at);
    u->joules = sqlite3_column_double(st, at + 1);
    u->gpu_busy_s = sqlite3_column_double(st, at + 2);
    u->gpu_seen_s = sqlite3_column_double(st, at + 3);
    u->blocked_s = sqlite3_column_double(st, at + 4);
}

static int apply_put(struct store *s, const void *what, struct err *err)
{
    const struct attempt *a = what;
    const uint64_t numbers[] = {
        a->pid,          a->pid_start,         a->max_rss_bytes,
        a->output_bytes, a->checkpoint_digest, a->metric_points};
    const double times[] = {a->placed, a->started, a->ended, a->seconds,
                            a->cpu_seconds};
    const uint64_t rare[] = {
        a->company, a->sequence, a->metrics_at, a->log_at,
        a->folder,  a->presumed, a->anew,       (uint64_t)a->first_step};
    static const char sql[] =
        "INSERT OR REPLACE INTO attempts (trial, number, outcome, machine,"
        " pid, pid_start, max_rss_bytes, output_bytes, checkpoint_digest,"
        " metric_points, placed, started, ended, seconds, cpu_seconds,"
        " exit_code, signum, company, sequence, metrics_at, log_at, folder,"
        " presumed, anew, first_step, reason, tail, " USE_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5,"
        " ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,"
        " ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32,"
        " ?33, ?34, ?35, ?36, ?37)";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    struct str host = str_n(a->host, strnlen(a->host, sizeof a->host));
    struct str boot = str_n(a->boot_id, strnlen(a->boot_id, sizeof a->boot_id));
    if (machine_find(s, host, boot, err))
        return -1;
    sqlite3_bind_int64(st, 1, a->trial);
    sqlite3_bind_int64(st, 2, a->number);
    sqlite3_bind_int(st, 3, (int)a->outcome);
    sqlite3_bind_int64(st, 4, s->machine);
    for (int i = 0; i < 6; i++)
        sqlite3_bind_int64(st, 5 + i, (int64_t)numbers[i]);
    for (int i = 0; i < 5; i++)
        sqlite3_bind_double(st, 11 + i, times[i]);
    sqlite3_bind_int64(st, 16, a->exit_code);
    sqlite3_bind_int64(st, 17, a->signum);
    for (int i = 0; i < 8; i++)
        bind_rare(st, 18 + i, rare[i]);
    db_bind_str(st, 26, a->reason);
    db_bind_str(st, 27, a->tail);
    bind_use(st, 28, &a->use);
    return db_run(s, st, "write an attempt into", err);
}

const struct attempt *attempt_written(const struct redo *c)
{
    return c->apply == apply_put ? c->what : NULL;
}

int store_attempt_put(struct store *s, const struct attempt *a, struct err *err)
{
    struct attempt *c = change_start(s, a, sizeof *a, err);
    if (!c)
        return -1;
    c->reason = arena_str(s->redo_room, a->reason);
    c->tail = arena_str(s->redo_room, a->tail);
    return change_end(s, apply_put, c, err);
}

static void attempt_read(sqlite3_stmt *st, struct arena *arena,
                         struct attempt *a)
{
    *a = (struct attempt){
        .trial = sqlite3_column_int64(st, 0),
        .number = (uint32_t)sqlite3_column_int64(st, 1),
        .outcome = (enum outcome)sqlite3_column_int(st, 2),
        .pid = (uint64_t)sqlite3_column_int64(st, 5),
        .pid_start = (uint64_t)sqlite3_column_int64(st, 6),
        .max_rss_bytes = (uint64_t)sqlite3_column_int64(st, 7),
        .output_bytes = (uint64_t)sqlite3_column_int64(st, 8),
        .checkpoint_digest = (uint64_t)sqlite3_column_int64(st, 9),
        .metric_points = (uint64_t)sqlite3_column_int64(st, 10),
        .placed = sqlite3_column_double(st, 11),
        .started = sqlite3_column_double(st, 12),
        .ended = sqlite3_column_double(st, 13),
        .seconds = sqlite3_column_double(st, 14),
        .cpu_seconds = sqlite3_column_double(st, 15),
        .exit_code = sqlite3_column_int(st, 16),
        .signum = sqlite3_column_int(st, 17),
        .company = (uint32_t)sqlite3_column_int64(st, 18),
        .sequence = (uint32_t)sqlite3_column_int64(st, 19),
        .metrics_at = (uint64_t)sqlite3_column_int64(st, 20),
        .log_at = (uint64_t)sqlite3_column_int64(st, 21),
        .folder = (uint32_t)sqlite3_column_int64(st, 22),
        .presumed = sqlite3_column_int64(st, 23) != 0,
        .anew = (uint32_t)sqlite3_column_int64(st, 24),
        .first_step = sqlite3_column_int64(st, 25),
        .reason = arena_str(arena, db_column_str(st, 26)),
        .tail = arena_str(arena, db_column_str(st, 27)),
    };
    struct str host = db_column_str(st, 3), boot = db_column_str(st, 4);
    snprintf(a->host, sizeof a->host, "%.*s", STRF(host));
    snprintf(a->boot_id, sizeof a->boot_id, "%.*s", STRF(boot));
    use_columns_read(st, 28, &a->use);
}

int store_use(struct store *s, int64_t trials, struct use_sum *sum,
              struct err *err)
{
    static const char sql[] =
        "SELECT max(device), sum(input_seconds), sum(computing_seconds),"
        " sum(synchronising_seconds), sum(idle_seconds), sum(gpu_bytes),"
        " sum(joules), sum(gpu_busy_seconds), sum(gpu_seen_seconds),"
        " sum(blocked_seconds), count(*), sum(seconds), sum(cpu_seconds)"
        " FROM attempts WHERE trial > (SELECT max(trial) FROM attempts) - ?"
        " AND seconds > 0";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, trials);
    int row = db_row(s, st, "read the attempts of", err);
    *sum = (struct use_sum){0};
    if (row == 1) {
        use_columns_read(st, 0, &sum->use);
        sum->attempts = sqlite3_column_int64(st, 10);
        sum->seconds = sqlite3_column_double(st, 11);
        sum->cpu_seconds = sqlite3_column_double(st, 12);
    }
    sqlite3_reset(st);
    return row < 0 ? -1 : 0;
}

int store_attempts(struct store *s, int64_t id, struct arena *a,
                   struct attempt **list, size_t *count, struct err *err)
{
    static const char sql[] =
        "SELECT trial, number, outcome, host, boot_id, pid, pid_start,"
        " max_rss_bytes, output_bytes, checkpoint_digest, metric_points,"
        " placed, started, ended, seconds, cpu_seconds, exit_code, signum,"
        " company, sequence, metrics_at, log_at, folder, presumed, anew,"
        " first_step, reason, tail, " USE_COLUMNS
        " FROM attempts LEFT JOIN machines ON id = machine"
        " WHERE trial = ? ORDER BY number";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, id);
    VEC(struct attempt) found = {0};
    int row;
    while ((row = db_row(s, st, "read the attempts of", err)) == 1) {
        struct attempt attempt;
        attempt_read(st, a, &attempt);
        vec_push(&found, attempt);
    }
    if (row == 0) {
        *count = found.len;
        *list = vec_to_arena(a, &found);
    }
    vec_done(&found);
    return row;
}
