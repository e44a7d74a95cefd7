/* alone.c - a program that is a job of its own, beside the bundles
 *
 * Whoever asks waits for the scheduler's answer. */
#include "engine/jobs.h"

struct answer {
    struct job_receipt receipt;
    enum job_stage stage;
    bool known;
    struct buf *words;
    struct err err;
};

static void on_receipt(void *context, const struct job_receipt *r)
{
    struct answer *a = context;
    a->receipt = *r;
}

/* What it has that the site does not say: of its own, or of the shortest
 * class. */
static const struct value *own_options(const struct jobs *j)
{
    const struct value *v = value_get(j->given->site, STR("conductor"));
    if (v && v->kind == VALUE_OBJECT && v->count)
        return v;
    return j->classes.list.len ? j->classes.list.p[0].options : NULL;
}

int jobs_alone(void *place, const struct engine_alone *o, uint64_t *job,
               struct err *err)
{
    struct jobs *j = place;
    struct answer a = {0};
    const struct value *options = own_options(j);
    struct job_order order = {
        .folder = o->folder,
        .name = arena_printf(j->arena, "%s.conductor", j->label),
        .count = 1,
        .slots = 1,
        .time_s = site_number(options, "time", j->time_s),
        .lead_s = j->lead_s,
        .exclude = "",
        .mark = "",
        .command = o->command,
        .after = o->after,
        .class = options};
    struct buf text;
    needs_init(&order.needs);
    buf_init(&text);
    j->scheduler->print(j->at, &order, &text);
    int rc = file_write(path_join(j->arena, o->folder, j->scheduler->file),
                        buf_str(&text), false, err);
    buf_done(&text);
    if (rc)
        return -1;
    j->scheduler->waits(j->at, true);
    j->scheduler->submit(j->at, &order, on_receipt, &a);
    j->scheduler->waits(j->at, false);
    if (!a.receipt.job)
        return err_set(err, ERR_SYSTEM, "%s refused the job: %.900s",
                       j->scheduler->name, a.receipt.why.text);
    *job = a.receipt.job;
    return 0;
}

static void on_words(void *context, const struct job_word *words, size_t count,
                     const struct err *err)
{
    struct answer *a = context;
    if (!words) {
        a->err = *err;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        a->known = true;
        a->stage = words[i].stage;
        buf_addf(a->words, "%.*s", STRF(words[i].state));
        if (words[i].reason.len)
            buf_addf(a->words, " (%.*s)", STRF(words[i].reason));
        if (words[i].words.len)
            buf_addf(a->words, ", %.*s", STRF(words[i].words));
    }
}

int jobs_alone_look(void *place, uint64_t job, struct engine_alone_state *state,
                    struct err *err)
{
    struct jobs *j = place;
    struct answer a = {.words = &state->words};
    struct job_asked asked = {job, "", 1};
    buf_addf(a.words, "%s job %llu", j->scheduler->name,
             (unsigned long long)job);
    size_t name = a.words->len;
    buf_adds(a.words, ": ");
    j->scheduler->waits(j->at, true);
    j->scheduler->look(j->at, &asked, 1, on_words, &a);
    j->scheduler->waits(j->at, false);
    if (a.err.kind)
        return err_set(err, a.err.kind, "%s", a.err.text);
    state->lives = a.known && a.stage != JOB_OVER;
    if (!a.known) {
        a.words->len = name;
        buf_adds(a.words, ", which is not known any more");
    }
    return 0;
}

void jobs_alone_cancel(void *place, uint64_t job)
{
    struct jobs *j = place;
    struct job_cancel which = {.job = job, .wait = true};
    j->scheduler->cancel(j->at, &which);
}
