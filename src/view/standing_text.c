/* standing_text.c - how a study stands, for people */
#include <math.h>
#include "base/json.h"
#include "base/num.h"
#include "view/view.h"

static void print_fronts(struct buf *b, const struct standing *s, bool brief)
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
    num_print_short(b, s->fronts.volume, brief ? 6 : 17);
    buf_adds(b, " (hypervolume, from the worst value of each metric)\n");
}

static void print_holder(struct buf *b, const struct standing *s,
                         const struct place_of_study *where, const char *go_on)
{
    const struct lease *l = &s->lease;
    if (s->jobs_out)
        buf_addf(b,
                 "not running, and %llu job%s of it %s out: `%s` collects what "
                 "they do, `throng kill %s` cancels them\n",
                 (unsigned long long)s->jobs_out, s->jobs_out == 1 ? "" : "s",
                 s->jobs_out == 1 ? "is" : "are", go_on, where->name);
    else if (l->live)
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

/* Where the conductor is a job. */
static void print_conductor(struct buf *b, const char *folder)
{
    struct conductor_jobs jobs;
    conductor_jobs_read(folder, &jobs);
    if (jobs.next)
        buf_addf(b, "%-9sas job %llu of the scheduler; job %llu follows it\n",
                 "", (unsigned long long)jobs.now,
                 (unsigned long long)jobs.next);
}

/* ---- who has what of the machine --------------------------------------- */

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
static void print_claims(struct buf *b, const char *folder, struct arena *a)
{
    size_t count;
    const struct claim *list = standing_claims(a, folder, &count);
    if (count == 0 || (count == 1 && !*list[0].gpus))
        return;
    buf_adds(b, "has      ");
    print_claim(b, &list[0]);
    for (size_t i = 1; i < count; i++) {
        buf_addf(b, "beside   %s: ", list[i].study);
        print_claim(b, &list[i]);
    }
}

/* ---- jobs of a scheduler ------------------------------------------------ */

/* What it said last, which without a conductor may be long ago. */
static void print_jobs(struct buf *b, const char *folder,
                       const struct standing *s, struct arena *a)
{
    size_t count, groups;
    bool live = s->lease.live, run = false;
    const struct study_job *list = study_jobs(folder, a, &count);
    const struct study_job_group *g = study_job_groups(list, count, a, &groups);
    for (size_t i = 0; i < groups; i++) {
        const struct job_line *l = &g[i].like->line;
        run |= l->stage == JOB_RUNS;
        buf_addf(b, "%-9s%llu %s", i ? "" : "jobs",
                 (unsigned long long)g[i].jobs, study_job_state(g[i].like, a));
        if (l->reason.len)
            buf_addf(b, " (%.*s)", STRF(l->reason));
        if (l->words.len)
            buf_addf(b, ": %.*s", STRF(l->words));
        buf_addf(b, ", %llu trial%s%s\n", (unsigned long long)g[i].trials,
                 g[i].trials == 1 ? "" : "s",
                 live ? "" : ", when throng last asked");
    }
    if (run && s->late)
        buf_addf(b,
                 "%-9strials of jobs that run count as waiting: what they "
                 "do is known when their job ends\n",
                 "");
}

static void print_number(struct buf *b, double number, bool brief)
{
    if (brief)
        num_print_short(b, number, 6);
    else
        num_print(b, number);
}

static void print_best(struct buf *b, const struct standing *s, bool brief,
                       struct arena *a)
{
    const struct trial *t = &s->best;
    buf_addf(b, "best     %.*s = ", STRF(s->goal.name));
    print_number(b, t->value, brief);
    buf_addf(b, " (trial %lld)\n", (long long)t->id);
    point_lines(b, json_parse(a, t->point, "point", true, NULL), s->written,
                s->written_count, brief);
    if (!s->likely.id)
        return;
    buf_adds(b, "noise    equal points gave different values: a model of all "
                "results expects the best, ");
    print_number(b, s->means[0].mean, brief);
    buf_addf(b, ", of trial %lld\n", (long long)s->likely.id);
}

/* What ran when the study broke off does not run any more, unless in a job. */
static void print_states(struct buf *b, const struct standing *s)
{
    for (int i = 0; i < STATE_COUNT; i++) {
        bool left = i == STATE_RUNNING && !s->lease.live;
        bool broken = left && !s->jobs_out;
        if (s->counts.by_state[i])
            buf_addf(b, "  %-10s %lld%s\n",
                     broken ? "broken off" : state_name((enum state)i),
                     (long long)s->counts.by_state[i],
                     broken ? " (going on takes them up again)"
                     : left ? " (in jobs, when throng last asked)"
                            : "");
    }
    if (s->total > s->counts.total)
        buf_addf(b, "  %-10s %lld\n", "to come",
                 (long long)(s->total - s->counts.total));
}

static void print_now(struct buf *b, const struct standing *s,
                      const struct place_of_study *where, const char *now,
                      struct arena *a)
{
    buf_addf(b, "now      %s", now);
    if (!*now)
        print_holder(b, s, where, resume_command(a, where));
    if (s->lease.live) {
        print_conductor(b, where->folder);
        print_claims(b, where->folder, a);
    }
}

void standing_print(struct buf *b, const struct standing *s,
                    const struct place_of_study *where, const char *now,
                    bool brief, struct arena *a)
{
    buf_addf(b, "study    %s\n", where->name);
    print_now(b, s, where, now, a);
    buf_addf(b, "trials   %lld", (long long)s->finished);
    if (s->total >= 0)
        buf_addf(b, " of %lld", (long long)s->total);
    buf_adds(b, " finished\n");
    print_states(b, s);
    print_jobs(b, where->folder, s, a);
    if (s->valueless)
        buf_addf(b, "         %lld ended well without a value\n",
                 (long long)s->valueless);
    if (s->best.id)
        print_best(b, s, brief, a);
    if (goal_has_fronts(&s->goal.all))
        print_fronts(b, s, brief);
    if (s->device.len)
        buf_addf(b, "device   %.*s\n", STRF(s->device));
    if (s->gpu.len)
        buf_addf(b, "gpu      %.*s\n", STRF(s->gpu));
    provenance_print(b, &s->code, where->name);
}
