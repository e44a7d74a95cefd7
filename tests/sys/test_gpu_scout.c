/* Tests of src/sys/gpu_scout.c: a process that looks at the GPUs. A described
 * GPU whose file is a pipe that nobody writes is one whose driver hangs. */
#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct gpu two[] = {{.uuid = "0"}, {.uuid = "1"}};
static const struct machine machine = {
    .gpus = two, .gpu_count = 2, .gpus_described = true};

static char *write_use(struct scratch *s, const char *text)
{
    char *path = path_join(s->arena, s->root, "on-gpus");
    assert_int_equal(file_write(path, str_of(text), false, NULL), 0);
    return path;
}

/* The child; 0: there is none. */
static pid_t child_of_this(void)
{
    struct process_table table = {0};
    pid_t found = 0;
    assert_int_equal(process_table_read(&table, NULL), 0);
    for (size_t i = 0; i < table.rows.len; i++)
        if (table.rows.p[i].parent == getpid() && table.rows.p[i].state != 'Z')
            found = table.rows.p[i].pid;
    process_table_done(&table);
    return found;
}

static void await_no_child(void)
{
    while (child_of_this())
        clock_pause_ms(1);
}

/* Its first answer may take a while on a busy machine. */
static uint64_t first_look(struct gpu_scout *g, struct gpu_use *u)
{
    while (gpu_scout_look(g, 0, u) == 0)
        clock_pause_ms(1);
    return gpu_scout_look(g, 0, u);
}

static void it_says_what_a_look_says(void **state)
{
    struct scratch *s = *state;
    struct gpu_use u;
    char *file = write_use(s, "0 17 1000\n0 busy 29\n1 busy 50\n1 joules 7\n");
    struct gpu_scout *g = gpu_scout_open(&machine, file);
    uint64_t first = first_look(g, &u);
    assert_true(u.known && u.used_bytes == 1000 && u.busy == 0.29);
    assert_true(u.pid_count == 1 && u.pids[0] == 17 && isnan(u.joules));
    gpu_scout_look(g, 1, &u);
    assert_true(u.busy == 0.5 && u.joules == 7);
    write_use(s, "0 busy 100\n");
    while (gpu_scout_look(g, 0, &u) == first || u.busy != 1)
        clock_pause_ms(5);
    gpu_scout_look(g, 1, &u);
    assert_true(u.known && isnan(u.busy));
    gpu_scout_close(g);
    await_no_child();
}

static void a_driver_that_hangs_holds_nobody(void **state)
{
    struct scratch *s = *state;
    struct gpu_use u;
    char *pipe = path_join(s->arena, s->root, "hangs");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    struct gpu_scout *g = gpu_scout_open(&machine, pipe);
    for (int i = 0; i < 1000; i++) {
        assert_true(gpu_scout_look(g, 0, &u) == 0);
        assert_true(!u.known && isnan(u.busy) && isnan(u.joules));
    }
    pid_t child = child_of_this();
    assert_true(child > 0);
    gpu_scout_close(g);
    await_no_child();
}

static void an_answer_that_comes_late_is_the_next_looks(void **state)
{
    struct scratch *s = *state;
    struct gpu_use u;
    char *pipe = path_join(s->arena, s->root, "slow");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    struct gpu_scout *g = gpu_scout_open(&machine, pipe);
    assert_true(gpu_scout_look(g, 0, &u) == 0);
    while (gpu_scout_look(g, 0, &u) == 0 || u.busy != 0.29) {
        /* It reads the file once for each GPU; nobody may be there yet. */
        int fd = open(pipe, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0) {
            assert_int_equal(write(fd, "0 busy 29\n", 10), 10);
            close(fd);
        }
        clock_pause_ms(5);
    }
    assert_true(u.known);
    gpu_scout_close(g);
}

static void who_waits_knows_what_is_now(void **state)
{
    struct scratch *s = *state;
    struct gpu_use u;
    struct gpu_scout *g = gpu_scout_open(&machine, write_use(s, "0 busy 1\n"));
    first_look(g, &u);
    for (int i = 2; i < 12; i++) {
        char text[32];
        snprintf(text, sizeof(text), "0 busy %d\n", i);
        write_use(s, text);
        gpu_scout_await(g);
        gpu_scout_look(g, 0, &u);
        assert_true(u.known && u.busy == i / 100.0);
    }
    gpu_scout_close(g);
    await_no_child();
}

static void one_that_is_killed_is_not_missed(void **state)
{
    struct scratch *s = *state;
    struct gpu_use u;
    struct gpu_scout *g = gpu_scout_open(&machine, write_use(s, "0 busy 1\n"));
    first_look(g, &u);
    kill(child_of_this(), SIGKILL);
    await_no_child();
    uint64_t answers = gpu_scout_look(g, 0, &u);
    for (int i = 0; i < 10; i++, clock_pause_ms(25))
        assert_true(gpu_scout_look(g, 0, &u) == answers);
    gpu_scout_close(g);
}

static void it_keeps_none_of_our_files(void **state)
{
    struct scratch *s = *state;
    struct gpu_use u;
    char folder[64];
    int count = 0;
    struct gpu_scout *g = gpu_scout_open(&machine, write_use(s, ""));
    first_look(g, &u);
    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)child_of_this());
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.';
    closedir(d);
    assert_int_equal(count, 4); /* nothing, three times, and its socket */
    gpu_scout_close(g);
}

static void a_machine_without_gpus_has_none(void **state)
{
    struct machine none = {0};
    (void)state;
    struct gpu_scout *g = gpu_scout_open(&none, NULL);
    assert_int_equal(child_of_this(), 0);
    gpu_scout_close(g);
    gpu_scout_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(it_says_what_a_look_says),
        scratch_test(a_driver_that_hangs_holds_nobody),
        scratch_test(an_answer_that_comes_late_is_the_next_looks),
        scratch_test(who_waits_knows_what_is_now),
        scratch_test(one_that_is_killed_is_not_missed),
        scratch_test(it_keeps_none_of_our_files),
        scratch_test(a_machine_without_gpus_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
