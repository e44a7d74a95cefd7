/* keras_model.c - what Keras's model.to_json() wrote, as a model file
 *
 * Sequential and functional models of Keras 2 and 3. Layers keep their names,
 * by which their weights are found (keras_weights.c). A layer that throng does
 * not have, or a setting of one, is named. */
#include <math.h>

#include "base/json.h"
#include "nn/build.h"
#include "nn/nn.h"

struct keras {
    struct arena *arena;
    const char *path;
    struct err *err;
    struct str layer;      /* the name of the one being read */
    struct str class_name; /* and its class */
    struct value *inputs;  /* shapes by name */
    struct value *layers;  /* of the model file */
    struct value *last;    /* of those, by Keras's name: see outputs */
    struct value *ranks; /* how many axes each gives, the batch's among them */
    int64_t rank;        /* of what the one being read takes */
    struct nn_keras_noise *noise;
    bool sequential;
};

static int lacks(struct keras *k, const char *what)
{
    return err_set(k->err, ERR_INPUT,
                   "%s: the layer %.*s is a %.*s%s%s, which is not among the "
                   "layers that throng has",
                   k->path, STRF(k->layer), STRF(k->class_name),
                   *what ? " with " : "", what);
}

/* ---- values of a layer's config ------------------------------------------ */

static const struct value *config_get(const struct value *c, const char *key)
{
    const struct value *v = value_get(c, str_of(key));
    return v && v->kind != VALUE_NULL ? v : NULL;
}

static bool is_said(const struct value *c, const char *key)
{
    const struct value *v = config_get(c, key);
    return v && !(v->kind == VALUE_BOOL && !v->boolean);
}

/* A word, or what Keras 3 makes of one: {class_name: …, config: word}. */
static struct str word_of(const struct value *v)
{
    if (v && v->kind == VALUE_OBJECT) {
        const struct value *inner = value_get(v, STR("config"));
        v = inner && inner->kind == VALUE_STRING
                ? inner
                : value_get(v, STR("class_name"));
    }
    return value_text(v);
}

static void put(struct keras *k, struct value *to, const char *key,
                const struct value *v)
{
    if (v)
        value_set(k->arena, to, str_of(key), value_copy(k->arena, v));
}

static void put_text(struct keras *k, struct value *to, const char *key,
                     const char *text)
{
    value_set(k->arena, to, str_of(key), value_string(k->arena, str_of(text)));
}

static void put_bool(struct keras *k, struct value *to, const char *key, bool b)
{
    value_set(k->arena, to, str_of(key), value_bool(k->arena, b));
}

/* One number for an axis, a list of two for two, however Keras wrote it. */
static int put_sizes(struct keras *k, struct value *to, const char *key,
                     const struct value *v, int axes)
{
    if (!v)
        return 0;
    if (v->kind == VALUE_LIST && axes == 1)
        v = v->count == 1 ? v->items[0] : NULL;
    if (!v || (v->kind == VALUE_LIST && v->count != 2))
        return lacks(k, "sizes of other axes");
    put(k, to, key, v);
    return 0;
}

/* Keras's words for activations that are others here. */
static int put_function(struct keras *k, struct value *to, const char *key,
                        struct str name)
{
    static const struct {
        const char *keras, *ours;
    } others[] = {{"silu", "swish"}, {"Softmax", "softmax"}};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (str_is(name, others[i].keras))
            name = str_of(others[i].ours);
    if (!str_among(name, nn_activation_names))
        return lacks(k,
                     arena_printf(k->arena, "the activation %.*s", STRF(name)));
    value_set(k->arena, to, str_of(key), value_string(k->arena, name));
    if (str_is(name, "leaky_relu")) /* as a function, not as a layer */
        value_set(k->arena, to, STR("alpha"), value_double(k->arena, 0.2));
    return 0;
}

/* Axes are counted with that of the batch, and Keras 2 writes them as a list.
 * Here the last one is meant: channels lie last. */
static int check_axis(struct keras *k, const struct value *c)
{
    const struct value *said = config_get(c, "axis"), *axis = said;
    if (axis && axis->kind == VALUE_LIST && axis->count == 1)
        axis = axis->items[0];
    if (!axis ||
        (axis->kind == VALUE_INT && (axis->i == -1 || axis->i == k->rank - 1)))
        return 0;
    struct buf b;
    buf_init(&b);
    json_print(&b, said);
    err_set(k->err, ERR_INPUT,
            "%s: the layer %.*s is a %.*s with axis %s, and throng has it for "
            "the last axis alone, which is -1 or %lld here: channels lie last",
            k->path, STRF(k->layer), STRF(k->class_name), b.p,
            (long long)k->rank - 1);
    buf_done(&b);
    return -1;
}

static int put_activation(struct keras *k, const struct value *c,
                          struct value *to)
{
    const struct value *v = config_get(c, "activation");
    return v ? put_function(k, to, "activation", word_of(v)) : 0;
}

static int put_bias(struct keras *k, const struct value *c, struct value *to)
{
    const struct value *v = config_get(c, "use_bias");
    put(k, to, "bias", v);
    return put_activation(k, c, to);
}

/* ---- kinds of layers ----------------------------------------------------- */

struct keras_kind {
    const char *class_name;
    const char *type; /* of the model file */
    int (*read)(struct keras *k, const struct value *c, struct value *to);
    int axes;
};
static const struct keras_kind *kind_of(struct str class_name);

static int read_dense(struct keras *k, const struct value *c, struct value *to)
{
    put(k, to, "units", config_get(c, "units"));
    return put_bias(k, c, to);
}

static int read_activation(struct keras *k, const struct value *c,
                           struct value *to)
{
    return put_function(k, to, "function",
                        word_of(config_get(c, "activation")));
}

static int read_nothing(struct keras *k, const struct value *c,
                        struct value *to)
{
    (void)c;
    put_text(k, to, "function", "linear");
    return 0;
}

/* Noise that only training has: what it gets it gives. */
static int read_noise(struct keras *k, const struct value *c, struct value *to)
{
    const char **names = str_ends(k->class_name, STR("Noise"))
                             ? &k->noise->added
                             : &k->noise->dropped;
    *names =
        arena_printf(k->arena, "%s%s%.*s (%.*s)", *names ? *names : "",
                     *names ? ", " : "", STRF(k->layer), STRF(k->class_name));
    return read_nothing(k, c, to);
}

static int read_dropout(struct keras *k, const struct value *c,
                        struct value *to)
{
    put(k, to, "rate", config_get(c, "rate"));
    if (config_get(c, "noise_shape"))
        return lacks(k, "noise_shape");
    if (str_is(k->class_name, "PermanentDropout"))
        put_bool(k, to, "permanent", true);
    return 0;
}

static int read_relu(struct keras *k, const struct value *c, struct value *to)
{
    const struct value *most = config_get(c, "max_value");
    double slope = value_number(config_get(c, "negative_slope"));
    double from = value_number(config_get(c, "threshold"));
    bool six = most && value_number(most) == 6;
    if ((most && !six) || (from != 0 && !isnan(from)) || (six && slope > 0))
        return lacks(k, "a largest value or a threshold");
    put_text(k, to, "function",
             six         ? "relu6"
             : slope > 0 ? "leaky_relu"
                         : "relu");
    if (slope > 0)
        put(k, to, "alpha", config_get(c, "negative_slope"));
    return 0;
}

static int read_slope(struct keras *k, const struct value *c, struct value *to)
{
    const struct value *alpha = config_get(c, "alpha");
    put_text(k, to, "function",
             str_is(k->class_name, "ELU") ? "elu" : "leaky_relu");
    put(k, to, "alpha", alpha ? alpha : config_get(c, "negative_slope"));
    return 0;
}

static int read_softmax(struct keras *k, const struct value *c,
                        struct value *to)
{
    put_text(k, to, "function", "softmax");
    return check_axis(k, c);
}

static int read_flatten(struct keras *k, const struct value *c,
                        struct value *to)
{
    (void)to;
    return str_is(value_text(config_get(c, "data_format")), "channels_first")
               ? lacks(k, "channels_first")
               : 0;
}

static int read_reshape(struct keras *k, const struct value *c,
                        struct value *to)
{
    put(k, to, "shape", config_get(c, "target_shape"));
    return 0;
}

static int read_window(struct keras *k, const struct value *c, struct value *to,
                       int axes)
{
    put(k, to, "padding", config_get(c, "padding"));
    if (str_is(value_text(config_get(c, "data_format")), "channels_first"))
        return lacks(k, "channels_first");
    return put_sizes(k, to, "stride", config_get(c, "strides"), axes);
}

static int read_conv(struct keras *k, const struct value *c, struct value *to)
{
    int axes = kind_of(k->class_name)->axes;
    put(k, to, "filters", config_get(c, "filters"));
    put(k, to, "multiplier", config_get(c, "depth_multiplier"));
    if (str_is(k->class_name, "Conv2DTranspose")) {
        const struct value *d = config_get(c, "dilation_rate");
        for (size_t i = 0; d && d->kind == VALUE_LIST && i < d->count; i++)
            if (value_number(d->items[i]) != 1)
                return lacks(k, "dilation");
        if (config_get(c, "output_padding"))
            return lacks(k, "output_padding");
    } else {
        if (!value_get(to, STR("multiplier")))
            put(k, to, "groups", config_get(c, "groups"));
        if (put_sizes(k, to, "dilation", config_get(c, "dilation_rate"), axes))
            return -1;
    }
    if (put_sizes(k, to, "kernel", config_get(c, "kernel_size"), axes) ||
        read_window(k, c, to, axes))
        return -1;
    return put_bias(k, c, to);
}

static int read_pool(struct keras *k, const struct value *c, struct value *to)
{
    int axes = kind_of(k->class_name)->axes;
    if (put_sizes(k, to, "size", config_get(c, "pool_size"), axes))
        return -1;
    return read_window(k, c, to, axes);
}

static int read_pool_all(struct keras *k, const struct value *c,
                         struct value *to)
{
    if (is_said(c, "keepdims"))
        return lacks(k, "keepdims");
    return read_flatten(k, c, to);
}

static int read_upsample(struct keras *k, const struct value *c,
                         struct value *to)
{
    struct str how = value_text(config_get(c, "interpolation"));
    if (how.len && !str_is(how, "nearest"))
        return lacks(
            k, arena_printf(k->arena, "the interpolation %.*s", STRF(how)));
    if (str_is(value_text(config_get(c, "data_format")), "channels_first"))
        return lacks(k, "channels_first");
    return put_sizes(k, to, "size", config_get(c, "size"),
                     kind_of(k->class_name)->axes);
}

static int read_norm(struct keras *k, const struct value *c, struct value *to)
{
    put(k, to, "epsilon", config_get(c, "epsilon"));
    if (str_is(k->class_name, "BatchNormalization"))
        put(k, to, "momentum", config_get(c, "momentum"));
    if (is_said(c, "rms_scaling"))
        return lacks(k, "rms_scaling");
    return check_axis(k, c);
}

static int read_merge(struct keras *k, const struct value *c, struct value *to)
{
    (void)to;
    return str_is(k->class_name, "Concatenate") ? check_axis(k, c) : 0;
}

static int read_embedding(struct keras *k, const struct value *c,
                          struct value *to)
{
    put(k, to, "units", config_get(c, "output_dim"));
    put(k, to, "vocabulary", config_get(c, "input_dim"));
    put_bool(k, to, "mask", is_said(c, "mask_zero"));
    return 0;
}

static bool is_word(const struct value *c, const char *key, const char *word)
{
    const struct value *v = config_get(c, key);
    return !v || str_is(word_of(v), word);
}

static int read_recurrent(struct keras *k, const struct value *c,
                          struct value *to)
{
    bool gru = str_is(k->class_name, "GRU");
    put(k, to, "units", config_get(c, "units"));
    put_bool(k, to, "sequence", is_said(c, "return_sequences"));
    if (!is_word(c, "activation", "tanh") ||
        !is_word(c, "recurrent_activation", "sigmoid"))
        return lacks(k, "other activations than tanh and sigmoid");
    if (value_get(c, STR("use_bias")) && !is_said(c, "use_bias"))
        return lacks(k, "no bias");
    if (gru && !is_said(c, "reset_after"))
        return lacks(k, "reset_after: false");
    if (is_said(c, "return_state") || is_said(c, "stateful"))
        return lacks(k, "a state that is kept");
    if (is_said(c, "go_backwards")) {
        if (is_said(c, "return_sequences"))
            return lacks(k, "go_backwards and return_sequences");
        put_bool(k, to, "backwards", true);
    }
    return 0;
}

/* The layer inside of another, which is that one's `layer`. */
static int read_inside(struct keras *k, const struct value *c, struct value *to,
                       const char *type)
{
    const struct value *inner = config_get(c, "layer");
    struct str class_name = value_text(value_get(inner, STR("class_name")));
    struct str outer = k->class_name;
    const struct keras_kind *kind = kind_of(class_name);
    if (!kind ||
        (type ? strcmp(kind->type, type) != 0 : kind->read != read_recurrent))
        return lacks(k,
                     arena_printf(k->arena, "a %.*s in it", STRF(class_name)));
    put_text(k, to, "type", kind->type);
    k->class_name = class_name;
    int rc = kind->read(k, value_get(inner, STR("config")), to);
    k->class_name = outer;
    return rc;
}

static int read_bidirectional(struct keras *k, const struct value *c,
                              struct value *to)
{
    if (!is_word(c, "merge_mode", "concat"))
        return lacks(k, "another merge_mode than concat");
    if (read_inside(k, c, to, NULL))
        return -1;
    put_bool(k, to, "bidirectional", true);
    return 0;
}

static int read_each_step(struct keras *k, const struct value *c,
                          struct value *to)
{
    return read_inside(k, c, to, "dense");
}

static const struct keras_kind kinds[] = {
    {"Dense", "dense", read_dense, 0},
    {"Activation", "activation", read_activation, 0},
    {"Dropout", "dropout", read_dropout, 0},
    {"PermanentDropout", "dropout", read_dropout, 0},
    {"SpatialDropout1D", "activation", read_noise, 0},
    {"SpatialDropout2D", "activation", read_noise, 0},
    {"AlphaDropout", "activation", read_noise, 0},
    {"GaussianDropout", "activation", read_noise, 0},
    {"GaussianNoise", "activation", read_noise, 0},
    {"ActivityRegularization", "activation", read_nothing, 0},
    {"ReLU", "activation", read_relu, 0},
    {"LeakyReLU", "activation", read_slope, 0},
    {"ELU", "activation", read_slope, 0},
    {"Softmax", "activation", read_softmax, 0},
    {"Flatten", "flatten", read_flatten, 0},
    {"Reshape", "reshape", read_reshape, 0},
    {"Conv1D", "conv1d", read_conv, 1},
    {"Conv2D", "conv2d", read_conv, 2},
    {"DepthwiseConv1D", "depthwise_conv1d", read_conv, 1},
    {"DepthwiseConv2D", "depthwise_conv2d", read_conv, 2},
    {"Conv2DTranspose", "conv2d_transpose", read_conv, 2},
    {"MaxPooling1D", "max_pool1d", read_pool, 1},
    {"MaxPooling2D", "max_pool2d", read_pool, 2},
    {"AveragePooling1D", "average_pool1d", read_pool, 1},
    {"AveragePooling2D", "average_pool2d", read_pool, 2},
    {"GlobalMaxPooling1D", "global_max_pool", read_pool_all, 0},
    {"GlobalMaxPooling2D", "global_max_pool", read_pool_all, 0},
    {"GlobalAveragePooling1D", "global_average_pool", read_pool_all, 0},
    {"GlobalAveragePooling2D", "global_average_pool", read_pool_all, 0},
    {"UpSampling1D", "upsample1d", read_upsample, 1},
    {"UpSampling2D", "upsample2d", read_upsample, 2},
    {"BatchNormalization", "batch_norm", read_norm, 0},
    {"LayerNormalization", "layer_norm", read_norm, 0},
    {"Add", "add", read_merge, 0},
    {"Multiply", "multiply", read_merge, 0},
    {"Concatenate", "concat", read_merge, 0},
    {"Embedding", "embedding", read_embedding, 0},
    {"LSTM", "lstm", read_recurrent, 0},
    {"GRU", "gru", read_recurrent, 0},
    {"Bidirectional", "lstm", read_bidirectional, 0},
    {"TimeDistributed", "dense", read_each_step, 0},
};

static const struct keras_kind *kind_of(struct str class_name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (str_is(class_name, kinds[i].class_name))
            return &kinds[i];
    return NULL;
}

/* ---- inputs and how layers hang together --------------------------------- */

/* [null, 60] is a row of 60: the first is the batch. */
static int add_input(struct keras *k, struct str name,
                     const struct value *shape)
{
    struct value *row = value_list(k->arena);
    if (!shape || shape->kind != VALUE_LIST || shape->count < 2)
        return err_set(k->err, ERR_INPUT,
                       "%s: the input %.*s does not say the shape of a row",
                       k->path, STRF(name));
    for (size_t i = 1; i < shape->count; i++) {
        if (shape->items[i]->kind != VALUE_INT)
            return err_set(k->err, ERR_INPUT,
                           "%s: the input %.*s has an axis without a size",
                           k->path, STRF(name));
        value_list_add(k->arena, row, value_int(k->arena, shape->items[i]->i));
    }
    value_set(k->arena, k->inputs, name, row);
    k->rank = (int64_t)shape->count;
    value_set(k->arena, k->ranks, name, value_int(k->arena, k->rank));
    return 0;
}

static const struct value *batch_shape(const struct value *c)
{
    const struct value *v = config_get(c, "batch_input_shape");
    return v ? v : config_get(c, "batch_shape");
}

/* Every ["name", node, tensor] in what a layer is called with. */
static void find_sources(struct keras *k, const struct value *v,
                         struct value *names, size_t *other_nodes)
{
    if (!v)
        return;
    bool source = v->kind == VALUE_LIST && v->count >= 3 &&
                  v->items[0]->kind == VALUE_STRING &&
                  v->items[1]->kind == VALUE_INT &&
                  v->items[2]->kind == VALUE_INT;
    if (source) {
        value_list_add(k->arena, names, value_copy(k->arena, v->items[0]));
        *other_nodes += v->items[1]->i || v->items[2]->i;
        return;
    }
    bool many = v->kind == VALUE_LIST || v->kind == VALUE_OBJECT;
    for (size_t i = 0; many && i < v->count; i++)
        find_sources(k, v->items[i], names, other_nodes);
}

static int put_sources(struct keras *k, const struct value *layer,
                       struct value *to)
{
    const struct value *nodes = value_get(layer, STR("inbound_nodes"));
    struct value *names = value_list(k->arena);
    size_t other = 0;
    if (k->sequential)
        return 0;
    if (!nodes || nodes->kind != VALUE_LIST || nodes->count != 1)
        return lacks(k, "several places in the network that share its weights");
    find_sources(k, nodes->items[0], names, &other);
    if (other)
        return lacks(k, "one of several outputs of a layer as its input");
    if (!names->count)
        return lacks(k, "no input");
    value_set(k->arena, to, STR("from"), names);
    const struct value *rank = value_get(k->ranks, names->items[0]->s);
    k->rank = rank ? rank->i : 0;
    return 0;
}

/* How many axes a layer gives, of those that it takes. */
static int64_t rank_behind(const struct keras *k, const struct value *to)
{
    static const char *const rows[] = {"flatten", "global_max_pool",
                                       "global_average_pool", NULL};
    struct str type = value_text(value_get(to, STR("type")));
    const struct value *shape = value_get(to, STR("shape"));
    const struct value *steps = value_get(to, STR("sequence"));
    if (str_among(type, rows))
        return 2;
    if (str_is(type, "reshape") && shape && shape->kind == VALUE_LIST)
        return (int64_t)shape->count + 1;
    if (str_is(type, "embedding"))
        return k->rank + 1;
    return steps ? 2 + steps->boolean : k->rank;
}

static int add_layer(struct keras *k, const struct value *layer)
{
    const struct value *c = value_get(layer, STR("config"));
    k->class_name = value_text(value_get(layer, STR("class_name")));
    k->layer = value_text(config_get(c, "name"));
    if (!k->layer.len)
        k->layer = value_text(value_get(layer, STR("name")));
    if (str_is(k->class_name, "InputLayer"))
        return add_input(k, k->layer, batch_shape(c));
    const struct keras_kind *kind = kind_of(k->class_name);
    struct value *to = value_object(k->arena);
    if (!kind)
        return lacks(k, "");
    if (k->sequential && !k->inputs->count &&
        add_input(k, STR("input"), batch_shape(c)))
        return -1;
    put_text(k, to, "type", kind->type);
    value_set(k->arena, to, STR("name"), value_string(k->arena, k->layer));
    if (put_sources(k, layer, to) || kind->read(k, c, to))
        return -1;
    value_list_add(k->arena, k->layers, to);
    value_set(k->arena, k->last, k->layer, to);
    k->rank = rank_behind(k, to);
    value_set(k->arena, k->ranks, k->layer, value_int(k->arena, k->rank));
    return 0;
}

/* ---- outputs ------------------------------------------------------------- */

/* to_json() says no loss: the one that goes with the last function. */
static void put_loss(struct keras *k, struct value *head,
                     const struct value *layer)
{
    struct str f = value_text(value_get(layer, STR("activation")));
    if (!f.len)
        f = value_text(value_get(layer, STR("function")));
    bool softmax = str_is(f, "softmax"), yes_or_no = str_is(f, "sigmoid");
    struct value *metrics = value_list(k->arena);
    put_text(k, head, "loss",
             softmax     ? "sparse_categorical_crossentropy"
             : yes_or_no ? "binary_crossentropy"
                         : "mse");
    value_list_add(k->arena, metrics,
                   value_string(k->arena, softmax || yes_or_no ? STR("accuracy")
                                                               : STR("mae")));
    value_set(k->arena, head, STR("metrics"), metrics);
}

static int add_outputs(struct keras *k, const struct value *config,
                       struct value *model)
{
    struct value *names = value_list(k->arena), *heads;
    size_t other = 0;
    if (!k->layers->count)
        return err_set(k->err, ERR_INPUT, "%s: has no layers", k->path);
    find_sources(k, value_get(config, STR("output_layers")), names, &other);
    if (names->count < 2 &&
        (!names->count || value_get(k->last, names->items[0]->s) ==
                              k->layers->items[k->layers->count - 1])) {
        put_loss(k, model, k->layers->items[k->layers->count - 1]);
        return 0;
    }
    heads = value_list(k->arena);
    for (size_t i = 0; i < names->count; i++) {
        struct value *head = value_object(k->arena);
        value_set(k->arena, head, STR("from"), names->items[i]);
        put_loss(k, head, value_get(k->last, names->items[i]->s));
        value_list_add(k->arena, heads, head);
    }
    value_set(k->arena, model, STR("heads"), heads);
    return 0;
}

static const struct value *layers_of(const struct value *config)
{
    const struct value *list = config && config->kind == VALUE_LIST
                                   ? config
                                   : value_get(config, STR("layers"));
    return list && list->kind == VALUE_LIST ? list : NULL;
}

bool nn_keras_is(const struct value *json)
{
    return value_get(json, STR("class_name")) &&
           layers_of(value_get(json, STR("config")));
}

/* The shape of a Sequential's rows stands beside its layers where none of them
 * says it. */
static int built_input(struct keras *k, const struct value *json)
{
    const struct value *config = value_get(json, STR("config"));
    const struct value *built = value_get(json, STR("build_config"));
    const struct value *shape = config_get(config, "build_input_shape");
    const struct value *first = value_at(layers_of(config), 0);
    shape = shape ? shape : config_get(built, "input_shape");
    if (!k->sequential || !shape ||
        str_is(value_text(value_get(first, STR("class_name"))), "InputLayer") ||
        batch_shape(value_get(first, STR("config"))))
        return 0;
    return add_input(k, STR("input"), shape);
}

struct value *nn_keras_model(const struct value *json, const char *path,
                             struct nn_keras_noise *noise, struct arena *a,
                             struct err *err)
{
    const struct value *config = value_get(json, STR("config"));
    const struct value *layers = layers_of(config);
    struct value *model = value_object(a);
    struct keras k = {.arena = a,
                      .path = path,
                      .err = err,
                      .inputs = value_object(a),
                      .layers = value_list(a),
                      .last = value_object(a),
                      .ranks = value_object(a),
                      .noise = noise};
    *noise = (struct nn_keras_noise){0};
    k.sequential =
        str_is(value_text(value_get(json, STR("class_name"))), "Sequential");
    if (built_input(&k, json))
        return NULL;
    for (size_t i = 0; i < layers->count; i++)
        if (add_layer(&k, layers->items[i]))
            return NULL;
    if (k.inputs->count == 1 && k.sequential)
        value_set(a, model, STR("input"), k.inputs->items[0]);
    else
        value_set(a, model, STR("inputs"), k.inputs);
    value_set(a, model, STR("layers"), k.layers);
    return add_outputs(&k, config, model) ? NULL : model;
}
