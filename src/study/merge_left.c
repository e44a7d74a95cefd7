/* merge_left.c - what a merge that was killed has left beside its tables
 *
 * A file that is being written has a hidden name with the number of its process
 * until it is whole (sys/file.c). A merge writes down in the study's folder who
 * it is and where it writes, and takes that back at its end. So a line that is
 * there is of a merge that is dead: who merges holds the study. It names the
 * files that were its own, and no others: those of its number in its folders.
 * Where a live process has that number by now they stay. */
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "study/merge.h"

#define MERGING_FILE "merging"

static void remove_files(const char *folder, int64_t pid, struct arena *a)
{
    const char **names = dir_list(folder, a, NULL);
    const char *ours = arena_printf(a, ".throng-%lld-*.tmp", (long long)pid);
    for (; names && *names; names++)
        if (str_glob(ours, str_of(*names)))
            unlink(path_join(a, folder, *names));
}

static void remove_left(const char *note, struct arena *a)
{
    struct str all, number, start, path;
    int64_t pid, since;
    struct buf b;
    buf_init(&b);
    if (file_exists(note) && file_read(note, 1 << 16, &b, NULL) == 0) {
        all = buf_str(&b);
        if (str_split(&all, ' ', &number) && str_split(&all, ' ', &start) &&
            str_split(&all, '\n', &path) && num_int(number, &pid) &&
            num_int(start, &since) && pid > 0 && path.len &&
            !process_alive((struct process_id){(pid_t)pid, (uint64_t)since})) {
            const char *table = arena_cstr(a, path);
            remove_files(path_folder(a, table), pid, a);
            if (file_is_dir(table))
                remove_files(table, pid, a);
        }
    }
    buf_done(&b);
}

int merge_left_begin(const char *study, const char *table, struct err *err)
{
    struct arena *a = arena_new();
    const char *note = path_join(a, study, MERGING_FILE);
    struct process_id self = process_self();
    remove_left(note, a);
    int rc =
        file_write(note,
                   str_of(arena_printf(a, "%lld %llu %s\n", (long long)self.pid,
                                       (unsigned long long)self.start, table)),
                   false, err);
    arena_free(a);
    return rc;
}

void merge_left_end(const char *study)
{
    struct arena *a = arena_new();
    unlink(path_join(a, study, MERGING_FILE));
    arena_free(a);
}
