/* help.c - the help verb, made from the table of verbs */
#include <stdio.h>
#include "cli/cli.h"

#define VERBS_MAX 64
#define WIDTH 80

static void print_option(struct buf *b, const struct option_spec *o)
{
    char left[64];
    snprintf(left, sizeof(left), "%s%c%s--%s%s%s", o->letter ? "-" : " ",
             o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
             o->arg ? " " : "", o->arg ? o->arg : "");
    buf_addf(b, "  %-26s %s\n", left, o->help);
}

void help_verb(struct buf *b, const struct verb *v)
{
    buf_addf(b, "usage: throng %s%s%s%s\n\n%s.\n", v->name,
             v->options[0].name ? " [OPTIONS]" : "", *v->args ? " " : "",
             v->args, v->summary);
    if (v->text && *v->text)
        buf_addf(b, "\n%s", v->text);
    if (!v->options[0].name)
        return;
    buf_adds(b, "\nOptions:\n");
    for (size_t i = 0; v->options[i].name; i++)
        print_option(b, &v->options[i]);
}

void help_all(struct buf *b)
{
    buf_adds(b, "throng trains a throng of models: searches, sweeps and "
                "ensembles, nothing lost.\n\nusage: throng VERB [OPTIONS] "
                "[ARGUMENTS]\n\n");
    for (size_t i = 0; verbs[i]; i++)
        buf_addf(b, "  %-9s %s\n", verbs[i]->name, verbs[i]->summary);
    buf_adds(b, "\nA STUDY is a study file, its name or its folder; left "
                "out, it is the one used\nlast here. TRIALS are 7, 1-10,15, "
                "failed, best:20, tag:x, last, all.\n`throng help VERB` says "
                "more, `throng help study-file` lists a study's keys.\n");
}

const char *nearest_verb(const char *name)
{
    const char *names[VERBS_MAX + 1];
    size_t n = 0;
    for (; verbs[n]; n++) {
        require(n < VERBS_MAX);
        names[n] = verbs[n]->name;
    }
    names[n] = NULL;
    return str_nearest(str_of(name), names);
}

/* Appends words, indented, in lines of fewer than WIDTH columns. */
static void add_wrapped(struct buf *b, const char *text)
{
    struct str rest = str_of(text), word;
    size_t used = 0;
    while (str_split(&rest, ' ', &word)) {
        if (used && used + 1 + word.len >= WIDTH) {
            buf_addc(b, '\n');
            used = 0;
        }
        buf_adds(b, used ? " " : "      ");
        buf_addstr(b, word);
        used += word.len + (used ? 1 : 6);
    }
    buf_addc(b, '\n');
}

/* Every key of a study file, in the order in which they are read. */
static void help_study_file(struct buf *b)
{
    buf_adds(b, "Keys of a study file (docs/reference/study-file.md says "
                "more):\n\n");
    for (size_t i = 0; plan_key_at(i); i++) {
        const struct plan_key *k = plan_key_at(i);
        buf_addf(b, "  %s: %s\n", k->name, k->kind);
        add_wrapped(b, k->help);
    }
}

static int no_such_verb(struct call *c, const char *name)
{
    const char *near = nearest_verb(name);
    if (near)
        return call_usage(c, "there is no verb `%s`; did you mean `%s`?", name,
                          near);
    return call_usage(c, "there is no verb `%s`", name);
}

static int run(struct call *c)
{
    struct buf b;
    buf_init(&b);
    if (c->arg_count == 0)
        help_all(&b);
    for (size_t i = 0; i < c->arg_count; i++) {
        size_t k = 0;
        if (!strcmp(c->args[i], "study-file")) {
            help_study_file(&b);
            continue;
        }
        while (verbs[k] && strcmp(verbs[k]->name, c->args[i]))
            k++;
        if (!verbs[k]) {
            buf_done(&b);
            return no_such_verb(c, c->args[i]);
        }
        if (i)
            buf_addc(&b, '\n');
        help_verb(&b, verbs[k]);
    }
    put(buf_str(&b));
    buf_done(&b);
    return EXIT_OK;
}

const struct verb verb_help = {
    .name = "help",
    .args = "[VERB|study-file]",
    .summary = "Say what a verb does and which options it takes",
    .text = "`throng help study-file` lists every key of a study file.\n",
    .options = (const struct option_spec[]){{0}},
    .run = run,
};
