/* job.c - a job of a scheduler, as a file tells of it */
#include "terms/job.h"

#include "base/num.h"

#define FIELDS 9

static const char *const stages[] = {
    [JOB_WAITS] = "waits", [JOB_RUNS] = "runs", [JOB_OVER] = "over", NULL};

/* In place of the stage of a job that waits. */
static const char again[] = "again";

/* A field is one, whatever is in it. */
static void add_field(struct buf *b, struct str text)
{
    buf_addc(b, '\t');
    for (size_t i = 0; i < text.len; i++)
        buf_addc(b, text.p[i] == '\t' || text.p[i] == '\n' ? ' ' : text.p[i]);
}

void job_id_print(struct buf *b, struct str scheduler, uint64_t job,
                  uint32_t index)
{
    buf_addf(b, "%llu%c%u", (unsigned long long)job,
             str_is(scheduler, "HTCondor") ? '.' : '_', index);
}

void job_head_print(struct buf *b, const struct job_head *h)
{
    buf_addf(b, "%.*s\t%llu", STRF(h->scheduler), (unsigned long long)h->job);
    add_field(b, h->class);
    buf_addf(b, "\t%.0f\n", h->time_s);
}

bool job_head_parse(struct str line, struct job_head *h)
{
    struct str f[4];
    for (size_t i = 0; i < 4; i++)
        if (!str_split(&line, '\t', &f[i]))
            return false;
    *h = (struct job_head){.scheduler = f[0], .class = f[2]};
    return !line.p && f[0].len && num_uint(f[1], &h->job) &&
           num_double(f[3], &h->time_s);
}

void job_line_print(struct buf *b, const struct job_line *l)
{
    bool waits_again = l->again && l->stage == JOB_WAITS;
    buf_addf(b, "%u\t%s", l->index, waits_again ? again : stages[l->stage]);
    add_field(b, l->tasks);
    add_field(b, l->state);
    add_field(b, l->reason);
    add_field(b, l->node);
    add_field(b, l->by);
    add_field(b, l->words);
    buf_addf(b, "\t%d\n", l->exit_code);
}

bool job_line_parse(struct str line, struct job_line *l)
{
    struct str f[FIELDS];
    uint64_t index;
    int64_t code;
    for (size_t i = 0; i < FIELDS; i++)
        if (!str_split(&line, '\t', &f[i]))
            return false;
    bool waits_again = str_is(f[1], again);
    int stage = waits_again ? JOB_WAITS : str_index(f[1], stages);
    if (line.p || stage < 0 || !num_uint(f[0], &index) || index > UINT32_MAX ||
        !num_int(f[8], &code) || code < -1 || code > 255)
        return false;
    *l = (struct job_line){.index = (uint32_t)index,
                           .stage = (enum job_stage)stage,
                           .again = waits_again,
                           .tasks = f[2],
                           .state = f[3],
                           .reason = f[4],
                           .node = f[5],
                           .by = f[6],
                           .words = f[7],
                           .exit_code = (int)code};
    return true;
}

/* ---- which tasks ----------------------------------------------------------
 */

void job_tasks_print(struct buf *b, const uint64_t *ids, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && ids[end] == ids[end - 1] + 1)
            end++;
        buf_addf(b, "%s%llu", i ? "," : "", (unsigned long long)ids[i]);
        if (end > i + 1)
            buf_addf(b, "-%llu", (unsigned long long)ids[end - 1]);
        i = end;
    }
}

/* The next of "3-7,9"; false: there is none, or it makes no sense. */
static bool next_range(struct str *rest, uint64_t *first, uint64_t *last)
{
    struct str range, from;
    if (!str_split(rest, ',', &range) || !str_split(&range, '-', &from) ||
        !num_uint(from, first))
        return false;
    *last = *first;
    return !range.p || (num_uint(range, last) && *last >= *first);
}

bool job_tasks_have(struct str tasks, uint64_t id)
{
    uint64_t first, last;
    while (tasks.len && next_range(&tasks, &first, &last))
        if (id >= first && id <= last)
            return true;
    return false;
}

uint64_t job_tasks_count(struct str tasks)
{
    uint64_t first, last, count = 0;
    while (tasks.len && next_range(&tasks, &first, &last))
        count += last - first + 1;
    return count;
}
