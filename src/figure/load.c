/* load.c - attempts at once over time: ramp-up, plateau, ramp-down; and what
 * the time on GPUs went into
 *
 * The numbers are those that the page shows (view's load). */
#include <math.h>
#include "base/json.h"
#include "base/num.h"
#include "figure/figure.h"
#include "view/view.h"

#define PARTS_MAX 240
#define PARTS_MIN 24

static double *numbers_of(struct plot *p, const struct value *list)
{
    double *out = plot_room(p, list->count);
    for (size_t i = 0; i < list->count; i++)
        out[i] = value_number(list->items[i]);
    return out;
}

/* A number holds from the beginning of its part to the end: two corners. */
static double *corners_of(struct plot *p, const double *list, size_t n)
{
    double *out = plot_room(p, 2 * n);
    for (size_t i = 0; i < 2 * n; i++)
        out[i] = list[i / 2];
    return out;
}

static double *edges_of(struct plot *p, size_t n, double width)
{
    double *out = plot_room(p, 2 * n);
    for (size_t i = 0; i < 2 * n; i++)
        out[i] = (double)((i + 1) / 2) * width;
    return out;
}

/* Bands on top of each other. */
struct pile {
    struct plot *p;
    struct plot_panel *panel;
    size_t n;
    const double *edges, *below;
};

static struct pile pile_of(struct plot *p, struct plot_panel *panel, size_t n,
                           const double *edges)
{
    double *below = plot_room(p, n);
    memset(below, 0, n * sizeof(*below));
    return (struct pile){p, panel, n, edges, below};
}

/* On top of what is there; parts of which nobody knows add nothing. */
static void pile_add(struct pile *l, const double *own, size_t category,
                     const char *name)
{
    double *top = plot_room(l->p, l->n);
    for (size_t i = 0; i < l->n; i++)
        top[i] = l->below[i] + (isnan(own[i]) ? 0 : own[i]);
    plot_mark_add(l->panel,
                  &(struct plot_mark){.kind = PLOT_BAND,
                                      .count = 2 * l->n,
                                      .x = l->edges,
                                      .y = corners_of(l->p, l->below, l->n),
                                      .y2 = corners_of(l->p, top, l->n),
                                      .colour = PLOT_CATEGORY,
                                      .category = (unsigned)category,
                                      .opacity = 0.45,
                                      .name = name});
    l->below = top;
}

/* Hosts on top of each other, where there are a few. */
static void draw_hosts(const struct value *hosts, size_t n, const double *edges,
                       struct plot *p, struct plot_panel *panel)
{
    struct pile pile = pile_of(p, panel, n, edges);
    for (size_t k = 0; k < hosts->count; k++) {
        const struct value *h = hosts->items[k];
        double *own = numbers_of(p, value_get(h, STR("mean")));
        const char *name =
            arena_cstr(p->arena, value_text(value_get(h, STR("host"))));
        bool many = hosts->count > 1;
        pile_add(&pile, own, k, many ? name : "mean at once");
        plot_numbers(
            p, many ? arena_printf(p->arena, "mean_%s", name) : "host_mean",
            own);
    }
}

/* Parts of the time, from below; one that nobody knows has none. */
static void draw_shares(const struct value *gpu, size_t n, const double *edges,
                        struct plot *p, struct plot_panel *panel)
{
    static const char *const names[] = {"computing", "input", "synchronising",
                                        "idle"};
    struct pile pile = pile_of(p, panel, n, edges);
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        double *own = numbers_of(p, value_get(gpu, str_of(names[k])));
        pile_add(&pile, own, k + 1, names[k]);
        plot_numbers(p, arena_printf(p->arena, "gpu_%s", names[k]), own);
    }
}

static bool any_known(const double *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isnan(list[i]))
            return true;
    return false;
}

/* What the time on GPUs went into, below the attempts. */
static void draw_gpu(const struct value *gpu, const struct plot_axis *time,
                     size_t n, const double *edges, struct plot *p)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    double *busy = numbers_of(p, value_get(gpu, STR("busy")));
    panel->x = *time;
    panel->y = (struct plot_axis){.label = "of the time on a GPU",
                                  .percent = true,
                                  .exact = true,
                                  .low = 0,
                                  .high = 1};
    if (any_known(numbers_of(p, value_get(gpu, STR("computing"))), n))
        draw_shares(gpu, n, edges, p, panel);
    if (!any_known(busy, n))
        return;
    plot_numbers(p, "gpu_busy", busy);
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_LINES,
                                             .count = 2 * n,
                                             .x = edges,
                                             .y = corners_of(p, busy, n),
                                             .colour = PLOT_INK,
                                             .width = 0.8,
                                             .name = "busy, for programs"});
}

static int draw(const struct value *v, struct plot *p, struct err *err)
{
    const struct value *gpu = value_get(v, STR("gpu"));
    const struct value *mean = value_get(v, STR("mean"));
    size_t n = mean->count;
    double width = value_number(value_get(v, STR("width")));
    if (!n)
        return err_set(err, ERR_MISSING, "no trial has begun yet");
    double *time = plot_room(p, n), *edges = edges_of(p, n, width);
    for (size_t i = 0; i < n; i++)
        time[i] = ((double)i + 0.5) * width;
    struct plot_panel *panel = plot_panel_add(p, NULL);
    double *most = numbers_of(p, value_get(v, STR("most")));
    panel->x = (struct plot_axis){.label = "since the first start",
                                  .scale = PLOT_SECONDS,
                                  .low = 0,
                                  .high = width * (double)n};
    panel->y = (struct plot_axis){
        .label = "attempts at once", .zero = true, .whole = true};
    p->rows = n;
    plot_numbers(p, "seconds", time);
    plot_numbers(p, "mean", numbers_of(p, mean));
    plot_numbers(p, "most", most);
    draw_hosts(value_get(v, STR("hosts")), n, edges, p, panel);
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_LINES,
                                             .count = 2 * n,
                                             .x = edges,
                                             .y = corners_of(p, most, n),
                                             .colour = PLOT_INK,
                                             .width = 0.8,
                                             .name = "most at once"});
    if (gpu && gpu->kind == VALUE_OBJECT)
        draw_gpu(gpu, &panel->x, n, edges, p);
    p->across = 1;
    return 0;
}

/* Each is as long as a few attempts: shorter ones show chance alone. */
static size_t parts_of(struct store *store)
{
    struct counts counts;
    if (store_counts(store, &counts, NULL))
        return PARTS_MIN;
    int64_t parts = counts.total / 3;
    return parts < PARTS_MIN   ? PARTS_MIN
           : parts > PARTS_MAX ? PARTS_MAX
                               : (size_t)parts;
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct buf b, length;
    buf_init(&b);
    buf_init(&length);
    size_t parts = parts_of(asked->store);
    int rc = load_json(&b, asked->store, parts, p->arena, err);
    struct value *v =
        rc ? NULL : json_parse(p->arena, buf_str(&b), "load", true, err);
    rc = v ? draw(v, p, err) : -1;
    if (!rc) {
        num_print_seconds(&length, (double)p->rows * value_number(value_get(
                                                         v, STR("width"))));
        p->title = arena_printf(p->arena, "%s: load", asked->study);
        p->subtitle = arena_printf(
            p->arena, "%s attempts in %s",
            plot_count(p->arena,
                       (uint64_t)value_number(value_get(v, STR("attempts")))),
            length.p);
    }
    buf_done(&length);
    buf_done(&b);
    return rc;
}

FIGURE(load) = {
    .name = "load",
    .summary = "attempts at once over time, and how GPUs were used",
    .takes = "",
    .make = make,
    .in_summary = true,
};
