/* err.h - what went wrong, in words for the person
 *
 * A function that can fail takes `struct err *err` last and returns 0 or
 * -1 (or a pointer or NULL). err may be NULL when the caller does not care.
 * A `struct err` needs no destructor and starts as {0}. */
#ifndef THRONG_BASE_ERR_H
#define THRONG_BASE_ERR_H

enum err_kind {
    ERR_NONE = 0,
    ERR_SYSTEM,  /* the operating system refused */
    ERR_INPUT,   /* a file or text from the user is wrong */
    ERR_USAGE,   /* the command line is wrong */
    ERR_MISSING, /* no such study, trial, file */
    ERR_BUSY,    /* somebody else holds it */
    ERR_CORRUPT, /* a file of ours is damaged or newer than this program */
    ERR_FULL,    /* disk or quota is full */
    ERR_LIMIT,   /* larger than a limit of ours */
};

struct err {
    enum err_kind kind;
    char text[1024];
    char at[64]; /* the key of the person's file that it is of, as
                    "data.label"; "": of none */
};

/* Fills err (when not NULL) and returns -1. Longer texts are cut. */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of a key, with which the text begins; the rest may begin with ": "
 * or " ". */
int err_set_at(struct err *err, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "<text>: " in front of what err already says; returns -1. */
int err_wrap(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* As err_set with ERR_SYSTEM (ERR_FULL for ENOSPC and EDQUOT) and
 * ": strerror(errno)" behind the text. */
int err_errno(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A broken invariant is a bug in throng: says where, and aborts. */
#define require(x)                                                             \
    ((x) ? (void)0 : require_failed(#x, __FILE__, __LINE__, __func__))
_Noreturn void require_failed(const char *what, const char *file, int line,
                              const char *func);

/* malloc family that aborts when a small allocation fails. */
void *xmalloc(unsigned long size);
void *xcalloc(unsigned long count, unsigned long size);
void *xrealloc(void *p, unsigned long size);
char *xstrdup(const char *s);

#endif
