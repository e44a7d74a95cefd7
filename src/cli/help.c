/* help.c - the help verb, made from the table of verbs */
#include <stdio.h>
#include "cli/cli.h"
#include "cli/help_topics.h"
#include "cli/man.h"
#include "cli/foreign_verbs.h"

#define VERBS_MAX 64

static void print_option(struct buf *b, const struct option_spec *o)
{
    char left[64];
    snprintf(left, sizeof(left), "%s%c%s--%s%s%s", o->letter ? "-" : " ",
             o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
             o->arg ? " " : "", o->arg ? o->arg : "");
    /* A … takes three bytes and one column. */
    int width = 26 + (o->arg && strstr(o->arg, "…") ? 2 : 0);
    buf_addf(b, "  %-*s %s\n", width, left, o->help);
}

void help_text(struct buf *b, const struct verb *v)
{
    if (v->list)
        v->list(b);
    buf_adds(b, v->text);
}

void help_verb(struct buf *b, const struct verb *v)
{
    buf_addf(b, "usage: throng %s%s%s%s\n\n%s.\n", v->name,
             v->options[0].name ? " [OPTIONS]" : "", *v->args ? " " : "",
             v->args, v->summary);
    if (*v->text) {
        buf_addc(b, '\n');
        help_text(b, v);
    }
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
        buf_addf(b, "  %-11s %s\n", verbs[i]->name, verbs[i]->summary);
    buf_adds(b, "\nA STUDY is a study file, its name or its folder; left "
                "out, it is the one used\nlast here. TRIALS are 7, 1-10,15, "
                "failed, best:20, tag:x, last, all.\n`throng help VERB` says "
                "more. Topics: study, methods, protocol, "
                "selectors,\nfilter, exit-codes, environment.\n");
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

/* A verb or a topic that may have been meant. */
static const char *nearest_name(const char *name)
{
    const char *names[VERBS_MAX + 1];
    size_t n = 0;
    for (size_t i = 0; verbs[i]; i++)
        names[n++] = verbs[i]->name;
    for (size_t i = 0; help_topics[i].name; i++)
        names[n++] = help_topics[i].name;
    require(n <= VERBS_MAX);
    names[n] = NULL;
    return str_nearest(str_of(name), names);
}

static int no_such_help(struct call *c, const char *name)
{
    const char *other = verb_of_other_word(name);
    const char *near = other ? other : nearest_name(name);
    struct buf topics;
    if (near)
        return call_usage(c, "there is no verb `%s`; did you mean `%s`?", name,
                          near);
    buf_init(&topics);
    for (size_t i = 0; help_topics[i].name; i++)
        buf_addf(&topics, "%s%s", i ? ", " : "", help_topics[i].name);
    int code = call_usage(c,
                          "there is no verb and no topic `%s`; topics are %s; "
                          "`throng help` lists the verbs",
                          name, topics.p);
    buf_done(&topics);
    return code;
}

static bool help_one(struct buf *b, const char *name)
{
    const struct help_topic *topic = help_topic(name);
    if (topic) {
        topic->print(b);
        return true;
    }
    for (size_t i = 0; verbs[i]; i++) {
        if (strcmp(verbs[i]->name, name))
            continue;
        help_verb(b, verbs[i]);
        return true;
    }
    return help_word(b, name);
}

static int run(struct call *c)
{
    bool man = call_flag(c, "man");
    struct buf b;
    buf_init(&b);
    if (c->arg_count == 0)
        (man ? man_list : help_all)(&b);
    for (size_t i = 0; i < c->arg_count; i++) {
        if (i)
            buf_addc(&b, '\n');
        if ((man ? man_page : help_one)(&b, c->args[i]))
            continue;
        buf_done(&b);
        if (man)
            return call_usage(c, "there is no manual page `%s`", c->args[i]);
        return no_such_help(c, c->args[i]);
    }
    put(buf_str(&b));
    buf_done(&b);
    return EXIT_OK;
}

VERB(help) = {
    .name = "help",
    .args = "[VERB|TOPIC|KEY]",
    .summary = "Say what a verb does and which options it takes",
    .text = "Also a key of a study file (keep, metric.goal, patience), a rule "
            "of\nearly_terminate (asha) or a method (tpe) by itself.\n\n"
            "The topics:\n\n"
            "  study        every key of a study file\n"
            "  methods      every method and its options\n"
            "  protocol     how a program gets parameters and hands in "
            "results\n"
            "  selectors    how trials are named\n"
            "  filter       the language of --where\n"
            "  exit-codes   what throng's exit codes mean\n"
            "  environment  variables that throng looks at\n",
    .options =
        (const struct option_spec[]){
            {"man", 0, NULL, "as a manual page; alone: which pages there are"},
            {0}},
    .pages = true,
    .run = run,
};
