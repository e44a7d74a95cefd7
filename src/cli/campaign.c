/* campaign.c - `throng run` of a file with stages
 *
 * Ctrl-C goes on to the stages that run, as often as it is pressed; a dropped
 * line (SIGHUP) stops nothing. */
#include "cli/campaign.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/detach.h"
#include "view/view.h"

#define FILE_MAX (64u << 20)
#define PROGRESS_S 10.0

struct campaign_session {
    struct call *call;
    const struct plan_campaign *plan;
    struct campaign *campaign;
    const char *folder;
    struct loop *loop;
    struct loop_source *timer;
    unsigned interrupts;
    bool quiet;
    struct detached detached;
    mode_t mask; /* the person's umask */
};

/* ---- reading ----------------------------------------------------------- */

static int read_text_of(const char *file, struct arena *a, struct str *text,
                        struct err *err)
{
    struct buf b;
    buf_init(&b);
    int rc = file_read(file, FILE_MAX, &b, err);
    *text = arena_str(a, buf_str(&b));
    buf_done(&b);
    return rc;
}

bool is_campaign_file(const char *file)
{
    struct arena *a = arena_new();
    struct str text;
    bool is = !file_is_dir(file) && !read_text_of(file, a, &text, NULL) &&
              plan_is_campaign(text, file);
    arena_free(a);
    return is;
}

struct plan_reader run_reader(struct call *c, const char *home)
{
    struct plan_reader reader = study_reader(c->arena, home);
    reader.check = check_to_run;
    reader.engine = call_option(c, "engine");
    reader.profile = call_option(c, "profile");
    reader.device = call_option(c, "device");
    return reader;
}

/* Hours of training are not begun for what their models will not predict. */
static void check_inferences(struct call *c, const struct plan_campaign *p,
                             struct problems *problems)
{
    const char *home = path_folder(
        c->arena, path_absolute(c->arena, arena_cstr(c->arena, p->file)));
    for (size_t i = 0; i < p->stage_count; i++) {
        const struct value *at = NULL;
        struct err err = {0};
        if (bulk_foresee_keep(p, &p->stages[i], home, &at, c->arena, &err))
            problems_add(problems, PROBLEM_ERROR, p->file, at ? at->line : 0,
                         at ? at->column : 0, STR(""), "predict: %s", err.text);
    }
}

/* One whose study is yet to be made may be one of them. */
static bool runs_models(const struct plan_campaign *p)
{
    for (size_t i = 0; i < p->stage_count; i++)
        if (p->stages[i].plan ? plan_runs_models(p->stages[i].plan)
                              : p->stages[i].study != NULL)
            return true;
    return false;
}

struct plan_campaign *load_campaign(struct call *c, const char *file,
                                    const struct plan_reader *reader)
{
    struct problems problems;
    struct str text;
    if (read_text_of(file, c->arena, &text, &c->err))
        return NULL;
    problems_init(&problems, c->arena);
    struct plan_campaign *p =
        plan_campaign_read(text, file, reader, c->arena, &problems);
    if (p)
        check_inferences(c, p, &problems);
    if (p && !runs_models(p))
        warn_of_device(c, file, &problems);
    say_problems(&problems);
    if (p && problems.errors) {
        plan_campaign_close(p);
        p = NULL;
    }
    if (!p)
        err_set(&c->err, ERR_INPUT, "%s has %zu mistake%s", file,
                problems.errors, problems.errors == 1 ? "" : "s");
    return p;
}

/* ---- talk -------------------------------------------------------------- */

static void on_log(void *context, enum log_level level, const char *text)
{
    (void)context;
    (void)level;
    say("throng: %s\n", text);
}

/* One reason stands behind the name, several below it. */
static void say_reasons(const char *what, struct str name, const char *why)
{
    struct str rest = str_of(why), line;
    if (!memchr(why, '\n', rest.len)) {
        say("throng: %.*s %s%s%s\n", STRF(name), what, *why ? ": " : "", why);
        return;
    }
    say("throng: %.*s %s:\n", STRF(name), what);
    while (rest.p && str_split(&rest, '\n', &line))
        say("    %.*s\n", STRF(line));
}

static void on_stage(void *context, const struct plan_stage *s,
                     enum stage_state state, const char *why)
{
    static const char *const words[STAGE_STATES] = {
        [STAGE_WAITS] = "waits",
        [STAGE_RUNS] = "begins",
        [STAGE_DONE] = "is done",
        [STAGE_FAILED] = "has failed",
        [STAGE_SKIPPED] = "is skipped",
        [STAGE_BLOCKED] = "is not run",
        [STAGE_ENDED] = "goes on with the next run",
    };
    const struct campaign_session *k = context;
    if (!k->quiet || state == STAGE_FAILED)
        say_reasons(words[state], s->name, why);
}

static void print_running(struct buf *b, const struct campaign_standing *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct campaign_stage *t = &s->stages[i];
        if (t->told.state != STAGE_RUNS || !t->has_study)
            continue;
        buf_addf(b, "%s%.*s ", b->len ? ", " : "", STRF(t->told.name));
        campaign_stage_progress(b, t);
    }
}

static void on_timer(void *context)
{
    struct campaign_session *k = context;
    struct arena *a = arena_new();
    struct campaign_standing s;
    struct place_of_study where = {.folder = arena_cstr(a, str_of(k->folder))};
    struct store *store = store_open(k->folder, false, NULL);
    struct buf b;
    buf_init(&b);
    if (store && !campaign_read(&s, store, &where, a, NULL))
        print_running(&b, &s);
    if (b.len)
        say("throng: %s\n", b.p);
    buf_done(&b);
    store_close(store);
    arena_free(a);
    loop_timer_in(k->timer, PROGRESS_S);
}

/* ---- signals ----------------------------------------------------------- */

static void on_interrupt(void *context, int signum)
{
    struct campaign_session *k = context;
    (void)signum;
    if (!k->quiet)
        say("throng: %s\n",
            k->interrupts == 0
                ? "running trials finish, no more start; press Ctrl-C again "
                  "to end them within seconds"
                : "ending running trials; they go on with the next run");
    k->interrupts++;
    campaign_interrupt(k->campaign);
}

static void on_terminate(void *context, int signum)
{
    struct campaign_session *k = context;
    (void)signum;
    k->interrupts++;
    campaign_terminate(k->campaign);
}

/* The terminal is gone; the campaign goes on. */
static void on_hangup(void *context, int signum)
{
    (void)context;
    (void)signum;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        if (isatty(fd))
            dup2(null, fd);
    if (null >= 0)
        close(null);
}

/* ---- running ----------------------------------------------------------- */

static int conduct(struct campaign_session *k)
{
    struct call *c = k->call;
    enum campaign_end end;
    loop_signal(k->loop, SIGINT, on_interrupt, k);
    loop_signal(k->loop, SIGTERM, on_terminate, k);
    loop_signal(k->loop, SIGHUP, on_hangup, k);
    if (!k->quiet) {
        k->timer = loop_timer(k->loop, on_timer, k);
        loop_timer_in(k->timer, PROGRESS_S);
    }
    if (campaign_run(k->campaign, &end, &c->err))
        return call_fail(c);
    if (end == CAMPAIGN_ENDED && !k->quiet)
        say("throng: `throng run %s` goes on from here\n", c->args[0]);
    if (end == CAMPAIGN_COMPLETE && !k->quiet)
        say("throng: the campaign %.*s is complete%s\n", STRF(k->plan->name),
            campaign_began(k->campaign) ? "" : "; nothing had changed");
    return k->interrupts || end == CAMPAIGN_ENDED ? EXIT_INTERRUPTED
           : end == CAMPAIGN_FAILED               ? EXIT_FAILED_TRIALS
                                                  : EXIT_OK;
}

/* What runs a stage: this program, with the options that were given. */
static const char *const *words_for(struct call *c, const char *file)
{
    static const char *const passed[] = {"engine", "profile", "device", NULL};
    VEC(const char *) words = {0};
    vec_push(&words, "/proc/self/exe");
    vec_push(&words, "run");
    vec_push(&words, arena_cstr(c->arena, path_name(file)));
    for (size_t i = 0; passed[i]; i++)
        if (call_option(c, passed[i])) {
            vec_push(&words, arena_printf(c->arena, "--%s", passed[i]));
            vec_push(&words, call_option(c, passed[i]));
        }
    if (call_flag(c, "keep-going"))
        vec_push(&words, "--keep-going");
    vec_push(&words, "--as-stage");
    return vec_to_arena(c->arena, &words);
}

/* What throng itself writes there is closed to others; stages begin with the
 * person's own umask. */
static int open_folder(struct campaign_session *k, struct campaign_setup *setup)
{
    struct call *c = k->call;
    bool was_open;
    if (study_access(c->arena, setup->folder, STORE_RUN, &c->err) ||
        store_share(setup->folder, false, &was_open, &c->err))
        return -1;
    k->mask = umask(store_mask(setup->folder));
    setup->mask = &k->mask;
    return 0;
}

static int open_and_conduct(struct campaign_session *k,
                            struct campaign_setup *setup)
{
    struct call *c = k->call;
    int code;
    k->campaign = campaign_open(setup, &c->err);
    if (!k->campaign ||
        (k->detached.fd >= 0 &&
         detach_ready(&k->detached,
                      path_join(c->arena, k->folder, "conductor.log"),
                      &c->err)))
        code = call_fail(c);
    else
        code = conduct(k);
    campaign_close(k->campaign);
    return code;
}

static int run_here(struct call *c, struct campaign_setup *setup)
{
    struct campaign_session k = {.call = c,
                                 .plan = setup->plan,
                                 .folder = setup->folder,
                                 .quiet = call_flag(c, "quiet")};
    struct log log = {.write = on_log,
                      .context = &k,
                      .least = k.quiet ? LOG_ERROR : LOG_NOTICE};
    int code = EXIT_OK;
    pid_t pid;
    k.detached.fd = -1;
    if (open_folder(&k, setup))
        return call_fail(c);
    if (call_flag(c, "detach")) {
        int rc = detach(c, &k.detached, &code, &pid);
        if (rc > 0 && code == EXIT_OK && !k.quiet)
            say("throng: the campaign %.*s runs in the background as process "
                "%ld; `throng status %.*s` shows it\n",
                STRF(setup->plan->name), (long)pid, STRF(setup->plan->name));
        if (rc)
            return rc > 0 ? code : call_fail(c);
    }
    k.loop = loop_new(&c->err);
    if (!k.loop)
        return call_fail(c);
    setup->loop = k.loop;
    setup->log = &log;
    setup->heard = on_stage;
    setup->context = &k;
    code = open_and_conduct(&k, setup);
    loop_free(k.loop);
    return code;
}

static int foresee(struct call *c, const struct campaign_setup *setup)
{
    struct buf b;
    buf_init(&b);
    int rc = campaign_foresee(setup, &b, &c->err);
    if (!rc)
        put(buf_str(&b));
    buf_done(&b);
    return rc ? call_fail(c) : EXIT_OK;
}

/* An inference is told before it costs hours. */
static void print_outlook(struct buf *b, struct call *c,
                          const struct plan_campaign *p,
                          const struct plan_stage *s)
{
    const char *home = path_folder(
        c->arena, path_absolute(c->arena, arena_cstr(c->arena, p->file)));
    struct bulk_outlook o;
    if (!bulk_foresee(p, s, home, &o, c->arena))
        return;
    buf_addf(b, "  %18s ", "");
    bulk_outlook_print(b, &o);
    buf_addc(b, '\n');
}

static void print_stage(struct buf *b, const struct plan_campaign *p,
                        const struct plan_stage *s)
{
    buf_addf(b, "  %-18.*s %s", STRF(s->name), plan_stage_kind(s));
    if (s->study_file.len)
        buf_addf(b, " %.*s", STRF(s->study_file));
    for (size_t i = 0; i < s->need_count; i++)
        buf_addf(b, "%s%.*s", i ? ", " : ", after ",
                 STRF(p->stages[s->needs[i]].name));
    for (size_t i = 0; i < s->template_count; i++)
        buf_addf(b, ", %.*s: %.*s of %.*s", STRF(s->templates[i].name),
                 STRF(s->templates[i].select),
                 STRF(p->stages[s->templates[i].from].name));
    buf_addc(b, '\n');
}

int campaign_check(struct call *c, const char *file)
{
    const char *home = path_folder(c->arena, path_absolute(c->arena, file));
    struct plan_reader reader = run_reader(c, home);
    struct plan_campaign *p = load_campaign(c, file, &reader);
    struct buf b;
    if (!p)
        return call_fail(c);
    buf_init(&b);
    buf_addf(&b, "campaign %.*s\nstages\n", STRF(p->name));
    for (size_t i = 0; i < p->stage_count; i++) {
        print_stage(&b, p, &p->stages[i]);
        print_outlook(&b, c, p, &p->stages[i]);
    }
    put_report(c, buf_str(&b));
    buf_done(&b);
    plan_campaign_close(p);
    return EXIT_OK;
}

int campaign_verb(struct call *c, const char *file)
{
    struct arena *a = c->arena;
    const char *home = path_folder(a, path_absolute(a, file));
    struct plan_reader reader = run_reader(c, home);
    struct plan_campaign *p =
        load_check_words(c) ? NULL : load_campaign(c, file, &reader);
    static const char *const unfit[] = {"count", "new", "fix", "web", NULL};
    for (size_t i = 0; p && unfit[i]; i++)
        if (call_option(c, unfit[i])) {
            plan_campaign_close(p);
            return call_usage(c, "--%s is for a study, and %s is a campaign",
                              unfit[i], file);
        }
    if (!p)
        return call_fail(c);
    struct log log = log_stderr();
    struct campaign_setup setup = {
        .plan = p,
        .home = home,
        .folder =
            path_join(a, path_join(a, home, ".throng"), arena_cstr(a, p->name)),
        .reader = &reader,
        .words = words_for(c, file),
        .take_over = call_flag(c, "take-over"),
        .log = &log,
    };
    int code =
        call_flag(c, "dry-run") ? foresee(c, &setup) : run_here(c, &setup);
    plan_campaign_close(p);
    return code;
}
