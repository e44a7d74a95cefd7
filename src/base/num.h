/* num.h - numbers in text, the same in every locale */
#ifndef THRONG_BASE_NUM_H
#define THRONG_BASE_NUM_H

#include <stdint.h>
#include "base/buf.h"

/* The whole of s must be the number; false otherwise (also on overflow). */
bool num_int(struct str s, int64_t *v); /* [+-]digits */
bool num_uint(struct str s, uint64_t *v);
bool num_double(struct str s, double *v); /* decimal; also nan, inf,
                                             infinity, in any case */
/* Length of the longest number that s starts with, 0 for none. Fast for
 * short decimals, correctly rounded always. *i is set when the text is an
 * integer that fits; too large a number gives an infinity. */
size_t num_scan(struct str s, double *v, int64_t *i, bool *is_int);

void num_print_int(struct buf *b, int64_t v);
/* Shortest text that reads back as the same double. */
void num_print(struct buf *b, double v);      /* 0.1 1e-05 5.0 nan inf:
                                                 as Python's repr */
void num_print_json(struct buf *b, double v); /* 5.0, NaN, Infinity */
void num_print_short(struct buf *b, double v, int digits); /* for tables:
                                                   about %.<digits>g */
/* The double nearest to v with so many decimals, which is the one that a person
 * means by that text: 0.1 * 3 with one is 0.3. v itself where it has no room
 * for them, or they are below 0. */
double num_round(double v, int decimals);
/* How many decimals a number has as people write it: 0.25 has 2, 5.0 has 0;
 * -1: more than 22. */
int num_decimals(double v);

/* "1.5G" "512M" "100 MiB" "2e9" -> bytes (K M G T are powers of 1024). */
bool num_bytes(struct str s, uint64_t *bytes);
void num_print_bytes(struct buf *b, uint64_t bytes); /* 1.5 GiB */
/* "90" "90s" "5m" "2h 30m" "1d" "1:30:00" "500ms" -> seconds. */
bool num_seconds(struct str s, double *seconds);
void num_print_seconds(struct buf *b, double seconds); /* 2h 30m, 1.2s */

#endif
