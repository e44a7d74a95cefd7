/* lastwords.c - what a worker leaves behind when its conductor is gone */
#include "worker/lastwords.h"

#include "worker/worker.h"

int lastwords_write(struct worker *w, struct err *err)
{
    struct str records = link_unacknowledged(&w->link);
    const char *folder = path_folder(w->environment.arena, w->last_words);
    if (!w->link.keep || records.len == 0)
        return 0;
    if (dir_make(folder, err) != 0)
        return -1;
    return file_write(w->last_words, records, true, err);
}
