/* crowded.c - members that do not fit beside the others of their trainer */
#include "worker/member.h"

bool member_is_crowded(const struct train *t, const struct member *m,
                       const struct err *err)
{
    size_t others = 0;
    for (size_t i = 0; i < t->cohorts.len; i++)
        others += t->cohorts.p[i]->members;
    return err->kind == ERR_LIMIT && m->device && !m->cohort && others &&
           nn_device_together(m->device->name);
}

void member_wait_for_room(struct train *t, struct member *m)
{
    sources_leave(&t->sources, m->source);
    nn_model_free(m->model);
    m->source = NULL;
    m->model = NULL;
    m->begun = false;
    m->crowded = true;
    m->crowded_at = t->left;
}
