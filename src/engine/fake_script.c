/* fake_script.c - what a fake task does
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
 * A script that runs out ends with exit code 0. */
#include "engine/fake.h"

#include <math.h>
#include "base/num.h"

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
    fake_say_metrics(f, t);
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
    fake_say_metrics(f, t);
    t->wake_s = f->now_s + number(value) / 1000;
    return WAIT;
}

static enum after_word do_notice(struct fake *f, struct fake_task *t,
                                 struct str value)
{
    fake_say(f, t, RECORD_NOTICE, value);
    return GO_ON;
}

static enum after_word do_checkpoint(struct fake *f, struct fake_task *t,
                                     struct str value)
{
    if (num_uint(value, &t->checkpoint))
        return GO_ON;
    idmap_del(f->trained, t->id);
    fake_say(f, t, RECORD_ANEW, STR("\0\0\0\0"));
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
    fake_finish_exit(f, t, (int)number(value));
    return ENDED;
}

static enum after_word do_signal(struct fake *f, struct fake_task *t,
                                 struct str value)
{
    fake_finish_signal(f, t, (int)number(value));
    return ENDED;
}

static enum after_word do_outcome(struct fake *f, struct fake_task *t,
                                  struct str value)
{
    enum outcome o;
    if (!outcome_parse(value, &o))
        return GO_ON;
    fake_finish_as(f, t, o);
    return ENDED;
}

static enum after_word do_die(struct fake *f, struct fake_task *t,
                              struct str value)
{
    (void)t;
    (void)value;
    fake_lose_all(f, "the fake worker died");
    engine_place_up(f->engine);
    return ENDED;
}

static enum after_word do_vanish_ms(struct fake *f, struct fake_task *t,
                                    struct str value)
{
    fake_say_metrics(f, t);
    t->wake_s = f->now_s + number(value) / 1000;
    fake_free_room(f, t);
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

/* The start before, which goes on and is nobody's: the task has another
 * number by the time that it is heard. */
static void leave_twin(struct fake *f, const struct fake_task *t)
{
    struct record r = {
        .task = t->id, .attempt = t->attempt, .payload = t->text};
    struct fake_task *twin = fake_task_new(&r);
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
    fake_say_metrics(f, t);
    t->due_s = f->now_s + number(value) / 1000;
    if (loss == LOSS_PRESUMED)
        leave_twin(f, t);
    fake_free_room(f, t);
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
    fake_say_metrics(f, t);
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

static enum after_word do_fault(struct fake *f, struct fake_task *t,
                                struct str value)
{
    struct err err = {0};
    (void)t;
    (void)value;
    fake_lose_all(f, "the fake place gave up");
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

size_t fake_script_most(struct str script)
{
    static const char name[] = "most=";
    struct str word;
    while (script.len && str_split(&script, ' ', &word))
        if (str_starts(word, str_of(name)))
            return (size_t)number(
                str_n(word.p + sizeof name - 1, word.len - (sizeof name - 1)));
    return SIZE_MAX;
}

void fake_script_run(struct fake *f, struct fake_task *t)
{
    struct str word;
    /* A listener may have stopped the task because of its last words. */
    while (t->end_s > f->now_s) {
        if (!str_split(&t->script, ' ', &word)) {
            fake_finish_exit(f, t, 0);
            return;
        }
        if (do_word(f, t, word) != GO_ON)
            return;
    }
}
