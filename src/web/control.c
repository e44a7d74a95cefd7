/* control.c - changes that the page asks for
 *
 * The verbs stay the way to act: a change is the verb itself, run as a process
 * of its own, with its words and its refusals. So a page can do nothing that a
 * person at the terminal could not, and the server waits for nobody. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/json.h"
#include "web/routes.h"

#define WORDS_MAX 65536 /* bytes of what a verb says */

/* What may be asked for: the verb, and whether it takes a text, by a name. */
static const struct action {
    const char *verb;
    bool needs_trials;
    const char *text, *option; /* option: in front of the text; NULL: none */
} actions[] = {
    {"stop", false, NULL, NULL},  {"kill", false, NULL, NULL},
    {"retry", true, NULL, NULL},  {"rerun", true, NULL, NULL},
    {"tag", true, "tag", NULL},   {"untag", true, "tag", "--remove"},
    {"note", true, "note", NULL},
};

struct doing {
    struct web *web;
    struct client *client; /* NULL: it has left */
    struct arena *arena;
    const char *command; /* as a person would type it */
    struct process_id process;
    int fd; /* what it says */
    struct loop_source *source;
    struct buf words;
};

static void doing_free(struct doing *d)
{
    loop_remove(d->source);
    if (d->fd >= 0)
        close(d->fd);
    buf_done(&d->words);
    arena_free(d->arena);
    free(d);
}

static void forget_client(void *context)
{
    struct doing *d = context;
    d->client = NULL;
}

/* ---- its end ----------------------------------------------------------- */

static void answer_it(struct doing *d, int code)
{
    struct answer a;
    answer_init(&a);
    a.status = code == 0 ? 200 : 409;
    buf_addf(&a.body, "{\"schema\":\"throng.act/1\",\"exit_code\":%d,", code);
    buf_adds(&a.body, "\"command\":");
    json_string(&a.body, str_of(d->command));
    buf_adds(&a.body, ",\"text\":");
    json_string(&a.body, str_trim(buf_str(&d->words)));
    buf_adds(&a.body, "}\n");
    client_finish(d->client, &a);
    answer_done(&a);
}

static void on_words(void *context, int fd, unsigned what)
{
    struct doing *d = context;
    char bytes[4096];
    (void)what;
    ssize_t n = read(fd, bytes, sizeof(bytes));
    if (n > 0) {
        buf_add(&d->words, bytes, (size_t)n); /* what is too much is dropped */
        return;
    }
    int status;
    pid_t got = waitpid(d->process.pid, &status, 0);
    int code = got > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (d->client)
        answer_it(d, code);
    doing_free(d);
}

/* ---- its beginning ----------------------------------------------------- */

static const struct action *find_action(struct str verb)
{
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
        if (str_is(verb, actions[i].verb))
            return &actions[i];
    return NULL;
}

/* The words of the verb, in the arena, ended by NULL; NULL: err. */
static const char **words_of(struct exchange *x, const struct value *asked,
                             struct arena *a)
{
    struct str verb = value_text(value_get(asked, STR("verb")));
    struct str trials = value_text(value_get(asked, STR("trials")));
    const struct action *k = find_action(verb);
    VEC(const char *) list = {0};
    if (!k) {
        err_set(&x->err, ERR_INPUT,
                "`verb` is stop, kill, retry, rerun, tag, untag or note");
        return NULL;
    }
    if (k->needs_trials && !trials.len) {
        err_set(&x->err, ERR_INPUT, "`trials` says which, such as \"3,7\"");
        return NULL;
    }
    if (trials.len && store_selector_check(arena_cstr(a, trials), &x->err))
        return NULL;
    vec_push(&list, "throng");
    vec_push(&list, strcmp(k->verb, "untag") ? k->verb : "tag");
    if (k->option)
        vec_push(&list, k->option);
    vec_push(&list, x->study->where.name);
    if (trials.len)
        vec_push(&list, arena_cstr(a, trials));
    if (k->text) {
        struct str text = value_text(value_get(asked, str_of(k->text)));
        vec_push(&list, "--");
        vec_push(&list, arena_cstr(a, text));
    }
    return vec_to_arena(a, &list);
}

static const char *typed(const char *const *words, struct arena *a)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; words[i]; i++)
        command_add_word(&b, i ? " " : "", str_of(words[i]));
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static int start(struct exchange *x, struct doing *d, const char **words)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return err_errno(&x->err, "make a pipe");
    d->fd = ends[0];
    words[0] = "/proc/self/exe";
    struct spawn spawn = {.argv = words,
                          .cwd = x->web->setup.folder,
                          .in = -1,
                          .out = ends[1],
                          .err = ends[1],
                          .keep_fd = -1};
    int rc = process_spawn(&spawn, &d->process, &x->err);
    close(ends[1]);
    return rc;
}

int route_act(struct exchange *x)
{
    struct doing *d = xcalloc(1, sizeof(*d));
    d->web = x->web;
    d->client = x->client;
    d->arena = arena_new();
    d->fd = -1;
    buf_init_max(&d->words, WORDS_MAX);
    const struct value *asked =
        json_parse(x->arena, x->body, "the request", false, &x->err);
    const char **words = asked ? words_of(x, asked, d->arena) : NULL;
    if (words)
        d->command = typed(words, d->arena);
    if (!words || start(x, d, words)) {
        doing_free(d);
        return -1;
    }
    d->source = loop_fd(x->web->loop, d->fd, LOOP_READ, on_words, d);
    client_defer(x->client, forget_client, d);
    x->streams = true;
    return 0;
}
