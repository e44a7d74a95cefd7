/* model.c - what a model file describes, and its weights for other programs */

#include "base/json.h"
#include "cli/cli.h"
#include "cli/model_file.h"
#include "data/data.h"
#include "nn/nn.h"
#include "study/study.h"

/* The data says what the file leaves out: the shape of a row, the classes. */
static struct nn_model *read_model(struct call *c, const struct value *root,
                                   const char *file, struct problems *faults)
{
    const struct value *spec = value_get(root, STR("data"));
    struct nn_data_facts facts = {0};
    struct data_set *set = NULL;
    if (spec) {
        const char *folder =
            path_folder(c->arena, path_absolute(c->arena, file));
        struct data_choice choice = {0};
        struct data_view view;
        set = data_open(spec, folder, NULL, &c->err);
        if (!set ||
            data_view_make(&view, set, spec, &choice, c->arena, &c->err) != 0) {
            data_close(set);
            return NULL;
        }
        facts = nn_data_facts_of(view.table, c->arena);
        facts.no_validation = !view.validation.count;
    }
    struct nn_model *m = nn_model_read(root, spec ? &facts : NULL, faults);
    data_close(set);
    return m;
}

static int show(struct call *c, const char *file, const char *const *words)
{
    struct problems faults = {.arena = c->arena};
    struct value *root = model_file_load(c, file, words);
    struct nn_model *m = root ? read_model(c, root, file, &faults) : NULL;
    struct buf b;
    if (!m && faults.errors) {
        model_file_problems(root, file, &faults);
        return EXIT_ERROR;
    }
    if (!m)
        return call_fail(c);
    buf_init(&b);
    if (call_flag(c, "json")) {
        json_print(&b, nn_model_to_value(c->arena, m));
        buf_addc(&b, '\n');
    } else {
        nn_model_show(&b, m);
    }
    put(buf_str(&b));
    buf_done(&b);
    nn_model_free(m);
    return EXIT_OK;
}

/* The weights file's name with another ending. */
static const char *beside(struct call *c, const char *weights,
                          const char *ending)
{
    struct str stem = str_of(weights);
    if (str_ends(stem, STR(".safetensors")))
        stem.len -= strlen(".safetensors");
    return arena_printf(c->arena, "%.*s%s", STRF(stem), ending);
}

static int export(struct call *c)
{
    bool torch = call_flag(c, "torch"), onnx = call_flag(c, "onnx");
    const char *to = call_option(c, "output"), *weights = c->args[1];
    const char *notice;
    if (c->arg_count != 2 || torch == onnx)
        return call_usage(c, "name one file of weights, and say --torch or "
                             "--onnx");
    if (!to)
        to = beside(c, weights, torch ? ".pt" : ".onnx");
    struct model_file one = {.name = weights, .file = weights};
    struct models m = {.path = weights, .list = &one, .count = 1};
    if (output_spares_models(to, &m, c->arena, &c->err) ||
        weights_export(weights, torch ? WEIGHTS_TORCH : WEIGHTS_ONNX, to,
                       &notice, c->arena, &c->err))
        return call_fail(c);
    if (notice)
        say("throng model: %s\n", notice);
    say("throng model: wrote %s\n", to);
    return EXIT_OK;
}

static int run(struct call *c)
{
    bool shown = c->arg_count >= 2 && strcmp(c->args[0], "show") == 0;
    if (c->arg_count >= 2 && strcmp(c->args[0], "export") == 0)
        return export(c);
    if (!shown || call_flag(c, "torch") || call_flag(c, "onnx") ||
        call_option(c, "output"))
        return call_usage(c, "say `show` and name a model file, or `export` "
                             "and name weights");
    return show(c, c->args[1], c->args + 2);
}

VERB(model) = {
    .name = "model",
    .args = "show MODEL.yaml [NAME=VALUE…] | export WEIGHTS",
    .summary = "Show a model file's network, or write weights for others",
    .text = "Reads the model file as `train` does, with each ${NAME} replaced, "
            "and says what\n"
            "it describes: every layer with the shape of its output, its "
            "number of\n"
            "parameters and its cost, the memory of training it, and how the "
            "layers hang\n"
            "together.\n"
            "\n"
            "A CANDLE parameter file whose data is not here is shown with the "
            "shape of a row\n"
            "said: `throng model show nt3.txt input=60483`.\n"
            "\n"
            "export writes the weights of `throng train` or of a study for "
            "another program:\n"
            "a state_dict of PyTorch, whose modules are called as the layers "
            "are, or a graph\n"
            "of ONNX, which takes and gives what `predict` does: rows before "
            "scaling,\n"
            "channels last, probabilities.\n",
    .options =
        (const struct option_spec[]){
            {"json", 0, NULL, "as one JSON object"},
            {"torch", 0, NULL, "a state_dict, WEIGHTS.pt"},
            {"onnx", 0, NULL, "a graph, WEIGHTS.onnx"},
            {"output", 'o', "FILE", "another name"},
            {0}},
    .run = run,
    .pages = true,
};
