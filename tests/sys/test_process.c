#include "child.h"

#include <sys/prctl.h>
#include "sys/process_stat.h"

/* ---- why a program does not start ------------------------------------ */

static void check_refused(const struct spawn *s, enum err_kind kind,
                          const char *text)
{
    struct err err = {0};
    struct process_id id = {.pid = -7};
    assert_int_equal(process_spawn(s, &id, &err), -1);
    if (!strstr(err.text, text))
        fail_msg("\"%s\" does not say \"%s\"", err.text, text);
    assert_int_equal(err.kind, kind);
    assert_int_equal(id.pid, -7);
    /* Nothing is left to be reaped. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void check_reason(const char *program, enum err_kind kind,
                         const char *text)
{
    struct spawn s = child_plain(ARGV(program));
    check_refused(&s, kind, text);
}

static void a_program_that_is_not_on_the_path_is_named(void **state)
{
    (void)state;
    check_reason("no-such-program-at-all", ERR_MISSING, "PATH");
    check_reason("", ERR_MISSING, "PATH");
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    check_reason("/nowhere/program", ERR_MISSING,
                 "/nowhere/program: there is no such file");
}

static void a_file_that_is_not_executable_is_named(void **state)
{
    struct scratch *s = *state;
    check_reason(scratch_file(s, "plain", "#!/bin/sh\n"), ERR_SYSTEM,
                 "not an executable file");
    check_reason(s->root, ERR_SYSTEM, "not an executable file");
}

static void a_missing_interpreter_is_named(void **state)
{
    struct scratch *s = *state;
    check_reason(scratch_program(s, "a", "#! /no/such/python3 -u\nx\n"),
                 ERR_MISSING, "its interpreter /no/such/python3 ");
    check_reason(scratch_program(s, "b", "#!/no/python3"), ERR_MISSING,
                 "its interpreter /no/python3 ");
}

static void a_carriage_return_behind_the_interpreter_is_named(void **state)
{
    struct scratch *s = *state;
    check_reason(scratch_program(s, "a", "#!/bin/sh\r\necho\r\n"), ERR_MISSING,
                 "carriage return");
}

static void an_interpreter_that_is_not_executable_is_named(void **state)
{
    struct scratch *s = *state;
    char *plain = scratch_file(s, "plain", "x");
    char *script =
        scratch_program(s, "script", arena_printf(s->arena, "#!%s\n", plain));
    check_reason(script, ERR_SYSTEM, "is not executable");
}

static void a_file_in_no_known_format_is_named(void **state)
{
    struct scratch *s = *state;
    check_reason(scratch_program(s, "a", "echo hello\n"), ERR_SYSTEM,
                 "neither a program for this machine nor a script");
}

static void a_missing_working_folder_is_named(void **state)
{
    struct scratch *s = *state;
    struct spawn p = child_plain(ARGV("/bin/true"));
    p.cwd = scratch_path(s, "gone");
    check_refused(&p, ERR_MISSING, "working folder");
    p.argv = ARGV("./relative");
    check_refused(&p, ERR_MISSING, "working folder");
    p.argv = ARGV("/bin/true");
    p.cwd = scratch_file(s, "file", "");
    check_refused(&p, ERR_SYSTEM, "working folder");
}

static void arguments_that_are_too_long_are_named(void **state)
{
    struct scratch *s = *state;
    size_t len = 4 << 20;
    char *huge = arena_alloc(s->arena, len + 1);
    memset(huge, 'x', len);
    struct spawn p = child_plain(ARGV("/bin/true", huge));
    check_refused(&p, ERR_LIMIT, "arguments");
}

static void a_descriptor_that_is_not_open_is_named(void **state)
{
    (void)state;
    struct spawn p = child_plain(ARGV("/bin/true"));
    p.out = 999;
    check_refused(&p, ERR_SYSTEM, "input and output");
    p.out = -1;
    p.keep_fd = 999;
    check_refused(&p, ERR_SYSTEM, "input and output");
}

/* ---- how a program is found ------------------------------------------ */

static void the_path_of_the_given_environment_counts(void **state)
{
    struct scratch *s = *state;
    scratch_program(s, "bin/hello", "#!/bin/sh\necho found $0\n");
    scratch_file(s, "first/hello", "not executable");
    struct spawn p = child_plain(ARGV("hello"));
    p.env = ARGV(arena_printf(s->arena, "PATH=/nowhere:%s/first:%s/bin",
                              s->root, s->root));
    assert_string_equal(
        child_output(s, p, NULL),
        arena_printf(s->arena, "found %s/bin/hello\n", s->root));
    p.env = ARGV(arena_printf(s->arena, "PATH=%s/first", s->root));
    check_refused(&p, ERR_SYSTEM, "first/hello: it is not an executable");
}

static void a_relative_program_is_sought_in_the_working_folder(void **state)
{
    struct scratch *s = *state;
    scratch_program(s, "here/run", "#!/bin/sh\npwd\n");
    struct spawn p = child_plain(ARGV("./run"));
    p.cwd = scratch_path(s, "here");
    char *real = realpath(p.cwd, NULL);
    char *expected = arena_printf(s->arena, "%s\n", real);
    free(real);
    assert_string_equal(child_output(s, p, NULL), expected);
    p.argv = ARGV("run");
    p.env = ARGV("PATH=/nowhere:");
    assert_string_equal(child_output(s, p, NULL), expected);
    p.argv = ARGV("./walk");
    check_refused(&p, ERR_MISSING, "there is no such file in ");
}

static void the_program_as_execvp_finds_it(void **state)
{
    struct scratch *s = *state;
    char *program = scratch_program(s, "bin/tool", "");
    char *path = arena_printf(s->arena, "/nowhere:%s/bin", s->root);
    assert_string_equal(path_program(s->arena, "tool", path), program);
    assert_string_equal(path_program(s->arena, program, path), program);
    assert_null(path_program(s->arena, "tool", "/nowhere"));
    assert_null(path_program(s->arena, "bin", s->root));
    assert_non_null(path_program(s->arena, "sh", NULL));
}

/* ---- what a program gets --------------------------------------------- */

static void the_environment_is_exactly_the_given_one(void **state)
{
    struct scratch *s = *state;
    struct spawn p = child_plain(ARGV("/usr/bin/env"));
    p.env = ARGV("B=2", "A=1");
    assert_string_equal(child_output(s, p, NULL), "B=2\nA=1\n");
    setenv("THRONG_TEST_INHERITED", "yes", 1);
    p.env = NULL;
    p.argv = ARGV("sh", "-c", "echo $THRONG_TEST_INHERITED");
    assert_string_equal(child_output(s, p, NULL), "yes\n");
}

static void descriptors_that_are_not_given_are_dev_null(void **state)
{
    struct scratch *s = *state;
    struct spawn p =
        child_plain(ARGV("sh", "-c", "readlink /proc/$$/fd/0 /proc/$$/fd/2"));
    assert_string_equal(child_output(s, p, NULL), "/dev/null\n/dev/null\n");
}

static void only_the_kept_descriptor_stays_open(void **state)
{
    struct scratch *s = *state;
    int kept = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    int other = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    struct spawn p =
        child_plain(ARGV("sh", "-c",
                         arena_printf(s->arena,
                                      "readlink /proc/$$/fd/%d; "
                                      "readlink /proc/$$/fd/%d; true",
                                      kept, other)));
    p.keep_fd = kept;
    assert_string_equal(child_output(s, p, NULL), "/dev/zero\n");
    /* In this process it is as it was. */
    assert_int_equal(fcntl(kept, F_GETFD), FD_CLOEXEC);
    close(kept);
    close(other);
}

/* In a process of its own, since it moves the standard descriptors: the
 * program's input is our 2, its output our 0, its errors our 1. */
_Noreturn static void spawn_crossed(int in, int out, int errors)
{
    struct process_id id;
    struct spawn p = child_plain(ARGV("sh", "-c", "cat; echo wrong >&2"));
    dup2(in, 2);
    dup2(out, 0);
    dup2(errors, 1);
    p.in = 2;
    p.out = 0;
    p.err = 1;
    if (process_spawn(&p, &id, NULL) < 0)
        _exit(1);
    _exit(child_wait(id.pid) == 0 ? 0 : 2);
}

static void standard_descriptors_may_be_given_crosswise(void **state)
{
    struct scratch *s = *state;
    char text[64] = "";
    int in = open(scratch_file(s, "in", "right"), O_RDONLY | O_CLOEXEC);
    int out[2], errors[2];
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    assert_int_equal(pipe2(errors, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0)
        spawn_crossed(in, out[1], errors[1]);
    assert_int_equal(child_wait(pid), 0);
    assert_int_equal(read(out[0], text, sizeof(text) - 1), 5);
    assert_string_equal(text, "right");
    assert_int_equal(read(errors[0], text, sizeof(text) - 1), 6);
    assert_memory_equal(text, "wrong\n", 6);
    close(in);
    for (int i = 0; i < 2; i++) {
        close(out[i]);
        close(errors[i]);
    }
}

/* As above, in a process whose standard descriptors are all closed. */
static void standard_descriptors_may_be_closed_here(void **state)
{
    struct scratch *s = *state;
    int out[2];
    char text[64] = "";
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    struct spawn p =
        child_plain(ARGV("sh", "-c", "readlink /proc/$$/fd/0 /proc/$$/fd/2"));
    p.out = out[1];
    (void)s;
    pid_t pid = fork();
    if (pid == 0) {
        struct process_id id;
        for (int i = 0; i < 3; i++)
            close(i);
        if (process_spawn(&p, &id, NULL) < 0)
            _exit(1);
        _exit(child_wait(id.pid) == 0 ? 0 : 2);
    }
    assert_int_equal(child_wait(pid), 0);
    assert_int_equal(read(out[0], text, sizeof(text) - 1), 20);
    assert_string_equal(text, "/dev/null\n/dev/null\n");
    close(out[0]);
    close(out[1]);
}

/* Bit n - 1 for signal n. 32 and 33 belong to the C library: some programs
 * hand them on ignored, and nobody else can change that. */
static uint64_t ignored_signals(const char *status)
{
    const char *line = strstr(status, "SigIgn:\t");
    assert_non_null(line);
    return strtoull(line + 8, NULL, 16) & ~(3ull << 31);
}

static void signals_are_neither_ignored_nor_blocked(void **state)
{
    struct scratch *s = *state;
    sigset_t set, before, after;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR1, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, NULL, &before);
    char *text = child_output(
        s, child_plain(ARGV("grep", "Sig[BI]", "/proc/self/status")), NULL);
    sigprocmask(SIG_SETMASK, NULL, &after);
    signal(SIGUSR1, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    assert_non_null(strstr(text, "SigBlk:\t0000000000000000\n"));
    assert_int_equal(ignored_signals(text), 0);
    for (int i = 1; i < NSIG; i++)
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
}

static void a_session_of_its_own_is_made_when_asked(void **state)
{
    (void)state;
    struct spawn p = child_plain(ARGV("cat"));
    struct child_cat cat = child_cat_start(p);
    assert_int_equal(getsid(cat.id.pid), getsid(0));
    assert_int_equal(getpgid(cat.id.pid), getpgid(0));
    child_cat_end(&cat);
    p.session = true;
    cat = child_cat_start(p);
    assert_int_equal(getsid(cat.id.pid), cat.id.pid);
    assert_int_equal(getpgid(cat.id.pid), cat.id.pid);
    child_cat_end(&cat);
}

/* ---- ends ------------------------------------------------------------ */

/* A process that starts a sleeper, tells its id and waits to be killed. */
static pid_t start_middle(bool die_with_parent, struct process_id *sleeper)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t middle = fork();
    if (middle == 0) {
        struct process_id id = {0};
        struct spawn p = child_plain(ARGV("sleep", "1000"));
        p.die_with_parent = die_with_parent;
        process_spawn(&p, &id, NULL);
        if (write(ends[1], &id, sizeof(id)) != sizeof(id))
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], sleeper, sizeof(*sleeper)),
                     sizeof(*sleeper));
    close(ends[0]);
    assert_true(process_alive(*sleeper));
    return middle;
}

static void a_child_dies_with_its_parent_when_asked(void **state)
{
    (void)state;
    struct process_id sleeper = {0};
    pid_t middle = start_middle(true, &sleeper);
    kill(middle, SIGKILL);
    child_wait(middle);
    assert_true(child_gone(sleeper));
}

static void orphans_become_children_of_a_subreaper(void **state)
{
    (void)state;
    struct process_id sleeper = {0};
    struct process_info info;
    struct err err = {0};
    assert_int_equal(process_subreaper(&err), 0);
    pid_t middle = start_middle(false, &sleeper);
    kill(middle, SIGKILL);
    child_wait(middle);
    assert_true(process_alive(sleeper));
    assert_true(stat_of(sleeper.pid, &info));
    assert_int_equal(info.parent, getpid());
    kill(sleeper.pid, SIGKILL);
    assert_int_equal(child_wait(sleeper.pid), SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* ---- identity -------------------------------------------------------- */

static void a_process_is_known_by_pid_and_start(void **state)
{
    (void)state;
    struct process_id self = process_self();
    assert_int_equal(self.pid, getpid());
    assert_true(self.start > 0);
    assert_true(process_alive(self));
    self.start++;
    assert_false(process_alive(self));
    assert_false(process_alive((struct process_id){0}));
    assert_false(process_alive((struct process_id){.pid = -1}));
}

static void the_id_of_a_child_is_what_proc_says(void **state)
{
    (void)state;
    struct process_info info;
    struct child_cat cat = child_cat_start(child_plain(ARGV("cat")));
    assert_true(stat_of(cat.id.pid, &info));
    assert_int_equal(cat.id.start, info.start);
    assert_true(process_alive(cat.id));
    child_cat_end(&cat);
    assert_false(process_alive(cat.id));
}

static void a_zombie_is_not_alive(void **state)
{
    (void)state;
    siginfo_t info;
    struct spawn p = child_plain(ARGV("true"));
    struct process_id id = child_start(&p);
    assert_int_equal(waitid(P_PID, (id_t)id.pid, &info, WEXITED | WNOWAIT), 0);
    assert_false(process_alive(id));
    child_wait(id.pid);
}

static void the_boot_has_one_name(void **state)
{
    struct scratch *s = *state;
    const char *id = process_boot_id();
    assert_ptr_equal(process_boot_id(), id);
    char *file = scratch_text(s, "/proc/sys/kernel/random/boot_id");
    assert_true(str_eq(str_of(id), str_trim(str_of(file))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_is_not_on_the_path_is_named),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
        scratch_test(a_file_that_is_not_executable_is_named),
        scratch_test(a_missing_interpreter_is_named),
        scratch_test(a_carriage_return_behind_the_interpreter_is_named),
        scratch_test(an_interpreter_that_is_not_executable_is_named),
        scratch_test(a_file_in_no_known_format_is_named),
        scratch_test(a_missing_working_folder_is_named),
        scratch_test(arguments_that_are_too_long_are_named),
        cmocka_unit_test(a_descriptor_that_is_not_open_is_named),
        scratch_test(the_path_of_the_given_environment_counts),
        scratch_test(a_relative_program_is_sought_in_the_working_folder),
        scratch_test(the_program_as_execvp_finds_it),
        scratch_test(the_environment_is_exactly_the_given_one),
        scratch_test(descriptors_that_are_not_given_are_dev_null),
        scratch_test(only_the_kept_descriptor_stays_open),
        scratch_test(standard_descriptors_may_be_given_crosswise),
        scratch_test(standard_descriptors_may_be_closed_here),
        scratch_test(signals_are_neither_ignored_nor_blocked),
        cmocka_unit_test(a_session_of_its_own_is_made_when_asked),
        cmocka_unit_test(a_child_dies_with_its_parent_when_asked),
        cmocka_unit_test(orphans_become_children_of_a_subreaper),
        cmocka_unit_test(a_process_is_known_by_pid_and_start),
        cmocka_unit_test(the_id_of_a_child_is_what_proc_says),
        cmocka_unit_test(a_zombie_is_not_alive),
        scratch_test(the_boot_has_one_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
