/* fuzz_slurm_text.c - any bytes as what Slurm's commands print
 *
 * What is read is in bounds, and numbers make sense. */
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/slurm_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_n((const char *)data, size);
    struct arena *a = arena_new();
    struct job_words words = {0};
    struct queued_jobs jobs = {0};
    struct nodes nodes = {0};
    struct job_word word = {0};
    struct err err;
    slurm_read_queue(text, &words, &err);
    slurm_read_account(text, a, &words);
    slurm_read_usage(text, &jobs, &err);
    for (size_t i = 0; i < jobs.list.len; i++)
        require(jobs.list.p[i].time_s >= 0 && jobs.list.p[i].gpus >= 0);
    slurm_read_nodes(text, NULL, a, &nodes);
    if (slurm_read_log(text, &word))
        require(word.state.len > 0 && word.node.len <= size);
    require(slurm_config(text, "MaxArraySize").len <= size);
    slurm_job_id(text);
    slurm_passes(text);
    vec_done(&words.list);
    vec_done(&jobs.list);
    vec_done(&nodes.list);
    arena_free(a);
    return 0;
}
