/* task.h - what a worker runs
 *
 * A task says everything that the worker must know: nothing of studies,
 * strategies or the store. Its text form is one JSON object. */
#ifndef THRONG_TERMS_TASK_H
#define THRONG_TERMS_TASK_H

#include <stdint.h>
#include "base/err.h"
#include "base/value.h"
#include "terms/needs.h"
#include "terms/stoprule.h"

/* One element of the argument vector. */
enum arg_kind {
    ARG_TEXT,        /* as it is */
    ARG_EXPAND,      /* ${envvar:NAME} inside is replaced where it runs */
    ARG_INTERPRETER, /* `python`, or python3 where there is no python */
    ARG_PARAMS_FILE, /* the path of a JSON file with the parameters */
};
struct arg {
    enum arg_kind kind;
    struct str text;
};
struct assignment {
    struct str name, value; /* value: ${envvar:NAME} is replaced */
};
/* A file written into the task's folder before it starts (templates). */
struct task_file {
    struct str path, text;
};

/* Where the points of a name that come without a step go on. */
struct task_step {
    struct str name;
    int64_t next;
};

/* The file in a task's folder that says which attempt found no checkpoint, and
 * where its output begins; it goes with metrics.jsonl. */
#define TASK_ANEW ".anew"
/* And the one that says how many seconds of its time it has used. */
#define TASK_USED ".used"
#define TASK_USED_MAX 64 /* bytes of it */
/* What built-in training leaves there: its state and its weights. */
#define TASK_STATE "checkpoint/checkpoint.safetensors"
#define TASK_WEIGHTS "output/weights.safetensors"

/* Where a state lies among others in a file: `len` bytes of this hash (hash64,
 * seed 0), the last `bytes` of which are the state. */
struct task_state {
    struct str file; /* empty: nowhere */
    uint64_t at, len, hash, bytes;
};

/* Rows of a file that a task is about: a shard (data.h, data_cut). */
struct task_shard {
    struct str file; /* empty: it is about none */
    struct str name; /* of the file for people; empty: it is the only one */
    uint32_t form;   /* enum data_form */
    uint32_t header; /* 1: a table with names of columns */
    uint64_t head;   /* bytes before the first row of the file */
    uint64_t from, bytes;  /* where they lie */
    uint64_t first, count; /* the number of the first in the file, from 0; how
                              many there are */
    uint64_t row;       /* the number of the first among those of all files */
    uint64_t size;      /* of the file when it was cut, … */
    int64_t changed_ns; /* … and its time; 0: neither is known */
    uint64_t hash;      /* of its bytes (data_cut); 0: it is not known */
    uint64_t lines;     /* of text, between the head and them; UINT64_MAX: it is
                           not known */
    struct str fault;   /* why there are no rows; empty: there are */
};

struct task {
    uint64_t id;        /* the trial's number */
    uint32_t attempt;   /* from 1 */
    struct str kind;    /* see kind.h */
    struct str options; /* JSON: what the study says to the kind; empty: nothing
                         */
    struct needs needs;

    const struct arg *argv;
    size_t argc;
    struct str setup;     /* shell lines before the command; empty: none */
    struct str workdir;   /* absolute folder to run in; empty: `folder` */
    struct str container; /* image that it runs inside of: a path or a URL;
                             empty: none */
    struct str binds;     /* of a container: SOURCE[:TARGET[:OPTIONS]], each on
                             a line of its own */
    const struct assignment *env; /* besides the worker's own */
    size_t env_count;
    struct str params; /* JSON text of the point */

    struct str study;       /* THRONG_STUDY */
    uint64_t seed;          /* THRONG_SEED */
    int64_t budget;         /* THRONG_BUDGET; 0: none */
    double subset;          /* THRONG_SUBSET; 0: none */
    struct str folder;      /* the trial's folder: log, params.json,
                               metrics.jsonl, output/, checkpoint/ live in it;
                               removed at the end when nothing was written */
    struct str copy_of;     /* folder that `folder`, when it is not there yet,
                               begins as a copy of; empty: none */
    struct str resume_from; /* checkpoint folder to copy first; empty: none */
    /* An attempt that finds a checkpoint goes on where its predecessor stood:
     * with the steps behind those that are stored, and with the bytes of the
     * metrics file and the log that nobody has taken in yet. */
    const struct task_step *steps;
    size_t step_count;
    uint64_t metrics_at, log_at;
    uint32_t anew;      /* the newest attempt that is known to have begun anew;
                           0: none. Where the folder knows of a newer one, steps
                           and bytes are that one's own */
    uint32_t only_read; /* 1: reads those, runs nothing and ends as stopped */
    const struct task_file *files;
    size_t file_count;
    const struct str *outputs; /* globs kept from workdir into output/ */
    size_t output_count;

    struct str model; /* of kind train: the model file as JSON, ${…} replaced */
    struct str device;    /* of models: see device.h; empty: the default */
    uint32_t auto_device; /* 1: nobody has named it: another one will do */
    struct str before;    /* the device of the attempt that it goes on from */

    int64_t keep_best;    /* of kind train: weights are written only where the
                             metric is among this many best that the trainer has
                             seen; 0: always, -1: never */
    uint32_t maximize;    /* 1: the metric is better when it is larger */
    uint32_t pick_best;   /* 1: its best value counts, not the last */
    uint32_t judge_test;  /* of kind train, 1: in the end the test rows, if
                             there are any, are judged too: test_loss … */
    struct str weights;   /* of kind infer: the file with the weights */
    uint32_t predictions; /* of kind infer, 1: write output/predictions.csv */
    struct str rows;      /* of kind infer: which of the model's own rows:
                             training, validation or test; empty: the first of
                             test, validation and training that has any */
    uint32_t new_rows;    /* of kind infer, 1: data names rows of another day;
                             what was fitted is in the weights */
    struct task_shard shard; /* of new rows these; of kind command THRONG_SHARD
                                is a file of them */

    int64_t awaits; /* of kind train: the first step behind which it waits, if
                       the metric is reported there, until it hears whether to
                       go on (RECORD_GO) or to stop; 0: none */

    struct stoprule rule; /* where nobody hears its reports while it runs: the
                             worker stops it by this one, and answers where it
                             awaits that */

    int64_t unheard; /* of kind train: the first epoch whose report nobody has
                        taken in yet. A checkpoint behind it is not gone on
                        from: its reports would never come; 0: nobody knows */

    uint64_t say_bytes; /* of kind train: state and weights that it leaves at
                           the end of its budget, of at most so many bytes
                           each, are said (RECORD_FILE), not written; 0: none */
    struct task_state state; /* of kind train: that an earlier attempt said; one
                                in the folder is newer */

    struct str metric_name;    /* what pattern and file give */
    struct str metrics;        /* names that count (objectives, bounds), each
                                  on a line of its own */
    struct str metric_pattern; /* POSIX extended; empty: none */
    struct str metric_file;    /* relative to workdir; empty: none */
    struct str wandb;          /* "stand-in", "real" or empty */
    struct str protocol;       /* "candle", or empty: throng's own */
    double grace_s;            /* between SIGTERM and SIGKILL */
    uint64_t output_max_bytes; /* of the captured log */
};

void task_print(struct buf *b, const struct task *t); /* JSON, one line */
/* ERR_INPUT when a path or another text of it is not UTF-8: as JSON it would
 * name something else. */
int task_text_check(const struct task *t, struct err *err);
/* Strings live in the arena. */
int task_parse(struct task *t, struct str text, struct arena *a,
               struct err *err);
/* Seconds that the file TASK_USED says; 0 where it makes no sense: it is a
 * task's to write, too. */
double task_used_parse(struct str text);

#endif
