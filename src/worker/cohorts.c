/* cohorts.c - the cohorts of a trainer: members whose models have equal keys
 *
 * A cohort has its memory from the moment it is made, so that none is made that
 * does not fit. */
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"
#include "worker/member.h"

#define TOGETHER_LEAST 64 /* members of a cohort that is trained together */

void cohort_free(struct cohort *c)
{
    nn_trainer_free(c->trainer);
    nn_model_free(c->like);
    arena_free(c->arena);
    free(c);
}

/* Cohorts without members hold memory that the next one may need. */
static void drop_empty(struct train *t)
{
    for (size_t i = t->cohorts.len; i-- > 0;)
        if (!t->cohorts.p[i]->members) {
            cohort_free(t->cohorts.p[i]);
            t->cohorts.p[i] = vec_last(&t->cohorts);
            t->cohorts.len--;
        }
}

/* Who has too little memory hears it before the first step. */
static int fail_memory(uint64_t needed, const char *who, uint64_t has,
                       struct err *err)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "this model needs ");
    num_print_bytes(&b, needed);
    buf_addf(&b, " of memory beside its data; %s ", who);
    num_print_bytes(&b, has);
    err_set(err, ERR_LIMIT, "%s", b.p);
    buf_done(&b);
    return -1;
}

int member_check_granted(const struct member *m, struct err *err)
{
    uint64_t granted = m->task.needs.memory_bytes;
    uint64_t needed =
        granted ? nn_trainer_bytes(m->device->name, m->model, 1) : 0;
    return needed <= granted
               ? 0
               : fail_memory(needed, "`resources` grants", granted, err);
}

/* What the device can give: the system itself would first give more than it
 * has, and then end whom it likes. */
static int check_free(const struct cohort *c, struct err *err)
{
    uint64_t has = nn_trainer_room(c->device->name);
    uint64_t needed = nn_trainer_bytes(c->device->name, c->like, c->capacity);
    return !has || needed <= has
               ? 0
               : fail_memory(needed, "this machine has left", has, err);
}

/* Where members are trained together their room is taken at once, so that it is
 * no more than those who are here, and as many again, could use; and half of it
 * as often as the device has not so much. */
static size_t capacity_of(const struct train *t, const struct member *m)
{
    size_t most = device_capacity(m->device, nn_model_member_numbers(m->model));
    size_t wanted = 2 * t->members.len < TOGETHER_LEAST ? TOGETHER_LEAST
                                                        : 2 * t->members.len;
    if (!nn_device_together(m->device->name))
        return most;
    uint64_t has = nn_trainer_room(m->device->name);
    most = most < wanted ? most : wanted;
    while (most > 1 &&
           nn_trainer_bytes(m->device->name, m->model, most) > has / 2)
        most /= 2;
    return most;
}

/* One that is on this device, too; NULL: there is none. */
static const struct nn_trainer *trainer_on(const struct train *t,
                                           const struct device *device)
{
    for (size_t i = 0; i < t->cohorts.len; i++)
        if (t->cohorts.p[i]->device == device)
            return t->cohorts.p[i]->trainer;
    return NULL;
}

/* The text is parsed again: the cohort may outlive its first member. */
static struct cohort *cohort_new(struct train *t, struct member *m,
                                 uint64_t key, struct err *err)
{
    drop_empty(t);
    struct cohort *c = xcalloc(1, sizeof *c);
    c->arena = arena_new();
    c->key = key;
    c->device = m->device;
    c->capacity = capacity_of(t, m);
    struct value *v = json_parse(c->arena, m->task.model, "model", true, err);
    c->like = v ? member_read_model(v, m, err) : NULL;
    if (c->like && check_free(c, err) == 0)
        c->trainer =
            nn_trainer_open_beside(trainer_on(t, c->device), c->device->name,
                                   c->like, c->capacity, err);
    if (!c->trainer) {
        cohort_free(c);
        return NULL;
    }
    vec_push(&t->cohorts, c);
    return c;
}

struct cohort *cohort_of(struct train *t, struct member *m, struct err *err)
{
    uint64_t key = nn_model_key(m->model);
    for (size_t i = 0; i < t->cohorts.len; i++) {
        struct cohort *c = t->cohorts.p[i];
        if (c->key == key && c->members < c->capacity && c->device == m->device)
            return c;
    }
    return cohort_new(t, m, key, err);
}

void cohort_give_up(struct train *t, struct member *m)
{
    m->cohort = NULL;
    drop_empty(t);
}

void cohort_leave(struct member *m)
{
    if (!m->cohort || m->place < 0)
        return;
    nn_trainer_leave(m->cohort->trainer, m->place);
    m->cohort->members--;
}
