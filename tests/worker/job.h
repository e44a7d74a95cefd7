/* job.h - a real throng-worker that runs a bundle, as a scheduler's job */
#ifndef THRONG_TESTS_WORKER_JOB_H
#define THRONG_TESTS_WORKER_JOB_H

#include "harness.h"

#define JOB_ROOM "cpus=2;memory=1073741824;parallel=2"

/* FOLDER/7.tasks, FOLDER/7.asked, FOLDER/7.said.<start> … */
char *job_file(struct bench *b, const char *name);
char *job_said(struct bench *b, uint32_t start);

/* Writes the bundle. */
void job_write(struct bench *b, const struct task *tasks, size_t count);
/* Appends a record about the task, with `cut` of its last bytes left out, and
 * returns how it should be. */
struct str job_append(struct bench *b, const char *path, const struct record *r,
                      size_t cut);
/* Asks something of a task. */
void job_ask(struct bench *b, enum record_type type, uint64_t task,
             struct str payload);

/* Starts the worker in FOLDER with these options (ended by NULL) besides
 * --bundle; what it prints goes to 7.log. env NULL: ours. */
void job_start(struct bench *b, uint32_t start, const char *const *options,
               const char *const *env);
/* Waits for it; its exit code, or 128 and the signal that ended it. */
int job_wait(struct bench *b);
/* Both, in a room of two. */
int job_run(struct bench *b, uint32_t start);

/* Puts what a start has said until now into b->records, in place of what is
 * there. */
void job_hear(struct bench *b, uint32_t start);
/* Waits until the start has said this of the task. */
void job_await(struct bench *b, uint32_t start, enum record_type type,
               uint64_t task);
/* The outcome that was heard of the task; OUTCOME_NONE: none was. */
enum outcome job_outcome(struct bench *b, uint64_t task);

#endif
