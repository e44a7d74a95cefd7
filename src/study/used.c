/* used.c - how long a trial has run, over all that it goes on from */
#include "study/used.h"

/* A failure, or who began anew, ends the row. */
static double sum_before(const struct attempt *list, size_t count,
                         const struct attempt *now)
{
    double seconds = 0;
    for (size_t i = 0; i < count && list[i].number < now->number; i++) {
        bool goes_on = list[i].outcome == OUTCOME_INTERRUPTED ||
                       list[i].outcome == OUTCOME_CHECKPOINTED ||
                       list[i].outcome == OUTCOME_LOST;
        if (goes_on && list[i].number >= now->anew)
            seconds += list[i].seconds;
        else if (list[i].outcome != OUTCOME_UNSTARTED)
            seconds = 0;
    }
    return seconds;
}

int used_before(struct store *s, const struct live *l, double *seconds,
                struct err *err)
{
    struct attempt *list;
    size_t count;
    *seconds = 0;
    if (l->a.number < 2 || l->a.anew == l->a.number)
        return 0;
    struct arena *a = arena_new();
    int failed = store_attempts(s, l->t.id, a, &list, &count, err);
    if (!failed)
        *seconds = sum_before(list, count, &l->a);
    arena_free(a);
    return failed;
}

/* What stands in the file; 0 where there is none. */
static double kept(struct store *s, const struct live *l)
{
    struct arena *a = arena_new();
    const char *folder =
        store_attempt_folder(store_folder(s), l->t.id, l->a.folder, a);
    struct buf text;
    double seconds = 0;
    buf_init(&text);
    if (file_read(path_join(a, folder, TASK_USED), TASK_USED_MAX, &text,
                  NULL) == 0)
        seconds = task_used_parse(buf_str(&text));
    buf_done(&text);
    arena_free(a);
    return seconds;
}

int used_untold(struct store *s, const struct live *l, double *seconds,
                struct err *err)
{
    double over_all = kept(s, l), before;
    *seconds = 0;
    if (over_all <= 0)
        return 0;
    if (used_before(s, l, &before, err))
        return -1;
    if (over_all > before)
        *seconds = over_all - before;
    return 0;
}
