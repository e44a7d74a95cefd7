/* ablation.c - what a study of method ablate compares */
#include "base/json.h"
#include "terms/ablation.h"
#include "view/view.h"

/* "opt=sgd", for a person. */
static const char *name_of(struct arena *a, struct str name,
                           const struct value *v)
{
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "%.*s=", STRF(name));
    point_cell(&b, v);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Whatever a text of it has in it, it stays one. */
static const char *as_json(struct arena *a, const struct value *v)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, v);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* All that the baseline leaves free, and the repeats. */
static const char *rest_of(const struct ablation *b, const struct plan *plan,
                           struct arena *a)
{
    const struct space *rest = ablation_rest(b);
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < rest->count; i++)
        if (rest->params[i].dist != DIST_CONSTANT)
            buf_addf(&text, "%s%.*s", text.len ? "," : "",
                     STRF(rest->params[i].name));
    if (plan->repeat > 1)
        buf_adds(&text, text.len ? ",seed" : "seed");
    const char *over = text.len ? arena_cstr(a, buf_str(&text)) : NULL;
    buf_done(&text);
    return over;
}

static void take_arms(struct compare_asked *asked, const struct ablation *b,
                      struct arena *a)
{
    size_t count = ablation_changes(b) + 1;
    const char **arms = arena_array(a, count, sizeof(*arms));
    const char **names = arena_array(a, count, sizeof(*names));
    arms[0] = as_json(a, ablation_baseline(b));
    names[0] = "baseline";
    for (size_t i = 1; i < count; i++) {
        const struct value *v;
        struct str name = ablation_change(b, i - 1, &v);
        struct value *one = value_object(a);
        value_set(a, one, name, value_copy(a, v));
        arms[i] = as_json(a, one);
        names[i] = name_of(a, name, v);
    }
    asked->paired.arms = arms;
    asked->paired.names = names;
    asked->paired.arm_count = count;
    asked->against_first = true;
}

int compare_ablation(struct compare_asked *asked, const struct plan *plan,
                     struct arena *a, struct err *err)
{
    const struct value *baseline =
        value_get(plan->method_options, STR("baseline"));
    if (!str_is(plan->method, "ablate") || asked->paired.arm_count)
        return 0;
    struct ablation *b = ablation_new(&plan->space, baseline, err);
    if (!b)
        return -1;
    take_arms(asked, b, a);
    if (!asked->paired.over)
        asked->paired.over = rest_of(b, plan, a);
    ablation_free(b);
    if (!asked->paired.over)
        return err_set(err, ERR_INPUT,
                       "each change ran once: there is nothing to compare it "
                       "over; add a parameter such as seed: {values: [1, 2, "
                       "3]} that the baseline does not name, or repeat");
    return 0;
}
