/* A bundle that travels, and what comes back */
#include "engine/sandbox.h"
#include "base/json.h"
#include "terms/bundle.h"
#include "terms/task.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct desk {
    struct arena *arena;
    char *home, *folder, *stem; /* of the study; of bundle 0 */
    struct engine_travel travel;
};

static char *in(struct desk *d, const char *folder, const char *name)
{
    return path_join(d->arena, folder, name);
}

static int open_desk(void **state)
{
    char name[] = "/tmp/throng-sandbox-XXXXXX";
    struct desk *d = xcalloc(1, sizeof *d);
    d->arena = arena_new();
    assert_non_null(mkdtemp(name));
    d->home = arena_cstr(d->arena, str_of(name));
    d->folder = in(d, d->home, ".throng/s");
    d->stem = in(d, d->folder, "jobs/1/0");
    d->travel = (struct engine_travel){
        .home = d->home, .root = d->home, .inside = "", .container = ""};
    assert_int_equal(dir_make(in(d, d->folder, "jobs/1"), NULL), 0);
    *state = d;
    return 0;
}

static int close_desk(void **state)
{
    struct desk *d = *state;
    dir_remove(d->home, NULL);
    arena_free(d->arena);
    free(d);
    return 0;
}

static void put(struct desk *d, const char *path, const char *text)
{
    assert_int_equal(dir_make(path_folder(d->arena, path), NULL), 0);
    assert_int_equal(file_write(path, str_of(text), false, NULL), 0);
}

static const char *get(struct desk *d, const char *path)
{
    struct buf b;
    buf_init(&b);
    file_read(path, 0, &b, NULL);
    const char *text = arena_cstr(d->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Packs one task, and reads it as the worker does. */
static struct task pack(struct desk *d, const struct task *t)
{
    struct buf text, file;
    struct record r = {.type = RECORD_TASK, .task = 7, .attempt = 1}, got;
    struct task there;
    size_t used;
    buf_init(&text);
    buf_init(&file);
    task_print(&text, t);
    r.payload = arena_str(d->arena, buf_str(&text));
    struct job_bundle b = {d->stem, &r, 1};
    assert_int_equal(sandbox_pack(&d->travel, d->folder, &b, NULL), 0);
    assert_int_equal(
        file_read(in(d, d->folder, "jobs/1/0.in/0.tasks"), 0, &file, NULL), 0);
    assert_int_equal(dir_unflatten(in(d, d->folder, "jobs/1/0.in"), NULL), 0);
    struct str all = arena_str(d->arena, buf_str(&file));
    assert_int_equal(bundle_next(all, &got, &used, NULL), 1);
    assert_int_equal(used, all.len);
    assert_int_equal(task_parse(&there, got.payload, d->arena, NULL), 0);
    buf_done(&text);
    buf_done(&file);
    return there;
}

static struct task plain_task(struct desk *d)
{
    struct task t = {.id = 7,
                     .attempt = 1,
                     .kind = STR("command"),
                     .params = STR("{}"),
                     .workdir = str_of(d->home),
                     .folder = str_of(in(d, d->folder, "trials/0/7"))};
    needs_init(&t.needs);
    return t;
}

static void paths_become_those_of_the_sandbox(void **state)
{
    struct desk *d = *state;
    struct task t = plain_task(d);
    struct arg argv[] = {{ARG_TEXT, STR("python3")},
                         {ARG_TEXT, str_of(in(d, d->home, "train.py"))},
                         {ARG_TEXT, STR("--lr=0.1")}};
    struct assignment env[] = {
        {STR("PYTHONPATH"),
         str_of(arena_printf(d->arena, "%s/lib:/usr/lib/x", d->home))},
        {STR("HERE"), str_of(d->home)}};
    t.argv = argv;
    t.argc = 3;
    t.env = env;
    t.env_count = 2;
    t.container = STR("image.sif");
    struct task there = pack(d, &t);
    assert_true(str_is(there.workdir, "."));
    assert_true(str_is(there.folder, "throng-out/trials/0/7"));
    assert_int_equal(there.copy_of.len, 0);
    assert_int_equal(there.container.len, 0);
    assert_true(str_is(there.argv[0].text, "python3"));
    assert_int_equal(there.argv[1].kind, ARG_EXPAND);
    assert_true(
        str_is(there.argv[1].text, "${envvar:_CONDOR_SCRATCH_DIR}/train.py"));
    assert_true(str_is(there.argv[2].text, "--lr=0.1"));
    assert_true(str_is(there.env[0].value,
                       "${envvar:_CONDOR_SCRATCH_DIR}/lib:/usr/lib/x"));
    assert_true(str_is(there.env[1].value, "${envvar:_CONDOR_SCRATCH_DIR}"));
    assert_true(file_exists(in(d, d->folder, "jobs/1/0.asked")));
}

/* As a study cuts: here the stretch alone, behind a first line. */
static int cut(const struct task_shard *s, const char *to, struct err *err)
{
    (void)s;
    return file_write(to, STR("a,b\n3,4\n5,6\n"), false, err);
}

static void models_and_rows_travel(void **state)
{
    struct desk *d = *state;
    struct task t = plain_task(d);
    const char *first = in(d, d->home, "models/first.safetensors");
    const char *second = in(d, d->home, "models/second.safetensors");
    const char *fitted = in(d, d->home, "models/like.novelty");
    const char *places = in(d, d->home, "places.csv");
    const char *rows = in(d, d->home, "rows.csv");
    put(d, first, "first");
    put(d, second, "second");
    put(d, fitted, "like");
    put(d, places, "place,x\n");
    put(d, rows, "a,b\n1,2\n3,4\n5,6\n");
    const char *model = arena_printf(
        d->arena,
        "{\"data\":{\"file\":\"%s\",\"text\":\"rows.csv\",\"join\":"
        "{\"place\":{\"file\":\"%s\",\"key\":\"id\"}}}}",
        rows, places);
    t.kind = STR("infer");
    t.model = str_of(model);
    t.weights = str_of(first);
    t.options = str_of(arena_printf(
        d->arena,
        "{\"members\":[{\"model\":%s,\"weights\":\"%s\",\"workdir\":\"%s\"}],"
        "\"novelty\":{\"file\":\"%s\",\"layers\":[{\"model\":%s,"
        "\"weights\":\"%s\",\"workdir\":\"%s\"}]}}",
        model, second, d->home, fitted, model, first, d->home));
    t.shard = (struct task_shard){.file = str_of(rows),
                                  .form = 1,
                                  .head = 4,
                                  .from = 8,
                                  .bytes = 8,
                                  .first = 1,
                                  .count = 2};
    d->travel.cut = cut;
    struct task there = pack(d, &t);
    const char *jobs = in(d, d->folder, "jobs/1");
    struct value *options =
        json_parse(d->arena, there.options, "options", false, NULL);
    struct value *data = value_get(
        json_parse(d->arena, there.model, "model", false, NULL), STR("data"));
    const struct value *other = value_at(value_get(options, STR("members")), 0);
    assert_string_equal(
        get(d, in(d, jobs, arena_cstr(d->arena, there.weights))), "first");
    assert_string_equal(
        get(d, in(d, jobs,
                  arena_cstr(d->arena,
                             value_text(value_get(other, STR("weights")))))),
        "second");
    assert_true(str_is(value_text(value_get(other, STR("workdir"))), "."));
    /* How far rows are from those of training, and the layers for it. */
    const struct value *novelty = value_get(options, STR("novelty"));
    const struct value *layer = value_at(value_get(novelty, STR("layers")), 0);
    struct str like = value_text(value_get(novelty, STR("file")));
    assert_string_equal(get(d, in(d, jobs, arena_cstr(d->arena, like))),
                        "like");
    assert_true(
        str_eq(value_text(value_get(layer, STR("weights"))), there.weights));
    assert_true(str_is(value_text(value_get(layer, STR("workdir"))), "."));
    assert_true(str_is(there.workdir, "."));
    /* The table that rows are joined with, once for both. */
    struct value *join = value_get(value_get(data, STR("join")), STR("place"));
    const char *joined =
        arena_cstr(d->arena, value_text(value_get(join, STR("file"))));
    assert_string_equal(get(d, in(d, jobs, joined)), "place,x\n");
    assert_true(str_is(value_text(value_get(join, STR("key"))), "id"));
    /* A column is no file, whatever it is called. */
    assert_true(str_is(value_text(value_get(data, STR("text"))), "rows.csv"));
    /* The rows: the stretch begins behind the head, as in the whole file. */
    assert_string_equal(
        get(d, in(d, jobs, arena_cstr(d->arena, there.shard.file))),
        "a,b\n3,4\n5,6\n");
    assert_int_equal(there.shard.head, 4);
    assert_int_equal(there.shard.from, 4);
    assert_int_equal(there.shard.bytes, 8);
    assert_int_equal(there.shard.first, 1);
    /* What is sent is no second copy of a model. */
    struct stat st;
    assert_int_equal(stat(first, &st), 0);
    assert_int_equal(st.st_nlink, 2);
}

static int cannot_cut(const struct task_shard *s, const char *to,
                      struct err *err)
{
    (void)s;
    (void)to;
    return err_set(err, ERR_MISSING, "it is shorter now");
}

static int has_changed(const struct task_shard *s, const char *to,
                       struct err *err)
{
    (void)to;
    return err_set(err, ERR_INPUT, "%.*s has changed", STRF(s->file));
}

static void rows_that_changed_are_not_sent(void **state)
{
    struct desk *d = *state;
    struct task t = plain_task(d);
    const char *rows = in(d, d->home, "rows.csv");
    put(d, rows, "a\n1\n");
    t.shard = (struct task_shard){.file = str_of(rows), .form = 1};
    d->travel.cut = has_changed;
    struct task there = pack(d, &t);
    assert_true(str_is(there.shard.fault,
                       arena_printf(d->arena, "%s has changed", rows)));
    t.shard.form = 0;
    there = pack(d, &t);
    assert_true(there.shard.fault.len > 0);
}

/* Its owner may edit the file before the job starts. */
static void a_file_of_rows_is_sent_as_a_copy(void **state)
{
    struct desk *d = *state;
    struct task t = plain_task(d);
    const char *rows = in(d, d->home, "rows.csv.gz");
    struct stat st;
    put(d, rows, "packed");
    t.shard = (struct task_shard){
        .file = str_of(rows), .bytes = 12, .size = 6, .changed_ns = 7};
    d->travel.cut = cut;
    struct task there = pack(d, &t);
    assert_string_equal(get(d, in(d, in(d, d->folder, "jobs/1"),
                                  arena_cstr(d->arena, there.shard.file))),
                        "a,b\n3,4\n5,6\n");
    assert_int_equal(there.shard.size, 0);
    assert_int_equal(there.shard.changed_ns, 0);
    assert_int_equal(stat(rows, &st), 0);
    assert_int_equal(st.st_nlink, 1);
}

static void rows_that_are_gone_are_the_workers_to_name(void **state)
{
    struct desk *d = *state;
    struct task t = plain_task(d);
    t.shard = (struct task_shard){.file = str_of(in(d, d->home, "gone.csv")),
                                  .form = 1};
    d->travel.cut = cannot_cut;
    struct task there = pack(d, &t);
    assert_true(str_eq(there.shard.file, t.shard.file));
    assert_int_equal(there.shard.fault.len, 0);
    put(d, in(d, d->home, "gone.csv"), "a\n");
    there = pack(d, &t);
    assert_true(str_eq(there.shard.file, t.shard.file));
}

static void frozen_code_has_the_studys_folder_inside(void **state)
{
    struct desk *d = *state;
    struct task t = plain_task(d);
    d->travel.root = in(d, d->folder, "code");
    d->travel.inside = "sub";
    t.workdir = str_of(in(d, d->folder, "code/sub"));
    assert_true(str_is(pack(d, &t).workdir, "sub"));
    t.workdir = str_of(in(d, d->home, "models"));
    assert_true(str_is(pack(d, &t).workdir, "sub/models"));
}

static void what_an_earlier_attempt_left_goes_along(void **state)
{
    struct desk *d = *state;
    struct task t = plain_task(d);
    put(d, in(d, d->folder, "trials/0/7/checkpoint/n"), "5");
    put(d, in(d, d->folder, "trials/0/3/checkpoint/n"), "3");
    t.resume_from = str_of(in(d, d->folder, "trials/0/3/checkpoint"));
    struct task there = pack(d, &t);
    assert_true(str_is(there.copy_of, "0.in/was/0"));
    assert_true(str_is(there.resume_from, "0.in/was/1"));
    assert_string_equal(
        get(d, in(d, d->folder, "jobs/1/0.in/was/0/checkpoint/n")), "5");
    assert_string_equal(get(d, in(d, d->folder, "jobs/1/0.in/was/1/n")), "3");
}

/* A job that has to leave before its worker began brings it as it is. */
static void what_comes_back_is_there_from_the_beginning(void **state)
{
    struct desk *d = *state;
    struct task t = plain_task(d);
    pack(d, &t);
    const char *sent = in(d, d->folder, "jobs/1/" SANDBOX_OUT);
    const char *layout = path_join(d->arena, sent, SANDBOX_LAYOUT_FILE);
    assert_string_equal(get(d, layout), SANDBOX_LAYOUT "\n");
    assert_int_equal(rename(sent, in(d, d->folder, "jobs/1/0.out")), 0);
    assert_int_equal(sandbox_arrive(d->folder, d->stem, NULL), 0);
}

static void a_presumed_attempts_folder_is_begun_from(void **state)
{
    struct desk *d = *state;
    struct task t = plain_task(d);
    put(d, in(d, d->folder, "trials/0/7/checkpoint/n"), "5");
    t.folder = str_of(in(d, d->folder, "trials/0/7.2"));
    t.copy_of = str_of(in(d, d->folder, "trials/0/7"));
    struct task there = pack(d, &t);
    assert_true(str_is(there.folder, "throng-out/trials/0/7.2"));
    assert_true(str_is(there.copy_of, "0.in/was/0"));
}

/* ---- what comes back
 * ---------------------------------------------------------- */

static void what_comes_back_is_put_in_its_place(void **state)
{
    struct desk *d = *state;
    struct err err = {0};
    const char *out = in(d, d->folder, "jobs/1/0.out");
    put(d, in(d, d->folder, "trials/0/7/log"), "old");
    put(d, in(d, d->folder, "trials/0/7/gone"), "old");
    put(d, in(d, out, "layout"), SANDBOX_LAYOUT "\n");
    put(d, in(d, out, "trials/0/7/log"), "new");
    put(d, in(d, out, "trials/1/1001.1r2/log"), "other");
    put(d, in(d, out, "0.said.0"), "a");
    put(d, in(d, out, "0.said.12"), "b");
    put(d, in(d, out, "1.said.0"), "of another bundle");
    assert_int_equal(sandbox_arrive(d->folder, d->stem, &err), 0);
    assert_string_equal(get(d, in(d, d->folder, "trials/0/7/log")), "new");
    assert_false(file_exists(in(d, d->folder, "trials/0/7/gone")));
    assert_false(file_exists(in(d, d->folder, "trials/0/7.before")));
    assert_string_equal(get(d, in(d, d->folder, "trials/1/1001.1r2/log")),
                        "other");
    assert_string_equal(get(d, in(d, d->folder, "jobs/1/0.said.0")), "a");
    assert_string_equal(get(d, in(d, d->folder, "jobs/1/0.said.12")), "b");
    assert_false(file_exists(in(d, d->folder, "jobs/1/1.said.0")));
    /* … and again, as after a crash. */
    assert_int_equal(sandbox_arrive(d->folder, d->stem, &err), 0);
    assert_string_equal(get(d, in(d, d->folder, "trials/0/7/log")), "new");
}

/* Cut off between the two names that a folder gets. */
static void an_arrival_that_was_cut_off_goes_on(void **state)
{
    struct desk *d = *state;
    const char *out = in(d, d->folder, "jobs/1/0.out");
    put(d, in(d, d->folder, "trials/0/7.before/log"), "old");
    put(d, in(d, out, "layout"), SANDBOX_LAYOUT "\n");
    put(d, in(d, out, "trials/0/7/log"), "new");
    assert_int_equal(sandbox_arrive(d->folder, d->stem, NULL), 0);
    assert_string_equal(get(d, in(d, d->folder, "trials/0/7/log")), "new");
    assert_false(file_exists(in(d, d->folder, "trials/0/7.before")));
}

static void another_versions_layout_is_refused(void **state)
{
    struct desk *d = *state;
    struct err err = {0};
    const char *out = in(d, d->folder, "jobs/1/0.out");
    put(d, in(d, out, "layout"), "throng-sandbox 99\n");
    put(d, in(d, out, "0.said.0"), "a");
    assert_int_equal(sandbox_arrive(d->folder, d->stem, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "throng-sandbox 99"));
    assert_false(file_exists(in(d, d->folder, "jobs/1/0.said.0")));
}

static void nothing_that_came_is_no_fault(void **state)
{
    struct desk *d = *state;
    assert_int_equal(sandbox_arrive(d->folder, d->stem, NULL), 0);
    assert_int_equal(dir_make(in(d, d->folder, "jobs/1/0.out"), NULL), 0);
    assert_int_equal(sandbox_arrive(d->folder, d->stem, NULL), 0);
}

#define DESK(test) cmocka_unit_test_setup_teardown(test, open_desk, close_desk)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK(paths_become_those_of_the_sandbox),
        DESK(models_and_rows_travel),
        DESK(rows_that_are_gone_are_the_workers_to_name),
        DESK(frozen_code_has_the_studys_folder_inside),
        DESK(what_an_earlier_attempt_left_goes_along),
        DESK(what_comes_back_is_there_from_the_beginning),
        DESK(a_presumed_attempts_folder_is_begun_from),
        DESK(what_comes_back_is_put_in_its_place),
        DESK(rows_that_changed_are_not_sent),
        DESK(a_file_of_rows_is_sent_as_a_copy),
        DESK(an_arrival_that_was_cut_off_goes_on),
        DESK(another_versions_layout_is_refused),
        DESK(nothing_that_came_is_no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
