/* search_problems.c - functions to search on, with their spaces */
#include "search_problems.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"

#define PI 3.14159265358979323846
enum { MOST = 16 };

static double number(const struct value *point, const char *name)
{
    return value_number(value_get(point, str_of(name)));
}

static bool word_is(const struct value *point, const char *name,
                    const char *word)
{
    return str_is(value_text(value_get(point, str_of(name))), word);
}

/* The numbers x0, x1, … of a point. */
static size_t numbers(const struct value *point, double *x)
{
    require(point->count <= MOST);
    for (size_t i = 0; i < point->count; i++) {
        char name[24];
        snprintf(name, sizeof(name), "x%zu", i);
        x[i] = number(point, name);
    }
    return point->count;
}

static double branin(const struct value *point)
{
    double x[MOST] = {0};
    numbers(point, x);
    double b = 5.1 / (4 * PI * PI), c = 5 / PI, t = 1 / (8 * PI);
    double v = x[1] - b * x[0] * x[0] + c * x[0] - 6;
    return v * v + 10 * (1 - t) * cos(x[0]) + 10;
}

static double rosenbrock(const struct value *point)
{
    double x[MOST] = {0}, sum = 0;
    size_t n = numbers(point, x);
    for (size_t i = 0; i + 1 < n; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        sum += 100 * a * a + b * b;
    }
    return sum;
}

static double rastrigin(const struct value *point)
{
    static const double shift[] = {1.37, -2.21, 0.83, -1.69, 2.93};
    double x[MOST] = {0}, sum = 0;
    size_t n = numbers(point, x);
    for (size_t i = 0; i < n; i++) {
        double v = x[i] - shift[i];
        sum += 10 + v * v - 10 * cos(2 * PI * v);
    }
    return sum;
}

/* A stand-in for tuning a network. */
static double mixed(const struct value *p)
{
    static const struct {
        const char *name;
        double rate, base;
    } opts[] = {{"sgd", -1.2, 0.06},
                {"adam", -3.1, 0.02},
                {"lion", -3.9, 0},
                {"adagrad", -1.9, 0.15}};
    static const struct {
        const char *name;
        double base, depth;
    } acts[] = {{"relu", 0.03, 6}, {"gelu", 0, 8}, {"tanh", 0.08, 3}};
    size_t o = 0, a = 0;
    while (!word_is(p, "opt", opts[o].name))
        o++;
    while (!word_is(p, "act", acts[a].name))
        a++;
    double width = log2(number(p, "width"));
    double dl = number(p, "depth") - acts[a].depth;
    double dw = width - (8.3 - 0.15 * dl);
    double du = log10(number(p, "lr")) - (opts[o].rate - 0.25 * (width - 7));
    double y = opts[o].base + acts[a].base + 0.006 * dl * dl + 0.015 * dw * dw;
    y += 0.15 * fmin(du * du, 4) + 0.01 * (1 - cos(3 * PI * du));
    if (du > 1)
        y += 0.5 * (du - 1);
    if (o == 1 || o == 2)
        y += 0.02 * pow(log10(number(p, "wd")) + 4 - 0.5 * du, 2);
    else
        y += 0.05;
    if (a == 1)
        y += 0.04 * pow(log10(number(p, "temp")) + 0.7, 2);
    else if (a == 0)
        y += 0.01 * pow(log10(number(p, "temp")) - 0.5, 2);
    return y;
}

/* ---- the held-out ones ------------------------------------------------ */

static double shift_of(size_t i)
{
    return 0.6 * sin(1.7 * (double)i + 0.4);
}

/* Shifted, then mirrored at a hyperplane that no axis lies in, so that no
 * coordinate can be searched by itself. */
static size_t turned(const struct value *point, double *z)
{
    double v[MOST], along = 0, square = 0;
    size_t n = numbers(point, z);
    for (size_t i = 0; i < n; i++) {
        v[i] = 1 + 0.5 * cos(2.3 * (double)i);
        z[i] -= shift_of(i);
        along += v[i] * z[i];
        square += v[i] * v[i];
    }
    for (size_t i = 0; i < n; i++)
        z[i] -= 2 * along / square * v[i];
    return n;
}

static double ellipsoid(const struct value *point)
{
    double z[MOST] = {0}, sum = 0;
    size_t n = turned(point, z);
    for (size_t i = 0; i < n; i++)
        sum += pow(1e3, (double)i / (double)(n - 1)) * z[i] * z[i];
    return sum;
}

static double ackley(const struct value *point)
{
    double z[MOST] = {0}, squares = 0, waves = 0;
    size_t n = turned(point, z);
    for (size_t i = 0; i < n; i++) {
        squares += z[i] * z[i] / (double)n;
        waves += cos(2 * PI * z[i]) / (double)n;
    }
    return 20 - 20 * exp(-0.2 * sqrt(squares)) + exp(1) - exp(waves);
}

static double levy(const struct value *point)
{
    double x[MOST] = {0};
    size_t n = numbers(point, x);
    for (size_t i = 0; i < n; i++)
        x[i] = 1 + (x[i] - shift_of(i) - 1) / 4;
    double sum = pow(sin(PI * x[0]), 2);
    for (size_t i = 0; i + 1 < n; i++)
        sum += pow(x[i] - 1, 2) * (1 + 10 * pow(sin(PI * x[i] + 1), 2));
    double last = x[n - 1] - 1;
    return sum + last * last * (1 + pow(sin(2 * PI * x[n - 1]), 2));
}

/* The banana in another place, in fewer dimensions. */
static double banana(const struct value *point)
{
    double x[MOST] = {0}, sum = 0;
    size_t n = numbers(point, x);
    for (size_t i = 0; i < n; i++)
        x[i] -= shift_of(i);
    for (size_t i = 0; i + 1 < n; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        sum += 20 * a * a + b * b;
    }
    return sum;
}

static double hartmann(const struct value *point)
{
    static const double height[] = {1, 1.2, 3, 3.2};
    static const double a[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                   {0.05, 10, 17, 0.1, 8, 14},
                                   {3, 3.5, 1.7, 10, 17, 8},
                                   {17, 8, 0.05, 10, 0.1, 14}};
    static const double p[4][6] = {
        {0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
        {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
        {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
        {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
    double x[MOST] = {0}, sum = 0;
    numbers(point, x);
    for (size_t i = 0; i < 4; i++) {
        double inner = 0;
        for (size_t j = 0; j < 6; j++)
            inner += a[i][j] * pow(x[j] - p[i][j], 2);
        sum -= height[i] * exp(-inner);
    }
    return sum;
}

/* A stand-in for tuning boosted trees: the rate goes with the number of
 * rounds, leaves with depth, and one kind of booster has a rate of its own
 * that matters most of all to it. */
static double boosted(const struct value *p)
{
    double rate = log10(number(p, "rate")), rounds = log10(number(p, "rounds"));
    double depth = number(p, "depth"), part = number(p, "part");
    double work = rate + rounds - 1.2;
    double y = 0.08 * work * work + 0.01 * pow(depth - 7 + 2 * rate, 2);
    y += 0.3 * pow(part - 0.75, 2) + 0.02 * (1 - cos(8 * PI * (part - 0.75)));
    if (word_is(p, "kind", "dart"))
        y += 0.5 * pow(number(p, "drop") - 0.18, 2) - 0.03;
    else if (word_is(p, "kind", "linear"))
        y += 0.12;
    if (word_is(p, "grow", "leaf"))
        y += 0.015 * pow(log2(number(p, "leaves")) - 0.8 * depth, 2) - 0.02;
    return y + 0.05;
}

/* Whole numbers only, pairs of which belong together. */
static double stairs(const struct value *point)
{
    static const double at[] = {3, 7, 2, 8, 5, 1};
    double x[MOST] = {0}, sum = 0;
    size_t n = numbers(point, x);
    for (size_t i = 0; i < n; i++) {
        double off = x[i] - at[i], next = x[(i + 1) % n] - at[(i + 1) % n];
        sum += off * off + 2 * fabs(off + next);
    }
    return sum;
}

/* ---- nothing was chosen on these -------------------------------------- */

/* A plate that is bent ever more along one direction. */
static double zakharov(const struct value *point)
{
    double z[MOST] = {0}, squares = 0, along = 0;
    size_t n = numbers(point, z);
    for (size_t i = 0; i < n; i++) {
        z[i] -= shift_of(i);
        squares += z[i] * z[i];
        along += 0.5 * (double)(i + 1) * z[i];
    }
    return squares + along * along + along * along * along * along;
}

/* Two valleys in each coordinate, one a little deeper. */
static double styblinski(const struct value *point)
{
    double x[MOST] = {0}, sum = 0;
    size_t n = numbers(point, x);
    for (size_t i = 0; i < n; i++) {
        double q = x[i] * x[i];
        sum += (q * q - 16 * q + 5 * x[i]) / 2;
    }
    return sum;
}

/* Ripples on a wide bowl. */
static double griewank(const struct value *point)
{
    double z[MOST] = {0}, squares = 0, waves = 1;
    size_t n = turned(point, z);
    for (size_t i = 0; i < n; i++) {
        squares += z[i] * z[i] / 400;
        waves *= cos(z[i] / sqrt((double)(i + 1)));
    }
    return 1 + squares - waves;
}

/* Flat at the bottom: its bend vanishes there. */
static double powell(const struct value *point)
{
    double x[MOST] = {0}, sum = 0;
    size_t n = numbers(point, x);
    for (size_t i = 0; i < n; i++)
        x[i] -= shift_of(i);
    for (size_t i = 0; i + 3 < n; i += 4)
        sum += pow(x[i] + 10 * x[i + 1], 2) + 5 * pow(x[i + 2] - x[i + 3], 2) +
               pow(x[i + 1] - 2 * x[i + 2], 4) + 10 * pow(x[i] - x[i + 3], 4);
    return sum;
}

/* A stand-in for tuning a support vector machine. */
static double vectors(const struct value *p)
{
    double cost = log10(number(p, "cost")), y = 0;
    if (word_is(p, "kernel", "linear"))
        return 0.09 + 0.02 * pow(cost + 0.5, 2);
    double width = log10(number(p, "width"));
    if (word_is(p, "kernel", "poly"))
        y = 0.02 + 0.015 * pow(number(p, "degree") - 3, 2);
    y += 0.05 * pow(cost - 1.5 + 0.6 * (width + 2), 2);
    return y + 0.08 * fmin(pow(width + 2, 2), 3);
}

/* ---- spaces ----------------------------------------------------------- */

#define NUMBER(name, dist, low, high)                                          \
    "{\"name\":\"" name "\",\"distribution\":\"" dist "\",\"min\":" low        \
    ",\"max\":" high "}"
#define LOG(name, low, high, more)                                             \
    "{\"name\":\"" name "\",\"distribution\":\"log_uniform_values\","          \
    "\"min\":" low ",\"max\":" high more "}"
#define WHOLE_LOG(name, low, high, more)                                       \
    "{\"name\":\"" name "\",\"distribution\":\"q_log_uniform_values\","        \
    "\"min\":" low ",\"max\":" high ",\"q\":1" more "}"
#define WORDS(name, words)                                                     \
    "{\"name\":\"" name                                                        \
    "\",\"distribution\":\"categorical\",\"values\":[" words "]}"
#define WHEN(name, values)                                                     \
    ",\"when\":[{\"name\":\"" name "\",\"values\":[" values "]}]"

#define TWO(dist, low, high)                                                   \
    NUMBER("x0", dist, low, high) "," NUMBER("x1", dist, low, high)
#define FOUR(dist, low, high)                                                  \
    TWO(dist, low, high)                                                       \
    "," NUMBER("x2", dist, low, high) "," NUMBER("x3", dist, low, high)
#define FIVE(dist, low, high)                                                  \
    FOUR(dist, low, high) "," NUMBER("x4", dist, low, high)
#define SIX(dist, low, high)                                                   \
    FIVE(dist, low, high) "," NUMBER("x5", dist, low, high)
#define EIGHT(dist, low, high)                                                 \
    SIX(dist, low, high)                                                       \
    "," NUMBER("x6", dist, low, high) "," NUMBER("x7", dist, low, high)
#define TEN(dist, low, high)                                                   \
    EIGHT(dist, low, high)                                                     \
    "," NUMBER("x8", dist, low, high) "," NUMBER("x9", dist, low, high)

/* clang-format off */
#define MIXED(wd, temp)                                                        \
    WORDS("act", "\"relu\",\"gelu\",\"tanh\"") ","                             \
    NUMBER("depth", "int_uniform", "1", "12") ","                              \
    LOG("lr", "1e-6", "1", "") ","                                             \
    WORDS("opt", "\"sgd\",\"adam\",\"lion\",\"adagrad\"") ","                  \
    LOG("temp", "1e-3", "1e1", temp) ","                                       \
    LOG("wd", "1e-8", "1e-1", wd) ","                                          \
    WHOLE_LOG("width", "8", "1024", "")

const struct problem problems[] = {
    {"branin", true,
     NUMBER("x0", "uniform", "-5", "10") ","
     NUMBER("x1", "uniform", "0", "15"), branin, 0.39788735772973816},
    {"rosenbrock10", true, TEN("uniform", "-5", "10"), rosenbrock, 0},
    {"rastrigin5", true, FIVE("uniform", "-5.12", "5.12"), rastrigin, 0},
    {"mixed7", true, MIXED("", ""), mixed, 9.408523e-09},
    {"mixed7c", true,
     MIXED(WHEN("opt", "\"adam\",\"lion\""),
           WHEN("act", "\"relu\",\"gelu\"")), mixed, 9.408523e-09},
    {"hartmann6", false, SIX("uniform", "0", "1"), hartmann,
     -3.3223680114155},
    {"ellipsoid6", false, SIX("uniform", "-3", "4"), ellipsoid, 0},
    {"ackley8", false, EIGHT("uniform", "-6", "9"), ackley, 0},
    {"levy4", false, FOUR("uniform", "-8", "12"), levy, 0},
    {"banana5", false, FIVE("uniform", "-4", "5"), banana, 0},
    {"boosted7c", false,
     NUMBER("depth", "int_uniform", "2", "12") ","
     "{\"name\":\"drop\",\"distribution\":\"uniform\",\"min\":0,\"max\":1"
     WHEN("kind", "\"dart\"") "},"
     WORDS("grow", "\"level\",\"leaf\"") ","
     WORDS("kind", "\"tree\",\"dart\",\"linear\"") ","
     WHOLE_LOG("leaves", "4", "1024", WHEN("grow", "\"leaf\"")) ","
     NUMBER("part", "uniform", "0.2", "1") ","
     LOG("rate", "1e-3", "1", "") ","
     WHOLE_LOG("rounds", "10", "3000", ""), boosted, 0},
    {"zakharov5", false, FIVE("uniform", "-5", "8"), zakharov, 0},
    {"styblinski6", false, SIX("uniform", "-5", "5"), styblinski,
     -234.99699422262852},
    {"griewank4", false, FOUR("uniform", "-40", "60"), griewank, 0},
    {"powell8", false, EIGHT("uniform", "-4", "5"), powell, 0},
    {"vectors4c", false,
     LOG("cost", "1e-3", "1e4", "") ","
     "{\"name\":\"degree\",\"distribution\":\"int_uniform\",\"min\":2,"
     "\"max\":6" WHEN("kernel", "\"poly\"") "},"
     WORDS("kernel", "\"linear\",\"poly\",\"rbf\"") ","
     LOG("width", "1e-6", "1e2", WHEN("kernel", "\"poly\",\"rbf\"")),
     vectors, 0},
    {"stairs6", false, SIX("int_uniform", "0", "9"), stairs, 0},
    {"eight", false, EIGHT("uniform", "0", "1"), ellipsoid, 0},
};
/* clang-format on */
const size_t problem_count = sizeof(problems) / sizeof(*problems);

const struct problem *problem_find(const char *name)
{
    for (size_t i = 0; i < problem_count; i++)
        if (strcmp(problems[i].name, name) == 0)
            return &problems[i];
    return NULL;
}

struct value *problem_space_text(const struct problem *p, struct arena *a,
                                 struct err *err)
{
    char *text =
        arena_printf(a, "{\"version\":1,\"parameters\":[%s]}", p->parameters);
    return json_parse(a, str_of(text), "space", true, err);
}
