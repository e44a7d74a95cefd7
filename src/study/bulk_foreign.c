/* bulk_foreign.c - an inference over very many rows by weights that another
 * program trained
 *
 * When the study begins they become a weights file of ours in its folder, so
 * that its shards are those of any other. It is known by the hash of the files
 * that it was made of. */
#include "base/hash.h"
#include "study/bulk.h"
#include "study/shards.h"

static const char *at_home(struct str name, const char *home, struct arena *a)
{
    return name.len ? path_absolute(a, path_join(a, home, arena_cstr(a, name)))
                    : NULL;
}

static const char *text_or_null(struct str text, struct arena *a)
{
    return text.len ? arena_cstr(a, text) : NULL;
}

bool bulk_is_foreign(const struct plan_predict *p, const char *home,
                     struct arena *a)
{
    return p->models.len && foreign_weights_are(at_home(p->models, home, a),
                                                text_or_null(p->weights, a));
}

/* Rows are a table or an array by what the first file of them is. */
static const char *first_file(const struct plan_predict *p, const char *home,
                              struct arena *a)
{
    if (!p->data_count)
        return NULL;
    const char *name = at_home(p->data[0], home, a);
    if (file_exists(name) || !strpbrk(name, "*?["))
        return name;
    const char **found = shards_glob(home, arena_cstr(a, p->data[0]), a);
    return found && *found ? path_join(a, home, *found) : name;
}

int bulk_foreign_take(const struct plan_predict *p, const char *home,
                      const char *scratch, struct bulk_found *to,
                      struct arena *a, struct err *err)
{
    struct foreign_weights from = {
        .model = at_home(p->models, home, a),
        .weights = at_home(p->weights, home, a),
        .data = first_file(p, home, a),
        .product = p->product_count > 0,
        .label = text_or_null(p->label, a),
        .loss = text_or_null(p->loss, a),
        .draws = p->samples > 0 || p->permanent_dropout,
    };
    to->called = from.model;
    to->path = path_join(a, scratch, "foreign.safetensors");
    return foreign_weights_take(&from, to->path, &to->notice, a, err);
}

int bulk_foreign_hash(const struct plan_predict *p, const char *home,
                      char hex[65], struct arena *a, struct err *err)
{
    const char *files[] = {at_home(p->models, home, a),
                           at_home(p->weights, home, a)};
    struct buf all;
    int rc = 0;
    buf_init(&all);
    for (size_t i = 0; !rc && i < sizeof(files) / sizeof(*files); i++) {
        struct str bytes;
        if (!files[i] || (rc = file_map(files[i], &bytes, err)))
            continue;
        sha256_hex(bytes, hex);
        buf_adds(&all, hex);
        file_unmap(bytes);
    }
    if (!rc)
        sha256_hex(buf_str(&all), hex);
    buf_done(&all);
    return rc;
}
