/* fuzz_idx.c - any bytes through the reader of IDX files: all numbers that it
 * says are there can be read */
#include <stddef.h>
#include <stdint.h>

#include "data/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = str_n((const char *)data, size);
    struct arena *a = arena_new();
    struct err err = {0};
    struct matrix m;
    volatile float sum = 0;
    int rc = data_is_idx(bytes) ? data_read_idx(bytes, "x", a, &m, &err) : -1;
    if (rc == 0) {
        require(m.rows > 0 && m.columns > 0 && m.rank >= 1 && m.rank <= 4);
        for (size_t i = 0; i < m.rows * m.columns; i++)
            sum = sum + m.numbers[i];
    }
    arena_free(a);
    return 0;
}
