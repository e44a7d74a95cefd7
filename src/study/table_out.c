/* table_out.c - a table that is written, as CSV or as an array of NumPy */
#include "study/table_out.h"

#include <stdlib.h>

#include "data/data.h"
#include "sys/sys.h"

struct table_out {
    struct file_out *text; /* one of the two */
    struct data_npy_table *array;
};

struct table_out *table_begin(const char *path, bool npy, struct err *err)
{
    struct table_out *t = xcalloc(1, sizeof(*t));
    if (npy)
        t->array = data_npy_table_begin(path, err);
    else
        t->text = file_begin(path, err);
    if (t->array || t->text)
        return t;
    free(t);
    return NULL;
}

int table_add(struct table_out *t, struct str text, struct err *err)
{
    return t->array ? data_npy_table_add(t->array, text, err)
                    : file_add(t->text, text, err);
}

int table_end(struct table_out *t, struct err *err)
{
    struct table_out own = *t;
    free(t);
    return own.array ? data_npy_table_end(own.array, err)
                     : file_end(own.text, true, err);
}

void table_drop(struct table_out *t)
{
    if (!t)
        return;
    if (t->array)
        data_npy_table_drop(t->array);
    else
        file_drop(t->text);
    free(t);
}
