/* cache.c - prepared sets, mapped read-only by every process that needs them
 *
 * A file is named by a hash of what was read (paths, sizes, times of change)
 * and how, and says both in full, so that a hash that is met twice costs only
 * time. It begins with a checksum of all that follows and a line of JSON that
 * says where each array lies; arrays begin at multiples of 64 bytes. Whoever
 * maps it reads it once to compare the checksum, at the speed of memory: a
 * disk that gives back other bytes must not become a wrong result. It is
 * written under another name and then
 * renamed, so that whoever finds it finds all of it; a lock keeps several
 * processes from preparing the same at once. The folder may be removed at any
 * time: what is mapped stays. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "data/set.h"
#include "sys/sys.h"

#define VERSION "throng data 6"
#define ALIGN 64u
#define TEMPORARY_S 3600 /* an unfinished file of this age is nobody's */
#define LOCKS 64u
#define SUM_BYTES 17u /* of the checksum: 16 digits and a blank */

/* ---- names ------------------------------------------------------------ */

static void add_file(struct buf *key, const struct reading *r, struct str text)
{
    struct str member;
    struct stat st;
    const char *path = reading_path(r, text, &member);
    if (!text.len || stat(path, &st) != 0)
        return;
    buf_addf(key, "%s %lld %lld.%09ld\n", path_absolute(r->set->arena, path),
             (long long)st.st_size, (long long)st.st_mtim.tv_sec,
             (long)st.st_mtim.tv_nsec);
}

/* Every text below v that is the path of a file. */
static void add_files(struct buf *key, const struct reading *r,
                      const struct value *v)
{
    if (!v)
        return;
    if (v->kind == VALUE_STRING)
        add_file(key, r, v->s);
    for (size_t i = 0; v->kind == VALUE_OBJECT && i < v->count; i++)
        add_files(key, r, v->items[i]);
}

static void print_key(struct buf *key, const struct reading *r)
{
    static const char *const names[] = {"file", "inputs", "labels", "group"};
    buf_reset(key);
    buf_adds(key, VERSION "\n");
    data_spec_print_reading(key, r->spec);
    buf_addc(key, '\n');
    for (size_t i = 0; i < r->part_count; i++) {
        if (r->part[i]->kind == VALUE_STRING)
            add_files(key, r, r->part[i]);
        for (size_t k = 0; k < 4; k++)
            add_files(key, r, value_get(r->part[i], str_of(names[k])));
    }
    add_files(key, r,
              value_get(value_get(r->spec, STR("text")), STR("vectors")));
    add_files(key, r, value_get(r->spec, STR("join")));
}

static char *path_of(struct arena *a, const struct data_cache *cache,
                     struct str key)
{
    return arena_printf(a, "%s/%016llx%016llx.data", cache->folder,
                        (unsigned long long)hash64(key, 1),
                        (unsigned long long)hash64(key, 2));
}

int data_cache_lock(const struct data_cache *cache, struct str key)
{
    char path[4096];
    if (dir_make(cache->folder, NULL) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/lock-%02u", cache->folder,
             (unsigned)(hash64(key, 1) % LOCKS));
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

void data_cache_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

/* ---- writing ---------------------------------------------------------- */

struct array {
    const void *p;
    size_t bytes, at;
};
struct writer {
    struct arena *a;
    VEC(struct array) arrays;
    size_t at; /* from the first array */
};

static size_t rounded(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* Notes an array; its place is said as a number of bytes, -1 for none. */
static void add_array(struct writer *w, struct value *to, const char *key,
                      const void *p, size_t bytes)
{
    struct array one = {p, bytes, w->at};
    for (size_t i = 0; p && i < w->arrays.len; i++)
        if (w->arrays.p[i].p == p && w->arrays.p[i].bytes == bytes)
            one.at = w->arrays.p[i].at;
    value_set(w->a, to, str_of(key), value_int(w->a, p ? (int64_t)one.at : -1));
    if (!p || one.at != w->at)
        return;
    vec_push(&w->arrays, one);
    w->at = rounded(w->at + bytes);
}

static void set_number(struct writer *w, struct value *to, const char *key,
                       int64_t i)
{
    value_set(w->a, to, str_of(key), value_int(w->a, i));
}

static void add_names(struct writer *w, struct value *to, const char *key,
                      const struct str *names, int64_t count)
{
    struct value *list = value_list(w->a);
    for (int64_t i = 0; names && i < count; i++)
        value_list_add(w->a, list, value_string(w->a, names[i]));
    if (names)
        value_set(w->a, to, str_of(key), list);
}

/* The tables of an input that was joined: those that are shared once. */
static void add_pieces(struct writer *w, struct value *to,
                       const struct data_field *f, size_t rows)
{
    struct value *list = value_list(w->a);
    for (size_t i = 0; i < f->piece_count; i++) {
        const struct data_piece *p = &f->pieces[i];
        struct value *v = value_object(w->a);
        set_number(w, v, "rows", (int64_t)p->rows);
        set_number(w, v, "columns", (int64_t)p->columns);
        add_array(w, v, "numbers", p->numbers,
                  p->rows * p->columns * sizeof(float));
        add_array(w, v, "row_of", p->row_of, rows * sizeof(uint32_t));
        value_list_add(w->a, list, v);
    }
    if (f->pieces)
        value_set(w->a, to, STR("pieces"), list);
}

static struct value *field_value(struct writer *w, const struct data_field *f,
                                 size_t rows)
{
    struct value *v = value_object(w->a), *dims = value_list(w->a);
    size_t count = rows * (size_t)f->columns;
    value_set(w->a, v, STR("name"), value_string(w->a, f->name));
    for (int i = 0; i < f->rank; i++)
        value_list_add(w->a, dims, value_int(w->a, f->dim[i]));
    value_set(w->a, v, STR("dims"), dims);
    set_number(w, v, "columns", f->columns);
    set_number(w, v, "classes", f->classes);
    set_number(w, v, "missing", f->missing);
    add_array(w, v, "numbers", f->numbers, count * sizeof(float));
    add_array(w, v, "categories", f->categories, count * sizeof(int32_t));
    add_pieces(w, v, f, rows);
    add_names(w, v, "class_names", f->class_names, f->classes);
    add_names(w, v, "column_names", f->column_names, f->columns);
    add_names(w, v, "words", f->words, 2);
    return v;
}

static struct value *text_value(struct writer *w, const struct text *t,
                                size_t rows)
{
    struct value *v = value_object(w->a);
    size_t words = t->start ? (size_t)t->start[rows] : 0;
    size_t letters = t->word_count ? t->ends[t->word_count - 1] : 0;
    set_number(w, v, "words", (int64_t)t->word_count);
    set_number(w, v, "vector_columns", t->vector_columns);
    add_array(w, v, "letters", t->letters, letters);
    add_array(w, v, "ends", t->ends, t->word_count * sizeof(uint32_t));
    add_array(w, v, "start", t->start, (rows + 1) * sizeof(uint64_t));
    add_array(w, v, "tokens", t->words, words * sizeof(uint32_t));
    add_array(w, v, "vectors", t->vectors,
              t->word_count * (size_t)t->vector_columns * sizeof(float));
    return v;
}

static struct value *set_value(struct writer *w, const struct data_set *s,
                               struct str key)
{
    struct arena *a = w->a;
    struct value *v = value_object(a), *inputs = value_list(a);
    struct value *labels = value_list(a), *texts = value_list(a);
    struct value *parts = value_list(a), *notices = value_list(a);
    size_t rows = s->table.rows;
    value_set(a, v, STR("key"), value_string(a, key));
    set_number(w, v, "rows", (int64_t)rows);
    set_number(w, v, "label_is_input", s->label_is_input);
    set_number(w, v, "group_count", (int64_t)s->group_count);
    add_array(w, v, "groups", s->groups, rows * sizeof(int32_t));
    add_array(w, v, "weights", s->weights, rows * sizeof(float));
    add_array(w, v, "file_rows", s->table.file_rows, rows * sizeof(uint32_t));
    for (size_t i = 0; i < PARTS; i++)
        value_list_add(a, parts, value_int(a, (int64_t)s->part_rows[i]));
    for (size_t i = 0; i < s->table.input_count; i++) {
        value_list_add(a, inputs, field_value(w, &s->table.inputs[i], rows));
        if (s->text)
            value_list_add(a, texts, text_value(w, &s->text[i], rows));
    }
    for (size_t i = 0; i < s->table.label_count; i++)
        value_list_add(a, labels, field_value(w, &s->table.labels[i], rows));
    for (size_t i = 0; i < s->notices.len; i++)
        value_list_add(a, notices, value_string(a, s->notices.p[i]));
    if (s->layout)
        value_set(a, v, STR("layout"), value_copy(a, s->layout));
    value_set(a, v, STR("parts"), parts);
    value_set(a, v, STR("inputs"), inputs);
    value_set(a, v, STR("labels"), labels);
    value_set(a, v, STR("texts"), texts);
    value_set(a, v, STR("notices"), notices);
    return v;
}

static int write_arrays(const struct writer *w, int fd, struct str head)
{
    static const char zeros[ALIGN];
    size_t pad = rounded(head.len) - head.len;
    if (fd_write_all(fd, head.p, head.len, NULL) ||
        fd_write_all(fd, zeros, pad, NULL))
        return -1;
    for (size_t i = 0; i < w->arrays.len; i++) {
        const struct array *one = &w->arrays.p[i];
        if (fd_write_all(fd, one->p, one->bytes, NULL) ||
            fd_write_all(fd, zeros, rounded(one->bytes) - one->bytes, NULL))
            return -1;
    }
    return 0;
}

static void print_sum(char text[SUM_BYTES + 1], struct str file)
{
    struct str rest = str_n(file.p + SUM_BYTES, file.len - SUM_BYTES);
    snprintf(text, SUM_BYTES + 1, "%016llx ",
             (unsigned long long)hash64(rest, 0));
}

/* Puts the checksum where the head has left room for it. */
static int write_sum(const char *path)
{
    struct str file;
    char text[SUM_BYTES + 1];
    if (file_map(path, &file, NULL) != 0)
        return -1;
    print_sum(text, file);
    file_unmap(file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int rc = fd_write_all(fd, text, SUM_BYTES, NULL) ? -1 : fsync(fd);
    return close(fd) != 0 ? -1 : rc;
}

static int write_file(const struct writer *w, const char *path, struct str head)
{
    const char *temporary =
        arena_printf(w->a, "%s.%ld.tmp", path, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    int rc = write_arrays(w, fd, head);
    if (close(fd) != 0 || rc != 0 || write_sum(temporary) != 0 ||
        rename(temporary, path) != 0) {
        unlink(temporary);
        return -1;
    }
    return 0;
}

/* ---- reading ---------------------------------------------------------- */

struct reader {
    struct data_set *set;
    struct str body; /* all arrays */
    bool bad;
};

static int64_t number_of(struct reader *r, const struct value *v,
                         const char *key, int64_t most)
{
    const struct value *n = value_get(v, str_of(key));
    if (n && n->kind == VALUE_INT && n->i >= 0 && n->i <= most)
        return n->i;
    r->bad = true;
    return 0;
}

/* An array of count × size bytes that lies inside the body, or NULL. */
static const void *array_of(struct reader *r, const struct value *v,
                            const char *key, size_t count, size_t size)
{
    const struct value *n = value_get(v, str_of(key));
    size_t bytes;
    if (n && n->kind == VALUE_INT && n->i == -1)
        return NULL;
    if (n && n->kind == VALUE_INT && n->i >= 0 && n->i % ALIGN == 0 &&
        !__builtin_mul_overflow(count, size, &bytes) &&
        (uint64_t)n->i <= r->body.len && r->body.len - (size_t)n->i >= bytes)
        return r->body.p + n->i;
    r->bad = true;
    return NULL;
}

/* NULL: there are none. */
static const struct str *names_of(struct reader *r, const struct value *v,
                                  const char *key, int64_t count)
{
    const struct value *names = value_get(v, str_of(key));
    if (!names)
        return NULL;
    if (names->kind != VALUE_LIST || names->count != (size_t)count) {
        r->bad = true;
        return NULL;
    }
    struct str *to = arena_array(r->set->arena, names->count + 1, sizeof(*to));
    for (size_t i = 0; i < names->count; i++)
        to[i] = arena_str(r->set->arena, value_text(names->items[i]));
    return to;
}

/* NULL: the numbers lie in one table. */
static const struct data_piece *
read_pieces(struct reader *r, const struct value *v, struct data_field *f)
{
    const struct value *list = value_get(v, STR("pieces"));
    size_t rows = r->set->table.rows, at = 0;
    if (!list || list->kind != VALUE_LIST)
        return NULL;
    struct data_piece *to =
        arena_array(r->set->arena, list->count + 1, sizeof(*to));
    for (size_t i = 0; i < list->count; i++) {
        const struct value *one = list->items[i];
        struct data_piece *p = &to[i];
        p->rows = (size_t)number_of(r, one, "rows", UINT32_MAX);
        p->columns = (size_t)number_of(r, one, "columns", INT32_MAX);
        p->numbers =
            array_of(r, one, "numbers", p->rows * p->columns, sizeof(float));
        p->row_of = array_of(r, one, "row_of", rows, sizeof(uint32_t));
        p->at = at;
        at += p->columns;
        r->bad |= !p->numbers || (!p->row_of && p->rows < rows);
    }
    f->piece_count = list->count;
    r->bad |= at != (size_t)f->columns;
    return to;
}

static struct data_field *read_fields(struct reader *r, const struct value *v,
                                      size_t *count)
{
    *count = v && v->kind == VALUE_LIST ? v->count : 0;
    struct data_field *fields =
        arena_array(r->set->arena, *count + 2, sizeof(*fields));
    for (size_t i = 0; i < *count; i++) {
        struct data_field *f = &fields[i];
        const struct value *one = v->items[i];
        const struct value *dims = value_get(one, STR("dims"));
        f->name =
            arena_str(r->set->arena, value_text(value_get(one, STR("name"))));
        f->rank = dims && dims->kind == VALUE_LIST && dims->count <= 4
                      ? (int)dims->count
                      : 0;
        for (int k = 0; k < f->rank; k++)
            f->dim[k] =
                dims->items[k]->kind == VALUE_INT ? dims->items[k]->i : 0;
        f->columns = number_of(r, one, "columns", INT32_MAX);
        f->classes = number_of(r, one, "classes", INT32_MAX);
        f->missing = number_of(r, one, "missing", 1);
        size_t numbers = r->set->table.rows * (size_t)f->columns;
        f->numbers = array_of(r, one, "numbers", numbers, sizeof(float));
        f->categories =
            array_of(r, one, "categories", numbers, sizeof(int32_t));
        f->pieces = read_pieces(r, one, f);
        f->class_names = names_of(r, one, "class_names", f->classes);
        f->column_names = names_of(r, one, "column_names", f->columns);
        f->words = names_of(r, one, "words", 2);
    }
    return fields;
}

static void read_texts(struct reader *r, const struct value *v)
{
    size_t rows = r->set->table.rows;
    if (!v || v->kind != VALUE_LIST || !v->count)
        return;
    struct text *texts = arena_array(r->set->arena, v->count, sizeof(*texts));
    for (size_t i = 0; i < v->count; i++) {
        struct text *t = &texts[i];
        const struct value *one = v->items[i];
        t->word_count = (size_t)number_of(r, one, "words", UINT32_MAX);
        t->vector_columns = number_of(r, one, "vector_columns", INT32_MAX);
        t->ends = array_of(r, one, "ends", t->word_count, sizeof(*t->ends));
        t->start = array_of(r, one, "start", rows + 1, sizeof(*t->start));
        size_t letters =
            t->word_count && t->ends ? t->ends[t->word_count - 1] : 0;
        t->letters = array_of(r, one, "letters", letters, 1);
        t->words =
            array_of(r, one, "tokens", t->start ? (size_t)t->start[rows] : 0,
                     sizeof(*t->words));
        t->vectors =
            array_of(r, one, "vectors",
                     t->word_count * (size_t)t->vector_columns, sizeof(float));
    }
    r->set->text = texts;
}

static void read_value(struct reader *r, const struct value *v)
{
    struct data_set *s = r->set;
    const struct value *parts = value_get(v, STR("parts"));
    const struct value *notices = value_get(v, STR("notices"));
    const struct value *layout = value_get(v, STR("layout"));
    s->layout = layout ? value_copy(s->arena, layout) : NULL;
    s->table.rows = (size_t)number_of(r, v, "rows", UINT32_MAX);
    s->label_is_input = number_of(r, v, "label_is_input", 1);
    s->group_count = (size_t)number_of(r, v, "group_count", UINT32_MAX);
    s->groups = array_of(r, v, "groups", s->table.rows, sizeof(int32_t));
    s->weights = array_of(r, v, "weights", s->table.rows, sizeof(float));
    s->table.file_rows =
        array_of(r, v, "file_rows", s->table.rows, sizeof(uint32_t));
    for (size_t i = 0; i < PARTS; i++) {
        const struct value *n = value_at(parts, i);
        r->bad |= !n || n->kind != VALUE_INT;
        s->part_rows[i] = r->bad ? 0 : (size_t)n->i;
    }
    s->table.inputs =
        read_fields(r, value_get(v, STR("inputs")), &s->table.input_count);
    s->table.labels =
        read_fields(r, value_get(v, STR("labels")), &s->table.label_count);
    read_texts(r, value_get(v, STR("texts")));
    for (size_t i = 0; notices && i < notices->count; i++)
        vec_push(&s->notices,
                 arena_str(s->arena, value_text(notices->items[i])));
}

/* Forgets what was read, or half read. */
static void forget(struct data_set *s)
{
    arena_free(s->arena);
    vec_done(&s->notices);
    *s = (struct data_set){.arena = arena_new()};
}

/* What the file says at its beginning; NULL: it is damaged. */
static struct value *read_head(struct str file, struct arena *a,
                               const char *path, size_t *head)
{
    char sum[SUM_BYTES + 1];
    const char *end =
        file.len > SUM_BYTES ? memchr(file.p, '\n', file.len) : NULL;
    *head = end ? rounded((size_t)(end - file.p) + 1) : 0;
    if (!end || end < file.p + SUM_BYTES || *head > file.len)
        return NULL;
    print_sum(sum, file);
    if (memcmp(sum, file.p, SUM_BYTES) != 0)
        return NULL;
    const char *json = file.p + SUM_BYTES;
    return json_parse(a, str_n(json, (size_t)(end - json)), path, false, NULL);
}

/* 1: the set is what the file has; 0: it is of something else; -1: it is
 * damaged. */
static int map_set_file(struct data_set *s, const char *path, struct str key)
{
    struct str file;
    struct reader r = {.set = s};
    size_t head;
    if (file_map(path, &file, NULL) != 0)
        return 0;
    struct arena *a = arena_new();
    struct value *v = read_head(file, a, path, &head);
    r.bad = !v || !str_eq(value_text(value_get(v, STR("key"))), key);
    if (!r.bad) {
        forget(s);
        r.body = str_n(file.p + head, file.len - head);
        read_value(&r, v);
    }
    arena_free(a);
    if (r.bad) {
        file_unmap(file);
        return v ? 0 : -1;
    }
    s->map = file;
    return 1;
}

int data_cache_open(struct data_set *s, const struct reading *r,
                    const struct data_cache *cache, struct buf *key)
{
    print_key(key, r);
    const char *path = path_of(s->arena, cache, buf_str(key));
    char *kept = xstrdup(path); /* a set that is mapped has a new arena */
    int rc = file_exists(kept) ? map_set_file(s, kept, buf_str(key)) : 0;
    if (rc > 0)
        utimensat(AT_FDCWD, kept, NULL, 0); /* it is in use */
    free(kept);
    return rc;
}

/* ---- the folder ------------------------------------------------------- */

struct kept {
    const char *path;
    double used; /* last */
    uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

/* Removes unfinished files that nobody writes any more, and the sets that
 * were not used for the longest time until `room` more bytes fit. */
static void make_room(const struct data_cache *cache, uint64_t room)
{
    struct arena *a = arena_new();
    const char **names = dir_list(cache->folder, a, NULL);
    VEC(struct kept) files = {0};
    uint64_t total = room;
    struct stat st;
    for (size_t i = 0; names && names[i]; i++) {
        struct kept k = {.path = path_join(a, cache->folder, names[i])};
        if (stat(k.path, &st) != 0)
            continue;
        k.used = (double)st.st_mtim.tv_sec + 1e-9 * (double)st.st_mtim.tv_nsec;
        k.bytes = (uint64_t)st.st_size;
        if (str_ends(str_of(names[i]), STR(".tmp")) &&
            clock_wall() - k.used > TEMPORARY_S)
            unlink(k.path);
        if (!str_ends(str_of(names[i]), STR(".data")))
            continue;
        total += k.bytes;
        vec_push(&files, k);
    }
    if (files.len)
        qsort(files.p, files.len, sizeof(*files.p), by_use);
    for (size_t i = 0; i < files.len && total > cache->most_bytes; i++)
        if (unlink(files.p[i].path) == 0)
            total -= files.p[i].bytes;
    vec_done(&files);
    arena_free(a);
}

void data_cache_save(struct data_set *s, const struct data_cache *cache,
                     struct str key)
{
    struct arena *a = arena_new();
    struct writer w = {.a = a};
    struct buf head;
    buf_init(&head);
    buf_addf(&head, "%*s", (int)SUM_BYTES, "");
    json_print_sorted(&head, set_value(&w, s, key));
    buf_addc(&head, '\n');
    uint64_t bytes = rounded(head.len) + w.at;
    if (w.at >= cache->least_bytes && bytes <= cache->most_bytes &&
        dir_make(cache->folder, NULL) == 0 &&
        path_free_bytes(cache->folder) / 2 > bytes) {
        const char *path = path_of(a, cache, key);
        make_room(cache, bytes);
        if (write_file(&w, path, buf_str(&head)) == 0)
            map_set_file(s, path, key);
    }
    buf_done(&head);
    vec_done(&w.arrays);
    arena_free(a);
}
