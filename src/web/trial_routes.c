/* trial_routes.c - answers about one trial, and the files that it left
 *
 * A file is opened piece by piece from the trial's own folder, and no link is
 * followed, so that no name leads out of it. What a program wrote is foreign: a
 * browser shows pictures and plain text of it, and saves the rest. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/json.h"
#include "web/routes.h"

#define LOG_MOST (8u << 20)
#define FILE_MOST (64u << 20)

int route_trial(struct exchange *x)
{
    struct packs *packs = packs_open(x->study->where.folder);
    struct study_goal goal;
    struct provenance code;
    struct extent e;
    struct buf *b = &x->answer.body;
    int rc =
        study_goal_read(x->store, x->arena, &goal, &x->err) ||
                provenance_read(x->store, x->arena, &code, &x->err) ||
                extent_read(&e, x->store, packs, x->trial, x->arena, &x->err)
            ? -1
            : 0;
    if (!rc) {
        buf_adds(b, "{\"schema\":\"throng.show/1\"");
        age_json(b, store_as_of(x->store));
        buf_adds(b, ",\"trials\":[");
        extent_json(b, &e, &goal.all, code.commit, x->arena);
        buf_adds(b, "]}\n");
    }
    packs_close(packs);
    return rc;
}

static int explain(struct exchange *x, bool json)
{
    char *selector = arena_printf(x->arena, "%lld", (long long)x->trial);
    return explain_print(&x->answer.body, x->store, &x->study->where, selector,
                         json, x->arena, &x->err);
}

int route_explain(struct exchange *x)
{
    return explain(x, true);
}

int route_command(struct exchange *x)
{
    struct trial t;
    const struct place_of_study *where = &x->study->where;
    if (store_trial(x->store, x->trial, x->arena, &t, &x->err))
        return -1;
    struct plan *plan = study_stored_plan(x->store, where->home, where->name,
                                          x->arena, &x->err);
    if (!plan)
        return -1;
    int rc = command_line_print(&x->answer.body, x->store, plan, where->home,
                                &t, x->arena, &x->err);
    plan_close(plan);
    x->answer.type = "text/plain; charset=utf-8";
    return rc;
}

/* ---- files ------------------------------------------------------------- */

/* Opens a file below a folder, no link followed; -1 and errno. */
static int open_below(const char *folder, struct str name)
{
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct str piece;
    while (at >= 0 && str_split(&name, '/', &piece)) {
        char text[256];
        bool last = !name.p;
        if (!piece.len || piece.len >= sizeof(text) || str_is(piece, ".") ||
            str_is(piece, "..")) {
            close(at);
            errno = ENOENT;
            return -1;
        }
        memcpy(text, piece.p, piece.len);
        text[piece.len] = 0;
        int next =
            openat(at, text,
                   O_NOFOLLOW | O_CLOEXEC |
                       (last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY));
        close(at);
        at = next;
    }
    return at;
}

/* Appends a regular file from `from` on. */
static int read_file(struct exchange *x, int fd, off_t from, size_t most)
{
    struct buf *b = &x->answer.body;
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return err_set(&x->err, ERR_MISSING, "that is no file");
    if ((uint64_t)(st.st_size - from) > most)
        return err_set(&x->err, ERR_LIMIT,
                       "the file is larger than %zu MiB; copy it from %s",
                       most >> 20,
                       store_trial_folder(x->store, x->trial, x->arena));
    for (;;) {
        buf_reserve(b, 65536);
        ssize_t n = pread(fd, b->p + b->len, 65536, from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(&x->err, "read a file of trial %lld",
                             (long long)x->trial);
        if (n == 0 || b->len > most)
            break;
        b->len += (size_t)n;
        from += n;
    }
    b->p[b->len] = 0;
    return 0;
}

/* A name that no file has may be that of a packed one: exactly one of those. */
static int read_packed(struct exchange *x, const char *name)
{
    struct packs *packs = packs_open(x->study->where.folder);
    struct packed *list;
    size_t count, i = 0;
    int rc = packs_list(packs, x->trial, x->arena, &list, &count, &x->err);
    while (!rc && i < count && strcmp(list[i].name, name))
        i++;
    if (!rc && i == count)
        rc = err_set(&x->err, ERR_MISSING, "trial %lld has no file `%s`",
                     (long long)x->trial, name);
    if (!rc)
        rc = packs_read(packs, x->trial, name, &x->answer.body, &x->err);
    packs_close(packs);
    return rc;
}

/* A file of the trial, from `last` bytes before its end on (0: whole). */
static int read_named(struct exchange *x, const char *name, size_t last,
                      size_t most)
{
    struct stat st;
    off_t from = 0;
    int fd = open_below(store_trial_folder(x->store, x->trial, x->arena),
                        str_of(name));
    if (fd < 0 && errno == ENOENT)
        return read_packed(x, name);
    if (fd < 0)
        return err_set(&x->err, ERR_MISSING, "`%s` of trial %lld is no file",
                       name, (long long)x->trial);
    if (last && !fstat(fd, &st) && st.st_size > (off_t)last)
        from = st.st_size - (off_t)last;
    int rc = read_file(x, fd, from, most);
    close(fd);
    return rc;
}

static void keep_last(struct buf *b, size_t most)
{
    if (b->len > most)
        buf_drop(b, b->len - most);
}

/* One that printed nothing has none, and that is no mistake. */
int route_log(struct exchange *x)
{
    int64_t bytes;
    struct trial t;
    if (ask_number(x, "bytes", 1, LOG_MOST, 65536, &bytes) ||
        store_trial(x->store, x->trial, x->arena, &t, &x->err))
        return -1;
    x->answer.type = "text/plain; charset=utf-8";
    /* While it is read the trial may print more. */
    int rc = read_named(x, "log", (size_t)bytes, LOG_MOST + (1u << 20));
    keep_last(&x->answer.body, (size_t)bytes);
    return rc && x->err.kind == ERR_MISSING ? 0 : rc;
}

struct listing {
    struct exchange *x;
    bool first;
};

static void add_file(struct listing *l, const char *name, uint64_t bytes)
{
    struct buf *b = &l->x->answer.body;
    buf_adds(b, l->first ? "{\"path\":" : ",{\"path\":");
    l->first = false;
    json_string(b, str_of(name));
    buf_addf(b, ",\"bytes\":%llu}", (unsigned long long)bytes);
}

static int visit(void *context, const char *name, const struct stat *st,
                 struct err *err)
{
    (void)err;
    if (S_ISREG(st->st_mode))
        add_file(context, name, (uint64_t)st->st_size);
    return 0;
}

int route_files(struct exchange *x)
{
    struct listing l = {.x = x, .first = true};
    const char *folder = store_trial_folder(x->store, x->trial, x->arena);
    struct packs *packs = packs_open(x->study->where.folder);
    struct packed *packed;
    size_t count;
    buf_adds(&x->answer.body, "{\"schema\":\"throng.files/1\",\"folder\":");
    json_string(&x->answer.body, str_of(folder));
    buf_adds(&x->answer.body, ",\"files\":[");
    int rc = file_is_dir(folder) ? dir_visit(folder, visit, &l, &x->err) : 0;
    if (!rc)
        rc = packs_list(packs, x->trial, x->arena, &packed, &count, &x->err);
    for (size_t i = 0; !rc && i < count; i++)
        add_file(&l, packed[i].name, packed[i].bytes);
    buf_adds(&x->answer.body, "]}\n");
    packs_close(packs);
    return rc;
}

/* Kinds that a browser shows; no other is shown. Text is plain, whatever it
 * says it is. */
static const struct {
    const char *ending, *type;
} shown_types[] = {
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".gif", "image/gif"},
    {".webp", "image/webp"},
    {".bmp", "image/bmp"},
    {".txt", "text/plain; charset=utf-8"},
    {".log", "text/plain; charset=utf-8"},
    {"log", "text/plain; charset=utf-8"},
    {".json", "text/plain; charset=utf-8"},
    {".jsonl", "text/plain; charset=utf-8"},
    {".yaml", "text/plain; charset=utf-8"},
    {".csv", "text/plain; charset=utf-8"},
    {".tsv", "text/plain; charset=utf-8"},
    {".md", "text/plain; charset=utf-8"},
};

static void set_type(struct answer *a, const char *name)
{
    a->type = "application/octet-stream";
    a->as_file = true;
    for (size_t i = 0; i < sizeof(shown_types) / sizeof(shown_types[0]); i++)
        if (str_ends(str_of(name), str_of(shown_types[i].ending))) {
            a->type = shown_types[i].type;
            a->as_file = false;
            a->may_pack = str_starts(str_of(a->type), STR("text/"));
            return;
        }
}

int route_file(struct exchange *x)
{
    const char *name;
    struct trial t;
    if (ask_needed(x, "path", &name) ||
        store_trial(x->store, x->trial, x->arena, &t, &x->err))
        return -1;
    set_type(&x->answer, name);
    return read_named(x, name, 0, FILE_MOST);
}
