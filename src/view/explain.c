/* explain.c - why a trial waits, runs or failed
 *
 * All of it is read from the store: the state and the attempts of the trial,
 * who holds the lease, the diary, and the study file's own limits. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "terms/device.h"
#include "view/view.h"

#define TAIL_LINES 8
#define BROKEN_OFF_SHOWN 3
#define SCRIPT_MAX (64u << 10)

struct explainer {
    struct store *store;
    const struct place_of_study *where;
    struct arena *arena;
    struct err *err;
    struct plan *plan; /* NULL when it cannot be read */
    struct standing now;
    struct trial trial;
    struct attempt *attempts; /* those that began, or may have */
    size_t attempt_count;
    const char *hint;             /* what may help with the trial; or NULL */
    const struct study_job *jobs; /* of a cluster, all of the study's */
    size_t job_count;
    bool script; /* that of the trial's job is shown, too */
    struct buf out;
    bool json;
    struct buf list; /* of JSON objects, for programs */
};

static const struct attempt *last_attempt(const struct explainer *e)
{
    return e->attempt_count ? &e->attempts[e->attempt_count - 1] : NULL;
}

static void add_seconds(struct buf *b, double s)
{
    num_print_seconds(b, s < 0 ? 0 : s);
}

/* ---- on a cluster ----------------------------------------------------- */

static const struct study_job *own_job(const struct explainer *e)
{
    return study_job_of(e->jobs, e->job_count, e->trial.id);
}

static void add_lines(struct buf *b, const char *path)
{
    struct buf text;
    buf_init(&text);
    if (file_read(path, SCRIPT_MAX, &text, NULL) == 0) {
        struct str rest = str_trim(buf_str(&text)), line;
        while (rest.len && str_split(&rest, '\n', &line))
            buf_addf(b, "    %.*s\n", STRF(line));
    }
    buf_done(&text);
}

static void add_job(struct explainer *e)
{
    struct buf *b = &e->out;
    const struct study_job *j = own_job(e);
    if (!j)
        return;
    const char *script = study_job_script(j, e->arena);
    const char *log = study_job_file(j, ".log", e->arena);
    bool open = !state_final(e->trial.state) && j->line.stage != JOB_OVER;
    buf_adds(b, open ? "Its job is " : "Its last job was ");
    study_job_print(b, j, e->arena);
    buf_addf(b, "%s.\n",
             open && !e->now.lease.live ? ", when throng last asked" : "");
    if (log)
        buf_addf(b, "What the job itself printed is in %s.\n", log);
    if (script)
        buf_addf(b, "It was submitted as %s%s\n", script,
                 e->script ? ":" : ".");
    if (script && e->script)
        add_lines(b, script);
}

/* True when the trial is in a job that nobody follows, which is said. */
static bool says_left_job(struct explainer *e)
{
    const struct study_job *j = own_job(e);
    if (e->now.lease.live || !j || j->line.stage == JOB_OVER)
        return false;
    buf_addf(&e->out,
             "Its job goes on without a conductor; `%s` collects what it "
             "does,\n`throng kill %s` cancels the study's jobs.\n",
             resume_command(e->arena, e->where), e->where->name);
    return true;
}

/* ---- why it waits ----------------------------------------------------- */

/* Seconds until the next attempt may begin; 0 or less: at any time. */
static double retry_in(const struct explainer *e)
{
    const struct attempt *a = last_attempt(e);
    if (!a || !e->plan || !e->trial.failures || a->ended <= 0)
        return 0;
    return a->ended +
           study_back_off(e->plan->retry_delay_s, e->trial.failures) -
           clock_wall();
}

/* What the diary says since the study was opened last: "draining" or "". */
static bool is_draining(struct explainer *e)
{
    struct event *list;
    size_t count;
    bool draining = false;
    if (store_events(e->store, 50, e->arena, &list, &count, NULL))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (str_is(list[i].what, "created") || str_is(list[i].what, "opened"))
            draining = false;
        if (str_is(list[i].what, "draining"))
            draining = true;
    }
    return draining;
}

static int64_t waiting_before(struct explainer *e)
{
    struct query q = {.selector = "waiting"};
    struct rows *rows = store_rows(e->store, &q, NULL);
    struct trial t;
    int64_t n = 0;
    while (rows && rows_next(rows, &t, NULL) > 0 && t.id < e->trial.id)
        n++;
    rows_close(rows);
    return n;
}

static void say_room(struct explainer *e)
{
    struct buf *b = &e->out;
    struct machine m;
    struct needs needs;
    struct value *point =
        json_parse(e->arena, e->trial.point, "point", true, NULL);
    buf_addf(b, "It waits for room: %lld run%s now",
             (long long)e->now.counts.by_state[STATE_RUNNING],
             e->now.counts.by_state[STATE_RUNNING] == 1 ? "s" : "");
    if (e->plan && e->plan->parallel)
        buf_addf(b, ", parallel: %u", e->plan->parallel);
    if (point && e->plan && !plan_needs(e->plan, point, &needs, NULL)) {
        buf_adds(b, "; each needs ");
        needs_print(b, &needs);
    }
    if (!e->job_count &&
        !machine_read(&m, getenv("THRONG_GPUS"), e->arena, NULL)) {
        buf_addf(b, " of this machine's %u cpu%s, ", m.cpus,
                 m.cpus == 1 ? "" : "s");
        num_print_bytes(b, m.memory_bytes);
        buf_addf(b, " and %zu gpus", m.gpu_count);
    }
    buf_adds(b, ".\n");
    int64_t before = waiting_before(e);
    if (before)
        buf_addf(b, "%lld waiting trial%s before it.\n", (long long)before,
                 before == 1 ? " comes" : "s come");
}

static uint32_t kept_apart(struct explainer *e, const struct attempt *list,
                           size_t count)
{
    const char *place = study_place(e->store, e->arena);
    return study_kept_apart(list, count, study_place_outlives(place));
}

/* A running trial that none more may run beside; 0: there is none. */
static int64_t lonely_one(struct explainer *e)
{
    struct query q = {.selector = "running"};
    struct rows *rows = store_rows(e->store, &q, NULL);
    int64_t running = e->now.counts.by_state[STATE_RUNNING], found = 0;
    struct trial t;
    while (rows && !found && rows_next(rows, &t, NULL) > 0) {
        struct attempt *list;
        size_t count;
        if (store_attempts(e->store, t.id, e->arena, &list, &count, NULL))
            continue;
        uint32_t apart = kept_apart(e, list, count);
        if (apart && running + 1 > apart)
            found = t.id;
    }
    rows_close(rows);
    return found;
}

/* True when it waits because of losses, its own or another's, which is said. */
static bool says_apart(struct explainer *e)
{
    struct buf *b = &e->out;
    uint32_t apart = kept_apart(e, e->attempts, e->attempt_count);
    int64_t running = e->now.counts.by_state[STATE_RUNNING];
    int64_t other = apart && running + 1 > apart ? 0 : lonely_one(e);
    if (apart && running + 1 > apart) {
        buf_adds(b, "It is kept apart: it was lost together with others, and "
                    "any of them may have been\nthe cause. It begins when ");
        if (apart == 1)
            buf_adds(b, "nothing else runs");
        else
            buf_addf(b, "no more than %u others run", apart - 1);
        buf_addf(b, "; %lld run%s now.\n", (long long)running,
                 running == 1 ? "s" : "");
    } else if (other) {
        buf_addf(b,
                 "It waits for trial %lld, which is kept apart: that one was "
                 "lost together with others,\nand runs with fewer beside it "
                 "until it is known who was the cause.\n",
                 (long long)other);
    }
    return apart ? running + 1 > apart : other > 0;
}

static void say_cut_off(struct explainer *e)
{
    size_t ends = study_cut_off(e->attempts, e->attempt_count);
    if (ends < 2)
        return;
    buf_addf(&e->out,
             "It was running at each of the last %zu ends of throng that "
             "nobody asked for.\nWhether it was the cause cannot be told; "
             "`throng kill %lld` takes it out.\n",
             ends, (long long)e->trial.id);
}

static bool was_broken_off(const struct attempt *a)
{
    return a->reason.len &&
           (a->outcome == OUTCOME_LOST || a->outcome == OUTCOME_INTERRUPTED);
}

static void say_attempt(struct buf *b, const struct attempt *a)
{
    buf_addf(b, "Attempt %u ended as %s: %.*s.\n", a->number,
             outcome_name(a->outcome), STRF(a->reason));
}

/* The last attempts that did not come to an end of their own, and why. */
static void say_broken_off(struct explainer *e)
{
    size_t first = e->attempt_count, said = 0;
    while (first && said < BROKEN_OFF_SHOWN)
        said += was_broken_off(&e->attempts[--first]);
    for (; first < e->attempt_count; first++)
        if (was_broken_off(&e->attempts[first]))
            say_attempt(&e->out, &e->attempts[first]);
}

static void explain_waiting(struct explainer *e)
{
    struct buf *b = &e->out;
    const struct attempt *a = last_attempt(e);
    say_cut_off(e);
    if (a && a->reason.len && !was_broken_off(a))
        say_attempt(b, a);
    if (says_left_job(e))
        return;
    if (!e->now.lease.live) {
        buf_addf(b,
                 "It waits because nobody runs the study now; `%s` goes on "
                 "with it.\n",
                 resume_command(e->arena, e->where));
        return;
    }
    if (is_draining(e)) {
        buf_addf(b,
                 "It waits because the study was asked to stop: running "
                 "trials finish, no more\nstart. After that `%s` goes on "
                 "with it.\n",
                 resume_command(e->arena, e->where));
        return;
    }
    double wait_s = retry_in(e);
    if (wait_s > 0) {
        buf_addf(b, "It failed %u time%s and is tried again in ",
                 e->trial.failures, e->trial.failures == 1 ? "" : "s");
        add_seconds(b, ceil(wait_s));
        buf_addf(b, " (retries: %u).\n", e->plan->retries);
        return;
    }
    bool in_job = own_job(e) && own_job(e)->line.stage != JOB_OVER;
    if (!in_job && !says_apart(e))
        say_room(e);
}

/* ---- why it runs, and how it ended ------------------------------------ */

/* Of one that runs far longer than others have. */
static void say_long(struct explainer *e, double ran_s)
{
    struct study_pace pace;
    struct buf *b = &e->out;
    if (study_pace_read(e->store, e->arena, &pace, NULL) ||
        pace.patience_s <= 0 || ran_s < pace.patience_s)
        return;
    buf_adds(b, "Half of those that ended last took less than ");
    add_seconds(b, pace.median_s);
    buf_addf(b,
             ": if it hangs, `throng kill %lld` ends it,\nand `resources: "
             "{time: …}` in the study file ends those to come.\n",
             (long long)e->trial.id);
}

static void explain_running(struct explainer *e)
{
    struct buf *b = &e->out;
    const struct attempt *a = last_attempt(e);
    say_cut_off(e);
    if (says_left_job(e))
        return;
    if (!e->now.lease.live) {
        buf_addf(b,
                 "It ran when the study broke off; `%s` goes on with it, "
                 "from its\nlast checkpoint if it wrote one.\n",
                 resume_command(e->arena, e->where));
        return;
    }
    if (!a)
        return;
    if (own_job(e) && own_job(e)->line.again) {
        buf_addf(b,
                 "Attempt %u ran on %s until its job was put back into the "
                 "queue. It goes on when\nthe job begins again, from its last "
                 "checkpoint if it wrote one.\n",
                 a->number, a->host);
        return;
    }
    double ran_s = clock_wall() - a->started;
    buf_addf(b, "Attempt %u has run for ", a->number);
    add_seconds(b, floor(ran_s));
    buf_addf(b, " on %s as process %llu.\n", a->host,
             (unsigned long long)a->pid);
    say_long(e, ran_s);
    buf_addf(b, "`throng logs -f %lld` follows its output.\n",
             (long long)e->trial.id);
}

static void add_tail(struct buf *b, struct str tail)
{
    struct str rest = str_trim(tail), line;
    size_t lines = 0, skip = 0;
    for (size_t i = 0; i < rest.len; i++)
        lines += rest.p[i] == '\n';
    skip = lines + 1 > TAIL_LINES ? lines + 1 - TAIL_LINES : 0;
    if (rest.len)
        buf_adds(b, "Its last lines:\n");
    while (rest.len && str_split(&rest, '\n', &line)) {
        if (skip) {
            skip--;
            continue;
        }
        buf_addf(b, "    %.*s\n", STRF(line));
    }
}

/* Attempts that came to their end and were followed by another: rungs, of early
 * stopping at budgets. */
static size_t given_more(const struct explainer *e)
{
    size_t count = 0;
    for (size_t i = 0; i + 1 < e->attempt_count; i++)
        count += e->attempts[i].outcome == OUTCOME_DONE;
    return count;
}

static void add_attempts(struct explainer *e)
{
    struct buf *b = &e->out;
    const struct attempt *a = last_attempt(e);
    if (!a) {
        buf_adds(b, "It never began.\n");
        return;
    }
    size_t more = given_more(e), tries = e->attempt_count - more;
    if (more)
        buf_addf(b, "It was given more %zu time%s, and went on from there.\n",
                 more, more == 1 ? "" : "s");
    if (more && tries == 1) {
        buf_adds(b, "The last part took ");
    } else {
        buf_addf(b, "It was tried %zu time%s", tries, tries == 1 ? "" : "s");
        if (e->plan)
            buf_addf(b, " (retries: %u)", e->plan->retries);
        buf_adds(b, "; the last try took ");
    }
    add_seconds(b, a->seconds);
    if (a->max_rss_bytes) {
        buf_adds(b, " and at most ");
        num_print_bytes(b, a->max_rss_bytes);
    }
    buf_adds(b, ".\n");
}

static void explain_bad(struct explainer *e)
{
    struct buf *b = &e->out;
    const struct attempt *a = last_attempt(e);
    struct trial_failure f = {.trial = e->trial.id,
                              .state = e->trial.state,
                              .reason = e->trial.reason};
    if (a) {
        f.outcome = a->outcome;
        f.exit_code = a->exit_code;
        f.signum = a->signum;
        f.tail = a->tail;
    }
    add_attempts(e);
    add_tail(b, f.tail);
    e->hint = failure_hint(&f);
    if (e->hint)
        buf_addf(b, "Hint: %s%s\n", e->hint,
                 str_ends(str_of(e->hint), STR("?")) ? "" : ".");
    buf_addf(b,
             "`throng logs %lld` prints all of its output, `throng show %lld "
             "--command` a line that runs it by hand, `throng retry %lld` "
             "tries it again.\n",
             (long long)e->trial.id, (long long)e->trial.id,
             (long long)e->trial.id);
}

static bool breaks_a_bound(const struct explainer *e)
{
    const struct goal *g = e->plan ? &e->plan->goal : NULL;
    double value;
    if (!g || !g->bound_count || !g->objective_count)
        return false;
    const struct value *summary =
        json_parse(e->arena, e->trial.summary, "summary", false, NULL);
    struct goal first = *g;
    first.objective_count = 1;
    goal_values(&first, summary, &value);
    return isfinite(value) && goal_broken(g, summary, NULL) > 0;
}

static void explain_good(struct explainer *e)
{
    struct buf *b = &e->out;
    if (e->trial.state == STATE_STOPPED)
        buf_adds(b, "It was asked to finish early; what it reported counts.\n");
    add_attempts(e);
    if (breaks_a_bound(e))
        buf_adds(b, "It ranks behind all trials that keep the constraints.\n");
    else if (e->plan && e->plan->metric.name.len && isnan(e->trial.value))
        buf_addf(b, "It has no rank: it did not report the metric `%.*s`.\n",
                 STRF(e->plan->metric.name));
}

/* A sentence of its own. */
static void add_sentence(struct buf *b, struct buf *words)
{
    if (words->len && words->p[0] >= 'a' && words->p[0] <= 'z')
        words->p[0] = (char)(words->p[0] - 'a' + 'A');
    if (words->len)
        buf_addf(b, "%s.\n", words->p);
    buf_reset(words);
}

/* Of a program that was given several. */
static void add_cpus(struct explainer *e, const struct attempt *a,
                     struct buf *words)
{
    const struct value *point =
        e->plan && !e->plan->model_root
            ? json_parse(e->arena, e->trial.point, "point", true, NULL)
            : NULL;
    struct needs needs;
    if (point && !plan_needs(e->plan, point, &needs, NULL))
        use_cpus_verdict(words, a->seconds, a->cpu_seconds, needs.cpus);
}

/* What was chosen for its models, or for all where nobody knows which they are.
 */
static void add_choice(struct explainer *e, struct str device,
                       struct buf *words)
{
    const struct plan *p = e->plan;
    struct buf own;
    uint64_t key;
    buf_init(&own);
    device_choices_words(words, e->store, NULL);
    const struct value *point =
        words->len && p && p->model_root
            ? json_parse(e->arena, e->trial.point, "point", true, NULL)
            : NULL;
    if (point && study_cohort_key(p, e->where->home, point, &key) &&
        device_choice_words_of(&own, e->store, key, device)) {
        buf_reset(words);
        buf_addstr(words, buf_str(&own));
    }
    buf_done(&own);
}

/* On which device it trains, who chose that, and what that waits for. */
static void add_device(struct explainer *e)
{
    const struct attempt *a = last_attempt(e);
    struct buf words;
    buf_init(&words);
    if (a && a->use.device[0] && strcmp(a->use.device, devices[0].name) != 0)
        buf_addf(&e->out, "Its device is %s.\n", a->use.device);
    add_choice(e, str_of(a ? a->use.device : ""), &words);
    add_sentence(&e->out, &words);
    if (a)
        use_verdict(&words, &a->use, a->seconds, a->cpu_seconds);
    if (a && !words.len)
        add_cpus(e, a, &words);
    add_sentence(&e->out, &words);
    buf_done(&words);
}

/* As a sentence has it. */
static const char *state_words(enum state state)
{
    switch (state) {
    case STATE_FAILED:
        return "failed";
    case STATE_TIMED_OUT:
        return "ran out of time";
    case STATE_DIVERGED:
        return "diverged";
    case STATE_STOPPED:
        return "was stopped";
    case STATE_KILLED:
        return "was killed";
    case STATE_WAITING:
        return "is waiting";
    case STATE_RUNNING:
        return "is running";
    case STATE_DONE:
        return "is done";
    case STATE_INVALID:
        return "is invalid";
    case STATE_PAUSED:
        return "is paused";
    default:
        return state_name(state);
    }
}

static void explain(struct explainer *e)
{
    e->hint = NULL;
    buf_addf(&e->out, "Trial %lld %s%s%.*s.\n", (long long)e->trial.id,
             state_words(e->trial.state), e->trial.reason.len ? ": " : "",
             STRF(e->trial.reason));
    say_broken_off(e);
    if (e->trial.state == STATE_RUNNING)
        explain_running(e);
    else if (!state_final(e->trial.state))
        explain_waiting(e);
    else if (state_bad(e->trial.state))
        explain_bad(e);
    else
        explain_good(e);
    add_device(e);
    add_job(e);
}

/* ---- for programs ----------------------------------------------------- */

static void string_or_null(struct buf *b, const char *name, struct str text)
{
    buf_addf(b, ",\"%s\":", name);
    strict_string_or_null(b, text);
}

/* What was just said becomes a member of the list. */
static void add_json(struct explainer *e, int64_t id, const char *state)
{
    struct buf *b = &e->list;
    const struct attempt *a = last_attempt(e);
    bool final = *state && state_final(e->trial.state);
    buf_addf(b, "%s{\"id\":%lld", b->len ? "," : "", (long long)id);
    string_or_null(b, "state", str_of(state));
    string_or_null(b, "reason", *state ? e->trial.reason : str_n("", 0));
    buf_addf(b, ",\"attempts\":%zu,\"explanation\":", e->attempt_count);
    json_string(b, str_trim(buf_str(&e->out)));
    string_or_null(b, "hint", str_of(e->hint ? e->hint : ""));
    string_or_null(b, "tail", a && final ? a->tail : str_n("", 0));
    string_or_null(b, "go_on",
                   str_of(final || e->now.lease.live
                              ? ""
                              : resume_command(e->arena, e->where)));
    const struct study_job *j = own_job(e);
    buf_adds(b, ",\"job\":");
    if (j)
        study_job_json(b, j, e->arena);
    else
        buf_adds(b, "null");
    buf_addc(b, '}');
    buf_reset(&e->out);
}

static void print_json(struct explainer *e, struct buf *b)
{
    buf_adds(b, "{\"schema\":\"throng.explain/1\"");
    age_json(b, store_as_of(e->store));
    buf_adds(b, ",\"study\":");
    json_string(b, str_of(e->where->name));
    buf_addf(b, ",\"running\":%s,\"trials\":[%s]}\n",
             e->now.lease.live ? "true" : "false", e->list.p);
}

/* ---- a trial that is not there yet ------------------------------------ */

/* Trials are made as room comes free: a number within the study's size is no
 * mistake. */
static bool explain_unmade(struct explainer *e, const char *selector)
{
    int64_t id, last = store_last_trial(e->store);
    if (!num_int(str_of(selector), &id) || id <= last)
        return false;
    if (e->now.total >= 0 && id > e->now.total)
        return false;
    buf_addf(&e->out, "Trial %lld is not made yet: the study has %lld so far",
             (long long)id, (long long)last);
    if (e->now.total >= 0)
        buf_addf(&e->out, " of %lld", (long long)e->now.total);
    if (e->now.lease.live)
        buf_adds(&e->out, ".\nMore are made as room comes free.\n");
    else
        buf_addf(&e->out,
                 ".\nNobody runs the study now; `%s` goes on with it.\n",
                 resume_command(e->arena, e->where));
    if (e->json)
        add_json(e, id, "");
    return true;
}

/* ---- all of them ------------------------------------------------------ */

static int read_study(struct explainer *e)
{
    if (standing_read(&e->now, e->store, e->arena, e->err))
        return -1;
    e->plan = study_stored_plan(e->store, e->where->home, e->where->name,
                                e->arena, NULL);
    e->jobs = study_jobs(e->where->folder, e->arena, &e->job_count);
    return 0;
}

/* What a scheduler refused, or had not begun when it was taken back, was no
 * try of the trial's. */
static int read_attempts(struct explainer *e, int64_t id)
{
    size_t all, began = 0;
    if (store_attempts(e->store, id, e->arena, &e->attempts, &all, e->err))
        return -1;
    for (size_t i = 0; i < all; i++)
        if (e->attempts[i].outcome != OUTCOME_UNSTARTED)
            e->attempts[began++] = e->attempts[i];
    e->attempt_count = began;
    return 0;
}

static int explain_all(struct explainer *e, const char *selector)
{
    struct query q = {.selector = selector};
    struct trial t;
    int64_t count = 0;
    int got = -1;
    if (explain_unmade(e, selector))
        return 0;
    e->script = strcmp(selector, "last") == 0 || str_digits(str_of(selector));
    struct rows *rows = store_rows(e->store, &q, e->err);
    while (rows && (got = rows_next(rows, &t, e->err)) > 0) {
        if (store_trial(e->store, t.id, e->arena, &e->trial, e->err) ||
            read_attempts(e, t.id)) {
            got = -1;
            break;
        }
        if (count++ && !e->json)
            buf_addc(&e->out, '\n');
        explain(e);
        if (e->json)
            add_json(e, t.id, state_name(e->trial.state));
    }
    rows_close(rows);
    if (!got && !count)
        return no_such_trials(e->store, selector, e->arena, e->err);
    return got;
}

int explain_print(struct buf *b, struct store *store,
                  const struct place_of_study *where, const char *selector,
                  bool json, struct arena *a, struct err *err)
{
    struct explainer e = {
        .store = store, .where = where, .arena = a, .err = err, .json = json};
    buf_init(&e.out);
    buf_init(&e.list);
    int rc = read_study(&e) || explain_all(&e, selector) ? -1 : 0;
    if (!rc && json)
        print_json(&e, b);
    else if (!rc)
        buf_addstr(b, buf_str(&e.out));
    buf_done(&e.out);
    buf_done(&e.list);
    plan_close(e.plan);
    return rc;
}
