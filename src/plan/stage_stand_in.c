/* stage_stand_in.c - the studies of a campaign, read before anything has run
 *
 * What a stage will have of an earlier one is not there yet. For reading, any
 * point of the earlier one's space will do: the names are the same. */
#include "plan/stage.h"

#include "base/json.h"

/* ---- any point of a study --------------------------------------------- */

static struct value *any_value(struct arena *a, const struct param *p)
{
    switch (p->dist) {
    case DIST_CONSTANT:
        return value_copy(a, p->constant);
    case DIST_CATEGORICAL:
        return value_copy(a, p->values->items[0]);
    case DIST_INT_UNIFORM:
        return value_int(a, (int64_t)p->min);
    default:
        return value_double(a, p->min < p->max ? p->min : 0.5);
    }
}

static void put(struct arena *a, struct value *point, const struct param *p)
{
    for (size_t i = 0; i + 1 < p->path_len; i++) {
        struct value *inner = value_get(point, p->path[i]);

        if (!inner) {
            inner = value_object(a);
            value_set(a, point, p->path[i], inner);
        }
        if (inner->kind != VALUE_OBJECT)
            return;
        point = inner;
    }
    value_set(a, point, p->path[p->path_len - 1], any_value(a, p));
}

static struct value *any_point(struct arena *a, const struct plan *p)
{
    struct value *point = NULL;
    struct str unused;

    if (!p || !p->points || plan_points_count(p->points) == 0 ||
        plan_points_get(p->points, 0, a, &point, &unused, NULL))
        point = value_object(a);
    for (size_t i = 0; p && i < p->space.count; i++)
        put(a, point, &p->space.params[i]);
    return point;
}

/* ---- templates -------------------------------------------------------- */

/* A row of which each template has one point. */
static struct value *any_row(struct campaign_file *r,
                             const struct plan_stage *s)
{
    struct arena *a = r->in.arena;
    struct value *row = value_object(a);

    for (size_t i = 0; i < s->template_count; i++) {
        const struct stage_template *t = &s->templates[i];
        const struct value *point = any_point(a, r->stages.p[t->from].plan);

        for (size_t k = 0; k < point->count; k++) {
            if (value_get(row, point->keys[k]) ||
                str_eq(point->keys[k], t->name))
                problem_at(&r->in, PROBLEM_ERROR, s->said,
                           "leave it out of one of them",
                           "stage '%.*s': '%s' is a parameter of two templates",
                           STRF(s->name), shown(a, point->keys[k]));
            value_set(a, row, point->keys[k], point->items[k]);
        }
        value_set(a, row, t->name, value_int(a, 1));
        if (t->weights)
            value_set(a, row,
                      str_of(arena_printf(a, "%.*s.weights", STRF(t->name))),
                      value_string(a, STR("weights.safetensors")));
    }
    return row;
}

/* ---- filling ---------------------------------------------------------- */

struct filling {
    const struct plan_campaign *campaign;
    stage_value_fn *get;
    void *context;
};

static int get_ref(void *context, struct str inside, struct value **out,
                   struct err *err)
{
    const struct filling *f = context;
    struct str stage, name;

    if (!ref_split(inside, &stage, &name))
        return 0;
    for (size_t i = 0; i < f->campaign->stage_count; i++)
        if (str_eq(f->campaign->stages[i].name, stage)) {
            *out = f->get(f->context, i, name, err);
            return *out ? 1 : -1;
        }
    return 0;
}

/* Methods that take listed points say so; a grid is what the others mean. */
static void add_points(struct value *study, struct value *points,
                       struct arena *a)
{
    const struct value *rest = value_get(study, STR("parameters"));

    value_set(a, study, STR("points"), points);
    if (!value_get(study, STR("method")) && rest && rest->count)
        value_set(a, study, STR("method"), value_string(a, STR("grid")));
}

struct value *plan_stage_fill(const struct plan_campaign *c,
                              const struct plan_stage *s, stage_value_fn *get,
                              void *context, struct value *points,
                              struct arena *a, struct err *err)
{
    struct filling f = {c, get, context};
    struct value *study = refs_replace(s->study, get_ref, &f, a, err);

    if (study && points)
        add_points(study, points, a);
    return study;
}

static struct value *stand_in(void *context, size_t stage, struct str name,
                              struct err *err)
{
    struct campaign_file *r = context;
    const struct plan *p = r->stages.p[stage].plan;
    struct value *point = any_point(r->in.arena, p), *v;
    struct str rest = name, part;
    (void)err;

    v = value_get(point, name);
    for (struct value *at = point; !v && at && rest.p;) {
        str_split(&rest, '.', &part);
        at = value_get(at, part);
        v = rest.p ? NULL : at;
    }
    if (v)
        return v;
    if (str_is(name, "weights"))
        return value_string(r->in.arena, STR("weights.safetensors"));
    if (str_is(name, "trial"))
        return value_int(r->in.arena, 1);
    return value_double(r->in.arena, 0.5); /* some metric */
}

/* ---- reading ---------------------------------------------------------- */

/* Problems of the stage's study, with the files that their lines are of. */
static void pass_on(const struct problems *from, const struct plan_stage *s,
                    struct problems *to)
{
    for (size_t i = 0; i < from->list.len; i++) {
        struct problem p = from->list.p[i];

        if (p.line >= STAGE_LINES) {
            p.line -= STAGE_LINES;
            p.file = s->study_file;
        }
        problems_add(to, p.level, p.file, p.line, p.column, p.hint,
                     "%.*s%s%.*s", STRF(p.path), p.path.len ? " " : "",
                     STRF(p.text));
    }
}

struct plan *plan_stage_read(const struct plan_campaign *c,
                             const struct plan_stage *s,
                             const struct value *study,
                             const struct plan_reader *reader, struct arena *a,
                             struct problems *problems)
{
    struct problems own;
    struct buf text;
    struct plan *p;

    problems_init(&own, a);
    buf_init(&text);
    json_print(&text, study);
    p = plan_read_root(value_copy(a, study), buf_str(&text),
                       arena_cstr(a, c->file), reader, a, &own);
    buf_done(&text);
    pass_on(&own, s, problems);
    return p;
}

static bool is_there(const struct campaign_file *r, struct str file)
{
    const struct file_reader *files = &r->reader->files;
    struct str text;

    return files->read &&
           files->read(files->context, arena_cstr(r->in.arena, file), &text,
                       NULL) == 0;
}

static bool is_cut_off(const struct campaign_file *r,
                       const struct plan_stage *s)
{
    return r->reader->cut_off && r->reader->cut_off(r->reader->files.context,
                                                    r->campaign->name, s->name);
}

/* What the study of a stage depends on before anything has run. */
enum readable {
    READABLE,
    READABLE_IN_PART, /* a file that another stage writes is not there, or not
                         all of it … */
    UNREADABLE,       /* … which is a part of the study itself */
};

static bool is_part(const struct plan_stage *s, struct str file)
{
    static const char *const parts[] = {"points", "parameters_file", "model",
                                        "warm_start", NULL};

    for (size_t i = 0; parts[i]; i++)
        if (str_eq(value_text(value_get(s->study, str_of(parts[i]))), file))
            return true;
    return false;
}

static enum readable readable(const struct campaign_file *r,
                              const struct plan_stage *s)
{
    enum readable is = READABLE;

    for (size_t i = 0; i < s->template_count; i++)
        if (!r->stages.p[s->templates[i].from].plan)
            return UNREADABLE;
    for (size_t i = 0; i < s->need_count; i++) {
        const struct plan_stage *n = &r->stages.p[s->needs[i]];
        bool whole = !n->output_count || !is_cut_off(r, n);

        for (size_t k = 0; k < n->output_count; k++) {
            if (whole && is_there(r, n->outputs[k]))
                continue;
            if (is_part(s, n->outputs[k]))
                return UNREADABLE;
            is = READABLE_IN_PART;
        }
    }
    return is;
}

/* Who checks data is asked when there is some. */
static void read_filled(struct campaign_file *r, struct plan_stage *s,
                        const struct value *study, enum readable how)
{
    struct plan_reader reader = *r->reader;

    if (how == READABLE_IN_PART)
        reader.check = NULL;
    /* Models and rows may be others when those before it are done. */
    if (s->need_count)
        reader.shards = NULL;
    s->plan = plan_stage_read(r->campaign, s, study, &reader, r->in.arena,
                              r->in.problems);
}

static void check(struct campaign_file *r, struct plan_stage *s)
{
    struct arena *a = r->in.arena;
    struct value *points = NULL, *study;
    struct err err = {0};
    enum readable how;

    if (!s->study || !r->reader)
        return;
    how = readable(r, s);
    if (how == UNREADABLE)
        return;
    if (s->template_count) {
        points = value_list(a);
        value_list_add(a, points, any_row(r, s));
    }
    r->campaign->stages = r->stages.p;
    r->campaign->stage_count = r->stages.len;
    study = plan_stage_fill(r->campaign, s, stand_in, r, points, a, &err);
    if (study)
        read_filled(r, s, study, how);
    else
        problem_at(&r->in, PROBLEM_ERROR, s->said, NULL, "%s", err.text);
}

void stages_check(struct campaign_file *r)
{
    for (size_t i = 0; i < r->stages.len; i++)
        check(r, &r->stages.p[i]);
}
