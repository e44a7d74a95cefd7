/* ablation.c - what a study of method ablate compares */
#include "terms/ablation.h"
#include "view/view.h"

/* "lr=0.1,opt=sgd"; a text stands in quotes, so that it stays one. */
static void add_assignment(struct buf *b, struct str name,
                           const struct value *v, bool quoted)
{
    buf_addf(b, "%s%.*s=", b->len ? "," : "", STRF(name));
    if (quoted && v->kind == VALUE_STRING)
        buf_addf(b, "'%.*s'", STRF(v->s));
    else
        point_cell(b, v);
}

static const char *assignment(struct arena *a, struct str name,
                              const struct value *v, bool quoted)
{
    struct buf b;
    buf_init(&b);
    add_assignment(&b, name, v, quoted);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *whole_baseline(const struct ablation *b, struct arena *a)
{
    const struct value *base = ablation_baseline(b);
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < base->count; i++)
        add_assignment(&text, base->keys[i], base->items[i], true);
    const char *all = arena_cstr(a, buf_str(&text));
    buf_done(&text);
    return all;
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
    arms[0] = whole_baseline(b, a);
    names[0] = "baseline";
    for (size_t i = 1; i < count; i++) {
        const struct value *v;
        struct str name = ablation_change(b, i - 1, &v);
        arms[i] = assignment(a, name, v, true);
        names[i] = assignment(a, name, v, false);
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
