/* about.c - what a task says of itself: tags, a note, values
 *
 * It comes as a line of the metrics file, perhaps more than once: each
 * attempt says it again, and a file may be read twice. So tags add up as a
 * set, a value replaces the one of the same name, and a note is taken only
 * where there is none: what a person wrote stays. What cannot be taken is
 * said, and ends nothing. */
#include <stdlib.h>
#include "base/json.h"
#include "study/run.h"
#include "study/study.h"

#define TAGS_MAX 100
#define VALUES_MAX 65536 /* bytes of all values of a trial */

static void say_left_out(struct run *r, const struct live *l, const char *what,
                         const char *why)
{
    log_to(r->log, LOG_NOTICE, "trial %lld: %s of its task left out: %s",
           (long long)l->t.id, what, why);
}

static int take_tags(struct run *r, struct live *l, const struct value *tags,
                     struct err *err)
{
    if (!tags || tags->kind != VALUE_LIST)
        return 0;
    for (size_t i = 0; i < tags->count; i++) {
        struct str tag = value_text(tags->items[i]);
        const char *fault =
            i < TAGS_MAX ? study_tag_fault(tag) : "is one of more than 100";
        if (fault)
            say_left_out(r, l, "a tag", arena_printf(r->arena, "it %s", fault));
        else if (store_trial_tag(r->store, l->t.id, tag, true, err))
            return -1;
        if (i >= TAGS_MAX)
            break;
    }
    return 0;
}

static int take_note(struct run *r, struct live *l, const struct trial *known,
                     const struct value *note, struct err *err)
{
    struct str text = value_text(note);
    if (!text.len || known->note.len)
        return 0;
    if (text.len <= STUDY_NOTE_MAX)
        return store_trial_note(r->store, l->t.id, text, err);
    say_left_out(r, l, "a note", "it is longer than 10000 bytes");
    return 0;
}

/* What waits for the disk is not in the store, so it is kept here. */
static int write_values(struct run *r, struct live *l, struct buf *all,
                        struct err *err)
{
    if (store_trial_about(r->store, l->t.id, buf_str(all), err))
        return -1;
    free(l->about);
    l->about = store_waits(r->store) ? buf_take(all) : NULL;
    return 0;
}

static int take_values(struct run *r, struct live *l, const struct trial *known,
                       const struct value *values, struct err *err)
{
    struct arena *a = r->arena;
    if (!values || values->kind != VALUE_OBJECT || !values->count)
        return 0;
    struct value *all =
        known->about.len ? json_parse(a, known->about, "", false, NULL) : NULL;
    if (!all)
        all = value_object(a);
    for (size_t i = 0; i < values->count; i++)
        value_set(a, all, values->keys[i], values->items[i]);
    struct buf b;
    buf_init(&b);
    json_print(&b, all);
    int rc = 0;
    if (b.len > VALUES_MAX)
        say_left_out(r, l, "values", "they are more than 64 KiB");
    else if (!str_eq(buf_str(&b), known->about))
        rc = write_values(r, l, &b, err);
    buf_done(&b);
    return rc;
}

int attempt_about(struct run *r, struct live *l, struct str line,
                  struct err *err)
{
    struct err why = {0};
    struct trial known;
    const struct value *root =
        str_utf8(line) ? json_parse(r->arena, line, "the line", false, &why)
                       : NULL;
    const struct value *said = value_get(root, STR("throng"));
    if (!said || said->kind != VALUE_OBJECT) {
        say_left_out(r, l, "a line", *why.text ? why.text : "it is no object");
        return 0;
    }
    if (store_trial(r->store, l->t.id, r->arena, &known, err))
        return -1;
    if (l->about)
        known.about = arena_str(r->arena, str_of(l->about));
    if (take_tags(r, l, value_get(said, STR("tags")), err) ||
        take_note(r, l, &known, value_get(said, STR("note")), err))
        return -1;
    return take_values(r, l, &known, value_get(said, STR("values")), err);
}
