/* walk.c - visiting what lies below a folder
 *
 * Every step is relative to the descriptor of the folder that was listed, so
 * that nobody can lead the walk elsewhere by swapping a folder for a link. */
#include "sys/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct walker {
    walk_fn *fn;
    void *context;
    const char *root;
    struct buf path;
    unsigned depth;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

const char **walk_names(int fd, struct arena *a, size_t *count)
{
    VEC(const char *) names = {0};
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return NULL;
    }
    errno = 0;
    for (struct dirent *e; (e = readdir(dir)); errno = 0)
        if (!is_dots(e->d_name))
            vec_push(&names, arena_cstr(a, str_of(e->d_name)));
    int error = errno;
    closedir(dir);
    const char **list = NULL;
    if (!error) {
        list = arena_array(a, names.len + 1, sizeof(*list));
        if (names.len) {
            qsort(names.p, names.len, sizeof(*names.p), by_name);
            memcpy(list, names.p, names.len * sizeof(*list));
        }
        *count = names.len;
    }
    vec_done(&names);
    errno = error;
    return list;
}

static int walk_folder(struct walker *w, int fd, struct err *err);

static int enter(struct walker *w, int folder, const char *name,
                 struct err *err)
{
    if (w->depth >= WALK_DEPTH_MAX)
        return err_set(err, ERR_LIMIT,
                       "%s: folders are nested deeper than %d levels", w->root,
                       WALK_DEPTH_MAX);
    int fd = openat(folder, name, OPEN_FOLDER);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
        return 0;
    if (fd < 0)
        return err_errno(err, "cannot list %s/%s", w->root, w->path.p);
    return walk_folder(w, fd, err);
}

static int visit(struct walker *w, int folder, const char *name,
                 struct err *err)
{
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT
                   ? 0
                   : err_errno(err, "cannot look at %s/%s", w->root, w->path.p);
    struct walk_entry e = {.path = w->path.p,
                           .name = name,
                           .folder = folder,
                           .stat = &st,
                           .depth = w->depth};
    enum walk_answer answer = w->fn(w->context, &e, err);
    if (answer == WALK_ERROR)
        return -1;
    if (answer == WALK_SKIP || !S_ISDIR(st.st_mode))
        return 0;
    return enter(w, folder, name, err);
}

/* Takes fd over. */
static int walk_folder(struct walker *w, int fd, struct err *err)
{
    size_t count, len = w->path.len;
    int rc = 0, listed = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    struct arena *a = arena_new();
    const char **names = listed < 0 ? NULL : walk_names(listed, a, &count);
    if (!names)
        rc = err_errno(err, "cannot list %s/%s", w->root, w->path.p);
    w->depth++;
    for (size_t i = 0; rc == 0 && names[i]; i++) {
        if (len)
            buf_addc(&w->path, '/');
        buf_adds(&w->path, names[i]);
        rc = visit(w, fd, names[i], err);
        w->path.len = len;
        w->path.p[len] = 0;
    }
    w->depth--;
    arena_free(a);
    close(fd);
    return rc;
}

int walk(const char *root, walk_fn *fn, void *context, struct err *err)
{
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return err_set(err, ERR_MISSING, "there is no folder %s", root);
    if (fd < 0)
        return err_errno(err, "cannot list %s", root);
    struct walker w = {.fn = fn, .context = context, .root = root};
    buf_init(&w.path);
    int rc = walk_folder(&w, fd, err);
    buf_done(&w.path);
    return rc;
}
