/* server.h - connections: bytes in, requests to a function, answers out
 *
 * Knows HTTP and no study. Whoever is slow, idle for long or one too many is
 * let go, so that nobody can keep the others out. */
#ifndef THRONG_WEB_SERVER_H
#define THRONG_WEB_SERVER_H

#include <stdint.h>
#include "sys/sys.h"
#include "web/answer.h"

#define SERVER_CLIENTS_MAX 256

struct server;
struct client;

/* A request that came whole. The function answers it before it returns: by
 * client_answer, or client_stream for one that gets news. */
typedef void server_serve_fn(void *context, struct client *c,
                             const struct http_request *r, struct str body);

/* always: headers of every answer, each ended by CR LF; they live longer. */
struct server *server_new(struct loop *l, server_serve_fn *serve, void *context,
                          const char *always);
void server_free(struct server *s);
/* *port: 0 takes any; which one it is. The address is a number, such as
 * 127.0.0.1 or ::1. */
int server_listen(struct server *s, const char *address, uint16_t *port,
                  struct err *err);
/* A socket at a path, which this user alone may connect to. One that nobody
 * listens on any more is replaced. server_free removes it. */
int server_listen_at(struct server *s, const char *path, struct err *err);

void client_answer(struct client *c, struct answer *a);
/* The answer comes later, by client_finish; `gone` is called instead when the
 * client has left before. */
typedef void client_gone_fn(void *context);
void client_defer(struct client *c, client_gone_fn *gone, void *context);
void client_finish(struct client *c, struct answer *a);
/* Begins an answer that does not end: client_push adds to it. `gone` is called
 * once, when the client has left. */
void client_stream(struct client *c, const char *type, client_gone_fn *gone,
                   void *context);
/* One that does not take what it is sent is let go (`gone` is called). */
void client_push(struct client *c, struct str text);

#endif
