/* wal.c - what a damaged log has lost
 *
 * After a crash SQLite believes its log (study.db-wal) up to the first frame
 * whose checksum is wrong, and drops the rest without a word: that is right
 * for the last commit, which may be torn, and hides damage before it. Frames
 * of the same log behind that place can be known by the salts in its head; a
 * commit among them was made, and is lost.
 *
 * The form of the file is SQLite's (sqlite.org/fileformat2.html#walformat):
 * big-endian numbers, checksums that run from the head through all frames. */
#include "store/store.h"

#include "store/db.h"

#define HEAD_BYTES 32
#define FRAME_BYTES 24
#define MAGIC 0x377f0682u /* the lowest bit: checksums of big-endian words */

struct wal {
    const unsigned char *p;
    size_t page_bytes, frames;
    bool big_endian;
    uint32_t sum[2];
};

static uint32_t word(const struct wal *w, const unsigned char *p)
{
    uint32_t v = big_u32(p);
    return w->big_endian ? v : __builtin_bswap32(v);
}

static void sum(struct wal *w, const unsigned char *p, size_t len)
{
    for (size_t i = 0; i + 8 <= len; i += 8) {
        w->sum[0] += word(w, p + i) + w->sum[1];
        w->sum[1] += word(w, p + i + 4) + w->sum[0];
    }
}

static const unsigned char *frame(const struct wal *w, size_t i)
{
    return w->p + HEAD_BYTES + i * (FRAME_BYTES + w->page_bytes);
}

static bool read_head(struct wal *w, struct str text)
{
    w->p = (const unsigned char *)text.p;
    if (text.len < HEAD_BYTES || (big_u32(w->p) & ~1u) != MAGIC)
        return false;
    w->big_endian = big_u32(w->p) & 1;
    w->page_bytes = big_u32(w->p + 8);
    if (w->page_bytes < 512 || w->page_bytes > 65536)
        return false;
    w->frames = (text.len - HEAD_BYTES) / (FRAME_BYTES + w->page_bytes);
    sum(w, w->p, 24);
    return w->sum[0] == big_u32(w->p + 24) && w->sum[1] == big_u32(w->p + 28);
}

static bool is_of_this_log(const struct wal *w, const unsigned char *f)
{
    return memcmp(f + 8, w->p + 16, 8) == 0; /* the salts */
}

/* Goes on with the checksums of the frames before it. */
static bool is_believed(struct wal *w, const unsigned char *f)
{
    if (!is_of_this_log(w, f))
        return false;
    sum(w, f, 8);
    sum(w, f + FRAME_BYTES, w->page_bytes);
    return w->sum[0] == big_u32(f + 16) && w->sum[1] == big_u32(f + 20);
}

static size_t count_lost(struct wal *w)
{
    size_t lost = 0, i = 0;
    while (i < w->frames && is_believed(w, frame(w, i)))
        i++;
    for (i++; i < w->frames; i++)
        lost += is_of_this_log(w, frame(w, i)) && big_u32(frame(w, i) + 4) != 0;
    return lost;
}

size_t store_log_lost(const char *folder)
{
    struct arena *a = arena_new();
    struct wal w = {0};
    struct str text;
    size_t lost = 0;
    if (file_map(path_join(a, folder, "study.db-wal"), &text, NULL) == 0) {
        if (read_head(&w, text))
            lost = count_lost(&w);
        file_unmap(text);
    }
    arena_free(a);
    return lost;
}
