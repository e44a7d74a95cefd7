/* job_conductor.c - a conductor that is a job of the scheduler */
#include "cli/job_conductor.h"

#include <unistd.h>
#include "cli/cancel.h"

static void add_option(struct call *c, struct buf *b, const char *name)
{
    const char *value = call_option(c, name);
    if (!value)
        return;
    buf_addf(b, " --%s", name);
    if (*value)
        command_add_word(b, " ", str_of(value));
}

const char *job_conductor_command(struct call *c)
{
    static const char *const options[] = {
        "engine", "profile", "device", "new", "keep-going", "quiet", NULL};
    char self[4096] = "";
    const char *fixed = call_option(c, "fix");
    struct str rest = str_of(fixed), line;
    struct buf b;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    buf_init(&b);
    command_add_word(&b, "", str_of(self));
    command_add_word(&b, " run ", str_of(path_absolute(c->arena, c->args[0])));
    for (size_t i = 0; options[i]; i++)
        add_option(c, &b, options[i]);
    while (rest.p && str_split(&rest, '\n', &line))
        command_add_word(&b, " --fix ", line);
    buf_adds(&b, " --as-job");
    const char *command = arena_cstr(c->arena, buf_str(&b));
    buf_done(&b);
    return command;
}

int job_conductor_detach(struct call *c, const struct study_setup *setup,
                         struct study *opened)
{
    enum study_end end;
    uint64_t job;
    study_part(opened);
    int rc = study_run(opened, &end, &c->err);
    study_close(opened);
    if (rc ||
        conductor_job_submit(setup, job_conductor_command(c), &job, &c->err))
        return -1;
    if (!call_flag(c, "quiet"))
        say("throng: the study %.*s is conducted by job %llu of %.*s as soon "
            "as that begins, and by others after it; `throng status` tells, "
            "`throng kill` ends it\n",
            STRF(setup->plan->name), (unsigned long long)job,
            STRF(setup->plan->site.engine));
    return 0;
}

bool job_conductor_waits(struct call *c, const struct place_of_study *where,
                         struct buf *b)
{
    struct conductor_jobs jobs;
    struct stored_setup stored;
    struct err err = {0};
    struct buf words;
    bool lives = false;
    conductor_jobs_read(where->folder, &jobs);
    if (!jobs.now || stored_setup_open(c, where, &stored))
        return false;
    buf_init(&words);
    if (conductor_job_tell(&stored.setup, &words, &lives, &err))
        buf_addf(b,
                 "not running; whether its conductor, job %llu, waits "
                 "cannot be told: %s\n",
                 (unsigned long long)jobs.now, err.text);
    else if (lives)
        buf_addf(b, "not running now; its conductor is %s\n", words.p);
    buf_done(&words);
    stored_setup_close(&stored);
    return lives || err.kind;
}
