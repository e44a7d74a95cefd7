/* filter_parse.c - the filter language: from text to tree
 *
 * A lexer that gives one token at a time and a parser of one function per
 * rule of the grammar in filter.h. */
#include "store/filter_parse.h"

#include <stdio.h>
#include "base/chars.h"
#include "base/num.h"

static const struct {
    const char *name;
    enum trial_column column;
} columns[] = {
    {"trial", TRIAL_ID},          {"state", TRIAL_STATE},
    {"value", TRIAL_VALUE},       {"seconds", TRIAL_SECONDS},
    {"attempts", TRIAL_ATTEMPTS}, {"failures", TRIAL_FAILURES},
    {"started", TRIAL_STARTED},   {"ended", TRIAL_ENDED},
    {"reason", TRIAL_REASON},     {"note", TRIAL_NOTE},
    {"run_id", TRIAL_RUN_ID},
};

static const char *const endings[] = {".last", ".min", ".max", ".count",
                                      ".step"};

enum token {
    TOKEN_BAD,
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_QUOTED_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMA,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_IN,
    TOKEN_OP,
};

struct parser {
    struct filter *f;
    const char *text; /* the whole filter */
    const char *p;
    unsigned depth;
    /* the token at hand */
    enum token token;
    const char *at;
    struct str word;
    double number;
    enum filter_op op;
    struct err *err;
};

static int fail(struct parser *p, const char *at, const char *expected)
{
    size_t column = (size_t)(at - p->text) + 1;
    struct str rest = str_of(at);
    if (rest.len > 20)
        rest.len = 20;
    if (rest.len == 0)
        return err_set(p->err, ERR_INPUT,
                       "filter '%s': column %zu: expected %s, but it ends "
                       "here",
                       p->text, column, expected);
    return err_set(p->err, ERR_INPUT,
                   "filter '%s': column %zu: expected %s, not '%.*s'", p->text,
                   column, expected, STRF(rest));
}

/* ---- lexer ------------------------------------------------------------ */

static bool is_bare(char c)
{
    return is_word(c) || c == '.' || c == '-' || c == '/' || c == '+' ||
           (unsigned char)c >= 0x80;
}

static int lex_quoted(struct parser *p)
{
    char quote = *p->p;
    struct buf b;
    buf_init(&b);
    const char *q = p->p + 1;
    for (; *q && *q != quote; q++) {
        if (*q == '\\' && q[1] && quote != '`')
            q++;
        buf_addc(&b, *q);
    }
    bool closed = *q == quote;
    p->word = arena_str(p->f->arena, buf_str(&b));
    buf_done(&b);
    if (!closed)
        return fail(p, p->p, "a closing quote behind this");
    p->p = q + 1;
    p->token = quote == '`' ? TOKEN_QUOTED_NAME : TOKEN_STRING;
    if (quote == '`' && p->word.len == 0)
        return fail(p, p->at, "a name between the backquotes");
    return 0;
}

static const struct {
    const char *text;
    enum token token;
    enum filter_op op;
} symbols[] = {
    {"&&", TOKEN_AND, OP_AND}, {"||", TOKEN_OR, OP_OR},
    {"==", TOKEN_OP, OP_EQ},   {"!=", TOKEN_OP, OP_NE},
    {"<>", TOKEN_OP, OP_NE},   {"<=", TOKEN_OP, OP_LE},
    {">=", TOKEN_OP, OP_GE},   {"=", TOKEN_OP, OP_EQ},
    {"<", TOKEN_OP, OP_LT},    {">", TOKEN_OP, OP_GT},
    {"~", TOKEN_OP, OP_HAS},   {"!", TOKEN_NOT, OP_NOT},
    {"(", TOKEN_OPEN, 0},      {")", TOKEN_CLOSE, 0},
    {",", TOKEN_COMMA, 0},
};

static bool lex_symbol(struct parser *p)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t len = strlen(symbols[i].text);
        if (strncmp(p->p, symbols[i].text, len) != 0)
            continue;
        p->token = symbols[i].token;
        p->op = symbols[i].op;
        p->p += len;
        return true;
    }
    return false;
}

static const struct {
    const char *text;
    enum token token;
} keywords[] = {
    {"and", TOKEN_AND}, {"or", TOKEN_OR}, {"not", TOKEN_NOT}, {"in", TOKEN_IN}};

static void lex_word(struct parser *p)
{
    const char *q = p->p;
    while (*q && is_bare(*q))
        q++;
    p->word = str_n(p->p, (size_t)(q - p->p));
    p->p = q;
    p->token = TOKEN_WORD;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (str_is(p->word, keywords[i].text))
            p->token = keywords[i].token;
    char first = p->word.p[0];
    bool numeric = (first >= '0' && first <= '9') || first == '.' ||
                   first == '-' || first == '+';
    if (numeric && num_double(p->word, &p->number))
        p->token = TOKEN_NUMBER;
}

static int next(struct parser *p)
{
    while (*p->p == ' ' || *p->p == '\t' || *p->p == '\n' || *p->p == '\r')
        p->p++;
    p->at = p->p;
    p->token = TOKEN_BAD;
    if (!*p->p) {
        p->token = TOKEN_END;
        return 0;
    }
    if (*p->p == '"' || *p->p == '\'' || *p->p == '`')
        return lex_quoted(p);
    if (lex_symbol(p))
        return 0;
    if (!is_bare(*p->p))
        return fail(p, p->p, "a name, a number, a text or an operator");
    lex_word(p);
    return 0;
}

/* ---- operands --------------------------------------------------------- */

static size_t slot_of(struct filter *f, struct str name)
{
    for (size_t i = 0; i < f->slots.len; i++)
        if (str_eq(f->slots.p[i].name, name))
            return i;
    struct slot slot = {.name = arena_str(f->arena, name)};
    slot.metric = slot.name;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct str ending = str_of(endings[i]);
        if (!str_ends(slot.name, ending) || slot.name.len == ending.len)
            continue;
        slot.metric.len = slot.name.len - ending.len;
        slot.ending = str_n(ending.p + 1, ending.len - 1);
    }
    buf_init(&slot.text);
    vec_push(&f->slots, slot);
    return f->slots.len - 1;
}

static void set_name(struct parser *p, struct operand *o, bool quoted)
{
    struct filter *f = p->f;
    o->is_name = true;
    o->column = COLUMN_NONE;
    for (size_t i = 0; !quoted && i < sizeof columns / sizeof *columns; i++)
        if (str_is(p->word, columns[i].name))
            o->column = columns[i].column;
    bool is_column = o->column != COLUMN_NONE;
    f->columns |= COLUMN_BIT(is_column ? o->column : TRIAL_POINT);
    if (is_column)
        return;
    o->slot = slot_of(f, p->word);
}

/* A bare word where a value is meant. */
static void set_word(struct parser *p, struct operand *o)
{
    struct filter_value *v = &o->literal;
    struct str w = p->word;
    v->text = arena_str(p->f->arena, w);
    v->kind = FILTER_STRING;
    if (str_is(w, "true") || str_is(w, "True")) {
        v->kind = FILTER_BOOL;
        v->number = 1;
    } else if (str_is(w, "false") || str_is(w, "False")) {
        v->kind = FILTER_BOOL;
    } else if (str_is(w, "null") || str_is(w, "None")) {
        v->kind = FILTER_NULL;
    } else if (num_double(w, &v->number)) {
        v->kind = FILTER_NUMBER;
    }
}

static int parse_operand(struct parser *p, bool words_are_names,
                         struct operand *o)
{
    *o = (struct operand){0};
    switch (p->token) {
    case TOKEN_WORD:
        if (words_are_names)
            set_name(p, o, false);
        else
            set_word(p, o);
        break;
    case TOKEN_QUOTED_NAME:
        set_name(p, o, true);
        break;
    case TOKEN_NUMBER:
        o->literal.kind = FILTER_NUMBER;
        o->literal.number = p->number;
        o->literal.text = arena_str(p->f->arena, p->word);
        break;
    case TOKEN_STRING:
        o->literal.kind = FILTER_STRING;
        o->literal.text = p->word;
        break;
    default:
        return fail(p, p->at,
                    words_are_names ? "a name, a number or a text" : "a value");
    }
    return next(p);
}

/* A state that does not exist would match nothing, silently. */
static int check_state(struct parser *p, const struct operand *name,
                       const struct operand *value, const char *at)
{
    if (!name->is_name || name->column != TRIAL_STATE || value->is_name ||
        value->literal.kind != FILTER_STRING)
        return 0;
    struct str s = value->literal.text;
    enum state state;
    if (state_parse(s, &state) || str_is(s, "bad") || str_is(s, "finished"))
        return 0;
    const char *names[STATE_COUNT + 1] = {0};
    for (int i = 0; i < STATE_COUNT; i++)
        names[i] = state_name((enum state)i);
    const char *near = str_nearest(s, names);
    char expected[128];
    snprintf(expected, sizeof expected, "a state%s%s%s",
             near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return fail(p, at, expected);
}

/* ---- rules ------------------------------------------------------------ */

static struct node *parse_either(struct parser *p);

static struct node *new_node(struct parser *p, enum filter_op op)
{
    struct node *n = arena_new_of(p->f->arena, struct node);
    n->op = op;
    return n;
}

static struct node *parse_list(struct parser *p, struct node *n)
{
    n->op = OP_IN;
    VEC(struct operand) list = {0};
    int rc = next(p);
    if (rc == 0 && p->token != TOKEN_OPEN)
        rc = fail(p, p->at, "'(' and a list of values");
    while (rc == 0) {
        struct operand o;
        rc = next(p);
        const char *at = p->at;
        if (rc || (rc = parse_operand(p, false, &o)) ||
            (rc = check_state(p, &n->a, &o, at)))
            break;
        vec_push(&list, o);
        if (p->token == TOKEN_CLOSE) {
            rc = next(p);
            break;
        }
        if (p->token != TOKEN_COMMA)
            rc = fail(p, p->at, "',' or ')'");
    }
    if (rc == 0) {
        n->list_count = list.len;
        n->list = vec_to_arena(p->f->arena, &list);
    }
    vec_done(&list);
    return rc ? NULL : n;
}

static struct node *parse_not_in(struct parser *p, struct node *n)
{
    if (next(p))
        return NULL;
    if (p->token != TOKEN_IN) {
        fail(p, p->at, "'in'");
        return NULL;
    }
    struct node *no = new_node(p, OP_NOT);
    no->left = parse_list(p, n);
    return no->left ? no : NULL;
}

static struct node *parse_test(struct parser *p)
{
    struct node *n = new_node(p, OP_TRUE);
    bool literal_left = p->token == TOKEN_NUMBER || p->token == TOKEN_STRING;
    const char *at = p->at;
    if (parse_operand(p, true, &n->a))
        return NULL;
    if (p->token == TOKEN_IN)
        return parse_list(p, n);
    if (p->token == TOKEN_NOT)
        return parse_not_in(p, n);
    if (p->token != TOKEN_OP) {
        if (!literal_left)
            return n;
        fail(p, p->at, "an operator (= != < <= > >= ~ in)");
        return NULL;
    }
    n->op = p->op;
    if (next(p))
        return NULL;
    const char *right = p->at;
    if (parse_operand(p, literal_left, &n->b) ||
        check_state(p, &n->a, &n->b, right) || check_state(p, &n->b, &n->a, at))
        return NULL;
    return n;
}

static bool starts_tag(const char *at)
{
    return strncmp(at, "tag:", 4) == 0;
}

static struct node *parse_tag(struct parser *p)
{
    struct node *n = new_node(p, OP_TAG);
    p->p = p->at + 4;
    const char *behind = p->p;
    if (next(p))
        return NULL;
    bool word = p->token == TOKEN_WORD || p->token == TOKEN_NUMBER;
    if (p->at != behind || (!word && p->token != TOKEN_STRING)) {
        fail(p, behind, "the tag's name directly behind 'tag:'");
        return NULL;
    }
    struct filter_tag tag = {.tag = arena_str(p->f->arena, p->word)};
    vec_push(&p->f->tags, tag);
    n->tag = p->f->tags.len - 1;
    return next(p) ? NULL : n;
}

static struct node *parse_group(struct parser *p)
{
    if (next(p))
        return NULL;
    struct node *n = parse_either(p);
    if (!n)
        return NULL;
    if (p->token != TOKEN_CLOSE) {
        fail(p, p->at, "')', 'and' or 'or'");
        return NULL;
    }
    return next(p) ? NULL : n;
}

static struct node *parse_single(struct parser *p)
{
    if (p->token == TOKEN_NOT) {
        struct node *no = new_node(p, OP_NOT);
        if (++p->depth > FILTER_DEPTH_MAX) {
            fail(p, p->at, "less nesting");
            return NULL;
        }
        if (next(p))
            return NULL;
        no->left = parse_single(p);
        p->depth--;
        return no->left ? no : NULL;
    }
    if (p->token == TOKEN_OPEN)
        return parse_group(p);
    if (p->token == TOKEN_WORD && starts_tag(p->at))
        return parse_tag(p);
    return parse_test(p);
}

static struct node *parse_both(struct parser *p)
{
    struct node *left = parse_single(p);
    while (left && p->token == TOKEN_AND) {
        struct node *n = new_node(p, OP_AND);
        n->left = left;
        if (next(p))
            return NULL;
        n->right = parse_single(p);
        left = n->right ? n : NULL;
    }
    return left;
}

static struct node *parse_either(struct parser *p)
{
    if (++p->depth > FILTER_DEPTH_MAX) {
        fail(p, p->at, "less nesting");
        return NULL;
    }
    struct node *left = parse_both(p);
    while (left && p->token == TOKEN_OR) {
        struct node *n = new_node(p, OP_OR);
        n->left = left;
        if (next(p))
            return NULL;
        n->right = parse_both(p);
        left = n->right ? n : NULL;
    }
    p->depth--;
    return left;
}

static struct filter *filter_empty(void)
{
    struct filter *f = xcalloc(1, sizeof *f);
    f->arena = arena_new();
    return f;
}

struct filter *filter_new(const char *text, struct err *err)
{
    if (strlen(text) > FILTER_TEXT_MAX) {
        err_set(err, ERR_LIMIT, "the filter is longer than %d bytes",
                FILTER_TEXT_MAX);
        return NULL;
    }
    struct filter *f = filter_empty();
    const char *copy = arena_cstr(f->arena, str_of(text));
    struct parser p = {.f = f, .text = copy, .p = copy, .err = err};
    if (next(&p) == 0)
        f->root = parse_either(&p);
    if (f->root && p.token != TOKEN_END) {
        fail(&p, p.at, "'and', 'or' or the end");
        f->root = NULL;
    }
    if (!f->root) {
        filter_free(f);
        return NULL;
    }
    return f;
}

/* The whole text is the name, whatever it holds; backquotes are taken off
 * and hide columns as they do in a filter. */
struct filter *filter_name_new(const char *name, struct err *err)
{
    struct str word = str_of(name);
    bool quoted =
        word.len > 2 && word.p[0] == '`' && word.p[word.len - 1] == '`';
    if (quoted)
        word = str_n(word.p + 1, word.len - 2);
    if (word.len == 0 || word.len > FILTER_TEXT_MAX) {
        err_set(err, ERR_INPUT,
                "expected the name of a column, a parameter "
                "or a metric");
        return NULL;
    }
    struct filter *f = filter_empty();
    struct parser p = {.f = f, .word = word};
    f->root = new_node(&p, OP_TRUE);
    set_name(&p, &f->root->a, quoted);
    return f;
}

void filter_free(struct filter *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->slots.len; i++)
        buf_done(&f->slots.p[i].text);
    vec_done(&f->slots);
    vec_done(&f->tags);
    arena_free(f->arena);
    free(f);
}
