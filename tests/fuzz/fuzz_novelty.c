/* fuzz_novelty.c - any bytes as a file of `novelty`: a distance can be measured
 * by it, or it is refused */
#include "ensemble/ensemble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new();
    struct err err = {0};
    struct novelty n;
    int rc =
        novelty_parse(&n, str_n((const char *)data, size), "fuzz", a, &err);
    require(rc == 0 || err.text[0]);
    if (!rc) {
        double *scratch = arena_array(a, n.columns, sizeof(*scratch));
        double at_mean = novelty_distance(&n, n.mean, scratch);
        require(at_mean >= 0 && at_mean <= 0);
    }
    arena_free(a);
    return 0;
}
