/* layer_sequence.c - layers for steps in a row: embedding, lstm, gru,
 * attention; and sample, the random one of autoencoders
 *
 * Rows of a batch may have different lengths: a text of tokens is filled up
 * with 0. A tensor that comes from such tokens remembers them, and layers
 * that look along the steps leave the padding out. */
#include <stdio.h>

#include "nn/build.h"

static bool needs_steps(struct nn_build *b, int in, const char *kind)
{
    const struct nn_shape *s = nn_shape_of(b, in);
    if (s->rank == 2 && !b->graph->tensors.p[in].integers)
        return true;
    struct buf text;
    buf_init(&text);
    nn_shape_print(&text, s);
    nn_fault_hint(b, NULL,
                  b->graph->tensors.p[in].integers
                      ? "put an embedding before it"
                      : "reshape to [steps, features]",
                  "%s needs steps × features, not %s", kind, text.p);
    buf_done(&text);
    return false;
}

/* How many tokens the data has where this tensor is one of its inputs. */
static int64_t tokens_of(const struct nn_build *b, int tensor)
{
    for (size_t i = 0; b->data && i < b->graph->inputs.len; i++) {
        const struct nn_input *in = &b->graph->inputs.p[i];
        if (in->tensor == tensor && (size_t)in->field < b->data->input_count)
            return b->data->inputs[in->field].classes;
    }
    return 0;
}

static int build_embedding(struct nn_build *b, const struct value *o,
                           const int *in, int in_count)
{
    const struct nn_shape *from = nn_shape_of(b, in[0]);
    (void)in_count;
    if (from->rank != 1) {
        nn_fault(b, NULL, "embedding needs a row of token numbers");
        return -1;
    }
    int64_t steps = from->dim[0];
    int64_t units = nn_read_int(b, o, "units", 1, INT32_MAX, 0);
    int64_t words =
        nn_read_int(b, o, "vocabulary", 1, INT32_MAX, tokens_of(b, in[0]));
    if (units < 1 || words < 1) {
        nn_fault(b, NULL,
                 "embedding needs units and vocabulary, the number of "
                 "tokens");
        return -1;
    }
    b->graph->tensors.p[in[0]].integers = true;
    for (size_t i = 0; i < b->graph->inputs.len; i++)
        if (nn_comes_from(b->graph, in[0], b->graph->inputs.p[i].tensor))
            b->graph->tensors.p[b->graph->inputs.p[i].tensor].integers = true;
    struct nn_op op = nn_op_of(NN_OP_EMBEDDING);
    struct nn_shape table = nn_shape2(words, units);
    struct nn_shape to = nn_shape2(steps, units);
    op.in[0] = in[0];
    op.in_count = 1;
    struct nn_init usual = {.kind = NN_INIT_UNIFORM, .a = -0.05, .b = 0.05};
    op.param[0] =
        nn_add_param(b, "weight", &table,
                     value_get(o, STR("initializer"))
                         ? nn_read_init(b, o, "initializer", NN_INIT_UNIFORM)
                         : usual);
    nn_param_at(b, op.param[0])->fan_in = words;
    nn_param_at(b, op.param[0])->fan_out = units;
    nn_read_regularizers(b, o, op.param[0]);
    int out = nn_add_op(b, op, &to);
    if (nn_read_bool(b, o, "mask", true))
        b->graph->tensors.p[out].lengths = in[0];
    return out;
}

/* One direction of a recurrent layer with `gates` blocks of weights. */
struct recurrent {
    enum nn_op_kind kind;
    int64_t gates;
    int64_t units;
    bool sequence, backwards;
    const char *suffix; /* of its parameters' names */
};

static int add_weight(struct nn_build *b, const struct value *o,
                      const struct recurrent *r, const char *name, int64_t rows,
                      const char *key, enum nn_init_kind usual)
{
    char full[64];
    struct nn_shape shape = nn_shape2(rows, r->gates * r->units);
    snprintf(full, sizeof full, "%s%s", name, r->suffix);
    int p = nn_add_param(b, full, &shape, nn_read_init(b, o, key, usual));
    nn_param_at(b, p)->fan_in = rows;
    nn_param_at(b, p)->fan_out = r->gates * r->units;
    return p;
}

static int add_bias(struct nn_build *b, const struct value *o,
                    const struct recurrent *r, const char *name)
{
    char full[64];
    struct nn_shape shape = nn_shape1(r->gates * r->units);
    snprintf(full, sizeof full, "%s%s", name, r->suffix);
    int p = nn_add_param(b, full, &shape,
                         nn_read_init(b, o, "bias_initializer", NN_INIT_ZEROS));
    if (r->kind == NN_OP_LSTM && nn_read_bool(b, o, "unit_forget_bias", true)) {
        nn_param_at(b, p)->ones_at = r->units; /* behind the input gates' */
        nn_param_at(b, p)->ones = r->units;
    }
    return p;
}

static int add_direction(struct nn_build *b, const struct value *o, int in,
                         const struct recurrent *r)
{
    struct nn_shape from = *nn_shape_of(b, in);
    struct nn_op op = nn_op_of(r->kind);
    op.in[0] = in;
    op.in_count = 1;
    op.units = r->units;
    op.sequence = r->sequence;
    op.backwards = r->backwards;
    op.param[0] = add_weight(b, o, r, "weight", from.dim[1], "initializer",
                             NN_INIT_GLOROT_UNIFORM);
    op.param[1] = add_weight(b, o, r, "recurrent", r->units,
                             "recurrent_initializer", NN_INIT_ORTHOGONAL);
    op.param[2] = add_bias(b, o, r, "bias");
    if (r->kind == NN_OP_GRU)
        op.param[3] = add_bias(b, o, r, "recurrent_bias");
    nn_read_regularizers(b, o, op.param[0]);
    b->graph->layers.p[b->layer].flops += 2.0 * (double)from.dim[0] *
                                          (double)(r->gates * r->units) *
                                          (double)(from.dim[1] + r->units);
    struct nn_shape to =
        r->sequence ? nn_shape2(from.dim[0], r->units) : nn_shape1(r->units);
    int out = nn_add_op(b, op, &to);
    if (r->sequence)
        b->graph->tensors.p[out].lengths = b->graph->tensors.p[in].lengths;
    return out;
}

static int concat(struct nn_build *b, int one, int two)
{
    struct nn_op op = nn_op_of(NN_OP_CONCAT);
    struct nn_shape to = *nn_shape_of(b, one);
    to.dim[to.rank - 1] += nn_shape_of(b, two)->dim[to.rank - 1];
    op.in[0] = one;
    op.in[1] = two;
    op.in_count = 2;
    int lengths = b->graph->tensors.p[one].lengths;
    int out = nn_add_op(b, op, &to);
    b->graph->tensors.p[out].lengths = lengths;
    return out;
}

static int build_recurrent(struct nn_build *b, const struct value *o, int in,
                           enum nn_op_kind kind, int64_t gates)
{
    const char *name = kind == NN_OP_LSTM ? "lstm" : "gru";
    struct recurrent r = {.kind = kind, .gates = gates, .suffix = ""};
    if (!needs_steps(b, in, name))
        return -1;
    r.units = nn_read_int(b, o, "units", 1, INT32_MAX, 0);
    if (r.units < 1) {
        if (!value_get(o, STR("units")))
            nn_fault(b, NULL, "%s needs units, its number of outputs", name);
        return -1;
    }
    r.sequence = nn_read_bool(b, o, "sequence", false);
    bool both = nn_read_bool(b, o, "bidirectional", false);
    r.backwards = !both && nn_read_bool(b, o, "backwards", false);
    int one = add_direction(b, o, in, &r);
    if (!both)
        return one;
    r.backwards = true;
    r.suffix = "_back";
    return concat(b, one, add_direction(b, o, in, &r));
}

static int build_lstm(struct nn_build *b, const struct value *o, const int *in,
                      int in_count)
{
    (void)in_count;
    return build_recurrent(b, o, in[0], NN_OP_LSTM, 4);
}

static int build_gru(struct nn_build *b, const struct value *o, const int *in,
                     int in_count)
{
    (void)in_count;
    return build_recurrent(b, o, in[0], NN_OP_GRU, 3);
}

/* A dense operation of this layer, on each step. */
static int project(struct nn_build *b, const struct value *o, int in,
                   const char *name, int64_t units)
{
    char full[64];
    struct nn_shape from = *nn_shape_of(b, in), to = from;
    int64_t inputs = from.dim[from.rank - 1];
    struct nn_shape weight = nn_shape2(inputs, units), bias = nn_shape1(units);
    struct nn_op op = nn_op_of(NN_OP_DENSE);
    to.dim[to.rank - 1] = units;
    op.in[0] = in;
    op.in_count = 1;
    snprintf(full, sizeof full, "%s.weight", name);
    op.param[0] =
        nn_add_param(b, full, &weight,
                     nn_read_init(b, o, "initializer", NN_INIT_GLOROT_UNIFORM));
    nn_param_at(b, op.param[0])->fan_in = inputs;
    nn_param_at(b, op.param[0])->fan_out = units;
    snprintf(full, sizeof full, "%s.bias", name);
    op.param[1] = nn_add_param(
        b, full, &bias, nn_read_init(b, o, "bias_initializer", NN_INIT_ZEROS));
    b->graph->layers.p[b->layer].flops +=
        2.0 * (double)inputs * (double)nn_shape_count(&to);
    return nn_add_op(b, op, &to);
}

/* Inputs: one (self-attention), or query and what is attended to. */
static int build_attention(struct nn_build *b, const struct value *o,
                           const int *in, int in_count)
{
    int query = in[0], other = in[in_count - 1];
    if (!needs_steps(b, query, "attention") ||
        !needs_steps(b, other, "attention"))
        return -1;
    int64_t features = nn_shape_of(b, query)->dim[1];
    int64_t heads = nn_read_int(b, o, "heads", 1, 4096, 1);
    int64_t units = nn_read_int(b, o, "units", 1, INT32_MAX, features);
    if (units % heads) {
        nn_fault(b, "heads", "%lld units cannot be shared by %lld heads",
                 (long long)units, (long long)heads);
        return -1;
    }
    int lengths = b->graph->tensors.p[query].lengths;
    int keys_from = b->graph->tensors.p[other].lengths;
    struct nn_op op = nn_op_of(NN_OP_ATTENTION);
    op.in[0] = project(b, o, query, "query", units);
    op.in[1] = project(b, o, other, "key", units);
    op.in[2] = project(b, o, other, "value", units);
    op.in_count = 3;
    op.units = heads;
    op.causal = nn_read_bool(b, o, "causal", false);
    b->graph->tensors.p[op.in[1]].lengths = keys_from;
    struct nn_shape to = *nn_shape_of(b, op.in[0]);
    int64_t steps = to.dim[0], others = nn_shape_of(b, op.in[1])->dim[0];
    b->graph->layers.p[b->layer].flops +=
        4.0 * (double)steps * (double)others * (double)units;
    int out = project(b, o, nn_add_op(b, op, &to), "output", features);
    b->graph->tensors.p[out].lengths = lengths;
    return out;
}

static int build_sample(struct nn_build *b, const struct value *o,
                        const int *in, int in_count)
{
    struct nn_op op = nn_op_of(NN_OP_SAMPLE);
    struct nn_shape shape = *nn_shape_of(b, in[0]);
    (void)in_count;
    if (!nn_shape_eq(&shape, nn_shape_of(b, in[1]))) {
        struct buf text;
        buf_init(&text);
        nn_shape_print(&text, &shape);
        buf_adds(&text, " and ");
        nn_shape_print(&text, nn_shape_of(b, in[1]));
        nn_fault(b, "from",
                 "mean and log variance must have equal shapes, not "
                 "%s",
                 text.p);
        buf_done(&text);
        return -1;
    }
    op.in[0] = in[0];
    op.in[1] = in[1];
    op.in_count = 2;
    op.permanent = nn_read_bool(b, o, "permanent", false);
    return nn_add_op(b, op, &shape);
}

static const char *const embedding_keys[] = {
    "units", "vocabulary", "mask", "initializer", "l1", "l2", NULL};
static const char *const lstm_keys[] = {"units",
                                        "sequence",
                                        "bidirectional",
                                        "backwards",
                                        "initializer",
                                        "recurrent_initializer",
                                        "bias_initializer",
                                        "unit_forget_bias",
                                        "l1",
                                        "l2",
                                        NULL};
static const char *const gru_keys[] = {"units",
                                       "sequence",
                                       "bidirectional",
                                       "backwards",
                                       "initializer",
                                       "recurrent_initializer",
                                       "bias_initializer",
                                       "l1",
                                       "l2",
                                       NULL};
static const char *const attention_keys[] = {
    "heads", "units", "causal", "initializer", "bias_initializer", NULL};
static const char *const sample_keys[] = {"permanent", NULL};

const struct nn_layer_kind nn_layers_sequence[] = {
    {"embedding", "units", embedding_keys, 1, 1, build_embedding,
     "a row of numbers for each token; 0 is padding"},
    {"lstm", "units", lstm_keys, 1, 1, build_lstm,
     "long short-term memory along the steps"},
    {"gru", "units", gru_keys, 1, 1, build_gru,
     "gated recurrent units along the steps"},
    {"attention", "heads", attention_keys, 1, 2, build_attention,
     "every step looks at every step"},
    {"sample", NULL, sample_keys, 2, 2, build_sample,
     "a Gaussian draw from a mean and a log variance"},
    {NULL, NULL, NULL, 0, 0, NULL, NULL},
};
