/* formats.c - which format a file has, by how it begins */
#include "data/matrix.h"

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

/* Files that are no tables here, by the bytes that mark them. */
static const struct {
    const char *name, *mark;
    size_t length, at;
    const char *way;
} others[] = {
    {"an HDF5 file", "\x89HDF\r\n\x1a\n", 8, 0,
     "write it as CSV: pandas.read_hdf(FILE).to_csv(\"data.csv\", "
     "index=False)"},
    {"a parquet file", "PAR1", 4, 0,
     "write it as CSV: pandas.read_parquet(FILE).to_csv(\"data.csv\", "
     "index=False)"},
    {"a feather file", "ARROW1", 6, 0,
     "write it as CSV: pandas.read_feather(FILE).to_csv(\"data.csv\", "
     "index=False)"},
    {"a tar archive", "ustar", 5, 257,
     "unpack it (tar xf FILE) and name the table that is in it"},
};

static int fail_other(struct str bytes, const char *path, struct err *err)
{
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (bytes.len >= others[i].at + others[i].length &&
            memcmp(bytes.p + others[i].at, others[i].mark, others[i].length) ==
                0)
            return err_set(err, ERR_INPUT,
                           "%s is %s, which is not read here; %s", path,
                           others[i].name, others[i].way);
    return 0;
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
        if (data_read_zip(bytes, path, member, a, &array, err))
            return -1;
        if (!data_is_npy(array))
            return err_set(err, ERR_INPUT,
                           "%s: %.*s is no npy array, as an npz file has "
                           "them",
                           path, STRF(member));
        return data_read_npy(array, path, a, m, err);
    }
    if (fail_other(bytes, path, err))
        return -1;
    if (f->cut)
        return fail_cut(f, path, err);
    return data_read_csv(bytes, path, style, a, m, err);
}
