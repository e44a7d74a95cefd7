/* campaign_assess.c - is a stage done, and if not, why
 *
 * What it would read now is put beside what its record says that it read. */
#include "study/campaign.h"

/* ---- what it would read ------------------------------------------------ */

static struct value *names_of_templates(const struct plan_stage *s,
                                        struct arena *a)
{
    struct value *list = value_list(a);
    for (size_t i = 0; i < s->template_count; i++)
        value_list_add(a, list, value_string(a, s->templates[i].name));
    return list;
}

static struct value *names_of_inputs(const struct plan_stage *s,
                                     struct arena *a)
{
    struct value *list = value_list(a);
    for (size_t i = 0; i < s->input_count; i++)
        value_list_add(a, list, value_string(a, s->inputs[i]));
    return list;
}

/* Also rows that are selected no more, so that trials keep their numbers. */
static int add_rows(struct stage_results *r, struct stage *s,
                    const struct value *before, struct value *record,
                    struct value **points, struct err *err)
{
    struct arena *a = r->arena;
    struct value *retired, *rows = stage_rows(r, s->plan, err);
    if (!rows)
        return -1;
    *points = stage_merge_rows(before, rows, a, &retired);
    value_set(a, record, STR("rows"), *points);
    value_set(a, record, STR("retired"), retired);
    value_set(a, record, STR("templates"), names_of_templates(s->plan, a));
    return 0;
}

/* All results of those that it reads whole. */
static int add_digests(struct stage_results *r, const struct stage *s,
                       struct err *err)
{
    for (size_t i = 0; i < s->plan->read_count; i++) {
        size_t stage = s->plan->reads[i];
        struct value *v = stage_digest(r->campaign, stage, r->arena, err);
        if (!v)
            return -1;
        value_set(r->arena, r->given, r->campaign->stages[stage].plan->name, v);
    }
    return 0;
}

static int add_study(struct stage_results *r, struct stage *s,
                     const struct value *before, struct value *record,
                     struct err *err)
{
    struct arena *a = r->arena;
    struct value *points = NULL;
    if (s->plan->template_count && add_rows(r, s, before, record, &points, err))
        return -1;
    struct value *study = plan_stage_fill(r->campaign->plan, s->plan,
                                          stage_best, r, points, a, err);
    if (!study)
        return -1;
    value_set(a, record, STR("study"), study);
    value_set(a, record, STR("files"),
              stage_files(r->campaign, s->plan, study, s->record, a));
    return add_digests(r, s, err);
}

/* A verb about others reads all of their results, and files that its words
 * name. */
static int add_verb(struct stage_results *r, struct stage *s,
                    struct value *record, struct err *err)
{
    struct value *words = value_object(r->arena), *list = value_list(r->arena);
    for (size_t i = 0; s->plan->verb[i]; i++)
        value_list_add(r->arena, list,
                       value_string(r->arena, str_of(s->plan->verb[i])));
    value_set(r->arena, words, STR("verb"), list);
    value_set(r->arena, record, STR("study"), words);
    struct value *files =
        stage_files(r->campaign, s->plan, words, s->record, r->arena);
    if (files->count)
        value_set(r->arena, record, STR("files"), files);
    return add_digests(r, s, err);
}

/* Files that have come since a stage began, and that nobody saw when it ended,
 * are its own where it made them: nothing that it reads. */
static const struct value *own_files(struct campaign *c, const struct stage *s)
{
    return s->plan->study && s->record
               ? stage_own_files(c, s->plan, s->record, c->arena)
               : value_get(s->record, STR("own"));
}

/* before: the record whose rows keep their places; NULL: none do. */
static struct value *record_now(struct campaign *c, struct stage *s,
                                const struct value *before, struct err *err)
{
    struct arena *a = c->arena;
    struct stage_results r = {c, a, value_object(a)};
    struct value *record = value_object(a);
    const struct value *own = own_files(c, s);
    if (own) {
        value_set(a, record, STR("own"), value_copy(a, own));
        value_set(a, s->record, STR("own"), value_copy(a, own));
    }
    if (s->plan->study ? add_study(&r, s, before, record, err)
                       : add_verb(&r, s, record, err))
        return NULL;
    value_set(a, record, STR("values"), r.given);
    value_set(a, record, STR("inputs"), names_of_inputs(s->plan, a));
    record_key(record, a);
    return record;
}

/* ---- when -------------------------------------------------------------- */

static int check_when(struct campaign *c, struct stage *s, struct verdict *v,
                      struct err *err)
{
    struct arena *a = c->arena;
    struct stage_results r = {c, a, value_object(a)};
    for (size_t i = 0; i < s->plan->when_count && !v->skip; i++) {
        const struct stage_condition *w = &s->plan->when[i];
        const struct value *found = stage_best(&r, w->stage, w->name, err);
        if (!found)
            return -1;
        v->skip = !plan_condition_holds(w, found);
        if (!v->skip)
            continue;
        buf_adds(&v->why, "not ");
        plan_condition_print(&v->why, c->plan, w);
        buf_adds(&v->why, ": it is ");
        value_python_str(&v->why, found);
    }
    return 0;
}

/* ---- its plan ------------------------------------------------------------ */

/* "model.yaml:3:7: what is wrong", the first of them. */
static int refuse(const struct problems *problems, struct err *err)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < problems->list.len && !b.len; i++) {
        const struct problem *p = &problems->list.p[i];
        if (p->level != PROBLEM_ERROR)
            continue;
        buf_addstr(&b, p->file);
        if (p->line)
            buf_addf(&b, ":%u:%u", p->line, p->column);
        buf_adds(&b, ": ");
        problem_print(&b, p);
    }
    err_set(err, ERR_INPUT, "%s", b.p);
    buf_done(&b);
    return -1;
}

/* The plan of its study as it shall be; NULL: err. */
static struct plan *plan_of(const struct campaign *c, const struct stage *s,
                            const struct value *record, struct err *err)
{
    struct problems problems;
    struct plan_reader reader = *c->setup.reader;
    reader.folder = s->folder;
    problems_init(&problems, c->arena);
    struct plan *p =
        plan_stage_read(c->plan, s->plan, value_get(record, STR("study")),
                        &reader, c->arena, &problems);
    if (!p)
        refuse(&problems, err);
    return p;
}

/* ---- what is stored ---------------------------------------------------- */

/* False where the stored study may go on with what it shall be now. */
static int asks_anew(struct campaign *c, struct stage *s,
                     const struct value *record, bool *anew, struct err *err)
{
    struct study_changes changes = {0};
    struct store *store = store_open(s->folder, false, NULL);
    *anew = false;
    if (!store)
        return 0; /* none, or one that study_open has words for */
    struct plan *p = plan_of(c, s, record, err);
    buf_init(&changes.lines);
    int rc = p ? study_changes(p, store, &changes, err) : -1;
    *anew = !rc && !changes.mends;
    buf_done(&changes.lines);
    store_close(store);
    plan_close(p);
    return rc;
}

/* Some file stands where there was none. */
static bool reads_more(const struct value *was, const struct value *now)
{
    was = value_get(was, STR("files"));
    now = value_get(now, STR("files"));
    for (size_t i = 0; now && i < now->count; i++)
        if (!value_get(was, now->keys[i]))
            return true;
    return false;
}

/* How its trials stand; false: it has none. */
static bool count_trials(const struct stage *s, struct counts *n)
{
    struct store *store =
        s->plan->study ? store_open(s->folder, false, NULL) : NULL;
    bool counted = store && !store_counts(store, n, NULL);
    store_close(store);
    return counted;
}

static bool has_failures(const struct stage *s)
{
    struct counts n = {0};
    return count_trials(s, &n) && n.by_state[STATE_FAILED] > 0;
}

static bool lists(const struct value *list, struct str name)
{
    for (size_t i = 0; list && i < list->count; i++)
        if (str_eq(value_text(list->items[i]), name))
            return true;
    return false;
}

/* Its `inputs` name what they did not: that may have been there all the time.
 * Of an older record nobody knows what they named. */
static bool names_more(const struct stage *s)
{
    const struct value *was = value_get(s->record, STR("inputs"));
    for (size_t i = 0; i < s->plan->input_count; i++)
        if (!lists(was, s->plan->inputs[i]))
            return true;
    return false;
}

/* Nothing else is asked, and what was done without it may come out otherwise.
 * Where trials have failed it was for want of it, and they alone are tried
 * again. */
static bool has_come(const struct stage *s, const struct value *now)
{
    return reads_more(s->record, now) && record_asks_same(s->record, now) &&
           !names_more(s) && !has_failures(s);
}

/* Of an inference a file that is not read any more is rows that are in its
 * table, and one more is rows that are not. */
static bool same_files(const struct stage *s, const struct value *now)
{
    const struct value *was = s->record;
    bool rows = value_get(value_get(now, STR("study")), STR("predict")) != NULL;
    if (!rows && has_come(s, now))
        return false;
    was = value_get(was, STR("files"));
    now = value_get(now, STR("files"));
    for (size_t i = 0; was && i < was->count; i++) {
        const struct value *other = value_get(now, was->keys[i]);
        if (other ? !str_eq(record_text(was->items[i], "hash"),
                            record_text(other, "hash"))
                  : rows)
            return false;
    }
    return true;
}

/* Other results of what it reads whole are other models. */
static bool same_digests(const struct campaign *c, const struct stage *s,
                         const struct value *now)
{
    for (size_t i = 0; i < s->plan->read_count; i++) {
        struct str name = c->stages[s->plan->reads[i]].plan->name;
        struct str was =
            value_text(value_get(value_get(s->record, STR("values")), name));
        if (!str_eq(was,
                    value_text(value_get(value_get(now, STR("values")), name))))
            return false;
    }
    return true;
}

/* A file that stands where another stood makes other results; what is written
 * otherwise may be the same study, or a longer one. */
static int judge_changed(struct campaign *c, struct stage *s, struct verdict *v,
                         struct err *err)
{
    /* What is shared is another campaign's: neither extended nor cut. */
    bool fresh = stage_is_shared(s) || !same_files(s, v->record) ||
                 !same_digests(c, s, v->record);
    record_diff(&v->why, s->record, v->record);
    if (!v->why.len)
        buf_adds(&v->why, "what it reads has changed\n");
    v->run = true;
    v->anew = fresh;
    if (fresh || !s->plan->study)
        return 0;
    if (asks_anew(c, s, v->record, &v->anew, err))
        return -1;
    v->again = !v->anew && (record_ran(s->record) == STAGE_FAILED ||
                            reads_more(s->record, v->record));
    return 0;
}

static bool is_gone(const struct campaign *c, const struct stage *s)
{
    return s->plan->study &&
           !file_exists(path_join(c->arena, s->folder, "study.db"));
}

int64_t stage_left(const struct counts *n)
{
    int64_t left = 0;
    for (int i = 0; i < STATE_COUNT; i++)
        left += state_final((enum state)i) ? 0 : n->by_state[i];
    return left;
}

/* Trials that a person has added since it was done, or lets wait again. Of
 * those that were left then (a target was reached) nobody has asked for more.
 */
static int64_t asked_for(const struct stage *s)
{
    struct counts n = {0};
    const struct value *left = value_get(s->record, STR("left"));
    bool counted = !stage_is_shared(s) && count_trials(s, &n);
    int64_t more = counted ? stage_left(&n) : 0;
    if (left && left->kind == VALUE_INT)
        more -= left->i;
    return more > 0 ? more : 0;
}

static void judge_same(struct campaign *c, struct stage *s, struct verdict *v)
{
    const char *missing = stage_missing_output(c, s->plan, c->arena);
    enum stage_state was = record_state(s->record);
    bool gone = is_gone(c, s);
    int64_t asked = was == STAGE_DONE ? asked_for(s) : 0;
    v->run = was != STAGE_DONE || missing || gone || asked;
    if (record_ran(s->record) == STAGE_FAILED) {
        buf_adds(&v->why, "it failed, and is tried again\n");
        v->again = !missing;
        v->anew = missing != NULL;
    } else if (was != STAGE_DONE) {
        buf_adds(&v->why, "it goes on where it was\n");
    } else if (missing) {
        buf_addf(&v->why, "%s is gone\n", missing);
        v->anew = true;
    } else if (gone) {
        buf_adds(&v->why, "its study is gone\n");
    } else if (asked) {
        buf_addf(&v->why, "%lld of its trials wait%s\n", (long long)asked,
                 asked == 1 ? "s" : "");
    }
}

static int judge(struct campaign *c, struct stage *s, struct verdict *v,
                 struct err *err)
{
    struct str was = record_text(s->record, "key");
    if (!was.len) {
        buf_adds(&v->why, "it has not run yet\n");
        v->run = true;
        return 0;
    }
    if (str_eq(was, record_text(v->record, "key")))
        judge_same(c, s, v);
    else if (judge_changed(c, s, v, err))
        return -1;
    /* Places of rows are those of trials, and there are none. */
    v->anew |= v->run && is_gone(c, s);
    return 0;
}

int stage_assess(struct campaign *c, struct stage *s, struct verdict *v,
                 struct err *err)
{
    if (check_when(c, s, v, err))
        return -1;
    if (v->skip)
        return 0;
    stage_check_link(c, s);
    v->record = record_now(c, s, s->record, err);
    if (!v->record || judge(c, s, v, err))
        return -1;
    /* What begins anew has no trials whose places could be kept. */
    if (v->anew && s->plan->template_count)
        v->record = record_now(c, s, NULL, err);
    if (!v->record || !v->run || !s->plan->study)
        return v->record ? 0 : -1;
    struct plan *p = plan_of(c, s, v->record, err);
    plan_close(p);
    return p ? 0 : -1;
}
