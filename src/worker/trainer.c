/* trainer.c - a trainer process: tasks come in over a socket, and take turns
 *
 * A newcomer begins when its turn comes. The socket is also looked at between
 * two batches, and whoever is to be ended then is ended then: the worker kills
 * a trainer that does not answer, and with it those whom nobody wanted to end.
 * Whoever may go on later puts down where it stands, in the middle of an epoch
 * too. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include "sys/sys.h"
#include "worker/crew.h"
#include "worker/member.h"

#define LOOK_NS 10000000ll /* between looks at the socket while training */

/* ---- the socket ------------------------------------------------------- */

static void write_out(struct train *t)
{
    struct err err = {0};
    if (t->out.len && fd_write_all(t->fd, t->out.p, t->out.len, &err) != 0)
        t->closed = true;
    buf_reset(&t->out);
}

static void take_task(struct train *t, const struct record *r)
{
    struct err err = {0};
    struct member *m = member_new(NULL);
    /* The record's bytes are gone after this call. */
    struct str text = arena_str(m->arena, r->payload);
    int rc = task_parse(&m->task, text, m->arena, &err);
    m->kind = kind_find(m->task.kind);
    m->task.id = r->task;
    m->task.attempt = r->attempt;
    memcpy(m->spent, t->spent, sizeof m->spent);
    m->spent[SPENT_IDLE] = t->idle_told; /* who ends it is told of it */
    t->idle_told = t->spent[SPENT_IDLE];
    meter_look(t->meter, t->members.len); /* without this one */
    m->joules = meter_joules(t->meter);
    vec_push(&t->members, m);
    if (rc != 0)
        member_fail(t, t->members.len - 1, &err);
}

/* It has its turn now, alone or with others. */
static bool is_training(const struct train *t, const struct member *m)
{
    return m == t->now || m->training;
}

/* Who has its turn leaves by itself. The payload is what the end counts as. */
static void end_member(struct train *t, size_t at, struct str payload)
{
    struct member *m = t->members.p[at];
    struct bytes bytes = bytes_of(payload);
    uint8_t outcome = bytes_u8(&bytes);
    m->killed = true;
    m->goes_on = !bytes.bad && outcome != OUTCOME_KILLED;
    if (!is_training(t, m))
        member_leave_killed(t, at);
    else if (m->cohort)
        m->cohort->killed = true;
}

/* An answer may come twice. */
static void go_on(struct member *m, struct str payload)
{
    struct bytes bytes = bytes_of(payload);
    int64_t awaits = (int64_t)bytes_u64(&bytes);
    if (bytes.bad || (awaits && awaits <= m->epoch))
        return;
    m->task.awaits = awaits;
    m->waits = false;
}

static void on_record(struct train *t, const struct record *r)
{
    if (r->type == RECORD_TASK) {
        take_task(t, r);
        return;
    }
    for (size_t i = 0; i < t->members.len; i++) {
        struct member *m = t->members.p[i];
        if (!m || m->task.id != r->task || m->task.attempt != r->attempt)
            continue;
        if (r->type == RECORD_STOP)
            m->asked = true;
        if (r->type == RECORD_KILL)
            end_member(t, i, r->payload);
        if (r->type == RECORD_GO)
            go_on(m, r->payload);
        return;
    }
}

/* False: nothing was there. */
static bool receive(struct train *t)
{
    char part[65536];
    ssize_t got = recv(t->fd, part, sizeof part, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        t->closed = true;
        return false;
    }
    buf_add(&t->in, part, (size_t)got);
    return true;
}

static void read_records(struct train *t)
{
    size_t at = 0, used = 0;
    struct record r;
    struct err err = {0};
    int got;
    while (receive(t))
        ;
    while ((got = record_parse(str_n(t->in.p + at, t->in.len - at), &r, &used,
                               &err)) > 0) {
        at += used;
        on_record(t, &r);
    }
    if (got < 0)
        t->closed = true;
    buf_drop(&t->in, at);
    t->looked_ns = clock_mono_ns();
}

bool train_broken_off(void *context)
{
    struct train *t = context;
    if (clock_mono_ns() - t->looked_ns < LOOK_NS)
        return false;
    read_records(t);
    write_out(t);
    return t->closed || (!t->together && t->now->killed);
}

bool member_has_turn(const struct train *t, const struct member *m)
{
    return m && (!m->waits || m->asked) && member_has_room(t, m);
}

/* Of two waits, the shorter; -1: no end. */
static int sooner(int a_ms, int b_ms)
{
    return a_ms < 0 || (b_ms >= 0 && b_ms < a_ms) ? b_ms : a_ms;
}

static int ms_until(int64_t then_ns)
{
    int64_t left = then_ns - clock_mono_ns();
    return then_ns ? (left > 0 ? (int)(left / 1000000) + 1 : 0) : -1;
}

/* While there is nobody to train, until something comes or is to be closed. */
static void wait_idle(struct train *t)
{
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    int wait_ms = sources_tidy(&t->sources);
    for (size_t i = 0; i < t->members.len; i++) {
        if (member_has_turn(t, t->members.p[i]))
            return;
        if (t->members.p[i])
            wait_ms = sooner(wait_ms, ms_until(t->members.p[i]->again_ns));
    }
    train_spend(t, SPENT_SYNCHRONISING);
    poll(&p, 1, wait_ms);
    train_spend(t, t->members.len ? SPENT_SYNCHRONISING : SPENT_IDLE);
}

/* ---- turns ------------------------------------------------------------ */

/* Reads its data and takes its place. INVALID for what the parameters or the
 * model file say; FAILED for what is not there. */
static void start(struct train *t, size_t at)
{
    struct member *m = t->members.p[at];
    struct err err = {0};
    m->begun = true;
    m->crowded = false;
    m->again_ns = 0;
    train_spend(t, SPENT_SYNCHRONISING);
    int rc = member_open(t, m, &err) ? -1 : m->kind->begin(t, m, &err);
    train_spend(t, SPENT_INPUT);
    if (rc && member_is_crowded(t, m, &err))
        member_wait_for_room(t, m);
    else if (rc)
        member_fail(t, at, &err);
}

/* Members may come and go while another has its turn. */
static void take_turns(struct train *t)
{
    t->round++;
    for (size_t i = 0; i < t->members.len && !t->closed; i++) {
        t->now = t->members.p[i];
        if (!member_has_turn(t, t->now))
            ;
        else if (!t->now->begun)
            start(t, i);
        else
            t->now->kind->turn(t, i);
        t->now = NULL;
    }
}

static void close_ranks(struct train *t)
{
    size_t to = 0;
    for (size_t i = 0; i < t->members.len; i++)
        if (t->members.p[i])
            t->members.p[to++] = t->members.p[i];
    t->members.len = to;
}

static void done(struct train *t)
{
    for (size_t i = 0; i < t->members.len; i++)
        member_close(t, t->members.p[i]);
    for (size_t i = 0; i < t->cohorts.len; i++)
        cohort_free(t->cohorts.p[i]);
    sources_done(&t->sources);
    meter_close(t->meter);
    vec_done(&t->done.values);
    vec_done(&t->stopped.values);
    vec_done(&t->told);
    vec_done(&t->members);
    vec_done(&t->cohorts);
    buf_done(&t->in);
    buf_done(&t->out);
    buf_done(&t->payload);
}

/* It is about no task. */
void train_leave(int fd, const char *why)
{
    struct record r = {.type = RECORD_NOTICE, .payload = str_of(why)};
    struct buf b;
    buf_init(&b);
    record_print(&b, &r);
    fd_write_all(fd, b.p, b.len, NULL);
    buf_done(&b);
}

int train_main(int fd, const char *folder)
{
    struct train t = {.fd = fd, .folder = folder, .spent_ns = clock_mono_ns()};
    buf_init(&t.in);
    buf_init(&t.out);
    buf_init(&t.payload);
    signal(SIGPIPE, SIG_IGN);
    fcntl(fd, F_SETFD, FD_CLOEXEC); /* it is no compiler's (nn/cuda) */
    while (!t.closed) {
        wait_idle(&t);
        read_records(&t);
        take_turns(&t);
        meter_look(t.meter, t.members.len);
        members_say_use(&t);
        close_ranks(&t);
        write_out(&t);
    }
    done(&t);
    return 0;
}
