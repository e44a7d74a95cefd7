/* test_protocol.c - what goes between a task and the worker */
#include "harness.h"

#include <stdio.h>
#include <sys/stat.h>

/* Runs the script and returns what it printed. */
static char *printed(struct bench *b, struct task t)
{
    assert_int_equal(bench_run(b, &t).outcome, OUTCOME_DONE);
    return bench_file(b, bench_path(b, t.id, "log"));
}

static void a_task_finds_itself_in_its_environment(void **state)
{
    struct bench *b = *state;
    setenv("THRONG_BUDGET", "99", 1); /* of an outer study */
    setenv("THRONG_P_old", "1", 1);
    setenv("KEPT_FROM_OUTSIDE", "yes", 1);
    bench_start(b, NULL);
    struct task t = bench_shell(
        b, 5,
        "echo $THRONG_STUDY $THRONG_TRIAL $THRONG_ATTEMPT $THRONG_SEED; "
        "echo $THRONG_P_lr $THRONG_P_opt_name $THRONG_P_flag "
        "$THRONG_P_nested; "
        "echo ${THRONG_BUDGET-none} ${THRONG_SUBSET-none} "
        "${THRONG_DEADLINE-none} ${THRONG_P_old-none} "
        "$KEPT_FROM_OUTSIDE; "
        "echo $THRONG_STORE $OMP_NUM_THREADS "
        "${CUDA_VISIBLE_DEVICES-none}; "
        "cat $THRONG_PARAMS; "
        "test -d $THRONG_OUTPUT && test -d $THRONG_CHECKPOINT && "
        "test ! -e $THRONG_STOP && echo folders");
    t.attempt = 3;
    t.params = STR("{\"lr\":1e-05,\"opt.name\":\"adam w\",\"flag\":true,"
                   "\"nested\":{\"a\":[1,2]}}");
    t.needs.cpus = 1.5;
    char *text = printed(b, t);
    assert_contains(text, "test 5 3 7\n");
    assert_contains(text, "1e-05 adam w true {\"a\":[1,2]}\n");
    assert_contains(text, "none none none none yes\n");
    assert_contains(text, "/nowhere/at/all 2 none\n");
    assert_contains(text, "\"opt.name\":\"adam w\"");
    assert_contains(text, "folders\n");
    unsetenv("THRONG_BUDGET");
    unsetenv("THRONG_P_old");
}

static void budget_subset_and_deadline_appear_when_they_apply(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t =
        bench_shell(b, 1,
                    "echo $THRONG_BUDGET $THRONG_SUBSET; "
                    "test ${THRONG_DEADLINE%.*} -gt $(($(date +%s) + 50)) && "
                    "test ${THRONG_DEADLINE%.*} -lt $(($(date +%s) + 70)) && "
                    "echo soon");
    t.budget = 30;
    t.subset = 0.25;
    t.needs.time_s = 60;
    assert_string_equal(printed(b, t), "30 0.25\nsoon\n");
}

static void the_tasks_own_variables_win_and_are_expanded(void **state)
{
    struct bench *b = *state;
    setenv("FROM_HERE", "abc", 1);
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo $A $OMP_NUM_THREADS $FROM_HERE");
    struct assignment env[] = {{STR("A"), STR("x-${envvar:FROM_HERE}-y")},
                               {STR("OMP_NUM_THREADS"), STR("9")},
                               {STR("FROM_HERE"), STR("new")}};
    t.env = env;
    t.env_count = 3;
    assert_string_equal(printed(b, t), "x-abc-y 9 new\n");
}

static void parameters_with_colliding_names_are_invalid(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "true");
    t.params = STR("{\"a.b\":1,\"a-b\":2}");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_INVALID);
    assert_contains(e.reason.p, "`a-b`");
    assert_contains(e.reason.p, "THRONG_P_a_b");
    assert_contains(e.reason.p, "`a.b`");
}

static void granted_gpus_are_the_visible_ones(void **state)
{
    struct bench *b = *state;
    bench_start(b, "cpus=4;memory=1073741824;parallel=4;"
                   "gpu=GPU-aa/A100/8.0/40000000000/0;"
                   "gpu=GPU-bb/A100/8.0/40000000000/1");
    struct task one = bench_shell(b, 1, "echo $CUDA_VISIBLE_DEVICES");
    one.needs.gpus = 2;
    assert_string_equal(printed(b, one), "GPU-aa,GPU-bb\n");
    struct task none = bench_shell(b, 2, "echo [$CUDA_VISIBLE_DEVICES]");
    assert_string_equal(printed(b, none), "[]\n");
}

static void setup_lines_run_first(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo $A; echo \"$0\" $1");
    struct arg argv[] = {{ARG_TEXT, STR("/bin/sh")},
                         {ARG_TEXT, STR("-c")},
                         {ARG_TEXT, STR("echo $A; echo \"$0\" $1")},
                         {ARG_TEXT, STR("it's \"odd\"")},
                         {ARG_PARAMS_FILE, STR("")}};
    t.argv = argv;
    t.argc = 5;
    t.setup = STR("A=from-setup\nexport A");
    char *text = printed(b, t);
    assert_contains(text, "from-setup\nit's \"odd\" ");
    assert_contains(text, "/params.json\n");
}

/* The first line is the person's; what a sourced file does is its own. */
static void a_setup_line_that_fails_is_named_and_nothing_runs(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo it ran");
    t.setup = STR("A=1\nfalse\nB=2\n");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_FAILED);
    assert_int_equal(e.exit_code, 1);
    assert_contains(e.tail.p, "setup: line 2: `false` ended with exit code 1");
    assert_null(strstr(e.tail.p, "it ran"));
    struct task u = bench_shell(b, 2, "echo it ran");
    u.setup = STR("source nothere/bin/activate");
    e = bench_run(b, &u);
    assert_int_equal(e.outcome, OUTCOME_FAILED);
    assert_contains(e.tail.p, "setup: line 1: nothere/bin/activate: No such");
}

static void a_setup_that_leaves_the_shell_is_no_success(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo it ran");
    t.setup = STR("exit 0");
    assert_int_equal(bench_run(b, &t).outcome, OUTCOME_FAILED);
    struct task u = bench_shell(b, 2, "echo it ran");
    u.setup = STR("exit 85");
    assert_int_equal(bench_run(b, &u).outcome, OUTCOME_FAILED);
}

static void harmless_failures_of_sourced_files_pass(void **state)
{
    struct bench *b = *state;
    char *file = path_join(b->arena, b->folder, "activate");
    struct str text = STR("false\n[ -n \"$NOTHING\" ] && x\nA=loaded\n");
    assert_int_equal(file_write(file, text, false, NULL), 0);
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo $A");
    t.setup = str_of(arena_printf(b->arena, "source %s\nexport A\n", file));
    assert_string_equal(printed(b, t), "loaded\n");
}

static void without_bash_a_line_of_setup_fails_too(void **state)
{
    struct bench *b = *state;
    char *bin = path_join(b->arena, b->folder, "bin");
    struct assignment env = {STR("PATH"), str_of(bin)};
    mkdir(bin, 0777);
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo it ran");
    t.env = &env;
    t.env_count = 1;
    t.setup = STR("A=1\nfalse\n");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_FAILED);
    assert_contains(e.tail.p, "setup: a line ended with exit code 1");
    struct task u = bench_shell(b, 2, "echo $A");
    u.env = &env;
    u.env_count = 1;
    u.setup = STR("export A=here");
    assert_string_equal(printed(b, u), "here\n");
}

static void python_prints_at_once_unless_the_task_says_otherwise(void **state)
{
    struct bench *b = *state;
    unsetenv("PYTHONUNBUFFERED");
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo [$PYTHONUNBUFFERED]");
    assert_string_equal(printed(b, t), "[1]\n");
    struct task u = bench_shell(b, 2, "echo [$PYTHONUNBUFFERED]");
    struct assignment env = {STR("PYTHONUNBUFFERED"), STR("")};
    u.env = &env;
    u.env_count = 1;
    assert_string_equal(printed(b, u), "[]\n");
}

static void make_program(struct bench *b, const char *folder, const char *name)
{
    char *path = path_join(b->arena, folder, name);
    char *text = arena_printf(b->arena, "#!/bin/sh\necho %s $@\n", name);
    assert_int_equal(file_write(path, str_of(text), false, NULL), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void the_interpreter_is_python_or_else_python3(void **state)
{
    struct bench *b = *state;
    char *one = path_join(b->arena, b->folder, "one");
    char *both = path_join(b->arena, b->folder, "both");
    mkdir(one, 0777);
    mkdir(both, 0777);
    make_program(b, one, "python3");
    make_program(b, both, "python3");
    make_program(b, both, "python");
    bench_start(b, NULL);
    struct arg argv[] = {{ARG_INTERPRETER, STR("")},
                         {ARG_TEXT, STR("train.py")}};
    struct assignment env = {STR("PATH"), str_of(one)};
    struct task t = bench_shell(b, 1, ""), u = bench_shell(b, 2, "");
    t.argv = u.argv = argv;
    t.argc = u.argc = 2;
    t.env = u.env = &env;
    t.env_count = u.env_count = 1;
    assert_string_equal(printed(b, t), "python3 train.py\n");
    env.value = str_of(both);
    assert_string_equal(printed(b, u), "python train.py\n");
}

static void the_python_client_can_be_imported(void **state)
{
    struct bench *b = *state;
    struct arena *a = b->arena;
    if (!path_program(a, "python3", getenv("PATH"))) {
        print_message("skipped: there is no python3 here\n");
        skip();
    }
    bench_start(b, NULL);
    struct task t =
        bench_shell(b, 1, "python3 -c 'import throng; print(throng.__file__)'");
    assert_contains(printed(b, t),
                    arena_printf(a, "/tools-%d/python/throng/", (int)b->pid));
}

static void files_of_the_task_are_written_first(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "cat in/deck.txt; rm -r in");
    struct task_file file = {STR("in/deck.txt"), STR("lr = 0.1\n")};
    t.files = &file;
    t.file_count = 1;
    assert_string_equal(printed(b, t), "lr = 0.1\n");
    struct task bad = bench_shell(b, 2, "true");
    struct task_file outside = {STR("../../x"), STR("")};
    bad.files = &outside;
    bad.file_count = 1;
    assert_int_equal(bench_run(b, &bad).outcome, OUTCOME_SPAWN);
}

/* ---- the folder ------------------------------------------------------ */

static void a_task_that_wrote_nothing_leaves_no_folder(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "exit 0");
    bench_run(b, &t);
    assert_false(file_exists(bench_path(b, 1, "")));
}

static void what_was_written_stays(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1,
                                "echo model > $THRONG_OUTPUT/model; "
                                "echo '{\"a\":1}' >> $THRONG_METRICS");
    bench_run(b, &t);
    assert_true(file_exists(bench_path(b, 1, "output/model")));
    assert_false(file_exists(bench_path(b, 1, "log")));
    assert_false(file_exists(bench_path(b, 1, "checkpoint")));
    assert_false(file_exists(bench_path(b, 1, "metrics.jsonl")));
    assert_false(file_exists(bench_path(b, 1, "params.json")));
}

static void outputs_are_collected_from_the_workdir(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t =
        bench_shell(b, 1, "mkdir d; echo 1 > d/a.csv; echo 2 > b.txt");
    struct str globs[] = {STR("**/*.csv"), STR("*")};
    t.outputs = globs;
    t.output_count = 2;
    bench_run(b, &t);
    assert_string_equal(bench_file(b, bench_path(b, 1, "output/d/a.csv")),
                        "1\n");
    assert_true(file_exists(bench_path(b, 1, "output/b.txt")));
    assert_false(file_exists(bench_path(b, 1, "output/log")));
    assert_false(file_exists(bench_path(b, 1, "output/params.json")));
}

static void a_checkpoint_is_copied_before_the_start(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task first = bench_shell(
        b, 1, "mkdir $THRONG_CHECKPOINT/d; echo 5 > $THRONG_CHECKPOINT/d/s");
    bench_run(b, &first);
    struct task t = bench_shell(b, 2,
                                "cat $THRONG_CHECKPOINT/d/s; "
                                "echo 6 > $THRONG_CHECKPOINT/d/s");
    t.resume_from = str_of(bench_path(b, 1, "checkpoint"));
    assert_string_equal(printed(b, t), "5\n");
    assert_string_equal(bench_file(b, bench_path(b, 1, "checkpoint/d/s")),
                        "5\n");
    /* Its own newer checkpoint beats the one to resume from. */
    struct task again = bench_shell(b, 2, "cat $THRONG_CHECKPOINT/d/s");
    again.attempt = 2;
    again.resume_from = t.resume_from;
    b->records.len = 0;
    assert_contains(printed(b, again), "[throng: attempt 2]\n6\n");
}

/* A folder that nothing was written into is used again. */
static void a_folder_used_again_shows_nothing_of_before(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "exit 0");
    t.params = STR("{\"a_long_name_of_a_parameter\":\"and a long value\"}");
    t.workdir = str_of(b->folder);
    bench_run(b, &t);
    struct task u = bench_shell(b, 2,
                                "cat $THRONG_PARAMS; ls -A "
                                "$THRONG_OUTPUT $THRONG_CHECKPOINT");
    u.params = STR("{\"b\":1}");
    u.workdir = t.workdir;
    char *text = printed(b, u);
    assert_contains(text, "{\"b\":1}");
    assert_null(strstr(text, "long"));
    assert_false(file_exists(bench_path(b, 1, "")));
}

static void who_is_left_over_writes_into_no_other_log(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    char *go = path_join(b->arena, b->folder, "go");
    struct task t = bench_shell(
        b, 1,
        "setsid sh -c 'echo > up; while test ! -e go; do :; done; echo "
        "intruder' & while test ! -e up; do sleep 0.01; done; exit 0");
    t.workdir = str_of(b->folder);
    bench_run(b, &t);
    struct task u = bench_shell(b, 2, "sleep 0.1");
    u.workdir = t.workdir;
    bench_submit(b, &u);
    bench_await(b, RECORD_STARTED, 2);
    assert_int_equal(file_write(go, STR("x"), false, NULL), 0);
    bench_ended(b, 2);
    assert_false(file_exists(bench_path(b, 2, "log")));
}

/* ---- metrics --------------------------------------------------------- */

static void lines_of_the_metrics_file_arrive(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(
        b, 1,
        "echo '{\"step\":1,\"loss\":0.5,\"acc\":1}' >> $THRONG_METRICS; "
        "echo '{\"step\":2,\"loss\":NaN}' >> $THRONG_METRICS; "
        "printf '{\"step\":3,\"loss\":0.25}' >> $THRONG_METRICS");
    struct record_ended e = bench_run(b, &t);
    assert_string_equal(bench_metric(b, 1, "loss"), "1:0.5 2:nan 3:0.25");
    assert_string_equal(bench_metric(b, 1, "acc"), "1:1");
    assert_int_equal(e.metric_points, 4);
}

static void lines_without_a_step_are_counted(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1,
                                "for i in 7 8 9; do echo "
                                "\"{\\\"x\\\":$i}\"; done >> "
                                "$THRONG_METRICS");
    bench_run(b, &t);
    assert_string_equal(bench_metric(b, 1, "x"), "0:7 1:8 2:9");
}

/* ---- attempts after others ------------------------------------------- */

/* The attempt that began anew, as this one says; 0: it says none. */
static unsigned anew_of(struct bench *b, uint32_t attempt)
{
    for (size_t i = 0; i < b->records.len; i++) {
        const struct got *g = &b->records.p[i];
        struct bytes in = bytes_of(g->payload);
        if (g->type == RECORD_ANEW && g->attempt == attempt)
            return g->payload.p[0] ? bytes_u32(&in) : attempt;
    }
    return 0;
}

static char *run_next(struct bench *b, struct task *t, uint32_t attempt,
                      const char *script)
{
    struct task next = bench_shell(b, 1, script);
    next.attempt = t->attempt = attempt;
    next.steps = t->steps;
    next.step_count = t->step_count;
    next.metrics_at = t->metrics_at;
    next.log_at = t->log_at;
    next.anew = t->anew;
    b->records.len = 0;
    bench_run(b, &next);
    return bench_metric(b, 1, "x");
}

#define SAYS(x)                                                                \
    "echo '{\"x\":" #x "}' >> $THRONG_METRICS; echo ::throng y=" #x ";"
#define KEEPS "echo 1 > $THRONG_CHECKPOINT/n;"

static void who_finds_no_checkpoint_says_that_it_begins_anew(void **state)
{
    struct bench *b = *state;
    struct task t = {0};
    bench_start(b, NULL);
    assert_string_equal(run_next(b, &t, 1, SAYS(1) SAYS(2) "exit 1"),
                        "0:1 1:2");
    assert_int_equal(anew_of(b, 1), 0);
    assert_string_equal(run_next(b, &t, 2, SAYS(3) KEEPS "exit 1"), "0:3");
    assert_int_equal(anew_of(b, 2), 2);
    assert_false(file_exists(bench_path(b, 1, "stop")));
    t.anew = 2;
    t.metrics_at = (uint64_t)strlen("{\"x\":3}\n");
    t.log_at = (uint64_t)strlen(bench_file(b, bench_path(b, 1, "log")));
    const struct task_step behind[] = {{STR("x"), 1}, {STR("y"), 1}};
    t.steps = behind;
    t.step_count = 2;
    assert_string_equal(run_next(b, &t, 3, SAYS(4) "exit 1"), "1:4");
    assert_int_equal(anew_of(b, 3), 2);
}

/* All were killed before the study had heard of attempt 2: what it knows is
 * where attempt 1 stood. */
static void what_nobody_heard_of_one_that_began_anew_is_read(void **state)
{
    struct bench *b = *state;
    struct task t = {0};
    bench_start(b, NULL);
    run_next(b, &t, 1, SAYS(1) SAYS(2) "exit 1");
    uint64_t log_at = (uint64_t)strlen(bench_file(b, bench_path(b, 1, "log")));
    run_next(b, &t, 2, SAYS(3) SAYS(4) SAYS(5) KEEPS "exit 1");
    const struct task_step behind[] = {{STR("x"), 2}, {STR("y"), 2}};
    t = (struct task){.metrics_at = 2 * strlen("{\"x\":1}\n"),
                      .log_at = log_at / 2,
                      .steps = behind,
                      .step_count = 2};
    assert_string_equal(
        run_next(b, &t, 3, SAYS(6) "echo $THRONG_FIRST_STEP > first"),
        "0:3 1:4 2:5 3:6");
    assert_string_equal(bench_metric(b, 1, "y"), "0:3 1:4 2:5 3:6");
    assert_int_equal(anew_of(b, 3), 2);
    assert_string_equal(bench_file(b, bench_path(b, 1, "first")), "3\n");
}

static void a_torn_line_waits_for_its_end(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t =
        bench_shell(b, 1,
                    "echo '{\"step\":1,\"x\":1}' >> $THRONG_METRICS; "
                    "printf '{\"step\":2,' >> $THRONG_METRICS; "
                    "while test ! -e go; do sleep 0.01; done; "
                    "echo '\"x\":2}' >> $THRONG_METRICS; rm go");
    bench_submit(b, &t);
    bench_await(b, RECORD_POINTS, 1);
    assert_string_equal(bench_metric(b, 1, "x"), "1:1");
    assert_int_equal(file_write(bench_path(b, 1, "go"), STR("x"), false, NULL),
                     0);
    bench_ended(b, 1);
    assert_string_equal(bench_metric(b, 1, "x"), "1:1 2:2");
    assert_int_equal(bench_count(b, RECORD_NOTICE, 1), 0);
}

static void a_malformed_line_is_told_of_once(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1,
                                "echo '{\"x\":1}' >> $THRONG_METRICS; "
                                "echo 'nonsense' >> $THRONG_METRICS; "
                                "echo '[1]' >> $THRONG_METRICS; "
                                "echo '{\"x\":2}' >> $THRONG_METRICS");
    bench_run(b, &t);
    assert_string_equal(bench_metric(b, 1, "x"), "0:1 1:2");
    assert_int_equal(bench_count(b, RECORD_NOTICE, 1), 1);
    struct got *g = bench_await(b, RECORD_NOTICE, 1);
    assert_contains(bench_cstr(b, g->payload), "line 2 of its metrics file");
}

static void a_metrics_file_that_begins_anew_is_read_anew(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t =
        bench_shell(b, 1,
                    "printf '{\"step\":1,\"x\":1}\\n{\"step\":2,\"x\":2}\\n' > "
                    "$THRONG_METRICS; "
                    "while test ! -e go; do sleep 0.01; done; "
                    "echo '{\"step\":3,\"x\":3}' > $THRONG_METRICS; rm go");
    bench_submit(b, &t);
    bench_await(b, RECORD_POINTS, 1);
    assert_int_equal(file_write(bench_path(b, 1, "go"), STR("x"), false, NULL),
                     0);
    bench_ended(b, 1);
    assert_string_equal(bench_metric(b, 1, "x"), "1:1 2:2 3:3");
}

static void a_metrics_file_that_is_replaced_is_read(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(
        b, 1,
        "echo '{\"step\":1,\"x\":1}' > $THRONG_METRICS; "
        "while test ! -e go; do sleep 0.01; done; "
        "printf '{\"step\":2,\"x\":2}\\n{\"step\":3,\"x\":3}\\n' > new; "
        "mv new $THRONG_METRICS; rm go");
    bench_submit(b, &t);
    bench_await(b, RECORD_POINTS, 1);
    assert_int_equal(file_write(bench_path(b, 1, "go"), STR("x"), false, NULL),
                     0);
    bench_ended(b, 1);
    assert_string_equal(bench_metric(b, 1, "x"), "1:1 2:2 3:3");
}

static void marked_lines_of_the_output_are_metrics(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t =
        bench_shell(b, 1,
                    "echo hello; echo '::throng step=3 val_loss=0.21'; "
                    "echo ' ::throng step=4 val_loss=9'; "
                    "printf '::throng step=5 \"odd name\"=1 val_loss=.5'");
    bench_run(b, &t);
    assert_string_equal(bench_metric(b, 1, "val_loss"), "3:0.21 5:0.5");
    assert_string_equal(bench_metric(b, 1, "odd name"), "5:1");
}

static void a_pattern_finds_the_metric(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1,
                                "echo 'epoch 1 loss: 0.5'; echo other; "
                                "echo 'epoch 2 loss: 2.5e-1'");
    t.metric_name = STR("loss");
    t.metric_pattern = STR("epoch ([0-9]+) loss: ([0-9.e+-]+)");
    bench_run(b, &t);
    assert_string_equal(bench_metric(b, 1, "loss"), "1:0.5 2:0.25");
    struct task one = bench_shell(b, 2, "echo acc=7; echo acc=8");
    one.metric_name = STR("acc");
    one.metric_pattern = STR("acc=([0-9]+)");
    bench_run(b, &one);
    assert_string_equal(bench_metric(b, 2, "acc"), "0:7 1:8");
}

static void a_wrong_pattern_is_named(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "true");
    t.metric_name = STR("x");
    t.metric_pattern = STR("(unclosed");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_SPAWN);
    assert_contains(e.reason.p, "(unclosed");
}

static void a_file_with_one_number_is_a_metric(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo ' 0.75 ' > score.txt");
    t.metric_name = STR("score");
    t.metric_file = STR("score.txt");
    bench_run(b, &t);
    assert_string_equal(bench_metric(b, 1, "score"), "0:0.75");
    /* An older attempt's number is not taken for this one's. */
    struct task again = bench_shell(b, 1, "true");
    again.attempt = 2;
    again.metric_name = t.metric_name;
    again.metric_file = t.metric_file;
    b->records.len = 0;
    assert_int_equal(bench_run(b, &again).metric_points, 0);
}

static void many_points_arrive_complete_and_in_order(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t =
        bench_shell(b, 1,
                    "awk 'BEGIN { for (i = 0; i < 200000; i++) "
                    "printf \"{\\\"step\\\":%d,\\\"x\\\":%d}\\n\", i, 2 * i }' "
                    ">> $THRONG_METRICS");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.metric_points, 200000);
    int64_t next = 0;
    for (size_t i = 0; i < b->records.len; i++) {
        struct metric_reader r;
        struct metric_column c;
        if (!bench_is_metrics(&b->records.p[i]))
            continue;
        metric_reader_init(&r, bench_batch(&b->records.p[i]));
        while (metric_reader_next(&r, &c) == 1) {
            for (size_t k = 0; k < c.count; k++, next++) {
                assert_int_equal(metric_step(&c, k), next);
                assert_true(metric_value(&c, k) == 2.0 * (double)next);
            }
        }
    }
    assert_int_equal(next, 200000);
}

/* ---- throng report --------------------------------------------------- */

static void throng_report_works_inside_a_task(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1,
                                "throng report step=3 loss=.12 'odd name=2' && "
                                "throng report loss=oops; echo $?; "
                                "touch $THRONG_STOP; throng report loss=1; "
                                "echo $?");
    char *text = printed(b, t);
    assert_contains(text, "throng report: ");
    assert_contains(text, "2\n10\n");
    assert_string_equal(bench_metric(b, 1, "loss"), "3:0.12 4:1");
    assert_string_equal(bench_metric(b, 1, "odd name"), "3:2");
}

static void other_verbs_go_to_the_next_throng(void **state)
{
    struct bench *b = *state;
    char *bin = path_join(b->arena, b->folder, "bin");
    char *other = path_join(b->arena, bin, "throng");
    mkdir(bin, 0777);
    assert_int_equal(
        file_write(other, STR("#!/bin/sh\necho other $@\n"), false, NULL), 0);
    chmod(other, 0755);
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "throng status --json");
    struct assignment path = {
        STR("PATH"), str_of(arena_printf(b->arena, "%s:/usr/bin:/bin", bin))};
    t.env = &path;
    t.env_count = 1;
    assert_string_equal(printed(b, t), "other status --json\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(a_task_finds_itself_in_its_environment),
        with_bench(budget_subset_and_deadline_appear_when_they_apply),
        with_bench(the_tasks_own_variables_win_and_are_expanded),
        with_bench(parameters_with_colliding_names_are_invalid),
        with_bench(granted_gpus_are_the_visible_ones),
        with_bench(setup_lines_run_first),
        with_bench(a_setup_line_that_fails_is_named_and_nothing_runs),
        with_bench(a_setup_that_leaves_the_shell_is_no_success),
        with_bench(harmless_failures_of_sourced_files_pass),
        with_bench(without_bash_a_line_of_setup_fails_too),
        with_bench(python_prints_at_once_unless_the_task_says_otherwise),
        with_bench(the_interpreter_is_python_or_else_python3),
        with_bench(the_python_client_can_be_imported),
        with_bench(files_of_the_task_are_written_first),
        with_bench(a_task_that_wrote_nothing_leaves_no_folder),
        with_bench(what_was_written_stays),
        with_bench(outputs_are_collected_from_the_workdir),
        with_bench(a_checkpoint_is_copied_before_the_start),
        with_bench(a_folder_used_again_shows_nothing_of_before),
        with_bench(who_is_left_over_writes_into_no_other_log),
        with_bench(lines_of_the_metrics_file_arrive),
        with_bench(lines_without_a_step_are_counted),
        with_bench(who_finds_no_checkpoint_says_that_it_begins_anew),
        with_bench(what_nobody_heard_of_one_that_began_anew_is_read),
        with_bench(a_torn_line_waits_for_its_end),
        with_bench(a_malformed_line_is_told_of_once),
        with_bench(a_metrics_file_that_begins_anew_is_read_anew),
        with_bench(a_metrics_file_that_is_replaced_is_read),
        with_bench(marked_lines_of_the_output_are_metrics),
        with_bench(a_pattern_finds_the_metric),
        with_bench(a_wrong_pattern_is_named),
        with_bench(a_file_with_one_number_is_a_metric),
        with_bench(many_points_arrive_complete_and_in_order),
        with_bench(throng_report_works_inside_a_task),
        with_bench(other_verbs_go_to_the_next_throng),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
