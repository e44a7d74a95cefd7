/* bulk_models.c - the models of an inference over very many rows, and what a
 * row costs them
 *
 * The cost is counted, not measured, so that the same files are cut into the
 * same shards everywhere: operations of the layers, and the fields of a row
 * that are read. */
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "data/data.h"
#include "ensemble/ensemble.h"
#include "nn/nn.h"
#include "study/bulk.h"
#include "study/called.h"
#include "study/kept_columns.h"
#include "study/selected.h"

#define NAMED_MOST 12       /* metrics, of a study that has others */
#define FLOPS_A_SECOND 1e10 /* of one core, not its best */
#define FIELDS_A_SECOND 1e7 /* of a table, read and written */
#define PASSES_A_SECOND 1e7 /* taken from a device and made one */
/* Pairs of a layer's numbers that a distance is added up of. */
#define DISTANCES_A_SECOND 5e8

/* ---- which models ----------------------------------------------------------
 */

/* Parameters of the first trial, and metrics of all, that a filter may name;
 * ended by NULL, the first `*metrics` of them metrics. */
static const char **known_names(struct store *store, size_t *metrics,
                                struct arena *a)
{
    const char **told = store_metric_names(store, 0, a, NULL);
    struct query q = {.selector = "all"};
    struct rows *rows = store_rows(store, &q, NULL);
    struct trial t;
    const struct value *point = NULL;
    if (rows && rows_next(rows, &t, NULL) > 0)
        point = json_parse(a, arena_str(a, t.point), "point", true, NULL);
    rows_close(rows);
    size_t n = 0, params = point ? point->count : 0;
    while (told && told[n])
        n++;
    const char **all = arena_array(a, n + params + 1, sizeof(*all));
    for (size_t i = 0; i < n; i++)
        all[i] = told[i];
    for (size_t i = 0; i < params; i++)
        all[n + i] = arena_cstr(a, point->keys[i]);
    *metrics = n;
    return all;
}

/* A name of a filter may have more behind it: val_loss.min, model.units. */
static bool is_known(const char *name, const char *const *known)
{
    for (; *known; known++) {
        size_t len = strlen(*known);
        if (!strncmp(name, *known, len) && (!name[len] || name[len] == '.'))
            return true;
    }
    return false;
}

/* Nobody passes: a name that no trial has is the likely cause. */
static int fail_where(const struct plan_predict *p, struct store *store,
                      const char *where, struct arena *a, struct err *err)
{
    size_t metrics;
    const char **known = known_names(store, &metrics, a);
    const char **asked = store_filter_names(where, a, NULL);
    while (asked && *asked && is_known(*asked, known))
        asked++;
    if (!asked || !*asked)
        return err_set(err, ERR_MISSING, "no trial of %.*s passes %s",
                       STRF(p->models), where);
    const char *near = str_nearest(str_of(*asked), known);
    struct buf names;
    buf_init(&names);
    for (size_t i = 0; i < metrics && i < NAMED_MOST; i++)
        buf_addf(&names, "%s%s", i ? ", " : "", known[i]);
    if (metrics > NAMED_MOST)
        buf_adds(&names, ", …");
    err_set(err, ERR_MISSING,
            "no trial of %.*s passes %s: none has %s%s%s%s; metrics are %s",
            STRF(p->models), where, *asked, near ? " (did you mean " : "",
            near ? near : "", near ? "?)" : "", metrics ? names.p : "none yet");
    buf_done(&names);
    return -1;
}

/* The numbers of the trials, as a selector. */
static int list_trials(struct store *store, const struct plan_predict *p,
                       const char **selector, struct arena *a, struct err *err)
{
    const char *where = p->where.len ? arena_cstr(a, p->where) : NULL;
    struct query q = {.selector = p->select.len ? arena_cstr(a, p->select)
                                                : "done,stopped",
                      .where = where};
    struct rows *rows = store_rows(store, &q, err);
    struct trial t;
    struct buf b;
    int got = rows ? 0 : -1;
    buf_init(&b);
    while (rows && (got = rows_next(rows, &t, err)) > 0)
        buf_addf(&b, "%s%lld", b.len ? "," : "", (long long)t.id);
    rows_close(rows);
    *selector = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    if (!got && !**selector && where)
        return fail_where(p, store, where, a, err);
    if (!got && !**selector)
        return err_set(err, ERR_MISSING, "no trial of %.*s passes %s",
                       STRF(p->models),
                       p->select.len ? arena_cstr(a, p->select) : "as done");
    return got;
}

static int gather(const struct plan_predict *p, const char *folder,
                  const char *to, struct arena *a, struct err *err)
{
    struct ensemble_making m = {
        .study = arena_cstr(a, p->models), .chosen = "", .inside = true};
    struct store *store = store_open(folder, false, err);
    int rc = store ? list_trials(store, p, &m.selector, a, err) : -1;
    if (!rc)
        rc = ensemble_gather(&m, store, a, err);
    if (!rc)
        rc = ensemble_agree(&m, a, err);
    if (!rc)
        rc = ensemble_write(&m, to, a, err);
    ensemble_making_done(&m);
    store_close(store);
    return rc;
}

const char *bulk_study_named(const char *name, const char *home,
                             struct arena *a)
{
    const char *places[] = {path_join(a, path_join(a, home, ".throng"), name),
                            path_join(a, home, name)};
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
        if (file_exists(path_join(a, places[i], "study.db")))
            return places[i];
    return NULL;
}

static const char *study_named(const struct plan_predict *p, const char *home,
                               struct arena *a)
{
    return bulk_study_named(arena_cstr(a, p->models), home, a);
}

int bulk_models(const struct plan_predict *p, const char *home,
                const char *scratch, struct bulk_found *to, struct arena *a,
                struct err *err)
{
    const char *file = path_join(a, home, arena_cstr(a, p->models));
    bool foreign = bulk_is_foreign(p, home, a);
    const char *study = foreign ? NULL : study_named(p, home, a);
    *to =
        (struct bulk_found){.path = path_absolute(a, file), .of_study = study};
    if (!foreign && (p->label.len || p->loss.len))
        return err_set(err, ERR_INPUT,
                       "label and loss go with weights of another program: "
                       "those of throng know theirs");
    if (study) {
        to->path = path_join(a, scratch, "trials.ensemble");
        return gather(p, study, to->path, a, err);
    }
    if (p->where.len && !p->select.len && !foreign &&
        bulk_is_ensemble(to->path))
        return bulk_passing(p, home, scratch, to, a, err);
    if (p->where.len || p->select.len)
        return err_set(err, ERR_INPUT,
                       "where and select choose trials of a study, and %.*s is "
                       "none",
                       STRF(p->models));
    return foreign ? bulk_foreign_take(p, home, scratch, to, a, err) : 0;
}

/* ---- what they cost ---------------------------------------------------------
 */

double bulk_row_seconds(double flops, double columns, int64_t samples)
{
    return flops * (samples > 1 ? (double)samples : 1) / FLOPS_A_SECOND +
           columns / FIELDS_A_SECOND;
}

static void add_cost(struct bulk_cost *to, const struct nn_model *m,
                     const struct data_view *v, int64_t samples)
{
    double columns = 1;
    for (size_t i = 0; v->table && i < v->table->input_count; i++)
        columns += (double)v->table->inputs[i].columns;
    to->row_s += bulk_row_seconds(nn_model_flops(m), columns, samples);
    to->row_bytes += columns * sizeof(float);
    to->models++;
}

double bulk_product_seconds(double flops, double added, int64_t samples)
{
    double passes = samples > 1 ? (double)samples : 1;
    return (added + flops * passes) / FLOPS_A_SECOND + passes / PASSES_A_SECOND;
}

static void add_product_cost(struct bulk_cost *to, const struct nn_model *m,
                             const struct plan_predict *p)
{
    double added, rest = nn_model_flops_split(m, p->product_count, &added);
    to->row_s += bulk_product_seconds(rest, added, p->samples);
    to->models++;
}

const char *bulk_file(const struct value *said, const char *home,
                      struct arena *a)
{
    return said ? path_absolute(a, path_join(a, home, arena_cstr(a, said->s)))
                : NULL;
}

const char **bulk_tables(const struct plan_predict *p, const char *home,
                         struct arena *a)
{
    const char **paths = arena_array(a, p->product_count + 1, sizeof(*paths));
    for (size_t i = 0; i < p->product_count; i++)
        paths[i] =
            path_absolute(a, path_join(a, home, arena_cstr(a, p->product[i])));
    return paths;
}

/* Each model says what its columns are. */
static int look_at_product(struct bulk_cost *to, const struct plan_predict *p,
                           const char *home, const struct model_file *m,
                           struct arena *a, struct err *err)
{
    struct nn_about about;
    struct data_view unused;
    const char **paths = bulk_tables(p, home, a);
    if (nn_weights_about(m->file, a, &about, err))
        return -1;
    struct data_product *product = data_product_open(
        paths, p->product_count, about.data, m->name, 1, &unused, err);
    to->product_rows = product ? data_product_rows(product) : 0;
    data_product_close(product);
    return product ? 0 : -1;
}

static int add_model(struct bulk_cost *to, const struct plan_predict *p,
                     const char *file, struct arena *a, struct err *err)
{
    struct data_view view;
    struct nn_about about;
    struct nn_model *m = weights_model(file, &view, NULL, a, err);
    if (!m)
        return -1;
    if (p->product_count)
        add_product_cost(to, m, p);
    else
        add_cost(to, m, &view, p->samples > 1 ? p->samples : 1 + !!p->novelty);
    bool draws = p->samples < 1 || nn_model_draw_always(m);
    nn_model_free(m);
    if (!draws) /* as the worker would say of every shard */
        return err_set(err, ERR_INPUT,
                       "%s has no dropout: all samples of it would be the same",
                       file);
    if (to->fitted.len)
        return 0;
    if (nn_weights_about(file, a, &about, err))
        return -1;
    const struct value *model = json_parse(a, about.model, file, false, err);
    to->spec = value_get(model, STR("data"));
    to->fitted = about.data;
    return model ? 0 : -1;
}

static int check_combine(const struct plan_predict *p, struct err *err)
{
    for (size_t i = 0; combine_names[i]; i++)
        if (!p->combine.len || str_is(p->combine, combine_names[i]))
            return 0;
    return err_set(err, ERR_INPUT,
                   "there is no combine %.*s: say mean, median or vote",
                   STRF(p->combine));
}

/* A study's trials are an ensemble that nobody has a file of. */
static int check_calibration(const struct plan_predict *p,
                             const struct models *m, const char *home,
                             struct arena *a, struct err *err)
{
    const char *path = bulk_file(p->calibration, home, a);
    if (study_named(p, home, a))
        return err_set(err, ERR_INPUT,
                       "a calibration is of one file of models: make an "
                       "ensemble of the trials of %.*s by `throng ensemble`, "
                       "calibrate that, and name it as models",
                       STRF(p->models));
    if (p->combine.len && !str_is(p->combine, m->combine))
        return err_set(err, ERR_INPUT,
                       "%s is of models that are combined by %s: leave out "
                       "combine, or make an ensemble of %.*s and calibrate "
                       "that",
                       path, m->combine, STRF(p->combine));
    return calibration_read(path, m, p->samples, a, err) ? 0 : -1;
}

/* Each model is asked once more, up to its layer; then rows are measured by the
 * numbers of that. */
static int check_novelty(const struct plan_predict *p, const struct models *m,
                         const char *home, struct bulk_cost *to,
                         struct arena *a, struct err *err)
{
    struct novelties n;
    if (novelties_read(&n, bulk_file(p->novelty, home, a), m, a, err))
        return -1;
    for (size_t i = 0; i < n.count; i++) {
        double wide = (double)n.list[i].columns;
        to->row_s += wide * wide / DISTANCES_A_SECOND;
        to->row_bytes += wide * sizeof(float);
    }
    return 0;
}

static int check_layer(const struct plan_predict *p, const struct models *m,
                       struct arena *a, struct err *err)
{
    struct data_view view;
    if (layer_is_of_one(m, err))
        return -1;
    struct nn_model *one =
        layer_model(m->list[0].file, arena_cstr(a, p->layer->s), &view, a, err);
    nn_model_free(one);
    return one ? 0 : -1;
}

static int check_looks(const struct plan_predict *p, const struct models *m,
                       const char *home, struct bulk_cost *to, struct arena *a,
                       struct err *err)
{
    to->fault = p->calibration;
    if (p->calibration && check_calibration(p, m, home, a, err))
        return -1;
    to->fault = p->novelty;
    if (p->novelty && check_novelty(p, m, home, to, a, err))
        return -1;
    to->fault = p->layer;
    if (p->layer && check_layer(p, m, a, err))
        return -1;
    to->fault = NULL;
    return 0;
}

static int check_keep(const struct plan_predict *p, const struct models *m,
                      struct bulk_cost *to, struct arena *a, struct err *err)
{
    static const double quantiles[] = INFERENCE_QUANTILES;
    bool told = m->count > 1 || p->samples > 1 || !p->product_count;
    struct kept_columns k = {
        .weights = m->list[0].file,
        .layer = p->layer ? arena_cstr(a, p->layer->s) : NULL,
        .more = {p->calibration, p->novelty, p->product_count > 0},
        .members = m->count,
        .samples = (size_t)p->samples,
        .quantiles = quantiles,
        .quantile_count = told ? INFERENCE_QUANTILE_COUNT : 0};
    to->fault = p->keep;
    if (p->keep && kept_columns_check(&k, p->keep, &to->fault, a, err))
        return -1;
    to->fault = NULL;
    return 0;
}

static int check_dropout(const struct plan_predict *p,
                         const struct model_file *m, struct arena *a,
                         struct err *err)
{
    struct nn_about about;
    if (!p->permanent_dropout)
        return 0;
    if (nn_weights_about(m->file, a, &about, err))
        return -1;
    struct value *model = json_parse(a, about.model, m->file, false, err);
    return model ? permanent_dropout(model, *p->permanent_dropout, m->name, a,
                                     err)
                 : -1;
}

static int look_at_models(const struct plan_predict *p, const struct models *m,
                          const char *home, struct bulk_cost *to,
                          struct arena *a, struct err *err)
{
    struct models asked = *m;
    if (p->combine.len)
        asked.combine = arena_cstr(a, p->combine);
    for (size_t i = 0; i < m->count; i++)
        if (add_model(to, p, m->list[i].file, a, err) ||
            check_dropout(p, &m->list[i], a, err) ||
            (p->product_count &&
             look_at_product(to, p, home, &m->list[i], a, err)))
            return -1;
    return models_agree(&asked, a, err) || check_looks(p, m, home, to, a, err)
               ? -1
               : check_keep(p, m, to, a, err);
}

static int add_models(const struct plan_predict *p, const char *home,
                      const char *scratch, struct bulk_cost *to,
                      struct arena *a, struct err *err)
{
    struct models m;
    struct bulk_found found;
    if (check_combine(p, err) ||
        bulk_models(p, home, scratch, &found, a, err) ||
        models_open(&m, found.path, scratch, a, err))
        return -1;
    to->notice = found.notice;
    if (found.called)
        m.list[0].name = found.called;
    int rc = look_at_models(p, &m, home, to, a, err);
    if (rc)
        models_call(&m, err);
    return rc;
}

int bulk_cost(const struct plan_predict *p, const char *home,
              struct bulk_cost *to, struct arena *a, struct err *err)
{
    *to = (struct bulk_cost){0};
    if (p->of_command)
        return 0;
    const char *scratch = scratch_make("models", err);
    if (!scratch)
        return -1;
    int rc = add_models(p, home, scratch, to, a, err);
    scratch_remove(scratch);
    return rc;
}
