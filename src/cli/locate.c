/* locate.c - the study that a command line names, and which trials of it */
#include "cli/cli.h"
#include "study/study.h"
#include "view/view.h"

#define STAGES_SHOWN 8

/* A word that is neither a study nor a selector: which of them it was meant
 * to be. */
static bool meant_trials(struct arena *a, const char *word, const char *fault)
{
    struct err not_study = {0};
    struct place_of_study where;
    if ((*word >= '0' && *word <= '9') || strpbrk(word, ",:"))
        return true;
    return strstr(fault, "did you mean") &&
           locate_study(a, word, &where, &not_study) &&
           !strstr(not_study.text, "did you mean");
}

/* All arguments from this one on are selectors. */
static bool all_select(const struct call *c, size_t from)
{
    for (size_t i = from; i < c->arg_count; i++)
        if (store_selector_check(c->args[i], NULL))
            return false;
    return true;
}

/* Of the arguments from this one on, one is wanted. */
static int too_many(struct call *c, size_t from)
{
    struct buf b;
    if (!all_select(c, from))
        return err_set(&c->err, ERR_USAGE, "`%s` is one argument too many",
                       c->args[from + 1]);
    buf_init(&b);
    for (size_t i = from; i < c->arg_count; i++)
        buf_addf(&b, "%s%s", i > from ? "," : "", c->args[i]);
    err_set(&c->err, ERR_USAGE,
            "`%s` is one argument too many; several trials are one word: "
            "%.500s",
            c->args[from + 1], b.p);
    buf_done(&b);
    return -1;
}

/* Which of the arguments is the study. */
static int take_study(struct call *c, bool trials, const char **what)
{
    struct err not_trials = {0};
    *what = NULL;
    if (!c->arg_count)
        return 0;
    const char *first = c->args[0];
    if (trials && c->arg_count > 1 && !names_study(first) && all_select(c, 0))
        return too_many(c, 0);
    bool study = !trials || c->arg_count > 1 || names_study(first);
    if (!study && store_selector_check(first, &not_trials)) {
        if (meant_trials(c->arena, first, not_trials.text))
            return err_set(&c->err, ERR_USAGE, "%s", not_trials.text);
        study = true;
    }
    if (study) {
        *what = first;
        c->args++;
        c->arg_count--;
    }
    return 0;
}

void say_study_used_last(const struct call *c,
                         const struct place_of_study *where)
{
    struct arena *a = arena_new();
    const char **names = c->terminal ? dir_list(".throng", a, NULL) : NULL;
    size_t count = 0;
    for (; names && *names; names++)
        count += is_study_folder(a, path_join(a, ".throng", *names));
    if (count > 1)
        say("throng: study %s, the one used last of %zu\n", where->name, count);
    arena_free(a);
}

/* A campaign has no trials of its own: its stages have. */
static int refuse_campaign(struct call *c, struct store *store,
                           const struct place_of_study *where)
{
    struct stage_told *list;
    size_t count = 0;
    bool whole = c->verb == &verb_status || c->verb == &verb_stop ||
                 c->verb == &verb_kill;
    if (whole || !store_is_campaign(store) ||
        campaign_told(store, c->arena, &list, &count, NULL))
        return 0;
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < count && i < STAGES_SHOWN; i++)
        buf_addf(&b, "%s%s/%.*s", i ? ", " : "", where->name,
                 STRF(list[i].name));
    err_set(&c->err, ERR_INPUT,
            "%s is a campaign: name one of its stages, %s%s", where->name, b.p,
            count > STAGES_SHOWN ? " …" : "");
    buf_done(&b);
    return -1;
}

struct store *open_named_study(struct call *c, bool trials,
                               struct place_of_study *where)
{
    const char *what;
    if (take_study(c, trials, &what))
        return NULL;
    if (trials && c->arg_count > 1) {
        too_many(c, 0);
        return NULL;
    }
    if (!trials && c->arg_count) {
        err_set(&c->err, ERR_USAGE, "`%s` is one argument too many",
                c->args[0]);
        return NULL;
    }
    if (c->arg_count && store_selector_check(c->args[0], &c->err))
        return NULL;
    if (locate_study(c->arena, what, where, &c->err))
        return NULL;
    if (!what)
        say_study_used_last(c, where);
    struct store *store = store_open(where->folder, false, &c->err);
    c->as_of = store ? store_as_of(store) : 0;
    say_age(c->as_of);
    if (store && refuse_campaign(c, store, where)) {
        store_close(store);
        return NULL;
    }
    return store;
}
