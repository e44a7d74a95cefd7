/* db.h - the open file behind a store, for the files of this folder
 *
 * A statement is known by the address of its text: db_stmt prepares it at
 * first use and keeps it. Statements are always left reset, so that no read
 * lock outlives the call that took it. */
#ifndef THRONG_STORE_DB_H
#define THRONG_STORE_DB_H

#include <sqlite3.h>
#include "base/map.h"
#include "store/store.h"

#define DB_APPLICATION 0x7468726e /* "thrn" in the file's header */
#define DB_BUSY_MS 5000
#define DB_NETWORK_BUSY_MS 1000 /* a holder there keeps its lock anyway */
#define DB_STATE_FINAL 3        /* states from here on are final */

struct metrics; /* points on their way into rows; metrics.c */
struct stowed;  /* files on their way into packs; stowed.c */

/* What a watcher's time is measured with. */
struct holder_clock {
    int64_t (*now_ns)(void);
    void (*pause_ms)(unsigned ms);
};
extern const struct holder_clock holder_clock;

/* A change that no commit has in the file yet. */
struct redo {
    int (*apply)(struct store *s, const void *what, struct err *err);
    const void *what;
};

struct store {
    sqlite3 *db;
    char *folder;
    char *path; /* of the file that is open */
    bool write;
    bool network;              /* rollback journal and exclusive locking */
    struct anchor file, place; /* that file, and the folder; stands.c */
    struct err damage; /* a page that made no sense was met; kind 0: none */
    double as_of;      /* a snapshot is open, made then; 0: the store itself */
    struct idmap *statements; /* address of the text -> sqlite3_stmt */
    sqlite3_stmt *trial_st;   /* store_trial's, whose text is made */

    /* The rest is the writer's. */
    uint64_t epoch;      /* of the lease that is held; 0: none */
    struct lease mine;   /* as it was written last */
    struct lease silent; /* of another, found silent; epoch 0: none */
    int lock_fd;         /* of lease.lock, which we keep locked; or -1 */
    const struct holder_clock *clock;
    bool taken_over;       /* it was ours, another has it now */
    bool stuck;            /* its holder keeps the file locked */
    bool begun;            /* between store_begin and store_commit */
    bool in_sql;           /* SQLite's own transaction is open */
    bool suspended;        /* the disk failed us: changes wait in redo alone */
    VEC(struct redo) redo; /* the changes since store_begin; change.c */
    struct arena *redo_room;
    struct counts counts;       /* with the changes since store_begin */
    struct counts counts_saved; /* as the file has them */
    int64_t last_trial;
    struct idmap *open_trials; /* what is known of them; trial.c */
    struct metrics *metrics;
    struct stowed *stowed;
    int64_t machine; /* row of the machine that was named last */
    char machine_host[64], machine_boot[64];
    bool unsynced; /* commits that a power loss would still undo */
    int64_t synced_ns;
};

/* The statement of this text (a constant), reset; NULL and err. */
sqlite3_stmt *db_stmt(struct store *s, const char *sql, struct err *err);
/* Runs a statement that gives no rows to its end and resets it. */
int db_run(struct store *s, sqlite3_stmt *st, const char *what,
           struct err *err);
/* One step: 1 a row (the caller resets), 0 the end, -1 (both reset). */
int db_row(struct store *s, sqlite3_stmt *st, const char *what,
           struct err *err);
/* Runs texts that are used once. */
int db_exec(struct store *s, const char *sql, const char *what,
            struct err *err);
/* One number that a text asks for; `otherwise` when it is NULL or no row. */
int db_number(struct store *s, const char *sql, int64_t otherwise,
              int64_t *number, struct err *err);
/* Turns what SQLite says of its last call into words; returns -1. */
int db_err(struct store *s, const char *what, struct err *err);
/* That the file is damaged, how that was seen, and what to do; returns -1. */
int db_damaged(const char *path, const char *how, struct err *err);
/* The same of a page that has another checksum than its own (seal.h). */
int db_damaged_page(sqlite3 *db, const char *path, struct err *err);
int db_err_of(sqlite3 *db, const char *path, const char *what, struct err *err);
void db_finalize_all(struct store *s);

void db_bind_str(sqlite3_stmt *st, int at, struct str text); /* "" is NULL */
void db_bind_value(sqlite3_stmt *st, int at, double v);      /* NaN is NULL */
struct str db_column_str(sqlite3_stmt *st, int at); /* valid until the step */
/* The same, not ended by a NUL: SQLite then need not copy it. */
struct str db_column_raw(sqlite3_stmt *st, int at);

#endif
