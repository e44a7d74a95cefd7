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
    struct buf form;
    size_t used;
    condor_job_init(&job);
    buf_init(&form);
    while (condor_event_any(rest, &form, &e, &used, &err) > 0) {
        require(used > 1 && used <= rest.len);
        require(rest.p[used - 1] == '\n');
        condor_job_apply(&job, &e);
        require(memchr(job.reason, 0, sizeof job.reason));
        require(memchr(job.node, 0, sizeof job.node));
        require(memchr(job.by, 0, sizeof job.by));
        rest = str_n(rest.p + used, rest.len - used);
    }
    buf_done(&form);
    return 0;
}
