/* asking.c - what a scheduler was asked, and has not answered yet */
#include "engine/asking.h"

#define SHOWN_MAX 300

static void asking_free(struct asking *a)
{
    if (a->forget)
        a->forget(a);
    arena_free(a->arena);
    free(a);
}

void askings_close(struct askings *all)
{
    commands_free(all->commands);
    for (size_t i = 0; i < all->open.len; i++)
        asking_free(all->open.p[i]);
    vec_done(&all->open);
}

void askings_run(struct askings *all, const char *const *argv, command_fn *fn,
                 void *context)
{
    (all->waits ? commands_wait : commands_add)(all->commands, argv, fn,
                                                context);
}

void *asking_new(struct askings *all, size_t size, void *context)
{
    struct asking *a = xcalloc(1, size);
    a->all = all;
    a->context = context;
    a->arena = arena_new();
    vec_push(&all->open, a);
    return a;
}

void asking_done(struct asking *a)
{
    struct askings *all = a->all;
    size_t kept = 0;
    for (size_t i = 0; i < all->open.len; i++)
        if (all->open.p[i] != a)
            all->open.p[kept++] = all->open.p[i];
    all->open.len = kept;
    asking_free(a);
}

void asking_answer(struct asking *a, const struct job_receipt *r)
{
    a->receipt(a->context, r);
    asking_done(a);
}

int asking_unheard(const struct command_end *end, const char *command,
                   struct err *err)
{
    size_t len = end->printed.len > SHOWN_MAX ? SHOWN_MAX : end->printed.len;
    return err_set(err, ERR_SYSTEM,
                   "%s did not tell the number of the job: %.*s", command,
                   (int)len, end->printed.p);
}
