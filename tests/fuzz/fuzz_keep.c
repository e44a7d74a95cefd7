/* fuzz_keep.c - any bytes as what was kept of predictions: added up, and then
 * it is written as it was read, or refused, and nothing has changed; any text
 * as a condition */
#include "base/hash.h"
#include "base/json.h"
#include "ensemble/ensemble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const columns[] = {"mean", "sd"};
static const char rules[] =
    "{\"top\": {\"by\": \"mean\", \"n\": 4, \"where\": \"sd < 1\"},"
    " \"bottom\": {\"by\": \"sd\", \"n\": 2}, \"all\": true,"
    " \"histogram\": {\"of\": [\"sd\", \"mean\"], \"bins\": 3,"
    "  \"from\": [0, 0], \"to\": [1, 1]}}";

/* With the head and the hash at the end that are looked at first. */
static void make_state(struct keep *empty, struct str body, struct buf *b)
{
    struct buf like;
    buf_init(&like);
    keep_print(&like, empty);
    buf_add(b, like.p, sizeof("throng.keep/1\n") - 1 + 8);
    buf_addstr(b, body);
    buf_add_u64(b, hash64(buf_str(b), 0));
    buf_done(&like);
}

static void merge(const struct keep_rules *r, struct str body)
{
    struct err err = {0};
    struct keep *k = keep_new(r, &err);
    struct buf in, before, after;
    buf_init(&in);
    buf_init(&before);
    buf_init(&after);
    make_state(k, body, &in);
    keep_print(&before, k);
    int rc = keep_merge(k, buf_str(&in), "fuzz", &err);
    keep_print(&after, k);
    require(rc == 0 || err.text[0]);
    require(str_eq(buf_str(&after), buf_str(rc ? &before : &in)));
    if (!rc && keep_missing(k, 1) == 1)
        require(keep_merge(k, buf_str(&in), "again", &err) == -1);
    keep_free(k);
    buf_done(&in);
    buf_done(&before);
    buf_done(&after);
}

static void read_where(struct arena *a, struct str text)
{
    static const double row[] = {0.5, 0.25};
    struct err err = {0};
    struct value *v = value_object(a);
    value_set(a, v, STR("where"), value_string(a, text));
    struct keep_rules *r = keep_rules_read(v, a, &err);
    if (r && keep_rules_bind(r, columns, 2, &err) == 0) {
        struct keep *k = keep_new(r, &err);
        keep_add(k, 0, row);
        keep_free(k);
    } else {
        require(err.text[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = str_n((const char *)data, size);
    struct arena *a = arena_new();
    struct err err = {0};
    struct keep_rules *r = keep_rules_read(
        json_parse(a, str_of(rules), "rules", false, &err), a, &err);
    require(keep_rules_bind(r, columns, 2, &err) == 0);
    merge(r, bytes);
    read_where(a, bytes);
    arena_free(a);
    return 0;
}
