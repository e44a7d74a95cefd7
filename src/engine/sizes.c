/* sizes.c - how many tasks go into one job, and how many jobs now
 *
 * While nobody knows how long a task takes, a few jobs of one task for each
 * slot measure it. Should those be long, the slots that are left are filled
 * the same way: they would be idle otherwise, and long tasks have jobs of
 * their own anyway. Then a job holds as many as fill the time it should take,
 * or fewer, so that all slots have something to do.
 *
 * Tasks that trickle in wait for each other, as long as the queue holds a job
 * for the next slot that falls free. */
#include "engine/sizes.h"

#include <math.h>

#define PILOT_JOBS 16
/* A pilot that takes longer is not waited for. */
#define PILOT_SECONDS 10.0
/* The time of no task is measured better than this. */
#define LEAST_SECONDS 0.001
#define TASKS_MAX 100000.0
/* Of the time that a job may take; the rest is for starting, for tasks that
 * take longer than others, and for the warning at its end. */
#define TIME_USED 0.75

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t divide_up(size_t a, size_t b)
{
    return b ? (a + b - 1) / b : a;
}

size_t sizes_full(const struct sizes *s)
{
    if (s->task_s < 0)
        return 1;
    double time = s->bundle_time_s;
    if (s->job_time_s > 0)
        time = fmin(time, s->job_time_s * TIME_USED);
    double tasks = time / fmax(s->task_s, LEAST_SECONDS) * s->job_slots;
    return tasks < 1 ? 1 : (size_t)fmin(tasks, TASKS_MAX);
}

/* Jobs that run at once. */
static size_t job_places(const struct sizes *s)
{
    size_t places = divide_up(s->slots, s->job_slots);
    return places ? places : 1;
}

static struct cut cut_blindly(const struct sizes *s)
{
    size_t places = job_places(s), free = places > s->out ? places - s->out : 0;
    size_t jobs = divide_up(s->waiting, s->job_slots);
    if (jobs > free && s->longest_s < PILOT_SECONDS) {
        size_t pilot = smaller(PILOT_JOBS, places);
        free = pilot > s->out ? pilot - s->out : 0;
    }
    return (struct cut){smaller(jobs, free), s->job_slots};
}

static struct cut cut_measured(const struct sizes *s)
{
    size_t places = job_places(s), full = sizes_full(s);
    if (s->queued && s->out >= places && s->waiting < full)
        return (struct cut){0};
    size_t tasks = smaller(divide_up(s->waiting, places), full);
    tasks = tasks > s->job_slots ? tasks : s->job_slots;
    return (struct cut){divide_up(s->waiting, tasks), tasks};
}

struct cut sizes_cut(const struct sizes *s)
{
    if (!s->waiting || s->out >= s->out_max)
        return (struct cut){0};
    struct cut c = s->task_s < 0 ? cut_blindly(s) : cut_measured(s);
    c.jobs = smaller(c.jobs, s->out_max - s->out);
    return c;
}
