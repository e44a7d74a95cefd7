/* measure.c - what tasks of a study took */
#include <math.h>
#include "study/study.h"

#define LOOKED_AT 1000 /* trials of a store, at most */

static uint64_t output_bytes(struct store *store, int64_t trial,
                             struct arena *a)
{
    const char *folder = store_folder(store);
    struct packs *packs = packs_open(folder);
    struct packed *list;
    size_t count = 0;
    uint64_t bytes =
        dir_bytes(path_join(a, store_trial_folder(store, trial, a), "output"));
    packs_list(packs, trial, a, &list, &count, NULL);
    for (size_t i = 0; i < count; i++)
        bytes += strcmp(list[i].name, "log") ? list[i].bytes : 0;
    packs_close(packs);
    return bytes;
}

static int add_trial(struct store *store, const struct trial *t,
                     struct arena *a, struct measure *m, double *cpu,
                     struct err *err)
{
    struct attempt *list;
    size_t count;
    if (store_attempts(store, t->id, a, &list, &count, err))
        return -1;
    if (!count || t->seconds <= 0)
        return 0;
    const struct attempt *last = &list[count - 1];
    uint64_t bytes = output_bytes(store, t->id, a);
    m->tasks++;
    m->seconds += t->seconds;
    m->seconds_max = fmax(m->seconds_max, t->seconds);
    *cpu += last->cpu_seconds;
    if (last->max_rss_bytes > m->rss_bytes)
        m->rss_bytes = last->max_rss_bytes;
    if (bytes > m->output_bytes)
        m->output_bytes = bytes;
    return 0;
}

int measure_store(struct store *store, struct measure *m, struct err *err)
{
    struct query q = {.selector = "done", .limit = LOOKED_AT};
    struct rows *rows = store_rows(store, &q, err);
    struct arena *a = arena_new();
    struct trial t;
    double cpu = 0;
    int got = -1;
    *m = (struct measure){0};
    while (rows && (got = rows_next(rows, &t, err)) > 0) {
        arena_reset(a);
        if (add_trial(store, &t, a, m, &cpu, err)) {
            got = -1;
            break;
        }
    }
    rows_close(rows);
    arena_free(a);
    if (m->tasks) {
        m->cpus = cpu / m->seconds;
        m->seconds /= (double)m->tasks;
    }
    return got;
}
