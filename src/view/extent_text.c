/* extent_text.c - a trial and what belongs to it, for people */
#include <math.h>
#include "base/json.h"
#include "base/num.h"
#include "view/view.h"

int extent_study_read(struct extent_study *s, struct store *store,
                      const char *name, struct arena *a, struct err *err)
{
    *s = (struct extent_study){.name = name};
    if (study_goal_read(store, a, &s->goal, err) ||
        provenance_read(store, a, &s->code, err))
        return -1;
    s->jobs = study_jobs(store_folder(store), a, &s->job_count);
    return point_columns_written(store, a, &s->written, &s->written_count, err);
}

static void add_time(struct buf *b, const char *name, double wall)
{
    if (wall <= 0)
        return;
    buf_addf(b, "%-9s", name);
    clock_print(b, wall, false);
    buf_addc(b, '\n');
}

static size_t longest_key(const struct value *v, size_t least)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->keys[i].len > least)
            least = v->keys[i].len;
    return least;
}

static void add_metric(struct buf *b, struct str name, int width,
                       const struct value *m)
{
    static const char *const keys[] = {"last", "min", "max"};
    buf_addf(b, "  %.*s%*s", STRF(name), width - (int)name.len, "");
    for (size_t k = 0; k < 3; k++) {
        struct buf n;
        buf_init(&n);
        num_print_short(&n, value_number(value_get(m, str_of(keys[k]))), 6);
        buf_addf(b, "  %11s", n.p);
        buf_done(&n);
    }
    buf_addf(b, "  %7.0f\n", value_number(value_get(m, STR("count"))));
}

static void add_metrics(struct buf *b, const struct trial *t, struct arena *a)
{
    struct value *summary =
        t->summary.len ? json_parse(a, t->summary, "", true, NULL) : NULL;
    if (!summary || !summary->count)
        return;
    int width = (int)longest_key(summary, 12);
    buf_addf(b, "metrics%*s  %11s  %11s  %11s  %7s\n", width - 5, "", "last",
             "min", "max", "points");
    for (size_t i = 0; i < summary->count; i++)
        add_metric(b, summary->keys[i], width, summary->items[i]);
}

/* Each behind a comma. */
static void add_attempt_facts(struct buf *b, const struct attempt *a)
{
    if (a->outcome != OUTCOME_NONE || a->seconds > 0) {
        buf_adds(b, ", ");
        num_print_seconds(b, a->seconds);
        buf_addf(b, "%s, cpu ", a->outcome == OUTCOME_NONE ? " so far" : "");
        num_print_seconds(b, a->cpu_seconds);
    }
    if (a->max_rss_bytes) {
        buf_adds(b, ", at most ");
        num_print_bytes(b, a->max_rss_bytes);
    }
    use_words(b, &a->use);
    if (*a->host)
        buf_addf(b, ", on %s", a->host);
}

/* again: its job waits to begin once more. */
static void add_attempt(struct buf *b, const struct attempt *a, bool again)
{
    struct buf facts;
    buf_addf(b, "  %u  %-12s ", a->number,
             a->outcome != OUTCOME_NONE ? outcome_name(a->outcome)
             : again                    ? "waits again"
             : a->started > 0           ? "running"
                                        : "placed");
    buf_init(&facts);
    add_attempt_facts(&facts, a);
    if (facts.len)
        buf_adds(b, facts.p + strlen(", "));
    buf_done(&facts);
    if (a->reason.len)
        buf_addf(b, ": %.*s", STRF(a->reason));
    buf_addc(b, '\n');
    struct str rest = str_trim(a->tail), line;
    while (rest.len && str_split(&rest, '\n', &line))
        buf_addf(b, "     | %.*s\n", STRF(line));
}

static void add_artifact(struct buf *b, const struct artifact *a, bool first)
{
    if (first)
        buf_adds(b, "outputs\n");
    buf_addf(b, "  %.*s  ", STRF(a->path));
    num_print_bytes(b, a->bytes);
    buf_addc(b, '\n');
}

/* Which trial it is, what came of it, and where it comes from. */
static void add_head(struct buf *b, const struct trial *t, struct str metric,
                     bool brief)
{
    buf_addf(b, "trial    %lld  %s%s%.*s\n", (long long)t->id,
             state_name(t->state), t->reason.len ? ": " : "", STRF(t->reason));
    if (!isnan(t->value)) {
        buf_addf(b, "value    %.*s = ", STRF(metric));
        if (brief)
            num_print_short(b, t->value, 6);
        else
            num_print(b, t->value);
        buf_addc(b, '\n');
    }
    if (t->run_id.len)
        buf_addf(b, "run_id   %.*s\n", STRF(t->run_id));
    if (t->parent > 0)
        buf_addf(b, "parent   trial %lld, whose checkpoint it began with\n",
                 (long long)t->parent);
    if (t->budget > 0)
        buf_addf(b, "budget   %lld step%s\n", (long long)t->budget,
                 t->budget == 1 ? "" : "s");
}

/* What people wrote on it. */
static void add_words(struct buf *b, const struct trial *t)
{
    if (t->note.len)
        buf_addf(b, "note     %.*s\n", STRF(t->note));
    for (size_t i = 0; i < t->tag_count; i++)
        buf_addf(b, "%s%.*s%s", i ? ", " : "tags     ", STRF(t->tags[i]),
                 i + 1 == t->tag_count ? "\n" : "");
}

void extent_print(struct buf *b, const struct extent *x,
                  const struct extent_study *s, bool brief, struct arena *a)
{
    const struct trial *t = &x->trial;
    add_head(b, t, s->goal.name, brief);
    buf_adds(b, "params\n");
    point_lines(b, json_parse(a, t->point, "point", true, NULL), s->written,
                s->written_count, brief);
    if (t->about.len) {
        buf_adds(b, "about\n");
        point_lines(b, json_parse(a, t->about, "about", true, NULL), NULL, 0,
                    brief);
    }
    add_metrics(b, t, a);
    add_time(b, "created", t->created);
    add_time(b, "started", t->started);
    add_time(b, "ended", t->ended);
    add_words(b, t);
    provenance_print(b, &s->code, s->name);
    if (x->attempt_count)
        buf_adds(b, "attempts\n");
    const struct study_job *job = study_job_of(s->jobs, s->job_count, t->id);
    for (size_t i = 0; i < x->attempt_count; i++)
        add_attempt(b, &x->attempts[i], job && job->line.again);
    for (size_t i = 0; i < x->artifact_count; i++)
        add_artifact(b, &x->artifacts[i], i == 0);
    if (file_is_dir(x->folder))
        buf_addf(b, "files    %s\n", x->folder);
    if (x->packed_count)
        buf_addf(b,
                 "packed   %zu file%s, which `throng export %lld --files DIR` "
                 "writes out\n",
                 x->packed_count, x->packed_count == 1 ? "" : "s",
                 (long long)t->id);
}
