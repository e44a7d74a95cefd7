/* usage.c - what a person has in the queue besides this study's jobs
 *
 * A class's limit is on what one person has at once: other studies and jobs
 * that were submitted by hand count, too. The scheduler is asked before
 * something is submitted, at most as often as for our own jobs, and what it
 * says counts until the next answer. Two studies that ask at the same moment
 * may both find the last free place: then the site's own limit lets one of
 * their jobs wait. */
#include "engine/jobs.h"

#include <math.h>

#define FRESH_SECONDS 2.0

static bool any_limits(const struct jobs *j)
{
    for (size_t i = 0; i < j->classes.list.len; i++)
        if (classes_limits(&j->classes.list.p[i]))
            return true;
    return false;
}

static bool is_ours(const struct jobs *j, uint64_t job)
{
    for (size_t i = 0; i < j->list.len; i++)
        if (j->list.p[i]->job == job)
            return true;
    return false;
}

static void count(struct jobs *j, const struct queued_job *q)
{
    const struct job_class *class =
        is_ours(j, q->job) ? NULL
                           : classes_of_job(&j->classes, j->given->site, q);
    if (!class)
        return;
    struct class_load *at = &j->others[class - j->classes.list.p];
    at->jobs++;
    at->gpus += q->gpus;
}

/* Who waits for others of their own jobs is told so, once. */
static void tell(struct jobs *j)
{
    for (size_t i = 0; !j->usage_told && i < j->classes.list.len; i++) {
        const struct job_class *class = &j->classes.list.p[i];
        const struct class_load *at = &j->others[i];
        if (!(class->jobs && at->jobs >= class->jobs) &&
            !(class->gpus && at->gpus >= class->gpus))
            continue;
        j->usage_told = true;
        log_to(j->given->log, LOG_NOTICE,
               "%u job%s of yours besides this study's %s in the queue, as "
               "many as class %s allows: what belongs there waits for them",
               at->jobs, at->jobs == 1 ? "" : "s", at->jobs == 1 ? "is" : "are",
               class->name);
    }
}

static void on_usage(void *context, const struct queued_job *jobs, size_t n,
                     const struct err *err)
{
    struct jobs *j = context;
    j->usage_asked = false;
    j->usage_ns = clock_mono_ns();
    if (!jobs) {
        if (!j->usage_failed)
            log_to(j->given->log, LOG_WARN,
                   "%s; until it answers, nothing is submitted", err->text);
        j->usage_failed = true;
    } else {
        j->usage_failed = false;
        for (size_t i = 0; i < j->classes.list.len; i++)
            j->others[i] = (struct class_load){0};
        for (size_t i = 0; i < n; i++)
            count(j, &jobs[i]);
        tell(j);
    }
    jobs_soon(j);
}

bool usage_known(struct jobs *j)
{
    int64_t now = clock_mono_ns();
    if (!j->scheduler->usage || !any_limits(j))
        return true;
    if (j->usage_asked)
        return false;
    double age_s = (double)(now - j->usage_ns) / 1e9;
    if (j->usage_ns && age_s < fmax(j->usage_s, FRESH_SECONDS))
        return !j->usage_failed;
    if (!j->others)
        j->others =
            arena_array(j->arena, j->classes.list.len, sizeof *j->others);
    j->usage_s = fmin(fmax(1.5 * j->usage_s, FRESH_SECONDS), j->look_max_s);
    j->usage_asked = true;
    j->scheduler->usage(j->at, on_usage, j);
    return !j->usage_asked && !j->usage_failed;
}

void usage_changed(struct jobs *j)
{
    j->usage_s = 0;
}
