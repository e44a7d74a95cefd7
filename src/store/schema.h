/* schema.h - the tables, their version, and the way from older ones */
#ifndef THRONG_STORE_SCHEMA_H
#define THRONG_STORE_SCHEMA_H

#include "store/db.h"

/* One step of the way: brings a file of version `to` - 1 to version `to`.
 * The text runs first, then the function, either may be NULL. */
struct schema_step {
    int to;
    const char *sql;
    int (*fn)(struct store *s, struct err *err);
};
extern const struct schema_step schema_steps[STORE_SCHEMA];

/* The file's version and whether it is a store at all. ERR_CORRUPT when it
 * is none. */
int schema_version(struct store *s, int *version, struct err *err);
/* Takes all missing steps in one transaction, so that a failure leaves the
 * file as it was. */
int schema_migrate(struct store *s, const struct schema_step *steps,
                   size_t count, struct err *err);

#endif
