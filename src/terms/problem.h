/* problem.h - what is wrong with a file, and where
 *
 * Every mistake of a file is collected, so that a person sees all of them at
 * once. */
#ifndef THRONG_TERMS_PROBLEM_H
#define THRONG_TERMS_PROBLEM_H

#include <stdarg.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

enum problem_level { PROBLEM_ERROR, PROBLEM_WARNING, PROBLEM_NOTICE };
struct problem {
    enum problem_level level;
    struct str file;
    uint32_t line, column; /* from 1; 0: of the file as a whole */
    struct str path;       /* "layers[3].filters"; may be empty */
    struct str text;       /* what is wrong, with the offending text */
    struct str hint;       /* what was expected, nearest key; may be empty */
};
struct problems {
    struct arena *arena;      /* of all that is here */
    VEC(struct problem) list; /* in order of place; at most PROBLEMS_MAX */
    size_t errors;            /* also those that are not in the list */
    size_t dropped;           /* problems that found no room in the list */
};
#define PROBLEMS_MAX 1000
void problems_init(struct problems *p, struct arena *a);
void problems_add(struct problems *p, enum problem_level level, struct str file,
                  uint32_t line, uint32_t column, struct str hint,
                  const char *fmt, ...) __attribute__((format(printf, 7, 8)));
/* The same for a function that has its own place and takes a text itself. */
void problems_vadd(struct problems *p, struct problem problem, const char *fmt,
                   va_list ap) __attribute__((format(printf, 3, 0)));
/* "path text (hint)" of one. */
void problem_print(struct buf *b, const struct problem *p);
/* "study.yaml:3:7: error: … (did you mean …?)" lines, for people. */
void problems_print(struct buf *b, const struct problems *p);
/* The same as a JSON list of {level, file, line, column, text, hint}; line
 * and column are null for the file as a whole. */
void problems_json(struct buf *b, const struct problems *p);

/* ":3:14: what" of the JSON reader as a problem; so many lines, and columns
 * of the first line, stand before the text that it read. */
void problem_json(struct problems *problems, struct str file, uint32_t lines,
                  uint32_t columns, const char *text);

#endif
