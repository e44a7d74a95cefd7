/* share.c - which part of the machine this worker may use now
 *
 * cpus: every worker of this user on the same cpus gets an equal part, at
 * least one; what is left over goes to the oldest. It is looked at every
 * second: whoever has more than its part starts nothing until enough has
 * ended. A study that says `parallel` has said what it wants, and has it.
 *
 * GPUs: one belongs to one worker at a time, as long as a task of it is on it;
 * or to several that train on it, as long as they have members there.
 * Who has more than its part while another of this user waits lets go of one
 * when its turn is over, and leaves it alone long enough for the other to see
 * that it is free: where several of this user train, until the last of them has
 * let go. Those of other users do not hear who waits.
 *
 * Without a folder to meet in everybody has everything, as with nobody else
 * there. */
#include "worker/share.h"

#include <errno.h>
#include <unistd.h>
#include "worker/crew.h"
#include "worker/worker.h"

#define LOOK_NS 1000000000ll
#define YIELD_NS (2 * LOOK_NS)
/* Handing over takes a look: not for every short task. */
#define TURN_NS (10 * LOOK_NS)

void share_init(struct share *s)
{
    *s = (struct share){0};
    for (size_t i = 0; i < ROOM_GPUS_MAX; i++)
        s->gpus[i] = -1;
}

void share_open(struct worker *w)
{
    struct err err = {0};
    struct arena *a = w->environment.arena;
    w->share.study = path_folder(a, path_folder(a, w->last_words));
    w->share.claims = claims_open(&err);
    if (!w->share.claims)
        log_to(w->log, LOG_WARN,
               "the machine is not shared with other "
               "studies: %s",
               err.text);
    share_look(w);
}

void share_done(struct share *s)
{
    for (size_t i = 0; i < ROOM_GPUS_MAX; i++)
        if (s->gpus[i] >= 0)
            close(s->gpus[i]);
    claims_close(s->claims);
    share_init(s);
}

/* ---- cpus -------------------------------------------------------------- */

/* How many of the cpus the worker has that `before` others of `count` in all
 * came before. */
static uint32_t part_of(uint32_t cpus, uint32_t count, uint32_t before)
{
    uint32_t part = cpus / count + (before < cpus % count);
    return part > 0 ? part : 1;
}

static void say(struct worker *w, uint32_t cpus, uint32_t part)
{
    struct buf gpus, ids;
    buf_init(&gpus);
    buf_init(&ids);
    for (size_t i = 0; i < w->room.gpu_count; i++) {
        if (w->share.gpus[i] < 0)
            continue;
        buf_addf(&gpus, "%s%u", gpus.len ? ", " : "", w->room.gpus[i].number);
        buf_addf(&ids, "%s%.*s", ids.len ? "," : "", STRF(w->room.gpus[i].id));
    }
    struct claim own = {.study = w->share.study,
                        .gpus = gpus.p,
                        .gpu_ids = ids.p,
                        .cpus = part,
                        .of = cpus,
                        .parallel = w->room.parallel,
                        .waits = w->share.waits};
    claims_say(w->share.claims, &own);
    buf_done(&gpus);
    buf_done(&ids);
}

static size_t gpus_held(const struct worker *w)
{
    size_t held = 0;
    for (size_t i = 0; i < w->room.gpu_count; i++)
        held += w->share.gpus[i] >= 0;
    return held;
}

/* By their ids: whoever sees others of the machine's GPUs counts them in
 * another way. */
static void note_gpus(struct worker *w, struct str ids)
{
    struct str one;
    while (str_split(&ids, ',', &one))
        for (size_t i = 0; i < w->room.gpu_count; i++)
            w->share.others_have[i] |= str_eq(one, w->room.gpus[i].id);
}

static void look_for_gpus(struct worker *w)
{
    struct share *s = &w->share;
    struct arena *a = arena_new();
    size_t count;
    const struct claim *list = claims_list(a, &count);
    s->others_wait = false;
    s->gpu_users = 0;
    memset(s->others_have, 0, sizeof s->others_have);
    for (size_t i = 0; i < count; i++) {
        s->gpu_users += list[i].waits || *list[i].gpus;
        if (strcmp(list[i].study, s->study) == 0)
            continue;
        s->others_wait |= list[i].waits;
        note_gpus(w, str_of(list[i].gpu_ids));
    }
    s->waits = false;
    arena_free(a);
}

/* Who trains where somebody else was has the GPU when that one has left. */
static void hold_trained(struct worker *w)
{
    for (size_t i = 0; i < w->room.gpu_count; i++)
        if (w->gpus.list[i].members)
            share_hold_gpu(w, i);
}

/* Who waits can have it from nobody as long as they do. */
static bool others_train_on(const struct worker *w, size_t gpu)
{
    const struct claims *c = w->share.claims;
    int lock = claims_gpu(c, w->room.gpus[gpu].id, false);
    bool free = lock >= 0;
    if (!free)
        lock = claims_gpu(c, w->room.gpus[gpu].id, true);
    if (lock >= 0)
        close(lock);
    errno = 0; /* theirs is no shortage of ours */
    return !free && lock >= 0;
}

/* Else those who train there would let go in turn, and never all at once. */
static void yield_on(struct worker *w)
{
    struct share *s = &w->share;
    int64_t now = clock_mono_ns();
    if (!s->others_wait || now >= s->yield_ns)
        return;
    for (size_t i = 0; i < w->room.gpu_count; i++)
        if (s->left[i] && s->others_have[i] && others_train_on(w, i))
            s->yield_ns = now + YIELD_NS;
}

void share_look(struct worker *w)
{
    uint32_t cpus = (uint32_t)w->room.cpus, count, before;
    if (!w->share.claims)
        return;
    hold_trained(w);
    claims_count(w->share.claims, &count, &before);
    uint32_t part = cpus ? part_of(cpus, count, before) : 0;
    if (w->room.parallel)
        part = cpus;
    w->room.lent_cpus = cpus - part;
    say(w, cpus, part);
    if (w->room.gpu_count) {
        look_for_gpus(w);
        yield_on(w);
    }
    w->share.next_ns = clock_mono_ns() + LOOK_NS;
    worker_wake(w, w->share.next_ns);
}

void share_look_if_due(struct worker *w)
{
    if (w->share.claims && clock_mono_ns() >= w->share.next_ns)
        share_look(w);
}

/* ---- GPUs -------------------------------------------------------------- */

/* Takes the locks of all that nobody has, so that the room can choose. */
static void try_gpus(struct worker *w)
{
    struct share *s = &w->share;
    for (size_t i = 0; i < w->room.gpu_count; i++) {
        struct room_gpu *gpu = &w->room.gpus[i];
        if (s->gpus[i] >= 0)
            continue;
        s->gpus[i] = claims_gpu(s->claims, gpu->id, false);
        gpu->elsewhere = s->gpus[i] < 0 && errno == EWOULDBLOCK;
    }
    errno = 0; /* theirs is no shortage of ours */
}

bool share_hold_gpu(struct worker *w, size_t gpu)
{
    struct share *s = &w->share;
    if (!s->claims || s->gpus[gpu] >= 0)
        return true;
    s->gpus[gpu] = claims_gpu(s->claims, w->room.gpus[gpu].id, true);
    bool elsewhere = s->gpus[gpu] < 0 && errno == EWOULDBLOCK;
    if (s->gpus[gpu] >= 0 && !s->turn_ns)
        s->turn_ns = clock_mono_ns();
    errno = 0; /* theirs is no shortage of ours */
    return !elsewhere;
}

static void close_unused(struct worker *w)
{
    struct share *s = &w->share;
    for (size_t i = 0; i < w->room.gpu_count; i++) {
        if (s->gpus[i] < 0 || w->room.gpus[i].free < 1 ||
            w->gpus.list[i].members)
            continue;
        close(s->gpus[i]);
        s->gpus[i] = -1;
    }
}

static bool turn_is_over(const struct share *s)
{
    return s->others_wait && s->turn_ns &&
           clock_mono_ns() >= s->turn_ns + TURN_NS;
}

/* It is another's turn. */
static bool must_yield(const struct worker *w)
{
    const struct share *s = &w->share;
    size_t users = s->gpu_users ? s->gpu_users : 1;
    if (s->others_wait && clock_mono_ns() < s->yield_ns)
        return true;
    return turn_is_over(s) && gpus_held(w) > w->room.gpu_count / users;
}

void share_let_go(struct worker *w)
{
    struct share *s = &w->share;
    size_t before = gpus_held(w);
    bool had[ROOM_GPUS_MAX];
    for (size_t i = 0; i < w->room.gpu_count; i++)
        had[i] = s->gpus[i] >= 0;
    close_unused(w);
    if (gpus_held(w) == before || !turn_is_over(s))
        return;
    for (size_t i = 0; i < w->room.gpu_count; i++)
        s->left[i] = had[i] && s->gpus[i] < 0;
    s->yield_ns = clock_mono_ns() + YIELD_NS;
    s->turn_ns = 0;
}

bool share_take(struct worker *w, struct attempt *a, const struct needs *n)
{
    struct share *s = &w->share;
    bool on_gpu = n->gpus > 0 || crew_wants_gpu(a);
    if (s->claims && on_gpu && must_yield(w))
        return false;
    if (n->gpus <= 0 || !s->claims)
        return room_take(&w->room, n, &a->grant);
    try_gpus(w);
    bool taken = room_take(&w->room, n, &a->grant);
    for (size_t i = 0; !taken && i < w->room.gpu_count; i++)
        s->waits |= w->room.gpus[i].elsewhere;
    if (taken && !s->turn_ns)
        s->turn_ns = clock_mono_ns();
    close_unused(w);
    return taken;
}
