/* identity.c - what makes a study the same study
 *
 * The identity is one JSON object with sorted keys. Whatever is not in it
 * (limits, resources, the engine) may change between two runs of a study. */
#include "plan/reading.h"

#include "base/json.h"

#define SHOWN_VALUE_MAX 120
#define SHOWN_BEFORE 20   /* of a long text, before what differs */
#define SHOWN_LINES_MAX 4 /* of what differs inside of one key */
#define IDENTITY_VERSION 2

static void set_text(struct arena *a, struct value *o, const char *key,
                     struct str s)
{
    if (s.len > 0)
        value_set(a, o, str_of(key), value_string(a, s));
}

static struct value *metric_value_of(struct arena *a,
                                     const struct plan_metric *m)
{
    struct value *o = value_object(a);

    set_text(a, o, "name", m->name);
    set_text(a, o, "goal", m->minimize ? STR("minimize") : STR("maximize"));
    set_text(a, o, "pick", m->pick == PICK_BEST ? STR("best") : STR("last"));
    set_text(a, o, "pattern", m->pattern);
    set_text(a, o, "file", m->file);
    return o;
}

static struct value *objectives_of(struct arena *a, const struct plan *p)
{
    struct value *o = value_object(a);

    for (size_t i = 0; i < p->goal.objective_count; i++)
        set_text(a, o, arena_cstr(a, p->goal.objectives[i].name),
                 p->goal.objectives[i].minimize ? STR("minimize")
                                                : STR("maximize"));
    return o;
}

static struct value *command_of(struct arena *a, const struct plan *p)
{
    struct value *list = value_list(a);

    for (size_t i = 0; i < p->command_count; i++)
        value_list_add(a, list, value_string(a, p->command[i].text));
    return list;
}

/* By name, so that a difference can be named. */
static struct value *parameters_of(struct arena *a, const struct space *s)
{
    struct value *o = value_object(a);
    struct value *text = space_to_value(s, a);
    const struct value *list = value_get(text, STR("parameters"));

    for (size_t i = 0; i < s->count; i++)
        value_set(a, o, s->params[i].name, value_at(list, i));
    return o;
}

static struct value *points_of(struct arena *a, const struct plan_points *p,
                               uint64_t count)
{
    struct value *o = value_object(a);

    value_set(a, o, STR("count"), value_int(a, (int64_t)count));
    set_text(a, o, "hash",
             str_of(arena_printf(a, "%016llx",
                                 (unsigned long long)points_hash(p, count))));
    return o;
}

static void set_number(struct arena *a, struct value *o, const char *key,
                       double number)
{
    if (number != 0)
        value_set(a, o, str_of(key), value_double(a, number));
}

/* A rule that compares trials; what ends a trial by itself may change. */
static struct value *early_of(struct arena *a, const struct early *e)
{
    struct value *o = value_object(a);

    set_text(a, o, "type", str_of(early_name(e)));
    set_number(a, o, "min_iter", (double)e->min_iter);
    set_number(a, o, "max_iter", (double)e->max_iter);
    set_number(a, o, "s", (double)e->s);
    set_number(a, o, "eta", (double)e->eta);
    set_number(a, o, "strict", e->strict);
    set_number(a, o, "promote", e->promote);
    set_number(a, o, "brackets", (double)e->brackets);
    set_number(a, o, "percentile", e->percentile);
    set_number(a, o, "warmup_steps", (double)e->warmup_steps);
    set_number(a, o, "warmup_trials", (double)e->warmup_trials);
    return o;
}

/* Options of the method, without the one that only limits it. */
static struct value *options_of(struct arena *a, const struct plan *p,
                                const struct value *options)
{
    struct value *o = value_object(a);
    const char *limit = p->strategy->limit;

    if (options->kind != VALUE_OBJECT)
        return value_copy(a, options);
    for (size_t i = 0; i < options->count; i++)
        if (!limit || !str_is(options->keys[i], limit))
            value_set(a, o, options->keys[i], value_copy(a, options->items[i]));
    return o;
}

/* Rows that have changed make another study. How large a shard is stands in
 * the parameters, by their number. */
static struct value *predict_of(struct arena *a, const struct plan *p)
{
    static const char *const open[] = {"output", "format", "shard", NULL};
    const struct value *said = value_get(p->root, STR("predict"));
    struct value *o = value_object(a);
    for (size_t i = 0; i < said->count; i++)
        if (!str_among(said->keys[i], open))
            value_set(a, o, said->keys[i], value_copy(a, said->items[i]));
    set_text(a, o, "data_hash",
             str_of(arena_printf(a, "%016llx",
                                 (unsigned long long)p->predict->data_hash)));
    return o;
}

/* Version 1 had no early_terminate. */
static void print_identity(struct buf *b, const struct plan *p, uint64_t count,
                           int64_t version)
{
    struct arena *a = arena_new();
    struct value *o = value_object(a);

    value_set(a, o, STR("version"), value_int(a, version));
    value_set(a, o, STR("parameters"), parameters_of(a, &p->space));
    if (p->metric.name.len > 0)
        value_set(a, o, STR("metric"), metric_value_of(a, &p->metric));
    if (p->goal.objective_count > 0 && value_get(p->root, STR("metrics")))
        value_set(a, o, STR("metrics"), objectives_of(a, p));
    if (p->constraints)
        value_set(a, o, STR("constraints"), value_copy(a, p->constraints));
    if (p->kind != task_kind_that(p->kind->runs))
        set_text(a, o, "kind", str_of(p->kind->name));
    if (p->kind_options)
        value_set(a, o, STR("kind_options"), value_copy(a, p->kind_options));
    value_set(a, o, STR("command"), command_of(a, p));
    set_text(a, o, "program", p->program);
    if (p->model_root)
        value_set(a, o, STR("model"), value_copy(a, p->model_root));
    set_text(a, o, "method", p->method);
    if (p->method_options)
        value_set(a, o, STR("method_options"),
                  options_of(a, p, p->method_options));
    value_set(a, o, STR("seed"), value_int(a, (int64_t)p->seed));
    value_set(a, o, STR("repeat"), value_int(a, p->repeat));
    set_text(a, o, "warm_start", p->warm_start);
    set_text(a, o, "order", p->order);
    if (p->lag > 0)
        value_set(a, o, STR("lag"), value_int(a, p->lag));
    if (p->batch > 0)
        value_set(a, o, STR("batch"), value_int(a, p->batch));
    if (version > 1 && p->early.kind != EARLY_NONE &&
        p->early.kind != EARLY_RULE)
        value_set(a, o, STR("early_terminate"), early_of(a, &p->early));
    if (p->points)
        value_set(a, o, STR("points"), points_of(a, p->points, count));
    if (p->predict)
        value_set(a, o, STR("predict"), predict_of(a, p));
    json_print_sorted(b, plan_redacted(p, o, a));
    arena_free(a);
}

void plan_identity(struct buf *b, const struct plan *p)
{
    print_identity(b, p, p->points ? plan_points_count(p->points) : 0,
                   IDENTITY_VERSION);
}

void plan_identity_as(struct buf *b, const struct plan *p, struct str stored)
{
    struct arena *a = arena_new();
    uint64_t count = p->points ? plan_points_count(p->points) : 0;
    const struct value *v = json_parse(a, stored, "identity", false, NULL);

    const struct value *version = value_get(v, STR("version"));

    v = value_get(value_get(v, STR("points")), STR("count"));
    if (v && v->kind == VALUE_INT && v->i >= 0 && (uint64_t)v->i < count)
        count = (uint64_t)v->i;
    print_identity(b, p, count,
                   version && version->kind == VALUE_INT ? version->i
                                                         : IDENTITY_VERSION);
    arena_free(a);
}

/* ---- differences ------------------------------------------------------ */

/* 12.0 reads 12, as most people write it. */
static void drop_zeros(struct buf *text)
{
    bool quoted = false;
    size_t out = 0;

    for (size_t i = 0; i < text->len; i++) {
        const char *p = text->p + i;
        if (*p == '"' && (i == 0 || p[-1] != '\\'))
            quoted = !quoted;
        if (!quoted && p[0] == '.' && p[1] == '0' &&
            (!p[2] || strchr(",]}", p[2])))
            i++;
        else
            text->p[out++] = *p;
    }
    text->len = out;
    text->p[out] = 0;
}

static void print_text(struct buf *text, const struct value *v, bool exact)
{
    if (!v) {
        buf_adds(text, "absent");
        return;
    }
    json_print_sorted(text, v);
    if (!exact)
        drop_zeros(text);
}

/* The start of a character at or before at. */
static size_t character(const struct buf *text, size_t at)
{
    while (at > 0 && at < text->len &&
           ((unsigned char)text->p[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static void print_short(struct buf *b, const struct buf *text, size_t from)
{
    size_t start = character(text, from);
    size_t end = text->len - start > SHOWN_VALUE_MAX
                     ? character(text, start + SHOWN_VALUE_MAX)
                     : text->len;

    buf_adds(b, start > 0 ? "…" : "");
    buf_add(b, text->p + start, end - start);
    buf_adds(b, end < text->len ? "…" : "");
}

/* Of two texts that differ behind what is shown of them: from where on. */
static size_t shown_from(const struct buf *x, const struct buf *y)
{
    size_t at = 0;

    while (at < x->len && at < y->len && x->p[at] == y->p[at])
        at++;
    return at > SHOWN_VALUE_MAX - SHOWN_BEFORE ? at - SHOWN_BEFORE : 0;
}

static bool is_long(const struct value *v)
{
    struct buf text;

    buf_init(&text);
    print_text(&text, v, false);
    bool is = text.len > SHOWN_VALUE_MAX;
    buf_done(&text);
    return is;
}

/* The same when printed: 1 and 1.0 differ, since a program sees the
 * difference, and NaN is NaN. */
static bool same(const struct value *x, const struct value *y)
{
    struct buf a, b;
    bool equal;

    if (!x || !y)
        return x == y;
    buf_init(&a);
    buf_init(&b);
    json_print_sorted(&a, x);
    json_print_sorted(&b, y);
    equal = str_eq(buf_str(&a), buf_str(&b));
    buf_done(&a);
    buf_done(&b);
    return equal;
}

static void print_points_change(struct buf *b, const struct value *was,
                                const struct value *now)
{
    const struct value *was_count = value_get(was, STR("count"));
    const struct value *now_count = value_get(now, STR("count"));

    if (!was_count || !now_count)
        buf_addf(b, "points: %s\n",
                 was_count ? "there were some, now there are none"
                           : "there were none, now there are some");
    else if (value_eq(was_count, now_count))
        buf_adds(b, "points: other ones than before\n");
    else
        buf_addf(b, "points: %lld before, %lld now\n", (long long)was_count->i,
                 (long long)now_count->i);
}

/* True when 12 and 12.0 is all that differs. */
static bool only_zeros_differ(const struct value *was, const struct value *now)
{
    struct buf x, y;
    buf_init(&x);
    buf_init(&y);
    if (was)
        json_print_sorted(&x, was);
    if (now)
        json_print_sorted(&y, now);
    drop_zeros(&x);
    drop_zeros(&y);
    bool same = str_eq(buf_str(&x), buf_str(&y));
    buf_done(&x);
    buf_done(&y);
    return same;
}

/* What differs in the value of a key: "model: batch_size: was 3, now 5". */
struct change {
    struct buf *to;
    const char *outer; /* before the key */
    struct str key;
    size_t lines;
};

/* path: where in the value; "": all of it. */
static void print_line(struct change *c, const char *path,
                       const struct value *was, const struct value *now)
{
    bool exact = only_zeros_differ(was, now);
    struct buf x, y;

    if (c->lines++ >= SHOWN_LINES_MAX)
        return;
    buf_init(&x);
    buf_init(&y);
    print_text(&x, was, exact);
    print_text(&y, now, exact);
    size_t from = shown_from(&x, &y);
    buf_addf(c->to, "%s%.*s: %s%swas ", c->outer, STRF(c->key), path,
             *path ? ": " : "");
    print_short(c->to, &x, from);
    buf_adds(c->to, ", now ");
    print_short(c->to, &y, from);
    buf_addc(c->to, '\n');
    buf_done(&x);
    buf_done(&y);
}

static void print_inside(struct change *c, const char *path,
                         const struct value *was, const struct value *now);

static void print_member(struct change *c, const char *path, struct str key,
                         const struct value *was, const struct value *now)
{
    struct buf inner;

    buf_init(&inner);
    buf_addf(&inner, "%s%s%.*s", path, *path ? "." : "", STRF(key));
    print_inside(c, inner.p, was, now);
    buf_done(&inner);
}

static void print_members(struct change *c, const char *path,
                          const struct value *was, const struct value *now)
{
    for (size_t i = 0; i < was->count; i++)
        print_member(c, path, was->keys[i], was->items[i],
                     value_get(now, was->keys[i]));
    for (size_t i = 0; i < now->count; i++)
        if (!value_get(was, now->keys[i]))
            print_member(c, path, now->keys[i], NULL, now->items[i]);
}

/* Of lists that are not of one length the first place: behind it all may have
 * moved. */
static void print_items(struct change *c, const char *path,
                        const struct value *was, const struct value *now)
{
    for (size_t i = 0; i < was->count || i < now->count; i++) {
        const struct value *x = value_at(was, i), *y = value_at(now, i);
        struct buf inner;

        if (same(x, y))
            continue;
        buf_init(&inner);
        buf_addf(&inner, "%s[%zu]", path, i);
        print_inside(c, inner.p, x, y);
        buf_done(&inner);
        if (was->count != now->count)
            break;
    }
}

/* What is too long to be shown as a whole is looked into. */
static void print_inside(struct change *c, const char *path,
                         const struct value *was, const struct value *now)
{
    bool alike =
        was && now && was->kind == now->kind && (is_long(was) || is_long(now));

    if (same(was, now))
        return;
    if (alike && was->kind == VALUE_OBJECT)
        print_members(c, path, was, now);
    else if (alike && was->kind == VALUE_LIST)
        print_items(c, path, was, now);
    else
        print_line(c, path, was, now);
}

static void print_change(struct buf *b, const char *outer, struct str key,
                         const struct value *was, const struct value *now)
{
    struct change c = {b, outer, key, 0};

    print_inside(&c, "", was, now);
    if (c.lines > SHOWN_LINES_MAX)
        buf_addf(b, "%s%.*s: and %zu more\n", outer, STRF(key),
                 c.lines - SHOWN_LINES_MAX);
}

/* Lines for the members of two objects that differ. */
static void diff_members(struct buf *b, const char *outer,
                         const struct value *was, const struct value *now)
{
    for (size_t i = 0; was && i < was->count; i++) {
        const struct value *other = value_get(now, was->keys[i]);

        if (!same(was->items[i], other))
            print_change(b, outer, was->keys[i], was->items[i], other);
    }
    for (size_t i = 0; now && i < now->count; i++)
        if (!value_get(was, now->keys[i]))
            print_change(b, outer, now->keys[i], NULL, now->items[i]);
}

static void diff_key(struct buf *b, struct str key, const struct value *was,
                     const struct value *now)
{
    bool objects =
        was && now && was->kind == VALUE_OBJECT && now->kind == VALUE_OBJECT;

    if (same(was, now))
        return;
    if (str_is(key, "points"))
        print_points_change(b, was, now);
    else if (objects && str_is(key, "parameters"))
        diff_members(b, "parameter ", was, now);
    else if (objects && str_is(key, "metric"))
        diff_members(b, "metric.", was, now);
    else if (objects && str_is(key, "early_terminate"))
        diff_members(b, "early_terminate.", was, now);
    else
        print_change(b, "", key, was, now);
}

/* What is stored, as it would be stored now: earlier versions knew fewer
 * secrets, and counted limits. */
static const struct value *as_now(struct arena *a, const struct plan *p,
                                  const struct value *stored)
{
    struct value *o = value_copy(a, stored);
    const struct value *options = value_get(o, STR("method_options"));

    if (options)
        value_set(a, o, STR("method_options"), options_of(a, p, options));
    return plan_redacted(p, o, a);
}

void plan_identity_diff(struct buf *b, const struct plan *p, struct str stored,
                        struct str now)
{
    struct arena *a = arena_new();
    const struct value *x = json_parse(a, stored, "stored", false, NULL);
    const struct value *y = json_parse(a, now, "now", false, NULL);

    if (!x || !y || x->kind != VALUE_OBJECT || y->kind != VALUE_OBJECT) {
        if (!str_eq(stored, now))
            buf_adds(b, "the stored study cannot be compared\n");
        arena_free(a);
        return;
    }
    if (p)
        x = as_now(a, p, x);
    for (size_t i = 0; i < x->count; i++)
        diff_key(b, x->keys[i], x->items[i], value_get(y, x->keys[i]));
    for (size_t i = 0; i < y->count; i++)
        if (!value_get(x, y->keys[i]))
            diff_key(b, y->keys[i], NULL, y->items[i]);
    arena_free(a);
}
