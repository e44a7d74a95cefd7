/* merits.c - the figure of merit of a study or a campaign, and of two */
#include <math.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

/* ---- reading ---------------------------------------------------------------
 */

static int add(struct merits *k, struct store *store,
               const struct place_of_study *where, const char *name,
               struct arena *a, struct err *err)
{
    struct merit m;
    int rc = merit_read(&m, store, where, a, err);
    m.name = name;
    if (!rc && m.models)
        vec_push(&k->list, m);
    else
        merit_done(&m);
    return rc;
}

/* A stage that is one command, or a verb, makes no models. */
static int add_stage(struct merits *k, const struct place_of_study *where,
                     const struct stage_told *told, struct arena *a,
                     struct err *err)
{
    struct place_of_study stage = *where;
    if (!str_is(told->kind, "study"))
        return 0;
    const char *name = arena_cstr(a, told->name);
    stage.folder = path_join(a, where->folder, name);
    stage.name = arena_printf(a, "%s/%s", where->name, name);
    struct store *store = store_open(stage.folder, false, NULL);
    int rc = store ? add(k, store, &stage, name, a, err) : 0;
    store_close(store);
    return rc;
}

int merits_read(struct merits *k, struct store *store,
                const struct place_of_study *where, struct arena *a,
                struct err *err)
{
    struct stage_told *list;
    size_t count;
    int rc = 0;
    *k = (struct merits){.name = where->name, .harmonic = NAN, .ratio = NAN};
    if (!store_is_campaign(store))
        rc = add(k, store, where, where->name, a, err);
    else if (campaign_told(store, a, &list, &count, err))
        rc = -1;
    else
        for (size_t i = 0; i < count && !rc; i++)
            rc = add_stage(k, where, &list[i], a, err);
    if (rc)
        return rc;
    if (!k->list.len)
        return err_set(err, ERR_INPUT,
                       "no model of `%s` has ended well yet: there is nothing "
                       "to measure",
                       where->name);
    double *units = arena_array(a, k->list.len, sizeof(*units));
    for (size_t i = 0; i < k->list.len; i++)
        units[i] = k->list.p[i].units_a_day;
    k->harmonic = merit_harmonic(units, k->list.len);
    return 0;
}

int merits_against(struct merits *k, const char *other, struct arena *a,
                   struct err *err)
{
    struct place_of_study where;
    struct merits b = {0};
    if (locate_study(a, other, &where, err))
        return -1;
    struct store *store = store_open(where.folder, false, err);
    int rc = store ? merits_read(&b, store, &where, a, err) : -1;
    if (!rc) {
        k->against = where.name;
        k->against_harmonic = b.harmonic;
        k->ratio = k->harmonic / b.harmonic;
    }
    merits_done(&b);
    store_close(store);
    return rc;
}

void merits_done(struct merits *k)
{
    for (size_t i = 0; i < k->list.len; i++)
        merit_done(&k->list.p[i]);
    vec_done(&k->list);
}

/* ---- for people -------------------------------------------------------------
 */

static double epoch_std(const struct merit_epoch *e)
{
    return e->count > 1 ? sqrt(e->squares / (double)(e->count - 1)) : NAN;
}

void merits_table(const struct merits *k, struct tabled *l)
{
    static const char *const titles[] = {"study",  "models",     "places",
                                         "unit s", "models/day", "units/day",
                                         "use",    "FLOP/s",     NULL};
    for (size_t i = 0; titles[i]; i++)
        tabled_title(l, titles[i]);
    for (size_t i = 0; i < k->list.len; i++) {
        const struct merit *m = &k->list.p[i];
        tabled_text(l, "%s", m->name);
        tabled_count(l, m->models);
        tabled_count(l, m->places);
        tabled_number(l, m->unit_s);
        tabled_number(l, m->models_a_day);
        tabled_number(l, m->units_a_day);
        tabled_number(l, m->utilisation);
        tabled_number(l, m->flops);
    }
}

void merits_epochs(const struct merits *k, struct tabled *l)
{
    static const char *const titles[] = {"study",   "where", "trainings",
                                         "t_epoch", "std",   NULL};
    for (size_t i = 0; titles[i]; i++)
        tabled_title(l, titles[i]);
    for (size_t i = 0; i < k->list.len; i++)
        for (size_t n = 0; n < k->list.p[i].epochs.len; n++) {
            const struct merit_epoch *e = &k->list.p[i].epochs.p[n];
            tabled_text(l, "%s", k->list.p[i].name);
            tabled_text(l, "%s", *e->where ? e->where : "all");
            tabled_count(l, e->count);
            tabled_number(l, e->mean);
            tabled_number(l, epoch_std(e));
        }
}

void merits_words(struct buf *b, const struct merits *k)
{
    if (k->list.len > 1 || k->against)
        buf_addf(b, "merit    %.6g units a day (harmonic mean of %zu)\n",
                 k->harmonic, k->list.len);
    if (k->against)
        buf_addf(b, "against  %s: %.6g units a day, ratio %.5g\n", k->against,
                 k->against_harmonic, k->ratio);
}

/* ---- JSON
 * --------------------------------------------------------------------- */

static void add_number(struct buf *b, const char *name, double v)
{
    buf_addf(b, ",\"%s\":", name);
    strict_number_or_null(b, v);
}

static void add_merit(struct buf *b, const struct merit *m)
{
    buf_adds(b, "{\"study\":");
    json_string(b, str_of(m->name));
    buf_addf(b, ",\"models\":%lld,\"places\":%lld", (long long)m->models,
             (long long)m->places);
    add_number(b, "wall_seconds", m->wall_s);
    add_number(b, "unit_seconds", m->unit_s);
    add_number(b, "models_a_day", m->models_a_day);
    add_number(b, "units_a_day", m->units_a_day);
    add_number(b, "utilisation", m->utilisation);
    add_number(b, "flops", m->flops);
    buf_adds(b, ",\"epochs\":[");
    for (size_t i = 0; i < m->epochs.len; i++) {
        const struct merit_epoch *e = &m->epochs.p[i];
        buf_adds(b, i ? ",{\"where\":" : "{\"where\":");
        json_string(b, str_of(e->where));
        buf_addf(b, ",\"count\":%lld", (long long)e->count);
        add_number(b, "t_epoch", e->mean);
        add_number(b, "std", epoch_std(e));
        buf_addc(b, '}');
    }
    buf_adds(b, "]}");
}

void merits_json(struct buf *b, const struct merits *k, double as_of)
{
    buf_adds(b, "{\"schema\":\"throng.merit/1\"");
    age_json(b, as_of);
    buf_adds(b, ",\"name\":");
    json_string(b, str_of(k->name));
    buf_adds(b, ",\"studies\":[");
    for (size_t i = 0; i < k->list.len; i++) {
        buf_adds(b, i ? "," : "");
        add_merit(b, &k->list.p[i]);
    }
    buf_addc(b, ']');
    add_number(b, "units_a_day", k->harmonic);
    buf_adds(b, ",\"against\":");
    if (k->against)
        json_string(b, str_of(k->against));
    else
        buf_adds(b, "null");
    add_number(b, "ratio", k->ratio);
    buf_adds(b, "}\n");
}
