/* merit.c - how much work a study gets done in a day
 *
 * Two numbers that must not be mixed up. Models a day is what was done: models
 * that ended well, over the time in which anything ran. Units a day is what
 * the places could do if each were always busy: places times the seconds of a
 * day, over the seconds of a model. Their ratio falls where places wait, and
 * where work is lost. Over the stages of a campaign the harmonic mean counts:
 * a day that is shared out evenly does that many units of each. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

#define DAY_S 86400.0
#define FLOPS_TRIALS 32 /* whose model is looked at */

double merit_units(double unit_s, double places)
{
    return unit_s > 0 ? places * DAY_S / unit_s : NAN;
}

double merit_harmonic(const double *units, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += 1 / units[i];
    return count ? (double)count / sum : NAN;
}

/* ---- when places were busy ----------------------------------------------- */

struct moment {
    double at;
    int change; /* an attempt begins: 1, ends: -1 */
};
struct tally {
    struct merit *out;
    VEC(struct moment) moments;
    int64_t trial; /* whose attempts are being added */
    double trial_s;
    bool good;
    double units_s; /* of all models that ended well */
};

static void end_trial(struct tally *t)
{
    if (t->trial && t->good) {
        t->out->models++;
        t->units_s += t->trial_s;
    }
    t->trial_s = 0;
    t->good = false;
}

static void add_span(void *context, const struct span *s)
{
    struct tally *t = context;
    if (s->trial != t->trial)
        end_trial(t);
    t->trial = s->trial;
    if (!(s->ended > 0))
        return;
    double seconds = s->seconds > 0 ? s->seconds : s->ended - s->started;
    if (!(seconds > 0))
        seconds = 0;
    t->trial_s += seconds;
    t->good = s->outcome == OUTCOME_DONE || s->outcome == OUTCOME_STOPPED;
    t->out->busy_s += seconds;
    /* The clock of the machine that ran it says when it ended. */
    vec_push(&t->moments, ((struct moment){s->ended - seconds, 1}));
    vec_push(&t->moments, ((struct moment){s->ended, -1}));
}

/* At the same time one ends before the next begins, in the same place. */
static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->change - y->change;
}

static void count_places(struct tally *t)
{
    int64_t now = 0;
    double since = 0;
    if (t->moments.len)
        qsort(t->moments.p, t->moments.len, sizeof(*t->moments.p), by_time);
    for (size_t i = 0; i < t->moments.len; i++) {
        if (now > 0)
            t->out->wall_s += t->moments.p[i].at - since;
        since = t->moments.p[i].at;
        now += t->moments.p[i].change;
        if (now > t->out->places)
            t->out->places = now;
    }
}

/* ---- epochs, and what they compute ----------------------------------------
 */

struct epochs {
    struct merit *out;
    const struct plan *plan;
    VEC(struct str) by; /* parameters that say where a training runs */
    struct flop_counter *flops;
    double flop_sum, flop_count;
    int64_t every; /* so many trials apart */
    struct arena *arena, *row;
};

/* Steps that a trial reported most often: its epochs. */
static double trial_epochs(const struct value *summary)
{
    double most = NAN;
    for (size_t i = 0;
         summary && summary->kind == VALUE_OBJECT && i < summary->count; i++)
        most = fmax(most,
                    value_number(value_get(summary->items[i], STR("count"))));
    return most;
}

/* Those that stand in the device or in the resources of a study. */
static bool decides_place(const struct plan *p, struct str name,
                          struct arena *a)
{
    const struct value *device = value_get(p->root, STR("device"));
    struct buf b;
    buf_init(&b);
    if (p->resources)
        json_print(&b, p->resources);
    bool found = text_names(device, name) ||
                 text_names(value_string(a, buf_str(&b)), name);
    buf_done(&b);
    return found || str_is(name, "device") || str_is(name, "devices") ||
           str_is(name, "ranks") || str_is(name, "gpus");
}

static const char *where_of(const struct epochs *k, const struct value *point)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < k->by.len; i++) {
        const struct value *v = point_flat_get(point, k->by.p[i]);
        buf_addf(&b, "%s%.*s=", i ? " " : "", STRF(k->by.p[i]));
        if (v)
            point_cell(&b, v);
    }
    const char *text = arena_cstr(k->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void add_epoch(struct epochs *k, const struct value *point, double s)
{
    struct merit *m = k->out;
    const char *where = where_of(k, point);
    size_t i = 0;
    while (i < m->epochs.len && strcmp(m->epochs.p[i].where, where))
        i++;
    if (i == m->epochs.len)
        vec_push(&m->epochs, (struct merit_epoch){.where = where});
    struct merit_epoch *e = &m->epochs.p[i];
    double off = s - e->mean;
    e->mean += off / (double)++e->count;
    e->squares += off * (s - e->mean);
}

static int add_trial(struct epochs *k, const struct trial *t, struct err *err)
{
    const struct value *summary =
        json_parse(k->row, t->summary, "summary", false, NULL);
    double epochs = trial_epochs(summary);
    struct value *point = json_parse(k->row, t->point, "point", false, err);
    if (!point)
        return -1;
    if (!(epochs > 0) || t->state != STATE_DONE || !(t->seconds > 0))
        return 0;
    add_epoch(k, point, t->seconds / epochs);
    if (k->flops && t->id % k->every == 0 && k->flop_count < FLOPS_TRIALS) {
        double flops = epochs * flops_of_epoch(k->flops, point);
        if (!isnan(flops)) {
            k->flop_sum += flops;
            k->flop_count++;
        }
    }
    return 0;
}

static int read_epochs(struct epochs *k, struct store *store, struct err *err)
{
    struct query q = {.with_texts = true};
    struct rows *rows = store_rows(store, &q, err);
    struct trial t;
    int got;
    if (!rows)
        return -1;
    while ((got = rows_next(rows, &t, err)) > 0) {
        arena_reset(k->row);
        if (add_trial(k, &t, err)) {
            got = -1;
            break;
        }
    }
    rows_close(rows);
    return got;
}

static int look_at_epochs(struct merit *m, struct store *store,
                          const struct plan *plan, const char *home,
                          struct arena *a, struct err *err)
{
    struct epochs k = {.out = m, .plan = plan, .arena = a, .row = arena_new()};
    k.every = 1 + store_last_trial(store) / FLOPS_TRIALS;
    for (size_t i = 0; plan && i < plan->space.count; i++)
        if (decides_place(plan, plan->space.params[i].name, a))
            vec_push(&k.by, plan->space.params[i].name);
    if (plan && plan->model.len)
        k.flops = flops_open(plan, home);
    int rc = read_epochs(&k, store, err);
    if (k.flop_count > 0 && m->wall_s > 0)
        m->flops = k.flop_sum / k.flop_count * (double)m->models / m->wall_s;
    flops_close(k.flops);
    vec_done(&k.by);
    arena_free(k.row);
    return rc;
}

/* ---- a study ---------------------------------------------------------------
 */

int merit_read(struct merit *m, struct store *store,
               const struct place_of_study *where, struct arena *a,
               struct err *err)
{
    struct tally t = {.out = m};
    *m = (struct merit){.name = where->name, .flops = NAN};
    int rc = store_spans(store, add_span, &t, err);
    if (!rc) {
        end_trial(&t);
        count_places(&t);
    }
    vec_done(&t.moments);
    if (rc)
        return -1;
    m->unit_s = m->models ? t.units_s / (double)m->models : NAN;
    m->units_a_day = merit_units(m->unit_s, (double)m->places);
    m->models_a_day =
        m->wall_s > 0 ? (double)m->models * DAY_S / m->wall_s : NAN;
    m->utilisation =
        m->wall_s > 0 ? m->busy_s / (m->wall_s * (double)m->places) : NAN;
    struct plan *plan =
        study_stored_plan(store, where->home, where->name, a, NULL);
    rc = look_at_epochs(m, store, plan, where->home, a, err);
    plan_close(plan);
    return rc;
}

void merit_done(struct merit *m)
{
    vec_done(&m->epochs);
}
