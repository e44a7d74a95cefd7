/* buf.h - text being built; always a C string
 *
 * A buf with a maximum refuses to grow past it: the addition is dropped
 * whole and `full` is set, so one test at the end is enough. */
#ifndef THRONG_BASE_BUF_H
#define THRONG_BASE_BUF_H

#include <stdarg.h>
#include <stdint.h>
#include "base/str.h"

struct buf {
    char *p; /* never NULL after init; p[len] == 0 */
    size_t len, cap;
    size_t max; /* 0: no maximum */
    bool full;
};

void buf_init(struct buf *b);
void buf_init_max(struct buf *b, size_t max);
void buf_done(struct buf *b);
void buf_reset(struct buf *b); /* len = 0, memory kept */
/* Makes cap - len > more, whatever the maximum, for writing to p + len. */
void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *p, size_t len);
void buf_adds(struct buf *b, const char *s);
void buf_addstr(struct buf *b, struct str s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
/* Little-endian fixed-width and LEB128 numbers, for binary formats. */
void buf_add_u8(struct buf *b, uint8_t v);
void buf_add_u32(struct buf *b, uint32_t v);
void buf_add_u64(struct buf *b, uint64_t v);
void buf_add_f64(struct buf *b, double v);
void buf_add_varint(struct buf *b, uint64_t v);
void buf_add_bytes(struct buf *b, struct str s); /* varint length, bytes */
/* Removes the first n bytes. */
void buf_drop(struct buf *b, size_t n);
struct str buf_str(const struct buf *b);
/* Hands the memory over (yours to free) and empties b, which may be used
 * again but need not be done with. */
char *buf_take(struct buf *b);

/* The reader of what buf_add_* wrote. Past the end everything is 0 and
 * `bad` is set. */
struct bytes {
    const unsigned char *p, *end;
    bool bad;
};
struct bytes bytes_of(struct str s);
uint8_t bytes_u8(struct bytes *b);
uint32_t bytes_u32(struct bytes *b);
uint64_t bytes_u64(struct bytes *b);
double bytes_f64(struct bytes *b);
uint64_t bytes_varint(struct bytes *b);
struct str bytes_str(struct bytes *b);              /* varint length, bytes */
struct str bytes_take(struct bytes *b, size_t len); /* exactly len bytes */

/* Four bytes, the highest first. */
static inline uint32_t big_u32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

#endif
