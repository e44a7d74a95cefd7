/* selector.h - which trials a selector names, for the files of this folder */
#ifndef THRONG_STORE_SELECTOR_H
#define THRONG_STORE_SELECTOR_H

#include "store/db.h"

struct id_range {
    int64_t first, last; /* both belong to it */
};
struct selection {
    VEC(struct id_range) ranges; /* sorted, apart from each other */
    VEC(int64_t)
    ranked; /* the trials of best:N or worst:N when it stands
               alone, in that order */
    bool is_ranked;
};

/* Resolves a selector against the store as it is now. */
int selection_init(struct selection *sel, struct store *s, const char *selector,
                   struct err *err);
void selection_done(struct selection *sel);

/* Trials with a tag, sorted; *ids is yours to free. */
int selection_tagged(struct store *s, struct str tag, int64_t **ids,
                     size_t *count, struct err *err);
/* The first of rank among those of this value; 0: none of them ended well. */
int64_t store_fronts_first(struct store *s, const struct goal *g, double value);

#endif
