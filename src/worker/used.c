/* used.c - how long a trial has run, over all that it goes on from */
#include "worker/used.h"

#include <unistd.h>
#include "sys/sys.h"
#include "worker/attempt.h"
#include "worker/worker.h"

#define KEEP_NS (60 * 1000000000ll)

static bool is_limited(const struct attempt *a)
{
    return a->task.needs.time_s > 0 || a->task.rule.kind == STOPRULE_TIME;
}

static bool has_checkpoint(const char *folder, struct arena *a)
{
    const char **names = dir_list(path_join(a, folder, "checkpoint"), a, NULL);
    return names && *names;
}

/* The folder that it runs in, or begins as a copy of. */
static const char *stands_in(const struct attempt *a)
{
    const char *own = arena_cstr(a->arena, a->task.folder);
    bool copies = a->task.copy_of.len && !file_is_dir(own);
    return copies ? arena_cstr(a->arena, a->task.copy_of) : own;
}

void used_begin(struct attempt *a)
{
    struct buf text;
    a->used_s = 0;
    if (!is_limited(a))
        return;
    const char *folder = stands_in(a);
    bool goes_on = has_checkpoint(folder, a->arena);
    buf_init(&text);
    if (goes_on && file_read(path_join(a->arena, folder, TASK_USED),
                             TASK_USED_MAX, &text, NULL) == 0)
        a->used_s = task_used_parse(buf_str(&text));
    buf_done(&text);
    if (!goes_on) /* nor does what an earlier one used count for later ones */
        unlink(path_join(a->arena, arena_cstr(a->arena, a->task.folder),
                         TASK_USED));
    a->used_ns = clock_mono_ns() + KEEP_NS;
}

/* What cannot be written costs the trial nothing: it has more time. */
static void keep(const struct attempt *a, double seconds)
{
    struct arena *arena = arena_new();
    const char *folder = arena_cstr(arena, a->task.folder);
    struct buf text;
    buf_init(&text);
    buf_addf(&text, "%.6f\n", a->used_s + seconds);
    if (file_is_dir(folder))
        file_write(path_join(arena, folder, TASK_USED), buf_str(&text), false,
                   NULL);
    buf_done(&text);
    arena_free(arena);
}

void used_look(struct attempt *a, int64_t now_ns)
{
    if (!is_limited(a) || now_ns < a->used_ns)
        return;
    a->used_ns = now_ns + KEEP_NS;
    keep(a, (double)(now_ns - a->started_ns) * 1e-9);
}

/* One that was never begun has used nothing more. */
void used_end(struct attempt *a, enum outcome outcome)
{
    if (!is_limited(a) || outcome == OUTCOME_UNSTARTED)
        return;
    if (outcome == OUTCOME_INTERRUPTED || outcome == OUTCOME_CHECKPOINTED ||
        outcome == OUTCOME_LOST)
        keep(a, a->ran_s);
    else
        unlink(path_join(a->arena, arena_cstr(a->arena, a->task.folder),
                         TASK_USED));
}

int64_t used_up_ns(const struct attempt *a, double seconds)
{
    int64_t at = a->started_ns + (int64_t)((seconds - a->used_s) * 1e9);
    return at > 0 ? at : 1; /* 0 is no limit */
}
