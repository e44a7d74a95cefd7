/* ensemble.c - trials of a study, as one model */
#include <stdlib.h>

#include "base/num.h"
#include "cli/inference.h"

struct made {
    struct call *call;
    struct ensemble_making making;
    int64_t most;              /* of a greedy choice; 0: all are taken */
    double loss;               /* of it */
    bool weighted, stacking;   /* weights are fitted */
    struct ensemble_rows rows; /* that it was made by */
};

static bool looks_at_rows(const struct made *m)
{
    return m->most || m->weighted || m->stacking;
}

/* So that nobody calibrates it by the same ones. */
static int take_rows(struct made *m, const char *scratch)
{
    struct call *c = m->call;
    const char *path =
        path_join(c->arena, path_join(c->arena, scratch, "1"), "output/rows");
    struct str text;
    if (file_map(path, &text, &c->err))
        return -1;
    m->making.rows = arena_str(c->arena, text);
    file_unmap(text);
    return 0;
}

/* All candidates are asked for the rows that they have held out. */
static int choose(struct made *m, const char *scratch)
{
    struct call *c = m->call;
    struct ensemble_making all = m->making;
    struct inference wanted = {.scratch = scratch};
    inference_held_out(c, &wanted);
    all.combine = NULL;
    wanted.models = path_join(c->arena, scratch, "candidates.ensemble");
    if (ensemble_write(&all, wanted.models, c->arena, &c->err))
        return call_fail(c);
    int code = inference_ask(c, &wanted);
    if (code != EXIT_OK)
        return code;
    const char *passes =
        path_join(c->arena, path_join(c->arena, scratch, "1"), "output/passes");
    int rc = m->most ? ensemble_choose(&m->making, passes, (size_t)m->most,
                                       &m->loss, &m->rows, c->arena, &c->err)
                     : ensemble_fit(&m->making, passes, m->stacking, &m->rows,
                                    c->arena, &c->err);
    return rc || take_rows(m, scratch) ? call_fail(c) : EXIT_OK;
}

static int choose_in_scratch(struct made *m)
{
    struct call *c = m->call;
    const char *scratch = scratch_make("infer", &c->err);
    if (!scratch)
        return call_fail(c);
    int code = choose(m, scratch);
    scratch_remove(scratch);
    return code;
}

static void print_members(const struct made *m)
{
    struct table *t = table_new();
    table_column(t, "trial", true);
    table_column(t, "weight", true);
    for (size_t i = 0; i < m->making.count; i++) {
        if (!(m->making.weights[i] > 0))
            continue;
        table_cell(t, "%lld", (long long)m->making.members[i].trial);
        table_number(t, m->making.weights[i], m->call->terminal ? 4 : 9);
        table_row(t);
    }
    table_print(t, m->call);
    table_free(t);
}

static void add_rows(struct buf *b, const struct made *m)
{
    const struct ensemble_rows *r = &m->rows;
    if (!r->rows)
        return;
    buf_addf(b, "%s on the %zu rows that ", m->most ? "" : ", weighed",
             r->rows);
    if (!r->settings)
        buf_adds(b, "all have held out");
    else if (r->settings == 1)
        buf_adds(b, "folds of one setting have held out");
    else
        buf_addf(b, "folds of each of %zu settings have held out", r->settings);
    if (r->left_out)
        buf_addf(b, "; %zu that not all of them have are left out",
                 r->left_out);
}

static void say_made(const struct made *m, const char *output)
{
    struct buf b;
    buf_init(&b);
    if (m->most) {
        buf_adds(&b, ", with the loss ");
        num_print_short(&b, m->loss, 6);
    }
    add_rows(&b, m);
    say("throng ensemble: %s is made of %s%s\n", output, m->making.chosen, b.p);
    buf_done(&b);
}

/* Of `all` the trials are left out that have no weights. */
static int say_left_out(const struct made *m, struct store *store)
{
    struct call *c = m->call;
    struct query q = {.selector = m->making.selector};
    struct rows *rows = store_rows(store, &q, &c->err);
    struct trial t;
    struct buf b;
    size_t at = 0;
    int got = rows ? 0 : -1;
    buf_init(&b);
    while (rows && (got = rows_next(rows, &t, &c->err)) > 0) {
        if (at < m->making.count && m->making.members[at].trial == t.id)
            at++;
        else
            buf_addf(&b, "%strial %lld (%s)", b.len ? ", " : "",
                     (long long)t.id, state_name(t.state));
    }
    rows_close(rows);
    if (b.len)
        say("throng ensemble: left out without weights: %s\n", b.p);
    buf_done(&b);
    return got ? call_fail(c) : EXIT_OK;
}

/* A range may go beyond the last trial, and a state name nobody, but who is
 * named by number must be there. */
static int check_named(const struct made *m, struct store *store)
{
    struct call *c = m->call;
    struct str rest = str_of(m->making.selector), one;
    int64_t number;
    while (str_split(&rest, ',', &one)) {
        struct query q = {.selector = arena_cstr(c->arena, one)};
        struct trial t;
        struct rows *rows =
            num_int(one, &number) ? store_rows(store, &q, &c->err) : NULL;
        int got = rows ? rows_next(rows, &t, &c->err) : 1;
        rows_close(rows);
        if (got < 0 || c->err.kind)
            return -1;
        if (!got)
            return no_such_trials(store, q.selector, c->arena, &c->err);
    }
    return 0;
}

static int make(struct made *m, struct store *store)
{
    struct call *c = m->call;
    const char *output = path_absolute(c->arena, call_option(c, "output"));
    m->making.output = call_option(c, "output");
    if (check_named(m, store) ||
        ensemble_gather(&m->making, store, c->arena, &c->err))
        return call_fail(c);
    int code = ensemble_agree(&m->making, c->arena, &c->err)
                   ? call_fail(c)
                   : say_left_out(m, store);
    if (code == EXIT_OK && looks_at_rows(m))
        code = choose_in_scratch(m);
    if (code == EXIT_OK &&
        ensemble_write(&m->making, output, c->arena, &c->err))
        code = call_fail(c);
    if (code == EXIT_OK) {
        print_members(m);
        say_made(m, call_option(c, "output"));
    }
    ensemble_making_done(&m->making);
    return code;
}

static int read_combine(struct made *m)
{
    struct call *c = m->call;
    const char *how = call_option(c, "combine");
    bool out_of_fold = call_flag(c, "out-of-fold");
    m->weighted = how && !strcmp(how, "weighted");
    m->stacking = how && !strcmp(how, "stacking");
    m->making.combine = m->weighted ? "mean" : how;
    if (!looks_at_rows(m) && (call_option(c, "data") || out_of_fold))
        return call_usage(c,
                          "--data and --out-of-fold say which rows to choose "
                          "or weigh by: they go with --greedy, weighted and "
                          "stacking");
    if (m->most && (m->weighted || m->stacking))
        return call_usage(c,
                          "--greedy weighs its members, and so does "
                          "--combine %s: take one of them",
                          how);
    if (m->most && how && !strcmp(how, "median"))
        return call_usage(c, "--greedy weighs its members, and a median does "
                             "not: take mean or vote");
    return EXIT_OK;
}

static int read_options(struct made *m)
{
    struct call *c = m->call;
    if (call_int(c, "greedy", 0, &m->most))
        return call_fail(c);
    if (call_option(c, "greedy") && (m->most < 1 || m->most > 10000))
        return call_usage(c, "--greedy takes a number from 1 to 10000");
    if (!call_option(c, "output"))
        return call_usage(c, "say where it goes: -o committee.ensemble");
    m->making.inside = call_flag(c, "bundle");
    int code = inference_check_kind(c, NULL, "\"throng.ensemble/", "ensemble");
    return code ? code : read_combine(m);
}

static int run(struct call *c)
{
    struct made m = {.call = c};
    struct place_of_study where;
    int code = read_options(&m);
    if (code != EXIT_OK)
        return code;
    struct store *store = open_named_study(c, true, &where);
    if (!store)
        return call_fail(c);
    m.making.study = where.name;
    m.making.selector = c->arg_count ? c->args[0] : "best:10";
    m.making.chosen = m.making.selector;
    if (m.most)
        m.making.chosen = arena_printf(c->arena, "%s" CHOSEN_GREEDY "%lld",
                                       m.making.selector, (long long)m.most);
    else if (looks_at_rows(&m))
        m.making.chosen = arena_printf(c->arena, "%s, %s", m.making.selector,
                                       call_option(c, "combine"));
    if (call_option(c, "data"))
        m.making.chosen = arena_printf(c->arena, "%s" CHOSEN_BY_DATA "%s",
                                       m.making.chosen, call_option(c, "data"));
    code = make(&m, store);
    store_close(store);
    return code;
}

VERB(ensemble) = {
    .name = "ensemble",
    .args = "[STUDY] [TRIALS]",
    .summary = "Make one model of several trials",
    .text =
        "Writes a file that `predict` and `evaluate` take in place of "
        "weights: what the\n"
        "members predict together, and how sure that is. Members are the "
        "trials that are\n"
        "named (best:10 unless said otherwise), all with the same weight; "
        "their study\n"
        "must have kept their weights (`keep:`).\n"
        "\n"
        "--greedy N starts with the best of them and adds, up to N times "
        "and some of\n"
        "them several times, the one that makes the loss the least; how "
        "often a member\n"
        "was added is its weight. What counts are validation rows that all "
        "have held out\n"
        "(test rows where there are none), or rows of --data: never one that "
        "a member was\n"
        "trained on, which weights know by hashes. Judge the result on test "
        "rows, which\n"
        "had no part in it.\n"
        "\n"
        "--out-of-fold is for a cross-validation (data: {fold: {k: "
        "\"${fold}\", of: 5}}):\n"
        "trials that differ in their fold alone are one setting, which says of "
        "a row what\n"
        "the fold says that has held it out. Settings are chosen from, "
        "weighed or stacked\n"
        "by the rows that all of them have held out so; members of a setting "
        "share its\n"
        "weight alike. Name the trials of all folds: best:10 takes them "
        "apart.\n"
        "\n"
        "The file lists members by where they lie and by the hash of their "
        "bytes, or\n"
        "carries them (--bundle), so that it can be sent anywhere.\n"
        "\n"
        "    throng ensemble digits best:20 --greedy 10 -o "
        "committee.ensemble\n",
    .options =
        (const struct option_spec[]){
            {"output", 'o', "FILE", "the file to write"},
            {"combine", 0, "HOW",
             "mean (default), weighted, median, vote, stacking"},
            {"greedy", 0, "N",
             "choose and weigh them: at most N, with repeats"},
            HELD_OUT_OPTIONS,
            {"bundle", 0, NULL, "the file carries its members"},
            {0}},
    .run = run,
};
