/* load.c - reading a study file for the verbs that take one */
#include "cli/cli.h"
#include "study/study.h"
#include "cli/study_files.h"
#include "terms/device.h"

#define STUDY_FILE_MAX (64u << 20)

/* Of an option that not every verb has. */
static const char *optional(const struct call *c, const char *name)
{
    for (size_t i = 0; c->verb->options[i].name; i++)
        if (!strcmp(c->verb->options[i].name, name))
            return c->values[i];
    return NULL;
}

/* An engine given on the command line, as one in a file. */
static int check_engine(struct call *c)
{
    const char *said = optional(c, "engine");
    for (size_t i = 0; said && place_names[i]; i++)
        if (!strcmp(said, place_names[i]))
            return 0;
    if (!said)
        return 0;
    const char *near = str_nearest(str_of(said), place_names);
    return err_set(&c->err, ERR_USAGE, "there is no engine `%s` (%s%s)", said,
                   near ? "did you mean " : "there are ",
                   near ? near : PLACE_NAMES);
}

static int check_device(struct call *c)
{
    const char *said = optional(c, "device");
    if (!said || device_find(str_of(said), &c->err))
        return 0;
    c->err.kind = ERR_USAGE;
    return -1;
}

int load_check_words(struct call *c)
{
    return check_engine(c) || check_device(c) ? -1 : 0;
}

void warn_of_device(struct call *c, const char *file, struct problems *problems)
{
    if (optional(c, "device"))
        problems_add(problems, PROBLEM_WARNING, str_of(file), 0, 0,
                     STR("resources says whether a program has a GPU"),
                     "--device is not used: a program computes where it likes");
}

/* A name given on the command line becomes a folder's, as one in a file. */
static int check_name(struct call *c, const char *name)
{
    const char *fault = name ? plan_name_fault(str_of(name)) : NULL;
    if (!fault)
        return 0;
    return err_set(&c->err, ERR_USAGE, "the name `%s` %s", name, fault);
}

/* What a verb wants of a file. */
struct wanted {
    const char *name; /* instead of the study's; NULL: its own */
    const char *method;
    bool points_only;
    bool strict;
    void (*unready)(struct plan *p, struct problems *problems);
};

/* Who takes a model file for a study wants it trained. */
static void say_train(const struct problems *problems, const char *file)
{
    for (size_t i = 0; i < problems->list.len; i++)
        if (str_is(problems->list.p[i].text, "no key 'layers'")) {
            say("throng: %s is a model file: `throng train %s` trains it\n",
                file, file);
            return;
        }
}

static struct plan *load(struct call *c, const char *file,
                         const struct wanted *w, struct problems *problems)
{
    const char *name = w->name;
    struct buf b;
    if (check_name(c, name) || load_check_words(c))
        return NULL;
    buf_init(&b);
    if (file_read(file, STUDY_FILE_MAX, &b, &c->err)) {
        study_file_hint(c, file);
        buf_done(&b);
        return NULL;
    }
    struct str text = arena_str(c->arena, buf_str(&b));
    buf_done(&b);
    struct plan_reader reader = study_reader(
        c->arena, path_folder(c->arena, path_absolute(c->arena, file)));
    reader.check = w->unready;
    reader.method = w->method;
    reader.points_only = w->points_only;
    reader.strict = w->strict;
    reader.engine = optional(c, "engine");
    reader.profile = optional(c, "profile");
    reader.device = optional(c, "device");
    reader.count_words = "set run_cap, or use --count N";
    reader.counted = c->verb == &verb_run && call_option(c, "count");
    struct plan *plan = plan_read(text, file, &reader, c->arena, problems);
    if (plan && !plan_runs_models(plan))
        warn_of_device(c, file, problems);
    if (problems->errors || !optional(c, "quiet"))
        say_problems(problems); /* who asked for silence hears of mistakes */
    if (!plan)
        say_train(problems, file);
    if (!plan)
        err_set(&c->err, ERR_INPUT, "%s has %zu mistake%s", file,
                problems->errors, problems->errors == 1 ? "" : "s");
    else if (name)
        plan->name = str_of(name);
    return plan;
}

struct plan *load_plan_look(struct call *c, const char *file, const char *name,
                            struct problems *problems)
{
    struct wanted w = {.name = name, .unready = check_to_look, .strict = true};
    return load(c, file, &w, problems);
}

struct plan *load_plan_points(struct call *c, const char *file,
                              const char *method)
{
    struct wanted w = {.method = method, .points_only = true};
    struct problems problems;
    problems_init(&problems, c->arena);
    struct plan *plan = load(c, file, &w, &problems);
    return plan;
}

struct plan *load_plan(struct call *c, const char *file, const char *name)
{
    struct problems problems;
    struct wanted w = {.name = name, .unready = check_to_run};
    problems_init(&problems, c->arena);
    struct plan *plan = load(c, file, &w, &problems);
    return plan;
}
