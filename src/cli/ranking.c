/* ranking.c - the table of the best trials
 *
 * A list as long as the study must not need its memory: for programs, rows
 * are printed while they are read. Only a table on a terminal, or one with
 * few rows, is kept until its widths and columns are known. */
#include "cli/ranking.h"

#include <math.h>
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "view/view.h"

/* What a person sees on a terminal; elsewhere numbers are exact. */
#define VALUE_DIGITS 6
#define ROWS_AT_ONCE 1000 /* of a table that is printed while it is read */
#define FLUSH_BYTES (1u << 16)

struct ranked {
    size_t rank; /* from 1 */
    struct trial t;
    struct value *point;
    const struct value **chosen; /* one for each column that was asked for */
    double shown;                /* what it is ranked by */
    double expected; /* what the method's model believes; NaN: nothing */
};

struct sheet {
    struct call *call;
    struct store *store;
    const struct ranking *ranking;
    struct study_goal goal;
    struct trial_mean *means; /* what is expected, where there is noise */
    size_t mean_count;
    const char *title;   /* of the ranked column */
    struct arena *arena; /* for one row */
    VEC(struct ranked) rows;
    struct point_columns columns;
    struct trial_columns chosen; /* instead of those; none: --columns is not
                                    given */
    struct str *written;         /* parameters in the file's order */
    size_t written_count;
    struct table *table;
    struct buf out;
    size_t ranked; /* rows in all */
};
typedef void ranked_fn(struct sheet *s, const struct ranked *r);

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

/* What a trial shows under `by`: a column, a parameter or a metric. */
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
    return summary_number(
        json_parse(s->arena, r->t.summary, "summary", false, NULL), str_of(by));
}

static bool small_is_good(const struct sheet *s)
{
    const char *by = s->ranking->by;
    bool value = !by || !strcmp(by, "value");
    return value ? s->goal.minimize : goal_minimizes(&s->goal.all, str_of(by));
}

static struct query query_of(const struct sheet *s)
{
    const struct ranking *k = s->ranking;
    bool metric = k->by && strcmp(k->by, "value") && !is_column(k->by);
    struct query q = {
        .where = k->where,
        .by = k->by ? k->by : "value",
        .descending =
            (!k->by || metric || !strcmp(k->by, "value")) && !small_is_good(s),
        .limit = k->limit,
        /* Where values of metrics, tags and notes are. */
        .with_texts = metric || s->chosen.names.len,
    };
    if (k->reverse)
        q.descending = !q.descending;
    return q;
}

/* What a model expects of a trial; NaN: nothing. */
static double expected(const struct sheet *s, int64_t trial)
{
    for (size_t i = 0; i < s->mean_count; i++)
        if (s->means[i].trial == trial)
            return s->means[i].mean;
    return NAN;
}

static const struct value **read_chosen(struct sheet *s, const struct ranked *r)
{
    size_t n = s->chosen.names.len;
    const struct value **list = arena_array(s->arena, n, sizeof(*list));
    for (size_t i = 0; i < n; i++)
        list[i] = trial_column(s->store, &r->t, r->point, s->chosen.names.p[i],
                               s->arena);
    return list;
}

/* Texts and points of a row are valid during its call. */
static int each_row(struct sheet *s, const struct query *q, ranked_fn *fn)
{
    struct err *err = &s->call->err;
    struct rows *rows = store_rows(s->store, q, err);
    if (!rows)
        return -1;
    struct ranked r = {0};
    int got;
    while ((got = rows_next(rows, &r.t, err)) > 0) {
        arena_reset(s->arena);
        r.rank++;
        s->ranked++;
        r.point = json_parse(s->arena, r.t.point, "point", false, err);
        if (!r.point) {
            got = -1;
            break;
        }
        r.chosen = read_chosen(s, &r);
        r.shown = shown(s, &r);
        r.expected = expected(s, r.t.id);
        fn(s, &r);
    }
    rows_close(rows);
    return got;
}

/* ---- tables ----------------------------------------------------------- */

static int value_digits(const struct sheet *s)
{
    return s->call->terminal ? VALUE_DIGITS : 0;
}

/* What is ranked by has its column already. */
static bool is_ranked_by(const struct sheet *s, const char *column)
{
    return s->ranking->by && !strcmp(s->ranking->by, column);
}

/* The study's own metric stays in sight, whatever trials are ranked by. */
static bool shows_own(const struct sheet *s)
{
    const char *by = s->ranking->by;
    return by && strcmp(by, "value") && s->goal.name.len &&
           !str_is(s->goal.name, by) && !s->chosen.names.len;
}

static bool is_left_out(const struct sheet *s, struct str param)
{
    return s->ranking->by && !is_column(s->ranking->by) &&
           str_is(param, s->ranking->by);
}

static void add_point(struct sheet *s, const struct value *point)
{
    for (size_t i = 0; i < s->columns.names.len; i++)
        if (!is_left_out(s, s->columns.names.p[i]))
            table_value(s->table, s->call,
                        point_flat_get(point, s->columns.names.p[i]));
}

static void add_shown(struct sheet *s, const struct ranked *r)
{
    struct str by = str_of(s->ranking->by);
    const struct value *v =
        is_left_out(s, by) ? point_flat_get(r->point, by) : NULL;
    if (v)
        table_value(s->table, s->call, v);
    else
        table_number(s->table, r->shown, value_digits(s));
}

/* The metric that is ranked by stands in front already. */
static bool is_shown(const struct sheet *s, const char *column)
{
    return !strcmp(column, "rank") || !strcmp(column, "trial") ||
           !strcmp(column, s->title);
}

static void add_chosen(struct sheet *s, const struct ranked *r)
{
    for (size_t i = 0; i < s->chosen.names.len; i++)
        if (!is_shown(s, s->chosen.names.p[i]))
            table_chosen(s->table, s->call, s->chosen.names.p[i], r->chosen[i]);
}

static void add_row(struct sheet *s, const struct ranked *r)
{
    table_cell(s->table, "%zu", r->rank);
    table_cell(s->table, "%lld", (long long)r->t.id);
    if (!is_ranked_by(s, "trial"))
        add_shown(s, r);
    if (shows_own(s))
        table_number(s->table, r->t.value, value_digits(s));
    if (s->mean_count)
        table_number(s->table, r->expected, value_digits(s));
    if (s->chosen.names.len) {
        add_chosen(s, r);
    } else {
        add_point(s, r->point);
        table_cell(s->table, "%s", state_name(r->t.state));
        if (!is_ranked_by(s, "seconds"))
            table_seconds(s->table, s->call, r->t.seconds);
    }
    table_row(s->table);
}

static void add_param_titles(struct sheet *s)
{
    for (size_t i = 0; i < s->columns.names.len; i++)
        if (!is_left_out(s, s->columns.names.p[i]))
            table_column(s->table, s->columns.names.p[i].p, true);
}

static void add_own_titles(struct sheet *s)
{
    add_param_titles(s);
    table_column(s->table, "state", false);
    if (!is_ranked_by(s, "seconds"))
        table_column(s->table, "seconds", true);
}

static void add_chosen_titles(struct sheet *s)
{
    for (size_t i = 0; i < s->chosen.names.len; i++)
        if (!is_shown(s, s->chosen.names.p[i]))
            table_column(s->table, s->chosen.names.p[i], true);
}

static void add_titles(struct sheet *s)
{
    point_columns_order(&s->columns, s->written, s->written_count);
    table_column(s->table, "rank", true);
    table_column(s->table, "trial", true);
    if (!is_ranked_by(s, "trial"))
        table_column(s->table, s->title, true);
    if (shows_own(s))
        table_column(s->table, arena_cstr(s->call->arena, s->goal.name), true);
    if (s->mean_count)
        table_column(s->table, "expected", true);
    if (s->chosen.names.len)
        add_chosen_titles(s);
    else
        add_own_titles(s);
}

static void keep_row(struct sheet *s, const struct ranked *r)
{
    struct arena *a = s->call->arena;
    struct ranked own = *r;
    own.point = value_copy(a, r->point);
    own.chosen = arena_array(a, s->chosen.names.len, sizeof(*own.chosen));
    for (size_t i = 0; i < s->chosen.names.len; i++)
        own.chosen[i] = r->chosen[i] ? value_copy(a, r->chosen[i]) : NULL;
    point_columns_add(&s->columns, own.point);
    vec_push(&s->rows, own);
}

static void keep_columns(struct sheet *s, const struct ranked *r)
{
    point_columns_add(&s->columns, r->point);
}

static void print_row(struct sheet *s, const struct ranked *r)
{
    add_row(s, r);
    if (r->rank % ROWS_AT_ONCE == 0)
        table_print(s->table, s->call);
}

static int print_table(struct sheet *s)
{
    struct query q = query_of(s);
    bool keep = s->call->terminal || s->ranking->limit;
    /* The order of rows does not matter to the names of their columns. */
    struct query any = {.where = q.where};
    if (keep ? each_row(s, &q, keep_row) : each_row(s, &any, keep_columns))
        return -1;
    add_titles(s);
    for (size_t i = 0; i < s->rows.len; i++)
        add_row(s, &s->rows.p[i]);
    if (!keep && each_row(s, &q, print_row))
        return -1;
    table_print(s->table, s->call);
    return 0;
}

/* ---- JSON ------------------------------------------------------------- */

static void print_json_row(struct sheet *s, const struct ranked *r)
{
    struct buf *b = &s->out;
    buf_addf(b, "%s{\"rank\":%zu,\"id\":%lld,\"state\":\"%s\",\"value\":",
             r->rank > 1 ? "," : "", r->rank, (long long)r->t.id,
             state_name(r->t.state));
    strict_number_or_null(b, r->shown);
    if (s->mean_count) {
        buf_adds(b, ",\"expected\":");
        strict_number_or_null(b, r->expected);
    }
    buf_adds(b, ",\"params\":");
    strict_text(b, r->t.point);
    buf_adds(b, ",\"seconds\":");
    strict_seconds(b, r->t.seconds);
    if (s->chosen.names.len) {
        buf_adds(b, ",\"columns\":");
        trial_columns_json(b, &s->chosen, r->chosen);
    }
    buf_addc(b, '}');
    if (b->len > FLUSH_BYTES) {
        put(buf_str(b));
        buf_reset(b);
    }
}

static int print_json(struct sheet *s)
{
    struct buf *b = &s->out;
    struct query q = query_of(s);
    buf_adds(b, "{\"schema\":\"throng.rank/1\"");
    age_json(b, s->call->as_of);
    buf_adds(b, ",\"by\":");
    json_string(b, str_of(s->title));
    buf_addf(b, ",\"goal\":\"%s\",\"trials\":[",
             small_is_good(s) ? "minimize" : "maximize");
    if (each_row(s, &q, print_json_row))
        return -1;
    buf_adds(b, "]}\n");
    put(buf_str(b));
    return 0;
}

/* ---- over ------------------------------------------------------------- */

static void print_groups_json(struct sheet *s, const struct group_row *list,
                              size_t count)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "{\"schema\":\"throng.rank-over/1\"");
    age_json(&b, s->call->as_of);
    buf_adds(&b, ",\"over\":");
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
    point_columns_order(&s->columns, s->written, s->written_count);
    static const char *const titles[] = {"rank", "mean", "std", "min",
                                         "max",  "n",    "best"};
    struct table *t = s->table;
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        table_column(t, titles[i], true);
    add_param_titles(s);
    for (size_t i = 0; i < count; i++) {
        table_cell(t, "%zu", i + 1);
        table_number(t, list[i].mean, value_digits(s));
        table_number(t, list[i].std, value_digits(s));
        table_number(t, list[i].min, value_digits(s));
        table_number(t, list[i].max, value_digits(s));
        table_cell(t, "%lld", (long long)list[i].count);
        table_cell(t, "%lld", (long long)list[i].best);
        add_point(s, points[i]);
        table_row(t);
    }
    table_print(t, c);
    return 0;
}

static int rank_over(struct sheet *s)
{
    struct group_row *list;
    size_t count;
    struct call *c = s->call;
    if (store_group(s->store, s->ranking->over, s->ranking->where,
                    s->goal.minimize, s->ranking->limit, c->arena, &list,
                    &count, &c->err))
        return -1;
    s->ranked = count;
    if (!s->ranking->json)
        return print_groups(s, list, count);
    print_groups_json(s, list, count);
    return 0;
}

/* ---- entry ------------------------------------------------------------ */

/* A misspelt name gives an empty list, which looks like a result. */
static int check_names(struct sheet *s)
{
    const char *by = s->ranking->by;
    bool named = by && !is_column(by) && strcmp(by, "value");
    if (named && name_check(s->store, by, s->call->arena, &s->call->err))
        return -1;
    if (s->ranking->over && names_check_over(s->store, s->ranking->over,
                                             s->call->arena, &s->call->err))
        return s->call->err.kind == ERR_INPUT
                   ? err_wrap(&s->call->err, "--over")
                   : -1;
    return names_check_filter(s->store, s->ranking->where, s->call->arena,
                              &s->call->err);
}

/* Which columns, in which order. */
static int read_order(struct sheet *s)
{
    struct call *c = s->call;
    const char *columns = s->ranking->columns;
    if (columns &&
        trial_columns_parse(&s->chosen, s->store, columns, c->arena, &c->err))
        return -1;
    if (columns && !s->chosen.names.len)
        return err_set(&c->err, ERR_USAGE,
                       "--columns takes names such as lr,val_acc,tag,host");
    return point_columns_written(s->store, c->arena, &s->written,
                                 &s->written_count, &c->err);
}

static int rank(struct sheet *s)
{
    struct call *c = s->call;
    if (study_goal_read(s->store, c->arena, &s->goal, &c->err))
        return -1;
    if (!s->goal.name.len && s->ranking->over)
        return err_set(&c->err, ERR_INPUT,
                       "this study names no metric whose mean could be taken; "
                       "add `metric:` to its file");
    if (!s->goal.name.len && !s->ranking->by)
        return err_set(&c->err, ERR_INPUT,
                       "this study names no metric to rank by; use --by NAME "
                       "(a metric, a parameter, or seconds), or add `metric:` "
                       "to its file");
    s->title =
        s->ranking->by ? s->ranking->by : arena_cstr(c->arena, s->goal.name);
    if (check_names(s) || read_order(s))
        return -1;
    if (s->ranking->over)
        return rank_over(s);
    const struct goal *all = &s->goal.all;
    if (!s->ranking->by && goal_has_fronts(all))
        return ranking_fronts(c, s->store, s->ranking, all, &s->chosen,
                              &s->ranked);
    if (!s->ranking->by &&
        store_means(s->store, c->arena, &s->means, &s->mean_count, &c->err))
        return -1;
    return s->ranking->json ? print_json(s) : print_table(s);
}

static bool any_open(struct store *store)
{
    struct counts c;
    return !store_counts(store, &c, NULL) && c.by_state[STATE_WAITING] +
                                                     c.by_state[STATE_RUNNING] +
                                                     c.by_state[STATE_PAUSED] >
                                                 0;
}

/* An empty table may be what was asked for, or a mistake: it is said. */
static void say_none(const struct sheet *s)
{
    const struct ranking *k = s->ranking;
    int64_t made = store_last_trial(s->store);
    if (!made)
        say("throng: the study has no trial yet\n");
    else if (k->where)
        say("throng: of %lld trial%s none that has a value passes the "
            "filter `%s`\n",
            (long long)made, made == 1 ? "" : "s", k->where);
    else
        say("throng: of %lld trial%s none has a value%s\n", (long long)made,
            made == 1 ? "" : "s", any_open(s->store) ? " yet" : "");
}

/* Those that ended well and are not in the table. */
static void say_valueless(const struct sheet *s)
{
    int64_t count;
    if (!s->ranked || s->ranking->json || s->ranking->where ||
        s->goal.all.bound_count || s->goal.all.objective_count > 1 ||
        store_valueless(s->store, &count, NULL) || !count)
        return;
    say("throng: %lld trial%s ended well without a value: the metric is not "
        "a number, or was not reported\n",
        (long long)count, count == 1 ? "" : "s");
}

int ranking_print(struct call *c, struct store *store, const struct ranking *r)
{
    struct sheet s = {.call = c, .store = store, .ranking = r};
    s.arena = arena_new();
    s.table = table_new();
    buf_init(&s.out);
    point_columns_init(&s.columns, c->arena);
    int rc = rank(&s);
    if (!rc && !s.ranked && !r->json)
        say_none(&s);
    if (!rc)
        say_valueless(&s);
    point_columns_done(&s.columns);
    trial_columns_done(&s.chosen);
    buf_done(&s.out);
    table_free(s.table);
    arena_free(s.arena);
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
        .columns = call_option(c, "columns"),
        .reverse = call_flag(c, "reverse"),
        .json = call_flag(c, "json"),
    };
    struct place_of_study where;
    if (r.over && (r.by || r.reverse))
        return call_usage(c, "with --over the study's own metric decides; "
                             "--by and --reverse do not go with it");
    if (r.over && r.columns)
        return call_usage(c, "--over has columns of its own; --columns does "
                             "not go with it");
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
            "over a parameter; --over seed\nover the repeats of a point. "
            "--columns lr,val_acc,tag,host shows these instead\nof the "
            "parameters: any parameter, metric (also loss.min), or state, "
            "seconds,\ntag, note, host, reason, started, ended, attempts.\n\n"
            "Of several metrics the Pareto set comes first. Where equal points "
            "had different\nvalues, a column says what a model of the results "
            "expects of the best trials:\na best value may be luck.\n",
    .options =
        (const struct option_spec[]){
            {"number", 'n', "N", "how many rows (10; 0: all)"},
            {"by", 0, "NAME", "rank by a metric, a parameter or a column"},
            {"columns", 0, "NAMES", "show these, not the parameters"},
            {"where", 0, "FILTER", "only trials for which this holds"},
            {"over", 0, "NAME", "mean and spread over a parameter, or seed"},
            {"reverse", 'r', NULL, "worst first"},
            {"json", 0, NULL, "for programs: schema throng.rank/1"},
            {0}},
    .run = run,
    .pages = true,
};
