/* layer_look.c - the rows of a layer as directions and groups
 *
 * The table that a task has written becomes one of what was asked for: pc_1 …,
 * and cluster with silhouette. Rows of which nothing is predicted stay in it,
 * and nothing is found by them. */
#include <math.h>

#include "base/num.h"
#include "view/layer_look.h"

struct looking {
    const struct layer_asked *asked;
    struct layer_table table;
    struct principal principal;
    size_t *cluster;
    double *silhouettes; /* NULL: too many rows for them */
    struct value *told;
    struct arena *arena;
    struct err *err;
};

static int check(const struct looking *l)
{
    const struct layer_table *t = &l->table;
    const struct layer_asked *q = l->asked;
    if (!t->rows)
        return err_set(l->err, ERR_INPUT, "no row has numbers to look at");
    if (q->components > t->columns || q->clusters > t->rows)
        return err_set(l->err, ERR_USAGE,
                       q->components > t->columns
                           ? "--pca takes a number up to the %zu of the layer"
                           : "--k-means takes a number up to the %zu rows",
                       q->components > t->columns ? t->columns : t->rows);
    if (q->components && t->columns > LAYER_COLUMNS)
        return err_set(l->err, ERR_LIMIT,
                       "the layer has %zu numbers a row; --pca takes up to %d",
                       t->columns, LAYER_COLUMNS);
    return 0;
}

static void find_directions(struct looking *l)
{
    const struct layer_table *t = &l->table;
    struct value *list = value_list(l->arena);
    l->principal = (struct principal){.count = l->asked->components,
                                      .columns = t->columns};
    principal_fit(&l->principal, t->numbers, t->rows, l->arena);
    for (size_t i = 0; i < l->principal.count; i++)
        value_list_add(l->arena, list,
                       value_double(l->arena, l->principal.explained[i]));
    value_set(l->arena, l->told, STR("explained"), list);
}

static void find_clusters(struct looking *l)
{
    const struct layer_table *t = &l->table;
    size_t k = l->asked->clusters;
    double sum = 0;
    l->cluster = arena_array(l->arena, t->rows + 1, sizeof(*l->cluster));
    double squares =
        clusters_find(t->numbers, t->rows, t->columns, k, l->cluster);
    value_set(l->arena, l->told, STR("squares"),
              value_double(l->arena, squares));
    if (t->rows > LAYER_SILHOUETTES)
        return;
    l->silhouettes =
        arena_array(l->arena, t->rows + 1, sizeof(*l->silhouettes));
    clusters_silhouettes(t->numbers, t->rows, t->columns, k, l->cluster,
                         l->silhouettes);
    for (size_t i = 0; i < t->rows; i++)
        sum += l->silhouettes[i];
    value_set(l->arena, l->told, STR("silhouette"),
              value_double(l->arena, sum / (double)t->rows));
}

static void add_row(const struct looking *l, struct buf *b, size_t i)
{
    const double *row = l->table.numbers + i * l->table.columns;
    buf_addf(b, "%llu", (unsigned long long)l->table.row[i]);
    for (size_t k = 0; k < l->principal.count; k++) {
        buf_addc(b, ',');
        num_print(b, principal_at(&l->principal, k, row));
    }
    if (l->cluster)
        buf_addf(b, ",%zu,", l->cluster[i] + 1);
    if (l->silhouettes)
        num_print(b, l->silhouettes[i]);
    buf_addc(b, '\n');
}

/* Those that come before row i of the others, with empty cells. */
static size_t add_gaps(const struct looking *l, struct buf *b, size_t from,
                       size_t i)
{
    size_t cells = l->principal.count + (l->cluster ? 2 : 0);
    for (; from < l->table.gaps.len && l->table.gaps.p[from].before == i;
         from++) {
        buf_addf(b, "%llu", (unsigned long long)l->table.gaps.p[from].row);
        for (size_t k = 0; k < cells; k++)
            buf_addc(b, ',');
        buf_addc(b, '\n');
    }
    return from;
}

static int write_table(const struct looking *l, const char *path)
{
    struct buf b;
    struct file_out *out = file_begin(path, l->err);
    if (!out)
        return -1;
    buf_init(&b);
    buf_adds(&b, "row");
    for (size_t k = 0; k < l->principal.count; k++)
        buf_addf(&b, ",pc_%zu", k + 1);
    buf_adds(&b, l->cluster ? ",cluster,silhouette\n" : "\n");
    int rc = file_add(out, buf_str(&b), l->err);
    for (size_t i = 0, gap = 0; !rc && i <= l->table.rows; i++) {
        buf_reset(&b);
        gap = add_gaps(l, &b, gap, i);
        if (i < l->table.rows)
            add_row(l, &b, i);
        rc = file_add(out, buf_str(&b), l->err);
    }
    buf_done(&b);
    if (!rc)
        return file_end(out, false, l->err);
    file_drop(out);
    return -1;
}

struct value *layer_look(const struct layer_asked *q, struct arena *a,
                         struct err *err)
{
    struct looking l = {
        .asked = q, .arena = a, .err = err, .told = value_object(a)};
    if (layer_table_read(&l.table, q->folder, true, a, err))
        return NULL;
    int rc = check(&l);
    if (!rc && q->components)
        find_directions(&l);
    if (!rc && q->clusters)
        find_clusters(&l);
    if (!rc)
        rc = write_table(&l, path_join(a, q->folder, "output/predictions.csv"));
    layer_table_done(&l.table);
    return rc ? NULL : l.told;
}
