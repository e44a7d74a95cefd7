/* status.c - how a study stands */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "cli/cli.h"
#include "view/view.h"

struct standing {
    struct counts counts;
    int64_t total, finished;
    int64_t valueless; /* ended well, and the metric is NaN or did not come */
    struct lease lease;
    struct study_goal goal;
    struct trial best;   /* of the best value; id 0: none */
    struct trial likely; /* where there is noise, the one that a model … */
    double expected; /* … expects the best of, which is this; id 0: none */
    struct store_fronts fronts; /* of several objectives, or bounds */
    struct provenance code;
    struct str *written; /* parameters in the file's order */
    size_t written_count;
};

static bool has_fronts(const struct standing *s)
{
    return goal_has_fronts(&s->goal.all);
}

static int read_best(struct call *c, struct store *store, struct standing *s)
{
    struct trial_mean *means;
    size_t count;
    int64_t best = s->goal.name.len ? store_best(store, s->goal.minimize) : 0;
    s->best.id = s->likely.id = 0;
    if (!best)
        return 0;
    if (store_trial(store, best, c->arena, &s->best, &c->err) ||
        store_means(store, c->arena, &means, &count, &c->err))
        return -1;
    if (!count)
        return 0;
    s->expected = means[0].mean;
    return store_trial(store, means[0].trial, c->arena, &s->likely, &c->err);
}

static int read_standing(struct call *c, struct store *store,
                         struct standing *s)
{
    struct str total;
    if (store_counts(store, &s->counts, &c->err) ||
        store_fact(store, "total", c->arena, &total, &c->err) ||
        store_lease_read(store, &s->lease, &c->err) ||
        study_goal_read(store, c->arena, &s->goal, &c->err) ||
        provenance_read(store, c->arena, &s->code, &c->err) ||
        point_columns_written(store, c->arena, &s->written, &s->written_count,
                              &c->err))
        return -1;
    s->total = -1;
    if (total.p && !num_int(total, &s->total))
        s->total = -1;
    for (int i = 0; i < STATE_COUNT; i++)
        if (state_final((enum state)i))
            s->finished += s->counts.by_state[i];
    if (s->goal.name.len && has_fronts(s) &&
        store_fronts_read(&s->fronts, store, &s->goal.all, NULL, &c->err))
        return -1;
    if (s->goal.name.len && !s->goal.all.bound_count &&
        store_valueless(store, &s->valueless, &c->err))
        return -1;
    return read_best(c, store, s);
}

static void print_fronts_json(struct buf *b, const struct standing *s)
{
    bool first = true;
    buf_addf(b, ",\"infeasible\":%zu,\"pareto\":[", s->fronts.infeasible);
    for (size_t i = 0; i < s->fronts.list.len; i++) {
        const struct trial_standing *t = &s->fronts.list.p[i];
        if (t->front || t->broken > 0)
            continue;
        buf_addf(b, "%s%lld", first ? "" : ",", (long long)t->id);
        first = false;
    }
    buf_adds(b, "],\"hypervolume\":");
    strict_number_or_null(b, s->fronts.volume);
}

static void print_fronts(struct buf *b, const struct call *c,
                         const struct standing *s)
{
    if (s->goal.all.bound_count)
        buf_addf(b, "bounds   %zu trial%s break%s a constraint\n",
                 s->fronts.infeasible, s->fronts.infeasible == 1 ? "" : "s",
                 s->fronts.infeasible == 1 ? "s" : "");
    if (s->fronts.width < 2)
        return;
    buf_addf(b, "pareto   %zu trial%s that no other beats in every metric\n",
             s->fronts.pareto, s->fronts.pareto == 1 ? "" : "s");
    if (isnan(s->fronts.volume))
        return;
    buf_adds(b, "volume   ");
    num_print_short(b, s->fronts.volume, c->terminal ? 6 : 17);
    buf_adds(b, " (hypervolume, from the worst value of each metric)\n");
}

static void print_trial_json(struct buf *b, const struct trial *t,
                             const char *key, double number)
{
    buf_addf(b, "{\"id\":%lld,\"%s\":", (long long)t->id, key);
    strict_number(b, number);
    buf_adds(b, ",\"params\":");
    strict_text(b, t->point);
    buf_addc(b, '}');
}

static void print_holder(struct buf *b, const struct lease *l,
                         const char *go_on)
{
    if (l->live)
        buf_addf(b, "running as process %lld on %s\n",
                 (long long)l->process.pid, l->host);
    else if (l->process.pid)
        buf_addf(b,
                 "not running (process %lld on %s ended without a "
                 "word); `%s` goes on\n",
                 (long long)l->process.pid, l->host, go_on);
    else
        buf_adds(b, "not running\n");
}

/* ---- who has what of the machine --------------------------------------- */

static bool same_folder(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_ino == y.st_ino &&
           x.st_dev == y.st_dev;
}

/* The studies of this user that run here, this one first; none where this one
 * runs elsewhere. */
static struct claim *read_claims(struct call *c, const char *folder,
                                 size_t *count)
{
    struct claim *list = claims_list(c->arena, count);
    for (size_t i = 0; i < *count; i++)
        if (same_folder(list[i].study, folder)) {
            struct claim own = list[i];
            memmove(list + 1, list, i * sizeof *list);
            list[0] = own;
            return list;
        }
    *count = 0;
    return list;
}

static void print_claim(struct buf *b, const struct claim *k)
{
    if (k->parallel)
        buf_addf(b, "%u at once, as it says", k->parallel);
    else
        buf_addf(b, "%u of %u cpu%s", k->cpus, k->of, k->of == 1 ? "" : "s");
    if (*k->gpus)
        buf_addf(b, ", GPU %s", k->gpus);
    if (k->waits)
        buf_adds(b, ", waits for a GPU");
    buf_addc(b, '\n');
}

/* Of interest where something is shared, or is claimed from others. */
static void print_claims(struct buf *b, struct call *c, const char *folder)
{
    size_t count;
    const struct claim *list = read_claims(c, folder, &count);
    if (count == 0 || (count == 1 && !*list[0].gpus))
        return;
    buf_adds(b, "has      ");
    print_claim(b, &list[0]);
    for (size_t i = 1; i < count; i++) {
        buf_addf(b, "beside   %s: ", list[i].study);
        print_claim(b, &list[i]);
    }
}

static void print_claim_json(struct buf *b, const struct claim *k)
{
    buf_adds(b, "{\"study\":");
    json_string(b, str_of(k->study));
    buf_addf(
        b, ",\"cpus\":%u,\"of\":%u,\"parallel\":%u,\"gpus\":[%s],\"waits\":%s}",
        k->cpus, k->of, k->parallel, k->gpus, k->waits ? "true" : "false");
}

static void print_claims_json(struct buf *b, struct call *c, const char *folder)
{
    size_t count;
    const struct claim *list = read_claims(c, folder, &count);
    if (count == 0)
        return;
    buf_adds(b, ",\"has\":");
    print_claim_json(b, &list[0]);
    buf_adds(b, ",\"beside\":[");
    for (size_t i = 1; i < count; i++) {
        buf_adds(b, i > 1 ? "," : "");
        print_claim_json(b, &list[i]);
    }
    buf_addc(b, ']');
}

static void print_number(struct buf *b, const struct call *c, double number)
{
    if (c->terminal)
        num_print_short(b, number, 6);
    else
        num_print(b, number);
}

static void print_best(struct buf *b, const struct call *c,
                       const struct standing *s)
{
    const struct trial *t = &s->best;
    buf_addf(b, "best     %.*s = ", STRF(s->goal.name));
    print_number(b, c, t->value);
    buf_addf(b, " (trial %lld)\n", (long long)t->id);
    point_lines(b, json_parse(c->arena, t->point, "point", true, NULL),
                s->written, s->written_count, c->terminal);
    if (!s->likely.id)
        return;
    buf_adds(b, "noise    equal points gave different values: a model of all "
                "results expects the best, ");
    print_number(b, c, s->expected);
    buf_addf(b, ", of trial %lld\n", (long long)s->likely.id);
}

/* What ran when the study broke off does not run any more. */
static void print_states(struct buf *b, const struct standing *s)
{
    for (int i = 0; i < STATE_COUNT; i++) {
        bool broken = i == STATE_RUNNING && !s->lease.live;
        if (s->counts.by_state[i])
            buf_addf(b, "  %-10s %lld%s\n",
                     broken ? "broken off" : state_name((enum state)i),
                     (long long)s->counts.by_state[i],
                     broken ? " (going on takes them up again)" : "");
    }
    if (s->total > s->counts.total)
        buf_addf(b, "  %-10s %lld\n", "to come",
                 (long long)(s->total - s->counts.total));
}

static void print_json(struct call *c, const struct standing *s,
                       const struct place_of_study *where)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "{\"schema\":\"throng.status/1\"");
    age_json(&b, c->as_of);
    buf_adds(&b, ",\"study\":");
    json_string(&b, str_of(where->name));
    buf_addf(&b,
             ",\"running\":%s,\"total\":", s->lease.live ? "true" : "false");
    if (s->total >= 0)
        buf_addf(&b, "%lld", (long long)s->total);
    else
        buf_adds(&b, "null");
    buf_addf(&b, ",\"trials\":%lld,\"finished\":%lld,\"states\":{",
             (long long)s->counts.total, (long long)s->finished);
    for (int i = 0; i < STATE_COUNT; i++)
        buf_addf(&b, "%s\"%s\":%lld", i ? "," : "", state_name((enum state)i),
                 (long long)s->counts.by_state[i]);
    buf_addf(&b, "},\"valueless\":%lld,\"best\":", (long long)s->valueless);
    if (s->best.id)
        print_trial_json(&b, &s->best, "value", s->best.value);
    else
        buf_adds(&b, "null");
    if (s->likely.id) {
        buf_adds(&b, ",\"incumbent\":");
        print_trial_json(&b, &s->likely, "expected", s->expected);
    }
    if (has_fronts(s))
        print_fronts_json(&b, s);
    if (s->lease.live)
        print_claims_json(&b, c, where->folder);
    provenance_json(&b, &s->code);
    buf_adds(&b, "}\n");
    put(buf_str(&b));
    buf_done(&b);
}

static void print_text(struct call *c, const struct standing *s,
                       const struct place_of_study *where)
{
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "study    %s\n", where->name);
    buf_adds(&b, "now      ");
    print_holder(&b, &s->lease, resume_command(c->arena, where));
    if (s->lease.live)
        print_claims(&b, c, where->folder);
    buf_addf(&b, "trials   %lld", (long long)s->finished);
    if (s->total >= 0)
        buf_addf(&b, " of %lld", (long long)s->total);
    buf_adds(&b, " finished\n");
    print_states(&b, s);
    if (s->valueless)
        buf_addf(&b, "         %lld ended well without a value\n",
                 (long long)s->valueless);
    if (s->best.id)
        print_best(&b, c, s);
    if (has_fronts(s))
        print_fronts(&b, c, s);
    provenance_print(&b, &s->code, where->name);
    put_report(c, buf_str(&b));
    buf_done(&b);
}

static void print_diff(const struct call *c, const struct standing *s)
{
    if (!s->code.commit.len)
        say("throng status: the study was not begun in a git repository\n");
    else if (!s->code.diff.len)
        say("throng status: nothing was changed since the commit %.*s\n",
            STRF(s->code.commit));
    else
        put_data(c,
                 str_of(arena_printf(c->arena, "%.*s\n", STRF(s->code.diff))));
}

static int run(struct call *c)
{
    struct place_of_study where;
    struct standing s = {0};
    struct store *store = open_named_study(c, false, &where);
    if (!store)
        return call_fail(c);
    int code = EXIT_OK;
    if (read_standing(c, store, &s))
        code = call_fail(c);
    else if (call_flag(c, "diff"))
        print_diff(c, &s);
    else if (call_flag(c, "json"))
        print_json(c, &s, &where);
    else
        print_text(c, &s, &where);
    store_fronts_done(&s.fronts);
    store_close(store);
    return code;
}

const struct verb verb_status = {
    .name = "status",
    .args = "[STUDY]",
    .summary = "Say how a study stands",
    .text =
        "How many trials are in which state, who runs it, the best trial so "
        "far, and the\ncommit of the code that it was begun with; --diff "
        "prints what was changed and\nnot committed then.\n",
    .options =
        (const struct option_spec[]){
            {"diff", 0, NULL, "what the code had beyond its commit"},
            {"json", 0, NULL, "for programs: schema throng.status/1"},
            {0}},
    .run = run,
};
