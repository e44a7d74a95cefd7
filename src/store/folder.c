/* folder.c - where the files of a trial lie
 *
 * A thousand trials share a folder, so that no folder grows past what
 * network file systems list quickly. */
#include "store/store.h"

char *store_trial_folder(const char *folder, int64_t trial, struct arena *a)
{
    return arena_printf(a, "%s/trials/%lld/%lld", folder,
                        (long long)(trial / 1000), (long long)trial);
}
