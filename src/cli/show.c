/* show.c - everything about some trials */
#include <math.h>
#include <stdio.h>
#include "base/json.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/trial_json.h"

struct shower {
    struct call *call;
    struct store *store;
    const char *folder;
    struct study_goal goal;
    struct buf out;
    bool json;
    int64_t shown;
};

/* ---- for people ------------------------------------------------------- */

static void add_time(struct buf *b, const char *name, double wall)
{
    if (wall <= 0)
        return;
    buf_addf(b, "%-9s", name);
    clock_print(b, wall, false);
    buf_addc(b, '\n');
}

static void add_params(struct buf *b, const struct value *point)
{
    buf_adds(b, "params\n");
    for (size_t i = 0; point && i < point->count; i++) {
        buf_addf(b, "  %-20.*s ", STRF(point->keys[i]));
        json_print(b, point->items[i]);
        buf_addc(b, '\n');
    }
}

static void add_metrics(struct shower *s, const struct trial *t)
{
    struct buf *b = &s->out;
    struct value *summary =
        t->summary.len ? json_parse(s->call->arena, t->summary, "", true, NULL)
                       : NULL;
    if (!summary || !summary->count)
        return;
    buf_adds(b, "metrics                       last         min         max"
                "   points\n");
    for (size_t i = 0; i < summary->count; i++) {
        static const char *const keys[] = {"last", "min", "max"};
        const struct value *m = summary->items[i];
        buf_addf(b, "  %-20.*s", STRF(summary->keys[i]));
        for (size_t k = 0; k < 3; k++) {
            struct buf n;
            buf_init(&n);
            num_print_short(&n, value_number(value_get(m, str_of(keys[k]))), 6);
            buf_addf(b, " %11s", n.p);
            buf_done(&n);
        }
        buf_addf(b, " %8.0f\n", value_number(value_get(m, STR("count"))));
    }
}

static void add_attempt(struct buf *b, const struct attempt *a)
{
    buf_addf(b, "  %u  %-12s ", a->number,
             a->outcome == OUTCOME_NONE ? "out" : outcome_name(a->outcome));
    num_print_seconds(b, a->seconds);
    buf_adds(b, ", cpu ");
    num_print_seconds(b, a->cpu_seconds);
    if (a->max_rss_bytes) {
        buf_adds(b, ", at most ");
        num_print_bytes(b, a->max_rss_bytes);
    }
    if (*a->host)
        buf_addf(b, ", %s", a->host);
    if (a->reason.len)
        buf_addf(b, ": %.*s", STRF(a->reason));
    buf_addc(b, '\n');
    struct str rest = str_trim(a->tail), line;
    while (rest.len && str_split(&rest, '\n', &line))
        buf_addf(b, "     | %.*s\n", STRF(line));
}

static void show_text(struct shower *s, const struct trial *t,
                      const struct attempt *list, size_t count)
{
    struct buf *b = &s->out;
    struct value *point =
        json_parse(s->call->arena, t->point, "point", true, NULL);
    buf_addf(b, "trial    %lld  %s%s%.*s\n", (long long)t->id,
             state_name(t->state), t->reason.len ? ": " : "", STRF(t->reason));
    if (!isnan(t->value)) {
        buf_addf(b, "value    %.*s = ", STRF(s->goal.name));
        num_print(b, t->value);
        buf_addc(b, '\n');
    }
    add_params(b, point);
    add_metrics(s, t);
    add_time(b, "created", t->created);
    add_time(b, "started", t->started);
    add_time(b, "ended", t->ended);
    if (t->note.len)
        buf_addf(b, "note     %.*s\n", STRF(t->note));
    for (size_t i = 0; i < t->tag_count; i++)
        buf_addf(b, "%s%.*s%s", i ? ", " : "tags     ", STRF(t->tags[i]),
                 i + 1 == t->tag_count ? "\n" : "");
    if (count)
        buf_adds(b, "attempts\n");
    for (size_t i = 0; i < count; i++)
        add_attempt(b, &list[i]);
    char *folder = store_trial_folder(s->folder, t->id, s->call->arena);
    if (file_is_dir(folder))
        buf_addf(b, "files    %s\n", folder);
}

/* ---- for programs ----------------------------------------------------- */

static void attempt_json(struct buf *b, const struct attempt *a)
{
    buf_addf(b, "{\"number\":%u,\"outcome\":\"%s\",\"host\":", a->number,
             outcome_name(a->outcome));
    json_string(b, str_of(a->host));
    buf_addf(b, ",\"exit_code\":%d,\"signal\":%d,\"seconds\":", a->exit_code,
             a->signum);
    json_number(b, a->seconds);
    buf_adds(b, ",\"cpu_seconds\":");
    json_number(b, a->cpu_seconds);
    buf_addf(b, ",\"max_rss_bytes\":%llu,\"reason\":",
             (unsigned long long)a->max_rss_bytes);
    json_string(b, a->reason);
    buf_adds(b, ",\"tail\":");
    json_string(b, a->tail);
    buf_addc(b, '}');
}

static void show_json(struct shower *s, const struct trial *t,
                      const struct attempt *list, size_t count)
{
    struct buf *b = &s->out;
    if (s->shown)
        buf_addc(b, ',');
    buf_adds(b, "{\"trial\":");
    trial_json(b, t, s->goal.minimize, s->call->arena);
    buf_adds(b, ",\"attempts\":[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_addc(b, ',');
        attempt_json(b, &list[i]);
    }
    buf_adds(b, "]}");
}

/* ---- the verb --------------------------------------------------------- */

static int show_one(struct shower *s, int64_t id)
{
    struct call *c = s->call;
    struct trial t;
    struct attempt *list;
    size_t count;
    if (store_trial(s->store, id, c->arena, &t, &c->err) ||
        store_attempts(s->store, id, c->arena, &list, &count, &c->err))
        return -1;
    if (!s->json && s->shown)
        buf_addc(&s->out, '\n');
    (s->json ? show_json : show_text)(s, &t, list, count);
    s->shown++;
    return 0;
}

static int show_all(struct shower *s, const char *selector)
{
    struct call *c = s->call;
    struct query q = {.selector = selector};
    if (study_goal_read(s->store, c->arena, &s->goal, &c->err))
        return -1;
    struct rows *rows = store_rows(s->store, &q, &c->err);
    if (!rows)
        return -1;
    struct trial t;
    int got;
    if (s->json)
        buf_adds(&s->out, "{\"schema\":\"throng.show/1\",\"trials\":[");
    while ((got = rows_next(rows, &t, &c->err)) > 0) {
        if (show_one(s, t.id)) {
            got = -1;
            break;
        }
    }
    rows_close(rows);
    if (s->json)
        buf_adds(&s->out, "]}\n");
    if (!got && !s->shown)
        return err_set(&c->err, ERR_MISSING, "no trial is `%s`", selector);
    return got;
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct shower s = {.call = c, .json = call_flag(c, "json")};
    s.store = open_named_study(c, &where);
    if (!s.store)
        return call_fail(c);
    s.folder = where.folder;
    buf_init(&s.out);
    int code = EXIT_OK;
    if (show_all(&s, c->arg_count ? c->args[0] : "last"))
        code = call_fail(c);
    else
        put(buf_str(&s.out));
    buf_done(&s.out);
    store_close(s.store);
    return code;
}

const struct verb verb_show = {
    .name = "show",
    .args = "[STUDY] [TRIALS]",
    .summary = "Show everything about some trials",
    .text = "Parameters, metrics, attempts with their ends and resource use, "
            "the place of files.\nWithout TRIALS: the last one.\n",
    .options =
        (const struct option_spec[]){
            {"json", 0, NULL, "for programs: schema throng.show/1"}, {0}},
    .run = run,
};
