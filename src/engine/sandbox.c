/* sandbox.c - a bundle that runs where nothing of ours is
 *
 * A task says where things are by paths of this machine. In the bundle that is
 * sent they are those of the sandbox: what lies below the study's files keeps
 * its place there, what the task writes is below throng-out, and what it goes
 * on from is copied to be sent. Words of commands and variables, which the
 * worker passes on, name the sandbox by the variable that HTCondor has for
 * it. */
#include "engine/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "base/chars.h"
#include "engine/packing.h"
#include "sys/sys.h"
#include "terms/bundle.h"

#define SCRATCH "${envvar:_CONDOR_SCRATCH_DIR}"
#define LAYOUT_MAX 64

/* ---- paths -----------------------------------------------------------------
 */

/* What is behind a folder in a path: "" for itself; NULL: it is not in it. */
static const char *below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    if (strncmp(path, folder, len) != 0 || (path[len] && path[len] != '/'))
        return NULL;
    return path[len] ? path + len + 1 : "";
}

/* Where a path of this machine is in the sandbox; NULL: nowhere. */
static const char *inside(const struct packing *p, const char *path)
{
    const struct engine_travel *t = p->travel;
    const char *rest = below(path, t->root);
    if (!rest && below(path, p->folder))
        return NULL;
    if (!rest && (rest = below(path, t->home)))
        return *t->inside ? path_join(p->arena, t->inside, rest) : rest;
    return rest;
}

/* A path of a task; one that is nowhere stays what it is. */
static struct str in_sandbox(const struct packing *p, struct str path)
{
    const char *rest = inside(p, arena_cstr(p->arena, path));
    if (!path.len || !rest)
        return path;
    return str_of(*rest ? rest : ".");
}

/* The folder of a trial. */
static struct str in_out(const struct packing *p, struct str path)
{
    const char *rest = below(arena_cstr(p->arena, path), p->folder);
    return rest ? str_of(path_join(p->arena, SANDBOX_OUT, rest)) : path;
}

/* A text with paths of this machine, alone or between colons, as the worker
 * shall make it. */
static struct str in_words(const struct packing *p, struct str text)
{
    struct buf b;
    struct str rest = text, part;
    bool changed = false, first = true;
    buf_init(&b);
    while (rest.p && str_split(&rest, ':', &part)) {
        const char *there = part.len && part.p[0] == '/'
                                ? inside(p, arena_cstr(p->arena, part))
                                : NULL;
        buf_adds(&b, first ? "" : ":");
        first = false;
        if (there)
            buf_addf(&b, SCRATCH "%s%s", *there ? "/" : "", there);
        else
            buf_addstr(&b, part);
        changed |= there != NULL;
    }
    struct str made = changed ? arena_str(p->arena, buf_str(&b)) : text;
    buf_done(&b);
    return made;
}

/* ---- what is sent with it --------------------------------------------------
 */

/* Models are as large as they are many: what nobody writes again needs no copy
 * of its own. */
static int copy_there(const char *from, const char *to, bool fixed,
                      struct err *err)
{
    struct buf text;
    if (!file_exists(from))
        return 0; /* whoever looks for it says so */
    if (fixed && link(from, to) == 0)
        return 0;
    if (file_is_dir(from))
        return dir_copy(from, to, err);
    buf_init(&text);
    int rc = file_read(from, 0, &text, err);
    if (!rc)
        rc = file_write(to, buf_str(&text), false, err);
    buf_done(&text);
    return rc;
}

struct str packing_place(const struct packing *p, const char *name)
{
    return str_of(
        arena_printf(p->arena, "%.*s/was/%s", STRF(path_name(p->in)), name));
}

int packing_stage(struct packing *p, struct str *path, bool fixed,
                  struct err *err)
{
    const char *from = arena_cstr(p->arena, *path);
    size_t k = 0;
    if (!path->len)
        return 0;
    while (k < p->staged.len && strcmp(p->staged.p[k], from) != 0)
        k++;
    struct str own = fixed ? path_name(from) : STR("");
    const char *name =
        arena_printf(p->arena, "%zu%s%.*s", k, fixed ? "-" : "", STRF(own));
    if (k == p->staged.len) {
        const char *to =
            path_join(p->arena, path_join(p->arena, p->in, "was"), name);
        vec_push(&p->staged, from);
        if (dir_make(path_folder(p->arena, to), err) ||
            copy_there(from, to, fixed, err))
            return err_wrap(err, "what a trial goes on from");
    }
    *path = packing_place(p, name);
    return 0;
}

/* A folder that an earlier attempt has left is where this one begins. */
static int stage_folder(struct packing *p, struct task *t, struct err *err)
{
    if (file_is_dir(arena_cstr(p->arena, t->folder)))
        t->copy_of = t->folder;
    t->folder = in_out(p, t->folder);
    return packing_stage(p, &t->copy_of, false, err);
}

/* ---- tasks ------------------------------------------------------------------
 */

static void rewrite_words(struct packing *p, struct task *t)
{
    struct arg *argv = arena_array(p->arena, t->argc + 1, sizeof *argv);
    struct assignment *env =
        arena_array(p->arena, t->env_count + 1, sizeof *env);
    for (size_t i = 0; i < t->argc; i++) {
        struct str made = in_words(p, t->argv[i].text);
        argv[i] = t->argv[i];
        if (argv[i].kind == ARG_TEXT && made.p != argv[i].text.p)
            argv[i] = (struct arg){ARG_EXPAND, made};
    }
    for (size_t i = 0; i < t->env_count; i++)
        env[i] =
            (struct assignment){t->env[i].name, in_words(p, t->env[i].value)};
    t->argv = argv;
    t->env = env;
}

/* The image is HTCondor's to start: the worker runs inside of it. */
static int rewrite(struct packing *p, struct task *t, struct err *err)
{
    rewrite_words(p, t);
    if (packing_rows(p, t, err))
        return -1;
    t->workdir = in_sandbox(p, t->workdir);
    t->container = t->binds = (struct str){"", 0};
    return stage_folder(p, t, err) ||
                   packing_stage(p, &t->resume_from, false, err) ||
                   packing_stage(p, &t->state.file, false, err)
               ? -1
               : 0;
}

static int add_task(struct packing *p, const struct record *r, struct buf *b,
                    struct err *err)
{
    struct record made = *r;
    struct task t;
    struct buf text;
    if (task_parse(&t, r->payload, p->arena, err) || rewrite(p, &t, err))
        return -1;
    buf_init(&text);
    task_print(&text, &t);
    made.payload = buf_str(&text);
    record_print(b, &made);
    buf_done(&text);
    return 0;
}

static int write_tasks(struct packing *p, const struct job_bundle *b,
                       struct err *err)
{
    const char *name = arena_cstr(p->arena, path_name(b->stem));
    const char *path = bundle_tasks(path_join(p->arena, p->in, name), p->arena);
    struct buf text;
    int rc = 0;
    buf_init(&text);
    for (size_t i = 0; !rc && i < b->count; i++)
        rc = add_task(p, &b->tasks[i], &text, err);
    if (!rc)
        rc = file_write(path, buf_str(&text), false, err);
    buf_done(&text);
    return rc;
}

/* What is to come back is there before the worker is: a job that has to leave
 * as it begins would be held for lack of it. */
static int begin_out(const char *stem, struct arena *a, struct err *err)
{
    const char *out = path_join(a, path_folder(a, stem), SANDBOX_OUT);
    const char *layout = path_join(a, out, SANDBOX_LAYOUT_FILE);
    if (file_exists(layout))
        return 0;
    return dir_make(out, err) ||
                   file_write(layout, STR(SANDBOX_LAYOUT "\n"), false, err)
               ? -1
               : 0;
}

/* A file that is to be sent must be there, whether or not it says anything. */
int sandbox_pack(const struct engine_travel *travel, const char *folder,
                 const struct job_bundle *b, struct err *err)
{
    struct arena *a = arena_new();
    struct packing p = {.travel = travel,
                        .folder = folder,
                        .in = arena_printf(a, "%s.in", b->stem),
                        .arena = a};
    int rc = dir_make(p.in, err) || write_tasks(&p, b, err) ||
                     dir_flatten(p.in, err) || begin_out(b->stem, a, err) ||
                     file_write(bundle_asked(b->stem, a), STR(""), false, err)
                 ? -1
                 : 0;
    vec_done(&p.staged);
    arena_free(a);
    return rc;
}

/* ---- what comes back --------------------------------------------------------
 */

/* Where something of that name is, it is what this began with. */
static int put(const char *from, const char *to, struct arena *a,
               struct err *err)
{
    const char *old = arena_printf(a, "%s.before", to);
    if (dir_remove(old, err))
        return -1;
    if (rename(to, old) != 0 && errno != ENOENT)
        return err_errno(err, "rename %s", to);
    if (rename(from, to) != 0)
        return err_errno(err, "rename %s to %s", from, to);
    return dir_remove(old, err);
}

static int put_all(const char *from, const char *to, struct arena *a,
                   struct err *err)
{
    const char **names = dir_list(from, a, NULL);
    if (names && *names && dir_make(to, err))
        return -1;
    for (; names && *names; names++)
        if (is_digit(**names) &&
            put(path_join(a, from, *names), path_join(a, to, *names), a, err))
            return -1;
    return 0;
}

/* Folders of a thousand trials each. */
static int put_trials(const char *out, const char *folder, struct arena *a,
                      struct err *err)
{
    const char *trials = path_join(a, out, "trials");
    const char *home = path_join(a, folder, "trials");
    const char **names = dir_list(trials, a, NULL);
    for (; names && *names; names++)
        if (is_digit(**names) && put_all(path_join(a, trials, *names),
                                         path_join(a, home, *names), a, err))
            return -1;
    return 0;
}

static int put_records(const char *out, const char *stem, struct arena *a,
                       struct err *err)
{
    const char **names = dir_list(out, a, NULL);
    struct str begins =
        str_of(arena_printf(a, "%.*s.said.", STRF(path_name(stem))));
    for (; names && *names; names++) {
        const char *from = path_join(a, out, *names);
        const char *to = path_join(a, path_folder(a, stem), *names);
        if (str_starts(str_of(*names), begins) && rename(from, to) != 0)
            return err_errno(err, "rename %s to %s", from, to);
    }
    return 0;
}

/* A job that ended before its worker began has made none. */
static int check_layout(const char *out, struct arena *a, struct err *err)
{
    const char *path = path_join(a, out, SANDBOX_LAYOUT_FILE);
    struct buf text;
    buf_init(&text);
    int rc = file_exists(path) ? file_read(path, LAYOUT_MAX, &text, err) : 0;
    struct str said = str_trim(buf_str(&text));
    if (!rc && said.len && !str_is(said, SANDBOX_LAYOUT))
        rc = err_set(err, ERR_INPUT,
                     "%s came back from a job of another version of throng "
                     "('%.*s'; this one reads '" SANDBOX_LAYOUT
                     "'): its trials run again",
                     out, STRF(said));
    buf_done(&text);
    return rc;
}

/* Records last: who hears them finds the trials' folders. */
int sandbox_arrive(const char *folder, const char *stem, struct err *err)
{
    struct arena *a = arena_new();
    const char *out = arena_printf(a, "%s.out", stem);
    int rc = 0;
    if (file_is_dir(out))
        rc = check_layout(out, a, err) || dir_unflatten(out, err) ||
                     put_trials(out, folder, a, err) ||
                     put_records(out, stem, a, err)
                 ? -1
                 : 0;
    arena_free(a);
    return rc;
}
