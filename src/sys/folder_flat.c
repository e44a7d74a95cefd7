/* folder_flat.c - a tree as files of one folder, for who carries only those
 *
 * The files below a folder's folders are renamed into it, as flat.0, flat.1 …,
 * and the file flat.tree says where each of them was, with the folders and the
 * links, which are taken away. It is written first: whoever is interrupted in
 * between leaves a folder that is put right by either of the two functions.
 * What is no file, folder or link is gone. */
#include "sys/sys.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/vec.h"
#include "sys/walk.h"

#define TREE "flat.tree"
#define TREE_MAGIC "throng tree 1\n"
#define NAME_MAX_BYTES 32

enum kind { FOLDER = 1, FILE_, LINK, OTHER };

struct thing {
    enum kind kind;
    mode_t mode;
    const char *path;   /* relative to the folder */
    const char *target; /* of a link */
};

struct flat {
    const char *folder;
    struct arena *arena;
    VEC(struct thing) things;
};

static const char *flat_name(char *name, size_t i)
{
    snprintf(name, NAME_MAX_BYTES, "flat.%zu", i);
    return name;
}

static const char *at(const struct flat *f, const char *path)
{
    return path_join(f->arena, f->folder, path);
}

/* ---- laying it flat ----------------------------------------------------- */

/* As it can be followed wherever the folder is: one that names the folder by
 * its path goes up to it instead. */
static const char *portable(const struct flat *f, const struct walk_entry *e,
                            struct str target)
{
    size_t len = strlen(f->folder);
    struct buf b;
    if (target.len <= len + 1 || memcmp(target.p, f->folder, len) != 0 ||
        target.p[len] != '/')
        return arena_cstr(f->arena, target);
    buf_init(&b);
    for (unsigned i = 1; i < e->depth; i++)
        buf_adds(&b, "../");
    buf_add(&b, target.p + len + 1, target.len - len - 1);
    const char *made = arena_cstr(f->arena, buf_str(&b));
    buf_done(&b);
    return made;
}

static enum walk_answer add_thing(void *context, const struct walk_entry *e,
                                  struct err *err)
{
    struct flat *f = context;
    mode_t mode = e->stat->st_mode;
    char target[PATH_MAX];
    struct thing t = {.mode = mode & 0777,
                      .kind = S_ISDIR(mode)   ? FOLDER
                              : S_ISREG(mode) ? FILE_
                              : S_ISLNK(mode) ? LINK
                                              : OTHER,
                      .path = arena_cstr(f->arena, str_of(e->path)),
                      .target = ""};
    if (t.kind == FILE_ && e->depth == 1)
        return WALK_ON;
    if (t.kind == LINK) {
        ssize_t n = readlinkat(e->folder, e->name, target, sizeof target);
        if (n < 0) {
            err_errno(err, "read the link %s/%s", f->folder, e->path);
            return WALK_ERROR;
        }
        t.target = portable(f, e, str_n(target, (size_t)n));
    }
    vec_push(&f->things, t);
    return WALK_ON;
}

static int write_tree(const struct flat *f, struct err *err)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, TREE_MAGIC);
    buf_add_u64(&b, f->things.len);
    for (size_t i = 0; i < f->things.len; i++) {
        const struct thing *t = &f->things.p[i];
        buf_add_u8(&b, (uint8_t)t->kind);
        buf_add_u32(&b, t->mode);
        buf_add_bytes(&b, str_of(t->path));
        buf_add_bytes(&b, str_of(t->target));
    }
    int rc = file_write(at(f, TREE), buf_str(&b), false, err);
    buf_done(&b);
    return rc;
}

/* Folders go last, from below, and one that is not empty stays. */
static int move_out(const struct flat *f, struct err *err)
{
    char name[NAME_MAX_BYTES];
    for (size_t i = 0; i < f->things.len; i++) {
        const struct thing *t = &f->things.p[i];
        const char *path = at(f, t->path);
        if (t->kind == FILE_ && rename(path, at(f, flat_name(name, i))) != 0)
            return err_errno(err, "rename %s", path);
        if ((t->kind == LINK || t->kind == OTHER) && unlink(path) != 0)
            return err_errno(err, "remove %s", path);
    }
    for (size_t i = f->things.len; i-- > 0;)
        if (f->things.p[i].kind == FOLDER)
            rmdir(at(f, f->things.p[i].path));
    return 0;
}

static void close_flat(struct flat *f)
{
    vec_done(&f->things);
    arena_free(f->arena);
}

int dir_flatten(const char *folder, struct err *err)
{
    if (dir_unflatten(folder, err))
        return -1;
    struct flat f = {.folder = folder, .arena = arena_new()};
    int rc = walk(folder, add_thing, &f, err);
    if (!rc && f.things.len)
        rc = write_tree(&f, err) || move_out(&f, err) ? -1 : 0;
    close_flat(&f);
    return rc;
}

/* ---- putting it right again --------------------------------------------- */

/* How deep a relative path ends below where it begins; -1: it leaves it on its
 * way, or is none. */
static int depth_of(const char *path, int depth)
{
    struct str rest = str_of(path), part;
    if (!rest.len || path[0] == '/')
        return -1;
    while (rest.p && str_split(&rest, '/', &part)) {
        if (str_is(part, ".."))
            depth--;
        else if (part.len && !str_is(part, "."))
            depth++;
        if (depth < 0)
            return -1;
    }
    return depth;
}

/* Nothing outside of the folder is named, whoever wrote it. */
static bool is_safe(const struct thing *t)
{
    bool up = strcmp(t->path, "..") == 0 || strncmp(t->path, "../", 3) == 0 ||
              strstr(t->path, "/../") || str_ends(str_of(t->path), STR("/.."));
    int depth = up ? -1 : depth_of(t->path, 0);
    return depth > 0 &&
           (t->kind != LINK || depth_of(t->target, depth - 1) >= 0);
}

static int read_tree(struct flat *f, struct str text, struct err *err)
{
    if (!str_starts(text, STR(TREE_MAGIC)))
        return err_set(err, ERR_CORRUPT, "%s is no list of a tree",
                       at(f, TREE));
    size_t skip = strlen(TREE_MAGIC);
    struct bytes b = bytes_of(str_n(text.p + skip, text.len - skip));
    uint64_t count = bytes_u64(&b);
    for (uint64_t i = 0; i < count && !b.bad; i++) {
        struct thing t = {.kind = bytes_u8(&b), .mode = bytes_u32(&b)};
        t.path = arena_cstr(f->arena, bytes_str(&b));
        t.target = arena_cstr(f->arena, bytes_str(&b));
        vec_push(&f->things, t);
    }
    return b.bad || b.p != b.end
               ? err_set(err, ERR_CORRUPT, "%s is damaged", at(f, TREE))
               : 0;
}

static int put_back(const struct flat *f, size_t i, struct err *err)
{
    const struct thing *t = &f->things.p[i];
    const char *path = at(f, t->path);
    char name[NAME_MAX_BYTES];
    if (t->kind == FOLDER) {
        if (dir_make(path, err))
            return -1;
        chmod(path, t->mode | 0700);
    } else if (t->kind == FILE_) {
        const char *from = at(f, flat_name(name, i));
        if (dir_make(path_folder(f->arena, path), err))
            return -1;
        if (rename(from, path) != 0 && errno != ENOENT)
            return err_errno(err, "rename %s to %s", from, path);
    }
    return 0;
}

/* Links last: nothing is put where one leads. */
static int move_in(const struct flat *f, struct err *err)
{
    for (size_t i = 0; i < f->things.len; i++)
        if (is_safe(&f->things.p[i]) && put_back(f, i, err))
            return -1;
    for (size_t i = 0; i < f->things.len; i++) {
        const struct thing *t = &f->things.p[i];
        if (t->kind == LINK && is_safe(t) &&
            symlink(t->target, at(f, t->path)) != 0 && errno != EEXIST)
            return err_errno(err, "make the link %s", at(f, t->path));
    }
    return unlink(at(f, TREE)) == 0 ? 0
                                    : err_errno(err, "remove %s", at(f, TREE));
}

int dir_unflatten(const char *folder, struct err *err)
{
    struct flat f = {.folder = folder, .arena = arena_new()};
    struct buf text;
    int rc = 0;
    buf_init(&text);
    if (file_exists(at(&f, TREE)))
        rc = file_read(at(&f, TREE), 0, &text, err) ||
                     read_tree(&f, buf_str(&text), err) || move_in(&f, err)
                 ? -1
                 : 0;
    buf_done(&text);
    close_flat(&f);
    return rc;
}
