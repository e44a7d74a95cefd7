/* share.h - which part of the machine this worker may use now */
#ifndef THRONG_WORKER_SHARE_H
#define THRONG_WORKER_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include "sys/sys.h"
#include "terms/room.h"

struct attempt;
struct worker;

struct share {
    struct claims *claims;    /* NULL: everything is ours */
    const char *study;        /* the folder of the study that we run for */
    int gpus[ROOM_GPUS_MAX];  /* locks of those that we have; -1: none */
    int64_t next_ns;          /* when to look again */
    bool waits;               /* since the last look, for a GPU of others */
    bool others_wait;         /* another study of this user does */
    size_t gpu_users;         /* studies that have a GPU or wait, ours too */
    int64_t turn_ns;          /* when ours began; 0: with the next GPU */
    int64_t yield_ns;         /* until then a GPU is left to who waits */
    bool left[ROOM_GPUS_MAX]; /* which ones those are */
    bool others_have[ROOM_GPUS_MAX]; /* other studies of this user */
};

void share_init(struct share *s);
void share_open(struct worker *w); /* after its room is known */
void share_done(struct share *s);
/* Looks who else is there, and lends them their part of the room. */
void share_look(struct worker *w);
void share_look_if_due(struct worker *w);
/* As room_take for the attempt, which asks for this, with GPUs that no other
 * worker of the machine has. */
bool share_take(struct worker *w, struct attempt *a, const struct needs *n);
/* Takes a GPU for its trainer, for as long as that has members. False: programs
 * of another worker of the machine have it. */
bool share_hold_gpu(struct worker *w, size_t gpu);
/* After something was given back to the room: its GPUs are anybody's. */
void share_let_go(struct worker *w);

#endif
