/* train.c - train one model, here and now
 *
 * One task for one worker: the same path that the trials of a study take.
 * Epochs go to standard output, one to a line; the weights to a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/cli.h"
#include "cli/choose_device.h"
#include "cli/confusion.h"
#include "cli/fix.h"
#include "cli/model_file.h"
#include "study/study.h"
#include "nn/nn.h"
#include "terms/device.h"
#include "terms/metric.h"

#define NAMES_MAX 64
#define VALUE_WIDTH 8 /* 0.001234 */

struct training {
    struct one_task one;
    struct call *call;
    struct value *model;
    const char *file; /* of the model */
    int64_t epochs;
    bool begun; /* the head of the table is printed */
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

static void print_head(struct training *t, const struct metric_column *columns,
                       size_t count)
{
    struct buf b;
    if (t->begun)
        return;
    t->begun = true;
    if (t->call->terminal)
        return;
    buf_init(&b);
    buf_adds(&b, "epoch");
    for (size_t i = 0; i < count; i++)
        buf_addf(&b, "\t%.*s", STRF(columns[i].name));
    buf_addc(&b, '\n');
    put(buf_str(&b));
    buf_done(&b);
}

static int digits_of(int64_t n)
{
    return snprintf(NULL, 0, "%lld", (long long)n);
}

/* On a terminal each below the one before, as far as they can be. */
static void add_value(const struct training *t, struct buf *b, struct str name,
                      double value)
{
    if (!t->call->terminal) {
        buf_addc(b, '\t');
        num_print_short(b, value, 6);
        return;
    }
    buf_addf(b, "  %.*s ", STRF(name));
    size_t from = b->len;
    num_print_short(b, value, 4);
    while (b->len - from < VALUE_WIDTH)
        buf_addc(b, ' ');
}

static void print_epoch(struct training *t, const struct metric_column *columns,
                        size_t count, size_t i)
{
    int64_t epoch = metric_step(&columns[0], i);
    struct buf b;
    buf_init(&b);
    if (t->call->terminal)
        buf_addf(&b, "epoch %*lld/%lld", digits_of(t->epochs), (long long)epoch,
                 (long long)t->epochs);
    else
        buf_addf(&b, "%lld", (long long)epoch);
    for (size_t k = 0; k < count; k++)
        add_value(t, &b, columns[k].name,
                  i < columns[k].count ? metric_value(&columns[k], i) : NAN);
    while (t->call->terminal && b.p[b.len - 1] == ' ')
        b.len--;
    buf_addc(&b, '\n');
    put(buf_str(&b));
    buf_done(&b);
}

/* As `evaluate` prints them. */
static void print_test(const struct metric_column *columns, size_t count)
{
    struct buf b;
    buf_init(&b);
    buf_addc(&b, '\n');
    for (size_t i = 0; i < count; i++) {
        buf_addf(&b, "%.*s\t", STRF(columns[i].name));
        num_print_short(&b, metric_value(&columns[i], 0), 6);
        buf_addc(&b, '\n');
    }
    put(buf_str(&b));
    buf_done(&b);
}

static void on_notice(void *context, struct str text)
{
    const struct training *t = context;
    say("throng %s: %.*s\n", t->call->verb->name, STRF(text));
}

static void on_metrics(void *context, struct str payload)
{
    struct training *t = context;
    struct metric_column columns[NAMES_MAX];
    size_t count = read_columns(payload, columns);
    if (!count)
        return;
    if (str_starts(columns[0].name, STR("test_"))) {
        print_test(columns, count);
        return;
    }
    print_head(t, columns, count);
    for (size_t i = 0; i < columns[0].count; i++)
        print_epoch(t, columns, count, i);
}

/* ---- the verb ----------------------------------------------------------- */

/* Under the name that was asked for. */
static int keep_weights(struct training *t)
{
    struct call *c = t->call;
    const char *to = call_option(c, "output");
    if (!to)
        to = arena_printf(c->arena, "%.*s.safetensors",
                          STRF(path_stem(t->file)));
    if (training_keep(t->model, t->one.scratch, to, c->arena, &c->err))
        return -1;
    say("throng train: weights are in %s\n", to);
    return 0;
}

/* What failed says its reason; of the others how it ended is half of it. */
static void say_end(const struct training *t)
{
    bool plain = t->one.reason.len && (t->one.outcome == OUTCOME_FAILED ||
                                       t->one.outcome == OUTCOME_SPAWN ||
                                       t->one.outcome == OUTCOME_MEMORY);
    say("throng train: %s%s%.*s\n", plain ? "" : outcome_name(t->one.outcome),
        plain || !t->one.reason.len ? "" : ": ", STRF(t->one.reason));
}

static int finish(struct training *t)
{
    struct call *c = t->call;
    switch (t->one.outcome) {
    case OUTCOME_STOPPED:
    case OUTCOME_DONE:
        confusion_print(
            c, confusion_read(c, path_join(c->arena, t->one.scratch, "1")));
        if (keep_weights(t))
            return call_fail(c);
        return t->one.outcome == OUTCOME_DONE ? EXIT_OK : EXIT_INTERRUPTED;
    case OUTCOME_INVALID:
        if (!t->one.faults.len)
            model_file_fault(t->model, t->file, STR(""), t->one.reason);
        for (struct record_fault f; record_fault_next(&t->one.faults, &f);)
            model_file_fault(t->model, t->file, f.at, f.text);
        return EXIT_ERROR;
    case OUTCOME_KILLED:
        return EXIT_INTERRUPTED;
    default:
        say_end(t);
        return EXIT_ERROR;
    }
}

/* They stand for the same key. */
static bool device_words_agree(const struct value *model)
{
    struct str device = value_text(value_get(model, STR("device")));
    struct str kernels = value_text(value_get(model, STR("kernels")));
    return !device.len || !kernels.len || str_eq(device, kernels);
}

/* What the file says of it is no part of the model. What is no device, or two
 * of them, stays in it, for its trainer to say. */
static struct str take_device(const struct call *c, struct value *model)
{
    static const char *const keys[] = {"device", "kernels"};
    struct str device = {0};
    bool agree = device_words_agree(model);
    for (size_t i = 0; agree && i < sizeof(keys) / sizeof(*keys); i++) {
        struct str said = value_text(value_get(model, str_of(keys[i])));
        if (!said.len || !device_find(said, NULL))
            continue;
        device = said;
        value_drop(model, str_of(keys[i]));
    }
    return call_option(c, "device") ? str_of(call_option(c, "device")) : device;
}

static int train(struct call *c, struct training *t)
{
    int64_t own = 1, seed, budget;
    struct str device = take_device(c, t->model);
    const struct value *epochs = value_get(t->model, STR("epochs"));
    if (!call_option(c, "seed") && nn_seed_of(t->model, &own, &c->err) < 0) {
        model_file_fault(t->model, t->file, str_of(c->err.at),
                         str_of(c->err.text));
        return EXIT_ERROR;
    }
    if (call_int(c, "seed", own, &seed) || call_int(c, "budget", 0, &budget))
        return call_fail(c);
    /* What the command line says goes before what the file says. */
    value_set(c->arena, t->model, STR("seed"), value_int(c->arena, seed));
    t->epochs = budget > 0                            ? budget
                : epochs && epochs->kind == VALUE_INT ? epochs->i
                                                      : 1;
    struct task task = training_task(t->model, t->file, t->one.scratch,
                                     (uint64_t)seed, c->arena);
    task.budget = budget;
    task.device = device;
    choose_device(c, &task, t->one.scratch, false);
    if (one_task_run(&t->one, &task, c->arena, &c->err))
        return call_fail(c);
    return finish(t);
}

static int run(struct call *c)
{
    struct training t = {.call = c, .one.metrics = on_metrics};
    if (c->arg_count < 1)
        return call_usage(c, "name a model file");
    if (!device_find(str_of(call_option(c, "device")), &c->err))
        return call_usage(c, "%s", c->err.text);
    t.one.notice = on_notice;
    t.one.context = &t;
    t.file = c->args[0];
    t.model = model_file_load(c, c->args[0], c->args + 1);
    if (!t.model)
        return call_fail(c);
    t.one.scratch = scratch_make("train", &c->err);
    if (!t.one.scratch)
        return call_fail(c);
    int code = train(c, &t);
    scratch_remove(t.one.scratch);
    return code;
}

VERB(train) = {
    .name = "train",
    .args = "MODEL.yaml [NAME=VALUE…]",
    .summary = "Train one model, without a program of your own",
    .text = "Trains the network that the model file describes on the data that "
            "it names, and\nwrites its weights as safetensors. Each NAME=VALUE "
            "replaces ${NAME} in the file;\nin a CANDLE parameter file (*.txt) "
            "it replaces the keyword NAME. Every epoch is\na line: the loss "
            "over the training rows, then what the validation rows "
            "gave.\nWhere the data has test rows, what they give comes last, "
            "of the weights that are\nkept. Ctrl-C ends training after this "
            "epoch and keeps the weights; a second one\ngives up.\n\nTo train "
            "many of them, name "
            "the file in a study: `model: MODEL.yaml`.\n",
    .options =
        (const struct option_spec[]){
            {"output", 'o', "FILE",
             "weights go here, not to MODEL.safetensors"},
            {"seed", 0, "N", "of the first weights and of all chance (1)"},
            {"budget", 0, "N",
             "train up to this epoch, whatever `epochs` says"},
            {"device", 0, "NAME", "one of " DEVICE_NAMES},
            {0}},
    .run = run,
};
