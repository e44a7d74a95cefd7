/* guard.c - who may ask */
#include "web/guard.h"

#include <stdio.h>
#include <sys/random.h>
#include "base/chars.h"
#include "base/num.h"

int guard_init(struct guard *g, struct err *err)
{
    unsigned char bytes[GUARD_TOKEN / 2];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return err_errno(err, "make a token");
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(g->token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

/* Takes as long for a token that is nearly right as for any other. */
static bool is_token(const struct guard *g, struct str given)
{
    unsigned differ = given.len != GUARD_TOKEN;
    for (size_t i = 0; i < GUARD_TOKEN; i++)
        differ |= (unsigned char)(i < given.len ? given.p[i] : 0) ^
                  (unsigned char)g->token[i];
    return !differ;
}

static bool brings_token(const struct guard *g, const struct http_request *r)
{
    struct str bearer = http_header_of(r, "Authorization");
    struct str own = http_header_of(r, "X-Throng-Token");
    if (bearer.p && str_starts(bearer, STR("Bearer ")) &&
        is_token(g, str_n(bearer.p + 7, bearer.len - 7)))
        return true;
    return own.p && is_token(g, own);
}

/* "host" and what stands behind its last colon, "[::1]:80" and "::1" too. */
static void split_host(struct str text, struct str *host, struct str *port)
{
    size_t i = text.len;
    while (i && is_digit(text.p[i - 1]))
        i--;
    bool has = i && i < text.len && text.p[i - 1] == ':' &&
               (text.p[0] != '[' || (i > 1 && text.p[i - 2] == ']')) &&
               (text.p[0] == '[' || str_find(text, ':') == (long)i - 1);
    *host = has ? str_n(text.p, i - 1) : text;
    *port = has ? str_n(text.p + i, text.len - i) : (struct str){"", 0};
    if (host->len > 1 && host->p[0] == '[')
        *host = str_n(host->p + 1, host->len - 2);
}

static bool is_loopback(struct str host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "::1"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (http_same(host, str_of(names[i])))
            return true;
    return false;
}

static bool is_allowed(const struct guard *g, struct str text, struct str host)
{
    for (const char *const *h = g->hosts; h && *h; h++)
        if (http_same(host, str_of(*h)) || http_same(text, str_of(*h)))
            return true;
    return false;
}

/* A tunnel has a port of its own at its near end: any port of loopback is
 * ours, since a name cannot be made to point there. */
static bool is_our_host(const struct guard *g, struct str text)
{
    struct str host, port;
    split_host(text, &host, &port);
    return is_loopback(host) || is_allowed(g, text, host) ||
           (g->address && http_same(host, str_of(g->address)));
}

/* "http://host:8080" has to be the page that this very host served. */
static bool is_our_origin(const struct guard *g, struct str origin,
                          struct str asked)
{
    static const struct str schemes[] = {{"http://", 7}, {"https://", 8}};
    for (size_t i = 0; i < 2; i++) {
        if (!str_starts(origin, schemes[i]))
            continue;
        struct str text =
            str_n(origin.p + schemes[i].len, origin.len - schemes[i].len);
        struct str host, port;
        split_host(text, &host, &port);
        return http_same(text, asked) || is_allowed(g, text, host);
    }
    return false;
}

int guard_check(const struct guard *g, const struct http_request *r,
                bool needs_token, const char **why)
{
    struct str host = http_header_of(r, "Host");
    struct str origin = http_header_of(r, "Origin");
    if (!is_our_host(g, host)) {
        *why = "this host name is not known here; --allow-host NAME lets it in";
        return 421;
    }
    if (origin.p && !is_our_origin(g, origin, host)) {
        *why = "a page from elsewhere may not ask";
        return 403;
    }
    if (needs_token && !brings_token(g, r)) {
        *why = "the token is missing or wrong; open the address that `throng "
               "web` printed, or send it as `Authorization: Bearer TOKEN`";
        return 401;
    }
    return 0;
}
