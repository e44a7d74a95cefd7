/* gpu_watch.h - who looks at the GPUs of a job
 *
 * On place local the conductor does, by NVML, which this static program cannot
 * load. In a job there is no conductor: nvidia-smi, where it is on PATH, is run
 * as a child that prints a line a GPU and second, as long as the worker is
 * there. Nothing waits for it: while it says nothing nobody knows, and tasks go
 * on. */
#ifndef THRONG_WORKER_GPU_WATCH_H
#define THRONG_WORKER_GPU_WATCH_H

#include "base/buf.h"
#include "sys/sys.h"
#include "terms/gpu_reading.h"
#include "terms/room.h"

struct worker;

struct watched_gpu {
    bool seen;       /* in this round of lines */
    int64_t line_ns; /* when its last one came; 0: none yet */
    double joules;   /* power by time since the first */
    struct gpu_reading reading;
};
struct gpu_watch {
    struct process_id process; /* pid 0: it does not run */
    int fd;                    /* from it; -1: closed */
    struct loop_source *source;
    struct buf text; /* of it, not read yet: the beginning of a line */
    struct watched_gpu gpus[ROOM_GPUS_MAX];
};

void gpu_watch_init(struct gpu_watch *g);
/* Starts it where a task waits that needs a GPU of the room. */
void gpu_watch_open(struct worker *w);
/* True when the process is, or was, the child; it has ended. */
bool gpu_watch_reaped(struct worker *w, pid_t pid);
void gpu_watch_done(struct gpu_watch *g);

#endif
