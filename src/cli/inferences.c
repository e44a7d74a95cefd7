/* inferences.c - what inferences over many rows did, and how fast */
#include "cli/cli.h"

struct listing {
    struct call *call;
    VEC(struct inference_line) list;
};

/* 1: it is no inference. */
static int add(struct listing *l, const char *name, const char *folder)
{
    struct call *c = l->call;
    struct inference_line line;
    int rc = inference_read(&line, name, folder, c->arena, &c->err);
    if (!rc)
        vec_push(&l->list, line);
    return rc;
}

static int add_named(struct listing *l, const char *what)
{
    struct call *c = l->call;
    struct place_of_study where;
    if (locate_study(c->arena, what, &where, &c->err))
        return -1;
    int rc = add(l, where.name, where.folder);
    if (rc > 0)
        err_set(&c->err, ERR_INPUT,
                "%s is no inference: its file has neither predict nor tasks of "
                "the kind infer",
                where.name);
    return rc ? -1 : 0;
}

static void say_closed(const struct err *why)
{
    say("throng inferences: %s\n", why->text);
}

/* What cannot be read is said, and the others are listed. */
static int add_all(struct listing *l)
{
    struct call *c = l->call;
    struct studies s;
    int rc = studies_find(&s, ".", false, say_closed, c->arena, &c->err);
    for (size_t i = 0; !rc && i < s.list.len; i++) {
        const struct study_found *f = &s.list.p[i];
        const char *folder = path_join(
            c->arena, path_join(c->arena, f->folder, ".throng"), f->name);
        if (add(l, f->name, folder) < 0)
            say("throng inferences: %s: %s\n", f->name, c->err.text);
    }
    studies_done(&s);
    return rc;
}

static void print(struct listing *l)
{
    struct call *c = l->call;
    struct tabled t;
    struct buf b;
    buf_init(&b);
    tabled_init(&t, c->arena);
    if (call_flag(c, "json")) {
        inferences_json(&b, l->list.p, l->list.len);
        put(buf_str(&b));
    } else if (l->list.len) {
        inferences_table(&t, l->list.p, l->list.len);
        put_tabled(c, &t);
    } else {
        say("throng inferences: no study here is an inference; `throng help "
            "predict` says how one is begun\n");
    }
    tabled_done(&t);
    buf_done(&b);
}

static int run(struct call *c)
{
    struct listing l = {.call = c};
    int rc = c->arg_count ? 0 : add_all(&l);
    for (size_t i = 0; !rc && i < c->arg_count; i++)
        rc = add_named(&l, c->args[i]);
    if (!rc)
        print(&l);
    vec_done(&l.list);
    return rc ? call_fail(c) : EXIT_OK;
}

VERB(inferences) = {
    .name = "inferences",
    .args = "[STUDY …]",
    .summary = "List inferences over many rows, and how fast they are",
    .text =
        "A line for each study whose file has `predict` or `task: infer`, or "
        "of those\nthat are named, and one for all of them: its shards, how "
        "many are done and have\nfailed, the rows of those that are done, how "
        "many of those are bad (they have no\nprediction), models, samples, "
        "and predictions: rows × models × samples. With\n`task: infer` a trial "
        "is what a shard is elsewhere, and asks one model; samples\nare empty "
        "where trials differ in them.\n\n"
        "seconds: the time in which any of its attempts ran. slots: the most "
        "that ran at\nonce. predictions/s and rows/s are those of one slot: "
        "over the seconds of all\nattempts, start-up and failures counted. "
        "dropout: the rate that was drawn with,\nby --samples or since it is "
        "permanent. t_image: seconds that one model needs to\npredict one row "
        "once, as shards have measured it: start-up, reading rows "
        "and\nwriting tables not counted; a program's is not known.\n",
    .options =
        (const struct option_spec[]){
            {"json", 0, NULL, "for programs: schema throng.inferences/1"}, {0}},
    .run = run,
    .pages = true,
};
