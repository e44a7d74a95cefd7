/* set.c - a model file's `data:` as a table
 *
 *   file: table.csv, label: species      one table; labels are columns of it
 *   inputs: x.idx.gz, labels: y.idx.gz   files of their own, row by row
 *   train: …, validation: …, test: …     either of them, by part
 *
 * Files of several parts become one table, rows of training first, so that
 * categories are numbered alike in all of them. */
#include "data/set.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sys/sys.h"

void data_notice(struct data_set *s, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    vec_push(&s->notices, arena_str(s->arena, str_of(text)));
}

const char *data_set_notice(const struct data_set *s, size_t i)
{
    return i < s->notices.len ? s->notices.p[i].p : NULL;
}

/* Where the files of the parts are said. */
static void find_parts(struct reading *r)
{
    static const char *const names[] = {"train", "validation", "test"};
    for (int i = 0; i < PARTS; i++) {
        const struct value *v = value_get(r->spec, str_of(names[i]));
        bool files = v && (v->kind == VALUE_STRING || v->kind == VALUE_OBJECT);
        if (i == PART_TRAIN && !files)
            v = r->spec;
        else if (!files)
            continue;
        r->part[r->part_count] = v;
        r->parts[r->part_count++] = i;
    }
}

static int read_files(struct reading *r, struct err *err)
{
    const struct value *train = r->part[0];
    bool table = train->kind == VALUE_STRING || value_get(train, STR("file"));
    bool pair = value_get(train, STR("inputs"));
    if (data_spec_style(r->spec, &r->style, err))
        return -1;
    if (table)
        return data_read_table(r, err);
    if (pair)
        return data_read_pair(r, err);
    return err_set_at(err, "data", ": say a `file`, or `inputs` and `labels`");
}

static int read_set(struct reading *r, struct err *err)
{
    r->scratch = arena_new();
    int rc = read_files(r, err);
    if (!rc && r->infinite)
        data_notice(r->set,
                    "data: %zu number%s infinite or beyond 3.4e38: taken as "
                    "missing",
                    r->infinite, r->infinite == 1 ? " is" : "s are");
    for (size_t i = 0; i < r->files.len; i++)
        file_bytes_close(&r->files.p[i]);
    vec_done(&r->files);
    arena_free(r->scratch);
    return rc;
}

/* The label that is the input itself; what scales the one scales the other,
 * so that it is made again by each view. */
static void link_label(struct data_set *s)
{
    if (!s->label_is_input)
        return;
    struct data_field *f = arena_array(s->arena, 2, sizeof(*f));
    *f = s->table.inputs[0];
    f->name = STR("label");
    s->table.labels = f;
    s->table.label_count = 1;
    s->table.label_is_input = true;
}

static int read_or_map(struct reading *r, const struct data_cache *cache,
                       struct err *err)
{
    struct buf key;
    buf_init(&key);
    int there = cache ? data_cache_open(r->set, r, cache, &key) : 0;
    int rc = 0;
    if (there <= 0) {
        int lock = cache ? data_cache_lock(cache, buf_str(&key)) : -1;
        if (lock >= 0) /* another may have been faster */
            there = data_cache_open(r->set, r, cache, &key);
        if (there <= 0)
            rc = read_set(r, err);
        if (there <= 0 && rc == 0 && cache)
            data_cache_save(r->set, cache, buf_str(&key));
        data_cache_unlock(lock);
    }
    if (there < 0 && rc == 0)
        vec_push(&r->set->notices,
                 STR("its prepared copy in the cache was damaged (a disk that "
                     "does not keep what it is given?) and was made anew"));
    buf_done(&key);
    return rc;
}

/* Which file of each part every input comes from. */
static void note_files(struct reading *r)
{
    struct data_set *s = r->set;
    size_t count = s->table.input_count;
    const char **files =
        arena_array(s->arena, count * PARTS + 1, sizeof(*files));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < r->part_count; k++) {
            struct str member;
            const struct value *v = r->part[k]->kind == VALUE_STRING
                                        ? r->part[k]
                                        : value_get(r->part[k], STR("file"));
            if (!v)
                v = data_pair_path(r, "inputs", k, i);
            files[i * PARTS + (size_t)r->parts[k]] =
                reading_path(r, value_text(v), &member);
        }
    s->files = files;
}

static struct data_set *open_set(const struct value *spec, const char *folder,
                                 const struct value *fitted, bool readable,
                                 const struct data_cache *cache,
                                 struct err *err)
{
    struct data_set *s = xcalloc(1, sizeof(*s));
    struct reading r = {.set = s,
                        .spec = spec,
                        .folder = folder,
                        .fitted = fitted,
                        .bad = readable ? bad_rows_new() : NULL};
    s->arena = arena_new();
    if (data_spec_check(spec, err) == 0) {
        find_parts(&r);
        if (read_or_map(&r, cache, err) == 0) {
            link_label(s);
            note_files(&r);
            bad_rows_free(r.bad);
            return s;
        }
    }
    bad_rows_free(r.bad);
    data_close(s);
    return NULL;
}

struct data_set *data_open(const struct value *spec, const char *folder,
                           const struct data_cache *cache, struct err *err)
{
    return open_set(spec, folder, NULL, false, cache, err);
}

struct data_set *data_read(const struct value *spec, const char *folder,
                           const struct value *fitted, bool readable,
                           struct err *err)
{
    return open_set(spec, folder, fitted, readable, NULL, err);
}

void data_close(struct data_set *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->views.len; i++)
        arena_free(s->views.p[i].arena);
    vec_done(&s->views);
    vec_done(&s->notices);
    if (s->trained.p)
        buf_done(&s->trained);
    free(s->row_hashes);
    free(s->rows_by_hash);
    file_unmap(s->map);
    arena_free(s->arena);
    free(s);
}

const struct data_bad_rows *data_bad_rows(const struct data_set *s)
{
    return &s->bad;
}

const struct data_table *data_set_table(const struct data_set *s)
{
    return &s->table;
}
