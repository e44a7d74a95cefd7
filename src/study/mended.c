/* mended.c - what may change in a study file that has run
 *
 * A changed command makes another study of trials that have ended well, and of
 * none where none has. A metric only ranks, where no strategy has learned from
 * its values, and where there are none it has taught nothing. Where all trials
 * failed whatever else changes makes another study, and loses nothing
 * (set_aside.c). */
#include <math.h>
#include "study/conductor.h"
#include "study/selected.h"
#include "study/shards.h"
#include "terms/pattern.h"

#define LINES_MAX 600 /* bytes of what has changed, in an error */

static bool learns(const struct plan *p)
{
    return p->strategy->learns != LEARNS_NOT ||
           (p->early.kind != EARLY_NONE && p->early.kind != EARLY_RULE);
}

static bool is_of_task(struct str line)
{
    return str_starts(line, STR("command:")) ||
           str_starts(line, STR("program:")) || str_starts(line, STR("model:"));
}

static bool is_of_metric(struct str line)
{
    return str_starts(line, STR("metric.")) || str_starts(line, STR("metric:"));
}

static bool has_ended_well(const struct counts *n)
{
    return n->by_state[STATE_DONE] + n->by_state[STATE_STOPPED] +
               n->by_state[STATE_PAUSED] >
           0;
}

/* Some have ended, none well, and none is out. */
static bool all_failed(const struct counts *n)
{
    int64_t bad = 0;
    for (enum state s = 0; s < STATE_COUNT; s++)
        bad += state_bad(s) ? n->by_state[s] : 0;
    return bad > 0 && !has_ended_well(n) && !n->by_state[STATE_RUNNING];
}

int study_changes(const struct plan *p, struct store *store,
                  struct study_changes *c, struct err *err)
{
    struct arena *a = arena_new();
    struct str stored, rest, line;
    struct counts n = {0};
    struct buf now;
    buf_init(&now);
    int rc = store_fact(store, "identity", a, &stored, err);
    if (!rc)
        rc = store_counts(store, &n, err);
    if (!rc && stored.p) {
        plan_identity_as(&now, p, stored);
        plan_identity_diff(&c->lines, p, stored, buf_str(&now));
    }
    bool good = has_ended_well(&n);
    bool valued = !rc && store_best(store, true) != 0;
    c->mends = true;
    for (rest = buf_str(&c->lines);
         rest.len && str_split(&rest, '\n', &line);) {
        c->task |= is_of_task(line);
        c->metric |= is_of_metric(line);
        c->pattern |= str_starts(line, STR("metric.pattern:")) ||
                      (is_of_metric(line) && p->metric.pattern.len &&
                       !str_starts(line, STR("metric.goal:")) &&
                       !str_starts(line, STR("metric.pick:")));
        c->mends &= line.len == 0 || (is_of_task(line) && !good) ||
                    (is_of_metric(line) && (!valued || !learns(p)));
    }
    c->anew = !rc && !c->mends && all_failed(&n);
    buf_done(&now);
    arena_free(a);
    return rc;
}

/* Of an inference nothing has changed but its rows: "new.csv has changed". */
static bool only_rows_changed(const struct plan *p, struct str lines,
                              struct buf *to)
{
    struct arena *a = arena_new();
    struct str line;
    bool rows = p->predict && p->predict->own;
    while (rows && lines.len && str_split(&lines, '\n', &line))
        rows = !line.len || str_starts(line, STR("predict:")) ||
               str_starts(line, STR("parameter shard:"));
    if (rows)
        rows = shards_changed(
            p->predict, value_get(p->root, STR("predict")),
            path_folder(a, path_absolute(a, arena_cstr(a, p->file))),
            p->predict->own[1], to);
    arena_free(a);
    return rows;
}

static int refuse_rows(const struct plan *p, const char *changed,
                       struct err *err)
{
    struct buf file, name;
    buf_init(&file);
    buf_init(&name);
    shell_quote(&file, p->file);
    shell_quote(&name, p->name);
    err_set(err, ERR_INPUT,
            "the study `%.*s` is of other rows: %s since it began; "
            "`throng run %s --new NAME` asks for those that are "
            "there now, or put back what was there, with its time "
            "(cp -p), or remove the study with `throng rm %s`",
            STRF(p->name), changed, file.p, name.p);
    buf_done(&file);
    buf_done(&name);
    return -1;
}

/* As many whole lines as an error has room for. */
static int refuse_lines(const struct plan *p, struct str lines, struct err *err)
{
    size_t len = 0, end;
    struct buf name;
    for (struct str rest = lines, line; str_split(&rest, '\n', &line);) {
        end = (size_t)(line.p + line.len - lines.p) + 1;
        if (end > LINES_MAX || end > lines.len)
            break;
        len = end;
    }
    buf_init(&name);
    shell_quote(&name, p->name);
    err_set(err, ERR_INPUT,
            "%.*s no longer asks the same question as the study `%.*s` "
            "that is stored:\n%.*s%skeep both with --new NAME, remove "
            "the stored one with `throng rm %s`, or undo the change",
            STRF(p->file), STRF(p->name), (int)len, lines.p,
            len < lines.len ? "…\n" : "", name.p);
    buf_done(&name);
    return -1;
}

int study_changes_refuse(const struct plan *p, const struct study_changes *c,
                         struct err *err)
{
    if (c->mends)
        return 0;
    struct buf changed;
    buf_init(&changed);
    bool rows = only_rows_changed(p, buf_str(&c->lines), &changed);
    if (rows)
        refuse_rows(p, changed.p, err);
    buf_done(&changed);
    if (rows)
        return -1;
    return refuse_lines(p, buf_str(&c->lines), err);
}

/* ---- taking them in ---------------------------------------------------------
 */

struct ranking {
    struct study *study;
    struct patterns patterns;
    const struct pattern *pattern;
    struct packs *packs; /* NULL: nothing is read again */
    long long valued;
};

static double value_of(const struct plan_metric *m, const struct summary *s)
{
    const struct summary_entry *e = summary_find(s, m->name);
    double value = !e                     ? NAN
                   : m->pick != PICK_BEST ? e->last
                   : m->minimize          ? e->min
                                          : e->max;
    return isfinite(value) ? value : NAN;
}

static int rank_anew(void *context, const struct trial *t, struct err *err)
{
    struct ranking *r = context;
    struct study *s = r->study;
    struct summary summary = {0};
    struct trial now = *t;
    struct buf text;
    int rc = 0;
    buf_init(&text);
    if (r->packs)
        rc = study_read_again(s, r->packs, r->pattern, t->id, err);
    if (!rc)
        rc = summary_rebuild(&summary, s->store, t->id, err);
    if (!rc) {
        if (summary.list.len)
            summary_print(&text, &summary);
        now.summary = buf_str(&text);
        now.value = value_of(&s->plan->metric, &summary);
        r->valued += !isnan(now.value);
        rc = store_trial_update(s->store, &now, err);
    }
    summary_done(&summary);
    buf_done(&text);
    return rc;
}

static int rank_all(struct study *s, bool read_again, struct err *err)
{
    struct ranking r = {.study = s};
    struct str pattern = s->plan->metric.pattern;
    int rc = 0;
    patterns_init(&r.patterns);
    if (read_again)
        r.packs = packs_open(s->setup.folder);
    if (read_again && pattern.len) {
        r.pattern = pattern_get(&r.patterns, pattern, err);
        rc = r.pattern ? 0 : -1;
    }
    if (!rc)
        rc = selected_each(s->store, "done,stopped", rank_anew, &r, err);
    if (!rc && read_again)
        log_to(s->setup.log, LOG_NOTICE,
               "the metric is found another way: what stored trials printed "
               "was read again, and %lld of them %s a value",
               r.valued, r.valued == 1 ? "has" : "have");
    else if (!rc)
        log_to(s->setup.log, LOG_NOTICE,
               "the metric is another one: stored trials are ranked by it");
    packs_close(r.packs);
    patterns_done(&r.patterns);
    return rc;
}

static int try_anew(void *context, const struct trial *t, struct err *err)
{
    struct study *s = context;
    struct trial again = *t;
    struct packs *packs = packs_open(s->setup.folder);
    again.state = STATE_WAITING;
    again.failures = 0;
    again.ended = 0;
    again.value = NAN;
    again.reason = STR("");
    int rc = study_unpack(packs, s->setup.folder, t->id, err);
    packs_close(packs);
    return rc ? rc : store_trial_update(s->store, &again, err);
}

int study_mend(struct study *s, const struct study_changes *c, struct err *err)
{
    struct counts n;
    if (store_counts(s->store, &n, err))
        return -1;
    long long failed = (long long)n.by_state[STATE_FAILED];
    if (c->metric && rank_all(s, c->pattern, err))
        return -1;
    if (!c->task)
        return 0;
    if (failed)
        log_to(s->setup.log, LOG_NOTICE,
               "what runs is another command, and no trial had ended well: "
               "%lld that failed %s tried again",
               failed, failed == 1 ? "is" : "are");
    return selected_each(s->store, "failed", try_anew, s, err);
}
