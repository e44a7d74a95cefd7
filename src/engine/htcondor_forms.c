/* htcondor_forms.c - event logs in HTCondor's other two forms
 *
 * A pool, or a person, can have them written as JSON or XML: one object for
 * each event, over several lines, of which those at the first level are names
 * and values. What an event's text form would tell of a job is printed from
 * them, so that one reader is enough. */
#include "engine/htcondor_log.h"

#include <string.h>
#include "base/num.h"

/* An object is never longer; what is, is no event. */
#define OBJECT_MAX (1u << 20)

/* One of the forms: how objects end, and how a line of the first level is
 * taken apart. */
struct form {
    const char *end; /* the line */
    bool (*line)(struct str line, struct str *name, struct str *value);
    void (*plain)(struct str value, struct buf *b);
};

/* ---- JSON
 * --------------------------------------------------------------------
 */

/* "  \"Proc\": 0," */
static bool json_line(struct str line, struct str *name, struct str *value)
{
    if (!str_starts(line, STR("  \"")) || str_starts(line, STR("   ")))
        return false;
    struct str rest = str_n(line.p + 3, line.len - 3);
    long quote = str_find(rest, '"');
    if (quote < 0 || (size_t)quote + 2 > rest.len)
        return false;
    *name = str_n(rest.p, (size_t)quote);
    rest = str_trim(str_n(rest.p + quote + 2, rest.len - (size_t)quote - 2));
    if (str_ends(rest, STR(",")))
        rest.len--;
    if (rest.len >= 2 && rest.p[0] == '"')
        rest = str_n(rest.p + 1, rest.len - 2);
    *value = rest;
    return true;
}

/* What stands behind a backslash means itself, but for line ends. */
static void json_plain(struct str value, struct buf *b)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.p[i];
        if (c == '\\' && i + 1 < value.len) {
            c = value.p[++i];
            c = strchr("nrtbfu", c) ? ' ' : c;
        }
        buf_addc(b, c);
    }
}

/* ---- XML
 * ---------------------------------------------------------------------
 */

/* "    <a n=\"Proc\"><i>0</i></a>"; a truth is <b v="t"/> */
static bool xml_line(struct str line, struct str *name, struct str *value)
{
    if (!str_starts(line, STR("    <a n=\"")) || !str_ends(line, STR("</a>")))
        return false;
    struct str rest = str_n(line.p + 10, line.len - 14);
    long quote = str_find(rest, '"');
    if (quote < 0 || (size_t)quote + 2 > rest.len)
        return false;
    *name = str_n(rest.p, (size_t)quote);
    rest = str_n(rest.p + quote + 2, rest.len - (size_t)quote - 2);
    if (str_starts(rest, STR("<b v=\""))) {
        *value = rest.len > 6 && rest.p[6] == 't' ? STR("true") : STR("false");
        return true;
    }
    long from = str_find(rest, '>');
    if (from < 0 || rest.len < (size_t)from + 5)
        return false;
    *value = str_n(rest.p + from + 1, rest.len - (size_t)from - 5);
    return true;
}

static void xml_plain(struct str value, struct buf *b)
{
    static const struct {
        const char *name;
        char is;
    } marks[] = {{"&lt;", '<'},
                 {"&gt;", '>'},
                 {"&amp;", '&'},
                 {"&quot;", '"'},
                 {"&apos;", '\''}};
    for (size_t i = 0; i < value.len;) {
        struct str rest = str_n(value.p + i, value.len - i);
        size_t k = 0;
        while (k < 5 && !str_starts(rest, str_of(marks[k].name)))
            k++;
        buf_addc(b, k < 5 ? marks[k].is : rest.p[0]);
        i += k < 5 ? strlen(marks[k].name) : 1;
    }
}

static const struct form forms[] = {{"}", json_line, json_plain},
                                    {"</c>", xml_line, xml_plain}};

/* ---- an object
 * ---------------------------------------------------------------
 */

struct object {
    const struct form *form;
    struct str lines;
};

/* False: it has no such member. */
static bool find(const struct object *o, const char *name, struct str *value)
{
    struct str rest = o->lines, line, found;
    while (rest.len && str_split(&rest, '\n', &line))
        if (o->form->line(line, &found, value) && str_is(found, name))
            return true;
    return false;
}

static int64_t number(const struct object *o, const char *name,
                      int64_t otherwise)
{
    struct str value;
    int64_t n;
    return find(o, name, &value) && num_int(value, &n) ? n : otherwise;
}

static void add(const struct object *o, const char *before, const char *name,
                struct buf *b)
{
    struct str value;
    if (!find(o, name, &value))
        return;
    buf_adds(b, before);
    o->form->plain(value, b);
    buf_addc(b, '\n');
}

static void add_end(const struct object *o, struct buf *b)
{
    struct str normal;
    if (find(o, "TerminatedNormally", &normal) && str_is(normal, "true"))
        buf_addf(b, "\t(1) Normal termination (return value %lld)\n",
                 (long long)number(o, "ReturnValue", -1));
    else
        buf_addf(b, "\t(0) Abnormal termination (signal %lld)\n",
                 (long long)number(o, "TerminatedBySignal", 0));
}

static void add_codes(const struct object *o, const char *code,
                      const char *subcode, const char *before, struct buf *b)
{
    struct str value;
    if (find(o, code, &value))
        buf_addf(b, "%sCode %lld Subcode %lld", before,
                 (long long)number(o, code, 0),
                 (long long)number(o, subcode, 0));
    buf_addc(b, '\n');
}

static void add_body(const struct object *o, int64_t event, struct buf *b)
{
    if (event == CONDOR_EVICTED)
        add_codes(o, "ReasonCode", "ReasonSubCode", " Job was evicted. ", b);
    else
        buf_addc(b, '\n');
    if (event == CONDOR_EXECUTING)
        add(o, "\tSlotName: ", "SlotName", b);
    if (event == CONDOR_TERMINATED)
        add_end(o, b);
    if (event == CONDOR_HELD) {
        add(o, "\t", "HoldReason", b);
        add_codes(o, "HoldReasonCode", "HoldReasonSubCode", "\t", b);
    }
    if (event == CONDOR_ABORTED)
        add(o, "\t", "Reason", b);
    if (event == CONDOR_DISCONNECTED)
        add(o, "\t", "DisconnectReason", b);
}

/* ---- the log
 * -----------------------------------------------------------------
 */

/* Where the line behind that line begins; NULL: it is not there. */
static const char *behind_line(struct str text, const char *line)
{
    const char *at = text.p, *end = text.p + text.len;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            return NULL;
        if (str_is(str_n(at, (size_t)(stop - at)), line))
            return stop + 1;
        at = stop + 1;
    }
    return NULL;
}

static struct str skip_blanks(struct str text)
{
    while (text.len && (text.p[0] == '\n' || text.p[0] == ' '))
        text = str_n(text.p + 1, text.len - 1);
    return text;
}

static int as_text(struct str rest, struct buf *text, size_t *used,
                   struct err *err)
{
    struct str at = skip_blanks(rest);
    const struct form *f = &forms[at.len && at.p[0] == '<'];
    const char *end = behind_line(at, f->end);
    if (!end)
        return at.len < OBJECT_MAX
                   ? 0
                   : err_set(err, ERR_CORRUPT, "an event has no end");
    struct object o = {f, str_n(at.p, (size_t)(end - at.p))};
    int64_t event = number(&o, "EventTypeNumber", -1);
    int64_t cluster = number(&o, "Cluster", -1), proc = number(&o, "Proc", -2);
    if (event < 0 || event > 999 || cluster < 0 || proc < -1)
        return err_set(err, ERR_CORRUPT,
                       "it is no event as HTCondor writes it");
    buf_addf(text, "%03lld (%lld.%lld.0) 1970-01-01 00:00:00", (long long)event,
             (long long)cluster, (long long)proc);
    add_body(&o, event, text);
    buf_adds(text, "...\n");
    *used = (size_t)(end - rest.p);
    return 1;
}

int condor_event_any(struct str rest, struct buf *text, struct condor_event *e,
                     size_t *used, struct err *err)
{
    struct str at = skip_blanks(rest);
    size_t whole;
    if (!at.len || (at.p[0] != '{' && at.p[0] != '<'))
        return condor_event_next(rest, e, used, err);
    buf_reset(text);
    int got = as_text(rest, text, used, err);
    return got > 0 ? condor_event_next(buf_str(text), e, &whole, err) : got;
}
