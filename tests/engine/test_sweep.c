#include "rig.h"
#include "engine/sweep.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static struct process_id spawn_sleeper(const char *mark, bool session)
{
    const char *argv[] = {"/bin/sleep", "1000", NULL};
    const char *env[] = {mark, NULL};
    struct spawn s = {.argv = argv,
                      .env = env,
                      .in = -1,
                      .out = -1,
                      .err = -1,
                      .keep_fd = -1,
                      .session = session};
    struct process_id id;
    struct err err = {0};
    if (process_spawn(&s, &id, &err))
        fail_msg("%s", err.text);
    /* For a moment after its exec a process shows no environment. */
    while (!rig_has_env(id.pid, mark) && process_alive(id))
        usleep(1000);
    return id;
}

static void end_sleeper(struct process_id id)
{
    kill(id.pid, SIGKILL);
    waitpid(id.pid, NULL, 0);
}

static struct process_id spawn_marked(const struct rig *r, const char *before,
                                      bool session)
{
    char mark[256];
    snprintf(mark, sizeof mark, "THRONG_STORE=%s%s", before, r->folder);
    return spawn_sleeper(mark, session);
}

static void only_marked_processes_are_ended(void **state)
{
    (void)state;
    struct rig r;
    struct sweep s;
    struct err err = {0};
    size_t workers;
    rig_init(&r);
    struct mark mark = {r.folder, RIG_EPOCH};
    struct process_id ours[] = {
        spawn_sleeper(r.mark, true),         spawn_sleeper(r.mark, false),
        spawn_marked(&r, "5.worker:", true), spawn_marked(&r, "4.task:", true),
        spawn_marked(&r, "", true), /* of an older throng */
    };
    struct process_id others[] = {
        spawn_sleeper("THRONG_STORE=5.task:/elsewhere", true),
        spawn_marked(&r, "6.task:", true),   /* of a successor */
        spawn_marked(&r, "6.worker:", true), /* its worker */
        spawn_marked(&r, "5.batch:", true),  /* of another place */
        spawn_marked(&r, "x.task:", true),
    };
    assert_int_equal(sweep_marked(&mark, &workers), 5);
    assert_int_equal(workers, 1);
    sweep_init(&s, &mark);
    assert_int_equal(sweep_all(&s, 30, &err), 0);
    assert_int_equal(sweep_marked(&mark, &workers), 0);
    for (size_t i = 0; i < 5; i++) {
        assert_false(process_alive(ours[i]));
        assert_true(process_alive(others[i]));
        end_sleeper(ours[i]);
        end_sleeper(others[i]);
    }
    sweep_done(&s);
    rig_done(&r);
}

/* A child with a session of its own, started after the worker and not noted,
 * is what an orphan looks like. */
static void orphans_are_ended_and_kin_is_spared(void **state)
{
    (void)state;
    struct rig r;
    struct sweep s;
    struct err err = {0};
    rig_init(&r);
    struct mark mark = {r.folder, RIG_EPOCH};
    struct process_id worker = spawn_sleeper("A=B", true);
    struct process_id kin = spawn_sleeper("A=B", true);
    sweep_init(&s, &mark);
    s.worker = worker;
    sweep_note_kin(&s);
    struct process_id orphan = spawn_sleeper("A=B", true);
    struct process_id ours = spawn_sleeper("A=B", false);
    end_sleeper(worker);
    /* Too late: this would take the orphan for kin. */
    sweep_note_kin(&s);
    assert_int_equal(sweep_all(&s, 30, &err), 0);
    assert_int_equal(kill(orphan.pid, 0), -1);
    assert_true(process_alive(kin));
    assert_true(process_alive(ours));
    sweep_done(&s);
    end_sleeper(kin);
    end_sleeper(ours);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_marked_processes_are_ended),
        cmocka_unit_test(orphans_are_ended_and_kin_is_spared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
