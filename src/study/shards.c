/* shards.c - the rows of an inference, cut into the shards that are its trials
 */
#include "study/shards.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/num.h"
#include "study/bulk.h"
#include "study/own_tables.h"

#define FORMAT "throng.shards/3"
#define FORMAT_1 "throng.shards/1" /* records have no hash … */
#define FORMAT_2 "throng.shards/2" /* … nor lines */
#define SHARD_S 60                 /* of a shard, unless said */
#define COMMAND_ROWS 10000         /* of a shard of a program, unless said */
#define FILES_NAMED 3              /* of those that a person is told of */
#define MEMORY_BYTES (1u << 28)    /* of all inputs of a shard, at most */

struct shard_record {
    uint32_t file, form;
    uint64_t head, from, bytes, first, rows, header;
    uint64_t hash; /* of what the shard is cut from: data_cut */
    uint64_t lines;
};
#define RECORD_1_BYTES offsetof(struct shard_record, hash)
#define RECORD_2_BYTES offsetof(struct shard_record, lines)

struct shards {
    struct str bytes;
    const char *records;
    size_t record_bytes;
    struct arena *arena;
    const struct value *files;
    uint64_t *before; /* by file: rows of those before it */
    uint64_t count, rows, models;
    uint64_t product_rows; /* of a shard of a product of tables, which `files`
                              are; 0: rows are those of files */
};

/* ---- which files ----------------------------------------------------------
 */

struct source_file {
    const char *path, *name; /* absolute, and as it was found */
    uint64_t size;
    int64_t changed_ns, rows;
    dev_t device; /* which file it is, by whatever name */
    ino_t inode;
};
struct source_files {
    VEC(struct source_file) list;
    size_t twice_count; /* of names of a file that was there before */
    char twice[256];
};

/* The first of some files are named. */
static void name_file(char *to, size_t room, const char *name, size_t *count)
{
    size_t len = strlen(to);
    room -= len;
    if (++*count <= FILES_NAMED)
        snprintf(to + len, room, "%s%s", len ? ", " : "", name);
    else if (*count == FILES_NAMED + 1)
        snprintf(to + len, room, " and others");
}

/* Links of one file to another name are names of one file; files that share
 * their bytes on the disk, and no more, are two. */
static bool is_listed(const struct source_files *f,
                      const struct source_file *one)
{
    char path[PATH_MAX], other[PATH_MAX];
    for (size_t i = 0; i < f->list.len; i++) {
        const struct source_file *o = &f->list.p[i];
        if (o->inode == one->inode && o->device == one->device &&
            realpath(one->path, path) && realpath(o->path, other) &&
            !strcmp(path, other))
            return true;
    }
    return false;
}

/* Tables of a product may be named twice; rows of a file are there once. */
static int add_file(struct source_files *f, const char *home, const char *name,
                    bool once, struct arena *a, struct err *err)
{
    struct stat st;
    struct source_file one = {
        .name = name, .path = path_absolute(a, path_join(a, home, name))};
    if (stat(one.path, &st))
        return err_errno(err, "read %s", name);
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_INPUT, "%s is no file", name);
    one.size = (uint64_t)st.st_size;
    one.changed_ns =
        (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    one.device = st.st_dev;
    one.inode = st.st_ino;
    if (once && is_listed(f, &one))
        name_file(f->twice, sizeof(f->twice), name, &f->twice_count);
    else
        vec_push(&f->list, one);
    return 0;
}

/* A glob that begins with a slash is seen from its last folder without a star.
 */
const char **shards_glob(const char *home, const char *pattern, struct arena *a)
{
    if (pattern[0] != '/')
        return dir_glob(home, pattern, a, NULL);
    const char *star = strpbrk(pattern, "*?[");
    const char *slash = star;
    while (slash > pattern && *slash != '/')
        slash--;
    const char *root = arena_cstr(a, str_n(pattern, (size_t)(slash - pattern)));
    const char **found = dir_glob(*root ? root : "/", slash + 1, a, NULL);
    for (size_t i = 0; found && found[i]; i++)
        found[i] = path_join(a, *root ? root : "/", found[i]);
    return found;
}

/* What the inference has written itself is not meant by a glob. */
static int add_found(const struct plan_predict *p, struct source_files *f,
                     const char *home, const char *pattern, struct arena *a,
                     struct err *err)
{
    const char **found = shards_glob(home, pattern, a);
    size_t before = f->list.len + f->twice_count;
    bool any = found && *found;
    for (; found && *found; found++)
        if (!own_tables_have(p->own, path_join(a, home, *found)) &&
            add_file(f, home, *found, true, a, err))
            return -1;
    if (f->list.len + f->twice_count > before)
        return 0;
    return err_set(err, ERR_MISSING, "no file matches %s%s", pattern,
                   any ? ", but what this inference writes itself" : "");
}

static int add_named(const struct plan_predict *p, struct source_files *f,
                     const char *home, const char *name, struct arena *a,
                     struct err *err)
{
    const char *path = path_absolute(a, path_join(a, home, name));
    if (p->own && strcmp(path, p->own[0]) == 0)
        return err_set(err, ERR_INPUT,
                       "%s is the table that it writes, and cannot be among "
                       "its rows",
                       name);
    return add_file(f, home, name, true, a, err);
}

static int find_files(const struct plan_predict *p, const char *home,
                      struct source_files *f, struct arena *a, struct err *err)
{
    for (size_t i = 0; i < p->product_count; i++)
        if (add_file(f, home, arena_cstr(a, p->product[i]), false, a, err))
            return -1;
    for (size_t i = 0; i < p->data_count; i++) {
        const char *name = arena_cstr(a, p->data[i]);
        bool glob =
            strpbrk(name, "*?[") && !file_exists(path_join(a, home, name));
        if (glob ? add_found(p, f, home, name, a, err)
                 : add_named(p, f, home, name, a, err))
            return -1;
    }
    return 0;
}

/* ---- the list as a file ----------------------------------------------------
 */

/* What of the plan the list depends on. */
static struct str key_of(const struct value *said, struct arena *a)
{
    static const char *const parts[] = {
        "models", "weights", "label",   "loss",  "where", "select",
        "data",   "product", "samples", "shard", "lines", "keep"};
    struct value *o = value_object(a);
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        const struct value *v = value_get(said, str_of(parts[i]));
        if (v)
            value_set(a, o, str_of(parts[i]), value_copy(a, v));
    }
    json_print_sorted(&b, o);
    struct str key = arena_str(a, buf_str(&b));
    buf_done(&b);
    return key;
}

static uint64_t hash_files(const struct source_files *f)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < f->list.len; i++) {
        const struct source_file *one = &f->list.p[i];
        uint64_t numbers[2] = {one->size, (uint64_t)one->changed_ns};
        hash = hash64(str_of(one->name), hash);
        hash = hash64(str_n((const char *)numbers, sizeof(numbers)), hash);
    }
    return hash;
}

static struct value *file_value(const struct source_file *f, struct arena *a)
{
    struct value *v = value_object(a);
    value_set(a, v, STR("path"), value_string(a, str_of(f->path)));
    value_set(a, v, STR("name"), value_string(a, str_of(f->name)));
    value_set(a, v, STR("size"), value_int(a, (int64_t)f->size));
    value_set(a, v, STR("changed_ns"), value_int(a, f->changed_ns));
    value_set(a, v, STR("rows"), value_int(a, f->rows));
    return v;
}

static void set_count(struct arena *a, struct value *v, const char *key,
                      uint64_t count)
{
    value_set(a, v, str_of(key), value_int(a, (int64_t)count));
}

/* Padded, so that records lie as they do in memory. */
static void print_head(struct buf *b, const struct plan_predict *p,
                       const struct source_files *f, struct str key,
                       struct arena *a)
{
    struct value *v = value_object(a), *files = value_list(a);
    for (size_t i = 0; i < f->list.len; i++)
        value_list_add(a, files, file_value(&f->list.p[i], a));
    value_set(a, v, STR("format"), value_string(a, STR(FORMAT)));
    value_set(a, v, STR("key"), value_string(a, key));
    set_count(a, v, "shards", p->shards);
    set_count(a, v, "rows", p->rows);
    set_count(a, v, "most_rows", p->most_rows);
    if (p->product_count)
        value_set(a, v, STR("product"), value_bool(a, true));
    set_count(a, v, "models", p->models_count);
    value_set(a, v, STR("row_s"), value_double(a, p->row_s));
    value_set(a, v, STR("files"), files);
    json_print(b, v);
    while ((b->len + 1) % sizeof(uint64_t))
        buf_addc(b, ' ');
    buf_addc(b, '\n');
}

/* ---- cutting ---------------------------------------------------------------
 */

struct cutting {
    struct plan_predict *plan;
    struct source_files files;
    struct bulk_cost cost;
    struct buf records; /* of those that are written */
    struct arena *arena;
    bool keep;
    bool refuse_empty; /* files without rows */
    size_t misfits;    /* files whose columns are not the models' */
};

static int rows_of_shard(struct cutting *c, struct err *err)
{
    struct plan_predict *p = c->plan;
    double seconds = p->shard_s > 0 ? p->shard_s : SHARD_S;
    p->row_s = c->cost.row_s;
    p->models_count = c->cost.models;
    if (p->of_command && p->shard_s > 0 && !p->shard_rows)
        return err_set(err, ERR_INPUT,
                       "nobody knows how long a program takes: say shard in "
                       "rows");
    if (p->shard_rows)
        p->most_rows = (uint64_t)p->shard_rows;
    else if (p->of_command)
        p->most_rows = COMMAND_ROWS;
    else {
        double rows = seconds / p->row_s;
        double room = MEMORY_BYTES / c->cost.row_bytes;
        if (!p->product_count) /* of which no row is held */
            rows = rows < room ? rows : room;
        p->most_rows = rows > 1 ? (uint64_t)rows : 1;
    }
    return 0;
}

static void add_record(struct cutting *c, size_t file,
                       const struct data_cut *cut)
{
    struct shard_record r = {.file = (uint32_t)file,
                             .form = cut->form,
                             .head = cut->head,
                             .from = cut->from,
                             .bytes = cut->bytes,
                             .first = cut->first,
                             .rows = cut->rows,
                             .header = cut->header,
                             .hash = cut->hash,
                             .lines = cut->lines};
    c->plan->shards++;
    c->plan->rows += cut->rows;
    c->files.list.p[file].rows += (int64_t)cut->rows;
    if (c->keep)
        buf_add(&c->records, (const char *)&r, sizeof(r));
}

/* Equally many rows each, which needs no list. */
static uint64_t product_shards(uint64_t rows, uint64_t each)
{
    return rows / each + (rows % each > 0);
}

static void cut_product(struct cutting *c)
{
    struct plan_predict *p = c->plan;
    p->rows = c->cost.product_rows;
    p->shards = product_shards(p->rows, p->most_rows);
}

static bool is_table(const char *name)
{
    static const char *const endings[] = {".csv", ".tsv", ".npy",
                                          ".npz", ".gz",  NULL};
    for (size_t i = 0; endings[i]; i++)
        if (str_ends(str_of(name), str_of(endings[i])))
            return true;
    return false;
}

/* The first files that models cannot read are named, with the reason. */
static void name_misfit(struct cutting *c, const char *name, const char *why)
{
    struct plan_predict *p = c->plan;
    size_t len = strlen(p->misfits), room = sizeof(p->misfits) - len;
    if (++c->misfits <= FILES_NAMED)
        snprintf(p->misfits + len, room, "%s%.150s:%.150s", len ? "; " : "",
                 name, why);
    else if (c->misfits == FILES_NAMED + 1)
        snprintf(p->misfits + len, room, " and others");
}

static int cut_file(struct cutting *c, size_t i, struct err *err)
{
    const struct source_file *f = &c->files.list.p[i];
    struct data_reading_as as = {
        .spec = c->cost.spec,
        .fitted = c->cost.fitted,
        .lines = c->plan->lines || (c->plan->of_command && !is_table(f->name)),
        .hashed = c->keep,
        .may_be_empty = !c->refuse_empty,
    };
    struct data_cut cut;
    struct data_cutter *cutter = data_cut_open(f->path, &as, err);
    int got = cutter ? 0 : -1;
    while (cutter &&
           (got = data_cut_next(cutter, c->plan->most_rows, &cut, err)) > 0)
        add_record(c, i, &cut);
    if (cutter && data_cut_misfit(cutter))
        name_misfit(c, f->name, data_cut_misfit(cutter));
    data_cut_close(cutter);
    return got;
}

/* Where none of the files is of the model's columns there is nothing to ask. */
static int check_misfits(const struct cutting *c, struct err *err)
{
    size_t with_rows = 0;
    for (size_t i = 0; i < c->files.list.len; i++)
        with_rows += c->files.list.p[i].rows > 0;
    if (!c->misfits || c->misfits < with_rows)
        return 0;
    return err_set(err, ERR_INPUT, "nothing can be predicted of %s",
                   c->plan->misfits);
}

/* Where no file has any rows, the first says why. */
static int cut_files(struct cutting *c, struct err *err)
{
    size_t count = c->files.list.len;
    int rc = 0;
    c->plan->misfits[0] = 0;
    for (size_t i = 0; !rc && i < count; i++)
        rc = cut_file(c, i, err);
    c->refuse_empty = !rc && count && !c->plan->rows;
    if (c->refuse_empty)
        return cut_file(c, 0, err);
    return rc ? rc : check_misfits(c, err);
}

static void name_all_empty(struct plan_predict *p, const struct source_files *f)
{
    size_t count = 0;
    p->empty[0] = 0;
    for (size_t i = 0; !p->product_count && i < f->list.len; i++)
        if (!f->list.p[i].rows)
            name_file(p->empty, sizeof(p->empty), f->list.p[i].name, &count);
}

static int write_list(const struct cutting *c, struct str key, const char *to,
                      struct err *err)
{
    struct buf head;
    buf_init(&head);
    print_head(&head, c->plan, &c->files, key, c->arena);
    struct file_out *out =
        file_begin(path_join(c->arena, to, SHARDS_FILE), err);
    int rc = out ? file_add(out, buf_str(&head), err) : -1;
    if (!rc)
        rc = file_add(out, buf_str(&c->records), err);
    if (rc)
        file_drop(out);
    else
        rc = file_end(out, true, err);
    buf_done(&head);
    return rc;
}

int shards_make(struct plan_predict *p, const struct value *said,
                const char *home, const char *to, struct err *err)
{
    struct cutting c = {.plan = p, .arena = arena_new(), .keep = to != NULL};
    buf_init(&c.records);
    p->shards = p->rows = 0;
    int rc = find_files(p, home, &c.files, c.arena, err);
    memcpy(p->twice, c.files.twice, sizeof(p->twice));
    if (!rc)
        rc = bulk_cost(p, home, &c.cost, c.arena, err);
    p->fault = c.cost.fault;
    snprintf(p->notice, sizeof(p->notice), "%s",
             c.cost.notice ? c.cost.notice : "");
    if (!rc)
        rc = rows_of_shard(&c, err);
    if (!rc && p->product_count)
        cut_product(&c);
    else if (!rc)
        rc = cut_files(&c, err);
    if (!rc)
        name_all_empty(p, &c.files);
    p->data_hash = hash_files(&c.files);
    if (!rc && to)
        rc = write_list(&c, key_of(said, c.arena), to, err);
    vec_done(&c.files.list);
    buf_done(&c.records);
    arena_free(c.arena);
    return rc;
}

int shards_count_rows(struct plan_predict *p, const struct value *spec,
                      struct str fitted, const char *home, struct err *err)
{
    struct cutting c = {.plan = p,
                        .cost = {.spec = spec, .fitted = fitted},
                        .arena = arena_new()};
    p->shards = p->rows = 0;
    p->most_rows = COMMAND_ROWS;
    int rc = find_files(p, home, &c.files, c.arena, err);
    if (!rc && p->product_count)
        rc = data_product_count(bulk_tables(p, home, c.arena), p->product_count,
                                &p->rows, err);
    else if (!rc)
        rc = cut_files(&c, err);
    vec_done(&c.files.list);
    arena_free(c.arena);
    return rc;
}

/* ---- reading the list ------------------------------------------------------
 */

static uint64_t count_at(const struct value *v, const char *key)
{
    const struct value *n = value_get(v, str_of(key));
    return n && n->kind == VALUE_INT && n->i > 0 ? (uint64_t)n->i : 0;
}

/* 0: it is no list of shards. */
static size_t bytes_of_record(struct str format)
{
    return str_is(format, FORMAT)     ? sizeof(struct shard_record)
           : str_is(format, FORMAT_2) ? RECORD_2_BYTES
           : str_is(format, FORMAT_1) ? RECORD_1_BYTES
                                      : 0;
}

static struct value *read_head(struct str bytes, const char *path,
                               struct arena *a, size_t *end)
{
    const char *line = bytes.len ? memchr(bytes.p, '\n', bytes.len) : NULL;
    *end = line ? (size_t)(line - bytes.p) + 1 : 0;
    struct value *v =
        line ? json_parse(a, str_n(bytes.p, *end), path, false, NULL) : NULL;
    struct str format = value_text(value_get(v, STR("format")));
    return bytes_of_record(format) ? v : NULL;
}

static void count_before(struct shards *s)
{
    uint64_t rows = 0;
    s->before = arena_array(s->arena, s->files->count + 1, sizeof(*s->before));
    for (size_t i = 0; i < s->files->count; i++) {
        s->before[i] = rows;
        rows += count_at(s->files->items[i], "rows");
    }
}

/* Whether records follow, one for each shard. */
static bool take_head(struct shards *s, const struct value *v, size_t end)
{
    const struct value *product = value_get(v, STR("product"));
    s->record_bytes = bytes_of_record(value_text(value_get(v, STR("format"))));
    size_t records =
        s->record_bytes ? (s->bytes.len - end) / s->record_bytes : 0;
    s->files = value_get(v, STR("files"));
    s->count = count_at(v, "shards");
    s->rows = count_at(v, "rows");
    s->models = count_at(v, "models");
    s->records = s->bytes.p + end;
    if (product)
        s->product_rows = count_at(v, "most_rows");
    return s->files && s->files->kind == VALUE_LIST &&
           end % sizeof(uint64_t) == 0 &&
           (product ? s->rows && s->product_rows &&
                          s->count == product_shards(s->rows, s->product_rows)
                    : records == s->count);
}

struct shards *shards_open(const char *folder, struct err *err)
{
    struct shards *s = xcalloc(1, sizeof(*s));
    size_t end;
    s->arena = arena_new();
    const char *path = path_join(s->arena, folder, SHARDS_FILE);
    if (file_map(path, &s->bytes, err) == 0) {
        struct value *v = read_head(s->bytes, path, s->arena, &end);
        if (take_head(s, v, end)) {
            count_before(s);
            return s;
        }
        err_set(err, ERR_CORRUPT, "%s is damaged", path);
    }
    shards_close(s);
    return NULL;
}

void shards_close(struct shards *s)
{
    if (!s)
        return;
    if (s->bytes.p)
        file_unmap(s->bytes);
    arena_free(s->arena);
    free(s);
}

uint64_t shards_count(const struct shards *s)
{
    return s->count;
}

uint64_t shards_rows(const struct shards *s)
{
    return s->rows;
}

uint64_t shards_models(const struct shards *s)
{
    return s->models;
}

/* Rows of several files need a name for theirs. */
static struct str file_name(const struct shards *s, size_t file)
{
    return s->files->count > 1
               ? value_text(value_get(s->files->items[file], STR("name")))
               : STR("");
}

uint64_t shards_row(const struct shards *s, uint64_t row, struct str *name)
{
    size_t low = 0, high = s->files->count;
    while (low + 1 < high) {
        size_t mid = (low + high) / 2;
        if (s->before[mid] <= row)
            low = mid;
        else
            high = mid;
    }
    *name = high ? file_name(s, low) : STR("");
    return row - s->before[low];
}

static void product_shard(const struct shards *s, uint64_t at,
                          struct task_shard *to)
{
    uint64_t first = at * s->product_rows, left = s->rows - first;
    *to = (struct task_shard){.first = first,
                              .count = left < s->product_rows ? left
                                                              : s->product_rows,
                              .row = first};
}

static int64_t time_of(const struct value *file)
{
    const struct value *changed = value_get(file, STR("changed_ns"));
    return changed && changed->kind == VALUE_INT ? changed->i : 0;
}

int shards_at(const struct shards *s, int64_t number, struct task_shard *to,
              struct err *err)
{
    bool there = number > 0 && (uint64_t)number <= s->count;
    if (there && s->product_rows) {
        product_shard(s, (uint64_t)number - 1, to);
        return 0;
    }
    struct shard_record own = {.lines = UINT64_MAX}, *r = &own;
    if (there)
        memcpy(r, s->records + (uint64_t)(number - 1) * s->record_bytes,
               s->record_bytes);
    if (!there || r->file >= s->files->count)
        return err_set(err, ERR_INPUT, "there is no shard %lld",
                       (long long)number);
    const struct value *file = s->files->items[r->file];
    *to = (struct task_shard){.file = value_text(value_get(file, STR("path"))),
                              .name = file_name(s, r->file),
                              .form = r->form,
                              .header = (uint32_t)r->header,
                              .head = r->head,
                              .from = r->from,
                              .bytes = r->bytes,
                              .first = r->first,
                              .count = r->rows,
                              .row = s->before[r->file] + r->first,
                              .size = count_at(file, "size"),
                              .changed_ns = time_of(file),
                              .hash = r->hash,
                              .lines = r->lines};
    return 0;
}

/* ---- is it still so? -------------------------------------------------------
 */

/* False: what is at its path now is another file. */
static bool take_file(struct source_files *f, const struct value *v,
                      struct arena *a)
{
    struct stat st;
    struct source_file one = {
        .path = arena_cstr(a, value_text(value_get(v, STR("path")))),
        .name = arena_cstr(a, value_text(value_get(v, STR("name")))),
        .size = count_at(v, "size"),
        .changed_ns = time_of(v),
        .rows = (int64_t)count_at(v, "rows")};
    vec_push(&f->list, one);
    return stat(one.path, &st) != 0 ||
           ((uint64_t)st.st_size == one.size &&
            (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec ==
                one.changed_ns);
}

static bool same_files(struct plan_predict *p, const char *home,
                       struct source_files *f, const struct value *files,
                       struct arena *a)
{
    struct source_files now = {0};
    struct err ignored = {0};
    bool same = files && files->kind == VALUE_LIST;
    for (size_t i = 0; same && i < files->count; i++)
        same = take_file(f, files->items[i], a);
    /* A glob may find more of them by now. */
    if (same && find_files(p, home, &now, a, &ignored) == 0)
        same = now.list.len <= f->list.len;
    memcpy(p->twice, now.twice, sizeof(p->twice));
    vec_done(&now.list);
    return same;
}

/* What is written in a folder, of the same plan; NULL: nothing. */
static const struct value *head_of(const struct value *said, const char *folder,
                                   struct arena *a)
{
    size_t end;
    const char *path = path_join(a, folder, SHARDS_FILE);
    struct str bytes = {0};
    if (!file_exists(path) || file_map(path, &bytes, NULL))
        return NULL;
    const struct value *v = read_head(bytes, path, a, &end);
    v = v ? value_copy(a, v) : NULL;
    file_unmap(bytes);
    bool same = str_eq(value_text(value_get(v, STR("key"))), key_of(said, a));
    return same ? v : NULL;
}

int shards_recall(struct plan_predict *p, const struct value *said,
                  const char *home, const char *folder)
{
    struct arena *a = arena_new();
    struct source_files f = {0};
    const struct value *v = head_of(said, folder, a);
    bool same = v && same_files(p, home, &f, value_get(v, STR("files")), a);
    if (same) {
        const struct value *row_s = value_get(v, STR("row_s"));
        p->shards = count_at(v, "shards");
        p->rows = count_at(v, "rows");
        p->most_rows = count_at(v, "most_rows");
        p->models_count = count_at(v, "models");
        p->row_s = row_s ? value_number(row_s) : 0;
        p->data_hash = hash_files(&f);
        name_all_empty(p, &f);
    }
    vec_done(&f.list);
    arena_free(a);
    return same;
}

static bool has_path(const struct source_files *f, const char *path)
{
    for (size_t i = 0; i < f->list.len; i++)
        if (!strcmp(f->list.p[i].path, path))
            return true;
    return false;
}

static void add_change(struct buf *to, size_t *count, const char *name,
                       const char *how)
{
    if (++*count <= FILES_NAMED)
        buf_addf(to, "%s%s %s", *count > 1 ? ", " : "", name, how);
    else if (*count == FILES_NAMED + 1)
        buf_adds(to, " and others");
}

bool shards_changed(const struct plan_predict *p, const struct value *said,
                    const char *home, const char *folder, struct buf *to)
{
    struct arena *a = arena_new();
    struct source_files was = {0}, now = {0};
    struct err ignored = {0};
    size_t count = 0;
    const struct value *v = head_of(said, folder, a);
    const struct value *files = value_get(v, STR("files"));
    for (size_t i = 0; files && i < files->count; i++)
        if (!take_file(&was, files->items[i], a))
            add_change(to, &count, was.list.p[i].name, "has changed");
    if (files && find_files(p, home, &now, a, &ignored) == 0)
        for (size_t i = 0; i < now.list.len; i++)
            if (!has_path(&was, now.list.p[i].path))
                add_change(to, &count, now.list.p[i].name, "is new");
    vec_done(&was.list);
    vec_done(&now.list);
    arena_free(a);
    return count > 0;
}
