/* test_space.c - CANDLE's search spaces as the space of a study */
#include "../plan/plan_test.h"

#define STUDY "command: [echo]\nmethod: random\nrun_cap: 1\n"

/* A study whose parameters_file has that name and text. */
static void read_space(struct reading_test *t, const char *file,
                       const char *text, const char *more)
{
    struct test_file files[] = {{file, text}, {NULL, NULL}};
    struct buf study;

    buf_init(&study);
    buf_addf(&study, "command: [echo]\nparameters_file: %s\n%s", file, more);
    test_read_str(t, buf_str(&study), "study.yaml", files);
    buf_done(&study);
}

/* The file's parameters, as a study file would say them, sorted. */
static void becomes(const char *file, const char *text, const char *expected)
{
    struct reading_test t;
    struct buf b;

    read_space(&t, file, text, "method: random\nrun_cap: 1\n");
    if (!t.plan)
        fail_msg("refused:\n%s\nof:\n%s", t.said.p, text);
    assert_non_null(t.plan->space_file);
    buf_init(&b);
    json_print_sorted(&b, t.plan->space_file->parameters);
    assert_string_equal(b.p, expected);
    assert_int_equal(t.plan->space.count,
                     t.plan->space_file->parameters->count);
    buf_done(&b);
    test_done(&t);
}

/* It is refused, and exactly this is said. */
static void refused(const char *file, const char *text, const char *said)
{
    struct reading_test t;

    read_space(&t, file, text, "method: random\nrun_cap: 1\n");
    assert_null(t.plan);
    assert_string_equal(t.said.p, said);
    test_done(&t);
}

/* ---- GA and PBT ------------------------------------------------------- */

#define GA "space.json"

static void every_type_of_a_ga_space_is_read(void **state)
{
    (void)state;
    becomes(GA,
            "[{\"name\": \"a\", \"type\": \"constant\", \"value\": \"x y\"},\n"
            " {\"name\": \"b\", \"type\": \"int\", \"lower\": 1, \"upper\": 5},"
            " {\"name\": \"c\", \"type\": \"float\", \"lower\": 0,"
            " \"upper\": 10},"
            " {\"name\": \"d\", \"type\": \"logical\"},"
            " {\"name\": \"e\", \"type\": \"categorical\","
            " \"element_type\": \"string\", \"values\": [\"p\", \"q\"]},"
            " {\"name\": \"f\", \"type\": \"ordered\","
            " \"element_type\": \"int\", \"values\": [16, \"32\", 64.0]}]",
            "{\"a\":{\"value\":\"x y\"},"
            "\"b\":{\"distribution\":\"int_uniform\",\"max\":5,\"min\":1},"
            "\"c\":{\"distribution\":\"uniform\",\"max\":10,\"min\":0},"
            "\"d\":{\"values\":[false,true]},\"e\":{\"values\":[\"p\",\"q\"]},"
            "\"f\":{\"ordered\":true,\"values\":[16,32,64]}}");
}

static void equal_bounds_and_single_values_are_constants(void **state)
{
    (void)state;
    becomes(GA,
            "[{\"name\": \"a\", \"type\": \"int\", \"lower\": 200, "
            "\"upper\": 200, \"sigma\": 20},"
            "{\"name\": \"b\", \"type\": \"ordered\", \"values\": [7]}]",
            "{\"a\":{\"value\":200},\"b\":{\"value\":7}}");
}

static void options_are(const char *file, const char *text, const char *more,
                        const char *expected)
{
    struct reading_test t;
    struct buf b;

    read_space(&t, file, text, more);
    if (!t.plan)
        fail_msg("refused:\n%s", t.said.p);
    buf_init(&b);
    if (t.plan->method_options)
        json_print_sorted(&b, t.plan->method_options);
    assert_string_equal(b.p, expected);
    buf_done(&b);
    test_done(&t);
}

static void sigma_goes_to_method_ga_and_to_no_other(void **state)
{
    static const char text[] =
        "[{\"name\": \"a\", \"type\": \"float\", \"lower\": 0, \"upper\": 1, "
        "\"sigma\": \"0.000495\"},"
        "{\"name\": \"b\", \"type\": \"int\", \"lower\": 0, \"upper\": 20},"
        "{\"name\": \"c\", \"type\": \"ordered\", \"values\": [1, 2, 4, 8]},"
        "{\"name\": \"d\", \"type\": \"categorical\", \"values\": [1, 2]}]";

    (void)state;
    options_are(GA, text, "method: ga\nrun_cap: 9\nmetric: {name: m}\n",
                "{\"sigma\":{\"a\":0.000495,\"b\":2.0,\"c\":0.4}}");
    options_are(
        GA, text,
        "method: ga\nrun_cap: 9\nmetric: {name: m}\nga: {population: 4, sigma: "
        "{b: 3}}\n",
        "{\"population\":4,\"sigma\":{\"a\":0.000495,\"b\":3,\"c\":0.4}}");
    options_are(GA, text, "method: random\nrun_cap: 9\n", "");
}

static void mistakes_of_a_ga_space_are_at_their_places(void **state)
{
    (void)state;
    refused(GA,
            "[\n  {\"name\": \"a\", \"type\": \"flaot\",\n"
            "   \"lower\": 1, \"upper\": 2}]",
            "space.json:2:25: error: type cannot be 'flaot' (did you mean "
            "'float'?)\n");
    refused(GA,
            "[{\"name\": \"a\", \"type\": \"int\", \"lower\": 5,\n"
            "\"upper\": 2}]",
            "space.json:1:40: error: parameter 'a': lower is above upper "
            "(exchange them)\n");
    refused(GA, "[{\"name\": \"a\", \"type\": \"int\", \"lower\": 5}]",
            "space.json:1:2: error: parameter 'a' lacks its upper\n");
    refused(GA,
            "[{\"name\": \"a\", \"type\": \"int\", \"lower\": 0.5, "
            "\"upper\": 2}]",
            "space.json:1:40: error: parameter 'a': a bound of type int must "
            "be a whole number, not 0.5 (or write \"type\": \"float\")\n");
    refused(GA,
            "[{\"name\": \"a\", \"type\": \"categorical\", "
            "\"element_type\": \"int\", \"values\": [1, \"x\"]}]",
            "space.json:1:76: error: parameter 'a': 'x' is not of "
            "element_type int\n");
    refused(GA,
            "[{\"name\": \"a\", \"type\": \"logical\"},\n"
            " {\"name\": \"a\", \"type\": \"logical\"}]",
            "space.json:2:11: error: the parameter 'a' stands in this space "
            "twice (leave one of them out)\n");
    refused(GA, "[{\"name\": \"a\", \"type\": \"logical\"},\n 7]",
            "space.json:2:2: error: a parameter must be an object (as in "
            "{\"name\": \"epochs\", \"type\": \"int\", \"lower\": 1, "
            "\"upper\": 5})\n");
    refused(GA, "[{\"name\": \"a b\", \"type\": \"logical\"}]",
            "space.json:1:2: error: 'a b' cannot be the name of a parameter "
            "(letters, digits and _ . - after a letter or _)\n");
}

static void broken_json_is_refused_at_its_place(void **state)
{
    struct reading_test t;

    (void)state;
    read_space(&t, GA,
               "[\n {\"name\": \"a\", \"type\": \"int\",\n  \"lower\": }]",
               "method: random\n");
    assert_null(t.plan);
    assert_non_null(strstr(t.said.p, "space.json:3:12: error: "));
    test_done(&t);
}

static void keys_that_nearly_mean_something_are_warned_of(void **state)
{
    struct reading_test t;

    (void)state;
    read_space(&t, GA,
               "[{\"name\": \"a\", \"type\": \"int\", \"lower\": 0,\n"
               "\"upper\": 3, \"sgima\": 1, \"comment\": \"any\"}]",
               "method: random\nrun_cap: 1\n");
    assert_non_null(t.plan);
    assert_string_equal(t.said.p,
                        "space.json:2:13: warning: parameter 'a': 'sgima' "
                        "means nothing for type int (did you mean "
                        "'sigma'?)\n");
    test_done(&t);
}

/* ---- settings --------------------------------------------------------- */

static void settings_without_samples_are_a_grid(void **state)
{
    struct reading_test t;

    (void)state;
    read_space(&t, "settings.json",
               "{\"parameters\": {\"epochs\": [4, 6, 8], \"n\": [3]}}", "");
    assert_non_null(t.plan);
    assert_string_equal(t.said.p, "");
    assert_true(str_is(t.plan->method, "grid"));
    assert_int_equal(space_grid_count(&t.plan->space, NULL), 3);
    test_done(&t);
}

static void settings_with_samples_are_random_points(void **state)
{
    struct reading_test t;

    (void)state;
    read_space(&t, "settings.json",
               "{\"parameters\": {\"a\": [4, 8], \"b\": [0.1, 1], \"c\": [2]}, "
               "\"samples\": {\"num\": [5]}}",
               "");
    assert_non_null(t.plan);
    assert_true(str_is(t.plan->method, "random"));
    assert_int_equal(t.plan->run_cap, 5);
    assert_int_equal(t.plan->space.params[0].dist, DIST_INT_UNIFORM);
    assert_int_equal(t.plan->space.params[1].dist, DIST_UNIFORM);
    assert_int_equal(t.plan->space.params[2].dist, DIST_CONSTANT);
    test_done(&t);
    read_space(&t, "settings.json",
               "{\"samples\": {\"num\": 5}, \"parameters\": {\"a\": [4, 8]}}",
               "run_cap: 7\n");
    assert_int_equal(t.plan->run_cap, 7);
    test_done(&t);
}

static void
settings_with_samples_are_a_grid_where_the_study_says_so(void **state)
{
    struct reading_test t;

    (void)state;
    read_space(&t, "settings.json",
               "{\"parameters\": {\"a\": [4, 6, 8], \"b\": [0.1, 1]}, "
               "\"samples\": {\"num\": [5]}}",
               "method: grid\n");
    assert_non_null(t.plan);
    assert_string_equal(t.said.p,
                        "settings.json:1:60: notice: method grid takes every "
                        "value of the lists; samples are of the random "
                        "workflow\n");
    assert_int_equal(space_grid_count(&t.plan->space, NULL), 6);
    assert_int_equal(t.plan->run_cap, 0);
    test_done(&t);
}

static void mistakes_of_settings_are_at_their_places(void **state)
{
    (void)state;
    refused("s.json", "{\"parameters\": {\n \"a\": 4}}",
            "s.json:2:7: error: the setting 'a' must be a list with something "
            "in it, not 4 (as in [1, 2, 4])\n");
    refused("s.json",
            "{\"parameters\": {\"a\": [1, 2, 3]}, \"samples\": {\"num\": 2}}",
            "s.json:1:22: error: the setting 'a' must be the lowest and the "
            "highest number (with samples the lists are bounds, as in "
            "[1, 10]; say method: grid for lists of values)\n");
}

/* ---- R ---------------------------------------------------------------- */

static void an_r_space_is_parsed(void **state)
{
    (void)state;
    becomes("space.R",
            "# a comment\nlibrary(ParamHelpers)\n"
            "param.set <- makeParamSet(\n"
            "  makeDiscreteParam(\"o\", values=c(\"adam\", 'sgd')),\n"
            "  makeDiscreteParam(\"n\", values = c(2, 8L, 0x20)), # here too\n"
            "  makeDiscreteParam(\"r\", values = c(1e-3, 1)),\n"
            "  makeDiscreteParam(\"s\", values = 3:5),\n"
            "  makeDiscreteParam(\"t\", values = c(TRUE, F)),\n"
            "  makeIntegerParam(\"b\", lower=5, upper=7, trafo=function(x) "
            "2L^x),\n"
            "  ParamHelpers::makeIntegerParam(\"e\", 2L, 4L),\n"
            "  makeNumericParam(id = \"l\", upper=-1, lower = -3, trafo = "
            "\\(y) { (10^y) }),\n"
            "  makeNumericParam(\"d\", 0, .9, default = 0.5)\n)\n",
            "{\"b\":{\"ordered\":true,\"values\":[32,64,128]},"
            "\"d\":{\"distribution\":\"uniform\",\"max\":0.9,\"min\":0},"
            "\"e\":{\"distribution\":\"int_uniform\",\"max\":4,\"min\":2},"
            "\"l\":{\"distribution\":\"log_uniform_values\",\"max\":0.1,"
            "\"min\":0.001},"
            "\"n\":{\"values\":[2,8,32]},\"o\":{\"values\":[\"adam\",\"sgd\"]},"
            "\"r\":{\"values\":[0.001,1.0]},\"s\":{\"values\":[3,4,5]},"
            "\"t\":{\"values\":[true,false]}}");
}

static void names_first_then_places_as_in_r(void **state)
{
    (void)state;
    becomes("s.R", "makeParamSet(makeIntegerParam(lower = 2, \"a\", 4))",
            "{\"a\":{\"distribution\":\"int_uniform\",\"max\":4,\"min\":2}}");
    refused("s.R", "makeParamSet(makeIntegerParam(\"a\", 1, 2, 3))",
            "s.R:1:42: error: makeIntegerParam has too many arguments without "
            "a name (name the arguments, as in lower = 1)\n");
    refused("s.R",
            "makeParamSet(\n makeDiscreteParam(\"a\", values = c(1, 2),\n"
            " makeDiscreteParam(\"b\", values = 3))",
            "s.R:3:2: error: makeDiscreteParam has too many arguments without "
            "a name (is a ) missing before it?)\n");
}

static void r_spaces_are_known_without_their_ending(void **state)
{
    (void)state;
    becomes("space.txt", "# x\nmakeParamSet(makeIntegerParam('a', 1, 2))",
            "{\"a\":{\"distribution\":\"int_uniform\",\"max\":2,\"min\":1}}");
}

static void logical_parameters_of_r_are_false_or_true(void **state)
{
    (void)state;
    becomes("s.R",
            "makeParamSet(makeLogicalParam('a'),\n"
            "  makeLogicalParam(id = \"b\", default = TRUE))",
            "{\"a\":{\"values\":[false,true]},"
            "\"b\":{\"values\":[false,true]}}");
}

static void what_r_has_besides_is_refused_at_its_place(void **state)
{
    static const char *const list[][2] = {
        {"x <- 5\n", "s.R:1:6: error: expected makeParamSet before 5 (as in "
                     "param.set <- makeParamSet(…))\n"},
        {"makeParamSet(\n  makeFunctionParam(\"a\"))",
         "s.R:2:3: error: makeFunctionParam is not read here (did you "
         "mean makeNumericParam?)\n"},
        {"makeParamSet(makeLogicalParam(\"a\", values = c(TRUE)))",
         "s.R:1:36: error: the argument 'values' of makeLogicalParam is not "
         "read here (read are id, lower, upper, values and trafo)\n"},
        {"makeParamSet(makeNumericVectorParam(\"a\", len = 2))",
         "s.R:1:14: error: makeNumericVectorParam is not read here (did you "
         "mean "
         "makeNumericParam?)\n"},
        {"makeParamSet(makeNumericParam(\"a\", lower = 10 ^ -5, upper = 1))",
         "s.R:1:47: error: nothing is calculated here: ^ (write the result of "
         "the calculation)\n"},
        {"makeParamSet(makeNumericParam(\"a\", lower = log(2), upper = 1))",
         "s.R:1:44: error: log is not among what is read here: numbers, "
         "texts, TRUE, FALSE, c(), list() and a:b (nothing in the file is "
         "run: write the value itself)\n"},
        {"makeParamSet(makeNumericParam(\"a\", 0, 1, trafo = function(x) "
         "sqrt(x)))",
         "s.R:1:62: error: a trafo is read only as a number to the power of "
         "its argument; here is sqrt (as in trafo = function(x) 2^x)\n"},
        {"makeParamSet(makeNumericParam(\"a\", 0, 1, trafo = function(x) "
         "2^x + 1))",
         "s.R:1:66: error: a trafo is read only as a number to the power of "
         "its argument; here is + (as in trafo = function(x) 2^x)\n"},
        {"makeParamSet(makeNumericParam(\"a\", 0, 1,\n requires = quote(b == "
         "1)))",
         "s.R:2:2: error: the argument 'requires' of makeNumericParam is not "
         "read here (read are id, lower, upper, values and trafo)\n"},
        {"makeParamSet(makeIntegerParam(\"a\", lower = 1, upper = 2)\n"
         "makeIntegerParam(\"b\", lower = 1, upper = 2))",
         "s.R:2:1: error: expected , before makeIntegerParam\n"},
        {"makeParamSet(makeIntegerParam(\"a\", lower = 1, upper = 2),\n)",
         "s.R:2:1: error: expected a parameter before ) (read are "
         "makeDiscreteParam, makeIntegerParam, makeNumericParam and "
         "makeLogicalParam)\n"},
        {"makeParamSet(makeIntegerParam(\"a\", lower = 1.5, upper = 2))",
         "s.R:1:44: error: lower of makeIntegerParam must be a whole number "
         "(as in lower = 1, upper = 10)\n"},
        {"makeParamSet(makeIntegerParam(\"a\", lower = 3, upper = 2))",
         "s.R:1:44: error: lower is above upper (exchange them)\n"},
        {"makeParamSet(makeIntegerParam(\"a\", lower = 3, upper = 99, trafo = "
         "function(x) 2^x))",
         "s.R:1:55: error: 2 to this power is too large (bounds of a "
         "parameter with a trafo are exponents)\n"},
        {"makeParamSet(makeDiscreteParam(\"a\", values = c(\"x\", \"y)))",
         "s.R:1:53: error: the text that begins here has no end\n"},
        {"makeParamSet(makeDiscreteParam(\"a\", values = c(u = 1)))",
         "s.R:1:48: error: values with names, and other calls, are not read "
         "here: u (write the values alone)\n"},
        {"makeParamSet(makeDiscreteParam(\"a\"))",
         "s.R:1:14: error: makeDiscreteParam needs values (as in values = "
         "c(\"adam\", \"sgd\"))\n"},
        {"makeParamSet(makeIntegerParam(\"a\", 1, 2))\nmakeParamSet()",
         "s.R:2:1: error: there is a makeParamSet before this one (put all "
         "parameters into one)\n"},
        {"# nothing\n", "s.R: error: there is no makeParamSet in the file (as "
                        "in param.set <- makeParamSet(…))\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        refused("s.R", list[i][0], list[i][1]);
}

/* ---- HyperSpace ------------------------------------------------------- */

static void tuples_become_dimensions(void **state)
{
    (void)state;
    becomes("dims.py",
            "# of the model\nhyperparameters = [(2, 10), (0.1, 1),\n"
            " (1e-4, 1, 'log-uniform'), (1, 5, 'uniform'), # more\n"
            " ('relu', 'tanh'), (1, 2, 3), (True, False), [4, 5, 6, 7],"
            " ('one',), (3, 3)]\n",
            "{\"x0\":{\"distribution\":\"int_uniform\",\"max\":10,\"min\":2},"
            "\"x1\":{\"distribution\":\"uniform\",\"max\":1,\"min\":0.1},"
            "\"x2\":{\"distribution\":\"log_uniform_values\",\"max\":1,"
            "\"min\":0.0001},"
            "\"x3\":{\"distribution\":\"uniform\",\"max\":5,\"min\":1},"
            "\"x4\":{\"values\":[\"relu\",\"tanh\"]},"
            "\"x5\":{\"values\":[1,2,3]},\"x6\":{\"values\":[true,false]},"
            "\"x7\":{\"values\":[4,5,6,7]},\"x8\":{\"value\":\"one\"},"
            "\"x9\":{\"value\":3}}");
    becomes("dims.txt", "{'lr': (0.1, 1.0), \"n\": (1, 4)}",
            "{\"lr\":{\"distribution\":\"uniform\",\"max\":1.0,\"min\":0.1},"
            "\"n\":{\"distribution\":\"int_uniform\",\"max\":4,\"min\":1}}");
    becomes("dims.json", "[[1, 4], [0.5, 1]]",
            "{\"x0\":{\"distribution\":\"int_uniform\",\"max\":4,\"min\":1},"
            "\"x1\":{\"distribution\":\"uniform\",\"max\":1,\"min\":0.5}}");
}

/* Of other spaces each parameter is halved on its own scale. */
static void tuples_are_halved_as_hyperspace_does(void **state)
{
    static const char text[] = "[(1e-4, 1, 'log-uniform'), (1, 5)]";

    (void)state;
    options_are("dims.py", text,
                "method: hyperspace\nrun_cap: 9\nmetric: {name: m}\n",
                "{\"scale\":\"linear\"}");
    options_are("dims.py", text,
                "method: hyperspace\nrun_cap: 9\nmetric: {name: m}\n"
                "hyperspace: {phi: 0.5, scale: own}\n",
                "{\"phi\":0.5,\"scale\":\"own\"}");
    options_are("dims.py", text, "method: random\nrun_cap: 9\n", "");
    options_are(GA,
                "[{\"name\": \"b\", \"type\": \"int\", \"lower\": 0, "
                "\"upper\": 20}]",
                "method: hyperspace\nrun_cap: 9\nmetric: {name: m}\n", "");
}

static void mistakes_of_tuples_are_at_their_places(void **state)
{
    struct reading_test t;

    (void)state;
    refused("d.py", "[(1, 2),\n (5, 3)]",
            "d.py:2:2: error: the bounds of a dimension are the wrong way "
            "round (write the lower bound first)\n");
    refused("d.py", "[(1, 2),\n 7]",
            "d.py:2:2: error: a dimension must be a tuple with something in "
            "it, not 7 (as in (2, 10), (1e-4, 0.1, 'log-uniform') or ('a', "
            "'b'))\n");
    refused("d.py", "[(1, 2, 'normal')]",
            "d.py:1:9: error: the prior of a dimension cannot be 'normal' "
            "(one of: uniform, log-uniform)\n");
    refused("d.py", "[(0, 2, 'log-uniform')]",
            "d.py:1:3: error: parameter 'x0': min of log_uniform_values must "
            "be above 0, not 0\n");
    read_space(&t, "d.py", "x = [(1, 2),\n (10.0*2, 1)]", "method: random\n");
    assert_null(t.plan);
    assert_non_null(strstr(t.said.p, "d.py:2:7: error: "));
    test_done(&t);
    refused("d.py", "x = [(1, 2),\n (10.0**x, 1)]",
            "d.py:2:7: error: a power must be a number (as in 10.0**-2)\n");
}

static void powers_of_numbers_are_numbers_in_a_space(void **state)
{
    (void)state;
    becomes("d.py", "[(10.0**-2, 10 ** 2), (-2**2, 2**3), ('a', 'b**c')]",
            "{\"x0\":{\"distribution\":\"uniform\",\"max\":100,"
            "\"min\":0.01},"
            "\"x1\":{\"distribution\":\"int_uniform\",\"max\":8,\"min\":-4},"
            "\"x2\":{\"values\":[\"a\",\"b**c\"]}}");
}

static void a_problem_of_skopt_is_read_line_by_line(void **state)
{
    static const char text[] =
        "from collections import OrderedDict\n"
        "import os\n"
        "os.environ['X'] = 'y'\n"
        "class Problem():\n"
        "    def __init__(self):\n"
        "        space = OrderedDict()\n"
        "        # space['gone'] = (1, 2)\n"
        "        space['epochs'] = (5, 500)  # a range\n"
        "        space[\"lr\"] = (10.0**-4, 1e-1, 'log-uniform')\n"
        "        space['optimizer'] = ['sgd',  # two\n"
        "                              'adam']\n"
        "        space['aug'] = [False, True]\n"
        "        self.space = space\n"
        "        self.starting_point = [5, 1e-4, 'sgd', False]\n"
        "if space['epochs'] == (1, 2):\n    pass\n";

    (void)state;
    becomes("Problem.py", text,
            "{\"aug\":{\"values\":[false,true]},"
            "\"epochs\":{\"distribution\":\"int_uniform\",\"max\":500,"
            "\"min\":5},"
            "\"lr\":{\"distribution\":\"log_uniform_values\",\"max\":0.1,"
            "\"min\":0.0001},"
            "\"optimizer\":{\"values\":[\"sgd\",\"adam\"]}}");
    refused("Problem.py", "space['a'] = (1, 2)\nspace['b'] = range(3)\n",
            "Problem.py:2:14: error: an expression where a literal belongs: "
            "range(3) (write the result; nothing is evaluated)\n");
    refused("Problem.py", "space['a'] = (1, 2)\n  space['a'] = (9,\n  3)\n",
            "Problem.py:2:16: error: the bounds of a dimension are the wrong "
            "way round (write the lower bound first)\n");
}

/* ---- parameter files -------------------------------------------------- */

static void a_parameter_file_is_constants(void **state)
{
    struct reading_test t;

    (void)state;
    becomes("nt3.txt",
            "# NT3\n[Global_Params]\nepochs = 4 # few\ndense=[200, 20]\n"
            "loss = 'mse'\n",
            "{\"dense\":{\"value\":[200,20]},\"epochs\":{\"value\":4},"
            "\"loss\":{\"value\":\"mse\"}}");
    read_space(&t, "nt3.txt", "[global]\nepochs = 4\nlr = 0.1\n",
               "parameters: {lr: {values: [1, 2]}}\n");
    assert_non_null(t.plan);
    assert_true(str_is(t.plan->method, "grid"));
    assert_int_equal(space_grid_count(&t.plan->space, NULL), 2);
    test_done(&t);
    refused("nt3.txt", "[g]\nepochs = 2*2\n",
            "nt3.txt:2:11: error: epochs: an expression where a literal "
            "belongs: 2*2 (write the result; nothing is evaluated)\n");
}

/* ---- with a study ----------------------------------------------------- */

#define ONE "[{\"name\": \"a\", \"type\": \"int\", \"lower\": 1, \"upper\": 9}]"

static void the_study_may_add_and_replace_parameters(void **state)
{
    struct reading_test t;

    (void)state;
    read_space(&t, GA, ONE,
               "method: random\nrun_cap: 1\nparameters: {b: {values: [1, 2]}, "
               "a: {value: 5}}\n");
    assert_non_null(t.plan);
    assert_int_equal(t.plan->space.count, 2);
    assert_int_equal(t.plan->space.params[0].dist, DIST_CONSTANT);
    assert_int_equal(t.plan->space.params[1].dist, DIST_CATEGORICAL);
    test_done(&t);
}

static void a_late_fault_names_the_space_file(void **state)
{
    struct reading_test t;

    (void)state;
    read_space(&t, GA,
               "[\n {\"name\": \"a\", \"type\": \"float\", \"lower\": 0, "
               "\"upper\": 1}]",
               "method: grid\n");
    assert_null(t.plan);
    assert_non_null(strstr(t.said.p, "space.json:2:2: error: parameter 'a' "
                                     "cannot be in a grid"));
    test_done(&t);
}

static void a_space_is_no_list_for_method_points(void **state)
{
    struct reading_test t;

    (void)state;
    read_space(&t, GA, ONE, "method: points\n");
    assert_null(t.plan);
    assert_non_null(strstr(t.said.p, "study.yaml:2:18: error: 'space.json' "
                                     "holds a space, and method points needs "
                                     "a list"));
    test_done(&t);
}

static void points_names_a_space_too(void **state)
{
    struct test_file files[] = {{GA, ONE}, {NULL, NULL}};
    struct reading_test t;

    (void)state;
    test_read_str(&t, STR(STUDY "points: space.json\n"), "study.yaml", files);
    assert_non_null(t.plan);
    assert_null(t.plan->points);
    assert_int_equal(t.plan->space.count, 1);
    test_done(&t);
}

static void a_list_may_stand_beside_a_space(void **state)
{
    struct test_file files[] = {
        {GA, ONE}, {"start.csv", "a\n3\n12\n"}, {NULL, NULL}};
    struct reading_test t;

    (void)state;
    test_read_str(&t,
                  STR("command: [echo]\nmethod: ga\nrun_cap: 5\nmetric: {name: "
                      "m}\npoints: start.csv\nparameters_file: space.json\n"),
                  "study.yaml", files);
    assert_non_null(t.plan);
    assert_int_equal(plan_points_count(t.plan->points), 2);
    assert_int_equal(t.plan->space.count, 1);
    assert_string_equal(t.said.p,
                        "space.json:1:2: warning: point 2 of the list has 12 "
                        "for parameter 'a', which is outside of it\n");
    test_done(&t);
    test_read_str(&t,
                  STR("command: [echo]\npoints: space.json\n"
                      "parameters_file: space.json\n"),
                  "study.yaml", files);
    assert_non_null(strstr(t.said.p, "study.yaml:3:18: error: points and "
                                     "parameters_file both name a space"));
    test_done(&t);
}

static void lists_of_points_stay_lists(void **state)
{
    static const char *const texts[] = {
        "[{\"a\": 1}, {\"a\": 2}]", "{\"a\": 1}\n{\"a\": 2}\n",
        "[{\"name\": \"x\", \"type\": \"resnet\"}]",
        "{\"parameters\": {\"a\": 1}, \"id\": 3}\n",
        "{\"parameters\": {\"a\": 1}}\n{\"parameters\": {\"a\": 2}}\n"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct reading_test t;

        read_space(&t, "list.json", texts[i], "");
        if (!t.plan)
            fail_msg("%s", t.said.p);
        assert_null(t.plan->space_file);
        assert_non_null(t.plan->points);
        test_done(&t);
    }
}

static void an_absent_file_is_named_once(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_str(&t, STR("command: [echo]\npoints: no.json\nmethod: grid\n"),
                  "study.yaml", NULL);
    assert_null(t.plan);
    assert_string_equal(t.said.p, "study.yaml:2:9: error: cannot read no.json: "
                                  "no such file\n");
    test_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_a_ga_space_is_read),
        cmocka_unit_test(equal_bounds_and_single_values_are_constants),
        cmocka_unit_test(sigma_goes_to_method_ga_and_to_no_other),
        cmocka_unit_test(mistakes_of_a_ga_space_are_at_their_places),
        cmocka_unit_test(broken_json_is_refused_at_its_place),
        cmocka_unit_test(keys_that_nearly_mean_something_are_warned_of),
        cmocka_unit_test(settings_without_samples_are_a_grid),
        cmocka_unit_test(settings_with_samples_are_random_points),
        cmocka_unit_test(
            settings_with_samples_are_a_grid_where_the_study_says_so),
        cmocka_unit_test(mistakes_of_settings_are_at_their_places),
        cmocka_unit_test(logical_parameters_of_r_are_false_or_true),
        cmocka_unit_test(powers_of_numbers_are_numbers_in_a_space),
        cmocka_unit_test(a_problem_of_skopt_is_read_line_by_line),
        cmocka_unit_test(an_r_space_is_parsed),
        cmocka_unit_test(names_first_then_places_as_in_r),
        cmocka_unit_test(r_spaces_are_known_without_their_ending),
        cmocka_unit_test(what_r_has_besides_is_refused_at_its_place),
        cmocka_unit_test(tuples_become_dimensions),
        cmocka_unit_test(tuples_are_halved_as_hyperspace_does),
        cmocka_unit_test(mistakes_of_tuples_are_at_their_places),
        cmocka_unit_test(a_parameter_file_is_constants),
        cmocka_unit_test(the_study_may_add_and_replace_parameters),
        cmocka_unit_test(a_late_fault_names_the_space_file),
        cmocka_unit_test(a_space_is_no_list_for_method_points),
        cmocka_unit_test(points_names_a_space_too),
        cmocka_unit_test(a_list_may_stand_beside_a_space),
        cmocka_unit_test(lists_of_points_stay_lists),
        cmocka_unit_test(an_absent_file_is_named_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
