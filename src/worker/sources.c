/* sources.c - the data sets that the members of a trainer are trained on */
#include "worker/sources.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "sys/sys.h"

#define FITTED_SEED 7          /* keys of such are not those of other sets */
#define UNUSED_NS 1000000000ll /* before a set is closed */
#define CACHE_LEAST ((uint64_t)1 << 20) /* of a prepared set */
#define CACHE_MOST ((uint64_t)16 << 30) /* of all of them */

static struct data_set *open_set(const struct value *spec, const char *folder,
                                 struct err *err)
{
    struct arena *a = arena_new();
    struct data_cache cache = {.folder = cache_dir(a),
                               .least_bytes = CACHE_LEAST,
                               .most_bytes = CACHE_MOST};
    struct data_set *set =
        data_open(spec, folder, cache.folder ? &cache : NULL, err);
    arena_free(a);
    return set;
}

static struct source *source_new(struct sources *s, uint64_t key)
{
    struct source *one = xcalloc(1, sizeof *one);
    one->key = key;
    vec_push(&s->list, one);
    return one;
}

static struct source *find(const struct sources *s, uint64_t key)
{
    for (size_t i = 0; i < s->list.len; i++)
        if (s->list.p[i]->key == key)
            return s->list.p[i];
    return NULL;
}

static void close_set(struct source *one)
{
    data_close(one->set);
    one->set = NULL;
}

/* Makes room for one that may be as large. */
static void close_unused(struct sources *s)
{
    for (size_t i = 0; i < s->list.len; i++)
        if (s->list.p[i]->users == 0)
            close_set(s->list.p[i]);
}

struct source *sources_take(struct sources *s, const struct value *spec,
                            const char *folder, struct err *err)
{
    uint64_t key = hash64(str_of(folder), data_reading_key(spec));
    struct source *one = find(s, key);
    if (!one || !one->set) {
        close_unused(s);
        struct data_set *set = open_set(spec, folder, err);
        if (!set)
            return NULL;
        if (!one)
            one = source_new(s, key);
        one->set = set;
    }
    one->users++;
    return one;
}

struct source *sources_take_fitted(struct sources *s, const struct value *spec,
                                   const char *folder, struct str fitted,
                                   const char *path, bool readable,
                                   struct err *err)
{
    struct data_view view;
    struct buf text;
    buf_init(&text);
    json_print(&text, spec);
    uint64_t key =
        hash64(fitted, hash64(buf_str(&text),
                              hash64(str_of(folder), FITTED_SEED + readable)));
    buf_done(&text);
    struct source *one = find(s, key);
    if (!one) {
        struct data_set *set =
            readable
                ? data_open_readable(spec, folder, fitted, path, &view, err)
                : data_open_fitted(spec, folder, fitted, path, &view, err);
        if (!set)
            return NULL;
        one = source_new(s, key);
        one->set = set;
        one->view = view;
        one->fitted = true;
    }
    one->users++;
    return one;
}

static void remove_one(struct sources *s, struct source *one)
{
    for (size_t i = 0; i < s->list.len; i++)
        if (s->list.p[i] == one) {
            s->list.p[i] = vec_last(&s->list);
            s->list.len--;
            break;
        }
    close_set(one);
    free(one);
}

void sources_leave(struct sources *s, struct source *one)
{
    if (!one || --one->users)
        return;
    one->left_ns = clock_mono_ns();
    if (one->fitted)
        remove_one(s, one);
}

int sources_tidy(struct sources *s)
{
    int64_t now = clock_mono_ns(), next = -1;
    for (size_t i = 0; i < s->list.len; i++) {
        struct source *one = s->list.p[i];
        if (one->users || !one->set)
            continue;
        int64_t left = one->left_ns + UNUSED_NS - now;
        if (left <= 0)
            close_set(one);
        else if (next < 0 || left < next)
            next = left;
    }
    return next < 0 ? -1 : (int)(next / 1000000) + 1;
}

void sources_done(struct sources *s)
{
    for (size_t i = 0; i < s->list.len; i++) {
        data_close(s->list.p[i]->set);
        free(s->list.p[i]);
    }
    vec_done(&s->list);
}
