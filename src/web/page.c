/* page.c - the page, as it was built into the program
 *
 * tools/embed makes one table of the files below web/dist, each gzipped. Where
 * they could not be built there is no table, and a plain page says so. */
#include "web/page.h"

#include "web/routes.h"

static const char without[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
    "<title>throng</title><h1>throng</h1>"
    "<p>This throng was built without its page, since npm was not there. "
    "<code>make demo</code> installs npm and builds it.</p>"
    "<p>Programs are answered below <code>api/v1/</code>; "
    "docs/reference/web-api.md says what they can ask.</p>";

bool web_has_page(void)
{
    return page_file_count > 0;
}

static const struct page_file *find(struct str path)
{
    if (str_is(path, "/"))
        path = STR("/index.html");
    for (size_t i = 0; i < page_file_count; i++)
        if (str_is(path, page_files[i].path))
            return &page_files[i];
    return NULL;
}

bool page_answer(struct answer *a, struct str path)
{
    const struct page_file *f = find(path);
    a->kept = true;
    if (f) {
        buf_add(&a->body, f->bytes, (size_t)(f->end - f->bytes));
        a->type = f->type;
        a->packed = true;
        answer_tag(a);
        return true;
    }
    if (page_file_count || !str_is(path, "/"))
        return false;
    buf_adds(&a->body, without);
    a->type = "text/html; charset=utf-8";
    return true;
}
