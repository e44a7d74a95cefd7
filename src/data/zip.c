/* zip.c - one file out of a zip archive, which is what npz is, and what torch
 * saves
 *
 * The directory stands at the end; only stored and deflated files of one
 * volume are read, with the 64-bit sizes that NumPy writes for large ones. */
#include <zlib.h>

#include "data/matrix.h"

#define END_SIZE 22
#define ENTRY_SIZE 46
#define LOCAL_SIZE 30
#define MEMBER_MAX ((size_t)1 << 36)
#define UNPACKED_TIMES 1032

struct member {
    struct str name;
    unsigned method;
    uint32_t crc;
    uint64_t packed, size, at;
};

static uint64_t little(const char *p, size_t size)
{
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++)
        v |= (uint64_t)(unsigned char)p[i] << (8 * i);
    return v;
}

bool data_is_zip(struct str s)
{
    return s.len >= END_SIZE && memcmp(s.p, "PK\3\4", 4) == 0;
}

/* The end of the directory, found from the back: a comment may follow it. */
static const char *find_end(struct str s)
{
    for (size_t back = END_SIZE; back <= s.len && back < END_SIZE + 65536;
         back++)
        if (memcmp(s.p + s.len - back, "PK\5\6", 4) == 0)
            return s.p + s.len - back;
    return NULL;
}

/* Where the directory begins; beyond 4 GiB a second end in front of the first
 * says it. */
static size_t directory_at(struct str s, const char *end)
{
    size_t at = little(end + 16, 4), before = (size_t)(end - s.p);
    if (at != UINT32_MAX || before < 20 || memcmp(end - 20, "PK\6\7", 4) != 0)
        return at;
    size_t wide = little(end - 12, 8);
    return wide < s.len && s.len - wide >= 56 ? little(s.p + wide + 48, 8) : at;
}

/* Sizes that do not fit 32 bits stand in an extra field, in this order. */
static void read_wide(struct str extra, struct member *m)
{
    uint64_t *fields[] = {&m->size, &m->packed, &m->at};
    while (extra.len >= 4) {
        size_t id = little(extra.p, 2), len = little(extra.p + 2, 2);
        const char *p = extra.p + 4;
        if (len > extra.len - 4)
            return;
        for (size_t i = 0, at = 0; id == 1 && i < 3; i++)
            if (*fields[i] == UINT32_MAX && at + 8 <= len) {
                *fields[i] = little(p + at, 8);
                at += 8;
            }
        extra = str_n(p + len, extra.len - 4 - len);
    }
}

/* The entry at *at of the directory; false: there are no more. */
static bool next_member(struct str s, size_t *at, struct member *m)
{
    if (s.len < *at || s.len - *at < ENTRY_SIZE)
        return false;
    const char *p = s.p + *at;
    if (memcmp(p, "PK\1\2", 4) != 0)
        return false;
    size_t name = little(p + 28, 2), extra = little(p + 30, 2);
    size_t comment = little(p + 32, 2);
    if (s.len - *at - ENTRY_SIZE < name + extra + comment)
        return false;
    *m = (struct member){.name = str_n(p + ENTRY_SIZE, name),
                         .method = (unsigned)little(p + 10, 2),
                         .crc = (uint32_t)little(p + 16, 4),
                         .packed = little(p + 20, 4),
                         .size = little(p + 24, 4),
                         .at = little(p + 42, 4)};
    read_wide(str_n(p + ENTRY_SIZE + name, extra), m);
    if (str_ends(m->name, STR(".npy")))
        m->name.len -= 4;
    *at += ENTRY_SIZE + name + extra + comment;
    return true;
}

static int inflate_member(struct str packed, const struct member *m, char *to)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)packed.p};
    size_t in = packed.len, out = 0;
    int rc = inflateInit2(&z, -MAX_WBITS);
    while (rc == Z_OK) {
        uInt feed = in > (1u << 30) ? 1u << 30 : (uInt)in;
        uInt room =
            m->size - out > (1u << 30) ? 1u << 30 : (uInt)(m->size - out);
        z.avail_in = feed;
        z.avail_out = room;
        z.next_out = (Bytef *)to + out;
        rc = inflate(&z, Z_NO_FLUSH);
        in -= feed - z.avail_in;
        out += room - z.avail_out;
        if (rc == Z_OK && feed == z.avail_in && room == z.avail_out)
            break;
    }
    inflateEnd(&z);
    return rc == Z_STREAM_END && out == m->size ? 0 : -1;
}

static uint32_t crc_of(const char *p, size_t len)
{
    uLong crc = crc32(0, NULL, 0);
    while (len) {
        uInt part = len > (1u << 30) ? 1u << 30 : (uInt)len;
        crc = crc32(crc, (const Bytef *)p, part);
        p += part;
        len -= part;
    }
    return (uint32_t)crc;
}

static int unpack_member(struct str s, const char *path, const struct member *m,
                         struct arena *a, struct str *out, struct err *err)
{
    const char *p = s.p + (m->at < s.len ? m->at : 0);
    size_t head = LOCAL_SIZE;
    bool good = m->at < s.len && s.len - m->at >= LOCAL_SIZE &&
                memcmp(p, "PK\3\4", 4) == 0;
    if (good)
        head += little(p + 26, 2) + little(p + 28, 2);
    if (!good || s.len - m->at < head || s.len - m->at - head < m->packed ||
        m->size / UNPACKED_TIMES > m->packed || m->size > MEMBER_MAX)
        return err_set(err, ERR_INPUT, "%s: %.*s is cut off or damaged", path,
                       STRF(m->name));
    struct str packed = str_n(p + head, m->packed);
    if (m->method != 0 && m->method != 8)
        return err_set(err, ERR_INPUT,
                       "%s: %.*s is packed by method %u; stored and deflated "
                       "arrays are read",
                       path, STRF(m->name), m->method);
    if (m->method == 0) {
        *out = packed;
    } else {
        char *to = arena_alloc(a, m->size + 1);
        if (inflate_member(packed, m, to))
            return err_set(err, ERR_INPUT, "%s: %.*s is damaged", path,
                           STRF(m->name));
        *out = str_n(to, m->size);
    }
    if (crc_of(out->p, out->len) != m->crc)
        return err_set(err, ERR_INPUT,
                       "%s: the checksum of %.*s is wrong; fetch it again",
                       path, STRF(m->name));
    return 0;
}

static int fail_name(struct str bytes, size_t at, const char *path,
                     struct str name, struct err *err)
{
    struct buf names;
    struct member m;
    buf_init(&names);
    while (next_member(bytes, &at, &m))
        buf_addf(&names, "%s%.*s", names.len ? ", " : "", STRF(m.name));
    if (name.len)
        err_set(err, ERR_INPUT, "%s: has no array %.*s; it has %s", path,
                STRF(name), names.p);
    else
        err_set(err, ERR_INPUT, "%s: say which array, as in %s:NAME; it has %s",
                path, path, names.p);
    buf_done(&names);
    return -1;
}

struct str data_zip_find(struct str bytes, struct str ending)
{
    const char *end = data_is_zip(bytes) ? find_end(bytes) : NULL;
    struct str found = STR("");
    struct member m;
    for (size_t at = end ? directory_at(bytes, end) : bytes.len;
         !found.len && next_member(bytes, &at, &m);)
        if (str_ends(m.name, ending))
            found = m.name;
    return found;
}

int data_read_zip(struct str bytes, const char *path, struct str name,
                  struct arena *a, struct str *out, struct err *err)
{
    const char *end = find_end(bytes);
    struct member m, found = {0};
    size_t matches = 0;
    if (!end)
        return err_set(err, ERR_INPUT,
                       "%s: the npz file is cut off: its directory is "
                       "missing; fetch it again",
                       path);
    size_t from = directory_at(bytes, end);
    for (size_t at = from; next_member(bytes, &at, &m);)
        if (!name.len || str_eq(name, m.name)) {
            found = m;
            matches++;
        }
    if (matches != 1)
        return fail_name(bytes, from, path, name, err);
    return unpack_member(bytes, path, &found, a, out, err);
}
