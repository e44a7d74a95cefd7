/* idx.c - MNIST's format: two zeros, a type, a number of axes, big-endian
 * sizes, then the numbers */
#include "data/matrix.h"

static uint64_t big_u64(const unsigned char *p)
{
    return (uint64_t)big_u32(p) << 32 | big_u32(p + 4);
}

static float number_at(const unsigned char *p, unsigned type)
{
    union {
        uint32_t u;
        float f;
    } word;
    union {
        uint64_t u;
        double d;
    } wide;
    switch (type) {
    case 0x08:
        return p[0];
    case 0x09:
        return (float)(int8_t)p[0];
    case 0x0B:
        return (float)(int16_t)(p[0] << 8 | p[1]);
    case 0x0C:
        return (float)(int32_t)big_u32(p);
    case 0x0D:
        word.u = big_u32(p);
        return word.f;
    default:
        wide.u = big_u64(p);
        return (float)wide.d;
    }
}

static size_t type_bytes(unsigned type)
{
    static const unsigned char bytes[] = {1, 1, 0, 2, 4, 4, 8};
    return type >= 0x08 && type <= 0x0E ? bytes[type - 0x08] : 0;
}

static int read_sizes(struct str bytes, const char *path, struct matrix *m,
                      struct err *err)
{
    const unsigned char *p = (const unsigned char *)bytes.p;
    unsigned axes = p[3];
    *m = (struct matrix){.columns = 1, .rank = axes > 1 ? (int)axes - 1 : 1};
    if (axes < 1 || axes > 5 || bytes.len < 4 + 4 * (size_t)axes)
        return err_set(err, ERR_INPUT,
                       "%s: an IDX file of %u axes; 1 to 5 "
                       "are read",
                       path, axes);
    m->rows = big_u32(p + 4);
    m->dim[0] = 1;
    for (unsigned i = 1; i < axes; i++) {
        m->dim[i - 1] = big_u32(p + 4 + 4 * i);
        if (__builtin_mul_overflow(m->columns, (size_t)m->dim[i - 1],
                                   &m->columns))
            return err_set(err, ERR_INPUT, "%s: sizes too large", path);
    }
    return 0;
}

int data_read_idx(struct str bytes, const char *path, struct arena *a,
                  struct matrix *m, struct err *err)
{
    if (bytes.len < 8)
        return err_set(err, ERR_INPUT, "%s: too short for an IDX file", path);
    if (read_sizes(bytes, path, m, err))
        return -1;
    const unsigned char *p = (const unsigned char *)bytes.p;
    size_t head = 4 + 4 * (size_t)p[3], size = type_bytes(p[2]), count;
    if (!size)
        return err_set(err, ERR_INPUT, "%s: unknown type 0x%02x in an IDX file",
                       path, p[2]);
    if (__builtin_mul_overflow(m->rows, m->columns, &count) ||
        (bytes.len - head) / size < count)
        return err_set(
            err, ERR_INPUT,
            "%s: cut off in row %zu: it says that it has %zu rows "
            "of %zu numbers",
            path, m->columns ? (bytes.len - head) / size / m->columns + 1 : 1,
            m->rows, m->columns);
    if (!count)
        return err_set(err, ERR_INPUT, "%s: has no rows", path);
    m->numbers = arena_array(a, count + 1, sizeof(float));
    for (size_t i = 0; i < count; i++)
        m->numbers[i] = number_at(p + head + i * size, p[2]);
    return 0;
}

bool data_is_idx(struct str s)
{
    return s.len >= 8 && s.p[0] == 0 && s.p[1] == 0 &&
           type_bytes((unsigned char)s.p[2]) && s.p[3] >= 1 && s.p[3] <= 5;
}
