/* fuzz_study.c - any bytes as a study file
 *
 * What is read must also lead to points, arguments, needs and an identity
 * that equals itself. */
#include "candle/candle.h"
#include "plan/plan.h"

#include "base/json.h"
#include "search/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every file that a study names holds the same small list. */
static int read_any(void *context, const char *path, struct str *text,
                    struct err *err)
{
    (void)context;
    if (path[0] == 'n')
        return err_set(err, ERR_MISSING, "cannot read %s", path);
    *text = STR("a,b\n1,x\n2,y\n");
    return 0;
}

static struct value *any_point(const struct plan *p, struct arena *a)
{
    struct value *point = NULL;
    struct str run_id;
    struct rng rng;

    if (p->points) {
        plan_points_get(p->points, plan_points_count(p->points) - 1, a, &point,
                        &run_id, NULL);
        return point;
    }
    rng_init(&rng, p->seed, 1, "fuzz");
    return space_sample(&p->space, &rng, a);
}

static void use_point(const struct plan *p, const struct value *point,
                      struct arena *a)
{
    const struct task_file *files;
    const struct arg *argv;
    struct needs needs;
    size_t count;
    struct buf b;

    buf_init(&b);
    if (plan_command(p, point, a, &argv, &count, NULL) == 0) {
        plan_print_command(&b, p, argv, count, true);
        plan_print_command(&b, p, argv, count, false);
    }
    plan_needs(p, point, &needs, NULL);
    plan_files(p, point, a, &files, &count, NULL);
    buf_done(&b);
}

static void check_identity(const struct plan *p)
{
    struct buf now, again, diff;

    buf_init(&now);
    buf_init(&again);
    buf_init(&diff);
    plan_identity(&now, p);
    plan_identity_as(&again, p, buf_str(&now));
    plan_identity_diff(&diff, NULL, buf_str(&now), buf_str(&again));
    require(diff.len == 0);
    buf_done(&now);
    buf_done(&again);
    buf_done(&diff);
}

/* What is stored without its secrets can be read again. */
static void check_redacted(const struct plan *p, struct arena *a)
{
    struct problems problems;
    struct buf b;

    buf_init(&b);
    plan_redact(&b, p, p->text);
    buf_reset(&b);
    plan_redact_study(&b, p);
    problems_init(&problems, a);
    require(plan_yaml(buf_str(&b), "redacted", a, &problems));
    buf_reset(&b);
    plan_identity(&b, p);
    require(json_parse(a, buf_str(&b), "identity", true, NULL));
    buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plan_reader reader = {.files = {.read = read_any},
                                 .dialect = &candle_dialect,
                                 .methods = search_methods};
    struct arena *a = arena_new();
    struct problems problems;
    struct value *point;
    struct plan *p;
    struct buf b;

    problems_init(&problems, a);
    p = plan_read(str_n((const char *)data, size), "fuzz.yaml", &reader, a,
                  &problems);
    require((p == NULL) == (problems.errors > 0));
    buf_init(&b);
    problems_print(&b, &problems);
    buf_done(&b);
    if (p) {
        point = any_point(p, a);
        if (point)
            use_point(p, point, a);
        check_identity(p);
        check_redacted(p, a);
    }
    plan_close(p);
    arena_free(a);
    return 0;
}
