/* test_params.c - keywords, the command line, and which value counts */
#include <math.h>
#include "../plan/plan_test.h"

#define WORDS_MAX 16

struct params_test {
    struct arena *arena;
    struct problems problems;
    struct value *params;
    struct buf said;
};

/* What there is to read; unset members are not there. */
struct given {
    const char *model, *config, *definitions, *study;
    const char *words; /* separated by | */
    const struct test_file *more;
};

static size_t split_words(struct arena *a, const char *text, const char **words)
{
    struct str rest = str_of(text), word;
    size_t n = 0;

    while (text && str_split(&rest, '|', &word)) {
        assert_true(n < WORDS_MAX);
        words[n++] = arena_cstr(a, word);
    }
    return n;
}

static void resolve(struct params_test *t, const struct given *g)
{
    struct test_file files[8] = {{"model.txt", g->model ? g->model : ""}};
    struct file_reader reader = {files, test_read_file};
    const char *words[WORDS_MAX];
    struct candle_request q = {
        .model_file = "model.txt", .words = words, .study_name = "params.json"};
    size_t n = 1;

    t->arena = arena_new();
    if (g->config)
        files[n++] = (struct test_file){"config.txt", g->config};
    if (g->definitions) {
        files[n++] = (struct test_file){"definitions.yaml", g->definitions};
        q.definitions = "definitions.yaml";
        q.yaml = plan_yaml;
    }
    for (const struct test_file *f = g->more; f && f->path; f++)
        files[n++] = *f;
    q.word_count = split_words(t->arena, g->words, words);
    if (g->study)
        q.study = test_json(t->arena, g->study);
    problems_init(&t->problems, t->arena);
    t->params = candle_params(&q, &reader, t->arena, &t->problems);
    buf_init(&t->said);
    problems_print(&t->said, &t->problems);
    assert_true((t->params == NULL) == (t->problems.errors > 0));
}

static void resolve_done(struct params_test *t)
{
    buf_done(&t->said);
    arena_free(t->arena);
}

/* One parameter of the result as JSON; "absent" when it is not there. */
static void has(const struct given *g, const char *name, const char *json)
{
    struct params_test t;
    struct buf b;

    resolve(&t, g);
    if (!t.params)
        fail_msg("%s", t.said.p);
    struct value *v = value_get(t.params, str_of(name));
    buf_init(&b);
    if (v)
        json_print(&b, v);
    else
        buf_adds(&b, "absent");
    if (strcmp(b.p, json) != 0)
        fail_msg("%s is %s, not %s", name, b.p, json);
    buf_done(&b);
    resolve_done(&t);
}

static void says(const struct given *g, bool good, const char *said)
{
    struct params_test t;

    resolve(&t, g);
    assert_true((t.params != NULL) == good);
    assert_string_equal(t.said.p, said);
    resolve_done(&t);
}

static void refused(const struct given *g, const char *said)
{
    says(g, false, said);
}

/* The value that words of a command line give a parameter. */
static void word_gives(const char *words, const char *name, const char *json)
{
    struct given g = {.words = words};

    has(&g, name, json);
}

static void word_refused(const char *words, const char *said)
{
    struct given g = {.words = words};

    refused(&g, said);
}

/* ---- levels ----------------------------------------------------------- */

enum { LIBRARY, MODEL, CONFIG, COMMAND_LINE, STUDY, LEVELS };

/* A keyword of each type with a value for each level: as a literal of Python
 * in files, as words, as JSON. */
struct type_case {
    const char *definition; /* without its default */
    const char *literals[LEVELS], *words[LEVELS], *json[LEVELS];
};
static const struct type_case types[] = {
    {"type: str",
     {"'a'", "'b'", "'c'", "'d'", "'e'"},
     {"a", "b", "c", "d", "e"},
     {"\"a\"", "\"b\"", "\"c\"", "\"d\"", "\"e\""}},
    {"type: int",
     {"1", "2", "3", "4", "-5"},
     {"1", "2", "3", "4", "-5"},
     {"1", "2", "3", "4", "-5"}},
    {"type: float",
     {".5", "1e-3", "2.", "-3.5", "0.25"},
     {".5", "1e-3", "2.", "-3.5", "0.25"},
     {"0.5", "0.001", "2.0", "-3.5", "0.25"}},
    {"type: str2bool",
     {"True", "False", "True", "False", "True"},
     {"yes", "F", "TRUE", "n", "1"},
     {"true", "false", "true", "false", "true"}},
    {"type: str2bool",
     {"False", "True", "False", "True", "False"},
     {"no", "t", "FALSE", "y", "0"},
     {"false", "true", "false", "true", "false"}},
    {"type: int, nargs: '+'",
     {"[1]", "[2, 2]", "[3]", "[4, 4, -4]", "[5]"},
     {"1", "2|2", "3", "4|4|-4", "5"},
     {"[1]", "[2,2]", "[3]", "[4,4,-4]", "[5]"}},
    {"type: int, action: list-of-lists",
     {"'1'", "'2, 2:2'", "'3:3'", "'4'", "'5:5, 5'"},
     {"1", "2,2:2", "[3]:[3]", "4", "5:5,5"},
     {"[[1]]", "[[2,2],[2]]", "[[3],[3]]", "[[4]]", "[[5],[5,5]]"}},
    {"choices: [a, b, c, d, e]",
     {"'a'", "'b'", "'c'", "'d'", "'e'"},
     {"a", "b", "c", "d", "e"},
     {"\"a\"", "\"b\"", "\"c\"", "\"d\"", "\"e\""}},
};

/* YAML needs lists and texts of its own; JSON is both. */
static struct given at_levels(struct arena *a, const struct type_case *c,
                              bool (*here)(int level, int lo, int hi), int lo,
                              int hi)
{
    struct given g = {.model = "", .config = ""};
    const char *config = here(CONFIG, lo, hi) ? "--config_file|config.txt" : "";

    g.definitions =
        arena_printf(a, "- {name: key, abv: k, %s%s%s}\n", c->definition,
                     here(LIBRARY, lo, hi) ? ", default: " : "",
                     here(LIBRARY, lo, hi) ? c->json[LIBRARY] : "");
    if (here(MODEL, lo, hi))
        g.model = arena_printf(a, "key = %s\n", c->literals[MODEL]);
    if (here(CONFIG, lo, hi))
        g.config = arena_printf(a, "key = %s\n", c->literals[CONFIG]);
    if (here(COMMAND_LINE, lo, hi))
        g.words = arena_printf(a, "--key|%s%s%s", c->words[COMMAND_LINE],
                               *config ? "|" : "", config);
    else if (*config)
        g.words = config;
    if (here(STUDY, lo, hi))
        g.study = arena_printf(a, "{\"key\": %s}", c->json[STUDY]);
    return g;
}

static bool either(int level, int lo, int hi)
{
    return level == lo || level == hi;
}

static bool up_to(int level, int lo, int hi)
{
    (void)lo;
    return level <= hi;
}

static void of_every_two_levels_the_higher_counts_for_every_type(void **state)
{
    struct arena *a = arena_new();

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        for (int hi = LIBRARY; hi < LEVELS; hi++)
            for (int lo = LIBRARY; lo <= hi; lo++) {
                struct given g = at_levels(a, &types[i], either, lo, hi);
                has(&g, "key", types[i].json[hi]);
            }
    arena_free(a);
}

static void of_all_levels_the_highest_counts(void **state)
{
    struct arena *a = arena_new();

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        for (int hi = LIBRARY; hi < LEVELS; hi++) {
            struct given g = at_levels(a, &types[i], up_to, 0, hi);
            has(&g, "key", types[i].json[hi]);
        }
    arena_free(a);
}

static void a_config_file_is_laid_over_the_model_file(void **state)
{
    struct given g = {.model = "epochs=1\nloss='mse'\n",
                      .config = "epochs=2\n",
                      .words = "--conf|config.txt"};

    (void)state;
    has(&g, "epochs", "2");
    has(&g, "loss", "\"mse\"");
    has(&g, "config_file", "\"config.txt\"");
}

static void a_keyword_with_default_and_letter_is_set_by_the_file(void **state)
{
    struct given g = {.model = "verbose=True\nprofiling=True\nlogfile='x'\n"};

    (void)state;
    has(&g, "verbose", "true");
    has(&g, "profiling", "true");
    has(&g, "logfile", "\"x\"");
}

/* ---- the table -------------------------------------------------------- */

static void standard_defaults_are_there(void **state)
{
    struct given g = {0};

    (void)state;
    has(&g, "train_bool", "true");
    has(&g, "experiment_id", "\"EXP000\"");
    has(&g, "run_id", "\"RUN000\"");
    has(&g, "logfile", "null");
    has(&g, "timeout", "-1");
    has(&g, "rng_seed", "7102");
    has(&g, "ckpt_keep_limit", "5");
    has(&g, "ckpt_save_best_metric", "\"val_loss\"");
    has(&g, "epochs", "absent");
    has(&g, "eval_bool", "absent");
}

static void old_names_set_the_present_ones_too(void **state)
{
    struct given g = {.model = "drop=0.5\nlr='1e-5'\nvalidation_split=.1\n"};

    (void)state;
    has(&g, "dropout", "0.5");
    has(&g, "drop", "0.5");
    has(&g, "learning_rate", "1e-05");
    has(&g, "lr", "\"1e-5\"");
    has(&g, "val_split", "0.1");
    g.words = "--learning_rate|0.2|--drop|.25";
    has(&g, "learning_rate", "0.2");
    has(&g, "lr", "0.2");
    has(&g, "dropout", "0.25");
    g = (struct given){.model = "dropout=0.1\ndrop=0.2\n"};
    has(&g, "dropout", "0.1");
    says(&g, true,
         "model.txt:2:6: warning: dropout and drop are the same parameter; "
         "dropout counts\n");
}

static void unknown_keywords_are_kept_with_a_warning(void **state)
{
    struct given g = {.model = "epoch=3\nqqq=1\nzzz_own=[1]\n"};

    (void)state;
    says(&g, true,
         "model.txt:1:1: warning: epoch is not a keyword of CANDLE's; its "
         "value is kept (did you mean epochs?)\n"
         "model.txt:2:1: warning: no keywords of CANDLE's, kept: qqq, zzz_own "
         "(a model's own keywords are defined in a file of definitions)\n");
    has(&g, "epoch", "3");
    has(&g, "zzz_own", "[1]");
    g = (struct given){.model = "solr_root='x'\n"};
    says(&g, true, "model.txt:1:1: notice: solr_root has no effect any more\n");
    word_gives("--qqq|5", "qqq", "5");
    word_gives("--qqq|a b", "qqq", "\"a b\"");
    word_gives("--qqq|1|2", "qqq", "[1,2]");
    g = (struct given){.model = "qqq=1\n", .words = "--qqq|2"};
    has(&g, "qqq", "2");
}

/* ---- types ------------------------------------------------------------ */

static void
values_of_a_wrong_type_in_a_file_are_warned_of_and_kept(void **state)
{
    struct given g = {
        .model = "epochs='ten'\ndropout=[0.1, 'x']\nverbose=3\n"
                 "loss=1\ndense=[1.5]\nckpt_skip_epochs=5.5\ntimeout=True\n"};

    (void)state;
    says(&g, true,
         "model.txt:1:8: warning: epochs is a whole number, not 'ten'; kept "
         "as it is\n"
         "model.txt:2:9: warning: dropout is a number, not 'x'; kept as it "
         "is\n"
         "model.txt:3:9: warning: verbose is True or False, not 3; kept as it "
         "is\n"
         "model.txt:4:6: warning: loss is text, not 1; kept as it is\n"
         "model.txt:5:7: warning: dense is a whole number, not 1.5; kept as "
         "it is\n"
         "model.txt:6:18: warning: ckpt_skip_epochs is a whole number, not "
         "5.5; kept as it is\n"
         "model.txt:7:9: warning: timeout is a whole number, not True; kept "
         "as it is\n");
    has(&g, "epochs", "\"ten\"");
    has(&g, "dropout", "[0.1,\"x\"]");
    has(&g, "dense", "[1.5]");
    g = (struct given){.config = "epochs='ten'\n",
                       .words = "--config_file|config.txt"};
    has(&g, "epochs", "\"ten\"");
    g = (struct given){.study = "{\"epochs\": \"ten\"}"};
    refused(&g, "params.json:1:12: error: epochs is a whole number, not "
                "'ten'\n");
}

static void choices_that_are_none_are_kept_of_files_only(void **state)
{
    struct given g = {.model = "ckpt_keep_mode='bogus'\n"};

    (void)state;
    says(&g, true,
         "model.txt:1:16: warning: ckpt_keep_mode is one of linear, "
         "exponential, all, not 'bogus'; kept as it is\n");
    has(&g, "ckpt_keep_mode", "\"bogus\"");
    word_refused("--clr_mode|trng3",
                 "command line: error: clr_mode is one of trng1, trng2, exp, "
                 "not 'trng3'\n");
    g = (struct given){.study = "{\"scaling\": \"x\"}"};
    refused(&g, "params.json:1:13: error: scaling is one of minabs, maxabs, "
                "minmax, std, none, not 'x'\n");
}

static void quoted_values_become_the_keywords_type(void **state)
{
    struct given g = {.model = "epochs='5'\ntrain_bool='false'\n"
                               "learning_rate='1e-3'\nx='5'\n"
                               "dense='200 20'\nshuffle=1\nbatch_size=8.0\n"};

    (void)state;
    has(&g, "epochs", "5");
    has(&g, "train_bool", "false");
    has(&g, "learning_rate", "0.001");
    has(&g, "x", "\"5\"");
    has(&g, "dense", "[200,20]");
    has(&g, "shuffle", "true");
    has(&g, "batch_size", "8");
}

static void values_in_files_stay_as_they_are_written(void **state)
{
    struct given g = {.model = "dropout=0\nlearning_rate=None\npool=[1, 10]\n"
                               "activation=['relu']\nrng_seed=2017\n"
                               "dense=10\n"};

    (void)state;
    has(&g, "dropout", "0");
    has(&g, "learning_rate", "null");
    has(&g, "pool", "[1,10]");
    has(&g, "activation", "[\"relu\"]");
    has(&g, "rng_seed", "2017");
    has(&g, "dense", "[10]");
}

/* ---- words ------------------------------------------------------------ */

static void options_are_written_in_many_ways(void **state)
{
    (void)state;
    word_gives("--epochs|3", "epochs", "3");
    word_gives("--epochs=3", "epochs", "3");
    word_gives("-e|3", "epochs", "3");
    word_gives("-e3", "epochs", "3");
    word_gives("-epochs|3", "epochs", "3");
    word_gives("-lr|0.5", "learning_rate", "0.5");
    word_gives("-lr=0.5", "learning_rate", "0.5");
    word_gives("-lr0.5", "learning_rate", "0.5");
    word_gives("--ckpt_save_i|4", "ckpt_save_interval", "4");
    word_gives("-z|8|-z|16", "batch_size", "16");
    word_gives("--timeout|-5", "timeout", "-5");
    word_gives("-lr|-1e-5", "learning_rate", "-1e-05");
    word_gives("--dropout|nan", "dropout", "NaN");
    word_gives("--dropout|0", "dropout", "0.0");
    word_gives("--rng_seed|2017", "rng_seed", "2017");
    word_gives("-r|0.5", "rng_seed", "0.5");
    word_gives("--learning_rate|None", "learning_rate", "null");
    word_gives("--loss=a=b", "loss", "\"a=b\"");
    word_gives("--save_path=", "save_path", "\"\"");
    word_gives("--dense|10|20|-e|1", "dense", "[10,20]");
    word_gives("--dense|[10, 20]", "dense", "[10,20]");
    word_gives("--drop|0.1", "dropout", "0.1");
    word_gives("-v|Yes", "verbose", "true");
}

static void names_may_stand_behind_one_dash(void **state)
{
    struct given g = {.config = "epochs=2\n", .words = "-conf|config.txt"};

    (void)state;
    has(&g, "epochs", "2");
    g.words = "-config_file=config.txt";
    has(&g, "epochs", "2");
}

static void a_key_of_a_file_is_no_beginning_of_a_keyword(void **state)
{
    struct given g = {.model = "model='ae'\n", .words = "--model|vae"};

    (void)state;
    has(&g, "model", "\"vae\"");
    has(&g, "model_name", "absent");
    g.words = "-model|vae";
    has(&g, "model", "\"vae\"");
    g = (struct given){.config = "model='ae'\n",
                       .words = "--model|vae|--config_file|config.txt"};
    has(&g, "model", "\"vae\"");
    word_gives("--model|x", "model_name", "\"x\"");
}

static void wrong_words_are_refused(void **state)
{
    (void)state;
    word_refused("--val|3", "command line: error: --val could be any of "
                            "--val_data, --val_split, --val_steps, "
                            "--val_samples (write more of the name)\n");
    word_refused("-v", "command line: error: -v lacks its value (a truth "
                       "value too: -v true)\n");
    word_refused("stray", "command line: error: the word stray belongs to no "
                          "parameter (parameters are written --name value)\n");
    word_refused("-e|3|4", "command line: error: the word 4 belongs to no "
                           "parameter (parameters are written --name "
                           "value)\n");
    word_refused("-v|maybe",
                 "command line: error: verbose is True or False, not "
                 "'maybe'\n");
    word_refused("--dense|1|x",
                 "command line: error: dense is a whole number, not 'x'\n");
    word_refused("--", "command line: error: -- names no parameter\n");
}

/* ---- definitions ------------------------------------------------------ */

static void a_model_defines_keywords_of_its_own(void **state)
{
    struct given g = {
        .definitions =
            "[{\"name\":\"latent_dim\",\"action\":\"store\",\"type\":\"int\","
            "\"help\":\"latent dimensions\"},"
            "{\"name\":\"model\",\"default\":\"ae\",\"choices\":[\"ae\","
            "\"vae\",\"cvae\"]},"
            "{\"name\":\"use_landmark_genes\",\"type\":\"candle.str2bool\","
            "\"default\":false}]"};

    (void)state;
    has(&g, "model", "\"ae\"");
    has(&g, "use_landmark_genes", "false");
    has(&g, "latent_dim", "absent");
    g.words = "--model|vae|--latent|4|--use_l|true";
    has(&g, "model", "\"vae\"");
    has(&g, "latent_dim", "4");
    has(&g, "use_landmark_genes", "true");
    g.words = "--model|xae";
    refused(&g, "command line: error: model is one of ae, vae, cvae, not "
                "'xae'\n");
}

static void a_standard_keyword_can_be_defined_anew(void **state)
{
    struct given g = {.definitions = "- {name: epochs, type: float, "
                                     "default: 0.5}\n"
                                     "- {name: pool, type: int, nargs: 2}\n"};

    (void)state;
    has(&g, "epochs", "0.5");
    g.words = "-e|2.5|--pool|1|2";
    has(&g, "epochs", "2.5");
    has(&g, "pool", "[1,2]");
    g.words = "--pool|1";
    refused(&g, "command line: error: pool is a list of 2, not '1'\n");
}

static void a_name_with_dashes_is_the_one_with_underscores(void **state)
{
    struct given g = {.definitions = "definitions:\n"
                                     "- {name: batch-size, type: int}\n"
                                     "- {name: my-own, default: 3}\n"
                                     "required: [batch-size]\n",
                      .model = "batch_size=4\n"};

    (void)state;
    has(&g, "batch_size", "4");
    has(&g, "my_own", "3");
    has(&g, "batch-size", "absent");
    g.words = "--batch-size|8|--my-own|x";
    has(&g, "batch_size", "8");
    has(&g, "my_own", "\"x\"");
    has(&g, "batch-size", "absent");
    word_gives("--learning-rate|0.5", "learning_rate", "0.5");
}

static void wrong_definitions_are_refused(void **state)
{
    struct given g = {.definitions = "- {type: int}\n"
                                     "- {name: a, action: store_true}\n"
                                     "- {name: b, nargs: many}\n"
                                     "- {name: c, type: int, default: x}\n"
                                     "- {name: d, choices: 3}\n"};

    (void)state;
    refused(&g, "definitions.yaml:1:3: error: a definition lacks its name\n"
                "definitions.yaml:2:21: error: the action store_true cannot "
                "be set from a file (leave action out and write type: "
                "str2bool)\n"
                "definitions.yaml:3:20: error: nargs cannot be 'many' (one "
                "of: +, *, ?, a number)\n"
                "definitions.yaml:4:33: error: the default of c is a whole "
                "number, not 'x'\n"
                "definitions.yaml:5:22: error: choices must be a list\n");
}

static void all_missing_parameters_are_listed(void **state)
{
    struct given g = {.definitions = "required: [model, drop, epochs, dense]\n",
                      .model = "dropout=None\n"};

    (void)state;
    refused(&g, "model.txt: error: 3 required parameters are missing: dense, "
                "epochs, model (set them in this file, or on the command "
                "line)\n");
    g.words = "-e|1|--dense|3|--model|x";
    has(&g, "epochs", "1");
}

static void flags_that_exclude_each_other_are_refused(void **state)
{
    struct given g = {.model = "clr_flag=True\nreduce_lr=True\n"};
    struct params_test t;

    (void)state;
    resolve(&t, &g);
    assert_non_null(
        strstr(t.said.p, "error: clr_flag and reduce_lr cannot both be True"));
    resolve_done(&t);
}

/* ---- files ------------------------------------------------------------ */

static void a_file_that_is_not_there_is_named(void **state)
{
    struct given g = {.words = "--config_file|none.txt"};

    (void)state;
    refused(&g, "command line: error: cannot read none.txt: no such file "
                "(a relative path is looked for here, beside the model file "
                "and in CANDLE_DATA_DIR)\n");
    g = (struct given){.model = "\nconfig_file = '/none.txt'\n"};
    refused(&g, "model.txt:2:15: error: cannot read /none.txt: no such file\n");
}

static void files_may_name_one_another_but_not_in_a_circle(void **state)
{
    const struct test_file more[] = {
        {"a.txt", "epochs=2\nconfig_file='b.txt'\n"},
        {"b.txt", "epochs=3\n"},
        {"c.txt", "config_file='d.txt'\n"},
        {"d.txt", "epochs=1\nconfig_file='c.txt'\n"},
        {0}};
    struct given g = {.model = "epochs=1\nconfig_file='a.txt'\n", .more = more};

    (void)state;
    has(&g, "epochs", "3");
    g.words = "--config_file|c.txt";
    refused(&g, "d.txt:2:13: error: config_file leads back to c.txt (take "
                "config_file out here)\n");
}

static void mistakes_of_all_files_are_listed(void **state)
{
    struct given g = {.model = "epochs=x\nscaling='y'\n",
                      .config = "loss=1+1\n",
                      .words = "--config_file|config.txt"};

    (void)state;
    refused(&g, "model.txt:1:8: error: epochs: x is not a literal (text "
                "stands in quotes)\n"
                "model.txt:2:9: warning: scaling is one of minabs, maxabs, "
                "minmax, std, none, not 'y'; kept as it is\n"
                "config.txt:1:7: error: loss: an expression where a literal "
                "belongs: 1+1 (write the result; nothing is evaluated)\n");
}

static void parameters_are_printed_as_a_file(void **state)
{
    struct given g = {.model = "a='5%% \\'x'\nb=[1e400, {'k%%': -1e400}]\n"
                               "c=None\nd=1e-5\n"};
    struct params_test t;
    struct buf b;

    (void)state;
    resolve(&t, &g);
    buf_init(&b);
    candle_print(&b, t.params);
    assert_non_null(strstr(b.p, "[Global_Params]\na = \"5%% 'x\"\n"
                                "b = [1e400, {'k%%': -1e400}]\nc = None\n"));
    struct value *again = candle_file(buf_str(&b), "x", t.arena, &t.problems);
    assert_true(value_eq(again, t.params));
    buf_done(&b);
    resolve_done(&t);
}

/* No literal is NaN: it is written as a text that means it. */
static void nan_is_read_back_where_a_number_belongs(void **state)
{
    struct given g = {.words = "--learning_rate|nan"};
    struct params_test t;
    struct buf b;

    (void)state;
    resolve(&t, &g);
    buf_init(&b);
    candle_print(&b, t.params);
    assert_non_null(strstr(b.p, "learning_rate = 'nan'\n"));
    resolve_done(&t);
    g = (struct given){.model = b.p};
    resolve(&t, &g);
    assert_true(isnan(value_get(t.params, STR("learning_rate"))->d));
    buf_done(&b);
    resolve_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_every_two_levels_the_higher_counts_for_every_type),
        cmocka_unit_test(of_all_levels_the_highest_counts),
        cmocka_unit_test(a_config_file_is_laid_over_the_model_file),
        cmocka_unit_test(a_keyword_with_default_and_letter_is_set_by_the_file),
        cmocka_unit_test(standard_defaults_are_there),
        cmocka_unit_test(old_names_set_the_present_ones_too),
        cmocka_unit_test(unknown_keywords_are_kept_with_a_warning),
        cmocka_unit_test(
            values_of_a_wrong_type_in_a_file_are_warned_of_and_kept),
        cmocka_unit_test(choices_that_are_none_are_kept_of_files_only),
        cmocka_unit_test(quoted_values_become_the_keywords_type),
        cmocka_unit_test(values_in_files_stay_as_they_are_written),
        cmocka_unit_test(options_are_written_in_many_ways),
        cmocka_unit_test(names_may_stand_behind_one_dash),
        cmocka_unit_test(a_key_of_a_file_is_no_beginning_of_a_keyword),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(a_model_defines_keywords_of_its_own),
        cmocka_unit_test(a_standard_keyword_can_be_defined_anew),
        cmocka_unit_test(a_name_with_dashes_is_the_one_with_underscores),
        cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(all_missing_parameters_are_listed),
        cmocka_unit_test(flags_that_exclude_each_other_are_refused),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
        cmocka_unit_test(files_may_name_one_another_but_not_in_a_circle),
        cmocka_unit_test(mistakes_of_all_files_are_listed),
        cmocka_unit_test(parameters_are_printed_as_a_file),
        cmocka_unit_test(nan_is_read_back_where_a_number_belongs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
