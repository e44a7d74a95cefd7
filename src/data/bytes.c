/* bytes.c - the bytes of a file, unpacked */
#include <limits.h>
#include <zlib.h>

#include "data/matrix.h"
#include "sys/sys.h"

#define UNPACKED_MAX ((size_t)1 << 36)

static bool is_gzip(struct str s)
{
    return s.len > 18 && (unsigned char)s.p[0] == 0x1f &&
           (unsigned char)s.p[1] == 0x8b;
}

/* Several gzip members one after another are one file. */
static int inflate_all(z_stream *z, struct buf *out, const char *path,
                       struct err *err)
{
    for (;;) {
        size_t room = out->len + (1 << 20);
        buf_reserve(out, room);
        z->next_out = (Bytef *)out->p + out->len;
        z->avail_out = (uInt)(room > UINT_MAX ? UINT_MAX : room);
        uInt had = z->avail_out;
        int rc = inflate(z, Z_NO_FLUSH);
        out->len += had - z->avail_out;
        if (out->len > UNPACKED_MAX)
            return err_set(err, ERR_LIMIT, "%s: unpacks to more than 64 GiB",
                           path);
        if (rc == Z_STREAM_END && z->avail_in == 0)
            return 0;
        if (rc == Z_STREAM_END)
            rc = inflateReset(z);
        if (rc == Z_BUF_ERROR && z->avail_in == 0)
            return err_set(err, ERR_INPUT,
                           "%s: the gzip file is cut off after %zu bytes of "
                           "data; fetch it again",
                           path, out->len);
        if (rc != Z_OK && rc != Z_BUF_ERROR)
            return err_set(err, ERR_INPUT, "%s: damaged gzip file (%s)", path,
                           z->msg ? z->msg : "no reason");
    }
}

static int unpack(struct str packed, const char *path, struct arena *a,
                  struct str *bytes, struct err *err)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)packed.p,
                  .avail_in = (uInt)packed.len};
    struct buf out;
    if (packed.len > UINT_MAX)
        return err_set(err, ERR_LIMIT, "%s: more than 4 GiB packed", path);
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
        return err_set(err, ERR_SYSTEM, "%s: cannot start unpacking", path);
    buf_init(&out);
    int rc = inflate_all(&z, &out, path, err);
    inflateEnd(&z);
    if (!rc)
        *bytes = arena_str(a, buf_str(&out));
    buf_done(&out);
    return rc;
}

int data_bytes(const char *path, struct arena *a, struct str *bytes,
               struct err *err)
{
    struct str mapped;
    if (file_map(path, &mapped, err))
        return -1;
    int rc = 0;
    if (is_gzip(mapped))
        rc = unpack(mapped, path, a, bytes, err);
    else
        *bytes = arena_str(a, mapped);
    file_unmap(mapped);
    return rc;
}
