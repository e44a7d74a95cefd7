/* fuzz_predictions.c - any bytes as a table of predictions: columns that are
 * read have as many rows as were counted, and every failure has words */
#include <stddef.h>
#include <stdint.h>
#include "figure/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const truth[] = {"truth", "label", NULL};
    static const char *const mean[] = {"mean", NULL};
    static const char *const sd[] = {"sd", NULL};
    struct file_column columns[] = {
        {.names = truth, .texts = true}, {.names = mean}, {.names = sd}};
    struct arena *a = arena_new();
    struct err err = {0};
    double sum = 0;
    size_t rows = 0, letters = 0;
    int rc = file_columns(str_n((const char *)data, size), "fuzz", columns, 3,
                          &rows, a, &err);
    require(rc == 0 || err.text[0]);
    for (size_t i = 0; !rc && i < rows; i++) {
        letters += strlen(columns[0].text[i]);
        sum += columns[1].numbers[i] + columns[2].numbers[i];
    }
    /* A number of a byte may have more digits than one. */
    require(rc || letters <= 32 * size);
    (void)sum;
    arena_free(a);
    return 0;
}
