/* help_topics.c - help that is not about one verb */
#include "cli/help_topics.h"

#include "plan/plan.h"
#include "search/search.h"

#define WIDTH 80
#define INDENT 6

/* Words, indented, in lines of fewer than WIDTH columns. */
static void add_wrapped(struct buf *b, const char *text)
{
    struct str rest = str_of(text), word;
    size_t used = 0;
    while (str_split(&rest, ' ', &word)) {
        if (used && used + 1 + word.len >= WIDTH) {
            buf_addc(b, '\n');
            used = 0;
        }
        buf_addf(b, "%*s", used ? 1 : INDENT, "");
        buf_addstr(b, word);
        used += word.len + (used ? 1 : INDENT);
    }
    buf_addc(b, '\n');
}

static void print_key(struct buf *b, const struct plan_key *k)
{
    buf_addf(b, "  %s: %s\n", k->name, k->kind);
    add_wrapped(b, k->help);
}

/* Every key of a study file, in the order in which they are read. */
static void print_study(struct buf *b)
{
    buf_adds(b, "A study file is YAML: a W&B sweep file, or one with more "
                "keys. `throng init`\nwrites one to begin with, `throng "
                "check` names every mistake.\n\nKeys of a study file "
                "(docs/reference/study-file.md says more):\n\n");
    for (size_t i = 0; plan_key_at(i); i++)
        print_key(b, plan_key_at(i));
    buf_adds(b, "  <method>: an object\n");
    add_wrapped(b, "options of the method of this name: `throng help methods`");
}

static void print_method(struct buf *b, const struct method *m)
{
    buf_addf(b, "  %s\n", m->name);
    add_wrapped(b, m->text);
    for (size_t k = 0; m->options && m->options[k].name; k++)
        buf_addf(b, "        %-15s %s\n", m->options[k].name,
                 m->options[k].text);
}

/* Every method, with its options. */
static void print_methods(struct buf *b)
{
    buf_adds(b, "`method: tpe` names how points are chosen; what a method "
                "takes stands under its\nname, as in `tpe: {startup: 20}` "
                "(docs/reference/study-file.md says more).\n\n");
    for (size_t i = 0; search_methods[i]; i++)
        print_method(b, search_methods[i]);
}

/* A key of this name, and what stands inside of it. */
static bool is_within(const struct plan_key *k, const char *word)
{
    size_t len = strlen(word);
    return !strncmp(k->name, word, len) &&
           (!k->name[len] || k->name[len] == '.');
}

/* "patience" of early_terminate.patience. */
static bool ends_with(const struct plan_key *k, const char *word)
{
    const char *dot = strrchr(k->name, '.');
    return dot && !strcmp(dot + 1, word);
}

/* "asha" of one whose help begins with "hyperband, asha: ". */
static bool is_for(const struct plan_key *k, const char *word)
{
    struct str rest = str_of(k->help), rules, rule;
    if (str_find(rest, ':') < 0 || !str_split(&rest, ':', &rules))
        return false;
    while (str_split(&rules, ',', &rule))
        if (str_eq(str_trim(rule), str_of(word)))
            return true;
    return false;
}

static bool is_meant(const struct plan_key *k, const char *word)
{
    return ends_with(k, word) || is_for(k, word);
}

static bool print_keys(struct buf *b, const char *word,
                       bool (*meant)(const struct plan_key *k,
                                     const char *word))
{
    size_t before = b->len;
    for (size_t i = 0; plan_key_at(i); i++)
        if (meant(plan_key_at(i), word))
            print_key(b, plan_key_at(i));
    return b->len > before;
}

bool help_word(struct buf *b, const char *word)
{
    const struct method *method = method_find(search_methods, str_of(word));
    if (method) {
        print_method(b, method);
        return true;
    }
    return print_keys(b, word, is_within) || print_keys(b, word, is_meant);
}

static void print_protocol(struct buf *b)
{
    buf_adds(
        b,
        "How a training program gets its parameters and hands in results. "
        "Any language,\nno library needed.\n\n"
        "In, as arguments of the command ({lr}, ${args}) and as variables:\n\n"
        "  THRONG_PARAMS        a JSON file with the parameters\n"
        "  THRONG_P_<name>      each parameter by itself\n"
        "  THRONG_SEED          a seed for this trial\n"
        "  THRONG_STUDY         the study's name\n"
        "  THRONG_TRIAL         the trial's number\n"
        "  THRONG_ATTEMPT       the attempt's number\n"
        "  THRONG_METRICS       append metric lines to this file\n"
        "  THRONG_CHECKPOINT    a folder that survives attempts\n"
        "  THRONG_OUTPUT        a folder for results to keep\n"
        "  THRONG_STOP          a file that appears when it should finish\n"
        "  THRONG_DEADLINE      unix time when resources: time is used up\n"
        "  THRONG_BUDGET        steps allowed for now\n"
        "  THRONG_SUBSET        fraction of the data to use\n\n"
        "Out, metrics, in one of these ways:\n\n"
        "  throng report loss=0.21 step=3      exits with 10: finish now\n"
        "  echo '{\"step\":3,\"loss\":0.21}' >>\"$THRONG_METRICS\"\n"
        "  echo '::throng step=3 loss=0.21'    on standard output\n"
        "  metric.pattern, metric.file         see `throng help study`\n\n"
        "Out, the exit code:\n\n"
        "  0    done\n"
        "  85   checkpointed: run me again and I go on\n"
        "  78   these parameters are invalid: never try again\n"
        "  else failed: tried again while `retries` last\n");
}

static void print_selectors(struct buf *b)
{
    buf_adds(b,
             "Wherever a verb takes TRIALS they are named by\n\n"
             "  7            a number\n"
             "  1-10         a range\n"
             "  failed       a state: waiting, running, paused, done, failed, "
             "invalid,\n"
             "               stopped, timed_out, killed, diverged\n"
             "  bad          failed, invalid, timed_out, killed or diverged\n"
             "  finished     in a final state\n"
             "  best:20      the first of `throng rank`; worst:20: the worst "
             "values\n"
             "  last         the newest one; last:5\n"
             "  tag:paper    those with a tag (see `throng tag`)\n"
             "  id:RUN_ID    by the id that a list of points gave it\n"
             "  all          every one\n\n"
             "Several are joined by commas: 1-10,15,failed\n");
}

static void print_filter(struct buf *b)
{
    buf_adds(
        b,
        "--where takes a filter, which says for which trials it holds:\n\n"
        "    throng rank --where 'lr > 1e-3 and opt = adam'\n"
        "    throng export --csv --where 'loss < 0.1 or tag:paper'\n\n"
        "  = == != < <= > >=      numbers as numbers, texts as texts\n"
        "  ~                      the left text holds the right one\n"
        "  in (a, b), not in (…)  one of several\n"
        "  and or not ( )         also && || !\n"
        "  tag:x                  it has that tag\n\n"
        "Names are columns (trial, state, value, seconds, attempts, failures, "
        "started,\nended, reason, note, run_id), parameters (opt.lr is lr "
        "within opt) and metrics\n(loss is its last value; loss.min, "
        "loss.max, loss.count, loss.step). A name with\nodd characters "
        "stands in `backquotes`, a text in quotes. A name that a trial\n"
        "does not have makes every comparison false.\n");
}

static void print_exit_codes(struct buf *b)
{
    buf_adds(b, "The exit codes of throng:\n\n"
                "  0    it went well\n"
                "  1    an error\n"
                "  2    the command line is wrong\n"
                "  3    the study is finished, and some trials failed, or none "
                "has reported\n"
                "       its metric (after the first ones no more are "
                "started); or rows have\n"
                "       no prediction\n"
                "  4    there is no such study or trial\n"
                "  5    it is in use: somebody else runs it\n"
                "  10   `throng report`: finish now\n"
                "  130  interrupted\n\n"
                "Those of a training program: `throng help protocol`.\n");
}

static void print_environment(struct buf *b)
{
    buf_adds(
        b,
        "Variables that throng looks at:\n\n"
        "  NO_COLOR        no colours\n"
        "  TERM=dumb       no colours, no redrawing, no pager\n"
        "  COLUMNS         width of tables\n"
        "  THRONG_PAGER    what shows long output on a terminal; empty: none\n"
        "  PAGER           the same, for all programs; unsaid: less -FRX\n"
        "  THRONG_WORKER   path of throng-worker\n"
        "  THRONG_GPUS     GPUs instead of those that are found, as in\n"
        "                  a100:8.0:40G,a100:8.0:40G; empty: none\n"
        "  THRONG_RUNTIME_DIR\n"
        "                  folder, yours alone, in which running studies of\n"
        "                  this machine see each other; unsaid:\n"
        "                  /tmp/throng-run-UID\n");
}

const struct help_topic help_topics[] = {
    {"study", "every key of a study file", print_study},
    {"methods", "every method and its options", print_methods},
    {"protocol", "how a program gets parameters and hands in results",
     print_protocol},
    {"selectors", "how trials are named", print_selectors},
    {"filter", "the language of --where", print_filter},
    {"exit-codes", "what throng's exit codes mean", print_exit_codes},
    {"environment", "variables that throng looks at", print_environment},
    {0},
};

const struct help_topic *help_topic(const char *name)
{
    if (!strcmp(name, "study-file"))
        name = "study";
    for (size_t i = 0; help_topics[i].name; i++)
        if (!strcmp(help_topics[i].name, name))
            return &help_topics[i];
    return NULL;
}
