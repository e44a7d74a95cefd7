/* kind.h - the kinds of tasks that this worker can run
 *
 * All that a kind does differently from others is behind these functions: one
 * file per kind with its const struct, one row in the list of terms/kind.h.
 * What begins, looks, ends and says so for all of them is attempt.c. */
#ifndef THRONG_WORKER_KIND_H
#define THRONG_WORKER_KIND_H

#include <sys/resource.h>

#include "base/err.h"
#include "sys/sys.h"
#include "terms/kind.h"
#include "terms/record.h"
#include "worker/attempt.h"

struct train;
struct member;
struct nn_model;

struct kind {
    const char *name;

    /* ---- in the worker; NULL: there is nothing to do ---- */

    /* Begins it, with the files that it needs: fills a->process, and a->due_ns
     * for the first look. -1 leaves errno as the call did that failed. */
    int (*start)(struct attempt *a, struct err *err);
    /* In place of start, where nothing is to run: opens what an attempt before
     * left unread. */
    int (*reread)(struct attempt *a, struct err *err);
    void (*push)(struct attempt *a, enum push how); /* towards its end */
    int64_t answer_ns; /* that it has at least between the last two pushes */
    /* True when it has ended, even if nobody has been told yet. */
    bool (*has_ended)(const struct attempt *a);
    /* A look while it runs; sets a->due_ns, when the next one is due. */
    void (*look)(struct attempt *a, int64_t now_ns);
    /* It waited for a decision and goes on: the payload of a RECORD_GO. */
    void (*go)(struct attempt *a, struct str payload);
    /* Its main process (worker.by_pid) has ended. */
    void (*exit)(struct attempt *a, int status, const struct rusage *use);
    /* Reads what is left; false: there is more, or something is waited for. */
    bool (*drain)(struct attempt *a);
    /* Says how it ended where there is no verdict, and its exit code. */
    void (*judge)(struct attempt *a, struct record_ended *e);
    /* The attempt is over, for whatever reason. */
    void (*forget)(struct attempt *a);

    /* ---- in a trainer process, for kinds that have one ---- */

    /* The member has its rows, its model and its place in a cohort. */
    int (*begin)(struct train *t, struct member *m, struct err *err);
    /* What it wants of a model that was read, before anybody uses it; NULL:
     * nothing. */
    int (*adapt)(struct member *m, struct nn_model *model, struct err *err);
    /* Some of its work; member_leave when all of it is done. */
    void (*turn)(struct train *t, size_t at);
    /* The member goes, for whatever reason; NULL: begin has made nothing. */
    void (*end)(struct train *t, struct member *m);
    bool trains; /* it reports on validation rows */
};

/* Every kind has a row in terms/kind.h, and is defined by KIND(name) = {…},
 * which does not compile without it. */
#define KIND(name)                                                             \
    _Static_assert(KIND_ROW_##name < KIND_COUNT, "");                          \
    const struct kind kind_##name
#define KIND_EXTERN(name, ...) extern const struct kind kind_##name;
KINDS(KIND_EXTERN)

/* One that does not start, and says why, where this worker has none of that
 * name. */
const struct kind *kind_find(struct str name);

#endif
