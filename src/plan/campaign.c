/* campaign.c - a campaign file as a whole
 *
 * First the stages by themselves, then what they have of each other, then
 * their order; at last the study of each is read with values that stand in for
 * those to come. Every mistake of all files is seen at once. */
#include "plan/stage.h"

#include "base/chars.h"
#include "plan/reading.h"

#define EACH_MOST 10000

const char *const stage_keys[] = {"needs",  "when",    "each",
                                  "inputs", "outputs", NULL};

#define STAGE_KIND(name, ...) [STAGE_ROW_##name] = &stage_kind_##name,
static const struct stage_kind *const kinds[STAGE_COUNT] = {STAGES(STAGE_KIND)};
#define STAGE_WORD(name, ...) [STAGE_ROW_##name] = #name,
static const char *const kind_names[STAGE_COUNT + 1] = {STAGES(STAGE_WORD)};

const char *plan_stage_kind(const struct plan_stage *s)
{
    for (size_t i = 0; i < STAGE_COUNT; i++)
        if (kinds[i] == s->kind)
            return kind_names[i];
    return "";
}

/* ---- names ------------------------------------------------------------ */

/* It is a folder's, and stands before a dot in what others write. */
static bool name_is_fine(struct str name)
{
    if (!name.len || name.len > 60 || !is_letter(name.p[0]))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!is_word(name.p[i]) && name.p[i] != '-')
            return false;
    return true;
}

/* Names of what lies beside the stages' folders in the campaign's own, or that
 * mean something between ${ and }. */
static bool name_is_taken(struct str name)
{
    static const char *const taken[] = {"requests", "trials", "packs", "handed",
                                        "each",     "envvar", NULL};
    return str_among(name, taken);
}

long stage_find(struct campaign_file *r, struct str name,
                const struct value *at)
{
    for (size_t i = 0; i < r->stages.len; i++)
        if (str_eq(r->stages.p[i].name, name))
            return (long)i;
    if (at)
        problem_at(&r->in, PROBLEM_ERROR, at,
                   hint_nearest(&r->in, name, r->names.p),
                   "there is no stage '%s'", shown(r->in.arena, name));
    return -1;
}

/* ---- one stage -------------------------------------------------------- */

static const struct stage_kind *find_kind(struct campaign_file *r,
                                          const struct value *stages, size_t i)
{
    const struct value *said = stages->items[i];
    const struct stage_kind *found = NULL;

    for (size_t k = 0; k < STAGE_COUNT; k++) {
        const struct value *v = value_get(said, str_of(kind_names[k]));

        /* A study may say a command of its own. */
        if (!v || (found && k == STAGE_ROW_command))
            continue;
        if (found)
            problem_at(&r->in, PROBLEM_ERROR, v, "make two stages of it",
                       "stage '%.*s' is of two kinds", STRF(stages->keys[i]));
        found = kinds[k];
    }
    if (!found)
        problem_at_key(&r->in, PROBLEM_ERROR, stages, i,
                       arena_printf(r->in.arena, "one of: %s", STAGE_NAMES),
                       "stage '%.*s' does not say what it runs",
                       STRF(stages->keys[i]));
    return found;
}

static void check_keys(struct campaign_file *r, const struct plan_stage *s)
{
    const struct value *said = s->said;
    const char *names[32];
    size_t n = 0;

    for (size_t i = 0; i < STAGE_COUNT; i++)
        if (kinds[i] == s->kind)
            names[n++] = kind_names[i];
    for (size_t i = 0; s->kind->keys[i]; i++)
        names[n++] = s->kind->keys[i];
    for (size_t i = 0; stage_keys[i]; i++)
        names[n++] = stage_keys[i];
    names[n] = NULL;
    if (!s->kind->is_study)
        read_known_keys(&r->in, said, "a stage", names);
}

static void read_files(struct campaign_file *r, const struct value *said,
                       const char *key, const struct str **list, size_t *count)
{
    const struct value *v = value_get(said, str_of(key));

    if (!v || !read_texts(&r->in, v, key, list, count))
        return;
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i].len == 0 || (*list)[i].p[0] == '/')
            problem_at(&r->in, PROBLEM_ERROR, v,
                       "a path seen from the campaign's folder",
                       "%s cannot be '%s'", key,
                       shown(r->in.arena, (*list)[i]));
}

static void read_stage(struct campaign_file *r, struct plan_stage *s)
{
    read_files(r, s->said, "inputs", &s->inputs, &s->input_count);
    read_files(r, s->said, "outputs", &s->outputs, &s->output_count);
    check_keys(r, s);
    if (s->kind->later)
        problem_at(&r->in, PROBLEM_ERROR,
                   value_get(s->said, str_of(plan_stage_kind(s))), NULL,
                   "stage '%.*s' cannot be run yet: %s", STRF(s->name),
                   s->kind->later);
    s->kind->make(r, s);
}

/* Two names of one key: those of the study file go, whichever is said. */
static void make_way(const struct value *said, struct value *study)
{
    if (!value_get(said, STR("device")) && !value_get(said, STR("kernels")))
        return;
    value_drop(study, STR("device"));
    value_drop(study, STR("kernels"));
}

void stage_add_keys(struct campaign_file *r, struct plan_stage *s,
                    struct value *study)
{
    struct arena *a = r->in.arena;
    const struct value *said = s->said;

    make_way(said, study);
    for (size_t i = 0; i < said->count; i++) {
        struct str key = said->keys[i];
        const struct value *there = value_get(study, key);

        if (str_among(key, stage_keys) || str_among(key, s->kind->keys) ||
            str_is(key, plan_stage_kind(s)))
            continue;
        if (str_is(key, "parameters") && there && there->kind == VALUE_OBJECT &&
            said->items[i]->kind == VALUE_OBJECT) {
            struct value *all = value_copy(a, there);

            for (size_t k = 0; k < said->items[i]->count; k++)
                value_set(a, all, said->items[i]->keys[k],
                          said->items[i]->items[k]);
            value_set(a, study, key, all);
        } else
            value_set_at(a, study, key, said->items[i],
                         said->key_lines ? said->key_lines[i] : 0,
                         said->key_columns ? said->key_columns[i] : 0);
    }
}

/* ---- each ------------------------------------------------------------- */

struct one {
    const struct value *value;
};

static int get_each(void *context, struct str inside, struct value **out,
                    struct err *err)
{
    const struct value *v = ((struct one *)context)->value;
    struct str rest = inside, part;

    str_split(&rest, '.', &part);
    if (!str_is(part, "each"))
        return 0;
    while (v && rest.p && str_split(&rest, '.', &part))
        v = value_get(v, part);
    if (!v)
        return err_set(err, ERR_INPUT, "${%.*s} names nothing of `each`",
                       STRF(inside));
    *out = (struct value *)(uintptr_t)v;
    return 1;
}

static void add_stage(struct campaign_file *r, struct str name,
                      const struct value *said, const struct value *stages,
                      size_t i, const struct stage_kind *kind)
{
    struct plan_stage s = {
        .name = name, .group = stages->keys[i], .kind = kind, .said = said};

    s.line = stages->key_lines ? stages->key_lines[i] : 0;
    s.column = stages->key_columns ? stages->key_columns[i] : 0;
    if (stage_find(r, name, NULL) >= 0)
        problem_at_key(&r->in, PROBLEM_ERROR, stages, i, NULL,
                       "there are two stages '%.*s'", STRF(name));
    vec_push(&r->stages, s);
    vec_push(&r->names, arena_cstr(r->in.arena, name));
}

/* The same stage over a list: name-1, name-2 … */
static void add_each(struct campaign_file *r, const struct value *stages,
                     size_t i, const struct value *each,
                     const struct stage_kind *kind)
{
    struct arena *a = r->in.arena;

    if (each->kind != VALUE_LIST || !each->count || each->count > EACH_MOST) {
        problem_at(&r->in, PROBLEM_ERROR, each, "as in each: [a.csv, b.csv]",
                   "each must be a list of 1 to 10000 values");
        return;
    }
    for (size_t k = 0; k < each->count; k++) {
        struct one one = {each->items[k]};
        struct err err = {0};
        char *name = arena_printf(a, "%.*s-%zu", STRF(stages->keys[i]), k + 1);
        const struct value *said =
            refs_replace(stages->items[i], get_each, &one, a, &err);

        if (said)
            add_stage(r, str_of(name), said, stages, i, kind);
        else
            problem_at(&r->in, PROBLEM_ERROR, stages->items[i], NULL, "%s",
                       err.text);
    }
}

/* ---- all of them ------------------------------------------------------ */

static void add_stages(struct campaign_file *r, const struct value *stages)
{
    for (size_t i = 0; i < stages->count; i++) {
        struct str name = stages->keys[i];
        const struct value *said = stages->items[i], *each;
        const struct stage_kind *kind;

        if (!name_is_fine(name) || name_is_taken(name)) {
            problem_at_key(&r->in, PROBLEM_ERROR, stages, i,
                           "a letter, then letters, digits, _ and -",
                           "a stage cannot be named '%s'",
                           shown(r->in.arena, name));
            continue;
        }
        if (!read_object(&r->in, said, "a stage"))
            continue;
        kind = find_kind(r, stages, i);
        if (!kind)
            continue;
        each = value_get(said, STR("each"));
        if (each)
            add_each(r, stages, i, each, kind);
        else
            add_stage(r, name, said, stages, i, kind);
    }
    vec_push(&r->names, NULL);
}

static void read_whole(struct campaign_file *r)
{
    static const char *const keys[] = {"name", "description", "parallel",
                                       "stages", NULL};
    struct plan_campaign *c = r->campaign;
    const struct value *name = value_get(r->root, STR("name"));
    const struct value *parallel = value_get(r->root, STR("parallel"));
    const char *fault;
    int64_t n;

    read_known_keys(&r->in, r->root, "a campaign", keys);
    if (name)
        read_text(&r->in, name, "name", &c->name);
    fault = c->name.len ? plan_name_fault(c->name) : NULL;
    if (fault)
        problem_at(&r->in, PROBLEM_ERROR, name, "give the campaign a name",
                   "the campaign's name '%s' %s", shown(r->in.arena, c->name),
                   fault);
    c->description = value_text(value_get(r->root, STR("description")));
    if (parallel && read_int(&r->in, parallel, "parallel", 1, 1000000, &n))
        c->parallel = (uint32_t)n;
}

static void read_campaign(struct campaign_file *r)
{
    const struct value *stages = value_get(r->root, STR("stages"));

    read_whole(r);
    if (!read_object(&r->in, stages, "stages"))
        return;
    if (!stages->count)
        problem_at(&r->in, PROBLEM_ERROR, stages,
                   "as in prepare: {command: ./prepare.sh}", "stages is empty");
    add_stages(r, stages);
    for (size_t i = 0; i < r->stages.len; i++)
        read_stage(r, &r->stages.p[i]);
    for (size_t i = 0; i < r->stages.len; i++)
        stage_links(r, i);
    if (r->in.problems->errors == 0 && stages_sort(r))
        stages_check(r);
    r->campaign->stage_count = r->stages.len;
    r->campaign->stages = vec_to_arena(r->in.arena, &r->stages);
}

bool plan_is_campaign(struct str text, const char *file)
{
    struct arena *a = arena_new();
    struct problems problems;
    problems_init(&problems, a);
    struct value *root = plan_yaml(text, file, a, &problems);
    bool is = root && value_get(root, STR("stages"));
    arena_free(a);
    return is;
}

struct plan_campaign *plan_campaign_read(struct str text, const char *file,
                                         const struct plan_reader *reader,
                                         struct arena *a,
                                         struct problems *problems)
{
    struct plan_campaign *c = arena_new_of(a, struct plan_campaign);
    struct campaign_file r = {.in = {a, problems, arena_str(a, str_of(file))},
                              .campaign = c,
                              .reader = reader,
                              .root = plan_yaml(text, file, a, problems)};

    c->file = r.in.file;
    c->text = arena_str(a, text);
    c->name = stem_of(c->file);
    if (!r.root)
        return NULL;
    if (r.root->kind == VALUE_OBJECT && value_get(r.root, STR("stages")))
        read_campaign(&r);
    else
        problem_whole(&r.in, PROBLEM_ERROR,
                      "as in stages: {search: {study: search.yaml}}",
                      "a campaign has stages");
    vec_done(&r.stages);
    vec_done(&r.names);
    if (problems->errors == 0)
        return c;
    plan_campaign_close(c);
    return NULL;
}

void plan_campaign_close(struct plan_campaign *c)
{
    for (size_t i = 0; c && i < c->stage_count; i++)
        plan_close(c->stages[i].plan);
}
