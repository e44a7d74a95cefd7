/* files.c - what goes to a task and comes back: templates, inputs, outputs,
 * keep, env, setup */
#include "plan/reading.h"

#include "base/chars.h"
#include "base/num.h"

#define TEMPLATE_MAX_BYTES (16u << 20)

bool path_inside(struct str path)
{
    struct str rest = path, part;

    if (path.len == 0 || path.len > 4000 || path.p[0] == '/' ||
        memchr(path.p, 0, path.len))
        return false;
    while (str_split(&rest, '/', &part))
        if (str_is(part, "..") || part.len > 255)
            return false;
    return path.p[path.len - 1] != '/';
}

static struct str last_part(struct str path)
{
    const char *slash = memrchr(path.p, '/', path.len);

    if (!slash)
        return path;
    return str_n(slash + 1, path.len - (size_t)(slash + 1 - path.p));
}

/* ---- templates -------------------------------------------------------- */

static bool load(struct study_file *r, const struct value *at, struct str path,
                 struct str *text)
{
    struct err err = {0};

    if (!r->reader || !r->reader->files.read) {
        problem_at(&r->in, PROBLEM_ERROR, at, NULL, "%s cannot be read here",
                   value_words(&r->in, at));
        return false;
    }
    if (r->reader->files.read(r->reader->files.context,
                              arena_cstr(r->in.arena, path), text, &err)) {
        problem_at(&r->in, PROBLEM_ERROR, at, NULL, "%s", err.text);
        return false;
    }
    if (text->len <= TEMPLATE_MAX_BYTES)
        return true;
    problem_at(&r->in, PROBLEM_ERROR, at, NULL,
               "template %s is larger than %u MiB", value_words(&r->in, at),
               TEMPLATE_MAX_BYTES >> 20);
    return false;
}

static void read_template(struct study_file *r, const struct value *v,
                          struct plan_template *t)
{
    static const char *const names[] = {"path", "from", "text", NULL};
    const struct value *path = value_get(v, STR("path"));
    const struct value *from = value_get(v, STR("from"));
    const struct value *text = value_get(v, STR("text"));
    struct str source = STR("");

    if (v->kind == VALUE_STRING && v->s.len > 0) {
        t->path = v->s.p[0] == '/' ? last_part(v->s) : v->s;
        load(r, v, v->s, &t->text);
        path = v;
    } else if (v->kind == VALUE_OBJECT && !path && (from || text)) {
        read_known_keys(&r->in, v, "a template", names);
        problem_at(&r->in, PROBLEM_ERROR, v, "as in path: input.txt",
                   "templates: path is missing, the file that is written into "
                   "the trial's folder");
        return;
    } else if (v->kind != VALUE_OBJECT || !path || (!from == !text)) {
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "the name of a file, {path: …, from: …} or {path: …, text: "
                   "…}",
                   "templates: %s is no template",
                   v->kind == VALUE_OBJECT ? "this" : value_words(&r->in, v));
        return;
    } else {
        read_known_keys(&r->in, v, "a template", names);
        read_text(&r->in, path, "templates: path", &t->path);
        if (text)
            read_text(&r->in, text, "templates: text", &t->text);
        else if (read_text(&r->in, from, "templates: from", &source))
            load(r, from, source, &t->text);
    }
    if (t->path.len > 0 && !path_inside(t->path))
        problem_at(&r->in, PROBLEM_ERROR, path, "a relative path without ..",
                   "templates: '%s' would be outside of the trial's folder",
                   shown(r->in.arena, t->path));
}

void read_templates(struct study_file *r, const struct value *v)
{
    size_t n = v->kind == VALUE_LIST ? v->count : 1;
    struct plan_template *list = arena_array(r->in.arena, n, sizeof(*list));

    for (size_t i = 0; i < n; i++)
        read_template(r, v->kind == VALUE_LIST ? v->items[i] : v, &list[i]);
    r->plan->templates = list;
    r->plan->template_count = n;
}

static bool in_name(char c)
{
    return is_word(c) || strchr("-./", c);
}

/* True when the text names this file, seen from where the command runs: as a
 * word of its own, or after ./ */
static bool names_file(struct str text, struct str path)
{
    for (size_t i = 0; i + path.len <= text.len; i++) {
        size_t start = i, end = i + path.len;
        if (memcmp(text.p + i, path.p, path.len) != 0 ||
            (end < text.len && in_name(text.p[end])))
            continue;
        if (start >= 2 && memcmp(text.p + start - 2, "./", 2) == 0)
            start -= 2;
        if (start == 0 || !in_name(text.p[start - 1]))
            return true;
    }
    return false;
}

/* A command that speaks of THRONG_PARAMS and its like knows where the trial's
 * folder is. */
static bool command_names(const struct plan *p, struct str path)
{
    for (size_t i = 0; i < p->command_count; i++) {
        struct str text = p->command[i].text;
        if (p->command[i].kind == COMMAND_PROGRAM)
            text = p->program;
        if (text.len > 0 && !memmem(text.p, text.len, "THRONG_", 7) &&
            names_file(text, path))
            return true;
    }
    return false;
}

void check_templates(struct study_file *r)
{
    const struct plan *p = r->plan;
    const struct value *v = value_get(r->root, STR("templates"));

    if (v)
        check_template_risks(r, v);
    if (!v || p->workdir_trial)
        return;
    for (size_t i = 0; i < p->template_count; i++)
        if (p->templates[i].path.len > 0 &&
            command_names(p, p->templates[i].path))
            problem_at(&r->in, PROBLEM_WARNING,
                       v->kind == VALUE_LIST ? v->items[i] : v,
                       "say workdir: trial",
                       "templates: the command names %s, but the file is "
                       "written into the trial's folder and the command runs "
                       "in the study file's",
                       shown(r->in.arena, p->templates[i].path));
}

int plan_files(const struct plan *p, const struct value *point, struct arena *a,
               const struct task_file **files, size_t *count, struct err *err)
{
    size_t n = p->template_count;
    struct task_file *list = arena_array(a, n + 1, sizeof(*list));
    struct buf b;
    int rc = 0;

    buf_init(&b);
    for (size_t i = 0; i < n && rc == 0; i++) {
        buf_reset(&b);
        rc = command_replace(&b, p, p->templates[i].text, point, false, err);
        list[i].path = p->templates[i].path;
        list[i].text = arena_str(a, buf_str(&b));
    }
    buf_done(&b);
    if (rc)
        return err_wrap(err, "templates");
    if (plan_speaks_dialect(p))
        list[n++] = p->dialect->file(p->start, point, a);
    *files = list;
    *count = n;
    return 0;
}

/* ---- inputs, outputs, keep -------------------------------------------- */

static void read_input(struct study_file *r, const struct value *v,
                       struct plan_input *in)
{
    static const char *const names[] = {"path", "site_bound", NULL};
    const struct value *path = value_get(v, STR("path"));
    const struct value *bound = value_get(v, STR("site_bound"));

    if (v->kind != VALUE_OBJECT) {
        read_text(&r->in, v, "inputs", &in->path);
        return;
    }
    read_known_keys(&r->in, v, "an input", names);
    if (path)
        read_text(&r->in, path, "inputs: path", &in->path);
    else
        problem_at(&r->in, PROBLEM_ERROR, v, NULL, "an input has no path");
    if (bound)
        read_bool(&r->in, bound, "inputs: site_bound", &in->site_bound);
}

void read_inputs(struct study_file *r, const struct value *v)
{
    size_t n = v->kind == VALUE_LIST ? v->count : 1;
    struct plan_input *list = arena_array(r->in.arena, n, sizeof(*list));

    for (size_t i = 0; i < n; i++)
        read_input(r, v->kind == VALUE_LIST ? v->items[i] : v, &list[i]);
    r->plan->inputs = list;
    r->plan->input_count = n;
}

void read_outputs(struct study_file *r, const struct value *v)
{
    struct plan *p = r->plan;

    if (!read_texts(&r->in, v, "outputs", &p->outputs, &p->output_count))
        return;
    for (size_t i = 0; i < p->output_count; i++)
        if (!path_inside(p->outputs[i]))
            problem_at(&r->in, PROBLEM_ERROR,
                       v->kind == VALUE_LIST ? v->items[i] : v,
                       "a relative path without ..",
                       "outputs: '%s' is outside of the task's folder",
                       shown(r->in.arena, p->outputs[i]));
}

void read_keep(struct study_file *r, const struct value *v)
{
    struct plan *p = r->plan;
    struct str s = value_text(v);
    int64_t n;

    if (str_is(s, "all")) {
        p->keep = KEEP_ALL;
    } else if (str_is(s, "none")) {
        p->keep = KEEP_NONE;
    } else if (str_starts(s, STR("best:")) &&
               num_int(str_n(s.p + 5, s.len - 5), &n) && n > 0) {
        p->keep = KEEP_BEST;
        p->keep_count = n;
    } else {
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "all, none or best:N, as in best:10", "keep cannot be %s",
                   value_words(&r->in, v));
    }
}

/* ---- env, setup ------------------------------------------------------- */

static bool variable_valid(struct str s)
{
    return param_name_valid(s) && !memchr(s.p, '.', s.len) &&
           !memchr(s.p, '-', s.len);
}

static struct str scalar_text(struct study_file *r, const struct value *v)
{
    struct buf b;
    struct str s;

    if (v->kind == VALUE_STRING)
        return v->s;
    if (v->kind == VALUE_BOOL)
        return v->boolean ? STR("true") : STR("false");
    if (v->kind == VALUE_NULL)
        return STR("");
    buf_init(&b);
    value_python_str(&b, v);
    s = arena_str(r->in.arena, buf_str(&b));
    buf_done(&b);
    return s;
}

void read_env(struct study_file *r, const struct value *v)
{
    struct assignment *env;

    if (!read_object(&r->in, v, "env"))
        return;
    env = arena_array(r->in.arena, v->count, sizeof(*env));
    for (size_t i = 0; i < v->count; i++) {
        const struct value *item = v->items[i];

        if (!variable_valid(v->keys[i]))
            problem_at_key(&r->in, PROBLEM_ERROR, v, i, NULL,
                           "env: '%s' cannot be the name of a variable",
                           shown(r->in.arena, v->keys[i]));
        else if (str_starts(v->keys[i], STR("THRONG_")))
            problem_at_key(&r->in, PROBLEM_ERROR, v, i, NULL,
                           "env: variables that begin with THRONG_ are set by "
                           "throng");
        if (item->kind == VALUE_LIST || item->kind == VALUE_OBJECT)
            problem_at(&r->in, PROBLEM_ERROR, item, NULL,
                       "env: the value of '%s' must be text, not %s",
                       shown(r->in.arena, v->keys[i]),
                       value_words(&r->in, item));
        else
            env[i] = (struct assignment){v->keys[i], scalar_text(r, item)};
    }
    r->plan->env = env;
    r->plan->env_count = v->count;
}

void read_setup(struct study_file *r, const struct value *v)
{
    const struct str *lines = NULL;
    size_t count = 0;
    struct buf b;

    if (!read_texts(&r->in, v, "setup", &lines, &count))
        return;
    buf_init(&b);
    for (size_t i = 0; i < count; i++) {
        buf_addstr(&b, lines[i]);
        if (b.len > 0 && b.p[b.len - 1] != '\n')
            buf_addc(&b, '\n');
    }
    r->plan->setup = arena_str(r->in.arena, buf_str(&b));
    buf_done(&b);
}
