/* str.h - a piece of text that somebody else owns: pointer and length */
#ifndef THRONG_BASE_STR_H
#define THRONG_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
    const char *p;
    size_t len;
};

#define STR(lit) ((struct str){("" lit), sizeof(lit) - 1})
/* For printf: "%.*s", STRF(s) */
#define STRF(s) (int)(s).len, (s).p

static inline struct str str_of(const char *s)
{
    return (struct str){s, s ? strlen(s) : 0};
}
static inline struct str str_n(const char *p, size_t len)
{
    return (struct str){p, len};
}
static inline bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}
static inline bool str_is(struct str a, const char *b)
{
    return str_eq(a, str_of(b));
}
int str_cmp(struct str a, struct str b); /* bytewise, shorter first */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
struct str str_trim(struct str s); /* blanks, tabs, CR, LF off both ends */
/* Takes the part of *rest before sep (or all of it) and moves *rest behind
 * the sep. False when *rest was exhausted (p == NULL). */
bool str_split(struct str *rest, char sep, struct str *part);
/* True when s is digits alone, at least one. */
bool str_digits(struct str s);
/* What is behind white space and lines that begin with '#'. */
struct str str_skip_comments(struct str s);
/* Position of c, or -1. */
long str_find(struct str s, char c);

/* Which of names (NULL-terminated, or NULL: none) s is, from 0; -1: none. */
int str_index(struct str s, const char *const *names);
static inline bool str_among(struct str s, const char *const *names)
{
    return str_index(s, names) >= 0;
}
/* Edit distance, for suggestions; at most 64 characters are looked at. */
unsigned str_distance(struct str a, struct str b);
/* The nearest of names (NULL-terminated), or NULL when none is near. */
const char *str_nearest(struct str s, const char *const *names);

/* True when s is valid UTF-8 without NUL. */
bool str_utf8(struct str s);
/* Length of the valid UTF-8 character that s starts with, 0 for none. */
size_t str_utf8_next(struct str s);
/* Offset of the first byte that is NUL or no UTF-8; its length when none. */
size_t str_bad_byte(struct str s);

/* Shell-style glob of one path: * ? [] do not cross '/', ** does. */
bool str_glob(const char *pattern, struct str s);

#endif
