/* talk.c - requests of the conversation with an optimizer, read and printed */
#include "terms/talk.h"

#include <math.h>
#include "base/json.h"
#include "terms/wanted.h"

#define KEY_SHOWN 60 /* bytes of a member's name in a message */

/* ---- what each request takes ------------------------------------------ */

static const char *const ask_members[] = {"ask", "first", NULL};
static const char *const report_members[] = {"report", "step", "value", NULL};
static const char *const tell_members[] = {
    "tell", "value", "values", "state", "constraints", "step", NULL};
static const char *const best_members[] = {"best", NULL};
static const char *const told_members[] = {"told", NULL};
static const char *const told_inside[] = {
    "id", "params", "value", "values", "state", "constraints", "step", NULL};
static const char *const study_members[] = {"study", NULL};

static const struct {
    const char *word;
    const char *const *members;
} kinds[] = {
    [TALK_ASK] = {"ask", ask_members},
    [TALK_REPORT] = {"report", report_members},
    [TALK_TELL] = {"tell", tell_members},
    [TALK_BEST] = {"best", best_members},
    [TALK_TOLD] = {"told", told_members},
    [TALK_STUDY] = {"study", study_members},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static const char *const decisions[] = {
    [DECISION_CONTINUE] = "continue",
    [DECISION_STOP] = "stop",
    [DECISION_PAUSE] = "pause",
};

const char *decision_name(enum decision d)
{
    return decisions[d];
}

bool decision_parse(struct str s, enum decision *d)
{
    for (int i = DECISION_CONTINUE; i <= DECISION_PAUSE; i++) {
        if (!str_is(s, decisions[i]))
            continue;
        *d = (enum decision)i;
        return true;
    }
    return false;
}

/* ---- reading ---------------------------------------------------------- */

static int check_members(const struct value *object, const char *what,
                         const char *const *members, struct err *err)
{
    for (size_t i = 0; i < object->count; i++) {
        size_t k = 0;
        while (members[k] && !str_is(object->keys[i], members[k]))
            k++;
        if (members[k])
            continue;
        const char *near = str_nearest(object->keys[i], members);
        struct str key = object->keys[i];
        return err_set(err, ERR_INPUT, "%s takes no \"%.*s\"%s%s%s", what,
                       key.len < KEY_SHOWN ? (int)key.len : KEY_SHOWN, key.p,
                       near ? "; did you mean \"" : "", near ? near : "",
                       near ? "\"?" : "");
    }
    return 0;
}

/* Which request it is: the member that names one. */
static int find_kind(const struct value *v, enum talk_kind *kind,
                     struct err *err)
{
    int found = 0;
    for (int i = 0; i < KINDS; i++) {
        if (!value_get(v, str_of(kinds[i].word)))
            continue;
        *kind = (enum talk_kind)i;
        found++;
    }
    if (found == 1)
        return 0;
    return err_set(err, ERR_INPUT,
                   "a request has one of ask, report, tell, best, told and "
                   "study, as in {\"ask\":1}; this has %s",
                   found ? "several" : "none");
}

static int read_whole(const struct value *v, const char *what, int64_t min,
                      int64_t max, int64_t *out, struct err *err)
{
    struct err why;
    return want_int(v, min, max, out, &why)
               ? 0
               : err_set(err, ERR_INPUT, "%s %s", what, why.text);
}

/* null is what many languages make of a number that is none. */
static int read_number(const struct value *v, const char *what, double *out,
                       struct err *err)
{
    static const struct {
        const char *text;
        double value;
    } words[] = {
        {"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    if (v->kind == VALUE_NULL) {
        *out = NAN;
        return 0;
    }
    for (size_t i = 0; v->kind == VALUE_STRING && i < 3; i++) {
        if (!str_is(v->s, words[i].text))
            continue;
        *out = words[i].value;
        return 0;
    }
    if (!value_is_number(v))
        return err_set(err, ERR_INPUT, "%s must be a number, not %s", what,
                       value_kind_name(v->kind));
    *out = value_number(v);
    return 0;
}

static int read_numbers(const struct value *v, const char *what,
                        struct arena *a, const double **out, size_t *count,
                        struct err *err)
{
    if (v->kind != VALUE_LIST || !v->count)
        return err_set(err, ERR_INPUT, "%s must be a list of numbers", what);
    double *list = arena_array(a, v->count, sizeof(*list));
    for (size_t i = 0; i < v->count; i++)
        if (read_number(v->items[i], what, &list[i], err))
            return -1;
    *out = list;
    *count = v->count;
    return 0;
}

/* Of what was known before, some may still be out. */
static int read_state(const struct value *v, bool told, enum state *state,
                      struct err *err)
{
    if (v->kind == VALUE_STRING && state_parse(v->s, state) &&
        (state_final(*state) || *state == STATE_PAUSED ||
         (told && *state == STATE_RUNNING)))
        return 0;
    return err_set(err, ERR_INPUT,
                   "state must be done, failed, invalid, stopped, timed_out, "
                   "killed, diverged or paused");
}

/* What tell and told say of a result. */
static int read_result(struct talk *t, const struct value *v, struct arena *a,
                       struct err *err)
{
    const struct value *value = value_get(v, STR("value"));
    const struct value *values = value_get(v, STR("values"));
    const struct value *state = value_get(v, STR("state"));
    const struct value *constraints = value_get(v, STR("constraints"));
    const struct value *step = value_get(v, STR("step"));
    if (!value && !values && !state)
        return err_set(err, ERR_INPUT,
                       "%s needs a value, or values, or a state",
                       kinds[t->kind].word);
    if (value && values)
        return err_set(err, ERR_INPUT, "give value or values, not both");
    if (value && read_number(value, "value", &t->value, err))
        return -1;
    if (values &&
        read_numbers(values, "values", a, &t->values, &t->value_count, err))
        return -1;
    if (values)
        t->value = t->values[0];
    if (constraints && read_numbers(constraints, "constraints", a,
                                    &t->constraints, &t->constraint_count, err))
        return -1;
    if (step && read_whole(step, "step", 0, INT64_MAX, &t->step, err))
        return -1;
    return state ? read_state(state, t->kind == TALK_TOLD, &t->state, err) : 0;
}

static int read_report(struct talk *t, const struct value *v, struct err *err)
{
    const struct value *value = value_get(v, STR("value"));
    const struct value *step = value_get(v, STR("step"));
    if (!value)
        return err_set(err, ERR_INPUT, "report needs a value");
    if (step && read_whole(step, "step", 0, INT64_MAX, &t->step, err))
        return -1;
    return read_number(value, "value", &t->value, err);
}

static int read_told(struct talk *t, const struct value *v, struct arena *a,
                     struct err *err)
{
    const struct value *id = value_get(v, STR("id"));
    if (v->kind != VALUE_OBJECT)
        return err_set(err, ERR_INPUT,
                       "told must be an object, as in "
                       "{\"told\":{\"params\":{…},\"value\":0.3}}");
    if (check_members(v, "told", told_inside, err))
        return -1;
    if (id && read_whole(id, "id", 0, INT32_MAX, &t->id, err))
        return -1;
    t->params = value_get(v, STR("params"));
    if (!t->params || t->params->kind != VALUE_OBJECT)
        return err_set(err, ERR_INPUT, "told needs params, an object");
    return read_result(t, v, a, err);
}

static int read_kind(struct talk *t, const struct value *v, struct arena *a,
                     struct err *err)
{
    const struct value *at = value_get(v, str_of(kinds[t->kind].word));
    const struct value *first = value_get(v, STR("first"));
    switch (t->kind) {
    case TALK_ASK:
        if (first && read_whole(first, "first", 0, INT32_MAX, &t->first, err))
            return -1;
        return read_whole(at, "ask", 1, TALK_ASK_MAX, &t->count, err);
    case TALK_BEST:
        return read_whole(at, "best", 1, INT32_MAX, &t->count, err);
    case TALK_REPORT:
        return read_whole(at, "report", 0, INT32_MAX, &t->id, err) ||
                       read_report(t, v, err)
                   ? -1
                   : 0;
    case TALK_TELL:
        return read_whole(at, "tell", 0, INT32_MAX, &t->id, err) ||
                       read_result(t, v, a, err)
                   ? -1
                   : 0;
    case TALK_TOLD:
        return read_told(t, at, a, err);
    case TALK_STUDY:
        t->study = at;
        return at->kind == VALUE_OBJECT
                   ? 0
                   : err_set(err, ERR_INPUT, "study must be an object");
    }
    return -1;
}

int talk_read(struct talk *t, struct str line, struct arena *a, struct err *err)
{
    struct talk got = {
        .first = -1, .id = -1, .step = -1, .value = NAN, .state = STATE_DONE};
    const struct value *v = json_parse(a, line, "request", false, err);
    if (!v)
        return -1;
    if (v->kind != VALUE_OBJECT)
        return err_set(err, ERR_INPUT,
                       "a request is an object, as in {\"ask\":1}, not %s",
                       value_kind_name(v->kind));
    if (find_kind(v, &got.kind, err) ||
        check_members(v, kinds[got.kind].word, kinds[got.kind].members, err) ||
        read_kind(&got, v, a, err))
        return -1;
    *t = got;
    return 0;
}

/* ---- printing --------------------------------------------------------- */

/* Not every language reads NaN and infinities: null and texts go through
 * all of them. */
static void add_number(struct buf *b, double d)
{
    if (isnan(d))
        buf_adds(b, "null");
    else if (isinf(d))
        buf_adds(b, d > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else
        json_number(b, d);
}

static void add_numbers(struct buf *b, const char *name, const double *list,
                        size_t count)
{
    buf_addf(b, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_addc(b, ',');
        add_number(b, list[i]);
    }
    buf_addc(b, ']');
}

static void add_result(struct buf *b, const struct talk *t)
{
    if (t->values) {
        add_numbers(b, "values", t->values, t->value_count);
    } else if (!isnan(t->value) || t->state == STATE_DONE) {
        buf_adds(b, ",\"value\":");
        add_number(b, t->value);
    }
    if (t->state != STATE_DONE)
        buf_addf(b, ",\"state\":\"%s\"", state_name(t->state));
    if (t->constraints)
        add_numbers(b, "constraints", t->constraints, t->constraint_count);
    if (t->step >= 0)
        buf_addf(b, ",\"step\":%lld", (long long)t->step);
}

void talk_print(struct buf *b, const struct talk *t)
{
    switch (t->kind) {
    case TALK_ASK:
        buf_addf(b, "{\"ask\":%lld", (long long)t->count);
        if (t->first >= 0)
            buf_addf(b, ",\"first\":%lld", (long long)t->first);
        break;
    case TALK_BEST:
        buf_addf(b, "{\"best\":%lld", (long long)t->count);
        break;
    case TALK_REPORT:
        buf_addf(b, "{\"report\":%lld", (long long)t->id);
        if (t->step >= 0)
            buf_addf(b, ",\"step\":%lld", (long long)t->step);
        buf_adds(b, ",\"value\":");
        add_number(b, t->value);
        break;
    case TALK_TELL:
        buf_addf(b, "{\"tell\":%lld", (long long)t->id);
        add_result(b, t);
        break;
    case TALK_TOLD:
        buf_adds(b, "{\"told\":{");
        if (t->id >= 0)
            buf_addf(b, "\"id\":%lld,", (long long)t->id);
        buf_adds(b, "\"params\":");
        json_print(b, t->params);
        add_result(b, t);
        buf_addc(b, '}');
        break;
    case TALK_STUDY:
        buf_adds(b, "{\"study\":");
        json_print(b, t->study);
        break;
    }
    buf_adds(b, "}\n");
}
