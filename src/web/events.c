/* events.c - news of a study, as they come: server-sent events
 *
 * A listener is told what changed since what it has: on its way in it may say
 * which revision that is (`made` and `since`, or the header Last-Event-ID), so
 * that nothing is missed while it was away. However many listen, the study is
 * looked at once, at most ten times a second; where very many do, all of them
 * hear less often, since who listens takes time from who works. Who has just
 * come is told at once, and only that one. */
#include <math.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/strict_json.h"
#include "web/routes.h"

#define PULSE_S 0.1
#define EVENTS_MAX 200 /* that are sent in a second, to all together */
#define ALIVE_S 15     /* a word that says: the connection stands */
#define STANDING_S 2   /* whether it still runs, without any change */
#define NAMED_MAX 500  /* rows that are named; of more only how many */

struct listener {
    struct listener *next;
    struct served *study;
    struct client *client;
    uint32_t made, revision; /* that it knows; made 0: nothing */
    uint32_t standings;      /* of the study, when it was told */
    int64_t told_ns; /* 0: it has just come, and knows not how it stands */
};

static void forget(void *context)
{
    struct listener *gone = context;
    struct listener **at = &gone->study->listeners;
    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    free(gone);
}

/* ---- one event --------------------------------------------------------- */

static void add_counts(struct buf *b, const struct counts *c)
{
    buf_adds(b, ",\"states\":{");
    for (int i = 0; i < STATE_COUNT; i++)
        buf_addf(b, "%s\"%s\":%lld", i ? "," : "", state_name((enum state)i),
                 (long long)c->by_state[i]);
    buf_addc(b, '}');
}

/* [[row, trial, "state", value], …], or null where they are too many. */
static void add_changed(struct buf *b, const struct frame *f, uint32_t since)
{
    const struct frame_column *value = frame_column(f, STR("value"));
    size_t count = 0;
    for (size_t i = 0; i < f->rows; i++)
        count += f->changed[i] > since;
    buf_addf(b, ",\"count\":%zu,\"changed\":", count);
    if (count > NAMED_MAX) {
        buf_adds(b, "null");
        return;
    }
    buf_addc(b, '[');
    for (size_t i = 0, n = 0; i < f->rows; i++) {
        if (f->changed[i] <= since)
            continue;
        buf_addf(b, "%s[%zu,%lld,\"%s\",", n++ ? "," : "", i,
                 (long long)f->ids[i], state_name((enum state)f->states[i]));
        strict_number_or_null(b, value->numbers[i]);
        buf_addc(b, ']');
    }
    buf_addc(b, ']');
}

/* How far it is, which every event says. */
int events_standing(struct buf *b, const struct served *s, struct err *err)
{
    struct store *store = store_open(s->where.folder, false, err);
    struct arena *a = arena_new();
    struct standing now = {0};
    struct study_pace pace = {0};
    int rc = !store || standing_read(&now, store, a, err) ||
                     study_pace_read(store, a, &pace, err)
                 ? -1
                 : 0;
    if (!rc) {
        bool live = now.lease.live;
        double left = study_pace_left(&pace, now.total - now.finished);
        buf_addf(b, ",\"running\":%s,\"finished\":%lld,\"total\":",
                 live ? "true" : "false", (long long)now.finished);
        strict_number_or_null(b, now.total < 0 ? NAN : (double)now.total);
        buf_adds(b, ",\"rate\":");
        strict_number_or_null(b, live && pace.rate > 0 ? pace.rate : NAN);
        buf_adds(b, ",\"left\":");
        strict_number_or_null(b,
                              live && now.total >= 0 && left >= 0 ? left : NAN);
        buf_addf(b, ",\"best\":");
        if (now.best.id) {
            buf_addf(b, "{\"id\":%lld,\"value\":", (long long)now.best.id);
            strict_number(b, now.best.value);
            buf_addc(b, '}');
        } else {
            buf_adds(b, "null");
        }
        add_counts(b, &now.counts);
        standing_done(&now);
    }
    arena_free(a);
    store_close(store);
    return rc;
}

static void print_event(struct buf *b, const struct served *s,
                        const struct listener *l, struct str standing)
{
    const struct frame *f = s->frame;
    bool knows = l->made == f->made;
    buf_addf(b, "id: %u-%u\nevent: %s\ndata: {\"made\":%u,\"revision\":%u,",
             f->made, f->revision, knows ? "change" : "reset", f->made,
             f->revision);
    buf_addf(b, "\"rows\":%zu", f->rows);
    buf_addstr(b, standing);
    if (s->as_of > 0) {
        buf_adds(b, ",\"as_of\":");
        strict_seconds(b, s->as_of);
    }
    if (knows)
        add_changed(b, f, l->revision);
    buf_adds(b, "}\n\n");
}

/* ---- telling ----------------------------------------------------------- */

/* Those that know the same are told the same, which is made once. */
static void tell(struct served *s, struct listener *l, struct str standing,
                 struct buf *event, uint32_t *made, uint32_t *revision)
{
    if (!event->len || *made != l->made || *revision != l->revision) {
        *made = l->made;
        *revision = l->revision;
        buf_reset(event);
        print_event(event, s, l, standing);
    }
    l->made = s->frame->made;
    l->revision = s->frame->revision;
    l->standings = s->standings;
    l->told_ns = clock_mono_ns();
    client_push(l->client, buf_str(event));
}

/* Says how the study stands now, and counts when that is news. */
static void stand(struct served *s)
{
    struct buf now;
    struct err err = {0};
    buf_init(&now);
    bool news = !events_standing(&now, s, &err) &&
                (!s->standing || strcmp(s->standing, now.p));
    if (news) {
        free(s->standing);
        s->standing = buf_take(&now);
        s->standings++;
    }
    buf_done(&now);
}

/* Whether there is something that it does not know, and it is its turn. */
static bool is_to_hear(const struct served *s, const struct listener *l,
                       double every_s)
{
    if (!l->told_ns)
        return true;
    bool news = l->standings != s->standings || l->made != s->frame->made ||
                l->revision != s->frame->revision;
    return news && clock_mono_ns() - l->told_ns >= (int64_t)(every_s * 1e9);
}

static void tell_all(struct served *s, double every_s)
{
    struct buf event;
    uint32_t made = 0, revision = 0;
    buf_init(&event);
    for (struct listener *l = s->listeners; l; l = l->next)
        if (is_to_hear(s, l, every_s))
            tell(s, l, str_of(s->standing), &event, &made, &revision);
    buf_done(&event);
}

static void keep_alive(struct served *s)
{
    int64_t now = clock_mono_ns();
    for (struct listener *l = s->listeners; l; l = l->next)
        if (now - l->told_ns > (int64_t)(ALIVE_S * 1e9)) {
            l->told_ns = now;
            client_push(l->client, STR(": alive\n\n"));
        }
}

/* Said once; should it come back, it is told of as any other. */
static void tell_gone(struct served *s)
{
    bool said = s->standing && !*s->standing;
    if (said || served_is_there(s))
        return;
    free(s->standing);
    s->standing = xstrdup("");
    for (struct listener *l = s->listeners; l; l = l->next)
        client_push(l->client, STR("event: gone\ndata: {}\n\n"));
}

/* What was looked at since has changed it; without that, time may have. Saying
 * how it stands takes a small part of the time, as looking does. */
static bool standing_is_old(const struct served *s)
{
    int64_t age = clock_mono_ns() - s->stood_ns;
    return !s->standing || age > (int64_t)(STANDING_S * 1e9) ||
           (s->looked_ns > s->stood_ns &&
            age > SERVED_REST_FACTOR * s->stand_cost_ns);
}

/* A study that cannot be read just now is tried again with the next pulse. */
static void pulse(struct served *s, double every_s)
{
    struct err err = {0};
    if (!s->listeners)
        return;
    if (served_look(s, false, &err) || !s->frame->whole) {
        tell_gone(s);
        return;
    }
    if (standing_is_old(s)) {
        int64_t before = clock_mono_ns();
        stand(s);
        s->stood_ns = clock_mono_ns();
        s->stand_cost_ns = s->stood_ns - before;
    }
    if (s->standing)
        tell_all(s, every_s);
    keep_alive(s);
}

void events_pulse(void *web)
{
    struct web *w = web;
    size_t count = 0;
    for (struct served *s = w->studies; s; s = s->next)
        for (struct listener *l = s->listeners; l; l = l->next)
            count++;
    double every_s = fmax(PULSE_S, (double)count / EVENTS_MAX);
    for (struct served *s = w->studies; s; s = s->next)
        pulse(s, every_s);
    if (count)
        loop_timer_in(w->pulse, every_s);
}

/* ---- coming in --------------------------------------------------------- */

/* "3-17", as an event's id has it. */
static void read_id(struct str text, struct listener *l)
{
    struct str made;
    uint64_t m, r;
    if (text.p && str_split(&text, '-', &made) && num_uint(made, &m) &&
        num_uint(text, &r) && m <= UINT32_MAX && r <= UINT32_MAX) {
        l->made = (uint32_t)m;
        l->revision = (uint32_t)r;
    }
}

int route_events(struct exchange *x)
{
    struct served *s = x->study;
    const char *since;
    if (ask_text(x, "since", &since) || served_look(s, true, &x->err))
        return -1;
    struct listener *l = xcalloc(1, sizeof(*l));
    l->study = s;
    l->client = x->client;
    read_id(http_header_of(x->request, "Last-Event-ID"), l);
    read_id(str_of(since), l);
    if (l->made != s->frame->made || l->revision > s->frame->revision)
        l->made = l->revision = 0;
    l->next = s->listeners;
    s->listeners = l;
    client_stream(x->client, "text/event-stream", forget, l);
    x->streams = true;
    loop_timer_in(x->web->pulse, 0);
    return 0;
}
