/* fuzz_safetensors.c - any bytes through the reader of weights: a tensor that
 * it gives has as many numbers as it was asked for */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "nn/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct weights_file *f =
        weights_parse(str_n((const char *)data, size), "w", &err);
    if (!f) {
        require(err.text[0]);
        return 0;
    }
    for (int64_t count = 0; count < 8; count++) {
        double *numbers = calloc((size_t)count + 1, sizeof(*numbers));
        weights_get(f, STR("a"), count, numbers, &err);
        free(numbers);
    }
    weights_has(f, STR("b"));
    weights_text(f, STR("model"));
    weights_close(f);
    return 0;
}
