/* print.c - an argument vector as a line for people, without secrets */
#include "plan/reading.h"

/* ${envvar:NAME} becomes "$NAME", which a shell expands. */
static void print_expanded(struct buf *b, struct str text)
{
    size_t from = 0;

    for (size_t i = 0; i < text.len; i++) {
        struct str name, macro = macro_at(str_n(text.p + i, text.len - i));

        if (macro.len == 0 || !macro_envvar(macro, &name))
            continue;
        if (i > from)
            shell_quote(b, str_n(text.p + from, i - from));
        buf_addf(b, "\"$%.*s\"", STRF(name));
        i += macro.len - 1;
        from = i + 1;
    }
    if (from < text.len)
        shell_quote(b, str_n(text.p + from, text.len - from));
}

static void print_arg(struct buf *b, const struct arg *arg, struct str text)
{
    if (arg->kind == ARG_INTERPRETER)
        buf_adds(b, "python");
    else if (arg->kind == ARG_PARAMS_FILE)
        buf_adds(b, "\"$THRONG_PARAMS\"");
    else if (arg->kind == ARG_EXPAND)
        print_expanded(b, text);
    else
        shell_quote(b, text);
}

void plan_print_command(struct buf *b, const struct plan *p,
                        const struct arg *argv, size_t argc, bool redact)
{
    struct buf text;
    struct redaction so_far = {0};

    buf_init(&text);
    for (size_t i = 0; i < argc; i++) {
        bool script = i > 0 && str_is(argv[i - 1].text, "-c");

        buf_reset(&text);
        if (redact && script)
            redact_line(&text, p, argv[i].text);
        else if (redact)
            redact_word(&text, p, argv[i].text, &so_far);
        else
            buf_addstr(&text, argv[i].text);
        if (i > 0)
            buf_addc(b, ' ');
        print_arg(b, &argv[i], buf_str(&text));
    }
    buf_done(&text);
}
