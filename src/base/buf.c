/* buf.c - text being built, and the reader of the binary form
 *
 * p[len] is 0 after every call. cap counts the NUL. */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

enum { CAP_LEAST = 64 };

/* The text of a buf whose memory was taken, so that it is a C string still.
 * Nothing but the 0 that is there is ever written to it. */
static char nothing[1];

void buf_init(struct buf *b)
{
    buf_init_max(b, 0);
}

void buf_init_max(struct buf *b, size_t max)
{
    *b = (struct buf){.p = xmalloc(CAP_LEAST), .cap = CAP_LEAST, .max = max};
    b->p[0] = 0;
}

void buf_done(struct buf *b)
{
    if (!b)
        return;
    if (b->p != nothing)
        free(b->p);
    *b = (struct buf){0};
}

void buf_reset(struct buf *b)
{
    b->len = 0;
    b->full = false;
    b->p[0] = 0;
}

void buf_reserve(struct buf *b, size_t more)
{
    size_t need;
    require(!__builtin_add_overflow(b->len, more, &need) && need < SIZE_MAX);
    need++;
    if (need <= b->cap)
        return;
    size_t cap = b->cap + b->cap / 2;
    if (cap < need)
        cap = need;
    b->p = xrealloc(b->p == nothing ? NULL : b->p, cap);
    b->p[b->len] = 0;
    b->cap = cap;
}

/* Makes room for len more bytes; false and `full` when the maximum forbids. */
static bool room(struct buf *b, size_t len)
{
    if (b->max && (len > b->max || b->len > b->max - len)) {
        b->full = true;
        return false;
    }
    if (len >= b->cap - b->len)
        buf_reserve(b, len);
    return true;
}

void buf_add(struct buf *b, const void *p, size_t len)
{
    if (len == 0 || !room(b, len))
        return;
    memcpy(b->p + b->len, p, len);
    b->len += len;
    b->p[b->len] = 0;
}

void buf_adds(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_addstr(struct buf *b, struct str s)
{
    buf_add(b, s.p, s.len);
}

void buf_addc(struct buf *b, char c)
{
    if (!room(b, 1))
        return;
    b->p[b->len++] = c;
    b->p[b->len] = 0;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vaddf(b, fmt, ap);
    va_end(ap);
}

void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    size_t space = b->cap - b->len;
    int n = vsnprintf(b->p + b->len, space, fmt, ap);
    require(n >= 0);
    size_t len = (size_t)n;
    if (!room(b, len)) {
        b->p[b->len] = 0;
    } else {
        if (len >= space)
            vsnprintf(b->p + b->len, len + 1, fmt, again);
        b->len += len;
    }
    va_end(again);
}

void buf_add_u8(struct buf *b, uint8_t v)
{
    buf_add(b, &v, 1);
}

void buf_add_u32(struct buf *b, uint32_t v)
{
    unsigned char out[4];
    for (unsigned i = 0; i < sizeof(out); i++)
        out[i] = (unsigned char)(v >> (8 * i));
    buf_add(b, out, sizeof(out));
}

void buf_add_u64(struct buf *b, uint64_t v)
{
    unsigned char out[8];
    for (unsigned i = 0; i < sizeof(out); i++)
        out[i] = (unsigned char)(v >> (8 * i));
    buf_add(b, out, sizeof(out));
}

void buf_add_f64(struct buf *b, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    buf_add_u64(b, bits);
}

void buf_add_varint(struct buf *b, uint64_t v)
{
    unsigned char out[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        out[n++] = (unsigned char)(v | 0x80);
    out[n++] = (unsigned char)v;
    buf_add(b, out, n);
}

void buf_add_bytes(struct buf *b, struct str s)
{
    size_t before = b->len;
    bool was_full = b->full;
    b->full = false;
    buf_add_varint(b, s.len);
    if (!b->full)
        buf_addstr(b, s);
    /* A length without its bytes would make all that follows unreadable. */
    if (b->full) {
        b->len = before;
        b->p[before] = 0;
    }
    b->full |= was_full;
}

void buf_drop(struct buf *b, size_t n)
{
    if (n > b->len)
        n = b->len;
    b->len -= n;
    memmove(b->p, b->p + n, b->len + 1);
}

struct str buf_str(const struct buf *b)
{
    return str_n(b->p, b->len);
}

char *buf_take(struct buf *b)
{
    char *p = b->p;
    if (p == nothing) {
        p = xmalloc(1);
        p[0] = 0;
    }
    *b = (struct buf){.p = nothing, .max = b->max};
    return p;
}

struct bytes bytes_of(struct str s)
{
    static const unsigned char none[1];
    const unsigned char *p = s.p ? (const unsigned char *)s.p : none;
    return (struct bytes){.p = p, .end = p + s.len};
}

/* The next len bytes, or NULL with the reader exhausted and marked bad. */
static const unsigned char *take(struct bytes *b, uint64_t len)
{
    if (b->bad || len > (uint64_t)(b->end - b->p)) {
        b->bad = true;
        b->p = b->end;
        return NULL;
    }
    const unsigned char *p = b->p;
    b->p += len;
    return p;
}

uint8_t bytes_u8(struct bytes *b)
{
    const unsigned char *p = take(b, 1);
    return p ? *p : 0;
}

static uint64_t little_endian(const unsigned char *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; p && i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

uint32_t bytes_u32(struct bytes *b)
{
    return (uint32_t)little_endian(take(b, 4), 4);
}

uint64_t bytes_u64(struct bytes *b)
{
    return little_endian(take(b, 8), 8);
}

double bytes_f64(struct bytes *b)
{
    uint64_t bits = bytes_u64(b);
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

uint64_t bytes_varint(struct bytes *b)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t c = bytes_u8(b);
        if (b->bad)
            return 0;
        if (shift == 63 && c > 1)
            break;
        v |= (uint64_t)(c & 0x7F) << shift;
        if (c < 0x80)
            return v;
    }
    take(b, UINT64_MAX);
    return 0;
}

struct str bytes_str(struct bytes *b)
{
    uint64_t len = bytes_varint(b);
    const unsigned char *p = take(b, len);
    return p ? str_n((const char *)p, (size_t)len) : str_n("", 0);
}

struct str bytes_take(struct bytes *b, size_t len)
{
    const unsigned char *p = take(b, len);
    return p ? str_n((const char *)p, len) : str_n("", 0);
}
