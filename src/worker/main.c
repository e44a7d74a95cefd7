/* main.c - throng-worker: the program that runs tasks on a machine
 *
 * Called `throng` (as its link in a task's PATH is), it is the `throng
 * report` of that task instead. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/num.h"
#include "base/shown.h"
#include "nn/nn.h"
#include "terms/bundle.h"
#include "terms/device.h"
#include "worker/crew.h"
#include "worker/report.h"
#include "worker/sandbox.h"
#include "worker/timing.h"
#include "worker/tools.h"
#include "worker/worker.h"

extern char **environ;

static const char usage[] =
    "usage: throng-worker --fd N --room TEXT --mark NAME=VALUE "
    "--last-words FILE\n"
    "       throng-worker --bundle FILE.tasks [--start K] [--asked FILE]\n"
    "                     [--granted slurm|htcondor [--slots N]] [--room "
    "TEXT]\n"
    "                     [--mark NAME=VALUE]\n"
    "\n"
    "  --fd N             socket to the conductor\n"
    "  --bundle FILE.tasks  run these tasks, in a job of a scheduler; answers "
    "go to\n"
    "                     FILE.said.K\n"
    "  --start K          how often the scheduler has started the job before\n"
    "  --asked FILE       what is asked of the tasks meanwhile\n"
    "  --granted NAME     the scheduler whose variables say what the job has\n"
    "  --slots N          tasks at once, at most\n"
    "  --lead SECONDS     between the warning SIGUSR1 and the end of the job\n"
    "  --kill-wait SECONDS  between SIGTERM and the end of the job\n"
    "  --time SECONDS     of the job, where no signal warns of its end\n"
    "  --sandbox DIR      what comes back from a machine that shares no disk; "
    "answers\n"
    "                     are there, and tell which start this is\n"
    "  --checkpoint-every SECONDS  exit with 85, to be begun again, when that "
    "can be\n"
    "  --room TEXT        what may be used, as cpus=2;memory=8589934592;…\n"
    "  --mark NAME=VALUE  put into the environment of every task\n"
    "  --last-words FILE  where to leave records that nobody took\n"
    "  --folder DIR       the study's: when it is gone, nothing is made\n"
    "  --umask MODE       umask of tasks, in octal\n"
    "  --tools DIR        where the workers of a study share what tasks find "
    "on PATH\n"
    "  --trainer N        be a trainer process on socket N\n"
    "  --or-leave         with it: exit with 69 where its GPU is not there\n"
    "  --time-device NAME  say how fast it trains there\n"
    "  --describe-device NAME  say what is here of it\n"
    "  --gpu ID           which one these two look at, as "
    "CUDA_VISIBLE_DEVICES has it\n"
    "  --gpus             list those of this machine\n"
    "  --compile-kernels STEM  make STEM.cubin of STEM.cu, for a GPU\n"
    "  --version          print the version\n"
    "\n"
    "throng starts it by itself; see throng(1).\n";

struct command_line {
    struct worker_setup setup;
    const char *tools;
    mode_t mask;       /* of tasks */
    int trainer;       /* socket of a trainer process; -1: this is a worker */
    const char *timed; /* the device to time; NULL: none */
    const char *described; /* the device to describe; NULL: none */
    const char *gpu;       /* for these two; NULL: what can be seen */
    const char *kernels;   /* to compile; NULL: none */
    bool gpus;             /* are to be listed */
    bool or_leave;         /* such a one needs its GPU */
    bool version, help;
};

/* Where the value of an option goes, by its kind. */
enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_SOCKET,
    OPTION_COUNT,
    OPTION_SECONDS,
    OPTION_SCHEDULER,
    OPTION_MODE
};

struct option_row {
    const char *name;
    enum option_kind kind;
    size_t at;     /* in struct command_line */
    uint32_t most; /* of a count */
};

#define AT(member) offsetof(struct command_line, member)

static const struct option_row rows[] = {
    {"fd", OPTION_SOCKET, AT(setup.fd), 0},
    {"bundle", OPTION_TEXT, AT(setup.bundle.tasks), 0},
    {"start", OPTION_COUNT, AT(setup.bundle.start), BUNDLE_START_MAX},
    {"asked", OPTION_TEXT, AT(setup.bundle.asked), 0},
    {"granted", OPTION_SCHEDULER, AT(setup.granted), 0},
    {"slots", OPTION_COUNT, AT(setup.slots), 1u << 20},
    {"lead", OPTION_SECONDS, AT(setup.warned.lead_s), 0},
    {"kill-wait", OPTION_SECONDS, AT(setup.warned.kill_s), 0},
    {"time", OPTION_SECONDS, AT(setup.warned.time_s), 0},
    {"sandbox", OPTION_TEXT, AT(setup.bundle.sandbox), 0},
    {"checkpoint-every", OPTION_SECONDS, AT(setup.save_every_s), 0},
    {"room", OPTION_TEXT, AT(setup.room), 0},
    {"mark", OPTION_TEXT, AT(setup.mark), 0},
    {"last-words", OPTION_TEXT, AT(setup.last_words), 0},
    {"folder", OPTION_TEXT, AT(setup.folder), 0},
    {"tools", OPTION_TEXT, AT(tools), 0},
    {"umask", OPTION_MODE, AT(mask), 0},
    {"trainer", OPTION_SOCKET, AT(trainer), 0},
    {"time-device", OPTION_TEXT, AT(timed), 0},
    {"describe-device", OPTION_TEXT, AT(described), 0},
    {"compile-kernels", OPTION_TEXT, AT(kernels), 0},
    {"gpu", OPTION_TEXT, AT(gpu), 0},
    {"gpus", OPTION_FLAG, AT(gpus), 0},
    {"or-leave", OPTION_FLAG, AT(or_leave), 0},
    {"version", OPTION_FLAG, AT(version), 0},
    {"help", OPTION_FLAG, AT(help), 0},
};
enum { ROWS = sizeof(rows) / sizeof(*rows) };

static int read_socket(const struct option_row *o, int *fd, struct err *err)
{
    int64_t v;
    if (!num_int(str_of(optarg), &v) || v < 0 || v > 1 << 20)
        return err_set(err, ERR_USAGE, "--%s %s: not a descriptor", o->name,
                       optarg);
    *fd = (int)v;
    return 0;
}

static int read_count(const struct option_row *o, uint32_t *count,
                      struct err *err)
{
    uint64_t v;
    if (!num_uint(str_of(optarg), &v) || v > o->most)
        return err_set(err, ERR_USAGE,
                       "--%s %s: a number from 0 to %u is expected", o->name,
                       optarg, o->most);
    *count = (uint32_t)v;
    return 0;
}

static int read_seconds(const struct option_row *o, double *seconds,
                        struct err *err)
{
    double v;
    if (!num_double(str_of(optarg), &v) || !(v > 0 && v < 1e9))
        return err_set(err, ERR_USAGE, "--%s %s: seconds are expected", o->name,
                       optarg);
    *seconds = v;
    return 0;
}

static int read_scheduler(const struct option_row *o,
                          const struct granted **granted, struct err *err)
{
    *granted = granted_find(optarg);
    if (*granted)
        return 0;
    return err_set(err, ERR_USAGE, "--%s %s: no such scheduler is known",
                   o->name, optarg);
}

static int read_mode(const struct option_row *o, struct command_line *c,
                     struct err *err)
{
    char *end;
    unsigned long mask = strtoul(optarg, &end, 8);
    if (!*optarg || *end || mask > 0777)
        return err_set(err, ERR_USAGE, "--%s %s: not an octal mode", o->name,
                       optarg);
    c->mask = (mode_t)mask;
    c->setup.mask = &c->mask;
    return 0;
}

static int read_option(struct command_line *c, const struct option_row *o,
                       struct err *err)
{
    void *to = (char *)c + o->at;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)to = true;
        return 0;
    case OPTION_TEXT:
        *(const char **)to = optarg;
        return 0;
    case OPTION_SOCKET:
        return read_socket(o, to, err);
    case OPTION_COUNT:
        return read_count(o, to, err);
    case OPTION_SECONDS:
        return read_seconds(o, to, err);
    case OPTION_SCHEDULER:
        return read_scheduler(o, to, err);
    case OPTION_MODE:
        return read_mode(o, c, err);
    }
    return 0;
}

/* As getopt_long wants them: of row i the value i + 1, since it says `?` of
 * what it does not know. */
static void list_options(struct option options[ROWS + 1])
{
    for (int i = 0; i < ROWS; i++)
        options[i] = (struct option){.name = rows[i].name,
                                     .has_arg = rows[i].kind == OPTION_FLAG
                                                    ? no_argument
                                                    : required_argument,
                                     .val = i + 1};
    options[ROWS] = (struct option){0};
}

static bool runs_tasks(const struct command_line *c)
{
    return !(c->version || c->help || c->trainer >= 0 || c->timed ||
             c->described || c->gpus || c->kernels);
}

static int read_options(struct command_line *c, int argc, char **argv,
                        struct err *err)
{
    struct option options[ROWS + 1];
    int option;
    list_options(options);
    *c = (struct command_line){.setup.fd = -1, .trainer = -1};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == '?')
            return err_set(err, ERR_USAGE, "see throng-worker --help");
        if (read_option(c, &rows[option - 1], err) != 0)
            return -1;
    }
    if (!runs_tasks(c))
        return 0;
    if (optind < argc)
        return err_set(err, ERR_USAGE, "unexpected argument `%s`",
                       argv[optind]);
    if ((c->setup.fd < 0) == (c->setup.bundle.tasks == NULL))
        return err_set(err, ERR_USAGE, "give either --fd or --bundle");
    if (c->setup.fd >= 0 && (!c->setup.room || !c->setup.last_words))
        return err_set(err, ERR_USAGE, "--fd needs --room and --last-words");
    if (c->setup.save_every_s > 0 && !c->setup.bundle.sandbox)
        return err_set(err, ERR_USAGE, "--checkpoint-every needs --sandbox");
    if (c->setup.mark && !strchr(c->setup.mark, '='))
        return err_set(err, ERR_USAGE, "--mark %s: NAME=VALUE is expected",
                       c->setup.mark);
    return 0;
}

/* A reason may hold what a task printed. */
static void say(const char *before, const char *text)
{
    struct buf b;
    buf_init(&b);
    shown_add(&b, str_of(text));
    fprintf(stderr, "throng-worker: %s%s\n", before, b.p);
    buf_done(&b);
}

static void to_stderr(void *context, enum log_level level, const char *text)
{
    char before[32];
    (void)context;
    snprintf(before, sizeof(before), "%s: ", log_level_name(level));
    say(before, text);
}

/* A session of our own keeps the terminal's signals away: Ctrl-C is for the
 * conductor to understand. */
static void set_signals(void)
{
    setsid();
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGIO, SIG_IGN);   /* somebody opens a log that has a lease */
    signal(SIGXFSZ, SIG_IGN); /* a file that is too large says so itself */
}

/* Beside the last words; the host's name keeps workers of several machines
 * apart that answer bundles in one folder. */
static const char *tools_folder(const struct worker_setup *s, struct arena *a)
{
    char host[256];
    if (s->last_words)
        return path_join(a, path_folder(a, s->last_words),
                         arena_printf(a, TOOLS_PREFIX "%d", (int)getpid()));
    machine_name(host, sizeof host);
    return path_join(
        a, path_folder(a, s->bundle.tasks),
        arena_printf(a, TOOLS_PREFIX "%s-%d", host, (int)getpid()));
}

/* Tasks can run without tools, so a folder that cannot be written is no
 * reason to give up. */
static void open_tools(struct tools *t, const struct command_line *c,
                       struct arena *a)
{
    struct err err = {0};
    *t = (struct tools){.lock = -1};
    const char *root = c->setup.folder;
    const char *own = tools_folder(&c->setup, a);
    bool shared = c->tools && tools_share(t, root, c->tools, a, &err) == 0;
    if (c->tools && !shared)
        log_to(c->setup.log, LOG_NOTICE, "%s", err.text);
    if (shared ? tools_scratch(t, root, own, a, &err)
               : tools_make(t, root, own, a, &err))
        log_to(c->setup.log, LOG_WARN, "%s", err.text);
}

/* How to exit. */
static int work(struct command_line *c, struct err *err)
{
    struct arena *a = arena_new();
    struct worker w;
    struct tools tools;
    open_tools(&tools, c, a);
    c->setup.tools = &tools;
    if (tools.scratch)
        c->setup.pool = path_join(a, tools.scratch, "pool");
    int result = worker_init(&w, &c->setup, err);
    if (result == 0) {
        /* A running task holds up to four. */
        process_allow_files(4 * (uint64_t)w.room.parallel + 64);
        result = worker_run(&w, err);
    }
    int code = w.exit_code ? w.exit_code : WORKER_EXIT_FAILED;
    int well = w.bundle.kept ? WORKER_EXIT_AGAIN : WORKER_EXIT_DONE;
    worker_done(&w);
    tools_done(&tools);
    if (c->setup.bundle.sandbox)
        sandbox_pack_up(c->setup.bundle.sandbox, c->setup.log);
    arena_free(a);
    return result == 0 ? well : code;
}

/* What ps and top call this process. Its own arguments give the room. */
static void rename_self(int argc, char **argv, const char *name)
{
    char *last = argv[argc - 1];
    size_t room = (size_t)(last + strlen(last) + 1 - argv[0]);
    memset(argv[0], 0, room);
    snprintf(argv[0], room, "%s", name);
    prctl(PR_SET_NAME, name);
}

static int be_trainer(const struct command_line *c, int argc, char **argv)
{
    char *folder = c->setup.folder ? xstrdup(c->setup.folder) : NULL;
    signal(SIGTERM, SIG_IGN); /* of a scheduler: the worker says what to do */
    rename_self(argc, argv, "throng: trainer");
    const char *absent =
        c->or_leave ? nn_device_absent(devices[DEVICE_cuda].name) : NULL;
    int code = CREW_EXIT_ABSENT;
    if (absent)
        train_leave(c->trainer, absent);
    else
        code = train_main(c->trainer, folder);
    free(folder);
    return code;
}

static int describe(const char *device)
{
    struct buf b;
    buf_init(&b);
    nn_device_describe(device, &b);
    fputs(b.p, stdout);
    buf_done(&b);
    return WORKER_EXIT_DONE;
}

static int list_gpus(void)
{
    struct arena *a = arena_new();
    struct machine m = {0};
    struct buf b;
    buf_init(&b);
    int rc = machine_read_here(&m, NULL, a, NULL);
    gpus_print(&b, m.gpus, m.gpu_count);
    fputs(b.p, stdout);
    buf_done(&b);
    arena_free(a);
    return rc ? WORKER_EXIT_FAILED : WORKER_EXIT_DONE;
}

/* Beside a training, which is not to wait for it. */
static int compile_kernels(const char *stem)
{
    struct err err = {0};
    setpriority(PRIO_PROCESS, 0, 10);
    if (nn_cuda_compile(stem, &err) == 0)
        return 0;
    say("", err.text);
    return WORKER_EXIT_FAILED;
}

/* Whoever names GPUs by their numbers, as schedulers do, means those of NVML;
 * CUDA counts them by how fast they are. */
static int do_other(const struct command_line *c, int argc, char **argv)
{
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    if (c->gpu)
        setenv("CUDA_VISIBLE_DEVICES", c->gpu, 1);
    if (c->version || c->help) {
        fputs(c->help ? usage : "throng-worker " THRONG_VERSION "\n", stdout);
        return 0;
    }
    if (c->trainer >= 0)
        return be_trainer(c, argc, argv);
    if (c->timed)
        return timing_main(c->timed);
    if (c->described)
        return describe(c->described);
    return c->gpus ? list_gpus() : compile_kernels(c->kernels);
}

static bool is_debugged(void)
{
    const char *debug = getenv("THRONG_WORKER_DEBUG");
    return debug && strcmp(debug, "1") == 0;
}

/* What a worker in a job has to tell stands in the job's log. */
static int worker_main(int argc, char **argv)
{
    struct err err = {0};
    struct command_line c;
    struct log log = {.write = to_stderr, .least = LOG_NOTICE};
    if (read_options(&c, argc, argv, &err) != 0) {
        say("", err.text);
        return WORKER_EXIT_USAGE;
    }
    if (!runs_tasks(&c))
        return do_other(&c, argc, argv);
    c.setup.env = (const char *const *)environ;
    bool debug = is_debugged();
    if (debug)
        log.least = LOG_DEBUG;
    c.setup.log = debug || c.setup.bundle.tasks ? &log : NULL;
    set_signals();
    int code = work(&c, &err);
    if (code != WORKER_EXIT_DONE && code != WORKER_EXIT_AGAIN)
        say("", err.text);
    return code;
}

int main(int argc, char **argv)
{
    if (argc > 0 && str_is(path_name(argv[0]), "throng"))
        return report_main(argc, argv);
    return worker_main(argc, argv);
}
