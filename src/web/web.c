/* web.c - a server from its beginning to its end */
#include "web/web.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "web/routes.h"

#define NICE 10 /* who looks never slows who works */

/* Nothing but what this server sends may run or be shown, and nothing may be
 * sent elsewhere. */
static char *make_always(const struct web_setup *setup)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "Content-Security-Policy: default-src 'none'; script-src "
                 "'self'; style-src 'self'; img-src 'self' blob: data:; "
                 "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                 "frame-ancestors ");
    if (!setup->ancestors || !*setup->ancestors)
        buf_adds(&b, "'none'");
    for (const char *const *a = setup->ancestors; a && *a; a++)
        buf_addf(&b, "%s%s", a == setup->ancestors ? "" : " ", *a);
    buf_adds(&b, "\r\nX-Content-Type-Options: nosniff\r\n"
                 "Referrer-Policy: no-referrer\r\n"
                 "Cross-Origin-Resource-Policy: same-origin\r\n");
    return buf_take(&b);
}

static char *make_url(const struct web *w)
{
    const struct web_setup *s = &w->setup;
    struct buf b;
    buf_init(&b);
    if (s->socket)
        buf_addf(&b, "http://localhost%s/", s->base);
    else if (strchr(s->address, ':'))
        buf_addf(&b, "http://[%s]:%u%s/", s->address, w->guard.port, s->base);
    else
        buf_addf(&b, "http://%s:%u%s/", s->address, w->guard.port, s->base);
    buf_addf(&b, "#token=%s", w->guard.token);
    if (s->study)
        buf_addf(&b, "&study=%s", s->study);
    return buf_take(&b);
}

static int begin_listening(struct web *w, struct err *err)
{
    w->guard.port = w->setup.port;
    if (w->setup.socket)
        return server_listen_at(w->server, w->setup.socket, err);
    return server_listen(w->server, w->setup.address, &w->guard.port, err);
}

struct web *web_new(const struct web_setup *setup)
{
    struct web *w = xcalloc(1, sizeof(*w));
    w->setup = *setup;
    w->arena = arena_new();
    w->setup.base = setup->base ? setup->base : "";
    return w;
}

struct web *web_open(const struct web_setup *setup, struct err *err)
{
    struct web *w = web_new(setup);
    w->guard.address = setup->socket ? NULL : setup->address;
    w->guard.hosts = setup->hosts;
    w->always = make_always(setup);
    w->loop = loop_new(err);
    if (!w->loop || guard_init(&w->guard, err))
        goto fail;
    w->server = server_new(w->loop, routes_serve, w, w->always);
    w->pulse = loop_timer(w->loop, events_pulse, w);
    w->machine = machine_log_open(w->loop, err);
    if (!w->machine || begin_listening(w, err))
        goto fail;
    w->url = make_url(w);
    return w;
fail:
    web_close(w);
    return NULL;
}

void web_close(struct web *w)
{
    if (!w)
        return;
    server_free(w->server);
    machine_log_close(w->machine);
    while (w->studies) {
        struct served *s = w->studies;
        w->studies = s->next;
        served_free(s);
    }
    loop_free(w->loop);
    arena_free(w->arena);
    free(w->always);
    free(w->url);
    free(w);
}

const char *web_url(const struct web *w)
{
    return w->url;
}

uint16_t web_port(const struct web *w)
{
    return w->setup.socket ? 0 : w->guard.port;
}

static void on_quit(void *context, int signum)
{
    struct web *w = context;
    (void)signum;
    loop_stop(w->loop);
}

int web_run(struct web *w, struct err *err)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < 3; i++)
        w->quits[i] = loop_signal(w->loop, signals[i], on_quit, w);
    setpriority(PRIO_PROCESS, 0, NICE);
    return loop_run(w->loop, err);
}
