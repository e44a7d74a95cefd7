/* test_phases.c - every phase of a run, and of a trial, is reached in every way
 * that is legal
 *
 * A list of steps says in which phase something is asked for. Which moves were
 * made is in the log; in the end they are those of the tables. */
#include "bed.h"
#include "study/conductor.h"

static bool moved[RUN_PHASES][RUN_PHASES];
static bool live_moved[LIVE_PHASES][LIVE_PHASES];

/* ---- listening -------------------------------------------------------- */

static enum run_phase phase_of(const char *name)
{
    for (int i = 0; i < RUN_PHASES; i++)
        if (!strcmp(name, run_phase_name((enum run_phase)i)))
            return (enum run_phase)i;
    fail_msg("there is no phase %s", name);
    return RUN_PHASES;
}

static enum live_phase live_phase_of(const char *name)
{
    for (int i = 0; i < LIVE_PHASES; i++)
        if (!strcmp(name, live_phase_name((enum live_phase)i)))
            return (enum live_phase)i;
    fail_msg("there is no phase %s", name);
    return LIVE_PHASES;
}

static void note(void *context, enum log_level level, const char *text)
{
    char from[32], to[32];
    (void)context;
    if (level != LOG_DEBUG)
        return;
    if (sscanf(text, "run: %31[^,], then %31[^,]", from, to) == 2)
        moved[phase_of(from)][phase_of(to)] = true;
    if (sscanf(text, "trial %*d: %31[^,], then %31[^,]", from, to) == 2)
        live_moved[live_phase_of(from)][live_phase_of(to)] = true;
}

static const struct log ear = {.write = note, .least = LOG_DEBUG};

/* ---- asking ----------------------------------------------------------- */

struct step {
    enum run_phase in; /* when the run is there, and a trial runs … */
    void (*ask)(struct bed *b);
};

static const struct step *next;

static void follow(struct bed *b)
{
    struct study_progress p;
    study_progress(b->study, &p);
    while (next->ask && p.counts.by_state[STATE_RUNNING] &&
           b->study->run.phase == next->in)
        (next++)->ask(b);
}

static void request(struct bed *b, const char *verb, const char *selector)
{
    assert_int_equal(
        store_request_put(b->setup.folder, verb, selector, NULL, &b->err), 0);
    study_requests(b->study);
}

static void drain(struct bed *b)
{
    study_drain(b->study);
}

static void part(struct bed *b)
{
    study_part(b->study);
}

static void interrupt(struct bed *b)
{
    study_interrupt(b->study);
}

static void stop_first(struct bed *b)
{
    request(b, "stop", "1");
}

static void kill_first(struct bed *b)
{
    request(b, "kill", "1");
}

static void fall(struct bed *b)
{
    struct err err = {0};
    err_set(&err, ERR_SYSTEM, "it broke");
    run_break(&b->study->run, &err);
}

#define STUDY(command)                                                         \
    "name: s\nmethod: grid\ngrid: {order: written}\nparallel: 2\n"             \
    "metric: {name: loss, target: 0.5}\nretries: 0\nretry_delay: 300s\n"       \
    "parameters: {n: {values: [1, 2, 3, 4, 5, 6]}}\ncommand: [x, " command     \
    "]\n"
/* The first one runs until it is asked to end. */
#define FIRST_RUNS(others)                                                     \
    STUDY("'when={n}:1', sleep-ms=600000, when=any, " others)
#define ALL_RUN STUDY("sleep-ms=600000")
#define DONE "'metric=loss:{n}'"
/* With rungs no trial waits to share a commit: the next one is out before the
 * first one, which runs, takes its next step. */
#define OTHERS_FAIL                                                            \
    FIRST_RUNS("exit=1")                                                       \
    "early_terminate: {type: asha, min_iter: 1, max_iter: 9}\n"

static int run(struct bed *b, const char *place, const char *text,
               const struct step *steps, enum study_end *end)
{
    b->setup.place = place;
    b->setup.log = &ear;
    b->meddle = follow;
    next = steps;
    int rc = bed_run(b, text, end);
    assert_null(next->ask);
    return rc;
}

static void check(struct bed *b, const char *place, const char *text,
                  const struct step *steps, enum study_end want)
{
    enum study_end end;
    if (run(b, place, text, steps, &end))
        fail_msg("%s", b->err.text);
    assert_int_equal(end, want);
}

/* ---- ends ------------------------------------------------------------- */

static void a_run_is_over_when_all_has_ended(void **s)
{
    check(*s, "fake", STUDY(DONE), (struct step[]){{0}}, STUDY_COMPLETE);
    assert_int_equal(count(*s, STATE_DONE), 6);
}

static void what_runs_may_finish(void **s)
{
    const struct step steps[] = {
        {RUN_STARTS, drain}, {RUN_DRAINS, stop_first}, {0}};
    check(*s, "fake", FIRST_RUNS(DONE), steps, STUDY_DRAINED);
    assert_int_equal(trial(*s, 1).state, STATE_STOPPED);
}

static void what_runs_is_ended(void **s)
{
    const struct step steps[] = {{RUN_STARTS, interrupt}, {0}};
    check(*s, "fake", ALL_RUN, steps, STUDY_INTERRUPTED);
    assert_int_equal(count(*s, STATE_RUNNING), 0);
}

static void who_waits_for_the_end_may_want_it_at_once(void **s)
{
    const struct step steps[] = {
        {RUN_STARTS, drain}, {RUN_DRAINS, interrupt}, {0}};
    check(*s, "fake", ALL_RUN, steps, STUDY_INTERRUPTED);
    assert_int_equal(count(*s, STATE_RUNNING), 0);
}

static void who_waits_for_the_end_may_leave_it_to_the_next_run(void **s)
{
    const struct step steps[] = {{RUN_STARTS, drain}, {RUN_DRAINS, part}, {0}};
    check(*s, "fake-cluster", ALL_RUN, steps, STUDY_INTERRUPTED);
    assert_true(count(*s, STATE_RUNNING) > 0);
}

static void who_parts_may_end_what_runs_after_all(void **s)
{
    const struct step steps[] = {
        {RUN_STARTS, part}, {RUN_PARTS, interrupt}, {0}};
    check(*s, "fake-cluster", ALL_RUN, steps, STUDY_INTERRUPTED);
}

static void what_breaks_is_said_and_not_committed(void **s)
{
    const struct step steps[] = {{RUN_STARTS, drain}, {RUN_DRAINS, fall}, {0}};
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(run(b, "fake", ALL_RUN, steps, &end), -1);
    assert_string_equal(b->err.text, "it broke");
    assert_int_equal(end, STUDY_BROKEN);
}

/* ---- doubt ------------------------------------------------------------ */

static void one_that_gets_on_ends_the_doubt(void **s)
{
    const struct step steps[] = {{RUN_DOUBTS, stop_first}, {0}};
    check(*s, "fake", OTHERS_FAIL, steps, STUDY_COMPLETE);
    assert_int_equal(count(*s, STATE_FAILED), 5);
}

static void none_that_gets_on_ends_the_run(void **s)
{
    const struct step steps[] = {{RUN_DOUBTS, kill_first}, {0}};
    check(*s, "fake", OTHERS_FAIL, steps, STUDY_ALL_FAILED);
}

static void a_run_in_doubt_can_be_ended(void **s)
{
    const struct step steps[] = {{RUN_DOUBTS, interrupt}, {0}};
    check(*s, "fake", OTHERS_FAIL, steps, STUDY_INTERRUPTED);
}

static void a_run_in_doubt_can_be_parted_from(void **s)
{
    const struct step steps[] = {{RUN_DOUBTS, part}, {0}};
    check(*s, "fake-cluster", OTHERS_FAIL, steps, STUDY_INTERRUPTED);
}

/* ---- settling --------------------------------------------------------- */

/* Once the first has failed and waits for another try. */
static void part_when_one_waits(struct bed *b)
{
    const struct live *l = run_live(&b->study->run, 1);
    struct study_progress p;
    study_progress(b->study, &p);
    if (l->t.failures && p.counts.by_state[STATE_RUNNING] == 1) {
        study_part(b->study);
        b->meddle = NULL;
    }
}

static void leave_wish(struct bed *b, int64_t id)
{
    store_close(b->store);
    b->store = NULL;
    struct store *w = store_open(b->setup.folder, true, &b->err);
    assert_non_null(w);
    assert_int_equal(store_lease_take(w, false, &b->err), 0);
    assert_int_equal(store_begin(w, &b->err), 0);
    assert_int_equal(store_wish_set(w, id, WISH_STOP, &b->err), 0);
    assert_int_equal(store_commit(w, &b->err), 0);
    store_close(w);
}

/* Stopped as was wished, the first trial reaches the target before the run has
 * begun; the second one is still out at a place that outlived its conductor. */
static void what_is_decided_while_settling_lets_the_adopted_finish(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text =
        "name: s\nmethod: grid\ngrid: {order: written}\nparallel: 2\n"
        "metric: {name: loss, target: 0.5}\nretries: 1\nretry_delay: 300s\n"
        "parameters: {n: {values: [1, 2]}}\n"
        "command: [x, 'when={n}:1', 'metric=loss:0.5', exit=1, when=any, "
        "sleep-ms=50, 'metric=loss:{n}']\n";
    b->setup.place = "fake-cluster";
    b->setup.log = &ear;
    b->meddle = part_when_one_waits;
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_INTERRUPTED);
    leave_wish(b, 1);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_TARGET);
    assert_int_equal(trial(b, 1).state, STATE_STOPPED);
    assert_int_equal(trial(b, 2).state, STATE_DONE);
    assert_int_equal(trial(b, 2).attempts, 1);
}

/* ---- trials ----------------------------------------------------------- */

static void stop_reporting(struct bed *b)
{
    const struct live *l = run_live(&b->study->run, 1);
    if (l && live_is_out(l) && l->summary.list.len) {
        request(b, "stop", "1");
        b->meddle = NULL;
    }
}

/* As soon as the attempt that reads is written. */
static void drain_when_it_reads(struct bed *b)
{
    const struct live *l = run_live(&b->study->run, 1);
    if (l && l->phase == LIVE_READS) {
        study_drain(b->study);
        b->meddle = NULL;
    } else if (l && live_is_out(l) && l->summary.list.len && !l->wish) {
        request(b, "stop", "1");
    }
}

#define LOST_WHEN_ASKED                                                        \
    STUDY("'when={n}:1', deaf, 'metric=loss:2', sleep-ms=5, die, when=any, "   \
          "'metric=loss:3'")

static void what_a_lost_attempt_left_is_read_before_the_end(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->setup.log = &ear;
    b->meddle = stop_reporting;
    assert_int_equal(bed_run(b, LOST_WHEN_ASKED, &end), 0);
    assert_int_equal(trial(b, 1).state, STATE_STOPPED);
    assert_int_equal(trial(b, 1).attempts, 2);
}

static void one_that_has_not_begun_to_read_comes_back(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->setup.log = &ear;
    b->meddle = drain_when_it_reads;
    assert_int_equal(bed_run(b, LOST_WHEN_ASKED, &end), 0);
    assert_null(b->meddle);
}

/* ---- the tables ------------------------------------------------------- */

/* After the others. A run may break in every phase. */
static void every_legal_move_was_made_and_no_other(void **s)
{
    (void)s;
    for (int from = 0; from < RUN_PHASES; from++)
        for (int to = 0; to < RUN_BROKEN; to++) {
            enum run_phase a = (enum run_phase)from, b = (enum run_phase)to;
            if (run_phase_leads(a, b) != moved[a][b])
                fail_msg("from %s to %s: %s", run_phase_name(a),
                         run_phase_name(b),
                         moved[a][b] ? "it was made" : "nothing makes it");
        }
    for (int from = 0; from < LIVE_PHASES; from++)
        for (int to = 0; to < LIVE_PHASES; to++) {
            enum live_phase a = (enum live_phase)from, b = (enum live_phase)to;
            if (live_phase_leads(a, b) != live_moved[a][b])
                fail_msg("from %s to %s: %s", live_phase_name(a),
                         live_phase_name(b),
                         live_moved[a][b] ? "it was made" : "nothing makes it");
        }
}

#define on_bed(test) cmocka_unit_test_setup_teardown(test, bed_open, bed_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bed(a_run_is_over_when_all_has_ended),
        on_bed(what_runs_may_finish),
        on_bed(what_runs_is_ended),
        on_bed(who_waits_for_the_end_may_want_it_at_once),
        on_bed(who_waits_for_the_end_may_leave_it_to_the_next_run),
        on_bed(who_parts_may_end_what_runs_after_all),
        on_bed(what_breaks_is_said_and_not_committed),
        on_bed(one_that_gets_on_ends_the_doubt),
        on_bed(none_that_gets_on_ends_the_run),
        on_bed(a_run_in_doubt_can_be_ended),
        on_bed(a_run_in_doubt_can_be_parted_from),
        on_bed(what_is_decided_while_settling_lets_the_adopted_finish),
        on_bed(what_a_lost_attempt_left_is_read_before_the_end),
        on_bed(one_that_has_not_begun_to_read_comes_back),
        cmocka_unit_test(every_legal_move_was_made_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
