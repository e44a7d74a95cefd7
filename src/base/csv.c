/* csv.c - comma separated values, RFC 4180, streamed
 *
 * Fields point into the text. Only a quoted field with doubled quotes is
 * copied, into the scratch, which may move while the row is read: such fields
 * have p == NULL until the row is whole and are then pointed, in order, at
 * their pieces of the scratch. */
#include "base/csv.h"

#include "base/chars.h"

void csv_init(struct csv *c, struct str text, char sep)
{
    *c = (struct csv){.rest = text, .sep = sep, .next_line = 1};
    if (str_starts(text, STR("\xEF\xBB\xBF")))
        c->rest = str_n(text.p + 3, text.len - 3);
    buf_init(&c->scratch);
}

void csv_done(struct csv *c)
{
    if (!c)
        return;
    buf_done(&c->scratch);
    vec_done(&c->fields);
    *c = (struct csv){0};
}

static void advance(struct csv *c, const char *to)
{
    c->rest.len -= (size_t)(to - c->rest.p);
    c->rest.p = to;
}

static void read_plain(struct csv *c)
{
    const char *p = c->rest.p, *end = p + c->rest.len;
    while (p < end && *p != c->sep && !line_break(p, end))
        p++;
    struct str field = str_n(c->rest.p, (size_t)(p - c->rest.p));
    vec_push(&c->fields, field);
    advance(c, p);
}

/* Adds a quoted field's text; `doubled` of its quotes stand twice. */
static void add_quoted(struct csv *c, struct str raw, size_t doubled)
{
    if (doubled == 0) {
        vec_push(&c->fields, raw);
        return;
    }
    struct str field = {NULL, raw.len - doubled};
    vec_push(&c->fields, field);
    while (raw.len) {
        const char *quote = memchr(raw.p, '"', raw.len);
        size_t n = quote ? (size_t)(quote - raw.p) + 1 : raw.len;
        buf_add(&c->scratch, raw.p, n);
        n += quote != NULL;
        raw = str_n(raw.p + n, raw.len - n);
    }
}

static int read_quoted(struct csv *c, struct err *err)
{
    const char *start = c->rest.p + 1, *p = start;
    const char *end = c->rest.p + c->rest.len;
    uint64_t line = c->next_line;
    size_t doubled = 0;
    for (;; p++) {
        if (p == end)
            return err_set(err, ERR_INPUT,
                           "line %llu: the quote opened here is never closed",
                           (unsigned long long)line);
        if (*p == '\n')
            c->next_line++;
        if (*p != '"')
            continue;
        if (p + 1 == end || p[1] != '"')
            break;
        doubled++;
        p++;
    }
    add_quoted(c, str_n(start, (size_t)(p - start)), doubled);
    p++;
    if (p < end && *p != c->sep && !line_break(p, end))
        return err_set(err, ERR_INPUT,
                       "line %llu: expected '%c' or the end of the line behind "
                       "the closing quote",
                       (unsigned long long)c->next_line, c->sep);
    advance(c, p);
    return 0;
}

static void skip_empty_lines(struct csv *c)
{
    const char *p = c->rest.p, *end = p + c->rest.len;
    for (size_t n; (n = line_break(p, end)) > 0; p += n)
        c->next_line++;
    advance(c, p);
}

static void point_at_scratch(struct csv *c)
{
    const char *piece = c->scratch.p;
    for (size_t i = 0; i < c->fields.len; i++) {
        struct str *field = &c->fields.p[i];
        if (field->p)
            continue;
        field->p = piece;
        piece += field->len;
    }
}

static int read_row(struct csv *c, struct err *err)
{
    for (;;) {
        if (c->rest.len && c->rest.p[0] == '"') {
            if (read_quoted(c, err))
                return -1;
        } else {
            read_plain(c);
        }
        if (c->rest.len == 0)
            break;
        if (c->rest.p[0] != c->sep) {
            const char *p = c->rest.p;
            advance(c, p + line_break(p, p + c->rest.len));
            c->next_line++;
            break;
        }
        advance(c, c->rest.p + 1);
    }
    if (c->scratch.len)
        point_at_scratch(c);
    return 1;
}

int csv_next(struct csv *c, struct err *err)
{
    c->fields.len = 0;
    buf_reset(&c->scratch);
    if (c->rest.len)
        skip_empty_lines(c);
    if (c->rest.len == 0)
        return 0;
    c->line = c->next_line;
    int rc = read_row(c, err);
    if (rc < 0) {
        /* There is no telling where the next row begins. */
        c->rest.len = 0;
        c->fields.len = 0;
    }
    return rc;
}

static bool needs_quotes(struct str field, char sep)
{
    for (size_t i = 0; i < field.len; i++) {
        char c = field.p[i];
        if (c == sep || c == '"' || c == '\r' || c == '\n')
            return true;
    }
    /* At the start of a file it would be taken for a byte order mark. */
    return str_starts(field, STR("\xEF\xBB\xBF"));
}

void csv_field(struct buf *b, struct str field, char sep)
{
    if (!needs_quotes(field, sep)) {
        buf_addstr(b, field);
        return;
    }
    buf_addc(b, '"');
    for (size_t i = 0; i < field.len; i++) {
        if (field.p[i] == '"')
            buf_addc(b, '"');
        buf_addc(b, field.p[i]);
    }
    buf_addc(b, '"');
}
