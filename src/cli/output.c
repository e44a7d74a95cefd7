/* output.c - all that throng prints goes through here
 *
 * Data to standard output, talk to standard error. Nearly every text has
 * parts that are not ours (names, values, notes, reasons, last lines of
 * output), so all of it is shown, never obeyed; what a program is to read
 * byte for byte (put_data) stays as it is off a terminal. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/num.h"
#include "base/shown.h"
#include "cli/cli.h"
#include "view/view.h"

static void write_out(struct str text)
{
    while (text.len) {
        ssize_t n = write(STDOUT_FILENO, text.p, text.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EPIPE)
            exit(EXIT_OK);
        if (n < 0) {
            fprintf(stderr, "throng: standard output: %s\n", strerror(errno));
            exit(EXIT_ERROR);
        }
        text = str_n(text.p + n, text.len - (size_t)n);
    }
}

void put(struct str text)
{
    struct buf b;
    buf_init(&b);
    shown_add(&b, text);
    write_out(buf_str(&b));
    buf_done(&b);
}

void put_painted(struct str text)
{
    write_out(text);
}

void put_report(const struct call *c, struct str text)
{
    struct buf shown, b;
    if (!c->terminal) {
        put(text);
        return;
    }
    buf_init(&shown);
    buf_init(&b);
    shown_add(&shown, text);
    paint_report(&b, buf_str(&shown), c->columns, c->colour);
    write_out(buf_str(&b));
    buf_done(&shown);
    buf_done(&b);
}

void put_data(const struct call *c, struct str text)
{
    if (c->terminal)
        put(text);
    else
        write_out(text);
}

void put_output(const struct call *c, struct str text)
{
    struct buf b;
    if (!c->terminal) {
        write_out(text);
        return;
    }
    buf_init(&b);
    shown_add_output(&b, text);
    write_out(buf_str(&b));
    buf_done(&b);
}

void table_print(struct table *t, const struct call *c)
{
    struct buf b;
    buf_init(&b);
    if (c->terminal)
        table_align(t, &b, c->columns, c->colour);
    else
        table_tabs(t, &b);
    put_painted(buf_str(&b)); /* titles and cells are shown */
    buf_done(&b);
}

unsigned columns_of(int fd)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    int64_t n;
    if (columns && num_int(str_of(columns), &n) && n >= 20 && n < 10000)
        return (unsigned)n;
    return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col >= 20 ? size.ws_col
                                                              : 80;
}

__attribute__((format(printf, 1, 0))) static void vsay(const char *fmt,
                                                       va_list ap)
{
    struct buf text, b, lines;
    buf_init(&text);
    buf_init(&b);
    buf_init(&lines);
    buf_vaddf(&text, fmt, ap);
    shown_add(&b, buf_str(&text));
    paint_wrap(&lines, buf_str(&b),
               isatty(STDERR_FILENO) ? columns_of(STDERR_FILENO) : UINT_MAX);
    fputs(lines.p, stderr);
    buf_done(&lines);
    buf_done(&b);
    buf_done(&text);
}

void say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsay(fmt, ap);
    va_end(ap);
}

void say_problems(const struct problems *problems)
{
    struct buf b;
    buf_init(&b);
    problems_print(&b, problems);
    say("%s", b.p);
    buf_done(&b);
}

static void to_stderr(void *context, enum log_level level, const char *text)
{
    (void)context;
    (void)level;
    say("throng: %s\n", text);
}

struct log log_stderr(void)
{
    return (struct log){.write = to_stderr, .least = LOG_NOTICE};
}

void say_age(double as_of)
{
    struct buf b;
    buf_init(&b);
    age_print(&b, as_of);
    if (b.len)
        say("throng: %s: the study runs on a network file system, where "
            "readers get a copy\n",
            b.p);
    buf_done(&b);
}
