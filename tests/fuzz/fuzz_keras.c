/* fuzz_keras.c - any JSON as a model of Keras: a model file that is read
 * without harm, or words about the layer that is none */
#include "base/json.h"
#include "nn/nn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new();
    struct err err = {0};
    struct str text = arena_str(a, str_n((const char *)data, size));
    struct value *json = json_parse(a, text, "model.json", false, &err);
    if (json && nn_keras_is(json)) {
        struct problems faults;
        err = (struct err){0};
        struct nn_keras_noise noise;
        struct value *model =
            nn_keras_model(json, "model.json", &noise, a, &err);
        require(model || err.text[0]);
        problems_init(&faults, a);
        struct nn_model *m = model ? nn_model_read(model, NULL, &faults) : NULL;
        require(!model || m || faults.errors);
        nn_model_free(m);
    }
    arena_free(a);
    return 0;
}
