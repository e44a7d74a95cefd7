/* ls.c - the studies that are here */
#include <math.h>
#include "base/json.h"
#include "base/num.h"
#include "cli/age.h"
#include "cli/cli.h"
#include "cli/strict_json.h"

struct entry {
    double as_of; /* it is a copy of then; 0: current */
    const char *name;
    const char *fault; /* why it could not be read; NULL: it could */
    struct counts counts;
    int64_t total, finished, bad;
    bool live;
    bool broken_off; /* its conductor ended without a word */
    struct study_goal goal;
    int64_t best; /* trial of the best value; 0: none */
    double best_value;
    struct trial_mean likely; /* under noise, expected best; trial 0: none */
    double changed;           /* unix time */
};

static int read_best(struct store *store, struct arena *a, struct entry *e,
                     struct err *err)
{
    struct trial t;
    struct trial_mean *means;
    size_t count;
    e->best = e->goal.name.len ? store_best(store, e->goal.minimize) : 0;
    if (!e->best)
        return 0;
    if (store_trial(store, e->best, a, &t, err) ||
        store_means(store, a, &means, &count, err))
        return -1;
    e->best_value = t.value;
    if (count)
        e->likely = means[0];
    return 0;
}

static int read_store(struct store *store, struct arena *a, struct entry *e,
                      struct err *err)
{
    struct lease lease;
    struct str total;
    if (store_counts(store, &e->counts, err) ||
        store_fact(store, "total", a, &total, err) ||
        store_lease_read(store, &lease, err) ||
        study_goal_read(store, a, &e->goal, err) || read_best(store, a, e, err))
        return -1;
    if (!total.p || !num_int(total, &e->total))
        e->total = -1;
    e->live = lease.live;
    e->broken_off = !lease.live && lease.process.pid;
    for (int i = 0; i < STATE_COUNT; i++) {
        e->finished += state_final((enum state)i) ? e->counts.by_state[i] : 0;
        e->bad += state_bad((enum state)i) ? e->counts.by_state[i] : 0;
    }
    return 0;
}

static struct entry *read_entry(struct arena *a, const char *all,
                                const char *name)
{
    struct entry *e = arena_new_of(a, struct entry);
    char *folder = path_join(a, all, name);
    struct err err = {0};
    e->name = name;
    e->total = -1;
    e->best_value = NAN;
    e->changed = fmax(0, (double)study_changed_ns(a, folder) / 1e9);
    struct store *store = store_open(folder, false, &err);
    if (!store || read_store(store, a, e, &err))
        e->fault = arena_cstr(a, str_of(err.text));
    e->as_of = store ? store_as_of(store) : 0;
    store_close(store);
    return e;
}

static const char *standing(const struct entry *e)
{
    if (e->fault)
        return "unreadable";
    if (e->live)
        return "running";
    if (e->broken_off)
        return "broken off";
    if (e->total >= 0 && e->finished >= e->total)
        return "finished";
    return "stopped";
}

/* ---- printing --------------------------------------------------------- */

static void print_best(struct buf *b, const struct entry *e)
{
    if (!e->best)
        return;
    buf_addf(b, "%.*s=", STRF(e->goal.name));
    num_print_short(b, e->best_value, 5);
    buf_addf(b, " (trial %lld)", (long long)e->best);
}

static void print_entry(struct table *t, const struct entry *e)
{
    struct buf b;
    buf_init(&b);
    table_cell(t, "%s", e->name);
    age_print(&b, e->as_of);
    table_cell(t, "%s%s%s", standing(e), b.len ? ", " : "", b.p);
    buf_reset(&b);
    if (e->fault)
        table_cell(t, "%s", "");
    else if (e->total >= 0)
        table_cell(t, "%lld/%lld", (long long)e->finished, (long long)e->total);
    else
        table_cell(t, "%lld", (long long)e->finished);
    table_cell(t, "%lld", (long long)e->bad);
    print_best(&b, e);
    table_cell(t, "%s", b.p);
    buf_reset(&b);
    if (e->changed > 0)
        clock_print(&b, e->changed, false);
    else
        buf_addc(&b, '-'); /* it may not be looked at, or is none yet */
    table_cell(t, "%s", b.p);
    table_row(t);
    buf_done(&b);
}

static void print_best_json(struct buf *b, const struct entry *e)
{
    buf_adds(b, ",\"best\":");
    if (!e->best) {
        buf_adds(b, "null");
        return;
    }
    buf_addf(b, "{\"id\":%lld,\"metric\":", (long long)e->best);
    json_string(b, e->goal.name);
    buf_adds(b, ",\"value\":");
    strict_number(b, e->best_value);
    buf_addc(b, '}');
    if (!e->likely.trial)
        return;
    buf_addf(b, ",\"incumbent\":{\"id\":%lld,\"expected\":",
             (long long)e->likely.trial);
    strict_number(b, e->likely.mean);
    buf_addc(b, '}');
}

static void print_json(struct buf *b, const struct entry *e)
{
    buf_adds(b, "{\"study\":");
    json_string(b, str_of(e->name));
    buf_addf(b,
             ",\"state\":\"%s\",\"running\":%s,\"trials\":%lld,"
             "\"finished\":%lld,\"failed\":%lld,\"total\":",
             standing(e), e->live ? "true" : "false",
             (long long)e->counts.total, (long long)e->finished,
             (long long)e->bad);
    if (e->total >= 0)
        buf_addf(b, "%lld", (long long)e->total);
    else
        buf_adds(b, "null");
    print_best_json(b, e);
    if (e->changed > 0)
        buf_addf(b, ",\"changed\":%.3f", e->changed);
    else
        buf_adds(b, ",\"changed\":null");
    age_json(b, e->as_of);
    if (e->fault) {
        buf_adds(b, ",\"error\":");
        json_string(b, str_of(e->fault));
    }
    buf_addc(b, '}');
}

/* ---- the verb --------------------------------------------------------- */

static void list_json(const char **names, struct arena *a, const char *all)
{
    struct buf b;
    bool first = true;
    buf_init(&b);
    buf_adds(&b, "{\"schema\":\"throng.ls/1\",\"studies\":[");
    for (; names && *names; names++) {
        if (!is_study_folder(a, path_join(a, all, *names)))
            continue;
        if (!first)
            buf_addc(&b, ',');
        first = false;
        print_json(&b, read_entry(a, all, *names));
    }
    buf_adds(&b, "]}\n");
    put(buf_str(&b));
    buf_done(&b);
}

static void list_text(struct call *c, const char **names, const char *all)
{
    static const char *const titles[] = {"study",  "state", "trials",
                                         "failed", "best",  "changed"};
    struct table *t = table_new();
    size_t count = 0;
    for (size_t i = 0; i < 6; i++)
        table_column(t, titles[i], i == 2 || i == 3);
    for (; names && *names; names++) {
        if (!is_study_folder(c->arena, path_join(c->arena, all, *names)))
            continue;
        struct entry *e = read_entry(c->arena, all, *names);
        print_entry(t, e);
        count++;
        if (e->fault)
            say("throng ls: %s: %s\n", e->name, e->fault);
    }
    if (count)
        table_print(t, c);
    else
        say("throng ls: there is no study here yet; `throng init` writes "
            "one to begin with\n");
    table_free(t);
}

static int run(struct call *c)
{
    if (c->arg_count > 1)
        return call_usage(c, "`%s` is one argument too many", c->args[1]);
    const char *here = c->arg_count ? c->args[0] : ".";
    if (!file_is_dir(here)) {
        if (file_exists(here))
            err_set(&c->err, ERR_MISSING,
                    "%s is no folder; `throng status %s` says how its study "
                    "stands",
                    here, here);
        else
            err_set(&c->err, ERR_MISSING, "there is no folder %s", here);
        return call_fail(c);
    }
    char *all = path_join(c->arena, here, ".throng");
    const char **names = dir_list(all, c->arena, NULL);
    if (is_closed(all)) {
        store_closed(path_absolute(c->arena, all), &c->err);
        return call_fail(c);
    }
    if (call_flag(c, "json"))
        list_json(names, c->arena, all);
    else
        list_text(c, names, all);
    return EXIT_OK;
}

const struct verb verb_ls = {
    .name = "ls",
    .args = "[FOLDER]",
    .summary = "List the studies that are here",
    .text = "Each with its state, how many of its trials are finished and "
            "failed, and its\nbest trial. `broken off`: whoever ran it ended "
            "without a word; `throng run` goes\non.\n",
    .options =
        (const struct option_spec[]){
            {"json", 0, NULL, "for programs: schema throng.ls/1"}, {0}},
    .run = run,
    .pages = true,
};
