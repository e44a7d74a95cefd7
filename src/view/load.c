/* load.c - how busy it was: attempts at once over time
 *
 * The time from the first start to the last end is cut into equal parts; each
 * has the mean of how many attempts ran in it (their time in it over its
 * length, which is exact) and the most that ran at once. An attempt that has
 * not ended runs until now where somebody runs the study; one that was cut off
 * counts until the last that is known.
 *
 * In the same way: how many waited at their place for their turn, how many cpus
 * were used (what an attempt took, spread over its time) and how much memory
 * (the most that each had). The last two are known of attempts that have ended.
 *
 * And how the time on GPUs went: of the attempts in a part that know it, the
 * mean of the shares that each has over all of its time. */
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "sys/sys.h"

struct edge {
    double time;
    int change;
};

static uint32_t host_of(struct load_spans *l, struct str name)
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
    struct load_spans *l = context;
    struct load_span one = {.trial = s->trial,
                            .number = s->number,
                            .host = host_of(l, s->host),
                            .outcome = s->outcome,
                            .placed = s->placed,
                            .cpus = s->seconds > 0 ? s->cpu_seconds / s->seconds
                                                   : 0,
                            .bytes = (double)s->max_rss_bytes,
                            .from = s->started,
                            .to = s->ended > s->started ? s->ended
                                  : s->ended > 0        ? s->started
                                                        : 0};
    use_gpu_shares(&s->use, one.spent, &one.busy);
    vec_push(&l->spans, one);
}

/* Until when those run that have not ended. */
static void set_ends(struct load_spans *l, bool live)
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

/* What the time on GPUs went into, and how busy they were for programs. */
enum { GPU_BUSY = SPENT_COUNT, GPU_SHARES };
static const char *const gpu_names[GPU_SHARES] = {
    [SPENT_INPUT] = "input",
    [SPENT_COMPUTING] = "computing",
    [SPENT_SYNCHRONISING] = "synchronising",
    [SPENT_IDLE] = "idle",
    [GPU_BUSY] = "busy"};

struct parts {
    size_t count;
    double width;                   /* seconds */
    double *mean;                   /* count for each host, then for all */
    double *most;                   /* count, of all */
    double *waiting, *cpus, *bytes; /* count each: means of all */
    double *gpu[GPU_SHARES];        /* the same, of those who know it, … */
    double *gpu_known[GPU_SHARES];  /* … and how many these are */
};

static size_t part_of(const struct load_spans *l, const struct parts *p,
                      double t)
{
    double at = p->width > 0 ? floor((t - l->from) / p->width) : 0;
    if (!(at > 0))
        return 0;
    return at < (double)p->count ? (size_t)at : p->count - 1;
}

/* So much of something, from a time to another. */
static void add_over(const struct load_spans *l, const struct parts *p,
                     double *mean, double from, double to, double much)
{
    size_t last = part_of(l, p, to);
    for (size_t i = part_of(l, p, from); much > 0 && i <= last; i++) {
        double begin = l->from + p->width * (double)i;
        double in = fmin(to, begin + p->width) - fmax(from, begin);
        if (in > 0 && p->width > 0)
            mean[i] += much * in / p->width;
    }
}

static double gpu_share(const struct load_span *s, int which)
{
    return which == GPU_BUSY ? s->busy : s->spent[which];
}

static void add_gpu_over(const struct load_spans *l, struct parts *p,
                         const struct load_span *s)
{
    for (int i = 0; i < GPU_SHARES; i++) {
        double share = gpu_share(s, i);
        if (isnan(share))
            continue;
        add_over(l, p, p->gpu[i], s->from, s->to, share);
        add_over(l, p, p->gpu_known[i], s->from, s->to, 1);
    }
}

static void add_span_over(const struct load_spans *l, struct parts *p,
                          const struct load_span *s)
{
    add_over(l, p, p->mean + s->host * p->count, s->from, s->to, 1);
    add_over(l, p, p->mean + l->hosts.len * p->count, s->from, s->to, 1);
    add_over(l, p, p->cpus, s->from, s->to, s->cpus);
    add_over(l, p, p->bytes, s->from, s->to, s->bytes);
    if (s->placed > 0)
        add_over(l, p, p->waiting, s->placed, s->from, 1);
    add_gpu_over(l, p, s);
}

/* An end comes before a beginning of the same moment: one slot served both. */
static int by_time(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->change - b->change;
}

static void find_most(const struct load_spans *l, struct parts *p)
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

static struct parts cut(struct load_spans *l, size_t points)
{
    size_t hosts = l->hosts.len;
    struct parts p = {.count = l->spans.len ? points : 0};
    p.width = p.count ? (l->to - l->from) / (double)p.count : 0;
    p.mean = arena_array(l->arena, (hosts + 1) * p.count + 1, sizeof(*p.mean));
    p.most = arena_array(l->arena, 4 * p.count + 4, sizeof(*p.most));
    p.waiting = p.most + p.count + 1;
    p.cpus = p.waiting + p.count + 1;
    p.bytes = p.cpus + p.count + 1;
    for (int i = 0; i < GPU_SHARES; i++) {
        p.gpu[i] = arena_array(l->arena, p.count + 1, sizeof(double));
        p.gpu_known[i] = arena_array(l->arena, p.count + 1, sizeof(double));
    }
    for (size_t i = 0; i < l->spans.len; i++)
        add_span_over(l, &p, &l->spans.p[i]);
    find_most(l, &p);
    return p;
}

/* ---- waits --------------------------------------------------------------- */

static int by_number(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

/* How long attempts waited at their place: the middle, what nine tenths stay
 * below, and the longest. */
static void print_waits(struct buf *b, const struct load_spans *l)
{
    double *list = xmalloc((l->spans.len + 1) * sizeof(*list));
    size_t n = 0;
    for (size_t i = 0; i < l->spans.len; i++)
        if (l->spans.p[i].placed > 0)
            list[n++] = fmax(l->spans.p[i].from - l->spans.p[i].placed, 0);
    if (n)
        qsort(list, n, sizeof(*list), by_number);
    buf_addf(b, ",\"waits\":{\"attempts\":%zu,\"median\":", n);
    strict_number_or_null(b, n ? list[n / 2] : NAN);
    buf_adds(b, ",\"nine_tenths\":");
    strict_number_or_null(b, n ? list[(n - 1) * 9 / 10] : NAN);
    buf_adds(b, ",\"most\":");
    strict_number_or_null(b, n ? list[n - 1] : NAN);
    buf_addc(b, '}');
    free(list);
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
void load_spans_set_lanes(struct load_spans *l)
{
    VEC(double) free_at = {0};
    VEC(uint32_t) host = {0};
    if (l->spans.len)
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
    l->lanes = (uint32_t)free_at.len;
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

/* null where no attempt was on a GPU, and for parts of which nobody knows. */
static void add_gpu(struct buf *b, const struct load_spans *l,
                    const struct parts *p)
{
    bool known = false;
    for (size_t i = 0; !known && i < l->spans.len; i++)
        for (int k = 0; k < GPU_SHARES; k++)
            known = known || !isnan(gpu_share(&l->spans.p[i], k));
    buf_adds(b, ",\"gpu\":");
    if (!known)
        buf_adds(b, "null");
    for (int k = 0; known && k < GPU_SHARES; k++) {
        buf_addf(b, "%s\"%s\":[", k ? "," : "{", gpu_names[k]);
        for (size_t i = 0; i < p->count; i++) {
            double share = p->gpu[k][i] / p->gpu_known[k][i]; /* 0 / 0 */
            buf_adds(b, i ? "," : "");
            strict_number_or_null(b, round(share * 1e4) / 1e4);
        }
        buf_addc(b, ']');
    }
    buf_adds(b, known ? "}" : "");
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

static void print_load(struct buf *b, struct load_spans *l,
                       const struct parts *p)
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
    buf_adds(b, ",\"waiting\":");
    add_numbers(b, p->waiting, p->count);
    buf_adds(b, ",\"cpus\":");
    add_numbers(b, p->cpus, p->count);
    buf_adds(b, ",\"memory_bytes\":");
    add_numbers(b, p->bytes, p->count);
    add_gpu(b, l, p);
    print_waits(b, l);
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

int load_spans_read(struct load_spans *l, struct store *store, struct arena *a,
                    struct err *err)
{
    struct lease lease;
    *l = (struct load_spans){.arena = a};
    if (store_lease_read(store, &lease, err) ||
        store_spans(store, take_span, l, err))
        return -1;
    set_ends(l, lease.live);
    return 0;
}

void load_spans_done(struct load_spans *l)
{
    vec_done(&l->spans);
    vec_done(&l->hosts);
}

int load_json(struct buf *b, struct store *store, size_t points,
              struct arena *a, struct err *err)
{
    struct load_spans l;
    int rc = load_spans_read(&l, store, a, err);
    if (!rc) {
        /* Too many are not listed, and lanes of thousands cost seconds. */
        if (l.spans.len <= LOAD_SPANS_MAX)
            load_spans_set_lanes(&l);
        struct parts p = cut(&l, points);
        print_load(b, &l, &p);
    }
    load_spans_done(&l);
    return rc;
}
