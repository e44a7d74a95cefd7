/* change.c - what a request does to trials
 *
 * Each verb works on a stored trial when no conductor runs, and on a live one
 * when there is: then the conductor's memory must follow the store. Trials
 * that are made here are no suggestions of the strategy (added.h). */
#include "study/change.h"

#include <math.h>
#include <stdio.h>
#include "base/json.h"
#include "base/num.h"
#include "study/selected.h"

typedef int change_fn(struct change *c, const struct trial *t, struct err *err);

static struct live *live_of(const struct change *c, int64_t trial)
{
    return c->study ? run_live(&c->study->run, trial) : NULL;
}

/* ---- ending ----------------------------------------------------------- */

static int end_stored(struct change *c, const struct trial *t, enum state state,
                      struct err *err)
{
    struct trial ended = *t;
    if (state_final(t->state))
        return 0;
    ended.state = state;
    ended.ended = clock_wall();
    ended.reason = STR("by request");
    c->changed++;
    if (store_wish_set(c->store, t->id, WISH_NONE, err))
        return -1;
    return store_trial_update(c->store, &ended, err);
}

static int end_trial(struct change *c, const struct trial *t, enum wish wish,
                     struct err *err)
{
    struct live *l = live_of(c, t->id);
    /* One that waits at a rung is known to the store alone. */
    if (!l && c->study && t->state == STATE_PAUSED) {
        if (run_take_in(&c->study->run, t, true, STATE_PAUSED, err))
            return -1;
        l = live_of(c, t->id);
    }
    if (!l)
        return end_stored(
            c, t, wish == WISH_KILL ? STATE_KILLED : STATE_STOPPED, err);
    c->changed++;
    return attempt_wish(&c->study->run, l, wish, err);
}

static int do_stop(struct change *c, const struct trial *t, struct err *err)
{
    return end_trial(c, t, WISH_STOP, err);
}

static int do_kill(struct change *c, const struct trial *t, struct err *err)
{
    return end_trial(c, t, WISH_KILL, err);
}

/* ---- words ------------------------------------------------------------ */

static int do_tag(struct change *c, const struct trial *t, struct err *err)
{
    const struct value *off = value_get(c->args, STR("remove"));
    c->changed++;
    return store_trial_tag(
        c->store, t->id, value_text(value_get(c->args, STR("tag"))),
        !(off && off->kind == VALUE_BOOL && off->boolean), err);
}

static int do_note(struct change *c, const struct trial *t, struct err *err)
{
    c->changed++;
    return store_trial_note(c->store, t->id,
                            value_text(value_get(c->args, STR("text"))), err);
}

/* ---- again ------------------------------------------------------------ */

static int do_retry(struct change *c, const struct trial *t, struct err *err)
{
    struct trial again = *t;
    if (!state_bad(t->state))
        return 0;
    again.state = STATE_WAITING;
    again.failures = 0;
    again.ended = 0;
    again.value = NAN;
    again.reason = STR("");
    c->changed++;
    if (store_trial_update(c->store, &again, err))
        return -1;
    if (!c->study)
        return 0;
    return run_take_in(&c->study->run, &again, true, t->state, err);
}

/* ---- new trials ------------------------------------------------------- */

static int64_t times_of(const struct change *c)
{
    const struct value *v = value_get(c->args, STR("times"));
    return v && v->kind == VALUE_INT && v->i > 0 ? v->i : 1;
}

int change_total(struct store *store, int64_t by, struct err *err)
{
    struct arena *a = arena_new();
    struct str text;
    int64_t total;
    char now[32];
    int rc = store_fact(store, "total", a, &text, err);
    if (!rc && text.p && num_int(text, &total) && total >= 0) {
        snprintf(now, sizeof(now), "%lld", (long long)(total + by));
        rc = store_fact_set(store, "total", str_of(now), err);
    }
    arena_free(a);
    return rc;
}

#define GROUP_OWN INT64_MIN

/* Adds one trial. A group of its own gets the trial's number, below zero:
 * the strategy's groups are from zero up. */
static int add_trial(struct change *c, struct added *added, struct str point,
                     int64_t *group, uint32_t member, struct err *err)
{
    int64_t id =
        c->study ? c->study->run.next_id : last_trial_ever(c->store) + 1;
    if (*group == GROUP_OWN)
        *group = -id;
    struct trial t = {
        .id = id,
        .state = STATE_WAITING,
        .point = point,
        .run_id = STR(""),
        .value = NAN,
        .parent = -1,
        .parent_step = -1,
        .group = *group,
        .member = member,
        .created = clock_wall(),
    };
    if (store_trial_add(c->store, &t, err))
        return -1;
    added_take(added, id);
    c->changed++;
    return c->study ? run_take_in(&c->study->run, &t, false, STATE_WAITING, err)
                    : 0;
}

/* As many trials of a point as are asked for, in one repeat group. */
static int add_point(struct change *c, struct str point, int64_t group,
                     struct err *err)
{
    struct added own = {0};
    struct added *added = c->study ? &c->study->added : &own;
    int64_t times = times_of(c);
    int rc = c->study ? 0 : added_read(added, c->store, err);
    for (int64_t i = 0; !rc && i < times; i++)
        rc = add_trial(c, added, point, &group, (uint32_t)i, err);
    if (!rc)
        rc = added_write(added, c->store, err);
    if (!rc)
        rc = change_total(c->store, times, err);
    added_done(&own);
    return rc;
}

static int do_rerun(struct change *c, const struct trial *t, struct err *err)
{
    return add_point(c, t->point, t->group, err);
}

static int add_points(struct change *c, struct err *err)
{
    const struct value *points = value_get(c->args, STR("points"));
    struct buf b;
    int rc = 0;
    if (!points || points->kind != VALUE_LIST)
        return err_set(err, ERR_INPUT, "it brings no points");
    buf_init(&b);
    for (size_t i = 0; !rc && i < points->count; i++) {
        if (points->items[i]->kind != VALUE_OBJECT) {
            rc = err_set(err, ERR_INPUT, "a point is no object");
            break;
        }
        buf_reset(&b);
        json_print_sorted(&b, points->items[i]);
        rc = add_point(c, buf_str(&b), GROUP_OWN, err);
    }
    buf_done(&b);
    return rc;
}

/* ---- applying --------------------------------------------------------- */

static const struct {
    const char *verb;
    change_fn *change;
} verbs[] = {
    {"stop", do_stop}, {"kill", do_kill},   {"tag", do_tag},
    {"note", do_note}, {"retry", do_retry}, {"rerun", do_rerun},
};

struct verb_on {
    struct change *change;
    change_fn *fn;
};

static int change_one(void *context, const struct trial *t, struct err *err)
{
    struct verb_on *v = context;
    return v->fn(v->change, t, err);
}

int change_apply(struct change *c, const char *verb, const char *selector,
                 struct err *err)
{
    if (!strcmp(verb, "add"))
        return add_points(c, err);
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        struct verb_on on = {c, verbs[i].change};
        if (!strcmp(verbs[i].verb, verb))
            return selected_each(c->store, selector, change_one, &on, err);
    }
    return err_set(err, ERR_INPUT, "there is no request `%s`", verb);
}
