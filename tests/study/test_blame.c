/* test_blame.c - who is to blame when a worker is lost */
#include "bed.h"

#define LIST(parallel, command)                                                \
    "name: s\ncommand: [x, " command "]\nparallel: " parallel "\n"             \
    "method: grid\nmetric: {name: loss, goal: minimize}\n"                     \
    "parameters:\n  n: {values: [1, 2, 3, 4, 5, 6, 7, 8]}\n"

#define GUILTY(words) "'when={n}:2', " words ", when=any, "
#define WORK "sleep-ms=50, 'metric=loss:{n}'"

static size_t losses(struct bed *b, int64_t id)
{
    struct attempt *list;
    size_t count, lost = 0;
    assert_int_equal(
        store_attempts(b->store, id, b->arena, &list, &count, NULL), 0);
    for (size_t i = 0; i < count; i++)
        lost += list[i].outcome == OUTCOME_LOST;
    return lost;
}

static void a_neighbour_that_kills_the_worker_fails_alone(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->machine.cpus = 8;
    assert_int_equal(
        bed_run(b, LIST("8", GUILTY("sleep-ms=5, die") WORK), &end), 0);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_DONE), 7);
    struct trial t = trial(b, 2);
    assert_int_equal(t.state, STATE_FAILED);
    assert_int_equal(t.failures, 0);
    assert_non_null(strstr(t.reason.p, "lost 3 times"));
    /* Twice among all eight, once with another, and then alone. */
    assert_int_equal(losses(b, 2), 6);
}

static void one_loss_changes_nothing(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->machine.cpus = 8;
    assert_int_equal(
        bed_run(
            b,
            LIST("8", GUILTY("attempt=1, sleep-ms=5, die, attempt=any") WORK),
            &end),
        0);
    assert_int_equal(count(b, STATE_DONE), 8);
    for (int64_t id = 1; id <= 8; id++)
        assert_int_equal(losses(b, id), 1);
}

/* The others report for long, so that real time passes meanwhile. */
static void who_was_alone_in_its_job_waits_for_no_other(void **s)
{
    struct bed *b = *s;
    struct attempt *list, *other;
    size_t count, others;
    enum study_end end;
    b->machine.cpus = 8;
    b->setup.place = "fake-cluster";
    assert_int_equal(
        bed_run(b,
                LIST("8", GUILTY("attempt=1, sleep-ms=5, vanish-ms=5, "
                                 "attempt=any") "'train=loss:{n}:5000:2'"),
                &end),
        0);
    assert_int_equal(store_attempts(b->store, 2, b->arena, &list, &count, NULL),
                     0);
    assert_int_equal(list[0].outcome, OUTCOME_LOST);
    assert_int_equal(
        store_attempts(b->store, 1, b->arena, &other, &others, NULL), 0);
    assert_true(list[1].started < other[0].ended);
}

/* ---- after a crash of both --------------------------------------------- */

struct left {
    enum outcome outcome;
    uint32_t company;
    uint64_t digest;
};

/* What earlier runs left of a trial; an open attempt is of this boot. */
static void leave(struct bed *b, int64_t id, const struct left *list,
                  uint32_t count, const char *boot_id)
{
    struct trial t = {.id = id, .parent = -1, .value = NAN};
    t.point = str_of(arena_printf(b->arena, "{\"n\":%lld}", (long long)id));
    store_close(b->store);
    b->store = NULL;
    struct store *w = store_open(b->setup.folder, true, &b->err);
    assert_int_equal(store_lease_take(w, false, &b->err), 0);
    assert_int_equal(store_begin(w, &b->err), 0);
    assert_int_equal(store_trial_add(w, &t, &b->err), 0);
    t.attempts = count;
    t.state = STATE_RUNNING;
    assert_int_equal(store_trial_update(w, &t, &b->err), 0);
    for (uint32_t i = 0; i < count; i++) {
        struct attempt a = {.trial = id,
                            .number = i + 1,
                            .outcome = list[i].outcome,
                            .company = list[i].company,
                            .checkpoint_digest = list[i].digest};
        snprintf(a.boot_id, sizeof a.boot_id, "%s", boot_id);
        assert_int_equal(store_attempt_put(w, &a, &b->err), 0);
    }
    assert_int_equal(store_commit(w, &b->err), 0);
    store_close(w);
}

static const char plain[] = LIST("1", WORK);

static void begin(struct bed *b)
{
    enum study_end end;
    b->setup.count = 1;
    assert_int_equal(bed_run(b, plain, &end), 0);
    b->setup.count = 0;
}

static const struct left alone[] = {
    {OUTCOME_LOST, 1, 0}, {OUTCOME_LOST, 1, 0}, {OUTCOME_NONE, 0, 0}};

static void what_takes_conductor_and_worker_down_fails_after_three(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    begin(b);
    leave(b, 2, alone, 3, process_boot_id());
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_int_equal(trial(b, 2).state, STATE_FAILED);
    assert_int_equal(trial(b, 2).attempts, 3);
    assert_int_equal(count(b, STATE_DONE), 7);
}

/* What the worker that was killed had written down: one process, or none. */
static void leave_leaders(struct bed *b, uint64_t task, uint64_t attempt)
{
    struct leaders file;
    char *words = path_join(b->arena, b->setup.folder, LAST_WORDS);
    assert_int_equal(dir_make(words, NULL), 0);
    assert_int_equal(
        leaders_open(&file, path_join(b->arena, words, "1-2-3.rec.leaders"),
                     NULL),
        0);
    struct leader_line line = {
        .pid = 4000000, .start = 1, .task = task, .attempt = attempt};
    if (task)
        leader_write(file.fd, leaders_take(&file), line);
    leaders_close(&file, false);
}

static void who_did_not_run_is_not_blamed(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    begin(b);
    leave(b, 2, alone, 3, process_boot_id());
    leave_leaders(b, 0, 0);
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_int_equal(count(b, STATE_DONE), 8);
    assert_int_equal(losses(b, 2), 2);
}

static void who_ran_is_blamed_also_beside_one_that_did_not(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    begin(b);
    leave(b, 2, alone, 3, process_boot_id());
    leave(b, 3, &alone[2], 1, process_boot_id());
    leave_leaders(b, 2, 3);
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_int_equal(trial(b, 2).state, STATE_FAILED);
    assert_int_equal(count(b, STATE_DONE), 7);
    assert_int_equal(losses(b, 3), 0);
}

static void who_was_in_company_is_not_blamed(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    begin(b);
    leave(b, 2, alone, 3, process_boot_id());
    leave(b, 3, &alone[2], 1, process_boot_id());
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_int_equal(count(b, STATE_DONE), 8);
    assert_int_equal(losses(b, 2), 3);
    assert_int_equal(losses(b, 3), 1);
}

static void a_machine_that_went_down_blames_nobody(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    begin(b);
    leave(b, 2, alone, 3, "another boot");
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_int_equal(count(b, STATE_DONE), 8);
    assert_int_equal(losses(b, 2), 2);
}

static void what_was_to_end_anyway_is_not_blamed(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    begin(b);
    leave(b, 2, alone, 3, process_boot_id());
    struct store *w = store_open(b->setup.folder, true, &b->err);
    assert_int_equal(store_lease_take(w, false, &b->err), 0);
    assert_int_equal(
        store_event_add(w, clock_wall(), "opened", STR(""), &b->err), 0);
    assert_int_equal(
        store_event_add(w, clock_wall(), "draining", STR(""), &b->err), 0);
    assert_int_equal(store_commit(w, &b->err), 0);
    store_close(w);
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_int_equal(count(b, STATE_DONE), 8);
    assert_int_equal(losses(b, 2), 2);
}

static void who_gets_on_between_losses_is_not_blamed(void **s)
{
    static const struct left list[] = {
        {OUTCOME_LOST, 1, 7}, {OUTCOME_LOST, 1, 8}, {OUTCOME_NONE, 0, 0}};
    struct bed *b = *s;
    enum study_end end;
    begin(b);
    leave(b, 2, list, 3, process_boot_id());
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_int_equal(count(b, STATE_DONE), 8);
    assert_int_equal(losses(b, 2), 3);
}

static void interruptions_between_do_not_make_losses_forgotten(void **s)
{
    static const struct left list[] = {{OUTCOME_LOST, 1, 0},
                                       {OUTCOME_INTERRUPTED, 0, 0},
                                       {OUTCOME_LOST, 1, 0},
                                       {OUTCOME_INTERRUPTED, 0, 0},
                                       {OUTCOME_NONE, 0, 0}};
    struct bed *b = *s;
    enum study_end end;
    begin(b);
    leave(b, 2, list, 5, process_boot_id());
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_int_equal(trial(b, 2).state, STATE_FAILED);
    assert_int_equal(trial(b, 2).attempts, 5);
}

#define on_bed(test) cmocka_unit_test_setup_teardown(test, bed_open, bed_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bed(a_neighbour_that_kills_the_worker_fails_alone),
        on_bed(one_loss_changes_nothing),
        on_bed(what_takes_conductor_and_worker_down_fails_after_three),
        on_bed(who_was_alone_in_its_job_waits_for_no_other),
        on_bed(who_was_in_company_is_not_blamed),
        on_bed(who_did_not_run_is_not_blamed),
        on_bed(who_ran_is_blamed_also_beside_one_that_did_not),
        on_bed(a_machine_that_went_down_blames_nobody),
        on_bed(what_was_to_end_anyway_is_not_blamed),
        on_bed(who_gets_on_between_losses_is_not_blamed),
        on_bed(interruptions_between_do_not_make_losses_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
