/* slice.c - the metric over each parameter alone */
#include <math.h>
#include "figure/trials.h"

#define PANELS_MAX 9
#define GOLDEN 0.6180339887498949

/* Within the room of a choice trials are spread sideways, evenly, so that they
 * do not hide each other. */
static const double *places(const struct trial_param *k, size_t count,
                            struct plot *p)
{
    double *x = plot_room(p, count), turn;
    if (!k->choices)
        return k->numbers;
    for (size_t i = 0; i < count; i++)
        x[i] = k->numbers[i] + 0.6 * (modf((double)i * GOLDEN, &turn) - 0.5);
    return x;
}

static void add_panel(const struct trials *t, const struct trial_param *k,
                      const struct figure_asked *asked, struct plot *p)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    panel->x = trials_param_axis(k);
    panel->y = trials_metric_axis(t, asked);
    if (k->choices && t->count <= PLOT_MARKS_MAX)
        panel->note = "trials of one choice are spread sideways";
    plot_mark_add(panel,
                  &(struct plot_mark){
                      .kind = PLOT_POINTS,
                      .count = t->count,
                      .x = places(k, t->count, p),
                      .y = t->values,
                      .shades = t->ids,
                      .opacity = t->count > 1000 ? 0.4 : 0.75,
                      .crowd = arena_printf(p->arena, "%s trials",
                                            plot_count(p->arena, t->count))});
    trials_param_column(t, k, p);
}

static void add_notes(const struct trials *t, size_t left, struct plot *p)
{
    if (t->count <= PLOT_MARKS_MAX)
        plot_note_of_colours(p, "dark: early trials, bright: late ones");
    if (left)
        plot_note(p,
                  "%zu less important parameter%s not drawn: --params names "
                  "others",
                  left, left == 1 ? " is" : "s are");
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct figure_asked one = *asked; /* --x names a single one */
    const char **names;
    size_t count, left;
    struct trials t;
    if (asked->x && asked->params)
        return err_set(err, ERR_USAGE, "choose one of --x and --params");
    one.params = asked->x ? asked->x : asked->params;
    if (trials_pick(&one, PANELS_MAX, &names, &count, &left, p->arena, err) ||
        trials_read(&t, asked, names, count, p, err))
        return -1;
    trials_title(&t, asked, p,
                 arena_printf(p->arena, "%s by parameter", t.metric));
    trials_table(&t, p);
    for (size_t i = 0; i < count; i++)
        add_panel(&t, &t.params[i], asked, p);
    add_notes(&t, left, p);
    return 0;
}

FIGURE(slice) = {
    .name = "slice",
    .summary = "the metric over each parameter alone",
    .takes = "metric where trials params x scale",
    .make = make,
    .in_summary = true,
};
