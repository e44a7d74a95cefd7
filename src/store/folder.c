/* folder.c - where the files of a trial lie
 *
 * A thousand trials share a folder, so that no folder grows past what
 * network file systems list quickly. A trial has one folder, <id>, in which
 * its attempts follow each other. Only where one of them may still write there
 * (it is presumed dead, nobody knows) the next one begins a folder of its own,
 * <id>.<number>, and those after it go on there. A scheduler that begins a task
 * once more asks nobody, and the one before may live on: it works in
 * <id>.<number>r<start>. */
#include "store/db.h"

#include "base/num.h"

char *store_attempt_folder(const char *folder, int64_t trial, uint32_t own,
                           struct arena *a)
{
    char *first = arena_printf(a, "%s/trials/%lld/%lld", folder,
                               (long long)(trial / 1000), (long long)trial);
    uint32_t start = store_own_start(own);
    uint32_t number = store_own_attempt(own);
    if (start)
        return arena_printf(a, "%s.%ur%u", first, number, start);
    return own ? arena_printf(a, "%s.%u", first, own) : first;
}

/* The folder of the newest attempt that may have begun; 0: the trial's first.
 * What cannot be read is said by whoever reads the attempts themselves. */
static uint32_t newest(struct store *s, int64_t trial)
{
    static const char sql[] = "SELECT folder FROM attempts WHERE trial = ?"
                              " AND outcome <> ? ORDER BY number DESC LIMIT 1";
    sqlite3_stmt *st = db_stmt(s, sql, NULL);
    uint32_t own = 0;
    if (!st)
        return 0;
    sqlite3_bind_int64(st, 1, trial);
    sqlite3_bind_int(st, 2, OUTCOME_UNSTARTED);
    if (db_row(s, st, "read the attempts of", NULL) == 1) {
        own = (uint32_t)sqlite3_column_int64(st, 0);
        sqlite3_reset(st);
    }
    return own;
}

char *store_trial_folder(struct store *s, int64_t trial, struct arena *a)
{
    return store_attempt_folder(s->folder, trial, newest(s, trial), a);
}

/* "2" or "2r1". */
static bool is_own(struct str own)
{
    struct str number;
    uint64_t n;
    if (!str_split(&own, 'r', &number) || !num_uint(number, &n))
        return false;
    return !own.p || num_uint(own, &n);
}

/* "7", "7.2", "7.2r1", and "7.2.copy" as long as that is made; what else begins
 * so is nobody's. */
bool store_folder_trial(const char *name, int64_t *trial, bool *first)
{
    struct str rest = str_of(name), number, own;
    if (!str_split(&rest, '.', &number) || !num_int(number, trial))
        return false;
    *first = !rest.p;
    return *first || (str_split(&rest, '.', &own) && is_own(own));
}
