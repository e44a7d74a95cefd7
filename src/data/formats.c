/* formats.c - which format a file has, by how it begins */
#include <stdlib.h>

#include "data/matrix.h"
#include "sys/sys.h"

/* A gzip file that ends early still says how far it goes. */
static int fail_cut(const struct file_bytes *f, const char *path,
                    struct err *err)
{
    size_t row = 1;
    for (size_t i = 0; i < f->text.len; i++)
        row += f->text.p[i] == '\n';
    return err_set(err, ERR_INPUT,
                   "%s:%zu: the gzip file is cut off in this row, after %zu "
                   "bytes of data; fetch it again",
                   path, row, f->text.len);
}

static int read_binary(const struct file_bytes *f, const char *path,
                       struct arena *a, struct matrix *m, struct err *err)
{
    int rc = data_is_npy(f->text) ? data_read_npy(f->text, path, a, m, err)
                                  : data_read_idx(f->text, path, a, m, err);
    if (!rc && f->cut)
        return err_set(err, ERR_INPUT,
                       "%s: the gzip file is cut off behind row %zu, its "
                       "last; fetch it again",
                       path, m->rows);
    return rc && f->cut ? err_wrap(err, "a gzip file that ends too early") : rc;
}

int data_matrix(const struct file_bytes *f, const char *path, struct str member,
                const struct table_style *style, struct arena *a,
                struct matrix *m, struct err *err)
{
    struct str bytes = f->text;
    if (!style->lines && (data_is_npy(bytes) || data_is_idx(bytes)))
        return read_binary(f, path, a, m, err);
    if (data_is_zip(bytes)) {
        struct str array;
        if (data_refuse_workbook(bytes, path, err) ||
            data_read_zip(bytes, path, member, a, &array, err))
            return -1;
        if (!data_is_npy(array))
            return err_set(err, ERR_INPUT,
                           "%s: %.*s is no npy array, as an npz file has "
                           "them",
                           path, STRF(member));
        return data_read_npy(array, path, a, m, err);
    }
    if (!style->lines && data_refuse_foreign(bytes, path, err))
        return -1;
    if (f->cut)
        return fail_cut(f, path, err);
    return data_read_csv(bytes, path, style, a, m, err);
}

bool data_is_array_file(const char *path)
{
    const char *colon = strrchr(path, ':');
    struct err why;
    struct file_bytes f;
    char *file = xstrdup(path);
    if (colon && !file_exists(path))
        file[colon - path] = 0;
    bool is = file_bytes_open(&f, file, &why) == 0;
    if (is) {
        is = data_is_npy(f.text) || data_is_idx(f.text) || data_is_zip(f.text);
        file_bytes_close(&f);
    }
    free(file);
    return is;
}
