/* kind.c - the kinds of tasks that this worker can run */
#include "worker/kind.h"

#include "worker/crew.h"

const struct kind kind_train = {.name = "train", .take = crew_take};
const struct kind kind_infer = {.name = "infer", .take = crew_take};

static const struct kind *const kinds[] = {&kind_command, &kind_train,
                                           &kind_infer};

const struct kind *kind_find(struct str name, struct err *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_is(name, kinds[i]->name))
            return kinds[i];
    err_set(err, ERR_INPUT,
            "this throng-worker (version %s) cannot run tasks of the kind "
            "`%.*s`",
            THRONG_VERSION, STRF(name));
    return NULL;
}
