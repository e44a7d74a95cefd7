/* bed.h - a study on the fake place, for tests
 *
 * The study's command is a script of the fake place (see engine/fake.c). */
#ifndef THRONG_TESTS_STUDY_BED_H
#define THRONG_TESTS_STUDY_BED_H

#include "search/search.h"
#include "study/study.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/json.h"

struct bed {
    char home[64];
    struct arena *arena;
    struct machine machine;
    struct err err;
    struct study_setup setup;       /* tests may change it before bed_run */
    struct study_progress progress; /* at the end of a run */
    struct store *store;            /* opened for reading after a run */
    /* Called after every round of the loop; may be NULL. */
    void (*meddle)(struct bed *b);
    struct study *study; /* while it runs */
    int64_t number;      /* for the meddler */
};

__attribute__((unused)) static int bed_open(void **state)
{
    struct bed *b = xcalloc(1, sizeof(*b));
    snprintf(b->home, sizeof(b->home), "/tmp/throng-study-XXXXXX");
    assert_non_null(mkdtemp(b->home));
    b->arena = arena_new();
    snprintf(b->machine.host, sizeof(b->machine.host), "here");
    b->machine.cpus = 2;
    b->machine.memory_bytes = 8ull << 30;
    *state = b;
    return 0;
}

__attribute__((unused)) static int bed_close(void **state)
{
    struct bed *b = *state;
    store_close(b->store);
    assert_int_equal(dir_remove(b->home, NULL), 0);
    arena_free(b->arena);
    free(b);
    return 0;
}

__attribute__((unused)) static int no_files(void *context, const char *path,
                                            struct str *text, struct err *err)
{
    (void)context;
    (void)text;
    return err_set(err, ERR_MISSING, "%s is not there", path);
}

__attribute__((unused)) static void bed_meddle(void *context)
{
    struct bed *b = context;
    if (b->study && b->meddle)
        b->meddle(b);
}

/* Runs the study of a text; -1 when it could not be opened or broke. */
__attribute__((unused)) static int bed_run(struct bed *b, const char *text,
                                           enum study_end *end)
{
    struct plan_reader reader = {.files = {.read = no_files},
                                 .methods = search_methods};
    struct problems problems;
    problems_init(&problems, b->arena);
    struct plan *plan =
        plan_read(str_of(text), "s.yaml", &reader, b->arena, &problems);
    if (!plan) {
        struct buf why;
        buf_init(&why);
        problems_print(&why, &problems);
        fail_msg("%s", why.p);
    }
    store_close(b->store);
    b->store = NULL;
    memset(&b->err, 0, sizeof(b->err));
    struct loop *loop = loop_new(&b->err);
    b->setup.plan = plan;
    b->setup.home = b->home;
    b->setup.folder = path_join(b->arena, b->home, ".throng/s");
    if (!b->setup.place)
        b->setup.place = "fake";
    b->setup.worker = "none";
    b->setup.loop = loop;
    b->setup.machine = &b->machine;
    struct study *study = study_open(&b->setup, &b->err);
    struct loop_source *after = loop_after(loop, bed_meddle, b);
    b->study = study;
    int rc = study ? study_run(study, end, &b->err) : -1;
    b->study = NULL;
    loop_remove(after);
    if (study)
        study_progress(study, &b->progress);
    study_close(study);
    loop_free(loop);
    plan_close(plan);
    if (file_exists(path_join(b->arena, b->setup.folder, "study.db")))
        b->store = store_open(b->setup.folder, false, NULL);
    return rc;
}

__attribute__((unused)) static struct trial trial(struct bed *b, int64_t id)
{
    struct trial t;
    struct err err = {0};
    if (store_trial(b->store, id, b->arena, &t, &err))
        fail_msg("%s", err.text);
    return t;
}

__attribute__((unused)) static int64_t count(struct bed *b, enum state s)
{
    struct counts c;
    assert_int_equal(store_counts(b->store, &c, NULL), 0);
    return c.by_state[s];
}

#endif
