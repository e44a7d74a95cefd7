/* ranking.c - the table of the best trials
 *
 * A list as long as the study must not need its memory: for programs, rows
 * are printed while they are read. Only a table on a terminal, or one with
 * few rows, is kept until its widths and columns are known. */
#include "cli/ranking.h"

#include "base/json.h"

/* What a person sees on a terminal; elsewhere numbers are exact. */
#define VALUE_DIGITS 6
#define ROWS_AT_ONCE 1000 /* of a table that is printed while it is read */

struct sheet {
    struct call *call;
    struct ranks ranks;
    VEC(struct ranked) rows;
    struct point_columns columns; /* of the parameters */
    struct table *table;
};

/* ---- tables ----------------------------------------------------------- */

static int value_digits(const struct sheet *s)
{
    return s->call->terminal ? VALUE_DIGITS : 0;
}

/* What is ranked by has its column already. */
static bool is_ranked_by(const struct sheet *s, const char *column)
{
    return s->ranks.asked->by && !strcmp(s->ranks.asked->by, column);
}

/* The study's own metric stays in sight, whatever trials are ranked by. */
static bool shows_own(const struct sheet *s)
{
    const char *by = s->ranks.asked->by;
    return by && strcmp(by, "value") && s->ranks.goal.name.len &&
           !str_is(s->ranks.goal.name, by) && !s->ranks.chosen.names.len;
}

static bool is_left_out(const struct sheet *s, struct str param)
{
    return s->ranks.asked->by && !ranking_is_column(s->ranks.asked->by) &&
           str_is(param, s->ranks.asked->by);
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
    struct str by = str_of(s->ranks.asked->by);
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
           !strcmp(column, s->ranks.title);
}

static void add_chosen(struct sheet *s, const struct ranked *r)
{
    for (size_t i = 0; i < s->ranks.chosen.names.len; i++)
        if (!is_shown(s, s->ranks.chosen.names.p[i]))
            table_chosen(s->table, s->call, s->ranks.chosen.names.p[i],
                         r->chosen[i]);
}

static void add_row(struct sheet *s, const struct ranked *r)
{
    table_cell(s->table, "%zu", r->rank);
    table_cell(s->table, "%lld", (long long)r->t.id);
    if (!is_ranked_by(s, "trial"))
        add_shown(s, r);
    if (shows_own(s))
        table_number(s->table, r->t.value, value_digits(s));
    if (s->ranks.mean_count)
        table_number(s->table, r->expected, value_digits(s));
    if (s->ranks.chosen.names.len) {
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
    for (size_t i = 0; i < s->ranks.chosen.names.len; i++)
        if (!is_shown(s, s->ranks.chosen.names.p[i]))
            table_column(s->table, s->ranks.chosen.names.p[i], true);
}

static void add_titles(struct sheet *s)
{
    point_columns_order(&s->columns, s->ranks.written, s->ranks.written_count);
    table_column(s->table, "rank", true);
    table_column(s->table, "trial", true);
    if (!is_ranked_by(s, "trial"))
        table_column(s->table, s->ranks.title, true);
    if (shows_own(s))
        table_column(s->table, arena_cstr(s->call->arena, s->ranks.goal.name),
                     true);
    if (s->ranks.mean_count)
        table_column(s->table, "expected", true);
    if (s->ranks.chosen.names.len)
        add_chosen_titles(s);
    else
        add_own_titles(s);
}

static void keep_row(void *context, const struct ranked *r)
{
    struct sheet *s = context;
    struct arena *a = s->call->arena;
    struct ranked own = *r;
    own.point = value_copy(a, r->point);
    own.chosen = arena_array(a, s->ranks.chosen.names.len, sizeof(*own.chosen));
    for (size_t i = 0; i < s->ranks.chosen.names.len; i++)
        own.chosen[i] = r->chosen[i] ? value_copy(a, r->chosen[i]) : NULL;
    point_columns_add(&s->columns, own.point);
    vec_push(&s->rows, own);
}

static void keep_columns(void *context, const struct ranked *r)
{
    struct sheet *s = context;
    point_columns_add(&s->columns, r->point);
}

static void print_row(void *context, const struct ranked *r)
{
    struct sheet *s = context;
    add_row(s, r);
    if (r->rank % ROWS_AT_ONCE == 0)
        table_print(s->table, s->call);
}

static int each_row(struct sheet *s, const struct query *q, ranked_fn *fn)
{
    return ranks_each(&s->ranks, q, fn, s, &s->call->err);
}

static int print_table(struct sheet *s)
{
    struct query q = ranks_query(&s->ranks);
    bool keep = s->call->terminal || s->ranks.asked->limit;
    /* The order of rows does not matter to the names of their columns. */
    struct query any = {.where = q.where};
    if (each_row(s, keep ? &q : &any, keep ? keep_row : keep_columns))
        return -1;
    add_titles(s);
    for (size_t i = 0; i < s->rows.len; i++)
        add_row(s, &s->rows.p[i]);
    if (!keep && each_row(s, &q, print_row))
        return -1;
    table_print(s->table, s->call);
    return 0;
}

/* ---- over ------------------------------------------------------------- */

static int print_groups(struct sheet *s, const struct group_row *list,
                        size_t count)
{
    struct call *c = s->call;
    struct tabled l;
    tabled_init(&l, c->arena);
    int rc = groups_table(&l, list, count, s->ranks.written,
                          s->ranks.written_count, &c->err);
    if (!rc)
        put_tabled(c, &l);
    tabled_done(&l);
    return rc;
}

static void print_groups_json(const struct sheet *s,
                              const struct group_row *list, size_t count)
{
    struct buf b;
    buf_init(&b);
    groups_json(&b, s->ranks.asked->over, list, count, s->call->as_of);
    put(buf_str(&b));
    buf_done(&b);
}

static int rank_over(struct sheet *s, bool json)
{
    struct group_row *list;
    size_t count;
    struct call *c = s->call;
    const struct ranking *k = s->ranks.asked;
    if (store_group(s->ranks.store, k->over, k->where, s->ranks.goal.minimize,
                    k->limit, c->arena, &list, &count, &c->err))
        return -1;
    s->ranks.count = count;
    if (!json)
        return print_groups(s, list, count);
    print_groups_json(s, list, count);
    return 0;
}

/* ---- entry ------------------------------------------------------------ */

static void put_json(void *context, struct str text)
{
    (void)context;
    put(text);
}

static int check_over(struct sheet *s)
{
    struct call *c = s->call;
    const char *over = s->ranks.asked->over;
    if (!over || !names_check_over(s->ranks.store, over, c->arena, &c->err))
        return 0;
    return c->err.kind == ERR_INPUT ? err_wrap(&c->err, "--over") : -1;
}

static int check(struct sheet *s)
{
    struct call *c = s->call;
    if (!s->ranks.goal.name.len && s->ranks.asked->over)
        return err_set(&c->err, ERR_INPUT,
                       "this study names no metric whose mean could be taken; "
                       "add `metric:` to its file");
    if (!s->ranks.goal.name.len && !s->ranks.asked->by)
        return err_set(&c->err, ERR_INPUT,
                       "this study names no metric to rank by; use --by NAME "
                       "(a metric, a parameter, or seconds), or add `metric:` "
                       "to its file");
    if (check_over(s) || ranks_check(&s->ranks, c->arena, &c->err) ||
        ranks_read(&s->ranks, c->arena, &c->err))
        return -1;
    if (s->ranks.asked->columns && !s->ranks.chosen.names.len)
        return err_set(&c->err, ERR_USAGE,
                       "--columns takes names such as lr,val_acc,tag,host");
    return 0;
}

static int rank(struct sheet *s, bool json)
{
    struct call *c = s->call;
    const struct ranking *k = s->ranks.asked;
    const struct goal *all = &s->ranks.goal.all;
    if (check(s))
        return -1;
    if (k->over)
        return rank_over(s, json);
    if (!k->by && goal_has_fronts(all))
        return ranking_fronts(c, &s->ranks, json);
    return json ? ranks_json(&s->ranks, c->as_of, put_json, NULL, &c->err)
                : print_table(s);
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
    const struct ranking *k = s->ranks.asked;
    int64_t made = store_last_trial(s->ranks.store);
    if (!made)
        say("throng: the study has no trial yet\n");
    else if (k->where)
        say("throng: of %lld trial%s none that has a value passes the "
            "filter `%s`\n",
            (long long)made, made == 1 ? "" : "s", k->where);
    else
        say("throng: of %lld trial%s none has a value%s\n", (long long)made,
            made == 1 ? "" : "s", any_open(s->ranks.store) ? " yet" : "");
}

/* Those that ended well and are not in the table. */
static void say_valueless(const struct sheet *s)
{
    int64_t count;
    if (!s->ranks.count || s->ranks.asked->where ||
        s->ranks.goal.all.bound_count ||
        s->ranks.goal.all.objective_count > 1 ||
        store_valueless(s->ranks.store, &count, NULL) || !count)
        return;
    say("throng: %lld trial%s ended well without a value: the metric is not "
        "a number, or was not reported\n",
        (long long)count, count == 1 ? "" : "s");
}

int ranking_print(struct call *c, struct store *store, const struct ranking *r,
                  bool json)
{
    struct sheet s = {.call = c};
    s.table = table_new();
    point_columns_init(&s.columns, c->arena);
    int rc = ranks_open(&s.ranks, store, r, c->arena, &c->err);
    if (!rc)
        rc = rank(&s, json);
    if (!rc && !s.ranks.count && !json)
        say_none(&s);
    if (!rc && !json)
        say_valueless(&s);
    point_columns_done(&s.columns);
    table_free(s.table);
    ranks_done(&s.ranks);
    vec_done(&s.rows);
    return rc;
}

/* ---- the verb --------------------------------------------------------- */

static int print_matrix(struct call *c, struct store *store,
                        const struct place_of_study *where,
                        const struct matrix_asked *asked)
{
    struct tabled l;
    struct buf json;
    buf_init(&json);
    tabled_init(&l, c->arena);
    struct plan *plan =
        study_stored_plan(store, where->home, where->name, c->arena, NULL);
    int rc = matrix_make(&l, &json, store, plan, asked, &c->err);
    if (!rc && call_flag(c, "json"))
        put(buf_str(&json));
    else if (!rc)
        put_tabled(c, &l);
    tabled_done(&l);
    buf_done(&json);
    plan_close(plan);
    return rc;
}

static int run(struct call *c)
{
    struct ranking r = {
        .by = call_option(c, "by"),
        .where = call_option(c, "where"),
        .over = call_option(c, "over"),
        .columns = call_option(c, "columns"),
        .reverse = call_flag(c, "reverse"),
    };
    struct matrix_asked m = {.sides = call_option(c, "matrix"),
                             .where = r.where};
    struct place_of_study where;
    if (m.sides && (r.over || r.by || r.columns || r.reverse))
        return call_usage(c, "--matrix goes with --where and --json alone");
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
    int rc = m.sides ? print_matrix(c, store, &where, &m)
                     : ranking_print(c, store, &r, call_flag(c, "json"));
    store_close(store);
    return rc ? call_fail(c) : EXIT_OK;
}

VERB(rank) = {
    .name = "rank",
    .args = "[STUDY]",
    .summary = "List the best trials",
    .text = "Without --by the study's own metric decides. --where takes a "
            "filter such as\n'lr>1e-3 and opt==adam'. --over NAMES averages "
            "over these parameters, one row\nfor each combination of the "
            "others, with a 95 % interval of the mean (low,\nhigh); seed is "
            "the repeats of a point. --columns lr,val_acc,tag,host shows\n"
            "these instead of the parameters: any parameter, metric (also "
            "loss.min), or\nstate, seconds, tag, note, host, reason, started, "
            "ended, attempts.\n\n"
            "Of several metrics the Pareto set comes first. Where equal points "
            "had different\nvalues, a column says what a model of the results "
            "expects of the best trials:\na best value may be luck.\n",
    .options =
        (const struct option_spec[]){
            {"number", 'n', "N", "how many rows (10; 0: all)"},
            {"by", 0, "NAME", "rank by a metric, a parameter or a column"},
            {"columns", 0, "NAMES", "show these, not the parameters"},
            {"where", 0, "FILTER", "only trials for which this holds"},
            {"over", 0, "NAMES", "mean and spread over parameters, or seed"},
            {"matrix", 0, "A,B", "means by two parameters, or source,target"},
            {"reverse", 'r', NULL, "worst first"},
            {"json", 0, NULL, "for programs: schema throng.rank/1"},
            {0}},
    .run = run,
    .pages = true,
};
