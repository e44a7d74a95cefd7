/* ranking.c - the best trials
 *
 * A list as long as the study must not need its memory: rows are handed on
 * while they are read. */
#include <math.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

#define FLUSH_BYTES (1u << 16)

/* ---- reading ---------------------------------------------------------- */

bool ranking_is_column(const char *name)
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

double trial_shown(const struct trial *t, const struct value *point,
                   const char *by)
{
    if (!by || !strcmp(by, "value"))
        return t->value;
    if (ranking_is_column(by))
        return column_value(t, by);
    const struct value *p = point_flat_get(point, str_of(by));
    if (p)
        return value_number(p);
    return summary_number(t->summary, str_of(by));
}

static bool small_is_good(const struct ranks *s)
{
    const char *by = s->asked->by;
    bool value = !by || !strcmp(by, "value");
    return value ? s->goal.minimize : goal_minimizes(&s->goal.all, str_of(by));
}

struct query ranks_query(const struct ranks *s)
{
    const struct ranking *k = s->asked;
    bool metric = k->by && strcmp(k->by, "value") && !ranking_is_column(k->by);
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

static const struct value **read_chosen(struct ranks *s, const struct ranked *r)
{
    size_t n = s->chosen.names.len;
    const struct value **list = arena_array(s->arena, n, sizeof(*list));
    for (size_t i = 0; i < n; i++)
        list[i] = trial_column(s->store, &r->t, r->point, s->chosen.names.p[i],
                               s->arena);
    return list;
}

int ranks_each(struct ranks *s, const struct query *q, ranked_fn *fn,
               void *context, struct err *err)
{
    struct rows *rows = store_rows(s->store, q, err);
    if (!rows)
        return -1;
    struct ranked r = {0};
    int got;
    while ((got = rows_next(rows, &r.t, err)) > 0) {
        arena_reset(s->arena);
        r.rank++;
        s->count++;
        r.point = json_parse(s->arena, r.t.point, "point", false, err);
        if (!r.point) {
            got = -1;
            break;
        }
        r.chosen = read_chosen(s, &r);
        r.shown = trial_shown(&r.t, r.point, s->asked->by);
        r.expected = trial_expected(s->means, s->mean_count, r.t.id);
        fn(context, &r);
    }
    rows_close(rows);
    return got;
}

/* ---- opening ---------------------------------------------------------- */

int ranks_open(struct ranks *s, struct store *store,
               const struct ranking *asked, struct arena *a, struct err *err)
{
    *s = (struct ranks){.store = store, .asked = asked, .arena = arena_new()};
    if (study_goal_read(store, a, &s->goal, err))
        return -1;
    s->title = asked->by ? asked->by : arena_cstr(a, s->goal.name);
    return 0;
}

void ranks_done(struct ranks *s)
{
    trial_columns_done(&s->chosen);
    arena_free(s->arena);
}

/* A misspelt name gives an empty list, which looks like a result. */
int ranks_check(struct ranks *s, struct arena *a, struct err *err)
{
    const char *by = s->asked->by;
    bool named = by && !ranking_is_column(by) && strcmp(by, "value");
    if (named && name_check(s->store, by, a, err))
        return -1;
    return names_check_filter(s->store, s->asked->where, a, err);
}

int ranks_read(struct ranks *s, struct arena *a, struct err *err)
{
    const char *columns = s->asked->columns;
    if (columns && trial_columns_parse(&s->chosen, s->store, columns, a, err))
        return -1;
    if (point_columns_written(s->store, a, &s->written, &s->written_count, err))
        return -1;
    bool own =
        !s->asked->by && !s->asked->over && !goal_has_fronts(&s->goal.all);
    return own ? store_means(s->store, a, &s->means, &s->mean_count, err) : 0;
}

/* ---- JSON ------------------------------------------------------------- */

struct ranks_out {
    struct ranks *ranks;
    struct buf b;
    view_put_fn *put;
    void *context;
};

static void add_json_row(void *context, const struct ranked *r)
{
    struct ranks_out *o = context;
    const struct ranks *s = o->ranks;
    struct buf *b = &o->b;
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
        o->put(o->context, buf_str(b));
        buf_reset(b);
    }
}

int ranks_json(struct ranks *s, double as_of, view_put_fn *put, void *context,
               struct err *err)
{
    struct ranks_out o = {.ranks = s, .put = put, .context = context};
    struct query q = ranks_query(s);
    buf_init(&o.b);
    buf_adds(&o.b, "{\"schema\":\"throng.rank/1\"");
    age_json(&o.b, as_of);
    buf_adds(&o.b, ",\"by\":");
    json_string(&o.b, str_of(s->title));
    buf_addf(&o.b, ",\"goal\":\"%s\",\"trials\":[",
             small_is_good(s) ? "minimize" : "maximize");
    int rc = ranks_each(s, &q, add_json_row, &o, err);
    buf_adds(&o.b, "]}\n");
    if (!rc)
        put(context, buf_str(&o.b));
    buf_done(&o.b);
    return rc;
}
