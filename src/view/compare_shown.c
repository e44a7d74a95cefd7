/* compare_shown.c - what a comparison says: a table, words, JSON */
#include <math.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

static const char *const kinds[] = {
    [COMPARE_T] = "corrected t", [COMPARE_WILCOXON] = "Wilcoxon"};

static const char *arm_name(const struct compare *k, size_t at)
{
    return k->paired.arms[at].name;
}

static bool has_families(const struct compare *k)
{
    return k->paired.arm_count > 2;
}

/* ---- the table ----------------------------------------------------------- */

static void add_titles(const struct compare *k, struct tabled *l)
{
    static const char *const first[] = {"n",    "difference", "low",
                                        "high", "p",          NULL};
    static const char *const last[] = {"sd", "statistic", "mean a", "mean b",
                                       NULL};
    tabled_title(l, "a");
    tabled_title(l, "b");
    if (k->paired.dataset.len) {
        tabled_title(l, "test");
        tabled_title(l, arena_cstr(l->arena, k->paired.dataset));
    }
    for (size_t i = 0; first[i]; i++)
        tabled_title(l, first[i]);
    if (has_families(k))
        tabled_title(l, "Holm");
    for (size_t i = 0; last[i]; i++)
        tabled_title(l, last[i]);
}

void compare_table(const struct compare *k, struct tabled *l)
{
    add_titles(k, l);
    for (size_t i = 0; i < k->tests.len; i++) {
        const struct compare_test *t = &k->tests.p[i];
        tabled_text(l, "%s", arm_name(k, t->a));
        tabled_text(l, "%s", arm_name(k, t->b));
        if (k->paired.dataset.len) {
            tabled_text(l, "%s", kinds[t->kind]);
            tabled_text(l, "%s", t->dataset ? t->dataset : "all");
        }
        tabled_count(l, (int64_t)t->n);
        tabled_number(l, t->mean);
        tabled_number(l, t->low);
        tabled_number(l, t->high);
        tabled_number(l, t->p);
        if (has_families(k))
            tabled_number(l, t->adjusted);
        tabled_number(l, t->sd);
        tabled_number(l, t->statistic);
        tabled_number(l, t->mean_a);
        tabled_number(l, t->mean_b);
    }
}

/* ---- words --------------------------------------------------------------- */

static void add_why(struct buf *b, const struct compare *k)
{
    for (size_t i = 0; i < k->tests.len; i++) {
        const struct compare_test *t = &k->tests.p[i];
        if (t->why)
            buf_addf(b, "%s and %s%s%s: no p (%s)\n", arm_name(k, t->a),
                     arm_name(k, t->b), t->dataset ? ", " : "",
                     t->dataset ? t->dataset : "", t->why);
    }
}

static void add_averaged(struct buf *b, const struct compare *k)
{
    const struct paired *p = &k->paired;
    if (!p->averaged.len)
        return;
    buf_adds(b, "averaged first, within each pair: ");
    for (size_t i = 0; i < p->averaged.len; i++)
        buf_addf(b, "%s%s", i ? ", " : "", p->averaged.p[i]);
    buf_addc(b, '\n');
}

static bool has_kind(const struct compare *k, enum compare_kind kind)
{
    for (size_t i = 0; i < k->tests.len; i++)
        if (k->tests.p[i].kind == kind)
            return true;
    return false;
}

static void add_assumptions(struct buf *b, const struct compare *k)
{
    if (has_kind(k, COMPARE_T) && k->ratio > 0)
        buf_addf(b,
                 "corrected resampled t test: t = mean / sqrt((1/n + %.4g) "
                 "sd^2) with n - 1 degrees of freedom, n_test/n_train = %.4g "
                 "(%s). It takes for granted that each pair was judged on the "
                 "same rows, that differences are about normal, and that the "
                 "pairs are splits of one data set: it speaks of that one.\n",
                 k->ratio, k->ratio, k->ratio_from);
    else if (has_kind(k, COMPARE_T))
        buf_addf(b,
                 "paired t test, n_test/n_train = 0 (%s): nothing to correct. "
                 "It takes for granted that pairs are independent, and "
                 "differences about normal; it speaks of these rows alone.\n",
                 k->ratio_from);
    if (has_kind(k, COMPARE_WILCOXON))
        buf_adds(b, "Wilcoxon's signed ranks over data sets, each one number. "
                    "It takes for granted that the data sets are independent, "
                    "and differences symmetric where there is no effect.\n");
    if (has_families(k))
        buf_addf(b,
                 "Holm: p adjusted for all comparisons%s; below 0.05 is "
                 "significant at that level as a family.\n",
                 k->paired.dataset.len ? " of a data set" : "");
}

void compare_words(struct buf *b, const struct compare *k)
{
    bool least = goal_minimizes(&k->goal.all, str_of(k->metric));
    buf_addf(b, "%s (%s is better), difference: a - b, with a %g %% interval\n",
             k->metric, least ? "smaller" : "larger", 100 * GROUP_CONFIDENCE);
    add_averaged(b, k);
    for (size_t i = 0; i < k->notes.len; i++)
        buf_addf(b, "%s\n", k->notes.p[i]);
    add_why(b, k);
    add_assumptions(b, k);
}

/* ---- JSON ---------------------------------------------------------------- */

static void add_number(struct buf *b, const char *name, double v)
{
    buf_addf(b, ",\"%s\":", name);
    strict_number_or_null(b, v);
}

static void add_string(struct buf *b, const char *name, const char *text)
{
    buf_addf(b, ",\"%s\":", name);
    if (text)
        json_string(b, str_of(text));
    else
        buf_adds(b, "null");
}

static void add_test(struct buf *b, const struct compare *k,
                     const struct compare_test *t)
{
    buf_addf(b, "{\"test\":\"%s\"", t->kind == COMPARE_T ? "t" : "wilcoxon");
    add_string(b, "a", arm_name(k, t->a));
    add_string(b, "b", arm_name(k, t->b));
    add_string(b, "dataset", t->dataset);
    buf_addf(b, ",\"n\":%zu", t->n);
    add_number(b, "mean_a", t->mean_a);
    add_number(b, "mean_b", t->mean_b);
    add_number(b, "difference", t->mean);
    add_number(b, "sd", t->sd);
    add_number(b, "low", t->low);
    add_number(b, "high", t->high);
    add_number(b, "statistic", t->statistic);
    add_number(b, "df", t->df);
    add_number(b, "p", t->p);
    add_number(b, "p_holm", t->adjusted);
    add_string(b, "why", t->why);
    buf_addc(b, '}');
}

static void add_block(struct buf *b, const struct compare *k,
                      const struct paired_block *at)
{
    buf_adds(b, "{\"at\":");
    json_string(b, str_of(at->name));
    add_string(b, "dataset", at->dataset);
    for (int what = 0; what < 2; what++) {
        buf_adds(b, what ? ",\"counts\":[" : ",\"means\":[");
        for (size_t i = 0; i < k->paired.arm_count; i++) {
            const struct paired_cell *c = &at->cells[i];
            buf_adds(b, i ? "," : "");
            if (what)
                buf_addf(b, "%lld", (long long)c->count);
            else
                strict_number_or_null(b, c->count ? c->mean : NAN);
        }
        buf_addc(b, ']');
    }
    buf_addc(b, '}');
}

void compare_json(struct buf *b, const struct compare *k, double as_of)
{
    const struct paired *p = &k->paired;
    bool least = goal_minimizes(&k->goal.all, str_of(k->metric));
    buf_adds(b, "{\"schema\":\"throng.compare/1\"");
    age_json(b, as_of);
    add_string(b, "metric", k->metric);
    buf_addf(b, ",\"goal\":\"%s\",\"confidence\":%g",
             least ? "minimize" : "maximize", GROUP_CONFIDENCE);
    add_number(b, "ratio", has_kind(k, COMPARE_T) ? k->ratio : NAN);
    buf_adds(b, ",\"arms\":[");
    for (size_t i = 0; i < p->arm_count; i++) {
        buf_adds(b, i ? ",{\"name\":" : "{\"name\":");
        json_string(b, str_of(p->arms[i].name));
        buf_addf(b, ",\"trials\":%lld,\"valueless\":%lld}",
                 (long long)p->arms[i].trials, (long long)p->arms[i].valueless);
    }
    buf_adds(b, "],\"averaged\":[");
    for (size_t i = 0; i < p->averaged.len; i++) {
        buf_adds(b, i ? "," : "");
        json_string(b, str_of(p->averaged.p[i]));
    }
    buf_adds(b, "],\"pairs\":[");
    for (size_t i = 0; i < p->blocks.len; i++) {
        buf_adds(b, i ? "," : "");
        add_block(b, k, &p->blocks.p[i]);
    }
    buf_adds(b, "],\"tests\":[");
    for (size_t i = 0; i < k->tests.len; i++) {
        buf_adds(b, i ? "," : "");
        add_test(b, k, &k->tests.p[i]);
    }
    buf_adds(b, "],\"notes\":[");
    for (size_t i = 0; i < k->notes.len; i++) {
        buf_adds(b, i ? "," : "");
        json_string(b, str_of(k->notes.p[i]));
    }
    buf_adds(b, "]}\n");
}
