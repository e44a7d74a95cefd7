/* block.c - files of one role over all parts of a set, as one long table */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "data/set.h"
#include "sys/sys.h"

/* "set.npz:x" is the array x of set.npz, where there is no file of the whole
 * name. */
const char *reading_path(const struct reading *r, struct str text,
                         struct str *member)
{
    const char *path = arena_cstr(r->set->arena, text);
    *member = STR("");
    if (path[0] != '/')
        path = path_join(r->set->arena, r->folder, path);
    const char *colon = strrchr(path, ':');
    if (!colon || file_exists(path))
        return path;
    *member = arena_str(r->set->arena, str_of(colon + 1));
    return arena_cstr(r->set->arena, str_n(path, (size_t)(colon - path)));
}

/* What was guessed of a table of text, once for each file. */
static void tell_guesses(struct reading *r, const struct source *s)
{
    const char *slash = strrchr(s->path, '/');
    const char *name = slash ? slash + 1 : s->path;
    if (s->m.notes & NOTE_WORDS_ARE_NAMES)
        data_notice(r->set,
                    "data: %s has words only; its first row (%.*s, …) is taken "
                    "as the names of the columns: say header: false if it is a "
                    "row",
                    name, STRF(s->m.names[0]));
    if (s->m.notes & NOTE_WORDS_ARE_A_ROW)
        data_notice(r->set,
                    "data: %s has words only; its first row is taken as a row: "
                    "say header: true if it has the names of the columns",
                    name);
    if (s->m.notes & NOTE_CR)
        data_notice(r->set, "data: lines of %s end by CR alone, as on old Macs",
                    name);
}

/* The first file's names of columns are those of all. */
static const struct value *names_of(struct reading *r, const struct matrix *m)
{
    struct value *names = value_list(r->scratch);
    for (size_t i = 0; m->names && i < m->columns; i++)
        value_list_add(r->scratch, names,
                       value_string(r->scratch, m->names[i]));
    return names;
}

int source_read(struct reading *r, const struct value *v,
                struct table_style style, struct arena *numbers,
                struct source *s, struct err *err)
{
    struct str member, text = value_text(v);
    struct file_bytes f;
    if (!text.len)
        return err_set_at(err, "data", ": the path of a file is missing");
    s->path = reading_path(r, text, &member);
    if (file_bytes_open(&f, s->path, err))
        return -1;
    vec_push(&r->files, f);
    if (data_matrix(&f, s->path, member, &style, numbers, &s->m, err))
        return -1;
    tell_guesses(r, s);
    return 0;
}

static int fail_unlike(const struct source *a, const struct source *b,
                       struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "%s: rows of %zu columns, but those of %s have %zu", b->path,
                   b->m.columns, a->path, a->m.columns);
}

int block_read(struct reading *r, const struct value *const *paths, bool lines,
               struct arena *numbers, struct block *b, struct err *err)
{
    struct table_style style = r->style;
    style.lines = lines;
    style.readable = r->bad != NULL;
    if (lines && style.header < 0)
        style.header = 0;
    *b = (struct block){.sources = r->part_count};
    for (size_t i = 0; i < r->part_count; i++) {
        struct source *s = &b->source[i];
        if (source_read(r, paths[i], style, numbers, s, err))
            return -1;
        if (!style.names)
            style.names = names_of(r, &s->m);
        if (i && s->m.columns != b->columns)
            return fail_unlike(&b->source[0], s, err);
        b->columns = s->m.columns;
        b->rows += s->m.rows;
    }
    if (b->rows > UINT32_MAX)
        return err_set(err, ERR_INPUT, "%s: more than %u rows",
                       b->source[0].path, UINT32_MAX);
    b->names = b->source[0].m.names;
    if (r->bad)
        bad_rows_note(r, b);
    return 0;
}

static const struct source *source_of(const struct block *b, size_t *row)
{
    const struct source *s = b->source;
    for (size_t i = 0; i + 1 < b->sources && *row >= s->m.rows; i++, s++)
        *row -= s->m.rows;
    return s;
}

const float *block_row(const struct block *b, size_t row)
{
    const struct source *s = source_of(b, &row);
    return s->m.numbers + row * s->m.columns;
}

const struct join *block_join(const struct block *b, size_t column)
{
    for (size_t i = 0; i < b->join_count; i++)
        if (column >= b->joins[i].first &&
            column < b->joins[i].first + b->joins[i].columns)
            return &b->joins[i];
    return NULL;
}

size_t join_column(const struct join *j, size_t column)
{
    size_t own = column - j->first;
    return own + (own >= j->key);
}

float block_number(const struct block *b, size_t row, size_t column)
{
    const struct join *j = block_join(b, column);
    if (!j)
        return block_row(b, row)[column];
    const struct matrix *m = &j->table->m;
    size_t own = j->row_of[row];
    return own < m->rows ? m->numbers[own * m->columns + join_column(j, column)]
                         : NAN;
}

static unsigned source_has(const struct source *s, size_t column)
{
    return s->m.has ? s->m.has[column] : HAS_NUMBER;
}

unsigned block_has(const struct block *b, size_t column)
{
    const struct join *j = block_join(b, column);
    unsigned has = 0;
    if (j)
        return source_has(j->table, join_column(j, column)) |
               (j->lacking ? HAS_MISSING : 0);
    for (size_t i = 0; i < b->sources; i++)
        has |= source_has(&b->source[i], column);
    return has;
}

struct str reading_number(struct reading *r, float number)
{
    struct buf text;
    buf_init(&text);
    num_print(&text, (double)number);
    if (str_ends(buf_str(&text), STR(".0")))
        text.len -= 2;
    struct str kept = arena_str(r->scratch, buf_str(&text));
    buf_done(&text);
    return kept;
}

static void words_of(struct reading *r, const struct source *s,
                     const size_t *columns, size_t count, struct str **to)
{
    if (s->m.has) {
        data_words(&s->m, columns, count, r->scratch, to);
        return;
    }
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < s->m.rows; i++)
            to[k][i] =
                reading_number(r, s->m.numbers[i * s->m.columns + columns[k]]);
}

struct str *source_words(struct reading *r, const struct source *s,
                         size_t column)
{
    struct str *words = arena_array(r->scratch, s->m.rows + 1, sizeof(*words));
    words_of(r, s, &column, 1, &words);
    return words;
}

/* The words of a column that is joined, for every row of the block. */
static void joined_words(struct reading *r, const struct join *j, size_t column,
                         size_t rows, struct str *to)
{
    struct str *words = source_words(r, j->table, join_column(j, column));
    for (size_t i = 0; i < rows; i++)
        to[i] = words[j->row_of[i]]; /* behind the last: nothing */
}

struct str **block_words(struct reading *r, const struct block *b,
                         const size_t *columns, size_t count)
{
    struct str **words = arena_array(r->scratch, count + 1, sizeof(*words));
    struct str **at = arena_array(r->scratch, count + 1, sizeof(*at));
    size_t *own = arena_array(r->scratch, count + 1, sizeof(*own));
    size_t row = 0, owned = 0;
    struct str **of_own = arena_array(r->scratch, count + 1, sizeof(*of_own));
    for (size_t k = 0; k < count; k++) {
        const struct join *j = block_join(b, columns[k]);
        words[k] = arena_array(r->scratch, b->rows + 1, sizeof(**words));
        if (j) {
            joined_words(r, j, columns[k], b->rows, words[k]);
            continue;
        }
        of_own[owned] = words[k];
        own[owned++] = columns[k];
    }
    for (size_t i = 0; owned && i < b->sources; row += b->source[i++].m.rows) {
        for (size_t k = 0; k < owned; k++)
            at[k] = of_own[k] + row;
        words_of(r, &b->source[i], own, owned, at);
    }
    return words;
}

struct str block_name(struct reading *r, const struct block *b, size_t column)
{
    return b->names && b->names[column].len
               ? arena_str(r->set->arena, b->names[column])
               : str_of(arena_printf(r->set->arena, "column_%zu", column + 1));
}

static int fail_name(const struct block *b, struct str name, struct err *err)
{
    struct arena *a = arena_new();
    const char *path = b->source[0].path;
    const char **names = arena_array(a, b->columns + 1, sizeof(*names));
    for (size_t i = 0; i < b->columns; i++)
        names[i] = arena_cstr(a, b->names[i]);
    const char *near = str_nearest(name, names);
    err_set(err, ERR_INPUT, "%s: there is no column %.*s%s%s%s", path,
            STRF(name), near ? "; did you mean " : "", near ? near : "",
            near ? "?" : "");
    arena_free(a);
    return -1;
}

int block_column(const struct block *b, const struct value *v, size_t *column,
                 struct err *err)
{
    const struct matrix *m = &b->source[0].m;
    const char *path = b->source[0].path;
    if (v->kind == VALUE_STRING && b->names)
        for (size_t i = 0; i < b->columns; i++)
            if (str_eq(b->names[i], v->s)) {
                *column = i;
                return 0;
            }
    if (v->kind == VALUE_INT && v->i != 0 &&
        llabs(v->i) <= (long long)m->columns) {
        *column = v->i > 0 ? (size_t)v->i - 1 : m->columns - (size_t)-v->i;
        return 0;
    }
    if (v->kind != VALUE_STRING)
        return err_set(err, ERR_INPUT,
                       "%s: a column is its name or a number from 1 to %zu",
                       path, m->columns);
    if (b->names)
        return fail_name(b, v->s, err);
    return err_set(err, ERR_INPUT,
                   "%s: there is no column %.*s: it has no header row; say "
                   "its number, or header: true",
                   path, STRF(v->s));
}

/* Where in its file a value stands; false: it is joined, and its key is not in
 * the table. */
static bool locate(const struct block *b, size_t *row, size_t *column,
                   const struct source **s)
{
    const struct join *j = block_join(b, *column);
    if (j && j->row_of[*row] < j->table->m.rows) {
        *row = j->row_of[*row];
        *column = join_column(j, *column);
        *s = j->table;
        return true;
    }
    if (j)
        *column = j->column;
    *s = source_of(b, row);
    return !j;
}

int block_fail(const struct block *b, size_t row, size_t column,
               struct err *err, const char *fmt, ...)
{
    const struct source *s;
    char text[512], place[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    locate(b, &row, &column, &s);
    if (s->m.names && s->m.names[column].len)
        snprintf(place, sizeof place, "column %.*s", STRF(s->m.names[column]));
    else
        snprintf(place, sizeof place, "column %zu", column + 1);
    if (s->m.has)
        return err_set(err, ERR_INPUT, "%s:%zu: %s: %s", s->path,
                       data_line(&s->m, row), place, text);
    return err_set(err, ERR_INPUT, "%s: row %zu: %s: %s", s->path, row + 1,
                   place, text);
}

static struct str text_at(const struct matrix *m, size_t row, size_t column,
                          struct arena *a)
{
    struct str *words = arena_array(a, m->rows + 1, sizeof(*words));
    if (m->has)
        data_words(m, &column, 1, a, &words);
    else
        words[row] = m->numbers[row * m->columns + column] < 0 ? STR("-inf")
                                                               : STR("inf");
    return words[row];
}

int block_fail_gap(const struct block *b, size_t row, size_t column,
                   const char *ways, struct err *err)
{
    const char *what = ways ? "" : "the label ";
    const char *say = ways ? "; say missing: " : "";
    if (isnan(block_number(b, row, column)))
        return block_fail(b, row, column, err, "%s is missing%s%s",
                          ways ? "the value" : "the label", say,
                          ways ? ways : "");
    size_t own = row, there = column;
    const struct source *s;
    struct arena *a = arena_new();
    locate(b, &own, &there, &s);
    struct str text = text_at(&s->m, own, there, a);
    block_fail(b, row, column, err,
               "%s%.*s is infinite or beyond 3.4e38, the most that a number "
               "of 32 bits holds%s%s%s",
               what, text.len < 60 ? (int)text.len : 60, text.p, say,
               ways ? ways : "", ways ? " to take it as missing" : "");
    arena_free(a);
    return -1;
}

void reading_drop(struct reading *r, const struct block *b, const bool *missing)
{
    uint32_t *kept = arena_array(r->scratch, b->rows + 1, sizeof(*kept));
    size_t count = 0, row = 0;
    for (size_t i = 0; i < b->sources; i++) {
        size_t before = count;
        for (size_t k = 0; k < b->source[i].m.rows; k++, row++)
            if (!missing[row])
                kept[count++] = (uint32_t)row;
        r->set->part_rows[r->parts[i]] = count - before;
    }
    r->kept = kept;
    r->rows = count;
}

void reading_note_rows(struct reading *r, const struct block *b)
{
    size_t own, dropped = b->rows - r->rows;
    if (!dropped && b->sources == 1)
        return;
    uint32_t *rows = arena_array(r->set->arena, r->rows + 1, sizeof(*rows));
    for (size_t i = 0; i < r->rows; i++) {
        own = reading_row(r, i);
        source_of(b, &own);
        rows[i] = (uint32_t)own;
    }
    r->set->table.file_rows = rows;
}
