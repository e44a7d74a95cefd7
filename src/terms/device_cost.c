/* device_cost.c - how long training takes on a device, and which is the faster
 */
#include "terms/device_cost.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/num.h"

/* A cohort is as large as the time of operations is no more than this part of
 * a step; larger ones gain nothing, and report later. */
#define OPERATIONS_PART 0.05
#define MEMBERS_LEAST 64

bool device_pace_fit(struct device_pace *p,
                     const struct device_sample samples[2])
{
    const struct device_sample *s = &samples[0], *l = &samples[1];
    double det = s->depth * l->flops - l->depth * s->flops;
    if (!(s->seconds > 0 && l->seconds > 0 && l->flops > 0 && det > 0))
        return false;
    double op = (s->seconds * l->flops - l->seconds * s->flops) / det;
    double each = (s->depth * l->seconds - l->depth * s->seconds) / det;
    if (op < 0 || each <= 0) { /* noise: the large one says the rate */
        op = 0;
        each = l->seconds / l->flops;
    }
    p->op_s = op;
    p->flops_s = 1 / each;
    return isfinite(p->flops_s);
}

static double step_s(const struct device_work *w, const struct device_pace *p,
                     double members)
{
    return w->depth * p->op_s + members * w->flops / p->flops_s;
}

static double gpus_of(const struct device_work *w)
{
    return w->gpus ? w->gpus : 1;
}

/* Of each GPU: what may be out at once is spread over all. */
static size_t members_of(const struct device_work *w, const struct device *d,
                         const struct device_pace *p)
{
    double enough = w->depth * p->op_s * p->flops_s / w->flops *
                    (1 - OPERATIONS_PART) / OPERATIONS_PART;
    double most = (double)device_capacity(d, w->numbers);
    if (enough < MEMBERS_LEAST)
        enough = MEMBERS_LEAST;
    if (w->at_once)
        most = fmin(most, ceil((double)w->at_once / gpus_of(w)));
    most = fmin(most, w->passes ? (double)w->passes
                                : ceil((double)w->trials / gpus_of(w)));
    most = enough < most ? ceil(enough) : most;
    return most < 1 ? 1 : (size_t)most;
}

static double rounds(double trials, double together)
{
    return ceil(trials / together);
}

static double on_cpus(const struct device_work *w, const struct device_pace *p,
                      double trials)
{
    double passes = w->passes ? (double)w->passes : 1;
    return rounds(trials, w->cpus) *
           (w->host_s + passes * w->steps * step_s(w, p, 1));
}

static double on_gpus(const struct device_work *w, const struct device_pace *p,
                      double trials, double members)
{
    double each = w->steps * step_s(w, p, members);
    if (!w->passes)
        return rounds(trials, members * gpus_of(w)) * each;
    return rounds(trials, gpus_of(w)) *
           (w->host_s + rounds((double)w->passes, members) * each);
}

static struct device_choice refused(const struct device_work *w)
{
    const struct device *d = &devices[DEVICE_cpu];
    struct device_choice c = {
        .device = d,
        .why = DEVICE_REFUSED,
        .members = w->passes ? 0 : device_capacity(d, w->numbers),
        .work = *w};
    snprintf(c.refused, sizeof(c.refused), "%s", w->refused);
    return c;
}

struct device_choice device_choose(const struct device_work *w,
                                   const struct device_pace *cpu,
                                   const struct device_pace *gpu)
{
    const struct device *c = &devices[DEVICE_cpu], *g = &devices[DEVICE_cuda];
    if (w->refused)
        return refused(w);
    double trials = (double)(w->trials < 1 ? 1 : w->trials);
    size_t members = members_of(w, g, gpu);
    double conduct = trials * w->conduct_s;
    double cpus = on_cpus(w, cpu, trials);
    double gpus = on_gpus(w, gpu, trials, (double)members);
    struct device_choice choice = {.cpu_s = fmax(cpus, conduct),
                                   .gpu_s = gpu->start_s + fmax(gpus, conduct),
                                   .work = *w};
    bool faster = choice.gpu_s < choice.cpu_s;
    choice.conductor_s = conduct > (faster ? gpus : cpus) ? conduct : 0;
    choice.device = faster ? g : c;
    if (!w->passes)
        choice.members = faster ? members : device_capacity(c, w->numbers);
    return choice;
}

/* ---- as text ------------------------------------------------------------ */

/* As it is stored, and for people. */
static const struct {
    const char *name, *words;
} reasons[] = {
    [DEVICE_BY_TIME] = {"time", ""},
    [DEVICE_JOBS_ASK] = {"jobs-ask", "jobs ask for GPUs"},
    [DEVICE_JOBS_ASK_NOT] = {"jobs-ask-not", "jobs ask for no GPU"},
    [DEVICE_NO_WORKER] = {"no-worker", "jobs ask for GPUs, but there is no "
                                       "throng-worker-cuda beside "
                                       "throng-worker"},
    [DEVICE_PRODUCT] = {"product", "jobs ask for GPUs, but all "
                                   "combinations of tables are "
                                   "asked for on cpus"},
    [DEVICE_REFUSED] = {"refused", "the device cuda cannot run such a "
                                   "model: "},
    [DEVICE_UNUSABLE] = {"unusable", "no GPU can be used here: "}};

static enum device_why why_of(const struct value *v)
{
    const struct value *why = value_get(v, STR("why"));
    for (size_t i = 0; why && i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (str_is(value_text(why), reasons[i].name))
            return (enum device_why)i;
    return DEVICE_BY_TIME;
}

void device_choice_print(struct buf *b, const struct device_choice *c)
{
    if (c->why != DEVICE_BY_TIME) {
        buf_addf(b, "{\"device\":\"%s\",\"members\":%zu,\"why\":\"%s\"",
                 c->device->name, c->members, reasons[c->why].name);
        if (c->refused[0]) {
            buf_addf(
                b, ",\"trials\":%lld,\"refused\":", (long long)c->work.trials);
            json_string(b, str_of(c->refused));
        }
        buf_addc(b, '}');
        return;
    }
    buf_addf(
        b, "{\"device\":\"%s\",\"members\":%zu,\"trials\":%lld,\"cpus\":%u",
        c->device->name, c->members, (long long)c->work.trials, c->work.cpus);
    if (c->work.gpus > 1)
        buf_addf(b, ",\"gpus\":%u", c->work.gpus);
    buf_addf(b, ",\"cpu_seconds\":%.6g,\"gpu_seconds\":%.6g", c->cpu_s,
             c->gpu_s);
    buf_addf(b, ",\"conductor_seconds\":%.6g}", c->conductor_s);
}

static double number_of(const struct value *v, const char *name)
{
    const struct value *n = value_get(v, str_of(name));
    double x = n ? value_number(n) : NAN;
    return isfinite(x) && x >= 0 && x < 1e15 ? x : 0;
}

bool device_choice_parse(struct str text, struct device_choice *c)
{
    struct arena *a = arena_new();
    const struct value *v = json_parse(a, text, "device", true, NULL);
    const struct value *name = v ? value_get(v, STR("device")) : NULL;
    const struct device *d = name ? device_find(value_text(name), NULL) : NULL;
    const struct value *refused = d ? value_get(v, STR("refused")) : NULL;
    if (d)
        *c = (struct device_choice){
            .device = d,
            .why = why_of(v),
            .members = (size_t)number_of(v, "members"),
            .cpu_s = number_of(v, "cpu_seconds"),
            .gpu_s = number_of(v, "gpu_seconds"),
            .conductor_s = number_of(v, "conductor_seconds"),
            .work = {.trials = (int64_t)number_of(v, "trials"),
                     .gpus = (unsigned)number_of(v, "gpus"),
                     .cpus = (unsigned)number_of(v, "cpus")}};
    if (refused)
        snprintf(c->refused, sizeof(c->refused), "%.*s",
                 STRF(value_text(refused)));
    arena_free(a);
    return d != NULL;
}

static void add_about(struct buf *b, double seconds)
{
    num_print_seconds(b, seconds < 10 ? seconds : round(seconds));
}

void device_choice_words(struct buf *b, const struct device_choice *c)
{
    const struct device_work *w = &c->work;
    buf_adds(b, c->device->name);
    bool together = c->device->gpu && c->members;
    if (together)
        buf_addf(b, ", up to %zu at a time", c->members);
    if (together && w->gpus > 1)
        buf_addf(b, " on each of %u GPUs", w->gpus);
    if (c->why != DEVICE_BY_TIME) {
        buf_addf(b, ": %s%s", reasons[c->why].words, c->refused);
        return;
    }
    buf_addf(b, ": %lld trial%s should take ", (long long)w->trials,
             w->trials == 1 ? "" : "s");
    add_about(b, c->gpu_s);
    buf_adds(b, w->gpus > 1 ? " on the GPUs, " : " on the GPU, ");
    add_about(b, c->cpu_s);
    buf_addf(b, " on %u cpu%s", w->cpus, w->cpus == 1 ? "" : "s");
    if (!(c->conductor_s > 0) || w->trials < 1)
        return;
    buf_adds(b, "; it is the conductor, with ");
    num_print_seconds(b, c->conductor_s / (double)w->trials);
    buf_adds(b, " a trial, that takes so long");
}
