/* output.c - what a task prints
 *
 * A flood is cut in the middle: the first half of the limit and a last part
 * stay, a line between them says how much went. As long as we can read as
 * fast as the task prints, nothing is cut that has not been read: the task is
 * held still for a moment (SIGSTOP), the rest is read, and only then the
 * middle goes. What comes faster is cut unread, because the disk must not
 * fill up; and when that happens again and again, nothing more is read until
 * the flood is over. What cannot be read along takes turns with others of its
 * kind, stopped in between: several at once would write more than can be cut
 * in time, and keep us from everything else. */
#include "worker/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/num.h"
#include "base/shown.h"
#include "worker/worker.h"

#define LIMIT_LEAST 4096u
#define LAST_BYTES 4096
#define LAST_READ 65536 /* of which progress bars may leave little */
#define LAST_LINES 20
#define END_BYTES (8u << 20)      /* most that stays behind a cut */
#define BACKLOG_BYTES (32u << 20) /* most above the limit that waits for us */
#define OUTRUN_MAX 8
#define TURN_NS 20000000 /* that a flood prints until the next is let go */
#define CENSUS_FRESH_NS 50000000
#define SETTLE_BYTES (2u << 20) /* read while the task is held still */
#define SETTLE_ROUNDS 20
#define SETTLE_QUIET 2
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
    if (a->candle.on)
        candle_line(a, line);
    return !worker_congested(a->worker);
}

static bool read_some(struct attempt *a, bool all, size_t *budget)
{
    struct tail_reader r = {.context = a,
                            .line = on_line,
                            .scratch = &a->worker->chunk,
                            .budget = budget};
    return tail_read(&a->output.tail, all, &r);
}

static bool read_lines(struct attempt *a, bool all)
{
    struct worker *w = a->worker;
    size_t share = worker_share(w), left = share;
    if (worker_congested(w))
        return false;
    bool done = read_some(a, all, &left);
    w->budget -= share - left;
    return done;
}

/* The line that says where an attempt begins is no output of a task. */
static bool on_earlier_line(void *context, struct str line, uint64_t number)
{
    if (!str_starts(line, STR("[throng: ")))
        on_line(context, line, number);
    return true;
}

void output_catch_up(struct attempt *a)
{
    struct tail *t = &a->output.tail;
    bool unheard = folder_is_unheard(&a->folder, &a->task);
    uint64_t from = unheard ? a->folder.anew_at : a->task.log_at;
    uint64_t end = t->at, before;
    struct tail_reader r = {
        .context = a, .line = on_earlier_line, .scratch = &a->worker->chunk};
    if (from >= end)
        return;
    t->at = from;
    do {
        before = t->at;
        tail_read(t, true, &r);
    } while (t->at != before);
    t->line = 0;
}

/* ---- cutting --------------------------------------------------------- */

static uint64_t limit_of(const struct attempt *a)
{
    uint64_t limit = a->task.output_max_bytes;
    if (limit == 0)
        return UINT64_MAX;
    return limit < LIMIT_LEAST ? LIMIT_LEAST : limit;
}

static uint64_t end_bytes(uint64_t limit)
{
    return limit / 4 < END_BYTES ? limit / 4 : END_BYTES;
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

static void print_notice(struct buf *b, uint64_t dropped, uint64_t unread,
                         uint64_t limit)
{
    buf_addf(b, "\n[throng: %llu bytes of output were dropped here",
             (unsigned long long)dropped);
    if (unread > 0)
        buf_addf(b,
                 ", %llu of them so fast that metrics in them were not "
                 "looked for",
                 (unsigned long long)unread);
    buf_adds(b, "; the limit is ");
    num_print_bytes(b, limit);
    buf_adds(b, "]\n");
}

/* Moves the bytes from `from` on to `to`, and those that are written
 * meanwhile, unless they become too many. Returns how many; 0: it failed. */
static uint64_t move_end(struct attempt *a, int fd, uint64_t from, uint64_t to)
{
    uint64_t moved = 0, more = end_bytes(limit_of(a)), most = 2 * more;
    while (more > 0 && moved + more <= most) {
        if (!move_bytes(fd, (off_t)(from + moved), (off_t)(to + moved), more,
                        &a->worker->chunk))
            return 0;
        moved += more;
        more = tail_size(&a->output.tail) - from - moved;
    }
    return moved;
}

/* Notes that the bytes from `from` on, `moved` of them, are at `to` now. */
static void note_cut(struct output *o, uint64_t from, uint64_t to,
                     uint64_t moved)
{
    uint64_t at = o->tail.at;
    o->tail.seen = to + moved;
    if (at < from)
        tail_skip_to(&o->tail, to);
    else
        o->tail.at = at - from + to;
}

/* Cuts the middle out of the log. `fd` is not in append mode. What somebody
 * who cannot be held still writes in the very last moment is dropped too. */
static void cut(struct attempt *a, int fd, uint64_t limit)
{
    struct output *o = &a->output;
    uint64_t first = limit / 2;
    uint64_t from = tail_size(&o->tail) - end_bytes(limit);
    uint64_t unread = o->unread + (from > o->tail.at ? from - o->tail.at : 0);
    uint64_t dropped = o->dropped + from - o->notice_len - first;
    struct buf notice;
    buf_init(&notice);
    print_notice(&notice, dropped, unread, limit);
    uint64_t to = first + notice.len, moved = 0;
    if (to < from &&
        pwrite(fd, notice.p, notice.len, (off_t)first) == (ssize_t)notice.len)
        moved = move_end(a, fd, from, to);
    uint64_t late = tail_size(&o->tail) - from - moved;
    if (moved > 0 && ftruncate(fd, (off_t)(to + moved)) == 0) {
        note_cut(o, from, to, moved);
        o->dropped = dropped + late;
        o->unread = unread + late;
        o->notice_len = notice.len;
    }
    buf_done(&notice);
}

static void cut_now(struct attempt *a, uint64_t limit)
{
    int fd = openat(a->folder.fd, "log", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    cut(a, fd, limit);
    close(fd);
}

/* ---- floods ---------------------------------------------------------- */

/* Stops all processes of the task. Most are in the group of the main
 * process; the children of timeout(1) are not, and take a census to find. */
static void hold(struct attempt *a)
{
    kill(-a->process.pid, SIGSTOP);
    census_take(a->worker);
    census_signal(a->worker, a, SIGSTOP);
}

static void let_go(struct attempt *a)
{
    census_signal(a->worker, a, SIGCONT);
    kill(-a->process.pid, SIGCONT);
}

/* Reads until nobody seems to write any more, for some milliseconds at most:
 * a process stops only when the write that it is in has ended. False: there is
 * more to read than others should wait for now. */
static bool settle(struct attempt *a)
{
    const struct timespec pause = {.tv_nsec = SETTLE_NS};
    size_t budget = SETTLE_BYTES;
    int quiet = 0;
    for (int i = 0; i < SETTLE_ROUNDS && quiet < SETTLE_QUIET; i++) {
        uint64_t before = a->output.tail.seen;
        nanosleep(&pause, NULL);
        if (!read_some(a, false, &budget))
            return worker_congested(a->worker);
        quiet = a->output.tail.seen == before ? quiet + 1 : 0;
    }
    return true;
}

/* Cuts a log that has been read to its end. Finding all who write takes a
 * while on a busy machine: what they have written until they were stopped is
 * read in the next rounds, and the cut comes with the last of them. */
static void cut_gently(struct attempt *a, uint64_t limit)
{
    bool runs = a->phase == ATTEMPT_RUNNING;
    uint64_t unread = a->output.unread;
    if (runs && !a->output.settling)
        hold(a);
    a->output.settling = runs && !settle(a);
    if (a->output.settling)
        return;
    cut_now(a, limit);
    if (runs)
        let_go(a);
    if (a->output.unread == unread)
        a->output.outrun = 0;
}

/* ---- taking turns ---------------------------------------------------- */

static int64_t turns(const struct worker *w)
{
    int64_t count = 0;
    for (size_t i = 0; i < w->running.len; i++)
        count += w->running.p[i]->output.outrun > 0;
    return count;
}

/* Leaves it stopped until the other floods have had their turns, so that about
 * one of them prints at a time. */
static void hold_for_others(struct attempt *a)
{
    struct worker *w = a->worker;
    kill(-a->process.pid, SIGSTOP);
    if (clock_mono_ns() - w->census.taken_ns > CENSUS_FRESH_NS)
        census_take(w);
    census_signal(w, a, SIGSTOP);
    a->output.held_ns = clock_mono_ns() + turns(w) * TURN_NS;
}

/* True when there is nothing to read because its turn begins only now, or
 * later. */
static bool awaits_turn(struct attempt *a)
{
    if (a->phase != ATTEMPT_RUNNING || a->output.held_ns == 0)
        return false;
    if (clock_mono_ns() >= a->output.held_ns) {
        a->output.held_ns = 0;
        let_go(a);
    }
    return true;
}

static void cut_unread(struct attempt *a, uint64_t limit)
{
    struct output *o = &a->output;
    if (!o->told)
        worker_notice(a, "it prints faster than can be read along: metrics "
                         "in its output may be lost (those in its metrics "
                         "file never are)");
    o->told = true;
    o->settling = false;
    o->outrun++;
    if (a->phase == ATTEMPT_RUNNING)
        hold_for_others(a);
    cut_now(a, limit);
}

static uint64_t above_limit(const struct attempt *a)
{
    uint64_t limit = limit_of(a), size = tail_size(&a->output.tail);
    if (limit == UINT64_MAX || size <= limit + a->output.notice_len)
        return 0;
    return size - limit;
}

bool output_floods(const struct attempt *a)
{
    return a->output.dropped > 0 || above_limit(a) > 0;
}

bool output_grows(const struct attempt *a)
{
    return tail_size(&a->output.tail) > a->output.tail.seen;
}

bool output_read(struct attempt *a, bool all)
{
    struct output *o = &a->output;
    if (awaits_turn(a))
        return true;
    bool hopeless = o->outrun >= OUTRUN_MAX && above_limit(a) > 0;
    bool done = !hopeless && read_lines(a, all);
    uint64_t above = above_limit(a);
    if (above == 0) {
        o->outrun = 0;
        if (o->settling)
            let_go(a);
        o->settling = false;
        return done;
    }
    if (done && !o->tail.fault)
        cut_gently(a, limit_of(a));
    else if (hopeless || above > BACKLOG_BYTES)
        cut_unread(a, limit_of(a));
    return done || (hopeless && !all);
}

uint64_t output_bytes(const struct attempt *a)
{
    const struct output *o = &a->output;
    uint64_t start = a->folder.log_start;
    uint64_t held = o->tail.seen + o->dropped - o->notice_len;
    return held > start ? held - start : 0;
}

/* The end of this attempt's output, as a terminal would show it. */
static void read_end(const struct attempt *a, struct buf *b)
{
    struct buf raw;
    struct stat st;
    if (a->folder.log < 0 || fstat(a->folder.log, &st) != 0)
        return;
    off_t start = (off_t)a->folder.log_start;
    if (st.st_size < start)
        start = 0;
    if (st.st_size - start > LAST_READ)
        start = st.st_size - LAST_READ;
    buf_init(&raw);
    buf_reserve(&raw, LAST_READ);
    ssize_t n = pread(a->folder.log, raw.p, LAST_READ, start);
    struct str rest = str_n(raw.p, n > 0 ? (size_t)n : 0), line;
    while (rest.len && str_split(&rest, '\n', &line)) {
        buf_addstr(b, shown_last(line));
        if (rest.p)
            buf_addc(b, '\n');
    }
    buf_done(&raw);
}

void output_last_lines(const struct attempt *a, struct buf *b)
{
    struct buf end;
    buf_init(&end);
    read_end(a, &end);
    size_t from = end.len - (end.len && end.p[end.len - 1] == '\n');
    size_t least = end.len > LAST_BYTES ? end.len - LAST_BYTES : 0;
    for (int lines = 0; from > least; from--)
        if (end.p[from - 1] == '\n' && ++lines == LAST_LINES)
            break;
    const char *feed =
        memchr(end.p + from, '\n', end.len - from - (end.len > from));
    if (from == least && least && feed)
        from = (size_t)(feed + 1 - end.p);
    buf_add(b, end.p + from, end.len - from);
    buf_done(&end);
}
