/* study_routes.c - answers about studies: what the verbs print as JSON */
#include <math.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "web/routes.h"

int route_studies(struct exchange *x)
{
    struct studies all;
    struct buf *b = &x->answer.body;
    if (studies_find(&all, x->web->setup.folder, false, NULL, x->arena,
                     &x->err)) {
        studies_done(&all);
        return -1;
    }
    buf_adds(b, "{\"schema\":\"throng.ls/1\",\"studies\":[");
    for (size_t i = 0; i < all.list.len; i++) {
        buf_adds(b, i ? "," : "");
        study_entry_json(b, studies_read(&all, i, x->arena));
    }
    buf_adds(b, "]}\n");
    studies_done(&all);
    return 0;
}

int route_study(struct exchange *x)
{
    struct standing s = {0};
    int rc = standing_read(&s, x->store, x->arena, &x->err) ||
                     standing_read_results(&s, x->store, x->arena, &x->err)
                 ? -1
                 : 0;
    if (!rc)
        standing_json(&x->answer.body, &s, &x->study->where, x->arena,
                      store_as_of(x->store));
    standing_done(&s);
    return rc;
}

int route_campaign(struct exchange *x)
{
    struct campaign_standing c;
    if (!store_is_campaign(x->store))
        return err_set(&x->err, ERR_MISSING, "`%s` is no campaign",
                       x->study->where.name);
    if (campaign_read(&c, x->store, &x->study->where, x->arena, &x->err))
        return -1;
    campaign_json(&x->answer.body, &c);
    return 0;
}

/* ---- what a page must know before it draws ----------------------------- */

static void add_text(struct buf *b, const char *name, const char *text)
{
    buf_addf(b, ",\"%s\":", name);
    strict_string_or_null(b, str_of(text ? text : ""));
}

/* Where none is listed, the metric is the only one. */
static void add_objectives(struct buf *b, const struct study_goal *goal)
{
    struct objective own = {goal->name, goal->minimize};
    const struct objective *list = goal->all.objectives;
    size_t count = goal->all.objective_count;
    if (!count && own.name.len) {
        list = &own;
        count = 1;
    }
    buf_adds(b, ",\"objectives\":[");
    for (size_t i = 0; i < count; i++) {
        buf_adds(b, i ? ",{\"name\":" : "{\"name\":");
        json_string(b, list[i].name);
        buf_addf(b, ",\"goal\":\"%s\"}",
                 list[i].minimize ? "minimize" : "maximize");
    }
    buf_addf(b, "],\"fronts\":%s",
             goal_has_fronts(&goal->all) ? "true" : "false");
}

static int add_names(struct exchange *x)
{
    struct buf *b = &x->answer.body;
    struct str *written;
    size_t count;
    const char **metrics = store_metric_names(x->store, 0, x->arena, &x->err);
    if (!metrics ||
        point_columns_written(x->store, x->arena, &written, &count, &x->err))
        return -1;
    buf_adds(b, ",\"metrics\":[");
    for (size_t i = 0; metrics[i]; i++) {
        buf_adds(b, i ? "," : "");
        json_string(b, str_of(metrics[i]));
    }
    buf_adds(b, "],\"parameters\":[");
    for (size_t i = 0; i < count; i++) {
        buf_adds(b, i ? "," : "");
        json_string(b, written[i]);
    }
    buf_addc(b, ']');
    return 0;
}

static int add_space(struct exchange *x)
{
    struct str text;
    if (store_fact(x->store, "space", x->arena, &text, &x->err))
        return -1;
    buf_adds(&x->answer.body, ",\"space\":");
    if (text.len)
        strict_text(&x->answer.body, text);
    else
        buf_adds(&x->answer.body, "null");
    return 0;
}

int route_about(struct exchange *x)
{
    struct buf *b = &x->answer.body;
    struct study_goal goal;
    struct str metric;
    if (study_goal_read(x->store, x->arena, &goal, &x->err))
        return -1;
    metric = goal.name;
    buf_adds(b, "{\"schema\":\"throng.about/1\",\"study\":");
    json_string(b, str_of(x->study->where.name));
    buf_adds(b, ",\"metric\":");
    strict_string_or_null(b, metric);
    buf_addf(b, ",\"goal\":\"%s\"", goal.minimize ? "minimize" : "maximize");
    add_objectives(b, &goal);
    if (add_names(x) || add_space(x))
        return -1;
    add_text(b, "resume", resume_command(x->arena, &x->study->where));
    buf_addf(b, ",\"control\":%s,\"campaign\":%s}\n",
             x->web->setup.control ? "true" : "false",
             store_is_campaign(x->store) ? "true" : "false");
    return 0;
}

/* ---- lists ------------------------------------------------------------- */

static void put_piece(void *context, struct str text)
{
    buf_addstr(context, text);
}

static int read_fronts(struct exchange *x, struct ranks *s)
{
    struct ranked_fronts fronts;
    int rc = fronts_open(&fronts, s, &x->err);
    if (!rc)
        rc = fronts_json(&x->answer.body, &fronts, store_as_of(x->store),
                         x->arena, &x->err);
    fronts_done(&fronts);
    return rc;
}

static int rank(struct exchange *x, struct ranks *s)
{
    if (ranks_check(s, x->arena, &x->err) || ranks_read(s, x->arena, &x->err))
        return -1;
    if (!s->asked->by && goal_has_fronts(&s->goal.all))
        return read_fronts(x, s);
    return ranks_json(s, store_as_of(x->store), put_piece, &x->answer.body,
                      &x->err);
}

int route_rank(struct exchange *x)
{
    struct ranking asked = {0};
    struct ranks s;
    if (ask_text(x, "by", &asked.by) || ask_text(x, "where", &asked.where) ||
        ask_text(x, "columns", &asked.columns) ||
        ask_number(x, "limit", 0, INT64_MAX, 10, &asked.limit))
        return -1;
    asked.reverse = ask_flag(x, "reverse");
    asked.whole_front = ask_flag(x, "front");
    if (ranks_open(&s, x->store, &asked, x->arena, &x->err))
        return -1;
    int rc = rank(x, &s);
    ranks_done(&s);
    return rc;
}

int route_importance(struct exchange *x)
{
    const char *method, *metric;
    struct study_goal goal;
    if (ask_text(x, "method", &method) || ask_text(x, "metric", &metric) ||
        study_goal_read(x->store, x->arena, &goal, &x->err))
        return -1;
    struct inquiry q = {.method = method ? method : "ped-anova",
                        .metric = metric ? str_of(metric) : goal.name,
                        .minimize = goal.minimize};
    if (strcmp(q.method, "ped-anova") && strcmp(q.method, "fanova"))
        return err_set(&x->err, ERR_INPUT,
                       "`method` is ped-anova or fanova, not `%s`", method);
    bool other = metric && !str_eq(q.metric, goal.name);
    if (other)
        q.minimize = goal_minimizes(&goal.all, q.metric);
    int rc = inquiry_read(&q, x->store, other, x->arena, &x->err);
    if (!rc)
        inquiry_json(&x->answer.body, &q, x->study->where.name,
                     store_as_of(x->store));
    inquiry_done(&q);
    return rc;
}

int route_errors(struct exchange *x)
{
    struct errors e = {0};
    int64_t most;
    if (ask_number(x, "limit", 1, 10000, 100, &most))
        return -1;
    int rc = errors_read(&e, x->store, x->arena, &x->err);
    if (!rc)
        errors_json(&x->answer.body, &e, (size_t)most, x->study->where.name,
                    store_as_of(x->store));
    errors_done(&e);
    return rc;
}

int route_load(struct exchange *x)
{
    int64_t points;
    if (ask_number(x, "points", 1, PICTURE_POINTS_MAX, 240, &points))
        return -1;
    return load_json(&x->answer.body, x->store, (size_t)points, x->arena,
                     &x->err);
}

int route_compare(struct exchange *x)
{
    const char **trials;
    struct comparison c;
    size_t count = 0;
    if (ask_texts(x, "trials", &trials))
        return -1;
    while (trials[count])
        count++;
    if (!count)
        return err_set(&x->err, ERR_INPUT,
                       "which trials? such as ?trials=3,7 or ?trials=best:5");
    int rc = comparison_read(&c, x->store, trials, count, ask_flag(x, "all"),
                             x->arena, &x->err);
    if (!rc)
        comparison_json(&x->answer.body, &c, x->study->where.name,
                        store_as_of(x->store));
    comparison_done(&c);
    return rc;
}

/* ---- the machine ------------------------------------------------------- */
