/* own_tables.c - the tables that an inference writes, which are none of its
 * rows
 */
#include "study/own_tables.h"

#include <limits.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/vec.h"
#include "study/shards.h"

#define LIST_FILE "tables"
#define SHOWN 3 /* names that are told */

/* Tables of rules lie in a folder. */
const char *own_table_path(const struct plan_predict *p, const char *home,
                           const char *folder, struct arena *a)
{
    struct str said = p->output;
    while (p->keep && said.len > 1 && said.p[said.len - 1] == '/')
        said.len--;
    return said.len ? path_absolute(a, path_join(a, home, arena_cstr(a, said)))
                    : path_join(a, folder,
                                p->keep  ? "kept"
                                : p->npy ? "predictions.npy"
                                         : "predictions.csv");
}

/* A list of paths; NULL: none is there. */
static const struct value *read_list(const char *folder, struct arena *a)
{
    const char *path = path_join(a, folder, LIST_FILE);
    struct value *v = NULL;
    struct buf b;
    buf_init(&b);
    if (file_exists(path) && file_read(path, 0, &b, NULL) == 0)
        v = json_parse(a, arena_str(a, buf_str(&b)), path, false, NULL);
    buf_done(&b);
    return v && v->kind == VALUE_LIST ? v : NULL;
}

const char *const *own_tables(const struct plan_predict *p, const char *home,
                              const char *folder, struct arena *a)
{
    const struct value *before = read_list(folder, a);
    size_t count = before ? before->count : 0, n = 0;
    const char **all = arena_array(a, 3 * count + 5, sizeof(*all));
    all[n++] = own_table_path(p, home, folder, a);
    all[n++] = path_absolute(a, folder);
    all[n++] = arena_printf(a, "%s.missing.csv", all[0]);
    all[n++] = arena_printf(a, "%s.bad.csv", all[0]);
    for (size_t i = 0; i < count; i++) {
        all[n] = arena_cstr(a, value_text(before->items[i]));
        all[n + 1] = arena_printf(a, "%s.missing.csv", all[n]);
        all[n + 2] = arena_printf(a, "%s.bad.csv", all[n]);
        n += 3;
    }
    all[n] = NULL;
    return all;
}

bool own_tables_have(const char *const *own, const char *path)
{
    char file[PATH_MAX], table[PATH_MAX];
    if (!own || !realpath(path, file))
        return false;
    for (; *own; own++) {
        if (!realpath(*own, table))
            continue;
        size_t len = strlen(table);
        if (!strncmp(file, table, len) && (!file[len] || file[len] == '/'))
            return true;
    }
    return false;
}

static bool lists(const struct value *all, const char *path)
{
    for (size_t i = 0; all && i < all->count; i++)
        if (str_is(value_text(all->items[i]), path))
            return true;
    return false;
}

bool own_tables_know(const char *folder, const char *path)
{
    struct arena *a = arena_new();
    bool known = lists(read_list(folder, a), path);
    arena_free(a);
    return known;
}

static void add_found(struct buf *b, const char *name, size_t *count)
{
    if (++*count <= SHOWN)
        buf_addf(b, "%s%s", b->len ? ", " : "", name);
}

/* What one of the plan's globs finds, ended by NULL; NULL: it is none. */
static const char **find_by_glob(struct str data, const char *home,
                                 struct arena *a)
{
    const char *name = arena_cstr(a, data);
    bool glob = strpbrk(name, "*?[") && !file_exists(path_join(a, home, name));
    return glob ? shards_glob(home, name, a) : NULL;
}

bool own_tables_match(const struct plan_predict *p, const char *home,
                      const char *path, struct arena *a)
{
    const char *const only[] = {path, NULL};
    for (size_t i = 0; i < p->data_count; i++) {
        const char **found = find_by_glob(p->data[i], home, a);
        for (; found && *found; found++)
            if (own_tables_have(only, path_join(a, home, *found)))
                return true;
    }
    return false;
}

struct str own_tables_found(const struct plan_predict *p, const char *home,
                            struct arena *a)
{
    size_t count = 0;
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < p->data_count; i++) {
        const char **found = find_by_glob(p->data[i], home, a);
        for (; found && *found; found++)
            if (own_tables_have(p->own, path_join(a, home, *found)))
                add_found(&b, *found, &count);
    }
    if (count > SHOWN)
        buf_addf(&b, " and %zu more", count - SHOWN);
    struct str text = arena_str(a, buf_str(&b));
    buf_done(&b);
    return text;
}

int own_tables_add(const char *folder, const char *path, struct err *err)
{
    struct arena *a = arena_new();
    const struct value *before = read_list(folder, a);
    struct value *all = before ? value_copy(a, before) : value_list(a);
    struct buf b;
    int rc = 0;
    buf_init(&b);
    if (!lists(all, path)) {
        value_list_add(a, all, value_string(a, str_of(path)));
        json_print(&b, all);
        buf_addc(&b, '\n');
        rc =
            file_write(path_join(a, folder, LIST_FILE), buf_str(&b), true, err);
    }
    buf_done(&b);
    arena_free(a);
    return rc;
}
