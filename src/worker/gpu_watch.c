/* gpu_watch.c - who looks at the GPUs of a job
 *
 * Its lines come GPU by GPU. A look, as looks_gpus takes it, is one of all
 * GPUs: a round is over when each GPU of the room has had its line, or when one
 * has a second line, since the others then have none. Energy is power by time:
 * nvidia-smi knows no counter of it. */
#include "worker/gpu_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>
#include "terms/gpu_line.h"
#include "worker/worker.h"

#define EVERY_MS "1000"
#define LINE_MAX_BYTES 4096
#define BLOCK 4096
/* What it said stands for no more time than this. */
#define STANDS_S 5.0

void gpu_watch_init(struct gpu_watch *g)
{
    *g = (struct gpu_watch){.fd = -1};
    buf_init(&g->text);
}

static void close_fd(struct gpu_watch *g)
{
    loop_remove(g->source);
    if (g->fd >= 0)
        close(g->fd);
    g->source = NULL;
    g->fd = -1;
}

void gpu_watch_done(struct gpu_watch *g)
{
    close_fd(g);
    buf_done(&g->text);
}

bool gpu_watch_reaped(struct worker *w, pid_t pid)
{
    struct gpu_watch *g = &w->gpu_watch;
    if (!pid || g->process.pid != pid)
        return false;
    g->process = (struct process_id){0};
    return true;
}

/* ---- what it says ------------------------------------------------------ */

static void end_round(struct worker *w)
{
    struct gpu_watch *g = &w->gpu_watch;
    struct gpu_reading nobody_knows = {.busy = NAN, .joules = NAN};
    struct buf payload;
    bool any = false;
    buf_init(&payload);
    for (size_t i = 0; i < w->room.gpu_count; i++) {
        struct watched_gpu *one = &g->gpus[i];
        gpu_reading_print(&payload, one->seen ? &one->reading : &nobody_knows);
        any |= one->seen;
        one->seen = false;
    }
    if (any)
        looks_gpus(w, buf_str(&payload));
    buf_done(&payload);
}

static void take_energy(struct watched_gpu *one, double watts)
{
    int64_t now = clock_mono_ns();
    double seconds = one->line_ns ? (double)(now - one->line_ns) * 1e-9 : 0;
    if (!isnan(watts))
        one->joules += watts * fmin(seconds, STANDS_S);
    one->line_ns = now;
}

static void take_line(struct worker *w, const struct gpu_line *line)
{
    struct gpu_watch *g = &w->gpu_watch;
    bool all = true;
    for (size_t i = 0; i < w->room.gpu_count; i++) {
        struct watched_gpu *one = &g->gpus[i];
        if (!gpu_line_is_of(line, w->room.gpus[i].id))
            continue;
        if (one->seen)
            end_round(w);
        take_energy(one, line->watts);
        one->seen = true;
        one->reading = (struct gpu_reading){
            .busy = line->busy,
            .joules = isnan(line->watts) ? NAN : one->joules,
            .known = line->known,
            .used_bytes = line->used_bytes};
    }
    for (size_t i = 0; i < w->room.gpu_count; i++)
        all &= g->gpus[i].seen;
    if (all)
        end_round(w);
}

static void take_lines(struct worker *w)
{
    struct buf *text = &w->gpu_watch.text;
    struct str rest = buf_str(text), part;
    struct gpu_line line;
    long at;
    while ((at = str_find(rest, '\n')) >= 0) {
        part = str_n(rest.p, (size_t)at);
        if (gpu_line_parse(part, &line))
            take_line(w, &line);
        rest = str_n(rest.p + at + 1, rest.len - (size_t)at - 1);
    }
    /* No line of a GPU is as long as that. */
    if (rest.len > LINE_MAX_BYTES)
        rest.len = 0;
    buf_drop(text, text->len - rest.len);
}

static void on_text(void *context, int fd, unsigned what)
{
    struct worker *w = context;
    struct gpu_watch *g = &w->gpu_watch;
    (void)what;
    buf_reserve(&g->text, BLOCK);
    ssize_t n = read(fd, g->text.p + g->text.len, BLOCK);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close_fd(g);
        return;
    }
    g->text.len += (size_t)n;
    g->text.p[g->text.len] = 0;
    take_lines(w);
}

/* ---- starting it ------------------------------------------------------- */

static bool is_needed(const struct worker *w)
{
    for (size_t i = w->first; i < w->waiting.len; i++)
        if (w->waiting.p[i]->task.needs.gpus > 0)
            return w->room.gpu_count > 0;
    return false;
}

static int spawn(struct worker *w, int out)
{
    const char *argv[] = {"nvidia-smi", GPU_LINE_QUERY, GPU_LINE_FORMAT,
                          "-lms",       EVERY_MS,       NULL};
    struct spawn s = {.argv = argv,
                      .in = w->nothing,
                      .out = out,
                      .err = -1,
                      .keep_fd = -1,
                      .session = true,
                      .die_with_parent = true};
    return process_spawn(&s, &w->gpu_watch.process, NULL);
}

/* A node without it, or with one that fails, is as good as any: then nobody
 * knows what its GPUs do. */
void gpu_watch_open(struct worker *w)
{
    struct gpu_watch *g = &w->gpu_watch;
    int ends[2];
    if (!is_needed(w) || pipe2(ends, O_CLOEXEC) != 0)
        return;
    if (fd_nonblocking(ends[0], NULL) == 0 && spawn(w, ends[1]) == 0) {
        g->fd = ends[0];
        g->source = loop_fd(w->loop, g->fd, LOOP_READ, on_text, w);
    } else {
        close(ends[0]);
    }
    close(ends[1]);
}
