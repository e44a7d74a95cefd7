/* faulty_kernels.c - what touches.c must see, and what it must let pass
 *
 * A frame is 1024 numbers. */
#include "faulty_kernels.h"
#include "nn/cuda/kernel.h"

#define FRAME float *frame = at(&slots[SLOT], 0)

/* ---- one block ------------------------------------------------------------
 */

KERNEL(all_write_one)
{
    FRAME;
    frame[0] = (float)THREAD;
}

KERNEL(each_writes_one)
{
    FRAME;
    frame[THREAD] = 1;
}

KERNEL(reads_the_next_without_waiting)
{
    SHARED float line[65];
    FRAME;
    line[THREAD] = line[THREADS] = 1;
    frame[THREAD] = line[THREAD + 1];
}

KERNEL(reads_the_next_when_all_have_written)
{
    SHARED float line[65];
    FRAME;
    line[THREAD] = 1;
    if (THREAD == 0)
        line[THREADS] = 1;
    SYNC();
    frame[THREAD] = line[THREAD + 1];
}

KERNEL(writes_again_what_others_still_read)
{
    SHARED float line[65];
    FRAME;
    for (int i = 0; i < 2; i++) {
        line[THREAD] = (float)i;
        SYNC();
        frame[THREAD] = line[(THREAD + 1) % THREADS];
    }
}

KERNEL(writes_again_when_all_have_read)
{
    SHARED float line[65];
    FRAME;
    for (int i = 0; i < 2; i++) {
        line[THREAD] = (float)i;
        SYNC();
        frame[THREAD] = line[(THREAD + 1) % THREADS];
        SYNC();
    }
}

KERNEL(bytes_of_a_word_are_apart)
{
    FRAME;
    ((unsigned char *)frame)[THREAD] = 1;
}

KERNEL(reads_a_byte_that_another_writes)
{
    FRAME;
    unsigned char *bytes = (unsigned char *)frame;
    bytes[THREAD] = 1;
    if (THREAD % 4)
        frame[512 + THREAD] = bytes[THREAD - 1];
}

/* ---- warps ----------------------------------------------------------------
 */

KERNEL(warp_does_not_wait)
{
    FAST(fast);
    FRAME;
    fast[THREAD].x[0] = 1;
    frame[THREAD] = fast[THREAD ^ 1].x[0];
}

KERNEL(warp_waits)
{
    FAST(fast);
    FRAME;
    fast[THREAD].x[0] = 1;
    WARP_SYNC();
    frame[THREAD] = fast[THREAD ^ 1].x[0];
}

KERNEL(other_warp_does_not_wait)
{
    FAST(fast);
    FRAME;
    fast[THREAD].x[0] = 1;
    WARP_SYNC();
    frame[THREAD] = fast[THREAD ^ 32].x[0];
}

INLINE void begin_fast(struct four *fast)
{
    if (THREAD == 0)
        fast[0].x[0] = 1;
    SYNC();
}

KERNEL(warp_writes_what_it_has_read)
{
    FAST(fast);
    FRAME;
    begin_fast(fast);
    if (THREAD >= 32)
        return;
    frame[THREAD] = fast[0].x[0];
    WARP_SYNC();
    if (THREAD == 0)
        fast[0].x[0] = 2;
}

KERNEL(writes_what_another_warp_has_read)
{
    FAST(fast);
    FRAME;
    begin_fast(fast);
    frame[THREAD] = fast[0].x[0];
    WARP_SYNC();
    if (THREAD < 32)
        frame[THREAD] += fast[0].x[0];
    WARP_SYNC();
    if (THREAD == 0)
        fast[0].x[0] = 2;
}

/* ---- what is fetched ------------------------------------------------------
 */

KERNEL(reads_before_it_is_fetched)
{
    FAST(fast);
    FRAME;
    FETCH_FOUR(fast + THREAD, frame + 4 * THREAD);
    ASKED();
    frame[512 + THREAD] = fast[THREAD].x[0];
}

KERNEL(reads_what_it_has_fetched)
{
    FAST(fast);
    FRAME;
    FETCH_FOUR(fast + THREAD, frame + 4 * THREAD);
    FETCHED();
    frame[512 + THREAD] = fast[THREAD].x[0];
}

KERNEL(reads_what_another_has_fetched)
{
    FAST(fast);
    FRAME;
    FETCH_FOUR(fast + THREAD, frame + 4 * THREAD);
    FETCHED();
    frame[512 + THREAD] = fast[THREAD ^ 1].x[0];
}

KERNEL(waits_for_one_lot_too_few)
{
    FAST(fast);
    FRAME;
    FETCH_FOUR(fast + THREAD, frame + 4 * THREAD);
    ASKED();
    FETCH_FOUR(fast + 64 + THREAD, frame + 4 * THREAD);
    ASKED();
    FETCHED_BUT(1);
    SYNC();
    frame[512 + THREAD] = fast[64 + (THREAD ^ 1)].x[0];
}

KERNEL(waits_for_lots_in_turn)
{
    FAST(fast);
    FRAME;
    FETCH_FOUR(fast + THREAD, frame + 4 * THREAD);
    ASKED();
    FETCH_FOUR(fast + 64 + THREAD, frame + 4 * THREAD);
    ASKED();
    FETCHED_BUT(1);
    SYNC();
    frame[512 + THREAD] = fast[THREAD ^ 1].x[0];
    FETCHED_BUT(0);
    SYNC();
    frame[576 + THREAD] = fast[64 + (THREAD ^ 1)].x[0];
}

KERNEL(waits_again_for_what_is_there)
{
    FAST(fast);
    FRAME;
    FETCH_FOUR(fast + THREAD, frame + 4 * THREAD);
    ASKED();
    FETCH_FOUR(fast + 64 + THREAD, frame + 4 * THREAD);
    FETCHED();
    FETCHED_BUT(0);
    frame[512 + THREAD] = fast[64 + THREAD].x[0];
}

KERNEL(fetches_over_what_others_read)
{
    FAST(fast);
    FRAME;
    for (int i = 0; i < 2; i++) {
        FETCH_FOUR(fast + THREAD, frame + 4 * THREAD);
        FETCHED();
        SYNC();
        frame[512 + THREAD] = fast[THREAD ^ 1].x[0];
    }
}

KERNEL(writes_what_is_being_fetched)
{
    FAST(fast);
    FRAME;
    FETCH_FOUR(fast + THREAD, frame + 4 * THREAD);
    SYNC();
    frame[4 * (THREAD ^ 1)] = 1;
    FETCHED();
}

/* ---- gates: the second warp fetches for the first --------------------------
 */

INLINE void fetch_rounds(struct four *fast, const float *frame,
                         struct gate *there, struct gate *done)
{
    for (int i = 0; i < 4; i++) {
        PASS_GATE(done, i % 2 ^ 1);
        FETCH_FOUR(fast + THREAD % 32, frame + 4 * THREAD);
        FETCHED_TO_GATE(there);
    }
}

INLINE void take_one(const struct four *fast, float *frame)
{
    frame[512 + THREAD] = fast[THREAD ^ 1].x[0];
}

/* early: before it is there; late: when it is said to be done with. */
INLINE void take_rounds(const struct four *fast, float *frame,
                        struct gate *there, struct gate *done, bool early,
                        bool late)
{
    for (int i = 0; i < 4; i++) {
        if (early)
            take_one(fast, frame);
        PASS_GATE(there, i % 2);
        if (!early && !late)
            take_one(fast, frame);
        WARP_SYNC();
        if (THREAD == 0)
            REACH_GATE(done);
        if (late)
            take_one(fast, frame);
    }
}

INLINE void go_rounds(struct four *fast, float *frame, bool early, bool late)
{
    struct gate *there = (struct gate *)(fast + 64), *done = there + 1;
    if (THREAD == 0) {
        MAKE_GATE(there, 32);
        MAKE_GATE(done, 1);
    }
    SYNC();
    if (THREAD < 32)
        take_rounds(fast, frame, there, done, early, late);
    else
        fetch_rounds(fast, frame, there, done);
}

KERNEL(rounds)
{
    FAST(fast);
    FRAME;
    go_rounds(fast, frame, false, false);
}

KERNEL(takes_before_it_is_there)
{
    FAST(fast);
    FRAME;
    go_rounds(fast, frame, true, false);
}

KERNEL(takes_when_it_has_said_that_it_is_done)
{
    FAST(fast);
    FRAME;
    go_rounds(fast, frame, false, true);
}

KERNEL(passes_a_gate_that_another_makes)
{
    FAST(fast);
    struct gate *g = (struct gate *)fast;
    if (THREAD == 0) {
        MAKE_GATE(g, 1);
        REACH_GATE(g);
    }
    PASS_GATE(g, 0);
    (void)slots;
}

/* ---- several blocks --------------------------------------------------------
 */

KERNEL(reads_what_another_block_writes)
{
    FRAME;
    frame[BLOCK * 64 + THREAD] = frame[(1 - BLOCK) * 64 + THREAD];
}

KERNEL(writes_what_other_blocks_have_read)
{
    FRAME;
    frame[64 + BLOCK * 64 + THREAD] = frame[0];
    if (BLOCK == 1 && THREAD == 0)
        frame[0] = 1;
}

KERNEL(writes_what_warps_of_another_block_have_read)
{
    FRAME;
    WARP_SYNC();
    if (BLOCK == 0)
        frame[64 + THREAD] = frame[0];
    SYNC();
    if (BLOCK == 1 && THREAD == 0)
        frame[0] = 1;
}

KERNEL(fast_memory_is_each_block_s)
{
    FAST(fast);
    FRAME;
    fast[0].x[THREAD % 4] = 1;
    if (THREAD < 4)
        frame[BLOCK * 64 + THREAD] = fast[0].x[THREAD];
}

KERNEL(least_is_kept_at_once)
{
    FRAME;
    KEEP_LEAST((unsigned *)frame, (unsigned)(BLOCK * 64 + THREAD));
}

/* ---- what no kernel writes, says who reads it ------------------------------
 */

KERNEL(reads_what_it_has_written)
{
    FRAME;
    frame[THREAD] = 1;
    frame[512 + THREAD] = FROM_SLOW(frame + THREAD);
}

KERNEL(writes_what_it_has_read)
{
    FRAME;
    const struct four f = four_from_slow(frame + 4 * THREAD);
    frame[4 * THREAD + 3] = f.x[0];
}

KERNEL(reads_what_nobody_writes)
{
    FRAME;
    frame[512 + THREAD] = FROM_SLOW(frame + THREAD);
}

/* ---- places ----------------------------------------------------------------
 */

KERNEL(writes_behind_the_frame)
{
    FRAME;
    if (THREAD == 0)
        frame[1024] = 0;
}

KERNEL(copies_what_lies_askew)
{
    FRAME;
    *(struct two *)(frame + 512 + 2 * THREAD) =
        *(const struct two *)(frame + 1 + 2 * THREAD);
}

#define AT_ONCE "at the same time"
#define ONE(name, waits, blocks, threads, fault)                               \
    {                                                                          \
        {#name, kernel_##name, waits}, blocks, threads, fault                  \
    }

const struct faulty faulty_kernels[] = {
    ONE(all_write_one, 0, 1, 64, AT_ONCE),
    ONE(each_writes_one, 0, 1, 64, NULL),
    ONE(reads_the_next_without_waiting, 1, 1, 64, AT_ONCE),
    ONE(reads_the_next_when_all_have_written, 1, 1, 64, NULL),
    ONE(writes_again_what_others_still_read, 1, 1, 64, AT_ONCE),
    ONE(writes_again_when_all_have_read, 1, 1, 64, NULL),
    ONE(bytes_of_a_word_are_apart, 0, 1, 64, NULL),
    ONE(reads_a_byte_that_another_writes, 0, 1, 64, AT_ONCE),
    ONE(warp_does_not_wait, 1, 1, 64, AT_ONCE),
    ONE(warp_waits, 1, 1, 64, NULL),
    ONE(other_warp_does_not_wait, 1, 1, 64, AT_ONCE),
    ONE(warp_writes_what_it_has_read, 1, 1, 64, NULL),
    ONE(writes_what_another_warp_has_read, 1, 1, 64, AT_ONCE),
    ONE(reads_before_it_is_fetched, 1, 1, 64, AT_ONCE),
    ONE(reads_what_it_has_fetched, 1, 1, 64, NULL),
    ONE(reads_what_another_has_fetched, 1, 1, 64, AT_ONCE),
    ONE(waits_for_one_lot_too_few, 1, 1, 64, AT_ONCE),
    ONE(waits_for_lots_in_turn, 1, 1, 64, NULL),
    ONE(waits_again_for_what_is_there, 1, 1, 64, NULL),
    ONE(fetches_over_what_others_read, 1, 1, 64, AT_ONCE),
    ONE(writes_what_is_being_fetched, 1, 1, 64, AT_ONCE),
    ONE(rounds, 1, 1, 64, NULL),
    ONE(takes_before_it_is_there, 1, 1, 64, AT_ONCE),
    ONE(takes_when_it_has_said_that_it_is_done, 1, 1, 64, AT_ONCE),
    ONE(passes_a_gate_that_another_makes, 1, 1, 64, "may not be made yet"),
    ONE(reads_what_another_block_writes, 0, 2, 64, AT_ONCE),
    ONE(writes_what_other_blocks_have_read, 0, 2, 64, AT_ONCE),
    ONE(writes_what_warps_of_another_block_have_read, 1, 2, 64, AT_ONCE),
    ONE(fast_memory_is_each_block_s, 0, 2, 4, NULL),
    ONE(least_is_kept_at_once, 0, 2, 64, NULL),
    ONE(reads_what_it_has_written, 0, 1, 64, "as if nobody wrote it"),
    ONE(writes_what_it_has_read, 0, 1, 64, "as if nobody wrote it"),
    ONE(reads_what_nobody_writes, 0, 1, 64, NULL),
    ONE(writes_behind_the_frame, 0, 1, 64, "not the device's"),
    ONE(copies_what_lies_askew, 0, 1, 64, "as its size wants it"),
    {{NULL, NULL, 0}, 0, 0, NULL},
};
