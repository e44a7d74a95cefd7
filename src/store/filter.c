/* filter.c - the filter language: is this trial meant?
 *
 * The values of all names that a filter uses are taken from the point, in one
 * pass over it, and the tree is walked. Only if that leaves it open is the
 * summary passed over too, for the names that are missing. */
#include "store/filter_parse.h"

#include <math.h>
#include "base/json.h"
#include "base/num.h"

unsigned filter_columns(const struct filter *f)
{
    return f->columns;
}

size_t filter_tag_count(const struct filter *f)
{
    return f->tags.len;
}

struct str filter_tag(const struct filter *f, size_t i)
{
    return f->tags.p[i].tag;
}

void filter_tag_trials(struct filter *f, size_t i, const int64_t *ids,
                       size_t count)
{
    f->tags.p[i].ids = ids;
    f->tags.p[i].count = count;
}

/* ---- names in a trial -------------------------------------------------- */

/* Objects and lists are texts. */
static struct filter_value json_value(struct str raw, struct buf *unescaped)
{
    struct filter_value v = {.kind = FILTER_NULL};
    struct json_scan scan;
    json_scan_init(&scan, raw);
    enum json_token token = json_scan_next(&scan);
    switch (token) {
    case JSON_STRING:
        v.kind = FILTER_STRING;
        v.text = scan.text;
        if (scan.escaped) {
            buf_reset(unescaped);
            json_unescape(unescaped, scan.text);
            v.text = buf_str(unescaped);
        }
        break;
    case JSON_INT:
    case JSON_DOUBLE:
        v.kind = FILTER_NUMBER;
        v.number = scan.d;
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        v.kind = FILTER_BOOL;
        v.number = token == JSON_TRUE;
        break;
    case JSON_OBJECT_OPEN:
    case JSON_LIST_OPEN:
        v.kind = FILTER_STRING;
        v.text = raw;
        break;
    default:
        break;
    }
    return v;
}

/* What is left of a name behind the path so far; p == NULL when the name
 * does not lie below it. */
static struct str behind(struct str name, struct str key)
{
    if (name.len > key.len && name.p[key.len] == '.' &&
        memcmp(name.p, key.p, key.len) == 0)
        return str_n(name.p + key.len + 1, name.len - key.len - 1);
    return (struct str){0};
}

/* The next key of an object and the text of its value, which is not read:
 * most values are of no interest. */
static bool next_member(struct json_scan *scan, struct str *key,
                        struct str *raw)
{
    if (json_scan_next(scan) != JSON_KEY)
        return false;
    *key = scan->text;
    return json_scan_pass(scan, raw) == 0;
}

/* Looks for one name in the text of a value; true when found. */
static bool find_path(struct str text, struct str name, struct slot *slot)
{
    struct json_scan scan;
    struct str key, raw;
    json_scan_init(&scan, text);
    if (json_scan_next(&scan) != JSON_OBJECT_OPEN)
        return false;
    while (next_member(&scan, &key, &raw)) {
        struct str rest = behind(name, key);
        if (str_eq(key, name)) {
            slot->value = json_value(raw, &slot->text);
            return true;
        }
        if (rest.p && find_path(raw, rest, slot))
            return true;
    }
    return false;
}

/* Whether the point may have the name: whether the first word of it stands
 * anywhere in its text, which is quickly seen. */
static bool may_have(struct str point, struct str name)
{
    const char *dot = memchr(name.p, '.', name.len);
    size_t len = dot ? (size_t)(dot - name.p) : name.len;
    return memmem(point.p, point.len, name.p, len) != NULL;
}

/* Points of a study have much the same names: the one that was there last
 * time is looked for first. */
static bool may_have_any(struct filter *f, struct str point)
{
    for (size_t i = 0; point.p && i < f->slots.len; i++) {
        size_t slot = (f->likely + i) % f->slots.len;
        if (may_have(point, f->slots.p[slot].name)) {
            f->likely = slot;
            return true;
        }
    }
    return false;
}

/* One pass over the point's own members fills most slots; a name that goes
 * into a nested one is followed from there. */
static size_t fill_from_point(struct filter *f, struct str point)
{
    struct json_scan scan;
    struct str key, raw;
    size_t missing = f->slots.len;
    json_scan_init(&scan, point);
    if (!may_have_any(f, point) || json_scan_next(&scan) != JSON_OBJECT_OPEN)
        return missing;
    while (missing > 0 && next_member(&scan, &key, &raw))
        for (size_t i = 0; i < f->slots.len; i++) {
            struct slot *slot = &f->slots.p[i];
            struct str rest = behind(slot->name, key);
            if (slot->value.kind != FILTER_UNKNOWN)
                continue;
            if (str_eq(slot->name, key)) {
                slot->value = json_value(raw, &slot->text);
                missing--;
            } else if (rest.p && find_path(raw, rest, slot)) {
                missing--;
            }
        }
    return missing;
}

/* Takes the wanted field of one metric's object, or its plain number. */
static void fill_metric(struct slot *slot, struct str raw, struct str field)
{
    if (raw.p[0] == '{')
        find_path(raw, field, slot);
    else if (str_is(field, "last"))
        slot->value = json_value(raw, &slot->text);
}

static void fill_from_summary(struct filter *f, struct str summary)
{
    struct json_scan scan;
    struct str key, raw;
    json_scan_init(&scan, summary);
    if (json_scan_next(&scan) != JSON_OBJECT_OPEN)
        return;
    while (next_member(&scan, &key, &raw))
        for (size_t i = 0; i < f->slots.len; i++) {
            struct slot *slot = &f->slots.p[i];
            bool unknown = slot->value.kind == FILTER_UNKNOWN;
            /* loss.min may itself be a metric; its own name wins. */
            if (str_eq(slot->name, key) && (unknown || slot->by_ending)) {
                fill_metric(slot, raw, STR("last"));
                slot->by_ending = false;
            } else if (slot->ending.len > 0 && unknown &&
                       str_eq(slot->metric, key)) {
                fill_metric(slot, raw, slot->ending);
                slot->by_ending = true;
            }
        }
}

/* Fills what the point has; returns how many names are missing in it. */
static size_t fill_first(struct filter *f, struct str point)
{
    for (size_t i = 0; i < f->slots.len; i++) {
        f->slots.p[i].value.kind = FILTER_UNKNOWN;
        f->slots.p[i].by_ending = false;
    }
    return f->slots.len == 0 ? 0 : fill_from_point(f, point);
}

static void fill_missing(struct filter *f, const struct trial *t,
                         filter_summary_fn *summary, void *context)
{
    struct str text = t->summary, about = t->about;
    if (!text.p && summary)
        text = summary(context, t->id, &about);
    if (text.len > 0)
        fill_from_summary(f, text);
    if (about.len > 0)
        fill_from_point(f, about);
}

bool filter_names_in(struct filter *f, struct str point)
{
    return fill_first(f, point) == 0;
}

/* ---- values ----------------------------------------------------------- */

static struct filter_value number_value(double number)
{
    return (struct filter_value){.kind = FILTER_NUMBER, .number = number};
}

static struct filter_value text_value(struct str text)
{
    return (struct filter_value){
        .kind = text.len ? FILTER_STRING : FILTER_UNKNOWN, .text = text};
}

/* Times and the objective are unknown as long as there are none. */
static struct filter_value known(double number, bool is_known)
{
    struct filter_value v = number_value(number);
    if (!is_known)
        v.kind = FILTER_UNKNOWN;
    return v;
}

static struct filter_value column_value(const struct trial *t,
                                        enum trial_column column)
{
    switch (column) {
    case TRIAL_ID:
        return number_value((double)t->id);
    case TRIAL_STATE:
        return text_value(str_of(state_name(t->state)));
    case TRIAL_VALUE:
        return known(t->value, !isnan(t->value));
    case TRIAL_SECONDS:
        return number_value(t->seconds);
    case TRIAL_ATTEMPTS:
        return number_value(t->attempts);
    case TRIAL_FAILURES:
        return number_value(t->failures);
    case TRIAL_STARTED:
        return known(t->started, t->started != 0);
    case TRIAL_ENDED:
        return known(t->ended, t->ended != 0);
    case TRIAL_REASON:
        return text_value(t->reason);
    case TRIAL_NOTE:
        return text_value(t->note);
    case TRIAL_RUN_ID:
        return text_value(t->run_id);
    default:
        break;
    }
    return (struct filter_value){0};
}

static struct filter_value operand_value(const struct filter *f,
                                         const struct operand *o,
                                         const struct trial *t)
{
    if (!o->is_name)
        return o->literal;
    if (o->column != COLUMN_NONE)
        return column_value(t, o->column);
    return f->slots.p[o->slot].value;
}

static bool as_number(const struct filter_value *v, double *number)
{
    *number = v->number;
    if (v->kind == FILTER_STRING)
        return num_double(str_trim(v->text), number);
    return v->kind == FILTER_NUMBER || v->kind == FILTER_BOOL;
}

static bool is_true(const struct filter_value *v)
{
    switch (v->kind) {
    case FILTER_BOOL:
        return v->number != 0;
    case FILTER_NUMBER:
        return v->number != 0 && !isnan(v->number);
    case FILTER_STRING:
        return v->text.len > 0;
    default:
        return false;
    }
}

/* ---- comparing -------------------------------------------------------- */

enum order { LESS = 1, EQUAL = 2, GREATER = 4, APART = 8, UNKNOWN = 0 };

static enum order compare_numbers(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? EQUAL : APART;
    return a < b ? LESS : a > b ? GREATER : EQUAL;
}

static enum order compare(const struct filter_value *a,
                          const struct filter_value *b)
{
    double x, y;
    if (a->kind == FILTER_UNKNOWN || b->kind == FILTER_UNKNOWN)
        return UNKNOWN;
    if (a->kind == FILTER_NULL || b->kind == FILTER_NULL)
        return a->kind == b->kind ? EQUAL : APART;
    if (a->kind == FILTER_STRING && b->kind == FILTER_STRING) {
        int order = str_cmp(a->text, b->text);
        return order < 0 ? LESS : order > 0 ? GREATER : EQUAL;
    }
    if (as_number(a, &x) && as_number(b, &y))
        return compare_numbers(x, y);
    return APART;
}

static bool answers(enum filter_op op, enum order order)
{
    static const int wanted[] = {
        [OP_EQ] = EQUAL,   [OP_NE] = LESS | GREATER | APART,
        [OP_LT] = LESS,    [OP_LE] = LESS | EQUAL,
        [OP_GT] = GREATER, [OP_GE] = GREATER | EQUAL,
    };
    return (wanted[op] & (int)order) != 0;
}

/* `bad` and `finished` stand for several states. */
static bool same(const struct operand *left, const struct filter_value *a,
                 const struct filter_value *b, const struct trial *t)
{
    if (left->is_name && left->column == TRIAL_STATE &&
        b->kind == FILTER_STRING) {
        if (str_is(b->text, "bad"))
            return state_bad(t->state);
        if (str_is(b->text, "finished"))
            return state_final(t->state);
    }
    return compare(a, b) == EQUAL;
}

static struct str value_as_text(const struct filter_value *v, struct buf *b)
{
    if (v->kind == FILTER_STRING || v->text.len > 0)
        return v->text;
    buf_reset(b);
    if (v->kind == FILTER_NUMBER)
        num_print(b, v->number);
    else if (v->kind == FILTER_BOOL)
        buf_adds(b, v->number != 0 ? "true" : "false");
    return buf_str(b);
}

static bool has_text(const struct filter_value *a, const struct filter_value *b)
{
    if (a->kind == FILTER_UNKNOWN || b->kind == FILTER_UNKNOWN)
        return false;
    struct buf x, y;
    buf_init(&x);
    buf_init(&y);
    struct str text = value_as_text(a, &x), part = value_as_text(b, &y);
    bool found = part.len == 0;
    for (size_t i = 0; !found && i + part.len <= text.len; i++)
        found = strncasecmp(text.p + i, part.p, part.len) == 0;
    buf_done(&x);
    buf_done(&y);
    return found;
}

static bool has_tag(const struct filter_tag *tag, int64_t id)
{
    size_t low = 0, high = tag->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (tag->ids[mid] < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < tag->count && tag->ids[low] == id;
}

static bool test_operands(const struct filter *f, const struct node *n,
                          const struct trial *t)
{
    struct filter_value a = operand_value(f, &n->a, t);
    if (n->op == OP_TRUE)
        return is_true(&a);
    if (n->op == OP_IN) {
        for (size_t i = 0; i < n->list_count; i++) {
            struct filter_value b = operand_value(f, &n->list[i], t);
            if (same(&n->a, &a, &b, t))
                return true;
        }
        return false;
    }
    struct filter_value b = operand_value(f, &n->b, t);
    if (n->op == OP_HAS)
        return has_text(&a, &b);
    if (n->a.is_name && n->a.column == TRIAL_STATE &&
        (n->op == OP_EQ || n->op == OP_NE))
        return same(&n->a, &a, &b, t) == (n->op == OP_EQ);
    return answers(n->op, compare(&a, &b));
}

/* OPEN: as long as names are missing, it can be either. */
enum answer { NO, YES, OPEN };

static bool is_missing(const struct filter *f, const struct operand *o)
{
    return o->is_name && o->column == COLUMN_NONE &&
           f->slots.p[o->slot].value.kind == FILTER_UNKNOWN;
}

static bool has_missing(const struct filter *f, const struct node *n)
{
    bool missing = is_missing(f, &n->a) || is_missing(f, &n->b);
    for (size_t i = 0; !missing && i < n->list_count; i++)
        missing = is_missing(f, &n->list[i]);
    return missing;
}

/* `whole`: a name that is missing now is one that the trial does not have. */
static enum answer ask_node(const struct filter *f, const struct node *n,
                            const struct trial *t, bool whole)
{
    enum answer left, right, settles = n->op == OP_AND ? NO : YES;
    switch (n->op) {
    case OP_AND:
    case OP_OR:
        left = ask_node(f, n->left, t, whole);
        if (left == settles)
            return left;
        right = ask_node(f, n->right, t, whole);
        return right == settles || left != OPEN ? right : OPEN;
    case OP_NOT:
        left = ask_node(f, n->left, t, whole);
        return left == OPEN ? OPEN : left == NO ? YES : NO;
    case OP_TAG:
        return has_tag(&f->tags.p[n->tag], t->id) ? YES : NO;
    default:
        if (!whole && has_missing(f, n))
            return OPEN;
        return test_operands(f, n, t) ? YES : NO;
    }
}

bool filter_test(struct filter *f, const struct trial *t,
                 filter_summary_fn *summary, void *context)
{
    if (fill_first(f, t->point) > 0) {
        enum answer early = ask_node(f, f->root, t, false);
        if (early != OPEN)
            return early == YES;
        fill_missing(f, t, summary, context);
    }
    return ask_node(f, f->root, t, true) == YES;
}

struct filter_value filter_lookup(struct filter *f, const struct trial *t,
                                  filter_summary_fn *summary, void *context)
{
    if (fill_first(f, t->point) > 0)
        fill_missing(f, t, summary, context);
    return operand_value(f, &f->root->a, t);
}

int store_filter_check(const char *where, struct err *err)
{
    struct filter *f = filter_new(where, err);
    filter_free(f);
    return f ? 0 : -1;
}

const char **store_filter_names(const char *where, struct arena *a,
                                struct err *err)
{
    struct filter *f = filter_new(where, err);
    if (!f)
        return NULL;
    const char **names = arena_array(a, f->slots.len + 1, sizeof(*names));
    for (size_t i = 0; i < f->slots.len; i++)
        names[i] = arena_cstr(a, f->slots.p[i].name);
    names[f->slots.len] = NULL;
    filter_free(f);
    return names;
}
