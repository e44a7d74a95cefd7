/* slurm_text.h - what Slurm's commands print, read
 *
 * Pure. Tested with what a real Slurm has printed. Private to this folder. */
#ifndef THRONG_ENGINE_SLURM_TEXT_H
#define THRONG_ENGINE_SLURM_TEXT_H

#include "base/arena.h"
#include "engine/scheduler.h"

/* What squeue is asked for, a job a line. */
#define SLURM_QUEUE_FORMAT                                                     \
    "ArrayJobID:|,ArrayTaskID:|,State:|,Reason:|,NodeList:|,RestartCnt:|,"     \
    "exit_code:|"
#define SLURM_NODE_FORMAT "%N|%c|%m|%G|%T|%P"
/* … and for all jobs of a person, for usage.c. */
#define SLURM_USAGE_FORMAT                                                     \
    "ArrayJobID:|,Partition:|,QOS:|,TimeLimit:|,NumNodes:|,tres-alloc:|,"      \
    "tres-per-node:|,tres-per-job:|"
#define SLURM_ACCOUNT_FORMAT "JobID,State,NodeList,ExitCode"

struct job_words {
    VEC(struct job_word) list;
};

/* -1: a line is not whole, as when the answer was cut off. Words point into
 * the text. */
int slurm_read_queue(struct str text, struct job_words *words, struct err *err);
/* The same of SLURM_USAGE_FORMAT. */
struct queued_jobs {
    VEC(struct queued_job) list;
};
int slurm_read_usage(struct str text, struct queued_jobs *jobs,
                     struct err *err);
/* Adds what sacct says of jobs that squeue did not tell of, who has cancelled
 * those that it did, and how starts before the last have ended. Texts in the
 * arena. */
void slurm_read_account(struct str text, struct arena *a,
                        struct job_words *words);
/* What Slurm has written last into the log of a job that it has ended: state,
 * words and node. False: nothing. */
bool slurm_read_log(struct str text, struct job_word *w);
/* The nodes of the partitions that are asked for ("a,b"; NULL: of the default
 * one, or of all where none is). */
void slurm_read_nodes(struct str text, const char *partitions, struct arena *a,
                      struct nodes *nodes);
/* The value of a name in `scontrol show config`; empty: it has none. */
struct str slurm_config(struct str text, const char *name);
/* "123" or "123;cluster"; 0: neither. */
uint64_t slurm_job_id(struct str text);
/* True when what sbatch said passes by itself, or a limit on jobs in the
 * queue does. */
bool slurm_passes(struct str said);

#endif
