/* trained.c - which rows a model was trained on, as a short text
 *
 *   {"rows": 1000, "digest": "8c…", "distinct": 998, "bits": 20,
 *    "hashes": "…"}
 *
 * Of the hashes of its rows (row_hash.c) the first bits are kept, `bits` more
 * than it takes to number all of them, and sorted. Each is told by what it is
 * more than the one before, as Golomb and Rice do: the part above `bits` bits
 * as so many ones and a zero, then these bits. Six bits are a character. That
 * is 22 or 23 bits a row, and a row that was never seen is taken for one of
 * them less than once in 2^20 times.
 *
 * The digest is the sum of all hashes, a row that was drawn twice counted
 * twice: a split that is made again is the same if it has the same. */
#include <stdlib.h>

#include "base/json.h"
#include "data/set.h"

#define BITS 20
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "abcdefghijklmnopqrstuvwxyz0123456789-_";

/* ---- bits -----------------------------------------------------------------
 */

struct bits_out {
    struct buf *to;
    uint64_t held;
    unsigned count; /* of them, below six between calls */
};

/* The last of `bits`, at most 32 of them. */
static void put_bits(struct bits_out *o, uint64_t bits, unsigned count)
{
    o->held = o->held << count | (bits & (((uint64_t)1 << count) - 1));
    for (o->count += count; o->count >= 6; o->count -= 6)
        buf_addc(o->to, digits[o->held >> (o->count - 6) & 63]);
}

struct bits_in {
    struct str from;
    size_t at;               /* in bits */
    signed char number[256]; /* of a character; -1: it is none */
    bool bad;
};

static void bits_begin(struct bits_in *in, struct str from)
{
    *in = (struct bits_in){.from = from};
    for (size_t i = 0; i < 256; i++)
        in->number[i] = -1;
    for (size_t i = 0; i < 64; i++)
        in->number[(unsigned char)digits[i]] = (signed char)i;
}

static unsigned take_bit(struct bits_in *in)
{
    size_t at = in->at / 6;
    int number =
        at < in->from.len ? in->number[(unsigned char)in->from.p[at]] : -1;
    in->bad |= number < 0;
    return in->bad ? 0 : (unsigned)number >> (5 - in->at++ % 6) & 1;
}

/* Bits of a hash that are kept. */
static unsigned kept_bits(uint64_t distinct, unsigned bits)
{
    unsigned more = 0;
    while (distinct > (uint64_t)1 << more)
        more++;
    return bits + more;
}

/* ---- writing --------------------------------------------------------------
 */

struct numbered {
    uint64_t hash;
    uint32_t row;
};

static int by_hash(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Rows of the table by their hashes, sorted once for all that are trained on
 * some of them; NULL: no memory. */
static const uint32_t *rows_by_hash(struct data_set *s, const uint64_t *hashes)
{
    size_t rows = s->table.rows;
    if (s->rows_by_hash)
        return s->rows_by_hash;
    struct numbered *all = malloc((rows + 1) * sizeof(*all));
    uint32_t *to = all ? malloc((rows + 1) * sizeof(*to)) : NULL;
    for (size_t i = 0; to && i < rows; i++)
        all[i] = (struct numbered){hashes[i], (uint32_t)i};
    if (to)
        qsort(all, rows, sizeof(*all), by_hash);
    for (size_t i = 0; to && i < rows; i++)
        to[i] = all[i].row;
    free(all);
    return s->rows_by_hash = to;
}

/* The hashes of the part's rows, sorted, each once; returns how many. */
static size_t sort_part(const uint32_t *order, size_t rows,
                        const uint64_t *hashes, const struct data_part *p,
                        bool *has, uint64_t *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++)
        has[p->rows[i]] = true;
    for (size_t i = 0; i < rows; i++) {
        uint64_t hash = hashes[order[i]];
        if (has[order[i]] && (!kept || hash != to[kept - 1]))
            to[kept++] = hash;
    }
    return kept;
}

static void put_hashes(struct buf *b, const uint64_t *sorted, size_t count)
{
    struct bits_out o = {.to = b};
    unsigned shift = 64 - kept_bits(count, BITS);
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t more = (sorted[i] >> shift) - last;
        last += more;
        for (uint64_t k = more >> BITS; k; k--)
            put_bits(&o, 1, 1);
        put_bits(&o, more & (((uint64_t)1 << BITS) - 1), BITS + 1);
    }
    if (o.count)
        put_bits(&o, 0, 6 - o.count);
}

static uint64_t digest_of(const uint64_t *hashes, const struct data_part *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->count; i++)
        sum += hashes[p->rows[i]];
    return sum;
}

static void print_rows(struct buf *b, struct data_set *s,
                       const uint64_t *hashes, const struct data_part *p)
{
    const uint32_t *order = rows_by_hash(s, hashes);
    size_t rows = s->table.rows;
    uint64_t *own = malloc((p->count + 1) * sizeof(*own));
    bool *has = calloc(rows + 1, sizeof(*has));
    bool able = order && own && has;
    size_t distinct = able ? sort_part(order, rows, hashes, p, has, own) : 0;
    free(has);
    if (!able) {
        free(own);
        return;
    }
    buf_addf(b,
             "{\"rows\":%zu,\"digest\":\"%016llx\",\"distinct\":%zu,"
             "\"bits\":%d,\"hashes\":\"",
             p->count, (unsigned long long)digest_of(hashes, p), distinct,
             BITS);
    put_hashes(b, own, distinct);
    buf_adds(b, "\"}");
    free(own);
}

/* Trials of a study mostly share their training rows: what was printed last is
 * kept. */
void data_trained_print(struct buf *b, struct data_set *s,
                        const struct data_view *v, struct str before)
{
    const uint64_t *hashes = data_row_hashes(s);
    if (!hashes)
        return;
    uint64_t digest = digest_of(hashes, &v->train);
    if (!s->trained.p || s->trained_digest != digest ||
        s->trained_count != v->train.count) {
        buf_done(&s->trained);
        buf_init(&s->trained);
        print_rows(&s->trained, s, hashes, &v->train);
        s->trained_digest = digest;
        s->trained_count = v->train.count;
    }
    buf_addf(b, "[%s", s->trained.p);
    if (before.len > 2)
        buf_addf(b, ",%.*s]", (int)before.len - 2, before.p + 1);
    else
        buf_addc(b, ']');
}

/* ---- reading --------------------------------------------------------------
 */

/* The rows of one training. */
struct stint {
    uint64_t rows, digest;
    const uint64_t *sorted;
    size_t count;
    unsigned shift;
};

struct data_trained {
    const struct stint *list; /* the last training first */
    size_t count;
};

static uint64_t number_of(const struct value *v, const char *key, uint64_t most)
{
    const struct value *x = value_get(v, str_of(key));
    return x && x->kind == VALUE_INT && x->i >= 0 && (uint64_t)x->i <= most
               ? (uint64_t)x->i
               : 0;
}

static bool read_digest(struct str s, uint64_t *to)
{
    static const char hexadecimal[] = "0123456789abcdef";
    *to = 0;
    for (size_t i = 0; i < s.len; i++) {
        const char *at = s.p[i] ? strchr(hexadecimal, s.p[i]) : NULL;
        if (!at)
            return false;
        *to = *to << 4 | (uint64_t)(at - hexadecimal);
    }
    return s.len == 16;
}

static bool take_hashes(struct stint *t, struct str text, unsigned bits,
                        struct arena *a)
{
    struct bits_in in;
    uint64_t *to = arena_array(a, t->count + 1, sizeof(*to)), last = 0;
    bits_begin(&in, text);
    for (size_t i = 0; !in.bad && i < t->count; i++) {
        uint64_t more = 0;
        while (take_bit(&in))
            more++;
        for (unsigned k = 0; k < bits; k++)
            more = more << 1 | take_bit(&in);
        to[i] = last += more;
    }
    t->sorted = to;
    return !in.bad;
}

static bool read_stint(const struct value *v, struct stint *t, struct arena *a)
{
    struct str text = value_text(value_get(v, STR("hashes")));
    unsigned bits = (unsigned)number_of(v, "bits", 31);
    *t = (struct stint){.rows = number_of(v, "rows", UINT32_MAX),
                        .count = (size_t)number_of(v, "distinct", UINT32_MAX)};
    if (!t->rows || !t->count || t->count > t->rows || !bits ||
        t->count > text.len * 6 / (bits + 1) ||
        !read_digest(value_text(value_get(v, STR("digest"))), &t->digest))
        return false;
    t->shift = 64 - kept_bits(t->count, bits);
    return take_hashes(t, text, bits, a);
}

const struct data_trained *data_trained_parse(struct str text, const char *path,
                                              struct arena *a, struct err *err)
{
    struct data_trained *all = arena_new_of(a, struct data_trained);
    const struct value *v = json_parse(a, text, path, true, NULL);
    size_t count = v && v->kind == VALUE_LIST ? v->count : 0;
    struct stint *list = arena_array(a, count + 1, sizeof(*list));
    bool ok = count > 0;
    for (size_t i = 0; ok && i < count; i++)
        ok = read_stint(v->items[i], &list[i], a);
    *all = (struct data_trained){list, count};
    if (ok)
        return all;
    err_set(err, ERR_CORRUPT,
            "%s: what it says of the rows that it was trained on is damaged; "
            "train it again",
            path);
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool data_trained_has(const struct data_trained *t, uint64_t hash)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct stint *s = &t->list[i];
        uint64_t kept = hash >> s->shift;
        if (bsearch(&kept, s->sorted, s->count, sizeof(kept), by_size))
            return true;
    }
    return false;
}

bool data_trained_matches(const struct data_trained *t, struct data_set *s,
                          const struct data_view *v)
{
    const uint64_t *hashes = data_row_hashes(s);
    return hashes && t->count == 1 && t->list->rows == v->train.count &&
           t->list->digest == digest_of(hashes, &v->train);
}
