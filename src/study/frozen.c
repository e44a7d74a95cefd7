/* frozen.c - the files that tasks run from, as they were at one moment
 *
 * With git: every file of the index, as it is in the working tree, so that the
 * folder is the commit and what was changed since. With copy: all files below
 * the study file's folder. What is too large for a copy, or is not git's, is
 * linked to where it is, so that data is found; that is said, since edits there
 * are seen. Folders of throng and git themselves, and Python's caches, are left
 * out. */
#include "study/frozen.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "study/program_read.h"
#include "sys/sys.h"

#define FILE_BYTES (64u << 20)         /* larger ones are linked */
#define COPY_BYTES (UINT64_C(1) << 30) /* of all: more is no code */
#define COPY_FILES 20000
#define DEPTH_MAX 100
#define GIT_SECONDS 120.0

struct freezing {
    struct arena *arena;
    const char *from, *to;
    const char *made; /* folder below `to` that is there already */
    enum code_kind how;
    struct frozen *out;
};

static bool is_left_out(struct str name)
{
    return str_is(name, ".throng") || str_is(name, ".git") ||
           str_is(name, "__pycache__");
}

/* ---- one file ------------------------------------------------------------ */

static int make_around(struct freezing *f, const char *path, struct err *err)
{
    const char *folder = path_folder(f->arena, path);
    if (f->made && strcmp(folder, f->made) == 0)
        return 0;
    f->made = folder;
    return dir_make(folder, err);
}

static int link_to(struct freezing *f, const char *name, const char *target,
                   struct err *err)
{
    const char *path = path_join(f->arena, f->to, name);
    if (make_around(f, path, err))
        return -1;
    if (symlink(target, path) && errno != EEXIST)
        return err_errno(err, "make the link %s", path);
    return 0;
}

static int link_live(struct freezing *f, const char *name, struct err *err)
{
    vec_push(&f->out->linked, name);
    return link_to(f, name, path_join(f->arena, f->from, name), err);
}

/* A link that stays below is the same in the copy; others lead to what they
 * lead to now. */
static int copy_link(struct freezing *f, const char *name, struct err *err)
{
    char target[4096];
    const char *path = path_join(f->arena, f->from, name);
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0)
        return err_errno(err, "read the link %s", path);
    target[n] = 0;
    if (target[0] == '/' || strstr(target, ".."))
        return link_live(f, name, err);
    return link_to(f, name, target, err);
}

static int copy_bytes(const char *from, const char *to, const struct stat *st,
                      struct err *err)
{
    struct timespec times[2] = {st->st_mtim, st->st_mtim};
    int in = open(from, O_RDONLY | O_CLOEXEC), rc = 0;
    if (in < 0)
        return err_errno(err, "read %s", from);
    int out =
        open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, st->st_mode & 0777);
    if (out < 0 || fd_copy(in, out) || futimens(out, times))
        rc = err_errno(err, "copy %s to %s", from, to);
    if (out >= 0 && close(out) && !rc)
        rc = err_errno(err, "write %s", to);
    close(in);
    return rc;
}

static int too_much(const struct freezing *f, struct err *err)
{
    struct buf size;
    buf_init(&size);
    num_print_bytes(&size, f->out->bytes);
    err_set(err, ERR_INPUT,
            "code: %s has more than %llu files or %s of them, which is more "
            "than code: let git say which they are (code: git), or move data "
            "elsewhere",
            f->from, (unsigned long long)f->out->files, size.p);
    buf_done(&size);
    return -1;
}

static int copy_file(struct freezing *f, const char *name,
                     const struct stat *st, struct err *err)
{
    const char *to = path_join(f->arena, f->to, name);
    if ((uint64_t)st->st_size > FILE_BYTES)
        return link_live(f, name, err);
    f->out->files++;
    f->out->bytes += (uint64_t)st->st_size;
    if (f->out->files > COPY_FILES || f->out->bytes > COPY_BYTES)
        return too_much(f, err);
    if (make_around(f, to, err))
        return -1;
    return copy_bytes(path_join(f->arena, f->from, name), to, st, err);
}

/* What is gone meanwhile, and what is neither file nor link, is no code. */
static int freeze_one(struct freezing *f, const char *name, struct err *err)
{
    struct stat st;
    if (lstat(path_join(f->arena, f->from, name), &st))
        return 0;
    if (S_ISLNK(st.st_mode))
        return copy_link(f, name, err);
    if (S_ISREG(st.st_mode))
        return copy_file(f, name, &st, err);
    if (S_ISDIR(st.st_mode) && f->how == CODE_GIT)
        return link_live(f, name, err); /* a module of git's in another one */
    return 0;
}

/* ---- all of them --------------------------------------------------------- */

static int copy_below(struct freezing *f, const char *folder, unsigned depth,
                      struct err *err)
{
    const char *at = path_join(f->arena, f->from, folder);
    const char **names = dir_list(at, f->arena, err);
    if (!names)
        return -1;
    if (depth > DEPTH_MAX)
        return err_set(err, ERR_INPUT, "code: folders are nested too deep: %s",
                       at);
    for (; *names; names++) {
        const char *name =
            *folder ? path_join(f->arena, folder, *names) : *names;
        struct stat st;
        if (is_left_out(str_of(*names)) ||
            lstat(path_join(f->arena, f->from, name), &st))
            continue;
        int rc = S_ISDIR(st.st_mode) ? copy_below(f, name, depth + 1, err)
                                     : freeze_one(f, name, err);
        if (rc)
            return -1;
    }
    return 0;
}

static int ask_git(const struct freezing *f, const char *const *argv,
                   struct buf *b, struct err *err)
{
    const char *scratch = arena_printf(f->arena, "%s.git", f->to);
    if (program_read(f->from, scratch, argv, GIT_SECONDS, b) == 0)
        return 0;
    return err_set(err, ERR_INPUT,
                   "code: `git %s` does not work in %s; say `code: copy` where "
                   "there is no git",
                   argv[1], f->from);
}

/* Names end with a NUL; those of folders with a slash before it. */
static const char *next_name(struct freezing *f, struct str *rest)
{
    struct str name;
    if (rest->len == 0 || !str_split(rest, '\0', &name) || name.len == 0)
        return NULL;
    if (name.p[name.len - 1] == '/')
        name.len--;
    return arena_cstr(f->arena, name);
}

static int copy_known(struct freezing *f, struct err *err)
{
    static const char *const argv[] = {"git", "ls-files", "-z", NULL};
    struct buf b;
    const char *name;
    buf_init(&b);
    int rc = ask_git(f, argv, &b, err);
    struct str rest = buf_str(&b);
    while (!rc && (name = next_name(f, &rest)))
        rc = freeze_one(f, name, err);
    buf_done(&b);
    return rc;
}

static int link_unknown(struct freezing *f, struct err *err)
{
    static const char *const argv[] = {"git",      "ls-files",    "-z",
                                       "--others", "--directory", NULL};
    struct buf b;
    const char *name;
    buf_init(&b);
    int rc = ask_git(f, argv, &b, err);
    struct str rest = buf_str(&b);
    while (!rc && (name = next_name(f, &rest)))
        if (!is_left_out(path_name(name)))
            rc = link_live(f, name, err);
    buf_done(&b);
    return rc;
}

/* From the top of the repository on: a study may import what is above it. */
static int find_top(struct freezing *f, const char *home, struct err *err)
{
    static const char *const top[] = {"git", "rev-parse", "--show-toplevel",
                                      NULL};
    static const char *const prefix[] = {"git", "rev-parse", "--show-prefix",
                                         NULL};
    struct buf b;
    buf_init(&b);
    f->from = home;
    int rc = ask_git(f, top, &b, err);
    const char *from = arena_cstr(f->arena, str_trim(buf_str(&b)));
    buf_reset(&b);
    if (!rc)
        rc = ask_git(f, prefix, &b, err);
    struct str inside = str_trim(buf_str(&b));
    if (inside.len && inside.p[inside.len - 1] == '/')
        inside.len--;
    f->out->inside = arena_cstr(f->arena, inside);
    f->from = from;
    buf_done(&b);
    return rc;
}

static int freeze_git(struct freezing *f, const char *home, struct err *err)
{
    if (find_top(f, home, err) || copy_known(f, err))
        return -1;
    if (!file_is_dir(path_join(f->arena, f->to, f->out->inside)))
        return err_set(err, ERR_INPUT,
                       "code: git knows no file in %s; add them (git add), or "
                       "say `code: copy`",
                       home);
    return link_unknown(f, err);
}

int frozen_make(enum code_kind how, const char *home, const char *to,
                struct arena *a, struct frozen *out, struct err *err)
{
    struct freezing f = {
        .arena = a, .from = home, .to = to, .how = how, .out = out};
    *out = (struct frozen){.inside = ""};
    if (dir_remove(to, err) || dir_make(to, err))
        return -1;
    return how == CODE_GIT ? freeze_git(&f, home, err)
                           : copy_below(&f, "", 0, err);
}

void frozen_done(struct frozen *f)
{
    vec_done(&f->linked);
}
