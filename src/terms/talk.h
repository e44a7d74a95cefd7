/* talk.h - the conversation between an optimizer and who tries its points
 *
 * JSON objects, one to a line, version 1. `throng suggest` hears the requests
 * and answers; to an external strategy throng says them itself. So reading
 * and printing stand here once. Trials are numbered from 0 in it. */
#ifndef THRONG_TERMS_TALK_H
#define THRONG_TERMS_TALK_H

#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/value.h"
#include "terms/state.h"
#include "terms/suggestion.h"

#define TALK_VERSION 1
#define TALK_ASK_MAX 100000 /* trials of one ask */

enum talk_kind {
    TALK_ASK,    /* {"ask":2}; "first": the number of the first of them */
    TALK_REPORT, /* {"report":0,"step":3,"value":0.5} */
    TALK_TELL,   /* {"tell":0,"value":0.31} */
    TALK_BEST,   /* {"best":5} */
    TALK_TOLD,   /* {"told":{"params":{…},"value":0.31}}: known from before */
    TALK_STUDY,  /* {"study":{…}}: what is searched for */
};

struct talk {
    enum talk_kind kind;
    int64_t count;        /* ask, best */
    int64_t first;        /* ask; -1: not said */
    int64_t id;           /* report, tell, told; -1: none (told only) */
    int64_t step;         /* report; of tell and told the last; -1: not said */
    double value;         /* NaN: none */
    const double *values; /* several objectives, or NULL */
    size_t value_count;
    const double *constraints; /* how far each is broken, or NULL */
    size_t constraint_count;
    enum state state;           /* tell, told: done unless said */
    const struct value *params; /* told */
    const struct value *study;  /* study */
};

/* Reads one request. Members that do not belong to it are errors, and the
 * text names what it takes. What *t points to lives in the arena or in the
 * line. */
int talk_read(struct talk *t, struct str line, struct arena *a,
              struct err *err);
/* Appends a request with the line's end. */
void talk_print(struct buf *b, const struct talk *t);

const char *decision_name(enum decision d); /* "continue" */
bool decision_parse(struct str s, enum decision *d);

#endif
