/* fuzz_http.c - any bytes as a request, and as its query
 *
 * What is whole stays the same with more bytes behind it; what is refused has a
 * status and a reason. */
#include <stddef.h>
#include <stdint.h>

#include "web/guard.h"
#include "web/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_whole(struct str bytes, const struct http_request *r)
{
    struct http_request again;
    struct guard g = {.token = "0123456789abcdef0123456789abcdef",
                      .address = "127.0.0.1"};
    const char *why = NULL;
    int status = 0;
    require(r->head_bytes <= bytes.len && r->head_bytes <= HTTP_HEAD_MAX);
    require(r->body_bytes <= HTTP_BODY_MAX);
    require(http_head_read(str_n(bytes.p, r->head_bytes), &again, &status,
                           NULL) == 1);
    require(again.head_bytes == r->head_bytes);
    require(http_head_read(str_n(bytes.p, r->head_bytes - 1), &again, &status,
                           NULL) == 0);
    status = guard_check(&g, r, true, &why);
    require(!status == !why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = str_n((const char *)data, size);
    struct http_request r;
    struct err err = {0};
    struct buf b;
    int status = 0;
    int got = http_head_read(bytes, &r, &status, &err);
    require(got >= 0 || (status >= 400 && status < 600 && err.text[0]));
    if (got > 0)
        check_whole(bytes, &r);
    buf_init(&b);
    http_query(got > 0 ? r.query : bytes, "where", &b);
    http_decode(&b, bytes, false);
    buf_done(&b);
    return 0;
}
