/* summary_number.c - one number of a trial's summary
 *
 * A summary is the JSON that the store keeps of a trial's metrics,
 * {"loss":{"last":0.1,"min":…},…}. Figures and ranks want a number or two of
 * each of very many trials: only what is asked for is read, the rest is passed
 * over. */
#include <math.h>
#include "base/json.h"
#include "view/view.h"

static bool is_key(const struct json_scan *scan, struct str name)
{
    struct buf b;
    if (!scan->escaped)
        return str_eq(scan->text, name);
    buf_init(&b);
    bool same = !json_unescape(&b, scan->text) && str_eq(buf_str(&b), name);
    buf_done(&b);
    return same;
}

/* Enters the object that comes next, up to a member's value. */
static bool go_to(struct json_scan *scan, struct str name)
{
    struct str passed;
    if (json_scan_next(scan) != JSON_OBJECT_OPEN)
        return false;
    while (json_scan_next(scan) == JSON_KEY) {
        if (is_key(scan, name))
            return true;
        if (json_scan_pass(scan, &passed))
            return false;
    }
    return false;
}

static double number_at(struct json_scan *scan, struct str name)
{
    enum json_token token =
        go_to(scan, name) ? json_scan_next(scan) : JSON_NULL;
    return token == JSON_INT || token == JSON_DOUBLE ? scan->d : NAN;
}

double summary_number(struct str summary, struct str name)
{
    struct json_scan scan;
    json_scan_init(&scan, summary);
    if (go_to(&scan, name))
        return number_at(&scan, STR("last"));
    const char *dot = memrchr(name.p, '.', name.len);
    if (!dot)
        return NAN;
    size_t n = (size_t)(dot - name.p);
    json_scan_init(&scan, summary);
    return go_to(&scan, str_n(name.p, n))
               ? number_at(&scan, str_n(dot + 1, name.len - n - 1))
               : NAN;
}
