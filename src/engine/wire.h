/* wire.h - records both ways over one non-blocking socket
 *
 * Nothing here waits. What is sent is collected until wire_flush; what
 * arrives is read in large pieces and handed out record by record. Private
 * to this folder. */
#ifndef THRONG_ENGINE_WIRE_H
#define THRONG_ENGINE_WIRE_H

#include "base/buf.h"
#include "base/err.h"
#include "terms/record.h"

struct wire {
    int fd; /* -1: none */
    struct buf in, out;
    size_t in_at, out_at; /* what of them is used up */
    bool more; /* the last wire_read filled its piece: more may wait */
};

void wire_init(struct wire *w);
void wire_done(struct wire *w); /* closes fd */
/* Takes over a connected, non-blocking socket; what was buffered is gone. */
void wire_open(struct wire *w, int fd);
void wire_close(struct wire *w);

void wire_send(struct wire *w, const struct record *r);
size_t wire_waiting(const struct wire *w); /* bytes not written yet */
/* Writes what the socket takes now. -1: the other side is gone. */
int wire_flush(struct wire *w);

/* Reads one piece: 1 when something came, 0 when nothing is there now, -1
 * at the end. */
int wire_read(struct wire *w);
/* 1: *r is filled, valid until the next wire_read; 0: no whole record is
 * here; -1: what came is damaged. */
int wire_next(struct wire *w, struct record *r, struct err *err);

#endif
