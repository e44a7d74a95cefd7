/* pack.c - metric points of one chunk as few bytes */
#include "store/pack.h"

#include <stdlib.h>
#include <zstd.h>
#include "base/err.h"

enum { PACK_ZIPPED = 1, PACK_REGULAR = 2, PACK_TIMED = 4 };
#define PACK_ZIP_FROM 256 /* bytes: fewer are not worth a frame */
#define PACK_LEVEL 1
/* Count, and at most ten bytes a step, ten a time, eight a value. */
#define PACK_BYTES_MAX (20 + 28 * PACK_POINTS_MAX)

struct packer {
    ZSTD_CCtx *zip;
    ZSTD_DCtx *unzip;
    struct buf plain, zipped;
};

struct packer *packer_new(void)
{
    struct packer *p = xcalloc(1, sizeof *p);
    buf_init(&p->plain);
    buf_init(&p->zipped);
    return p;
}

void packer_free(struct packer *p)
{
    if (!p)
        return;
    ZSTD_freeCCtx(p->zip);
    ZSTD_freeDCtx(p->unzip);
    buf_done(&p->plain);
    buf_done(&p->zipped);
    free(p);
}

/* Differences are taken modulo 2^64, so that any two steps have one. */
static bool is_regular(const int64_t *steps, size_t count)
{
    for (size_t i = 2; i < count; i++)
        if ((uint64_t)steps[i] - (uint64_t)steps[i - 1] !=
            (uint64_t)steps[1] - (uint64_t)steps[0])
            return false;
    return true;
}

static bool any_known(const int64_t *times, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (times[i])
            return true;
    return false;
}

/* Signed numbers that are near 0 are short. */
static void add_int(struct buf *b, int64_t v)
{
    buf_add_varint(b, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static int64_t take_int(struct bytes *b)
{
    uint64_t u = bytes_varint(b);
    return (int64_t)(u >> 1 ^ (0 - (u & 1)));
}

static void add_differences(struct buf *b, const int64_t *list, size_t count,
                            bool regular)
{
    add_int(b, list[0]);
    size_t end = regular && count > 2 ? 2 : count;
    for (size_t i = 1; i < end; i++)
        add_int(b, (int64_t)((uint64_t)list[i] - (uint64_t)list[i - 1]));
}

static void add_values(struct buf *b, const double *values, size_t count)
{
    buf_reserve(b, 8 * count);
    unsigned char *to = (unsigned char *)b->p + b->len;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (size_t plane = 0; plane < 8; plane++)
            to[plane * count + i] = (unsigned char)(bits >> (8 * plane));
    }
    b->len += 8 * count;
    b->p[b->len] = 0;
}

/* Zips what is behind the form byte; false when that saves nothing. */
static bool zip(struct packer *p)
{
    size_t raw = p->plain.len - 1;
    if (raw < PACK_ZIP_FROM)
        return false;
    if (!p->zip)
        p->zip = ZSTD_createCCtx();
    require(p->zip);
    buf_reset(&p->zipped);
    buf_add_u8(&p->zipped, (uint8_t)(p->plain.p[0] | PACK_ZIPPED));
    buf_add_varint(&p->zipped, raw);
    size_t room = ZSTD_compressBound(raw);
    buf_reserve(&p->zipped, room);
    size_t len = ZSTD_compressCCtx(p->zip, p->zipped.p + p->zipped.len, room,
                                   p->plain.p + 1, raw, PACK_LEVEL);
    if (ZSTD_isError(len))
        return false;
    p->zipped.len += len;
    return p->zipped.len < p->plain.len;
}

struct str packer_pack(struct packer *p, const int64_t *steps,
                       const int64_t *times, const double *values, size_t count)
{
    require(count > 0 && count <= PACK_POINTS_MAX);
    bool regular = is_regular(steps, count);
    bool timed = any_known(times, count);
    buf_reset(&p->plain);
    buf_add_u8(&p->plain, (uint8_t)((regular ? PACK_REGULAR : 0) |
                                    (timed ? PACK_TIMED : 0)));
    buf_add_varint(&p->plain, count);
    add_differences(&p->plain, steps, count, regular);
    if (timed)
        add_differences(&p->plain, times, count, false);
    add_values(&p->plain, values, count);
    return zip(p) ? buf_str(&p->zipped) : buf_str(&p->plain);
}

static void take_differences(struct bytes *b, int64_t *list, size_t count,
                             bool regular)
{
    uint64_t sum = (uint64_t)take_int(b);
    uint64_t by = 0;
    list[0] = (int64_t)sum;
    for (size_t i = 1; i < count; i++) {
        if (i == 1 || !regular)
            by = (uint64_t)take_int(b);
        sum += by;
        list[i] = (int64_t)sum;
    }
}

static int unpack_plain(struct str plain, uint8_t form, int64_t *steps,
                        int64_t *times, double *values)
{
    struct bytes b = bytes_of(plain);
    uint64_t count = bytes_varint(&b);
    if (b.bad || count == 0 || count > PACK_POINTS_MAX)
        return -1;
    take_differences(&b, steps, count, form & PACK_REGULAR);
    if (form & PACK_TIMED)
        take_differences(&b, times, count, false);
    else
        memset(times, 0, count * sizeof *times);
    if (b.bad || (size_t)(b.end - b.p) != 8 * count)
        return -1;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        for (size_t plane = 0; plane < 8; plane++)
            bits |= (uint64_t)b.p[plane * count + i] << (8 * plane);
        memcpy(&values[i], &bits, sizeof bits);
    }
    return (int)count;
}

static int unzip(struct packer *p, struct bytes *b, struct str *plain)
{
    uint64_t raw = bytes_varint(b);
    if (b->bad || raw > PACK_BYTES_MAX)
        return -1;
    if (!p->unzip)
        p->unzip = ZSTD_createDCtx();
    require(p->unzip);
    buf_reset(&p->plain);
    buf_reserve(&p->plain, raw);
    size_t len = ZSTD_decompressDCtx(p->unzip, p->plain.p, raw, b->p,
                                     (size_t)(b->end - b->p));
    if (ZSTD_isError(len) || len != raw)
        return -1;
    *plain = str_n(p->plain.p, raw);
    return 0;
}

int packer_unpack(struct packer *p, struct str bytes, int64_t *steps,
                  int64_t *times, double *values)
{
    struct bytes b = bytes_of(bytes);
    uint8_t form = bytes_u8(&b);
    if (b.bad || (form & ~(PACK_ZIPPED | PACK_REGULAR | PACK_TIMED)))
        return -1;
    struct str plain = str_n((const char *)b.p, (size_t)(b.end - b.p));
    if ((form & PACK_ZIPPED) && unzip(p, &b, &plain))
        return -1;
    return unpack_plain(plain, form, steps, times, values);
}
