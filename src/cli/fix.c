/* fix.c - parameters that are made constants for a run */
#include "cli/fix.h"

#include <stdlib.h>
#include "base/chars.h"
#include "base/json.h"

/* -lr-0.1: what a shell and a folder take. */
static void add_suffix(struct buf *b, struct str name, const struct value *v)
{
    struct buf text;
    buf_init(&text);
    buf_addf(&text, "-%.*s-", STRF(name));
    value_python_str(&text, v);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];
        bool plain = is_word(c) || strchr(".+-", c);
        buf_addc(b, plain ? c : '_');
    }
    buf_done(&text);
}

static int name_fixed(struct call *c, struct plan *p, const struct value *fixed)
{
    struct buf b;
    size_t *order = value_sorted(fixed);
    buf_init(&b);
    buf_addstr(&b, p->name);
    for (size_t i = 0; i < fixed->count; i++)
        add_suffix(&b, fixed->keys[order[i]], fixed->items[order[i]]);
    p->name = arena_str(c->arena, buf_str(&b));
    free(order);
    buf_done(&b);
    const char *fault = plan_name_fault(p->name);
    if (fault)
        return err_set(&c->err, ERR_USAGE,
                       "the name `%.*s` of the study with these parameters "
                       "fixed %s; give it another one with --new NAME",
                       STRF(p->name), fault);
    return 0;
}

int fix_for_run(struct call *c, struct plan *p, const char *lines, bool named,
                struct str *fixed)
{
    struct value *all = value_object(c->arena);
    struct str rest = str_of(lines), line;
    struct buf b;
    if (!rest.len)
        return err_set(&c->err, ERR_USAGE,
                       "--fix takes NAME=VALUE, as in "
                       "--fix lr=0.1");
    while (rest.len && str_split(&rest, '\n', &line)) {
        struct value *some =
            parse_assignments(arena_cstr(c->arena, line), c->arena, &c->err);
        if (!some || some->kind != VALUE_OBJECT)
            return err_wrap(&c->err, "--fix");
        for (size_t i = 0; i < some->count; i++)
            value_set(c->arena, all, some->keys[i], some->items[i]);
    }
    if (fix_parameters(p, all, c->arena, &c->err))
        return err_wrap(&c->err, "--fix");
    for (size_t i = 0; i < all->count; i++) {
        long at = space_find(&p->space, all->keys[i]);
        value_set(c->arena, all, all->keys[i],
                  value_copy(c->arena, p->space.params[at].constant));
    }
    buf_init(&b);
    json_print_sorted(&b, all);
    *fixed = arena_str(c->arena, buf_str(&b));
    buf_done(&b);
    return named ? 0 : name_fixed(c, p, all);
}
