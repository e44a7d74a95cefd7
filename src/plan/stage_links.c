/* stage_links.c - what a stage has of others, and so what it comes after
 *
 * By `needs:`, by `from:` of a template, by `when:`, by ${STAGE.best.NAME}, and
 * by naming a file that another one writes: in the stage, in its study file or
 * in the model file of that. */
#include "plan/stage.h"

#include "base/chars.h"
#include "base/num.h"

struct linking {
    struct campaign_file *r;
    size_t stage;
    struct stage_list needs;
};

void stage_list_add(struct stage_list *l, size_t stage)
{
    for (size_t i = 0; i < l->list.len; i++)
        if (l->list.p[i] == stage)
            return;
    vec_push(&l->list, stage);
}

static struct plan_stage *own(struct linking *k)
{
    return &k->r->stages.p[k->stage];
}

/* One stage, of which a value is wanted. */
static long find_one(struct linking *k, struct str name, const struct value *at)
{
    struct campaign_file *r = k->r;

    for (size_t i = 0; i < r->stages.len; i++)
        if (str_eq(r->stages.p[i].group, name) &&
            !str_eq(r->stages.p[i].name, name)) {
            problem_at(&r->in, PROBLEM_ERROR, at,
                       arena_printf(r->in.arena, "as in %.*s-1", STRF(name)),
                       "'%.*s' is a stage for each value of a list: name one "
                       "of them",
                       STRF(name));
            return -1;
        }
    return stage_find(r, name, at);
}

/* ---- needs ------------------------------------------------------------ */

static void link_needs(struct linking *k)
{
    struct campaign_file *r = k->r;
    const struct value *v = value_get(own(k)->said, STR("needs"));
    const struct str *names;
    size_t count;

    if (!v || !read_texts(&r->in, v, "needs", &names, &count))
        return;
    for (size_t n = 0; n < count; n++) {
        bool any = false;

        for (size_t i = 0; i < r->stages.len; i++)
            if (str_eq(r->stages.p[i].group, names[n]) ||
                str_eq(r->stages.p[i].name, names[n])) {
                stage_list_add(&k->needs, i);
                any = true;
            }
        if (!any)
            stage_find(r, names[n], v);
    }
}

/* ---- templates -------------------------------------------------------- */

static bool is_template(const struct value *v)
{
    return v->kind == VALUE_OBJECT && value_get(v, STR("from"));
}

/* What it selects is known when the other stage is done; that it is no
 * selector at all, before hours are spent on that. */
void stage_select(struct campaign_file *r, const struct value *v,
                  struct str *select)
{
    struct err err = {0};

    if (read_text(&r->in, v, "select", select) && r->reader &&
        r->reader->selector_check &&
        r->reader->selector_check(arena_cstr(r->in.arena, *select), &err))
        problem_at(&r->in, PROBLEM_ERROR, v, NULL, "%s", err.text);
}

static bool read_template(struct linking *k, struct str name,
                          const struct value *v, struct stage_template *t)
{
    static const char *const keys[] = {"from", "select", "weights", NULL};
    struct campaign_file *r = k->r;
    const struct value *from = value_get(v, STR("from"));
    const struct value *select = value_get(v, STR("select"));
    const struct value *weights = value_get(v, STR("weights"));
    struct str stage;
    long i;

    *t = (struct stage_template){.name = name, .select = STR("best:1")};
    read_known_keys(&r->in, v, "a template", keys);
    if (select)
        stage_select(r, select, &t->select);
    if (weights)
        read_bool(&r->in, weights, "weights", &t->weights);
    if (!read_text(&r->in, from, "from", &stage))
        return false;
    i = find_one(k, stage, from);
    if (i >= 0 && !r->stages.p[i].kind->is_study)
        problem_at(&r->in, PROBLEM_ERROR, from, NULL,
                   "stage '%.*s' is no study: it has no points", STRF(stage));
    if (i < 0)
        return false;
    t->from = (size_t)i;
    stage_list_add(&k->needs, t->from);
    return true;
}

/* Takes the templates out of the study's parameters: what is left is a space
 * as any other. */
static void link_templates(struct linking *k)
{
    struct arena *a = k->r->in.arena;
    struct plan_stage *s = own(k);
    const struct value *all = value_get(s->study, STR("parameters"));
    VEC(struct stage_template) list = {0};
    struct value *rest;

    if (!all || all->kind != VALUE_OBJECT)
        return;
    rest = value_object(a);
    rest->line = all->line;
    rest->column = all->column;
    for (size_t i = 0; i < all->count; i++) {
        struct stage_template t;

        if (!is_template(all->items[i]))
            value_set_at(a, rest, all->keys[i], all->items[i],
                         all->key_lines ? all->key_lines[i] : 0,
                         all->key_columns ? all->key_columns[i] : 0);
        else if (read_template(k, all->keys[i], all->items[i], &t))
            vec_push(&list, t);
    }
    if (rest->count < all->count)
        value_set(a, s->study, STR("parameters"), rest);
    s->template_count = list.len;
    s->templates = vec_to_arena(a, &list);
}

/* ---- when ------------------------------------------------------------- */

static const struct {
    const char *text;
    enum condition_sign sign;
} signs[] = {{"<=", SIGN_MOST}, {">=", SIGN_LEAST}, {"==", SIGN_IS},
             {"!=", SIGN_NOT},  {"<", SIGN_LESS},   {">", SIGN_MORE},
             {"=", SIGN_IS}};

static bool split_at_sign(struct str s, struct str *left,
                          enum condition_sign *sign, struct str *right)
{
    for (size_t i = 0; i < s.len; i++)
        for (size_t k = 0; k < sizeof(signs) / sizeof(*signs); k++) {
            struct str rest = str_n(s.p + i, s.len - i);
            size_t len = strlen(signs[k].text);

            if (!str_starts(rest, str_of(signs[k].text)))
                continue;
            *left = str_trim(str_n(s.p, i));
            *right = str_trim(str_n(rest.p + len, rest.len - len));
            *sign = signs[k].sign;
            return left->len && right->len;
        }
    return false;
}

static void read_condition(struct linking *k, struct str text,
                           const struct value *at, struct stage_condition *out,
                           size_t *count)
{
    struct campaign_file *r = k->r;
    struct stage_condition c = {0};
    struct str left, stage;
    long i;

    if (!split_at_sign(text, &left, &c.sign, &c.than) ||
        !ref_split(left, &stage, &c.name) || !c.name.len) {
        problem_at(&r->in, PROBLEM_ERROR, at,
                   "as in search.best.val_loss<0.1, several joined by and",
                   "'%s' is no comparison", shown(r->in.arena, text));
        return;
    }
    i = find_one(k, stage, at);
    if (i < 0)
        return;
    c.stage = (size_t)i;
    stage_list_add(&k->needs, c.stage);
    out[(*count)++] = c;
}

static void link_when(struct linking *k)
{
    struct campaign_file *r = k->r;
    struct plan_stage *s = own(k);
    const struct value *v = value_get(s->said, STR("when"));
    struct stage_condition *list;
    struct str text;

    if (!v || !read_text(&r->in, v, "when", &text))
        return;
    list = arena_array(r->in.arena, text.len / 5 + 1, sizeof(*list));
    while (text.len) {
        const char *and = memmem(text.p, text.len, " and ", 5);
        size_t len = and? (size_t)(and-text.p) : text.len;

        read_condition(k, str_trim(str_n(text.p, len)), v, list,
                       &s->when_count);
        text = and? str_n(and+5, text.len - len - 5) : STR("");
    }
    s->when = list;
}

bool plan_condition_holds(const struct stage_condition *c,
                          const struct value *v)
{
    double x = value_number(v), y;

    if (!value_is_number(v) || !num_double(c->than, &y)) {
        bool same = str_eq(value_text(v), c->than);
        return c->sign == SIGN_IS ? same : c->sign == SIGN_NOT && !same;
    }
    switch (c->sign) {
    case SIGN_LESS:
        return x < y;
    case SIGN_MOST:
        return x <= y;
    case SIGN_MORE:
        return x > y;
    case SIGN_LEAST:
        return x >= y;
    case SIGN_IS:
        return x >= y && x <= y;
    case SIGN_NOT:
        return x < y || x > y;
    }
    return false;
}

void plan_condition_print(struct buf *b, const struct plan_campaign *p,
                          const struct stage_condition *c)
{
    const char *sign = "";

    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs) && !*sign; i++)
        if (signs[i].sign == c->sign)
            sign = signs[i].text;
    buf_addf(b, "%.*s.best.%.*s%s%.*s", STRF(p->stages[c->stage].name),
             STRF(c->name), sign, STRF(c->than));
}

/* ---- what stands in texts --------------------------------------------- */

struct text_link {
    struct linking *k;
    const struct value *at;
    struct word_place place;
};

static void see_ref(struct text_link *t, struct str inside)
{
    struct str stage, name;
    long i;

    if (!ref_split(inside, &stage, &name))
        return;
    i = find_one(t->k, stage, t->at);
    if (i < 0)
        return;
    if (!name.len || !t->k->r->stages.p[i].kind->is_study)
        problem_at(&t->k->r->in, PROBLEM_ERROR, t->at,
                   "as in ${search.best.lr}, of a stage that is a study",
                   "${%s} names no value", shown(t->k->r->in.arena, inside));
    stage_list_add(&t->k->needs, (size_t)i);
}

static void see_file(void *context, struct str word)
{
    struct linking *k = ((struct text_link *)context)->k;

    for (size_t i = 0; i < k->r->stages.len; i++) {
        const struct plan_stage *s = &k->r->stages.p[i];

        for (size_t n = 0; i != k->stage && n < s->output_count; n++)
            if (str_eq(s->outputs[n], word))
                stage_list_add(&k->needs, i);
    }
}

static void see_text(void *context, struct str text)
{
    size_t at = 0, from;
    struct str inside;

    while (ref_next(text, &at, &from, &inside))
        see_ref(context, inside);
    plan_file_words(text, &((struct text_link *)context)->place, see_file,
                    context);
}

/* A model file names its data. */
static void link_model(struct linking *k, struct text_link *t)
{
    struct campaign_file *r = k->r;
    struct str name = value_text(value_get(own(k)->study, STR("model"))), text;
    struct problems unheard;
    struct value *root;

    if (!name.len || !r->reader || !r->reader->files.read ||
        r->reader->files.read(r->reader->files.context,
                              arena_cstr(r->in.arena, name), &text, NULL))
        return;
    problems_init(&unheard, r->in.arena);
    root =
        plan_yaml(text, arena_cstr(r->in.arena, name), r->in.arena, &unheard);
    t->place.beside = name;
    t->place.defaults = value_get(root, STR("defaults"));
    plan_texts(root, see_text, t);
}

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

void stage_links(struct campaign_file *r, size_t i)
{
    struct linking k = {.r = r, .stage = i};
    struct plan_stage *s = &r->stages.p[i];
    struct text_link t = {.k = &k, .at = s->said, .place = {.study = s->study}};

    link_needs(&k);
    if (s->study)
        link_templates(&k);
    link_when(&k);
    plan_texts(s->study, see_text, &t);
    link_model(&k, &t);
    for (size_t n = 0; n < s->input_count; n++)
        see_file(&t, s->inputs[n]);
    for (size_t n = 0; n < s->read_count; n++)
        stage_list_add(&k.needs, s->reads[n]);
    if (k.needs.list.len)
        qsort(k.needs.list.p, k.needs.list.len, sizeof(size_t), by_number);
    s->need_count = k.needs.list.len;
    s->needs = vec_to_arena(r->in.arena, &k.needs.list);
}
