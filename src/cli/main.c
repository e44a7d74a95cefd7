/* main.c - throng: which verb, with which options */
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/num.h"
#include "cli/cli.h"
#include "cli/foreign_verbs.h"
#include "cli/pager.h"
#include "search/search.h"

#define VERB_AT(name) &verb_##name,
const struct verb *const verbs[] = {VERBS(VERB_AT) NULL};

/* ---- calls ------------------------------------------------------------ */

const char *call_option(const struct call *c, const char *name)
{
    for (size_t i = 0; c->verb->options[i].name; i++)
        if (!strcmp(c->verb->options[i].name, name))
            return c->values[i];
    require(!"an option that the verb declares");
    return NULL;
}

bool call_flag(const struct call *c, const char *name)
{
    return call_option(c, name) != NULL;
}

int call_int(struct call *c, const char *name, int64_t fallback, int64_t *v)
{
    const char *text = call_option(c, name);
    if (!text) {
        *v = fallback;
        return 0;
    }
    if (num_int(str_of(text), v) && *v >= 0)
        return 0;
    return err_set(&c->err, ERR_USAGE, "--%s takes a whole number, not `%s`",
                   name, text);
}

static int code_of(enum err_kind kind)
{
    switch (kind) {
    case ERR_USAGE:
        return EXIT_USAGE;
    case ERR_MISSING:
        return EXIT_NO_SUCH;
    case ERR_BUSY:
        return EXIT_IN_USE;
    default:
        return EXIT_ERROR;
    }
}

int call_fail(struct call *c)
{
    fflush(stdout);
    say("throng %s: %s\n", c->verb->name, c->err.text);
    return code_of(c->err.kind);
}

int call_usage(struct call *c, const char *fmt, ...)
{
    va_list ap;
    struct buf b;
    buf_init(&b);
    va_start(ap, fmt);
    buf_vaddf(&b, fmt, ap);
    va_end(ap);
    say("throng %s: %s\n", c->verb->name, b.p);
    say("usage: throng %s%s%s\n       throng help %s\n", c->verb->name,
        *c->verb->args ? " " : "", c->verb->args, c->verb->name);
    buf_done(&b);
    return EXIT_USAGE;
}

/* ---- parsing ---------------------------------------------------------- */

/* getopt's own tables, made from the verb's. */
static void getopt_tables(const struct verb *v, struct option *longs,
                          char *shorts)
{
    size_t i = 0;
    for (; v->options[i].name; i++) {
        const struct option_spec *o = &v->options[i];
        require(i < OPTIONS_MAX);
        longs[i] = (struct option){o->name, o->arg ? required_argument : 0,
                                   NULL, 256 + (int)i};
        if (o->letter) {
            *shorts++ = o->letter;
            if (o->arg)
                *shorts++ = ':';
        }
    }
    longs[i++] = (struct option){"help", 0, NULL, 'h'};
    longs[i] = (struct option){0};
    *shorts++ = 'h';
    *shorts = 0;
}

static long option_index(const struct verb *v, int code)
{
    if (code >= 256)
        return code - 256;
    for (long i = 0; v->options[i].name; i++)
        if (v->options[i].letter == code)
            return i;
    return -1;
}

/* The option that getopt stumbled over, as it was written. A letter may
 * stand in a group of them. */
static const char *bad_option(struct call *c, char **argv)
{
    if (optopt > 0 && optopt < 256)
        return arena_printf(c->arena, "-%c", optopt);
    return argv[optind - 1];
}

/* True for what stands in a study file. */
static bool is_key(struct str name)
{
    const struct plan_key *key;
    for (size_t i = 0; (key = plan_key_at(i)); i++)
        if (str_is(name, key->name))
            return true;
    return method_find(search_methods, name) != NULL;
}

/* What other programs call an option, and what it is here. */
static const char *known_elsewhere(const char *verb, struct str name)
{
    static const struct {
        const char *verb, *name, *here;
    } list[] = {
        {"rank", "sort", "--by NAME ranks by something else"},
        {"rank", "metric", "--by NAME ranks by something else"},
        {"rank", "top", "-n N says how many"},
        {"rank", "limit", "-n N says how many"},
        {"export", "o", "what it writes goes to a file with `> FILE`"},
        {"export", "output", "what it writes goes to a file with `> FILE`"},
        {"run", "j", "`parallel:` in the study file says how many at once"},
        {"run", "jobs", "`parallel:` in the study file says how many at once"},
        {"run", "workers", "`parallel:` in the study file says how many"},
        {"run", "resume", "`throng run` always goes on where it was"},
        {"run", "n-trials", "--count N makes so many more"},
        {"run", "n_trials", "--count N makes so many more"},
    };
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (!strcmp(list[i].verb, verb) && str_is(name, list[i].name))
            return list[i].here;
    return NULL;
}

static int unknown_option(struct call *c, const char *text)
{
    const char *names[OPTIONS_MAX + 2];
    size_t n = 0;
    int64_t number;
    for (; c->verb->options[n].name; n++)
        names[n] = c->verb->options[n].name;
    names[n++] = "help";
    names[n] = NULL;
    struct str bare = str_of(text);
    while (bare.len && *bare.p == '-')
        bare = str_n(bare.p + 1, bare.len - 1);
    long cut = str_find(bare, '=');
    if (cut >= 0)
        bare.len = (size_t)cut;
    for (size_t i = 0; i < n; i++)
        if (str_is(bare, names[i]))
            return call_usage(c, "--%s takes no value", names[i]);
    if (num_int(bare, &number) && strstr(c->verb->args, "TRIALS"))
        return call_usage(c,
                          "there is no option `%s`; the last trials are "
                          "last and last:N",
                          text);
    if (strstr(c->verb->args, "STUDY.yaml") && is_key(bare))
        return call_usage(c,
                          "there is no option `%s`; `%.*s:` is a key of "
                          "the study file",
                          text, STRF(bare));
    const char *here = known_elsewhere(c->verb->name, bare);
    if (here)
        return call_usage(c, "there is no option `%s`; %s", text, here);
    const char *near = str_nearest(bare, names);
    if (near)
        return call_usage(c, "there is no option `%s`; did you mean --%s?",
                          text, near);
    return call_usage(c, "there is no option `%s`", text);
}

static int print_help(const struct verb *v)
{
    struct buf b;
    buf_init(&b);
    help_verb(&b, v);
    put(buf_str(&b));
    buf_done(&b);
    return EXIT_OK;
}

/* An option whose argument's name ends in … may come several times: its
 * values are joined by line feeds. */
static const char *option_value(struct call *c, long i, const char *value)
{
    const char *arg = c->verb->options[i].arg;
    bool many = arg && str_ends(str_of(arg), STR("…"));
    if (!many || !c->values[i])
        return value;
    return arena_printf(c->arena, "%s\n%s", c->values[i], value);
}

/* 0, or -1 and an exit code when there is nothing left to do. */
static int parse_options(struct call *c, int argc, char **argv, int *code)
{
    struct option longs[OPTIONS_MAX + 2];
    char shorts[3 * OPTIONS_MAX + 8] = ":";
    getopt_tables(c->verb, longs, shorts + 1);
    opterr = 0;
    for (;;) {
        int got = getopt_long(argc, argv, shorts, longs, NULL);
        if (got == -1)
            return 0;
        long i = option_index(c->verb, got);
        if (got == 'h')
            *code = print_help(c->verb);
        else if (got == ':')
            *code = call_usage(c, "%s lacks its value", bad_option(c, argv));
        else if (got == '?' || i < 0)
            *code = unknown_option(c, bad_option(c, argv));
        else {
            c->values[i] = option_value(c, i, optarg ? optarg : "");
            continue;
        }
        return -1;
    }
}

/* The option of a verb with free words that a word is, or -1. */
static long own_option(const struct verb *v, const char *word)
{
    for (long i = 0; !strncmp(word, "--", 2) && v->options[i].name; i++)
        if (!strcmp(v->options[i].name, word + 2))
            return i;
    return -1;
}

/* Options of its own come off, every other word stays where it is. */
static int parse_free(struct call *c, int argc, char **argv, int *code)
{
    c->args = arena_array(c->arena, (size_t)argc + 1, sizeof(char *));
    for (int at = 1; at < argc; at++) {
        const char *word = argv[at];
        long i = own_option(c->verb, word);
        if (!strcmp(word, "--help") || !strcmp(word, "-help") ||
            !strcmp(word, "-h")) {
            *code = print_help(c->verb);
            return -1;
        }
        if (i >= 0 && c->verb->options[i].arg && at + 1 == argc) {
            *code = call_usage(c, "%s lacks its value", word);
            return -1;
        }
        if (i < 0)
            c->args[c->arg_count++] = word;
        else
            c->values[i] = c->verb->options[i].arg ? argv[++at] : "";
    }
    return 0;
}

static int parse(struct call *c, int argc, char **argv, int *code)
{
    if (c->verb->free_words)
        return parse_free(c, argc, argv, code);
    if (parse_options(c, argc, argv, code))
        return -1;
    c->arg_count = (size_t)(argc - optind);
    c->args = arena_array(c->arena, c->arg_count + 1, sizeof(char *));
    for (size_t i = 0; i < c->arg_count; i++)
        c->args[i] = argv[optind + (int)i];
    if (!*c->verb->args && c->arg_count) {
        *code = call_usage(c, "`%s` is one argument too many", c->args[0]);
        return -1;
    }
    return 0;
}

/* ---- the terminal ----------------------------------------------------- */

static void look_at_terminal(struct call *c)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    c->terminal = isatty(STDOUT_FILENO);
    c->columns = columns_of(STDOUT_FILENO);
    c->colour = c->terminal && !(no_colour && *no_colour) &&
                !(term && !strcmp(term, "dumb"));
}

/* ---- main ------------------------------------------------------------- */

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (!strcmp(verbs[i]->name, name))
            return verbs[i];
    /* Not for people, so not in the table. */
    return strcmp(name, verb_complete.name) ? NULL : &verb_complete;
}

static int unknown_verb(const char *name)
{
    static const char *const options[] = {"--help", "--version", NULL};
    const char *other = verb_of_other_word(name);
    const char *near = other ? other : nearest_verb(name);
    if (*name == '-')
        near = str_nearest(str_of(name), options);
    say("throng: there is no verb `%s`%s%s%s\n", name,
        near ? "; did you mean `" : "", near ? near : "",
        near ? "`?" : "; `throng help` lists them");
    return EXIT_USAGE;
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
    struct call c = {.verb = verb, .arena = arena_new()};
    int code;
    look_at_terminal(&c);
    if (!parse(&c, argc, argv, &code))
        code = pager_wanted(&c) ? pager_run(&c) : verb->run(&c);
    arena_free(c.arena);
    if (fflush(stdout) && code == EXIT_OK)
        code = EXIT_ERROR;
    return code;
}

static int no_verb(void)
{
    struct buf b;
    buf_init(&b);
    help_all(&b);
    say("%s", b.p);
    buf_done(&b);
    return EXIT_USAGE;
}

/* A closed standard stream would be given to the next file that is opened,
 * and then what we say would be written into that file. /dev/null takes its
 * place, opened the wrong way round so that using it still fails. */
static void hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            exit(EXIT_ERROR);
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2)
        return no_verb();
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    if (!strcmp(name, "--version"))
        name = "version";
    const struct verb *verb = find_verb(name);
    if (!verb)
        return unknown_verb(name);
    return run_verb(verb, argc - 1, argv + 1);
}
