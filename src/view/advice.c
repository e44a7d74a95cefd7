/* advice.c - how long a study will take, and where it belongs */
#include "view/view.h"

#include <math.h>
#include <sys/stat.h>
#include "base/json.h"
#include "base/num.h"
#include "study/study.h"
#include "terms/device.h"
#include "terms/place.h"
#include "terms/room.h"

#define HERE_LIMIT_S 43200.0     /* half a day: a night on one machine */
#define QUEUE_COST_S 60.0        /* what a queue needs to start one job */
#define LONG_TASK_S 86400.0      /* longer ones are hard to place */
#define JOB_TASK_S 1800.0        /* longer ones have a job each */
#define LARGE_DATA (10ull << 30) /* more is slow to carry to a machine */
/* What the larger nodes of a cluster have. More cpus or GPUs are to be had on
 * several nodes of a queue, more memory for one process is not. */
#define NODE_CPUS 256
#define NODE_GPUS 8
#define NODE_MEMORY (4ull << 40)

/* ---- thinking --------------------------------------------------------- */

uint64_t outlook_inputs(const struct plan *p, const char *home, struct arena *a)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->input_count; i++) {
        const char *name = arena_cstr(a, p->inputs[i].path);
        const char *folder = path_join(a, home, name);
        bool whole = file_is_dir(folder); /* a folder goes with all in it */
        const char **files = whole ? dir_glob(folder, "**", a, NULL)
                                   : dir_glob(home, name, a, NULL);
        for (; files && *files; files++) {
            struct stat st;
            if (!stat(path_join(a, whole ? folder : home, *files), &st))
                sum += (uint64_t)st.st_size;
        }
    }
    return sum;
}

/* Built-in training: trials that run at once share trainers, one for each
 * cpu, so that memory is not each one's own. */
static bool is_trained(const struct outlook *o)
{
    return o->plan->model_root != NULL;
}

static uint32_t count_slots(struct outlook *o)
{
    struct arena *a = arena_new();
    struct room room;
    struct needs needs = o->needs;
    machine_room(o->machine, o->plan->parallel, a, &room);
    study_share_cpus(o->plan, o->machine->cpus, &needs);
    study_share_gpu_here(o->plan, &room, o->total, &needs);
    if (!needs.memory_bytes && !is_trained(o))
        needs.memory_bytes = o->measure.rss_bytes;
    bool fits = room_check(&room, &needs, &o->unfit) == 0;
    uint32_t slots = fits ? room_slots(&room, &needs) : 0;
    arena_free(a);
    return slots;
}

static void take_time(struct outlook *o)
{
    if (o->given_s > 0) {
        o->task_s = o->given_s;
        o->source = "given";
    } else if (o->measure.tasks) {
        double part = o->measure.subset > 0 ? o->measure.subset : 1;
        o->task_s = o->measure.seconds / part;
        if (is_trained(o)) /* the rest of its time others were trained */
            o->task_s *= o->measure.cpus;
        o->source = "measured";
    }
}

static bool is_coupled(const struct outlook *o)
{
    return o->needs.nodes > 1 || o->needs.ranks > 1;
}

/* The engine that the study says is a scheduler's: this machine only asks it.
 */
static bool is_away(const struct outlook *o)
{
    return !place_is_here(o->plan->site.engine);
}

/* Trials that really run at the same time. */
static double processes(const struct outlook *o)
{
    return is_trained(o) && o->slots > o->machine->cpus ? o->machine->cpus
                                                        : o->slots;
}

/* On how many large nodes so many cpus and GPUs are. */
static double nodes_needed(const struct needs *n)
{
    return fmax(ceil(n->cpus / NODE_CPUS), ceil(n->gpus / NODE_GPUS));
}

/* The work is judged, not this machine. */
static enum advised judge(const struct outlook *o)
{
    if (is_coupled(o))
        return ADVISE_COUPLED;
    if (!o->slots || is_away(o))
        return o->needs.memory_bytes > NODE_MEMORY ? ADVISE_LARGER
                                                   : ADVISE_QUEUE;
    return o->here_s > HERE_LIMIT_S ? ADVISE_QUEUE : ADVISE_MACHINE;
}

void outlook_think(struct outlook *o)
{
    o->source = "";
    take_time(o);
    o->slots = count_slots(o);
    if (o->task_s > 0 && o->total > 0) {
        double total = (double)o->total;
        o->work_s = total * o->task_s;
        if (o->slots)
            o->here_s = ceil(total / processes(o)) * o->task_s;
        if (o->slots_asked)
            o->there_s = ceil(total / (double)o->slots_asked) * o->task_s;
    }
    o->advised = judge(o);
}

/* ---- the reasons ------------------------------------------------------ */

struct reasons {
    VEC(char *) list;
};

static void because(struct reasons *r, struct buf *b)
{
    vec_push(&r->list, buf_take(b));
}

static void reason_length(struct reasons *r, const struct outlook *o)
{
    struct buf b;
    buf_init(&b);
    if (o->task_s <= 0) {
        buf_adds(&b, is_away(o)
                         ? "how long a task takes is not known: the first jobs "
                           "are short ones that measure it"
                         : "how long a task takes is not known, so neither is "
                           "whether a queue would pay");
        because(r, &b);
        return;
    }
    buf_adds(&b, "a task takes ");
    num_print_seconds(&b, o->task_s);
    if (o->task_s < QUEUE_COST_S)
        buf_adds(&b, ": less than the minute or so that a queue takes to "
                     "start one, so many go into one job as a bundle");
    else if (o->task_s >= LONG_TASK_S)
        buf_adds(&b, ": so long that it should save checkpoints "
                     "(THRONG_CHECKPOINT, exit code 85); then it fits a "
                     "site's class of short jobs, without them only one that "
                     "is longer than it");
    else
        buf_adds(&b, ": long enough for a queue, short enough to lose little");
    because(r, &b);
}

static void reason_independence(struct reasons *r, const struct outlook *o)
{
    struct buf b;
    buf_init(&b);
    if (is_coupled(o))
        buf_addf(&b,
                 "one trial runs on several nodes or ranks at once (nodes: "
                 "%u, ranks: %u) that talk to each other",
                 o->needs.nodes, o->needs.ranks);
    else if (o->adaptive)
        buf_addf(&b,
                 "method %.*s learns from results: with very many at once it "
                 "learns less from each",
                 STRF(o->plan->method));
    else
        buf_adds(&b, "trials do not depend on each other: any number can run "
                     "at once, anywhere");
    because(r, &b);
}

static bool is_site_bound(const struct plan *p)
{
    for (size_t i = 0; i < p->input_count; i++)
        if (p->inputs[i].site_bound)
            return true;
    return false;
}

static void reason_site(struct reasons *r, const struct outlook *o)
{
    struct buf b;
    if (!is_site_bound(o->plan))
        return;
    buf_init(&b);
    buf_adds(&b, "some inputs are site_bound: a queue of the site that has "
                 "them, none that sends jobs elsewhere");
    because(r, &b);
}

static void reason_data(struct reasons *r, const struct outlook *o)
{
    struct buf b;
    uint64_t bytes = o->input_bytes + o->measure.output_bytes;
    buf_init(&b);
    if (!bytes && is_trained(o)) {
        buf_adds(&b, "a trial reads what the model file's `data` names, which "
                     "must be where it runs");
    } else if (!bytes && o->plan->input_count) {
        buf_adds(&b, "what `inputs:` names is not on this disk, or empty: how "
                     "much there is to carry is not known");
    } else if (!bytes) {
        buf_adds(&b, "no `inputs:` are named: what the program reads must be "
                     "where it runs");
    } else {
        buf_adds(&b, "data to carry for each task: ");
        num_print_bytes(&b, bytes);
        buf_adds(&b, bytes >= LARGE_DATA
                         ? ", too much to send along: it wants a shared file "
                           "system near the machines"
                         : ", little enough to send along");
    }
    because(r, &b);
}

static bool is_on_gpus(const struct outlook *o)
{
    const struct device *d = device_find(o->plan->device, NULL);
    return d && d->gpu;
}

static void say_trained(struct buf *b, const struct outlook *o)
{
    buf_adds(b, "training is built in: ");
    if (is_on_gpus(o) && !o->machine->gpu_count)
        buf_adds(b, "on a GPU, and none is seen here");
    else
        buf_addf(b, "%u model%s at once here, trained %s", o->slots,
                 o->slots == 1 ? "" : "s",
                 is_on_gpus(o) ? "together by one process for each GPU"
                               : "in turn by one process for each cpu");
}

/* What a trial takes, whatever this machine has. */
static void reason_room(struct reasons *r, const struct outlook *o,
                        uint64_t bytes)
{
    struct buf b;
    buf_init(&b);
    if (bytes) {
        buf_adds(&b, "memory of one trial: ");
        num_print_bytes(&b, bytes);
        buf_adds(&b, o->needs.memory_bytes ? " (asked for)" : " (measured)");
    }
    if (o->needs.gpus > 0)
        buf_addf(&b, "%seach trial wants %g GPU%s", b.len ? "; " : "",
                 o->needs.gpus, o->needs.gpus == 1 ? "" : "s");
    if (b.len)
        because(r, &b);
    buf_done(&b);
}

/* Work for minutes is done before a queue has begun. */
static void reason_here(struct reasons *r, const struct outlook *o)
{
    struct buf b;
    if (!is_away(o) || is_coupled(o) || !(o->here_s > 0) ||
        o->here_s > HERE_LIMIT_S)
        return;
    buf_init(&b);
    buf_adds(&b, "this machine alone would take ");
    num_print_seconds(&b, o->here_s);
    buf_adds(&b, " (engine: local)");
    because(r, &b);
}

static void reason_memory(struct reasons *r, const struct outlook *o)
{
    struct buf b;
    uint64_t bytes =
        o->needs.memory_bytes ? o->needs.memory_bytes : o->measure.rss_bytes;
    if (is_away(o)) {
        reason_room(r, o, bytes);
        return;
    }
    buf_init(&b);
    if (!o->slots) {
        buf_addf(&b, "this machine cannot hold one trial: it %s",
                 o->unfit.text);
    } else if (is_trained(o) && !o->needs.memory_bytes) {
        say_trained(&b, o);
    } else if (bytes) {
        buf_adds(&b, "memory of one trial: ");
        num_print_bytes(&b, bytes);
        buf_addf(&b, " (%s), of ",
                 o->needs.memory_bytes ? "asked for" : "measured");
        num_print_bytes(&b, o->machine->memory_bytes);
        buf_addf(&b, " here: %u at once", o->slots);
    } else {
        buf_addf(&b, "%u trial%s this machine at once", o->slots,
                 o->slots == 1 ? " fits" : "s fit");
    }
    if (o->needs.gpus > 0 && o->slots && !is_trained(o))
        buf_addf(&b, "; each wants %g of the %zu GPUs here", o->needs.gpus,
                 o->machine->gpu_count);
    because(r, &b);
}

static void reason_nodes(struct reasons *r, const struct outlook *o)
{
    double nodes = nodes_needed(&o->needs);
    struct buf b;
    if (is_coupled(o) || nodes <= 1)
        return;
    buf_init(&b);
    buf_addf(&b,
             "few clusters have a node of that size: a program that runs on "
             "several at once says so, `nodes: %.0f`",
             nodes);
    because(r, &b);
}

static void think_of_reasons(struct reasons *r, const struct outlook *o)
{
    reason_length(r, o);
    reason_independence(r, o);
    reason_data(r, o);
    reason_site(r, o);
    reason_memory(r, o);
    reason_nodes(r, o);
    reason_here(r, o);
}

static void reasons_done(struct reasons *r)
{
    for (size_t i = 0; i < r->list.len; i++)
        free(r->list.p[i]);
    vec_done(&r->list);
}

/* ---- for people ------------------------------------------------------- */

static const char *const advice_words[] = {
    [ADVISE_MACHINE] = "one machine does it",
    [ADVISE_QUEUE] = "a queue",
    [ADVISE_COUPLED] = "tightly coupled nodes (Slurm or MPI)",
    [ADVISE_LARGER] = "a larger machine",
};

static void print_advice(struct buf *b, const struct outlook *o)
{
    const struct place_name *place = place_name_find(o->plan->site.engine);
    bool said = o->advised == ADVISE_QUEUE && is_away(o) && place;
    buf_addf(b, "advice   %s", said ? place->about : advice_words[o->advised]);
    if (o->advised == ADVISE_QUEUE)
        buf_addf(b, " (engine: %s): many machines, %s",
                 said ? place->name : "slurm",
                 o->task_s >= JOB_TASK_S ? "a job for each task"
                                         : "tasks in bundles");
    buf_addc(b, '\n');
}

/* The program reads THRONG_SUBSET or does not; only its time tells. */
static void print_subset(struct buf *b, const struct outlook *o)
{
    const struct measure *m = &o->measure;
    if (m->subset <= 0 || m->subset >= 1)
        return;
    buf_adds(b, "subset   ");
    if (o->full_s > 0 && m->seconds > o->full_s * (1 + m->subset) / 2) {
        buf_adds(b, "trials with all of the data took ");
        num_print_seconds(b, o->full_s);
        buf_addf(b,
                 ": it seems that the program does not honour "
                 "THRONG_SUBSET, and the estimate is then %g times too "
                 "long\n",
                 1 / m->subset);
        return;
    }
    buf_adds(b, "it is the program's to honour THRONG_SUBSET; where it does "
                "not, the estimate is too long\n");
}

static void print_measure(struct buf *b, const struct outlook *o)
{
    const struct measure *m = &o->measure;
    if (!m->tasks)
        return;
    buf_addf(b, "measured %lld trial%s: ", (long long)m->tasks,
             m->tasks == 1 ? "" : "s");
    num_print_seconds(b, m->seconds);
    buf_adds(b, " each, at most ");
    num_print_seconds(b, m->seconds_max);
    buf_addf(b, ", %.2g cpus busy, at most ", m->cpus);
    num_print_bytes(b, m->rss_bytes);
    if (m->gpu_bytes) {
        buf_adds(b, " and ");
        num_print_bytes(b, m->gpu_bytes);
        buf_adds(b, " of a GPU");
    }
    if (m->subset > 0)
        buf_addf(b, ", with %g of the data", m->subset);
    buf_addc(b, '\n');
    print_subset(b, o);
}

/* "1042 GPU-days", of all tasks together. */
static void print_work(struct buf *b, const struct outlook *o)
{
    double each = o->needs.gpus > 0 ? o->needs.gpus : o->needs.cpus;
    double seconds = o->work_s * each;
    bool days = seconds >= 2 * LONG_TASK_S;
    if (!(seconds >= 3600))
        return;
    buf_adds(b, "work     ");
    num_print_short(b, round(seconds / (days ? LONG_TASK_S : 3600)), 12);
    buf_addf(b, " %s-%s in all", o->needs.gpus > 0 ? "GPU" : "cpu",
             days ? "days" : "hours");
    if (o->there_s > 0) {
        buf_adds(b, ": ");
        num_print_seconds(b, o->there_s);
        buf_addf(b, " with %lld at once", (long long)o->slots_asked);
    }
    buf_addc(b, '\n');
}

/* "40 trials of 10 s (measured)" */
static void print_trials(struct buf *b, const struct outlook *o)
{
    buf_addf(b, "%lld trial%s of ", (long long)o->total,
             o->total == 1 ? "" : "s");
    num_print_seconds(b, o->task_s);
    buf_addf(b, " (%s%s)", o->source,
             o->measure.subset > 0 && o->given_s <= 0
                 ? " on a part of the data, scaled"
                 : "");
}

static void print_estimate_there(struct buf *b, const struct outlook *o)
{
    if (o->there_s > 0) {
        num_print_seconds(b, o->there_s);
        buf_adds(b, " there: ");
        print_trials(b, o);
        buf_addf(b, ", %lld at once", (long long)o->slots_asked);
    } else {
        print_trials(b, o);
        buf_adds(b, ": how many run at once there is the queue's to say, try "
                    "--slots 50");
    }
}

static void print_estimate(struct buf *b, const struct outlook *o)
{
    buf_adds(b, "estimate ");
    if (!o->slots && !is_away(o))
        buf_addf(b, "never here: no trial fits this machine%s",
                 o->task_s > 0 ? "" : "; for a queue's say --task-time 30s");
    else if (o->total < 0)
        buf_adds(b, "no end: set run_cap");
    else if (o->task_s <= 0)
        buf_adds(b, "unknown: try some with --try 2, or say --task-time 30s");
    else if (is_away(o))
        print_estimate_there(b, o);
    else {
        num_print_seconds(b, o->here_s);
        buf_adds(b, " here: ");
        print_trials(b, o);
        buf_addf(b, ", %u at once", o->slots);
    }
    buf_addc(b, '\n');
}

void outlook_print(struct buf *b, const struct outlook *o)
{
    struct reasons r = {0};
    think_of_reasons(&r, o);
    print_measure(b, o);
    print_estimate(b, o);
    print_work(b, o);
    print_advice(b, o);
    for (size_t i = 0; i < r.list.len; i++)
        buf_addf(b, "  - %s\n", r.list.p[i]);
    reasons_done(&r);
}

/* ---- to paste ----------------------------------------------------------- */

#define SPARE 1.5        /* a measured task is not the longest */
#define LEAST_TIME_S 600 /* a shorter limit gains nothing */
#define MEMORY_STEP (64ull << 20)

static void add_time(struct buf *b, double seconds)
{
    double minutes = ceil(seconds / 60);
    if (minutes >= 120)
        buf_addf(b, "  time: %.0fh\n", ceil(minutes / 60));
    else
        buf_addf(b, "  time: %.0fm\n", minutes);
}

static void add_bytes(struct buf *b, const char *name, double bytes)
{
    uint64_t steps = (uint64_t)ceil(bytes / (double)MEMORY_STEP);
    buf_addf(b, "  %s: %lluM\n", name,
             (unsigned long long)(steps * (MEMORY_STEP >> 20)));
}

void outlook_resources(struct buf *b, const struct outlook *o)
{
    const struct measure *m = &o->measure;
    if (!m->tasks)
        return;
    double part = m->subset > 0 ? m->subset : 1;
    double seconds = SPARE * m->seconds_max / part;
    buf_addf(b, "to paste into the study file (measured, half as much again "
                "to spare):\nresources:\n");
    buf_addf(b, "  cpus: %g\n", o->needs.cpus);
    add_time(b, seconds > LEAST_TIME_S ? seconds : LEAST_TIME_S);
    if (m->rss_bytes && !is_trained(o))
        add_bytes(b, "memory", SPARE * (double)m->rss_bytes);
    if (m->disk_bytes)
        add_bytes(b, "disk", SPARE * (double)m->disk_bytes);
    if (o->needs.gpus > 0 && (o->plan->gpus_said || m->gpu_bytes))
        buf_addf(b, "  gpus: %g\n", o->needs.gpus);
    if (m->gpu_bytes)
        add_bytes(b, "gpus_minimum_memory", SPARE * (double)m->gpu_bytes);
    if (m->gpu_unknown)
        buf_adds(b, "  # gpus_minimum_memory: not measured, the driver's "
                    "library (NVML) does not tell\n");
}

/* ---- for programs ----------------------------------------------------- */

static void json_or_null(struct buf *b, const char *name, double v)
{
    buf_addf(b, ",\"%s\":", name);
    if (v > 0)
        json_number(b, v);
    else
        buf_adds(b, "null");
}

void outlook_json(struct buf *b, const struct outlook *o)
{
    static const char *const names[] = {[ADVISE_MACHINE] = "machine",
                                        [ADVISE_QUEUE] = "queue",
                                        [ADVISE_COUPLED] = "coupled",
                                        [ADVISE_LARGER] = "larger"};
    struct reasons r = {0};
    think_of_reasons(&r, o);
    json_or_null(b, "task_seconds", o->task_s);
    json_or_null(b, "task_memory_bytes", (double)o->measure.rss_bytes);
    json_or_null(b, "task_disk_bytes", (double)o->measure.disk_bytes);
    json_or_null(b, "task_gpu_memory_bytes", (double)o->measure.gpu_bytes);
    buf_addf(b, ",\"slots\":%u", o->slots);
    json_or_null(b, "estimate_seconds", o->here_s);
    json_or_null(b, "work_seconds", o->work_s);
    json_or_null(b, "slots_seconds", o->there_s);
    buf_addf(b, ",\"advice\":\"%s\",\"reasons\":[", names[o->advised]);
    for (size_t i = 0; i < r.list.len; i++) {
        if (i)
            buf_addc(b, ',');
        json_string(b, str_of(r.list.p[i]));
    }
    buf_addc(b, ']');
    reasons_done(&r);
}
