/* fuzz_campaign.c - any bytes as a campaign file
 *
 * What is read has its stages in order, and can be filled in and read again. */
#include "candle/candle.h"
#include "plan/plan.h"

#include "base/json.h"
#include "search/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every file that a campaign names is the same small study. */
static int read_any(void *context, const char *path, struct str *text,
                    struct err *err)
{
    (void)context;
    if (path[0] == 'n')
        return err_set(err, ERR_MISSING, "cannot read %s", path);
    *text = STR("parameters: {a: {values: [1, 2]}}\ncommand: x {a}\n"
                "metric: {name: loss}\nmethod: grid\n");
    return 0;
}

static struct value *any_value(void *context, size_t stage, struct str name,
                               struct err *err)
{
    (void)stage;
    if (name.len && name.p[0] == 'n') {
        err_set(err, ERR_INPUT, "there is none");
        return NULL;
    }
    return value_string(context, name);
}

static void use(const struct plan_campaign *c, const struct plan_stage *s,
                const struct plan_reader *reader, struct arena *a)
{
    struct problems problems;
    struct err err = {0};
    struct value *study;
    struct buf b;

    for (size_t i = 0; i < s->need_count; i++)
        require(&c->stages[s->needs[i]] < s);
    buf_init(&b);
    for (size_t i = 0; i < s->when_count; i++)
        plan_condition_print(&b, c, &s->when[i]);
    buf_done(&b);
    if (!s->study)
        return;
    study = plan_stage_fill(c, s, any_value, a, NULL, a, &err);
    problems_init(&problems, a);
    if (study)
        plan_close(plan_stage_read(c, s, study, reader, a, &problems));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plan_reader reader = {.files = {.read = read_any},
                                 .dialect = &candle_dialect,
                                 .methods = search_methods};
    struct arena *a = arena_new();
    struct problems problems;
    struct plan_campaign *c;
    struct buf b;

    problems_init(&problems, a);
    c = plan_campaign_read(str_n((const char *)data, size), "fuzz.yaml",
                           &reader, a, &problems);
    require((c == NULL) == (problems.errors > 0));
    buf_init(&b);
    problems_print(&b, &problems);
    buf_done(&b);
    for (size_t i = 0; c && i < c->stage_count; i++)
        use(c, &c->stages[i], &reader, a);
    plan_campaign_close(c);
    arena_free(a);
    return 0;
}
