/* metrics.c - the metric points of one attempt, on their way out */
#include "worker/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "worker/worker.h"

#define BATCH_POINTS 4096

void metrics_init(struct metrics *m)
{
    *m = (struct metrics){.tail.fd = -1};
}

void metrics_done(struct metrics *m)
{
    metric_batch_free(m->batch);
    if (m->tail.fd >= 0)
        close(m->tail.fd);
    metrics_init(m);
}

/* ---- points ---------------------------------------------------------- */

/* What the study ranks by is kept, however many names a task reports. */
static struct metric_batch *batch_of(struct attempt *a)
{
    struct metrics *m = &a->metrics;
    if (m->batch)
        return m->batch;
    m->batch = metric_batch_new();
    struct str rest = a->task.metrics, name;
    metric_batch_reserve(m->batch, a->task.metric_name);
    while (str_split(&rest, '\n', &name))
        metric_batch_reserve(m->batch, name);
    return m->batch;
}

static void say_points(struct attempt *a)
{
    struct metrics *m = &a->metrics;
    struct worker *w = a->worker;
    struct record_points p = {.metrics_at = m->tail.at,
                              .log_at = a->output.tail.at,
                              .earlier = m->earlier,
                              .batch = STR("")};
    buf_reset(&w->payload);
    record_points_print(&w->payload, &p);
    metric_batch_print(batch_of(a), &w->payload);
    worker_say(a, RECORD_POINTS, buf_str(&w->payload));
    m->said_metrics_at = p.metrics_at;
    m->said_log_at = p.log_at;
}

void metrics_send(struct attempt *a)
{
    struct metrics *m = &a->metrics;
    size_t points = m->batch ? metric_batch_points(m->batch) : 0;
    if (points == 0)
        return;
    say_points(a);
    if (!m->earlier)
        m->points += points;
}

void metrics_say_read(struct attempt *a)
{
    const struct metrics *m = &a->metrics;
    bool said =
        m->said_metrics_at == m->tail.at && m->said_log_at == a->output.tail.at;
    if (!said && a->folder.fd >= 0 && folder_has_checkpoint(&a->folder))
        say_points(a);
}

static void after_adding(struct attempt *a, size_t dropped)
{
    struct metrics *m = &a->metrics;
    if (dropped > 0 && !m->crowded) {
        m->crowded = true;
        worker_notice(a,
                      "more than %d names of metrics; values of further "
                      "names are dropped",
                      METRIC_NAMES_MAX);
    }
    if (metric_batch_points(m->batch) >= BATCH_POINTS)
        metrics_send(a);
}

void metrics_add_pairs(struct attempt *a, const struct metric_line *line,
                       enum metric_source source)
{
    struct metric_batch *batch = batch_of(a);
    after_adding(a, metric_batch_add_line(batch, line, source));
}

void metrics_add_line(struct attempt *a, enum metric_source source)
{
    metrics_add_pairs(a, &a->worker->line, source);
}

void metrics_add_point(struct attempt *a, enum metric_source source,
                       int64_t step, double value)
{
    struct metric_pair pair = {.name = a->task.metric_name, .value = value};
    struct metric_line line = {.step = step, .pairs = &pair, .count = 1};
    metrics_add_pairs(a, &line, source);
}

void metrics_bad_line(struct attempt *a, const char *where, uint64_t number,
                      const char *why)
{
    if (a->metrics.noticed)
        return;
    a->metrics.noticed = true;
    worker_notice(a, "line %llu of %s was skipped: %s",
                  (unsigned long long)number, where, why);
}

/* ---- metrics.jsonl --------------------------------------------------- */

static void skip_line(struct attempt *a, struct str line, uint64_t number)
{
    struct err err = {0};
    metric_line_json(&a->worker->line, line, &err);
    metrics_bad_line(a, "its metrics file", number, err.text);
}

/* Called for millions of lines: a struct err is cleared, and a line read
 * again, only for one that is bad. */
static bool on_line(void *context, struct str line, uint64_t number)
{
    struct attempt *a = context;
    if (line.len == 0 || str_trim(line).len == 0)
        return true;
    if (str_starts(line, STR("{\"throng\":")))
        worker_say(a, RECORD_ABOUT, line);
    else if (metric_line_json(&a->worker->line, line, NULL) != 0)
        skip_line(a, line, number);
    else
        metrics_add_line(a, METRIC_FROM_METRICS);
    return !worker_congested(a->worker);
}

static void on_too_long(void *context, uint64_t number)
{
    metrics_bad_line(context, "its metrics file", number,
                     "it is longer than 1 MiB");
}

static bool read_open_file(struct attempt *a, bool all)
{
    struct worker *w = a->worker;
    size_t share = worker_share(w), left = share;
    struct tail_reader r = {.context = a,
                            .line = on_line,
                            .too_long = on_too_long,
                            .scratch = &w->chunk,
                            .budget = &left};
    bool done = tail_read(&a->metrics.tail, all, &r);
    w->budget -= share - left;
    return done;
}

static void open_file(struct attempt *a, uint64_t at)
{
    struct metrics *m = &a->metrics;
    struct stat st;
    int fd = openat(a->folder.fd, "metrics.jsonl",
                    O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        m->tail.fault = disk_fails(errno) ? errno : 0;
        return;
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return;
    }
    m->inode = st.st_ino;
    tail_init(&m->tail, fd, at);
}

/* A program may write a new file and rename it over the old one. */
static bool was_replaced(const struct attempt *a)
{
    struct stat st;
    return fstatat(a->folder.fd, "metrics.jsonl", &st, 0) == 0 &&
           st.st_ino != a->metrics.inode;
}

bool metrics_read(struct attempt *a, bool all)
{
    struct metrics *m = &a->metrics;
    if (worker_congested(a->worker))
        return false;
    if (m->tail.fd >= 0 && was_replaced(a)) {
        if (!read_open_file(a, true))
            return false;
        if (m->tail.fault)
            return true;
        close(m->tail.fd);
        m->tail.fd = -1;
    }
    if (m->tail.fd < 0)
        open_file(a, 0);
    return m->tail.fd < 0 || read_open_file(a, all);
}

/* ---- metric.file ----------------------------------------------------- */

static const char *number_path(struct attempt *a)
{
    const struct task *t = &a->task;
    struct str folder = t->workdir.len > 0 ? t->workdir : t->folder;
    if (t->metric_file.p[0] == '/')
        return arena_cstr(a->arena, t->metric_file);
    return path_join(a->arena, arena_cstr(a->arena, folder),
                     arena_cstr(a->arena, t->metric_file));
}

static int64_t mtime_ns(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return -1;
    return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

/* What its predecessor handed in and nobody has taken in: if the worker was
 * killed, or its word was never written down, it is in the files alone, and a
 * program that goes on does not say it again. */
static int catch_up(struct attempt *a, struct err *err)
{
    struct metrics *m = &a->metrics;
    const struct task *t = &a->task;
    bool unheard = folder_is_unheard(&a->folder, t);
    uint64_t before;
    for (size_t i = 0; !unheard && i < t->step_count; i++)
        metric_batch_go_on(batch_of(a), t->steps[i].name, t->steps[i].next);
    m->earlier = true;
    open_file(a, unheard ? 0 : t->metrics_at);
    struct tail_reader r = {.context = a,
                            .line = on_line,
                            .too_long = on_too_long,
                            .scratch = &a->worker->chunk};
    do {
        before = m->tail.at;
        if (m->tail.fd >= 0)
            tail_read(&m->tail, true, &r);
    } while (m->tail.at != before);
    folder_end_line(&a->folder, "metrics.jsonl");
    output_catch_up(a);
    metrics_send(a);
    m->earlier = m->noticed = false;
    const char *unread = metrics_unread(a);
    return unread ? err_errno(err, "read %s", unread) : 0;
}

int metrics_begin(struct attempt *a, struct err *err)
{
    bool earlier = a->folder.goes_on && a->folder.visited;
    if (a->task.metric_file.len > 0) /* its predecessor's may be unread */
        a->metrics.number_mtime_ns = earlier ? -1 : mtime_ns(number_path(a));
    return a->folder.goes_on ? catch_up(a, err) : 0;
}

/* A disk that fails says nothing about the file. */
static void read_number(struct attempt *a, const char *path)
{
    struct buf text;
    double value;
    buf_init(&text);
    errno = 0;
    bool read = file_read(path, 4096, &text, NULL) == 0;
    a->metrics.number_fault = !read && disk_fails(errno) ? errno : 0;
    if (read && num_double(str_trim(buf_str(&text)), &value))
        metrics_add_point(a, METRIC_FROM_FILE_NUMBER, METRIC_NO_STEP, value);
    else if (!a->metrics.number_fault)
        worker_notice(a, "%s does not hold one number", path);
    buf_done(&text);
}

void metrics_read_number(struct attempt *a)
{
    struct metrics *m = &a->metrics;
    if (a->task.metric_file.len == 0)
        return;
    const char *path = number_path(a);
    int64_t changed = mtime_ns(path);
    if (changed < 0 || (changed == m->number_mtime_ns && !m->number_fault))
        return;
    m->number_mtime_ns = changed;
    read_number(a, path);
}

/* ---- what the disk keeps --------------------------------------------- */

const char *metrics_unread(struct attempt *a)
{
    const struct {
        const char *what;
        int fault;
    } files[] = {{"its metrics file", a->metrics.tail.fault},
                 {"its output", a->output.tail.fault},
                 {"its metric.file", a->metrics.number_fault}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].fault) {
            errno = files[i].fault;
            return files[i].what;
        }
    return NULL;
}
