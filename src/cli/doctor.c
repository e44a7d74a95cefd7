/* doctor.c - what is here, and what is missing */
#include "cli/cli.h"

/* SQLite reads the whole file for this. */
static int look_at_study(struct call *c, struct health *h)
{
    struct place_of_study where;
    bool replay = call_flag(c, "replay");
    if (!c->arg_count && replay)
        return err_set(&c->err, ERR_INPUT,
                       "--replay needs a study: throng doctor STUDY --replay");
    if (!c->arg_count)
        return 0;
    struct store *store = open_named_study(c, false, &where);
    if (!store && c->err.kind != ERR_CORRUPT)
        return -1;
    if (!store)
        health_found(h, "study", false,
                     arena_cstr(c->arena, str_of(c->err.text)));
    else if (health_look_at_store(h, store, where.folder) && replay)
        health_look_at_replay(h, store, &where);
    store_close(store);
    return 0;
}

static int run(struct call *c)
{
    struct health h = {.arena = c->arena};
    struct buf b;
    health_look(&h);
    int rc = look_at_study(c, &h);
    buf_init(&b);
    if (!rc)
        (call_flag(c, "json") ? health_json : health_print)(&b, &h);
    put(buf_str(&b));
    buf_done(&b);
    int code = rc ? call_fail(c) : health_is_good(&h) ? EXIT_OK : EXIT_ERROR;
    vec_done(&h.list);
    return code;
}

VERB(doctor) = {
    .name = "doctor",
    .args = "[STUDY]",
    .summary = "Say what this machine has and what is missing",
    .text = "`ok`: it is here. `--`: it is not, and only some studies need "
            "it. `BAD`: studies\ncannot run until it is mended; the exit code "
            "is 1. With STUDY its store is\nchecked too, all of it; with "
            "--replay its method is asked again for every\ntrial, told in "
            "between what it was told then: the points must be the same.\n",
    .options =
        (const struct option_spec[]){
            {"replay", 0, NULL, "does the method suggest the same again?"},
            {"json", 0, NULL, "for programs: schema throng.doctor/1"},
            {0}},
    .run = run,
};
