/* fake_words.c - what fake tasks say, on its way to the engine
 *
 * A file is read as those of real jobs are (bundle.h): what is seen of it ends
 * in the middle of a record, and is whole later, or never. */
#include "engine/fake_words.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>
#include "base/map.h"
#include "engine/bundle.h"
#include "sys/sys.h"

/* A file that shows more than this shows half of the rest first. */
#define LEAST_PIECE 24

struct late {
    double due_s;
    uint64_t task;
    uint32_t attempt;
    struct buf frame;
};

/* The file of an attempt. */
struct stream {
    uint64_t task;
    uint32_t attempt;
    struct said said;
    struct buf bytes; /* all that is written … */
    size_t seen;      /* … and what of it can be seen */
    double due_s, every_s;
    bool cut; /* the rest will never be */
};

struct fake_words {
    struct arena *arena;
    const char *folder;
    fake_words_fn *heard;
    void *context;
    VEC(struct late) late;
    VEC(struct stream) streams;
};

struct fake_words *fake_words_new(const char *folder, fake_words_fn *heard,
                                  void *context)
{
    struct fake_words *w = xcalloc(1, sizeof *w);
    w->arena = arena_new();
    w->folder = folder;
    w->heard = heard;
    w->context = context;
    return w;
}

void fake_words_free(struct fake_words *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->late.len; i++)
        buf_done(&w->late.p[i].frame);
    for (size_t i = 0; i < w->streams.len; i++) {
        unlink(w->streams.p[i].said.path);
        buf_done(&w->streams.p[i].bytes);
    }
    vec_done(&w->late);
    vec_done(&w->streams);
    arena_free(w->arena);
    free(w);
}

/* ---- late --------------------------------------------------------------- */

void fake_words_late(struct fake_words *w, double due_s, const struct record *r)
{
    struct late l = {.due_s = due_s, .task = r->task, .attempt = r->attempt};
    buf_init(&l.frame);
    record_print(&l.frame, r);
    vec_push(&w->late, l);
}

static size_t first_late(const struct fake_words *w)
{
    size_t first = 0;
    for (size_t i = 1; i < w->late.len; i++)
        if (w->late.p[i].due_s < w->late.p[first].due_s)
            first = i;
    return first;
}

static void hear_late(struct fake_words *w)
{
    size_t at = first_late(w), used;
    struct late l = w->late.p[at];
    struct record r;
    w->late.len--;
    memmove(&w->late.p[at], &w->late.p[at + 1],
            (w->late.len - at) * sizeof *w->late.p);
    require(record_parse(buf_str(&l.frame), &r, &used, NULL) == 1);
    w->heard(w->context, &r);
    buf_done(&l.frame);
}

/* ---- in pieces ------------------------------------------------------------
 */

static struct stream *stream_of(struct fake_words *w, const struct record *r)
{
    for (size_t i = 0; i < w->streams.len; i++)
        if (w->streams.p[i].task == r->task &&
            w->streams.p[i].attempt == r->attempt)
            return &w->streams.p[i];
    struct stream s = {
        .task = r->task, .attempt = r->attempt, .due_s = INFINITY};
    s.said.path =
        arena_printf(w->arena, "%s/fake-said.%llu.%u", w->folder,
                     (unsigned long long)r->task, (unsigned)r->attempt);
    buf_init(&s.bytes);
    unlink(s.said.path);
    vec_push(&w->streams, s);
    return &vec_last(&w->streams);
}

void fake_words_torn(struct fake_words *w, double now_s, double every_s,
                     const struct record *r)
{
    struct stream *s = stream_of(w, r);
    record_print(&s->bytes, r);
    s->every_s = every_s;
    if (isinf(s->due_s) && !s->cut)
        s->due_s = now_s;
}

void fake_words_cut(struct fake_words *w, double now_s, const struct record *r)
{
    struct stream *s = stream_of(w, r);
    if (s->cut)
        return;
    fake_words_torn(w, now_s, 0, r);
    s->cut = true;
}

static void see_more(struct stream *s)
{
    size_t rest = s->bytes.len - s->seen;
    size_t piece = rest > LEAST_PIECE ? rest / 2 : rest;
    int fd =
        open(s->said.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    require(fd >= 0 &&
            fd_write_all(fd, s->bytes.p + s->seen, piece, NULL) == 0);
    close(fd);
    s->seen += piece;
    s->due_s =
        s->cut || s->seen == s->bytes.len ? INFINITY : s->due_s + s->every_s;
}

static void step_stream(struct fake_words *w, size_t at)
{
    struct said said = w->streams.p[at].said;
    see_more(&w->streams.p[at]);
    /* Who hears may add words, and with them files. */
    require(said_read(&said, w->heard, w->context, NULL) >= 0);
    w->streams.p[at].said = said;
}

/* ---- both ------------------------------------------------------------------
 */

static size_t first_stream(const struct fake_words *w)
{
    size_t first = 0;
    for (size_t i = 1; i < w->streams.len; i++)
        if (w->streams.p[i].due_s < w->streams.p[first].due_s)
            first = i;
    return first;
}

static double late_due(const struct fake_words *w)
{
    return w->late.len ? w->late.p[first_late(w)].due_s : INFINITY;
}

static double streams_due(const struct fake_words *w)
{
    return w->streams.len ? w->streams.p[first_stream(w)].due_s : INFINITY;
}

double fake_words_due(const struct fake_words *w)
{
    return fmin(late_due(w), streams_due(w));
}

void fake_words_step(struct fake_words *w)
{
    if (late_due(w) <= streams_due(w))
        hear_late(w);
    else
        step_stream(w, first_stream(w));
}

static bool is_unheard(const struct stream *s)
{
    return !s->cut && s->said.at < s->bytes.len;
}

bool fake_words_has(const struct fake_words *w, uint64_t task, uint32_t attempt)
{
    for (size_t i = 0; i < w->late.len; i++)
        if (w->late.p[i].task == task && w->late.p[i].attempt == attempt)
            return true;
    for (size_t i = 0; i < w->streams.len; i++)
        if (w->streams.p[i].task == task &&
            w->streams.p[i].attempt == attempt && is_unheard(&w->streams.p[i]))
            return true;
    return false;
}

void fake_words_print(const struct fake_words *w, struct buf *b)
{
    for (size_t i = 0; i < w->late.len; i++)
        buf_addstr(b, buf_str(&w->late.p[i].frame));
    for (size_t i = 0; i < w->streams.len; i++) {
        const struct stream *s = &w->streams.p[i];
        if (is_unheard(s))
            buf_addstr(
                b, str_n(s->bytes.p + s->said.at, s->bytes.len - s->said.at));
    }
}
