/* fuzz_points.c - any bytes as a list of points
 *
 * The first byte says the kind of list. A list that was taken must give its
 * points, first to last and last to first. */
#include "plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"p.jsonl", "p.csv", "p.json", "p"};
    struct arena *a = arena_new();
    struct problems problems;
    struct plan_points *p;
    struct value *point;
    struct str run_id;
    uint64_t count;

    problems_init(&problems, a);
    if (size > 0) {
        p = plan_points_text(str_n((const char *)data + 1, size - 1),
                             names[data[0] & 3], a, &problems);
        require((p == NULL) == (problems.errors > 0));
        count = p ? plan_points_count(p) : 0;
        for (uint64_t i = 0; i < count; i++)
            plan_points_get(p, i, a, &point, &run_id, NULL);
        for (uint64_t i = count; i > 0; i--)
            plan_points_get(p, i - 1, a, &point, &run_id, NULL);
        plan_points_close(p);
    }
    arena_free(a);
    return 0;
}
