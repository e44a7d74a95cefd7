/* special.c - when a cohort gets kernels for its shapes
 *
 * A program's name is a hash of its text, so that it is that of these shapes,
 * of this throng, this compiler and its options, and of nothing else. What is
 * in the cache is taken at once. Else the cohort trains with the general
 * kernels, and when it has done so for some seconds a process beside it
 * compiles: what takes no time to train is not worth that either. Only a few of
 * a person's compile at the same time, each of which holds a lock in the cache,
 * since there may be hundreds of cohorts; and one alone compiles a text, whose
 * file it holds until it is done, since there is a cohort of a model on each
 * GPU. The others ask again. Whatever goes wrong there, training goes on with
 * what it has; who hangs is ended, and its turn is another's.
 *
 * THRONG_CUDA_KERNELS=general does without; =special has them compiled before
 * the first step. */
#include "nn/cuda/special.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "nn/cuda/nvrtc.h"
#include "nn/nn.h"
#include "sys/sys.h"

#define WORTH_NS 3000000000ll /* of training, until it is worth compiling */
#define ASK_AGAIN_NS 1000000000ll
#define COMPILE_MOST_NS 1800000000000ll /* else it hangs: half an hour */
#define COMPILERS_MOST 4 /* each takes a cpu, and 100 MB or more */
#define PROGRAM_MAX ((size_t)64 << 20)
#define KEPT_FILES 512 /* of the cache; the oldest go first */
#define LOCK_NAME "compiler-"

struct special {
    struct gpu_machine *gpu;
    struct arena *arena;
    struct buf text;
    const char *stem; /* of its files, without their ending */
    const char *program, *source;
    const char *locks[COMPILERS_MOST];
    int count;
    int64_t due_ns;   /* when it is worth to compile, or to ask again, or when
                         the compiler must be done */
    pid_t compiler;   /* 0: it does not run */
    int lock, locked; /* that it may, and which one that is */
    int text_lock;    /* the file of the text, which is ours to compile */
    bool over;        /* they are taken, or there will be none */
    bool taken;       /* and not refused by the driver */
};

/* ---- files ----------------------------------------------------------------
 */

static const char *with_ending(struct arena *a, const char *stem,
                               const char *ending)
{
    return arena_printf(a, "%s.%s", stem, ending);
}

/* NULL: there is nowhere to keep it. */
static const char *stem_of(struct arena *a, struct str text, const char *kind)
{
    const char *cache = cache_dir(a);
    const char *folder = cache ? path_join(a, cache, "kernels") : NULL;
    if (!folder || dir_make(folder, NULL))
        return NULL;
    return path_join(a, folder,
                     arena_printf(a, "%016llx-%s",
                                  (unsigned long long)hash64(text, 0), kind));
}

/* The program behind a hash of itself. */
static int write_program(const char *path, struct str program, struct err *err)
{
    struct buf b;
    buf_init(&b);
    buf_add_u64(&b, hash64(program, 0));
    buf_addstr(&b, program);
    int rc = file_write(path, buf_str(&b), false, err);
    buf_done(&b);
    return rc;
}

static bool read_program(const char *path, struct buf *program)
{
    if (file_read(path, PROGRAM_MAX, program, NULL) || program->len < 8)
        return false;
    struct bytes head = bytes_of(buf_str(program));
    uint64_t hash = bytes_u64(&head);
    buf_drop(program, 8);
    return hash == hash64(buf_str(program), 0);
}

struct kept {
    const char *path;
    int64_t seconds;
};

static int by_age(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* A text that somebody holds is being compiled. */
static void remove_kept(const char *path)
{
    int lock = -1;
    if (!str_ends(str_of(path), STR(".cu")))
        unlink(path);
    else if ((lock = lock_take(path, 0600)) >= 0)
        lock_drop(lock, path);
}

/* All but the locks that say how many compile. */
static size_t find_kept(const char *folder, struct arena *a, struct kept **all)
{
    const char **names = dir_list(folder, a, NULL);
    size_t count = 0, kept = 0;
    while (names && names[count])
        count++;
    *all = arena_array(a, count + 1, sizeof(**all));
    for (size_t i = 0; i < count; i++) {
        struct stat s = {0};
        if (str_starts(str_of(names[i]), STR(LOCK_NAME)))
            continue;
        const char *path = path_join(a, folder, names[i]);
        stat(path, &s);
        (*all)[kept++] = (struct kept){path, (int64_t)s.st_mtime};
    }
    return kept;
}

static void remove_oldest(const char *folder, struct arena *a)
{
    struct kept *all;
    size_t count = find_kept(folder, a, &all);
    if (count > KEPT_FILES)
        qsort(all, count, sizeof(*all), by_age);
    for (size_t i = 0; i + KEPT_FILES < count; i++)
        remove_kept(all[i].path);
}

/* ---- compiling ------------------------------------------------------------
 */

/* What the GPU is stands behind the last `-` of the name. */
static const char *kind_of(const char *stem)
{
    const char *dash = strrchr(stem, '-');
    return dash ? dash + 1 : "";
}

int nn_cuda_compile(const char *stem, struct err *err)
{
    struct arena *a = arena_new();
    struct buf text, program;
    buf_init(&text);
    buf_init(&program);
    int rc = file_read(with_ending(a, stem, "cu"), PROGRAM_MAX, &text, err);
    rc = rc ? rc : nvrtc_compile(text.p, kind_of(stem), &program, err);
    rc = rc ? rc
            : write_program(with_ending(a, stem, "cubin"), buf_str(&program),
                            err);
    remove_oldest(path_folder(a, stem), a);
    buf_done(&text);
    buf_done(&program);
    arena_free(a);
    return rc;
}

/* This program, where it is that of a GPU's trainers; NULL: it is another. */
static const char *compiler_path(struct arena *a)
{
    char path[4096];
    ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[len > 0 ? len : 0] = 0;
    return str_is(path_name(path), "throng-worker-cuda")
               ? arena_printf(a, "%s", path)
               : NULL;
}

static bool take_lock(struct special *s, const char *path, int *lock)
{
    *lock = lock_take(path, 0600);
    s->over |= *lock < 0 && errno != EWOULDBLOCK;
    return *lock >= 0;
}

static void drop_locks(struct special *s)
{
    lock_drop(s->text_lock, s->source);
    lock_drop(s->lock, s->locks[s->locked]);
    s->text_lock = s->lock = -1;
}

static bool may_compile(struct special *s)
{
    for (s->locked = 0; s->locked < COMPILERS_MOST; s->locked++)
        if (take_lock(s, s->locks[s->locked], &s->lock))
            break;
    if (s->lock >= 0 && !take_lock(s, s->source, &s->text_lock))
        drop_locks(s);
    return s->lock >= 0;
}

static void start_compiler(struct special *s)
{
    const char *program = compiler_path(s->arena);
    const char *argv[] = {program, "--compile-kernels", s->stem, NULL};
    struct spawn spawn = {.argv = argv,
                          .in = -1,
                          .out = -1,
                          .err = -1,
                          .keep_fd = -1,
                          .die_with_parent = true};
    struct process_id id;
    s->over = !program ||
              ftruncate(s->text_lock, 0) || /* a killed one may have left it */
              fd_write_all(s->text_lock, s->text.p, s->text.len, NULL) ||
              process_spawn(&spawn, &id, NULL);
    s->compiler = s->over ? 0 : id.pid;
    s->due_ns = clock_mono_ns() + COMPILE_MOST_NS;
    buf_done(&s->text); /* of hundreds of cohorts it is much */
}

/* ---- a cohort's -----------------------------------------------------------
 */

static bool take(struct special *s, struct str program)
{
    s->over = true;
    s->taken = gpu_special_take(s->gpu, program, s->count);
    return s->taken;
}

/* False: there is no such file, or not a whole one. */
static bool take_kept(struct special *s)
{
    struct buf program;
    buf_init(&program);
    bool there = read_program(s->program, &program);
    if (there && take(s, buf_str(&program)))
        utimensat(AT_FDCWD, s->program, NULL, 0); /* it is of use */
    buf_done(&program);
    return there;
}

/* As start_compiler has it done, at once. */
static int compile_now(struct special *s, struct err *err)
{
    struct buf program;
    buf_init(&program);
    int rc = nvrtc_compile(s->text.p, gpu_special_for(), &program, err);
    if (rc == 0 && s->stem)
        write_program(s->program, buf_str(&program), NULL);
    if (rc == 0 && !take(s, buf_str(&program)))
        rc = err_set(err, ERR_SYSTEM,
                     "the driver does not take the kernels that libnvrtc has "
                     "made for this model");
    buf_done(&program);
    return rc;
}

static void name_files(struct special *s)
{
    struct arena *a = s->arena;
    const char *folder = path_folder(a, s->stem);
    s->program = with_ending(a, s->stem, "cubin");
    s->source = with_ending(a, s->stem, "cu");
    for (int i = 0; i < COMPILERS_MOST; i++)
        s->locks[i] = path_join(a, folder, arena_printf(a, LOCK_NAME "%d", i));
}

static struct special *special_new(struct gpu_machine *g, struct lowered *l,
                                   const char *kind)
{
    struct special *s = xcalloc(1, sizeof(*s));
    s->gpu = g;
    s->arena = arena_new();
    s->due_ns = clock_mono_ns() + WORTH_NS;
    s->lock = s->text_lock = -1;
    buf_init(&s->text);
    s->count = special_source(l, &s->text);
    s->stem = stem_of(s->arena, buf_str(&s->text), kind);
    s->over = s->count == 0;
    if (s->stem)
        name_files(s);
    return s;
}

int special_open(struct special **to, struct gpu_machine *g, struct lowered *l,
                 struct err *err)
{
    const char *how = getenv("THRONG_CUDA_KERNELS"), *kind = gpu_special_for();
    bool now = how && strcmp(how, "special") == 0;
    bool never = how && strcmp(how, "general") == 0;
    *to = NULL;
    if (how && *how && !now && !never)
        return err_set(err, ERR_USAGE,
                       "THRONG_CUDA_KERNELS is `%s` in the environment; it is "
                       "`general` or `special`, or not there",
                       how);
    if (!kind || never)
        return 0;
    struct special *s = *to = special_new(g, l, kind);
    bool kept = s->count && s->stem && take_kept(s);
    if (s->count == 0 || s->taken || (kept && !now)) {
        buf_done(&s->text);
        return 0;
    }
    s->over = !s->stem; /* there is nowhere to keep them */
    return now ? compile_now(s, err) : 0;
}

/* Another cohort of the same model may have had it done. */
static void compile(struct special *s)
{
    s->due_ns = clock_mono_ns() + ASK_AGAIN_NS;
    if (!may_compile(s))
        return;
    if (!take_kept(s))
        start_compiler(s);
    if (s->over)
        drop_locks(s);
}

/* What hangs may not end at once: special_close waits for it. */
static void give_up(struct special *s)
{
    kill(s->compiler, SIGKILL);
    drop_locks(s);
    s->over = true;
}

void special_turn(struct special *s)
{
    int status = 0;
    if (!s || s->over)
        return;
    if (!s->compiler) {
        if (clock_mono_ns() > s->due_ns)
            compile(s);
        return;
    }
    pid_t got = waitpid(s->compiler, &status, WNOHANG);
    if (got == 0 && clock_mono_ns() > s->due_ns)
        give_up(s);
    if (got == 0 || (got < 0 && errno == EINTR))
        return;
    s->compiler = 0;
    drop_locks(s);
    s->over = true;
    take_kept(s);
}

void special_close(struct special *s)
{
    if (!s)
        return;
    if (s->compiler) {
        kill(s->compiler, SIGKILL);
        while (waitpid(s->compiler, NULL, 0) < 0 && errno == EINTR)
            ;
        drop_locks(s);
    }
    buf_done(&s->text);
    arena_free(s->arena);
    free(s);
}
