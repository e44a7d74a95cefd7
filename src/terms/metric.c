/* metric.c - one line of metrics
 *
 * Names without escapes at the top of the object, which is nearly all of
 * them, point into the line. Others are put together in `scratch`; when that
 * has to grow, the names that point into it move along. */
#include "terms/metric.h"

#include <math.h>
#include <stdlib.h>

#include "base/chars.h"
#include "base/json.h"
#include "base/num.h"
#include "base/vec.h"

struct reader {
    struct metric_line *m;
    struct json_scan scan;
    struct str line;
    size_t prefix_len; /* of the objects around, "a/b/" */
    char prefix[METRIC_NAME_MAX + 1];
};

void metric_line_init(struct metric_line *m)
{
    *m = (struct metric_line){.step = METRIC_NO_STEP};
    buf_init(&m->scratch);
}

void metric_line_done(struct metric_line *m)
{
    if (!m)
        return;
    free(m->pairs);
    buf_done(&m->scratch);
    *m = (struct metric_line){.step = METRIC_NO_STEP};
}

static void begin(struct metric_line *m)
{
    m->step = METRIC_NO_STEP;
    m->count = 0;
    m->scratch.len = 0;
}

static void add_pair(struct metric_line *m, struct str name, double value)
{
    if (m->count == m->cap)
        vec_grow((void **)&m->pairs, &m->cap, m->count + 1, sizeof(*m->pairs));
    m->pairs[m->count++] = (struct metric_pair){name, value};
}

/* Makes room for `more` bytes in scratch and takes along what points there. */
static void scratch_reserve(struct metric_line *m, size_t more)
{
    struct buf *old = &m->scratch, grown;
    if (old->len + more < old->cap)
        return;
    buf_init(&grown);
    buf_reserve(&grown, 2 * (old->len + more));
    buf_addstr(&grown, buf_str(old));
    for (size_t i = 0; i < m->count; i++) {
        struct str *name = &m->pairs[i].name;
        if (name->p >= old->p && name->p < old->p + old->len)
            name->p = grown.p + (name->p - old->p);
    }
    buf_done(old);
    *old = grown;
}

static size_t column_of(const struct reader *r)
{
    return (size_t)(r->scan.at - r->line.p) + 1;
}

static int expected(const struct reader *r, struct err *err)
{
    return err_set(err, ERR_INPUT, "column %zu: expected %s", column_of(r),
                   r->scan.why);
}

static int check_name(struct str name, size_t column, struct err *err)
{
    if (name.len == 0)
        return err_set(err, ERR_INPUT, "column %zu: a name is empty", column);
    if (name.len > METRIC_NAME_MAX)
        return err_set(err, ERR_INPUT,
                       "column %zu: the name '%.40s…' is longer than %d bytes",
                       column, name.p, METRIC_NAME_MAX);
    return 0;
}

/* The whole name of the key that was just scanned. */
static int key_name(struct reader *r, struct str *name, struct err *err)
{
    struct str text = r->scan.text;
    *name = text;
    if (text.len == 0)
        return check_name(text, column_of(r), err);
    if (r->scan.escaped || r->prefix_len) {
        scratch_reserve(r->m, r->prefix_len + text.len + 1);
        struct buf *b = &r->m->scratch;
        size_t start = b->len;
        buf_add(b, r->prefix, r->prefix_len);
        if (json_unescape(b, text))
            return err_set(err, ERR_INPUT, "column %zu: a bad escape",
                           column_of(r));
        *name = str_n(b->p + start, b->len - start);
    }
    return name->len > METRIC_NAME_MAX ? check_name(*name, column_of(r), err)
                                       : 0;
}

static int set_step(struct metric_line *m, double value, size_t column,
                    struct err *err)
{
    if (!(value == floor(value) && fabs(value) <= 0x1p53))
        return err_set(err, ERR_INPUT,
                       "column %zu: a step is a whole number, not %g", column,
                       value);
    m->step = (int64_t)value;
    return 0;
}

/* A text counts when it is a number. */
static bool text_number(struct str text, double *value)
{
    return num_double(str_trim(text), value);
}

static int read_object(struct reader *r, struct err *err);

static int read_nested(struct reader *r, struct str name, struct err *err)
{
    size_t before = r->prefix_len;
    if (name.len >= METRIC_NAME_MAX)
        return check_name(str_n(name.p, METRIC_NAME_MAX + 1), column_of(r),
                          err);
    memcpy(r->prefix, name.p, name.len);
    r->prefix[name.len] = '/';
    r->prefix_len = name.len + 1;
    int rc = read_object(r, err);
    r->prefix_len = before;
    return rc;
}

/* The number that a value stands for; false when it stands for none. */
static bool token_number(const struct json_scan *s, enum json_token token,
                         double *value)
{
    switch (token) {
    case JSON_INT:
    case JSON_DOUBLE:
        *value = s->d;
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        *value = token == JSON_TRUE;
        return true;
    case JSON_NULL:
        *value = NAN;
        return true;
    default:
        return token == JSON_STRING && !s->escaped &&
               text_number(s->text, value);
    }
}

static int read_step(struct reader *r, enum json_token token, struct err *err)
{
    const struct json_scan *s = &r->scan;
    double value;
    if (token == JSON_NULL)
        return 0;
    if (token == JSON_INT && s->i != METRIC_NO_STEP) {
        r->m->step = s->i;
        return 0;
    }
    if (token_number(s, token, &value))
        return set_step(r->m, value, column_of(r), err);
    return err_set(err, ERR_INPUT, "column %zu: a step is a whole number",
                   column_of(r));
}

static int read_member(struct reader *r, struct str name, struct err *err)
{
    struct json_scan *s = &r->scan;
    enum json_token token = json_scan_next(s);
    double value;
    if (token == JSON_BAD)
        return expected(r, err);
    if (r->prefix_len == 0 && name.len == 4 && !memcmp(name.p, "step", 4))
        return read_step(r, token, err);
    if (token_number(s, token, &value))
        add_pair(r->m, name, value);
    else if (token == JSON_OBJECT_OPEN)
        return read_nested(r, name, err);
    else if (json_scan_skip(s, token))
        return expected(r, err);
    return 0;
}

/* Reads members up to the object's end; its '{' was read already. */
static int read_object(struct reader *r, struct err *err)
{
    for (;;) {
        enum json_token token = json_scan_next(&r->scan);
        if (token == JSON_OBJECT_CLOSE)
            return 0;
        struct str name;
        if (token != JSON_KEY)
            return expected(r, err);
        if (key_name(r, &name, err) || read_member(r, name, err))
            return -1;
    }
}

static int check_length(struct str line, struct err *err)
{
    if (line.len <= METRIC_LINE_MAX)
        return 0;
    return err_set(err, ERR_LIMIT, "a line of metrics has more than %d bytes",
                   METRIC_LINE_MAX);
}

int metric_line_json(struct metric_line *m, struct str line, struct err *err)
{
    struct reader r;
    r.m = m;
    r.line = line;
    r.prefix_len = 0;
    begin(m);
    if (check_length(line, err))
        return -1;
    json_scan_init(&r.scan, line);
    enum json_token token = json_scan_next(&r.scan);
    int rc = 0;
    if (token != JSON_OBJECT_OPEN)
        rc = err_set(err, ERR_INPUT,
                     "column 1: a line of metrics is a JSON object like "
                     "{\"step\":3,\"loss\":0.2}");
    else if (read_object(&r, err))
        rc = -1;
    else if (json_scan_next(&r.scan) != JSON_END)
        rc = expected(&r, err);
    if (rc)
        begin(m);
    return rc;
}

/* Takes `"a name"` off the front of *rest. */
static int quoted_name(struct metric_line *m, struct str *rest,
                       struct str *name, size_t column, struct err *err)
{
    size_t end = 1;
    bool escaped = false;
    while (end < rest->len && rest->p[end] != '"') {
        escaped |= rest->p[end] == '\\';
        end += rest->p[end] == '\\' ? 2 : 1;
    }
    if (end >= rest->len)
        return err_set(err, ERR_INPUT, "column %zu: a '\"' is not closed",
                       column);
    *name = str_n(rest->p + 1, end - 1);
    if (escaped) {
        scratch_reserve(m, name->len + 1);
        size_t start = m->scratch.len;
        if (json_unescape(&m->scratch, *name))
            return err_set(err, ERR_INPUT, "column %zu: a bad escape", column);
        *name = str_n(m->scratch.p + start, m->scratch.len - start);
    }
    *rest = str_n(rest->p + end + 1, rest->len - end - 1);
    return 0;
}

static void plain_name(struct str *rest, struct str *name)
{
    size_t end = 0;
    while (end < rest->len && rest->p[end] != '=' && !is_blank(rest->p[end]))
        end++;
    *name = str_n(rest->p, end);
    *rest = str_n(rest->p + end, rest->len - end);
}

static bool word_number(struct str word, double *value)
{
    if (str_is(word, "true") || str_is(word, "false"))
        *value = word.p[0] == 't';
    else if (str_is(word, "null"))
        *value = NAN;
    else
        return num_double(word, value);
    return true;
}

/* Takes the word behind '=' and gives it to the name. Here a text that is no
 * number is an error: it is a slip, as words have no other use. */
static int word_value(struct metric_line *m, struct str *rest, struct str name,
                      size_t column, struct err *err)
{
    size_t end = 0;
    double value;
    while (end < rest->len && !is_blank(rest->p[end]))
        end++;
    struct str word = str_n(rest->p, end);
    *rest = str_n(rest->p + end, rest->len - end);
    bool step = str_is(name, "step");
    if (step && num_int(word, &m->step) && m->step != METRIC_NO_STEP)
        return 0;
    if (!word_number(word, &value))
        return err_set(err, ERR_INPUT, "column %zu: %.*s=%.*s is not a number",
                       column, STRF(name), word.len < 60 ? (int)word.len : 60,
                       word.p);
    if (step)
        return set_step(m, value, column, err);
    add_pair(m, name, value);
    return 0;
}

static int read_word(struct metric_line *m, struct str *rest, size_t column,
                     struct err *err)
{
    struct str name;
    if (rest->p[0] != '"')
        plain_name(rest, &name);
    else if (quoted_name(m, rest, &name, column, err))
        return -1;
    if (check_name(name, column, err))
        return -1;
    if (rest->len == 0 || rest->p[0] != '=')
        return err_set(err, ERR_INPUT,
                       "column %zu: expected name=number, found '%.*s'", column,
                       STRF(name));
    *rest = str_n(rest->p + 1, rest->len - 1);
    return word_value(m, rest, name, column, err);
}

int metric_line_words(struct metric_line *m, struct str line, struct err *err)
{
    begin(m);
    if (check_length(line, err))
        return -1;
    struct str rest = line;
    for (;;) {
        while (rest.len && is_blank(rest.p[0]))
            rest = str_n(rest.p + 1, rest.len - 1);
        if (!rest.len)
            return 0;
        if (read_word(m, &rest, (size_t)(rest.p - line.p) + 1, err)) {
            begin(m);
            return -1;
        }
    }
}

bool metric_line_marked(struct str line, struct str *rest)
{
    struct str mark = STR("::throng ");
    if (!str_starts(line, mark))
        return false;
    *rest = str_n(line.p + mark.len, line.len - mark.len);
    return true;
}

void metric_line_print(struct buf *b, const struct metric_line *m)
{
    buf_addc(b, '{');
    if (m->step != METRIC_NO_STEP)
        buf_addf(b, "\"step\":%lld", (long long)m->step);
    for (size_t i = 0; i < m->count; i++) {
        if (i || m->step != METRIC_NO_STEP)
            buf_addc(b, ',');
        json_string(b, m->pairs[i].name);
        buf_addc(b, ':');
        json_number(b, m->pairs[i].value);
    }
    buf_adds(b, "}\n");
}
