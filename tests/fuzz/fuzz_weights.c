/* fuzz_weights.c - any bytes as a weights file: tensors are given or refused,
 * and never read from outside of the bytes */
#include "base/arena.h"
#include "data/data.h"
#include "nn/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NUMBERS = 64 };

static void check_file(const struct weights_file *f)
{
    static const char *const names[] = {"a", "bias", "dense_1.weight", ""};
    double numbers[NUMBERS];
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        for (int64_t count = 0; count <= NUMBERS; count++) {
            struct err err = {0};
            struct str name = str_of(names[i]);
            struct nn_shape shape = {.rank = 1, .dim = {count}};
            bool got = !weights_get(f, name, &shape, numbers, &err);
            require(got ? weights_has(f, name) : err.text[0] != 0);
        }
    struct str name;
    for (size_t at = 0; weights_next(f, &at, &name);)
        require(weights_has(f, name));
    require(weights_text(f, STR("format")).len <= 1u << 30);
    struct arena *a = arena_new();
    struct err err = {0};
    struct str fitted = weights_text(f, STR("data"));
    require(data_fitted_parse(a, fitted, "fuzz", &err) || err.text[0]);
    arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct weights_file *f =
        weights_parse(str_n((const char *)data, size), "fuzz", &err);
    require(f || err.text[0]);
    if (f)
        check_file(f);
    weights_close(f);
    return 0;
}
