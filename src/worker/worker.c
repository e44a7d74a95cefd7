/* worker.c - tasks in, attempt records out
 *
 * An event (a record, an ended child, the timer) only changes what is known.
 * After each round of events come the same steps: end what is drained, choose
 * waiting tasks that fit, launch those whose STARTING record is in the
 * socket, write. So the conductor always knows of a task before it can have
 * done anything, and one write carries all that a round has to say. */
#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "terms/bundle.h"
#include "worker/crew.h"
#include "worker/kind.h"
#include "worker/lastwords.h"
#include "worker/memory.h"
#include "worker/sandbox.h"

#define MS 1000000ll
#define PASSED_MAX 100  /* starts that may overtake a waiting task */
#define LOOK_AHEAD 1000 /* waiting tasks looked at for one that fits */
#define FLUSH_NS (2 * MS)
#define SWEEP_NS (200 * MS)
#define SWEEP_MOST_NS (800 * MS)
#define SWEEP_AGAIN_NS (20 * MS)
#define DOUBT_NS (50 * MS) /* between two looks whether a job was to end */
#define LAST_GRACE_S 0.5   /* for tasks whose conductor is gone */
#define LAST_SWEEP_NS (5000 * MS)
#define LAST_WAIT_NS (1000 * MS) /* for the last acknowledgement */

static void begin_end(struct worker *w);

/* ---- for the attempts ------------------------------------------------ */

void worker_say(struct attempt *a, enum record_type type, struct str payload)
{
    struct record r = {.type = type,
                       .task = a->task.id,
                       .attempt = a->task.attempt,
                       .sequence = ++a->said,
                       .payload = payload};
    if (type != RECORD_STARTED)
        a->worker->urgent = true;
    link_add(&a->worker->link, &r);
    ruling_hear(a, type, payload);
}

void worker_notice(struct attempt *a, const char *fmt, ...)
{
    struct buf b;
    va_list ap;
    buf_init(&b);
    va_start(ap, fmt);
    buf_vaddf(&b, fmt, ap);
    va_end(ap);
    worker_say(a, RECORD_NOTICE, buf_str(&b));
    buf_done(&b);
}

void worker_wake(struct worker *w, int64_t at_ns)
{
    if (at_ns <= 0 || (w->wake_ns > 0 && w->wake_ns <= at_ns))
        return;
    int64_t wait = at_ns - clock_mono_ns();
    w->wake_ns = at_ns;
    loop_timer_in(w->timer, wait > 0 ? (double)wait * 1e-9 : 0);
}

/* ---- writing --------------------------------------------------------- */

static void write_now(struct worker *w)
{
    w->urgent = false;
    w->flush_ns = 0;
    if (w->bundle.on)
        answers_write(w);
    else
        link_flush(&w->link);
}

/* That a task has started can wait a moment for company: of a short task the
 * next word is its end. */
static void write_later(struct worker *w)
{
    int64_t now = clock_mono_ns();
    if (w->flush_ns == 0)
        w->flush_ns = now + FLUSH_NS;
    if (now >= w->flush_ns)
        write_now(w);
    else
        worker_wake(w, w->flush_ns);
}

static void write_out(struct worker *w)
{
    if (link_waiting(&w->link) == 0 || w->link.waits)
        return;
    if (w->urgent)
        write_now(w);
    else
        write_later(w);
}

/* ---- leftovers ------------------------------------------------------- */

/* Looks for processes that ended attempts left behind. While there are some,
 * it looks again soon, because a killed process may have forked. */
static void sweep(struct worker *w)
{
    int64_t now = clock_mono_ns();
    w->sweep_ns = census_sweep(w) ? 0 : now + SWEEP_AGAIN_NS;
    pool_settle(&w->pool, &w->census);
    worker_wake(w, w->sweep_ns);
}

void worker_sweep_soon(struct worker *w)
{
    w->sweep_ns = clock_mono_ns();
    worker_wake(w, w->sweep_ns);
}

static void sweep_later(struct worker *w)
{
    int64_t wait = 20 * w->census.cost_ns;
    if (w->sweep_ns > 0)
        return;
    if (wait < SWEEP_NS)
        wait = SWEEP_NS;
    if (wait > SWEEP_MOST_NS)
        wait = SWEEP_MOST_NS;
    w->sweep_ns = clock_mono_ns() + wait;
    worker_wake(w, w->sweep_ns);
}

/* ---- starting -------------------------------------------------------- */

static void choose_one(struct worker *w, size_t at)
{
    struct attempt *a = w->waiting.p[at];
    for (size_t i = w->first; i < at; i++)
        w->waiting.p[i]->passed++;
    memmove(w->waiting.p + w->first + 1, w->waiting.p + w->first,
            (at - w->first) * sizeof a);
    w->first++;
    a->phase = ATTEMPT_CHOSEN;
    worker_say(a, RECORD_STARTING, STR(""));
    a->starting_at = link_end(&w->link);
    vec_push(&w->chosen, a);
}

/* A new attempt must not meet processes of the one before. */
static bool is_held(struct worker *w, const struct attempt *a, bool *swept)
{
    if (!census_may_live(&w->census, a->task.id))
        return false;
    if (!*swept) {
        *swept = true;
        census_take(w);
        sweep(w);
    }
    return census_may_live(&w->census, a->task.id);
}

/* What is asked of the room. A task with ranks has all of its job to itself,
 * which has more nodes than this one. */
static struct needs asks_of(const struct worker *w, const struct attempt *a)
{
    struct spread ranks;
    struct needs all;
    if (!w->granted || !needs_spread(&a->task.needs, &ranks))
        return a->task.needs;
    needs_init(&all);
    all.cpus = w->room.cpus;
    return all;
}

static void choose(struct worker *w)
{
    bool swept = false;
    const struct room *room = &w->room;
    size_t end = w->first + LOOK_AHEAD;
    for (size_t i = w->first; i < w->waiting.len && i < end; i++) {
        struct attempt *a = w->waiting.p[i];
        if (room->parallel > 0 && room->running >= room->parallel)
            break;
        struct needs asks = asks_of(w, a);
        if (!is_held(w, a, &swept) && share_take(w, a, &asks))
            choose_one(w, i);
        else if (a->passed >= PASSED_MAX)
            break;
    }
    if (w->first == w->waiting.len)
        w->first = w->waiting.len = 0;
}

static void launch_one(struct worker *w, struct attempt *a)
{
    vec_push(&w->running, a);
    attempt_start(a);
}

static void launch(struct worker *w)
{
    size_t count = 0;
    write_now(w);
    if (pool_wants_census(&w->pool, &w->census)) {
        census_take(w);
        sweep(w);
    }
    while (count < w->chosen.len &&
           w->chosen.p[count]->starting_at <= link_written(&w->link))
        launch_one(w, w->chosen.p[count++]);
    w->chosen.len -= count;
    memmove(w->chosen.p, w->chosen.p + count,
            w->chosen.len * sizeof *w->chosen.p);
}

/* Ends the draining attempts that are drained. True: room became free. One
 * with more to read has its next turn in the next round, which comes at once
 * unless the link is too full; then it comes with what makes room there. */
static bool drain(struct worker *w)
{
    bool freed = false, more = false;
    for (size_t i = w->running.len; i > 0; i--) {
        struct attempt *a = w->running.p[i - 1];
        if (a->phase != ATTEMPT_DRAINING)
            continue;
        if (warned_may_be(a)) {
            worker_wake(w, clock_mono_ns() + DOUBT_NS);
            continue;
        }
        if (!attempt_drain(a)) {
            more |= a->drain_ns <= 0 && a->disk_ns == 0;
            continue;
        }
        w->running.p[i - 1] = vec_last(&w->running);
        w->running.len--;
        room_give_back(&w->room, &a->grant);
        share_let_go(w);
        attempt_free(a);
        freed = true;
    }
    if (more && !worker_congested(w))
        worker_wake(w, clock_mono_ns());
    return freed;
}

/* Starts whatever can be started. A task that fails to start frees its room
 * at once, so this goes on until nothing changes. */
static void advance(struct worker *w)
{
    drain(w);
    while (w->phase == WORKER_RUNS && !saving_waits(w)) {
        choose(w);
        if (w->chosen.len == 0)
            break;
        launch(w);
        if (!drain(w))
            break;
    }
}

/* ---- children -------------------------------------------------------- */

/* An ended child that can be reaped; 0: none. */
static pid_t peek(void)
{
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return 0;
    return info.si_pid;
}

/* Orphans of an attempt are ours to reap: what they used was used by it. */
static void reap(struct worker *w)
{
    pid_t pid;
    int status;
    struct rusage use;
    while ((pid = peek()) > 0) {
        struct attempt *a = idmap_del(w->by_pid, (uint64_t)pid);
        struct attempt *owner = a ? NULL : census_owner(w, pid);
        if (a) /* as long as it is not waited for, the group is its own */
            kill(-pid, SIGKILL);
        if (wait4(pid, &status, WNOHANG, &use) != pid)
            return;
        if (owner)
            attempt_add_use(owner, &use);
        if (!a) {
            if (!gpu_watch_reaped(w, pid))
                crew_reaped(w, pid, status);
            continue;
        }
        a->kind->exit(a, status, &use);
        census_add_ended(&w->census, a);
        sweep_later(w);
    }
}

static void on_child(void *context, int signum)
{
    struct worker *w = context;
    (void)signum;
    reap(w);
}

/* ---- the timer ------------------------------------------------------- */

static void watch(struct worker *w, int64_t now)
{
    bool watch_due = w->watch_ns > 0 && now >= w->watch_ns;
    bool sweep_due = w->sweep_ns > 0 && now >= w->sweep_ns;
    int64_t next_ns = census_next_ns(w);
    if (watch_due && !memory_is_watched(w)) {
        w->watch_ns = 0;
        watch_due = false;
    }
    if (!watch_due && !sweep_due && (next_ns == 0 || now < next_ns))
        return;
    census_take(w);
    if (sweep_due)
        sweep(w);
    if (watch_due)
        w->watch_ns = now + memory_watch(w);
}

static void on_timer(void *context)
{
    struct worker *w = context;
    int64_t now = clock_mono_ns();
    size_t count = w->running.len;
    w->wake_ns = 0;
    w->budget = WORKER_ROUND_BYTES;
    w->turn++;
    for (size_t i = 0; i < count; i++)
        attempt_tick(w->running.p[(w->turn + i) % count], now);
    watch(w, now);
    share_look_if_due(w);
    bundle_look_if_due(w);
    warned_if_due(w);
    if (w->bundle.on)
        answers_sync_if_due(w);
    for (size_t i = 0; i < w->running.len; i++)
        worker_wake(w, attempt_next_ns(w->running.p[i]));
    worker_wake(w, w->sweep_ns);
    worker_wake(w, w->watch_ns);
    worker_wake(w, census_next_ns(w));
    worker_wake(w, w->flush_ns);
    worker_wake(w, w->give_up_ns);
    worker_wake(w, w->share.next_ns);
    worker_wake(w, w->bundle.look_ns);
    worker_wake(w, w->warned.due_ns);
    worker_wake(w, saving_next_ns(w));
    worker_wake(w, answers_next_ns(w));
}

/* ---- records --------------------------------------------------------- */

/* A task that cannot be taken ends right here. */
static void refuse(struct worker *w, const struct record *r,
                   enum outcome outcome, const char *why)
{
    struct record_ended e = {.outcome = outcome,
                             .exit_code = -1,
                             .wall = clock_wall(),
                             .reason = str_of(why),
                             .tail = STR("")};
    buf_reset(&w->payload);
    record_ended_print(&w->payload, &e);
    w->urgent = true;
    struct record answer = {.type = RECORD_ENDED,
                            .task = r->task,
                            .attempt = r->attempt,
                            .sequence = 1,
                            .payload = buf_str(&w->payload)};
    link_add(&w->link, &answer);
}

/* Cuts off the places of tasks that have left the queue. */
static void tidy_queue(struct worker *w)
{
    if (w->first < 1024 || w->first < w->waiting.len / 2)
        return;
    w->waiting.len -= w->first;
    memmove(w->waiting.p, w->waiting.p + w->first,
            w->waiting.len * sizeof *w->waiting.p);
    w->first = 0;
}

/* Which GPUs they are was for the scheduler to see to: it says no more than how
 * they are called. */
static void trust_scheduler(struct needs *n)
{
    n->gpu_name[0] = 0;
    n->gpu_minimum_capability = n->gpu_maximum_capability = 0;
    n->gpu_minimum_memory_bytes = 0;
}

static void take_task(struct worker *w, const struct record *r)
{
    struct err err = {0};
    if (w->phase != WORKER_RUNS) {
        refuse(w, r, OUTCOME_UNSTARTED, "");
        return;
    }
    struct attempt *a = attempt_new(w, r->payload, &err);
    if (!a) {
        err_wrap(&err, "the worker cannot read the task");
        refuse(w, r, OUTCOME_SPAWN, err.text);
        return;
    }
    a->task.id = r->task;
    a->task.attempt = r->attempt;
    if (w->bundle.sandbox)
        sandbox_anchor(&a->task, a->arena);
    if (w->bundle.on)
        earlier_go_on(&w->bundle.earlier, &a->task, a->arena);
    if (w->granted)
        trust_scheduler(&a->task.needs);
    struct needs asks = asks_of(w, a);
    if (room_check(&w->room, &asks, &err) != 0) {
        refuse(w, r, OUTCOME_SPAWN, err.text);
        attempt_free(a);
        return;
    }
    tidy_queue(w);
    vec_push(&w->waiting, a);
}

static void never_began(struct worker *w, struct attempt *a)
{
    if (a->phase == ATTEMPT_CHOSEN) {
        room_give_back(&w->room, &a->grant);
        share_let_go(w);
    }
    attempt_unstarted(a);
    attempt_free(a);
}

static bool is_named(const struct attempt *a, const struct record *r)
{
    return a->task.id == r->task && a->task.attempt == r->attempt;
}

/* Takes out the task of the record, if it is in the list from `first` on. */
static struct attempt *take_from(struct attempt **list, size_t first,
                                 size_t *len, const struct record *r)
{
    for (size_t i = first; i < *len; i++) {
        struct attempt *a = list[i];
        if (!is_named(a, r))
            continue;
        memmove(list + i, list + i + 1, (--*len - i) * sizeof a);
        return a;
    }
    return NULL;
}

/* A task that has not begun is taken out and ends as unstarted. */
static void take_out(struct worker *w, const struct record *r)
{
    struct attempt *a = take_from(w->chosen.p, 0, &w->chosen.len, r);
    if (!a)
        a = take_from(w->waiting.p, w->first, &w->waiting.len, r);
    if (a)
        never_began(w, a);
}

static struct attempt *find_not_begun(struct worker *w, const struct record *r)
{
    for (size_t i = 0; i < w->chosen.len; i++)
        if (is_named(w->chosen.p[i], r))
            return w->chosen.p[i];
    for (size_t i = w->first; i < w->waiting.len; i++)
        if (is_named(w->waiting.p[i], r))
            return w->waiting.p[i];
    return NULL;
}

static struct attempt *find_running(struct worker *w, const struct record *r)
{
    for (size_t i = 0; i < w->running.len; i++)
        if (is_named(w->running.p[i], r))
            return w->running.p[i];
    return NULL;
}

static void stop_task(struct worker *w, const struct record *r)
{
    struct attempt *a = find_running(w, r);
    struct bytes payload = bytes_of(r->payload);
    if (!a) {
        take_out(w, r);
        return;
    }
    if (r->type == RECORD_STOP) {
        attempt_stop(a);
        return;
    }
    uint8_t outcome = bytes_u8(&payload);
    if (payload.bad || outcome >= OUTCOME_COUNT || outcome == OUTCOME_NONE)
        outcome = OUTCOME_KILLED;
    /* "Unless it has begun": it has. */
    if (outcome != OUTCOME_UNSTARTED)
        attempt_end(a, (enum outcome)outcome, NULL, PUSH_TERMINATED);
}

/* One that has not begun will wait where it was to wait next. */
static void go_on(struct worker *w, const struct record *r)
{
    struct attempt *a = find_running(w, r);
    struct bytes payload = bytes_of(r->payload);
    if (a && a->kind->go)
        a->kind->go(a, r->payload);
    if (a || (a = find_not_begun(w, r)) == NULL)
        return;
    int64_t awaits = (int64_t)bytes_u64(&payload);
    if (!payload.bad)
        a->task.awaits = awaits;
}

void worker_take(struct worker *w, const struct record *r)
{
    struct bytes payload = bytes_of(r->payload);
    switch (r->type) {
    case RECORD_TASK:
        take_task(w, r);
        break;
    case RECORD_STOP:
    case RECORD_KILL:
        stop_task(w, r);
        break;
    case RECORD_GO:
        go_on(w, r);
        break;
    case RECORD_ACK:
        link_acknowledge(&w->link, bytes_u64(&payload));
        break;
    case RECORD_PARALLEL: /* what runs goes on */
        w->room.parallel = bytes_u32(&payload);
        break;
    case RECORD_GPUS:
        looks_gpus(w, r->payload);
        break;
    case RECORD_PING:
        w->urgent = true;
        link_add(&w->link, &(struct record){.type = RECORD_PONG});
        break;
    case RECORD_QUIT:
        w->orderly = true;
        begin_end(w);
        break;
    default:
        log_to(w->log, LOG_WARN, "a record of type %d came in", r->type);
    }
}

static void on_record(void *context, const struct record *r)
{
    worker_take(context, r);
}

static void on_closed(void *context)
{
    struct worker *w = context;
    w->orderly = false;
    begin_end(w);
}

static void on_terminate(void *context, int signum)
{
    struct worker *w = context;
    (void)signum;
    if (w->bundle.on)
        warned_of_end(w);
    else
        on_closed(w);
}

static void on_warning(void *context, int signum)
{
    struct worker *w = context;
    (void)signum;
    if (w->bundle.on)
        warned_of_time(w);
}

/* ---- the end --------------------------------------------------------- */

static void end_now(struct attempt *a, int64_t now)
{
    int64_t latest = now + (int64_t)(LAST_GRACE_S * 1e9);
    if (latest < now + a->kind->answer_ns)
        latest = now + a->kind->answer_ns;
    a->grace_s = LAST_GRACE_S;
    attempt_end(a, OUTCOME_INTERRUPTED, "throng ended while it ran",
                PUSH_TERMINATED);
    if (a->push_ns > latest)
        a->push_ns = latest;
    worker_wake(a->worker, attempt_next_ns(a));
}

/* What has ended by itself until now keeps its own outcome. */
void worker_begin_no_more(struct worker *w)
{
    if (w->phase != WORKER_RUNS)
        return;
    reap(w);
    w->phase = WORKER_ENDS;
    for (size_t i = 0; i < w->chosen.len; i++)
        never_began(w, w->chosen.p[i]);
    for (size_t i = w->first; i < w->waiting.len; i++)
        never_began(w, w->waiting.p[i]);
    w->chosen.len = w->waiting.len = w->first = 0;
}

void worker_end_now(struct worker *w)
{
    int64_t now = clock_mono_ns();
    for (size_t i = 0; i < w->running.len; i++)
        end_now(w->running.p[i], now);
}

static void begin_end(struct worker *w)
{
    if (w->phase != WORKER_RUNS)
        return;
    worker_begin_no_more(w);
    worker_end_now(w);
}

static bool is_idle(const struct worker *w)
{
    return w->running.len == 0 && w->chosen.len == 0 &&
           w->first == w->waiting.len;
}

static bool have_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ||
           errno != ECHILD;
}

/* Ends every process below us. As a subreaper without children we have no
 * descendants at all. */
static void last_sweep(struct worker *w)
{
    int64_t give_up = clock_mono_ns() + LAST_SWEEP_NS;
    while (clock_mono_ns() < give_up) {
        reap(w);
        if (!have_children()) {
            leaders_close(&w->leaders, true);
            return;
        }
        census_take(w);
        census_kill_all(w);
        clock_pause_ms(2);
    }
}

static void leave(struct worker *w)
{
    struct err err = {0};
    if (w->last_words && lastwords_write(w, &err) != 0)
        log_to(w->log, LOG_ERROR, "%s", err.text);
    w->phase = WORKER_LEFT;
    loop_stop(w->loop);
}

/* Answers that the disk refuses are tried a while longer. */
static void check_end_of_bundle(struct worker *w)
{
    answers_write(w);
    answers_sync(w);
    if (link_held(&w->link) == 0 || answers_given_up(w))
        leave(w);
}

/* With a conductor that still listens we wait a moment for its word that
 * everything is safe; otherwise what it may not have goes to a file. */
static void check_end(struct worker *w)
{
    if (w->phase == WORKER_RUNS && w->bundle.on &&
        (is_idle(w) || answers_given_up(w)))
        begin_end(w);
    if (w->phase == WORKER_ENDS && is_idle(w)) {
        last_sweep(w);
        w->phase = WORKER_FINISHED;
        write_now(w);
        w->give_up_ns = clock_mono_ns() + LAST_WAIT_NS;
        worker_wake(w, w->give_up_ns);
    }
    if (w->phase != WORKER_FINISHED)
        return;
    if (w->bundle.on) {
        check_end_of_bundle(w);
        return;
    }
    if (link_waiting(&w->link) == 0)
        link_finish(&w->link);
    if (!w->orderly || w->link.closed || w->link.acked == w->link.count ||
        clock_mono_ns() >= w->give_up_ns)
        leave(w);
}

static void after_round(void *context)
{
    struct worker *w = context;
    w->budget = WORKER_ROUND_BYTES;
    advance(w);
    saving_look(w);
    write_out(w);
    check_end(w);
}

/* ---- life ------------------------------------------------------------ */

static int read_machine(struct worker *w, struct err *err)
{
    struct machine m;
    if (machine_read(&m, NULL, w->environment.arena, err) != 0)
        return -1;
    machine_room(&m, 0, w->environment.arena, &w->room);
    return 0;
}

/* What was said, else what a scheduler has granted, else all there is. */
static int read_room(struct worker *w, const struct worker_setup *s,
                     struct err *err)
{
    struct arena *a = w->environment.arena;
    int rc;
    if (s->room)
        rc = room_parse(&w->room, str_of(s->room), a, err);
    else if (s->granted)
        rc = granted_room(s->granted, s->env, a, &w->room, err);
    else
        rc = read_machine(w, err);
    if (rc != 0) {
        w->exit_code = s->room ? WORKER_EXIT_FAILED : WORKER_EXIT_GRANT;
        return err_wrap(err, s->room ? "--room" : "what this job may use");
    }
    if (s->slots)
        w->room.parallel = s->slots;
    return 0;
}

static const struct link_hooks *hooks_of(struct worker *w)
{
    struct link_hooks *h =
        arena_new_of(w->environment.arena, struct link_hooks);
    *h = (struct link_hooks){
        .context = w, .record = on_record, .closed = on_closed};
    return h;
}

static void say_hello(struct worker *w)
{
    struct record_hello h = {.pid = (uint64_t)w->self,
                             .host = str_of(w->host),
                             .version = str_of(THRONG_VERSION)};
    buf_reset(&w->payload);
    record_hello_print(&w->payload, &h);
    w->urgent = true;
    struct record hello = {.type = RECORD_HELLO,
                           .payload = buf_str(&w->payload)};
    link_add(&w->link, &hello);
}

void worker_answer_in(struct worker *w, int fd)
{
    link_open_file(&w->link, fd, hooks_of(w));
    say_hello(w);
    write_now(w);
    answers_sync(w);
}

static int open_link(struct worker *w, const struct worker_setup *setup,
                     struct err *err)
{
    if (setup->bundle.tasks) {
        warned_begin(w, setup->bundle.sandbox);
        saving_init(w, setup->save_every_s);
        if (bundle_open(w, &setup->bundle, err) != 0)
            return -1;
        gpu_watch_open(w);
        return 0;
    }
    if (link_open_socket(&w->link, w->loop, setup->fd, hooks_of(w), err) != 0)
        return -1;
    say_hello(w);
    return 0;
}

static int open_sources(struct worker *w, struct err *err)
{
    w->loop = loop_new(err);
    if (!w->loop)
        return -1;
    w->timer = loop_timer(w->loop, on_timer, w);
    w->after = loop_after(w->loop, after_round, w);
    w->chld = loop_signal(w->loop, SIGCHLD, on_child, w);
    w->term = loop_signal(w->loop, SIGTERM, on_terminate, w);
    w->warns = loop_signal(w->loop, SIGUSR1, on_warning, w);
    if (!w->timer || !w->after || !w->chld || !w->term || !w->warns)
        return err_set(err, ERR_SYSTEM, "cannot set up the event loop");
    return process_subreaper(err);
}

/* A chroot may have no /dev/null; a pipe that nobody writes to is as good. */
static int open_nothing(void)
{
    int ends[2], fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 || pipe2(ends, O_CLOEXEC) != 0)
        return fd;
    close(ends[1]);
    return ends[0];
}

/* In a job the scheduler's name for the node goes before its own. */
static void name_host(struct worker *w, const struct worker_setup *setup)
{
    const char *node =
        setup->granted ? granted_node(setup->granted, setup->env) : NULL;
    if (node)
        snprintf(w->host, sizeof w->host, "%s", node);
    else
        machine_name(w->host, sizeof w->host);
}

/* What leads the sessions of tasks is found without the file too, once the
 * conductor has written it down: a disk without room stops nobody. */
static void open_leaders(struct worker *w)
{
    struct err err = {0};
    if (!w->last_words)
        return;
    const char *path =
        arena_printf(w->environment.arena, "%s.leaders", w->last_words);
    if (leaders_open(&w->leaders, path, &err) != 0)
        log_to(w->log, LOG_WARN, "%s", err.text);
}

int worker_init(struct worker *w, const struct worker_setup *setup,
                struct err *err)
{
    *w = (struct worker){.last_words = setup->last_words,
                         .task_mask = setup->mask,
                         .granted = setup->granted && !setup->room,
                         .warned.setup = setup->warned,
                         .log = setup->log,
                         .self = getpid(),
                         .nothing = open_nothing(),
                         .leaders.fd = -1,
                         .study.fd = -1,
                         .link.fd = -1};
    share_init(&w->share);
    gpu_watch_init(&w->gpu_watch);
    environment_init(&w->environment, setup->env, setup->mark,
                     setup->bundle.tasks != NULL);
    w->environment.tools = setup->tools;
    patterns_init(&w->patterns);
    census_init(&w->census);
    pool_init(&w->pool, setup->pool);
    metric_line_init(&w->line);
    buf_init(&w->payload);
    buf_init(&w->chunk);
    w->by_pid = idmap_new();
    name_host(w, setup);
    if (read_room(w, setup, err) != 0)
        return -1;
    if (setup->granted && w->warned.setup.kill_s <= 0)
        w->warned.setup.kill_s = granted_kill_s(setup->granted);
    if (setup->folder)
        anchor_open(&w->study, setup->folder);
    if (setup->folder && w->study.fd < 0)
        return err_errno(err, "open the study's folder %s", setup->folder);
    if (open_sources(w, err) != 0)
        return -1;
    if (setup->fd >= 0)
        share_open(w);
    open_leaders(w);
    return open_link(w, setup, err);
}

/* The first round must not wait for an event: a bundle has none. */
int worker_run(struct worker *w, struct err *err)
{
    after_round(w);
    if (w->phase != WORKER_LEFT && loop_run(w->loop, err) != 0)
        return -1;
    if (!w->bundle.on || answers_check(w, err) == 0)
        return 0;
    w->exit_code = WORKER_EXIT_UNSAID;
    return -1;
}

static void free_attempts(struct worker *w)
{
    for (size_t i = 0; i < w->spare.len; i++) {
        arena_free(w->spare.p[i]->arena);
        free(w->spare.p[i]);
    }
    vec_done(&w->spare);
    vec_done(&w->waiting);
    vec_done(&w->chosen);
    vec_done(&w->running);
}

void worker_done(struct worker *w)
{
    free_attempts(w);
    crew_done(w);
    bundle_done(&w->bundle);
    share_done(&w->share);
    link_done(&w->link);
    if (w->link.fd >= 0)
        close(w->link.fd);
    if (w->nothing >= 0)
        close(w->nothing);
    anchor_close(&w->study);
    gpu_watch_done(&w->gpu_watch);
    loop_free(w->loop);
    idmap_free(w->by_pid);
    patterns_done(&w->patterns);
    census_done(&w->census);
    leaders_close(&w->leaders, false);
    pool_done(&w->pool);
    cgroups_done(&w->cgroups);
    metric_line_done(&w->line);
    buf_done(&w->payload);
    buf_done(&w->chunk);
    environment_done(&w->environment);
}
