/* kind.c - the kinds of tasks that this worker can run */
#include "worker/kind.h"

#define KIND_AT(name, ...) &kind_##name,
static const struct kind *const kinds[KIND_COUNT] = {KINDS(KIND_AT)};

static int refuse(struct attempt *a, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "this throng-worker (version %s) cannot run tasks of the "
                   "kind `%.*s`",
                   THRONG_VERSION, STRF(a->task.kind));
}

static const struct kind unknown = {.name = "unknown", .start = refuse};

const struct kind *kind_find(struct str name)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (str_is(name, kinds[i]->name))
            return kinds[i];
    return &unknown;
}
