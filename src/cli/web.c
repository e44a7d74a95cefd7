/* web.c - the verb that shows studies in a browser */
#include "web/web.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/num.h"
#include "cli/cli.h"
#include "sys/sys.h"

#define PORT_FIRST 8765 /* that is tried when none is asked for */

/* The words of an option that may come again, in the arena, ended by NULL. */
static const char **words_of(struct call *c, const char *option)
{
    VEC(const char *) list = {0};
    struct str rest = str_of(call_option(c, option)), word;
    while (rest.len && str_split(&rest, '\n', &word))
        vec_push(&list, arena_cstr(c->arena, word));
    return vec_to_arena(c->arena, &list);
}

/* An origin goes into a header as it is: "https://hub.example.org". */
static int check_origins(struct call *c, const char *const *list)
{
    for (; *list; list++) {
        bool scheme = str_starts(str_of(*list), STR("http://")) ||
                      str_starts(str_of(*list), STR("https://"));
        if (!scheme || strpbrk(*list, " \t\r\n;,'\""))
            return call_usage(c,
                              "--frame-ancestor is an origin such as "
                              "https://hub.example.org, not `%s`",
                              *list);
    }
    return 0;
}

static int check_base(struct call *c, const char *base)
{
    size_t len = base ? strlen(base) : 0;
    if (len && (base[0] != '/' || base[len - 1] == '/' ||
                strpbrk(base, " \t\r\n?#\"'<>")))
        return call_usage(c, "--base is a path such as /node/x/8765, not `%s`",
                          base);
    return 0;
}

/* How somebody who sits elsewhere gets to it. */
static void say_tunnel(uint16_t port)
{
    char host[256];
    if (!getenv("SSH_CONNECTION") && !getenv("SLURM_JOB_ID"))
        return;
    machine_name(host, sizeof(host));
    say("throng web: from another machine, first: ssh -N -L %u:127.0.0.1:%u "
        "%s\n",
        port, port, host);
}

static void say_address(struct call *c, const struct web *w,
                        const struct web_setup *setup)
{
    if (setup->socket)
        say("throng web: listening at %s\n", setup->socket);
    put(str_of(arena_printf(c->arena, "%s\n", web_url(w))));
    if (!web_has_page())
        say("throng web: this throng was built without its page; `make demo` "
            "builds it. Programs are answered below api/v1/\n");
    if (!setup->socket)
        say_tunnel(web_port(w));
    say("throng web: %s; Ctrl-C ends it\n",
        setup->control
            ? "shows studies and lets them be changed; whoever has this "
              "address can do both"
            : "shows studies and changes nothing; whoever has this address "
              "can see them");
}

/* A port that is taken is no reason to fail where none was asked for. */
static struct web *open_any(struct web_setup *setup, bool asked,
                            struct err *err)
{
    struct web *w = web_open(setup, err);
    if (w || asked || setup->socket)
        return w;
    setup->port = 0;
    *err = (struct err){0};
    return web_open(setup, err);
}

static int serve(struct call *c, struct web_setup *setup, bool asked)
{
    struct web *w = open_any(setup, asked, &c->err);
    if (!w)
        return call_fail(c);
    say_address(c, w, setup);
    fflush(stdout);
    int rc = web_run(w, &c->err);
    web_close(w);
    return rc ? call_fail(c) : EXIT_OK;
}

static int export_page(struct call *c, struct web_setup *setup)
{
    const char *file = call_option(c, "export");
    struct place_of_study where;
    struct buf size;
    if (!setup->study) {
        if (locate_study(c->arena, NULL, &where, &c->err))
            return call_fail(c);
        setup->folder = path_absolute(c->arena, where.home);
        setup->study = where.name;
    }
    if (web_export(setup, file, &c->err))
        return call_fail(c);
    buf_init(&size);
    num_print_bytes(&size, file_bytes(file));
    say("throng web: %s, %s, has the study %s: open it in a browser; curves "
        "are "
        "those of the best 1,000 trials, bands those of all\n",
        file, size.p, setup->study);
    buf_done(&size);
    return EXIT_OK;
}

static int run(struct call *c)
{
    int64_t port;
    const char *name = call_option(c, "study");
    struct place_of_study where = {.name = arena_cstr(c->arena, str_of(name))};
    const char **hosts = words_of(c, "allow-host");
    const char **ancestors = words_of(c, "frame-ancestor");
    const char *address = call_option(c, "address");
    if (c->arg_count > 1)
        return call_usage(c, "`%s` is one argument too many", c->args[1]);
    if (call_int(c, "port", PORT_FIRST, &port))
        return call_fail(c);
    if (port < 0 || port > 65535)
        return call_usage(c, "--port is a number from 0 to 65535");
    if (check_origins(c, ancestors) || check_base(c, call_option(c, "base")))
        return EXIT_USAGE;
    if (c->arg_count && locate_study(c->arena, c->args[0], &where, &c->err))
        return call_fail(c);
    struct web_setup setup = {
        .folder = path_absolute(c->arena, where.home ? where.home : "."),
        .study = where.name && *where.name ? where.name : NULL,
        .address = address ? address : "127.0.0.1",
        .port = (uint16_t)port,
        .socket = call_option(c, "socket"),
        .base = call_option(c, "base"),
        .hosts = hosts,
        .ancestors = ancestors,
        .control = call_flag(c, "control")};
    if (call_option(c, "export"))
        return export_page(c, &setup);
    return serve(c, &setup, call_option(c, "port") != NULL);
}

VERB(web) = {
    .name = "web",
    .args = "[STUDY]",
    .summary = "Show studies in a browser, while they run and after",
    .text =
        "Serves a page about the studies of this folder, on this machine only, "
        "and prints\nits address. The address has a token in it: whoever was "
        "not "
        "told it sees\nnothing, which counts on a login node, where all users "
        "share 127.0.0.1. It only\nreads; with --control the page can stop, "
        "kill, retry, tag and note.\n",
    .options =
        (const struct option_spec[]){
            {"port", 'p', "N", "listen at this port; 0: any that is free"},
            {"address", 0, "ADDRESS",
             "listen at this address instead of 127.0.0.1"},
            {"socket", 0, "PATH", "listen at a Unix socket instead"},
            {"control", 0, NULL, "let the page change studies"},
            {"export", 0, "FILE",
             "write one file that needs no server instead"},
            {"base", 0, "PATH", "the path that a proxy leaves in front"},
            {"allow-host", 0, "NAME…", "answer to this host name, too"},
            {"frame-ancestor", 0, "ORIGIN…",
             "let pages of this origin show it in a frame"},
            {"study", 0, "NAME", "open with this study, which may begin later"},
            {0}},
    .run = run,
};
