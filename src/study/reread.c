/* reread.c - logs of trials that have ended, read again with another pattern
 *
 * The worker reads along while a trial runs; here the same lines are read the
 * same way when the pattern was mended later. The points that the earlier one
 * found go. A trial that left no log keeps what it has. */
#include "base/num.h"
#include "study/conductor.h"
#include "terms/pattern.h"

struct rereading {
    struct store *store;
    int64_t trial;
    uint32_t attempt; /* whose lines these are */
    struct str name;  /* of the metric */
    struct metric_batch *batch;
    struct attempt *list; /* all of the trial's */
    size_t count;
    bool kept; /* there is a checkpoint, so that some may have gone on */
};

static int write_points(struct rereading *r, struct err *err)
{
    struct metric_reader reader;
    struct metric_column c;
    struct buf payload;
    int rc = 0;
    buf_init(&payload);
    metric_batch_print(r->batch, &payload);
    metric_reader_init(&reader, buf_str(&payload));
    while (!rc && metric_reader_next(&reader, &c) > 0)
        rc = store_metrics_add(r->store, r->trial, r->attempt, c.name, &c, err);
    buf_done(&payload);
    return rc;
}

/* True for the line that says where an attempt begins. */
static bool begins_attempt(struct str line, uint32_t *attempt)
{
    const struct str head = STR("[throng: attempt ");
    int64_t number;
    if (!str_starts(line, head) || line.p[line.len - 1] != ']' ||
        !num_int(str_n(line.p + head.len, line.len - head.len - 1), &number))
        return false;
    *attempt = (uint32_t)number;
    return true;
}

static void read_line(struct rereading *r, const struct pattern *pattern,
                      struct str line)
{
    int64_t step;
    struct metric_pair pair = {.name = r->name};
    if (line.len > METRIC_LINE_MAX || str_starts(line, STR("[throng: ")) ||
        !pattern_match(pattern, line, &step, &pair.value))
        return;
    struct metric_line m = {.step = step, .pairs = &pair, .count = 1};
    metric_batch_add_line(r->batch, &m, METRIC_FROM_PATTERN);
}

/* The next attempt's lines follow. One that found a checkpoint goes on
 * counting, another begins anew. */
static int next_attempt(struct rereading *r, uint32_t number, struct err *err)
{
    if (write_points(r, err))
        return -1;
    r->attempt = number;
    bool anew = !r->kept;
    for (size_t i = 0; i < r->count; i++)
        anew |= r->list[i].number == number && r->list[i].anew == number;
    if (anew) {
        metric_batch_free(r->batch);
        r->batch = metric_batch_new();
    }
    return 0;
}

static int read_log(struct rereading *r, const struct pattern *pattern,
                    struct str log, struct err *err)
{
    struct str line;
    while (log.len && str_split(&log, '\n', &line)) {
        uint32_t attempt;
        if (!begins_attempt(line, &attempt))
            read_line(r, pattern, line);
        else if (next_attempt(r, attempt, err))
            return -1;
    }
    return write_points(r, err);
}

/* 1: it is in b, 0: there is none. */
static int find_log(struct packs *packs, int64_t trial, const char *folder,
                    struct buf *b, struct err *err)
{
    struct err gone = {0};
    struct arena *a = arena_new();
    int rc = file_read(path_join(a, folder, "log"), 0, b, &gone);
    if (rc && gone.kind == ERR_MISSING) {
        buf_reset(b);
        gone = (struct err){0};
        rc = packs_read(packs, trial, "log", b, &gone);
    }
    arena_free(a);
    if (!rc)
        return 1;
    if (gone.kind == ERR_MISSING)
        return 0;
    err_set(err, gone.kind, "%s", gone.text);
    return -1;
}

int study_read_again(struct study *s, struct packs *packs,
                     const struct pattern *pattern, int64_t trial,
                     struct err *err)
{
    struct arena *a = arena_new();
    struct rereading r = {.store = s->store,
                          .trial = trial,
                          .attempt = 1,
                          .name = s->plan->metric.name,
                          .batch = metric_batch_new()};
    struct buf log;
    buf_init(&log);
    char *folder = store_trial_folder(s->store, trial, a);
    r.kept = file_exists(path_join(a, folder, "checkpoint"));
    int rc = store_attempts(s->store, trial, a, &r.list, &r.count, err);
    if (!rc)
        rc = find_log(packs, trial, folder, &log, err);
    if (rc > 0)
        rc = store_metrics_drop(s->store, trial, r.name, METRIC_FROM_PATTERN,
                                err);
    if (!rc && pattern)
        rc = read_log(&r, pattern, buf_str(&log), err);
    metric_batch_free(r.batch);
    buf_done(&log);
    arena_free(a);
    return rc;
}
