/* request.c - what others ask of the holder of the lease
 *
 * A request is a file in <folder>/requests, renamed into place when it is
 * complete. Its name begins with the time in microseconds, so that names in
 * order are requests in order. Names that do not end in .json are no requests:
 * files still being written, and lists of points too long for the request
 * that they belong to, which have its name but for the end. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/json.h"
#include "store/store.h"
#include "store/db.h"

#define REQUEST_BYTES_MAX (1u << 20)
#define POINTS_INSIDE_MAX (1u << 18) /* bytes; more go into a file beside */

/* ---- asking ----------------------------------------------------------- */

/* "…/17.json" to "…/17.points". */
static char *points_path(struct arena *a, const char *request)
{
    return arena_printf(a, "%.*s.points", (int)strlen(request) - 5, request);
}

static void print_request(struct buf *b, const struct request *r)
{
    buf_adds(b, "{\"verb\":");
    json_string(b, r->verb);
    buf_adds(b, ",\"selector\":");
    json_string(b, r->selector);
    if (r->asks)
        buf_adds(b, ",\"asks\":true");
    if (r->points)
        buf_adds(b, ",\"points\":\"beside\"");
    if (r->args) {
        buf_adds(b, ",\"args\":");
        json_print(b, r->args);
    }
    buf_adds(b, "}\n");
}

/* Writes the points of the arguments beside the request when they are too
 * long to be in it; then the arguments lose them. */
static int put_points(struct request *r, const char *path, struct arena *a,
                      struct err *err)
{
    const struct value *list = value_get(r->args, STR("points"));
    struct buf b;
    int rc = 0;
    buf_init(&b);
    for (size_t i = 0; list && i < list->count; i++) {
        json_print(&b, list->items[i]);
        buf_addc(&b, '\n');
    }
    if (b.len > POINTS_INSIDE_MAX) {
        struct value *rest = value_object(a);
        for (size_t i = 0; i < r->args->count; i++)
            if (r->args->items[i] != list)
                value_set(a, rest, r->args->keys[i], r->args->items[i]);
        r->args = rest;
        r->points = points_path(a, path);
        rc = file_write(r->points, buf_str(&b), false, err);
    }
    buf_done(&b);
    return rc;
}

static int put(const char *folder, struct request *r, struct arena *a,
               struct err *err)
{
    char *requests = path_join(a, folder, "requests");
    /* The process may put two within one microsecond; its own clock tells
     * them apart. */
    char *name = arena_printf(a, "%017lld-%lld-%lld.json",
                              (long long)(clock_wall() * 1e6),
                              (long long)getpid(), (long long)clock_mono_ns());
    char *path = path_join(a, requests, name);
    struct buf b;
    buf_init(&b);
    int rc = dir_make_below(folder, requests, err);
    if (!rc)
        rc = put_points(r, path, a, err);
    if (!rc) {
        print_request(&b, r);
        rc = file_write(path, buf_str(&b), false, err);
        if (rc && r->points)
            unlink(r->points);
    }
    r->file = str_of(name);
    buf_done(&b);
    return rc;
}

int store_request_put(const char *folder, const char *verb,
                      const char *selector, const struct value *args,
                      struct err *err)
{
    struct arena *a = arena_new();
    struct request r = {
        .verb = str_of(verb), .selector = str_of(selector), .args = args};
    int rc = put(folder, &r, a, err);
    arena_free(a);
    return rc;
}

char *store_request_ask(const char *folder, const char *verb,
                        const char *selector, const struct value *args,
                        struct arena *a, struct err *err)
{
    struct request r = {.verb = str_of(verb),
                        .selector = str_of(selector),
                        .args = args,
                        .asks = true};
    return put(folder, &r, a, err) ? NULL : arena_cstr(a, r.file);
}

bool store_request_waits(const char *folder, const char *file)
{
    struct arena *a = arena_new();
    bool waits =
        file_exists(path_join(a, path_join(a, folder, "requests"), file));
    arena_free(a);
    return waits;
}

/* ---- the holder's side ------------------------------------------------ */

/* A pipe or a link in place of a file would block or lead elsewhere. */
static int read_plain(const char *path, struct buf *b, struct err *err)
{
    struct stat st;
    if (lstat(path, &st))
        return err_errno(err, "read %s", path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_INPUT, "it is no regular file");
    return file_read(path, REQUEST_BYTES_MAX, b, err);
}

static int parse_request(struct str text, const char *path, const char *name,
                         struct arena *a, struct request *r, struct err *err)
{
    struct value *v = json_parse(a, text, name, true, err);
    if (!v)
        return -1;
    struct str verb = value_text(value_get(v, STR("verb")));
    if (verb.len == 0)
        return err_set(err, ERR_INPUT, "it names no verb");
    const struct value *asks = value_get(v, STR("asks"));
    bool beside = str_is(value_text(value_get(v, STR("points"))), "beside");
    *r = (struct request){.file = arena_str(a, str_of(name)),
                          .verb = verb,
                          .selector = value_text(value_get(v, STR("selector"))),
                          .args = value_get(v, STR("args")),
                          .points = beside ? points_path(a, path) : NULL,
                          .asks = asks && asks->kind == VALUE_BOOL &&
                                  asks->boolean};
    if (!r->selector.p)
        r->selector = STR("");
    return 0;
}

static int read_request(const char *path, const char *name, struct arena *a,
                        struct request *r, struct err *err)
{
    struct buf b;
    buf_init(&b);
    int rc = read_plain(path, &b, err);
    if (rc == 0)
        rc = parse_request(buf_str(&b), path, name, a, r, err);
    buf_done(&b);
    return rc;
}

/* Whether somebody waits cannot be known of what cannot be read. */
static void tell_refused(struct store *s, const char *name, const char *why)
{
    struct request_answer answer = {0};
    struct buf b;
    buf_init(&b);
    err_set(&answer.fault, ERR_INPUT, "%s", why);
    store_answer_print(&b, &answer);
    store_answer_put(s, name, buf_str(&b), NULL);
    buf_done(&b);
}

/* Moves it to requests/bad, where a person may look at it. */
static void move_aside(struct store *s, const char *path, const char *name,
                       const char *why, struct arena *a)
{
    char *bad = path_join(a, s->folder, "requests/bad");
    char *text = arena_printf(a, "request %s could not be read: %s", name, why);
    tell_refused(s, name, text);
    dir_make_below(s->folder, bad, NULL);
    if (rename(path, path_join(a, bad, name)))
        unlink(path);
    if (s->epoch != 0)
        store_event_add(s, clock_wall(), "request", str_of(text), NULL);
}

int store_requests(struct store *s, struct arena *a, struct request **list,
                   size_t *count, struct err *err)
{
    char *folder = path_join(a, s->folder, "requests");
    struct err why = {0};
    const char **names = dir_list(folder, a, &why);
    *list = NULL;
    *count = 0;
    if (!names)
        return why.kind == ERR_MISSING ? 0
                                       : err_set(err, why.kind, "%s", why.text);
    VEC(struct request) found = {0};
    for (size_t i = 0; names[i]; i++) {
        struct request r;
        struct stat st;
        if (names[i][0] == '.' || !str_ends(str_of(names[i]), STR(".json")))
            continue;
        char *path = path_join(a, folder, names[i]);
        if (read_request(path, names[i], a, &r, &why) == 0)
            vec_push(&found, r);
        else if (lstat(path, &st) == 0) /* not taken away meanwhile */
            move_aside(s, path, names[i], why.text, a);
    }
    *count = found.len;
    *list = vec_to_arena(a, &found);
    vec_done(&found);
    return 0;
}

void store_request_done(struct store *s, const struct request *r)
{
    struct arena *a = arena_new();
    char *folder = path_join(a, s->folder, "requests");
    unlink(path_join(a, folder, arena_cstr(a, r->file)));
    if (r->points)
        unlink(r->points);
    arena_free(a);
}
