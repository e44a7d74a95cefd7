/* jobs.c - the jobs of a study that runs on a cluster
 *
 * All of it stands in files (terms/job.h), so that it can be told with or
 * without a conductor; what it last heard of the scheduler is the newest that
 * there is. */
#include "view/view.h"

#include <string.h>
#include "base/json.h"
#include "base/strict_json.h"

const struct study_job *study_job_of(const struct study_job *list, size_t count,
                                     int64_t trial)
{
    for (size_t i = count; i-- > 0;)
        if (job_tasks_have(list[i].line.tasks, (uint64_t)trial))
            return &list[i];
    return NULL;
}

/* ---- one of them ------------------------------------------------------- */

const char *study_job_state(const struct study_job *j, struct arena *a)
{
    bool over = j->line.stage == JOB_OVER;
    return j->line.state.len ? arena_cstr(a, j->line.state)
           : over            ? "over"
                             : "submitted";
}

void study_job_print(struct buf *b, const struct study_job *j, struct arena *a)
{
    const struct job_line *l = &j->line;
    buf_addf(b, "%.*s job ", STRF(j->head.scheduler));
    job_id_print(b, j->head.scheduler, j->head.job, l->index);
    if (j->head.class.len)
        buf_addf(b, " of class %.*s", STRF(j->head.class));
    if (l->node.len)
        buf_addf(b, " on %.*s", STRF(l->node));
    buf_addf(b, ": %s", study_job_state(j, a));
    if (l->reason.len)
        buf_addf(b, " (%.*s)", STRF(l->reason));
    if (l->words.len)
        buf_addf(b, ", %.*s", STRF(l->words));
    if (l->by.len)
        buf_addf(b, " by %.*s", STRF(l->by));
    if (l->exit_code > 0)
        buf_addf(b, ", exit code %d", l->exit_code);
}

const char *study_job_file(const struct study_job *j, const char *ending,
                           struct arena *a)
{
    const char *path =
        arena_printf(a, "%s/%u%s", j->folder, j->line.index, ending);
    return file_exists(path) ? path : NULL;
}

const char *study_job_script(const struct study_job *j, struct arena *a)
{
    static const char *const names[] = {"job.sh", "job.sub"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = path_join(a, j->folder, names[i]);
        if (file_exists(path))
            return path;
    }
    return NULL;
}

static void field(struct buf *b, const char *name, struct str text)
{
    buf_addf(b, ",\"%s\":", name);
    strict_string_or_null(b, text);
}

void study_job_json(struct buf *b, const struct study_job *j, struct arena *a)
{
    const char *script = study_job_script(j, a);
    const char *log = study_job_file(j, ".log", a);
    buf_adds(b, "{\"scheduler\":");
    strict_string_or_null(b, j->head.scheduler);
    buf_adds(b, ",\"id\":\"");
    job_id_print(b, j->head.scheduler, j->head.job, j->line.index);
    buf_addc(b, '"');
    field(b, "class", j->head.class);
    field(b, "state", j->line.state);
    field(b, "reason", j->line.reason);
    field(b, "words", j->line.words);
    field(b, "node", j->line.node);
    field(b, "by", j->line.by);
    field(b, "script", str_of(script ? script : ""));
    field(b, "log", str_of(log ? log : ""));
    buf_addc(b, '}');
}

/* ---- all of them, by what is said of them ------------------------------ */

static bool same(const struct job_line *a, const struct job_line *b)
{
    return str_eq(a->state, b->state) && str_eq(a->reason, b->reason);
}

struct study_job_group *study_job_groups(const struct study_job *list,
                                         size_t count, struct arena *a,
                                         size_t *groups)
{
    struct study_job_group *out = arena_array(a, count, sizeof *out);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        if (list[i].line.stage == JOB_OVER)
            continue;
        while (k < n && !same(&out[k].like->line, &list[i].line))
            k++;
        if (k == n)
            out[n++] = (struct study_job_group){.like = &list[i]};
        out[k].jobs++;
        out[k].trials += job_tasks_count(list[i].line.tasks);
    }
    *groups = n;
    return out;
}

void study_job_groups_json(struct buf *b, const struct study_job_group *list,
                           size_t count)
{
    buf_adds(b, ",\"jobs\":[");
    for (size_t i = 0; i < count; i++) {
        const struct job_line *l = &list[i].like->line;
        buf_addf(b, "%s{\"count\":%llu", i ? "," : "",
                 (unsigned long long)list[i].jobs);
        field(b, "state", l->state);
        field(b, "reason", l->reason);
        field(b, "words", l->words);
        buf_addc(b, '}');
    }
    buf_addc(b, ']');
}
