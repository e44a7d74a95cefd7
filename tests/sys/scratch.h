/* scratch.h - a folder for one test, and small files in it */
#ifndef THRONG_TESTS_SYS_SCRATCH_H
#define THRONG_TESTS_SYS_SCRATCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/stat.h>
#include <cmocka.h>
#include "sys/sys.h"

struct scratch {
    struct arena *arena;
    char *root;
};

static inline int scratch_open(void **state)
{
    const char *tmp = getenv("TMPDIR");
    struct scratch *s = xcalloc(1, sizeof(*s));
    s->arena = arena_new();
    s->root = arena_printf(s->arena, "%s/throng-test-XXXXXX",
                           tmp && tmp[0] ? tmp : "/tmp");
    if (!mkdtemp(s->root))
        return -1;
    *state = s;
    return 0;
}

static inline int scratch_close(void **state)
{
    struct scratch *s = *state;
    int rc = dir_remove(s->root, NULL);
    arena_free(s->arena);
    free(s);
    return rc;
}

/* The path of name in the scratch folder. */
static inline char *scratch_path(struct scratch *s, const char *name)
{
    return path_join(s->arena, s->root, name);
}

/* Writes a file, with the folders above it, and returns its path. */
static inline char *scratch_file(struct scratch *s, const char *name,
                                 const char *text)
{
    char *path = scratch_path(s, name);
    assert_int_equal(dir_make(path_folder(s->arena, path), NULL), 0);
    assert_int_equal(file_write(path, str_of(text), false, NULL), 0);
    return path;
}

/* Such a file that may be executed. */
static inline char *scratch_program(struct scratch *s, const char *name,
                                    const char *text)
{
    char *path = scratch_file(s, name, text);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

/* The text of a file, in the arena. */
static inline char *scratch_text(struct scratch *s, const char *path)
{
    struct buf b;
    buf_init(&b);
    assert_int_equal(file_read(path, 0, &b, NULL), 0);
    char *text = arena_cstr(s->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

#define scratch_test(f)                                                        \
    cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)

#endif
