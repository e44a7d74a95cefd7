/* layers.c - the network that CANDLE's keywords describe
 *
 * conv (and pool), then lstm_size (or rnn_size, so many times as n_layers
 * says), then dense (or network_layers), then a last layer as wide as the
 * labels want. Dense and convolutional layers are followed, where these
 * are said, by batch normalization, activation and dropout, in this order.
 * Two other networks have keywords of their own: an autoencoder (model='ae')
 * is dense, latent_dim, dense backwards; a multi-task network has
 * shared_nnet_spec and, for each task, a part of ind_nnet_spec. */
#include "candle/making.h"

#define RNN_LAYERS_MAX 1000

/* Keras's other names. */
static const char *const activations[] = {
    "leakyrelu", "leaky_relu", "silu", "swish", "none", "linear", NULL};
static const char *const losses[] = {"mean_squared_error",
                                     "mse",
                                     "mean_absolute_error",
                                     "mae",
                                     "kullback_leibler_divergence",
                                     "kl",
                                     "kld",
                                     "kl",
                                     "huber_loss",
                                     "huber",
                                     "het",
                                     "heteroscedastic",
                                     NULL};

/* ---- numbers -------------------------------------------------------------
 */

/* A parameter that is a list of whole numbers, also where one number or a
 * text ('1200, 600') says it; NULL when there is none. */
static const struct value *numbers_of(struct making *m, const char *name)
{
    const struct keyword k = {
        .name = str_of(name), .type = TYPE_INT, .arity = ARITY_SOME};
    const struct value *v = making_get(m, name);
    struct err err = {0};
    if (!v)
        return NULL;
    struct value *list =
        keyword_convert(&k, making_at(m, v, v), m->arena, &err);
    if (!list)
        making_fault(m, v, "as in [200, 20]", "%s", err.text);
    return list ? making_at(m, list, v) : NULL;
}

/* ---- layers ------------------------------------------------------------- */

static void put(const struct making *m, struct value *o, const char *key,
                struct value *v)
{
    if (v)
        value_set(m->arena, o, str_of(key), v);
}

/* A layer of that kind at the end of the network; main may be NULL. */
static struct value *add_layer(struct making *m, const char *kind,
                               struct value *main, const struct value *at)
{
    struct value *o = value_object(m->arena);
    put(m, o, kind, main ? main : value_null(m->arena));
    o->line = at ? at->line : 0;
    o->column = at ? at->column : 0;
    value_list_add(m->arena, m->layers, o);
    return o;
}

/* The name of the layer of that number, for others to take from: one that has
 * none is given its kind and its number. */
static struct value *name_of(const struct making *m, size_t number)
{
    struct value *o = m->layers->items[number - 1];
    if (!value_get(o, STR("name"))) {
        char *name =
            arena_printf(m->arena, "%.*s_%zu", STRF(o->keys[0]), number);
        put(m, o, "name", value_string(m->arena, str_of(name)));
    }
    return value_string(m->arena, value_get(o, STR("name"))->s);
}

static struct value *last_name(const struct making *m)
{
    return name_of(m, m->layers->count);
}

static void add_weights(struct making *m, struct value *o)
{
    const struct value *init = making_get(m, "initialization");
    const struct value *l2 = making_get(m, "reg_l2");
    const struct value *l1 = making_get(m, "reg_l1");
    if (!l2)
        l2 = making_get(m, "l2_reg");
    if (init)
        put(m, o, "initializer", making_name(m, init, NULL));
    if (l1)
        put(m, o, "l1", making_at(m, l1, l1));
    if (l2)
        put(m, o, "l2", making_at(m, l2, l2));
}

/* The activation of hidden layer i. */
static struct value *activation_at(const struct making *m, size_t i)
{
    const struct value *v = making_get(m, "activation");
    if (!v || v->kind != VALUE_LIST)
        return v ? making_name(m, v, activations) : NULL;
    struct value *one =
        i < v->count ? making_name(m, v->items[i], activations) : NULL;
    return one ? making_at(m, one, v) : NULL;
}

/* What follows a layer with weights. */
static void add_activation(struct making *m, struct value *layer,
                           struct value *activation)
{
    if (making_true(m, "batch_normalization")) {
        const struct value *at = making_get(m, "batch_normalization");
        add_layer(m, "batch_norm", NULL, at);
        if (activation)
            add_layer(m, "activation", activation, activation);
    } else {
        put(m, layer, "activation", activation);
    }
}

static void add_dropout(struct making *m)
{
    const struct value *v = making_get(m, "dropout");
    if (v && value_number(v) != 0)
        add_layer(m, "dropout", making_at(m, v, v), v);
}

/* Steps of one number each, also where only their number is said. */
static void input_steps(struct making *m)
{
    const struct value *said = value_get(m->model, STR("input"));
    struct value *shape = value_list(m->arena);
    if (said && said->kind != VALUE_INT)
        return;
    value_list_add(m->arena, shape,
                   said ? making_at(m, said, said) : value_int(m->arena, -1));
    value_list_add(m->arena, shape, value_int(m->arena, 1));
    value_set(m->arena, m->model, STR("input"), making_at(m, shape, said));
}

static struct value *add_dense(struct making *m, struct value *units,
                               const struct value *at)
{
    struct value *o = add_layer(m, "dense", units, at);
    add_weights(m, o);
    return o;
}

/* ---- convolutions ------------------------------------------------------- */

/* The first so many numbers, or the row of a list of rows, of convolution i;
 * NULL: there are no more. */
static const struct value *conv_row(struct making *m, const struct value *conv,
                                    size_t i)
{
    bool rows = conv->count && conv->items[0]->kind == VALUE_LIST;
    if (rows)
        return i < conv->count ? conv->items[i] : NULL;
    if (3 * i + 2 >= conv->count)
        return NULL;
    struct value *row = value_list(m->arena);
    for (size_t k = 0; k < 3; k++)
        value_list_add(m->arena, row, conv->items[3 * i + k]);
    return row;
}

static bool conv_fits(struct making *m, const struct value *conv)
{
    bool rows = conv->count && conv->items[0]->kind == VALUE_LIST;
    bool good = rows || conv->count % 3 == 0;
    size_t wide = rows ? conv->items[0]->count : 3;
    for (size_t i = 0; rows && good && i < conv->count; i++)
        good =
            conv->items[i]->kind == VALUE_LIST && conv->items[i]->count == wide;
    if (good && (wide == 3 || wide == 5))
        return true;
    making_fault(m, conv,
                 "three numbers for each layer: filters, length, stride; or "
                 "a list of lists, of five for images: filters, rows, "
                 "columns, stride over rows, stride over columns",
                 "conv does not fall into layers");
    return false;
}

static struct value *pair(struct making *m, const struct value *row, size_t i,
                          const struct value *at)
{
    struct value *two = value_list(m->arena);
    value_list_add(m->arena, two, making_at(m, row->items[i], at));
    value_list_add(m->arena, two, making_at(m, row->items[i + 1], at));
    return making_at(m, two, at);
}

static void add_pool(struct making *m, size_t i, bool image)
{
    const struct value *pool = making_get(m, "pool");
    const struct value *one = pool;
    if (pool && pool->kind == VALUE_LIST)
        one = value_at(pool, i);
    if (one && !(one->kind == VALUE_INT && one->i <= 1))
        add_layer(m, image ? "max_pool2d" : "max_pool1d",
                  making_at(m, one, pool), pool);
}

/* CANDLE ends at the first layer with a number that is not above 0. */
static bool conv_ends(const struct value *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (!(value_number(row->items[i]) > 0))
            return true;
    return false;
}

static size_t add_convs(struct making *m, const struct value *conv, bool *image)
{
    const struct value *row;
    size_t i = 0;
    for (; (row = conv_row(m, conv, i)) && !conv_ends(row); i++) {
        *image = row->count == 5;
        struct value *o = add_layer(m, *image ? "conv2d" : "conv1d",
                                    making_at(m, row->items[0], conv), conv);
        put(m, o, "kernel",
            *image ? pair(m, row, 1, conv) : making_at(m, row->items[1], conv));
        put(m, o, "stride",
            *image ? pair(m, row, 3, conv) : making_at(m, row->items[2], conv));
        add_weights(m, o);
        add_activation(m, o, activation_at(m, 0));
        add_pool(m, i, *image);
    }
    return i;
}

/* Convolutions look at steps of one number, or at images. */
static void conv_network(struct making *m)
{
    const struct value *conv = making_get(m, "conv");
    const struct value *pool = making_get(m, "pool");
    bool image = false;
    if (!conv || conv->kind != VALUE_LIST || !conv_fits(m, conv))
        return;
    if (making_true(m, "locally_connected")) {
        making_fault(m, making_get(m, "locally_connected"),
                     "take it out: convolutions are the nearest",
                     "there are no locally connected layers");
        return;
    }
    size_t count = add_convs(m, conv, &image);
    if (pool && pool->kind == VALUE_LIST && pool->count < count)
        making_fault(m, pool, "one for each, or one number for all of them",
                     "pool has %zu numbers for %zu convolutions", pool->count,
                     count);
    if (count)
        add_layer(m, "flatten", NULL, conv);
    if (count && !image)
        input_steps(m);
}

/* ---- recurrent layers ---------------------------------------------------- */

/* rnn_size is the width of n_layers layers, or a list of widths. */
static const struct value *rnn_widths(struct making *m)
{
    const struct value *size = numbers_of(m, "rnn_size");
    const struct value *layers = numbers_of(m, "n_layers");
    if (!size || size->count != 1 || !layers || !layers->count)
        return size;
    struct value *list = value_list(m->arena);
    for (int64_t i = 0; i < layers->items[0]->i && i < RNN_LAYERS_MAX; i++)
        value_list_add(m->arena, list, size->items[0]);
    return making_at(m, list, size);
}

static void lstm_network(struct making *m)
{
    const struct value *v = numbers_of(m, "lstm_size");
    if (!v)
        v = rnn_widths(m);
    if (!v)
        return;
    for (size_t i = 0; i < v->count; i++) {
        struct value *o = add_layer(m, "lstm", making_at(m, v->items[i], v), v);
        if (i + 1 < v->count)
            put(m, o, "sequence", value_bool(m->arena, true));
        add_dropout(m);
    }
    input_steps(m);
}

/* ---- dense layers -------------------------------------------------------- */

/* A hidden softmax of the width of the layer before it is attention: it looks
 * at what that one looked at, and the two are multiplied. */
static void add_gate(struct making *m, const struct value *dense, size_t i,
                     size_t from, size_t gated)
{
    struct value *both = value_list(m->arena);
    struct value *o = add_dense(m, making_at(m, dense->items[i], dense), dense);
    put(m, o, "activation", activation_at(m, i));
    put(m, o, "from", name_of(m, from));
    value_list_add(m->arena, both, name_of(m, gated));
    value_list_add(m->arena, both, last_name(m));
    put(m, add_layer(m, "multiply", NULL, dense), "from", both);
}

static bool is_gate(const struct making *m, const struct value *dense, size_t i)
{
    const struct value *all = making_get(m, "activation");
    struct value *act = activation_at(m, i);
    return i > 1 && all && all->kind == VALUE_LIST && act &&
           str_is(value_text(act), "softmax") &&
           value_eq(dense->items[i], dense->items[i - 1]);
}

/* With residual, two layers of one width that follow each other are added. */
static void add_residual(struct making *m, size_t before)
{
    struct value *both = value_list(m->arena);
    value_list_add(m->arena, both, last_name(m));
    value_list_add(m->arena, both, name_of(m, before));
    put(m, add_layer(m, "add", NULL, making_get(m, "residual")), "from", both);
}

/* Layers of these widths; the first takes what `from` names, if anything. A
 * width of 0 is no layer. */
static void dense_stack(struct making *m, const struct value *dense,
                        size_t count, bool backwards, struct value *from)
{
    size_t before = 0, two_before = 0; /* numbers of layers; 0: none */
    const struct value *width_before = NULL;
    for (size_t k = 0; k < count; k++) {
        size_t i = backwards ? count - 1 - k : k;
        const struct value *width = dense->items[i];
        if (value_number(width) == 0)
            continue;
        if (!backwards && before && two_before && is_gate(m, dense, i)) {
            add_gate(m, dense, i, two_before, before);
        } else {
            struct value *o = add_dense(m, making_at(m, width, dense), dense);
            put(m, o, "from", from);
            from = NULL;
            add_activation(m, o, activation_at(m, i));
            add_dropout(m);
            if (making_true(m, "residual") && width_before &&
                value_eq(width, width_before))
                add_residual(m, before);
        }
        two_before = before;
        before = m->layers->count;
        width_before = width;
    }
}

/* ---- the last layer ------------------------------------------------------ */

static bool is_cross_entropy(const struct value *loss)
{
    return str_ends(value_text(loss), STR("categorical_crossentropy"));
}

static const struct value *classes_of(const struct making *m)
{
    static const char *const names[] = {"classes", "num_classes", "out_layer",
                                        NULL};
    for (size_t i = 0; names[i]; i++)
        if (making_get(m, names[i]))
            return making_get(m, names[i]);
    return NULL;
}

static struct value *out_activation(struct making *m, const struct value *loss)
{
    static const char *const names[] = {"out_activation", "out_act", "last_act",
                                        NULL};
    const struct value *v = NULL;
    for (size_t i = 0; names[i] && !v; i++)
        v = making_get(m, names[i]);
    if (!v && making_get(m, "rnn_size"))
        v = making_get(m, "activation"); /* of P3B2's last layer */
    if (!v)
        return NULL;
    struct value *act = making_name(m, v, activations);
    if (is_cross_entropy(loss) && !str_is(value_text(act), "softmax"))
        making_fault(m, v, "out_activation = 'softmax'",
                     "%.*s gives no probabilities, which %.*s wants",
                     STRF(value_text(act)), STRF(value_text(loss)));
    return act;
}

static void add_output(struct making *m, struct value *activation)
{
    const struct value *classes = classes_of(m);
    struct value *units = classes ? making_at(m, classes, classes)
                                  : making_word(m, "outputs", NULL);
    struct value *o = add_dense(m, units, classes);
    put(m, o, "activation", activation);
}

static void check_classes(struct making *m, const struct value *loss)
{
    const struct value *classes = making_get(m, "classes");
    if (classes && loss && value_number(classes) > 1 &&
        (str_is(value_text(loss), "mse") || str_is(value_text(loss), "mae")))
        making_fault(m, classes,
                     "loss = 'categorical_crossentropy', or take classes out",
                     "classes are not learned with the loss %.*s",
                     STRF(value_text(loss)));
}

/* ---- whole networks ------------------------------------------------------ */

bool making_autoencoder(const struct making *m)
{
    const struct value *v = making_get(m, "model");
    return v && str_is(value_text(v), "ae");
}

static void autoencoder(struct making *m, const struct value *dense,
                        const struct value *loss)
{
    const struct value *latent = making_get(m, "latent_dim");
    struct value *out = out_activation(m, loss);
    if (is_cross_entropy(loss))
        making_fault(m, making_get(m, "loss"), "loss = 'mse'",
                     "an autoencoder learns numbers, not classes");
    if (dense)
        dense_stack(m, dense, dense->count, false, NULL);
    if (latent)
        put(m, add_dense(m, making_at(m, latent, latent), latent), "activation",
            activation_at(m, 0));
    if (dense)
        dense_stack(m, dense, dense->count, true, NULL);
    put(m, add_dense(m, making_word(m, "outputs", NULL), NULL), "activation",
        out ? out : making_word(m, "sigmoid", NULL));
}

/* Of a list of activations one more than there are layers may be there, or,
 * where it ends with softmax, the last width may be that of the output. */
static size_t hidden_count(struct making *m, const struct value *dense,
                           const struct value *loss, struct value **out)
{
    const struct value *act = making_get(m, "activation");
    if (!act || act->kind != VALUE_LIST)
        return dense->count;
    const struct value *last = value_at(act, act->count - 1);
    bool softmax = last && is_cross_entropy(loss) &&
                   str_is(value_text(making_name(m, last, NULL)), "softmax");
    if (act->count == dense->count + 1 || (softmax && dense->count))
        *out = making_at(m, making_name(m, last, activations), act);
    if (act->count == dense->count + 1)
        return dense->count;
    if (act->count != dense->count)
        making_fault(m, act, "one for each, or one word for all of them",
                     "activation has %zu words for %zu dense layers",
                     act->count, dense->count);
    return softmax && dense->count ? dense->count - 1 : dense->count;
}

static void feed_forward(struct making *m, const struct value *dense,
                         const struct value *loss)
{
    struct value *out = out_activation(m, loss), *listed = NULL;
    conv_network(m);
    lstm_network(m);
    if (dense) {
        size_t count = hidden_count(m, dense, loss, &listed);
        dense_stack(m, dense, count, false, NULL);
        if (count < dense->count) {
            struct value *o =
                add_dense(m, making_at(m, dense->items[count], dense), dense);
            put(m, o, "activation", listed);
            return;
        }
    }
    add_output(m, out ? out : listed);
}

/* ---- several tasks ------------------------------------------------------- */

/* ind_nnet_spec: '1200, 1200:1200' has two tasks. */
static struct value *tasks_of(const struct making *m)
{
    const struct value *v = making_get(m, "ind_nnet_spec");
    struct keyword k = {
        .name = STR("ind_nnet_spec"), .type = TYPE_INT, .lists = true};
    if (!v)
        return NULL;
    return keyword_convert(&k, making_at(m, v, v), m->arena, NULL);
}

size_t making_tasks(const struct making *m)
{
    const struct value *tasks = tasks_of(m);
    return tasks ? tasks->count : 0;
}

/* 'Primary site:Tumor laterality' as primary_site, tumor_laterality. */
static struct value *task_name(const struct making *m, size_t i)
{
    struct str rest = value_text(making_get(m, "feature_names")), name;
    struct buf b;
    buf_init(&b);
    for (size_t k = 0; rest.len && str_split(&rest, ':', &name); k++)
        for (size_t c = 0; k == i && c < name.len; c++) {
            char x = name.p[c];
            bool upper = x >= 'A' && x <= 'Z';
            bool plain =
                upper || (x >= 'a' && x <= 'z') || (x >= '0' && x <= '9');
            buf_addc(&b, !plain ? '_' : upper ? (char)(x | 0x20) : x);
        }
    if (!b.len)
        buf_addf(&b, "task_%zu", i + 1);
    struct value *v = value_string(m->arena, buf_str(&b));
    buf_done(&b);
    return v;
}

static void add_task(struct making *m, const struct value *widths, size_t i,
                     struct value *from, struct value *loss)
{
    const struct value *at = making_get(m, "ind_nnet_spec");
    struct value *name = task_name(m, i);
    struct value *head = value_object(m->arena);
    dense_stack(m, making_at(m, widths, at), widths->count, false, from);
    add_output(m, out_activation(m, loss));
    struct value *o = m->layers->items[m->layers->count - 1];
    put(m, o, "name", name);
    if (!widths->count)
        put(m, o, "from", from);
    put(m, head, "from", name);
    put(m, head, "loss", loss);
    value_list_add(m->arena, value_get(m->model, STR("heads")), head);
}

static void multi_task(struct making *m, const struct value *shared,
                       struct value *loss)
{
    struct value *tasks = tasks_of(m), *from;
    if (!tasks || !tasks->count) {
        making_fault(m, making_get(m, "ind_nnet_spec"),
                     "one list for each task: '1200, 1200:1200'",
                     "ind_nnet_spec says the layers of no task");
        return;
    }
    value_set(m->arena, m->model, STR("heads"), value_list(m->arena));
    dense_stack(m, shared, shared->count, false, NULL);
    from = m->layers->count ? last_name(m) : making_word(m, "input", NULL);
    for (size_t i = 0; i < tasks->count; i++)
        add_task(m, tasks->items[i], i, from, loss);
}

/* ---- all ----------------------------------------------------------------- */

/* What goes with dense in some models but is more than keywords say. */
static bool beyond(struct making *m)
{
    static const char *const names[] = {
        "dense_feature_layers",
        "towers of layers that share weights",
        "transformer_depth",
        "blocks of layers that share weights",
        NULL,
    };
    for (size_t i = 0; names[i]; i += 2) {
        const struct value *v = making_get(m, names[i]);
        if (!v)
            continue;
        making_fault(m, v, "take it out for a plain network",
                     "%s: there are no %s", names[i], names[i + 1]);
        return true;
    }
    const struct value *model = making_get(m, "model");
    if (!model || making_autoencoder(m))
        return false;
    making_fault(m, model,
                 "'ae', an autoencoder; other networks are written as a model "
                 "file in YAML",
                 "there is no model '%.*s'", STRF(value_text(model)));
    return true;
}

void making_network(struct making *m)
{
    static const char *const saying[] = {
        "dense", "network_layers", "shared_nnet_spec",
        "conv",  "lstm_size",      "rnn_size",
        NULL};
    const struct value *dense =
        numbers_of(m, making_get(m, "dense") ? "dense" : "network_layers");
    const struct value *shared = numbers_of(m, "shared_nnet_spec"), *said;
    struct value *loss = NULL;
    size_t i = 0;
    if (beyond(m))
        return;
    while (saying[i] && !making_get(m, saying[i]))
        i++;
    if (!saying[i]) {
        making_fault(m, NULL, "as in dense = [200, 20]",
                     "nothing here says a network: no dense, conv, lstm_size, "
                     "rnn_size, network_layers or shared_nnet_spec");
        return;
    }
    if ((said = making_get(m, "loss")))
        loss = making_name(m, said, losses);
    check_classes(m, loss);
    if (shared)
        multi_task(m, shared, loss);
    else if (making_autoencoder(m))
        autoencoder(m, dense, loss);
    else
        feed_forward(m, dense, loss);
    if (!shared)
        put(m, m->model, "loss", loss);
    if (!making_get(m, "conv") && !value_get(m->model, STR("input")))
        value_set(m->arena, m->model, STR("input"), value_int(m->arena, -1));
}
