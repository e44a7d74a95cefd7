/* run.c - the verb that runs a study
 *
 * Ctrl-C once lets running trials finish and starts no more; twice ends them
 * within seconds (they go on with the next run). A dropped line (SIGHUP) does
 * not stop a study. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/num.h"
#include "cli/campaign.h"
#include "cli/cli.h"
#include "cli/detach.h"
#include "cli/run_web.h"
#include "cli/dry_run.h"
#include "cli/fix.h"
#include "cli/job_conductor.h"
#include "cli/progress.h"
#include "cli/ranking.h"
#include "cli/study_files.h"
#include "study/study.h"
#include "terms/device.h"
#include "watch/watch.h"

struct session {
    struct call *call;
    const struct plan *plan;
    struct study *study;
    struct loop *loop;
    const char *folder; /* where the study is kept */
    struct progress progress;
    struct live_block *live; /* below the progress line; NULL: none */
    unsigned interrupts;
    bool as_job;              /* it is a job of the scheduler itself … */
    bool handed_on;           /* … and the one behind it goes on */
    struct loop_source *line; /* to the campaign's conductor; NULL: none */
    uint32_t share;           /* what it has said of one so far */
    bool quiet;               /* nothing but errors */
    bool on_terminal[3];      /* standard input, output, error */
    struct detached detached;
    mode_t mask; /* the person's umask */
};

/* ---- signals ---------------------------------------------------------- */

static void talk(struct session *s, const char *text)
{
    progress_clear(&s->progress);
    if (!s->quiet)
        say("throng: %s\n", text);
}

static void on_interrupt(void *context, int signum)
{
    struct session *s = context;
    (void)signum;
    if (study_outlives(s->study) && s->interrupts == 0) {
        s->interrupts = 1;
        talk(s, "leaving the jobs as they are, in the queue and running");
        study_part(s->study);
    } else if (s->interrupts++ == 0) {
        talk(s, "running trials finish, no more start; press Ctrl-C again to "
                "end them within seconds");
        study_drain(s->study);
    } else if (s->interrupts == 2) {
        talk(s, "ending running trials within seconds; they go on with the "
                "next run (Ctrl-C again: at once)");
        study_hurry(s->study);
    } else {
        talk(s, "ending them at once");
        study_abandon(s->study);
    }
}

/* A batch system's or an administrator's wish: end at once, lose nothing. */
static void on_terminate(void *context, int signum)
{
    struct session *s = context;
    (void)signum;
    s->interrupts += 2;
    s->handed_on = s->as_job;
    talk(s, "asked to terminate; running trials are ended and go on with the "
            "next run");
    study_part(s->study);
}

/* The job's time is nearly up. */
static void on_time_up(void *context, int signum)
{
    struct session *s = context;
    (void)signum;
    s->interrupts++;
    s->handed_on = true;
    talk(s, "the time of this job is nearly up; the one behind it goes on");
    study_part(s->study);
}

/* The terminal is gone: nothing more can be said on it, the study goes on.
 * A stream that leads to a file stays as it is. */
static void on_hangup(void *context, int signum)
{
    struct session *s = context;
    (void)signum;
    if (s->progress.terminal)
        progress_close(&s->progress);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (s->on_terminal[fd])
            dup2(null, fd);
    close(null);
}

/* Signals wait while the study is opened: it must not be left half open. */
static void hold_signals(sigset_t *before)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigaddset(&ours, SIGUSR1);
    sigprocmask(SIG_BLOCK, &ours, before);
}

/* Of a stage: what the campaign's conductor, which has the other end, says a
 * byte at a time: what somebody has asked of the campaign, or digits of the
 * stage's part of `parallel`. */
static void hear_line(struct session *s, char said)
{
    if (said == STAGE_ASKED_STOP)
        study_drain(s->study);
    else if (said == STAGE_ASKED_KILL) {
        s->interrupts++;
        study_interrupt(s->study);
    } else if (said >= '0' && said <= '9' && s->share <= UINT32_MAX / 10 - 1)
        s->share = s->share * 10 + (uint32_t)(said - '0');
    else {
        study_share(s->study, s->share);
        s->share = 0;
    }
}

/* Its end: the campaign's conductor is gone. */
static void on_line(void *context, int fd, unsigned what)
{
    struct session *s = context;
    char bytes[256];
    (void)what;
    if (!s->line)
        return;
    ssize_t n = read(fd, bytes, sizeof(bytes));
    for (ssize_t i = 0; i < n; i++)
        hear_line(s, bytes[i]);
    if (n > 0)
        return;
    loop_remove(s->line);
    s->line = NULL;
    on_terminate(s, 0);
}

static void watch_signals(struct session *s, const sigset_t *before)
{
    if (call_option(s->call, "as-stage"))
        s->line = loop_fd(s->loop, STDIN_FILENO, LOOP_READ, on_line, s);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        s->on_terminal[fd] = isatty(fd);
    loop_signal(s->loop, SIGINT, on_interrupt, s);
    loop_signal(s->loop, SIGTERM, on_terminate, s);
    loop_signal(s->loop, SIGHUP, on_hangup, s);
    if (s->as_job)
        loop_signal(s->loop, SIGUSR1, on_time_up, s);
    sigprocmask(SIG_SETMASK, before, NULL);
}

static void on_log(void *context, enum log_level level, const char *text)
{
    struct session *s = context;
    (void)level;
    progress_clear(&s->progress);
    say("throng: %s\n", text);
}

/* ---- setting up ------------------------------------------------------- */

/* Where the study is kept, and how much of it is to be done. */
static int fill_place(struct call *c, const char *file,
                      struct study_setup *setup)
{
    struct arena *a = c->arena;
    const char *home = path_folder(a, path_absolute(a, file));
    char *name = arena_cstr(a, setup->plan->name);
    setup->home = home;
    setup->folder = path_join(a, path_join(a, home, ".throng"), name);
    if (call_int(c, "count", 0, &setup->count))
        return -1;
    if (call_option(c, "count") && !setup->count)
        return err_set(&c->err, ERR_USAGE,
                       "--count takes a number from 1; --dry-run runs none");
    return 0;
}

static int fill_setup(struct call *c, struct study_setup *setup)
{
    struct arena *a = c->arena;
    struct machine *machine = arena_new_of(a, struct machine);
    setup->machine = machine;
    setup->take_over = call_flag(c, "take-over");
    setup->keep_going = call_flag(c, "keep-going");
    setup->worker = worker_path(a, &c->err);
    setup->python = python_folder(a);
    if (!setup->worker)
        return -1;
    if (machine_read(machine, getenv("THRONG_GPUS"), a, &c->err))
        return -1;
    machine->disk_bytes = path_free_bytes(setup->home);
    return 0;
}

/* ---- the end ---------------------------------------------------------- */

static void say_tail(struct session *s)
{
    const char *tail = study_failure_tail(s->study);
    if (!*tail)
        return;
    say("throng: the last lines of one that failed:\n");
    struct str rest = str_trim(str_of(tail)), line;
    while (rest.len && str_split(&rest, '\n', &line))
        say("    %.*s\n", STRF(line));
}

/* Why trials failed is what a person wants to know next. */
static void say_failures(struct session *s, const struct study_progress *p)
{
    if (!progress_failures(&p->counts))
        return;
    if (!p->counts.by_state[STATE_DONE])
        say_tail(s);
    const char *what =
        call_option(s->call, "new") || call_option(s->call, "fix")
            ? s->folder
            : s->call->args[0];
    say("throng: `throng errors %s` says why\n", what);
}

/* The command that goes on with this study. */
static const char *same_again(struct session *s)
{
    struct call *c = s->call;
    const char *name = call_option(c, "new"), *fixed = call_option(c, "fix");
    struct str rest = str_of(fixed), line;
    struct buf b;
    buf_init(&b);
    command_add_word(&b, "throng run ", str_of(c->args[0]));
    if (call_option(c, "engine"))
        command_add_word(&b, " --engine ", str_of(call_option(c, "engine")));
    if (call_option(c, "profile"))
        command_add_word(&b, " --profile ", str_of(call_option(c, "profile")));
    if (call_option(c, "device"))
        command_add_word(&b, " --device ", str_of(call_option(c, "device")));
    if (name)
        command_add_word(&b, " --new ", str_of(name));
    while (rest.p && str_split(&rest, '\n', &line))
        command_add_word(&b, " --fix ", line);
    const char *text = arena_cstr(c->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void say_progress(const struct study_progress *p)
{
    struct buf line;
    buf_init(&line);
    progress_print_end(&line, p);
    say("throng: %s\n", line.p);
    buf_done(&line);
}

/* Nothing where it is the trial of the best value anyway. */
static void say_likely(const struct study_progress *p)
{
    struct buf b;
    if (!p->ended_here || !p->likely.trial || p->likely.trial == p->best)
        return;
    buf_init(&b);
    num_print_short(&b, p->likely.mean, 5);
    say("throng: equal points gave different values, so the best one may be "
        "luck: a model of all results expects the best, %s, of trial %lld\n",
        b.p, (long long)p->likely.trial);
    buf_done(&b);
}

/* The ranking below is one of single trials: the luckiest stands first. */
static void say_repeats(const struct session *s)
{
    if (s->plan->repeat > 1 && s->plan->metric.name.len)
        say("throng: each point runs %u times: `throng rank --over seed` ranks "
            "points by the mean\n",
            (unsigned)s->plan->repeat);
}

static void say_kept(const struct session *s)
{
    struct buf b;
    buf_init(&b);
    study_kept_print(s->study, &b);
    if (b.len)
        say("throng: %s\n", b.p);
    buf_reset(&b);
    study_merged_print(s->study, &b);
    if (b.len)
        say("throng: %s\n", b.p);
    buf_done(&b);
}

/* A metric that never came makes a night's work worth nothing. */
static bool say_unreported(const struct session *s)
{
    struct buf b;
    buf_init(&b);
    study_unreported_print(s->study, &b);
    if (b.len && !s->quiet)
        say("throng: %s\n", b.p);
    bool missing = b.len > 0;
    buf_done(&b);
    return missing;
}

static void say_nothing_left(const struct session *s,
                             const struct study_progress *p)
{
    int64_t cap = s->plan->run_cap;
    if (cap > 0 && p->counts.total >= cap)
        say("throng: nothing was left to do: run_cap is %lld, and a larger "
            "one goes on\n",
            (long long)cap);
    else
        say("throng: nothing was left to do\n");
}

static void say_end(struct session *s, enum study_end end,
                    const struct study_progress *p)
{
    say_progress(p);
    say_likely(p);
    say_repeats(s);
    say_kept(s);
    switch (end) {
    case STUDY_COMPLETE:
        if (!p->ended_here)
            say_nothing_left(s, p);
        break;
    case STUDY_TARGET:
        say("throng: the metric's target is reached\n");
        break;
    case STUDY_ALL_FAILED:
        if (p->counts.total == p->total && !p->counts.by_state[STATE_WAITING])
            break;
        say("throng: the first trials all failed, so no more were started "
            "(--keep-going goes on all the same)\n");
        break;
    case STUDY_NO_METRIC:
        say("throng: the first trials ended without the metric, so no more "
            "were started (--keep-going goes on all the same)\n");
        break;
    case STUDY_FAILURES:
        say("throng: more trials failed than max_failures allows; raise it, "
            "or mend the cause and `throng retry failed`\n");
        break;
    case STUDY_UNFIT:
        say("throng: mend what `resources` asks for, or run it where there "
            "is more; `throng check` shows what trials need\n");
        break;
    case STUDY_DRAINED:
    case STUDY_INTERRUPTED:
        if (study_outlives(s->study) && p->counts.by_state[STATE_RUNNING])
            say("throng: the jobs go on without it: `%s` collects what they "
                "do, `throng kill %.*s` cancels them\n",
                same_again(s), STRF(s->plan->name));
        else
            say("throng: `%s` goes on from here\n", same_again(s));
        break;
    case STUDY_TIME:
        say("throng: with a larger time_limit, `%s` goes on\n", same_again(s));
        break;
    case STUDY_COUNT:
        say("throng: --count is reached; `%s` goes on\n", same_again(s));
        break;
    default:
        break;
    }
    say_failures(s, p);
}

static int exit_code(struct session *s, enum study_end end,
                     const struct study_progress *p)
{
    if (s->interrupts || end == STUDY_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (end == STUDY_ALL_FAILED || end == STUDY_FAILURES || end == STUDY_UNFIT)
        return EXIT_FAILED_TRIALS;
    return progress_failures(&p->counts) || study_table_lacks(s->study)
               ? EXIT_FAILED_TRIALS
               : EXIT_OK;
}

/* ---- in the background ------------------------------------------------ */

static char *log_path(struct session *s)
{
    return path_join(s->call->arena, s->folder, "conductor.log");
}

/* The study is open, so its folder is there. */
static int go_to_background(struct session *s)
{
    if (s->detached.fd < 0)
        return 0;
    s->call->terminal = false;
    return detach_ready(&s->detached, log_path(s), &s->call->err);
}

/* How verbs that are called here name the study: by its name where it is kept
 * in this folder. */
static const char *name_here(struct session *s, const struct plan *p)
{
    struct arena *a = s->call->arena;
    const char *name = arena_cstr(a, p->name);
    const char *here = path_join(a, path_absolute(a, ".throng"), name);
    struct stat x, y;
    bool same = !stat(here, &x) && !stat(s->folder, &y) &&
                x.st_ino == y.st_ino && x.st_dev == y.st_dev;
    return same ? name : s->folder;
}

/* 0: go on, here or in the child; 1: the child does, and *code is ours. */
static int detach_if_asked(struct session *s, const struct plan *p, int *code)
{
    pid_t pid;
    s->detached.fd = -1;
    if (!call_flag(s->call, "detach"))
        return 0;
    int rc = detach(s->call, &s->detached, code, &pid);
    if (rc == 1 && *code == EXIT_OK && !s->quiet)
        say("throng: the study %.*s runs in the background as process %ld; "
            "`throng watch %s` shows it\n",
            STRF(p->name), (long)pid, name_here(s, p));
    return rc;
}

/* ---- the verb --------------------------------------------------------- */

static unsigned print_live(void *context, struct buf *b, unsigned rows,
                           unsigned columns, double rate)
{
    return live_block_print(context, b, rows, columns, rate);
}

/* What runs now, below the progress line of a high terminal. */
static void show_live(struct session *s)
{
    if (!s->progress.terminal || !s->progress.timer)
        return;
    s->live = live_block_new(s->folder);
    s->progress.below_context = s->live;
    s->progress.below = s->live ? print_live : NULL;
}

/* Runs the open study to its end. */
static int conduct(struct session *s)
{
    struct call *c = s->call;
    enum study_end end;
    progress_open(&s->progress, s->study, s->loop, c->columns, s->quiet);
    show_live(s);
    struct process_id web = {0};
    if (call_flag(c, "web"))
        web = run_web_begin(s->folder);
    int rc = study_run(s->study, &end, &c->err);
    run_web_end(web);
    progress_close(&s->progress);
    live_block_free(s->live);
    if (rc)
        return call_fail(c);
    struct study_progress p;
    study_progress(s->study, &p);
    if (!s->quiet)
        say_end(s, end, &p);
    else if (study_table_lacks(s->study))
        say_kept(s);
    bool missing = say_unreported(s);
    int code = exit_code(s, end, &p);
    return code == EXIT_OK && missing ? EXIT_FAILED_TRIALS : code;
}

/* What throng itself writes is open to whom the study is shared with, and to
 * nobody else; what the person's programs write, as they would without us. */
static int open_folder(struct session *s, struct study_setup *setup)
{
    bool was_open;
    if (store_share(setup->folder, setup->plan->share_group, &was_open,
                    &s->call->err))
        return -1;
    if (was_open)
        talk(s, arena_printf(s->call->arena,
                             "%s was open to other users and is closed now; "
                             "`share: group` opens it to a group",
                             setup->folder));
    s->mask = umask(store_mask(setup->folder));
    setup->mask = &s->mask;
    return 0;
}

/* Then its cpus and GPUs are shared with nobody, and where others may write
 * beside the study tasks have no `throng report`. */
static void warn_alone(struct session *s)
{
    struct err why = {0};
    if (!runtime_folder(s->call->arena, &why))
        talk(s, arena_printf(s->call->arena,
                             "warning: %s; until that is mended, or "
                             "THRONG_RUNTIME_DIR names a folder of yours, your "
                             "studies do not see each other's cpus and GPUs",
                             why.text));
}

static int set_aside(struct session *s, struct study_setup *setup)
{
    const char *name;
    if (study_set_aside(setup, s->call->arena, &name, &s->call->err))
        return -1;
    if (name)
        talk(s, arena_printf(s->call->arena,
                             "the file asks another question than the study "
                             "%.*s that is stored, of which no trial had ended "
                             "well: that is now %s, and %.*s begins anew",
                             STRF(s->plan->name), name, STRF(s->plan->name)));
    return 0;
}

static struct study *open_study(struct session *s, struct study_setup *setup)
{
    struct call *c = s->call;
    /* Somebody may have made it since it was looked at. */
    if (set_aside(s, setup) || open_folder(s, setup) ||
        study_access(c->arena, setup->folder, STORE_RUN, &c->err))
        return NULL;
    warn_alone(s);
    struct study *study = study_open(setup, &c->err);
    if (study)
        return study;
    /* Only what is empty goes. */
    rmdir(setup->folder);
    store_tidy_around(path_folder(c->arena, setup->folder));
    return NULL;
}

/* So that the study is never without a conductor, however this one ends. */
static void have_successor(struct session *s)
{
    struct err err = {0};
    if (conductor_job_follow(s->study, job_conductor_command(s->call), &err))
        talk(s, arena_printf(s->call->arena,
                             "warning: there is no job behind this one: %s",
                             err.text));
}

static int submit_conductor(struct session *s, struct study_setup *setup)
{
    struct call *c = s->call;
    int rc = -1;
    if (fill_setup(c, setup) == 0 && (setup->loop = loop_new(&c->err))) {
        struct study *study = open_study(s, setup);
        rc = study ? job_conductor_detach(c, setup, study) : -1;
    }
    loop_free(setup->loop);
    return rc ? call_fail(c) : EXIT_OK;
}

static int open_and_conduct(struct session *s, struct study_setup *setup)
{
    struct call *c = s->call;
    sigset_t before;
    int code;
    hold_signals(&before);
    s->study = open_study(s, setup);
    if (!s->study || go_to_background(s)) {
        code = call_fail(c);
    } else if (interrupt_waits()) {
        talk(s, "interrupted before anything was started");
        code = EXIT_INTERRUPTED;
    } else {
        watch_signals(s, &before);
        if (s->as_job)
            have_successor(s);
        code = conduct(s);
        if (s->as_job && !s->handed_on)
            conductor_job_end(s->study);
    }
    study_close(s->study);
    return code;
}

/* 1 when there is something to rank; -1. What breaks a constraint has no
 * value, and a rank all the same. */
static int any_value(struct store *store, bool bounds, struct err *err)
{
    struct query q = {.by = bounds ? NULL : "value",
                      .selector = bounds ? "done,stopped" : NULL,
                      .limit = 1,
                      .results = !bounds};
    struct rows *rows = store_rows(store, &q, err);
    struct trial t;
    int got = rows ? rows_next(rows, &t, err) : -1;
    rows_close(rows);
    return got;
}

static int show_ranking(struct call *c, const char *folder, bool bounds)
{
    struct store *store = store_open(folder, false, &c->err);
    if (!store)
        return -1;
    struct ranking ranking = {.limit = 10};
    int any = any_value(store, bounds, &c->err);
    int rc = any > 0 ? ranking_print(c, store, &ranking, false) : any;
    store_close(store);
    return rc;
}

/* Into a file or a pipe: one that takes nothing any more is no fault of the
 * study, so that a process of its own prints there. */
static void pass_on_ranking(struct call *c, const char *folder, bool bounds)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        exit(show_ranking(c, folder, bounds) ? EXIT_ERROR : EXIT_OK);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static int fix_if_asked(struct call *c, struct plan *plan,
                        struct study_setup *setup)
{
    const char *lines = call_option(c, "fix");
    bool named = call_option(c, "new") != NULL;
    if (!lines)
        return 0;
    if (fix_for_run(c, plan, lines, named, &setup->fixed))
        return -1;
    if (!call_flag(c, "quiet"))
        say("throng: with %.*s this is the study %.*s%s\n", STRF(setup->fixed),
            STRF(plan->name),
            call_flag(c, "dry-run")
                ? ""
                : ", which verbs now mean when they name none");
    return 0;
}

static int run_here(struct call *c, const struct plan *plan,
                    struct study_setup *setup)
{
    struct session s = {.call = c,
                        .plan = plan,
                        .folder = setup->folder,
                        .as_job = call_flag(c, "as-job"),
                        .quiet = call_flag(c, "quiet")};
    struct log log = {.write = on_log,
                      .context = &s,
                      .least = s.quiet ? LOG_ERROR : LOG_NOTICE};
    int code = EXIT_ERROR;
    setup->log = &log;
    if (study_access(c->arena, setup->folder, STORE_RUN, &c->err))
        return call_fail(c);
    if (call_flag(c, "detach") && conductor_is_job(plan))
        return submit_conductor(&s, setup);
    int gone = detach_if_asked(&s, plan, &code);
    if (gone > 0)
        return code;
    if (gone < 0 || fill_setup(c, setup) || !(s.loop = loop_new(&c->err)))
        code = call_fail(c);
    else {
        setup->loop = s.loop;
        setup->words = s.detached.fd < 0 ? NULL : log_path(&s);
        code = open_and_conduct(&s, setup);
        bool ended = code == EXIT_OK || code == EXIT_FAILED_TRIALS;
        bool rank = ended && plan->metric.name.len && !s.quiet;
        bool bounds = plan->goal.bound_count > 0;
        if (rank && c->terminal && show_ranking(c, setup->folder, bounds))
            code = call_fail(c);
        else if (rank && !c->terminal && !s.detached.away)
            pass_on_ranking(c, setup->folder, bounds);
    }
    loop_free(s.loop);
    return code;
}

static int run_stage(struct call *c)
{
    struct study_setup setup = {0};
    struct plan *plan =
        load_stage(c, c->args[0], call_option(c, "as-stage"), &setup);
    if (!plan)
        return call_fail(c);
    setup.plan = plan;
    int code = run_here(c, plan, &setup);
    plan_close(plan);
    return code;
}

static int run(struct call *c)
{
    if (c->arg_count != 1)
        return study_file_usage(c);
    if (call_option(c, "as-stage"))
        return run_stage(c);
    if (is_campaign_file(c->args[0]))
        return campaign_verb(c, c->args[0]);
    struct plan *plan = load_plan(c, c->args[0], call_option(c, "new"));
    if (!plan)
        return call_fail(c);
    struct study_setup setup = {.plan = plan};
    int code = EXIT_OK;
    if (fix_if_asked(c, plan, &setup) || fill_place(c, c->args[0], &setup))
        code = call_fail(c);
    else if (!call_flag(c, "dry-run"))
        code = run_here(c, plan, &setup);
    else if (dry_run(c, plan, setup.folder, setup.count))
        code = call_fail(c);
    plan_close(plan);
    return code;
}

VERB(run) = {
    .name = "run",
    .args = "STUDY.yaml",
    .summary = "Run a study or a campaign, or go on where it was",
    .text =
        "Trials, metrics and results are kept in .throng/NAME beside the "
        "study file.\nOn this machine Ctrl-C once lets running trials finish; "
        "twice ends them\nwithin seconds, whatever their time of grace, three "
        "times at once, and the next\nrun goes on with them. On a cluster it "
        "leaves the jobs as they are, in the queue\nand running: the next run "
        "collects what they did, `throng kill` cancels them.\nA crash or a "
        "reboot loses nothing: run it again.\n\n--fix lr=0.1 (again for more) "
        "makes "
        "another study of it, named NAME-lr-0.1\nunless --new names it. "
        "--detach writes what it says to\n.throng/NAME/conductor.log; "
        "where logging out ends all processes, `loginctl\n"
        "enable-linger` lets it live.\n\nA file with `stages:` is a campaign: "
        "stages that are not done, or that read\nsomething else than before, "
        "run in their order, each as the study\nCAMPAIGN/STAGE; --dry-run says "
        "which, and why.\n",
    .options =
        (const struct option_spec[]){
            {"count", 0, "N", "make at most N new trials in this run"},
            {"engine", 0, "NAME", "where trials run:" PLACE_WORDS},
            {"profile", 0, "NAME", "settings of a site, by name"},
            {"device", 0, "NAME", "one of " DEVICE_NAMES},
            {"new", 0, "NAME", "run it as a study of another name"},
            {"fix", 0, "NAME=VALUE…", "make a parameter a constant"},
            {"dry-run", 'n', NULL, "say what would run, and run nothing"},
            {"detach", 'd', NULL, "run in the background, also after logout"},
            {"web", 0, NULL, "show it in a browser meanwhile: see `help web`"},
            {"as-job", 0, NULL, "be the job that --detach submits on clusters"},
            {"as-stage", 0, "STAGE", "be the run of a campaign's stage"},
            {"take-over", 0, NULL,
             "take it from a conductor that no longer answers"},
            {"keep-going", 'k', NULL,
             "go on if the first trials fail or lack the metric"},
            {"quiet", 'q', NULL, "say nothing but errors"},
            {0}},
    .run = run,
};
