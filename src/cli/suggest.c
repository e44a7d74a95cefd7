/* suggest.c - throng as the optimizer of any program
 *
 * Requests come on standard input, answers go to standard output. All
 * complete lines that have come are answered before more is waited for, and
 * their answers are written together, so that who sends many at once is not
 * slowed down and who waits for each answer gets it. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "cli/cli.h"
#include "study/study.h"
#include "search/search.h"

#define LINE_BYTES_MAX (16u << 20)
#define READ_BYTES 65536

struct reading_lines {
    struct buf in;
    struct buf out;
    bool skipping; /* the rest of a line that is too long */
};

static void answer_all(struct suggester *s, struct reading_lines *r, bool end)
{
    size_t at = 0;
    for (;;) {
        const char *from = r->in.p + at;
        const char *stop = memchr(from, '\n', r->in.len - at);
        if (!stop && !(end && at < r->in.len))
            break;
        size_t n = stop ? (size_t)(stop - from) : r->in.len - at;
        if (!r->skipping)
            suggester_answer(s, str_n(from, n), &r->out);
        r->skipping = false;
        at += n + (stop != NULL);
    }
    buf_drop(&r->in, at);
    if (r->in.len <= LINE_BYTES_MAX)
        return;
    /* Its beginning is enough to say that it is wrong. */
    if (!r->skipping)
        suggester_answer(s, STR("a line of more than 16 MiB"), &r->out);
    r->skipping = true;
    buf_reset(&r->in);
}

/* 1 when more has come, 0 at the end. */
static int read_more(struct buf *in, struct err *err)
{
    buf_reserve(in, READ_BYTES);
    for (;;) {
        ssize_t n = read(STDIN_FILENO, in->p + in->len, READ_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(err, "standard input");
        in->len += (size_t)n;
        in->p[in->len] = 0;
        return n > 0;
    }
}

static int talk(struct suggester *s, struct err *err)
{
    struct reading_lines r = {.skipping = false};
    int more;
    buf_init(&r.in);
    buf_init(&r.out);
    do {
        more = read_more(&r.in, err);
        if (more < 0)
            break;
        answer_all(s, &r, !more);
        put(buf_str(&r.out));
        buf_reset(&r.out);
    } while (more > 0);
    buf_done(&r.in);
    buf_done(&r.out);
    return more;
}

static int read_seed(struct call *c, struct plan *p)
{
    int64_t seed;
    if (call_int(c, "seed", 0, &seed))
        return -1;
    if (call_option(c, "seed"))
        p->seed = (uint64_t)seed;
    return 0;
}

static int warm(struct call *c, const struct plan *p, struct suggester *s)
{
    if (!p->warm_start.len)
        return 0;
    struct log log = log_stderr();
    char *home = path_folder(c->arena, path_absolute(c->arena, c->args[0]));
    struct value *known = study_warm_read(p, home, &log, c->arena, &c->err);
    if (known)
        suggester_warm(s, known);
    return known ? 0 : -1;
}

static int run(struct call *c)
{
    if (c->arg_count != 1)
        return call_usage(c, "name a study file");
    struct plan *p = load_plan_points(c, c->args[0], call_option(c, "method"));
    if (!p || read_seed(c, p)) {
        plan_close(p);
        return call_fail(c);
    }
    struct suggester *s = suggester_new(p, &c->err);
    int code =
        s && !warm(c, p, s) && !talk(s, &c->err) ? EXIT_OK : call_fail(c);
    suggester_free(s);
    plan_close(p);
    return code;
}

VERB(suggest) = {
    .name = "suggest",
    .args = "STUDY.yaml",
    .summary = "Be the optimizer of another program: answer ask and tell",
    .text =
        "Reads requests as JSON, one to a line, from standard input and "
        "answers each with\none line on standard output. Of the study file, "
        "the parameters, the goal and the\nmethod count; it need not say what "
        "to run.\n\n"
        "  {\"ask\":2}                          "
        "{\"trials\":[{\"id\":0,\"params\":{…}},…]}\n"
        "  {\"report\":0,\"step\":3,\"value\":0.5}  "
        "{\"decision\":\"continue\"}, stop or pause\n"
        "  {\"tell\":0,\"value\":0.31}            {\"ok\":true}\n"
        "  {\"tell\":1,\"state\":\"failed\"}        {\"ok\":true}\n"
        "  {\"best\":5}                         "
        "{\"trials\":[{\"id\":0,\"value\":0.31,…},…]}\n\n"
        "A line that is wrong gets {\"error\":\"…\",\"line\":N}, and the "
        "conversation goes on.\nMany trials may be out at once and be told in "
        "any order. Nothing is stored: to\ngo on later, tell what is known: "
        "{\"told\":{\"id\":0,\"params\":{…},\"value\":0.31}};\nwithout an "
        "id it is a point of your own.\n",
    .options = (const struct option_spec[]){{"method", 0, "M",
                                             "instead of the file's"},
                                            {"seed", 0, "N",
                                             "instead of the file's"},
                                            {0}},
    .run = run,
};
