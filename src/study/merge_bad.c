/* merge_bad.c - the rows of an inference of which nothing is predicted, as a
 * table beside its own
 *
 * A shard reports how many it has, and leaves a file of the first of them. Here
 * they stand one behind the other, in the order of rows: the first of all, so
 * that the table is the same however rows were cut into shards. */
#include <stdlib.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/json.h"
#include "data/data.h"
#include "study/merge.h"

#define SHARD_BAD "output/bad.csv" /* row, line, column, what is wrong */

struct merge_bad {
    struct packs *packs;
    const char *path;
    struct buf lines, first;
    size_t listed;
    uint64_t count;
    struct arena *arena;
};

struct merge_bad *merge_bad_new(struct packs *packs, const char *beside)
{
    struct merge_bad *b = xcalloc(1, sizeof(*b));
    b->packs = packs;
    b->arena = arena_new();
    b->path = arena_printf(b->arena, "%s.bad.csv", beside);
    buf_init(&b->lines);
    buf_init(&b->first);
    return b;
}

void merge_bad_free(struct merge_bad *b)
{
    if (!b)
        return;
    buf_done(&b->lines);
    buf_done(&b->first);
    arena_free(b->arena);
    free(b);
}

uint64_t merge_bad_count(const struct trial *t, struct arena *a)
{
    const struct value *summary =
        t->summary.len ? json_parse(a, t->summary, "summary", true, NULL)
                       : NULL;
    const struct value *last =
        value_get(value_get(summary, STR(INFERENCE_BAD)), STR("last"));
    double count = last ? value_number(last) : 0;
    return count > 0 ? (uint64_t)count : 0;
}

/* For people: "new.csv:7: column a: what is wrong". */
static void say_first(struct merge_bad *b, struct str file,
                      const struct str *fields)
{
    buf_addf(&b->first, "%.*s", STRF(file));
    if (fields[1].len)
        buf_addf(&b->first, ":%.*s", STRF(fields[1]));
    else
        buf_addf(&b->first, ": row %.*s", STRF(fields[0]));
    if (fields[2].len)
        buf_addf(&b->first, ": column %.*s", STRF(fields[2]));
    buf_addf(&b->first, ": %.*s", STRF(fields[3]));
}

static void add_row(struct merge_bad *b, struct str file,
                    const struct str *fields)
{
    if (!b->listed++)
        say_first(b, file, fields);
    csv_field(&b->lines, file, ',');
    for (size_t i = 0; i < 4; i++) {
        buf_addc(&b->lines, ',');
        csv_field(&b->lines, fields[i], ',');
    }
    buf_addc(&b->lines, '\n');
}

static int add_rows(struct merge_bad *b, struct str file, struct str text,
                    struct err *err)
{
    struct csv csv;
    int got = 0;
    csv_init(&csv, text, ',');
    while (b->listed < DATA_BAD_TOLD && (got = csv_next(&csv, err)) > 0)
        if (csv.fields.len == 4)
            add_row(b, file, csv.fields.p);
    csv_done(&csv);
    return got < 0 ? -1 : 0;
}

/* A list that is gone is no reason to have no table. */
int merge_bad_add(struct merge_bad *b, int64_t trial,
                  const struct task_shard *shard, uint64_t count,
                  struct err *err)
{
    struct err why = {0};
    struct buf text;
    int rc = 0;
    b->count += count;
    if (!count || b->listed >= DATA_BAD_TOLD)
        return 0;
    struct str file = shard->name.len
                          ? shard->name
                          : path_name(arena_cstr(b->arena, shard->file));
    buf_init(&text);
    if (packs_read(b->packs, trial, SHARD_BAD, &text, &why) == 0)
        rc = add_rows(b, file, buf_str(&text), err);
    else if (why.kind != ERR_MISSING)
        rc = err_set(err, why.kind, "%s", why.text);
    buf_done(&text);
    return rc;
}

int merge_bad_end(struct merge_bad *b, struct merged *to, struct arena *a,
                  struct err *err)
{
    struct buf text;
    unlink(b->path);
    to->bad_rows = b->count;
    if (!b->count)
        return 0;
    to->bad_path = arena_cstr(a, str_of(b->path));
    to->bad_first = b->first.len ? arena_cstr(a, buf_str(&b->first)) : NULL;
    buf_init(&text);
    buf_adds(&text, "file,row,line,column,fault\n");
    buf_addstr(&text, buf_str(&b->lines));
    int rc = file_write(b->path, buf_str(&text), false, err);
    buf_done(&text);
    return rc;
}
