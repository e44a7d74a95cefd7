/* measure.c - what tasks of a study took */
#include <math.h>
#include "study/study.h"

#define LOOKED_AT 1000 /* trials of a store, at most */

struct kept {
    uint64_t outputs; /* what a person wants of it */
    uint64_t all;     /* with its checkpoint, its log and the rest */
};

static struct kept kept_bytes(struct store *store, int64_t trial,
                              struct arena *a)
{
    const char *folder = store_trial_folder(store, trial, a);
    struct packs *packs = packs_open(store_folder(store));
    struct packed *list;
    size_t count = 0;
    struct kept kept = {dir_bytes(path_join(a, folder, "output")),
                        dir_bytes(folder)};
    packs_list(packs, trial, a, &list, &count, NULL);
    for (size_t i = 0; i < count; i++) {
        kept.outputs += strcmp(list[i].name, "log") ? list[i].bytes : 0;
        kept.all += list[i].bytes;
    }
    packs_close(packs);
    return kept;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
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
    struct kept kept = kept_bytes(store, t->id, a);
    m->tasks++;
    m->seconds += t->seconds;
    m->seconds_max = fmax(m->seconds_max, t->seconds);
    *cpu += last->cpu_seconds;
    m->rss_bytes = larger(m->rss_bytes, last->max_rss_bytes);
    m->output_bytes = larger(m->output_bytes, kept.outputs);
    m->disk_bytes = larger(m->disk_bytes, kept.all);
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
