/* study.c - a study file as a whole
 *
 * The text becomes a tree, each key is read by its reader, and then what
 * concerns several keys is checked. All of it happens even after a mistake,
 * so that a person sees all mistakes of a file at once. */
#include "plan/reading.h"

#include <stdio.h>
#include "base/hash.h"

#define NAME_MAX_BYTES 100

/* Until its method is known. */
static const struct method no_method = {.name = ""};

static void set_defaults(struct plan *p)
{
    p->strategy = &no_method;
    p->repeat = 1;
    p->order = STR("free");
    p->metric.minimize = true;
    p->max_failures = -1;
    p->retry_delay_s = 1;
    p->grace_s = 30;
    p->output_max_bytes = (uint64_t)64 << 20;
    p->keep_count = 10;
    p->protocol = STR("throng");
}

/* ---- the name --------------------------------------------------------- */

struct str stem_of(struct str file)
{
    const char *slash = memrchr(file.p, '/', file.len);
    struct str s = file;
    const char *dot;

    if (slash)
        s = str_n(slash + 1, file.len - (size_t)(slash + 1 - file.p));
    dot = memrchr(s.p, '.', s.len);
    return dot && dot > s.p ? str_n(s.p, (size_t)(dot - s.p)) : s;
}

const char *plan_name_fault(struct str name)
{
    if (name.len == 0)
        return "is empty";
    if (name.len > NAME_MAX_BYTES)
        return "is longer than 100 bytes";
    if (name.p[0] == '.' || name.p[0] == '-')
        return "begins with a dot or a hyphen";
    if (!str_eq(str_trim(name), name))
        return "begins or ends with a blank";
    if (!str_utf8(name))
        return "is not UTF-8 text";
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.p[i];

        if (c == '/' || c == '\\')
            return "holds a slash";
        if (c < 0x20 || c == 0x7f)
            return "holds a control character";
    }
    return NULL;
}

/* At most so many bytes of a text, and no half of a letter. */
static struct str cut_to(struct str s, size_t bytes)
{
    if (s.len <= bytes)
        return s;
    while (bytes > 0 && ((unsigned char)s.p[bytes] & 0xc0) == 0x80)
        bytes--;
    return str_n(s.p, bytes);
}

/* Digits made of the whole name stand behind it: names that differ only in
 * what had to go are names of two studies. */
static struct str made_to_fit(struct arena *a, struct str name)
{
    char mark[8];
    struct buf b;
    struct str made;

    snprintf(mark, sizeof(mark), "-%06x",
             (unsigned)(hash64(name, 0) & 0xffffff));
    buf_init(&b);
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.p[i];
        bool unfit = c == '/' || c == '\\' || c < 0x20 || c == 0x7f;

        if (b.len || !(unfit || c == '.' || c == '-' || c == ' '))
            buf_addc(&b, unfit ? '-' : (char)c);
    }
    made = str_trim(cut_to(buf_str(&b), NAME_MAX_BYTES - strlen(mark)));
    made = str_of(
        arena_printf(a, "%.*s%s", STRF(made.len ? made : STR("study")), mark));
    buf_done(&b);
    return made;
}

struct str plan_fitting_name(struct str name, struct arena *a)
{
    bool mendable = name.len && str_utf8(name) && plan_name_fault(name);
    return mendable ? made_to_fit(a, name) : name;
}

/* A sweep of W&B may be called anything; its folder may not. */
static void make_name_fit(struct study_file *r, const struct value *said,
                          const char *fault)
{
    struct plan *p = r->plan;
    struct str made = plan_fitting_name(p->name, r->in.arena);

    problem_at(&r->in, PROBLEM_NOTICE, said, NULL,
               "the study is called '%s' here: the name '%s' %s, and a folder "
               "is named after it",
               shown(r->in.arena, made), shown(r->in.arena, p->name), fault);
    p->name = made;
}

static void check_name(struct study_file *r)
{
    struct plan *p = r->plan;
    const struct value *said = value_get(r->root, STR("name"));
    const char *fault;

    if (said && p->name.len == 0)
        return;
    if (!said)
        p->name = stem_of(p->file);
    fault = plan_name_fault(p->name);
    if (fault && said && str_utf8(p->name))
        make_name_fit(r, said, fault);
    else if (fault)
        problem_at(&r->in, PROBLEM_ERROR, said, "give the study a name",
                   "the study's name '%s' %s", shown(r->in.arena, p->name),
                   fault);
    if (!p->seed_said)
        p->seed = hash64(p->name, 0) & 0x7fffffff;
}

/* ---- the method ------------------------------------------------------- */

static void warn_other_options(struct study_file *r)
{
    for (const struct method *const *m = methods_of(r); *m; m++) {
        struct str name = str_of((*m)->name);

        if ((*m)->listing == LIST_IS || str_eq(name, r->plan->method) ||
            !value_get(r->root, name))
            continue;
        problem_at(&r->in, PROBLEM_WARNING, value_get(r->root, name), NULL,
                   "the options of %s are not used: the method is %.*s",
                   (*m)->name, STRF(r->plan->method));
    }
}

static bool points_only(const struct study_file *r)
{
    return r->reader && r->reader->points_only;
}

/* The steps of a GA space are options of its method: {sigma: {lr: 0.1}}. What
 * the study says of one of them counts instead. */
static const struct value *with_widths(struct study_file *r,
                                       const struct value *said)
{
    struct arena *a = r->in.arena;
    struct str key = str_of(r->plan->strategy->widths);
    struct value *options = said ? value_copy(a, said) : value_object(a);
    struct value *sigma = value_copy(a, r->plan->space_file->sigma);
    const struct value *own = value_get(options, key);

    if (options->kind != VALUE_OBJECT || (own && own->kind != VALUE_OBJECT))
        return said; /* a mistake, which others name */
    for (size_t i = 0; own && i < own->count; i++)
        value_set(a, sigma, own->keys[i], own->items[i]);
    value_set(a, options, key, sigma);
    return options;
}

/* HyperSpace's own dimensions are halved as HyperSpace does it, those of
 * logarithms too, unless the study says otherwise. */
static const struct value *with_scale(struct study_file *r,
                                      const struct value *said)
{
    struct arena *a = r->in.arena;
    struct str key = str_of(r->plan->strategy->linear);
    struct value *options = said ? value_copy(a, said) : value_object(a);

    if (options->kind != VALUE_OBJECT || value_get(options, key))
        return said;
    value_set(a, options, key, value_string(a, STR("linear")));
    return options;
}

/* What a study that names none is searched by: the list that it has, or what
 * the file of its space is made for, or the first of all methods. */
static struct str method_unsaid(const struct study_file *r)
{
    const struct plan *p = r->plan;
    bool points = value_get(r->root, STR("points")) ||
                  value_get(r->root, STR("parameters_file"));
    const struct method *m = methods_of(r)[0];
    if (p->predict)
        return STR("grid");
    if (points && !(p->space_file && !r->list_text.p))
        m = method_of_list(methods_of(r));
    else if (p->space_file)
        return str_of(p->space_file->method);
    return m ? str_of(m->name) : STR("");
}

/* What a file of a space has that only some methods take. */
static void take_from_space(struct study_file *r)
{
    struct plan *p = r->plan;
    const struct space_file *file = p->space_file;
    if (file && file->sigma && p->strategy->widths)
        p->method_options = with_widths(r, p->method_options);
    if (file && file->linear && p->strategy->linear)
        p->method_options = with_scale(r, p->method_options);
}

/* `baseline:` beside the method is an option of the one that takes it. */
static const struct value *with_baseline(struct study_file *r,
                                         const struct value *said)
{
    struct arena *a = r->in.arena;
    const struct value *baseline = value_get(r->root, STR("baseline"));
    const struct method_option *o = r->plan->strategy->options;

    while (o && o->name && strcmp(o->name, "baseline"))
        o++;
    if (!baseline || (said && said->kind != VALUE_OBJECT))
        return said;
    if (!o || !o->name) {
        problem_at(&r->in, PROBLEM_WARNING, baseline, NULL,
                   "baseline is not used: the method is %.*s",
                   STRF(r->plan->method));
        return said;
    }
    struct value *options = said ? value_copy(a, said) : value_object(a);
    value_set(a, options, STR("baseline"), value_copy(a, baseline));
    return options;
}

static const struct value *grid_in_order(struct study_file *r)
{
    struct arena *a = r->in.arena;
    struct value *options = value_object(a);
    value_set(a, options, STR("order"), value_string(a, STR("written")));
    return options;
}

static void check_method(struct study_file *r)
{
    struct plan *p = r->plan;
    const struct value *said = value_get(r->root, STR("method"));

    if (r->reader && r->reader->method) {
        p->method = str_of(r->reader->method);
        p->method_said = true;
    } else if (said && !p->method_said)
        return;
    else if (!said)
        p->method = method_unsaid(r);
    const struct method *method = method_find(methods_of(r), p->method);
    if (method)
        p->strategy = method;
    bool ends = p->strategy->exhausts || p->strategy->listing == LIST_IS;
    if (!ends && p->run_cap == 0 && !points_only(r) &&
        !(r->reader && r->reader->counted))
        problem_at(&r->in, PROBLEM_NOTICE, said,
                   r->reader && r->reader->count_words ? r->reader->count_words
                                                       : "set run_cap",
                   "without run_cap the study goes on until it is stopped");
    if (p->strategy->listing != LIST_IS)
        p->method_options = value_get(r->root, p->method);
    take_from_space(r);
    p->method_options = with_baseline(r, p->method_options);
    if (p->predict) /* trial 7 is shard 7 */
        p->method_options = grid_in_order(r);
    if (p->strategy->asks && !p->method_options)
        problem_at(&r->in, PROBLEM_ERROR, said,
                   arena_printf(r->in.arena,
                                "as in %s: {command: [python, search.py]}",
                                p->strategy->name),
                   "method %s needs %s", p->strategy->name, p->strategy->name);
    warn_other_options(r);
}

static void check_space(struct study_file *r)
{
    const struct value *said = value_get(r->root, STR("parameters"));
    bool points = value_get(r->root, STR("points")) ||
                  value_get(r->root, STR("parameters_file"));

    if (!said && !points && !r->plan->predict)
        problem_whole(&r->in, PROBLEM_ERROR,
                      "as in parameters: {lr: {min: 0.001, max: 0.1}}",
                      "the study has no parameters");
    else if (said && said->kind == VALUE_OBJECT && said->count == 0 && !points)
        problem_at(&r->in, PROBLEM_ERROR, said, NULL, "parameters is empty");
    check_parameters(r);
}

static void check_order(struct study_file *r)
{
    struct plan *p = r->plan;
    const struct value *lag = value_get(r->root, STR("lag"));
    const struct value *batch = value_get(r->root, STR("batch"));
    const struct value *order = value_get(r->root, STR("order"));

    if (lag && !str_is(p->order, "lag"))
        problem_at(&r->in, PROBLEM_ERROR, lag, "say order: lag too",
                   "lag is used only with order: lag");
    if (!lag && str_is(p->order, "lag"))
        problem_at(&r->in, PROBLEM_ERROR, order, "as in lag: 8",
                   "order: lag needs lag");
    if (batch && !str_is(p->order, "batch"))
        problem_at(&r->in, PROBLEM_ERROR, batch, "say order: batch too",
                   "batch is used only with order: batch");
    if (!batch && str_is(p->order, "batch"))
        problem_at(&r->in, PROBLEM_ERROR, order, "as in batch: 8",
                   "order: batch needs batch");
}

/* ---- the whole -------------------------------------------------------- */

static void read_study(struct study_file *r)
{
    if (r->plan->dialect)
        r->plan->start = r->plan->dialect->start(&r->in, NULL);
    find_space_file(r);
    read_keys(r);
    if (r->reader && r->reader->engine)
        r->plan->engine = str_of(r->reader->engine);
    if (r->reader && r->reader->profile)
        r->plan->profile = str_of(r->reader->profile);
    if (r->reader && r->reader->device)
        r->plan->device = str_of(r->reader->device);
    check_name(r);
    check_method(r);
    check_space(r);
    check_metric(r);
    check_order(r);
    check_task(r);
    check_predict(r);
    if (!points_only(r))
        check_command(r);
    check_model(r);
    check_templates(r);
    check_resources(r);
    check_points(r);
    check_site(r);
}

struct plan *plan_read_root(struct value *root, struct str text,
                            const char *file, const struct plan_reader *reader,
                            struct arena *a, struct problems *problems)
{
    struct plan *p = arena_new_of(a, struct plan);
    struct study_file r = {.in = {a, problems, arena_str(a, str_of(file))},
                           .plan = p,
                           .reader = reader,
                           .root = root,
                           .param_names = arena_array(a, 1, sizeof(char *))};

    set_defaults(p);
    p->file = r.in.file;
    p->text = arena_str(a, text);
    p->dialect = reader ? reader->dialect : NULL;
    p->root = root;
    if (p->root->kind != VALUE_OBJECT) {
        problem_whole(&r.in, PROBLEM_ERROR, "as in program: train.py",
                      p->root->kind == VALUE_NULL
                          ? "the file is empty"
                          : "a study file is made of key: value lines");
        return NULL;
    }
    read_study(&r);
    if (reader && reader->check)
        reader->check(p, problems);
    if (problems->errors == 0)
        return p;
    plan_close(p);
    return NULL;
}

struct plan *plan_read(struct str text, const char *file,
                       const struct plan_reader *reader, struct arena *a,
                       struct problems *problems)
{
    struct value *root = plan_yaml(text, file, a, problems);
    return root ? plan_read_root(root, text, file, reader, a, problems) : NULL;
}

void plan_close(struct plan *p)
{
    if (!p)
        return;
    plan_points_close(p->points);
    if (p->foreign_model)
        p->foreign_model->close(p->foreign_model);
    p->points = NULL;
    p->foreign_model = NULL;
}
