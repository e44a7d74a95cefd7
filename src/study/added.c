/* added.c - trials that the strategy did not suggest */
#include "study/added.h"

#include "base/num.h"

void added_done(struct added *x)
{
    vec_done(&x->ranges);
    x->count = 0;
}

static void take_range(struct added *x, int64_t first, int64_t last)
{
    if (x->ranges.len && vec_last(&x->ranges).last + 1 == first)
        vec_last(&x->ranges).last = last;
    else
        vec_push(&x->ranges, ((struct added_range){first, last}));
    x->count += last - first + 1;
}

void added_take(struct added *x, int64_t trial)
{
    require(!x->ranges.len || vec_last(&x->ranges).last < trial);
    take_range(x, trial, trial);
}

/* "13-15" or "20". */
static bool parse_range(struct str part, int64_t *first, int64_t *last)
{
    long dash = str_find(part, '-');
    if (dash < 0) {
        bool good = num_int(part, first);
        *last = *first;
        return good && *first > 0;
    }
    size_t at = (size_t)dash;
    return num_int(str_n(part.p, at), first) &&
           num_int(str_n(part.p + at + 1, part.len - at - 1), last) &&
           *first > 0 && *first <= *last;
}

int added_read(struct added *x, struct store *s, struct err *err)
{
    struct arena *a = arena_new();
    struct str text, part;
    int rc = store_fact(s, "added", a, &text, err);
    x->ranges.len = 0;
    x->count = 0;
    while (!rc && text.len && str_split(&text, ',', &part)) {
        int64_t first, last;
        if (!parse_range(part, &first, &last) ||
            (x->ranges.len && vec_last(&x->ranges).last >= first))
            rc = err_set(err, ERR_CORRUPT,
                         "the store's list of added trials is damaged at "
                         "`%.*s`",
                         STRF(part));
        else
            take_range(x, first, last);
    }
    arena_free(a);
    return rc;
}

int added_write(const struct added *x, struct store *s, struct err *err)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < x->ranges.len; i++) {
        const struct added_range *r = &x->ranges.p[i];
        buf_addf(&b, "%s%lld", i ? "," : "", (long long)r->first);
        if (r->last > r->first)
            buf_addf(&b, "-%lld", (long long)r->last);
    }
    int rc = store_fact_set(s, "added", buf_str(&b), err);
    buf_done(&b);
    return rc;
}

int64_t added_suggestion(const struct added *x, int64_t trial)
{
    int64_t before = 0;
    for (size_t i = 0; i < x->ranges.len && x->ranges.p[i].first <= trial;
         i++) {
        if (trial <= x->ranges.p[i].last)
            return 0;
        before += x->ranges.p[i].last - x->ranges.p[i].first + 1;
    }
    return trial - before;
}

int64_t added_trial(const struct added *x, int64_t suggestion)
{
    int64_t trial = suggestion;
    for (size_t i = 0; i < x->ranges.len && x->ranges.p[i].first <= trial; i++)
        trial += x->ranges.p[i].last - x->ranges.p[i].first + 1;
    return trial;
}

static int64_t fact_number(struct store *s, const char *key)
{
    struct arena *a = arena_new();
    struct str text;
    int64_t v = 0;
    if (store_fact(s, key, a, &text, NULL) || !text.p || !num_int(text, &v))
        v = 0;
    arena_free(a);
    return v;
}

int64_t removed_trials(struct store *s)
{
    return fact_number(s, "removed");
}

int64_t last_trial_ever(struct store *s)
{
    int64_t last = store_last_trial(s), said = fact_number(s, "last_trial");
    return said > last ? said : last;
}
