/* fuzz_ensemble.c - any bytes as an ensemble: members are inside of the bytes,
 * or it is refused */
#include <math.h>

#include "ensemble/ensemble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_members(const struct ensemble *e, struct str bytes)
{
    double sum = 0;
    require(e->count > 0);
    for (size_t i = 0; i < e->count; i++) {
        const struct ensemble_member *m = &e->members[i];
        sum += m->weight;
        require(m->sha256.len == 64 && m->weight >= 0);
        if (m->weights.len)
            continue;
        struct str inside = ensemble_inside(m, bytes);
        require(inside.p >= bytes.p &&
                inside.p + inside.len <= bytes.p + bytes.len);
    }
    require(fabs(sum - 1) < 1e-6);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = str_n((const char *)data, size);
    struct arena *a = arena_new();
    struct err err = {0};
    struct ensemble e;
    if (ensemble_is(bytes)) {
        int rc = ensemble_parse(&e, bytes, "fuzz", a, &err);
        require(rc == 0 || err.text[0]);
        if (!rc)
            check_members(&e, bytes);
    }
    arena_free(a);
    return 0;
}
