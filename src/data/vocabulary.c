/* vocabulary.c - tokens: which words a model knows, by training rows alone
 *
 * 0 is padding, 1 an unknown word; then words by how often training rows have
 * them, the alphabet where that is equal. With `vocabulary: N` there are N
 * tokens whatever the rows have, so that models of other folds have the same
 * shape. */
#include <math.h>
#include <stdlib.h>

#include "data/set.h"

#define LENGTH_MAX 100000

struct counted {
    uint32_t word;
    uint32_t count;
    struct str text;
};

static int by_count(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return str_cmp(x->text, y->text);
}

static struct counted *count_words(const struct text *t,
                                   const struct data_part *train)
{
    struct counted *all = xcalloc(t->word_count + 1, sizeof(*all));
    for (size_t i = 0; i < t->word_count; i++) {
        all[i].word = (uint32_t)i;
        all[i].text = text_word(t, i);
    }
    for (size_t i = 0; i < train->count; i++)
        for (uint64_t k = t->start[train->rows[i]];
             k < t->start[train->rows[i] + 1]; k++)
            all[t->words[k]].count++;
    qsort(all, t->word_count, sizeof(*all), by_count);
    return all;
}

/* The token of every word, and how many tokens there are. */
static int32_t *number_words(const struct text *t,
                             const struct data_text_style *style,
                             const struct counted *all, int64_t *classes)
{
    int32_t *token = xcalloc(t->word_count + 1, sizeof(*token));
    int64_t next = 2;
    for (size_t i = 0; i < t->word_count; i++) {
        bool known = (int64_t)all[i].count >= style->min_count &&
                     (!style->vocabulary || next < style->vocabulary);
        token[all[i].word] = known ? (int32_t)next : 1;
        next += known;
    }
    *classes = style->vocabulary ? style->vocabulary : next;
    return token;
}

static size_t length_of(const struct text *t,
                        const struct data_text_style *style,
                        const struct data_part *train)
{
    size_t longest = 1, bucket = (size_t)style->bucket;
    for (size_t i = 0; i < train->count; i++) {
        size_t row = train->rows[i];
        size_t len = (size_t)(t->start[row + 1] - t->start[row]);
        longest = len > longest ? len : longest;
    }
    size_t length = style->length ? (size_t)style->length : longest;
    return bucket ? (length + bucket - 1) / bucket * bucket : length;
}

static void fill_row(const struct text *t, const int32_t *token, size_t row,
                     size_t length, bool keep_end, int32_t *to)
{
    uint64_t from = t->start[row], end = t->start[row + 1];
    if (end - from > length && keep_end)
        from = end - length;
    for (size_t i = 0; i < length && from + i < end; i++)
        to[i] = token[t->words[from + i]];
}

/* Vectors and names by token; tokens that stand for no word have neither. */
static void fill_words(const struct text *t, const int32_t *token,
                       struct arena *a, struct data_field *f)
{
    size_t columns = (size_t)t->vector_columns, classes = (size_t)f->classes;
    struct str *names = arena_array(a, classes, sizeof(*names));
    float *vectors =
        t->vectors ? arena_array(a, classes * columns, sizeof(float)) : NULL;
    for (size_t i = 0; vectors && i < classes * columns; i++)
        vectors[i] = NAN;
    for (size_t i = 0; i < classes; i++)
        names[i] = STR("");
    for (size_t w = 0; w < t->word_count; w++) {
        if (token[w] < 2)
            continue;
        names[token[w]] = text_word(t, w);
        if (vectors)
            memcpy(vectors + (size_t)token[w] * columns,
                   t->vectors + w * columns, columns * sizeof(float));
    }
    f->class_names = names;
    f->vectors = vectors;
    f->vector_columns = t->vector_columns;
}

static void fill_rows(const struct text *t, const struct data_text_style *style,
                      const int32_t *token, size_t rows, struct arena *a,
                      struct data_field *f)
{
    size_t length = (size_t)f->columns;
    int32_t *to = arena_array(a, rows * length + 1, sizeof(*to));
    for (size_t i = 0; i < rows; i++)
        fill_row(t, token, i, length, style->keep_end, to + i * length);
    f->rank = 1;
    f->dim[0] = f->columns;
    f->categories = to;
}

void data_known_tokens(const struct text *t,
                       const struct data_text_style *style,
                       const struct value *known, size_t rows, struct arena *a,
                       struct data_field *f)
{
    const struct value *words = value_get(known, STR("words"));
    struct map *numbers = map_new();
    int32_t *token = xcalloc(t->word_count + 1, sizeof(*token));
    for (size_t i = 0; i < words->count; i++)
        map_set(numbers, words->items[i]->s, (void *)(uintptr_t)(i + 2));
    for (size_t i = 0; i < t->word_count; i++) {
        uintptr_t found = (uintptr_t)map_get(numbers, text_word(t, i));
        token[i] = found ? (int32_t)found : 1;
    }
    f->classes = value_get(known, STR("classes"))->i;
    f->columns = value_get(known, STR("length"))->i;
    fill_rows(t, style, token, rows, a, f);
    free(token);
    map_free(numbers);
}

int data_make_tokens(const struct text *t, const struct data_text_style *style,
                     const struct data_part *train, size_t rows,
                     struct arena *a, struct data_field *f, struct err *err)
{
    size_t length = length_of(t, style, train);
    if (length > LENGTH_MAX)
        return err_set_at(err, "data.text",
                          ": a text of %zu words; say a length", length);
    struct counted *all = count_words(t, train);
    int32_t *token = number_words(t, style, all, &f->classes);
    f->columns = (int64_t)length;
    fill_rows(t, style, token, rows, a, f);
    fill_words(t, token, a, f);
    free(token);
    free(all);
    return 0;
}
