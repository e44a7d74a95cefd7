/* fuzz_model.c - any JSON, or CANDLE parameter file, as a model file: it is
 * read or has faults, and what is read can be counted and shown */
#include "base/json.h"
#include "candle/candle.h"
#include "nn/nn.h"
#include "plan/plan.h"

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

static int read_text(void *context, const char *path, struct str *text,
                     struct err *err)
{
    if (path[0] != '[')
        return err_set(err, ERR_MISSING, "no such file");
    *text = *(struct str *)context;
    return 0;
}

/* NULL when there are mistakes. */
static struct value *candle_value(struct arena *a, struct str text)
{
    struct file_reader reader = {&text, read_text};
    struct problems problems;
    problems_init(&problems, a);
    struct foreign_model *c = candle_dialect.model("[", &reader, a, &problems);
    struct value *v = c ? c->value(c, NULL, a, &problems) : NULL;
    require((v == NULL) == (problems.errors > 0));
    if (c)
        c->close(c);
    return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nn_data_field input = {STR("x"), 1, {12}, 0, false};
    struct nn_data_field label = {STR("y"), 1, {1}, 3, false};
    struct nn_data_facts facts = {&input, &label, 1, 1, false};
    struct arena *a = arena_new();
    struct problems faults = {.arena = a};
    struct str text = str_n((const char *)data, size);
    bool candle = size > 0 && data[0] == '[';
    struct value *v = candle ? candle_value(a, text)
                             : json_parse(a, text, "model", false, NULL);
    struct nn_model *m =
        v ? nn_model_read(v, candle ? &facts : NULL, &faults) : NULL;
    require(!v || (m == NULL) == (faults.errors > 0));
    if (m)
        check_model(a, m);
    nn_model_free(m);
    arena_free(a);
    return 0;
}
