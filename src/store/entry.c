/* entry.c - one file of a trial in a pack */
#include "store/entry.h"

#include <zstd.h>
#include "base/hash.h"

#define MARK "\xf7tp1"
#define MARK_BYTES 4
#define ZIP_LEVEL 1
#define ZIP_FROM 64 /* bytes: fewer are not worth a frame */

enum form { FORM_PLAIN, FORM_ZIPPED };

/* ---- reading ---------------------------------------------------------- */

bool entry_head(struct str text, uint64_t *len, uint64_t *hash)
{
    struct bytes b = bytes_of(text);
    if (!str_is(bytes_take(&b, MARK_BYTES), MARK))
        return false;
    *len = bytes_u64(&b);
    *hash = bytes_u64(&b);
    return !b.bad;
}

/* The entry that begins the text; false when none does. */
static bool parse(struct str text, struct entry *e)
{
    uint64_t len;
    if (!entry_head(text, &len, &e->hash) || len > text.len - ENTRY_HEAD_BYTES)
        return false;
    struct str rest = str_n(text.p + ENTRY_HEAD_BYTES, (size_t)len);
    if (hash64(rest, 0) != e->hash)
        return false;
    struct bytes b = bytes_of(rest);
    e->trial = (int64_t)bytes_varint(&b);
    e->name = bytes_str(&b);
    uint8_t form = bytes_u8(&b);
    e->zipped = form == FORM_ZIPPED;
    e->bytes = bytes_varint(&b);
    e->body = str_n((const char *)b.p, (size_t)(b.end - b.p));
    e->whole = str_n(text.p, ENTRY_HEAD_BYTES + (size_t)len);
    return !b.bad && form <= FORM_ZIPPED &&
           (e->zipped || e->bytes == e->body.len);
}

bool entry_next(struct str text, size_t *at, struct entry *e)
{
    while (*at + ENTRY_HEAD_BYTES < text.len) {
        if (parse(str_n(text.p + *at, text.len - *at), e)) {
            *at += e->whole.len;
            return true;
        }
        const char *mark =
            memmem(text.p + *at + 1, text.len - *at - 1, MARK, MARK_BYTES);
        *at = mark ? (size_t)(mark - text.p) : text.len;
    }
    return false;
}

int entry_text(const struct entry *e, struct buf *b, struct err *err)
{
    if (!e->zipped) {
        buf_addstr(b, e->body);
        return 0;
    }
    unsigned long long says = ZSTD_getFrameContentSize(e->body.p, e->body.len);
    if (says != e->bytes)
        return err_set(err, ERR_CORRUPT, "its packed form is damaged");
    buf_reserve(b, (size_t)e->bytes);
    size_t got = ZSTD_decompress(b->p + b->len, (size_t)e->bytes, e->body.p,
                                 e->body.len);
    if (ZSTD_isError(got) || got != e->bytes)
        return err_set(err, ERR_CORRUPT, "its packed form is damaged");
    b->len += got;
    b->p[b->len] = 0;
    return 0;
}

uint64_t entry_key(int64_t trial, struct str name)
{
    return hash64(name, (uint64_t)trial);
}

/* ---- writing ---------------------------------------------------------- */

static bool add_zipped(struct buf *b, struct str text)
{
    size_t room = ZSTD_compressBound(text.len);
    buf_reserve(b, room);
    size_t len =
        ZSTD_compress(b->p + b->len, room, text.p, text.len, ZIP_LEVEL);
    if (ZSTD_isError(len) || len >= text.len)
        return false;
    b->len += len;
    return true;
}

static void put_u64(char *to, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        to[i] = (char)(v >> (8 * i) & 0xff);
}

void entry_print(struct buf *b, int64_t trial, struct str name, struct str text,
                 bool zip)
{
    size_t start = b->len, rest = start + ENTRY_HEAD_BYTES;
    buf_add(b, MARK, MARK_BYTES);
    buf_add_u64(b, 0);
    buf_add_u64(b, 0);
    buf_add_varint(b, (uint64_t)trial);
    buf_add_bytes(b, name);
    size_t form = b->len;
    buf_add_u8(b, FORM_ZIPPED);
    buf_add_varint(b, text.len);
    if (!zip || text.len < ZIP_FROM || !add_zipped(b, text)) {
        b->p[form] = FORM_PLAIN;
        buf_addstr(b, text);
    }
    uint64_t hash = hash64(str_n(b->p + rest, b->len - rest), 0);
    put_u64(b->p + start + MARK_BYTES, b->len - rest);
    put_u64(b->p + start + MARK_BYTES + 8, hash);
}
