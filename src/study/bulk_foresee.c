/* bulk_foresee.c - what a stage of a campaign will ask of its models, before
 * these are there
 *
 * Rows are counted in the files. How many models there will be says the
 * selection, and the study that they are trials of. What a row costs is told
 * by the models of that study's first trials. What cannot be known yet is left
 * to the words. */
#include <math.h>

#include "base/num.h"
#include "data/data.h"
#include "nn/nn.h"
#include "search/search.h"
#include "study/bulk.h"
#include "study/kept_columns.h"
#include "study/own_tables.h"
#include "study/shards.h"

#define TRIALS_SEEN 4 /* whose cost stands for that of all */

struct foreseeing {
    const struct plan_campaign *campaign;
    const struct plan_stage *stage;
    const struct plan_stage *study; /* whose trials are the models, or NULL */
    const char *home;
    struct bulk_outlook *to;
    struct arena *arena;
};

/* ---- how many models ------------------------------------------------------
 */

/* Trials of the study in all; 0: there is no end, or nobody knows. */
static uint64_t trials_of(const struct foreseeing *f)
{
    struct point_source points;
    struct err ignored = {0};
    struct search *s = f->study->plan ? plan_search(f->study->plan, 0, &points,
                                                    f->arena, &ignored)
                                      : NULL;
    int64_t total = s ? search_total(s) : -1;
    search_free(s);
    return total > 0 ? (uint64_t)total : 0;
}

/* best:20, or numbers; 0: who is selected shows when there are results. */
static uint64_t selected_count(struct str select)
{
    struct str rest = select, one;
    uint64_t count = 0;
    int64_t number;
    if (str_starts(select, STR("best:")))
        return num_int(str_n(select.p + 5, select.len - 5), &number) &&
                       number > 0
                   ? (uint64_t)number
                   : 0;
    while (str_split(&rest, ',', &one)) {
        if (!num_int(str_trim(one), &number))
            return 0;
        count++;
    }
    return count;
}

static void count_selected(struct foreseeing *f, struct str select,
                           struct str where)
{
    struct bulk_outlook *to = f->to;
    uint64_t all = trials_of(f), some = selected_count(select);
    to->models = some && (!all || some < all) ? some : all;
    if (where.len)
        to->models_told =
            arena_printf(f->arena, "those that pass %.*s", STRF(where));
    else if (select.len && !some)
        to->models_told =
            arena_printf(f->arena, "those that are %.*s", STRF(select));
}

/* The stage that writes the ensemble; NULL: none does. */
static const struct plan_stage *maker_of(const struct foreseeing *f)
{
    const struct plan_stage *s = f->stage;
    for (size_t i = 0; i < s->need_count; i++) {
        const struct plan_stage *n = &f->campaign->stages[s->needs[i]];
        for (size_t k = 0; k < n->output_count; k++)
            if (str_eq(n->outputs[k], s->plan->predict->models))
                return n;
    }
    return NULL;
}

static void count_members(struct foreseeing *f, const struct plan_stage *maker)
{
    struct str select = value_text(value_get(maker->said, STR("select")));
    const struct value *greedy = value_get(maker->said, STR("greedy"));
    f->to->maker = arena_cstr(f->arena, maker->name);
    if (!maker->read_count || !value_get(maker->said, STR("ensemble")))
        return;
    f->study = &f->campaign->stages[maker->reads[0]];
    count_selected(f, select.len ? select : STR("best:10"), STR(""));
    if (!greedy || greedy->kind != VALUE_INT)
        return;
    if (!f->to->models || (uint64_t)greedy->i < f->to->models)
        f->to->models = (uint64_t)greedy->i;
    f->to->models_told = "a greedy choice";
}

/* Models that are no stage's are there. */
static void count_models(struct foreseeing *f, struct bulk_cost *cost)
{
    const struct plan_predict *p = f->stage->plan->predict;
    const struct plan_stage *maker = maker_of(f);
    struct err why = {0};
    if (f->stage->read_count) {
        f->study = &f->campaign->stages[f->stage->reads[0]];
        f->to->maker = arena_cstr(f->arena, f->study->name);
        count_selected(f, p->select, p->where);
    } else if (maker) {
        count_members(f, maker);
        if (p->where.len)
            f->to->models_told = arena_printf(
                f->arena, "members that pass %.*s", STRF(p->where));
    } else if (bulk_cost(p, f->home, cost, f->arena, &why) == 0) {
        f->to->models = cost->models;
        f->to->core_s = cost->row_s;
    }
}

/* ---- what a row costs -----------------------------------------------------
 */

static double row_cost(const struct foreseeing *f, struct search *search,
                       struct flop_counter *flops)
{
    double sum = 0;
    size_t seen = 0, tables = f->stage->plan->predict->product_count;
    for (int64_t k = 1; k <= TRIALS_SEEN; k++) {
        struct suggestion s = {0};
        double more; /* columns, or what is added up */
        if (search_ask(search, k, f->arena, &s, NULL) != SEARCH_HERE)
            break;
        double one = tables
                         ? flops_of_product_row(flops, s.point, tables, &more)
                         : flops_of_row(flops, s.point, &more);
        if (isnan(one))
            break;
        sum += tables ? bulk_product_seconds(one, more, f->to->samples)
                      : bulk_row_seconds(one, more, f->to->samples);
        seen++;
    }
    return seen ? sum / (double)seen : 0;
}

/* All models, if the others are like the first ones. */
static void cost_of_row(struct foreseeing *f)
{
    struct point_source points;
    struct err ignored = {0};
    const struct plan *p = f->study ? f->study->plan : NULL;
    if (!p || !p->model_root || !f->to->models)
        return;
    struct search *search = plan_search(p, 0, &points, f->arena, &ignored);
    struct flop_counter *flops = search ? flops_open(p, f->home) : NULL;
    if (flops)
        f->to->core_s = row_cost(f, search, flops) * (double)f->to->models;
    flops_close(flops);
    search_free(search);
}

/* How the rows of the models are read, where there is no model yet. */
static const struct value *spec_of(const struct foreseeing *f)
{
    const struct plan *p = f->study ? f->study->plan : NULL;
    const struct value *spec = p ? value_get(p->model_root, STR("data")) : NULL;
    return spec && spec->kind == VALUE_OBJECT ? spec : NULL;
}

/* The columns that they will be trained with, by the rows of the study's first
 * trial; empty: nobody knows. */
static struct str fitted_of(const struct foreseeing *f)
{
    const struct plan *p = f->study ? f->study->plan : NULL;
    struct point_source points;
    struct suggestion first = {0};
    struct err ignored = {0};
    struct data_view view;
    struct buf b;
    if (!p || !p->model_root)
        return STR("");
    buf_init(&b);
    struct search *search = plan_search(p, 0, &points, f->arena, &ignored);
    struct flop_counter *flops = search ? flops_open(p, f->home) : NULL;
    struct nn_model *m = NULL;
    if (flops && search_ask(search, 1, f->arena, &first, NULL) == SEARCH_HERE)
        m = flops_model(flops, first.point, &view);
    if (m) {
        bool *classes = arena_array(f->arena, view.table->label_count + 1,
                                    sizeof(*classes));
        data_fitted_print(&b, view.set, nn_model_data(m), &view, classes);
    }
    nn_model_free(m);
    flops_close(flops);
    search_free(search);
    struct str text = arena_str(f->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

bool bulk_foresee(const struct plan_campaign *c, const struct plan_stage *s,
                  const char *home, struct bulk_outlook *to, struct arena *a)
{
    const struct plan_predict *p = s->plan ? s->plan->predict : NULL;
    struct bulk_cost cost = {0};
    struct err why = {0};
    *to = (struct bulk_outlook){0};
    if (!p)
        return false;
    struct foreseeing f = {
        .campaign = c, .stage = s, .home = home, .to = to, .arena = a};
    to->samples = p->samples > 1 ? p->samples : 1;
    to->of_command = p->of_command;
    if (p->shards) { /* all is there, and was counted */
        to->rows = p->rows;
        to->models = p->models_count;
        to->core_s = p->row_s * (double)p->rows;
        return true;
    }
    const char *folder = arena_printf(a, "%s/.throng/%.*s/%.*s", home,
                                      STRF(c->name), STRF(s->name));
    struct plan_predict counted = *p;
    counted.own = own_tables(p, home, folder, a);
    if (!p->of_command)
        count_models(&f, &cost);
    struct str fitted = cost.spec ? cost.fitted : fitted_of(&f);
    if (shards_count_rows(&counted, cost.spec ? cost.spec : spec_of(&f), fitted,
                          home, &why))
        to->rows_told = arena_cstr(a, str_of(why.text));
    else if (counted.misfits[0])
        to->misfits = arena_cstr(a, str_of(counted.misfits));
    to->rows = counted.rows;
    if (f.study)
        cost_of_row(&f);
    to->core_s *= (double)to->rows;
    return true;
}

/* ---- what is kept ----------------------------------------------------------
 */

static int check_keep(const struct foreseeing *f, const struct value *point,
                      struct flop_counter *flops, const struct value **fault,
                      struct err *err)
{
    static const double quantiles[] = INFERENCE_QUANTILES;
    const struct plan_predict *p = f->stage->plan->predict;
    bool one = f->to->models == 1 && !f->to->models_told;
    bool told = !one || p->samples > 1 || !p->product_count;
    struct kept_columns k = {
        .members = one ? 1 : 2,
        .more = {p->calibration, p->novelty, p->product_count > 0},
        .samples = (size_t)p->samples,
        .quantiles = quantiles,
        .quantile_count = told ? INFERENCE_QUANTILE_COUNT : 0};
    struct data_view view;
    struct nn_model *m = flops_model(flops, point, &view);
    *fault = p->keep;
    int rc = m ? kept_columns_check_model(&k, m, view.table, p->keep, fault,
                                          f->arena, err)
               : 0;
    nn_model_free(m);
    return rc;
}

int bulk_foresee_keep(const struct plan_campaign *c, const struct plan_stage *s,
                      const char *home, const struct value **fault,
                      struct arena *a, struct err *err)
{
    struct bulk_outlook o = {0};
    struct bulk_cost cost;
    struct foreseeing f = {
        .campaign = c, .stage = s, .home = home, .to = &o, .arena = a};
    struct point_source points;
    struct suggestion first = {0};
    struct err ignored = {0};
    int rc = 0;
    if (!s->plan || !s->plan->predict || !s->plan->predict->keep ||
        s->plan->predict->layer)
        return 0;
    count_models(&f, &cost);
    const struct plan *p = f.study ? f.study->plan : NULL;
    if (!p || !p->model_root)
        return 0;
    struct search *search = plan_search(p, 0, &points, a, &ignored);
    struct flop_counter *flops = search ? flops_open(p, home) : NULL;
    if (flops && search_ask(search, 1, a, &first, NULL) == SEARCH_HERE)
        rc = check_keep(&f, first.point, flops, fault, err);
    flops_close(flops);
    search_free(search);
    return rc;
}
