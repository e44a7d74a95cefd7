/* page.c - a page that needs nothing else, as HTML or as Markdown
 *
 * HTML has its figures inside as SVG and a style that also prints on paper.
 * Markdown has them as characters, so that any viewer shows them. */
#include "figure/page.h"

#define WIDTH 720
#define HEIGHT 360
#define FIGURE_COLUMNS 76
#define FIGURE_ROWS 18
#define MARKS_MAX 4000 /* in one figure: a page stays small */

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;"
    "padding:0 1rem;color:#222;background:#fff}"
    "h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2rem;"
    "border-bottom:1px solid #ddd}h3{font-size:1rem}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;"
    "font-size:.87rem;display:block;overflow-x:auto}"
    "th,td{text-align:left;padding:.15rem .8rem .15rem 0;vertical-align:top;"
    "border-bottom:1px solid #eee}"
    "pre{background:#f6f6f6;padding:.6rem;overflow-x:auto;font-size:.82rem;"
    "white-space:pre-wrap;overflow-wrap:anywhere}"
    "figure{margin:1rem 0;break-inside:avoid}svg{max-width:100%;height:auto}"
    "@media print{body{margin:0;max-width:none;font-size:10pt}"
    "h1~h1{break-before:page}h1,h2,h3,thead{break-after:avoid}"
    "tr,figure{break-inside:avoid}table{display:table}"
    "tbody tr:first-child{break-after:avoid}@page{margin:15mm}}";

void page_begin(struct page *p, const char *title)
{
    if (p->markdown)
        return;
    buf_adds(p->out, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
                     "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
                     "content=\"width=device-width\"/>\n<title>");
    plot_xml(p->out, title);
    buf_addf(p->out, "</title>\n<style>%s</style></head>\n<body>\n", style);
}

void page_end(struct page *p)
{
    if (!p->markdown)
        buf_adds(p->out, "</body></html>\n");
}

/* What Markdown or HTML inside it would obey is letters; a line feed would end
 * what it stands in. */
static void add_markdown(struct buf *b, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_{}[]<>#|&~$", *text))
            buf_addc(b, '\\');
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            buf_addc(b, ' ');
        else
            buf_addc(b, *text);
    }
}

static void add_text(struct page *p, const char *text)
{
    if (p->markdown)
        add_markdown(p->out, text);
    else
        plot_xml(p->out, text);
}

void page_heading(struct page *p, int level, const char *text)
{
    if (p->markdown)
        buf_addf(p->out, "\n%.*s ", level, "######");
    else
        buf_addf(p->out, "<h%d>", level);
    add_text(p, text);
    if (p->markdown)
        buf_adds(p->out, "\n\n");
    else
        buf_addf(p->out, "</h%d>\n", level);
}

void page_text(struct page *p, const char *text)
{
    buf_adds(p->out, p->markdown ? "" : "<p>");
    add_text(p, text);
    buf_adds(p->out, p->markdown ? "\n\n" : "</p>\n");
}

/* Lines that are indented are code, whatever is in them. */
static void add_indented(struct buf *b, const char *text)
{
    struct str rest = str_of(text), line;
    while (rest.len && str_split(&rest, '\n', &line))
        buf_addf(b, "    %.*s\n", STRF(line));
    buf_addc(b, '\n');
}

static void add_lines(struct buf *b, const char *text)
{
    struct str rest = str_of(text), line;
    struct arena *a = arena_new();
    while (rest.len && str_split(&rest, '\n', &line)) {
        plot_xml(b, arena_cstr(a, line));
        buf_addc(b, '\n');
    }
    arena_free(a);
}

void page_code(struct page *p, const char *text)
{
    if (p->markdown) {
        add_indented(p->out, text);
        return;
    }
    buf_adds(p->out, "<pre>");
    add_lines(p->out, text);
    buf_adds(p->out, "</pre>\n");
}

void page_table_begin(struct page *p, const char *const *titles, size_t count)
{
    if (!p->markdown)
        buf_adds(p->out, "<table>\n<thead><tr>");
    for (size_t i = 0; i < count; i++) {
        buf_adds(p->out, p->markdown ? "| " : "<th>");
        add_text(p, titles[i]);
        buf_adds(p->out, p->markdown ? " " : "</th>");
    }
    buf_adds(p->out, p->markdown ? "|\n" : "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count && p->markdown; i++)
        buf_adds(p->out, "|---");
    buf_adds(p->out, p->markdown ? "|\n" : "");
}

void page_row(struct page *p, const char *const *cells, size_t count)
{
    buf_adds(p->out, p->markdown ? "" : "<tr>");
    for (size_t i = 0; i < count; i++) {
        buf_adds(p->out, p->markdown ? "| " : "<td>");
        add_text(p, cells[i] ? cells[i] : "");
        buf_adds(p->out, p->markdown ? " " : "</td>");
    }
    buf_adds(p->out, p->markdown ? "|\n" : "</tr>\n");
}

void page_table_end(struct page *p)
{
    buf_adds(p->out, p->markdown ? "\n" : "</tbody></table>\n");
}

int page_figure(struct page *p, const struct plot *plot, struct err *err)
{
    struct plot_look look = {
        .marks_max = MARKS_MAX, .width = WIDTH, .height = HEIGHT};
    struct buf b;
    if (p->markdown)
        look = (struct plot_look){.marks_max = MARKS_MAX,
                                  .width = FIGURE_COLUMNS,
                                  .height = FIGURE_ROWS,
                                  .unicode = true};
    const struct plot_backend *backend =
        plot_backend_of(p->markdown ? "terminal" : "a.svg", err);
    buf_init(&b);
    int rc = backend ? plot_draw(plot, backend, &look, &b, err) : -1;
    if (!rc && p->markdown)
        add_indented(p->out, b.p);
    else if (!rc)
        buf_addf(p->out, "<figure>%s</figure>\n", b.p);
    buf_done(&b);
    return rc;
}
