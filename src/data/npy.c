/* npy.c - NumPy's format: a magic word, a Python dict that says type, order
 * and shape, then the numbers */
#include "base/num.h"
#include "data/matrix.h"

struct layout {
    char kind; /* b i u f */
    size_t size;
    bool big;
    bool columns_first; /* Fortran's order */
    size_t axes;
    size_t axis[5];
};

bool data_is_npy(struct str s)
{
    return s.len >= 10 && memcmp(s.p, "\x93NUMPY", 6) == 0;
}

static uint64_t bits_at(const unsigned char *p, size_t size, bool big)
{
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++)
        v |= (uint64_t)p[big ? size - 1 - i : i] << (8 * i);
    return v;
}

/* IEEE half precision. */
static float half(uint64_t v)
{
    double sign = v >> 15 ? -1 : 1;
    unsigned exponent = v >> 10 & 31;
    double fraction = (double)(v & 1023);
    if (exponent == 0)
        return (float)(sign * fraction * 0x1p-24);
    union {
        uint32_t u;
        float f;
    } word = {.u = (uint32_t)(v >> 15) << 31 |
                   (exponent == 31 ? 255 : exponent + 112) << 23 |
                   (uint32_t)(v & 1023) << 13};
    return word.f;
}

static float number_at(const unsigned char *p, const struct layout *l)
{
    uint64_t v = bits_at(p, l->size, l->big);
    union {
        uint32_t u;
        float f;
    } word = {.u = (uint32_t)v};
    union {
        uint64_t u;
        double d;
    } wide = {.u = v};
    unsigned unused = (unsigned)(64 - 8 * l->size);
    if (l->kind == 'f')
        return l->size == 2 ? half(v) : l->size == 4 ? word.f : (float)wide.d;
    if (l->kind == 'i')
        return (float)((int64_t)(v << unused) >> unused);
    return (float)v;
}

/* What follows 'key': in the dict, blanks off. */
static struct str entry(struct str dict, const char *key)
{
    size_t len = strlen(key);
    for (size_t i = 0; i + len + 3 < dict.len; i++)
        if ((dict.p[i] == '\'' || dict.p[i] == '"') &&
            memcmp(dict.p + i + 1, key, len) == 0 &&
            dict.p[i + 1 + len] == dict.p[i]) {
            struct str rest =
                str_trim(str_n(dict.p + i + len + 2, dict.len - i - len - 2));
            if (rest.len && rest.p[0] == ':')
                return str_trim(str_n(rest.p + 1, rest.len - 1));
        }
    return (struct str){0};
}

static int read_type(struct str s, const char *path, struct layout *l,
                     struct err *err)
{
    bool known = s.len >= 5 && strchr("<>|=", s.p[1]) && strchr("biuf", s.p[2]);
    size_t size = known ? (size_t)(s.p[3] - '0') : 0;
    known = known && s.p[4] == s.p[0] &&
            (size == 1 || size == 2 || size == 4 || size == 8) &&
            !(s.p[2] == 'b' && size != 1) && !(s.p[2] == 'f' && size == 1);
    if (!known)
        return err_set(err, ERR_INPUT,
                       "%s: holds %.*s; arrays of whole numbers, floats and "
                       "booleans are read",
                       path, s.len < 20 ? (int)s.len : 20, s.len ? s.p : "");
    l->kind = s.p[2];
    l->size = size;
    l->big = s.p[1] == '>';
    return 0;
}

static int read_axes(struct str s, const char *path, struct layout *l,
                     struct err *err)
{
    size_t i = 1;
    if (!s.len || s.p[0] != '(')
        return err_set(err, ERR_INPUT, "%s: damaged npy header", path);
    while (i < s.len && s.p[i] != ')') {
        size_t from = i;
        uint64_t size;
        while (i < s.len && s.p[i] >= '0' && s.p[i] <= '9')
            i++;
        if (!num_uint(str_n(s.p + from, i - from), &size))
            return err_set(err, ERR_INPUT, "%s: damaged npy header", path);
        if (l->axes == 5)
            return err_set(err, ERR_INPUT, "%s: an array of more than 5 axes",
                           path);
        l->axis[l->axes++] = size;
        while (i < s.len && (s.p[i] == ',' || s.p[i] == ' ' || s.p[i] == 'L'))
            i++;
    }
    if (i == s.len)
        return err_set(err, ERR_INPUT, "%s: damaged npy header", path);
    return l->axes
               ? 0
               : err_set(err, ERR_INPUT, "%s: a single number, no rows", path);
}

/* Returns where the numbers begin, 0 and err for a damaged header. */
static size_t read_header(struct str bytes, const char *path, struct layout *l,
                          struct err *err)
{
    const unsigned char *p = (const unsigned char *)bytes.p;
    size_t wide = p[6] == 1 ? 2 : 4, from = 8 + wide;
    size_t len = bytes.len < from ? 0 : bits_at(p + 8, wide, false);
    *l = (struct layout){0};
    if (bytes.len < from || bytes.len - from < len) {
        err_set(err, ERR_INPUT, "%s: cut off in its header, before row 1",
                path);
        return 0;
    }
    struct str dict = str_n(bytes.p + from, len);
    l->columns_first = str_starts(entry(dict, "fortran_order"), STR("True"));
    if (read_type(entry(dict, "descr"), path, l, err) ||
        read_axes(entry(dict, "shape"), path, l, err))
        return 0;
    return from + len;
}

static int sizes_of(const struct layout *l, const char *path, struct matrix *m,
                    size_t *count, struct err *err)
{
    *m = (struct matrix){.rows = l->axis[0], .columns = 1, .rank = 1};
    m->dim[0] = 1;
    if (l->axes > 1)
        m->rank = (int)l->axes - 1;
    bool large = false;
    for (size_t i = 1; i < l->axes; i++) {
        m->dim[i - 1] = (int64_t)l->axis[i];
        large |= __builtin_mul_overflow(m->columns, l->axis[i], &m->columns);
    }
    if (large || __builtin_mul_overflow(m->rows, m->columns, count))
        return err_set(err, ERR_INPUT, "%s: sizes too large", path);
    return *count ? 0 : err_set(err, ERR_INPUT, "%s: has no rows", path);
}

/* In Fortran's order the first axis varies fastest: the k-th number of the
 * file goes to the place that its indices have in C's order. */
static void copy_columns_first(const unsigned char *p, const struct layout *l,
                               size_t count, float *to)
{
    size_t index[5] = {0}, stride[5], at = 0;
    stride[l->axes - 1] = 1;
    for (size_t i = l->axes - 1; i-- > 0;)
        stride[i] = stride[i + 1] * l->axis[i + 1];
    for (size_t k = 0; k < count; k++) {
        to[at] = number_at(p + k * l->size, l);
        for (size_t i = 0; i < l->axes; i++) {
            at += stride[i];
            if (++index[i] < l->axis[i])
                break;
            at -= stride[i] * l->axis[i];
            index[i] = 0;
        }
    }
}

int data_read_npy(struct str bytes, const char *path, struct arena *a,
                  struct matrix *m, struct err *err)
{
    struct layout l;
    size_t count = 0, from = read_header(bytes, path, &l, err);
    if (!from || sizes_of(&l, path, m, &count, err))
        return -1;
    size_t there = (bytes.len - from) / l.size;
    if (there < count)
        return err_set(err, ERR_INPUT,
                       "%s: cut off in row %zu: it says that it has %zu rows "
                       "of %zu numbers",
                       path, l.columns_first ? 1 : there / m->columns + 1,
                       m->rows, m->columns);
    const unsigned char *p = (const unsigned char *)bytes.p + from;
    m->numbers = arena_array(a, count, sizeof(float));
    if (l.columns_first)
        copy_columns_first(p, &l, count, m->numbers);
    else
        for (size_t i = 0; i < count; i++)
            m->numbers[i] = number_at(p + i * l.size, &l);
    return 0;
}

int data_npy_look(struct str bytes, const char *path, struct data_npy *to,
                  struct err *err)
{
    struct layout l;
    struct matrix m;
    size_t count;
    size_t from = read_header(bytes, path, &l, err);
    if (!from || sizes_of(&l, path, &m, &count, err))
        return -1;
    *to = (struct data_npy){from, m.rows, m.columns * l.size, !l.columns_first};
    return 0;
}

#define NPY_ALIGN 64

static bool is_ascii(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.p[i] > 127)
            return false;
    return true;
}

/* As NumPy writes it: numbers begin at a multiple of 64 bytes. Version 1 of the
 * format has 64 KiB of header at most, version 3 one in UTF-8. */
void data_npy_begin(struct buf *b, struct str type, uint64_t rows,
                    struct str axes)
{
    struct buf dict;
    buf_init(&dict);
    buf_addf(&dict, "{'descr': %.*s, 'fortran_order': False, 'shape': (",
             STRF(type));
    buf_addf(&dict, "%llu,%.*s), }", (unsigned long long)rows, STRF(axes));
    bool wide = dict.len > 60000 || !is_ascii(type);
    size_t size = wide ? 4 : 2;
    while ((8 + size + dict.len + 1) % NPY_ALIGN)
        buf_addc(&dict, ' ');
    buf_addc(&dict, '\n');
    buf_add(b, wide ? "\x93NUMPY\x03" : "\x93NUMPY\x01", 7);
    buf_addc(b, 0);
    for (size_t i = 0; i < size; i++)
        buf_addc(b, (char)(dict.len >> (8 * i) & 0xff));
    buf_addstr(b, buf_str(&dict));
    buf_done(&dict);
}

static void add_npy_head(struct buf *b, const struct layout *l, uint64_t rows)
{
    struct buf type, axes;
    buf_init(&type);
    buf_init(&axes);
    buf_addf(&type, "'%c%c%zu'",
             l->size == 1 ? '|'
             : l->big     ? '>'
                          : '<',
             l->kind, l->size);
    for (size_t i = 1; i < l->axes; i++)
        buf_addf(&axes, "%s%zu", i > 1 ? ", " : " ", l->axis[i]);
    data_npy_begin(b, buf_str(&type), rows, buf_str(&axes));
    buf_done(&type);
    buf_done(&axes);
}

int data_npy_head(struct buf *b, struct str bytes, uint64_t rows,
                  const char *path, struct err *err)
{
    struct layout l;
    if (!read_header(bytes, path, &l, err))
        return -1;
    add_npy_head(b, &l, rows);
    return 0;
}

bool data_is_numpy_archive(struct str bytes)
{
    return data_is_zip(bytes);
}

bool data_is_numpy(struct str bytes)
{
    return data_is_npy(bytes) || data_is_zip(bytes);
}

int data_numpy(struct str bytes, const char *path, struct str member,
               struct data_array *array, struct arena *a, struct err *err)
{
    struct matrix m;
    struct str one = bytes;
    if (data_is_zip(bytes) && data_read_zip(bytes, path, member, a, &one, err))
        return -1;
    if (!data_is_npy(one))
        return err_set(err, ERR_INPUT, "%s: `%.*s` is no array of NumPy", path,
                       STRF(member));
    if (data_read_npy(one, path, a, &m, err))
        return -1;
    *array = (struct data_array){m.rows, m.columns, m.numbers};
    return 0;
}
