/* fuzz_json.c - any bytes through the JSON reader: what is read must print,
 * and the print must read back as an equal value */
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The scanner alone must agree with the parser; only duplicate keys are the
 * parser's own. */
static bool scans(struct str text)
{
    struct json_scan s;
    json_scan_init(&s, text);
    enum json_token token;
    do
        token = json_scan_next(&s);
    while (token > JSON_END);
    return token == JSON_END;
}

/* Passing over the members of an object finds the same ends as reading them;
 * in a bad text it at least stays inside. */
static void check_pass(struct arena *a, struct str text, bool valid)
{
    struct json_scan s;
    struct str raw;
    enum json_token token;
    json_scan_init(&s, text);
    if (json_scan_next(&s) != JSON_OBJECT_OPEN)
        return;
    while ((token = json_scan_next(&s)) == JSON_KEY) {
        if (json_scan_pass(&s, &raw)) {
            require(!valid);
            return;
        }
        require(raw.len && raw.p + raw.len <= s.end);
        if (valid)
            require(json_parse(a, raw, "raw", false, NULL));
    }
    if (valid)
        require(token == JSON_OBJECT_CLOSE && json_scan_next(&s) == JSON_END);
}

static void check_print(struct arena *a, const struct value *v,
                        void (*print)(struct buf *b, const struct value *v))
{
    struct buf b;
    struct err err = {0};
    buf_init(&b);
    print(&b, v);
    require(str_utf8(buf_str(&b)));
    const struct value *again =
        json_parse(a, buf_str(&b), "printed", true, &err);
    require(again);
    require(value_eq(v, again));
    buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_n((const char *)data, size);
    struct arena *a = arena_new();
    struct err err = {0};
    const struct value *v = json_parse(a, text, "input", false, &err);
    if (v) {
        require(scans(text));
        check_print(a, v, json_print);
        check_print(a, v, json_print_sorted);
    } else {
        require(err.kind == ERR_INPUT && err.text[0]);
    }
    check_pass(a, text, v != NULL);
    struct str rest = text;
    while (rest.len && json_parse_next(a, &rest, "input", NULL))
        ;
    arena_free(a);
    return 0;
}
