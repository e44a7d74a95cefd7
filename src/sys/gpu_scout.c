/* gpu_scout.c - a process that looks at the GPUs, so that nobody else waits
 *
 * It (gpu_child.h) is asked by a byte and answers with a struct gpu_use for
 * each GPU: the library is loaded there and nowhere else. Who asks waits for
 * the first answer, which is what was there before anything began, and from
 * then on no longer than an answer usually takes, and once a second where that
 * is not enough; one that comes late is the next look's. While none comes at
 * all nobody knows, and nobody waits. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "sys/gpu.h"
#include "sys/gpu_child.h"

#define MS 1000000ll
#define FIRST_WAIT_NS (2000 * MS) /* a driver may have to be woken */
#define WAIT_NS (50 * MS)
#define WAIT_AGAIN_NS (1000 * MS) /* after one that came too late */
#define SAME_NS (20 * MS)         /* so close together looks are one */
#define STANDS_NS (5000 * MS)     /* an answer, at most */

struct gpu_scout {
    const struct machine *machine;
    struct gpu_child child;
    struct buf in;
    struct gpu_use *uses; /* the last answer */
    uint64_t answers;
    int64_t asked_ns;    /* the last time */
    int64_t answered_ns; /* when the question of the last answer was */
    int64_t late_ns;     /* when one was waited for in vain; 0: never */
    bool waits;          /* it was asked and has not answered */
};

/* ---- the child --------------------------------------------------------- */

static bool answer(struct gpu_looker *l, int fd, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gpu_use use;
        gpu_look(l, i, &use);
        if (fd_write_all(fd, &use, sizeof use, NULL) != 0)
            return false;
    }
    return true;
}

struct order {
    const struct machine *machine;
    const char *file;
};

static void scout(void *context, int fd)
{
    const struct order *o = context;
    const struct machine *m = o->machine;
    char asked;
    struct gpu_looker *l = gpu_looker_open(m, m->gpus_described, o->file);
    while (read(fd, &asked, 1) == 1 && answer(l, fd, m->gpu_count))
        ;
}

/* ---- who asks ---------------------------------------------------------- */

struct gpu_scout *gpu_scout_open(const struct machine *m, const char *file)
{
    struct gpu_scout *s = xcalloc(1, sizeof *s);
    struct order order = {m, file};
    s->machine = m;
    s->child.fd = -1;
    s->uses = xcalloc(m->gpu_count + 1, sizeof *s->uses);
    buf_init(&s->in);
    if (m->gpu_count)
        gpu_child_start(&s->child, scout, &order);
    return s;
}

void gpu_scout_close(struct gpu_scout *s)
{
    if (!s)
        return;
    gpu_child_end(&s->child);
    buf_done(&s->in);
    free(s->uses);
    free(s);
}

static void part(struct gpu_scout *s)
{
    close(s->child.fd);
    s->child.fd = -1;
}

/* Takes what it has said; false: no more will come. */
static bool hear(struct gpu_scout *s)
{
    size_t size = s->machine->gpu_count * sizeof *s->uses;
    ssize_t n;
    do {
        buf_reserve(&s->in, size);
        n = recv(s->child.fd, s->in.p + s->in.len, size - s->in.len,
                 MSG_DONTWAIT);
        if (n > 0)
            s->in.len += (size_t)n;
        if (s->in.len == size) {
            memcpy(s->uses, s->in.p, size);
            buf_reset(&s->in);
            s->answers++;
            s->answered_ns = s->asked_ns;
            s->waits = false;
            return true;
        }
    } while (n > 0 || (n < 0 && errno == EINTR));
    return n < 0 && errno == EAGAIN;
}

static void await(struct gpu_scout *s, int64_t end_ns)
{
    struct pollfd p = {.fd = s->child.fd, .events = POLLIN};
    while (s->child.fd >= 0 && s->waits) {
        int64_t left = end_ns - clock_mono_ns();
        if (left <= 0)
            return;
        if (poll(&p, 1, (int)(left / MS) + 1) > 0 && !hear(s))
            part(s);
    }
}

static bool put_question(struct gpu_scout *s)
{
    if (send(s->child.fd, "?", 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
        return false;
    s->waits = true;
    s->asked_ns = clock_mono_ns();
    return true;
}

static void ask(struct gpu_scout *s)
{
    if (!put_question(s) ||
        (s->late_ns && s->asked_ns - s->late_ns < WAIT_AGAIN_NS))
        return;
    await(s, s->asked_ns + (s->answers ? WAIT_NS : FIRST_WAIT_NS));
    s->late_ns = s->waits ? clock_mono_ns() : 0;
}

void gpu_scout_await(struct gpu_scout *s)
{
    await(s, clock_mono_ns() + FIRST_WAIT_NS);
    if (s->child.fd >= 0 && !s->waits && put_question(s))
        await(s, s->asked_ns + FIRST_WAIT_NS);
}

static void refresh(struct gpu_scout *s)
{
    if (s->child.fd < 0)
        return;
    if (s->waits && !hear(s)) {
        part(s);
        return;
    }
    if (!s->waits &&
        (!s->answers || clock_mono_ns() - s->answered_ns >= SAME_NS))
        ask(s);
}

uint64_t gpu_scout_look(struct gpu_scout *s, size_t gpu, struct gpu_use *u)
{
    refresh(s);
    *u = (struct gpu_use){.busy = NAN, .joules = NAN};
    if (s->answers && clock_mono_ns() - s->answered_ns < STANDS_NS)
        *u = s->uses[gpu];
    return s->answers;
}
