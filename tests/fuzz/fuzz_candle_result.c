/* fuzz_candle_result.c - any bytes as what a CANDLE model says of its result */
#include "base/err.h"
#include "terms/candle_result.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct str text, struct candle_result r)
{
    require(r.says == CANDLE_NUMBER || r.label.len == 0);
    require(r.label.len == 0 || (r.label.p >= text.p &&
                                 r.label.p + r.label.len < text.p + text.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_n((const char *)data, size);

    check(text, candle_result_line(text));
    check(text, candle_result_text(text));
    return 0;
}
