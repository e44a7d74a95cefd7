/* metric_batch.c - points of one attempt in columns
 *
 * A name has up to four columns, one per source. Programs write the same
 * names in the same order line after line, so the name at each position of
 * the last line is remembered and compared before anything is hashed. */
#include "terms/metric.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

enum { SOURCES = METRIC_FROM_METRICS + 1 };

struct name;
struct column {
    struct name *name;
    enum metric_source source;
    int64_t *steps; /* same length and capacity as values */
    double *values;
    size_t count, cap; /* waiting */
    int64_t next;      /* step of a point that has none */
};

struct name {
    struct str text;
    struct column columns[SOURCES];
};

struct metric_batch {
    struct arena *arena; /* of the names */
    struct map *by_text;
    VEC(struct name *) names;
    VEC(struct name *) last_line; /* by position */
    VEC(struct column *) waiting; /* those with points, oldest first */
    size_t points;
};

struct metric_batch *metric_batch_new(void)
{
    struct metric_batch *b = xcalloc(1, sizeof(*b));
    b->arena = arena_new();
    b->by_text = map_new();
    return b;
}

void metric_batch_free(struct metric_batch *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->names.len; i++) {
        for (int s = 0; s < SOURCES; s++) {
            free(b->names.p[i]->columns[s].steps);
            free(b->names.p[i]->columns[s].values);
        }
    }
    vec_done(&b->names);
    vec_done(&b->last_line);
    vec_done(&b->waiting);
    map_free(b->by_text);
    arena_free(b->arena);
    free(b);
}

/* The name's entry, made when it is new; NULL when there are too many. */
static struct name *name_of(struct metric_batch *b, struct str text)
{
    struct name *n = map_get(b->by_text, text);
    if (n || b->names.len == METRIC_NAMES_MAX)
        return n;
    n = arena_new_of(b->arena, struct name);
    n->text = arena_str(b->arena, text);
    for (int s = 0; s < SOURCES; s++) {
        n->columns[s].name = n;
        n->columns[s].source = (enum metric_source)s;
    }
    vec_push(&b->names, n);
    map_set(b->by_text, text, n);
    return n;
}

static void column_grow(struct column *c)
{
    size_t cap = c->cap ? 2 * c->cap : 16;
    c->steps = xrealloc(c->steps, cap * sizeof(*c->steps));
    c->values = xrealloc(c->values, cap * sizeof(*c->values));
    c->cap = cap;
}

static void column_pass(struct column *c, int64_t step)
{
    if (step >= c->next && step < INT64_MAX)
        c->next = step + 1;
}

static void column_add(struct metric_batch *b, struct column *c, int64_t step,
                       double value)
{
    if (c->count == c->cap)
        column_grow(c);
    if (c->count == 0)
        vec_push(&b->waiting, c);
    if (step == METRIC_NO_STEP)
        step = c->next;
    column_pass(c, step);
    c->steps[c->count] = step;
    c->values[c->count++] = value;
    b->points++;
}

void metric_batch_reserve(struct metric_batch *b, struct str name)
{
    if (name.len)
        name_of(b, name);
}

int metric_batch_add(struct metric_batch *b, struct str name,
                     enum metric_source source, int64_t step, double value)
{
    struct name *n = name_of(b, name);
    if (!n)
        return -1;
    column_add(b, &n->columns[source], step, value);
    return 0;
}

/* The entry of the name at a position of a line, or NULL. */
static struct name *name_at(struct metric_batch *b, size_t i, struct str text)
{
    if (i < b->last_line.len && str_eq(b->last_line.p[i]->text, text))
        return b->last_line.p[i];
    struct name *n = name_of(b, text);
    if (!n)
        return NULL;
    if (i < b->last_line.len)
        b->last_line.p[i] = n;
    else if (i == b->last_line.len)
        vec_push(&b->last_line, n);
    return n;
}

size_t metric_batch_add_line(struct metric_batch *b,
                             const struct metric_line *m,
                             enum metric_source source)
{
    size_t dropped = 0;
    for (size_t i = 0; i < m->count; i++) {
        struct name *n = name_at(b, i, m->pairs[i].name);
        if (n)
            column_add(b, &n->columns[source], m->step, m->pairs[i].value);
        else
            dropped++;
    }
    return dropped;
}

void metric_batch_go_on(struct metric_batch *b, struct str name, int64_t step)
{
    struct name *n = name_of(b, name);
    for (int s = 0; n && s < SOURCES; s++)
        column_pass(&n->columns[s], step - 1);
}

int64_t metric_batch_next(const struct metric_batch *b)
{
    int64_t next = 0;
    for (size_t i = 0; i < b->names.len; i++)
        for (int s = 0; s < SOURCES; s++)
            if (b->names.p[i]->columns[s].next > next)
                next = b->names.p[i]->columns[s].next;
    return next;
}

size_t metric_batch_points(const struct metric_batch *b)
{
    return b->points;
}

void metric_batch_print(struct metric_batch *b, struct buf *out)
{
    buf_add_varint(out, b->waiting.len);
    for (size_t i = 0; i < b->waiting.len; i++) {
        struct column *c = b->waiting.p[i];
        buf_add_u8(out, (uint8_t)c->source);
        buf_add_bytes(out, c->name->text);
        buf_add_varint(out, c->count);
        buf_add(out, c->steps, c->count * sizeof(*c->steps));
        buf_add(out, c->values, c->count * sizeof(*c->values));
        c->count = 0;
    }
    b->waiting.len = 0;
    b->points = 0;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "columns are copied as they are, and are little-endian");

void metric_reader_init(struct metric_reader *r, struct str payload)
{
    *r = (struct metric_reader){.bytes = bytes_of(payload)};
}

static bool read_column(struct bytes *in, struct metric_column *c)
{
    unsigned source = bytes_u8(in);
    c->name = bytes_str(in);
    uint64_t count = bytes_varint(in);
    if (in->bad || source >= SOURCES || c->name.len == 0 ||
        c->name.len > METRIC_NAME_MAX ||
        count > (uint64_t)(in->end - in->p) / 16)
        return false;
    c->source = (enum metric_source)source;
    c->count = (size_t)count;
    c->steps = (const unsigned char *)bytes_take(in, 8 * c->count).p;
    c->values = (const unsigned char *)bytes_take(in, 8 * c->count).p;
    return !in->bad;
}

int metric_reader_next(struct metric_reader *r, struct metric_column *c)
{
    if (!r->begun) {
        r->begun = true;
        r->left = bytes_varint(&r->bytes);
    }
    if (!r->bytes.bad && r->left == 0)
        return r->bytes.p == r->bytes.end ? 0 : -1;
    struct metric_column read = {0};
    if (r->bytes.bad || !read_column(&r->bytes, &read)) {
        r->bytes.bad = true;
        return -1;
    }
    r->left--;
    *c = read;
    return 1;
}
