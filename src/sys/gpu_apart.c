/* gpu_apart.c - the list of GPUs, asked for by a process of its own
 *
 * It answers in lines (gpu_text.c). Where NVML is linked in, it is this program
 * again, and whoever has no library asks nobody, so that nothing is forked
 * there. A static program can load none: it starts another that can. */
#include "sys/gpu.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "sys/gpu_child.h"

/* Present only in programs that link dep_sys_gpu. */
#pragma weak gpu_nvml_read
#pragma weak gpu_nvml_is_there

#define MS 1000000ll
#define LIST_MAX (1u << 20)

struct question {
    const char *library, *visible;
};

static void answer(void *context, int fd)
{
    const struct question *q = context;
    struct gpu_list list = {0};
    struct arena *a = arena_new();
    struct buf b;
    buf_init(&b);
    gpu_nvml_read(q->library, q->visible, a, &list, NULL);
    gpus_print(&b, list.gpus, list.count);
    fd_write_all(fd, b.p, b.len, NULL);
    buf_done(&b);
    arena_free(a);
}

static void become(void *context, int fd)
{
    const char *program = context;
    dup2(fd, STDOUT_FILENO);
    close(fd);
    execl(program, program, GPU_LISTER_OPTION, (char *)NULL);
}

/* All that it says until it ends; false: it does not end in time. */
static bool hear(int fd, int64_t end_ns, struct buf *b)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char part[4096];
    for (;;) {
        int64_t left = end_ns - clock_mono_ns();
        if (left <= 0 || b->len > LIST_MAX)
            return false;
        if (poll(&p, 1, (int)(left / MS) + 1) <= 0)
            continue;
        ssize_t n = recv(fd, part, sizeof part, MSG_DONTWAIT);
        if (n > 0)
            buf_add(b, part, (size_t)n);
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return true;
    }
}

/* What makes no sense says nothing. */
static bool hear_child(struct gpu_child *child, double wait_s, struct arena *a,
                       struct gpu_list *list)
{
    struct buf b;
    buf_init(&b);
    bool heard = hear(child->fd, clock_mono_ns() + (int64_t)(wait_s * 1e9), &b);
    gpu_child_end(child);
    if (heard)
        gpus_read(buf_str(&b), a, list);
    buf_done(&b);
    return heard;
}

bool gpu_read_apart(const char *library, const char *visible, double wait_s,
                    struct arena *a, struct gpu_list *list)
{
    struct question q = {library, visible};
    struct gpu_child child;
    *list = (struct gpu_list){0};
    return !gpu_nvml_read || !gpu_nvml_is_there(library) ||
           !gpu_child_start(&child, answer, &q) ||
           hear_child(&child, wait_s, a, list);
}

bool gpu_read_by(const char *program, double wait_s, struct arena *a,
                 struct gpu_list *list)
{
    struct gpu_child child;
    char *path = arena_cstr(a, str_of(program));
    *list = (struct gpu_list){0};
    return access(path, X_OK) != 0 || !gpu_child_start(&child, become, path) ||
           hear_child(&child, wait_s, a, list);
}
