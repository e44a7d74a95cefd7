/* task.c - from a trial to the task that a worker runs */
#include <unistd.h>
#include "base/json.h"
#include "base/rng.h"
#include "study/conductor.h"
#include "study/devices.h"
#include "study/infer_trial.h"
#include "terms/device.h"

#define SEED_MASK 0x7fffffffu /* every language can hold it */

/* A method that learns from results wants few members pending at once: each
 * that is out is a choice made without knowing it. */
#define COHORT_SHARE_LEARNING 4

/* State and weights of a built-in training are put with others' up to so many
 * bytes. For larger ones a file is no great cost. */
#define SAY_BYTES (1u << 16)

static size_t cohort_share(const struct plan *p)
{
    const struct device *d = device_find(p->device, NULL);
    size_t most = device_capacity(d, p->member_numbers);
    return p->strategy->learns != LEARNS_NOT && most > COHORT_SHARE_LEARNING
               ? COHORT_SHARE_LEARNING
               : most;
}

/* With `parallel: 8` on 2 cpus and no word about cpus, the person wants 8 at
 * once: each then needs less than a whole cpu. A member of a cohort needs its
 * share of a trainer. */
void study_share_cpus(const struct plan *p, double cpus, struct needs *n)
{
    struct spread ranks;
    if (p->cpus_said || needs_spread(n, &ranks))
        return;
    if (p->model_root)
        n->cpus = 1.0 / (double)cohort_share(p);
    if (p->parallel > cpus / n->cpus)
        n->cpus = cpus / p->parallel;
}

uint32_t study_cpus(const struct study *s)
{
    struct needs one;
    needs_init(&one);
    return engine_slots(s->engine, &one);
}

int study_fixed_needs(const struct study *s, struct needs *n, bool *fixed,
                      struct err *err)
{
    struct value empty = {.kind = VALUE_OBJECT};
    struct err why = {0};
    *fixed = true;
    if (plan_needs(s->plan, &empty, n, &why)) {
        if (s->plan->space.count == 0 && !s->plan->points)
            return err_set(err, why.kind, "%s", why.text);
        *fixed = false;
        needs_init(n);
    }
    study_share_cpus(s->plan, study_cpus(s), n);
    study_share_gpus(s->plan, s->gpus, n);
    study_device_share(s, n);
    return 0;
}

/* Belongs to the suggestion, so that a trial that a person adds changes no
 * other one. */
static uint64_t trial_seed(const struct plan *p, int64_t suggestion,
                           int64_t trial)
{
    struct rng r;
    if (suggestion)
        rng_init(&r, p->seed, (uint64_t)suggestion, "trial seed");
    else
        rng_init(&r, p->seed, (uint64_t)trial, "added trial seed");
    return rng_u32(&r) & SEED_MASK;
}

uint64_t study_suggestion_seed(const struct plan *plan, int64_t suggestion)
{
    return trial_seed(plan, suggestion, 0);
}

int study_trial_seed(struct store *store, const struct plan *plan,
                     int64_t trial, uint64_t *seed, struct err *err)
{
    struct added added = {0};
    int rc = added_read(&added, store, err);
    if (!rc)
        *seed = trial_seed(plan, added_suggestion(&added, trial), trial);
    added_done(&added);
    return rc;
}

/* Objectives and bounds, where they are more than the metric alone. */
static struct str metric_names(const struct goal *g, struct arena *a)
{
    struct buf b;
    buf_init(&b);
    if (g->objective_count + g->bound_count > 1) {
        for (size_t i = 0; i < g->objective_count; i++)
            buf_addf(&b, "%.*s\n", STRF(g->objectives[i].name));
        for (size_t i = 0; i < g->bound_count; i++)
            buf_addf(&b, "%.*s\n", STRF(g->bounds[i].name));
    }
    struct str names = arena_str(a, str_trim(buf_str(&b)));
    buf_done(&b);
    return names;
}

static bool lies_in(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 &&
           (path[len] == '/' || path[len] == 0);
}

/* A container sees the study's folders where they are outside. */
static void fill_container(const struct study *s, struct arena *a,
                           struct task *t)
{
    const char *home = s->setup.home, *folder = s->setup.folder;
    if (!s->plan->container.len)
        return;
    struct str more = plan_binds(s->plan, home, a);
    bool around = lies_in(folder, home);
    t->container = plan_container(s->plan, home, a);
    t->binds = str_of(arena_printf(a, "%s%s%s%s%.*s", home, around ? "" : "\n",
                                   around ? "" : folder, more.len ? "\n" : "",
                                   STRF(more)));
}

static void fill_kind(const struct plan *p, struct arena *a, struct task *t)
{
    struct buf text;
    t->kind = str_of(p->kind->name);
    if (!p->kind_options)
        return;
    buf_init(&text);
    json_print(&text, p->kind_options);
    t->options = arena_str(a, buf_str(&text));
    buf_done(&text);
}

/* What every task of the study has in common. */
static void fill_common(const struct study *s, struct arena *a, struct task *t)
{
    const struct plan *p = s->plan;
    fill_kind(p, a, t);
    t->setup = plan_setup(p, a);
    t->workdir = p->workdir_trial ? str_n("", 0) : str_of(s->code_home);
    fill_container(s, a, t);
    t->env = plan_env(p, s->setup.home, a, &t->env_count);
    t->study = p->name;
    t->subset = s->setup.subset;
    t->outputs = p->outputs;
    t->output_count = p->output_count;
    t->metric_name = p->metric.name;
    t->metrics = metric_names(&p->goal, a);
    t->metric_pattern = p->metric.pattern;
    t->metric_file = p->metric.file;
    t->wandb = p->wandb;
    if (str_is(p->protocol, "candle"))
        t->protocol = p->protocol;
    t->grace_s = p->grace_s;
    t->output_max_bytes = p->output_max_bytes;
}

static void fill_parent(const struct study *s, const struct live *l,
                        struct arena *a, struct task *t)
{
    if (l->t.parent <= 0)
        return;
    char *folder = store_trial_folder(s->store, l->t.parent, a);
    t->resume_from = str_of(path_join(a, folder, "checkpoint"));
}

/* A program that a study names by a relative path lies with the study file,
 * also for a task that runs in a folder of its own. */
static struct str in_home(const struct plan *p, struct str name,
                          const char *home, struct arena *a)
{
    if (name.len == 0 || name.p[0] == '/' || plan_makes(p, name))
        return name;
    char *path = path_join(a, home, arena_cstr(a, name));
    return file_exists(path) ? str_of(path) : name;
}

int study_command(const struct plan *p, const char *home,
                  const struct value *point, struct arena *a,
                  const struct arg **argv, size_t *argc, struct err *err)
{
    if (plan_command(p, point, a, argv, argc, err))
        return -1;
    if (!p->workdir_trial)
        return 0;
    struct arg *own = arena_array(a, *argc + 1, sizeof(*own));
    for (size_t i = 0; i < *argc; i++) {
        own[i] = (*argv)[i];
        struct str text = own[i].text;
        bool path = i == 0 && str_find(text, '/') >= 0;
        if (own[i].kind == ARG_TEXT && (path || str_eq(text, p->program)))
            own[i].text = in_home(p, text, home, a);
    }
    *argv = own;
    return 0;
}

/* Built-in training: the model with the trial's parameters, and where its
 * data lies: beside the model file. */
static int fill_model(const struct study *s, const struct live *l,
                      const struct value *point, struct arena *a,
                      struct task *t, struct err *err)
{
    const struct plan *p = s->plan;
    struct value *model = plan_model(p, point, a, err);
    struct buf text;
    if (!model)
        return -1;
    buf_init(&text);
    json_print(&text, model);
    t->model = arena_str(a, buf_str(&text));
    buf_done(&text);
    /* A copy: the attempt that it may be of is about to become another. */
    t->device = arena_str(a, study_device(s, l, model));
    t->auto_device = job_device_is_auto(p);
    if (l->earlier)
        t->before = arena_str(a, str_of(l->a.use.device));
    t->workdir = str_of(
        path_folder(a, path_join(a, s->setup.home, arena_cstr(a, p->model))));
    return 0;
}

/* Which weights are worth writing. Where a rank is more than one number, or
 * a trial may go on later, all of them are. */
static void fill_keep(const struct study *s, const struct live *l,
                      struct task *t)
{
    const struct plan *p = s->plan;
    bool plain = p->goal.objective_count == 1 && !p->goal.bound_count &&
                 p->repeat == 1 && l->t.budget == 0;
    t->maximize = !p->metric.minimize;
    t->pick_best = p->metric.pick == PICK_BEST;
    if (p->keep == KEEP_NONE)
        t->keep_best = -1;
    else if (p->keep != KEEP_ALL && plain)
        t->keep_best = p->keep_count > 0 ? p->keep_count : -1;
}

/* What a trial leaves at a rung is small and comes often. Elsewhere than here
 * somebody might look for it before it can be seen. */
static void fill_said(const struct study *s, const struct live *l,
                      struct task *t)
{
    const struct early *e = &s->plan->early;
    bool promotes = e->kind == EARLY_ASHA && e->promote;
    if (promotes && l->t.budget > 0 && !attempt_folder(l) && !study_outlives(s))
        t->say_bytes = SAY_BYTES;
}

static int ask_model(const struct study *s, const struct value *point,
                     struct arena *a, struct task *t, struct err *err)
{
    const char *notice;
    if (infer_trial(s->plan, s->setup.home, s->setup.folder, point, t, &notice,
                    a, err))
        return -1;
    if (notice)
        log_to(s->setup.log, LOG_NOTICE, "%s", notice);
    return 0;
}

static int fill_rows(const struct study *s, const struct value *point,
                     struct arena *a, struct task *t, struct err *err)
{
    if (s->bulk ? bulk_fill(s->bulk, point, t, err)
                : ask_model(s, point, a, t, err))
        return -1;
    t->device = study_asked_device(s, t);
    t->auto_device = job_device_is_auto(s->plan);
    return 0;
}

static int fill_work(const struct study *s, const struct live *l,
                     const struct value *point, struct arena *a, struct task *t,
                     struct err *err)
{
    const struct plan *p = s->plan;
    fill_common(s, a, t);
    if (p->kind->runs == RUNS_MODEL)
        return fill_model(s, l, point, a, t, err);
    if (p->kind->runs == RUNS_ROWS)
        return fill_rows(s, point, a, t, err);
    if (s->bulk && bulk_fill(s->bulk, point, t, err))
        return -1;
    if (p->kind->runs == RUNS_COMMAND &&
        study_command(p, s->code_home, point, a, &t->argv, &t->argc, err))
        return -1;
    return plan_files(p, point, a, &t->files, &t->file_count, err);
}

/* Where nobody can say whether the attempt before still writes, this one
 * begins with a copy of what there is. */
static void fill_folder(const struct study *s, const struct live *l,
                        struct arena *a, struct task *t)
{
    const char *study = s->setup.folder;
    uint32_t own = attempt_folder(l);
    t->folder = str_of(store_attempt_folder(study, l->t.id, own, a));
    if (own != l->stood_in)
        t->copy_of =
            str_of(store_attempt_folder(study, l->t.id, l->stood_in, a));
}

int study_needs(const struct study *s, const struct value *point,
                struct needs *n, struct err *err)
{
    if (plan_needs(s->plan, point, n, err))
        return -1;
    study_share_cpus(s->plan, study_cpus(s), n);
    study_share_gpus(s->plan, s->gpus, n);
    study_device_share(s, n);
    return 0;
}

int study_task(const struct study *s, const struct live *l, struct arena *a,
               struct task *t, struct err *err)
{
    const struct plan *p = s->plan;
    struct value *point = json_parse(a, l->t.point, "point", false, err);
    if (!point || study_needs(s, point, &t->needs, err) ||
        fill_work(s, l, point, a, t, err))
        return -1;
    study_device_needs(s, t);
    fill_parent(s, l, a, t);
    t->id = (uint64_t)l->t.id;
    t->attempt = live_is_out(l) ? l->a.number : l->t.attempts + 1;
    t->params = l->t.point;
    /* A model that is asked draws as it does by itself: as for `predict`. */
    if (p->kind->runs != RUNS_ROWS || s->bulk)
        t->seed = trial_seed(p, l->suggestion, l->t.id);
    t->budget = l->t.budget;
    if (p->model_root) {
        fill_keep(s, l, t);
        fill_said(s, l, t);
    }
    fill_folder(s, l, a, t);
    return 0;
}

/* A trainer finds its state in the folder or here. One that was paused a moment
 * ago may be promoted with it: so this comes behind the commit. */
int study_task_send(const struct study *s, const struct live *l,
                    struct arena *a, struct task *t, struct err *err)
{
    struct stored_file f;
    if (!s->plan->model_root || !l->earlier || l->t.parent > 0)
        return 0;
    if (store_file_find(s->store, l->t.id, TASK_STATE, a, &f, err))
        return -1;
    if (f.path)
        t->state =
            (struct task_state){str_of(f.path), f.at, f.len, f.hash, f.bytes};
    return 0;
}

/* Behind the last step of each metric that a trial has. */
static int fill_steps(const struct study *s, int64_t trial, struct arena *a,
                      struct task *t, struct err *err)
{
    const char **names = store_metric_names(s->store, trial, a, err);
    if (!names)
        return -1;
    size_t count = 0;
    while (names[count])
        count++;
    struct task_step *steps = arena_array(a, count + 1, sizeof(*steps));
    for (size_t i = 0; i < count; i++) {
        struct series series;
        if (store_series(s->store, trial, names[i], a, &series, err))
            return -1;
        int64_t last = series.count ? series.steps[series.count - 1] : -1;
        if (last >= 0 && last < INT64_MAX)
            steps[t->step_count++] =
                (struct task_step){str_of(names[i]), last + 1};
    }
    t->steps = steps;
    return 0;
}

/* Where nothing was reported since the trial was begun, it stands where the one
 * did whose checkpoint it got. */
int study_task_go_on(const struct study *s, const struct live *l,
                     struct arena *a, struct task *t, struct err *err)
{
    bool silent = !l->earlier || (l->a.anew && l->a.first_step == INT64_MAX);
    t->metrics_at = l->a.metrics_at;
    t->log_at = l->a.log_at;
    t->anew = l->a.anew;
    t->only_read = run_reads_first(l);
    if (s->plan->model_root && l->t.parent <= 0)
        t->unheard = silent ? 1 : summary_last_step(&l->summary) + 1;
    if (s->plan->model_root) /* a trainer counts epochs */
        return 0;
    if (!silent && fill_steps(s, l->t.id, a, t, err))
        return -1;
    return !t->step_count && l->t.parent > 0
               ? fill_steps(s, l->t.parent, a, t, err)
               : 0;
}

void study_task_settled(const struct study *s, int64_t trial)
{
    struct arena *a = arena_new();
    char *folder = store_trial_folder(s->store, trial, a);
    unlink(path_join(a, folder, "metrics.jsonl"));
    unlink(path_join(a, folder, TASK_ANEW));
    arena_free(a);
}
