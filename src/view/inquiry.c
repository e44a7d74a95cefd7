/* inquiry.c - which parameters matter, and where they are good */
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

#define SEED 1 /* of the forest; the answer is the same every time */

/* The most important first; equal ones by name. */
static void sort_by_share(struct inquiry *q)
{
    for (size_t i = 0; i < q->space.count; i++) {
        size_t k = i;
        for (; k > 0 && q->shares[q->order[k - 1]] < q->shares[i]; k--)
            q->order[k] = q->order[k - 1];
        q->order[k] = i;
    }
}

static int find_shares(struct inquiry *q, struct arena *a, struct err *err)
{
    size_t n = q->space.count;
    q->shares = arena_array(a, n + 1, sizeof(*q->shares));
    q->curves = arena_array(a, n + 1, sizeof(*q->curves));
    q->order = arena_array(a, n + 1, sizeof(*q->order));
    int rc = strcmp(q->method, "fanova")
                 ? importance_ped(q->importance, q->shares, err)
                 : importance_fanova(q->importance, SEED, q->shares, err);
    if (!rc)
        sort_by_share(q);
    return rc;
}

int inquiry_shares(struct inquiry *q, struct store *store, bool other,
                   struct arena *a, struct err *err)
{
    q->importance = study_importance(store, other ? q->metric : STR(""),
                                     q->minimize, &q->space, a, err);
    return q->importance ? find_shares(q, a, err) : -1;
}

int inquiry_read(struct inquiry *q, struct store *store, bool other,
                 struct arena *a, struct err *err)
{
    int rc = inquiry_shares(q, store, other, a, err);
    for (size_t i = 0; i < q->space.count && !rc; i++) {
        struct inquiry_curve *k = &q->curves[i];
        rc = importance_curve(q->importance, i, SEED, a, &k->cells, &k->count,
                              err);
    }
    return rc;
}

void inquiry_done(struct inquiry *q)
{
    importance_free(q->importance);
}

const char *region_name(enum region r)
{
    static const char *const names[] = {
        [REGION_NEITHER] = "", [REGION_GOOD] = "good", [REGION_BAD] = "bad"};
    return names[r];
}

static void param_json(struct buf *b, const struct inquiry *q, size_t i,
                       bool first)
{
    const struct inquiry_curve *k = &q->curves[i];
    buf_adds(b, first ? "{\"name\":" : ",{\"name\":");
    json_string(b, q->space.params[i].name);
    buf_adds(b, ",\"share\":");
    strict_number(b, q->shares[i]);
    buf_adds(b, ",\"cells\":[");
    for (size_t j = 0; j < k->count; j++) {
        const struct importance_cell *cell = &k->cells[j];
        buf_adds(b, j ? ",{\"from\":" : "{\"from\":");
        strict_value(b, cell->from);
        buf_adds(b, ",\"to\":");
        strict_value(b, cell->to);
        buf_adds(b, ",\"mean\":");
        strict_number_or_null(b, cell->mean);
        buf_adds(b, ",\"spread\":");
        strict_number_or_null(b, cell->spread);
        buf_addf(b, ",\"region\":\"%s\"}",
                 cell->region ? region_name(cell->region) : "neither");
    }
    buf_adds(b, "]}");
}

void inquiry_json(struct buf *b, const struct inquiry *q, const char *study,
                  double as_of)
{
    bool first = true;
    buf_adds(b, "{\"schema\":\"throng.importance/1\"");
    age_json(b, as_of);
    buf_adds(b, ",\"study\":");
    json_string(b, str_of(study));
    buf_adds(b, ",\"metric\":");
    json_string(b, q->metric);
    buf_addf(b,
             ",\"goal\":\"%s\",\"method\":\"%s\",\"results\":%zu,"
             "\"parameters\":[",
             q->minimize ? "minimize" : "maximize", q->method,
             importance_count(q->importance));
    for (size_t k = 0; k < q->space.count; k++) {
        if (!q->curves[q->order[k]].count)
            continue;
        param_json(b, q, q->order[k], first);
        first = false;
    }
    buf_adds(b, "]}\n");
}
