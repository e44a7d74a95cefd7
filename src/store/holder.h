/* holder.h - does the holder of a lease live? For the files of this folder */
#ifndef THRONG_STORE_HOLDER_H
#define THRONG_STORE_HOLDER_H

#include "store/db.h"

enum holder {
    HOLDER_NONE,   /* the lease is free */
    HOLDER_LIVES,  /* proven */
    HOLDER_GONE,   /* proven */
    HOLDER_UNSEEN, /* nothing that can be seen from here proves either */
};

/* What a judge can see from where it stands. */
struct holder_view {
    const char *host, *boot_id;
    uint64_t pid_space; /* 0: unknown */
    bool network;       /* the file system is one of several machines */
    bool process_alive; /* its pid and start time, if they mean anything */
    enum { LOCK_UNKNOWN, LOCK_HELD, LOCK_FREE } lock;
};
enum holder holder_judge(const struct lease *l, const struct holder_view *v);
/* The same from here and now. */
enum holder holder_look(const struct store *s, const struct lease *l);

/* Watching one that cannot be seen. It touches its lease every 10 s, so one
 * that has not done so for a minute of the watcher's own clock is presumed
 * dead. What either clock says is never compared. */
struct holder_watch {
    bool begun;
    int64_t since_ns;
    struct lease first; /* as seen first */
};
enum holder_seen { SEEN_NOTHING_YET, SEEN_TOUCH, SEEN_SILENCE };
enum holder_seen holder_see(struct holder_watch *w, const struct lease *l,
                            int64_t now_ns);

/* Watches a holder that cannot be seen until it is known what it is. 0: it is
 * no hindrance, as far as was seen (s->silent says which lease was found
 * silent); -1 and ERR_BUSY naming it: it lives. */
typedef int holder_read_fn(struct store *s, struct lease *l, struct err *err);
int holder_wait(struct store *s, holder_read_fn *read, struct err *err);
/* True when the watch found this very lease silent. */
bool holder_is_silent(const struct store *s, const struct lease *l);

/* The lock of a holder on lease.lock, which ends with its process. Tries to
 * take it; the number of the locked file, or 0: there is none to be had. */
uint64_t holder_lock(struct store *s);
void holder_unlock(struct store *s);

#endif
