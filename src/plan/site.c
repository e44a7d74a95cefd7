/* site.c - what the scheduler of a site is told
 *
 * A study file stays free of the names of one site: they stand in a profile,
 * a member of the file of profiles in the person's configuration. What counts
 * is the profile, over it the variables that CANDLE's launchers take, over
 * these the study's own `slurm:` or `htcondor:`. Every setting is checked
 * where it is read, and the place gets one object in which times are seconds
 * and counts are whole numbers.
 *
 * A key is one row of the table. What else a scheduler takes, its function
 * other_NAME says, without which its row in terms/place.h does not compile. */
#include "plan/reading.h"

#include <stdlib.h>
#include "base/chars.h"
#include "base/num.h"

/* Schedulers as bits. */
#define OF(name) (1u << SITE_##name)
#define OF_ANY ((1u << SITE_COUNT) - 1)

/* One setting as the place gets it; NULL after a problem. */
typedef struct value *site_fn(const struct reading *in, const struct value *v,
                              const char *what);

static struct value *site_text(const struct reading *in, const struct value *v,
                               const char *what)
{
    struct str text;
    return read_text(in, v, what, &text) ? value_string(in->arena, text) : NULL;
}

static struct value *site_count(const struct reading *in, const struct value *v,
                                const char *what)
{
    int64_t n;
    return read_int(in, v, what, 1, 10000000, &n) ? value_int(in->arena, n)
                                                  : NULL;
}

static struct value *site_seconds(const struct reading *in,
                                  const struct value *v, const char *what)
{
    double seconds;
    return read_seconds(in, v, what, &seconds)
               ? value_double(in->arena, seconds)
               : NULL;
}

static struct value *site_bool(const struct reading *in, const struct value *v,
                               const char *what)
{
    bool b;
    return read_bool(in, v, what, &b) ? value_bool(in->arena, b) : NULL;
}

static struct value *site_texts(const struct reading *in, const struct value *v,
                                const char *what)
{
    const struct str *texts;
    size_t count;
    if (!read_texts(in, v, what, &texts, &count))
        return NULL;
    struct value *list = value_list(in->arena);
    for (size_t i = 0; i < count; i++)
        value_list_add(in->arena, list, value_string(in->arena, texts[i]));
    return list;
}

/* Trials at once in one job; `node`: as many as a whole one holds. */
static struct value *site_job_slots(const struct reading *in,
                                    const struct value *v, const char *what)
{
    if (v->kind == VALUE_STRING && str_is(v->s, "node"))
        return value_int(in->arena, 0);
    return site_count(in, v, what);
}

static site_fn site_classes, site_conductor;

static const struct site_key {
    const char *name;
    site_fn *read;
    unsigned of; /* schedulers */
} site_keys[] = {
    {"account", site_text, OF(slurm)},
    {"array_limit", site_count, OF(slurm)},
    {"attributes", site_texts, OF(htcondor)},
    {"bundle_time", site_seconds, OF_ANY},
    {"checkpoint_every", site_seconds, OF(htcondor)},
    {"classes", site_classes, OF_ANY},
    {"conductor", site_conductor, OF(slurm)},
    {"constraint", site_text, OF(slurm)},
    {"exclude", site_text, OF(slurm)},
    {"job_slots", site_job_slots, OF_ANY},
    {"lead", site_seconds, OF_ANY},
    {"lease", site_seconds, OF(htcondor)},
    {"look", site_seconds, OF_ANY},
    {"mail", site_text, OF_ANY},
    {"max_jobs", site_count, OF_ANY},
    {"nodes", site_count, OF(slurm)},
    {"offsite", site_bool, OF(htcondor)},
    {"partition", site_text, OF(slurm)},
    {"qos", site_text, OF(slurm)},
    {"requeue", site_bool, OF(slurm)},
    {"reservation", site_text, OF(slurm)},
    {"sbatch", site_texts, OF(slurm)},
    {"scratch", site_text, OF(slurm)},
    {"setup", site_text, OF(slurm)},
    {"throttle", site_count, OF(slurm)},
    {"time", site_seconds, OF_ANY},
    {"vacate", site_seconds, OF(htcondor)},
};
#define KEY_COUNT (sizeof site_keys / sizeof *site_keys)

static const struct site_key *find(struct str name, unsigned of)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if ((site_keys[i].of & of) && str_is(name, site_keys[i].name))
            return &site_keys[i];
    return NULL;
}

/* A setting that is no key of ours: true where the scheduler takes it as it
 * is, else a problem was told. */
typedef bool other_fn(const struct reading *in, const struct value *v, size_t i,
                      const char *what);

static const char *slurm_hint(struct arena *a, struct str name)
{
    const char *names[KEY_COUNT + 1], *near;
    size_t n = 0;
    for (size_t k = 0; k < KEY_COUNT; k++)
        if (site_keys[k].of & OF(slurm))
            names[n++] = site_keys[k].name;
    names[n] = NULL;
    if (str_is(name, "checkpoint_every"))
        return "what a trial saves is on the shared disk at once: it saves as "
               "often as it likes";
    near = str_nearest(name, names);
    return near ? arena_printf(a, "did you mean '%s'?", near)
                : "other options of sbatch go into sbatch: "
                  "[\"--option=value\"]";
}

static bool other_slurm(const struct reading *in, const struct value *v,
                        size_t i, const char *what)
{
    problem_at_key(in, PROBLEM_ERROR, v, i, slurm_hint(in->arena, v->keys[i]),
                   "%s has no key '%s'", what, shown(in->arena, v->keys[i]));
    return false;
}

/* Commands of a submit description that are not a site's to say, and what
 * says it instead. */
static const struct {
    const char *name, *hint;
} written[] = {
    {"arguments", "say `command:`"},
    {"batch_name", "it is made of the study's name"},
    {"checkpoint_exit_code", "say checkpoint_every"},
    {"conductor", "a job of a pool cannot submit others: the conductor is a "
                  "process on this machine (throng run --detach)"},
    {"container_image", "say `container:`"},
    {"environment", "say `env:`"},
    {"error", "what a trial prints is in its log"},
    {"executable", "say `command:`"},
    {"gpus_maximum_capability", "say it in `resources:`"},
    {"gpus_minimum_capability", "say it in `resources:`"},
    {"gpus_minimum_memory", "say it in `resources:`"},
    {"initialdir", "it is the study file's folder"},
    {"input", "say `command:`"},
    {"job_lease_duration", "say lease"},
    {"job_max_vacate_time", "say vacate"},
    {"log", "jobs are followed by it"},
    {"max_retries", "say `retries:`: throng tries again itself"},
    {"output", "what a trial prints is in its log"},
    {"preserve_relative_paths", "files keep their places"},
    {"queue", "say max_jobs"},
    {"request_cpus", "say cpus in `resources:`"},
    {"request_gpus", "say gpus in `resources:`"},
    {"scratch", "a job has a folder of its own"},
    {"setup", "say the study's own `setup:`"},
    {"should_transfer_files", "files always travel"},
    {"success_exit_code", "throng tries again itself"},
    {"transfer_checkpoint_files", "say checkpoint_every"},
    {"transfer_input_files", "say `inputs:`"},
    {"transfer_output_files", "say `outputs:`"},
    {"transfer_output_remaps", "say `outputs:`"},
    {"universe", "say `container:`"},
    {"when_to_transfer_output", "say checkpoint_every"},
};

static bool is_command(struct str name)
{
    size_t i = name.len && name.p[0] == '+';
    if (i == name.len)
        return false;
    for (; i < name.len; i++)
        if (!is_word(name.p[i]) && name.p[i] != '.')
            return false;
    return true;
}

/* HTCondor's submit files have commands without number: a line of the
 * description, NAME = VALUE. */
static bool other_htcondor(const struct reading *in, const struct value *v,
                           size_t i, const char *what)
{
    struct str name = v->keys[i];
    const struct value *item = v->items[i];
    for (size_t k = 0; k < sizeof written / sizeof *written; k++)
        if (str_is(name, written[k].name)) {
            problem_at_key(in, PROBLEM_ERROR, v, i, written[k].hint,
                           "%s cannot have '%s'", what, shown(in->arena, name));
            return false;
        }
    bool text = item->kind == VALUE_STRING && str_find(item->s, '\n') < 0;
    bool plain = text || item->kind == VALUE_BOOL || value_is_number(item);
    if (is_command(name) && plain)
        return true;
    problem_at_key(in, PROBLEM_ERROR, v, i,
                   "as in `rank: Memory`, or `+WantFlocking: true`",
                   "%s.%s is not a line of a submit description", what,
                   shown(in->arena, name));
    return false;
}

#define OTHER(name, ...) [SITE_##name] = other_##name,
static other_fn *const others[SITE_COUNT] = {SITES(OTHER)};

/* The settings of an object, each as the place gets it. */
static struct value *read_settings(const struct reading *in,
                                   const struct value *v, const char *what,
                                   enum site_of site, bool profile)
{
    struct value *out = value_object(in->arena);
    if (!read_object(in, v, what))
        return out;
    for (size_t i = 0; i < v->count; i++) {
        const struct site_key *key = find(v->keys[i], 1u << site);
        struct value *item = v->items[i];
        if (profile && str_is(v->keys[i], "engine"))
            continue;
        if (!key && !others[site](in, v, i, what))
            continue;
        if (key)
            item = key->read(in, item,
                             arena_printf(in->arena, "%s.%s", what, key->name));
        if (item)
            value_set_at(in->arena, out, v->keys[i], item, item->line,
                         item->column);
    }
    return out;
}

/* ---- classes of job length ---------------------------------------------- */

static const char *const class_keys[] = {
    "time",        "partition", "qos",    "account",    "limit", "constraint",
    "reservation", "exclude",   "sbatch", "attributes", NULL};

/* Of all GPUs that the scheduler knows. */
static struct value *limit_share(const struct reading *in,
                                 const struct value *v, const char *what)
{
    double share = value_is_number(v) ? value_number(v) : 0;
    if (share > 0 && share <= 1)
        return value_double(in->arena, share);
    problem_at(in, PROBLEM_ERROR, v, "as in {gpu_share: 0.33}",
               "%s.gpu_share must be above 0 and at most 1", what);
    return NULL;
}

/* Jobs at once, or {jobs: 20, gpus: 4}, or {gpu_share: 0.33}. */
static struct value *class_limit(const struct reading *in,
                                 const struct value *v, const char *what)
{
    static const char *const keys[] = {"jobs", "gpus", "gpu_share", NULL};
    struct value *out = value_object(in->arena), *n;
    if (v->kind != VALUE_OBJECT) {
        if (!(n = site_count(in, v, what)))
            return NULL;
        value_set(in->arena, out, STR("jobs"), n);
        return out;
    }
    read_known_keys(in, v, what, keys);
    for (size_t i = 0; i < v->count; i++)
        if (str_among(v->keys[i], keys) &&
            (n = str_is(v->keys[i], "gpu_share")
                     ? limit_share(in, v->items[i], what)
                     : site_count(in, v->items[i], what)))
            value_set(in->arena, out, v->keys[i], n);
    return out;
}

static struct value *read_class_keys(const struct reading *in,
                                     const struct value *v, const char *what)
{
    struct value *out = value_object(in->arena), *item;
    if (!read_object(in, v, what))
        return NULL;
    read_known_keys(in, v, what, class_keys);
    for (size_t i = 0; i < v->count; i++) {
        const struct site_key *key = find(v->keys[i], OF_ANY);
        site_fn *read = str_is(v->keys[i], "limit") ? class_limit
                        : key                       ? key->read
                                                    : site_text;
        const char *at =
            arena_printf(in->arena, "%s.%.*s", what, STRF(v->keys[i]));
        if ((item = read(in, v->items[i], at)))
            value_set(in->arena, out, v->keys[i], item);
    }
    return out;
}

/* `process`, `job`, or what its job has: {time: 1d, partition: service}. A job
 * is an object, a process a text. */
static struct value *site_conductor(const struct reading *in,
                                    const struct value *v, const char *what)
{
    static const char *const choices[] = {"process", "job", NULL};
    if (v->kind == VALUE_OBJECT)
        return read_class_keys(in, v, what);
    int chosen = read_choice(in, v, what, choices);
    if (chosen < 0)
        return NULL;
    return chosen ? value_object(in->arena)
                  : value_string(in->arena, str_of(choices[chosen]));
}

static struct value *read_class(const struct reading *in, struct str name,
                                const struct value *v, const char *what)
{
    struct value *out = value_object(in->arena);
    const struct value *own = read_class_keys(in, v, what);
    if (!own)
        return NULL;
    value_set(in->arena, out, STR("name"), value_string(in->arena, name));
    for (size_t i = 0; i < own->count; i++)
        value_set(in->arena, out, own->keys[i], own->items[i]);
    if (!value_get(v, STR("time")))
        problem_at(in, PROBLEM_ERROR, v, "as in {time: 12h, partition: short}",
                   "%s does not say the time of its jobs", what);
    return out;
}

static double class_time(const struct value *class)
{
    return value_number(value_get(class, STR("time")));
}

static int by_time(const void *a, const void *b)
{
    double x = class_time(*(struct value *const *)a);
    double y = class_time(*(struct value *const *)b);
    return (x > y) - (x < y);
}

static struct value *site_classes(const struct reading *in,
                                  const struct value *v, const char *what)
{
    struct value *list = value_list(in->arena), *one;
    if (!read_object(in, v, what))
        return NULL;
    for (size_t i = 0; i < v->count; i++) {
        const char *at =
            arena_printf(in->arena, "%s.%.*s", what, STRF(v->keys[i]));
        if ((one = read_class(in, v->keys[i], v->items[i], at)))
            value_list_add(in->arena, list, one);
    }
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_time);
    return list;
}

/* ---- the study's own ----------------------------------------------------- */

#define SITE_NAME(name, ...) [SITE_##name] = #name,
const struct value *read_site(const struct reading *in, const struct value *v,
                              enum site_of site)
{
    static const char *const names[SITE_COUNT] = {SITES(SITE_NAME)};
    return read_settings(in, v, names[site], site, false);
}

/* ---- profiles ------------------------------------------------------------ */

static void no_such_profile(const struct plan *p,
                            const struct site_source *from,
                            const struct reading *in, const struct value *root)
{
    const struct value *at = value_get(p->root, STR("profile"));
    struct reading study = *in;
    const char *names[64];
    size_t n = 0;
    study.file = p->file;
    if (root && root->kind == VALUE_OBJECT)
        for (size_t i = 0; i < root->count && n < 63; i++)
            names[n++] = arena_cstr(in->arena, root->keys[i]);
    names[n] = NULL;
    problem_at(&study, PROBLEM_ERROR, at ? at : p->root,
               n ? hint_nearest(in, p->profile, names)
                 : arena_printf(in->arena, "profiles stand in %s", from->file),
               "there is no profile '%s'", shown(in->arena, p->profile));
}

/* The profile that the study names, or the one called `default`; NULL: there
 * is none. */
static const struct value *find_profile(const struct plan *p,
                                        const struct site_source *from,
                                        const struct reading *in)
{
    bool said = p->profile.len > 0;
    const struct value *root = NULL;
    if (from->fault) {
        problem_whole(in, said ? PROBLEM_ERROR : PROBLEM_WARNING, NULL, "%s",
                      from->fault);
        return NULL;
    }
    if (from->text.p)
        root = plan_yaml(from->text, from->file, in->arena, in->problems);
    const struct value *found =
        value_get(root, said ? p->profile : STR("default"));
    const char *ready = said && !found ? ready_profile(p->profile) : NULL;
    if (ready)
        found = plan_yaml(str_of(ready), "throng's own profiles", in->arena,
                          in->problems);
    if (!found && said)
        no_such_profile(p, from, in, root);
    return found && read_object(in, found, "a profile") ? found : NULL;
}

/* ---- the environment ------------------------------------------------------
 */

static const struct launcher_variable {
    const char *name, *key;
} variables[] = {
    {"QUEUE", "partition"}, {"PROJECT", "account"}, {"WALLTIME", "time"},
    {"PROCS", "max_jobs"},  {"PPN", "job_slots"},
};

/* A text from a variable, read by the row of its key, where the scheduler has
 * one. */
static void take_variable(const struct reading *in,
                          const struct site_source *from, enum site_of site,
                          const struct launcher_variable *variable,
                          struct value *out)
{
    const char *text = from->variable ? from->variable(variable->name) : NULL;
    const struct site_key *row = find(str_of(variable->key), 1u << site);
    if (!text || !*text || !row)
        return;
    struct reading of = {in->arena, in->problems, STR("the environment")};
    struct value *v = value_string(in->arena, str_of(text));
    double number;
    if (row->read != site_text && num_double(v->s, &number))
        v = value_double(in->arena, number);
    v = row->read(&of, v, variable->name);
    if (v)
        value_set(in->arena, out, str_of(variable->key), v);
}

/* PROCS trials at once, PPN of them in a job. */
static void divide_jobs(const struct reading *in, struct value *out)
{
    const struct value *all = value_get(out, STR("max_jobs"));
    const struct value *each = value_get(out, STR("job_slots"));
    if (all && each && each->i > 0)
        value_set(in->arena, out, STR("max_jobs"),
                  value_int(in->arena, (all->i + each->i - 1) / each->i));
}

static struct value *read_environment(const struct reading *in,
                                      const struct site_source *from,
                                      enum site_of site)
{
    struct value *out = value_object(in->arena);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        take_variable(in, from, site, &variables[i], out);
    divide_jobs(in, out);
    return out;
}

/* ---- all together ---------------------------------------------------------
 */

static void lay_over(struct arena *a, struct value *below,
                     const struct value *above)
{
    for (size_t i = 0; above && i < above->count; i++)
        value_set(a, below, above->keys[i], above->items[i]);
}

static struct str engine_of(const struct plan *p, const struct value *profile,
                            const struct reading *in)
{
    const struct value *said = value_get(profile, STR("engine"));
    if (p->engine.len)
        return p->engine;
    if (said && read_choice(in, said, "engine", place_names) >= 0)
        return said->s;
    return str_of(PLACE_HERE);
}

/* The settings of all sources, each over the one before. */
static void settle(struct plan *p, enum site_of site,
                   const struct value *profile, const struct site_source *from,
                   const struct reading *in)
{
    struct value *all = value_object(in->arena);
    if (profile)
        all = read_settings(in, profile, "the profile", site, true);
    if (from)
        p->site.variables = read_environment(in, from, site);
    lay_over(in->arena, all, p->site.variables);
    lay_over(in->arena, all, p->settings[site]);
    p->site.options = all;
}

/* Who wonders where the study runs, or why not elsewhere, is told. */
static void tell_choice(const struct plan *p, const struct value *profile,
                        bool here, const struct reading *in)
{
    if (here && p->profile.len)
        problem_at(in, PROBLEM_NOTICE, profile,
                   p->engine.len ? "engine: local was asked for"
                                 : "add engine: slurm to it",
                   "this profile is not used: the study runs on this machine");
    else if (!here && !p->profile.len && !p->engine.len)
        problem_at(in, PROBLEM_NOTICE, value_get(profile, STR("engine")),
                   "engine: local in the study runs it on this machine",
                   "the profile `default` has this engine: the study runs at "
                   "%.*s",
                   STRF(p->site.engine));
}

void check_site(struct study_file *r)
{
    struct plan *p = r->plan;
    const struct site_source *from = r->reader ? r->reader->site : NULL;
    struct reading in = r->in;
    in.file = str_of(from ? from->file : "");
    bool wanted = p->profile.len || !p->engine.len || !place_is_here(p->engine);
    const struct value *profile =
        from && wanted ? find_profile(p, from, &in) : NULL;
    p->site.engine = engine_of(p, profile, &in);
    const struct place_name *place = place_name_find(p->site.engine);
    bool here = !place || place->site == SITE_NONE;
    if (!here)
        settle(p, place->site, profile, from, &in);
    if (profile)
        tell_choice(p, profile, here, &in);
}
