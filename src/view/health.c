/* health.c - what is here, and what is missing */
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/num.h"
#include "terms/device.h"
#include "view/view.h"

#define DESCRIBE_S 60.0 /* a driver may compile kernels first */

static void note(struct health *f, const char *name, enum health_mark mark,
                 const char *text)
{
    vec_push(&f->list, ((struct health_finding){name, mark, text}));
}

void health_found(struct health *f, const char *name, bool ok, const char *text)
{
    note(f, name, ok ? HEALTH_OK : HEALTH_BAD, text);
}

/* Why there is none, and where to look on. */
static const char *no_gpu(const struct machine *m, struct arena *a)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (m->gpus_described)
        return "none: THRONG_GPUS says so";
    if (m->gpus_unasked)
        return arena_printf(a,
                            "none seen: %s is not here (no NVIDIA driver is "
                            "installed, a container was started without its "
                            "GPUs, or a static throng has no second worker)",
                            m->gpus_unasked);
    if (visible)
        return arena_printf(a,
                            "none seen: CUDA_VISIBLE_DEVICES is `%s`, and "
                            "NVML lists none of these (`nvidia-smi -L` lists "
                            "all)",
                            visible);
    return "none seen: there is a driver's NVML, which lists none "
           "(`nvidia-smi` may say why)";
}

/* False: nobody can ask for its GPUs. */
static bool look_at_machine(struct health *f, struct machine *m)
{
    struct err err = {0};
    struct buf b;
    *m = (struct machine){0};
    if (machine_read(m, getenv("THRONG_GPUS"), f->arena, &err)) {
        health_found(f, "machine", false,
                     arena_cstr(f->arena, str_of(err.text)));
        return true;
    }
    buf_init(&b);
    num_print_bytes(&b, m->memory_bytes);
    health_found(f, "machine", true,
                 arena_printf(f->arena, "%s: %u cpu%s, %s for tasks", m->host,
                              m->cpus, m->cpus == 1 ? "" : "s", b.p));
    buf_done(&b);
    if (m->gpus_silent)
        health_found(f, "gpus", false,
                     "the NVIDIA driver does not answer: no GPU is used "
                     "(nvidia-smi would hang, too; its log is in dmesg)");
    else
        note(f, "gpus", m->gpu_count ? HEALTH_OK : HEALTH_ABSENT,
             m->gpu_count
                 ? arena_printf(
                       f->arena, "%zu, first: %s%s", m->gpu_count,
                       m->gpus[0].name,
                       m->gpus_described ? " (described by THRONG_GPUS)" : "")
                 : no_gpu(m, f->arena));
    return !m->gpus_silent;
}

static void look_at_devices(struct health *f)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        buf_addf(&b, "%s%s (%s)", i ? ", " : "", devices[i].name,
                 devices[i].about);
    note(f, "devices", HEALTH_OK, arena_cstr(f->arena, buf_str(&b)));
    buf_done(&b);
}

static void look_at_worker(struct health *f)
{
    struct err err = {0};
    char *worker = worker_path(f->arena, &err);
    health_found(f, "worker", worker != NULL,
                 worker ? worker : arena_cstr(f->arena, str_of(err.text)));
}

/* In the order in which it says them. True: it has said something. */
static bool ask_gpu_worker(struct health *f, const char *cuda,
                           const struct machine *m)
{
    static const char *const names[] = {"cuda", "nvrtc"};
    struct buf said;
    struct str line, mark;
    buf_init(&said);
    int rc = device_described(cuda, m, DESCRIBE_S, &said);
    struct str text = buf_str(&said);
    if (rc || !text.len)
        note(f, names[0], HEALTH_ABSENT,
             arena_printf(f->arena,
                          "%s does not say which GPU it can use: `%s "
                          "--describe-device cuda` may say why",
                          cuda, cuda));
    for (size_t i = 0; i < 2 && text.len && str_split(&text, '\n', &line);
         i++) {
        bool ok = str_split(&line, ' ', &mark) && str_is(mark, "ok");
        note(f, names[i], ok ? HEALTH_OK : HEALTH_ABSENT,
             arena_cstr(f->arena, line));
    }
    bool has_said = !rc && said.len;
    buf_done(&said);
    return has_said;
}

/* What `device: auto` remembers of a GPU that hung is looked at again. */
static void look_at_silence(struct health *f, const struct machine *m)
{
    struct err err = {0};
    int rc = device_ask_again(m, DESCRIBE_S, &err);
    if (rc > 0)
        note(f, "auto", HEALTH_OK,
             "the GPU says again how fast it is: `device: auto` may take it");
    if (rc < 0)
        note(f, "auto", HEALTH_ABSENT,
             arena_printf(f->arena, "`device: auto` takes the cpu: %s",
                          err.text));
}

/* The second worker is built where CUDA's compiler is found. A driver that does
 * not answer would hold it, too. */
static void look_at_gpu_training(struct health *f, const struct machine *m,
                                 bool driver_answers)
{
    char *worker = worker_path(f->arena, NULL);
    char *cuda = worker ? arena_printf(f->arena, "%s-cuda", worker) : NULL;
    if (!cuda || !file_exists(cuda))
        note(f, "cuda", HEALTH_ABSENT,
             "no throng-worker-cuda beside the worker: throng was built "
             "without nvcc, or with one that cannot compile (meson setup says "
             "why); built-in training runs on cpus until it is built where a "
             "CUDA is");
    else if (!driver_answers)
        note(f, "cuda", HEALTH_ABSENT,
             "not asked: it would wait for the driver, too");
    else if (ask_gpu_worker(f, cuda, m))
        look_at_silence(f, m);
}

static void look_at_folder(struct health *f)
{
    bool network = path_is_network(".");
    health_found(f, "folder", true,
                 network
                     ? "this folder is on a network file system: one writer "
                       "with a rollback journal, readers use snapshots"
                     : "local file system: write-ahead log");
    static const char probe[] = ".throng-doctor-probe";
    struct err err = {0};
    bool writable = !file_write(probe, STR("probe"), false, &err);
    remove(probe);
    health_found(f, "writing", writable,
                 writable ? "studies can be kept here"
                          : arena_cstr(f->arena, str_of(err.text)));
}

static void look_for(struct health *f, const char *name, const char *purpose)
{
    char *path = path_program(f->arena, name, NULL);
    if (path)
        note(f, name, HEALTH_OK, path);
    else
        note(f, name, HEALTH_ABSENT,
             arena_printf(f->arena, "not here; needed for %s", purpose));
}

/* Everything the method was asked is asked again. */
void health_look_at_replay(struct health *f, struct store *store,
                           const struct place_of_study *where)
{
    struct study_replay r = {0};
    struct err err = {0};
    struct plan *plan =
        study_stored_plan(store, where->home, where->name, f->arena, NULL);
    const char *text = "the study file cannot be read";
    bool good = plan && !study_replay(plan, store, &r, &err);
    if (plan && !good)
        text = arena_cstr(f->arena, str_of(err.text));
    else if (good && r.same == r.asked)
        text =
            arena_printf(f->arena, "the method suggests all %lld trials again",
                         (long long)r.asked);
    else if (good)
        text = arena_printf(f->arena,
                            "of %lld trials the method suggests %lld again; "
                            "trial %lld is the first that is another (another "
                            "throng may have made it)",
                            (long long)r.asked, (long long)r.same,
                            (long long)r.first_other);
    health_found(f, "replay", good && r.same == r.asked, text);
    plan_close(plan);
}

static const char *sound_store(struct health *f, const struct store *store,
                               const char *folder)
{
    static const char *const sums[] = {
        [STORE_SUMS_NONE] = "; an older throng made it, without checksums",
        [STORE_SUMS_SOME] = ("; some of it has no checksum, as another program "
                             "wrote it"),
        [STORE_SUMS_ALL] = "",
    };
    return arena_printf(f->arena, "%s is sound%s", folder,
                        sums[store_sums(store)]);
}

bool health_look_at_store(struct health *f, struct store *store,
                          const char *folder)
{
    struct err err = {0};
    bool sound = !store_integrity(store, &err);
    health_found(f, "study", sound,
                 sound ? sound_store(f, store, folder)
                       : arena_cstr(f->arena, str_of(err.text)));
    return sound;
}

static void look_for_leftovers(struct health *f)
{
    size_t count = scratch_sweep();
    if (count)
        note(f, "leftovers", HEALTH_OK,
             arena_printf(f->arena,
                          "%zu folder%s of killed programs removed from the "
                          "temporary directory",
                          count, count == 1 ? "" : "s"));
}

void health_look(struct health *f)
{
    look_for_leftovers(f);
    struct machine m;
    bool driver_answers = look_at_machine(f, &m);
    look_at_worker(f);
    look_at_devices(f);
    look_at_gpu_training(f, &m, driver_answers);
    look_at_folder(f);
    look_for(f, "python3", "Python programs");
    look_for(f, "git", "recording the commit of a study");
    look_for(f, "sbatch", "engine: slurm");
    look_for(f, "condor_submit", "engine: htcondor");
    look_for(f, "apptainer", "tasks in containers (singularity serves, too)");
}

bool health_is_good(const struct health *f)
{
    bool good = true;
    for (size_t i = 0; i < f->list.len; i++)
        good &= f->list.p[i].mark != HEALTH_BAD;
    return good;
}

void health_print(struct buf *b, const struct health *f)
{
    static const char *const marks[] = {"ok", "--", "BAD"};
    buf_adds(b, "throng " THRONG_VERSION "\n");
    for (size_t i = 0; i < f->list.len; i++)
        buf_addf(b, "%-4s %-14s %s\n", marks[f->list.p[i].mark],
                 f->list.p[i].name, f->list.p[i].text);
}

void health_json(struct buf *b, const struct health *f)
{
    static const char *const words[] = {"true", "null", "false"};
    buf_adds(b, "{\"schema\":\"throng.doctor/1\",\"version\":"
                "\"" THRONG_VERSION "\",\"findings\":[");
    for (size_t i = 0; i < f->list.len; i++) {
        const struct health_finding *one = &f->list.p[i];
        buf_addf(b, "%s{\"name\":\"%s\",\"ok\":%s,\"text\":", i ? "," : "",
                 one->name, words[one->mark]);
        json_string(b, str_of(one->text));
        buf_addc(b, '}');
    }
    buf_adds(b, "]}\n");
}
