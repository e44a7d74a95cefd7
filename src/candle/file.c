/* file.c - CANDLE parameter files
 *
 * The dialect is that of Python's configparser with its default settings:
 * sections, `key = value` or `key: value`, keys in lower case, comments in
 * lines of their own, values that go on in lines with a deeper indent. Each
 * value is then one Python literal, in which # begins a comment. Sections
 * carry no meaning: all are merged, and of two equal keys in two of them the
 * first counts. A file without any section header is read too. */
#include "candle/keyword.h"

struct entry {
    struct str key;
    struct value *value;
    uint32_t line, column;
    size_t section; /* number of its section; 0: [DEFAULT] */
};

/* Where a line of a value stands in the file. */
struct part {
    const char *p; /* in the file */
    size_t offset; /* in the joined text */
    uint32_t line;
};

struct file {
    struct arena *arena;
    struct problems *problems;
    struct str name;
    const char *p, *end;
    uint32_t line;       /* number of the line at hand */
    const char *begin;   /* and where it begins */
    size_t section;      /* current; 1: what stands before any header */
    size_t sections;     /* so many numbers are given away */
    struct map *headers; /* names of sections seen */
    struct map *keys;    /* "section number, key" seen */
    VEC(struct entry) entries;
    /* The key at hand, whose value is not complete yet. */
    bool open, skip; /* skip: a mistake was found in the key */
    struct str key;
    uint32_t key_line, key_column;
    size_t indent; /* of the key at hand */
    VEC(struct part) parts;
    VEC(const char *) ends;
};

/* ---- places ----------------------------------------------------------- */

/* Columns count characters. */
static uint32_t column_of(const char *begin, const char *at)
{
    uint32_t column = 1;

    for (; begin < at; begin++)
        column += (*begin & 0xc0) != 0x80;
    return column;
}

static const char *line_begin(const char *first, const char *at)
{
    while (at > first && at[-1] != '\n')
        at--;
    return at;
}

__attribute__((format(printf, 4, 5))) static void
mistake(struct file *f, const char *at, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_vadd(f->problems,
                  (struct problem){.level = PROBLEM_ERROR,
                                   .file = f->name,
                                   .line = f->line,
                                   .column = column_of(f->begin, at),
                                   .hint = str_of(hint)},
                  fmt, ap);
    va_end(ap);
}

/* ---- values ----------------------------------------------------------- */

/* The value's lines as one text; a value on one line is not copied. */
static struct str joined(struct file *f)
{
    struct buf b;
    struct str s;

    if (f->parts.len == 1)
        return str_n(f->parts.p[0].p, (size_t)(f->ends.p[0] - f->parts.p[0].p));
    buf_init(&b);
    for (size_t i = 0; i < f->parts.len; i++) {
        if (i > 0)
            buf_addc(&b, '\n');
        f->parts.p[i].offset = b.len;
        buf_add(&b, f->parts.p[i].p, (size_t)(f->ends.p[i] - f->parts.p[i].p));
    }
    s = arena_str(f->arena, buf_str(&b));
    buf_done(&b);
    return s;
}

static void bad_value(struct file *f, const char *text,
                      const struct literal_fault *fault)
{
    size_t i = f->parts.len - 1;

    while (i > 0 && f->parts.p[i].offset > fault->at)
        i--;
    const struct part *part = &f->parts.p[i];
    const char *at = part->p + (fault->at - part->offset);
    problems_add(f->problems, PROBLEM_ERROR, f->name, part->line,
                 column_of(line_begin(text, part->p), at), str_of(fault->hint),
                 "%s: %s", shown(f->arena, f->key), fault->text);
}

static bool key_is_new(struct file *f)
{
    const char *id =
        arena_printf(f->arena, "%zu %.*s", f->section, STRF(f->key));

    if (map_set(f->keys, str_of(id), f) == NULL)
        return true;
    problems_add(f->problems, PROBLEM_ERROR, f->name, f->key_line,
                 f->key_column, STR("keep one of them"),
                 "the key '%s' stands in this section twice",
                 shown(f->arena, f->key));
    return false;
}

/* The value at hand is complete. */
static void close_value(struct file *f, const char *first)
{
    struct literal_fault fault = {0};
    struct value *v;

    if (!f->open)
        return;
    f->open = false;
    if (f->skip)
        return;
    v = literal_read(f->arena, joined(f), LITERAL_PERCENT, &fault);
    if (!v) {
        bad_value(f, first, &fault);
        return;
    }
    v->line = f->parts.p[0].line;
    v->column = column_of(line_begin(first, f->parts.p[0].p), f->parts.p[0].p);
    vec_push(&f->entries, ((struct entry){f->key, v, f->key_line, f->key_column,
                                          f->section}));
}

static void add_part(struct file *f, struct str text)
{
    struct part part = {text.p, 0, f->line};

    vec_push(&f->parts, part);
    vec_push(&f->ends, text.p + text.len);
}

/* ---- lines ------------------------------------------------------------ */

static struct str lower(struct arena *a, struct str s)
{
    char *copy = arena_cstr(a, s);

    for (size_t i = 0; i < s.len; i++)
        if (copy[i] >= 'A' && copy[i] <= 'Z')
            copy[i] = (char)(copy[i] | 0x20);
    return str_n(copy, s.len);
}

/* "[name]", and whatever stands behind it. */
static void read_header(struct file *f, struct str line)
{
    const char *close = memrchr(line.p, ']', line.len);
    struct str name;

    if (!close || close == line.p + 1) {
        mistake(f, line.p, "write [Global_Params]",
                "a section's name stands between [ and ]");
        return;
    }
    name = str_n(line.p + 1, (size_t)(close - line.p) - 1);
    if (str_is(name, "DEFAULT")) {
        f->section = 0;
        return;
    }
    f->section = ++f->sections;
    if (map_set(f->headers, name, f))
        mistake(f, line.p, "put the keys of both into one section",
                "the section [%s] stands here twice", shown(f->arena, name));
}

static void read_key(struct file *f, struct str line)
{
    struct str key, value;
    size_t cut = 0;

    while (cut < line.len && line.p[cut] != '=' && line.p[cut] != ':')
        cut++;
    if (cut == line.len) {
        mistake(f, line.p,
                "a line that goes on with a value begins with a blank",
                "expected key = value, not %s", shown(f->arena, line));
        return;
    }
    key = str_trim(str_n(line.p, cut));
    if (key.len == 0) {
        mistake(f, line.p, NULL, "there is no key before the %c", line.p[cut]);
        return;
    }
    value = str_trim(str_n(line.p + cut + 1, line.len - cut - 1));
    if (value.len == 0) /* keeps the place behind the delimiter */
        value = str_n(line.p + cut + 1, 0);
    f->key = lower(f->arena, key);
    f->key_line = f->line;
    f->key_column = column_of(f->begin, key.p);
    f->parts.len = f->ends.len = 0;
    add_part(f, value);
    f->open = true;
    f->skip = !key_is_new(f);
}

static void read_line(struct file *f, struct str raw, const char *first)
{
    struct str line = str_trim(raw);
    size_t indent = (size_t)(line.p - raw.p);

    if (line.len == 0 && f->open)
        add_part(f, str_n(raw.p, 0)); /* it may stand inside of a string */
    if (line.len == 0 || *line.p == '#' || *line.p == ';')
        return;
    if (f->open && indent > f->indent) {
        add_part(f, line);
        return;
    }
    close_value(f, first);
    f->indent = indent;
    if (*line.p == '[')
        read_header(f, line);
    else
        read_key(f, line);
}

static void read_lines(struct file *f, struct str text)
{
    struct str line;

    while (str_split(&text, '\n', &line)) {
        f->line++;
        f->begin = line.p;
        read_line(f, line, f->p);
    }
    close_value(f, f->p);
}

/* ---- the whole -------------------------------------------------------- */

static bool check_bytes(struct file *f, struct str text)
{
    size_t at = str_bad_byte(text);

    if (at == text.len)
        return true;
    f->begin = line_begin(text.p, text.p + at);
    f->line = 1;
    for (const char *p = text.p; p < f->begin; p++)
        f->line += *p == '\n';
    mistake(f, text.p + at, "save the file as UTF-8 text",
            "the byte 0x%02x is not text", (unsigned char)text.p[at]);
    return false;
}

/* Adds the entries of one section, or with `rest` of all but two. */
static void merge(struct file *f, struct value *object, struct map *seen,
                  size_t section, bool rest, size_t but)
{
    for (size_t i = 0; i < f->entries.len; i++) {
        const struct entry *e = &f->entries.p[i];
        bool here =
            rest ? e->section != 0 && e->section != but : e->section == section;
        if (!here)
            continue;
        if (!map_set(seen, e->key, f)) {
            value_add_at(f->arena, object, e->key, e->value, e->line,
                         e->column);
        } else if (e->section != 0) {
            problems_add(f->problems, PROBLEM_WARNING, f->name, e->line,
                         e->column, STR(""),
                         "'%s' stands in an earlier section too: that one "
                         "counts",
                         shown(f->arena, e->key));
        }
    }
}

/* The first section, then what it inherits, then the others: the order in
 * which the first of equal keys counts. */
static struct value *merged(struct file *f)
{
    struct value *object = value_object(f->arena);
    struct map *seen = map_new();
    size_t first = 0;

    for (size_t i = 0; i < f->entries.len && first == 0; i++)
        first = f->entries.p[i].section;
    if (first != 0)
        merge(f, object, seen, first, false, 0);
    merge(f, object, seen, 0, false, 0);
    merge(f, object, seen, 0, true, first);
    map_free(seen);
    object->line = object->column = 1;
    return object;
}

struct value *candle_file_part(struct str text, const char *file,
                               struct arena *a, struct problems *problems)
{
    struct file f = {.arena = a,
                     .problems = problems,
                     .name = str_of(file),
                     .section = 1,
                     .sections = 1};
    struct value *v;

    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_n(text.p + 3, text.len - 3);
    f.p = text.p;
    f.headers = map_new();
    f.keys = map_new();
    if (check_bytes(&f, text))
        read_lines(&f, text);
    v = merged(&f);
    map_free(f.headers);
    map_free(f.keys);
    vec_done(&f.entries);
    vec_done(&f.parts);
    vec_done(&f.ends);
    return v;
}

struct value *candle_file(struct str text, const char *file, struct arena *a,
                          struct problems *problems)
{
    size_t errors = problems->errors;
    struct value *v = candle_file_part(text, file, a, problems);

    return problems->errors == errors ? v : NULL;
}
