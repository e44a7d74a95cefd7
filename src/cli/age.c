/* age.c - how old is what a reader is shown? */
#include "cli/age.h"

#include <math.h>
#include "base/num.h"
#include "cli/cli.h"

void age_print(struct buf *b, double as_of)
{
    double age = as_of > 0 ? floor(clock_wall() - as_of) : 0;
    if (age < 1)
        return;
    buf_adds(b, "as of ");
    num_print_seconds(b, age);
    buf_adds(b, " ago");
}

void age_say(double as_of)
{
    struct buf b;
    buf_init(&b);
    age_print(&b, as_of);
    if (b.len)
        say("throng: %s: the study runs on a network file system, where "
            "readers get a copy\n",
            b.p);
    buf_done(&b);
}

void age_json(struct buf *b, double as_of)
{
    if (as_of > 0)
        buf_addf(b, ",\"as_of\":%.3f", as_of);
}
