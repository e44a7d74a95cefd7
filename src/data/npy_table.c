/* npy_table.c - a table of text as an array of NumPy
 *
 * A structured array has a type for each column, and all of its rows are
 * equally long: how long words are is known after the last row only. So the
 * text is put aside in a file without a name while columns are looked at, and
 * becomes numbers when it has ended. It is put aside in the pieces that it came
 * in, so that one of them at a time is in memory. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/num.h"
#include "base/vec.h"
#include "data/data.h"
#include "data/matrix.h"
#include "sys/sys.h"

#define WRITE_AT_ONCE (1u << 20)
#define UNKNOWN 0xfffd /* stands for bytes that are no character */

struct npy_column {
    char *name;
    bool count; /* whole numbers: those of rows */
    bool words; /* some cell is no number */
    size_t longest;
};

struct data_npy_table {
    char *path;
    FILE *aside;
    VEC(struct npy_column) columns;
    bool named; /* the line of names was there */
    uint64_t rows;
};

/* ---- columns ------------------------------------------------------------- */

static size_t count_characters(struct str s)
{
    size_t count = 0;
    for (; s.len; count++) {
        size_t len = str_utf8_next(s);
        len = len ? len : 1;
        s = str_n(s.p + len, s.len - len);
    }
    return count;
}

static bool is_name(const struct data_npy_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns.len; i++)
        if (strcmp(t->columns.p[i].name, name) == 0)
            return true;
    return false;
}

/* NumPy has each name once. */
static void add_column(struct data_npy_table *t, struct str name)
{
    struct npy_column c = {.count =
                               str_is(name, "row") || str_is(name, "rows")};
    struct buf b;
    buf_init(&b);
    buf_addstr(&b, name);
    for (size_t i = 2; is_name(t, b.p) || !b.len; i++) {
        buf_reset(&b);
        buf_addf(&b, "%.*s_%zu", STRF(name), i);
    }
    c.name = xstrdup(b.p);
    buf_done(&b);
    vec_push(&t->columns, c);
}

static void look_at_cell(struct npy_column *c, struct str cell)
{
    double number;
    int64_t whole;
    size_t len = count_characters(cell);
    c->longest = len > c->longest ? len : c->longest;
    c->count = c->count && num_int(cell, &whole);
    c->words = c->words || (cell.len && !num_double(cell, &number));
}

static int look_at_row(struct data_npy_table *t, const struct csv *csv,
                       struct err *err)
{
    if (!t->named) {
        for (size_t i = 0; i < csv->fields.len; i++)
            add_column(t, csv->fields.p[i]);
        t->named = true;
        return 0;
    }
    t->rows++;
    if (csv->fields.len != t->columns.len)
        return err_set(err, ERR_CORRUPT,
                       "row %llu of what becomes %s has %zu cells, not %zu",
                       (unsigned long long)t->rows, t->path, csv->fields.len,
                       t->columns.len);
    for (size_t i = 0; i < csv->fields.len; i++)
        look_at_cell(&t->columns.p[i], csv->fields.p[i]);
    return 0;
}

/* ---- its life ------------------------------------------------------------ */

/* Nobody sees the file that text is put aside in, and it goes with whoever has
 * it open. */
static FILE *open_aside(const char *path, struct err *err)
{
    struct buf name;
    buf_init(&name);
    buf_addf(&name, "%s.XXXXXX", path);
    int fd = mkstemp(name.p);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");
    if (!f)
        err_errno(err, "write beside %s", path);
    if (fd >= 0)
        unlink(name.p);
    if (fd >= 0 && !f)
        close(fd);
    buf_done(&name);
    return f;
}

struct data_npy_table *data_npy_table_begin(const char *path, struct err *err)
{
    FILE *aside = open_aside(path, err);
    if (!aside)
        return NULL;
    struct data_npy_table *t = xcalloc(1, sizeof(*t));
    t->path = xstrdup(path);
    t->aside = aside;
    return t;
}

void data_npy_table_drop(struct data_npy_table *t)
{
    if (!t)
        return;
    fclose(t->aside);
    for (size_t i = 0; i < t->columns.len; i++)
        free(t->columns.p[i].name);
    vec_done(&t->columns);
    free(t->path);
    free(t);
}

int data_npy_table_add(struct data_npy_table *t, struct str text,
                       struct err *err)
{
    uint64_t len = text.len;
    struct csv csv;
    int got;
    csv_init(&csv, text, ',');
    while ((got = csv_next(&csv, err)) > 0)
        if (look_at_row(t, &csv, err)) {
            got = -1;
            break;
        }
    csv_done(&csv);
    if (got)
        return -1;
    if (fwrite(&len, sizeof(len), 1, t->aside) != 1 ||
        fwrite(text.p, 1, text.len, t->aside) != text.len)
        return err_errno(err, "write beside %s", t->path);
    return 0;
}

/* ---- the array ----------------------------------------------------------- */

/* As Python reads a text. */
static void add_quoted(struct buf *b, const char *name)
{
    buf_addc(b, '\'');
    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;
        if (byte == '\'' || byte == '\\')
            buf_addf(b, "\\%c", byte);
        else if (byte < ' ')
            buf_addf(b, "\\x%02x", byte);
        else
            buf_addc(b, *name);
    }
    buf_addc(b, '\'');
}

static void add_types(struct buf *b, const struct data_npy_table *t)
{
    buf_addc(b, '[');
    for (size_t i = 0; i < t->columns.len; i++) {
        const struct npy_column *c = &t->columns.p[i];
        buf_adds(b, i ? ", (" : "(");
        add_quoted(b, c->name);
        if (c->words)
            buf_addf(b, ", '<U%zu')", c->longest);
        else
            buf_addf(b, ", '%s')", c->count ? "<i8" : "<f8");
    }
    buf_addc(b, ']');
}

static void add_bits(struct buf *b, uint64_t bits, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        buf_addc(b, (char)(bits >> (8 * i) & 0xff));
}

/* The character that s begins with; *len: of its bytes. */
static uint32_t character(struct str s, size_t *len)
{
    static const unsigned char mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = 0;
    *len = str_utf8_next(s);
    if (*len < 1 || *len > 4) {
        *len = 1;
        return UNKNOWN;
    }
    c = (unsigned char)s.p[0] & mask[*len];
    for (size_t i = 1; i < *len; i++)
        c = c << 6 | ((unsigned char)s.p[i] & 0x3f);
    return c;
}

static void add_words(struct buf *b, struct str cell, size_t longest)
{
    size_t len;
    for (; cell.len; cell = str_n(cell.p + len, cell.len - len), longest--)
        add_bits(b, character(cell, &len), 4);
    while (longest-- > 0)
        add_bits(b, 0, 4);
}

static void add_cell(struct buf *b, const struct npy_column *c, struct str cell)
{
    union {
        double number;
        int64_t whole;
        uint64_t bits;
    } value = {.number = NAN};
    if (c->words) {
        add_words(b, cell, c->longest);
        return;
    }
    if (c->count)
        num_int(cell, &value.whole);
    else if (cell.len)
        num_double(cell, &value.number);
    add_bits(b, value.bits, sizeof(value.bits));
}

static int add_piece(struct data_npy_table *t, struct str text, bool *named,
                     struct file_out *out, struct err *err)
{
    struct csv csv;
    struct buf b;
    int rc = 0;
    buf_init(&b);
    csv_init(&csv, text, ',');
    while (!rc && csv_next(&csv, err) > 0) {
        for (size_t i = 0; *named && i < t->columns.len; i++)
            add_cell(&b, &t->columns.p[i], csv.fields.p[i]);
        *named = true;
        if (b.len < WRITE_AT_ONCE)
            continue;
        rc = file_add(out, buf_str(&b), err);
        buf_reset(&b);
    }
    if (!rc)
        rc = file_add(out, buf_str(&b), err);
    csv_done(&csv);
    buf_done(&b);
    return rc;
}

/* 1, 0: that was all, -1. */
static int next_piece(struct data_npy_table *t, struct buf *to, struct err *err)
{
    char some[65536];
    uint64_t len;
    buf_reset(to);
    if (fread(&len, sizeof(len), 1, t->aside) != 1)
        return ferror(t->aside) ? err_errno(err, "read beside %s", t->path) : 0;
    while (len) {
        size_t most = len < sizeof(some) ? (size_t)len : sizeof(some);
        size_t got = fread(some, 1, most, t->aside);
        if (!got)
            return err_errno(err, "read beside %s", t->path);
        buf_add(to, some, got);
        len -= got;
    }
    return 1;
}

static int write_rows(struct data_npy_table *t, struct file_out *out,
                      struct err *err)
{
    struct buf piece;
    bool named = false;
    int got = 0, rc = 0;
    if (fflush(t->aside) || fseeko(t->aside, 0, SEEK_SET))
        return err_errno(err, "read beside %s", t->path);
    buf_init(&piece);
    while (!rc && (got = next_piece(t, &piece, err)) > 0)
        rc = add_piece(t, buf_str(&piece), &named, out, err);
    buf_done(&piece);
    return rc || got < 0 ? -1 : 0;
}

int data_npy_table_end(struct data_npy_table *t, struct err *err)
{
    struct buf head, types;
    buf_init(&head);
    buf_init(&types);
    if (!t->columns.len)
        add_column(t, STR("row"));
    add_types(&types, t);
    data_npy_begin(&head, buf_str(&types), t->rows, STR(""));
    struct file_out *out = file_begin(t->path, err);
    int rc = out ? file_add(out, buf_str(&head), err) : -1;
    if (!rc)
        rc = write_rows(t, out, err);
    if (rc)
        file_drop(out);
    else
        rc = file_end(out, true, err);
    buf_done(&types);
    buf_done(&head);
    data_npy_table_drop(t);
    return rc;
}
