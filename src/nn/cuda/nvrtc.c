/* nvrtc.c - NVIDIA's compiler as a library, where there is one
 *
 * It is looked for where the dynamic linker looks, where CUDA is installed, and
 * in the folder that CUDA_HOME or CUDA_PATH names. */
#include "nn/cuda/nvrtc.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "nn/cuda/gpu.h"

typedef struct nvrtc_program *program_handle;

/* What we call of it; all return 0 when it is well. */
struct nvrtc {
    int (*version)(int *major, int *minor);
    int (*create)(program_handle *p, const char *text, const char *name,
                  int headers, const char *const *texts,
                  const char *const *names);
    int (*compile)(program_handle p, int options, const char *const *option);
    int (*log_size)(program_handle p, size_t *size);
    int (*log)(program_handle p, char *log);
    int (*size)(program_handle p, size_t *size);
    int (*get)(program_handle p, char *program);
    int (*destroy)(program_handle *p);
};

static const struct {
    const char *name;
    size_t at;
} calls[] = {
#define CALL(field, name)                                                      \
    {                                                                          \
        "nvrtc" name, offsetof(struct nvrtc, field)                            \
    }
    CALL(version, "Version"),        CALL(create, "CreateProgram"),
    CALL(compile, "CompileProgram"), CALL(log_size, "GetProgramLogSize"),
    CALL(log, "GetProgramLog"),      CALL(size, "GetCUBINSize"),
    CALL(get, "GetCUBIN"),           CALL(destroy, "DestroyProgram")};

/* Why it will not do, to `why`; false: it will. */
static bool is_other(struct nvrtc *n, void *library, const char *path,
                     struct buf *why)
{
    int major = 0, minor = 0, want_major, want_minor;
    gpu_special_version(&want_major, &want_minor);
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        void *found = dlsym(library, calls[i].name);
        *(void **)((char *)n + calls[i].at) = found;
        if (!found) {
            buf_addf(why, "%s lacks %s", path, calls[i].name);
            return true;
        }
    }
    if (want_major && (n->version(&major, &minor) || major != want_major ||
                       minor != want_minor)) {
        buf_addf(why, "%s is of CUDA %d.%d, and throng was built with %d.%d",
                 path, major, minor, want_major, want_minor);
        return true;
    }
    return false;
}

static bool take(struct nvrtc *n, const char *path, struct buf *why)
{
    void *library = library_open(path);
    buf_reset(why);
    if (!library) {
        buf_adds(why, "there is no libnvrtc");
        return false;
    }
    if (is_other(n, library, path, why)) {
        dlclose(library);
        return false;
    }
    buf_adds(why, path);
    return true;
}

/* The first reason that is more than that none is there stays. */
static bool try_at(struct nvrtc *n, const char *folder, int major,
                   struct buf *why)
{
    char path[1024];
    struct buf said;
    buf_init(&said);
    snprintf(path, sizeof(path), "%s%slibnvrtc.so.%d", folder,
             *folder ? "/" : "", major);
    bool found = take(n, path, &said);
    if (found || why->len == 0 || !strncmp(why->p, "there", 5)) {
        buf_reset(why);
        buf_addstr(why, buf_str(&said));
    }
    buf_done(&said);
    return found;
}

static bool try_below(struct nvrtc *n, const char *variable, int major,
                      struct buf *why)
{
    char folder[900];
    const char *home = getenv(variable);
    if (!home || !*home)
        return false;
    snprintf(folder, sizeof(folder), "%s/lib64", home);
    return try_at(n, folder, major, why);
}

static bool find_major(struct nvrtc *n, int major, struct buf *why)
{
    return try_at(n, "", major, why) || try_below(n, "CUDA_HOME", major, why) ||
           try_below(n, "CUDA_PATH", major, why) ||
           try_at(n, "/usr/local/cuda/lib64", major, why);
}

static bool find(struct nvrtc *n, struct buf *why)
{
    int major, minor;
    gpu_special_version(&major, &minor);
    return major ? find_major(n, major, why)
                 : find_major(n, 13, why) || find_major(n, 12, why);
}

bool nvrtc_find(struct buf *b)
{
    struct nvrtc n;
    return find(&n, b);
}

/* The first line of its log. */
static int fail(const struct nvrtc *n, program_handle p, struct err *err)
{
    size_t size = 0;
    if (n->log_size(p, &size) || size == 0)
        return err_set(err, ERR_SYSTEM, "libnvrtc cannot compile the kernels");
    char *log = calloc(1, size + 1);
    if (log)
        n->log(p, log);
    err_set(err, ERR_SYSTEM, "libnvrtc cannot compile the kernels: %.*s",
            log ? (int)strcspn(log, "\n") : 0, log ? log : "");
    free(log);
    return -1;
}

/* As src/nn/meson.build has them for nvcc; behind what says for which GPU. Most
 * of the text is not used: nothing is told of that. */
#define OPTIONS                                                                \
    "-std=c++17", "-default-device", "-fmad=false", "-prec-div=false",         \
        "-prec-sqrt=false", "-w"

void nvrtc_options(struct buf *b)
{
    const char *const options[] = {OPTIONS};
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        buf_addf(b, " %s", options[i]);
}

static int compile(const struct nvrtc *n, program_handle p, const char *kind,
                   struct buf *program, struct err *err)
{
    char architecture[64];
    size_t size = 0;
    const char *const options[] = {architecture, OPTIONS};
    snprintf(architecture, sizeof(architecture), "-arch=%s", kind);
    if (n->compile(p, sizeof(options) / sizeof(*options), options))
        return fail(n, p, err);
    if (n->size(p, &size) || size == 0)
        return err_set(err, ERR_SYSTEM, "libnvrtc made no code for %s", kind);
    char *code = malloc(size);
    int rc = code && n->get(p, code) == 0 ? 0 : -1;
    if (rc == 0)
        buf_add(program, code, size);
    else
        err_set(err, ERR_SYSTEM, "libnvrtc gives no code for %s", kind);
    free(code);
    return rc;
}

int nvrtc_compile(const char *text, const char *kind, struct buf *program,
                  struct err *err)
{
    struct buf why;
    struct nvrtc n;
    program_handle p = NULL;
    int rc = -1;
    buf_init(&why);
    if (!find(&n, &why))
        err_set(err, ERR_MISSING, "%s", why.p);
    else if (n.create(&p, text, "special.cu", 0, NULL, NULL))
        err_set(err, ERR_SYSTEM, "libnvrtc cannot begin");
    else
        rc = compile(&n, p, kind, program, err);
    if (p)
        n.destroy(&p);
    buf_done(&why);
    return rc;
}
