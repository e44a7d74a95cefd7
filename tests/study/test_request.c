/* test_request.c - a request counts once, or is refused with the reason */
#include <signal.h>
#include <sys/resource.h>
#include "bed.h"
#include "study/conductor.h"

#define TEXT                                                                   \
    "method: grid\nmetric: {name: loss}\n"                                     \
    "parameters: {lr: {values: [1, 2, 3]}, word: {values: [a, b]}}\n"          \
    "run_cap: 2\ncommand: [x, 'metric=loss:{lr}']\n"

struct asked {
    struct store *store; /* with its lease */
    char *file;
};

/* A study that has ended, and a request to it. */
static struct asked ask(struct bed *b, const char *verb, const char *selector,
                        const char *args)
{
    enum study_end end;
    struct asked x;
    if (bed_run(b, TEXT, &end))
        fail_msg("%s", b->err.text);
    store_close(b->store);
    b->store = NULL;
    struct value *v = json_parse(b->arena, str_of(args), "args", true, NULL);
    assert_non_null(v);
    x.file = store_request_ask(b->setup.folder, verb, selector, v, b->arena,
                               &b->err);
    assert_non_null(x.file);
    x.store = store_open(b->setup.folder, true, &b->err);
    assert_non_null(x.store);
    assert_int_equal(store_lease_take(x.store, false, &b->err), 0);
    return x;
}

static struct request_answer answer(struct bed *b, const struct asked *x)
{
    struct request_answer got;
    if (study_apply_waiting(x->store, &b->err))
        fail_msg("%s", b->err.text);
    assert_false(store_request_waits(b->setup.folder, x->file));
    assert_int_equal(store_answer_take(b->setup.folder, x->file, &got, &b->err),
                     1);
    return got;
}

static void a_request_that_nobody_heard_counts_once(void **s)
{
    struct bed *b = *s;
    struct asked x =
        ask(b, "add", "", "{\"points\":[{\"lr\":3,\"word\":\"b\"}]}");
    struct request_answer got = answer(b, &x);
    assert_int_equal(got.fault.kind, ERR_NONE);
    assert_int_equal(got.changed, 1);
    assert_int_equal(got.first, 3);
    assert_false(got.running);
    assert_int_equal(study_apply_waiting(x.store, &b->err), 0);
    assert_int_equal(store_last_trial(x.store), 3);
    store_close(x.store);
}

static void a_refused_request_says_why_and_changes_nothing(void **s)
{
    static const struct {
        const char *args, *why;
    } refused[] = {
        {"{\"points\":[{\"lr\":1,\"word\":\"a\"},{\"lr\":4,\"word\":\"a\"}]}",
         "point 2: lr: 4"},
        {"{\"points\":[{\"lr\":1,\"word\":\"$(touch x)\"}]}", "point 1: word"},
        {"{\"points\":[{\"lr\":1}]}", "word is missing"},
        {"{\"points\":[{\"lr\":1,\"word\":\"a\",\"z\":1}]}", "z"},
        {"{\"points\":[7]}", "a point is names with values"},
        {"{\"points\":7}", "it brings no points"},
        {"{\"times\":0,\"points\":[{\"lr\":1,\"word\":\"a\"}]}", "not 0"},
        {"{\"times\":9000000000000000000,\"points\":"
         "[{\"lr\":1,\"word\":\"a\"}]}",
         "1 to 1000000"},
    };
    struct bed *b = *s;
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        struct asked x = ask(b, "add", "", refused[i].args);
        struct request_answer got = answer(b, &x);
        assert_int_equal(got.fault.kind, ERR_INPUT);
        if (!strstr(got.fault.text, refused[i].why))
            fail_msg("%s: %s", refused[i].args, got.fault.text);
        assert_int_equal(store_last_trial(x.store), 2);
        store_close(x.store);
    }
}

static void words_in_a_request_are_checked_too(void **s)
{
    struct bed *b = *s;
    struct asked x = ask(b, "tag", "1", "{\"tag\":\"a,b\"}");
    assert_int_equal(answer(b, &x).fault.kind, ERR_INPUT);
    store_close(x.store);
    char *args =
        arena_printf(b->arena, "{\"text\":\"%0*d\"}", STUDY_NOTE_MAX + 1, 0);
    x = ask(b, "note", "1", args);
    assert_int_equal(answer(b, &x).fault.kind, ERR_INPUT);
    store_close(x.store);
}

/* The file is back, as if its holder had died right after the commit. */
static void
one_applied_before_a_death_is_answered_and_not_applied_again(void **s)
{
    struct bed *b = *s;
    struct asked x =
        ask(b, "add", "", "{\"points\":[{\"lr\":3,\"word\":\"b\"}]}");
    char *path = path_join(
        b->arena, path_join(b->arena, b->setup.folder, "requests"), x.file);
    struct buf text;
    buf_init(&text);
    assert_int_equal(file_read(path, 0, &text, &b->err), 0);
    answer(b, &x);
    assert_int_equal(file_write(path, buf_str(&text), false, &b->err), 0);
    buf_done(&text);
    struct request_answer got = answer(b, &x);
    assert_int_equal(got.first, 3);
    assert_int_equal(got.changed, 1);
    assert_int_equal(store_last_trial(x.store), 3);
    store_close(x.store);
    /* Nor by a conductor. */
    enum study_end end;
    assert_int_equal(bed_run(b, TEXT, &end), 0);
    assert_int_equal(store_last_trial(b->store), 3);
}

static void points_too_many_for_a_request_lie_beside_it(void **s)
{
    struct bed *b = *s;
    struct buf args;
    buf_init(&args);
    buf_adds(&args, "{\"points\":[");
    for (int i = 0; i < 20000; i++)
        buf_addf(&args, "%s{\"lr\":%d,\"word\":\"a\"}", i ? "," : "",
                 1 + i % 3);
    buf_adds(&args, "]}");
    struct asked x = ask(b, "add", "", args.p);
    struct request *list;
    size_t n;
    assert_int_equal(store_requests(x.store, b->arena, &list, &n, &b->err), 0);
    assert_int_equal(n, 1);
    assert_true(file_exists(list[0].points));
    struct request_answer got = answer(b, &x);
    assert_int_equal(got.changed, 20000);
    assert_int_equal(store_last_trial(x.store), 20002);
    assert_false(file_exists(list[0].points));
    store_close(x.store);
    buf_done(&args);
}

/* ---- on a disk that fails --------------------------------------------- */

/* No file of this process may grow past so many bytes. */
static void limit_files(rlim_t bytes)
{
    struct rlimit r;
    getrlimit(RLIMIT_FSIZE, &r);
    r.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static char *asked[4];

static void put(struct bed *b, int i, const char *verb, const char *selector,
                const char *args)
{
    struct value *v = json_parse(b->arena, str_of(args), "args", true, NULL);
    asked[i] = store_request_ask(b->setup.folder, verb, selector, v, b->arena,
                                 &b->err);
    assert_non_null(asked[i]);
}

/* When trial 1 has failed the disk does, too; what is asked then is looked for
 * three times before it works again. */
static void ask_on_a_failing_disk(struct bed *b)
{
    struct run *r = &b->study->run;
    if (!r->counts.by_state[STATE_FAILED] || (!b->number && r->dirty))
        return;
    if (!b->number++)
        limit_files(1);
    if (!r->commit_tries)
        return;
    limit_files(RLIM_INFINITY);
    put(b, 0, "retry", "1", "{}");
    put(b, 1, "add", "", "{\"points\":[{\"n\":2}]}");
    put(b, 2, "add", "", "{\"points\":[{\"n\":3}]}");
    put(b, 3, "retry", "1", "{}");
    limit_files(1);
    for (int i = 0; i < 3; i++)
        study_requests(b->study);
    limit_files(RLIM_INFINITY);
    b->meddle = NULL;
}

static void what_is_asked_on_a_failing_disk_counts_once(void **s)
{
    static const char text[] =
        "method: grid\nparallel: 1\nmetric: {name: loss}\n"
        "parameters: {n: {values: [1, 2, 3, 4]}}\n"
        "command: [x, 'when={n}:1', attempt=1, exit=3, attempt=any, "
        "when=any, sleep-ms=5]\n";
    struct bed *b = *s;
    enum study_end end;
    struct str added;
    signal(SIGXFSZ, SIG_IGN);
    b->meddle = ask_on_a_failing_disk;
    b->setup.keep_going = true;
    if (bed_run(b, text, &end))
        fail_msg("%s", b->err.text);
    assert_null(b->meddle);
    for (int i = 0; i < 4; i++) {
        struct request_answer got;
        assert_int_equal(
            store_answer_take(b->setup.folder, asked[i], &got, &b->err), 1);
        assert_int_equal(got.changed, i < 3);
    }
    /* What came when all else had ended is left to the next run. */
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(trial(b, 1).attempts, 2);
    assert_int_equal(store_last_trial(b->store), 6);
    assert_int_equal(count(b, STATE_DONE), 6);
    assert_int_equal(store_fact(b->store, "added", b->arena, &added, NULL), 0);
    assert_true(str_is(added, "5-6"));
}

/* ---- snapshots -------------------------------------------------------- */

/* Once a trial has reported what no commit has taken yet. */
static void snapshot_when_it_reports(struct bed *b)
{
    const struct live *l = run_live(&b->study->run, 1);
    if (!l || !l->summary.list.len || !l->read_unwritten)
        return;
    assert_int_equal(
        store_request_put(b->setup.folder, "snapshot", "", NULL, &b->err), 0);
    study_requests(b->study);
    b->meddle = NULL;
}

static struct store *open_snapshot(struct bed *b)
{
    struct buf text;
    char *from = path_join(b->arena, b->setup.folder, "snapshot.db");
    char *folder = path_join(b->arena, b->home, "snapshot");
    buf_init(&text);
    assert_int_equal(dir_make(folder, &b->err), 0);
    assert_int_equal(file_read(from, 0, &text, &b->err), 0);
    assert_int_equal(file_write(path_join(b->arena, folder, "study.db"),
                                buf_str(&text), false, &b->err),
                     0);
    buf_done(&text);
    return store_open(folder, false, &b->err);
}

/* What it holds of an attempt's reports and what it says of how far that was
 * read belong to one commit: else they would be taken in again. */
static void a_snapshot_says_how_far_a_running_attempt_was_read(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    struct attempt *list;
    size_t n;
    struct series series;
    b->setup.place = "fake-cluster";
    b->meddle = snapshot_when_it_reports;
    assert_int_equal(bed_run(b,
                             "method: grid\nparallel: 1\n"
                             "metric: {name: loss}\n"
                             "parameters: {x: {values: [1, 2]}}\n"
                             "command: [x, 'metric=loss:{x}@1', sleep-ms=20]\n",
                             &end),
                     0);
    assert_null(b->meddle);
    struct store *copy = open_snapshot(b);
    assert_non_null(copy);
    assert_int_equal(store_series(copy, 1, "loss", b->arena, &series, &b->err),
                     0);
    assert_int_equal(series.count, 1);
    assert_int_equal(store_attempts(copy, 1, b->arena, &list, &n, &b->err), 0);
    assert_int_equal(n, 1);
    assert_true(list[0].started > 0);
    assert_true(list[0].sequence > 0);
    store_close(copy);
}

#define on_bed(test) cmocka_unit_test_setup_teardown(test, bed_open, bed_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bed(a_request_that_nobody_heard_counts_once),
        on_bed(a_refused_request_says_why_and_changes_nothing),
        on_bed(words_in_a_request_are_checked_too),
        on_bed(one_applied_before_a_death_is_answered_and_not_applied_again),
        on_bed(points_too_many_for_a_request_lie_beside_it),
        on_bed(what_is_asked_on_a_failing_disk_counts_once),
        on_bed(a_snapshot_says_how_far_a_running_attempt_was_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
