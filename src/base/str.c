/* str.c - pieces of text: compare, cut, suggest, match */
#include "base/str.h"

#include <stdint.h>
#include "base/chars.h"

int str_cmp(struct str a, struct str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    return c ? c : (a.len > b.len) - (a.len < b.len);
}

bool str_starts(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_eq(str_n(s.p, prefix.len), prefix);
}

bool str_ends(struct str s, struct str suffix)
{
    return s.len >= suffix.len &&
           (suffix.len == 0 ||
            memcmp(s.p + (s.len - suffix.len), suffix.p, suffix.len) == 0);
}

struct str str_trim(struct str s)
{
    while (s.len && is_blank(s.p[0])) {
        s.p++;
        s.len--;
    }
    while (s.len && is_blank(s.p[s.len - 1]))
        s.len--;
    return s;
}

bool str_split(struct str *rest, char sep, struct str *part)
{
    if (!rest->p)
        return false;
    const char *at = rest->len ? memchr(rest->p, sep, rest->len) : NULL;
    if (!at) {
        *part = *rest;
        *rest = (struct str){0};
        return true;
    }
    *part = str_n(rest->p, (size_t)(at - rest->p));
    *rest = str_n(at + 1, rest->len - part->len - 1);
    return true;
}

long str_find(struct str s, char c)
{
    const char *at = s.len ? memchr(s.p, c, s.len) : NULL;
    return at ? (long)(at - s.p) : -1;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbours count 1 each:
 * a swap is the commonest slip of the fingers. */
unsigned str_distance(struct str a, struct str b)
{
    enum { MOST = 64 };
    unsigned rows[3][MOST + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    size_t n = a.len < MOST ? a.len : MOST;
    size_t m = b.len < MOST ? b.len : MOST;
    for (size_t j = 0; j <= m; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            bool same = a.p[i - 1] == b.p[j - 1];
            unsigned d = least(last[j], now[j - 1]) + 1;
            d = least(d, last[j - 1] + !same);
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] &&
                a.p[i - 2] == b.p[j - 1])
                d = least(d, before[j - 2] + 1);
            now[j] = d;
        }
        unsigned *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[m];
}

bool str_digits(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_digit(s.p[i]))
            return false;
    return s.len > 0;
}

struct str str_skip_comments(struct str s)
{
    struct str line;
    while ((s = str_trim(s)).len > 0 && *s.p == '#')
        str_split(&s, '\n', &line);
    return s;
}

int str_index(struct str s, const char *const *names)
{
    for (int i = 0; names && names[i]; i++)
        if (str_is(s, names[i]))
            return i;
    return -1;
}

const char *str_nearest(struct str s, const char *const *names)
{
    const char *best = NULL;
    unsigned best_distance = 0;
    for (; *names; names++) {
        struct str name = str_of(*names);
        size_t longer = name.len > s.len ? name.len : s.len;
        size_t shorter = name.len > s.len ? s.len : name.len;
        unsigned distance = str_distance(s, name); /* of their beginnings */
        if (longer - shorter > (longer + 2) / 3 ||
            distance > (longer + 2) / 3 || distance >= longer)
            continue;
        if (!best || distance < best_distance) {
            best = *names;
            best_distance = distance;
        }
    }
    return best;
}

/* The length of the valid UTF-8 sequence at p, or 0. */
static size_t utf8_len(const unsigned char *p, const unsigned char *end)
{
    unsigned char c = p[0];
    if (c < 0x80)
        return 1;
    size_t len = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    if (c < 0xC2 || c > 0xF4 || (size_t)(end - p) < len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    /* Too long forms, surrogates and what is past U+10FFFF. */
    if ((c == 0xE0 && p[1] < 0xA0) || (c == 0xED && p[1] > 0x9F) ||
        (c == 0xF0 && p[1] < 0x90) || (c == 0xF4 && p[1] > 0x8F))
        return 0;
    return len;
}

size_t str_utf8_next(struct str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    return s.len ? utf8_len(p, p + s.len) : 0;
}

size_t str_bad_byte(struct str text)
{
    size_t at = 0, len;

    while (at < text.len) {
        if ((signed char)text.p[at] > 0) { /* plain ASCII, nearly always */
            at++;
            continue;
        }
        len = text.p[at] ? str_utf8_next(str_n(text.p + at, text.len - at)) : 0;
        if (len == 0)
            break;
        at += len;
    }
    return at;
}

bool str_utf8(struct str s)
{
    return str_bad_byte(s) == s.len;
}

/* Matches c with the class behind '['. Returns what follows the class, or
 * NULL when c is not in it. A class that is never closed stands for itself. */
static const char *match_class(const char *pattern, char c)
{
    const char *p = pattern + 1;
    bool not = *p == '!' || *p == '^';
    if (not )
        p++;
    bool in = false;
    for (const char *first = p; *p && (*p != ']' || p == first); p++) {
        unsigned char low = (unsigned char)*p, high = low;
        if (p[1] == '-' && p[2] && p[2] != ']') {
            high = (unsigned char)p[2];
            p += 2;
        }
        in |= low <= (unsigned char)c && (unsigned char)c <= high;
    }
    if (*p != ']')
        return c == '[' ? pattern + 1 : NULL;
    return in != not &&c != '/' ? p + 1 : NULL;
}

/* Matches one character with the pattern, which is not at a '*'. */
static const char *match_one(const char *pattern, char c)
{
    switch (*pattern) {
    case 0:
        return NULL;
    case '?':
        return c != '/' ? pattern + 1 : NULL;
    case '[':
        return match_class(pattern, c);
    case '\\':
        if (pattern[1])
            pattern++;
        break;
    default:
        break;
    }
    return *pattern == c ? pattern + 1 : NULL;
}

/* Where to go on when a character does not match: the last '*' may take one
 * more character, or the last two-star one more (or one more folder). */
struct glob_retry {
    const char *pattern; /* behind the star; NULL: none */
    size_t at;           /* where its text ended at the last try */
    bool folders;        /* a two-star with a slash takes whole folders */
};

/* Lets the star take more; false when it cannot. */
static bool retry_more(struct glob_retry *r, struct str s, bool cross)
{
    if (!r->pattern)
        return false;
    do {
        if (r->at >= s.len || (!cross && s.p[r->at] == '/'))
            return false;
        r->at++;
    } while (r->folders && s.p[r->at - 1] != '/');
    return true;
}

/* Only the last star of each kind needs remembering: whatever an earlier one
 * could take, the later one can take as well. */
bool str_glob(const char *pattern, struct str s)
{
    struct glob_retry one = {0}, two = {0};
    const char *start = pattern;
    size_t at = 0;
    while (at < s.len || *pattern) {
        const char *next = NULL;
        if (pattern[0] == '*' && pattern[1] == '*') {
            bool begins = pattern == start || pattern[-1] == '/';
            while (*pattern == '*')
                pattern++;
            two.folders = begins && *pattern == '/';
            pattern += two.folders;
            two.pattern = pattern;
            two.at = at;
            one.pattern = NULL;
            continue;
        }
        if (*pattern == '*') {
            one = (struct glob_retry){++pattern, at, false};
            continue;
        }
        if (at < s.len)
            next = match_one(pattern, s.p[at]);
        if (next) {
            pattern = next;
            at++;
        } else if (retry_more(&one, s, false)) {
            pattern = one.pattern;
            at = one.at;
        } else if (retry_more(&two, s, true)) {
            one.pattern = NULL;
            pattern = two.pattern;
            at = two.at;
        } else {
            return false;
        }
    }
    return true;
}
