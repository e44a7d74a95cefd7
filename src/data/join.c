/* join.c - rows of other tables, found by what a column of the table says
 *
 *   join: {drug1: drugs.csv, drug2: drugs.csv,
 *          cell: {file: cells.csv, key: name}}
 *
 * The joined table is never made: a join is a number for each row, that of the
 * row it has in the other table. What a key matches is what pandas' merge
 * matches: equal texts, or equal numbers where both columns have nothing else,
 * so that 7 finds 7.0. A key that stands twice in the other table says nothing
 * clear and is refused; one that is not there is missing, as all the columns
 * that it would have brought. */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/num.h"
#include "data/set.h"

static const char *const join_keys[] = {"file",      "key",  "header",
                                        "separator", "skip", NULL};

struct joining {
    struct reading *r;
    struct block *b;
    const struct value *said; /* the tables, by column */
    struct source *tables;    /* of each join, those of one file shared */
};

/* ---- the other tables -----------------------------------------------------
 */

static const struct value *file_of(const struct value *v)
{
    return v->kind == VALUE_OBJECT ? value_get(v, STR("file")) : v;
}

static int check_said(const struct value *v, struct str name, struct err *err)
{
    const struct value *file = file_of(v);
    for (size_t i = 0; v->kind == VALUE_OBJECT && i < v->count; i++)
        if (data_unknown_key("data.join", v->keys[i], join_keys, err))
            return -1;
    if (!file || file->kind != VALUE_STRING)
        return err_set_at(err, "data.join",
                          ": %.*s must be the path of a table, or {file: PATH, "
                          "key: COLUMN}",
                          STRF(name));
    return 0;
}

/* Where all columns are words, a name of the keys tells the header. */
static int style_of(struct joining *j, size_t i, struct table_style *style,
                    struct err *err)
{
    const struct value *v = j->said->items[i];
    const struct value *key = value_get(v, STR("key"));
    struct arena *a = j->r->scratch;
    struct value *spec = value_object(a);
    if (data_spec_style(v->kind == VALUE_OBJECT ? v : spec, style, err))
        return -1;
    value_set(a, spec, STR("label"),
              key ? value_copy(a, key) : value_string(a, j->said->keys[i]));
    style->spec = spec;
    return 0;
}

static bool same_table(const struct value *x, const struct value *y)
{
    struct buf a, b;
    buf_init(&a);
    buf_init(&b);
    json_print_sorted(&a, x);
    json_print_sorted(&b, y);
    bool same = str_eq(buf_str(&a), buf_str(&b));
    buf_done(&a);
    buf_done(&b);
    return same;
}

static int read_table(struct joining *j, size_t i, struct err *err)
{
    const struct value *v = j->said->items[i];
    struct table_style style;
    struct join *join = &j->b->joins[i];
    for (size_t k = 0; k < i; k++)
        if (same_table(v, j->said->items[k])) {
            join->table = j->b->joins[k].table;
            return 0;
        }
    join->table = &j->tables[i];
    return style_of(j, i, &style, err) ||
                   source_read(j->r, file_of(v), style, j->r->scratch,
                               &j->tables[i], err)
               ? -1
               : 0;
}

/* The column that is said, or of the same name, or the first. */
static int find_key(struct joining *j, size_t i, struct err *err)
{
    const struct value *said = value_get(j->said->items[i], STR("key"));
    struct join *join = &j->b->joins[i];
    const struct matrix *m = &join->table->m;
    struct block table = {.source = {*join->table},
                          .sources = 1,
                          .columns = m->columns,
                          .names = m->names};
    struct value same = {.kind = VALUE_STRING, .s = j->said->keys[i]};
    if (m->columns < 2)
        return err_set(err, ERR_INPUT,
                       "%s: it has one column: keys, and nothing to join",
                       join->table->path);
    if (said)
        return block_column(&table, said, &join->key, err);
    if (m->names && !block_column(&table, &same, &join->key, NULL))
        return 0;
    if (m->names && !m->names[0].len)
        return err_set(err, ERR_INPUT,
                       "%s: its first column has no name (pandas' index?); say "
                       "which has the keys: {file: …, key: COLUMN}",
                       join->table->path);
    join->key = 0;
    return 0;
}

/* ---- names ----------------------------------------------------------------
 */

static struct str name_in(struct joining *j, const struct join *join, size_t c)
{
    const struct matrix *m = &join->table->m;
    return m->names && m->names[c].len
               ? m->names[c]
               : str_of(arena_printf(j->r->scratch, "column_%zu", c + 1));
}

/* The columns of all joins get their places and names. */
static int name_columns(struct joining *j, struct err *err)
{
    struct block *b = j->b;
    size_t own = b->columns;
    struct map *seen = map_new();
    int rc = 0;
    for (size_t i = 0; i < b->join_count; i++) {
        b->joins[i].first = b->columns;
        b->joins[i].columns = b->joins[i].table->m.columns - 1;
        b->columns += b->joins[i].columns;
    }
    struct str *names =
        arena_array(j->r->scratch, b->columns + 1, sizeof(*names));
    for (size_t c = 0; c < own; c++) {
        names[c] = b->names[c];
        map_set(seen, names[c], names);
    }
    for (size_t c = own; c < b->columns && !rc; c++) {
        const struct join *join = block_join(b, c);
        struct str name = name_in(j, join, join_column(join, c));
        names[c] = str_of(
            arena_printf(j->r->scratch, "%s.%.*s", join->name, STRF(name)));
        if (map_has(seen, names[c]))
            rc = err_set(err, ERR_INPUT,
                         "%s and the join of %s both have a column %.*s",
                         b->source[0].path, join->table->path, STRF(names[c]));
    }
    map_free(seen);
    b->names = names;
    return rc;
}

/* ---- keys -----------------------------------------------------------------
 */

/* 7, 7.0 and 7e0 are one key; numbers too large for that stay texts. */
static struct str plain_number(struct reading *r, struct str word)
{
    int64_t whole;
    double d;
    if (num_int(word, &whole))
        return str_of(arena_printf(r->scratch, "%lld", (long long)whole));
    if (!num_double(word, &d))
        return word;
    if (d == floor(d) && fabs(d) < 0x1p53)
        return str_of(arena_printf(r->scratch, "%.0f", d + 0.0));
    return str_of(arena_printf(r->scratch, "%.17g", d));
}

static void plain_numbers(struct reading *r, struct str *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!data_is_missing(words[i]))
            words[i] = plain_number(r, words[i]);
}

static int fail_double(const struct join *join, size_t first, size_t again,
                       struct str key, struct err *err)
{
    struct block table = {.source = {*join->table}, .sources = 1};
    char where[64] = "";
    if (join->table->m.has)
        snprintf(where, sizeof where, " (first in line %zu)",
                 data_line(&join->table->m, first));
    return block_fail(&table, again, join->key, err,
                      "the key \"%.*s\" stands twice%s: which of them belongs "
                      "to a row is not clear",
                      key.len < 60 ? (int)key.len : 60, key.p, where);
}

/* Rows of the table by key, as row + 1. */
static int map_keys(const struct join *join, const struct str *keys,
                    struct map *to, struct err *err)
{
    for (size_t i = 0; i < join->table->m.rows; i++) {
        if (data_is_missing(keys[i]))
            continue;
        size_t before = (size_t)(uintptr_t)map_get(to, keys[i]);
        if (before)
            return fail_double(join, before - 1, i, keys[i], err);
        map_set(to, keys[i], (void *)(uintptr_t)(i + 1));
    }
    return 0;
}

static int fail_lacking(struct reading *r, const struct block *b,
                        const struct join *join, size_t row, struct str key,
                        struct err *err)
{
    const char *path = join->table->path, *slash = strrchr(path, '/');
    if (r->bad && data_is_missing(key))
        return reading_fail(r, b, row, join->column, err, "the key is missing");
    if (r->bad)
        return reading_fail(
            r, b, row, join->column, err, "\"%.*s\" is not in %s",
            key.len < 60 ? (int)key.len : 60, key.p, slash ? slash + 1 : path);
    if (data_is_missing(key))
        return block_fail(b, row, join->column, err,
                          "the key is missing; say missing: mean, drop or 0");
    return block_fail(b, row, join->column, err,
                      "\"%.*s\" is not in %s; say missing: drop to leave such "
                      "rows out, mean or 0 for its numbers",
                      key.len < 60 ? (int)key.len : 60, key.p,
                      join->table->path);
}

static int find_rows(struct reading *r, const struct block *b,
                     struct join *join, const struct str *words,
                     const struct map *rows, bool refuse, uint32_t *to,
                     struct err *err)
{
    size_t none = join->table->m.rows;
    for (size_t i = 0; i < b->rows; i++) {
        size_t at = data_is_missing(words[i])
                        ? 0
                        : (size_t)(uintptr_t)map_get(rows, words[i]);
        if (!at && refuse && fail_lacking(r, b, join, i, words[i], err))
            return -1;
        to[i] = (uint32_t)(at ? at - 1 : none);
        join->lacking += !at;
    }
    return 0;
}

static void tell_lacking(struct joining *j, const struct join *join,
                         const struct str *words, enum missing missing)
{
    const struct block *b = j->b;
    const char *path = join->table->path, *slash = strrchr(path, '/');
    size_t i = 0;
    while (i < b->rows && join->row_of[i] < join->table->m.rows)
        i++;
    if (join->lacking)
        data_notice(j->r->set,
                    "data: %zu of %zu rows have a %s that %s does not have, "
                    "\"%.*s\" first: %s",
                    join->lacking, b->rows, join->name,
                    slash ? slash + 1 : path,
                    words[i].len < 60 ? (int)words[i].len : 60, words[i].p,
                    missing == MISSING_DROP ? "left out" : "taken as missing");
}

static int match(struct joining *j, size_t i, enum missing missing,
                 struct err *err)
{
    struct join *join = &j->b->joins[i];
    struct reading *r = j->r;
    const struct matrix *m = &join->table->m;
    bool numbers = !(block_has(j->b, join->column) & HAS_WORD) &&
                   !(m->has && m->has[join->key] & HAS_WORD);
    struct str *words = block_words(r, j->b, &join->column, 1)[0];
    struct str *keys = source_words(r, join->table, join->key);
    uint32_t *to = arena_array(r->scratch, j->b->rows + 1, sizeof(*to));
    struct map *rows = map_new();
    if (numbers) {
        plain_numbers(r, words, j->b->rows);
        plain_numbers(r, keys, m->rows);
    }
    int rc = map_keys(join, keys, rows, err) ||
                     find_rows(r, j->b, join, words, rows,
                               missing == MISSING_ERROR, to, err)
                 ? -1
                 : 0;
    join->row_of = to;
    if (!rc && missing != MISSING_ERROR)
        tell_lacking(j, join, words, missing);
    map_free(rows);
    return rc;
}

int data_join(struct reading *r, struct block *b, enum missing missing,
              struct err *err)
{
    struct joining j = {
        .r = r, .b = b, .said = value_get(r->spec, STR("join"))};
    if (!j.said || j.said->kind == VALUE_NULL)
        return 0;
    if (j.said->kind != VALUE_OBJECT)
        return err_set_at(err, "data.join",
                          " must be tables by the column that has their keys: "
                          "{COLUMN: FILE}");
    if (!b->names)
        return err_set(err, ERR_INPUT,
                       "%s: its columns have no names, and rows are joined by "
                       "the name of a column; put names into its first row",
                       b->source[0].path);
    struct join *joins =
        arena_array(r->scratch, j.said->count + 1, sizeof(*joins));
    j.tables = arena_array(r->scratch, j.said->count + 1, sizeof(*j.tables));
    b->joins = joins;
    for (size_t i = 0; i < j.said->count; i++) {
        struct value name = {.kind = VALUE_STRING, .s = j.said->keys[i]};
        joins[i].name = arena_cstr(r->scratch, name.s);
        if (check_said(j.said->items[i], name.s, err) ||
            block_column(b, &name, &joins[i].column, err) ||
            read_table(&j, i, err) || find_key(&j, i, err))
            return -1;
    }
    b->join_count = j.said->count;
    if (name_columns(&j, err))
        return -1;
    for (size_t i = 0; i < b->join_count; i++)
        if (match(&j, i, missing, err))
            return -1;
    return 0;
}
