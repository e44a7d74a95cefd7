/* export.c - the page of one study as one file
 *
 * The document has the page's own style and script, and what the script would
 * ask a server for: answers of the routes as JSON, and all trials as columns,
 * both gzipped and written in letters. Whoever opens it needs nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "web/page.h"
#include "web/routes.h"

#define CURVE_TRIALS 1000 /* the best, whose curves are inside */
#define CURVE_POINTS 100
#define METRICS_MAX 20

struct exporting {
    struct web *web;
    struct served *study;
    struct store *store;
    struct arena *arena;
    const char *base; /* "studies/NAME", encoded */
    struct buf json;
    struct err *err;
};

static void add_base64(struct buf *b, struct str s)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs"
        "tuvwxyz0123456789+/";
    const unsigned char *p = (const unsigned char *)s.p;
    buf_reserve(b, s.len / 3 * 4 + 8);
    for (size_t i = 0; i < s.len; i += 3) {
        size_t left = s.len - i;
        uint32_t v = (uint32_t)p[i] << 16 |
                     (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
                     (left > 2 ? p[i + 2] : 0);
        buf_addc(b, letters[v >> 18]);
        buf_addc(b, letters[v >> 12 & 63]);
        buf_addc(b, left > 1 ? letters[v >> 6 & 63] : '=');
        buf_addc(b, left > 2 ? letters[v & 63] : '=');
    }
}

static void add_packed(struct buf *b, struct str s)
{
    struct buf packed;
    buf_init(&packed);
    gzip_add(&packed, s);
    add_base64(b, buf_str(&packed));
    buf_done(&packed);
}

static void add_encoded(struct buf *b, const char *text)
{
    for (; *text; text++)
        buf_addf(b, "%%%02x", (unsigned char)*text);
}

/* What a route answers, also when that is an error: the page says it then. */
static void add_answer(struct exporting *e, const char *name, const char *path)
{
    struct answer a;
    routes_answer(e->web, arena_printf(e->arena, "%s/%s", e->base, path), &a);
    json_string(&e->json, str_of(name));
    buf_addc(&e->json, ':');
    buf_addstr(&e->json, str_trim(buf_str(&a.body)));
    answer_done(&a);
}

static const char *encoded(struct exporting *e, const char *text)
{
    struct buf b;
    buf_init(&b);
    add_encoded(&b, text);
    const char *copy = arena_cstr(e->arena, buf_str(&b));
    buf_done(&b);
    return copy;
}

static void add_answers(struct exporting *e, const char *const *metrics)
{
    static const char *const plain[] = {"about", "importance", "errors",
                                        "load"};
    buf_adds(&e->json, ",\"answers\":{");
    for (size_t i = 0; i < 4; i++) {
        buf_adds(&e->json, i ? "," : "");
        add_answer(e, plain[i], plain[i]);
    }
    struct study_goal goal;
    if (!study_goal_read(e->store, e->arena, &goal, NULL) &&
        goal_has_fronts(&goal.all)) {
        buf_addc(&e->json, ',');
        add_answer(e, "rank", "rank?limit=1000&front=1");
    }
    for (size_t i = 0; metrics[i] && i < METRICS_MAX; i++) {
        buf_addc(&e->json, ',');
        add_answer(e, arena_printf(e->arena, "bands %s", metrics[i]),
                   arena_printf(e->arena, "bands?points=200&metric=%s",
                                encoded(e, metrics[i])));
    }
    buf_addc(&e->json, '}');
}

/* ---- curves ------------------------------------------------------------- */

/* The numbers of the best trials, as selectors of as many as one answer has. */
static int best_selectors(struct exporting *e, const char ***list)
{
    struct query q = {.selector =
                          arena_printf(e->arena, "best:%d", CURVE_TRIALS)};
    VEC(const char *) all = {0};
    struct rows *rows = store_rows(e->store, &q, e->err);
    struct trial t;
    struct buf b;
    size_t count = 0;
    int got = rows ? 1 : -1;
    buf_init(&b);
    while (got > 0 && (got = rows_next(rows, &t, e->err)) > 0) {
        buf_addf(&b, "%s%lld", b.len ? "," : "", (long long)t.id);
        if (++count % CURVES_MAX == 0) {
            vec_push(&all, arena_cstr(e->arena, buf_str(&b)));
            buf_reset(&b);
        }
    }
    if (b.len)
        vec_push(&all, arena_cstr(e->arena, buf_str(&b)));
    rows_close(rows);
    buf_done(&b);
    *list = vec_to_arena(e->arena, &all);
    return got;
}

/* The list within {"…":…,"curves":[…],"cut":false}. */
static struct str curves_within(struct str text)
{
    static const char front[] = "\"curves\":[", back[] = "],\"cut\":";
    const char *from = memmem(text.p, text.len, front, strlen(front));
    const char *to = from ? memmem(from, text.len - (size_t)(from - text.p),
                                   back, strlen(back))
                          : NULL;
    if (!to)
        return (struct str){"", 0};
    from += strlen(front);
    return str_n(from, (size_t)(to - from));
}

static int add_curves(struct exporting *e, const char *metric,
                      const char *const *selectors)
{
    struct buf b;
    bool first = true;
    json_string(&e->json, str_of(metric));
    buf_adds(&e->json, ":[");
    buf_init(&b);
    int rc = 0;
    for (size_t i = 0; !rc && selectors[i]; i++) {
        buf_reset(&b);
        rc = curves_json(&b, e->store, selectors[i], metric, CURVE_POINTS,
                         e->arena, e->err);
        struct str list = rc ? STR("") : curves_within(buf_str(&b));
        if (list.len) {
            buf_adds(&e->json, first ? "" : ",");
            buf_addstr(&e->json, list);
            first = false;
        }
    }
    buf_addc(&e->json, ']');
    buf_done(&b);
    return rc;
}

/* ---- the document ---------------------------------------------------------
 */

static int add_standing(struct exporting *e)
{
    const struct frame *f = e->study->frame;
    buf_addf(&e->json,
             ",\"standing\":{\"made\":%u,\"revision\":%u,\"rows\":%zu", f->made,
             f->revision, f->rows);
    if (events_standing(&e->json, e->study, e->err))
        return -1;
    buf_addc(&e->json, '}');
    return 0;
}

static int make_json(struct exporting *e)
{
    const char **selectors;
    const char **metrics = store_metric_names(e->store, 0, e->arena, e->err);
    if (!metrics || best_selectors(e, &selectors))
        return -1;
    buf_adds(&e->json, "{\"study\":");
    json_string(&e->json, str_of(e->study->where.name));
    add_answers(e, metrics);
    if (add_standing(e))
        return -1;
    buf_adds(&e->json, ",\"curves\":{");
    for (size_t i = 0; metrics[i] && i < METRICS_MAX; i++) {
        buf_adds(&e->json, i ? "," : "");
        if (add_curves(e, metrics[i], selectors))
            return -1;
    }
    buf_adds(&e->json, "}}");
    return 0;
}

static void add_page_file(struct buf *b, const char *path)
{
    struct answer a;
    answer_init(&a);
    if (page_answer(&a, str_of(path))) {
        answer_unpack(&a);
        buf_addstr(b, buf_str(&a.body));
    }
    answer_done(&a);
}

static void add_document(struct exporting *e, struct buf *b, struct str columns)
{
    buf_adds(b,
             "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, "
             "initial-scale=1\">\n<title>throng</title>\n<style>\n");
    add_page_file(b, "/style.css");
    buf_adds(b, "</style>\n<body>\n<div id=\"app\"></div>\n"
                "<script type=\"text/plain\" id=\"throng-export\">\n");
    add_packed(b, buf_str(&e->json));
    buf_addc(b, '\n');
    add_packed(b, columns);
    buf_adds(b, "\n</script>\n<script>\n");
    add_page_file(b, "/app.js");
    buf_adds(b, "</script>\n</body>\n</html>\n");
}

static int write_page(struct exporting *e, const char *path)
{
    struct answer columns;
    struct buf text;
    buf_init(&text);
    routes_answer(e->web, arena_printf(e->arena, "%s/columns", e->base),
                  &columns);
    int rc = make_json(e);
    if (!rc) {
        add_document(e, &text, buf_str(&columns.body));
        rc = file_write(path, buf_str(&text), false, e->err);
    }
    answer_done(&columns);
    buf_done(&text);
    return rc;
}

int web_export(const struct web_setup *setup, const char *path, struct err *err)
{
    struct exporting e = {.arena = arena_new(), .err = err};
    struct answer first;
    int rc = -1;
    if (!web_has_page()) {
        arena_free(e.arena);
        return err_set(err, ERR_MISSING,
                       "this throng was built without its page; `make demo` "
                       "builds it");
    }
    buf_init(&e.json);
    e.web = web_new(setup);
    e.base = arena_printf(e.arena, "studies/%s", encoded(&e, setup->study));
    routes_answer(e.web, e.base, &first);
    e.study = e.web->studies;
    if (!e.study)
        err_set(err, ERR_MISSING, "there is no study %s in %s", setup->study,
                setup->folder);
    else if (!served_look(e.study, true, err) &&
             (e.store = store_open(e.study->where.folder, false, err)))
        rc = store_is_campaign(e.store)
                 ? err_set(err, ERR_INPUT,
                           "%s is a campaign; a file has one study, such as "
                           "that of a stage: %s/STAGE",
                           setup->study, setup->study)
                 : write_page(&e, path);
    answer_done(&first);
    store_close(e.store);
    web_close(e.web);
    buf_done(&e.json);
    arena_free(e.arena);
    return rc;
}
