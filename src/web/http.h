/* http.h - requests of HTTP/1.1, read strictly
 *
 * Pure: bytes in, a request out. What is not plainly a request that our page
 * or curl would send is refused with a status of its own: a line that is
 * folded, two lengths, chunks, a name with a blank. Nothing is guessed, so that
 * no proxy in front of us can read the same bytes in another way. */
#ifndef THRONG_WEB_HTTP_H
#define THRONG_WEB_HTTP_H

#include "base/buf.h"
#include "base/err.h"

#define HTTP_HEAD_MAX 16384 /* bytes of request line and headers */
#define HTTP_BODY_MAX 1048576
#define HTTP_HEADERS_MAX 64

struct http_header {
    struct str name, value;
};

struct http_request {
    struct str method;
    struct str path;  /* "/api/v1/studies", still encoded */
    struct str query; /* behind the '?', still encoded */
    struct http_header headers[HTTP_HEADERS_MAX];
    size_t header_count;
    size_t head_bytes; /* with the empty line that ends it */
    size_t body_bytes; /* that come behind it */
    bool keep;         /* the connection is to stay open */
};

/* Reads the head that the bytes begin with: 1 it is whole, 0 more must come,
 * -1 it is wrong, with the status to answer (400, 411, 413, 414, 431) and
 * why. Texts point into bytes. */
int http_head_read(struct str bytes, struct http_request *r, int *status,
                   struct err *err);
/* Equal, whatever the case of letters, as names of headers and hosts are. */
bool http_same(struct str a, struct str b);
/* A header's value, whatever the case of its name; p NULL: there is none. */
struct str http_header_of(const struct http_request *r, const char *name);

/* Appends s with its %41 decoded, and + as a blank where it stands in a query.
 * False: a bad escape, a NUL, or no UTF-8. */
bool http_decode(struct buf *b, struct str s, bool in_query);
/* Appends what a query has under a name: 1, 0 it has not, -1 it makes no
 * sense. */
int http_query(struct str query, const char *name, struct buf *value);

/* "Not Found" of 404. */
const char *http_status_text(int status);

#endif
