/* crew.h - the trainer processes of this worker
 *
 * Built-in training runs in long-lived processes, one for each cpu of the
 * room: this program, executed again. Tasks of the kinds `train` and `infer`
 * are handed to the one with the fewest members; it trains models of equal
 * shape together and says per task what a process of its own would have shown.
 * Both sides speak the records of terms/record.h.
 *
 * A trainer that dies takes its members with it: what it had said of them
 * counts, the other attempts end as lost, together with so many, so that they
 * are tried again: the conductor lets who may be the cause run with fewer and
 * fewer others. A trainer that does not end a member when it is told to (it
 * hangs in a read, or was stopped) is killed. One whose GPU is not there leaves
 * before it begins: its members go to other GPUs, or, where there is none and
 * nobody has named the device, to the trainers for cpus. */
#ifndef THRONG_WORKER_CREW_H
#define THRONG_WORKER_CREW_H

#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "worker/attempt.h"

struct worker;
struct trainer;

/* ---- of the kinds that run in trainers (kind.h) ---- */

/* Time that a trainer has to end a member: the next push kills it, and others
 * with it, however little grace there is. */
#define CREW_ANSWER_NS 2000000000ll

/* Hands the attempt to a trainer. Its folder is open only where there is a
 * checkpoint to begin with. */
int crew_start(struct attempt *a, struct err *err);
/* Tells the trainer to end it: at the next epoch, or now; PUSH_KILLED kills
 * the trainer, which did not. */
void crew_push(struct attempt *a, enum push how);
/* Tells the trainer the payload of a RECORD_GO. */
void crew_go(struct attempt *a, struct str payload);
bool crew_has_ended(const struct attempt *a);
void crew_look(struct attempt *a, int64_t now_ns);
/* The attempt is over, for whatever reason: its trainer forgets it. */
void crew_forget(struct attempt *a);

/* It is to be trained, or to answer, on one. */
bool crew_wants_gpu(const struct attempt *a);

/* ---- of all trainers ---- */

/* True when the child was a trainer; members that it has not said to have
 * ended are lost. */
bool crew_reaped(struct worker *w, pid_t pid, int status);
/* True when the child is a trainer. */
bool crew_has(const struct worker *w, pid_t pid);
void crew_done(struct worker *w);

/* The process (trainer.c): reads tasks from the socket until it closes. */
int train_main(int fd, const char *folder);
/* In its place: says why there is no GPU for it. */
void train_leave(int fd, const char *why);

#endif
