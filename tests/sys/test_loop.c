#include "scratch.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/socket.h>

/* What the callbacks of a test saw, as a text of one letter each. */
struct seen {
    struct loop *loop;
    char text[64];
    size_t len;
    size_t stop_at; /* stop after so many letters; 0: never */
};

static void note(struct seen *s, char letter)
{
    assert_true(s->len < sizeof(s->text) - 1);
    s->text[s->len++] = letter;
    if (s->stop_at && s->len >= s->stop_at)
        loop_stop(s->loop);
}

static void note_a(void *context)
{
    note(context, 'a');
}
static void note_b(void *context)
{
    note(context, 'b');
}
static void note_c(void *context)
{
    note(context, 'c');
}
static void note_h(void *context)
{
    note(context, 'h');
}
static void stop(void *context)
{
    struct seen *s = context;
    loop_stop(s->loop);
}

static struct loop *begin(struct seen *s, size_t stop_at)
{
    struct err err = {0};
    *s = (struct seen){.loop = loop_new(&err), .stop_at = stop_at};
    assert_non_null(s->loop);
    return s->loop;
}

static void run(struct seen *s, const char *expected)
{
    struct err err = {0};
    assert_int_equal(loop_run(s->loop, &err), 0);
    assert_string_equal(s->text, expected);
    loop_free(s->loop);
}

/* ---- timers ---------------------------------------------------------- */

static void timers_fire_in_the_order_of_their_times(void **state)
{
    (void)state;
    struct seen s;
    struct loop *l = begin(&s, 3);
    loop_timer_in(loop_timer(l, note_c, &s), 0.03);
    loop_timer_in(loop_timer(l, note_a, &s), 0.01);
    loop_timer_in(loop_timer(l, note_b, &s), 0.02);
    run(&s, "abc");
}

static void a_timer_fires_once_and_only_when_armed(void **state)
{
    (void)state;
    struct seen s;
    struct loop *l = begin(&s, 0);
    loop_timer(l, note_b, &s);
    loop_timer_in(loop_timer(l, note_a, &s), 0);
    loop_timer_in(loop_timer(l, stop, &s), 0.02);
    run(&s, "a");
}

static void arming_again_replaces_the_earlier_time(void **state)
{
    (void)state;
    struct seen s;
    struct loop *l = begin(&s, 0);
    struct loop_source *a = loop_timer(l, note_a, &s);
    loop_timer_in(a, 1000);
    loop_timer_in(a, 0.001);
    loop_timer_in(loop_timer(l, stop, &s), 0.02);
    run(&s, "a");
}

static void a_timer_that_was_put_off_does_not_fire(void **state)
{
    (void)state;
    struct seen s;
    struct loop *l = begin(&s, 0);
    struct loop_source *a = loop_timer(l, note_a, &s);
    loop_timer_in(a, 0.001);
    loop_timer_off(a);
    loop_timer_in(loop_timer(l, stop, &s), 0.02);
    run(&s, "");
}

struct again {
    struct seen seen;
    struct loop_source *timer;
};

static void note_and_arm(void *context)
{
    struct again *a = context;
    note(&a->seen, 'a');
    loop_timer_in(a->timer, 0.001);
}

static void a_timer_can_arm_itself_again(void **state)
{
    (void)state;
    struct again a;
    struct loop *l = begin(&a.seen, 4);
    a.timer = loop_timer(l, note_and_arm, &a);
    loop_timer_in(a.timer, 0);
    run(&a.seen, "aaaa");
}

static void a_timer_never_fires_early(void **state)
{
    (void)state;
    static const double waits[] = {0.0011, 0.0049, 0.0101};
    for (size_t i = 0; i < 3; i++) {
        struct seen s;
        struct loop *l = begin(&s, 1);
        int64_t before = clock_mono_ns();
        loop_timer_in(loop_timer(l, note_a, &s), waits[i]);
        run(&s, "a");
        assert_true((double)(clock_mono_ns() - before) >= waits[i] * 1e9);
    }
}

static void odd_waits_are_taken_as_none_or_for_ever(void **state)
{
    (void)state;
    struct seen s;
    struct loop *l = begin(&s, 2);
    loop_timer_in(loop_timer(l, note_c, &s), INFINITY);
    loop_timer_in(loop_timer(l, note_a, &s), NAN);
    loop_timer_in(loop_timer(l, note_a, &s), -5);
    run(&s, "aa");
}

/* ---- descriptors ----------------------------------------------------- */

static void note_fd(void *context, int fd, unsigned what)
{
    char c;
    if (what & LOOP_READ) {
        assert_int_equal(read(fd, &c, 1), 1);
        note(context, c);
    }
    if (what & LOOP_WRITE)
        note(context, 'w');
}

static void readable_descriptors_are_told(void **state)
{
    (void)state;
    int ends[2];
    struct seen s;
    struct loop *l = begin(&s, 2);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_non_null(loop_fd(l, ends[0], LOOP_READ, note_fd, &s));
    assert_int_equal(write(ends[1], "xy", 2), 2);
    run(&s, "xy");
    close(ends[0]);
    close(ends[1]);
}

static void a_full_pipe_is_not_writable_until_it_is_drained(void **state)
{
    (void)state;
    int ends[2];
    struct seen s;
    char block[4096] = {0};
    struct loop *l = begin(&s, 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    while (write(ends[1], block, sizeof(block)) > 0)
        ;
    loop_fd(l, ends[1], LOOP_WRITE, note_fd, &s);
    struct loop_source *end = loop_timer(l, stop, &s);
    loop_timer_in(end, 0.01);
    assert_int_equal(loop_run(l, NULL), 0);
    assert_string_equal(s.text, "");
    while (read(ends[0], block, sizeof(block)) > 0)
        ;
    s.stop_at = 1;
    run(&s, "w");
    close(ends[0]);
    close(ends[1]);
}

struct changing {
    struct seen seen;
    struct loop_source *source;
};

/* Writable once, then wants nothing but reads. */
static void change_wish(void *context, int fd, unsigned what)
{
    struct changing *c = context;
    note_fd(&c->seen, fd, what);
    loop_fd_want(c->source, LOOP_READ);
}

static void what_is_wanted_can_change(void **state)
{
    (void)state;
    int ends[2];
    struct changing c;
    struct loop *l = begin(&c.seen, 2);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    c.source = loop_fd(l, ends[0], LOOP_WRITE, change_wish, &c);
    assert_int_equal(write(ends[1], "r", 1), 1);
    run(&c.seen, "wr");
    close(ends[0]);
    close(ends[1]);
}

static void a_descriptor_of_which_nothing_is_wanted_is_silent(void **state)
{
    (void)state;
    int ends[2];
    struct seen s;
    struct loop *l = begin(&s, 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct loop_source *f = loop_fd(l, ends[0], LOOP_READ, note_fd, &s);
    assert_int_equal(write(ends[1], "x", 1), 1);
    loop_fd_want(f, 0);
    loop_timer_in(loop_timer(l, stop, &s), 0.01);
    run(&s, "");
    close(ends[0]);
    close(ends[1]);
}

static void a_regular_file_cannot_be_watched(void **state)
{
    struct scratch *scratch = *state;
    struct seen s;
    struct loop *l = begin(&s, 0);
    int fd = open(scratch_file(scratch, "f", "x"), O_RDONLY | O_CLOEXEC);
    assert_null(loop_fd(l, fd, LOOP_READ, note_fd, &s));
    close(fd);
    loop_free(l);
}

/* ---- signals --------------------------------------------------------- */

static void note_signal(void *context, int signum)
{
    note(context, signum == SIGUSR1 ? '1' : '2');
}

static void signals_arrive_in_the_loop(void **state)
{
    (void)state;
    struct seen s;
    struct loop *l = begin(&s, 1);
    assert_non_null(loop_signal(l, SIGUSR1, note_signal, &s));
    assert_non_null(loop_signal(l, SIGUSR2, note_signal, &s));
    kill(getpid(), SIGUSR2);
    assert_int_equal(loop_run(l, NULL), 0);
    assert_string_equal(s.text, "2");
    s.stop_at = 2;
    kill(getpid(), SIGUSR1);
    run(&s, "21");
}

/* ---- hooks ----------------------------------------------------------- */

/* Stops the loop when it is called; for the second of two descriptors. */
static void note_fd_and_stop(void *context, int fd, unsigned what)
{
    struct seen *s = context;
    loop_stop(s->loop);
    note_fd(context, fd, what);
}

static void the_after_function_runs_once_for_all_events_of_a_round(void **state)
{
    (void)state;
    int one[2], two[2];
    struct seen s;
    struct loop *l = begin(&s, 0);
    assert_int_equal(pipe2(one, O_CLOEXEC), 0);
    assert_int_equal(pipe2(two, O_CLOEXEC), 0);
    loop_after(l, note_h, &s);
    /* Both are ready; both stop the loop, which still ends its round. */
    loop_fd(l, one[0], LOOP_READ, note_fd_and_stop, &s);
    loop_fd(l, two[0], LOOP_READ, note_fd_and_stop, &s);
    assert_int_equal(write(one[1], "x", 1), 1);
    assert_int_equal(write(two[1], "x", 1), 1);
    run(&s, "hxxh");
    close(one[0]);
    close(one[1]);
    close(two[0]);
    close(two[1]);
}

static void the_after_function_runs_after_every_round(void **state)
{
    (void)state;
    int ends[2];
    struct seen s;
    struct loop *l = begin(&s, 7);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    loop_after(l, note_h, &s);
    loop_fd(l, ends[0], LOOP_READ, note_fd, &s);
    assert_int_equal(write(ends[1], "xyz", 3), 3);
    run(&s, "hxhyhzh");
    close(ends[0]);
    close(ends[1]);
}

/* ---- removing and ending --------------------------------------------- */

struct pair {
    struct seen seen;
    struct loop_source *one, *two;
};

/* Both sources of the pair are due; the first to be called ends both. */
static void remove_both(void *context)
{
    struct pair *p = context;
    note(&p->seen, 'x');
    loop_remove(p->one);
    loop_remove(p->two);
}

static void a_callback_may_remove_itself_and_another_that_is_due(void **state)
{
    (void)state;
    struct pair p;
    struct loop *l = begin(&p.seen, 0);
    p.one = loop_timer(l, remove_both, &p);
    p.two = loop_timer(l, remove_both, &p);
    loop_timer_in(p.one, 0);
    loop_timer_in(p.two, 0);
    loop_timer_in(loop_timer(l, stop, &p.seen), 0.01);
    run(&p.seen, "x");
}

static void a_hook_may_remove_itself_and_the_next(void **state)
{
    (void)state;
    struct pair p;
    struct loop *l = begin(&p.seen, 3);
    p.one = loop_after(l, remove_both, &p);
    p.two = loop_after(l, remove_both, &p);
    loop_after(l, note_h, &p.seen);
    loop_timer_in(loop_timer(l, note_a, &p.seen), 0);
    run(&p.seen, "xha"
                 "h");
}

static void removing_nothing_is_fine(void **state)
{
    (void)state;
    loop_remove(NULL);
    loop_free(NULL);
}

static void a_loop_with_nothing_to_wait_for_says_so(void **state)
{
    (void)state;
    struct seen s;
    struct err err = {0};
    struct loop *l = begin(&s, 0);
    loop_timer(l, note_a, &s);
    assert_int_equal(loop_run(l, &err), -1);
    assert_non_null(strstr(err.text, "nothing"));
    loop_free(l);
}

static void a_loop_that_was_stopped_before_runs_no_round(void **state)
{
    (void)state;
    struct seen s;
    struct loop *l = begin(&s, 0);
    loop_timer_in(loop_timer(l, note_a, &s), 0);
    loop_stop(l);
    assert_int_equal(loop_run(l, NULL), 0);
    assert_string_equal(s.text, "");
    /* The wish to stop is used up. */
    s.stop_at = 1;
    run(&s, "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_fire_in_the_order_of_their_times),
        cmocka_unit_test(a_timer_fires_once_and_only_when_armed),
        cmocka_unit_test(arming_again_replaces_the_earlier_time),
        cmocka_unit_test(a_timer_that_was_put_off_does_not_fire),
        cmocka_unit_test(a_timer_can_arm_itself_again),
        cmocka_unit_test(a_timer_never_fires_early),
        cmocka_unit_test(odd_waits_are_taken_as_none_or_for_ever),
        cmocka_unit_test(readable_descriptors_are_told),
        cmocka_unit_test(a_full_pipe_is_not_writable_until_it_is_drained),
        cmocka_unit_test(what_is_wanted_can_change),
        cmocka_unit_test(a_descriptor_of_which_nothing_is_wanted_is_silent),
        scratch_test(a_regular_file_cannot_be_watched),
        cmocka_unit_test(signals_arrive_in_the_loop),
        cmocka_unit_test(
            the_after_function_runs_once_for_all_events_of_a_round),
        cmocka_unit_test(the_after_function_runs_after_every_round),
        cmocka_unit_test(a_callback_may_remove_itself_and_another_that_is_due),
        cmocka_unit_test(a_hook_may_remove_itself_and_the_next),
        cmocka_unit_test(removing_nothing_is_fine),
        cmocka_unit_test(a_loop_with_nothing_to_wait_for_says_so),
        cmocka_unit_test(a_loop_that_was_stopped_before_runs_no_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
