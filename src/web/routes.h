/* routes.h - what can be asked for, and who answers
 *
 * A route is a function and one row in the list of routes.c. It fills the
 * answer, or fails with an error, whose kind says the status. */
#ifndef THRONG_WEB_ROUTES_H
#define THRONG_WEB_ROUTES_H

#include "web/guard.h"
#include "web/served.h"
#include "web/server.h"
#include "web/web.h"

struct web {
    struct web_setup setup;
    struct arena *arena;
    struct loop *loop;
    struct server *server;
    struct guard guard;
    char *url;
    char *always; /* headers of every answer */
    struct served *studies;
    struct loop_source *pulse; /* for those that get news */
    struct loop_source *quits[3];
    struct machine_log *machine; /* NULL: it listens nowhere */
};

/* This machine, looked at as long as the loop runs (machine.c). */
struct machine_log *machine_log_open(struct loop *loop, struct err *err);
void machine_log_close(struct machine_log *m);

/* One request on its way to its answer. */
struct exchange {
    struct web *web;
    struct client *client;
    const struct http_request *request;
    struct str body;
    struct arena *arena; /* until it is answered */
    struct answer answer;
    struct served *study; /* of the path; NULL: it names none */
    struct store *store;  /* of that study, for routes that read it; NULL */
    int64_t trial;        /* of the path; 0: it names none */
    bool streams;         /* it was answered by client_stream */
    struct err err;
};

/* Answers whatever it is; for server_new. */
void routes_serve(void *web, struct client *c, const struct http_request *r,
                  struct str body);

/* Answers a path below /api/v1/ with its query, as a request would be. */
void routes_answer(struct web *w, const char *path, struct answer *a);
/* A web that listens nowhere, for one answer after the other. */
struct web *web_new(const struct web_setup *setup);

/* A parameter of the query, in the arena; NULL: it was not given. -1: it makes
 * no sense. */
int ask_text(struct exchange *x, const char *name, const char **text);
/* A whole number within bounds. */
int ask_number(struct exchange *x, const char *name, int64_t least,
               int64_t most, int64_t otherwise, int64_t *number);
bool ask_flag(struct exchange *x, const char *name);
/* All that were given under one name, in the arena, ended by NULL. */
int ask_texts(struct exchange *x, const char *name, const char ***texts);
/* One that must be given. */
int ask_needed(struct exchange *x, const char *name, const char **text);

typedef int route_fn(struct exchange *x);
/* of studies (study_routes.c) */
route_fn route_studies, route_study, route_about, route_rank, route_importance;
route_fn route_errors, route_load, route_compare, route_campaign;
route_fn route_machine; /* (machine.c) */
/* of all trials at once (frame_routes.c) */
route_fn route_columns, route_match, route_order, route_table, route_curves;
route_fn route_bands;
/* of one trial (trial_routes.c) */
route_fn route_trial, route_log, route_files, route_file, route_command;
route_fn route_explain;
/* of news (events.c) and of changes (control.c) */
route_fn route_events, route_act;

/* The page: a file of it; false when it has none of that path. */
bool page_answer(struct answer *a, struct str path);

/* How a study stands, as every event says it: ,"running":true,… */
int events_standing(struct buf *b, const struct served *s, struct err *err);
/* For web.c: tells all that listen what is new. */
void events_pulse(void *web);

#endif
