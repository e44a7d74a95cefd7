/* owner.c - whose files they are, and who is in which group */
#include "sys/sys.h"

#include <errno.h>
#include <pwd.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUPS_MAX 65536 /* as many as Linux allows */

void user_print(struct buf *b, uid_t user)
{
    const struct passwd *found = getpwuid(user);
    if (found)
        buf_addf(b, "%s (uid %u)", found->pw_name, (unsigned)user);
    else
        buf_addf(b, "uid %u", (unsigned)user);
}

void group_print(struct buf *b, gid_t group)
{
    const struct group *found = getgrgid(group);
    if (found)
        buf_addf(b, "%s (gid %u)", found->gr_name, (unsigned)group);
    else
        buf_addf(b, "gid %u", (unsigned)group);
}

bool group_is_ours(gid_t group)
{
    int count = getgroups(0, NULL);
    bool found = group == getegid();
    if (found || count <= 0 || count > GROUPS_MAX)
        return found;
    gid_t *all = xcalloc((size_t)count, sizeof *all);
    count = getgroups(count, all);
    for (int i = 0; i < count; i++)
        found |= all[i] == group;
    free(all);
    return found;
}
