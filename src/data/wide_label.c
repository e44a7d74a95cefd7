/* wide_label.c - a label of several columns: numbers, or two words
 *
 * Words such as N and Y are 0 and 1, in the order of the alphabet. The two are
 * the same for all columns of a label: one of them may have only the first. */
#include <math.h>

#include "data/set.h"

/* The texts of the columns that have words; NULL for those of numbers. */
static struct str **texts_of(struct reading *r, const struct block *b,
                             const size_t *column, size_t count)
{
    struct str **texts = arena_array(r->scratch, count + 1, sizeof(*texts));
    size_t *wanted = arena_array(r->scratch, count + 1, sizeof(*wanted));
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        if (block_has(b, column[k]) & HAS_WORD)
            wanted[found++] = column[k];
    struct str **words = found ? block_words(r, b, wanted, found) : NULL;
    for (size_t k = 0, next = 0; k < count; k++)
        if (block_has(b, column[k]) & HAS_WORD)
            texts[k] = words[next++];
    return texts;
}

/* The two words of all columns, in the order of the alphabet. A third one is
 * refused when its number is asked for. */
static void find_words(struct reading *r, size_t count,
                       struct str *const *texts, struct str *two)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; texts[k] && found < 2 && i < r->rows; i++) {
            struct str word = texts[k][reading_row(r, i)];
            if (!data_is_missing(word) && (!found || !str_eq(word, two[0])))
                two[found++] = word;
        }
    if (found == 2 && str_cmp(two[0], two[1]) > 0) {
        struct str first = two[1];
        two[1] = two[0];
        two[0] = first;
    }
}

static int word_number(struct reading *r, const struct block *b, size_t i,
                       size_t column, struct str word, const struct str *two,
                       float *to, struct err *err)
{
    if (data_is_missing(word))
        return reading_fail_label(r, b, i, column, true, err,
                                  "the label is missing");
    if (!two)
        return reading_fail_label(r, b, i, column, false, err,
                                  "the label \"%.*s\" where a number belongs",
                                  word.len < 60 ? (int)word.len : 60, word.p);
    *to = str_eq(word, two[1]);
    if (*to == 1 || str_eq(word, two[0]))
        return 0;
    return reading_fail_label(
        r, b, i, column, false, err,
        "the label \"%.*s\" beside \"%.*s\" and \"%.*s\": "
        "columns of one label are numbers, or two words",
        word.len < 60 ? (int)word.len : 60, word.p, STRF(two[0]), STRF(two[1]));
}

/* A number of a label that has no words. */
static int check_number(struct reading *r, const struct block *b, size_t i,
                        size_t column, float x, struct err *err)
{
    if (isfinite(x))
        return 0;
    return r->bad ? reading_fail_label(r, b, i, column, isnan(x), err,
                                       "the label is infinite")
                  : block_fail_gap(b, reading_row(r, i), column, NULL, err);
}

/* What the words of training rows stand for. */
static void keep_words(struct reading *r, const struct block *b,
                       const size_t *column, size_t count,
                       const struct str *found, struct data_field *f)
{
    struct str *two = arena_array(r->set->arena, 2, sizeof(*two));
    struct str name = block_name(r, b, column[0]);
    for (int i = 0; i < 2; i++)
        two[i] = arena_str(r->set->arena, found[i]);
    f->words = two;
    if (two[1].len)
        data_notice(r->set,
                    "data: labels %.*s and %zu more: %.*s is 0, %.*s "
                    "is 1",
                    STRF(name), count - 1, STRF(two[0]), STRF(two[1]));
}

static void keep_names(struct reading *r, const struct block *b,
                       const size_t *column, size_t count, struct data_field *f)
{
    if (!b->names || f->column_names)
        return;
    struct str *names = arena_array(r->set->arena, count + 1, sizeof(*names));
    for (size_t k = 0; k < count; k++)
        names[k] = block_name(r, b, column[k]);
    f->column_names = names;
}

int data_wide_label(struct reading *r, const struct block *b,
                    const size_t *column, size_t count, struct data_field *f,
                    struct err *err)
{
    struct str **texts = texts_of(r, b, column, count);
    struct str two[2] = {STR(""), STR("")};
    float *to = arena_array(r->set->arena, r->rows * count + 1, sizeof(*to));
    find_words(r, count, texts, two);
    if (two[0].len && !r->fitted)
        keep_words(r, b, column, count, two, f);
    keep_names(r, b, column, count, f);
    f->rank = 1;
    f->dim[0] = f->columns = (int64_t)count;
    f->numbers = to;
    for (size_t i = 0; i < r->rows; i++)
        for (size_t k = 0; k < count; k++, to++) {
            size_t row = reading_row(r, i);
            *to = block_number(b, row, column[k]);
            if (texts[k] ? word_number(r, b, i, column[k], texts[k][row],
                                       f->words, to, err)
                         : check_number(r, b, i, column[k], *to, err))
                return -1;
        }
    return 0;
}
