/* stage_study.c - a stage that is a study with a file of its own
 *
 * What the campaign says of it stands over what its file says; parameters are
 * added to the file's. */
#include "plan/reading.h"
#include "plan/stage.h"

static void move_lines(struct value *v)
{
    if (v->line)
        v->line += STAGE_LINES;
    if (v->kind != VALUE_LIST && v->kind != VALUE_OBJECT)
        return;
    for (size_t i = 0; i < v->count; i++) {
        if (v->kind == VALUE_OBJECT && v->key_lines && v->key_lines[i])
            v->key_lines[i] += STAGE_LINES;
        move_lines(v->items[i]);
    }
}

static struct value *read_file(struct campaign_file *r, const struct value *at,
                               struct str name)
{
    struct arena *a = r->in.arena;
    const struct file_reader *files = r->reader ? &r->reader->files : NULL;
    const char *path = arena_cstr(a, name);
    struct err err = {0};
    struct str text;
    struct value *root;

    if (memchr(name.p, '/', name.len))
        problem_at(&r->in, PROBLEM_ERROR, at, "move it there",
                   "a stage's study file lies beside the campaign's, and '%s' "
                   "does not",
                   shown(a, name));
    else if (!files || !files->read)
        problem_at(&r->in, PROBLEM_ERROR, at, NULL, "%s cannot be read here",
                   path);
    else if (files->read(files->context, path, &text, &err))
        problem_at(&r->in, PROBLEM_ERROR, at, NULL, "study: %s", err.text);
    else {
        root = plan_yaml(text, path, a, r->in.problems);
        if (root && root->kind == VALUE_OBJECT)
            return root;
        if (root)
            problem_at(&r->in, PROBLEM_ERROR, at, NULL,
                       "%s is no study file: it must have keys", path);
    }
    return NULL;
}

static void make(struct campaign_file *r, struct plan_stage *s)
{
    const struct value *v = value_get(s->said, STR("study"));
    struct value *root;

    if (!read_text(&r->in, v, "study", &s->study_file))
        return;
    root = read_file(r, v, s->study_file);
    if (!root)
        return;
    if (value_get(root, STR("stages"))) {
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "%.*s is a campaign, and a stage is a study",
                   STRF(s->study_file));
        return;
    }
    move_lines(root);
    stage_add_keys(r, s, root);
    if (!value_get(root, STR("name")))
        value_set(r->in.arena, root, STR("name"),
                  value_string(r->in.arena, stem_of(s->study_file)));
    s->study = root;
}

STAGE(study) = {
    .keys = (const char *const[]){NULL}, .is_study = true, .make = make};
