/* use.c - what an attempt had of a device, and how its time went */
#include "terms/use.h"

#include <math.h>
#include <string.h>

#include "terms/device.h"

#define BUSY 0.8     /* of the time: nothing is to be said */
#define BLOCKED 0.2  /* of the time at disks: that is what it waits for */
#define ONE_CPU 0.9  /* cpus that prepare all the time, at least one */
#define BRIEF_S 1e-6 /* less than this is no time */
#define HALF 0.5     /* of the time at disks: worth a word without a GPU, too */
#define LOOKED_S                                                               \
    20.0 /* fewer looks at processes than in this time prove nothing           \
          */

bool use_is_known(const struct use *u)
{
    return u->device[0] || u->gpu_bytes || u->joules > 0 || u->gpu_seen_s > 0 ||
           u->blocked_s > 0;
}

void use_gpu_shares(const struct use *u, double spent[SPENT_COUNT],
                    double *busy)
{
    const struct device *d =
        u->device[0] ? device_find(str_of(u->device), NULL) : NULL;
    double all = 0;
    for (int i = 0; d && d->gpu && i < SPENT_COUNT; i++)
        all += u->spent[i];
    for (int i = 0; i < SPENT_COUNT; i++)
        spent[i] = all > BRIEF_S ? u->spent[i] / all : NAN;
    *busy = !d && u->gpu_seen_s > BRIEF_S ? u->gpu_busy_s / u->gpu_seen_s : NAN;
}

void use_print(struct buf *b, const struct use *u)
{
    buf_add_bytes(b, str_n(u->device, strnlen(u->device, sizeof(u->device))));
    for (int i = 0; i < SPENT_COUNT; i++)
        buf_add_f64(b, u->spent[i]);
    buf_add_u64(b, u->gpu_bytes);
    buf_add_f64(b, u->joules);
    buf_add_f64(b, u->gpu_busy_s);
    buf_add_f64(b, u->gpu_seen_s);
    buf_add_f64(b, u->blocked_s);
}

/* Seconds and joules: what is none counts as not known. */
static double amount(struct bytes *in)
{
    double x = bytes_f64(in);
    return isfinite(x) && x > 0 ? x : 0;
}

bool use_parse(struct bytes *in, struct use *u)
{
    struct use read = {0};
    struct str device = bytes_str(in);
    if (device.len >= sizeof(read.device))
        return false;
    memcpy(read.device, device.p, device.len);
    for (int i = 0; i < SPENT_COUNT; i++)
        read.spent[i] = amount(in);
    read.gpu_bytes = bytes_u64(in);
    read.joules = amount(in);
    read.gpu_busy_s = amount(in);
    read.gpu_seen_s = amount(in);
    read.blocked_s = amount(in);
    if (in->bad)
        return false;
    *u = read;
    return true;
}

/* ---- in words ----------------------------------------------------------- */

/* The largest part that is no computing; the text takes its percents. */
static void add_held_up(struct buf *b, int most, double percent)
{
    if (most == SPENT_INPUT)
        buf_addf(b,
                 "waits for input %.0f %% of the time: prepare the data once, "
                 "in files that need no scaling or joining",
                 percent);
    else if (most == SPENT_SYNCHRONISING)
        buf_addf(b,
                 "is held up %.0f %% of the time by reports, checkpoints and "
                 "decisions: longer epochs or fewer rungs would help",
                 percent);
    else
        buf_addf(b,
                 "has nothing to train %.0f %% of the time: more trials at "
                 "once would help",
                 percent);
}

static void trainer_verdict(struct buf *b, const struct use *u)
{
    double all = 0, computing = u->spent[SPENT_COMPUTING];
    int most = SPENT_INPUT;
    for (int i = 0; i < SPENT_COUNT; i++) {
        all += u->spent[i];
        if (i != SPENT_COMPUTING && u->spent[i] > u->spent[most])
            most = i;
    }
    if (all < BRIEF_S)
        return;
    buf_adds(b, "the GPU ");
    if (computing >= BUSY * all)
        buf_addf(b, "is given work %.0f %% of the time", 100 * computing / all);
    else
        add_held_up(b, most, 100 * u->spent[most] / all);
}

static void program_verdict(struct buf *b, const struct use *u, double seconds,
                            double cpu_seconds)
{
    double busy = u->gpu_busy_s / u->gpu_seen_s;
    double cpus = cpu_seconds / seconds, blocked = u->blocked_s / seconds;
    buf_addf(b, "the GPU is busy %.0f %% of the time", 100 * busy);
    if (busy >= BUSY)
        return;
    if (blocked >= BLOCKED && seconds >= LOOKED_S)
        buf_addf(b,
                 ", and the program waits for disks %.0f %%: read the data "
                 "once, or from a faster disk",
                 100 * blocked);
    else if (cpus >= ONE_CPU)
        buf_addf(b,
                 ", while the program keeps %.1f cpus busy: it waits for what "
                 "they prepare; prepare the data once, or give it more cpus",
                 cpus);
    else
        buf_addf(b,
                 ", the program's cpus %.0f %%: larger batches, or several "
                 "trials on one GPU (`gpus: 0.25`), would fill it",
                 100 * cpus);
}

/* Only what is plain: most programs wait for a disk now and then. */
static void disk_verdict(struct buf *b, const struct use *u, double seconds)
{
    double blocked = u->blocked_s / seconds;
    if (seconds >= LOOKED_S && blocked >= HALF)
        buf_addf(b,
                 "the program waits for disks %.0f %% of the time: read the "
                 "data once, or from a faster disk",
                 100 * blocked);
}

void use_verdict(struct buf *b, const struct use *u, double seconds,
                 double cpu_seconds)
{
    const struct device *d =
        u->device[0] ? device_find(str_of(u->device), NULL) : NULL;
    if (d && d->gpu)
        trainer_verdict(b, u);
    else if (!d && u->gpu_seen_s > BRIEF_S && seconds > BRIEF_S)
        program_verdict(b, u, seconds, cpu_seconds);
    else if (!d && seconds > BRIEF_S)
        disk_verdict(b, u, seconds);
}

void use_cpus_verdict(struct buf *b, double seconds, double cpu_seconds,
                      double cpus)
{
    double busy = seconds > 0 ? cpu_seconds / seconds : 0;
    if (cpus < 2 || seconds < LOOKED_S || busy > HALF * cpus)
        return;
    buf_addf(b,
             "the program keeps %.1f of its %g cpus busy: with fewer "
             "(`cpus`) more trials run at once",
             busy, cpus);
}
