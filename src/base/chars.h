/* chars.h - kinds of characters, whatever the locale: ASCII alone */
#ifndef THRONG_BASE_CHARS_H
#define THRONG_BASE_CHARS_H

#include <stdbool.h>
#include <stddef.h>

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

/* What names are made of. */
static inline bool is_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* The length of the line break at p, or 0. A CR that ends the text is one. */
static inline size_t line_break(const char *p, const char *end)
{
    if (p == end || (*p != '\n' && *p != '\r'))
        return 0;
    if (*p == '\n' || p + 1 == end)
        return 1;
    return p[1] == '\n' ? 2 : 0;
}

/* Of a hexadecimal digit; -1: it is none. */
static inline int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
