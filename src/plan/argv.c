/* argv.c - from a command and a point to an argument vector
 *
 * A parameter's value goes in once and is never looked at again: a value
 * that looks like {name} or ${envvar:X} stays what it is. */
#include "plan/reading.h"

#include "base/json.h"

struct args {
    VEC(struct arg) list;
};

/* ---- looking up ------------------------------------------------------- */

static bool space_has_group(const struct space *s, struct str name)
{
    for (size_t i = 0; i < s->count; i++) {
        struct str leaf = s->params[i].name;

        if (s->params[i].path_len > 1 && leaf.len > name.len &&
            leaf.p[name.len] == '.' && str_starts(leaf, name))
            return true;
    }
    return false;
}

bool plan_makes(const struct plan *p, struct str file)
{
    if (str_starts(file, STR("./")))
        file = str_n(file.p + 2, file.len - 2);
    for (size_t i = 0; i < p->template_count; i++)
        if (str_eq(p->templates[i].path, file))
            return true;
    return false;
}

bool plan_declares(const struct plan *p, struct str name)
{
    return space_find(&p->space, name) >= 0 ||
           space_has_group(&p->space, name) ||
           (p->points && points_has_name(p->points, name));
}

static const struct value *walk_dots(const struct value *v, struct str name)
{
    struct str part;

    while (v && str_split(&name, '.', &part))
        v = value_get(v, part);
    return v;
}

bool command_lookup(const struct plan *p, const struct value *point,
                    struct str name, const struct value **v)
{
    long leaf;

    *v = value_get(point, name);
    if (*v)
        return true;
    leaf = space_find(&p->space, name);
    if (leaf >= 0) {
        *v = point_get(point, &p->space.params[leaf]);
        return true;
    }
    if (!plan_declares(p, name))
        return false;
    *v = walk_dots(point, name);
    return true;
}

size_t command_brace(struct str s, struct str *name)
{
    const char *close;

    if (s.len < 3 || s.p[0] != '{')
        return 0;
    close = memchr(s.p, '}', s.len < 300 ? s.len : 300);
    if (!close)
        return 0;
    *name = str_n(s.p + 1, (size_t)(close - s.p) - 1);
    return param_name_valid(*name) ? name->len + 2 : 0;
}

size_t command_escaped(struct str s)
{
    const char *close;

    if (s.len < 4 || s.p[0] != '$' || s.p[1] != '$' || s.p[2] != '{')
        return 0;
    close = memchr(s.p, '}', s.len);
    return close ? (size_t)(close + 1 - s.p) : 0;
}

int command_replace(struct buf *b, const struct plan *p, struct str text,
                    const struct value *point, bool escapes, struct err *err)
{
    size_t i = 0;

    while (i < text.len) {
        struct str rest = str_n(text.p + i, text.len - i), name;
        const struct value *v;
        size_t len = command_brace(rest, &name);
        size_t escaped = escapes ? command_escaped(rest) : 0;

        if (escaped > 0) {
            buf_add(b, rest.p + 1, escaped - 1);
            i += escaped;
        } else if (len > 0 && command_lookup(p, point, name, &v)) {
            if (v)
                value_python_str(b, v);
            i += len;
        } else {
            buf_addc(b, text.p[i++]);
        }
    }
    if (b->full)
        return err_set(err, ERR_LIMIT, "longer than %zu bytes", b->max);
    return 0;
}

/* ---- the arguments of a point ----------------------------------------- */

static void add(struct args *args, enum arg_kind kind, struct str text)
{
    struct arg arg = {kind, text};

    vec_push(&args->list, arg);
}

static void add_text(struct args *args, struct arena *a, struct buf *b)
{
    add(args, ARG_TEXT, arena_str(a, buf_str(b)));
    buf_reset(b);
}

static void add_member(struct args *args, struct arena *a,
                       enum command_kind kind, struct str key,
                       const struct value *v)
{
    struct buf b;

    if (kind == COMMAND_ARGS_NO_BOOLEAN_FLAGS && v->kind == VALUE_BOOL &&
        !v->boolean)
        return;
    buf_init(&b);
    if (kind != COMMAND_ARGS_NO_HYPHENS)
        buf_adds(&b, "--");
    buf_addstr(&b, key);
    if (kind == COMMAND_ARGS_NO_BOOLEAN_FLAGS && v->kind == VALUE_BOOL) {
        add_text(args, a, &b);
        buf_done(&b);
        return;
    }
    if (kind == COMMAND_ARGS_NO_EQUALS)
        add_text(args, a, &b);
    else
        buf_addc(&b, '=');
    value_python_str(&b, v);
    add_text(args, a, &b);
    buf_done(&b);
}

static void add_dialect(struct args *args, const struct plan *p,
                        struct arena *a, const struct value *point)
{
    size_t count = 0;
    const struct arg *list =
        p->dialect ? p->dialect->args(p->start, point, a, &count) : NULL;

    for (size_t i = 0; i < count; i++)
        add(args, list[i].kind, list[i].text);
}

/* The arguments that a macro of the ${args} family stands for. */
static void add_args(struct args *args, const struct plan *p, struct arena *a,
                     enum command_kind kind, const struct value *point)
{
    size_t *order;
    struct buf b;

    if (kind == COMMAND_ARGS_JSON) {
        buf_init(&b);
        json_print_sorted(&b, point);
        add_text(args, a, &b);
        buf_done(&b);
        return;
    }
    if (point->kind != VALUE_OBJECT)
        return;
    if (kind == COMMAND_ARGS_DIALECT) {
        add_dialect(args, p, a, point);
        return;
    }
    order = value_sorted(point);
    for (size_t i = 0; i < point->count; i++)
        add_member(args, a, kind, point->keys[order[i]],
                   point->items[order[i]]);
    free(order);
}

/* ---- texts ------------------------------------------------------------ */

static size_t count_envvars(struct str s)
{
    size_t n = 0;

    for (size_t i = 0; i + 9 <= s.len; i++)
        n += memcmp(s.p + i, "${envvar:", 9) == 0;
    return n;
}

/* Adds a text in which values have been put. The place where the task runs
 * expands ${envvar:…} of the whole text, so a value must not bring one. */
static int add_filled(struct args *args, struct arena *a, struct str written,
                      struct str filled, struct err *err)
{
    size_t n = count_envvars(written);

    if (n > 0 && count_envvars(filled) != n)
        return err_set(err, ERR_INPUT,
                       "a parameter's value holds ${envvar:…} and stands "
                       "beside one in '%.200s'; put them into different "
                       "elements of the command",
                       arena_cstr(a, written));
    add(args, n > 0 ? ARG_EXPAND : ARG_TEXT, arena_str(a, filled));
    return 0;
}

static int add_written(struct args *args, struct arena *a, const struct plan *p,
                       struct str text, const struct value *point,
                       struct err *err)
{
    struct buf b;
    int rc;

    buf_init(&b);
    rc = command_replace(&b, p, text, point, true, err);
    if (rc == 0)
        rc = add_filled(args, a, text, buf_str(&b), err);
    buf_done(&b);
    return rc;
}

/* ---- shell lines ------------------------------------------------------ */

static int add_shell(struct args *args, struct arena *a, const struct plan *p,
                     const struct command_part *part, const struct value *point,
                     struct err *err)
{
    struct buf b;
    int rc;

    buf_init(&b);
    rc = shell_line(&b, p, a, part, point, err);
    if (rc == 0)
        rc = add_filled(args, a, part->text, buf_str(&b), err);
    buf_done(&b);
    return rc;
}

/* The list is in the arena. */
static void keep_args(struct args *args, struct arena *a,
                      const struct arg **list, size_t *count)
{
    struct arg *copy = arena_array(a, args->list.len, sizeof(*copy));

    if (args->list.len > 0)
        memcpy(copy, args->list.p, args->list.len * sizeof(*copy));
    *list = copy;
    *count = args->list.len;
}

void command_args(const struct plan *p, struct arena *a, enum command_kind kind,
                  const struct value *point, const struct arg **list,
                  size_t *count)
{
    struct args args = {0};

    add_args(&args, p, a, kind, point);
    keep_args(&args, a, list, count);
    vec_done(&args.list);
}

/* ---- the whole -------------------------------------------------------- */

static int add_part(struct args *args, struct arena *a, const struct plan *p,
                    const struct command_part *part, const struct value *point,
                    struct err *err)
{
    switch (part->kind) {
    case COMMAND_TEXT:
        return add_written(args, a, p, part->text, point, err);
    case COMMAND_SHELL:
    case COMMAND_CODE:
        return add_shell(args, a, p, part, point, err);
    case COMMAND_PROGRAM:
        return add_written(args, a, p, p->program, point, err);
    case COMMAND_ENV:
        add(args, ARG_TEXT, STR("/usr/bin/env"));
        return 0;
    case COMMAND_INTERPRETER:
        add(args, ARG_INTERPRETER, STR("python"));
        return 0;
    case COMMAND_ARGS_JSON_FILE:
        add(args, ARG_PARAMS_FILE, STR(""));
        return 0;
    default:
        add_args(args, p, a, part->kind, point);
        return 0;
    }
}

int plan_command(const struct plan *p, const struct value *point,
                 struct arena *a, const struct arg **argv, size_t *argc,
                 struct err *err)
{
    struct args args = {0};
    int rc = 0;

    for (size_t i = 0; i < p->command_count && rc == 0; i++)
        rc = add_part(&args, a, p, &p->command[i], point, err);
    for (size_t i = 0; i < args.list.len && rc == 0; i++)
        if (memchr(args.list.p[i].text.p, 0, args.list.p[i].text.len))
            rc = err_set(err, ERR_INPUT,
                         "command: a parameter's value holds "
                         "a NUL byte");
    if (rc == 0)
        keep_args(&args, a, argv, argc);
    vec_done(&args.list);
    return rc;
}
