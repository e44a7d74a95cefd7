/* trusted.h - the folders of others that a person has allowed */
#ifndef THRONG_CLI_TRUSTED_H
#define THRONG_CLI_TRUSTED_H

#include "base/arena.h"
#include "base/err.h"
#include "store/store.h"

/* Where the list is kept; NULL when there is no such place. */
const char *trusted_file(struct arena *a, struct err *err);
/* Real paths, in the arena, ended by NULL; none where there is no list. */
const char **trusted_read(struct arena *a, struct err *err);
int trusted_write(struct arena *a, const char *const *list, struct err *err);
/* As store_access, with that list; who is to act then has the umask of
 * the study's folder. */
int study_access(struct arena *a, const char *folder, enum store_use use,
                 struct err *err);

#endif
