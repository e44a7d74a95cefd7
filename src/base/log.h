/* log.h - talk for the person, through a sink that a face passes in
 *
 * Only cli, worker and web print. Other folders are handed a `struct log`
 * and speak through it; a NULL log is silent. */
#ifndef THRONG_BASE_LOG_H
#define THRONG_BASE_LOG_H

enum log_level { LOG_DEBUG, LOG_INFO, LOG_NOTICE, LOG_WARN, LOG_ERROR };

typedef void log_fn(void *context, enum log_level level, const char *text);

struct log {
    log_fn *write;
    void *context;
    enum log_level least; /* what is below it is dropped */
};

void log_to(const struct log *log, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
const char *log_level_name(enum log_level level);

#endif
