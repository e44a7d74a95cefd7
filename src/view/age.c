/* age.c - how old is what a reader is shown? */
#include "view/view.h"

#include <math.h>
#include "base/num.h"

void age_print(struct buf *b, double as_of)
{
    double age = as_of > 0 ? floor(clock_wall() - as_of) : 0;
    if (age < 1)
        return;
    buf_adds(b, "as of ");
    num_print_seconds(b, age);
    buf_adds(b, " ago");
}

void age_json(struct buf *b, double as_of)
{
    if (as_of > 0)
        buf_addf(b, ",\"as_of\":%.3f", as_of);
}
