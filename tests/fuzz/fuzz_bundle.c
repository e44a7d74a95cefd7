/* fuzz_bundle.c - any bytes as a file of a bundle, and as what has been written
 * of a good one so far */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "terms/bundle.h"
#include "worker/earlier.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The length of what is whole at the front; *end is what came behind it. */
static size_t whole(struct str bytes, int *end)
{
    struct record r;
    struct err err;
    size_t used, at = 0;
    while ((*end = bundle_next(str_n(bytes.p + at, bytes.len - at), &r, &used,
                               &err)) > 0) {
        require(used >= 24 && used <= bytes.len - at);
        at += used;
    }
    return at;
}

static void check_earlier(struct str bytes)
{
    struct earlier e;
    struct arena *a = arena_new();
    struct task t = {.id = 1, .attempt = 1, .folder = STR("/nowhere/1")};
    earlier_init(&e);
    earlier_take(&e, bytes, "said", NULL);
    e.starts = 1;
    earlier_ended(&e, 1);
    earlier_go_on(&e, &t, a);
    require(str_is(t.folder, "/nowhere/1.1r1"));
    require(str_is(t.copy_of, "/nowhere/1"));
    earlier_done(&e);
    arena_free(a);
}

/* Good records whose payloads are the input: wherever a disk has them up to,
 * and with zeros behind that, they are whole up to there and never damaged. */
static void check_growing(struct str bytes)
{
    struct buf file;
    int end;
    size_t first = bytes.len / 3;
    buf_init(&file);
    struct record r = {.type = RECORD_NOTICE, .task = 1, .attempt = 1};
    r.payload = str_n(bytes.p, first);
    record_print(&file, &r);
    size_t one = file.len;
    r.payload = str_n(bytes.p + first, bytes.len - first);
    record_print(&file, &r);
    size_t cut = bytes.len > 1 ? (unsigned char)bytes.p[0] * 256u +
                                     (unsigned char)bytes.p[1]
                               : 0;
    cut %= file.len;
    size_t at = whole(str_n(file.p, cut), &end);
    require(end == 0 && at == (cut >= one ? one : 0));
    memset(file.p + cut, 0, file.len - cut);
    whole(buf_str(&file), &end);
    require(end == 0);
    buf_done(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = str_n((const char *)data, size);
    int end;
    require(whole(bytes, &end) <= size);
    check_earlier(bytes);
    if (size < 60000)
        check_growing(bytes);
    return 0;
}
