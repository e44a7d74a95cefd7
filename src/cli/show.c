/* show.c - everything about some trials */
#include <math.h>
#include <stdio.h>
#include "base/json.h"
#include "base/num.h"
#include "cli/cli.h"
#include "study/study.h"
#include "view/view.h"

#define FLUSH_BYTES (1u << 20)

struct shower {
    struct call *call;
    struct store *store;
    const char *folder, *home, *name;
    struct plan *plan; /* with --command */
    struct study_goal goal;
    struct provenance code;
    struct str *written; /* parameters in the file's order */
    size_t written_count;
    struct buf out;
    struct arena *arena; /* for one trial */
    struct packs *packs;
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

static size_t longest_key(const struct value *v, size_t least)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->keys[i].len > least)
            least = v->keys[i].len;
    return least;
}

static void add_metric(struct buf *b, struct str name, int width,
                       const struct value *m)
{
    static const char *const keys[] = {"last", "min", "max"};
    buf_addf(b, "  %.*s%*s", STRF(name), width - (int)name.len, "");
    for (size_t k = 0; k < 3; k++) {
        struct buf n;
        buf_init(&n);
        num_print_short(&n, value_number(value_get(m, str_of(keys[k]))), 6);
        buf_addf(b, "  %11s", n.p);
        buf_done(&n);
    }
    buf_addf(b, "  %7.0f\n", value_number(value_get(m, STR("count"))));
}

static void add_metrics(struct shower *s, const struct trial *t)
{
    struct buf *b = &s->out;
    struct value *summary =
        t->summary.len ? json_parse(s->arena, t->summary, "", true, NULL)
                       : NULL;
    if (!summary || !summary->count)
        return;
    int width = (int)longest_key(summary, 12);
    buf_addf(b, "metrics%*s  %11s  %11s  %11s  %7s\n", width - 5, "", "last",
             "min", "max", "points");
    for (size_t i = 0; i < summary->count; i++)
        add_metric(b, summary->keys[i], width, summary->items[i]);
}

static void add_attempt(struct buf *b, const struct attempt *a)
{
    buf_addf(b, "  %u  %-12s ", a->number,
             a->outcome != OUTCOME_NONE ? outcome_name(a->outcome)
             : a->started > 0           ? "running"
                                        : "placed");
    if (a->outcome != OUTCOME_NONE) {
        num_print_seconds(b, a->seconds);
        buf_adds(b, ", cpu ");
        num_print_seconds(b, a->cpu_seconds);
    }
    if (a->max_rss_bytes) {
        buf_adds(b, ", at most ");
        num_print_bytes(b, a->max_rss_bytes);
    }
    if (*a->host)
        buf_addf(b, "%son %s", a->outcome != OUTCOME_NONE ? ", " : "", a->host);
    if (a->reason.len)
        buf_addf(b, ": %.*s", STRF(a->reason));
    buf_addc(b, '\n');
    struct str rest = str_trim(a->tail), line;
    while (rest.len && str_split(&rest, '\n', &line))
        buf_addf(b, "     | %.*s\n", STRF(line));
}

static void add_artifact(struct buf *b, const struct artifact *a, bool first)
{
    if (first)
        buf_adds(b, "outputs\n");
    buf_addf(b, "  %.*s  ", STRF(a->path));
    num_print_bytes(b, a->bytes);
    buf_addc(b, '\n');
}

/* Which trial it is, what came of it, and where it comes from. */
static void add_head(struct shower *s, const struct trial *t)
{
    struct buf *b = &s->out;
    buf_addf(b, "trial    %lld  %s%s%.*s\n", (long long)t->id,
             state_name(t->state), t->reason.len ? ": " : "", STRF(t->reason));
    if (!isnan(t->value)) {
        buf_addf(b, "value    %.*s = ", STRF(s->goal.name));
        if (s->call->terminal)
            num_print_short(b, t->value, 6);
        else
            num_print(b, t->value);
        buf_addc(b, '\n');
    }
    if (t->run_id.len)
        buf_addf(b, "run_id   %.*s\n", STRF(t->run_id));
    if (t->parent > 0)
        buf_addf(b, "parent   trial %lld, whose checkpoint it began with\n",
                 (long long)t->parent);
    if (t->budget > 0)
        buf_addf(b, "budget   %lld step%s\n", (long long)t->budget,
                 t->budget == 1 ? "" : "s");
}

/* What people wrote on it. */
static void add_words(struct buf *b, const struct trial *t)
{
    if (t->note.len)
        buf_addf(b, "note     %.*s\n", STRF(t->note));
    for (size_t i = 0; i < t->tag_count; i++)
        buf_addf(b, "%s%.*s%s", i ? ", " : "tags     ", STRF(t->tags[i]),
                 i + 1 == t->tag_count ? "\n" : "");
}

static void show_text(struct shower *s, const struct extent *x)
{
    const struct trial *t = &x->trial;
    struct buf *b = &s->out;
    add_head(s, t);
    buf_adds(b, "params\n");
    point_lines(b, json_parse(s->arena, t->point, "point", true, NULL),
                s->written, s->written_count, s->call->terminal);
    if (t->about.len) {
        buf_adds(b, "about\n");
        point_lines(b, json_parse(s->arena, t->about, "about", true, NULL),
                    NULL, 0, s->call->terminal);
    }
    add_metrics(s, t);
    add_time(b, "created", t->created);
    add_time(b, "started", t->started);
    add_time(b, "ended", t->ended);
    add_words(b, t);
    provenance_print(b, &s->code, s->name);
    if (x->attempt_count)
        buf_adds(b, "attempts\n");
    for (size_t i = 0; i < x->attempt_count; i++)
        add_attempt(b, &x->attempts[i]);
    for (size_t i = 0; i < x->artifact_count; i++)
        add_artifact(b, &x->artifacts[i], i == 0);
    if (file_is_dir(x->folder))
        buf_addf(b, "files    %s\n", x->folder);
    if (x->packed_count)
        buf_addf(b,
                 "packed   %zu file%s, which `throng export %lld --files DIR` "
                 "writes out\n",
                 x->packed_count, x->packed_count == 1 ? "" : "s",
                 (long long)t->id);
}

/* ---- the verb --------------------------------------------------------- */

/* A report for people is laid out for their terminal; a command is pasted. */
static void print_all(const struct shower *s)
{
    if (s->json || s->plan)
        put(buf_str(&s->out));
    else
        put_report(s->call, buf_str(&s->out));
}

static int show_one(struct shower *s, int64_t id)
{
    struct err *err = &s->call->err;
    struct arena *a = s->arena;
    struct extent x;
    arena_reset(a);
    if (extent_read(&x, s->store, s->packs, id, a, err))
        return -1;
    if (s->plan) {
        s->shown++;
        return command_line_print(&s->out, s->store, s->plan, s->home, &x.trial,
                                  a, err);
    }
    if (s->shown)
        buf_addc(&s->out, s->json ? ',' : '\n');
    if (s->json)
        extent_json(&s->out, &x, &s->goal.all, s->code.commit, a);
    else
        show_text(s, &x);
    s->shown++;
    if (s->out.len > FLUSH_BYTES) {
        print_all(s);
        buf_reset(&s->out);
    }
    return 0;
}

static int show_all(struct shower *s, const char *selector)
{
    struct call *c = s->call;
    struct query q = {.selector = selector};
    if (study_goal_read(s->store, c->arena, &s->goal, &c->err) ||
        provenance_read(s->store, c->arena, &s->code, &c->err) ||
        point_columns_written(s->store, c->arena, &s->written,
                              &s->written_count, &c->err))
        return -1;
    struct rows *rows = store_rows(s->store, &q, &c->err);
    if (!rows)
        return -1;
    struct trial t;
    int got;
    if (s->json) {
        buf_adds(&s->out, "{\"schema\":\"throng.show/1\"");
        age_json(&s->out, c->as_of);
        buf_adds(&s->out, ",\"trials\":[");
    }
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
        return no_such_trials(s->store, selector, c->arena, &c->err);
    return got;
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct shower s = {.call = c, .json = call_flag(c, "json")};
    s.store = open_named_study(c, true, &where);
    if (!s.store)
        return call_fail(c);
    s.folder = where.folder;
    s.home = where.home;
    s.name = where.name;
    s.arena = arena_new();
    s.packs = packs_open(where.folder);
    buf_init(&s.out);
    int code = EXIT_OK;
    bool command = call_flag(c, "command");
    if (command)
        s.plan = study_stored_plan(s.store, where.home, where.name, c->arena,
                                   &c->err);
    if ((command && !s.plan) ||
        show_all(&s, c->arg_count ? c->args[0] : "last"))
        code = call_fail(c);
    else
        print_all(&s);
    buf_done(&s.out);
    packs_close(s.packs);
    arena_free(s.arena);
    plan_close(s.plan);
    store_close(s.store);
    return code;
}

VERB(show) = {
    .name = "show",
    .args = "[STUDY] [TRIALS]",
    .summary = "Show everything about some trials",
    .text = "Parameters, metrics, attempts with their ends and resource use, "
            "where its files\nare. Without TRIALS: the last one. On a "
            "terminal floats have six digits.\n--command prints a line that "
            "can be pasted into a shell: it runs the trial by\nhand, in a "
            "scratch folder of its own.\n",
    .options =
        (const struct option_spec[]){
            {"command", 0, NULL, "print a line that runs it in a shell"},
            {"json", 0, NULL, "for programs: schema throng.show/1"},
            {0}},
    .run = run,
    .pages = true,
};
