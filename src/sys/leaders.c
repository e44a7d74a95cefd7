/* leaders.c - who leads the sessions of tasks, in a file
 *
 * Each leader writes its own line between fork and exec (process.c), so that
 * whatever its program starts can be found by its session, whoever is killed
 * at which moment. A place in the file is given back, and emptied, when
 * nothing of the session is left: a number that stands there for longer might
 * become another's.
 *
 * Head: the boot and the pid namespace in which the numbers mean anything, and
 * how long a line is. */
#include "sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct head {
    char boot_id[56];
    uint64_t space;
    uint64_t line_bytes;
};

static struct head head_here(void)
{
    struct head h = {.space = process_space(),
                     .line_bytes = sizeof(struct leader_line)};
    struct str boot = str_of(process_boot_id());
    memcpy(h.boot_id, boot.p,
           boot.len < sizeof h.boot_id ? boot.len : sizeof h.boot_id);
    return h;
}

static off_t offset_of(uint32_t place)
{
    return (off_t)(sizeof(struct head) +
                   (uint64_t)place * sizeof(struct leader_line));
}

int leaders_open(struct leaders *l, const char *path, struct err *err)
{
    struct head head = head_here();
    *l = (struct leaders){
        .fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (l->fd < 0)
        return err_errno(err, "make %s", path);
    l->path = xstrdup(path);
    if (pwrite(l->fd, &head, sizeof head, 0) == (ssize_t)sizeof head)
        return 0;
    err_errno(err, "write %s", path);
    leaders_close(l, true);
    return -1;
}

void leaders_close(struct leaders *l, bool remove_it)
{
    if (l->fd >= 0)
        close(l->fd);
    if (l->path && remove_it)
        unlink(l->path);
    free(l->path);
    vec_done(&l->free_places);
    *l = (struct leaders){.fd = -1};
}

uint32_t leaders_take(struct leaders *l)
{
    if (l->free_places.len > 0)
        return l->free_places.p[--l->free_places.len];
    return l->count++;
}

void leaders_give_back(struct leaders *l, uint32_t place)
{
    struct leader_line none = {0};
    /* A line that cannot be emptied is not used again either. */
    if (l->fd >= 0 && pwrite(l->fd, &none, sizeof none, offset_of(place)) !=
                          (ssize_t)sizeof none)
        return;
    vec_push(&l->free_places, place);
}

void leader_write(int fd, uint32_t place, struct leader_line line)
{
    ssize_t n;
    if (fd < 0)
        return;
    do {
        n = pwrite(fd, &line, sizeof line, offset_of(place));
    } while (n < 0 && errno == EINTR);
}

int leaders_read(const char *path, struct leader_lines *found, struct err *err)
{
    struct head here = head_here();
    struct leader_line line;
    struct buf b;
    buf_init(&b);
    int rc = file_read(path, 0, &b, err);
    bool ours = rc == 0 && b.len >= sizeof here && here.space &&
                memcmp(b.p, &here, sizeof here) == 0;
    found->known |= ours;
    for (size_t at = sizeof here; ours && at + sizeof line <= b.len;
         at += sizeof line) {
        memcpy(&line, b.p + at, sizeof line);
        if ((pid_t)line.pid > 1 && line.start > 0)
            vec_push(&found->list, line);
    }
    buf_done(&b);
    return rc;
}
