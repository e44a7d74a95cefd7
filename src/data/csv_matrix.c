/* csv_matrix.c - tables of text: CSV, TSV, one value a line
 *
 * Most fields of most tables are short decimal numbers, so those have a path
 * of their own from the first digit to the separator; whatever is anything
 * else (quotes, exponents, words, nothing) takes the general one. */
#include <math.h>

#include "base/chars.h"
#include "base/num.h"
#include "base/vec.h"
#include "data/matrix.h"

/* A table of words alone needs as many rows below its first one before that
 * can be known as a header by being unlike them. */
#define HEADER_ROWS 5
/* Rows that are none have a place for numbers all the same: so much more than
 * they have bytes. */
#define SHORT_ROWS 8
#define SHORT_MOST (1u << 17)

struct scan {
    const char *p, *end;
    char sep;
    bool lines; /* each line is one field */
    size_t line;
    bool readable;     /* what is wrong with quotes is no error … */
    const char *fault; /* … but noted here */
};

static void skip_blanks(struct scan *s)
{
    while (s->p < s->end && *s->p == ' ')
        s->p++;
}

/* Moves to the first field of the next row; false: there is none. Empty
 * lines are no rows, but empty lines of text are. */
static bool next_row(struct scan *s)
{
    if (s->lines)
        return s->p < s->end;
    if (s->sep == ' ')
        skip_blanks(s);
    for (size_t n; (n = line_break(s->p, s->end)) > 0;) {
        s->p += n;
        s->line++;
        if (s->sep == ' ')
            skip_blanks(s);
    }
    return s->p < s->end;
}

/* Steps behind a field's separator; true when its row ends there instead. */
static bool row_ends(struct scan *s)
{
    if (s->sep == ' ' && !s->lines)
        skip_blanks(s);
    if (s->p == s->end)
        return true;
    size_t n = line_break(s->p, s->end);
    s->line += n > 0;
    s->p += n;
    if (!n && s->sep != ' ')
        s->p++;
    return n > 0;
}

static struct str plain_field(struct scan *s)
{
    const char *from = s->p;
    while (s->p < s->end && (s->lines || *s->p != s->sep) &&
           !line_break(s->p, s->end))
        s->p++;
    return str_n(from, (size_t)(s->p - from));
}

/* What is behind the closing quote belongs to nothing. */
static int behind_quote(struct scan *s, const char *path, struct err *err)
{
    if (!s->readable)
        return err_set(err, ERR_INPUT,
                       "%s:%zu: expected the separator or the end of the line "
                       "behind the closing quote",
                       path, s->line);
    s->fault = "there is more behind a closing quote";
    plain_field(s);
    return 0;
}

/* A quote that is never closed, or followed by other text, is an error. */
static int quoted_field(struct scan *s, struct str *field, bool *doubled,
                        const char *path, struct err *err)
{
    size_t line = s->line;
    const char *from = ++s->p;
    *doubled = false;
    for (; s->p < s->end; s->p++) {
        s->line += *s->p == '\n';
        if (*s->p != '"')
            continue;
        if (s->p + 1 == s->end || s->p[1] != '"')
            break;
        *doubled = true;
        s->p++;
    }
    *field = str_n(from, (size_t)(s->p - from));
    if (s->p == s->end && s->readable) {
        s->fault = "a quote is opened and never closed";
        return 0;
    }
    if (s->p == s->end)
        return err_set(err, ERR_INPUT,
                       "%s:%zu: the quote opened here is never closed", path,
                       line);
    s->p++;
    if (s->p < s->end && *s->p != s->sep && !line_break(s->p, s->end))
        return behind_quote(s, path, err);
    return 0;
}

/* Between tabs a quote is mostly just a quote: only a field that begins and
 * ends with one is taken as quoted. */
static struct str tab_field(struct scan *s, bool *doubled)
{
    struct str field = plain_field(s);
    if (field.len < 2 || field.p[0] != '"' || field.p[field.len - 1] != '"')
        return field;
    field = str_n(field.p + 1, field.len - 2);
    size_t quotes = 0, pairs = 0;
    for (size_t i = 0; i < field.len; i++)
        if (field.p[i] == '"') {
            quotes++;
            if (i + 1 < field.len && field.p[i + 1] == '"') {
                pairs++;
                quotes++;
                i++;
            }
        }
    if (quotes != 2 * pairs) /* quotes inside that are not doubled */
        return str_n(field.p - 1, field.len + 2);
    *doubled = pairs > 0;
    return field;
}

static int next_field(struct scan *s, struct str *field, bool *doubled,
                      const char *path, struct err *err)
{
    *doubled = false;
    if (!s->lines && s->sep != '\t' && s->p < s->end && *s->p == '"')
        return quoted_field(s, field, doubled, path, err);
    *field = str_trim(s->sep == '\t' && !s->lines ? tab_field(s, doubled)
                                                  : plain_field(s));
    return 0;
}

bool data_is_missing(struct str s)
{
    static const char *const words[] = {"NA",  "?",    "nan",  "NaN",
                                        "N/A", "null", "NULL", NULL};
    return s.len == 0 || (s.len <= 4 && str_among(s, words));
}

/* A decimal of at most 15 digits, up to a separator or line break: exact in
 * double precision. NULL: it is not that simple. */
static const char *short_number(const struct scan *s, float *out)
{
    static const double tens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *p = s->p, *end = s->end;
    bool negative = p < end && *p == '-';
    p += negative;
    const char *from = p;
    uint64_t digits = 0;
    ptrdiff_t count, behind = 0;
    for (; p < end && (unsigned)(*p - '0') < 10; p++)
        digits = digits * 10 + (unsigned)(*p - '0');
    count = p - from;
    if (p < end && *p == '.') {
        from = ++p;
        for (; p < end && (unsigned)(*p - '0') < 10; p++)
            digits = digits * 10 + (unsigned)(*p - '0');
        behind = p - from;
        count += behind;
    }
    if (count == 0 || count > 15 ||
        (p < end && *p != s->sep && !line_break(p, end)))
        return NULL;
    double v = behind ? (double)digits / tens[behind] : (double)digits;
    *out = (float)(negative ? -v : v);
    return p;
}

/* A number beyond what a double holds is one all the same: an infinity, which
 * is refused where it is used. */
static bool is_number(struct str field, double *d)
{
    int64_t i;
    bool is_int;
    return num_double(field, d) ||
           (field.len && num_scan(field, d, &i, &is_int) == field.len);
}

static int field_number(struct scan *s, float *out, unsigned char *has,
                        const char *path, struct err *err)
{
    struct str field;
    bool doubled;
    double d = NAN;
    if (next_field(s, &field, &doubled, path, err))
        return -1;
    field = str_trim(field);
    if (data_is_missing(field))
        *has |= HAS_MISSING;
    else if (!doubled && is_number(field, &d))
        *has |= HAS_NUMBER;
    else
        *has |= HAS_WORD;
    *out = (float)d;
    return 0;
}

/* The rest of a row; returns how many cells it has in all. */
static size_t leave_row(struct scan *s, size_t cells, const char *path)
{
    struct str field;
    bool doubled;
    do {
        next_field(s, &field, &doubled, path, NULL);
        cells++;
    } while (!row_ends(s));
    return cells;
}

/* Of one line that stands alone above rows of another number of columns, as
 * scikit-learn's tables have it, a person is told how to leave it out. */
static int fail_ragged(const struct matrix *m, size_t got, size_t line,
                       const char *path, struct err *err)
{
    bool first = m->rows + (m->names != NULL) == 1;
    return err_set(err, ERR_INPUT,
                   "%s:%zu: %zu column%s, the row%s before ha%s %zu%s", path,
                   line, got, got == 1 ? "" : "s", first ? "" : "s",
                   first ? "s" : "ve", m->columns,
                   first ? " (`skip: 1` leaves out a first line that is no "
                           "row, and no header)"
                         : "");
}

static int read_row(struct scan *s, struct matrix *m, float *to,
                    unsigned char *has, const char *path, struct err *err)
{
    size_t line = s->line;
    for (size_t i = 0;; i++) {
        if (i == m->columns) {
            struct scan rest = *s;
            rest.readable = true;
            return fail_ragged(m, leave_row(&rest, i, path), line, path, err);
        }
        const char *behind = s->lines ? NULL : short_number(s, &to[i]);
        if (behind) {
            s->p = behind;
            has[i] |= HAS_NUMBER;
        } else if (field_number(s, &to[i], &has[i], path, err)) {
            return -1;
        }
        if (row_ends(s))
            return i + 1 == m->columns ? 0
                                       : fail_ragged(m, i + 1, line, path, err);
    }
}

/* A row as read_row has it; *cells: how many it has, and which of its columns
 * have what counts only if they are as many as belong. */
static void try_row(struct scan *s, const struct matrix *m, float *to,
                    unsigned char *has, size_t *cells, const char *path)
{
    bool more = true;
    size_t i = 0;
    s->fault = NULL;
    memset(has, 0, m->columns);
    for (; more && i < m->columns; i++) {
        const char *behind = s->lines ? NULL : short_number(s, &to[i]);
        if (behind) {
            s->p = behind;
            has[i] = HAS_NUMBER;
        } else {
            field_number(s, &to[i], &has[i], path, NULL);
        }
        more = !row_ends(s);
    }
    *cells = more ? leave_row(s, i, path) : i;
}

/* What kinds of fields a row has. */
struct kinds {
    size_t columns, words, numbers, missing;
    bool first_missing;
};

/* Those of the next row; the scan is a copy and stays where it is. */
static int peek_row(struct scan s, struct kinds *k, const char *path,
                    struct err *err)
{
    struct str field;
    bool doubled;
    double d;
    *k = (struct kinds){0};
    if (!next_row(&s))
        return 0;
    do {
        if (next_field(&s, &field, &doubled, path, err))
            return -1;
        field = str_trim(field);
        bool missing = data_is_missing(field);
        bool number = !missing && is_number(field, &d);
        k->first_missing |= !k->columns && !field.len;
        k->missing += missing;
        k->numbers += number;
        k->words += !missing && !number;
        k->columns++;
    } while (!row_ends(&s));
    return 0;
}

static void skip_row(struct scan *s, const char *path)
{
    struct str field;
    bool doubled;
    if (!next_row(s))
        return;
    do {
        next_field(s, &field, &doubled, path, NULL);
    } while (!row_ends(s));
}

static bool is_listed(const struct value *names, struct str word)
{
    for (size_t i = 0; names && i < names->count; i++)
        if (str_eq(names->items[i]->s, word))
            return true;
    return false;
}

/* One of the words of the next row is the name of a column. */
static bool has_name(struct scan s, const struct table_style *style,
                     const char *path)
{
    struct str field;
    bool doubled;
    if (!next_row(&s))
        return false;
    do {
        next_field(&s, &field, &doubled, path, NULL);
        field = str_trim(field);
        if (data_spec_names(style->spec, field) ||
            is_listed(style->names, field))
            return true;
    } while (!row_ends(&s));
    return false;
}

/* Several words in the only row there is, where no text is asked for: the
 * names of columns rather than a row to learn from, unless the names are known
 * and it has none of them. */
static bool looks_like_header_alone(struct scan s,
                                    const struct table_style *style,
                                    const char *path)
{
    struct kinds k;
    if (s.lines || value_get(style->spec, STR("text")) ||
        peek_row(s, &k, path, NULL) || k.columns < 2 || k.words != k.columns ||
        (style->names && !has_name(s, style, path)))
        return false;
    skip_row(&s, path);
    return !next_row(&s);
}

/* The fields of the next row; returns how many there are, `most` of them are
 * kept. */
static size_t take_fields(struct scan *s, struct str *to, size_t most,
                          const char *path)
{
    struct str field;
    bool doubled;
    size_t count = 0;
    do {
        if (next_field(s, &field, &doubled, path, NULL))
            return 0;
        if (count < most)
            to[count] = str_trim(field);
        count++;
    } while (!row_ends(s));
    return count;
}

/* In a table of words alone the first row is a header when none of its words
 * stands again in its column, though others do: those of the second row. */
static bool is_unlike_the_rest(struct scan s, size_t columns, const char *path)
{
    struct arena *a = arena_new();
    struct str *first = arena_array(a, columns, sizeof(*first));
    struct str *second = arena_array(a, columns, sizeof(*second));
    struct str *row = arena_array(a, columns, sizeof(*row));
    size_t rows = 0;
    bool unlike =
        next_row(&s) && take_fields(&s, first, columns, path) && next_row(&s);
    bool repeats = false;
    for (; unlike && next_row(&s); rows++) {
        struct str *to = rows ? row : second;
        unlike = take_fields(&s, to, columns, path) == columns;
        for (size_t i = 0; unlike && i < columns; i++) {
            unlike = !str_eq(to[i], first[i]);
            repeats |= rows && str_eq(row[i], second[i]);
        }
    }
    arena_free(a);
    return unlike && repeats && rows >= HEADER_ROWS;
}

/* A first row of words only (in front of which pandas leaves a name empty):
 * one of them is the name of a column, there is a number in the row below, or
 * words are all there is. What was guessed of those is noted. */
static bool looks_like_header(struct scan s, const struct table_style *style,
                              const char *path, unsigned *notes)
{
    struct kinds k, below;
    if (s.lines || peek_row(s, &k, path, NULL) || !k.words ||
        k.words + k.first_missing != k.columns)
        return false;
    struct scan rest = s;
    skip_row(&rest, path);
    if (has_name(s, style, path))
        return true;
    if (peek_row(rest, &below, path, NULL) || k.first_missing || below.numbers)
        return below.numbers > 0;
    if (style->names || k.columns < 2)
        return false;
    bool header = is_unlike_the_rest(s, k.columns, path);
    *notes |= header ? NOTE_WORDS_ARE_NAMES : NOTE_WORDS_ARE_A_ROW;
    return header;
}

/* By the first line that is not empty. */
static char separator_of(struct str rest)
{
    size_t tabs = 0, commas = 0, semicolons = 0, blanks = 0, end = 0;
    while (rest.len && (*rest.p == '\n' || *rest.p == '\r'))
        rest = str_n(rest.p + 1, rest.len - 1);
    for (; end < rest.len && rest.p[end] != '\n'; end++) {
        tabs += rest.p[end] == '\t';
        commas += rest.p[end] == ',';
        semicolons += rest.p[end] == ';';
        blanks += rest.p[end] == ' ';
    }
    if (tabs && tabs >= commas)
        return '\t';
    if (semicolons > commas)
        return ';';
    /* Blanks separate numbers; between words they are just blanks. */
    struct kinds k;
    struct scan s = {.p = rest.p, .end = rest.p + end, .sep = ' ', .line = 1};
    if (!commas && blanks && !peek_row(s, &k, "", NULL))
        return k.numbers + k.missing > 1 && !k.words ? ' ' : ',';
    return ',';
}

/* By the first line that may be a row, where it is known how many cells those
 * have. */
static char fitting_separator(struct str rest, const struct table_style *style)
{
    struct kinds k;
    char first = separator_of(rest);
    const char *end = rest.p + rest.len;
    while (style->fits[0] && rest.len) {
        struct scan s = {.p = rest.p,
                         .end = end,
                         .sep = separator_of(rest),
                         .line = 1,
                         .readable = true};
        peek_row(s, &k, "", NULL);
        if (k.columns == style->fits[0] || k.columns == style->fits[1])
            return s.sep;
        const char *line = memchr(rest.p, '\n', rest.len);
        rest.p = line ? line + 1 : end;
        rest.len = (size_t)(end - rest.p);
    }
    return first;
}

static int take_names(struct scan *s, struct matrix *m, struct arena *a,
                      const char *path, struct err *err)
{
    VEC(struct str) names = {0};
    struct str field;
    bool doubled;
    int rc = next_row(s) ? 0 : -1;
    while (!rc) {
        rc = next_field(s, &field, &doubled, path, err);
        if (!rc)
            vec_push(&names, arena_str(a, str_trim(field)));
        if (rc || row_ends(s))
            break;
    }
    if (!rc) {
        m->columns = names.len;
        m->names = vec_to_arena(a, &names);
    } else if (!names.len) {
        m->empty = true;
        rc = err_set(err, ERR_INPUT, "%s: has no rows", path);
    }
    vec_done(&names);
    return rc;
}

static void skip_lines(struct scan *s, size_t count)
{
    for (; count && s->p < s->end; count--) {
        const char *at = memchr(s->p, '\n', (size_t)(s->end - s->p));
        s->p = at ? at + 1 : s->end;
        s->line++;
    }
}

/* Rows and fields are both bounded by the bytes that they take. Rows that are
 * none may be shorter; where nearly all of them are, they are refused. */
static size_t most_numbers(struct scan *s, size_t columns)
{
    size_t bytes = (size_t)(s->end - s->p), lines = 1, product;
    for (const char *p = s->p; (p = memchr(p, '\n', (size_t)(s->end - p))); p++)
        lines++;
    bool fits = !__builtin_mul_overflow(lines, columns, &product);
    if (s->readable && fits && product / SHORT_ROWS < bytes + SHORT_MOST)
        return product + columns;
    s->readable = false;
    if (!fits || product > bytes + 1)
        product = bytes + 1;
    return product + columns;
}

static int fail_empty(struct matrix *m, const char *path, struct err *err)
{
    m->empty = true;
    return err_set(err, ERR_INPUT, "%s: has %sno rows%s", path,
                   m->names ? "a header but " : "",
                   m->names ? " below it" : "");
}

static bool fits(const struct table_style *style, size_t columns)
{
    return columns && (columns == style->fits[0] || columns == style->fits[1]);
}

/* Of rows without a header: the first that may be one says how many cells they
 * have. */
static size_t fitting_columns(struct scan s, const struct table_style *style,
                              size_t otherwise, const char *path)
{
    struct kinds k;
    while (style->fits[0] && next_row(&s)) {
        peek_row(s, &k, path, NULL);
        if (fits(style, k.columns))
            return k.columns;
        skip_row(&s, path);
    }
    return otherwise;
}

/* Rows that are none have no numbers, and are noted. */
static void read_readable(struct scan *s, struct matrix *m, unsigned char *has,
                          const char *path, struct arena *a)
{
    VEC(struct matrix_fault) faults = {0};
    unsigned char *own = arena_alloc(a, m->columns);
    for (; next_row(s); m->rows++) {
        struct matrix_fault f = {.row = m->rows};
        float *to = m->numbers + m->rows * m->columns;
        try_row(s, m, to, own, &f.cells, path);
        f.what = s->fault;
        bool sound = !f.what && f.cells == m->columns;
        for (size_t i = 0; i < m->columns; i++) {
            if (sound)
                has[i] |= own[i];
            else
                to[i] = NAN;
        }
        if (!sound)
            vec_push(&faults, f);
    }
    m->fault_count = faults.len;
    m->faults = vec_to_arena(a, &faults);
    vec_done(&faults);
}

static int read_rows(struct scan *s, struct matrix *m,
                     const struct table_style *style, const char *path,
                     struct arena *a, struct err *err)
{
    struct kinds k;
    if (peek_row(*s, &k, path, err))
        return -1;
    if (!k.columns)
        return fail_empty(m, path, err);
    if (!m->columns)
        m->columns = fitting_columns(*s, style, k.columns, path);
    unsigned char *has = arena_alloc(a, m->columns);
    m->numbers = arena_array(a, most_numbers(s, m->columns), sizeof(float));
    m->has = has;
    if (s->readable) {
        read_readable(s, m, has, path, a);
        return 0;
    }
    for (; next_row(s); m->rows++)
        if (read_row(s, m, m->numbers + m->rows * m->columns, has, path, err))
            return -1;
    return 0;
}

/* Files of old Macs end their lines by a CR alone: those become LF. */
static struct str without_cr(struct str bytes, struct arena *a, unsigned *notes)
{
    if (!bytes.len || memchr(bytes.p, '\n', bytes.len))
        return bytes;
    const char *at = memchr(bytes.p, '\r', bytes.len);
    if (!at || at + 1 == bytes.p + bytes.len)
        return bytes;
    char *to = arena_alloc(a, bytes.len);
    for (size_t i = 0; i < bytes.len; i++)
        to[i] = bytes.p[i] == '\r' ? '\n' : bytes.p[i];
    *notes |= NOTE_CR;
    return str_n(to, bytes.len);
}

static int read_header(struct scan *s, struct matrix *m,
                       const struct table_style *style, const char *path,
                       struct arena *a, struct err *err)
{
    if (style->header < 0 && looks_like_header_alone(*s, style, path)) {
        m->empty = true;
        return err_set(err, ERR_INPUT,
                       "%s: has a header but no rows below it (if those words "
                       "are a row, header: false in the model's data says so)",
                       path);
    }
    if (style->header == 1 ||
        (style->header < 0 && looks_like_header(*s, style, path, &m->notes)))
        return take_names(s, m, a, path, err);
    return 0;
}

/* All before the first row; the scan then stands there. */
static int begin_csv(struct scan *s, struct str bytes, const char *path,
                     const struct table_style *style, struct arena *a,
                     struct matrix *m, struct err *err)
{
    *m = (struct matrix){.rank = 1};
    m->bytes = bytes = without_cr(bytes, a, &m->notes);
    *s = (struct scan){.p = bytes.p,
                       .end = bytes.p + bytes.len,
                       .lines = style->lines,
                       .line = 1,
                       .readable = style->readable};
    if (str_starts(bytes, STR("\xEF\xBB\xBF")))
        s->p += 3;
    skip_lines(s, style->skip);
    s->sep =
        style->lines ? '\n'
        : style->separator
            ? style->separator
            : fitting_separator(str_n(s->p, (size_t)(s->end - s->p)), style);
    if (read_header(s, m, style, path, a, err))
        return -1;
    m->separator = s->sep;
    m->body = (size_t)(s->p - bytes.p);
    m->body_line = s->line;
    return 0;
}

int data_look_csv(struct str bytes, const char *path,
                  const struct table_style *style, struct arena *a,
                  struct matrix *m, struct err *err)
{
    struct scan s;
    if (begin_csv(&s, bytes, path, style, a, m, err))
        return -1;
    return next_row(&s) ? 0 : fail_empty(m, path, err);
}

int data_read_csv(struct str bytes, const char *path,
                  const struct table_style *style, struct arena *a,
                  struct matrix *m, struct err *err)
{
    struct scan s;
    if (begin_csv(&s, bytes, path, style, a, m, err) ||
        read_rows(&s, m, style, path, a, err))
        return -1;
    m->dim[0] = (int64_t)m->columns;
    return 0;
}

static struct scan body_of(const struct matrix *m)
{
    return (struct scan){.p = m->bytes.p + m->body,
                         .end = m->bytes.p + m->bytes.len,
                         .sep = m->separator,
                         .lines = m->separator == '\n',
                         .line = m->body_line,
                         .readable = m->fault_count > 0};
}

static struct str single_quotes(struct str field, struct arena *a)
{
    char *to = arena_alloc(a, field.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < field.len; i++) {
        to[len++] = field.p[i];
        i += field.p[i] == '"';
    }
    return str_n(to, len);
}

/* The bytes were read once without a fault, so nothing can fail here. */
void data_words(const struct matrix *m, const size_t *columns, size_t count,
                struct arena *a, struct str *const *words)
{
    struct scan s = body_of(m);
    for (size_t row = 0; next_row(&s); row++)
        for (size_t i = 0;; i++) {
            struct str field;
            bool doubled;
            next_field(&s, &field, &doubled, "", NULL);
            for (size_t k = 0; k < count; k++)
                if (columns[k] == i)
                    words[k][row] =
                        str_trim(doubled ? single_quotes(field, a) : field);
            if (row_ends(&s))
                break;
        }
}

void data_lines(const struct matrix *m, struct data_bad_row *rows, size_t count)
{
    struct scan s = body_of(m);
    for (size_t row = 0, i = 0; i < count && next_row(&s); row++) {
        for (; i < count && rows[i].row == row; i++)
            rows[i].line = s.line;
        skip_row(&s, "");
    }
}

size_t data_line(const struct matrix *m, size_t row)
{
    struct scan s = body_of(m);
    struct str field;
    bool doubled;
    for (; next_row(&s) && row > 0; row--)
        do
            next_field(&s, &field, &doubled, "", NULL);
        while (!row_ends(&s));
    return s.line;
}
