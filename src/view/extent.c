/* extent.c - a trial and what belongs to it */
#include <string.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

typedef VEC(struct artifact) artifact_list;

static void add_folder(struct store *store, int64_t trial, struct arena *a,
                       artifact_list *list)
{
    char *output = path_join(a, store_trial_folder(store, trial, a), "output");
    const char **files =
        file_is_dir(output) ? dir_glob(output, "**", a, NULL) : NULL;
    for (; files && *files; files++) {
        struct artifact one = {.path = str_of(*files),
                               .bytes =
                                   file_bytes(path_join(a, output, *files))};
        vec_push(list, one);
    }
}

static void add_packed(const struct extent *x, artifact_list *list)
{
    static const char output[] = "output/";
    for (size_t i = 0; i < x->packed_count; i++) {
        const char *name = x->packed[i].name;
        struct artifact one = {.bytes = x->packed[i].bytes};
        if (strncmp(name, output, strlen(output)))
            continue;
        one.path = str_of(name + strlen(output));
        vec_push(list, one);
    }
}

/* What was kept by rank is recorded; of other trials their folder and packs
 * say what they left. */
static int find_outputs(struct extent *x, struct store *store,
                        struct packs *packs, struct arena *a, struct err *err)
{
    int64_t id = x->trial.id;
    artifact_list list = {0};
    if (packs_list(packs, id, a, &x->packed, &x->packed_count, err) ||
        store_artifacts(store, id, a, &x->artifacts, &x->artifact_count, err))
        return -1;
    if (x->artifact_count)
        return 0;
    add_folder(store, id, a, &list);
    add_packed(x, &list);
    x->artifact_count = list.len;
    x->artifacts = vec_to_arena(a, &list);
    return 0;
}

int extent_read(struct extent *x, struct store *store, struct packs *packs,
                int64_t trial, struct arena *a, struct err *err)
{
    *x = (struct extent){0};
    if (store_trial(store, trial, a, &x->trial, err) ||
        store_attempts(store, trial, a, &x->attempts, &x->attempt_count, err))
        return -1;
    x->folder = store_trial_folder(store, trial, a);
    return find_outputs(x, store, packs, a, err);
}

/* ---- JSON ------------------------------------------------------------- */

static void attempt_json(struct buf *b, const struct attempt *a)
{
    buf_addf(b, "{\"number\":%u,\"outcome\":\"%s\",\"host\":", a->number,
             outcome_name(a->outcome));
    json_string(b, str_of(a->host));
    buf_addf(b, ",\"exit_code\":%d,\"signal\":%d,\"seconds\":", a->exit_code,
             a->signum);
    strict_seconds(b, a->seconds);
    buf_adds(b, ",\"cpu_seconds\":");
    strict_seconds(b, a->cpu_seconds);
    buf_addf(b, ",\"max_rss_bytes\":%llu,\"reason\":",
             (unsigned long long)a->max_rss_bytes);
    json_string(b, a->reason);
    use_json(b, &a->use);
    buf_adds(b, ",\"tail\":");
    json_string(b, a->tail);
    buf_addc(b, '}');
}

static void artifact_json(struct buf *b, const struct artifact *a)
{
    buf_adds(b, "{\"path\":");
    json_string(b, a->path);
    buf_addf(b, ",\"bytes\":%llu,\"sha256\":", (unsigned long long)a->bytes);
    strict_string_or_null(b, a->sha256);
    buf_addc(b, '}');
}

void extent_json(struct buf *b, const struct extent *x, const struct goal *goal,
                 struct str commit, struct arena *a)
{
    buf_adds(b, "{\"trial\":");
    trial_json(b, &x->trial, goal, commit, a);
    buf_adds(b, ",\"attempts\":[");
    for (size_t i = 0; i < x->attempt_count; i++) {
        if (i)
            buf_addc(b, ',');
        attempt_json(b, &x->attempts[i]);
    }
    buf_adds(b, "],\"outputs\":[");
    for (size_t i = 0; i < x->artifact_count; i++) {
        if (i)
            buf_addc(b, ',');
        artifact_json(b, &x->artifacts[i]);
    }
    buf_adds(b, "],\"folder\":");
    json_string(b, str_of(x->folder));
    buf_addc(b, '}');
}
