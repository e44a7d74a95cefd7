/* jobs.c - the jobs that a study has at a scheduler
 *
 * All of it stands in files (terms/job.h), so that it can be told with or
 * without a conductor; what it last heard of the scheduler is the newest that
 * there is. */
#include "study/study.h"

#include <stdlib.h>
#include "base/num.h"
#include "base/vec.h"
#include "terms/job.h"

#define STATE_MAX (64u << 20)

struct study_jobs_list {
    VEC(struct study_job) list;
};

static void read_state(struct study_jobs_list *to, const char *folder,
                       struct arena *a)
{
    struct study_job job = {.folder = folder};
    struct buf text;
    buf_init(&text);
    if (file_read(path_join(a, folder, "state"), STATE_MAX, &text, NULL) == 0) {
        struct str rest = arena_str(a, buf_str(&text)), line;
        if (str_split(&rest, '\n', &line) && job_head_parse(line, &job.head))
            while (rest.len && str_split(&rest, '\n', &line))
                if (job_line_parse(line, &job.line))
                    vec_push(&to->list, job);
    }
    buf_done(&text);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* One for each array that was submitted, oldest first. */
static const char **array_folders(const char *folder, struct arena *a,
                                  size_t *count)
{
    const char *root = path_join(a, folder, "jobs");
    const char **names = dir_list(root, a, NULL);
    VEC(uint64_t) numbers = {0};
    for (; names && *names; names++) {
        uint64_t n;
        if (num_uint(str_of(*names), &n))
            vec_push(&numbers, n);
    }
    if (numbers.len)
        qsort(numbers.p, numbers.len, sizeof *numbers.p, by_number);
    const char **list = arena_array(a, numbers.len, sizeof *list);
    for (size_t i = 0; i < numbers.len; i++)
        list[i] =
            arena_printf(a, "%s/%llu", root, (unsigned long long)numbers.p[i]);
    *count = numbers.len;
    vec_done(&numbers);
    return list;
}

struct study_job *study_jobs(const char *folder, struct arena *a, size_t *count)
{
    struct study_jobs_list found = {0};
    size_t folders;
    const char **all = array_folders(folder, a, &folders);
    for (size_t i = 0; i < folders; i++)
        read_state(&found, all[i], a);
    *count = found.list.len;
    return vec_to_arena(a, &found.list);
}

/* Of an array that may have been submitted, and nothing was heard: whoever
 * did so died meanwhile. */
static uint64_t count_unheard(const char *folder, struct arena *a)
{
    uint64_t n = 0;
    if (file_exists(path_join(a, folder, "state")))
        return 0;
    const char **names = dir_list(folder, a, NULL);
    for (; names && *names; names++)
        n += str_ends(str_of(*names), STR(".tasks"));
    return n;
}

uint64_t study_jobs_out(const char *folder, struct arena *a)
{
    size_t count, folders;
    uint64_t out = 0;
    const struct study_job *list = study_jobs(folder, a, &count);
    for (size_t i = 0; i < count; i++)
        out += list[i].line.stage != JOB_OVER;
    const char **all = array_folders(folder, a, &folders);
    for (size_t i = 0; i < folders; i++)
        out += count_unheard(all[i], a);
    return out;
}

int study_none_out(const char *folder, const char *name, struct arena *a,
                   struct err *err)
{
    struct conductor_jobs conductors;
    conductor_jobs_read(folder, &conductors);
    if (!conductors.now && !study_jobs_out(folder, a))
        return 0;
    return err_set(err, ERR_BUSY,
                   "the study %s has jobs at a scheduler; `throng kill %s` "
                   "cancels them (where that scheduler is no more, remove %s)",
                   name, name, folder);
}
