/* errors.c - failures, grouped by what they say */
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

#define IDS_MOST 1000 /* that are listed of a group */

struct gathering {
    struct arena *arena;
    struct map *by_text;
    struct errors *errors;
    struct buf key;
};

static void gather(void *context, const struct trial_failure *f)
{
    struct gathering *g = context;
    struct str line = failure_line(f);
    buf_reset(&g->key);
    buf_addf(&g->key, "%d ", (int)f->state);
    failure_normal(&g->key, line, f->point);
    struct error_group *one = map_get(g->by_text, buf_str(&g->key));
    if (!one) {
        one = arena_new_of(g->arena, struct error_group);
        one->line = arena_str(g->arena, line);
        one->state = f->state;
        one->hint = failure_hint(f);
        map_set(g->by_text, buf_str(&g->key), one);
        vec_push(&g->errors->groups, one);
    }
    one->count++;
    g->errors->total++;
    if (one->ids.len < IDS_MOST)
        vec_push(&one->ids, f->trial);
}

static int by_count(const void *a, const void *b)
{
    const struct error_group *x = *(struct error_group *const *)a;
    const struct error_group *y = *(struct error_group *const *)b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->ids.p[0] < y->ids.p[0] ? -1 : 1;
}

int errors_read(struct errors *e, struct store *store, struct arena *a,
                struct err *err)
{
    struct gathering g = {.arena = a, .by_text = map_new(), .errors = e};
    *e = (struct errors){0};
    buf_init(&g.key);
    int rc = store_failures(store, gather, &g, err);
    if (!rc && e->groups.len)
        qsort(e->groups.p, e->groups.len, sizeof(*e->groups.p), by_count);
    map_free(g.by_text);
    buf_done(&g.key);
    return rc;
}

void errors_done(struct errors *e)
{
    for (size_t i = 0; i < e->groups.len; i++)
        vec_done(&e->groups.p[i]->ids);
    vec_done(&e->groups);
}

void errors_json(struct buf *b, const struct errors *e, size_t most,
                 const char *study, double as_of)
{
    buf_adds(b, "{\"schema\":\"throng.errors/1\"");
    age_json(b, as_of);
    buf_adds(b, ",\"study\":");
    json_string(b, str_of(study));
    buf_addf(b, ",\"failures\":%lld,\"groups\":[", (long long)e->total);
    for (size_t i = 0; i < e->groups.len && i < most; i++) {
        const struct error_group *f = e->groups.p[i];
        buf_addf(b, "%s{\"count\":%lld,\"state\":\"%s\",\"message\":",
                 i ? "," : "", (long long)f->count, state_name(f->state));
        json_string(b, f->line);
        buf_addf(b, ",\"example\":%lld,\"hint\":", (long long)f->ids.p[0]);
        strict_string_or_null(b, str_of(f->hint ? f->hint : ""));
        buf_adds(b, ",\"trials\":[");
        for (size_t k = 0; k < f->ids.len; k++)
            buf_addf(b, "%s%lld", k ? "," : "", (long long)f->ids.p[k]);
        buf_adds(b, "]}");
    }
    buf_adds(b, "]}\n");
}
