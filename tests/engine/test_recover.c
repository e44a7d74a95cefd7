/* What an ended conductor's workers left behind. */
#include "rig.h"
#include "base/num.h"
#include "engine/mark.h"
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct heard {
    VEC(struct seen) records;
    unsigned commits;
    int answer; /* of commit */
};

static void apply(void *context, const struct record *r)
{
    struct heard *h = context;
    struct seen s = {.type = r->type, .task = r->task, .attempt = r->attempt};
    vec_push(&h->records, s);
}

static int commit(void *context)
{
    struct heard *h = context;
    h->commits++;
    return h->answer;
}

static int recover(struct rig *r, struct heard *h, struct err *err)
{
    struct engine_left left = {.epoch = RIG_EPOCH};
    return rig_recover(r, &left, apply, commit, h, err);
}

static void must_recover(struct rig *r, struct heard *h)
{
    struct err err = {0};
    if (recover(r, h, &err))
        fail_msg("engine_recover: %s", err.text);
}

static char *words_path(struct rig *r, const char *name)
{
    char *folder = path_join(r->arena, r->folder, "last-words");
    assert_int_equal(dir_make(folder, NULL), 0);
    return path_join(r->arena, folder, name);
}

static void add(struct buf *b, enum record_type type, uint64_t task)
{
    struct record r = {.type = type, .task = task, .attempt = 2};
    record_print(b, &r);
}

/* Writes STARTING and NOTICE of the task, less `torn` bytes of the end. */
static void write_words(struct rig *r, const char *name, uint64_t task,
                        size_t torn)
{
    struct buf b;
    buf_init(&b);
    add(&b, RECORD_HELLO, 0);
    add(&b, RECORD_STARTING, task);
    add(&b, RECORD_NOTICE, task);
    struct str text = str_n(b.p, b.len - torn);
    assert_int_equal(file_write(words_path(r, name), text, false, NULL), 0);
    buf_done(&b);
}

static void nothing_left_behind_is_fine(void **state)
{
    (void)state;
    struct rig r;
    struct heard h = {0};
    rig_init(&r);
    must_recover(&r, &h);
    words_path(&r, "x");
    must_recover(&r, &h);
    assert_int_equal(h.records.len, 0);
    assert_int_equal(h.commits, 0);
    rig_done(&r);
}

static void every_file_is_applied_committed_and_removed(void **state)
{
    (void)state;
    struct rig r;
    struct heard h = {0};
    rig_init(&r);
    write_words(&r, "2.rec", 20, 0);
    write_words(&r, "1.rec", 10, 0);
    write_words(&r, "3.tmp", 30, 0);
    assert_int_equal(dir_make(words_path(&r, "tools-77/bin"), NULL), 0);
    must_recover(&r, &h);
    assert_int_equal(h.commits, 2);
    assert_int_equal(h.records.len, 4);
    assert_int_equal(h.records.p[0].type, RECORD_STARTING);
    assert_int_equal(h.records.p[0].task, 10);
    assert_int_equal(h.records.p[0].attempt, 2);
    assert_int_equal(h.records.p[1].type, RECORD_NOTICE);
    assert_int_equal(h.records.p[2].task, 20);
    assert_false(file_exists(words_path(&r, "1.rec")));
    assert_false(file_exists(words_path(&r, "2.rec")));
    assert_true(file_exists(words_path(&r, "3.tmp")));
    assert_false(file_exists(words_path(&r, "tools-77")));
    vec_done(&h.records);
    rig_done(&r);
}

static void a_torn_tail_is_dropped(void **state)
{
    (void)state;
    struct rig r;
    struct heard h = {0};
    rig_init(&r);
    write_words(&r, "1.rec", 10, 3);
    write_words(&r, "2.rec", 20, 0);
    must_recover(&r, &h);
    assert_int_equal(h.records.len, 3);
    assert_int_equal(h.records.p[0].task, 10);
    assert_int_equal(h.records.p[1].task, 20);
    assert_int_equal(file_write(words_path(&r, "1.rec"),
                                STR("this was never a record of ours"), false,
                                NULL),
                     0);
    assert_int_equal(file_write(words_path(&r, "2.rec"), STR(""), false, NULL),
                     0);
    must_recover(&r, &h);
    assert_int_equal(h.records.len, 3);
    assert_false(file_exists(words_path(&r, "1.rec")));
    assert_false(file_exists(words_path(&r, "2.rec")));
    vec_done(&h.records);
    rig_done(&r);
}

static void what_is_not_committed_stays(void **state)
{
    (void)state;
    struct rig r;
    struct heard h = {.answer = -1};
    struct err err = {0};
    rig_init(&r);
    write_words(&r, "1.rec", 10, 0);
    assert_int_equal(recover(&r, &h, &err), -1);
    assert_non_null(strstr(err.text, "1.rec"));
    assert_true(file_exists(words_path(&r, "1.rec")));
    h.answer = 0;
    must_recover(&r, &h);
    assert_false(file_exists(words_path(&r, "1.rec")));
    vec_done(&h.records);
    rig_done(&r);
}

/* A program of any name that carries the mark of a worker. */
static struct process_id spawn_as_worker(struct rig *r, const char *script)
{
    struct mark own = {r->folder, RIG_EPOCH};
    const char *mark = mark_text(r->arena, &own, MARK_WORKER);
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    const char *env[] = {"PATH=/usr/bin:/bin", mark, NULL};
    struct spawn s = {.argv = argv,
                      .env = env,
                      .cwd = r->folder,
                      .in = -1,
                      .out = -1,
                      .err = -1,
                      .keep_fd = -1,
                      .session = true};
    struct process_id id;
    assert_int_equal(process_spawn(&s, &id, NULL), 0);
    /* For a moment after its exec a process shows no environment. */
    while (!rig_has_env(id.pid, mark) && process_alive(id))
        usleep(1000);
    return id;
}

static void a_living_worker_may_write_its_last_words(void **state)
{
    (void)state;
    struct rig r;
    struct heard h = {0};
    rig_init(&r);
    write_words(&r, "later", 10, 0);
    struct process_id worker = spawn_as_worker(
        &r, "sleep 0.2; mv last-words/later last-words/1.rec; exit 0");
    must_recover(&r, &h);
    assert_int_equal(h.records.len, 2);
    assert_false(process_alive(worker));
    waitpid(worker.pid, NULL, 0);
    vec_done(&h.records);
    rig_done(&r);
}

static void a_worker_that_stays_is_ended_with_its_tasks(void **state)
{
    (void)state;
    struct rig r;
    struct heard h = {0};
    rig_init(&r);
    struct process_id worker =
        spawn_as_worker(&r, "trap '' TERM; sleep 1000; sleep 1000");
    int64_t begin = clock_mono_ns();
    must_recover(&r, &h);
    assert_true(clock_mono_ns() - begin > (int64_t)2.9e9);
    assert_int_equal(rig_processes(&r), 0);
    waitpid(worker.pid, NULL, 0);
    rig_done(&r);
}

/* A shell that leads a session, and what it starts there with a cleaned
 * environment; the shell ends when told. */
static struct process_id spawn_leader(struct rig *r, pid_t *child)
{
    const char *argv[] = {"/bin/sh", "-c",
                          "env -i /bin/sleep 1000 & echo $! >child.new;"
                          "mv child.new child; read x <end",
                          NULL};
    struct spawn s = {.argv = argv,
                      .cwd = r->folder,
                      .in = -1,
                      .out = -1,
                      .err = -1,
                      .keep_fd = -1,
                      .session = true};
    struct process_id id;
    struct buf b;
    uint64_t pid = 0;
    char *path = path_join(r->arena, r->folder, "child");
    assert_int_equal(mkfifo(path_join(r->arena, r->folder, "end"), 0600), 0);
    assert_int_equal(process_spawn(&s, &id, NULL), 0);
    while (!file_exists(path))
        usleep(1000);
    buf_init(&b);
    assert_int_equal(file_read(path, 0, &b, NULL), 0);
    assert_true(num_uint(str_trim(buf_str(&b)), &pid));
    buf_done(&b);
    *child = (pid_t)pid;
    return id;
}

static void recover_leaders(struct rig *r, struct process_id leader,
                            bool numbers_stand, uint64_t known_ticks)
{
    struct heard h = {0};
    struct err err = {0};
    struct engine_left left = {.epoch = RIG_EPOCH,
                               .leaders = &leader,
                               .leader_count = 1,
                               .numbers_stand = numbers_stand,
                               .known_ticks = known_ticks};
    if (rig_recover(r, &left, apply, commit, &h, &err))
        fail_msg("%s", err.text);
}

static bool lives(pid_t pid)
{
    struct process_table t = {0};
    bool found = false;
    assert_int_equal(process_table_read(&t, NULL), 0);
    for (size_t i = 0; i < t.rows.len; i++)
        if (t.rows.p[i].pid == pid)
            found = t.rows.p[i].state != 'Z';
    process_table_done(&t);
    return found;
}

static void a_cleaned_environment_hides_nobody_in_a_task_s_session(void **state)
{
    (void)state;
    struct rig r;
    pid_t child;
    rig_init(&r);
    struct process_id leader = spawn_leader(&r, &child);
    recover_leaders(&r, leader, false, 0);
    assert_false(process_alive(leader));
    assert_false(lives(child));
    waitpid(leader.pid, NULL, 0);
    rig_done(&r);
}

static void a_leader_that_only_its_worker_s_file_knows_is_found(void **state)
{
    (void)state;
    struct rig r;
    struct leaders file;
    pid_t child;
    rig_init(&r);
    char *words = path_join(r.arena, r.folder, "last-words");
    assert_int_equal(dir_make(words, NULL), 0);
    char *path = path_join(r.arena, words, "1-2-3.rec.leaders");
    assert_int_equal(leaders_open(&file, path, NULL), 0);
    struct process_id leader = spawn_leader(&r, &child);
    leader_write(file.fd, leaders_take(&file),
                 (struct leader_line){.pid = (uint64_t)leader.pid,
                                      .start = leader.start});
    leaders_close(&file, false);
    recover_leaders(&r, (struct process_id){0}, false, 0);
    assert_false(process_alive(leader));
    assert_false(lives(child));
    assert_false(file_exists(path));
    waitpid(leader.pid, NULL, 0);
    rig_done(&r);
}

static void a_session_without_its_leader_must_be_proven(void **state)
{
    (void)state;
    struct rig r;
    pid_t child;
    for (int known = 0; known < 2; known++) {
        rig_init(&r);
        struct process_id leader = spawn_leader(&r, &child);
        kill(leader.pid, SIGKILL);
        waitpid(leader.pid, NULL, 0);
        /* Numbers may have come round: it could be anybody's. */
        recover_leaders(&r, leader, false, leader.start);
        assert_true(lives(child));
        if (known) /* it was there while the leader was */
            recover_leaders(&r, leader, false, process_ticks() + 100000);
        else
            recover_leaders(&r, leader, true, 0);
        assert_false(lives(child));
        rig_done(&r);
    }
}

static void whoever_has_a_number_now_is_not_who_had_it(void **state)
{
    (void)state;
    struct rig r;
    pid_t child;
    rig_init(&r);
    struct process_id innocent = spawn_leader(&r, &child);
    struct process_id recorded = {innocent.pid, innocent.start - 1};
    recover_leaders(&r, recorded, true, process_ticks() + 100000);
    assert_true(process_alive(innocent));
    assert_true(lives(child));
    kill(-innocent.pid, SIGKILL);
    waitpid(innocent.pid, NULL, 0);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_left_behind_is_fine),
        cmocka_unit_test(every_file_is_applied_committed_and_removed),
        cmocka_unit_test(a_torn_tail_is_dropped),
        cmocka_unit_test(what_is_not_committed_stays),
        cmocka_unit_test(a_living_worker_may_write_its_last_words),
        cmocka_unit_test(a_worker_that_stays_is_ended_with_its_tasks),
        cmocka_unit_test(
            a_cleaned_environment_hides_nobody_in_a_task_s_session),
        cmocka_unit_test(a_leader_that_only_its_worker_s_file_knows_is_found),
        cmocka_unit_test(a_session_without_its_leader_must_be_proven),
        cmocka_unit_test(whoever_has_a_number_now_is_not_who_had_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
