/* secret_place.c - secrets that no name tells
 *
 * Some programs take a password behind a single letter, some services make
 * tokens that can be known by their looks. `-p` alone says nothing: it is a
 * port for one program and a password for another, so that it counts only
 * behind programs that are known to take one there. */
#include "plan/reading.h"

#include "base/chars.h"

#define WORD_TOKEN_LEAST 20 /* of `wandb login KEY`, which may be prose */

static const struct {
    const char *program, *option;
    bool attached, next; /* -pX, -p X */
    bool user;           /* NAME:X */
    size_t least;
} options[] = {
    {"sshpass", "-p", true, true, false, 0},
    {"mysql", "-p", true, false, false, 0},
    {"mysqldump", "-p", true, false, false, 0},
    {"mysqladmin", "-p", true, false, false, 0},
    {"mariadb", "-p", true, false, false, 0},
    {"7z", "-p", true, false, false, 0},
    {"login", "-p", true, true, false, 0}, /* docker login, az login */
    {"mongo", "-p", false, true, false, 0},
    {"mongosh", "-p", false, true, false, 0},
    {"mongodump", "-p", false, true, false, 0},
    {"twine", "-p", false, true, false, 0},
    {"redis-cli", "-a", true, true, false, 0},
    {"ldapsearch", "-w", true, true, false, 0},
    {"zip", "-P", false, true, false, 0},
    {"unzip", "-P", true, true, false, 0},
    {"openssl", "-pass", false, true, false, 0},
    {"openssl", "-passin", false, true, false, 0},
    {"openssl", "-passout", false, true, false, 0},
    {"curl", "-u", true, true, true, 0},
    {"curl", "--user", false, true, true, 0},
    {"wandb", "login", false, true, false, WORD_TOKEN_LEAST},
};
#define OPTIONS (sizeof(options) / sizeof(options[0]))

struct str secret_program(struct str word)
{
    for (size_t i = word.len; i > 0; i--)
        if (word.p[i - 1] == '/') {
            word = str_n(word.p + i, word.len - i);
            break;
        }
    for (size_t i = 0; i < OPTIONS; i++)
        if (str_is(word, options[i].program))
            return word;
    return STR("");
}

struct secret_next secret_option(struct str program, struct str word,
                                 size_t *from)
{
    *from = 0;
    for (size_t i = 0; i < OPTIONS && program.len > 0; i++) {
        struct str option = str_of(options[i].option);

        if (!str_is(program, options[i].program) || !str_starts(word, option))
            continue;
        if (word.len == option.len && options[i].next)
            return (struct secret_next){true, options[i].user,
                                        options[i].least};
        if (word.len > option.len && options[i].attached)
            *from = option.len +
                    (options[i].user
                         ? secret_behind_user(str_n(word.p + option.len,
                                                    word.len - option.len))
                         : 0);
    }
    return (struct secret_next){0};
}

size_t secret_behind_user(struct str word)
{
    long colon = str_find(word, ':');

    return colon < 0 ? word.len : (size_t)colon + 1;
}

/* ---- tokens ---------------------------------------------------------------
 */

/* Words are written with letters alone, tokens with digits, too. */
static bool looks_random(struct str s, bool dashes)
{
    size_t digits = 0, letters = 0;

    for (size_t i = 0; i < s.len; i++) {
        digits += s.p[i] >= '0' && s.p[i] <= '9';
        letters += is_letter(s.p[i]);
        if (!dashes && memchr("_-", s.p[i], 2))
            return false;
    }
    return digits > 0 && letters > 0;
}

static bool is_aws(struct str s)
{
    if (s.len != 20 ||
        (!str_starts(s, STR("AKIA")) && !str_starts(s, STR("ASIA"))))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!(s.p[i] >= 'A' && s.p[i] <= 'Z') &&
            !(s.p[i] >= '0' && s.p[i] <= '9'))
            return false;
    return true;
}

bool secret_token(struct str s)
{
    static const struct {
        const char *begin;
        size_t least; /* letters behind it */
        bool dashes;  /* may be among them */
    } tokens[] = {
        {"ghp_", 30, false},     {"gho_", 30, false}, {"ghu_", 30, false},
        {"ghs_", 30, false},     {"ghr_", 30, false}, {"hf_", 30, false},
        {"npm_", 30, false},     {"AIza", 35, true},  {"github_pat_", 22, true},
        {"glpat-", 16, true},    {"sk-", 20, true},   {"xoxb-", 20, true},
        {"xoxp-", 20, true},     {"pypi-", 50, true}, {"dckr_pat_", 20, true},
        {"wandb_v1_", 20, true},
    };

    if (is_aws(s))
        return true;
    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        struct str begin = str_of(tokens[i].begin);
        struct str rest;

        if (!str_starts(s, begin))
            continue;
        rest = str_n(s.p + begin.len, s.len - begin.len);
        if (rest.len >= tokens[i].least && looks_random(rest, tokens[i].dashes))
            return true;
    }
    return false;
}

/* Names are short, or words. */
#define USER_TOKEN_LEAST 16

size_t secret_user(struct str s)
{
    size_t n = 0;

    while (n < s.len &&
           (is_letter(s.p[n]) || (s.p[n] >= '0' && s.p[n] <= '9') ||
            memchr("_-", s.p[n], 2)))
        n++;
    if (n < USER_TOKEN_LEAST || n == s.len || !memchr(":@", s.p[n], 2) ||
        !looks_random(str_n(s.p, n), true))
        return 0;
    if (s.p[n] == '@')
        return n;
    for (size_t i = n; i < s.len && !memchr(" \t\n\"'`<>/?#,;)", s.p[i], 14);
         i++)
        if (s.p[i] == '@')
            return n;
    return 0; /* a host and its port */
}

size_t secret_in_url(struct str s, size_t *len)
{
    size_t end = 0, at = 0;
    long colon;

    while (end < s.len && !memchr(" \t\n\"'`<>/?#,;)", s.p[end], 14))
        end++;
    for (size_t i = 0; i < end; i++)
        at = s.p[i] == '@' ? i : at;
    colon = str_find(str_n(s.p, at), ':');
    if (colon < 0 || (size_t)colon + 1 >= at)
        return 0;
    *len = at - (size_t)colon - 1;
    return (size_t)colon + 1;
}
