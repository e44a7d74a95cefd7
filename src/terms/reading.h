/* reading.h - what the readers of a parsed file share
 *
 * A reader is handed a value with its place and adds a problem for each
 * mistake. It never stops at the first one. */
#ifndef THRONG_TERMS_READING_H
#define THRONG_TERMS_READING_H

#include "terms/problem.h"
#include "terms/wanted.h"

struct reading {
    struct arena *arena; /* of what is read, and of texts for problems */
    struct problems *problems;
    struct str file; /* that the values' places are of */
};

/* A problem at a value's place. The hint may be NULL. */
void problem_at(const struct reading *r, enum problem_level level,
                const struct value *at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* A problem at the i-th key of an object. */
void problem_at_key(const struct reading *r, enum problem_level level,
                    const struct value *object, size_t i, const char *hint,
                    const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* A problem of the file as a whole. */
void problem_whole(const struct reading *r, enum problem_level level,
                   const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Nobody will see the next problem: not worth the work of a hint. */
bool problems_full(const struct reading *r);
/* "did you mean x?" for the nearest of names, else "one of: a, b, c"; NULL
 * when the list of problems is full. */
const char *hint_nearest(const struct reading *r, struct str s,
                         const char *const *names);
/* shown_print, in the arena. */
const char *shown(struct arena *a, struct str s);
/* value_words_print, in the arena. */
const char *value_words(const struct reading *r, const struct value *v);

/* ---- one value each; false and a problem when it is wrong --- */

bool read_text(const struct reading *r, const struct value *v, const char *what,
               struct str *out);
bool read_bool(const struct reading *r, const struct value *v, const char *what,
               bool *out);
/* Whole numbers, also written 1e3. */
bool read_int(const struct reading *r, const struct value *v, const char *what,
              int64_t min, int64_t max, int64_t *out);
bool read_number(const struct reading *r, const struct value *v,
                 const char *what, double *out); /* finite */
bool read_seconds(const struct reading *r, const struct value *v,
                  const char *what, double *out);
bool read_bytes(const struct reading *r, const struct value *v,
                const char *what, uint64_t *out);
/* One word of a NULL-terminated list; its index, or -1 and a problem. */
int read_choice(const struct reading *r, const struct value *v,
                const char *what, const char *const *choices);
bool read_object(const struct reading *r, const struct value *v,
                 const char *what);
/* A problem for each key of the object that is not among names. */
void read_known_keys(const struct reading *r, const struct value *object,
                     const char *what, const char *const *names);
/* A list of texts, or one text, in the arena. */
bool read_texts(const struct reading *r, const struct value *v,
                const char *what, const struct str **out, size_t *count);

#endif
