/* facts.c - where a study came from, and whether it is still the same one
 *
 * Written once, when the store is made: the study file, what makes the study
 * itself (its identity), the objective, and the state of the source around
 * it: git commit, uncommitted diff, interpreter, command. The environment is
 * never stored; secrets in command lines are redacted. */
#include <stdio.h>
#include "base/json.h"
#include "study/conductor.h"
#include "study/git.h"
#include "study/program_read.h"

#define GIT_TEXT_MAX (1u << 20)
#define GIT_WAIT_S 5.0

/* Stores a text without the secrets in it. */
static int set_redacted(struct study *s, const char *fact, struct str text,
                        struct err *err)
{
    struct buf b;
    buf_init(&b);
    plan_redact(&b, s->plan, text);
    int rc = store_fact_set(s->store, fact, buf_str(&b), err);
    buf_done(&b);
    return rc;
}

/* ---- git -------------------------------------------------------------- */

/* Runs git in the study's folder and stores its output as a fact; a git
 * that fails or is not there is no fault. */
static int git_fact(struct study *s, const char *fact, const char *const *argv,
                    struct err *err)
{
    struct buf b;
    struct arena *a = arena_new();
    char *scratch = path_join(a, s->setup.folder, "git.out");
    int rc = 0;
    buf_init(&b);
    if (program_read(s->setup.home, scratch, argv, GIT_WAIT_S, &b) == 0 &&
        b.len && b.len <= GIT_TEXT_MAX)
        rc = set_redacted(s, fact, str_trim(buf_str(&b)), err);
    buf_done(&b);
    arena_free(a);
    return rc;
}

int study_facts_git(struct study *s, struct err *err)
{
    static const char *const head[] = {"git", "rev-parse", "HEAD", NULL};
    static const char *const diff[] = {"git", "diff", "HEAD", NULL};
    if (!git_is_around(s->setup.home))
        return 0;
    if (git_fact(s, "commit", head, err))
        return -1;
    return git_fact(s, "diff", diff, err);
}

/* ---- facts ------------------------------------------------------------ */

static void print_command_template(struct buf *b, const struct plan *p)
{
    struct arena *a = arena_new();
    struct value *command = value_get(p->root, STR("command"));
    if (command)
        json_print(b, plan_redacted(p, command, a));
    else
        plan_redact(b, p, p->program);
    arena_free(a);
}

static int write_study_text(struct study *s, struct buf *b, struct err *err)
{
    buf_reset(b);
    plan_redact_study(b, s->plan);
    return store_fact_set(s->store, "text", buf_str(b), err);
}

static int write_goal(struct study *s, struct buf *b, struct err *err)
{
    buf_reset(b);
    goal_print(b, &s->plan->goal);
    return store_fact_set(s->store, "goals", buf_str(b), err);
}

static int write_texts(struct study *s, struct buf *b, struct err *err)
{
    const struct plan *p = s->plan;
    char created[32];
    snprintf(created, sizeof(created), "%.3f", clock_wall());
    if (store_fact_set(s->store, "name", p->name, err) ||
        store_fact_set(s->store, "file", p->file, err) ||
        store_fact_set(s->store, "metric", p->metric.name, err) ||
        store_fact_set(s->store, "goal",
                       p->metric.minimize ? STR("minimize") : STR("maximize"),
                       err) ||
        write_goal(s, b, err) ||
        store_fact_set(s->store, "method", p->method, err) ||
        store_fact_set(s->store, "created", str_of(created), err))
        return -1;
    buf_reset(b);
    print_command_template(b, p);
    return store_fact_set(s->store, "command", buf_str(b), err);
}

static int write_space(struct study *s, struct buf *b, struct err *err)
{
    struct arena *a = arena_new();
    buf_reset(b);
    json_print(b, space_to_value(&s->plan->space, a));
    int rc = store_fact_set(s->store, "space", buf_str(b), err);
    char *python = path_program(a, "python", NULL);
    if (!python)
        python = path_program(a, "python3", NULL);
    if (!rc && python)
        rc = store_fact_set(s->store, "interpreter", str_of(python), err);
    arena_free(a);
    return rc;
}

/* Kept once: what happens to its source later changes nothing here. */
static int write_warm_start(struct study *s, struct buf *b, struct err *err)
{
    if (!s->plan->warm_start.len)
        return 0;
    struct arena *a = arena_new();
    struct value *known =
        study_warm_read(s->plan, s->setup.home, s->setup.log, a, err);
    int rc = known ? 0 : -1;
    buf_reset(b);
    if (known)
        json_print(b, known);
    if (known)
        rc = store_fact_set(s->store, "warm_start", buf_str(b), err);
    arena_free(a);
    return rc;
}

/* The names of the parameters in the order of the file. */
static int write_order(struct study *s, struct buf *b, struct err *err)
{
    const struct plan *p = s->plan;
    buf_reset(b);
    buf_addc(b, '[');
    for (size_t i = 0; i < p->space.count; i++) {
        if (i)
            buf_addc(b, ',');
        json_string(b, p->written[i]);
    }
    buf_addc(b, ']');
    return store_fact_set(s->store, "written", buf_str(b), err);
}

/* What may change between runs: kept current for the faces that read. */
static int write_current(struct study *s, struct buf *b, struct err *err)
{
    if (write_study_text(s, b, err) || write_order(s, b, err))
        return -1;
    buf_reset(b);
    plan_identity(b, s->plan); /* a list of points may have grown */
    if (store_fact_set(s->store, "identity", buf_str(b), err))
        return -1;
    struct counts counts;
    if (store_counts(s->store, &counts, err))
        return -1;
    buf_reset(b);
    buf_addf(b, "%lld", (long long)study_total(s, &counts));
    return store_fact_set(s->store, "total", buf_str(b), err);
}

int study_facts_write(struct study *s, struct err *err)
{
    struct buf b;
    buf_init(&b);
    int rc = write_texts(s, &b, err);
    if (!rc)
        rc = write_space(s, &b, err);
    if (!rc)
        rc = write_warm_start(s, &b, err);
    if (!rc && s->setup.fixed.len)
        rc = store_fact_set(s->store, "fixed", s->setup.fixed, err);
    if (!rc)
        rc = study_facts_git(s, err);
    if (!rc)
        rc = write_current(s, &b, err);
    buf_done(&b);
    return rc;
}

/* What the faces read of a study, after a change that was taken in. */
static int write_mended(struct study *s, struct buf *b, struct err *err)
{
    const struct plan *p = s->plan;
    if (store_fact_set(s->store, "metric", p->metric.name, err) ||
        store_fact_set(s->store, "goal",
                       p->metric.minimize ? STR("minimize") : STR("maximize"),
                       err) ||
        write_goal(s, b, err))
        return -1;
    buf_reset(b);
    print_command_template(b, p);
    return store_fact_set(s->store, "command", buf_str(b), err);
}

int study_facts_check(struct study *s, struct err *err)
{
    struct study_changes c = {0};
    struct buf b;
    buf_init(&b);
    buf_init(&c.lines);
    int rc = study_changes(s->plan, s->store, &c, err);
    if (!rc)
        rc = study_changes_refuse(s->plan, &c, err);
    if (!rc && c.lines.len)
        rc = study_mend(s, &c, err) || write_mended(s, &b, err) ? -1 : 0;
    if (!rc)
        rc = write_current(s, &b, err);
    buf_done(&b);
    buf_done(&c.lines);
    return rc;
}
