/* unreported.c - trials that end well without the study's metric
 *
 * A metric whose name is wrong, or that a script only prints, costs as much as
 * a program that fails: the first trials say so, and no more start unless one
 * of those that run reports it. What the person can do is in what a trial did
 * report, or in what it printed. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/chars.h"
#include "study/run.h"

#define LOG_LOOKED_AT 65536 /* bytes at the end of a log */
#define NAMES_SHOWN 8
#define NAMES_LOOKED_AT 64
#define NUMBER "([-+0-9.eE]+)"

/* ---- in what was reported ----------------------------------------------- */

static bool holds(const char *text, struct str part)
{
    return memmem(text, strlen(text), part.p, part.len) != NULL;
}

/* The name that was meant, of a NULL-terminated list, as far as one can tell;
 * NULL: none. */
static const char *nearest(const char *const *names, struct str metric)
{
    const char *found = str_nearest(metric, names);
    for (; *names && !found; names++)
        if (holds(*names, metric) ||
            memmem(metric.p, metric.len, *names, strlen(*names)))
            found = *names;
    return found;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_names(struct buf *b, const struct summary *s)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; i < s->list.len; i++)
        vec_push(&names, s->list.p[i].name);
    if (names.len)
        qsort(names.p, names.len, sizeof(*names.p), by_name);
    for (size_t i = 0; i < names.len && i < NAMES_SHOWN; i++)
        buf_addf(b, "%s %s", i ? "," : "", names.p[i]);
    vec_done(&names);
}

static void add_reported(struct buf *b, const struct run *r,
                         const struct live *l)
{
    const struct summary *s = &l->summary;
    const char **names = xcalloc(s->list.len + 1, sizeof(*names));
    for (size_t i = 0; i < s->list.len; i++)
        names[i] = s->list.p[i].name;
    const char *near = nearest(names, r->limits.metric);
    buf_addf(b, "trial %lld reported", (long long)l->t.id);
    add_names(b, s);
    if (s->list.len > NAMES_SHOWN)
        buf_addf(b, " and %zu more", s->list.len - NAMES_SHOWN);
    if (near)
        buf_addf(b, "; did you mean `%s`?", near);
    free(names);
}

/* ---- in what was printed ------------------------------------------------- */

static size_t number_len(struct str s)
{
    size_t n = 0, digits = 0;
    while (n < s.len && memchr("+-.0123456789eE", s.p[n], 15))
        digits += s.p[n] >= '0' && s.p[n] <= '9' ? 1 : 0, n++;
    return digits ? n : 0;
}

/* The length of `name`, what stands between, and a number that a text begins
 * with; *before: without the number. 0: it does not. */
static size_t assignment_len(struct str s, struct str name, size_t *before)
{
    size_t i = name.len;
    if (!str_starts(s, name))
        return 0;
    if (i < s.len && memchr("'\"", s.p[i], 2))
        i++;
    while (i < s.len && s.p[i] == ' ')
        i++;
    if (i == s.len || !memchr("=:", s.p[i], 2))
        return 0;
    for (i++; i < s.len && s.p[i] == ' ';)
        i++;
    *before = i;
    size_t n = number_len(str_n(s.p + i, s.len - i));
    return n ? i + n : 0;
}

/* As a regular expression inside of YAML's single quotes. */
static void add_escaped(struct buf *b, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (memchr(".[]()*+?{}|^$\\", text.p[i], 14))
            buf_addc(b, '\\');
        if (text.p[i] == '\'')
            buf_addc(b, '\'');
        buf_addc(b, text.p[i]);
    }
}

/* Where a text assigns a number to `name`, and how long that is; -1: nowhere.
 */
static long find_assignment(struct str log, struct str name, size_t *len,
                            size_t *before)
{
    for (size_t i = 0; i < log.len; i++) {
        if (i > 0 && is_word(log.p[i - 1]))
            continue;
        *len = assignment_len(str_n(log.p + i, log.len - i), name, before);
        if (*len)
            return (long)i;
    }
    return -1;
}

static size_t name_len(struct str s)
{
    size_t n = 0;
    while (n < s.len && (is_word(s.p[n]) || (n && memchr("/.-", s.p[n], 3))))
        n++;
    return n;
}

static bool known(const char *const *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_is(name, names[i]))
            return true;
    return false;
}

/* The name that was meant, of those that a text assigns numbers to; empty: none
 * of them seems so. */
static struct str meant_in(struct str log, struct str metric, struct arena *a)
{
    const char *names[NAMES_LOOKED_AT + 1] = {0};
    size_t count = 0, before;
    for (size_t i = 0; i < log.len && count < NAMES_LOOKED_AT;) {
        struct str rest = str_n(log.p + i, log.len - i);
        struct str name = str_n(rest.p, name_len(rest));
        if (name.len && assignment_len(rest, name, &before) &&
            !known(names, count, name))
            names[count++] = arena_cstr(a, name);
        i += name.len ? name.len : 1;
    }
    const char *near = nearest(names, metric);
    return near ? str_of(near) : STR("");
}

static bool add_printed(struct buf *b, const struct run *r,
                        const struct live *l, struct str log)
{
    struct arena *a = arena_new();
    struct str name = r->limits.metric;
    size_t len, before;
    long at = find_assignment(log, name, &len, &before);
    if (at < 0) {
        name = meant_in(log, name, a);
        at = name.len ? find_assignment(log, name, &len, &before) : -1;
    }
    if (at >= 0) {
        const char *text = log.p + at;
        buf_addf(b,
                 "trial %lld printed `%.*s`: say metric: {name: %.*s, "
                 "pattern: '",
                 (long long)l->t.id, (int)len, text, STRF(name));
        add_escaped(b, str_n(text, before));
        buf_addf(b, NUMBER "'}, or print `::throng %.*s=%.*s`",
                 STRF(r->limits.metric), (int)(len - before), text + before);
    }
    arena_free(a);
    return at >= 0;
}

/* The end of a trial's log; yours to free with buf_done. */
static void read_log(const struct run *r, const struct live *l, struct buf *b)
{
    struct arena *a = arena_new();
    char *folder =
        store_attempt_folder(store_folder(r->store), l->t.id, l->a.folder, a);
    int fd = open(path_join(a, folder, "log"), O_RDONLY | O_CLOEXEC);
    char *text = arena_alloc(a, LOG_LOOKED_AT);
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    off_t from = size > LOG_LOOKED_AT ? size - LOG_LOOKED_AT : 0;
    ssize_t n = fd < 0 ? 0 : pread(fd, text, LOG_LOOKED_AT, from);
    if (n > 0)
        buf_add(b, text, (size_t)n);
    if (fd >= 0)
        close(fd);
    arena_free(a);
}

/* ---- the whole ------------------------------------------------------------
 */

static void say(struct run *r, const struct live *l)
{
    struct buf b, log;
    buf_init(&b);
    buf_init(&log);
    if (l->summary.list.len)
        add_reported(&b, r, l);
    else
        read_log(r, l, &log);
    if (!b.len && !add_printed(&b, r, l, buf_str(&log)))
        buf_addf(&b,
                 "trial %lld reported nothing at all: print `::throng "
                 "%.*s=VALUE`, or see `throng help protocol`",
                 (long long)l->t.id, STRF(r->limits.metric));
    log_to(r->log, LOG_WARN,
           "trial %lld ended without reporting the metric `%.*s`; %s",
           (long long)l->t.id, STRF(r->limits.metric), b.p);
    free(r->unreported_hint);
    r->unreported_hint = buf_take(&b);
    buf_done(&log);
}

void unreported_note(struct run *r, const struct live *l)
{
    if (!r->limits.metric.len || summary_find(&l->summary, r->limits.metric))
        return;
    if (!r->unreported++)
        say(r, l);
    if (r->any_value || r->limits.keep_going || r->phase != RUN_STARTS)
        return;
    if (r->unreported >= run_first_round(r) &&
        (idmap_count(r->lives) > 1 || !r->asked_all))
        run_doubt(r, STUDY_NO_METRIC);
}
