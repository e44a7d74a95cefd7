/* early.c - early_terminate: which trials are ended before their end */
#include "plan/reading.h"

static const char *const types[] = {"hyperband", "asha", "median", "patience",
                                    "threshold", "time", NULL};

/* What each type takes, besides `type`. */
static const char *const hyperband_keys[] = {
    "type", "min_iter", "max_iter", "s", "eta", "strict", NULL};
static const char *const asha_keys[] = {
    "type", "min_iter", "max_iter", "eta", "brackets", "promote", NULL};
static const char *const median_keys[] = {"type", "warmup_steps",
                                          "warmup_trials", "percentile", NULL};
static const char *const patience_keys[] = {"type", "patience", "min_delta",
                                            "from", NULL};
static const char *const threshold_keys[] = {"type", "threshold", "from", NULL};
static const char *const time_keys[] = {"type", "time", NULL};

static bool get_int(struct study_file *r, const struct value *v,
                    const char *key, int64_t min, int64_t *out)
{
    const struct value *item = value_get(v, str_of(key));

    return !item ||
           read_int(&r->in, item,
                    arena_printf(r->in.arena, "early_terminate.%s", key), min,
                    (int64_t)1 << 53, out);
}

static bool get_number(struct study_file *r, const struct value *v,
                       const char *key, double *out)
{
    const struct value *item = value_get(v, str_of(key));

    return !item ||
           read_number(&r->in, item,
                       arena_printf(r->in.arena, "early_terminate.%s", key),
                       out);
}

static bool needs(struct study_file *r, const struct value *v, const char *key)
{
    if (value_get(v, str_of(key)))
        return true;
    problem_at(&r->in, PROBLEM_ERROR, v, NULL,
               "early_terminate: type %.*s needs %s",
               STRF(value_text(value_get(v, STR("type")))), key);
    return false;
}

static void read_hyperband(struct study_file *r, const struct value *v)
{
    struct early *e = &r->plan->early;
    const struct value *strict = value_get(v, STR("strict"));
    bool min = value_get(v, STR("min_iter")) != NULL;
    bool max = value_get(v, STR("max_iter")) != NULL;

    e->kind = EARLY_HYPERBAND;
    e->eta = 3;
    get_int(r, v, "min_iter", 1, &e->min_iter);
    get_int(r, v, "max_iter", 1, &e->max_iter);
    get_int(r, v, "s", 1, &e->s);
    get_int(r, v, "eta", 2, &e->eta);
    if (strict)
        read_bool(&r->in, strict, "early_terminate.strict", &e->strict);
    if (!min && !max)
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "min_iter: 3, or max_iter: 27 and s: 2",
                   "early_terminate: type hyperband needs min_iter or "
                   "max_iter");
    if (min && max)
        problem_at(&r->in, PROBLEM_WARNING, value_get(v, STR("min_iter")), NULL,
                   "early_terminate.min_iter is not used beside max_iter");
    if (max)
        needs(r, v, "s");
}

static void read_asha(struct study_file *r, const struct value *v)
{
    struct early *e = &r->plan->early;
    const struct value *promote = value_get(v, STR("promote"));

    e->kind = EARLY_ASHA;
    e->min_iter = 1;
    e->eta = 3;
    get_int(r, v, "min_iter", 1, &e->min_iter);
    get_int(r, v, "eta", 2, &e->eta);
    e->brackets = 1;
    e->promote = true;
    get_int(r, v, "brackets", 1, &e->brackets);
    if (promote)
        read_bool(&r->in, promote, "early_terminate.promote", &e->promote);
    if (needs(r, v, "max_iter"))
        get_int(r, v, "max_iter", 1, &e->max_iter);
    if (e->max_iter > 0 && e->max_iter < e->min_iter)
        problem_at(&r->in, PROBLEM_ERROR, value_get(v, STR("max_iter")), NULL,
                   "early_terminate.max_iter is below min_iter");
}

static void read_median(struct study_file *r, const struct value *v)
{
    struct early *e = &r->plan->early;

    e->kind = EARLY_MEDIAN;
    e->percentile = 50;
    e->warmup_trials = 5;
    get_int(r, v, "warmup_steps", 0, &e->warmup_steps);
    get_int(r, v, "warmup_trials", 1, &e->warmup_trials);
    get_number(r, v, "percentile", &e->percentile);
    if (!(e->percentile > 0 && e->percentile < 100))
        problem_at(&r->in, PROBLEM_ERROR, value_get(v, STR("percentile")), NULL,
                   "early_terminate.percentile must be between 0 and 100");
}

static void read_patience(struct study_file *r, const struct value *v)
{
    struct stoprule *rule = &r->plan->early.rule;

    r->plan->early.kind = EARLY_RULE;
    rule->kind = STOPRULE_PATIENCE;
    if (needs(r, v, "patience"))
        get_int(r, v, "patience", 1, &rule->patience);
    get_number(r, v, "min_delta", &rule->min_delta);
    get_int(r, v, "from", 0, &rule->from);
    if (rule->min_delta < 0)
        problem_at(&r->in, PROBLEM_ERROR, value_get(v, STR("min_delta")), NULL,
                   "early_terminate.min_delta cannot be below 0");
}

static void read_threshold(struct study_file *r, const struct value *v)
{
    struct stoprule *rule = &r->plan->early.rule;

    r->plan->early.kind = EARLY_RULE;
    rule->kind = STOPRULE_THRESHOLD;
    if (needs(r, v, "threshold"))
        get_number(r, v, "threshold", &rule->threshold);
    get_int(r, v, "from", 0, &rule->from);
}

static void read_time(struct study_file *r, const struct value *v)
{
    struct stoprule *rule = &r->plan->early.rule;

    r->plan->early.kind = EARLY_RULE;
    rule->kind = STOPRULE_TIME;
    if (needs(r, v, "time"))
        read_seconds(&r->in, value_get(v, STR("time")), "early_terminate.time",
                     &rule->seconds);
}

/* In the order of `types`. */
static const struct {
    const char *const *keys;
    void (*read)(struct study_file *r, const struct value *v);
} readers[] = {
    {hyperband_keys, read_hyperband}, {asha_keys, read_asha},
    {median_keys, read_median},       {patience_keys, read_patience},
    {threshold_keys, read_threshold}, {time_keys, read_time},
};

static const char *hint_type(struct study_file *r, const struct value *v)
{
    static const char *const names[] = {"type", NULL};

    for (size_t i = 0; i < v->count; i++)
        if (str_nearest(v->keys[i], names))
            return arena_printf(r->in.arena, "did you mean 'type' by '%s'?",
                                shown(r->in.arena, v->keys[i]));
    return "as in type: hyperband";
}

void read_early(struct study_file *r, const struct value *v)
{
    const struct value *type = value_get(v, STR("type"));
    int choice;

    if (!read_object(&r->in, v, "early_terminate"))
        return;
    if (!type) {
        problem_at(&r->in, PROBLEM_ERROR, v, hint_type(r, v),
                   "early_terminate has no type");
        return;
    }
    choice = read_choice(&r->in, type, "early_terminate.type", types);
    if (choice < 0)
        return;
    read_known_keys(&r->in, v, "early_terminate", readers[choice].keys);
    readers[choice].read(r, v);
}
