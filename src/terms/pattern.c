/* pattern.c - a regular expression that finds the metric in output lines */
#include "terms/pattern.h"

#include <regex.h>
#include <stdlib.h>
#include "base/num.h"
#include "terms/metric.h"

struct pattern {
    regex_t regex;
};

void patterns_init(struct patterns *p)
{
    p->by_text = map_new();
}

void patterns_done(struct patterns *p)
{
    struct str key;
    void *value;
    for (size_t at = 0; map_next(p->by_text, &at, &key, &value);) {
        struct pattern *pattern = value;
        regfree(&pattern->regex);
        free(pattern);
    }
    map_free(p->by_text);
}

const struct pattern *pattern_get(struct patterns *p, struct str text,
                                  struct err *err)
{
    struct pattern *pattern = map_get(p->by_text, text);
    if (pattern)
        return pattern;
    pattern = xcalloc(1, sizeof *pattern);
    struct buf copy;
    buf_init(&copy);
    buf_addstr(&copy, text);
    int failed = regcomp(&pattern->regex, copy.p, REG_EXTENDED);
    buf_done(&copy);
    if (failed) {
        char why[128];
        regerror(failed, &pattern->regex, why, sizeof why);
        free(pattern);
        err_set(err, ERR_INPUT, "metric.pattern `%.*s`: %s", STRF(text), why);
        return NULL;
    }
    map_set(p->by_text, text, pattern);
    return pattern;
}

static bool group_number(struct str line, const regmatch_t *g, double *value)
{
    if (g->rm_so < 0)
        return false;
    struct str text = str_n(line.p + g->rm_so, (size_t)(g->rm_eo - g->rm_so));
    return num_double(str_trim(text), value);
}

bool pattern_match(const struct pattern *p, struct str line, int64_t *step,
                   double *value)
{
    regmatch_t groups[3] = {{.rm_so = 0, .rm_eo = (regoff_t)line.len}};
    double first, second;
    if (regexec(&p->regex, line.p, 3, groups, REG_STARTEND) != 0 ||
        !group_number(line, &groups[1], &first))
        return false;
    *step = METRIC_NO_STEP;
    *value = first;
    if (p->regex.re_nsub < 2 || groups[2].rm_so < 0)
        return true;
    if (!group_number(line, &groups[2], &second) || !(first >= -9e18) ||
        !(first <= 9e18))
        return false;
    *step = (int64_t)first;
    *value = second;
    return true;
}
