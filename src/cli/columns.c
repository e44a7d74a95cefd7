/* columns.c - how much a model needs each column, for evaluate */
#include "cli/columns.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"

#define REPEATS_MAX 1000

/* NAME=COLUMN,COLUMN, as --groups has it between its semicolons. */
static int read_group(struct call *c, struct str text, struct value *to)
{
    struct value *list = value_list(c->arena);
    struct str one = text, name, column;
    str_split(&one, '=', &name);
    name = str_trim(name);
    while (one.p && str_split(&one, ',', &column))
        if ((column = str_trim(column)).len)
            value_list_add(c->arena, list, value_string(c->arena, column));
    if (!name.len || !list->count)
        return call_usage(c,
                          "--groups is NAME=COLUMN,COLUMN;NAME=…, where a * in "
                          "a column stands for any letters: `%.*s` is no such "
                          "group",
                          STRF(text));
    if (value_get(to, name))
        return call_usage(c,
                          "--groups has two groups %.*s: put the columns of "
                          "both into one, or give one another name",
                          STRF(name));
    value_set(c->arena, to, name, list);
    return EXIT_OK;
}

int columns_check(struct call *c, struct value **groups, int64_t *repeats)
{
    const char *text = call_option(c, "groups");
    const char *count = call_option(c, "repeats");
    struct str rest = str_of(text ? text : ""), one;
    *groups = text ? value_object(c->arena) : NULL;
    *repeats = 0;
    if ((text || count) && !call_flag(c, "importance"))
        return call_usage(c, "--%s goes with --importance: say that, too",
                          text ? "groups" : "repeats");
    if (text && !str_trim(rest).len)
        return read_group(c, rest, *groups);
    while (text && str_split(&rest, ';', &one)) {
        one = str_trim(one);
        bool last = !one.len && !rest.len; /* behind a last semicolon */
        if (!last && read_group(c, one, *groups))
            return EXIT_USAGE;
    }
    if (count && (!num_int(str_of(count), repeats) || *repeats < 1 ||
                  *repeats > REPEATS_MAX))
        return call_usage(c, "--repeats is a whole number from 1 to %d",
                          REPEATS_MAX);
    return EXIT_OK;
}

int columns_options(struct call *c, struct str *options)
{
    struct value *v =
        options->len ? json_parse(c->arena, *options, "options", true, &c->err)
                     : value_object(c->arena);
    struct value *groups;
    int64_t repeats;
    if (columns_check(c, &groups, &repeats))
        return -1;
    if (groups)
        value_set(c->arena, v, STR("groups"), groups);
    if (repeats)
        value_set(c->arena, v, STR("repeats"), value_int(c->arena, repeats));
    struct buf b;
    buf_init(&b);
    json_print(&b, v);
    *options = arena_str(c->arena, buf_str(&b));
    buf_done(&b);
    return 0;
}

static double change_of(const struct value *column, struct str name,
                        const char *what)
{
    const struct value *changes = value_get(column, STR("changes"));
    return value_number(value_get(value_get(changes, name), str_of(what)));
}

/* What the loss rises by most comes first; what is no number last. */
static int by_loss(const void *a, const void *b)
{
    double x = change_of(*(struct value *const *)a, STR("loss"), "mean");
    double y = change_of(*(struct value *const *)b, STR("loss"), "mean");
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x < y) - (x > y);
}

struct value *columns_read(struct call *c, const char *folder)
{
    const char *path = path_join(c->arena, folder, "output/importance.json");
    struct value *v = NULL;
    struct buf text;
    buf_init(&text);
    if (file_read(path, 0, &text, &c->err) == 0)
        v = json_parse(c->arena, buf_str(&text), path, true, &c->err);
    buf_done(&text);
    struct value *list = value_get(v, STR("columns"));
    if (list && list->count)
        qsort(list->items, list->count, sizeof(*list->items), by_loss);
    return v;
}

void columns_print(struct call *c, const struct value *v)
{
    const struct value *list = value_get(v, STR("columns"));
    const struct value *baseline = value_get(v, STR("baseline"));
    struct table *t = table_new();
    table_column(t, "shuffled", false);
    for (size_t i = 0; i < baseline->count; i++) {
        const char *name = arena_cstr(c->arena, baseline->keys[i]);
        table_column(t, arena_printf(c->arena, "%s by", name), true);
        table_column(t, "±", true);
    }
    for (size_t k = 0; k < list->count; k++) {
        const struct value *one = list->items[k];
        table_cell(t, "%.*s", STRF(value_text(value_get(one, STR("name")))));
        for (size_t i = 0; i < baseline->count; i++) {
            table_number(t, change_of(one, baseline->keys[i], "mean"), 4);
            table_number(t, change_of(one, baseline->keys[i], "sd"), 2);
        }
        table_row(t);
    }
    put(STR("\n"));
    table_print(t, c);
    table_free(t);
}
