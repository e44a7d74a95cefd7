/* keep_state.c - what is kept as bytes, and added up from bytes
 *
 *   throng.keep/1, newline; hash of rules and columns
 *   rows that were seen: count, then (gap, length) of each range
 *   rows that were listed
 *   by rule: rows that had no number; then
 *     ranked: count, then of each, the best first: row, its columns
 *     histogram: count, then (gap, rows) of each cell that has any
 *   hash of all that
 *
 * There is one way to write a state, so that equal states are equal bytes; any
 * other is refused. */
#include <math.h>

#include "base/hash.h"
#include "ensemble/keep.h"

#define FORMAT "throng.keep/1\n"

/* ---- writing ------------------------------------------------------------- */

static void print_ranked(struct buf *b, struct keep_part *p,
                         const struct keep_rule *r, size_t columns)
{
    keep_sort(p, r);
    buf_add_varint(b, p->len);
    for (size_t i = p->len; i-- > 0;) {
        buf_add_varint(b, p->heap[i].row);
        for (size_t c = 0; c < columns; c++)
            buf_add_f64(b, p->values[p->heap[i].slot * columns + c]);
    }
}

static void print_cells(struct buf *b, const struct keep_part *p)
{
    size_t filled = 0, next = 0;
    for (size_t i = 0; i < p->cell_count; i++)
        filled += p->cells[i] > 0;
    buf_add_varint(b, filled);
    for (size_t i = 0; i < p->cell_count; i++)
        if (p->cells[i]) {
            buf_add_varint(b, i - next);
            buf_add_varint(b, p->cells[i]);
            next = i + 1;
        }
}

static void print_seen(struct buf *b, const struct keep *k)
{
    uint64_t next = 0;
    buf_add_varint(b, k->seen.len);
    for (size_t i = 0; i < k->seen.len; i++) {
        buf_add_varint(b, k->seen.p[i].from - next);
        buf_add_varint(b, k->seen.p[i].to - k->seen.p[i].from);
        next = k->seen.p[i].to;
    }
}

void keep_print(struct buf *b, struct keep *k)
{
    size_t from = b->len;
    buf_adds(b, FORMAT);
    buf_add_u64(b, k->rules->hash);
    print_seen(b, k);
    buf_add_varint(b, k->listed);
    for (size_t i = 0; i < k->rules->count; i++) {
        const struct keep_rule *r = &k->rules->rules[i];
        buf_add_varint(b, k->parts[i].nan);
        if (keep_is_ranked(r))
            print_ranked(b, &k->parts[i], r, k->rules->column_count);
        else if (r->kind == KEEP_HISTOGRAM)
            print_cells(b, &k->parts[i]);
    }
    buf_add_u64(b, hash64(str_n(b->p + from, b->len - from), 0));
}

/* ---- reading ------------------------------------------------------------- */

/* In as few bytes as it needs. */
static uint64_t whole(struct bytes *in)
{
    const unsigned char *from = in->p;
    uint64_t x = bytes_varint(in);
    in->bad |= in->p - from > 1 && !in->p[-1];
    return x;
}

static uint64_t rows_seen(const struct keep *k)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < k->seen.len; i++)
        rows += k->seen.p[i].to - k->seen.p[i].from;
    return rows;
}

/* Ranges that touch would have been one. */
static bool read_seen(struct keep *k, struct bytes *in)
{
    uint64_t next = 0, count = whole(in);
    for (uint64_t i = 0; i < count && !in->bad; i++) {
        uint64_t gap = whole(in), len = whole(in);
        struct keep_range own = {next + gap, next + gap + len};
        if ((i && !gap) || !len || own.from < next || own.to < own.from)
            return false;
        vec_push(&k->seen, own);
        next = own.to;
    }
    return !in->bad;
}

static bool was_seen(const struct keep *k, uint64_t row)
{
    size_t low = 0, high = k->seen.len;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (k->seen.p[mid].to <= row)
            low = mid + 1;
        else
            high = mid;
    }
    return low < k->seen.len && k->seen.p[low].from <= row;
}

static bool read_ranked(struct keep *k, size_t rule, struct bytes *in)
{
    const struct keep_rule *r = &k->rules->rules[rule];
    struct keep_part *p = &k->parts[rule];
    size_t columns = k->rules->column_count;
    uint64_t count = whole(in);
    struct kept before = {0};
    if (count > r->most)
        return false;
    for (size_t i = 0; i < count && !in->bad; i++) {
        double *values = p->values + i * columns;
        uint64_t row = whole(in);
        for (size_t c = 0; c < columns; c++)
            values[c] = bytes_f64(in);
        struct kept own = {values[r->column], row, i};
        if (in->bad || isnan(own.by) || !was_seen(k, row) ||
            (i && !keep_better(r, &before, &own)) ||
            (r->where && !where_test(r->where, values)))
            return false;
        /* The best comes first; a heap has it last. */
        p->heap[count - 1 - i] = before = own;
    }
    p->len = (size_t)count;
    return !in->bad;
}

static bool read_cells(struct keep *k, size_t rule, struct bytes *in)
{
    struct keep_part *p = &k->parts[rule];
    uint64_t count = whole(in), at = 0, left = rows_seen(k);
    if (p->nan > left)
        return false;
    left -= p->nan;
    for (uint64_t i = 0; i < count && !in->bad; i++) {
        uint64_t gap = whole(in), rows = whole(in);
        if (!rows || rows > left || gap >= p->cell_count - at)
            return false;
        p->cells[at + gap] = rows;
        at += gap + 1;
        left -= rows;
        if (at == p->cell_count && i + 1 < count)
            return false;
    }
    return !in->bad;
}

static bool read_parts(struct keep *k, struct bytes *in)
{
    uint64_t rows = rows_seen(k);
    k->listed = whole(in);
    if (k->listed > rows)
        return false;
    for (size_t i = 0; i < k->rules->count; i++) {
        enum keep_kind kind = k->rules->rules[i].kind;
        k->parts[i].nan = whole(in);
        if (k->parts[i].nan > rows ||
            (kind == KEEP_HISTOGRAM && !read_cells(k, i, in)) ||
            (keep_is_ranked(&k->rules->rules[i]) && !read_ranked(k, i, in)))
            return false;
    }
    return !in->bad && in->p == in->end;
}

static bool read_head(struct str *bytes)
{
    size_t least = sizeof(FORMAT) - 1 + 16;
    if (bytes->len < least || !str_starts(*bytes, STR(FORMAT)))
        return false;
    struct bytes end = bytes_of(str_n(bytes->p + bytes->len - 8, 8));
    bytes->len -= 8;
    return bytes_u64(&end) == hash64(*bytes, 0);
}

static int read_state(struct keep *k, struct str bytes, const char *path,
                      struct err *err)
{
    if (!read_head(&bytes))
        return err_set(err, ERR_CORRUPT,
                       "%s: it is not what was written of kept predictions",
                       path);
    struct bytes in = bytes_of(bytes);
    bytes_take(&in, sizeof(FORMAT) - 1);
    if (bytes_u64(&in) != k->rules->hash)
        return err_set(err, ERR_INPUT,
                       "%s: its predictions were kept by other rules", path);
    if (!read_seen(k, &in) || !read_parts(k, &in))
        return err_set(err, ERR_CORRUPT, "%s: it makes no sense", path);
    return 0;
}

/* ---- adding up ----------------------------------------------------------- */

static int check_apart(const struct keep *k, const struct keep *other,
                       const char *path, struct err *err)
{
    size_t at = 0;
    for (size_t i = 0; i < other->seen.len; i++) {
        struct keep_range x = other->seen.p[i];
        while (at < k->seen.len && k->seen.p[at].to <= x.from)
            at++;
        if (at < k->seen.len && k->seen.p[at].from < x.to)
            return err_set(err, ERR_INPUT,
                           "%s: some of its rows %llu to %llu are there "
                           "already: no row counts twice",
                           path, (unsigned long long)x.from + 1,
                           (unsigned long long)x.to);
    }
    return 0;
}

static void add_part(struct keep *k, const struct keep *other, size_t rule)
{
    const struct keep_rule *r = &k->rules->rules[rule];
    size_t columns = k->rules->column_count;
    struct keep_part *p = &k->parts[rule];
    const struct keep_part *q = &other->parts[rule];
    p->nan += q->nan;
    for (size_t i = 0; i < q->cell_count; i++)
        p->cells[i] += q->cells[i];
    for (size_t i = 0; i < q->len; i++)
        keep_rank(p, r, columns, q->heap[i].row,
                  q->values + q->heap[i].slot * columns);
}

int keep_merge(struct keep *k, struct str bytes, const char *path,
               struct err *err)
{
    struct keep *other = keep_new(k->rules, err);
    int rc = !other || read_state(other, bytes, path, err) ||
             check_apart(k, other, path, err);
    for (size_t i = 0; !rc && i < other->seen.len; i++)
        rc = keep_cover(k, other->seen.p[i].from, other->seen.p[i].to, err);
    for (size_t i = 0; !rc && i < k->rules->count; i++)
        add_part(k, other, i);
    if (!rc)
        k->listed += other->listed;
    keep_free(other);
    return rc ? -1 : 0;
}
