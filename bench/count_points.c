/* count_points.c - how many points of a metric a store holds
 *
 *     count_points FOLDER METRIC
 *
 * Prints, for every trial, its number and how many steps of the metric it
 * has, from the points themselves and not from any counter. */
#include <stdio.h>
#include "store/store.h"

static int count_all(struct store *s, const char *metric, struct err *err)
{
    struct arena *a = arena_new();
    int rc = 0;
    for (int64_t id = 1; !rc && id <= store_last_trial(s); id++) {
        struct series series;
        arena_reset(a);
        rc = store_series(s, id, metric, a, &series, err);
        if (!rc)
            printf("%lld %zu\n", (long long)id, series.count);
    }
    arena_free(a);
    return rc;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    if (argc != 3) {
        fputs("usage: count_points FOLDER METRIC\n", stderr);
        return 2;
    }
    struct store *s = store_open(argv[1], false, &err);
    int rc = s ? count_all(s, argv[2], &err) : -1;
    if (rc)
        fprintf(stderr, "count_points: %s\n", err.text);
    store_close(s);
    return rc ? 1 : 0;
}
