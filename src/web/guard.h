/* guard.h - who may ask
 *
 * Loopback is open to every user of the machine and to every page that a
 * browser on it shows. So each request for data brings the token, which only
 * the owner was told; names a host that is ours (a page elsewhere whose name
 * was made to point here does not); and comes from no other page. */
#ifndef THRONG_WEB_GUARD_H
#define THRONG_WEB_GUARD_H

#include "web/http.h"

#define GUARD_TOKEN 32 /* letters */

struct guard {
    char token[GUARD_TOKEN + 1];
    const char *address; /* that it listens at; NULL: a socket */
    uint16_t port;
    const char *const *hosts; /* others that are ours; NULL */
};

/* Makes a token. */
int guard_init(struct guard *g, struct err *err);
/* The status to refuse a request with, and why; 0: it is let in. */
int guard_check(const struct guard *g, const struct http_request *r,
                bool needs_token, const char **why);

#endif
