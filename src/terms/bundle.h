/* bundle.h - the files of a bundle, and how its worker exits
 *
 * A bundle is a file of tasks that one job of a scheduler runs. All of its
 * files lie in one folder and begin with the bundle's index i:
 *
 *   <i>.tasks     the tasks: frames of RECORD_TASK (record.h), in order
 *   <i>.asked     frames of STOP, KILL and GO, appended by the conductor; need
 *                 not be there
 *   <i>.said.<k>  the answers of start k of the job, appended by its worker
 *                 alone, HELLO first. A scheduler may start a job again by
 *                 itself, so k counts from 0
 *   <i>.log       what the job's script and the worker print themselves
 *
 * A task that has ENDED in the answers of one start, however it ended, is not
 * run by a later one: whoever reads them has it back. All others are run again
 * under the attempt that the bundle says, with sequence numbers from 1, and in
 * a folder of that start's own. */
#ifndef THRONG_TERMS_BUNDLE_H
#define THRONG_TERMS_BUNDLE_H

#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "terms/record.h"

#define BUNDLE_START_MAX 4095u /* of k */

/* `stem` is FOLDER/<i>, as bundle_stem takes it off FOLDER/<i>.tasks; NULL
 * when the path does not end so. */
char *bundle_stem(const char *tasks, struct arena *a);
char *bundle_tasks(const char *stem, struct arena *a);
char *bundle_asked(const char *stem, struct arena *a);
char *bundle_said(const char *stem, uint32_t start, struct arena *a);
char *bundle_log(const char *stem, struct arena *a);

/* The folder of a task in start k > 0 of a bundle that gives it this attempt:
 * "<id>.<attempt>r<k>" beside `folder`, which the bundle gives it. */
char *bundle_folder(struct str folder, const struct record *task,
                    uint32_t start, struct arena *a);

/* The next record of a file that another program may be writing. `rest` is all
 * that is known of the file behind the records before. 1: *r is filled and
 * *used bytes belong to it; 0: not yet: nothing whole is there, or what is not
 * good is the end of the file (zeros, a record that is short or not all there);
 * -1: damaged (err says how), and what is behind it is not to be believed. */
int bundle_next(struct str rest, struct record *r, size_t *used,
                struct err *err);

/* What comes back from a machine that shares no disk with the conductor is a
 * folder with the answers, `trials` and this file, which says how it is laid
 * out. */
#define SANDBOX_LAYOUT_FILE "layout"
#define SANDBOX_LAYOUT "throng-sandbox 1"

/* Why a task was interrupted that ran when the time of its job was nearly up,
 * as its ENDED says it. */
#define BUNDLE_TIME_UP "the time of its job was up"
/* … and of those that the scheduler ended with it: asked to end, or at once. */
#define BUNDLE_ENDED "its job was ended"
#define BUNDLE_ENDED_TOO "it was ended together with its job"

/* How throng-worker exits. Those above 2 come with --bundle alone; a shell that
 * cannot start it exits with 126 or 127. */
enum worker_exit {
    WORKER_EXIT_DONE = 0,      /* every task has its answer */
    WORKER_EXIT_FAILED = 1,    /* for another reason, which it printed */
    WORKER_EXIT_USAGE = 2,     /* wrong options */
    WORKER_EXIT_DAMAGED = 65,  /* <i>.tasks makes no sense; nothing was run */
    WORKER_EXIT_NO_TASKS = 66, /* <i>.tasks cannot be read here */
    WORKER_EXIT_GRANT = 69,    /* what the job was granted cannot be made out */
    WORKER_EXIT_TWICE = 73,    /* this start has answers of another worker */
    WORKER_EXIT_UNSAID = 74,   /* answers could not be written: some may lack */
    WORKER_EXIT_AGAIN = 85,    /* begin the job again: there is more to do */
};
/* What the code means, for people; NULL: not one of these. */
const char *worker_exit_words(int code);

#endif
