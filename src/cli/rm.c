/* rm.c - removing a study, or some of its trials */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "base/num.h"
#include "cli/change.h"
#include "study/study.h"
#include "view/view.h"

/* ---- asking ----------------------------------------------------------- */

static int confirm(struct call *c, const char *what)
{
    if (call_flag(c, "yes"))
        return 0;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return err_set(&c->err, ERR_USAGE,
                       "%s: nobody can be asked here; add -y to go on", what);
    char line[16] = "";
    say("%s? [y/N] ", what);
    fflush(stderr);
    if (!fgets(line, sizeof(line), stdin) || (*line != 'y' && *line != 'Y'))
        return err_set(&c->err, ERR_SYSTEM, "nothing was removed");
    return 0;
}

/* ---- a study ---------------------------------------------------------- */

static char *describe(struct call *c, struct store *store,
                      const struct place_of_study *where)
{
    struct counts counts = {0};
    struct buf b;
    buf_init(&b);
    if (store)
        store_counts(store, &counts, NULL);
    buf_addf(&b, "remove the study %s with ", where->name);
    if (store)
        buf_addf(&b, "%lld trial%s and ", (long long)counts.total,
                 counts.total == 1 ? "" : "s");
    num_print_bytes(&b, dir_bytes(where->folder));
    buf_addf(&b, " of files%s", store ? "" : " (its store is damaged)");
    char *text = arena_cstr(c->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* First out of sight in one step, so that a crash leaves no half a study. */
static int remove_folder(struct call *c, const struct place_of_study *where)
{
    char *all = path_folder(c->arena, where->folder);
    char *aside =
        path_join(c->arena, all,
                  arena_printf(c->arena, ".removed-%ld-%.*s", (long)getpid(),
                               STRF(path_name(where->folder))));
    if (rename(where->folder, aside))
        return err_errno(&c->err, "remove %s", where->folder);
    int rc = dir_remove(aside, &c->err);
    store_tidy_around(all);
    return rc;
}

static int remove_study(struct call *c, const struct place_of_study *where)
{
    struct study_hold h = {0};
    /* All stages of a campaign are held open at the same time. */
    process_allow_files(UINT64_MAX);
    int rc = study_hold(&h, where->folder, where->name, c->arena, &c->err);
    if (!rc)
        rc =
            confirm(c, describe(c, h.stores.len ? h.stores.p[0] : NULL, where));
    if (!rc)
        rc = remove_folder(c, where);
    study_let_go(&h);
    if (!rc)
        say("throng rm: removed the study %s\n", where->name);
    return rc;
}

/* ---- trials ----------------------------------------------------------- */

static int remove_trials(struct call *c, const struct place_of_study *where,
                         int64_t count)
{
    int64_t removed = 0;
    struct store *store = store_open(where->folder, true, &c->err);
    if (!store)
        return -1;
    int rc = study_take(store, where->name, &c->err);
    if (!rc)
        rc = confirm(c, arena_printf(c->arena,
                                     "remove %lld trial%s of the study %s",
                                     (long long)count, count == 1 ? "" : "s",
                                     where->name));
    if (!rc)
        rc = study_remove(store, c->args[0], &removed, &c->err);
    store_close(store);
    if (!rc)
        say("throng rm: removed %lld trial%s of the study %s\n",
            (long long)removed, removed == 1 ? "" : "s", where->name);
    return rc;
}

/* ---- the verb --------------------------------------------------------- */

/* One argument that is no selector, or that names a study, is a study. */
static bool means_study(struct call *c)
{
    return c->arg_count == 1 &&
           (names_study(c->args[0]) || store_selector_check(c->args[0], NULL));
}

static int run(struct call *c)
{
    struct place_of_study where;
    int64_t count;
    int rc;
    if (!c->arg_count)
        return call_usage(c, "name a study, or trials");
    if (c->arg_count > 1 && names_study(c->args[0]) &&
        names_study(c->args[1]) && store_selector_check(c->args[1], NULL))
        return call_usage(c, "`%s` is a study too: remove one at a time",
                          c->args[1]);
    if (means_study(c)) {
        rc = locate_study(c->arena, c->args[0], &where, &c->err);
        if (!rc)
            rc = remove_study(c, &where);
    } else {
        struct store *store = open_for_trials(c, &where, &count);
        store_close(store);
        rc = store ? remove_trials(c, &where, count) : -1;
    }
    return rc ? call_fail(c) : EXIT_OK;
}

VERB(rm) = {
    .name = "rm",
    .args = "STUDY | [STUDY] TRIALS",
    .summary = "Remove a study, or some of its trials, with their files",
    .text = "Asks before it does, and refuses where nobody can be asked "
            "unless -y is given. A\nstudy that runs is never touched. The "
            "study file stays. Numbers of removed\ntrials are not used "
            "again.\n\n    throng rm mine\n    throng rm mine failed\n",
    .options = (const struct option_spec[]){{"yes", 'y', NULL, "do not ask"},
                                            {0}},
    .run = run,
};
