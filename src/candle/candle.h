/* candle.h - what throng reads of CANDLE's: parameter files, search spaces,
 * model files, and how its programs are started
 *
 * Pure: files are read through a passed-in reader. */
#ifndef THRONG_CANDLE_CANDLE_H
#define THRONG_CANDLE_CANDLE_H

#include "terms/dialect.h"

/* What plan is handed, so that a study may name these files. */
extern const struct dialect candle_dialect;

/* ---- parameter files ---------------------------------------------------- */

/* One Python literal: nothing is evaluated. Tuples become lists. */
struct value *candle_literal(struct str text, struct arena *a, struct err *err);
/* The values of a parameter file as an object with marks, as they are written
 * there; NULL when there are mistakes. The text must live as long. */
struct value *candle_file(struct str text, const char *file, struct arena *a,
                          struct problems *problems);

/* What gives a model its parameters, lowest level first: CANDLE's defaults
 * and those of the definitions, the model file, the config_file that the
 * highest level names, the words of a command line, the study. */
struct candle_request {
    const char *model_file;
    const char *definitions; /* a JSON or YAML file, or NULL */
    /* Reads the text of that file. */
    struct value *(*yaml)(struct str text, const char *file, struct arena *a,
                          struct problems *problems);
    const char *const *words;
    size_t word_count;
    const struct value *study; /* an object, or NULL */
    const char *study_name;    /* stands for it in problems */
    bool bare; /* no defaults, and no word about names nobody knows */
    /* Keywords whose values must fit in files too, NULL-terminated; those of
     * others are warned of and kept. NULL: none. */
    const char *const *strict;
};
/* The parameters as an object; NULL when there are mistakes. */
struct value *candle_params(const struct candle_request *q,
                            const struct file_reader *files, struct arena *a,
                            struct problems *problems);
/* Appends parameters as a parameter file, sorted by key. */
void candle_print(struct buf *b, const struct value *params);

/* ---- how a program is started ------------------------------------------- */

enum candle_style {
    STYLE_UNSAID,
    STYLE_SCRIPT,      /* --key value */
    STYLE_CONFIG_FILE, /* --config_file FILE */
    STYLE_ACTION,      /* ACTION.sh GPU DATA_DIR --key value, in an image */
    STYLE_RUNNER,      /* model.sh FRAMEWORK PARAMS EXPID RUNID … */
    STYLE_IMPORT,      /* its initialize_parameters() and run() are called */
};
enum candle_style candle_style(const struct foreign_start *s);

#endif
