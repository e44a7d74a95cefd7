/* pickle.c - a strict reader of pickles that hold weights
 *
 * Protocols 2 to 5, as far as plain data and tensors need them. The stack and
 * the memo hold pointers into the arena; both are bounded by the number of
 * bytes, since each operation adds at most one item. */
#include "nn/foreign/pickle.h"

#include "base/buf.h"
#include "base/vec.h"

#define ITEMS_MAX ((size_t)1 << 24)

struct machine {
    struct bytes in;
    const char *path;
    struct arena *arena;
    struct err *err;
    VEC(struct pickle *) stack;
    VEC(struct pickle *) memo;
    size_t total;
    bool stopped;
};

static int damaged(struct machine *m, const char *why)
{
    return err_set(m->err, ERR_INPUT, "%s: its pickle is damaged: %s", m->path,
                   why);
}

static struct pickle *new_one(struct machine *m, enum pickle_kind kind)
{
    struct pickle *p = arena_new_of(m->arena, struct pickle);
    p->kind = kind;
    return p;
}

static int push(struct machine *m, struct pickle *p)
{
    vec_push(&m->stack, p);
    return 0;
}

static int push_int(struct machine *m, enum pickle_kind kind, int64_t i)
{
    struct pickle *p = new_one(m, kind);
    p->i = i;
    return push(m, p);
}

/* NULL: there is nothing, or a mark. */
static struct pickle *top(struct machine *m)
{
    struct pickle *p = m->stack.len ? vec_last(&m->stack) : NULL;
    return p && p->kind != PICKLE_MARK ? p : NULL;
}

static struct pickle *pop(struct machine *m)
{
    struct pickle *p = top(m);
    if (p)
        m->stack.len--;
    return p;
}

static void add_item(struct machine *m, struct pickle *to, struct pickle *item)
{
    if (to->count == to->cap) {
        size_t cap = to->cap ? 2 * to->cap : 4;
        struct pickle **more = arena_array(m->arena, cap, sizeof(*more));
        if (to->count)
            memcpy(more, to->items, to->count * sizeof(*more));
        to->items = more;
        to->cap = cap;
    }
    to->items[to->count++] = item;
}

/* ---- operations ---------------------------------------------------------- */

/* All above the last mark become the items of `to`; the mark goes. */
static int take_marked(struct machine *m, struct pickle *to)
{
    size_t at = m->stack.len;
    while (at && m->stack.p[at - 1]->kind != PICKLE_MARK)
        at--;
    if (!at)
        return damaged(m, "a mark is missing");
    m->total += m->stack.len - at;
    if (m->total > ITEMS_MAX)
        return damaged(m, "it has more parts than weights have");
    for (size_t i = at; i < m->stack.len; i++)
        add_item(m, to, m->stack.p[i]);
    m->stack.len = at - 1;
    return 0;
}

static int make_tuple(struct machine *m, size_t count)
{
    struct pickle *p = new_one(m, PICKLE_LIST);
    if (m->stack.len < count)
        return damaged(m, "its stack is empty");
    for (size_t i = m->stack.len - count; i < m->stack.len; i++) {
        if (m->stack.p[i]->kind == PICKLE_MARK)
            return damaged(m, "a mark is where a value belongs");
        add_item(m, p, m->stack.p[i]);
    }
    m->stack.len -= count;
    return push(m, p);
}

static int make_marked_tuple(struct machine *m)
{
    struct pickle *p = new_one(m, PICKLE_LIST);
    return take_marked(m, p) ? -1 : push(m, p);
}

/* Puts into the list or dict below what was marked. */
static int put_marked(struct machine *m, enum pickle_kind kind)
{
    struct pickle *more = new_one(m, kind), *to;
    if (take_marked(m, more))
        return -1;
    to = top(m);
    if (!to || to->kind != kind || (kind == PICKLE_DICT && more->count % 2))
        return damaged(m, "items are put into what has none");
    for (size_t i = 0; i < more->count; i++)
        add_item(m, to, more->items[i]);
    return 0;
}

static int put_one(struct machine *m, enum pickle_kind kind)
{
    struct pickle *value = pop(m);
    struct pickle *key = kind == PICKLE_DICT ? pop(m) : value;
    struct pickle *to = top(m);
    if (!value || !key || !to || to->kind != kind)
        return damaged(m, "an item is put into what has none");
    if (kind == PICKLE_DICT)
        add_item(m, to, key);
    add_item(m, to, value);
    return 0;
}

static int remember(struct machine *m, uint64_t at)
{
    struct pickle *p = top(m);
    if (!p || at > m->memo.len)
        return damaged(m, "it remembers out of turn");
    if (at == m->memo.len)
        vec_push(&m->memo, p);
    else
        m->memo.p[at] = p;
    return 0;
}

static int recall(struct machine *m, uint64_t at)
{
    if (at >= m->memo.len)
        return damaged(m, "it recalls what it has not said");
    return push(m, m->memo.p[at]);
}

static int push_text(struct machine *m, struct str text)
{
    struct pickle *p = new_one(m, PICKLE_TEXT);
    p->s = text;
    return m->in.bad ? damaged(m, "it is cut off") : push(m, p);
}

static struct str line(struct machine *m)
{
    const unsigned char *from = m->in.p;
    const unsigned char *end =
        memchr(from, '\n', (size_t)(m->in.end - m->in.p));
    if (!end) {
        m->in.bad = true;
        return STR("");
    }
    m->in.p = end + 1;
    return str_n((const char *)from, (size_t)(end - from));
}

static int push_name(struct machine *m, struct str module, struct str name)
{
    struct pickle *p = new_one(m, PICKLE_NAME);
    p->s =
        str_of(arena_printf(m->arena, "%.*s.%.*s", STRF(module), STRF(name)));
    return push(m, p);
}

static int make_name(struct machine *m)
{
    struct str module = line(m), name = line(m);
    return m->in.bad ? damaged(m, "it is cut off") : push_name(m, module, name);
}

static int make_stacked_name(struct machine *m)
{
    struct pickle *name = pop(m), *module = pop(m);
    if (!name || !module || name->kind != PICKLE_TEXT ||
        module->kind != PICKLE_TEXT)
        return damaged(m, "a name is no text");
    return push_name(m, module->s, name->s);
}

static int make_stored(struct machine *m)
{
    struct pickle *id = pop(m), *p = new_one(m, PICKLE_STORED);
    if (!id || id->kind != PICKLE_LIST)
        return damaged(m, "what lies outside has no name");
    p->items = id->items;
    p->count = id->count;
    return push(m, p);
}

/* The only calls that are known, and what becomes of them here. */
static int make_called(struct machine *m)
{
    struct pickle *with = pop(m), *name = pop(m), *p = NULL;
    if (!with || !name || with->kind != PICKLE_LIST ||
        name->kind != PICKLE_NAME)
        return damaged(m, "it calls what is no name");
    if (str_is(name->s, "collections.OrderedDict") && !with->count) {
        p = new_one(m, PICKLE_DICT);
    } else if (str_is(name->s, "torch._utils._rebuild_tensor_v2") ||
               str_is(name->s, "torch._utils._rebuild_tensor")) {
        p = new_one(m, PICKLE_TENSOR);
        p->items = with->items;
        p->count = with->count;
    } else if (str_is(name->s, "torch._utils._rebuild_parameter") &&
               with->count && with->items[0]->kind == PICKLE_TENSOR) {
        p = with->items[0];
    }
    if (p)
        return push(m, p);
    return err_set(m->err, ERR_INPUT,
                   "%s: its pickle calls %.*s, which is no part of a "
                   "state_dict: nothing that a file asks for is run. Save "
                   "model.state_dict()",
                   m->path, STRF(name->s));
}

/* The state of an OrderedDict are versions of modules: no weights. */
static int drop_state(struct machine *m)
{
    struct pickle *state = pop(m), *of = top(m);
    if (!state || !of || of->kind != PICKLE_DICT)
        return damaged(m, "it sets the state of what has none");
    return 0;
}

/* ---- numbers ------------------------------------------------------------- */

static uint64_t little(struct machine *m, size_t size)
{
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++)
        v |= (uint64_t)bytes_u8(&m->in) << (8 * i);
    return v;
}

static int push_long(struct machine *m)
{
    size_t size = bytes_u8(&m->in);
    if (size > 8)
        return damaged(m, "a number has more than 64 bits");
    uint64_t v = little(m, size);
    if (size && size < 8 && v >> (8 * size - 1))
        v |= ~(uint64_t)0 << (8 * size); /* its sign */
    return push_int(m, PICKLE_INT, (int64_t)v);
}

static int push_real(struct machine *m)
{
    uint64_t v = 0;
    struct pickle *p = new_one(m, PICKLE_REAL);
    for (int i = 0; i < 8; i++)
        v = v << 8 | bytes_u8(&m->in);
    memcpy(&p->d, &v, sizeof(p->d));
    return push(m, p);
}

/* ---- the machine --------------------------------------------------------- */

static int step_plain(struct machine *m, unsigned op, bool *known)
{
    switch (op) {
    case 'N':
        return push(m, new_one(m, PICKLE_NONE));
    case 0x88:
    case 0x89:
        return push_int(m, PICKLE_BOOL, op == 0x88);
    case 'J':
        return push_int(m, PICKLE_INT, (int32_t)little(m, 4));
    case 'K':
        return push_int(m, PICKLE_INT, (int64_t)little(m, 1));
    case 'M':
        return push_int(m, PICKLE_INT, (int64_t)little(m, 2));
    case 0x8a:
        return push_long(m);
    case 'G':
        return push_real(m);
    case 'X':
        return push_text(m, bytes_take(&m->in, (size_t)little(m, 4)));
    case 0x8c:
        return push_text(m, bytes_take(&m->in, (size_t)little(m, 1)));
    case 'c':
        return make_name(m);
    case 0x93:
        return make_stacked_name(m);
    default:
        *known = false;
        return 0;
    }
}

static int step_made(struct machine *m, unsigned op, bool *known)
{
    switch (op) {
    case '(':
        return push(m, new_one(m, PICKLE_MARK));
    case ']':
    case ')':
        return push(m, new_one(m, PICKLE_LIST));
    case '}':
        return push(m, new_one(m, PICKLE_DICT));
    case 't':
        return make_marked_tuple(m);
    case 0x85:
    case 0x86:
    case 0x87:
        return make_tuple(m, op - 0x84);
    case 'e':
        return put_marked(m, PICKLE_LIST);
    case 'u':
        return put_marked(m, PICKLE_DICT);
    case 'a':
        return put_one(m, PICKLE_LIST);
    case 's':
        return put_one(m, PICKLE_DICT);
    case 'Q':
        return make_stored(m);
    case 'R':
        return make_called(m);
    case 'b':
        return drop_state(m);
    default:
        *known = false;
        return 0;
    }
}

static int step_memo(struct machine *m, unsigned op, bool *known)
{
    switch (op) {
    case 'q':
        return remember(m, little(m, 1));
    case 'r':
        return remember(m, little(m, 4));
    case 0x94:
        return remember(m, m->memo.len);
    case 'h':
        return recall(m, little(m, 1));
    case 'j':
        return recall(m, little(m, 4));
    case 0x80: /* protocol */
        return little(m, 1) > 5 ? damaged(m, "its protocol is not known") : 0;
    case 0x95: /* a frame: how long the next piece is */
        little(m, 8);
        return 0;
    case '.':
        m->stopped = true;
        return 0;
    default:
        *known = false;
        return 0;
    }
}

static int step(struct machine *m)
{
    unsigned op = bytes_u8(&m->in);
    bool known = true;
    if (m->in.bad)
        return damaged(m, "it is cut off");
    int rc = step_plain(m, op, &known);
    if (!known) {
        known = true;
        rc = step_made(m, op, &known);
    }
    if (!known) {
        known = true;
        rc = step_memo(m, op, &known);
    }
    if (!known)
        return err_set(m->err, ERR_INPUT,
                       "%s: its pickle has the operation 0x%02x, which weights "
                       "do not need; nothing that a file asks for is run. Of a "
                       "whole module save torch.save(net.state_dict(), …)",
                       m->path, op);
    return rc || !m->in.bad ? rc : damaged(m, "it is cut off");
}

const struct pickle *pickle_read(struct str bytes, const char *path,
                                 struct arena *a, struct err *err)
{
    struct machine m = {
        .in = bytes_of(bytes), .path = path, .arena = a, .err = err};
    int rc = 0;
    while (!rc && !m.stopped)
        rc = step(&m);
    const struct pickle *all = rc ? NULL : pop(&m);
    if (!rc && (!all || m.stack.len)) {
        damaged(&m, "it ends with more or less than one value");
        all = NULL;
    }
    vec_done(&m.stack);
    vec_done(&m.memo);
    return all;
}
