/* follow.c - what jobs say
 *
 * Each start of a job has a file of its own. Those of earlier starts are read
 * first, so that what ended there is known before a later one is heard. The
 * first record that a later start says of a task makes another attempt of it
 * (engine_place_again); what earlier starts say of it from then on is
 * dropped. */
#include "engine/jobs.h"

#include <math.h>
#include <stdio.h>

/* The moving average of durations follows one task by this much. */
#define AVERAGE_WEIGHT (1.0 / 16)
/* A task that fails sooner has not done much. */
#define AT_ONCE_SECONDS 10.0
/* So many that do, and none that ends well, tell enough of a job. */
#define DECISIVE 3
/* Damage that lasts so long does not heal. */
#define DAMAGE_SECONDS 30.0

/* Whose words are heard. */
struct hearing {
    struct jobs *jobs;
    struct bundle *bundle;
    uint32_t start;
};

/* ---- one record -------------------------------------------------------------
 */

/* The name of a node may be the first part of its host's. */
static void note_node(struct hearing *h, struct str host)
{
    const struct nodes *nodes = h->jobs->scheduler->nodes(h->jobs->at);
    struct str rest = host, label;
    str_split(&rest, '.', &label);
    for (size_t i = 0; i < nodes->list.len; i++) {
        const char *name = nodes->list.p[i].name;
        if (str_is(host, name) || str_is(label, name))
            snprintf(h->bundle->node, sizeof h->bundle->node, "%s", name);
    }
}

static void hear_hello(struct hearing *h, struct str payload)
{
    struct record_hello hello;
    struct jobs *j = h->jobs;
    if (record_hello_parse(payload, &hello, NULL))
        return;
    note_node(h, hello.host);
    if (!str_is(hello.version, THRONG_VERSION) && !j->version_told) {
        j->version_told = true;
        log_to(j->given->log, LOG_WARN,
               "throng-worker on %.*s is of version %.*s and throng of "
               "%s: jobs that were submitted before throng was installed anew "
               "go on with the old one",
               STRF(hello.host), STRF(hello.version), THRONG_VERSION);
    }
}

static struct out_task *find_in(const struct hearing *h, uint64_t id)
{
    struct out_task *t = idmap_get(h->jobs->tasks, id);
    while (t && t->bundle != h->bundle)
        t = t->same;
    return t;
}

/* False: nothing more of the task counts. */
static bool begin_again(struct hearing *h, struct out_task *t)
{
    struct buf why;
    buf_init(&why);
    jobs_name(h->jobs, h->bundle, &why);
    buf_addf(&why, " was begun again by %s", h->jobs->scheduler->name);
    ending_print(h->jobs, h->bundle, h->start - 1, &why);
    struct again how = {
        .as = t->as, .start = h->start, .loss = LOSS_PRESUMED, .reason = why.p};
    uint32_t number =
        engine_place_again(h->jobs->engine, t->id, t->attempt, &how);
    buf_done(&why);
    if (!number) {
        jobs_answered(t);
        return false;
    }
    t->attempt = number;
    t->start = h->start;
    t->begun = false;
    return true;
}

/* Once it is known how long a task takes, more of them come. */
static void learn(struct jobs *j, double seconds)
{
    if (!(seconds >= 0))
        return;
    j->longest_s = fmax(j->longest_s, seconds);
    if (j->task_s < 0) {
        j->task_s = seconds;
        j->sent_ns = clock_mono_ns();
    } else {
        j->task_s += (seconds - j->task_s) * AVERAGE_WEIGHT;
    }
}

static void note_end(struct hearing *h, const struct record_ended *e)
{
    switch (e->outcome) {
    case OUTCOME_UNSTARTED:
    case OUTCOME_INTERRUPTED:
    case OUTCOME_KILLED:
        return;
    case OUTCOME_SPAWN:
        h->bundle->bad = true;
        return;
    case OUTCOME_FAILED:
        h->bundle->bad |= e->seconds < AT_ONCE_SECONDS;
        h->bundle->failed += e->seconds < AT_ONCE_SECONDS;
        break;
    default:
        h->bundle->good = true;
    }
    learn(h->jobs, e->seconds);
    if (h->bundle->good || h->bundle->failed >= DECISIVE)
        jobs_note_node(h->jobs, h->bundle);
}

/* Goes to the engine as what it is there. */
static void hear_task(struct hearing *h, struct out_task *t,
                      const struct record *said)
{
    struct record r = *said;
    struct record_ended ended;
    struct err err = {0};
    r.attempt = t->attempt;
    if (r.type == RECORD_STARTING) {
        t->begun = h->bundle->begun = true;
        h->jobs->barren = 0;
        if (!(h->bundle->began_wall > 0))
            h->bundle->began_wall = clock_wall();
    }
    bool over = r.type == RECORD_ENDED;
    if (over && record_ended_parse(r.payload, &ended, &err)) {
        log_to(h->jobs->given->log, LOG_WARN, "%s: %s", h->bundle->stem,
               err.text);
        return;
    }
    struct buf reason, payload;
    buf_init(&reason);
    buf_init(&payload);
    if (over) {
        h->bundle->began_wall = 0;
        t->cut = ended.outcome == OUTCOME_INTERRUPTED ||
                 ended.outcome == OUTCOME_CHECKPOINTED ||
                 ended.outcome == OUTCOME_UNSTARTED;
        note_end(h, &ended);
        if (pieces_cut_off(h->jobs, t, h->start, &ended, &reason) ||
            ending_explains(h->jobs, h->bundle, h->start, &ended, &reason)) {
            record_ended_print(&payload, &ended);
            r.payload = buf_str(&payload);
        }
        jobs_answered(t);
    }
    h->jobs->unacked = true;
    engine_place_record(h->jobs->engine, &r, NULL);
    buf_done(&reason);
    buf_done(&payload);
}

static void hear_record(void *context, const struct record *r)
{
    struct hearing *h = context;
    h->bundle->heard = true;
    if (r->type == RECORD_HELLO)
        hear_hello(h, r->payload);
    if (!record_is_of_task(r))
        return;
    struct out_task *t = find_in(h, r->task);
    if (!t || !t->held || r->attempt != t->as || h->start < t->start)
        return;
    if (h->start > t->start && !begin_again(h, t))
        return;
    hear_task(h, t, r);
}

/* ---- files ------------------------------------------------------------------
 */

static void tell_damage(struct jobs *j, struct bundle *b, const struct err *err)
{
    int64_t now = clock_mono_ns();
    if (!b->damage_ns)
        b->damage_ns = now;
    if (b->damage_told ||
        (b->without == 0 &&
         now - b->damage_ns < (int64_t)(DAMAGE_SECONDS * 1e9)))
        return;
    b->damage_told = true;
    log_to(j->given->log, LOG_ERROR,
           "%s; what is behind it is not believed, and trials whose end stands "
           "there run again",
           err->text);
}

void jobs_tell_torn(struct jobs *j, struct bundle *b)
{
    for (size_t k = 0; k < b->starts.len && !b->damage_told; k++) {
        const struct said *s = &b->starts.p[k];
        uint64_t bytes = file_bytes(s->path);
        if (bytes <= s->at)
            continue;
        b->damage_told = true;
        log_to(j->given->log, LOG_WARN,
               "%s: its last %llu bytes are torn or altered; they are not "
               "believed, and trials whose end stood there run again",
               s->path, (unsigned long long)(bytes - s->at));
    }
}

static size_t hear_start(struct jobs *j, struct bundle *b, uint32_t start)
{
    struct hearing h = {j, b, start};
    struct err err = {0};
    size_t heard = 0;
    int got;
    do { /* all that is there, before a later start is heard */
        got = said_read(&b->starts.p[start], hear_record, &h, &err);
        heard += got > 0 ? (size_t)got : 0;
    } while (got > 0 && b->starts.p[start].more);
    if (got < 0)
        tell_damage(j, b, &err);
    else
        b->damage_ns = 0;
    return heard;
}

/* A job may have been begun again since the scheduler was asked, and a start
 * may have said nothing. */
size_t jobs_hear(struct jobs *j, struct bundle *b)
{
    size_t heard = 0;
    uint32_t last = b->restarts + 1;
    for (size_t k = 0; k < b->starts.len; k++)
        if (b->starts.p[k].at && k + 1 > last)
            last = (uint32_t)k + 1;
    for (uint32_t k = 0; k <= last && k <= BUNDLE_START_MAX; k++) {
        if (k == b->starts.len) {
            struct said fresh = {.path = bundle_said(b->stem, k, b->of->arena)};
            vec_push(&b->starts, fresh);
        }
        heard += hear_start(j, b, k);
        if (b->starts.p[k].at && k + 1 > last)
            last = k + 1;
    }
    return heard;
}

/* What is in jobs there that only fail is given back before it fails, too. */
static void leave_out(struct jobs *j, const struct streak *node)
{
    log_to(
        j->given->log, LOG_WARN,
        "%u jobs in a row failed at once on node %s while others end well "
        "elsewhere: it is left out from now on, and trials that failed there "
        "may do better when they are retried",
        node->failed, node->node);
    for (size_t i = 0; i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++) {
            struct bundle *b = &j->list.p[i]->bundles[k];
            if (b->open && b->bad && !b->good &&
                strcmp(b->node, node->node) == 0)
                jobs_doom(j, b, 0);
        }
}

void jobs_note_node(struct jobs *j, struct bundle *b)
{
    const struct streak *out;
    size_t before = j->streaks.out;
    if (!*b->node || b->noted || !(b->good || b->bad))
        return;
    b->noted = true;
    streaks_note(&j->streaks, b->node, b->good);
    while (
        (out = streaks_take(&j->streaks, j->scheduler->nodes(j->at)->list.len)))
        leave_out(j, out);
    if (j->streaks.out > before)
        jobs_exclude(j);
}

/* Of one that waited to begin once more, that it has is told at once. */
static size_t hear(struct jobs *j, struct bundle *b)
{
    bool again, still;
    bundle_waits(b, &again);
    size_t heard = jobs_hear(j, b);
    bundle_waits(b, &still);
    b->of->changed |= again && !still;
    return heard;
}

size_t jobs_follow(struct jobs *j)
{
    size_t heard = 0;
    for (size_t i = 0; i < j->list.len; i++) {
        struct submission *s = j->list.p[i];
        for (uint32_t k = 0; k < s->count; k++) {
            struct bundle *b = &s->bundles[k];
            if (!b->open)
                continue;
            heard += hear(j, b);
            if (!b->open) {
                jobs_note_node(j, b);
                usage_changed(j);
            }
        }
        submission_write_state(s, j->scheduler->name);
    }
    return heard;
}
