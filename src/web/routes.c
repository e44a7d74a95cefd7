/* routes.c - what can be asked for, and who answers
 *
 * Paths are matched piece by piece: ":study" and ":trial" stand for any piece,
 * "*" for all that is left. The page's own files need no token, since they are
 * the same for everybody; all else does. */
#include "web/routes.h"

#include "base/num.h"

enum { READS_STORE = 1, CHANGES = 2 };

static const struct route {
    const char *method, *path;
    route_fn *serve;
    unsigned flags;
} routes[] = {
    {"GET", "studies", route_studies, 0},
    {"GET", "machine", route_machine, 0},
    {"GET", "studies/:study", route_study, READS_STORE},
    {"GET", "studies/:study/about", route_about, READS_STORE},
    {"GET", "studies/:study/campaign", route_campaign, READS_STORE},
    {"GET", "studies/:study/rank", route_rank, READS_STORE},
    {"GET", "studies/:study/importance", route_importance, READS_STORE},
    {"GET", "studies/:study/errors", route_errors, READS_STORE},
    {"GET", "studies/:study/load", route_load, READS_STORE},
    {"GET", "studies/:study/compare", route_compare, READS_STORE},
    {"GET", "studies/:study/columns", route_columns, 0},
    {"GET", "studies/:study/match", route_match, 0},
    {"GET", "studies/:study/order", route_order, READS_STORE},
    {"GET", "studies/:study/table", route_table, READS_STORE},
    {"GET", "studies/:study/curves", route_curves, READS_STORE},
    {"GET", "studies/:study/bands", route_bands, READS_STORE},
    {"GET", "studies/:study/events", route_events, 0},
    {"GET", "studies/:study/trials/:trial", route_trial, READS_STORE},
    {"GET", "studies/:study/trials/:trial/log", route_log, READS_STORE},
    {"GET", "studies/:study/trials/:trial/files", route_files, READS_STORE},
    {"GET", "studies/:study/trials/:trial/file", route_file, READS_STORE},
    {"GET", "studies/:study/trials/:trial/command", route_command, READS_STORE},
    {"GET", "studies/:study/trials/:trial/explain", route_explain, READS_STORE},
    {"POST", "studies/:study/act", route_act, CHANGES},
};
#define ROUTE_COUNT (sizeof(routes) / sizeof(routes[0]))

static const struct str api = {"/api/v1/", 8};

/* ---- parameters -------------------------------------------------------- */

int ask_text(struct exchange *x, const char *name, const char **text)
{
    struct buf b;
    buf_init(&b);
    int got = http_query(x->request->query, name, &b);
    *text = got > 0 ? arena_cstr(x->arena, buf_str(&b)) : NULL;
    buf_done(&b);
    return got >= 0 ? 0
                    : err_set(&x->err, ERR_INPUT,
                              "the parameter `%s` is not encoded as a query is",
                              name);
}

int ask_needed(struct exchange *x, const char *name, const char **text)
{
    if (ask_text(x, name, text))
        return -1;
    return *text && **text ? 0
                           : err_set(&x->err, ERR_INPUT,
                                     "the parameter `%s` is missing", name);
}

int ask_number(struct exchange *x, const char *name, int64_t least,
               int64_t most, int64_t otherwise, int64_t *number)
{
    const char *text;
    *number = otherwise;
    if (ask_text(x, name, &text))
        return -1;
    if (text &&
        (!num_int(str_of(text), number) || *number < least || *number > most))
        return err_set(&x->err, ERR_INPUT,
                       "`%s` is a whole number from %lld to %lld, not `%s`",
                       name, (long long)least, (long long)most, text);
    return 0;
}

bool ask_flag(struct exchange *x, const char *name)
{
    const char *text;
    return !ask_text(x, name, &text) && text && strcmp(text, "0") &&
           strcmp(text, "false");
}

int ask_texts(struct exchange *x, const char *name, const char ***texts)
{
    VEC(const char *) list = {0};
    struct str rest = x->request->query, part;
    int rc = 0;
    while (!rc && str_split(&rest, '&', &part)) {
        struct buf b;
        buf_init(&b);
        int got = http_query(part, name, &b);
        if (got > 0)
            vec_push(&list, arena_cstr(x->arena, buf_str(&b)));
        else if (got < 0)
            rc = err_set(&x->err, ERR_INPUT,
                         "a parameter `%s` is not encoded as a query is", name);
        buf_done(&b);
    }
    *texts = vec_to_arena(x->arena, &list);
    return rc;
}

/* ---- studies by name --------------------------------------------------- */

/* The name of a study, or CAMPAIGN/STAGE. One with more slashes, or of a hidden
 * folder, would lead elsewhere. */
static bool is_name(struct str name)
{
    struct str piece;
    size_t pieces = 0;
    while (str_split(&name, '/', &piece))
        if (!piece.len || piece.p[0] == '.' || ++pieces > 2)
            return false;
    return pieces > 0;
}

static int find_study(struct exchange *x, struct str name)
{
    struct web *w = x->web;
    for (struct served *s = w->studies; s; s = s->next)
        if (str_is(name, s->where.name)) {
            x->study = s;
            break;
        }
    if (!x->study) {
        char *text = arena_cstr(x->arena, name);
        struct served *s = served_new(w->setup.folder, text);
        if (!is_name(name) || !is_study_folder(x->arena, s->where.folder)) {
            served_free(s);
            return err_set(&x->err, ERR_MISSING, "there is no study `%s` here",
                           text);
        }
        s->next = w->studies;
        w->studies = s;
        x->study = s;
    } else if (!served_is_there(x->study)) {
        return err_set(&x->err, ERR_MISSING, "the study `%s` was removed",
                       x->study->where.name);
    }
    return 0;
}

static int find_trial(struct exchange *x, struct str number)
{
    if (!num_int(number, &x->trial) || x->trial < 1)
        return err_set(&x->err, ERR_MISSING, "`%.*s` is no number of a trial",
                       STRF(number));
    return 0;
}

/* ---- paths ------------------------------------------------------------- */

static bool fits(struct str path, const char *pattern)
{
    struct str want = str_of(pattern), piece, wanted;
    bool more = true;
    while (more) {
        bool a = str_split(&path, '/', &piece);
        bool b = str_split(&want, '/', &wanted);
        if (a != b)
            return false;
        if (!a)
            break;
        if (wanted.p[0] != ':' && !str_eq(piece, wanted))
            return false;
    }
    return true;
}

/* What the path has in the places of :study and :trial. */
static int read_path(struct exchange *x, struct str path, const char *pattern)
{
    struct str want = str_of(pattern), piece, wanted;
    while (str_split(&path, '/', &piece) && str_split(&want, '/', &wanted)) {
        struct buf text;
        int rc = 0;
        if (wanted.p[0] != ':')
            continue;
        buf_init(&text);
        if (!http_decode(&text, piece, false))
            rc = err_set(&x->err, ERR_INPUT, "the path is not encoded right");
        else if (str_is(wanted, ":study"))
            rc = find_study(x, buf_str(&text));
        else
            rc = find_trial(x, buf_str(&text));
        buf_done(&text);
        if (rc)
            return -1;
    }
    return 0;
}

static bool is_get(const struct http_request *r)
{
    return str_is(r->method, "GET") || str_is(r->method, "HEAD");
}

static const struct route *find_route(struct str path, const char *method,
                                      bool *known)
{
    *known = false;
    for (size_t i = 0; i < ROUTE_COUNT; i++) {
        if (!fits(path, routes[i].path))
            continue;
        *known = true;
        if (!strcmp(routes[i].method, method))
            return &routes[i];
    }
    return NULL;
}

/* ---- serving ----------------------------------------------------------- */

static int run_route(struct exchange *x, const struct route *route)
{
    if (route->flags & READS_STORE) {
        x->store = store_open(x->study->where.folder, false, &x->err);
        if (!x->store)
            return -1;
    }
    int rc = route->serve(x);
    store_close(x->store);
    return rc;
}

static void serve_api(struct exchange *x, struct str path)
{
    bool known;
    const char *method = is_get(x->request)                   ? "GET"
                         : str_is(x->request->method, "POST") ? "POST"
                                                              : "";
    const struct route *route = find_route(path, method, &known);
    if (!known) {
        answer_fail(&x->answer, 404,
                    "there is no such path; docs/reference/web-api.md lists "
                    "them");
    } else if (!route) {
        answer_fail(&x->answer, 405, "this path is not asked for in this way");
    } else if ((route->flags & CHANGES) && !x->web->setup.control) {
        answer_fail(&x->answer, 403,
                    "this server only shows studies; `throng web --control` "
                    "may change them");
    } else if (read_path(x, path, route->path) || run_route(x, route)) {
        answer_fail(&x->answer, answer_status(&x->err), x->err.text);
    }
}

static void serve_page(struct exchange *x, struct str path)
{
    if (!is_get(x->request))
        answer_fail(&x->answer, 405, "the page is only read");
    else if (!page_answer(&x->answer, path))
        answer_fail(&x->answer, 404, "there is no such page");
}

/* Without what a proxy left in front. */
static struct str path_of(const struct web *w, const struct http_request *r)
{
    struct str base = str_of(w->setup.base), path = r->path;
    if (base.len && str_starts(path, base) &&
        (path.len == base.len || path.p[base.len] == '/'))
        path = str_n(path.p + base.len, path.len - base.len);
    return path.len ? path : STR("/");
}

void routes_answer(struct web *w, const char *path, struct answer *a)
{
    struct str text = str_of(path);
    long at = str_find(text, '?');
    struct http_request r = {
        .method = STR("GET"),
        .path = at < 0 ? text : str_n(text.p, (size_t)at),
        .query = at < 0 ? STR("")
                        : str_n(text.p + at + 1, text.len - (size_t)at - 1)};
    struct exchange x = {.web = w, .request = &r, .arena = arena_new()};
    answer_init(&x.answer);
    serve_api(&x, r.path);
    *a = x.answer;
    arena_free(x.arena);
}

void routes_serve(void *web, struct client *c, const struct http_request *r,
                  struct str body)
{
    struct exchange x = {.web = web,
                         .client = c,
                         .request = r,
                         .body = body,
                         .arena = arena_new()};
    struct str path = path_of(web, r);
    bool data = str_starts(path, api);
    const char *why;
    answer_init(&x.answer);
    int refused = guard_check(&x.web->guard, r, data, &why);
    if (refused)
        answer_fail(&x.answer, refused, why);
    else if (data)
        serve_api(&x, str_n(path.p + api.len, path.len - api.len));
    else
        serve_page(&x, path);
    if (!x.streams)
        client_answer(c, &x.answer);
    answer_done(&x.answer);
    arena_free(x.arena);
}
