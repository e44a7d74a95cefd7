/* help.c - the help verb, made from the table of verbs */
#include <stdio.h>
#include "cli/cli.h"

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
    buf_addf(b, "throng %s %s\n\n%s.\n", v->name, v->args, v->summary);
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
                "ensembles, nothing lost.\n\nusage: throng VERB …\n\n");
    for (size_t i = 0; verbs[i]; i++)
        buf_addf(b, "  %-9s %s\n", verbs[i]->name, verbs[i]->summary);
    buf_adds(b, "\nA STUDY is a study file, its name, or left out: the one "
                "used last here.\nTRIALS are 7, 1-10,15, failed, best:20, "
                "tag:x, last.\n`throng help VERB` says more.\n");
}

static int run(struct call *c)
{
    struct buf b;
    buf_init(&b);
    if (c->arg_count == 0)
        help_all(&b);
    for (size_t i = 0; i < c->arg_count; i++) {
        size_t k = 0;
        while (verbs[k] && strcmp(verbs[k]->name, c->args[i]))
            k++;
        if (!verbs[k]) {
            buf_done(&b);
            return call_usage(c, "there is no verb `%s`", c->args[i]);
        }
        help_verb(&b, verbs[k]);
    }
    put(buf_str(&b));
    buf_done(&b);
    return EXIT_OK;
}

const struct verb verb_help = {
    .name = "help",
    .args = "[VERB]",
    .summary = "Say what a verb does and which options it takes",
    .text = "",
    .options = (const struct option_spec[]){{0}},
    .run = run,
};
