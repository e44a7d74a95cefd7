/* recover.c - what an ended conductor's workers left behind
 *
 * First no process of the study may be left, or a worker could still write
 * its last words while they are read. A living worker has noticed the end of
 * its conductor and is ending its tasks: it gets some time to do so, because
 * its word is worth more than our guess. Then every file is read to its end
 * or to where it is torn. */
#include "engine/recover.h"
#include "engine/sweep.h"
#include <unistd.h>

#define WORKER_SECONDS 3.0
#define SWEEP_SECONDS 10.0
#define LOOK_MS 10

/* ---- processes -------------------------------------------------------- */

/* Returns how many processes of the study the last look has found. */
static size_t wait_for_workers(const struct mark *mark)
{
    int64_t end = clock_mono_ns() + (int64_t)(WORKER_SECONDS * 1e9);
    for (;;) {
        size_t workers;
        size_t found = sweep_marked(mark, &workers);
        if (workers == 0 || clock_mono_ns() > end)
            return found;
        clock_pause_ms(LOOK_MS);
    }
}

/* What files of this process begin with. */
static char *own_name(struct arena *a)
{
    struct process_id self = process_self();
    return arena_printf(a, "%d-%llu-", (int)self.pid,
                        (unsigned long long)self.start);
}

char *engine_leaders_path(struct arena *a, const char *folder, const char *role)
{
    const char *name = arena_printf(a, "%s%s.leaders", own_name(a), role);
    return path_join(a, path_join(a, folder, LAST_WORDS), name);
}

/* A file of leaders that another process has written. */
static bool is_leaders(struct arena *a, const char *name)
{
    return str_ends(str_of(name), STR(".leaders")) &&
           !str_starts(str_of(name), str_of(own_name(a)));
}

static bool is_of_worker(const char *name)
{
    return str_ends(str_of(name), STR(".rec.leaders"));
}

static void add_sessions(struct sessions *s, const struct leader_lines *found)
{
    for (size_t i = 0; i < found->list.len; i++) {
        const struct leader_line *line = &found->list.p[i];
        sessions_add(s, (struct process_id){(pid_t)line->pid, line->start});
    }
}

/* Those that no conductor had written down yet: a worker keeps a file. Others
 * keep one, too, in which no task stands. */
static void add_leaders(struct sessions *s, const char *folder,
                        struct leader_lines *ran)
{
    struct arena *a = arena_new();
    const char *words = path_join(a, folder, LAST_WORDS);
    const char **names = dir_list(words, a, NULL);
    struct leader_lines others = {0};
    for (; names && *names; names++)
        if (is_leaders(a, *names))
            leaders_read(path_join(a, words, *names),
                         is_of_worker(*names) ? ran : &others, NULL);
    add_sessions(s, ran);
    add_sessions(s, &others);
    vec_done(&others.list);
    arena_free(a);
}

static int end_processes(const char *folder, const struct engine_left *left,
                         struct leader_lines *ran, struct err *err)
{
    struct sweep s;
    struct mark mark = {folder, left->epoch};
    sweep_init(&s, &mark);
    sessions_init(&s.sessions, left);
    add_leaders(&s.sessions, folder, ran);
    s.quiet = wait_for_workers(&mark) ? 0 : 1;
    int rc = sweep_all(&s, SWEEP_SECONDS, err);
    sweep_done(&s);
    return rc;
}

/* ---- files ------------------------------------------------------------ */

static int read_file(const struct recovery *to, const char *path,
                     struct err *err)
{
    struct str text, rest;
    struct record r;
    size_t used;
    if (file_map(path, &text, err))
        return -1;
    /* What does not parse is the end: a torn write, whatever follows it. */
    for (rest = text; rest.len && record_parse(rest, &r, &used, NULL) > 0;
         rest = str_n(rest.p + used, rest.len - used))
        if (record_is_of_task(&r))
            to->apply(to->context, &r);
    file_unmap(text);
    if (to->commit(to->context))
        return err_set(err, ERR_SYSTEM,
                       "what an earlier run left in %s could not be taken "
                       "over; the file stays",
                       path);
    if (unlink(path))
        return err_errno(err, "cannot remove %s, which has been taken over",
                         path);
    return 0;
}

/* A worker that was killed leaves the folder of its tools. */
static bool is_tools(const char *name)
{
    return str_starts(str_of(name), STR(TOOLS_PREFIX));
}

static int read_files(const struct recovery *to, const char *folder,
                      struct arena *a, struct err *err)
{
    struct err missing = {0};
    const char **names = dir_list(folder, a, &missing);
    if (!names && missing.kind == ERR_MISSING)
        return 0;
    if (!names) {
        if (err)
            *err = missing;
        return -1;
    }
    for (; *names; names++) {
        const char *path = path_join(a, folder, *names);
        if (is_tools(*names))
            dir_remove(path, NULL);
        else if (is_leaders(a, *names))
            unlink(path); /* nothing of them is left */
        else if (str_ends(str_of(*names), STR(".rec")) &&
                 read_file(to, path, err))
            return -1;
    }
    return 0;
}

int recover_here(const char *folder, const struct engine_left *left,
                 const struct recovery *to, struct err *err)
{
    if (end_processes(folder, left, to->ran, err))
        return -1;
    struct arena *a = arena_new();
    int rc = read_files(to, path_join(a, folder, LAST_WORDS), a, err);
    arena_free(a);
    return rc;
}
