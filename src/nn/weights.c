/* weights.c - numbers with names in a file: safetensors */
#include "nn/weights.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/json.h"
#include "nn/nn.h"
#include "sys/sys.h"

#define BEGINNING 4096 /* of a file, in which its kind is looked for */
#define HEAD_MAX (100u << 20)

/* ---- writing ---------------------------------------------------------- */

void weights_begin(struct weights_writer *w, size_t real_bytes)
{
    buf_init(&w->head);
    buf_init(&w->body);
    w->real_bytes = real_bytes;
}

static void add_key(struct weights_writer *w, struct str name)
{
    buf_addc(&w->head, w->head.len ? ',' : '{');
    json_string(&w->head, name);
    buf_addc(&w->head, ':');
}

static void add_numbers(struct weights_writer *w, const double *numbers,
                        size_t count)
{
    struct buf *b = &w->body;
    if (w->real_bytes != 4) {
        buf_add(b, numbers, count * sizeof(*numbers));
        return;
    }
    buf_reserve(b, count * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        float f = (float)numbers[i];
        memcpy(b->p + b->len + i * sizeof(f), &f, sizeof(f));
    }
    b->len += count * sizeof(float);
    b->p[b->len] = 0;
}

void weights_add(struct weights_writer *w, struct str name,
                 const struct nn_shape *shape, const double *numbers)
{
    size_t from = w->body.len;
    add_key(w, name);
    buf_addf(&w->head, "{\"dtype\":\"%s\",\"shape\":[",
             w->real_bytes == 4 ? "F32" : "F64");
    for (int i = 0; i < shape->rank; i++)
        buf_addf(&w->head, "%s%lld", i ? "," : "", (long long)shape->dim[i]);
    add_numbers(w, numbers, (size_t)nn_shape_count(shape));
    buf_addf(&w->head, "],\"data_offsets\":[%zu,%zu]}", from, w->body.len);
}

/* Notes come last, so that a writer can add them when all is known. */
void weights_note(struct weights_writer *w, struct str key, struct str text)
{
    static const char open[] = "\"__metadata__\":{";
    bool first = !memmem(w->head.p, w->head.len, open, sizeof(open) - 1);
    if (first) {
        buf_addc(&w->head, w->head.len ? ',' : '{');
        buf_adds(&w->head, open);
    } else {
        w->head.len--; /* the closing brace */
        buf_addc(&w->head, ',');
    }
    json_string(&w->head, key);
    buf_addc(&w->head, ':');
    json_string(&w->head, text);
    buf_addc(&w->head, '}');
}

#define SUM_DIGITS 16u
static const char sum_key[] = "\"checksum\":\"";
static const char no_sum[] = "0000000000000000";

/* Where the digits of the checksum are in a head: its last note. NULL: it has
 * none. */
static char *sum_in(struct str head)
{
    size_t len = sizeof(sum_key) - 1;
    for (size_t at = head.len; at-- > 0;)
        if (head.len - at > len + SUM_DIGITS &&
            memcmp(head.p + at, sum_key, len) == 0)
            return (char *)(uintptr_t)(head.p + at + len);
    return NULL;
}

static void print_sum(char digits[SUM_DIGITS + 1], struct str head,
                      struct str numbers)
{
    snprintf(digits, SUM_DIGITS + 1, "%016llx",
             (unsigned long long)hash64(numbers, hash64(head, 0)));
}

void weights_end(struct weights_writer *w, struct buf *file)
{
    char digits[SUM_DIGITS + 1];
    weights_note(w, STR("checksum"), str_of(no_sum));
    buf_addc(&w->head, '}');
    while (w->head.len % 8) /* numbers begin at a multiple of 8 */
        buf_addc(&w->head, ' ');
    print_sum(digits, buf_str(&w->head), buf_str(&w->body));
    memcpy(sum_in(buf_str(&w->head)), digits, SUM_DIGITS);
    buf_add_u64(file, w->head.len);
    buf_addstr(file, buf_str(&w->head));
    buf_addstr(file, buf_str(&w->body));
    buf_done(&w->head);
    buf_done(&w->body);
}

/* ---- reading ---------------------------------------------------------- */

struct weights_file {
    struct arena *arena;
    const char *path;
    struct str bytes, numbers;
    struct value *head;
    bool mapped;
};

static int damaged(const struct weights_file *f, const char *why,
                   struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "%s is no safetensors file, as built-in training writes "
                   "weights: %s",
                   f->path, why);
}

/* What a file is that has been taken for weights; NULL: nobody knows. */
static const char *other_kind(struct str bytes)
{
    static const char ensemble[] = "\"throng.ensemble/";
    size_t some = bytes.len < BEGINNING ? bytes.len : BEGINNING;
    if (str_starts(bytes, STR("\x89HDF")))
        return "it is an HDF5 file, as Keras writes weights";
    if (str_starts(bytes, STR("PK\x03\x04")))
        return "it is a zip archive, as PyTorch writes weights and Keras "
               "models";
    if (!bytes.len || bytes.p[0] != '{')
        return NULL;
    return memmem(bytes.p, some, ensemble, sizeof(ensemble) - 1)
               ? "it is an ensemble, which has such files as its members"
               : "it is JSON, as a model is";
}

/* The length of the head, and so all of its text, is what was summed. */
static int check_sum(const struct weights_file *f, struct str head,
                     struct err *err)
{
    char digits[SUM_DIGITS + 1];
    struct str has = value_text(
        value_get(value_get(f->head, STR("__metadata__")), STR("checksum")));
    if (!has.len)
        return 0;
    struct str text = arena_str(f->arena, head);
    char *at = sum_in(text);
    if (at) {
        memcpy(at, no_sum, SUM_DIGITS);
        print_sum(digits, text, f->numbers);
    }
    if (at && str_is(has, digits))
        return 0;
    return err_set(err, ERR_CORRUPT,
                   "%s is damaged: its checksum is another. If it was changed "
                   "on purpose, leave `checksum` out of its metadata",
                   f->path);
}

static int parse(struct weights_file *f, struct err *err)
{
    struct bytes b = bytes_of(f->bytes);
    uint64_t head = bytes_u64(&b);
    const char *other = other_kind(f->bytes);
    if (b.bad)
        return damaged(f, other ? other : "it is shorter than 8 bytes", err);
    if (head > HEAD_MAX || head > f->bytes.len - 8)
        return damaged(f, other ? other : "its head is longer than the file",
                       err);
    struct str text = str_trim(str_n(f->bytes.p + 8, (size_t)head));
    f->head = json_parse(f->arena, text, f->path, false, err);
    if (!f->head)
        return -1;
    if (f->head->kind != VALUE_OBJECT)
        return damaged(f, "its head is no object", err);
    f->numbers = str_n(f->bytes.p + 8 + head, f->bytes.len - 8 - (size_t)head);
    return check_sum(f, str_n(f->bytes.p + 8, (size_t)head), err);
}

struct weights_file *weights_parse(struct str bytes, const char *path,
                                   struct err *err)
{
    struct weights_file *f = xcalloc(1, sizeof(*f));
    f->arena = arena_new();
    f->path = arena_cstr(f->arena, str_of(path));
    f->bytes = bytes;
    if (parse(f, err) == 0)
        return f;
    weights_close(f);
    return NULL;
}

struct weights_file *weights_open(const char *path, struct err *err)
{
    struct str bytes;
    if (file_map(path, &bytes, err))
        return NULL;
    struct weights_file *f = weights_parse(bytes, path, err);
    if (f)
        f->mapped = true;
    else
        file_unmap(bytes);
    return f;
}

void weights_close(struct weights_file *f)
{
    if (!f)
        return;
    if (f->mapped)
        file_unmap(f->bytes);
    arena_free(f->arena);
    free(f);
}

/* Bytes of one number; 0: a type that is not read. */
static size_t size_of(struct str type)
{
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"F32", 4}, {"F64", 8}, {"U8", 1}, {"BOOL", 1}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (str_is(type, types[i].name))
            return types[i].bytes;
    return 0;
}

static int check_shape(const struct weights_file *f, struct str name,
                       const struct value *has, const struct nn_shape *wanted,
                       struct err *err)
{
    struct buf b;
    bool same =
        has && has->kind == VALUE_LIST && has->count == (size_t)wanted->rank;
    for (int i = 0; same && i < wanted->rank; i++)
        same = has->items[i]->kind == VALUE_INT &&
               has->items[i]->i == wanted->dim[i];
    if (same)
        return 0;
    buf_init(&b);
    for (size_t i = 0; has && i < has->count; i++) {
        buf_adds(&b, i ? "×" : "");
        json_print(&b, has->items[i]);
    }
    buf_adds(&b, b.len ? ", the model wants " : "none, the model wants ");
    nn_shape_print(&b, wanted);
    err_set(err, ERR_INPUT, "%s: the shape of %.*s is %s", f->path, STRF(name),
            b.p);
    buf_done(&b);
    return -1;
}

/* Its bytes, when type, shape and place agree. */
static int find(const struct weights_file *f, struct str name,
                const struct nn_shape *wanted, size_t *size, struct str *out,
                struct err *err)
{
    const struct value *t = value_get(f->head, name);
    const struct value *at = value_get(t, STR("data_offsets"));
    struct str type = value_text(value_get(t, STR("dtype")));
    int64_t count = nn_shape_count(wanted);
    *size = size_of(type);
    if (!t)
        return err_set(err, ERR_INPUT, "%s: has no %.*s", f->path, STRF(name));
    if (!*size)
        return err_set(err, ERR_INPUT,
                       "%s: %.*s is of type %.*s; F32, F64, U8 and BOOL are "
                       "read",
                       f->path, STRF(name), STRF(type));
    if (check_shape(f, name, value_get(t, STR("shape")), wanted, err))
        return -1;
    const struct value *from = value_at(at, 0), *to = value_at(at, 1);
    if (!from || !to || from->kind != VALUE_INT || to->kind != VALUE_INT ||
        from->i < 0 || to->i < from->i || (size_t)to->i > f->numbers.len ||
        (size_t)(to->i - from->i) != (size_t)count * *size)
        return err_set(err, ERR_INPUT,
                       "%s: %.*s lies outside of the file, or is cut off",
                       f->path, STRF(name));
    *out = str_n(f->numbers.p + from->i, (size_t)(to->i - from->i));
    return 0;
}

static double number_at(const char *p, size_t size)
{
    double d;
    float x;
    if (size == 1)
        return (unsigned char)*p;
    if (size == 8) {
        memcpy(&d, p, sizeof(d));
        return d;
    }
    memcpy(&x, p, sizeof(x));
    return (double)x;
}

int weights_get(const struct weights_file *f, struct str name,
                const struct nn_shape *shape, double *numbers, struct err *err)
{
    size_t size = 0;
    struct str bytes = STR("");
    if (find(f, name, shape, &size, &bytes, err))
        return -1;
    for (size_t i = 0; i < bytes.len / size; i++)
        numbers[i] = number_at(bytes.p + size * i, size);
    return 0;
}

bool weights_next(const struct weights_file *f, size_t *at, struct str *name)
{
    while (*at < f->head->count) {
        *name = f->head->keys[(*at)++];
        if (!str_is(*name, "__metadata__"))
            return true;
    }
    return false;
}

bool weights_has(const struct weights_file *f, struct str name)
{
    return value_get(f->head, name) != NULL;
}

struct str weights_text(const struct weights_file *f, struct str key)
{
    return value_text(value_get(value_get(f->head, STR("__metadata__")), key));
}

int nn_weights_check(struct str bytes, const char *path, int64_t *epoch,
                     struct err *err)
{
    struct weights_file *f = weights_parse(bytes, path, err);
    if (!f)
        return -1;
    const struct value *standing = json_parse(
        f->arena, weights_text(f, STR("training")), "training", false, NULL);
    const struct value *at = value_get(standing, STR("epoch"));
    *epoch = at && at->kind == VALUE_INT ? at->i : 0;
    weights_close(f);
    return 0;
}

int nn_weights_about(const char *path, struct arena *a, struct nn_about *about,
                     struct err *err)
{
    struct weights_file *f = weights_open(path, err);
    int rc = -1;
    if (!f)
        return -1;
    about->model = arena_str(a, weights_text(f, STR("model")));
    about->data = arena_str(a, weights_text(f, STR("data")));
    about->rows = arena_str(a, weights_text(f, STR("rows")));
    if (about->model.len)
        rc = 0;
    else
        err_set(err, ERR_INPUT,
                "%s does not say its model: only weights that throng trained "
                "do",
                path);
    weights_close(f);
    return rc;
}
