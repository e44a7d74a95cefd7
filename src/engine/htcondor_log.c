/* htcondor_log.c - HTCondor's job event log, read */
#include "engine/htcondor_log.h"

#include "base/chars.h"
#include "base/num.h"
#include <stdio.h>
#include <string.h>

/* A first line is never longer; what is, is no event log. */
#define HEAD_MAX 65536
#define SHOWN_MAX 60

/* ---- one event ------------------------------------------------------------
 */

static bool take_number(struct str *rest, char end, int64_t *n)
{
    struct str word;
    if (str_find(*rest, end) < 0 || !str_split(rest, end, &word))
        return false;
    return num_int(word, n);
}

/* "2026-11-15 09:26:21", "11/15 10:09:51", "2026-11-15T10:10:54.920Z". */
static bool take_time(struct str *rest)
{
    struct str day, hour;
    if (!str_split(rest, ' ', &day) || !day.len || !is_digit(day.p[0]))
        return false;
    if (str_find(day, ':') >= 0)
        return true;
    return str_split(rest, ' ', &hour) && str_find(hour, ':') >= 0;
}

/* "004 (012.003.000) TIME TEXT" */
static bool parse_head(struct str line, struct condor_event *e)
{
    int64_t number, cluster, sub;
    struct str rest = line;
    if (!take_number(&rest, ' ', &number) || number < 0 || number > 999 ||
        !rest.len || rest.p[0] != '(')
        return false;
    rest = str_n(rest.p + 1, rest.len - 1);
    if (!take_number(&rest, '.', &cluster) || cluster < 0 ||
        !take_number(&rest, '.', &e->proc) || e->proc < -1 ||
        e->proc > UINT32_MAX || !take_number(&rest, ')', &sub))
        return false;
    rest = str_trim(rest);
    if (!take_time(&rest))
        return false;
    e->number = (uint32_t)number;
    e->cluster = (uint64_t)cluster;
    e->text = rest.p ? rest : STR("");
    return true;
}

static int not_a_log(struct str line, struct err *err)
{
    struct str shown =
        str_n(line.p, line.len > SHOWN_MAX ? SHOWN_MAX : line.len);
    return err_set(err, ERR_CORRUPT,
                   "'%.*s' is not the beginning of an event as HTCondor "
                   "writes it",
                   STRF(shown));
}

/* Where the line that ends the event begins; NULL: it is not there yet. */
static const char *find_end(struct str rest)
{
    const char *at = rest.p, *end = rest.p + rest.len;
    while (at < end) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        if (!line)
            return NULL;
        if (line - at == 3 && memcmp(at, "...", 3) == 0)
            return at;
        at = line + 1;
    }
    return NULL;
}

int condor_event_next(struct str rest, struct condor_event *e, size_t *used,
                      struct err *err)
{
    struct condor_event found = {0};
    struct str at = rest, line;
    while (at.len && at.p[0] == '\n')
        at = str_n(at.p + 1, at.len - 1);
    if (!at.len || at.p[0] == 0) /* zeros: a disk of the network is behind */
        return 0;
    const char *stop = memchr(at.p, '\n', at.len);
    if (!stop && at.len < HEAD_MAX && is_digit(at.p[0]))
        return 0;
    line = str_n(at.p, stop ? (size_t)(stop - at.p) : at.len);
    if (!stop || !is_digit(at.p[0]) || !parse_head(line, &found))
        return not_a_log(line, err);
    struct str behind = str_n(stop + 1, (size_t)(at.p + at.len - (stop + 1)));
    const char *end = find_end(behind);
    if (!end)
        return 0;
    found.body = str_n(behind.p, (size_t)(end - behind.p));
    *e = found;
    *used = (size_t)(end + 4 - rest.p);
    return 1;
}

/* ---- what events come to --------------------------------------------------
 */

void condor_job_init(struct condor_job *j)
{
    *j = (struct condor_job){.exit_code = -1};
}

static void keep(char *to, size_t size, struct str from)
{
    from = str_trim(from);
    snprintf(to, size, "%.*s", STRF(from));
}

/* What stands behind a word in the line that has it; empty: none does. */
static struct str behind(struct str text, struct str word)
{
    struct str line;
    while (text.len && str_split(&text, '\n', &line)) {
        const char *at = memmem(line.p, line.len, word.p, word.len);
        if (at)
            return str_n(at + word.len, (size_t)(line.p + line.len - at -
                                                 (ptrdiff_t)word.len));
    }
    return STR("");
}

/* The number that a text begins with. */
static bool leading_int(struct str text, int *n)
{
    size_t len = 0;
    int64_t v;
    text = str_trim(text);
    while (len < text.len &&
           (is_digit(text.p[len]) || (len == 0 && text.p[0] == '-')))
        len++;
    if (!num_int(str_n(text.p, len), &v) || v > INT32_MAX || v < INT32_MIN)
        return false;
    *n = (int)v;
    return true;
}

/* "Code 12 Subcode 2" */
static void note_codes(struct condor_job *j, struct str text)
{
    j->code = j->subcode = 0;
    if (leading_int(behind(text, STR("Code ")), &j->code))
        leading_int(behind(text, STR("Subcode ")), &j->subcode);
}

/* The line of a body that has them: a reason may have such words as well. */
static struct str codes_line(struct str body)
{
    struct str line;
    while (body.len && str_split(&body, '\n', &line))
        if (str_starts(str_trim(line), STR("Code ")))
            return line;
    return STR("");
}

/* "slot1_5@pool1.example.net" is on pool1.example.net, and so is
 * "slot1_5@glidein_7_8@pool1.example.net" of a pool that borrows its machines.
 * Older versions name the address alone, in which the machine may stand. */
static void note_node(struct condor_job *j, const struct condor_event *e)
{
    struct str slot = str_trim(behind(e->body, STR("SlotName:"))), rest = slot,
               name;
    if (slot.len && str_find(slot, '@') >= 0) {
        while (str_find(rest, '@') >= 0)
            str_split(&rest, '@', &name);
        keep(j->node, sizeof j->node, rest);
        return;
    }
    rest = behind(e->text, STR("alias="));
    size_t len = 0;
    while (len < rest.len && rest.p[len] != '&' && rest.p[len] != '>')
        len++;
    keep(j->node, sizeof j->node, slot.len ? slot : str_n(rest.p, len));
}

/* "via condor_rm (by user ada)" */
void condor_job_reason(struct condor_job *j, struct str reason)
{
    struct str rest = behind(reason, STR("(by user ")), user;
    keep(j->reason, sizeof j->reason, reason);
    *j->by = 0;
    if (rest.len && str_find(rest, ')') > 0 && str_split(&rest, ')', &user))
        keep(j->by, sizeof j->by, user);
}

static void note_reason(struct condor_job *j, const struct condor_event *e)
{
    struct str rest = e->body, first = {0};
    if (rest.len)
        str_split(&rest, '\n', &first);
    condor_job_reason(j, first);
}

static void note_end(struct condor_job *j, const struct condor_event *e)
{
    j->exit_code = -1;
    j->exit_signal = 0;
    if (!leading_int(behind(e->body, STR("(return value ")), &j->exit_code))
        leading_int(behind(e->body, STR("(signal ")), &j->exit_signal);
}

static bool is_over(const struct condor_job *j)
{
    return j->state == CONDOR_JOB_DONE || j->state == CONDOR_JOB_REMOVED;
}

static void leave(struct condor_job *j, enum condor_state state)
{
    j->state = state;
    *j->reason = *j->by = 0;
}

void condor_job_apply(struct condor_job *j, const struct condor_event *e)
{
    if (is_over(j))
        return;
    switch (e->number) {
    case CONDOR_SUBMITTED:
    case CONDOR_RELEASED:
    case CONDOR_RECONNECT_FAILED:
    case CONDOR_SHADOW_EXCEPTION: /* it leaves its machine, and waits again */
        leave(j, CONDOR_JOB_IDLE);
        break;
    case CONDOR_EXECUTING:
        leave(j, CONDOR_JOB_RUNS);
        j->starts++;
        note_node(j, e);
        break;
    case CONDOR_RECONNECTED:
        leave(j, CONDOR_JOB_RUNS);
        break;
    case CONDOR_EVICTED:
        leave(j, CONDOR_JOB_IDLE);
        note_codes(j, e->text);
        break;
    case CONDOR_DISCONNECTED:
        j->state = CONDOR_JOB_LOST;
        note_reason(j, e);
        break;
    case CONDOR_HELD:
        j->state = CONDOR_JOB_HOLDS;
        note_reason(j, e);
        note_codes(j, codes_line(e->body));
        break;
    case CONDOR_TERMINATED:
        leave(j, CONDOR_JOB_DONE);
        note_end(j, e);
        break;
    case CONDOR_ABORTED:
        j->state = CONDOR_JOB_REMOVED;
        note_reason(j, e);
        break;
    default:
        break; /* of transfers, sizes and the like */
    }
}
