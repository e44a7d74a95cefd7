/* stage_order.c - stages in an order in which each comes after its needs
 *
 * Depth first, in the order of the file: a stage that is met again while what
 * it needs is looked at stands in a cycle. */
#include "plan/stage.h"

enum mark { UNSEEN, OPEN, PLACED };

struct sorting {
    struct campaign_file *r;
    unsigned char *marks;
    size_t *order; /* old numbers, in the new order */
    size_t count;
    VEC(size_t) path;
};

static bool both_write(const struct plan_stage *a, const struct plan_stage *b,
                       struct str *file)
{
    for (size_t i = 0; i < a->output_count; i++)
        for (size_t k = 0; k < b->output_count; k++)
            if (str_eq(a->outputs[i], b->outputs[k])) {
                *file = a->outputs[i];
                return true;
            }
    return false;
}

/* Each needs who writes a file that it names, and so does the other. */
static bool say_both_write(struct sorting *s, size_t from)
{
    struct campaign_file *r = s->r;
    struct str file;

    for (size_t i = from; i < s->path.len; i++)
        for (size_t k = from; k < i; k++) {
            const struct plan_stage *a = &r->stages.p[s->path.p[k]];
            const struct plan_stage *b = &r->stages.p[s->path.p[i]];

            if (!both_write(a, b, &file))
                continue;
            problems_add(r->in.problems, PROBLEM_ERROR, r->in.file, b->line,
                         b->column, STR("give each of them its own"),
                         "stages '%.*s' and '%.*s' both write %.*s",
                         STRF(a->name), STRF(b->name), STRF(file));
            return true;
        }
    return false;
}

/* "a → b → a" */
static void say_cycle(struct sorting *s, size_t again)
{
    struct campaign_file *r = s->r;
    const struct plan_stage *at = &r->stages.p[again];
    struct buf b;
    size_t i = 0;

    while (s->path.p[i] != again)
        i++;
    if (say_both_write(s, i))
        return;
    buf_init(&b);
    for (; i < s->path.len; i++)
        buf_addf(&b, "%.*s needs ", STRF(r->stages.p[s->path.p[i]].name));
    buf_addf(&b, "%.*s", STRF(at->name));
    problems_add(r->in.problems, PROBLEM_ERROR, r->in.file, at->line,
                 at->column, STR("leave one of them out"),
                 "stages go round in a circle: %s", b.p);
    buf_done(&b);
}

static bool visit(struct sorting *s, size_t i)
{
    const struct plan_stage *stage = &s->r->stages.p[i];
    bool fine = true;

    if (s->marks[i] == PLACED)
        return true;
    if (s->marks[i] == OPEN) {
        say_cycle(s, i);
        return false;
    }
    s->marks[i] = OPEN;
    vec_push(&s->path, i);
    for (size_t n = 0; fine && n < stage->need_count; n++)
        fine = visit(s, stage->needs[n]);
    s->path.len--;
    s->marks[i] = PLACED;
    s->order[s->count++] = i;
    return fine;
}

static const size_t *renamed(struct arena *a, const size_t *list, size_t count,
                             const size_t *place)
{
    size_t *out = arena_array(a, count + 1, sizeof(*out));

    for (size_t i = 0; i < count; i++)
        out[i] = place[list[i]];
    return out;
}

static void renumber(struct campaign_file *r, const size_t *place)
{
    struct arena *a = r->in.arena;

    for (size_t i = 0; i < r->stages.len; i++) {
        struct plan_stage *s = &r->stages.p[i];
        struct stage_template *t =
            arena_array(a, s->template_count + 1, sizeof(*t));
        struct stage_condition *w =
            arena_array(a, s->when_count + 1, sizeof(*w));

        s->needs = renamed(a, s->needs, s->need_count, place);
        s->reads = renamed(a, s->reads, s->read_count, place);
        for (size_t n = 0; n < s->template_count; n++) {
            t[n] = s->templates[n];
            t[n].from = place[t[n].from];
        }
        for (size_t n = 0; n < s->when_count; n++) {
            w[n] = s->when[n];
            w[n].stage = place[w[n].stage];
        }
        s->templates = t;
        s->when = w;
    }
}

bool stages_sort(struct campaign_file *r)
{
    size_t count = r->stages.len;
    struct arena *a = r->in.arena;
    struct sorting s = {.r = r,
                        .marks = arena_array(a, count + 1, 1),
                        .order = arena_array(a, count + 1, sizeof(size_t))};
    size_t *place = arena_array(a, count + 1, sizeof(*place));
    struct plan_stage *sorted = arena_array(a, count + 1, sizeof(*sorted));
    bool fine = true;

    for (size_t i = 0; fine && i < count; i++)
        fine = visit(&s, i);
    vec_done(&s.path);
    if (!fine)
        return false;
    for (size_t i = 0; i < count; i++) {
        place[s.order[i]] = i;
        sorted[i] = r->stages.p[s.order[i]];
    }
    memcpy(r->stages.p, sorted, count * sizeof(*sorted));
    renumber(r, place);
    return true;
}
