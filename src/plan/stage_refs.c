/* stage_refs.c - ${search.best.lr}: what a stage has of an earlier one
 *
 * Alone in a value it becomes what it names, of whatever kind; inside of a
 * text it becomes its text, and then nothing in it may mean anything to a
 * shell: the text may be a command. */
#include "plan/stage.h"

#include "base/chars.h"
#include "base/num.h"

bool ref_next(struct str s, size_t *at, size_t *from, struct str *inside)
{
    for (size_t i = *at; i + 2 < s.len; i++) {
        const char *end;

        if (s.p[i] != '$' || s.p[i + 1] != '{')
            continue;
        end = memchr(s.p + i, '}', s.len - i);
        if (!end)
            return false;
        *from = i;
        *inside = str_n(s.p + i + 2, (size_t)(end - s.p) - i - 2);
        *at = (size_t)(end - s.p) + 1;
        /* $${…} stands for ${…} as it is. */
        if (i == 0 || s.p[i - 1] != '$')
            return true;
        i = *at - 1;
    }
    return false;
}

bool ref_split(struct str inside, struct str *stage, struct str *name)
{
    struct str rest = inside, best;

    if (!str_split(&rest, '.', stage) || !rest.p ||
        !str_split(&rest, '.', &best) || !str_is(best, "best"))
        return false;
    *name = rest.p ? rest : STR("");
    return stage->len > 0;
}

/* ---- in a text -------------------------------------------------------- */

static bool is_harmless(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_word(s.p[i]) && !strchr("./:=+,@%-", s.p[i]))
            return false;
    return s.len > 0;
}

static int add_text(struct buf *b, struct str inside, const struct value *v,
                    struct err *err)
{
    if (v->kind == VALUE_INT)
        buf_addf(b, "%lld", (long long)v->i);
    else if (v->kind == VALUE_DOUBLE)
        num_print(b, v->d);
    else if (v->kind == VALUE_BOOL)
        buf_adds(b, v->boolean ? "true" : "false");
    else if (v->kind == VALUE_STRING && is_harmless(v->s))
        buf_addstr(b, v->s);
    else
        return err_set(err, ERR_INPUT,
                       "${%.*s} is no number and no plain word, so it cannot "
                       "stand inside of a text; give it to a parameter, as in "
                       "parameters: {x: {value: \"${%.*s}\"}}",
                       STRF(inside), STRF(inside));
    return 0;
}

struct replacing {
    ref_get_fn *get;
    void *context;
    struct arena *arena;
    struct err *err;
};

static struct value *replace_text(const struct value *v,
                                  const struct replacing *r)
{
    struct str s = v->s, inside;
    struct buf b;
    struct value *found = NULL, *out;
    size_t at = 0, from = 0, done = 0;
    bool failed = false;

    buf_init(&b);
    while (!failed && ref_next(s, &at, &from, &inside)) {
        int got = r->get(r->context, inside, &found, r->err);

        if (got > 0 && from == 0 && at == s.len) {
            buf_done(&b);
            return value_copy(r->arena, found);
        }
        buf_add(&b, s.p + done, from - done);
        done = got > 0 ? at : from;
        failed =
            got < 0 || (got > 0 && add_text(&b, inside, found, r->err) != 0);
    }
    buf_add(&b, s.p + done, s.len - done);
    out = value_string(r->arena, buf_str(&b));
    buf_done(&b);
    return failed ? NULL : out;
}

static struct value *replace(const struct value *v, const struct replacing *r)
{
    struct value *out;

    if (v->kind == VALUE_STRING)
        out = replace_text(v, r);
    else if (v->kind != VALUE_LIST && v->kind != VALUE_OBJECT)
        return value_copy(r->arena, v);
    else {
        out = v->kind == VALUE_LIST ? value_list(r->arena)
                                    : value_object(r->arena);
        for (size_t i = 0; i < v->count; i++) {
            struct value *item = replace(v->items[i], r);

            if (!item)
                return NULL;
            if (v->kind == VALUE_LIST)
                value_list_add(r->arena, out, item);
            else
                value_set_at(r->arena, out, v->keys[i], item,
                             v->key_lines ? v->key_lines[i] : 0,
                             v->key_columns ? v->key_columns[i] : 0);
        }
    }
    if (out) {
        out->line = v->line;
        out->column = v->column;
    }
    return out;
}

struct value *refs_replace(const struct value *v, ref_get_fn *get,
                           void *context, struct arena *a, struct err *err)
{
    struct replacing r = {get, context, a, err};
    return replace(v, &r);
}
