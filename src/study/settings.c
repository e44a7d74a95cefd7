/* settings.c - which trials of a study are folds of one setting
 *
 * Trials whose points agree in everything but the parameters that say which
 * rows are held out: what the model file has as its fold, data: {fold: {k:
 * "${fold}"}}, or as its blocks, data: {parts: {blocks: …}} or counts of them;
 * in CANDLE's files the keywords of blocks. Fractions say how many rows train,
 * which is a setting of its own, and the trial's name nothing. Of `repeat` each
 * member is a cross-validation of its own. A trial that no other goes with is a
 * setting alone. */
#include "base/json.h"
#include "base/map.h"
#include "ensemble/ensemble.h"
#include "store/store.h"
#include "study/study.h"

/* The study's model file, as it stands; NULL: there is none. */
static const struct value *model_of(struct store *store, struct arena *a)
{
    struct str text;
    if (store_fact(store, "identity", a, &text, NULL) || !text.len)
        return NULL;
    return value_get(json_parse(a, text, "identity", true, NULL), STR("model"));
}

/* True when ${name} stands in it. */
static bool is_named(const struct value *v, struct str name)
{
    struct str all = v && v->kind == VALUE_STRING ? value_text(v) : STR("");
    for (size_t i = 0; v && v->kind == VALUE_LIST && i < v->count; i++)
        if (is_named(v->items[i], name))
            return true;
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "${%.*s}", STRF(name));
    bool found = all.len && memmem(all.p, all.len, b.p, b.len);
    buf_done(&b);
    return found;
}

/* Whether the parameter says which rows are held out. */
static bool says_rows(const struct value *model, struct str name)
{
    static const char *const candle[] = {
        "uq_train_vec", "uq_valid_vec", "uq_test_vec", "uq_train_bks",
        "uq_valid_bks", "uq_test_bks",  NULL};
    const struct value *data = value_get(model, STR("data"));
    const struct value *parts = value_get(data, STR("parts"));
    if (!data)
        return str_among(name, candle);
    return is_named(value_get(value_get(data, STR("fold")), STR("k")), name) ||
           is_named(value_get(parts, STR("blocks")), name) ||
           is_named(value_get(parts, STR("counts")), name);
}

/* What a person calls the trial is no setting. */
static bool is_its_name(const struct trial *t, struct str key)
{
    return t->run_id.len && str_is(key, "run_id");
}

/* What all folds of the trial's setting have in common, as a text. */
static void print_setting(struct buf *b, const struct trial *t,
                          const struct value *model, struct arena *a)
{
    const struct value *point = json_parse(a, t->point, "point", true, NULL);
    struct value *rest = value_object(a);
    for (size_t i = 0; point && i < point->count; i++)
        if (!says_rows(model, point->keys[i]) &&
            !is_its_name(t, point->keys[i]))
            value_set(a, rest, point->keys[i], point->items[i]);
    buf_reset(b);
    buf_addf(b, "%u ", t->member);
    json_print(b, rest);
}

int settings_find(struct store *store, const struct trial_weights *members,
                  size_t count, struct settings *to, struct arena *a,
                  struct err *err)
{
    const struct value *model = model_of(store, a);
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
        print_setting(&key, &t, model, a);
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
