/* test_trial.c - facts, trials, attempts: what goes in comes out */
#include "made_store.h"

static void assert_str(struct str s, const char *expected)
{
    assert_int_equal(s.len, strlen(expected));
    assert_memory_equal(s.p, expected, s.len);
}

static void a_new_store_is_empty(void **state)
{
    struct made *m = *state;
    struct counts c;
    assert_ok(m, store_counts(m->s, &c, &m->err));
    assert_int_equal(c.total, 0);
    assert_int_equal(store_last_trial(m->s), 0);
    assert_int_equal(store_best(m->s, true), 0);
    assert_string_equal(store_folder(m->s), m->folder);
    assert_ok(m, store_integrity(m->s, &m->err));
}

static void a_trial_comes_back_as_it_was_given(void **state)
{
    struct made *m = *state;
    struct trial t = {.id = 7,
                      .point = STR("{\"lr\":0.1}"),
                      .run_id = STR("my-run"),
                      .parent = 3,
                      .budget = 9,
                      .group = 2,
                      .member = 1,
                      .created = 1234.5};
    assert_ok(m, store_trial_add(m->s, &t, &m->err));
    struct trial u = {.id = 7,
                      .state = STATE_FAILED,
                      .value = 0.25,
                      .attempts = 3,
                      .failures = 2,
                      .started = 1300,
                      .ended = 1400.25,
                      .seconds = 77,
                      .budget = 27,
                      .reason = STR("out of memory"),
                      .summary = STR("{\"loss\":{\"last\":0.25}}")};
    assert_ok(m, store_trial_update(m->s, &u, &m->err));
    assert_ok(m, store_trial_note(m->s, 7, STR("look at this"), &m->err));
    assert_ok(m, store_trial_tag(m->s, 7, STR("b"), true, &m->err));
    assert_ok(m, store_trial_tag(m->s, 7, STR("a"), true, &m->err));
    assert_ok(m, store_trial_tag(m->s, 7, STR("c"), true, &m->err));
    assert_ok(m, store_trial_tag(m->s, 7, STR("c"), false, &m->err));
    made_commit(m);
    made_again(m);
    struct trial r;
    assert_ok(m, store_trial(m->s, 7, m->a, &r, &m->err));
    assert_int_equal(r.state, STATE_FAILED);
    assert_str(r.point, "{\"lr\":0.1}");
    assert_str(r.run_id, "my-run");
    assert_true(r.value == 0.25 && r.created == 1234.5 && r.started == 1300);
    assert_true(r.ended == 1400.25 && r.seconds == 77);
    assert_int_equal(r.parent, 3);
    assert_int_equal(r.budget, 27);
    assert_int_equal(r.group, 2);
    assert_int_equal(r.member, 1);
    assert_int_equal(r.attempts, 3);
    assert_int_equal(r.failures, 2);
    assert_str(r.reason, "out of memory");
    assert_str(r.summary, "{\"loss\":{\"last\":0.25}}");
    assert_str(r.note, "look at this");
    assert_int_equal(r.tag_count, 2);
    assert_str(r.tags[0], "a");
    assert_str(r.tags[1], "b");
}

static void absent_parts_of_a_trial_stay_absent(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_WAITING, NAN);
    made_commit(m);
    struct trial r;
    assert_ok(m, store_trial(m->s, 1, m->a, &r, &m->err));
    assert_true(isnan(r.value));
    assert_int_equal(r.parent, -1);
    assert_int_equal(r.group, 0);
    assert_int_equal(r.run_id.len + r.reason.len + r.summary.len, 0);
    assert_int_equal(r.tag_count, 0);
}

static void an_update_without_texts_clears_them_but_keeps_the_note(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    assert_ok(m, store_trial_note(m->s, 1, STR("n"), &m->err));
    made_summary(m, 1, "{\"a\":1}", "why");
    struct trial t = {.id = 1, .state = STATE_WAITING, .value = NAN};
    assert_ok(m, store_trial_update(m->s, &t, &m->err));
    made_commit(m);
    struct trial r;
    assert_ok(m, store_trial(m->s, 1, m->a, &r, &m->err));
    assert_int_equal(r.reason.len + r.summary.len, 0);
    assert_str(r.note, "n");
}

static void infinite_objectives_are_values_and_nan_is_none(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_DONE, INFINITY);
    made_trial(m, 2, "{}", STATE_DONE, -INFINITY);
    made_trial(m, 3, "{}", STATE_DONE, NAN);
    made_commit(m);
    assert_int_equal(store_best(m->s, true), 2);
    assert_int_equal(store_best(m->s, false), 1);
    struct trial r;
    assert_ok(m, store_trial(m->s, 1, m->a, &r, &m->err));
    assert_true(isinf(r.value));
    assert_ok(m, store_trial(m->s, 3, m->a, &r, &m->err));
    assert_true(isnan(r.value));
}

static void the_best_trial_is_a_final_one_and_ties_go_to_the_first(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_RUNNING, 0.0);
    made_trial(m, 2, "{}", STATE_DONE, 0.5);
    made_trial(m, 3, "{}", STATE_DONE, 0.5);
    made_trial(m, 4, "{}", STATE_DONE, 0.9);
    made_trial(m, 5, "{}", STATE_DONE, 0.9);
    made_commit(m);
    assert_int_equal(store_best(m->s, true), 2);
    assert_int_equal(store_best(m->s, false), 4);
}

static void counters_follow_every_change_of_state(void **state)
{
    struct made *m = *state;
    for (int i = 1; i <= 10; i++)
        made_trial(m, i, "{}", STATE_WAITING, NAN);
    struct trial t = {.id = 4, .state = STATE_RUNNING, .value = NAN};
    assert_ok(m, store_trial_update(m->s, &t, &m->err));
    t.state = STATE_DONE;
    assert_ok(m, store_trial_update(m->s, &t, &m->err));
    t.id = 5;
    t.state = STATE_KILLED;
    assert_ok(m, store_trial_update(m->s, &t, &m->err));
    made_commit(m);
    struct store *reader = store_open(m->folder, false, &m->err);
    assert_non_null(reader);
    struct store *const both[] = {m->s, reader};
    for (int i = 0; i < 2; i++) {
        struct counts c;
        assert_ok(m, store_counts(both[i], &c, &m->err));
        assert_int_equal(c.total, 10);
        assert_int_equal(c.by_state[STATE_WAITING], 8);
        assert_int_equal(c.by_state[STATE_RUNNING], 0);
        assert_int_equal(c.by_state[STATE_DONE], 1);
        assert_int_equal(c.by_state[STATE_KILLED], 1);
        assert_int_equal(store_last_trial(both[i]), 10);
    }
    store_close(reader);
}

static void a_trial_that_is_not_there_is_missing(void **state)
{
    struct made *m = *state;
    struct trial r = {.id = 99, .state = STATE_DONE};
    assert_int_equal(store_trial(m->s, 99, m->a, &r, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_MISSING);
    assert_int_equal(store_trial_update(m->s, &r, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_MISSING);
    assert_int_equal(store_trial_note(m->s, 99, STR("x"), &m->err), -1);
    assert_int_equal(store_trial_tag(m->s, 99, STR("x"), true, &m->err), -1);
    /* What was refused leaves the rest of the transaction alone. */
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    assert_ok(m, store_trial(m->s, 1, m->a, &r, &m->err));
}

static void the_same_trial_is_not_added_twice(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{\"a\":1}", STATE_WAITING, NAN);
    struct trial t = {.id = 1, .point = STR("{}")};
    assert_int_equal(store_trial_add(m->s, &t, &m->err), -1);
    assert_non_null(strstr(m->err.text, "trial 1"));
    made_commit(m);
    struct counts c;
    assert_ok(m, store_counts(m->s, &c, &m->err));
    assert_int_equal(c.total, 1);
    struct trial r;
    assert_ok(m, store_trial(m->s, 1, m->a, &r, &m->err));
    assert_str(r.point, "{\"a\":1}");
}

static void facts_are_set_replaced_and_removed(void **state)
{
    struct made *m = *state;
    struct str text;
    assert_ok(m, store_fact_set(m->s, "name", STR("one"), &m->err));
    assert_ok(m, store_fact_set(m->s, "name", STR("two"), &m->err));
    assert_ok(m, store_fact_set(m->s, "empty", STR(""), &m->err));
    assert_ok(m, store_fact_set(m->s, "nul", str_n("a\0b", 3), &m->err));
    made_commit(m);
    assert_ok(m, store_fact(m->s, "name", m->a, &text, &m->err));
    assert_str(text, "two");
    assert_ok(m, store_fact(m->s, "nul", m->a, &text, &m->err));
    assert_int_equal(text.len, 3);
    assert_ok(m, store_fact(m->s, "empty", m->a, &text, &m->err));
    assert_non_null(text.p);
    assert_int_equal(text.len, 0);
    assert_ok(m, store_fact_set(m->s, "name", (struct str){0}, &m->err));
    made_commit(m);
    assert_ok(m, store_fact(m->s, "name", m->a, &text, &m->err));
    assert_null(text.p);
}

static void attempts_are_replaced_dropped_and_listed_in_order(void **state)
{
    struct made *m = *state;
    struct attempt a = {.trial = 1,
                        .number = 2,
                        .outcome = OUTCOME_NONE,
                        .host = "node7",
                        .boot_id = "boot-1",
                        .pid = 42,
                        .pid_start = 1u << 30,
                        .placed = 10};
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
    a.outcome = OUTCOME_MEMORY;
    a.exit_code = -1;
    a.signum = 9;
    a.company = 4;
    a.sequence = 70000;
    a.metrics_at = (uint64_t)5 << 32;
    a.log_at = 17;
    a.folder = 2;
    a.presumed = true;
    a.checkpoint_digest = UINT64_MAX - 5;
    a.cpu_seconds = 1.5;
    a.reason = STR("used 3 GiB of 2 GiB");
    a.tail = STR("last\nlines");
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
    a = (struct attempt){.trial = 1, .number = 1, .host = "node8"};
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
    made_commit(m);
    made_again(m);
    struct attempt *list;
    size_t count;
    assert_ok(m, store_attempts(m->s, 1, m->a, &list, &count, &m->err));
    assert_int_equal(count, 2);
    assert_int_equal(list[0].number, 1);
    assert_string_equal(list[0].host, "node8");
    assert_string_equal(list[1].host, "node7");
    assert_string_equal(list[1].boot_id, "boot-1");
    assert_int_equal(list[1].outcome, OUTCOME_MEMORY);
    assert_int_equal(list[1].pid, 42);
    assert_int_equal(list[1].pid_start, 1u << 30);
    assert_int_equal(list[1].exit_code, -1);
    assert_int_equal(list[1].signum, 9);
    assert_int_equal(list[1].company, 4);
    assert_int_equal(list[0].company, 0);
    assert_int_equal(list[1].sequence, 70000);
    assert_true(list[1].metrics_at == (uint64_t)5 << 32);
    assert_int_equal(list[1].log_at, 17);
    assert_int_equal(list[1].folder, 2);
    assert_true(list[1].presumed && !list[0].presumed);
    assert_string_equal(path_name(store_trial_folder(m->s, 1, m->a)).p, "1.2");
    assert_int_equal(list[0].sequence + list[0].log_at + list[0].folder, 0);
    assert_true(list[1].checkpoint_digest == UINT64_MAX - 5);
    assert_true(list[1].cpu_seconds == 1.5 && list[1].placed == 10);
    assert_str(list[1].reason, "used 3 GiB of 2 GiB");
    assert_str(list[1].tail, "last\nlines");
    assert_ok(m, store_attempts(m->s, 2, m->a, &list, &count, &m->err));
    assert_int_equal(count, 0);
}

static void write_in(struct made *m, uint32_t own, const char *text)
{
    char *path = path_join(m->a, store_attempt_folder(m->folder, 1, own, m->a),
                           "output/table");
    assert_ok(m, dir_make(path_folder(m->a, path), &m->err));
    assert_ok(m, file_write(path, str_of(text), false, &m->err));
}

static void a_file_is_read_that_the_newest_attempt_has_left(void **state)
{
    struct made *m = *state;
    struct attempt a = {.trial = 1, .number = 1};
    struct err err = {0};
    struct buf b;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
    made_commit(m);
    struct packs *packs = packs_of(m->s);
    write_in(m, 0, "first");
    buf_init(&b);
    assert_ok(m, packs_read(packs, 1, "output/table", &b, &m->err));
    assert_string_equal(b.p, "first");
    a.number = 2;
    a.folder = 2;
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
    made_commit(m);
    buf_reset(&b);
    assert_int_equal(packs_read(packs, 1, "output/table", &b, &err), -1);
    assert_int_equal(err.kind, ERR_MISSING);
    write_in(m, 2, "second");
    buf_reset(&b);
    assert_ok(m, packs_read(packs, 1, "output/table", &b, &m->err));
    assert_string_equal(b.p, "second");
    buf_done(&b);
    packs_close(packs);
}

static void a_wish_is_kept_until_it_is_taken_back(void **state)
{
    struct made *m = *state;
    enum wish wish = WISH_KILL;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    made_trial(m, 2, "{}", STATE_RUNNING, NAN);
    assert_ok(m, store_wish_set(m->s, 1, WISH_STOP, &m->err));
    assert_ok(m, store_wish_set(m->s, 1, WISH_KILL, &m->err));
    assert_ok(m, store_wish_set(m->s, 2, WISH_STOP, &m->err));
    made_commit(m);
    made_again(m);
    assert_ok(m, store_wish(m->s, 1, &wish, &m->err));
    assert_int_equal(wish, WISH_KILL);
    assert_ok(m, store_wish(m->s, 2, &wish, &m->err));
    assert_int_equal(wish, WISH_STOP);
    assert_ok(m, store_wish(m->s, 3, &wish, &m->err));
    assert_int_equal(wish, WISH_NONE);
    assert_ok(m, store_wish_set(m->s, 1, WISH_NONE, &m->err));
    assert_ok(m, store_trial_remove(m->s, 2, &m->err));
    made_commit(m);
    for (int64_t id = 1; id <= 2; id++) {
        assert_ok(m, store_wish(m->s, id, &wish, &m->err));
        assert_int_equal(wish, WISH_NONE);
    }
}

static void artifacts_and_events_are_kept(void **state)
{
    struct made *m = *state;
    assert_ok(
        m, store_artifact_add(m->s, 1, STR("b.bin"), 20, STR("ff"), &m->err));
    assert_ok(
        m, store_artifact_add(m->s, 1, STR("a.bin"), 10, STR("00"), &m->err));
    assert_ok(m, store_event_add(m->s, 1, "started", STR("one"), &m->err));
    assert_ok(m, store_event_add(m->s, 2, "stopped", STR("two"), &m->err));
    made_commit(m);
    struct artifact *artifacts;
    struct event *events;
    size_t count;
    assert_ok(m, store_artifacts(m->s, 1, m->a, &artifacts, &count, &m->err));
    assert_int_equal(count, 2);
    assert_str(artifacts[0].path, "a.bin");
    assert_int_equal(artifacts[1].bytes, 20);
    assert_ok(m, store_events(m->s, 0, m->a, &events, &count, &m->err));
    assert_int_equal(count, 2);
    assert_str(events[0].what, "started");
    assert_ok(m, store_events(m->s, 1, m->a, &events, &count, &m->err));
    assert_int_equal(count, 1);
    assert_str(events[0].text, "two");
}

static void what_is_not_committed_is_not_there(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    made_trial(m, 2, "{}", STATE_DONE, 2);
    struct counts c;
    assert_ok(m, store_counts(m->s, &c, &m->err));
    assert_int_equal(c.total, 2);
    store_rollback(m->s);
    assert_ok(m, store_counts(m->s, &c, &m->err));
    assert_int_equal(c.total, 1);
    assert_int_equal(store_last_trial(m->s), 1);
    made_trial(m, 2, "{}", STATE_DONE, 3);
    made_commit(m);
    struct trial r;
    assert_ok(m, store_trial(m->s, 2, m->a, &r, &m->err));
    assert_true(r.value == 3);
}

static void a_folder_says_by_its_name_whose_it_is(void **state)
{
    (void)state;
    int64_t id = 0;
    bool first = false;
    assert_true(store_folder_trial("17", &id, &first));
    assert_true(id == 17 && first);
    assert_true(store_folder_trial("18.2", &id, &first));
    assert_true(id == 18 && !first);
    assert_true(store_folder_trial("20.2r13", &id, &first));
    assert_true(id == 20 && !first);
    assert_true(store_folder_trial("21.2r1.copy", &id, &first));
    assert_true(id == 21 && !first);
    assert_false(store_folder_trial("7.2r", &id, &first));
    assert_false(store_folder_trial("7.2rx", &id, &first));
    assert_false(store_folder_trial("7.r1", &id, &first));
    assert_true(store_folder_trial("19.2.copy", &id, &first));
    assert_true(id == 19 && !first);
    assert_false(store_folder_trial("7.forgotten-1", &id, &first));
    assert_false(store_folder_trial("x", &id, &first));
    assert_false(store_folder_trial("7x.2", &id, &first));
    assert_false(store_folder_trial(".throng-1-2.tmp", &id, &first));
}

static void the_folder_of_a_trial_holds_a_thousand(void **state)
{
    struct made *m = *state;
    assert_string_equal(store_attempt_folder("x", 7, 0, m->a), "x/trials/0/7");
    assert_string_equal(store_attempt_folder("x", 12345, 0, m->a),
                        "x/trials/12/12345");
    assert_string_equal(store_attempt_folder("x", 7, store_own(3, 2), m->a),
                        "x/trials/0/7.3r2");
    assert_string_equal(store_attempt_folder("x", 7, 3, m->a),
                        "x/trials/0/7.3");
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

static void a_removed_trial_leaves_nothing_and_is_not_counted(void **state)
{
    struct made *m = *state;
    struct attempt at = {.trial = 2, .number = 1, .outcome = OUTCOME_FAILED};
    for (int64_t id = 1; id <= 2; id++) {
        struct trial t = {.id = id, .point = STR("{}"), .parent = -1};
        assert_ok(m, store_trial_add(m->s, &t, &m->err));
        t.state = STATE_FAILED;
        t.reason = STR("exit code 1");
        assert_ok(m, store_trial_update(m->s, &t, &m->err));
    }
    assert_ok(m, store_attempt_put(m->s, &at, &m->err));
    assert_ok(m, store_trial_tag(m->s, 2, STR("x"), true, &m->err));
    made_commit(m);
    assert_ok(m, store_trial_remove(m->s, 2, &m->err));
    made_commit(m);
    made_again(m);
    struct trial r;
    struct counts c;
    struct attempt *list;
    size_t n;
    assert_int_equal(store_trial(m->s, 2, m->a, &r, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_MISSING);
    assert_ok(m, store_counts(m->s, &c, &m->err));
    assert_int_equal(c.total, 1);
    assert_int_equal(c.by_state[STATE_FAILED], 1);
    assert_ok(m, store_attempts(m->s, 2, m->a, &list, &n, &m->err));
    assert_int_equal(n, 0);
    assert_int_equal(store_trial_remove(m->s, 2, &m->err), -1);
    assert_ok(m, store_integrity(m->s, &m->err));
}

static void keep_failure(void *context, const struct trial_failure *f)
{
    struct buf *b = context;
    buf_addf(b, "%lld %s %u %d %.*s %.*s;", (long long)f->trial,
             state_name(f->state), f->attempt, f->exit_code, STRF(f->reason),
             STRF(f->tail));
}

static void failures_come_with_their_newest_attempt(void **state)
{
    struct made *m = *state;
    struct buf b;
    for (int64_t id = 1; id <= 3; id++) {
        struct trial t = {.id = id, .point = STR("{}"), .parent = -1};
        assert_ok(m, store_trial_add(m->s, &t, &m->err));
        for (uint32_t i = 1; i <= 2; i++) {
            struct attempt at = {.trial = id,
                                 .number = i,
                                 .exit_code = (int32_t)i,
                                 .outcome = OUTCOME_FAILED,
                                 .tail = i == 1 ? STR("old") : STR("new")};
            if (id < 3)
                assert_ok(m, store_attempt_put(m->s, &at, &m->err));
        }
        t.state = id == 1 ? STATE_DONE : STATE_FAILED;
        t.reason = STR("why");
        assert_ok(m, store_trial_update(m->s, &t, &m->err));
    }
    made_commit(m);
    buf_init(&b);
    assert_ok(m, store_failures(m->s, keep_failure, &b, &m->err));
    assert_string_equal(b.p, "2 failed 2 2 why new;3 failed 0 0 why ;");
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(a_new_store_is_empty),
        with_store(a_removed_trial_leaves_nothing_and_is_not_counted),
        with_store(failures_come_with_their_newest_attempt),
        with_store(a_trial_comes_back_as_it_was_given),
        with_store(absent_parts_of_a_trial_stay_absent),
        with_store(an_update_without_texts_clears_them_but_keeps_the_note),
        with_store(infinite_objectives_are_values_and_nan_is_none),
        with_store(the_best_trial_is_a_final_one_and_ties_go_to_the_first),
        with_store(counters_follow_every_change_of_state),
        with_store(a_trial_that_is_not_there_is_missing),
        with_store(the_same_trial_is_not_added_twice),
        with_store(facts_are_set_replaced_and_removed),
        with_store(attempts_are_replaced_dropped_and_listed_in_order),
        with_store(a_file_is_read_that_the_newest_attempt_has_left),
        with_store(a_wish_is_kept_until_it_is_taken_back),
        with_store(artifacts_and_events_are_kept),
        with_store(what_is_not_committed_is_not_there),
        with_store(the_folder_of_a_trial_holds_a_thousand),
        cmocka_unit_test(a_folder_says_by_its_name_whose_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
