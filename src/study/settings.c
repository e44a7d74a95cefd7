/* settings.c - which trials of a study are folds of one setting
 *
 * Trials whose points agree in everything but the parameter that the model file
 * has as its fold, data: {fold: {k: "${fold}"}}. Of `repeat` each member is a
 * cross-validation of its own. A trial that no other goes with is a setting
 * alone. */
#include "base/json.h"
#include "base/map.h"
#include "ensemble/ensemble.h"
#include "store/store.h"
#include "study/study.h"

/* What the model file has as its fold; NULL: there is none. */
static const struct value *fold_of(struct store *store, struct arena *a)
{
    struct str text;
    if (store_fact(store, "identity", a, &text, NULL) || !text.len)
        return NULL;
    const struct value *study = json_parse(a, text, "identity", true, NULL);
    const struct value *model = value_get(study, STR("model"));
    return value_get(value_get(value_get(model, STR("data")), STR("fold")),
                     STR("k"));
}

static bool is_named(const struct value *text, struct str name)
{
    struct str all = value_text(text);
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "${%.*s}", STRF(name));
    bool found = all.len && memmem(all.p, all.len, b.p, b.len);
    buf_done(&b);
    return found;
}

/* What all folds of the trial's setting have in common, as a text. */
static void print_setting(struct buf *b, const struct trial *t,
                          const struct value *fold, struct arena *a)
{
    const struct value *point = json_parse(a, t->point, "point", true, NULL);
    struct value *rest = value_object(a);
    for (size_t i = 0; point && i < point->count; i++)
        if (!is_named(fold, point->keys[i]))
            value_set(a, rest, point->keys[i], point->items[i]);
    buf_reset(b);
    buf_addf(b, "%u ", t->member);
    json_print(b, rest);
}

int settings_find(struct store *store, const struct trial_weights *members,
                  size_t count, struct settings *to, struct arena *a,
                  struct err *err)
{
    const struct value *fold = fold_of(store, a);
    size_t *of = arena_array(a, count + 1, sizeof(*of));
    struct map *known = map_new();
    struct buf key;
    int rc = 0;
    buf_init(&key);
    for (size_t i = 0; !rc && i < count; i++) {
        struct trial t;
        rc = store_trial(store, members[i].trial, a, &t, err);
        if (rc)
            break;
        print_setting(&key, &t, fold, a);
        size_t *at = map_get(known, buf_str(&key));
        of[i] = at ? *at : map_count(known);
        if (!at)
            map_set(known, buf_str(&key), &of[i]);
    }
    *to = (struct settings){of, map_count(known)};
    map_free(known);
    buf_done(&key);
    return rc;
}
