/* model_file.c - model files on the command line */
#include "cli/model_file.h"

#include <stdio.h>

#include "base/num.h"
#include "cli/fix.h"
#include "plan/plan.h"

#define MODEL_MAX ((size_t)64 << 20)

static struct value *read_yaml(struct call *c, const char *file)
{
    struct problems problems;
    struct buf text, said;
    buf_init(&text);
    if (file_read(file, MODEL_MAX, &text, &c->err)) {
        buf_done(&text);
        return NULL;
    }
    problems_init(&problems, c->arena);
    struct str kept = arena_str(c->arena, buf_str(&text));
    buf_done(&text);
    struct value *root = plan_yaml(kept, file, c->arena, &problems);
    if (root && root->kind == VALUE_OBJECT && !problems.errors)
        return root;
    buf_init(&said);
    problems_print(&said, &problems);
    fputs(said.p, stderr);
    buf_done(&said);
    err_set(&c->err, ERR_INPUT, "%s is no model file", file);
    return NULL;
}

static int read_words(struct call *c, const char *const *words,
                      struct value *point)
{
    for (size_t i = 0; words[i]; i++) {
        struct value *one = parse_assignments(words[i], c->arena, &c->err);
        if (!one)
            return -1;
        for (size_t k = 0; k < one->count; k++)
            value_set(c->arena, point, one->keys[k], one->items[k]);
    }
    return 0;
}

struct value *model_file_read(struct call *c, const char *file,
                              const char *const *words)
{
    struct value *root = read_yaml(c, file);
    struct value *point = value_object(c->arena);
    if (!root || read_words(c, words, point))
        return NULL;
    struct value *model = plan_fill(root, point, c->arena, &c->err);
    if (!model) {
        err_wrap(&c->err, "%s", file);
        c->err.kind = ERR_USAGE;
    }
    return model;
}

const struct value *model_file_at(const struct value *v, struct str path)
{
    while (path.len && v) {
        size_t n = 0;
        const struct value *next = NULL;
        if (path.p[0] == '[') {
            int64_t i;
            while (n < path.len && path.p[n] != ']')
                n++;
            if (!num_int(str_n(path.p + 1, n - 1), &i) || i < 0)
                return v;
            next = value_at(v, (size_t)i);
            n += n < path.len;
        } else {
            while (n < path.len && path.p[n] != '.' && path.p[n] != '[')
                n++;
            next = value_get(v, str_n(path.p, n));
        }
        if (!next)
            return v;
        v = next;
        n += n < path.len && path.p[n] == '.';
        path = str_n(path.p + n, path.len - n);
    }
    return v;
}

void model_file_faults(const struct value *model, const char *file,
                       struct str faults)
{
    while (faults.len) {
        const char *end = memchr(faults.p, '\n', faults.len);
        size_t n = end ? (size_t)(end - faults.p) : faults.len;
        struct str one = str_n(faults.p, n);
        long space = str_find(one, ' ');
        const struct value *v =
            model_file_at(model, str_n(one.p, space < 0 ? 0 : (size_t)space));
        if (v && v->line)
            fprintf(stderr, "%s:%u:%u: error: %.*s\n", file, (unsigned)v->line,
                    (unsigned)v->column, STRF(one));
        else
            fprintf(stderr, "%s: error: %.*s\n", file, STRF(one));
        n += end ? 1 : 0;
        faults = str_n(faults.p + n, faults.len - n);
    }
}
