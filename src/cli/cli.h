/* cli.h - the faces of throng in a terminal
 *
 * One table of verbs, each with its options, makes parsing, help, man pages
 * and completion. Data goes to standard output, talk to standard error. */
#ifndef THRONG_CLI_CLI_H
#define THRONG_CLI_CLI_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "layout/layout.h"
#include "store/store.h"
#include "study/study.h"
#include "view/view.h"

enum exit_code {
    EXIT_OK = 0,
    EXIT_ERROR = 1,
    EXIT_USAGE = 2,
    EXIT_FAILED_TRIALS = 3, /* finished, but some trials failed */
    EXIT_NO_SUCH = 4,       /* no such study or trial */
    EXIT_IN_USE = 5,        /* somebody else runs it */
    EXIT_STOP = 10,         /* `report`: finish now */
    EXIT_INTERRUPTED = 130,
};

struct option_spec {
    const char *name; /* long form, without dashes */
    char letter;      /* short form; 0: none */
    const char *arg;  /* name of its argument; NULL: a flag; with … at its
                         end: may come again, values joined by line feeds */
    const char *help;
};

struct call; /* one invocation of a verb */

struct verb {
    const char *name;
    const char *args;            /* "[STUDY] [TRIALS]" */
    const char *summary;         /* one line */
    void (*list)(struct buf *b); /* before the text: rows of a table that is
                                    kept elsewhere; NULL: none */
    const char *text;            /* more, for `help VERB` and the man page */
    const struct option_spec *options; /* ended by {0} */
    int (*run)(struct call *c);        /* returns an exit code */
    bool pages; /* long output on a terminal goes through a pager */
    /* Words that are not options of its own are its business, also those
     * with dashes; its own are taken only when written whole. */
    bool free_words;
};
extern const struct verb *const verbs[]; /* NULL-terminated */

/* What --engine takes, each behind a blank. */
#define PLACE_WORD(name, ...) " " #name
#define PLACE_WORDS PLACES(PLACE_WORD)

#define OPTIONS_MAX 32

struct call {
    const struct verb *verb;
    struct arena *arena;
    const char *values[OPTIONS_MAX]; /* by index; NULL: not given; flags "" */
    const char **args;               /* NULL-terminated */
    size_t arg_count;
    struct err err;
    bool terminal; /* standard output is one */
    bool colour;
    unsigned columns;
    double as_of; /* when the copy was made that open_named_study gave, as unix
                     time; 0: it is the store itself */
};

/* The value of an option, NULL when it was not given ("" for a flag). */
const char *call_option(const struct call *c, const char *name);
bool call_flag(const struct call *c, const char *name);
/* A whole number option; fallback when absent; -1 and err when it is none. */
int call_int(struct call *c, const char *name, int64_t fallback, int64_t *v);
/* Prints "throng VERB: text" with c->err and gives the exit code of its
 * kind. */
int call_fail(struct call *c);
/* The same for a mistake on the command line; prints the usage line. */
int call_usage(struct call *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The list and the text. */
void help_text(struct buf *b, const struct verb *v);
void help_verb(struct buf *b, const struct verb *v);
void help_all(struct buf *b);
/* The verb that a misspelt one may have meant, or NULL. */
const char *nearest_verb(const char *name);

/* ---- finding studies -------------------------------------------------- */

/* Takes the study off the front of the arguments (or the one used last) and
 * opens its store for reading. With trials, what is left in c->args is a
 * checked selector or nothing; without, nothing may be left. NULL: c->err. */
struct store *open_named_study(struct call *c, bool trials,
                               struct place_of_study *where);
/* Tells a person at a terminal which study is meant when none was named and
 * there are several. */
void say_study_used_last(const struct call *c,
                         const struct place_of_study *where);
/* -1 and c->err: the command line names an engine or a device that there is
 * not. */
int load_check_words(struct call *c);
/* What is in `file` trains no model: the device that the command line names, if
 * it does, counts for nothing. */
void warn_of_device(struct call *c, const char *file,
                    struct problems *problems);
/* Reads and checks a study file, printing its problems to stderr; NULL when
 * there are errors. `name` overrides the study's name (--new). */
struct plan *load_plan(struct call *c, const char *file, const char *name);
/* The same for who only looks, so that a method that cannot run yet is no
 * error; the problems are the caller's too. */
struct plan *load_plan_look(struct call *c, const char *file, const char *name,
                            struct problems *problems);
/* The same for who only wants points: the file need not say what to run.
 * `method`: instead of the file's, or NULL. */
struct plan *load_plan_points(struct call *c, const char *file,
                              const char *method);

/* ---- writing ---------------------------------------------------------- */

/* A time as people write it; off a terminal with up to four decimals. */
void table_seconds(struct table *t, const struct call *c, double seconds);
/* A parameter's value; on a terminal floats have four digits. */
void table_value(struct table *t, const struct call *c, const struct value *v);
/* What a trial has in a column that was asked for by name. */
void table_chosen(struct table *t, const struct call *c, const char *name,
                  const struct value *v);
/* Prints the rows and forgets them; the header comes once. */
void table_print(struct table *t, const struct call *c);

/* A table that was made by a view. */
void put_tabled(const struct call *c, const struct tabled *l);

/* Writes to standard output; a broken pipe ends the program quietly. What a
 * terminal would obey is shown (base/shown.h), there and in a pipe. */
void put(struct str text);
/* The same for lines of a report: on a terminal with colours, and broken
 * between words. */
void put_report(const struct call *c, struct str text);
/* Text whose foreign parts are shown already, with colours of ours. */
void put_painted(struct str text);
/* The same for data that a program reads byte for byte, such as CSV: off a
 * terminal it stays as it is. */
void put_data(const struct call *c, struct str text);
/* The same for what a task printed; on a terminal its colours stay. */
void put_output(const struct call *c, struct str text);
/* COLUMNS, or how wide the terminal there is, or 80. */
unsigned columns_of(int fd);
/* Talk, to standard error, shown as by put; on a terminal its lines are broken
 * between words. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_problems(const struct problems *problems);
/* Says how old a copy is that was read (store_as_of), and why; nothing where
 * it is current. */
void say_age(double as_of);
/* A log whose lines go to standard error as "throng: text". */
struct log log_stderr(void);

/* Every verb has a row here, in the order in which help lists them, and is
 * defined by VERB(name) = {…}, which does not compile without it. */
/* clang-format off */
#define VERBS(row) \
    row(init) \
    row(run) \
    row(check) \
    row(submit_file) \
    row(status) \
    row(watch) \
    row(web) \
    row(ls) \
    row(rank) \
    row(compare) \
    row(importance) \
    row(plot) \
    row(summary) \
    row(show) \
    row(diff) \
    row(errors) \
    row(explain) \
    row(logs) \
    row(export) \
    row(add) \
    row(retry) \
    row(rerun) \
    row(tag) \
    row(note) \
    row(rm) \
    row(stop) \
    row(kill) \
    row(suggest) \
    row(params) \
    row(train) \
    row(evaluate) \
    row(predict) \
    row(inferences) \
    row(ensemble) \
    row(calibrate) \
    row(novelty) \
    row(model) \
    row(doctor) \
    row(trust) \
    row(report) \
    row(completion) \
    row(help) \
    row(version)
/* clang-format on */

#define VERB_ROW(name) VERB_ROW_##name,
enum { VERBS(VERB_ROW) VERB_COUNT };
#define VERB(name)                                                             \
    _Static_assert(VERB_ROW_##name < VERB_COUNT, "");                          \
    const struct verb verb_##name
#define VERB_EXTERN(name) extern const struct verb verb_##name;
VERBS(VERB_EXTERN)
extern const struct verb verb_complete; /* for shells, in no list */

#endif
