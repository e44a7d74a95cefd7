/* zip_write.c - a zip archive of files that are stored as they are
 *
 * Numbers are aligned to 64 bytes, so that who maps the archive can use them
 * where they lie. Archives of up to 4 GiB. */
#include <zlib.h>

#include "data/data.h"

#define ALIGNED 64
#define LOCAL_SIZE 30

static void add_u16(struct buf *b, size_t v)
{
    buf_add_u8(b, (uint8_t)v);
    buf_add_u8(b, (uint8_t)(v >> 8));
}

void data_zip_begin(struct data_zip *z, struct buf *to)
{
    *z = (struct data_zip){.to = to, .from = to->len};
    buf_init(&z->directory);
}

static uint32_t sum_of(struct str bytes)
{
    uLong crc = crc32(0, NULL, 0);
    for (size_t at = 0; at < bytes.len;) {
        size_t part = bytes.len - at < (1u << 30) ? bytes.len - at : 1u << 30;
        crc = crc32(crc, (const Bytef *)bytes.p + at, (uInt)part);
        at += part;
    }
    return (uint32_t)crc;
}

/* What the entry of a file and its line in the directory have in common. */
static void add_facts(struct buf *b, struct str name, struct str bytes,
                      uint32_t crc, size_t extra)
{
    add_u16(b, 20); /* the version that can read it */
    add_u16(b, 0);
    add_u16(b, 0);    /* stored */
    add_u16(b, 0);    /* no time … */
    add_u16(b, 0x21); /* … of the first day of 1980 */
    buf_add_u32(b, crc);
    buf_add_u32(b, (uint32_t)bytes.len);
    buf_add_u32(b, (uint32_t)bytes.len);
    add_u16(b, name.len);
    add_u16(b, extra);
}

void data_zip_add(struct data_zip *z, struct str name, struct str bytes)
{
    size_t at = z->to->len - z->from;
    size_t behind = at + LOCAL_SIZE + name.len + 4;
    size_t extra = 4 + (ALIGNED - behind % ALIGNED) % ALIGNED;
    uint32_t crc = sum_of(bytes);
    buf_adds(z->to, "PK\3\4");
    add_facts(z->to, name, bytes, crc, extra);
    buf_addstr(z->to, name);
    buf_adds(z->to, "FB"); /* a field that fills up */
    add_u16(z->to, extra - 4);
    for (size_t i = 4; i < extra; i++)
        buf_addc(z->to, 0);
    buf_addstr(z->to, bytes);
    buf_adds(&z->directory, "PK\1\2");
    add_u16(&z->directory, 20);
    add_facts(&z->directory, name, bytes, crc, 0);
    for (int i = 0; i < 10; i++) /* comment, volume, attributes: none */
        buf_addc(&z->directory, 0);
    buf_add_u32(&z->directory, (uint32_t)at);
    buf_addstr(&z->directory, name);
    z->count++;
}

void data_zip_end(struct data_zip *z)
{
    size_t at = z->to->len - z->from;
    buf_addstr(z->to, buf_str(&z->directory));
    buf_adds(z->to, "PK\5\6");
    buf_add_u32(z->to, 0);
    add_u16(z->to, z->count);
    add_u16(z->to, z->count);
    buf_add_u32(z->to, (uint32_t)z->directory.len);
    buf_add_u32(z->to, (uint32_t)at);
    add_u16(z->to, 0);
    buf_done(&z->directory);
}
