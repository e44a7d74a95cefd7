/* standing.c - how a study stands */
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "view/view.h"

/* ---- reading ---------------------------------------------------------- */

static int read_best(struct standing *s, struct store *store, struct arena *a,
                     struct err *err)
{
    int64_t best = s->goal.name.len ? store_best(store, s->goal.minimize) : 0;
    if (!best)
        return 0;
    return store_trial(store, best, a, &s->best, err) ||
                   store_means(store, a, &s->means, &s->mean_count, err)
               ? -1
               : 0;
}

/* Only trials that have not ended are in jobs that go on. */
static uint64_t count_jobs(const struct standing *s, struct store *store,
                           struct arena *a)
{
    bool open =
        s->counts.by_state[STATE_RUNNING] || s->counts.by_state[STATE_WAITING];
    return open && !s->lease.live ? study_jobs_out(store_folder(store), a) : 0;
}

int standing_read(struct standing *s, struct store *store, struct arena *a,
                  struct err *err)
{
    struct str total;
    *s = (struct standing){.total = -1};
    if (store_counts(store, &s->counts, err) ||
        store_fact(store, "total", a, &total, err) ||
        store_lease_read(store, &s->lease, err) ||
        study_goal_read(store, a, &s->goal, err))
        return -1;
    if (total.p && !num_int(total, &s->total))
        s->total = -1;
    for (int i = 0; i < STATE_COUNT; i++) {
        s->finished += state_final((enum state)i) ? s->counts.by_state[i] : 0;
        s->bad += state_bad((enum state)i) ? s->counts.by_state[i] : 0;
    }
    s->jobs_out = count_jobs(s, store, a);
    s->late = !study_place_is_live(study_place(store, a));
    return read_best(s, store, a, err);
}

static int read_devices(struct standing *s, struct store *store,
                        struct arena *a, struct err *err)
{
    struct buf b;
    buf_init(&b);
    int rc = device_choices_words(&b, store, err);
    s->device = arena_str(a, buf_str(&b));
    buf_reset(&b);
    if (!rc)
        rc = use_lately(&b, store, err);
    s->gpu = arena_str(a, buf_str(&b));
    buf_done(&b);
    return rc;
}

int standing_read_results(struct standing *s, struct store *store,
                          struct arena *a, struct err *err)
{
    bool named = s->goal.name.len;
    if (provenance_read(store, a, &s->code, err) ||
        read_devices(s, store, a, err) ||
        point_columns_written(store, a, &s->written, &s->written_count, err))
        return -1;
    if (named && goal_has_fronts(&s->goal.all) &&
        store_fronts_read(&s->fronts, store, &s->goal.all, NULL, err))
        return -1;
    if (named && !s->goal.all.bound_count &&
        store_valueless(store, &s->valueless, err))
        return -1;
    if (!s->mean_count)
        return 0;
    return store_trial(store, s->means[0].trial, a, &s->likely, err);
}

double trial_expected(const struct trial_mean *means, size_t count,
                      int64_t trial)
{
    for (size_t i = 0; i < count; i++)
        if (means[i].trial == trial)
            return means[i].mean;
    return NAN;
}

void standing_done(struct standing *s)
{
    store_fronts_done(&s->fronts);
}

static bool same_folder(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_ino == y.st_ino &&
           x.st_dev == y.st_dev;
}

struct claim *standing_claims(struct arena *a, const char *folder,
                              size_t *count)
{
    struct claim *list = claims_list(a, count);
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

/* ---- JSON ------------------------------------------------------------- */

static void print_fronts_json(struct buf *b, const struct standing *s)
{
    bool first = true;
    buf_addf(b, ",\"infeasible\":%zu,\"pareto\":[", s->fronts.infeasible);
    for (size_t i = 0; i < s->fronts.list.len; i++) {
        const struct contender *t = &s->fronts.list.p[i];
        if (t->front || t->broken > 0)
            continue;
        buf_addf(b, "%s%lld", first ? "" : ",", (long long)t->id);
        first = false;
    }
    buf_adds(b, "],\"hypervolume\":");
    strict_number_or_null(b, s->fronts.volume);
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

static void print_claim_json(struct buf *b, const struct claim *k)
{
    buf_adds(b, "{\"study\":");
    json_string(b, str_of(k->study));
    buf_addf(
        b, ",\"cpus\":%u,\"of\":%u,\"parallel\":%u,\"gpus\":[%s],\"waits\":%s}",
        k->cpus, k->of, k->parallel, k->gpus, k->waits ? "true" : "false");
}

static void print_claims_json(struct buf *b, struct arena *a,
                              const char *folder)
{
    size_t count;
    const struct claim *list = standing_claims(a, folder, &count);
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

static void print_jobs_json(struct buf *b, struct arena *a, const char *folder,
                            uint64_t out)
{
    size_t count, groups;
    const struct study_job *list = study_jobs(folder, a, &count);
    if (!count)
        return;
    const struct study_job_group *g = study_job_groups(list, count, a, &groups);
    study_job_groups_json(b, g, groups);
    buf_addf(b, ",\"jobs_out\":%llu", (unsigned long long)out);
}

void standing_json(struct buf *b, const struct standing *s,
                   const struct place_of_study *where, struct arena *a,
                   double as_of)
{
    buf_adds(b, "{\"schema\":\"throng.status/1\"");
    age_json(b, as_of);
    buf_adds(b, ",\"study\":");
    json_string(b, str_of(where->name));
    buf_addf(b, ",\"running\":%s,\"total\":", s->lease.live ? "true" : "false");
    if (s->total >= 0)
        buf_addf(b, "%lld", (long long)s->total);
    else
        buf_adds(b, "null");
    buf_addf(b, ",\"trials\":%lld,\"finished\":%lld,\"states\":{",
             (long long)s->counts.total, (long long)s->finished);
    for (int i = 0; i < STATE_COUNT; i++)
        buf_addf(b, "%s\"%s\":%lld", i ? "," : "", state_name((enum state)i),
                 (long long)s->counts.by_state[i]);
    buf_addf(b, "},\"valueless\":%lld,\"best\":", (long long)s->valueless);
    if (s->best.id)
        print_trial_json(b, &s->best, "value", s->best.value);
    else
        buf_adds(b, "null");
    if (s->likely.id) {
        buf_adds(b, ",\"incumbent\":");
        print_trial_json(b, &s->likely, "expected", s->means[0].mean);
    }
    if (goal_has_fronts(&s->goal.all))
        print_fronts_json(b, s);
    if (s->lease.live)
        print_claims_json(b, a, where->folder);
    print_jobs_json(b, a, where->folder, s->jobs_out);
    buf_adds(b, ",\"device\":");
    strict_string_or_null(b, s->device);
    buf_adds(b, ",\"gpu\":");
    strict_string_or_null(b, s->gpu);
    provenance_json(b, &s->code);
    buf_adds(b, "}\n");
}
