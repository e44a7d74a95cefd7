/* wire.c - records both ways over one non-blocking socket
 *
 * Both buffers are used up from the front by moving an offset, and moved
 * together only when that is cheap: nothing is copied per record. */
#include "engine/wire.h"
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE_BYTES (256u << 10)

void wire_init(struct wire *w)
{
    *w = (struct wire){.fd = -1};
    buf_init(&w->in);
    buf_init(&w->out);
}

void wire_done(struct wire *w)
{
    wire_close(w);
    buf_done(&w->in);
    buf_done(&w->out);
}

void wire_open(struct wire *w, int fd)
{
    wire_close(w);
    w->fd = fd;
}

void wire_close(struct wire *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    buf_reset(&w->in);
    buf_reset(&w->out);
    w->in_at = w->out_at = 0;
}

/* Forgets the first *at bytes when most of the buffer is used up. */
static void compact(struct buf *b, size_t *at)
{
    if (*at == b->len)
        buf_reset(b);
    else if (*at >= PIECE_BYTES && *at >= b->len / 2)
        buf_drop(b, *at);
    else
        return;
    *at = 0;
}

void wire_send(struct wire *w, const struct record *r)
{
    record_print(&w->out, r);
}

size_t wire_waiting(const struct wire *w)
{
    return w->out.len - w->out_at;
}

int wire_flush(struct wire *w)
{
    while (wire_waiting(w) > 0) {
        ssize_t n = send(w->fd, w->out.p + w->out_at, wire_waiting(w),
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n < 0)
            return -1;
        w->out_at += (size_t)n;
    }
    compact(&w->out, &w->out_at);
    return 0;
}

int wire_read(struct wire *w)
{
    w->more = false;
    compact(&w->in, &w->in_at);
    buf_reserve(&w->in, PIECE_BYTES);
    for (;;) {
        ssize_t n = recv(w->fd, w->in.p + w->in.len, PIECE_BYTES, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        if (n <= 0)
            return -1;
        w->more = n == PIECE_BYTES;
        w->in.len += (size_t)n;
        w->in.p[w->in.len] = 0;
        return 1;
    }
}

int wire_next(struct wire *w, struct record *r, struct err *err)
{
    size_t used = 0;
    struct str rest = str_n(w->in.p + w->in_at, w->in.len - w->in_at);
    int got = rest.len ? record_parse(rest, r, &used, err) : 0;
    if (got > 0)
        w->in_at += used;
    return got;
}
