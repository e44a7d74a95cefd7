/* bulk_outlook.c - what an inference of a campaign will be, in a line */
#include "base/num.h"
#include "view/view.h"

static void add_count(struct buf *b, uint64_t count, const char *what)
{
    buf_addf(b, "%llu %s%s", (unsigned long long)count, what,
             count == 1 ? "" : "s");
}

static void add_models(struct buf *b, const struct bulk_outlook *o)
{
    buf_adds(b, " × ");
    if (!o->models && o->models_told)
        buf_addf(b, "models (%s of %s)", o->models_told, o->maker);
    else if (!o->models)
        buf_addf(b, "models (%s has them)", o->maker ? o->maker : "nobody");
    else if (o->models_told) {
        buf_adds(b, "up to ");
        add_count(b, o->models, "model");
        buf_addf(b, " (%s)", o->models_told);
    } else
        add_count(b, o->models, "model");
}

static void add_time(struct buf *b, const struct bulk_outlook *o)
{
    buf_adds(b, ", ");
    num_print_seconds(b, o->core_s);
    buf_addf(b, " of one core (%.3g hours)", o->core_s / 3600);
}

void bulk_outlook_print(struct buf *b, const struct bulk_outlook *o)
{
    bool known = !o->rows_told && (o->of_command || o->models);
    double all = (double)o->rows * (double)o->samples;
    if (o->rows_told)
        buf_addf(b, "rows (%s)", o->rows_told);
    else
        add_count(b, o->rows, "row");
    if (!o->of_command) {
        add_models(b, o);
        all *= (double)o->models;
    }
    if (o->samples > 1)
        buf_addf(b, " × %lld samples", (long long)o->samples);
    if (!known) {
        buf_adds(b, "; the rest is known when the stages before it are done");
    } else {
        buf_adds(b, o->models_told ? " = up to " : " = ");
        num_print_short(b, all, 6);
        buf_adds(b, all > 1 ? " predictions" : " prediction");
        if (o->core_s > 0)
            add_time(b, o);
    }
    if (o->misfits)
        buf_addf(b, "; of these nothing can be predicted: %s", o->misfits);
}
