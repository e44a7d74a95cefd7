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
typedef int check_fn(struct change *c, struct err *err);

#define ADD_MAX 10000000           /* new trials of one request */
#define POINTS_FILE_MAX (1u << 30) /* bytes */

static struct live *live_of(const struct change *c, int64_t trial)
{
    return c->study ? run_live(&c->study->run, trial) : NULL;
}

/* ---- ending ----------------------------------------------------------- */

/* A stopped trial counts with what it had reported, as one that a conductor
 * stops does (on_good_end in attempt.c). */
static int take_value(struct change *c, struct trial *t, struct arena *a,
                      struct err *err)
{
    struct str text;
    struct goal g = {0};
    struct buf broken;
    if (store_fact(c->store, "goals", a, &text, err) ||
        (text.len && goal_read(&g, text, a, err)))
        return -1;
    if (g.objective_count == 0 || t->summary.len == 0)
        return 0;
    const struct value *summary =
        json_parse(a, t->summary, "summary", true, NULL);
    double *values = arena_array(a, g.objective_count, sizeof(*values));
    if (!summary)
        return 0;
    goal_values(&g, summary, values);
    t->value = isfinite(values[0]) ? values[0] : NAN;
    buf_init(&broken);
    goal_broken_print(&broken, &g, summary);
    if (broken.len) {
        t->value = NAN;
        t->reason = str_of(arena_printf(a, "%.*s; a constraint is broken: %s",
                                        STRF(t->reason), broken.p));
    }
    buf_done(&broken);
    return 0;
}

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
    struct arena *a = arena_new();
    int rc = store_wish_set(c->store, t->id, WISH_NONE, err);
    if (!rc && state == STATE_STOPPED)
        rc = take_value(c, &ended, a, err);
    if (!rc)
        rc = store_trial_update(c->store, &ended, err);
    arena_free(a);
    return rc;
}

/* Its attempt was out when the conductor died, or has left what nobody has
 * read. The next run takes in what that handed in, ends what is left of it, and
 * then ends the trial. */
static int wish_stored(struct change *c, const struct trial *t, enum wish wish,
                       struct err *err)
{
    c->wished++;
    return store_wish_set(c->store, t->id, wish, err);
}

static int left_unread(struct change *c, const struct trial *t, bool *unread,
                       struct err *err)
{
    struct attempt *list;
    size_t count;
    struct arena *a = arena_new();
    int rc = store_attempts(c->store, t->id, a, &list, &count, err);
    *unread = !rc && run_left_unread(list, count);
    arena_free(a);
    return rc;
}

/* With no conductor. */
static int end_alone(struct change *c, const struct trial *t, enum wish wish,
                     struct err *err)
{
    bool later = t->state == STATE_RUNNING;
    if (wish == WISH_STOP && t->state == STATE_WAITING &&
        left_unread(c, t, &later, err))
        return -1;
    if (later)
        return wish_stored(c, t, wish, err);
    return end_stored(c, t, wish == WISH_KILL ? STATE_KILLED : STATE_STOPPED,
                      err);
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
    if (!l && c->study && store_waits(c->store) && !state_final(t->state))
        return 0; /* it has ended, which is not written yet */
    if (!l)
        return end_alone(c, t, wish, err);
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

const char *study_tag_fault(struct str tag)
{
    if (!tag.len)
        return "is empty";
    if (tag.len > 100)
        return "is longer than 100 bytes";
    if (!str_utf8(tag))
        return "is not UTF-8 text";
    for (size_t i = 0; i < tag.len; i++)
        if ((unsigned char)tag.p[i] <= ' ' || tag.p[i] == ',' ||
            tag.p[i] == 127)
            return "holds a blank, a comma or a control character, so that "
                   "`tag:` could not name it";
    return NULL;
}

static int check_tag(struct change *c, struct err *err)
{
    const char *fault =
        study_tag_fault(value_text(value_get(c->args, STR("tag"))));
    return fault ? err_set(err, ERR_INPUT, "the tag %s", fault) : 0;
}

static int do_tag(struct change *c, const struct trial *t, struct err *err)
{
    const struct value *off = value_get(c->args, STR("remove"));
    c->changed++;
    return store_trial_tag(
        c->store, t->id, value_text(value_get(c->args, STR("tag"))),
        !(off && off->kind == VALUE_BOOL && off->boolean), err);
}

static int check_note(struct change *c, struct err *err)
{
    struct str text = value_text(value_get(c->args, STR("text")));
    if (text.len <= STUDY_NOTE_MAX && str_utf8(text))
        return 0;
    return err_set(err, ERR_INPUT, "a note is UTF-8 text of at most %d bytes",
                   STUDY_NOTE_MAX);
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
    if (study_unpack(c->packs, store_folder(c->store), t->id, err) ||
        store_trial_update(c->store, &again, err))
        return -1;
    if (!c->study)
        return 0;
    return run_take_in(&c->study->run, &again, true, t->state, err);
}

/* ---- new trials ------------------------------------------------------- */

static int64_t times_of(const struct change *c)
{
    const struct value *v = value_get(c->args, STR("times"));
    return v && v->kind == VALUE_INT ? v->i : 1;
}

static int check_times(struct change *c, struct err *err)
{
    int64_t times = times_of(c);
    if (times > 0 && times <= STUDY_TIMES_MAX)
        return 0;
    return err_set(err, ERR_INPUT,
                   "of a point there are 1 to %d trials, not %lld",
                   STUDY_TIMES_MAX, (long long)times);
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
        .group = *group,
        .member = member,
        .created = clock_wall(),
    };
    if (store_trial_add(c->store, &t, err))
        return -1;
    added_take(added, id);
    c->changed++;
    if (!c->first)
        c->first = id;
    return c->study ? run_take_in(&c->study->run, &t, false, STATE_WAITING, err)
                    : 0;
}

/* As many trials of a point as are asked for, in one repeat group. */
static int add_point(struct change *c, struct added *added, struct str point,
                     int64_t group, struct err *err)
{
    int64_t times = times_of(c);
    for (int64_t i = 0; i < times; i++)
        if (add_trial(c, added, point, &group, (uint32_t)i, err))
            return -1;
    return 0;
}

/* New trials of several points: what says which numbers they took, and how
 * many trials there are in all, is written once. */
typedef int new_trials_fn(struct change *c, struct added *added, void *context,
                          struct err *err);

static int with_added(struct change *c, new_trials_fn *make, void *context,
                      struct err *err)
{
    struct added own = {0};
    struct added *added = c->study ? &c->study->added : &own;
    int64_t before = c->changed;
    int rc = c->study ? 0 : added_read(added, c->store, err);
    if (!rc)
        rc = make(c, added, context, err);
    if (!rc)
        rc = added_write(added, c->store, err);
    if (!rc)
        rc = change_total(c->store, c->changed - before, err);
    added_done(&own);
    return rc;
}

static int add_one(struct change *c, struct added *added, void *context,
                   struct err *err)
{
    const struct trial *t = context;
    return add_point(c, added, t->point, t->group, err);
}

static int do_rerun(struct change *c, const struct trial *t, struct err *err)
{
    struct trial again = *t;
    return with_added(c, add_one, &again, err);
}

/* ---- points that a request brings ------------------------------------- */

struct checker {
    struct change *change;
    const struct study_points *points;
    struct arena *scratch;
    struct buf good; /* a point on each line */
    size_t count;
};

static int check_point(struct checker *k, const struct value *given,
                       struct err *err)
{
    const struct value *outside = value_get(k->change->args, STR("outside"));
    bool any = outside && outside->kind == VALUE_BOOL && outside->boolean;
    const struct value *point =
        study_points_check(k->points, given, NULL, any, k->scratch, err);
    k->count++;
    if (!point)
        return err_wrap(err, "point %zu", k->count);
    json_print_sorted(&k->good, point);
    buf_addc(&k->good, '\n');
    arena_reset(k->scratch);
    return 0;
}

static int check_list(struct checker *k, struct err *err)
{
    const struct value *list = value_get(k->change->args, STR("points"));
    if (!list || list->kind != VALUE_LIST)
        return err_set(err, ERR_INPUT, "it brings no points");
    for (size_t i = 0; i < list->count; i++)
        if (check_point(k, list->items[i], err))
            return -1;
    return 0;
}

static int check_file(struct checker *k, struct err *err)
{
    const char *path = k->change->points;
    struct buf text;
    buf_init(&text);
    int rc = file_read(path, POINTS_FILE_MAX, &text, err);
    struct str rest = buf_str(&text), line;
    while (!rc && rest.len && str_split(&rest, '\n', &line)) {
        struct value *v = json_parse(k->scratch, line, path, true, err);
        rc = v ? check_point(k, v, err) : -1;
    }
    buf_done(&text);
    return rc;
}

static int add_lines(struct change *c, struct added *added, void *context,
                     struct err *err)
{
    struct str rest = *(struct str *)context, line;
    while (rest.len && str_split(&rest, '\n', &line))
        if (line.len && add_point(c, added, line, GROUP_OWN, err))
            return -1;
    return 0;
}

/* All points or none: each is checked before the first becomes a trial. */
static int add_points(struct change *c, struct err *err)
{
    struct arena *a = arena_new();
    struct checker k = {.change = c, .scratch = arena_new()};
    buf_init(&k.good);
    k.points = study_points_open(c->store, a, err);
    int rc = k.points ? check_times(c, err) : -1;
    if (!rc)
        rc = c->points ? check_file(&k, err) : check_list(&k, err);
    if (!rc && k.count > (size_t)(ADD_MAX / times_of(c)))
        rc =
            err_set(err, ERR_LIMIT, "more than %d new trials at once", ADD_MAX);
    struct str good = buf_str(&k.good);
    if (!rc)
        rc = with_added(c, add_lines, &good, err);
    buf_done(&k.good);
    arena_free(k.scratch);
    arena_free(a);
    return rc;
}

/* ---- applying --------------------------------------------------------- */

static const struct {
    const char *verb;
    change_fn *change;
    check_fn *check; /* of the arguments; NULL: there are none */
} verbs[] = {
    {"stop", do_stop, NULL},    {"kill", do_kill, NULL},
    {"tag", do_tag, check_tag}, {"note", do_note, check_note},
    {"retry", do_retry, NULL},  {"rerun", do_rerun, check_times},
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
        if (strcmp(verbs[i].verb, verb))
            continue;
        if (verbs[i].check && verbs[i].check(c, err))
            return -1;
        c->packs = packs_open(store_folder(c->store));
        int rc = selected_each(c->store, selector, change_one, &on, err);
        packs_close(c->packs);
        return rc;
    }
    return err_set(err, ERR_INPUT, "there is no request `%s`", verb);
}
