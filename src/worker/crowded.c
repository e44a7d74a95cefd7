/* crowded.c - members that do not fit beside the others of their trainer, or
 * beside what other processes have taken of their device */
#include "sys/sys.h"
#include "worker/member.h"

#define AGAIN_NS 2000000000ll /* between looks whether others have gone */

static size_t others_here(const struct train *t)
{
    size_t others = 0;
    for (size_t i = 0; i < t->cohorts.len; i++)
        others += t->cohorts.p[i]->members;
    return others;
}

/* Nobody is here, and more than a quarter of the memory is not there: others
 * have it. What needs more than three quarters by itself is not kept waiting
 * for who may never be there. */
static bool is_taken(const struct member *m)
{
    const char *device = m->device->name;
    uint64_t all = nn_trainer_room_in_all(device), most = all / 4 * 3;
    return m->model && all && nn_trainer_room(device) < most &&
           nn_trainer_bytes(device, m->model, 1) <= most &&
           member_check_granted(m, NULL) == 0;
}

bool member_is_crowded(const struct train *t, const struct member *m,
                       const struct err *err)
{
    return err->kind == ERR_LIMIT && m->device && !m->cohort &&
           nn_device_together(m->device->name) &&
           (others_here(t) || is_taken(m));
}

void member_wait_for_room(struct train *t, struct member *m)
{
    m->again_ns = 0;
    if (!others_here(t)) {
        m->again_ns = clock_mono_ns() + AGAIN_NS;
        member_say_once(t, m,
                        "other programs have taken the memory of the GPU: "
                        "what does not fit waits until they leave some");
    }
    sources_leave(&t->sources, m->source);
    nn_model_free(m->model);
    m->source = NULL;
    m->model = NULL;
    m->begun = false;
    m->crowded = true;
    m->crowded_at = t->left;
}

bool member_has_room(const struct train *t, const struct member *m)
{
    return !m->crowded || m->crowded_at != t->left ||
           (m->again_ns && clock_mono_ns() >= m->again_ns);
}
