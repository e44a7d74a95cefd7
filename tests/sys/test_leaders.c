/* test_leaders.c - leaders of sessions in a file */
#include "child.h"

static struct leader_lines read_all(const char *path)
{
    struct leader_lines found = {0};
    struct err err = {0};
    if (leaders_read(path, &found, &err))
        fail_msg("%s", err.text);
    return found;
}

/* The program itself copies the file: what it finds was there before it. */
static void a_leader_is_written_down_before_its_program_runs(void **state)
{
    struct scratch *x = *state;
    const char *path = arena_printf(x->arena, "%s/a.leaders", x->root);
    const char *copy = arena_printf(x->arena, "%s/copy", x->root);
    struct leaders l;
    struct process_id id;
    int status;
    assert_int_equal(leaders_open(&l, path, NULL), 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct spawn s = child_plain(ARGV("/bin/cp", path, copy));
        s.session = true;
        s.leaders = &l;
        s.leader_place = leaders_take(&l);
        s.leader_task = 7;
        s.leader_attempt = i + 1;
        assert_int_equal(s.leader_place, i);
        assert_int_equal(process_spawn(&s, &id, NULL), 0);
        assert_int_equal(waitpid(id.pid, &status, 0), id.pid);
        assert_int_equal(status, 0);
        struct leader_lines found = read_all(copy);
        assert_int_equal(found.list.len, i + 1);
        assert_int_equal(found.list.p[i].pid, id.pid);
        assert_true(id.start > 0 && found.list.p[i].start == id.start);
        assert_int_equal(found.list.p[i].task, 7);
        assert_int_equal(found.list.p[i].attempt, i + 1);
        vec_done(&found.list);
    }
    leaders_give_back(&l, 1);
    struct leader_lines found = read_all(path);
    assert_int_equal(found.list.len, 2);
    vec_done(&found.list);
    assert_int_equal(leaders_take(&l), 1);
    leaders_close(&l, true);
    assert_false(file_exists(path));
}

static void numbers_of_another_boot_name_nobody(void **state)
{
    struct scratch *x = *state;
    const char *path = arena_printf(x->arena, "%s/b.leaders", x->root);
    struct leaders l;
    struct buf b;
    assert_int_equal(leaders_open(&l, path, NULL), 0);
    struct process_id self = process_self();
    leader_write(
        l.fd, leaders_take(&l),
        (struct leader_line){.pid = (uint64_t)self.pid, .start = self.start});
    buf_init(&b);
    assert_int_equal(file_read(path, 0, &b, NULL), 0);
    b.p[0] = b.p[0] == 'x' ? 'y' : 'x';
    assert_int_equal(file_write(path, buf_str(&b), false, NULL), 0);
    struct leader_lines found = read_all(path);
    assert_false(found.known);
    assert_int_equal(found.list.len, 0);
    buf_done(&b);
    leaders_close(&l, true);
}

static void without_a_file_programs_start_all_the_same(void **state)
{
    (void)state;
    struct leaders l = {.fd = -1};
    struct process_id id;
    struct spawn s = child_plain(ARGV("/bin/true"));
    s.leaders = &l;
    s.leader_place = leaders_take(&l);
    assert_int_equal(process_spawn(&s, &id, NULL), 0);
    assert_int_equal(waitpid(id.pid, NULL, 0), id.pid);
    leaders_give_back(&l, s.leader_place);
    leaders_close(&l, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_leader_is_written_down_before_its_program_runs),
        scratch_test(numbers_of_another_boot_name_nobody),
        cmocka_unit_test(without_a_file_programs_start_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
