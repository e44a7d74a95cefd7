/* run.c - how a CANDLE model is started: `protocol: candle`
 *
 * Without a `command` of its own a study of that protocol starts its program
 * in one of five styles: a benchmark script with --key value, the same with
 * --config_file, a container's action script, a runner like Supervisor's
 * model.sh, a benchmark that is imported and whose run() is called. Ids of the
 * run come from variables that the worker sets. */
#include "candle/making.h"
#include "candle/space.h"

#include "base/num.h"

static const char *const styles[] = {"script", "config_file", "action",
                                     "runner", "import",      NULL};

struct foreign_start {
    enum candle_style style;
    struct str image;
    const struct str *container; /* what starts an image; none: singularity */
    size_t container_count;
    struct str framework, model_type, model_name, action; /* of a runner */
    struct str model_file;     /* whose values the config_file has too */
    const struct value *model; /* these values; NULL: none */
};

enum candle_style candle_style(const struct foreign_start *s)
{
    return s->style;
}

/* ---- the key ---------------------------------------------------------- */

static void read_words(const struct reading *r, const struct value *v,
                       const char *key, struct str *out)
{
    const struct value *item = value_get(v, str_of(key));

    if (item)
        read_text(r, item, arena_printf(r->arena, "candle.%s", key), out);
}

static struct foreign_start *read_start(const struct reading *r,
                                        const struct value *v)
{
    static const char *const keys[] = {"style",      "image",      "container",
                                       "framework",  "model_type", "model_name",
                                       "model_file", "action",     NULL};
    struct foreign_start *s = arena_new_of(r->arena, struct foreign_start);
    const struct value *style = value_get(v, STR("style"));
    const struct value *container = value_get(v, STR("container"));

    if (!v || !read_object(r, v, "candle"))
        return s;
    read_known_keys(r, v, "candle", keys);
    if (style)
        s->style = (enum candle_style)(
            read_choice(r, style, "candle.style", styles) + 1);
    read_words(r, v, "image", &s->image);
    read_words(r, v, "framework", &s->framework);
    read_words(r, v, "model_type", &s->model_type);
    read_words(r, v, "model_name", &s->model_name);
    read_words(r, v, "action", &s->action);
    read_words(r, v, "model_file", &s->model_file);
    if (container)
        read_texts(r, container, "candle.container", &s->container,
                   &s->container_count);
    return s;
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

struct words {
    VEC(struct str) list;
};

static void add(struct words *words, struct str text)
{
    vec_push(&words->list, text);
}

static void add_all(struct words *words, const char *const *texts)
{
    for (size_t i = 0; texts[i]; i++)
        add(words, str_of(texts[i]));
}

/* In an image the script and the data have other places than outside. */
static void add_container(const struct foreign_start *s, struct str image,
                          struct words *words)
{
    static const char *const usual[] = {"singularity", "exec", "--nv", NULL};
    static const char *const folders[] = {
        "--bind", "${envvar:CANDLE_DATA_DIR}:/candle_data_dir", "--bind",
        "${envvar:CANDLE_OUTPUT_DIR}", NULL};

    for (size_t i = 0; i < s->container_count; i++)
        add(words, s->container[i]);
    if (!s->container_count)
        add_all(words, usual);
    add_all(words, folders);
    add(words, image);
}

/* What is said, else the parameter of that name, if there is one. */
static struct str said_or_declared(struct str said, const char *name,
                                   const struct start_study *study)
{
    if (said.len > 0 || !study->declares(study->context, str_of(name)))
        return said;
    return str_of(arena_printf(study->in->arena, "{%s}", name));
}

static void add_action(const struct foreign_start *s,
                       const struct start_study *study, struct words *words)
{
    struct str image = said_or_declared(s->image, "candle_image", study);

    if (image.len > 0)
        add_container(s, image, words);
    else
        add(words, STR("bash"));
    add(words, STR("${program}"));
    add(words, STR("${envvar:CANDLE_GPU}"));
    add(words, image.len > 0 ? STR("/candle_data_dir")
                             : STR("${envvar:CANDLE_DATA_DIR}"));
    add(words, STR("${args_candle}"));
}

static struct str or_else(struct str said, const char *otherwise)
{
    return said.len > 0 ? said : str_of(otherwise);
}

/* FRAMEWORK PARAMS EXPID RUNID MODEL_TYPE MODEL_NAME MODEL_ACTION */
static void add_runner(const struct foreign_start *s,
                       const struct start_study *study, struct words *words)
{
    struct str name = said_or_declared(s->model_name, "model_name", study);

    if (name.len == 0)
        problem_at(study->in, PROBLEM_ERROR,
                   value_get(study->root, STR("program")),
                   "as in candle: {model_name: nt3}",
                   "a runner such as model.sh must be told the model's name");
    add(words, STR("bash"));
    add(words, STR("${program}"));
    add(words, or_else(s->framework, "keras2"));
    add(words, STR("${args_json}"));
    add(words, STR("${envvar:CANDLE_EXPERIMENT_ID}"));
    add(words, STR("${envvar:CANDLE_RUN_ID}"));
    add(words, or_else(s->model_type, "BENCHMARKS"));
    add(words, name);
    add(words, or_else(s->action, "train"));
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
static void read_model_file(struct foreign_start *s,
                            const struct start_study *study)
{
    const struct reading *r = study->in;
    bool said = s->model_file.len > 0;
    const struct value *at = value_get(study->root, STR("candle"));
    struct err err = {0};
    struct str text;

    if (!study->files)
        return;
    if (!said)
        s->model_file = str_of(usual_model_file(r->arena, study->program));
    const char *file = arena_cstr(r->arena, s->model_file);
    if (!study->files->read(study->files->context, file, &text, &err)) {
        s->model = candle_file(text, file, r->arena, r->problems);
    } else if (said) {
        problem_at(r, PROBLEM_ERROR, at, NULL, "candle.model_file: %s",
                   err.text);
    } else {
        problem_at(r, PROBLEM_WARNING, at,
                   "say it: candle: {style: config_file, model_file: FILE}",
                   "the model's own parameter file is not at %s: the "
                   "--config_file will hold the trial's parameters only, and "
                   "CANDLE's library reads it in place of that file",
                   file);
    }
}

static const struct str *command_of(struct foreign_start *s,
                                    const struct start_study *study,
                                    size_t *count)
{
    static const char *const import[] = {
        "${env}",     "${interpreter}",
        "-m",         "throng.candle.run_model",
        "${program}", NULL};
    static const char *const config[] = {"${env}",
                                         "${interpreter}",
                                         "${program}",
                                         "--config_file",
                                         "${envvar:CANDLE_CONFIG_FILE}",
                                         "--experiment_id",
                                         "${envvar:CANDLE_EXPERIMENT_ID}",
                                         "--run_id",
                                         "${envvar:CANDLE_RUN_ID}",
                                         NULL};
    static const char *const script[] = {"${env}", "${interpreter}",
                                         "${program}", "${args_candle}", NULL};
    struct words words = {0};

    if (s->style == STYLE_UNSAID)
        s->style = style_of(study->program);
    if (s->style == STYLE_CONFIG_FILE)
        read_model_file(s, study);
    if (s->style == STYLE_ACTION)
        add_action(s, study, &words);
    else if (s->style == STYLE_RUNNER)
        add_runner(s, study, &words);
    else
        add_all(&words, s->style == STYLE_IMPORT        ? import
                        : s->style == STYLE_CONFIG_FILE ? config
                                                        : script);
    *count = words.list.len;
    return vec_to_arena(study->in->arena, &words.list);
}

/* ---- the words of a point --------------------------------------------- */

struct args {
    struct arena *arena;
    VEC(struct arg) list;
};

/* Names that are no options of a model. */
static bool is_dropped(const struct foreign_start *s, struct str key)
{
    return str_is(key, "solr_root") || str_is(key, "candle_image") ||
           (str_is(key, "timeout") && s->style == STYLE_ACTION);
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

static void push(struct args *out, struct buf *b)
{
    vec_push(&out->list,
             ((struct arg){ARG_TEXT, arena_str(out->arena, buf_str(b))}));
    buf_reset(b);
}

/* The values of a list, each a word of its own. */
static void push_items(struct args *out, struct buf *b, const struct value *v)
{
    struct str rest = value_text(v), word;

    for (size_t i = 0; v->kind == VALUE_LIST && i < v->count; i++) {
        value_python_str(b, v->items[i]);
        push(out, b);
    }
    while (v->kind == VALUE_STRING && str_split(&rest, ' ', &word)) {
        if (word.len == 0)
            continue;
        buf_addstr(b, word);
        push(out, b);
    }
}

static bool is_lists(const struct value *v)
{
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->count; i++)
        if (v->items[i]->kind != VALUE_LIST)
            return false;
    return v->kind == VALUE_LIST && v->count > 0;
}

/* The words of one parameter as a model's command line has them. */
static void push_member(struct args *out, struct str key, const struct value *v)
{
    bool words = (v->kind == VALUE_STRING && is_number_list(v->s)) ||
                 (v->kind == VALUE_LIST && !is_lists(v));
    struct buf b, text;

    if (v->kind == VALUE_NULL || (v->kind == VALUE_LIST && v->count == 0))
        return;
    buf_init(&b);
    buf_init(&text);
    buf_addf(&b, "--%.*s", STRF(key));
    if (words) {
        push(out, &b);
        push_items(out, &b, v);
    } else {
        if (is_lists(v))
            print_lists(&text, v);
        else
            value_python_str(&text, v);
        /* argparse takes -1e-05 for an option when it stands alone. */
        if (text.len > 0 && text.p[0] == '-')
            buf_addc(&b, '=');
        else
            push(out, &b);
        buf_addstr(&b, buf_str(&text));
        push(out, &b);
    }
    buf_done(&text);
    buf_done(&b);
}

/* Ids that the point does not have are the worker's. */
static void push_id(struct args *out, const char *option, const char *variable,
                    const struct value *point)
{
    if (value_get(point, str_of(option + 2)))
        return;
    vec_push(&out->list, ((struct arg){ARG_TEXT, str_of(option)}));
    vec_push(&out->list, ((struct arg){ARG_EXPAND, str_of(variable)}));
}

static const struct arg *args_of(const struct foreign_start *s,
                                 const struct value *point, struct arena *a,
                                 size_t *count)
{
    struct args out = {.arena = a};
    size_t *order = value_sorted(point);

    for (size_t i = 0; i < point->count; i++)
        if (!is_dropped(s, point->keys[order[i]]))
            push_member(&out, point->keys[order[i]], point->items[order[i]]);
    free(order);
    push_id(&out, "--experiment_id", "${envvar:CANDLE_EXPERIMENT_ID}", point);
    push_id(&out, "--run_id", "${envvar:CANDLE_RUN_ID}", point);
    *count = out.list.len;
    return vec_to_arena(a, &out.list);
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
static struct task_file file_of(const struct foreign_start *s,
                                const struct value *point, struct arena *a)
{
    struct task_file file = {.path = STR("output/parameters.txt")};
    struct buf b;

    if (s->model)
        point = laid_over(s->model, point, a);
    buf_init(&b);
    candle_print(&b, point);
    file.text = arena_str(a, buf_str(&b));
    buf_done(&b);
    return file;
}

const struct dialect candle_dialect = {.name = "candle",
                                       .space = space_file_read,
                                       .is_model = candle_is_model,
                                       .model = candle_model_open,
                                       .start = read_start,
                                       .command = command_of,
                                       .args = args_of,
                                       .file = file_of,
                                       .time_variable = "SH_TIMEOUT"};
