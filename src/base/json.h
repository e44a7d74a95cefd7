/* json.h - JSON in and out
 *
 * The reader is strict JSON plus NaN, Infinity and -Infinity (which Python's
 * json module writes). Integers that fit int64_t stay integers. Depth is
 * limited to 128, duplicate keys are an error. The printer writes numbers so
 * that they read back exactly; NaN and infinities as NaN, Infinity.
 *
 * Refused: NUL (also as \u0000), bare control characters, what is not UTF-8,
 * half a surrogate pair, a number larger than any double. All that is printed
 * can be read: in strings, NUL and bytes that are not UTF-8 become U+FFFD. */
#ifndef THRONG_BASE_JSON_H
#define THRONG_BASE_JSON_H

#include "base/err.h"
#include "base/value.h"

/* Parses the whole text. `name` stands in error texts ("name:3:14: …").
 * Strings may point into text only when they need no unescaping; so text
 * must live as long as the value, unless copy is true. */
struct value *json_parse(struct arena *a, struct str text, const char *name,
                         bool copy, struct err *err);
/* Parses the first value and moves *rest behind it (and white space). */
struct value *json_parse_next(struct arena *a, struct str *rest,
                              const char *name, struct err *err);

void json_print(struct buf *b, const struct value *v);        /* one line */
void json_print_sorted(struct buf *b, const struct value *v); /* keys sorted,
                                                                 one line */
void json_string(struct buf *b, struct str s); /* quoted and escaped */
void json_number(struct buf *b, double d);     /* NaN and infinities bare */

/* A pull scanner for hot paths: no allocation, one pass. */
enum json_token {
    JSON_BAD = -1,
    JSON_END,
    JSON_OBJECT_OPEN,
    JSON_OBJECT_CLOSE,
    JSON_LIST_OPEN,
    JSON_LIST_CLOSE,
    JSON_KEY, /* text: raw bytes between the quotes */
    JSON_STRING,
    JSON_INT,
    JSON_DOUBLE,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
};
struct json_scan {
    const char *p, *end;
    const char *at;  /* where the token begins, or what is wrong */
    const char *why; /* after JSON_BAD: what was expected */
    struct str text; /* of JSON_KEY and JSON_STRING, still escaped */
    bool escaped;    /* text holds a backslash */
    int64_t i;
    double d; /* of JSON_INT too */
    unsigned depth;
    uint64_t in_object[2]; /* bit per depth: inside an object */
    unsigned char expect;
};
void json_scan_init(struct json_scan *s, struct str text);
enum json_token json_scan_next(struct json_scan *s);
/* Skips the value whose first token was just returned. */
int json_scan_skip(struct json_scan *s, enum json_token token);
/* Behind JSON_KEY: passes over the key's value without reading it, and gives
 * its text. For texts that are known to be JSON: within the value only quotes
 * and brackets are looked at. -1 where there is no value. */
int json_scan_pass(struct json_scan *s, struct str *raw);
/* Appends the unescaped form of a scanner's text; -1 for a bad escape. */
int json_unescape(struct buf *b, struct str text);

#endif
