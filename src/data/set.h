/* set.h - a data set and how it is read
 *
 * Inside data only. Reading goes from files to blocks (one role, such as the
 * table or the labels, over the files of all parts) to fields. */
#ifndef THRONG_DATA_SET_H
#define THRONG_DATA_SET_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "data/matrix.h"

enum { PART_TRAIN, PART_VALIDATION, PART_TEST, PARTS };

/* A text input as it was read: every row's words as numbers of a dictionary
 * of all words. The tokens that a model sees are numbered by the view, from
 * training rows only. */
struct text {
    size_t word_count;
    const char *letters;   /* of all words, one after another */
    const uint32_t *ends;  /* of each word in letters */
    const uint64_t *start; /* rows + 1 of them, into words */
    const uint32_t *words;
    const float *vectors; /* word_count × vector_columns; NaN: has none */
    int64_t vector_columns;
};

struct made_view { /* a view that several trials share */
    uint64_t key;
    struct arena *arena;
    struct data_view view;
};

struct data_set {
    struct arena *arena;
    struct str map; /* the prepared file that it is mapped from, or empty */
    struct data_table table;
    size_t part_rows[PARTS]; /* rows of the files of each part, in order */
    const int32_t *groups;   /* by row, numbered from 0; or NULL */
    size_t group_count;
    const float *weights;     /* by row, or NULL */
    const struct text *text;  /* by input; NULL: none is text */
    const char *const *files; /* PARTS by input: where its rows are from */
    bool label_is_input;      /* the only label is the first input */
    struct data_bad_rows bad; /* rows that cannot be read */
    /* Of a table: which column became what; see fitted.c. */
    const struct value *layout;
    VEC(struct str) notices;
    VEC(struct made_view) views;
    uint64_t *row_hashes;    /* by row; NULL: nobody has asked for them */
    uint32_t *rows_by_hash;  /* the same, sorted; NULL: the same */
    struct buf trained;      /* what trained.c printed last; p NULL: nothing */
    uint64_t trained_digest; /* of those rows */
    size_t trained_count;
};

/* One file of a block. */
struct source {
    const char *path;
    struct matrix m;
};
/* A table whose rows are found by what a column of the block says. Its own
 * columns, less the one of its keys, stand behind those of the block and are
 * called after that column: drug1.weight. */
struct join {
    const char *name;           /* of the column of the block */
    size_t column;              /* the same by number */
    const struct source *table; /* joins of one file share it */
    size_t key;                 /* its column of keys */
    const uint32_t *row_of;     /* by row of the block; the table's rows: its
                                   key is not there */
    size_t first, columns;      /* of the block */
    size_t lacking;             /* rows whose key is not there */
};
struct block {
    struct source source[PARTS];
    size_t sources;
    size_t rows; /* of all */
    size_t columns;
    const struct str *names; /* of columns, or NULL */
    struct join *joins;
    size_t join_count;
};

/* What is open while a set is read. */
struct reading {
    struct data_set *set;
    const struct value *spec;
    const char *folder;
    const struct value *fitted; /* rows of another day: what is known of them;
                                   NULL: all is to be learnt */
    struct arena *scratch;      /* dies when the set is read */
    VEC(struct file_bytes) files;
    struct table_style style;
    const struct value *part[PARTS]; /* the spec that names its files */
    int parts[PARTS];                /* which they are */
    size_t part_count;
    const uint32_t *kept; /* rows of the blocks that count; NULL: all */
    size_t rows;          /* that count */
    size_t infinite;      /* numbers that are not finite: taken as missing */
    struct bad_rows *bad; /* that cannot be read; NULL: they are refused */
};

enum missing { MISSING_ERROR, MISSING_MEAN, MISSING_ZERO, MISSING_DROP };

/* spec.c: the keys of `data:`. */
int data_spec_check(const struct value *spec, struct err *err);
bool data_spec_labels_are_inputs(const struct value *spec);
int data_spec_style(const struct value *spec, struct table_style *style,
                    struct err *err);
int data_spec_missing(const struct value *spec, enum missing *how,
                      struct err *err);
/* What `o` says at a path's last key ("data.text.length"); NULL: nothing. */
const struct value *data_said(const struct value *o, const char *at);
/* The same as a number or a truth; *out stays as it is where nothing is
 * said. */
int data_read_int(const struct value *o, const char *at, int64_t min,
                  int64_t max, int64_t *out, struct err *err);
int data_read_bool(const struct value *o, const char *at, bool *out,
                   struct err *err);
int data_unknown_key(const char *where, struct str key,
                     const char *const *known, struct err *err);
struct data_text_style {
    const struct value *column; /* NULL: the lines of the inputs' file */
    struct str vectors;         /* a file; or empty */
    bool lower;
    int64_t vocabulary; /* tokens at most, 0 and 1 included; 0: all */
    int64_t min_count;
    int64_t length, bucket; /* 0: the longest; 0: as it is */
    bool keep_end;          /* a text too long loses its beginning */
};
/* 1: there is `text:`, 0: there is none. */
int data_spec_text(const struct value *spec, struct data_text_style *t,
                   struct err *err);

/* What of a spec says how files are read: sorted JSON. */
void data_spec_print_reading(struct buf *b, const struct value *spec);

/* block.c: files of one role. */
/* A path that the spec says, and the array of an npz file behind a colon. */
const char *reading_path(const struct reading *r, struct str text,
                         struct str *member);
/* Reads the file that each part names. */
int block_read(struct reading *r, const struct value *const *paths, bool lines,
               struct arena *numbers, struct block *b, struct err *err);
/* The numbers of the columns of its own, without those that are joined. */
const float *block_row(const struct block *b, size_t row);
/* Of any column; NaN: missing, or a word. */
float block_number(const struct block *b, size_t row, size_t column);
/* The join that a column comes from; NULL: it is the block's own. */
const struct join *block_join(const struct block *b, size_t column);
/* Its number in the table that is joined. */
size_t join_column(const struct join *j, size_t column);
/* The texts of columns over all files; in the scratch. */
struct str **block_words(struct reading *r, const struct block *b,
                         const size_t *columns, size_t count);
/* One number as text: 3, 0.5. */
struct str reading_number(struct reading *r, float number);
unsigned block_has(const struct block *b, size_t column);
struct str block_name(struct reading *r, const struct block *b, size_t column);
/* A column by name, or by number: from 1, or from the end below 0. */
int block_column(const struct block *b, const struct value *v, size_t *column,
                 struct err *err);
/* "FILE:LINE: column NAME: " and the text. */
int block_fail(const struct block *b, size_t row, size_t column,
               struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Refuses a number that is missing or not finite; `ways`: what `missing` may
 * say of it instead; NULL: it is a label. */
int block_fail_gap(const struct block *b, size_t row, size_t column,
                   const char *ways, struct err *err);
/* The row of the block that is row i of the table. */
static inline size_t reading_row(const struct reading *r, size_t i)
{
    return r->kept ? r->kept[i] : i;
}
/* Leaves out rows for which `missing` is set. */
void reading_drop(struct reading *r, const struct block *b,
                  const bool *missing);

/* Notes which row of its file each row of the table is. */
void reading_note_rows(struct reading *r, const struct block *b);

/* bad_rows.c: rows that cannot be read, where the others are wanted. */
struct bad_rows;
struct bad_rows *bad_rows_new(void);
void bad_rows_free(struct bad_rows *b); /* NULL is accepted */
/* Refuses the row as block_fail does, or notes it and returns 0: what is noted
 * first is told. */
int reading_fail(struct reading *r, const struct block *b, size_t row,
                 size_t column, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* A number that is missing or not finite, as block_fail_gap has it. */
int reading_fail_gap(struct reading *r, const struct block *b, size_t row,
                     size_t column, const char *ways, struct err *err);
/* A label of row i of the table: it is refused, or is not known; `missing`: it
 * is not there at all. */
int reading_fail_label(struct reading *r, const struct block *b, size_t i,
                       size_t column, bool missing, struct err *err,
                       const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));
/* Behind the last row: a label that is not known of all of them is shown only.
 */
void reading_show_label(struct reading *r, struct data_field *f);
/* Notes rows of a file that are none. */
void bad_rows_note(struct reading *r, const struct block *b);
/* After the last: the set has them, with the lines of the block's file; NULL:
 * there are several. */
void bad_rows_end(struct reading *r, const struct block *b);

/* Reads one file of a role. */
int source_read(struct reading *r, const struct value *path,
                struct table_style style, struct arena *numbers,
                struct source *s, struct err *err);

/* The texts of a column of one file, and nothing behind the last; in the
 * scratch. */
struct str *source_words(struct reading *r, const struct source *s,
                         size_t column);

/* join.c: the tables that `join` names, behind the columns of the block. A key
 * that they lack is what `missing` says; each join's are counted. */
int data_join(struct reading *r, struct block *b, enum missing missing,
              struct err *err);

/* classes.c: categories. */
int data_classes(struct reading *r, const struct block *b, size_t column,
                 struct data_field *f, struct err *err);
/* Distinct words of all rows that count, sorted, and each row's number; -1
 * for a missing one. */
int32_t *data_categories(struct reading *r, const struct str *words,
                         struct arena *a, struct str **names, size_t *count);
/* Each row's number in a list that is known; -1: missing, or not in it. */
int32_t *data_known_categories(struct reading *r, const struct str *words,
                               const struct value *known, struct arena *a);
/* The same for a label whose classes are known already. */
int data_known_classes(struct reading *r, const struct block *b, size_t column,
                       struct data_field *f, struct err *err);

/* wide_label.c: a label of several columns, side by side. What `f` knows of
 * its words already holds for rows of another day. */
int data_wide_label(struct reading *r, const struct block *b,
                    const size_t *column, size_t count, struct data_field *f,
                    struct err *err);

/* The groups of the rows: categories, none of which may be missing. */
int data_groups(struct reading *r, const struct block *b, size_t column,
                const struct str *words, struct err *err);

/* table.c and pair.c: the two ways in which files hold a set. */
int data_read_table(struct reading *r, struct err *err);
int data_read_pair(struct reading *r, struct err *err);
/* What part i says of file `item` of a key; NULL: nothing. */
const struct value *data_pair_path(const struct reading *r, const char *key,
                                   size_t part, size_t item);
void data_notice(struct data_set *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* text.c: tokens of texts. */
int data_text_field(struct reading *r, const struct str *texts,
                    const struct data_text_style *style, struct text *t,
                    struct data_field *f, struct err *err);
struct str text_word(const struct text *t, size_t word);
/* vectors.c: numbers of words, from a file. */
int data_read_vectors(struct reading *r, struct str path, struct text *t,
                      struct err *err);
/* vocabulary.c: tokens by training rows. */
int data_make_tokens(const struct text *t, const struct data_text_style *style,
                     const struct data_part *train, size_t rows,
                     struct arena *a, struct data_field *f, struct err *err);

/* The same by words that are known already. */
void data_known_tokens(const struct text *t,
                       const struct data_text_style *style,
                       const struct value *known, size_t rows, struct arena *a,
                       struct data_field *f);

/* fitted.c: what is known of rows of another day. */
/* Numbers by column, one of them for all or a list; NULL when absent. */
const float *data_fitted_floats(const struct value *v, size_t count,
                                struct arena *a);
/* A label without its rows. */
void data_fitted_label(struct data_set *s, const struct value *v,
                       struct data_field *f);
/* An error when rows have another shape. */
int data_fitted_fits(const struct value *v, const struct data_field *f,
                     const char *path, struct err *err);

/* cache.c: prepared sets. */
/* 1: mapped from the folder; 0: it is not there; -1: it is damaged. *key names
 * it. */
int data_cache_open(struct data_set *s, const struct reading *r,
                    const struct data_cache *cache, struct buf *key);
/* Writes what was read and maps it in its place. What cannot be written is
 * no error: the set stays as it is. */
void data_cache_save(struct data_set *s, const struct data_cache *cache,
                     struct str key);
/* Waits until nobody else prepares the same; -1: cannot be waited for. */
int data_cache_lock(const struct data_cache *cache, struct str key);
void data_cache_unlock(int lock);

/* set.c: reads what the spec names, without any cache. */
struct data_set *data_read(const struct value *spec, const char *folder,
                           const struct value *fitted, bool readable,
                           struct err *err);

/* split.c: which rows are for what. */
int data_split(struct data_view *v, const struct data_set *s,
               const struct value *spec, const struct data_choice *choice,
               struct arena *a, struct err *err);
/* One order of all of them by chance. */
void data_shuffle(uint32_t *rows, size_t count, uint64_t seed,
                  const char *purpose);
/* parts.c: the same where `parts` says it; shuffled_by: NULL: as they are. */
int data_parts(struct data_view *v, const struct data_set *set,
               const struct value *spec, const uint64_t *shuffled_by,
               struct arena *a, struct err *err);
bool data_parts_draw(const struct value *spec);
/* sums.c: numbers of columns over some rows; gaps do not count. */
struct moments { /* by column */
    double *low, *high, *sum, *squares, *count;
};
void data_moments(struct moments *m, const struct data_field *f, size_t rows,
                  const struct data_part *p, bool squares, struct arena *a);
/* The numbers of a column in their order; returns how many there are. */
size_t data_sorted(const struct data_field *f, size_t column,
                   const struct data_part *p, float *to);
/* The number below which this part of them lies, on a straight line between
 * two; there is one at least. */
double data_quantile(const float *sorted, size_t count, double part);

/* What was fitted on training rows of an input; NULL: was not. */
struct data_fitting {
    const float *low, *high; /* by column: what is beyond is clipped */
    const float *means;      /* by column: what fills gaps */
    const float *landmarks;  /* DATA_LANDMARKS by column that is left */
};

/* outliers.c: leaves training rows out, or says what to clip. */
int data_outliers(struct data_view *v, const struct value *spec,
                  struct data_fitting *fitting, struct arena *a,
                  struct err *err);

/* quantile.c: numbers as parts of the training rows. */
#define DATA_LANDMARKS 101
const float *data_landmarks(const struct data_view *v,
                            const struct data_field *f, struct arena *a);
float data_quantile_of(const float *points, float x);

/* fit.c: what is fitted on training rows. */
int data_fit(struct data_view *v, const struct data_set *s,
             const struct value *spec, const struct data_choice *choice,
             struct arena *a, struct err *err);
int data_fit_known(struct data_view *v, const struct data_set *s,
                   const struct value *spec, const struct value *fitted,
                   struct err *err);
/* Of each column, over training rows that have a number there; else 0. */
const float *data_means(const struct data_view *v, const struct data_field *f,
                        struct arena *a);
uint64_t data_draw_seed(const struct value *spec,
                        const struct data_choice *choice);
/* A fraction below 1 of `all`, or a whole number; 0 when it is not said. */
int data_amount(const struct value *spec, const char *at, size_t all,
                size_t *amount, struct err *err);

#endif
