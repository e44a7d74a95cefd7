/* fuzz_npz.c - any bytes through the reader of zip archives: what it gives is
 * inside the archive or unpacked */
#include <stddef.h>
#include <stdint.h>

#include "data/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"", "x", "y"};
    struct str bytes = str_n((const char *)data, size), member;
    if (!data_is_zip(bytes))
        return 0;
    for (size_t i = 0; i < 3; i++) {
        struct arena *a = arena_new();
        struct err err = {0};
        volatile unsigned sum = 0;
        if (data_read_zip(bytes, "x.npz", str_of(names[i]), a, &member, &err))
            require(err.text[0]);
        else
            for (size_t k = 0; k < member.len; k++)
                sum = sum + (unsigned char)member.p[k];
        arena_free(a);
    }
    return 0;
}
