/* fuzz_trained.c - any bytes as what weights say of the rows that trained them:
 * rows can be looked up in it, or it is refused */
#include "data/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new();
    struct err err = {0};
    const struct data_trained *t =
        data_trained_parse(str_n((const char *)data, size), "fuzz", a, &err);
    require(t || err.text[0]);
    for (uint64_t i = 0; t && i < 8; i++)
        data_trained_has(t, i * 0x1fffffffffffffffULL);
    arena_free(a);
    return 0;
}
