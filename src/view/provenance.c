/* provenance.c - which code a study was begun with */
#include "view/view.h"

#include "base/json.h"
#include "base/strict_json.h"

int provenance_read(struct store *store, struct arena *a, struct provenance *p,
                    struct err *err)
{
    if (store_fact(store, "commit", a, &p->commit, err) ||
        store_fact(store, "diff", a, &p->diff, err) ||
        store_fact(store, "code", a, &p->frozen, err))
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

void provenance_commit(struct buf *b, const struct provenance *p,
                       const char *study)
{
    size_t files = changed_files(p->diff);
    buf_addstr(b, p->commit);
    if (!p->commit.len || !files)
        return;
    buf_addf(b, " and %zu changed file%s (`throng status", files,
             files == 1 ? "" : "s");
    command_add_word(b, " ", str_of(study));
    buf_adds(b, " --diff`)");
}

void provenance_frozen(struct buf *b, const struct provenance *p)
{
    struct arena *a = arena_new();
    struct value *v =
        p->frozen.len ? json_parse(a, p->frozen, "code", false, NULL) : NULL;
    const struct value *files = v ? value_get(v, STR("files")) : NULL;
    const struct value *linked = v ? value_get(v, STR("linked")) : NULL;
    if (files)
        buf_addf(b, "%.*s: tasks run from %.0f file%s as they were",
                 STRF(value_text(value_get(v, STR("how")))),
                 value_number(files), value_number(files) == 1 ? "" : "s");
    if (files && linked && linked->count)
        buf_addf(b, "; %zu linked, not copied", linked->count);
    arena_free(a);
}

void provenance_print(struct buf *b, const struct provenance *p,
                      const char *study)
{
    struct buf text;
    buf_init(&text);
    provenance_commit(&text, p, study);
    if (text.len)
        buf_addf(b, "commit   %s\n", text.p);
    buf_reset(&text);
    provenance_frozen(&text, p);
    if (text.len)
        buf_addf(b, "code     %s\n", text.p);
    buf_done(&text);
}

void provenance_json(struct buf *b, const struct provenance *p)
{
    buf_adds(b, ",\"commit\":");
    strict_string_or_null(b, p->commit);
    buf_adds(b, ",\"diff\":");
    strict_string_or_null(b, p->diff);
}
