/* reading.h - what the readers of a study file share (inside of plan only)
 *
 * A reader is handed a value with its place, puts what it says into the plan
 * and adds a problem for each mistake. It never stops at the first one. */
#ifndef THRONG_PLAN_READING_H
#define THRONG_PLAN_READING_H

#include "plan/plan.h"
#include "base/map.h"
#include "terms/reading.h"

struct study_file {
    struct reading in;
    struct plan *plan;
    const struct plan_reader *reader;
    const struct value *root;
    const struct value **param_at; /* where each leaf of the space stands */
    struct str *param_file;        /* and in which file */
    const char *
        *param_names;     /* of the leaves, NULL-terminated; at first none */
    struct str list_text; /* of the file that `points` or `parameters_file`
                             names; p is NULL when there is none */
    const struct value *space_at; /* the one that names a space, or NULL */
};

/* The name of a file without its folder and its ending. */
struct str stem_of(struct str file);
/* Those that a study may name, ended by NULL. */
const struct method *const *methods_of(const struct study_file *r);
/* A problem at leaf i of the space, which may stand in another file. */
void problem_at_param(struct study_file *r, enum problem_level level, size_t i,
                      const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- one file each ---------------------------------------------------- */

void read_task(struct study_file *r, const struct value *v);
void read_predict(struct study_file *r, const struct value *v); /* predict.c */
/* The same, when the device is known. */
void check_predict(struct study_file *r);
/* One of the devices, as `key` of the file says it. */
void read_device_word(const struct reading *in, const struct value *v,
                      const char *key, struct str *to);
void read_model(struct study_file *r, const struct value *v);
void check_model(struct study_file *r); /* after all keys are read */
void read_parameters(struct study_file *r, const struct value *v);
void check_parameters(struct study_file *r); /* after all keys are read */

void read_metric(struct study_file *r, const struct value *v);
void read_metrics(struct study_file *r, const struct value *v);
void read_constraints(struct study_file *r, const struct value *v);
void read_early(struct study_file *r, const struct value *v);
void check_metric(struct study_file *r);

void read_command(struct study_file *r, const struct value *v);
/* That each ${name} in a value of this file is a parameter, or one of the
 * defaults (NULL: there are none). */
void check_names(struct study_file *r, const struct value *v, struct str file,
                 const struct value *defaults);
void check_infer(struct study_file *r, const struct value *task);
void check_task(struct study_file *r); /* p->kind is there from then on */
void check_command(struct study_file *r);
/* Warns where a value would be code (command_risks.c). */
void check_command_risks(struct study_file *r, const struct value *command);
void check_template_risks(struct study_file *r, const struct value *templates);
/* Macros as they are written, "${args}". */
extern const char *const macro_names[]; /* NULL-terminated */
bool macro_find(struct str s, enum command_kind *kind);
const char *macro_text(enum command_kind kind);
/* The `${…}` that s starts with, or an empty str. */
struct str macro_at(struct str s);
/* True for ${envvar:NAME}. */
bool macro_envvar(struct str macro, struct str *name);

/* ---- argv.c ----------------------------------------------------------- */

/* Replaces {name} of declared parameters by the point's values, and with
 * `escapes` $${…} by ${…}. */
int command_replace(struct buf *b, const struct plan *p, struct str text,
                    const struct value *point, bool escapes, struct err *err);
/* The value that {name} stands for: *v is NULL when the name is declared but
 * not in this point. False when no such parameter is declared. */
bool command_lookup(const struct plan *p, const struct value *point,
                    struct str name, const struct value **v);
/* Length of the {name} that s starts with (0: none) and its name. */
size_t command_brace(struct str s, struct str *name);
/* Length of the $${…} that s starts with, which stands for ${…} as it is; 0:
 * none. */
size_t command_escaped(struct str s);
/* The words that a macro of the ${args} family stands for, in the arena. */
void command_args(const struct plan *p, struct arena *a, enum command_kind kind,
                  const struct value *point, const struct arg **list,
                  size_t *count);

/* ---- shell_line.c ------------------------------------------------------ */

/* Appends a text for a shell with the point's values in it, so that none of
 * them becomes code; fails for a value that cannot stand where it is wanted. */
int shell_line(struct buf *b, const struct plan *p, struct arena *a,
               const struct command_part *part, const struct value *point,
               struct err *err);

/* ---- secret_place.c ---------------------------------------------------- */

/* The program when it takes passwords behind options that do not say so, or
 * an empty str. */
struct str secret_program(struct str word);
struct secret_next {
    bool is;      /* the next word is a secret, */
    bool user;    /* or what of it is behind its colon */
    size_t least; /* if it is not shorter than that */
};
/* What a word of such a program says of the next one; *from: where in the
 * word itself a secret begins, 0: nowhere. */
struct secret_next secret_option(struct str program, struct str word,
                                 size_t *from);
/* Where the password of NAME:PASSWORD begins; its length when nowhere. */
size_t secret_behind_user(struct str word);
/* True for a token that services make: ghp_…, AKIA…, sk-… */
bool secret_token(struct str s);
/* The length of the name behind :// when it looks like a token; else 0. */
size_t secret_user(struct str s);
/* Where the password in what is behind :// begins, and its length; 0: none. */
size_t secret_in_url(struct str s, size_t *len);

/* ---- secret.c, redact.c ------------------------------------------------ */

/* True when what belongs to this name is a secret. */
bool secret_name(const struct plan *p, struct str name);
/* What the words so far say of the next one. */
struct redaction {
    struct str program;
    struct secret_next next;
};
/* Appends a word of a command without the secrets in it. */
void redact_word(struct buf *b, const struct plan *p, struct str word,
                 struct redaction *so_far);
/* The same for a line for a shell, word by word. */
void redact_line(struct buf *b, const struct plan *p, struct str line);
/* Nothing but letters, digits, _ and -. */
bool name_only(struct str s);

/* The settings of `slurm:` and the like, as check_site hands them on. */
const struct value *read_site(const struct reading *in, const struct value *v,
                              enum site_of site);
void check_site(struct study_file *r); /* after all keys are read */

void read_resources(struct study_file *r, const struct value *v);
void check_resources(struct study_file *r);

void read_templates(struct study_file *r, const struct value *v);
/* Warns of a command that would not find its templates. */
void check_templates(struct study_file *r);
void read_inputs(struct study_file *r, const struct value *v);
void read_outputs(struct study_file *r, const struct value *v);
void read_keep(struct study_file *r, const struct value *v);
void read_env(struct study_file *r, const struct value *v);
void read_setup(struct study_file *r, const struct value *v);
/* Names in braces that no parameter has. */
void check_placeholders(struct study_file *r, const struct value *command);
void read_venv(struct study_file *r, const struct value *v);
void read_conda(struct study_file *r, const struct value *v);
void read_container(struct study_file *r, const struct value *v);
void read_bind(struct study_file *r, const struct value *v);
/* A path inside of the trial's folder: relative, no "..". */
bool path_inside(struct str path);

/* Reads the file that `points` or `parameters_file` names, before all keys:
 * a space in it becomes part of the parameters. */
void find_space_file(struct study_file *r);
void read_points(struct study_file *r, const struct value *v);
void read_parameters_file(struct study_file *r, const struct value *v);
void check_points(struct study_file *r);
bool points_has_name(const struct plan_points *p, struct str name);
/* All names of members, sorted. */
struct str *points_names(const struct plan_points *p, struct arena *a,
                         size_t *count);
/* Points are of this space from now on: its constants are filled in. */
void points_bind(struct plan_points *p, const struct space *s);
/* Is shown each member of each point that is no object or list (of inline
 * points: every one) while the list is checked, until it answers false.
 * `position` is that of the member in its point. */
typedef bool points_member_fn(void *context, uint64_t i, size_t position,
                              struct str name, const struct value *v);
struct points_watch {
    points_member_fn *see;
    void *context;
};
/* As plan_points_text, or from a list in the file; w may be NULL. With unrolled
 * it is one of CANDLE's unrolled parameter files, whatever its name. */
struct plan_points *points_open_text(struct str text, const char *file,
                                     bool unrolled, struct arena *a,
                                     struct problems *problems,
                                     const struct points_watch *w);
struct plan_points *points_open_value(const struct value *list,
                                      const char *file, struct arena *a,
                                      struct problems *problems,
                                      const struct points_watch *w);
/* One hash of the first `count` points. */
uint64_t points_hash(const struct plan_points *p, uint64_t count);

/* ---- command.c, of a dialect --------------------------------------------- */

void read_dialect(struct study_file *r, const struct value *v);
/* True when a study's programs speak the dialect that it was read with. */
bool plan_speaks_dialect(const struct plan *p);

/* ---- keys.c ----------------------------------------------------------- */

void read_keys(struct study_file *r); /* every key of the root */

/* ready.c: the text of a profile that every throng has, or NULL. */
const char *ready_profile(struct str name);

#endif
