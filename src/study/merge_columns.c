/* merge_columns.c - the columns of a merged table, whose shards may have
 * different ones
 *
 * A file of rows without labels gives shards without a column of them. Columns
 * of all shards stand in one order, in which some leave some out: the table has
 * each of them, and rows of a shard that lacks one have nothing there. */
#include <stdlib.h>

#include "base/csv.h"
#include "study/merge.h"

struct merge_columns {
    struct arena *arena;
    VEC(struct str) names;
    struct buf header; /* their line */
    struct buf rows;   /* of the shard that was last fitted */
};

struct merge_columns *merge_columns_new(void)
{
    struct merge_columns *c = xcalloc(1, sizeof(*c));
    c->arena = arena_new();
    buf_init(&c->header);
    buf_init(&c->rows);
    return c;
}

void merge_columns_free(struct merge_columns *c)
{
    if (!c)
        return;
    arena_free(c->arena);
    vec_done(&c->names);
    buf_done(&c->header);
    buf_done(&c->rows);
    free(c);
}

/* From a place on; the count of columns: it is not there. */
static size_t find(const struct merge_columns *c, size_t from, struct str name)
{
    while (from < c->names.len && !str_eq(c->names.p[from], name))
        from++;
    return from;
}

static void insert(struct merge_columns *c, size_t at, struct str name)
{
    vec_push(&c->names, name);
    for (size_t i = c->names.len - 1; i > at; i--)
        c->names.p[i] = c->names.p[i - 1];
    c->names.p[at] = arena_str(c->arena, name);
}

static struct str first_line(struct str text)
{
    const char *end = text.len ? memchr(text.p, '\n', text.len) : NULL;
    return str_n(text.p, end ? (size_t)(end + 1 - text.p) : text.len);
}

static void print_header(struct merge_columns *c)
{
    buf_reset(&c->header);
    for (size_t i = 0; i < c->names.len; i++) {
        if (i)
            buf_addc(&c->header, ',');
        csv_field(&c->header, c->names.p[i], ',');
    }
    buf_addc(&c->header, '\n');
}

int merge_columns_add(struct merge_columns *c, struct str text, struct err *err)
{
    struct str line = first_line(text);
    struct csv csv;
    size_t at = 0;
    if (str_eq(line, buf_str(&c->header)))
        return 0;
    bool first = !c->names.len;
    csv_init(&csv, line, ',');
    int got = csv_next(&csv, err);
    for (size_t i = 0; got > 0 && i < csv.fields.len; i++) {
        size_t found = find(c, at, csv.fields.p[i]);
        if (found < c->names.len)
            at = found;
        else
            insert(c, at, csv.fields.p[i]);
        at++;
    }
    csv_done(&csv);
    if (first)
        buf_addstr(&c->header, line);
    else
        print_header(c);
    return got < 0 ? -1 : 0;
}

struct str merge_columns_header(const struct merge_columns *c)
{
    return buf_str(&c->header);
}

/* Where each of a shard's columns stands. */
static int place(const struct merge_columns *c, const struct csv *csv,
                 size_t *to, struct err *err)
{
    size_t at = 0;
    for (size_t i = 0; i < csv->fields.len; i++) {
        to[i] = find(c, at, csv->fields.p[i]);
        at = to[i] + 1;
        if (to[i] == c->names.len)
            return err_set(err, ERR_INPUT,
                           "has other columns than those before it");
    }
    return 0;
}

static void add_row(struct merge_columns *c, const struct csv *csv,
                    const size_t *places, size_t count)
{
    size_t next = 0;
    for (size_t i = 0; i < c->names.len; i++) {
        if (i)
            buf_addc(&c->rows, ',');
        if (next < count && next < csv->fields.len && places[next] == i)
            csv_field(&c->rows, csv->fields.p[next++], ',');
    }
    buf_addc(&c->rows, '\n');
}

int merge_columns_fit(struct merge_columns *c, struct str *text,
                      struct err *err)
{
    struct str line = first_line(*text);
    struct csv csv;
    if (str_eq(line, buf_str(&c->header))) {
        *text = str_n(text->p + line.len, text->len - line.len);
        return 0;
    }
    buf_reset(&c->rows);
    csv_init(&csv, *text, ',');
    int got = csv_next(&csv, err);
    size_t count = csv.fields.len;
    size_t *places = xcalloc(count + 1, sizeof(*places));
    if (got > 0 && place(c, &csv, places, err))
        got = -1;
    while (got > 0 && (got = csv_next(&csv, err)) > 0)
        add_row(c, &csv, places, count);
    free(places);
    csv_done(&csv);
    *text = buf_str(&c->rows);
    return got;
}
