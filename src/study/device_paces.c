/* device_paces.c - how fast the devices of this machine train
 *
 * Both workers are asked once (throng-worker --time-device), for some tenths of
 * a second each; what they say is kept in the person's cache, for as long as
 * they, the machine and its GPUs are the same. That one does not answer in time
 * is kept, too, for a while (device_silence.c); why else one says nothing is
 * not: it is asked anew each time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "study/devices.h"
#include "study/program_read.h"
#include "study/study.h"

#define CACHE_MAX 4096

/* ---- asking a worker ----------------------------------------------------- */

static bool next_number(struct str *line, double *x)
{
    struct str word;
    return str_split(line, ' ', &word) && num_double(word, x);
}

static bool parse_timing(struct str text, struct device_pace *p)
{
    struct device_sample samples[2];
    struct str line, word;
    if (!str_split(&text, '\n', &line) || !str_split(&line, ' ', &word) ||
        !str_is(word, "start") || !next_number(&line, &p->start_s))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (!str_split(&text, '\n', &line) ||
            !next_number(&line, &samples[i].depth) ||
            !next_number(&line, &samples[i].flops) ||
            !next_number(&line, &samples[i].seconds))
            return false;
    return device_pace_fit(p, samples);
}

static bool ask(const struct device_asked *q, const char *worker,
                const char *device, struct device_pace *p)
{
    const char *gpu = worker == q->cuda_worker ? device_gpu(q->machine) : NULL;
    const char *argv[] = {
        worker, "--time-device", device, gpu ? "--gpu" : NULL, gpu, NULL};
    struct buf said;
    buf_init(&said);
    bool known = program_read("/", q->scratch, argv, q->wait_s, &said) == 0 &&
                 parse_timing(buf_str(&said), p);
    buf_done(&said);
    return known;
}

/* ---- what was said before ------------------------------------------------ */

static void add_program(struct buf *b, const char *path)
{
    struct stat s = {0};
    stat(path, &s);
    buf_addf(b, " %lld.%lld", (long long)s.st_size, (long long)s.st_mtime);
}

/* What the numbers are true of. */
static void print_stamp(struct buf *b, const struct device_asked *q)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    buf_addf(b, "throng-paces 1 %u", q->machine->cpus);
    add_program(b, q->worker);
    add_program(b, q->cuda_worker);
    for (size_t i = 0; i < q->machine->gpu_count; i++)
        buf_addf(b, " %s", q->machine->gpus[i].uuid);
    buf_addf(b, " %s\n", visible ? visible : "-");
}

static bool parse_kept(struct str text, struct str stamp,
                       struct device_pace *const paces[2])
{
    struct str line;
    if (!str_starts(text, stamp))
        return false;
    text = str_n(text.p + stamp.len, text.len - stamp.len);
    for (size_t i = 0; i < 2; i++)
        if (!str_split(&text, '\n', &line) ||
            !next_number(&line, &paces[i]->op_s) ||
            !next_number(&line, &paces[i]->flops_s) ||
            !next_number(&line, &paces[i]->start_s) || !(paces[i]->flops_s > 0))
            return false;
    return true;
}

/* NULL: there is nowhere to keep it. */
static const char *kept_at(const struct device_asked *q, struct arena *a)
{
    const char *cache = cache_dir(a);
    if (!cache || dir_make(cache, NULL))
        return NULL;
    return path_join(a, cache, arena_printf(a, "paces-%s", q->machine->host));
}

static void keep(const char *path, struct str stamp,
                 struct device_pace *const paces[2])
{
    struct buf b;
    buf_init(&b);
    buf_addstr(&b, stamp);
    for (size_t i = 0; i < 2; i++)
        buf_addf(&b, "%.9g %.9g %.9g\n", paces[i]->op_s, paces[i]->flops_s,
                 paces[i]->start_s);
    file_write(path, buf_str(&b), false, NULL);
    buf_done(&b);
}

/* ---- the whole ----------------------------------------------------------- */

/* What it says of its GPU, as doctor tells it. */
static int say_why(const struct device_asked *q, struct err *err)
{
    struct buf said;
    struct str line, mark;
    buf_init(&said);
    int rc = device_described(q->cuda_worker, q->machine, q->wait_s, &said);
    struct str text = buf_str(&said);
    bool told = !rc && str_split(&text, '\n', &line) &&
                str_split(&line, ' ', &mark) && str_is(mark, "--");
    if (told)
        err_set(err, ERR_MISSING, "%.*s", STRF(line));
    else
        err_set(err, ERR_MISSING,
                "throng-worker-cuda does not say how fast it is");
    buf_done(&said);
    return -1;
}

static bool has_waited(const struct device_asked *q, int64_t since_ns)
{
    return (double)(clock_mono_ns() - since_ns) * 1e-9 >= q->wait_s;
}

/* *silent: the GPU has not answered in time, of which err says nothing. */
static int ask_both(const struct device_asked *q, struct device_pace *cpu,
                    struct device_pace *gpu, bool *silent, struct err *err)
{
    int64_t began = clock_mono_ns();
    if (ask(q, q->cuda_worker, "cuda", gpu))
        return ask(q, q->worker, "cpu", cpu)
                   ? 0
                   : err_set(err, ERR_MISSING,
                             "throng-worker does not say how fast the cpu is");
    *silent = has_waited(q, began);
    if (*silent)
        return -1;
    began = clock_mono_ns();
    say_why(q, err);
    *silent = has_waited(q, began);
    return -1;
}

static int say_silent(const struct device_asked *q, double when,
                      struct err *err)
{
    struct buf b;
    buf_init(&b);
    clock_print(&b, when, false);
    err_set(err, ERR_MISSING,
            "throng-worker-cuda did not say within %g s how fast it is (%s; "
            "asked again a day later, after a reboot, with another driver, and "
            "by `throng doctor`)",
            q->wait_s, b.p);
    buf_done(&b);
    return -1;
}

/* What is kept, or else what they say. */
static int find(const struct device_asked *q, const char *path,
                struct device_pace *const paces[2], struct err *err)
{
    struct buf stamp, text;
    bool silent = false;
    double when;
    int rc = 0;
    buf_init(&stamp);
    buf_init(&text);
    print_stamp(&stamp, q);
    if (path && file_read(path, CACHE_MAX, &text, NULL) == 0 &&
        parse_kept(buf_str(&text), buf_str(&stamp), paces))
        goto out;
    if (device_silence_known(path, buf_str(&stamp), &when)) {
        rc = say_silent(q, when, err);
        goto out;
    }
    rc = ask_both(q, paces[0], paces[1], &silent, err);
    if (silent) {
        when = clock_wall();
        device_silence_note(path, buf_str(&stamp), when);
        rc = say_silent(q, when, err);
    } else {
        device_silence_forget(path);
    }
    if (!rc && path)
        keep(path, buf_str(&stamp), paces);
out:
    buf_done(&stamp);
    buf_done(&text);
    return rc;
}

int device_paces(const struct device_asked *q, struct device_pace *cpu,
                 struct device_pace *gpu, struct err *err)
{
    struct device_pace *const paces[2] = {cpu, gpu};
    if (!file_exists(q->cuda_worker))
        return err_set(err, ERR_MISSING, DEVICE_WORKER_MISSING);
    struct arena *a = arena_new();
    int rc = find(q, kept_at(q, a), paces, err);
    arena_free(a);
    return rc;
}

/* ---- again --------------------------------------------------------------- */

static bool was_silent(const struct device_asked *q, const char *path)
{
    struct buf stamp;
    double when;
    buf_init(&stamp);
    print_stamp(&stamp, q);
    bool was = device_silence_known(path, buf_str(&stamp), &when);
    buf_done(&stamp);
    return was;
}

int device_ask_again(const struct machine *m, double wait_s, struct err *err)
{
    struct arena *a = arena_new();
    struct device_pace cpu, gpu;
    struct device_asked q = {
        .machine = m, .worker = worker_path(a, NULL), .wait_s = wait_s};
    const char *path = kept_at(&q, a), *scratch = NULL;
    int rc = 0;
    if (!q.worker)
        goto out;
    q.cuda_worker = arena_printf(a, "%s-cuda", q.worker);
    if (!was_silent(&q, path))
        goto out;
    scratch = scratch_make("device", err);
    rc = scratch ? 0 : -1;
    if (rc)
        goto out;
    q.scratch = path_join(a, scratch, "said");
    device_silence_forget(path);
    rc = device_paces(&q, &cpu, &gpu, err) ? -1 : 1;
    scratch_remove(scratch);
out:
    arena_free(a);
    return rc;
}
