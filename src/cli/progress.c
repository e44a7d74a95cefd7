/* progress.c - the line that says how far a study is
 *
 * On a terminal one line is rewritten in place; elsewhere a plain line is
 * printed from time to time. It always fits its columns. */
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "base/num.h"

#define TERMINAL_S 0.2
#define PLAIN_FIRST_S 1.0
#define PLAIN_S 30.0

static int64_t finished(const struct counts *c)
{
    int64_t n = 0;
    for (int i = 0; i < STATE_COUNT; i++)
        if (state_final((enum state)i))
            n += c->by_state[i];
    return n;
}

static void add_rate(struct buf *b, double rate)
{
    if (rate <= 0)
        return;
    if (rate >= 10)
        buf_addf(b, "  %.0f/s", rate);
    else if (rate >= 0.1)
        buf_addf(b, "  %.1f/s", rate);
    else
        buf_addf(b, "  %.1f/min", rate * 60);
}

static int64_t failures(const struct counts *c)
{
    return c->by_state[STATE_FAILED] + c->by_state[STATE_INVALID] +
           c->by_state[STATE_TIMED_OUT] + c->by_state[STATE_KILLED] +
           c->by_state[STATE_DIVERGED];
}

void progress_print(struct buf *b, const struct study_progress *p)
{
    const struct counts *c = &p->counts;
    buf_addf(b, "%lld", (long long)finished(c));
    if (p->total >= 0)
        buf_addf(b, "/%lld", (long long)p->total);
    buf_adds(b, " done");
    add_rate(b, p->rate);
    if (p->left_s >= 0) {
        buf_adds(b, "  ");
        num_print_seconds(b, ceil(p->left_s));
        buf_adds(b, " left");
    }
    buf_addf(b, "  %lld running", (long long)c->by_state[STATE_RUNNING]);
    if (failures(c))
        buf_addf(b, "  %lld failed", (long long)failures(c));
    if (c->by_state[STATE_STOPPED])
        buf_addf(b, "  %lld stopped", (long long)c->by_state[STATE_STOPPED]);
    if (p->best) {
        buf_adds(b, "  best ");
        num_print_short(b, p->best_value, 5);
        buf_addf(b, " (trial %lld)", (long long)p->best);
    }
    if (p->draining)
        buf_adds(b, "  ending");
}

static void draw(struct progress *g)
{
    struct study_progress p;
    struct buf b;
    buf_init(&b);
    study_progress(g->study, &p);
    progress_print(&b, &p);
    if (g->terminal) {
        size_t n = b.len < g->columns - 1 ? b.len : g->columns - 1;
        fprintf(stderr, "\r%.*s\033[K", (int)n, b.p);
        g->drawn = true;
    } else {
        fprintf(stderr, "throng: %s\n", b.p);
    }
    fflush(stderr);
    buf_done(&b);
}

static void on_timer(void *context)
{
    struct progress *g = context;
    draw(g);
    loop_timer_in(g->timer, g->terminal ? TERMINAL_S : PLAIN_S);
}

void progress_open(struct progress *g, struct study *study, struct loop *loop,
                   unsigned columns, bool quiet)
{
    *g = (struct progress){.study = study, .columns = columns};
    g->terminal = isatty(STDERR_FILENO);
    if (quiet)
        return;
    g->timer = loop_timer(loop, on_timer, g);
    loop_timer_in(g->timer, g->terminal ? TERMINAL_S : PLAIN_FIRST_S);
}

void progress_clear(struct progress *g)
{
    if (g->drawn)
        fputs("\r\033[K", stderr);
    g->drawn = false;
    fflush(stderr);
}

void progress_close(struct progress *g)
{
    progress_clear(g);
    loop_remove(g->timer);
    g->timer = NULL;
}
