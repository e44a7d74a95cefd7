/* model_file.c - model files on the command line */
#include "cli/model_file.h"

#include "study/study.h"

struct value *model_file_load(struct call *c, const char *file,
                              const char *const *words)
{
    struct problems problems;
    problems_init(&problems, c->arena);
    struct value *model = model_file_read(file, words, c->verb == &verb_model,
                                          c->arena, &problems, &c->err);
    say_problems(&problems);
    return model;
}

void model_file_fault(const struct value *model, const char *file,
                      struct str path, struct str text)
{
    const struct value *v = value_along(model, path);
    if (v && v->line)
        say("%s:%u:%u: error: %.*s\n", file, (unsigned)v->line,
            (unsigned)v->column, STRF(text));
    else
        say("%s: error: %.*s\n", file, STRF(text));
}

void model_file_problems(const struct value *model, const char *file,
                         const struct problems *problems)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < problems->list.len; i++) {
        buf_reset(&b);
        problem_print(&b, &problems->list.p[i]);
        model_file_fault(model, file, problems->list.p[i].path, buf_str(&b));
    }
    buf_done(&b);
}
