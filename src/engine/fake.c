/* fake.c - place fake: tasks that only pretend, for tests of the conductor
 *
 * No process is started and no time passes: the clock is virtual and jumps to
 * the next thing that happens. One step of one task is done per turn of the
 * loop, so that others can act in between. Equal tasks give equal records.
 *
 * A task's script are the words of its arguments; those that are not known are
 * skipped, so that ordinary arguments may stand among them:
 *
 *   sleep-ms=5         virtual time passes
 *   metric=loss:0.5    a point; metric=loss:0.5@3 for step 3
 *   train=loss:0.5:9:2 reports 0.5 + 1/step for the steps up to 9, or to its
 *                      budget, 2 ms each; a later attempt goes on after the
 *                      last step, as from a checkpoint
 *   notice=text        a RECORD_NOTICE
 *   checkpoint=7       the digest of its checkpoint from now on; none: it has
 *                      none, and trains from step 1 again
 *   ignore-stop        from now on a stop waits for twice the grace time
 *   deaf               from now on nothing that it is told matters
 *   exit=3             ends with that exit code (85 and 78 as real ones do)
 *   signal=11          ends by that signal
 *   outcome=memory     ends with that outcome
 *   most=3             while so many run it cannot begin, for want of room
 *   die                the worker dies here: all its tasks are lost
 *   die-ms=5           the same, known after some time of silence
 *   vanish-ms=5        its node does not answer any more: it is presumed dead,
 *                      and goes on for all that; after some time its words
 *                      come through again
 *   away-ms=5          nothing can be sent for some time; then all is as it was
 *   late-ms=5          from now on its words come through so much later
 *   torn-ms=5          from now on they come through a file that shows them in
 *                      pieces, so much apart
 *   torn               what it says next is torn for good and nothing follows:
 *                      at its end its job is over without an answer
 *   again-ms=5         its node fails, and after some time the scheduler begins
 *                      it again by itself, from the first word on
 *   again-presumed=5   the same while the start before goes on unheard
 *   fault              the place gives up here
 *   attempt=2          what follows is for attempt 2 only; attempt=any: for all
 *   reads              what follows is for attempts that only read
 *   when=3:1           what follows is for tasks whose script has the same on
 *                      both sides here; when=any: for every one again
 *
 * A script that runs out ends with exit code 0. Tasks wait for room as they
 * do at a real worker. They are freed only by the step that ends them. */
#include "engine/fake_words.h"
#include "engine/here.h"
#include "base/map.h"
#include "base/num.h"
#include "terms/metric.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

struct fake_task {
    uint64_t id;
    uint32_t attempt;
    uint32_t sequence; /* of the record that it said last */
    struct arena *arena;
    struct str text; /* of the task */
    struct task task;
    struct str script; /* what has not been done yet */
    struct str words;  /* all of the script */
    uint32_t as;       /* the attempt that it was handed out as, … */
    uint32_t start;    /* … and how often a scheduler has begun it since */
    double due_s;      /* it cannot begin before */
    bool anew;         /* it waits to begin again … */
    enum loss loss;    /* … and this became of the start before */
    double late_s;     /* of its words */
    double torn_s;     /* between two pieces of them; 0: they are whole */
    bool cut;          /* one is torn for good, and none follows */
    bool running;
    bool vanished; /* its room is another's by now */
    size_t most;   /* it cannot begin beside so many */
    struct grant grant;
    double started_s, wake_s;
    double end_s; /* when it ends whatever the script says; infinity: never */
    enum outcome end_as;
    bool skipping; /* words are for another attempt … */
    bool not_for;  /* … or for another task */
    bool ignore_stop, deaf;
    uint64_t checkpoint;
    struct metric_batch *batch;
    uint64_t points;
};

struct fake {
    struct here here; /* first */
    struct engine *engine;
    const char *left_path;         /* NULL: nothing outlives its conductor */
    struct fake_words *words;      /* that are on their way */
    bool stutters;                 /* each record is said twice */
    VEC(struct fake_task *) tasks; /* in order of arrival */
    VEC(struct fake_task *) left;  /* by an earlier conductor, not adopted */
    struct loop_source *step;
    struct idmap *trained; /* task -> steps, where pointers go */
    double now_s;
    double wall;        /* unix time of now_s == 0 */
    bool away;          /* nothing can be sent … */
    double back_s;      /* … until then … */
    const char *losing; /* … when all is lost for this reason; NULL: not */
};

/* ---- what it says ----------------------------------------------------- */

static void pass_on(void *context, const struct record *r)
{
    struct fake *f = context;
    for (int i = 0; i < (f->stutters ? 2 : 1); i++)
        require(engine_place_record(f->engine, r, NULL) == 0);
}

static void say(struct fake *f, struct fake_task *t, enum record_type type,
                struct str payload)
{
    struct record r = {.type = type,
                       .attempt = t->attempt,
                       .task = t->id,
                       .sequence = ++t->sequence,
                       .payload = payload};
    if (t->cut)
        fake_words_cut(f->words, f->now_s, &r);
    else if (t->torn_s > 0)
        fake_words_torn(f->words, f->now_s, t->torn_s, &r);
    else if (t->late_s > 0)
        fake_words_late(f->words, f->now_s + t->late_s, &r);
    else
        pass_on(f, &r);
}

static void say_started(struct fake *f, struct fake_task *t)
{
    struct buf b;
    struct record_started s = {.wall = f->wall + f->now_s,
                               .boot_id = str_of(process_boot_id()),
                               .host = STR("fake")};
    buf_init(&b);
    record_started_print(&b, &s);
    say(f, t, RECORD_STARTED, buf_str(&b));
    buf_done(&b);
}

static void say_metrics(struct fake *f, struct fake_task *t)
{
    struct buf b;
    if (metric_batch_points(t->batch) == 0)
        return;
    buf_init(&b);
    metric_batch_print(t->batch, &b);
    say(f, t, RECORD_METRICS, buf_str(&b));
    buf_done(&b);
}

static void task_free(struct fake_task *t)
{
    metric_batch_free(t->batch);
    arena_free(t->arena);
    free(t);
}

static void free_room(struct fake *f, struct fake_task *t)
{
    if (t->running && !t->vanished)
        room_give_back(&f->here.room, &t->grant);
}

static void forget(struct fake *f, struct fake_task *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->tasks.len; i++)
        if (f->tasks.p[i] != t)
            f->tasks.p[kept++] = f->tasks.p[i];
    f->tasks.len = kept;
    free_room(f, t);
}

/* Its job is over, and what it said last is no whole record. */
static void end_unheard(struct fake *f, struct fake_task *t)
{
    struct place_loss how = {LOSS_GONE, 1,
                             "the fake job's last words are torn"};
    uint64_t id = t->id;
    uint32_t attempt = t->attempt;
    forget(f, t);
    task_free(t);
    engine_place_lost_one(f->engine, id, attempt, &how);
}

/* Ends t: it is no more after this. */
static void finish(struct fake *f, struct fake_task *t,
                   struct record_ended *ended)
{
    struct buf b;
    say_metrics(f, t);
    if (t->cut) {
        end_unheard(f, t);
        return;
    }
    ended->wall = f->wall + f->now_s;
    ended->seconds = t->running ? f->now_s - t->started_s : 0;
    ended->checkpoint_digest = t->checkpoint;
    ended->metric_points = t->points;
    buf_init(&b);
    record_ended_print(&b, ended);
    forget(f, t);
    say(f, t, RECORD_ENDED, buf_str(&b));
    buf_done(&b);
    task_free(t);
}

static void finish_as(struct fake *f, struct fake_task *t, enum outcome outcome)
{
    struct record_ended e = {.outcome = outcome, .exit_code = -1};
    if (outcome == OUTCOME_DONE || outcome == OUTCOME_STOPPED)
        e.exit_code = 0;
    else if (outcome != OUTCOME_UNSTARTED)
        e.reason = STR("the fake task was told to end so");
    finish(f, t, &e);
}

static void finish_exit(struct fake *f, struct fake_task *t, int code)
{
    char reason[32];
    struct record_ended e = {.outcome = OUTCOME_FAILED, .exit_code = code};
    snprintf(reason, sizeof reason, "exit code %d", code);
    if (code == 0)
        e.outcome = OUTCOME_DONE;
    else if (code == EXIT_CODE_CHECKPOINTED)
        e.outcome = OUTCOME_CHECKPOINTED;
    else if (code == EXIT_CODE_INVALID)
        e.outcome = OUTCOME_INVALID;
    if (e.outcome == OUTCOME_FAILED || e.outcome == OUTCOME_INVALID)
        e.reason = str_of(reason);
    finish(f, t, &e);
}

static void finish_signal(struct fake *f, struct fake_task *t, int signum)
{
    char reason[64];
    struct record_ended e = {
        .outcome = OUTCOME_FAILED, .exit_code = -1, .signum = signum};
    snprintf(reason, sizeof reason, "signal %d (%s)", signum,
             strsignal(signum));
    e.reason = str_of(reason);
    finish(f, t, &e);
}

static void lose_all(struct fake *f, const char *reason)
{
    engine_place_down(f->engine);
    for (size_t i = 0; i < f->tasks.len; i++) {
        free_room(f, f->tasks.p[i]);
        task_free(f->tasks.p[i]);
    }
    f->tasks.len = 0;
    engine_place_lost(f->engine, reason);
}

/* ---- the words of a script --------------------------------------------
 *
 * Each returns GO_ON, WAIT (until t->wake_s) or ENDED (t is gone). */

enum after_word { GO_ON, WAIT, ENDED };
typedef enum after_word word_fn(struct fake *f, struct fake_task *t,
                                struct str value);

static double number(struct str value)
{
    double d = 0;
    num_double(value, &d);
    return d;
}

static enum after_word do_sleep(struct fake *f, struct fake_task *t,
                                struct str value)
{
    say_metrics(f, t);
    t->wake_s = f->now_s + number(value) / 1000;
    return WAIT;
}

static enum after_word do_metric(struct fake *f, struct fake_task *t,
                                 struct str value)
{
    struct str name, point;
    (void)f;
    if (!str_split(&value, ':', &name) || !str_split(&value, '@', &point))
        return GO_ON;
    struct metric_pair pair = {name, number(point)};
    struct metric_line line = {
        .step = METRIC_NO_STEP, .pairs = &pair, .count = 1};
    if (value.p)
        line.step = (int64_t)number(value);
    metric_batch_add_line(t->batch, &line, METRIC_FROM_METRICS);
    t->points++;
    return GO_ON;
}

static int64_t last_step(const struct task *t, struct str said)
{
    int64_t steps = (int64_t)number(said);
    return t->budget > 0 && t->budget < steps ? t->budget : steps;
}

/* One step at a time: what follows the word is put off until the last. */
static enum after_word do_train(struct fake *f, struct fake_task *t,
                                struct str value)
{
    static const char word[] = "train=";
    struct str whole = value, name, from, steps;
    str_split(&value, ':', &name);
    str_split(&value, ':', &from);
    str_split(&value, ':', &steps);
    uintptr_t done = (uintptr_t)idmap_get(f->trained, t->id);
    if ((int64_t)done >= last_step(&t->task, steps))
        return GO_ON;
    done++;
    idmap_set(f->trained, t->id, (void *)done);
    struct metric_pair pair = {name, number(from) + 1 / (double)done};
    struct metric_line line = {
        .step = (int64_t)done, .pairs = &pair, .count = 1};
    metric_batch_add_line(t->batch, &line, METRIC_FROM_METRICS);
    t->points++;
    const char *begin = whole.p - (sizeof word - 1);
    t->script = str_n(begin, (size_t)(t->words.p + t->words.len - begin));
    say_metrics(f, t);
    t->wake_s = f->now_s + number(value) / 1000;
    return WAIT;
}

static enum after_word do_notice(struct fake *f, struct fake_task *t,
                                 struct str value)
{
    say(f, t, RECORD_NOTICE, value);
    return GO_ON;
}

static enum after_word do_checkpoint(struct fake *f, struct fake_task *t,
                                     struct str value)
{
    if (num_uint(value, &t->checkpoint))
        return GO_ON;
    idmap_del(f->trained, t->id);
    say(f, t, RECORD_ANEW, STR("\0\0\0\0"));
    return GO_ON;
}

static enum after_word do_ignore_stop(struct fake *f, struct fake_task *t,
                                      struct str value)
{
    (void)f;
    (void)value;
    t->ignore_stop = true;
    return GO_ON;
}

static enum after_word do_deaf(struct fake *f, struct fake_task *t,
                               struct str value)
{
    (void)f;
    (void)value;
    t->deaf = true;
    return GO_ON;
}

static enum after_word do_exit(struct fake *f, struct fake_task *t,
                               struct str value)
{
    finish_exit(f, t, (int)number(value));
    return ENDED;
}

static enum after_word do_signal(struct fake *f, struct fake_task *t,
                                 struct str value)
{
    finish_signal(f, t, (int)number(value));
    return ENDED;
}

static enum after_word do_outcome(struct fake *f, struct fake_task *t,
                                  struct str value)
{
    enum outcome o;
    if (!outcome_parse(value, &o))
        return GO_ON;
    finish_as(f, t, o);
    return ENDED;
}

static enum after_word do_die(struct fake *f, struct fake_task *t,
                              struct str value)
{
    (void)t;
    (void)value;
    lose_all(f, "the fake worker died");
    engine_place_up(f->engine);
    return ENDED;
}

static enum after_word do_vanish_ms(struct fake *f, struct fake_task *t,
                                    struct str value)
{
    say_metrics(f, t);
    t->wake_s = f->now_s + number(value) / 1000;
    free_room(f, t);
    t->vanished = true;
    struct place_loss lost = {LOSS_PRESUMED, 1,
                              "the fake node does not answer"};
    engine_place_lost_one(f->engine, t->id, t->attempt, &lost);
    return WAIT;
}

static enum after_word do_late_ms(struct fake *f, struct fake_task *t,
                                  struct str value)
{
    (void)f;
    t->late_s = number(value) / 1000;
    return GO_ON;
}

/* For a while, or for good. */
static enum after_word do_torn(struct fake *f, struct fake_task *t,
                               struct str value)
{
    (void)f;
    t->torn_s = number(value) / 1000;
    t->cut = !value.len;
    return GO_ON;
}

static struct fake_task *new_task(const struct record *r);

/* The start before, which goes on and is nobody's: the task has another
 * number by the time that it is heard. */
static void leave_twin(struct fake *f, const struct fake_task *t)
{
    struct record r = {
        .task = t->id, .attempt = t->attempt, .payload = t->text};
    struct fake_task *twin = new_task(&r);
    twin->running = twin->vanished = true;
    twin->sequence = t->sequence;
    twin->started_s = t->started_s;
    twin->wake_s = t->due_s;
    twin->script =
        str_n(twin->words.p + twin->words.len - t->script.len, t->script.len);
    vec_push(&f->tasks, twin);
}

static enum after_word begin_again(struct fake *f, struct fake_task *t,
                                   struct str value, enum loss loss)
{
    say_metrics(f, t);
    t->due_s = f->now_s + number(value) / 1000;
    if (loss == LOSS_PRESUMED)
        leave_twin(f, t);
    free_room(f, t);
    t->running = t->vanished = false;
    t->anew = true;
    t->loss = loss;
    t->end_s = INFINITY;
    t->script = t->words;
    return WAIT;
}

static enum after_word do_again_ms(struct fake *f, struct fake_task *t,
                                   struct str value)
{
    return begin_again(f, t, value, LOSS_GONE);
}

static enum after_word do_again_presumed(struct fake *f, struct fake_task *t,
                                         struct str value)
{
    return begin_again(f, t, value, LOSS_PRESUMED);
}

/* The step that ends it comes from the loop, so that others can act before. */
static enum after_word go_away(struct fake *f, struct fake_task *t,
                               struct str value, const char *losing)
{
    say_metrics(f, t);
    f->back_s = t->wake_s = f->now_s + number(value) / 1000;
    f->away = true;
    f->losing = losing;
    engine_place_down(f->engine);
    return WAIT;
}

static enum after_word do_die_ms(struct fake *f, struct fake_task *t,
                                 struct str value)
{
    return go_away(f, t, value, "the fake worker died");
}

static enum after_word do_away_ms(struct fake *f, struct fake_task *t,
                                  struct str value)
{
    return go_away(f, t, value, NULL);
}

static void come_back(struct fake *f)
{
    f->now_s = f->back_s;
    f->away = false;
    if (f->losing)
        lose_all(f, f->losing);
    engine_place_up(f->engine);
}

static enum after_word do_fault(struct fake *f, struct fake_task *t,
                                struct str value)
{
    struct err err = {0};
    (void)t;
    (void)value;
    lose_all(f, "the fake place gave up");
    err_set(&err, ERR_SYSTEM,
            "the fake place gave up, as a task's script "
            "asked");
    engine_place_fault(f->engine, &err);
    return ENDED;
}

static const struct {
    const char *name;
    word_fn *fn;
} words[] = {
    {"sleep-ms", do_sleep},
    {"metric", do_metric},
    {"train", do_train},
    {"notice", do_notice},
    {"checkpoint", do_checkpoint},
    {"ignore-stop", do_ignore_stop},
    {"deaf", do_deaf},
    {"exit", do_exit},
    {"signal", do_signal},
    {"outcome", do_outcome},
    {"die", do_die},
    {"die-ms", do_die_ms},
    {"vanish-ms", do_vanish_ms},
    {"away-ms", do_away_ms},
    {"late-ms", do_late_ms},
    {"torn-ms", do_torn},
    {"torn", do_torn},
    {"again-ms", do_again_ms},
    {"again-presumed", do_again_presumed},
    {"fault", do_fault},
};

static enum after_word do_word(struct fake *f, struct fake_task *t,
                               struct str word)
{
    struct str name = {0}, value = word;
    str_split(&value, '=', &name);
    if (str_is(name, "attempt")) {
        t->skipping =
            !str_is(value, "any") && number(value) != (double)t->attempt;
        return GO_ON;
    }
    if (str_is(name, "when")) {
        struct str left = {0}, right = value;
        str_split(&right, ':', &left);
        t->not_for = !str_is(value, "any") && !str_eq(left, right);
        return GO_ON;
    }
    size_t count = sizeof words / sizeof *words;
    for (size_t i = 0; i < count && !t->skipping && !t->not_for; i++)
        if (str_is(name, words[i].name))
            return words[i].fn(f, t, value);
    return GO_ON;
}

/* ---- steps ------------------------------------------------------------ */

/* False: it is nobody's any more, and gone. */
static bool number_anew(struct fake *f, struct fake_task *t)
{
    struct again how = {.as = t->as,
                        .start = t->start + 1,
                        .loss = t->loss,
                        .reason = "the fake node failed"};
    uint32_t number = engine_place_again(f->engine, t->id, t->attempt, &how);
    if (!number) {
        t->running = true; /* it has its room */
        forget(f, t);
        task_free(t);
        return false;
    }
    t->anew = false;
    t->start++;
    t->attempt = number;
    t->sequence = 0;
    t->points = 0;
    return true;
}

static void start(struct fake *f, struct fake_task *t)
{
    if (t->anew && !number_anew(f, t))
        return;
    t->running = true;
    t->started_s = t->wake_s = f->now_s;
    if (t->task.needs.time_s > 0) {
        t->end_s = f->now_s + t->task.needs.time_s;
        t->end_as = OUTCOME_TIMED_OUT;
    }
    say(f, t, RECORD_STARTING, (struct str){0});
    say_started(f, t);
}

static size_t count_running(const struct fake *f)
{
    size_t count = 0;
    for (size_t i = 0; i < f->tasks.len; i++)
        count += f->tasks.p[i]->running && !f->tasks.p[i]->vanished;
    return count;
}

static void refuse(struct fake *f, struct fake_task *t)
{
    struct record_ended e = {.outcome = OUTCOME_UNSTARTED,
                             .exit_code = -1,
                             .reason = STR("the fake machine is short")};
    finish(f, t, &e);
}

/* Starts the oldest task that fits. */
static bool start_one(struct fake *f)
{
    for (size_t i = 0; i < f->tasks.len; i++) {
        struct fake_task *t = f->tasks.p[i];
        if (!t->running && t->most < SIZE_MAX && count_running(f) >= t->most) {
            refuse(f, t);
            return true;
        }
        if (!t->running && isinf(t->end_s) && t->due_s <= f->now_s &&
            room_take(&f->here.room, &t->task.needs, &t->grant)) {
            start(f, t);
            return true;
        }
    }
    return false;
}

static double next_s(const struct fake *f, const struct fake_task *t)
{
    double wake = t->running            ? t->wake_s
                  : t->due_s > f->now_s ? t->due_s
                                        : INFINITY;
    return t->end_s < wake ? t->end_s : wake;
}

/* The task to which something happens first, or NULL. */
static struct fake_task *find_next(const struct fake *f)
{
    struct fake_task *next = NULL;
    for (size_t i = 0; i < f->tasks.len; i++) {
        struct fake_task *t = f->tasks.p[i];
        if (!isinf(next_s(f, t)) && (!next || next_s(f, t) < next_s(f, next)))
            next = t;
    }
    return next;
}

static void run_script(struct fake *f, struct fake_task *t)
{
    struct str word;
    /* A listener may have stopped the task because of its last words. */
    while (t->end_s > f->now_s) {
        if (!str_split(&t->script, ' ', &word)) {
            finish_exit(f, t, 0);
            return;
        }
        if (do_word(f, t, word) != GO_ON)
            return;
    }
}

/* True when words come through before anything else happens. */
static bool comes_through(const struct fake *f, const struct fake_task *next)
{
    double due_s = fake_words_due(f->words);
    return !isinf(due_s) && (!next || due_s <= next_s(f, next));
}

static void hear_words(struct fake *f)
{
    f->now_s = fmax(f->now_s, fake_words_due(f->words));
    fake_words_step(f->words);
}

static void on_step(void *context)
{
    struct fake *f = context;
    struct fake_task *t;
    if (f->away) {
        come_back(f);
    } else if (start_one(f)) {
    } else if (comes_through(f, find_next(f))) {
        hear_words(f);
    } else if ((t = find_next(f))) {
        if (next_s(f, t) > f->now_s)
            f->now_s = next_s(f, t);
        if (t->end_s <= f->now_s)
            finish_as(f, t, t->end_as);
        else if (t->running)
            run_script(f, t);
    }
    if (f->tasks.len || !isinf(fake_words_due(f->words)))
        loop_timer_in(f->step, 0);
}

/* ---- what it is told -------------------------------------------------- */

static struct fake_task *find(const struct fake *f, const struct record *r)
{
    for (size_t i = 0; i < f->tasks.len; i++)
        if (f->tasks.p[i]->id == r->task &&
            f->tasks.p[i]->attempt == r->attempt)
            return f->tasks.p[i];
    return NULL;
}

/* The words before or behind `reads`. */
static struct str join_arguments(const struct task *t, struct arena *a)
{
    struct buf b;
    bool mine = !t->only_read;
    buf_init(&b);
    for (size_t i = 0; i < t->argc; i++) {
        if (str_is(t->argv[i].text, "reads")) {
            mine = !mine;
            continue;
        }
        if (mine && b.len)
            buf_addc(&b, ' ');
        if (mine)
            buf_addstr(&b, t->argv[i].text);
    }
    struct str s = arena_str(a, buf_str(&b));
    buf_done(&b);
    return s;
}

static size_t find_most(struct str script)
{
    static const char name[] = "most=";
    struct str word;
    while (script.len && str_split(&script, ' ', &word))
        if (str_starts(word, str_of(name)))
            return (size_t)number(
                str_n(word.p + sizeof name - 1, word.len - (sizeof name - 1)));
    return SIZE_MAX;
}

static struct fake_task *new_task(const struct record *r)
{
    struct fake_task *t = xcalloc(1, sizeof *t);
    t->id = r->task;
    t->attempt = r->attempt;
    t->arena = arena_new();
    t->end_s = INFINITY;
    t->batch = metric_batch_new();
    t->text = arena_str(t->arena, r->payload);
    require(task_parse(&t->task, t->text, t->arena, NULL) == 0);
    t->as = r->attempt;
    t->words = join_arguments(&t->task, t->arena);
    t->script = t->words;
    t->most = find_most(t->script);
    return t;
}

static void end_at(struct fake_task *t, double at_s, enum outcome outcome)
{
    if (at_s > t->end_s)
        return;
    t->end_s = at_s;
    t->end_as = t->running ? outcome : OUTCOME_UNSTARTED;
}

static void fake_send(void *place, const struct record *r)
{
    struct fake *f = place;
    struct fake_task *t = find(f, r);
    loop_timer_in(f->step, 0);
    if (t && t->deaf)
        return;
    if (r->type == RECORD_TASK) {
        vec_push(&f->tasks, new_task(r));
    } else if (t && r->type == RECORD_STOP) {
        double wait_s = t->ignore_stop ? 2 * t->task.grace_s : 0;
        end_at(t, f->now_s + wait_s, OUTCOME_STOPPED);
    } else if (t && r->type == RECORD_KILL && r->payload.len == 1) {
        enum outcome outcome = (enum outcome)r->payload.p[0];
        if (outcome != OUTCOME_UNSTARTED || !t->running)
            end_at(t, f->now_s, outcome);
    }
}

static void fake_ack(void *place)
{
    (void)place;
}

static void fake_hurry(void *place, enum haste haste)
{
    struct fake *f = place;
    if (haste != HASTE_NOW || f->away)
        return;
    lose_all(f, "the fake worker was ended");
    engine_place_up(f->engine);
}

/* ---- what outlives its conductor -------------------------------------- */

/* A record of the task as it was sent, with how far it is before its text. */
static void print_left(struct buf *b, const struct fake *f,
                       const struct fake_task *t)
{
    struct buf payload;
    buf_init(&payload);
    buf_add_u64(&payload, t->running);
    buf_add_u64(&payload, t->script.p ? t->script.len : 0);
    buf_add_u64(&payload, t->points);
    buf_add_u64(&payload, t->checkpoint);
    buf_add_u64(&payload, (uint64_t)(uintptr_t)idmap_get(f->trained, t->id));
    buf_add_u64(&payload, t->start);
    buf_add_u64(&payload, t->anew ? 1 + (uint64_t)t->loss : 0);
    buf_add_bytes(&payload, t->text);
    struct record r = {.type = RECORD_TASK,
                       .attempt = t->as,
                       .task = t->id,
                       .sequence = t->sequence,
                       .payload = buf_str(&payload)};
    record_print(b, &r);
    buf_done(&payload);
}

static void write_left(struct fake *f)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < f->tasks.len; i++)
        print_left(&b, f, f->tasks.p[i]);
    fake_words_print(f->words, &b);
    require(file_write(f->left_path, buf_str(&b), false, NULL) == 0);
    buf_done(&b);
}

static void take_left(struct fake *f, const struct record *r)
{
    struct bytes in = bytes_of(r->payload);
    bool running = bytes_u64(&in);
    uint64_t to_do = bytes_u64(&in), points = bytes_u64(&in);
    uint64_t checkpoint = bytes_u64(&in), trained = bytes_u64(&in);
    uint64_t starts = bytes_u64(&in), anew = bytes_u64(&in);
    struct record sent = *r;
    sent.payload = bytes_str(&in);
    require(!in.bad);
    struct fake_task *t = new_task(&sent);
    t->sequence = r->sequence;
    t->script.p = to_do ? t->words.p + t->words.len - to_do : NULL;
    t->script.len = to_do;
    t->start = (uint32_t)starts;
    t->anew = anew > 0;
    t->loss = anew ? (enum loss)(anew - 1) : LOSS_GONE;
    t->running = running;
    t->points = points;
    t->checkpoint = checkpoint;
    if (trained)
        idmap_set(f->trained, t->id, (void *)(uintptr_t)trained);
    vec_push(&f->left, t);
}

static void read_left(struct fake *f)
{
    struct str text, rest;
    struct record r;
    size_t used;
    if (file_map(f->left_path, &text, NULL))
        return;
    for (rest = text; record_parse(rest, &r, &used, NULL) > 0;
         rest = str_n(rest.p + used, rest.len - used))
        if (r.type == RECORD_TASK)
            take_left(f, &r);
        else
            fake_words_late(f->words, 0, &r);
    file_unmap(text);
}

static bool fake_adopt(void *place, const struct engine_out *out)
{
    struct fake *f = place;
    for (size_t i = 0; i < f->left.len; i++) {
        struct fake_task *t = f->left.p[i];
        if (t->id != out->task || t->as != out->as || t->start != out->start)
            continue;
        t->attempt = out->attempt;
        f->left.p[i] = vec_last(&f->left);
        f->left.len--;
        if (t->running)
            t->vanished = !room_take(&f->here.room, &t->task.needs, &t->grant);
        vec_push(&f->tasks, t);
        loop_timer_in(f->step, 0);
        return true;
    }
    loop_timer_in(f->step, 0);
    return fake_words_has(f->words, out->task, out->attempt);
}

/* ---- opening and closing ---------------------------------------------- */

static void *fake_open(const struct place_setup *setup, struct err *err)
{
    struct fake *f = xcalloc(1, sizeof *f);
    (void)err;
    f->engine = setup->engine;
    f->trained = idmap_new();
    f->words = fake_words_new(setup->given->folder, pass_on, f);
    here_open(&f->here, setup->given);
    f->wall = clock_wall();
    f->step = loop_timer(setup->given->loop, on_step, f);
    return f;
}

static void *cluster_open(const struct place_setup *setup, struct err *err)
{
    struct fake *f = fake_open(setup, err);
    f->stutters = true;
    f->left_path = path_join(f->here.arena, setup->given->folder, "fake-left");
    read_left(f);
    return f;
}

static int fake_start(void *place, uint64_t epoch, struct err *err)
{
    struct fake *f = place;
    (void)epoch;
    (void)err;
    for (size_t i = 0; i < f->left.len; i++)
        task_free(f->left.p[i]);
    f->left.len = 0;
    if (f->left_path)
        unlink(f->left_path);
    return 0;
}

static void fake_close(void *place, bool leave)
{
    struct fake *f = place;
    if (leave && f->left_path)
        write_left(f);
    for (size_t i = 0; i < f->left.len; i++)
        task_free(f->left.p[i]);
    vec_done(&f->left);
    for (size_t i = 0; i < f->tasks.len; i++)
        task_free(f->tasks.p[i]);
    vec_done(&f->tasks);
    fake_words_free(f->words);
    loop_remove(f->step);
    idmap_free(f->trained);
    here_close(&f->here);
    free(f);
}

PLACE(fake) = {
    .name = "fake",
    .open = fake_open,
    .start = fake_start,
    .close = fake_close,
    .check = here_check,
    .slots = here_slots,
    .want = here_want,
    .gpus = here_gpus,
    .look = here_look,
    .send = fake_send,
    .ack = fake_ack,
    .hurry = fake_hurry,
};

/* Its tasks outlive their conductor, and it says everything twice. */
PLACE(fake_cluster) = {
    .name = "fake-cluster",
    .outlives = true,
    .open = cluster_open,
    .start = fake_start,
    .adopt = fake_adopt,
    .close = fake_close,
    .check = here_check,
    .slots = here_slots,
    .want = here_want,
    .send = fake_send,
    .ack = fake_ack,
    .hurry = fake_hurry,
};
