/* answer.c - what a request is answered with
 *
 * Every answer says its length, so that a connection can be used again, and
 * says of itself that it is not to be kept: only what is tagged may be, and a
 * browser then asks each time whether it is still the same. */
#include "web/answer.h"

#include <limits.h>
#include <stdio.h>
#include <zlib.h>
#include "base/hash.h"
#include "base/json.h"

#define PACKED_LEAST 1024 /* bytes that are worth packing */

void answer_init(struct answer *a)
{
    *a = (struct answer){
        .status = 200, .type = "application/json", .may_pack = true};
    buf_init(&a->body);
}

void answer_done(struct answer *a)
{
    buf_done(&a->body);
}

void answer_fail(struct answer *a, int status, const char *text)
{
    buf_reset(&a->body);
    a->status = status;
    a->type = "application/json";
    a->packed = a->as_file = a->kept = false;
    a->tag[0] = 0;
    buf_addf(&a->body, "{\"error\":{\"status\":%d,\"text\":", status);
    json_string(&a->body, str_of(text));
    buf_adds(&a->body, "}}\n");
}

int answer_status(const struct err *err)
{
    switch (err->kind) {
    case ERR_INPUT:
    case ERR_USAGE:
        return 400;
    case ERR_MISSING:
        return 404;
    case ERR_BUSY:
        return 409;
    case ERR_LIMIT:
        return 413;
    default:
        return 500;
    }
}

void answer_tag(struct answer *a)
{
    char hex[65];
    sha256_hex(buf_str(&a->body), hex);
    snprintf(a->tag, sizeof(a->tag), "\"%.32s\"", hex);
}

void gzip_add(struct buf *b, struct str s)
{
    z_stream z = {0};
    require(s.len <= UINT_MAX);
    int rc = deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8,
                          Z_DEFAULT_STRATEGY);
    require(rc == Z_OK);
    size_t bound = deflateBound(&z, s.len);
    buf_reserve(b, bound);
    z.next_in = (Bytef *)(uintptr_t)s.p;
    z.avail_in = (uInt)s.len;
    z.next_out = (Bytef *)b->p + b->len;
    z.avail_out = (uInt)bound;
    rc = deflate(&z, Z_FINISH);
    require(rc == Z_STREAM_END);
    b->len += z.total_out;
    b->p[b->len] = 0;
    deflateEnd(&z);
}

/* "gzip" among what a header lists; one that is weighed with 0 is none that a
 * browser sends. */
static bool takes_gzip(const struct http_request *r)
{
    struct str rest = http_header_of(r, "Accept-Encoding"), part;
    while (rest.len && str_split(&rest, ',', &part)) {
        struct str name = str_trim(part);
        long at = str_find(name, ';');
        if (at >= 0)
            name = str_trim(str_n(name.p, (size_t)at));
        if (str_is(name, "gzip"))
            return true;
    }
    return false;
}

/* What was packed once, such as the page, is unpacked for who cannot. */
void answer_unpack(struct answer *a)
{
    struct buf plain;
    z_stream z = {0};
    buf_init(&plain);
    require(inflateInit2(&z, 15 + 16) == Z_OK);
    z.next_in = (Bytef *)a->body.p;
    z.avail_in = (uInt)a->body.len;
    int rc = Z_OK;
    while (rc == Z_OK) {
        buf_reserve(&plain, 65536);
        z.next_out = (Bytef *)plain.p + plain.len;
        z.avail_out = 65536;
        rc = inflate(&z, Z_NO_FLUSH);
        plain.len += 65536 - z.avail_out;
    }
    inflateEnd(&z);
    require(rc == Z_STREAM_END);
    plain.p[plain.len] = 0;
    buf_done(&a->body);
    a->body = plain;
    a->packed = false;
}

static void pack(struct answer *a)
{
    struct buf packed;
    buf_init(&packed);
    gzip_add(&packed, buf_str(&a->body));
    buf_done(&a->body);
    a->body = packed;
    a->packed = true;
}

static void fit(struct answer *a, const struct http_request *r)
{
    if (a->packed && !takes_gzip(r))
        answer_unpack(a);
    else if (!a->packed && a->may_pack && a->body.len >= PACKED_LEAST &&
             a->body.len <= UINT_MAX && takes_gzip(r))
        pack(a);
}

/* Who has this body already is told so. */
static bool is_known(const struct answer *a, const struct http_request *r)
{
    struct str known = http_header_of(r, "If-None-Match");
    return a->tag[0] && known.p && str_is(known, a->tag);
}

static void print_head(struct buf *out, const struct answer *a, bool keep,
                       const char *always)
{
    buf_addf(out, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n", a->status,
             http_status_text(a->status), a->type);
    if (a->status != 304)
        buf_addf(out, "Content-Length: %zu\r\n", a->body.len);
    if (a->packed)
        buf_adds(out, "Content-Encoding: gzip\r\n");
    if (a->tag[0])
        buf_addf(out, "ETag: %s\r\n", a->tag);
    if (a->as_file)
        buf_adds(out, "Content-Disposition: attachment\r\n");
    buf_addf(out, "Cache-Control: %s\r\n", a->kept ? "no-cache" : "no-store");
    buf_addf(out, "Connection: %s\r\n", keep ? "keep-alive" : "close");
    buf_adds(out, "Vary: Accept-Encoding\r\n");
    buf_adds(out, a->more ? a->more : "");
    buf_adds(out, always);
    buf_adds(out, "\r\n");
}

void answer_print(struct buf *out, struct answer *a,
                  const struct http_request *r, const char *always)
{
    if (a->status == 200 && is_known(a, r)) {
        a->status = 304;
        buf_reset(&a->body);
        a->packed = false;
    }
    if (a->body.len)
        fit(a, r);
    print_head(out, a, r->keep, always);
    if (!str_is(r->method, "HEAD"))
        buf_addstr(out, buf_str(&a->body));
}
