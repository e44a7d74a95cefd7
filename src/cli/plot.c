/* plot.c - figures, in the terminal or in a file */
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/num.h"
#include "cli/cli.h"
#include "figure/figure.h"
#include "plot/plot.h"

#define SIDE_MAX 10000
#define ROWS 24

/* ---- how it looks ------------------------------------------------------- */

/* As programs are told: the first of these that is set counts. */
static bool speaks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *said = getenv(names[i]);
        if (said && *said)
            return strcasestr(said, "utf-8") || strcasestr(said, "utf8");
    }
    return false;
}

/* Rows of the terminal, less one for the prompt. */
static double rows_here(void)
{
    const char *lines = getenv("LINES");
    struct winsize size;
    int64_t n;
    if (lines && num_int(str_of(lines), &n) && n >= 8 && n < 1000)
        return (double)n - 1;
    if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row >= 8)
        return (double)size.ws_row - 1;
    return ROWS - 1;
}

/* "640x400" */
static int read_size(struct call *c, struct plot_look *look)
{
    const char *said = call_option(c, "size");
    struct str rest = str_of(said ? said : ""), wide;
    int64_t w, h;
    if (!said)
        return 0;
    if (!str_split(&rest, 'x', &wide) || !num_int(wide, &w) ||
        !num_int(rest, &h) || w < 20 || h < 8 || w > SIDE_MAX || h > SIDE_MAX)
        return err_set(&c->err, ERR_USAGE,
                       "--size takes width x height, as 640x400 (in a "
                       "terminal columns and rows), 20x8 to %dx%d, not `%s`",
                       SIDE_MAX, SIDE_MAX, said);
    look->width = (double)w;
    look->height = (double)h;
    return 0;
}

/* Many terminals say what their background is. */
static bool is_dark_here(void)
{
    const char *said = getenv("COLORFGBG");
    const char *last = said ? strrchr(said, ';') : NULL;
    return !last || !(strcmp(last, ";7") == 0 || strcmp(last, ";15") == 0);
}

static int choose_look(struct call *c, bool file, struct plot_look *look)
{
    bool dark = call_flag(c, "dark"), light = call_flag(c, "light");
    if (dark && light)
        return err_set(&c->err, ERR_USAGE, "choose one of --dark and --light");
    *look =
        (struct plot_look){.dark = dark || (!file && !light && is_dark_here()),
                           .colour = c->colour,
                           .unicode = speaks_utf8()};
    if (!file) {
        look->width = c->columns;
        look->height = rows_here();
    }
    return read_size(c, look);
}

/* ---- what is drawn ------------------------------------------------------ */

static int write_file(struct call *c, const char *file, const struct buf *b)
{
    if (file_write(file, buf_str(b), false, &c->err))
        return -1;
    say("throng plot: wrote %s\n", file);
    return 0;
}

static int draw(struct call *c, const struct plot *p, const char *file)
{
    struct plot_look look;
    struct buf b;
    const struct plot_backend *backend =
        plot_backend_of(file ? file : "terminal", &c->err);
    if (!backend || choose_look(c, file != NULL, &look))
        return -1;
    buf_init(&b);
    int rc = plot_draw(p, backend, &look, &b, &c->err);
    if (!rc && file)
        rc = write_file(c, file, &b);
    else if (!rc)
        put_painted(buf_str(&b));
    buf_done(&b);
    return rc;
}

static int put_table(struct call *c, const struct plot *p, const char *file)
{
    struct buf b;
    int rc = 0;
    buf_init(&b);
    plot_csv(&b, p);
    if (file)
        rc = write_file(c, file, &b);
    else
        put_data(c, buf_str(&b));
    buf_done(&b);
    return rc;
}

static int show(struct call *c, const struct figure_kind *kind,
                const struct figure_asked *asked)
{
    const char *file = call_option(c, "output");
    struct plot p;
    plot_init(&p, c->arena);
    int rc = figure_make(kind, asked, &p, &c->err);
    if (!rc && call_option(c, "title"))
        p.title = call_option(c, "title");
    if (!rc)
        rc = call_flag(c, "data") ? put_table(c, &p, file) : draw(c, &p, file);
    plot_done(&p);
    return rc;
}

/* ---- the verb ----------------------------------------------------------- */

static struct figure_asked asked_of(const struct call *c)
{
    return (struct figure_asked){
        .metric = call_option(c, "metric"),
        .x = call_option(c, "x"),
        .y = call_option(c, "y"),
        .group = call_option(c, "group"),
        .params = call_option(c, "params"),
        .where = call_option(c, "where"),
        .trials = call_option(c, "trials"),
        .file = call_option(c, "from"),
        .stat = call_option(c, "stat"),
        .scale = call_option(c, "scale"),
    };
}

/* A wrong ending is said before a large study is read. */
static int check_output(struct call *c)
{
    const char *file = call_option(c, "output");
    if (!file || call_flag(c, "data"))
        return 0;
    return plot_backend_of(file, &c->err) ? 0 : -1;
}

static int run(struct call *c)
{
    struct figure_asked asked = asked_of(c);
    struct place_of_study where;
    if (!c->arg_count)
        return call_usage(c, "say which figure: `throng help plot` lists them");
    const struct figure_kind *kind = figure_kind_of(c->args[0], &c->err);
    if (!kind || check_output(c))
        return call_fail(c);
    c->args++;
    c->arg_count--;
    if (asked.file && kind->file_alone && !c->arg_count)
        return show(c, kind, &asked) ? call_fail(c) : EXIT_OK;
    struct store *store = open_named_study(c, false, &where);
    if (!store)
        return call_fail(c);
    asked.store = store;
    asked.study = where.name;
    asked.home = where.home;
    int code = show(c, kind, &asked) ? call_fail(c) : EXIT_OK;
    store_close(store);
    return code;
}

static void list_kinds(struct buf *b)
{
    buf_adds(b, "Kinds:\n");
    for (size_t i = 0; figure_kinds[i]; i++)
        buf_addf(b, "  %-12s %s\n", figure_kinds[i]->name,
                 figure_kinds[i]->summary);
}

VERB(plot) = {
    .name = "plot",
    .args = "KIND [STUDY]",
    .summary = "Draw a figure, in the terminal or in a file",
    .list = list_kinds,
    .text =
        "Without -o it is drawn in the terminal. -o writes a file: .svg by "
        "itself, .pdf\nand .png by cairo, where it is installed. Of more than "
        "50,000 marks the density\nis drawn, which is said.\n",
    .options =
        (const struct option_spec[]){
            {"output", 'o', "FILE", "write it there: .svg, .pdf or .png"},
            {"data", 0, NULL, "the numbers behind it instead, as CSV"},
            {"metric", 'm', "NAME", "instead of the study's own"},
            {"x", 0, "NAME", "parameter (pareto: metric) to the right"},
            {"y", 0, "NAME", "parameter (pareto: metric) upwards"},
            {"params", 0, "NAMES", "parameters to draw, joined by commas"},
            {"group", 0, "NAME", "curves: bands for each of its values"},
            {"where", 0, "FILTER", "only trials for which this holds"},
            {"trials", 0, "TRIALS", "only these: 1-10, best:5, tag:x …"},
            {"stat", 0, "S", "of cells: mean (default), min, max or count"},
            {"scale", 0, "S", "of the metric: log or linear"},
            {"from", 0, "FILE", "predictions or counts from this file"},
            {"size", 0, "WxH", "points (720x450); columns and rows"},
            {"dark", 0, NULL, "bright on dark"},
            {"light", 0, NULL, "dark on bright"},
            {"title", 0, "TEXT", "instead of its own"},
            {0}},
    .run = run,
};
