/* output.c - what a task prints
 *
 * A flood is cut in the middle: the first half of the limit and the last
 * quarter stay, a line between them says how much went. Nothing is cut that
 * has not been read: the task is held still for a moment (SIGSTOP), the rest
 * is read, and only then the middle goes. */
#include "worker/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/num.h"
#include "worker/worker.h"

#define LIMIT_LEAST 4096u
#define LAST_BYTES 4096
#define LAST_LINES 20
#define SETTLE_ROUNDS 20
#define SETTLE_NS 200000

int output_begin(struct attempt *a, struct err *err)
{
    struct output *o = &a->output;
    *o = (struct output){0};
    tail_init(&o->tail, a->folder.log, a->folder.log_start);
    if (a->task.metric_pattern.len == 0)
        return 0;
    o->pattern = pattern_get(&a->worker->patterns, a->task.metric_pattern, err);
    return o->pattern ? 0 : -1;
}

/* ---- lines ----------------------------------------------------------- */

static void marked_line(struct attempt *a, struct str words, uint64_t number)
{
    struct err err = {0};
    if (metric_line_words(&a->worker->line, str_trim(words), &err) != 0)
        metrics_bad_line(a, "its output", number, err.text);
    else
        metrics_add_line(a, METRIC_FROM_OUTPUT);
}

static bool on_line(void *context, struct str line, uint64_t number)
{
    struct attempt *a = context;
    struct str words;
    int64_t step;
    double value;
    if (line.len > 0 && line.p[0] == ':' && metric_line_marked(line, &words))
        marked_line(a, words, number);
    if (a->output.pattern &&
        pattern_match(a->output.pattern, line, &step, &value))
        metrics_add_point(a, METRIC_FROM_PATTERN, step, value);
    return !worker_congested(a->worker);
}

static bool read_lines(struct attempt *a, bool all)
{
    struct tail_reader r = {
        .context = a, .line = on_line, .scratch = &a->worker->chunk};
    return tail_read(&a->output.tail, all, &r);
}

/* ---- floods ---------------------------------------------------------- */

/* True when everything has been read and nobody seems to write. */
static bool settle(struct attempt *a)
{
    const struct timespec pause = {.tv_nsec = SETTLE_NS};
    for (int i = 0; i < SETTLE_ROUNDS; i++) {
        uint64_t before = a->output.tail.seen;
        nanosleep(&pause, NULL);
        if (!read_lines(a, false))
            return false;
        if (a->output.tail.seen == before)
            return true;
    }
    return true;
}

static bool move_bytes(int fd, off_t from, off_t to, uint64_t len,
                       struct buf *chunk)
{
    buf_reset(chunk);
    buf_reserve(chunk, 262144);
    while (len > 0) {
        size_t some = len < 262144 ? (size_t)len : 262144;
        ssize_t n = pread(fd, chunk->p, some, from);
        if (n <= 0 || pwrite(fd, chunk->p, (size_t)n, to) != n)
            return false;
        from += n;
        to += n;
        len -= (uint64_t)n;
    }
    return true;
}

/* Cuts the middle out of the log. `fd` is not in append mode. */
static void cut(struct attempt *a, int fd, uint64_t limit)
{
    struct output *o = &a->output;
    uint64_t size = o->tail.seen, unread = size - o->tail.at;
    uint64_t first = limit / 2, last = limit / 4;
    uint64_t dropped = o->dropped + size - o->notice_len - first - last;
    struct buf notice;
    buf_init(&notice);
    buf_addf(&notice, "\n[throng: %llu bytes of output were dropped here; ",
             (unsigned long long)dropped);
    buf_adds(&notice, "the limit is ");
    num_print_bytes(&notice, limit);
    buf_adds(&notice, "]\n");
    uint64_t end = first + notice.len + last;
    ssize_t put = pwrite(fd, notice.p, notice.len, (off_t)first);
    if (put == (ssize_t)notice.len &&
        move_bytes(fd, (off_t)(size - last), (off_t)(end - last), last,
                   &a->worker->chunk) &&
        ftruncate(fd, (off_t)end) == 0) {
        o->dropped = dropped;
        o->notice_len = notice.len;
        o->tail.seen = end;
        o->tail.at = unread < last ? end - unread : end - last;
    }
    buf_done(&notice);
}

static void cut_middle(struct attempt *a, uint64_t limit)
{
    bool runs = a->phase == ATTEMPT_RUNNING;
    int fd = openat(a->folder.fd, "log", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    if (runs)
        kill(-a->process.pid, SIGSTOP);
    if (settle(a))
        cut(a, fd, limit);
    if (runs)
        kill(-a->process.pid, SIGCONT);
    close(fd);
}

bool output_read(struct attempt *a, bool all)
{
    uint64_t limit = a->task.output_max_bytes;
    struct output *o = &a->output;
    if (worker_congested(a->worker) || !read_lines(a, all))
        return false;
    if (limit > 0 && limit < LIMIT_LEAST)
        limit = LIMIT_LEAST;
    if (limit > 0 && o->tail.seen > limit + o->notice_len)
        cut_middle(a, limit);
    return true;
}

uint64_t output_bytes(const struct attempt *a)
{
    const struct output *o = &a->output;
    uint64_t start = a->folder.log_start;
    uint64_t held = o->tail.seen + o->dropped - o->notice_len;
    return held > start ? held - start : 0;
}

void output_last_lines(const struct attempt *a, struct buf *b)
{
    char text[LAST_BYTES];
    struct stat st;
    if (a->folder.log < 0 || fstat(a->folder.log, &st) != 0)
        return;
    off_t start = (off_t)a->folder.log_start;
    if (st.st_size < start)
        start = 0;
    bool cut_off = st.st_size - start > LAST_BYTES;
    if (cut_off)
        start = st.st_size - LAST_BYTES;
    ssize_t n = pread(a->folder.log, text, sizeof text, start);
    if (n <= 0)
        return;
    ssize_t from = n - (text[n - 1] == '\n');
    for (int lines = 0; from > 0; from--)
        if (text[from - 1] == '\n' && ++lines == LAST_LINES)
            break;
    const char *feed = memchr(text, '\n', (size_t)n - 1);
    if (from == 0 && cut_off && feed)
        from = feed + 1 - text;
    buf_add(b, text + from, (size_t)(n - from));
}
