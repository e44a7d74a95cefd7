/* complete.c - what may come next on a command line, for the shells
 *
 * `throng __complete -- WORD…` prints the candidates for the last word, one a
 * line, a description behind a tab. The line ":files" stands for the names of
 * files. Everything comes from the table of verbs, and names from the study
 * that the line names (or the one used last); a study that cannot be read
 * gives none. */
#include <stdio.h>
#include "base/json.h"
#include "cli/cli.h"
#include "cli/help_topics.h"
#include "cli/init_text.h"

struct completer {
    struct arena *arena;
    const struct verb *verb;
    const char **words; /* behind the verb, without the last one */
    size_t count;
    const char *word; /* the last one: what is being written */
    const char *lead; /* what stands before what is completed: "--by=" */
    struct buf out;
};

/* ---- candidates ------------------------------------------------------- */

static void offer(struct completer *k, const char *text, const char *help)
{
    if (strncmp(text, k->word, strlen(k->word)))
        return;
    buf_addf(&k->out, "%s%s", k->lead, text);
    if (help && *help)
        buf_addf(&k->out, "\t%s", help);
    buf_addc(&k->out, '\n');
}

static void offer_files(struct completer *k)
{
    buf_adds(&k->out, ":files\n");
}

static void offer_verbs(struct completer *k)
{
    for (size_t i = 0; verbs[i]; i++)
        offer(k, verbs[i]->name, verbs[i]->summary);
}

static void offer_options(struct completer *k)
{
    const struct option_spec *o = k->verb->options;
    for (size_t i = 0; o[i].name; i++)
        offer(k, arena_printf(k->arena, "--%s", o[i].name), o[i].help);
    offer(k, "--help", "say what the verb does");
}

static void offer_studies(struct completer *k)
{
    const char **names = dir_list(".throng", k->arena, NULL);
    for (; names && *names; names++)
        if (**names != '.')
            offer(k, *names, "study");
}

static void offer_trials(struct completer *k)
{
    static const char *const words[][2] = {
        {"all", "every trial"},     {"last", "the last trial"},
        {"best:", "best:N"},        {"worst:", "worst:N"},
        {"last:", "last:N"},        {"tag:", "tag:NAME"},
        {"bad", "all that failed"}, {"finished", "in a final state"},
    };
    const char *comma = strrchr(k->word, ',');
    if (comma) {
        k->lead = arena_printf(k->arena, "%s%.*s", k->lead,
                               (int)(comma + 1 - k->word), k->word);
        k->word = comma + 1;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        offer(k, words[i][0], words[i][1]);
    for (int i = 0; i < STATE_COUNT; i++)
        offer(k, state_name((enum state)i), "state");
}

/* ---- names from a study ----------------------------------------------- */

static struct store *open_study(struct completer *k)
{
    struct place_of_study where;
    const char *what = NULL;
    for (size_t i = 0; i < k->count && !what; i++)
        if (*k->words[i] != '-' && names_study(k->words[i]))
            what = k->words[i];
    if (locate_study(k->arena, what, &where, NULL))
        return NULL;
    return store_open(where.folder, false, NULL);
}

static void offer_param(struct completer *k, struct str name, const char *end)
{
    offer(k, arena_printf(k->arena, "%.*s%s", STRF(name), end), "parameter");
}

/* The space's parameters, or the members of the first point. */
static void offer_params(struct completer *k, const char *end)
{
    struct store *store = open_study(k);
    struct space space = {0};
    struct str text;
    struct trial t;
    if (!store)
        return;
    if (!store_fact(store, "space", k->arena, &text, NULL) && text.p) {
        struct value *v = json_parse(k->arena, text, "", true, NULL);
        if (v)
            space_from_value(&space, v, k->arena, NULL);
    }
    for (size_t i = 0; i < space.count; i++)
        offer_param(k, space.params[i].name, end);
    if (!space.count && !store_trial(store, 1, k->arena, &t, NULL)) {
        struct value *v = json_parse(k->arena, t.point, "", true, NULL);
        for (size_t i = 0; v && i < v->count; i++)
            offer_param(k, v->keys[i], end);
    }
    store_close(store);
}

static void offer_metrics(struct completer *k)
{
    struct store *store = open_study(k);
    if (!store)
        return;
    const char **names = store_metric_names(store, 0, k->arena, NULL);
    for (; names && *names; names++)
        offer(k, *names, "metric");
    store_close(store);
}

/* The last name of a filter that is being written. */
static void offer_filter(struct completer *k)
{
    size_t n = strlen(k->word), at = n;
    while (at && !strchr(" ()<>=!&|", k->word[at - 1]))
        at--;
    k->lead = arena_printf(k->arena, "%s%.*s", k->lead, (int)at, k->word);
    k->word += at;
    offer_params(k, "");
    offer_metrics(k);
    offer(k, "state", "column");
    offer(k, "seconds", "column");
    offer(k, "attempts", "column");
}

/* Parameters behind the last comma of a point. */
static void offer_point(struct completer *k)
{
    const char *comma = strrchr(k->word, ',');
    if (strchr(comma ? comma : k->word, '='))
        return;
    if (comma) {
        k->lead = arena_printf(k->arena, "%s%.*s", k->lead,
                               (int)(comma + 1 - k->word), k->word);
        k->word = comma + 1;
    }
    offer_params(k, "=");
}

/* ---- values of options ------------------------------------------------ */

static void offer_columns(struct completer *k)
{
    static const char *const columns[] = {"trial", "seconds", "attempts",
                                          "started", "ended"};
    offer_metrics(k);
    offer_params(k, "");
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        offer(k, columns[i], "column");
}

static void offer_over(struct completer *k)
{
    offer_params(k, "");
    offer(k, "seed", "the repeats of a point");
}

static void offer_templates(struct completer *k)
{
    for (size_t i = 0; init_templates[i].name; i++)
        offer(k, init_templates[i].name, init_templates[i].summary);
}

static const struct {
    const char *option;
    void (*offer)(struct completer *k);
} by_option[] = {
    {"by", offer_columns},   {"over", offer_over},
    {"where", offer_filter}, {"like", offer_trials},
    {"fix", offer_point},    {"file", offer_files},
    {"new", offer_studies},  {"template", offer_templates},
};

static void offer_value(struct completer *k, const char *option)
{
    for (size_t i = 0; i < sizeof(by_option) / sizeof(by_option[0]); i++)
        if (!strcmp(by_option[i].option, option))
            by_option[i].offer(k);
}

/* The option that waits for its value, or NULL. */
static const char *open_option(const struct completer *k)
{
    if (!k->count)
        return NULL;
    const char *before = k->words[k->count - 1];
    const struct option_spec *o = k->verb->options;
    for (size_t i = 0; o[i].name; i++) {
        bool letter = o[i].letter && before[0] == '-' &&
                      before[1] == o[i].letter && !before[2];
        bool name = !strncmp(before, "--", 2) && !strcmp(before + 2, o[i].name);
        if (o[i].arg && (letter || name))
            return o[i].name;
    }
    return NULL;
}

/* ---- the line --------------------------------------------------------- */

static bool said_study(const struct completer *k)
{
    for (size_t i = 0; i < k->count; i++)
        if (*k->words[i] != '-' && names_study(k->words[i]))
            return true;
    return false;
}

/* What the verb's arguments are called says what they can be. */
static void offer_arguments(struct completer *k)
{
    const char *args = k->verb->args;
    if (strstr(args, "STUDY.yaml") || strstr(args, "FILE") ||
        strstr(args, "FOLDER"))
        offer_files(k);
    if (strstr(args, "POINT"))
        offer_point(k);
    if (strstr(args, "STUDY") && !strstr(args, "STUDY.yaml") && !said_study(k))
        offer_studies(k);
    if (strstr(args, "TRIALS") || strstr(args, " A B"))
        offer_trials(k);
    if (strstr(args, "VERB"))
        offer_verbs(k);
    if (strstr(args, "TOPIC"))
        for (size_t i = 0; help_topics[i].name; i++)
            offer(k, help_topics[i].name, help_topics[i].summary);
    if (strstr(args, "bash|zsh|fish")) {
        offer(k, "bash", "");
        offer(k, "zsh", "");
        offer(k, "fish", "");
    }
}

static void complete(struct completer *k)
{
    const char *option = open_option(k);
    const char *equals = strchr(k->word, '=');
    if (option) {
        offer_value(k, option);
    } else if (!strncmp(k->word, "--", 2) && equals) {
        struct str name = str_n(k->word + 2, (size_t)(equals - k->word - 2));
        k->lead = arena_printf(k->arena, "--%.*s=", STRF(name));
        k->word = equals + 1;
        offer_value(k, arena_cstr(k->arena, name));
    } else if (*k->word == '-') {
        offer_options(k);
    } else {
        offer_arguments(k);
    }
}

static int run(struct call *c)
{
    struct completer k = {.arena = c->arena, .lead = "", .word = ""};
    buf_init(&k.out);
    if (c->arg_count)
        k.word = c->args[c->arg_count - 1];
    if (c->arg_count < 2) {
        offer_verbs(&k);
    } else {
        for (size_t i = 0; verbs[i] && !k.verb; i++)
            if (!strcmp(verbs[i]->name, c->args[0]))
                k.verb = verbs[i];
        k.words = c->args + 1;
        k.count = c->arg_count - 2;
        if (k.verb)
            complete(&k);
    }
    put(buf_str(&k.out));
    buf_done(&k.out);
    return EXIT_OK;
}

const struct verb verb_complete = {
    .name = "__complete",
    .args = "[WORD…]",
    .summary = "Print what may come next, for the completion of a shell",
    .text = "",
    .options = (const struct option_spec[]){{0}},
    .run = run,
};
