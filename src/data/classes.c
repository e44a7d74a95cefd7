/* classes.c - categories: of words, and of whole numbers
 *
 * Words are numbered in the order of the alphabet. Whole numbers of which one
 * is 0 are categories as they are; others that are few, as 1 to 4 or -1 and 1,
 * are numbered in their order. A label of numbers keeps those too: the loss
 * decides which of the two it takes. */
#include <math.h>
#include <stdlib.h>

#include "data/set.h"

#define CLASSES_MAX 100000
#define DISTINCT_MAX 1000
#define ROWS_FEW 20 /* fewer say nothing of how often a class comes */

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

int32_t *data_categories(struct reading *r, const struct str *words,
                         struct arena *a, struct str **names, size_t *count)
{
    struct map *seen = map_new();
    VEC(struct str) found = {0};
    int32_t *to = arena_array(a, r->rows + 1, sizeof(*to));
    for (size_t i = 0; i < r->rows; i++) {
        struct str word = words[reading_row(r, i)];
        if (data_is_missing(word) || map_has(seen, word))
            continue;
        map_set(seen, word, (void *)1);
        vec_push(&found, word);
    }
    if (found.len)
        qsort(found.p, found.len, sizeof(*found.p), by_text);
    for (size_t i = 0; i < found.len; i++)
        map_set(seen, found.p[i], (void *)(uintptr_t)(i + 1));
    for (size_t i = 0; i < r->rows; i++)
        to[i] = (int32_t)(uintptr_t)map_get(seen, words[reading_row(r, i)]) - 1;
    *names = arena_array(a, found.len + 1, sizeof(**names));
    for (size_t i = 0; i < found.len; i++)
        (*names)[i] = arena_str(a, found.p[i]);
    *count = found.len;
    vec_done(&found);
    map_free(seen);
    return to;
}

int32_t *data_known_categories(struct reading *r, const struct str *words,
                               const struct value *known, struct arena *a)
{
    struct map *numbers = map_new();
    int32_t *to = arena_array(a, r->rows + 1, sizeof(*to));
    for (size_t i = 0; i < known->count; i++)
        map_set(numbers, known->items[i]->s, (void *)(uintptr_t)(i + 1));
    for (size_t i = 0; i < r->rows; i++)
        to[i] =
            (int32_t)(uintptr_t)map_get(numbers, words[reading_row(r, i)]) - 1;
    map_free(numbers);
    return to;
}

int data_groups(struct reading *r, const struct block *b, size_t column,
                const struct str *words, struct err *err)
{
    struct str *names;
    int32_t *to =
        data_categories(r, words, r->set->arena, &names, &r->set->group_count);
    for (size_t i = 0; i < r->rows; i++)
        if (to[i] < 0)
            return block_fail(b, reading_row(r, i), column, err,
                              "the group is missing");
    r->set->groups = to;
    return 0;
}

static int said_classes(const struct reading *r, int64_t *classes,
                        struct err *err)
{
    *classes = 0;
    return data_read_int(r->spec, "data.classes", 2, CLASSES_MAX, classes, err);
}

static int word_classes(struct reading *r, const struct block *b, size_t column,
                        int64_t said, struct data_field *f, struct err *err)
{
    struct str **words = block_words(r, b, &column, 1), *names;
    size_t count;
    int32_t *to = data_categories(r, words[0], r->set->arena, &names, &count);
    if (count > CLASSES_MAX)
        return err_set(err, ERR_INPUT,
                       "%s: the label %.*s has more than %d different words; "
                       "is it a name of the row?",
                       b->source[0].path, STRF(f->name), CLASSES_MAX);
    for (size_t i = 0; i < r->rows; i++)
        if (to[i] < 0 || (said && to[i] >= said))
            return block_fail(b, reading_row(r, i), column, err,
                              to[i] < 0 ? "the label is missing"
                                        : "there are more labels than "
                                          "data.classes says");
    if (r->rows >= ROWS_FEW && count > r->rows / 2)
        data_notice(r->set,
                    "data: the label %.*s has %zu classes in %zu rows: is it "
                    "the name of a row? Then say another label",
                    STRF(f->name), count, r->rows);
    f->class_names = names;
    f->classes = (int64_t)count;
    f->categories = to;
    return 0;
}

static bool whole(float x)
{
    return x == floorf(x) && fabsf(x) < 0x1p24f;
}

static int by_number(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Numbers the distinct ones in their order, unless they are too many. */
static void rank_classes(struct reading *r, const float *numbers,
                         struct data_field *f)
{
    struct arena *a = r->set->arena;
    size_t rows = r->rows;
    float seen[DISTINCT_MAX];
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        if (count &&
            bsearch(&numbers[i], seen, count, sizeof(*seen), by_number))
            continue;
        if (count == DISTINCT_MAX)
            return;
        seen[count++] = numbers[i];
        qsort(seen, count, sizeof(*seen), by_number);
    }
    int32_t *to = arena_array(a, rows + 1, sizeof(*to));
    for (size_t i = 0; i < rows; i++) {
        float *at = bsearch(&numbers[i], seen, count, sizeof(*seen), by_number);
        to[i] = (int32_t)(at - seen);
    }
    struct str *names = arena_array(a, count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = arena_str(a, reading_number(r, seen[i]));
    f->class_names = names;
    f->categories = to;
    f->classes = (int64_t)count;
}

static void number_classes(struct reading *r, const float *numbers,
                           int64_t said, struct data_field *f)
{
    float least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < r->rows; i++) {
        if (!whole(numbers[i]))
            return;
        least = fminf(least, numbers[i]);
        most = fmaxf(most, numbers[i]);
    }
    if (least != 0 && !said) {
        rank_classes(r, numbers, f);
        return;
    }
    if (most >= CLASSES_MAX)
        return;
    int32_t *to = arena_array(r->set->arena, r->rows + 1, sizeof(*to));
    for (size_t i = 0; i < r->rows; i++)
        to[i] = (int32_t)numbers[i];
    f->categories = to;
    f->classes = said ? said : (int64_t)most + 1;
}

/* All of a column; gaps are NaN. */
static float *numbers_of(struct reading *r, const struct block *b,
                         size_t column)
{
    float *to = arena_array(r->set->arena, r->rows + 1, sizeof(*to));
    for (size_t i = 0; i < r->rows; i++)
        to[i] = block_number(b, reading_row(r, i), column);
    return to;
}

static int check_number(struct reading *r, const struct block *b, size_t column,
                        size_t i, float x, int64_t classes, struct err *err)
{
    if (!isfinite(x) && r->bad)
        return reading_fail_label(r, b, i, column, isnan(x), err,
                                  "the label is infinite");
    if (!isfinite(x))
        return block_fail_gap(b, reading_row(r, i), column, NULL, err);
    if (classes && !(whole(x) && x >= 0 && x < (float)classes))
        return reading_fail_label(r, b, i, column, false, err,
                                  "the label %g is outside 0 to %lld: %s %lld",
                                  (double)x, (long long)classes - 1,
                                  r->fitted ? "the classes of the model are"
                                            : "data.classes says",
                                  (long long)classes);
    return 0;
}

int data_classes(struct reading *r, const struct block *b, size_t column,
                 struct data_field *f, struct err *err)
{
    int64_t said;
    *f = (struct data_field){.rank = 1, .dim = {1}, .columns = 1};
    f->name = block_name(r, b, column);
    if (said_classes(r, &said, err))
        return -1;
    if (block_has(b, column) & HAS_WORD)
        return word_classes(r, b, column, said, f, err);
    float *numbers = numbers_of(r, b, column);
    for (size_t i = 0; i < r->rows; i++)
        if (check_number(r, b, column, i, numbers[i], said, err))
            return -1;
    f->numbers = numbers;
    number_classes(r, numbers, said, f);
    return 0;
}

static int fail_class(struct reading *r, const struct block *b, size_t i,
                      size_t column, struct str word, struct err *err)
{
    if (data_is_missing(word))
        return reading_fail_label(r, b, i, column, true, err,
                                  "the label is missing");
    return reading_fail_label(r, b, i, column, false, err,
                              "\"%.*s\" is no class of the model",
                              word.len < 60 ? (int)word.len : 60, word.p);
}

/* Classes with names; numbers that are names are written in one way. */
static int named_classes(struct reading *r, const struct block *b,
                         size_t column, struct data_field *f, struct err *err)
{
    struct map *numbers = map_new();
    struct str *words;
    int32_t *to = arena_array(r->set->arena, r->rows + 1, sizeof(*to));
    int rc = 0;
    if (block_has(b, column) & HAS_WORD) {
        words = block_words(r, b, &column, 1)[0];
    } else {
        words = arena_array(r->scratch, b->rows + 1, sizeof(*words));
        for (size_t i = 0; i < b->rows; i++)
            words[i] = reading_number(r, block_number(b, i, column));
    }
    for (int64_t i = 0; i < f->classes; i++)
        map_set(numbers, f->class_names[i], (void *)(uintptr_t)(i + 1));
    for (size_t i = 0; i < r->rows && !rc; i++) {
        struct str word = words[reading_row(r, i)];
        to[i] = (int32_t)(uintptr_t)map_get(numbers, word) - 1;
        if (to[i] < 0)
            rc = fail_class(r, b, i, column, word, err);
        if (to[i] < 0)
            to[i] = 0;
    }
    map_free(numbers);
    f->categories = to;
    return rc;
}

int data_known_classes(struct reading *r, const struct block *b, size_t column,
                       struct data_field *f, struct err *err)
{
    if (f->class_names)
        return named_classes(r, b, column, f, err);
    float *numbers = numbers_of(r, b, column);
    int32_t *to = arena_array(r->set->arena, r->rows + 1, sizeof(*to));
    for (size_t i = 0; i < r->rows; i++) {
        if (check_number(r, b, column, i, numbers[i], f->classes, err))
            return -1;
        bool class =
            f->classes && numbers[i] >= 0 && numbers[i] < (float)f->classes;
        to[i] = class ? (int32_t)numbers[i] : 0;
    }
    f->numbers = numbers;
    f->categories = f->classes ? to : NULL;
    return 0;
}
