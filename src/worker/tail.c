/* tail.c - reading a file that somebody else is still writing, by lines
 *
 * t->at always stands at the start of a line (or, while skipping, inside the
 * line that is too long), and behind the one that is being handed on. A line
 * without its line feed is read again when the file has grown. */
#include "worker/tail.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "terms/metric.h"

#define CHUNK_BYTES 262144u

void tail_init(struct tail *t, int fd, uint64_t at)
{
    *t = (struct tail){.fd = fd, .at = at, .seen = at};
}

uint64_t tail_size(const struct tail *t)
{
    struct stat st;
    if (t->fd < 0 || fstat(t->fd, &st) != 0)
        return t->seen;
    return (uint64_t)st.st_size;
}

void tail_skip_to(struct tail *t, uint64_t at)
{
    t->at = at;
    t->skipping = true;
}

static void look(struct tail *t)
{
    struct stat st;
    t->fault = t->fd >= 0 && fstat(t->fd, &st) != 0 ? errno : 0;
    if (t->fd < 0 || t->fault)
        return;
    t->seen = (uint64_t)st.st_size;
    if (t->seen < t->at) {
        t->at = 0;
        t->line = 0;
        t->skipping = false;
    }
}

/* Hands on the whole lines of a chunk, going on behind each; returns the bytes
 * they took, and sets *pause when the reader wants no more. */
static size_t take_lines(struct tail *t, struct str chunk,
                         const struct tail_reader *r, bool *pause)
{
    const char *p = chunk.p, *end = chunk.p + chunk.len;
    while (p < end && !*pause) {
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        if (!feed)
            break;
        t->line++;
        t->at += (uint64_t)(feed + 1 - p);
        if (t->skipping)
            t->skipping = false;
        else if (!r->line(r->context, str_n(p, (size_t)(feed - p)), t->line))
            *pause = true;
        p = feed + 1;
    }
    return (size_t)(p - chunk.p);
}

/* A chunk that holds no line feed: the line is still being written, or it is
 * the last one, or it is too long. Returns the bytes that it stepped over. */
static size_t take_rest(struct tail *t, struct str chunk, bool all,
                        const struct tail_reader *r)
{
    if (chunk.len > METRIC_LINE_MAX || t->skipping) {
        if (!t->skipping && r->too_long)
            r->too_long(r->context, t->line + 1);
        t->skipping = true;
        t->at += chunk.len;
        return chunk.len;
    }
    if (!all || t->at + chunk.len < t->seen)
        return 0;
    t->line++;
    t->at += chunk.len;
    r->line(r->context, chunk, t->line);
    return chunk.len;
}

static bool is_spent(const struct tail_reader *r)
{
    return r->budget && *r->budget == 0;
}

static void spend(const struct tail_reader *r, size_t bytes)
{
    if (r->budget)
        *r->budget -= bytes < *r->budget ? bytes : *r->budget;
}

bool tail_read(struct tail *t, bool all, const struct tail_reader *r)
{
    size_t chunk = CHUNK_BYTES;
    bool pause = false;
    look(t);
    while (t->at < t->seen && !pause && !t->fault) {
        if (chunk == CHUNK_BYTES && is_spent(r))
            return false;
        buf_reset(r->scratch);
        buf_reserve(r->scratch, chunk);
        ssize_t n = pread(t->fd, r->scratch->p, chunk, (off_t)t->at);
        if (n < 0)
            t->fault = errno;
        if (n <= 0)
            break;
        spend(r, (size_t)n);
        struct str got = str_n(r->scratch->p, (size_t)n);
        size_t used = take_lines(t, got, r, &pause);
        if (used == 0 && !pause)
            used = take_rest(t, got, all, r);
        if (used == 0 && got.len < chunk)
            break;
        if (used == 0)
            chunk = METRIC_LINE_MAX + 1;
    }
    return !pause;
}
