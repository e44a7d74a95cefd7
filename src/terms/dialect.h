/* dialect.h - files and programs in another tongue than throng's
 *
 * A study may name a search space or a model file of another project, and
 * start programs that take their parameters as that project hands them over.
 * Who reads study files knows none of it: it is handed a dialect and asks. */
#ifndef THRONG_TERMS_DIALECT_H
#define THRONG_TERMS_DIALECT_H

#include "base/err.h"
#include "base/value.h"
#include "terms/problem.h"
#include "terms/task.h"

struct reading;

struct file_reader {
    void *context;
    /* The text of a file, by its path as written; lives as long as what is
     * read from it. */
    int (*read)(void *context, const char *path, struct str *text,
                struct err *err);
};

/* A search space that stands in a file of its own. */
struct space_file {
    struct str file;
    const char *words;  /* "a GA or PBT space" */
    const char *method; /* that it is for; auto: any */
    bool linear;        /* its logarithms are halved as numbers are */
    /* As `parameters` of a study file would say it; marks are of the file. */
    const struct value *parameters;
    const struct value *sigma; /* mutation steps by name, or NULL */
    int64_t samples;           /* points to draw; 0: not said */
};

/* A model file, open. */
struct foreign_model {
    const struct value *params; /* that were said, with marks */
    struct str seed;            /* the one that is the seed */
    /* The same model as a YAML file would say it; members of the point stand
     * above parameters. NULL when there are mistakes. */
    struct value *(*value)(const struct foreign_model *m,
                           const struct value *point, struct arena *a,
                           struct problems *problems);
    /* NULL when a parameter of that name makes sense; else the nearest one
     * that makes a difference to training, or "" when none is near. */
    const char *(*unused)(const struct foreign_model *m, struct str name);
    void (*close)(struct foreign_model *m);
};

/* How a study's program is started; what the dialect makes of its own key. */
struct foreign_start;
/* What it may ask of the study. */
struct start_study {
    const struct reading *in; /* the study file */
    const struct value *root;
    struct str program;
    const struct file_reader *files; /* or NULL: none can be read */
    bool (*declares)(const void *context, struct str name); /* a parameter */
    const void *context;
};

struct dialect {
    const char *name; /* of the protocol, and of the key with its options */

    /* The space that a file holds; NULL: it holds none. With `grid` lists are
     * values, whatever else stands there. */
    const struct space_file *(*space)(struct str text, const char *file,
                                      bool grid, struct arena *a,
                                      struct problems *problems);
    /* Whether a file is a model file of this dialect. */
    bool (*is_model)(struct str text, const char *file);
    /* Opens it; NULL when there are mistakes. It lives in the arena. */
    struct foreign_model *(*model)(const char *file,
                                   const struct file_reader *files,
                                   struct arena *a, struct problems *problems);

    /* What the key says; `said` NULL: nothing. */
    struct foreign_start *(*start)(const struct reading *in,
                                   const struct value *said);
    /* The command of a study that says only its program, as `command` would
     * say it; in the arena. */
    const struct str *(*command)(struct foreign_start *s,
                                 const struct start_study *study,
                                 size_t *count);
    /* The words that stand for a point on a command line; in the arena. */
    const struct arg *(*args)(const struct foreign_start *s,
                              const struct value *point, struct arena *a,
                              size_t *count);
    /* The file that is left with each run. */
    struct task_file (*file)(const struct foreign_start *s,
                             const struct value *point, struct arena *a);
    const char *time_variable; /* of `env`: seconds that an attempt may take */
};

#endif
