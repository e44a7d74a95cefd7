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

int lastwords_write(struct worker *w, struct err *err)
{
    struct str records = link_unacknowledged(&w->link);
    const char *folder = path_folder(w->environment.arena, w->last_words);
    if (!w->link.keep || !any_of_task(records))
        return 0;
    if (dir_make(folder, err) != 0)
        return -1;
    return file_write(w->last_words, records, true, err);
}
