/* asked.c - how long models took to predict
 *
 * The time is that between asking for a piece of rows and having what is
 * predicted of it, several passes made one: models are loaded and rows are in
 * memory by then, and nothing is written yet. */
#include "worker/member.h"

static double t_image(const struct member *m, uint64_t rows, double seconds)
{
    size_t passes = m->committee ? committee_passes(m->committee) : 1;
    return seconds / ((double)rows * (double)passes);
}

void asked_say(struct train *t, struct member *m, uint64_t rows, double seconds)
{
    if (!rows)
        return;
    metric_batch_add(m->batch, STR("t_image"), METRIC_FROM_METRICS, 0,
                     t_image(m, rows, seconds));
    if (!m->task.shard.file.len)
        metric_batch_add(m->batch, STR("rows"), METRIC_FROM_METRICS, 0,
                         (double)rows);
    member_say_metrics(t, m);
}

const char *asked_words(const struct member *m, uint64_t rows, double seconds)
{
    size_t passes = m->committee ? committee_passes(m->committee) : 1;
    if (!rows)
        return "";
    const char *each =
        passes > 1 ? arena_printf(m->arena, " × %zu passes", passes) : "";
    return arena_printf(m->arena, "%s in %.3g s, t_image %.3g s", each, seconds,
                        t_image(m, rows, seconds));
}
