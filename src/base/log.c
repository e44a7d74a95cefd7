/* log.c - talk for the person, through a sink that a face passes in */
#include "base/log.h"

#include <stdarg.h>

#include "base/buf.h"

void log_to(const struct log *log, enum log_level level, const char *fmt, ...)
{
    if (!log || !log->write || level < log->least)
        return;
    struct buf b;
    buf_init(&b);
    va_list ap;
    va_start(ap, fmt);
    buf_vaddf(&b, fmt, ap);
    va_end(ap);
    log->write(log->context, level, b.p);
    buf_done(&b);
}

const char *log_level_name(enum log_level level)
{
    static const char *const names[] = {"debug", "info", "notice", "warning",
                                        "error"};
    return (unsigned)level < sizeof(names) / sizeof(names[0]) ? names[level]
                                                              : "?";
}
