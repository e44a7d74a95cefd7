/* ls.c - the studies that are here */
#include <math.h>
#include <sys/stat.h>
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "cli/cli.h"
#include "view/view.h"

#define DEEPEST 8 /* folders below the first one that -r looks into */

/* A study that was found. */
struct finding {
    const char *folder; /* as people name it: beside its .throng */
    const char *name;
};
struct findings {
    struct call *call;
    bool descend;
    VEC(struct finding) list;
};

struct entry {
    double as_of; /* it is a copy of then; 0: current */
    const char *folder, *name;
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

static struct entry *read_entry(struct arena *a, const struct finding *f)
{
    struct entry *e = arena_new_of(a, struct entry);
    char *folder = path_join(a, path_join(a, f->folder, ".throng"), f->name);
    struct err err = {0};
    e->folder = f->folder;
    e->name = f->name;
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

static void print_entry(struct table *t, const struct entry *e, bool where)
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
    if (where)
        table_cell(t, "%s", e->folder);
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
    buf_adds(b, ",\"folder\":");
    json_string(b, str_of(e->folder));
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

/* ---- finding them ----------------------------------------------------- */

/* Folders of programs, not of people: .git, .venv and their like. */
static bool is_passed_over(const char *name)
{
    return *name == '.' || !strcmp(name, "node_modules") ||
           !strcmp(name, "__pycache__");
}

/* Links are not followed: they may lead round in a circle. */
static bool is_real_folder(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static const char *below(struct arena *a, const char *folder, const char *name)
{
    return strcmp(folder, ".") ? path_join(a, folder, name)
                               : arena_cstr(a, str_of(name));
}

static void find_beside(struct findings *f, const char *folder, const char *all)
{
    struct arena *a = f->call->arena;
    const char **names = dir_list(all, a, NULL);
    for (; names && *names; names++) {
        struct finding one = {.folder = folder, .name = *names};
        if (is_study_folder(a, path_join(a, all, *names)))
            vec_push(&f->list, one);
    }
}

/* What is closed to us is an error where it was asked for, else a word. */
static int find_in(struct findings *f, const char *folder, int depth)
{
    struct call *c = f->call;
    char *all = path_join(c->arena, folder, ".throng");
    int rc = 0;
    if (is_closed(all)) {
        store_closed(path_absolute(c->arena, all), &c->err);
        if (depth == 0)
            return -1;
        say("throng ls: %s\n", c->err.text);
    } else {
        find_beside(f, folder, all);
    }
    if (!f->descend || depth == DEEPEST)
        return 0;
    struct arena *a = arena_new(); /* most folders hold no study */
    const char **names = dir_list(folder, a, NULL);
    for (; names && *names && !rc; names++)
        if (!is_passed_over(*names) &&
            is_real_folder(path_join(a, folder, *names)))
            rc = find_in(f, below(c->arena, folder, *names), depth + 1);
    arena_free(a);
    return rc;
}

/* ---- the verb --------------------------------------------------------- */

static void list_json(const struct findings *f)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "{\"schema\":\"throng.ls/1\",\"studies\":[");
    for (size_t i = 0; i < f->list.len; i++) {
        if (i)
            buf_addc(&b, ',');
        print_json(&b, read_entry(f->call->arena, &f->list.p[i]));
    }
    buf_adds(&b, "]}\n");
    put(buf_str(&b));
    buf_done(&b);
}

static void list_text(const struct findings *f)
{
    static const char *const titles[] = {"study", "state",   "trials", "failed",
                                         "best",  "changed", "folder"};
    struct table *t = table_new();
    for (size_t i = 0; i < (f->descend ? 7 : 6); i++)
        table_column(t, titles[i], i == 2 || i == 3);
    if (f->descend)
        table_whole(t);
    for (size_t i = 0; i < f->list.len; i++) {
        struct entry *e = read_entry(f->call->arena, &f->list.p[i]);
        print_entry(t, e, f->descend);
        if (e->fault)
            say("throng ls: %s: %s\n", e->name, e->fault);
    }
    if (f->list.len)
        table_print(t, f->call);
    else if (f->descend)
        say("throng ls: there is no study here, nor in the folders below\n");
    else
        say("throng ls: there is no study here yet; `throng init` writes "
            "one to begin with, `throng ls -r` looks into the folders below\n");
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
    struct findings f = {.call = c, .descend = call_flag(c, "recursive")};
    int rc = find_in(&f, here, 0);
    if (!rc)
        (call_flag(c, "json") ? list_json : list_text)(&f);
    vec_done(&f.list);
    return rc ? call_fail(c) : EXIT_OK;
}

const struct verb verb_ls = {
    .name = "ls",
    .args = "[FOLDER]",
    .summary = "List the studies that are here",
    .text = "Each with its state, how many of its trials are finished and "
            "failed, and its\nbest trial. `broken off`: whoever ran it ended "
            "without a word; `throng run` goes\non. With -r also those in the "
            "folders below, eight deep, and where each lies;\nlinks and hidden "
            "folders are passed over.\n",
    .options =
        (const struct option_spec[]){
            {"recursive", 'r', NULL, "look into the folders below, too"},
            {"json", 0, NULL, "for programs: schema throng.ls/1"},
            {0}},
    .run = run,
    .pages = true,
};
