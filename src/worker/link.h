/* link.h - records between this worker and the conductor
 *
 * Outgoing records are kept until the conductor has acknowledged them, so
 * that a worker whose conductor dies can still say what happened. Those of a
 * link to a file (a bundle's answers) are kept until they are on the disk. */
#ifndef THRONG_WORKER_LINK_H
#define THRONG_WORKER_LINK_H

#include <stdint.h>
#include "base/buf.h"
#include "sys/sys.h"
#include "terms/record.h"

struct link_hooks {
    void *context;
    void (*record)(void *context, const struct record *r);
    void (*closed)(void *context); /* the other side went away */
};

struct link {
    const struct link_hooks *hooks;
    struct loop_source *source;
    int fd;
    bool keep; /* until acknowledged; else it is a file */
    bool closed;
    bool deaf;  /* the other side hears nothing; what it said is still read */
    int error;  /* errno of a file that did not take them; 0: it does */
    bool waits; /* for the descriptor to become writable */
    struct buf in;
    struct buf out; /* [0, head) safe, [head, sent) written */
    size_t head, sent;
    uint64_t dropped; /* bytes removed from the front of out, ever: where
                         out begins in a file */
    uint64_t acked;   /* records acknowledged */
    uint64_t count;   /* records added */
};

/* A socket: watched by the loop in both directions. */
int link_open_socket(struct link *l, struct loop *loop, int fd,
                     const struct link_hooks *hooks, struct err *err);
/* An empty file that only takes answers, and has them from nobody else. */
void link_open_file(struct link *l, int fd, const struct link_hooks *hooks);
void link_done(struct link *l);

void link_add(struct link *l, const struct record *r);
/* Hands on what the other side, which has ended, had still said. */
void link_read_rest(struct link *l);
/* Writes what can be written now; never blocks on a socket. */
void link_flush(struct link *l);
/* Brings what was written to a file to the disk. What may not be there after
 * this waits to be written again. */
void link_sync(struct link *l);
/* Positions in the stream of bytes: its end, and what has been written. */
uint64_t link_end(const struct link *l);
uint64_t link_written(const struct link *l);
/* Bytes that wait to be written, and all that is held in memory. */
size_t link_waiting(const struct link *l);
size_t link_held(const struct link *l);
/* The first `count` records are safe with the conductor, or need not be kept;
 * those that are not wholly written yet stay until then. */
void link_acknowledge(struct link *l, uint64_t count);
/* Records that nobody has acknowledged, or that are not on the disk, as they
 * were framed; valid until the next call. */
struct str link_unacknowledged(const struct link *l);
/* No more records will come from here: the other side sees the end. */
void link_finish(struct link *l);

#endif
