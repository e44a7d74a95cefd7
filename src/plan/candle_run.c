/* candle_run.c - how a CANDLE model is started: `protocol: candle`
 *
 * Without a `command` of its own a study of that protocol starts its program
 * in one of five styles: a benchmark script with --key value, the same with
 * --config_file, a container's action script, a runner like Supervisor's
 * model.sh, a benchmark that is imported and whose run() is called. Ids of the
 * run come from variables that the worker sets. */
#include "plan/candle.h"

#include "base/num.h"

static const char *const styles[] = {"script", "config_file", "action",
                                     "runner", "import",      NULL};

/* ---- the key ---------------------------------------------------------- */

static void read_words(struct study_file *r, const struct value *v,
                       const char *key, struct str *out)
{
    const struct value *item = value_get(v, str_of(key));

    if (item)
        read_text(&r->in, item, arena_printf(r->in.arena, "candle.%s", key),
                  out);
}

void read_candle(struct study_file *r, const struct value *v)
{
    static const char *const keys[] = {"style",      "image",      "container",
                                       "framework",  "model_type", "model_name",
                                       "model_file", "action",     NULL};
    struct plan_candle *c = &r->plan->candle;
    const struct value *style = value_get(v, STR("style"));
    const struct value *container = value_get(v, STR("container"));
    int found;

    if (!read_object(&r->in, v, "candle"))
        return;
    read_known_keys(&r->in, v, "candle", keys);
    if (style) {
        found = read_choice(&r->in, style, "candle.style", styles);
        c->style = found < 0 ? STYLE_UNSAID : (enum candle_style)(found + 1);
    }
    read_words(r, v, "image", &c->image);
    read_words(r, v, "framework", &c->framework);
    read_words(r, v, "model_type", &c->model_type);
    read_words(r, v, "model_name", &c->model_name);
    read_words(r, v, "action", &c->action);
    read_words(r, v, "model_file", &c->model_file);
    if (container)
        read_texts(&r->in, container, "candle.container", &c->container,
                   &c->container_count);
}

static enum candle_style style_of(struct str program)
{
    const char *slash = memrchr(program.p, '/', program.len);
    struct str base = program;

    if (slash)
        base = str_n(slash + 1, (size_t)(program.p + program.len - slash - 1));
    if (str_is(base, "model.sh"))
        return STYLE_RUNNER;
    return str_ends(base, STR(".sh")) ? STYLE_ACTION : STYLE_SCRIPT;
}

/* ---- the command ------------------------------------------------------ */

struct parts {
    VEC(struct command_part) list;
};

static void add(struct parts *parts, enum command_kind kind, struct str text)
{
    vec_push(&parts->list, ((struct command_part){kind, text}));
}

static void add_text(struct parts *parts, const char *text)
{
    add(parts, COMMAND_TEXT, str_of(text));
}

static void add_python(struct parts *parts)
{
    add(parts, COMMAND_ENV, STR("${env}"));
    add(parts, COMMAND_INTERPRETER, STR("${interpreter}"));
    add(parts, COMMAND_PROGRAM, STR("${program}"));
}

static void add_ids(struct parts *parts)
{
    add_text(parts, "--experiment_id");
    add_text(parts, "${envvar:CANDLE_EXPERIMENT_ID}");
    add_text(parts, "--run_id");
    add_text(parts, "${envvar:CANDLE_RUN_ID}");
}

/* In an image the script and the data have other places than outside. */
static void add_container(const struct plan_candle *c, struct str image,
                          struct parts *parts)
{
    static const char *const usual[] = {"singularity", "exec", "--nv"};

    for (size_t i = 0; i < c->container_count; i++)
        add(parts, COMMAND_TEXT, c->container[i]);
    for (size_t i = 0; !c->container_count && i < 3; i++)
        add_text(parts, usual[i]);
    add_text(parts, "--bind");
    add_text(parts, "${envvar:CANDLE_DATA_DIR}:/candle_data_dir");
    add_text(parts, "--bind");
    add_text(parts, "${envvar:CANDLE_OUTPUT_DIR}");
    add(parts, COMMAND_TEXT, image);
}

static void add_action(struct study_file *r, struct parts *parts)
{
    const struct plan_candle *c = &r->plan->candle;
    struct str image = c->image;

    if (image.len == 0 && plan_declares(r->plan, STR("candle_image")))
        image = STR("{candle_image}");
    if (image.len > 0)
        add_container(c, image, parts);
    else
        add_text(parts, "bash");
    add(parts, COMMAND_PROGRAM, STR("${program}"));
    add_text(parts, "${envvar:CANDLE_GPU}");
    add_text(parts,
             image.len > 0 ? "/candle_data_dir" : "${envvar:CANDLE_DATA_DIR}");
    add(parts, COMMAND_ARGS_CANDLE, STR("${args_candle}"));
}

static struct str or_else(struct str said, const char *otherwise)
{
    return said.len > 0 ? said : str_of(otherwise);
}

/* FRAMEWORK PARAMS EXPID RUNID MODEL_TYPE MODEL_NAME MODEL_ACTION */
static void add_runner(struct study_file *r, struct parts *parts)
{
    const struct plan_candle *c = &r->plan->candle;
    struct str name = c->model_name;

    if (name.len == 0 && plan_declares(r->plan, STR("model_name")))
        name = STR("{model_name}");
    if (name.len == 0)
        problem_at(&r->in, PROBLEM_ERROR, value_get(r->root, STR("program")),
                   "as in candle: {model_name: nt3}",
                   "a runner such as model.sh must be told the model's name");
    add_text(parts, "bash");
    add(parts, COMMAND_PROGRAM, STR("${program}"));
    add(parts, COMMAND_TEXT, or_else(c->framework, "keras2"));
    add(parts, COMMAND_ARGS_JSON, STR("${args_json}"));
    add_text(parts, "${envvar:CANDLE_EXPERIMENT_ID}");
    add_text(parts, "${envvar:CANDLE_RUN_ID}");
    add(parts, COMMAND_TEXT, or_else(c->model_type, "BENCHMARKS"));
    add(parts, COMMAND_TEXT, name);
    add(parts, COMMAND_TEXT, or_else(c->action, "train"));
}

/* ---- the config_file --------------------------------------------------- */

/* nt3_baseline_keras2.py has its values in nt3_default_model.txt. */
static const char *usual_model_file(struct arena *a, struct str program)
{
    const char *at =
        memmem(program.p, program.len, "_baseline", strlen("_baseline"));
    struct str stem = program;

    if (at)
        stem.len = (size_t)(at - program.p);
    else if (str_ends(program, STR(".py")))
        stem.len -= 3;
    return arena_printf(a, "%.*s_default_model.txt", STRF(stem));
}

/* CANDLE's library reads a config_file in place of the model file, so that
 * the values of that one must be in it. */
static void read_model_file(struct study_file *r)
{
    struct plan_candle *c = &r->plan->candle;
    bool said = c->model_file.len > 0;
    const struct value *at = value_get(r->root, STR("candle"));
    struct err err = {0};
    struct str text;

    if (!r->reader || !r->reader->read)
        return;
    if (!said)
        c->model_file = str_of(usual_model_file(r->in.arena, r->plan->program));
    const char *file = arena_cstr(r->in.arena, c->model_file);
    if (!r->reader->read(r->reader->context, file, &text, &err)) {
        c->model = candle_file(text, file, r->in.arena, r->in.problems);
    } else if (said) {
        problem_at(&r->in, PROBLEM_ERROR, at, NULL, "candle.model_file: %s",
                   err.text);
    } else {
        problem_at(&r->in, PROBLEM_WARNING, at,
                   "say it: candle: {style: config_file, model_file: FILE}",
                   "the model's own parameter file is not at %s: the "
                   "--config_file will hold the trial's parameters only, and "
                   "CANDLE's library reads it in place of that file",
                   file);
    }
}

void candle_command(struct study_file *r)
{
    struct plan *p = r->plan;
    struct parts parts = {0};
    struct command_part *list;

    if (p->candle.style == STYLE_UNSAID)
        p->candle.style = style_of(p->program);
    switch (p->candle.style) {
    case STYLE_ACTION:
        add_action(r, &parts);
        break;
    case STYLE_RUNNER:
        add_runner(r, &parts);
        break;
    case STYLE_IMPORT:
        add(&parts, COMMAND_ENV, STR("${env}"));
        add(&parts, COMMAND_INTERPRETER, STR("${interpreter}"));
        add_text(&parts, "-m");
        add_text(&parts, "throng.candle.run_model");
        add(&parts, COMMAND_PROGRAM, STR("${program}"));
        break;
    case STYLE_CONFIG_FILE:
        read_model_file(r);
        add_python(&parts);
        add_text(&parts, "--config_file");
        add_text(&parts, "${envvar:CANDLE_CONFIG_FILE}");
        add_ids(&parts);
        break;
    default:
        add_python(&parts);
        add(&parts, COMMAND_ARGS_CANDLE, STR("${args_candle}"));
    }
    list = arena_array(r->in.arena, parts.list.len, sizeof(*list));
    memcpy(list, parts.list.p, parts.list.len * sizeof(*list));
    p->command = list;
    p->command_count = parts.list.len;
    vec_done(&parts.list);
}

void check_candle(struct study_file *r)
{
    const struct value *v = value_get(r->root, STR("candle"));

    if (v && !str_is(r->plan->protocol, "candle"))
        problem_at(&r->in, PROBLEM_WARNING, v, "say protocol: candle too",
                   "candle is used only with protocol: candle");
}

double candle_time_limit(const struct plan *p)
{
    double seconds;

    if (!str_is(p->protocol, "candle"))
        return 0;
    for (size_t i = 0; i < p->env_count; i++)
        if (str_is(p->env[i].name, "SH_TIMEOUT") &&
            num_double(str_trim(p->env[i].value), &seconds) && seconds > 0)
            return seconds;
    return 0;
}

/* ---- the words of a point --------------------------------------------- */

/* Names that are no options of a model. */
static bool is_dropped(const struct plan *p, struct str key)
{
    return str_is(key, "solr_root") || str_is(key, "candle_image") ||
           (str_is(key, "timeout") && p->candle.style == STYLE_ACTION);
}

/* "200 20": lists are written so in spaces and unrolled files. */
static bool is_number_list(struct str s)
{
    struct str word;
    size_t count = 0;
    double d;

    while (str_split(&s, ' ', &word)) {
        if (word.len == 0)
            continue;
        if (!num_double(word, &d))
            return false;
        count++;
    }
    return count > 1;
}

static void print_lists(struct buf *b, const struct value *outer)
{
    for (size_t i = 0; i < outer->count; i++) {
        const struct value *inner = outer->items[i];

        buf_adds(b, i ? ":" : "");
        for (size_t k = 0; k < inner->count; k++) {
            buf_adds(b, k ? "," : "");
            value_python_str(b, inner->items[k]);
        }
    }
}

static void push(struct candle_args *out, struct arena *a, struct buf *b)
{
    vec_push(&out->words, arena_str(a, buf_str(b)));
    buf_reset(b);
}

/* The values of a list, each a word of its own. */
static void push_items(struct candle_args *out, struct arena *a, struct buf *b,
                       const struct value *v)
{
    struct str rest = value_text(v), word;

    for (size_t i = 0; v->kind == VALUE_LIST && i < v->count; i++) {
        value_python_str(b, v->items[i]);
        push(out, a, b);
    }
    while (v->kind == VALUE_STRING && str_split(&rest, ' ', &word)) {
        if (word.len == 0)
            continue;
        buf_addstr(b, word);
        push(out, a, b);
    }
}

static bool is_lists(const struct value *v)
{
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->count; i++)
        if (v->items[i]->kind != VALUE_LIST)
            return false;
    return v->kind == VALUE_LIST && v->count > 0;
}

void candle_args_add(struct candle_args *out, const struct plan *p,
                     struct arena *a, struct str key, const struct value *v)
{
    bool words = (v->kind == VALUE_STRING && is_number_list(v->s)) ||
                 (v->kind == VALUE_LIST && !is_lists(v));
    struct buf b;

    if (is_dropped(p, key) || v->kind == VALUE_NULL ||
        (v->kind == VALUE_LIST && v->count == 0))
        return;
    buf_init(&b);
    buf_addf(&b, "--%.*s", STRF(key));
    if (words) {
        push(out, a, &b);
        push_items(out, a, &b, v);
        buf_done(&b);
        return;
    }
    struct buf text;
    buf_init(&text);
    if (is_lists(v))
        print_lists(&text, v);
    else
        value_python_str(&text, v);
    /* argparse takes -1e-05 for an option when it stands alone. */
    if (text.len > 0 && text.p[0] == '-')
        buf_addc(&b, '=');
    else
        push(out, a, &b);
    buf_addstr(&b, buf_str(&text));
    push(out, a, &b);
    buf_done(&text);
    buf_done(&b);
}

/* The trial's values over those of the model file; an old name (lr) finds
 * the one that the file has. */
static struct value *laid_over(const struct value *model,
                               const struct value *point, struct arena *a)
{
    struct value *all = value_object(a);
    struct keywords keywords;

    keywords_init(&keywords, a);
    for (size_t i = 0; i < model->count; i++)
        value_set(a, all, model->keys[i], value_copy(a, model->items[i]));
    for (size_t i = 0; i < point->count; i++) {
        const struct keyword *k = keyword_find(&keywords, point->keys[i]);
        bool there = k && value_get(model, k->name);

        value_set(a, all, there ? k->name : point->keys[i],
                  value_copy(a, point->items[i]));
    }
    keywords_done(&keywords);
    return all;
}

/* The parameters as a file, as Supervisor leaves one with each run. */
struct str candle_parameters_text(const struct plan *p,
                                  const struct value *point, struct arena *a)
{
    struct buf b;
    struct str s;

    if (p->candle.model)
        point = laid_over(p->candle.model, point, a);
    buf_init(&b);
    candle_print(&b, point);
    s = arena_str(a, buf_str(&b));
    buf_done(&b);
    return s;
}
