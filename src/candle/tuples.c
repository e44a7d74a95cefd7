/* tuples.c - dimensions of HyperSpace and skopt, as scripts list them
 *
 * A list of tuples, [(2, 10), (1e-4, 0.1, 'log-uniform'), ('relu', 'tanh')],
 * or a dictionary that names them; `name =` may stand before it. A Problem.py
 * of skopt's instead has lines space['name'] = (2, 10) among other code, of
 * which only these are read. All are Python literals, and powers of numbers:
 * nothing is evaluated. Dimensions without names are x0, x1 … in their order.
 */
#include "candle/space.h"

#include "base/chars.h"
#include "candle/keyword.h"
#include "terms/space.h"

struct tuples {
    struct space_reading *space;
    struct str text;
    const char *at; /* the place found last, */
    uint32_t line, column;
};

/* Literals know their offsets only. Places are asked for in their order, so
 * that the text is walked once. */
static void find_place(struct tuples *t, size_t offset, uint32_t *line,
                       uint32_t *column)
{
    const char *end = t->text.p + offset;

    if (!t->at || t->at > end) {
        t->at = t->space->text.p;
        t->line = t->column = 1;
    }
    for (; t->at < end; t->at++) {
        t->line += *t->at == '\n';
        t->column = *t->at == '\n' ? 1 : t->column + ((*t->at & 0xc0) != 0x80);
    }
    *line = t->line;
    *column = t->column;
}

static void mark(struct tuples *t, struct value *v)
{
    find_place(t, v->column, &v->line, &v->column);
}

/* ---- one dimension ---------------------------------------------------- */

static bool all_numbers(const struct value *tuple, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!value_is_number(tuple->items[i]))
            return false;
    return true;
}

/* "uniform" or "log-uniform" behind two numbers. */
static const char *prior_of(const struct value *tuple)
{
    if (tuple->count != 3 || !all_numbers(tuple, 2))
        return NULL;
    if (str_is(value_text(tuple->items[2]), "uniform"))
        return "uniform";
    if (str_is(value_text(tuple->items[2]), "log-uniform"))
        return "log_uniform_values";
    return NULL;
}

static bool check_order(struct reading *r, const struct value *tuple)
{
    if (value_number(tuple->items[0]) <= value_number(tuple->items[1]))
        return true;
    problem_at(r, PROBLEM_ERROR, tuple, "write the lower bound first",
               "the bounds of a dimension are the wrong way round");
    return false;
}

static void add_dimension(struct tuples *t, const struct value *name,
                          struct value *tuple)
{
    struct space_reading *s = t->space;
    struct reading *r = &s->reading;
    const char *prior;

    mark(t, tuple);
    if (tuple->kind != VALUE_LIST || tuple->count == 0) {
        problem_at(r, PROBLEM_ERROR, tuple,
                   "as in (2, 10), (1e-4, 0.1, 'log-uniform') or ('a', 'b')",
                   "a dimension must be a tuple with something in it, not %s",
                   tuple->kind == VALUE_LIST ? "an empty one"
                                             : value_words(r, tuple));
        return;
    }
    for (size_t i = 0; i < tuple->count; i++)
        mark(t, tuple->items[i]);
    prior = prior_of(tuple);
    if (!prior && tuple->count == 3 && all_numbers(tuple, 2) &&
        tuple->items[2]->kind == VALUE_STRING) {
        problem_at(r, PROBLEM_ERROR, tuple->items[2],
                   "one of: uniform, log-uniform",
                   "the prior of a dimension cannot be %s",
                   value_words(r, tuple->items[2]));
        return;
    }
    if (!prior && (tuple->count != 2 || !all_numbers(tuple, 2))) {
        space_add(s, name, space_choice(s, tuple, tuple));
        return;
    }
    if (!check_order(r, tuple))
        return;
    struct value *low = tuple->items[0], *high = tuple->items[1];
    bool whole = low->kind == VALUE_INT && high->kind == VALUE_INT;
    space_add(s, name,
              whole && !prior ? space_integers(s, low, high, tuple)
                              : space_reals(s, prior ? prior : "uniform", low,
                                            high, tuple));
}

/* ---- the whole -------------------------------------------------------- */

/* "name =" in front of the literal is passed over. */
static struct str without_name(struct str text)
{
    struct str rest = text, line;
    long equals;

    while ((rest = str_trim(rest)).len > 0 && *rest.p == '#')
        str_split(&rest, '\n', &line);
    equals = str_find(rest, '=');
    if (equals < 1 || strchr("[({", *rest.p))
        return text;
    line = str_trim(str_n(rest.p, (size_t)equals));
    return param_name_valid(line)
               ? str_n(rest.p + equals + 1, rest.len - (size_t)equals - 1)
               : text;
}

static void add_dimensions(struct tuples *t, struct value *v)
{
    struct arena *a = t->space->reading.arena;

    for (size_t i = 0; i < v->count; i++) {
        struct str text = v->kind == VALUE_OBJECT
                              ? v->keys[i]
                              : str_of(arena_printf(a, "x%zu", i));
        struct value *name = value_string(a, text);

        find_place(t, v->items[i]->column, &name->line, &name->column);
        add_dimension(t, name, v->items[i]);
    }
}

/* ---- space['name'] = tuple --------------------------------------------- */

/* What stands behind `space["name"] =` at the beginning of a line; false for
 * any other line. `self.space` and `my_space` will do. */
static bool begins_member(struct str line, struct str *name, struct str *rest)
{
    struct str begin = str_trim(line), variable;
    long bracket = str_find(begin, '[');

    if (bracket < 1)
        return false;
    variable = str_trim(str_n(begin.p, (size_t)bracket));
    for (size_t i = 0; i < variable.len; i++)
        if (!is_word(variable.p[i]) && variable.p[i] != '.')
            return false;
    begin =
        str_trim(str_n(begin.p + bracket + 1, begin.len - (size_t)bracket - 1));
    if (!str_ends(variable, STR("space")) || begin.len < 2 ||
        !strchr("'\"", *begin.p))
        return false;
    const char *close = memchr(begin.p + 1, *begin.p, begin.len - 1);
    if (!close)
        return false;
    *name = str_n(begin.p + 1, (size_t)(close - begin.p) - 1);
    begin =
        str_trim(str_n(close + 1, (size_t)(begin.p + begin.len - close) - 1));
    if (begin.len == 0 || *begin.p != ']')
        return false;
    begin = str_trim(str_n(begin.p + 1, begin.len - 1));
    if (begin.len < 2 || begin.p[0] != '=' || begin.p[1] == '=')
        return false;
    *rest = str_n(begin.p + 1, begin.len - 1);
    return true;
}

/* How far a value goes that begins here: to the end of the line in which its
 * last bracket is closed. */
static size_t value_length(const char *p, const char *end)
{
    const char *at = p;
    int open = 0;
    char quote = 0;

    for (; at < end && (*at != '\n' || open > 0); at++) {
        if (quote) {
            at += *at == '\\' && at + 1 < end;
            quote = *at == quote || *at == '\n' ? 0 : quote;
        } else if (*at == '\'' || *at == '"') {
            quote = *at;
        } else if (*at == '#') {
            while (at + 1 < end && at[1] != '\n')
                at++;
        } else {
            open += strchr("[({", *at) ? 1 : strchr("])}", *at) ? -1 : 0;
        }
    }
    return (size_t)(at - p);
}

static void bad_literal(struct tuples *t, size_t offset,
                        const struct literal_fault *fault)
{
    uint32_t line, column;

    find_place(t, offset, &line, &column);
    problems_add(t->space->reading.problems, PROBLEM_ERROR,
                 t->space->reading.file, line, column, str_of(fault->hint),
                 "%s", fault->text);
}

static void shift(struct value *v, size_t offset)
{
    v->column += (uint32_t)offset;
    for (size_t i = 0; i < v->count; i++)
        shift(v->items[i], offset);
}

static void add_member(struct tuples *t, struct str name, struct str text)
{
    struct arena *a = t->space->reading.arena;
    struct literal_fault fault = {0};
    struct value *id = value_string(a, name);
    struct value *v = literal_read(a, text, LITERAL_POWERS, &fault);
    size_t offset = (size_t)(text.p - t->text.p);

    find_place(t, (size_t)(name.p - t->text.p), &id->line, &id->column);
    if (!v) {
        bad_literal(t, offset + fault.at, &fault);
        return;
    }
    shift(v, offset);
    add_dimension(t, id, v);
}

/* False when there are no such lines. */
static bool read_members(struct tuples *t)
{
    const char *end = t->text.p + t->text.len;
    struct str rest = t->text, line, name, value;
    bool found = false;

    while (rest.len > 0 && str_split(&rest, '\n', &line)) {
        if (!begins_member(line, &name, &value))
            continue;
        found = true;
        value.len = value_length(value.p, end);
        add_member(t, name, value);
        rest = str_n(value.p + value.len, (size_t)(end - value.p) - value.len);
    }
    return found;
}

/* ---- the file ---------------------------------------------------------- */

void space_read_tuples(struct space_reading *s)
{
    struct tuples t = {.space = s, .text = s->text};
    struct literal_fault fault = {0};
    struct reading *r = &s->reading;
    struct value *v;

    if (read_members(&t))
        return;
    t.text = without_name(s->text);
    v = literal_read(r->arena, t.text, LITERAL_POWERS, &fault);
    if (!v) {
        bad_literal(&t, fault.at, &fault);
    } else if (v->kind != VALUE_LIST && v->kind != VALUE_OBJECT) {
        mark(&t, v);
        problem_at(r, PROBLEM_ERROR, v, "as in [(2, 10), (0.1, 0.9)]",
                   "the dimensions must be a list of tuples or a dictionary "
                   "of them");
    } else {
        add_dimensions(&t, v);
    }
}
