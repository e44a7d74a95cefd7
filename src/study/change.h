/* change.h - what a request changes, with or without a conductor */
#ifndef THRONG_STUDY_CHANGE_H
#define THRONG_STUDY_CHANGE_H

#include "study/conductor.h"

struct change {
    struct store *store;
    struct study *study;      /* NULL when no conductor runs */
    const struct value *args; /* of the request, or NULL */
    const char *points;       /* a file with a point on each line, or NULL */
    int64_t changed;          /* trials */
    int64_t wished;           /* trials that the next run will end */
    int64_t first;            /* new trial; 0: none is new */
    struct packs *packs;      /* during a request */
};
/* Inside of a transaction. study.h's study_apply lists the verbs. What is wrong
 * with a request is found before anything is changed. */
int change_apply(struct change *c, const char *verb, const char *selector,
                 struct err *err);

/* The study has more trials than its strategy says, or fewer: whoever reads
 * its size must know. */
int change_total(struct store *store, int64_t by, struct err *err);

#endif
