/* method.c - what a method of search is, for whoever reads or explains one */
#include "terms/method.h"

const struct method *method_find(const struct method *const *list,
                                 struct str name)
{
    for (; list && *list; list++)
        if (str_is(name, (*list)->name))
            return *list;
    return NULL;
}

const struct method *method_of_list(const struct method *const *list)
{
    for (; list && *list; list++)
        if ((*list)->listing == LIST_IS)
            return *list;
    return NULL;
}
