/* bytes.c - the bytes of a file, unpacked */
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "data/matrix.h"
#include "sys/sys.h"

#define UNPACKED_MAX ((size_t)1 << 36)
/* No gzip file unpacks to more than this many times its size. */
#define UNPACKED_TIMES 1032

bool data_is_packed(struct str s)
{
    return s.len > 2 && (unsigned char)s.p[0] == 0x1f &&
           (unsigned char)s.p[1] == 0x8b;
}

/* Several gzip members one after another are one file. Returns 1 when the
 * file ends too early. */
static int inflate_all(z_stream *z, struct buf *out, const char *path,
                       struct err *err)
{
    for (;;) {
        buf_reserve(out, out->len / 2 + (1 << 16));
        size_t room = out->cap - out->len - 1;
        z->next_out = (Bytef *)out->p + out->len;
        z->avail_out = (uInt)(room > UINT_MAX ? UINT_MAX : room);
        uInt had = z->avail_out;
        int rc = inflate(z, Z_NO_FLUSH);
        out->len += had - z->avail_out;
        if (out->len > UNPACKED_MAX)
            return err_set(err, ERR_INPUT, "%s: unpacks to more than 64 GiB",
                           path);
        if (rc == Z_STREAM_END && z->avail_in == 0)
            return 0;
        if (rc == Z_STREAM_END)
            rc = inflateReset(z);
        if ((rc == Z_BUF_ERROR || rc == Z_OK) && z->avail_in == 0 &&
            z->avail_out > 0)
            return 1;
        if (rc != Z_OK && rc != Z_BUF_ERROR)
            return err_set(err, ERR_INPUT,
                           "%s: damaged gzip file after %zu bytes of data "
                           "(%s); fetch it again",
                           path, out->len, z->msg ? z->msg : "no reason");
    }
}

/* What the last four bytes say of the unpacked size: right for most files,
 * only a hint for all. */
static size_t likely_size(struct str packed)
{
    const unsigned char *p = (const unsigned char *)packed.p + packed.len - 4;
    size_t size = (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 |
                  (size_t)p[3] << 24;
    return packed.len > 18 && size / UNPACKED_TIMES <= packed.len ? size : 0;
}

static int unpack(struct str packed, const char *path, struct file_bytes *f,
                  struct err *err)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)packed.p,
                  .avail_in = (uInt)packed.len};
    struct buf out;
    if (packed.len > UINT_MAX)
        return err_set(err, ERR_INPUT, "%s: more than 4 GiB packed", path);
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
        return err_set(err, ERR_SYSTEM, "%s: cannot start unpacking", path);
    buf_init(&out);
    buf_reserve(&out, likely_size(packed));
    int rc = inflate_all(&z, &out, path, err);
    inflateEnd(&z);
    if (rc < 0) {
        buf_done(&out);
        return -1;
    }
    f->cut = rc == 1;
    f->text.len = out.len;
    f->text.p = buf_take(&out);
    return 0;
}

int file_bytes_open(struct file_bytes *f, const char *path, struct err *err)
{
    struct str mapped;
    *f = (struct file_bytes){0};
    if (file_map(path, &mapped, err))
        return -1;
    if (!data_is_packed(mapped)) {
        *f = (struct file_bytes){.text = mapped, .mapped = true};
        return 0;
    }
    int rc = unpack(mapped, path, f, err);
    file_unmap(mapped);
    return rc;
}

void file_bytes_close(struct file_bytes *f)
{
    if (f->mapped)
        file_unmap(f->text);
    else
        free((void *)(uintptr_t)f->text.p);
    *f = (struct file_bytes){0};
}
