#include "files.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "base/json.h"
#include "sys/sys.h"

void files_open(struct files *f)
{
    *f = (struct files){.arena = arena_new()};
    snprintf(f->folder, sizeof f->folder, "/tmp/throng-data-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
}

void files_close(struct files *f)
{
    dir_remove(f->folder, NULL);
    arena_free(f->arena);
}

const char *files_path(struct files *f, const char *name)
{
    return path_join(f->arena, f->folder, name);
}

void files_write(struct files *f, const char *name, struct str bytes)
{
    assert_int_equal(file_write(files_path(f, name), bytes, false, NULL), 0);
}

void files_text(struct files *f, const char *name, const char *text)
{
    files_write(f, name, str_of(text));
}

void files_gzip(struct files *f, const char *name, struct str bytes)
{
    gzFile z = gzopen(files_path(f, name), "wb");
    assert_non_null(z);
    assert_int_equal(gzwrite(z, bytes.p, (unsigned)bytes.len), bytes.len);
    assert_int_equal(gzclose(z), Z_OK);
}

struct value *files_spec(struct files *f, const char *json)
{
    struct value *v = json_parse(f->arena, str_of(json), "spec", true, &f->err);
    if (!v)
        fail_msg("%s", f->err.text);
    return v;
}

struct data_set *files_set(struct files *f, const char *json)
{
    struct data_set *s =
        data_open(files_spec(f, json), f->folder, NULL, &f->err);
    if (!s)
        fail_msg("%s", f->err.text);
    return s;
}

void files_refuses(struct files *f, const char *json, const char *text)
{
    struct value *spec = files_spec(f, json);
    struct data_set *s = data_open(spec, f->folder, NULL, &f->err);
    struct data_choice choice = {1, 0};
    struct data_view v;
    if (s && data_view_make(&v, s, spec, &choice, f->arena, &f->err) == 0)
        fail_msg("%s was taken", json);
    data_close(s);
    if (!strstr(f->err.text, text))
        fail_msg("\"%s\" does not say \"%s\"", f->err.text, text);
}

struct data_view files_view(struct files *f, struct data_set *s,
                            const char *json, uint64_t seed)
{
    struct data_view v;
    struct data_choice choice = {seed, 0};
    if (data_view_make(&v, s, files_spec(f, json), &choice, f->arena, &f->err))
        fail_msg("%s", f->err.text);
    return v;
}

static void add_means(const struct data_view *v, double *mean, size_t columns,
                      size_t classes)
{
    const struct data_field *x = v->table->inputs, *y = v->table->labels;
    double *count = calloc(classes, sizeof(*count));
    for (size_t i = 0; i < v->train.count; i++) {
        size_t row = v->train.rows[i], c = (size_t)y->categories[row];
        count[c]++;
        for (size_t k = 0; k < columns; k++)
            mean[c * columns + k] += (double)x->numbers[row * columns + k];
    }
    for (size_t i = 0; i < classes * columns; i++)
        mean[i] = count[i / columns] > 0 ? mean[i] / count[i / columns] : 1e30;
    free(count);
}

static size_t nearest(const float *x, const double *mean, const float *scale,
                      size_t columns, size_t classes)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t c = 0; c < classes; c++) {
        double sum = 0;
        for (size_t k = 0; k < columns; k++) {
            double d = (double)x[k] - mean[c * columns + k];
            if (scale)
                d *= (double)scale[k];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    return best;
}

double nearest_centroid(const struct data_view *v, const struct data_part *p)
{
    const struct data_field *x = v->table->inputs, *y = v->table->labels;
    size_t columns = (size_t)x->columns, classes = (size_t)y->classes;
    double *mean = calloc(classes * columns, sizeof(*mean)), hits = 0;
    add_means(v, mean, columns, classes);
    for (size_t i = 0; i < p->count; i++)
        hits += nearest(x->numbers + (size_t)p->rows[i] * columns, mean,
                        v->scale ? v->scale[0] : NULL, columns,
                        classes) == (size_t)y->categories[p->rows[i]];
    free(mean);
    return hits / (double)p->count;
}
