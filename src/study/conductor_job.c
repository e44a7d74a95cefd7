/* conductor_job.c - a conductor that is a job of the scheduler itself
 *
 * For sites that forbid long processes on login nodes. The file conductor/job
 * of a study has two numbers: of the job that conducts it or is to, and of the
 * one that begins when that has ended (0: none yet). So that the study is never
 * without one, the next is submitted as soon as one has begun; so that there
 * are never two, each needs the study's lease. A conductor that ends the study
 * takes the next one back. */
#include "study/conductor.h"

#include "base/num.h"
#include <stdio.h>
#include <unistd.h>

#define FOLDER "conductor"

bool conductor_is_job(const struct plan *p)
{
    const struct value *v =
        p->site.options ? value_get(p->site.options, STR("conductor")) : NULL;
    return v && v->kind == VALUE_OBJECT;
}

/* ---- the file --------------------------------------------------------------
 */

static const char *file_path(const char *folder, struct arena *a)
{
    return path_join(a, path_join(a, folder, FOLDER), "job");
}

void conductor_jobs_read(const char *folder, struct conductor_jobs *j)
{
    struct arena *a = arena_new();
    struct buf text;
    *j = (struct conductor_jobs){0};
    buf_init(&text);
    if (file_read(file_path(folder, a), 64, &text, NULL) == 0) {
        struct str rest = str_trim(buf_str(&text)), first;
        if (!str_split(&rest, ' ', &first) || !num_uint(first, &j->now) ||
            !num_uint(rest, &j->next))
            *j = (struct conductor_jobs){0};
    }
    buf_done(&text);
    arena_free(a);
}

static int write_jobs(const char *folder, const struct conductor_jobs *j,
                      struct err *err)
{
    struct arena *a = arena_new();
    char text[64];
    snprintf(text, sizeof text, "%llu %llu\n", (unsigned long long)j->now,
             (unsigned long long)j->next);
    int rc = file_write(file_path(folder, a), str_of(text), true, err);
    arena_free(a);
    return rc;
}

static void forget(const char *folder)
{
    struct arena *a = arena_new();
    unlink(file_path(folder, a));
    arena_free(a);
}

/* ---- asking the scheduler without a study that is open ---------------------
 */

static struct engine *open_place(const struct study_setup *setup,
                                 struct arena *a, struct err *err)
{
    struct study s = {.setup = *setup, .plan = setup->plan, .arena = a};
    struct engine_setup engine = study_engine_setup(&s);
    struct engine_hooks hooks = {0};
    engine.preview = true;
    return engine_open(&engine, &hooks, err);
}

/* The newest of them is the last that can live. */
static int look(struct engine *e, const struct conductor_jobs *j,
                struct buf *words, bool *lives, struct err *err)
{
    struct engine_alone_state state = {0};
    int rc = 0;
    *lives = false;
    buf_init(&state.words);
    if (j->now)
        rc = engine_alone_look(e, j->now, &state, err);
    if (!rc && !state.lives && j->next) {
        buf_reset(&state.words);
        rc = engine_alone_look(e, j->next, &state, err);
    }
    *lives = state.lives;
    buf_addstr(words, buf_str(&state.words));
    buf_done(&state.words);
    return rc;
}

static int submit_first(struct engine *e, const struct study_setup *setup,
                        const char *command, struct arena *a, uint64_t *job,
                        struct err *err)
{
    struct conductor_jobs jobs;
    struct engine_alone order = {.folder = path_join(a, setup->folder, FOLDER),
                                 .command = command};
    struct buf words;
    bool lives;
    conductor_jobs_read(setup->folder, &jobs);
    buf_init(&words);
    int rc = look(e, &jobs, &words, &lives, err);
    if (!rc && lives)
        rc = err_set(err, ERR_BUSY, "the study has a conductor already: %.800s",
                     words.p);
    buf_done(&words);
    if (rc || dir_make(order.folder, err) || engine_alone(e, &order, job, err))
        return -1;
    jobs = (struct conductor_jobs){.now = *job};
    return write_jobs(setup->folder, &jobs, err);
}

int conductor_job_submit(const struct study_setup *setup, const char *command,
                         uint64_t *job, struct err *err)
{
    struct arena *a = arena_new();
    struct engine *e = open_place(setup, a, err);
    int rc = e ? submit_first(e, setup, command, a, job, err) : -1;
    engine_close(e);
    arena_free(a);
    return rc;
}

int conductor_job_tell(const struct study_setup *setup, struct buf *words,
                       bool *lives, struct err *err)
{
    struct arena *a = arena_new();
    struct conductor_jobs jobs;
    conductor_jobs_read(setup->folder, &jobs);
    struct engine *e = open_place(setup, a, err);
    int rc = e ? look(e, &jobs, words, lives, err) : -1;
    engine_close(e);
    arena_free(a);
    return rc;
}

int conductor_job_cancel(const struct study_setup *setup, struct err *err)
{
    struct arena *a = arena_new();
    struct conductor_jobs jobs;
    conductor_jobs_read(setup->folder, &jobs);
    struct engine *e = jobs.now ? open_place(setup, a, err) : NULL;
    int count = !jobs.now ? 0 : !e ? -1 : 1;
    if (e && jobs.next)
        engine_alone_cancel(e, jobs.next);
    if (e) {
        engine_alone_cancel(e, jobs.now);
        forget(setup->folder);
    }
    engine_close(e);
    arena_free(a);
    return count;
}

/* ---- of a study that runs ---------------------------------------------------
 */

int conductor_job_follow(struct study *s, const char *command, struct err *err)
{
    const char *folder = s->setup.folder;
    struct conductor_jobs jobs;
    struct engine_alone order = {.folder = path_join(s->arena, folder, FOLDER),
                                 .command = command};
    conductor_jobs_read(folder, &jobs);
    if (jobs.next) /* it is what we are */
        jobs = (struct conductor_jobs){.now = jobs.next};
    order.after = jobs.now;
    if (!jobs.now || engine_alone(s->engine, &order, &jobs.next, err))
        return -1;
    return write_jobs(folder, &jobs, err);
}

void conductor_job_end(struct study *s)
{
    struct conductor_jobs jobs;
    conductor_jobs_read(s->setup.folder, &jobs);
    if (jobs.next)
        engine_alone_cancel(s->engine, jobs.next);
    forget(s->setup.folder);
}
