/* fuzz_calibration.c - any JSON as what was found of an ensemble, or as its
 * stack: it can be applied to a row, or it is refused */
#include "base/json.h"
#include "ensemble/ensemble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct combine_head heads[] = {
        {.width = 1},
        {.width = 4, .spreads = true},
        {.width = 3, .classes = true},
        {.width = 1, .classes = true},
        {.width = 2, .each = true},
    };
    struct arena *a = arena_new();
    const struct value *v =
        json_parse(a, str_n((const char *)data, size), "fuzz", true, NULL);
    for (size_t i = 0; v && i < sizeof(heads) / sizeof(*heads); i++) {
        double sd[4] = {1, 2, 3, 4}, outputs[4] = {0.2, 0.3, 0.5, 0.1}, to[8];
        const struct combine_head *h = &heads[i];
        const struct calibrated_output *c = calibrated_read(v, i, h, a);
        require(calibrated_columns(h) <= 8);
        if (c)
            calibrated_apply(h, c, sd, 1, outputs, to);
        combine_stack_read(v, i, combine_told(h), 2, a);
    }
    arena_free(a);
    return 0;
}
