/* training.c - how a model is trained: optimizer, schedule, when to stop
 *
 * Numbers that nobody said are Keras's. */
#include <math.h>

#include "nn/build.h"
#include "terms/device.h"

static const char *const optimizer_names[] = {"sgd",      "rmsprop", "adagrad",
                                              "adadelta", "adam",    "adamax",
                                              "nadam",    "adamw",   NULL};

static const char *const optimizer_keys[] = {"name",
                                             "lr",
                                             "momentum",
                                             "nesterov",
                                             "rho",
                                             "beta1",
                                             "beta2",
                                             "epsilon",
                                             "centered",
                                             "weight_decay",
                                             "initial_accumulator",
                                             "clip_value",
                                             "clip_norm",
                                             NULL};

/* What Keras takes for each, in the order of enum nn_optimizer_kind. */
static const struct usual {
    double lr, momentum, rho, beta1, beta2, epsilon, weight_decay;
} usual[NN_OPTIMIZER_COUNT] = {
    [NN_SGD] = {.lr = 0.01},
    [NN_RMSPROP] = {.lr = 0.001, .rho = 0.9, .epsilon = 1e-7},
    [NN_ADAGRAD] = {.lr = 0.001, .epsilon = 1e-7},
    [NN_ADADELTA] = {.lr = 0.001, .rho = 0.95, .epsilon = 1e-7},
    [NN_ADAM] = {.lr = 0.001, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-7},
    [NN_ADAMAX] = {.lr = 0.001, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-7},
    [NN_NADAM] = {.lr = 0.001, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-7},
    [NN_ADAMW] = {.lr = 0.001,
                  .beta1 = 0.9,
                  .beta2 = 0.999,
                  .epsilon = 1e-7,
                  .weight_decay = 0.004},
};

/* `optimizer: adam` is `optimizer: {name: adam}`. */
static const struct value *named(struct nn_build *b, const struct value *v)
{
    if (!v || v->kind == VALUE_OBJECT)
        return v;
    struct value *o = value_object(b->model->arena);
    value_set(b->model->arena, o, STR("name"), value_copy(b->model->arena, v));
    return o;
}

static void fault_unused(struct nn_build *b, const struct value *o,
                         const char *key, double usual_number, const char *name)
{
    if (usual_number == 0 && value_get(o, str_of(key)))
        nn_fault(b, key, "is not used by %s", name);
}

void nn_read_optimizer(struct nn_build *b, const struct value *v)
{
    const struct value *o = named(b, v);
    struct nn_optimizer *to = &b->model->optimizer;
    b->at = STR("optimizer");
    nn_known_keys(b, o, optimizer_keys, NULL);
    to->kind = (enum nn_optimizer_kind)nn_read_choice(b, o, "name",
                                                      optimizer_names, NN_ADAM);
    const struct usual *u = &usual[to->kind];
    to->lr = nn_read_soft(b, o, "lr", 0, 1e9, u->lr);
    to->momentum = nn_read_soft(b, o, "momentum", 0, 1, u->momentum);
    to->rho = nn_read_soft(b, o, "rho", 0, 1, u->rho);
    to->beta1 = nn_read_soft(b, o, "beta1", 0, 1, u->beta1);
    to->beta2 = nn_read_soft(b, o, "beta2", 0, 1, u->beta2);
    to->epsilon = nn_read_soft(b, o, "epsilon", 0, 1, u->epsilon);
    to->weight_decay =
        nn_read_soft(b, o, "weight_decay", 0, 1e6, u->weight_decay);
    to->initial = nn_read_soft(b, o, "initial_accumulator", 0, 1e9, 0.1);
    to->clip_value = nn_read_soft(b, o, "clip_value", 0, 1e30, NAN);
    to->clip_norm = nn_read_soft(b, o, "clip_norm", 0, 1e30, NAN);
    to->nesterov = nn_read_bool(b, o, "nesterov", false);
    to->centered = nn_read_bool(b, o, "centered", false);
    const char *name = optimizer_names[to->kind];
    fault_unused(b, o, "rho", u->rho, name);
    fault_unused(b, o, "beta1", u->beta1, name);
    fault_unused(b, o, "beta2", u->beta2, name);
    fault_unused(b, o, "epsilon", u->epsilon, name);
    b->at = STR("");
}

static const char *const schedule_names[] = {
    "constant", "step", "exponential", "cosine", "cyclic", "plateau", NULL};
static const char *const precision_names[] = {"float32", "tf32", "bf16", NULL};
static const char *const cycle_names[] = {"triangular", "triangular2",
                                          "exp_range", NULL};
static const char *const schedule_keys[] = {
    "name",  "factor",   "minimum", "maximum",       "epochs",
    "steps", "patience", "mode",    "warmup_epochs", NULL};

void nn_read_schedule(struct nn_build *b, const struct value *v)
{
    static const double factors[NN_SCHEDULE_COUNT] = {1, 0.1, 0.95, 1, 1, 0.1};
    const struct value *o = named(b, v);
    struct nn_schedule *to = &b->model->schedule;
    b->at = STR("schedule");
    nn_known_keys(b, o, schedule_keys, NULL);
    to->kind = (enum nn_schedule_kind)nn_read_choice(
        b, o, "name", schedule_names, NN_CONSTANT);
    to->factor = nn_read_soft(b, o, "factor", 0, 1, factors[to->kind]);
    to->minimum = nn_read_soft(b, o, "minimum", 0, 1e9, 0);
    to->maximum = nn_read_soft(b, o, "maximum", 0, 1e9, 0.006);
    to->epochs = nn_read_int(b, o, "epochs", 1, INT32_MAX, 10);
    to->steps = nn_read_int(b, o, "steps", 1, INT32_MAX, 2000);
    to->patience = nn_read_int(b, o, "patience", 0, INT32_MAX, 10);
    to->mode = (enum nn_cycle)nn_read_choice(b, o, "mode", cycle_names, 0);
    to->warmup_epochs = nn_read_real(b, o, "warmup_epochs", 0, 1e9, 0);
    b->at = STR("");
}

static bool larger_is_better(struct str watch)
{
    static const char *const small[] = {"loss", "mae", "mse", NULL};
    for (size_t i = 0; small[i]; i++)
        if (str_ends(watch, str_of(small[i])))
            return false;
    return true;
}

static void read_stopping(struct nn_build *b, const struct value *root)
{
    static const char *const keys[] = {"watch", "patience", "min_delta",
                                       "best_weights", NULL};
    const struct value *o = value_get(root, STR("early_stopping"));
    struct nn_stopping *to = &b->model->stopping;
    if (!o)
        return;
    b->at = STR("early_stopping");
    if (o->kind != VALUE_OBJECT)
        nn_fault(b, NULL, "must be an object: {watch: val_loss, patience: 5}");
    nn_known_keys(b, o, keys, NULL);
    to->watch = arena_str(b->model->arena,
                          nn_read_text(b, o, "watch", STR("val_loss")));
    to->larger = larger_is_better(to->watch);
    to->patience = nn_read_int(b, o, "patience", 0, INT32_MAX, 5);
    to->min_delta = nn_read_real(b, o, "min_delta", 0, 1e30, 0);
    to->best_weights = nn_read_bool(b, o, "best_weights", true);
    b->at = STR("");
}

/* What could be written instead of a name that is not reported. */
static void suggest_watch(struct nn_build *b, struct buf *hint,
                          struct str watch, const char **names)
{
    struct str metric = str_starts(watch, STR("val_"))
                            ? str_n(watch.p + 4, watch.len - 4)
                            : watch;
    const char *near = str_nearest(watch, names);
    for (size_t i = 0; names[i]; i++) {
        buf_addf(hint, "%s%s", i ? ", " : "it reports ", names[i]);
        if (strncmp(names[i], "val_", 4) == 0 && str_is(metric, names[i] + 4))
            near = names[i];
    }
    if (near)
        buf_addf(hint, "; did you mean %s?", near);
    if (!near && str_among(metric, nn_metric_names))
        buf_addf(hint, "; add %.*s to `metrics`", STRF(metric));
    if (b->data && b->data->no_validation)
        buf_adds(hint, "; there are no validation rows: say data.validation");
}

/* Of a value that never comes, no epoch is better than the one before. */
void nn_check_stopping(struct nn_build *b)
{
    struct str watch = b->model->stopping.watch;
    bool validation = !b->data || !b->data->no_validation;
    const char **names =
        nn_model_reported(b->model, validation, b->faults->arena);
    struct buf hint;
    if (!watch.len ? names[0] != NULL : str_among(watch, names))
        return;
    buf_init(&hint);
    suggest_watch(b, &hint, watch, names);
    b->at = STR("early_stopping");
    nn_fault_hint(b, "watch", hint.p, "%.*s is not reported by this training",
                  STRF(watch));
    b->at = STR("");
    buf_done(&hint);
}

static void read_snapshots(struct nn_build *b, const struct value *root)
{
    const struct value *v = value_get(root, STR("snapshots"));
    for (size_t i = 0; v && v->kind == VALUE_LIST && i < v->count; i++)
        if (v->items[i]->kind == VALUE_INT && v->items[i]->i >= 0)
            vec_push(&b->model->snapshots, v->items[i]->i);
        else
            nn_fault(b, "snapshots",
                     "must be a list of epochs, from 0 (the first weights) on");
    if (v && v->kind != VALUE_LIST)
        nn_fault(b, "snapshots", "must be a list of epochs");
}

#define DEVICE_TEXT(name, ...) #name,

static void look_at_device_word(struct nn_build *b, const struct value *root,
                                const char *key)
{
    static const char *const names[] = {"auto", DEVICES(DEVICE_TEXT) NULL};
    const struct value *v = value_get(root, str_of(key));
    struct str word = v ? value_text(v) : STR("");
    const char *meant = device_called(word);
    if (meant)
        nn_fault_hint(b, key,
                      arena_printf(b->faults->arena, "did you mean %s?", meant),
                      "cannot be %.*s", STRF(word));
    else
        nn_read_choice(b, root, key, names, 0);
}

/* Says nothing of what is learned: it is only looked whether there is such a
 * one. */
static void look_at_device(struct nn_build *b, const struct value *root)
{
    const struct value *device = value_get(root, STR("device"));
    const struct value *kernels = value_get(root, STR("kernels"));
    look_at_device_word(b, root, "device");
    look_at_device_word(b, root, "kernels");
    if (device && kernels && !str_eq(value_text(device), value_text(kernels)))
        nn_fault_hint(b, "kernels", "leave one of them out",
                      "is %.*s, and device is %.*s", STRF(value_text(kernels)),
                      STRF(value_text(device)));
}

void nn_read_training(struct nn_build *b, const struct value *root)
{
    struct nn_model *m = b->model;
    m->batch_size =
        nn_read_int(b, root, "batch_size", 1, 1 << 24, NN_BATCH_DEFAULT);
    m->epochs = nn_read_int(b, root, "epochs", 0, INT32_MAX, 1);
    m->precision = (enum nn_precision)nn_read_choice(
        b, root, "precision", precision_names, NN_FLOAT32);
    nn_read_int(b, root, "seed", INT64_MIN, INT64_MAX, 0); /* nn_seed_of */
    m->initial_weights =
        arena_str(m->arena, nn_read_text(b, root, "initial_weights", STR("")));
    m->masks = arena_str(m->arena, nn_read_text(b, root, "masks", STR("")));
    read_stopping(b, root);
    read_snapshots(b, root);
    look_at_device(b, root);
}

int nn_seed_of(const struct value *v, int64_t *seed, struct err *err)
{
    struct arena *a = arena_new();
    struct problems faults = {.arena = a};
    struct nn_build b = {.faults = &faults, .root = v, .at = STR("")};
    const struct value *said = value_get(v, STR("seed"));
    int64_t got = nn_read_int(&b, v, "seed", INT64_MIN, INT64_MAX, 0);
    int rc = said && said->kind != VALUE_NULL;
    if (faults.errors)
        rc = err_set_at(err, "seed", " %.*s", STRF(faults.list.p[0].text));
    else if (rc)
        *seed = got;
    arena_free(a);
    return rc;
}
