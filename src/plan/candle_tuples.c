/* candle_tuples.c - HyperSpace's dimensions, as its Python scripts list them
 *
 * A list of tuples, [(2, 10), (1e-4, 0.1, 'log-uniform'), ('relu', 'tanh')],
 * or a dictionary that names them; `name =` may stand before it. They are
 * Python literals: nothing is evaluated. Dimensions without names are x0,
 * x1 … in their order. */
#include "plan/candle_space.h"

#include "plan/candle.h"

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
    return name_valid(line)
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

void space_read_tuples(struct space_reading *s)
{
    struct tuples t = {.space = s, .text = without_name(s->text)};
    struct literal_fault fault = {0};
    struct reading *r = &s->reading;
    struct value *v = literal_read(r->arena, t.text, false, &fault);
    uint32_t line, column;

    if (!v) {
        find_place(&t, fault.at, &line, &column);
        problems_add(r->problems, PROBLEM_ERROR, r->file, line, column,
                     str_of(fault.hint), "%s", fault.text);
    } else if (v->kind != VALUE_LIST && v->kind != VALUE_OBJECT) {
        mark(&t, v);
        problem_at(r, PROBLEM_ERROR, v, "as in [(2, 10), (0.1, 0.9)]",
                   "the dimensions must be a list of tuples or a dictionary "
                   "of them");
    } else {
        add_dimensions(&t, v);
    }
}
