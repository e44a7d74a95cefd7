/* gpu_apart.c - the list of GPUs, asked for by a process of its own
 *
 * It answers with the number of GPUs and a struct gpu of each. Whoever has no
 * NVML asks nobody, so that nothing is forked there. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include "sys/gpu.h"
#include "sys/gpu_child.h"

/* Present only in programs that link dep_sys_gpu. */
#pragma weak gpu_nvml_read
#pragma weak gpu_nvml_is_there

#define MS 1000000ll

struct question {
    const char *library, *visible;
};

static void answer(void *context, int fd)
{
    const struct question *q = context;
    struct gpu_list list = {0};
    struct arena *a = arena_new();
    gpu_nvml_read(q->library, q->visible, a, &list, NULL);
    if (fd_write_all(fd, &list.count, sizeof list.count, NULL) == 0)
        fd_write_all(fd, list.gpus, list.count * sizeof *list.gpus, NULL);
    arena_free(a);
}

/* How much there will be; 0: its beginning is not there yet. */
static size_t whole(const struct buf *b)
{
    size_t count;
    if (b->len < sizeof count)
        return 0;
    memcpy(&count, b->p, sizeof count);
    return sizeof count + count * sizeof(struct gpu);
}

/* False: it did not come in time. One that ends without a word has none. */
static bool hear(int fd, int64_t end_ns, struct buf *b)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char part[4096];
    while (!whole(b) || b->len < whole(b)) {
        int64_t left = end_ns - clock_mono_ns();
        if (left <= 0)
            return false;
        if (poll(&p, 1, (int)(left / MS) + 1) <= 0)
            continue;
        ssize_t n = recv(fd, part, sizeof part, MSG_DONTWAIT);
        if (n > 0)
            buf_add(b, part, (size_t)n);
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return true;
}

bool gpu_read_apart(const char *library, const char *visible, double wait_s,
                    struct arena *a, struct gpu_list *list)
{
    struct question q = {library, visible};
    struct gpu_child child;
    struct buf b;
    *list = (struct gpu_list){0};
    if (!gpu_nvml_read || !gpu_nvml_is_there(library) ||
        !gpu_child_start(&child, answer, &q))
        return true;
    buf_init(&b);
    bool heard = hear(child.fd, clock_mono_ns() + (int64_t)(wait_s * 1e9), &b);
    gpu_child_end(&child);
    if (heard && whole(&b) && b.len >= whole(&b)) {
        size_t bytes = whole(&b) - sizeof list->count;
        struct gpu *gpus = arena_alloc(a, bytes + 1);
        memcpy(gpus, b.p + sizeof list->count, bytes);
        *list = (struct gpu_list){.gpus = gpus, .count = bytes / sizeof *gpus};
    }
    buf_done(&b);
    return heard;
}
