#include "child.h"

static const struct process_info *row(const struct process_table *t, pid_t pid)
{
    for (size_t i = 0; i < t->rows.len; i++)
        if (t->rows.p[i].pid == pid)
            return &t->rows.p[i];
    return NULL;
}

static void the_table_holds_ourselves_and_our_children(void **state)
{
    (void)state;
    struct process_table t = {0};
    struct spawn s = child_plain(ARGV("cat"));
    s.session = true;
    struct child_cat cat = child_cat_start(s);
    assert_int_equal(process_table_read(&t, NULL), 0);

    const struct process_info *self = row(&t, getpid());
    assert_non_null(self);
    assert_int_equal(self->parent, getppid());
    assert_int_equal(self->session, getsid(0));
    assert_int_equal(self->start, process_self().start);
    assert_true(self->rss_bytes > 4096);

    const struct process_info *child = row(&t, cat.id.pid);
    assert_non_null(child);
    assert_int_equal(child->parent, getpid());
    assert_int_equal(child->group, cat.id.pid);
    assert_int_equal(child->session, cat.id.pid);
    assert_int_equal(child->start, cat.id.start);
    child_cat_end(&cat);
    process_table_done(&t);
}

static void reading_again_replaces_the_rows(void **state)
{
    (void)state;
    struct process_table t = {0};
    assert_int_equal(process_table_read(&t, NULL), 0);
    struct child_cat cat = child_cat_start(child_plain(ARGV("cat")));
    assert_null(row(&t, cat.id.pid));
    assert_int_equal(process_table_read(&t, NULL), 0);
    assert_non_null(row(&t, cat.id.pid));
    child_cat_end(&cat);
    assert_int_equal(process_table_read(&t, NULL), 0);
    assert_null(row(&t, cat.id.pid));
    unsigned self = 0;
    for (size_t i = 0; i < t.rows.len; i++)
        self += t.rows.p[i].pid == getpid();
    assert_int_equal(self, 1);
    process_table_done(&t);
}

static void the_proportional_size_of_a_process_can_be_read(void **state)
{
    (void)state;
    if (!file_exists("/proc/self/smaps_rollup")) {
        print_message("there is no smaps_rollup here\n");
        skip();
    }
    assert_true(process_pss_bytes(getpid()) > 4096);
    assert_int_equal(process_pss_bytes(0x7ffffff0), 0);
}

static const char *value_of(pid_t pid, const char *name)
{
    static char text[64];
    struct buf b;
    buf_init(&b);
    bool found = process_env(pid, name, &b);
    snprintf(text, sizeof text, "%s", found ? b.p : "none");
    buf_done(&b);
    return text;
}

static void an_environment_is_read_by_whole_names(void **state)
{
    (void)state;
    struct spawn s = child_plain(ARGV("/bin/cat"));
    s.env = ARGV("AB=1", "C=22", "EMPTY=", "LAST=x y");
    struct child_cat cat = child_cat_start(s);
    assert_string_equal(value_of(cat.id.pid, "AB"), "1");
    assert_string_equal(value_of(cat.id.pid, "C"), "22");
    assert_string_equal(value_of(cat.id.pid, "EMPTY"), "");
    assert_string_equal(value_of(cat.id.pid, "LAST"), "x y");
    assert_string_equal(value_of(cat.id.pid, "A"), "none");
    assert_string_equal(value_of(cat.id.pid, "B"), "none");
    assert_string_equal(value_of(0x7ffffff0, "C"), "none");
    child_cat_end(&cat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_holds_ourselves_and_our_children),
        cmocka_unit_test(reading_again_replaces_the_rows),
        cmocka_unit_test(the_proportional_size_of_a_process_can_be_read),
        cmocka_unit_test(an_environment_is_read_by_whole_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
