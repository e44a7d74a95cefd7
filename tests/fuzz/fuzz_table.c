/* fuzz_table.c - any bytes through the reader of tables of text: its quick
 * numbers must be those of the words that it gives for the same fields */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/num.h"
#include "data/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_column(const struct matrix *m, size_t column, struct arena *a)
{
    struct str *words = arena_array(a, m->rows + 1, sizeof(*words));
    data_words(m, &column, 1, a, &words);
    for (size_t row = 0; row < m->rows; row++) {
        float x = m->numbers[row * m->columns + column];
        double d = NAN;
        if (!data_is_missing(words[row]) && num_double(words[row], &d) &&
            !isnan(d))
            require(x == (float)d || memchr(words[row].p, '"', words[row].len));
    }
}

/* Rows that are none cost the others nothing, and have their words. What can
 * be read without that can be read with it, too, where the separator is the
 * same: how many cells fit may tell another one. */
static void check_readable(struct str text, struct table_style style,
                           const struct matrix *plain, struct arena *a)
{
    struct matrix m;
    struct err err = {0};
    style.readable = true;
    style.fits[0] = 2;
    style.fits[1] = 3;
    if (data_read_csv(text, "t", &style, a, &m, &err)) {
        require(err.text[0]);
        require(!plain || !style.separator);
        return;
    }
    struct str *words = arena_array(a, m.rows + 1, sizeof(*words));
    for (size_t c = 0; c < m.columns && c < 8; c++)
        data_words(&m, &c, 1, a, &words);
    for (size_t i = 0; i < m.fault_count; i++) {
        struct data_bad_row r = {.row = m.faults[i].row};
        require(r.row < m.rows);
        data_lines(&m, &r, 1);
        require(r.line == data_line(&m, r.row));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct table_style style = {.header = -1};
    struct arena *a = arena_new();
    struct err err = {0};
    struct matrix m;
    if (size > 0) {
        style.header = data[0] % 3 - 1;
        style.separator = "\0,;\t "[data[0] / 3 % 5];
        style.skip = data[0] / 15 % 3;
        style.lines = data[0] / 45 % 4 == 3;
        data++;
        size--;
    }
    struct str text = str_n((const char *)data, size);
    int rc = data_read_csv(text, "t", &style, a, &m, &err);
    check_readable(text, style, rc ? NULL : &m, a);
    if (rc == 0) {
        style.separator = m.separator;
        check_readable(text, style, &m, a);
        require(m.rows > 0 && m.columns > 0);
        size_t last = data_line(&m, m.rows - 1);
        require(last >= 1 && last <= size + 1);
        for (size_t c = 0; c < m.columns && c < 8; c++)
            check_column(&m, c, a);
    } else {
        require(err.text[0]);
    }
    arena_free(a);
    return 0;
}
