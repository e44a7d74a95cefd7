/* ranking.c - the table of the best trials */
#include "cli/ranking.h"

#include <math.h>
#include "base/json.h"
#include "base/num.h"
#include "cli/names.h"
#include "cli/point_columns.h"
#include "cli/strict_json.h"

/* What a person sees on a terminal; elsewhere numbers are exact. */
#define VALUE_DIGITS 6
#define PARAM_DIGITS 4

struct ranked {
    struct trial t;
    struct value *point;
    double shown; /* what it is ranked by */
};

struct sheet {
    struct call *call;
    const struct ranking *ranking;
    struct study_goal goal;
    const char *title; /* of the ranked column */
    VEC(struct ranked) rows;
    struct point_columns columns;
};

/* ---- reading ---------------------------------------------------------- */

static bool is_column(const char *name)
{
    static const char *const names[] = {"trial",   "seconds", "attempts",
                                        "started", "ended",   "created",
                                        "failures"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static double column_value(const struct trial *t, const char *name)
{
    const struct {
        const char *name;
        double value;
    } all[] = {
        {"trial", (double)t->id},  {"seconds", t->seconds},
        {"attempts", t->attempts}, {"started", t->started},
        {"ended", t->ended},       {"created", t->created},
        {"failures", t->failures},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (!strcmp(all[i].name, name))
            return all[i].value;
    return NAN;
}

/* What a trial shows under `by`: a column, a parameter, or a metric's last
 * value. */
static double shown(struct sheet *s, const struct ranked *r)
{
    const char *by = s->ranking->by;
    if (!by || !strcmp(by, "value"))
        return r->t.value;
    if (is_column(by))
        return column_value(&r->t, by);
    const struct value *p = point_flat_get(r->point, str_of(by));
    if (p)
        return value_number(p);
    struct value *summary =
        json_parse(s->call->arena, r->t.summary, "summary", true, NULL);
    return value_number(value_get(value_get(summary, str_of(by)), STR("last")));
}

static int read_rows(struct sheet *s, struct store *store)
{
    const struct ranking *k = s->ranking;
    struct call *c = s->call;
    bool metric = k->by && strcmp(k->by, "value") && !is_column(k->by);
    struct query q = {
        .where = k->where,
        .by = k->by ? k->by : "value",
        .descending =
            (!k->by || metric || !strcmp(k->by, "value")) && !s->goal.minimize,
        .limit = k->limit,
        .with_texts = true,
    };
    if (k->reverse)
        q.descending = !q.descending;
    struct rows *rows = store_rows(store, &q, &c->err);
    if (!rows)
        return -1;
    struct ranked r;
    int got;
    while ((got = rows_next(rows, &r.t, &c->err)) > 0) {
        r.t.point = arena_str(c->arena, r.t.point);
        r.t.summary = arena_str(c->arena, r.t.summary);
        r.point = json_parse(c->arena, r.t.point, "point", false, &c->err);
        if (!r.point) {
            got = -1;
            break;
        }
        r.shown = shown(s, &r);
        vec_push(&s->rows, r);
        point_columns_add(&s->columns, r.point);
    }
    rows_close(rows);
    point_columns_sort(&s->columns);
    return got;
}

/* ---- printing --------------------------------------------------------- */

static int value_digits(const struct sheet *s)
{
    return s->call->terminal ? VALUE_DIGITS : 0;
}

static void add_point(struct table *t, const struct sheet *s,
                      const struct value *point)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < s->columns.names.len; i++) {
        const struct value *v = point_flat_get(point, s->columns.names.p[i]);
        if (v && v->kind == VALUE_DOUBLE && s->call->terminal) {
            table_number(t, v->d, PARAM_DIGITS);
            continue;
        }
        buf_reset(&b);
        point_cell(&b, v);
        table_cell(t, "%s", b.p);
    }
    buf_done(&b);
}

static void print_table(struct sheet *s)
{
    struct table *t = table_new();
    table_column(t, "rank", true);
    table_column(t, "trial", true);
    table_column(t, s->title, true);
    for (size_t i = 0; i < s->columns.names.len; i++)
        table_column(t, s->columns.names.p[i].p, true);
    table_column(t, "state", false);
    table_column(t, "seconds", true);
    for (size_t i = 0; i < s->rows.len; i++) {
        const struct ranked *r = &s->rows.p[i];
        table_cell(t, "%zu", i + 1);
        table_cell(t, "%lld", (long long)r->t.id);
        table_number(t, r->shown, value_digits(s));
        add_point(t, s, r->point);
        table_cell(t, "%s", state_name(r->t.state));
        table_cell(t, "%.2f", r->t.seconds);
        table_row(t);
    }
    table_print(t, s->call);
    table_free(t);
}

static void print_json(struct sheet *s)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "{\"schema\":\"throng.rank/1\",\"by\":");
    json_string(&b, str_of(s->title));
    buf_addf(&b, ",\"goal\":\"%s\",\"trials\":[",
             s->goal.minimize ? "minimize" : "maximize");
    for (size_t i = 0; i < s->rows.len; i++) {
        const struct ranked *r = &s->rows.p[i];
        buf_addf(&b,
                 "%s{\"rank\":%zu,\"id\":%lld,\"state\":\"%s\","
                 "\"value\":",
                 i ? "," : "", i + 1, (long long)r->t.id,
                 state_name(r->t.state));
        strict_number_or_null(&b, r->shown);
        buf_adds(&b, ",\"params\":");
        strict_text(&b, r->t.point);
        buf_adds(&b, ",\"seconds\":");
        strict_number(&b, r->t.seconds);
        buf_addc(&b, '}');
    }
    buf_adds(&b, "]}\n");
    put(buf_str(&b));
    buf_done(&b);
}

/* ---- over ------------------------------------------------------------- */

static void print_groups_json(struct sheet *s, const struct group_row *list,
                              size_t count)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "{\"schema\":\"throng.rank-over/1\",\"over\":");
    json_string(&b, str_of(s->ranking->over));
    buf_adds(&b, ",\"groups\":[");
    for (size_t i = 0; i < count; i++) {
        const struct group_row *g = &list[i];
        buf_addf(&b, "%s{\"rank\":%zu,\"count\":%lld,\"mean\":", i ? "," : "",
                 i + 1, (long long)g->count);
        strict_number_or_null(&b, g->mean);
        buf_adds(&b, ",\"std\":");
        strict_number_or_null(&b, g->std);
        buf_adds(&b, ",\"min\":");
        strict_number_or_null(&b, g->min);
        buf_adds(&b, ",\"max\":");
        strict_number_or_null(&b, g->max);
        buf_addf(&b, ",\"best\":%lld,\"params\":", (long long)g->best);
        strict_text(&b, g->point);
        buf_addc(&b, '}');
    }
    buf_adds(&b, "]}\n");
    put(buf_str(&b));
    buf_done(&b);
}

static int print_groups(struct sheet *s, const struct group_row *list,
                        size_t count)
{
    struct call *c = s->call;
    struct value **points = arena_array(c->arena, count + 1, sizeof(*points));
    for (size_t i = 0; i < count; i++) {
        points[i] =
            json_parse(c->arena, list[i].point, "point", false, &c->err);
        if (!points[i])
            return -1;
        point_columns_add(&s->columns, points[i]);
    }
    point_columns_sort(&s->columns);
    static const char *const titles[] = {"rank", "mean", "std", "min",
                                         "max",  "n",    "best"};
    struct table *t = table_new();
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        table_column(t, titles[i], true);
    for (size_t i = 0; i < s->columns.names.len; i++)
        table_column(t, s->columns.names.p[i].p, true);
    for (size_t i = 0; i < count; i++) {
        table_cell(t, "%zu", i + 1);
        table_number(t, list[i].mean, value_digits(s));
        table_number(t, list[i].std, value_digits(s));
        table_number(t, list[i].min, value_digits(s));
        table_number(t, list[i].max, value_digits(s));
        table_cell(t, "%lld", (long long)list[i].count);
        table_cell(t, "%lld", (long long)list[i].best);
        add_point(t, s, points[i]);
        table_row(t);
    }
    table_print(t, c);
    table_free(t);
    return 0;
}

static int rank_over(struct sheet *s, struct store *store)
{
    struct group_row *list;
    size_t count;
    struct call *c = s->call;
    if (store_group(store, s->ranking->over, s->ranking->where,
                    s->goal.minimize, s->ranking->limit, c->arena, &list,
                    &count, &c->err))
        return -1;
    if (!s->ranking->json)
        return print_groups(s, list, count);
    print_groups_json(s, list, count);
    return 0;
}

/* ---- entry ------------------------------------------------------------ */

/* A misspelt name gives an empty list, which looks like a result. */
static int check_names(struct sheet *s, struct store *store)
{
    const char *by = s->ranking->by;
    bool named = by && !is_column(by) && strcmp(by, "value");
    if (named && name_check(s->call, store, by))
        return -1;
    return names_check_filter(s->call, store, s->ranking->where);
}

static int rank(struct sheet *s, struct store *store)
{
    struct call *c = s->call;
    if (study_goal_read(store, c->arena, &s->goal, &c->err))
        return -1;
    if (!s->goal.name.len && !s->ranking->by)
        return err_set(&c->err, ERR_INPUT,
                       "this study names no metric to rank by; use --by NAME "
                       "(a metric, a parameter, or seconds), or add `metric:` "
                       "to its file");
    s->title =
        s->ranking->by ? s->ranking->by : arena_cstr(c->arena, s->goal.name);
    if (check_names(s, store))
        return -1;
    if (s->ranking->over)
        return rank_over(s, store);
    if (read_rows(s, store))
        return -1;
    if (s->ranking->json)
        print_json(s);
    else
        print_table(s);
    return 0;
}

int ranking_print(struct call *c, struct store *store, const struct ranking *r)
{
    struct sheet s = {.call = c, .ranking = r};
    point_columns_init(&s.columns, c->arena);
    int rc = rank(&s, store);
    point_columns_done(&s.columns);
    vec_done(&s.rows);
    return rc;
}

/* ---- the verb --------------------------------------------------------- */

static int run(struct call *c)
{
    struct ranking r = {
        .by = call_option(c, "by"),
        .where = call_option(c, "where"),
        .over = call_option(c, "over"),
        .reverse = call_flag(c, "reverse"),
        .json = call_flag(c, "json"),
    };
    struct place_of_study where;
    if (r.over && (r.by || r.reverse))
        return call_usage(c, "with --over the study's own metric decides; "
                             "--by and --reverse do not go with it");
    if (call_int(c, "number", 10, &r.limit) ||
        (r.where && store_filter_check(r.where, &c->err)))
        return call_fail(c);
    struct store *store = open_named_study(c, false, &where);
    if (!store)
        return call_fail(c);
    int code = ranking_print(c, store, &r) ? call_fail(c) : EXIT_OK;
    store_close(store);
    return code;
}

const struct verb verb_rank = {
    .name = "rank",
    .args = "[STUDY]",
    .summary = "List the best trials",
    .text = "Without --by the study's own metric decides. --where takes a "
            "filter such as\n'lr>1e-3 and opt==adam'. --over NAME averages "
            "over a parameter; --over seed\nover the repeats of a point.\n",
    .options =
        (const struct option_spec[]){
            {"number", 'n', "N", "how many rows (10; 0: all)"},
            {"by", 0, "NAME", "rank by a metric, a parameter or a column"},
            {"where", 0, "FILTER", "only trials for which this holds"},
            {"over", 0, "NAME", "mean and spread over a parameter, or seed"},
            {"reverse", 'r', NULL, "worst first"},
            {"json", 0, NULL, "for programs: schema throng.rank/1"},
            {0}},
    .run = run,
    .pages = true,
};
