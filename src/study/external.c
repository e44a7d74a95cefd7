/* external.c - a strategy that is a program of the person's own
 *
 * Suggestion k of the study is trial k - 1 of the conversation. What must
 * stay true: answers come in the order of requests, so `asks` and `reports`
 * are queues; `points` holds the answers that were not taken yet, the first
 * of them being suggestion `first`. Before the first ask all results are
 * told with their points, since the program may have started anew. */
#include "study/external.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/json.h"
#include "base/map.h"
#include "study/study.h"
#include "terms/state.h"
#include "terms/talk.h"

#define ANSWER_BYTES_MAX (64u << 20)
#define READ_BYTES 65536
#define END_WAIT_S 3.0
#define TAIL_BYTES 500
#define SHOWN_BYTES 120

/* A paused trial that goes on. */
struct revival {
    int64_t k, budget; /* 0: no budget */
};

struct external {
    struct external_setup setup;
    struct search_outside outside;
    struct process_id process; /* pid 0: none */
    struct leaders leaders;
    int in, out; /* its standard input and output; -1: closed */
    struct loop_source *reader, *writer, *patience;
    struct buf unsent, unread;
    struct arena *arena; /* of one answer */
    bool begun;          /* an ask was sent */
    bool ended;          /* it has no more points */
    bool stuck;          /* it has none until it is told more */
    bool broken;
    int64_t tells, tells_at_ask; /* so far; when it was asked last */
    int64_t first;               /* the suggestion that points.p[0] is */
    VEC(char *) points;          /* JSON */
    VEC(int64_t) asks;           /* points that each ask wants, oldest first */
    VEC(int64_t) reports;        /* trials, oldest first */
    struct idmap *pausing;       /* suggestions that it wants paused … */
    struct idmap *paused;        /* … and those that are */
    VEC(struct revival) going;   /* of these, to go on; oldest first */
    int64_t wanted;              /* points asked for and not come */
    int64_t handed;              /* the last suggestion that was taken */
    int64_t out_now;             /* suggestions taken and not told */
};

/* ---- the end of it ---------------------------------------------------- */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void let_go(struct external *x)
{
    loop_remove(x->reader);
    loop_remove(x->writer);
    x->reader = x->writer = NULL;
    if (x->patience)
        loop_timer_off(x->patience);
    close_fd(&x->in);
    close_fd(&x->out);
}

static bool has_ended(const struct external *x)
{
    siginfo_t info = {0};
    int rc =
        waitid(P_PID, (id_t)x->process.pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return rc == 0 ? info.si_pid == x->process.pid : errno != EINTR;
}

/* Waits a little for its end, and brings it about; its status. What it has
 * started goes with it: as long as it is not waited for, its group is its
 * own. */
static int reap(struct external *x, double wait_s)
{
    int64_t until = clock_mono_ns() + (int64_t)(wait_s * 1e9);
    int status = 0;
    while (!has_ended(x)) {
        if (clock_mono_ns() > until) {
            kill(-x->process.pid, SIGKILL);
            until = INT64_MAX;
        }
        clock_pause_ms(1);
    }
    kill(-x->process.pid, SIGKILL);
    waitpid(x->process.pid, &status, 0);
    x->process.pid = 0;
    return status;
}

/* The last words of its standard error, as ": text", or nothing. */
static void add_tail(const struct external *x, struct buf *b)
{
    struct buf text;
    buf_init(&text);
    if (!file_read(x->setup.log_path, 0, &text, NULL)) {
        struct str all = str_trim(buf_str(&text));
        size_t cut = all.len > TAIL_BYTES ? all.len - TAIL_BYTES : 0;
        struct str tail = str_n(all.p + cut, all.len - cut);
        if (tail.len)
            buf_addf(b, "; it said last: %.*s", STRF(tail));
    }
    buf_done(&text);
}

static void fail(struct external *x, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void fail(struct external *x, const char *fmt, ...)
{
    struct err err;
    struct buf why;
    va_list ap;
    if (x->broken)
        return;
    x->broken = true;
    let_go(x);
    buf_init(&why);
    buf_adds(&why, "the program of method external ");
    va_start(ap, fmt);
    buf_vaddf(&why, fmt, ap);
    va_end(ap);
    if (x->process.pid)
        reap(x, 0);
    add_tail(x, &why);
    err_set(&err, ERR_INPUT, "%s", why.p);
    buf_done(&why);
    x->setup.failed(x->setup.context, &err);
}

/* Its output is closed. That is fine once it has said that there is no more
 * to come. */
static void on_end(struct external *x)
{
    int status = reap(x, 0.5);
    if (x->ended && !x->wanted && !x->reports.len) {
        let_go(x);
        return;
    }
    if (WIFSIGNALED(status))
        fail(x, "was ended by signal %d", WTERMSIG(status));
    else
        fail(x, "ended with exit code %d while it was still needed",
             WEXITSTATUS(status));
}

/* ---- writing ---------------------------------------------------------- */

static void on_writable(void *context, int fd, unsigned what)
{
    struct external *x = context;
    (void)what;
    while (x->unsent.len) {
        ssize_t n = write(fd, x->unsent.p, x->unsent.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN)
            buf_reset(&x->unsent); /* its end is heard from its output */
        if (n < 0)
            break;
        buf_drop(&x->unsent, (size_t)n);
    }
    if (x->writer)
        loop_fd_want(x->writer, x->unsent.len ? LOOP_WRITE : 0);
}

static void say(struct external *x, const struct talk *t)
{
    if (x->in < 0)
        return;
    talk_print(&x->unsent, t);
    loop_fd_want(x->writer, LOOP_WRITE);
}

/* ---- answers ---------------------------------------------------------- */

static void wait_for_answer(struct external *x)
{
    if (x->asks.len || x->reports.len)
        loop_timer_in(x->patience, x->setup.plan->external.timeout_s);
    else
        loop_timer_off(x->patience);
}

static void on_impatient(void *context)
{
    struct external *x = context;
    fail(x, "has not answered for %g s (external.timeout)",
         x->setup.plan->external.timeout_s);
}

/* {"id":3}, perhaps with a budget: paused trial 3 goes on. */
static int take_revival(struct external *x, const struct value *trial,
                        struct err *err)
{
    const struct value *id = value_get(trial, STR("id"));
    const struct value *budget = value_get(trial, STR("budget"));
    struct revival r = {.k = id->kind == VALUE_INT ? id->i + 1 : 0};
    if (budget && budget->kind == VALUE_INT && budget->i > 0)
        r.budget = budget->i;
    else if (budget)
        return err_set(err, ERR_INPUT,
                       "has a \"budget\" that is no number of "
                       "steps");
    if (r.k < 1 || !idmap_del(x->paused, (uint64_t)r.k))
        return err_set(err, ERR_INPUT,
                       "has no \"params\", and no paused trial has its id");
    vec_push(&x->going, r);
    return 0;
}

static int take_point(struct external *x, const struct value *trial,
                      struct err *err)
{
    int64_t id = x->first + (int64_t)x->points.len - 1;
    const struct value *said = value_get(trial, STR("id"));
    const struct value *params = value_get(trial, STR("params"));
    if (said && !params)
        return take_revival(x, trial, err);
    if (!params || params->kind != VALUE_OBJECT)
        return err_set(err, ERR_INPUT, "has no \"params\"");
    if (said && (said->kind != VALUE_INT || said->i != id))
        return err_set(err, ERR_INPUT,
                       "has another id: throng gives the numbers, leave "
                       "\"id\" out or count on from \"first\"");
    struct value *point =
        study_point(&x->setup.plan->space, params, NULL, false, x->arena, err);
    if (!point)
        return -1;
    struct buf text;
    buf_init(&text);
    json_print(&text, point);
    vec_push(&x->points, buf_take(&text));
    return 0;
}

static int take_points(struct external *x, const struct value *answer,
                       const struct value *trials, struct err *err)
{
    if (!x->asks.len)
        return err_set(err, ERR_INPUT, "gave trials that nobody asked for");
    if (trials->kind != VALUE_LIST)
        return err_set(err, ERR_INPUT, "gave \"trials\" that are no list");
    int64_t asked = x->asks.p[0], got = (int64_t)trials->count;
    memmove(x->asks.p, x->asks.p + 1, --x->asks.len * sizeof(*x->asks.p));
    x->wanted -= asked;
    if (got > asked)
        return err_set(err, ERR_INPUT,
                       "gave %lld trials where %lld were "
                       "asked for",
                       (long long)got, (long long)asked);
    for (size_t i = 0; i < trials->count; i++)
        if (take_point(x, trials->items[i], err))
            return err_wrap(err, "gave a trial (%lld) that cannot be used",
                            (long long)(x->first + (int64_t)x->points.len - 1));
    const struct value *end = value_get(answer, STR("end"));
    const struct value *wait = value_get(answer, STR("wait"));
    x->ended = end && end->kind == VALUE_BOOL && end->boolean;
    bool waits = wait && wait->kind == VALUE_BOOL && wait->boolean;
    /* It may not have read yet what was told since it was asked. */
    x->stuck = waits && x->tells == x->tells_at_ask;
    if (!got && !x->ended && !waits)
        return err_set(err, ERR_INPUT,
                       "gave no trials: add \"wait\":true when it needs "
                       "results first, \"end\":true when there are no more");
    if (x->stuck && !got && !x->out_now && !x->points.len)
        return err_set(err, ERR_INPUT,
                       "waits for results, but no trial is out%s",
                       idmap_count(x->paused)
                           ? " (a paused one goes on when it is given as "
                             "{\"id\":N})"
                           : "");
    return 0;
}

static int take_decision(struct external *x, const struct value *said,
                         struct err *err)
{
    enum decision d;
    if (!x->reports.len)
        return err_set(err, ERR_INPUT, "decided where nobody had reported");
    if (!decision_parse(value_text(said), &d))
        return err_set(err, ERR_INPUT,
                       "made a decision that is none of continue, stop and "
                       "pause");
    int64_t k = x->reports.p[0];
    memmove(x->reports.p, x->reports.p + 1,
            --x->reports.len * sizeof(*x->reports.p));
    if (d == DECISION_PAUSE)
        idmap_set(x->pausing, (uint64_t)k, x);
    if (d != DECISION_CONTINUE)
        x->setup.decided(x->setup.context, k, d);
    return 0;
}

static int take_answer(struct external *x, struct str line, struct err *err)
{
    struct err why = {0};
    const struct value *v =
        json_parse(x->arena, line, "its answer", false, &why);
    const struct value *item;
    if (v && (item = value_get(v, STR("trials"))))
        return take_points(x, v, item, err);
    if (v && (item = value_get(v, STR("decision"))))
        return take_decision(x, item, err);
    if (v && value_get(v, STR("ok")))
        return 0;
    if (v && (item = value_get(v, STR("error"))))
        return err_set(err, ERR_INPUT, "has an error: %.*s",
                       STRF(value_text(item)));
    struct str shown =
        str_n(line.p, line.len < SHOWN_BYTES ? line.len : SHOWN_BYTES);
    return err_set(err, ERR_INPUT,
                   "gave an answer that is none: %.*s (print to standard "
                   "error what is for people)%s%s",
                   STRF(shown), why.text[0] ? "; " : "", why.text);
}

static void take_lines(struct external *x)
{
    size_t at = 0;
    const char *stop;
    while (!x->broken &&
           (stop = memchr(x->unread.p + at, '\n', x->unread.len - at))) {
        struct str line =
            str_n(x->unread.p + at, (size_t)(stop - x->unread.p) - at);
        struct err err = {0};
        at += line.len + 1;
        arena_reset(x->arena);
        if (str_trim(line).len && take_answer(x, line, &err))
            fail(x, "%s", err.text);
    }
    buf_drop(&x->unread, at);
    if (x->unread.len > ANSWER_BYTES_MAX)
        fail(x, "gave an answer without an end");
    if (!x->broken)
        wait_for_answer(x);
}

static void on_readable(void *context, int fd, unsigned what)
{
    struct external *x = context;
    (void)what;
    buf_reserve(&x->unread, READ_BYTES);
    ssize_t n = read(fd, x->unread.p + x->unread.len, READ_BYTES);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        on_end(x);
        return;
    }
    x->unread.len += (size_t)n;
    x->unread.p[x->unread.len] = 0;
    take_lines(x);
}

/* ---- what the search asks --------------------------------------------- */

/* As many as may run besides those that are out: the program sees at once
 * how large a batch is. */
static void ask_for_more(struct external *x, int64_t k)
{
    int64_t room = x->setup.parallel - x->out_now;
    int64_t have = (int64_t)x->points.len + x->wanted;
    if (x->wanted || x->stuck)
        return;
    struct talk t = {.kind = TALK_ASK,
                     .count = room > have ? room - have : 1,
                     .first = k + have - 1};
    if (t.count > TALK_ASK_MAX)
        t.count = TALK_ASK_MAX;
    x->begun = true;
    x->tells_at_ask = x->tells;
    x->wanted += t.count;
    vec_push(&x->asks, t.count);
    say(x, &t);
    wait_for_answer(x);
}

static void drop_first(struct external *x)
{
    if (x->points.len) {
        free(x->points.p[0]);
        memmove(x->points.p, x->points.p + 1,
                --x->points.len * sizeof(*x->points.p));
    }
    x->first++;
}

/* Suggestions before k are taken. */
static void come_to(struct external *x, int64_t k)
{
    if (!x->begun)
        x->first = k;
    while (x->first < k)
        drop_first(x);
}

static enum search_answer ask(void *context, int64_t k, struct arena *a,
                              struct suggestion *out, struct err *err)
{
    struct external *x = context;
    come_to(x, k);
    if (x->broken)
        return SEARCH_WAIT;
    if (x->points.len) {
        out->point = json_parse(a, str_of(x->points.p[0]), "point", true, err);
        x->out_now += k > x->handed;
        x->handed = k;
        return out->point ? SEARCH_HERE : SEARCH_ERROR;
    }
    if (x->ended && !x->wanted)
        return SEARCH_END;
    ask_for_more(x, k);
    return SEARCH_WAIT;
}

/* What has ended does not go on. */
static void note_state(struct external *x, int64_t k, enum state state)
{
    if (k < 1 || (!state_final(state) && state != STATE_PAUSED))
        return;
    idmap_del(x->pausing, (uint64_t)k);
    if (state == STATE_PAUSED)
        idmap_set(x->paused, (uint64_t)k, x);
    else
        idmap_del(x->paused, (uint64_t)k);
}

/* There are no new points: whether those that are paused, or may yet be, go
 * on is all that is left to ask. */
static enum search_answer only_paused(struct external *x, int64_t next)
{
    bool may = x->setup.plan->external.reports && x->out_now > 0;
    if (x->broken)
        return SEARCH_WAIT;
    come_to(x, next);
    if (x->ended || x->points.len || !(may || idmap_count(x->paused)))
        return SEARCH_END;
    if (idmap_count(x->paused))
        ask_for_more(x, next);
    return SEARCH_WAIT;
}

static enum search_answer promote(void *context, int64_t next,
                                  struct suggestion *out)
{
    struct external *x = context;
    if (!x->going.len)
        return next ? only_paused(x, next) : SEARCH_END;
    out->replaces = x->going.p[0].k;
    out->budget = x->going.p[0].budget;
    memmove(x->going.p, x->going.p + 1, --x->going.len * sizeof(*x->going.p));
    x->out_now++;
    return SEARCH_HERE;
}

bool external_pauses(const struct external *x, int64_t k)
{
    return idmap_get(x->pausing, (uint64_t)k) != NULL;
}

static void tell(void *context, const struct result *r)
{
    struct external *x = context;
    note_state(x, r->trial, (enum state)r->state);
    bool out = !state_final((enum state)r->state) && r->state != STATE_PAUSED;
    bool anew = !x->begun || r->trial < 0;
    struct talk t = {
        .kind = anew ? TALK_TOLD : TALK_TELL,
        .id = r->trial > 0 ? r->trial - 1 : -1,
        .step = -1,
        .value = r->value,
        .values = r->values,
        .value_count = r->value_count,
        .constraints = r->constraints,
        .constraint_count = r->constraint_count,
        .state = out ? STATE_RUNNING : (enum state)r->state,
        .params = r->point,
    };
    if (r->trial > 0 && !x->begun && out)
        x->out_now++;
    if (r->trial > 0 && x->begun && !out && x->out_now > 0)
        x->out_now--;
    x->stuck = false;
    x->tells++;
    say(x, &t);
}

static enum decision report(void *context, int64_t k, int64_t step,
                            double value)
{
    struct external *x = context;
    if (!x->setup.plan->external.reports || x->in < 0)
        return DECISION_CONTINUE;
    struct talk t = {
        .kind = TALK_REPORT, .id = k - 1, .step = step, .value = value};
    vec_push(&x->reports, k);
    say(x, &t);
    wait_for_answer(x);
    return DECISION_CONTINUE;
}

/* ---- starting --------------------------------------------------------- */

struct external *external_new(const struct external_setup *setup)
{
    struct external *x = xcalloc(1, sizeof(*x));
    x->setup = *setup;
    x->in = x->out = x->leaders.fd = -1;
    x->outside = (struct search_outside){.context = x,
                                         .ask = ask,
                                         .tell = tell,
                                         .report = report,
                                         .promote = promote};
    x->pausing = idmap_new();
    x->paused = idmap_new();
    x->arena = arena_new();
    x->first = 1;
    buf_init(&x->unsent);
    buf_init(&x->unread);
    return x;
}

const struct search_outside *external_outside(struct external *x)
{
    return &x->outside;
}

static struct value *metrics_of(const struct plan *p, struct arena *a)
{
    struct value *list = value_list(a);
    for (size_t i = 0; i < p->goal.objective_count; i++) {
        const struct objective *o = &p->goal.objectives[i];
        struct value *m = value_object(a);
        value_set(a, m, STR("name"), value_string(a, o->name));
        value_set(
            a, m, STR("goal"),
            value_string(a, o->minimize ? STR("minimize") : STR("maximize")));
        value_list_add(a, list, m);
    }
    return list;
}

static void say_study(struct external *x)
{
    const struct plan *p = x->setup.plan;
    struct arena *a = arena_new();
    struct value *study = value_object(a);
    value_set(a, study, STR("name"), value_string(a, p->name));
    value_set(a, study, STR("space"), space_to_value(&p->space, a));
    value_set(a, study, STR("metrics"), metrics_of(p, a));
    if (p->constraints)
        value_set(a, study, STR("constraints"), value_copy(a, p->constraints));
    if (p->run_cap)
        value_set(a, study, STR("run_cap"), value_int(a, p->run_cap));
    value_set(a, study, STR("parallel"), value_int(a, x->setup.parallel));
    value_set(a, study, STR("seed"), value_int(a, (int64_t)p->seed));
    value_set(a, study, STR("version"), value_int(a, TALK_VERSION));
    say(x, &(struct talk){.kind = TALK_STUDY, .study = study});
    arena_free(a);
}

/* One word is a line for the shell. A relative program lies with the study
 * file, as that of a trial. */
static const char *const *argv_of(const struct external *x, struct arena *a)
{
    const struct plan_external *e = &x->setup.plan->external;
    const char **argv = arena_array(a, e->command_count + 3, sizeof(*argv));
    if (e->command_count == 1) {
        argv[0] = "/bin/sh";
        argv[1] = "-c";
        argv[2] = arena_cstr(a, e->command[0]);
        return argv;
    }
    for (size_t i = 0; i < e->command_count; i++)
        argv[i] = arena_cstr(a, e->command[i]);
    if (!strcmp(argv[0], "python") && !path_program(a, "python", NULL))
        argv[0] = "python3";
    return argv;
}

/* Our environment, and in it where `import throng` is found: algorithms that
 * were written for EMEWS run by a module of it. NULL: as ours is. */
static const char *const *environment_of(const struct external *x,
                                         struct arena *a)
{
    const char *python = x->setup.python, *given = getenv("PYTHONPATH");
    size_t count = 0, n = 0;
    while (environ[count])
        count++;
    const char **env = arena_array(a, count + 3, sizeof(*env));
    if (!python)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "PYTHONPATH=", 11) != 0 &&
            strncmp(environ[i], "THRONG_PYTHON=", 14) != 0)
            env[n++] = environ[i];
    bool more = given && *given;
    env[n++] = arena_printf(a, "PYTHONPATH=%s%s%s", more ? given : "",
                            more ? ":" : "", python);
    env[n++] = arena_printf(a, "THRONG_PYTHON=%s", python);
    return env;
}

static int spawn(struct external *x, int in, int out, struct err *err)
{
    struct arena *a = arena_new();
    int log =
        open(x->setup.log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct spawn s = {.argv = argv_of(x, a),
                      .env = environment_of(x, a),
                      .cwd = x->setup.home,
                      .in = in,
                      .out = out,
                      .err = log,
                      .mask = x->setup.mask,
                      .keep_fd = -1,
                      .session = true,
                      .die_with_parent = true,
                      .leaders = &x->leaders,
                      .leader_place = leaders_take(&x->leaders)};
    struct err why = {0};
    int rc = 0;
    if (log < 0)
        rc = err_errno(err, "write %s", x->setup.log_path);
    else if (process_spawn(&s, &x->process, &why))
        rc = err_set(err, ERR_INPUT, "external.command: %s", why.text);
    close_fd(&log);
    arena_free(a);
    return rc;
}

static int open_pipes(int in[2], int out[2], struct err *err)
{
    if (pipe2(in, O_CLOEXEC))
        return err_errno(err, "make a pipe");
    if (!pipe2(out, O_CLOEXEC))
        return 0;
    err_errno(err, "make a pipe");
    close(in[0]);
    close(in[1]);
    return -1;
}

/* What it starts outlives a conductor that is killed: the next one finds it by
 * this file. */
static int open_leaders(struct external *x, struct err *err)
{
    struct arena *a = arena_new();
    const char *path = x->setup.leaders_path;
    int rc = 0;
    if (path)
        rc = dir_make(path_folder(a, path), err) ||
             leaders_open(&x->leaders, path, err);
    arena_free(a);
    return rc ? -1 : 0;
}

int external_start(struct external *x, struct err *err)
{
    int in[2], out[2];
    if (open_leaders(x, err))
        return -1;
    if (open_pipes(in, out, err))
        return -1;
    int rc = spawn(x, in[0], out[1], err);
    close(in[0]);
    close(out[1]);
    x->in = in[1];
    x->out = out[0];
    if (rc || fd_nonblocking(x->in, err) || fd_nonblocking(x->out, err))
        return -1;
    x->reader = loop_fd(x->setup.loop, x->out, LOOP_READ, on_readable, x);
    x->writer = loop_fd(x->setup.loop, x->in, 0, on_writable, x);
    x->patience = loop_timer(x->setup.loop, on_impatient, x);
    if (!x->reader || !x->writer)
        return err_set(err, ERR_SYSTEM,
                       "external.command: its pipes cannot "
                       "be watched");
    say_study(x);
    return 0;
}

/* The last results are worth hearing for a program that keeps them. */
static void say_the_rest(struct external *x)
{
    int64_t until = clock_mono_ns() + (int64_t)(END_WAIT_S * 1e9);
    while (x->in >= 0 && x->unsent.len && clock_mono_ns() < until) {
        on_writable(x, x->in, LOOP_WRITE);
        if (x->unsent.len)
            clock_pause_ms(1);
    }
}

void external_free(struct external *x)
{
    if (!x)
        return;
    say_the_rest(x);
    /* An answer that it still owes must not end it before it has read all. */
    close_fd(&x->in);
    if (x->process.pid)
        reap(x, END_WAIT_S);
    leaders_close(&x->leaders, true);
    let_go(x);
    loop_remove(x->patience);
    for (size_t i = 0; i < x->points.len; i++)
        free(x->points.p[i]);
    vec_done(&x->points);
    vec_done(&x->asks);
    vec_done(&x->reports);
    vec_done(&x->going);
    idmap_free(x->pausing);
    idmap_free(x->paused);
    buf_done(&x->unsent);
    buf_done(&x->unread);
    arena_free(x->arena);
    free(x);
}
