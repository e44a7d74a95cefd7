/* stage_summary.c - a stage that sums up others: the verb `summary` */
#include "plan/stage.h"

static void make(struct campaign_file *r, struct plan_stage *s)
{
    struct arena *a = r->in.arena;
    const struct value *of = value_get(s->said, STR("summary"));
    const struct value *output = value_get(s->said, STR("output"));
    VEC(const char *) words = {0};
    struct str file, *outputs = arena_new_of(a, struct str);
    const struct str *names;
    size_t count, *reads;

    if (!output)
        problem_at(&r->in, PROBLEM_ERROR, of, "as in output: report.html",
                   "a summary needs output");
    if (!output || !read_text(&r->in, output, "output", &file) ||
        !read_texts(&r->in, of, "summary", &names, &count))
        return;
    reads = arena_array(a, count + 1, sizeof(*reads));
    vec_push(&words, "summary");
    for (size_t i = 0; i < count; i++) {
        long stage = stage_find(r, names[i], of);

        if (stage >= 0)
            reads[s->read_count++] = (size_t)stage;
        vec_push(&words, arena_printf(a, "%.*s/%.*s", STRF(r->campaign->name),
                                      STRF(names[i])));
    }
    vec_push(&words, "--output");
    vec_push(&words, arena_cstr(a, file));
    *outputs = file;
    s->outputs = outputs;
    s->output_count = 1;
    s->reads = reads;
    s->verb = vec_to_arena(a, &words);
}

STAGE(summary) = {.keys = (const char *const[]){"output", NULL}, .make = make};
