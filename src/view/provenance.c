/* provenance.c - which code a study was begun with */
#include "view/view.h"

#include "base/strict_json.h"

int provenance_read(struct store *store, struct arena *a, struct provenance *p,
                    struct err *err)
{
    if (store_fact(store, "commit", a, &p->commit, err) ||
        store_fact(store, "diff", a, &p->diff, err))
        return -1;
    return 0;
}

static size_t changed_files(struct str diff)
{
    struct str line;
    size_t count = 0;
    while (diff.len && str_split(&diff, '\n', &line))
        count += str_starts(line, STR("diff --git "));
    return count;
}

void provenance_print(struct buf *b, const struct provenance *p,
                      const char *study)
{
    size_t files = changed_files(p->diff);
    if (!p->commit.len)
        return;
    buf_addf(b, "commit   %.*s", STRF(p->commit));
    if (files)
        buf_addf(b, " and %zu changed file%s (`throng status %s --diff`)",
                 files, files == 1 ? "" : "s", study);
    buf_addc(b, '\n');
}

void provenance_json(struct buf *b, const struct provenance *p)
{
    buf_adds(b, ",\"commit\":");
    strict_string_or_null(b, p->commit);
    buf_adds(b, ",\"diff\":");
    strict_string_or_null(b, p->diff);
}
