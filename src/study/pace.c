/* pace.c - how fast trials end, and how long the rest will take
 *
 * Trials that run side by side end in bursts, so that counting ends in a
 * window of time says little before many have ended. How long one takes and
 * how many run at once are known from the first end on, and medians of them
 * are not moved by a trial that failed at once. Where trials are so short that
 * they do not take up their slots, what was counted is the better measure: of
 * trials that have arrived all at once, since the beginning.
 *
 * When nothing has ended for much longer than trials take, the rest hangs or
 * is of another kind, and nothing is known of how long it takes. */
#include "study/pace.h"

#include <math.h>
#include <stdlib.h>
#include "base/json.h"

#define SHORT_S 1.0
#define COUNTED_ROUNDS 10 /* of all slots, before counting says much */
#define PATIENCE 3        /* times the longest of them */
#define PATIENCE_LEAST_S 10.0

void pace_begin(struct pace *p, int64_t now_ns)
{
    p->began_ns = now_ns;
}

void pace_end(struct pace *p, double seconds, int64_t running, int64_t now_ns)
{
    size_t at = p->ends++ % PACE_ENDS;
    p->seconds[at] = seconds;
    p->beside[at] = (double)(running > 1 ? running : 1);
    p->last_ns = now_ns;
    if (p->ends == 1)
        p->first_ns = now_ns;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(const double *list, size_t count)
{
    double sorted[PACE_ENDS];
    memcpy(sorted, list, count * sizeof(*list));
    qsort(sorted, count, sizeof(*sorted), by_size);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* Ends a second. Between the first and the last one nothing was waited for,
 * neither a setup nor a queue; within a moment that says nothing. */
static double counted(const struct pace *p, double slots)
{
    double span = (double)(p->last_ns - p->first_ns) / 1e9;
    double all = (double)(p->last_ns - p->began_ns) / 1e9;
    if (span >= SHORT_S && (double)p->ends > COUNTED_ROUNDS * slots)
        return (double)(p->ends - 1) / span;
    return all > 0 ? (double)p->ends / all : INFINITY;
}

/* How long nothing ends while all is as it was. Jobs bring what they have done
 * at once, when they end. */
static double patience(const struct pace *p, size_t count, double median_s)
{
    double s = PATIENCE_LEAST_S;
    for (size_t i = 0; i < count; i++)
        s = fmax(s, PATIENCE * p->seconds[i]);
    if (median_s < SHORT_S)
        s = fmax(s, (double)(p->last_ns - p->began_ns) / 1e9);
    return s;
}

void pace_now(const struct pace *p, int64_t now_ns, struct study_pace *now)
{
    size_t count = p->ends < PACE_ENDS ? p->ends : PACE_ENDS;
    *now = (struct study_pace){0};
    if (!count)
        return;
    now->median_s = median(p->seconds, count);
    now->slots = median(p->beside, count);
    now->rate = now->slots / fmax(now->median_s, 1e-6);
    if (now->median_s < SHORT_S)
        now->rate = fmin(now->rate, counted(p, now->slots));
    now->patience_s = patience(p, count, now->median_s);
    if ((double)(now_ns - p->last_ns) / 1e9 > now->patience_s)
        now->rate = 0;
}

double study_pace_left(const struct study_pace *p, int64_t remaining)
{
    if (p->rate <= 0 || remaining < 0)
        return -1;
    return (double)remaining / p->rate;
}

/* ---- for who watches --------------------------------------------------- */

int pace_write(struct store *store, const struct pace *p, struct err *err)
{
    struct study_pace now;
    struct buf b;
    int64_t now_ns = clock_mono_ns();
    double ago = p->ends ? (double)(now_ns - p->last_ns) / 1e9 : 0;
    pace_now(p, now_ns, &now);
    buf_init(&b);
    buf_adds(&b, "{\"median_s\":");
    json_number(&b, now.median_s);
    buf_adds(&b, ",\"slots\":");
    json_number(&b, now.slots);
    buf_adds(&b, ",\"rate\":");
    json_number(&b, now.rate);
    buf_adds(&b, ",\"patience_s\":");
    json_number(&b, now.patience_s);
    buf_adds(&b, ",\"ended\":");
    json_number(&b, clock_wall() - ago);
    buf_addc(&b, '}');
    int rc = store_fact_set(store, "pace", buf_str(&b), err);
    buf_done(&b);
    return rc;
}

static double number_in(const struct value *v, struct str key)
{
    double n = value_number(value_get(v, key));
    return isfinite(n) && n > 0 ? n : 0;
}

int study_pace_read(struct store *store, struct arena *a, struct study_pace *p,
                    struct err *err)
{
    struct str text;
    double ended;
    *p = (struct study_pace){0};
    if (store_fact(store, "pace", a, &text, err))
        return -1;
    struct value *v = text.len ? json_parse(a, text, "pace", true, NULL) : NULL;
    if (!v)
        return 0;
    *p = (struct study_pace){.median_s = number_in(v, STR("median_s")),
                             .slots = number_in(v, STR("slots")),
                             .rate = number_in(v, STR("rate")),
                             .patience_s = number_in(v, STR("patience_s"))};
    ended = number_in(v, STR("ended"));
    if (ended > 0 && clock_wall() - ended > p->patience_s)
        p->rate = 0;
    return 0;
}
