/* summary.c - studies on one page, to hand on */
#include "cli/cli.h"
#include "figure/figure.h"

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n >= k && !strcmp(text + n - k, end);
}

/* One study of those that were named, or the one used last. */
static int add_study(struct call *c, struct page *page, const char *what)
{
    struct place_of_study where;
    if (locate_study(c->arena, what, &where, &c->err))
        return -1;
    struct store *store = store_open(where.folder, false, &c->err);
    if (!store)
        return -1;
    int rc = summary_add(page, store, &where, &c->err);
    store_close(store);
    return rc;
}

static const char *title_of(struct call *c)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < c->arg_count; i++)
        buf_addf(&b, "%s%s", i ? ", " : "", c->args[i]);
    const char *title =
        arena_cstr(c->arena, b.len ? buf_str(&b) : STR("summary"));
    buf_done(&b);
    return title;
}

static int write_page(struct call *c, const char *file, const struct buf *b)
{
    if (!file) {
        put(buf_str(b));
        return 0;
    }
    if (file_write(file, buf_str(b), false, &c->err))
        return -1;
    say("throng summary: wrote %s\n", file);
    return 0;
}

static int run(struct call *c)
{
    const char *file = call_option(c, "output");
    bool markdown = !file || ends_with(file, ".md");
    struct buf b;
    if (file && !markdown && !ends_with(file, ".html"))
        return call_usage(c, "%s: a summary's file ends with .html or .md",
                          file);
    buf_init(&b);
    struct page page = {.out = &b, .markdown = markdown, .arena = c->arena};
    int rc = 0;
    page_begin(&page, title_of(c));
    for (size_t i = 0; i < c->arg_count && !rc; i++)
        rc = add_study(c, &page, c->args[i]);
    if (!c->arg_count)
        rc = add_study(c, &page, NULL);
    page_end(&page);
    if (!rc)
        rc = write_page(c, file, &b);
    buf_done(&b);
    return rc ? call_fail(c) : EXIT_OK;
}

VERB(summary) = {
    .name = "summary",
    .args = "[STUDY]...",
    .summary = "Put studies on one page that needs nothing else",
    .text = "How each stands, its best trials, what decides, figures, "
            "failures, where it\ncomes from (commit, study file, seed) and "
            "how to do it again. With -o page.html\nthe figures are inside, "
            "and it prints on paper; with -o page.md, or without -o,\nit is "
            "Markdown with figures of characters.\n",
    .options = (const struct option_spec[]){{"output", 'o', "FILE",
                                             "write it there: .html or .md"},
                                            {0}},
    .run = run,
    .pages = true,
};
