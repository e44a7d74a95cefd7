/* row_hash.c - what tells one row from another: its inputs and labels, as read
 *
 * Nothing that is fitted has a part in it (scaling, means, tokens, numbers of
 * classes), nor has the row's place in its file, nor whether its columns were
 * joined: so a row is known again in another file, in another order, and by
 * another model that reads the same columns. */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/num.h"
#include "data/set.h"

static uint64_t hash_floats(const float *x, size_t count, uint64_t seed)
{
    return hash64(str_n((const char *)x, count * sizeof(*x)), seed);
}

/* Any gap is the same gap. */
static uint64_t hash_numbers(const struct data_field *f, size_t row,
                             float *scratch, uint64_t seed)
{
    size_t columns = (size_t)f->columns;
    if (!f->pieces && !f->missing)
        return hash_floats(f->numbers + row * columns, columns, seed);
    for (size_t k = 0; k < columns; k++) {
        float x = data_number(f, row, k);
        scratch[k] = isnan(x) ? NAN : x;
    }
    return hash_floats(scratch, columns, seed);
}

static uint64_t hash_text(const struct text *t, size_t row, uint64_t seed)
{
    for (uint64_t i = t->start[row]; i < t->start[row + 1]; i++)
        seed = hash64(text_word(t, t->words[i]), seed);
    return hash64(STR("text"), seed);
}

/* A class is what its file calls it. One that is called by a number is that
 * number: rows of another day may have either. */
static uint64_t hash_class(const struct data_field *f, int32_t class,
                           uint64_t seed)
{
    double number = (double)class;
    if (f->class_names && (class < 0 || class >= f->classes))
        return hash64(STR("none"), seed);
    if (f->class_names && !num_double(f->class_names[class], &number))
        return hash64(f->class_names[class], seed);
    float x = (float)number;
    return hash_floats(&x, 1, seed);
}

static uint64_t hash_label(const struct data_field *f, size_t row,
                           float *scratch, uint64_t seed)
{
    size_t columns = (size_t)f->columns;
    if (data_has_numbers(f))
        return hash_numbers(f, row, scratch, seed);
    for (size_t k = 0; f->categories && k < columns; k++)
        seed = hash_class(f, f->categories[row * columns + k], seed);
    return seed;
}

static uint64_t hash_row(const struct data_set *s, size_t row, float *scratch)
{
    const struct data_table *t = &s->table;
    uint64_t hash = 0;
    for (size_t i = 0; i < t->input_count; i++)
        hash = data_has_numbers(&t->inputs[i])
                   ? hash_numbers(&t->inputs[i], row, scratch, hash)
               : s->text ? hash_text(&s->text[i], row, hash)
                         : hash;
    for (size_t i = 0; !s->label_is_input && i < t->label_count; i++)
        hash = hash_label(&t->labels[i], row, scratch, hash);
    return hash;
}

static size_t widest(const struct data_table *t)
{
    int64_t most = 1;
    for (size_t i = 0; i < t->input_count; i++)
        most = t->inputs[i].columns > most ? t->inputs[i].columns : most;
    for (size_t i = 0; i < t->label_count; i++)
        most = t->labels[i].columns > most ? t->labels[i].columns : most;
    return (size_t)most;
}

const uint64_t *data_row_hashes(struct data_set *s)
{
    size_t rows = s->table.rows;
    if (s->row_hashes)
        return s->row_hashes;
    float *scratch = malloc(widest(&s->table) * sizeof(*scratch));
    s->row_hashes = scratch ? malloc((rows + 1) * sizeof(*s->row_hashes)) : 0;
    for (size_t i = 0; s->row_hashes && i < rows; i++)
        s->row_hashes[i] = hash_row(s, i, scratch);
    free(scratch);
    return s->row_hashes;
}
