/* num_bench.c - what reading and printing a number costs, beside the C library
 *
 * The library's side of printing is the shortest digits that read back, too:
 * the first of %.15g, %.16g and %.17g that does. CPU time of the quickest
 * round, in ns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/err.h"
#include "base/num.h"
#include "base/rng.h"

enum { NUMBERS = 20000, ROUNDS = 11 };

struct sample {
    double value;
    char text[32];
    size_t len;
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double sum; /* of what was done, so that it is */
static struct buf printed;

static void read_ours(const struct sample *s)
{
    double d = 0;
    num_double(str_n(s->text, s->len), &d);
    sum += d;
}

static void read_library(const struct sample *s)
{
    sum += strtod(s->text, NULL);
}

static void print_ours(const struct sample *s)
{
    buf_reset(&printed);
    num_print(&printed, s->value);
    sum += (double)printed.len;
}

static void print_library(const struct sample *s)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, s->value);
        if (strtod(text, NULL) == s->value)
            break;
    }
    sum += (double)strlen(text);
}

static double measure(const struct sample *list,
                      void (*each)(const struct sample *s))
{
    double least = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double from = now_ns();
        for (int i = 0; i < NUMBERS; i++)
            each(&list[i]);
        least = fmin(least, (now_ns() - from) / NUMBERS);
    }
    return least;
}

int main(void)
{
    struct sample *list = xcalloc(NUMBERS, sizeof(*list));
    struct rng r;
    buf_init(&printed);
    rng_init(&r, 1, 0, "numbers");
    for (int i = 0; i < NUMBERS; i++) {
        list[i].value = rng_uniform(&r);
        list[i].len = (size_t)snprintf(list[i].text, sizeof(list[i].text),
                                       "%.17g", list[i].value);
    }
    printf("reading 17 digits %.0f ns, strtod %.0f\n", measure(list, read_ours),
           measure(list, read_library));
    printf("printing the shortest that read back %.0f ns, printf %.0f\n",
           measure(list, print_ours), measure(list, print_library));
    buf_done(&printed);
    free(list);
    return sum > 0 ? 0 : 1;
}
