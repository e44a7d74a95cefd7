/* product.c - all combinations of the rows of several tables, never written
 * down
 *
 * Row number r of the product is one row of each table, those of the last table
 * going round first. An input of a model is the columns of all tables, one
 * after another. The product is looked at through a window: the view has so
 * many rows, whose pieces say which row of each table they have, and moving it
 * says that anew. A table that is named twice is there once.
 *
 * A first column that is none of the model's is the name of a row. */
#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "data/set.h"

struct product_table {
    const char *path;
    const char *title; /* of the column with its rows' names */
    size_t rows, columns;
    float *numbers;    /* rows × columns */
    struct str *names; /* NULL: rows have numbers, from 1 */
};

struct data_product {
    struct arena *arena;
    struct product_table *tables;
    size_t count;
    uint64_t rows;
    struct data_table table;
    struct data_field input;
    struct data_piece *pieces;
    uint32_t **row_of; /* by table: of the window */
};

/* What the model's input is called, column by column. */
struct expected {
    const struct value *names, *columns; /* NULL: nobody knows */
    size_t count, at;
};

/* ---- one table ------------------------------------------------------------
 */

static const char *title_of(struct data_product *p, size_t table)
{
    const char *path = p->tables[table].path, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *dot = strchr(name, '.');
    size_t len = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    size_t before = 0;
    for (size_t i = 0; i < table; i++)
        before += strcmp(p->tables[i].path, path) == 0;
    return before
               ? arena_printf(p->arena, "%.*s_%zu", (int)len, name, before + 1)
               : arena_printf(p->arena, "%.*s", (int)len, name);
}

/* A column of a join is called after it: drug1.weight. */
static bool is_named(struct str known, struct str name)
{
    return str_eq(known, name) ||
           (known.len > name.len && str_ends(known, name) &&
            known.p[known.len - name.len - 1] == '.');
}

static struct str expected_name(const struct expected *e, size_t at)
{
    const struct value *column = value_at(e->columns, at);
    return column && column->kind == VALUE_INT
               ? value_text(value_at(e->names, (size_t)column->i))
               : STR("");
}

static bool is_of_model(const struct expected *e, struct str name)
{
    for (size_t i = 0; i < e->count; i++)
        if (is_named(expected_name(e, i), name))
            return true;
    return false;
}

/* Whether the first column is the rows' name, and no number of theirs. */
static bool begins_with_name(const struct matrix *m, const struct expected *e)
{
    struct str known = expected_name(e, e->at);
    if (m->has && (m->has[0] & HAS_WORD))
        return true;
    return m->names && known.len && m->columns > 1 &&
           !is_of_model(e, m->names[0]);
}

static int misplaced(const struct product_table *t, struct str name,
                     struct str known, bool of_model, struct err *err)
{
    if (!of_model)
        return err_set(err, ERR_INPUT,
                       "%s: its column %.*s is none of the model's, which has "
                       "%.*s there: leave it out",
                       t->path, STRF(name), STRF(known));
    return err_set(err, ERR_INPUT,
                   "%s: its column %.*s stands where the model has %.*s: "
                   "tables, and the columns in each, stand in the order of the "
                   "model's columns",
                   t->path, STRF(name), STRF(known));
}

static int check_names(const struct product_table *t, const struct matrix *m,
                       size_t first, const struct expected *e, struct err *err)
{
    for (size_t c = first; m->names && c < m->columns; c++) {
        struct str known = expected_name(e, e->at + c - first);
        if (known.len && m->names[c].len && !is_named(known, m->names[c]))
            return misplaced(t, m->names[c], known, is_of_model(e, m->names[c]),
                             err);
    }
    return 0;
}

static int no_number(const struct product_table *t, const struct matrix *m,
                     size_t row, size_t column, struct err *err)
{
    struct buf name;
    buf_init(&name);
    if (m->names && m->names[column].len)
        buf_addstr(&name, m->names[column]);
    else
        buf_addf(&name, "%zu", column + 1);
    err_set(err, ERR_INPUT,
            "%s: row %zu: column %s has no number, which all rows of a product "
            "need: fill it in, or leave the row out",
            t->path, row + 1, name.p);
    buf_done(&name);
    return -1;
}

static int take_numbers(struct data_product *p, struct product_table *t,
                        const struct matrix *m, size_t first, struct err *err)
{
    t->rows = m->rows;
    t->columns = m->columns - first;
    t->numbers =
        arena_array(p->arena, t->rows * t->columns + 1, sizeof(*t->numbers));
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; c < t->columns; c++) {
            float x = m->numbers[r * m->columns + first + c];
            if (!isfinite(x))
                return no_number(t, m, r, first + c, err);
            t->numbers[r * t->columns + c] = x;
        }
    return 0;
}

static void take_names(struct data_product *p, struct product_table *t,
                       const struct matrix *m, struct arena *scratch)
{
    size_t column = 0;
    struct str *words = arena_array(scratch, m->rows + 1, sizeof(*words));
    struct str *const all[] = {words};
    data_words(m, &column, 1, scratch, all);
    t->names = arena_array(p->arena, m->rows + 1, sizeof(*t->names));
    for (size_t r = 0; r < m->rows; r++)
        t->names[r] = arena_str(p->arena, words[r]);
}

static int take_table(struct data_product *p, struct product_table *t,
                      const struct file_bytes *f, struct expected *e,
                      struct err *err)
{
    struct table_style style = {.header = -1};
    struct arena *scratch = arena_new();
    struct matrix m = {0};
    int rc = data_matrix(f, t->path, STR(""), &style, scratch, &m, err);
    if ((!rc && !m.rows) || m.empty)
        rc = err_set(err, ERR_INPUT, "%s: it has no rows", t->path);
    size_t first = !rc && m.has && begins_with_name(&m, e);
    if (!rc && m.columns == first)
        rc =
            err_set(err, ERR_INPUT, "%s: it has no column of numbers", t->path);
    if (!rc)
        rc = check_names(t, &m, first, e, err) ||
             take_numbers(p, t, &m, first, err);
    if (!rc && first)
        take_names(p, t, &m, scratch);
    e->at += rc ? 0 : t->columns;
    arena_free(scratch);
    return rc ? -1 : 0;
}

static int read_table(struct data_product *p, size_t at, struct expected *e,
                      struct err *err)
{
    struct product_table *t = &p->tables[at];
    struct file_bytes f;
    t->title = title_of(p, at);
    for (size_t i = 0; i < at; i++)
        if (strcmp(p->tables[i].path, t->path) == 0) {
            const char *title = t->title;
            *t = p->tables[i];
            t->title = title;
            e->at += t->columns;
            return 0;
        }
    if (file_bytes_open(&f, t->path, err))
        return -1;
    int rc = take_table(p, t, &f, e, err);
    file_bytes_close(&f);
    return rc;
}

/* ---- all of them ----------------------------------------------------------
 */

static int count_rows(struct data_product *p, struct err *err)
{
    p->rows = 1;
    for (size_t i = 0; i < p->count; i++) {
        if (p->rows > (UINT64_MAX >> 8) / p->tables[i].rows)
            return err_set(err, ERR_LIMIT,
                           "the product of the tables has too many rows");
        p->rows *= p->tables[i].rows;
    }
    return 0;
}

/* Rows alone: which column is a name says the model. */
static int count_table(struct data_product *p, size_t at, struct err *err)
{
    struct product_table *t = &p->tables[at];
    struct table_style style = {.header = -1};
    struct file_bytes f;
    struct matrix m = {0};
    for (size_t i = 0; i < at; i++)
        if (strcmp(p->tables[i].path, t->path) == 0) {
            t->rows = p->tables[i].rows;
            return 0;
        }
    if (file_bytes_open(&f, t->path, err))
        return -1;
    int rc = data_matrix(&f, t->path, STR(""), &style, p->arena, &m, err);
    if ((!rc && !m.rows) || m.empty)
        rc = err_set(err, ERR_INPUT, "%s: it has no rows", t->path);
    t->rows = m.rows;
    file_bytes_close(&f);
    return rc;
}

int data_product_count(const char *const *paths, size_t count, uint64_t *rows,
                       struct err *err)
{
    struct data_product p = {.arena = arena_new(), .count = count};
    int rc = 0;
    p.tables = arena_array(p.arena, count + 1, sizeof(*p.tables));
    for (size_t i = 0; !rc && i < count; i++) {
        p.tables[i].path = paths[i];
        rc = count_table(&p, i, err);
    }
    if (!rc)
        rc = count_rows(&p, err);
    if (!rc)
        *rows = p.rows;
    arena_free(p.arena);
    return rc;
}

static void make_window(struct data_product *p, size_t window,
                        struct data_view *v)
{
    uint32_t *all = arena_array(p->arena, window + 1, sizeof(*all));
    size_t at = 0;
    p->pieces = arena_array(p->arena, p->count, sizeof(*p->pieces));
    p->row_of = arena_array(p->arena, p->count, sizeof(*p->row_of));
    for (size_t i = 0; i < p->count; i++) {
        const struct product_table *t = &p->tables[i];
        p->row_of[i] = arena_array(p->arena, window + 1, sizeof(uint32_t));
        p->pieces[i] = (struct data_piece){.numbers = t->numbers,
                                           .row_of = p->row_of[i],
                                           .rows = t->rows,
                                           .at = at,
                                           .columns = t->columns};
        at += t->columns;
    }
    for (size_t i = 0; i < window; i++)
        all[i] = (uint32_t)i;
    p->input = v->table->inputs[0];
    p->input.pieces = p->pieces;
    p->input.piece_count = p->count;
    p->table = *v->table;
    p->table.inputs = &p->input;
    p->table.rows = window;
    v->table = &p->table;
    v->test = (struct data_part){all, window};
}

/* Its rows are numbers that are scaled, and nothing more. */
static int find_view(struct data_product *p, struct str fitted,
                     const char *path, struct data_view *v, struct err *err)
{
    bool more;
    if (data_fitted_view(fitted, path, p->arena, v, &more, err))
        return -1;
    if (v->table->input_count != 1 || v->table->inputs[0].rank != 1 ||
        v->table->inputs[0].classes)
        return err_set(err, ERR_INPUT,
                       "%s: a product of tables is for a model of one input, "
                       "whose rows are numbers side by side",
                       path);
    if (more)
        return err_set(err, ERR_INPUT,
                       "%s: rows of its data became numbers by more than "
                       "scaling (categories, means, bounds); a product of "
                       "tables has numbers as they are",
                       path);
    return 0;
}

static int read_tables(struct data_product *p, struct str fitted,
                       const char *path, const struct data_view *v,
                       struct err *err)
{
    const struct value *known = data_fitted_parse(p->arena, fitted, path, err);
    const struct value *inputs = value_get(known, STR("inputs"));
    struct expected e = {.names = value_get(known, STR("names")),
                         .columns =
                             value_get(value_at(inputs, 0), STR("columns")),
                         .count = (size_t)v->table->inputs[0].columns};
    for (size_t i = 0; i < p->count; i++)
        if (read_table(p, i, &e, err))
            return -1;
    if (e.at != e.count)
        return err_set(err, ERR_INPUT,
                       "the tables have %zu columns of numbers together, and "
                       "the model of %s has an input of %zu",
                       e.at, path, e.count);
    return count_rows(p, err);
}

struct data_product *data_product_open(const char *const *paths, size_t count,
                                       struct str fitted, const char *path,
                                       size_t window, struct data_view *v,
                                       struct err *err)
{
    struct data_product *p = xcalloc(1, sizeof(*p));
    p->arena = arena_new();
    p->count = count;
    p->tables = arena_array(p->arena, count + 1, sizeof(*p->tables));
    for (size_t i = 0; i < count; i++)
        p->tables[i].path = arena_cstr(p->arena, str_of(paths[i]));
    if (find_view(p, fitted, path, v, err) ||
        read_tables(p, fitted, path, v, err)) {
        data_product_close(p);
        return NULL;
    }
    make_window(p, window, v);
    return p;
}

void data_product_close(struct data_product *p)
{
    if (!p)
        return;
    arena_free(p->arena);
    free(p);
}

uint64_t data_product_rows(const struct data_product *p)
{
    return p->rows;
}

/* Like the hands of a clock: each table goes on when the one behind it has gone
 * round. */
void data_product_move(struct data_product *p, uint64_t first, size_t count)
{
    uint64_t round = 1;
    for (size_t i = p->count; i-- > 0;) {
        size_t rows = p->tables[i].rows;
        uint64_t stays = round - first % round;
        uint32_t at = (uint32_t)(first / round % rows);
        for (size_t r = 0; r < count; r++) {
            p->row_of[i][r] = at;
            if (--stays)
                continue;
            stays = round;
            at = at + 1 == rows ? 0 : at + 1;
        }
        round *= rows;
    }
}

void data_product_name(const struct data_product *p, uint64_t row, bool titles,
                       struct buf *b)
{
    uint64_t round = p->rows;
    for (size_t i = 0; i < p->count; i++) {
        const struct product_table *t = &p->tables[i];
        round /= t->rows;
        uint64_t own = row / round % t->rows;
        if (i)
            buf_addc(b, ',');
        if (titles)
            csv_field(b, str_of(t->title), ',');
        else if (t->names)
            csv_field(b, t->names[own], ',');
        else
            buf_addf(b, "%llu", (unsigned long long)own + 1);
    }
}
