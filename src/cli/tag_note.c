/* tag_note.c - tag and note: what people write beside trials */
#include <stdio.h>
#include "cli/change.h"

/* Takes the last argument off. */
static const char *take_last(struct call *c)
{
    const char *last = c->args[--c->arg_count];
    c->args[c->arg_count] = NULL;
    return last;
}

/* Only a study and one more word: the trials or the text were forgotten. */
static bool lacks_trials(const struct call *c)
{
    return c->arg_count == 2 && names_study(c->args[0]) &&
           store_selector_check(c->args[0], NULL);
}

static int change(struct call *c, const char *verb, const struct value *args,
                  const char *what)
{
    struct place_of_study where;
    struct request_answer answer;
    int64_t count;
    struct store *store = open_for_trials(c, &where, &count);
    if (!store)
        return call_fail(c);
    store_close(store);
    enum acted acted = act(c, &where, verb, c->args[0], args, &answer);
    if (acted == ACT_FAILED)
        return call_fail(c);
    if (acted != ACT_ASKED)
        count = answer.changed;
    say("throng %s: %s %lld trial%s%s\n", verb, what, (long long)count,
        count == 1 ? "" : "s", acted == ACT_ASKED ? "; " ACT_NO_ANSWER : "");
    return EXIT_OK;
}

static int no_such_tag(struct call *c, struct store *store, const char *tag)
{
    const char **tags = store_tags(store, c->arena, NULL);
    const char *near = tags ? str_nearest(str_of(tag), tags) : NULL;
    return err_set(&c->err, ERR_MISSING,
                   "none of these trials has the tag `%s`%s%s%s", tag,
                   near ? "; did you mean `" : "", near ? near : "",
                   near ? "`?" : "");
}

/* A tag to be taken off must be there; it may come while we look. */
static int check_tagged(struct call *c, const char *tag)
{
    struct call copy = *c;
    struct place_of_study where;
    struct trial t;
    int64_t count, tagged = 0;
    struct query q = {.with_texts = true};
    struct store *store = open_for_trials(&copy, &where, &count);
    c->err = copy.err;
    if (!store)
        return -1;
    q.selector = copy.args[0];
    struct rows *rows = store_rows(store, &q, &c->err);
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, &c->err)) > 0)
        for (size_t i = 0; i < t.tag_count; i++)
            tagged += str_is(t.tags[i], tag);
    rows_close(rows);
    if (!got && !tagged)
        got = no_such_tag(c, store, tag);
    store_close(store);
    return got;
}

static int run_tag(struct call *c)
{
    if (c->arg_count < 2)
        return call_usage(c, "say which trials, and the tag");
    if (lacks_trials(c))
        return call_usage(c,
                          "`%s` is a study: say which of its trials, and "
                          "the tag",
                          c->args[0]);
    const char *tag = take_last(c), *fault = study_tag_fault(str_of(tag));
    if (fault)
        return call_usage(c, "the tag `%s` %s", tag, fault);
    bool off = call_flag(c, "remove");
    if (off && check_tagged(c, tag))
        return call_fail(c);
    struct value *args = value_object(c->arena);
    value_set(c->arena, args, STR("tag"), value_string(c->arena, str_of(tag)));
    value_set(c->arena, args, STR("remove"), value_bool(c->arena, off));
    return change(c, "tag", args, off ? "removed from" : "put on");
}

VERB(tag) = {
    .name = "tag",
    .args = "[STUDY] TRIALS TAG",
    .summary = "Put a tag on trials, to name them by",
    .text = "`tag:TAG` then names them wherever trials are named, and a "
            "filter can ask for\nthem.\n\n    throng tag best:5 paper\n    "
            "throng export --csv tag:paper\n",
    .options = (const struct option_spec[]){{"remove", 'r', NULL,
                                             "take the tag off again"},
                                            {0}},
    .run = run_tag,
};

static int run_note(struct call *c)
{
    if (c->arg_count < 2)
        return call_usage(c, "say which trials, and the note");
    if (lacks_trials(c))
        return call_usage(c,
                          "`%s` is a study: say which of its trials, and "
                          "the note",
                          c->args[0]);
    const char *text = take_last(c);
    if (strlen(text) > STUDY_NOTE_MAX || !str_utf8(str_of(text)))
        return call_usage(c, "a note is UTF-8 text of at most %d bytes",
                          STUDY_NOTE_MAX);
    struct value *args = value_object(c->arena);
    value_set(c->arena, args, STR("text"),
              value_string(c->arena, str_of(text)));
    return change(c, "note", args, *text ? "written on" : "removed from");
}

VERB(note) = {
    .name = "note",
    .args = "[STUDY] TRIALS TEXT",
    .summary = "Write a note on trials",
    .text = "`throng show` prints it; an empty TEXT removes it.\n\n    throng "
            "note 7 'loss spike at step 300: bad shard?'\n",
    .options = (const struct option_spec[]){{0}},
    .run = run_note,
};
