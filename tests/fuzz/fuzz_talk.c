/* fuzz_talk.c - any bytes as a request of the conversation with an optimizer
 *
 * What is taken must come back the same from its printed form. */
#include <stddef.h>
#include <stdint.h>

#include "terms/talk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct talk *t, struct arena *a)
{
    struct talk again;
    struct buf text, twice;
    buf_init(&text);
    buf_init(&twice);
    talk_print(&text, t);
    require(!talk_read(&again, buf_str(&text), a, NULL));
    require(again.kind == t->kind && again.id == t->id);
    require(again.count == t->count && again.step == t->step);
    talk_print(&twice, &again);
    require(str_eq(buf_str(&text), buf_str(&twice)));
    buf_done(&text);
    buf_done(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new();
    struct talk t;
    struct err err = {0};
    if (!talk_read(&t, str_n((const char *)data, size), a, &err))
        check_again(&t, a);
    else
        require(err.text[0]);
    arena_free(a);
    return 0;
}
