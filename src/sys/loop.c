/* loop.c - the event loop, on top of libevent
 *
 * loop_run drives libevent one round at a time, so that what must happen
 * after a round (polls first, then the loop_after functions) is called by us
 * and exactly once. Descriptors, timers and signals are libevent events;
 * polls and afters are hooks in an array that we walk by index, so that a
 * hook may remove itself or another one while we walk.
 *
 * Time is never cached and always precise: a timer never fires early, also
 * when it is armed late in a long callback. */
#include "sys/sys.h"

#include <errno.h>
#include <event2/event.h>
#include <math.h>
#include <signal.h>

enum source_kind {
    SOURCE_FD,
    SOURCE_TIMER,
    SOURCE_SIGNAL,
    SOURCE_AFTER,
};

struct loop_source {
    struct loop *loop;
    enum source_kind kind;
    struct event *event; /* NULL for SOURCE_AFTER */
    union {
        loop_fn *fn;
        loop_fd_fn *fd_fn;
        loop_signal_fn *signal_fn;
    };
    void *context;
    unsigned what; /* of SOURCE_FD: what is watched now */
    struct loop_source *prev, *next;
};

struct loop {
    struct event_base *base;
    struct loop_source *sources;     /* all of them, newest first */
    VEC(struct loop_source *) hooks; /* afters and polls; NULL: removed */
    bool stopping;
};

/* The loop's failures come back as errors; libevent must not print. */
static void silence(int severity, const char *text)
{
    (void)severity;
    (void)text;
}

struct loop *loop_new(struct err *err)
{
    event_set_log_callback(silence);
    struct event_config *config = event_config_new();
    struct event_base *base = NULL;
    if (config) {
        event_config_set_flag(config, EVENT_BASE_FLAG_NO_CACHE_TIME);
        event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
        base = event_base_new_with_config(config);
        event_config_free(config);
    }
    if (!base) {
        err_set(err, ERR_SYSTEM,
                "cannot make an event loop; are too many files open?");
        return NULL;
    }
    struct loop *l = xcalloc(1, sizeof(*l));
    l->base = base;
    return l;
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    while (l->sources)
        loop_remove(l->sources);
    vec_done(&l->hooks);
    event_base_free(l->base);
    free(l);
}

static struct loop_source *source_new(struct loop *l, enum source_kind kind,
                                      void *context)
{
    struct loop_source *s = xcalloc(1, sizeof(*s));
    s->loop = l;
    s->kind = kind;
    s->context = context;
    s->next = l->sources;
    if (s->next)
        s->next->prev = s;
    l->sources = s;
    return s;
}

static void hook_forget(struct loop *l, const struct loop_source *s)
{
    for (size_t i = 0; i < l->hooks.len; i++)
        if (l->hooks.p[i] == s)
            l->hooks.p[i] = NULL;
}

void loop_remove(struct loop_source *s)
{
    if (!s)
        return;
    struct loop *l = s->loop;
    if (s->kind == SOURCE_AFTER)
        hook_forget(l, s);
    if (s->event)
        event_free(s->event);
    if (s->next)
        s->next->prev = s->prev;
    if (s->prev)
        s->prev->next = s->next;
    else
        l->sources = s->next;
    free(s);
}

/* ---- descriptors ----------------------------------------------------- */

static void on_fd(evutil_socket_t fd, short events, void *context)
{
    struct loop_source *s = context;
    unsigned what = (events & EV_READ ? LOOP_READ : 0) |
                    (events & EV_WRITE ? LOOP_WRITE : 0);
    s->fd_fn(s->context, fd, what);
}

static short event_flags(unsigned what)
{
    int flags = EV_PERSIST;
    if (what & LOOP_READ)
        flags |= EV_READ;
    if (what & LOOP_WRITE)
        flags |= EV_WRITE;
    return (short)flags;
}

struct loop_source *loop_fd(struct loop *l, int fd, unsigned what,
                            loop_fd_fn *fn, void *context)
{
    struct loop_source *s = source_new(l, SOURCE_FD, context);
    s->fd_fn = fn;
    s->what = what;
    s->event = event_new(l->base, fd, event_flags(what), on_fd, s);
    if (!s->event || (what && event_add(s->event, NULL) < 0)) {
        loop_remove(s);
        return NULL;
    }
    return s;
}

void loop_fd_want(struct loop_source *s, unsigned what)
{
    require(s->kind == SOURCE_FD);
    if (s->what == what)
        return;
    evutil_socket_t fd = event_get_fd(s->event);
    event_del(s->event);
    event_assign(s->event, s->loop->base, fd, event_flags(what), on_fd, s);
    if (what)
        event_add(s->event, NULL);
    s->what = what;
}

/* ---- timers and signals ---------------------------------------------- */

static void on_timer(evutil_socket_t fd, short events, void *context)
{
    (void)fd;
    (void)events;
    struct loop_source *s = context;
    s->fn(s->context);
}

struct loop_source *loop_timer(struct loop *l, loop_fn *fn, void *context)
{
    struct loop_source *s = source_new(l, SOURCE_TIMER, context);
    s->fn = fn;
    s->event = evtimer_new(l->base, on_timer, s);
    require(s->event);
    return s;
}

void loop_timer_in(struct loop_source *s, double seconds)
{
    require(s->kind == SOURCE_TIMER);
    /* The bounds also catch NaN and infinity; 30 years is for ever. */
    if (!(seconds > 0))
        seconds = 0;
    if (seconds > 1e9)
        seconds = 1e9;
    double whole = floor(seconds);
    int64_t us = (int64_t)ceil((seconds - whole) * 1e6);
    struct timeval in = {.tv_sec = (time_t)whole + us / 1000000,
                         .tv_usec = us % 1000000};
    event_add(s->event, &in);
}

void loop_timer_off(struct loop_source *s)
{
    require(s->kind == SOURCE_TIMER);
    event_del(s->event);
}

static void on_signal(evutil_socket_t signum, short events, void *context)
{
    (void)events;
    struct loop_source *s = context;
    s->signal_fn(s->context, signum);
}

struct loop_source *loop_signal(struct loop *l, int signum, loop_signal_fn *fn,
                                void *context)
{
    struct loop_source *s = source_new(l, SOURCE_SIGNAL, context);
    s->signal_fn = fn;
    s->event = evsignal_new(l->base, signum, on_signal, s);
    if (!s->event || event_add(s->event, NULL) < 0) {
        loop_remove(s);
        return NULL;
    }
    return s;
}

int loop_signals_to_end(struct loop *l, loop_signal_fn *fn, void *context)
{
    struct sigaction hangup;
    bool ignored =
        !sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler == SIG_IGN;
    if (!loop_signal(l, SIGINT, fn, context) ||
        !loop_signal(l, SIGTERM, fn, context) ||
        (!ignored && !loop_signal(l, SIGHUP, fn, context)))
        return -1;
    return 0;
}

/* ---- hooks and the loop itself --------------------------------------- */

struct loop_source *loop_after(struct loop *l, loop_fn *fn, void *context)
{
    struct loop_source *s = source_new(l, SOURCE_AFTER, context);
    s->fn = fn;
    vec_push(&l->hooks, s);
    return s;
}

static void end_round(struct loop *l)
{
    for (size_t i = 0; i < l->hooks.len; i++)
        if (l->hooks.p[i])
            l->hooks.p[i]->fn(l->hooks.p[i]->context);
    size_t kept = 0;
    for (size_t i = 0; i < l->hooks.len; i++) {
        struct loop_source *s = l->hooks.p[i];
        if (s)
            l->hooks.p[kept++] = s;
    }
    l->hooks.len = kept;
}

int loop_run(struct loop *l, struct err *err)
{
    int rc = 0;
    /* What was collected before the loop began is flushed before it sleeps
     * for the first time. */
    end_round(l);
    while (!l->stopping) {
        int got = event_base_loop(l->base, EVLOOP_ONCE);
        if (got < 0) {
            rc = err_errno(err, "event loop");
            break;
        }
        if (got > 0) {
            rc = err_set(err, ERR_SYSTEM,
                         "event loop: nothing is left to wait for");
            break;
        }
        end_round(l);
    }
    l->stopping = false;
    return rc;
}

void loop_stop(struct loop *l)
{
    l->stopping = true;
}

bool interrupt_waits(void)
{
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, SIGINT) || sigismember(&waiting, SIGTERM);
}
