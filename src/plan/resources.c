/* resources.c - what one task needs; a value may come from a parameter */
#include "base/num.h"
#include "plan/reading.h"
#include "terms/device.h"

/* Takes the text up to the next ${name} and the name; false when there is no
 * more (then *text is all of the rest). */
static bool next_reference(struct str *rest, struct str *text, struct str *name)
{
    for (size_t i = 0; i + 1 < rest->len; i++) {
        const char *close;

        if (rest->p[i] != '$' || rest->p[i + 1] != '{')
            continue;
        close = memchr(rest->p + i, '}', rest->len - i);
        if (!close)
            break;
        *text = str_n(rest->p, i);
        *name = str_n(rest->p + i + 2, (size_t)(close - rest->p) - i - 2);
        *rest = str_n(close + 1, rest->len - (size_t)(close + 1 - rest->p));
        return true;
    }
    *text = *rest;
    return false;
}

static bool refers(const struct value *v)
{
    struct str rest = value_text(v), text, name;

    return v->kind == VALUE_STRING && next_reference(&rest, &text, &name);
}

void read_resources(struct study_file *r, const struct value *v)
{
    if (!read_object(&r->in, v, "resources"))
        return;
    read_known_keys(&r->in, v, "resources", needs_keys);
    r->plan->resources = v;
    r->plan->cpus_said = value_get(v, STR("cpus")) != NULL;
    r->plan->gpus_said = value_get(v, STR("gpus")) != NULL;
}

static void check_reference(struct study_file *r, const struct value *v)
{
    struct str rest = v->s, text, name;

    while (next_reference(&rest, &text, &name))
        if (!plan_declares(r->plan, name))
            problem_at(&r->in, PROBLEM_ERROR, v,
                       hint_nearest(&r->in, name, r->param_names),
                       "resources: no parameter '%s'",
                       shown(r->in.arena, name));
}

static void tell_megabytes(struct study_file *r, const struct value *v,
                           const struct needs *n)
{
    struct buf size;

    buf_init(&size);
    num_print_bytes(&size, n->gpu_minimum_memory_bytes);
    problem_at(&r->in, PROBLEM_NOTICE, v, "write a unit, like 4G",
               "resources: gpus_minimum_memory is taken as MiB, as HTCondor "
               "means it: %s",
               size.p);
    buf_done(&size);
}

/* Unless a parameter has a word in it. */
static void check_spread(struct study_file *r, const struct needs *n)
{
    const struct value *v = r->plan->resources;
    struct err err = {0};

    for (size_t i = 0; v && i < v->count; i++)
        if (refers(v->items[i]))
            return;
    if (v && needs_spread_check(n, &err))
        problem_at(&r->in, PROBLEM_ERROR, v, NULL, "resources: %s", err.text);
}

/* A device that is a GPU, and none of them. */
static void check_device(struct study_file *r, const struct needs *n)
{
    const struct value *v = value_get(r->plan->resources, STR("gpus"));
    const struct device *d = device_find(r->plan->device, NULL);
    if (plan_runs_models(r->plan) && v && !refers(v) && n->gpus == 0 && d &&
        d->gpu)
        problem_at(&r->in, PROBLEM_ERROR, v, "leave one of them out",
                   "resources: gpus is 0, and device is %s", d->name);
}

void check_resources(struct study_file *r)
{
    const struct value *v = r->plan->resources;
    struct needs needs;

    needs_init(&needs);
    for (size_t i = 0; v && i < v->count; i++) {
        struct err err = {0};

        if (!str_among(v->keys[i], needs_keys))
            continue;
        if (refers(v->items[i]))
            check_reference(r, v->items[i]);
        else if (needs_set(&needs, v->keys[i], v->items[i], &err))
            problem_at(&r->in, PROBLEM_ERROR, v->items[i], NULL,
                       "resources: %s", err.text);
        else if (needs_in_megabytes(v->keys[i], v->items[i]))
            tell_megabytes(r, v->items[i], &needs);
    }
    check_spread(r, &needs);
    check_device(r, &needs);
}

/* The value of a member for this point. */
static const struct value *fill(const struct plan *p, const struct value *v,
                                const struct value *point, struct arena *a,
                                struct err *err)
{
    struct str rest = v->s, text, name;
    const struct value *found = NULL;
    struct buf b;

    buf_init(&b);
    while (next_reference(&rest, &text, &name)) {
        found = NULL;
        if (!command_lookup(p, point, name, &found) || !found) {
            err_set(err, ERR_INPUT, "this trial has no parameter '%.*s'",
                    STRF(name));
            goto out;
        }
        if (text.len == 0 && rest.len == 0 && b.len == 0)
            goto out;
        buf_addstr(&b, text);
        value_python_str(&b, found);
    }
    buf_addstr(&b, text);
    found = value_string(a, buf_str(&b));
out:
    buf_done(&b);
    return found;
}

/* What `env` says of it in the words of the dialect; 0: nothing. */
static double dialect_time_limit(const struct plan *p)
{
    double seconds;

    if (!plan_speaks_dialect(p))
        return 0;
    for (size_t i = 0; i < p->env_count; i++)
        if (str_is(p->env[i].name, p->dialect->time_variable) &&
            num_double(str_trim(p->env[i].value), &seconds) && seconds > 0)
            return seconds;
    return 0;
}

/* Each rank has a cpu where nothing is said. */
static void share_ranks(const struct plan *p, struct needs *n)
{
    struct spread s;

    if (!p->cpus_said && needs_spread(n, &s))
        n->cpus = s.ranks;
}

/* Somebody has named a device for models that is no GPU. */
static bool names_a_cpu(const struct plan *p)
{
    const struct device *d = device_find(p->device, NULL);

    return plan_runs_models(p) && p->device.len && !str_is(p->device, "auto") &&
           d && !d->gpu;
}

int plan_needs(const struct plan *p, const struct value *point, struct needs *n,
               struct err *err)
{
    const struct value *r = p->resources;
    struct arena *a = NULL;
    struct needs needs;
    int rc = 0;

    needs_init(&needs);
    for (size_t i = 0; r && i < r->count && rc == 0; i++) {
        const struct value *v = r->items[i];

        if (refers(v)) {
            if (!a)
                a = arena_new();
            v = fill(p, v, point, a, err);
        }
        if (!v || needs_set(&needs, r->keys[i], v, err))
            rc = err_wrap(err, "resources");
    }
    arena_free(a);
    if (rc == 0 && needs_spread_check(&needs, err))
        rc = err_wrap(err, "resources");
    share_ranks(p, &needs);
    if (names_a_cpu(p))
        needs.gpus = 0;
    if (needs.time_s <= 0)
        needs.time_s = dialect_time_limit(p);
    if (rc == 0)
        *n = needs;
    return rc;
}
