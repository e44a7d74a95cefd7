/* show.c - everything about some trials */
#include "cli/cli.h"
#include "study/study.h"
#include "view/view.h"

#define FLUSH_BYTES (1u << 20)

struct shower {
    struct call *call;
    struct store *store;
    const char *home;
    struct plan *plan; /* with --command */
    struct extent_study study;
    struct buf out;
    struct arena *arena; /* for one trial */
    struct packs *packs;
    bool json;
    int64_t shown;
};

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
        extent_json(&s->out, &x, &s->study.goal.all, s->study.code.commit, a);
    else
        extent_print(&s->out, &x, &s->study, s->call->terminal, a);
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
    s.home = where.home;
    s.arena = arena_new();
    s.packs = packs_open(where.folder);
    buf_init(&s.out);
    int code = EXIT_OK;
    bool command = call_flag(c, "command");
    if (command)
        s.plan = study_stored_plan(s.store, where.home, where.name, c->arena,
                                   &c->err);
    if ((command && !s.plan) ||
        extent_study_read(&s.study, s.store, where.name, c->arena, &c->err) ||
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
