/* keyword.h - what the readers of CANDLE's files share (inside of candle only)
 *
 * A parameter is known by its keyword: one of the table in
 * python/throng/keywords.json or one that a model defines. */
#ifndef THRONG_CANDLE_KEYWORD_H
#define THRONG_CANDLE_KEYWORD_H

#include "base/map.h"
#include "candle/candle.h"
#include "terms/reading.h"

/* ---- literal.c -------------------------------------------------------- */

struct literal_fault {
    size_t at; /* offset in the text */
    char text[200];
    const char *hint; /* or NULL */
};
enum literal_rule {
    LITERAL_PLAIN,
    LITERAL_PERCENT, /* a % in a string is doubled, as configparser wants it */
    LITERAL_POWERS,  /* 10.0**-2 is a number too */
};
/* One Python literal; what stands around it may be blanks and comments. NULL
 * and a fault when it is anything else. The column of the value, and of each
 * value in it, is its offset in the text; lines are 0. */
struct value *literal_read(struct arena *a, struct str text,
                           enum literal_rule rule, struct literal_fault *fault);

/* ---- file.c ----------------------------------------------------------- */

/* As candle_file, but with the values that are right when some are not. */
struct value *candle_file_part(struct str text, const char *file,
                               struct arena *a, struct problems *problems);

/* ---- keyword.c -------------------------------------------------------- */

enum keyword_type { TYPE_ANY, TYPE_STR, TYPE_INT, TYPE_FLOAT, TYPE_BOOL };
enum keyword_arity {
    ARITY_ONE,
    ARITY_SOME,  /* nargs + */
    ARITY_ANY,   /* nargs * */
    ARITY_COUNT, /* nargs 3 */
};
struct keyword {
    struct str name;
    struct str letter; /* short form without its dash; may be empty */
    enum keyword_type type;
    enum keyword_arity arity;
    int64_t count;               /* of ARITY_COUNT */
    const struct value *choices; /* a list, or NULL */
    const struct value *aliases; /* a list, or NULL */
    struct value *fallback;      /* library default, or NULL */
    bool lists;                  /* action list-of-lists: 'a, b:c' */
    bool whole;    /* a float that stays an integer where it is one */
    bool standard; /* of the table, and no model has defined it anew */
};
struct keywords {
    struct arena *arena;
    VEC(struct keyword *) list;
    struct map *names;             /* names and aliases to keywords */
    VEC(const char *) spellings;   /* the same names, NULL-terminated */
    const struct value *dropped;   /* names that mean nothing any more */
    const struct value *conflicts; /* pairs that cannot both be true */
    VEC(struct str) required;
};
void keywords_init(struct keywords *k, struct arena *a);
void keywords_done(struct keywords *k);
/* Adds what a file defines and requires; root is what it says. */
void keywords_define(struct keywords *k, const struct value *root,
                     const char *file, struct problems *problems);
struct keyword *keyword_find(const struct keywords *k, struct str name);
/* The name that a definition or option gives: batch-size is batch_size, as
 * argparse has it. */
struct str keyword_name(struct arena *a, struct str written);
bool keyword_required(const struct keywords *k, struct str name);

/* Whether a value of a file stays as it is: a text where a list of texts
 * belongs ('a:b:c') is taken apart by the model itself. */
bool keyword_takes_as_written(const struct keyword *k, const struct value *v);

/* The value as the keyword wants it, or NULL with the reason. */
struct value *keyword_convert(const struct keyword *k, struct value *v,
                              struct arena *a, struct err *err);

/* ---- words.c ---------------------------------------------------------- */

/* One option of the command line. */
struct candle_option {
    const struct keyword *keyword; /* NULL: unknown */
    struct str name;               /* the keyword's or alias's, or as given */
    const char *word;              /* as it was written */
    struct value *value;
};
struct candle_options {
    VEC(struct candle_option) list;
};
/* Takes the words apart; mistakes are problems of the "command line". A name
 * in `known` is no beginning of a keyword. */
void candle_options_read(struct candle_options *o, const struct keywords *k,
                         const struct map *known, const char *const *words,
                         size_t count, struct problems *problems);

extern const struct str command_line; /* stands for a file in problems */

#endif
