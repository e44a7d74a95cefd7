/* template_rows.c - data for templates: a table as of gene expression
 *
 * Three kinds of tissue, ten genes, of which four tell the kinds apart; a few
 * values are missing. The same on every machine. */
#include "study/template.h"

#include "base/rng.h"

#define ROWS 150
#define GENES 10
#define TELLING 4
#define ONE_IN 60 /* values that are missing */

const char *template_rows(struct arena *a)
{
    static const char *const kinds[] = {"colon", "lung", "skin"};
    struct rng r;
    struct buf b;
    buf_init(&b);
    rng_init(&r, 1, 0, "rows of a template");
    for (int g = 1; g <= GENES; g++)
        buf_addf(&b, "gene%d,", g);
    buf_adds(&b, "tissue\n");
    for (int i = 0; i < ROWS; i++) {
        int kind = i % 3;
        for (int g = 0; g < GENES; g++) {
            double level = g < TELLING && g % 3 == kind ? 7.2 : 6;
            double x = level + rng_normal(&r);
            if (rng_below(&r, ONE_IN) == 0)
                buf_addc(&b, ',');
            else
                buf_addf(&b, "%.2f,", x);
        }
        buf_addf(&b, "%s\n", kinds[kind]);
    }
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}
