/* err.c - error texts, broken invariants and allocations that must work
 *
 * The arguments of a new text may point into the old one, so every text is
 * first made aside and then copied. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that was cut must not end in half a character. */
static void trim_partial_utf8(char *text, size_t len)
{
    size_t start = len;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t need = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (len - (start - 1) < need)
        text[start - 1] = 0;
}

/* Formats into text and returns the length, at most size - 1. */
__attribute__((format(printf, 3, 0))) static size_t
format(char *text, size_t size, const char *fmt, va_list ap)
{
    int n = vsnprintf(text, size, fmt, ap);
    if (n < 0) {
        text[0] = 0;
        return 0;
    }
    if ((size_t)n < size)
        return (size_t)n;
    trim_partial_utf8(text, size - 1);
    return strlen(text);
}

/* Appends ": more" to text, as far as it fits. */
static void append(char *text, size_t size, size_t len, const char *more)
{
    int n = snprintf(text + len, size - len, ": %s", more);
    if (n > 0 && (size_t)n >= size - len)
        trim_partial_utf8(text, size - 1);
}

int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
    if (!err)
        return -1;
    char text[sizeof(err->text)];
    va_list ap;
    va_start(ap, fmt);
    format(text, sizeof(text), fmt, ap);
    va_end(ap);
    err->kind = kind;
    err->at[0] = 0;
    memcpy(err->text, text, strlen(text) + 1);
    return -1;
}

int err_set_at(struct err *err, const char *at, const char *fmt, ...)
{
    if (!err)
        return -1;
    char key[sizeof(err->at)], text[sizeof(err->text)];
    va_list ap;
    va_start(ap, fmt);
    format(text, sizeof(text), fmt, ap);
    va_end(ap);
    snprintf(key, sizeof(key), "%s", at);
    err_set(err, ERR_INPUT, "%s%s", at, text);
    memcpy(err->at, key, sizeof(key));
    return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
    if (!err)
        return -1;
    char text[sizeof(err->text)];
    va_list ap;
    va_start(ap, fmt);
    size_t len = format(text, sizeof(text), fmt, ap);
    va_end(ap);
    append(text, sizeof(text), len, err->text);
    memcpy(err->text, text, strlen(text) + 1);
    return -1;
}

int err_errno(struct err *err, const char *fmt, ...)
{
    int number = errno;
    if (!err)
        return -1;
    char text[sizeof(err->text)];
    char reason[128];
    va_list ap;
    va_start(ap, fmt);
    size_t len = format(text, sizeof(text), fmt, ap);
    va_end(ap);
    append(text, sizeof(text), len, strerror_r(number, reason, sizeof(reason)));
    err->kind = number == ENOSPC || number == EDQUOT ? ERR_FULL : ERR_SYSTEM;
    memcpy(err->text, text, strlen(text) + 1);
    errno = number;
    return -1;
}

_Noreturn void require_failed(const char *what, const char *file, int line,
                              const char *func)
{
    fprintf(stderr, "throng: this is a bug: %s does not hold in %s (%s:%d)\n",
            what, func, file, line);
    abort();
}

static void *must(void *p, unsigned long size)
{
    if (p)
        return p;
    fprintf(stderr, "throng: out of memory (%lu bytes were needed)\n", size);
    abort();
}

/* A size of 0 still gives a pointer that can be told from NULL. */
void *xmalloc(unsigned long size)
{
    return must(malloc(size ? size : 1), size);
}

void *xcalloc(unsigned long count, unsigned long size)
{
    if (count == 0 || size == 0)
        count = size = 1;
    return must(calloc(count, size), count * size);
}

void *xrealloc(void *p, unsigned long size)
{
    return must(realloc(p, size ? size : 1), size);
}

char *xstrdup(const char *s)
{
    size_t size = strlen(s) + 1;
    return memcpy(xmalloc(size), s, size);
}
