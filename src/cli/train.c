/* train.c - train one model, here and now
 *
 * One task for one worker: the same path that the trials of a study take.
 * Epochs go to standard output, one to a line; the weights to a file. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/fix.h"
#include "cli/model_file.h"
#include "cli/worker_path.h"
#include "engine/engine.h"
#include "terms/metric.h"

#define NAMES_MAX 64

struct training {
    struct call *call;
    struct loop *loop;
    struct engine *engine;
    struct value *model;
    const char *file;    /* of the model */
    const char *scratch; /* folder of the task */
    int64_t epochs;
    bool begun;     /* the head of the table is printed */
    unsigned asked; /* times that somebody wanted it to end */
    enum outcome outcome;
    struct str reason;
};

/* ---- what comes back --------------------------------------------------- */

static size_t read_columns(struct str payload, struct metric_column *columns)
{
    struct metric_reader r;
    size_t count = 0;
    metric_reader_init(&r, payload);
    while (count < NAMES_MAX && metric_reader_next(&r, &columns[count]) > 0)
        count++;
    return count;
}

static void print_number(double v)
{
    struct buf b;
    buf_init(&b);
    num_print_short(&b, v, 6);
    fputs(b.p, stdout);
    buf_done(&b);
}

static void print_head(struct training *t, const struct metric_column *columns,
                       size_t count)
{
    if (t->begun)
        return;
    t->begun = true;
    if (t->call->terminal)
        return;
    fputs("epoch", stdout);
    for (size_t i = 0; i < count; i++)
        printf("\t%.*s", STRF(columns[i].name));
    putchar('\n');
}

static void print_epoch(struct training *t, const struct metric_column *columns,
                        size_t count, size_t i)
{
    int64_t epoch = metric_step(&columns[0], i);
    if (t->call->terminal)
        printf("epoch %lld/%lld", (long long)epoch, (long long)t->epochs);
    else
        printf("%lld", (long long)epoch);
    for (size_t k = 0; k < count; k++) {
        if (t->call->terminal)
            printf("  %.*s ", STRF(columns[k].name));
        else
            putchar('\t');
        print_number(i < columns[k].count ? metric_value(&columns[k], i) : NAN);
    }
    putchar('\n');
}

static void on_metrics(struct training *t, struct str payload)
{
    struct metric_column columns[NAMES_MAX];
    size_t count = read_columns(payload, columns);
    if (!count)
        return;
    print_head(t, columns, count);
    for (size_t i = 0; i < columns[0].count; i++)
        print_epoch(t, columns, count, i);
    fflush(stdout);
}

static void on_record(void *context, const struct record *r)
{
    struct training *t = context;
    struct record_ended e;
    if (r->type == RECORD_METRICS)
        on_metrics(t, r->payload);
    if (r->type == RECORD_NOTICE)
        fprintf(stderr, "throng train: %.*s\n", STRF(r->payload));
    if (r->type == RECORD_ENDED &&
        record_ended_parse(r->payload, &e, &t->call->err) == 0) {
        t->outcome = e.outcome;
        t->reason = arena_str(t->call->arena, e.reason);
    }
    engine_ack(t->engine);
    if (r->type == RECORD_ENDED)
        engine_quit(t->engine, true);
}

static void on_lost(void *context, uint64_t task, uint32_t attempt,
                    bool started, const char *reason)
{
    struct training *t = context;
    (void)task;
    (void)attempt;
    (void)started;
    t->outcome = OUTCOME_LOST;
    t->reason = arena_str(t->call->arena, str_of(reason));
    engine_quit(t->engine, true);
}

static void on_fault(void *context, const struct err *err)
{
    struct training *t = context;
    t->outcome = OUTCOME_FAILED;
    t->reason = arena_str(t->call->arena, str_of(err->text));
    engine_quit(t->engine, true);
}

static void on_idle(void *context)
{
    struct training *t = context;
    loop_stop(t->loop);
}

/* The first Ctrl-C ends training after this epoch and keeps the weights. */
static void on_interrupt(void *context, int signum)
{
    struct training *t = context;
    (void)signum;
    if (t->asked++ == 0)
        engine_stop_task(t->engine, 1);
    else
        engine_kill_task(t->engine, 1, OUTCOME_KILLED);
}

/* ---- one task ----------------------------------------------------------- */

static struct task task_of(struct training *t, uint64_t seed)
{
    struct call *c = t->call;
    struct arena *a = c->arena;
    const char *device = call_option(c, "device");
    struct buf text;
    struct task task = {.id = 1, .attempt = 1, .kind = STR("train")};
    needs_init(&task.needs);
    buf_init(&text);
    json_print(&text, t->model);
    task.model = arena_str(a, buf_str(&text));
    buf_done(&text);
    task.device = str_of(device ? device : "");
    task.workdir = str_of(path_folder(a, path_absolute(a, t->file)));
    task.folder = str_of(path_join(a, t->scratch, "1"));
    task.study = path_stem(t->file);
    task.params = STR("{}");
    task.seed = seed;
    task.grace_s = 5;
    return task;
}

static int open_engine(struct training *t, struct machine *m)
{
    struct call *c = t->call;
    struct engine_hooks hooks = {.context = t,
                                 .record = on_record,
                                 .lost = on_lost,
                                 .fault = on_fault,
                                 .idle = on_idle};
    struct engine_setup setup = {.place = "local",
                                 .loop = t->loop,
                                 .machine = m,
                                 .parallel = 1,
                                 .folder = t->scratch};
    setup.worker = worker_path(c->arena, &c->err);
    setup.mark = arena_printf(c->arena, "THRONG_STORE=%s", t->scratch);
    if (!setup.worker || machine_read(m, NULL, c->arena, &c->err))
        return -1;
    t->engine = engine_open(&setup, &hooks, &c->err);
    return t->engine ? 0 : -1;
}

static int run_task(struct training *t, const struct task *task)
{
    struct call *c = t->call;
    struct machine m;
    int rc = -1;
    t->loop = loop_new(&c->err);
    if (t->loop && loop_signal(t->loop, SIGINT, on_interrupt, t) &&
        loop_signal(t->loop, SIGTERM, on_interrupt, t) &&
        open_engine(t, &m) == 0 &&
        engine_submit(t->engine, task, 0, &c->err) == 0)
        rc = loop_run(t->loop, &c->err);
    if (t->engine)
        engine_close(t->engine);
    loop_free(t->loop);
    return rc;
}

/* ---- the verb ----------------------------------------------------------- */

/* The weights leave the scratch folder under the name that was asked for. */
static int keep_weights(struct training *t)
{
    struct call *c = t->call;
    struct arena *a = c->arena;
    const char *to = call_option(c, "output");
    const char *from = path_join(a, path_join(a, t->scratch, "1"),
                                 "output/weights.safetensors");
    struct buf bytes;
    if (!to)
        to = arena_printf(a, "%.*s.safetensors", STRF(path_stem(t->file)));
    buf_init(&bytes);
    int rc = file_read(from, 0, &bytes, &c->err) ||
             file_write(to, buf_str(&bytes), false, &c->err);
    buf_done(&bytes);
    if (rc == 0)
        fprintf(stderr, "throng train: weights are in %s\n", to);
    return rc;
}

static int finish(struct training *t)
{
    struct call *c = t->call;
    switch (t->outcome) {
    case OUTCOME_STOPPED:
    case OUTCOME_DONE:
        if (keep_weights(t))
            return call_fail(c);
        return t->outcome == OUTCOME_DONE ? EXIT_OK : EXIT_INTERRUPTED;
    case OUTCOME_INVALID:
        model_file_faults(t->model, t->file, t->reason);
        return EXIT_ERROR;
    case OUTCOME_KILLED:
        return EXIT_INTERRUPTED;
    default:
        fprintf(stderr, "throng train: %s%s%.*s\n", outcome_name(t->outcome),
                t->reason.len ? ": " : "", STRF(t->reason));
        return EXIT_ERROR;
    }
}

static int train(struct call *c, struct training *t)
{
    int64_t seed, budget;
    const struct value *own = value_get(t->model, STR("seed"));
    const struct value *epochs = value_get(t->model, STR("epochs"));
    if (call_int(c, "seed", own && own->kind == VALUE_INT ? own->i : 1,
                 &seed) ||
        call_int(c, "budget", 0, &budget))
        return call_fail(c);
    /* What the command line says goes before what the file says. */
    value_set(c->arena, t->model, STR("seed"), value_int(c->arena, seed));
    t->epochs = epochs && epochs->kind == VALUE_INT ? epochs->i : 1;
    struct task task = task_of(t, (uint64_t)seed);
    task.budget = budget;
    if (run_task(t, &task))
        return call_fail(c);
    return finish(t);
}

static int run(struct call *c)
{
    struct training t = {.call = c};
    char scratch[] = "/tmp/throng-train-XXXXXX";
    if (c->arg_count < 1)
        return call_usage(c, "name a model file");
    t.file = c->args[0];
    t.model = model_file_read(c, c->args[0], c->args + 1);
    if (!t.model)
        return call_fail(c);
    if (!mkdtemp(scratch)) {
        err_errno(&c->err, "make a folder in /tmp");
        return call_fail(c);
    }
    t.scratch = scratch;
    int code = train(c, &t);
    dir_remove(scratch, NULL);
    return code;
}

const struct verb verb_train = {
    .name = "train",
    .args = "MODEL.yaml [NAME=VALUE…]",
    .summary = "Train one model, without a program of your own",
    .text =
        "Trains the network that the model file describes on the data that it "
        "names, and\nwrites its weights as safetensors. Each NAME=VALUE "
        "replaces ${NAME} in the file.\nEvery epoch is a line: the loss over "
        "the training rows, then what the validation\nrows gave. Ctrl-C ends "
        "training after this epoch and keeps the weights; a second\none gives "
        "up.\n\nTo train many of them, name the file in a study: `model: "
        "MODEL.yaml`.\n",
    .options =
        (const struct option_spec[]){
            {"output", 'o', "FILE",
             "weights go here, not to MODEL.safetensors"},
            {"seed", 0, "N", "of the first weights and of all chance (1)"},
            {"budget", 0, "N", "train no further than this epoch"},
            {"device", 0, "NAME",
             "cpu (as said by default), portable or "
             "reference"},
            {0}},
    .run = run,
};
