/* http.c - requests of HTTP/1.1, read strictly
 *
 * The request line first, then headers up to an empty line. Lines end with
 * CR LF; a bare LF is refused, as it is what smuggles requests past proxies. */
#include "web/http.h"

#include "base/chars.h"
#include "base/num.h"

struct reading {
    struct http_request *r;
    int *status;
    struct err *err;
};

static int refuse(struct reading *g, int status, const char *why)
{
    *g->status = status;
    return err_set(g->err, ERR_INPUT, "%s", why);
}

/* What RFC 9110 calls a token: methods and names of headers. */
static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_word(s.p[i]) && !(s.p[i] && strchr("!#$%&'*+-.^`|~", s.p[i])))
            return false;
    return s.len > 0;
}

static bool is_visible(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 127)
            return false;
    return true;
}

bool http_same(struct str a, struct str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return false;
    return true;
}

struct str http_header_of(const struct http_request *r, const char *name)
{
    for (size_t i = 0; i < r->header_count; i++)
        if (http_same(r->headers[i].name, str_of(name)))
            return r->headers[i].value;
    return (struct str){0};
}

/* Takes the line that *rest begins with: 1, 0 it has not ended, -1. */
static int take_line(struct reading *g, struct str *rest, struct str *line)
{
    const char *end = memchr(rest->p, '\n', rest->len);
    if (!end)
        return 0;
    size_t len = (size_t)(end - rest->p);
    if (len == 0 || rest->p[len - 1] != '\r')
        return refuse(g, 400, "a line of the request does not end with CR LF");
    *line = str_n(rest->p, len - 1);
    *rest = str_n(end + 1, rest->len - len - 1);
    if (memchr(line->p, '\r', line->len) || memchr(line->p, 0, line->len))
        return refuse(g, 400, "a line of the request has a CR or a NUL");
    return 1;
}

static int read_version(struct reading *g, struct str version)
{
    if (str_is(version, "HTTP/1.1")) {
        g->r->keep = true;
        return 0;
    }
    if (str_is(version, "HTTP/1.0"))
        return 0;
    if (str_starts(version, STR("HTTP/")) && str_find(version, ' ') < 0)
        return refuse(g, 400, "only HTTP/1.1 is spoken here");
    return refuse(g, 400, "the request line is not METHOD PATH HTTP/1.1");
}

static int read_request_line(struct reading *g, struct str line)
{
    struct http_request *r = g->r;
    struct str target, version;
    if (!str_split(&line, ' ', &r->method) || !line.p ||
        !str_split(&line, ' ', &target) || !line.p)
        return refuse(g, 400, "the request line is not METHOD PATH HTTP/1.1");
    version = line;
    if (!is_token(r->method) || !is_visible(target))
        return refuse(g, 400, "the request line is not METHOD PATH HTTP/1.1");
    if (!str_starts(target, STR("/")))
        return refuse(g, 400, "the request asks for no path of this server");
    long at = str_find(target, '?');
    r->path = at < 0 ? target : str_n(target.p, (size_t)at);
    r->query = at < 0 ? (struct str){"", 0}
                      : str_n(target.p + at + 1, target.len - (size_t)at - 1);
    return read_version(g, version);
}

static int read_header(struct reading *g, struct str line)
{
    struct http_request *r = g->r;
    long colon = str_find(line, ':');
    struct str name = str_n(line.p, colon < 0 ? 0 : (size_t)colon);
    if (!is_token(name))
        return refuse(g, 400, "a header is not NAME: VALUE");
    if (r->header_count == HTTP_HEADERS_MAX)
        return refuse(g, 431, "the request has too many headers");
    r->headers[r->header_count++] = (struct http_header){
        name,
        str_trim(str_n(line.p + colon + 1, line.len - (size_t)colon - 1))};
    return 0;
}

static size_t count_headers(const struct http_request *r, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < r->header_count; i++)
        n += http_same(r->headers[i].name, str_of(name));
    return n;
}

static int read_length(struct reading *g)
{
    struct http_request *r = g->r;
    struct str length = http_header_of(r, "Content-Length");
    uint64_t bytes;
    if (count_headers(r, "Transfer-Encoding"))
        return refuse(g, 411,
                      "a body in chunks is not read here; say its "
                      "Content-Length");
    if (!length.p)
        return 0;
    if (count_headers(r, "Content-Length") > 1 || !str_digits(length))
        return refuse(g, 400, "Content-Length is not one number");
    if (!num_uint(length, &bytes) || bytes > HTTP_BODY_MAX)
        return refuse(g, 413, "the body of the request is too large");
    r->body_bytes = (size_t)bytes;
    return 0;
}

static int read_meaning(struct reading *g)
{
    struct http_request *r = g->r;
    struct str connection = http_header_of(r, "Connection");
    if (count_headers(r, "Host") != 1)
        return refuse(g, 400, "the request names no host, or several");
    if (connection.p && http_same(connection, STR("close")))
        r->keep = false;
    return read_length(g);
}

/* Nothing of a head that never ends is read twice: it is refused by its
 * length. */
static int more(struct reading *g, struct str bytes, bool first_line)
{
    if (bytes.len < HTTP_HEAD_MAX)
        return 0;
    return first_line ? refuse(g, 414, "the path is too long")
                      : refuse(g, 431, "the headers are too long");
}

int http_head_read(struct str bytes, struct http_request *r, int *status,
                   struct err *err)
{
    struct reading g = {r, status, err};
    struct str rest =
        str_n(bytes.p, bytes.len < HTTP_HEAD_MAX ? bytes.len : HTTP_HEAD_MAX);
    struct str line;
    *r = (struct http_request){0};
    int got = take_line(&g, &rest, &line);
    if (got <= 0)
        return got < 0 ? -1 : more(&g, bytes, true);
    if (read_request_line(&g, line))
        return -1;
    while ((got = take_line(&g, &rest, &line)) > 0 && line.len)
        if (read_header(&g, line))
            return -1;
    if (got <= 0)
        return got < 0 ? -1 : more(&g, bytes, false);
    r->head_bytes = (size_t)(rest.p - bytes.p);
    return read_meaning(&g) ? -1 : 1;
}

bool http_decode(struct buf *b, struct str s, bool in_query)
{
    size_t from = b->len;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        if (c == '%') {
            int high = i + 2 < s.len ? hex_digit(s.p[i + 1]) : -1;
            int low = i + 2 < s.len ? hex_digit(s.p[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && in_query) {
            c = ' ';
        }
        buf_addc(b, c);
    }
    return str_utf8(str_n(b->p + from, b->len - from));
}

int http_query(struct str query, const char *name, struct buf *value)
{
    struct str rest = query, part;
    while (str_split(&rest, '&', &part)) {
        struct str key = part;
        long at = str_find(part, '=');
        if (at >= 0)
            key.len = (size_t)at;
        if (!str_is(key, name))
            continue;
        struct str text =
            at < 0 ? (struct str){"", 0}
                   : str_n(part.p + at + 1, part.len - (size_t)at - 1);
        return http_decode(value, text, true) ? 1 : -1;
    }
    return 0;
}

const char *http_status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } known[] = {{200, "OK"},
                 {304, "Not Modified"},
                 {400, "Bad Request"},
                 {401, "Unauthorized"},
                 {403, "Forbidden"},
                 {404, "Not Found"},
                 {405, "Method Not Allowed"},
                 {408, "Request Timeout"},
                 {409, "Conflict"},
                 {411, "Length Required"},
                 {413, "Content Too Large"},
                 {414, "URI Too Long"},
                 {421, "Misdirected Request"},
                 {431, "Request Header Fields Too Large"},
                 {500, "Internal Server Error"},
                 {503, "Service Unavailable"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].status == status)
            return known[i].text;
    return "Unknown";
}
