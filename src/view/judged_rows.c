/* judged_rows.c - predictions beside truths
 *
 * The worker writes a line for each row; from it come how well the model finds
 * the largest, and how good it is on each group of rows. */
#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/num.h"
#include "view/view.h"

struct judged {
    uint64_t row;             /* in its file, from 1 */
    struct str label, answer; /* as they are written */
    double truth, guess;      /* the same as numbers, or NaN */
    size_t at;                /* its place among them */
};

struct rows {
    struct arena *arena;
    struct err *err;
    VEC(struct judged) list;
    bool numbers; /* all labels and answers are, and no classes */
};

/* ---- reading ---------------------------------------------------------------
 */

static long column_of(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->fields.len; i++)
        if (str_is(csv->fields.p[i], name))
            return (long)i;
    return -1;
}

/* Classes may be named like numbers, but have their probabilities. */
static bool are_classes(const struct csv *csv)
{
    for (size_t i = 0; i < csv->fields.len; i++)
        if (str_starts(csv->fields.p[i], STR("p_")))
            return true;
    return false;
}

static int no_rows(struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "--k-rank and --by need one label and one answer a row; "
                   "this model has several, or the rows have none");
}

static void add_row(struct rows *r, const struct csv *csv, size_t label,
                    size_t answer)
{
    struct judged one = {.at = r->list.len, .truth = NAN, .guess = NAN};
    num_uint(csv->fields.p[0], &one.row);
    one.label = arena_str(r->arena, csv->fields.p[label]);
    one.answer = arena_str(r->arena, csv->fields.p[answer]);
    r->numbers = num_double(one.label, &one.truth) &&
                 num_double(one.answer, &one.guess) && r->numbers;
    vec_push(&r->list, one);
}

static int read_rows(struct rows *r, const char *folder)
{
    const char *path = path_join(r->arena, folder, "output/predictions.csv");
    struct str text;
    struct csv csv;
    long label = -1, answer = -1;
    if (file_map(path, &text, r->err))
        return -1;
    csv_init(&csv, text, ',');
    int got = csv_next(&csv, r->err);
    if (got > 0) {
        label = column_of(&csv, "label");
        answer = column_of(&csv, "predicted");
        r->numbers = !are_classes(&csv);
    }
    if (got > 0 && (label < 0 || answer < 0))
        got = no_rows(r->err);
    while (got > 0 && (got = csv_next(&csv, r->err)) > 0)
        add_row(r, &csv, (size_t)label, (size_t)answer);
    csv_done(&csv);
    file_unmap(text);
    return got;
}

/* ---- the largest -----------------------------------------------------------
 */

/* The larger first; what is not a number is the last. */
static int larger_first(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x < y) - (x > y);
}

static int by_truth(const void *a, const void *b)
{
    const struct judged *x = a, *y = b;
    return larger_first(x->truth, y->truth);
}

static int by_guess(const void *a, const void *b)
{
    const struct judged *x = a, *y = b;
    return larger_first(x->guess, y->guess);
}

static struct judged *sorted(const struct rows *r,
                             int (*order)(const void *, const void *))
{
    struct judged *copy = xcalloc(r->list.len + 1, sizeof(*copy));
    if (r->list.len) {
        memcpy(copy, r->list.p, r->list.len * sizeof(*copy));
        qsort(copy, r->list.len, sizeof(*copy), order);
    }
    return copy;
}

/* Of the k rows with the largest answers, the share whose truth is among the k
 * largest. As large as the k-th truth is large enough; of answers that equal
 * the k-th as many count as have room, each for its part, so that the order of
 * rows says nothing. */
static double share_of(const struct rows *r, const struct judged *truth,
                       const struct judged *guess, size_t k)
{
    double above = 0, tied = 0, right_above = 0, right_tied = 0;
    for (size_t i = 0; i < r->list.len; i++) {
        const struct judged *one = &r->list.p[i];
        int place = larger_first(one->guess, guess->guess);
        bool right = larger_first(one->truth, truth->truth) <= 0;
        above += place < 0;
        tied += place == 0;
        right_above += place < 0 && right;
        right_tied += place == 0 && right;
    }
    return (right_above + ((double)k - above) * right_tied / tied) / (double)k;
}

static int add_k_rank(const struct rows *r, const char *text, struct value *to)
{
    struct value *list = value_list(r->arena);
    struct judged *truths = sorted(r, by_truth), *guesses = sorted(r, by_guess);
    struct str rest = str_of(text), one;
    int rc = r->numbers ? 0
                        : err_set(r->err, ERR_INPUT,
                                  "--k-rank is of numbers, not of classes");
    while (!rc && str_split(&rest, ',', &one)) {
        uint64_t k = 0;
        struct value *v = value_object(r->arena);
        if (!num_uint(str_trim(one), &k) || k < 1 || k > r->list.len) {
            rc = err_set(r->err, ERR_USAGE,
                         "--k-rank takes whole numbers from 1 to the %zu rows, "
                         "not %.*s",
                         r->list.len, STRF(one));
            break;
        }
        value_set(r->arena, v, STR("k"), value_int(r->arena, (int64_t)k));
        value_set(r->arena, v, STR("share"),
                  value_double(r->arena, share_of(r, &truths[k - 1],
                                                  &guesses[k - 1], k)));
        value_list_add(r->arena, list, v);
    }
    free(truths);
    free(guesses);
    value_set(r->arena, to, STR("k_rank"), list);
    return rc;
}

/* ---- groups ----------------------------------------------------------------
 */

struct group {
    struct str name;
    double rows, right, absolute, squares, sum, sum_squares;
};

static void count_row(struct group *g, const struct judged *r)
{
    double off = r->guess - r->truth;
    g->rows++;
    g->right += str_eq(r->label, r->answer);
    g->absolute += fabs(off);
    g->squares += off * off;
    g->sum += r->truth;
    g->sum_squares += r->truth * r->truth;
}

static void set_number(struct arena *a, struct value *to, const char *key,
                       double x)
{
    value_set(a, to, str_of(key), value_double(a, x));
}

static struct value *group_value(const struct rows *r, const struct group *g)
{
    struct value *v = value_object(r->arena);
    double spread = g->sum_squares - g->sum * g->sum / g->rows;
    value_set(r->arena, v, STR("name"), value_string(r->arena, g->name));
    value_set(r->arena, v, STR("rows"), value_int(r->arena, (int64_t)g->rows));
    if (!r->numbers) {
        set_number(r->arena, v, "accuracy", g->right / g->rows);
        return v;
    }
    set_number(r->arena, v, "mae", g->absolute / g->rows);
    set_number(r->arena, v, "rmse", sqrt(g->squares / g->rows));
    set_number(r->arena, v, "r2", spread > 0 ? 1 - g->squares / spread : NAN);
    return v;
}

/* The table that the rows came from. */
static const char *table_of(const struct rows *r, const struct judged_asked *q,
                            char *separator)
{
    struct arena *a = r->arena;
    const struct value *model = json_parse(a, q->model, "model", false, r->err);
    const struct value *spec = value_get(model, STR("data"));
    struct str file = value_text(value_get(spec, STR("file")));
    struct str mark = value_text(value_get(spec, STR("separator")));
    *separator = str_is(mark, "tab") ? '\t' : mark.len == 1 ? *mark.p : ',';
    if (file.len)
        return path_join(a, arena_cstr(a, q->workdir), arena_cstr(a, file));
    err_set(r->err, ERR_INPUT,
            "--by is a column of a table, and the rows are in files of their "
            "own");
    return NULL;
}

static int no_column(const struct rows *r, const struct csv *csv,
                     const char *by, const char *path)
{
    const char **names =
        arena_array(r->arena, csv->fields.len + 1, sizeof(*names));
    for (size_t i = 0; i < csv->fields.len; i++)
        names[i] = arena_cstr(r->arena, csv->fields.p[i]);
    const char *near = str_nearest(str_of(by), names);
    return err_set(r->err, ERR_INPUT, "%s has no column %s%s%s%s", path, by,
                   near ? "; did you mean " : "", near ? near : "",
                   near ? "?" : "");
}

/* Its values by row, from 1; NULL and err. */
static struct str *read_column(const struct rows *r, const char *path,
                               char separator, const char *by, size_t *count)
{
    struct str text, *values = NULL;
    VEC(struct str) found = {0};
    struct csv csv;
    if (file_map(path, &text, r->err))
        return NULL;
    csv_init(&csv, text, separator);
    int got = csv_next(&csv, r->err);
    long column = got > 0 ? column_of(&csv, by) : -1;
    if (got > 0 && column < 0)
        got = no_column(r, &csv, by, path);
    while (got > 0 && (got = csv_next(&csv, r->err)) > 0)
        vec_push(&found, (size_t)column < csv.fields.len
                             ? arena_str(r->arena, csv.fields.p[column])
                             : STR(""));
    csv_done(&csv);
    file_unmap(text);
    *count = found.len;
    if (got == 0)
        values = vec_to_arena(r->arena, &found);
    vec_done(&found);
    return values;
}

/* A row with the name of its group. */
struct placed {
    struct str group;
    const struct judged *row;
};

static int by_group(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    int order = str_cmp(x->group, y->group);
    return order ? order
                 : (x->row->at > y->row->at) - (x->row->at < y->row->at);
}

/* The values of each group, whose rows stand together. */
static struct value *group_list(const struct rows *r,
                                const struct placed *placed)
{
    struct value *list = value_list(r->arena);
    for (size_t i = 0; i < r->list.len;) {
        struct group g = {.name = placed[i].group};
        for (; i < r->list.len && str_eq(placed[i].group, g.name); i++)
            count_row(&g, placed[i].row);
        value_list_add(r->arena, list, group_value(r, &g));
    }
    return list;
}

static int add_groups(const struct rows *r, const struct judged_asked *q,
                      struct value *to)
{
    char separator;
    size_t count;
    const char *path = table_of(r, q, &separator);
    struct str *values =
        path ? read_column(r, path, separator, q->by, &count) : NULL;
    if (!values)
        return -1;
    struct placed *placed = xcalloc(r->list.len + 1, sizeof(*placed));
    for (size_t i = 0; i < r->list.len; i++) {
        const struct judged *one = &r->list.p[i];
        bool known = one->row >= 1 && one->row <= count;
        placed[i].group = known ? values[one->row - 1] : STR("");
        placed[i].row = one;
    }
    if (r->list.len)
        qsort(placed, r->list.len, sizeof(*placed), by_group);
    value_set(r->arena, to, STR("by"), value_string(r->arena, str_of(q->by)));
    value_set(r->arena, to, STR("groups"), group_list(r, placed));
    free(placed);
    return 0;
}

/* ---- both ------------------------------------------------------------------
 */

struct value *judged_rows(const struct judged_asked *q, struct arena *a,
                          struct err *err)
{
    struct rows r = {.arena = a, .err = err, .numbers = true};
    struct value *to = value_object(a);
    int rc = read_rows(&r, q->folder);
    if (!rc && q->k_rank)
        rc = add_k_rank(&r, q->k_rank, to);
    if (!rc && q->by)
        rc = add_groups(&r, q, to);
    vec_done(&r.list);
    return rc ? NULL : to;
}
