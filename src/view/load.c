/* load.c - how busy it was: attempts at once over time
 *
 * The time from the first start to the last end is cut into equal parts; each
 * has the mean of how many attempts ran in it (their time in it over its
 * length, which is exact) and the most that ran at once. An attempt that has
 * not ended runs until now where somebody runs the study; one that was cut off
 * counts until the last that is known. */
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "sys/sys.h"

struct load_span {
    int64_t trial;
    uint32_t number, host, lane;
    enum outcome outcome;
    double from, to; /* to 0: it has not ended */
};

struct edge {
    double time;
    int change;
};

struct load {
    struct arena *arena;
    VEC(struct load_span) spans;
    VEC(const char *) hosts;
    double from, to;
};

static uint32_t host_of(struct load *l, struct str name)
{
    uint32_t i = 0;
    while (i < l->hosts.len && !str_is(name, l->hosts.p[i]))
        i++;
    if (i == l->hosts.len && i <= LOAD_HOSTS_MAX)
        vec_push(
            &l->hosts,
            arena_cstr(l->arena, i == LOAD_HOSTS_MAX ? STR("others") : name));
    return i < LOAD_HOSTS_MAX ? i : LOAD_HOSTS_MAX;
}

static void take_span(void *context, const struct span *s)
{
    struct load *l = context;
    struct load_span one = {.trial = s->trial,
                            .number = s->number,
                            .host = host_of(l, s->host),
                            .outcome = s->outcome,
                            .from = s->started,
                            .to = s->ended > s->started ? s->ended
                                  : s->ended > 0        ? s->started
                                                        : 0};
    vec_push(&l->spans, one);
}

/* Until when those run that have not ended. */
static void set_ends(struct load *l, bool live)
{
    double last = 0;
    for (size_t i = 0; i < l->spans.len; i++) {
        last = fmax(last, fmax(l->spans.p[i].from, l->spans.p[i].to));
        if (!i || l->spans.p[i].from < l->from)
            l->from = l->spans.p[i].from;
    }
    l->to = live ? fmax(clock_wall(), last) : last;
    for (size_t i = 0; i < l->spans.len; i++)
        if (!(l->spans.p[i].to > 0))
            l->spans.p[i].to = l->to;
}

/* ---- parts of the time --------------------------------------------------- */

struct parts {
    size_t count;
    double width; /* seconds */
    double *mean; /* count for each host, then for all */
    double *most; /* count, of all */
};

static size_t part_of(const struct load *l, const struct parts *p, double t)
{
    double at = p->width > 0 ? floor((t - l->from) / p->width) : 0;
    if (!(at > 0))
        return 0;
    return at < (double)p->count ? (size_t)at : p->count - 1;
}

static void add_busy(const struct load *l, const struct parts *p, double *mean,
                     const struct load_span *s)
{
    size_t last = part_of(l, p, s->to);
    for (size_t i = part_of(l, p, s->from); i <= last; i++) {
        double from = l->from + p->width * (double)i;
        double in = fmin(s->to, from + p->width) - fmax(s->from, from);
        if (in > 0 && p->width > 0)
            mean[i] += in / p->width;
    }
}

/* An end comes before a beginning of the same moment: one slot served both. */
static int by_time(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->change - b->change;
}

static void find_most(const struct load *l, struct parts *p)
{
    size_t n = 2 * l->spans.len, at = 0;
    struct edge *edges = xmalloc((n ? n : 1) * sizeof(*edges));
    for (size_t i = 0; i < l->spans.len; i++) {
        edges[2 * i] = (struct edge){l->spans.p[i].from, 1};
        edges[2 * i + 1] = (struct edge){l->spans.p[i].to, -1};
    }
    if (n)
        qsort(edges, n, sizeof(*edges), by_time);
    double busy = 0;
    for (size_t k = 0; k < p->count; k++) {
        double end = l->from + p->width * (double)(k + 1), most = busy;
        for (; at < n && (edges[at].time < end || k + 1 == p->count); at++) {
            busy += edges[at].change;
            most = fmax(most, busy);
        }
        p->most[k] = most;
    }
    free(edges);
}

static struct parts cut(struct load *l, size_t points)
{
    size_t hosts = l->hosts.len;
    struct parts p = {.count = l->spans.len ? points : 0};
    p.width = p.count ? (l->to - l->from) / (double)p.count : 0;
    p.mean = arena_array(l->arena, (hosts + 1) * p.count + 1, sizeof(*p.mean));
    p.most = arena_array(l->arena, p.count + 1, sizeof(*p.most));
    for (size_t i = 0; i < l->spans.len; i++) {
        const struct load_span *s = &l->spans.p[i];
        add_busy(l, &p, p.mean + s->host * p.count, s);
        add_busy(l, &p, p.mean + hosts * p.count, s);
    }
    find_most(l, &p);
    return p;
}

/* ---- who ran where ------------------------------------------------------- */

static int by_start(const void *x, const void *y)
{
    const struct load_span *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->trial < b->trial ? -1 : a->trial > b->trial;
}

/* Each takes the first lane of its host that is free when it begins. */
static void set_lanes(struct load *l)
{
    VEC(double) free_at = {0};
    VEC(uint32_t) host = {0};
    qsort(l->spans.p, l->spans.len, sizeof(*l->spans.p), by_start);
    for (size_t i = 0; i < l->spans.len; i++) {
        struct load_span *s = &l->spans.p[i];
        size_t k = 0;
        while (k < free_at.len &&
               (host.p[k] != s->host || free_at.p[k] > s->from))
            k++;
        if (k == free_at.len) {
            vec_push(&free_at, 0);
            vec_push(&host, s->host);
        }
        free_at.p[k] = s->to;
        s->lane = (uint32_t)k;
    }
    vec_done(&free_at);
    vec_done(&host);
}

/* ---- JSON ---------------------------------------------------------------- */

static void add_numbers(struct buf *b, const double *list, size_t count)
{
    buf_addc(b, '[');
    for (size_t i = 0; i < count; i++) {
        buf_adds(b, i ? "," : "");
        strict_number(b, round(list[i] * 1e4) / 1e4);
    }
    buf_addc(b, ']');
}

static void add_span(struct buf *b, const struct load_span *s)
{
    buf_addf(b, "{\"trial\":%lld,\"attempt\":%u,\"host\":%u,\"lane\":%u,",
             (long long)s->trial, s->number, s->host, s->lane);
    buf_addf(b, "\"outcome\":\"%s\",\"from\":", outcome_name(s->outcome));
    strict_seconds(b, s->from);
    buf_adds(b, ",\"to\":");
    strict_seconds(b, s->to);
    buf_addc(b, '}');
}

static void print_load(struct buf *b, struct load *l, const struct parts *p)
{
    buf_adds(b, "{\"schema\":\"throng.load/1\",\"from\":");
    strict_seconds(b, l->from);
    buf_adds(b, ",\"to\":");
    strict_seconds(b, l->to);
    buf_adds(b, ",\"width\":");
    strict_number(b, p->width);
    buf_addf(b, ",\"attempts\":%zu,\"mean\":", l->spans.len);
    add_numbers(b, p->mean + l->hosts.len * p->count, p->count);
    buf_adds(b, ",\"most\":");
    add_numbers(b, p->most, p->count);
    buf_adds(b, ",\"hosts\":[");
    for (size_t i = 0; i < l->hosts.len; i++) {
        buf_adds(b, i ? ",{\"host\":" : "{\"host\":");
        json_string(b, str_of(l->hosts.p[i]));
        buf_adds(b, ",\"mean\":");
        add_numbers(b, p->mean + i * p->count, p->count);
        buf_addc(b, '}');
    }
    buf_adds(b, "],\"spans\":");
    if (l->spans.len > LOAD_SPANS_MAX) {
        buf_adds(b, "null}\n");
        return;
    }
    buf_addc(b, '[');
    for (size_t i = 0; i < l->spans.len; i++) {
        buf_adds(b, i ? "," : "");
        add_span(b, &l->spans.p[i]);
    }
    buf_adds(b, "]}\n");
}

int load_json(struct buf *b, struct store *store, size_t points,
              struct arena *a, struct err *err)
{
    struct load l = {.arena = a};
    struct lease lease;
    int rc = store_lease_read(store, &lease, err) ||
                     store_spans(store, take_span, &l, err)
                 ? -1
                 : 0;
    if (!rc) {
        set_ends(&l, lease.live);
        struct parts p = cut(&l, points);
        if (l.spans.len && l.spans.len <= LOAD_SPANS_MAX)
            set_lanes(&l);
        print_load(b, &l, &p);
    }
    vec_done(&l.spans);
    vec_done(&l.hosts);
    return rc;
}
