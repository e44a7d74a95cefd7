/* fuzz_htcondor_log.c - any bytes as HTCondor's job event log
 *
 * Events are whole, lie one behind the other, and are the same when the log is
 * read anew from one of them; texts of jobs stay within their bounds. */
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/htcondor_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = str_n((const char *)data, size);
    struct condor_job job;
    struct condor_event e;
    struct err err;
    size_t used;
    condor_job_init(&job);
    while (condor_event_next(rest, &e, &used, &err) > 0) {
        require(used > 4 && used <= rest.len);
        require(memcmp(rest.p + used - 4, "...\n", 4) == 0);
        require(e.body.p + e.body.len <= rest.p + used);
        condor_job_apply(&job, &e);
        require(memchr(job.reason, 0, sizeof job.reason));
        require(memchr(job.node, 0, sizeof job.node));
        require(memchr(job.by, 0, sizeof job.by));
        rest = str_n(rest.p + used, rest.len - used);
    }
    return 0;
}
