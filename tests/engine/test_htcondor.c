/* Place htcondor with commands that answer as they are told to
 *
 * A pool is tried in tests/cluster; here its commands are small scripts, so
 * that they can fail, lie and forget at will, and the test says what event logs
 * tell and what comes back. */
#include "command_bench.h"

/* As the real one, it has written all events when it ends. */
static const char submit_script[] =
    "[ -e refuse ] && { cat refuse >&2; exit 1; }\n"
    "echo x >>submits\n"
    "n=$(($(cat job 2>/dev/null || echo 6) + 1)); echo $n >job\n"
    "log=$(sed -n 's/^log = //p' \"$2\")\n"
    "count=$(sed -n 's/^queue //p' \"$2\")\n"
    "i=0; while [ ! -e nolog ] && [ $i -lt $count ]; do\n"
    "printf '000 (%03d.%03d.000) 2026-11-15 09:26:05 Job submitted from host: "
    "<h>\\n...\\n' $n $i >>\"$log\"; i=$((i + 1)); done\n"
    "[ -e warn ] && cat warn >&2\n"
    "echo \"$n.0 - $n.$((count - 1))\"";

static int open_bench(void **state)
{
    struct bench *b = bench_new(0.02);
    struct engine_travel *travel = arena_new_of(b->arena, struct engine_travel);
    *travel = (struct engine_travel){.home = b->rig.folder,
                                     .root = b->rig.folder,
                                     .inside = "",
                                     .container = ""};
    b->rig.travel = travel;
    b->rig.worker = "/w/throng-worker";
    command(b, "condor_version", "echo '$CondorVersion: 25.0.13 $'");
    command(b, "condor_status",
            "case \"$*\" in *Gnome*) exit 0;; esac\n"
            "echo '[{\"Machine\": \"e1\", \"TotalSlotCpus\": 4, "
            "\"TotalSlotMemory\": 4000, \"TotalSlotGPUs\": 2}]'");
    command(b, "condor_submit", submit_script);
    command(b, "condor_q",
            "echo \"$@\" >>asked\n"
            "[ -e fail ] && { cat fail >&2; exit 1; }\n"
            "case \"$*\" in *ThrongRun*) cat found 2>/dev/null; exit 0;; "
            "esac\ncat queue 2>/dev/null; exit 0");
    command(b, "condor_history", "cat history 2>/dev/null; exit 0");
    command(b, "condor_rm",
            "[ -e deaf ] && { cat deaf >&2; exit 1; }\n"
            "echo \"$@\" >>removed");
    command(b, "condor_vacate_job",
            "[ -e deaf ] && { cat deaf >&2; exit 1; }\n"
            "echo \"$@\" >>vacated");
    put(b, "queue",
        "[{\"ClusterId\": 7, \"ProcId\": 0, \"JobStatus\": 2},"
        "{\"ClusterId\": 7, \"ProcId\": 1, \"JobStatus\": 2}]");
    *state = b;
    return 0;
}

static void submit(struct bench *b, uint64_t tasks)
{
    submit_to(b, "htcondor", tasks);
}

/* An event of job 7.<proc>. */
static void event(struct bench *b, unsigned proc, unsigned number,
                  const char *text)
{
    char *path = arena_printf(b->arena, "%s/jobs/1/events.log", b->rig.folder);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    dprintf(fd, "%03u (007.%03u.000) 2026-11-15 09:26:05 %s\n...\n", number,
            proc, text);
    close(fd);
}

#define EXECUTES "Job executing on host: <h>\n\tSlotName: slot1_1@e1"
#define ENDS "Job terminated.\n\t(1) Normal termination (return value 0)"
#define REMOVED "Job was aborted.\n\tvia condor_rm (by user ada)"

/* Of what comes back of job 7.<proc>. */
static char *stem_of(struct bench *b, unsigned proc)
{
    char *out = arena_printf(b->arena, "%s/jobs/1/%u.out", b->rig.folder, proc);
    assert_int_equal(dir_make(out, NULL), 0);
    assert_int_equal(file_write(path_join(b->arena, out, "layout"),
                                STR("throng-sandbox 1\n"), false, NULL),
                     0);
    return arena_printf(b->arena, "%s/%u", out, proc);
}

static void say_starting(struct bench *b, unsigned proc, uint32_t k,
                         uint64_t task)
{
    say_starting_at(b, stem_of(b, proc), k, task);
}

static void say_ended(struct bench *b, unsigned proc, uint32_t k, uint64_t task)
{
    say_ended_at(b, stem_of(b, proc), k, task);
}

static bool faulted(struct bench *b)
{
    return b->rig.faults > 0;
}

static size_t asked_before;
static size_t asked(struct bench *b)
{
    size_t lines = 0;
    for (const char *p = get(b, "asked"); (p = strchr(p, '\n')); p++)
        lines++;
    return lines;
}

static bool asked_thrice_more(struct bench *b)
{
    return asked(b) >= asked_before + 3;
}

static void ask_thrice(struct bench *b)
{
    asked_before = asked(b);
    run(b, asked_thrice_more);
}

/* ---- submissions
 * ---------------------------------------------------------------- */

static void tasks_go_out_as_one_cluster_and_come_back(void **state)
{
    struct bench *b = *state;
    submit(b, 2);
    const char *text = get(b, "../jobs/1/job.sub");
    static const char *const lines[] = {
        "should_transfer_files = YES\n",
        "when_to_transfer_output = ON_EXIT_OR_EVICT\n",
        "transfer_output_files = throng-out\n",
        "transfer_checkpoint_files = throng-out\n",
        "checkpoint_exit_code = 85\n",
        "preserve_relative_paths = true\n",
        "max_retries = 0\n",
        "requirements = !stringListIMember(TARGET.Machine, MY.ThrongAvoid)\n",
        "+ThrongAvoid = \"\"\n",
        "+ThrongRun = \"throng-rig-",
        "job_max_vacate_time = 60\n",
        "job_lease_duration = 600\n",
        "request_cpus = 1\n",
        "\nqueue 2\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_non_null(strstr(text, lines[i]));
    event(b, 0, 1, EXECUTES);
    event(b, 1, 1, EXECUTES);
    for (unsigned i = 0; i < 2; i++) {
        say_starting(b, i, 0, i + 1);
        say_ended(b, i, 0, i + 1);
        event(b, i, 5, ENDS);
    }
    run(b, two_over);
    assert_int_equal(b->rig.ended, 2);
    assert_int_equal(b->rig.lost, 0);
}

static bool has_said_hold(struct bench *b)
{
    return strstr(b->said.p, "does not") != NULL;
}

static void settings_of_ours_are_no_commands_of_the_description(void **state)
{
    struct bench *b = *state;
    static const char *const ours[] = {
        "bundle_time", "checkpoint_every", "lead", "lease",
        "look",        "max_jobs",         "time", "vacate"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!str_is(STR("look"), ours[i]))
            value_set(b->arena, b->site, str_of(ours[i]),
                      value_int(b->arena, 90));
    value_set(b->arena, b->site, STR("rank"),
              value_string(b->arena, STR("Memory")));
    submit(b, 1);
    const char *text = get(b, "../jobs/1/job.sub");
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        assert_null(strstr(text, arena_printf(b->arena, "\n%s =", ours[i])));
    assert_non_null(strstr(text, "\nrank = Memory\n"));
    /* It may have a blank in its path. */
    assert_non_null(strstr(text, "\nerror = jobs/1/$(Process).log\n"));
}

static void nothing_is_heard_before_a_job_has_ended(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    event(b, 0, 1, EXECUTES);
    say_starting(b, 0, 0, 1);
    say_ended(b, 0, 0, 1);
    ask_thrice(b);
    assert_int_equal(b->rig.ended, 0);
    event(b, 0, 5, ENDS);
    run(b, one_over);
    assert_int_equal(b->rig.ended, 1);
}

static void a_warning_is_a_refusal(void **state)
{
    struct bench *b = *state;
    put(b, "warn",
        "WARNING: the line 'rnk = 1' was unused by condor_submit. Is it a "
        "typo?\n");
    rig_open(&b->rig, "htcondor");
    rig_submit(&b->rig, 1, 1, "true");
    run(b, faulted);
    assert_non_null(strstr(b->rig.fault.text, "rnk = 1"));
}

/* Some sites warn of this and that each time. */
static void a_warning_of_another_kind_is_told_and_no_refusal(void **state)
{
    struct bench *b = *state;
    put(b, "warn", "WARNING: Log file /h/events.log is on NFS.\n");
    submit(b, 1);
    assert_int_equal(b->rig.faults, 0);
    assert_non_null(strstr(b->said.p, "is on NFS"));
}

static void a_log_that_is_not_written_is_a_refusal(void **state)
{
    struct bench *b = *state;
    put(b, "nolog", "");
    rig_open(&b->rig, "htcondor");
    rig_submit(&b->rig, 1, 1, "true");
    run(b, faulted);
    assert_non_null(strstr(b->rig.fault.text, "0 of 1 events"));
    assert_non_null(strstr(b->rig.fault.text, "events.log"));
}

/* It would wait for a name to change by itself. */
static void a_file_that_cannot_be_named_is_a_refusal(void **state)
{
    static const char *const names[] = {"a,b.dat"};
    struct bench *b = *state;
    struct engine_travel travel = *b->rig.travel;
    travel.names = names;
    travel.count = 1;
    b->rig.travel = &travel;
    rig_open(&b->rig, "htcondor");
    rig_submit(&b->rig, 1, 1, "true");
    run(b, faulted);
    assert_int_equal(b->rig.fault.kind, ERR_INPUT);
    assert_non_null(strstr(b->rig.fault.text, "a,b.dat has a ','"));
    assert_int_equal(b->rig.faults, 1);
    rig_close(&b->rig);
}

static void an_order_that_was_taken_unheard_is_found_by_its_name(void **state)
{
    struct bench *b = *state;
    put(b, "refuse", "\nERROR: Failed to connect to local queue manager\n");
    put(b, "found", "[{\"ClusterId\": 31, \"ProcId\": 0, \"JobStatus\": 1}]");
    submit(b, 1);
    assert_string_equal(get(b, "../jobs/1/job"), "31\n");
}

static void a_need_no_machine_can_meet_is_refused(void **state)
{
    struct bench *b = *state;
    struct err err = {0};
    struct needs n;
    rig_open(&b->rig, "htcondor");
    needs_init(&n);
    assert_int_equal(engine_slots(b->rig.engine, &n), 4);
    n.cpus = 5;
    assert_int_equal(engine_check(b->rig.engine, &n, &err), -1);
    assert_non_null(strstr(err.text, "e1: 4 cpus"));
    assert_false(engine_is_live(b->rig.engine));
}

static void requirements_that_no_machine_meets_are_said(void **state)
{
    struct bench *b = *state;
    value_set(b->arena, b->site, STR("requirements"),
              value_string(b->arena, STR("Machine == \"e1\"")));
    rig_open(&b->rig, "htcondor");
    assert_int_equal(b->said.len, 0);
    rig_close(&b->rig);
    value_set(b->arena, b->site, STR("requirements"),
              value_string(b->arena, STR("OpSys == \"Gnome\"")));
    rig_open(&b->rig, "htcondor");
    assert_non_null(strstr(b->said.p, "no machine of the pool meets"));
}

/* ---- fates
 * ---------------------------------------------------------------------- */

static uint32_t next_number(struct rig *r, const struct seen *s)
{
    (void)r;
    return s->attempt + 1;
}

static void an_evicted_job_is_not_lost(void **state)
{
    struct bench *b = *state;
    b->rig.numbers = next_number;
    submit(b, 1);
    event(b, 0, 1, EXECUTES);
    event(b, 0, 4, "Job was evicted. Code 1009 Subcode 0\n\t(0) CPU times");
    ask_thrice(b);
    assert_int_equal(b->rig.lost + b->rig.ended, 0);
    event(b, 0, 1, EXECUTES);
    say_starting(b, 0, 0, 1);
    say_starting(b, 0, 1, 1);
    say_ended(b, 0, 1, 1);
    event(b, 0, 5, ENDS);
    run(b, one_over);
    assert_int_equal(b->rig.ended, 1);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->attempt, 2);
}

static void a_hold_is_said_with_what_to_do(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    event(b, 0, 12,
          "Job was held.\n\tTransfer input files failure: no such file\n"
          "\tCode 13 Subcode 2");
    run(b, has_said_hold);
    assert_non_null(strstr(b->said.p, "hold 13/2: Transfer input files"));
    assert_non_null(strstr(b->said.p, "condor_release"));
    assert_int_equal(b->rig.lost + b->rig.ended, 0);
}

static void a_removed_jobs_tasks_come_back(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    event(b, 0, 1, EXECUTES);
    event(b, 0, 9, REMOVED);
    run(b, one_over);
    assert_int_equal(b->rig.ended, 1);
    assert_non_null(strstr(b->said.p, "by ada"));
}

static bool has_said_queue(struct bench *b)
{
    return strstr(b->said.p, "followed by their event logs") != NULL;
}

static void
a_queue_that_does_not_answer_is_said_and_changes_nothing(void **state)
{
    struct bench *b = *state;
    put(b, "fail", "\n-- Failed to fetch ads from: <127.0.0.1:9618>\n");
    submit(b, 1);
    run(b, has_said_queue);
    ask_thrice(b);
    assert_int_equal(b->rig.lost + b->rig.ended, 0);
    event(b, 0, 1, EXECUTES);
    say_starting(b, 0, 0, 1);
    say_ended(b, 0, 0, 1);
    event(b, 0, 5, ENDS);
    run(b, one_over);
    assert_int_equal(b->rig.ended, 1);
}

static void a_job_that_nobody_knows_twice_is_lost(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    event(b, 0, 1, EXECUTES);
    ask_thrice(b);
    assert_int_equal(b->rig.lost, 0);
    put(b, "queue", "");
    run(b, one_over);
    assert_int_equal(b->rig.lost, 1);
    assert_int_equal(rig_find(&b->rig, RIG_LOST, 1)->loss, LOSS_PRESUMED);
    assert_non_null(strstr(b->said.p, "is not known any more"));
}

/* Its log was lost, and it has ended. */
static void the_history_tells_of_an_end_that_no_log_tells_of(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    event(b, 0, 1, EXECUTES);
    say_starting(b, 0, 0, 1);
    say_ended(b, 0, 0, 1);
    put(b, "history",
        "[{\"ClusterId\": 7, \"ProcId\": 0, \"JobStatus\": 4, \"ExitCode\": "
        "0, \"ExitBySignal\": false}]");
    put(b, "queue", "");
    run(b, one_over);
    assert_int_equal(b->rig.ended, 1);
}

static bool has_said_form(struct bench *b)
{
    return strstr(b->said.p, "cannot be read on") != NULL;
}

static void a_log_of_another_form_is_said_and_the_queue_asked(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    put(b, "../jobs/1/events.log", "[[Proc 0]]\n");
    run(b, has_said_form);
    assert_non_null(strstr(b->said.p, "[[Proc 0]]"));
    say_starting(b, 0, 0, 1);
    say_ended(b, 0, 0, 1);
    put(b, "history",
        "[{\"ClusterId\": 7, \"ProcId\": 0, \"JobStatus\": 4, \"ExitCode\": "
        "0}]");
    put(b, "queue", "");
    run(b, one_over);
    assert_int_equal(b->rig.ended, 1);
}

static bool has_said_rotated(struct bench *b)
{
    return strstr(b->said.p, "shorter than it was") != NULL ||
           strstr(b->said.p, "is another file") != NULL;
}

static void a_log_that_was_rotated_is_read_on(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    event(b, 0, 1, EXECUTES);
    ask_thrice(b);
    char *path = arena_printf(b->arena, "%s/jobs/1/events.log", b->rig.folder);
    assert_int_equal(rename(path, arena_printf(b->arena, "%s.old", path)), 0);
    say_starting(b, 0, 0, 1);
    say_ended(b, 0, 0, 1);
    event(b, 0, 5, ENDS);
    run(b, has_said_rotated);
    run(b, one_over);
    assert_int_equal(b->rig.ended, 1);
}

/* ---- wishes
 * ---------------------------------------------------------------------- */

static bool is_removed(struct bench *b)
{
    return strstr(get(b, "removed"), "7.0") != NULL;
}

static void a_killed_task_takes_its_job_along(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    event(b, 0, 1, EXECUTES);
    ask_thrice(b);
    engine_kill_task(b->rig.engine, 1, OUTCOME_KILLED);
    run(b, is_removed);
    event(b, 0, 9, REMOVED);
    run(b, one_over);
    assert_int_equal(b->rig.ended, 1);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_KILLED);
}

static bool is_vacated(struct bench *b)
{
    return strstr(get(b, "vacated"), "7.0") != NULL;
}

static void a_task_that_is_to_stop_hears_of_it(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    event(b, 0, 1, EXECUTES);
    ask_thrice(b);
    engine_stop_task(b->rig.engine, 1);
    run(b, is_vacated);
    assert_true(file_bytes(in_bin(b, "../jobs/1/0.asked")) > 0);
}

static bool is_told_of_deafness(struct bench *b)
{
    return strstr(b->said.p, "it is asked for again") != NULL;
}

static void what_htcondor_did_not_hear_is_asked_for_again(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    event(b, 0, 1, EXECUTES);
    ask_thrice(b);
    put(b, "deaf", "SECMAN:2007:Failed to end classad message.\n");
    engine_stop_task(b->rig.engine, 1);
    run(b, is_told_of_deafness);
    assert_false(is_vacated(b));
    unlink(in_bin(b, "deaf"));
    run(b, is_vacated);
}

static void a_removal_that_was_not_heard_is_asked_for_again(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    event(b, 0, 1, EXECUTES);
    ask_thrice(b);
    put(b, "deaf", "ERROR: Can't find address of local schedd\n");
    engine_kill_task(b->rig.engine, 1, OUTCOME_KILLED);
    run(b, is_told_of_deafness);
    assert_false(is_removed(b));
    unlink(in_bin(b, "deaf"));
    run(b, is_removed);
}

#define BENCH(test)                                                            \
    cmocka_unit_test_setup_teardown(test, open_bench, close_bench)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH(tasks_go_out_as_one_cluster_and_come_back),
        BENCH(settings_of_ours_are_no_commands_of_the_description),
        BENCH(nothing_is_heard_before_a_job_has_ended),
        BENCH(a_warning_is_a_refusal),
        BENCH(a_warning_of_another_kind_is_told_and_no_refusal),
        BENCH(a_log_that_is_not_written_is_a_refusal),
        BENCH(a_file_that_cannot_be_named_is_a_refusal),
        BENCH(an_order_that_was_taken_unheard_is_found_by_its_name),
        BENCH(a_need_no_machine_can_meet_is_refused),
        BENCH(requirements_that_no_machine_meets_are_said),
        BENCH(an_evicted_job_is_not_lost),
        BENCH(a_hold_is_said_with_what_to_do),
        BENCH(a_removed_jobs_tasks_come_back),
        BENCH(a_queue_that_does_not_answer_is_said_and_changes_nothing),
        BENCH(a_job_that_nobody_knows_twice_is_lost),
        BENCH(the_history_tells_of_an_end_that_no_log_tells_of),
        BENCH(a_log_of_another_form_is_said_and_the_queue_asked),
        BENCH(a_log_that_was_rotated_is_read_on),
        BENCH(a_killed_task_takes_its_job_along),
        BENCH(a_task_that_is_to_stop_hears_of_it),
        BENCH(what_htcondor_did_not_hear_is_asked_for_again),
        BENCH(a_removal_that_was_not_heard_is_asked_for_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
