/* web.h - a page and an interface for programs, over HTTP
 *
 * Reads the studies of one folder, and changes them only where it was told that
 * it may. It is a process of its own: a study never waits for who looks at it.
 */
#ifndef THRONG_WEB_WEB_H
#define THRONG_WEB_WEB_H

#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

struct web_setup {
    const char *folder;  /* whose studies are served */
    const char *study;   /* the page opens with this one; NULL: the list */
    const char *address; /* to listen at; NULL: at no address */
    uint16_t port;       /* 0: any that is free */
    const char *socket;  /* a socket's path instead; NULL: none */
    const char *base;    /* path that a proxy leaves in front; NULL: none */
    /* Ended by NULL, or NULL: names in a Host header beside our own, and
     * origins whose pages may show ours in a frame. */
    const char *const *hosts;
    const char *const *ancestors;
    bool control; /* studies may be changed */
};

struct web;
/* Listens, and is served by web_run. Yours to close. */
struct web *web_open(const struct web_setup *setup, struct err *err);
void web_close(struct web *w);
/* Where the page is, with the token that opens it; lives as long as w. */
const char *web_url(const struct web *w);
uint16_t web_port(const struct web *w); /* 0: it is a socket's path */
/* True when the page was built into this program. */
bool web_has_page(void);
/* Serves until SIGINT, SIGTERM or SIGHUP. */
int web_run(struct web *w, struct err *err);

/* Writes the page of one study, with its trials inside, as one file that needs
 * no server. setup: folder and study. */
int web_export(const struct web_setup *setup, const char *path,
               struct err *err);

#endif
