/* server.c - connections: bytes in, requests to a function, answers out
 *
 * A client is in one of four states: its request is coming, its answer is
 * going out, it gets news, or it is leaving. The deadline says until when it
 * must have got on: a request must be whole within REQUEST_S of its first byte,
 * however it trickles in; of an answer some bytes must go within ANSWER_S.
 *
 * What must stay true: one request is answered before the next of the same
 * client is looked at; a client that is freed is in no list and has told its
 * stream's owner. */
#include "web/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define REQUEST_S 15
#define IDLE_S 75
#define ANSWER_S 30
#define LEAVE_S 2 /* that a client has to read why it is let go */
#define SWEEP_S 1
#define READ_BYTES 65536
#define NEWS_MAX (1u << 20) /* bytes that may wait for a client */

struct client {
    struct server *server;
    struct client *prev, *next; /* the newest first */
    int fd;
    struct loop_source *source;
    struct buf in, out;
    size_t sent;                        /* of out */
    int64_t until_ns;                   /* its deadline */
    const struct http_request *request; /* that is being served; NULL */
    bool answered, ends;                /* ends: when out has gone */
    bool streams, deferred, leaving, dead;
    bool keeps; /* of a request whose answer comes later */
    client_gone_fn *gone;
    void *gone_context;
};

struct server {
    struct loop *loop;
    server_serve_fn *serve;
    void *context;
    const char *always;
    VEC(int) listening;
    VEC(struct loop_source *) sources;
    struct loop_source *sweep;
    struct client *clients;
    size_t count;
    char *socket; /* path of its socket; NULL */
};

/* ---- clients ----------------------------------------------------------- */

static void set_deadline(struct client *c, double seconds)
{
    c->until_ns = clock_mono_ns() + (int64_t)(seconds * 1e9);
}

static void client_free(struct client *c)
{
    struct server *s = c->server;
    if (c->prev)
        c->prev->next = c->next;
    else
        s->clients = c->next;
    if (c->next)
        c->next->prev = c->prev;
    s->count--;
    if (c->gone)
        c->gone(c->gone_context);
    loop_remove(c->source);
    close(c->fd);
    buf_done(&c->in);
    buf_done(&c->out);
    free(c);
}

/* Sends what the socket takes: -1 when the client is gone. */
static int send_out(struct client *c)
{
    while (c->sent < c->out.len) {
        ssize_t n =
            send(c->fd, c->out.p + c->sent, c->out.len - c->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN ? 0 : -1;
        c->sent += (size_t)n;
        set_deadline(c, ANSWER_S);
    }
    buf_reset(&c->out);
    c->sent = 0;
    return 0;
}

static bool has_out(const struct client *c)
{
    return c->sent < c->out.len;
}

/* While an answer goes out nothing more is read, so that who asks much and
 * reads nothing costs one answer. */
static void set_wants(struct client *c)
{
    loop_fd_want(c->source, has_out(c) ? LOOP_WRITE : LOOP_READ);
}

/* ---- requests ---------------------------------------------------------- */

void client_answer(struct client *c, struct answer *a)
{
    answer_print(&c->out, a, c->request, c->server->always);
    c->answered = true;
    if (!c->request->keep)
        c->ends = true;
}

void client_defer(struct client *c, client_gone_fn *gone, void *context)
{
    c->answered = c->deferred = true;
    c->keeps = c->request->keep;
    c->gone = gone;
    c->gone_context = context;
}

void client_stream(struct client *c, const char *type, client_gone_fn *gone,
                   void *context)
{
    buf_addf(
        &c->out,
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nCache-Control: no-store\r\n"
        "X-Accel-Buffering: no\r\nConnection: close\r\n%s\r\n",
        type, c->server->always);
    c->answered = c->streams = true;
    c->gone = gone;
    c->gone_context = context;
}

void client_push(struct client *c, struct str text)
{
    if (c->dead)
        return;
    if (c->out.len - c->sent + text.len > NEWS_MAX) {
        c->dead = true; /* the sweep frees it: its owner is in a walk */
        return;
    }
    buf_drop(&c->out, c->sent);
    c->sent = 0;
    buf_addstr(&c->out, text);
    if (send_out(c))
        c->dead = true;
    else
        set_wants(c);
}

static void refuse(struct client *c, int status, const char *text)
{
    struct http_request none = {.method = STR("GET")};
    struct answer a;
    answer_init(&a);
    answer_fail(&a, status, text);
    answer_print(&c->out, &a, &none, c->server->always);
    answer_done(&a);
    c->ends = true;
}

static void serve(struct client *c, const struct http_request *r)
{
    struct str body = str_n(c->in.p + r->head_bytes, r->body_bytes);
    c->request = r;
    c->answered = false;
    c->server->serve(c->server->context, c, r, body);
    require(c->answered);
    c->request = NULL;
    buf_drop(&c->in, r->head_bytes + r->body_bytes);
}

/* Serves the request that has come, if it has. */
static void take_request(struct client *c)
{
    struct http_request r;
    struct err err = {0};
    int status = 400;
    if (!c->in.len)
        return;
    int got = http_head_read(buf_str(&c->in), &r, &status, &err);
    if (got < 0)
        refuse(c, status, err.text);
    else if (got && c->in.len >= r.head_bytes + r.body_bytes)
        serve(c, &r);
}

/* Closing with bytes unread would take back what was answered: nothing more is
 * sent, and what still comes is passed over for a moment. */
static void leave(struct client *c)
{
    if (c->leaving)
        return;
    c->leaving = true;
    buf_reset(&c->in);
    shutdown(c->fd, SHUT_WR);
    set_deadline(c, LEAVE_S);
}

/* Requests that came together are answered one after the other, each when the
 * answer before it has gone. */
static int get_on(struct client *c)
{
    while (!c->dead) {
        size_t before = c->in.len;
        if (send_out(c))
            return -1;
        if (has_out(c))
            break;
        if (c->ends)
            leave(c);
        if (c->streams || c->deferred || c->leaving)
            break;
        take_request(c);
        if (c->in.len == before && !c->ends)
            break;
    }
    if (c->dead)
        return -1;
    set_wants(c);
    return 0;
}

void client_finish(struct client *c, struct answer *a)
{
    const struct http_request r = {.method = STR("POST"), .keep = c->keeps};
    c->deferred = false;
    c->gone = NULL;
    answer_print(&c->out, a, &r, c->server->always);
    c->ends |= !c->keeps;
    set_deadline(c, ANSWER_S);
    if (get_on(c))
        c->dead = true; /* the sweep frees it */
}

/* 1: some bytes, 0: none yet, -1: it has left. */
static int read_in(struct client *c)
{
    char bytes[READ_BYTES];
    ssize_t n = recv(c->fd, bytes, sizeof(bytes), 0);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (n == 0)
        return -1;
    if (c->streams || c->leaving)
        return 1; /* nothing that it says counts any more */
    if (!c->in.len)
        set_deadline(c, REQUEST_S);
    buf_add(&c->in, bytes, (size_t)n);
    return c->in.len > HTTP_HEAD_MAX + HTTP_BODY_MAX + READ_BYTES ? -1 : 1;
}

static void on_client(void *context, int fd, unsigned what)
{
    struct client *c = context;
    (void)fd;
    int got = what & LOOP_READ ? read_in(c) : 1;
    if (got < 0 || get_on(c)) {
        client_free(c);
        return;
    }
    if (!c->in.len && !has_out(c) && !c->leaving)
        set_deadline(c, IDLE_S);
}

/* Of a request that did not come in time the reason is said; who has no
 * request under way is let go without a word. False: it is to be freed. */
static bool hurry(struct client *c)
{
    if (!c->in.len || c->streams || c->leaving || has_out(c))
        return false;
    buf_reset(&c->in);
    refuse(c, 408, "the request took too long to come");
    return !get_on(c);
}

static void on_sweep(void *context)
{
    struct server *s = context;
    int64_t now = clock_mono_ns();
    for (struct client *c = s->clients, *next; c; c = next) {
        next = c->next;
        bool waits = c->deferred || (c->streams && !has_out(c));
        bool late = now > c->until_ns && !waits;
        if (c->dead || (late && !hurry(c)))
            client_free(c);
    }
    loop_timer_in(s->sweep, SWEEP_S);
}

/* ---- listening --------------------------------------------------------- */

/* The one that has waited longest for nothing makes room. */
static bool make_room(struct server *s)
{
    struct client *idle = NULL;
    if (s->count < SERVER_CLIENTS_MAX)
        return true;
    for (struct client *c = s->clients; c; c = c->next)
        if (!c->streams && !has_out(c))
            idle = c;
    if (idle)
        client_free(idle);
    return idle;
}

static void on_listening(void *context, int fd, unsigned what)
{
    struct server *s = context;
    (void)what;
    int got = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (got < 0)
        return;
    if (!make_room(s)) {
        close(got);
        return;
    }
    struct client *c = xcalloc(1, sizeof(*c));
    c->server = s;
    c->fd = got;
    buf_init(&c->in);
    buf_init(&c->out);
    c->next = s->clients;
    if (c->next)
        c->next->prev = c;
    s->clients = c;
    s->count++;
    c->source = loop_fd(s->loop, got, LOOP_READ, on_client, c);
    set_deadline(c, REQUEST_S);
}

static void watch(struct server *s, int fd)
{
    vec_push(&s->listening, fd);
    vec_push(&s->sources, loop_fd(s->loop, fd, LOOP_READ, on_listening, s));
}

static int listen_on(struct server *s, const struct sockaddr *address,
                     socklen_t size, const char *name, struct err *err)
{
    int fd = socket(address->sa_family,
                    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_errno(err, "make a socket");
    int on = 1;
    if (address->sa_family != AF_UNIX)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, address, size) || listen(fd, 128)) {
        int why = errno;
        close(fd);
        errno = why;
        return err_errno(err, "listen at %s", name);
    }
    watch(s, fd);
    return fd;
}

static socklen_t read_address(const char *text, uint16_t port,
                              struct sockaddr_storage *address)
{
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
    *address = (struct sockaddr_storage){0};
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        return sizeof(*four);
    }
    if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        return sizeof(*six);
    }
    return 0;
}

int server_listen(struct server *s, const char *address, uint16_t *port,
                  struct err *err)
{
    struct sockaddr_storage where;
    char name[128];
    socklen_t size = read_address(address, *port, &where);
    if (!size)
        return err_set(err, ERR_INPUT,
                       "`%s` is no address to listen at; one is a number, such "
                       "as 127.0.0.1",
                       address);
    snprintf(name, sizeof(name), "%s, port %u", address, *port);
    int fd = listen_on(s, (struct sockaddr *)&where, size, name, err);
    if (fd < 0)
        return -1;
    size = sizeof(where);
    if (getsockname(fd, (struct sockaddr *)&where, &size))
        return err_errno(err, "listen at %s", name);
    *port = ntohs(where.ss_family == AF_INET
                      ? ((struct sockaddr_in *)&where)->sin_port
                      : ((struct sockaddr_in6 *)&where)->sin6_port);
    return 0;
}

/* One that a killed server left is taken away; one that is in use, or anything
 * else, is not. */
static int clear_path(const char *path, const struct sockaddr_un *where,
                      struct err *err)
{
    struct stat st;
    if (lstat(path, &st))
        return 0;
    if (!S_ISSOCK(st.st_mode))
        return err_set(err, ERR_INPUT, "%s is there already, and no socket",
                       path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool used =
        fd >= 0 && !connect(fd, (const struct sockaddr *)where, sizeof(*where));
    if (fd >= 0)
        close(fd);
    if (used)
        return err_set(err, ERR_BUSY, "another server listens at %s", path);
    return unlink(path) ? err_errno(err, "remove %s", path) : 0;
}

int server_listen_at(struct server *s, const char *path, struct err *err)
{
    struct sockaddr_un where = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(where.sun_path))
        return err_set(err, ERR_INPUT, "%s is too long for a socket's path",
                       path);
    snprintf(where.sun_path, sizeof(where.sun_path), "%s", path);
    if (clear_path(path, &where, err))
        return -1;
    mode_t mask = umask(0177); /* so that it is never open to others */
    int fd = listen_on(s, (struct sockaddr *)&where, sizeof(where), path, err);
    umask(mask);
    if (fd < 0)
        return -1;
    s->socket = xstrdup(path);
    return 0;
}

struct server *server_new(struct loop *l, server_serve_fn *serve_fn,
                          void *context, const char *always)
{
    struct server *s = xcalloc(1, sizeof(*s));
    s->loop = l;
    s->serve = serve_fn;
    s->context = context;
    s->always = always;
    s->sweep = loop_timer(l, on_sweep, s);
    loop_timer_in(s->sweep, SWEEP_S);
    return s;
}

void server_free(struct server *s)
{
    if (!s)
        return;
    while (s->clients)
        client_free(s->clients);
    for (size_t i = 0; i < s->listening.len; i++) {
        loop_remove(s->sources.p[i]);
        close(s->listening.p[i]);
    }
    loop_remove(s->sweep);
    if (s->socket)
        unlink(s->socket);
    free(s->socket);
    vec_done(&s->listening);
    vec_done(&s->sources);
    free(s);
}
