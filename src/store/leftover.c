/* leftover.c - processes that may have outlived earlier holders
 *
 * A number names a process only in the pid namespace and during the boot in
 * which it was given, and numbers come round again. An attempt that has not
 * ended in the store was alive when its holder last touched the lease, or was
 * started later; so when fewer processes were started since than there are
 * numbers, none of theirs can be another's by now. Half of the numbers is
 * asked for: a start that fails uses one up uncounted. */
#include "store/db.h"

static bool numbers_stand(const struct lease *l)
{
    uint64_t forks = process_forks(), numbers = process_numbers();
    return l->left_forks && forks >= l->left_forks &&
           forks - l->left_forks < numbers / 2;
}

static int read_leaders(struct store *s, struct arena *a,
                        struct left_processes *left, struct err *err)
{
    static const char sql[] =
        "SELECT pid, pid_start, trial FROM trials JOIN attempts ON trial = "
        "trials.id"
        " JOIN machines ON machines.id = machine WHERE state = ?"
        " AND outcome = ? AND pid > 0 AND pid_start > 0 AND boot_id = ?";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int(st, 1, STATE_RUNNING);
    sqlite3_bind_int(st, 2, OUTCOME_NONE);
    db_bind_str(st, 3, str_of(process_boot_id()));
    VEC(struct process_id) found = {0};
    VEC(int64_t) trials = {0};
    int row;
    while ((row = db_row(s, st, "read the attempts of", err)) == 1) {
        struct process_id one = {(pid_t)sqlite3_column_int64(st, 0),
                                 (uint64_t)sqlite3_column_int64(st, 1)};
        vec_push(&found, one);
        vec_push(&trials, sqlite3_column_int64(st, 2));
    }
    left->count = found.len;
    left->leaders = vec_to_arena(a, &found);
    left->trials = vec_to_arena(a, &trials);
    return row < 0 ? -1 : 0;
}

int store_left_processes(struct store *s, struct arena *a,
                         struct left_processes *left, struct err *err)
{
    const struct lease *l = &s->mine;
    *left = (struct left_processes){0};
    if (l->left == PREDECESSOR_NONE || l->left_space != process_space())
        return 0;
    left->numbers_stand = numbers_stand(l);
    left->known_ticks = l->left_ticks;
    return read_leaders(s, a, left, err);
}
