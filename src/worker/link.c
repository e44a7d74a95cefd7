/* link.c - records between this worker and the conductor
 *
 * One buffer holds every record that is not acknowledged yet, in order.
 * What is acknowledged is cut off lazily, when it is more than half of the
 * buffer, so that each byte is moved at most once on average. */
#include "worker/link.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES 65536u

static void want(struct link *l)
{
    if (l->source)
        loop_fd_want(l->source, LOOP_READ | (l->waits ? LOOP_WRITE : 0));
}

static void went_away(struct link *l)
{
    if (l->closed)
        return;
    l->closed = true;
    loop_remove(l->source);
    l->source = NULL;
    l->hooks->closed(l->hooks->context);
}

/* Hands every whole record of l->in on. A damaged stream cannot be trusted
 * any more, so it counts as closed. */
static void read_records(struct link *l)
{
    size_t at = 0;
    while (!l->closed) {
        struct record r;
        size_t used = 0;
        struct err err = {0};
        struct str rest = str_n(l->in.p + at, l->in.len - at);
        int got = record_parse(rest, &r, &used, &err);
        if (got < 0)
            went_away(l);
        if (got <= 0)
            break;
        at += used;
        l->hooks->record(l->hooks->context, &r);
    }
    buf_drop(&l->in, at);
}

/* False: nothing was there. */
static bool readable(struct link *l)
{
    buf_reserve(&l->in, READ_BYTES);
    ssize_t n = recv(l->fd, l->in.p + l->in.len, READ_BYTES, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR)
        return true;
    if (n < 0 && errno == EAGAIN)
        return false;
    if (n <= 0) {
        went_away(l);
        return false;
    }
    l->in.len += (size_t)n;
    l->in.p[l->in.len] = 0;
    read_records(l);
    return true;
}

void link_read_rest(struct link *l)
{
    while (!l->closed && readable(l))
        ;
}

static void on_fd(void *context, int fd, unsigned what)
{
    struct link *l = context;
    (void)fd;
    if (what & LOOP_WRITE)
        link_flush(l);
    if ((what & LOOP_READ) && !l->closed)
        readable(l);
}

static void start(struct link *l, int fd, const struct link_hooks *hooks)
{
    *l = (struct link){.hooks = hooks, .fd = fd};
    buf_init(&l->in);
    buf_init(&l->out);
}

int link_open_socket(struct link *l, struct loop *loop, int fd,
                     const struct link_hooks *hooks, struct err *err)
{
    start(l, fd, hooks);
    l->keep = true;
    /* A task that held it too would keep the conductor from seeing our end. */
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        return err_errno(err, "descriptor %d", fd);
    l->source = loop_fd(loop, fd, LOOP_READ, on_fd, l);
    if (!l->source)
        return err_set(err, ERR_SYSTEM, "cannot watch descriptor %d", fd);
    return 0;
}

void link_open_file(struct link *l, int fd, const struct link_hooks *hooks)
{
    start(l, fd, hooks);
}

void link_done(struct link *l)
{
    loop_remove(l->source);
    buf_done(&l->in);
    buf_done(&l->out);
}

void link_add(struct link *l, const struct record *r)
{
    record_print(&l->out, r);
    l->count++;
}

static void cut_front(struct link *l)
{
    if (l->head < l->out.len && l->head < l->out.len / 2 + 4096)
        return;
    buf_drop(&l->out, l->head);
    l->sent -= l->head;
    l->dropped += l->head;
    l->head = 0;
}

static ssize_t put(struct link *l)
{
    const char *p = l->out.p + l->sent;
    size_t len = l->out.len - l->sent;
    if (l->keep)
        return send(l->fd, p, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    return pwrite(l->fd, p, len, (off_t)(l->dropped + l->sent));
}

/* A socket that fails has nobody behind it: who reads it comes to its end,
 * behind all that was said before. A file may have room later. */
static void failed(struct link *l)
{
    if (l->keep)
        l->deaf = true;
    else
        l->error = errno;
}

void link_flush(struct link *l)
{
    bool waited = l->waits;
    l->error = 0;
    while (!l->closed && !l->deaf && l->sent < l->out.len) {
        ssize_t n = put(l);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN && l->keep) {
            l->waits = true;
            if (!waited)
                want(l);
            return;
        }
        if (n < 0) {
            failed(l);
            break;
        }
        l->sent += (size_t)n;
    }
    l->waits = false;
    if (waited && !l->closed)
        want(l);
}

void link_sync(struct link *l)
{
    if (fdatasync(l->fd) == 0 || errno == EINVAL || errno == EROFS) {
        l->head = l->sent;
        cut_front(l);
        return;
    }
    l->error = errno;
    l->sent = l->head;
}

uint64_t link_end(const struct link *l)
{
    return l->dropped + l->out.len;
}

uint64_t link_written(const struct link *l)
{
    return l->dropped + l->sent;
}

size_t link_waiting(const struct link *l)
{
    return l->out.len - l->sent;
}

size_t link_held(const struct link *l)
{
    return l->out.len - l->head;
}

void link_acknowledge(struct link *l, uint64_t count)
{
    while (l->acked < count && l->head + 4 <= l->sent) {
        struct bytes b = bytes_of(str_n(l->out.p + l->head, 4));
        size_t end = l->head + 4 + (size_t)bytes_u32(&b);
        if (end > l->sent)
            break; /* its other half is still to be written */
        l->head = end;
        l->acked++;
    }
    cut_front(l);
}

struct str link_unacknowledged(const struct link *l)
{
    return str_n(l->out.p + l->head, l->out.len - l->head);
}

void link_finish(struct link *l)
{
    if (!l->closed && l->keep)
        shutdown(l->fd, SHUT_WR);
}
