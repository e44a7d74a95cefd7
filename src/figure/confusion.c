/* confusion.c - which classes a model takes for which
 *
 * Counts that training kept (output/confusion.json), or pairs of a table of
 * predictions (columns label and predicted). */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "figure/files.h"

#define CLASSES_MAX 1000
#define WRITTEN_MAX 12 /* classes up to which each cell has its number */
#define DRAWN_MAX 100

struct square {
    const char **classes;
    size_t count;
    double *counts; /* row: is, column: predicted */
};

/* ---- reading ----------------------------------------------------------------
 */

static int damaged(const char *name, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "%s: expected {\"heads\":[{\"classes\":[…],\"counts\":"
                   "[[…]]}]}, as training writes it",
                   name);
}

static int from_json(struct square *s, struct str text, const char *name,
                     struct plot *p, struct err *err)
{
    struct value *v = json_parse(p->arena, text, name, true, err);
    if (!v)
        return -1;
    const struct value *heads = value_get(v, STR("heads"));
    const struct value *head =
        heads && heads->kind == VALUE_LIST ? value_at(heads, 0) : NULL;
    const struct value *classes = value_get(head, STR("classes"));
    const struct value *counts = value_get(head, STR("counts"));
    if (!classes || !counts || classes->kind != VALUE_LIST ||
        counts->kind != VALUE_LIST || counts->count != classes->count ||
        !classes->count || classes->count > CLASSES_MAX)
        return damaged(name, err);
    s->count = classes->count;
    s->classes = arena_array(p->arena, s->count, sizeof(*s->classes));
    s->counts = plot_room(p, s->count * s->count);
    for (size_t i = 0; i < s->count; i++) {
        const struct value *row = counts->items[i];
        if (row->kind != VALUE_LIST || row->count != s->count)
            return damaged(name, err);
        s->classes[i] = arena_cstr(p->arena, value_text(classes->items[i]));
        for (size_t k = 0; k < s->count; k++)
            s->counts[i * s->count + k] = value_number(row->items[k]);
    }
    if (heads->count > 1)
        plot_note(p, "the first of %zu heads", heads->count);
    return 0;
}

static int class_of(struct square *s, const char *name, size_t *place,
                    struct err *err)
{
    for (*place = 0; *place < s->count; (*place)++)
        if (!strcmp(s->classes[*place], name))
            return 0;
    if (s->count == CLASSES_MAX)
        return err_set(err, ERR_LIMIT, "more than %d classes", CLASSES_MAX);
    s->classes[s->count++] = name;
    return 0;
}

/* Numbers in names as numbers: 2 before 10. */
static int by_name(const void *x, const void *y)
{
    return strverscmp(*(const char *const *)x, *(const char *const *)y);
}

static int from_pairs(struct square *s, struct str text, const char *name,
                      struct plot *p, struct err *err)
{
    static const char *const is[] = {"label", "truth", NULL};
    static const char *const said[] = {"predicted", NULL};
    struct file_column columns[2] = {{.names = is, .texts = true},
                                     {.names = said, .texts = true}};
    size_t rows, at[2];
    if (file_columns(text, name, columns, 2, &rows, p->arena, err))
        return -1;
    s->classes = arena_array(p->arena, CLASSES_MAX, sizeof(*s->classes));
    for (size_t i = 0; i < 2 * rows; i++)
        if (class_of(s, columns[i / rows].text[i % rows], &at[0], err))
            return err_wrap(err, "%s", name);
    qsort(s->classes, s->count, sizeof(*s->classes), by_name);
    s->counts = plot_room(p, s->count * s->count);
    for (size_t i = 0; i < rows; i++) {
        class_of(s, columns[0].text[i], &at[0], err);
        class_of(s, columns[1].text[i], &at[1], err);
        s->counts[at[0] * s->count + at[1]]++;
    }
    return 0;
}

/* ---- table and panel
 * ---------------------------------------------------------- */

static void add_table(const struct square *s, struct plot *p)
{
    size_t n = s->count * s->count;
    const char **is = arena_array(p->arena, n + 1, sizeof(*is));
    const char **said = arena_array(p->arena, n + 1, sizeof(*said));
    for (size_t i = 0; i < n; i++) {
        is[i] = s->classes[i / s->count];
        said[i] = s->classes[i % s->count];
    }
    p->rows = n;
    plot_texts(p, "is", is);
    plot_texts(p, "predicted", said);
    plot_numbers(p, "rows", s->counts);
}

static void write_numbers(const struct square *s, const double *shares,
                          struct plot *p, struct plot_panel *panel)
{
    size_t n = s->count * s->count;
    double *x = plot_room(p, n), *y = plot_room(p, n);
    const char **texts = arena_array(p->arena, n + 1, sizeof(*texts));
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(i % s->count);
        y[i] = (double)(i / s->count);
        texts[i] = arena_printf(p->arena, "%.0f", s->counts[i]);
    }
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_TEXTS,
                                             .count = n,
                                             .x = x,
                                             .y = y,
                                             .shades = shares,
                                             .texts = texts,
                                             .room = 1});
}

static void draw(const struct square *s, struct plot *p)
{
    size_t n = s->count * s->count;
    double *shares = plot_room(p, n), right = 0, all = 0;
    struct plot_panel *panel = plot_panel_add(p, NULL);
    for (size_t i = 0; i < s->count; i++) {
        double sum = 0;
        for (size_t k = 0; k < s->count; k++)
            sum += s->counts[i * s->count + k];
        for (size_t k = 0; k < s->count; k++)
            shares[i * s->count + k] =
                sum > 0 ? s->counts[i * s->count + k] / sum : NAN;
        right += s->counts[i * s->count + i];
        all += sum;
    }
    struct plot_axis axis = {
        .scale = PLOT_CHOICE, .choices = s->classes, .choice_count = s->count};
    panel->x = panel->y = axis;
    panel->x.label = "predicted";
    panel->y.label = "is";
    panel->y.down = true;
    panel->ramp_label = "share of its class";
    panel->ramp_low = 0;
    panel->ramp_high = 1;
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_CELLS,
                                             .count = n,
                                             .across = s->count,
                                             .shades = shares});
    if (s->count <= WRITTEN_MAX)
        write_numbers(s, shares, p, panel);
    p->subtitle = arena_printf(p->arena, "%s rows, %s classes, %.4g %% right",
                               plot_count(p->arena, (uint64_t)all),
                               plot_count(p->arena, s->count),
                               all > 0 ? 100 * right / all : 0);
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    static const char *const files[] = {"output/confusion.json", NULL};
    struct square s = {0};
    struct buf b;
    const char *where;
    buf_init(&b);
    int rc = figure_file(asked, files, &b, &where, p->arena, err);
    struct str start = str_trim(buf_str(&b));
    if (!rc)
        rc = start.len && start.p[0] == '{'
                 ? from_json(&s, buf_str(&b), where, p, err)
                 : from_pairs(&s, buf_str(&b), where, p, err);
    if (!rc) {
        p->title = arena_printf(p->arena, "%s: confusion", where);
        add_table(&s, p);
        draw(&s, p);
    }
    buf_done(&b);
    return rc;
}

FIGURE(confusion) = {
    .name = "confusion",
    .summary = "which classes a model takes for which",
    .takes = "trials from",
    .make = make,
    .file_alone = true,
};
