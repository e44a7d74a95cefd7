/* bundle.c - the files of a bundle, and how its worker exits */
#include "terms/bundle.h"

#include "base/hash.h"

#define TASKS ".tasks"

char *bundle_stem(const char *tasks, struct arena *a)
{
    struct str path = str_of(tasks);
    size_t ending = sizeof TASKS - 1;
    if (path.len <= ending || !str_ends(path, STR(TASKS)))
        return NULL;
    return arena_cstr(a, str_n(path.p, path.len - ending));
}

char *bundle_tasks(const char *stem, struct arena *a)
{
    return arena_printf(a, "%s" TASKS, stem);
}

char *bundle_asked(const char *stem, struct arena *a)
{
    return arena_printf(a, "%s.asked", stem);
}

char *bundle_said(const char *stem, uint32_t start, struct arena *a)
{
    return arena_printf(a, "%s.said.%u", stem, start);
}

char *bundle_log(const char *stem, struct arena *a)
{
    return arena_printf(a, "%s.log", stem);
}

char *bundle_folder(struct str folder, const struct record *task,
                    uint32_t start, struct arena *a)
{
    size_t around = folder.len;
    while (around > 0 && folder.p[around - 1] != '/')
        around--;
    return arena_printf(a, "%.*s%llu.%ur%u", (int)around, folder.p,
                        (unsigned long long)task->task, task->attempt, start);
}

/* A file grows before its bytes are there: until then they are zeros. */
static struct str without_zeros(struct str rest)
{
    while (rest.len > 0 && !rest.p[rest.len - 1])
        rest.len--;
    return rest;
}

/* True when what makes no sense reaches to the end of what is there. What has
 * a good checksum is all there, and still makes none. */
static bool is_torn(struct str rest)
{
    struct str there = without_zeros(rest);
    struct bytes in = bytes_of(rest);
    uint32_t len = bytes_u32(&in), sum = bytes_u32(&in);
    if (there.len < 4)
        return true;
    return !in.bad && len >= 4 && len <= rest.len - 4 &&
           there.len <= 4 + (size_t)len &&
           hash32(str_n(rest.p + 8, len - 4), 0) != sum;
}

int bundle_next(struct str rest, struct record *r, size_t *used,
                struct err *err)
{
    struct err how = {0};
    int got = record_parse(rest, r, used, &how);
    if (got >= 0)
        return got;
    if (is_torn(rest))
        return 0;
    if (err)
        *err = how;
    return -1;
}

const char *worker_exit_words(int code)
{
    static const struct {
        int code;
        const char *words;
    } table[] = {
        {WORKER_EXIT_DONE, "every task has its answer"},
        {WORKER_EXIT_FAILED, "the worker failed"},
        {WORKER_EXIT_USAGE, "the worker was started with wrong options"},
        {WORKER_EXIT_DAMAGED, "the file of tasks is damaged"},
        {WORKER_EXIT_NO_TASKS, "the file of tasks cannot be read on the node"},
        {WORKER_EXIT_GRANT, "what the job was granted cannot be made out"},
        {WORKER_EXIT_TWICE, "another worker answers for this start of the job"},
        {WORKER_EXIT_UNSAID, "answers could not be written"},
        {WORKER_EXIT_AGAIN, "the job is to be begun again"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == code)
            return table[i].words;
    return NULL;
}
