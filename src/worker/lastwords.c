/* lastwords.c - what a worker leaves behind when its conductor is gone */
#include "worker/lastwords.h"

#include "worker/worker.h"

/* A greeting alone is worth no file. */
static bool any_of_task(struct str records)
{
    struct record r;
    size_t used;
    for (; records.len && record_parse(records, &r, &used, NULL) > 0;
         records = str_n(records.p + used, records.len - used))
        if (record_is_of_task(&r))
            return true;
    return false;
}

/* Where the study is now, if somebody has moved it. */
static const char *path_now(const struct worker *w, struct arena *a,
                            const char **root)
{
    size_t len = w->study.path ? strlen(w->study.path) : 0;
    *root = w->study.path;
    if (len == 0 || anchor_stands(&w->study) ||
        strncmp(w->last_words, w->study.path, len) != 0 ||
        w->last_words[len] != '/')
        return w->last_words;
    const char *now = anchor_now(&w->study, a);
    if (!now)
        return w->last_words;
    *root = now;
    return path_join(a, now, w->last_words + len + 1);
}

int lastwords_write(struct worker *w, struct err *err)
{
    struct str records = link_unacknowledged(&w->link);
    struct arena *a = w->environment.arena;
    const char *root;
    if (!w->link.keep || !any_of_task(records))
        return 0;
    const char *path = path_now(w, a, &root);
    if (dir_make_below(root, path_folder(a, path), err) != 0)
        return -1;
    return file_write(path, records, true, err);
}
