/* schedule_bench.c - training in which no fixed learning rate is right
 *
 *     schedule_bench METHOD FIRST LAST
 *
 * An error falls by steps, most where the learning rate is a third of it: so
 * the rate must fall as the error does, which only a method that changes
 * points on the way can learn. The space is mixed and conditional. Each seed
 * has 400 steps in all: pbt makes trials of one step, which go on from their
 * parents; any other method 20 trials of 20 steps. A line "200 seed error 0"
 * for each seed, as search_bench quality prints them: the least error of all.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "search/search.h"
#include "terms/state.h"

enum { STEPS = 400, LENGTH = 20 };

static const char space_text[] =
    "{\"version\":1,\"parameters\":["
    "{\"name\":\"lr\",\"distribution\":\"log_uniform_values\",\"min\":1e-6,"
    "\"max\":1},"
    "{\"name\":\"momentum\",\"distribution\":\"uniform\",\"min\":0,\"max\":1,"
    "\"when\":[{\"name\":\"opt\",\"values\":[\"sgd\"]}]},"
    "{\"name\":\"opt\",\"distribution\":\"categorical\","
    "\"values\":[\"sgd\",\"adam\"]}]}";

/* The error after one step more. */
static double step(double error, const struct value *point)
{
    double lr = value_number(value_get(point, STR("lr")));
    const struct value *momentum = value_get(point, STR("momentum"));
    double skill = momentum ? 0.5 + 0.5 * value_number(momentum) : 0.8;
    double off = log10(lr / (0.3 * error));
    if (off > 1) /* it overshoots */
        return error * (1 + 0.2 * (off - 1));
    return error * (1 - 0.6 * skill * exp(-2 * off * off));
}

static int run_one(const char *method, uint64_t seed, const struct space *space,
                   struct arena *a, struct err *err)
{
    bool grows = strcmp(method, "pbt") == 0;
    int64_t length = grows ? 1 : LENGTH;
    double errors[STEPS + 1], least = INFINITY;
    struct search_setup setup = {
        .space = space, .seed = seed, .minimize = true};
    struct search *s = search_open(method, &setup, err);
    int rc = s ? 0 : -1;
    for (int64_t k = 1; rc == 0 && k <= STEPS / length; k++) {
        struct suggestion got;
        if (search_ask(s, k, a, &got, err) != SEARCH_HERE) {
            rc = -1;
            break;
        }
        errors[k] = got.parent > 0 ? errors[got.parent] : 1;
        for (int64_t i = 0; i < length; i++)
            errors[k] = step(errors[k], got.point);
        least = fmin(least, errors[k]);
        struct result r = {.trial = k,
                           .point = got.point,
                           .state = STATE_DONE,
                           .value = errors[k]};
        search_tell(s, &r);
    }
    if (rc == 0)
        printf("200 %llu %.17g 0\n", (unsigned long long)seed, least);
    search_free(s);
    return rc;
}

int main(int argc, char **argv)
{
    struct arena *a = arena_new();
    struct err err = {0};
    struct space space;
    if (argc != 4) {
        fprintf(stderr, "usage: schedule_bench METHOD FIRST LAST\n");
        return 2;
    }
    const struct value *v =
        json_parse(a, str_of(space_text), "space", true, &err);
    int rc = v ? space_from_value(&space, v, a, &err) : -1;
    uint64_t last = strtoull(argv[3], NULL, 10);
    for (uint64_t seed = strtoull(argv[2], NULL, 10); !rc && seed <= last;
         seed++)
        rc = run_one(argv[1], seed, &space, a, &err);
    if (rc)
        fprintf(stderr, "schedule_bench: %s\n", err.text);
    arena_free(a);
    return rc ? 1 : 0;
}
