/* here.c - this machine, as the room of a place */
#include "engine/here.h"

#include <stdlib.h>
#include "terms/gpu_reading.h"

static const struct gpu *copy_gpus(struct arena *a, const struct machine *m)
{
    struct gpu *gpus = arena_array(a, m->gpu_count, sizeof(*gpus));
    if (m->gpu_count)
        memcpy(gpus, m->gpus, m->gpu_count * sizeof(*gpus));
    return gpus;
}

void here_open(struct here *h, const struct engine_setup *setup)
{
    *h = (struct here){
        .arena = arena_new(), .machine = *setup->machine, .given = setup};
    h->machine.gpus = copy_gpus(h->arena, setup->machine);
    machine_room(&h->machine, setup->parallel, h->arena, &h->room);
}

void here_close(struct here *h)
{
    gpu_scout_close(h->scout);
    arena_free(h->arena);
}

int here_check(const void *place, const struct needs *n, struct err *err)
{
    const struct here *h = place;
    return room_check(&h->room, n, err);
}

/* As it is now. */
static struct room room_of(const struct here *h)
{
    struct room r = h->room;
    r.parallel = h->given->parallel;
    return r;
}

uint32_t here_slots(const void *place, const struct needs *n)
{
    struct room room = room_of(place);
    return room_slots(&room, n);
}

int64_t here_want(const void *place, const struct needs *n,
                  const struct load *held)
{
    struct room room = room_of(place);
    return load_free(held, &room, n);
}

size_t here_gpus(const void *place)
{
    const struct here *h = place;
    return h->machine.gpu_count;
}

static uint64_t look(struct here *h, size_t gpu, struct gpu_use *use)
{
    if (!h->scout)
        h->scout = gpu_scout_open(&h->machine, getenv("THRONG_GPUS_USE"));
    return gpu_scout_look(h->scout, gpu, use);
}

void here_look(void *place, size_t gpu, struct gpu_use *use)
{
    look(place, gpu, use);
}

bool here_readings(struct here *h, struct buf *payload)
{
    uint64_t told = h->told;
    for (size_t i = 0; i < h->room.gpu_count; i++) {
        struct gpu_use use;
        h->told = look(h, i, &use);
        struct gpu_reading r = {.busy = use.busy,
                                .joules = use.joules,
                                .known = use.known,
                                .used_bytes = use.used_bytes};
        gpu_reading_print(payload, &r);
    }
    return h->told > told;
}
