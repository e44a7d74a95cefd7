/* onnx.c - protobuf, as far as an ONNX graph needs it
 *
 * A message is a row of fields, each a number and a kind: 0 a varint, 2 bytes
 * with their length before them, 5 four bytes. */
#include "nn/foreign/onnx.h"

#include <stdio.h>

enum { VERSION_OF_FORMAT = 7, OPERATORS = 13, FLOATS = 1, INTS = 7 };
enum { SAYS_FLOAT = 1, SAYS_INT = 2, SAYS_TEXT = 3, SAYS_INTS = 7 };

static void field(struct buf *b, unsigned number, unsigned kind)
{
    buf_add_varint(b, number << 3 | kind);
}

static void whole(struct buf *b, unsigned number, int64_t i)
{
    field(b, number, 0);
    buf_add_varint(b, (uint64_t)i);
}

static void bytes_field(struct buf *b, unsigned number, struct str bytes)
{
    field(b, number, 2);
    buf_add_bytes(b, bytes);
}

static void text_field(struct buf *b, unsigned number, const char *text)
{
    bytes_field(b, number, str_of(text));
}

static void name_field(struct buf *b, unsigned number, int tensor)
{
    char name[24] = "";
    if (tensor >= 0)
        snprintf(name, sizeof name, "t%d", tensor);
    text_field(b, number, name);
}

void onnx_init(struct onnx *o)
{
    *o = (struct onnx){0};
    buf_init(&o->nodes);
    buf_init(&o->constants);
    buf_init(&o->inputs);
    buf_init(&o->outputs);
}

void onnx_done(struct onnx *o)
{
    buf_done(&o->nodes);
    buf_done(&o->constants);
    buf_done(&o->inputs);
    buf_done(&o->outputs);
}

void onnx_print(const struct onnx *o, struct buf *file)
{
    struct buf graph, version;
    buf_init(&graph);
    buf_init(&version);
    buf_addstr(&graph, buf_str(&o->nodes));
    text_field(&graph, 2, "throng");
    buf_addstr(&graph, buf_str(&o->constants));
    buf_addstr(&graph, buf_str(&o->inputs));
    buf_addstr(&graph, buf_str(&o->outputs));
    whole(file, 1, VERSION_OF_FORMAT);
    text_field(file, 2, "throng");
    text_field(file, 3, THRONG_VERSION);
    bytes_field(file, 7, buf_str(&graph));
    text_field(&version, 1, "");
    whole(&version, 2, OPERATORS);
    bytes_field(file, 8, buf_str(&version));
    buf_done(&graph);
    buf_done(&version);
}

/* ---- tensors ------------------------------------------------------------- */

/* Name and shape of what comes in or goes out; any number of rows. */
static void add_value(struct buf *to, unsigned number, struct str name,
                      const struct nn_shape *row)
{
    struct buf dims, one, type, value;
    buf_init(&dims);
    buf_init(&one);
    buf_init(&type);
    buf_init(&value);
    text_field(&one, 2, "batch");
    bytes_field(&dims, 1, buf_str(&one));
    for (int i = 0; i < row->rank; i++) {
        buf_reset(&one);
        whole(&one, 1, row->dim[i]);
        bytes_field(&dims, 1, buf_str(&one));
    }
    buf_reset(&one);
    whole(&one, 1, FLOATS);
    bytes_field(&one, 2, buf_str(&dims));
    bytes_field(&type, 1, buf_str(&one));
    bytes_field(&value, 1, name);
    bytes_field(&value, 2, buf_str(&type));
    bytes_field(to, number, buf_str(&value));
    buf_done(&dims);
    buf_done(&one);
    buf_done(&type);
    buf_done(&value);
}

/* Names of people stand outside; a node of identity joins the two. */
static void add_identity(struct onnx *o, struct str from, int from_tensor,
                         struct str to, int to_tensor)
{
    struct buf node;
    buf_init(&node);
    if (from.len)
        bytes_field(&node, 1, from);
    else
        name_field(&node, 1, from_tensor);
    if (to.len)
        bytes_field(&node, 2, to);
    else
        name_field(&node, 2, to_tensor);
    text_field(&node, 4, "Identity");
    bytes_field(&o->nodes, 1, buf_str(&node));
    buf_done(&node);
}

int onnx_input(struct onnx *o, struct str name, const struct nn_shape *row)
{
    add_value(&o->inputs, 11, name, row);
    add_identity(o, name, -1, STR(""), o->tensors);
    return o->tensors++;
}

void onnx_output(struct onnx *o, int tensor, struct str name,
                 const struct nn_shape *row)
{
    add_value(&o->outputs, 12, name, row);
    add_identity(o, STR(""), tensor, name, -1);
}

static int add_constant(struct onnx *o, int type, int rank, const int64_t *dim,
                        struct str numbers)
{
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < rank; i++)
        whole(&b, 1, dim[i]);
    whole(&b, 2, type);
    name_field(&b, 8, o->tensors);
    bytes_field(&b, 9, numbers);
    bytes_field(&o->constants, 5, buf_str(&b));
    buf_done(&b);
    return o->tensors++;
}

int onnx_floats(struct onnx *o, int rank, const int64_t *dim,
                const double *numbers)
{
    int64_t count = 1;
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < rank; i++)
        count *= dim[i];
    for (int64_t i = 0; i < count; i++) {
        float x = (float)numbers[i];
        buf_add(&b, &x, sizeof(x));
    }
    int made = add_constant(o, FLOATS, rank, dim, buf_str(&b));
    buf_done(&b);
    return made;
}

int onnx_float(struct onnx *o, double number)
{
    return onnx_floats(o, 0, NULL, &number);
}

int onnx_ints(struct onnx *o, const int64_t *numbers, int count)
{
    int64_t dim = count;
    return add_constant(
        o, INTS, 1, &dim,
        str_n((const char *)numbers, (size_t)count * sizeof(*numbers)));
}

/* ---- nodes --------------------------------------------------------------- */

struct onnx_node onnx_node_of(const char *op)
{
    struct onnx_node n = {.op = op};
    buf_init(&n.said);
    return n;
}

static void say(struct onnx_node *n, const char *name, int kind,
                struct buf *value)
{
    struct buf b;
    buf_init(&b);
    text_field(&b, 1, name);
    buf_addstr(&b, buf_str(value));
    whole(&b, 20, kind);
    bytes_field(&n->said, 5, buf_str(&b));
    buf_done(&b);
    buf_done(value);
}

void onnx_say_int(struct onnx_node *n, const char *name, int64_t i)
{
    struct buf b;
    buf_init(&b);
    whole(&b, 3, i);
    say(n, name, SAYS_INT, &b);
}

void onnx_say_ints(struct onnx_node *n, const char *name,
                   const int64_t *numbers, int count)
{
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < count; i++)
        whole(&b, 8, numbers[i]);
    say(n, name, SAYS_INTS, &b);
}

void onnx_say_float(struct onnx_node *n, const char *name, double x)
{
    struct buf b;
    float f = (float)x;
    buf_init(&b);
    field(&b, 2, 5);
    buf_add(&b, &f, sizeof(f));
    say(n, name, SAYS_FLOAT, &b);
}

void onnx_say_text(struct onnx_node *n, const char *name, const char *text)
{
    struct buf b;
    buf_init(&b);
    text_field(&b, 4, text);
    say(n, name, SAYS_TEXT, &b);
}

int onnx_add(struct onnx *o, struct onnx_node *n)
{
    struct buf b;
    int first = o->tensors, outputs = n->outputs ? n->outputs : 1;
    buf_init(&b);
    for (int i = 0; i < n->in_count; i++)
        name_field(&b, 1, n->in[i]);
    for (int i = 0; i < outputs; i++)
        name_field(&b, 2, o->tensors++);
    text_field(&b, 4, n->op);
    buf_addstr(&b, buf_str(&n->said));
    bytes_field(&o->nodes, 1, buf_str(&b));
    buf_done(&b);
    buf_done(&n->said);
    return first;
}

int onnx_one(struct onnx *o, const char *op, int in)
{
    struct onnx_node n = onnx_node_of(op);
    n.in[0] = in;
    n.in_count = 1;
    return onnx_add(o, &n);
}

int onnx_two(struct onnx *o, const char *op, int a, int b)
{
    struct onnx_node n = onnx_node_of(op);
    n.in[0] = a;
    n.in[1] = b;
    n.in_count = 2;
    return onnx_add(o, &n);
}
