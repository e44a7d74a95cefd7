/* curves.c - how trials learn: each its line, or bands over very many
 *
 * The numbers are those that the page shows (view's curves and bands). */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "figure/trials.h"
#include "view/view.h"

#define POINTS 600 /* of a curve, about */
#define BAND_POINTS 200
#define NAMED 5 /* curves that have a colour of their own */

struct reading {
    const struct figure_asked *asked;
    struct plot *p;
    struct plot_panel *panel;
    const char *metric;
    bool minimize;
    VEC(double) values; /* all of them, for the axis */
};

static double number_at(const struct value *list, size_t i)
{
    const struct value *v = value_at(list, i);
    if (v && v->kind == VALUE_STRING)
        return str_is(v->s, "Infinity")    ? INFINITY
               : str_is(v->s, "-Infinity") ? -INFINITY
                                           : NAN;
    return v ? value_number(v) : NAN;
}

static double *numbers_of(struct reading *r, const struct value *list)
{
    double *out = plot_room(r->p, list->count);
    for (size_t i = 0; i < list->count; i++)
        out[i] = number_at(list, i);
    return out;
}

/* ---- a line each ----------------------------------------------------------
 */

/* Where it stands by its last number: 0 is the best. */
static size_t place_of(const struct reading *r, const struct value *curves,
                       size_t which)
{
    const struct value *own = value_get(curves->items[which], STR("values"));
    double last = own->count ? number_at(own, own->count - 1) : NAN;
    size_t place = 0;
    for (size_t i = 0; i < curves->count; i++) {
        const struct value *list = value_get(curves->items[i], STR("values"));
        double v = list->count ? number_at(list, list->count - 1) : NAN;
        bool better = r->minimize ? v < last : v > last;
        place += isnan(last) ? !isnan(v) || i < which
                             : better || (v == last && i < which);
    }
    return place;
}

struct placed {
    size_t place, curve;
};

/* Without its points it is the legend's alone. */
static void draw_curve(struct reading *r, const struct value *curves,
                       const struct placed *which, bool points)
{
    const struct value *c = curves->items[which->curve];
    const struct value *values = value_get(c, STR("values"));
    int64_t trial = value_get(c, STR("trial"))->i;
    bool named = which->place < NAMED || curves->count <= 8;
    struct plot_mark m = {
        .kind = PLOT_LINES,
        .colour = named ? PLOT_CATEGORY : PLOT_FAINT,
        .category = (unsigned)which->place,
        .opacity = named ? 1 : 0.35,
        .width = named ? 1.2 : 0.8,
        .dashes = named ? (unsigned)which->place : 0,
        .lettered = named && curves->count > 1,
        .name = named
                    ? arena_printf(r->p->arena, "trial %lld", (long long)trial)
                    : "others"};
    if (points) {
        m.count = values->count;
        m.x = numbers_of(r, value_get(c, STR("steps")));
        m.y = numbers_of(r, values);
    }
    plot_mark_add(r->panel, &m);
}

static int worst_first(const void *x, const void *y)
{
    const struct placed *a = x, *b = y;
    return a->place > b->place ? -1 : a->place < b->place;
}

/* The best ones on top, and first in the legend. */
static void draw_curves(struct reading *r, const struct value *curves)
{
    struct placed *list =
        arena_array(r->p->arena, curves->count, sizeof(*list));
    for (size_t i = 0; i < curves->count; i++)
        list[i] = (struct placed){place_of(r, curves, i), i};
    qsort(list, curves->count, sizeof(*list), worst_first);
    for (size_t i = 0; i < curves->count && i <= NAMED + 8; i++)
        draw_curve(r, curves, &list[curves->count - 1 - i], false);
    for (size_t i = 0; i < curves->count; i++)
        draw_curve(r, curves, &list[i], true);
}

static void fill_curves(struct reading *r, const struct value *curves)
{
    size_t rows = 0, at = 0;
    for (size_t i = 0; i < curves->count; i++)
        rows += value_get(curves->items[i], STR("values"))->count;
    double *trial = plot_room(r->p, rows), *step = plot_room(r->p, rows);
    double *value = plot_room(r->p, rows);
    for (size_t i = 0; i < curves->count; i++) {
        const struct value *c = curves->items[i];
        const struct value *values = value_get(c, STR("values"));
        for (size_t k = 0; k < values->count; k++, at++) {
            trial[at] = (double)value_get(c, STR("trial"))->i;
            step[at] = number_at(value_get(c, STR("steps")), k);
            value[at] = number_at(values, k);
            vec_push(&r->values, value[at]);
        }
    }
    r->p->rows = rows;
    plot_numbers(r->p, "trial", trial);
    plot_numbers(r->p, "step", step);
    plot_numbers(r->p, r->metric, value);
    draw_curves(r, curves);
}

/* Curves without a point are none. */
static struct value *with_points(struct reading *r, const struct value *all)
{
    struct value *some = value_list(r->p->arena);
    for (size_t i = 0; i < all->count; i++)
        if (value_get(all->items[i], STR("values"))->count)
            value_list_add(r->p->arena, some, all->items[i]);
    return some;
}

/* Gaps of lines are said, and lines of gaps alone are none. */
static int check_finite(struct reading *r, struct err *err)
{
    size_t gaps = 0;
    for (size_t i = 0; i < r->values.len; i++)
        gaps += !isfinite(r->values.p[i]);
    if (gaps == r->values.len)
        return err_set(err, ERR_MISSING, "no trial has reported a finite `%s`",
                       r->metric);
    if (gaps)
        plot_note(r->p, "gaps: %s of %s values are not finite",
                  plot_count(r->p->arena, gaps),
                  plot_count(r->p->arena, r->values.len));
    return 0;
}

static int fail_unreported(const struct reading *r, struct err *err)
{
    if (metric_check(r->asked->store, r->metric, r->p->arena, err))
        return -1;
    return err_set(err, ERR_MISSING, "no trial has reported `%s`", r->metric);
}

static int make_curves(struct reading *r, const char *selector, struct err *err)
{
    struct buf b;
    buf_init(&b);
    int rc = curves_json(&b, r->asked->store, selector, r->metric, POINTS,
                         r->p->arena, err);
    struct value *v =
        rc ? NULL : json_parse(r->p->arena, buf_str(&b), "curves", true, err);
    buf_done(&b);
    if (!v)
        return -1;
    struct value *curves = with_points(r, value_get(v, STR("curves")));
    if (!curves->count)
        return fail_unreported(r, err);
    fill_curves(r, curves);
    if (check_finite(r, err))
        return -1;
    r->p->subtitle = arena_printf(r->p->arena, "%s, %zu trial%s%s", r->metric,
                                  curves->count, curves->count == 1 ? "" : "s",
                                  trials_chosen(r->asked, r->p->arena));
    if (value_get(v, STR("cut"))->boolean)
        plot_note(r->p, "the first %d of the trials that were asked for",
                  CURVES_MAX);
    return 0;
}

/* ---- bands ----------------------------------------------------------------
 */

static const char *group_name(struct reading *r, const struct value *group)
{
    struct buf b;
    buf_init(&b);
    if (r->asked->group) {
        buf_addf(&b, "%s ", r->asked->group);
        point_cell(&b, value_get(group, STR("value")));
        buf_adds(&b, ": ");
    }
    buf_addf(&b, "median of %.0f",
             value_number(value_get(group, STR("trials"))));
    const char *name = arena_cstr(r->p->arena, buf_str(&b));
    buf_done(&b);
    return name;
}

struct band_table {
    const char **groups;
    double *columns[7]; /* step, n, five quantiles */
    size_t rows;
};

static void draw_group(struct reading *r, const struct value *group,
                       const struct value *steps, unsigned category,
                       struct band_table *t)
{
    const struct value *bands = value_get(group, STR("bands"));
    size_t n = bands->count, from = t->rows;
    struct buf b;
    buf_init(&b);
    point_cell(&b, value_get(group, STR("value")));
    const char *name =
        r->asked->group ? arena_cstr(r->p->arena, buf_str(&b)) : "all";
    buf_done(&b);
    for (size_t i = 0; i < n; i++, t->rows++) {
        t->groups[t->rows] = name;
        t->columns[0][t->rows] = number_at(steps, i);
        for (size_t q = 0; q < 6; q++)
            t->columns[q + 1][t->rows] = number_at(bands->items[i], q);
    }
    struct plot_mark m = {.kind = PLOT_BAND,
                          .count = n,
                          .x = t->columns[0] + from,
                          .y = t->columns[2] + from,
                          .y2 = t->columns[6] + from,
                          .colour = PLOT_CATEGORY,
                          .category = category,
                          .opacity = 0.15};
    plot_mark_add(r->panel, &m);
    m.y = t->columns[3] + from;
    m.y2 = t->columns[5] + from;
    m.opacity = 0.25;
    plot_mark_add(r->panel, &m);
    m.kind = PLOT_LINES;
    m.y = t->columns[4] + from;
    m.opacity = 1;
    m.width = 1.3;
    m.dashes = category;
    m.lettered = r->asked->group != NULL;
    m.name = group_name(r, group);
    plot_mark_add(r->panel, &m);
    for (size_t i = from; i < t->rows; i++)
        for (size_t q = 2; q < 7; q++)
            vec_push(&r->values, t->columns[q][i]);
}

static void fill_bands(struct reading *r, const struct value *v)
{
    static const char *const names[] = {"step", "trials", "q05", "q25",
                                        "q50",  "q75",    "q95"};
    const struct value *groups = value_get(v, STR("groups"));
    const struct value *steps = value_get(v, STR("steps"));
    size_t rows = groups->count * steps->count;
    struct band_table t = {
        .groups = arena_array(r->p->arena, rows + 1, sizeof(*t.groups))};
    for (size_t i = 0; i < 7; i++)
        t.columns[i] = plot_room(r->p, rows);
    for (size_t i = 0; i < groups->count; i++)
        draw_group(r, groups->items[i], steps, (unsigned)i, &t);
    r->p->rows = rows;
    plot_texts(r->p, r->asked->group ? r->asked->group : "group", t.groups);
    for (size_t i = 0; i < 7; i++)
        plot_numbers(r->p, names[i], t.columns[i]);
}

static int make_bands(struct reading *r, struct err *err)
{
    struct buf b;
    buf_init(&b);
    int rc = bands_json(&b, r->asked->store, r->asked->where, r->metric,
                        r->asked->group, BAND_POINTS, r->p->arena, err);
    struct value *v =
        rc ? NULL : json_parse(r->p->arena, buf_str(&b), "bands", true, err);
    buf_done(&b);
    if (!v)
        return -1;
    double total = value_number(value_get(v, STR("total")));
    double used = value_number(value_get(v, STR("used")));
    if (!(used > 0))
        return fail_unreported(r, err);
    fill_bands(r, v);
    r->p->subtitle = arena_printf(r->p->arena, "%s, %s trials%s", r->metric,
                                  plot_count(r->p->arena, (uint64_t)used),
                                  trials_chosen(r->asked, r->p->arena));
    plot_note(r->p,
              "bands: 5 to 95 %% and 25 to 75 %% of the trials at each step");
    if (total > BANDS_TRIALS_MAX)
        plot_note(r->p, "of %s trials every nth was read",
                  plot_count(r->p->arena, (uint64_t)total));
    return 0;
}

/* ---- which ----------------------------------------------------------------
 */

static int choose_metric(struct reading *r, struct err *err)
{
    struct study_goal goal;
    struct arena *a = r->p->arena;
    if (study_goal_read(r->asked->store, a, &goal, err))
        return -1;
    if (!r->asked->metric && !goal.name.len)
        return err_set(err, ERR_INPUT,
                       "this study names no metric; use --metric NAME");
    r->metric = r->asked->metric ? r->asked->metric : arena_cstr(a, goal.name);
    r->minimize = goal_minimizes(&goal.all, str_of(r->metric));
    return 0;
}

static int draw(struct reading *r, struct err *err)
{
    struct counts counts;
    if (choose_metric(r, err) || store_counts(r->asked->store, &counts, err))
        return -1;
    bool bands = r->asked->group || r->asked->where ||
                 (!r->asked->trials && counts.total > CURVES_MAX);
    if (bands && r->asked->trials)
        return err_set(err, ERR_USAGE,
                       "--trials gives each a line; --group and --where make "
                       "bands: choose one");
    return bands ? make_bands(r, err)
                 : make_curves(r, r->asked->trials ? r->asked->trials : "all",
                               err);
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct reading r = {.asked = asked, .p = p};
    r.panel = plot_panel_add(p, NULL);
    int rc = draw(&r, err);
    if (!rc) {
        bool log = asked->scale ? !strcmp(asked->scale, "log")
                                : trials_want_log(r.values.p, r.values.len);
        p->title = arena_printf(p->arena, "%s: learning curves", asked->study);
        r.panel->x = (struct plot_axis){.label = "step", .whole = true};
        r.panel->y = (struct plot_axis){.label = r.metric,
                                        .scale = log ? PLOT_LOG : PLOT_LINEAR};
    }
    vec_done(&r.values);
    return rc;
}

FIGURE(curves) = {
    .name = "curves",
    .summary = "learning curves; bands over groups or many trials",
    .takes = "metric where trials group scale",
    .make = make,
    .in_summary = true,
};
