/* fuzz_gpu_line.c - any bytes as what nvidia-smi prints
 *
 * What is read is in bounds, and numbers make sense. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "terms/gpu_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = str_n((const char *)data, size), line;
    struct gpu_line l;
    while (rest.p && str_split(&rest, '\n', &line)) {
        if (!gpu_line_parse(line, &l))
            continue;
        require(isnan(l.busy) || (l.busy >= 0 && l.busy <= 1));
        require(isnan(l.watts) || (l.watts >= 0 && isfinite(l.watts)));
        require(l.uuid.len <= line.len && gpu_line_is_of(&l, l.uuid));
    }
    return 0;
}
