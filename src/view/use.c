/* use.c - what attempts had of devices, for people and programs */
#include <math.h>
#include <string.h>
#include "base/num.h"
#include "base/strict_json.h"
#include "terms/device.h"
#include "view/view.h"

#define LATELY 1000 /* trials */

void use_words(struct buf *b, const struct use *u)
{
    if (u->device[0] && strcmp(u->device, devices[0].name) != 0)
        buf_addf(b, ", device %s", u->device);
    if (u->gpu_bytes) {
        buf_adds(b, ", ");
        num_print_bytes(b, u->gpu_bytes);
        buf_adds(b, " of a GPU");
    }
    if (u->joules > 0) {
        buf_adds(b, ", ");
        num_print_short(b, u->joules, 3);
        buf_adds(b, " J of a GPU, by time");
    }
}

static void amount(struct buf *b, const char *name, double x)
{
    buf_addf(b, ",\"%s\":", name);
    strict_number_or_null(b, x > 0 ? x : NAN);
}

void use_json(struct buf *b, const struct use *u)
{
    static const char *const spent[SPENT_COUNT] = {
        "input_seconds", "computing_seconds", "synchronising_seconds",
        "idle_seconds"};
    buf_adds(b, ",\"device\":");
    strict_string_or_null(b, str_of(u->device));
    for (int i = 0; i < SPENT_COUNT; i++)
        amount(b, spent[i], u->spent[i]);
    amount(b, "gpu_bytes", (double)u->gpu_bytes);
    amount(b, "joules", u->joules);
    amount(b, "gpu_busy_seconds", u->gpu_busy_s);
    amount(b, "gpu_seen_seconds", u->gpu_seen_s);
    amount(b, "blocked_seconds", u->blocked_s);
}

int use_lately(struct buf *b, struct store *store, struct err *err)
{
    struct use_sum sum;
    if (store_use(store, LATELY, &sum, err))
        return -1;
    use_verdict(b, &sum.use, sum.seconds, sum.cpu_seconds);
    return 0;
}
