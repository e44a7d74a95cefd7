/* progress.c - the line that says how far a study is
 *
 * On a terminal one line, and what the caller has below it, is rewritten in
 * place; elsewhere a plain line is printed from time to time. It always fits
 * its columns. */
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/num.h"

#define TERMINAL_S 0.2
#define PLAIN_FIRST_S 1.0
#define PLAIN_S 30.0
#define PLAIN_COLUMNS 1000

static int64_t finished(const struct counts *c)
{
    int64_t n = 0;
    for (int i = 0; i < STATE_COUNT; i++)
        if (state_final((enum state)i))
            n += c->by_state[i];
    return n;
}

int64_t progress_failures(const struct counts *c)
{
    return c->by_state[STATE_FAILED] + c->by_state[STATE_INVALID] +
           c->by_state[STATE_TIMED_OUT] + c->by_state[STATE_DIVERGED];
}

/* How much room there is for the parts of the line. */
enum width { ROOMY, TIGHT, TIGHTER, TIGHTEST };

static void gap(struct buf *b, enum width room)
{
    buf_adds(b, room == ROOMY ? "  " : " ");
}

static void add_count(struct buf *b, int64_t n, const char *what,
                      enum width room)
{
    if (!n)
        return;
    gap(b, room);
    buf_addf(b, "%lld %s", (long long)n, what);
}

static void add_done(struct buf *b, const struct study_progress *p,
                     enum width room)
{
    buf_addf(b, "%lld", (long long)finished(&p->counts));
    if (p->total >= 0)
        buf_addf(b, "/%lld", (long long)p->total);
    if (room <= TIGHT)
        buf_adds(b, " done");
}

static void add_rate(struct buf *b, double rate, enum width room)
{
    if (rate <= 0)
        return;
    gap(b, room);
    if (rate >= 10)
        buf_addf(b, "%.0f/s", rate);
    else if (rate >= 0.1)
        buf_addf(b, "%.1f/s", rate);
    else if (rate * 60 >= 0.1)
        buf_addf(b, "%.1f/min", rate * 60);
    else
        buf_addf(b, "%.1f/h", rate * 3600);
}

static void add_left(struct buf *b, const struct study_progress *p,
                     enum width room)
{
    if (p->left_s < 0 || p->draining || finished(&p->counts) >= p->total)
        return;
    gap(b, room);
    num_print_seconds(b, ceil(p->left_s));
    buf_adds(b, " left");
}

static void add_ends(struct buf *b, const struct counts *c, enum width room)
{
    add_count(b, progress_failures(c), "failed", room);
    add_count(b, c->by_state[STATE_STOPPED], "stopped", room);
    add_count(b, c->by_state[STATE_KILLED], "killed", room);
}

static void add_best(struct buf *b, const struct study_progress *p,
                     enum width room)
{
    if (!p->best)
        return;
    gap(b, room);
    buf_adds(b, "best ");
    num_print_short(b, p->best_value, 5);
    buf_addf(b, room <= TIGHT ? " (trial %lld)" : " #%lld", (long long)p->best);
}

static void print_in(struct buf *b, const struct study_progress *p,
                     enum width room)
{
    add_done(b, p, room);
    if (room != TIGHTEST)
        add_rate(b, p->rate, room);
    add_left(b, p, room);
    add_count(b, p->counts.by_state[STATE_RUNNING], "running", room);
    add_ends(b, &p->counts, room);
    add_best(b, p, room);
    if (p->draining) {
        gap(b, room);
        buf_adds(b, "ending");
    }
}

void progress_print(struct buf *b, const struct study_progress *p,
                    unsigned columns)
{
    for (enum width room = ROOMY; room <= TIGHTEST; room++) {
        buf_reset(b);
        print_in(b, p, room);
        if (b->len < columns)
            return;
    }
    b->len = columns - 1;
    b->p[b->len] = 0;
}

void progress_print_end(struct buf *b, const struct study_progress *p)
{
    add_done(b, p, ROOMY);
    if (p->ended_here) {
        buf_adds(b, " in ");
        num_print_seconds(b, p->elapsed_s);
        add_rate(b, (double)p->ended_here / p->elapsed_s, ROOMY);
    }
    add_count(b, p->counts.by_state[STATE_WAITING], "waiting", ROOMY);
    add_ends(b, &p->counts, ROOMY);
    add_count(b, p->valueless, "without a value", ROOMY);
    add_best(b, p, ROOMY);
}

/* The terminal may have been made wider or narrower since. */
static void size_now(const struct progress *g, unsigned *rows,
                     unsigned *columns)
{
    struct winsize size;
    bool known = !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20;
    *columns = known ? size.ws_col : g->columns;
    *rows = known ? size.ws_row : 0;
}

/* The cursor stays at the beginning of the line, so that drawing anew and
 * taking all away begin there. All goes out at once: nothing flickers. */
static void draw_on_terminal(struct progress *g, const struct study_progress *p)
{
    struct buf line, all;
    unsigned rows, columns, below = 0;
    size_now(g, &rows, &columns);
    buf_init(&line);
    buf_init(&all);
    progress_print(&line, p, columns);
    buf_addf(&all, "\r%s\033[K", line.p);
    if (g->below)
        below = g->below(g->below_context, &all, rows, columns, p->rate);
    buf_adds(&all, "\033[J");
    if (below)
        buf_addf(&all, "\033[%uA\r", below);
    fputs(all.p, stderr);
    g->drawn = true;
    buf_done(&line);
    buf_done(&all);
}

static void draw(struct progress *g)
{
    struct study_progress p;
    study_progress(g->study, &p);
    if (g->terminal) {
        draw_on_terminal(g, &p);
    } else {
        struct buf b;
        buf_init(&b);
        progress_print(&b, &p, PLAIN_COLUMNS);
        fprintf(stderr, "throng: %s\n", b.p);
        buf_done(&b);
    }
    fflush(stderr);
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
    const char *term = getenv("TERM");
    g->terminal = isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
    if (quiet)
        return;
    g->timer = loop_timer(loop, on_timer, g);
    loop_timer_in(g->timer, g->terminal ? TERMINAL_S : PLAIN_FIRST_S);
}

void progress_clear(struct progress *g)
{
    if (g->drawn)
        fputs("\r\033[J", stderr);
    g->drawn = false;
    fflush(stderr);
}

void progress_close(struct progress *g)
{
    progress_clear(g);
    loop_remove(g->timer);
    g->timer = NULL;
}
