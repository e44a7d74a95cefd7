/* test_without_cairo.c - a machine without the library: this program's dlopen
 * finds nothing */
#include "any_plot.h"

#include <dlfcn.h>

void *dlopen(const char *file, int mode)
{
    (void)file;
    (void)mode;
    return NULL;
}

static void pdf_and_png_name_the_package(void **state)
{
    static const char *const files[] = {"a.pdf", "a.png"};
    struct arena *a = arena_new();
    struct plot p;
    struct buf b;
    (void)state;
    plot_init(&p, a);
    any_panel(&p, 5, plain_numbers, "x");
    buf_init(&b);
    for (size_t i = 0; i < 2; i++) {
        struct err err = {0};
        const struct plot_backend *backend = plot_backend_of(files[i], &err);
        assert_int_equal(
            plot_draw(&p, backend, &(struct plot_look){0}, &b, &err), -1);
        assert_int_equal(err.kind, ERR_MISSING);
        assert_non_null(strstr(err.text, "libcairo2"));
        assert_non_null(strstr(err.text, ".svg"));
        assert_int_equal(b.len, 0);
    }
    struct err err = {0};
    assert_int_equal(plot_draw(&p, plot_backend_of("a.svg", &err),
                               &(struct plot_look){0}, &b, &err),
                     0);
    buf_done(&b);
    plot_done(&p);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pdf_and_png_name_the_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
