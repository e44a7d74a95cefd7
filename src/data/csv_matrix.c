/* csv_matrix.c - tables of text: CSV, TSV, one value a line */
#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/num.h"
#include "data/matrix.h"

static char separator(struct str bytes)
{
    size_t end = 0, tabs = 0, commas = 0, semicolons = 0;
    for (; end < bytes.len && bytes.p[end] != '\n'; end++) {
        tabs += bytes.p[end] == '\t';
        commas += bytes.p[end] == ',';
        semicolons += bytes.p[end] == ';';
    }
    if (tabs && tabs >= commas)
        return '\t';
    return semicolons > commas ? ';' : ',';
}

static bool is_missing(struct str s)
{
    return s.len == 0 || str_is(s, "NA") || str_is(s, "?") ||
           str_is(s, "nan") || str_is(s, "NaN");
}

/* NaN for a missing number; false for a word. */
static bool number_of(struct str s, double *out)
{
    *out = NAN;
    return is_missing(s) || num_double(s, out);
}

struct rows {
    VEC(float) numbers;
    VEC(struct str) words;
    bool any_word;
    size_t columns, count;
    struct arena *arena;
};

static int add_row(struct rows *r, const struct csv *c, const char *path,
                   struct err *err)
{
    if (!r->columns)
        r->columns = c->fields.len;
    if (c->fields.len != r->columns)
        return err_set(err, ERR_INPUT,
                       "%s:%llu: %zu columns, the rows before have %zu", path,
                       (unsigned long long)c->line, c->fields.len, r->columns);
    for (size_t i = 0; i < r->columns; i++) {
        double d;
        struct str field = str_trim(c->fields.p[i]);
        bool number = number_of(field, &d);
        r->any_word |= !number;
        vec_push(&r->numbers, (float)d);
        vec_push(&r->words,
                 number ? (struct str){0} : arena_str(r->arena, field));
    }
    r->count++;
    return 0;
}

/* A first row of words only, above a row that has a number. */
static bool looks_like_header(struct str bytes, char sep)
{
    struct csv c;
    size_t words = 0, numbers = 0;
    double d;
    csv_init(&c, bytes, sep);
    bool got = csv_next(&c, NULL) > 0;
    for (size_t i = 0; got && i < c.fields.len; i++)
        words += !number_of(str_trim(c.fields.p[i]), &d);
    bool all = got && words == c.fields.len;
    got = got && csv_next(&c, NULL) > 0;
    for (size_t i = 0; got && i < c.fields.len; i++)
        numbers += number_of(str_trim(c.fields.p[i]), &d);
    csv_done(&c);
    return all && numbers > 0;
}

static const struct str *names_of(const struct csv *c, struct arena *a)
{
    struct str *names = arena_array(a, c->fields.len, sizeof(*names));
    for (size_t i = 0; i < c->fields.len; i++)
        names[i] = arena_str(a, str_trim(c->fields.p[i]));
    return names;
}

static int read_rows(struct csv *c, struct rows *r, const char *path,
                     struct err *err)
{
    int got;
    while ((got = csv_next(c, err)) > 0)
        if (add_row(r, c, path, err))
            return -1;
    if (got < 0)
        return err_wrap(err, "%s", path);
    return r->count ? 0 : err_set(err, ERR_INPUT, "%s: has no rows", path);
}

int data_read_csv(struct str bytes, const char *path, int header,
                  struct arena *a, struct matrix *m, struct err *err)
{
    char sep = separator(bytes);
    struct rows r = {.arena = a};
    struct csv c;
    *m = (struct matrix){.rank = 1};
    csv_init(&c, bytes, sep);
    if (header == 1 || (header < 0 && looks_like_header(bytes, sep))) {
        if (csv_next(&c, err) > 0) {
            m->names = names_of(&c, a);
            r.columns = c.fields.len;
        }
    }
    int rc = read_rows(&c, &r, path, err);
    if (!rc) {
        size_t count = r.count * r.columns;
        m->rows = r.count;
        m->columns = r.columns;
        m->dim[0] = (int64_t)r.columns;
        m->numbers = arena_array(a, count, sizeof(float));
        memcpy(m->numbers, r.numbers.p, count * sizeof(float));
        if (r.any_word) {
            m->words = arena_array(a, count, sizeof(struct str));
            memcpy(m->words, r.words.p, count * sizeof(struct str));
        }
    }
    vec_done(&r.numbers);
    vec_done(&r.words);
    csv_done(&c);
    return rc;
}
