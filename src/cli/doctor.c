/* doctor.c - what is here, and what is missing */
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/num.h"
#include "cli/cli.h"
#include "study/study.h"
#include "terms/device.h"

enum mark { MARK_OK, MARK_ABSENT, MARK_BAD };
struct finding {
    const char *name;
    enum mark mark; /* absent: not here, and needed by some only */
    const char *text;
};
struct findings {
    VEC(struct finding) list;
    struct arena *arena;
};

static void note(struct findings *f, const char *name, enum mark mark,
                 const char *text)
{
    vec_push(&f->list, ((struct finding){name, mark, text}));
}

static void found(struct findings *f, const char *name, bool ok,
                  const char *text)
{
    note(f, name, ok ? MARK_OK : MARK_BAD, text);
}

static void look_at_machine(struct findings *f, struct call *c)
{
    struct machine m;
    struct buf b;
    if (machine_read(&m, getenv("THRONG_GPUS"), c->arena, &c->err)) {
        found(f, "machine", false, arena_cstr(f->arena, str_of(c->err.text)));
        return;
    }
    buf_init(&b);
    num_print_bytes(&b, m.memory_bytes);
    found(f, "machine", true,
          arena_printf(f->arena, "%s: %u cpu%s, %s for tasks", m.host, m.cpus,
                       m.cpus == 1 ? "" : "s", b.p));
    buf_done(&b);
    note(f, "gpus", m.gpu_count ? MARK_OK : MARK_ABSENT,
         m.gpu_count ? arena_printf(f->arena, "%zu, first: %s", m.gpu_count,
                                    m.gpus[0].name)
                     : "none seen (NVML is not here or lists none)");
}

static void look_at_devices(struct findings *f)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        buf_addf(&b, "%s%s (%s)", i ? ", " : "", devices[i].name,
                 devices[i].about);
    note(f, "devices", MARK_OK, arena_cstr(f->arena, buf_str(&b)));
    buf_done(&b);
}

static void look_at_worker(struct findings *f, struct call *c)
{
    char *worker = worker_path(c->arena, &c->err);
    found(f, "worker", worker != NULL,
          worker ? worker : arena_cstr(f->arena, str_of(c->err.text)));
}

/* The second worker is built where CUDA's compiler is found. */
static void look_at_gpu_training(struct findings *f, struct call *c)
{
    char *worker = worker_path(c->arena, NULL);
    char *cuda = worker ? arena_printf(f->arena, "%s-cuda", worker) : NULL;
    if (cuda && file_exists(cuda))
        note(f, "cuda", MARK_OK, cuda);
    else
        note(f, "cuda", MARK_ABSENT,
             "no throng-worker-cuda beside the worker: throng was built "
             "without nvcc, and built-in training runs on cpus");
}

static void look_at_folder(struct findings *f)
{
    bool network = path_is_network(".");
    found(f, "folder", true,
          network ? "this folder is on a network file system: one writer "
                    "with a rollback journal, readers use snapshots"
                  : "local file system: write-ahead log");
    static const char probe[] = ".throng-doctor-probe";
    struct err err = {0};
    bool writable = !file_write(probe, STR("probe"), false, &err);
    remove(probe);
    found(f, "writing", writable,
          writable ? "studies can be kept here"
                   : arena_cstr(f->arena, str_of(err.text)));
}

static void look_for(struct findings *f, const char *name, const char *purpose)
{
    char *path = path_program(f->arena, name, NULL);
    if (path)
        note(f, name, MARK_OK, path);
    else
        note(f, name, MARK_ABSENT,
             arena_printf(f->arena, "not here; needed for %s", purpose));
}

/* Everything the method was asked is asked again. */
static void look_at_replay(struct findings *f, struct call *c,
                           struct store *store,
                           const struct place_of_study *where)
{
    struct study_replay r = {0};
    struct err err = {0};
    struct plan *plan =
        study_stored_plan(store, where->home, where->name, c->arena, &c->err);
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
    found(f, "replay", good && r.same == r.asked, text);
    plan_close(plan);
}

static const char *sound_store(struct findings *f, const struct store *store,
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

/* SQLite reads the whole file for this. */
static int look_at_study(struct findings *f, struct call *c)
{
    struct place_of_study where;
    struct err err = {0};
    if (!c->arg_count && call_flag(c, "replay"))
        return err_set(&c->err, ERR_INPUT,
                       "--replay needs a study: throng doctor STUDY --replay");
    if (!c->arg_count)
        return 0;
    struct store *store = open_named_study(c, false, &where);
    if (!store && c->err.kind != ERR_CORRUPT)
        return -1;
    bool sound = store && !store_integrity(store, &err);
    found(f, "study", sound,
          sound ? sound_store(f, store, where.folder)
                : arena_cstr(f->arena, str_of(store ? err.text : c->err.text)));
    if (sound && call_flag(c, "replay"))
        look_at_replay(f, c, store, &where);
    store_close(store);
    return 0;
}

static void print(const struct findings *f, bool json)
{
    struct buf b;
    buf_init(&b);
    if (json)
        buf_adds(&b, "{\"schema\":\"throng.doctor/1\",\"version\":"
                     "\"" THRONG_VERSION "\",\"findings\":[");
    else
        buf_adds(&b, "throng " THRONG_VERSION "\n");
    for (size_t i = 0; i < f->list.len; i++) {
        const struct finding *one = &f->list.p[i];
        if (!json) {
            static const char *const marks[] = {"ok", "--", "BAD"};
            buf_addf(&b, "%-4s %-14s %s\n", marks[one->mark], one->name,
                     one->text);
            continue;
        }
        static const char *const words[] = {"true", "null", "false"};
        buf_addf(&b, "%s{\"name\":\"%s\",\"ok\":%s,\"text\":", i ? "," : "",
                 one->name, words[one->mark]);
        json_string(&b, str_of(one->text));
        buf_addc(&b, '}');
    }
    if (json)
        buf_adds(&b, "]}\n");
    put(buf_str(&b));
    buf_done(&b);
}

static int run(struct call *c)
{
    struct findings f = {.arena = c->arena};
    look_at_machine(&f, c);
    look_at_worker(&f, c);
    look_at_devices(&f);
    look_at_gpu_training(&f, c);
    look_at_folder(&f);
    look_for(&f, "python3", "Python programs");
    look_for(&f, "git", "recording the commit of a study");
    if (look_at_study(&f, c)) {
        vec_done(&f.list);
        return call_fail(c);
    }
    print(&f, call_flag(c, "json"));
    bool ok = true;
    for (size_t i = 0; i < f.list.len; i++)
        ok &= f.list.p[i].mark != MARK_BAD;
    vec_done(&f.list);
    return ok ? EXIT_OK : EXIT_ERROR;
}

VERB(doctor) = {
    .name = "doctor",
    .args = "[STUDY]",
    .summary = "Say what this machine has and what is missing",
    .text = "`ok`: it is here. `--`: it is not, and only some studies need "
            "it. `BAD`: studies\ncannot run until it is mended; the exit code "
            "is 1. With STUDY its store is\nchecked too, all of it; with "
            "--replay its method is asked again for every\ntrial, told in "
            "between what it was told then: the points must be the same.\n",
    .options =
        (const struct option_spec[]){
            {"replay", 0, NULL, "does the method suggest the same again?"},
            {"json", 0, NULL, "for programs: schema throng.doctor/1"},
            {0}},
    .run = run,
};
