/* kind.c - the kinds of tasks */
#include "terms/kind.h"

#include "base/err.h"

#define KIND_FACTS(name, runs, about) [KIND_ROW_##name] = {#name, runs, about},
const struct task_kind task_kinds[KIND_COUNT] = {KINDS(KIND_FACTS)};

const struct task_kind *task_kind_find(struct str name)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (str_is(name, task_kinds[i].name))
            return &task_kinds[i];
    return NULL;
}

const struct task_kind *task_kind_that(enum kind_runs runs)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (task_kinds[i].runs == runs)
            return &task_kinds[i];
    require(!"a kind for each of what a study has");
    return NULL;
}
