/* resume_command.c - the command that goes on with a study */
#include "view/view.h"

#include <unistd.h>
#include "base/json.h"

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

/* True when the file alone would name another study than this one. */
static bool named_otherwise(struct arena *a, const char *path,
                            const struct place_of_study *where)
{
    struct plan_reader reader = study_reader(a, where->home);
    struct problems problems;
    struct plan *p = NULL;
    struct buf text;
    buf_init(&text);
    problems_init(&problems, a);
    if (!file_read(path, STUDY_FILE_MAX, &text, NULL))
        p = plan_read(buf_str(&text), path, &reader, a, &problems);
    bool other = p && !str_is(p->name, where->name);
    plan_close(p);
    buf_done(&text);
    return other;
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
    struct store *store = store_open(where->folder, false, NULL);
    if (!store || store_fact(store, "file", a, &file, NULL) ||
        store_fact(store, "fixed", a, &fixed, NULL) || !file.len) {
        store_close(store);
        return "throng run STUDY.yaml";
    }
    store_close(store);
    char *name = arena_cstr(a, path_name(arena_cstr(a, file)));
    char *path = path_join(a, where->home, name);
    buf_init(&b);
    command_add_word(&b, "throng run ", str_of(seen_from_here(path)));
    if (named_otherwise(a, path, where))
        command_add_word(&b, " --new ", str_of(where->name));
    add_fixed(&b, fixed, a);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}
