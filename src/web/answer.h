/* answer.h - what a request is answered with */
#ifndef THRONG_WEB_ANSWER_H
#define THRONG_WEB_ANSWER_H

#include "base/buf.h"
#include "base/err.h"
#include "web/http.h"

struct answer {
    int status;
    const char *type; /* of the body */
    struct buf body;
    char tag[40];     /* of this body, whenever it comes again; "": none */
    bool packed;      /* the body is gzipped already */
    bool may_pack;    /* it gets smaller by that */
    bool as_file;     /* a browser saves it, and shows none of it */
    bool kept;        /* a browser may keep it, and ask whether it changed */
    const char *more; /* headers of its own, each ended by CR LF; NULL */
};

void answer_init(struct answer *a); /* 200, JSON, empty */
void answer_done(struct answer *a);
/* {"error":{"status":404,"text":"…"}} in place of what was there. */
void answer_fail(struct answer *a, int status, const char *text);
/* The status that an error of ours has. */
int answer_status(const struct err *err);
/* Tags the answer by its body. */
void answer_tag(struct answer *a);

/* Appends the whole answer to what goes out: head, and body unless the request
 * wants none, or has it already. `always`: headers that every answer has. */
void answer_print(struct buf *out, struct answer *a,
                  const struct http_request *r, const char *always);

/* Unpacks a body that is gzipped. */
void answer_unpack(struct answer *a);
/* Appends s, gzipped. */
void gzip_add(struct buf *b, struct str s);

#endif
