/* fuzz_model.c - any JSON as a model file: it is read or has faults, and what
 * is read can be counted and shown */
#include "base/json.h"
#include "nn/nn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_model(struct arena *a, const struct nn_model *m)
{
    struct buf b;
    buf_init(&b);
    require(nn_model_parameters(m) >= nn_model_trained(m));
    require(nn_model_flops(m) >= 0);
    nn_model_show(&b, m);
    require(b.len > 0);
    buf_reset(&b);
    json_print(&b, nn_model_to_value(a, m));
    require(json_parse(a, buf_str(&b), "shown", true, NULL));
    require(nn_model_key(m) == nn_model_key(m));
    buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new();
    struct nn_faults faults = {.arena = a};
    struct value *v =
        json_parse(a, str_n((const char *)data, size), "model", false, NULL);
    struct nn_model *m = v ? nn_model_read(v, NULL, &faults) : NULL;
    require(!v || (m == NULL) == (faults.count > 0));
    if (m)
        check_model(a, m);
    nn_model_free(m);
    arena_free(a);
    return 0;
}
