/* csv.h - comma separated values, RFC 4180, streamed
 *
 * Quotes, doubled quotes, line breaks inside quotes, CRLF or LF, a byte
 * order mark at the start, a separator other than ','. */
#ifndef THRONG_BASE_CSV_H
#define THRONG_BASE_CSV_H

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

struct csv {
    struct str rest;
    char sep;
    uint64_t line; /* of the row last read, from 1 */
    uint64_t next_line;
    struct buf scratch; /* unquoted fields of the row */
    VEC(struct str) fields;
};
void csv_init(struct csv *c, struct str text, char sep);
void csv_done(struct csv *c);
/* 1: a row is in c->fields, valid until the next call; 0: the end; -1: err.
 * Empty lines are skipped. */
int csv_next(struct csv *c, struct err *err);
/* Appends one field, quoted when it must be. */
void csv_field(struct buf *b, struct str field, char sep);

#endif
