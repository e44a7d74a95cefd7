/* novelties.c - how far rows lie from those that an ensemble was trained on
 *
 * Its members are asked one after the other for the numbers of their layers,
 * and what each makes of a row is added up. A threshold needs rows that no
 * member was trained on: of what each has held out, the rows that all have. */
#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/num.h"
#include "ensemble/ensemble.h"
#include "nn/nn.h"
#include "study/study.h"

/* ---- whose it is ----------------------------------------------------------
 */

int novelties_read(struct novelties *n, const char *path, struct arena *a,
                   struct err *err)
{
    struct str bytes;
    if (file_map(path, &bytes, err))
        return -1;
    struct str text = arena_str(a, bytes);
    file_unmap(bytes);
    if (!novelties_is(text))
        return err_set(err, ERR_INPUT,
                       "%s was fitted for no ensemble: fit it by `throng "
                       "novelty`",
                       path);
    return novelties_parse(n, text, path, a, err);
}

int novelties_are_of(const struct novelties *n, const struct models *m,
                     const char *path, struct err *err)
{
    bool same = n->count == m->count;
    for (size_t i = 0; same && i < m->count; i++) {
        struct str bytes;
        char hex[65];
        if (file_map(m->list[i].file, &bytes, err))
            return -1;
        sha256_hex(bytes, hex);
        file_unmap(bytes);
        same = str_is(n->list[i].sha256, hex) &&
               fabs(n->weights[i] - m->list[i].weight) < 1e-12;
    }
    if (same)
        return 0;
    return err_set(err, ERR_INPUT,
                   "%s was fitted for another ensemble: fit it again by "
                   "`throng novelty`",
                   path);
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

/* All members speak of the same rows in the same order. */
static int add_same(struct novelty_scores *s, const struct novelty_row *own,
                    size_t count, struct err *err)
{
    bool same = count == s->count;
    for (size_t i = 0; same && i < count; i++) {
        same = s->list[i].row == own[i].row;
        s->list[i].score += own[i].score;
    }
    return same ? 0
                : err_set(err, ERR_INPUT,
                          "the members have other rows of their own: name rows "
                          "by --data");
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
    if (s->common)
        qsort(own, count, sizeof(*own), by_row);
    for (size_t i = 1; s->common && i < count; i++)
        if (own[i].row == own[i - 1].row)
            return err_set(err, ERR_INPUT,
                           "rows of several files cannot be told apart");
    if (first) {
        s->list = own;
        s->count = count;
        return 0;
    }
    if (!s->common)
        return add_same(s, own, count, err);
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

/* ---- as columns -----------------------------------------------------------
 */

static void add_columns(struct buf *line, const struct csv *csv,
                        const struct novelty_row *row, double threshold)
{
    buf_reset(line);
    for (size_t i = 0; i < csv->fields.len; i++) {
        csv_field(line, csv->fields.p[i], ',');
        buf_addc(line, ',');
    }
    if (!row) {
        buf_adds(line, "distance,unlike\n");
        return;
    }
    if (isfinite(row->score))
        num_print(line, row->score);
    buf_adds(line, row->score <= threshold ? ",0\n" : ",1\n");
}

static int write_rows(const struct novelty_scores *s, double threshold,
                      struct csv *csv, struct file_out *out, struct err *err)
{
    struct buf line;
    size_t rows = 0;
    int got, rc = 0;
    buf_init(&line);
    while (!rc && (got = csv_next(csv, err)) > 0) {
        if (rows > s->count)
            rc = err_set(err, ERR_CORRUPT, "there are too few rows of layers");
        else
            add_columns(&line, csv, rows ? &s->list[rows - 1] : NULL,
                        threshold);
        rows++;
        if (!rc)
            rc = file_add(out, buf_str(&line), err);
    }
    buf_done(&line);
    return rc || got < 0 ? -1 : 0;
}

int novelty_scores_write(const struct novelty_scores *s, double threshold,
                         const char *predictions, struct err *err)
{
    struct str text;
    struct csv csv;
    if (file_map(predictions, &text, err))
        return -1;
    csv_init(&csv, text, ',');
    struct file_out *out = file_begin(predictions, err);
    int rc = out ? write_rows(s, threshold, &csv, out, err) : -1;
    if (out && rc)
        file_drop(out);
    else if (out)
        rc = file_end(out, false, err);
    csv_done(&csv);
    file_unmap(text);
    return rc;
}
