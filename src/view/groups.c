/* groups.c - trials that differ only in what is looked over: mean and spread */
#include <math.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "base/student.h"
#include "view/view.h"

/* The factor of a spread that its last count needed: a million groups mostly
 * have the same. */
struct reach {
    int64_t count;
    double factor;
};

/* Where the mean of very many such trials would lie, with this confidence, by
 * Student's t; NaN: fewer than two. */
static void interval_of(const struct group_row *g, struct reach *r, double *low,
                        double *high)
{
    *low = *high = NAN;
    if (g->count < 2 || isinf(g->mean))
        return;
    if (r->count != g->count)
        *r = (struct reach){g->count, student_beyond(1 - GROUP_CONFIDENCE,
                                                     (double)(g->count - 1)) /
                                          sqrt((double)g->count)};
    *low = g->mean - r->factor * g->std;
    *high = g->mean + r->factor * g->std;
}

static void add_group(struct tabled *l, const struct group_row *g, size_t rank,
                      struct reach *r)
{
    double low, high;
    interval_of(g, r, &low, &high);
    tabled_count(l, (int64_t)rank);
    tabled_number(l, g->mean);
    tabled_number(l, g->std);
    tabled_number(l, low);
    tabled_number(l, high);
    tabled_number(l, g->min);
    tabled_number(l, g->max);
    tabled_count(l, g->count);
    tabled_count(l, g->best);
}

int groups_table(struct tabled *l, const struct group_row *list, size_t count,
                 const struct str *written, size_t written_count,
                 struct err *err)
{
    static const char *const titles[] = {"rank", "mean", "std", "low", "high",
                                         "min",  "max",  "n",   "best"};
    struct value **points = arena_array(l->arena, count + 1, sizeof(*points));
    struct point_columns columns;
    struct reach reach = {0};
    int rc = 0;
    point_columns_init(&columns, l->arena);
    for (size_t i = 0; i < count && !rc; i++) {
        points[i] = json_parse(l->arena, list[i].point, "point", false, err);
        if (points[i])
            point_columns_add(&columns, points[i]);
        else
            rc = -1;
    }
    point_columns_order(&columns, written, written_count);
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        tabled_title(l, titles[i]);
    for (size_t k = 0; k < columns.names.len; k++)
        tabled_title(l, columns.names.p[k].p);
    for (size_t i = 0; i < count && !rc; i++) {
        add_group(l, &list[i], i + 1, &reach);
        for (size_t k = 0; k < columns.names.len; k++) {
            const struct value *v =
                point_flat_get(points[i], columns.names.p[k]);
            tabled_value(l, v ? value_copy(l->arena, v) : NULL);
        }
    }
    point_columns_done(&columns);
    return rc;
}

void groups_json(struct buf *b, const char *over, const struct group_row *list,
                 size_t count, double as_of)
{
    struct reach reach = {0};
    buf_adds(b, "{\"schema\":\"throng.rank-over/1\"");
    age_json(b, as_of);
    buf_adds(b, ",\"over\":");
    json_string(b, str_of(over));
    buf_addf(b, ",\"confidence\":%g,\"groups\":[", GROUP_CONFIDENCE);
    for (size_t i = 0; i < count; i++) {
        const struct group_row *g = &list[i];
        buf_addf(b, "%s{\"rank\":%zu,\"count\":%lld,\"mean\":", i ? "," : "",
                 i + 1, (long long)g->count);
        strict_number_or_null(b, g->mean);
        buf_adds(b, ",\"std\":");
        strict_number_or_null(b, g->std);
        double low, high;
        interval_of(g, &reach, &low, &high);
        buf_adds(b, ",\"low\":");
        strict_number_or_null(b, low);
        buf_adds(b, ",\"high\":");
        strict_number_or_null(b, high);
        buf_adds(b, ",\"min\":");
        strict_number_or_null(b, g->min);
        buf_adds(b, ",\"max\":");
        strict_number_or_null(b, g->max);
        buf_addf(b, ",\"best\":%lld,\"params\":", (long long)g->best);
        strict_text(b, g->point);
        buf_addc(b, '}');
    }
    buf_adds(b, "]}\n");
}
