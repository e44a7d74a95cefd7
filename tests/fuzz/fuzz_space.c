/* fuzz_space.c - any bytes as the file of a search space
 *
 * The first byte chooses the file's name, and so how it is looked at. A space
 * that is taken must give points, and be read again from its text form. */
#include "base/json.h"
#include "candle/candle.h"
#include "plan/plan.h"
#include "search/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"space.json", "space.R", "space.py",
                                    "space.txt"};

struct file {
    struct str text;
};

static int read_file(void *context, const char *path, struct str *text,
                     struct err *err)
{
    (void)path;
    (void)err;
    *text = ((struct file *)context)->text;
    return 0;
}

static void check_space(struct arena *a, const struct plan *p)
{
    struct space again;
    struct rng rng;

    require(!space_from_value(&again, space_to_value(&p->space, a), a, NULL));
    require(again.count == p->space.count);
    rng_init(&rng, 1, 1, "point");
    require(space_sample(&p->space, &rng, a) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new();
    struct file file = {str_n((const char *)data + 1, size ? size - 1 : 0)};
    struct plan_reader reader = {.files = {&file, read_file},
                                 .dialect = &candle_dialect,
                                 .methods = search_methods};
    struct problems problems;
    struct plan *p;
    struct buf b;

    if (size == 0) {
        arena_free(a);
        return 0;
    }
    problems_init(&problems, a);
    buf_init(&b);
    buf_addf(&b, "command: [echo]\nparameters_file: %s\n",
             names[data[0] % (sizeof(names) / sizeof(names[0]))]);
    p = plan_read(buf_str(&b), "study.yaml", &reader, a, &problems);
    require((p == NULL) == (problems.errors > 0));
    if (p && p->space_file)
        check_space(a, p);
    buf_reset(&b);
    problems_print(&b, &problems);
    plan_close(p);
    buf_done(&b);
    arena_free(a);
    return 0;
}
