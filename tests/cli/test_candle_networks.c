/* test_candle_networks.c - which networks CANDLE's own parameter files give
 *
 * Known numbers of parameters are those that Keras prints for CANDLE's
 * benchmarks. The files themselves are read where they are at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "candle/candle.h"
#include "nn/nn.h"
#include "plan/plan.h"
#include "sys/sys.h"

/* ---- one file ------------------------------------------------------------ */

/* What the data would be like. */
struct like {
    int64_t features, labels, classes; /* classes 0: numbers */
};

struct network {
    int64_t parameters; /* 0: there is none */
    struct buf said;
};

static int read_file(void *context, const char *path, struct str *text,
                     struct err *err)
{
    struct arena *a = context;
    struct buf b;
    buf_init(&b);
    int rc = file_read(path, 0, &b, err);
    if (rc == 0)
        *text = arena_str(a, buf_str(&b));
    buf_done(&b);
    return rc;
}

static int given_text(void *context, const char *path, struct str *text,
                      struct err *err)
{
    (void)path;
    (void)err;
    *text = str_of(context);
    return 0;
}

static void count(struct network *n, struct arena *a, const struct value *model,
                  const struct like *like)
{
    bool encodes = str_is(
        value_text(value_get(value_get(model, STR("data")), STR("label"))),
        "inputs");
    struct nn_data_field input = {STR("input"), 1, {like->features}, 0, false};
    struct nn_data_field labels[4];
    struct problems faults = {.arena = a};
    for (int i = 0; i < 4; i++)
        labels[i] = (struct nn_data_field){STR("label"),
                                           1,
                                           {encodes ? like->features : 1},
                                           like->classes,
                                           false};
    struct nn_data_facts facts = {&input, labels, 1, (size_t)like->labels,
                                  false};
    struct nn_model *m = nn_model_read(model, &facts, &faults);
    for (size_t i = 0; i < faults.list.len; i++)
        problem_print(&n->said, &faults.list.p[i]);
    n->parameters = m ? nn_model_trained(m) : 0;
    nn_model_free(m);
}

static void build(struct network *n, const char *file,
                  const struct file_reader *reader, const char *point,
                  const struct like *like)
{
    struct arena *a = arena_new();
    struct problems problems;
    struct value *over = NULL, *model = NULL;
    *n = (struct network){0};
    buf_init(&n->said);
    problems_init(&problems, a);
    struct file_reader own = *reader;
    if (!own.context)
        own.context = a;
    if (point)
        over = plan_yaml(str_of(point), "point", a, &problems);
    struct foreign_model *c = candle_dialect.model(file, &own, a, &problems);
    if (c)
        model = c->value(c, over, a, &problems);
    problems_print(&n->said, &problems);
    if (model)
        count(n, a, model, like);
    if (c)
        c->close(c);
    arena_free(a);
}

/* ---- known networks ------------------------------------------------------ */

static void check(const char *text, int64_t features, int64_t labels,
                  int64_t classes, int64_t parameters)
{
    struct network n;
    struct like like = {features, labels, classes};
    char *copy = strdup(text);
    struct file_reader reader = {copy, given_text};
    build(&n, "net.txt", &reader, NULL, &like);
    if (n.parameters != parameters)
        fail_msg("%lld parameters, not %lld, of\n%s%s", (long long)n.parameters,
                 (long long)parameters, text, n.said.p);
    buf_done(&n.said);
    free(copy);
}

static void known_networks_have_the_parameters_that_keras_counts(void **state)
{
    (void)state;
    check("conv = [128, 20, 1, 128, 10, 1]\ndense = [200, 20]\n"
          "activation = 'relu'\nout_activation = 'softmax'\n"
          "loss = 'categorical_crossentropy'\ndropout = 0.1\nclasses = 2\n"
          "pool = [1, 10]\n",
          60483, 1, 2, 154922918); /* NT3 */
    check("train_data = 'x'\nmodel = 'ae'\ndense = [2000, 600]\n"
          "latent_dim = 2\nactivation = 'relu'\nloss = 'mse'\n",
          60483, 1, 0, 244400085); /* P1B1 */
    check("shared_nnet_spec = [1200]\nind_nnet_spec = '1200, 1200'\n"
          "loss = 'categorical_crossentropy'\n",
          400, 1, 13, 3379213); /* P3B1, of the tutorial */
    check("shared_nnet_spec = '1200'\nind_nnet_spec = '1200, 1200'\n"
          "loss = 'categorical_crossentropy'\n",
          400, 1, 13, 3379213); /* the same, as the tutorial writes it */
    check("network_layers = [500, 250, 125, 60]\nactivation = 'relu'\n"
          "loss = 'sparse_categorical_crossentropy'\nverbose = 2\n",
          784, 1, 10,
          784 * 500 + 500 + 500 * 250 + 250 + 250 * 125 + 125 + 125 * 60 + 60 +
              60 * 10 + 10); /* IGTD */
    check("rnn_size = 8\nn_layers = 2\nactivation = 'softmax'\n"
          "loss = 'categorical_crossentropy'\n",
          20, 1, 5, 4 * 8 * (1 + 8 + 1) + 4 * 8 * (8 + 8 + 1) + 8 * 5 + 5);
    check("dense = [512, 512]\nactivation = 'relu'\ndropout = 0.2\n"
          "loss = 'categorical_crossentropy'\n",
          784, 1, 10, 669706); /* MNIST */
    check("dense = [1000, 1000, 1000, 500, 250, 125, 60, 30, 2]\n"
          "activation = ['relu', 'relu', 'softmax', 'relu', 'relu', 'relu',\n"
          "  'relu', 'relu', 'softmax']\nbatch_normalization = True\n"
          "loss = 'categorical_crossentropy'\ndropout = 0.2\n",
          6212, 1, 2, 8887507); /* Attn */
}

/* ---- the corpus ---------------------------------------------------------- */

struct row {
    const char *file;
    struct like like;
    int64_t parameters;
    const char *point;
    const char *said; /* part of what is said; or NULL */
};
#define NO_NETWORK "nothing here says a network"
#define TOWERS "dense_feature_layers: there are no towers"
#define BLOCKS "transformer_depth: there are no blocks"
static const struct row rows[] = {
    {"0a143f-adrp_bmkdata_model.txt", {1613, 1, 0}, 444296, NULL, NULL},
    {"0a8be2-adrp_default_model.txt", {1613, 1, 0}, 444296, NULL, NULL},
    {"0db7b9-attn_default_model.txt",
     {6212, 1, 2},
     8887507,
     "batch_normalization: true",
     NULL},
    /* 400 inputs; shared 1200 to 2400; three tasks of 13, 13 and 13. */
    {"218bd6-p3b1_default_model.txt", {400, 3, 13}, 146019639, NULL, NULL},
    {"236a7f-p1b3_default_model.txt", {29532, 1, 0}, 30088701, NULL, NULL},
    {"8a158b-p1b3_perf_bench_model.txt", {29532, 1, 0}, 30088701, NULL, NULL},
    {"8d520a-p1b3_default_model.txt", {29532, 1, 0}, 30088701, NULL, NULL},
    /* (29532 - 10) / 5 + 1 = 5905, 590; 117, 11: 110 numbers. */
    {"a6a947-p1b3_conv_model.txt",
     {29532, 1, 0},
     10 * 10 + 10 + 10 * 10 * 10 + 10 + 110 + 1,
     NULL,
     NULL},
    {"252030-tc1_perf_bench_model.txt", {60483, 1, 36}, 154923632, NULL, NULL},
    {"8d693b-tc1_default_model.txt", {60483, 1, 36}, 154923632, NULL, NULL},
    /* 942-2000-1000-500-200-100-2 and back. */
    {"499ff7-p1b1_perf_bench_model.txt", {942, 1, 0}, 9016944, NULL, NULL},
    {"83b76a-p1b2_default_model.txt", {28204, 1, 10}, 29540618, NULL, NULL},
    {"23d3d3-rnagen_default_model.txt", {9, 1, 0}, 0, NULL, "no model 'cvae'"},
    {"625360-regress_default_model.txt", {9, 1, 0}, 0, NULL, BLOCKS},
    {"87fc5a-regress_docking_model.txt", {9, 1, 0}, 0, NULL, BLOCKS},
    {"a1b95e-regress_default_model.txt", {9, 1, 0}, 0, NULL, BLOCKS},
    {"65c5ea-uno_by_drug_example.txt", {9, 1, 0}, 0, NULL, TOWERS},
    {"aa1a86-uno_fom_model.txt", {9, 1, 0}, 0, NULL, TOWERS},
    {"ca2783-combo_perf_bench_model.txt", {9, 1, 0}, 0, NULL, TOWERS},
    {"cea87d-uno_clr_model.txt", {9, 1, 0}, 0, NULL, TOWERS},
    {"ea71bc-uno_default_inferUQ_model.txt", {9, 1, 0}, 0, NULL, TOWERS},
    {"ebf281-combo_default_model.txt", {9, 1, 0}, 0, NULL, TOWERS},
    {"03d470-resnet1.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"0eb0be-image_vae_default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"2fe60a-image_vae_default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"45bb00-test_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"4aaf15-default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"4b8b02-p3b3_default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"4ff8a0-p2b1_default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"636946-sample_default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"658366-unet1.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"665251-train_pixelsnail_default_model.txt",
     {9, 1, 0},
     0,
     NULL,
     NO_NETWORK},
    {"84560b-default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"883dfa-calibration_default.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"a94b85-p2b1_default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"ade57f-CNN2D_SubNetwork.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    /* An LSTM of 64 that reads one number a step; 9 characters. */
    {"c19ec5-p3b2_default_model.txt",
     {20, 1, 9},
     4 * 64 * (1 + 64 + 1) + 64 * 9 + 9,
     NULL,
     NULL},
    {"ebc9d0-p3b5_default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"ebe7f6-unoMT_default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
    {"ed3add-cs_default_model.txt", {9, 1, 0}, 0, NULL, NO_NETWORK},
};

static void real_files_give_a_network_or_say_why_not(void **state)
{
    struct file_reader reader = {.read = read_file};
    const char *data = getenv("THRONG_TEST_DATA");
    char path[512];
    (void)state;
    if (!data || !*data) {
        print_message("THRONG_TEST_DATA names no folder with real data\n");
        skip();
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct row *r = &rows[i];
        struct network n;
        snprintf(path, sizeof path, "%s/candle-parameters/%s", data, r->file);
        build(&n, path, &reader, r->point, &r->like);
        if (n.parameters != r->parameters ||
            (r->said && !strstr(n.said.p, r->said)))
            fail_msg("%s: %lld parameters\n%s", r->file,
                     (long long)n.parameters, n.said.p);
        buf_done(&n.said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_networks_have_the_parameters_that_keras_counts),
        cmocka_unit_test(real_files_give_a_network_or_say_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
