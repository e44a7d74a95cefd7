/* fuzz_record.c - any bytes as a record, as each payload, and as a payload
 * inside of a good frame */
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "terms/record.h"
#include "terms/room.h"
#include "terms/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is read must print as what was read. */
static void check_payloads(struct str bytes)
{
    struct record_hello hello;
    struct record_started started;
    struct record_ended ended;
    struct err err;
    struct buf out;
    buf_init(&out);
    if (record_hello_parse(bytes, &hello, &err) == 0)
        record_hello_print(&out, &hello);
    buf_reset(&out);
    if (record_started_parse(bytes, &started, &err) == 0)
        record_started_print(&out, &started);
    buf_reset(&out);
    struct record_use use, same;
    if (record_use_parse(bytes, &use, &err) == 0) {
        record_use_print(&out, &use);
        require(record_use_parse(buf_str(&out), &same, &err) == 0);
        require(same.seconds == use.seconds);
    }
    buf_reset(&out);
    if (record_ended_parse(bytes, &ended, &err) == 0) {
        struct record_ended again;
        record_ended_print(&out, &ended);
        require(record_ended_parse(buf_str(&out), &again, &err) == 0);
        require(again.outcome == ended.outcome);
        require(str_eq(again.tail, ended.tail));
        require(str_eq(again.faults, ended.faults));
        for (struct record_fault f; record_fault_next(&ended.faults, &f);)
            require(f.at.len + f.text.len <= bytes.len);
    }
    buf_done(&out);
}

static void check_frame(struct str payload)
{
    struct record in = {
        .type = RECORD_METRICS, .attempt = 1, .task = 2, .payload = payload};
    struct record out;
    struct buf b;
    size_t used;
    buf_init(&b);
    record_print(&b, &in);
    require(record_parse(buf_str(&b), &out, &used, NULL) == 1);
    require(used == b.len && str_eq(out.payload, payload));
    buf_done(&b);
}

static void check_texts(struct str bytes)
{
    struct arena *a = arena_new();
    struct task task, again;
    struct room room;
    struct err err;
    struct buf out;
    buf_init(&out);
    if (task_parse(&task, bytes, a, &err) == 0) {
        task_print(&out, &task);
        require(task_parse(&again, buf_str(&out), a, &err) == 0);
        require(again.id == task.id && again.argc == task.argc);
    }
    buf_reset(&out);
    if (room_parse(&room, bytes, a, &err) == 0) {
        room_print(&out, &room);
        require(room_parse(&room, buf_str(&out), a, &err) == 0);
    }
    buf_done(&out);
    arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = str_n((const char *)data, size);
    struct record r;
    struct err err;
    size_t used;
    if (record_parse(bytes, &r, &used, &err) == 1)
        require(used <= size && r.payload.len + 24 == used);
    check_payloads(bytes);
    if (size <= RECORD_PAYLOAD_MAX)
        check_frame(bytes);
    check_texts(bytes);
    return 0;
}
