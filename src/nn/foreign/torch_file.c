/* torch_file.c - a state_dict that torch.save wrote
 *
 * A zip archive: NAME/data.pkl says the tensors, NAME/data/KEY has the numbers
 * of each storage. Tensors may share one, and lie in it with any strides. */
#include "data/data.h"
#include "nn/foreign/pickle.h"
#include "nn/foreign/tensors.h"

#define NUMBERS_MAX ((int64_t)1 << 36)

struct storage {
    const char *type;
    size_t bytes;
    double (*number)(const char *p);
};

#define NUMBER(name, of)                                                       \
    static double name(const char *p)                                          \
    {                                                                          \
        of v;                                                                  \
        memcpy(&v, p, sizeof(v));                                              \
        return (double)v;                                                      \
    }
NUMBER(f32, float)
NUMBER(f64, double)
NUMBER(i64, int64_t)
NUMBER(i32, int32_t)
NUMBER(i16, int16_t)
NUMBER(i8, int8_t)
NUMBER(u8, uint8_t)

/* bfloat16 is the upper half of a float. */
static double b16(const char *p)
{
    uint16_t half;
    memcpy(&half, p, sizeof(half));
    uint32_t whole = (uint32_t)half << 16;
    float v;
    memcpy(&v, &whole, sizeof(v));
    return (double)v;
}

static double f16(const char *p)
{
    uint16_t h;
    memcpy(&h, p, sizeof(h));
    int exponent = h >> 10 & 31;
    double part = h & 1023, sign = h & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return part != 0 ? __builtin_nan("") : sign * __builtin_inf();
    double unit = exponent ? part / 1024 + 1 : part / 1024;
    return sign * __builtin_ldexp(unit, exponent ? exponent - 15 : -14);
}

static const struct storage storages[] = {
    {"torch.FloatStorage", 4, f32}, {"torch.DoubleStorage", 8, f64},
    {"torch.HalfStorage", 2, f16},  {"torch.BFloat16Storage", 2, b16},
    {"torch.LongStorage", 8, i64},  {"torch.IntStorage", 4, i32},
    {"torch.ShortStorage", 2, i16}, {"torch.CharStorage", 1, i8},
    {"torch.ByteStorage", 1, u8},   {"torch.BoolStorage", 1, u8}};

struct reading {
    struct tensors *to;
    struct str bytes;
    struct str folder; /* in the archive, with a slash */
    struct err *err;
};

static int damaged(const struct reading *r, struct str name, const char *why)
{
    return err_set(r->err, ERR_INPUT, "%s: %.*s %s", r->to->path, STRF(name),
                   why);
}

static const struct storage *storage_of(const struct pickle *stored)
{
    if (stored->kind != PICKLE_STORED || stored->count < 5 ||
        stored->items[1]->kind != PICKLE_NAME ||
        stored->items[2]->kind != PICKLE_TEXT)
        return NULL;
    for (size_t i = 0; i < sizeof(storages) / sizeof(*storages); i++)
        if (str_is(stored->items[1]->s, storages[i].type))
            return &storages[i];
    return NULL;
}

/* Whole numbers, at most as many as an array has axes; -1: they are not. */
static int whole_numbers(const struct pickle *p, int64_t *to)
{
    if (p->kind != PICKLE_LIST || p->count > TENSOR_RANK_MAX)
        return -1;
    for (size_t i = 0; i < p->count; i++) {
        if (p->items[i]->kind != PICKLE_INT || p->items[i]->i < 0 ||
            p->items[i]->i > NUMBERS_MAX)
            return -1;
        to[i] = p->items[i]->i;
    }
    return (int)p->count;
}

struct laid_out {
    int rank;
    int64_t offset, dim[TENSOR_RANK_MAX], stride[TENSOR_RANK_MAX];
    int64_t count, last; /* numbers, and where the last one lies */
};

static bool lay_out(const struct pickle *t, struct laid_out *l)
{
    l->rank = whole_numbers(t->items[2], l->dim);
    l->count = 1;
    l->last = l->offset = t->items[1]->i;
    if (l->rank < 0 || whole_numbers(t->items[3], l->stride) != l->rank ||
        t->items[1]->kind != PICKLE_INT || l->offset < 0 ||
        l->offset > NUMBERS_MAX)
        return false;
    for (int i = 0; i < l->rank; i++) {
        int64_t reach;
        if (__builtin_mul_overflow(l->count, l->dim[i], &l->count) ||
            __builtin_mul_overflow(l->dim[i] ? l->dim[i] - 1 : 0, l->stride[i],
                                   &reach) ||
            __builtin_add_overflow(l->last, reach, &l->last))
            return false;
    }
    return true;
}

static void take_numbers(struct tensor *t, const struct laid_out *l,
                         const struct storage *s, const char *p)
{
    int64_t at[TENSOR_RANK_MAX] = {0};
    for (int64_t i = 0; i < t->count; i++) {
        int64_t from = l->offset;
        for (int k = 0; k < l->rank; k++)
            from += at[k] * l->stride[k];
        t->numbers[i] = s->number(p + (size_t)from * s->bytes);
        for (int k = l->rank - 1; k >= 0 && ++at[k] == l->dim[k]; k--)
            at[k] = 0;
    }
}

static int add_tensor(struct reading *r, struct str name,
                      const struct pickle *t)
{
    struct laid_out l;
    struct str numbers;
    if (t->count < 4 || !lay_out(t, &l))
        return damaged(r, name, "has a shape that no array has");
    const struct pickle *stored = t->items[0];
    const struct storage *s = storage_of(stored);
    if (!s)
        return damaged(r, name, "is of a type that is not read");
    struct buf member;
    buf_init(&member);
    buf_addf(&member, "%.*sdata/%.*s", STRF(r->folder),
             STRF(stored->items[2]->s));
    int rc = data_read_zip(r->bytes, r->to->path, buf_str(&member),
                           r->to->arena, &numbers, r->err);
    buf_done(&member);
    if (rc)
        return -1;
    int64_t has = (int64_t)(numbers.len / s->bytes);
    if (l.count > has || (l.count && l.last >= has))
        return damaged(r, name, "lies outside of its numbers, or is cut off");
    struct tensor *to = tensors_add(r->to, name, l.rank, l.dim, r->err);
    if (to)
        take_numbers(to, &l, s, numbers.p);
    return to ? 0 : -1;
}

static size_t count_tensors(const struct pickle *dict)
{
    size_t count = 0;
    for (size_t i = 0; dict->kind == PICKLE_DICT && i + 1 < dict->count; i += 2)
        count += dict->items[i]->kind == PICKLE_TEXT &&
                 dict->items[i + 1]->kind == PICKLE_TENSOR;
    return count;
}

/* A checkpoint has the state_dict of the model beside that of others: it is
 * the one with the most tensors by name. */
static const struct pickle *find_weights(const struct pickle *all)
{
    const struct pickle *best = all;
    if (all->kind != PICKLE_DICT || count_tensors(all))
        return all;
    for (size_t i = 0; i + 1 < all->count; i += 2)
        if (count_tensors(all->items[i + 1]) > count_tensors(best))
            best = all->items[i + 1];
    return best;
}

static int add_all(struct reading *r, const struct pickle *all)
{
    const struct pickle *dict = find_weights(all);
    int rc = 0;
    if (!count_tensors(dict))
        return err_set(r->err, ERR_INPUT,
                       "%s: has no tensors by name; torch.save of "
                       "model.state_dict() writes them",
                       r->to->path);
    for (size_t i = 0; !rc && i + 1 < dict->count; i += 2)
        if (dict->items[i]->kind == PICKLE_TEXT &&
            dict->items[i + 1]->kind == PICKLE_TENSOR)
            rc = add_tensor(r, dict->items[i]->s, dict->items[i + 1]);
    return rc;
}

int torch_read(struct tensors *t, struct str bytes, struct err *err)
{
    static const char program[] = "data.pkl";
    struct reading r = {.to = t, .bytes = bytes, .err = err};
    struct str name = data_zip_find(bytes, str_of(program)), pickle, order;
    if (!name.len)
        return err_set(err, ERR_INPUT,
                       "%s is no file of torch.save: it has no %s", t->path,
                       program);
    r.folder = str_n(name.p, name.len - (sizeof(program) - 1));
    if (data_zip_find(bytes, STR("/byteorder")).len &&
        (data_read_zip(
             bytes, t->path,
             str_of(arena_printf(t->arena, "%.*sbyteorder", STRF(r.folder))),
             t->arena, &order, err) ||
         !str_is(order, "little")))
        return err_set(err, ERR_INPUT,
                       "%s: was written on a machine of another byte order",
                       t->path);
    if (data_read_zip(bytes, t->path, name, t->arena, &pickle, err))
        return -1;
    const struct pickle *all = pickle_read(pickle, t->path, t->arena, err);
    return all ? add_all(&r, all) : -1;
}
