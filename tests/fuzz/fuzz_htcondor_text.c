/* fuzz_htcondor_text.c - any bytes as what HTCondor's commands print
 *
 * What is read is in bounds, and an answer that is refused adds nothing. */
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/htcondor_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_n((const char *)data, size);
    struct arena *a = arena_new();
    struct condor_ads ads = {0};
    struct nodes nodes = {0};
    struct err err;
    uint32_t count = 0;
    if (condor_submitted(text, &count))
        require(count > 0);
    struct str warning = condor_warning(text);
    require(warning.len <= size);
    condor_passes(text);
    condor_gone(text);
    if (condor_read_jobs(text, &ads, &err))
        require(ads.list.len == 0);
    for (size_t i = 0; i < ads.list.len; i++)
        require(ads.list.p[i].cluster > 0 &&
                ads.list.p[i].job.state != CONDOR_JOB_UNKNOWN);
    if (condor_read_nodes(text, a, &nodes, &err))
        require(nodes.list.len == 0);
    for (size_t i = 0; i < nodes.list.len; i++)
        require(nodes.list.p[i].cpus > 0);
    vec_done(&ads.list);
    vec_done(&nodes.list);
    arena_free(a);
    return 0;
}
