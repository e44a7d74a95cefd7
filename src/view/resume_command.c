/* resume_command.c - the command that goes on with a study */
#include "view/view.h"

#include <unistd.h>
#include "base/json.h"
#include "terms/place.h"

#define STUDY_FILE_MAX (64u << 20)

void command_add_word(struct buf *b, const char *before, struct str word)
{
    struct arg arg = {ARG_TEXT, word};
    buf_adds(b, before);
    plan_print_command(b, NULL, &arg, 1, false);
}

/* The path as seen from the current folder, when it is below that. */
static const char *seen_from_here(const char *path)
{
    char here[4096];
    if (!getcwd(here, sizeof(here)))
        return path;
    size_t len = strlen(here);
    bool below = strncmp(path, here, len) == 0 && path[len] == '/';
    return below ? path + len + 1 : path;
}

/* What the file alone says; NULL: it cannot be read. */
static struct plan *read_alone(struct arena *a, const char *path,
                               const char *home)
{
    struct plan_reader reader = study_reader(a, home);
    struct problems problems;
    struct plan *p = NULL;
    struct buf text;
    buf_init(&text);
    problems_init(&problems, a);
    if (!file_read(path, STUDY_FILE_MAX, &text, NULL))
        p = plan_read(arena_str(a, buf_str(&text)), path, &reader, a,
                      &problems);
    buf_done(&text);
    return p;
}

/* Where the study ran last, and whose settings it had. */
struct ran {
    const char *place;
    struct str profile; /* empty: none was named */
};

/* … in words, if the file alone would run it elsewhere and one of the two is a
 * cluster. */
static void add_place(struct buf *b, const struct plan *p,
                      const struct ran *ran)
{
    const char *place = ran->place;
    bool same =
        str_is(p->site.engine, place) && str_eq(p->profile, ran->profile);
    if (same || (!study_place_outlives(place) && place_is_here(p->site.engine)))
        return;
    if (ran->profile.len && !str_eq(p->profile, ran->profile))
        command_add_word(b, " --profile ", ran->profile);
    else if (!str_is(p->site.engine, place))
        command_add_word(b, " --engine ", str_of(place));
}

static void add_fixed(struct buf *b, struct str fixed, struct arena *a)
{
    struct value *v =
        fixed.len ? json_parse(a, fixed, "fixed", true, NULL) : NULL;
    for (size_t i = 0; v && v->kind == VALUE_OBJECT && i < v->count; i++) {
        struct buf word;
        buf_init(&word);
        buf_addf(&word, "%.*s=", STRF(v->keys[i]));
        if (v->items[i]->kind == VALUE_STRING)
            buf_addstr(&word, v->items[i]->s);
        else
            json_print(&word, v->items[i]);
        command_add_word(b, " --fix ", buf_str(&word));
        buf_done(&word);
    }
}

const char *resume_command(struct arena *a, const struct place_of_study *where)
{
    struct str file = {0}, fixed = {0};
    struct buf b;
    struct ran ran = {.place = PLACE_HERE};
    struct store *store = store_open(where->folder, false, NULL);
    if (!store || store_fact(store, "file", a, &file, NULL) ||
        store_fact(store, "fixed", a, &fixed, NULL) || !file.len) {
        store_close(store);
        return "throng run STUDY.yaml";
    }
    ran.place = study_place(store, a);
    ran.profile = study_profile(store, a);
    store_close(store);
    char *name = arena_cstr(a, path_name(arena_cstr(a, file)));
    char *path = path_join(a, where->home, name);
    buf_init(&b);
    command_add_word(&b, "throng run ", str_of(seen_from_here(path)));
    struct plan *alone = read_alone(a, path, where->home);
    if (alone && !str_is(alone->name, where->name))
        command_add_word(&b, " --new ", str_of(where->name));
    if (alone)
        add_place(&b, alone, &ran);
    plan_close(alone);
    add_fixed(&b, fixed, a);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}
