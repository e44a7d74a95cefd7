/* point_columns.c - points side by side */
#include "cli/point_columns.h"

#include <stdlib.h>
#include "base/json.h"
#include "base/num.h"

void point_columns_init(struct point_columns *p, struct arena *a)
{
    *p = (struct point_columns){.arena = a, .known = map_new()};
}

void point_columns_done(struct point_columns *p)
{
    map_free(p->known);
    vec_done(&p->names);
}

void point_columns_name(struct point_columns *p, struct str name)
{
    if (map_has(p->known, name))
        return;
    struct str own = arena_str(p->arena, name);
    map_set(p->known, own, p);
    vec_push(&p->names, own);
}

static void add_below(struct point_columns *p, const struct value *v,
                      struct buf *name)
{
    for (size_t i = 0; i < v->count; i++) {
        size_t mark = name->len;
        if (mark)
            buf_addc(name, '.');
        buf_addstr(name, v->keys[i]);
        if (v->items[i]->kind == VALUE_OBJECT && v->items[i]->count)
            add_below(p, v->items[i], name);
        else
            point_columns_name(p, buf_str(name));
        name->len = mark;
        name->p[mark] = 0;
    }
}

void point_columns_add(struct point_columns *p, const struct value *point)
{
    struct buf name;
    if (!point || point->kind != VALUE_OBJECT)
        return;
    buf_init(&name);
    add_below(p, point, &name);
    buf_done(&name);
}

static void add_text_below(struct point_columns *p, struct str text,
                           struct buf *name)
{
    struct json_scan scan;
    struct str raw;
    json_scan_init(&scan, text);
    json_scan_next(&scan);
    while (json_scan_next(&scan) == JSON_KEY) {
        size_t mark = name->len;
        if (mark)
            buf_addc(name, '.');
        if (scan.escaped)
            json_unescape(name, scan.text);
        else
            buf_addstr(name, scan.text);
        if (json_scan_pass(&scan, &raw))
            return;
        if (raw.p[0] == '{' && str_find(raw, ':') >= 0)
            add_text_below(p, raw, name);
        else
            point_columns_name(p, buf_str(name));
        name->len = mark;
        name->p[mark] = 0;
    }
}

void point_columns_text(struct point_columns *p, struct str point)
{
    struct buf name;
    if (!point.len || point.p[0] != '{')
        return;
    buf_init(&name);
    add_text_below(p, point, &name);
    buf_done(&name);
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

void point_columns_sort(struct point_columns *p)
{
    if (p->names.len > 1)
        qsort(p->names.p, p->names.len, sizeof(struct str), by_text);
}

const struct value *point_flat_get(const struct value *point, struct str name)
{
    const struct value *whole = value_get(point, name);
    if (whole)
        return whole;
    for (size_t i = 0; i < name.len; i++) {
        if (name.p[i] != '.')
            continue;
        const struct value *inner = value_get(point, str_n(name.p, i));
        if (inner && inner->kind == VALUE_OBJECT) {
            const struct value *found =
                point_flat_get(inner, str_n(name.p + i + 1, name.len - i - 1));
            if (found)
                return found;
        }
    }
    return NULL;
}

void point_cell(struct buf *b, const struct value *v)
{
    if (!v)
        return;
    if (v->kind == VALUE_STRING)
        buf_addstr(b, v->s);
    else
        json_print(b, v);
}

void point_lines(struct buf *b, const struct value *point, bool brief)
{
    struct arena *a = arena_new();
    struct point_columns columns;
    size_t width = 0;
    point_columns_init(&columns, a);
    point_columns_add(&columns, point);
    for (size_t i = 0; i < columns.names.len; i++)
        if (columns.names.p[i].len > width)
            width = columns.names.p[i].len;
    for (size_t i = 0; i < columns.names.len; i++) {
        struct str name = columns.names.p[i];
        const struct value *v = point_flat_get(point, name);
        buf_addf(b, "  %.*s%*s  ", STRF(name), (int)(width - name.len), "");
        if (brief && v && v->kind == VALUE_DOUBLE)
            num_print_short(b, v->d, 6);
        else
            point_cell(b, v);
        buf_addc(b, '\n');
    }
    point_columns_done(&columns);
    arena_free(a);
}
