/* record.h - what a worker says back, and what it is told
 *
 * One framing for both directions, the same on a pipe, in a file and over
 * MPI, little-endian:
 *
 *   u32 length of everything behind this field
 *   u32 checksum: hash32 of everything behind this field
 *   u8  version (see RECORD_VERSION)   u8 type   u16 zero
 *   u32 attempt   u64 task id (a trial number, for the conductor)
 *   u32 sequence: of this attempt's records, from 1 (version 1 has none)
 *   payload
 *
 * Who has taken in a record of an attempt refuses it, and all before it, the
 * next time: so a file may be read twice. 0 is said by nobody's worker. A torn
 * or damaged record is told apart from a short read. */
#ifndef THRONG_TERMS_RECORD_H
#define THRONG_TERMS_RECORD_H

#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "terms/state.h"
#include "terms/use.h"

/* The newest. A record is of the first that has its type, so that a program
 * which does not know that says so and no more: version 3 has RECORD_FILE, 4
 * RECORD_PARALLEL, 5 RECORD_GPUS, 6 RECORD_USE. */
#define RECORD_VERSION 6
#define RECORD_MAX (16u << 20) /* bytes of one record */
#define RECORD_PAYLOAD_MAX (RECORD_MAX - 28)
/* Of a study: the folder of records that no conductor has taken, and what the
 * folders of workers' tools there begin with. */
#define LAST_WORDS "last-words"
#define TOOLS_PREFIX "tools-"
/* Part of the reason of an attempt whose trial was to go on from another's
 * checkpoint: who explains failures looks for it. */
#define NO_CHECKPOINT "no checkpoint to go on from"

enum record_type {
    /* worker to conductor */
    RECORD_HELLO = 1,    /* struct record_hello */
    RECORD_STARTING = 2, /* sent before the task is spawned; no payload */
    RECORD_STARTED = 3,  /* struct record_started */
    RECORD_METRICS = 4,  /* a metric batch (terms/metric.h) */
    RECORD_ENDED = 5,    /* struct record_ended */
    RECORD_NOTICE = 6,   /* text for the person about this attempt */
    RECORD_PONG = 7,     /* the answer to PING; no payload */
    RECORD_POINTS = 8,   /* struct record_points: a metric batch that was read
                            out of the attempt's files */
    RECORD_ABOUT = 9,    /* what a task says of itself: a line of its metrics
                            file, {"throng":{"tags":…,"note":…,"values":…}} */
    RECORD_ANEW = 10,    /* it found no checkpoint and begins anew; payload u32:
                            0, or an attempt before it that did so. Comes before
                            any points; not said of a first attempt */
    RECORD_FILE = 11,    /* struct record_file: a file of the trial's folder
                            that was not written (task.say_bytes) */
    RECORD_USE = 12,     /* struct record_use: of an attempt that runs */
    /* conductor to worker */
    RECORD_TASK = 32, /* a task (terms/task.h) */
    RECORD_STOP = 33, /* finish early: stop file, then signals; no payload */
    RECORD_KILL = 34, /* end now: SIGTERM, grace, SIGKILL; payload: u8
                         outcome that it shall count as */
    RECORD_ACK = 35,  /* payload u64: count of worker records that are
                         committed, HELLO included */
    RECORD_QUIT = 36, /* end everything and exit */
    RECORD_PING = 37, /* are you there? no payload */
    RECORD_GO = 38,   /* a report that waits for a decision (task.awaits) has
                         it: go on; payload u64: the next step whose report
                         waits for one; 0: none does */
    RECORD_PARALLEL = 39, /* payload u32: tasks at once from now on; 0: as many
                             as fit */
    RECORD_GPUS = 40,     /* what a look at the GPUs has found: a
                             gpu_reading_print for each of the room */
};

struct record {
    enum record_type type;
    uint32_t attempt;
    uint64_t task;
    uint32_t sequence;
    struct str payload; /* points into the reader's buffer */
};
/* Something that a worker says of a task. */
static inline bool record_is_of_task(const struct record *r)
{
    return r->type >= RECORD_STARTING && r->type <= RECORD_USE &&
           r->type != RECORD_PONG;
}
/* The payload holds at most RECORD_PAYLOAD_MAX bytes. */
void record_print(struct buf *b, const struct record *r);
/* 1: *r is filled and *used bytes belong to it; 0: more bytes are needed;
 * -1: damaged (err says how). */
int record_parse(struct str bytes, struct record *r, size_t *used,
                 struct err *err);

struct record_hello {
    uint64_t pid;
    struct str host;
    struct str version; /* of throng-worker */
};
struct record_started {
    uint64_t pid;
    uint64_t pid_start; /* struct process_id */
    double wall;        /* unix time */
    struct str boot_id;
    struct str host; /* empty: said by an earlier version */
};
struct record_points {
    uint64_t metrics_at; /* bytes of the metrics file and of the log up to */
    uint64_t log_at;     /* which points are in this record or earlier ones */
    bool earlier;        /* they are the attempt's before this one */
    struct str batch;    /* terms/metric.h */
};
struct record_file {
    struct str name; /* in the folder */
    struct str text;
};
/* Until now. What its end says takes its place. */
struct record_use {
    double seconds, cpu_seconds;
    struct use use;
};
struct record_ended {
    enum outcome outcome;
    int32_t exit_code;  /* -1: ended by a signal or never ran */
    int32_t signum;     /* 0: none */
    double wall;        /* unix time of the end */
    double seconds;     /* how long it ran */
    double cpu_seconds; /* of the whole tree, as far as seen */
    uint64_t max_rss_bytes;
    uint64_t output_bytes;      /* of what was captured */
    uint64_t checkpoint_digest; /* dir_digest of THRONG_CHECKPOINT; 0: empty */
    uint64_t metric_points;     /* sent for this attempt in all */
    struct str reason;          /* for people; empty when it ended well */
    struct str tail;            /* last lines of its output when it did not */
    uint32_t company;  /* attempts that were lost together with their trainer,
                          this one included; 0: no trainer was lost */
    struct str faults; /* of the person's model file, which the reason says in
                          words: a record_fault each */
    struct use use;
};
/* One fault, and the key that it is at ("layers[3].filters"; may be empty). */
struct record_fault {
    struct str at, text;
};
void record_fault_print(struct buf *faults, const struct record_fault *f);
/* Takes the next off the list; false: there is none, or it is damaged. */
bool record_fault_next(struct str *faults, struct record_fault *f);
void record_hello_print(struct buf *b, const struct record_hello *h);
int record_hello_parse(struct str payload, struct record_hello *h,
                       struct err *err);
void record_started_print(struct buf *b, const struct record_started *s);
int record_started_parse(struct str payload, struct record_started *s,
                         struct err *err);
void record_points_print(struct buf *b, const struct record_points *p);
int record_points_parse(struct str payload, struct record_points *p,
                        struct err *err);
/* Begins the payload; the file's text comes behind it. */
void record_file_print(struct buf *b, struct str name);
int record_file_parse(struct str payload, struct record_file *f,
                      struct err *err);
void record_use_print(struct buf *b, const struct record_use *u);
int record_use_parse(struct str payload, struct record_use *u, struct err *err);
void record_ended_print(struct buf *b, const struct record_ended *e);
int record_ended_parse(struct str payload, struct record_ended *e,
                       struct err *err);

#endif
