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
    const struct value *v = value_get(r->spec, STR("classes"));
    *classes = 0;
    if (!v)
        return 0;
    if (v->kind != VALUE_INT || v->i < 2 || v->i > CLASSES_MAX)
        return err_set(err, ERR_INPUT,
                       "data.classes must be a whole number from 2 to %d",
                       CLASSES_MAX);
    *classes = v->i;
    return 0;
}

static int word_classes(struct reading *r, const struct block *b, size_t column,
                        int64_t said, struct data_field *f, struct err *err)
{
    struct str **words = block_words(r, b, &column, 1), *names;
    size_t count;
    int32_t *to = data_categories(r, words[0], r->set->arena, &names, &count);
    if (count > CLASSES_MAX)
        return err_set(err, ERR_LIMIT,
                       "%s: a label column with more than %d words",
                       b->source[0].path, CLASSES_MAX);
    for (size_t i = 0; i < r->rows; i++)
        if (to[i] < 0 || (said && to[i] >= said))
            return block_fail(b, reading_row(r, i), column, err,
                              to[i] < 0 ? "the label is missing"
                                        : "there are more labels than "
                                          "data.classes says");
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

/* Numbers the distinct ones in their order; NULL when they are too many. */
static int32_t *ranked(struct arena *a, const float *numbers, size_t rows,
                       int64_t *classes)
{
    float seen[DISTINCT_MAX];
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        if (count &&
            bsearch(&numbers[i], seen, count, sizeof(*seen), by_number))
            continue;
        if (count == DISTINCT_MAX)
            return NULL;
        seen[count++] = numbers[i];
        qsort(seen, count, sizeof(*seen), by_number);
    }
    int32_t *to = arena_array(a, rows + 1, sizeof(*to));
    for (size_t i = 0; i < rows; i++) {
        float *at = bsearch(&numbers[i], seen, count, sizeof(*seen), by_number);
        to[i] = (int32_t)(at - seen);
    }
    *classes = (int64_t)count;
    return to;
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
        f->categories = ranked(r->set->arena, numbers, r->rows, &f->classes);
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
    float *numbers = arena_array(r->set->arena, r->rows + 1, sizeof(*numbers));
    for (size_t i = 0; i < r->rows; i++) {
        size_t row = reading_row(r, i);
        float x = numbers[i] = block_row(b, row)[column];
        if (isnan(x))
            return block_fail(b, row, column, err, "the label is missing");
        if (said && !(whole(x) && x >= 0 && x < (float)said))
            return block_fail(b, row, column, err,
                              "the label %g is outside 0 to %lld: "
                              "data.classes says %lld",
                              (double)x, (long long)said - 1, (long long)said);
    }
    f->numbers = numbers;
    number_classes(r, numbers, said, f);
    return 0;
}
