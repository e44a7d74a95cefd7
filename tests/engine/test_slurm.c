/* Place slurm with commands that answer as they are told to
 *
 * A real Slurm is tried in tests/cluster; here its commands are small scripts,
 * so that they can fail, lie and forget at will, and the test says what the
 * workers of jobs write. */
#include "slurm_bench.h"

/* ---- submissions ----------------------------------------------------------
 */

static void tasks_go_out_as_one_array_and_come_back(void **state)
{
    struct bench *b = *state;
    submit(b, 2);
    assert_string_equal(get(b, "submits"), "x\n");
    const char *script = get(b, arena_printf(b->arena, "../jobs/1/job.sh"));
    assert_non_null(strstr(script, "#SBATCH --array=0-1\n"));
    assert_non_null(strstr(script, "#SBATCH --cpus-per-task=1\n"));
    assert_non_null(strstr(script, "--job-name=throng-rig-"));
    assert_non_null(strstr(script, " --granted slurm --slots 1 --lead 60 "
                                   "--kill-wait 3 "));
    put(b, "queue", "7|0|RUNNING|None|n0|0|0|\n7|1|RUNNING|None|n1|0|0|\n");
    say_starting(b, "1/0", 0, 1);
    say_ended(b, "1/0", 0, 1);
    say_starting(b, "1/1", 0, 2);
    say_ended(b, "1/1", 0, 2);
    run(b, two_over);
    assert_int_equal(b->rig.ended, 2);
}

static bool faulted(struct bench *b)
{
    return b->rig.faults > 0;
}

static void one_refusal_is_one_however_many_tasks(void **state)
{
    struct bench *b = *state;
    put(b, "refuse",
        "sbatch: error: Invalid account or account/partition "
        "combination specified\n");
    rig_open(&b->rig, "slurm");
    for (uint64_t i = 1; i <= 200; i++)
        rig_submit(&b->rig, i, 1, "true");
    run(b, faulted);
    assert_int_equal(b->rig.faults, 1);
    assert_int_equal(b->rig.ended + b->rig.lost, 0);
    assert_string_equal(get(b, "submits"), "x\n");
    assert_non_null(strstr(b->rig.fault.text, "Invalid account"));
    assert_false(
        file_exists(arena_printf(b->arena, "%s/jobs/1", b->rig.folder)));
}

/* The answer was lost, not the order. */
static void an_order_that_was_taken_unheard_is_found_by_its_name(void **state)
{
    struct bench *b = *state;
    put(b, "refuse",
        "sbatch: error: Batch job submission failed: Socket timed "
        "out on send/recv operation\n");
    put(b, "found", "31;\n");
    submit(b, 1);
    assert_string_equal(get(b, "../jobs/1/job"), "31\n");
    assert_string_equal(get(b, "submits"), "x\n");
}

static void a_need_no_node_can_meet_is_refused(void **state)
{
    struct bench *b = *state;
    struct err err = {0};
    struct needs n;
    rig_open(&b->rig, "slurm");
    needs_init(&n);
    assert_int_equal(engine_slots(b->rig.engine, &n), 8);
    n.cpus = 5;
    assert_int_equal(engine_check(b->rig.engine, &n, &err), -1);
    assert_non_null(strstr(err.text, "n0: 4 cpus"));
}

static void a_partition_that_is_not_there_is_said(void **state)
{
    struct bench *b = *state;
    struct err err = {0};
    struct engine_hooks hooks = {0};
    struct value *site = value_object(b->arena);
    value_set(b->arena, site, STR("partition"),
              value_string(b->arena, STR("nope")));
    struct engine_setup setup = {.place = "slurm",
                                 .loop = b->rig.loop,
                                 .machine = &b->rig.machine,
                                 .folder = b->rig.folder,
                                 .worker = "w",
                                 .site = site};
    assert_null(engine_open(&setup, &hooks, &err));
    assert_non_null(strstr(err.text, "nope"));
    assert_int_equal(unlink(in_bin(b, "sinfo")), 0);
    setenv("PATH", b->bin, 1);
    assert_null(engine_open(&setup, &hooks, &err));
    assert_non_null(strstr(err.text, "sinfo"));
}

/* ---- fates ------------------------------------------------------------------
 */

static void a_failed_answer_changes_nothing(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    put(b, "queue", "7|0|RUNNING|None|n0|0|0|\n");
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "fail",
        "slurm_load_jobs error: Unable to contact slurm "
        "controller\n");
    put(b, "queue", "");
    look_thrice(b);
    assert_int_equal(b->rig.lost, 0);
    unlink(in_bin(b, "fail"));
    put(b, "queue", "7|0|RUNN"); /* … nor does half of one */
    look_thrice(b);
    assert_int_equal(b->rig.lost, 0);
    put(b, "queue", "");
    run(b, one_over);
    assert_int_equal(b->rig.lost, 1);
    assert_int_equal(rig_find(&b->rig, RIG_LOST, 1)->loss, LOSS_PRESUMED);
}

static void resubmit_always(struct rig *r, const struct seen *s)
{
    if (s->type == RECORD_ENDED)
        rig_submit(r, s->task, s->attempt + 1, "true");
}

static bool barren_jobs(struct bench *b)
{
    return strlen(get(b, "submits")) == 10;
}

/* Whose fault is no node's and no script's. */
static void what_a_full_disk_kept_from_being_said_is_tried_again(void **state)
{
    struct bench *b = *state;
    b->rig.on_seen = resubmit_always;
    put(b, "queue",
        "7|0|FAILED|NonZeroExitCode|n1|0|18944|\n"
        "8|0|FAILED|NonZeroExitCode|n1|0|18944|\n"
        "9|0|FAILED|NonZeroExitCode|n1|0|18944|\n"
        "10|0|FAILED|NonZeroExitCode|n1|0|18944|\n");
    submit(b, 1);
    run(b, barren_jobs);
    assert_int_equal(b->rig.faults, 0);
    const char *script =
        arena_printf(b->arena, "%s/jobs/5/job.sh", b->rig.folder);
    struct buf text;
    buf_init(&text);
    assert_int_equal(file_read(script, 0, &text, NULL), 0);
    assert_null(strstr(text.p, "--exclude"));
    buf_done(&text);
}

/* The time for the next question comes before the answer to the last. */
static void who_answers_slowly_is_asked_again(void **state)
{
    struct bench *b = *state;
    put(b, "slow", "");
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "queue", "7|0|COMPLETED|None|n1|0|0|\n");
    run(b, one_over);
    assert_int_equal(b->rig.lost, 1);
}

static void what_its_node_took_along_is_presumed_lost(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "queue", "7|0|NODE_FAIL|None|n1|0|0|\n");
    run(b, one_over);
    const struct seen *lost = rig_find(&b->rig, RIG_LOST, 1);
    assert_int_equal(lost->loss, LOSS_PRESUMED);
    assert_string_equal(
        lost->text, "Slurm job 7_0 on n1 ended as NODE_FAIL, its node failed");
}

static bool state_is_written(struct bench *b)
{
    return strstr(get(b, "../jobs/1/state"), "PENDING") != NULL;
}

static void what_waits_is_told_with_its_reason(void **state)
{
    struct bench *b = *state;
    submit(b, 3);
    put(b, "queue",
        "7|0|PENDING|Priority||0|0|\n7|1|PENDING|JobHeldUser||0|0|\n"
        "7|2|PENDING|SomethingNew||0|0|\n");
    run(b, state_is_written);
    assert_string_equal(
        get(b, "../jobs/1/state"),
        "Slurm\t7\t\t0\n"
        "0\twaits\t1\tPENDING\tPriority\t\t\tjobs with a higher priority come "
        "first\t-1\n"
        "1\twaits\t2\tPENDING\tJobHeldUser\t\t\tsomebody holds it back: "
        "scontrol release lets it go\t-1\n"
        "2\twaits\t3\tPENDING\tSomethingNew\t\t\t\t-1\n");
}

static void a_job_that_ended_without_an_answer_is_lost_for_good(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "queue", "7|0|FAILED|NonZeroExitCode|n1|0|18944|\n");
    run(b, one_over);
    const struct seen *lost = rig_find(&b->rig, RIG_LOST, 1);
    assert_int_equal(lost->loss, LOSS_GONE);
    assert_non_null(strstr(lost->text, "answers could not be written"));
}

static void a_later_start_is_another_attempt(void **state)
{
    struct bench *b = *state;
    b->rig.numbers = next_number;
    submit(b, 2);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    say_starting(b, "1/0", 1, 1);
    run(b, begun_again);
    say_ended(b, "1/0", 0, 1); /* said by one that lives on, cut off */
    say_ended(b, "1/0", 1, 1);
    run(b, one_over);
    const struct seen *end = rig_find(&b->rig, RECORD_ENDED, 1);
    const struct seen *again = rig_find(&b->rig, RIG_AGAIN, 1);
    assert_int_equal(again->as, 1);
    assert_int_equal(again->start, 1);
    assert_int_equal(end->attempt, 2);
    assert_int_equal(rig_count(&b->rig, RECORD_ENDED), 1);
}

static void a_start_that_comes_after_what_ended_begins_nothing_again(void **s)
{
    struct bench *b = *s;
    b->rig.numbers = next_number;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    say_ended(b, "1/0", 0, 1);
    run(b, one_over);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->attempt, 1);
    assert_null(rig_find(&b->rig, RIG_AGAIN, 1));
}

static void resubmit(struct rig *r, const struct seen *s)
{
    if (s->type == RECORD_ENDED && s->attempt == 1)
        rig_submit(r, s->task, 2, "true");
}

static bool second_is_submitted(struct bench *b)
{
    return file_exists(arena_printf(b->arena, "%s/jobs/2/job", b->rig.folder));
}

/* The first time it is submitted again. */
static void who_removes_a_job_twice_is_named(void **state)
{
    struct bench *b = *state;
    b->rig.on_seen = resubmit;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "queue", "7|0|CANCELLED|None|n1|0|15|\n");
    run(b, second_is_submitted);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_INTERRUPTED);
    assert_int_equal(b->rig.faults, 0);
    put(b, "account", "8_0|CANCELLED by 0|n1|0:15\n");
    put(b, "queue", "8|0|CANCELLED|None|n1|0|15|\n");
    run(b, faulted);
    assert_non_null(
        strstr(b->rig.fault.text, "CANCELLED, it was cancelled by root"));
}

static bool three_jobs(struct bench *b)
{
    return strlen(get(b, "submits")) == 6 && b->rig.faults > 0;
}

static void where_no_task_ever_begins_the_place_gives_up(void **state)
{
    struct bench *b = *state;
    b->rig.on_seen = resubmit_always;
    put(b, "queue",
        "7|0|FAILED|NonZeroExitCode|n1|0|32512|\n"
        "8|0|FAILED|NonZeroExitCode|n1|0|32512|\n"
        "9|0|FAILED|NonZeroExitCode|n1|0|32512|\n");
    submit(b, 1);
    run(b, three_jobs);
    assert_non_null(strstr(b->rig.fault.text, "Slurm job 9_0"));
    assert_non_null(strstr(b->rig.fault.text, "exit code 127"));
    assert_int_equal(b->rig.lost, 0);
}

/* ---- wishes
 * ------------------------------------------------------------------- */

static bool is_cancelled(struct bench *b)
{
    return strchr(get(b, "cancelled"), '\n') != NULL; /* a whole line */
}

static void a_job_of_which_nothing_is_wanted_is_cancelled(void **state)
{
    struct bench *b = *state;
    submit(b, 2);
    put(b, "queue",
        "7|0|PENDING|Resources||0|0|\n7|1|PENDING|Resources||0|0|\n");
    look_thrice(b);
    engine_kill_task(b->rig.engine, 2, OUTCOME_KILLED);
    run(b, is_cancelled);
    assert_string_equal(get(b, "cancelled"), "7_[1]\n");
    put(b, "queue", "7|0|PENDING|Resources||0|0|\n7|1|CANCELLED|None||0|0|\n");
    run(b, one_over);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 2)->ended.outcome,
                     OUTCOME_UNSTARTED);
}

/* It has begun, and Slurm put it back: there is nobody who would hear a wish.
 */
static void a_job_that_was_put_back_is_cancelled_at_once(void **state)
{
    struct bench *b = *state;
    int64_t before = clock_mono_ns();
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    put(b, "queue", "7|0|PENDING|BeginTime||1|0|\n");
    run(b, one_started);
    look_thrice(b);
    engine_kill_task(b->rig.engine, 1, OUTCOME_KILLED);
    run(b, is_cancelled);
    assert_true(clock_mono_ns() - before < 9000000000ll); /* no grace of 10 s */
    put(b, "queue", "7|0|CANCELLED|None||1|0|\n");
    run(b, one_over);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_KILLED);
}

static void what_is_only_wanted_back_ends_no_job_that_began(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    engine_take_back(b->rig.engine, 1);
    run(b, is_cancelled);
    assert_string_equal(get(b, "cancelled"), "7 --state=PENDING\n");
}

/* Its node went away just after the worker's last word, or it was handed back
 * whole before Slurm began it again. */
static void a_job_that_is_answered_for_need_not_begin_again(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    say_ended(b, "1/0", 0, 1);
    put(b, "queue", "7|0|RUNNING|None|n1|0|0|\n");
    run(b, one_over);
    put(b, "queue", "7|0|PENDING|BeginTime||1|0|\n");
    run(b, is_cancelled);
    assert_string_equal(get(b, "cancelled"), "7\n");
}

static void who_leaves_lets_nothing_that_is_answered_for_begin(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    say_ended(b, "1/0", 0, 1);
    put(b, "queue", "7|0|RUNNING|None|n1|0|0|\n");
    run(b, one_over);
    rig_close(&b->rig);
    assert_string_equal(get(b, "updated"), "update JobId=7 Requeue=0\n");
    assert_string_equal(get(b, "cancelled"), "7 --state=PENDING\n");
}

static bool stop_is_asked(struct bench *b)
{
    return file_exists(
        arena_printf(b->arena, "%s/jobs/1/0.asked", b->rig.folder));
}

static void a_stop_stands_in_the_bundle_s_file(void **state)
{
    struct bench *b = *state;
    struct record r;
    size_t used;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    engine_stop_task(b->rig.engine, 1);
    run(b, stop_is_asked);
    struct buf text;
    buf_init(&text);
    assert_int_equal(
        file_read(arena_printf(b->arena, "%s/jobs/1/0.asked", b->rig.folder), 0,
                  &text, NULL),
        0);
    assert_int_equal(record_parse(buf_str(&text), &r, &used, NULL), 1);
    assert_int_equal(r.type, RECORD_STOP);
    assert_int_equal(r.task, 1);
    assert_int_equal(r.attempt, 1);
    buf_done(&text);
}

/* ---- another conductor
 * ------------------------------------------------------------ */

static void leave(struct bench *b)
{
    engine_part(b->rig.engine);
    rig_run(&b->rig, rig_idle);
    rig_close(&b->rig);
    b->rig.seen.len = b->rig.idles = b->rig.ended = 0;
}

static void who_never_started_leaves_all_as_it_is(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    leave(b);
    rig_open_only(&b->rig, "slurm");
    rig_close(&b->rig);
    assert_true(file_exists(in_bin(b, "../jobs/1/0.tasks")));
    assert_true(file_exists(in_bin(b, "../jobs/1/0.said.0")));
    assert_string_equal(get(b, "cancelled"), "");
}

static void what_was_left_is_adopted_and_the_rest_is_ended(void **state)
{
    struct bench *b = *state;
    struct needs n;
    submit(b, 2);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    leave(b);
    assert_false(is_cancelled(b));
    say_ended(b, "1/0", 0, 1);
    put(b, "queue", "7|1|RUNNING|None|n0|0|0|\n");
    rig_open_only(&b->rig, "slurm");
    needs_init(&n);
    struct engine_out out = {.task = 1, .attempt = 2, .as = 2};
    assert_false(engine_adopt(b->rig.engine, &out, &n));
    out.attempt = out.as = 1;
    out.begun = true;
    assert_true(engine_adopt(b->rig.engine, &out, &n));
    rig_start(&b->rig);
    run(b, one_over);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_DONE);
    run(b, is_cancelled); /* of the second task nobody knows any more */
    assert_string_equal(get(b, "cancelled"), "7_[1]\n");
}

static void an_attempt_that_was_begun_again_is_found_by_its_start(void **s)
{
    struct bench *b = *s;
    struct needs n;
    b->rig.numbers = next_number;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    leave(b);
    say_starting(b, "1/0", 1, 1);
    say_ended(b, "1/0", 1, 1);
    rig_open_only(&b->rig, "slurm");
    needs_init(&n);
    struct engine_out out = {
        .task = 1, .attempt = 2, .as = 1, .start = 1, .begun = true};
    assert_true(engine_adopt(b->rig.engine, &out, &n));
    rig_start(&b->rig);
    run(b, one_over);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->attempt, 2);
    assert_null(rig_find(&b->rig, RIG_AGAIN, 1));
}

/* Killed between sbatch and the file that says which job it is. */
static void a_job_whose_number_was_not_written_is_found(void **state)
{
    struct bench *b = *state;
    struct needs n;
    submit(b, 1);
    leave(b);
    unlink(arena_printf(b->arena, "%s/jobs/1/job", b->rig.folder));
    put(b, "found", "7;\n");
    rig_open_only(&b->rig, "slurm");
    needs_init(&n);
    struct engine_out out = {.task = 1, .attempt = 1, .as = 1};
    assert_true(engine_adopt(b->rig.engine, &out, &n));
    rig_start(&b->rig);
    run(b, is_submitted);
    assert_string_equal(get(b, "../jobs/1/job"), "7\n");
    assert_string_equal(get(b, "submits"), "x\n");
}

static void one_that_was_never_submitted_gives_its_tasks_back(void **state)
{
    struct bench *b = *state;
    struct needs n;
    submit(b, 1);
    leave(b);
    unlink(arena_printf(b->arena, "%s/jobs/1/job", b->rig.folder));
    rig_open_only(&b->rig, "slurm");
    needs_init(&n);
    struct engine_out out = {.task = 1, .attempt = 1, .as = 1};
    assert_true(engine_adopt(b->rig.engine, &out, &n));
    rig_start(&b->rig);
    run(b, one_over);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_UNSTARTED);
}

static bool is_tidy(struct bench *b)
{
    engine_ack(b->rig.engine);
    return !file_exists(
        arena_printf(b->arena, "%s/jobs/1/0.tasks", b->rig.folder));
}

static void what_is_answered_and_committed_leaves_its_script(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    put(b, "../jobs/1/0.log", "module: not found\n");
    assert_int_equal(dir_make(in_bin(b, "../jobs/1/tools-n0-17"), NULL), 0);
    put(b, "../jobs/1/tools-n0-17/throng", "");
    say_starting(b, "1/0", 0, 1);
    say_ended(b, "1/0", 0, 1);
    run(b, one_over);
    put(b, "queue", "7|0|COMPLETED|None|n0|0|0|\n");
    run(b, is_tidy);
    assert_false(file_exists(in_bin(b, "../jobs/1/tools-n0-17")));
    assert_false(file_exists(in_bin(b, "../jobs/1/0.said.0")));
    assert_true(file_exists(in_bin(b, "../jobs/1/job.sh")));
    assert_true(file_exists(in_bin(b, "../jobs/1/0.log")));
}

/* ---- classes of length -------------------------------------------------- */

static void add_classes(struct bench *b)
{
    struct value *classes = json_parse(
        b->arena,
        STR("[{\"name\":\"short\",\"time\":3600,\"partition\":\"quick\","
            "\"limit\":{\"jobs\":1}},"
            "{\"name\":\"long\",\"time\":36000,\"partition\":\"slow\","
            "\"sbatch\":[\"--nice=5\"]}]"),
        "classes", true, NULL);
    struct value *site = value_object(b->arena);
    value_set(b->arena, site, STR("look"), value_double(b->arena, 0.1));
    value_set(b->arena, site, STR("partition"),
              value_string(b->arena, STR("main")));
    value_set(b->arena, site, STR("classes"), classes);
    b->rig.site = site;
}

static const char *script_of(struct bench *b, unsigned n)
{
    return get(b, arena_printf(b->arena, "../jobs/%u/job.sh", n));
}

static bool third_is_submitted(struct bench *b)
{
    return file_exists(arena_printf(b->arena, "%s/jobs/3/job", b->rig.folder));
}

static void measured_work_goes_into_the_shortest_class(void **state)
{
    struct bench *b = *state;
    add_classes(b);
    submit(b, 1);
    const char *script = script_of(b, 1);
    assert_non_null(strstr(script, "#SBATCH --time=10:00:00\n"));
    assert_non_null(strstr(script, "#SBATCH --partition=slow\n"));
    assert_non_null(strstr(script, "#SBATCH --nice=5\n"));
    say_starting(b, "1/0", 0, 1);
    say_ended(b, "1/0", 0, 1);
    run(b, one_over);
    for (uint64_t i = 2; i <= 4; i++)
        rig_submit(&b->rig, i, 1, "true");
    run(b, second_is_submitted);
    script = script_of(b, 2);
    assert_non_null(strstr(script, "#SBATCH --time=1:00:00\n"));
    assert_non_null(strstr(script, "#SBATCH --partition=quick\n"));
    assert_null(strstr(script, "--nice"));
    assert_non_null(strstr(script, "#SBATCH --array=0-0\n")); /* its limit */
    assert_non_null(strstr(get(b, "../jobs/2/state"), "Slurm\t8\tshort\t3600\n"
                                                      "0\twaits\t2-4\t"));
}

static size_t asked_before;

static bool is_asked_twice_more(struct bench *b)
{
    return strlen(get(b, "asked")) >= asked_before + 4;
}

/* Of a class with a limit of one job. */
static void what_the_same_person_has_there_counts(void **state)
{
    struct bench *b = *state;
    add_classes(b);
    put(b, "usage",
        "7|slow|normal|10:00:00|1||||\n" /* our own */
        "99|quick|normal|1:00:00|1||||\n");
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    say_ended(b, "1/0", 0, 1);
    run(b, one_over);
    rig_submit(&b->rig, 2, 1, "true");
    asked_before = strlen(get(b, "asked"));
    run(b, is_asked_twice_more);
    assert_false(second_is_submitted(b));
    assert_non_null(strstr(b->said.p, "1 job of yours besides this study's"));
    put(b, "usage", "99|quick|normal|2:00:00|1||||\n"); /* of no class there */
    run(b, second_is_submitted);
}

static void an_array_can_be_throttled(void **state)
{
    struct bench *b = *state;
    value_set(b->arena, b->site, STR("throttle"), value_int(b->arena, 3));
    submit(b, 5);
    assert_non_null(strstr(script_of(b, 1), "#SBATCH --array=0-4%3\n"));
}

static void what_was_measured_is_known_to_the_next_conductor(void **state)
{
    struct bench *b = *state;
    add_classes(b);
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    say_ended(b, "1/0", 0, 1);
    run(b, one_over);
    leave(b);
    rig_open(&b->rig, "slurm");
    rig_submit(&b->rig, 2, 1, "true");
    run(b, second_is_submitted);
    assert_non_null(strstr(script_of(b, 2), "--partition=quick\n"));
}

static void say_cut_off_for(struct bench *b, const char *bundle,
                            uint32_t attempt, uint64_t digest,
                            const char *reason)
{
    struct record_ended e = {.outcome = OUTCOME_INTERRUPTED,
                             .seconds = 3500,
                             .exit_code = -1,
                             .checkpoint_digest = digest,
                             .reason = str_of(reason)};
    struct buf payload;
    buf_init(&payload);
    record_ended_print(&payload, &e);
    struct record r = {
        .type = RECORD_STARTING, .task = 1, .attempt = attempt, .sequence = 1};
    say(b, bundle, 0, &r);
    r.type = RECORD_ENDED;
    r.sequence = 2;
    r.payload = buf_str(&payload);
    say(b, bundle, 0, &r);
    buf_done(&payload);
}

static void say_cut_off(struct bench *b, const char *bundle, uint32_t attempt,
                        uint64_t digest)
{
    say_cut_off_for(b, bundle, attempt, digest, BUNDLE_TIME_UP);
}

static void submit_limited(struct bench *b, uint32_t attempt)
{
    struct task t;
    rig_task(&b->rig, &t, 1, attempt, "true");
    t.needs.time_s = 60;
    assert_int_equal(engine_submit(b->rig.engine, &t, NULL), 0);
}

static void what_cannot_save_and_was_cut_off_gets_a_longer_class(void **state)
{
    struct bench *b = *state;
    add_classes(b);
    /* What others save is no help to it. */
    char *jobs = path_join(b->arena, b->rig.folder, "jobs");
    assert_int_equal(dir_make(jobs, NULL), 0);
    put(b, "../jobs/measured", "1 1 1\n");
    rig_open(&b->rig, "slurm");
    submit_limited(b, 1);
    run(b, is_submitted);
    assert_non_null(strstr(script_of(b, 1), "--partition=quick\n"));
    say_cut_off(b, "1/0", 1, 0);
    run(b, one_over);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_INTERRUPTED);
    submit_limited(b, 2);
    run(b, second_is_submitted);
    assert_non_null(strstr(script_of(b, 2), "--partition=slow\n"));
    b->rig.seen.len = 0;
    say_cut_off(b, "2/0", 2, 0);
    run(b, two_over);
    const struct seen *last = rig_find(&b->rig, RECORD_ENDED, 1);
    assert_int_equal(last->ended.outcome, OUTCOME_TIMED_OUT);
    assert_string_equal(last->text,
                        "the time of its job was up (10h, class long), and it "
                        "had saved no checkpoint to go on from");
}

static void what_saves_goes_on_in_the_shortest_class(void **state)
{
    struct bench *b = *state;
    struct task t;
    add_classes(b);
    rig_open(&b->rig, "slurm");
    rig_task(&b->rig, &t, 1, 1, "true");
    char *saved = arena_printf(b->arena, "%.*s/checkpoint", STRF(t.folder));
    assert_int_equal(engine_submit(b->rig.engine, &t, NULL), 0);
    run(b, is_submitted);
    assert_non_null(strstr(script_of(b, 1), "--partition=slow\n"));
    say_cut_off(b, "1/0", 1, 77);
    run(b, one_over);
    assert_int_equal(dir_make(saved, NULL), 0);
    assert_int_equal(
        file_write(path_join(b->arena, saved, "epoch"), STR("1"), false, NULL),
        0);
    for (uint32_t attempt = 2; attempt <= 3; attempt++) {
        rig_task(&b->rig, &t, 1, attempt, "true");
        assert_int_equal(engine_submit(b->rig.engine, &t, NULL), 0);
        run(b, attempt == 2 ? second_is_submitted : third_is_submitted);
        assert_non_null(strstr(script_of(b, attempt), "--partition=quick\n"));
        if (attempt == 2) {
            say_cut_off(b, "2/0", 2, 78);
            run(b, two_over);
        }
    }
}

/* It would be cut off again and again. */
static void what_saves_nothing_new_in_a_job_has_run_out_of_time(void **state)
{
    struct bench *b = *state;
    rig_open(&b->rig, "slurm");
    rig_submit(&b->rig, 1, 1, "true");
    run(b, is_submitted);
    say_cut_off(b, "1/0", 1, 77);
    run(b, one_over);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_INTERRUPTED);
    rig_submit(&b->rig, 1, 2, "true");
    run(b, second_is_submitted);
    b->rig.seen.len = 0;
    say_cut_off(b, "2/0", 2, 77);
    run(b, two_over);
    const struct seen *last = rig_find(&b->rig, RECORD_ENDED, 1);
    assert_int_equal(last->ended.outcome, OUTCOME_TIMED_OUT);
    assert_string_equal(last->text,
                        "the time of its job was up, and it had saved nothing "
                        "new since the job before");
}

/* A site may have its own mind about signals. */
static void who_was_not_warned_has_run_out_of_time_as_well(void **state)
{
    struct bench *b = *state;
    rig_open(&b->rig, "slurm");
    rig_submit(&b->rig, 1, 1, "true");
    run(b, is_submitted);
    put(b, "../jobs/1/0.log",
        "slurmstepd-n0: error: *** JOB 7 ON n0 CANCELLED AT "
        "2026-11-18T00:59:14 DUE TO TIME LIMIT ***\n");
    say_cut_off_for(b, "1/0", 1, 0, BUNDLE_ENDED);
    run(b, one_over);
    const struct seen *last = rig_find(&b->rig, RECORD_ENDED, 1);
    assert_int_equal(last->ended.outcome, OUTCOME_TIMED_OUT);
    assert_string_equal(last->text,
                        "the time of its job was up, and it had saved no "
                        "checkpoint to go on from");
}

static void what_was_cut_off_is_known_to_the_next_conductor(void **state)
{
    struct bench *b = *state;
    rig_open(&b->rig, "slurm");
    rig_submit(&b->rig, 1, 1, "true");
    run(b, is_submitted);
    say_cut_off(b, "1/0", 1, UINT64_MAX);
    run(b, one_over);
    leave(b);
    rig_open(&b->rig, "slurm");
    rig_submit(&b->rig, 1, 2, "true");
    run(b, second_is_submitted);
    b->rig.seen.len = 0;
    say_cut_off(b, "2/0", 2, UINT64_MAX);
    run(b, one_over);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_TIMED_OUT);
}

static void a_longer_class_is_kept_for_the_next_conductor(void **state)
{
    struct bench *b = *state;
    add_classes(b);
    rig_open(&b->rig, "slurm");
    submit_limited(b, 1);
    run(b, is_submitted);
    assert_non_null(strstr(script_of(b, 1), "--partition=quick\n"));
    say_cut_off(b, "1/0", 1, 0);
    run(b, one_over);
    leave(b);
    rig_open(&b->rig, "slurm");
    submit_limited(b, 2);
    run(b, second_is_submitted);
    assert_non_null(strstr(script_of(b, 2), "--partition=slow\n"));
}

static void the_time_that_a_person_says_chooses_the_class(void **state)
{
    struct bench *b = *state;
    struct err err = {0};
    struct engine_hooks hooks = {0};
    add_classes(b);
    struct value *site = value_object(b->arena);
    for (size_t i = 0; i < b->rig.site->count; i++)
        value_set(b->arena, site, b->rig.site->keys[i], b->rig.site->items[i]);
    value_set(b->arena, site, STR("time"), value_double(b->arena, 1800));
    b->rig.site = site;
    submit(b, 1);
    assert_non_null(strstr(script_of(b, 1), "--partition=quick\n"));
    assert_non_null(strstr(script_of(b, 1), "--time=0:30:00\n"));
    value_set(b->arena, site, STR("time"), value_double(b->arena, 40000));
    struct engine_setup setup = {.place = "slurm",
                                 .loop = b->rig.loop,
                                 .machine = &b->rig.machine,
                                 .folder = b->rig.folder,
                                 .worker = "w",
                                 .site = site};
    assert_null(engine_open(&setup, &hooks, &err));
    assert_non_null(strstr(err.text, "the longest class, long, has 10h"));
}

#define on_bench(test)                                                         \
    cmocka_unit_test_setup_teardown(test, open_bench, close_bench)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bench(tasks_go_out_as_one_array_and_come_back),
        on_bench(one_refusal_is_one_however_many_tasks),
        on_bench(an_order_that_was_taken_unheard_is_found_by_its_name),
        on_bench(a_need_no_node_can_meet_is_refused),
        on_bench(a_partition_that_is_not_there_is_said),
        on_bench(a_failed_answer_changes_nothing),
        on_bench(who_answers_slowly_is_asked_again),
        on_bench(what_a_full_disk_kept_from_being_said_is_tried_again),
        on_bench(what_its_node_took_along_is_presumed_lost),
        on_bench(what_waits_is_told_with_its_reason),
        on_bench(a_job_that_ended_without_an_answer_is_lost_for_good),
        on_bench(a_later_start_is_another_attempt),
        on_bench(a_start_that_comes_after_what_ended_begins_nothing_again),
        on_bench(who_removes_a_job_twice_is_named),
        on_bench(where_no_task_ever_begins_the_place_gives_up),
        on_bench(a_job_of_which_nothing_is_wanted_is_cancelled),
        on_bench(a_job_that_was_put_back_is_cancelled_at_once),
        on_bench(what_is_only_wanted_back_ends_no_job_that_began),
        on_bench(a_job_that_is_answered_for_need_not_begin_again),
        on_bench(who_leaves_lets_nothing_that_is_answered_for_begin),
        on_bench(a_stop_stands_in_the_bundle_s_file),
        on_bench(who_never_started_leaves_all_as_it_is),
        on_bench(what_was_left_is_adopted_and_the_rest_is_ended),
        on_bench(an_attempt_that_was_begun_again_is_found_by_its_start),
        on_bench(a_job_whose_number_was_not_written_is_found),
        on_bench(one_that_was_never_submitted_gives_its_tasks_back),
        on_bench(what_is_answered_and_committed_leaves_its_script),
        on_bench(measured_work_goes_into_the_shortest_class),
        on_bench(what_the_same_person_has_there_counts),
        on_bench(an_array_can_be_throttled),
        on_bench(what_was_measured_is_known_to_the_next_conductor),
        on_bench(what_cannot_save_and_was_cut_off_gets_a_longer_class),
        on_bench(what_saves_goes_on_in_the_shortest_class),
        on_bench(what_saves_nothing_new_in_a_job_has_run_out_of_time),
        on_bench(who_was_not_warned_has_run_out_of_time_as_well),
        on_bench(what_was_cut_off_is_known_to_the_next_conductor),
        on_bench(a_longer_class_is_kept_for_the_next_conductor),
        on_bench(the_time_that_a_person_says_chooses_the_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
