/* goal.c - what a study wants of its trials: objectives, and bounds to keep */
#include "terms/goal.h"

#include <math.h>
#include <strings.h>
#include "base/chars.h"
#include "base/json.h"
#include "base/num.h"

/* ---- which way is better ------------------------------------------------ */

/* The last word of a metric's name that is one of these says it. */
static const struct {
    const char *name;
    bool falls;
} words[] = {
    {"loss", true},      {"error", true},      {"err", true},
    {"mse", true},       {"rmse", true},       {"mae", true},
    {"mape", true},      {"nll", true},        {"perplexity", true},
    {"wer", true},       {"cer", true},        {"logloss", true},
    {"accuracy", false}, {"acc", false},       {"auc", false},
    {"auroc", false},    {"f1", false},        {"r2", false},
    {"top", false},      {"top1", false},      {"top5", false},
    {"recall", false},   {"precision", false}, {"iou", false},
    {"miou", false},     {"mcc", false},       {"kappa", false},
    {"bleu", false},     {"rouge", false},     {"psnr", false},
    {"ssim", false},     {"reward", false},    {"seconds", true},
    {"memory", true},    {"latency", true},
};

/* 1: it falls; 0: it grows; -1: the word does not say. */
static int word_falls(struct str word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (word.len == strlen(words[i].name) &&
            !strncasecmp(word.p, words[i].name, word.len))
            return words[i].falls;
    return -1;
}

/* What something is divided by says nothing of it: images_per_seconds. */
static bool is_cost(struct str word)
{
    static const char *const costs[] = {"seconds", "memory", "latency", NULL};
    return str_among(word, costs);
}

static bool in_word(char c)
{
    return is_digit(c) || is_letter(c);
}

static int name_falls(struct str name)
{
    int falls = -1;
    bool divided = false;
    for (size_t i = 0; i < name.len; i++) {
        size_t from = i;
        while (i < name.len && in_word(name.p[i]))
            i++;
        struct str word = str_n(name.p + from, i - from);
        int said = word_falls(word);
        if (str_is(word, "neg") || str_is(word, "negative"))
            return -1;
        divided |= str_is(word, "per");
        if (said >= 0 && !(divided && is_cost(word)))
            falls = said;
    }
    return falls;
}

bool goal_has_fronts(const struct goal *g)
{
    return g->objective_count > 1 || (g->objective_count && g->bound_count);
}

bool goal_minimizes(const struct goal *g, struct str metric)
{
    for (size_t i = 0; i < g->objective_count; i++)
        if (str_eq(g->objectives[i].name, metric))
            return g->objectives[i].minimize;
    int falls = name_falls(metric);
    if (falls >= 0)
        return falls;
    return !g->objective_count || g->objectives[0].minimize;
}

/* ---- values ------------------------------------------------------------- */

static double last_of(const struct value *summary, struct str name)
{
    return value_number(value_get(value_get(summary, name), STR("last")));
}

void goal_values(const struct goal *g, const struct value *summary,
                 double *values)
{
    for (size_t i = 0; i < g->objective_count; i++) {
        const struct objective *o = &g->objectives[i];
        struct str best = o->minimize ? STR("min") : STR("max");
        values[i] = value_number(value_get(value_get(summary, o->name),
                                           g->pick_best ? best : STR("last")));
        if (!isfinite(values[i]))
            values[i] = NAN;
    }
}

double goal_broken(const struct goal *g, const struct value *summary,
                   double *each)
{
    double sum = 0;
    for (size_t i = 0; i < g->bound_count; i++) {
        const struct bound *b = &g->bounds[i];
        double v = last_of(summary, b->name);
        double by = b->is_max ? v - b->limit : b->limit - v;
        if (isnan(by))
            by = INFINITY;
        if (by > 0)
            sum += by;
        if (each)
            each[i] = by;
    }
    return sum;
}

void goal_broken_print(struct buf *b, const struct goal *g,
                       const struct value *summary)
{
    for (size_t i = 0; i < g->bound_count; i++) {
        const struct bound *k = &g->bounds[i];
        struct goal one = {.bounds = k, .bound_count = 1};
        double v = last_of(summary, k->name);
        if (goal_broken(&one, summary, NULL) <= 0)
            continue;
        if (isnan(v)) {
            bool there = value_get(summary, k->name) != NULL;
            buf_addf(b, "%.*s, which has a bound, %s", STRF(k->name),
                     there ? "is not a number" : "was not reported");
            return;
        }
        buf_addf(b, "%.*s is ", STRF(k->name));
        num_print_short(b, v, 6);
        buf_adds(b, k->is_max ? ", above its max " : ", below its min ");
        num_print_short(b, k->limit, 6);
        return;
    }
}

/* ---- text ------------------------------------------------------------- */

void goal_print(struct buf *b, const struct goal *g)
{
    buf_adds(b, "{\"objectives\":[");
    for (size_t i = 0; i < g->objective_count; i++) {
        buf_adds(b, i ? ",{\"name\":" : "{\"name\":");
        json_string(b, g->objectives[i].name);
        buf_addf(b, ",\"goal\":\"%s\"}",
                 g->objectives[i].minimize ? "minimize" : "maximize");
    }
    buf_addf(b, "],\"pick\":\"%s\",\"bounds\":[",
             g->pick_best ? "best" : "last");
    for (size_t i = 0; i < g->bound_count; i++) {
        buf_adds(b, i ? ",{\"name\":" : "{\"name\":");
        json_string(b, g->bounds[i].name);
        buf_addf(b, ",\"%s\":", g->bounds[i].is_max ? "max" : "min");
        json_number(b, g->bounds[i].limit);
        buf_addc(b, '}');
    }
    buf_adds(b, "]}");
}

static void read_objectives(struct goal *g, const struct value *v,
                            struct arena *a)
{
    size_t count = v && v->kind == VALUE_LIST ? v->count : 0;
    struct objective *list = arena_array(a, count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++) {
        list[i].name = value_text(value_get(v->items[i], STR("name")));
        list[i].minimize = !str_is(
            value_text(value_get(v->items[i], STR("goal"))), "maximize");
    }
    g->objectives = list;
    g->objective_count = count;
}

static void read_bounds(struct goal *g, const struct value *v, struct arena *a)
{
    size_t count = v && v->kind == VALUE_LIST ? v->count : 0;
    struct bound *list = arena_array(a, count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++) {
        const struct value *max = value_get(v->items[i], STR("max"));
        list[i].name = value_text(value_get(v->items[i], STR("name")));
        list[i].is_max = max != NULL;
        list[i].limit =
            value_number(max ? max : value_get(v->items[i], STR("min")));
    }
    g->bounds = list;
    g->bound_count = count;
}

int goal_read(struct goal *g, struct str text, struct arena *a, struct err *err)
{
    const struct value *v = json_parse(a, text, "goal", true, err);
    if (!v)
        return -1;
    read_objectives(g, value_get(v, STR("objectives")), a);
    read_bounds(g, value_get(v, STR("bounds")), a);
    g->pick_best = str_is(value_text(value_get(v, STR("pick"))), "best");
    return 0;
}
