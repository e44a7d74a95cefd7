/* view.c - what a model is trained and judged on
 *
 * Trials of a study mostly share one split, so a set keeps the first views
 * that were made of it; what says the same gets the same view. */
#include "base/hash.h"
#include "base/json.h"
#include "data/set.h"

#define VIEWS_KEPT 32

static uint64_t key_of(const struct value *spec,
                       const struct data_choice *choice)
{
    struct buf b;
    buf_init(&b);
    json_print_sorted(&b, spec);
    buf_addf(&b, " %.17g", choice->subset);
    if (data_draws(spec))
        buf_addf(&b, " %llu", (unsigned long long)choice->seed);
    uint64_t key = hash64(buf_str(&b), 0);
    buf_done(&b);
    return key;
}

static int make(struct data_view *v, const struct data_set *s,
                const struct value *spec, const struct data_choice *choice,
                struct arena *a, struct err *err)
{
    *v = (struct data_view){.table = &s->table, .set = s};
    return data_split(v, s, spec, choice, a, err) ||
                   data_fit(v, s, spec, choice, a, err)
               ? -1
               : 0;
}

int data_view_make(struct data_view *v, struct data_set *s,
                   const struct value *spec, const struct data_choice *choice,
                   struct arena *a, struct err *err)
{
    uint64_t key = key_of(spec, choice);
    struct data_view made;
    if (data_spec_check(spec, err))
        return -1;
    for (size_t i = 0; i < s->views.len; i++)
        if (s->views.p[i].key == key) {
            *v = s->views.p[i].view;
            return 0;
        }
    struct arena *own = s->views.len < VIEWS_KEPT ? arena_new() : NULL;
    int rc = make(&made, s, spec, choice, own ? own : a, err);
    if (rc == 0) {
        *v = made;
        if (own)
            vec_push(&s->views, ((struct made_view){key, own, made}));
    } else {
        arena_free(own);
    }
    return rc;
}
