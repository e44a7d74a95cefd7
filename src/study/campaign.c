/* campaign.c - the conductor of a campaign: a graph of studies
 *
 * A stage begins when all that it needs is done, and is run by a process of
 * its own, `throng run` itself: so a stage is an ordinary study with an
 * ordinary conductor, and what happens to one happens to no other. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/json.h"
#include "study/campaign.h"

#define BEAT_S 10.0
#define EAR_S 0.25
#define LAST_S 10.0    /* that stages have to end within seconds */
#define WORDS_MAX 4096 /* of a stage's log, for its last line */
#define EVENTS_READ 50 /* of a stage's diary, for how it ended */
#define EXIT_SOME_FAILED 3
#define EXIT_HELD 5
#define EXIT_BROKEN_OFF 130

/* ---- opening ----------------------------------------------------------- */

static struct value *told_of(const struct plan_campaign *p, struct arena *a)
{
    struct value *list = value_list(a);
    for (size_t i = 0; i < p->stage_count; i++) {
        const struct plan_stage *s = &p->stages[i];
        struct value *o = value_object(a), *needs = value_list(a);
        for (size_t k = 0; k < s->need_count; k++)
            value_list_add(a, needs,
                           value_string(a, p->stages[s->needs[k]].name));
        value_set(a, o, STR("name"), value_string(a, s->name));
        value_set(a, o, STR("kind"),
                  value_string(a, str_of(plan_stage_kind(s))));
        value_set(a, o, STR("needs"), needs);
        value_list_add(a, list, o);
    }
    return list;
}

static int write_facts(struct campaign *c, struct store *store, struct err *err)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, told_of(c->plan, c->arena));
    int rc = store_fact_set(store, "name", c->plan->name, err) ||
                     store_fact_set(store, "file", c->plan->file, err) ||
                     store_fact_set(store, "text", c->plan->text, err) ||
                     store_fact_set(store, "stages", buf_str(&b), err)
                 ? -1
                 : 0;
    buf_done(&b);
    return rc;
}

static int fill_store(void *context, struct store *store, struct err *err)
{
    return write_facts(context, store, err);
}

/* A study of that name is no campaign, and stays what it is. */
static int open_store(struct campaign *c, struct err *err)
{
    const char *folder = c->setup.folder;
    struct err missing = {0};
    c->store = store_open(folder, true, &missing);
    if (!c->store && missing.kind == ERR_MISSING) {
        if (store_create_with(folder, fill_store, c, err))
            return -1;
        c->store = store_open(folder, true, err);
        return c->store ? 0 : -1;
    }
    if (!c->store)
        return err_set(err, missing.kind, "%s", missing.text);
    if (!store_is_campaign(c->store))
        return err_set(err, ERR_INPUT,
                       "there is a study called %.*s here already; give the "
                       "campaign another name",
                       STRF(c->plan->name));
    return 0;
}

/* Requests that nobody heard are of an earlier run. */
static void forget_requests(struct campaign *c)
{
    struct arena *a = arena_new();
    struct request *list;
    size_t count;
    if (store_requests(c->store, a, &list, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++)
        store_request_done(c->store, &list[i]);
    arena_free(a);
}

static int take(struct campaign *c, struct err *err)
{
    if (c->setup.take_over ? store_lease_take(c->store, true, err)
                           : store_lease_take_soon(c->store, err))
        return -1;
    forget_requests(c); /* what is asked from now on is asked of this run */
    if (store_quick_check(c->store, err) || store_lease_settle(c->store, err) ||
        store_begin(c->store, err))
        return -1;
    if (write_facts(c, c->store, err)) {
        store_rollback(c->store);
        return -1;
    }
    return store_commit(c->store, err);
}

static int read_stages(struct campaign *c, struct err *err)
{
    c->count = c->plan->stage_count;
    c->stages = arena_array(c->arena, c->count + 1, sizeof(*c->stages));
    for (size_t i = 0; i < c->count; i++) {
        struct stage *s = &c->stages[i];
        s->plan = &c->plan->stages[i];
        s->control = s->log = -1;
        s->why = "";
        s->folder = path_join(c->arena, c->setup.folder,
                              arena_cstr(c->arena, s->plan->name));
        if (c->store &&
            record_read(c->store, s->plan->name, c->arena, &s->record, err))
            return -1;
    }
    return 0;
}

static struct campaign *campaign_new(const struct campaign_setup *setup)
{
    struct campaign *c = xcalloc(1, sizeof(*c));
    c->setup = *setup;
    c->plan = setup->plan;
    c->arena = arena_new();
    return c;
}

struct campaign *campaign_open(const struct campaign_setup *setup,
                               struct err *err)
{
    struct campaign *c = campaign_new(setup);
    if (open_store(c, err) || take(c, err) || read_stages(c, err)) {
        campaign_close(c);
        return NULL;
    }
    return c;
}

void campaign_close(struct campaign *c)
{
    if (!c)
        return;
    loop_remove(c->child);
    loop_remove(c->beat);
    loop_remove(c->ear);
    loop_remove(c->last);
    store_close(c->store);
    arena_free(c->arena);
    free(c);
}

/* ---- telling ----------------------------------------------------------- */

static void tell(struct campaign *c, struct stage *s)
{
    if (c->setup.heard)
        c->setup.heard(c->setup.context, s->plan, s->state, s->why);
}

static void end_stage(struct campaign *c, struct stage *s,
                      enum stage_state state, const char *why)
{
    struct err err = {0};
    if (record_end(c, s, state, why, &err))
        log_to(c->setup.log, LOG_WARN, "%.*s: %s", STRF(s->plan->name),
               err.text);
    tell(c, s);
}

/* ---- beginning a stage ------------------------------------------------- */

static void let_go(struct stage *s)
{
    if (s->control >= 0)
        close(s->control);
    if (s->log >= 0)
        close(s->log);
    s->control = s->log = -1;
    s->process = (struct process_id){0};
}

/* Only this process has the end that is written: when it is gone, whatever
 * the reason, the stage's conductor sees the end of the file. */
static int spawn(struct campaign *c, struct stage *s, struct err *err)
{
    struct arena *a = c->arena;
    VEC(const char *) words = {0};
    int ends[2];
    char *path = arena_printf(a, "%s.log", s->folder);
    if (s->plan->verb) {
        vec_push(&words, c->setup.words[0]);
        for (size_t i = 0; s->plan->verb[i]; i++)
            vec_push(&words, s->plan->verb[i]);
    } else {
        for (size_t i = 0; c->setup.words[i]; i++)
            vec_push(&words, c->setup.words[i]);
        vec_push(&words, arena_cstr(a, s->plan->name));
    }
    vec_push(&words, NULL);
    if (pipe2(ends, O_CLOEXEC)) {
        vec_done(&words);
        return err_errno(err, "make a pipe");
    }
    s->log = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    s->log_start = s->log < 0 ? 0 : lseek(s->log, 0, SEEK_END);
    struct spawn spawn = {.argv = words.p,
                          .cwd = c->setup.home,
                          .in = ends[0],
                          .out = s->log,
                          .err = s->log,
                          .keep_fd = -1,
                          .mask = c->setup.mask,
                          .session = true};
    int rc = s->log < 0 ? err_errno(err, "write %s", path)
                        : process_spawn(&spawn, &s->process, err);
    vec_done(&words);
    close(ends[0]);
    s->control = ends[1];
    if (rc)
        let_go(s);
    return rc;
}

static bool is_held(struct campaign *c, struct stage *s)
{
    struct buf who;
    buf_init(&who);
    bool held = stage_is_held(c, s, &who);
    if (held && !s->said_holder)
        log_to(c->setup.log, LOG_NOTICE, "%.*s is run by %s: waiting for that",
               STRF(s->plan->name), who.p);
    s->said_holder = held;
    buf_done(&who);
    return held;
}

static int begin(struct campaign *c, struct stage *s, struct verdict *v,
                 struct err *err)
{
    struct arena *a = c->arena;
    if (stage_prepare(c, s, v, err))
        return -1;
    if (is_held(c, s)) /* it is shared with who runs it now */
        return 0;
    s->record = v->record;
    s->state = STAGE_RUNS;
    s->why = arena_cstr(a, str_trim(buf_str(&v->why)));
    value_set(a, s->record, STR("state"),
              value_string(a, str_of(stage_state_name(STAGE_RUNS))));
    value_set(a, s->record, STR("why"), value_string(a, str_of(s->why)));
    value_set(a, s->record, STR("started"), value_double(a, clock_wall()));
    if (s->share) {
        value_set(a, s->record, STR("parallel"),
                  value_int(a, c->plan->parallel));
        value_set(a, s->record, STR("share"), value_int(a, s->share));
    }
    if (record_write(c, s, err) || spawn(c, s, err))
        return -1;
    tell(c, s);
    return 0;
}

/* ---- the graph --------------------------------------------------------- */

/* STAGE_DONE: it may begin; STAGE_WAITS: not yet. */
static enum stage_state needs_of(const struct campaign *c,
                                 const struct stage *s, size_t *which)
{
    enum stage_state worst = STAGE_DONE;
    for (size_t i = 0; i < s->plan->need_count; i++) {
        enum stage_state state = c->stages[s->plan->needs[i]].state;
        if (state == STAGE_DONE)
            continue;
        if (state == STAGE_FAILED || state == STAGE_BLOCKED) {
            *which = s->plan->needs[i];
            return STAGE_BLOCKED;
        }
        *which = s->plan->needs[i];
        worst = state == STAGE_SKIPPED && worst != STAGE_WAITS ? STAGE_SKIPPED
                                                               : STAGE_WAITS;
    }
    return worst;
}

bool stage_is_ready(const struct campaign *c, const struct stage *s)
{
    size_t which;
    return s->state == STAGE_WAITS && needs_of(c, s, &which) == STAGE_DONE;
}

/* A stage whose needs are done. */
static void take_turn(struct campaign *c, struct stage *s)
{
    struct verdict v = {0};
    struct err err = {0};
    s->share = share_to_begin(c, s);
    s->out = 0;
    if ((c->plan->parallel && s->plan->study && !s->share) || is_held(c, s))
        return;
    buf_init(&v.why);
    if (stage_assess(c, s, &v, &err))
        end_stage(c, s, STAGE_FAILED, arena_cstr(c->arena, str_of(err.text)));
    else if (v.skip)
        end_stage(c, s, STAGE_SKIPPED, arena_cstr(c->arena, buf_str(&v.why)));
    else if (!v.run) {
        s->state = STAGE_DONE;
        s->why = "unchanged";
        tell(c, s);
    } else if (!c->ending && begin(c, s, &v, &err))
        end_stage(c, s, STAGE_FAILED, arena_cstr(c->arena, str_of(err.text)));
    buf_done(&v.why);
}

static void look_at(struct campaign *c, struct stage *s)
{
    size_t which = 0;
    if (s->state != STAGE_WAITS)
        return;
    switch (needs_of(c, s, &which)) {
    case STAGE_DONE:
        take_turn(c, s);
        break;
    case STAGE_BLOCKED:
        end_stage(c, s, STAGE_BLOCKED,
                  arena_printf(c->arena, "%.*s has failed",
                               STRF(c->stages[which].plan->name)));
        break;
    case STAGE_SKIPPED:
        end_stage(c, s, STAGE_SKIPPED,
                  arena_printf(c->arena, "%.*s was skipped",
                               STRF(c->stages[which].plan->name)));
        break;
    default:
        break;
    }
}

static bool any(const struct campaign *c, enum stage_state state)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->stages[i].state == state)
            return true;
    return false;
}

static bool is_over(const struct campaign *c)
{
    if (any(c, STAGE_RUNS))
        return false;
    return c->ending || !any(c, STAGE_WAITS) || any(c, STAGE_ENDED);
}

static void look(struct campaign *c)
{
    for (size_t i = 0; i < c->count; i++)
        look_at(c, &c->stages[i]);
    share_out(c);
    if (is_over(c))
        loop_stop(c->setup.loop);
}

/* ---- ending ------------------------------------------------------------ */

static void signal_all(struct campaign *c, int signum)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->stages[i].process.pid)
            kill(c->stages[i].process.pid, signum);
}

void campaign_terminate(struct campaign *c)
{
    c->ending = true;
    signal_all(c, SIGTERM);
    if (is_over(c))
        loop_stop(c->setup.loop);
}

/* Records that are written into a removed store are nobody's. */
static void check_it_stands(struct campaign *c)
{
    if (!c->broken.kind && store_stands(c->store, &c->broken))
        campaign_terminate(c);
}

/* ---- the end of a stage ------------------------------------------------ */

/* Whether a line of the diary says how a run ended: whoever shares the study
 * may have opened it since. */
static bool is_end(struct str what)
{
    static const char *const ends[] = {
        "complete",   "target",       "count",    "stopped", "interrupted",
        "time limit", "max_failures", "failures", "unfit",   "no metric",
        "broken",     "strategy",     NULL};
    return str_among(what, ends);
}

/* How the study itself says that it ended, in the arena. */
static int read_end(struct campaign *c, struct stage *s, struct str *what,
                    struct counts *n, struct err *err)
{
    struct event *list;
    size_t count = 0;
    struct store *store = store_open(s->folder, false, err);
    if (!store)
        return -1;
    int rc =
        store_counts(store, n, err) ||
                store_events(store, EVENTS_READ, c->arena, &list, &count, err)
            ? -1
            : 0;
    for (size_t i = 0; !rc && i < count; i++)
        if (is_end(list[i].what))
            *what = list[i].what;
    store_close(store);
    return rc;
}

/* The last line that this run of it said; NULL: none. Its log is read by the
 * descriptor: it may have been removed with all the rest. */
static const char *last_words(struct campaign *c, const struct stage *s)
{
    char text[WORDS_MAX];
    off_t end = lseek(s->log, 0, SEEK_END), from = end - (off_t)sizeof text;
    ssize_t n = pread(s->log, text, sizeof text,
                      from > s->log_start ? from : s->log_start);
    struct str rest = {text, n > 0 ? (size_t)n : 0}, line, last = STR("");
    for (rest = str_trim(rest); rest.len && str_split(&rest, '\n', &line);)
        last = line.len ? line : last;
    return last.len ? arena_cstr(c->arena, last) : NULL;
}

/* What the first trial that failed says of it. */
struct first_failure {
    struct arena *arena;
    const char *text;
};

static void see_failure(void *context, const struct trial_failure *f)
{
    struct first_failure *first = context;
    struct str tail = str_trim(f->tail), line = STR(""), part;
    if (first->text)
        return;
    while (tail.p && str_split(&tail, '\n', &part))
        line = part.len ? part : line;
    first->text = arena_printf(
        first->arena, "trial %lld: %.*s%s%.*s", (long long)f->trial,
        STRF(f->reason), f->reason.len && line.len ? ": " : "", STRF(line));
}

static const char *why_failed(struct campaign *c, struct stage *s, int64_t bad,
                              int64_t total)
{
    struct first_failure first = {c->arena, NULL};
    struct store *store = store_open(s->folder, false, NULL);
    if (store)
        store_failures(store, see_failure, &first, NULL);
    store_close(store);
    return arena_printf(c->arena, "%lld of %lld trials failed%s%s",
                        (long long)bad, (long long)total,
                        first.text ? "; " : "", first.text ? first.text : "");
}

/* What it was to write must be there. */
static void end_well(struct campaign *c, struct stage *s, const char *why)
{
    const char *missing = stage_missing_output(c, s->plan, c->arena);
    if (missing)
        end_stage(c, s, STAGE_FAILED,
                  arena_printf(c->arena, "it did not write %s", missing));
    else
        end_stage(c, s, STAGE_DONE, why);
}

static void judge_study(struct campaign *c, struct stage *s, int code)
{
    struct counts n = {0};
    struct err err = {0};
    struct str what = STR("");
    const char *words = last_words(c, s);
    int64_t bad = 0;
    if (read_end(c, s, &what, &n, &err)) {
        end_stage(c, s, STAGE_FAILED,
                  words ? words : arena_cstr(c->arena, str_of(err.text)));
        return;
    }
    value_set(c->arena, s->record, STR("left"),
              value_int(c->arena, stage_left(&n)));
    for (int i = 0; i < STATE_COUNT; i++)
        bad += state_bad((enum state)i) ? n.by_state[i] : 0;
    const char *why = bad ? why_failed(c, s, bad, n.total) : "";
    /* Else the diary's last line may be of an earlier run. */
    bool orderly = code == 0 || code == EXIT_SOME_FAILED;
    if (orderly && (str_is(what, "stopped") || str_is(what, "interrupted")))
        end_stage(c, s, STAGE_ENDED, "it was asked to end");
    else if (orderly && n.total > bad &&
             (str_is(what, "complete") || str_is(what, "target")))
        end_well(c, s, why);
    else
        end_stage(c, s, STAGE_FAILED,
                  bad ? why
                  : words
                      ? words
                      : arena_printf(c->arena,
                                     "its conductor ended with code %d", code));
}

static void judge_end(struct campaign *c, struct stage *s, int status)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == EXIT_BROKEN_OFF || (code < 0 && c->ending))
        end_stage(c, s, STAGE_ENDED, "");
    else if (code < 0)
        end_stage(c, s, STAGE_FAILED,
                  arena_printf(c->arena, "its process was ended by signal %d",
                               WTERMSIG(status)));
    else if (code == EXIT_HELD)
        s->state = STAGE_WAITS;
    else if (s->plan->study)
        judge_study(c, s, code);
    else if (code == 0)
        end_well(c, s, "");
    else
        end_stage(c, s, STAGE_FAILED,
                  last_words(c, s) ? last_words(c, s) : "it failed");
}

static void on_end(struct campaign *c, struct stage *s, int status)
{
    if (s->plan->study)
        value_set(c->arena, s->record, STR("own"),
                  stage_own_files(c, s->plan, s->record, c->arena));
    value_set(c->arena, s->record, STR("over"),
              value_double(c->arena, clock_wall()));
    value_set(c->arena, s->record, STR("outputs"),
              stage_outputs(c, s->plan, NULL, c->arena));
    judge_end(c, s, status);
    let_go(s);
    check_it_stands(c);
}

static void on_child(void *context, int signum)
{
    struct campaign *c = context;
    (void)signum;
    for (size_t i = 0; i < c->count; i++) {
        struct stage *s = &c->stages[i];
        int status;
        if (s->process.pid && waitpid(s->process.pid, &status, WNOHANG) > 0)
            on_end(c, s, status);
    }
    look(c);
}

/* ---- what others ask --------------------------------------------------- */

/* Who stands still would be waited for for ever. Nothing is lost with it: its
 * worker ends what runs, and the next run hears of it. */
static void on_last(void *context)
{
    signal_all(context, SIGKILL);
}

void campaign_interrupt(struct campaign *c)
{
    if (c->interrupts++ && c->last)
        loop_timer_in(c->last, LAST_S);
    c->ending = true;
    signal_all(c, SIGINT);
    if (is_over(c))
        loop_stop(c->setup.loop);
}

/* A study hears it by its pipe, also one that is just being opened; a verb
 * knows only signals. */
static void ask_all(struct campaign *c, char what, int signum)
{
    c->ending = true;
    for (size_t i = 0; i < c->count; i++) {
        struct stage *s = &c->stages[i];
        if (s->process.pid &&
            (!s->plan->study || write(s->control, &what, 1) != 1))
            kill(s->process.pid, signum);
    }
    if (is_over(c))
        loop_stop(c->setup.loop);
}

static void hear_requests(struct campaign *c)
{
    struct arena *a = arena_new();
    struct request *list;
    size_t count;
    if (store_requests(c->store, a, &list, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        if (str_is(list[i].verb, "stop") && !c->ending)
            ask_all(c, STAGE_ASKED_STOP, SIGINT);
        else if (str_is(list[i].verb, "kill"))
            ask_all(c, STAGE_ASKED_KILL, SIGTERM);
        store_request_done(c->store, &list[i]);
    }
    arena_free(a);
}

static void on_ear(void *context)
{
    struct campaign *c = context;
    hear_requests(c);
    /* Who else ran a stage may have ended, and trials that were too many. */
    if (any(c, STAGE_WAITS))
        look(c);
    else
        share_out(c);
    loop_timer_in(c->ear, EAR_S);
}

static void on_beat(void *context)
{
    struct campaign *c = context;
    struct err err = {0};
    check_it_stands(c);
    if (store_lease_touch(c->store, &err) && err.kind == ERR_BUSY) {
        log_to(c->setup.log, LOG_ERROR, "%s", err.text);
        campaign_terminate(c);
        return;
    }
    loop_timer_in(c->beat, BEAT_S);
}

/* ---- running ----------------------------------------------------------- */

size_t campaign_began(const struct campaign *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        n += strcmp(c->stages[i].why, "unchanged") != 0;
    return n;
}

int campaign_run(struct campaign *c, enum campaign_end *end, struct err *err)
{
    struct loop *loop = c->setup.loop;
    c->child = loop_signal(loop, SIGCHLD, on_child, c);
    c->beat = loop_timer(loop, on_beat, c);
    c->ear = loop_timer(loop, on_ear, c);
    c->last = loop_timer(loop, on_last, c);
    loop_timer_in(c->beat, BEAT_S);
    loop_timer_in(c->ear, EAR_S);
    for (size_t i = 0; i < c->count; i++)
        look_at(c, &c->stages[i]);
    int rc = is_over(c) ? 0 : loop_run(loop, err);
    check_it_stands(c);
    if (!rc && c->broken.kind)
        rc = err_set(err, ERR_SYSTEM,
                     "%s; the campaign's stages were ended, and the next run "
                     "begins with what is there",
                     c->broken.text);
    *end = any(c, STAGE_FAILED)                         ? CAMPAIGN_FAILED
           : any(c, STAGE_ENDED) || any(c, STAGE_WAITS) ? CAMPAIGN_ENDED
                                                        : CAMPAIGN_COMPLETE;
    return rc;
}

/* ---- without running --------------------------------------------------- */

static void foresee_one(struct campaign *c, struct stage *s, struct buf *b)
{
    struct verdict v = {0};
    struct err err = {0};
    struct str rest, line;
    buf_init(&v.why);
    if (stage_assess(c, s, &v, &err)) {
        buf_addf(b, "%.*s: fails: %s\n", STRF(s->plan->name), err.text);
        s->state = STAGE_FAILED;
    } else if (v.skip) {
        buf_addf(b, "%.*s: skipped: %s\n", STRF(s->plan->name), v.why.p);
        s->state = STAGE_SKIPPED;
    } else if (!v.run) {
        buf_addf(b, "%.*s: done, unchanged\n", STRF(s->plan->name));
        s->state = STAGE_DONE;
    } else {
        buf_addf(b, "%.*s: runs%s\n", STRF(s->plan->name),
                 v.anew ? " anew" : "");
        for (rest = str_trim(buf_str(&v.why)); str_split(&rest, '\n', &line);)
            buf_addf(b, "    %.*s\n", STRF(line));
        s->state = STAGE_RUNS;
    }
    buf_done(&v.why);
}

int campaign_foresee(const struct campaign_setup *setup, struct buf *b,
                     struct err *err)
{
    struct campaign *c = campaign_new(setup);
    c->foresees = true;
    c->store = store_open(setup->folder, false, NULL);
    int rc = read_stages(c, err);
    for (size_t i = 0; !rc && i < c->count; i++) {
        struct stage *s = &c->stages[i];
        size_t which = 0;
        enum stage_state needs = needs_of(c, s, &which);
        if (needs == STAGE_DONE)
            foresee_one(c, s, b);
        else {
            s->state = needs;
            buf_addf(b, "%.*s: %s %.*s\n", STRF(s->plan->name),
                     needs == STAGE_WAITS ? "runs if it reads other results of"
                                          : "not run, because of",
                     STRF(c->stages[which].plan->name));
        }
    }
    campaign_close(c);
    return rc;
}
