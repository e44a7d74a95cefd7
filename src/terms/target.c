/* target.c - what metrics of a model on another data set are called by */
#include "terms/target.h"

struct str target_name(struct str path)
{
    for (size_t i = path.len; i-- > 0;)
        if (path.p[i] == '/') {
            path = str_n(path.p + i + 1, path.len - i - 1);
            break;
        }
    /* A name that begins with a dot has its ending behind the next one. */
    long dot =
        path.len > 1 ? str_find(str_n(path.p + 1, path.len - 1), '.') : -1;
    return dot < 0 ? path : str_n(path.p, (size_t)dot + 1);
}
