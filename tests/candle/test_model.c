/* test_model.c - CANDLE parameter files as models */
#include "../plan/plan_test.h"

#define HEAD "[Global_Params]\n"
#define PLAIN "dense = [8, 4]\nactivation = 'relu'\nloss = 'mse'\n"
#define CLASSES "dense = [8]\nloss = 'categorical_crossentropy'\n"

struct made {
    struct arena *arena;
    struct problems problems;
    struct foreign_model *file;
    struct buf model; /* JSON; empty when there are mistakes */
    struct buf said;
};

static void make_files(struct made *t, const struct test_file *files,
                       const char *point)
{
    struct file_reader reader = {.read = test_read_file};
    struct value *over = NULL, *model = NULL;

    memcpy(&reader.context, &files, sizeof(files));
    t->arena = arena_new();
    problems_init(&t->problems, t->arena);
    if (point)
        over = json_parse(t->arena, str_of(point), "point", false, NULL);
    t->file =
        candle_dialect.model(files->path, &reader, t->arena, &t->problems);
    if (t->file)
        model = t->file->value(t->file, over, t->arena, &t->problems);
    assert_true((model == NULL) == (t->problems.errors > 0));
    buf_init(&t->model);
    buf_init(&t->said);
    if (model)
        json_print(&t->model, model);
    problems_print(&t->said, &t->problems);
}

static void make(struct made *t, const char *params, const char *point)
{
    const struct test_file files[] = {{"net.txt", params}, {NULL, NULL}};
    make_files(t, files, point);
}

static void made_done(struct made *t)
{
    if (t->file)
        t->file->close(t->file);
    buf_done(&t->model);
    buf_done(&t->said);
    arena_free(t->arena);
}

/* The model of the parameters has each part. */
static void has(const char *params, const char *part)
{
    struct made t;
    make(&t, params, NULL);
    if (!strstr(t.model.p, part))
        fail_msg("%s\nis not in\n%s\n%s", part, t.model.p, t.said.p);
    made_done(&t);
}

static void has_not(const char *params, const char *part)
{
    struct made t;
    make(&t, params, NULL);
    assert_true(t.model.len > 0);
    if (strstr(t.model.p, part))
        fail_msg("%s\nis in\n%s", part, t.model.p);
    made_done(&t);
}

static void says(const char *params, const char *part)
{
    struct made t;
    make(&t, params, NULL);
    if (!strstr(t.said.p, part))
        fail_msg("%s\nis not said:\n%s%s", part, t.said.p, t.model.p);
    made_done(&t);
}

static void the_whole_is_what_a_model_file_would_say(void **state)
{
    struct made t;
    (void)state;
    make(&t,
         HEAD "model_name = 'p'\ndense = [8, 0, 4]\nactivation = 'relu'\n"
              "loss = 'mean_squared_error'\noptimizer = 'adam'\n"
              "learning_rate = 0.01\ndropout = 0.1\nepochs = 3\n"
              "batch_size = 16\nrng_seed = 7\ntrain_data = 'a.csv'\n"
              "val_split = 0.2\nscaling = 'std'\n",
         NULL);
    assert_string_equal(
        t.model.p,
        "{\"name\":\"p\",\"layers\":[{\"dense\":8,\"activation\":\"relu\"},"
        "{\"dropout\":0.1},{\"dense\":4,\"activation\":\"relu\"},"
        "{\"dropout\":0.1},{\"dense\":\"outputs\"}],\"loss\":\"mse\","
        "\"input\":-1,\"data\":{\"file\":\"a.csv\",\"label\":\"first\","
        "\"validation\":0.2,\"scale\":\"std\"},\"batch_size\":16,"
        "\"epochs\":3,\"seed\":7,\"optimizer\":{\"name\":\"adam\","
        "\"lr\":0.01,\"epsilon\":1e-08},\"metrics\":[\"mae\",\"r2\"]}");
    assert_string_equal(t.said.p, "");
    made_done(&t);
}

static void layers_follow_the_keywords(void **state)
{
    (void)state;
    has(HEAD "conv = [16, 5, 2, 8, 3, 1]\npool = [1, 10]\n" PLAIN,
        "[{\"conv1d\":16,\"kernel\":5,\"stride\":2,\"activation\":\"relu\"},"
        "{\"conv1d\":8,\"kernel\":3,\"stride\":1,\"activation\":\"relu\"},"
        "{\"max_pool1d\":10},{\"flatten\":null},{\"dense\":8");
    has(HEAD "conv = [16, 5, 2, 8, 3, 1]\npool = 10\n" PLAIN,
        "\"relu\"},{\"max_pool1d\":10},{\"conv1d\":8");
    has(HEAD "conv = [16, 5, 2]\n" PLAIN, "\"input\":[-1,1]");
    has(HEAD "conv = [16, 5, 2]\ninput = 99\n" PLAIN, "\"input\":[99,1]");
    has(HEAD "conv = [16, 5, 2, 0, 0, 0]\n" PLAIN,
        "\"relu\"},{\"flatten\":null},{\"dense\":8");
    has(HEAD "conv = [[16, 5, 2], [8, 3, 1]]\n" PLAIN, "{\"conv1d\":8");
    has(HEAD "conv = [[16, 5, 3, 2, 1]]\npool = 2\n" PLAIN,
        "{\"conv2d\":16,\"kernel\":[5,3],\"stride\":[2,1],\"activation\":"
        "\"relu\"},{\"max_pool2d\":2}");
    has_not(HEAD "conv = [[16, 5, 3, 2, 1]]\n" PLAIN, "\"input\"");
    has(HEAD "lstm_size = [16, 8]\nloss = 'mse'\n",
        "[{\"lstm\":16,\"sequence\":true},{\"lstm\":8},{\"dense\"");
    has(HEAD "batch_normalization = True\n" PLAIN,
        "{\"dense\":8},{\"batch_norm\":null},{\"activation\":\"relu\"}");
    has(HEAD "initialization = 'he_normal'\nreg_l2 = 1e-5\n" PLAIN,
        "{\"dense\":8,\"initializer\":\"he_normal\",\"l2\":1e-05,");
    has(HEAD "drop = 0.5\n" PLAIN, "{\"dropout\":0.5}");
    has_not(HEAD "dropout = 0.\n" PLAIN, "dropout");
    has(HEAD "dense = [8, 8, 4]\nresidual = True\nloss = 'mse'\n",
        "{\"dense\":8,\"name\":\"dense_1\"},{\"dense\":8,\"name\":\"dense_2\"},"
        "{\"add\":null,\"from\":[\"dense_2\","
        "\"dense_1\"]},{\"dense\":4},");
    has(HEAD "dense = 8\nactivation = 'LeakyReLU'\nloss = 'mse'\n",
        "{\"dense\":8,\"activation\":\"leaky_relu\"}");
}

static void the_last_layer_follows_loss_and_classes(void **state)
{
    (void)state;
    has(HEAD CLASSES, "{\"dense\":\"outputs\"}]");
    has(HEAD CLASSES "classes = 3\ntrain_data = 'a'\n",
        "{\"dense\":3}],\"loss\":\"categorical_crossentropy\"");
    has(HEAD CLASSES "classes = 3\ntrain_data = 'a'\n", "\"classes\":3");
    has(HEAD CLASSES "out_activation = 'softmax'\n",
        "{\"dense\":\"outputs\",\"activation\":\"softmax\"}");
    has(HEAD PLAIN "out_act = 'sigmoid'\n",
        "{\"dense\":\"outputs\",\"activation\":\"sigmoid\"}");
    has(HEAD "dense = [8, 4]\nactivation = ['relu', 'tanh', 'elu']\n"
             "loss = 'mse'\n",
        "[{\"dense\":8,\"activation\":\"relu\"},{\"dense\":4,\"activation\":"
        "\"tanh\"},{\"dense\":\"outputs\",\"activation\":\"elu\"}]");
    has(HEAD "loss = 'het'\ndense = [8]\n", "\"loss\":\"heteroscedastic\"");
}

static void autoencoders_and_tasks_have_keywords_of_their_own(void **state)
{
    (void)state;
    has(HEAD "model = 'ae'\nlatent_dim = 2\ntrain_data = 'a'\n" PLAIN,
        "[{\"dense\":8,\"activation\":\"relu\"},{\"dense\":4,\"activation\":"
        "\"relu\"},{\"dense\":2,\"activation\":\"relu\"},{\"dense\":4,"
        "\"activation\":\"relu\"},{\"dense\":8,\"activation\":\"relu\"},"
        "{\"dense\":\"outputs\",\"activation\":\"sigmoid\"}]");
    has(HEAD "model = 'ae'\nlatent_dim = 2\ntrain_data = 'a'\n" PLAIN,
        "\"label\":\"inputs\"");
    has(HEAD "shared_nnet_spec = [9]\nind_nnet_spec = '5, 4:3'\n"
             "feature_names = 'Primary site:Grade'\ntrain_data = 'a'\n"
             "loss = 'categorical_crossentropy'\n",
        "\"layers\":[{\"dense\":9,\"name\":\"dense_1\"},{\"dense\":5,\"from\":"
        "\"dense_1\"},"
        "{\"dense\":4},{\"dense\":\"outputs\",\"name\":\"primary_site\"},"
        "{\"dense\":3,\"from\":\"dense_1\"},{\"dense\":\"outputs\",\"name\":"
        "\"grade\"}],\"heads\":[{\"from\":\"primary_site\",\"loss\":"
        "\"categorical_crossentropy\",\"metrics\":\"accuracy\"},");
    has(HEAD "shared_nnet_spec = [9]\nind_nnet_spec = '5, 4:3'\n"
             "train_data = 'a'\nloss = 'categorical_crossentropy'\n",
        "\"label\":[1,2]");
    has(HEAD "dense = [6, 5, 5, 3, 2]\nactivation = ['relu', 'relu', "
             "'softmax', 'relu', 'softmax']\n"
             "loss = 'categorical_crossentropy'\n",
        "{\"dense\":5,\"activation\":\"relu\",\"name\":\"dense_2\"},{\"dense\":"
        "5,"
        "\"activation\":\"softmax\",\"from\":\"dense_1\",\"name\":\"dense_3\"},"
        "{\"multiply\":null,\"from\":["
        "\"dense_2\",\"dense_3\"]},{\"dense\":3,\"activation\":\"relu\"},"
        "{\"dense\":2,\"activation\":\"softmax\"}]");
}

static void optimizers_have_the_numbers_of_candle(void **state)
{
    (void)state;
    has(HEAD PLAIN, "\"optimizer\":{\"name\":\"sgd\"}");
    has(HEAD PLAIN "optimizer = 'SGD'\nmomentum = 0.9\nnesterov = True\n",
        "{\"name\":\"sgd\",\"momentum\":0.9,\"nesterov\":true}");
    has(HEAD PLAIN "optimizer = 'adam'\nlearning_rate = None\n",
        "{\"name\":\"adam\",\"epsilon\":1e-08}");
    has(HEAD PLAIN "optimizer = 'adam'\nmomentum = 0.9\nbeta_1 = 0.8\n"
                   "epsilon = 1e-6\n",
        "{\"name\":\"adam\",\"epsilon\":1e-06,\"beta1\":0.8}");
    has(HEAD PLAIN "optimizer = 'rmsprop'\nlr = '1e-5'\n",
        "{\"name\":\"rmsprop\",\"lr\":1e-05,\"epsilon\":1e-08,\"rho\":0.9}");
    has(HEAD PLAIN "optimizer = 'adadelta'\n",
        "{\"name\":\"adadelta\",\"epsilon\":1e-08,\"rho\":0.9}");
    has(HEAD PLAIN "weight_decay = 3e-4\ngrad_clip = 5\n",
        "\"weight_decay\":0.0003,\"clip_norm\":5");
}

static void schedules_and_stopping_have_keywords(void **state)
{
    (void)state;
    has(HEAD PLAIN "reduce_lr = True\nreduce_patience = 7\n",
        "\"schedule\":{\"name\":\"plateau\",\"factor\":0.5,\"patience\":7}");
    has(HEAD PLAIN "warmup_lr = True\n", "\"schedule\":{\"warmup_epochs\":5}");
    has(HEAD PLAIN "clr_flag = True\nclr_mode = 'trng2'\nclr_base_lr = 1e-4\n"
                   "clr_max_lr = 0.01\nclr_gamma = 0.9\n",
        "\"schedule\":{\"name\":\"cyclic\",\"mode\":\"triangular2\","
        "\"maximum\":0.01,\"factor\":0.9}");
    has(HEAD PLAIN "clr_flag = True\nclr_base_lr = 1e-4\n", "\"lr\":0.0001");
    has_not(HEAD PLAIN "clr_flag = False\nclr_mode = 'exp'\n", "schedule");
    has(HEAD PLAIN "early_stop = True\nearly_patience = 9\n",
        "\"early_stopping\":{\"patience\":9}");
    has_not(HEAD PLAIN "early_stop = False\n", "early_stopping");
}

static void data_follow_the_keywords(void **state)
{
    (void)state;
    has(HEAD PLAIN "train_data = 'a'\ntest_data = 'b'\n",
        "\"data\":{\"file\":\"a\",\"label\":\"first\",\"validation\":\"b\","
        "\"scale\":"
        "\"maxabs\"}");
    has(HEAD PLAIN "train_data = 'a'\ntest_data = 'b'\nval_split = 0.1\n",
        "\"validation\":0.1,\"test\":\"b\"");
    has(HEAD PLAIN "train_data = 'a'\nval_data = 'v'\ntest_data = 'b'\n",
        "\"validation\":\"v\",\"test\":\"b\"");
    has(HEAD PLAIN "train_data = 'a'\nscaling = 'minabs'\n",
        "\"scale\":\"maxabs\"");
    has(HEAD PLAIN "train_data = 'a'\nfeature_subsample = 50\n"
                   "train_samples = 99\n",
        "\"rows\":99,\"columns\":50");
    has_not(HEAD PLAIN "train_data = 'a'\nfeature_subsample = 0\n", "columns");
    has(HEAD PLAIN "train_data = 'a'\ndata = {'label': -1, 'group': 'id'}\n",
        "\"label\":-1,\"scale\":\"maxabs\",\"group\":\"id\"");
    has_not(HEAD PLAIN "train_data = ''\n", "\"data\"");
    has_not(HEAD PLAIN "data = {'inputs': 'x', 'labels': 'y'}\n", "\"label\"");
    has(HEAD PLAIN "metrics = ['acc', 'mean_squared_error']\n",
        "\"metrics\":[\"accuracy\",\"mse\"]");
}

static void uq_keywords_say_which_rows_train(void **state)
{
    (void)state;
    has(HEAD PLAIN "train_data = 'a'\nval_split = 0.1\ntest_data = 'b'\n"
                   "uq_train_fr = 0.5\nuq_valid_fr = [0.5]\nuq_test_fr = 0\n",
        "\"label\":\"first\",\"test\":\"b\",\"parts\":{\"fractions\":[0.5,"
        "0.5,0]}");
    has(HEAD PLAIN "train_data = 'a'\nval_data = 'v'\nuq_train_vec = [0, 2]\n"
                   "uq_valid_vec = [1]\nuq_test_vec = []\nuq_train_fr = 1\n",
        "\"validation\":\"v\",\"parts\":{\"blocks\":[[0,2],[1],[]]}");
    has(HEAD PLAIN "train_data = 'a'\nuq_train_bks = 2\nuq_valid_bks = 1\n"
                   "uq_test_bks = 0\n",
        "\"parts\":{\"counts\":[2,1,0]}");
    has_not(HEAD PLAIN "train_data = 'a'\nuq_train_bks = None\n", "parts");
    says(HEAD PLAIN "train_data = 'a'\nuq_train_bks = 2\nuq_valid_bks = 1\n",
         "net.txt:6:16: error: none of the triplets uq_train_*");
}

static void a_point_stands_above_the_file(void **state)
{
    struct made t;
    (void)state;
    make(&t, HEAD PLAIN "train_data = 'a'\noptimizer = 'adam'\n",
         "{\"dense\":[5],\"drop\":0.25,\"lr\":0.5,\"activation\":\"tanh\","
         "\"data.label\":\"y\",\"batch_size\":\"64\",\"pool\":3}");
    assert_string_equal(t.said.p, "");
    assert_non_null(strstr(t.model.p,
                           "\"layers\":[{\"dense\":5,\"activation\":\"tanh\"},"
                           "{\"dropout\":0.25},{\"dense\":\"outputs\"}]"));
    assert_non_null(strstr(t.model.p, "\"lr\":0.5"));
    assert_non_null(strstr(t.model.p, "\"label\":\"y\""));
    assert_non_null(strstr(t.model.p, "\"batch_size\":64"));
    made_done(&t);
    make(&t, HEAD PLAIN, "{\"dense\":\"20 10\"}");
    assert_non_null(strstr(t.model.p, "{\"dense\":20,"));
    made_done(&t);
    make(&t, HEAD PLAIN "train_data = 'a'\ndata = {'label': 2, 'skip': 1}\n",
         "{\"data\":{\"label\":5}}");
    assert_non_null(strstr(t.model.p, "\"label\":5,"));
    assert_non_null(strstr(t.model.p, "\"skip\":1"));
    made_done(&t);
    make(&t, HEAD PLAIN, "{\"epochs\":\"many\"}");
    assert_non_null(strstr(t.said.p, "epochs is a whole number"));
    made_done(&t);
}

static void values_that_do_not_fit_are_mistakes_where_they_count(void **state)
{
    (void)state;
    has(HEAD PLAIN "verbose = 2\n", "\"dense\":8");
    says(HEAD PLAIN "verbose = 2\n",
         "net.txt:5:11: warning: verbose is True or False, not 2; kept as it "
         "is");
    says(HEAD PLAIN "epochs = 'ten'\n",
         "net.txt:5:10: error: epochs is a whole number, not 'ten'");
    says(HEAD "shared_nnet_spec = 'wide'\nind_nnet_spec = '4:4'\n",
         "net.txt:2:20: error: shared_nnet_spec is a whole number, not "
         "'wide'");
}

static void what_contradicts_itself_is_named_with_its_line(void **state)
{
    (void)state;
    says(HEAD "loss = 'mse'\nepochs = 2\n",
         "net.txt: error: nothing here says a network");
    says(HEAD "conv = [1, 2]\n" PLAIN,
         "net.txt:2:8: error: conv does not fall into layers (three numbers");
    says(HEAD "conv = [[1, 2, 3, 4]]\n" PLAIN, "conv does not fall into");
    says(HEAD "conv = [[1, 2, 3], 4]\n" PLAIN, "conv does not fall into");
    says(HEAD "pool = [2]\nconv = [1, 2, 1, 1, 2, 1]\n" PLAIN,
         "net.txt:2:8: error: pool has 1 numbers for 2 convolutions");
    says(HEAD "locally_connected = True\nconv = [1, 2, 1]\n" PLAIN,
         "net.txt:2:21: error: there are no locally connected layers");
    says(HEAD "dense = [8, 4]\nactivation = ['relu']\nloss = 'mse'\n",
         "net.txt:3:14: error: activation has 1 words for 2 dense layers");
    says(HEAD CLASSES "out_activation = 'relu'\n",
         "net.txt:4:18: error: relu gives no probabilities, which "
         "categorical_crossentropy wants (out_activation = 'softmax')");
    says(HEAD PLAIN "classes = 3\n", "classes are not learned with the loss");
    says(HEAD PLAIN "val_split = 0.1\nval_data = 'v'\ntrain_data = 'a'\n",
         "net.txt:5:13: error: val_split and val_data both");
    says(HEAD CLASSES "model = 'ae'\n", "an autoencoder learns numbers");
    says(HEAD PLAIN "model = 'cvae'\n", "there is no model 'cvae' ('ae'");
    says(HEAD PLAIN "clr_flag = True\nreduce_lr = True\n",
         "clr_flag and reduce_lr cannot both be True");
    says(HEAD PLAIN "dense_feature_layers = [3]\n",
         "net.txt:5:24: error: dense_feature_layers: there are no towers");
    says(HEAD PLAIN "data = 'x.csv'\n", "data must be an object");
    says(HEAD "shared_nnet_spec = [3]\nloss = 'mse'\n",
         "ind_nnet_spec says the layers of no task");
}

static void what_is_not_used_is_named(void **state)
{
    (void)state;
    says(HEAD PLAIN "cell_noise_sigma = 0.\nuse_tb = False\nmin_logconc = -5.\n"
                    "recurrent_dropout = 0.1\nverbose = True\n"
                    "latent_dim = 2\ndata_type = 'f16'\n",
         "net.txt: notice: not used by built-in training: min_logconc, "
         "recurrent_dropout, latent_dim, data_type\n");
    says(HEAD PLAIN "shuffle = False\n",
         "net.txt:5:11: notice: rows are shuffled in every epoch");
}

static void a_config_file_is_read_over_it(void **state)
{
    const struct test_file files[] = {
        {"net.txt", HEAD PLAIN "config_file = 'over.txt'\nepochs = 2\n"},
        {"over.txt", HEAD "epochs = 9\n"},
        {NULL, NULL}};
    struct made t;
    (void)state;
    make_files(&t, files, NULL);
    assert_non_null(strstr(t.model.p, "\"epochs\":9"));
    made_done(&t);
}

static void which_files_are_parameter_files(void **state)
{
    (void)state;
    assert_true(candle_dialect.is_model(STR("dense=[3]\n"), "a.txt"));
    assert_true(
        candle_dialect.is_model(STR("\n# c\n[Global Params]\nx=1\n"), "a"));
    assert_false(
        candle_dialect.is_model(STR("layers:\n- dense: 3\n"), "a.yaml"));
    assert_false(candle_dialect.is_model(STR(""), "a.yaml"));
    assert_false(candle_dialect.is_model(STR("[1,\n2]\n"), "a.yaml"));
}

static void a_study_searches_keywords(void **state)
{
    const struct test_file files[] = {
        {"net.txt", HEAD PLAIN "rng_seed = 4\ntrain_data = 'a'\n"},
        {NULL, NULL}};
    struct reading_test t;
    struct err err = {0};
    struct buf b;
    (void)state;
    test_read_str(&t,
                  STR("model: net.txt\nmethod: random\nrun_cap: 2\n"
                      "metric: {name: val_loss}\nparameters:\n"
                      "  dense: {values: [[8], [4, 4]]}\n"
                      "  droput: {min: 0.0, max: 0.5}\n"),
                  "study.yaml", files);
    assert_non_null(t.plan);
    assert_true(plan_model_seeded(t.plan));
    assert_non_null(strstr(t.said.p,
                           "study.yaml:7:11: warning: droput makes no "
                           "difference to the training of net.txt "
                           "(did you mean dropout?)"));
    struct value *point =
        json_parse(t.arena, STR("{\"dense\":[4,4]}"), "p", false, NULL);
    struct value *model = plan_model(t.plan, point, t.arena, &err);
    buf_init(&b);
    json_print(&b, model);
    assert_non_null(strstr(b.p, "[{\"dense\":4,"));
    buf_done(&b);
    point = json_parse(t.arena, STR("{\"conv\":[4,4]}"), "p", false, NULL);
    assert_null(plan_model(t.plan, point, t.arena, &err));
    assert_non_null(strstr(err.text, "conv does not fall into layers"));
    test_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_is_what_a_model_file_would_say),
        cmocka_unit_test(layers_follow_the_keywords),
        cmocka_unit_test(the_last_layer_follows_loss_and_classes),
        cmocka_unit_test(autoencoders_and_tasks_have_keywords_of_their_own),
        cmocka_unit_test(optimizers_have_the_numbers_of_candle),
        cmocka_unit_test(schedules_and_stopping_have_keywords),
        cmocka_unit_test(data_follow_the_keywords),
        cmocka_unit_test(uq_keywords_say_which_rows_train),
        cmocka_unit_test(a_point_stands_above_the_file),
        cmocka_unit_test(values_that_do_not_fit_are_mistakes_where_they_count),
        cmocka_unit_test(what_contradicts_itself_is_named_with_its_line),
        cmocka_unit_test(what_is_not_used_is_named),
        cmocka_unit_test(a_config_file_is_read_over_it),
        cmocka_unit_test(which_files_are_parameter_files),
        cmocka_unit_test(a_study_searches_keywords),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
