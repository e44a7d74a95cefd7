/* confusion.c - which classes a model mistakes for which
 *
 * The worker writes pairs as JSON beside what else a task leaves; here they
 * become a table. */
#include "cli/confusion.h"

#include <math.h>

#include "base/json.h"

#define SHOWN_MAX 40 /* classes: more are nothing to look at */

struct value *confusion_read(struct call *c, const char *folder)
{
    const char *path = path_join(c->arena, folder, "output/confusion.json");
    struct value *v = NULL;
    struct buf text;
    if (!file_exists(path))
        return NULL;
    buf_init(&text);
    if (file_read(path, 0, &text, &c->err) == 0)
        v = json_parse(c->arena, buf_str(&text), path, true, &c->err);
    buf_done(&text);
    return v;
}

static void print_head(const struct call *c, const struct value *head,
                       bool named)
{
    const struct value *classes = value_get(head, STR("classes"));
    const struct value *counts = value_get(head, STR("counts"));
    struct str name = value_text(value_get(head, STR("name")));
    if (!classes || classes->count > SHOWN_MAX)
        return;
    struct table *t = table_new();
    table_column(t, named ? arena_cstr(c->arena, name) : "is \\ predicted",
                 false);
    for (size_t i = 0; i < classes->count; i++)
        table_column(t, arena_cstr(c->arena, classes->items[i]->s), true);
    for (size_t i = 0; i < classes->count; i++) {
        table_cell(t, "%.*s", STRF(classes->items[i]->s));
        for (size_t k = 0; k < classes->count; k++)
            table_cell(t, "%lld", (long long)counts->items[i]->items[k]->i);
        table_row(t);
    }
    put(STR("\n"));
    table_print(t, c);
    table_free(t);
}

void confusion_print(struct call *c, const struct value *v)
{
    const struct value *heads = value_get(v, STR("heads"));
    for (size_t i = 0; heads && i < heads->count; i++)
        print_head(c, heads->items[i], heads->count > 1);
}

static int64_t count_at(const struct value *counts, size_t truth, size_t got)
{
    return counts->items[truth]->items[got]->i;
}

static void print_classes(const struct call *c, const struct value *head,
                          bool named)
{
    const struct value *classes = value_get(head, STR("classes"));
    const struct value *counts = value_get(head, STR("counts"));
    struct str name = value_text(value_get(head, STR("name")));
    struct table *t = table_new();
    table_column(t, named ? arena_cstr(c->arena, name) : "class", false);
    table_column(t, "rows", true);
    table_column(t, "precision", true);
    table_column(t, "recall", true);
    table_column(t, "f1", true);
    for (size_t i = 0; classes && i < classes->count; i++) {
        int64_t is = 0, got = 0, both = count_at(counts, i, i);
        for (size_t k = 0; k < classes->count; k++) {
            is += count_at(counts, i, k);
            got += count_at(counts, k, i);
        }
        table_cell(t, "%.*s", STRF(classes->items[i]->s));
        table_cell(t, "%lld", (long long)is);
        table_number(t, got ? (double)both / (double)got : NAN, 4);
        table_number(t, is ? (double)both / (double)is : NAN, 4);
        table_number(
            t, is + got ? 2.0 * (double)both / (double)(is + got) : NAN, 4);
        table_row(t);
    }
    put(STR("\n"));
    table_print(t, c);
    table_free(t);
}

void confusion_print_classes(struct call *c, const struct value *v)
{
    const struct value *heads = value_get(v, STR("heads"));
    for (size_t i = 0; heads && i < heads->count; i++)
        print_classes(c, heads->items[i], heads->count > 1);
}
