/* slurm.c - place slurm: jobs of a cluster that Slurm hands out
 *
 * Slurm is spoken to by its own commands alone: sbatch takes a script with
 * its options in it, squeue answers for all of our jobs at once, sacct knows
 * those that squeue has forgotten, where there is accounting, scancel ends
 * them. Nothing of this study is in their arguments but paths and numbers. */
#include "engine/asking.h"
#include "engine/jobs.h"
#include "engine/slurm_text.h"
#include "base/num.h"
#include <math.h>
#include <unistd.h>

extern char **environ;

/* Site after site lets a command wait that long when it is busy. */
#define COMMAND_SECONDS 120.0
#define ARRAY_MAX 1000 /* where Slurm does not say */
#define SAID_MAX 300   /* shown of an error */

struct slurm {
    const struct engine_setup *given;
    const struct value *site; /* may be NULL */
    struct arena *arena;
    const char **env;
    struct askings askings;
    struct nodes nodes;
    uint32_t array_max, jobs_max;
    uint32_t kill_wait_s; /* from SIGTERM to SIGKILL; 0: Slurm does not say */
    bool accounting;
};

/* ---- options of the site ------------------------------------------------- */

static struct str option(const struct slurm *s, const char *name)
{
    return value_text(value_get(s->site, str_of(name)));
}

/* ---- the script ---------------------------------------------------------- */

static void add_text(struct buf *b, const char *name, struct str value)
{
    if (value.len)
        buf_addf(b, "#SBATCH --%s=%.*s\n", name, STRF(value));
}

/* A text that a shell takes as it is. */
static void add_quoted(struct buf *b, const char *text)
{
    buf_addc(b, '\'');
    for (; *text; text++)
        if (*text == '\'')
            buf_adds(b, "'\\''");
        else
            buf_addc(b, *text);
    buf_addc(b, '\'');
}

/* The ranks of a task on several nodes, or its one process. */
static void add_tasks(const struct slurm *s, const struct needs *n,
                      struct buf *b)
{
    struct spread r;
    if (needs_spread(n, &r))
        buf_addf(b,
                 "#SBATCH --nodes=%u\n#SBATCH --ntasks=%u\n"
                 "#SBATCH --ntasks-per-node=%u\n",
                 r.nodes, r.ranks, r.ranks_per_node);
    else
        buf_addf(b, "#SBATCH --nodes=%.0f\n#SBATCH --ntasks=1\n",
                 site_number(s->site, "nodes", 1));
}

/* How many cpus each of them has, of those that a node gives the job. */
static double cpus_each(const struct needs *n, double cpus)
{
    struct spread r;
    if (needs_spread(n, &r))
        cpus /= r.ranks_per_node;
    return fmax(1, ceil(cpus - 1e-6));
}

static void add_room(const struct slurm *s, const struct job_order *order,
                     struct buf *b)
{
    const struct needs *n = &order->needs;
    uint32_t slots = order->slots ? order->slots : nodes_most(&s->nodes, n);
    struct needs part = needs_of_node(n);
    struct needs all = needs_times(&part, slots ? slots : 1);
    add_tasks(s, n, b);
    if (!order->slots)
        buf_adds(b, "#SBATCH --exclusive\n#SBATCH --mem=0\n");
    else if (all.memory_bytes)
        buf_addf(b, "#SBATCH --mem=%.0fM\n",
                 ceil((double)all.memory_bytes / (1 << 20)));
    buf_addf(b, "#SBATCH --cpus-per-task=%.0f\n", cpus_each(n, all.cpus));
    if (all.gpus > 0) {
        struct str type = nodes_gpu_type(&s->nodes, n);
        buf_addf(b, "#SBATCH --gres=gpu:%.*s%s%.0f\n", STRF(type),
                 type.len ? ":" : "", all.gpus);
    }
}

static void add_time(const struct job_order *order, struct buf *b)
{
    if (order->time_s > 0) {
        uint64_t t = (uint64_t)ceil(order->time_s);
        buf_addf(b, "#SBATCH --time=%llu:%02u:%02u\n",
                 (unsigned long long)(t / 3600), (unsigned)(t / 60 % 60),
                 (unsigned)(t % 60));
    }
    buf_addf(b, "#SBATCH --signal=B:USR1@%.0f\n", ceil(order->lead_s));
}

/* What the class of the job says, else the site. */
static struct str chosen(const struct slurm *s, const struct job_order *order,
                         const char *name)
{
    const struct value *own = value_get(order->class, str_of(name));
    return own ? value_text(own) : option(s, name);
}

/* What the site leaves out, and what went badly. */
static void add_left_out(const struct slurm *s, const struct job_order *order,
                         const char *option_name, struct buf *b)
{
    struct str site = chosen(s, order, "exclude");
    if (site.len || *order->exclude)
        buf_addf(b, "%s%.*s%s%s", option_name, STRF(site),
                 site.len && *order->exclude ? "," : "", order->exclude);
}

static void add_exclude(const struct slurm *s, const struct job_order *order,
                        struct buf *b)
{
    size_t before = b->len;
    add_left_out(s, order, "#SBATCH --exclude=", b);
    if (b->len > before)
        buf_addc(b, '\n');
}

static void add_more(const struct value *from, struct buf *b)
{
    const struct value *more = value_get(from, STR("sbatch"));
    for (size_t i = 0; more && more->kind == VALUE_LIST && i < more->count; i++)
        buf_addf(b, "#SBATCH %.*s\n", STRF(value_text(more->items[i])));
}

static void add_site(const struct slurm *s, const struct job_order *order,
                     struct buf *b)
{
    static const char *const texts[] = {"partition", "account", "qos",
                                        "constraint", "reservation"};
    const struct value *requeue = value_get(s->site, STR("requeue"));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(b, texts[i], chosen(s, order, texts[i]));
    bool no = requeue && requeue->kind == VALUE_BOOL && !requeue->boolean;
    buf_addf(b, "#SBATCH --%srequeue\n", no || order->command ? "no-" : "");
    if (option(s, "mail").len) {
        add_text(b, "mail-user", option(s, "mail"));
        buf_adds(b, "#SBATCH --mail-type=END,FAIL\n");
    }
    add_more(s->site, b);
    add_more(order->class, b);
}

/* An option of the worker. */
static void add_number(struct buf *b, const char *name, double value)
{
    buf_addf(b, " --%s %.0f", name, value);
}

static void add_worker(const struct slurm *s, const struct job_order *order,
                       struct buf *b)
{
    struct str setup = str_trim(option(s, "setup"));
    if (option(s, "scratch").len) {
        buf_adds(b, "export TMPDIR=");
        add_quoted(b, arena_cstr(s->arena, option(s, "scratch")));
        buf_addc(b, '\n');
    }
    if (setup.len)
        buf_addf(b, "%.*s\n", STRF(setup));
    buf_adds(b, "exec ");
    add_quoted(b, s->given->worker);
    buf_adds(b, " --bundle \"$SLURM_ARRAY_TASK_ID.tasks\""
                " --start \"${SLURM_RESTART_COUNT:-0}\""
                " --asked \"$SLURM_ARRAY_TASK_ID.asked\" --folder ");
    add_quoted(b, s->given->folder);
    buf_adds(b, " --tools ");
    add_quoted(b,
               path_join(s->arena, submission_root(s->arena, s->given->folder),
                         "tools"));
    /* Its room is the job's, not the machine's: others have the rest. */
    buf_adds(b, " --granted slurm");
    if (order->slots)
        add_number(b, "slots", order->slots);
    add_number(b, "lead", ceil(order->lead_s));
    if (s->kill_wait_s)
        add_number(b, "kill-wait", s->kill_wait_s);
    buf_adds(b, " --mark ");
    add_quoted(b, order->mark);
    if (s->given->mask)
        buf_addf(b, " --umask %o", (unsigned)*s->given->mask);
    buf_addc(b, '\n');
}

/* A program that is a job of its own: it is not begun again, whoever needs it
 * has another one. */
static void print_alone(const struct slurm *s, const struct job_order *order,
                        struct buf *b)
{
    struct str setup = str_trim(option(s, "setup"));
    buf_adds(b, "\n#SBATCH --output=../conductor.log\n"
                "#SBATCH --open-mode=append\n#SBATCH --nodes=1\n"
                "#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n");
    if (order->after)
        buf_addf(b, "#SBATCH --dependency=afterany:%llu\n",
                 (unsigned long long)order->after);
    add_time(order, b);
    add_site(s, order, b);
    if (setup.len)
        buf_addf(b, "%.*s\n", STRF(setup));
    buf_addf(b, "exec %s\n", order->command);
}

static void slurm_print(const void *scheduler, const struct job_order *order,
                        struct buf *b)
{
    const struct slurm *s = scheduler;
    buf_addf(b, "#!/bin/sh\n#SBATCH --job-name=%s\n#SBATCH --array=0-%u",
             order->name, order->count - 1);
    if (order->command) {
        print_alone(s, order, b);
        return;
    }
    if (order->at_once && order->at_once < order->count)
        buf_addf(b, "%%%u", order->at_once);
    buf_adds(b, "\n#SBATCH --output=%a.log\n#SBATCH --open-mode=append\n");
    add_room(s, order, b);
    add_time(order, b);
    add_exclude(s, order, b);
    add_site(s, order, b);
    add_worker(s, order, b);
}

/* ---- sbatch -------------------------------------------------------------- */

static void on_submitted(void *context, const struct command_end *end)
{
    struct job_receipt r = {.why = end->why};
    if (end->code == 0)
        r.job = slurm_job_id(end->printed);
    if (!r.job && end->code == 0)
        asking_unheard(end, "sbatch", &r.why);
    r.passing = !r.job && (end->code == 0 || slurm_passes(str_of(r.why.text)));
    asking_answer(context, &r);
}

static void slurm_submit(void *scheduler, const struct job_order *order,
                         job_receipt_fn *fn, void *context)
{
    struct slurm *s = scheduler;
    struct asking *a = asking_new(&s->askings, sizeof *a, context);
    const char *argv[] = {"sbatch", "--parsable",
                          arena_printf(a->arena, "--chdir=%s", order->folder),
                          path_join(a->arena, order->folder, "job.sh"), NULL};
    a->receipt = fn;
    askings_run(&s->askings, argv, on_submitted, a);
}

static void on_found(void *context, const struct command_end *end)
{
    struct job_receipt r = {.passing = true};
    struct str text = end->printed, first;
    if (end->code)
        r.why = end->why;
    else if (text.len && str_split(&text, '\n', &first))
        r.job = slurm_job_id(first);
    asking_answer(context, &r);
}

static void slurm_find(void *scheduler, const char *name, job_receipt_fn *fn,
                       void *context)
{
    struct slurm *s = scheduler;
    struct asking *a = asking_new(&s->askings, sizeof *a, context);
    const char *argv[] = {
        "squeue",
        "--noheader",
        "--states=all",
        arena_printf(a->arena, "--user=%u", (unsigned)geteuid()),
        arena_printf(a->arena, "--name=%s", name),
        "--Format=ArrayJobID:;",
        NULL};
    a->receipt = fn;
    commands_add(s->askings.commands, argv, on_found, a);
}

/* ---- squeue and sacct -------------------------------------------------- */

/* A question about jobs. */
struct question {
    struct asking asking;
    struct slurm *slurm;
    job_words_fn *words;
    uint64_t *jobs;
    size_t count;
    struct job_words found;
};

static void forget_found(struct asking *a)
{
    vec_done(&((struct question *)a)->found.list);
}

static char *join_jobs(const struct question *a, struct arena *arena)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < a->count; i++)
        buf_addf(&b, "%s%llu",
                 i ? "," : "--jobs=", (unsigned long long)a->jobs[i]);
    char *joined = arena_cstr(arena, buf_str(&b));
    buf_done(&b);
    return joined;
}

static void answer(struct question *a, const struct err *err)
{
    static const struct job_word none;
    const struct job_word *words = a->found.list.len ? a->found.list.p : &none;
    a->words(a->asking.context, err ? NULL : words, err ? 0 : a->found.list.len,
             err);
    asking_done(&a->asking);
}

/* Without it squeue's word stands alone. */
static void on_accounted(void *context, const struct command_end *end)
{
    struct question *a = context;
    if (end->code == 0)
        slurm_read_account(end->printed, a->asking.arena, &a->found);
    for (size_t i = 0; end->code == 0 && i < a->found.list.len; i++) {
        struct job_word *w = &a->found.list.p[i];
        w->by_later =
            w->stage == JOB_OVER && w->end == JOB_REMOVED && !w->by.len;
    }
    answer(a, NULL);
}

/* True when accounting knows more than squeue: of jobs that it has forgotten,
 * of who has cancelled one, and why one waits to begin again. */
static bool is_short(const struct question *a)
{
    for (size_t i = 0; i < a->count; i++) {
        bool known = false;
        for (size_t k = 0; k < a->found.list.len; k++) {
            const struct job_word *w = &a->found.list.p[k];
            known |= w->job == a->jobs[i];
            if ((w->stage == JOB_OVER && w->end == JOB_REMOVED) ||
                (w->stage == JOB_WAITS && w->starts > 0))
                return true;
        }
        if (!known)
            return true;
    }
    return false;
}

static void ask_account(struct question *a)
{
    const char *argv[] = {"sacct",
                          "--noheader",
                          "--parsable2",
                          "--allocations",
                          "--duplicates",
                          join_jobs(a, a->asking.arena),
                          "--format=" SLURM_ACCOUNT_FORMAT,
                          NULL};
    commands_add(a->slurm->askings.commands, argv, on_accounted, a);
}

/* Of one job alone, that it has forgotten, squeue says so as an error. */
static bool is_forgotten(const struct command_end *end)
{
    return end->code > 0 &&
           strstr(end->why.text, "Invalid job id specified") != NULL;
}

static void on_queue(void *context, const struct command_end *end)
{
    struct question *a = context;
    struct err err = end->why;
    bool good = end->code == 0 || is_forgotten(end);
    if (good && end->code == 0) {
        struct str text = arena_str(a->asking.arena, end->printed);
        good =
            end->said.len == 0 && slurm_read_queue(text, &a->found, &err) == 0;
        if (end->said.len)
            err_set(&err, ERR_SYSTEM, "squeue: %.*s",
                    (int)(end->said.len > SAID_MAX ? SAID_MAX : end->said.len),
                    end->said.p);
    }
    if (!good)
        answer(a, &err);
    else if (a->slurm->accounting && !a->slurm->askings.waits && is_short(a))
        ask_account(a);
    else
        answer(a, NULL);
}

static void slurm_look(void *scheduler, const struct job_asked *jobs,
                       size_t count, job_words_fn *fn, void *context)
{
    struct slurm *s = scheduler;
    struct question *a = asking_new(&s->askings, sizeof *a, context);
    a->asking.forget = forget_found;
    a->slurm = s;
    a->words = fn;
    a->count = count;
    a->jobs = arena_array(a->asking.arena, count, sizeof *a->jobs);
    for (size_t i = 0; i < count; i++)
        a->jobs[i] = jobs[i].job;
    const char *argv[] = {"squeue",
                          "--noheader",
                          "--array",
                          "--states=all",
                          join_jobs(a, a->asking.arena),
                          "--Format=" SLURM_QUEUE_FORMAT,
                          NULL};
    askings_run(&s->askings, argv, on_queue, a);
}

/* A question about all that this person has. */
struct usage_question {
    struct asking asking;
    queued_jobs_fn *fn;
};

static void on_usage(void *context, const struct command_end *end)
{
    static const struct queued_job none;
    struct usage_question *a = context;
    struct queued_jobs jobs = {0};
    struct err err = end->why;
    struct str text = arena_str(a->asking.arena, end->printed);
    bool good = end->code == 0 && slurm_read_usage(text, &jobs, &err) == 0;
    const struct queued_job *list = jobs.list.len ? jobs.list.p : &none;
    a->fn(a->asking.context, good ? list : NULL, good ? jobs.list.len : 0,
          &err);
    vec_done(&jobs.list);
    asking_done(&a->asking);
}

static void slurm_usage(void *scheduler, queued_jobs_fn *fn, void *context)
{
    struct slurm *s = scheduler;
    struct usage_question *a = asking_new(&s->askings, sizeof *a, context);
    a->fn = fn;
    const char *argv[] = {
        "squeue",
        "--noheader",
        "--array",
        arena_printf(a->asking.arena, "--user=%u", (unsigned)geteuid()),
        "--Format=" SLURM_USAGE_FORMAT,
        NULL};
    askings_run(&s->askings, argv, on_usage, a);
}

/* ---- scancel ---------------------------------------------------------------
 */

static void on_cancelled(void *context, const struct command_end *end)
{
    struct slurm *s = context;
    if (end->code)
        log_to(s->given->log, LOG_WARN, "%s", end->why.text);
}

static void slurm_cancel(void *scheduler, const struct job_cancel *c)
{
    struct slurm *s = scheduler;
    struct buf which;
    buf_init(&which);
    buf_addf(&which, "%llu", (unsigned long long)c->job);
    for (size_t i = 0; i < c->count; i++)
        buf_addf(&which, "%s%u", i ? "," : "_[", c->indices[i]);
    if (c->count)
        buf_addc(&which, ']');
    const char *argv[] = {"scancel", which.p,
                          c->waiting_only ? "--state=PENDING" : NULL, NULL};
    if (c->wait)
        commands_wait(s->askings.commands, argv, on_cancelled, s);
    else
        askings_run(&s->askings, argv, on_cancelled, s);
    buf_done(&which);
}

/* Jobs that have begun or ended meanwhile are complained about. */
static void on_settled(void *context, const struct command_end *end)
{
    (void)context;
    (void)end;
}

static void slurm_exclude(void *scheduler, uint64_t job,
                          const struct job_order *order)
{
    struct slurm *s = scheduler;
    struct buf which, nodes;
    buf_init(&which);
    buf_init(&nodes);
    buf_addf(&which, "JobId=%llu", (unsigned long long)job);
    add_left_out(s, order, "ExcNodeList=", &nodes);
    const char *argv[] = {"scontrol", "update", which.p, nodes.p, NULL};
    commands_add(s->askings.commands, argv, on_settled, s);
    buf_done(&which);
    buf_done(&nodes);
}

static void slurm_settle(void *scheduler, const uint64_t *jobs, size_t count)
{
    struct slurm *s = scheduler;
    struct buf list, update;
    buf_init(&list);
    buf_init(&update);
    for (size_t i = 0; i < count; i++)
        buf_addf(&list, "%s%llu", i ? "," : "", (unsigned long long)jobs[i]);
    buf_addf(&update, "JobId=%s", list.p);
    const char *once[] = {"scontrol", "update", update.p, "Requeue=0", NULL};
    const char *waiting[] = {"scancel", list.p, "--state=PENDING", NULL};
    commands_wait(s->askings.commands, once, on_settled, s);
    commands_wait(s->askings.commands, waiting, on_settled, s);
    buf_done(&list);
    buf_done(&update);
}

static void slurm_waits(void *scheduler, bool on)
{
    ((struct slurm *)scheduler)->askings.waits = on;
}

static void slurm_drain(void *scheduler)
{
    commands_drain(((struct slurm *)scheduler)->askings.commands);
}

/* ---- opening and closing
 * ----------------------------------------------------- */

/* What a shell inside of a job has in its environment is about that job, and
 * what a person likes squeue to print is not what we read. */
static bool is_foreign(const char *variable)
{
    static const char *const kept[] = {
        "SLURM_CONF=", "SLURM_CLUSTERS=", "SLURM_JWT="};
    static const char *const dropped[] = {"SLURM_", "SQUEUE_", "SINFO_",
                                          "SACCT_", "SCANCEL_"};
    struct str v = str_of(variable);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (str_starts(v, str_of(kept[i])))
            return false;
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (str_starts(v, str_of(dropped[i])))
            return true;
    return false;
}

static const char **own_environment(struct arena *a)
{
    VEC(const char *) env = {0};
    for (char **v = environ; *v; v++)
        if (!is_foreign(*v))
            vec_push(&env, *v);
    return vec_to_arena(a, &env);
}

/* The answer of a command that is waited for. */
struct told {
    struct arena *arena;
    struct str text;
    struct err err;
};

static void on_told(void *context, const struct command_end *end)
{
    struct told *t = context;
    t->err = end->why;
    t->text = arena_str(t->arena, end->printed);
}

static int ask_now(struct slurm *s, const char *const *argv, struct str *text,
                   struct err *err)
{
    struct told t = {.arena = s->arena};
    commands_wait(s->askings.commands, argv, on_told, &t);
    if (t.err.kind)
        return err_set(err, ERR_SYSTEM,
                       "engine slurm asks Slurm by its commands, and %s",
                       t.err.text);
    *text = t.text;
    return 0;
}

/* "3 sec" is 3. */
static uint32_t config_number(struct str config, const char *name)
{
    struct str rest = slurm_config(config, name), first = {0};
    uint64_t n;
    str_split(&rest, ' ', &first);
    return num_uint(first, &n) && n <= UINT32_MAX ? (uint32_t)n : 0;
}

/* "a,b": those of the site and of its classes; NULL: the default one. */
static const char *partitions(const struct slurm *s)
{
    const struct value *classes = value_get(s->site, STR("classes"));
    struct buf b;
    buf_init(&b);
    buf_addstr(&b, option(s, "partition"));
    for (size_t i = 0; classes && i < classes->count; i++) {
        struct str own =
            value_text(value_get(classes->items[i], STR("partition")));
        if (own.len)
            buf_addf(&b, "%s%.*s", b.len ? "," : "", STRF(own));
    }
    const char *all = b.len ? arena_cstr(s->arena, buf_str(&b)) : NULL;
    buf_done(&b);
    return all;
}

static int read_cluster(struct slurm *s, struct err *err)
{
    const char *partition = partitions(s);
    const char *config_argv[] = {"scontrol", "show", "config", NULL};
    const char *nodes_argv[] = {"sinfo", "--noheader", "--Node",
                                "--format=" SLURM_NODE_FORMAT, NULL};
    struct str config, nodes;
    if (ask_now(s, config_argv, &config, err) ||
        ask_now(s, nodes_argv, &nodes, err))
        return -1;
    /* The largest index is one less than Slurm's limit. */
    s->array_max = config_number(config, "MaxArraySize");
    s->array_max = s->array_max > 1 ? s->array_max - 1 : ARRAY_MAX;
    s->array_max = (uint32_t)fmin(
        s->array_max, site_number(s->site, "array_limit", s->array_max));
    s->jobs_max = config_number(config, "MaxJobCount");
    s->jobs_max = (uint32_t)site_number(s->site, "max_jobs",
                                        s->jobs_max ? s->jobs_max : UINT32_MAX);
    s->kill_wait_s = config_number(config, "KillWait");
    struct str store = slurm_config(config, "AccountingStorageType");
    s->accounting = store.len && !str_ends(store, STR("/none"));
    slurm_read_nodes(nodes, partition, s->arena, &s->nodes);
    if (s->nodes.list.len == 0)
        return err_set(err, ERR_INPUT,
                       "Slurm has no nodes in partition %s; `sinfo` lists what "
                       "it has",
                       partition ? partition : "(default)");
    return 0;
}

static void slurm_close(void *scheduler)
{
    struct slurm *s = scheduler;
    askings_close(&s->askings);
    vec_done(&s->nodes.list);
    free(s);
}

static void *slurm_open(const struct scheduler_setup *setup, struct err *err)
{
    struct slurm *s = xcalloc(1, sizeof *s);
    s->given = setup->given;
    s->site = setup->given->site;
    s->arena = setup->arena;
    s->env = own_environment(s->arena);
    struct commands_setup commands = {
        .loop = setup->given->loop, .env = s->env, .limit_s = COMMAND_SECONDS};
    s->askings.commands = commands_new(&commands);
    if (read_cluster(s, err) == 0)
        return s;
    slurm_close(s);
    return NULL;
}

static const struct nodes *slurm_nodes(const void *scheduler)
{
    return &((const struct slurm *)scheduler)->nodes;
}

static uint32_t slurm_array_max(const void *scheduler)
{
    return ((const struct slurm *)scheduler)->array_max;
}

static uint32_t slurm_jobs_max(const void *scheduler)
{
    return ((const struct slurm *)scheduler)->jobs_max;
}

static const struct scheduler scheduler_slurm = {
    .name = "Slurm",
    .file = "job.sh",
    .open = slurm_open,
    .close = slurm_close,
    .nodes = slurm_nodes,
    .array_max = slurm_array_max,
    .jobs_max = slurm_jobs_max,
    .print = slurm_print,
    .read_log = slurm_read_log,
    .submit = slurm_submit,
    .find = slurm_find,
    .look = slurm_look,
    .usage = slurm_usage,
    .cancel = slurm_cancel,
    .exclude = slurm_exclude,
    .settle = slurm_settle,
    .waits = slurm_waits,
    .drain = slurm_drain,
};

static void *place_open(const struct place_setup *setup, struct err *err)
{
    return jobs_open(&scheduler_slurm, setup, err);
}

PLACE(slurm) = {
    .name = "slurm",
    .open = place_open,
    .check = jobs_check,
    .alone = jobs_alone,
    .alone_look = jobs_alone_look,
    .alone_cancel = jobs_alone_cancel,
    JOBS_PLACE,
};
