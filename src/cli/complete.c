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
#include "figure/figure.h"
#include "cli/help_topics.h"
#include "study/study.h"

#define BEST 5 /* trials that are offered by number */

struct completer {
    struct arena *arena;
    const struct verb *verb;
    const char **words; /* behind the verb, without the last one */
    size_t count;
    const char *word;  /* the last one: what is being written */
    const char *lead;  /* what stands before what is completed: "--by=" */
    const char *point; /* the part of a point that is written; or NULL */
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

/* Only what stands behind the first n bytes of the word is completed. */
static void enter(struct completer *k, size_t n)
{
    k->lead = arena_printf(k->arena, "%s%.*s", k->lead, (int)n, k->word);
    k->word += n;
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

static void offer_trial_words(struct completer *k)
{
    static const char *const words[][2] = {
        {"all", "every trial"},     {"last", "the last trial"},
        {"best:", "best:N"},        {"worst:", "worst:N"},
        {"last:", "last:N"},        {"tag:", "tag:NAME"},
        {"bad", "all that failed"}, {"finished", "in a final state"},
    };
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

static void offer_tags(struct completer *k, const char *before)
{
    struct store *store = open_study(k);
    const char **tags = store ? store_tags(store, k->arena, NULL) : NULL;
    for (; tags && *tags; tags++)
        offer(k, arena_printf(k->arena, "%s%s", before, *tags), "tag");
    store_close(store);
}

static void offer_trials(struct completer *k)
{
    const char *comma = strrchr(k->word, ',');
    if (comma)
        enter(k, (size_t)(comma + 1 - k->word));
    offer_trial_words(k);
    if (!strncmp(k->word, "tag:", 4))
        offer_tags(k, "tag:");
}

/* The numbers of the best, for who wants to look at some of them. */
static void offer_best(struct completer *k)
{
    struct query q = {.selector = arena_printf(k->arena, "best:%d", BEST)};
    struct store *store = open_study(k);
    struct rows *rows = store ? store_rows(store, &q, NULL) : NULL;
    struct trial t;
    for (int i = 1; rows && rows_next(rows, &t, NULL) > 0; i++)
        offer(k, arena_printf(k->arena, "%lld", (long long)t.id),
              arena_printf(k->arena, "number %d: %g", i, t.value));
    rows_close(rows);
    store_close(store);
}

/* A parameter that a point has already cannot come again. */
static bool is_taken(const struct completer *k, struct str name)
{
    struct str rest = str_of(k->point ? k->point : ""), part;
    while (rest.len && str_split(&rest, ',', &part)) {
        part = str_trim(part);
        if (part.len > name.len && part.p[name.len] == '=' &&
            str_starts(part, name))
            return true;
    }
    return false;
}

static void offer_param(struct completer *k, struct str name, const char *end)
{
    if (is_taken(k, name))
        return;
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
    enter(k, at);
    if (!strncmp(k->word, "tag:", 4))
        offer_tags(k, "tag:");
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
    k->point = k->word;
    if (comma)
        enter(k, (size_t)(comma + 1 - k->word));
    offer_params(k, "=");
    k->point = NULL;
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

/* Names behind the last comma. */
static void offer_column_list(struct completer *k)
{
    static const char *const more[] = {"state", "tag", "note", "host",
                                       "reason"};
    const char *comma = strrchr(k->word, ',');
    if (comma)
        enter(k, (size_t)(comma + 1 - k->word));
    offer_columns(k);
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
        offer(k, more[i], "column");
}

static void offer_over(struct completer *k)
{
    const char *comma = strrchr(k->word, ',');
    if (comma)
        enter(k, (size_t)(comma + 1 - k->word));
    offer_params(k, "");
    offer(k, "seed", "the repeats of a point");
}

static void offer_templates(struct completer *k)
{
    for (size_t i = 0; study_templates[i]; i++)
        offer(k, study_templates[i]->name, study_templates[i]->summary);
}

static void offer_curves(struct completer *k)
{
    offer(k, "braille", "dots, the finest");
    offer(k, "blocks", "for fonts without braille");
    offer(k, "ascii", "for terminals without UTF-8");
}

static const struct {
    const char *option;
    void (*offer)(struct completer *k);
} by_option[] = {
    {"by", offer_columns},         {"columns", offer_column_list},
    {"over", offer_over},          {"where", offer_filter},
    {"like", offer_trials},        {"fix", offer_point},
    {"file", offer_files},         {"new", offer_studies},
    {"template", offer_templates}, {"curves", offer_curves},
    {"against", offer_studies},
};

static void offer_value(struct completer *k, const char *option)
{
    for (size_t i = 0; i < sizeof(by_option) / sizeof(by_option[0]); i++)
        if (!strcmp(by_option[i].option, option))
            by_option[i].offer(k);
}

/* The option that the word is, when its value is the next word; or NULL. */
static const char *option_before_value(const struct completer *k,
                                       const char *word)
{
    const struct option_spec *o = k->verb->options;
    for (size_t i = 0; o[i].name; i++) {
        bool letter =
            o[i].letter && word[0] == '-' && word[1] == o[i].letter && !word[2];
        bool name = !strncmp(word, "--", 2) && !strcmp(word + 2, o[i].name);
        if (o[i].arg && (letter || name))
            return o[i].name;
    }
    return NULL;
}

/* The option that waits for its value, or NULL. */
static const char *open_option(const struct completer *k)
{
    return k->count ? option_before_value(k, k->words[k->count - 1]) : NULL;
}

/* ---- the line --------------------------------------------------------- */

/* The arguments before the word, the study not counted. */
static size_t count_arguments(const struct completer *k, bool *study)
{
    size_t n = 0;
    *study = false;
    for (size_t i = 0; i < k->count; i++) {
        if (*k->words[i] == '-')
            i += option_before_value(k, k->words[i]) != NULL;
        else if (!n && !*study && names_study(k->words[i]))
            *study = true;
        else
            n++;
    }
    return n;
}

/* What may be an argument that is one of the trials, or follows them. */
static void offer_trials_or_more(struct completer *k, size_t before)
{
    const char *args = k->verb->args;
    if (strstr(args, "TRIALS TAG") && before)
        offer_tags(k, "");
    else if (strstr(args, " A B"))
        offer_best(k);
    if (strstr(args, " A B") || (strstr(args, "TRIALS") && !before))
        offer_trials(k);
}

/* What the verb's arguments are called says what they can be. */
static void offer_arguments(struct completer *k)
{
    const char *args = k->verb->args;
    const char *word = k->word, *lead = k->lead;
    bool study;
    size_t before = count_arguments(k, &study);
    if (strstr(args, "STUDY.yaml") || strstr(args, "FILE") ||
        strstr(args, "FOLDER"))
        offer_files(k);
    bool kind = strstr(args, "KIND") != NULL; /* stands before the study */
    if (strstr(args, "STUDY") && !strstr(args, "STUDY.yaml") && !study &&
        before == kind)
        offer_studies(k);
    for (size_t i = 0; kind && !before && figure_kinds[i]; i++)
        offer(k, figure_kinds[i]->name, figure_kinds[i]->summary);
    if (strstr(args, "POINT"))
        offer_point(k);
    offer_trials_or_more(k, before);
    k->word = word;
    k->lead = lead;
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
