/* test_request.c - requests are read in order, bad ones moved aside */
#include "made_store.h"
#include <sys/stat.h>
#include "base/json.h"

struct requests {
    struct request *list;
    size_t count;
};

static struct requests all(struct made *m)
{
    struct requests r;
    assert_ok(m, store_requests(m->s, m->a, &r.list, &r.count, &m->err));
    return r;
}

static void requests_come_oldest_first_until_they_are_done(void **state)
{
    struct made *m = *state;
    assert_int_equal(all(m).count, 0);
    struct value *args = value_object(m->a);
    value_set(m->a, args, STR("tag"), value_string(m->a, STR("x\"y")));
    assert_ok(m, store_request_put(m->folder, "tag", "1-3", args, &m->err));
    for (int i = 0; i < 20; i++)
        assert_ok(m, store_request_put(m->folder, "stop", "", NULL, &m->err));
    assert_ok(m, store_request_put(m->folder, "kill", "7", NULL, &m->err));
    struct requests r = all(m);
    assert_int_equal(r.count, 22);
    assert_true(str_is(r.list[0].verb, "tag"));
    assert_true(str_is(r.list[0].selector, "1-3"));
    assert_true(
        str_is(value_text(value_get(r.list[0].args, STR("tag"))), "x\"y"));
    assert_true(str_is(r.list[21].verb, "kill"));
    assert_null(r.list[21].args);
    assert_int_equal(r.list[1].selector.len, 0);
    store_request_done(m->s, &r.list[0]);
    r = all(m);
    assert_int_equal(r.count, 21);
    assert_true(str_is(r.list[0].verb, "stop"));
}

static void what_cannot_be_read_is_moved_aside_and_told(void **state)
{
    struct made *m = *state;
    static const char *const texts[] = {"{", "[1]", "{\"verb\":3}", "",
                                        "{\"selector\":\"x\"}"};
    char path[256];
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/requests/%d.json", m->folder, i);
        assert_ok(m, file_write(path, str_of(texts[i]), false, &m->err));
    }
    /* A pipe would block a reader for ever. */
    snprintf(path, sizeof path, "%s/requests/5.json", m->folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/requests/6.json", m->folder);
    assert_int_equal(symlink("/dev/zero", path), 0);
    snprintf(path, sizeof path, "%s/requests/7.tmp", m->folder);
    assert_ok(m, file_write(path, STR("half"), false, &m->err));
    assert_ok(m, store_request_put(m->folder, "stop", "", NULL, &m->err));
    struct requests r = all(m);
    assert_int_equal(r.count, 1);
    assert_true(str_is(r.list[0].verb, "stop"));
    made_commit(m);
    struct event *events;
    size_t count;
    assert_ok(m, store_events(m->s, 0, m->a, &events, &count, &m->err));
    assert_int_equal(count, 7);
    assert_true(str_is(events[0].what, "request"));
    assert_true(str_starts(events[0].text, STR("request 0.json")));
    snprintf(path, sizeof path, "%s/requests/bad", m->folder);
    const char **aside = dir_list(path, m->a, &m->err);
    size_t moved = 0;
    while (aside && aside[moved])
        moved++;
    assert_int_equal(moved, 7);
    /* They are told once. */
    assert_int_equal(all(m).count, 1);
}

static void a_request_to_a_folder_that_is_not_there_fails(void **state)
{
    struct made *m = *state;
    char path[256];
    snprintf(path, sizeof path, "%s/study.db", m->folder);
    assert_int_equal(store_request_put(path, "stop", "", NULL, &m->err), -1);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(requests_come_oldest_first_until_they_are_done),
        with_store(what_cannot_be_read_is_moved_aside_and_told),
        with_store(a_request_to_a_folder_that_is_not_there_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
