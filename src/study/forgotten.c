/* forgotten.c - folders of trials that the store knows nothing of
 *
 * A power cut takes back what was committed in the last second: the beginning
 * of a trial's first attempt, or the trial itself. What its task wrote may be
 * on the disk already, and the next trial of that number, which may have
 * another point, must not go on from there. So such folders are set aside
 * under another name before anything starts. */
#include <errno.h>
#include <stdio.h>
#include "base/num.h"
#include "study/conductor.h"

#define NAMES_MAX 1000 /* of one trial's forgotten folders */

struct looking {
    struct study *study;
    struct arena *arena;
    int64_t count;
};

static int set_aside(struct looking *x, int64_t trial, struct err *err)
{
    char *from =
        store_attempt_folder(x->study->setup.folder, trial, 0, x->arena);
    if (!file_exists(from))
        return 0;
    for (int i = 1; i < NAMES_MAX; i++) {
        const char *to = arena_printf(x->arena, "%s.forgotten-%d", from, i);
        if (rename(from, to) == 0) {
            x->count++;
            return 0;
        }
        if (errno != EEXIST && errno != ENOTEMPTY)
            break;
    }
    return err_errno(err, "rename %s, which no trial left that the store knows",
                     from);
}

/* Trials that have never been tried. */
static int look_at_lives(struct looking *x, struct err *err)
{
    uint64_t id;
    void *at;
    int rc = 0;
    for (size_t i = 0; !rc && idmap_next(x->study->run.lives, &i, &id, &at);) {
        const struct live *l = at;
        if (!l->t.attempts)
            rc = set_aside(x, l->t.id, err);
        arena_reset(x->arena);
    }
    return rc;
}

/* Numbers that no trial has had. */
static int look_in(struct looking *x, const char *folder, struct err *err)
{
    struct arena *a = arena_new();
    const char **names = dir_list(folder, a, err);
    int rc = names ? 0 : -1;
    for (; !rc && *names; names++) {
        int64_t id;
        arena_reset(x->arena);
        if (num_int(str_of(*names), &id) && id >= x->study->run.next_id)
            rc = set_aside(x, id, err);
    }
    arena_free(a);
    return rc;
}

static int look_at_folders(struct looking *x, struct err *err)
{
    struct arena *a = arena_new();
    const char *trials = path_join(a, x->study->setup.folder, "trials");
    const char **names = file_exists(trials) ? dir_list(trials, a, err) : NULL;
    int rc = !names && file_exists(trials) ? -1 : 0;
    for (; !rc && names && *names; names++) {
        const char *folder = path_join(a, trials, *names);
        if (file_is_dir(folder))
            rc = look_in(x, folder, err);
    }
    arena_free(a);
    return rc;
}

int study_forgotten(struct study *s, struct err *err)
{
    struct looking x = {.study = s, .arena = arena_new()};
    int rc = 0;
    if (s->created || store_lease_predecessor(s->store) != PREDECESSOR_NONE)
        rc = look_at_lives(&x, err) || look_at_folders(&x, err) ? -1 : 0;
    if (x.count)
        log_to(s->setup.log, LOG_NOTICE,
               "%lld folder%s of trials that the store does not know (the "
               "machine may have lost its power) %s kept below %s/trials as "
               "*.forgotten-*",
               (long long)x.count, x.count == 1 ? "" : "s",
               x.count == 1 ? "is" : "are", s->setup.folder);
    arena_free(x.arena);
    return rc;
}
