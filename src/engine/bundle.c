/* bundle.c - the files of a bundle, from the conductor's side
 *
 * A file is opened anew for each reading: that is when a network file system
 * asks its server what is new. Nothing is kept between two readings but how
 * far the records reach, so that bytes which were not there yet, or were
 * zeros, are seen as they are now. */
#include "engine/bundle.h"

#include "sys/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES (256u << 10)
/* Others in the loop get their turn after so much. */
#define TURN_BYTES (4u << 20)

/* ---- wishes ------------------------------------------------------------ */

/* Where the whole records of a file end. */
static uint64_t sound_bytes(const char *path)
{
    struct buf text;
    struct record r;
    size_t at = 0, used;
    buf_init(&text);
    if (file_read(path, 0, &text, NULL) == 0)
        while (bundle_next(str_n(text.p + at, text.len - at), &r, &used, NULL) >
               0)
            at += used;
    buf_done(&text);
    return at;
}

/* Writes the frame where the whole records end. */
static int add_frame(struct asked *a, int fd, struct str frame, struct err *err)
{
    if (!a->known)
        a->at = sound_bytes(a->path);
    a->known = false; /* until it is written whole */
    if (ftruncate(fd, (off_t)a->at) || lseek(fd, (off_t)a->at, SEEK_SET) < 0)
        return err_errno(err, "write %s", a->path);
    if (fd_write_all(fd, frame.p, frame.len, err))
        return err_wrap(err, "write %s", a->path);
    a->at += frame.len;
    a->known = true;
    return 0;
}

int asked_add(struct asked *a, const struct record *r, struct err *err)
{
    int fd = open(a->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_errno(err, "write %s", a->path);
    struct buf frame;
    buf_init(&frame);
    record_print(&frame, r);
    int rc = add_frame(a, fd, buf_str(&frame), err);
    if (close(fd) && !rc)
        rc = err_errno(err, "write %s", a->path);
    buf_done(&frame);
    return rc;
}

/* ---- answers ----------------------------------------------------------- */

/* Appends a piece of the file behind what is in b. */
static ssize_t read_piece(int fd, uint64_t at, struct buf *b)
{
    buf_reserve(b, PIECE_BYTES);
    ssize_t n;
    do
        n = pread(fd, b->p + b->len, PIECE_BYTES, (off_t)(at + b->len));
    while (n < 0 && errno == EINTR);
    if (n > 0) {
        b->len += (size_t)n;
        b->p[b->len] = 0;
    }
    return n;
}

struct reading {
    struct said *said;
    said_fn *fn;
    void *context;
    int count;
};

/* Hands over the whole records at the beginning of `rest`: how many bytes they
 * have, or -1. */
static ssize_t hand_over(struct reading *to, struct str rest, struct err *err)
{
    struct record r;
    size_t used, at = 0;
    int got;
    while ((got = bundle_next(str_n(rest.p + at, rest.len - at), &r, &used,
                              err)) > 0) {
        at += used;
        to->said->at += used;
        to->count++;
        to->fn(to->context, &r);
    }
    return got < 0 ? -1 : (ssize_t)at;
}

int said_read(struct said *s, said_fn *fn, void *context, struct err *err)
{
    struct reading to = {s, fn, context, 0};
    int rc = 0;
    size_t turn = 0;
    ssize_t n = 0, used;
    struct buf b;
    s->more = false;
    int fd = open(s->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : err_errno(err, "read %s", s->path);
    buf_init(&b);
    while (!rc && turn < TURN_BYTES && (n = read_piece(fd, s->at, &b)) > 0) {
        used = hand_over(&to, buf_str(&b), err);
        turn += (size_t)n;
        if (used < 0)
            rc = err_wrap(err, "%s, behind byte %llu", s->path,
                          (unsigned long long)s->at);
        else
            buf_drop(&b, (size_t)used);
    }
    if (n < 0)
        rc = err_errno(err, "read %s", s->path);
    s->more = !rc && n > 0;
    buf_done(&b);
    close(fd);
    return rc ? -1 : to.count;
}

/* ---- tasks ------------------------------------------------------------- */

int bundle_read(const char *stem, struct arena *a, struct bundle_list *tasks,
                struct err *err)
{
    const char *path = bundle_tasks(stem, a);
    struct buf text;
    buf_init(&text);
    int rc = file_read(path, 0, &text, err);
    struct str rest = arena_str(a, buf_str(&text));
    struct record r;
    size_t used;
    int got = 0;
    buf_done(&text);
    while (!rc && (got = bundle_next(rest, &r, &used, err)) > 0) {
        if (r.type == RECORD_TASK)
            vec_push(&tasks->list, r);
        rest = str_n(rest.p + used, rest.len - used);
    }
    return rc || got < 0 ? err_wrap(err, "%s", path) : 0;
}
