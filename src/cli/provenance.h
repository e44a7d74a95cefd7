/* provenance.h - which code a study was begun with */
#ifndef THRONG_CLI_PROVENANCE_H
#define THRONG_CLI_PROVENANCE_H

#include "store/store.h"

struct provenance {
    struct str commit; /* of git; empty: unknown */
    struct str diff;   /* what was changed and not committed; empty: nothing */
};
/* The texts are in the arena. */
int provenance_read(struct store *store, struct arena *a, struct provenance *p,
                    struct err *err);
/* "commit   8d1f… and 3 changed files (`throng status NAME --diff`)"; nothing
 * where it is unknown. */
void provenance_print(struct buf *b, const struct provenance *p,
                      const char *study);
/* ,"commit":…,"diff":… behind another field; null where it is unknown. */
void provenance_json(struct buf *b, const struct provenance *p);

#endif
