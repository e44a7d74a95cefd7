/* stage_run.c - a run that is a stage of a campaign
 *
 * The campaign's conductor has written the stage's study down, with all that
 * it has of earlier stages filled in. */
#include "cli/campaign.h"

#include <string.h>

/* Where the campaign of this file is kept, by the name that it says. */
static const char *campaign_folder(struct call *c, const char *file)
{
    struct arena *a = c->arena;
    struct place_of_study where;
    char *home = path_folder(a, path_absolute(a, file));
    if (!locate_study(a, file, &where, NULL))
        return where.folder;
    return path_join(a, path_join(a, home, ".throng"),
                     arena_cstr(a, path_stem(file)));
}

static int read_study(struct call *c, const char *folder, const char *stage,
                      struct str *text, struct stage_room *room)
{
    struct store *store = store_open(folder, false, &c->err);
    if (!store)
        return -1;
    int rc = campaign_stage_study(store, stage, c->arena, text, room, &c->err);
    store_close(store);
    return rc;
}

struct plan *load_stage(struct call *c, const char *file, const char *stage,
                        struct study_setup *setup)
{
    struct arena *a = c->arena;
    const char *folder = campaign_folder(c, file);
    struct problems problems;
    struct str text;
    struct stage_room room = {0};
    setup->home = path_folder(a, path_absolute(a, file));
    setup->folder = path_join(a, folder, stage);
    if (read_study(c, folder, stage, &text, &room))
        return NULL;
    struct plan_reader reader = run_reader(c, setup->home);
    reader.folder = setup->folder;
    problems_init(&problems, a);
    struct plan *p = plan_read(text, file, &reader, a, &problems);
    if (problems.errors)
        say_problems(&problems);
    if (!p) {
        err_set(&c->err, ERR_INPUT, "the study of stage %s has %zu mistake%s",
                stage, problems.errors, problems.errors == 1 ? "" : "s");
        return NULL;
    }
    p->name =
        str_of(arena_printf(a, "%.*s/%s", STRF(path_name(folder)), stage));
    if (room.parallel && (!p->parallel || room.parallel < p->parallel))
        p->parallel = room.parallel;
    setup->at_once = room.share;
    return p;
}
