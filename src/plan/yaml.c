/* yaml.c - YAML text to a value with marks
 *
 * libyaml's events are put together to a tree. Plain scalars are read by the
 * core schema of YAML 1.2 (1e-4 is a number), with yes, no, on and off as
 * booleans too. An alias shares the anchor's value; what it would be when
 * written out counts towards the limits, so that a small file cannot stand
 * for a huge tree. An anchor is known only after its node is complete, so no
 * value can hold itself.
 *
 * A syntax error or a passed limit ends the reading; other mistakes (a key
 * twice, a leading zero) are noted and reading goes on. */
#include "plan/reading.h"

#include <math.h>
#include <yaml.h>
#include "base/num.h"

#define DEPTH_MAX 64
#define NODES_MAX 1000000
#define TEXT_MAX_BYTES (64u << 20)
#define SMALL_OBJECT 16

struct anchor {
    struct value *value;
    size_t nodes;
    unsigned height;
};

struct tree {
    yaml_parser_t parser;
    struct arena *arena;
    struct problems *problems;
    struct str file, text;
    struct map *anchors; /* name -> struct anchor */
    size_t nodes;        /* as if every alias were written out */
    bool failed;         /* nothing more can be read */
};

/* What a node was, for the anchor that may stand on it. */
struct node {
    struct value *value;
    unsigned height; /* 0: a scalar */
};

static struct node read_node(struct tree *t, yaml_event_t *event,
                             unsigned depth);

__attribute__((format(printf, 4, 5))) static void
fault(struct tree *t, yaml_mark_t mark, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_vadd(t->problems,
                  (struct problem){.level = PROBLEM_ERROR,
                                   .file = t->file,
                                   .line = (uint32_t)mark.line + 1,
                                   .column = (uint32_t)mark.column + 1,
                                   .hint = str_of(hint)},
                  fmt, ap);
    va_end(ap);
}

/* Line and column of a byte, for errors that come without them. */
static yaml_mark_t mark_of(struct str text, size_t offset)
{
    yaml_mark_t m = {.index = offset};

    for (size_t i = 0; i < offset && i < text.len; i++) {
        if (text.p[i] == '\n') {
            m.line++;
            m.column = 0;
        } else if (((unsigned char)text.p[i] & 0xc0) != 0x80) {
            m.column++;
        }
    }
    return m;
}

/* The byte at a mark: libyaml counts characters, not bytes. 0: the end. */
static char byte_at(struct str text, yaml_mark_t mark)
{
    size_t line = 0, column = 0;

    for (size_t i = 0; i < text.len; i++) {
        bool inner = ((unsigned char)text.p[i] & 0xc0) == 0x80;

        if (line == mark.line && column == mark.column && !inner)
            return text.p[i];
        if (text.p[i] == '\n') {
            line++;
            column = 0;
        } else if (!inner) {
            column++;
        }
    }
    return 0;
}

/* Text that YAML takes for its own signs. */
static const char *quotes_hint(struct str text, yaml_mark_t mark,
                               const char *problem, const char *context)
{
    if (byte_at(text, mark) == '{' && context && strstr(context, "flow"))
        return "inside of [ ] and { }, put text with braces in quotes: "
               "\"${name}\"";
    if (strstr(problem, "mapping values are not allowed"))
        return "put text that holds a colon and a blank in quotes";
    return NULL;
}

static void syntax_fault(struct tree *t)
{
    const yaml_parser_t *p = &t->parser;
    const char *problem = p->problem ? p->problem : "unreadable";
    yaml_mark_t mark = p->problem_mark;
    const char *hint = NULL;

    if (p->error == YAML_READER_ERROR)
        mark = mark_of(t->text, p->problem_offset);
    else if (byte_at(t->text, mark) == '\t')
        hint = "a tab cannot indent; use blanks";
    else if (byte_at(t->text, mark) == '%')
        hint = "put text that starts with % in quotes";
    else
        hint = quotes_hint(t->text, mark, problem, p->context);
    if (p->context)
        fault(t, mark, hint, "not YAML: %s, %s", problem, p->context);
    else
        fault(t, mark, hint, "not YAML: %s", problem);
    t->failed = true;
}

static bool next(struct tree *t, yaml_event_t *event)
{
    if (t->failed)
        return false;
    if (yaml_parser_parse(&t->parser, event))
        return true;
    syntax_fault(t);
    return false;
}

/* ---- scalars ---------------------------------------------------------- */

static bool plain_bool(struct str s, bool *b)
{
    static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes",
                                      "YES",  "on",   "On",   "ON",  NULL};
    static const char *const no[] = {"false", "False", "FALSE", "no",  "No",
                                     "NO",    "off",   "Off",   "OFF", NULL};

    *b = str_among(s, yes);
    return *b || str_among(s, no);
}

static bool plain_null(struct str s)
{
    static const char *const none[] = {"", "~", "null", "Null", "NULL", NULL};

    return str_among(s, none);
}

static struct str unsigned_part(struct str s)
{
    if (s.len > 0 && (s.p[0] == '-' || s.p[0] == '+'))
        return str_n(s.p + 1, s.len - 1);
    return s;
}

/* 0x1F and 0o17: 1 when it is one, 0 when it is not, -1 when too large. */
static int plain_prefixed(struct str s, int64_t *out)
{
    unsigned base = 0;
    uint64_t sum = 0;

    if (s.len > 2 && s.p[0] == '0')
        base = s.p[1] == 'x' ? 16 : s.p[1] == 'o' ? 8 : 0;
    if (base == 0)
        return 0;
    for (size_t i = 2; i < s.len; i++) {
        char c = s.p[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 99;
        if (digit >= base)
            return 0;
        if (sum > ((uint64_t)INT64_MAX - digit) / base)
            return -1;
        sum = sum * base + digit;
    }
    *out = (int64_t)sum;
    return 1;
}

static bool plain_special(struct str s, double *d)
{
    static const char *const infinite[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const nan[] = {".nan", ".NaN", ".NAN", NULL};
    struct str u = unsigned_part(s);

    if (str_among(s, nan)) {
        *d = NAN;
        return true;
    }
    if (!str_among(u, infinite))
        return false;
    *d = s.p[0] == '-' ? -INFINITY : INFINITY;
    return true;
}

/* [-+]? ( .digits | digits (.digits*)? ) ([eE][-+]?digits)? */
static bool looks_like_float(struct str s)
{
    struct str u = unsigned_part(s);
    size_t i = 0, digits = 0, exponent = 0;

    for (; i < u.len && u.p[i] >= '0' && u.p[i] <= '9'; i++)
        digits++;
    if (i < u.len && u.p[i] == '.')
        for (i++; i < u.len && u.p[i] >= '0' && u.p[i] <= '9'; i++)
            digits++;
    if (digits == 0)
        return false;
    if (i == u.len)
        return true;
    if (u.p[i] != 'e' && u.p[i] != 'E')
        return false;
    i++;
    if (i < u.len && (u.p[i] == '-' || u.p[i] == '+'))
        i++;
    for (; i < u.len && u.p[i] >= '0' && u.p[i] <= '9'; i++)
        exponent++;
    return i == u.len && exponent > 0;
}

static struct value *read_whole(struct tree *t, struct str s, yaml_mark_t mark)
{
    struct str u = unsigned_part(s);
    int64_t i = 0;

    if (u.len > 1 && u.p[0] == '0')
        fault(t, mark, "drop the zeros, or put it in quotes to make it text",
              "'%s' has leading zeros", shown(t->arena, s));
    else if (!num_int(s, &i))
        fault(t, mark, "write it with an exponent, as in 1e30",
              "'%s' is larger than a whole number can be", shown(t->arena, s));
    return value_int(t->arena, i);
}

static struct value *read_float(struct tree *t, struct str s, yaml_mark_t mark)
{
    double d = 0;

    if (plain_special(s, &d))
        return value_double(t->arena, d);
    if (!num_double(s, &d) || !isfinite(d)) {
        fault(t, mark, "at most 1.797e308; infinity is written .inf",
              "'%s' is larger than a number can be", shown(t->arena, s));
        d = 0;
    }
    return value_double(t->arena, d);
}

/* YAML 1.1 readers take 1_000 for a number; by 1.2 it is text, and nobody
 * who writes it means text. */
static void warn_underscores(struct tree *t, struct str s, yaml_mark_t mark)
{
    bool seen = false;

    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '_')
            seen = true;
        else if (s.p[i] < '0' || s.p[i] > '9')
            return;
    }
    if (seen && s.p[0] != '_')
        problems_add(t->problems, PROBLEM_WARNING, t->file,
                     (uint32_t)mark.line + 1, (uint32_t)mark.column + 1,
                     STR("write it without underscores to make it a number"),
                     "'%s' is text in YAML 1.2", shown(t->arena, s));
}

static struct value *read_plain(struct tree *t, struct str s, yaml_mark_t mark)
{
    int64_t i;
    double d;
    bool b;
    int prefixed;

    if (plain_null(s))
        return value_null(t->arena);
    if (plain_bool(s, &b))
        return value_bool(t->arena, b);
    if (str_digits(unsigned_part(s)))
        return read_whole(t, s, mark);
    prefixed = plain_prefixed(s, &i);
    if (prefixed > 0)
        return value_int(t->arena, i);
    if (prefixed < 0) {
        fault(t, mark, NULL, "'%s' is larger than a whole number can be",
              shown(t->arena, s));
        return value_int(t->arena, 0);
    }
    if (plain_special(s, &d) || looks_like_float(s))
        return read_float(t, s, mark);
    warn_underscores(t, s, mark);
    return value_string(t->arena, s);
}

/* !!int and the like: the text must be of that kind. */
static struct value *read_tagged(struct tree *t, struct str s, const char *tag,
                                 yaml_mark_t mark)
{
    static const struct {
        const char *tag, *what;
        enum value_kind kind;
    } kinds[] = {
        {YAML_NULL_TAG, "null", VALUE_NULL},
        {YAML_BOOL_TAG, "true or false", VALUE_BOOL},
        {YAML_INT_TAG, "a whole number", VALUE_INT},
        {YAML_FLOAT_TAG, "a number", VALUE_DOUBLE},
    };
    struct value *v;

    if (strcmp(tag, YAML_STR_TAG) == 0 || strcmp(tag, "!") == 0)
        return value_string(t->arena, s);
    v = read_plain(t, s, mark);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(tag, kinds[i].tag) != 0)
            continue;
        if (kinds[i].kind == VALUE_DOUBLE && v->kind == VALUE_INT)
            return value_double(t->arena, (double)v->i);
        if (v->kind != kinds[i].kind)
            fault(t, mark, NULL, "'%s' is not %s, as its tag says",
                  shown(t->arena, s), kinds[i].what);
        return v;
    }
    fault(t, mark, "only the core ones: !!str, !!int, !!float, !!bool, !!null",
          "the tag '%s' is not known", shown(t->arena, str_of(tag)));
    return v;
}

static struct node read_scalar(struct tree *t, const yaml_event_t *event)
{
    struct str s = str_n((const char *)event->data.scalar.value,
                         event->data.scalar.length);
    const char *tag = (const char *)event->data.scalar.tag;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    struct node n = {0};

    if (memchr(s.p, 0, s.len)) {
        fault(t, event->start_mark, NULL, "text must not hold a NUL byte");
        s = STR("");
    }
    if (tag)
        n.value = read_tagged(t, s, tag, event->start_mark);
    else if (plain)
        n.value = read_plain(t, s, event->start_mark);
    else
        n.value = value_string(t->arena, s);
    return n;
}

/* ---- objects ---------------------------------------------------------- */

/* An object being built, with a set of its keys once it is not small: a
 * search through all keys for each key would take for ever on a large one. */
struct members {
    struct value *object;
    struct map *seen;
};

static bool members_has(const struct members *m, struct str key)
{
    if (m->seen)
        return map_has(m->seen, key);
    for (size_t i = 0; i < m->object->count; i++)
        if (str_eq(m->object->keys[i], key))
            return true;
    return false;
}

static void members_add(struct tree *t, struct members *m, struct str key,
                        struct value *item, uint32_t line, uint32_t column)
{
    struct value *o = m->object;

    value_add_at(t->arena, o, key, item, line, column);
    if (!m->seen && o->count > SMALL_OBJECT) {
        m->seen = map_new();
        for (size_t i = 0; i < o->count; i++)
            map_set(m->seen, o->keys[i], o);
    } else if (m->seen) {
        map_set(m->seen, key, o);
    }
}

static bool count_nodes(struct tree *t, size_t more, yaml_mark_t mark)
{
    t->nodes += more;
    if (t->nodes <= NODES_MAX)
        return true;
    if (!t->failed)
        fault(t, mark, "a long list of points belongs into a file of its own",
              "more than %d values, with aliases written out", NODES_MAX);
    t->failed = true;
    return false;
}

/* Members that are not there already are taken over from another object. */
static void merge_one(struct tree *t, struct members *m,
                      const struct value *from, yaml_mark_t mark)
{
    if (from->kind != VALUE_OBJECT) {
        fault(t, mark, NULL, "<< takes an object or a list of objects");
        return;
    }
    if (!count_nodes(t, from->count, mark))
        return;
    for (size_t i = 0; i < from->count; i++)
        if (!members_has(m, from->keys[i]))
            members_add(t, m, from->keys[i], from->items[i],
                        from->key_lines ? from->key_lines[i] : from->line,
                        from->key_columns ? from->key_columns[i]
                                          : from->column);
}

static void merge(struct tree *t, struct members *m, const struct value *from,
                  yaml_mark_t mark)
{
    if (from->kind != VALUE_LIST) {
        merge_one(t, m, from, mark);
        return;
    }
    for (size_t i = 0; i < from->count && !t->failed; i++)
        merge_one(t, m, from->items[i], mark);
}

struct merge_source {
    struct value *from;
    yaml_mark_t mark;
};
struct merges {
    VEC(struct merge_source) list;
};

static void read_member(struct tree *t, struct members *m,
                        struct merges *merges, yaml_event_t *key_event,
                        unsigned *height, unsigned depth)
{
    yaml_mark_t mark = key_event->start_mark;
    yaml_event_t event;
    struct node item;
    struct str key;
    bool merge_key = false;

    if (key_event->type != YAML_SCALAR_EVENT) {
        fault(t, mark, NULL, "a key must be text");
        t->failed = true;
        return;
    }
    key = arena_str(t->arena, str_n((const char *)key_event->data.scalar.value,
                                    key_event->data.scalar.length));
    merge_key = key_event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
                str_is(key, "<<");
    if (memchr(key.p, 0, key.len))
        fault(t, mark, NULL, "a key must not hold a NUL byte");
    if (!next(t, &event))
        return;
    item = read_node(t, &event, depth + 1);
    yaml_event_delete(&event);
    if (!item.value)
        return;
    if (item.height + 1 > *height)
        *height = item.height + 1;
    if (merge_key)
        vec_push(&merges->list, ((struct merge_source){item.value, mark}));
    else if (members_has(m, key))
        fault(t, mark, NULL, "the key '%s' stands here twice",
              shown(t->arena, key));
    else
        members_add(t, m, key, item.value, (uint32_t)mark.line + 1,
                    (uint32_t)mark.column + 1);
}

static struct node read_mapping(struct tree *t, unsigned depth)
{
    struct node n = {.value = value_object(t->arena), .height = 1};
    struct members m = {.object = n.value};
    struct merges merges = {0};
    yaml_event_t event;

    while (next(t, &event)) {
        bool end = event.type == YAML_MAPPING_END_EVENT;

        if (!end)
            read_member(t, &m, &merges, &event, &n.height, depth);
        yaml_event_delete(&event);
        if (end)
            break;
    }
    for (size_t i = 0; i < merges.list.len && !t->failed; i++)
        merge(t, &m, merges.list.p[i].from, merges.list.p[i].mark);
    vec_done(&merges.list);
    map_free(m.seen);
    return n;
}

static struct node read_sequence(struct tree *t, unsigned depth)
{
    struct node n = {.value = value_list(t->arena), .height = 1};
    yaml_event_t event;

    while (next(t, &event)) {
        bool end = event.type == YAML_SEQUENCE_END_EVENT;

        if (!end) {
            struct node item = read_node(t, &event, depth + 1);

            if (item.value)
                value_list_add(t->arena, n.value, item.value);
            if (item.height + 1 > n.height)
                n.height = item.height + 1;
        }
        yaml_event_delete(&event);
        if (end)
            break;
    }
    return n;
}

/* ---- nodes ------------------------------------------------------------ */

static struct node read_alias(struct tree *t, const yaml_event_t *event,
                              unsigned depth)
{
    struct str name = str_of((const char *)event->data.alias.anchor);
    const struct anchor *anchor = map_get(t->anchors, name);

    if (!anchor) {
        fault(t, event->start_mark, NULL,
              "the alias '*%s' has no complete anchor before it",
              shown(t->arena, name));
        t->failed = true;
        return (struct node){0};
    }
    if (depth + anchor->height > DEPTH_MAX) {
        fault(t, event->start_mark, NULL, "nested deeper than %d", DEPTH_MAX);
        t->failed = true;
        return (struct node){0};
    }
    if (!count_nodes(t, anchor->nodes, event->start_mark))
        return (struct node){0};
    return (struct node){.value = anchor->value, .height = anchor->height};
}

static void check_collection_tag(struct tree *t, const yaml_event_t *event)
{
    bool list = event->type == YAML_SEQUENCE_START_EVENT;
    const char *tag = (const char *)(list ? event->data.sequence_start.tag
                                          : event->data.mapping_start.tag);

    if (tag && strcmp(tag, list ? YAML_SEQ_TAG : YAML_MAP_TAG) != 0 &&
        strcmp(tag, "!") != 0)
        fault(t, event->start_mark, "only the core ones: !!seq, !!map",
              "the tag '%s' is not known", shown(t->arena, str_of(tag)));
}

static const char *anchor_of(const yaml_event_t *event)
{
    if (event->type == YAML_SCALAR_EVENT)
        return (const char *)event->data.scalar.anchor;
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return (const char *)event->data.sequence_start.anchor;
    if (event->type == YAML_MAPPING_START_EVENT)
        return (const char *)event->data.mapping_start.anchor;
    return NULL;
}

static void keep_anchor(struct tree *t, const char *name, struct node n,
                        size_t nodes)
{
    struct anchor *anchor = arena_new_of(t->arena, struct anchor);

    *anchor = (struct anchor){n.value, nodes, n.height};
    map_set(t->anchors, str_of(name), anchor);
}

static struct node read_node(struct tree *t, yaml_event_t *event,
                             unsigned depth)
{
    struct node n = {0};
    size_t before = t->nodes;

    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(t, event, depth);
    if (depth > DEPTH_MAX) {
        fault(t, event->start_mark, NULL, "nested deeper than %d", DEPTH_MAX);
        t->failed = true;
        return n;
    }
    if (!count_nodes(t, 1, event->start_mark))
        return n;
    if (event->type == YAML_SCALAR_EVENT) {
        n = read_scalar(t, event);
    } else {
        check_collection_tag(t, event);
        n = event->type == YAML_MAPPING_START_EVENT ? read_mapping(t, depth)
                                                    : read_sequence(t, depth);
    }
    if (t->failed)
        return (struct node){0};
    n.value->line = (uint32_t)event->start_mark.line + 1;
    n.value->column = (uint32_t)event->start_mark.column + 1;
    if (anchor_of(event))
        keep_anchor(t, anchor_of(event), n, t->nodes - before);
    return n;
}

/* The one document of the stream. */
static struct value *read_stream(struct tree *t)
{
    struct value *root = NULL;
    yaml_event_t event;
    bool end = false;

    while (!end && next(t, &event)) {
        if (event.type == YAML_DOCUMENT_START_EVENT && root) {
            fault(t, event.start_mark, NULL,
                  "a second document begins here; a study file holds one");
            t->failed = true;
        } else if (event.type == YAML_STREAM_END_EVENT) {
            end = true;
        } else if (event.type == YAML_ALIAS_EVENT ||
                   event.type == YAML_SCALAR_EVENT ||
                   event.type == YAML_SEQUENCE_START_EVENT ||
                   event.type == YAML_MAPPING_START_EVENT) {
            root = read_node(t, &event, 1).value;
        }
        yaml_event_delete(&event);
    }
    return t->failed ? NULL : root ? root : value_null(t->arena);
}

/* ---- bytes ------------------------------------------------------------ */

static bool check_bytes(struct tree *t)
{
    size_t at;

    if (t->text.len > TEXT_MAX_BYTES) {
        problems_add(t->problems, PROBLEM_ERROR, t->file, 0, 0,
                     STR("a list of points belongs into a file of its own"),
                     "larger than %u MiB", TEXT_MAX_BYTES >> 20);
        return false;
    }
    if (str_utf8(t->text))
        return true;
    at = str_bad_byte(t->text);
    if (at < t->text.len && t->text.p[at] == 0)
        fault(t, mark_of(t->text, at), NULL, "a NUL byte is not text");
    else
        fault(t, mark_of(t->text, at), "save the file as UTF-8",
              "the byte 0x%02x is not UTF-8 text",
              at < t->text.len ? (unsigned char)t->text.p[at] : 0u);
    return false;
}

struct value *plan_yaml(struct str text, const char *file, struct arena *a,
                        struct problems *problems)
{
    struct tree t = {
        .arena = a, .problems = problems, .file = str_of(file), .text = text};
    struct value *root;

    if (text.len == 0)
        return value_null(a);
    if (!check_bytes(&t))
        return NULL;
    require(yaml_parser_initialize(&t.parser));
    yaml_parser_set_encoding(&t.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&t.parser, (const unsigned char *)text.p,
                                 text.len);
    t.anchors = map_new();
    root = read_stream(&t);
    map_free(t.anchors);
    yaml_parser_delete(&t.parser);
    return root;
}
