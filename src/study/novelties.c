/* novelties.c - how far rows lie from those that models were trained on
 *
 * What `novelty` has found is of the models that it was found for. To find it
 * the members of an ensemble are asked one after the other for the numbers of
 * their layers, and what each makes of a row is added up. A threshold needs
 * rows that no member was trained on: of what each has held out, the rows that
 * all have. */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/json.h"
#include "ensemble/ensemble.h"
#include "nn/nn.h"
#include "study/study.h"

/* ---- whose it is ----------------------------------------------------------
 */

int weights_hash(const char *file, char hex[65], struct err *err)
{
    struct str bytes;
    if (file_map(file, &bytes, err))
        return -1;
    sha256_hex(bytes, hex);
    file_unmap(bytes);
    return 0;
}

static int read_file(struct novelties *n, const char *path, struct arena *a,
                     struct err *err)
{
    struct str bytes;
    if (file_map(path, &bytes, err))
        return -1;
    struct str text = arena_str(a, bytes);
    file_unmap(bytes);
    return novelties_parse_any(n, text, path, a, err);
}

/* 1: of these very models; 0: of others. */
static int are_same(const struct novelties *n, const struct models *m,
                    struct err *err)
{
    if (n->count != m->count)
        return 0;
    for (size_t i = 0; i < m->count; i++) {
        char hex[65];
        if (weights_hash(m->list[i].file, hex, err))
            return -1;
        if (!str_is(n->list[i].sha256, hex) ||
            fabs(n->weights[i] - m->list[i].weight) > 1e-12)
            return 0;
    }
    return 1;
}

int novelties_read(struct novelties *n, const char *path,
                   const struct models *m, struct arena *a, struct err *err)
{
    if (read_file(n, path, a, err))
        return -1;
    if (n->alone && m->is_ensemble && m->count > 1)
        return err_set(err, ERR_INPUT,
                       "%s was fitted for no ensemble: fit it by `throng "
                       "novelty`",
                       path);
    if (!n->alone && !m->is_ensemble)
        return err_set(err, ERR_INPUT,
                       "%s was fitted for an ensemble: fit another by `throng "
                       "novelty`",
                       path);
    int same = are_same(n, m, err);
    if (same)
        return same < 0 ? -1 : 0;
    return err_set(err, ERR_INPUT,
                   "%s was fitted for %s: fit it again by `throng novelty`",
                   path, n->alone ? "other weights" : "another ensemble");
}

/* Numbers of rows are those of a file: all must have the same. */
static struct str files_of(const char *weights, struct arena *a,
                           struct err *err)
{
    static const char *const keys[] = {"file", "inputs", "train"};
    struct nn_about about;
    struct buf b;
    const struct value *model;
    if (nn_weights_about(weights, a, &about, err) ||
        !(model = json_parse(a, about.model, weights, false, err)))
        return STR("");
    const struct value *data = value_get(model, STR("data"));
    buf_init(&b);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const struct value *v = value_get(data, str_of(keys[i]));
        buf_addf(&b, "%s:", keys[i]);
        if (v)
            json_print(&b, v);
    }
    struct str text = arena_str(a, buf_str(&b));
    buf_done(&b);
    return text;
}

int novelties_share_rows(const struct models *m, struct arena *a,
                         struct err *err)
{
    struct str first = {0};
    for (size_t i = 0; i < m->count; i++) {
        struct str own = files_of(m->list[i].file, a, err);
        if (!own.len)
            return -1;
        first = i ? first : own;
        if (!str_eq(first, own))
            return err_set(err, ERR_INPUT,
                           "%s: its members were trained on rows of other "
                           "files, of which none are held out by all",
                           m->path);
    }
    return 0;
}

/* ---- scores ---------------------------------------------------------------
 */

void novelty_scores_done(struct novelty_scores *s)
{
    free(s->list);
    *s = (struct novelty_scores){0};
}

static int by_row(const void *a, const void *b)
{
    const struct novelty_row *x = a, *y = b;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* What this member makes of each row, in their order. */
static struct novelty_row *parts_of(const struct novelties *n, size_t member,
                                    const struct layer_table *t,
                                    struct err *err)
{
    struct novelty_row *list = malloc((t->rows + 1) * sizeof(*list));
    double *scratch = malloc((t->columns + 1) * sizeof(*scratch));
    if (!list || !scratch) {
        free(list);
        free(scratch);
        err_set(err, ERR_LIMIT, "no memory for %zu rows", t->rows);
        return NULL;
    }
    for (size_t i = 0; i < t->rows; i++) {
        double d = novelty_distance(&n->list[member],
                                    t->numbers + i * t->columns, scratch);
        list[i] = (struct novelty_row){t->row[i], novelties_part(n, member, d)};
    }
    free(scratch);
    return list;
}

/* Those that both have. */
static void add_common(struct novelty_scores *s, const struct novelty_row *own,
                       size_t count)
{
    size_t kept = 0;
    for (size_t i = 0, k = 0; i < s->count; i++) {
        while (k < count && own[k].row < s->list[i].row)
            k++;
        if (k == count || own[k].row != s->list[i].row)
            continue;
        s->list[kept].row = own[k].row;
        s->list[kept++].score = s->list[i].score + own[k].score;
    }
    s->count = kept;
}

static int add_parts(struct novelty_scores *s, struct novelty_row *own,
                     size_t count, struct err *err)
{
    bool first = !s->members++;
    qsort(own, count, sizeof(*own), by_row);
    for (size_t i = 1; i < count; i++)
        if (own[i].row == own[i - 1].row)
            return err_set(err, ERR_INPUT,
                           "rows of several files cannot be told apart");
    if (first) {
        s->list = own;
        s->count = count;
        return 0;
    }
    add_common(s, own, count);
    return 0;
}

int novelty_scores_add(struct novelty_scores *s, const struct novelties *n,
                       size_t member, const struct layer_table *t,
                       struct err *err)
{
    if (t->columns != n->list[member].columns)
        return err_set(err, ERR_INPUT,
                       "the layer has %zu numbers a row, not %zu", t->columns,
                       n->list[member].columns);
    struct novelty_row *own = parts_of(n, member, t, err);
    int rc = own ? add_parts(s, own, t->rows, err) : -1;
    if (own != s->list)
        free(own);
    return rc;
}
