/* point_columns.c - points side by side */
#include "view/view.h"

#include <stdlib.h>
#include "base/chars.h"
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

/* Takes a number without its leading zeros, or one other character. */
static struct str take_piece(struct str *s)
{
    size_t n = 0;
    while (n < s->len && is_digit(s->p[n]))
        n++;
    struct str piece = str_n(s->p, n ? n : 1);
    *s = str_n(s->p + piece.len, s->len - piece.len);
    while (n > 1 && piece.len > 1 && *piece.p == '0')
        piece = str_n(piece.p + 1, piece.len - 1);
    return piece;
}

static int by_name(const void *x, const void *y)
{
    struct str a = *(const struct str *)x, b = *(const struct str *)y;
    while (a.len && b.len) {
        struct str left = take_piece(&a), right = take_piece(&b);
        bool numbers = is_digit(*left.p) && is_digit(*right.p);
        if (numbers && left.len != right.len)
            return left.len < right.len ? -1 : 1;
        int order = str_cmp(left, right);
        if (order)
            return order;
    }
    if (a.len || b.len)
        return a.len ? 1 : -1;
    return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

void point_columns_sort(struct point_columns *p)
{
    if (p->names.len > 1)
        qsort(p->names.p, p->names.len, sizeof(struct str), by_name);
}

void point_columns_order(struct point_columns *p, const struct str *first,
                         size_t count)
{
    struct map *early = map_new();
    size_t out = 0, n = p->names.len;
    struct str *ordered = arena_array(p->arena, n + 1, sizeof(*ordered));
    point_columns_sort(p);
    for (size_t i = 0; i < count && out < n; i++)
        if (map_has(p->known, first[i]) && !map_has(early, first[i])) {
            map_set(early, first[i], p);
            ordered[out++] = arena_str(p->arena, first[i]);
        }
    for (size_t i = 0; i < n; i++)
        if (!map_has(early, p->names.p[i]))
            ordered[out++] = p->names.p[i];
    for (size_t i = 0; i < n; i++)
        p->names.p[i] = ordered[i];
    map_free(early);
}

int point_columns_written(struct store *store, struct arena *a,
                          struct str **names, size_t *count, struct err *err)
{
    struct str text;
    *count = 0;
    if (store_fact(store, "written", a, &text, err))
        return -1;
    struct value *list =
        text.len ? json_parse(a, text, "written", false, NULL) : NULL;
    *names = arena_array(a, list ? list->count : 0, sizeof(**names));
    for (size_t i = 0; list && i < list->count; i++)
        if (list->items[i]->kind == VALUE_STRING)
            (*names)[(*count)++] = list->items[i]->s;
    return 0;
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

void point_lines(struct buf *b, const struct value *point,
                 const struct str *first, size_t count, bool brief)
{
    struct arena *a = arena_new();
    struct point_columns columns;
    size_t width = 0;
    point_columns_init(&columns, a);
    point_columns_add(&columns, point);
    point_columns_order(&columns, first, count);
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
