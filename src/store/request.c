/* request.c - what others ask of the holder of the lease
 *
 * A request is a file in <folder>/requests, renamed into place when it is
 * complete. Its name begins with the time in microseconds, so that names in
 * order are requests in order. Names that do not end in .json are files
 * still being written. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/json.h"
#include "store/store.h"
#include "store/db.h"

#define REQUEST_BYTES_MAX (1u << 20)

static void print_request(struct buf *b, const char *verb, const char *selector,
                          const struct value *args)
{
    buf_adds(b, "{\"verb\":");
    json_string(b, str_of(verb));
    buf_adds(b, ",\"selector\":");
    json_string(b, str_of(selector ? selector : ""));
    if (args) {
        buf_adds(b, ",\"args\":");
        json_print(b, args);
    }
    buf_adds(b, "}\n");
}

int store_request_put(const char *folder, const char *verb,
                      const char *selector, const struct value *args,
                      struct err *err)
{
    struct arena *a = arena_new();
    struct buf b;
    buf_init(&b);
    print_request(&b, verb, selector, args);
    char *requests = path_join(a, folder, "requests");
    /* The process may put two within one microsecond; its own clock tells
     * them apart. */
    char *name = arena_printf(a, "%017lld-%lld-%lld.json",
                              (long long)(clock_wall() * 1e6),
                              (long long)getpid(), (long long)clock_mono_ns());
    int rc = dir_make(requests, err);
    if (rc == 0)
        rc = file_write(path_join(a, requests, name), buf_str(&b), false, err);
    buf_done(&b);
    arena_free(a);
    return rc;
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

static int parse_request(struct str text, const char *name, struct arena *a,
                         struct request *r, struct err *err)
{
    struct value *v = json_parse(a, text, name, true, err);
    if (!v)
        return -1;
    struct str verb = value_text(value_get(v, STR("verb")));
    if (verb.len == 0)
        return err_set(err, ERR_INPUT, "it names no verb");
    *r = (struct request){.file = arena_str(a, str_of(name)),
                          .verb = verb,
                          .selector = value_text(value_get(v, STR("selector"))),
                          .args = value_get(v, STR("args"))};
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
        rc = parse_request(buf_str(&b), name, a, r, err);
    buf_done(&b);
    return rc;
}

/* Moves it to requests/bad, where a person may look at it. */
static void move_aside(struct store *s, const char *path, const char *name,
                       const char *why, struct arena *a)
{
    char *bad = path_join(a, s->folder, "requests/bad");
    dir_make(bad, NULL);
    if (rename(path, path_join(a, bad, name)))
        unlink(path);
    char *text = arena_printf(a, "request %s could not be read: %s", name, why);
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
    *list = arena_array(a, found.len, sizeof **list);
    if (found.len)
        memcpy(*list, found.p, found.len * sizeof **list);
    *count = found.len;
    vec_done(&found);
    return 0;
}

void store_request_done(struct store *s, const struct request *r)
{
    struct arena *a = arena_new();
    char *folder = path_join(a, s->folder, "requests");
    unlink(path_join(a, folder, arena_cstr(a, r->file)));
    arena_free(a);
}
