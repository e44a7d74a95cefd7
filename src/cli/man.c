/* man.c - manual pages, made from the table of verbs and the topics
 *
 * Help texts are plain: paragraphs, and lines that are indented to stand as
 * they are. That is all that has to become roff. */
#include "cli/man.h"

#include <stdio.h>
#include "cli/help_topics.h"

#define TITLE_MAX 64

/* ---- roff ------------------------------------------------------------- */

/* A character outside of ASCII, by its number. */
static size_t add_wide(struct buf *b, struct str s)
{
    size_t n = str_utf8_next(s);
    if (n < 2)
        return 1;
    unsigned code = (unsigned char)s.p[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++)
        code = code << 6 | ((unsigned char)s.p[i] & 0x3fu);
    buf_addf(b, "\\[u%04X]", code);
    return n;
}

/* Text of one line: nothing in it may look like a request or an escape. */
static void add_text(struct buf *b, struct str s)
{
    if (s.len && (s.p[0] == '.' || s.p[0] == '\''))
        buf_adds(b, "\\&");
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.p[i] >= 0x80)
            i += add_wide(b, str_n(s.p + i, s.len - i)) - 1;
        else if (s.p[i] == '\\')
            buf_adds(b, "\\e");
        else if (s.p[i] == '-')
            buf_adds(b, "\\-");
        else if (s.p[i] == '`')
            buf_adds(b, "\\(ga");
        else
            buf_addc(b, s.p[i]);
    }
}

/* Paragraphs are filled; indented lines stand as they are. */
static void add_body(struct buf *b, struct str text)
{
    struct str line;
    bool literal = false;
    while (text.len && str_split(&text, '\n', &line)) {
        bool indented = line.len && line.p[0] == ' ';
        if (indented && !literal)
            buf_adds(b, ".PP\n.nf\n");
        if (!indented && line.len && literal)
            buf_adds(b, ".fi\n.PP\n");
        if (line.len)
            literal = indented;
        if (!line.len && !literal)
            buf_adds(b, ".PP");
        add_text(b, line);
        buf_addc(b, '\n');
    }
    if (literal)
        buf_adds(b, ".fi\n");
}

static void add_title(struct buf *b, const char *name, char section,
                      const char *summary)
{
    buf_adds(b, ".TH \"");
    for (const char *p = name; *p; p++)
        buf_addc(b, *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p);
    buf_addf(b,
             "\" \"%c\" \"\" \"throng " THRONG_VERSION "\" \"throng\"\n"
             ".SH NAME\n%s \\- ",
             section, name);
    add_text(b, str_of(summary));
    buf_addc(b, '\n');
}

/* ---- pages ------------------------------------------------------------ */

static void add_options(struct buf *b, const struct option_spec *o)
{
    if (!o[0].name)
        return;
    buf_adds(b, ".SH OPTIONS\n");
    for (size_t i = 0; o[i].name; i++) {
        buf_adds(b, ".TP\n");
        if (o[i].letter)
            buf_addf(b, "\\fB\\-%c\\fR, ", o[i].letter);
        buf_adds(b, "\\fB\\-\\-");
        add_text(b, str_of(o[i].name));
        buf_adds(b, "\\fR");
        if (o[i].arg) {
            buf_adds(b, " \\fI");
            add_text(b, str_of(o[i].arg));
            buf_adds(b, "\\fR");
        }
        buf_addc(b, '\n');
        add_text(b, str_of(o[i].help));
        buf_addc(b, '\n');
    }
}

static void verb_page(struct buf *b, const struct verb *v)
{
    char title[TITLE_MAX];
    struct buf text;
    buf_init(&text);
    help_text(&text, v);
    snprintf(title, sizeof(title), "throng-%s", v->name);
    add_title(b, title, '1', v->summary);
    buf_adds(b, ".SH SYNOPSIS\n\\fBthrong ");
    add_text(b, str_of(v->name));
    buf_addf(b, "\\fR%s%s", v->options[0].name ? " [\\fIOPTIONS\\fR]" : "",
             *v->args ? " " : "");
    add_text(b, str_of(v->args));
    buf_addf(b, "\n.SH DESCRIPTION\n%s.\n", v->summary);
    if (text.len)
        buf_adds(b, ".PP\n");
    add_body(b, buf_str(&text));
    buf_done(&text);
    add_options(b, v->options);
    buf_adds(b, ".SH SEE ALSO\nthrong(1), throng\\-study(5), "
                "throng\\-protocol(7)\n");
}

static void topic_page(struct buf *b, const struct help_topic *t, char section)
{
    char title[TITLE_MAX];
    struct buf text;
    snprintf(title, sizeof(title), "throng-%s", t->name);
    add_title(b, title, section, t->summary);
    buf_adds(b, ".SH DESCRIPTION\n");
    buf_init(&text);
    t->print(&text);
    add_body(b, buf_str(&text));
    buf_done(&text);
    buf_adds(b, ".SH SEE ALSO\nthrong(1)\n");
}

static void main_page(struct buf *b)
{
    struct buf text;
    add_title(b, "throng", '1', "train a throng of models");
    buf_adds(b, ".SH SYNOPSIS\n\\fBthrong\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR] "
                "[\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\nRuns very many "
                "machine\\-learning tasks: searches, sweeps, ensembles, bulk "
                "inference. A study file says what; every trial, its metrics "
                "and its results are kept, and a study that was interrupted "
                "goes on where it was.\n.SH VERBS\n");
    for (size_t i = 0; verbs[i]; i++) {
        buf_addf(b, ".TP\n\\fBthrong\\-%s\\fR(1)\n", verbs[i]->name);
        add_text(b, str_of(verbs[i]->summary));
        buf_addc(b, '\n');
    }
    static const char *const parts[][2] = {{"selectors", "NAMING TRIALS"},
                                           {"filter", "FILTERS"},
                                           {"exit-codes", "EXIT STATUS"},
                                           {"environment", "ENVIRONMENT"}};
    buf_init(&text);
    for (size_t i = 0; i < 4; i++) {
        buf_addf(b, ".SH %s\n", parts[i][1]);
        buf_reset(&text);
        help_topic(parts[i][0])->print(&text);
        add_body(b, buf_str(&text));
    }
    buf_done(&text);
    buf_adds(b, ".SH SEE ALSO\nthrong\\-study(5), throng\\-protocol(7)\n");
}

/* ---- by name ---------------------------------------------------------- */

void man_list(struct buf *b)
{
    buf_adds(b, "throng.1\n");
    for (size_t i = 0; verbs[i]; i++)
        buf_addf(b, "throng-%s.1\n", verbs[i]->name);
    buf_adds(b, "throng-study.5\nthrong-protocol.7\n");
}

bool man_page(struct buf *b, const char *page)
{
    char name[TITLE_MAX];
    if (!strcmp(page, "throng.1")) {
        main_page(b);
        return true;
    }
    if (!strcmp(page, "throng-study.5") || !strcmp(page, "throng-protocol.7")) {
        bool study = page[strlen(page) - 1] == '5';
        topic_page(b, help_topic(study ? "study" : "protocol"),
                   study ? '5' : '7');
        return true;
    }
    for (size_t i = 0; verbs[i]; i++) {
        snprintf(name, sizeof(name), "throng-%s.1", verbs[i]->name);
        if (strcmp(name, page) && strcmp(verbs[i]->name, page))
            continue;
        verb_page(b, verbs[i]);
        return true;
    }
    return false;
}
