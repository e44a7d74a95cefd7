/* folder.h - the folder of one trial
 *
 * log, params.json, metrics.jsonl, stop, output/ and checkpoint/ live in it.
 * Whatever nobody wrote into is removed at the end. */
#ifndef THRONG_WORKER_FOLDER_H
#define THRONG_WORKER_FOLDER_H

#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "terms/task.h"
#include "worker/pool.h"

struct folder {
    const char *path; /* lives in the attempt's arena */
    const char *root; /* never made, nor what is above it; NULL: none */
    int fd;
    int log;            /* standard output and error, appended */
    uint64_t log_start; /* bytes that earlier attempts left in it */
    bool fresh;         /* nothing was there before */
    bool pooled;        /* it came from the pool */
    bool visited;       /* the task runs in it */
    bool goes_on;       /* there is a checkpoint to go on from */
    uint32_t anew;      /* the newest attempt, up to this one, that found none;
                           0: the first */
    uint64_t anew_at;   /* where the output of that one begins in the log */
    struct made made, output, checkpoint; /* it and those in it, at first */
};

void folder_init(struct folder *f, const char *root);
/* Makes the folder (or takes one from the pool) and what belongs into it, with
 * the checkpoint to resume from and the files of the task. */
int folder_open(struct folder *f, const struct task *t, struct pool *pool,
                struct arena *a, struct err *err);
/* True when the study has not heard that an attempt before this one began
 * anew: where it stands, and how far its files were read, is of an older one.
 */
static inline bool folder_is_unheard(const struct folder *f,
                                     const struct task *t)
{
    return f->anew > t->anew;
}
/* Ends the last line of a file in it, if somebody died while writing that:
 * what the next attempt appends must not run into it. */
void folder_end_line(const struct folder *f, const char *name);
/* Makes the file that tells the program to finish. */
void folder_ask_stop(const struct folder *f);
/* Takes that back. */
void folder_ask_no_more(const struct folder *f);
/* Copies the task's outputs into output/. Files that cannot be copied are
 * named in err; the others are. */
int folder_keep_outputs(const struct folder *f, const struct task *t,
                        struct arena *a, struct err *err);
/* True when something is in checkpoint/. */
bool folder_has_checkpoint(const struct folder *f);
/* Brings checkpoint/ to the disk. */
void folder_sync_checkpoint(const struct folder *f, struct arena *a);
/* Digest of checkpoint/, 0 when it is empty. */
uint64_t folder_checkpoint_digest(const struct folder *f, struct arena *a);
/* Removes what is empty or can be made again, and closes. The metrics file
 * goes when metrics_read says that all of it has been sent, but stays beside a
 * checkpoint: an attempt that goes on from there does not say again what may
 * not have arrived. Where nothing was
 * written the folder goes to the pool (NULL: none). */
void folder_close(struct folder *f, bool metrics_read, struct pool *pool,
                  uint64_t serial);

#endif
