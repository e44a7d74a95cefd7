/* plan.h - study files: text in, checked plan out
 *
 * Pure: files are read through a passed-in reader. Every mistake of a file
 * is collected, with its place; a plan is returned only when there is none. */
#ifndef THRONG_PLAN_PLAN_H
#define THRONG_PLAN_PLAN_H

#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/value.h"
#include "base/vec.h"
#include "terms/dialect.h"
#include "terms/goal.h"
#include "terms/kind.h"
#include "terms/needs.h"
#include "terms/place.h"
#include "terms/space.h"
#include "terms/early.h"
#include "terms/method.h"
#include "terms/problem.h"
#include "terms/stage.h"
#include "terms/task.h"

/* ---- reading ---------------------------------------------------------- */

struct plan;
/* Where the settings of a site come from, besides the study file. */
struct site_source {
    struct str text;   /* of the file of profiles; p NULL: there is none */
    const char *file;  /* its path, which messages name */
    const char *fault; /* why it could not be read; NULL: it could */
    /* A variable of the environment, or NULL; NULL: none is looked at. */
    const char *(*variable)(const char *name);
};
/* Where a study runs, and what is asked of the scheduler there. */
struct site {
    struct str engine;             /* see terms/place.h */
    const struct value *options;   /* of its scheduler; NULL: it has none */
    const struct value *variables; /* those of them that came from the
                                      environment; NULL: none */
};

struct plan_reader {
    /* Of files named in the study: relative paths are relative to it. What is
     * read lives as long as the plan. */
    struct file_reader files;
    const struct dialect *dialect; /* that a study may speak; or NULL */
    /* Adds what the caller cannot do with this plan to its problems, or NULL.
     * The plan is read as far as its mistakes allow. */
    void (*check)(struct plan *p, struct problems *problems);
    /* Counts rows and shards of plan->predict and fills them in, with the
     * context of files; NULL: one shard stands for all. */
    int (*shards)(void *context, const char *folder, struct plan *p,
                  struct err *err);
    /* That the study has, or would have; NULL: its name says it. */
    const char *folder;
    /* Whether a stage of the campaign was begun and did not end well, so that
     * what it writes may be there in part, with the context of files; NULL:
     * none was. */
    bool (*cut_off)(void *context, struct str campaign, struct str stage);
    /* Whether the text selects trials, as `best:4` does; or NULL. */
    int (*selector_check)(const char *selector, struct err *err);
    /* Those that a study may name, and whose options may stand under their
     * names; ended by NULL. */
    const struct method *const *methods;
    /* Instead of the method that the file says; NULL: none. The caller knows
     * it to be one. */
    const char *method;
    /* Instead of the engine, the profile and the device that the file says;
     * NULL: none. The caller knows the device to be one. */
    const char *engine, *profile, *device;
    /* Where settings of a site are looked for; NULL: in the file alone. */
    const struct site_source *site;
    /* Only points are wanted, nothing will be run: what to run and the name
     * of the metric need not be said. */
    bool points_only;
    /* What would most likely go wrong when it runs is an error. */
    bool strict;
    /* How many trials are made is said elsewhere; or how a person could say
     * it there, NULL: not at all. */
    bool counted;
    const char *count_words;
};

enum pick { PICK_LAST, PICK_BEST };

struct plan_metric {
    struct str name; /* empty: the study has no objective */
    bool minimize;
    enum pick pick;
    bool pick_said;
    bool has_target;
    double target;
    struct str pattern, file; /* empty: none */
};

enum keep_kind { KEEP_UNSAID, KEEP_BEST, KEEP_ALL, KEEP_NONE };
/* Which files tasks run from: those beside the study file as they are, what git
 * knows of them, or all of them, as they were when the study began. */
enum code_kind { CODE_LIVE, CODE_GIT, CODE_COPY };

/* One element of the command as written. */
enum command_kind {
    COMMAND_TEXT, /* may hold {name} and ${envvar:NAME} */
    COMMAND_ENV,
    COMMAND_INTERPRETER,
    COMMAND_PROGRAM,
    COMMAND_ARGS,
    COMMAND_ARGS_NO_EQUALS,
    COMMAND_ARGS_NO_HYPHENS,
    COMMAND_ARGS_NO_BOOLEAN_FLAGS,
    COMMAND_ARGS_JSON,
    COMMAND_ARGS_JSON_FILE,
    COMMAND_ARGS_DIALECT,
    COMMAND_SHELL, /* a text for a shell: as TEXT and macros too, and no
                      value becomes the shell's code */
    COMMAND_CODE,  /* the same for one of which only that is known: values
                      that mean nothing to any shell are taken */
};
struct command_part {
    enum command_kind kind;
    struct str text;
};

struct plan_input {
    struct str path;
    bool site_bound;
};
struct plan_template {
    struct str path; /* written into the trial's folder */
    struct str text; /* with {name} placeholders */
};

/* A program that decides the points: method external. */
struct plan_external {
    const struct str *command; /* one: a line for the shell */
    size_t command_count;
    double timeout_s; /* it must answer within */
    bool reports;     /* it wants to hear of running trials */
};

/* An inference whose shards are trials; see predict.c. */
struct plan_predict {
    struct str models; /* weights, an ensemble, or a study; empty: a command */
    /* Of another program, whose model is `models`; empty: they are inside of
     * it, or they are ours. Then the label's column, and the loss; empty: as
     * the model says. */
    struct str weights, label, loss;
    const double *permanent_dropout; /* its rate; NULL: as the models say */
    struct str where, select; /* of a study's trials; empty: see models */
    struct str combine;       /* empty: as the models say, or their mean */
    const struct str *data;   /* files and globs */
    size_t data_count;
    const struct str *product; /* or tables: all combinations of their rows */
    size_t product_count;
    bool lines;               /* each line is a row, whatever is in it */
    bool of_command;          /* the command is the model */
    int64_t samples;          /* of each model, with its dropout; 0: one */
    const struct value *keep; /* which rows; NULL: all of them */
    /* Files that `calibrate` and `novelty` wrote, and the layer whose numbers
     * are predicted: texts; NULL: none. */
    const struct value *calibration, *novelty, *layer;
    struct str output;  /* the merged table; empty: in the study's folder
                         */
    bool npy;           /* tables are arrays of NumPy, not CSV */
    int64_t shard_rows; /* 0: not said */
    double shard_s;     /* 0: not said */
    /* Filled in by plan_reader.shards. */
    uint64_t shards, rows, models_count;
    uint64_t most_rows;        /* of one shard */
    uint64_t data_hash;        /* of names, sizes and times of the files */
    double row_s;              /* of one core, expected; 0: nobody knows */
    const struct value *fault; /* where its error is; NULL: predict itself */
    const char *const *own;    /* tables and folders that it writes, absolute,
                                  ended by NULL; NULL: nobody looked */
    struct str left_out;       /* what globs find of these, for a person */
    char empty[256];           /* files that have no rows, the same */
    char twice[256];    /* files that are named more than once, the same */
    char notice[512];   /* what else there is to say of the models */
    char misfits[1024]; /* and those whose columns are not the models' */
};

struct plan_points; /* an opened point list; see below */

struct plan {
    struct str file; /* the study file's path as given */
    struct str text; /* and its text */
    struct str name; /* of the study */
    struct str description;
    struct value *root; /* the whole file */

    struct str method; /* as it will be used: grid, random, points … */
    bool method_said;
    const struct method *strategy;      /* what is known of the method */
    const struct value *method_options; /* `<method>:` object or NULL */
    struct plan_external external;
    struct space space;
    const struct str *written;  /* its names in the file's order, for people */
    struct plan_points *points; /* or NULL */
    struct plan_predict *predict;        /* or NULL */
    const struct space_file *space_file; /* or NULL: parameters say it all */
    uint64_t seed;
    bool seed_said;
    int64_t run_cap;  /* 0: none */
    uint32_t repeat;  /* at least 1 */
    struct str order; /* free, lag, batch */
    int64_t lag;      /* of order: lag; else 0 */
    int64_t batch;    /* of order: batch; else 0 */
    struct str warm_start;
    const struct value *constraints; /* a LIST, or NULL */

    struct plan_metric metric;
    /* Of `metrics:`, else the metric, if there is one; with the bounds of
     * `constraints:`, where one with min and max has two, min first. */
    struct goal goal;
    struct early early;

    const struct task_kind *kind;     /* of its tasks */
    const struct value *kind_options; /* where more than its name is said */
    struct str program;
    const struct command_part *command;
    size_t command_count;
    struct str model, device;       /* built-in training; empty: none */
    struct str model_device;        /* that the model file says; the same */
    const struct value *model_root; /* the model file, as written; or NULL */
    uint64_t member_numbers; /* of the largest model that its reader's check has
                                seen, see device_capacity; 0: nobody looked */
    struct foreign_model *foreign_model; /* when it is a dialect's */
    struct str protocol, wandb;
    const struct dialect *dialect; /* of its reader, or NULL */
    struct foreign_start *start;   /* with the protocol of the dialect */
    const struct assignment *env;
    size_t env_count;
    struct str setup;
    struct str venv;         /* a virtual environment's folder; empty: none */
    struct str conda;        /* name or folder of conda's; empty: none */
    struct str container;    /* image of tasks; empty: none */
    const struct str *binds; /* of its `bind` */
    size_t bind_count;
    enum code_kind code;
    bool workdir_trial; /* workdir: trial */
    const struct plan_input *inputs;
    size_t input_count;
    const struct str *outputs;
    size_t output_count;
    const struct plan_template *templates;
    size_t template_count;

    const struct value *resources; /* as written, may hold ${name} */
    bool cpus_said, gpus_said;
    uint32_t parallel;    /* 0: not said */
    double time_limit_s;  /* of the whole study; 0: none */
    int64_t max_failures; /* -1: none */
    uint32_t retries;
    double retry_delay_s;
    double grace_s;            /* default 30 */
    uint64_t output_max_bytes; /* of one trial's log; default 64 MiB */
    enum keep_kind keep;
    int64_t keep_count; /* best:N; unsaid: of weights of built-in training */
    struct str on_finish, on_best; /* empty: none */
    bool share_group;              /* share: group */

    struct str engine, profile; /* as they are said; empty: they are not */
    const struct value *settings[SITE_COUNT]; /* by scheduler, read; or NULL */
    struct site site;
};

/* Reads a study file. NULL when problems->errors > 0. The plan lives in the
 * arena; free its points with plan_close. */
struct plan *plan_read(struct str text, const char *file,
                       const struct plan_reader *reader, struct arena *a,
                       struct problems *problems);
/* The same of a file that is read already. */
struct plan *plan_read_root(struct value *root, struct str text,
                            const char *file, const struct plan_reader *reader,
                            struct arena *a, struct problems *problems);
void plan_close(struct plan *p);

/* YAML text to a value with marks, by the rules of study files. */
struct value *plan_yaml(struct str text, const char *file, struct arena *a,
                        struct problems *problems);

/* ---- campaigns -------------------------------------------------------- */

/* A campaign is a file with `stages:`. Each stage is a study of its own, or a
 * verb about others; its order follows from what it names. */

/* A parameter whose values are whole points of an earlier stage. */
struct stage_template {
    struct str name;   /* of the parameter: the number of the trial */
    size_t from;       /* the stage */
    struct str select; /* as verbs select trials: "best:4" */
    bool weights;      /* also NAME.weights: where the trial's lie */
};

/* `search.best.val_loss < 0.1`. */
enum condition_sign {
    SIGN_LESS,
    SIGN_MOST,
    SIGN_MORE,
    SIGN_LEAST,
    SIGN_IS,
    SIGN_NOT
};
struct stage_condition {
    size_t stage;
    struct str name; /* behind `best.` */
    enum condition_sign sign;
    struct str than;
};

struct stage_kind;
struct plan_stage {
    struct str name;
    struct str group; /* the name that it has with those of its `each` */
    const struct stage_kind *kind;
    const struct value *said; /* what the campaign says of it */
    uint32_t line, column;    /* where */
    /* What its study file and the campaign say together; NULL: it is no study.
     * Lines of the study file are moved up by STAGE_LINES. */
    struct value *study;
    struct str study_file;   /* empty: it has none */
    const char *const *verb; /* of one that is none: the words that run it */
    const struct stage_template *templates;
    size_t template_count;
    const struct stage_condition *when;
    size_t when_count;
    const struct str *inputs, *outputs; /* files, seen from the campaign's */
    size_t input_count, output_count;
    const size_t *needs; /* stages that come before it, each once */
    size_t need_count;
    const size_t *reads; /* of these, those whose results it reads whole */
    size_t read_count;
    struct plan *plan; /* with values that stand in for those to come; NULL:
                          it is no study, or a file of it is yet to be made */
};
#define STAGE_LINES (1u << 24)

struct plan_campaign {
    struct str file, text;
    struct str name, description;
    uint32_t parallel;         /* trials at once in all stages; 0: not said */
    struct plan_stage *stages; /* each after what it needs */
    size_t stage_count;
};

/* True when the text is a campaign's, be it one with mistakes. */
bool plan_is_campaign(struct str text, const char *file);
/* Reads a campaign file and the study files that it names. NULL when
 * problems->errors > 0. Close with plan_campaign_close. */
struct plan_campaign *plan_campaign_read(struct str text, const char *file,
                                         const struct plan_reader *reader,
                                         struct arena *a,
                                         struct problems *problems);
void plan_campaign_close(struct plan_campaign *c);
/* The word that a stage's kind is told by. */
const char *plan_stage_kind(const struct plan_stage *s);

/* Gives the value of `search.best.NAME`; NULL: err says why there is none. */
typedef struct value *stage_value_fn(void *context, size_t stage,
                                     struct str name, struct err *err);
/* The stage's study with every ${STAGE.best.NAME} replaced, and with `points`,
 * the rows of its templates (a LIST; NULL: it has none). */
struct value *plan_stage_fill(const struct plan_campaign *c,
                              const struct plan_stage *s, stage_value_fn *get,
                              void *context, struct value *points,
                              struct arena *a, struct err *err);
/* The plan of a study that was so filled. */
struct plan *plan_stage_read(const struct plan_campaign *c,
                             const struct plan_stage *s,
                             const struct value *study,
                             const struct plan_reader *reader, struct arena *a,
                             struct problems *problems);
/* Shows every text in the value, also keys of no meaning here. */
typedef void text_fn(void *context, struct str text);
void plan_texts(const struct value *v, text_fn *see, void *context);
/* Where a text stands. */
struct word_place {
    /* The file whose folder its words are seen from, as those of a model file;
     * empty: they are seen from where the study is. */
    struct str beside;
    const struct value *study;    /* what names of parameters may become */
    const struct value *defaults; /* of those that it does not name; or NULL */
};
/* Shows every word of a text that may name a file, seen from where the study
 * is. */
void plan_file_words(struct str text, const struct word_place *place,
                     text_fn *see, void *context);
/* True when the comparison holds of a value. */
bool plan_condition_holds(const struct stage_condition *c,
                          const struct value *v);
void plan_condition_print(struct buf *b, const struct plan_campaign *p,
                          const struct stage_condition *c);

/* ---- from a plan to a task -------------------------------------------- */

/* What keeps a name from being a study's (and its folder's), or NULL. */
const char *plan_name_fault(struct str name);
/* The name itself, or one that a folder may have in place of one that none
 * may: what a study file's `name` becomes. */
struct str plan_fitting_name(struct str name, struct arena *a);
/* True when a parameter of that name is declared: a leaf of the space
 * ("opt.lr"), a nested outer name ("opt") or a member of the points. */
bool plan_declares(const struct plan *p, struct str name);
/* True when its tasks train models or ask them, in throng's own processes. */
bool plan_runs_models(const struct plan *p);
/* True when one of its templates makes this file. */
bool plan_makes(const struct plan *p, struct str file);

/* The argument vector of a point. */
int plan_command(const struct plan *p, const struct value *point,
                 struct arena *a, const struct arg **argv, size_t *argc,
                 struct err *err);
/* True for a program whose first argument, if it is no option, is a script:
 * python, Rscript, sh … */
bool plan_takes_script(struct str program);
/* The variables of tasks, with those of `venv`, which is seen from `home`. */
const struct assignment *plan_env(const struct plan *p, const char *home,
                                  struct arena *a, size_t *count);
/* The image that tasks run inside of, seen from `home`; empty: none. */
struct str plan_container(const struct plan *p, const char *home,
                          struct arena *a);
/* True when it names a file, not what a registry has. */
bool plan_image_is_file(struct str image);
/* What its `bind` says, seen from `home`, each on a line of its own. */
struct str plan_binds(const struct plan *p, const char *home, struct arena *a);
/* The shell lines before each task, with those of `conda`; empty: none. */
struct str plan_setup(const struct plan *p, struct arena *a);
/* The needs of a point (${name} replaced). */
int plan_needs(const struct plan *p, const struct value *point, struct needs *n,
               struct err *err);
/* The model file with every ${name} replaced; marks are of the file. */
struct value *plan_model(const struct plan *p, const struct value *point,
                         struct arena *a, struct err *err);
/* True when the model file says a seed, which goes before the trial's. */
bool plan_model_seeded(const struct plan *p);
/* As plan_model for a file in YAML that is no study's. */
struct value *plan_fill(const struct value *root, const struct value *point,
                        struct arena *a, struct err *err);
/* True when ${name}, or a part of it, stands somewhere in the file. */
bool plan_fill_uses(const struct value *root, struct str name);
/* What a task of the kind infer asks of this point: the options of `task:`
 * with every ${name} replaced, and with `weights` and `model`, if there is one
 * (see infer.c). */
struct value *plan_infer(const struct plan *p, const struct value *point,
                         struct arena *a, struct err *err);
/* Template files filled in for a point. */
int plan_files(const struct plan *p, const struct value *point, struct arena *a,
               const struct task_file **files, size_t *count, struct err *err);
/* Appends s quoted so that a shell reads it as one word. */
void shell_quote(struct buf *b, struct str s);
/* An argument vector as a line that can be pasted into a shell. With redact,
 * values of names that end in _KEY, _TOKEN, _SECRET, PASSWORD are replaced
 * (never a declared parameter's). */
void plan_print_command(struct buf *b, const struct plan *p,
                        const struct arg *argv, size_t argc, bool redact);
/* Appends a text of any kind (a script, source code, a message) with its
 * secrets replaced: what stands behind such a name, and the values of such
 * variables of `env`. ${envvar:NAME} stays. The text is for people: what is
 * to be read again goes through the two below. */
void plan_redact(struct buf *b, const struct plan *p, struct str text);
/* A copy of a value with its secrets replaced. */
struct value *plan_redacted(const struct plan *p, const struct value *v,
                            struct arena *a);
/* Appends the study file without its secrets: its own text, comments too,
 * where that can be read again, else the same as JSON. */
void plan_redact_study(struct buf *b, const struct plan *p);

/* ---- the keys --------------------------------------------------------- */

/* What may stand in a study file, for help texts; by index until NULL. */
struct plan_key {
    const char *name; /* "metric.goal" for what stands inside of a key */
    const char *kind; /* "a whole number", "minimize or maximize" … */
    const char *help;
};
const struct plan_key *plan_key_at(size_t i);

/* ---- point lists ------------------------------------------------------ */

/* Opens a list of points from text (JSON lines or CSV with a header, told
 * apart by the name's ending and the first character) or from an inline YAML
 * list. Counts and checks all lines once; about 0.3 s for a million. A file
 * *.txt, or one with JSON objects spread over lines, is one of CANDLE's
 * unrolled parameter files: `id` becomes run_id, or the number does. */
struct plan_points *plan_points_text(struct str text, const char *file,
                                     struct arena *a,
                                     struct problems *problems);
void plan_points_close(struct plan_points *p);
uint64_t plan_points_count(const struct plan_points *p);
/* Fits search's struct point_source.get, with the plan_points as context. */
int plan_points_get(void *points, uint64_t i, struct arena *a,
                    struct value **point, struct str *run_id, struct err *err);

/* ---- identity --------------------------------------------------------- */

/* What makes the study itself (space, objective, command, method, seed,
 * repeat, points) as JSON text: when it changes, it is another study. Points
 * go in by hash, so a list that only grew at its end is told apart. Secrets
 * are replaced, so that a new one makes no new study. */
void plan_identity(struct buf *b, const struct plan *p);
/* As plan_identity, but when the list of points is longer than that of
 * `stored`, only as many points are taken: the result then equals `stored`
 * when the list only grew at its end. */
void plan_identity_as(struct buf *b, const struct plan *p, struct str stored);
/* Empty when both are the same study; else one line per difference. The plan
 * (NULL: none) knows secrets that an earlier version stored. */
void plan_identity_diff(struct buf *b, const struct plan *p, struct str stored,
                        struct str now);

#endif
